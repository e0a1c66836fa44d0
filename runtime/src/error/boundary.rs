//! How misuse is told: raised at the user's line, caught where a call gives a `Result`. Knows no ops.

use super::{Error, Place, Result};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// How many boundaries stand below on this thread: while there is one, raising is silent.
    static BOUNDARIES: Cell<usize> = const { Cell::new(0) };
}

/// What unwinds to the next boundary.
struct Raised(Error);

/// Runs a block and gives what was raised in it as an error; a panic of another kind passes on.
///
/// ```
/// use graphfn::prelude::*;
///
/// let error = attempt(|| Tensor::from([1.0f32, 2.0]) + Tensor::from([1.0f32, 2.0, 3.0])).unwrap_err();
/// assert!(error.message().contains("[2] and [3]"));
/// ```
///
/// # Errors
/// What an op, a read or a call in the block raised.
pub fn attempt<R>(block: impl FnOnce() -> R) -> Result<R> {
    catch(block).map_err(|payload| match payload.downcast::<Raised>() {
        Ok(raised) => raised.0,
        Err(other) => resume_unwind(other),
    })
}

/// What ended a closure of the user's.
#[derive(Debug)]
pub enum Unwound {
    /// An error that was raised.
    Raised(Error),
    /// A panic, and its words.
    Panic(String),
}

/// Runs a closure of the user's, and gives whatever unwound it.
///
/// # Errors
/// What was raised in it, and panics too.
pub fn caught<R>(block: impl FnOnce() -> R) -> Result<R, Unwound> {
    catch(block).map_err(|payload| match payload.downcast::<Raised>() {
        Ok(raised) => Unwound::Raised(raised.0),
        Err(other) => {
            let words = other.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| other.downcast_ref::<&str>().copied());
            Unwound::Panic(words.unwrap_or("with a payload that is no text").to_string())
        }
    })
}

/// Runs a block under a boundary and gives whatever unwound it.
fn catch<R>(block: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    struct Below;
    impl Drop for Below {
        fn drop(&mut self) {
            BOUNDARIES.set(BOUNDARIES.get() - 1);
        }
    }
    BOUNDARIES.set(BOUNDARIES.get() + 1);
    let _below = Below;
    // The block's captures may be seen half-changed after an unwind, as with any error of an op: by `Err` the user knows.
    catch_unwind(AssertUnwindSafe(block))
}

/// Raises an error at the caller's line: a silent unwind when a boundary will catch it, else a panic with its text.
#[track_caller]
pub fn raise(error: Error) -> ! {
    let error = error.at(Place::caller());
    if BOUNDARIES.get() == 0 {
        panic!("{error}");
    }
    if cfg!(panic = "abort") {
        eprintln!("{error:?}");
    }
    resume_unwind(Box::new(Raised(error)))
}

/// What succeeded, or its error raised at the caller's line.
#[track_caller]
pub fn or_raise<T>(result: Result<T>) -> T {
    // A closure would hide the caller's line.
    match result {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn raised_errors_are_caught_with_their_line_and_panics_pass() {
        let line = line!() + 2;
        let error =
            attempt(|| raise(Error::new(ErrorKind::Value, "no"))).map(|(): ()| ()).unwrap_err();
        assert_eq!((error.message(), error.place().unwrap().line), ("no", line));
        let panic = catch_unwind(|| attempt(|| panic!("the user's own")))
            .map(|_: Result<()>| ())
            .unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the user's own"));
    }

    #[test]
    fn without_a_boundary_it_is_a_panic_with_the_text() {
        let panic = catch_unwind(|| raise(Error::new(ErrorKind::Value, "no").with_help("do")))
            .map(|_: ()| ())
            .unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("no\n  --> ") && text.ends_with("\n  help: do"), "{text}");
    }
}
