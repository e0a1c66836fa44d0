//! A lane program: straight-line code that computes one element of each output from one element of each input.
//! Knows no loops; interpreting and assembling are its readers.

use super::lane::push;
use super::{Instr, Lane, Reg};
use crate::types::DType;
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

/// One instruction a line: `r2: f32 = Mul r0 r1`.
impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (instr, dtype)) in self.instrs.iter().enumerate() {
            write!(f, "r{i}: {} = ", dtype.rust_name())?;
            match instr {
                Instr::Input(i) => writeln!(f, "in{i}")?,
                Instr::Const(c) => writeln!(f, "{c:?}")?,
                Instr::Unary(op, a) => writeln!(f, "{op:?} {a:?}")?,
                Instr::Binary(op, a, b) => writeln!(f, "{op:?} {a:?} {b:?}")?,
                Instr::Compare(op, a, b) => writeln!(f, "{op:?} {a:?} {b:?}")?,
                Instr::Select(c, a, b) => writeln!(f, "Select {c:?} {a:?} {b:?}")?,
                Instr::Cast(a) => writeln!(f, "Cast {a:?}")?,
            }
        }
        writeln!(f, "out {:?}", self.outputs)
    }
}

#[cfg(test)]
mod tests {
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
}
