//! Tensors made by counting: ranges, equal distances, the identity matrix, unit vectors. Knows no randomness.

use super::axes;
use super::operand::scalar;
use super::pure::pure;
use super::rows::check_type;
use super::samples::call;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Attrs, Entry, Lowered, Op, Specs, Tensor, apply, or_raise};
use crate::kernels::Lowering;
use crate::kernels::lanes::Scalar;
use crate::types::{ALL, DType, Element, FLOATS, NUMBERS, Shape, Spec};
use smallvec::smallvec;
use std::fmt::Debug;
use std::ops::Range;

/// Tensors made by counting.
impl Tensor {
    /// The numbers of a range: `Tensor::arange(0..5)` is `[0, 1, 2, 3, 4]`. Empty if the range is.
    ///
    /// # Panics
    /// Raises an error for `bool`, and for an end that is not finite.
    #[track_caller]
    pub fn arange<T: Element>(range: Range<T>) -> Tensor {
        count(range.start.into(), range.end.into(), Scalar::from_f64(1.0, T::DTYPE))
    }

    /// The numbers `start`, `start + step`, `start + 2 * step`, .. before the end of a range, which a negative step
    /// goes through downwards: `Tensor::arange_by(5..0, -2)` is `[5, 3, 1]`.
    ///
    /// As in NumPy there are `ceil((end - start) / step)` of them, so rounding may add one beyond a float end:
    /// use [`linspace`](Tensor::linspace) where that matters.
    ///
    /// # Panics
    /// Raises an error for `bool`, for a step of zero, and for ends and steps that are not finite.
    #[track_caller]
    pub fn arange_by<T: Element>(range: Range<T>, step: T) -> Tensor {
        count(range.start.into(), range.end.into(), step.into())
    }

    /// `count` floats from `start` to `end`, both included, at equal distances.
    ///
    /// ```
    /// # use graphfn::prelude::*;
    /// assert_eq!(Tensor::linspace(0.0f32, 1.0, 5).to_vec::<f32>(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if the ends are not floats, or not finite.
    #[track_caller]
    pub fn linspace<T: Element>(start: T, end: T, count: usize) -> Tensor {
        apply(LinSpace { start: start.into(), end: end.into(), count }, &[], "linspace")
    }
}

/// The numbers from `start` to before `end`.
#[track_caller]
fn count(start: Scalar, end: Scalar, step: Scalar) -> Tensor {
    let count = or_raise(steps(start, end, step));
    apply(Arange { start, step, count }, &[], "range")
}

/// How many steps from `start` are before `end`.
///
/// # Errors
/// If there is no telling, or no end of them.
fn steps(start: Scalar, end: Scalar, step: Scalar) -> Result<usize> {
    check_type("arange", start.dtype(), NUMBERS)?;
    if let (Some(start), Some(end), Some(step)) = (integer(start), integer(end), integer(step)) {
        if step == 0 {
            return Err(endless(start, end, step));
        }
        let steps = (end - start + step - step.signum()) / step;
        return Ok(usize::try_from(steps.max(0)).unwrap_or(usize::MAX));
    }
    let [start, end, step] = [start, end, step].map(float);
    let steps = ((end - start) / step).ceil();
    if !(steps.is_finite() && step.is_finite()) {
        return Err(endless(start, end, step));
    }
    Ok(steps.max(0.0) as usize)
}

fn endless<T: Debug>(start: T, end: T, step: T) -> Error {
    let message = format!(
        "`arange` needs finite ends and a step other than 0, found {start:?}..{end:?} by {step:?}"
    );
    Error::new(ErrorKind::Value, message).with_help("to repeat one number, use `Tensor::full`")
}

fn integer(scalar: Scalar) -> Option<i128> {
    match scalar {
        Scalar::I32(it) => Some(it.into()),
        Scalar::I64(it) => Some(it.into()),
        Scalar::U8(it) => Some(it.into()),
        Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) => None,
    }
}

fn float(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32(it) => it.into(),
        Scalar::F64(it) => it,
        other => unreachable!("{other:?} is no float"),
    }
}

/// 0, 1, 2, .. along an axis, the same for all positions of the others.
#[track_caller]
pub(super) fn iota(dtype: DType, shape: impl Into<Shape>, axis: usize) -> Tensor {
    apply(Iota { spec: Spec::new(dtype, shape), axis }, &[], "Iota")
}

/// 0, 1, 2, .. along an axis.
#[derive(Debug)]
struct Iota {
    spec: Spec,
    axis: usize,
}

