//! Names: of ops, uniquified within a graph, and of variables, which are not. Two namespaces, as in TensorFlow.
//! Knows no recorder; a trace opens a namespace and asks it for names.

use super::layer::Scope;
use super::store::{Reuse, Store};
use super::taken::Taken;
use crate::value::Variable;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The names of one traced function, while it runs.
#[derive(Debug, Default)]
pub struct Namespace {
    /// Variables that `get_variable` made for this function.
    store: Arc<Store>,
    /// The op names and op scopes that are taken.
    taken: Taken,
    /// The scope of ops, with a slash at its end unless empty.
    ops: String,
    /// The scope of variables, with a slash at its end unless empty.
    variables: String,
    reuse: Reuse,
    /// Variables that `get_variable` gave out in this run.
    given: HashSet<String>,
    /// Where the `Scope` leaves of models stand in the arguments; for others, the names that they got here.
    paths: BTreeMap<u64, String>,
    /// The full names of variables that belong to layers.
    pub(super) owned: HashMap<u64, String>,
}

/// A namespace that more than one piece of code goes on with.
pub type Names = Arc<Mutex<Namespace>>;

thread_local! {
    static CURRENT: RefCell<Vec<Names>> = const { RefCell::new(Vec::new()) };
}

/// While it lives, names of this thread come from a namespace of their own.
pub struct Naming(());

impl Naming {
    /// Opens a namespace.
    pub fn open(namespace: Namespace) -> Naming {
        Naming::share(&Arc::new(Mutex::new(namespace)))
    }

    /// Goes on with a namespace.
    pub fn share(names: &Names) -> Naming {
        CURRENT.with_borrow_mut(|stack| stack.push(names.clone()));
        Naming(())
    }
}

impl Drop for Naming {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|stack| stack.pop());
    }
}

impl Namespace {
    /// A namespace without names, over the variables of a function.
    pub fn new(store: Arc<Store>) -> Namespace {
        Namespace { store, ..Namespace::default() }
    }

    /// Says where `Scope` leaves of models stand: id and path.
    #[must_use]
    pub fn with_paths(mut self, paths: impl IntoIterator<Item = (u64, String)>) -> Namespace {
        self.paths.extend(paths);
        self
    }

    /// The path of a layer. One that stands in no argument gets its default name, or `dense_1` where that is taken.
    pub(super) fn path(&mut self, scope: &Scope) -> String {
        if let Some(path) = self.paths.get(&scope.id()) {
            return path.clone();
        }
        let numbered = (1..).map(|number| format!("{}_{number}", scope.default_name()));
        let path = std::iter::once(scope.default_name().to_string())
            .chain(numbered)
            .find(|path| !self.paths.values().any(|taken| taken == path))
            .expect("there are more numbers than layers");
        self.paths.insert(scope.id(), path.clone());
        path
    }

    fn unique(&mut self, name: &str) -> String {
        self.taken.unique(format!("{}{name}", self.ops))
    }
}

/// Does something with the namespace of this thread, if one is open.
pub(super) fn with_current<R>(f: impl FnOnce(&mut Namespace) -> R) -> Option<R> {
    let names = CURRENT.with_borrow(|stack| stack.last().cloned())?;
    let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
    Some(f(&mut names))
}

/// A name for a node: the open scopes, the label, and a number where it was asked for before.
pub fn unique_name(label: &str) -> String {
    with_current(|names| names.unique(label)).unwrap_or_else(|| label.to_string())
}

/// A scope for the names of ops: `name_scope("block").enter(|| ..)`.
///
/// A second block of one name becomes `block_1`.
///
/// ```
/// use graphfn::prelude::*;
///
/// #[graph_fn]
/// fn double(x: &Tensor) -> Tensor {
///     name_scope("block").enter(|| x + x)
/// }
/// let concrete = double::concrete_function(&Tensor::from(1.0f32))?;
/// assert!(concrete.graph().find("block/add").is_some());
/// # Ok::<(), Error>(())
/// ```
pub fn name_scope(name: &str) -> NameScope {
    NameScope { name: name.to_string(), variables: None }
}

