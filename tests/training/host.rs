//! Host functions: what closures take and give, when they run, what they raise. Gradients are in host_gradient.rs.

use graphfn::{Place, Spec, Value, prelude::*};
use ndarray::{Array1, ArrayD, ArrayView1, ArrayView2, ArrayViewD};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn pair() -> Tensor {
    Tensor::from([1.0f32, -2.0])
}

/// Checks what a function of tensors gives, eagerly, when it is traced, and again.
#[track_caller]
fn gives(f: impl Fn(&Vec<Tensor>) -> Vec<Tensor>, inputs: Vec<Tensor>, wanted: &[&[f32]]) {
    let numbers = |made: Vec<Tensor>| -> Vec<Vec<f32>> {
        made.iter().map(|it| it.cast(DType::F32).to_vec()).collect()
    };
    assert_eq!(numbers(f(&inputs)), wanted, "eagerly");
    let traced = graph_fn(|inputs: &Vec<Tensor>| f(inputs));
    for _ in 0..2 {
        assert_eq!(numbers(traced.call(&inputs)), wanted, "traced");
    }
    assert_eq!(traced.trace_count(), 1);
}

/// Checks the error of a block, eagerly and traced.
#[track_caller]
fn told(block: impl Fn(&Tensor) -> Tensor, kind: ErrorKind, message: &str, help: &str) {
    let caller = Place::caller();
    let eager = attempt(|| block(&pair())).expect_err("it is refused at once");
    let traced = graph_fn(|x: &Tensor| block(x)).try_call(&pair()).expect_err("also when traced");
    for error in [&eager, &traced] {
        assert_eq!((error.message(), error.kind()), (message, kind));
        assert_eq!(error.help(), Some(help));
        let place = error.place().expect("it has a place");
        assert!(place.file == file!() && place.line.abs_diff(caller.line) < 8, "{place}");
    }
    assert_eq!(traced.function(), Some("closure"));
}

#[test]
fn s38_views_of_arrays_in_and_arrays_out() {
    let difference = host_fn("difference", |a: ArrayViewD<f32>, b: ArrayViewD<f32>| &a - &b);
    let (a, b) = (pair(), Tensor::from([0.5f32, 2.0]));
    gives(|it| vec![difference.call([&it[0], &it[1]])], vec![a, b], &[&[0.5, -4.0]]);
}

#[test]
fn s38_several_outputs_of_different_types() {
    let parts = host_fn("parts", |x: ArrayView1<f32>| {
        (x.mapv(f32::abs), x.mapv(|it| it < 0.0), x.len() as i64)
    });
    let all = |it: &Vec<Tensor>| {
        let (size, negative, count) = parts.call([&it[0]]);
        assert_eq!(
            [&size, &negative, &count].map(Tensor::dtype),
            [DType::F32, DType::Bool, DType::I64]
        );
        vec![size, negative, count]
    };
    gives(all, vec![pair()], &[&[1.0, 2.0], &[0.0, 1.0], &[2.0]]);
}

#[test]
fn no_inputs_four_inputs_and_any_number() {
    let four = host_fn("four", || 4.0f32);
    gives(|_| vec![four.call([])], vec![], &[&[4.0]]);
    let sum = host_fn(
        "sum",
        |a: ArrayView1<f32>, b: ArrayView1<i32>, c: ArrayViewD<u8>, d: ArrayView2<bool>| {
            let ones = d.iter().filter(|it| **it).count() as f32;
            a.mapv(|it| it + b[0] as f32 + f32::from(c[[]]) + ones)
        },
    );
    let others = [Tensor::from([10]), Tensor::from(100u8), Tensor::from([[true, false, true]])];
    let inputs = [&[pair()], &others[..]].concat();
    gives(|it| vec![sum.call([&it[0], &it[1], &it[2], &it[3]])], inputs, &[&[113.0, 110.0]]);

    let turned = host_fn("turned", |inputs: &[Value]| -> Vec<Value> {
        inputs.iter().rev().cloned().collect()
    })
    .gives(|inputs| inputs.iter().rev().copied().collect());
    let all = |it: &Vec<Tensor>| turned.call(&it.iter().collect::<Vec<_>>());
    gives(all, vec![pair(), Tensor::from(3.0f32)], &[&[3.0], &[1.0, -2.0]]);
}

#[test]
fn transposed_inputs_are_views_of_the_same_elements() {
    let first_row = host_fn("first_row", |x: ArrayView2<f32>| x.row(0).to_owned())
        .gives(|inputs| vec![Spec::new(DType::F32, [inputs[0].sizes()[1]])]);
    let x = Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    gives(|it| vec![first_row.call([&it[0].t()])], vec![x], &[&[1.0, 4.0]]);
}

#[graph_fn(signature(x: f32[?]))]
fn of_any_size(x: &Tensor) -> Tensor {
    host_fn("negated", |x: ArrayView1<f32>| -&x).call([x]) + 1.0
}

#[test]
fn sizes_may_be_unknown_while_tracing() {
    for size in 1..5usize {
        let x = Tensor::from(vec![2.0f32; size]);
        assert_eq!(of_any_size(&x).to_vec::<f32>(), vec![-1.0; size]);
    }
    assert_eq!(of_any_size::trace_count(), 1);
}

