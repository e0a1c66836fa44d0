//! One trace for all sizes: `#[graph_fn(signature(x: f32[n]))]`, for ops of every family, and what has no such form.

use graphfn::{Tolerance, assert_close, prelude::*};

/// The lengths that one trace must serve.
const LENGTHS: [usize; 4] = [1, 2, 50, 1000];

/// `n` numbers between -2 and 2, without a pattern of a small period.
fn numbers(n: usize) -> Tensor {
    Tensor::from((0..n).map(|it| ((it * 37 % 101) as f32 - 50.0) / 25.0).collect::<Vec<_>>())
}

/// `n` rows of three numbers.
fn rows(n: usize) -> Tensor {
    numbers(3 * n).reshape([n, 3])
}

/// `n` images of 784 small whole numbers, so that every order of summation gives the same.
fn images(n: usize) -> Tensor {
    Tensor::from((0..784 * n).map(|it| (it * 37 % 13) as f32).collect::<Vec<_>>()).reshape([n, 784])
}

/// Checks functions of `f32[n]` or `f32[n, 3]`: one trace for every length, and the values of an eager run.
macro_rules! one_trace {
    ($($test:ident: $type:ident[$($dim:tt),*] = $input:ident, |$x:ident| $body:expr;)*) => {$(
        #[test]
        fn $test() {
            fn eager($x: &Tensor) -> Vec<Tensor> {
                $body.into()
            }
            #[graph_fn(signature(x: $type[$($dim),*]))]
            fn traced(x: &Tensor) -> Vec<Tensor> {
                eager(x)
            }
            for n in LENGTHS {
                let x = $input(n);
                let (found, wanted) = (traced(&x), eager(&x));
                assert_eq!(found.len(), wanted.len());
                for (found, wanted) in found.iter().zip(&wanted) {
                    assert_close(found, wanted, Tolerance::EXACT.with_nan());
                }
            }
            assert_eq!(traced::trace_count(), 1);
        }
    )*};
}

