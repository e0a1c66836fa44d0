//! What users name as targets and sources of a gradient: one, or several in a container, and the answers in the same
//! container. Knows no gradient.

use crate::graph::{Source, Tensor};
use crate::value::Variable;

/// What a gradient may be with respect to: a tensor, a variable, or a tuple, array, slice or `Vec` of these.
#[diagnostic::on_unimplemented(
    message = "there is no gradient with respect to `{Self}`",
    label = "not a tensor, a variable, or a tuple, array, slice or Vec of these",
    note = "help: for a model, use `value_and_grad`, which takes any `Tree`"
)]
pub trait Sources {
    /// The gradients, in the same container.
    type Gradients;

    /// Adds the sources, in order.
    #[doc(hidden)]
    fn add_to(&self, sources: &mut Vec<Source>);

    /// Takes the gradients, in the same order.
    #[doc(hidden)]
    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Self::Gradients;
}

/// What may be differentiated: a tensor, or a tuple, array, slice or `Vec` of tensors, whose sum it is then.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be differentiated",
    label = "not a tensor, or an array, slice, tuple or Vec of tensors"
)]
pub trait Targets {
    /// Adds the targets, in order.
    #[doc(hidden)]
    fn add_to(&self, targets: &mut Vec<Tensor>);
}

impl Sources for Tensor {
    type Gradients = Option<Tensor>;

    fn add_to(&self, sources: &mut Vec<Source>) {
        sources.push(Source::Tensor(self.clone()));
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Option<Tensor> {
        one(found)
    }
}

impl Sources for Variable {
    type Gradients = Option<Tensor>;

    fn add_to(&self, sources: &mut Vec<Source>) {
        sources.push(Source::Variable(self.clone()));
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Option<Tensor> {
        one(found)
    }
}

fn one(found: &mut impl Iterator<Item = Option<Tensor>>) -> Option<Tensor> {
    found.next().expect("there is an answer for each source")
}

impl<S: Sources + ?Sized> Sources for &S {
    type Gradients = S::Gradients;

    fn add_to(&self, sources: &mut Vec<Source>) {
        (**self).add_to(sources);
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> S::Gradients {
        (**self).gradients(found)
    }
}

impl<S: Sources> Sources for [S] {
    type Gradients = Vec<S::Gradients>;

    fn add_to(&self, sources: &mut Vec<Source>) {
        self.iter().for_each(|it| it.add_to(sources));
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Vec<S::Gradients> {
        self.iter().map(|it| it.gradients(found)).collect()
    }
}

impl<S: Sources> Sources for Vec<S> {
    type Gradients = Vec<S::Gradients>;

    fn add_to(&self, sources: &mut Vec<Source>) {
        self[..].add_to(sources);
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Vec<S::Gradients> {
        self[..].gradients(found)
    }
}

impl<S: Sources, const N: usize> Sources for [S; N] {
    type Gradients = [S::Gradients; N];

    fn add_to(&self, sources: &mut Vec<Source>) {
        self[..].add_to(sources);
    }

    fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> [S::Gradients; N] {
        self.each_ref().map(|it| it.gradients(found))
    }
}

impl Targets for Tensor {
    fn add_to(&self, targets: &mut Vec<Tensor>) {
        targets.push(self.clone());
    }
}

impl<T: Targets + ?Sized> Targets for &T {
    fn add_to(&self, targets: &mut Vec<Tensor>) {
        (**self).add_to(targets);
    }
}

impl<T: Targets> Targets for [T] {
    fn add_to(&self, targets: &mut Vec<Tensor>) {
        self.iter().for_each(|it| it.add_to(targets));
    }
}

impl<T: Targets> Targets for Vec<T> {
    fn add_to(&self, targets: &mut Vec<Tensor>) {
        self[..].add_to(targets);
    }
}

impl<T: Targets, const N: usize> Targets for [T; N] {
    fn add_to(&self, targets: &mut Vec<Tensor>) {
        self[..].add_to(targets);
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),+)),+ $(,)?) => {$(
        impl<$($name: Sources),+> Sources for ($($name,)+) {
            type Gradients = ($($name::Gradients,)+);

            fn add_to(&self, sources: &mut Vec<Source>) {
                $(self.$at.add_to(sources);)+
            }

            fn gradients(&self, found: &mut impl Iterator<Item = Option<Tensor>>) -> Self::Gradients {
                ($(self.$at.gradients(found),)+)
            }
        }

        impl<$($name: Targets),+> Targets for ($($name,)+) {
            fn add_to(&self, targets: &mut Vec<Tensor>) {
                $(self.$at.add_to(targets);)+
            }
        }
    )+};
}
tuples!(
    (A 0),
    (A 0, B 1),
    (A 0, B 1, C 2),
    (A 0, B 1, C 2, D 3),
    (A 0, B 1, C 2, D 3, E 4),
    (A 0, B 1, C 2, D 3, E 4, F 5),
);
