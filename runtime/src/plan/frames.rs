//! The memory that a plan keeps from one run to the next: a seat for each thread. Knows not what the memory is for.

use crossbeam_utils::atomic::AtomicCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads have a seat of their own; more share them.
const SEATS: usize = 8;

/// What each thread that runs a plan left for its next run.
///
/// A thread finds what it left itself: a result that it has dropped since is free to be written again, while another
/// thread's may still be held.
pub struct Frames<T> {
    seats: [AtomicCell<Option<Box<T>>>; SEATS],
}

impl<T> Frames<T> {
    /// Empty seats.
    pub fn new() -> Frames<T> {
        Frames { seats: [const { AtomicCell::new(None) }; SEATS] }
    }

    /// What this thread left, unless it is in use.
    #[inline]
    pub fn take(&self) -> Option<Box<T>> {
        self.seats[seat()].take()
    }

    /// Leaves something for this thread's next run; of two threads with one seat, the last one's stays.
    #[inline]
    pub fn keep(&self, frame: Box<T>) {
        self.seats[seat()].store(Some(frame));
    }
}

/// The seat of this thread.
#[inline]
fn seat() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SEAT: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SEATS;
    }
    SEAT.with(|seat| *seat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_finds_what_it_left_and_nothing_while_it_is_in_use() {
        let frames = Frames::new();
        assert!(frames.take().is_none());
        frames.keep(Box::new(1));
        assert_eq!(frames.take(), Some(Box::new(1)));
        assert!(frames.take().is_none());
    }
}
