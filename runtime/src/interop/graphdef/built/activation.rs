//! Activations that TensorFlow has as functions of Python only. Knows their formulas.

use crate::error::Result;
use crate::interop::graphdef::call::Call;
use crate::interop::graphdef::messages::AttrValue;
use crate::types::DType;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

/// The op, whose slope is a float32; for float64 the choice that it is.
pub fn leaky_relu(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let alpha = call.attrs.float("alpha")?;
    if dtype == DType::F32 {
        let alpha = ("alpha", AttrValue::Float(alpha as f32));
        call.finish("LeakyRelu", &[&x], &[super::super::call::of_type("T", dtype), alpha]);
        return Ok(());
    }
    let [zero, slope] = [0.0, alpha].map(|number| call.number(number, dtype));
    let is_above = call.math("Greater", &[&x, &zero], dtype, out.with_dtype(DType::Bool));
    let below = call.math("Mul", &[&x, &slope], dtype, out);
    call.finish_math("SelectV2", &[&is_above, &x, &below], dtype);
    Ok(())
}

/// `x / 2 * (1 + erf(x / sqrt(2)))`.
pub fn gelu(call: &mut Call<'_>) -> Result<()> {
    let scaled = times(call, None, FRAC_1_SQRT_2);
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    let erf = call.math("Erf", &[&scaled], dtype, out);
    let one = call.number(1.0, dtype);
    let above = call.math("AddV2", &[&erf, &one], dtype, out);
    let gate = times(call, Some(&above), 0.5);
    gated(call, &gate);
    Ok(())
}

/// `x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3))`.
pub fn gelu_tanh(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let square = call.math("Square", &[&x], dtype, out);
    let cube = call.math("Mul", &[&square, &x], dtype, out);
    let bent = times(call, Some(&cube), 0.044715);
    let inner = call.math("AddV2", &[&x, &bent], dtype, out);
    let scaled = times(call, Some(&inner), 2.0 * FRAC_2_PI.sqrt());
    let gate = call.math("Sigmoid", &[&scaled], dtype, out);
    gated(call, &gate);
    Ok(())
}

/// `x * sigmoid(x)`.
pub fn silu(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let gate = call.math("Sigmoid", &[&x], dtype, out);
    gated(call, &gate);
    Ok(())
}

/// `relu6(x + 3) / 6`.
pub fn hard_sigmoid(call: &mut Call<'_>) -> Result<()> {
    let clipped = clipped(call);
    let (dtype, six) = (call.dtype(0), call.number(6.0, call.dtype(0)));
    call.finish_math("RealDiv", &[&clipped, &six], dtype);
    Ok(())
}

/// `x * relu6(x + 3) / 6`.
pub fn hard_swish(call: &mut Call<'_>) -> Result<()> {
    let clipped = clipped(call);
    let (dtype, six) = (call.dtype(0), call.number(6.0, call.dtype(0)));
    let gate = call.math("RealDiv", &[&clipped, &six], dtype, call.outputs[0]);
    gated(call, &gate);
    Ok(())
}

fn clipped(call: &mut Call<'_>) -> String {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let three = call.number(3.0, dtype);
    let moved = call.math("AddV2", &[&x, &three], dtype, out);
    call.math("Relu6", &[&moved], dtype, out)
}

/// A value, or the input, times a number.
fn times(call: &mut Call<'_>, value: Option<&str>, factor: f64) -> String {
    let value = value.map_or_else(|| call.inputs[0].clone(), str::to_string);
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    let factor = call.number(factor, dtype);
    call.math("Mul", &[&value, &factor], dtype, out)
}

/// The input times its gate; where the gate is shut, 0 also of an infinite input.
fn gated(call: &mut Call<'_>, gate: &str) {
    let x = call.inputs[0].clone();
    call.finish_math("MulNoNan", &[&x, gate], call.dtype(0));
}
