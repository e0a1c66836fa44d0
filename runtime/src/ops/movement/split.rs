//! A tensor cut into parts along an axis: views of it. Knows the number of parts, which must be known while tracing.

use super::join::{concat, stack};
use super::range::Slice;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Specs, Tensor, apply, apply_all, raise,
};
use crate::kernels::{Lowering, View};
use crate::ops::axes;
use crate::ops::broadcast::zeros_like;
use crate::ops::pure::pure;
use crate::ops::samples::{call, varied};
use crate::types::{DType, Dim, FLOATS, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// So many parts of equal size along an axis.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let x = Tensor::from([[1, 2, 3, 4], [5, 6, 7, 8]]);
    /// let halves = x.split(2, 1);
    /// assert_eq!(halves[1].to_vec::<i32>(), [3, 4, 7, 8]);
    /// ```
    ///
    /// # Panics
    /// Raises an error unless the number divides the size of the axis.
    #[track_caller]
    pub fn split(&self, parts: usize, axis: isize) -> Vec<Tensor> {
        match axes::one("split", axis, self.rank()) {
            Ok(axis) => apply_all(Split { axis, parts }, &[self], "split").into_vec(),
            Err(error) => raise(error),
        }
    }

    /// Parts of these sizes along an axis, which add up to its size.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let parts = Tensor::from([1, 2, 3, 4, 5]).split_sizes(&[2, 3], 0);
    /// assert_eq!(parts[1].to_vec::<i32>(), [3, 4, 5]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if they do not, or if that is not known while tracing.
    #[track_caller]
    pub fn split_sizes(&self, sizes: &[usize], axis: isize) -> Vec<Tensor> {
        match axes::one("split_sizes", axis, self.rank()) {
            Ok(axis) => {
                apply_all(SplitSizes { axis, sizes: sizes.to_vec() }, &[self], "split").into_vec()
            }
            Err(error) => raise(error),
        }
    }

    /// The parts at each index of an axis, which goes away.
    ///
    /// # Panics
    /// Raises an error if the size of the axis is not known while tracing.
    #[track_caller]
    pub fn unstack(&self, axis: isize) -> Vec<Tensor> {
        match axes::one("unstack", axis, self.rank()) {
            Ok(axis) => apply_all(Unpack { axis }, &[self], "unstack").into_vec(),
            Err(error) => raise(error),
        }
    }
}

impl crate::value::Variable {
    /// As [`Tensor::split`], of its value.
    #[track_caller]
    pub fn split(&self, parts: usize, axis: isize) -> Vec<Tensor> {
        self.read().split(parts, axis)
    }
}

pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Split",
        make: |attrs| {
            Ok(Split {
                axis: axes::number(attrs, "axis")?,
                parts: axes::number(attrs, "num_split")?,
            }
            .into())
        },
        samples: || {
            let one = |dtype: &DType| call(Split { axis: 1, parts: 3 }, [varied(*dtype, &[2, 6])]);
            FLOATS.iter().map(one).collect()
        },
    },
    Entry {
        name: "SplitPart",
        make: |attrs| {
            let (parts, part) = (axes::number(attrs, "num_split")?, axes::number(attrs, "part")?);
            Ok(SplitPart { axis: axes::number(attrs, "axis")?, parts, part }.into())
        },
        samples: || {
            let one =
                |part| call(SplitPart { axis: 1, parts: 3, part }, [varied(DType::F32, &[2, 6])]);
            (0..3).map(one).collect()
        },
    },
    Entry {
        name: "SplitV",
        make: |attrs| {
            let sizes = axes::parsed(attrs, "sizes")?.into_vec();
            Ok(SplitSizes { axis: axes::number(attrs, "axis")?, sizes }.into())
        },
        samples: || {
            let op = || SplitSizes { axis: 0, sizes: vec![1, 0, 3] };
            FLOATS.iter().map(|dtype| call(op(), [varied(*dtype, &[4, 2])])).collect()
        },
    },
    Entry {
        name: "Unpack",
        make: |attrs| Ok(Unpack { axis: axes::number(attrs, "axis")? }.into()),
        samples: || {
            FLOATS
                .iter()
                .map(|dtype| call(Unpack { axis: 1 }, [varied(*dtype, &[2, 3, 2])]))
                .collect()
        },
    },
];

/// The gradients of all parts; zeros for one whose gradient is not asked for.
fn of_parts(call: &Backward<'_>) -> Vec<Tensor> {
    let grads = call.grads.iter().zip(call.outputs);
    grads.map(|(g, part)| g.clone().unwrap_or_else(|| zeros_like(part))).collect()
}