#[test]
fn the_node_has_the_functions_name_and_line() {
    let double = host_fn("double", |x: ArrayViewD<f32>| &x + &x);
    let line = line!() + 1;
    let traced = graph_fn(|x: &Tensor| double.call([x]));
    let concrete = traced.concrete_function(&pair()).unwrap();
    let node = concrete.graph().find("double").expect("the node is there");
    assert_eq!((node.kind.name(), node.place.line), ("HostCall", line));
    let attrs = node.kind.op().unwrap().attrs().to_string();
    assert!(attrs.starts_with(" {name=\"double\", id=#"), "{attrs}");
    let plan = concrete.explain().unwrap().to_string();
    assert!(plan.contains("HostCall(\"double\")"), "{plan}");
}

#[test]
fn a_closure_without_captures_is_the_same_each_time_it_is_made() {
    let attrs = |x: &Tensor| {
        let traced = graph_fn(|x: &Tensor| host_fn("same", |x: ArrayViewD<f32>| &x + &x).call([x]));
        let concrete = traced.concrete_function(x).unwrap();
        concrete.graph().find("same").unwrap().kind.op().unwrap().attrs()
    };
    assert_eq!(attrs(&pair()), attrs(&pair()));
}

/// A host function that counts its calls.
fn counting(calls: &Arc<AtomicUsize>) -> graphfn::HostFn<[Tensor; 1], Tensor> {
    let calls = calls.clone();
    host_fn("counting", move |x: ArrayViewD<f32>| {
        calls.fetch_add(1, Relaxed);
        x.to_owned()
    })
}

#[test]
fn a_host_function_runs_each_time_and_a_pure_one_as_little_as_possible() {
    let calls = Arc::new(AtomicUsize::new(0));
    let (each, once) = (counting(&calls), counting(&calls).pure());
    let of_constants = |f: &graphfn::HostFn<[Tensor; 1], Tensor>| {
        let x = pair();
        let traced = graph_fn(|_: &()| f.call([&x]) + f.call([&x]));
        calls.store(0, Relaxed);
        for _ in 0..3 {
            assert_eq!(traced.call(&()).to_vec::<f32>(), [2.0, -4.0]);
        }
        calls.load(Relaxed)
    };
    assert_eq!(of_constants(&each), 6);
    // Each of the two calls is folded, in the first trace.
    assert_eq!(of_constants(&once), 2);
    let of_inputs = |f: &graphfn::HostFn<[Tensor; 1], Tensor>| {
        let traced = graph_fn(|x: &Tensor| f.call([x]) + f.call([x]));
        calls.store(0, Relaxed);
        traced.call(&pair());
        calls.load(Relaxed)
    };
    assert_eq!((of_inputs(&each), of_inputs(&once)), (2, 1));
}

#[test]
fn a_call_whose_result_nobody_uses_runs_and_calls_keep_their_order() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let note = |number: usize| {
        let seen = seen.clone();
        host_fn("note", move |x: ArrayView1<f32>| {
            seen.lock().unwrap().push((number, x[0]));
            0.0f32
        })
    };
    let (first, second) = (note(1), note(2));
    let f = |x: &Tensor| {
        second.call([&(x * 2.0)]);
        first.call([x]);
        second.call([&(x * 3.0)]);
        x + 1.0
    };
    let order = [(2, 2.0), (1, 1.0), (2, 3.0)];
    f(&pair());
    assert_eq!(*seen.lock().unwrap(), order);
    seen.lock().unwrap().clear();
    graph_fn(f).call(&pair());
    assert_eq!(*seen.lock().unwrap(), order);
}

#[test]
fn a_closures_error_comes_back_with_its_line_and_node() {
    let checked = host_fn("checked", |x: ArrayView1<f32>| -> Result<Array1<f32>, String> {
        match x.iter().find(|it| **it < 0.0) {
            Some(negative) => Err(format!("{negative} is negative")),
            None => Ok(x.mapv(f32::sqrt)),
        }
    });
    let help = "it was given [f32[2]]: look at what it does with that";
    told(
        |x| checked.call([x]),
        ErrorKind::Host,
        "host function `checked` failed: -2 is negative",
        help,
    );
    let traced = graph_fn(|x: &Tensor| checked.call([x]));
    let error = traced.try_call(&pair()).unwrap_err();
    assert_eq!(error.node(), Some("checked"));
    // The function is as good as before.
    assert_eq!(traced.call(&Tensor::from([4.0f32, 9.0])).to_vec::<f32>(), [2.0, 3.0]);
}

