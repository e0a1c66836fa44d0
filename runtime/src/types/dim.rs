//! A dimension: a number, or a linear form in symbols that stand for unknown sizes. Knows no shapes.

use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use once_cell::sync::Lazy;

/// An unknown size, equal to itself alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

static NAMES: Lazy<Mutex<Vec<Arc<str>>>> = Lazy::new(Mutex::default);

impl Symbol {
    /// A new unknown size that prints as `name`.
    pub fn new(name: &str) -> Symbol {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name.into());
        Symbol(
            u32::try_from(names.len() - 1)
                .expect("fewer symbols than declared dimensions times functions"),
        )
    }

    /// What it prints as.
    pub fn name(self) -> Arc<str> {
        NAMES.lock().unwrap_or_else(PoisonError::into_inner)[self.0 as usize].clone()
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The size of one axis: a number, or a linear form such as `2*n+3`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Dim {
    /// A number.
    Known(usize),
    /// A linear form with at least one symbol.
    Linear(Arc<Linear>),
}

/// `constant + sum(factor * symbol)`, symbols in order and factors not zero.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Linear {
    constant: i64,
    terms: SmallVec<[(Symbol, i64); 2]>,
}

impl Dim {
    /// The dimension that is just this symbol.
    pub fn symbol(symbol: Symbol) -> Dim {
        Dim::from_terms(0, smallvec![(symbol, 1)]).expect("a symbol alone is not negative")
    }

    /// The number, unless a symbol is in it.
    pub fn known(&self) -> Option<usize> {
        match self {
            Dim::Known(size) => Some(*size),
            Dim::Linear(_) => None,
        }
    }

    /// The size, when the symbols have these sizes; `None` if one is missing or the result is negative.
    pub fn evaluate(&self, sizes: &BTreeMap<Symbol, usize>) -> Option<usize> {
        match self {
            Dim::Known(size) => Some(*size),
            Dim::Linear(form) => {
                let mut total = form.constant;
                for (symbol, factor) in &form.terms {
                    total += factor * i64::try_from(*sizes.get(symbol)?).ok()?;
                }
                usize::try_from(total).ok()
            }
        }
    }

