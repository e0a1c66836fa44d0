//! Elements left out at random. Knows generators only as what draws the numbers that decide.

use crate::error::{Error, ErrorKind, Result};
use crate::graph::{
    Attrs, Backward, Entry, Gradient, Lowered, Op, Sample, Specs, Tensor, apply, or_raise,
};
use crate::ops::forward::on_variables;
use crate::ops::pure::pure;
use crate::ops::random::{Generator, uniform};
use crate::ops::rows::{check_type, sample};
use crate::ops::samples::{call, varied};
use crate::types::{DType, FLOATS, Shape, Spec};
use smallvec::smallvec;

impl Tensor {
    /// Each element replaced by 0 with this probability, and the others times `1 / (1 - rate)`, so that the mean stays.
    ///
    /// For training: what to leave out is drawn anew from the default generator at each call, also in a traced
    /// function. As `tf.nn.dropout`, and `dropout` of PyTorch while training.
    ///
    /// ```
    /// use graphfn::prelude::*;
    ///
    /// let y = Tensor::ones::<f32>([100]).dropout(0.5).to_vec::<f32>();
    /// assert!(y.iter().all(|it| *it == 0.0 || *it == 2.0));
    /// ```
    ///
    /// # Panics
    /// Raises an error unless `0 <= rate < 1`, and for elements that are not floats.
    #[track_caller]
    pub fn dropout(&self, rate: f64) -> Tensor {
        let (op, shape) = or_raise(Dropout::on(self, rate));
        apply(op, &[self, &uniform::<f32>(shape, 0.0, 1.0)], "dropout")
    }

    /// As [`dropout`](Tensor::dropout), with numbers that a generator draws.
    ///
    /// # Panics
    /// As [`dropout`](Tensor::dropout).
    #[track_caller]
    pub fn dropout_from(&self, generator: &Generator, rate: f64) -> Tensor {
        let (op, shape) = or_raise(Dropout::on(self, rate));
        apply(op, &[self, &generator.uniform::<f32>(shape, 0.0, 1.0)], "dropout")
    }
}

on_variables![
    dropout(rate: f64) -> Tensor,
    dropout_from(generator: &Generator, rate: f64) -> Tensor,
];

pub(super) const OPS: &[Entry] = &[Entry {
    name: "Dropout",
    make: |attrs| Ok(Dropout { rate: attrs.float("rate")? }.into()),
    samples: || {
        let draws = || sample(DType::F32, [0.0, 0.5, 0.75, 0.25, 0.1].into_iter());
        let of_type = |dtype: DType| -> [Sample; 2] {
            let odd = [f64::INFINITY, f64::NAN, -2.0, -0.0, f64::NEG_INFINITY];
            [
                call(Dropout { rate: 0.5 }, [varied(dtype, &[5]), draws()]),
                call(Dropout { rate: 0.2 }, [sample(dtype, odd.into_iter()), draws()]),
            ]
        };
        FLOATS.iter().flat_map(|dtype| of_type(*dtype)).collect()
    },
}];

/// Complains of a rate that leaves out less than nothing, or everything.
pub(crate) fn check_rate(rate: f64) -> Result<()> {
    if (0.0..1.0).contains(&rate) {
        return Ok(());
    }
    let message = format!("`dropout` needs a rate from 0 to below 1, found {rate:?}");
    Err(Error::new(ErrorKind::Value, message)
        .with_help("it is the share that is left out: 0.1 leaves out a tenth"))
}

/// The first input scaled where the second, drawn from `[0, 1)`, is not below the rate; elsewhere 0.
#[derive(Debug)]
struct Dropout {
    rate: f64,
}

impl Dropout {
    /// The op, and the shape of what is to be drawn for it: nothing is drawn for a call that is refused.
    fn on(x: &Tensor, rate: f64) -> Result<(Dropout, Shape)> {
        let op = Dropout { rate };
        op.infer(&[x.spec(), Spec::new(DType::F32, x.shape().clone())])?;
        Ok((op, x.shape().clone()))
    }
}

impl Op for Dropout {
    fn name(&self) -> &'static str {
        "Dropout"
    }

    fn attrs(&self) -> Attrs {
        Attrs::none().with("rate", self.rate)
    }

    fn infer(&self, inputs: &[Spec]) -> Result<Specs> {
        let [x, draws] = [inputs[0], inputs[1]];
        check_type("dropout", x.dtype(), FLOATS)?;
        if draws != x.with_dtype(DType::F32) {
            let wanted = x.with_dtype(DType::F32);
            let message = format!("`dropout` needs draws of {wanted}, found {draws}");
            return Err(Error::new(ErrorKind::Shape, message)
                .with_help("draw one number for each element: `x.dropout(rate)` does"));
        }
        check_rate(self.rate)?;
        Ok(smallvec![x])
    }

    pure!(Composite);

    fn grad(&self, _: &Backward<'_>) -> Gradient {
        Gradient::Expand
    }

    fn lower(&self, _: &[Spec], _: &[Spec]) -> Lowered<'_> {
        Lowered::Expand(Box::new(|inputs| {
            let kept = inputs[1].greater_equal(self.rate);
            vec![kept.select(&inputs[0] * (1.0 / (1.0 - self.rate)), 0.0)]
        }))
    }
}
