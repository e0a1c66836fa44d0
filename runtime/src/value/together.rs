//! Several variables read or written at once, so that nobody sees some of them old and some new. Knows no run and no file.

use super::lock::{Access, Claim, Locks, Order};
use super::{Value, Variable};
use crate::error::Result;

/// The values of some variables at one moment, between two runs that write them. Each may stand there once.
///
/// # Errors
/// If one has no value yet.
pub(crate) fn load_all(variables: &[&Variable]) -> Result<Vec<Value>> {
    let claims: Vec<Claim<'_>> =
        variables.iter().map(|variable| Claim { variable, access: Access::Read }).collect();
    let mut order = Order::new();
    let locks = Locks::acquire(&claims, &mut order)?;
    let value = |at: usize| locks.value(at).cloned().ok_or_else(|| variables[at].without_value());
    (0..variables.len()).map(value).collect()
}

/// Gives some variables new values at one moment, and builds those that are unbuilt. Each may stand there once.
///
/// # Errors
/// If a value does not fit its variable, or a run around this host function holds one. All then keep what they have.
pub(crate) fn store_all(variables: &[&Variable], values: Vec<Value>) -> Result<()> {
    let mut values: Vec<Value> = values.iter().map(Value::to_row_major).collect();
    let claims: Vec<Claim<'_>> =
        variables.iter().map(|variable| Claim { variable, access: Access::Write }).collect();
    let mut order = Order::new();
    let mut locks = Locks::acquire(&claims, &mut order)?;
    // Nobody builds them meanwhile: that needs the locks.
    for (variable, value) in variables.iter().zip(&values) {
        variable.accepts_at_first(value.spec())?;
    }
    for (at, variable) in variables.iter().enumerate() {
        variable.built_as(values[at].spec());
        locks.exchange(at, &mut values[at]);
    }
    // The old bytes may be many: they are freed when nobody waits.
    drop(locks);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::types::{DType, Spec};
    use std::thread;

    #[test]
    fn all_are_written_or_none() {
        let (a, b) = (Variable::from_value("a", Value::scalar(1)), Variable::unbuilt("b"));
        let wrong = vec![Value::scalar(1.0f32), Value::scalar(7)];
        let error = store_all(&[&b, &a], wrong.clone()).err();
        assert_eq!(error, None, "an unbuilt one takes any value");
        assert_eq!(b.spec(), Some(Spec::scalar(DType::F32)));
        let error = store_all(&[&a, &b], wrong).unwrap_err();
        assert_eq!(error.message(), "variable `a` holds i32[], found f32[]");
        let left: Vec<_> = load_all(&[&b, &a]).unwrap().iter().map(Value::dtype).collect();
        assert_eq!(left, [DType::F32, DType::I32]);
    }

    #[test]
    fn what_is_known_of_an_unbuilt_one_must_fit() {
        let weight = Variable::unbuilt_of("weight", &[None, Some(2)]);
        let refused = |value: Value| {
            let error = store_all(&[&weight], vec![value]).unwrap_err();
            assert_eq!((error.kind(), weight.spec()), (ErrorKind::Variable, None));
            error.message().to_string()
        };
        let text = "variable `weight` will hold floats of shape [?, 2], found";
        assert_eq!(refused(Value::from_vec([2], vec![0.0f32; 2])), format!("{text} f32[2]"));
        assert_eq!(refused(Value::from_vec([3, 1], vec![0.0; 3])), format!("{text} f64[3, 1]"));
        assert_eq!(refused(Value::from_vec([1, 2], vec![0; 2])), format!("{text} i32[1, 2]"));
        store_all(&[&weight], vec![Value::from_vec([3, 2], vec![0.0f32; 6])]).unwrap();
    }

    #[test]
    fn nobody_sees_some_of_them_old_and_some_new() {
        let [a, b] = ["a", "b"].map(|name| Variable::from_value(name, Value::scalar(0)));
        thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..2000 {
                    store_all(&[&b, &a], vec![Value::scalar(round), Value::scalar(round)]).unwrap();
                }
            });
            scope.spawn(|| {
                for _ in 0..2000 {
                    let seen = load_all(&[&a, &b]).unwrap();
                    assert_eq!(seen[0].as_slice::<i32>(), seen[1].as_slice::<i32>());
                }
            });
        });
    }

    #[test]
    fn one_without_a_value_has_none_to_give() {
        let a = Variable::unbuilt("a");
        assert_eq!(
            load_all(&[&a]).unwrap_err().message(),
            "variable `a` is read before it has a value"
        );
    }
}
