//! TensorFlow's messages for graphs, as `tensorflow/core/framework/*.proto` numbers their fields: those that are written.
//! Knows no graph of ours but element types and shapes.

use crate::interop::protobuf::{Bytes, Field, Message, message};
use crate::types::{DType, Shape, Spec};
use crate::value::Value;
use std::collections::BTreeMap;

message! {
    /// One node of a [`GraphDef`](super::GraphDef).
    pub struct NodeDef {
        /// Its name, unique in its graph; parts between `/` are scopes.
        1 name: String,
        /// TensorFlow's op type, such as `AddV2`.
        2 op: String,
        /// What it is given: `name` or `name:output`; after those, `^name` for what runs before it.
        3 input: Vec<String>,
        /// Where it runs; empty leaves that to TensorFlow.
        4 device: String,
        /// Its attributes.
        5 attr: BTreeMap<String, AttrValue>,
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// A list of shapes.
    Shapes(Vec<ShapeProto>),
    /// A list of integers.
    Ints(Vec<i64>),
    /// A text.
    Text(String),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// An element type, by TensorFlow's number.
    Type(i32),
    /// A shape.
    Shape(ShapeProto),
    /// Elements.
    Tensor(TensorProto),
}

impl Message for AttrValue {
    fn write_fields(&self, out: &mut Vec<u8>) {
        match self {
            AttrValue::Shapes(it) => list(7, it, out),
            AttrValue::Ints(it) => list(3, it, out),
            AttrValue::Text(it) => it.put(2, out),
            AttrValue::Int(it) => it.put(3, out),
            AttrValue::Float(it) => it.put(4, out),
            AttrValue::Bool(it) => it.put(5, out),
            AttrValue::Type(it) => it.put(6, out),
            AttrValue::Shape(it) => it.put(7, out),
            AttrValue::Tensor(it) => it.put(8, out),
        }
    }
}

/// A list stands in a message of its own.
fn list<T: Field>(number: u32, items: &Vec<T>, out: &mut Vec<u8>) {
    let mut inner = Vec::new();
    items.write(number, &mut inner);
    Bytes(inner).put(1, out);
}

message! {
    /// A shape, some of whose sizes may be unknown.
    pub struct ShapeProto {
        /// The sizes of the axes.
        2 dim: Vec<DimProto>,
        /// Whether not even their number is known.
        3 unknown_rank: bool,
    }
}

message! {
    /// A size of a shape.
    pub struct DimProto {
        /// The size, -1 if it is unknown.
        1 size: i64,
        /// What the size is called, such as `n`.
        2 name: String,
    }
}

message! {
    /// A tensor in memory.
    pub struct TensorProto {
        /// The element type, by TensorFlow's number.
        1 dtype: i32,
        /// The sizes of the axes.
        2 tensor_shape: Option<ShapeProto>,
        /// The elements in row-major order, lowest byte first.
        4 tensor_content: Bytes,
    }
}

message! {
    /// Which versions of TensorFlow understand a graph.
    pub struct VersionDef {
        /// The version that wrote it.
        1 producer: i32,
    }
}

/// TensorFlow's number of an element type.
pub fn type_number(dtype: DType) -> i32 {
    match dtype {
        DType::F32 => 1,
        DType::F64 => 2,
        DType::I32 => 3,
        DType::U8 => 4,
        DType::I64 => 9,
        DType::Bool => 10,
    }
}

impl From<&Shape> for ShapeProto {
    fn from(shape: &Shape) -> ShapeProto {
        let dim = |dim: &crate::types::Dim| match dim.known() {
            Some(size) => DimProto { size: size.cast_signed() as i64, name: String::new() },
            None => DimProto { size: -1, name: dim.to_string() },
        };
        if !shape.has_rank() {
            return ShapeProto { dim: Vec::new(), unknown_rank: true };
        }
        ShapeProto { dim: shape.dims().iter().map(dim).collect(), unknown_rank: false }
    }
}

impl From<Spec> for ShapeProto {
    fn from(spec: Spec) -> ShapeProto {
        spec.shape().into()
    }
}

impl From<&Value> for TensorProto {
    fn from(value: &Value) -> TensorProto {
        TensorProto {
            dtype: type_number(value.dtype()),
            tensor_shape: Some(value.spec().into()),
            tensor_content: Bytes(bytes(value)),
        }
    }
}

/// The elements in row-major order, lowest byte first.
fn bytes(value: &Value) -> Vec<u8> {
    macro_rules! of {
        ($type:ty) => {
            value
                .to_vec::<$type>()
                .expect("the type is the value's own")
                .into_iter()
                .flat_map(<$type>::to_le_bytes)
                .collect()
        };
    }
    match value.dtype() {
        DType::F32 => of!(f32),
        DType::F64 => of!(f64),
        DType::I32 => of!(i32),
        DType::I64 => of!(i64),
        DType::U8 => of!(u8),
        DType::Bool => {
            value.to_vec::<bool>().expect("it is of bool").into_iter().map(u8::from).collect()
        }
    }
}
