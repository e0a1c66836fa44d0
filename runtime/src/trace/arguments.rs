//! What a function is called with: paths of leaves, declared signatures, symbols for unknown sizes.
//! Knows keys and names, and no cache.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Key, Leaf, Named, Names, Tensor};
use crate::types::{DType, Dim, Shape, Spec, Symbol};
use std::collections::HashMap;
use std::ops::Range;

/// A declared size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredDim {
    /// This size.
    Known(usize),
    /// Any size, one trace for all.
    Unknown,
    /// Any size, the same wherever the name stands.
    Named(&'static str),
}

/// What a signature says of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The parameter.
    pub name: &'static str,
    /// Its element type.
    pub dtype: DType,
    /// Its sizes.
    pub dims: &'static [DeclaredDim],
}

impl Declared {
    fn fits(&self, spec: Spec) -> bool {
        spec.dtype() == self.dtype
            && spec.rank() == self.dims.len()
            && spec.sizes().iter().zip(self.dims).all(|(size, dim)| match dim {
                DeclaredDim::Known(known) => size == known,
                DeclaredDim::Unknown | DeclaredDim::Named(_) => true,
            })
    }

    fn mismatch(&self, found: Spec) -> Error {
        let dims: Vec<String> = self
            .dims
            .iter()
            .map(|dim| match dim {
                DeclaredDim::Known(size) => size.to_string(),
                DeclaredDim::Unknown => "?".to_string(),
                DeclaredDim::Named(name) => (*name).to_string(),
            })
            .collect();
        let declared = format!("{}[{}]", self.dtype.rust_name(), dims.join(", "));
        Error::new(
            ErrorKind::Signature,
            format!("argument `{}` is {found}, and the signature declares {declared}", self.name),
        )
        .with_help(format!(
            "pass a tensor that fits {declared}, or change `signature({}: ..)`",
            self.name
        ))
    }
}

/// Checks the declared leaves of a call against the signature.
///
/// # Errors
/// If one does not fit, or two sizes of one name differ.
pub fn check_declared(signature: &[Declared], key: &Key<'_>) -> Result<()> {
    let mut named: Vec<(&str, usize, &str)> = Vec::new();
    for (leaf, declaration) in key.declared() {
        let Leaf::Tensor(tensor) = key.leaves()[*leaf] else { continue };
        let declared = &signature[*declaration];
        let spec = tensor.spec();
        if !declared.fits(spec) {
            return Err(declared.mismatch(spec));
        }
        for (size, dim) in spec.sizes().iter().zip(declared.dims) {
            let DeclaredDim::Named(name) = dim else { continue };
            match named.iter().find(|it| it.0 == *name) {
                None => named.push((name, *size, declared.name)),
                Some((_, first, _)) if first == size => {}
                Some((_, first, at)) => {
                    let message = format!(
                        "size `{name}` is {first} in argument `{at}` and {size} in `{}`",
                        declared.name
                    );
                    return Err(Error::new(ErrorKind::Signature, message).with_help(
                        "sizes of one name must be equal; use `?` for sizes of their own",
                    ));
                }
            }
        }
    }
    Ok(())
}

/// A function's arguments with their paths, made when a trace is.
#[derive(Debug)]
pub struct Arguments {
    /// Name and symbolic spec of each tensor leaf.
    pub tensors: Vec<(String, Spec)>,
    /// Position among the leaves, id and path of each variable.
    pub variables: Vec<(usize, u64, String)>,
    /// Id and path of each layer's scope.
    pub scopes: Vec<(u64, String)>,
    /// Path and text of every leaf and all plain data.
    pub described: Vec<(String, String)>,
    /// Whether each of `described` is plain data.
    pub is_static: Vec<bool>,
}

