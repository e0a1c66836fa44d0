//! Runs of a graph: from what is fed to what is fetched, by a plan that is made once for each such pair. Knows plans, and
//! holds the values of variables.

use super::cut::{Fed, Wanted, cut, fed};
use super::default::default_graph;
use super::feed::Feeds;
use super::fetch::{Fetch, Fetched};
use super::graph::Graph;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{Operation, Ref, Tensor};
use crate::passes;
use crate::plan::Plan;
use crate::trace::ConcreteFunction;
use crate::types::Spec;
use crate::value::{Value, Variable};
use parking_lot::{Mutex, RwLock};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// For how many pairs of feeds and fetches a session keeps plans.
const PLANS: usize = 256;

/// Runs parts of a graph, and holds the values of its variables: each session has its own.
///
/// A session may be used from many threads at once; a run sees no other's updates half done.
///
/// ```
/// use graphfn::prelude::*;
///
/// let graph = Graph::new();
/// let a = graph.get_variable("a", [], init::Zeros);
/// let more = a.assign(&a + 1.0);
/// let session = Session::new(&graph);
/// session.run(&graph.global_variables_initializer())?;
/// for expected in 1..=5 {
///     assert_eq!(session.run(&more)?.item::<f32>(), expected as f32);
/// }
/// assert_eq!(session.value(&a)?.item::<f32>(), 5.0);
/// # Ok::<(), Error>(())
/// ```
pub struct Session {
    graph: Graph,
    /// The session's own variables, by the ids of the graph's.
    variables: Mutex<HashMap<u64, Variable>>,
    plans: RwLock<HashMap<Key, Arc<Prepared>>>,
}

/// What is fetched and what is fed, in words.
type Key = SmallVec<[u64; 16]>;

/// What a run is asked for.
#[derive(Default)]
struct Asked {
    wanted: SmallVec<[Wanted; 4]>,
    /// For each value that comes back: the tensor, if it is in memory already.
    ready: SmallVec<[Option<Tensor>; 4]>,
}

/// A plan and the variables that it runs on.
struct Prepared {
    plan: Plan,
    variables: Vec<(Variable, Option<Place>)>,
    /// Which of the feeds its inputs are.
    feeds: Vec<usize>,
}

