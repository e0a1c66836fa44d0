//! The cache of a traced function: which traces there are, found by key, bounded. Knows not how a trace is made.

use super::arguments::Declared;
use super::concrete::Concrete;
use super::history::{History, Retraces, Traced};
use crate::graph::{Key, Store, warn};
use crate::types::Spec;
use crate::value::Variable;
use arc_swap::{ArcSwap, Guard};
use once_cell::sync::Lazy;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// How many traces a function keeps unless told otherwise.
const LIMIT: usize = 256;
/// Up to how many traces are scanned one by one; more are found by hash.
const SCANNED: usize = 8;

/// A traced function: its cache and what is known of its traces. One static stands for each `#[graph_fn]`.
pub struct GraphFn {
    name: &'static str,
    signature: &'static [Declared],
    inner: Lazy<Inner>,
}

pub(super) struct Inner {
    table: ArcSwap<Table>,
    limit: AtomicUsize,
    trace_count: AtomicUsize,
    /// Grows with each trace: the time by which entries grow old.
    age: AtomicU64,
    /// The keys that are being traced, and by whom.
    busy: Mutex<Vec<(Identity, ThreadId)>>,
    done: Condvar,
    history: Mutex<History>,
    pub(super) store: Arc<Store>,
}

/// What tells traces apart: the generic instance, and the words of the key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) instance: Option<TypeId>,
    pub(super) words: Box<[u64]>,
}

/// A trace in the cache.
pub(super) struct Entry {
    pub(super) identity: Identity,
    pub(super) concrete: Arc<Concrete>,
    /// The value that the body returned, with symbolic leaves.
    pub(super) template: Arc<dyn Any + Send + Sync>,
    /// For each variable leaf, which captured variable it also was while tracing.
    pub(super) overlap: Vec<Option<u64>>,
    used: AtomicU64,
}

#[derive(Default)]
struct Table {
    entries: Vec<Arc<Entry>>,
    by_hash: HashMap<u64, Vec<usize>>,
}

impl GraphFn {
    /// The function of this name, without traces.
    pub const fn new(name: &'static str) -> GraphFn {
        GraphFn { name, signature: &[], inner: Lazy::new(Inner::new) }
    }

    /// The function with a declared signature.
    #[must_use]
    pub const fn with_signature(self, signature: &'static [Declared]) -> GraphFn {
        // A `Lazy` has a destructor, so the fields cannot be moved out of `self` in a const function.
        let name = self.name;
        std::mem::forget(self);
        GraphFn { name, signature, inner: Lazy::new(Inner::new) }
    }

    /// The name of the Rust function.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the function declares of its parameters.
    pub fn signature(&self) -> &'static [Declared] {
        self.signature
    }

    /// How many traces have been made, those that were dropped since included.
    pub fn trace_count(&self) -> usize {
        self.inner.trace_count.load(Ordering::Relaxed)
    }

    /// The variables that `get_variable` has made in this function, by name.
    pub fn variables(&self) -> Vec<Variable> {
        self.inner.store.variables()
    }

    /// What changed from each trace to the next, and which line asked for it.
    pub fn explain_retraces(&self) -> Retraces {
        self.history().explain(self.name)
    }

    /// Forgets all traces; what they captured is freed. Variables made by `get_variable` stay.
    pub fn clear_cache(&self) {
        self.inner.table.store(Arc::default());
        self.inner.store.forget_plain();
    }

    /// Keeps at most this many traces; the longest unused one goes first. The default is 256.
    pub fn set_cache_limit(&self, limit: usize) {
        self.inner.limit.store(limit.max(1), Ordering::Relaxed);
        self.inner.table.rcu(|table| table.limited(limit.max(1)));
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The trace for a key, if there is one.
    #[inline]
    pub(super) fn find(&self, instance: Option<TypeId>, key: &Key<'_>) -> Option<Found> {
        let table = self.inner.table.load();
        let at = table.position(instance, key)?;
        let entry = &table.entries[at];
        let age = self.inner.age.load(Ordering::Relaxed);
        if entry.used.load(Ordering::Relaxed) != age {
            entry.used.store(age, Ordering::Relaxed);
        }
        Some(Found { table, at })
    }

    /// Adds a trace, dropping the longest unused ones beyond the limit.
    pub(super) fn insert(&self, entry: Entry) -> Arc<Entry> {
        let entry = Arc::new(entry);
        entry.used.store(self.inner.age.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let limit = self.inner.limit.load(Ordering::Relaxed);
        self.inner.table.rcu(|table| {
            let mut entries = table.entries.clone();
            entries.push(entry.clone());
            Table::new(entries).limited(limit)
        });
        entry
    }

    /// Counts a trace, and warns if it is one too many for one plain argument.
    pub(super) fn note(&self, traced: Traced) {
        self.inner.trace_count.fetch_add(1, Ordering::Relaxed);
        let warning = self.history().push(self.name, traced);
        warning.iter().for_each(|warning| warn(warning));
    }

    fn history(&self) -> MutexGuard<'_, History> {
        self.inner.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody traces this key, then does so; the claim is given back when it is dropped.
    pub(super) fn claim(&self, identity: &Identity) -> Claim<'_> {
        let here = std::thread::current().id();
        let mut busy = self.inner.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while busy.iter().any(|(it, thread)| it == identity && *thread != here) {
            busy = self.inner.done.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        busy.push((identity.clone(), here));
        Claim { inner: &self.inner, identity: identity.clone() }
    }
}

impl std::fmt::Debug for GraphFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GraphFn({}, {} traces)", self.name, self.trace_count())
    }
}

