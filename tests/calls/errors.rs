//! Every complaint that a user can provoke: its words, its kind, its line, its way out; at once and traced.
//! Complaints about signatures are in signature.rs, those about variables in cases_state.rs.

use graphfn::{Place, Spec, prelude::*};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex};
use std::thread;

/// How many lines a checked expression may take.
const LINES: u32 = 6;

/// Checks the complaint of a block, run at once and traced.
#[track_caller]
fn told(block: impl Fn() -> Tensor, kind: ErrorKind, message: &str) {
    let eager = attempt(&block).expect_err("it is refused at once");
    check(&eager, kind, message, Place::caller());
    let traced = graph_fn(|_: &()| block());
    let error = traced.try_call(&()).expect_err("it is refused when traced");
    check(&error, kind, message, Place::caller());
    assert_eq!(error.function(), Some("closure"));
    assert_eq!(error.help(), eager.help());
}

#[track_caller]
fn check(error: &Error, kind: ErrorKind, message: &str, caller: Place) {
    assert_eq!((error.message(), error.kind()), (message, kind));
    assert!(error.help().is_some_and(|help| !help.is_empty()), "{error}");
    let place = error.place().expect("it has a place");
    let is_here = place.file == file!() && (caller.line..caller.line + LINES).contains(&place.line);
    assert!(is_here, "{place} is not at {caller}");
    let first = message.chars().next().expect("it has words");
    assert!(!first.is_uppercase() && !message.ends_with('.'), "{message}");
}

fn pair() -> Tensor {
    Tensor::from([1.0f32, 2.0])
}

fn table() -> Tensor {
    Tensor::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])
}

fn whole() -> Tensor {
    Tensor::from([1, 2])
}

fn empty() -> Tensor {
    Tensor::from(Vec::<f32>::new())
}

#[test]
fn shapes_that_do_not_broadcast() {
    let three = || Tensor::from([0.0f32; 3]);
    told(|| pair() + three(), ErrorKind::Shape, "`add` cannot broadcast shapes [2] and [3]");
    told(
        || pair().maximum(three()),
        ErrorKind::Shape,
        "`maximum` cannot broadcast shapes [2] and [3]",
    );
    let message = "`broadcast_to` cannot broadcast shapes [2] and [3]";
    told(|| pair().broadcast_to([3]), ErrorKind::Shape, message);
    let message = "`broadcast_to` cannot broadcast shapes [2, 3] and [3]";
    told(|| table().broadcast_to([3]), ErrorKind::Shape, message);
}

#[test]
fn axes_out_of_range_or_given_twice() {
    let message = "`sum` needs an axis of a tensor of rank 2, one from -2 to 1, found 2";
    told(|| table().sum_axis(2), ErrorKind::Index, message);
    let message = "`sum` needs each axis once, found axis 1 of rank 2 as 1 and -1";
    told(|| table().sum_axis([1, -1]), ErrorKind::Index, message);
    let message = "`argmax_axis` needs one axis, found [0, 1]";
    told(|| table().argmax_axis([0, 1]), ErrorKind::Index, message);
    let message = "`expand_dims` needs the places of the new axes, found `()`";
    told(|| table().expand_dims(()), ErrorKind::Index, message);
}

#[test]
fn axes_that_do_not_fit() {
    told(|| pair().t(), ErrorKind::Shape, "`t` needs at least two axes, found f32[2]");
    let message = "`transpose` needs each of 2 axes once, found [0]";
    told(|| table().transpose([0]), ErrorKind::Shape, message);
    let message = "`squeeze` needs axes of size 1, found axis 0 of [2]";
    told(|| pair().squeeze(0), ErrorKind::Shape, message);
}

#[test]
fn reshapes_of_other_numbers_of_elements() {
    let message =
        "`reshape` needs as many elements as before, found [2, 3] and [4]: 6 and 4 elements";
    told(|| table().reshape([4]), ErrorKind::Shape, message);
    let message = "`reshape` cannot tell what -1 is in [4, -1], found [2, 3]";
    told(|| table().reshape([4, -1]), ErrorKind::Shape, message);
    let message = "`reshape` takes -1 for one size at most, found [-1, -1]";
    told(|| table().reshape([-1, -1]), ErrorKind::Shape, message);
    let message = "`reshape` needs sizes from 0, or -1 for what is left, found -2 in [-2, 3]";
    told(|| table().reshape([-2, 3]), ErrorKind::Shape, message);
}

