//! Elements elsewhere: axes of one, counting, slices, borders. Knows shapes with unknown sizes.

use crate::error::Result;
use crate::interop::graphdef::call::{Call, of_type};
use crate::interop::graphdef::messages::AttrValue;
use crate::interop::graphdef::row::refused;
use crate::kernels::lanes::Scalar;
use crate::types::{DType, Dim, Shape, Spec};
use crate::value::Value;

/// Axes of one element that come or go.
pub fn axes(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let axes = call.attrs.ints("axes")?;
    match (call.op.name(), &axes[..]) {
        (_, []) => call.finish_math("Identity", &[&x], dtype),
        ("Squeeze", _) => {
            let dims = ("squeeze_dims", AttrValue::Ints(axes));
            call.finish("Squeeze", &[&x], &[of_type("T", dtype), dims]);
        }
        (_, [axis]) => {
            let dim = call.int("dim", usize::try_from(*axis).unwrap_or(usize::MAX))?;
            let attrs = [of_type("T", dtype), of_type("Tdim", DType::I32)];
            call.finish("ExpandDims", &[&x, &dim], &attrs);
        }
        _ => {
            let shape = call.shape("shape", call.outputs[0].shape())?;
            let attrs = [of_type("T", dtype), of_type("Tshape", DType::I64)];
            call.finish("Reshape", &[&x, &shape], &attrs);
        }
    }
    Ok(())
}

/// All elements in a row, whatever the shape.
pub fn flatten(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let row = call.constant("shape", &vec![-1i64].into());
    call.finish("Reshape", &[&x, &row], &[of_type("T", dtype), of_type("Tshape", DType::I64)]);
    Ok(())
}

/// The elements in the shape of another value, of which nothing may be known.
pub fn reshape_like(call: &mut Call<'_>) -> Result<()> {
    let [x, like] = [0, 1].map(|at| call.inputs[at].clone());
    let attrs = [of_type("T", call.dtype(1)), of_type("out_type", DType::I64)];
    // Of this node's outputs none is a shape: the number of axes is not told.
    let shape = call.step_of_many("Shape", &[&like], &attrs, &[]);
    let attrs = [of_type("T", call.dtype(0)), of_type("Tshape", DType::I64)];
    call.finish("Reshape", &[&x, &shape], &attrs);
    Ok(())
}

/// Counts along an axis.
pub fn iota(call: &mut Call<'_>) -> Result<()> {
    let axis = usize::try_from(call.attrs.int("axis")?).unwrap_or(usize::MAX);
    let counts = call.counts(call.outputs[0].shape(), axis)?;
    let attrs = [of_type("SrcT", DType::I64), of_type("DstT", call.outputs[0].dtype())];
    call.finish("Cast", &[&counts], &attrs);
    Ok(())
}

/// The number of elements along some axes.
pub fn size(call: &mut Call<'_>) -> Result<()> {
    let scalar = Spec::scalar(DType::I64);
    let mut count = call.constant("Const", &Value::scalar(1i64));
    for axis in call.attrs.ints("axes")? {
        let size = call.size(&call.specs[0].shape()[axis as usize])?;
        count = call.math("Mul", &[&count, &size], DType::I64, scalar);
    }
    let attrs = [of_type("SrcT", DType::I64), of_type("DstT", call.outputs[0].dtype())];
    call.finish("Cast", &[&count], &attrs);
    Ok(())
}

/// One of the parts that TensorFlow makes all at once.
pub fn split_part(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let (axis, parts) = (call.attrs.int("axis")?, call.attrs.int("num_split")?);
    let axis = call.int("split_dim", usize::try_from(axis).unwrap_or(usize::MAX))?;
    let attrs = [of_type("T", dtype), ("num_split", AttrValue::Int(parts))];
    let outputs = vec![call.outputs[0]; usize::try_from(parts).unwrap_or(0)];
    let split = call.step_of_many("Split", &[&axis, &x], &attrs, &outputs);
    let part = match call.attrs.int("part")? {
        0 => split,
        part => format!("{split}:{part}"),
    };
    call.finish_math("Identity", &[&part], dtype);
    Ok(())
}

/// The part of a whole that came from one of those that it was joined of.
pub fn concat_part(call: &mut Call<'_>) -> Result<()> {
    let (axis, part) = (call.attrs.int("axis")? as usize, call.attrs.int("part")? as usize);
    let before = call.specs[1..=part].iter().map(|spec| &spec.shape()[axis]);
    let start = before
        .fold(Dim::Known(0), |sum, size| sum.plus(size).expect("a sum of sizes is not negative"));
    let mut begin = vec![Dim::Known(0); call.specs[0].rank()];
    begin[axis] = start;
    let begin = call.shape("begin", &Shape::new(begin))?;
    let size = call.shape("size", call.outputs[0].shape())?;
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let attrs = [of_type("T", dtype), of_type("Index", DType::I64)];
    call.finish("Slice", &[&x, &begin, &size], &attrs);
    Ok(())
}

