//! What a reduction is as a row, and how rows become methods, ops and table entries. Knows no particular row.

use super::along::{Along, Reduced};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Gradient, Kind, Lowered, Op, Parsed, Sample, Specs, Tensor, apply,
    raise,
};
use crate::kernels::lanes::{Program, Scalar};
use crate::kernels::{Lowering, ReduceKind, View};
use crate::ops::axes;
use crate::ops::broadcast::broadcast_like;
use crate::ops::constant::constant;
use crate::ops::movement::flatten;
use crate::ops::refused::refused;
use crate::ops::rows::check_type;
use crate::ops::samples::{call, varied};
use crate::types::{DType, Spec};
use smallvec::smallvec;

/// A reduction: many elements to one, along some axes.
pub struct Reduction {
    /// What the op is called.
    pub name: &'static str,
    /// What nodes made by its methods are called: TensorFlow's function name.
    pub label: &'static str,
    /// The method, for messages.
    pub method: &'static str,
    /// One sentence: the doc of its method.
    pub doc: &'static str,
    /// The element types that it takes.
    pub types: &'static [DType],
    /// The element type that it gives.
    pub output: fn(DType) -> DType,
    /// What it is of no elements.
    pub empty: Empty,
    /// How it is computed.
    pub work: Work,
    /// Its gradient.
    pub grad: Rule,
}

/// What a reduction of no elements is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Empty {
    /// What the kernel or the function makes of none: the neutral element, or NaN.
    Value,
    /// A number that the kernel does not know of.
    Constant(f64),
    /// An error.
    Error,
}

/// How a reduction is computed.
#[derive(Clone, Copy)]
pub enum Work {
    /// By a kernel.
    Kernel(ReduceKind),
    /// As a function of a tensor and the axes, which stay with size 1.
    Function(fn(&Tensor, &[usize]) -> Tensor),
}

/// The gradient of a reduction.
#[derive(Clone, Copy)]
pub enum Rule {
    /// There is none.
    None,
    /// That of the function.
    Expand,
    /// From the gradient of the output, the input, the output, and the axes, which have size 1 in gradient and output.
    /// What broadcasts to the input will do.
    Of(fn(&Tensor, &Tensor, &Tensor, &[usize]) -> Tensor),
}

/// Makes rows into statics, and methods of `Tensor` and `Variable`: one for all axes, one for some.
macro_rules! reductions {
    [$(($all:ident, $some:ident) = Reduction { name: $name:literal, doc: $doc:literal, $($field:ident: $value:expr),* $(,)? }),* $(,)?] => {
        /// The rows, in order.
        pub static REDUCTIONS: &[Reduction] = &[$(
            Reduction { name: $name, method: stringify!($all), doc: $doc, $($field: $value),* }
        ),*];

        #[allow(non_camel_case_types)]
        enum Row { $($all),* }

        impl Tensor {$(
            #[doc = $doc]
            #[track_caller]
            pub fn $all(&self) -> Tensor {
                reduce(&REDUCTIONS[Row::$all as usize], self, &Along::from(()))
            }

            #[doc = concat!("As [`Tensor::", stringify!($all), "`], along these axes alone: they go away, or stay with size 1 as `KeepDims(axes)`.")]
            #[track_caller]
            pub fn $some(&self, axes: impl Into<Along>) -> Tensor {
                reduce(&REDUCTIONS[Row::$all as usize], self, &axes.into())
            }
        )*}

        on_variables![$($all() -> Tensor, $some(axes: impl Into<Along>) -> Tensor),*];
    };
}
pub(super) use reductions;

/// Applies a reduction.
#[track_caller]
pub(super) fn reduce(row: &'static Reduction, x: &Tensor, along: &Along) -> Tensor {
    if along.is_everything() && !x.shape().has_rank() {
        return reduce(row, &flatten(x), &Along::from(0));
    }
    match along.of(row.method, x.rank()) {
        Ok(reduced) => apply(Reduce { row, reduced }, &[x], row.label),
        Err(error) => raise(error),
    }
}

/// The axes in attributes.
pub(super) fn parsed(attrs: &Parsed) -> Result<Reduced> {
    Ok(Reduced { axes: axes::parsed(attrs, "axis")?, keep: attrs.bool("keep_dims")? })
}

/// The attributes that say the axes.
pub(super) fn attrs(reduced: &Reduced) -> Attrs {
    Attrs::none().with("axis", &reduced.axes[..]).with("keep_dims", reduced.keep)
}