/// A scope for the names of variables and of ops: `variable_scope("dense1").enter(|| ..)`.
///
/// Variables are `dense1/..` whichever block asks for them; ops of a second block are `dense1_1/..`.
pub fn variable_scope(name: &str) -> NameScope {
    NameScope { name: name.to_string(), variables: Some(None) }
}

/// A scope of names that a block can be run in.
#[derive(Clone, Debug)]
#[must_use = "a scope names what its `enter` runs"]
pub struct NameScope {
    name: String,
    /// Whether variables are in it too, and what `get_variable` does about names that exist.
    variables: Option<Option<Reuse>>,
}

impl NameScope {
    /// With `true`, `get_variable` in the block gives variables that exist, and only those.
    pub fn reuse(self, reuse: bool) -> NameScope {
        self.with_reuse(if reuse { Reuse::Always } else { Reuse::Never })
    }

    /// `get_variable` in the block gives variables that exist and makes those that do not.
    pub fn auto_reuse(self) -> NameScope {
        self.with_reuse(Reuse::Auto)
    }

    fn with_reuse(self, reuse: Reuse) -> NameScope {
        NameScope { variables: self.variables.map(|_| Some(reuse)), ..self }
    }

    /// Runs a block in the scope.
    pub fn enter<R>(&self, block: impl FnOnce() -> R) -> R {
        let _entered = self.open();
        block()
    }

    /// As [`NameScope::enter`], until what it gives is dropped.
    pub(crate) fn open(&self) -> Entered {
        Entered(with_current(|names| {
            let before = (names.ops.clone(), names.variables.clone(), names.reuse);
            names.ops = names.unique(&self.name) + "/";
            if let Some(reuse) = self.variables {
                names.variables = format!("{}{}/", names.variables, self.name);
                // A scope inside a reusing one reuses too, unless it says otherwise.
                names.reuse = reuse.unwrap_or(names.reuse);
            }
            before
        }))
    }
}

/// While it lives, names are in a scope. A layer or an optimiser of ours opens one so: in a closure its ops would not
/// have the line of whoever calls it.
pub(crate) struct Entered(pub(super) Option<(String, String, Reuse)>);

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some((ops, variables, reuse)) = self.0.take() {
            with_current(|names| {
                (names.ops, names.variables, names.reuse) = (ops, variables, reuse)
            });
        }
    }
}

/// Where the layers of the function being run stand, by their ids; empty outside of any.
pub(crate) fn open_paths() -> BTreeMap<u64, String> {
    with_current(|names| names.paths.clone()).unwrap_or_default()
}

/// The full name of a variable that a layer has named in the function being run.
pub(crate) fn owned_name(variable: &Variable) -> Option<String> {
    with_current(|names| names.owned.get(&variable.id()).cloned())?
}

/// Where the variables of the function being run are kept.
pub(crate) fn open_store() -> Option<Arc<Store>> {
    with_current(|names| names.store.clone())
}

/// What `get_variable` needs to know: the full name, what to do about it, and where variables are kept.
pub(crate) struct Asked {
    /// The name with its variable scopes.
    pub name: String,
    /// What to do about a name that exists.
    pub reuse: Reuse,
    /// Whether it was given out in this run already.
    pub given: bool,
    /// Where the function's variables are kept.
    pub store: Arc<Store>,
}

/// Asks for a variable in the open variable scope; `None` when no function is being traced.
pub(crate) fn ask_variable(name: &str) -> Option<Asked> {
    with_current(|names| {
        let name = format!("{}{name}", names.variables);
        let given = !names.given.insert(name.clone());
        Asked { given, name, reuse: names.reuse, store: names.store.clone() }
    })
}

