//! A variable: a shared, named, lockable place for a value. Knows no graph, no op, and not who trains it.

use super::Value;
use super::companions::Companions;
use super::lock;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::types::Spec;
use arc_swap::ArcSwapOption;
use parking_lot::RwLock;
use std::any::Any;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// A value that outlives calls and can be assigned. Cloning shares it.
///
/// A variable of a layer that waits for its first input is *unbuilt*: it has a name, and neither a spec nor a value.
#[derive(Clone)]
pub struct Variable(pub(super) Arc<Shared>);

pub(super) struct Shared {
    id: u64,
    name: Box<str>,
    created: Place,
    trainable: AtomicBool,
    /// Beside the cell, so that printing and comparing signatures never wait for a run.
    spec: ArcSwapOption<Spec>,
    /// What is known of that spec before it is built: it holds floats, with so many axes, and some of their sizes.
    outline: Option<Box<[Option<usize>]>>,
    /// Always row-major and of that spec.
    cell: RwLock<Option<Value>>,
    /// What it stands for, if it is no variable of the user's: a gradient in a tree of gradients.
    pub(super) stands_for: Option<Box<dyn Any + Send + Sync>>,
    /// The graph that it belongs to: it has no value there, but one in each session.
    pub(super) home: Option<u64>,
    /// Whether another variable keeps it.
    pub(super) is_kept: bool,
    /// Whether it is there to keep others.
    pub(super) is_keeper: bool,
    /// The variables that it keeps for others.
    kept: Companions,
}

