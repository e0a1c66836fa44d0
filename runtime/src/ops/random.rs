//! Random numbers: from generators, whose state is a variable, or from seeds that the caller keeps.
//! Knows no weights; those draw by their names, in `initializer`.

use super::operand::Operand;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Effects, Entry, Gradient, Key, Kind, Lowered, Mapping, Names, Op, OpRef,
    Parsed, Sample, Specs, Tensor, Tree, apply_all, or_raise, recorder, run_eagerly,
};
use crate::kernels::random::{Real, draw};
use crate::kernels::{self, Distribution, Lowering};
use crate::types::{DType, Shape, Spec};
use crate::value::{Access, Claim, Held, Locks, Order, Value, Variable};
use once_cell::sync::Lazy;
use smallvec::{SmallVec, smallvec};

/// A source of random numbers: each draw goes on where the last one ended.
///
/// Its state is a variable, so a traced function that draws gives fresh numbers at each call, and the same ones in the
/// next run of the program: for any number of threads, eagerly or traced. Cloning shares it.
///
/// ```
/// use graphfn::random::Generator;
///
/// let (a, b) = (Generator::new(7), Generator::new(7));
/// let first = a.uniform::<f32>([3], -1.0, 1.0).to_vec::<f32>();
/// assert_eq!(first, b.uniform::<f32>([3], -1.0, 1.0).to_vec::<f32>());
/// assert_ne!(first, a.uniform::<f32>([3], -1.0, 1.0).to_vec::<f32>());
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    /// Seed and counter, `i64[2]`.
    state: Variable,
}

/// What draws that name no generator take their numbers from.
static DEFAULT: Lazy<Generator> = Lazy::new(|| Generator {
    state: Variable::from_value("default_generator", started(0)).untrainable(),
});

/// The state of a generator that has drawn nothing.
fn started(seed: i64) -> Value {
    Value::from(vec![seed, 0])
}

impl Generator {
    /// A generator that begins with this seed.
    ///
    /// # Panics
    /// As [`Variable::new`], if a traced function makes it.
    #[track_caller]
    pub fn new(seed: i64) -> Generator {
        Generator { state: Variable::new("generator", started(seed)).untrainable() }
    }

    /// Begins anew with this seed.
    #[track_caller]
    pub fn reset(&self, seed: i64) {
        self.state.assign(Tensor::from(started(seed)));
    }

    /// The variable that holds seed and counter, `i64[2]`: for checkpoints.
    pub fn state(&self) -> &Variable {
        &self.state
    }

    /// Numbers that are uniform in `[low, high)`.
    ///
    /// # Panics
    /// Raises an error unless `low < high`, both finite, with a number of the type between them.
    #[track_caller]
    pub fn uniform<T: Real>(&self, shape: impl Into<Shape>, low: f64, high: f64) -> Tensor {
        self.draw(Random::new::<T>(shape, Distribution::Uniform { low, high }))
    }

    /// Numbers of a normal distribution.
    ///
    /// # Panics
    /// Raises an error if `mean` is not finite, or `std` is negative or not finite.
    #[track_caller]
    pub fn normal<T: Real>(&self, shape: impl Into<Shape>, mean: f64, std: f64) -> Tensor {
        self.draw(Random::new::<T>(shape, Distribution::Normal { mean, std }))
    }

    /// Numbers of a normal distribution, those more than two standard deviations from the mean drawn again.
    ///
    /// # Panics
    /// As [`normal`](Generator::normal).
    #[track_caller]
    pub fn truncated_normal<T: Real>(
        &self,
        shape: impl Into<Shape>,
        mean: f64,
        std: f64,
    ) -> Tensor {
        self.draw(Random::new::<T>(shape, Distribution::TruncatedNormal { mean, std }))
    }

    #[track_caller]
    fn draw(&self, random: Random) -> Tensor {
        if recorder().is_none() {
            return or_raise(self.draw_at_once(&random.into()));
        }
        let (numbers, next) = numbers_and_next(random, &self.state.read());
        self.state.assign(next);
        numbers
    }

    /// Draws under the variable's lock: two threads never get the same numbers.
    fn draw_at_once(&self, random: &OpRef) -> Result<Tensor> {
        let claims = [Claim { variable: &self.state, access: Access::Write }];
        let mut order = Order::new();
        let mut locks = Locks::acquire(&claims, &mut order)?;
        let mut held = SmallVec::new();
        locks.held(&mut held)?;
        let [Held::Write(state)] = &mut held[..] else {
            unreachable!("one variable is claimed for writing")
        };
        let mut outputs = run_eagerly(random, &[&Tensor::from(Value::clone(state))])?;
        **state = outputs.pop().expect("a draw has two outputs").value();
        Ok(outputs.pop().expect("a draw has two outputs"))
    }
}

