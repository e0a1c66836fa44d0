//! Element-wise ops against values that other programs computed: eager, traced, row-major and transposed.

// Wanted values are NumPy's and mpmath's digits, also where they are known constants.
#![allow(clippy::approx_constant)]

use graphfn::prelude::*;
use ndarray::Array2;

/// Checks numbers, NaN for NaN, to a relative error; one below the tolerance's square counts as 0.
#[track_caller]
fn check(found: &Tensor, wanted: &[f64], tolerance: f64) {
    let found = found.cast(DType::F64).to_vec::<f64>();
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        let is_close = (found - wanted).abs() <= tolerance * wanted.abs().max(tolerance);
        assert!(
            is_close || found == wanted || (found.is_nan() && wanted.is_nan()),
            "found {found:e}, wanted {wanted:e}"
        );
    }
}

/// Checks a function of one input in both float types, in both orders of memory.
#[track_caller]
fn check_unary(f: impl Fn(&Tensor) -> Tensor, x: &[f64], wanted: &[f64], tolerance: f64) {
    let single: Vec<f32> = x.iter().map(|it| *it as f32).collect();
    let turned = Array2::from_shape_fn((2, x.len()), |(_, at)| x[at]).reversed_axes();
    let twice: Vec<f64> = wanted.iter().flat_map(|it| [*it, *it]).collect();
    check(&f(&Tensor::from(x)), wanted, tolerance);
    check(&f(&Tensor::from(turned)), &twice, tolerance);
    check(&f(&Tensor::from(single)), wanted, 2f64.powi(29) * tolerance);
}

/// Each row: the method, where, what, and to how many units in the last place of `f64`.
macro_rules! unary {
    ($($method:ident: $x:expr => $wanted:expr, $ulps:literal;)*) => {$(
        #[test]
        fn $method() {
            #[graph_fn]
            fn traced(x: &Tensor) -> Tensor {
                x.$method()
            }
            check_unary(|x| x.$method(), $x, $wanted, $ulps * f64::EPSILON);
            check_unary(|x| traced(x), $x, $wanted, $ulps * f64::EPSILON);
        }
    )*};
}

const X: &[f64] = &[0.0, 0.5, -1.25, 2.0, -0.75];
const Y: &[f64] = &[0.5, 1.0, 2.0, 10.0];
const Z: &[f64] = &[-30.0, -3.5, -1.0, -0.25, 0.0, 0.25, 1.0, 3.5, 30.0];

// By NumPy 2.4, `erf` by Python's math.
unary! {
    exp: X => &[1.0, 1.6487212707001282, 0.2865047968601901, 7.38905609893065, 0.4723665527410147], 2.0;
    exp2: X => &[1.0, 1.4142135623730951, 0.42044820762685725, 4.0, 0.5946035575013605], 2.0;
    expm1: X => &[0.0, 0.6487212707001282, -0.7134952031398099, 6.38905609893065, -0.5276334472589853], 4.0;
    sin: X => &[0.0, 0.479425538604203, -0.9489846193555862, 0.9092974268256817, -0.6816387600233341], 4.0;
    cos: X => &[1.0, 0.8775825618903728, 0.3153223623952687, -0.4161468365471424, 0.7316888688738209], 4.0;
    tan: X => &[0.0, 0.5463024898437905, -3.0095696738628313, -2.185039863261519, -0.9315964599440725], 4.0;
    sinh: X => &[0.0, 0.5210953054937474, -1.6019190803008256, 3.6268604078470186, -0.82231673193583], 4.0;
    cosh: X => &[1.0, 1.1276259652063807, 1.8884238771610158, 3.7621956910836314, 1.2946832846768448], 4.0;
    tanh: X => &[0.0, 0.46211715726000974, -0.8482836399575129, 0.9640275800758169, -0.6351489523872873], 4.0;
    erf: X => &[0.0, 0.5204998778130465, -0.9229001282564582, 0.9953222650189527, -0.7111556336535151], 4.0;
    log: Y => &[-0.6931471805599453, 0.0, 0.6931471805599453, 2.302585092994046], 2.0;
    log2: Y => &[-1.0, 0.0, 1.0, 3.321928094887362], 4.0;
    log1p: Y => &[0.4054651081081644, 0.6931471805599453, 1.0986122886681098, 2.3978952727983707], 4.0;
    sqrt: Y => &[0.7071067811865476, 1.0, 1.4142135623730951, 3.1622776601683795], 1.0;
    rsqrt: Y => &[1.4142135623730951, 1.0, 0.7071067811865476, 0.31622776601683794], 2.0;
    reciprocal: Y => &[2.0, 1.0, 0.5, 0.1], 1.0;
    square: X => &[0.0, 0.25, 1.5625, 4.0, 0.5625], 1.0;
    abs: X => &[0.0, 0.5, 1.25, 2.0, 0.75], 0.0;
    negative: X => &[0.0, -0.5, 1.25, -2.0, 0.75], 0.0;
    sign: X => &[0.0, 1.0, -1.0, 1.0, -1.0], 0.0;
    identity: X => X, 0.0;
    stop_gradient: X => X, 0.0;
}

