//! The atomics of the pool; under `--cfg loom` they are loom's, which tries all orders in which threads may meet.
//! Knows no protocol.

#[cfg(loom)]
pub(super) use loom::{
    cell::UnsafeCell, hint::spin_loop, sync::atomic::AtomicUsize, thread::yield_now,
};
#[cfg(not(loom))]
pub(super) use std::{hint::spin_loop, sync::atomic::AtomicUsize, thread::yield_now};

/// A cell with loom's interface, which sees when an access begins and ends.
#[cfg(not(loom))]
pub(super) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(super) fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    #[inline]
    pub(super) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    #[inline]
    pub(super) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}
