//! The threads that help, how they wait, and when asking them is worth it. Knows chunks by number only.

use super::Slot;
use once_cell::sync::Lazy;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

// Below this much work an offer costs more than it gains (benches/kernels.rs, `pool`).
const GATE_NS: u64 = 3_000;
// Below this much work, waking a thread that sleeps costs more than it gains (benches/kernels.rs, `pool asleep`).
const WAKE_NS: u64 = 20_000;
// A helper looks for the next job this long before it sleeps: steps of one plan follow each other faster.
const SPIN: Duration = Duration::from_micros(50);

static TEAM: Lazy<&Team> = Lazy::new(|| Team::start(threads() - 1));

/// Calls `work` with each number below `count`, once, in any order and on any thread, and returns when all are done.
///
/// The calling thread works too and waits for no helper that has not begun. Little work, work inside work, and work
/// while another thread has the helpers, is done on the calling thread alone.
///
/// # Panics
/// If `work` does: with the first panic, after all threads have stopped; chunks not yet begun are left out.
pub fn for_chunks(count: usize, estimated_ns: u64, work: impl Fn(usize) + Sync) {
    if count < 2 || estimated_ns < GATE_NS {
        return (0..count).for_each(work);
    }
    TEAM.for_chunks(count, estimated_ns, &work);
}

/// How many threads work at most: `GRAPHFN_THREADS`, or as many as the machine runs at once.
pub fn threads() -> usize {
    static THREADS: Lazy<usize> = Lazy::new(|| {
        let wanted = std::env::var("GRAPHFN_THREADS").ok();
        wanted.as_deref().and_then(parsed).unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        })
    });
    *THREADS
}

/// A number of threads as the environment gives it.
fn parsed(text: &str) -> Option<usize> {
    let threads = text.trim().parse().ok().filter(|threads| *threads > 0);
    if threads.is_none() {
        log::warn!("GRAPHFN_THREADS needs a number from 1, found `{text}`: using all processors");
    }
    threads
}

struct Team {
    slot: Slot,
    helpers: usize,
    asleep: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

impl Team {
    /// Starts threads that stay for as long as the process; fewer if the system gives no more.
    fn start(helpers: usize) -> &'static Team {
        let team: &Team = Box::leak(Box::new(Team {
            slot: Slot::new(),
            helpers,
            asleep: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
        }));
        for number in 0..helpers {
            let thread = std::thread::Builder::new().name(format!("graphfn-{number}"));
            if let Err(error) = thread.spawn(|| team.help()) {
                log::warn!("graphfn runs with {number} helping threads, as no more start: {error}");
                break;
            }
        }
        team
    }

