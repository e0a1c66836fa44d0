//! What may cross the boundary of a traced function: trees of tensors, variables and plain data.
//! Knows no cache; it gives the words by which one finds a trace, and names for people.

use super::{Scope, Tensor};
use crate::value::Variable;
use smallvec::SmallVec;

/// A value made of tensors, variables and plain data: what a `#[graph_fn]` takes and returns.
///
/// Tensors are symbolic while tracing; variables are bound at each call; plain data is part of the cache key, by value.
/// For a struct or enum of your own, `#[derive(Tree)]` writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot cross into a `#[graph_fn]`",
    label = "not a tensor, a variable, a plain value, or a container of these",
    note = "help: add `#[derive(Tree)]` to your type; pass code as `impl Fn`"
)]
pub trait Tree: Sized {
    /// Gives the words of the cache key and the leaves, in order.
    fn key<'a>(&'a self, key: &mut Key<'a>);

    /// Names leaves and plain data, in the same order.
    fn leaves(&self, names: &mut Names<'_>);

    /// The same value with other tensors and variables.
    #[must_use]
    fn map(&self, to: &mut Mapping<'_>) -> Self;

    /// As `key`, of several.
    #[doc(hidden)]
    fn key_slice<'a>(slice: &'a [Self], key: &mut Key<'a>) {
        key.tag(slice.len() as u64);
        slice.iter().for_each(|it| it.key(key));
    }

    /// As `leaves`, of several.
    #[doc(hidden)]
    fn leaves_slice(slice: &[Self], names: &mut Names<'_>) {
        slice.iter().enumerate().for_each(|(at, it)| names.index(at, |names| it.leaves(names)));
    }

    /// As `map`, of several.
    #[doc(hidden)]
    fn map_slice(slice: &[Self], to: &mut Mapping<'_>) -> Vec<Self> {
        slice.iter().map(|it| it.map(to)).collect()
    }

    /// As a body left it, to be written back.
    #[doc(hidden)]
    fn written(self) -> Written<Self> {
        Written {
            value: self,
            walks: Walks { key: Self::key, leaves: Self::leaves, map: Self::map },
        }
    }
}

/// A tree that a body was given to change, as it left it: what is written back to the caller.
#[doc(hidden)]
pub struct Written<T> {
    /// The tree.
    pub value: T,
    walks: Walks<T>,
}

/// The three walks of a tree, where its type is not known to be one.
struct Walks<T> {
    key: for<'a> fn(&'a T, &mut Key<'a>),
    leaves: fn(&T, &mut Names<'_>),
    map: fn(&T, &mut Mapping<'_>) -> T,
}

impl<T> Tree for Written<T> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        (self.walks.key)(&self.value, key);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        (self.walks.leaves)(&self.value, names);
    }

    fn map(&self, to: &mut Mapping<'_>) -> Written<T> {
        let Walks { key, leaves, map } = self.walks;
        Written { value: map(&self.value, to), walks: Walks { key, leaves, map } }
    }
}

/// What each leaf of a tree becomes.
pub struct Mapping<'f> {
    /// What a tensor becomes.
    pub tensor: &'f mut dyn FnMut(&Tensor) -> Tensor,
    /// What a variable becomes.
    pub variable: &'f mut dyn FnMut(&Variable) -> Variable,
}