/// A generator in a model or among arguments is its variable.
impl Tree for Generator {
    fn key<'a>(&'a self, key: &mut Key<'a>) {
        Tree::key(&self.state, key);
    }

    fn leaves(&self, names: &mut Names<'_>) {
        Tree::leaves(&self.state, names);
    }

    fn map(&self, to: &mut Mapping<'_>) -> Generator {
        Generator { state: Tree::map(&self.state, to) }
    }
}

/// Begins anew with this seed: all draws that name no generator, and the weights that are made from here on.
///
/// A program that never calls it begins with seed 0.
#[track_caller]
pub fn set_seed(seed: i64) {
    DEFAULT.reset(seed);
}

/// The seed that `set_seed` set last.
pub(super) fn seed() -> i64 {
    let state = DEFAULT.state.load().expect("the default generator always has a state");
    state.as_slice::<i64>().expect("a variable's value is row-major")[0]
}

/// Numbers of the default generator that are uniform in `[low, high)`.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = random::uniform::<f32>([1000], -1.0, 1.0);
/// assert!(x.to_vec::<f32>().iter().all(|it| (-1.0..1.0).contains(it)));
/// ```
///
/// # Panics
/// As [`Generator::uniform`].
#[track_caller]
pub fn uniform<T: Real>(shape: impl Into<Shape>, low: f64, high: f64) -> Tensor {
    DEFAULT.uniform::<T>(shape, low, high)
}

/// Numbers of the default generator that are normal.
///
/// # Panics
/// As [`Generator::normal`].
#[track_caller]
pub fn normal<T: Real>(shape: impl Into<Shape>, mean: f64, std: f64) -> Tensor {
    DEFAULT.normal::<T>(shape, mean, std)
}

/// Numbers of the default generator that are normal, those more than two standard deviations from the mean drawn again.
///
/// # Panics
/// As [`Generator::normal`].
#[track_caller]
pub fn truncated_normal<T: Real>(shape: impl Into<Shape>, mean: f64, std: f64) -> Tensor {
    DEFAULT.truncated_normal::<T>(shape, mean, std)
}

/// Numbers that are uniform in `[low, high)`, a function of the seed alone: a number, or an `i64` tensor, a scalar or
/// `[seed, counter]`.
///
/// ```
/// use graphfn::prelude::*;
///
/// let x = || random::stateless_uniform::<f32>(7, [3], 0.0, 1.0).to_vec::<f32>();
/// assert_eq!(x(), x());
/// ```
///
/// # Panics
/// As [`Generator::uniform`], and for a seed of another type or shape.
#[track_caller]
pub fn stateless_uniform<T: Real>(
    seed: impl Operand,
    shape: impl Into<Shape>,
    low: f64,
    high: f64,
) -> Tensor {
    stateless(Random::new::<T>(shape, Distribution::Uniform { low, high }), seed)
}

/// Numbers that are normal, a function of the seed alone, as for [`stateless_uniform`].
///
/// # Panics
/// As [`Generator::normal`], and for a seed of another type or shape.
#[track_caller]
pub fn stateless_normal<T: Real>(
    seed: impl Operand,
    shape: impl Into<Shape>,
    mean: f64,
    std: f64,
) -> Tensor {
    stateless(Random::new::<T>(shape, Distribution::Normal { mean, std }), seed)
}

/// Numbers that are normal, those more than two standard deviations from the mean drawn again, a function of the seed
/// alone, as for [`stateless_uniform`].
///
/// # Panics
/// As [`Generator::normal`], and for a seed of another type or shape.
#[track_caller]
pub fn stateless_truncated_normal<T: Real>(
    seed: impl Operand,
    shape: impl Into<Shape>,
    mean: f64,
    std: f64,
) -> Tensor {
    stateless(Random::new::<T>(shape, Distribution::TruncatedNormal { mean, std }), seed)
}

#[track_caller]
fn stateless(random: Random, seed: impl Operand) -> Tensor {
    let seed = or_raise(seed.operand(DType::I64)).into_owned();
    let state = if seed.rank() == 0 { seed * Tensor::from([1i64, 0]) } else { seed };
    numbers_and_next(random, &state).0
}

#[track_caller]
fn numbers_and_next(random: Random, state: &Tensor) -> (Tensor, Tensor) {
    let label = random.name();
    let mut outputs = apply_all(random, &[state], label);
    let next = outputs.pop().expect("a draw has two outputs");
    (outputs.pop().expect("a draw has two outputs"), next)
}