#[test]
fn joins_of_nothing_and_of_other_sizes() {
    let none: [Tensor; 0] = [];
    told(|| concat(&none, 0), ErrorKind::Shape, "`concat` needs at least one tensor, found none");
    told(|| stack(&none, 0), ErrorKind::Shape, "`stack` needs at least one tensor, found none");
    let message = "`concat` needs equal sizes but along axis 0, found [2, 3] and [2]";
    told(|| concat(&[table(), pair()], 0), ErrorKind::Shape, message);
    told(
        || stack(&[table(), pair()], 0),
        ErrorKind::Shape,
        "`stack` needs equal shapes, found [2, 3] and [2]",
    );
    let message = "`concat` needs one element type, found f32[2] and i32[2]";
    told(|| concat(&[pair(), whole()], 0), ErrorKind::Type, message);
}

#[test]
fn splits_that_do_not_come_out_even() {
    let message =
        "`split` needs a number of parts that divides the size, found 2 parts of axis 1 of [2, 3]";
    told(|| table().split(2, 1)[0].clone(), ErrorKind::Shape, message);
    let message = "`split_sizes` needs sizes that add up to that of axis 1 of [2, 3], found [1, 1]";
    told(|| table().split_sizes(&[1, 1], 1)[0].clone(), ErrorKind::Shape, message);
}

#[test]
fn slices_of_what_is_not_there() {
    let message = "`slice` needs of axis 0 of size 2 an index from -2 to 1, found 2";
    told(|| pair().index(0, 2), ErrorKind::Index, message);
    told(|| pair().slice(2), ErrorKind::Index, message);
    let message = "`slice` needs of axis 0 of size 0 an element, found index 0";
    told(|| empty().at(0), ErrorKind::Index, message);
    let message = "`slice` needs a slice for each axis at most, found 2 and [2]";
    told(|| pair().slice((.., ..)), ErrorKind::Index, message);
    let message = "`slice` needs a step other than 0 along axis 0, found 0";
    told(|| pair().slice(Slice::new(None, None, 0)), ErrorKind::Index, message);
}

#[test]
fn a_slice_along_an_axis_that_is_not_there() {
    let message = "`slice` needs an axis of a tensor of rank 2, one from -2 to 1, found 5";
    told(|| table().slice_axis(5, ..1), ErrorKind::Index, message);
}

#[test]
fn borders_that_do_not_fit() {
    let message = "`pad` needs a pair of widths for each axis, found 1 and [2, 3]";
    told(|| table().pad(&[(1, 1)], 0.0), ErrorKind::Shape, message);
    let wide = attempt(|| pair().pad(&[(2, 0)], Border::Reflect)).unwrap_err();
    assert!(wide.message().contains("found a border of 2 at axis 0 of 2 elements"), "{wide}");
    told(|| pair().pad(&[(2, 0)], Border::Reflect), ErrorKind::Shape, wide.message());
    let edge = attempt(|| empty().pad(&[(1, 0)], Border::Edge)).unwrap_err();
    assert!(edge.message().contains("found a border of 1 at axis 0 of 0 elements"), "{edge}");
    told(|| empty().pad(&[(1, 0)], Border::Edge), ErrorKind::Shape, edge.message());
}

#[test]
fn repetitions_that_do_not_fit() {
    let message = "`tile` needs a number for each axis, found [2] and [2, 3]";
    told(|| table().tile(&[2]), ErrorKind::Shape, message);
    let message =
        format!("`repeat` needs a size that fits in memory, found 2 times {}", usize::MAX);
    told(|| pair().repeat(usize::MAX, 0), ErrorKind::Shape, &message);
}

#[test]
fn reductions_without_a_value() {
    let message = "`max` needs at least one element along axis 0, found f32[0]";
    told(|| empty().max(), ErrorKind::Shape, message);
    let message = "`argmin` needs at least one element along axis 0, found f32[0]";
    told(|| empty().argmin(), ErrorKind::Shape, message);
    told(|| pair().norm_p(0.0, 0), ErrorKind::Value, "`norm` needs p greater than 0, found 0.0");
    told(
        || pair().norm_p(f64::NAN, 0),
        ErrorKind::Value,
        "`norm` needs p greater than 0, found NaN",
    );
    let message = "`mean` takes float32, float64, found int32";
    told(|| whole().mean_axis(KeepDims(0)), ErrorKind::Type, message);
}

#[test]
fn what_an_op_that_is_a_function_of_others_runs_into() {
    told(
        || empty().norm_p(f64::INFINITY, ()),
        ErrorKind::Shape,
        "`max` needs at least one element along axis 0, found f32[0]",
    );
}

