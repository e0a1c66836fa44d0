//! A lane program: straight-line code that computes one element of each output from one element of each input.
//! Knows no loops; interpreting and assembling are its readers.

use super::lane::push;
use super::{Instr, Lane, Reg, tile};
use crate::types::DType;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::fmt;

/// Straight-line code from the elements of some inputs to the elements of some outputs.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Program {
    instrs: Vec<(Instr, DType)>,
    inputs: Vec<DType>,
    outputs: Vec<Reg>,
}

impl Program {
    /// The program of a function on lanes.
    ///
    /// ```
    /// use graphfn::kernels::lanes::Program;
    /// use graphfn::DType;
    /// let sigmoid = Program::build(&[DType::F32], |x| vec![1.0 / (1.0 + (-x[0]).exp())]);
    /// assert_eq!(sigmoid.outputs().len(), 1);
    /// ```
    pub fn build(
        inputs: &[DType],
        f: impl for<'p> FnOnce(&[Lane<'p>]) -> Vec<Lane<'p>>,
    ) -> Program {
        let builder = RefCell::new(Program { inputs: inputs.to_vec(), ..Program::default() });
        let lanes: Vec<Lane<'_>> = inputs
            .iter()
            .zip(0..)
            .map(|(dtype, i)| push(&builder, Instr::Input(i), *dtype))
            .collect();
        let outputs = f(&lanes).iter().map(|lane| lane.reg).collect();
        let mut program = builder.into_inner();
        program.outputs = outputs;
        program
    }

    /// The instructions, each with the type of its result.
    pub fn instrs(&self) -> &[(Instr, DType)] {
        &self.instrs
    }

    /// The types of the inputs.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// The values that are the outputs.
    pub fn outputs(&self) -> &[Reg] {
        &self.outputs
    }

    /// The type of a value.
    pub fn dtype(&self, reg: Reg) -> DType {
        self.instrs[reg.0 as usize].1
    }

    /// Whether an instruction in it can fault.
    pub fn can_fault(&self) -> bool {
        self.instrs.iter().any(|(instr, dtype)| instr.can_fault(*dtype))
    }

    /// Checks that each instruction comes after its operands, takes their types, and has the type that it says.
    ///
    /// # Errors
    /// The first instruction that does not, as it prints.
    pub fn check(&self) -> Result<(), String> {
        for at in 0..self.instrs.len() {
            if !self.is_sound(at) {
                return Err(self.line(at));
            }
        }
        let is_there = |reg: &Reg| (reg.0 as usize) < self.instrs.len();
        match self.outputs.iter().find(|reg| !is_there(reg)) {
            Some(reg) => Err(format!("out {reg:?}")),
            None => Ok(()),
        }
    }

    fn is_sound(&self, at: usize) -> bool {
        let (instr, dtype) = self.instrs[at];
        let earlier = |reg: Reg| self.instrs[..at].get(reg.0 as usize).map(|it| it.1);
        let operands: Option<SmallVec<[DType; 3]>> =
            instr.operands().into_iter().map(earlier).collect();
        let Some(operands) = operands else { return false };
        let made = match (instr, &operands[..]) {
            (Instr::Input(input), _) => self.inputs.get(input as usize).copied(),
            (Instr::Const(constant), _) => Some(constant.dtype()),
            (Instr::Unary(..), [of]) => Some(*of),
            (Instr::Binary(..), [a, b]) if a == b => Some(*a),
            (Instr::Compare(..), [a, b]) if a == b => Some(DType::Bool),
            (Instr::Select(..), [DType::Bool, a, b]) if a == b => Some(*a),
            (Instr::Cast(_), _) => Some(dtype),
            _ => None,
        };
        let computes = operands.last().is_none_or(|from| tile::computes(instr, *from, dtype));
        made == Some(dtype) && computes
    }

    /// Adds an input.
    pub fn add_input(&mut self, dtype: DType) -> Reg {
        self.inputs.push(dtype);
        self.add(
            Instr::Input(u32::try_from(self.inputs.len() - 1).expect("a program has few inputs")),
            dtype,
        )
    }

    /// Adds an instruction whose result has this type.
    pub fn add(&mut self, instr: Instr, dtype: DType) -> Reg {
        let next = Reg(u32::try_from(self.instrs.len()).expect("a program is short"));
        self.instrs.push((instr, dtype));
        next
    }

    /// Makes a value an output.
    pub fn add_output(&mut self, reg: Reg) {
        self.outputs.push(reg);
    }

    /// Adds another program whose inputs are these values, and gives the values of its outputs.
    pub fn inline(&mut self, other: &Program, inputs: &[Reg]) -> Vec<Reg> {
        let mut regs = Vec::with_capacity(other.instrs.len());
        for (instr, dtype) in &other.instrs {
            regs.push(match instr {
                Instr::Input(i) => inputs[*i as usize],
                instr => self.add(instr.with_operands(|reg| regs[reg.0 as usize]), *dtype),
            });
        }
        other.outputs.iter().map(|reg| regs[reg.0 as usize]).collect()
    }
}

