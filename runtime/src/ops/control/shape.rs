//! What goes into a region and comes out of it: the tensors of a tree, and what else it says. Knows no region.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Key, Leaf, Mapping, Named, Names, Tensor, Tree};
use crate::types::Spec;
use crate::value::Variable;

/// The tensors of a tree, in order.
pub(super) fn tensors(tree: &impl Tree) -> Vec<Tensor> {
    let mut key = Key::new();
    tree.key(&mut key);
    let tensors = key.leaves().iter().filter_map(|leaf| match leaf {
        Leaf::Tensor(tensor) => Some((*tensor).clone()),
        Leaf::Variable(_) => None,
    });
    tensors.collect()
}

/// The same tree with other tensors in it.
pub(super) fn with_tensors<T: Tree>(tree: &T, tensors: &[Tensor]) -> T {
    let mut tensors = tensors.iter();
    tree.map(&mut Mapping {
        tensor: &mut |_| tensors.next().expect("a tree has as many tensors as before").clone(),
        variable: &mut Variable::clone,
    })
}

/// What a tree says beside the elements of its tensors: the paths and specs of those, and plain data.
#[derive(PartialEq)]
pub(super) struct Outline {
    tensors: Vec<(String, Spec)>,
    statics: Vec<(String, String)>,
}

impl Outline {
    pub fn of(tree: &impl Tree) -> Outline {
        let (mut names, mut arguments) = (Vec::new(), Vec::new());
        Names::new(&mut names, &mut arguments).receiver(|names| tree.leaves(names));
        let mut specs = tensors(tree).into_iter().map(|it| it.spec());
        let mut outline = Outline { tensors: Vec::new(), statics: Vec::new() };
        for name in names {
            match name {
                Named::Tensor(path) => {
                    let spec = specs.next().expect("each tensor has a name");
                    outline.tensors.push((path, spec));
                }
                Named::Static(path, text) => outline.statics.push((path, text)),
                Named::Variable(_) | Named::State(_) | Named::Scope(..) => {}
            }
        }
        outline
    }

    /// Checks that two places give the same but for the elements of tensors.
    ///
    /// # Errors
    /// The first difference, with what both give.
    pub fn agrees(&self, other: &Outline, op: &str, [one, two]: [&str; 2]) -> Result<()> {
        let differs = |what: String, first: &str, second: &str| {
            let message = format!("`{op}`: {one} gives {first} {what}, and {two} {second}");
            Err(Error::new(ErrorKind::Shape, message).with_help(
                "both give the same tensors, of one shape and type, and the same plain data",
            ))
        };
        if self == other {
            return Ok(());
        }
        if self.tensors.len() != other.tensors.len() {
            let [first, second] = [self, other].map(|it| it.tensors.len().to_string());
            return differs("tensors".to_string(), &first, &second);
        }
        for ((path, first), (_, second)) in self.tensors.iter().zip(&other.tensors) {
            if first != second {
                let at = if path.is_empty() { String::new() } else { format!("as `{path}`") };
                return differs(at, &first.to_string(), &second.to_string());
            }
        }
        for ((path, first), (_, second)) in self.statics.iter().zip(&other.statics) {
            if first != second {
                return differs(format!("as `{path}`"), first, second);
            }
        }
        differs(
            "pieces of plain data".to_string(),
            &self.statics.len().to_string(),
            &other.statics.len().to_string(),
        )
    }
}
