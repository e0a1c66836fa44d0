//! One way to do the work of a row, and the check that all ways give one result. Knows no library.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One way to do the work of a row.
pub struct Contender {
    /// The library, and how it is used.
    pub name: &'static str,
    run: Box<dyn FnMut(u32) -> Duration>,
    numbers: Box<dyn FnMut() -> Vec<f32>>,
}

impl Contender {
    /// Work that starts afresh each time.
    pub fn calling<R: 'static>(
        name: &'static str,
        work: impl Fn() -> R + Clone + 'static,
        numbers: impl Fn(R) -> Vec<f32> + 'static,
    ) -> Contender {
        let again = work.clone();
        Contender {
            name,
            run: Box::new(move |times| timed(times, || drop(black_box(work())))),
            numbers: Box::new(move || numbers(again())),
        }
    }

    /// Work that goes on from where it stopped; its numbers are those after `steps` from the start.
    pub fn stepping<S: 'static>(
        name: &'static str,
        start: impl Fn() -> S + 'static,
        step: impl Fn(&mut S) + Clone + 'static,
        steps: u32,
        numbers: impl Fn(S) -> Vec<f32> + 'static,
    ) -> Contender {
        let mut state = start();
        let again = step.clone();
        Contender {
            name,
            run: Box::new(move |times| timed(times, || step(black_box(&mut state)))),
            numbers: Box::new(move || {
                let mut state = start();
                (0..steps).for_each(|_| again(&mut state));
                numbers(state)
            }),
        }
    }

    /// What the work gives, from the start.
    pub fn numbers(&mut self) -> Vec<f32> {
        (self.numbers)()
    }

    /// How long it takes to do the work some times over.
    pub fn run(&mut self, times: u32) -> Duration {
        (self.run)(times)
    }
}

// The loop stands where the work is known, so that no indirect call is measured with it.
#[inline]
fn timed(times: u32, mut work: impl FnMut()) -> Duration {
    let begun = Instant::now();
    (0..times).for_each(|_| work());
    begun.elapsed()
}

/// Checks that all contenders give what the first one gives, but for such a part of it.
///
/// # Panics
/// If one does not.
pub fn agree(work: &str, contenders: &mut [Contender], part: f32) {
    let results: Vec<(&str, Vec<f32>)> =
        contenders.iter_mut().map(|it| (it.name, it.numbers())).collect();
    let (first, wanted) = &results[0];
    for (name, found) in &results {
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= part * b.abs();
        let same = found.len() == wanted.len() && found.iter().zip(wanted).all(near);
        assert!(same, "{work}: {name} gives {found:?}, {first} {wanted:?}");
    }
}
