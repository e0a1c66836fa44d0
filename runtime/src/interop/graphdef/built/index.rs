//! Elements picked and put by indices, as the coordinates that TensorFlow's ops take. Knows no element types.

use crate::error::Result;
use crate::interop::graphdef::call::{Call, of_type};
use crate::interop::graphdef::messages::AttrValue;
use crate::interop::graphdef::row::refused;
use crate::types::{DType, Dim, Shape, Spec};
use crate::value::Value;

/// A window that begins at given places.
pub fn slice(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let starts = call.cast(&call.inputs[1].clone(), call.specs[1], DType::I64);
    let sizes = call.shape("size", call.outputs[0].shape())?;
    let attrs = [of_type("T", dtype), of_type("Index", DType::I64)];
    call.finish("Slice", &[&x, &starts, &sizes], &attrs);
    Ok(())
}

/// A window written over.
pub fn update_slice(call: &mut Call<'_>) -> Result<()> {
    let (x, update, dtype) = (call.inputs[0].clone(), call.inputs[2].clone(), call.dtype(0));
    let rank = call.specs[0].rank();
    let ends = Spec::new(DType::I64, [rank]);
    let begin = call.cast(&call.inputs[1].clone(), call.specs[1], DType::I64);
    let sizes = call.shape_like(2)?;
    let end = call.math("AddV2", &[&begin, &sizes], DType::I64, ends);
    let strides = call.constant("strides", &vec![1i64; rank].into());
    let attrs = [of_type("T", dtype), of_type("Index", DType::I64)];
    call.finish("TensorStridedSliceUpdate", &[&x, &begin, &end, &strides, &update], &attrs);
    Ok(())
}

/// Elements along an axis, each at its own other coordinates.
pub fn take_along(call: &mut Call<'_>) -> Result<()> {
    let (x, dtype) = (call.inputs[0].clone(), call.dtype(0));
    let places = coordinates(call)?;
    let attrs = [of_type("Tparams", dtype), of_type("Tindices", DType::I64)];
    call.finish("GatherNd", &[&x, &places], &attrs);
    Ok(())
}

/// Elements put along an axis, each at its own other coordinates.
pub fn scatter_along(call: &mut Call<'_>) -> Result<()> {
    let (x, updates, dtype) = (call.inputs[0].clone(), call.inputs[2].clone(), call.dtype(0));
    let places = coordinates(call)?;
    let attrs = [of_type("T", dtype), of_type("Tindices", DType::I64)];
    call.finish(target(call), &[&x, &places, &updates], &attrs);
    Ok(())
}

fn target(call: &Call<'_>) -> &'static str {
    if call.op.name().contains("Add") { "TensorScatterAdd" } else { "TensorScatterUpdate" }
}

/// All coordinates of each element, along a new last axis.
fn coordinates(call: &mut Call<'_>) -> Result<String> {
    let axis = call.attrs.int("axis")? as usize;
    let (indices, spec) = (call.inputs[1].clone(), call.specs[1]);
    let rank = spec.rank();
    let mut places = Vec::new();
    for at in 0..rank {
        places.push(if at == axis {
            call.cast(&indices, spec, DType::I64)
        } else {
            call.counts(spec.shape(), at)?
        });
    }
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let attrs = [
        of_type("T", DType::I64),
        ("N", AttrValue::Int(rank.cast_signed() as i64)),
        ("axis", AttrValue::Int(-1)),
    ];
    let dims = spec.shape().dims().iter().cloned().chain([Dim::Known(rank)]);
    Ok(call.step("Pack", &places, &attrs, Spec::new(DType::I64, Shape::new(dims))))
}

/// Elements or slices put at points.
pub fn scatter_points(call: &mut Call<'_>) -> Result<()> {
    let [table, points, updates] = [0, 1, 2].map(|at| (call.inputs[at].clone(), call.specs[at]));
    if points.1.shape().dims().last().is_some_and(|count| *count == 0) {
        return Err(refused(call.op.name(), "it takes no points without coordinates"));
    }
    let attrs = [of_type("T", table.1.dtype()), of_type("Tindices", points.1.dtype())];
    let [places, updates] = listed(call, points, updates)?;
    call.finish(target(call), &[&table.0, &places, &updates], &attrs);
    Ok(())
}

/// Points and what is put there as lists: TensorFlow takes no point alone.
fn listed(
    call: &mut Call<'_>,
    (points, of_points): (String, Spec),
    (updates, of_updates): (String, Spec),
) -> Result<[String; 2]> {
    if of_points.rank() > 1 {
        return Ok([points, updates]);
    }
    let in_list = |spec: Spec| {
        Shape::new([Dim::Known(1)].into_iter().chain(spec.shape().dims().iter().cloned()))
    };
    Ok([
        call.reshape(&points, of_points.dtype(), &in_list(of_points))?,
        call.reshape(&updates, of_updates.dtype(), &in_list(of_updates))?,
    ])
}

/// Slices put along an axis, which becomes the first for TensorFlow.
pub fn scatter(call: &mut Call<'_>) -> Result<()> {
    let axis = call.attrs.int("axis")? as usize;
    let [table, indices, updates] = [0, 1, 2].map(|at| (call.inputs[at].clone(), call.specs[at]));
    let last = call.int("dim", indices.1.rank())?;
    let points = indices.1.shape().dims().iter().cloned().chain([Dim::Known(1)]);
    let points: Vec<Dim> = points.collect();
    let places = call.step(
        "ExpandDims",
        &[&indices.0, &last],
        &[of_type("T", indices.1.dtype()), of_type("Tdim", DType::I32)],
        indices.1.with_shape(Shape::new(points.clone())),
    );
    let (dtype, op) = (call.dtype(0), target(call));
    let attrs = [of_type("T", dtype), of_type("Tindices", indices.1.dtype())];
    if axis == 0 {
        let points = indices.1.with_shape(Shape::new(points));
        let [places, updates] = listed(call, (places, points), updates)?;
        call.finish(op, &[&table.0, &places, &updates], &attrs);
        return Ok(());
    }
    let (rank, inner) = (table.1.rank(), indices.1.rank());
    let front: Vec<usize> = [axis].into_iter().chain(0..axis).chain(axis + 1..rank).collect();
    let moved: Vec<usize> =
        (axis..axis + inner).chain(0..axis).chain(axis + inner..rank + inner - 1).collect();
    let back: Vec<i64> = (1..=axis).chain([0]).chain(axis + 1..rank).map(|it| it as i64).collect();
    let table = transposed(call, table, &front);
    let updates = transposed(call, updates, &moved);
    let placed = call.step(op, &[&table.0, &places, &updates.0], &attrs, table.1);
    let back = call.constant("perm", &back.into());
    let attrs = [of_type("T", dtype), of_type("Tperm", DType::I64)];
    call.finish("Transpose", &[&placed, &back], &attrs);
    Ok(())
}

fn transposed(
    call: &mut Call<'_>,
    (value, spec): (String, Spec),
    perm: &[usize],
) -> (String, Spec) {
    let dims = perm.iter().map(|axis| spec.shape()[*axis].clone());
    let turned = spec.with_shape(Shape::new(dims));
    let perm: Vec<i64> = perm.iter().map(|it| *it as i64).collect();
    let perm = call.constant("perm", &Value::from(perm));
    let attrs = [of_type("T", spec.dtype()), of_type("Tperm", DType::I64)];
    (call.step("Transpose", &[&value, &perm], &attrs, turned), turned)
}
