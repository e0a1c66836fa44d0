//! Rust's scalars, lists and arrays, and ndarray's arrays, as values and back. Knows no printing and no op.

use super::{Buffer, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::types::{Element, Spec};
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeBuilder};
use ndarray::{OwnedRepr, ViewRepr};
use smallvec::SmallVec;

/// Reading the elements.
impl Value {
    /// The elements as an ndarray of its own.
    ///
    /// # Errors
    /// If the elements are of another type.
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>> {
        Ok(self.view_array()?.to_owned())
    }

    /// The elements as an ndarray view, not copied, in whatever order they lie.
    ///
    /// # Errors
    /// If the elements are of another type.
    pub fn view_array<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        self.holds::<T>()?;
        if self.is_empty() {
            return Ok(ArrayViewD::from_shape(self.sizes(), &[])
                .expect("a shape without elements fits no elements"));
        }
        // ndarray takes no negative strides: such an axis is given from its other end, and turned round after.
        let mut first = self.as_ptr().cast::<T>();
        let strides = self.strides();
        for (size, stride) in self.sizes().iter().zip(&strides) {
            if *stride < 0 {
                first = first.wrapping_offset(stride * (size - 1).cast_signed());
            }
        }
        let distances: SmallVec<[usize; 6]> = strides.iter().map(|it| it.unsigned_abs()).collect();
        let shape = IxDyn(self.sizes()).strides(IxDyn(&distances));
        // SAFETY: from the element of lowest address, sizes and distances reach just the elements of this value. They
        // lie aligned in the buffer, which is kept, and so not written, while the view borrows `self`.
        let mut view = unsafe { ArrayViewD::from_shape_ptr(shape, first) };
        for (axis, stride) in strides.iter().enumerate() {
            if *stride < 0 {
                view.invert_axis(Axis(axis));
            }
        }
        Ok(view)
    }

    /// The only element.
    ///
    /// # Errors
    /// If there is not just one element, or if it is of another type.
    pub fn item<T: Element>(&self) -> Result<T> {
        self.holds::<T>()?;
        if self.len() != 1 {
            let message =
                format!("`item` needs exactly one element, found shape {:?}", self.spec().shape());
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("read all elements with `to_array`, or select one"));
        }
        // SAFETY: the value has one element, of type T, and it stands there.
        Ok(unsafe { self.as_ptr().cast::<T>().read() })
    }

    fn holds<T: Element>(&self) -> Result<()> {
        let (found, wanted) = (self.dtype().rust_name(), T::DTYPE.rust_name());
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        let message = format!("elements of type {found} cannot be read as {wanted}");
        Err(Error::new(ErrorKind::Type, message)
            .with_help(format!("read them as {found}, or `.cast` to {wanted} first")))
    }
}

impl<T: Element> From<T> for Value {
    fn from(element: T) -> Value {
        Value::scalar(element)
    }
}

impl<T: Element> From<Vec<T>> for Value {
    fn from(elements: Vec<T>) -> Value {
        Value::from_vec(elements.len(), elements)
    }
}

impl<T: Element> From<&[T]> for Value {
    fn from(elements: &[T]) -> Value {
        Value::from(elements.to_vec())
    }
}

impl<T: Element, const A: usize> From<[T; A]> for Value {
    fn from(elements: [T; A]) -> Value {
        Value::from_vec([A], elements.to_vec())
    }
}

impl<T: Element, const A: usize, const B: usize> From<[[T; B]; A]> for Value {
    fn from(rows: [[T; B]; A]) -> Value {
        Value::from_vec([A, B], rows.as_flattened().to_vec())
    }
}

impl<T: Element, const A: usize, const B: usize, const C: usize> From<[[[T; C]; B]; A]> for Value {
    fn from(rows: [[[T; C]; B]; A]) -> Value {
        Value::from_vec([A, B, C], rows.as_flattened().as_flattened().to_vec())
    }
}

impl<T: Element, const A: usize, const B: usize, const C: usize, const D: usize>
    From<[[[[T; D]; C]; B]; A]> for Value
{
    fn from(rows: [[[[T; D]; C]; B]; A]) -> Value {
        let elements = rows.as_flattened().as_flattened().as_flattened().to_vec();
        Value::from_vec([A, B, C, D], elements)
    }
}

/// Takes the array with the order in which its elements lie, and copies nothing.
impl<T: Element, D: Dimension> From<ArrayBase<OwnedRepr<T>, D>> for Value {
    fn from(array: ArrayBase<OwnedRepr<T>, D>) -> Value {
        let spec = Spec::new(T::DTYPE, array.shape());
        let strides: SmallVec<[isize; 6]> = array.strides().into();
        let (elements, first) = array.into_raw_vec_and_offset();
        let offset = first.unwrap_or(0) * size_of::<T>();
        // SAFETY: the elements of an array lie in its vector, from `first` on and with its strides.
        unsafe { Value::strided(spec, Buffer::from_vec(elements), offset, &strides) }
    }
}

/// Copies the elements.
impl<T: Element, D: Dimension> From<ArrayBase<ViewRepr<&T>, D>> for Value {
    fn from(view: ArrayBase<ViewRepr<&T>, D>) -> Value {
        Value::from(&view)
    }
}