#[test]
fn a_closures_panic_comes_back_as_an_error() {
    let help = "it was given [f32[2]]: look at what it does with that";
    let beyond = host_fn("beyond", |x: ArrayView1<f32>| x.to_vec()[2]);
    let message =
        "host function `beyond` panicked: index out of bounds: the len is 2 but the index is 2";
    told(|x| beyond.call([x]), ErrorKind::Host, message, help);
    let odd = host_fn("odd", |_: ArrayView1<f32>| -> f32 { std::panic::panic_any(7) });
    let message = "host function `odd` panicked: with a payload that is no text";
    told(|x| odd.call([x]), ErrorKind::Host, message, help);
    let misuse = host_fn("misuse", |x: ArrayView1<f32>| -> ArrayD<f32> {
        (Tensor::from(x) + Tensor::from([0.0f32; 3])).to_array()
    });
    let message = "host function `misuse` failed: `add` cannot broadcast shapes [2] and [3]";
    told(|x| misuse.call([x]), ErrorKind::Host, message, help);
}

#[test]
fn b4_a_run_whose_host_function_fails_changes_no_variable() {
    let v = Variable::new("v", 1.0f32);
    let fails = host_fn("fails", |x: ArrayViewD<f32>| -> Result<ArrayD<f32>, String> {
        if x[[0]] > 0.0 { Err("no".to_string()) } else { Ok(x.to_owned()) }
    });
    let step = graph_fn(|x: &Tensor| {
        v.assign_add(x.sum());
        fails.call([x])
    });
    step.try_call(&pair()).unwrap_err();
    assert_eq!(v.read().item::<f32>(), 1.0);
    step.call(&Tensor::from([-1.0f32, 0.0]));
    assert_eq!(v.read().item::<f32>(), 0.0);
}

#[test]
fn a_closure_reads_variables_of_the_run_as_they_were_and_does_not_write_them() {
    let v = Variable::new("v", 1.0f32);
    let held = v.clone();
    let reading = host_fn("reading", move || held.read().item::<f32>());
    let step = graph_fn(|_: &()| {
        v.assign_add(10.0);
        reading.call([])
    });
    assert_eq!([step.call(&()), step.call(&())].map(|it| it.item::<f32>()), [1.0, 11.0]);
    assert_eq!(v.read().item::<f32>(), 21.0);
    let held = v.clone();
    let writing = host_fn("writing", move || {
        held.assign(0.0);
        0.0f32
    });
    let error = graph_fn(|_: &()| writing.call([]) + &v).try_call(&()).unwrap_err();
    assert_eq!(
        error.message(),
        "host function `writing` failed: variable `v` is assigned by a host function, within a run that holds it"
    );
    assert_eq!((error.kind(), v.read().item::<f32>()), (ErrorKind::Host, 21.0));
    // Eagerly no run holds it.
    writing.call([]);
    assert_eq!(v.read().item::<f32>(), 0.0);
}

#[test]
fn inputs_and_outputs_that_are_not_as_said() {
    let one = host_fn("one", |x: ArrayView1<f32>| x.to_owned());
    let help = "cast or reshape the inputs, or write other types at the closure's parameters";
    told(
        |x| one.call([&x.cast(DType::F64)]),
        ErrorKind::Type,
        "host function `one` takes float32 of 1 axis, found [f64[2]]",
        help,
    );
    told(
        |x| one.call([&x.sum()]),
        ErrorKind::Shape,
        "host function `one` takes float32 of 1 axis, found [f32[]]",
        help,
    );
    let table = host_fn("table", |x: ArrayView1<f32>| x.to_owned().insert_axis(ndarray::Axis(0)));
    let help = "say it: `.gives(|inputs| vec![Spec::new(DType::F32, [3])])`; unsaid, arrays are as the first input is";
    told(
        |x| table.call([x]),
        ErrorKind::Shape,
        "host function `table` gives float32 of 2 axes, whose sizes are not said, for [f32[2]]",
        help,
    );
    let values = host_fn("values", |inputs: &[Value]| inputs.to_vec());
    told(
        |x| values.call(&[x]).remove(0),
        ErrorKind::Shape,
        "host function `values` gives values of which nothing is said",
        help,
    );
    let said = host_fn("said", |x: ArrayView1<f32>| x.to_owned())
        .gives(|inputs| vec![inputs[0].with_dtype(DType::F64)]);
    told(
        |x| said.call([x]),
        ErrorKind::Type,
        "host function `said` gives float32 of 1 axis, and is said to give [f64[2]]",
        "let `.gives(..)` and the closure's result agree",
    );
    let longer = host_fn("longer", |x: ArrayView1<f32>| Array1::<f32>::zeros(x.len() + 1));
    told(
        |x| longer.call([x]),
        ErrorKind::Host,
        "host function `longer` gave [f32[3]], and [f32[2]] was expected",
        "say what it gives: `.gives(|inputs| vec![..])`; unsaid, arrays are as the first input is",
    );
}

#[test]
fn calls_from_several_threads() {
    let double = host_fn("double", |x: ArrayViewD<f32>| &x + &x);
    let traced = graph_fn(move |x: &Tensor| double.call([x]) + 1.0);
    std::thread::scope(|scope| {
        for k in 0..4 {
            let traced = &traced;
            scope.spawn(move || {
                for _ in 0..50 {
                    let x = Tensor::from([k as f32]);
                    assert_eq!(traced.call(&x).to_vec::<f32>(), [2.0 * k as f32 + 1.0]);
                }
            });
        }
    });
}
