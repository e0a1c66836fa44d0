//! Steps of two classifiers, forward, backward and update: a small one by gradient descent, a larger one by Adam.

use crate::contender::Contender;
use crate::mlp::{Mlp, batch, filled};
use candle_core::{D, Device, Result, Tensor as Candle, Var};
use graphfn::prelude::*;
use ndarray::{Array1, Array2, Axis, Zip};

/// Of which step the loss is compared.
const STEPS: u32 = 10;
const SMALL: (&[usize], usize) = (&[784, 100, 10], 50);
const LARGE: (&[usize], usize) = (&[784, 512, 512, 10], 128);

/// 784-100-10, batch 50, gradient descent at 0.1.
pub fn small() -> Vec<Contender> {
    let (sizes, count) = SMALL;
    let (x, labels) = batch(count);
    let start = move || (Mlp::new(sizes), GradientDescent::new(0.1), 0.0f32);
    let step = move |(model, optimizer, loss): &mut (Mlp, GradientDescent, f32)| {
        *loss = model.descend(optimizer, &x, &labels).item();
    };
    vec![
        Contender::stepping("graphfn, one traced call", start, step, STEPS, |it| vec![it.2]),
        candle(SMALL, None),
        by_hand(SMALL, None),
    ]
}

/// 784-512-512-10, batch 128, Adam at 0.001.
pub fn large() -> Vec<Contender> {
    let (sizes, count) = LARGE;
    let (x, labels) = batch(count);
    let start = move || (Mlp::new(sizes), Adam::new(0.001).corrected_epsilon(1e-8), 0.0f32);
    let step = move |(model, optimizer, loss): &mut (Mlp, Adam, f32)| {
        *loss = model.adapt(optimizer, &x, &labels).item();
    };
    vec![
        Contender::stepping("graphfn, one traced call", start, step, STEPS, |it| vec![it.2]),
        candle(LARGE, Some(ADAM)),
        by_hand(LARGE, Some(ADAM)),
    ]
}

/// The numbers of Adam.
#[derive(Clone, Copy)]
struct Moments {
    rate: f64,
    first: f64,
    second: f64,
    epsilon: f64,
}

const ADAM: Moments = Moments { rate: 0.001, first: 0.9, second: 0.999, epsilon: 1e-8 };
const RATE: f64 = 0.1;

/// The first weights, each before its bias, as flat numbers with their shapes.
fn weights(sizes: &[usize]) -> Vec<(Vec<f32>, [usize; 2])> {
    let layers = sizes.windows(2).enumerate();
    layers
        .flat_map(|(at, pair)| {
            let shape = [pair[0], pair[1]];
            let weight = filled(shape, 11 + at, 2.0 / (pair[0] as f64).sqrt());
            [(weight.to_vec(), shape), (vec![0.0; pair[1]], [1, pair[1]])]
        })
        .collect()
}

/// A model of Candle's: parameters, their moments, the number of steps, the last loss.
struct CandleModel {
    parameters: Vec<Var>,
    moments: Vec<[Candle; 2]>,
    steps: i32,
    loss: f32,
}

