//! A question for gradients, put in terms of a trace's graph. Knows which sources a tape has seen, and no rules.

use super::recorder::Trace;
use crate::autodiff::{connected, explain};
use crate::error::Result;
use crate::graph::{
    Deferred, DeferredSource, Graph, Node, NodeKind, Origin, Question, Ref, Source, Specs, Style,
    Tensor, Watched,
};
use crate::types::Spec;
use smallvec::SmallVec;

/// A question as a node of the graph.
pub(super) struct Asked {
    pub deferred: Deferred,
    pub inputs: SmallVec<[Ref; 3]>,
    pub outputs: Specs,
}

/// A source to which there may be a path.
struct Found {
    index: usize,
    origin: Origin,
    since: usize,
    spec: Spec,
}

impl Trace {
    /// The node that asks a question, with those of its sources to which a path is known.
    pub(super) fn asked(&self, question: &Question) -> Result<Asked> {
        let targets: Vec<Ref> =
            question.targets.iter().map(|it| self.value_of(it)).collect::<Result<_>>()?;
        let seeds: Vec<Ref> =
            question.seeds.iter().flatten().map(|it| self.value_of(it)).collect::<Result<_>>()?;
        let (from, sources) = self.sources(question)?;
        let number = self.next_question();
        let paths = self.look(|graph| {
            let origins = sources.iter().map(|it| (it.origin, it.since));
            connected(graph, &targets, origins, from)
        });
        let is_there = |found: &Found| !self.is_unconnected(number, found.index);
        let sources: Vec<Found> = sources
            .into_iter()
            .zip(paths)
            .filter(|(found, is_path)| *is_path && is_there(found))
            .map(|(found, _)| found)
            .collect();
        let values = sources.iter().filter_map(|it| match it.origin {
            Origin::Value(value) => Some(value),
            Origin::Slot(_) => None,
        });
        let inputs = targets.iter().copied().chain(seeds).chain(values).collect();
        let deferred = |it: &Found| DeferredSource {
            index: it.index,
            slot: match it.origin {
                Origin::Value(_) => None,
                Origin::Slot(slot) => Some(slot),
            },
            since: it.since,
        };
        Ok(Asked {
            inputs,
            outputs: sources.iter().map(|it| it.spec).collect(),
            deferred: Deferred {
                question: number,
                seeded: question.seeds.iter().map(Option::is_some).collect(),
                sources: sources.iter().map(deferred).collect(),
                from,
                style: if question.tape.is_some() { Style::Tape } else { Style::Gradients },
            },
        })
    }

    /// How far a gradient comes, in words.
    pub(super) fn explained(&self, target: &Tensor, source: &Source) -> Result<String> {
        let name = match source {
            Source::Tensor(tensor) => match tensor.as_symbolic() {
                Some(symbolic) => symbolic.origin.name.trim_end_matches(":0").to_string(),
                None => "a constant".to_string(),
            },
            Source::Variable(variable) => variable.name().to_string(),
        };
        let target = self.value_of(target)?;
        Ok(match self.origin(source)? {
            Some((origin, _)) => self.look(|graph| explain(graph, target, (origin, 0), &name)),
            None => format!("no gradient with respect to `{name}`: the function has not used it"),
        })
    }

    /// Where the program begins to count, and the sources that are floats of this trace and, with a tape, seen by it.
    fn sources(&self, question: &Question) -> Result<(usize, Vec<Found>)> {
        let mut found = Vec::new();
        let mut seen = match &question.tape {
            None => None,
            Some(tape) => Some(self.seen(tape)?),
        };
        for (index, source) in question.sources.iter().enumerate() {
            let Some((origin, spec)) = self.origin(source)? else { continue };
            let since = match &mut seen {
                None => Some(0),
                Some(seen) => self.look(|graph| seen.since(graph, origin)),
            };
            if let (true, Some(since)) = (spec.dtype().is_float(), since) {
                found.push(Found { index, origin, since, spec });
            }
        }
        Ok((seen.map_or(0, |it| it.began), found))
    }

    /// What a source is in the graph; `None` for a constant, and for a variable that was not read.
    fn origin(&self, source: &Source) -> Result<Option<(Origin, Spec)>> {
        Ok(match source {
            Source::Tensor(tensor) if !tensor.is_symbolic() => {
                self.watched(tensor).map(|value| (Origin::Value(value), tensor.spec()))
            }
            Source::Tensor(tensor) => Some((Origin::Value(self.value_of(tensor)?), tensor.spec())),
            Source::Variable(variable) => {
                let slot = self.slot_of(variable);
                slot.zip(variable.spec()).map(|(slot, spec)| (Origin::Slot(slot), spec))
            }
        })
    }

    /// Where a mark stands.
    pub(super) fn place_of(&self, mark: &Tensor) -> Result<usize> {
        match self.value_of(mark)? {
            Ref::Node(id, _) => Ok(id.index()),
            other => unreachable!("a mark is a node, and not {other}"),
        }
    }

    /// What a tape has seen, in terms of the graph.
    fn seen(&self, tape: &Watched) -> Result<Seen> {
        let began = self.place_of(&tape.began)?;
        let mut watched = Vec::new();
        for (source, mark) in &tape.sources {
            if let Some((origin, _)) = self.origin(source)? {
                watched.push((origin, self.place_of(mark)?));
            }
        }
        Ok(Seen { began, watched, variables: tape.variables })
    }
}

/// What a tape has seen.
struct Seen {
    began: usize,
    watched: Vec<(Origin, usize)>,
    variables: bool,
}

impl Seen {
    /// From which position on uses of a source count, if it is watched or depends on what is.
    fn since(&self, graph: &Graph, origin: Origin) -> Option<usize> {
        let watched = self.watched.iter().find(|(it, _)| *it == origin).map(|(_, since)| *since);
        watched.or_else(|| match origin {
            Origin::Slot(slot) => {
                (self.variables && graph.slots[slot.index()].trainable).then_some(self.began)
            }
            Origin::Value(value) => self.is_derived(graph, value).then_some(self.began),
        })
    }

    /// Whether a value was computed, since the tape began, from something that it watches.
    fn is_derived(&self, graph: &Graph, value: Ref) -> bool {
        let reads = graph.nodes.iter().filter_map(|node: &Node| match node.kind {
            NodeKind::Read(slot) => Some(slot),
            _ => None,
        });
        let variables = reads.map(Origin::Slot).filter(|it| self.since(graph, *it).is_some());
        let mut sources: Vec<_> = variables.map(|it| (it, self.began)).collect();
        sources.extend(&self.watched);
        connected(graph, &[value], sources, self.began).contains(&true)
    }
}
