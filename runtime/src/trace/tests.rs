//! Variables that traced functions make, by the entry that the macro calls. Knows no macro.

use super::call::enter;
use super::{ConcreteFunction, GraphFn, Mode, Outcome, eager};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Creation, Mapping, Namespace, Naming, Recorder, Tensor, Tree, variable_scope};
use crate::init;
use crate::ops::{GetVariable, constant, get_variable};
use crate::value::Variable;
use std::sync::Arc;

fn run(
    function: &GraphFn,
    mode: Mode,
    x: &Tensor,
    body: impl Fn(&Tensor) -> Tensor,
) -> Result<Outcome<Tensor>> {
    let body = |to: &mut Mapping<'_>| body(&Tree::map(x, to));
    let name = |names: &mut crate::graph::Names<'_>| {
        names.argument("x", |names| Tree::leaves(x, names));
    };
    enter(function, mode, None::<&()>, |key| Tree::key(x, key), name, body)
}

/// Calls a function of one tensor.
fn call(function: &GraphFn, x: &Tensor, body: impl Fn(&Tensor) -> Tensor) -> Result<Tensor> {
    match run(function, Mode::Call, x, body)? {
        Outcome::Value(value) => Ok(value),
        Outcome::Concrete(_) => unreachable!("a call gives a value"),
    }
}

fn concrete(
    function: &GraphFn,
    x: &Tensor,
    body: impl Fn(&Tensor) -> Tensor,
) -> Result<ConcreteFunction> {
    match run(function, Mode::Concrete, x, body)? {
        Outcome::Concrete(concrete) => Ok(concrete),
        Outcome::Value(_) => unreachable!("a concrete function was asked for"),
    }
}

fn item(tensor: &Tensor) -> f32 {
    tensor.to_vec::<f32>()[0]
}

fn counter(x: &Tensor) -> Tensor {
    let v = get_variable("v", [], init::Zeros);
    v.assign_add(x)
}

#[test]
fn a_named_variable_is_one_for_all_calls() {
    let f = GraphFn::new("f");
    let found = [1.0f32, 2.0, 3.0].map(|x| item(&call(&f, &constant(x), counter).unwrap()));
    assert_eq!((found, f.trace_count()), ([1.0, 3.0, 6.0], 1));
}

#[test]
fn a_named_variable_is_one_for_all_signatures() {
    let f = GraphFn::new("f");
    let last = |x: &Tensor| {
        let v = get_variable("v", [], init::Zeros);
        let _ = v.assign_add(1.0);
        x + &v
    };
    assert_eq!(call(&f, &constant([0.0f32]), last).unwrap().to_vec::<f32>(), [1.0]);
    assert_eq!(call(&f, &constant([0.0f32; 2]), last).unwrap().to_vec::<f32>(), [2.0; 2]);
    assert_eq!(call(&f, &constant([0.0f32]), last).unwrap().to_vec::<f32>(), [3.0]);
    let concrete = concrete(&f, &constant([0.0f32; 3]), last).unwrap();
    assert_eq!(format!("{:?}", concrete.variables()), "[<Variable 'v:0' shape=() dtype=float32>]");
    assert_eq!(f.inner().store.variables().len(), 1);
}

#[test]
fn eagerly_a_function_finds_the_variables_of_its_traces() {
    let f = GraphFn::new("f");
    assert_eq!(item(&call(&f, &constant(1.0f32), counter).unwrap()), 1.0);
    let y = eager(|| call(&f, &constant(2.0f32), counter)).unwrap();
    assert_eq!((item(&y), f.trace_count()), (3.0, 1));
    assert_eq!(item(&call(&f, &constant(3.0f32), counter).unwrap()), 6.0);
}