// By mpmath 1.3 with 40 digits, from the definitions; the hard ones by JAX 0.10.
unary! {
    sigmoid: Z => &[9.357622968839299e-14, 0.02931223075135632, 0.2689414213699951, 0.4378234991142019, 0.5,
        0.5621765008857981, 0.7310585786300049, 0.9706877692486436, 0.9999999999999064], 4.0;
    softplus: Z => &[9.357622968839737e-14, 0.029750418272620566, 0.3132616875182228, 0.5759394198788436,
        0.6931471805599453, 0.8259394198788436, 1.3132616875182228, 3.5297504182726205, 30.000000000000092], 4.0;
    silu: Z => &[-2.8072868906517896e-12, -0.10259280762974711, -0.2689414213699951, -0.10945587477855047, 0.0,
        0.14054412522144952, 0.7310585786300049, 3.397407192370253, 29.999999999997193], 4.0;
    gelu_tanh: Z => &[0.0, -0.0006161976553736633, -0.1588080093917233, -0.100324649298315, 0.0,
        0.149675350701685, 0.8411919906082767, 3.499383802344626, 30.0], 64.0;
    selu: Z => &[-1.7580993408472123, -1.7050093409572833, -1.1113307378125628, -0.38889019747811904, 0.0,
        0.2626752468388701, 1.0507009873554805, 3.677453455744182, 31.521029620664414], 4.0;
    elu: Z => &[-0.9999999999999064, -0.9698026165776815, -0.6321205588285577, -0.22119921692859512, 0.0,
        0.25, 1.0, 3.5, 30.0], 4.0;
    softsign: Z => &[-0.967741935483871, -0.7777777777777778, -0.5, -0.2, 0.0, 0.2, 0.5, 0.7777777777777778,
        0.967741935483871], 2.0;
    relu: Z => &[0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 1.0, 3.5, 30.0], 0.0;
    relu6: Z => &[0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 1.0, 3.5, 6.0], 0.0;
    hard_sigmoid: Z => &[0.0, 0.0, 0.3333333333333333, 0.4583333333333333, 0.5, 0.5416666666666666,
        0.6666666666666666, 1.0, 1.0], 2.0;
    hard_swish: Z => &[0.0, 0.0, -0.3333333333333333, -0.11458333333333333, 0.0, 0.13541666666666666,
        0.6666666666666666, 3.5, 30.0], 2.0;
}

/// Below -1 the sum `1 + erf` cancels: the digits of `gelu` are absolute there, not relative.
#[test]
fn gelu_is_right_to_the_last_digits_of_one() {
    #[graph_fn]
    fn traced(x: &Tensor) -> Tensor {
        x.gelu()
    }
    // By mpmath 1.3 with 40 digits.
    let wanted = [
        -1.472014178144456e-196,
        -0.0008142017766243376,
        -0.15865525393145705,
        -0.10032341857926907,
        0.0,
        0.14967658142073093,
        0.8413447460685429,
        3.4991857982233756,
        30.0,
    ];
    let x = Tensor::from(Z);
    for (found, tolerance) in
        [(x.gelu(), 1e-15), (traced(&x), 1e-15), (x.cast(DType::F32).gelu(), 4e-7)]
    {
        for (found, wanted) in found.cast(DType::F64).to_vec::<f64>().iter().zip(wanted) {
            assert!(
                (found - wanted).abs() <= tolerance * wanted.abs().max(1.0),
                "{found:e}, {wanted:e}"
            );
        }
    }
}

#[test]
fn activations_reach_their_limits_and_keep_nan() {
    let x = Tensor::from([f32::NEG_INFINITY, f32::INFINITY, f32::NAN]);
    let rows: [(Tensor, [f64; 2]); 14] = [
        (x.sigmoid(), [0.0, 1.0]),
        (x.tanh(), [-1.0, 1.0]),
        (x.relu(), [0.0, f64::INFINITY]),
        (x.relu6(), [0.0, 6.0]),
        (x.leaky_relu(0.2), [f64::NEG_INFINITY, f64::INFINITY]),
        (x.elu(), [-1.0, f64::INFINITY]),
        (x.selu(), [f64::from(-1.758_099_3f32), f64::INFINITY]),
        (x.softplus(), [0.0, f64::INFINITY]),
        (x.softsign(), [-1.0, 1.0]),
        (x.gelu(), [0.0, f64::INFINITY]),
        (x.gelu_tanh(), [0.0, f64::INFINITY]),
        (x.silu(), [0.0, f64::INFINITY]),
        (x.hard_sigmoid(), [0.0, 1.0]),
        (x.hard_swish(), [0.0, f64::INFINITY]),
    ];
    for (found, [low, high]) in rows {
        check(&found, &[low, high, f64::NAN], 1e-7);
    }
}