impl Arguments {
    /// Names the leaves of a call.
    pub fn new(key: &Key<'_>, signature: &[Declared], name: &impl Fn(&mut Names<'_>)) -> Arguments {
        let (mut found, mut arguments) = (Vec::new(), Vec::new());
        name(&mut Names::new(&mut found, &mut arguments));
        let root = only_model(&found, &arguments);
        let mut symbols = Symbols::default();
        let mut leaves = key.leaves().iter().enumerate();
        let mut out = Arguments {
            tensors: vec![],
            variables: vec![],
            scopes: vec![],
            described: vec![],
            is_static: vec![],
        };
        for (argument, range) in &arguments {
            for named in &found[range.clone()] {
                match named {
                    Named::Tensor(path) => {
                        let Some((at, Leaf::Tensor(tensor))) = leaves.next() else {
                            unreachable!("names follow the key")
                        };
                        let path = joined(argument, path);
                        let spec = traced_spec(at, tensor, key, signature, &mut symbols);
                        out.describe(path.clone(), spec.to_string(), false);
                        out.tensors.push((path, spec));
                    }
                    Named::Variable(path) => {
                        let full = in_model(root, argument, path);
                        out.variable(leaves.next(), joined(argument, path), full);
                    }
                    Named::State(name) => {
                        out.variable(leaves.next(), name.clone(), name.clone());
                    }
                    Named::Scope(path, id) => {
                        out.scopes.push((*id, in_model(root, argument, path)))
                    }
                    Named::Static(path, text) => {
                        out.describe(joined(argument, path), text.clone(), true)
                    }
                }
            }
        }
        out
    }

    /// Notes a variable; the second of one full name gets a number.
    fn variable(&mut self, leaf: Option<(usize, &Leaf<'_>)>, path: String, full: String) {
        let Some((at, Leaf::Variable(variable))) = leaf else {
            unreachable!("names follow the key")
        };
        let spec = variable.spec().map_or_else(|| "not built".to_string(), |spec| spec.to_string());
        self.describe(path, spec, false);
        let is_taken = |name: &String| {
            self.variables.iter().any(|(_, id, taken)| taken == name && *id != variable.id())
        };
        let numbered = (1..).map(|number| format!("{full}_{number}"));
        let mut names = std::iter::once(full.clone()).chain(numbered);
        let full = names.find(|name| !is_taken(name)).expect("there are more numbers than names");
        self.variables.push((at, variable.id(), full));
    }

    fn describe(&mut self, path: String, text: String, is_static: bool) {
        self.described.push((path, text));
        self.is_static.push(is_static);
    }
}

/// The argument whose name is left out of the paths of variables: the only one that holds any.
fn only_model<'a>(found: &[Named], arguments: &'a [(String, Range<usize>)]) -> Option<&'a String> {
    let is_model = |range: &Range<usize>| {
        found[range.clone()].iter().any(|it| matches!(it, Named::Variable(path) | Named::Scope(path, _) if !path.is_empty() || matches!(it, Named::Scope(..))))
    };
    let mut models = arguments.iter().filter(|(_, range)| is_model(range));
    match (models.next(), models.next()) {
        (Some((name, _)), None) => Some(name),
        _ => arguments.iter().map(|(name, _)| name).find(|name| name.is_empty()),
    }
}

/// Id and path of each layer's scope in the arguments of a call.
pub fn scopes(name: &impl Fn(&mut Names<'_>)) -> Vec<(u64, String)> {
    let (mut found, mut arguments) = (Vec::new(), Vec::new());
    name(&mut Names::new(&mut found, &mut arguments));
    let root = only_model(&found, &arguments);
    let of_argument = |(argument, range): &(String, Range<usize>)| -> Vec<(u64, String)> {
        let named = found[range.clone()].iter();
        let scopes = named.filter_map(|it| match it {
            Named::Scope(path, id) => Some((*id, in_model(root, argument, path))),
            _ => None,
        });
        scopes.collect()
    };
    arguments.iter().flat_map(of_argument).collect()
}

/// A path in an argument, whose own name is left out if it is the only model.
fn in_model(root: Option<&String>, argument: &String, path: &str) -> String {
    if root == Some(argument) { path.to_string() } else { joined(argument, path) }
}

fn joined(argument: &str, path: &str) -> String {
    match (argument, path) {
        ("", path) => path.to_string(),
        (argument, "") => argument.to_string(),
        (argument, path) => format!("{argument}/{path}"),
    }
}

/// The spec of an input: that of the tensor, or what the signature declares, with a symbol for each unknown size.
fn traced_spec(
    at: usize,
    tensor: &Tensor,
    key: &Key<'_>,
    signature: &[Declared],
    symbols: &mut Symbols,
) -> Spec {
    let Some((_, declaration)) = key.declared().iter().find(|(leaf, _)| *leaf == at) else {
        return tensor.spec();
    };
    let declared = &signature[*declaration];
    let dims = declared.dims.iter().map(|dim| match dim {
        DeclaredDim::Known(size) => Dim::Known(*size),
        DeclaredDim::Unknown => Dim::symbol(unknown(symbols)),
        DeclaredDim::Named(name) => {
            Dim::symbol(*symbols.named.entry(name).or_insert_with(|| Symbol::new(name)))
        }
    });
    Spec::new(declared.dtype, Shape::new(dims))
}

/// The unknown sizes of a signature.
#[derive(Default)]
struct Symbols {
    named: HashMap<&'static str, Symbol>,
    unnamed: usize,
}

/// A size of its own; it prints as `?`, the second one as `?2`.
fn unknown(symbols: &mut Symbols) -> Symbol {
    symbols.unnamed += 1;
    match symbols.unnamed {
        1 => Symbol::new("?"),
        count => Symbol::new(&format!("?{count}")),
    }
}
