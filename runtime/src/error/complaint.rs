//! Every complaint: what was wrong, with what, where in the user's code, and what to do.
//! Knows strings, numbers and places only.

use std::fmt;
use std::panic::Location;

/// A result whose error is an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A line and column of the user's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Place {
    /// The place of the caller of the calling function.
    #[track_caller]
    pub fn caller() -> Place {
        Location::caller().into()
    }

    /// Whether it is not in Rust's own library, which hides callers: `==` of references goes through it.
    fn is_users(&self) -> bool {
        !self.file.starts_with("/rustc/") && !self.file.contains("/rustlib/src/rust/library/")
    }
}

impl From<&'static Location<'static>> for Place {
    fn from(at: &'static Location<'static>) -> Place {
        Place { file: at.file(), line: at.line(), column: at.column() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What sort of thing went wrong: for code that reacts differently to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes that do not fit together.
    Shape,
    /// An element type that an op does not take, or two that differ.
    Type,
    /// An index, axis or attribute outside its range.
    Index,
    /// A value that an op refuses, such as an integer divisor of zero.
    Value,
    /// A thing that cannot be done while tracing, or a body that cannot be traced.
    Trace,
    /// A symbolic tensor used outside its trace.
    Escape,
    /// A variable that is missing, uninitialised, or not what was asked for.
    Variable,
    /// A call that does not fit the declared signature.
    Signature,
    /// Graph text or a file that cannot be read or written.
    Format,
    /// A value that a run of a graph lacks, or cannot take.
    Feed,
    /// A host function that failed or panicked.
    Host,
}

/// What went wrong, where, and what to do about it.
///
/// ```
/// use graphfn::prelude::*;
///
/// let error = attempt(|| Tensor::from([[1.0f32, 2.0]]).matmul(&Tensor::from([[1.0f32]]))).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Shape);
/// assert!(error.help().is_some());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Report>);

#[derive(Clone, PartialEq, Eq)]
struct Report {
    kind: ErrorKind,
    message: String,
    help: Option<String>,
    place: Option<Place>,
    function: Option<String>,
    node: Option<String>,
}

impl Error {
    /// An error of a kind; `message` is one lower-case sentence with what was found and what was wanted.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let message = message.into();
        Error(Box::new(Report {
            kind,
            message,
            help: None,
            place: None,
            function: None,
            node: None,
        }))
    }

    /// Says what the user can do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Error {
        self.0.help = Some(help.into());
        self
    }

    /// Says where in the user's code, unless a closer place is known already, or this one is not the user's.
    #[must_use]
    pub fn at(mut self, place: Place) -> Error {
        if place.is_users() {
            self.0.place.get_or_insert(place);
        }
        self
    }

    /// Forgets the place: it was not the user's.
    #[must_use]
    pub(crate) fn nowhere(mut self) -> Error {
        self.0.place = None;
        self
    }

    /// Says in which traced function, unless an inner one is known already.
    #[must_use]
    pub fn in_function(mut self, name: &str) -> Error {
        self.0.function.get_or_insert_with(|| name.to_string());
        self
    }

    /// Says at which node of the graph, unless it is known already.
    #[must_use]
    pub fn at_node(mut self, name: &str) -> Error {
        self.0.node.get_or_insert_with(|| name.to_string());
        self
    }

    /// The sort of thing that went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The sentence that says what was found and what was wanted.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What the user can do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Where in the user's code.
    pub fn place(&self) -> Option<Place> {
        self.0.place
    }

    /// The traced function it happened in.
    pub fn function(&self) -> Option<&str> {
        self.0.function.as_deref()
    }

    /// The scoped name of the node it happened at.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        let place = self.0.place.map(|it| it.to_string());
        let function = self.0.function.as_ref().map(|it| format!("in `{it}`"));
        let node = self.0.node.as_ref().map(|it| format!("node `{it}`"));
        let parts: Vec<String> = [place, function, node].into_iter().flatten().collect();
        if !parts.is_empty() {
            write!(f, "\n  --> {}", parts.join(", "))?;
        }
        match &self.0.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {self}")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_where_and_what_to_do() {
        let error = Error::new(
            ErrorKind::Shape,
            "`matmul` needs inner sizes to agree, found [4, 3] and [4, 2]",
        )
        .with_help("transpose the second operand: `x.matmul(&w.t())`")
        .at(Place { file: "src/model.rs", line: 21, column: 18 })
        .in_function("train_step")
        .at_node("dense1/MatMul");
        assert_eq!(
            format!("{error:?}"),
            "error: `matmul` needs inner sizes to agree, found [4, 3] and [4, 2]\n  \
             --> src/model.rs:21:18, in `train_step`, node `dense1/MatMul`\n  \
             help: transpose the second operand: `x.matmul(&w.t())`"
        );
    }

    #[test]
    fn the_innermost_place_stays() {
        let inner = Place { file: "a.rs", line: 1, column: 1 };
        let error = Error::new(ErrorKind::Value, "x").at(inner).at(Place { line: 2, ..inner });
        assert_eq!(error.place(), Some(inner));
    }

    #[test]
    fn a_line_of_rusts_own_library_is_no_place() {
        let file = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/cmp.rs";
        let (theirs, ours) = (Place { file, line: 2123, column: 13 }, Place::caller());
        let error = Error::new(ErrorKind::Shape, "x").at(theirs);
        assert_eq!(error.place(), None);
        assert_eq!(error.at(ours).place(), Some(ours));
    }
}
