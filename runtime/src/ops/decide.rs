//! Rust's `<`, `<=`, `>`, `>=` and `==` on tensors and variables: one decision each, for an `if` or an `assert!`.
//! Knows who answers: the values where they are in memory, else the recorder. Knows no control flow.

use super::compare;
use super::operand::{Operand, pair};
use super::rows::Binary;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{OpRef, Tensor, apply, at_home, or_raise, recorder, run_eagerly};
use crate::types::{Dim, Shape, Spec};
use crate::value::Variable;
use std::cmp::Ordering;

/// Comparison operators, which decide; [`less`](Tensor::less), [`equal`](Tensor::equal) and their kin compare element by
/// element.
///
/// `==` of two tensors is true if element types, shapes and all elements are equal. An order, and `==` beside a number,
/// needs one element on each side. NaN is unequal to everything, and neither less nor greater.
macro_rules! decisions {
    ($($generics:tt $left:ty: $($right:ty),+;)*) => {
        $($(decisions!(@one $generics $left, $right);)+)*
    };
    (@one [$($generics:tt)*] $left:ty, $right:ty) => {
        impl<$($generics)*> PartialEq<$right> for $left {
            #[track_caller]
            fn eq(&self, other: &$right) -> bool {
                or_raise(is_equal(self, other))
            }
        }

        impl<$($generics)*> PartialOrd<$right> for $left {
            /// Up to three decisions: less, equal, greater; `None` is NaN.
            #[track_caller]
            fn partial_cmp(&self, other: &$right) -> Option<Ordering> {
                if self < other {
                    Some(Ordering::Less)
                } else if self.eq(other) {
                    Some(Ordering::Equal)
                } else {
                    (self > other).then_some(Ordering::Greater)
                }
            }

            #[track_caller]
            fn lt(&self, other: &$right) -> bool {
                or_raise(is_ordered("<", compare::less::row(), self, other))
            }

            #[track_caller]
            fn le(&self, other: &$right) -> bool {
                or_raise(is_ordered("<=", compare::less_equal::row(), self, other))
            }

            #[track_caller]
            fn gt(&self, other: &$right) -> bool {
                or_raise(is_ordered(">", compare::greater::row(), self, other))
            }

            #[track_caller]
            fn ge(&self, other: &$right) -> bool {
                or_raise(is_ordered(">=", compare::greater_equal::row(), self, other))
            }
        }
    };
}
// What stands on the right of a reference is listed: Rust itself compares references with references.
decisions!(
    [T: Operand] Tensor: T;
    [T: Operand] Variable: T;
    [] &Tensor: f32, f64, bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, Tensor, Variable;
    [] &Variable: f32, f64, bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, Tensor, Variable;
    [] f64: Tensor, &Tensor, Variable, &Variable;
    [] i32: Tensor, &Tensor, Variable, &Variable;
);

#[track_caller]
fn is_ordered(
    sign: &str,
    row: &'static Binary,
    a: &impl Operand,
    b: &impl Operand,
) -> Result<bool> {
    let [a, b] = pair(sign, a, b)?;
    if [a.spec(), b.spec()].iter().any(|it| it.len() != Some(1)) {
        return Err(not_one_element(sign, a.spec(), b.spec()));
    }
    answer(row, &a, &b)
}

#[track_caller]
fn is_equal(a: &impl Operand, b: &impl Operand) -> Result<bool> {
    let beside_number = a.is_number() || b.is_number();
    let [a, b] = pair("==", a, b)?;
    if beside_number && [a.spec(), b.spec()].iter().any(|it| it.len() != Some(1)) {
        return Err(not_one_element("==", a.spec(), b.spec()));
    }
    if a.dtype() != b.dtype() || !(beside_number || are_same(a.shape(), b.shape())?) {
        return Ok(false);
    }
    answer(compare::equal::row(), &a, &b)
}

/// Whether a comparison holds for all elements: at once if both are in memory, else by the recorder.
#[track_caller]
fn answer(row: &'static Binary, a: &Tensor, b: &Tensor) -> Result<bool> {
    let _home = at_home([a, b]);
    match recorder() {
        Some(recorder) if a.is_symbolic() || b.is_symbolic() => {
            let condition = apply(OpRef::Static(row), &[a, b], row.label);
            let is_one = condition.spec().len() == Some(1);
            let condition = if is_one { condition } else { condition.all() };
            recorder.decide(&condition, Place::caller())
        }
        _ => {
            let holds = run_eagerly(&OpRef::Static(row), &[a, b])?;
            Ok(holds[0].to_vec::<bool>().into_iter().all(|it| it))
        }
    }
}

/// Whether two shapes are the same.
///
/// # Errors
/// If that depends on sizes that are not known while tracing.
fn are_same(a: &Shape, b: &Shape) -> Result<bool> {
    let surely_differ = |(a, b): (&Dim, &Dim)| a.minus(b).is_none() || b.minus(a).is_none();
    if a == b {
        Ok(true)
    } else if a.rank() != b.rank() || a.dims().iter().zip(b.dims()).any(surely_differ) {
        Ok(false)
    } else {
        let message =
            format!("whether shapes {a:?} and {b:?} are the same is not known while tracing");
        Err(Error::new(ErrorKind::Shape, message).with_help(
            "give equal sizes one name in the signature, as in `signature(x: f32[n], y: f32[n])`",
        ))
    }
}