impl Session {
    /// A session of a graph, in which no variable has a value yet.
    pub fn new(graph: &Graph) -> Session {
        Session { graph: graph.clone(), variables: Mutex::default(), plans: RwLock::default() }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Computes what is fetched, and only what that needs.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let graph = Graph::new();
    /// let (a, b) = (graph.constant(2.0f32), graph.constant(3.0f32));
    /// let (sum, product) = Session::new(&graph).run((&a + &b, &a * &b))?;
    /// assert_eq!((sum.item::<f32>(), product.item::<f32>()), (5.0, 6.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// If a placeholder is not fed, a variable has no value, or the data make an op fail; then no variable has changed.
    #[track_caller]
    pub fn run<F: Fetch>(&self, fetches: F) -> Result<F::Output> {
        self.run_at(&fetches, &Feeds::new(), Place::caller())
    }

    /// As [`run`](Session::run), with values for placeholders.
    ///
    /// # Errors
    /// As [`run`](Session::run), and if a value does not fit what it is fed to.
    #[track_caller]
    pub fn run_with<F: Fetch>(&self, fetches: F, feeds: Feeds) -> Result<F::Output> {
        self.run_at(&fetches, &feeds, Place::caller())
    }

    fn run_at<F: Fetch>(&self, fetches: &F, feeds: &Feeds, place: Place) -> Result<F::Output> {
        self.ran(fetches, feeds).map_err(|error| error.at(place))
    }

    fn ran<F: Fetch>(&self, fetches: &F, feeds: &Feeds) -> Result<F::Output> {
        let mut fed = fed(&mut self.graph.0.state(), &feeds.given)?;
        let Asked { wanted, ready } = self.asked(fetches)?;
        let prepared = self.prepared(&wanted, &fed)?;
        let inputs: SmallVec<[Value; 4]> =
            prepared.feeds.iter().map(|at| fed[*at].value.clone()).collect();
        fed.clear();
        let inputs: SmallVec<[&Value; 4]> = inputs.iter().collect();
        let variables: SmallVec<[&Variable; 24]> =
            prepared.variables.iter().map(|(variable, _)| variable).collect();
        let mut outputs = SmallVec::new();
        let done = prepared.plan.run(&inputs, &variables, &mut outputs);
        done.map_err(|error| without_value(&prepared).unwrap_or(error))?;
        let mut outputs = outputs.into_iter();
        let mut ready = ready.into_iter();
        Ok(fetches.output(&mut || {
            let ready = ready.next().expect("a form takes as many values as it asked for");
            ready.unwrap_or_else(|| {
                outputs.next().expect("a plan gives what it was asked for").into()
            })
        }))
    }

    /// What is fetched, in terms of the graph.
    fn asked(&self, fetches: &impl Fetch) -> Result<Asked> {
        let mut asked = Asked::default();
        let mut refused = None;
        fetches.fetches(&mut |fetched| {
            let wanted = match fetched {
                Fetched::Tensor(tensor) if !tensor.is_symbolic() => {
                    return asked.ready.push(Some(tensor.clone()));
                }
                Fetched::Tensor(tensor) => self.value_of(tensor).map(Wanted::Value),
                Fetched::Variable(variable) => Ok(Wanted::Variable(variable.clone())),
                Fetched::Operation(operation) => match operation.tensor() {
                    Some(tensor) => self.value_of(tensor).map(Wanted::Done),
                    None => return,
                },
            };
            match wanted {
                Ok(wanted) => {
                    if !matches!(wanted, Wanted::Done(_)) {
                        asked.ready.push(None);
                    }
                    asked.wanted.push(wanted);
                }
                Err(error) => drop(refused.get_or_insert(error)),
            }
        });
        refused.map_or(Ok(asked), Err)
    }

    fn value_of(&self, tensor: &Tensor) -> Result<Ref> {
        let symbolic = tensor.as_symbolic().expect("a tensor in memory is not looked up");
        if symbolic.trace == self.graph.0.id() {
            return Ok(symbolic.value);
        }
        let message = format!("{tensor} is of another graph than the session");
        Err(Error::new(ErrorKind::Feed, message)
            .with_help("run it in a session of its own graph: `Session::new(&graph)`"))
    }

    fn prepared(&self, wanted: &[Wanted], fed: &[Fed]) -> Result<Arc<Prepared>> {
        let key = key(wanted, fed);
        if let Some(found) = self.plans.read().get(&key) {
            return Ok(found.clone());
        }
        let feeds: Vec<(Ref, Spec)> = fed.iter().map(|it| (it.target, it.value.spec())).collect();
        let cut = cut(&self.graph.0.state(), wanted, &feeds)?;
        let plan = Plan::new(&passes::run(&cut.graph)?)?;
        let variables = cut.variables.into_iter();
        let variables = variables.map(|(it, place)| (self.bound(&it), place)).collect();
        let prepared = Arc::new(Prepared { plan, variables, feeds: cut.feeds });
        let mut plans = self.plans.write();
        if plans.len() >= PLANS {
            plans.clear();
        }
        plans.insert(key, prepared.clone());
        Ok(prepared)
    }

    /// The variable that a graph's is in this session: one of the session's own, for those of the graph and for what an
    /// optimiser remembers; for others the variable itself.
    fn bound(&self, variable: &Variable) -> Variable {
        let is_of_graph = variable.home() == Some(self.graph.0.id().0);
        if !is_of_graph && !variable.is_remembered() {
            return variable.clone();
        }
        let mut variables = self.variables.lock();
        let own = variables.entry(variable.id()).or_insert_with(|| {
            let spec = variable.spec().expect("a variable of a graph has a spec");
            let own = Variable::uninitialised(variable.name(), spec);
            if let (false, Ok(value)) = (is_of_graph, variable.load()) {
                own.store(value).expect("it has the spec of the other");
            }
            if variable.is_trainable() { own } else { own.untrainable() }
        });
        own.clone()
    }

    /// A run as a function: its inputs are what is fed, in order, its outputs what is fetched.
    ///
    /// It is bound to the session's variables, and can be inspected, called and saved.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let graph = Graph::new();
    /// let x = graph.placeholder::<f32>([2]);
    /// let y = x.square();
    /// let concrete = Session::new(&graph).concrete_function(&y, feed! { x => [0.0f32, 0.0] })?;
    /// assert_eq!(concrete.signature(), "graph(Placeholder: f32[2]) -> (f32[2])");
    /// assert_eq!(concrete.call([&Tensor::from([2.0f32, 3.0])])?[0].to_vec::<f32>(), [4.0, 9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run_with`](Session::run_with), but for what depends on data: nothing is computed.
    #[track_caller]
    pub fn concrete_function<F: Fetch>(
        &self,
        fetches: F,
        feeds: Feeds,
    ) -> Result<ConcreteFunction> {
        let place = Place::caller();
        self.as_function(&fetches, &feeds).map_err(|error| error.at(place))
    }

    fn as_function(&self, fetches: &impl Fetch, feeds: &Feeds) -> Result<ConcreteFunction> {
        let fed = fed(&mut self.graph.0.state(), &feeds.given)?;
        let Asked { wanted, .. } = self.asked(fetches)?;
        let specs: Vec<(Ref, Spec)> = fed.iter().map(|it| (it.target, it.value.spec())).collect();
        let cut = cut(&self.graph.0.state(), &wanted, &specs)?;
        let variables = cut.variables.iter().map(|(it, _)| self.bound(it)).collect();
        ConcreteFunction::of_graph(cut.graph, variables)
    }

    /// What a variable holds in this session.
    ///
    /// # Errors
    /// If it has no value yet.
    #[track_caller]
    pub fn value(&self, variable: &Variable) -> Result<Tensor> {
        let place = Place::caller();
        let found = self.bound(variable).load().map(Tensor::from);
        found.map_err(|_| uninitialised(variable.name()).at(place))
    }

    /// The session's own variables, by name and with their values, such as [`checkpoint`](crate::checkpoint) takes.
    pub fn variables(&self) -> Vec<Variable> {
        self.graph.global_variables().iter().map(|it| self.bound(it)).collect()
    }
}

/// A session of the default graph.
impl Default for Session {
    fn default() -> Session {
        Session::new(&default_graph())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({:?}, {} plans)", self.graph, self.plans.read().len())
    }
}

impl Operation {
    /// Does it in a session: `init.run(&session)`.
    ///
    /// # Errors
    /// As [`Session::run`].
    #[track_caller]
    pub fn run(&self, session: &Session) -> Result<()> {
        session.run(self)
    }
}

fn key(wanted: &[Wanted], fed: &[Fed]) -> Key {
    let word = |value: Ref| match value {
        Ref::Input(id) => id.index() as u64,
        Ref::Variable(id) => 1 << 48 | id.index() as u64,
        Ref::Constant(id) => 2 << 48 | id.index() as u64,
        Ref::Node(id, output) => 3 << 48 | (id.index() as u64) << 16 | u64::from(output),
    };
    let mut key = Key::new();
    for it in wanted {
        key.push(match it {
            Wanted::Value(value) => word(*value),
            Wanted::Done(value) => 1 << 56 | word(*value),
            Wanted::Variable(variable) => 2 << 56 | variable.id(),
        });
    }
    for it in fed {
        key.push(3 << 56 | word(it.target));
        key.push(it.value.spec().id().into());
    }
    key
}

/// The complaint about the first variable that a run reads and that has no value.
fn without_value(prepared: &Prepared) -> Option<Error> {
    let missing = prepared.variables.iter().find(|(it, read)| read.is_some() && it.load().is_err());
    let (variable, read) = missing?;
    Some(match read {
        Some(place) => uninitialised(variable.name()).at(*place),
        None => uninitialised(variable.name()),
    })
}

fn uninitialised(name: &str) -> Error {
    let message = format!("variable `{name}` is read before it has a value in this session");
    Error::new(ErrorKind::Variable, message).with_help(
        "run its initialiser first: `session.run(&graph.global_variables_initializer())`",
    )
}
