//! A tensor with a border around it. Knows the border as copies: of one constant, or of elements already in place.

use super::Transfer;
use crate::error::{Error, ErrorKind, Result};
use crate::kernels::{PadMode, lowering};
use crate::types::Spec;
use crate::value::Layout;

/// The only input with a border.
#[derive(Clone, Debug)]
pub struct Pad {
    interior: Transfer,
    /// Where the interior begins, in bytes.
    begin: usize,
    borders: Vec<Border>,
    element: usize,
    /// The element of a constant border.
    constant: u64,
}

/// The border on one side of one axis, along all that is in place before it.
#[derive(Clone, Debug)]
struct Border {
    transfer: Transfer,
    /// Where in the output its elements come from, in bytes; `None` for the constant.
    source: Option<usize>,
    /// Where in the output it begins, in bytes.
    target: usize,
}

impl Pad {
    /// Prepares a border around an input that lies like this.
    ///
    /// # Errors
    /// If a mirrored border is not narrower than its axis, or there is no edge to repeat.
    pub fn new(pad: &lowering::Pad, input: &Layout, output: Spec) -> Result<Pad> {
        for (axis, size) in input.sizes().iter().enumerate() {
            pad.check(axis, *size)?;
        }
        let element = output.dtype().size();
        let strides = Layout::row_major(output).strides;
        let begin: usize = pad
            .widths
            .iter()
            .zip(&strides)
            .map(|(width, stride)| width.0 * stride.unsigned_abs())
            .sum();
        let constant = match pad.mode {
            PadMode::Constant(scalar) => scalar.bits(),
            PadMode::Reflect | PadMode::Edge => 0,
        };
        Ok(Pad {
            interior: Transfer::new(element, input.sizes(), &input.strides, &strides),
            begin: begin * element,
            borders: borders(pad, input.sizes(), output, begin),
            element,
            constant,
        })
    }

    /// Copies the interior, then draws the border from it.
    ///
    /// # Safety
    /// The only input lies as prepared, aligned to its elements; the only output is row-major, likewise aligned, and
    /// does not overlap the input.
    ///
    /// # Errors
    /// None; the result is that of every kernel.
    pub unsafe fn run(&self, inputs: &[*const u8], outputs: &[*mut u8]) -> Result<()> {
        let output = outputs[0];
        // SAFETY: the interior lies within the output, because the widths and the input's sizes add up to it.
        unsafe { self.interior.run(inputs[0], output.wrapping_add(self.begin)) };
        for border in &self.borders {
            let source = match border.source {
                Some(at) => output.wrapping_add(at).cast_const(),
                None => low_bytes(&self.constant, self.element),
            };
            // SAFETY: source and target differ in their coordinate along the border's axis, so no element is both
            // read and written, and both lie within the output (or the constant, which is not moved along).
            unsafe { border.transfer.run(source, output.wrapping_add(border.target)) };
        }
        Ok(())
    }
}

impl lowering::Pad {
    /// Checks that an axis of this size has what its border is made of.
    ///
    /// # Errors
    /// If a mirrored border is not narrower than the axis, or there is no edge to repeat.
    pub fn check(&self, axis: usize, size: usize) -> Result<()> {
        let (before, after) = self.widths[axis];
        let width = before.max(after);
        let (fits, wanted) = match self.mode {
            PadMode::Constant(_) => return Ok(()),
            PadMode::Reflect => (width < size, "reflect needs borders narrower than the axis"),
            PadMode::Edge => (size > 0, "edge needs an element to repeat"),
        };
        if width == 0 || fits {
            return Ok(());
        }
        let message = format!(
            "`pad` with {wanted}, found a border of {width} at axis {axis} of {size} elements"
        );
        Err(Error::new(ErrorKind::Shape, message)
            .with_help("make the border narrower, or pad with a constant"))
    }
}

/// The borders axis by axis: along axes already done over their full length, along those to come over the input's.
fn borders(pad: &lowering::Pad, sizes: &[usize], output: Spec, begin: usize) -> Vec<Border> {
    let element = output.dtype().size();
    let strides = Layout::row_major(output).strides;
    let mut borders = Vec::new();
    // What is in place so far: where it begins, and its sizes.
    let mut corner = begin;
    let mut region: Vec<usize> = sizes.to_vec();
    for (axis, &(before, after)) in pad.widths.iter().enumerate() {
        let stride = strides[axis];
        let end = corner.strict_add_signed(sizes[axis].cast_signed() * stride);
        for (width, next, outwards) in
            [(before, corner.wrapping_add_signed(-stride), -stride), (after, end, stride)]
        {
            if width == 0 {
                continue;
            }
            let mut source = strides.clone();
            let mut target = strides.clone();
            target[axis] = outwards;
            // Borders are drawn from the inside outwards; a mirrored one is read inwards, past the edge.
            let from = match pad.mode {
                PadMode::Constant(_) => {
                    source.fill(0);
                    None
                }
                PadMode::Edge => {
                    source[axis] = 0;
                    Some(next.wrapping_add_signed(-outwards))
                }
                PadMode::Reflect => {
                    source[axis] = -outwards;
                    Some(next.wrapping_add_signed(-2 * outwards))
                }
            };
            region[axis] = width;
            borders.push(Border {
                transfer: Transfer::new(element, &region, &source, &target),
                source: from.map(|at| at * element),
                target: next * element,
            });
        }
        region[axis] = output.sizes()[axis];
        corner -= before * stride.unsigned_abs();
    }
    borders
}

