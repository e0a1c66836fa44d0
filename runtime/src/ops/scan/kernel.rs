//! The kernel of linear recurrences along an axis, forwards or backwards. Knows no gradients.

use crate::error::Result;
use crate::kernels::Kernel;
use crate::types::{DType, Element};
use crate::value::Value;

/// `h[i] = a[i] * h[i - 1] + b[i]` of inputs `a` and `b`, or `h[i] = h[i - 1] + b[i]` of `b` alone.
#[derive(Debug)]
pub(super) struct Recur {
    pub axis: usize,
    pub backwards: bool,
}

/// An element type as it is carried from one step to the next.
trait Carried: Element {
    type Carry: Copy + Default;
    /// The next carry.
    fn step(factor: Option<Self>, carry: Self::Carry, term: Self) -> Self::Carry;
    /// The element.
    fn of(carry: Self::Carry) -> Self;
}

macro_rules! carried {
    ($($rust:ty as $carry:ty: |$factor:ident, $h:ident, $term:ident| $sum:expr, $product:expr;)*) => {$(
        impl Carried for $rust {
            type Carry = $carry;

            fn step(factor: Option<$rust>, $h: $carry, term: $rust) -> $carry {
                let $term = <$carry>::from(term);
                match factor {
                    None => $sum,
                    Some(factor) => {
                        let $factor = <$carry>::from(factor);
                        $product
                    }
                }
            }

            fn of(carry: $carry) -> $rust {
                carry as $rust
            }
        }
    )*};
}
carried! {
    f32 as f64: |a, h, b| h + b, a * h + b;
    f64 as f64: |a, h, b| h + b, a * h + b;
    i32 as i32: |a, h, b| h.wrapping_add(b), a.wrapping_mul(h).wrapping_add(b);
    i64 as i64: |a, h, b| h.wrapping_add(b), a.wrapping_mul(h).wrapping_add(b);
    u8 as u8: |a, h, b| h.wrapping_add(b), a.wrapping_mul(h).wrapping_add(b);
}

impl Recur {
    fn along<T: Carried>(&self, inputs: &[Value]) -> Value {
        let (factors, terms) = match inputs {
            [terms] => (None, terms.to_row_major()),
            [factors, terms, ..] => (Some(factors.to_row_major()), terms.to_row_major()),
            [] => unreachable!("a recurrence has terms"),
        };
        let sizes = terms.sizes();
        let terms = terms.as_slice::<T>().expect("it is in row-major order, and of the op's type");
        let factors =
            factors.as_ref().map(|it| it.as_slice::<T>().expect("it is as the terms are"));
        let (steps, inner) = (sizes[self.axis], sizes[self.axis + 1..].iter().product::<usize>());
        let mut results = terms.to_vec();
        let mut carries = vec![T::Carry::default(); inner];
        for outer in 0..results.len() / (steps * inner).max(1) {
            carries.fill(T::Carry::default());
            for step in 0..steps {
                let step = if self.backwards { steps - 1 - step } else { step };
                let row = (outer * steps + step) * inner;
                for (at, carry) in carries.iter_mut().enumerate() {
                    *carry = T::step(factors.map(|it| it[row + at]), *carry, terms[row + at]);
                    results[row + at] = T::of(*carry);
                }
            }
        }
        Value::from_vec(sizes, results)
    }
}

impl Kernel for Recur {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        Ok(vec![match inputs[0].dtype() {
            DType::F32 => self.along::<f32>(inputs),
            DType::F64 => self.along::<f64>(inputs),
            DType::I32 => self.along::<i32>(inputs),
            DType::I64 => self.along::<i64>(inputs),
            DType::U8 => self.along::<u8>(inputs),
            DType::Bool => unreachable!("`infer` takes numbers alone"),
        }])
    }
}
