//! Layers beyond Dense: the numbers of Keras, at once and traced, for all batch sizes, their gradients, and what is
//! refused. The figures of Keras are printed by tests/reference/layers.py.

use graphfn::{Tolerance, assert_close, prelude::*};

/// Beside Keras in float64.
const CLOSE: Tolerance = Tolerance::relative(1e-12);

const X: [[f64; 3]; 4] =
    [[0.3, -1.2, 2.0], [1.5, 0.25, -0.75], [-0.5, 0.75, 1.25], [2.0, -0.1, 0.6]];
const SLOPES: [[f64; 3]; 4] =
    [[1.0, -2.0, 0.5], [0.25, 1.5, -1.0], [2.0, 0.75, -0.5], [-1.5, 1.0, 3.0]];

/// Gives a layer of width 3 the weight and the bias of the reference.
fn set(weight: &Variable, bias: &Variable) {
    weight.assign(Tensor::from([2.0, -1.0, 0.5]));
    bias.assign(Tensor::from([0.5, 0.25, 0.75]));
}

fn layer_norm() -> LayerNorm {
    let layer = LayerNorm::new();
    layer.call(&Tensor::from(X));
    set(&layer.weight, &layer.bias);
    layer
}

fn batch_norm() -> BatchNorm {
    let layer = BatchNorm::new();
    layer.call(&Tensor::from(X), Phase::Eval);
    set(&layer.weight, &layer.bias);
    layer
}

/// What a layer gives for the inputs of the reference, and the gradients of the sum of that times the slopes with
/// respect to inputs, weight and bias.
struct Wanted {
    outputs: [[f64; 3]; 4],
    inputs: [[f64; 3]; 4],
    weight: [f64; 3],
    bias: [f64; 3],
}

/// Checks outputs and gradients, at once, in a trace, and when it is replayed.
#[track_caller]
fn check<L: Tree>(
    layer: &L,
    variables: [&Variable; 2],
    call: impl Fn(&L, &Tensor) -> Tensor,
    wanted: &Wanted,
) {
    let run = |layer: &L, x: &Tensor| {
        let tape = GradientTape::new();
        tape.watch(x);
        let y = call(layer, x);
        let loss = (&y * Tensor::from(SLOPES)).sum();
        let found = tape.gradient(&loss, (x, variables[0], variables[1]));
        (y, found.0.unwrap(), found.1.unwrap(), found.2.unwrap())
    };
    let is = |found: (Tensor, Tensor, Tensor, Tensor)| {
        assert_close(found.0, Tensor::from(wanted.outputs), CLOSE);
        assert_close(found.1, Tensor::from(wanted.inputs), CLOSE);
        assert_close(found.2, Tensor::from(wanted.weight), CLOSE);
        assert_close(found.3, Tensor::from(wanted.bias), CLOSE);
    };
    let x = Tensor::from(X);
    is(run(layer, &x));
    let traced = graph_fn(|x: &Tensor| run(layer, x));
    for _ in 0..3 {
        is(traced.call(&x));
    }
    assert_eq!(traced.trace_count(), 1);
}

/// `LayerNormalization` of Keras.
#[test]
fn layer_norm_and_its_gradients_are_keras_s() {
    let wanted = Wanted {
        outputs: [
            [0.398_034_138_828_236_5, 1.448_098_868_768_219_5, 1.374_540_899_677_050_5],
            [3.033_506_146_177_031_4, 0.340_482_362_363_465_4, 0.161_864_644_637_474_85],
            [-2.214_959_920_700_003_7, -0.089_369_990_087_500_46, 1.259_054_985_131_250_7],
            [3.170_860_970_887_78, 1.318_344_388_355_112_3, 0.616_456_951_455_610_9],
        ],
        inputs: [
            [0.417_692_128_117_793_77, -0.221_499_448_327_300_06, -0.196_192_679_790_494_04],
            [0.463_529_503_184_491_04, -1.041_341_287_991_792_5, 0.577_811_784_807_301_3],
            [0.424_420_945_834_245_6, -1.463_585_196_808_563_4, 1.039_164_250_974_317_7],
            [-0.778_961_770_797_263_4, -1.551_674_516_799_382, 2.330_636_287_596_645],
        ],
        weight: [-4.452_400_311_179_591, 1.446_657_298_201_754, 0.490_498_334_004_515_8],
        bias: [1.75, 1.25, 2.0],
    };
    let layer = layer_norm();
    check(&layer, [&layer.weight, &layer.bias], LayerNorm::call, &wanted);
}

