//! Tensors joined along an axis, and the parts of what was joined. Knows the sizes of the parts from the tensors themselves.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Backward, Entry, Gradient, Lowered, Op, Specs, Tensor, apply, raise};
use crate::kernels::{Lowering, View};
use crate::ops::axes;
use crate::ops::broadcast::zeros_like;
use crate::ops::pure::pure;
use crate::ops::rows::different_types;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, DType, Dim, Shape, Spec};
use smallvec::smallvec;
use std::borrow::Borrow;

/// Tensors one after the other along an axis; their other sizes are equal.
///
/// ```
/// use graphfn::prelude::*;
///
/// let (a, b) = (Tensor::from([[1, 2], [3, 4]]), Tensor::from([[5], [6]]));
/// assert_eq!(concat(&[a, b], 1).to_vec::<i32>(), [1, 2, 5, 3, 4, 6]);
/// ```
///
/// # Panics
/// Raises an error if there are none, if their types, ranks or other sizes differ, and for scalars.
#[track_caller]
pub fn concat<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Tensor {
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    match axis_of("concat", &tensors, axis, 0) {
        Ok(axis) => apply(Concat { axis }, &tensors, "concat"),
        Err(error) => raise(error),
    }
}

/// Tensors of one shape side by side along a new axis, at this place of the result.
///
/// ```
/// use graphfn::prelude::*;
///
/// let (a, b) = (Tensor::from([1, 2, 3]), Tensor::from([4, 5, 6]));
/// assert_eq!(stack(&[&a, &b], 0).shape().to_string(), "(2, 3)");
/// assert_eq!(stack(&[&a, &b], -1).to_vec::<i32>(), [1, 4, 2, 5, 3, 6]);
/// ```
///
/// # Panics
/// Raises an error if there are none, or if their types or shapes differ.
#[track_caller]
pub fn stack<T: Borrow<Tensor>>(tensors: &[T], axis: isize) -> Tensor {
    let tensors: Vec<&Tensor> = tensors.iter().map(Borrow::borrow).collect();
    match axis_of("stack", &tensors, axis, 1) {
        Ok(axis) => apply(Pack { axis }, &tensors, "stack"),
        Err(error) => raise(error),
    }
}

fn axis_of(op: &str, tensors: &[&Tensor], axis: isize, new: usize) -> Result<usize> {
    let first = tensors.first().ok_or_else(|| nothing(op))?;
    axes::one(op, axis, first.rank() + new)
}

fn nothing(op: &str) -> Error {
    Error::new(ErrorKind::Shape, format!("`{op}` needs at least one tensor, found none"))
        .with_help("an empty list has no element type and no shape")
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "ConcatV2",
        make: |attrs| Ok(Concat { axis: axes::number(attrs, "axis")? }.into()),
        samples: || {
            let one = |dtype: &DType| {
                let parts = [[2, 1], [2, 3], [2, 0], [2, 2]];
                call(Concat { axis: 1 }, parts.map(|sizes| varied(*dtype, &sizes)))
            };
            ALL.iter().map(one).collect()
        },
    },
    Entry {
        name: "ConcatPart",
        make: |attrs| {
            Ok(ConcatPart {
                axis: axes::number(attrs, "axis")?,
                part: axes::number(attrs, "part")?,
            }
            .into())
        },
        samples: || {
            let parts = || [[2, 6], [2, 1], [2, 3], [2, 2]].map(|sizes| varied(DType::F32, &sizes));
            (0..3).map(|part| call(ConcatPart { axis: 1, part }, parts())).collect()
        },
    },
    Entry {
        name: "Pack",
        make: |attrs| Ok(Pack { axis: axes::number(attrs, "axis")? }.into()),
        samples: || {
            let one = |dtype: &DType| {
                call(Pack { axis: 1 }, [[2, 3], [2, 3]].map(|sizes| varied(*dtype, &sizes)))
            };
            ALL.iter().map(one).collect()
        },
    },
];

