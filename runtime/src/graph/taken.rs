//! Names that are taken in a graph: who asks for one gets it with a number. Knows no scopes.

use std::collections::HashMap;

/// The names that are taken, and the number with which each is tried next.
#[derive(Debug, Default)]
pub struct Taken(HashMap<String, usize>);

impl Taken {
    /// These names are taken.
    pub fn by<'n>(names: impl IntoIterator<Item = &'n str>) -> Taken {
        Taken(names.into_iter().map(|name| (name.to_string(), 1)).collect())
    }

    /// The name, or the first of `name_1`, `name_2`, .. that is free; it is taken from now on.
    pub fn unique(&mut self, name: String) -> String {
        let Some(next) = self.0.get(&name).copied() else {
            self.0.insert(name.clone(), 1);
            return name;
        };
        let (number, free) = (next..)
            .map(|number| (number, format!("{name}_{number}")))
            .find(|(_, name)| !self.0.contains_key(name))
            .expect("there are more numbers than names");
        self.0.insert(name, number + 1);
        self.0.insert(free.clone(), 1);
        free
    }
}