#[test]
fn a_failed_trace_takes_its_variables_back() {
    let f = GraphFn::new("f");
    let made = std::cell::RefCell::new(Vec::new());
    let error = call(&f, &constant(1.0f32), |x| {
        made.borrow_mut().push(get_variable("v", [], init::Zeros));
        made.borrow_mut().push(Variable::new("w", 0.0f32));
        x + Tensor::from([1i32])
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Type);
    assert!(f.inner().store.variables().is_empty());
    assert!(made.borrow().iter().all(|variable| variable.spec().is_none()), "they are unbuilt");
    assert_eq!(item(&call(&f, &constant(1.0f32), counter).unwrap()), 1.0);
}

#[test]
fn a_trace_that_returns_a_tensor_of_another_takes_its_variables_back_too() {
    let (f, g) = (GraphFn::new("f"), GraphFn::new("g"));
    let leaked = std::cell::RefCell::new(None);
    call(&g, &constant(1.0f32), |x| {
        *leaked.borrow_mut() = Some(x.clone());
        x.clone()
    })
    .unwrap();
    let error = call(&f, &constant(1.0f32), |x| {
        counter(x);
        leaked.borrow().clone().unwrap()
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Escape);
    assert!(f.inner().store.variables().is_empty());
}

#[test]
fn a_panic_in_the_body_takes_variables_back_too() {
    let f = GraphFn::new("f");
    let panic = std::panic::catch_unwind(|| {
        let f = GraphFn::new("g");
        let body = |x: &Tensor| {
            counter(x);
            panic!("the user's own")
        };
        let _ = call(&f, &constant(1.0f32), body);
    });
    assert!(panic.is_err());
    let retried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        call(&f, &constant(1.0f32), |x| {
            counter(x);
            panic!("the user's own")
        })
    }));
    assert!(retried.is_err() && f.inner().store.variables().is_empty());
    assert_eq!(item(&call(&f, &constant(1.0f32), counter).unwrap()), 1.0);
}

#[test]
fn a_line_that_makes_several_named_variables_is_fine() {
    let f = GraphFn::new("f");
    let dense = |x: &Tensor| x * get_variable("weight", [], init::Ones);
    let y = call(&f, &constant(2.0f32), |x| {
        let x = variable_scope("dense1").enter(|| dense(x));
        variable_scope("dense2").enter(|| dense(&x))
    });
    assert_eq!(item(&y.unwrap()), 2.0);
    let names: Vec<String> =
        f.inner().store.variables().iter().map(|it| it.name().to_string()).collect();
    assert_eq!(names, ["dense1/weight", "dense2/weight"]);
}

#[test]
fn a_plain_variable_is_made_once_and_kept() {
    let f = GraphFn::new("f");
    let body = |x: &Tensor| Variable::new("v", 0.0f32).assign_add(x);
    assert_eq!(item(&call(&f, &constant(1.0f32), body).unwrap()), 1.0);
    assert_eq!(item(&call(&f, &constant(2.0f32), body).unwrap()), 3.0);
}

#[test]
fn a_line_that_makes_a_plain_variable_again_is_refused() {
    let f = GraphFn::new("f");
    let line = line!() + 1;
    let make = || Variable::new("v", 0.0f32);
    let twice = call(&f, &constant(1.0f32), |x| x + make() + make()).unwrap_err();
    check_again(&twice, line);
    let once = |x: &Tensor| x + make();
    call(&f, &constant(1.0f32), once).unwrap();
    let other_signature = call(&f, &constant([1.0f32]), once).unwrap_err();
    check_again(&other_signature, line);
    f.clear_cache();
    assert!(call(&f, &constant([1.0f32]), once).is_ok(), "what made the first one is forgotten");
}