fn not_one_element(sign: &str, a: Spec, b: Spec) -> Error {
    let message = format!("`{sign}` needs one element on each side, found {a} and {b}");
    let help = if sign == "==" {
        "compare element by element with `equal`, or with a tensor of the same shape"
    } else {
        "compare element by element with `less`, `less_equal`, `greater` or `greater_equal`"
    };
    Error::new(ErrorKind::Shape, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;

    fn message<R: std::fmt::Debug>(block: impl FnOnce() -> R) -> String {
        attempt(block).unwrap_err().to_string()
    }

    #[test]
    fn one_element_is_ordered_by_value() {
        let (x, v) = (Tensor::from(2.0f32), Variable::new("v", 3.0f32));
        assert_eq!([x > 1.0, x >= 2.0, x <= 2, x < 2.5f32, 1.0 < x, 3 > x, 2.0 == x], [true; 7]);
        assert_eq!([x < v, v > x, v > 2.5, v == 3.0, x != v, 3 == v, 4.0 > v], [true; 7]);
        assert_eq!([x > v, x == v, v < 3, v == 2, 2.0 > x, x >= 2.5], [false; 6]);
        let of_one = [Tensor::from([2.0f32]) > 1.0, Tensor::from([[7]]) == 7];
        assert_eq!(of_one, [true; 2]);
        let (x, v) = (&x, &v);
        assert_eq!([x > 1.0, x == 2.0, x < v, v >= x, v != 2.0, 1.0 < x, 4 >= v], [true; 7]);
        assert_eq!([*x == ndarray::arr0(2.0f32), *x < ndarray::arr0(2.5f32)], [true; 2]);
    }

    #[test]
    fn nan_is_neither_less_nor_equal_nor_greater() {
        let (x, one) = (Tensor::from(f64::NAN), Tensor::from(1.0f64));
        assert_eq!(
            [x < 1.0, x <= 1.0, x > 1.0, x >= 1.0, x == 1.0, x != 1.0],
            [false, false, false, false, false, true]
        );
        assert_eq!(x.partial_cmp(&1.0), None);
        assert_eq!(x.partial_cmp(&x), None);
        assert_eq!(one.partial_cmp(&2.0), Some(Ordering::Less));
        assert_eq!(one.partial_cmp(&one), Some(Ordering::Equal));
        assert_eq!(1.5.partial_cmp(&one), Some(Ordering::Greater));
    }

    #[test]
    fn arrays_are_equal_in_type_shape_and_every_element() {
        let x = Tensor::from([1.0f32, 2.0]);
        assert_eq!(x, Tensor::from([1.0f32, 2.0]));
        assert_eq!(x, ndarray::array![1.0f32, 2.0]);
        assert_ne!(x, Tensor::from([1.0f32, 2.5]));
        assert_ne!(x, Tensor::from([[1.0f32, 2.0]]));
        assert_ne!(x, Tensor::from([1.0f32, 2.0, 3.0]));
        assert_ne!(x, Tensor::from([1.0f64, 2.0]));
        assert_ne!(x, Tensor::from(1.0f32));
        let nan = Tensor::from([1.0f32, f32::NAN]);
        assert_ne!(nan, nan);
        assert_eq!(Tensor::from(Vec::<i32>::new()), Tensor::from(Vec::<i32>::new()));
    }

    #[test]
    fn an_array_has_no_order_and_no_number_is_equal_to_it() {
        let x = Tensor::from([1.0f32, 2.0]);
        let text = message(|| x < 1.5);
        assert!(
            text.starts_with("`<` needs one element on each side, found f32[2] and f32[]"),
            "{text}"
        );
        assert!(
            text.ends_with(
                "compare element by element with `less`, `less_equal`, `greater` or `greater_equal`"
            ),
            "{text}"
        );
        assert!(
            message(|| 1.5 >= x)
                .starts_with("`>=` needs one element on each side, found f32[] and f32[2]")
        );
        let text = message(|| x == 1.0);
        assert!(
            text.starts_with("`==` needs one element on each side, found f32[2] and f32[]"),
            "{text}"
        );
        assert!(text.contains("`equal`"), "{text}");
        assert!(message(|| Tensor::from(Vec::<f32>::new()) < 1.0).contains("f32[0]"));
    }

    #[test]
    fn nothing_is_converted_for_a_comparison() {
        let x = Tensor::from(1);
        assert!(message(|| x < 1.5).contains("1.5 stands beside a tensor of int32"));
        assert!(message(|| x == 0.5).contains("0.5 stands beside a tensor of int32"));
        assert!(
            message(|| x < Variable::new("v", 1.0f32))
                .contains("`less` needs one element type, found i32[] and f32[]")
        );
        assert!(message(|| Tensor::from(true).lt(&true)).contains("`less` takes"));
    }

    #[test]
    fn shapes_with_unknown_sizes_are_the_same_different_or_undecided() {
        let [n, m] = ["n", "m"].map(|it| Dim::symbol(crate::types::Symbol::new(it)));
        let shape = |dim: &Dim| Shape::new([dim.clone()]);
        assert_eq!(are_same(&shape(&n), &shape(&n)), Ok(true));
        let next = n.plus(&Dim::Known(1)).unwrap();
        assert_eq!(are_same(&shape(&n), &shape(&next)), Ok(false));
        assert_eq!(are_same(&shape(&n), &Shape::scalar()), Ok(false));
        let error = are_same(&shape(&n), &shape(&m)).unwrap_err();
        assert_eq!(
            error.message(),
            "whether shapes [n] and [m] are the same is not known while tracing"
        );
        assert!(are_same(&shape(&n), &Shape::from([3])).is_err());
    }
}
