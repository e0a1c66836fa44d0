//! The user's handle on a value: one in memory, or one of a trace. Knows no ops; they add their methods above.

use super::home::{at_home, home};
use super::node::Ref;
use super::{or_raise, raise};
use crate::error::{Error, ErrorKind, Place};
use crate::types::{DType, Element, Shape, Spec};
use crate::value::Value;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An array of numbers or truth values: in memory, or, while a function is traced, a value of its graph.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = Tensor::from([[1.0f32, 2.0], [3.0, 4.0]]);
/// assert_eq!(x.shape().to_string(), "(2, 2)");
/// assert_eq!((&x + 1.0).to_vec::<f32>(), [2.0, 3.0, 4.0, 5.0]);
/// ```
#[derive(Clone)]
pub struct Tensor(Repr);

#[derive(Clone)]
enum Repr {
    Value(Value, TensorId),
    Symbolic(Arc<Symbolic>),
}

/// Which tensor in memory one is: its clones have the same, others with the same bytes have not. By this a tape knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorId(u64);

impl TensorId {
    /// How many a thread takes at once.
    const BLOCK: u64 = 1 << 20;

    #[inline]
    fn next() -> TensorId {
        static BLOCKS: AtomicU64 = AtomicU64::new(0);
        thread_local! {
            static NEXT: Cell<u64> = const { Cell::new(0) };
        }
        let mut next = NEXT.get();
        if next.is_multiple_of(TensorId::BLOCK) {
            next = BLOCKS.fetch_add(1, Ordering::Relaxed) * TensorId::BLOCK + 1;
        }
        NEXT.set(next + 1);
        TensorId(next)
    }
}

/// A trace: no two are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(pub u64);

/// A tensor that stands for a value of a graph being recorded.
#[derive(Debug)]
pub struct Symbolic {
    /// The trace that it belongs to.
    pub trace: TraceId,
    /// The value in the trace's graph.
    pub value: Ref,
    /// What it is.
    pub spec: Spec,
    /// Who made it.
    pub origin: Origin,
}

/// Who made a symbolic tensor: what an error says when it is used where it must not be.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The name of the function being traced.
    pub function: Arc<str>,
    /// The node's scoped name and its output: `Square:0`.
    pub name: Arc<str>,
    /// The user's line.
    pub place: Place,
}

impl Tensor {
    /// The tensor of a symbolic value.
    pub(crate) fn symbolic(symbolic: Symbolic) -> Tensor {
        Tensor(Repr::Symbolic(Arc::new(symbolic)))
    }

    /// The value in memory, if it is one.
    pub fn as_value(&self) -> Option<&Value> {
        match &self.0 {
            Repr::Value(value, _) => Some(value),
            Repr::Symbolic(_) => None,
        }
    }

    /// The value of a trace, if it is one.
    pub fn as_symbolic(&self) -> Option<&Symbolic> {
        match &self.0 {
            Repr::Value(..) => None,
            Repr::Symbolic(symbolic) => Some(symbolic),
        }
    }

    /// Which tensor in memory it is, if it is one.
    pub fn id(&self) -> Option<TensorId> {
        match &self.0 {
            Repr::Value(_, id) => Some(*id),
            Repr::Symbolic(_) => None,
        }
    }

    /// Whether it stands for a value of a graph being recorded.
    pub fn is_symbolic(&self) -> bool {
        self.as_symbolic().is_some()
    }

    /// Element type and shape.
    pub fn spec(&self) -> Spec {
        match &self.0 {
            Repr::Value(value, _) => value.spec(),
            Repr::Symbolic(symbolic) => symbolic.spec,
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.spec().dtype()
    }

    /// The sizes of the axes; sizes that are unknown while tracing print as their symbol.
    pub fn shape(&self) -> &'static Shape {
        self.spec().shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.spec().rank()
    }

    /// The value, which shares the tensor's bytes.
    ///
    /// # Panics
    /// Raises an error for a tensor of a trace: its value is not known while tracing.
    #[track_caller]
    pub fn value(&self) -> Value {
        match &self.0 {
            Repr::Value(value, _) => value.clone(),
            Repr::Symbolic(symbolic) => raise(symbolic.not_known()),
        }
    }

    /// A copy of the elements in row-major order.
    ///
    /// # Panics
    /// Raises an error for another element type, and for a tensor of a trace.
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        let value = self.value();
        match value.to_vec() {
            Some(elements) => elements,
            None => raise(wrong_type(value.dtype(), T::DTYPE)),
        }
    }

    /// The only element.
    ///
    /// ```
    /// use graphfn::prelude::*;
    /// assert_eq!((Tensor::from(1) + 1).item::<i32>(), 2);
    /// ```
    ///
    /// # Panics
    /// Raises an error if there is not just one element, it is of another type, or the tensor is one of a trace.
    #[track_caller]
    pub fn item<T: Element>(&self) -> T {
        or_raise(self.value().item())
    }

    /// A copy of the elements as an array of ndarray's.
    ///
    /// # Panics
    /// Raises an error for another element type, and for a tensor of a trace.
    #[track_caller]
    pub fn to_array<T: Element>(&self) -> ndarray::ArrayD<T> {
        or_raise(self.value().to_array())
    }

    /// The elements as a view of ndarray's, not copied.
    ///
    /// # Panics
    /// Raises an error for another element type, and for a tensor of a trace.
    #[track_caller]
    pub fn view_array<T: Element>(&self) -> ndarray::ArrayViewD<'_, T> {
        match &self.0 {
            Repr::Value(value, _) => or_raise(value.view_array()),
            Repr::Symbolic(symbolic) => raise(symbolic.not_known()),
        }
    }

    /// Gives the node that made it another name: `loss` becomes `loss:0` in prints and `loss` in the graph.
    ///
    /// Outside a trace nothing has a name, and nothing happens.
    ///
    /// # Panics
    /// Raises an error for a tensor that no op made, and for one of another trace.
    #[track_caller]
    #[must_use]
    pub fn named(&self, name: &str) -> Tensor {
        let _home = at_home([self]);
        match super::recorder() {
            Some(recorder) => or_raise(recorder.rename(self, name)),
            None => self.clone(),
        }
    }
}

