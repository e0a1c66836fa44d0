//! Locks on variables: one for a read or an assignment, a set of them for a whole run. Knows no plan.

use super::{Value, Variable};
use crate::error::{Error, ErrorKind, Result};
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem;
use std::time::Duration;

/// How long a host function waits for a variable while the run around it holds others. Two such runs may wait for
/// each other; an error says so, where they would wait for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a run does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It only reads it: other readers may run at once.
    Read,
    /// It may write it.
    Write,
    /// It writes it, and does not look at what it holds, which may be nothing.
    Overwrite,
}

/// A variable that a run uses.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a> {
    /// The variable.
    pub(crate) variable: &'a Variable,
    /// What the run does with it.
    pub(crate) access: Access,
}

/// The variables that a run uses, locked from its start to its end: whoever looks sees all of the run or nothing.
///
/// Acquiring allocates nothing. Values are addressed by the index of their claim.
pub(crate) struct Locks<'a> {
    claims: &'a [Claim<'a>],
    /// The claims in the order of their ids; empty if they stand in that order.
    order: &'a [u32],
    /// How many of the claims are held, from the first of that order.
    held: usize,
    /// Those of them that an outer run of this thread holds, and their values: they are not locked again.
    lent: Vec<(usize, Option<Value>)>,
    /// A lock is released by the thread that took it.
    on_this_thread: PhantomData<*const ()>,
}

impl<'a> Locks<'a> {
    /// Waits for all the claims, each of another variable. They are locked in the order of their ids: of two runs
    /// that want the same variables, one waits for the other, and never each for the other. `order` is room for that.
    ///
    /// # Errors
    /// Only within a host function: if the run around it holds a variable that is claimed for writing, or if the wait
    /// lasts so long that two runs seem to wait for each other.
    pub(crate) fn acquire(claims: &'a [Claim<'a>], order: &'a mut Order) -> Result<Locks<'a>> {
        sort(claims, order);
        let mut locks =
            Locks { claims, order, held: 0, lent: Vec::new(), on_this_thread: PhantomData };
        for at in 0..claims.len() {
            let index = locks.nth(at);
            let Claim { variable, access } = claims[index];
            match (lent(variable.id()), access) {
                (Some(value), Access::Read) => locks.lent.push((index, value)),
                (Some(_), _) => return Err(variable.lent_for_writing()),
                (None, Access::Read) => mem::forget(shared(variable)?),
                (None, _) => mem::forget(exclusive(variable)?),
            }
            locks.held = at + 1;
        }
        Ok(locks)
    }

    /// The claim that is locked as this one of all, from 0.
    fn nth(&self, at: usize) -> usize {
        self.order.get(at).map_or(at, |index| *index as usize)
    }

    /// The value of a claimed variable, unless it has none yet.
    pub(crate) fn value(&self, index: usize) -> Option<&Value> {
        if let Some((_, value)) = self.lent.iter().find(|(lent, _)| *lent == index) {
            return value.as_ref();
        }
        // SAFETY: `self` holds this lock, shared or exclusive, and `slot` needs `&mut self` to write.
        unsafe { (*self.claims[index].variable.cell().data_ptr()).as_ref() }
    }

    /// Puts a value into a variable that is claimed for writing, and gives the old one back, if there is one.
    pub(crate) fn exchange(&mut self, index: usize, value: &mut Value) {
        let Claim { variable, access } = self.claims[index];
        assert!(access != Access::Read, "variable `{}` is claimed for reading", variable.name());
        // SAFETY: `self` holds this lock exclusively and is borrowed mutably.
        let slot = unsafe { &mut *variable.cell().data_ptr() };
        match slot {
            Some(old) => mem::swap(old, value),
            None => *slot = Some(value.clone()),
        }
    }

    /// All claimed values at once, in the order of the claims.
    ///
    /// # Errors
    /// If one has no value yet.
    pub(crate) fn held<'l>(&'l mut self, into: &mut SmallVec<[Held<'l>; 24]>) -> Result<()> {
        for (index, claim) in self.claims.iter().enumerate() {
            let held = match claim.access {
                Access::Read => self.value(index).map(Held::Read),
                access => {
                    // SAFETY: `self` holds this lock exclusively and is borrowed mutably; claims are of distinct variables.
                    let slot: &mut Option<Value> =
                        unsafe { &mut *claim.variable.cell().data_ptr() };
                    match slot {
                        Some(value) => Some(Held::Write(value)),
                        None if access == Access::Overwrite => Some(Held::Empty(slot)),
                        None => None,
                    }
                }
            };
            into.push(held.ok_or_else(|| claim.variable.without_value())?);
        }
        Ok(())
    }
}

