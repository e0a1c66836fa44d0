//! Reference-counted bytes, our own (64-byte aligned) or somebody else's. Knows no types or shapes.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// Shared bytes. Cloning shares them; they may be written only while unshared.
///
/// Count, header and our own bytes are one allocation.
pub struct Buffer(NonNull<Header>);

#[repr(C, align(64))]
struct Header {
    count: AtomicUsize,
    data: NonNull<u8>,
    bytes: usize,
    /// How far the header is from the start of its allocation.
    shift: usize,
    /// Who owns foreign bytes; `None` when they follow the header.
    owner: Option<Box<dyn Any + Send + Sync>>,
}

const HEADER: usize = size_of::<Header>();

// SAFETY: the bytes are only written while the count is one (`unshared_mut`), and the owner is Send + Sync.
unsafe impl Send for Buffer {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Bytes that are all zero.
    pub fn zeroed(bytes: usize) -> Buffer {
        let mut buffer = Buffer::uninit(bytes);
        let data = buffer.unshared_mut().expect("a new buffer is unshared");
        // SAFETY: `data` points at `bytes` writable bytes.
        unsafe { data.write_bytes(0, bytes) };
        buffer
    }

    /// Bytes that must be written before they are read.
    pub(crate) fn uninit(bytes: usize) -> Buffer {
        let layout = Buffer::layout(bytes);
        // SAFETY: the layout is not empty: it has the header.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else {
            handle_alloc_error(layout)
        };
        let shift = start.align_offset(align_of::<Header>());
        // SAFETY: the allocation has room for the shift, which is less than the header's alignment.
        let at = unsafe { start.add(shift) };
        // SAFETY: the header and the bytes follow within the allocation.
        let data = unsafe { at.add(HEADER) };
        let at = at.cast::<Header>();
        // SAFETY: `at` is aligned for a header and there is room for one.
        unsafe { at.write(Header { count: AtomicUsize::new(1), data, bytes, shift, owner: None }) };
        Buffer(at)
    }

    /// The elements of a vector, not copied.
    pub fn from_vec<T: Copy + Send + Sync + 'static>(elements: Vec<T>) -> Buffer {
        let bytes = size_of_val(&elements[..]);
        let mut elements = elements;
        let data = NonNull::new(elements.as_mut_ptr().cast::<u8>())
            .expect("a vector's pointer is not null");
        // SAFETY: the vector is kept by the header, and moving it does not move its elements.
        unsafe { Buffer::foreign(data, bytes, Box::new(elements)) }
    }

    /// Bytes that `owner` keeps alive, not copied.
    ///
    /// # Safety
    /// `data` must be readable and writable for `bytes` bytes for as long as `owner` lives, and nobody else may use them.
    pub(crate) unsafe fn foreign(
        data: NonNull<u8>,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Buffer {
        let header =
            Header { count: AtomicUsize::new(1), data, bytes, shift: 0, owner: Some(owner) };
        Buffer(NonNull::from(Box::leak(Box::new(header))))
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.header().bytes
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the bytes begin; for reading.
    pub fn as_ptr(&self) -> *const u8 {
        self.header().data.as_ptr()
    }

    /// Where the bytes begin; for writing, and only if nobody else holds them.
    pub fn unshared_mut(&mut self) -> Option<*mut u8> {
        self.is_unshared().then(|| self.header().data.as_ptr())
    }

    /// Whether this is the only handle.
    pub fn is_unshared(&self) -> bool {
        // Acquire: what other handles read before they were dropped happened before what we write now.
        self.header().count.load(Ordering::Acquire) == 1
    }

    /// Whether both are handles of the same bytes.
    pub fn is_same(&self, other: &Buffer) -> bool {
        self.0 == other.0
    }

    fn header(&self) -> &Header {
        // SAFETY: the header lives while a handle does.
        unsafe { self.0.as_ref() }
    }

    /// Room for the header at an aligned place, and the bytes. Allocators are slow when asked to align by 64 themselves.
    fn layout(bytes: usize) -> Layout {
        let room = HEADER + align_of::<Header>() + bytes;
        Layout::from_size_align(room, align_of::<usize>())
            .expect("a buffer is smaller than isize::MAX")
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        // Relaxed: a new handle is made from a live one, so no other access has to be ordered.
        self.header().count.fetch_add(1, Ordering::Relaxed);
        Buffer(self.0)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.header().count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
        if self.header().owner.is_some() {
            // SAFETY: a header with an owner came from a `Box` in `foreign`, and this was the last handle.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        } else {
            let layout = Buffer::layout(self.len());
            // SAFETY: a header without an owner came from `alloc` with this layout, shifted; it has nothing to drop.
            unsafe { dealloc(self.0.as_ptr().cast::<u8>().sub(self.header().shift), layout) };
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_bytes_are_aligned_zero_and_written_only_unshared() {
        let mut a = Buffer::zeroed(100);
        assert_eq!((a.len(), a.as_ptr() as usize % 64), (100, 0));
        let b = a.clone();
        assert!(a.unshared_mut().is_none() && a.is_same(&b));
        drop(b);
        let data = a.unshared_mut().unwrap();
        // SAFETY: 100 bytes, unshared.
        unsafe { data.add(99).write(7) };
        // SAFETY: the byte was just written.
        assert_eq!(unsafe { a.as_ptr().add(99).read() }, 7);
    }

    #[test]
    fn a_vector_is_taken_without_a_copy() {
        let elements = vec![1.0f32, 2.0, 3.0];
        let at = elements.as_ptr().cast::<u8>();
        let buffer = Buffer::from_vec(elements);
        assert_eq!((buffer.as_ptr(), buffer.len()), (at, 12));
    }

    #[test]
    fn empty_buffers_are_fine() {
        assert!(Buffer::zeroed(0).is_empty());
        assert!(Buffer::from_vec(Vec::<f64>::new()).is_empty());
    }
}