/// A trace that was found, held for as long as a call runs.
pub(super) struct Found {
    table: Guard<Arc<Table>>,
    at: usize,
}

impl std::ops::Deref for Found {
    type Target = Arc<Entry>;

    #[inline]
    fn deref(&self) -> &Arc<Entry> {
        &self.table.entries[self.at]
    }
}

/// The right to trace a key.
pub(super) struct Claim<'f> {
    inner: &'f Inner,
    identity: Identity,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let here = std::thread::current().id();
        let mut busy = self.inner.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let at = busy.iter().position(|(it, thread)| *it == self.identity && *thread == here);
        busy.swap_remove(at.expect("a claim is in the list until it is dropped"));
        self.inner.done.notify_all();
    }
}

impl Inner {
    fn new() -> Inner {
        Inner {
            table: ArcSwap::default(),
            limit: AtomicUsize::new(LIMIT),
            trace_count: AtomicUsize::new(0),
            age: AtomicU64::new(0),
            busy: Mutex::default(),
            done: Condvar::new(),
            history: Mutex::default(),
            store: Arc::default(),
        }
    }
}

impl Entry {
    pub(super) fn new(
        identity: Identity,
        concrete: Arc<Concrete>,
        template: Arc<dyn Any + Send + Sync>,
        overlap: Vec<Option<u64>>,
    ) -> Entry {
        Entry { identity, concrete, template, overlap, used: AtomicU64::new(0) }
    }

    #[inline]
    fn fits(&self, instance: Option<TypeId>, key: &Key<'_>) -> bool {
        *self.identity.words == *key.words()
            && self.identity.instance == instance
            && self.overlaps(key)
    }

    /// Whether the variables in the arguments are captured ones just where they were while tracing.
    #[inline]
    fn overlaps(&self, key: &Key<'_>) -> bool {
        self.concrete.captured().is_empty()
            || overlap(key, self.concrete.captured())
                .map(|it| it.map(|at| self.concrete.captured()[at].id()))
                .eq(self.overlap.iter().copied())
    }
}

/// For each variable leaf, which captured variable it is.
pub(super) fn overlap<'k>(
    key: &'k Key<'_>,
    captured: &'k [Variable],
) -> impl Iterator<Item = Option<usize>> + 'k {
    use crate::graph::Leaf;
    key.leaves().iter().filter_map(|leaf| match leaf {
        Leaf::Tensor(_) => None,
        Leaf::Variable(variable) => Some(captured.iter().position(|it| it.id() == variable.id())),
    })
}

impl Table {
    fn new(entries: Vec<Arc<Entry>>) -> Table {
        let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
        if entries.len() > SCANNED {
            for (at, entry) in entries.iter().enumerate() {
                by_hash.entry(hash(&entry.identity.words)).or_default().push(at);
            }
        }
        Table { entries, by_hash }
    }

    #[inline]
    fn position(&self, instance: Option<TypeId>, key: &Key<'_>) -> Option<usize> {
        if self.entries.len() <= SCANNED {
            return self.entries.iter().position(|entry| entry.fits(instance, key));
        }
        let candidates = self.by_hash.get(&hash(key.words()))?;
        candidates.iter().copied().find(|at| self.entries[*at].fits(instance, key))
    }

    fn limited(&self, limit: usize) -> Table {
        let mut entries = self.entries.clone();
        while entries.len() > limit {
            let oldest =
                entries.iter().enumerate().min_by_key(|(_, it)| it.used.load(Ordering::Relaxed));
            entries.remove(oldest.expect("there are more entries than the limit").0);
        }
        Table::new(entries)
    }
}

/// Mixes the words of a key; equal keys have equal hashes, and that is all it must do.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |hash, word| {
        (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

/// The specs of the tensors among the leaves of a key.
pub(super) fn tensor_specs(key: &Key<'_>) -> Vec<Spec> {
    use crate::graph::Leaf;
    let specs = key.leaves().iter().filter_map(|leaf| match leaf {
        Leaf::Tensor(tensor) => Some(tensor.spec()),
        Leaf::Variable(_) => None,
    });
    specs.collect()
}