/// Random numbers and the next state, from a state.
#[derive(Clone, Debug)]
struct Random {
    distribution: Distribution,
    spec: Spec,
}

impl Random {
    fn new<T: Real>(shape: impl Into<Shape>, distribution: Distribution) -> Random {
        Random { distribution, spec: Spec::new(T::DTYPE, shape) }
    }

    /// The function that takes a seed, which is how messages name the op.
    fn method(&self) -> &'static str {
        match self.distribution {
            Distribution::Uniform { .. } => "stateless_uniform",
            Distribution::Normal { .. } => "stateless_normal",
            Distribution::TruncatedNormal { .. } => "stateless_truncated_normal",
        }
    }

    fn kernel(&self) -> kernels::Random {
        kernels::Random { distribution: self.distribution }
    }
}

impl Op for Random {
    fn name(&self) -> &'static str {
        match self.distribution {
            Distribution::Uniform { .. } => "RandomUniform",
            Distribution::Normal { .. } => "RandomStandardNormal",
            Distribution::TruncatedNormal { .. } => "TruncatedNormal",
        }
    }

    fn attrs(&self) -> Attrs {
        let attrs = Attrs::none().with("dtype", self.spec.dtype()).with("shape", self.spec.shape());
        match self.distribution {
            Distribution::Uniform { low, high } => attrs.with("low", low).with("high", high),
            Distribution::Normal { mean, std } | Distribution::TruncatedNormal { mean, std } => {
                attrs.with("mean", mean).with("std", std)
            }
        }
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let state = Spec::new(DType::I64, [2]);
        if inputs[0] != state {
            let (method, found) = (self.method(), inputs[0]);
            let message = format!("`{method}` needs a seed of i64[] or i64[2], found {found}");
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("give a number, or a tensor `[seed, counter]` of i64"));
        }
        // Drawing nothing says whether the parameters make a distribution.
        match self.spec.dtype() {
            DType::F32 => drop(draw::<f32>(self.kernel(), [0, 0], 0)?),
            DType::F64 => drop(draw::<f64>(self.kernel(), [0, 0], 0)?),
            other => {
                let message = format!("`{}` gives float32 or float64, not {other}", self.method());
                return Err(
                    Error::new(ErrorKind::Type, message).with_help("draw floats, and cast them")
                );
            }
        }
        Ok(smallvec![self.spec, state])
    }

    fn kind(&self) -> Kind {
        Kind::Random
    }

    fn effects(&self, _: &[Spec]) -> Effects {
        Effects::NONE
    }

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::None
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Kernel(Lowering::Random(self.kernel()))
    }
}

/// The ops of this family.
pub(super) const OPS: &[Entry] = &[
    Entry {
        name: "RandomUniform",
        make: |attrs| {
            make(
                attrs,
                Distribution::Uniform { low: attrs.float("low")?, high: attrs.float("high")? },
            )
        },
        samples: || samples(Distribution::Uniform { low: -1.0, high: 2.0 }),
    },
    Entry {
        name: "RandomStandardNormal",
        make: |attrs| {
            make(
                attrs,
                Distribution::Normal { mean: attrs.float("mean")?, std: attrs.float("std")? },
            )
        },
        samples: || samples(Distribution::Normal { mean: 1.0, std: 0.5 }),
    },
    Entry {
        name: "TruncatedNormal",
        make: |attrs| {
            let (mean, std) = (attrs.float("mean")?, attrs.float("std")?);
            make(attrs, Distribution::TruncatedNormal { mean, std })
        },
        samples: || samples(Distribution::TruncatedNormal { mean: 0.0, std: 1.0 }),
    },
];

fn make(attrs: &Parsed, distribution: Distribution) -> Result<OpRef> {
    let spec = Spec::new(attrs.dtype("dtype")?, attrs.shape("shape")?);
    Ok(Random { distribution, spec }.into())
}

fn samples(distribution: Distribution) -> Vec<Sample> {
    let shapes = [Shape::scalar(), Shape::from([5]), Shape::from([2, 0]), Shape::from([3, 2, 4])];
    let call = |dtype: DType, shape: Shape| Sample {
        op: Random { distribution, spec: Spec::new(dtype, shape) }.into(),
        inputs: vec![started(7)],
    };
    let of_type = |dtype: DType| shapes.clone().into_iter().map(move |shape| call(dtype, shape));
    of_type(DType::F32).chain(of_type(DType::F64)).collect()
}
