//! Values as plain bytes and back, for what reads and writes files. Knows no format and no byte order but the machine's.

use super::{Buffer, Value};
use crate::types::{DType, Spec};

/// The bytes of the elements.
impl Value {
    /// A copy of some bytes as elements in row-major order; `None` if they are more or fewer than the spec needs, or if
    /// a `bool` is neither 0 nor 1.
    pub(crate) fn from_bytes(spec: Spec, bytes: &[u8]) -> Option<Value> {
        let needed = spec.len()?.checked_mul(spec.dtype().size())?;
        if needed != bytes.len() || (spec.dtype() == DType::Bool && bytes.iter().any(|it| *it > 1))
        {
            return None;
        }
        let mut buffer = Buffer::uninit(needed);
        let to = buffer.unshared_mut().expect("a new buffer is unshared");
        // SAFETY: `to` points at as many writable bytes as there are, which no other handle has.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), needed) };
        Some(Value::from_buffer(spec, buffer))
    }

    /// The bytes of the elements, if they are in row-major order.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        if !self.is_row_major() {
            return None;
        }
        let len = self.len() * self.dtype().size();
        // SAFETY: row-major values have all their bytes from `as_ptr` on, and they are not written while borrowed.
        Some(unsafe { std::slice::from_raw_parts(self.as_ptr(), len) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_elements_and_back() {
        let spec = Spec::new(DType::F32, [2, 1]);
        let bytes = [0.5f32.to_ne_bytes(), (-0.0f32).to_ne_bytes()].concat();
        let value = Value::from_bytes(spec, &bytes).unwrap();
        assert_eq!((value.spec(), value.as_bytes()), (spec, Some(&bytes[..])));
        assert_eq!(value.as_slice::<f32>(), Some(&[0.5, 0.0][..]));
        assert_eq!(Value::from_vec([0], Vec::<i64>::new()).as_bytes(), Some(&[][..]));
    }

    #[test]
    fn bytes_that_are_no_elements_are_refused() {
        let check = |dtype, bytes: &[u8]| {
            assert!(Value::from_bytes(Spec::new(dtype, [2]), bytes).is_none(), "{dtype} {bytes:?}");
        };
        check(DType::F32, &[0; 7]);
        check(DType::U8, &[0; 3]);
        check(DType::Bool, &[1, 2]);
        assert!(Value::from_bytes(Spec::new(DType::I64, [usize::MAX, 3]), &[]).is_none());
    }
}