fn candle((sizes, count): (&'static [usize], usize), adam: Option<Moments>) -> Contender {
    let (x, labels) = batch(count);
    let x = Candle::from_vec(x.to_vec::<f32>(), (count, sizes[0]), &Device::Cpu);
    let x = x.expect("there are as many numbers");
    let labels: Vec<u32> = labels.to_vec::<i32>().iter().map(|it| it.cast_unsigned()).collect();
    let labels = Candle::from_vec(labels, (count, 1), &Device::Cpu).expect("one for each image");
    let start = move || {
        let parameters = weights(sizes).into_iter().map(|(numbers, shape)| {
            Var::from_vec(numbers, (shape[0], shape[1]), &Device::Cpu).expect("shapes fit")
        });
        let parameters: Vec<Var> = parameters.collect();
        let zeros = |it: &Var| it.zeros_like().expect("zeros have a shape");
        let moments = parameters.iter().map(|it| [zeros(it), zeros(it)]).collect();
        CandleModel { parameters, moments, steps: 0, loss: 0.0 }
    };
    let step = move |model: &mut CandleModel| {
        model.step(&x, &labels, adam).expect("shapes and types agree");
    };
    Contender::stepping("Candle, op by op", start, step, STEPS, |model| vec![model.loss])
}

impl CandleModel {
    fn step(&mut self, x: &Candle, labels: &Candle, adam: Option<Moments>) -> Result<()> {
        let mut x = x.clone();
        for (at, pair) in self.parameters.chunks(2).enumerate() {
            x = x.matmul(&pair[0])?.broadcast_add(&pair[1])?;
            if at + 1 < self.parameters.len() / 2 {
                x = x.relu()?;
            }
        }
        let shifted = x.broadcast_sub(&x.max_keepdim(D::Minus1)?.detach())?;
        let logs = shifted.broadcast_sub(&shifted.exp()?.sum_keepdim(D::Minus1)?.log()?)?;
        let loss = logs.gather(labels, 1)?.mean_all()?.neg()?;
        self.loss = loss.to_scalar()?;
        let gradients = loss.backward()?;
        self.steps += 1;
        for (parameter, moments) in self.parameters.iter().zip(&mut self.moments) {
            let slope = gradients.get(parameter).expect("the loss depends on it");
            let change = match adam {
                None => (slope * RATE)?,
                Some(it) => it.change(slope, moments, self.steps)?,
            };
            parameter.set(&(parameter.as_tensor() - change)?)?;
        }
        Ok(())
    }
}

impl Moments {
    fn change(self, slope: &Candle, moments: &mut [Candle; 2], steps: i32) -> Result<Candle> {
        let Moments { rate, first, second, epsilon } = self;
        moments[0] = ((&moments[0] * first)? + (slope * (1.0 - first))?)?;
        moments[1] = ((&moments[1] * second)? + (slope.sqr()? * (1.0 - second))?)?;
        let mean = (&moments[0] / (1.0 - first.powi(steps)))?;
        let spread = ((&moments[1] / (1.0 - second.powi(steps)))?.sqrt()? + epsilon)?;
        (mean / spread)? * rate
    }
}

/// A model written by hand: parameters, their moments, the number of steps, the last loss.
struct HandModel {
    parameters: Vec<Array2<f32>>,
    moments: Vec<[Array2<f32>; 2]>,
    steps: i32,
    loss: f32,
}

fn by_hand((sizes, count): (&'static [usize], usize), adam: Option<Moments>) -> Contender {
    let (x, labels) = batch(count);
    let x = Array2::from_shape_vec((count, sizes[0]), x.to_vec()).expect("as many numbers");
    let labels = Array1::from(labels.to_vec::<i32>());
    let start = move || {
        let parameters = weights(sizes).into_iter().map(|(numbers, shape)| {
            Array2::from_shape_vec(shape, numbers).expect("as many numbers")
        });
        let parameters: Vec<Array2<f32>> = parameters.collect();
        let zeros = |it: &Array2<f32>| Array2::zeros(it.raw_dim());
        let moments = parameters.iter().map(|it| [zeros(it), zeros(it)]).collect();
        HandModel { parameters, moments, steps: 0, loss: 0.0 }
    };
    let step = move |model: &mut HandModel| model.step(&x, &labels, adam);
    Contender::stepping("ndarray by hand", start, step, STEPS, |model| vec![model.loss])
}

impl HandModel {
    fn step(&mut self, x: &Array2<f32>, labels: &Array1<i32>, adam: Option<Moments>) {
        let layers = self.parameters.len() / 2;
        let mut inputs = vec![x.clone()];
        for at in 0..layers {
            let mut y = inputs[at].dot(&self.parameters[2 * at]) + &self.parameters[2 * at + 1];
            if at + 1 < layers {
                y.mapv_inplace(|it| it.max(0.0));
            }
            inputs.push(y);
        }
        let mut back = inputs.pop().expect("there is an output");
        self.loss = softmax_loss(&mut back, labels);
        self.steps += 1;
        for at in (0..layers).rev() {
            let slopes = [inputs[at].t().dot(&back), back.sum_axis(Axis(0)).insert_axis(Axis(0))];
            if at > 0 {
                back = back.dot(&self.parameters[2 * at].t());
                Zip::from(&mut back).and(&inputs[at]).for_each(|it, y| {
                    if *y <= 0.0 {
                        *it = 0.0;
                    }
                });
            }
            for (i, slope) in slopes.iter().enumerate() {
                self.change(2 * at + i, slope, adam);
            }
        }
    }

    fn change(&mut self, at: usize, slope: &Array2<f32>, adam: Option<Moments>) {
        let parameter = &mut self.parameters[at];
        let Some(Moments { rate, first, second, epsilon }) = adam else {
            return parameter.scaled_add(-(RATE as f32), slope);
        };
        let corrections = [first, second].map(|it| (1.0 - it.powi(self.steps)) as f32);
        let [rate, first, second, epsilon] = [rate, first, second, epsilon].map(|it| it as f32);
        let [mean, spread] = &mut self.moments[at];
        Zip::from(parameter).and(mean).and(spread).and(slope).for_each(
            |it, mean, spread, slope| {
                *mean = first * *mean + (1.0 - first) * slope;
                *spread = second * *spread + (1.0 - second) * slope * slope;
                *it -=
                    rate * (*mean / corrections[0]) / ((*spread / corrections[1]).sqrt() + epsilon);
            },
        );
    }
}

/// The mean loss of rows of logits, which become the gradient of it.
fn softmax_loss(rows: &mut Array2<f32>, labels: &Array1<i32>) -> f32 {
    let count = rows.nrows() as f32;
    let mut total = 0.0;
    for (mut row, label) in rows.rows_mut().into_iter().zip(labels) {
        let largest = row.fold(f32::NEG_INFINITY, |largest, it| largest.max(*it));
        let label = *label as usize;
        let logit = row[label] - largest;
        row.mapv_inplace(|it| (it - largest).exp());
        let sum = row.sum();
        total += sum.ln() - logit;
        row.mapv_inplace(|it| it / sum / count);
        row[label] -= 1.0 / count;
    }
    total / count
}
