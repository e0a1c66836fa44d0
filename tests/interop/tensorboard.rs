//! Logs for TensorBoard: read back here by another reader, and looked at in the real one where it is given:
//! `GRAPHFN_TENSORBOARD=tensorboard GRAPHFN_BROWSER=chromium GRAPHFN_PLAYWRIGHT=node_modules/playwright-core cargo test
//! --test interop tensorboard`. With `GRAPHFN_SCREENSHOTS=docs` it leaves its pictures there.

use crate::events::{GraphDef, RunMetadata, SummaryValue, What, events};
use crate::folder::Folder;
use graphfn::{SummaryWriter, prelude::*};
use prost::Message;
use std::io::Read;
use std::process::Command;

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    fn new() -> Model {
        Model { dense1: Dense::new(8).activation(Activation::Relu), dense2: Dense::new(1) }
    }

    #[graph_fn]
    fn step(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let hidden = self.dense1.call(x);
        let loss = name_scope("loss").enter(|| (self.dense2.call(&hidden) - y).square().mean());
        GradientDescent::new(0.02f32).minimize(&loss);
        loss
    }
}

/// A log of some steps of training.
fn log(folder: &Folder) -> SummaryWriter {
    let model = Model::new();
    let x = Tensor::linspace(-1.0f32, 1.0, 32).reshape([8, 4]);
    let y = x.sum_axis(KeepDims(1)).square();
    model.step(&x, &y);
    let concrete = model.step_concrete_function(&x, &y).unwrap();
    let writer = SummaryWriter::new(folder.path("run")).unwrap();
    writer.graph(&concrete).unwrap();
    writer.times("step 0", &concrete, &[&x, &y], 0).unwrap();
    for step in 0..20 {
        writer.scalar("loss", model.step(&x, &y).item::<f32>(), step).unwrap();
        writer.histogram("dense1/weight", model.dense1.weight.read(), step).unwrap();
    }
    let pixels = Tensor::linspace(0.0f32, 1.0, 24).reshape([2, 4, 3]);
    writer.image("pixels", &pixels, 0).unwrap();
    writer.flush().unwrap();
    writer
}

#[test]
fn a_log_is_read_back_by_another_reader() {
    let folder = Folder::new("log");
    let writer = log(&folder);
    let name = writer.path().file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("events.out.tfevents."), "{name}");
    let found = events(&std::fs::read(writer.path()).unwrap());
    assert_eq!(found[0].what, Some(What::Version("brain.Event:2".into())));
    assert_eq!(found[0].source.as_ref().unwrap().writer, "graphfn");
    assert!(found.windows(2).all(|pair| pair[0].wall_time <= pair[1].wall_time));

    let Some(What::Graph(bytes)) = &found[1].what else { panic!("{:?}", found[1]) };
    let graph = GraphDef::decode(&bytes[..]).unwrap();
    let names: Vec<&str> = graph.node.iter().map(|node| &*node.name).collect();
    let product = graph.node.iter().find(|node| node.name == "dense1/MatMul").unwrap();
    assert_eq!((&*product.op, product.input.len()), ("MatMul", 2));
    assert!(names.iter().any(|name| name.starts_with("gradients/loss/Square_grad/")), "{names:?}");

    let Some(What::Run(run)) = &found[2].what else { panic!("{:?}", found[2]) };
    assert_eq!(run.tag, "step 0");
    let device = &RunMetadata::decode(&run.metadata[..]).unwrap().steps.unwrap().devices[0];
    assert!(device.nodes.iter().all(|node| names.contains(&&*node.name) && node.end > 0));
    assert!(device.nodes.iter().any(|node| node.name == "dense1/MatMul" && node.start > 0));

    let summaries: Vec<(i64, &SummaryValue)> = found
        .iter()
        .filter_map(|event| match &event.what {
            Some(What::Summary(summary)) => Some((event.step, &summary.value[0])),
            _ => None,
        })
        .collect();
    let losses: Vec<f32> = summaries.iter().filter_map(|it| it.1.number).collect();
    assert_eq!(losses.len(), 20);
    assert!(losses[19] < losses[0]);
    let (step, last) = summaries.iter().rfind(|it| it.1.tag == "dense1/weight").unwrap();
    let histogram = last.histogram.as_ref().unwrap();
    assert_eq!((*step, histogram.num, histogram.counts.iter().sum::<f64>()), (19, 32.0, 32.0));
    assert_eq!(histogram.limits.len(), histogram.counts.len());
    assert!(histogram.min < 0.0 && histogram.max > 0.0);
}