/// The next variable's id.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Variable {
    /// A variable that holds a value.
    #[track_caller]
    pub fn from_value(name: &str, value: Value) -> Variable {
        Variable::made(name, Some(value.spec()), Some(value.to_row_major()))
    }

    /// A variable of a known spec that must be assigned before it is read.
    #[track_caller]
    pub fn uninitialised(name: &str, spec: Spec) -> Variable {
        Variable::made(name, Some(spec), None)
    }

    /// A variable whose spec is known when it is built.
    #[track_caller]
    pub fn unbuilt(name: &str) -> Variable {
        Variable::made(name, None, None)
    }

    pub(super) fn just_made(&mut self) -> &mut Shared {
        Arc::get_mut(&mut self.0).expect("nobody else has a variable that was just made")
    }

    /// What it keeps for others.
    pub(super) fn kept(&self) -> &Companions {
        &self.0.kept
    }

    /// What tells whether it still exists.
    pub(super) fn life(&self) -> Weak<dyn Any + Send + Sync> {
        let shared: Weak<Shared> = Arc::downgrade(&self.0);
        shared
    }

    /// The same variable, which optimisers shall leave alone.
    #[must_use]
    pub fn untrainable(self) -> Variable {
        self.0.trainable.store(false, Ordering::Relaxed);
        self
    }

    /// A number that no other variable of the process has; later ones have greater numbers.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Its own name, as given at its creation.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The line that created it.
    pub fn created(&self) -> Place {
        self.0.created
    }

    /// Whether optimisers may change it.
    pub fn is_trainable(&self) -> bool {
        self.0.trainable.load(Ordering::Relaxed)
    }

    /// Element type and shape; `None` while it is unbuilt.
    pub fn spec(&self) -> Option<Spec> {
        self.0.spec.load().as_deref().copied()
    }

    /// Whether both are handles of the same variable.
    pub fn is_same(&self, other: &Variable) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Its value now, sharing the bytes: later assignments do not change a value that was read.
    ///
    /// # Errors
    /// If it has no value yet.
    pub fn load(&self) -> Result<Value> {
        let value = match lock::lent(self.id()) {
            Some(lent) => lent,
            None => lock::shared(self)?.clone(),
        };
        value.ok_or_else(|| self.without_value())
    }

    /// Gives it another value of its spec.
    ///
    /// # Errors
    /// If the value has another shape or element type, if the variable is unbuilt, or if this thread is in a host
    /// function of a run that uses the variable. The variable then keeps its value.
    pub fn store(&self, value: Value) -> Result<()> {
        if lock::lent(self.id()).is_some() {
            return Err(self.lent_for_writing());
        }
        let value = value.to_row_major();
        let mut cell = lock::exclusive(self)?;
        self.accepts(value.spec())?;
        let old = cell.replace(value);
        // The old bytes may be many: they are freed when nobody waits for it.
        drop(cell);
        drop(old);
        Ok(())
    }

    /// Gives an unbuilt variable its spec and its first value.
    ///
    /// # Errors
    /// If it is built already, or the layer that owns it knows that it will have another shape.
    pub fn build(&self, value: Value) -> Result<()> {
        let value = value.to_row_major();
        let mut cell = lock::exclusive(self)?;
        if let Some(spec) = self.spec() {
            let message = format!("variable `{}` is built already, as {spec}", self.name());
            return Err(Error::new(ErrorKind::Variable, message)
                .with_help(format!("assign it: its shape stays {:?}", spec.shape())));
        }
        self.accepts_at_first(value.spec())?;
        self.built_as(value.spec());
        *cell = Some(value);
        Ok(())
    }

    /// Takes spec and value from a variable that was built by a trace which then failed.
    pub(crate) fn unbuild(&self) {
        let mut cell = self.0.cell.write();
        self.0.spec.store(None);
        let old = mem::take(&mut *cell);
        drop(cell);
        drop(old);
    }

    /// Whether a value of this spec may be assigned.
    ///
    /// # Errors
    /// If not; the error names the variable, what it holds and what was found.
    pub fn accepts(&self, found: Spec) -> Result<()> {
        let Some(wanted) = self.spec() else {
            let message = format!("variable `{}` is assigned before it is built", self.name());
            return Err(Error::new(ErrorKind::Variable, message).with_help(BUILD));
        };
        if wanted == found {
            return Ok(());
        }
        let message = format!("variable `{}` holds {wanted}, found {found}", self.name());
        Err(if wanted.shape() == found.shape() {
            Error::new(ErrorKind::Type, message)
                .with_help(format!("cast the value to {}", wanted.dtype().rust_name()))
        } else {
            Error::new(ErrorKind::Shape, message)
                .with_help("a variable keeps its shape: reshape the value, or make a new variable")
        })
    }

    /// What is known of its spec before it is built.
    pub(super) fn outline(&self) -> Option<&[Option<usize>]> {
        self.0.outline.as_deref()
    }

    /// Says what is known of its spec before it is built.
    pub(super) fn outlined(mut self, outline: &[Option<usize>]) -> Variable {
        self.just_made().outline = Some(outline.into());
        self
    }

    /// Gives it its spec, if it is unbuilt. Whoever calls this holds its lock for writing, and gives it a value too.
    pub(super) fn built_as(&self, spec: Spec) {
        if self.spec().is_none() {
            self.0.spec.store(Some(Arc::new(spec)));
        }
    }

    /// The complaint that it is read before it has a value.
    pub(crate) fn without_value(&self) -> Error {
        if self.home().is_some() {
            let message = format!(
                "variable `{}` is one of a graph, and has a value in a session",
                self.name()
            );
            return Error::new(ErrorKind::Variable, message)
                .with_help("ask the session for it: `session.value(&variable)`");
        }
        let message = format!("variable `{}` is read before it has a value", self.name());
        let help = if self.spec().is_some() { "assign it first, or initialise it" } else { BUILD };
        Error::new(ErrorKind::Variable, message).with_help(help)
    }

    /// The complaint that a host function writes what the run around it holds.
    pub(super) fn lent_for_writing(&self) -> Error {
        let message = format!(
            "variable `{}` is assigned by a host function, within a run that holds it",
            self.name()
        );
        Error::new(ErrorKind::Variable, message)
            .with_help("return the new value from the host function and assign it outside of it")
    }

    /// Where the value is, behind its lock.
    pub(super) fn cell(&self) -> &RwLock<Option<Value>> {
        &self.0.cell
    }

    #[track_caller]
    pub(super) fn made(name: &str, spec: Option<Spec>, value: Option<Value>) -> Variable {
        Variable(Arc::new(Shared {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            name: name.into(),
            created: Place::caller(),
            trainable: AtomicBool::new(true),
            spec: ArcSwapOption::from_pointee(spec),
            outline: None,
            cell: RwLock::new(value),
            stands_for: None,
            home: None,
            is_kept: false,
            is_keeper: false,
            kept: Companions::default(),
        }))
    }
}