/// Where the low `size` bytes of a word begin, which are an element of that size.
fn low_bytes(word: &u64, size: usize) -> *const u8 {
    let skipped = if cfg!(target_endian = "big") { 8 - size } else { 0 };
    std::ptr::from_ref(word).cast::<u8>().wrapping_add(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::lanes::Scalar;
    use crate::types::Element;

    /// The element of the padded tensor at an index, by the definition of each mode.
    fn expected<T: Element>(
        pad: &lowering::Pad,
        sizes: &[usize],
        index: &[usize],
        fill: T,
        input: &[T],
    ) -> T {
        let mut at = 0;
        for (axis, size) in sizes.iter().enumerate() {
            let position = index[axis].cast_signed() - pad.widths[axis].0.cast_signed();
            let end = size.cast_signed() - 1;
            let inside = match pad.mode {
                PadMode::Constant(_) if (0..=end).contains(&position) => position,
                PadMode::Constant(_) => return fill,
                PadMode::Edge => position.clamp(0, end),
                PadMode::Reflect => end - (end - position.abs()).abs(),
            };
            at = at * size + inside.unsigned_abs();
        }
        input[at]
    }

    fn check<T: Element>(
        sizes: &[usize],
        widths: &[(usize, usize)],
        element: impl Fn(usize) -> T,
        fill: Scalar,
    ) {
        let input: Vec<T> = (0..sizes.iter().product()).map(&element).collect();
        let full: Vec<usize> =
            sizes.iter().zip(widths).map(|(size, (b, a))| size + b + a).collect();
        for mode in [PadMode::Constant(fill), PadMode::Reflect, PadMode::Edge] {
            let pad = lowering::Pad { widths: widths.into(), mode };
            let layout = Layout::row_major(Spec::new(T::DTYPE, sizes));
            let Ok(kernel) = Pad::new(&pad, &layout, Spec::new(T::DTYPE, &full[..])) else {
                assert!(sizes.contains(&0) || mode == PadMode::Reflect);
                continue;
            };
            let mut found = vec![element(100); full.iter().product()];
            // SAFETY: both vectors have the elements of their specs.
            unsafe { kernel.run(&[input.as_ptr().cast()], &[found.as_mut_ptr().cast()]).unwrap() };
            for (at, found) in found.iter().enumerate() {
                let mut rest = at;
                let mut index: Vec<usize> = full
                    .iter()
                    .rev()
                    .map(|size| {
                        let here = rest % size;
                        rest /= size;
                        here
                    })
                    .collect();
                index.reverse();
                let wanted = expected(&pad, sizes, &index, element(77), &input);
                assert_eq!(*found, wanted, "{mode:?} {sizes:?} {widths:?} at {index:?}");
            }
        }
    }

    type Case = (&'static [usize], &'static [(usize, usize)]);

    #[test]
    fn every_mode_follows_its_definition() {
        let cases: &[Case] = &[
            (&[], &[]),
            (&[4], &[(0, 0)]),
            (&[4], &[(3, 2)]),
            (&[3, 4], &[(1, 2), (3, 0)]),
            (&[2, 3, 4], &[(1, 1), (0, 2), (2, 3)]),
            (&[3, 2, 2, 5], &[(2, 1), (1, 0), (0, 1), (4, 4)]),
            (&[0, 2], &[(1, 2), (1, 1)]),
            (&[2, 0], &[(1, 1), (0, 0)]),
            (&[2, 0], &[(1, 0), (2, 1)]),
            (&[1, 1], &[(2, 0), (0, 2)]),
        ];
        for (sizes, widths) in cases {
            check(sizes, widths, |at| u8::try_from(at).unwrap(), Scalar::U8(77));
            check(sizes, widths, |at| at as f32, Scalar::F32(77.0));
            check(sizes, widths, |at| i64::try_from(at).unwrap(), Scalar::I64(77));
        }
    }

    #[test]
    fn a_mirrored_border_as_wide_as_its_axis_is_refused() {
        let layout = Layout::row_major(Spec::new(crate::DType::F32, [3]));
        let pad = lowering::Pad { widths: [(0, 3)].into_iter().collect(), mode: PadMode::Reflect };
        let error = Pad::new(&pad, &layout, Spec::new(crate::DType::F32, [6])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`pad` with reflect needs borders narrower than the axis, found a border of 3 at axis 0 of 3 elements\n  \
             help: make the border narrower, or pad with a constant"
        );
    }
}
