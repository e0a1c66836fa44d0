//! The gradient rule of every op against differences of its values, over the samples of the table.
//! Knows no op but the one that stops gradients on purpose.

use super::table::{make, samples};
use crate::graph::{Backward, Gradient, Kind, OpRef, Parsed, Sample, Tensor, run_eagerly};
use crate::types::{DType, Spec};
use crate::value::Value;

/// How far apart the points of a difference stand, for numbers up to 1; larger ones have larger steps.
const STEP: f64 = 1e-4;

/// How far beside the samples their neighbours stand: where a sample is singular, they are not.
const SHIFTS: [f64; 3] = [0.0, 0.0371, -0.0293];

/// What was compared, and what could not be.
#[derive(Default)]
struct Tally {
    compared: usize,
    skipped: usize,
    complaints: Vec<String>,
}

#[test]
fn gradients_agree_with_differences() {
    for shift in SHIFTS {
        let mut tally = Tally::default();
        for sample in samples().iter().filter(|it| is_smooth(it.op.kind())) {
            // Each input by another distance: ties come apart.
            let shifts = (1..).map(|at| f64::from(at) * shift);
            let inputs = sample.inputs.iter().zip(shifts).map(|(it, by)| shifted(it, by)).collect();
            check(&Sample { op: sample.op.clone(), inputs }, &mut tally);
        }
        let Tally { compared, skipped, complaints } = tally;
        assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
        assert!(compared > 400, "only {compared} derivatives were compared");
        let few = if shift == 0.0 { compared / 5 } else { compared / 50 };
        assert!(skipped <= few, "{skipped} derivatives were skipped, {compared} compared");
    }
}

/// Whether neighbouring inputs give neighbouring outputs.
fn is_smooth(kind: Kind) -> bool {
    !matches!(kind, Kind::Random | Kind::Host)
}

/// Compares the gradient of a weighted sum of all outputs with differences, for each element of each `f64` input.
fn check(call: &Sample, tally: &mut Tally) {
    let Some(outputs) = run(&call.op, &call.inputs) else { return };
    let weights: Vec<Vec<f64>> = outputs.iter().zip(0..).map(|(it, at)| weights(it, at)).collect();
    if weights.iter().flatten().all(|it| *it == 0.0) {
        return;
    }
    let Some(gradients) = gradients(call, &outputs, &weights) else { return };
    // The growth of the sum, element by element: large elements must not drown small ones.
    let growth = |inputs: &[Value]| {
        run(&call.op, inputs).map_or(f64::NAN, |moved| weighted_growth(&moved, &outputs, &weights))
    };
    for (at, input) in call.inputs.iter().enumerate() {
        let Some(elements) = input.to_vec::<f64>() else { continue };
        let found = gradients[at].as_ref().map(|it| {
            assert_eq!(it.spec(), input.spec(), "{:?}: the gradient of input {at}", call.op);
            it.to_vec::<f64>()
        });
        for element in 0..elements.len() {
            let moved = |by: f64| {
                let mut inputs = call.inputs.clone();
                let mut elements = elements.clone();
                elements[element] += by;
                inputs[at] = value(input.spec(), elements);
                growth(&inputs)
            };
            let step = STEP * elements[element].abs().max(1.0);
            let Some(wanted) = slope(moved, step) else {
                tally.skipped += 1;
                continue;
            };
            tally.compared += 1;
            let found = found.as_ref().map_or(0.0, |it| it[element]);
            let is_close = (found - wanted).abs() <= 1e-7 * wanted.abs().max(1.0);
            if !is_close {
                tally.complaints.push(format!(
                    "{:?}{} of {:?}: element {element} of input {at} has {found}, differences say {wanted}",
                    call.op, call.op.attrs(), call.inputs
                ));
            }
        }
    }
}

/// What the op answers; `None` where its gradient is that of its expansion, or is 0 by intent.
fn gradients(
    call: &Sample,
    outputs: &[Tensor],
    weights: &[Vec<f64>],
) -> Option<Vec<Option<Tensor>>> {
    if call.op.name() == "StopGradient" {
        return None;
    }
    let inputs: Vec<Tensor> = call.inputs.iter().cloned().map(Tensor::from).collect();
    let grads: Vec<Option<Tensor>> = outputs
        .iter()
        .zip(weights)
        .map(|(output, weights)| {
            let is_smooth = output.dtype() == DType::F64;
            is_smooth.then(|| value(output.spec(), weights.clone()).into())
        })
        .collect();
    match call.op.grad(&Backward { inputs: &inputs, outputs, grads: &grads }) {
        Gradient::Expand => None,
        Gradient::None => Some(vec![None; inputs.len()]),
        Gradient::Inputs(gradients) => {
            assert_eq!(gradients.len(), inputs.len(), "{:?}", call.op);
            Some(gradients)
        }
    }
}

