//! Pictures of a training step: a log for TensorBoard, DOT, Mermaid, a page for any browser, and TensorFlow's GraphDef.
//!
//! `cargo run --release --example visualise [folder]`: the folder is `target/visualise` where none is given. Afterwards
//! `tensorboard --logdir target/visualise/log`, `dot -Tsvg target/visualise/step.dot > step.svg`, or open `step.html`.
//! The last line says what was written.

use graphfn::{SummaryWriter, prelude::*};
use std::error::Error;
use std::path::PathBuf;

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    #[graph_fn]
    fn step(&self, x: &Tensor, y: &Tensor, optimizer: &Adam) -> Tensor {
        let hidden = self.dense1.call(x);
        let loss = name_scope("loss").enter(|| (self.dense2.call(&hidden) - y).square().mean());
        optimizer.minimize(&loss);
        loss
    }
}

/// What the model learns: rings around the middle, as a picture of 32 rows and columns.
fn rings() -> (Tensor, Tensor) {
    let line = Tensor::linspace(-1.0f32, 1.0, 32);
    let rows = line.expand_dims(1).broadcast_to([32, 32]);
    let columns = line.broadcast_to([32, 32]);
    let heights = ((rows.square() + columns.square()) * 8.0).sin() * 0.5 + 0.5;
    (stack(&[rows, columns], 2).reshape([1024, 2]), heights.reshape([1024, 1]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or(PathBuf::from("target/visualise"), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let dense1 = Dense::new(32).activation(Activation::Tanh);
    let model = Model { dense1, dense2: Dense::new(1) };
    let optimizer = Adam::new(0.01);
    let (x, y) = rings();

    let writer = SummaryWriter::new(folder.join("log"))?;
    writer.image("rings", y.reshape([32, 32]), 0)?;
    for step in 0..200 {
        let loss = model.step(&x, &y, &optimizer);
        writer.scalar("loss", loss.item::<f32>(), step)?;
        if step % 20 == 0 {
            writer.histogram("dense1/weight", model.dense1.weight.read(), step)?;
        }
    }
    let concrete = model.step_concrete_function(&x, &y, &optimizer)?;
    writer.graph(&concrete)?;
    writer.times("step 200", &concrete, &[&x, &y], 200)?;
    writer.flush()?;

    std::fs::write(folder.join("step.dot"), concrete.graph().to_dot())?;
    std::fs::write(folder.join("step.mmd"), concrete.graph().to_mermaid())?;
    std::fs::write(folder.join("step.html"), concrete.to_html())?;
    concrete.graphdef()?.save(folder.join("step.pb"))?;
    println!("wrote log, step.dot, step.mmd, step.html and step.pb in {}", folder.display());
    Ok(())
}