one_trace! {
    elementwise_functions: f32[n] = numbers, |x| [x.exp(), x.sin(), x.tanh(), -x, x.abs(), x.relu(), x.gelu()];
    casts_and_comparisons: f32[n] = numbers, |x| [x.cast(DType::I32), x.less(0.5), x.is_nan(), x.greater(0.0).logical_not()];
    scalars_on_either_side: f32[n] = numbers, |x| [x + 1.0, 2.0 * x, 1.0 / (x + 3.0), x.maximum(0.25), x.pow(2)];
    two_of_one_size: f32[n] = numbers, |x| [x * x, x.sub(x.square()), x.atan2(x + 1.0), x.maximum(-x)];
    choices: f32[n] = numbers, |x| [x.greater(0.0).select(x, -x), x.clamp(-1.0, 1.0)];
    known_sizes_broadcast: f32[n, 3] = rows, |x| [
        x + Tensor::from([1.0f32, 2.0, 3.0]),
        x * Tensor::from([[2.0f32]]),
        x - Tensor::from([0.5f32]),
    ];
    unknown_sizes_broadcast_with_themselves: f32[n, 3] = rows, |x| [
        x - x.mean_axis(KeepDims(0)),
        x / (x.abs().sum_axis(KeepDims(1)) + 1.0),
        x.index(1, 0).expand_dims(1) * x,
    ];
    sums_over_the_unknown_axis: f32[n, 3] = rows, |x| [x.sum_axis(0), x.prod_axis(0), x.sum(), x.count_nonzero_axis(0)];
    sums_over_the_known_axis: f32[n, 3] = rows, |x| [x.sum_axis(1), x.max_axis(1), x.min_axis(-1), x.argmax_axis(1)];
    extremes_over_the_unknown_axis: f32[n, 3] = rows, |x| [x.max_axis(0), x.min(), x.argmin_axis(0), x.argmax()];
    truth_over_the_unknown_axis: f32[n, 3] = rows, |x| [x.less(3.0).all(), x.greater(1.9).any_axis(0)];
    means_count_the_unknown_size: f32[n, 3] = rows, |x| [x.mean(), x.mean_axis(0), x.mean_axis(1), x.mean_axis(KeepDims(0))];
    variances_count_the_unknown_size: f32[n, 3] = rows, |x| [x.var(), x.var_axis(0), x.std_axis(0), x.std_axis(1)];
    logsumexp_and_norms: f32[n, 3] = rows, |x| [x.logsumexp(), x.logsumexp_axis(0), x.logsumexp_axis(1), x.norm(), x.norm_axis(0)];
    running_totals: f32[n, 3] = rows, |x| [x.cumsum(0), x.cumsum(1), x.cumprod(0)];
    reshapes_with_what_is_left: f32[n, 3] = rows, |x| [x.reshape(-1), x.reshape([-1, 1, 3]), x.reshape([3, -1])];
    transposes: f32[n, 3] = rows, |x| [x.t(), x.transpose([1, 0]), x.expand_dims(1), x.expand_dims(0).squeeze(0)];
    joins: f32[n, 3] = rows, |x| [concat(&[x, x], 0), concat(&[x, &(x + 1.0)], 1), concat(&[x, &Tensor::from([[1.0f32, 2.0, 3.0]])], 0)];
    stacks: f32[n] = numbers, |x| [stack(&[x, &(x + 1.0)], 0), stack(&[x, x], 1), stack(&[x, x], -1).sum_axis(0)];
    slices: f32[n, 3] = rows, |x| [x.slice(1..), x.slice(..-1), x.slice((.., 1..)), x.index(0, -1), x.at(0)];
    paddings: f32[n, 3] = rows, |x| [x.pad(&[(1, 2), (0, 0)], 0.0), x.pad(&[(0, 0), (1, 1)], Border::Reflect), x.pad(&[(2, 0), (0, 1)], Border::Edge)];
    tiles: f32[n, 3] = rows, |x| [x.tile(&[2, 1]), x.tile(&[1, 2]), x.repeat(2, 1), x.repeat(3, 0)];
    turns: f32[n, 3] = rows, |x| [x.flip(0), x.flip(()), x.roll(1, 0), x.roll(-1, 1)];
    splits_of_the_known_axis: f32[n, 3] = rows, |x| x.split(3, 1);
    splits_by_sizes: f32[n, 3] = rows, |x| x.split_sizes(&[1, 2], 1);
    unstacks_of_the_known_axis: f32[n, 3] = rows, |x| x.unstack(1);
    sizes_as_tensors: f32[n, 3] = rows, |x| [x.size_of(0), x.size(), x.shape_of(), x.sum() / x.size().cast(DType::F32)];
    products: f32[n, 3] = rows, |x| [
        x.matmul(Tensor::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]])),
        x.t().matmul(x),
        x.matmul(x.t().slice((.., ..1))),
    ];
    products_of_wide_rows: f32[n, 784] = images, |x| [
        x.matmul(Tensor::full([784, 10], 0.5f32)) + Tensor::ones::<f32>([10]),
        x.matmul(Tensor::ones::<f32>([784])),
    ];
    picks: f32[n, 3] = rows, |x| [
        x.gather(&Tensor::from([0, 0]), 0),
        x.gather(&Tensor::from([2, 0, 2, 1]), 1),
        x.take_along_axis(&x.argmax_axis(KeepDims(1)), 1),
    ];
    fills: f32[n, 3] = rows, |x| [x.zeros_like(), x.ones_like() + x, x.full_like(2.5)];
    unnamed_sizes: f32[?, 3] = rows, |x| [x.sum_axis(0), x + x, concat(&[x, x], 0)];
}

/// The graph's text, without the places.
fn text(concrete: &ConcreteFunction) -> String {
    let graph = concrete.graph().to_string();
    let lines: Vec<&str> =
        graph.lines().map(|it| it.split("  //").next().expect("a part")).collect();
    lines.join("\n")
}

#[graph_fn(signature(x: f32[n]))]
fn framed(x: &Tensor) -> Tensor {
    concat(&[x, x], 0).pad(&[(1, 2)], 0.0)
}