/// Checks a function of two inputs, also with the first transposed and the second repeated.
#[track_caller]
fn check_binary(f: impl Fn(&Tensor, &Tensor) -> Tensor, x: &[f64], y: &[f64], wanted: &[f64]) {
    check(&f(&Tensor::from(x), &Tensor::from(y)), wanted, 4.0 * f64::EPSILON);
    let turned = Array2::from_shape_fn((x.len(), 2), |(at, _)| x[at]).reversed_axes();
    let twice: Vec<f64> = [wanted, wanted].concat();
    check(&f(&Tensor::from(turned), &Tensor::from(y)), &twice, 4.0 * f64::EPSILON);
}

macro_rules! binary {
    ($($method:ident: $x:expr, $y:expr => $wanted:expr;)*) => {$(
        #[test]
        fn $method() {
            #[graph_fn]
            fn traced(x: &Tensor, y: &Tensor) -> Tensor {
                x.$method(y)
            }
            check_binary(|x, y| x.$method(y), $x, $y, $wanted);
            check_binary(|x, y| traced(x, y), $x, $y, $wanted);
        }
    )*};
}

const A: &[f64] = &[7.0, -7.0, 7.0, -7.0, -5.5, 1.0, 5.0, 3.0];
const B: &[f64] = &[2.0, 2.0, -2.0, -2.0, 2.0, 0.1, f64::INFINITY, 0.0];

// By NumPy 2.4: `floor_divide`, `mod`, `fmod`, `arctan2`, `power`.
binary! {
    floor_div: A, B => &[3.0, -4.0, -4.0, 3.0, -3.0, 9.0, 0.0, f64::INFINITY];
    floor_mod: A, B => &[1.0, 1.0, -1.0, -1.0, 0.5, 0.09999999999999995, 5.0, f64::NAN];
    trunc_mod: A, B => &[1.0, -1.0, 1.0, -1.0, -1.5, 0.09999999999999995, 5.0, f64::NAN];
    trunc_div: A, B => &[3.0, -3.0, -3.0, 3.0, -2.0, 9.0, 0.0, f64::INFINITY];
    atan2: &[1.0, -1.0, 0.5, -3.0, 0.0, -0.0, 0.0], &[2.0, 0.5, -2.0, -1.0, 0.0, -1.0, -1.0] => &[
        0.4636476090008061, -1.1071487177940904, 2.896613990462929, -1.8925468811915387, 0.0,
        -3.141592653589793, 3.141592653589793];
    pow: &[2.0, -2.0, 0.0, 0.0, -8.0, 9.0], &[0.5, 3.0, 0.0, -1.0, 1.0 / 3.0, 0.5] => &[
        1.4142135623730951, -8.0, 1.0, f64::INFINITY, f64::NAN, 3.0];
    squared_difference: A, B => &[25.0, 81.0, 81.0, 25.0, 56.25, 0.81, f64::INFINITY, 9.0];
    maximum: A, B => &[7.0, 2.0, 7.0, -2.0, 2.0, 1.0, f64::INFINITY, 3.0];
    minimum: A, B => &[2.0, -7.0, -2.0, -7.0, -5.5, 0.1, 5.0, 0.0];
}

#[test]
fn comparisons_give_truth_values_and_nan_is_only_unequal() {
    let x = Tensor::from([1.0f32, 2.0, 3.0, f32::NAN]);
    let y = Tensor::from([2.0f32, 2.0, 2.0, f32::NAN]);
    let of = |it: Tensor| it.to_vec::<bool>();
    assert_eq!(of(x.less(&y)), [true, false, false, false]);
    assert_eq!(of(x.less_equal(&y)), [true, true, false, false]);
    assert_eq!(of(x.greater(&y)), [false, false, true, false]);
    assert_eq!(of(x.greater_equal(&y)), [false, true, true, false]);
    assert_eq!(of(x.equal(&y)), [false, true, false, false]);
    assert_eq!(of(x.not_equal(&y)), [true, false, true, true]);
    assert_eq!(of(x.less(2)), [true, false, false, false]);
    assert_eq!(of(Tensor::from([true, false]).equal(true)), [true, false]);
}