/// `BatchNormalization` of Keras with `training=True`.
#[test]
fn batch_norm_in_training_and_its_gradients_are_keras_s() {
    let wanted = Wanted {
        outputs: [
            [-0.567_283_174_542_250_6, 1.818_982_722_457_390_2, 1.355_982_855_243_56],
            [1.872_221_224_411_465, -0.203_261_675_376_579_35, -0.004_386_819_793_003_316],
            [-2.193_619_440_511_394_5, -0.900_587_329_802_086_1, 0.984_972_943_869_951_9],
            [2.888_681_390_642_18, 0.284_866_282_721_275_34, 0.663_431_020_679_491_3],
        ],
        inputs: [
            [-0.171_116_599_080_684, 0.683_592_764_075_768_9, -0.203_897_326_797_967_74],
            [1.309_071_519_779_502_9, -0.921_926_228_386_165_2, -0.488_188_456_733_418],
            [-0.141_448_512_090_093_9, 1.253_634_869_981_961_3, -0.573_742_110_589_873_2],
            [-0.996_506_408_608_724_3, -1.015_301_405_671_565, 1.265_827_894_121_260_6],
        ],
        weight: [-4.847_244_417_712_721, 4.645_932_172_609_939, 1.360_369_675_036_563_3],
        bias: [1.75, 1.25, 2.0],
    };
    let layer = batch_norm();
    let call = |layer: &BatchNorm, x: &Tensor| layer.call(x, Phase::Train);
    check(&layer, [&layer.weight, &layer.bias], call, &wanted);
}

/// `BatchNormalization` of Keras after two batches: its running statistics, and what it does with them.
#[test]
fn batch_norm_keeps_the_running_statistics_of_keras() {
    let (layer, x) = (batch_norm(), Tensor::from(X));
    let has = |mean: [f64; 3], variance: [f64; 3]| {
        assert_close(layer.running_mean.read(), Tensor::from(mean), CLOSE);
        assert_close(layer.running_variance.read(), Tensor::from(variance), CLOSE);
    };
    let train = graph_fn(|x: &Tensor| layer.call(x, Phase::Train));
    has([0.0; 3], [1.0; 3]);
    train.call(&x);
    has([0.00825, -0.00075, 0.00775], [0.999_668_75, 0.995_131_25, 1.000_206_25]);
    train.call(&(x * 2.0 + 1.0));
    let mean = [0.034_667_5, 0.007_757_5, 0.033_172_5];
    let variance = [1.028_347_062_5, 1.005_704_937_5, 1.031_029_187_5];
    has(mean, variance);
    let wanted = Wanted {
        outputs: [
            [1.023_045_572_178_076, 1.453_728_778_685_181_4, 1.718_033_275_713_337_2],
            [3.388_585_740_132_214, 0.008_565_549_234_308_134, 0.364_538_112_455_920_1],
            [-0.553_981_206_458_016, -0.489_766_598_852_2, 1.348_898_231_188_587],
            [4.374_227_476_779_771_5, 0.357_398_052_894_863_76, 1.028_981_192_600_470_4],
        ],
        inputs: [
            [1.971_283_473_295_115, 1.993_328_592_346_032_2, 0.246_090_029_683_166_76],
            [0.492_820_868_323_778_75, -1.494_996_444_259_524_3, -0.492_180_059_366_333_5],
            [3.942_566_946_590_23, -0.747_498_222_129_762_1, -0.246_090_029_683_166_76],
            [-2.956_925_209_942_672_6, -0.996_664_296_173_016_1, 1.476_540_178_099_000_6],
        ],
        weight: [-3.337_055_810_437_28, 3.217_036_129_763_187, 2.813_945_975_215_732],
        bias: [1.75, 1.25, 2.0],
    };
    let call = |layer: &BatchNorm, x: &Tensor| layer.call(x, Phase::Eval);
    check(&layer, [&layer.weight, &layer.bias], call, &wanted);
    has(mean, variance);
}