/// A part by ranges and indices.
pub fn strided_slice(call: &mut Call<'_>) -> Result<()> {
    let x = call.inputs[0].clone();
    let ends = ends(call)?;
    let attrs = slice_attrs(call)?;
    call.finish("StridedSlice", &[&x, &ends[0], &ends[1], &ends[2]], &attrs);
    Ok(())
}

/// A part put back among zeros.
pub fn strided_slice_grad(call: &mut Call<'_>) -> Result<()> {
    let part = call.inputs[0].clone();
    let shape = call.shape_like(1)?;
    let ends = ends(call)?;
    let attrs = slice_attrs(call)?;
    call.finish("StridedSliceGrad", &[&shape, &ends[0], &ends[1], &ends[2], &part], &attrs);
    Ok(())
}

fn ends(call: &mut Call<'_>) -> Result<[String; 3]> {
    let mut one = |label: &str| -> Result<String> {
        let numbers = call.attrs.ints(label)?;
        Ok(call.constant(label, &numbers.into()))
    };
    Ok([one("begin")?, one("end")?, one("strides")?])
}

fn slice_attrs(call: &Call<'_>) -> Result<[(&'static str, AttrValue); 5]> {
    let mask = |name| Ok((name, AttrValue::Int(call.attrs.int(name)?)));
    Ok([
        of_type("T", call.dtype(0)),
        of_type("Index", DType::I64),
        mask("begin_mask")?,
        mask("end_mask")?,
        mask("shrink_axis_mask")?,
    ])
}

/// A border of a number.
pub fn pad(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, widths) = (call.inputs[0].clone(), call.dtype(0), widths(call)?);
    let number = match call.attrs.scalar("constant")? {
        Scalar::F32(it) => Value::scalar(it),
        Scalar::F64(it) => Value::scalar(it),
        Scalar::I32(it) => Value::scalar(it),
        Scalar::I64(it) => Value::scalar(it),
        Scalar::U8(it) => Value::scalar(it),
        Scalar::Bool(it) => Value::scalar(it),
    };
    let number = call.constant("constant_values", &number);
    let attrs = [of_type("T", dtype), of_type("Tpaddings", DType::I64)];
    call.finish("PadV2", &[&x, &widths, &number], &attrs);
    Ok(())
}

/// A mirrored border.
pub fn mirror_pad(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype, widths) = (call.inputs[0].clone(), call.dtype(0), widths(call)?);
    let mode = ("mode", AttrValue::Text(call.attrs.text("mode")?));
    let attrs = [of_type("T", dtype), of_type("Tpaddings", DType::I64), mode];
    call.finish("MirrorPad", &[&x, &widths], &attrs);
    Ok(())
}

fn widths(call: &mut Call<'_>) -> Result<String> {
    let widths = call.attrs.ints("paddings")?;
    let pairs = widths.len() / 2;
    Ok(call.constant("paddings", &Value::from_vec([pairs, 2], widths)))
}

/// A border of the elements at the edge: picked by index, for TensorFlow has no such border.
pub fn edge_pad(call: &mut Call<'_>) -> Result<()> {
    let (mut x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let mut dims = call.specs[0].shape().dims().to_vec();
    let widths = call.attrs.ints("paddings")?;
    for (axis, width) in widths.chunks(2).enumerate() {
        let Some(size) = dims[axis].known() else {
            return Err(refused("EdgePad", "its indices need the sizes of the tensor"));
        };
        let end = size.cast_signed() as i64;
        let places: Vec<i64> = (-width[0]..end + width[1]).map(|at| at.clamp(0, end - 1)).collect();
        dims[axis] = Dim::Known(places.len());
        let places = call.constant("indices", &places.into());
        let axis = call.int("axis", axis)?;
        let attrs = [
            of_type("Tparams", dtype),
            of_type("Tindices", DType::I64),
            of_type("Taxis", DType::I32),
        ];
        let spec = Spec::new(dtype, Shape::new(dims.clone()));
        x = call.step("GatherV2", &[&x, &places, &axis], &attrs, spec);
    }
    call.finish_math("Identity", &[&x], dtype);
    Ok(())
}

/// A one for each index.
pub fn one_hot(call: &mut Call<'_>) -> Result<()> {
    let (indices, dtype) = (call.inputs[0].clone(), call.outputs[0].dtype());
    let depth = usize::try_from(call.attrs.int("depth")?).unwrap_or(usize::MAX);
    let depth = call.int("depth", depth)?;
    let [on, off] = [1.0, 0.0].map(|number| call.number(number, dtype));
    let attrs = [of_type("T", dtype), of_type("TI", call.dtype(0)), ("axis", AttrValue::Int(-1))];
    call.finish("OneHot", &[&indices, &depth, &on, &off], &attrs);
    Ok(())
}
