//! A finished trace: its graphs, its plans, what its slots are bound to, and the view of it that users get.
//! Knows no cache.

use super::arguments::Declared;
use super::kept::Kept;
use crate::error::Result;
use crate::graph::{Graph, Input, Key, Leaf, NodeId, Output};
use crate::plan::{Plan, specialise, steps};
use crate::types::{DType, Spec};
use crate::value::{Described, Value, Variable};
use smallvec::SmallVec;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How many plans a trace with unknown sizes keeps.
const PLANS: usize = 16;

/// What a slot of a graph is bound to at a call.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// The variable at this leaf of the arguments.
    Leaf(usize),
    /// A variable that the body captured: this position of `captured`.
    Captured(usize),
    /// One that a variable keeps for another: this position of `kept`.
    Kept(usize),
    /// What stands in a variable's place in the result: the next output.
    Output,
}

/// What the slots of a graph are bound to.
pub(super) struct Bound {
    /// Of each slot.
    pub(super) bindings: Vec<Binding>,
    pub(super) captured: Vec<Variable>,
    pub(super) kept: Vec<Kept>,
}

/// A finished trace.
pub(super) struct Concrete {
    recorded: Graph,
    optimised: Graph,
    bound: Bound,
    plans: Plans,
}

enum Plans {
    /// All sizes are known.
    One(Box<Plan>),
    /// Some are not: a plan for each set of sizes, latest last.
    BySizes(Mutex<Vec<(Vec<Spec>, Arc<Plan>)>>),
}

impl Concrete {
    /// Plans an optimised graph.
    ///
    /// # Errors
    /// If the graph cannot be planned.
    pub(super) fn new(recorded: Graph, optimised: Graph, bound: Bound) -> Result<Concrete> {
        let is_symbolic = optimised.inputs.iter().any(|input| input.spec.known().is_none());
        let plans = if is_symbolic {
            Plans::BySizes(Mutex::default())
        } else {
            Plans::One(Box::new(Plan::new(&optimised)?))
        };
        Ok(Concrete { recorded, optimised, bound, plans })
    }

    pub(super) fn recorded(&self) -> &Graph {
        &self.recorded
    }

    pub(super) fn captured(&self) -> &[Variable] {
        &self.bound.captured
    }

    /// Runs the trace on the leaves of a call.
    ///
    /// # Errors
    /// What depends on data: an index out of range, a division by zero, a variable without a value.
    #[inline]
    pub(super) fn run(&self, key: &Key<'_>, outputs: &mut SmallVec<[Value; 2]>) -> Result<()> {
        let mut inputs: SmallVec<[&Value; 24]> = SmallVec::new();
        for leaf in key.leaves() {
            if let Leaf::Tensor(tensor) = leaf {
                inputs.push(
                    tensor.as_value().expect("symbolic arguments have no trace in the cache"),
                );
            }
        }
        let kept = self.kept(key)?;
        let mut variables: SmallVec<[&Variable; 24]> = SmallVec::new();
        for binding in &self.bound.bindings {
            variables.push(self.bound(binding, key, &kept));
        }
        self.run_on(&inputs, &variables, outputs)
    }

    /// Runs the trace on its inputs and the variables of its slots.
    #[inline]
    fn run_on(
        &self,
        inputs: &[&Value],
        variables: &[&Variable],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        match &self.plans {
            Plans::One(plan) => plan.run(inputs, variables, outputs),
            Plans::BySizes(_) => {
                let specs: Vec<Spec> = inputs.iter().map(|input| input.spec()).collect();
                self.plan(&specs)?.run(inputs, variables, outputs)
            }
        }
    }

    /// The variables at a call that others keep for others.
    #[inline]
    fn kept(&self, key: &Key<'_>) -> Result<SmallVec<[Variable; 8]>> {
        let mut found = SmallVec::new();
        for kept in &self.bound.kept {
            found.push(kept.find(self, key)?);
        }
        Ok(found)
    }

    #[inline]
    pub(super) fn bound<'k>(
        &'k self,
        binding: &Binding,
        key: &'k Key<'_>,
        kept: &'k [Variable],
    ) -> &'k Variable {
        match binding {
            Binding::Captured(at) => &self.bound.captured[*at],
            Binding::Kept(at) => &kept[*at],
            Binding::Output => unreachable!("a slot is bound to a variable"),
            Binding::Leaf(at) => match key.leaves()[*at] {
                Leaf::Variable(variable) => variable,
                Leaf::Tensor(_) => {
                    unreachable!("a key with the same words has its variables at the same leaves")
                }
            },
        }
    }

    fn plan(&self, specs: &[Spec]) -> Result<Arc<Plan>> {
        let Plans::BySizes(plans) = &self.plans else {
            unreachable!("asked only for graphs with unknown sizes")
        };
        let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = plans.iter().rposition(|(it, _)| it == specs) {
            let found = plans.remove(at);
            plans.push(found);
        } else {
            let plan = Plan::new(&specialise(&self.optimised, specs)?)?;
            plans.push((specs.to_vec(), Arc::new(plan)));
            if plans.len() > PLANS {
                plans.remove(0);
            }
        }
        Ok(plans.last().expect("one was just pushed").1.clone())
    }
}

/// A trace of a function for one signature, with the variables of one call: what can be looked at in tests.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn add(a: &Tensor, b: &Tensor) -> Tensor {
///     a + b
/// }
/// let concrete = add::concrete_function(&Tensor::from(1), &Tensor::from(2))?;
/// assert_eq!(concrete.inputs().len(), 2);
/// assert_eq!(concrete.graph().nodes[0].kind.name(), "AddV2");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct ConcreteFunction {
    concrete: Arc<Concrete>,
    signature: &'static [Declared],
    variables: Vec<BoundVariable>,
    specs: Vec<Spec>,
}