/// `BatchNormalization(momentum=0.5, epsilon=0.1)` of Keras for inputs of three axes.
#[test]
fn batch_norm_is_over_all_axes_but_the_last() {
    let layer = BatchNorm::new().momentum(0.5).epsilon(0.1);
    let y = layer.call(&Tensor::from(X).reshape([2, 2, 3]), Phase::Train);
    let wanted = [
        [
            [-0.508_279_429_950_071, -1.436_739_427_831_727_1, 1.157_193_366_009_220_6],
            [0.653_502_124_221_519_7, 0.415_058_056_929_165_6, -1.440_587_659_725_764_5],
        ],
        [
            [-1.282_800_466_064_464_7, 1.053_608_913_743_266_5, 0.448_707_631_717_861_1],
            [1.137_577_771_793_016, -0.031_927_542_840_705_08, -0.165_313_338_001_317_3],
        ],
    ];
    assert_close(y, Tensor::from(wanted), CLOSE);
    assert_close(layer.running_mean.read(), Tensor::from([0.4125, -0.0375, 0.3875]), CLOSE);
    let variance = [0.983_437_5, 0.756_562_5, 1.010_312_5];
    assert_close(layer.running_variance.read(), Tensor::from(variance), CLOSE);
}

/// Central differences in float64, of a loss that is not linear in the outputs.
#[test]
fn the_gradient_through_batch_statistics_is_that_of_differences() {
    let layer = batch_norm();
    let loss = |x: &Tensor| (layer.call(x, Phase::Train).square() * Tensor::from(SLOPES)).sum();
    let found = grad(loss)(&Tensor::from(X)).to_vec::<f64>();
    let step = 1e-6;
    for (at, slope) in found.iter().enumerate() {
        let moved = |by: f64| {
            let mut x = X;
            x[at / 3][at % 3] += by;
            loss(&Tensor::from(x)).item::<f64>()
        };
        let difference = (moved(step) - moved(-step)) / (2.0 * step);
        assert!(
            (slope - difference).abs() < 1e-7 * slope.abs().max(1.0),
            "{at}: {slope} {difference}"
        );
    }
}

#[derive(Tree)]
struct Model {
    words: Embedding,
    dense: Dense,
    batch: BatchNorm,
    dropout: Dropout,
    norm: LayerNorm,
}

impl Model {
    fn new() -> Model {
        Model {
            words: Embedding::new(7, 4),
            dense: Dense::new(3),
            batch: BatchNorm::new(),
            dropout: Dropout::new(0.5),
            norm: LayerNorm::new(),
        }
    }

    #[graph_fn(signature(ids: i32[?]))]
    fn call(&self, ids: &Tensor, phase: Phase) -> Tensor {
        let x = self.dense.call(&self.words.call(ids));
        let x = self.dropout.call(&self.batch.call(&x, phase), phase);
        self.norm.call(&x)
    }
}

#[test]
fn variables_are_named_by_their_fields_and_batch_statistics_are_not_trained() {
    let (model, ids) = (Model::new(), Tensor::from([1, 2, 6]));
    let concrete = model.call_concrete_function(&ids, Phase::Train).unwrap();
    let shown: Vec<String> =
        concrete.variables().iter().map(|it| format!("{} {}", it.path(), it.shape())).collect();
    let wanted = [
        "words/weight (7, 4)",
        "dense/weight (4, 3)",
        "dense/bias (3,)",
        "batch/running_mean (3,)",
        "batch/running_variance (3,)",
        "batch/bias (3,)",
        "batch/weight (3,)",
        "default_generator (2,)",
        "norm/weight (3,)",
        "norm/bias (3,)",
    ];
    assert_eq!(shown, wanted);
    let trained: Vec<_> =
        concrete.trainable_variables().iter().map(|it| it.path().to_string()).collect();
    assert_eq!(trained.len(), 7);
    assert!(!trained.iter().any(|it| it.contains("running")), "{trained:?}");
    assert!(concrete.graph().find("batch/batch_norm").is_some(), "{}", concrete.graph());
}

#[test]
fn one_trace_serves_all_batch_sizes_and_each_phase_has_its_own() {
    let model = Model::new();
    // The variables are made by the first call; from then on a phase has one trace.
    model.call(&Tensor::from([0]), Phase::Eval);
    let before = Model::call_graph_fn().trace_count();
    for phase in [Phase::Train, Phase::Eval, Phase::Train] {
        for count in 1..5 {
            let ids = Tensor::from((0..count).collect::<Vec<i32>>());
            let found = model.call(&ids, phase);
            assert_eq!(found.shape().to_string(), format!("({count}, 3)"));
            if phase == Phase::Eval {
                // In evaluation nothing is drawn and nothing changes: op by op gives the same.
                let eager = graphfn::eager(|| model.call(&ids, phase));
                assert_close(found, eager, Tolerance::relative(1e-6));
            }
        }
    }
    assert!(Model::call_graph_fn().trace_count() <= before + 2);
}

