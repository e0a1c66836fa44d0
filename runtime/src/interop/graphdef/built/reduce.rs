//! Reductions whose result has another type or shape in TensorFlow. Knows axes.

use crate::error::Result;
use crate::interop::graphdef::call::{Call, of_type};
use crate::interop::graphdef::messages::AttrValue;
use crate::interop::graphdef::row::refused;
use crate::types::{DType, Spec};

/// A sum in the type of the result: truth values and bytes are summed as `int64`.
pub fn sum(call: &mut Call<'_>) -> Result<()> {
    let dtype = call.outputs[0].dtype();
    let x = call.cast(&call.inputs[0].clone(), call.specs[0], dtype);
    let axes = call.attrs.ints("axis")?;
    let axes = call.ints("reduction_indices", &axes)?;
    let keep = ("keep_dims", AttrValue::Bool(call.attrs.bool("keep_dims")?));
    call.finish("Sum", &[&x, &axes], &[of_type("T", dtype), of_type("Tidx", DType::I32), keep]);
    Ok(())
}

/// The place of the largest or smallest: TensorFlow drops the axis, which may have to stay.
pub fn extreme(call: &mut Call<'_>) -> Result<()> {
    let (op, x, out) = (call.op.name(), call.inputs[0].clone(), call.outputs[0]);
    let axis = call.attrs.ints("axis")?[0];
    let dimension = call.int("dimension", usize::try_from(axis).unwrap_or(usize::MAX))?;
    let attrs = [
        of_type("T", call.dtype(0)),
        of_type("Tidx", DType::I32),
        of_type("output_type", DType::I64),
    ];
    if !call.attrs.bool("keep_dims")? {
        call.finish(op, &[&x, &dimension], &attrs);
        return Ok(());
    }
    let dims = out.shape().dims().iter().enumerate().filter(|(at, _)| *at as i64 != axis);
    let dropped = out.with_shape(crate::types::Shape::new(dims.map(|it| it.1.clone())));
    let found = call.step(op, &[&x, &dimension], &attrs, dropped);
    let attrs = [of_type("T", DType::I64), of_type("Tdim", DType::I32)];
    call.finish("ExpandDims", &[&found, &dimension], &attrs);
    Ok(())
}

/// Summed over the axes along which the second broadcasts to the first, and in the shape of the second.
pub fn sum_like(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let [from, to] = [0, 1].map(|at| call.specs[at].shape().dims());
    let new = from.len() - to.len();
    let is_summed = |axis: usize| axis < new || to[axis - new] != from[axis];
    let axes: Vec<i64> = (0..from.len()).filter(|it| is_summed(*it)).map(|it| it as i64).collect();
    let kept = (0..from.len()).filter(|it| !is_summed(*it)).map(|it| from[it].clone());
    let summed = Spec::new(dtype, crate::types::Shape::new(kept));
    let axes = call.ints("reduction_indices", &axes)?;
    let attrs = [of_type("T", dtype), of_type("Tidx", DType::I32)];
    let sum = call.step("Sum", &[&x, &axes], &attrs, summed);
    let shape = call.shape_like(1)?;
    call.finish("Reshape", &[&sum, &shape], &[of_type("T", dtype), of_type("Tshape", DType::I64)]);
    Ok(())
}

/// Up to how many steps a recurrence is written out.
const STEPS: usize = 1024;

/// `h[i] = a[i] * h[i - 1] + b[i]` along an axis, step by step, for TensorFlow has no such op.
pub fn recurrence(call: &mut Call<'_>) -> Result<()> {
    let (dtype, out) = (call.dtype(0), call.outputs[0]);
    let axis = usize::try_from(call.attrs.int("axis")?).unwrap_or(usize::MAX);
    let steps = match out.shape()[axis].known() {
        Some(0) => {
            call.finish_math("Identity", &[&call.inputs[1].clone()], dtype);
            return Ok(());
        }
        Some(steps) if steps <= STEPS => steps,
        _ => {
            let why = format!("its steps are written out, and there are unknown or over {STEPS}");
            return Err(refused(call.op.name(), &why));
        }
    };
    let dims = out.shape().dims().iter().enumerate().filter(|(at, _)| *at != axis);
    let slab = out.with_shape(crate::types::Shape::new(dims.map(|it| it.1.clone())));
    let count = AttrValue::Int(steps.cast_signed() as i64);
    let along = ("axis", AttrValue::Int(axis.cast_signed() as i64));
    let attrs = [of_type("T", dtype), ("num", count.clone()), along.clone()];
    let [a, b] = [0, 1].map(|at| {
        let whole = call.inputs[at].clone();
        call.step_of_many("Unpack", &[&whole], &attrs, &vec![slab; steps])
    });
    let backwards = call.attrs.bool("reverse")?;
    let mut made: Vec<(usize, String)> = Vec::new();
    for step in 0..steps {
        let at = if backwards { steps - 1 - step } else { step };
        let [a, b] =
            [&a, &b].map(|list| if at == 0 { list.clone() } else { format!("{list}:{at}") });
        let value = match made.last() {
            None => b,
            Some((_, before)) => {
                let kept = call.math("Mul", &[&a, before], dtype, slab);
                call.math("AddV2", &[&kept, &b], dtype, slab)
            }
        };
        made.push((at, value));
    }
    made.sort();
    let made: Vec<&str> = made.iter().map(|it| it.1.as_str()).collect();
    call.finish("Pack", &made, &[of_type("T", dtype), ("N", count), along]);
    Ok(())
}