impl Op for Iota {
    fn name(&self) -> &'static str {
        "Iota"
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::none().with("dtype", self.spec.dtype());
        attrs.with("shape", self.spec.shape()).with("axis", self.axis)
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        let (shape, axis) = (self.spec.shape(), self.axis);
        if axis >= shape.rank() {
            let message = format!("`arange` needs one of the axes of {shape:?}, found axis {axis}");
            return Err(Error::new(ErrorKind::Index, message).with_help("axes count from 0"));
        }
        Ok(smallvec![self.spec])
    }

    pure!(Source, None);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Iota { axis: self.axis })
    }
}

/// `start + i * step`.
#[derive(Debug)]
struct Arange {
    start: Scalar,
    step: Scalar,
    count: usize,
}

impl Op for Arange {
    fn name(&self) -> &'static str {
        "Range"
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::none().with("start", self.start).with("step", self.step);
        attrs.with("count", self.count)
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        check_type("arange", self.start.dtype(), NUMBERS)?;
        Ok(smallvec![Spec::new(self.start.dtype(), self.count)])
    }

    pure!(Composite, None);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|_| {
            let counts = iota(self.start.dtype(), self.count, 0);
            vec![counts * scalar(self.step) + scalar(self.start)]
        }))
    }
}

/// Both ends and equal distances between.
#[derive(Debug)]
struct LinSpace {
    start: Scalar,
    end: Scalar,
    count: usize,
}

impl Op for LinSpace {
    fn name(&self) -> &'static str {
        "LinSpace"
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::none().with("start", self.start).with("end", self.end);
        attrs.with("count", self.count)
    }

    fn infer(&self, _: &[Spec]) -> Result<Specs> {
        check_type("linspace", self.start.dtype(), FLOATS)?;
        let ends = [self.start, self.end].map(float);
        if !ends.iter().all(|end| end.is_finite()) {
            let message =
                format!("`linspace` needs finite ends, found {:?} and {:?}", ends[0], ends[1]);
            return Err(Error::new(ErrorKind::Value, message)
                .with_help("there are no equal distances to infinity"));
        }
        Ok(smallvec![Spec::new(self.start.dtype(), self.count)])
    }

    pure!(Composite, None);

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|_| {
            let dtype = self.start.dtype();
            let last = self.count.saturating_sub(1).max(1);
            let part = iota(dtype, self.count, 0) / scalar(Scalar::from_f64(last as f64, dtype));
            // Weights of 0 and 1 give both ends exactly.
            vec![(1 - &part) * scalar(self.start) + part * scalar(self.end)]
        }))
    }
}