    fn for_chunks(&self, count: usize, estimated_ns: u64, work: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let panicked: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);
        let some_chunks = || {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                loop {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    if chunk >= count {
                        return;
                    }
                    work(chunk);
                }
            }));
            if let Err(payload) = outcome {
                next.store(count, Ordering::Relaxed);
                panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
            }
        };
        let wake = || {
            if estimated_ns >= WAKE_NS {
                self.wake(count.saturating_sub(1));
            }
        };
        if self.helpers == 0 || !self.slot.offer(&some_chunks, wake) {
            return (0..count).for_each(work);
        }
        if let Some(payload) = panicked.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(payload);
        }
    }

    /// Wakes up to `wanted` sleepers. One that is missed costs its help, nothing else.
    fn wake(&self, wanted: usize) {
        let asleep = self.asleep.load(Ordering::SeqCst).min(wanted);
        if asleep > 0 {
            // Whoever counted itself holds the bed until it hears the bell.
            drop(self.bed.lock().unwrap_or_else(PoisonError::into_inner));
            (0..asleep).for_each(|_| self.bell.notify_one());
        }
    }

    /// The life of a helper: asleep until a job is offered, and awake for a while after one it had a part in.
    ///
    /// On a busy machine it often wakes too late, and must not take time from its caller by looking for more then.
    fn help(&self) -> ! {
        loop {
            self.sleep();
            if self.slot.help() {
                self.linger();
            }
        }
    }

    /// Does all jobs that come within `SPIN` of the last.
    fn linger(&self) {
        // Reading the clock takes as long as some dozen looks at the slot.
        const LOOKS: usize = 64;
        let look = |_| {
            std::hint::spin_loop();
            self.slot.help()
        };
        let mut last = Instant::now();
        while last.elapsed() < SPIN {
            if (0..LOOKS).any(look) {
                last = Instant::now();
            }
            // If there are fewer processors than threads that want one, our caller may be waiting for this one.
            std::thread::yield_now();
        }
    }

    /// Sleeps until there is a job.
    fn sleep(&self) {
        let mut bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.fetch_add(1, Ordering::SeqCst);
        while !self.slot.is_open() {
            bed = self.bell.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    const LONG: u64 = 1_000_000;

    fn check(team: &Team, count: usize) {
        let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
        team.for_chunks(count, LONG, &|chunk| {
            times[chunk].fetch_add(1, Ordering::Relaxed);
        });
        assert!(times.iter().all(|it| it.load(Ordering::Relaxed) == 1), "{count} chunks once each");
    }

    #[test]
    fn every_chunk_runs_once_with_any_number_of_helpers() {
        for helpers in [0, 1, 3] {
            let team = Team::start(helpers);
            for count in [0, 1, 2, 3, 100, 1000] {
                (0..50).for_each(|_| check(team, count));
            }
        }
    }

    #[test]
    fn helpers_that_slept_come_back() {
        let team = Team::start(2);
        for _ in 0..5 {
            std::thread::sleep(3 * SPIN);
            let helped = AtomicBool::new(false);
            let owner = std::thread::current().id();
            let begun = Instant::now();
            // The owner stays in its chunks until somebody else took one, or the machine is too busy to tell.
            while !helped.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(10) {
                team.for_chunks(100, LONG, &|_| {
                    if std::thread::current().id() != owner {
                        helped.store(true, Ordering::Relaxed);
                    }
                    std::thread::sleep(Duration::from_micros(10));
                });
            }
            assert!(helped.into_inner(), "a helper took a chunk");
        }
    }

    #[test]
    fn many_threads_may_call_at_once() {
        let team = Team::start(2);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..200).for_each(|count| check(team, count)));
            }
        });
    }

    #[test]
    fn work_inside_work_is_done() {
        let team = Team::start(2);
        let total = AtomicUsize::new(0);
        team.for_chunks(10, LONG, &|_| {
            team.for_chunks(10, LONG, &|_| {
                total.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(total.into_inner(), 100);
    }

    #[test]
    fn a_panic_comes_out_after_all_have_stopped_and_harms_nothing() {
        let team = Team::start(2);
        for bad in 0..40 {
            let inside = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                team.for_chunks(40, LONG, &|chunk| {
                    inside.fetch_add(1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    if chunk == bad {
                        resume_unwind(Box::new(chunk));
                    }
                });
            }));
            assert_eq!(inside.load(Ordering::SeqCst), 0, "nobody works any more");
            assert_eq!(caught.unwrap_err().downcast_ref::<usize>(), Some(&bad));
            check(team, 40);
        }
    }

    #[test]
    fn the_number_of_threads_is_read_or_refused() {
        assert_eq!(parsed(" 3 "), Some(3));
        assert_eq!(parsed("0"), None);
        assert_eq!(parsed("many"), None);
        assert!(threads() >= 1);
    }

    #[test]
    fn the_shared_team_runs_little_and_much_work() {
        for estimated_ns in [0, LONG] {
            let total = AtomicUsize::new(0);
            for_chunks(10, estimated_ns, |chunk| {
                total.fetch_add(chunk, Ordering::Relaxed);
            });
            assert_eq!(total.into_inner(), 45);
        }
    }
}
