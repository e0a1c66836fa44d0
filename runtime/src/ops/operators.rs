//! Rust's operators on tensors and variables: the rows of arithmetic and logic under TensorFlow's operator names.
//! Knows which row each operator is. Comparisons stand in `decide`: they give a `bool`, not a tensor.

use super::operand::{Operand, pair};
use super::rows::Binary;
use super::{arithmetic, compare};
use crate::graph::{OpRef, Tensor, apply, raise};
use crate::types::Element;
use crate::value::Variable;
use ndarray::{ArrayBase, Data, Dimension};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};

/// An operator between two types, of which one at least is a tensor or a variable.
macro_rules! operator {
    ($trait:ident $method:ident $row:expr, $label:literal: $($generics:tt $left:ty: $($right:ty),+;)*) => {
        $($(operator!(@one $generics $left, $right, $trait $method $row, $label);)+)*
    };
    (@one [$($generics:tt)*] $left:ty, $right:ty, $trait:ident $method:ident $row:expr, $label:literal) => {
        impl<$($generics)*> $trait<$right> for $left {
            type Output = Tensor;

            #[track_caller]
            fn $method(self, other: $right) -> Tensor {
                operate($row, &self, &other, $label)
            }
        }
    };
}

/// Operators on numbers and their assigning forms. With a second float type on the left, `1.0 + x` would not say what
/// it gives; every number may stand on the right.
macro_rules! arithmetic {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident: $row:expr, $label:literal;)*) => {$(
        operator!($trait $method $row, $label:
            [T: Operand] Tensor: T;
            [T: Operand] &Tensor: T;
            [T: Operand] Variable: T;
            [T: Operand] &Variable: T;
            [] f64: Tensor, &Tensor, Variable, &Variable;
            [] i32: Tensor, &Tensor, Variable, &Variable;
            [S: Data<Elem: Element>, D: Dimension] &ArrayBase<S, D>: Tensor, &Tensor, Variable, &Variable;
        );
        assigning!($assign $assign_method $row, $label);
    )*};
}

/// Operators on truth values and their assigning forms.
macro_rules! logic {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident: $row:expr, $label:literal;)*) => {$(
        operator!($trait $method $row, $label:
            [T: Operand] Tensor: T;
            [T: Operand] &Tensor: T;
            [T: Operand] Variable: T;
            [T: Operand] &Variable: T;
            [] bool: Tensor, &Tensor, Variable, &Variable;
        );
        assigning!($assign $assign_method $row, $label);
    )*};
}

/// An operator that replaces a tensor in its place: the handle then holds another value.
macro_rules! assigning {
    ($trait:ident $method:ident $row:expr, $label:literal) => {
        impl<T: Operand> $trait<T> for Tensor {
            #[track_caller]
            fn $method(&mut self, other: T) {
                *self = operate($row, &*self, &other, $label);
            }
        }
    };
}

arithmetic!(
    Add add AddAssign add_assign: arithmetic::add::row(), "add";
    Sub sub SubAssign sub_assign: arithmetic::sub::row(), "sub";
    Mul mul MulAssign mul_assign: arithmetic::mul::row(), "mul";
    Div div DivAssign div_assign: arithmetic::div::row(), "truediv";
    Rem rem RemAssign rem_assign: arithmetic::floor_mod::row(), "mod";
);
logic!(
    BitAnd bitand BitAndAssign bitand_assign: compare::logical_and::row(), "and";
    BitOr bitor BitOrAssign bitor_assign: compare::logical_or::row(), "or";
    BitXor bitxor BitXorAssign bitxor_assign: compare::logical_xor::row(), "xor";
);

#[track_caller]
fn operate(row: &'static Binary, left: &impl Operand, right: &impl Operand, label: &str) -> Tensor {
    match pair(row.method, left, right) {
        Ok([left, right]) => apply(OpRef::Static(row), &[&left, &right], label),
        Err(error) => raise(error),
    }
}

