//! The first call with a key: the body is run into a trace, and that becomes a cache entry. Knows no op.

use super::arguments::{Arguments, check_declared};
use super::concrete::{Binding, Bound, Concrete};
use super::function::{Entry, GraphFn, Identity, overlap};
use super::hints::large_constants;
use super::history::Traced;
use super::kept::Kept;
use super::recorder::{Recorded, Trace};
use super::template::Template;
use crate::autodiff::{Answered, answer};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::graph::{
    Graph, Key, Leaf, Mapping, Named, Names, Namespace, Naming, Output, Recording, Tensor, Tree,
    attempt, stand_in,
};
use crate::passes;
use crate::value::Variable;
use std::any::{Any, TypeId};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

pub(super) fn find_or_trace<'a, R: Tree + Any + Send + Sync>(
    function: &GraphFn,
    instance: Option<TypeId>,
    key: &impl Fn(&mut Key<'a>),
    name: &impl Fn(&mut Names<'_>),
    body: &mut impl FnMut(&mut Mapping<'_>) -> R,
    place: Place,
) -> Result<Arc<Entry>> {
    let mut words = Key::new();
    key(&mut words);
    check_declared(function.signature(), &words)?;
    if words.has_symbolic() {
        return Err(symbolic_argument(&words, function, name));
    }
    if words.has_kept() {
        return Err(kept_argument(&words, function));
    }
    let _claim = function.claim(&Identity { instance, words: words.words().into() });
    // While this call waited, another one may have built variables of the arguments: that changes the words.
    let mut words = Key::new();
    key(&mut words);
    if let Some(found) = function.find(instance, &words) {
        return Ok(found.clone());
    }
    let arguments = Arguments::new(&words, function.signature(), name);
    let traced = Traced {
        place,
        arguments: arguments.described.clone(),
        is_static: arguments.is_static.clone(),
    };
    let (undo, recorded, result) = record(function, &arguments, body, place)?;
    let entry = finish(instance, key, &words, recorded, result)?;
    undo.is_kept.set(true);
    function.note(traced);
    if log::log_enabled!(log::Level::Info)
        && let Some(hint) = large_constants(entry.concrete.recorded(), place)
    {
        log::info!("{hint}");
    }
    // Layers that were built just now may have made the arguments ones that a trace is known for: it serves as well.
    let mut words = Key::new();
    key(&mut words);
    Ok(match function.find(instance, &words) {
        Some(found) => found.clone(),
        None => function.insert(entry),
    })
}

fn symbolic_argument(key: &Key<'_>, function: &GraphFn, name: &impl Fn(&mut Names<'_>)) -> Error {
    let arguments = Arguments::new(key, function.signature(), name);
    let tensors = key.leaves().iter().filter_map(|leaf| match leaf {
        Leaf::Tensor(tensor) => Some(tensor),
        Leaf::Variable(_) => None,
    });
    let mut symbolic = tensors
        .zip(&arguments.tensors)
        .filter_map(|(tensor, (path, _))| Some((tensor.as_symbolic()?, path)));
    let (symbolic, path) = symbolic.next().expect("the key says that a leaf is symbolic");
    let escaped = symbolic.escaped();
    Error::new(
        ErrorKind::Escape,
        format!("argument `{path}` of `{}`: {}", function.name(), escaped.message()),
    )
    .with_help(escaped.help().unwrap_or_default())
}

fn kept_argument(key: &Key<'_>, function: &GraphFn) -> Error {
    let kept = key.leaves().iter().find_map(|leaf| match leaf {
        Leaf::Variable(variable) if variable.is_kept() => Some(variable.name()),
        _ => None,
    });
    let message = format!(
        "`{}` is what an optimiser remembers, and is no argument of `{}`",
        kept.expect("the key says that a leaf is kept by another variable"),
        function.name()
    );
    Error::new(ErrorKind::Variable, message)
        .with_help("pass the optimiser: what it remembers comes with it")
}

/// Runs the body into a trace, until every gradient that it was told to be there is.
fn record<R: Tree>(
    function: &GraphFn,
    arguments: &Arguments,
    body: &mut impl FnMut(&mut Mapping<'_>) -> R,
    place: Place,
) -> Result<(Undo, Recorded, R)> {
    let paths: HashMap<u64, Arc<str>> =
        arguments.variables.iter().rev().map(|(_, id, path)| (*id, path.as_str().into())).collect();
    let mut unconnected = HashSet::new();
    loop {
        let trace = Trace::new(function.name().into(), paths.clone(), unconnected.clone());
        let undo = Undo { trace: Rc::new(trace), is_kept: Cell::new(false) };
        // A body that fails may have been told of a gradient that is not there: that decides first.
        let run =
            catch_unwind(AssertUnwindSafe(|| run(function, arguments, body, &undo.trace, place)));
        let mut recorded = undo.trace.finish();
        let (outputs, result) = match run {
            Ok(Ok((outputs, result))) => (outputs, Ok(result)),
            Ok(Err(error)) => (Vec::new(), Err(Ok(error))),
            Err(panic) => (Vec::new(), Err(Err(panic))),
        };
        match (answer(Graph { outputs, ..recorded.graph }), result) {
            (Ok(Answered::Unconnected { question, source }), _) => {
                let is_new = unconnected.insert((question, source));
                assert!(is_new, "bug in graphfn: a trace is told again that a gradient is there");
            }
            (Ok(Answered::Graph(graph)), Ok(result)) => {
                recorded.graph = graph;
                return Ok((undo, recorded, result));
            }
            (Err(error), Ok(_)) | (_, Err(Ok(error))) => return Err(error),
            (_, Err(Err(panic))) => resume_unwind(panic),
        }
    }
}

/// Runs the body once, and gives what it returned with the outputs of the graph.
fn run<R: Tree>(
    function: &GraphFn,
    arguments: &Arguments,
    body: &mut impl FnMut(&mut Mapping<'_>) -> R,
    trace: &Rc<Trace>,
    place: Place,
) -> Result<(Vec<Output>, R)> {
    let inputs: Vec<Tensor> =
        arguments.tensors.iter().map(|(name, spec)| trace.input(name, *spec, place)).collect();
    let namespace =
        Namespace::new(function.inner().store.clone()).with_paths(arguments.scopes.iter().cloned());
    let _naming = Naming::open(namespace);
    let _recording = Recording::to(trace.clone());
    trace.begin_run();
    let result = attempt(|| {
        let mut inputs = inputs.iter();
        body(&mut Mapping {
            tensor: &mut |_| {
                inputs
                    .next()
                    .expect("a trace has an input for each tensor of its arguments")
                    .clone()
            },
            variable: &mut Variable::clone,
        })
    })?;
    trace.end_run()?;
    Ok((outputs(trace, &result)?, result))
}

/// What a body returned, as outputs of the graph.
fn outputs(trace: &Trace, result: &impl Tree) -> Result<Vec<Output>> {
    let mut returned = Key::new();
    result.key(&mut returned);
    let (mut names, mut spans) = (Vec::new(), Vec::new());
    Names::new(&mut names, &mut spans).argument("", |names| result.leaves(names));
    let paths = names.iter().filter_map(|it| match it {
        Named::Tensor(path) | Named::Variable(path) | Named::State(path) => Some(path.as_str()),
        _ => None,
    });
    let tensors = returned.leaves().iter().zip(paths).filter_map(|(leaf, path)| match leaf {
        Leaf::Tensor(tensor) => Some((*tensor, path)),
        Leaf::Variable(variable) => stand_in(variable).map(|tensor| (tensor, path)),
    });
    tensors
        .map(|(tensor, path)| Ok(Output { name: path.into(), value: trace.value_of(tensor)? }))
        .collect()
}

/// Un-creates the variables that a trace has made, unless it is kept: also when the user's code panics.
struct Undo {
    trace: Rc<Trace>,
    is_kept: Cell<bool>,
}

impl Drop for Undo {
    fn drop(&mut self) {
        if !self.is_kept.get() {
            self.trace.uncreate();
        }
    }
}

/// Makes a cache entry of a recorded trace: passes, plan, bindings.
fn finish<'a, R: Tree + Any + Send + Sync>(
    instance: Option<TypeId>,
    key: &impl Fn(&mut Key<'a>),
    before: &Key<'a>,
    recorded: Recorded,
    result: R,
) -> Result<Entry> {
    let Recorded { graph, variables, kept } = recorded;
    let position = |id: u64| {
        before.leaves().iter().position(|leaf| matches!(leaf, Leaf::Variable(it) if it.id() == id))
    };
    let mut captured: Vec<Variable> = Vec::new();
    let mut bind = |variable: &Variable| {
        position(variable.id()).map_or_else(|| capture(&mut captured, variable), Binding::Leaf)
    };
    let mut companions: Vec<Kept> = Vec::new();
    let bindings: Vec<Binding> = variables
        .iter()
        .map(|variable| match kept.get(&variable.id()) {
            None => bind(variable),
            Some(companion) => {
                companions.push(Kept::new(companion, &mut bind));
                Binding::Kept(companions.len() - 1)
            }
        })
        .collect();
    let mut returned = Key::new();
    result.key(&mut returned);
    let variables: Vec<Binding> = returned
        .leaves()
        .iter()
        .filter_map(|leaf| match leaf {
            Leaf::Variable(variable) => Some(match stand_in(variable) {
                Some(_) => Binding::Output,
                None => bind(variable),
            }),
            Leaf::Tensor(_) => None,
        })
        .collect();
    drop(returned);

    let optimised = passes::run(&graph)?;
    let concrete = Arc::new(Concrete::new(
        graph,
        optimised,
        Bound { bindings, captured: captured.clone(), kept: companions },
    )?);
    // Variables that were built while tracing have a spec now: later calls come with these words.
    let mut after = Key::new();
    key(&mut after);
    let identity = Identity { instance, words: after.words().into() };
    let overlap = overlap(&after, &captured).map(|it| it.map(|at| captured[at].id())).collect();
    let template = Arc::new(Template { value: result, variables, captured });
    Ok(Entry::new(identity, concrete, template, overlap))
}

fn capture(captured: &mut Vec<Variable>, variable: &Variable) -> Binding {
    let known = captured.iter().position(|it| it.id() == variable.id());
    Binding::Captured(known.unwrap_or_else(|| {
        captured.push(variable.clone());
        captured.len() - 1
    }))
}
