//! Faults that others had in element-wise ops: each case must hold at once, traced, and with transposed inputs.

use graphfn::prelude::*;
use ndarray::Array2;

/// The same numbers twice, in an order of memory that is not row-major.
fn turned<T: Copy>(numbers: &[T]) -> Array2<T> {
    Array2::from_shape_fn((2, numbers.len()), |(_, at)| numbers[at]).reversed_axes()
}

/// Checks what one function gives for some numbers: on a vector and on a transposed matrix, three calls each.
macro_rules! holds {
    ($f:path, $numbers:expr, $type:ty => $wanted:expr) => {
        let (numbers, wanted) = ($numbers, $wanted);
        for _ in 0..3 {
            let found = $f(&Tensor::from(numbers)).to_vec::<$type>();
            assert_eq!(format!("{found:?}"), format!("{wanted:?}"));
            let found = $f(&Tensor::from(turned(&numbers))).to_vec::<$type>();
            let twice: Vec<$type> = wanted.iter().flat_map(|it| [*it, *it]).collect();
            assert_eq!(format!("{found:?}"), format!("{twice:?}"));
        }
    };
}

/// A function, traced and not.
macro_rules! both {
    ($plain:ident, $traced:ident: |$x:ident| $body:expr) => {
        fn $plain($x: &Tensor) -> Tensor {
            $body
        }

        #[graph_fn]
        fn $traced($x: &Tensor) -> Tensor {
            $body
        }
    };
}

both!(product_of_exps, traced_product: |x| x.exp() * (-x).exp());

#[test]
fn e3_a_product_of_exponentials_is_not_simplified() {
    holds!(product_of_exps, [200.0f32, 0.0], f32 => [f32::NAN, 1.0]);
    holds!(traced_product, [200.0f32, 0.0], f32 => [f32::NAN, 1.0]);
}

both!(larger, traced_larger: |x| x.maximum(2.0));
both!(larger_of, traced_larger_of: |x| Tensor::from(2.0f32).maximum(x));
both!(smaller, traced_smaller: |x| x.minimum(2.0));
both!(relu, traced_relu: |x| x.relu());
both!(relu6, traced_relu6: |x| x.relu6());
both!(clipped, traced_clipped: |x| x.clamp(0.0, 2.0));

#[test]
fn e4_nan_wins_in_maximum_minimum_relu_and_clamp() {
    const N: f32 = f32::NAN;
    for at in 0..4 {
        let mut x = [-1.0f32, 1.0, 3.0, 7.0];
        x[at] = N;
        let with_nan = |mut wanted: [f32; 4]| {
            wanted[at] = N;
            wanted
        };
        holds!(larger, x, f32 => with_nan([2.0, 2.0, 3.0, 7.0]));
        holds!(traced_larger, x, f32 => with_nan([2.0, 2.0, 3.0, 7.0]));
        holds!(larger_of, x, f32 => with_nan([2.0, 2.0, 3.0, 7.0]));
        holds!(traced_larger_of, x, f32 => with_nan([2.0, 2.0, 3.0, 7.0]));
        holds!(smaller, x, f32 => with_nan([-1.0, 1.0, 2.0, 2.0]));
        holds!(traced_smaller, x, f32 => with_nan([-1.0, 1.0, 2.0, 2.0]));
        holds!(relu, x, f32 => with_nan([0.0, 1.0, 3.0, 7.0]));
        holds!(traced_relu, x, f32 => with_nan([0.0, 1.0, 3.0, 7.0]));
        holds!(relu6, x, f32 => with_nan([0.0, 1.0, 3.0, 6.0]));
        holds!(traced_relu6, x, f32 => with_nan([0.0, 1.0, 3.0, 6.0]));
        holds!(clipped, x, f32 => with_nan([0.0, 1.0, 2.0, 2.0]));
        holds!(traced_clipped, x, f32 => with_nan([0.0, 1.0, 2.0, 2.0]));
    }
    let bound = Tensor::from(1.0f32).clamp(f32::NAN, 2.0);
    assert!(bound.item::<f32>().is_nan());
}

/// The numbers of the case, again and again.
fn odd_numbers(len: usize) -> Vec<f32> {
    let numbers = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9, -3e9, -1.9];
    numbers.iter().copied().cycle().take(len).collect()
}

/// The cast of a constant, which is folded, and of the argument.
#[graph_fn]
fn both_casts(x: &Tensor) -> (Tensor, Tensor) {
    let len = x.shape().len().expect("the size is known");
    (Tensor::from(odd_numbers(len)).cast(DType::I32), x.cast(DType::I32))
}

#[test]
fn g1_a_float_out_of_range_saturates_in_every_path() {
    let wanted = [0, i32::MAX, i32::MIN, i32::MAX, i32::MIN, -1];
    for len in 1..=33 {
        let wanted: Vec<i32> = wanted.iter().copied().cycle().take(len).collect();
        let x = Tensor::from(odd_numbers(len));
        let (folded, traced) = both_casts(&x);
        assert_eq!(x.cast(DType::I32).to_vec::<i32>(), wanted);
        assert_eq!(folded.to_vec::<i32>(), wanted);
        assert_eq!(traced.to_vec::<i32>(), wanted);
    }
    let x = Tensor::from(turned(&odd_numbers(6)));
    assert_eq!(x.cast(DType::I32).to_vec::<i32>()[..4], [0, 0, i32::MAX, i32::MAX]);
    assert_eq!(Tensor::from([-1.0f64, 256.5]).cast(DType::U8).to_vec::<u8>(), [0, 255]);
    assert_eq!(Tensor::from([1e300f64, f64::NAN]).cast(DType::I64).to_vec::<i64>(), [i64::MAX, 0]);
    assert_eq!(
        Tensor::from([0.0f32, -0.0, f32::NAN, 0.1]).cast(DType::Bool).to_vec::<bool>(),
        [false, false, true, true]
    );
    assert_eq!(Tensor::from([true, false]).cast(DType::F32).to_vec::<f32>(), [1.0, 0.0]);
    assert_eq!(Tensor::from([300, -1]).cast(DType::U8).to_vec::<u8>(), [44, 255]);
}

