//! What an element-wise op is as a row, and how rows become methods, ops and table entries. Knows no particular row.

use super::broadcast::{broadcast, sum_like};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Op, OpRef, Sample, Specs, Tensor,
};
use crate::kernels::Lowering;
use crate::kernels::lanes::{Lane, Program, Scalar};
use crate::types::{DType, Spec};
use crate::value::Value;
use smallvec::smallvec;
use std::fmt;

/// The element type of an op's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// That of the inputs.
    Same,
    /// Truth values.
    Bool,
}

/// An element-wise op of one input.
pub struct Unary {
    /// What the op is called.
    pub name: &'static str,
    /// What its method is called, which is how messages name it.
    pub method: &'static str,
    /// One sentence: the doc of its method.
    pub doc: &'static str,
    /// The element types that it takes.
    pub types: &'static [DType],
    /// The element type that it gives.
    pub output: Output,
    /// One element of the output from one of the input.
    pub eval: for<'p> fn(Lane<'p>) -> Lane<'p>,
    /// The gradient of the input, from that of the output, the input and the output. `None` says that there is none.
    pub grad: Option<fn(&Tensor, &Tensor, &Tensor) -> Tensor>,
    /// Where tests try it, ordinary and singular points.
    pub samples: &'static [f64],
}

/// A gradient rule of two inputs: from the output's gradient, the inputs and the output to the inputs' gradients.
type BinaryGradient = fn(&Tensor, &Tensor, &Tensor, &Tensor) -> [Option<Tensor>; 2];

/// An element-wise op of two inputs, which broadcast.
pub struct Binary {
    /// What the op is called.
    pub name: &'static str,
    /// What its method is called, which is how messages name it.
    pub method: &'static str,
    /// What nodes made by its method are called: TensorFlow's function name.
    pub label: &'static str,
    /// One sentence: the doc of its method.
    pub doc: &'static str,
    /// The element types that it takes; both inputs have the same.
    pub types: &'static [DType],
    /// The element type that it gives.
    pub output: Output,
    /// One element of the output from one of each input.
    pub eval: for<'p> fn(Lane<'p>, Lane<'p>) -> Lane<'p>,
    /// The gradients of the inputs at the output's shape, from that of the output, the inputs and the output.
    pub grad: Option<BinaryGradient>,
    /// Pairs at which tests try it, ordinary and singular points.
    pub samples: &'static [(f64, f64)],
}

/// Makes rows into statics, and methods of `Tensor` and `Variable`.
macro_rules! unary {
    [$($method:ident = Unary { name: $name:literal, doc: $doc:literal, $($field:ident: $value:expr),* $(,)? }),* $(,)?] => {
        /// The rows, in order.
        pub static UNARY: &[Unary] = &[$(
            Unary { name: $name, method: stringify!($method), doc: $doc, $($field: $value),* }
        ),*];

        #[allow(non_camel_case_types)]
        enum Row { $($method),* }

        impl Tensor {$(
            #[doc = $doc]
            #[track_caller]
            pub fn $method(&self) -> Tensor {
                apply(OpRef::Static(&UNARY[Row::$method as usize]), &[self], $name)
            }
        )*}

        impl Variable {$(
            #[doc = $doc]
            #[track_caller]
            pub fn $method(&self) -> Tensor {
                self.read().$method()
            }
        )*}
    };
}
pub(super) use unary;

/// As `unary`, for ops of two inputs.
macro_rules! binary {
    [$($method:ident = Binary { name: $name:literal, label: $label:literal, doc: $doc:literal, $($field:ident: $value:expr),* $(,)? }),* $(,)?] => {
        /// The rows, in order.
        pub static BINARY: &[Binary] = &[$(
            Binary { name: $name, method: stringify!($method), label: $label, doc: $doc, $($field: $value),* }
        ),*];

        #[allow(non_camel_case_types)]
        enum BinaryRow { $($method),* }

        $(
            /// The op's row, for operators.
            #[allow(dead_code, non_upper_case_globals)]
            pub(super) mod $method {
                pub fn row() -> &'static super::Binary {
                    &super::BINARY[super::BinaryRow::$method as usize]
                }
            }
        )*

        impl Tensor {$(
            #[doc = $doc]
            #[track_caller]
            pub fn $method(&self, other: impl Operand) -> Tensor {
                apply_binary($method::row(), self, &other, $label)
            }
        )*}

        impl Variable {$(
            #[doc = $doc]
            #[track_caller]
            pub fn $method(&self, other: impl Operand) -> Tensor {
                self.read().$method(other)
            }
        )*}
    };
}
pub(super) use binary;

impl Output {
    fn of(self, input: DType) -> DType {
        match self {
            Output::Same => input,
            Output::Bool => DType::Bool,
        }
    }
}

/// The complaint about an element type that an op does not take.
pub(super) fn check_type(op: &str, found: DType, allowed: &[DType]) -> Result<()> {
    if allowed.contains(&found) {
        return Ok(());
    }
    let names: Vec<&str> = allowed.iter().map(|it| it.name()).collect();
    let message = format!("`{op}` takes {}, found {found}", names.join(", "));
    let to = allowed[0];
    Err(Error::new(ErrorKind::Type, message)
        .with_help(format!("convert first: `.cast(DType::{to:?})`")))
}

