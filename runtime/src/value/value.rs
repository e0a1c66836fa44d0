//! A value: bytes with an element type, a shape, and strides over them. Knows no ops and no graph.

use super::Buffer;
use crate::types::{DType, Element, Shape, Spec};
use smallvec::SmallVec;
use std::sync::Arc;

/// A tensor that is in memory. Cloning shares the bytes.
#[derive(Clone)]
pub struct Value {
    spec: Spec,
    buffer: Buffer,
    /// Where the elements are; `None` when they follow each other in row-major order from the buffer's start. Most do,
    /// and results are made, moved and dropped at each call: a value is three words.
    placed: Option<Arc<Placed>>,
}

/// Where the elements of a value are in its buffer.
struct Placed {
    /// Where the first stands, in bytes.
    offset: usize,
    /// Distances in elements; `None` for row-major order.
    strides: Option<Box<[isize]>>,
}

impl Value {
    /// A value of row-major elements at the start of a buffer of just their size.
    pub(crate) fn from_buffer(spec: Spec, buffer: Buffer) -> Value {
        debug_assert_eq!(spec.len().map(|len| len * spec.dtype().size()), Some(buffer.len()));
        Value { spec, buffer, placed: None }
    }

    /// A value whose elements must be written before they are read.
    pub(crate) fn uninit(spec: Spec) -> Value {
        let bytes = spec.bytes().expect("a value's bytes can be counted");
        Value::from_buffer(spec, Buffer::uninit(bytes))
    }

    /// The elements of a vector under a shape with as many elements, not copied.
    ///
    /// # Panics
    /// If the shape has another number of elements.
    pub fn from_vec<T: Element>(shape: impl Into<Shape>, elements: Vec<T>) -> Value {
        let spec = Spec::new(T::DTYPE, shape);
        assert_eq!(
            spec.len(),
            Some(elements.len()),
            "shape {:?} and {} elements",
            spec.shape(),
            elements.len()
        );
        Value::from_buffer(spec, Buffer::from_vec(elements))
    }

    /// A scalar.
    pub fn scalar<T: Element>(element: T) -> Value {
        let value = Value::uninit(Spec::scalar(T::DTYPE));
        // SAFETY: the buffer is new, unshared, aligned to 64 and of the size of one element.
        unsafe { value.buffer.as_ptr().cast_mut().cast::<T>().write(element) };
        value
    }

    /// A view of the same bytes: an offset in bytes from the start of the buffer, and strides in elements.
    ///
    /// # Safety
    /// Every element that spec, offset and strides reach must lie in the buffer.
    pub(crate) unsafe fn view(&self, spec: Spec, offset: usize, strides: &[isize]) -> Value {
        // SAFETY: the caller's promise is the same.
        unsafe { Value::strided(spec, self.buffer.clone(), offset, strides) }
    }

    /// A value over some bytes: an offset in bytes from the start of the buffer, and strides in elements.
    ///
    /// # Safety
    /// Every element that spec, offset and strides reach must lie in the buffer.
    pub(super) unsafe fn strided(
        spec: Spec,
        buffer: Buffer,
        offset: usize,
        strides: &[isize],
    ) -> Value {
        let strides: Option<Box<[isize]>> =
            (!is_row_major(spec.sizes(), strides)).then(|| strides.into());
        let is_plain = offset == 0 && strides.is_none();
        let placed = (!is_plain).then(|| Arc::new(Placed { offset, strides }));
        Value { spec, buffer, placed }
    }

    /// The same row-major elements under another shape with as many elements; `None` if they are not in row-major order.
    pub fn reshaped(&self, spec: Spec) -> Option<Value> {
        debug_assert_eq!((spec.len(), spec.dtype()), (self.spec.len(), self.spec.dtype()));
        self.is_row_major().then(|| Value { spec, ..self.clone() })
    }

