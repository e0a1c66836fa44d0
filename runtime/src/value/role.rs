//! What a variable may be beside a place for a value: one of a graph, one that another keeps, one that stands for a
//! gradient. Knows neither graphs nor gradients.

use super::{Value, Variable};
use crate::types::Spec;
use std::any::Any;

impl Variable {
    /// A variable of a graph, which has a value in each of its sessions and none of its own.
    #[track_caller]
    pub(crate) fn of_graph(name: &str, spec: Spec, graph: u64) -> Variable {
        let mut variable = Variable::made(name, Some(spec), None);
        variable.just_made().home = Some(graph);
        variable
    }

    /// What has a variable's place in a tree, and stands for something else; its value, if there is one already.
    #[track_caller]
    pub(crate) fn standing_for(
        name: &str,
        spec: Spec,
        value: Option<Value>,
        what: Box<dyn Any + Send + Sync>,
    ) -> Variable {
        let mut variable = Variable::made(name, Some(spec), value.map(|it| it.to_row_major()));
        variable.just_made().stands_for = Some(what);
        variable.untrainable()
    }

    /// One that another variable keeps; without a value until it is built.
    #[track_caller]
    pub(super) fn kept_by_another(name: &str) -> Variable {
        let mut variable = Variable::made(name, None, None);
        variable.just_made().is_kept = true;
        variable.untrainable()
    }

    /// Whether another variable keeps it: it is reached through that one.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_kept
    }

    /// The graph that it belongs to, by its number.
    #[inline]
    pub(crate) fn home(&self) -> Option<u64> {
        self.0.home
    }

    /// Whether it is what an optimiser remembers: kept for another variable, or the keeper of such.
    pub(crate) fn is_remembered(&self) -> bool {
        self.0.is_kept || self.0.is_keeper
    }

    /// The same variable, which keeps others.
    pub(crate) fn keeper(mut self) -> Variable {
        self.just_made().is_keeper = true;
        self
    }

    /// What it stands for, if it is no variable of the user's.
    pub(crate) fn stands_for(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.0.stands_for.as_deref()
    }
}