#[test]
fn element_types_that_differ_or_are_not_taken() {
    told(|| whole().exp(), ErrorKind::Type, "`exp` takes float32, float64, found int32");
    told(|| pair().logical_not(), ErrorKind::Type, "`logical_not` takes bool, found float32");
    let message = "`mul` needs one element type, found f32[2] and i32[2]";
    told(|| pair() * whole(), ErrorKind::Type, message);
    let message = "`select` chooses by truth values, found f32[2]";
    told(|| pair().select(1.0f32, 2.0f32), ErrorKind::Type, message);
    let message = "`select` needs one element type, found f32[2] and i32[2]";
    told(|| pair().less(0.0).select(pair(), whole()), ErrorKind::Type, message);
}

#[test]
fn numbers_that_a_type_does_not_hold() {
    let message = "the number 0.5 stands beside a tensor of int32, which does not hold it";
    told(|| whole() + 0.5, ErrorKind::Type, message);
    let message = "an f32 number (1.5) stands beside a tensor of float64";
    told(|| Tensor::from(1.0) * 1.5f32, ErrorKind::Type, message);
    let message = "a truth value stands beside a tensor of float32";
    told(|| pair() + true, ErrorKind::Type, message);
    let message = "the number 300 stands beside a tensor of uint8, which does not hold it exactly";
    told(|| Tensor::from(1u8) + 300, ErrorKind::Type, message);
    let message =
        "the number 16777217 stands beside a tensor of float32, which does not hold it exactly";
    told(|| pair() + 16_777_217, ErrorKind::Type, message);
}

#[test]
fn conditions_on_more_than_one_element() {
    let chosen = |truth: bool| Tensor::from(truth);
    let message = "`<` needs one element on each side, found f32[2] and f32[]";
    let error = attempt(|| chosen(pair() < 1.0)).unwrap_err();
    check(&error, ErrorKind::Shape, message, error.place().expect("it has a place"));
    assert_eq!(error.place().map(|it| it.line), Some(line!() - 2));
    let message = "`>=` needs one element on each side, found f32[2, 3] and f32[2, 3]";
    told(|| chosen(table() >= table()), ErrorKind::Shape, message);
    let known = attempt(|| chosen(pair() == pair()));
    assert!(known.expect("arrays are equal or not").item::<bool>());
}

#[test]
fn integers_without_a_quotient() {
    let zero = || Tensor::from([2, 0]);
    told(|| whole() % zero(), ErrorKind::Value, "integer division by zero, at element [1]");
    told(
        || whole().floor_div(zero()),
        ErrorKind::Value,
        "integer division by zero, at element [1]",
    );
    let message = "integer power with a negative exponent, at element [0]";
    told(|| whole().pow(-1), ErrorKind::Value, message);
}

/// Checks the complaint of a read.
#[track_caller]
fn unread<R>(read: impl FnOnce() -> R, kind: ErrorKind, message: &str) {
    let error = attempt(read).err().expect("it cannot be read");
    check(&error, kind, message, Place::caller());
}

#[test]
fn reads_of_another_type_or_of_many() {
    let message = "`item` needs exactly one element, found shape [2]";
    unread(|| pair().item::<f32>(), ErrorKind::Shape, message);
    let message = "elements of type f32 cannot be read as i32";
    unread(|| Tensor::from(1.0f32).item::<i32>(), ErrorKind::Type, message);
    unread(|| pair().to_array::<i32>(), ErrorKind::Type, message);
    unread(|| pair().view_array::<i32>().sum(), ErrorKind::Type, message);
    unread(|| pair().to_vec::<i32>(), ErrorKind::Type, "the tensor holds float32, not int32");
}

#[test]
fn variables_without_a_value() {
    let spec = Spec::new(DType::F32, [2]);
    let (waiting, unbuilt) = (Variable::uninitialised("a", spec), Variable::unbuilt("b"));
    told(|| unbuilt.read(), ErrorKind::Variable, "variable `b` is read before it has a value");
    let message = "variable `a` is read before it has a value";
    told(|| waiting.read(), ErrorKind::Variable, message);
    waiting.assign(pair());
    assert_eq!(waiting.read().to_vec::<f32>(), [1.0, 2.0]);
}

