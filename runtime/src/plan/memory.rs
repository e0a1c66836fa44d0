//! Where each stored value of a plan is: in the arena, in an output, or in a variable's next value.
//! Knows tasks and when their values die, and no kernels.

use super::fuse::Fused;
use super::task::{Cluster, Task, Work};
use crate::graph::{Graph, Ref, SlotId};
use crate::kernels::bytes;
use crate::kernels::lanes::{Instr, Reg};
use std::collections::HashMap;

/// Values in the arena begin at multiples of this many bytes.
const ALIGN: usize = 64;

/// Where a stored value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Home {
    /// In the arena, at this many bytes.
    Arena(usize),
    /// It is the result of this number.
    Output(usize),
    /// It is the next value of this variable.
    State(SlotId),
}

/// Where all stored values are.
pub struct Homes {
    /// Of each value that a task makes.
    pub homes: HashMap<Ref, Home>,
    /// The bytes of the arena.
    pub arena: usize,
    /// Variables whose next value may be written over the present one.
    pub in_place: Vec<SlotId>,
}

/// Gives every value that a task makes a home.
pub fn place(graph: &Graph, fused: &Fused) -> Homes {
    let mut homes: HashMap<Ref, Home> = HashMap::new();
    let made: HashMap<Ref, usize> = fused
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(at, task)| task.outputs.iter().map(move |it| (*it, at)))
        .collect();
    for (slot, value) in graph.finals.iter().filter(|it| made.contains_key(&it.1)) {
        homes.entry(*value).or_insert(Home::State(*slot));
    }
    for (at, output) in graph.outputs.iter().enumerate().filter(|it| made.contains_key(&it.1.value))
    {
        homes.entry(output.value).or_insert(Home::Output(at));
    }
    let arena = fill_arena(graph, &fused.tasks, &mut homes);
    // A closure of the user's may keep the variables that it reads: their bytes are not written then.
    let has_custom = fused.tasks.iter().any(|task| matches!(task.work, Work::Custom(_)));
    let in_place = graph.finals.iter().filter(|it| homes.get(&it.1) == Some(&Home::State(it.0)));
    let in_place = in_place
        .filter(|(slot, value)| {
            !has_custom && can_overwrite(graph, fused, *slot, *value, made[value])
        })
        .map(|it| it.0)
        .collect();
    Homes { homes, arena, in_place }
}

/// Places the values that are neither results nor states; bytes of values that have died are used again.
fn fill_arena(graph: &Graph, tasks: &[Task], homes: &mut HashMap<Ref, Home>) -> usize {
    let mut last_use: HashMap<Ref, usize> = HashMap::new();
    for (at, task) in tasks.iter().enumerate() {
        last_use.extend(task.inputs.iter().map(|input| (input.source, at)));
    }
    let mut dying: Vec<Vec<(usize, usize)>> = vec![Vec::new(); tasks.len()];
    let mut free = Free::default();
    for (at, task) in tasks.iter().enumerate() {
        for output in
            task.outputs.iter().filter(|it| !homes.contains_key(it)).copied().collect::<Vec<_>>()
        {
            let size = bytes(graph.spec(output)).next_multiple_of(ALIGN).max(ALIGN);
            let start = free.take(size);
            dying[last_use.get(&output).copied().unwrap_or(at)].push((start, size));
            homes.insert(output, Home::Arena(start));
        }
        dying[at].iter().for_each(|(start, size)| free.give(*start, *size));
    }
    free.end
}

/// Bytes of the arena that nobody uses: where they begin and how many, in order, not touching each other.
#[derive(Default)]
struct Free {
    gaps: Vec<(usize, usize)>,
    end: usize,
}

impl Free {
    /// The smallest gap that is large enough, or new bytes at the end.
    fn take(&mut self, size: usize) -> usize {
        let fitting = self.gaps.iter().enumerate().filter(|(_, gap)| gap.1 >= size);
        if let Some((at, (start, room))) =
            fitting.map(|(at, gap)| (at, *gap)).min_by_key(|(_, gap)| gap.1)
        {
            if room == size {
                self.gaps.remove(at);
            } else {
                self.gaps[at] = (start + size, room - size);
            }
            return start;
        }
        let start = self.end;
        self.end += size;
        start
    }

    fn give(&mut self, start: usize, size: usize) {
        let at = self.gaps.partition_point(|gap| gap.0 < start);
        self.gaps.insert(at, (start, size));
        if at + 1 < self.gaps.len() && start + size == self.gaps[at + 1].0 {
            self.gaps[at].1 += self.gaps.remove(at + 1).1;
        }
        if at > 0 && self.gaps[at - 1].0 + self.gaps[at - 1].1 == start {
            self.gaps[at - 1].1 += self.gaps.remove(at).1;
        }
    }
}

/// Whether the next value of a variable may be written over the present one: it is made element by element from the
/// same elements at most, nobody reads the present one later, and nothing that may fail comes later.
fn can_overwrite(graph: &Graph, fused: &Fused, slot: SlotId, value: Ref, made: usize) -> bool {
    let present = Ref::Variable(slot);
    let is_result = graph.results().any(|it| it == present)
        || graph.results().filter(|it| *it == value).count() > 1;
    let reads_later = fused.tasks[made + 1..].iter().any(|task| {
        task.failing.is_some() || task.inputs.iter().any(|input| input.source == present)
    });
    let task = &fused.tasks[made];
    let Work::Lanes(cluster) = &task.work else { return false };
    let aligned = task.inputs.iter().filter(|input| input.source == present).all(|input| {
        input.is_whole(graph) && input.layout.spec.shape() == graph.spec(value).shape()
    });
    task.failing.is_none()
        && aligned
        && !is_result
        && !reads_later
        && is_written_last(task, cluster, present, value)
}

/// Whether no instruction reads the present value after the one that makes the next.
fn is_written_last(task: &Task, cluster: &Cluster, present: Ref, value: Ref) -> bool {
    let program = &cluster.program;
    let is_present = |reg: &Reg| match program.instrs()[reg.0 as usize].0 {
        Instr::Input(at) => task.inputs[at as usize].source == present,
        _ => false,
    };
    let made = cluster.values[&value].0 as usize;
    program.instrs()[made + 1..].iter().all(|(instr, _)| !instr.operands().iter().any(is_present))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_used_again_and_gaps_grow_together() {
        let mut free = Free::default();
        let [a, b, c] = [64, 128, 64].map(|size| free.take(size));
        assert_eq!((a, b, c, free.end), (0, 64, 192, 256));
        free.give(a, 64);
        free.give(c, 64);
        free.give(b, 128);
        assert_eq!(free.gaps, [(0, 256)]);
        assert_eq!((free.take(256), free.take(64)), (0, 256));
    }

    #[test]
    fn the_smallest_gap_that_fits_is_taken() {
        let mut free = Free { gaps: vec![(0, 256), (512, 64)], end: 1024 };
        assert_eq!(free.take(64), 512);
        assert_eq!(free.take(64), 0);
        assert_eq!(free.gaps, [(64, 192)]);
    }
}