/// `-x` and `!x`.
macro_rules! prefix {
    ($($trait:ident $method:ident $call:ident: $($operand:ty),*);* $(;)?) => {$($(
        impl $trait for $operand {
            type Output = Tensor;

            #[track_caller]
            fn $method(self) -> Tensor {
                self.$call()
            }
        }
    )*)*};
}
prefix!(
    Neg neg negative: Tensor, &Tensor, Variable, &Variable;
    Not not logical_not: Tensor, &Tensor, Variable, &Variable;
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::attempt;
    use ndarray::array;

    #[test]
    fn a_number_on_the_left_leaves_the_type_of_the_result_known() {
        let x = Tensor::from(0.0f32);
        let y = 1.0 + x.exp();
        assert_eq!(y.exp().item::<f32>(), 2f32.exp());
        let y = 2 * &x - 1;
        assert_eq!(y.abs().item::<f32>(), 1.0);
    }

    #[test]
    fn numbers_arrays_variables_and_tensors_stand_beside_each_other() {
        let (x, v) = (Tensor::from([1.0f32, 2.0]), Variable::new("v", [3.0f32, 4.0]));
        let a = array![10.0f32, 20.0];
        let of = |it: Tensor| it.to_vec::<f32>();
        assert_eq!(of(&x * 2), [2.0, 4.0]);
        assert_eq!(of(&x * 2.0f32), [2.0, 4.0]);
        assert_eq!(of(&v + 1.0), [4.0, 5.0]);
        assert_eq!(of(&v * &a), [30.0, 80.0]);
        assert_eq!(of(&a - &x), [9.0, 18.0]);
        assert_eq!(of(&a / v.clone()), [10.0 / 3.0, 5.0]);
        assert_eq!(of(1.0 / &v), [1.0 / 3.0, 0.25]);
        assert_eq!(of(-v.clone() + x.clone()), [-2.0, -2.0]);
        assert_eq!(of(&x + a.view()), [11.0, 22.0]);
        assert_eq!(of(7.0 % &v), [1.0, 3.0]);
        assert_eq!(of(&v - v.clone()), [0.0, 0.0]);
    }

    #[test]
    fn remainders_have_the_sign_of_the_divisor() {
        let x = Tensor::from([-7, 7, -7]) % Tensor::from([3, -3, -3]);
        assert_eq!(x.to_vec::<i32>(), [2, -2, -1]);
    }

    #[test]
    fn truth_values_combine() {
        let (p, q) = (Tensor::from([true, true, false]), Tensor::from([true, false, false]));
        assert_eq!((&p & &q).to_vec::<bool>(), [true, false, false]);
        assert_eq!((&p | false).to_vec::<bool>(), [true, true, false]);
        assert_eq!((true ^ &p).to_vec::<bool>(), [false, false, true]);
        assert_eq!((!q).to_vec::<bool>(), [false, true, true]);
    }

    #[test]
    fn an_assigning_operator_replaces_the_handle_and_not_the_value() {
        let mut x = Tensor::from(8.0f32);
        let before = x.clone();
        x += 1.0;
        x -= Tensor::from(3.0f32);
        x *= 2;
        x /= 4.0;
        x %= 2.0;
        assert_eq!((x.item::<f32>(), before.item::<f32>()), (1.0, 8.0));
        let mut p = Tensor::from(true);
        p &= false;
        p |= true;
        p ^= Tensor::from(true);
        assert!(!p.item::<bool>());
    }

    #[test]
    fn two_types_are_named_at_the_users_line() {
        let line = line!() + 1;
        let error = attempt(|| Tensor::from(1.0f32) + Tensor::from(1.0f64)).unwrap_err();
        assert_eq!(error.message(), "`add` needs one element type, found f32[] and f64[]");
        assert_eq!(error.place().unwrap().line, line);
        let error = attempt(|| 1.5 - Tensor::from(1)).unwrap_err();
        assert_eq!(
            error.message(),
            "the number 1.5 stands beside a tensor of int32, which does not hold it"
        );
        assert_eq!(error.place().unwrap().line, line + 3);
    }
}