/// Indices of claims, in the order of their ids; none if they stand in that order.
pub(crate) type Order = SmallVec<[u32; 24]>;

#[inline]
fn sort(claims: &[Claim<'_>], order: &mut Order) {
    let id = |claim: &Claim<'_>| claim.variable.id();
    if !claims.is_sorted_by(|a, b| id(a) < id(b)) {
        order.extend(0..u32::try_from(claims.len()).expect("a run has fewer than 2^32 variables"));
        order.sort_unstable_by_key(|index| id(&claims[*index as usize]));
    }
}

/// Calls a host function, which may read these variables though the run around it has locked them.
///
/// The values are shared with what the host function reads, so the run must not write their bytes afterwards.
pub(crate) fn lend<R>(
    values: impl IntoIterator<Item = (u64, Option<Value>)>,
    host: impl FnOnce() -> R,
) -> R {
    let values = values.into_iter().map(|(variable, value)| Lent { variable, value });
    let outer = LENT.with_borrow_mut(|lent| {
        let outer = lent.len();
        lent.extend(values);
        outer
    });
    let _taken_back = TakeBack { outer };
    host()
}

/// The value of a claimed variable.
pub(crate) enum Held<'a> {
    /// For reading.
    Read(&'a Value),
    /// For reading and writing.
    Write(&'a mut Value),
    /// For a first value.
    Empty(&'a mut Option<Value>),
}

impl Held<'_> {
    /// The value, if there is one.
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Held::Read(value) => Some(value),
            Held::Write(value) => Some(value),
            Held::Empty(_) => None,
        }
    }
}

impl Drop for Locks<'_> {
    fn drop(&mut self) {
        for index in (0..self.held).rev().map(|at| self.nth(at)) {
            if self.lent.iter().any(|(lent, _)| *lent == index) {
                continue;
            }
            let Claim { variable, access } = self.claims[index];
            let cell = variable.cell();
            match access {
                // SAFETY: `acquire` took this lock for reading, on this thread, and forgot its guard.
                Access::Read => unsafe { cell.force_unlock_read() },
                // SAFETY: `acquire` took this lock for writing, on this thread, and forgot its guard.
                Access::Write | Access::Overwrite => unsafe { cell.force_unlock_write() },
            }
        }
    }
}

/// A variable that a run of this thread holds while it is in a host function.
struct Lent {
    variable: u64,
    value: Option<Value>,
}

thread_local! {
    static LENT: RefCell<Vec<Lent>> = const { RefCell::new(Vec::new()) };
}

/// Ends a lending, also when the host function panics.
struct TakeBack {
    outer: usize,
}

impl Drop for TakeBack {
    fn drop(&mut self) {
        // The values are dropped after the borrow: an owner of foreign bytes may do anything.
        let ended = LENT.with_borrow_mut(|lent| lent.split_off(self.outer));
        drop(ended);
    }
}

/// The value of a variable that the run around this host function holds.
pub(super) fn lent(variable: u64) -> Option<Option<Value>> {
    LENT.with_borrow(|lent| {
        lent.iter().rev().find(|it| it.variable == variable).map(|it| it.value.clone())
    })
}

/// Waits for a lock that others may share.
pub(super) fn shared(variable: &Variable) -> Result<RwLockReadGuard<'_, Option<Value>>> {
    let cell = variable.cell();
    if LENT.with_borrow(Vec::is_empty) {
        return Ok(cell.read());
    }
    cell.try_read_for(PATIENCE).ok_or_else(|| too_long(variable))
}

/// Waits for a lock that nobody shares.
pub(super) fn exclusive(variable: &Variable) -> Result<RwLockWriteGuard<'_, Option<Value>>> {
    let cell = variable.cell();
    if LENT.with_borrow(Vec::is_empty) {
        return Ok(cell.write());
    }
    cell.try_write_for(PATIENCE).ok_or_else(|| too_long(variable))
}

