//! Times single kernels, where their constants come from: `cargo bench --bench kernels -- [words of a name]`.
//! Knows no graph and no peer; each line is the 30th percentile, in nanoseconds.

use graphfn::kernels::gemm::MatMul;
use graphfn::kernels::{Distribution, Layout, Random, moves, pool, random};
use graphfn::{DType, Spec};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let bench = |name: String, work: f64, unit: &str, run: &mut dyn FnMut()| {
        if wanted.iter().all(|word| name.contains(word)) {
            let ns = time(run);
            println!("{name:<40} {ns:>12.0} ns {:>9.2} {unit}", work / ns);
        }
    };
    matmuls(&bench);
    copies(&bench);
    randoms(&bench);
    pools(&bench);
}

type Bench<'a> = &'a dyn Fn(String, f64, &str, &mut dyn FnMut());

/// The time of one run: the 30th percentile of samples of some 200 us, over a fifth of a second.
fn time(run: &mut dyn FnMut()) -> f64 {
    run();
    let begun = Instant::now();
    run();
    let each = begun.elapsed().as_nanos().max(1);
    let together = (200_000 / each).max(1);
    let mut samples = Vec::new();
    let begun = Instant::now();
    while samples.len() < 10 || begun.elapsed() < Duration::from_millis(200) {
        let begun = Instant::now();
        (0..together).for_each(|_| run());
        samples.push(begun.elapsed().as_nanos() as f64 / together as f64);
    }
    samples.sort_by(f64::total_cmp);
    samples[samples.len() * 3 / 10]
}

fn matmuls(bench: Bench<'_>) {
    for [m, k, n] in [
        [1, 32, 10],
        [10, 32, 10],
        [16, 16, 16],
        [32, 32, 32],
        [10, 784, 100],
        [48, 48, 48],
        [50, 100, 10],
        [64, 64, 64],
        [96, 96, 96],
        [128, 128, 128],
        [50, 784, 100],
        [128, 784, 512],
        [512, 512, 512],
        [1024, 1024, 1024],
        [1, 1000, 1000],
        [1000, 1000, 1],
    ] {
        for (name, a_turned, b_turned) in
            [("nn", false, false), ("tn", true, false), ("nt", false, true)]
        {
            matmul(bench, name, [m, k, n], a_turned, b_turned);
        }
    }
}

/// Times our kernel and the crate `gemm` on the same operands.
fn matmul(bench: Bench<'_>, name: &str, [m, k, n]: [usize; 3], a_turned: bool, b_turned: bool) {
    let layout = |rows: usize, columns: usize, is_turned: bool| {
        let mut layout = Layout::row_major(Spec::new(DType::F32, [rows, columns]));
        if is_turned {
            layout.strides = [1, rows.cast_signed()].into_iter().collect();
        }
        layout
    };
    let layouts = [layout(m, k, a_turned), layout(k, n, b_turned)];
    let kernel = MatMul::new(&layouts, Spec::new(DType::F32, [m, n]));
    let (a, b, mut c) = (vec![0.5f32; m * k], vec![0.25f32; k * n], vec![0f32; m * n]);
    let mut scratch = vec![0u8; kernel.scratch() + 64];
    let scratch = scratch.as_mut_ptr();
    let scratch = scratch.wrapping_add(scratch.align_offset(64));
    let flops = (2 * m * k * n) as f64;
    let case = format!("{m}x{k}x{n} {name}");
    let output = c.as_mut_ptr();
    bench(format!("matmul {case}"), flops, "flop/ns", &mut || {
        let inputs = [a.as_ptr().cast(), b.as_ptr().cast()];
        // SAFETY: the vectors have the elements of their layouts, and the scratch is as asked for.
        unsafe { kernel.run(black_box(&inputs), &[output.cast()], scratch) }
            .expect("matmul has no errors");
    });
    let [a_steps, b_steps] = layouts.each_ref().map(|it| [it.strides[0], it.strides[1]]);
    bench(format!("gemm   {case}"), flops, "flop/ns", &mut || {
        let (a, b) = black_box((a.as_ptr(), b.as_ptr()));
        // SAFETY: as above.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                output,
                1,
                n.cast_signed(),
                false,
                a,
                a_steps[1],
                a_steps[0],
                b,
                b_steps[1],
                b_steps[0],
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    });
}

fn copies(bench: Bench<'_>) {
    for (rows, columns) in [(16, 16), (100, 784), (1024, 1024)] {
        let layout = |strides: [isize; 2]| Layout {
            spec: Spec::new(DType::F32, [rows, columns]),
            strides: strides.into_iter().collect(),
        };
        let source = vec![1f32; rows * columns];
        let mut target = vec![0f32; rows * columns];
        for (name, strides) in [
            ("row-major", [columns.cast_signed(), 1]),
            ("transposed", [1, rows.cast_signed()]),
            ("repeated", [0, 1]),
        ] {
            let kernel = moves::Copy::new(&layout(strides));
            let bytes = (8 * rows * columns) as f64;
            bench(format!("copy {rows}x{columns} {name}"), bytes, "byte/ns", &mut || {
                let inputs = [source.as_ptr().cast()];
                // SAFETY: the vectors have the elements of the layout.
                unsafe { kernel.run(black_box(&inputs), &[target.as_mut_ptr().cast()]) }
                    .expect("copy has no errors");
            });
        }
    }
}

fn randoms(bench: Bench<'_>) {
    for (name, distribution) in [
        ("uniform", Distribution::Uniform { low: 0.0, high: 1.0 }),
        ("normal", Distribution::Normal { mean: 0.0, std: 1.0 }),
        ("truncated", Distribution::TruncatedNormal { mean: 0.0, std: 1.0 }),
    ] {
        for count in [1000, 1_000_000] {
            let random = Random { distribution };
            bench(format!("random f32 {name} {count}"), count as f64, "number/ns", &mut || {
                black_box(random::draw::<f32>(random, [1, 2], count).expect("a distribution"));
            });
            bench(format!("random f64 {name} {count}"), count as f64, "number/ns", &mut || {
                black_box(random::draw::<f64>(random, [1, 2], count).expect("a distribution"));
            });
        }
    }
}

/// Work of a known time on one thread and in eight chunks, with helpers awake and asleep.
fn pools(bench: Bench<'_>) {
    let work = |ns: u64| {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_nanos(ns) {}
    };
    for total in [800, 2_400, 4_800, 9_600, 24_000, 96_000, 960_000] {
        let each = total / 8;
        bench(format!("pool {total} alone"), total as f64, "of one", &mut || {
            (0..8).for_each(|_| work(each));
        });
        for (name, pause) in [("awake", 0), ("asleep", 100_000)] {
            // The gates are measured with this one, so it passes them all.
            bench(format!("pool {total} {name}"), (total + pause) as f64, "of one", &mut || {
                work(pause);
                pool::for_chunks(8, u64::MAX, |_| work(each));
            });
        }
    }
}