#[test]
fn select_broadcasts_all_three_and_numbers_adapt() {
    let condition = Tensor::from([[true], [false]]);
    let chosen = condition.select(Tensor::from([1, 2, 3]), 0);
    assert_eq!(chosen.to_array::<i32>(), ndarray::array![[1, 2, 3], [0, 0, 0]].into_dyn());
    assert_eq!(condition.select(1.0f32, 0.0).to_vec::<f32>(), [1.0, 0.0]);
    assert_eq!(condition.select(0, Tensor::from(7u8)).to_vec::<u8>(), [0, 7]);
    let named = |block: &dyn Fn() -> Tensor| attempt(block).unwrap_err().message().to_string();
    assert_eq!(
        named(&|| condition.select(1.0, 0.0)),
        "`select` cannot tell the element type of two bare numbers"
    );
    assert_eq!(
        named(&|| condition.select(Tensor::from(1.0f32), Tensor::from(1.0f64))),
        "`select` needs one element type, found f32[] and f64[]"
    );
    assert_eq!(
        named(&|| Tensor::from(1).select(1.0f32, 0.0)),
        "`select` chooses by truth values, found i32[]"
    );
    assert_eq!(
        named(&|| condition.select(Tensor::from([1, 2, 3]), Tensor::from([1, 2]))),
        "`select` cannot broadcast shapes [2, 3] and [2]"
    );
}

#[test]
fn clamp_takes_numbers_and_tensors_and_the_upper_bound_wins() {
    let x = Tensor::from([-2.0f32, 0.5, 7.0]);
    assert_eq!(x.clamp(0.0, 1.0).to_vec::<f32>(), [0.0, 0.5, 1.0]);
    let low = Tensor::from([-1.0f32, 1.0, 1.0]);
    assert_eq!(x.clamp(&low, 2).to_vec::<f32>(), [-1.0, 1.0, 2.0]);
    assert_eq!(x.clamp(3.0, 1.0).to_vec::<f32>(), [1.0, 1.0, 1.0]);
    assert_eq!(Tensor::from([1, 5, 9]).clamp(2, 6).to_vec::<i32>(), [2, 5, 6]);
    let error = attempt(|| Tensor::from([1, 5, 9]).clamp(0.5, 6)).unwrap_err();
    assert!(error.message().contains("0.5 stands beside a tensor of int32"));
    let error = attempt(|| x.clamp(Tensor::from(0.0f64), 1.0)).unwrap_err();
    assert_eq!(error.message(), "`clamp` needs one element type, found f32[3] and f64[]");
    let error = attempt(|| Tensor::from(true).clamp(false, true)).unwrap_err();
    assert!(error.message().starts_with("`clamp` takes"));
}

#[test]
fn a_decision_on_a_symbolic_tensor_is_refused_while_tracing() {
    #[graph_fn(autograph = false)]
    fn decides(x: &Tensor) -> Tensor {
        if x > 0.0 { x + 1.0 } else { x - 1.0 }
    }
    let line = line!() - 2;
    let error = decides::try_call(&Tensor::from(1.0f32)).unwrap_err();
    assert!(error.message().starts_with("a condition on the tensor `Greater:0`"), "{error}");
    assert_eq!(error.place().map(|it| it.line), Some(line));

    #[graph_fn(autograph = false)]
    fn compares(x: &Tensor, y: &Tensor) -> Tensor {
        if x == y { x + 1.0 } else { x - 1.0 }
    }
    let x = Tensor::from([1.0f32, 2.0]);
    let error = compares::try_call(&x, &x).unwrap_err();
    assert!(error.message().starts_with("a condition on the tensor `All:0`"), "{error}");
    let other = Tensor::from([1.0f32, 2.0, 3.0]);
    assert_eq!(compares(&x, &other).to_vec::<f32>(), [0.0, 1.0], "shapes that differ decide");
}

#[test]
fn values_in_memory_decide_also_while_tracing() {
    #[graph_fn]
    fn chooses(x: &Tensor) -> Tensor {
        let known = Tensor::from([1.0f32, 2.0]);
        if known == Tensor::from([1.0f32, 2.0]) { x + 1.0 } else { x - 1.0 }
    }
    assert_eq!(chooses(&Tensor::from(1.0f32)).item::<f32>(), 2.0);
}

#[test]
fn a_variable_beside_a_tensor_is_read_at_the_users_line() {
    let v = Variable::new("v", 2.0f32);
    #[graph_fn]
    fn scaled(x: &Tensor, v: &Variable) -> Tensor {
        x * v
    }
    let line = line!() - 2;
    let concrete = scaled::concrete_function(&Tensor::from(3.0f32), &v).unwrap();
    let nodes = concrete.graph().nodes.iter().map(|node| (node.kind.name(), node.place.line));
    assert_eq!(nodes.collect::<Vec<_>>(), [("ReadVariableOp", line), ("Mul", line)]);
    assert_eq!(scaled(&Tensor::from(3.0f32), &v).item::<f32>(), 6.0);
    let error = attempt(|| v.assign(Tensor::from([1.0f32]))).unwrap_err();
    assert_eq!(error.place().map(|it| it.line), Some(line!() - 1));
}
