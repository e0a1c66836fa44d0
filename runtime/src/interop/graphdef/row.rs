//! What a row of the table may say, and how a node is written by its row. Knows no particular op.

use super::call::{Call, of_type};
use super::messages::{AttrValue, type_number};
use super::writer::Attribute;
use crate::error::{Error, ErrorKind, Result};
use crate::types::{DType, Spec};

/// How an op stands in TensorFlow.
pub struct Row {
    /// Our name.
    pub op: &'static str,
    /// What it becomes.
    pub to: To,
}

/// What an op becomes.
pub enum To {
    /// One node.
    Op {
        /// TensorFlow's op type.
        op: &'static str,
        /// What it is given.
        inputs: &'static [Argument],
        /// Its attributes.
        attrs: &'static [(&'static str, From)],
    },
    /// Several nodes, of which the last has the name.
    Built(fn(&mut Call<'_>) -> Result<()>),
    /// Nothing, for this reason.
    No(&'static str),
}

/// An input of a node in TensorFlow.
#[derive(Clone, Copy)]
pub enum Argument {
    /// An input of ours.
    In(usize),
    /// All inputs of ours, in order.
    All,
    /// A vector that holds an attribute of ours.
    Ints(&'static str),
    /// A number that is an attribute of ours.
    Int(&'static str),
    /// A vector of sizes that is an attribute of ours.
    Shape(&'static str),
    /// The sizes of an input of ours.
    ShapeOf(usize),
}

/// An attribute of a node in TensorFlow.
#[derive(Clone, Copy)]
pub enum From {
    /// The element type of an input of ours.
    TypeOf(usize),
    /// The element type of the first output.
    TypeOut,
    /// This element type.
    Type(DType),
    /// The number of inputs of ours.
    Count,
    /// The number of outputs.
    Outputs,
    /// The attribute of ours with this name, a truth value.
    Bool(&'static str),
    /// The attribute of ours with this name, an integer.
    Int(&'static str),
}

/// Writes a node by its row.
///
/// # Errors
/// If the row says no, or the node has what TensorFlow does not take.
pub(super) fn write(to: &To, call: &mut Call<'_>) -> Result<()> {
    match to {
        To::Op { op, inputs, attrs } => {
            let mut given = Vec::new();
            for input in *inputs {
                argument(*input, call, &mut given)?;
            }
            let attrs: Result<Vec<Attribute>> =
                attrs.iter().map(|(name, from)| Ok((*name, attribute(*from, call)?))).collect();
            let given: Vec<&str> = given.iter().map(String::as_str).collect();
            call.finish(op, &given, &attrs?);
            Ok(())
        }
        To::Built(build) => build(call),
        To::No(why) => Err(refused(call.op.name(), why)),
    }
}

fn argument(argument: Argument, call: &mut Call<'_>, given: &mut Vec<String>) -> Result<()> {
    match argument {
        Argument::In(at) => given.push(call.inputs[at].clone()),
        Argument::All => given.extend(call.inputs.iter().cloned()),
        Argument::Ints(name) => {
            let numbers = call.attrs.ints(name)?;
            given.push(call.ints(name, &numbers)?);
        }
        Argument::Int(name) => {
            let number = call.attrs.int(name)?;
            given.push(call.int(name, usize::try_from(number).unwrap_or(usize::MAX))?);
        }
        Argument::Shape(name) => {
            let shape = call.attrs.shape(name)?;
            given.push(call.shape(name, &shape)?);
        }
        Argument::ShapeOf(at) => given.push(call.shape_like(at)?),
    }
    Ok(())
}

fn attribute(from: From, call: &Call<'_>) -> Result<AttrValue> {
    let count = |items: &[Spec]| AttrValue::Int(items.len().cast_signed() as i64);
    Ok(match from {
        From::TypeOf(at) => of_type("", call.dtype(at)).1,
        From::TypeOut => AttrValue::Type(type_number(call.outputs[0].dtype())),
        From::Type(dtype) => AttrValue::Type(type_number(dtype)),
        From::Count => count(&call.specs),
        From::Outputs => count(call.outputs),
        From::Bool(name) => AttrValue::Bool(call.attrs.bool(name)?),
        From::Int(name) => AttrValue::Int(call.attrs.int(name)?),
    })
}

/// The complaint about an op that TensorFlow does not take.
pub(super) fn refused(op: &str, why: &str) -> Error {
    Error::new(ErrorKind::Format, format!("`{op}` cannot be exported to TensorFlow: {why}"))
        .with_help("leave it out of the function that is exported, or write it with other ops")
}