pub(super) const BUILD: &str =
    "call the layer that owns it once: the first input gives it its shape";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DType;

    #[test]
    fn a_value_once_read_never_changes() {
        let v = Variable::from_value("v", Value::scalar(1.0f32));
        let before = v.load().unwrap();
        v.store(Value::scalar(2.0f32)).unwrap();
        assert_eq!(before.as_slice::<f32>(), Some(&[1.0][..]));
        assert_eq!(v.clone().load().unwrap().as_slice::<f32>(), Some(&[2.0][..]));
    }

    #[test]
    fn reading_shares_the_bytes() {
        let v = Variable::from_value("v", Value::from_vec([2], vec![1, 2]));
        assert!(v.load().unwrap().buffer().is_same(v.load().unwrap().buffer()));
    }

    #[test]
    fn assigning_another_shape_or_type_is_refused_and_changes_nothing() {
        let v = Variable::from_value("v", Value::scalar(0.0f32));
        let shape = v.store(Value::from_vec([1], vec![1.0f32])).unwrap_err();
        assert_eq!(
            (shape.kind(), shape.message()),
            (ErrorKind::Shape, "variable `v` holds f32[], found f32[1]")
        );
        let dtype = v.store(Value::scalar(1.0f64)).unwrap_err();
        assert_eq!(
            (dtype.kind(), dtype.message()),
            (ErrorKind::Type, "variable `v` holds f32[], found f64[]")
        );
        assert_eq!(dtype.help(), Some("cast the value to f32"));
        assert_eq!(v.load().unwrap().as_slice::<f32>(), Some(&[0.0][..]));
    }

    #[test]
    fn reading_before_there_is_a_value_says_so() {
        let v = Variable::uninitialised("a", Spec::scalar(DType::F32));
        let error = v.load().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Variable);
        assert_eq!(error.message(), "variable `a` is read before it has a value");
        assert_eq!(error.help(), Some("assign it first, or initialise it"));
        v.store(Value::scalar(3.0f32)).unwrap();
        assert_eq!(v.load().unwrap().as_slice::<f32>(), Some(&[3.0][..]));
    }

    #[test]
    fn an_unbuilt_variable_is_built_once_through_any_handle() {
        let v = Variable::unbuilt("weight");
        let (handle, spec) = (v.clone(), Spec::new(DType::F32, [2]));
        assert_eq!(v.spec(), None);
        assert_eq!(v.load().unwrap_err().help(), Some(BUILD));
        assert_eq!(
            v.store(Value::scalar(1.0f32)).unwrap_err().message(),
            "variable `weight` is assigned before it is built"
        );
        handle.build(Value::from_vec([2], vec![1.0f32, 2.0])).unwrap();
        assert_eq!((v.spec(), v.load().unwrap().spec()), (Some(spec), spec));
        assert_eq!(
            v.build(Value::scalar(1.0f32)).unwrap_err().message(),
            "variable `weight` is built already, as f32[2]"
        );
        v.unbuild();
        assert_eq!(handle.spec(), None);
        handle.build(Value::scalar(1.0f64)).unwrap();
        assert_eq!(v.spec(), Some(Spec::scalar(DType::F64)));
    }

    #[test]
    fn what_is_held_is_row_major() {
        let rows = Value::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6]);
        // SAFETY: the transposed strides reach the same six elements.
        let columns = unsafe { rows.view(Spec::new(DType::I32, [3, 2]), 0, &[1, 3]) };
        let v = Variable::from_value("v", columns.clone());
        assert_eq!(v.load().unwrap().as_slice::<i32>(), Some(&[1, 4, 2, 5, 3, 6][..]));
        v.store(columns).unwrap();
        assert!(v.load().unwrap().is_row_major());
    }

    #[test]
    fn ids_grow_and_handles_are_the_same_variable() {
        let line = line!() + 1;
        let a = Variable::unbuilt("a").untrainable();
        let b = Variable::unbuilt("a");
        assert!(a.id() < b.id() && a.is_same(&a.clone()) && !a.is_same(&b));
        assert!(!a.is_trainable() && b.is_trainable());
        assert_eq!((a.name(), a.created().line), ("a", line));
    }

    #[test]
    fn variables_cross_threads() {
        fn crosses<T: Send + Sync>() {}
        crosses::<Variable>();
    }
}
