//! Mistakes that fusing and placing could make, each made on purpose. Knows tasks and homes, and no pass.

use crate::graph::{Graph, Ref};
use crate::kernels::bytes;
use crate::plan::fuse::Fused;
use crate::plan::memory::{Home, Homes};
use crate::plan::task::{Task, Viewed, Work};
use crate::types::DType;
use crate::value::Layout;
use std::collections::HashMap;

/// Reads a transposed view as if it were in row-major order.
pub fn ignores_strides(graph: &Graph, fused: &mut Fused) {
    for input in views(fused) {
        let is_whole = graph.spec(input.source).len() == input.layout.spec.len();
        if is_whole && input.layout.strides.iter().all(|it| *it > 0) {
            input.layout = Layout::row_major(input.layout.spec);
        }
    }
}

/// Reads a slice from its source's first element on.
pub fn ignores_offsets(_: &Graph, fused: &mut Fused) {
    let ascending = |it: &&mut Viewed| it.layout.strides.iter().all(|stride| *stride >= 0);
    views(fused).filter(ascending).for_each(|input| input.offset = 0);
}

/// Reads a reversed view from its other end.
pub fn mirrors_reversed_views(_: &Graph, fused: &mut Fused) {
    for input in views(fused) {
        let Layout { spec, strides } = &mut input.layout;
        for (size, stride) in spec.sizes().iter().zip(strides).filter(|it| *it.1 < 0) {
            let last = *stride * (size.saturating_sub(1)).cast_signed();
            input.offset += last * spec.dtype().size().cast_signed();
            *stride = -*stride;
        }
    }
}

fn views(fused: &mut Fused) -> impl Iterator<Item = &mut Viewed> {
    fused.tasks.iter_mut().flat_map(|task| task.inputs.iter_mut())
}

/// Runs a task before the one that makes what it reads. (No truth values: the bytes read are anything at all.)
pub fn swaps_tasks(graph: &Graph, fused: &mut Fused) {
    let depends = |pair: &[Task]| {
        let is_read = |made: &Ref| pair[1].inputs.iter().any(|it| it.source == *made);
        let made = &pair[0].outputs;
        made.iter().any(is_read) && made.iter().all(|it| graph.dtype(*it) != DType::Bool)
    };
    if let Some(at) = fused.tasks.windows(2).position(depends) {
        fused.tasks.swap(at, at + 1);
    }
}

/// Gives two results of a cluster each other's names.
pub fn swaps_results_of_clusters(graph: &Graph, fused: &mut Fused) {
    for task in fused.tasks.iter_mut().filter(|task| task.outputs.len() > 1) {
        if graph.spec(task.outputs[0]) == graph.spec(task.outputs[1]) {
            task.outputs.swap(0, 1);
        }
    }
}

/// Prunes what nobody reads, though it can fail.
pub fn prunes_what_can_fail(graph: &Graph, fused: &mut Fused) {
    let read: Vec<Ref> = fused.tasks.iter().flat_map(|it| &it.inputs).map(|it| it.source).collect();
    let is_needed = |value: &Ref| read.contains(value) || graph.results().any(|it| it == *value);
    fused.tasks.retain(|task| task.outputs.iter().any(is_needed));
}

/// Puts a value where another one is that is still to be read.
pub fn shares_bytes_of_the_living(graph: &Graph, fused: &Fused, homes: &mut Homes) {
    let in_arena = |homes: &Homes, value: &Ref| matches!(homes.homes[value], Home::Arena(_));
    let made: Vec<(usize, Ref)> = outputs(fused).filter(|it| in_arena(homes, &it.1)).collect();
    let last_use = last_uses(fused);
    for (at, first) in &made {
        let is_living = |later: usize| last_use.get(first).is_some_and(|last| *last > later);
        let fits = |it: &Ref| bytes(graph.spec(*it)) <= bytes(graph.spec(*first));
        if let Some((_, second)) =
            made.iter().find(|it| it.0 > *at && is_living(it.0) && fits(&it.1))
        {
            homes.homes.insert(*second, homes.homes[first]);
            return;
        }
    }
}

/// Gives two results one home.
pub fn shares_bytes_of_results(graph: &Graph, _: &Fused, homes: &mut Homes) {
    let is_result = |it: &Home| matches!(it, Home::Output(_));
    let mut results: Vec<Ref> =
        homes.homes.iter().filter(|it| is_result(it.1)).map(|it| *it.0).collect();
    results.sort();
    for pair in results.windows(2).filter(|it| graph.spec(it[0]) == graph.spec(it[1])) {
        homes.homes.insert(pair[1], homes.homes[&pair[0]]);
    }
}

/// Writes a variable's next value over the present one, which is read later.
pub fn overwrites_what_is_read_later(graph: &Graph, fused: &Fused, homes: &mut Homes) {
    overwrite(graph, fused, homes, |_| true);
}

/// Writes a variable's next value over the present one before something that can fail.
pub fn overwrites_before_a_failure(graph: &Graph, fused: &Fused, homes: &mut Homes) {
    // Kernels of the user's are lent the variables, and find out in their own way.
    let is_own = |task: &Task| !matches!(task.work, Work::Custom(_));
    if fused.tasks.iter().all(is_own) {
        overwrite(graph, fused, homes, |later| later.failing.is_some());
    }
}

/// Claims variables to be written in place that an element-wise task makes and that some `later` task forbids.
fn overwrite(graph: &Graph, fused: &Fused, homes: &mut Homes, forbids: fn(&Task) -> bool) {
    for (slot, value) in &graph.finals {
        let Some((at, _)) = outputs(fused).find(|it| it.1 == *value) else { continue };
        let is_lanes = matches!(fused.tasks[at].work, Work::Lanes(_));
        let is_state = homes.homes[value] == Home::State(*slot);
        if is_lanes && is_state && fused.tasks[at + 1..].iter().any(forbids) {
            homes.in_place.push(*slot);
        }
    }
}

fn outputs(fused: &Fused) -> impl Iterator<Item = (usize, Ref)> + '_ {
    let tasks = fused.tasks.iter().enumerate();
    tasks.flat_map(|(at, task)| task.outputs.iter().map(move |it| (at, *it)))
}

fn last_uses(fused: &Fused) -> HashMap<Ref, usize> {
    let tasks = fused.tasks.iter().enumerate();
    tasks.flat_map(|(at, task)| task.inputs.iter().map(move |it| (it.source, at))).collect()
}
