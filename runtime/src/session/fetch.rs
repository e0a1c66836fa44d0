//! What a run is asked for, and in which form it gives it. Knows no session.

use crate::graph::{Operation, Tensor};
use crate::value::Variable;

/// One thing that is asked for.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Fetched<'f> {
    /// The value of a tensor.
    Tensor(&'f Tensor),
    /// The value of a variable after the run.
    Variable(&'f Variable),
    /// That something is done.
    Operation(&'f Operation),
}

/// What [`Session::run`](crate::Session::run) can be asked for: a tensor, a variable, an operation; tuples, arrays,
/// vectors and slices of them. The run gives the same form, with tensors in memory, and `()` for an operation.
///
/// Variables give what they hold after all updates of the run, tensors what they depended on where they stand in the graph.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be fetched from a session",
    label = "not a tensor, a variable or an operation, nor a tuple, array or vector of them",
    note = "help: pass references, several as a tuple: `session.run((&train, &w, &loss))`"
)]
pub trait Fetch {
    /// What the run gives.
    type Output;

    /// Says what is asked for, in order.
    #[doc(hidden)]
    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>));

    /// Puts the values of tensors and variables into the form.
    #[doc(hidden)]
    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Self::Output;
}

impl Fetch for Tensor {
    type Output = Tensor;

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        to(Fetched::Tensor(self));
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Tensor {
        values()
    }
}

impl Fetch for Variable {
    type Output = Tensor;

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        to(Fetched::Variable(self));
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Tensor {
        values()
    }
}

impl Fetch for Operation {
    type Output = ();

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        to(Fetched::Operation(self));
    }

    fn output(&self, _: &mut dyn FnMut() -> Tensor) {}
}

impl<T: Fetch + ?Sized> Fetch for &T {
    type Output = T::Output;

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        (**self).fetches(to);
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> T::Output {
        (**self).output(values)
    }
}

impl<T: Fetch> Fetch for [T] {
    type Output = Vec<T::Output>;

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        self.iter().for_each(|it| it.fetches(to));
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Vec<T::Output> {
        self.iter().map(|it| it.output(values)).collect()
    }
}

impl<T: Fetch> Fetch for Vec<T> {
    type Output = Vec<T::Output>;

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        self[..].fetches(to);
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Vec<T::Output> {
        self[..].output(values)
    }
}

impl<T: Fetch, const N: usize> Fetch for [T; N] {
    type Output = [T::Output; N];

    fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
        self.iter().for_each(|it| it.fetches(to));
    }

    fn output(&self, values: &mut dyn FnMut() -> Tensor) -> [T::Output; N] {
        self.each_ref().map(|it| it.output(values))
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*)),* $(,)?) => {$(
        impl<$($name: Fetch),*> Fetch for ($($name,)*) {
            type Output = ($($name::Output,)*);

            fn fetches<'f>(&'f self, to: &mut dyn FnMut(Fetched<'f>)) {
                $(self.$at.fetches(to);)*
            }

            fn output(&self, values: &mut dyn FnMut() -> Tensor) -> Self::Output {
                ($(self.$at.output(values),)*)
            }
        }
    )*};
}
tuples![
    (A 0),
    (A 0, B 1),
    (A 0, B 1, C 2),
    (A 0, B 1, C 2, D 3),
    (A 0, B 1, C 2, D 3, E 4),
    (A 0, B 1, C 2, D 3, E 4, F 5),
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6),
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7),
];
