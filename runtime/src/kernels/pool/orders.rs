//! The slot in every order in which a few threads may meet: `RUSTFLAGS="--cfg loom" cargo test --lib pool::orders`.
//! Knows the slot, and not who sleeps.
#![cfg(loom)]

use super::Slot;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread::{JoinHandle, spawn};

/// Chunks of work: `loom` complains when two threads write one, or when one is read that may not be written yet.
struct Chunks {
    next: AtomicUsize,
    cells: Vec<UnsafeCell<usize>>,
}

// SAFETY: a cell is written by who drew its number, and read when the offer is over; `loom` checks just that.
unsafe impl Sync for Chunks {}

impl Chunks {
    fn new(count: usize) -> Chunks {
        let cells = (0..count).map(|_| UnsafeCell::new(0)).collect();
        Chunks { next: AtomicUsize::new(0), cells }
    }

    /// Does chunks until none is left, as the jobs of the team do.
    fn work(&self) {
        while let Some(cell) = self.cells.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            // SAFETY: each number comes once.
            cell.with_mut(|it| unsafe { *it += 1 });
        }
    }

    /// Checks that each chunk was done once, and is seen.
    fn check(&self) {
        for cell in &self.cells {
            // SAFETY: the offer is over, so nobody writes.
            assert_eq!(cell.with(|it| unsafe { *it }), 1);
        }
    }
}

/// Checks a program in all orders in which a thread is interrupted at most three times; without a bound three threads
/// have too many.
fn model(program: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(program);
}

/// Offers chunks and checks them; `false` if the slot was taken.
fn offer(slot: &Slot, count: usize) -> bool {
    let chunks = Chunks::new(count);
    let was_free = slot.offer(&|| chunks.work(), || ());
    if was_free {
        chunks.check();
    }
    was_free
}

fn helper(slot: &Arc<Slot>) -> JoinHandle<bool> {
    let slot = slot.clone();
    spawn(move || slot.help())
}

#[test]
fn what_helpers_wrote_is_seen_by_the_owner() {
    model(|| {
        let slot = Arc::new(Slot::new());
        let helpers = [helper(&slot), helper(&slot)];
        assert!(offer(&slot, 2));
        for helper in helpers {
            helper.join().unwrap();
        }
        assert!(!slot.is_open());
    });
}

#[test]
fn a_helper_of_one_job_is_out_before_the_next_is_written() {
    model(|| {
        let slot = Arc::new(Slot::new());
        let helper = helper(&slot);
        assert!(offer(&slot, 1));
        assert!(offer(&slot, 2));
        helper.join().unwrap();
    });
}

#[test]
fn of_two_owners_at_once_one_may_be_refused_and_none_waits_for_the_other() {
    model(|| {
        let slot = Arc::new(Slot::new());
        let (helper, other) = (helper(&slot), slot.clone());
        let other = spawn(move || offer(&other, 1));
        let first = offer(&slot, 1);
        let second = other.join().unwrap();
        assert!(first || second);
        helper.join().unwrap();
    });
}
