//! The first values of variables: constants, and random numbers that depend on the variable's name.
//! Knows no variables; who makes one asks for its value.

use super::random::seed;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Recording, Tensor};
use crate::kernels::random::draw;
use crate::kernels::{Distribution, Random};
use crate::types::{DType, Spec};
use crate::value::Value;
use std::fmt::Debug;

/// Gives a variable its first value.
pub trait Initializer: Debug + Send + Sync {
    /// The value of a variable of this spec. Random ones come from the stream alone, which is the variable's own.
    ///
    /// It runs eagerly, also while a function is traced.
    ///
    /// # Errors
    /// If it makes no values of this spec.
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor>;

    /// Between which numbers its values are spread evenly, if they are: what exporters write down.
    #[doc(hidden)]
    fn bounds(&self, _: Spec) -> Option<(f64, f64)> {
        None
    }
}

/// The first value of a variable of this full name.
///
/// # Errors
/// If a size is unknown, the initializer refuses the spec, or it gives a value of another spec.
pub(crate) fn first_value(initializer: &dyn Initializer, spec: Spec, name: &str) -> Result<Value> {
    if spec.known().is_none() {
        let message = format!("variable `{name}` needs known sizes, found {:?}", spec.shape());
        return Err(Error::new(ErrorKind::Variable, message).with_help(
            "declare the size in the signature as a number, or give the shape in numbers",
        ));
    }
    let _eagerly = Recording::eagerly();
    let value = initializer.value(spec, Stream::of(name))?.value();
    if value.spec() != spec {
        let message = format!(
            "{initializer:?} made {} as the first value of variable `{name}`, which is {spec}",
            value.spec()
        );
        return Err(Error::new(ErrorKind::Variable, message)
            .with_help("an initializer gives a value of the spec that it is asked for"));
    }
    Ok(value)
}

/// Random numbers for one variable: a function of its full name and of the seed that
/// [`set_seed`](crate::random::set_seed) set last.
///
/// So a variable has the same numbers whatever other variables a model has, and in whatever order they are made. The
/// seed of the stream is `mix(fnv(name) ^ mix(seed))`, where `fnv` is the 64-bit hash FNV-1a of the name's bytes
/// (Fowler, Noll and Vo) and `mix` the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    seed: i64,
}

impl Stream {
    /// The stream of the variable of this full name, `dense1/weight`.
    pub fn of(name: &str) -> Stream {
        let seed = mix(fnv(name.as_bytes()) ^ mix(seed().cast_unsigned()));
        Stream { seed: seed.cast_signed() }
    }

    /// The seed, for draws of your own: `random::stateless_uniform(stream.seed(), ..)`.
    pub fn seed(self) -> i64 {
        self.seed
    }

    fn draw(self, spec: Spec, distribution: Distribution) -> Result<Tensor> {
        let (random, count) = (Random { distribution }, spec.sizes().iter().product());
        let state = [self.seed, 0];
        Ok(match spec.dtype() {
            DType::F32 => {
                Value::from_vec(spec.sizes(), draw::<f32>(random, state, count)?.0).into()
            }
            DType::F64 => {
                Value::from_vec(spec.sizes(), draw::<f64>(random, state, count)?.0).into()
            }
            other => {
                let message = format!("random first values are float32 or float64, found {other}");
                return Err(Error::new(ErrorKind::Type, message)
                    .with_help("name another initializer: `init::Zeros`, `init::Constant(..)`"));
            }
        })
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// All zeros, or `false`.
#[derive(Clone, Copy, Debug)]
pub struct Zeros;

/// All ones, or `true`.
#[derive(Clone, Copy, Debug)]
pub struct Ones;

/// All the same number, which must fit the variable's type.
#[derive(Clone, Copy, Debug)]
pub struct Constant(
    /// The number.
    pub f64,
);

/// Uniform from the first number to below the second.
#[derive(Clone, Copy, Debug)]
pub struct Uniform(
    /// The lower end.
    pub f64,
    /// The upper end, not reached.
    pub f64,
);

/// Normal.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub std: f64,
}

/// Normal, numbers more than two standard deviations from the mean drawn again.
#[derive(Clone, Copy, Debug)]
pub struct TruncatedNormal {
    /// The mean.
    pub mean: f64,
    /// The standard deviation before numbers are drawn again.
    pub std: f64,
}

/// Uniform within `±sqrt(6 / (fan_in + fan_out))`.
///
/// X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks" (AISTATS 2010).
/// The fans are those of Keras: the sizes of the last two axes, times the number of positions of the axes before them;
/// a vector's length is both.
#[derive(Clone, Copy, Debug)]
pub struct GlorotUniform;

/// Truncated normal of variance `2 / (fan_in + fan_out)` after truncation, as Keras; the fans are as for [`GlorotUniform`].
#[derive(Clone, Copy, Debug)]
pub struct GlorotNormal;

/// Uniform within `±sqrt(6 / fan_in)`; the fans are as for [`GlorotUniform`].
///
/// K. He and others, "Delving deep into rectifiers" (ICCV 2015).
#[derive(Clone, Copy, Debug)]
pub struct HeUniform;

/// Truncated normal of variance `2 / fan_in` after truncation, as Keras; the fans are as for [`GlorotUniform`].
#[derive(Clone, Copy, Debug)]
pub struct HeNormal;

impl Initializer for Zeros {
    fn value(&self, spec: Spec, _: Stream) -> Result<Tensor> {
        filled(spec, 0.0)
    }
}

impl Initializer for Ones {
    fn value(&self, spec: Spec, _: Stream) -> Result<Tensor> {
        filled(spec, 1.0)
    }
}

impl Initializer for Constant {
    fn value(&self, spec: Spec, _: Stream) -> Result<Tensor> {
        filled(spec, self.0)
    }
}

impl Initializer for Uniform {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        stream.draw(spec, Distribution::Uniform { low: self.0, high: self.1 })
    }