/// The derivative at 0 by differences; `None` where they do not converge: at kinks, jumps, and edges of the domain.
fn slope(f: impl Fn(f64) -> f64, step: f64) -> Option<f64> {
    let [before, here, after] = [f(-step), f(0.0), f(step)];
    let [left, right] = [(here - before) / step, (after - here) / step];
    let coarse = (after - before) / (2.0 * step);
    let fine = (f(step / 2.0) - f(-step / 2.0)) / step;
    let size = coarse.abs().max(1.0);
    let converges = (left - right).abs() < 0.02 * size && (coarse - fine).abs() < 1e-5 * size;
    converges.then_some((4.0 * fine - coarse) / 3.0)
}

/// A weight for each element of an output, no two alike; 0 where the output is not finite, for the others to be compared.
fn weights(output: &Tensor, at: usize) -> Vec<f64> {
    let elements = output.value().to_vec::<f64>().unwrap_or_default();
    let weight = |place: usize| 1.0 + ((place * 7 + at * 3) % 11) as f64 / 8.0;
    elements
        .iter()
        .enumerate()
        .map(|(place, it)| if it.is_finite() { weight(place) } else { 0.0 })
        .collect()
}

fn weighted_growth(moved: &[Tensor], from: &[Tensor], weights: &[Vec<f64>]) -> f64 {
    let growth = moved.iter().zip(from).zip(weights).flat_map(|((moved, from), weights)| {
        let [moved, from] = [moved, from].map(|it| it.value().to_vec::<f64>().unwrap_or_default());
        let growths: Vec<f64> = moved.iter().zip(&from).map(|(moved, from)| moved - from).collect();
        growths.into_iter().zip(weights.clone())
    });
    growth.filter(|(_, weight)| *weight != 0.0).map(|(growth, weight)| growth * weight).sum()
}

fn run(op: &OpRef, inputs: &[Value]) -> Option<Vec<Tensor>> {
    let inputs: Vec<Tensor> = inputs.iter().cloned().map(Tensor::from).collect();
    let inputs: Vec<&Tensor> = inputs.iter().collect();
    run_eagerly(op, &inputs).ok().map(|it| it.into_vec())
}

/// The same value, with every float moved by some amount.
fn shifted(value: &Value, by: f64) -> Value {
    match value.to_vec::<f64>() {
        Some(elements) => self::value(value.spec(), elements.iter().map(|it| it + by).collect()),
        None => value.clone(),
    }
}

fn value(spec: Spec, elements: Vec<f64>) -> Value {
    Value::from_vec(spec.shape(), elements)
}

#[test]
fn differences_converge_where_a_function_is_smooth_and_only_there() {
    let near = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-9;
    assert!(near(slope(|x| (x + 1.0).exp(), STEP), 1f64.exp()));
    assert!(near(slope(|x| (x + 3.0) * (x + 3.0), STEP), 6.0));
    assert_eq!(slope(f64::abs, STEP), None, "a kink");
    assert_eq!(slope(f64::floor, STEP), None, "a jump");
    assert_eq!(slope(f64::sqrt, STEP), None, "an edge");
    assert_eq!(slope(f64::cbrt, STEP), None, "a pole of the slope");
}

/// The gradients that an op without attributes gives its inputs, from ones at its output.
fn gradients_at<const N: usize, const P: usize>(
    name: &str,
    inputs: [[f64; P]; N],
) -> Vec<Vec<f64>> {
    let op = make(name, &Parsed::default()).unwrap();
    let inputs = inputs.map(Value::from).to_vec();
    let outputs = run(&op, &inputs).unwrap();
    let call = Sample { op, inputs };
    let gradients = gradients(&call, &outputs, &[vec![1.0; P]]).unwrap();
    gradients.into_iter().map(|it| it.map_or(vec![0.0; P], |it| it.to_vec())).collect()
}