impl Op for Unary {
    fn name(&self) -> &'static str {
        self.name
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_type(self.method, inputs[0].dtype(), self.types)?;
        Ok(smallvec![inputs[0].with_dtype(self.output.of(inputs[0].dtype()))])
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        match (self.grad, &call.grads[0]) {
            (Some(grad), Some(g)) => {
                Gradient::Inputs(vec![Some(grad(g, &call.inputs[0], &call.outputs[0]))])
            }
            _ => Gradient::None,
        }
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Lanes(Program::build(&[inputs[0].dtype()], |x| {
            vec![(self.eval)(x[0])]
        })))
    }
}

impl Op for Binary {
    fn name(&self) -> &'static str {
        self.name
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [a, b] = [inputs[0], inputs[1]];
        if a.dtype() != b.dtype() {
            return Err(different_types(self.method, a, b));
        }
        check_type(self.method, a.dtype(), self.types)?;
        let shape = broadcast(self.method, a.shape(), b.shape())?;
        Ok(smallvec![Spec::new(self.output.of(a.dtype()), shape)])
    }

    fn kind(&self) -> Kind {
        Kind::Elementwise
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        if self.program(inputs[0].dtype()).can_fault() { Effects::FAILS } else { Effects::NONE }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(grad), Some(g)) = (self.grad, &call.grads[0]) else { return Gradient::None };
        let [a, b] = grad(g, &call.inputs[0], &call.inputs[1], &call.outputs[0]);
        Gradient::Inputs(vec![
            a.map(|it| sum_like(&it, &call.inputs[0])),
            b.map(|it| sum_like(&it, &call.inputs[1])),
        ])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Lanes(self.program(inputs[0].dtype())))
    }
}

impl Binary {
    fn program(&self, dtype: DType) -> Program {
        Program::build(&[dtype, dtype], |x| vec![(self.eval)(x[0], x[1])])
    }
}

/// The complaint about two element types where there must be one.
pub(super) fn different_types(op: &str, a: Spec, b: Spec) -> Error {
    let message = format!("`{op}` needs one element type, found {a} and {b}");
    Error::new(ErrorKind::Type, message).with_help(format!(
        "nothing is converted by itself: write `.cast(DType::{:?})` on one of them",
        a.dtype()
    ))
}

impl fmt::Debug for Unary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A tensor of these numbers.
pub(super) fn sample(dtype: DType, numbers: impl Iterator<Item = f64>) -> Value {
    let numbers = numbers.map(|it| Scalar::from_f64(it, dtype));
    match dtype {
        DType::F32 => numbers.map(|it| f32::from_bits(it.bits() as u32)).collect::<Vec<_>>().into(),
        DType::F64 => numbers.map(|it| f64::from_bits(it.bits())).collect::<Vec<_>>().into(),
        DType::I32 => numbers.map(|it| it.bits() as u32 as i32).collect::<Vec<_>>().into(),
        DType::I64 => numbers.map(|it| it.bits().cast_signed()).collect::<Vec<_>>().into(),
        DType::U8 => numbers.map(|it| it.bits() as u8).collect::<Vec<_>>().into(),
        DType::Bool => numbers.map(|it| it.bits() != 0).collect::<Vec<_>>().into(),
    }
}

/// The calls at which tests try a row.
pub(super) fn unary_samples(row: &'static Unary) -> Vec<Sample> {
    let call = |dtype: &DType| Sample {
        op: OpRef::Static(row),
        inputs: vec![sample(*dtype, row.samples.iter().copied())],
    };
    row.types.iter().map(call).collect()
}

/// The calls at which tests try a row: pairs of its samples, and shapes that broadcast.
pub(super) fn binary_samples(row: &'static Binary) -> Vec<Sample> {
    row.types.iter().flat_map(|dtype| binary_calls(row, *dtype)).collect()
}

fn binary_calls(row: &'static Binary, dtype: DType) -> [Sample; 3] {
    // Integer divisions and powers are tried where they do not fail.
    let fails = row.program(dtype).can_fault();
    let pairs = || row.samples.iter().filter(move |it| !fails || it.1 >= 1.0);
    let (first, second) = (pairs().map(|it| it.0), pairs().map(|it| it.1));
    let [a, b] = [sample(dtype, first), sample(dtype, second)];
    let [row_of_a, column_of_a] = [[1, a.len()], [a.len(), 1]].map(|sizes| {
        a.reshaped(Spec::new(dtype, sizes)).expect("a new value is in row-major order")
    });
    let one_b = sample(dtype, pairs().take(1).map(|it| it.1));
    let call = |a: Value, b: &Value| Sample { op: OpRef::Static(row), inputs: vec![a, b.clone()] };
    [call(a, &b), call(row_of_a, &b), call(column_of_a, &one_b)]
}