    fn bounds(&self, _: Spec) -> Option<(f64, f64)> {
        Some((self.0, self.1))
    }
}

impl Initializer for Normal {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        stream.draw(spec, Distribution::Normal { mean: self.mean, std: self.std })
    }
}

impl Initializer for TruncatedNormal {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        stream.draw(spec, Distribution::TruncatedNormal { mean: self.mean, std: self.std })
    }
}

impl Initializer for GlorotUniform {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        let (fan_in, fan_out) = fans(spec.sizes());
        uniform_of_variance(2.0 / (fan_in + fan_out), spec, stream)
    }

    fn bounds(&self, spec: Spec) -> Option<(f64, f64)> {
        let (fan_in, fan_out) = fans(spec.sizes());
        Some(bounds_of(2.0 / (fan_in + fan_out)))
    }
}

impl Initializer for GlorotNormal {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        let (fan_in, fan_out) = fans(spec.sizes());
        normal_of_variance(2.0 / (fan_in + fan_out), spec, stream)
    }
}

impl Initializer for HeUniform {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        uniform_of_variance(2.0 / fans(spec.sizes()).0, spec, stream)
    }

    fn bounds(&self, spec: Spec) -> Option<(f64, f64)> {
        Some(bounds_of(2.0 / fans(spec.sizes()).0))
    }
}

impl Initializer for HeNormal {
    fn value(&self, spec: Spec, stream: Stream) -> Result<Tensor> {
        normal_of_variance(2.0 / fans(spec.sizes()).0, spec, stream)
    }
}

/// How many inputs an output element sums, and how many outputs an input element goes into: `compute_fans` of Keras.
fn fans(sizes: &[usize]) -> (f64, f64) {
    let (fan_in, fan_out) = match sizes {
        [] => (1, 1),
        [only] => (*only, *only),
        [positions @ .., fan_in, fan_out] => {
            let positions: usize = positions.iter().product();
            (fan_in * positions, fan_out * positions)
        }
    };
    (fan_in.max(1) as f64, fan_out.max(1) as f64)
}

fn uniform_of_variance(variance: f64, spec: Spec, stream: Stream) -> Result<Tensor> {
    let (low, high) = bounds_of(variance);
    stream.draw(spec, Distribution::Uniform { low, high })
}

/// The variance of numbers uniform in [-a, a) is a^2 / 3.
fn bounds_of(variance: f64) -> (f64, f64) {
    let limit = (3.0 * variance).sqrt();
    (-limit, limit)
}

/// The standard deviation of a standard normal distribution truncated at two:
/// `scipy.stats.truncnorm.std(-2, 2)`, as Keras writes it.
const TRUNCATED_STD: f64 = 0.879_625_661_034_239_8;

fn normal_of_variance(variance: f64, spec: Spec, stream: Stream) -> Result<Tensor> {
    let std = variance.sqrt() / TRUNCATED_STD;
    stream.draw(spec, Distribution::TruncatedNormal { mean: 0.0, std })
}

