//! What graphfn costs beside its peers: Candle, and ndarray written by hand, on the same inputs and by turns.
//!
//! `python3 benches/peers/python/run.py` times them beside JAX, TensorFlow and PyTorch; for those of Rust alone,
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`. Contenders first have to agree on the result.

mod classifier;
mod clock;
mod contender;
mod elements;
mod first;
#[path = "../../../tests/support/mlp.rs"]
mod mlp;
mod regression;
mod worker;

use contender::Contender;

/// What is measured: each row names its work, and has its contenders, ours first.
const ROWS: &[(&str, fn() -> Vec<Contender>)] = &[
    ("x + 1 on one float", elements::increment),
    ("a + b of two scalars", elements::add_scalars),
    ("a + b on 8 floats", elements::add),
    ("first call of x * 2 + 1", first::call),
    ("a step of linear regression, gradients by hand", regression::step),
    ("a step of linear regression, gradients and SGD", regression::descent),
    ("a step of 784-100-10, batch 50, SGD", classifier::small),
    ("a step of 784-512-512-10, batch 128, Adam", classifier::large),
];

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--worker") {
        return worker::answer(ROWS);
    }
    println!("{:<32} {:>10} {:>10} {:>8}", "", "median", "minimum", "ratio");
    for (work, contenders) in ROWS {
        let mut contenders = contenders();
        contender::agree(work, &mut contenders);
        let times = clock::by_turns(&mut contenders);
        println!("{work}");
        for (contender, time) in contenders.iter().zip(&times) {
            let ratio = time.median / times[0].median;
            println!(
                "  {:<30} {:>7.0} ns {:>7.0} ns {ratio:>7.2}x",
                contender.name, time.median, time.minimum
            );
        }
    }
    Ok(())
}
