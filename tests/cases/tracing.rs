//! Faults that others had in caches, captures and state: each promise of a trace, by the report that asked for it.

use graphfn::{Tolerance, assert_close, prelude::*};
use once_cell::sync::Lazy;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `0, 1, .., n - 1`.
fn counted(n: usize) -> Tensor {
    Tensor::from((0..n).map(|it| it as f32).collect::<Vec<_>>())
}

/// The sum of the squares of `0, 1, .., n - 1`.
fn sum_of_squares(n: usize) -> f32 {
    (n * n.saturating_sub(1) * (2 * n).saturating_sub(1) / 6) as f32
}

#[test]
fn a1_one_trace_per_length_or_one_for_all() {
    #[graph_fn]
    fn fixed(x: &Tensor) -> Tensor {
        (x * x).sum()
    }
    #[graph_fn(signature(x: f32[n]))]
    fn varying(x: &Tensor) -> Tensor {
        (x * x).sum()
    }
    assert_eq!(sum_of_squares(50), 40425.0);
    for n in 1..=50 {
        assert_eq!(fixed(&counted(n)).item::<f32>(), sum_of_squares(n));
        assert_eq!(varying(&counted(n)).item::<f32>(), sum_of_squares(n));
    }
    assert_eq!((fixed::trace_count(), varying::trace_count()), (50, 1));
    assert_eq!(varying(&counted(0)).item::<f32>(), 0.0);
}

#[test]
fn a3_a_host_number_is_a_static_key_or_a_marked_input_and_never_stale() {
    #[graph_fn]
    fn plain(x: &Tensor, n: i32) -> Tensor {
        x + n
    }
    #[graph_fn]
    fn marked(x: &Tensor, #[tensor] n: f32) -> Tensor {
        x + n
    }
    let x = Tensor::from([1.0f32]);
    for _ in 0..2 {
        for n in 0..10 {
            assert_eq!(plain(&x, n).to_vec::<f32>(), [1.0 + n as f32]);
            assert_eq!(marked(&x, n as f32).to_vec::<f32>(), [1.0 + n as f32]);
        }
    }
    assert_eq!((plain::trace_count(), marked::trace_count()), (10, 1));
}

#[test]
fn a6_host_code_runs_once_per_trace_and_a_variable_is_read_live() {
    static N: AtomicUsize = AtomicUsize::new(0);
    static LIVE: Lazy<Variable> = Lazy::new(|| Variable::new("live", 0.0f32));
    #[graph_fn]
    fn frozen(x: &Tensor) -> Tensor {
        x + N.fetch_add(1, Ordering::Relaxed) as f32
    }
    #[graph_fn]
    fn live(x: &Tensor) -> Tensor {
        x + &*LIVE
    }
    for call in 0..3 {
        assert_eq!(frozen(&Tensor::from(0.0f32)).item::<f32>(), 0.0);
        LIVE.assign(call as f32);
        assert_eq!(live(&Tensor::from(0.0f32)).item::<f32>(), call as f32);
    }
    assert_eq!(N.load(Ordering::Relaxed), 1);
}

thread_local! {
    static KEPT: RefCell<Option<Tensor>> = const { RefCell::new(None) };
}

#[graph_fn]
fn keeps(x: &Tensor) -> Tensor {
    let y = x * 2.0;
    KEPT.set(Some(y.clone()));
    y
}

#[test]
fn a8_a_tensor_that_escapes_its_trace_is_named_with_function_and_line() {
    let line = line!() - 7;
    assert_eq!(keeps(&Tensor::from(1.0f32)).item::<f32>(), 2.0);
    let kept = KEPT.take().expect("the body kept it");
    assert_eq!(format!("{kept}"), r#"Tensor("mul:0", shape=(), dtype=float32)"#);
    let made = format!("{}:{line}:", file!());
    let read = attempt(|| kept.item::<f32>()).unwrap_err();
    assert_eq!((read.kind(), read.function()), (ErrorKind::Trace, Some("keeps")));
    assert!(read.message().contains("`keeps`") && read.message().contains(&made), "{read}");
    for misuse in [attempt(|| &kept + 1.0), keeps::try_call(&kept)] {
        let error = misuse.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Escape);
        assert!(error.message().contains("`keeps`") && error.message().contains(&made), "{error}");
        assert!(error.help().is_some());
    }
    assert_eq!(keeps(&Tensor::from(3.0f32)).item::<f32>(), 6.0);
}

#[test]
fn a10_whether_an_optional_argument_is_there_is_part_of_the_key() {
    fn value(x: &Tensor, y: Option<&Tensor>) -> Tensor {
        match y {
            Some(y) => x + y,
            None => x * 10.0,
        }
    }
    #[graph_fn]
    fn some_first(x: &Tensor, y: &Option<Tensor>) -> Tensor {
        value(x, y.as_ref())
    }
    #[graph_fn]
    fn none_first(x: &Tensor, y: &Option<Tensor>) -> Tensor {
        value(x, y.as_ref())
    }
    let one = Tensor::from(1.0f32);
    let with = |y: f32| Some(Tensor::from(y));
    for (y, wanted) in [(with(2.0), 3.0), (None, 10.0), (with(5.0), 6.0)] {
        assert_eq!(some_first(&one, &y).item::<f32>(), wanted);
    }
    for (y, wanted) in [(None, 10.0), (with(2.0), 3.0), (None, 10.0), (with(5.0), 6.0)] {
        assert_eq!(none_first(&one, &y).item::<f32>(), wanted);
    }
    assert_eq!((some_first::trace_count(), none_first::trace_count()), (2, 2));
}

#[test]
fn a14_a_thousand_nodes_give_one_value_on_every_call() {
    #[graph_fn]
    fn chain(x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for _ in 0..500 {
            x = x.sin() * 1.01;
        }
        x
    }
    for _ in 0..3 {
        let single = chain(&Tensor::from(0.5f32));
        assert_close(single, 0.244_100_56_f32, Tolerance::relative(1e-4));
        let double = chain(&Tensor::from(0.5f64));
        assert_close(double, 0.244_100_558_f64, Tolerance::relative(2e-9));
    }
    let concrete = chain::concrete_function(&Tensor::from(0.5f32)).expect("it is traced");
    assert_eq!(concrete.graph().nodes.len(), 1000);
    crate::support::holds(
        |[x]| chain(x),
        [Tensor::from([[0.5f64, 0.5, 0.5], [0.5, 0.5, 0.5]])],
        [[0.244_100_558_f64; 3]; 2],
        Tolerance::relative(2e-9),
    );
}
