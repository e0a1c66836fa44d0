//! The identity of any type, also one with lifetimes. Knows nothing else.

use std::any::TypeId;
use std::marker::PhantomData;

/// The identity of a type with its lifetimes erased: types that differ only in lifetimes have one identity.
///
/// The method is that of the crate `typeid`: a trait object's method is called with its lifetime bound forgotten.
pub fn type_id_of<T: ?Sized>() -> TypeId {
    trait NonStatic {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T: ?Sized> NonStatic for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let phantom = PhantomData::<T>;
    let object: &dyn NonStatic = &phantom;
    // SAFETY: `id` reads no data, and code generation erases lifetimes, so the method is the same for every lifetime.
    let object =
        unsafe { std::mem::transmute::<&dyn NonStatic, &(dyn NonStatic + 'static)>(object) };
    object.id()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_lifetime<'a>(_: &'a str) -> TypeId {
        type_id_of::<&'a str>()
    }

    #[test]
    fn types_differ_and_lifetimes_do_not() {
        assert_eq!(with_lifetime(&String::from("x")), type_id_of::<&'static str>());
        assert_ne!(type_id_of::<u8>(), type_id_of::<i8>());
        assert_eq!(type_id_of::<u8>(), TypeId::of::<u8>());
    }
}