fn filled(spec: Spec, number: f64) -> Result<Tensor> {
    super::source::number(number, spec.dtype()).map(|it| Tensor::full(spec.shape(), it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_name_is_fnv_1a_and_splitmix64() {
        // The first two from the tables of the FNV page of L. C. Noll, the third from the reference code of SplitMix64.
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }

    /// `keras.src.initializers.random_initializers.compute_fans`, Keras 3.
    #[test]
    fn fans_are_those_of_keras() {
        for (sizes, fan_in, fan_out) in [
            (&[][..], 1.0, 1.0),
            (&[7], 7.0, 7.0),
            (&[32, 10], 32.0, 10.0),
            (&[3, 3, 16, 32], 144.0, 288.0),
            (&[0, 4], 1.0, 4.0),
        ] {
            assert_eq!(fans(sizes), (fan_in, fan_out), "{sizes:?}");
        }
    }

    /// Mean, standard deviation and largest magnitude of many weights.
    fn measured(initializer: &dyn Initializer, sizes: [usize; 2]) -> (f64, f64, f64) {
        let spec = Spec::new(DType::F64, sizes);
        let value = first_value(initializer, spec, "layer/weight").unwrap();
        let numbers = value.to_vec::<f64>().unwrap();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let variance = numbers.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        let largest = numbers.iter().fold(0f64, |most, it| most.max(it.abs()));
        (mean, (variance / numbers.len() as f64).sqrt(), largest)
    }

    #[test]
    fn weights_have_the_mean_deviation_and_range_that_they_should() {
        let sizes = [100, 200];
        let count = (sizes[0] * sizes[1]) as f64;
        let check = |initializer: &dyn Initializer, mean: f64, std: f64, range: f64| {
            let (found_mean, found_std, largest) = measured(initializer, sizes);
            // Five standard errors; that of a standard deviation is at most that of a normal distribution's.
            assert!((found_mean - mean).abs() < 5.0 * std / count.sqrt(), "{initializer:?}");
            assert!((found_std - std).abs() < 5.0 * std / (2.0 * count).sqrt(), "{initializer:?}");
            assert!(largest <= range, "{initializer:?}: {largest}");
            assert!(largest > 0.9 * range || range.is_infinite(), "{initializer:?}: {largest}");
        };
        let glorot = (2f64 / 300.0).sqrt();
        let he = (2f64 / 100.0).sqrt();
        let (uniform, two_sigma) = (3f64.sqrt(), 2.0 / TRUNCATED_STD);
        check(&GlorotUniform, 0.0, glorot, glorot * uniform);
        check(&GlorotNormal, 0.0, glorot, glorot * two_sigma);
        check(&HeUniform, 0.0, he, he * uniform);
        check(&HeNormal, 0.0, he, he * two_sigma);
        check(&Uniform(-2.0, 2.0), 0.0, 4.0 / 12f64.sqrt(), 2.0);
        check(&Normal { mean: 3.0, std: 0.5 }, 3.0, 0.5, f64::INFINITY);
        check(&TruncatedNormal { mean: 0.0, std: 0.5 }, 0.0, 0.5 * TRUNCATED_STD, 1.0);
    }

    #[test]
    fn constants_fill_and_must_fit() {
        let value = |initializer: &dyn Initializer, dtype: DType| {
            first_value(initializer, Spec::new(dtype, [2]), "v")
        };
        assert_eq!(value(&Zeros, DType::F32).unwrap().to_vec::<f32>(), Some(vec![0.0; 2]));
        assert_eq!(value(&Ones, DType::Bool).unwrap().to_vec::<bool>(), Some(vec![true; 2]));
        assert_eq!(value(&Constant(3.0), DType::I64).unwrap().to_vec::<i64>(), Some(vec![3; 2]));
        let half = value(&Constant(0.5), DType::I32).unwrap_err();
        assert_eq!(half.message(), "int32 does not hold the number 0.5");
        let random = value(&GlorotUniform, DType::I32).unwrap_err();
        assert_eq!(random.message(), "random first values are float32 or float64, found int32");
    }

    #[test]
    fn a_value_has_the_spec_that_was_asked_for() {
        #[derive(Debug)]
        struct Wrong;
        impl Initializer for Wrong {
            fn value(&self, _: Spec, _: Stream) -> Result<Tensor> {
                Ok(Tensor::from(1.0f32))
            }
        }
        let spec = Spec::new(DType::F32, [2]);
        let wrong = first_value(&Wrong, spec, "v").unwrap_err();
        assert_eq!(
            wrong.message(),
            "Wrong made f32[] as the first value of variable `v`, which is f32[2]"
        );
        let size = crate::types::Dim::symbol(crate::types::Symbol::new("n"));
        let spec = spec.with_shape(crate::types::Shape::new([size]));
        let unknown = first_value(&Zeros, spec, "v").unwrap_err();
        assert_eq!(unknown.message(), "variable `v` needs known sizes, found [n]");
    }
}
