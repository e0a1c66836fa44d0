//! The interned pair of element type and shape: comparing two is comparing two words. Knows no values.

use super::{ALL, DType, Shape};
use once_cell::sync::Lazy;
use std::array;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock};

/// What a value is: an element type and a shape. A copy is one word, equality one comparison.
///
/// Specs are interned and never freed: a program has few, and each is small.
#[derive(Clone, Copy)]
pub struct Spec(&'static Interned);

struct Interned {
    id: u32,
    dtype: DType,
    shape: Shape,
    sizes: Option<Box<[usize]>>,
    len: Option<usize>,
}

/// All specs, by a hash of their content; one whose hash is taken by another stands under the next number.
#[derive(Default)]
struct Table {
    by_hash: HashMap<u64, Spec, BuildHasherDefault<Taken>>,
}

impl Table {
    /// The spec of this content, or the number under which it is missing.
    fn find(&self, dtype: DType, shape: &Shape) -> Result<Spec, u64> {
        let mut number = hash(dtype, shape);
        while let Some(spec) = self.by_hash.get(&number) {
            if spec.dtype() == dtype && spec.shape() == shape {
                return Ok(*spec);
            }
            number = number.wrapping_add(1);
        }
        Err(number)
    }
}

fn hash(dtype: DType, shape: &Shape) -> u64 {
    let mut hasher = DefaultHasher::new();
    (dtype, shape).hash(&mut hasher);
    hasher.finish()
}

/// Takes a number that is a hash already.
#[derive(Default)]
struct Taken(u64);

impl Hasher for Taken {
    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are numbers")
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

static TABLE: Lazy<RwLock<Table>> = Lazy::new(RwLock::default);

impl Spec {
    /// The spec of tensors with this element type and shape.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Spec {
        let shape = shape.into();
        if let Ok(found) = TABLE.read().unwrap_or_else(PoisonError::into_inner).find(dtype, &shape)
        {
            return found;
        }
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have added it between the two locks.
        let number = match table.find(dtype, &shape) {
            Ok(found) => return found,
            Err(number) => number,
        };
        let id = u32::try_from(table.by_hash.len()).expect("fewer than 2^31 specs fit in memory");
        let sizes = shape.known().map(|sizes| sizes.into_vec().into_boxed_slice());
        let spec =
            Spec(Box::leak(Box::new(Interned { id, dtype, len: shape.len(), shape, sizes })));
        table.by_hash.insert(number, spec);
        spec
    }

    /// The spec of a scalar.
    pub fn scalar(dtype: DType) -> Spec {
        // A number that is passed to a function becomes a scalar at each call.
        static SCALARS: Lazy<[Spec; ALL.len()]> =
            Lazy::new(|| array::from_fn(|at| Spec::new(ALL[at], Shape::scalar())));
        SCALARS[dtype as usize]
    }

    /// A small number that is this spec's own, below 2^31.
    pub fn id(self) -> u32 {
        self.0.id
    }

    /// The element type.
    pub fn dtype(self) -> DType {
        self.0.dtype
    }

    /// The shape.
    pub fn shape(self) -> &'static Shape {
        &self.0.shape
    }

    /// The number of axes.
    ///
    /// # Panics
    /// As [`Shape::rank`].
    #[track_caller]
    pub fn rank(self) -> usize {
        self.0.shape.rank()
    }

    /// The sizes, unless one is unknown.
    pub fn known(self) -> Option<&'static [usize]> {
        self.0.sizes.as_deref()
    }

    /// The sizes of a spec that a value has, and so has no unknown size.
    pub fn sizes(self) -> &'static [usize] {
        self.known().expect("the spec of a value has no unknown size")
    }

    /// The number of elements, unless a size is unknown.
    pub fn len(self) -> Option<usize> {
        self.0.len
    }

    /// The number of bytes, unless a size is unknown or the number does not fit.
    pub fn bytes(self) -> Option<usize> {
        self.0.len?.checked_mul(self.dtype().size())
    }

    /// Whether it surely has no elements.
    pub fn is_empty(self) -> bool {
        self.0.shape.is_empty()
    }

    /// The spec with another element type.
    #[must_use]
    pub fn with_dtype(self, dtype: DType) -> Spec {
        if dtype == self.dtype() { self } else { Spec::new(dtype, self.shape().clone()) }
    }

    /// The spec with another shape.
    #[must_use]
    pub fn with_shape(self, shape: impl Into<Shape>) -> Spec {
        Spec::new(self.dtype(), shape)
    }
}

impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Spec {}

impl Hash for Spec {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

/// As Rust would write it: `f32[32, 10]`.
impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.dtype().rust_name(), self.shape())
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_content_is_one_spec() {
        let a = Spec::new(DType::F32, [32, 10]);
        assert_eq!(a, Spec::new(DType::F32, [32, 10]));
        assert_ne!(a, Spec::new(DType::F64, [32, 10]));
        assert_eq!(format!("{a:?} {:?}", a.with_shape([])), "f32[32, 10] f32[]");
        assert_eq!((a.len(), a.bytes(), a.sizes()), (Some(320), Some(1280), &[32, 10][..]));
        let huge = Spec::new(DType::F64, [1 << 31, 1 << 31]);
        assert_eq!((huge.len(), huge.bytes()), (Some(1 << 62), None));
    }

    #[test]
    fn each_type_has_its_scalar() {
        for dtype in ALL.iter().copied() {
            assert_eq!(Spec::scalar(dtype), Spec::new(dtype, Shape::scalar()));
        }
    }
}
