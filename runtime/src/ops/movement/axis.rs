//! Axes of one element that come and go, and axes that change places or direction. Knows no element types.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, OpRef, Specs, Tensor, apply, raise,
};
use crate::kernels::{self, Lowering, View};
use crate::ops::axes::{self, Axes};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, Dim, Shape, Spec};
use smallvec::{SmallVec, smallvec};

impl Tensor {
    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this; `()` reverses the order.
    ///
    /// # Panics
    /// Raises an error unless each axis is given once.
    #[track_caller]
    pub fn transpose(&self, axes: impl Into<Axes>) -> Tensor {
        let (axes, rank) = (axes.into(), self.rank());
        let perm = match axes == Axes::from(()) {
            true => Ok((0..rank).rev().collect()),
            false => axes.among("transpose", rank),
        };
        match perm {
            Ok(perm) => apply(Transpose { perm }, &[self], "transpose"),
            Err(error) => raise(error),
        }
    }

    /// The last two axes swapped: a matrix transposed, or each of many.
    ///
    /// # Panics
    /// Raises an error if there are fewer than two axes.
    #[track_caller]
    pub fn t(&self) -> Tensor {
        let rank = self.rank();
        if rank < 2 {
            let message = format!("`t` needs at least two axes, found {}", self.spec());
            raise(
                Error::new(ErrorKind::Shape, message)
                    .with_help("make a column of a vector: `x.expand_dims(1)`"),
            );
        }
        let perm = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
        apply(Transpose { perm }, &[self], "transpose")
    }

    /// New axes of size 1, at these places of the result.
    ///
    /// # Panics
    /// Raises an error for a place that the result does not have, or `()`.
    #[track_caller]
    pub fn expand_dims(&self, axes: impl Into<Axes>) -> Tensor {
        match new_axes(&axes.into(), self.rank()) {
            Ok(axes) => apply(ExpandDims { axes }, &[self], "ExpandDims"),
            Err(error) => raise(error),
        }
    }

    /// Without these axes of size 1; `()` stands for all axes that are known to have size 1.
    ///
    /// # Panics
    /// Raises an error for an axis of another size, or of a size that is unknown while tracing.
    #[track_caller]
    pub fn squeeze(&self, axes: impl Into<Axes>) -> Tensor {
        let axes = axes.into();
        let chosen = match axes == Axes::from(()) {
            true => Ok((0..self.rank()).filter(|axis| self.shape()[*axis] == 1).collect()),
            false => axes.ascending("squeeze", self.rank()),
        };
        match chosen {
            Ok(axes) => apply(Squeeze { axes }, &[self], "Squeeze"),
            Err(error) => raise(error),
        }
    }

    /// The elements in the opposite order along these axes.
    ///
    /// # Panics
    /// Raises an error for an axis that is out of range or given twice.
    #[track_caller]
    pub fn flip(&self, axes: impl Into<Axes>) -> Tensor {
        match axes.into().ascending("flip", self.rank()) {
            Ok(axes) => apply(Reverse { axes }, &[self], "ReverseV2"),
            Err(error) => raise(error),
        }
    }
}

on_variables![
    transpose(axes: impl Into<Axes>) -> Tensor,
    t() -> Tensor,
    expand_dims(axes: impl Into<Axes>) -> Tensor,
    squeeze(axes: impl Into<Axes>) -> Tensor,
    flip(axes: impl Into<Axes>) -> Tensor,
];

/// The places of new axes in a result that has them and the axes of this rank.
fn new_axes(axes: &Axes, rank: usize) -> Result<kernels::Axes> {
    match axes.count() {
        Some(count) => axes.ascending("expand_dims", rank + count),
        None => Err(Error::new(
            ErrorKind::Index,
            "`expand_dims` needs the places of the new axes, found `()`",
        )
        .with_help("write `x.expand_dims(0)` for a new first axis, -1 for a new last one")),
    }
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Transpose",
        make: |attrs| Ok(Transpose { perm: axes::parsed(attrs, "perm")? }.into()),
        samples: || on_axes(&[2, 0, 1], &[2, 3, 4], |perm| Transpose { perm }.into()),
    },
    Entry {
        name: "ExpandDims",
        make: |attrs| Ok(ExpandDims { axes: axes::parsed(attrs, "axes")? }.into()),
        samples: || on_axes(&[0, 2], &[2, 3], |axes| ExpandDims { axes }.into()),
    },
    Entry {
        name: "Squeeze",
        make: |attrs| Ok(Squeeze { axes: axes::parsed(attrs, "axes")? }.into()),
        samples: || on_axes(&[0, 2], &[1, 3, 1, 2], |axes| Squeeze { axes }.into()),
    },
    Entry {
        name: "ReverseV2",
        make: |attrs| Ok(Reverse { axes: axes::parsed(attrs, "axes")? }.into()),
        samples: || on_axes(&[0, 2], &[2, 3, 4], |axes| Reverse { axes }.into()),
    },
];