#[test]
fn gradients_at_kinks_poles_and_infinities() {
    let (inf, ln2) = (f64::INFINITY, std::f64::consts::LN_2);
    let unary = |name: &str, x: [f64; 3], wanted: [f64; 3]| {
        assert_eq!(gradients_at(name, [x]), [wanted], "{name} at {x:?}");
    };
    unary("Abs", [-0.0, 0.0, -2.0], [0.0, 0.0, -1.0]);
    unary("Sign", [-0.0, 0.0, inf], [0.0, 0.0, 0.0]);
    unary("Sqrt", [0.0, 0.25, inf], [inf, 1.0, 0.0]);
    unary("Relu", [0.0, -1.0, 1.0], [0.0, 0.0, 1.0]);
    unary("Relu6", [0.0, 6.0, 5.0], [0.0, 0.0, 1.0]);
    unary("Elu", [0.0, 1000.0, -inf], [1.0, 1.0, 0.0]);
    unary("Softplus", [20.0, 100.0, -inf], [1.0 / (1.0 + (-20f64).exp()), 1.0, 0.0]);
    unary("Softsign", [0.0, inf, -inf], [1.0, 0.0, 0.0]);
    unary("Sigmoid", [0.0, inf, -inf], [0.25, 0.0, 0.0]);
    unary("Tanh", [0.0, inf, -inf], [1.0, 0.0, 0.0]);
    unary("Gelu", [0.0, inf, -inf], [0.5, 1.0, 0.0]);
    unary("GeluTanh", [0.0, inf, -inf], [0.5, 1.0, 0.0]);
    unary("Silu", [0.0, inf, -inf], [0.5, 1.0, 0.0]);
    unary("HardSigmoid", [-3.0, 3.0, inf], [0.0, 0.0, 0.0]);
    unary("HardSwish", [-3.0, 3.0, -inf], [0.0, 1.0, 0.0]);

    let binary = |name: &str, x: [f64; 2], y: [f64; 2], wanted: [[f64; 2]; 2]| {
        assert_eq!(gradients_at(name, [x, y]), wanted, "{name} at {x:?} and {y:?}");
    };
    binary("Maximum", [2.0, 1.0], [2.0, 3.0], [[0.5, 0.0], [0.5, 1.0]]);
    binary("Minimum", [2.0, 1.0], [2.0, 3.0], [[0.5, 1.0], [0.5, 0.0]]);
    binary("Pow", [0.0, -2.0], [2.0, 3.0], [[0.0, 12.0], [0.0, 0.0]]);
    binary("Pow", [0.0, 2.0], [1.0, 1.0], [[1.0, 1.0], [0.0, 2.0 * ln2]]);
    binary("Pow", [0.0, 0.0], [0.0, -1.0], [[0.0, -inf], [0.0, 0.0]]);
    binary("Atan2", [0.0, 0.0], [0.0, 1.0], [[0.0, 1.0], [0.0, 0.0]]);
    binary("FloorMod", [7.0, -7.0], [2.0, 2.0], [[1.0, 1.0], [-3.0, 4.0]]);
    binary("TruncateMod", [7.0, -7.0], [2.0, 2.0], [[1.0, 1.0], [-3.0, 3.0]]);
    binary("MulNoNan", [0.0, 2.0], [inf, 3.0], [[inf, 3.0], [0.0, 2.0]]);

    let clamp = |x: [f64; 3]| gradients_at("ClipByValue", [x, [0.0; 3], [1.0; 3]]);
    assert_eq!(clamp([-1.0, 0.0, 0.5]), [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
    assert_eq!(clamp([0.75, 1.0, 2.0]), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
}

#[test]
fn what_is_not_chosen_gets_exactly_nothing() {
    let op = make("SelectV2", &Parsed::default()).unwrap();
    let inputs = vec![[true, false].into(), [1.0, f64::NAN].into(), [f64::INFINITY, 2.0].into()];
    let outputs = run(&op, &inputs).unwrap();
    let gradients = gradients(&Sample { op, inputs }, &outputs, &[vec![3.0, 5.0]]).unwrap();
    let found: Vec<_> =
        gradients.iter().map(|it| it.as_ref().map(|it| it.to_vec::<f64>())).collect();
    assert_eq!(found, [None, Some(vec![3.0, 0.0]), Some(vec![0.0, 5.0])]);
}