fn too_long(variable: &Variable) -> Error {
    let message = format!(
        "a host function waited {} s for variable `{}`, within a run that holds others",
        PATIENCE.as_secs(),
        variable.name()
    );
    Error::new(ErrorKind::Variable, message).with_help(
        "two runs wait for each other: read the variable in the traced function and pass its value",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    fn claim(variable: &Variable, access: Access) -> Claim<'_> {
        Claim { variable, access }
    }

    fn number(value: Option<&Value>) -> i32 {
        value.expect("it has a value").as_slice::<i32>().expect("an i32")[0]
    }

    fn add_one(locks: &mut Locks<'_>, index: usize) {
        let mut held = SmallVec::new();
        locks.held(&mut held).unwrap();
        let Held::Write(value) = &mut held[index] else { panic!("it is claimed for writing") };
        let next = number(Some(value)) + 1;
        match value.buffer_mut().unshared_mut() {
            // SAFETY: the buffer is one unshared i32.
            Some(data) => unsafe { data.cast::<i32>().write(next) },
            None => **value = Value::scalar(next),
        }
    }

    #[test]
    fn four_threads_count_to_four_thousand() {
        let v = Variable::from_value("v", Value::scalar(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let claims = [claim(&v, Access::Write)];
                    for _ in 0..1000 {
                        add_one(&mut Locks::acquire(&claims, &mut Order::new()).unwrap(), 0);
                    }
                });
            }
        });
        assert_eq!(number(v.load().ok().as_ref()), 4000);
    }

    #[test]
    fn a_run_that_writes_two_variables_is_never_seen_half_done() {
        let a = Variable::from_value("a", Value::scalar(0));
        let b = Variable::from_value("b", Value::scalar(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let claims = [claim(&a, Access::Write), claim(&b, Access::Write)];
                for _ in 0..2000 {
                    let mut order = Order::new();
                    let mut locks = Locks::acquire(&claims, &mut order).unwrap();
                    add_one(&mut locks, 0);
                    add_one(&mut locks, 1);
                }
            });
            scope.spawn(|| {
                let claims = [claim(&a, Access::Read), claim(&b, Access::Read)];
                for _ in 0..2000 {
                    let mut order = Order::new();
                    let locks = Locks::acquire(&claims, &mut order).unwrap();
                    assert_eq!(number(locks.value(0)), number(locks.value(1)));
                }
            });
        });
    }

    #[test]
    fn claims_may_stand_in_any_order_and_are_locked_in_one() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Variable::from_value(name, Value::scalar(0)));
        let claims = [&c, &a, &b].map(|variable| claim(variable, Access::Write));
        let mut order = Order::new();
        let mut locks = Locks::acquire(&claims, &mut order).unwrap();
        assert_eq!([0, 1, 2].map(|at| locks.nth(at)), [1, 2, 0]);
        add_one(&mut locks, 0);
        drop(locks);
        assert_eq!([&a, &b, &c].map(|it| number(it.load().ok().as_ref())), [0, 0, 1]);
        b.store(Value::scalar(1)).unwrap();
    }

    #[test]
    fn a_value_that_is_held_is_copied_before_it_is_written() {
        let v = Variable::from_value("v", Value::scalar(1));
        let held = v.load().unwrap();
        add_one(&mut Locks::acquire(&[claim(&v, Access::Write)], &mut Order::new()).unwrap(), 0);
        assert_eq!((number(Some(&held)), number(v.load().ok().as_ref())), (1, 2));
    }

    #[test]
    fn a_host_function_reads_what_the_run_holds_and_may_not_write_it() {
        let v = Variable::from_value("v", Value::scalar(1));
        let claims = [claim(&v, Access::Write)];
        let mut order = Order::new();
        let mut locks = Locks::acquire(&claims, &mut order).unwrap();
        add_one(&mut locks, 0);
        let value = locks.value(0).cloned().unwrap();
        lend([(v.id(), Some(value))], || {
            assert_eq!(number(v.load().ok().as_ref()), 2);
            let error = v.store(Value::scalar(9)).unwrap_err();
            assert_eq!(
                error.message(),
                "variable `v` is assigned by a host function, within a run that holds it"
            );
            let inner_claims = [claim(&v, Access::Read)];
            let mut order = Order::new();
            let inner = Locks::acquire(&inner_claims, &mut order).unwrap();
            assert_eq!(number(inner.value(0)), 2);
            drop(inner);
            let writer =
                Locks::acquire(&claims, &mut Order::new()).err().expect("the outer run holds it");
            assert_eq!(writer.message(), error.message());
        });
        add_one(&mut locks, 0);
        drop(locks);
        v.store(Value::scalar(number(v.load().ok().as_ref()) + 1)).unwrap();
        assert_eq!(number(v.load().ok().as_ref()), 4);
    }

    #[test]
    fn a_host_function_that_panics_leaves_every_lock_free() {
        let v = Variable::from_value("v", Value::scalar(1));
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let claims = [claim(&v, Access::Write)];
            let mut order = Order::new();
            let locks = Locks::acquire(&claims, &mut order).unwrap();
            let value = locks.value(0).cloned().unwrap();
            lend([(v.id(), Some(value))], || std::panic::resume_unwind(Box::new(())))
        }));
        assert!(ended.is_err());
        v.store(Value::scalar(5)).unwrap();
        assert_eq!(number(v.load().ok().as_ref()), 5);
    }
}
