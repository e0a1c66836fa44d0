//! Specs, attributes, constants and references in graph text. Knows how each prints, and no op.

use super::cursor::Cursor;
use crate::error::Result;
use crate::graph::{Attr, ConstantId, InputId, NodeId, Parsed, Ref, SlotId};
use crate::kernels::lanes::Scalar;
use crate::types::{DType, Dim, Element, Shape, Spec, Symbol};
use crate::value::Value;
use std::collections::HashMap;
use std::str::FromStr;

/// Symbols by name: one name is one unknown size in a text.
pub type Symbols = HashMap<String, Symbol>;

/// `f32[2, n]`.
pub fn spec(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Spec> {
    let dtype = dtype(at)?;
    at.expect("[")?;
    let dims = at.list("]", |at| dim(at, symbols))?;
    Ok(Spec::new(dtype, Shape::new(dims)))
}

fn dtype(at: &mut Cursor<'_>) -> Result<DType> {
    let before = at.clone();
    DType::from_name(at.word()?).ok_or_else(|| before.wanted("an element type such as `f32`"))
}

/// `10`, `n`, `2*n+3`.
fn dim(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Dim> {
    let mut sum = Dim::Known(0);
    let mut negative = at.take("-");
    loop {
        let before = at.clone();
        let term = term(at, symbols)?;
        let next = if negative { sum.minus(&term) } else { sum.plus(&term) };
        sum = next.ok_or_else(|| before.complaint("a size is negative"))?;
        negative = match (at.take("+"), at.take("-")) {
            (true, _) => false,
            (_, true) => true,
            _ => return Ok(sum),
        };
    }
}

fn term(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Dim> {
    if !at.rest().starts_with(|it: char| it.is_ascii_digit()) {
        return symbol(at, symbols);
    }
    let before = at.clone();
    let factor = Dim::Known(at.number()?);
    if !at.take("*") {
        return Ok(factor);
    }
    let symbol = symbol(at, symbols)?;
    factor.times(&symbol).ok_or_else(|| before.complaint("a size is too large"))
}

fn symbol(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Dim> {
    match at.take_while(|it| it.is_alphanumeric() || it == '_' || it == '?') {
        "" => Err(at.wanted("a size")),
        name => {
            Ok(Dim::symbol(*symbols.entry(name.to_string()).or_insert_with(|| Symbol::new(name))))
        }
    }
}

/// `in0`, `var1`, `const2`, `%3`, `%3:1`.
pub fn reference(at: &mut Cursor<'_>) -> Result<Ref> {
    let before = at.clone();
    if at.take("in") {
        Ok(Ref::Input(InputId::new(at.number()?)))
    } else if at.take("var") {
        Ok(Ref::Variable(SlotId::new(at.number()?)))
    } else if at.take("const") {
        Ok(Ref::Constant(ConstantId::new(at.number()?)))
    } else if at.take("%") {
        let node = NodeId::new(at.number()?);
        // A colon before a blank ends the inputs and is not an output's number.
        let is_output = at
            .rest()
            .strip_prefix(':')
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()));
        let output = if is_output && at.take(":") { at.number()? } else { 0 };
        let output =
            u16::try_from(output).map_err(|_| before.complaint("a node has fewer outputs"))?;
        Ok(Ref::Node(node, output))
    } else {
        Err(before.wanted("a value such as `in0` or `%3`"))
    }
}

/// `{axis=0, keep_dims=false}`, or nothing.
pub fn attributes(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Parsed> {
    if !at.take("{") {
        return Ok(Parsed::default());
    }
    let pairs = at.list("}", |at| {
        let name = at.word()?.to_string();
        at.expect("=")?;
        Ok((name, attribute(at, symbols)?))
    })?;
    Ok(Parsed(pairs))
}

fn attribute(at: &mut Cursor<'_>, symbols: &mut Symbols) -> Result<Attr> {
    if at.rest().starts_with('"') {
        return at.quoted().map(Attr::Text);
    }
    if at.take("(") {
        return Ok(Attr::Shape(Shape::new(at.list(")", |at| dim(at, symbols))?)));
    }
    if at.take("[") {
        return Ok(Attr::Ints(at.list("]", number)?));
    }
    let before = at.clone();
    let word = literal(at);
    if let Some(dtype) = DType::from_name(word) {
        return Ok(Attr::Type(dtype));
    }
    if let Ok(truth) = word.parse() {
        return Ok(Attr::Bool(truth));
    }
    if let Ok(number) = word.parse() {
        return Ok(Attr::Int(number));
    }
    if let Some(scalar) = scalar(word) {
        return Ok(Attr::Scalar(scalar));
    }
    if let Ok(number) = word.parse::<f64>() {
        return Ok(Attr::Float(number.to_bits()));
    }
    Err(before.wanted("the value of an attribute"))
}

/// A constant with its type behind it: `1.5f32`.
fn scalar(word: &str) -> Option<Scalar> {
    let typed = |suffix: &str| word.strip_suffix(suffix);
    typed("f32")
        .and_then(|it| it.parse().ok())
        .map(Scalar::F32)
        .or_else(|| typed("f64").and_then(|it| it.parse().ok()).map(Scalar::F64))
        .or_else(|| typed("i32").and_then(|it| it.parse().ok()).map(Scalar::I32))
        .or_else(|| typed("i64").and_then(|it| it.parse().ok()).map(Scalar::I64))
        .or_else(|| typed("u8").and_then(|it| it.parse().ok()).map(Scalar::U8))
}

fn literal<'t>(at: &mut Cursor<'t>) -> &'t str {
    at.take_while(|it| it.is_alphanumeric() || matches!(it, '.' | '-' | '+' | '_'))
}

fn number<T: FromStr>(at: &mut Cursor<'_>) -> Result<T> {
    let before = at.clone();
    literal(at).parse().map_err(|_| before.wanted("a number"))
}

/// The elements of a constant of this spec: `2.0`, `[1.0, 2.0]`, `[[..], [..]]`.
pub fn constant(at: &mut Cursor<'_>, spec: Spec) -> Result<Value> {
    match spec.dtype() {
        DType::F32 => elements::<f32>(at, spec),
        DType::F64 => elements::<f64>(at, spec),
        DType::I32 => elements::<i32>(at, spec),
        DType::I64 => elements::<i64>(at, spec),
        DType::U8 => elements::<u8>(at, spec),
        DType::Bool => elements::<bool>(at, spec),
    }
}

fn elements<T: Element + FromStr>(at: &mut Cursor<'_>, spec: Spec) -> Result<Value> {
    let before = at.clone();
    let mut elements: Vec<T> = Vec::new();
    while !at.is_at_end() {
        if !(at.take("[") || at.take("]") || at.take(",")) {
            elements.push(number(at)?);
        }
    }
    if spec.len() != Some(elements.len()) {
        return Err(
            before.complaint(&format!("a constant of {spec} with {} elements", elements.len()))
        );
    }
    Ok(Value::from_vec(spec.shape(), elements))
}