/// Copies the elements.
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Value {
    fn from(array: &ArrayBase<S, D>) -> Value {
        let elements = match array.as_slice() {
            Some(elements) => elements.to_vec(),
            None => array.iter().copied().collect(),
        };
        Value::from_vec(array.shape(), elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DType;
    use ndarray::{Array, Array1, Array2, Array3, arr0, array, s};

    /// Checks that an array goes in and comes out as it was, without a copy on the way in and in a view.
    fn check<T: Element, D: Dimension>(array: Array<T, D>) {
        let (at, expected) = (array.as_ptr(), array.clone().into_dyn());
        let value = Value::from(array);
        assert_eq!(value.view_array::<T>().unwrap(), expected);
        assert_eq!(value.to_array::<T>().unwrap(), expected);
        assert_eq!(value.to_vec::<T>().unwrap(), expected.iter().copied().collect::<Vec<_>>());
        assert_eq!(Value::from(&expected).to_array::<T>().unwrap(), expected);
        assert_eq!(Value::from(expected.view()).to_array::<T>().unwrap(), expected);
        if !value.is_empty() {
            assert_eq!(value.as_ptr(), at.cast(), "the array was copied");
        }
    }

    fn numbers(depth: usize, rows: usize, columns: usize) -> Array3<i32> {
        Array3::from_shape_fn((depth, rows, columns), |(i, j, k)| (100 * i + 10 * j + k) as i32)
    }

    #[test]
    fn arrays_of_any_order_go_in_and_out() {
        let rows = numbers(2, 3, 4);
        check(rows.clone());
        check(rows.clone().reversed_axes());
        check(rows.clone().permuted_axes([1, 0, 2]));
        check(rows.clone().slice_move(s![1.., ..;2, 1..3]));
        check(rows.clone().slice_move(s![..;-1, ..;-2, ..;-1]));
        check(rows.clone().slice_move(s![.., 1, ..;-1]));
        check(rows.into_dyn());
    }

    #[test]
    fn every_dimension_and_type_goes_in_and_out() {
        check(arr0(5u8));
        check(array![true, false, true]);
        check(array![[1.0f32, -0.5], [f32::INFINITY, 0.0]]);
        check(Array::<i64, _>::from_elem((1, 2, 3, 1, 2, 2), -7));
        check(Array::<f64, _>::zeros(IxDyn(&[2; 8])));
    }

    #[test]
    fn empty_arrays_go_in_and_out() {
        check(Array2::<f32>::zeros((0, 3)));
        check(Array3::<f32>::zeros((2, 0, 5)).reversed_axes());
        check(Array1::from(vec![1, 2, 3]).slice_move(s![3..]));
    }

    #[test]
    fn a_value_that_repeats_an_element_is_viewed_without_a_copy() {
        let value = Value::from([1.0f64, 2.0]);
        // SAFETY: the strides reach the same two elements.
        let repeated = unsafe { value.view(Spec::new(DType::F64, [2, 3]), 0, &[1, 0]) };
        let view = repeated.view_array::<f64>().unwrap();
        assert_eq!(view, array![[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]].into_dyn());
        assert_eq!(view.as_ptr().cast(), value.as_ptr());
    }

    #[test]
    fn rust_data_becomes_values() {
        let of = |value: Value| (value.spec().to_string(), value.to_vec::<i32>().unwrap());
        assert_eq!(of(7.into()), ("i32[]".into(), vec![7]));
        assert_eq!(of(vec![1, 2].into()), ("i32[2]".into(), vec![1, 2]));
        assert_eq!(of([1, 2][..1].into()), ("i32[1]".into(), vec![1]));
        assert_eq!(of([1, 2, 3].into()), ("i32[3]".into(), vec![1, 2, 3]));
        assert_eq!(of([[1, 2], [3, 4], [5, 6]].into()), ("i32[3, 2]".into(), (1..7).collect()));
        assert_eq!(of([[[1, 2]], [[3, 4]]].into()), ("i32[2, 1, 2]".into(), (1..5).collect()));
        assert_eq!(of([[[[1, 2]], [[3, 4]]]].into()), ("i32[1, 2, 1, 2]".into(), (1..5).collect()));
        assert_eq!(Value::from([[true], [false]]).dtype(), DType::Bool);
    }

    #[test]
    fn item_reads_the_only_element() {
        assert_eq!(Value::from(2.5f32).item(), Ok(2.5f32));
        assert_eq!(Value::from([[true]]).item(), Ok(true));
        let last = Value::from(array![1, 2, 3].slice_move(s![2..]));
        assert_eq!(last.item(), Ok(3));
    }

    #[test]
    fn item_of_more_than_one_element_names_the_shape() {
        let error = Value::from([[1, 2, 3]]).item::<i32>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Shape);
        assert_eq!(error.message(), "`item` needs exactly one element, found shape [1, 3]");
        assert!(Value::from(Vec::<i32>::new()).item::<i32>().is_err());
    }

    #[test]
    fn reading_another_type_names_both_and_the_way_out() {
        let value = Value::from(1.0f32);
        let error = value.item::<f64>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Type);
        assert_eq!(error.message(), "elements of type f32 cannot be read as f64");
        assert_eq!(error.help(), Some("read them as f32, or `.cast` to f64 first"));
        assert_eq!(value.to_array::<f64>().unwrap_err(), error);
        assert_eq!(value.view_array::<f64>().unwrap_err(), error);
    }
}