/// A leaf of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    /// A tensor: an input of the trace.
    Tensor(&'a Tensor),
    /// A variable: bound to a slot of the trace at each call.
    Variable(&'a Variable),
}

/// The words by which a trace is found, and the leaves that a call binds. Built on the stack at every call.
#[derive(Debug, Default)]
pub struct Key<'a> {
    words: SmallVec<[u64; 48]>,
    leaves: SmallVec<[Leaf<'a>; 24]>,
    /// Positions of the leaves that a signature declares, and which declaration each has.
    declared: SmallVec<[(usize, usize); 2]>,
    next_declared: Option<usize>,
    last_variable: Option<u64>,
    has_symbolic: bool,
    has_kept: bool,
}

/// What the high half of a word says about the low half.
#[repr(u64)]
enum Word {
    Tensor = 1 << 32,
    Variable = 2 << 32,
    Unbuilt = 3 << 32,
    Alias = 4 << 32,
    Declared = 5 << 32,
}

/// Set in the word of a symbolic tensor, and of a variable that another one keeps: no stored key has it.
const UNSTORED: u64 = 1 << 63;

impl<'a> Key<'a> {
    /// A key without words.
    #[inline]
    pub fn new() -> Key<'a> {
        Key::default()
    }

    /// Adds a word: a length, a tag, plain data.
    #[inline]
    pub fn tag(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Adds text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds bytes, with their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.tag(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.tag(u64::from_le_bytes(word));
        }
    }

    /// Adds a tensor.
    #[inline]
    pub fn tensor(&mut self, tensor: &'a Tensor) {
        let mut word = Word::Tensor as u64 | u64::from(tensor.spec().id());
        if tensor.is_symbolic() {
            word |= UNSTORED;
            self.has_symbolic = true;
        }
        if let Some(declaration) = self.next_declared.take() {
            self.declared.push((self.leaves.len(), declaration));
            word = Word::Declared as u64 | declaration as u64 | (word & UNSTORED);
        }
        self.words.push(word);
        self.leaves.push(Leaf::Tensor(tensor));
    }

    /// Adds a variable: what it holds, and whether it is one that came before.
    pub fn variable(&mut self, variable: &'a Variable) {
        let word = match variable.spec() {
            Some(spec) => Word::Variable as u64 | u64::from(spec.id()),
            None => Word::Unbuilt as u64,
        };
        if variable.is_kept() {
            self.has_kept = true;
            self.words.push(word | UNSTORED);
        } else {
            self.words.push(word);
        }
        let id = variable.id();
        // Models are built in order, so ids nearly always grow; only then is it surely new.
        if self.last_variable.is_some_and(|last| id <= last) {
            let earlier = self
                .leaves
                .iter()
                .position(|leaf| matches!(leaf, Leaf::Variable(it) if it.id() == id));
            self.words
                .push(Word::Alias as u64 | earlier.map_or(u64::from(u32::MAX), |at| at as u64));
        }
        self.last_variable = self.last_variable.max(Some(id));
        self.leaves.push(Leaf::Variable(variable));
    }

    /// Says that the next tensor has the `declaration`-th declared spec of the signature.
    #[inline]
    pub fn declare(&mut self, declaration: usize) {
        self.next_declared = Some(declaration);
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The leaves.
    #[inline]
    pub fn leaves(&self) -> &[Leaf<'a>] {
        &self.leaves
    }

    /// The leaves that the signature declares: position among the leaves, and which declaration.
    pub fn declared(&self) -> &[(usize, usize)] {
        &self.declared
    }

    /// Whether a leaf is a variable that another one keeps.
    #[inline]
    pub fn has_kept(&self) -> bool {
        self.has_kept
    }

    /// Whether a leaf is a symbolic tensor.
    #[inline]
    pub fn has_symbolic(&self) -> bool {
        self.has_symbolic
    }
}

/// One named thing of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A tensor leaf.
    Tensor(String),
    /// A variable leaf.
    Variable(String),
    /// A variable leaf that is no part of a model: its full name.
    State(String),
    /// The place of a layer: the id of its `Scope`.
    Scope(String, u64),
    /// Plain data and how it prints.
    Static(String, String),
}

/// Walks a tree in the order of its key and notes the path of each leaf.
pub struct Names<'n> {
    path: Vec<String>,
    found: &'n mut Vec<Named>,
    /// Which of `found` each argument gave, and its name.
    arguments: &'n mut Vec<(String, std::ops::Range<usize>)>,
}

impl<'n> Names<'n> {
    /// A walk that notes what it finds.
    pub fn new(
        found: &'n mut Vec<Named>,
        arguments: &'n mut Vec<(String, std::ops::Range<usize>)>,
    ) -> Names<'n> {
        Names { path: Vec::new(), found, arguments }
    }

    /// Walks the receiver of a method, whose own name is left out of paths.
    pub fn receiver(&mut self, walk: impl FnOnce(&mut Names<'_>)) {
        self.walk_argument(String::new(), walk);
    }

    /// Walks an argument.
    pub fn argument(&mut self, name: &'static str, walk: impl FnOnce(&mut Names<'_>)) {
        self.walk_argument(name.to_string(), walk);
    }

    fn walk_argument(&mut self, name: String, walk: impl FnOnce(&mut Names<'_>)) {
        let from = self.found.len();
        walk(&mut Names { path: Vec::new(), found: self.found, arguments: self.arguments });
        self.arguments.push((name, from..self.found.len()));
    }

    /// Walks a field.
    pub fn field(&mut self, name: &'static str, walk: impl FnOnce(&mut Names<'_>)) {
        self.path.push(name.to_string());
        walk(self);
        self.path.pop();
    }

    /// Walks an element.
    pub fn index(&mut self, at: usize, walk: impl FnOnce(&mut Names<'_>)) {
        self.path.push(at.to_string());
        walk(self);
        self.path.pop();
    }

    /// Walks the value of a key of a map.
    pub fn entry(&mut self, key: &str, walk: impl FnOnce(&mut Names<'_>)) {
        self.path.push(key.to_string());
        walk(self);
        self.path.pop();
    }

    /// Notes a tensor.
    pub fn tensor(&mut self) {
        let path = self.path.join("/");
        self.found.push(Named::Tensor(path));
    }

    /// Notes a variable.
    pub fn variable(&mut self) {
        let path = self.path.join("/");
        self.found.push(Named::Variable(path));
    }

    /// Notes a variable that is no part of a model, by its full name.
    pub fn state(&mut self, name: &str) {
        self.found.push(Named::State(name.to_string()));
    }

    /// Notes a layer's scope: it stands at the path of the struct that has it as a field.
    pub fn scope(&mut self, scope: &Scope) {
        let path = self.path[..self.path.len().saturating_sub(1)].join("/");
        self.found.push(Named::Scope(path, scope.id()));
    }

    /// Notes text.
    pub fn text(&mut self, text: &str) {
        self.constant(&text);
    }

    /// Notes plain data.
    pub fn constant(&mut self, value: &dyn std::fmt::Debug) {
        let path = self.path.join("/");
        self.found.push(Named::Static(path, format!("{value:?}")));
    }
}