impl ConcreteFunction {
    pub(super) fn new(
        concrete: Arc<Concrete>,
        signature: &'static [Declared],
        key: &Key<'_>,
        paths: &[(usize, String)],
    ) -> Result<ConcreteFunction> {
        let path_of = |binding: &Binding| match binding {
            Binding::Leaf(at) => paths.iter().find(|(leaf, _)| leaf == at).map(|it| it.1.clone()),
            Binding::Captured(_) | Binding::Kept(_) | Binding::Output => None,
        };
        let kept = concrete.kept(key)?;
        let slots = concrete.bound.bindings.iter().zip(&concrete.recorded.slots);
        let variables = slots.map(|(binding, slot)| BoundVariable {
            path: path_of(binding).unwrap_or_else(|| slot.name.to_string()),
            variable: concrete.bound(binding, key, &kept).clone(),
        });
        let variables = variables.collect();
        let specs = super::function::tensor_specs(key);
        Ok(ConcreteFunction { variables, signature, specs, concrete })
    }

    pub(super) fn new_bound(
        concrete: Arc<Concrete>,
        variables: Vec<BoundVariable>,
        specs: Vec<Spec>,
    ) -> ConcreteFunction {
        ConcreteFunction { concrete, signature: &[], variables, specs }
    }

    pub(super) fn run_bound(
        &self,
        inputs: &[&Value],
        variables: &[&Variable],
        outputs: &mut SmallVec<[Value; 2]>,
    ) -> Result<()> {
        self.concrete.run_on(inputs, variables, outputs)
    }

    /// The traced function's name.
    pub fn name(&self) -> &str {
        &self.concrete.recorded.name
    }

    /// The tensors that a call gives it.
    pub fn inputs(&self) -> &[Input] {
        &self.concrete.recorded.inputs
    }

    /// The tensors that a call gets back, each with its value in the graph.
    pub fn outputs(&self) -> &[Output] {
        &self.concrete.recorded.outputs
    }

    /// Values from outside that the trace holds: variables that are not in the arguments.
    pub fn captures(&self) -> &[Variable] {
        &self.concrete.bound.captured
    }

    /// All variables that the trace reached, in the order of their first use, under their scoped names.
    pub fn variables(&self) -> &[BoundVariable] {
        &self.variables
    }

    /// Those that training changes.
    pub fn trainable_variables(&self) -> Vec<BoundVariable> {
        self.variables.iter().filter(|it| it.variable.is_trainable()).cloned().collect()
    }

    /// The graph as it was traced.
    pub fn graph(&self) -> &Graph {
        &self.concrete.recorded
    }

    /// The graph after all passes.
    pub fn graph_optimised(&self) -> &Graph {
        &self.concrete.optimised
    }

    /// Name and spec of each input, in order; sizes that may vary print as their symbol.
    pub fn signature(&self) -> String {
        let inputs: Vec<String> =
            self.inputs().iter().map(|input| format!("{}: {}", input.name, input.spec)).collect();
        let outputs: Vec<String> =
            self.outputs().iter().map(|it| self.graph().spec(it.value).to_string()).collect();
        format!("{}({}) -> ({})", self.name(), inputs.join(", "), outputs.join(", "))
    }

    /// What the function declares of its parameters.
    pub fn declared(&self) -> &'static [Declared] {
        self.signature
    }

    /// The plan: clusters, steps, bytes of the arena; at the sizes of the call that asked.
    ///
    /// # Errors
    /// If the graph cannot be planned at these sizes.
    pub fn explain(&self) -> Result<String> {
        match &self.concrete.plans {
            Plans::One(plan) => Ok(plan.to_string()),
            Plans::BySizes(_) => Ok(self.concrete.plan(&self.specs)?.to_string()),
        }
    }
}

impl ConcreteFunction {
    /// The nodes of the optimised graph that each step of the plan runs as one, at the sizes of the call that asked; views
    /// are nodes of no step.
    ///
    /// # Errors
    /// If the graph cannot be planned at these sizes.
    pub fn steps(&self) -> Result<Vec<Vec<NodeId>>> {
        match &self.concrete.plans {
            Plans::One(_) => steps(self.graph_optimised()),
            Plans::BySizes(_) => steps(&specialise(self.graph_optimised(), &self.specs)?),
        }
    }
}

impl fmt::Debug for ConcreteFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConcreteFunction({})", self.signature())
    }
}

/// A variable under the name that a concrete function knows it by: the path of the fields that lead to it.
///
/// Prints as TensorFlow prints variables: `<Variable 'dense1/weight:0' shape=(32, 10) dtype=float32>`; `{:#?}` adds its value.
#[derive(Clone)]
pub struct BoundVariable {
    path: String,
    variable: Variable,
}

impl BoundVariable {
    pub(super) fn new(path: &str, variable: &Variable) -> BoundVariable {
        BoundVariable { path: path.to_string(), variable: variable.clone() }
    }

    /// The scoped name with TensorFlow's output number: `dense1/weight:0`.
    pub fn name(&self) -> String {
        format!("{}:0", self.path)
    }

    /// The scoped name: `dense1/weight`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The variable.
    pub fn variable(&self) -> &Variable {
        &self.variable
    }

    /// The sizes of its axes.
    pub fn shape(&self) -> &'static crate::types::Shape {
        self.spec().shape()
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.spec().dtype()
    }

    fn spec(&self) -> Spec {
        self.variable.spec().expect("a trace reads and writes built variables only")
    }
}

impl std::ops::Deref for BoundVariable {
    type Target = Variable;

    fn deref(&self) -> &Variable {
        &self.variable
    }
}

impl fmt::Debug for BoundVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Described { path: &self.path, variable: &self.variable }, f)
    }
}
