//! Why a function was traced again: what changed from one trace to the next. Knows texts only.

use crate::error::Place;
use std::collections::VecDeque;
use std::fmt;

/// How many traces are remembered.
const KEPT: usize = 64;
/// After how many traces that differ in one plain value a warning is due.
const MANY: usize = 5;

/// One trace: who asked for it and with what.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The caller's line.
    pub place: Place,
    /// Path and text of each argument leaf.
    pub arguments: Vec<(String, String)>,
    /// Whether each is plain data.
    pub is_static: Vec<bool>,
}

/// The traces of a function, oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    traces: VecDeque<Traced>,
    forgotten: usize,
    has_warned: bool,
}

impl History {
    /// Notes a trace, and gives the warning that is due, once.
    pub fn push(&mut self, function: &str, traced: Traced) -> Option<String> {
        self.traces.push_back(traced);
        if self.traces.len() > KEPT {
            self.traces.pop_front();
            self.forgotten += 1;
        }
        if self.has_warned || self.traces.len() < MANY {
            return None;
        }
        let recent: Vec<&Traced> = self.traces.iter().rev().take(MANY).collect();
        let changed = |pair: &[&Traced]| match changes(pair[1], pair[0])[..] {
            [Change { at, .. }] if pair[0].is_static[at] => Some(at),
            _ => None,
        };
        let mut pairs = recent.windows(2).map(changed);
        let first = pairs.next()??;
        if !pairs.all(|at| at == Some(first)) {
            return None;
        }
        self.has_warned = true;
        let path = &recent[0].arguments[first].0;
        Some(format!(
            "`{function}` was traced {MANY} times for values of the plain argument `{path}` alone, last at {}\n  \
             help: mark a number that changes from call to call with `#[tensor] {path}`: then one trace serves all values",
            recent[0].place
        ))
    }

    /// What changed from trace to trace.
    pub fn explain(&self, function: &str) -> Retraces {
        Retraces { function: function.to_string(), history: self.clone() }
    }
}

/// What changed from each trace of a function to the next; prints one line a trace.
#[derive(Clone, Debug)]
pub struct Retraces {
    function: String,
    history: History,
}

struct Change<'a> {
    at: usize,
    path: &'a str,
    from: &'a str,
    to: &'a str,
}

/// The leaves that differ, if both have the same leaves.
fn changes<'a>(from: &'a Traced, to: &'a Traced) -> Vec<Change<'a>> {
    let pairs = from.arguments.iter().zip(&to.arguments).enumerate();
    pairs
        .filter(|(_, (a, b))| a != b)
        .map(|(at, (a, b))| Change { at, path: &b.0, from: &a.1, to: &b.1 })
        .collect()
}

impl fmt::Display for Retraces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let History { traces, forgotten, .. } = &self.history;
        let count = traces.len() + forgotten;
        write!(
            f,
            "`{}` was traced {count} {}",
            self.function,
            if count == 1 { "time" } else { "times" }
        )?;
        if *forgotten > 0 {
            write!(f, " (the first {forgotten} are not kept)")?;
        }
        for (i, traced) in traces.iter().enumerate() {
            write!(f, "\n  {}: at {}", i + 1 + forgotten, traced.place)?;
            let Some(before) = i.checked_sub(1).map(|it| &traces[it]) else {
                let arguments: Vec<String> = traced
                    .arguments
                    .iter()
                    .map(|(path, text)| format!("{path} = {text}"))
                    .collect();
                write!(
                    f,
                    ", first call with {}",
                    if arguments.is_empty() { "no arguments".into() } else { arguments.join(", ") }
                )?;
                continue;
            };
            if before.arguments.len() != traced.arguments.len() {
                write!(
                    f,
                    ", another structure: {} leaves, before {}",
                    traced.arguments.len(),
                    before.arguments.len()
                )?;
                continue;
            }
            match &changes(before, traced)[..] {
                [] => f.write_str(", the same arguments: the cache was cleared or full, or another generic instance or closure")?,
                changes => {
                    for (i, change) in changes.iter().enumerate() {
                        let comma = if i == 0 { ", " } else { "; " };
                        write!(f, "{comma}`{}` changed from {} to {}{}", change.path, change.from, change.to, dimensions(change))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which dimensions differ, when both are tensors of one type and rank.
fn dimensions(change: &Change<'_>) -> String {
    let sizes = |text: &str| -> Option<(String, Vec<String>)> {
        let (dtype, rest) = text.split_once('[')?;
        Some((dtype.to_string(), rest.strip_suffix(']')?.split(", ").map(str::to_string).collect()))
    };
    let (Some(from), Some(to)) = (sizes(change.from), sizes(change.to)) else {
        return String::new();
    };
    if from.0 != to.0 || from.1.len() != to.1.len() {
        return String::new();
    }
    let different = from.1.iter().zip(&to.1).enumerate().filter(|(_, (a, b))| a != b);
    let texts: Vec<String> =
        different.map(|(axis, (a, b))| format!("dimension {axis}: {a} -> {b}")).collect();
    format!(" ({})", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(line: u32, arguments: &[(&str, &str, bool)]) -> Traced {
        let place = Place { file: "a.rs", line, column: 1 };
        let texts = arguments.iter().map(|it| (it.0.to_string(), it.1.to_string())).collect();
        Traced { place, arguments: texts, is_static: arguments.iter().map(|it| it.2).collect() }
    }

    #[test]
    fn says_which_dimension_changed_and_who_called() {
        let mut history = History::default();
        history.push("f", traced(3, &[("x", "f32[2, 3]", false)]));
        history.push("f", traced(9, &[("x", "f32[5, 3]", false)]));
        assert_eq!(
            history.explain("f").to_string(),
            "`f` was traced 2 times\n  1: at a.rs:3:1, first call with x = f32[2, 3]\n  \
             2: at a.rs:9:1, `x` changed from f32[2, 3] to f32[5, 3] (dimension 0: 2 -> 5)"
        );
    }

    #[test]
    fn warns_once_after_five_values_of_one_plain_argument() {
        let mut history = History::default();
        let mut warnings = vec![];
        for n in 0..9 {
            warnings.extend(
                history.push("f", traced(n, &[("x", "f32[]", false), ("n", &n.to_string(), true)])),
            );
        }
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].contains("`n`") && warnings[0].contains("#[tensor] n"),
            "{}",
            warnings[0]
        );
    }

    #[test]
    fn shapes_that_change_do_not_warn() {
        let mut history = History::default();
        for n in 0..9 {
            assert_eq!(history.push("f", traced(n, &[("x", &format!("f32[{n}]"), false)])), None);
        }
    }
}