/// The shape of one of so many equal parts.
fn part_of(spec: Spec, axis: usize, parts: usize) -> Result<Shape> {
    axes::one("split", axis.cast_signed(), spec.rank())?;
    let mut dims = spec.shape().dims().to_vec();
    dims[axis] = dims[axis].over(&Dim::Known(parts)).ok_or_else(|| {
        let message = format!(
            "`split` needs a number of parts that divides the size, found {parts} parts of axis {axis} of {:?}",
            spec.shape()
        );
        Error::new(ErrorKind::Shape, message).with_help("give the sizes of the parts: `x.split_sizes(&[..], axis)`")
    })?;
    Ok(Shape::new(dims))
}

/// Parts of equal size.
#[derive(Debug)]
struct Split {
    axis: usize,
    parts: usize,
}

impl Op for Split {
    fn name(&self) -> &'static str {
        "Split"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("num_split", self.parts)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let part = inputs[0].with_shape(part_of(inputs[0], self.axis, self.parts)?);
        Ok(smallvec![part; self.parts])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![Some(concat(&of_parts(call), self.axis.cast_signed()))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        let Split { axis, parts } = *self;
        Lowered::Expand(Box::new(move |inputs| {
            let one = |part| apply(SplitPart { axis, parts, part }, &[&inputs[0]], "SplitPart");
            (0..parts).map(one).collect()
        }))
    }
}

/// One of so many parts of equal size.
#[derive(Debug)]
struct SplitPart {
    axis: usize,
    parts: usize,
    part: usize,
}

impl Op for SplitPart {
    fn name(&self) -> &'static str {
        "SplitPart"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("num_split", self.parts).with("part", self.part)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        Ok(smallvec![inputs[0].with_shape(part_of(inputs[0], self.axis, self.parts)?)])
    }

    pure!(Movement);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        let Some(g) = &call.grads[0] else { return Gradient::None };
        let mut parts = vec![zeros_like(g); self.parts];
        parts[self.part] = g.clone();
        Gradient::Inputs(vec![Some(concat(&parts, self.axis.cast_signed()))])
    }

    fn lower(&self, inputs: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let mut starts = smallvec![0; inputs[0].rank()];
        starts[self.axis] = self.part * outputs[0].sizes()[self.axis];
        let axes = (0..inputs[0].rank()).map(|axis| Some((axis, 1))).collect();
        Lowered::Kernel(Lowering::View(View::Strided { starts, axes }))
    }
}

/// Parts of given sizes.
#[derive(Debug)]
struct SplitSizes {
    axis: usize,
    sizes: Vec<usize>,
}

impl Op for SplitSizes {
    fn name(&self) -> &'static str {
        "SplitV"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis).with("sizes", &self.sizes[..])
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        axes::one("split_sizes", self.axis.cast_signed(), inputs[0].rank())?;
        let shape = inputs[0].shape();
        if shape[self.axis] != self.sizes.iter().sum::<usize>() {
            let message = format!(
                "`split_sizes` needs sizes that add up to that of axis {} of {shape:?}, found {:?}",
                self.axis, self.sizes
            );
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("for a rest of any size use slices: `x.slice_axis(axis, 2..)`"));
        }
        let part = |size: &usize| {
            let mut dims = shape.dims().to_vec();
            dims[self.axis] = Dim::Known(*size);
            inputs[0].with_shape(Shape::new(dims))
        };
        Ok(self.sizes.iter().map(part).collect())
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        Gradient::Inputs(vec![Some(concat(&of_parts(call), self.axis.cast_signed()))])
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let mut start = 0;
            let one = |size: &usize| {
                start += size;
                inputs[0].slice_axis(self.axis.cast_signed(), Slice::from(start - size..start))
            };
            self.sizes.iter().map(one).collect()
        }))
    }
}

/// The parts at each index of an axis.
#[derive(Debug)]
struct Unpack {
    axis: usize,
}

impl Op for Unpack {
    fn name(&self) -> &'static str {
        "Unpack"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("axis", self.axis)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        axes::one("unstack", self.axis.cast_signed(), inputs[0].rank())?;
        let mut dims = inputs[0].shape().dims().to_vec();
        let size = dims.remove(self.axis).known().ok_or_else(|| {
            let message = format!(
                "`unstack` needs to know the size of axis {} while tracing, found {:?}",
                self.axis,
                inputs[0].shape()
            );
            Error::new(ErrorKind::Trace, message)
                .with_help("work on the whole axis at once, or loop over its indices")
        })?;
        Ok(smallvec![inputs[0].with_shape(Shape::new(dims)); size])
    }

    pure!(Composite);

    fn grad(&self, call: &Backward<'_>) -> Gradient {
        if call.outputs.is_empty() {
            return Gradient::Inputs(vec![Some(zeros_like(&call.inputs[0]))]);
        }
        Gradient::Inputs(vec![Some(stack(&of_parts(call), self.axis.cast_signed()))])
    }

    fn lower(&self, _: &[Spec], outputs: &[Spec]) -> Lowered<'_> {
        let count = outputs.len();
        Lowered::Expand(Box::new(move |inputs| {
            let axis = self.axis.cast_signed();
            (0..count).map(|at| inputs[0].index(axis, at.cast_signed())).collect()
        }))
    }
}
