//! What every optimiser can do, and what a rule has to say. Knows no particular rule.

use super::loss::Differentiated;
use super::update::{Pair, build, step, step_pairs};
use super::{Clip, Loss, Role, Settings, Update, Updated};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Key, Leaf, Named, Names, Operation, Tensor, Tree, is_recording, or_raise, raise,
};
use crate::value::Variable;
use std::borrow::Borrow;
use std::collections::HashSet;

/// Changes variables so that a loss falls.
///
/// An optimiser works the same way eagerly and in a traced function, where gradients and updates are in one graph with
/// the loss. It may be an argument of the function, beside the model or in it, or stand outside of it. What it remembers
/// of a variable belongs to the two of them: one optimiser may train two models, and two may train one.
///
/// A rule of one's own says what it remembers ([`roles`](Optimizer::roles)) and how it changes one variable
/// ([`update`](Optimizer::update)); the rest is given.
pub trait Optimizer: Tree {
    /// What all optimisers have.
    fn settings(&self) -> &Settings;

    /// The same, to be changed.
    fn settings_mut(&mut self) -> &mut Settings;

    /// What it remembers of each variable: a tensor of the variable's type and shape for each role.
    fn roles(&self) -> Vec<Role>;

    /// The rule: what becomes of one variable.
    fn update(&self, update: &Update<'_>) -> Updated;

    /// The same optimiser under another name, by which its variables and nodes are called; it has counted no steps and
    /// remembers nothing.
    #[must_use]
    #[track_caller]
    fn named(mut self, name: &str) -> Self {
        self.settings_mut().rename(name);
        self
    }

    /// The same optimiser with gradients that are kept small.
    #[must_use]
    fn clip(mut self, clip: Clip) -> Self {
        self.settings_mut().set_clip(clip);
        self
    }

    /// The same optimiser with weight decay beside the gradient: `value := value - value * decay * rate` before the
    /// rule, as `weight_decay` of Keras.
    #[must_use]
    fn weight_decay(mut self, decay: f64) -> Self {
        self.settings_mut().set_decay(decay);
        self
    }

    /// Changes all variables that a loss depends on, and gives the loss, as it was before.
    ///
    /// In a traced function the loss is a tensor, `minimize(&loss)`; elsewhere a function, `minimize(|| ..)`, and what
    /// it reads is trained. In a [`Graph`](crate::Graph) the step is done in each run that asks for what this gives.
    ///
    /// # Panics
    /// Raises an error if the loss is not one float, if no variable has a gradient, and for a tensor where nothing is
    /// traced.
    #[track_caller]
    fn minimize(&self, loss: impl Loss) -> Tensor {
        let Differentiated { loss, pairs, reasons } = or_raise(loss.differentiated());
        or_raise(step(self, pairs, Some(&loss), &reasons)).unwrap_or(loss)
    }

    /// The first half of [`minimize`](Optimizer::minimize): each variable with its gradient; `None` where there is none.
    ///
    /// # Panics
    /// Raises an error if the loss is not one float, and for a tensor where nothing is traced.
    #[track_caller]
    fn compute_gradients(&self, loss: impl Loss) -> Vec<(Option<Tensor>, Variable)> {
        or_raise(loss.differentiated()).pairs
    }

    /// The second half: changes variables by their gradients. Those without one stay as they are.
    ///
    /// In a [`Graph`](crate::Graph) this gives the operation that a session runs; elsewhere it is done.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let (w, b) = (Variable::new("w", 2.0f32), Variable::new("b", 1.0f32));
    /// let tape = GradientTape::new();
    /// let loss = (&w * 3.0 + &b).square();
    /// let gradients = tape.gradient(&loss, [&w, &b]);
    /// GradientDescent::new(0.5).apply_gradients(gradients.into_iter().zip([&w, &b]));
    /// assert_eq!([w.read(), b.read()].map(|it| it.item::<f32>()), [-19.0, -6.0]);
    /// ```
    ///
    /// # Panics
    /// Raises an error if there is no gradient at all, or one does not fit its variable; then nothing is changed.
    #[track_caller]
    fn apply_gradients<G: Into<Option<Tensor>>, V: Borrow<Variable>>(
        &self,
        pairs: impl IntoIterator<Item = (G, V)>,
    ) -> Operation {
        let pairs = pairs.into_iter();
        let pairs = pairs.map(|(gradient, variable)| (gradient.into(), variable.borrow().clone()));
        let done = or_raise(step(self, pairs.collect(), None, &[]));
        done.map_or_else(Operation::done, Operation::of)
    }

    /// Changes the trainable variables of a model by the gradients in a model of the same type, which
    /// [`value_and_grad`](crate::value_and_grad) gives.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// #[derive(Tree)]
    /// struct Line { a: Variable, b: Variable }
    ///
    /// #[graph_fn]
    /// fn train(line: &Line, optimizer: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    ///     let loss = |line: &Line| (&line.a * x + &line.b - y).square().mean();
    ///     let (loss, gradients) = value_and_grad(loss)(line);
    ///     optimizer.apply(line, &gradients);
    ///     loss
    /// }
    ///
    /// let line = Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
    /// let (x, y) = (Tensor::from([1.0f32, 2.0]), Tensor::from([2.0f32, 4.0]));
    /// assert_eq!(train(&line, &Adam::new(0.01), &x, &y).item::<f32>(), 10.0);
    /// assert!((line.a.read().item::<f32>() - 0.01).abs() < 1e-6); // the first step of Adam is one of the rate
    /// ```
    ///
    /// # Panics
    /// Raises an error if the two are not of one structure, or if there is nothing to train.
    #[track_caller]
    fn apply<M: Tree>(&self, model: &M, gradients: &M) {
        or_raise(step_pairs(self, or_raise(paired(model, gradients)), None));
    }

    /// Makes what it remembers of the variables of a model, as it is before the first step: so that it can be loaded.
    ///
    /// # Panics
    /// Raises an error if a variable of the model has no value yet.
    #[track_caller]
    fn build<M: Tree>(&self, model: &M) {
        let trained = variables(model).into_iter().filter(|(it, _)| is_trained(it)).collect();
        or_raise(build(self, trained));
    }

    /// The variables of the optimiser itself: the count of its steps, and all that it remembers so far of variables that
    /// still exist.
    ///
    /// # Panics
    /// Raises an error in a traced function: another call would have others.
    #[track_caller]
    fn variables(&self) -> Vec<Variable> {
        let step = self.settings().step();
        if is_recording() {
            let message =
                format!("the variables of `{}` are asked for in a trace", self.settings().name());
            raise(
                Error::new(ErrorKind::Trace, message)
                    .with_help("ask outside of the traced function"),
            );
        }
        std::iter::once(step.clone()).chain(step.companions()).collect()
    }
}

fn is_trained(variable: &Variable) -> bool {
    variable.is_trainable() && variable.spec().is_none_or(|spec| spec.dtype().is_float())
}

/// The variables of a tree, with their paths.
fn variables(tree: &impl Tree) -> Vec<(Variable, Option<String>)> {
    let mut key = Key::new();
    tree.key(&mut key);
    let (mut names, mut arguments) = (Vec::new(), Vec::new());
    Names::new(&mut names, &mut arguments).receiver(|names| tree.leaves(names));
    let paths = names.into_iter().filter_map(|it| match it {
        Named::Tensor(path) | Named::Variable(path) | Named::State(path) => Some(path),
        Named::Scope(..) | Named::Static(..) => None,
    });
    let leaves = key.leaves().iter().zip(paths).filter_map(|(leaf, path)| match leaf {
        // One that is the whole tree has its own name only.
        Leaf::Variable(variable) => {
            Some(((*variable).clone(), Some(path).filter(|it| !it.is_empty())))
        }
        Leaf::Tensor(_) => None,
    });
    leaves.collect()
}

/// The trainable variables of a model, each once, with their gradients.
#[track_caller]
fn paired<M: Tree>(model: &M, gradients: &M) -> Result<Vec<Pair>> {
    let (model, gradients) = (variables(model), variables(gradients));
    if model.len() != gradients.len() {
        let message = format!(
            "the model has {} variables, and its gradients are {}",
            model.len(),
            gradients.len()
        );
        return Err(Error::new(ErrorKind::Value, message)
            .with_help("take the gradients of this model: `value_and_grad(loss)(&model)`"));
    }
    let mut seen = HashSet::new();
    let mut pairs = Vec::new();
    for ((variable, path), (gradient, _)) in model.into_iter().zip(gradients) {
        // One that stands in two places has, in both, the gradient of all its uses.
        if !is_trained(&variable) || variable.spec().is_none() || !seen.insert(variable.id()) {
            continue;
        }
        if gradient.stands_for().is_none() {
            let name = path.as_deref().unwrap_or(variable.name());
            let message = format!("`{name}` of the gradients is a variable, and no gradient");
            return Err(Error::new(ErrorKind::Variable, message).with_help(
                "the model stands first, and its gradients second: `apply(&model, &gradients)`",
            ));
        }
        pairs.push(Pair { gradient: gradient.read(), variable, path });
    }
    if pairs.is_empty() {
        return Err(super::explain::no_gradients(&[], None, &[]));
    }
    Ok(pairs)
}