    /// Element type and shape.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.spec.dtype()
    }

    /// The sizes of the axes.
    pub fn sizes(&self) -> &'static [usize] {
        self.spec.sizes()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.spec.len().expect("a value has no unknown size")
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that it shares.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The bytes, for writing.
    pub(crate) fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Where the first element stands, in bytes from the start of the buffer.
    pub fn offset(&self) -> usize {
        self.placed.as_ref().map_or(0, |it| it.offset)
    }

    /// Whether the elements follow each other in row-major order.
    pub fn is_row_major(&self) -> bool {
        self.placed.as_ref().is_none_or(|it| it.strides.is_none())
    }

    /// Distances in elements from one to the next along each axis.
    pub fn strides(&self) -> SmallVec<[isize; 6]> {
        match self.placed.as_ref().and_then(|it| it.strides.as_ref()) {
            Some(strides) => SmallVec::from_slice(strides),
            None => row_major(self.sizes()),
        }
    }

    /// Where the first element stands; for reading.
    pub fn as_ptr(&self) -> *const u8 {
        self.buffer.as_ptr().wrapping_add(self.offset())
    }

    /// The elements, if they are of this type and in row-major order.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if self.dtype() != T::DTYPE || !self.is_row_major() {
            return None;
        }
        if self.is_empty() {
            return Some(&[]);
        }
        // SAFETY: row-major values have all their elements of this type from `as_ptr` on, aligned as elements.
        Some(unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), self.len()) })
    }

    /// A copy of the elements in row-major order, if they are of this type.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        if self.dtype() != T::DTYPE {
            return None;
        }
        if let Some(elements) = self.as_slice() {
            return Some(elements.to_vec());
        }
        let at = self.as_ptr().cast::<T>();
        // SAFETY: `offsets` gives places of elements of this value, which lie in the buffer.
        Some(
            offsets(self.sizes(), &self.strides())
                .map(|offset| unsafe { at.offset(offset).read() })
                .collect(),
        )
    }

    /// The same elements in row-major order: itself, or a copy.
    #[must_use]
    pub fn to_row_major(&self) -> Value {
        fn copied<T: Element>(value: &Value) -> Value {
            let elements = value.to_vec::<T>().expect("the type is the value's own");
            Value::from_buffer(value.spec, Buffer::from_vec(elements))
        }
        if self.is_row_major() {
            return self.clone();
        }
        match self.dtype() {
            DType::F32 => copied::<f32>(self),
            DType::F64 => copied::<f64>(self),
            DType::I32 => copied::<i32>(self),
            DType::I64 => copied::<i64>(self),
            DType::U8 => copied::<u8>(self),
            DType::Bool => copied::<bool>(self),
        }
    }
}

/// The strides of row-major elements.
pub(super) fn row_major(sizes: &[usize]) -> SmallVec<[isize; 6]> {
    let mut strides = SmallVec::from_elem(1, sizes.len());
    for axis in (1..sizes.len()).rev() {
        strides[axis - 1] = strides[axis] * sizes[axis].max(1).cast_signed();
    }
    strides
}

/// Whether these strides are those of row-major elements, where it matters: along axes of more than one element.
pub(super) fn is_row_major(sizes: &[usize], strides: &[isize]) -> bool {
    let mut expected = 1;
    sizes.contains(&0)
        || sizes.iter().zip(strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == expected;
            expected *= size.cast_signed();
            fits
        })
}

/// The offsets of all elements, in row-major order of their indices.
fn offsets(sizes: &[usize], strides: &[isize]) -> impl Iterator<Item = isize> {
    let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, sizes.len());
    let mut offset = 0;
    (0..sizes.iter().product::<usize>()).map(move |_| {
        let here = offset;
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < sizes[axis] {
                break;
            }
            offset -= strides[axis] * index[axis].cast_signed();
            index[axis] = 0;
        }
        here
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_view_reads_in_its_own_order() {
        let value = Value::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6]);
        // SAFETY: the transposed strides reach the same six elements.
        let turned = unsafe { value.view(Spec::new(DType::I32, [3, 2]), 0, &[1, 3]) };
        assert!(!turned.is_row_major() && turned.as_slice::<i32>().is_none());
        assert_eq!(turned.to_vec::<i32>().unwrap(), [1, 4, 2, 5, 3, 6]);
        assert_eq!(turned.to_row_major().as_slice::<i32>().unwrap(), [1, 4, 2, 5, 3, 6]);
        assert!(turned.to_vec::<f32>().is_none(), "the type is not f32");
    }

    #[test]
    fn axes_of_one_element_do_not_break_row_major_order() {
        assert!(
            is_row_major(&[1, 3], &[99, 1])
                && is_row_major(&[0, 3], &[7, 7])
                && !is_row_major(&[2, 3], &[1, 2])
        );
    }
}
