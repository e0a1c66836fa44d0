//! What a run is given for placeholders. Knows which types a value may be fed as.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Recording, Tensor};
use crate::types::DType;
use crate::value::Value;

/// Values for tensors of a graph; [`feed!`](crate::feed) makes them.
///
/// ```
/// use graphfn::prelude::*;
///
/// let graph = Graph::new();
/// let (a, b) = (graph.placeholder::<i32>([]), graph.placeholder::<i32>([]));
/// let sum = Session::new(&graph).run_with(&(&a + &b), feed! { a => 2, b => 3 })?;
/// assert_eq!(sum.item::<i32>(), 5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Feeds {
    pub(super) given: Vec<(Tensor, Tensor)>,
}

impl Feeds {
    /// None yet.
    pub fn new() -> Feeds {
        Feeds::default()
    }

    /// These, and a value for one more tensor: a number, an array, a tensor in memory.
    ///
    /// It need not be a placeholder: what is fed is not computed.
    #[must_use]
    pub fn with(mut self, target: &Tensor, value: impl Into<Tensor>) -> Feeds {
        self.given.push((target.clone(), value.into()));
        self
    }
}

/// The value as the element type of what it is fed to: floats as other floats; integers as any type that holds each of
/// them exactly.
///
/// # Errors
/// If it is of a type that is not fed so, or an element would not be held exactly.
pub(super) fn fitted(name: &str, value: &Tensor, wanted: DType) -> Result<Value> {
    let found = value.dtype();
    let given = match (value.as_value(), value.as_symbolic()) {
        (Some(given), _) => given,
        (None, Some(symbolic)) => return Err(symbolic.not_known()),
        (None, None) => unreachable!("a tensor is in memory or symbolic"),
    };
    if found == wanted {
        return Ok(given.clone());
    }
    let may_adapt = found != DType::Bool && wanted != DType::Bool;
    if !may_adapt || (found.is_float() && !wanted.is_float()) {
        return Err(refused(name, found, wanted, ""));
    }
    let _eagerly = Recording::eagerly();
    let cast = value.cast(wanted);
    if !found.is_float() && cast.cast(found).not_equal(value).any().item::<bool>() {
        return Err(refused(name, found, wanted, ", which does not hold each of its elements"));
    }
    Ok(cast.value())
}

fn refused(name: &str, found: DType, wanted: DType, why: &str) -> Error {
    let message = format!("`{name}` is {wanted}, and is fed {found}{why}");
    Error::new(ErrorKind::Feed, message)
        .with_help(format!("convert it yourself: `.cast(DType::{wanted:?})`"))
}