/// The ops of this family.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "Iota",
        make: |attrs| {
            let spec = Spec::new(attrs.dtype("dtype")?, attrs.shape("shape")?);
            Ok(Iota { spec, axis: axes::number(attrs, "axis")? }.into())
        },
        samples: || {
            let count = |dtype: DType, sizes: &[usize], axis: usize| {
                call(Iota { spec: Spec::new(dtype, sizes), axis }, [])
            };
            let of_type = |dtype: &DType| {
                [count(*dtype, &[3], 0), count(*dtype, &[2, 3, 2], 1), count(*dtype, &[2, 0], 0)]
            };
            ALL.iter().flat_map(of_type).collect()
        },
    },
    Entry {
        name: "Range",
        make: |attrs| {
            let (start, step) = (attrs.scalar("start")?, attrs.scalar("step")?);
            Ok(Arange { start, step, count: axes::number(attrs, "count")? }.into())
        },
        samples: || {
            let range = |dtype: DType, start: f64, count: usize| {
                let [start, step] = [start, 2.0].map(|it| Scalar::from_f64(it, dtype));
                call(Arange { start, step, count }, [])
            };
            let of_type = |dtype: &DType| [range(*dtype, 1.0, 4), range(*dtype, 0.0, 0)];
            NUMBERS.iter().flat_map(of_type).collect()
        },
    },
    Entry {
        name: "LinSpace",
        make: |attrs| {
            let (start, end) = (attrs.scalar("start")?, attrs.scalar("end")?);
            Ok(LinSpace { start, end, count: axes::number(attrs, "count")? }.into())
        },
        samples: || {
            let space = |dtype: DType, count: usize| {
                let [start, end] = [-1.0, 0.7].map(|it| Scalar::from_f64(it, dtype));
                call(LinSpace { start, end, count }, [])
            };
            FLOATS.iter().flat_map(|dtype| [0, 1, 2, 7].map(|count| space(*dtype, count))).collect()
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;

    #[test]
    fn ranges_are_numpy_s() {
        assert_eq!(Tensor::arange(0..5).to_vec::<i32>(), [0, 1, 2, 3, 4]);
        let [five, three, one] = [5, 3, 1];
        assert_eq!(Tensor::arange_by(five..0, -2).to_vec::<i32>(), [5, 3, 1]);
        assert_eq!(Tensor::arange_by(0u8..255, 100).to_vec::<u8>(), [0, 100, 200]);
        assert_eq!(Tensor::arange(3..3i64).to_vec::<i64>(), [0i64; 0]);
        assert_eq!(Tensor::arange(three..one).to_vec::<i32>(), [0; 0]);
        assert_eq!(
            Tensor::arange_by(i32::MIN..i32::MAX, i32::MAX).to_vec::<i32>(),
            [i32::MIN, -1, i32::MAX - 1]
        );
        // numpy.arange(0, 1, 0.3, dtype=numpy.float32)
        assert_eq!(
            Tensor::arange_by(0.0f32..1.0, 0.3).to_vec::<f32>(),
            [0.0, 0.3, 0.6, 0.90000004]
        );
        // numpy.arange(1.0, -1.0, -0.5)
        assert_eq!(Tensor::arange_by(1.0..-1.0, -0.5).to_vec::<f64>(), [1.0, 0.5, 0.0, -0.5]);
    }

    #[test]
    fn ranges_without_an_end_are_refused() {
        let still = attempt(|| Tensor::arange_by(0..3, 0)).unwrap_err();
        assert_eq!(
            still.message(),
            "`arange` needs finite ends and a step other than 0, found 0..3 by 0"
        );
        for (start, end, step) in [
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.0, f64::INFINITY, 1.0),
            (f64::NAN, 1.0, 1.0),
            (0.0, 1.0, f64::INFINITY),
        ] {
            assert!(
                attempt(|| Tensor::arange_by(start..end, step)).is_err(),
                "{start} {end} {step}"
            );
        }
        assert_eq!(attempt(|| Tensor::arange(false..true)).unwrap_err().kind(), ErrorKind::Type);
    }

    #[test]
    fn distances_are_equal_and_the_ends_exact() {
        assert_eq!(Tensor::linspace(0.1f32, 0.7, 2).to_vec::<f32>(), [0.1, 0.7]);
        assert_eq!(Tensor::linspace(-1.0, 1.0, 5).to_vec::<f64>(), [-1.0, -0.5, 0.0, 0.5, 1.0]);
        assert_eq!(Tensor::linspace(2.0, 3.0, 1).to_vec::<f64>(), [2.0]);
        assert_eq!(Tensor::linspace(2.0, 3.0, 0).to_vec::<f64>(), [0.0; 0]);
        let many = Tensor::linspace(0.3f32, 1.1, 1001).to_vec::<f32>();
        assert_eq!((many[0], many[1000]), (0.3, 1.1));
        assert!(many.is_sorted(), "equal distances do not step back");
        let infinite = attempt(|| Tensor::linspace(0.0, f64::INFINITY, 3)).unwrap_err();
        assert_eq!(infinite.message(), "`linspace` needs finite ends, found 0.0 and inf");
        assert_eq!(attempt(|| Tensor::linspace(0, 1, 3)).unwrap_err().kind(), ErrorKind::Type);
    }

    #[test]
    fn one_hot_and_eye_have_ones_where_indices_are_equal() {
        assert_eq!(
            Tensor::eye::<f32>(3).to_vec::<f32>(),
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        );
        assert_eq!(Tensor::eye::<bool>(1).to_vec::<bool>(), [true]);
        let labels = Tensor::from([[1, -1], [2, 3]]);
        let hot = labels.one_hot::<i32>(3);
        assert_eq!(hot.shape().to_string(), "(2, 2, 3)");
        assert_eq!(hot.to_vec::<i32>(), [0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
        let wide = Tensor::from(255u8).one_hot::<u8>(300).to_vec::<u8>();
        assert_eq!(wide.iter().position(|it| *it == 1), Some(255));
        assert_eq!(wide.iter().filter(|it| **it == 1).count(), 1);
        let floats = attempt(|| Tensor::from([1.0f32]).one_hot::<f32>(3)).unwrap_err();
        assert_eq!(floats.message(), "`one_hot` takes int32, int64, uint8, found float32");
    }
}
