//! The format safetensors: which of its element types are ours, and its bytes. Knows no variables.

use super::format::{Content, Contents};
use super::order::{Order, native};
use crate::types::{DType, Spec};
use crate::value::Value;
use safetensors::tensor::serialize_to_file;
use safetensors::{Dtype, SafeTensors, View};
use std::borrow::Cow;
use std::path::Path;

/// The key of its header that names no tensor.
const RESERVED: &str = "__metadata__";

/// Each element type in the format.
const TYPES: &[(DType, Dtype)] = &[
    (DType::F32, Dtype::F32),
    (DType::F64, Dtype::F64),
    (DType::I32, Dtype::I32),
    (DType::I64, Dtype::I64),
    (DType::U8, Dtype::U8),
    (DType::Bool, Dtype::BOOL),
];

/// Writes a file of row-major values.
pub(super) fn write(named: &[(String, Value)], path: &Path) -> Result<(), String> {
    if named.iter().any(|(name, _)| name == RESERVED) {
        return Err(format!("`{RESERVED}` is a name that the format has for itself"));
    }
    let views = named.iter().map(|(name, value)| (name, Row(value)));
    serialize_to_file(views, None, path).map_err(|error| error.to_string())
}

/// What a file holds, or what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, String> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    contents(&file)
}

/// The tensors of a file, or what is wrong with one.
pub(in crate::interop) fn contents(file: &SafeTensors<'_>) -> Result<Contents, String> {
    let mut contents = Contents::new();
    for (name, view) in file.iter() {
        let content = match TYPES.iter().find(|(_, theirs)| *theirs == view.dtype()) {
            None => Content::Foreign(view.dtype().to_string()),
            Some((dtype, _)) => {
                let spec = Spec::new(*dtype, view.shape());
                let bytes = native(view.data(), Order::Little, dtype.size());
                let value = Value::from_bytes(spec, &bytes);
                Content::Value(value.ok_or_else(|| format!("`{name}` holds no {spec}"))?)
            }
        };
        contents.insert(name.to_string(), content);
    }
    Ok(contents)
}

/// A row-major value, as the format sees it.
pub(in crate::interop) struct Row<'a>(pub &'a Value);

impl View for Row<'_> {
    fn dtype(&self) -> Dtype {
        let found = TYPES.iter().find(|(ours, _)| *ours == self.0.dtype());
        found.expect("every element type is in the table").1
    }

    fn shape(&self) -> &[usize] {
        self.0.sizes()
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let bytes = self.0.as_bytes().expect("variables hold row-major values");
        native(bytes, Order::Little, self.0.dtype().size())
    }

    fn data_len(&self) -> usize {
        self.0.len() * self.0.dtype().size()
    }
}
