//! The first values of variables: constants, or TensorFlow's random numbers of the same spread. Knows what initialisers are
//! called.

use crate::error::Result;
use crate::graph::{Attr, Lowered, Node};
use crate::interop::graphdef::call::{Call, of_type};
use crate::interop::graphdef::row::refused;
use crate::kernels::Lowering;
use crate::types::DType;

/// What TensorFlow calls the node that gives the first value, below `x/Initializer`.
pub fn label(node: &Node) -> &'static str {
    let attrs = node.kind.op().map(|op| op.attrs());
    let mut attrs = attrs.iter().flat_map(|it| it.iter());
    let named = attrs.find_map(|(name, value)| match value {
        Attr::Text(text) if name == "initializer" => Some(text.clone()),
        _ => None,
    });
    match named.as_deref().unwrap_or_default() {
        "Zeros" => "zeros",
        "Ones" => "ones",
        text if text.contains("Uniform") => "random_uniform",
        text if text.contains("Normal") => "truncated_normal",
        _ => "Const",
    }
}

/// Evenly spread numbers are drawn by TensorFlow, as it would; other first values are written as they are.
pub fn first_value(call: &mut Call<'_>) -> Result<()> {
    let out = call.outputs[0];
    if let (Ok(low), Ok(high)) = (call.attrs.float("low"), call.attrs.float("high")) {
        let dtype = out.dtype();
        let shape = call.shape("shape", out.shape())?;
        let [min, max] = [("min", low), ("max", high)]
            .map(|(label, number)| call.labelled(label, number, dtype));
        let attrs = [of_type("dtype", dtype), of_type("T", DType::I64)];
        let unit = call.step_named("RandomUniform", "RandomUniform", &[&shape], &attrs, out);
        let of_type = [of_type("T", dtype)];
        let width = call.step_named("sub", "Sub", &[&max, &min], &of_type, out.with_shape([]));
        let scaled = call.step_named("mul", "Mul", &[&unit, &width], &of_type, out);
        call.finish_math("AddV2", &[&scaled, &min], dtype);
        return Ok(());
    }
    let Lowered::Kernel(Lowering::Custom(kernel)) = call.op.lowered(&[], call.outputs)? else {
        return Err(refused(call.op.name(), "it is no kernel"));
    };
    let value = kernel.run(&[])?.remove(0);
    let name = call.name.clone();
    call.writer.constant(name, &value);
    Ok(())
}
