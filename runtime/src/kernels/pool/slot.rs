//! The one place where a thread offers work and others join in: who is in, and when the offer is over.
//! Knows no threads and no chunks.

use super::sync::{AtomicUsize, UnsafeCell, spin_loop, yield_now};
use std::mem::transmute;
use std::sync::atomic::Ordering;

/// Work that several threads may do at once, each call doing a part until none is left.
pub(super) type Job<'a> = &'a (dyn Fn() + Sync);

/// An offer of work, or none.
pub(super) struct Slot {
    /// `FREE`, or `CLAIMED` with perhaps `OPEN` and a `HELPER` for each that is inside.
    state: AtomicUsize,
    job: UnsafeCell<Job<'static>>,
}

const FREE: usize = 0;
const CLAIMED: usize = 1;
const OPEN: usize = 2;
const HELPER: usize = 4;

// SAFETY: `job` is written only by the thread that claimed the slot, while it is not open and nobody is inside, and
// read only by those inside; `state` orders these accesses.
unsafe impl Sync for Slot {}

impl Slot {
    pub(super) fn new() -> Slot {
        Slot { state: AtomicUsize::new(FREE), job: UnsafeCell::new(&|| ()) }
    }

    /// Offers a job, does it on this thread too, and returns when nobody is at it any more.
    ///
    /// `offered` is called as soon as others may join. `false`, with nothing done, if the slot is taken: by another
    /// thread, or by a job that this call is a part of.
    pub(super) fn offer(&self, job: Job<'_>, offered: impl FnOnce()) -> bool {
        // Acquire: whoever read the last job did so before we write the next.
        let claim =
            self.state.compare_exchange(FREE, CLAIMED, Ordering::Acquire, Ordering::Relaxed);
        if claim.is_err() {
            return false;
        }
        // From here on the guard's drop waits for all that joined, even if `job` or `offered` unwinds.
        let _guard = Offered(self);
        // SAFETY: we claimed the slot and it is not open, so nobody reads the job. The longer lifetime is not relied
        // on: the guard closes the slot and waits for everybody inside before this call, and so `job`, ends.
        self.job.with_mut(|it| unsafe { *it = transmute::<Job<'_>, Job<'static>>(job) });
        // SeqCst: with the count of sleepers in `team`, either we see a sleeper or it sees the offer.
        self.state.store(CLAIMED | OPEN, Ordering::SeqCst);
        offered();
        job();
        true
    }

    /// Whether a job may be joined.
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Ordering::SeqCst) & OPEN != 0
    }

    /// Joins the open job, does a part of it, and closes it, as a part ends only when nothing is left.
    ///
    /// `false` if there is none. The job must not unwind.
    pub(super) fn help(&self) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            if state & OPEN == 0 {
                return false;
            }
            // Acquire: the job was written before the slot was opened.
            match self.state.compare_exchange_weak(
                state,
                state + HELPER,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        // SAFETY: we are inside, so the job was written, is not written again, and its owner waits for us.
        let job = self.job.with(|it| unsafe { *it });
        job();
        self.close();
        // Release: what the job wrote is seen by its owner, who waits for this.
        self.state.fetch_sub(HELPER, Ordering::Release);
        true
    }

    /// Lets nobody else in.
    fn close(&self) {
        self.state.fetch_and(!OPEN, Ordering::Relaxed);
    }
}

/// The end of an offer: nobody joins any more, and all that did have left.
struct Offered<'a>(&'a Slot);

impl Drop for Offered<'_> {
    fn drop(&mut self) {
        // A helper that was preempted inside may take long, so give its thread a chance to run.
        const SPINS: usize = 2000;
        self.0.close();
        let mut spins = 0;
        // Acquire: what helpers wrote happened before we return.
        while self.0.state.load(Ordering::Acquire) != CLAIMED {
            spins += 1;
            if spins < SPINS { spin_loop() } else { yield_now() }
        }
        self.0.state.store(FREE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    #[test]
    fn a_job_is_done_by_its_owner_if_nobody_joins() {
        let slot = Slot::new();
        let times = AtomicUsize::new(0);
        let job = || {
            times.fetch_add(1, Ordering::Relaxed);
        };
        assert!(slot.offer(&job, || assert!(slot.is_open())));
        assert_eq!(times.into_inner(), 1);
        assert!(!slot.is_open() && !slot.help());
    }

    #[test]
    fn an_offer_inside_a_job_is_refused() {
        let slot = Slot::new();
        let refused = AtomicBool::new(false);
        slot.offer(&|| refused.store(!slot.offer(&|| (), || ()), Ordering::Relaxed), || ());
        assert!(refused.into_inner());
    }

    #[test]
    fn the_owner_waits_for_those_inside() {
        let slot = Slot::new();
        for _ in 0..200 {
            let inside = AtomicUsize::new(0);
            let left = AtomicUsize::new(0);
            let job = || {
                inside.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                left.fetch_add(1, Ordering::Relaxed);
            };
            std::thread::scope(|scope| {
                let helper =
                    scope.spawn(|| while !slot.help() && left.load(Ordering::Relaxed) == 0 {});
                slot.offer(&job, || ());
                assert_eq!(left.load(Ordering::Relaxed), inside.load(Ordering::Relaxed));
                helper.join().unwrap();
            });
        }
    }

    #[test]
    fn a_job_that_unwinds_frees_the_slot() {
        let slot = Slot::new();
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            slot.offer(&|| std::panic::resume_unwind(Box::new(())), || ())
        }));
        assert!(unwound.is_err() && !slot.is_open());
        assert!(slot.offer(&|| (), || ()), "the slot is free again");
    }
}
