//! What is told about a running program: warnings, and the stages that the environment variable `GRAPHFN_LOG` lists, of
//! `trace`, `passes`, `plan`, `run`, with commas.
//! Knows the stages by name only.

use once_cell::sync::Lazy;
use std::fmt::Display;

/// A stage of the way from a function to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The graph as it was traced.
    Trace,
    /// The graph after each pass.
    Passes,
    /// The plan.
    Plan,
    /// Each run of a plan.
    Run,
}

static WANTED: Lazy<Vec<Stage>> =
    Lazy::new(|| parse(&std::env::var("GRAPHFN_LOG").unwrap_or_default()));

fn parse(text: &str) -> Vec<Stage> {
    let stage = |name: &str| match name.trim() {
        "trace" => Some(Stage::Trace),
        "passes" => Some(Stage::Passes),
        "plan" => Some(Stage::Plan),
        "run" => Some(Stage::Run),
        _ => None,
    };
    text.split(',').filter_map(stage).collect()
}

/// Prints a stage to standard error, if it is wanted.
pub fn log_stage(stage: Stage, title: &str, text: &dyn Display) {
    if WANTED.contains(&stage) {
        eprintln!("== {title}\n{text}");
    }
}

/// Warns: through the crate `log`, and on standard error where no logger is installed.
pub fn warn(warning: &str) {
    log::warn!("{warning}");
    if log::max_level() == log::LevelFilter::Off {
        eprintln!("warning: {warning}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_a_list() {
        assert_eq!(parse("trace, plan,nonsense"), [Stage::Trace, Stage::Plan]);
        assert_eq!(parse(""), []);
    }
}
