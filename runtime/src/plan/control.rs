//! Branches and loops: each region is a plan of its own. Knows how they are run, and not what is in them.

use super::Plan;
use crate::error::Result;
use crate::graph::{Node, NodeKind};
use crate::kernels::Kernel;
use crate::value::Value;
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// What runs a node with regions; nothing for another.
///
/// # Errors
/// If a region cannot be planned.
pub(super) fn control(node: &Node) -> Result<Option<Arc<dyn Kernel>>> {
    Ok(match &node.kind {
        NodeKind::If(arms) => {
            Some(Arc::new(Branch { arms: [Plan::new(&arms[0])?, Plan::new(&arms[1])?] }))
        }
        NodeKind::While(it) => Some(Arc::new(Repeat {
            condition: Plan::new(&it.condition)?,
            body: Plan::new(&it.body)?,
            carried: node.outputs.len(),
        })),
        _ => None,
    })
}

/// One of two plans, by the first input.
struct Branch {
    arms: [Plan; 2],
}

/// A plan as long as another gives `true`.
struct Repeat {
    condition: Plan,
    body: Plan,
    carried: usize,
}

impl Kernel for Branch {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let arm = &self.arms[usize::from(!inputs[0].item::<bool>()?)];
        let given: SmallVec<[&Value; 8]> = inputs[1..].iter().collect();
        let mut outputs = SmallVec::new();
        arm.run(&given, &[], &mut outputs)?;
        Ok(outputs.into_vec())
    }
}

impl Kernel for Repeat {
    fn run(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let mut carried: SmallVec<[Value; 2]> = inputs[..self.carried].iter().cloned().collect();
        let (mut next, mut again) = (SmallVec::new(), SmallVec::new());
        while self.round(&carried, &inputs[self.carried..], &mut again, &mut next)? {
            // The buffers of the round before are free again for the next.
            std::mem::swap(&mut carried, &mut next);
            next.clear();
        }
        Ok(carried.into_vec())
    }
}

impl Repeat {
    /// One round, if there is another: what it carries on is put into `next`.
    fn round(
        &self,
        carried: &[Value],
        others: &[Value],
        again: &mut SmallVec<[Value; 2]>,
        next: &mut SmallVec<[Value; 2]>,
    ) -> Result<bool> {
        let given: SmallVec<[&Value; 8]> = carried.iter().chain(others).collect();
        again.clear();
        self.condition.run(&given, &[], again)?;
        if !again[0].item::<bool>()? {
            return Ok(false);
        }
        self.body.run(&given, &[], next)?;
        Ok(true)
    }
}

impl fmt::Debug for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("branch")
    }
}

impl fmt::Debug for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("loop")
    }
}
