//! What the chapters show of functions, values and eager mode, by the id of each promise.
//! Variables by name and layers are in seeds_variables.rs.

use graphfn::prelude::*;
use ndarray::Array1;
use once_cell::sync::Lazy;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn s04_a_function_computes_nothing_before_its_call() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    #[graph_fn]
    fn graph() -> Tensor {
        RUNS.fetch_add(1, Ordering::Relaxed);
        constant(1) + constant(1)
    }
    assert_eq!((RUNS.load(Ordering::Relaxed), graph::trace_count()), (0, 0));
    assert_eq!(graph().item::<i32>(), 2);
    assert_eq!(graph().item::<i32>(), 2);
    assert_eq!((RUNS.load(Ordering::Relaxed), graph::trace_count()), (1, 1));
}

#[test]
fn s07_marked_numbers_are_inputs_of_one_trace() {
    #[graph_fn]
    fn graph(#[tensor] a: i32, #[tensor] b: i32) -> Tensor {
        a + b
    }
    let c = graph(2, 3);
    assert_eq!(format!("a + b = {c}"), "a + b = 5");
    assert_eq!(format!("a + b = {}", graph(2, 4)), "a + b = 6");
    assert_eq!(graph::trace_count(), 1);
}

#[graph_fn]
fn plain(a: i32, b: i32) -> Tensor {
    Tensor::from(a) + b
}

#[test]
fn s07_plain_numbers_are_part_of_the_key() {
    assert_eq!((plain(2, 3).item::<i32>(), plain(2, 4).item::<i32>()), (5, 6));
    assert_eq!(plain(2, 3).item::<i32>(), 5);
    assert_eq!(plain::trace_count(), 2);
    let text = plain::explain_retraces().to_string();
    assert!(text.contains("`b` changed from 3 to 4"), "{text}");
}

/// Runs in a process of its own, where nothing else writes to stderr.
#[test]
fn s07_a_number_that_varies_is_warned_of_once() {
    const CHILD: &str = "GRAPHFN_TEST_S07";
    if std::env::var_os(CHILD).is_some() {
        (0..8).for_each(|b| drop(plain(2, b)));
        return;
    }
    let test = std::env::current_exe().expect("a test has a file");
    let output = Command::new(test)
        .args(["--exact", "functions::s07_a_number_that_varies_is_warned_of_once", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the test can run itself");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("warning: `plain` was traced 5 times").count(), 1, "{text}");
    assert!(text.contains("argument `b`") && text.contains("`#[tensor] b`"), "{text}");
}

#[test]
fn s15_an_assignment_is_seen_by_what_follows_it() {
    static A: Lazy<Variable> = Lazy::new(|| Variable::new("Variable", 0.0f32));
    #[graph_fn]
    fn captured() -> Tensor {
        A.assign(&*A + 1.0);
        A.read()
    }
    #[graph_fn]
    fn passed(a: &Variable) -> Tensor {
        a.assign(a + 1.0);
        a.read()
    }
    let a = Variable::new("Variable", 0.0f32);
    let found: Vec<[f32; 2]> = (0..5).map(|_| [captured().item(), passed(&a).item()]).collect();
    assert_eq!(found, [[1.0; 2], [2.0; 2], [3.0; 2], [4.0; 2], [5.0; 2]]);
    assert_eq!((captured::trace_count(), passed::trace_count()), (1, 1));
    let _ = (captured(), passed(&a));
    for a in [&*A, &a] {
        assert_eq!(format!("{a:?}"), "<Variable 'Variable:0' shape=() dtype=float32>");
        assert_eq!(format!("{a:#?}"), "<Variable 'Variable:0' shape=() dtype=float32 value=6.0>");
    }
}

/// A thousand numbers, as the chapter's data.
fn data() -> Array1<f32> {
    Array1::from_shape_fn(1000, |it| it as f32 / 1000.0)
}

#[test]
fn s45_a_shape_prints_as_python_prints_it() {
    let x_data = Tensor::from(data());
    let text = format!("x_data.shape:{}", x_data.shape());
    assert_eq!(text, "x_data.shape:(1000,)");
    assert_eq!(Tensor::from(1.0f32).shape().to_string(), "()");
    assert_eq!(Tensor::from([[1.0f32; 10]; 32]).shape().to_string(), "(32, 10)");
}

#[test]
fn s46_captured_arrays_are_constants_that_share_their_bytes() {
    static DATA: Lazy<Tensor> = Lazy::new(|| Tensor::from(data()));
    static PRINTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    #[graph_fn]
    fn line(w: &Variable, b: &Variable) -> Tensor {
        let y = w * &*DATA + b;
        PRINTS.lock().expect("no panic holds it").push(format!("{y}"));
        y
    }
    let (w, b) = (Variable::new("W", [2.0f32]), Variable::new("b", [1.0f32]));
    let y = line(&w, &b);
    assert_eq!(y.shape().to_string(), "(1000,)");
    assert_eq!(y.to_vec::<f32>(), data().mapv(|x| 2.0 * x + 1.0).to_vec());
    w.assign(constant([3.0f32]));
    assert_eq!(line(&w, &b).to_vec::<f32>(), data().mapv(|x| 3.0 * x + 1.0).to_vec());
    let prints = PRINTS.lock().expect("no panic holds it");
    assert_eq!(*prints, [r#"Tensor("add:0", shape=(1000,), dtype=float32)"#]);
    let concrete = line::concrete_function(&w, &b).expect("it is traced");
    let [constant] = &concrete.graph().constants[..] else { panic!("{}", concrete.graph()) };
    let bytes = DATA.view_array::<f32>().as_ptr();
    assert_eq!(constant.view_array::<f32>().expect("it holds f32").as_ptr(), bytes);
}

#[test]
fn s46_an_array_may_stand_beside_a_variable() {
    let (w, b) = (Variable::new("W", [2.0f32]), Variable::new("b", [1.0f32]));
    let y = &w * data().view() + &b;
    assert_eq!(y.to_vec::<f32>(), data().mapv(|x| 2.0 * x + 1.0).to_vec());
}

#[test]
fn s48_eager_is_the_default_outside_of_functions() {
    let (a, b) = (Variable::new("a", 2), Variable::new("b", 20));
    let c = &a + &b;
    assert_eq!(format!("{c:?}"), "Tensor(22, shape=(), dtype=int32)");
    assert_eq!(c.item::<i32>(), 22);
}

#[test]
fn s56_the_same_function_runs_eagerly_for_debugging() {
    static PRINTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
    #[graph_fn]
    fn squared(x: &Tensor) -> Tensor {
        let y = x.square();
        PRINTS.lock().expect("no panic holds it").push(format!("{y:?}"));
        y
    }
    let x = Tensor::from(3.0f32);
    for _ in 0..2 {
        assert_eq!(graphfn::eager(|| squared(&x)).item::<f32>(), 9.0);
    }
    assert_eq!(squared::trace_count(), 0);
    for _ in 0..2 {
        assert_eq!(squared(&x).item::<f32>(), 9.0);
    }
    assert_eq!(squared::trace_count(), 1);
    let value = "Tensor(9.0, shape=(), dtype=float32)";
    let symbolic = "<Tensor 'Square:0' shape=() dtype=float32>";
    assert_eq!(*PRINTS.lock().expect("no panic holds it"), [value, value, symbolic]);
}
