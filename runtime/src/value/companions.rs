//! Variables that one variable keeps for others: what an optimiser remembers of each variable that it trains.
//! Knows no optimiser.

use super::Variable;
use parking_lot::Mutex;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Weak;

/// The variables that one keeps: by the id of the variable that each is for, and its role.
#[derive(Default)]
pub(super) struct Companions(Mutex<BTreeMap<(u64, &'static str), Companion>>);

struct Companion {
    /// The variable that it is for: when that is gone, nobody asks for it any more.
    of: Weak<dyn Any + Send + Sync>,
    variable: Variable,
}

impl Variable {
    /// The variable that this one keeps for another in a role. The first time it is made, without a value.
    #[track_caller]
    pub(crate) fn companion(
        &self,
        of: &Variable,
        role: &'static str,
        name: impl FnOnce() -> String,
    ) -> Variable {
        let mut kept = self.kept().0.lock();
        if let Some(companion) = kept.get(&(of.id(), role)) {
            return companion.variable.clone();
        }
        kept.retain(|_, companion| companion.of.strong_count() > 0);
        // Those of two variables of one name are told apart by a number.
        let name = name();
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let is_free = |name: &String| kept.values().all(|it| it.variable.name() != name);
        let name = names.find(is_free).expect("there are more numbers than variables");
        let variable = Variable::kept_by_another(&name);
        let companion = Companion { of: of.life(), variable: variable.clone() };
        kept.insert((of.id(), role), companion);
        variable
    }

    /// All that it keeps for variables which still exist, in the order in which those were made, and then by role.
    pub(crate) fn companions(&self) -> Vec<Variable> {
        let kept = self.kept().0.lock();
        let alive = kept.values().filter(|it| it.of.strong_count() > 0);
        alive.map(|it| it.variable.clone()).filter(|it| it.spec().is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn each_pair_has_its_own_and_keeps_it() {
        let variable = |name: &str| Variable::from_value(name, Value::scalar(1.0f32));
        let [step, other, w, b] = ["step", "other", "w", "b"].map(variable);
        let made = |keeper: &Variable, of: &Variable, role: &'static str| {
            keeper.companion(of, role, || format!("{}/{role}", of.name()))
        };
        let m = made(&step, &w, "m");
        assert_eq!((m.name(), m.spec(), m.is_trainable(), m.is_kept()), ("w/m", None, false, true));
        assert!(m.is_same(&made(&step, &w, "m")));
        for another in [made(&step, &w, "v"), made(&step, &b, "m"), made(&other, &w, "m")] {
            assert!(!m.is_same(&another));
        }
        assert!(step.companions().is_empty(), "none of them is built");
        m.build(Value::scalar(0.0f32)).unwrap();
        made(&step, &b, "m").build(Value::scalar(0.0f32)).unwrap();
        let names = |it: &Variable| -> Vec<String> {
            it.companions().iter().map(|it| it.name().to_string()).collect()
        };
        assert_eq!(names(&step), ["w/m", "b/m"]);
        let twin = variable("w");
        assert_eq!(made(&step, &twin, "m").name(), "w/m_1");
        drop(w);
        assert_eq!(names(&step), ["b/m"], "nobody asks for that of a variable which is gone");
    }
}