/// The result of a reduction with its axes, which it may have dropped.
#[track_caller]
pub(super) fn with_axes(y: &Tensor, reduced: &Reduced) -> Tensor {
    if reduced.keep || reduced.axes.is_empty() {
        y.clone()
    } else {
        y.expand_dims(&reduced.axes[..])
    }
}

/// The result of a function that left its axes, without them unless they stay.
#[track_caller]
pub(super) fn without_axes(y: &Tensor, reduced: &Reduced) -> Tensor {
    if reduced.keep || reduced.axes.is_empty() { y.clone() } else { y.squeeze(&reduced.axes[..]) }
}

/// The complaint about an axis without elements.
pub(super) fn empty(op: &str, axis: usize, spec: Spec) -> Error {
    let message = format!("`{op}` needs at least one element along axis {axis}, found {spec}");
    Error::new(ErrorKind::Shape, message).with_help(
        "it has no value without elements: join a first one with `concat`, or leave the call out",
    )
}

/// A row with the axes of one call.
pub(super) struct Reduce {
    pub row: &'static Reduction,
    pub reduced: Reduced,
}

impl std::fmt::Debug for Reduce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.row.name, attrs(&self.reduced))
    }
}

impl Op for Reduce {
    fn name(&self) -> &'static str {
        self.row.name
    }

    fn attrs(&self) -> Attrs {
        attrs(&self.reduced)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let (row, x) = (self.row, inputs[0]);
        check_type(row.method, x.dtype(), row.types)?;
        axes::Axes::from(&self.reduced.axes[..]).among(row.method, x.rank())?;
        match self.reduced.empty_axis(x.shape()) {
            Some(axis) if row.empty == Empty::Error => Err(empty(row.method, axis, x)),
            _ => Ok(smallvec![Spec::new((row.output)(x.dtype()), self.reduced.shape(x.shape()))]),
        }
    }

    fn kind(&self) -> Kind {
        match self.row.work {
            Work::Kernel(_) => Kind::Reduction,
            Work::Function(_) => Kind::Composite,
        }
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        let fails = self.row.empty == Empty::Error && self.reduced.may_be_empty(inputs[0].shape());
        if fails { Effects::FAILS } else { Effects::NONE }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x]) = (&call.grads[0], call.inputs) else { return Gradient::None };
        match self.row.grad {
            Rule::Expand => Gradient::Expand,
            Rule::Of(rule) if x.dtype().is_float() => {
                let [g, y] = [g, &call.outputs[0]].map(|it| with_axes(it, &self.reduced));
                Gradient::Inputs(vec![Some(broadcast_like(
                    &rule(&g, x, &y, &self.reduced.axes),
                    x,
                ))])
            }
            Rule::Of(_) | Rule::None => Gradient::None,
        }
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let kind = match self.row.work {
            Work::Kernel(kind) => kind,
            Work::Function(function) => {
                return Lowered::Expand(Box::new(move |inputs| {
                    vec![without_axes(&function(&inputs[0], &self.reduced.axes), &self.reduced)]
                }));
            }
        };
        let (from, to) = (inputs[0], outputs[0].dtype());
        let axes = &self.reduced.axes;
        Lowered::Kernel(match (self.reduced.empty_axis(from.shape()), self.row.empty) {
            (Some(axis), Empty::Error) => return refused(empty(self.row.method, axis, from)),
            (Some(_), Empty::Constant(number)) => constant(Scalar::from_f64(number, to)),
            _ if outputs[0].is_empty() => constant(Scalar::from_f64(0.0, to)),
            _ if !axes.is_empty() => Lowering::Reduce { kind, axes: axes.clone() },
            _ if to == from.dtype() => Lowering::View(View::Reshape),
            _ => Lowering::Lanes(Program::build(&[from.dtype()], |x| vec![x[0].cast(to)])),
        })
    }
}

/// The calls at which tests try a row: each type, and several sets of axes.
pub(in crate::ops) fn samples(row: &'static Reduction) -> Vec<Sample> {
    let sets: [(&[usize], bool); 5] =
        [(&[0], false), (&[1], true), (&[0, 2], false), (&[0, 1, 2], false), (&[], true)];
    let calls = row.types.iter().flat_map(|dtype| sets.map(|(axes, keep)| (*dtype, axes, keep)));
    calls
        .map(|(dtype, axes, keep)| {
            let reduced = Reduced { axes: axes.into(), keep };
            call(Reduce { row, reduced }, [varied(dtype, &[2, 3, 4])])
        })
        .collect()
}