#[test]
fn the_graph_prints_sizes_as_linear_forms() {
    let concrete = framed::concrete_function(&numbers(4)).expect("it is traced");
    assert_eq!(concrete.signature(), "framed(x: f32[n]) -> (f32[2*n+3])");
    let text = text(&concrete);
    assert!(text.contains(r#"in0 "x": f32[n]"#), "{text}");
    assert!(text.contains(r#""concat" = ConcatV2(in0, in0)"#), "{text}");
    assert!(text.contains(": f32[2*n]\n") && text.contains(": f32[2*n+3]\n"), "{text}");
    for n in LENGTHS {
        assert_eq!(framed(&numbers(n)).shape().dims()[0], 2 * n + 3);
    }
    assert_eq!(framed::trace_count(), 1);
}

#[test]
fn explain_is_for_the_sizes_of_the_call_that_asked() {
    let small = framed::concrete_function(&numbers(1)).and_then(|it| it.explain());
    let large = framed::concrete_function(&numbers(1000)).and_then(|it| it.explain());
    assert_ne!(small.expect("it is planned"), large.expect("it is planned"));
}

#[graph_fn(signature(x: f32[n, 2], y: f32[n], z: f32[?]))]
fn three(x: &Tensor, y: &Tensor, z: &Tensor) -> Tensor {
    (x.sum_axis(1) * y).sum() + z.sum()
}

#[test]
fn sizes_of_one_name_are_equal_and_unnamed_ones_are_free() {
    let of = |n: usize| numbers(n);
    for n in LENGTHS {
        let _ = three(&of(2 * n).reshape([n, 2]), &of(n), &of(n + 5));
    }
    assert_eq!(three::trace_count(), 1);
    let line = line!() + 1;
    let error = three::try_call(&of(6).reshape([3, 2]), &of(4), &of(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Signature);
    assert_eq!(error.message(), "size `n` is 3 in argument `x` and 4 in `y`");
    assert_eq!(
        error.help(),
        Some("sizes of one name must be equal; use `?` for sizes of their own")
    );
    assert_eq!((error.place().map(|it| it.line), error.function()), (Some(line), Some("three")));
}

#[test]
fn what_does_not_fit_the_declaration_is_refused() {
    #[graph_fn(signature(x: f32[n, 3]))]
    fn declared(x: &Tensor) -> Tensor {
        x.sum()
    }
    let wrong = [
        (rows(2).cast(DType::F64), "f64[2, 3]"),
        (numbers(3), "f32[3]"),
        (rows(2).reshape([3, 2]), "f32[3, 2]"),
    ];
    for (x, found) in wrong {
        let line = line!() + 1;
        let error = declared::try_call(&x).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Signature);
        let wanted = format!("argument `x` is {found}, and the signature declares f32[n, 3]");
        assert_eq!(error.message(), wanted);
        assert!(error.help().is_some_and(|help| help.contains("signature(x: ..)")));
        assert_eq!(
            (error.place().map(|it| it.line), error.function()),
            (Some(line), Some("declared"))
        );
        let looked = declared::concrete_function(&x).unwrap_err();
        assert_eq!((looked.message(), looked.function()), (wanted.as_str(), Some("declared")));
    }
    assert_eq!(declared::trace_count(), 0);
    assert!(declared::try_call(&rows(2)).is_ok());
}

#[test]
fn the_body_sees_a_symbol_in_the_shape_and_reads_it_as_a_tensor() {
    #[graph_fn(signature(x: f32[n, 3]))]
    fn looks(x: &Tensor) -> Tensor {
        assert_eq!(format!("{} {:?}", x.shape(), x.shape()), "(n, 3) [n, 3]");
        assert_eq!((x.shape().dims()[0].known(), x.shape().len(), x.rank()), (None, None, 2));
        assert_eq!(format!("{x}"), r#"Tensor("x:0", shape=(n, 3), dtype=float32)"#);
        x.size_of(0)
    }
    for n in LENGTHS {
        assert_eq!(looks(&rows(n)).item::<i64>(), n as i64);
    }
    assert_eq!(looks::trace_count(), 1);
}

#[test]
fn a_size_read_as_a_tensor_takes_part_in_arithmetic() {
    #[graph_fn(signature(x: f32[n]))]
    fn mean_by_hand(x: &Tensor) -> Tensor {
        x.sum() / x.size_of(0).cast(DType::F32)
    }
    for n in LENGTHS {
        assert_close(mean_by_hand(&numbers(n)), numbers(n).mean(), Tolerance::relative(1e-6));
    }
}

/// Each row: a body over `x: f32[n]`, `y: f32[m]` and what the error says, with the line of the op.
macro_rules! no_form {
    ($($test:ident: |$x:ident, $y:ident| $body:expr => $kind:ident, $($part:literal),+;)*) => {$(
        #[test]
        fn $test() {
            #[graph_fn(signature(x: f32[n], y: f32[m]))]
            #[allow(unused_variables, reason = "not each body needs both")]
            fn traced($x: &Tensor, $y: &Tensor) -> Tensor {
                $body
            }
            let error = traced::try_call(&numbers(4), &numbers(4)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::$kind, "{error}");
            let text = error.to_string();
            for part in [$($part),+, "signature.rs:", "in `traced`", "help: "] {
                assert!(text.contains(part), "{part} is not in {text}");
            }
        }
    )*};
}

no_form! {
    two_unknown_sizes_do_not_broadcast: |x, y| x + y => Shape, "[n]", "[m]", "signature(x: f32[n], y: f32[n])";
    an_unknown_and_a_known_size_do_not_broadcast: |x, y| x * Tensor::from([1.0f32, 2.0]) => Shape, "[n]", "[2]";
    an_unknown_size_does_not_split: |x, y| x.split(2, 0)[0].clone() => Shape, "`split`", "[n]";
    an_unknown_size_does_not_split_by_sizes: |x, y| x.split_sizes(&[1, 2], 0)[0].clone() => Shape, "`split_sizes`", "[n]";
    an_unknown_size_does_not_unstack: |x, y| x.unstack(0)[0].clone() => Trace, "`unstack`", "[n]";
    an_unknown_size_is_not_a_known_one: |x, y| x.reshape([2, 2]) => Shape, "`reshape`", "[n]", "not known to agree";
    an_unknown_size_may_not_divide: |x, y| x.reshape([-1, 2]) => Shape, "`reshape`", "-1", "[n]";
    a_product_of_unknown_sizes_has_no_form: |x, y| (x.expand_dims(1) * y).reshape(-1) => Shape, "`reshape`", "[n, m]";
    a_step_may_not_divide: |x, y| x.slice(Slice::new(None, None, 2)) => Shape, "`slice`", "n";
    other_sizes_do_not_stack: |x, y| stack(&[x, y], 0) => Shape, "`stack`", "[n]", "[m]";
    an_unknown_size_does_not_squeeze: |x, y| x.squeeze(0) => Shape, "`squeeze`", "[n]";
    whether_arrays_are_equal_is_not_known: |x, y| if x == y { x.clone() } else { -x } => Shape, "[n]", "[m]";
}

#[test]
fn inputs_that_are_too_small_are_named_with_their_size() {
    #[graph_fn(signature(x: f32[n]))]
    fn without_three(x: &Tensor) -> Tensor {
        x.slice(3..)
    }
    let line = line!() - 2;
    for n in [3, 4, 50, 1000] {
        assert_close(without_three(&numbers(n)), numbers(n).slice(3..), Tolerance::EXACT);
    }
    let error = without_three::try_call(&numbers(1)).unwrap_err();
    assert_eq!(error.message(), "shape [n-3] has a negative size at n = 1");
    assert_eq!(error.help(), Some("the inputs are too small for this op"));
    assert_eq!(
        (error.place().map(|it| it.line), error.function()),
        (Some(line), Some("without_three"))
    );
    assert_eq!(without_three::trace_count(), 1);
}
