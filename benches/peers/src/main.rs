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

/// Work, and who does it.
struct Row {
    work: &'static str,
    /// How far results may differ from the first contender's, as a part of it.
    agrees: f32,
    contenders: fn() -> Vec<Contender>,
}

/// Sums are taken in different orders.
const CLOSELY: f32 = 1e-5;
/// Some take the corrections of Adam in `f32`, others in `f64`, and its first steps follow the signs of the least slopes.
const ADAM: f32 = 5e-4;

/// What is measured: each row names its work, and has its contenders, ours first.
const ROWS: &[Row] = &[
    Row { work: "x + 1 on one float", agrees: CLOSELY, contenders: elements::increment },
    Row { work: "a + b of two scalars", agrees: CLOSELY, contenders: elements::add_scalars },
    Row { work: "a + b on 8 floats", agrees: CLOSELY, contenders: elements::add },
    Row { work: "first call of x * 2 + 1", agrees: CLOSELY, contenders: first::call },
    Row {
        work: "a step of linear regression, gradients by hand",
        agrees: CLOSELY,
        contenders: regression::step,
    },
    Row {
        work: "a step of linear regression, gradients and SGD",
        agrees: CLOSELY,
        contenders: regression::descent,
    },
    Row {
        work: "a step of 784-100-10, batch 50, SGD",
        agrees: CLOSELY,
        contenders: classifier::small,
    },
    Row {
        work: "a step of 784-512-512-10, batch 128, Adam",
        agrees: ADAM,
        contenders: classifier::large,
    },
];

fn main() -> std::io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--worker") {
        let row = |name: &str| ROWS.iter().find(|row| row.work == name);
        return worker::answer(|name| row(name).map_or_else(Vec::new, |row| (row.contenders)()));
    }
    println!("{:<32} {:>10} {:>10} {:>8}", "", "median", "minimum", "ratio");
    for Row { work, agrees, contenders } in ROWS {
        let mut contenders = contenders();
        contender::agree(work, &mut contenders, *agrees);
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