fn on_axes(
    axes: &[usize],
    sizes: &[usize],
    op: fn(kernels::Axes) -> OpRef,
) -> Vec<crate::graph::Sample> {
    ALL.iter().map(|dtype| call(op(axes.into()), [varied(*dtype, sizes)])).collect()
}

/// A view that begins at the first element, and whose axes follow these of the input, or are new.
fn following(rank: usize, axes: impl Iterator<Item = Option<usize>>) -> Lowered<'static> {
    let axes = axes.map(|axis| axis.map(|axis| (axis, 1))).collect();
    Lowered::Kernel(Lowering::View(View::Strided { starts: smallvec![0; rank], axes }))
}

/// The axes in another order.
#[derive(Debug)]
struct Transpose {
    /// For each axis of the output that of the input.
    perm: kernels::Axes,
}

impl Op for Transpose {
    fn name(&self) -> &'static str {
        "Transpose"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("perm", &self.perm[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let shape = inputs[0].shape();
        let perm = Axes::from(&self.perm[..]).among("transpose", shape.rank())?;
        if perm.len() != shape.rank() {
            let message = format!(
                "`transpose` needs each of {} axes once, found {:?}",
                shape.rank(),
                &perm[..]
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("name all axes in their new order, or use `t` to swap the last two"));
        }
        Ok(smallvec![
            inputs[0].with_shape(Shape::new(perm.iter().map(|axis| shape[*axis].clone())))
        ])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let mut back: SmallVec<[usize; 4]> = smallvec![0; self.perm.len()];
        self.perm.iter().enumerate().for_each(|(to, from)| back[*from] = to);
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.transpose(&back[..]))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        following(self.perm.len(), self.perm.iter().map(|axis| Some(*axis)))
    }
}

/// New axes of one element.
#[derive(Debug)]
struct ExpandDims {
    /// Their places in the output, ascending.
    axes: kernels::Axes,
}

impl Op for ExpandDims {
    fn name(&self) -> &'static str {
        "ExpandDims"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axes", &self.axes[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let axes = new_axes(&Axes::from(&self.axes[..]), inputs[0].rank())?;
        let mut dims = inputs[0].shape().dims().to_vec();
        axes.iter().for_each(|axis| dims.insert(*axis, Dim::Known(1)));
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims))])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.squeeze(&self.axes[..]))])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let mut own = 0..inputs[0].rank();
        let axes = (0..outputs[0].rank())
            .map(|axis| if self.axes.contains(&axis) { None } else { own.next() });
        following(inputs[0].rank(), axes)
    }
}

/// Axes of one element taken away.
#[derive(Debug)]
struct Squeeze {
    /// Their places in the input, ascending.
    axes: kernels::Axes,
}

impl Op for Squeeze {
    fn name(&self) -> &'static str {
        "Squeeze"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axes", &self.axes[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let shape = inputs[0].shape();
        let axes = Axes::from(&self.axes[..]).ascending("squeeze", shape.rank())?;
        if let Some(axis) = axes.iter().find(|axis| shape[**axis] != 1) {
            let message = format!("`squeeze` needs axes of size 1, found axis {axis} of {shape:?}");
            return Err(Error::new(ErrorKind::Shape, message).with_help(
                "select one element of the axis with `index`, or merge axes with `reshape`",
            ));
        }
        let kept = (0..shape.rank()).filter(|axis| !axes.contains(axis));
        Ok(smallvec![inputs[0].with_shape(Shape::new(kept.map(|axis| shape[axis].clone())))])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.expand_dims(&self.axes[..]))])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let kept = (0..inputs[0].rank()).filter(|axis| !self.axes.contains(axis));
        following(inputs[0].rank(), kept.map(Some))
    }
}

/// The opposite order along some axes.
#[derive(Debug)]
struct Reverse {
    axes: kernels::Axes,
}

impl Op for Reverse {
    fn name(&self) -> &'static str {
        "ReverseV2"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axes", &self.axes[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Axes::from(&self.axes[..]).among("flip", inputs[0].rank())?;
        Ok(smallvec![inputs[0]])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![call.grads[0].as_ref().map(|g| g.flip(&self.axes[..]))])
    }

    fn lower(&self, inputs: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let sizes = inputs[0].sizes();
        let turned = |axis: usize| self.axes.contains(&axis);
        let starts = (0..sizes.len())
            .map(|axis| if turned(axis) { sizes[axis].saturating_sub(1) } else { 0 });
        let axes = (0..sizes.len()).map(|axis| Some((axis, if turned(axis) { -1 } else { 1 })));
        Lowered::Kernel(Lowering::View(View::Strided {
            starts: starts.collect(),
            axes: axes.collect(),
        }))
    }
}