/// The shape of tensors joined along an axis.
fn joined(axis: usize, inputs: &[Spec]) -> Result<Shape> {
    let first = *inputs.first().ok_or_else(|| nothing("concat"))?;
    axes::one("concat", axis.cast_signed(), first.rank())?;
    let mut dims = first.shape().dims().to_vec();
    for input in &inputs[1..] {
        if input.dtype() != first.dtype() {
            return Err(different_types("concat", first, *input));
        }
        let fits = input.rank() == first.rank()
            && (0..dims.len()).all(|at| at == axis || dims[at] == input.shape()[at]);
        if !fits {
            return Err(other_sizes(axis, first, *input));
        }
        dims[axis] = dims[axis].plus(&input.shape()[axis]).expect("a sum of sizes is not negative");
    }
    Ok(Shape::new(dims))
}

fn other_sizes(axis: usize, first: Spec, other: Spec) -> Error {
    let message = format!(
        "`concat` needs equal sizes but along axis {axis}, found {:?} and {:?}",
        first.shape(),
        other.shape()
    );
    Error::new(ErrorKind::Shape, message)
        .with_help("join along another axis, or `reshape`, `slice` or `pad` first")
}

/// Tensors one after the other.
#[derive(Debug)]
struct Concat {
    axis: usize,
}

impl Op for Concat {
    fn name(&self) -> &'static str {
        "ConcatV2"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let shape = joined(self.axis, inputs)?;
        Ok(smallvec![inputs[0].with_shape(shape)])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let whole: Vec<&Tensor> = std::iter::once(g).chain(call.inputs).collect();
        let one =
            |part: usize| Some(apply(ConcatPart { axis: self.axis, part }, &whole, "ConcatPart"));
        Gradient::Inputs((0..call.inputs.len()).map(one).collect())
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Concat { axis: self.axis })
    }
}

/// The part of the first input that came from one of the others, which were joined to it.
#[derive(Debug)]
struct ConcatPart {
    axis: usize,
    /// Which of the others.
    part: usize,
}

impl Op for ConcatPart {
    fn name(&self) -> &'static str {
        "ConcatPart"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("part", self.part)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [whole, parts @ ..] = inputs else { return Err(nothing("concat")) };
        let shape = joined(self.axis, parts)?;
        match parts.get(self.part) {
            Some(part) if shape == *whole.shape() => Ok(smallvec![whole.with_shape(part.shape())]),
            _ => {
                let message = format!(
                    "the gradient of `concat` needs a tensor of shape {shape:?} and a part below {}, found {:?} and {}",
                    parts.len(),
                    whole.shape(),
                    self.part
                );
                Err(Error::new(ErrorKind::Shape, message)
                    .with_help("give what the other inputs join to"))
            }
        }
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let mut parts: Vec<Tensor> = call.inputs[1..].iter().map(zeros_like).collect();
        parts[self.part] = g.clone();
        let mut grads = vec![None; call.inputs.len()];
        grads[0] = Some(concat(&parts, self.axis.cast_signed()));
        Gradient::Inputs(grads)
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let before = &inputs[1..=self.part];
        let mut starts = smallvec![0; inputs[0].rank()];
        starts[self.axis] = before.iter().map(|part| part.sizes()[self.axis]).sum();
        let axes = (0..inputs[0].rank()).map(|axis| Some((axis, 1))).collect();
        Lowered::Kernel(Lowering::View(View::Strided { starts, axes }))
    }
}

/// Tensors side by side along a new axis.
#[derive(Debug)]
struct Pack {
    axis: usize,
}

impl Op for Pack {
    fn name(&self) -> &'static str {
        "Pack"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let first = *inputs.first().ok_or_else(|| nothing("stack"))?;
        axes::one("stack", self.axis.cast_signed(), first.rank() + 1)?;
        if let Some(other) = inputs.iter().find(|it| it.dtype() != first.dtype()) {
            return Err(different_types("stack", first, *other));
        }
        if let Some(other) = inputs.iter().find(|it| it.shape() != first.shape()) {
            let message = format!(
                "`stack` needs equal shapes, found {:?} and {:?}",
                first.shape(),
                other.shape()
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("use `concat` for parts of unequal size"));
        }
        let mut dims = first.shape().dims().to_vec();
        dims.insert(self.axis, Dim::Known(inputs.len()));
        Ok(smallvec![first.with_shape(Shape::new(dims))])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let one = |at: usize| Some(g.index(self.axis.cast_signed(), at.cast_signed()));
        Gradient::Inputs((0..call.inputs.len()).map(one).collect())
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let slabs: Vec<Tensor> = inputs.iter().map(|it| it.expand_dims(self.axis)).collect();
            vec![concat(&slabs, self.axis.cast_signed())]
        }))
    }
}
