//! Times that can be compared on a machine that others use too: contenders take turns, so what slows one slows all.
//! Knows nothing of what is timed.

use crate::contender::Contender;
use std::time::Duration;

/// How often each contender has its turn; an odd number has a middle.
const ROUNDS: usize = 1001;
/// How long a turn takes: far longer than to read the clock, and shorter than the system lets a thread run.
const TURN: Duration = Duration::from_micros(200);

/// What one run of a contender takes, in nanoseconds.
pub struct Time {
    /// The middle one of all turns.
    pub median: f64,
    /// The shortest one.
    pub minimum: f64,
}

/// Times contenders by turns; each round begins with another one, so that none always comes after the same.
pub fn by_turns(contenders: &mut [Contender]) -> Vec<Time> {
    let counts: Vec<u32> = contenders.iter_mut().map(runs_of_a_turn).collect();
    let mut turns: Vec<Vec<f64>> = contenders.iter().map(|_| Vec::with_capacity(ROUNDS)).collect();
    for round in 0..ROUNDS {
        for turn in 0..contenders.len() {
            let at = (round + turn) % contenders.len();
            let taken = contenders[at].run(counts[at]);
            turns[at].push(taken.as_secs_f64() * 1e9 / f64::from(counts[at]));
        }
    }
    turns.into_iter().map(summary).collect()
}

/// How many runs fill a turn, found by doubling; it also warms the contender up.
fn runs_of_a_turn(contender: &mut Contender) -> u32 {
    let mut count = 1;
    while contender.run(count) < TURN {
        count *= 2;
    }
    count
}

fn summary(mut turns: Vec<f64>) -> Time {
    turns.sort_by(f64::total_cmp);
    Time { median: turns[turns.len() / 2], minimum: turns[0] }
}
