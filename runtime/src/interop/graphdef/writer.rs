//! The nodes written so far, and names that TensorFlow accepts. Knows messages, and no graph of ours.

use super::messages::{AttrValue, NodeDef, ShapeProto, TensorProto, type_number};
use crate::types::Spec;
use crate::value::Value;
use std::collections::{BTreeMap, HashMap};

/// The name of an attribute and its value.
pub(super) type Attribute = (&'static str, AttrValue);

/// What is written so far.
#[derive(Default)]
pub(super) struct Writer {
    pub nodes: Vec<NodeDef>,
    /// Names that are taken, with the number that is tried next.
    taken: HashMap<String, usize>,
}

impl Writer {
    /// The name as TensorFlow accepts it, or the first of `name_1`, `name_2`, .. that is free.
    pub fn unique(&mut self, name: &str) -> String {
        let name = legal(name);
        let number = self.taken.get(&name).copied();
        let Some(first) = number else {
            self.taken.insert(name.clone(), 1);
            return name;
        };
        let free = (first..)
            .map(|number| (number, format!("{name}_{number}")))
            .find(|(_, name)| !self.taken.contains_key(name));
        let (number, free) = free.expect("there are more numbers than names");
        self.taken.insert(name, number + 1);
        self.taken.insert(free.clone(), 1);
        free
    }

    /// Writes a node; `outputs` says what TensorFlow shows at its edges. Gives its name.
    pub fn node(
        &mut self,
        name: String,
        op: &str,
        input: Vec<String>,
        attrs: impl IntoIterator<Item = Attribute>,
        outputs: &[Spec],
    ) -> String {
        let attrs = attrs.into_iter().map(|(name, value)| (name.to_string(), value));
        let mut attr: BTreeMap<String, AttrValue> = attrs.collect();
        if !outputs.is_empty() {
            let shapes = outputs.iter().map(|spec| ShapeProto::from(*spec)).collect();
            attr.insert("_output_shapes".to_string(), AttrValue::Shapes(shapes));
        }
        let op = op.to_string();
        self.nodes.push(NodeDef { name: name.clone(), op, input, device: String::new(), attr });
        name
    }

    /// Writes a constant, whose name is already its own.
    pub fn constant(&mut self, name: String, value: &Value) -> String {
        let attrs = [
            ("dtype", AttrValue::Type(type_number(value.dtype()))),
            ("value", AttrValue::Tensor(TensorProto::from(value))),
        ];
        self.node(name, "Const", Vec::new(), attrs, &[value.spec()])
    }
}

/// The name with `_` for what TensorFlow does not accept in names: `[A-Za-z0-9.][A-Za-z0-9_.\\-/]*`.
fn legal(name: &str) -> String {
    let is_legal = |it: char| it.is_ascii_alphanumeric() || "_.-/".contains(it);
    let legal: String = name.chars().map(|it| if is_legal(it) { it } else { '_' }).collect();
    let begins_well = legal.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '.');
    if begins_well { legal } else { format!(".{legal}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_and_their_own() {
        let mut writer = Writer::default();
        let mut unique = |name: &str| writer.unique(name);
        assert_eq!(unique("dense1/MatMul"), "dense1/MatMul");
        assert_eq!(unique("dense1/MatMul"), "dense1/MatMul_1");
        assert_eq!(unique("dense1/MatMul_1"), "dense1/MatMul_1_1");
        assert_eq!(unique("xs[0]"), "xs_0_");
        assert_eq!(unique("größe"), "gr__e");
        assert_eq!(unique("_x"), "._x");
        assert_eq!(unique(""), ".");
    }
}
