//! Borders around a tensor: a constant, its mirror image, or its edge. Knows borders of known width only.

use super::range::{Slice, Taken};
use super::slice::put_back;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Kind, Lowered, Op, OpRef, Parsed, Sample, Specs,
    Tensor, apply, raise,
};
use crate::kernels::lanes::Scalar;
use crate::kernels::{self, Lowering, PadMode};
use crate::ops::forward::on_variables;
use crate::ops::operand::adapted_scalar;
use crate::ops::samples::{call, varied};
use crate::types::{ALL, DType, Dim, Element, Shape, Spec};
use smallvec::{SmallVec, smallvec};

/// What stands in the border that [`Tensor::pad`] makes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Border {
    /// A number, which adapts to the tensor's type as numbers in operators do.
    Constant(Scalar),
    /// The elements next to the edge, mirrored; the edge itself is not repeated.
    Reflect,
    /// The element at the edge.
    Edge,
}

impl<T: Element> From<T> for Border {
    fn from(constant: T) -> Border {
        Border::Constant(constant.into())
    }
}

impl Tensor {
    /// With a border: for each axis so many elements before and after, of a number or as `Border` says.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([1.0f32, 2.0, 3.0]);
    /// assert_eq!(x.pad(&[(1, 2)], 0.0).to_vec::<f32>(), [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]);
    /// assert_eq!(x.pad(&[(2, 1)], Border::Reflect).to_vec::<f32>(), [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]);
    /// assert_eq!(x.pad(&[(1, 1)], Border::Edge).to_vec::<f32>(), [1.0, 1.0, 2.0, 3.0, 3.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error unless there is a pair for each axis, if the number does not fit the type, if a mirrored border
    /// is not narrower than its axis, or if there is no edge.
    #[track_caller]
    pub fn pad(&self, widths: &[(usize, usize)], border: impl Into<Border>) -> Tensor {
        let mode = match border.into() {
            Border::Reflect => Ok(PadMode::Reflect),
            Border::Edge => Ok(PadMode::Edge),
            Border::Constant(number) => adapted_scalar(number, self.dtype()).map(PadMode::Constant),
        };
        match mode {
            Ok(mode) => {
                let op = Pad(kernels::Pad { widths: widths.into(), mode });
                let label = op.label();
                apply(op, &[self], label)
            }
            Err(error) => raise(error),
        }
    }
}

on_variables![pad(widths: &[(usize, usize)], border: impl Into<Border>) -> Tensor];

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "PadV2",
        make: |attrs| make(attrs, PadMode::Constant(attrs.scalar("constant")?)),
        samples: || samples(|dtype| PadMode::Constant(Scalar::from_f64(1.0, dtype))),
    },
    Entry {
        name: "MirrorPad",
        make: |attrs| make(attrs, PadMode::Reflect),
        samples: || samples(|_| PadMode::Reflect),
    },
    Entry {
        name: "EdgePad",
        make: |attrs| make(attrs, PadMode::Edge),
        samples: || samples(|_| PadMode::Edge),
    },
];

fn make(attrs: &Parsed, mode: PadMode) -> Result<OpRef> {
    let flat = crate::ops::axes::parsed(attrs, "paddings")?;
    let widths = flat.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or(0))).collect();
    Ok(Pad(kernels::Pad { widths, mode }).into())
}

fn samples(mode: fn(DType) -> PadMode) -> Vec<Sample> {
    let one = |dtype: &DType| {
        let op = Pad(kernels::Pad { widths: smallvec![(1, 2), (3, 0)], mode: mode(*dtype) });
        call(op, [varied(*dtype, &[3, 4])])
    };
    ALL.iter().map(one).collect()
}

/// A border of known width.
#[derive(Debug)]
struct Pad(kernels::Pad);

impl Pad {
    fn label(&self) -> &'static str {
        match self.0.mode {
            PadMode::Constant(_) => "Pad",
            PadMode::Reflect => "MirrorPad",
            PadMode::Edge => "EdgePad",
        }
    }
}

impl Op for Pad {
    fn name(&self) -> &'static str {
        match self.0.mode {
            PadMode::Constant(_) => "PadV2",
            PadMode::Reflect => "MirrorPad",
            PadMode::Edge => "EdgePad",
        }
    }

    fn attrs(&self) -> Attrs {
        let widths: Vec<usize> =
            self.0.widths.iter().flat_map(|(before, after)| [*before, *after]).collect();
        let attrs = Attrs::none().with("paddings", &widths[..]);
        match self.0.mode {
            PadMode::Constant(number) => attrs.with("constant", number),
            PadMode::Reflect => attrs.with("mode", "REFLECT"),
            PadMode::Edge => attrs,
        }
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let shape = inputs[0].shape();
        if self.0.widths.len() != shape.rank() {
            let message = format!(
                "`pad` needs a pair of widths for each axis, found {} and {shape:?}",
                self.0.widths.len()
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("write (0, 0) for an axis without a border"));
        }
        let dims =
            shape.dims().iter().zip(&self.0.widths).enumerate().map(|(axis, (size, width))| {
                if let Some(size) = size.known() {
                    self.0.check(axis, size)?;
                }
                Ok(size
                    .plus(&Dim::Known(width.0 + width.1))
                    .expect("a sum of sizes is not negative"))
            });
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims.collect::<Result<Vec<Dim>>>()?))])
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn effects(&self, inputs: &[Spec]) -> Effects {
        match self.0.mode {
            PadMode::Reflect | PadMode::Edge if inputs[0].known().is_none() => Effects::FAILS,
            _ => Effects::NONE,
        }
    }

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let folded = (0..self.0.widths.len()).fold(g.clone(), |g, axis| self.folded(&g, axis));
        Gradient::Inputs(vec![Some(folded)])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Pad(self.0.clone()))
    }
}

impl Pad {
    /// The gradient without the border along an axis, which is added to where it came from.
    #[track_caller]
    fn folded(&self, g: &Tensor, axis: usize) -> Tensor {
        let (before, after) = self.0.widths[axis];
        let [before, after] = [before, after].map(usize::cast_signed);
        let part = |start: isize, stop: isize| {
            let stop = (stop != 0).then_some(stop);
            g.slice_axis(axis.cast_signed(), Slice::new(Some(start), stop, 1))
        };
        let inside = part(before, -after);
        // Where on the axis a border came from: the first and last elements, or those next to them.
        let add = |to: Tensor, border: Tensor, range: Slice| {
            let mut taken: SmallVec<[Taken; 4]> = smallvec![Slice::ALL.0; g.rank()];
            taken[axis] = range.0;
            &to + put_back(&border, &to, &taken)
        };
        let sum = |border: Tensor| border.sum_axis(crate::ops::KeepDims(axis));
        let mut total = inside;
        match self.0.mode {
            PadMode::Constant(_) => {}
            PadMode::Edge => {
                if before > 0 {
                    total = add(total, sum(part(0, before)), Slice::new(None, Some(1), 1));
                }
                if after > 0 {
                    total = add(total, sum(part(-after, 0)), Slice::new(Some(-1), None, 1));
                }
            }
            PadMode::Reflect => {
                if before > 0 {
                    total = add(
                        total,
                        part(0, before).flip(axis),
                        Slice::new(Some(1), Some(1 + before), 1),
                    );
                }
                if after > 0 {
                    total = add(
                        total,
                        part(-after, 0).flip(axis),
                        Slice::new(Some(-1 - after), Some(-1), 1),
                    );
                }
            }
        }
        total
    }
}
