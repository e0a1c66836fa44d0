//! What a loss of two tensors of one shape is as a row, and how rows become functions and ops. Knows no particular row.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Gradient, Lowered, Op, OpRef, Sample, Specs, Tensor, apply, or_raise,
};
use crate::ops::movement::count;
use crate::ops::operand::Operand;
use crate::ops::pure::pure;
use crate::ops::rows::{check_type, different_types};
use crate::ops::samples::{call, shaped};
use crate::types::{DType, Dim, FLOATS, Shape, Spec};
use smallvec::smallvec;
use std::fmt;

/// A loss of two tensors of one shape, reduced along the last axis.
pub struct Loss {
    /// What the op is called.
    pub name: &'static str,
    /// The function, for messages.
    pub method: &'static str,
    /// What its two inputs are called in messages.
    pub inputs: [&'static str; 2],
    /// What each element adds.
    pub each: fn(&Tensor, &Tensor) -> Tensor,
    /// How the elements of an example become one number.
    pub over: Over,
    /// Its gradient.
    pub grad: Rule,
    /// Where tests try it, at ordinary and singular points.
    pub samples: &'static [Pairs],
}

/// Sizes, and pairs of elements.
pub type Pairs = (&'static [usize], &'static [(f64, f64)]);

/// How the elements of an example, which lie along the last axis, become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Their mean; a scalar is its own.
    Mean,
    /// Their sum: what is compared are distributions.
    Sum,
}

/// The gradient of a loss.
#[derive(Clone, Copy)]
pub enum Rule {
    /// That of its expansion.
    Expand,
    /// Of both inputs, from that of each element, which has size 1 along the last axis, and the inputs.
    Of(fn(&Tensor, &Tensor, &Tensor) -> [Tensor; 2]),
}

/// Makes rows into statics, table entries and functions.
macro_rules! losses {
    [$($method:ident($first:ident, $second:ident) = Loss { name: $name:literal, doc: $doc:literal, $($field:ident: $value:expr),* $(,)? }),* $(,)?] => {
        static LOSSES: &[Loss] =
            &[$(Loss {
                name: $name,
                method: stringify!($method),
                inputs: [stringify!($first), stringify!($second)],
                $($field: $value),*
            }),*];

        #[allow(non_camel_case_types)]
        enum Row { $($method),* }

        pub(super) const OPS: &[Entry] = &[$(Entry {
            name: $name,
            make: |_| Ok(OpRef::Static(&LOSSES[Row::$method as usize])),
            samples: || samples(&LOSSES[Row::$method as usize]),
        }),*];

        $(
            #[doc = $doc]
            ///
            /// # Panics
            /// Raises an error if the two are not floats of one type and one shape.
            #[track_caller]
            pub fn $method($first: &Tensor, $second: impl Operand) -> Tensor {
                compare(&LOSSES[Row::$method as usize], $first, &$second)
            }
        )*
    };
}
pub(super) use losses;

/// Applies a loss.
#[track_caller]
pub(super) fn compare(row: &'static Loss, first: &Tensor, second: &impl Operand) -> Tensor {
    let second = or_raise(second.operand(first.dtype()));
    apply(OpRef::Static(row), &[first, &second], row.method)
}

/// Checks that two inputs are floats of one type and one shape.
///
/// # Errors
/// If they are not, or if it is not known while tracing.
pub(super) fn check_pair(op: &str, called: [&str; 2], inputs: &[Spec]) -> Result<()> {
    let [a, b] = [inputs[0], inputs[1]];
    if a.dtype() != b.dtype() {
        return Err(different_types(op, a, b));
    }
    check_type(op, a.dtype(), FLOATS)?;
    if a.shape() == b.shape() {
        return Ok(());
    }
    let [first, second] = called;
    let message = format!(
        "`{op}` needs {first} and {second} of one shape, found {:?} and {:?}",
        a.shape(),
        b.shape()
    );
    Err(match undecided(a.shape(), b.shape()) {
        Some((x, y)) => Error::new(
            ErrorKind::Shape,
            format!("{message}: whether {x} equals {y} is not known while tracing"),
        )
        .with_help(
            "give equal sizes one name in the signature, as in `signature(x: f32[n], y: f32[n])`",
        ),
        None => Error::new(ErrorKind::Shape, message).with_help(
            "nothing broadcasts in a loss: use `squeeze`, `expand_dims` or `reshape` on one of them",
        ),
    })
}

/// The first sizes that differ, if they and all others may yet turn out to be equal.
fn undecided<'a>(a: &'a Shape, b: &'a Shape) -> Option<(&'a Dim, &'a Dim)> {
    let mut differing = a.dims().iter().zip(b.dims()).filter(|(x, y)| x != y);
    let is_open =
        a.rank() == b.rank() && differing.clone().all(|(x, y)| x.known().or(y.known()).is_none());
    is_open.then(|| differing.next()).flatten()
}

/// The shape of what is left for each example.
pub(super) fn of_examples(shape: &Shape) -> Shape {
    Shape::new(shape.dims()[..shape.rank().saturating_sub(1)].iter().cloned())
}

/// The mean along the last axis, if there is one.
pub(super) fn mean_of_examples(each: &Tensor) -> Tensor {
    if each.rank() == 0 { each.clone() } else { each.mean_axis(-1) }
}

/// Checks that there is an axis of classes.
///
/// # Errors
/// If the tensor is a scalar.
pub(super) fn check_classes(op: &str, called: &str, x: Spec) -> Result<()> {
    if x.rank() > 0 {
        return Ok(());
    }
    let message = format!("`{op}` needs {called} with an axis of classes, found {x}");
    Err(Error::new(ErrorKind::Shape, message)
        .with_help("classes lie along the last axis, and a scalar has none"))
}

impl Op for Loss {
    fn name(&self) -> &'static str {
        self.name
    }

    fn attrs(&self) -> Attrs {
        Attrs::none()
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        check_pair(self.method, self.inputs, inputs)?;
        if self.over == Over::Sum {
            check_classes(self.method, self.inputs[0], inputs[0])?;
        }
        Ok(smallvec![inputs[0].with_shape(of_examples(inputs[0].shape()))])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let (Some(g), [x, y]) = (&call.grads[0], call.inputs) else { return Gradient::None };
        let Rule::Of(rule) = self.grad else { return Gradient::Expand };
        let Some(last) = x.rank().checked_sub(1) else {
            return Gradient::Inputs(rule(g, x, y).map(Some).into());
        };
        let g = g.expand_dims(-1);
        let g = match self.over {
            Over::Mean => g / count(x, &[last], x.dtype()),
            Over::Sum => g,
        };
        Gradient::Inputs(rule(&g, x, y).map(Some).into())
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let each = (self.each)(&inputs[0], &inputs[1]);
            vec![match self.over {
                Over::Mean => mean_of_examples(&each),
                Over::Sum => each.sum_axis(-1),
            }]
        }))
    }
}

impl fmt::Debug for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The calls at which tests try a row.
pub(super) fn samples(row: &'static Loss) -> Vec<Sample> {
    let of_type = |dtype: DType| {
        row.samples.iter().map(move |(sizes, pairs)| {
            let first = shaped(dtype, sizes, pairs.iter().map(|it| it.0));
            let second = shaped(dtype, sizes, pairs.iter().map(|it| it.1));
            call(OpRef::Static(row), [first, second])
        })
    };
    FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
}
