//! Which types of the standard library are trees, and how. Knows no cache and no trace.

use super::tree::{Key, Mapping, Names, Tree};
use super::{Scope, Tensor};
use crate::value::Variable;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

impl Tree for Tensor {
    #[inline]
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tensor(self);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        names.tensor();
    }

    fn map(&self, to: &mut Mapping<'_>) -> Tensor {
        (to.tensor)(self)
    }
}

impl Tree for Variable {
    #[inline]
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.variable(self);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        names.variable();
    }

    fn map(&self, to: &mut Mapping<'_>) -> Variable {
        (to.variable)(self)
    }
}

impl Tree for Scope {
    fn key<'a>(&'a self, _: &mut Key<'a>) {}

    fn leaves(&self, names: &mut Names<'_>) {
        names.scope(self);
    }

    fn map(&self, _: &mut Mapping<'_>) -> Scope {
        self.clone()
    }
}

macro_rules! plain {
    ($($type:ty: $value:ident => $word:expr),* $(,)?) => {$(
        impl Tree for $type {
            #[inline]
            fn key<'a>(&'a self, key: &mut Key<'a>) {
                let $value = *self;
                key.tag($word);
            }

            fn leaves(&self, names: &mut Names<'_>) {
                names.constant(self);
            }

            fn map(&self, _: &mut Mapping<'_>) -> $type {
                *self
            }
        }
    )*};
}
plain!(
    bool: it => it.into(),
    char: it => u64::from(u32::from(it)),
    i8: it => i64::from(it).cast_unsigned(),
    i16: it => i64::from(it).cast_unsigned(),
    i32: it => i64::from(it).cast_unsigned(),
    i64: it => it.cast_unsigned(),
    isize: it => it.cast_unsigned() as u64,
    u8: it => it.into(),
    u16: it => it.into(),
    u32: it => it.into(),
    u64: it => it,
    usize: it => it as u64,
    f32: it => it.to_bits().into(),
    f64: it => it.to_bits(),
);

impl Tree for String {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.bytes(self.as_bytes());
    }

    fn leaves(&self, names: &mut Names<'_>) {
        names.constant(self);
    }

    fn map(&self, _: &mut Mapping<'_>) -> String {
        self.clone()
    }
}

impl Tree for &'static str {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.text(self);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        names.text(self);
    }

    fn map(&self, _: &mut Mapping<'_>) -> &'static str {
        self
    }
}

impl<T: Tree> Tree for Vec<T> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        T::key_slice(self, key);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        T::leaves_slice(self, names);
    }

    fn map(&self, to: &mut Mapping<'_>) -> Vec<T> {
        T::map_slice(self, to)
    }
}

impl<T: Tree, const N: usize> Tree for [T; N] {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        self.iter().for_each(|it| it.key(key));
    }

    fn leaves(&self, names: &mut Names<'_>) {
        T::leaves_slice(self, names);
    }

    fn map(&self, to: &mut Mapping<'_>) -> [T; N] {
        std::array::from_fn(|at| self[at].map(to))
    }
}

impl<T: Tree> Tree for Option<T> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tag(self.is_some().into());
        self.iter().for_each(|it| it.key(key));
    }

    fn leaves(&self, names: &mut Names<'_>) {
        match self {
            Some(it) => it.leaves(names),
            None => names.constant(&None::<()>),
        }
    }

    fn map(&self, to: &mut Mapping<'_>) -> Option<T> {
        self.as_ref().map(|it| it.map(to))
    }
}

/// A value of its own, besides errors of tracing: an `Err` is kept and given again at each call.
impl<T: Tree, E: Clone> Tree for Result<T, E> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tag(self.is_ok().into());
        self.iter().for_each(|it| it.key(key));
    }

    fn leaves(&self, names: &mut Names<'_>) {
        self.iter().for_each(|it| it.leaves(names));
    }

    fn map(&self, to: &mut Mapping<'_>) -> Result<T, E> {
        match self {
            Ok(it) => Ok(it.map(to)),
            Err(error) => Err(error.clone()),
        }
    }
}

impl<T: Tree> Tree for Box<T> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        (**self).key(key);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        (**self).leaves(names);
    }

    fn map(&self, to: &mut Mapping<'_>) -> Box<T> {
        Box::new((**self).map(to))
    }
}

impl<T: Tree> Tree for BTreeMap<String, T> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tag(self.len() as u64);
        for (name, it) in self {
            key.bytes(name.as_bytes());
            it.key(key);
        }
    }

    fn leaves(&self, names: &mut Names<'_>) {
        self.iter().for_each(|(name, it)| names.entry(name, |names| it.leaves(names)));
    }

    fn map(&self, to: &mut Mapping<'_>) -> BTreeMap<String, T> {
        self.iter().map(|(name, it)| (name.clone(), it.map(to))).collect()
    }
}

/// In the order of its keys: that of the map's own iteration differs from run to run.
impl<T: Tree, S: BuildHasher + Default> Tree for HashMap<String, T, S> {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        key.tag(self.len() as u64);
        for (name, it) in sorted(self) {
            key.bytes(name.as_bytes());
            it.key(key);
        }
    }

    fn leaves(&self, names: &mut Names<'_>) {
        sorted(self).into_iter().for_each(|(name, it)| names.entry(name, |names| it.leaves(names)));
    }

    fn map(&self, to: &mut Mapping<'_>) -> HashMap<String, T, S> {
        sorted(self).into_iter().map(|(name, it)| (name.clone(), it.map(to))).collect()
    }
}

fn sorted<K: Ord + Hash + Eq, T, S: BuildHasher>(map: &HashMap<K, T, S>) -> Vec<(&K, &T)> {
    let mut pairs: Vec<_> = map.iter().collect();
    pairs.sort_by_key(|pair| pair.0);
    pairs
}

macro_rules! tuple {
    ($($name:ident $at:tt),*) => {
        impl<$($name: Tree),*> Tree for ($($name,)*) {
            #[allow(unused_variables)] // The empty tuple has no leaves.
            #[inline]
            fn key<'a>(&'a self, key: &mut Key<'a>) {
                $(self.$at.key(key);)*
            }

            #[allow(unused_variables)]
            fn leaves(&self, names: &mut Names<'_>) {
                $(names.index($at, |names| self.$at.leaves(names));)*
            }

            #[allow(unused_variables, clippy::unused_unit)]
            fn map(&self, to: &mut Mapping<'_>) -> Self {
                ($(self.$at.map(to),)*)
            }
        }
    };
}
tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
