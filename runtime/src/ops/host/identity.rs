//! Numbers that tell closures apart. Knows types, and no closure.
//!
//! A closure that captures nothing is its type: wherever it is made again, it has the number that it had. Any other gets
//! a number of its own each time.

use parking_lot::Mutex;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one closure is, as far as its type tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    id: TypeId,
    captures: bool,
}

impl Type {
    /// The type of a closure.
    pub fn of<F: 'static>() -> Type {
        Type { id: TypeId::of::<F>(), captures: size_of::<F>() > 0 }
    }
}

/// What is known by its types alone.
type Known = HashMap<(String, Vec<Type>), u64>;

/// The number of a name and some closures together.
pub fn number(name: &str, types: &[Type]) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let next = || NEXT.fetch_add(1, Ordering::Relaxed);
    if types.iter().any(|it| it.captures) {
        return next();
    }
    let mut known = KNOWN.lock();
    let known = known.get_or_insert_default();
    *known.entry((name.to_string(), types.to_vec())).or_insert_with(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<F: 'static>(name: &str, _: &F) -> u64 {
        number(name, &[Type::of::<F>()])
    }

    #[test]
    fn closures_without_captures_are_their_types() {
        let plain = || || 1;
        let capturing = |k: i32| move || k;
        assert_eq!(of("f", &plain()), of("f", &plain()));
        assert_ne!(of("f", &plain()), of("g", &plain()));
        assert_ne!(of("f", &plain()), of("f", &|| 1));
        assert_ne!(of("f", &capturing(1)), of("f", &capturing(1)));
    }
}
