//! One node on its way to TensorFlow: what it is given there, and the nodes that stand for it. Knows no particular op.

use super::messages::{AttrValue, type_number};
use super::names::attribute_name;
use super::writer::{Attribute, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{OpRef, Parsed};
use crate::types::{DType, Dim, Shape, Spec, Symbol};
use crate::value::Value;
use std::collections::HashMap;

/// Where the sizes that are unknown come from: an axis of an input.
pub(super) type Sizes = HashMap<Symbol, (String, usize)>;

/// A node that is being written.
pub(super) struct Call<'w> {
    pub op: &'w OpRef,
    pub attrs: Parsed,
    /// The scoped name, which the node that gives the result gets.
    pub name: String,
    pub inputs: Vec<String>,
    pub specs: Vec<Spec>,
    pub outputs: &'w [Spec],
    pub writer: &'w mut Writer,
    pub sizes: &'w Sizes,
}

/// The attribute that names an element type.
pub(super) fn of_type(name: &'static str, dtype: DType) -> Attribute {
    (name, AttrValue::Type(type_number(dtype)))
}

impl Call<'_> {
    /// The element type of an input.
    pub fn dtype(&self, input: usize) -> DType {
        self.specs[input].dtype()
    }

    /// A smaller node: under the name of this one, with TensorFlow's op type as its own.
    pub fn step(&mut self, op: &str, inputs: &[&str], attrs: &[Attribute], spec: Spec) -> String {
        self.step_of_many(op, inputs, attrs, &[spec])
    }

    /// As [`step`](Call::step), under a name of its own.
    pub fn step_named(
        &mut self,
        label: &str,
        op: &str,
        inputs: &[&str],
        attrs: &[Attribute],
        spec: Spec,
    ) -> String {
        let name = self.writer.unique(&format!("{}/{label}", self.name));
        let inputs = inputs.iter().map(ToString::to_string).collect();
        self.writer.node(name, op, inputs, attrs.iter().cloned(), &[spec])
    }

    /// A smaller node of several outputs.
    pub fn step_of_many(
        &mut self,
        op: &str,
        inputs: &[&str],
        attrs: &[Attribute],
        outputs: &[Spec],
    ) -> String {
        let name = self.writer.unique(&format!("{}/{op}", self.name));
        let inputs = inputs.iter().map(ToString::to_string).collect();
        self.writer.node(name, op, inputs, attrs.iter().cloned(), outputs)
    }

    /// A smaller node of one element type, which is that of its first input.
    pub fn math(&mut self, op: &str, inputs: &[&str], dtype: DType, output: Spec) -> String {
        self.step(op, inputs, &[of_type("T", dtype)], output)
    }

    /// The node that gives the result.
    pub fn finish(&mut self, op: &str, inputs: &[&str], attrs: &[Attribute]) {
        let inputs = inputs.iter().map(ToString::to_string).collect();
        let outputs = self.outputs;
        self.writer.node(self.name.clone(), op, inputs, attrs.iter().cloned(), outputs);
    }

    /// The node that gives the result, of one element type.
    pub fn finish_math(&mut self, op: &str, inputs: &[&str], dtype: DType) {
        self.finish(op, inputs, &[of_type("T", dtype)]);
    }

    /// A constant under the name of this node.
    pub fn constant(&mut self, label: &str, value: &Value) -> String {
        let name = self.writer.unique(&attribute_name(&self.name, label));
        self.writer.constant(name, value)
    }

    /// A number of an element type.
    pub fn number(&mut self, number: f64, dtype: DType) -> String {
        self.labelled("Const", number, dtype)
    }

    /// A number of an element type, under a label.
    pub fn labelled(&mut self, label: &str, number: f64, dtype: DType) -> String {
        let value = match dtype {
            DType::F32 => Value::scalar(number as f32),
            DType::F64 => Value::scalar(number),
            DType::I32 => Value::scalar(number as i32),
            DType::I64 => Value::scalar(number as i64),
            DType::U8 => Value::scalar(number as u8),
            DType::Bool => Value::scalar(number != 0.0),
        };
        self.constant(label, &value)
    }

    /// An `int32` without axes.
    pub fn int(&mut self, label: &str, number: usize) -> Result<String> {
        Ok(self.constant(label, &Value::scalar(self.small(number as i64)?)))
    }

    /// A vector of `int32`: axes.
    pub fn ints(&mut self, label: &str, numbers: &[i64]) -> Result<String> {
        let numbers: Result<Vec<i32>> = numbers.iter().map(|it| self.small(*it)).collect();
        Ok(self.constant(label, &numbers?.into()))
    }

    fn small(&self, number: i64) -> Result<i32> {
        i32::try_from(number).map_err(|_| {
            let message = format!(
                "`{}` has the attribute {number}, and TensorFlow takes int32 there",
                self.op.name()
            );
            Error::new(ErrorKind::Format, message)
                .with_help("work on parts that are smaller than 2^31")
        })
    }

    /// A vector of `int64` that holds sizes, which are worked out when the graph runs if they are unknown.
    pub fn shape(&mut self, label: &str, shape: &Shape) -> Result<String> {
        if let Some(sizes) = shape.known() {
            let sizes: Vec<i64> = sizes.iter().map(|it| it.cast_signed() as i64).collect();
            return Ok(self.constant(label, &sizes.into()));
        }
        let parts: Result<Vec<String>> = shape.dims().iter().map(|dim| self.size(dim)).collect();
        let parts = parts?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let attrs = [
            of_type("T", DType::I64),
            ("N", AttrValue::Int(parts.len().cast_signed() as i64)),
            ("axis", AttrValue::Int(0)),
        ];
        Ok(self.step("Pack", &parts, &attrs, Spec::new(DType::I64, shape.rank())))
    }

    /// An `int64` without axes that holds a size.
    pub fn size(&mut self, dim: &Dim) -> Result<String> {
        let scalar = Spec::scalar(DType::I64);
        let (constant, terms) = dim.terms();
        let mut total = self.constant("size", &Value::scalar(constant));
        for (symbol, factor) in terms {
            let (input, axis) = self.sizes.get(&symbol).cloned().ok_or_else(|| {
                let message = format!("the size {symbol:?} is that of no input");
                Error::new(ErrorKind::Format, message)
                    .with_help("export a concrete function of known sizes")
            })?;
            let shape = self.shape_of(&input, DType::I64)?;
            let [axis, zero] = [axis, 0].map(|it| self.int("axis", it));
            let attrs = [
                of_type("Tparams", DType::I64),
                of_type("Tindices", DType::I32),
                of_type("Taxis", DType::I32),
            ];
            let size = self.step("GatherV2", &[&shape, &axis?, &zero?], &attrs, scalar);
            let factor = self.constant("factor", &Value::scalar(factor));
            let part = self.math("Mul", &[&size, &factor], DType::I64, scalar);
            total = self.math("AddV2", &[&total, &part], DType::I64, scalar);
        }
        Ok(total)
    }

    /// The sizes of a value, which TensorFlow asks when the graph runs; `T` need not be said where it is an input's.
    fn shape_of(&mut self, input: &str, out: DType) -> Result<String> {
        let node = self.writer.nodes.iter().find(|node| node.name == input);
        let dtype = node.and_then(|node| node.attr.get("dtype")).cloned();
        let dtype = dtype.expect("an input is a placeholder, which has a type");
        Ok(self.step(
            "Shape",
            &[input],
            &[("T", dtype), of_type("out_type", out)],
            Spec::scalar(out),
        ))
    }

    /// The sizes of an input of this node as a vector of `int64`.
    pub fn shape_like(&mut self, input: usize) -> Result<String> {
        let shape = self.specs[input].shape();
        if shape.known().is_some() {
            return self.shape("shape", shape);
        }
        let (dtype, rank) = (self.dtype(input), shape.rank());
        let attrs = [of_type("T", dtype), of_type("out_type", DType::I64)];
        let input = self.inputs[input].clone();
        Ok(self.step("Shape", &[&input], &attrs, Spec::new(DType::I64, rank)))
    }

    /// A value in another element type.
    pub fn cast(&mut self, value: &str, from: Spec, to: DType) -> String {
        if from.dtype() == to {
            return value.to_string();
        }
        let attrs = [of_type("SrcT", from.dtype()), of_type("DstT", to)];
        self.step("Cast", &[value], &attrs, from.with_dtype(to))
    }

    /// A value under another shape of as many elements.
    pub fn reshape(&mut self, value: &str, dtype: DType, shape: &Shape) -> Result<String> {
        let sizes = self.shape("shape", shape)?;
        let attrs = [of_type("T", dtype), of_type("Tshape", DType::I64)];
        Ok(self.step("Reshape", &[value, &sizes], &attrs, Spec::new(dtype, shape.clone())))
    }

    /// The numbers 0, 1, .. along an axis of a shape, as `int64`.
    pub fn counts(&mut self, shape: &Shape, axis: usize) -> Result<String> {
        let [zero, one] = [0i64, 1].map(|it| self.constant("Const", &Value::scalar(it)));
        let limit = self.size(&shape[axis])?;
        let line = Spec::new(DType::I64, Shape::new([shape[axis].clone()]));
        let range =
            self.step("Range", &[&zero, &limit, &one], &[of_type("Tidx", DType::I64)], line);
        let mut dims = vec![Dim::Known(1); shape.rank()];
        dims[axis] = shape[axis].clone();
        let column = self.reshape(&range, DType::I64, &Shape::new(dims))?;
        let sizes = self.shape("shape", shape)?;
        let attrs = [of_type("T", DType::I64), of_type("Tidx", DType::I64)];
        Ok(self.step(
            "BroadcastTo",
            &[&column, &sizes],
            &attrs,
            Spec::new(DType::I64, shape.clone()),
        ))
    }
}