    /// The symbols in it.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        let terms = match self {
            Dim::Known(_) => &[],
            Dim::Linear(form) => form.terms.as_slice(),
        };
        terms.iter().map(|(symbol, _)| *symbol)
    }

    /// The symbol, if the dimension is that symbol alone.
    pub fn as_symbol(&self) -> Option<Symbol> {
        match self {
            Dim::Linear(form)
                if form.constant == 0 && form.terms.len() == 1 && form.terms[0].1 == 1 =>
            {
                Some(form.terms[0].0)
            }
            _ => None,
        }
    }

    /// The sum, always linear; `None` when it is surely negative.
    pub fn plus(&self, other: &Dim) -> Option<Dim> {
        self.combined(other, 1)
    }

    /// The difference; `None` when it is surely negative.
    pub fn minus(&self, other: &Dim) -> Option<Dim> {
        self.combined(other, -1)
    }

    /// The product; `None` when both have symbols, which has no linear form.
    pub fn times(&self, other: &Dim) -> Option<Dim> {
        match (self, other) {
            (Dim::Known(a), Dim::Known(b)) => a.checked_mul(*b).map(Dim::Known),
            (Dim::Known(factor), form) | (form, Dim::Known(factor)) => {
                let (constant, terms) = form.terms();
                let factor = i64::try_from(*factor).ok()?;
                let terms = terms.into_iter().map(|(s, f)| (s, f * factor)).collect();
                Dim::from_terms(constant * factor, terms)
            }
            _ => None,
        }
    }

    /// The exact quotient; `None` when a part does not divide.
    pub fn over(&self, divisor: &Dim) -> Option<Dim> {
        if self == divisor && self != &Dim::Known(0) {
            return Some(Dim::Known(1));
        }
        let by = i64::try_from(divisor.known()?).ok().filter(|by| *by > 0)?;
        let (constant, mut terms) = self.terms();
        let divides = constant % by == 0 && terms.iter().all(|(_, factor)| factor % by == 0);
        terms.iter_mut().for_each(|(_, factor)| *factor /= by);
        divides.then(|| Dim::from_terms(constant / by, terms))?
    }

    /// The largest number that divides it, whatever the symbols are.
    pub fn content(&self) -> usize {
        let gcd = |a: u64, b: u64| {
            let (mut a, mut b) = (a, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let (constant, terms) = self.terms();
        let factors = terms.iter().map(|(_, factor)| factor.unsigned_abs());
        let content = factors.fold(constant.unsigned_abs(), gcd);
        usize::try_from(content).expect("it divides a size, which is a usize")
    }

    fn combined(&self, other: &Dim, sign: i64) -> Option<Dim> {
        let (constant, mut terms) = self.terms();
        let (other_constant, other_terms) = other.terms();
        for (symbol, factor) in other_terms {
            match terms.binary_search_by_key(&symbol, |term| term.0) {
                Ok(at) => terms[at].1 += sign * factor,
                Err(at) => terms.insert(at, (symbol, sign * factor)),
            }
        }
        Dim::from_terms(constant + sign * other_constant, terms)
    }

    /// The linear form: a constant, and a factor for each symbol.
    pub fn terms(&self) -> (i64, SmallVec<[(Symbol, i64); 2]>) {
        match self {
            Dim::Known(size) => {
                (i64::try_from(*size).expect("sizes fit in i64: memory does"), SmallVec::new())
            }
            Dim::Linear(form) => (form.constant, form.terms.clone()),
        }
    }

    fn from_terms(constant: i64, mut terms: SmallVec<[(Symbol, i64); 2]>) -> Option<Dim> {
        terms.retain(|term| term.1 != 0);
        if terms.is_empty() {
            return usize::try_from(constant).ok().map(Dim::Known);
        }
        Some(Dim::Linear(Arc::new(Linear { constant, terms })))
    }
}

impl From<usize> for Dim {
    fn from(size: usize) -> Dim {
        Dim::Known(size)
    }
}

impl PartialEq<usize> for Dim {
    fn eq(&self, size: &usize) -> bool {
        matches!(self, Dim::Known(it) if it == size)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self {
            Dim::Known(size) => return write!(f, "{size}"),
            Dim::Linear(form) => form,
        };
        for (i, (symbol, factor)) in form.terms.iter().enumerate() {
            let sign = if *factor < 0 { "-" } else { "+" };
            if i > 0 || *factor < 0 {
                f.write_str(sign)?;
            }
            match factor.unsigned_abs() {
                1 => write!(f, "{symbol:?}")?,
                factor => write!(f, "{factor}*{symbol:?}")?,
            }
        }
        match form.constant {
            0 => Ok(()),
            constant => write!(f, "{constant:+}"),
        }
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_stay_linear() {
        let n = Dim::symbol(Symbol::new("n"));
        let two_n = n.plus(&n).unwrap();
        assert_eq!(two_n.plus(&Dim::Known(3)).unwrap().to_string(), "2*n+3");
        assert_eq!(two_n.minus(&n).unwrap(), n);
        assert_eq!(n.minus(&n).unwrap(), Dim::Known(0));
        assert_eq!(n.times(&Dim::Known(4)).unwrap().over(&Dim::Known(2)).unwrap(), two_n);
        assert!(n.times(&n).is_none(), "n*n has no linear form");
        assert!(Dim::Known(2).minus(&Dim::Known(3)).is_none(), "a size is not negative");
        assert!(n.plus(&Dim::Known(1)).unwrap().over(&Dim::Known(2)).is_none());
    }

    #[test]
    fn content_divides_every_size() {
        let n = Dim::symbol(Symbol::new("n"));
        let six_n = n.times(&Dim::Known(6)).unwrap();
        assert_eq!(six_n.plus(&Dim::Known(4)).unwrap().content(), 2);
        assert_eq!((six_n.content(), n.content(), Dim::Known(12).content()), (6, 1, 12));
    }

    #[test]
    fn evaluates_with_sizes() {
        let symbol = Symbol::new("n");
        let dim = Dim::symbol(symbol).times(&Dim::Known(2)).unwrap().minus(&Dim::Known(1)).unwrap();
        assert_eq!(dim.to_string(), "2*n-1");
        assert_eq!(dim.evaluate(&BTreeMap::from([(symbol, 5)])), Some(9));
        assert_eq!(dim.evaluate(&BTreeMap::from([(symbol, 0)])), None);
        assert_eq!(dim.evaluate(&BTreeMap::new()), None);
    }

    #[test]
    fn two_symbols_of_one_name_differ() {
        assert_ne!(Symbol::new("n"), Symbol::new("n"));
    }
}
