//! Arithmetic that TensorFlow has for fewer element types, or defines otherwise. Knows no shapes.

use crate::error::Result;
use crate::interop::graphdef::call::{Call, of_type};
use crate::types::{DType, Spec};

/// The op of the same name; where TensorFlow lacks it for bytes, in `int64` and back, which wraps as bytes do.
pub fn arithmetic(call: &mut Call<'_>) -> Result<()> {
    let op = call.op.name();
    let inputs = call.inputs.clone();
    if call.dtype(0) != DType::U8 {
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        call.finish_math(op, &inputs, call.dtype(0));
        return Ok(());
    }
    let wide: Vec<String> =
        (0..inputs.len()).map(|at| call.cast(&inputs[at], call.specs[at], DType::I64)).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let result = call.math(op, &wide, DType::I64, call.outputs[0].with_dtype(DType::I64));
    call.finish("Cast", &[&result], &[of_type("SrcT", DType::I64), of_type("DstT", DType::U8)]);
    Ok(())
}

/// NumPy's quotient: TensorFlow rounds `x / y` down, which is 10 for `1 // 0.1`, where 0.1 is more than a tenth.
pub fn floor_div(call: &mut Call<'_>) -> Result<()> {
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    if !dtype.is_float() {
        return arithmetic(call);
    }
    let [x, y] = [0, 1].map(|at| call.inputs[at].clone());
    let rest = call.math("FloorMod", &[&x, &y], dtype, out);
    let exact = call.math("Sub", &[&x, &rest], dtype, out);
    let quotient = call.math("RealDiv", &[&exact, &y], dtype, out);
    let whole = call.math("Round", &[&quotient], dtype, out);
    // By zero it is what a division gives.
    let zero = call.number(0.0, dtype);
    let by_zero = call.math("Equal", &[&y, &zero], dtype, call.specs[1].with_dtype(DType::Bool));
    let infinite = call.math("RealDiv", &[&x, &y], dtype, out);
    call.finish_math("SelectV2", &[&by_zero, &infinite, &whole], dtype);
    Ok(())
}

/// Rounded towards 0: up below 0, down above.
pub fn trunc(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let zero = call.number(0.0, dtype);
    let is_below = call.math("Less", &[&x, &zero], dtype, out.with_dtype(DType::Bool));
    let [up, down] = ["Ceil", "Floor"].map(|op| call.math(op, &[&x], dtype, out));
    call.finish_math("SelectV2", &[&is_below, &up, &down], dtype);
    Ok(())
}

/// A power of 2.
pub fn exp2(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let two = call.number(2.0, dtype);
    call.finish_math("Pow", &[&two, &x], dtype);
    Ok(())
}

/// The logarithm as a part of that of 2.
pub fn log2(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, out) = (call.inputs[0].clone(), call.dtype(0), call.outputs[0]);
    let log = call.math("Log", &[&x], dtype, out);
    let unit = call.number(std::f64::consts::LN_2, dtype);
    call.finish_math("RealDiv", &[&log, &unit], dtype);
    Ok(())
}

/// 0 where the first is 0: `MulNoNan`, whose second is the one that wins; integers have no NaN.
pub fn times(call: &mut Call<'_>) -> Result<()> {
    if !call.dtype(0).is_float() {
        return product(call);
    }
    let [g, d] = [0, 1].map(|at| call.inputs[at].clone());
    call.finish_math("MulNoNan", &[&d, &g], call.dtype(0));
    Ok(())
}

/// 0 where either is 0.
pub fn times_either(call: &mut Call<'_>) -> Result<()> {
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    if !dtype.is_float() {
        return product(call);
    }
    let [a, b] = [0, 1].map(|at| call.inputs[at].clone());
    let zero = call.number(0.0, dtype);
    let is_zero = call.math("Equal", &[&b, &zero], dtype, call.specs[1].with_dtype(DType::Bool));
    let product = call.math("MulNoNan", &[&b, &a], dtype, out);
    call.finish_math("SelectV2", &[&is_zero, &zero, &product], dtype);
    Ok(())
}

fn product(call: &mut Call<'_>) -> Result<()> {
    let [a, b] = [0, 1].map(|at| call.inputs[at].clone());
    call.finish_math("Mul", &[&a, &b], call.dtype(0));
    Ok(())
}

/// At least the lower bound, then at most the upper; TensorFlow's own op takes no bounds that broadcast.
pub fn clamp(call: &mut Call<'_>) -> Result<()> {
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    let wide = if dtype == DType::U8 { DType::I64 } else { dtype };
    let inputs = [0, 1, 2].map(|at| (call.inputs[at].clone(), call.specs[at]));
    let [x, low, high] = inputs.map(|(name, spec): (String, Spec)| call.cast(&name, spec, wide));
    let above = call.math("Maximum", &[&x, &low], wide, out.with_dtype(wide));
    if wide == dtype {
        call.finish_math("Minimum", &[&above, &high], dtype);
    } else {
        let within = call.math("Minimum", &[&above, &high], wide, out.with_dtype(wide));
        call.finish("Cast", &[&within], &[of_type("SrcT", wide), of_type("DstT", dtype)]);
    }
    Ok(())
}