#[test]
fn dropout_draws_anew_in_training_and_passes_in_evaluation() {
    let (dropout, x) = (Dropout::new(0.25), Tensor::ones::<f32>([4000]));
    let traced = graph_fn(|phase: &Phase| dropout.call(&x, *phase));
    let thinned: Vec<Vec<f32>> =
        (0..3).map(|_| traced.call(&Phase::Train).to_vec::<f32>()).collect();
    assert!(thinned[0] != thinned[1] && thinned[1] != thinned[2]);
    for drawn in &thinned {
        assert!(drawn.iter().all(|it| *it == 0.0 || *it == 1.0 / 0.75));
        // 1,000 of 4,000 are expected; the standard deviation is 27.
        let dropped = drawn.iter().filter(|it| **it == 0.0).count();
        assert!((850..1150).contains(&dropped), "{dropped}");
    }
    assert_eq!(traced.call(&Phase::Eval).to_vec::<f32>(), [1.0; 4000]);
    assert_eq!(traced.trace_count(), 2);
    assert_eq!(Dropout::new(0.0).call(&x, Phase::Train).to_vec::<f32>(), [1.0; 4000]);
}

#[test]
fn an_embedding_gets_the_gradients_of_the_rows_it_gave() {
    let words = Embedding::new(4, 2);
    let ids = Tensor::from([[1, 3], [1, 1]]);
    let loss = |words: &Embedding| {
        let slopes = Tensor::from([[[1.0f32, 2.0], [4.0, 8.0]], [[16.0, 32.0], [64.0, 128.0]]]);
        (words.call(&ids) * slopes).sum()
    };
    words.call(&ids);
    assert!(words.weight.read().to_vec::<f32>().iter().all(|it| it.abs() <= 0.05));
    // Row 1 is asked for three times.
    let wanted = [0.0, 0.0, 81.0, 162.0, 0.0, 0.0, 4.0, 8.0];
    assert_eq!(grad(loss)(&words).weight.read().to_vec::<f32>(), wanted);
    let traced = graph_fn(|words: &Embedding| grad(loss)(words).weight.read());
    assert_eq!(traced.call(&words).to_vec::<f32>(), wanted);
}

#[test]
fn what_layers_refuse() {
    let x = Tensor::ones::<f32>([2, 3]);
    let (norm, batch) = (LayerNorm::new(), BatchNorm::new());
    norm.call(&x);
    batch.call(&x, Phase::Train);
    let wide = Tensor::ones::<f32>([2, 4]);
    let kind = ErrorKind::Shape;
    let text =
        |layer: &str| format!("layer `{layer}` was built for inputs of width 3, found f32[2, 4]");
    // Layers outside of any function are numbered as they were made, by all tests of this process.
    let line = line!() + 1;
    let error = attempt(|| norm.call(&wide)).unwrap_err();
    assert!(error.message().starts_with("layer `layer_norm"), "{error}");
    assert!(
        error.message().ends_with("was built for inputs of width 3, found f32[2, 4]"),
        "{error}"
    );
    assert_eq!(error.place().map(|it| it.line), Some(line));
    let traced = graph_fn(|pair: &(BatchNorm, Tensor)| pair.0.call(&pair.1, Phase::Train));
    let error = traced.try_call(&(batch.clone(), wide)).unwrap_err();
    assert_eq!((error.message(), error.kind()), (&text("0")[..], kind));
    let learns = "layer `0` learns from batches, found f32[3]";
    let error = traced.try_call(&(batch.clone(), Tensor::ones::<f32>([3]))).unwrap_err();
    assert_eq!((error.message(), error.kind()), (learns, kind));
    let error = traced.try_call(&(batch, Tensor::ones::<f32>([0, 3]))).unwrap_err();
    assert!(error.message().ends_with("learns from batches, found f32[0, 3]"), "{error}");
    let momentum = attempt(|| BatchNorm::new().momentum(1.5)).unwrap_err();
    assert_eq!(momentum.message(), "`batch_norm` needs a momentum from 0 to 1, found 1.5");
    let rate = attempt(|| Dropout::new(1.0)).unwrap_err();
    assert_eq!(rate.message(), "`dropout` needs a rate from 0 to below 1, found 1.0");
    let ints = Tensor::from([1, 2]);
    let thinned = graph_fn(|x: &Tensor| Dropout::new(0.5).call(x, Phase::Eval));
    let error = thinned.try_call(&ints).unwrap_err();
    assert_eq!(error.message(), "layer `dropout` needs floats, found i32[2]");
    let ids = Embedding::new(3, 2);
    let error = attempt(|| ids.call(&Tensor::from([0, 3]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Index);
    assert!(error.message().contains('3'), "{error}");
}