fn check_again(error: &Error, line: u32) {
    let start = format!("variable `v` is made a second time at {}:{line}:", file!());
    assert!(error.message().starts_with(&start), "{error}");
    assert!(error.help().unwrap().contains("get_variable(\"v\", ..)"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Variable);
}

#[test]
fn a_function_called_in_another_trace_keeps_its_own_variables() {
    let (inner, outer) = (GraphFn::new("inner"), GraphFn::new("outer"));
    let nested = |x: &Tensor| call(&inner, x, counter).unwrap();
    assert_eq!(item(&call(&outer, &constant(1.0f32), nested).unwrap()), 1.0);
    assert_eq!(item(&call(&inner, &constant(1.0f32), counter).unwrap()), 2.0);
    assert!(outer.inner().store.variables().is_empty());
    let failing = |x: &Tensor| {
        let _ = call(&inner, x, |x| x + get_variable("of_inner", [], init::Ones));
        x + Tensor::from([1i32])
    };
    assert!(call(&outer, &constant([1.0f32]), failing).is_err());
    assert_eq!(inner.inner().store.variables().len(), 1, "the inner function's is taken back");
}

#[test]
fn variables_of_one_name_are_numbered() {
    let f = GraphFn::new("f");
    let [a, b] = [1.0f32, 2.0].map(|value| Variable::new("a", value));
    let concrete = concrete(&f, &constant(1.0f32), |x| x + &a + &b + &a).unwrap();
    let names: Vec<String> = concrete.variables().iter().map(|it| it.name()).collect();
    assert_eq!(names, ["a:0", "a_1:0"]);
}

#[test]
fn a_run_that_repeats_an_earlier_one_goes_on_with_its_variables() {
    let store = Arc::default();
    let trace = super::recorder::Trace::new("f".into(), Default::default(), Default::default());
    let made = |value: f32, column: u32| {
        let place = crate::error::Place { file: "a.rs", line: 1, column };
        let variable = Variable::from_value("v", value.into());
        trace.created(variable, Creation::Plain, place)
    };
    let (first, second) = {
        let _naming = Naming::open(Namespace::new(Arc::clone(&store)));
        trace.begin_run();
        (made(1.0, 1).unwrap(), made(2.0, 2).unwrap())
    };
    let _naming = Naming::open(Namespace::new(store));
    trace.begin_run();
    assert!(made(3.0, 1).unwrap().is_same(&first) && made(4.0, 2).unwrap().is_same(&second));
    trace.begin_run();
    let other = made(3.0, 2).unwrap_err();
    assert!(other.message().contains("does not do the same in each run"), "{other}");
}

#[test]
fn reuse_is_as_in_tensorflow() {
    let f = GraphFn::new("f");
    let get = |shape: &'static [usize]| get_variable("bias", shape, init::Ones);
    let within = |x: &Tensor, second: &dyn Fn() -> Variable| {
        variable_scope("dense2").enter(|| get(&[10]));
        variable_scope("dense2").reuse(true).enter(second);
        x.clone()
    };
    let message = |second: &dyn Fn() -> Variable| {
        call(&f, &constant(1.0f32), |x| within(x, second)).unwrap_err().message().to_string()
    };
    let again = message(&|| {
        variable_scope("x").reuse(false).enter(|| {
            get(&[1]);
            get(&[1])
        })
    });
    assert!(again.starts_with("Variable dense2/x/bias already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"), "{again}");
    assert!(again.contains(&format!("first created at {}:", file!())), "{again}");
    let missing = message(&|| get_variable("q", [], init::Ones));
    assert_eq!(
        missing,
        "Variable dense2/q does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
    );
    let shape = message(&|| get(&[11]));
    assert!(
        shape.starts_with(
            "Trying to share variable dense2/bias, but specified shape (11,) and found shape (10,)."
        ),
        "{shape}"
    );
    let dtype = message(&|| GetVariable::new("bias", [10]).dtype(crate::DType::F64).build());
    assert!(dtype.contains("specified dtype float64 and found dtype float32"), "{dtype}");
    let shared = call(&f, &constant(1.0f32), |x| within(x, &|| get(&[10])));
    assert!(shared.is_ok());
    let auto = call(&f, &constant([1.0f32]), |x| {
        variable_scope("a").auto_reuse().enter(|| assert!(get(&[2]).is_same(&get(&[2]))));
        x.clone()
    });
    assert!(auto.is_ok());
}

#[test]
fn outside_of_a_function_nobody_keeps_named_variables() {
    let error = crate::attempt(|| get_variable("v", [], init::Zeros)).unwrap_err();
    assert!(error.message().contains("called outside of any function"), "{error}");
    assert!(error.help().unwrap().contains("Variable::new(\"v\", ..)"), "{error}");
    assert_eq!(error.place().map(|it| it.line), Some(line!() - 3));
}