/// While it lives, ops are named in no scope: what belongs to a variable is named by the variable.
pub(crate) struct WithoutScopes(Option<String>);

/// Leaves all scopes of ops, until what it gives is dropped.
pub(crate) fn without_scopes() -> WithoutScopes {
    WithoutScopes(with_current(|names| std::mem::take(&mut names.ops)))
}

impl Drop for WithoutScopes {
    fn drop(&mut self) {
        if let Some(ops) = self.0.take() {
            with_current(|names| names.ops = ops);
        }
    }
}

/// The scope of ops that is open; empty outside of any.
pub(crate) fn current_scope() -> String {
    with_current(|names| names.ops.trim_end_matches('/').to_string()).unwrap_or_default()
}

/// Runs a function called by the traced one: its variables come from its own store, its ops get a scope.
pub fn call_scope<R>(name: &str, store: &Arc<Store>, block: impl FnOnce() -> R) -> R {
    struct Back(Option<(Arc<Store>, String)>);
    impl Drop for Back {
        fn drop(&mut self) {
            if let Some((store, variables)) = self.0.take() {
                with_current(|names| (names.store, names.variables) = (store, variables));
            }
        }
    }
    let back = with_current(|names| {
        (std::mem::replace(&mut names.store, store.clone()), std::mem::take(&mut names.variables))
    });
    let _back = Back(back);
    name_scope(name).enter(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ops_are_numbered_within_their_scope() {
        let _naming = Naming::open(Namespace::default());
        assert_eq!(unique_name("add"), "add");
        assert_eq!(unique_name("add"), "add_1");
        assert_eq!(unique_name("add_1"), "add_1_1");
        assert_eq!(unique_name("add"), "add_2");
        let block = name_scope("block");
        assert_eq!(block.enter(|| unique_name("add")), "block/add");
        assert_eq!(block.enter(|| unique_name("add")), "block_1/add");
        assert_eq!(unique_name("add"), "add_3");
    }

    #[test]
    fn variables_keep_their_scope_and_ops_get_a_new_one() {
        let _naming = Naming::open(Namespace::default());
        let ask = |reuse: bool| {
            let scope =
                if reuse { variable_scope("dense2").reuse(true) } else { variable_scope("dense2") };
            scope.enter(|| (ask_variable("weight").unwrap(), unique_name("Relu")))
        };
        let (first, op) = ask(false);
        assert_eq!(
            (&first.name[..], first.given, first.reuse, &op[..]),
            ("dense2/weight", false, Reuse::Never, "dense2/Relu")
        );
        let (second, op) = ask(true);
        assert_eq!(
            (&second.name[..], second.given, second.reuse, &op[..]),
            ("dense2/weight", true, Reuse::Always, "dense2_1/Relu")
        );
    }

    #[test]
    fn a_layer_outside_the_arguments_gets_its_default_name_and_a_number() {
        let [named, first, second] = [(); 3].map(|()| Scope::new("layer_of_this_test"));
        let weight = Variable::unbuilt("weight");
        assert_eq!(second.name_of(&weight), "layer_of_this_test_2/weight", "outside: as made");
        let paths = [(named.id(), "layer_of_this_test".to_string())];
        let _naming = Naming::open(Namespace::default().with_paths(paths));
        assert_eq!(second.name_of(&weight), "layer_of_this_test_1/weight", "inside: as used");
        assert_eq!(first.path().unwrap(), "layer_of_this_test_2");
        assert_eq!(second.path().unwrap(), "layer_of_this_test_1");
        assert_eq!(named.path().unwrap(), "layer_of_this_test");
        assert_eq!(owned_name(&weight).unwrap(), "layer_of_this_test_1/weight");
    }

    #[test]
    fn without_a_function_scopes_do_nothing() {
        assert!(
            name_scope("block").enter(|| unique_name("add")) == "add"
                && ask_variable("v").is_none()
        );
    }
}
