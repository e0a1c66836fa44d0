//! Gradients that other frameworks have got wrong: at singular points, through broadcasting, repeated rows and errors.
//! Each is right by a tape and in a trace; the numbers are of mathematics.

use crate::support::{gradients_of, has_gradient as check};
use graphfn::prelude::*;
use graphfn::{UnconnectedGradients, times};

const INF: f64 = f64::INFINITY;

#[test]
fn c1_a_branch_that_is_not_chosen_gives_exactly_nothing() {
    check(|x| x.less(1.0).select(x, x.sqrt()), [0.0, 4.0], &[1.0, 0.25]);
    check(|x| x.greater(0.0).select(x * x.log(), 0.0), [0.0, 1.0], &[0.0, 1.0]);
    // The second derivative of x log x is 1 / x; it is weighted by 1 and 1.875.
    let [_, second] =
        gradients_of(|x| x.greater(0.0).select(x * x.log(), 0.0), &Tensor::from([0.0, 2.0]));
    assert_eq!(second, [0.0, 0.5 * 1.875]);
}

#[test]
fn c9_powers_of_zero_and_of_negative_numbers() {
    check(|x| x.pow(2.0), [0.0, 3.0], &[0.0, 6.0]);
    check(|x| x.pow(Tensor::from(3.0)), [-2.0], &[12.0]);
    let a = Tensor::from([0.0, 2.0]);
    let log4 = 2.0 * 2f64.ln();
    check(|b| a.pow(b), 1.0, &[log4]);
    check(|x| x.pow(0.0), [0.0, 5.0], &[0.0, 0.0]);
    assert_eq!(Tensor::from(0.0).pow(0.0).item::<f64>(), 1.0);
}

#[test]
fn c11_kinks_have_the_slope_zero_and_a_root_at_zero_an_infinite_one() {
    check(|x| x.abs(), [0.0, -0.0, 2.0, -3.0], &[0.0, 0.0, 1.0, -1.0]);
    check(|x| x.relu(), [0.0, -1.0, 1.0], &[0.0, 0.0, 1.0]);
    check(|x| x.sign(), [0.0, 2.0], &[0.0, 0.0]);
    let [first, _] = gradients_of(|x| x.sqrt(), &Tensor::from([0.0]));
    assert_eq!(first, [INF]);
}

#[test]
fn i3_softplus_of_large_numbers() {
    check(
        |x| x.softplus(),
        [20.0, 50.0, 100.0, -800.0],
        &[1.0 - 2.061_153_618_190_203_6e-9, 1.0, 1.0, 0.0],
    );
}

#[test]
fn products_of_gradients_keep_second_derivatives() {
    // sin(x)^2 at 0: 2 cos(0)^2 = 2; (x - 1)^4 at 1: 0.
    let second = |f: fn(&Tensor) -> Tensor, x: f64| gradients_of(f, &Tensor::from(x))[1].clone();
    assert_eq!(second(|x| x.sin().square(), 0.0), [2.0]);
    assert_eq!(second(|x| (x - 1.0).square().square(), 1.0), [0.0]);
    assert_eq!(second(|x| times(x, x.clone()), 0.0), [2.0]);
}

#[test]
fn d5_a_bias_that_was_broadcast() {
    let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let labels = Tensor::from([[1.0], [2.0]]);
    let loss = |(w, b): &(Tensor, Tensor)| ((x.matmul(w) + b) - &labels).square().sum();
    let at = (Tensor::from([[0.5], [-1.0], [0.25]]), Tensor::from([[0.1, 0.2, 0.3]]));
    let both = |at: &(Tensor, Tensor)| value_and_grad(loss)(at);
    for (value, (dw, db)) in [both(&at), graph_fn(both).call(&at)] {
        let near = |found: &[f64], wanted: &[f64]| {
            assert!(found.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-10), "{found:?}");
        };
        near(&value.to_vec::<f64>(), &[39.9175]);
        near(&dw.to_vec::<f64>(), &[-88.5, -117.6, -146.7]);
        near(&db.to_vec::<f64>(), &[-10.1, -9.7, -9.3]);
    }
}

#[test]
fn d7_repeated_rows_add_up() {
    let rows = Tensor::from([2, 2, 0]);
    let table = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    check(|t| t.gather(&rows, 0), table, &[1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
}

#[test]
fn h3_the_gradient_of_an_index_out_of_range_is_an_error_too() {
    let f = |t: &Tensor| t.gather(&Tensor::from([0, 5]), 0).sum();
    let x = Tensor::from([1.0, 2.0, 3.0]);
    let eager = attempt(|| grad(f)(&x)).unwrap_err();
    let traced = attempt(|| graph_fn(grad(f)).call(&x)).unwrap_err();
    for error in [eager, traced] {
        assert!(error.message().contains('5') && error.message().contains('3'), "{error}");
    }
}

#[test]
fn d11_integers_and_what_takes_no_part_have_no_gradient() {
    let (x, n, z) = (Tensor::from(2.0), Tensor::from(3), Tensor::from([1.0, 2.0]));
    let tape = GradientTape::new().persistent();
    tape.watch((&x, &n, &z));
    let y = &x * n.cast(DType::F64);
    let (dx, dn, dz) = tape.gradient(&y, (&x, &n, &z));
    assert_eq!((dx.unwrap().item::<f64>(), dn.is_none(), dz.is_none()), (3.0, true, true));
    let tape = tape.unconnected(UnconnectedGradients::Zero);
    let (dn, dz) = tape.gradient(&y, (&n, &z));
    assert_eq!((dn.unwrap().item::<i32>(), dz.unwrap().to_vec::<f64>()), (0, vec![0.0, 0.0]));
    let error = attempt(|| tape.gradient(&n, &x)).unwrap_err();
    assert_eq!(error.message(), "a gradient needs targets of floats, found i32[]");
}

#[test]
fn d13_a_cube_twice() {
    let [first, second] = gradients_of(|x| x * x * x, &Tensor::from(1.0));
    assert_eq!((&first[..], &second[..]), (&[3.0][..], &[6.0][..]));
}

#[test]
fn d15_a_persistent_tape_gives_the_same_twice() {
    let [x, w, b] = [10.0, 2.0, 3.0].map(Tensor::from);
    let tape = GradientTape::new().persistent();
    tape.watch([&x, &w, &b]);
    let y = &w * &x + &b;
    for _ in 0..2 {
        let found = tape.gradient(&y, [&x, &w, &b]).map(|it| it.unwrap().item::<f64>());
        assert_eq!(found, [2.0, 10.0, 1.0]);
    }
}

#[test]
fn an_empty_tensor_has_an_empty_gradient() {
    let none: [f64; 0] = [];
    check(|x| x.exp().sum() + x.prod(), Tensor::from(Vec::<f64>::new()), &none);
}

#[test]
fn a14_the_gradient_of_hundreds_of_nodes_is_finite() {
    let chain = |x: &Tensor| (0..500).fold(x.clone(), |x, _| x.sin() * 1.01);
    let traced = graph_fn(grad(chain));
    let x = Tensor::from(0.5f32);
    let found: Vec<f32> = (0..3).map(|_| traced.call(&x).item()).collect();
    assert!(found[0].is_finite() && found.iter().all(|it| *it == found[0]), "{found:?}");
}