impl Program {
    /// An instruction as it prints.
    fn line(&self, at: usize) -> String {
        let (instr, dtype) = self.instrs[at];
        let work = match instr {
            Instr::Input(i) => format!("in{i}"),
            Instr::Const(c) => format!("{c:?}"),
            Instr::Unary(op, a) => format!("{op:?} {a:?}"),
            Instr::Binary(op, a, b) => format!("{op:?} {a:?} {b:?}"),
            Instr::Compare(op, a, b) => format!("{op:?} {a:?} {b:?}"),
            Instr::Select(c, a, b) => format!("Select {c:?} {a:?} {b:?}"),
            Instr::Cast(a) => format!("Cast {a:?}"),
        };
        format!("r{at}: {} = {work}", dtype.rust_name())
    }
}

/// One instruction a line: `r2: f32 = Mul r0 r1`.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in 0..self.instrs.len() {
            writeln!(f, "{}", self.line(at))?;
        }
        writeln!(f, "out {:?}", self.outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BinaryOp, CompareOp, Scalar, UnaryOp};
    use super::*;

    #[test]
    fn a_program_prints_and_inlines() {
        let square = Program::build(&[DType::F32], |x| vec![x[0] * x[0]]);
        assert_eq!(format!("{square:?}"), "r0: f32 = in0\nr1: f32 = Mul r0 r0\nout [r1]\n");
        let mut twice = Program::default();
        let x = twice.add_input(DType::F32);
        let y = twice.inline(&square, &[x])[0];
        let z = twice.inline(&square, &[y])[0];
        twice.add_output(z);
        assert_eq!(
            format!("{twice:?}"),
            "r0: f32 = in0\nr1: f32 = Mul r0 r0\nr2: f32 = Mul r1 r1\nout [r2]\n"
        );
    }

    #[test]
    fn instructions_that_lie_are_found() {
        let lie = |instr: Instr, dtype| {
            let mut program = Program::default();
            program.add_input(DType::F32);
            program.add_input(DType::U8);
            program.add(instr, dtype);
            program.check().unwrap_err()
        };
        let (x, byte, later) = (Reg(0), Reg(1), Reg(2));
        let neg = UnaryOp::Neg;
        assert_eq!(lie(Instr::Unary(neg, x), DType::F64), "r2: f64 = Neg r0");
        assert_eq!(lie(Instr::Unary(neg, later), DType::F32), "r2: f32 = Neg r2");
        assert_eq!(lie(Instr::Unary(UnaryOp::Exp, byte), DType::U8), "r2: u8 = Exp r1");
        assert_eq!(lie(Instr::Input(1), DType::Bool), "r2: bool = in1");
        assert_eq!(lie(Instr::Input(2), DType::F32), "r2: f32 = in2");
        assert_eq!(lie(Instr::Select(byte, x, x), DType::F32), "r2: f32 = Select r1 r0 r0");
        assert_eq!(lie(Instr::Binary(BinaryOp::Add, x, byte), DType::F32), "r2: f32 = Add r0 r1");
        let compare = Instr::Compare(CompareOp::Gt, x, x);
        assert_eq!(lie(compare, DType::F32), "r2: f32 = Gt r0 r0");
        assert_eq!(lie(Instr::Const(Scalar::F32(1.0)), DType::I32), "r2: i32 = 1.0f32");
        let mut program = Program::default();
        program.add_output(Reg(0));
        assert_eq!(program.check().unwrap_err(), "out r0");
        let sound = Program::build(&[DType::U8], |x| vec![x[0].cast(DType::Bool), x[0] + x[0]]);
        assert_eq!(sound.check(), Ok(()));
    }
}
