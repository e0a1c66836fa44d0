//! `#[graph_fn]` works wherever a function can stand, and leaves it a function.
//! What may be passed is in arguments.rs, methods are in methods.rs.

use graphfn::prelude::*;

fn scalar(x: f32) -> Tensor {
    Tensor::from(x)
}

/// Adds.
#[graph_fn]
#[must_use]
#[inline]
pub fn add(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[test]
fn a_call_traces_once_per_signature() {
    #[graph_fn]
    fn double(x: &Tensor) -> Tensor {
        x + x
    }
    assert_eq!(double(&scalar(1.0)).item::<f32>(), 2.0);
    assert_eq!(double(&scalar(4.0)).item::<f32>(), 8.0);
    assert_eq!(double::trace_count(), 1);
    let _ = double(&Tensor::from([1.0f32, 2.0]));
    assert_eq!(double::trace_count(), 2);
}

#[test]
fn the_function_is_still_a_function() {
    let f: fn(&Tensor, &Tensor) -> Tensor = add;
    assert_eq!(f(&scalar(1.0), &scalar(2.0)).item::<f32>(), 3.0);
}

#[test]
fn the_handle_gives_concrete_functions_and_errors_as_values() {
    #[graph_fn]
    fn subtract(a: &Tensor, b: &Tensor) -> Tensor {
        a - b
    }
    subtract::concrete_function(&scalar(0.0), &scalar(0.0)).expect("it can be traced");
    assert_eq!(subtract::trace_count(), 1);
    let difference = subtract::try_call(&scalar(5.0), &scalar(3.0)).expect("the shapes agree");
    assert_eq!(difference.item::<f32>(), 2.0);
    assert_eq!(subtract::trace_count(), 1);
    let error = subtract::try_call(&Tensor::from([1.0f32; 2]), &Tensor::from([1.0f32; 3]));
    assert!(error.unwrap_err().to_string().contains("forms.rs"));
}

#[test]
fn the_handle_rules_the_cache() {
    #[graph_fn]
    fn negate(x: &Tensor) -> Tensor {
        -x
    }
    negate::set_cache_limit(4);
    let _ = negate(&scalar(1.0));
    negate::clear_cache();
    let _ = negate(&scalar(1.0));
    assert_eq!(negate::trace_count(), 2);
    assert_eq!(negate::graph_fn().trace_count(), 2);
    assert!(negate::explain_retraces().to_string().contains("negate"));
}

mod inner {
    use graphfn::prelude::*;

    #[graph_fn]
    pub(super) fn negate(x: &Tensor) -> Tensor {
        self::minus(x)
    }

    fn minus(x: &Tensor) -> Tensor {
        -x
    }
}
use inner::negate;

#[test]
fn a_function_and_its_handle_come_through_one_use() {
    assert_eq!(negate(&scalar(1.0)).item::<f32>(), -1.0);
    assert_eq!(negate::trace_count(), 1);
}

#[allow(dead_code, reason = "it only takes the name")]
mod multiply {}

#[graph_fn(handle = Multiply)]
fn multiply(a: &Tensor, b: &Tensor) -> Tensor {
    a * b
}

#[allow(dead_code, reason = "it only takes the name")]
struct Divide;

#[graph_fn(handle = none)]
#[allow(non_snake_case)]
fn divide(a: &Tensor, b: &Tensor) -> Tensor {
    a / b
}

#[test]
fn a_taken_name_is_no_obstacle() {
    assert_eq!(multiply(&scalar(2.0), &scalar(3.0)).item::<f32>(), 6.0);
    assert_eq!(Multiply::trace_count(), 1);
    assert_eq!(divide(&scalar(6.0), &scalar(3.0)).item::<f32>(), 2.0);
}

macro_rules! scaled {
    ($name:ident, $factor:expr) => {
        #[graph_fn]
        fn $name(x: &Tensor) -> Tensor {
            let y = x + 1.0f32;
            y * $factor
        }
    };
}
scaled!(tripled, 3.0f32);

#[test]
fn macro_rules_may_make_traced_functions() {
    assert_eq!(tripled(&scalar(1.0)).item::<f32>(), 6.0);
    assert_eq!(tripled::trace_count(), 1);
}

#[graph_fn]
fn awkward(mode: &Tensor, key: &Tensor, names: f32, map: f32, type_of: f32) -> Tensor {
    let owned0 = mode * names;
    owned0 + key * map + type_of
}

#[test]
fn no_name_of_the_user_meets_one_of_the_expansion() {
    let y = awkward(&scalar(1.0), &scalar(2.0), 3.0, 4.0, 5.0);
    assert_eq!(y.item::<f32>(), 16.0);
}

#[graph_fn]
fn early(x: &Tensor, n: i32) -> Result<Tensor, String> {
    if n == 0 {
        return Err("n is zero".to_owned());
    }
    let factor: f32 = n.to_string().parse().map_err(|_| "not a number".to_owned())?;
    Ok(x * factor)
}

#[test]
fn return_and_question_mark_leave_the_body_only() {
    assert_eq!(early(&scalar(2.0), 3).unwrap().item::<f32>(), 6.0);
    assert_eq!(early(&scalar(2.0), 0).unwrap_err(), "n is zero");
}

#[graph_fn]
fn nothing(_x: &Tensor) {}

#[graph_fn]
fn constant() -> Tensor {
    Tensor::from(2.0f32)
}

#[test]
fn a_function_may_take_or_give_nothing() {
    nothing(&scalar(1.0));
    assert_eq!(constant().item::<f32>(), 2.0);
}

#[graph_fn(autograph = false)]
fn plain(x: &Tensor) -> Tensor {
    let mut y = x + 1.0f32;
    for _ in 0..3 {
        y += x;
    }
    y
}

#[test]
fn native_loops_stay_native() {
    assert_eq!(plain(&scalar(1.0)).item::<f32>(), 5.0);
}

#[graph_fn(signature(x: f32[?]))]
fn declared(x: &Tensor, y: &Tensor) -> Tensor {
    x + y
}

#[test]
fn a_declared_size_may_vary_without_a_trace() {
    for x in [Tensor::from([1.0f32; 2]), Tensor::from([1.0f32; 3]), Tensor::from([1.0f32; 4])] {
        let _ = declared(&x, &scalar(1.0));
    }
    assert_eq!(declared::trace_count(), 1);
}

#[graph_fn]
#[cfg(not(test))]
fn gone(x: &Tensor) -> Tensor {
    x.no_such_method()
}

#[graph_fn]
#[deprecated = "call add"]
#[allow(clippy::redundant_clone)]
fn old(x: &Tensor) -> Tensor {
    x.clone()
}

#[test]
#[expect(deprecated)]
fn attributes_keep_their_meaning() {
    assert_eq!(old(&scalar(1.0)).item::<f32>(), 1.0);
}