fn wrong_type(found: DType, wanted: DType) -> Error {
    Error::new(ErrorKind::Type, format!("the tensor holds {found}, not {wanted}")).with_help(
        format!("ask for `{}`, or convert first: `.cast(DType::{wanted:?})`", found.rust_name()),
    )
}

impl Symbolic {
    /// The complaint about reading a value while tracing.
    pub fn not_known(&self) -> Error {
        let Origin { function, name, place } = &self.origin;
        if home(self.trace).is_some() {
            return Error::new(ErrorKind::Trace, format!("`{name}` has a value only when a session runs its graph; it was made at {place}"))
                .with_help("run it: `session.run(&tensor)`");
        }
        Error::new(ErrorKind::Trace, format!("the value of `{name}` is not known while tracing `{function}`; it was made at {place}"))
            .with_help("return the tensor and read it outside, or run the function without tracing: `graphfn::eager(|| ..)`")
            .in_function(function)
    }

    /// The complaint about using it outside its trace.
    pub fn escaped(&self) -> Error {
        let Origin { function, name, place } = &self.origin;
        if home(self.trace).is_some() {
            let message = format!("`{name}` ({place}) is a tensor of another graph");
            return Error::new(ErrorKind::Escape, message)
                .with_help("run it in a session and use the value that it gives");
        }
        Error::new(
            ErrorKind::Escape,
            format!(
                "value `{name}`, made while tracing `{function}` ({place}), is used outside it"
            ),
        )
        .with_help(format!("return it from `{function}`, or keep it in a `Variable`"))
    }
}

impl<T> From<T> for Tensor
where
    Value: From<T>,
{
    fn from(elements: T) -> Tensor {
        Tensor(Repr::Value(elements.into(), TensorId::next()))
    }
}

impl From<&Tensor> for Tensor {
    fn from(tensor: &Tensor) -> Tensor {
        tensor.clone()
    }
}

/// A value prints as ndarray prints it, a tensor of a trace as TensorFlow does: `Tensor("Square:0", shape=(), dtype=float32)`;
/// without a shape if nothing is known of it.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Value(value, _) => fmt::Display::fmt(value, f),
            Repr::Symbolic(it) => {
                let (name, dtype) = (&it.origin.name, it.spec.dtype());
                match it.spec.shape() {
                    shape if shape.has_rank() => {
                        write!(f, "Tensor({name:?}, shape={shape}, dtype={dtype})")
                    }
                    _ => write!(f, "Tensor({name:?}, dtype={dtype})"),
                }
            }
        }
    }
}

/// A value prints as `Tensor(10.0, shape=(), dtype=float32)`, a tensor of a trace as `<Tensor 'Square:0' shape=() dtype=float32>`.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Value(value, _) => fmt::Debug::fmt(value, f),
            Repr::Symbolic(it) => {
                let (name, dtype) = (&it.origin.name, it.spec.dtype());
                match it.spec.shape() {
                    shape if shape.has_rank() => {
                        write!(f, "<Tensor '{name}' shape={shape} dtype={dtype}>")
                    }
                    _ => write!(f, "<Tensor '{name}' dtype={dtype}>"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_are_one_tensor_and_equal_bytes_are_not() {
        let x = Tensor::from(1.0f32);
        let same_bytes = Tensor::from(x.value());
        assert!(x.clone().id() == x.id() && same_bytes.id() != x.id());
        let elsewhere = std::thread::spawn(|| Tensor::from(1.0f32)).join().unwrap();
        assert!(elsewhere.id() != x.id() && elsewhere.id() != same_bytes.id());
    }

    #[test]
    fn a_symbolic_tensor_prints_as_tensorflow_does() {
        let place = Place { file: "a.rs", line: 1, column: 2 };
        let origin = Origin { function: "f".into(), name: "Square:0".into(), place };
        let spec = Spec::scalar(DType::F32);
        let x = Tensor::symbolic(Symbolic {
            trace: TraceId(1),
            value: Ref::Input(super::super::InputId::new(0)),
            spec,
            origin,
        });
        assert_eq!(x.to_string(), "Tensor(\"Square:0\", shape=(), dtype=float32)");
        assert_eq!(format!("{x:?}"), "<Tensor 'Square:0' shape=() dtype=float32>");
    }
}
