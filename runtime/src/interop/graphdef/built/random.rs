//! Random numbers of a seed: TensorFlow's own for that seed, which are others of the same distribution.
//! Knows no generator.

use crate::error::Result;
use crate::interop::graphdef::call::{Call, of_type};
use crate::types::DType;

/// Evenly spread from the lower bound to the upper.
pub fn uniform(call: &mut Call<'_>) -> Result<()> {
    let (low, high) = (call.attrs.float("low")?, call.attrs.float("high")?);
    drawn(call, "StatelessRandomUniform", high - low, low)
}

/// Normally distributed.
pub fn normal(call: &mut Call<'_>) -> Result<()> {
    let (mean, std) = (call.attrs.float("mean")?, call.attrs.float("std")?);
    drawn(call, "StatelessRandomNormal", std, mean)
}

/// Normally distributed, without what is further off than two standard deviations.
pub fn truncated_normal(call: &mut Call<'_>) -> Result<()> {
    let (mean, std) = (call.attrs.float("mean")?, call.attrs.float("std")?);
    drawn(call, "StatelessTruncatedNormal", std, mean)
}

fn drawn(call: &mut Call<'_>, op: &str, scale: f64, offset: f64) -> Result<()> {
    let (out, seed) = (call.outputs[0], call.inputs[0].clone());
    let dtype = out.dtype();
    let shape = call.shape("shape", out.shape())?;
    let attrs = [of_type("dtype", dtype), of_type("T", DType::I64), of_type("Tseed", DType::I64)];
    let unit = call.step(op, &[&shape, &seed], &attrs, out);
    let [scale, offset] = [scale, offset].map(|number| call.number(number, dtype));
    let scaled = call.math("Mul", &[&unit, &scale], dtype, out);
    call.finish_math("AddV2", &[&scaled, &offset], dtype);
    Ok(())
}