#[test]
fn what_a_trace_cannot_tell() {
    let line = line!() + 1;
    let error = graph_fn(|x: &Tensor| (x.sum() * 2.0).item::<f32>()).try_call(&pair()).unwrap_err();
    let made = format!("{}:{line}:", file!());
    assert!(
        error.message().starts_with("the value of `mul:0` is not known while tracing `closure`")
    );
    assert!(error.message().contains(&made), "{error}");
    assert_eq!(error.place().map(|it| it.line), Some(line));
    let line = line!() + 1;
    let error = graph_fn(|x: &Tensor| x.named("x")).try_call(&pair()).unwrap_err();
    assert!(error.message().ends_with("is no op's output and cannot be named \"x\""), "{error}");
    assert_eq!(error.place().map(|it| it.line), Some(line));
}

#[test]
fn variables_that_nothing_keeps_or_that_are_made_twice() {
    let line = line!() + 1;
    let outside = attempt(|| get_variable("v", [], init::Zeros)).unwrap_err();
    let start = "`get_variable(\"v\", ..)` is called outside of any function";
    assert!(outside.message().starts_with(start), "{outside}");
    assert_eq!(
        (outside.kind(), outside.place().map(|it| it.line)),
        (ErrorKind::Variable, Some(line))
    );
    assert!(outside.help().is_some_and(|help| help.contains("Variable::new(\"v\", ..)")));
    #[graph_fn]
    fn twice(x: &Tensor) -> Tensor {
        (0..2).fold(x.clone(), |x, _| x + Variable::new("v", 1.0f32))
    }
    let line = line!() - 2;
    let error = twice::try_call(&pair()).unwrap_err();
    let start = format!("variable `v` is made a second time at {}:{line}:", file!());
    assert!(error.message().starts_with(&start), "{error}");
    assert_eq!((error.kind(), error.place().map(|it| it.line)), (ErrorKind::Variable, Some(line)));
    assert!(error.help().is_some());
}

#[test]
fn blocks_without_a_trace() {
    let wrong = graph_fn(|x: &Tensor| x + Tensor::from([1.0f32, 2.0, 3.0]));
    let right = graph_fn(|x: &Tensor| x + 1.0);
    let second = || {
        assert!(attempt(|| wrong.call(&pair())).is_err());
        right.call(&pair())
    };
    let concrete = concrete_function_of(second).expect("an error before is no trace");
    assert_eq!(concrete.signature(), "closure(0: f32[2]) -> (f32[2])");
    let panicked = catch_unwind(AssertUnwindSafe(|| concrete_function_of(|| panic!("no trace"))));
    assert!(panicked.is_err());
    assert_eq!(right.call(&pair()).to_vec::<f32>(), (pair() + 1.0).to_vec::<f32>(), "a plain call");
    let line = line!() + 1;
    let error = concrete_function_of(|| pair() + 1.0).expect_err("nothing is traced");
    assert_eq!(error.message(), "the block called no traced function");
    assert_eq!((error.kind(), error.place().map(|it| it.line)), (ErrorKind::Trace, Some(line)));
    assert!(error.help().is_some());
}

/// The panics of this thread in a block: where each was raised, and its words.
fn panics(block: impl FnOnce()) -> Vec<(u32, String)> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (ear, me, others) = (heard.clone(), thread::current().id(), take_hook());
    set_hook(Box::new(move |panic| {
        if thread::current().id() != me {
            return others(panic);
        }
        let line = panic.location().map_or(0, |it| it.line());
        let text = panic.payload_as_str().unwrap_or_default().to_owned();
        ear.lock().expect("no panic holds it").push((line, text));
    }));
    let result = catch_unwind(AssertUnwindSafe(block));
    drop(take_hook());
    assert!(result.is_err(), "nothing panicked");
    std::mem::take(&mut *heard.lock().expect("no panic holds it"))
}

#[graph_fn]
fn mismatched(a: &Tensor, b: &Tensor) -> Tensor {
    name_scope("layer").enter(|| a + b)
}

#[test]
fn a_call_panics_once_with_the_whole_text_at_the_line_of_the_caller() {
    let (a, b) = (pair(), Tensor::from([0.0f32; 3]));
    let told = mismatched::try_call(&a, &b).unwrap_err().to_string();
    let line = line!() + 1;
    let heard = panics(|| drop(mismatched(&a, &b)));
    assert_eq!(heard, [(line, told.clone())]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "`add` cannot broadcast shapes [2] and [3]");
    let place = format!("  --> {}:{}:", file!(), line - 8);
    assert!(lines[1].starts_with(&place), "{told}");
    assert!(lines[1].ends_with(", in `mismatched`, node `layer/add`"), "{told}");
    assert!(lines[2].starts_with("  help: sizes are compared from the last axis"), "{told}");
    assert_eq!(mismatched(&a, &a).to_vec::<f32>(), [2.0, 4.0]);
}