/// The run that is timed is a run: it takes the branch, and counts the rounds; and it changes no variable.
#[test]
fn branches_and_loops_are_timed_and_variables_stay() {
    let w = Variable::new("w", 3.0f32);
    let function = graphfn::graph_fn({
        let w = w.clone();
        move |x: &Tensor| {
            w.assign_add(1.0);
            let y = graphfn::cond(&x.greater(0.0), || x * &w, || -x);
            graphfn::while_loop(y, |y| y.less(100.0), |y| y * 2.0)
        }
    });
    let x = Tensor::from(1.0f32);
    let concrete = function.concrete_function(&x).unwrap();
    let folder = Folder::new("times");
    let writer = SummaryWriter::new(folder.path("run")).unwrap();
    writer.times("once", &concrete, &[&x], 3).unwrap();
    writer.flush().unwrap();
    assert_eq!(w.read().item::<f32>(), 3.0);
    let found = events(&std::fs::read(writer.path()).unwrap());
    let Some(What::Run(run)) = &found[1].what else { panic!("{:?}", found[1]) };
    let device = &RunMetadata::decode(&run.metadata[..]).unwrap().steps.unwrap().devices[0];
    let names: Vec<&str> = device.nodes.iter().map(|node| &*node.name).collect();
    let exported = concrete.graph().nodes.iter().map(|node| match &*node.name {
        "ReadVariableOp" => "Add/ReadVariableOp",
        name => name,
    });
    assert_eq!((names, found[1].step), (exported.collect(), 3));
}

#[test]
fn pictures_keep_their_pixels() {
    let folder = Folder::new("pictures");
    let writer = SummaryWriter::new(folder.path("run")).unwrap();
    let bytes: Vec<u8> = (0..24).collect();
    writer.image("rgb", Tensor::from(bytes.clone()).reshape([2, 4, 3]), 7).unwrap();
    writer.image("grey", Tensor::from([[0.0f32, 0.5], [1.0, 7.0]]), 8).unwrap();
    writer.flush().unwrap();
    let found = events(&std::fs::read(writer.path()).unwrap());
    let pixels = |at: usize| {
        let Some(What::Summary(summary)) = &found[at].what else { panic!("{:?}", found[at]) };
        let image = summary.value[0].image.clone().unwrap();
        // After the signature the header, 25 bytes with its frame; then the compressed rows.
        let length = u32::from_be_bytes(image.png[33..37].try_into().unwrap()) as usize;
        assert_eq!(&image.png[37..41], b"IDAT");
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&image.png[41..41 + length]).read_to_end(&mut rows).unwrap();
        let width = image.width as usize * image.colorspace as usize + 1;
        assert_eq!(rows.len(), width * image.height as usize);
        rows.chunks(width).flat_map(|row| row[1..].to_vec()).collect::<Vec<u8>>()
    };
    assert_eq!(pixels(1), bytes);
    assert_eq!(pixels(2), [0, 128, 255, 255]);
}

#[test]
fn what_is_no_picture_histogram_or_input_is_refused() {
    let folder = Folder::new("refused");
    let writer = SummaryWriter::new(folder.path("run")).unwrap();
    let error = writer.image("x", Tensor::from([1.0f32]), 0).unwrap_err();
    assert_eq!(
        error.message(),
        "a picture is [height, width] or [height, width, 1 to 4 channels] of uint8 or floats from 0 to 1, found f32[1]"
    );
    let error = writer.histogram("x", Tensor::from([f32::INFINITY]), 0).unwrap_err();
    assert_eq!(error.message(), "a histogram takes finite values, found inf");
    let function = graphfn::graph_fn(|x: &Tensor| x + 1.0);
    let concrete = function.concrete_function(&Tensor::from([1.0f32])).unwrap();
    let error = writer.times("a", &concrete, &[&Tensor::from(1)], 0).unwrap_err();
    assert!(error.message().contains("found [\"i32[]\"]"), "{error}");
    let file = folder.path("file");
    std::fs::write(&file, "").unwrap();
    let error = SummaryWriter::new(&file).unwrap_err();
    assert!(error.message().contains("cannot be made"), "{error}");
}

/// Looks at the log in TensorBoard: scopes are blocks, sizes stand on edges, curves and pictures are there.
#[test]
fn tensorboard_shows_the_log() {
    let given = ["GRAPHFN_TENSORBOARD", "GRAPHFN_BROWSER", "GRAPHFN_PLAYWRIGHT"];
    let given: Option<Vec<String>> = given.iter().map(|it| std::env::var(it).ok()).collect();
    let Some(given) = given else {
        eprintln!(
            "skipped: set GRAPHFN_TENSORBOARD, GRAPHFN_BROWSER and GRAPHFN_PLAYWRIGHT to look at a log in TensorBoard"
        );
        return;
    };
    let folder = Folder::new("tensorboard");
    log(&folder);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/tensorboard.mjs");
    let pictures = std::env::var("GRAPHFN_SCREENSHOTS").unwrap_or_default();
    let done = Command::new("node")
        .arg(script)
        .args(&given)
        .arg(folder.path(""))
        .arg(pictures)
        .output()
        .expect("Node.js is installed");
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{told}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(told.ends_with("all is shown\n"), "{told}");
}