both!(halved, traced_halved: |x| x.floor_div(2));
both!(halved_down, traced_halved_down: |x| x.floor_div(-2));
both!(rest, traced_rest: |x| x % 3);
both!(rest_down, traced_rest_down: |x| x.floor_mod(-3));
both!(cut, traced_cut: |x| x.trunc_div(2));
both!(cut_rest, traced_cut_rest: |x| x.trunc_mod(3));

#[test]
fn g3_division_of_negatives_rounds_down_and_truncation_has_its_own_name() {
    holds!(halved, [7, -7], i32 => [3, -4]);
    holds!(traced_halved, [7, -7], i32 => [3, -4]);
    holds!(halved_down, [7, -7], i32 => [-4, 3]);
    holds!(traced_halved_down, [7, -7], i32 => [-4, 3]);
    holds!(rest, [7, -7], i32 => [1, 2]);
    holds!(traced_rest, [7, -7], i32 => [1, 2]);
    holds!(rest_down, [7, -7], i32 => [-2, -1]);
    holds!(traced_rest_down, [7, -7], i32 => [-2, -1]);
    holds!(cut, [7i64, -7], i64 => [3, -3]);
    holds!(traced_cut, [7i64, -7], i64 => [3, -3]);
    holds!(cut_rest, [7, -7], i32 => [1, -1]);
    holds!(traced_cut_rest, [7, -7], i32 => [1, -1]);
    assert_eq!((Tensor::from(-5.5f64) % 2).item::<f64>(), 0.5);
    assert_eq!(Tensor::from(1.0f64).floor_div(0.1).item::<f64>(), 9.0);
}

#[graph_fn]
fn remainder(x: &Tensor, y: &Tensor) -> Tensor {
    x % y
}

#[graph_fn]
fn quotient(x: &Tensor, y: &Tensor) -> Tensor {
    x.floor_div(y)
}

#[test]
fn g4_an_integer_divisor_of_zero_is_an_error_and_the_least_integer_wraps() {
    let (least, minus_one) = (Tensor::from([i32::MIN]), Tensor::from([-1]));
    assert_eq!(least.floor_div(&minus_one).to_vec::<i32>(), [i32::MIN]);
    assert_eq!(least.trunc_div(&minus_one).to_vec::<i32>(), [i32::MIN]);
    assert_eq!(quotient(&least, &minus_one).to_vec::<i32>(), [i32::MIN]);
    assert_eq!((&least % &minus_one).to_vec::<i32>(), [0]);
    assert_eq!(remainder(&least, &minus_one).to_vec::<i32>(), [0]);

    let (x, y) = (Tensor::from([15, -8]), Tensor::from([4, 0]));
    let eager = attempt(|| &x % &y).unwrap_err();
    assert_eq!(eager.kind(), ErrorKind::Value);
    let traced = remainder::try_call(&x, &y).unwrap_err();
    assert_eq!((traced.kind(), traced.message()), (ErrorKind::Value, eager.message()));
    assert_eq!(remainder(&x, &Tensor::from([4, 3])).to_vec::<i32>(), [3, 1]);
    assert!(attempt(|| x.pow(-1)).is_err());
}

#[test]
fn g7_an_integer_tensor_and_a_fraction_is_an_error() {
    let x = Tensor::from([1, 2, 3]);
    let refused = "the number 0.5 stands beside a tensor of int32, which does not hold it";
    assert_eq!(attempt(|| &x * 0.5).unwrap_err().message(), refused);
    assert_eq!(attempt(|| 0.5 * &x).unwrap_err().message(), refused);
    assert_eq!(attempt(|| x.less(0.5)).unwrap_err().message(), refused);
    assert_eq!(attempt(|| Tensor::from(1) < 0.5).unwrap_err().message(), refused);
    assert_eq!((x.cast(DType::F32) * 0.5).to_vec::<f32>(), [0.5, 1.0, 1.5]);
}

both!(softplus, traced_softplus: |x| x.softplus());

#[test]
fn i3_softplus_neither_overflows_nor_vanishes() {
    let x = [20.0f32, 50.0, 100.0, 0.0, -100.0];
    // exp(-100) is 3.72e-44: the nearest subnormal number is 27 units of 2^-149.
    let wanted = [20.0f32, 50.0, 100.0, std::f32::consts::LN_2, 3.72e-44];
    holds!(softplus, x, f32 => wanted);
    holds!(traced_softplus, x, f32 => wanted);
}

both!(squared, traced_squared: |x| x.pow(2.0));
both!(cubed, traced_cubed: |x| x.pow(Tensor::from(3.0f32)));
both!(to_nothing, traced_to_nothing: |x| x.pow(0));

#[test]
fn c9_powers_of_zero_and_of_negative_bases() {
    holds!(squared, [0.0f32, -3.0], f32 => [0.0f32, 9.0]);
    holds!(traced_squared, [0.0f32, -3.0], f32 => [0.0f32, 9.0]);
    holds!(cubed, [-2.0f32, 0.0], f32 => [-8.0f32, 0.0]);
    holds!(traced_cubed, [-2.0f32, 0.0], f32 => [-8.0f32, 0.0]);
    holds!(to_nothing, [0.0f32, f32::NAN], f32 => [1.0f32, 1.0]);
    holds!(traced_to_nothing, [0.0f32, f32::NAN], f32 => [1.0f32, 1.0]);
}
