//! A program built with `panic = "abort"`: what is right works, and misuse tells all it knows and aborts.
//!
//! `cargo run --profile abort --example abort`: without an argument it runs itself once for each case of misuse.

use graphfn::prelude::*;
use std::process::{Command, ExitCode, Output};

/// Misuse: its name, its line, what it does, and what it is told.
struct Case {
    name: &'static str,
    line: u32,
    misuse: fn(),
    complaint: Complaint,
}

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        if cfg!(not(panic = "abort")) {
            eprintln!("built to unwind: run it with `--profile abort`");
            return ExitCode::FAILURE;
        }
        straight_line_code_works();
        what_needs_unwinding_says_so();
        CASES.iter().for_each(check);
        println!("{} ways of misuse told all and aborted", CASES.len());
        return ExitCode::SUCCESS;
    };
    let case = CASES.iter().find(|it| it.name == name).expect("it is the name of a case");
    (case.misuse)();
    println!("survived");
    ExitCode::SUCCESS
}

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

#[graph_fn]
fn step(line: &Line, x: &Tensor, y: &Tensor, #[tensor] rate: f32) -> Tensor {
    let error = &line.a * x + &line.b - y;
    line.a.assign_sub(&rate * (&error * x).sum());
    line.b.assign_sub(&rate * error.sum());
    error.square().sum()
}

#[graph_fn]
fn add(a: &Tensor, b: &Tensor) -> Tensor {
    a + b
}

#[graph_fn]
fn pick(x: &Tensor, at: &Tensor) -> Tensor {
    x.gather(at, 0)
}

fn floats(count: usize) -> Tensor {
    Tensor::from(vec![1.0f32; count])
}

/// What is said, and what to do.
type Complaint = (&'static str, &'static str);

const BROADCAST: Complaint = (
    "`add` cannot broadcast shapes [2] and [3]",
    "sizes are compared from the last axis; they must be equal or 1: use `reshape` or `expand_dims`",
);
const ITEM: Complaint = (
    "`item` needs exactly one element, found shape [2]",
    "read all elements with `to_array`, or select one",
);
const INDEX: Complaint = (
    "`gather` needs indices in 0..3 for axis 0, found 7 at [0] of the indices",
    "indices go from 0 to 2; clamp them if that is what you mean",
);

/// Misuse at once and while tracing, of an op, a read and data, with a boundary around it and without.
const CASES: &[Case] = &[
    Case {
        name: "op",
        line: line!() + 1,
        misuse: || drop(floats(2) + floats(3)),
        complaint: BROADCAST,
    },
    Case {
        name: "op in attempt",
        line: line!() + 1,
        misuse: || drop(attempt(|| floats(2) + floats(3))),
        complaint: BROADCAST,
    },
    Case {
        name: "op in a trace",
        line: line!() + 1,
        misuse: || drop(graph_fn(|x: &Tensor| x + floats(3)).call(&floats(2))),
        complaint: BROADCAST,
    },
    Case {
        name: "op in a trace of try_call",
        line: line!() + 1,
        misuse: || drop(graph_fn(|x: &Tensor| x + floats(3)).try_call(&floats(2))),
        complaint: BROADCAST,
    },
    Case {
        name: "read",
        line: line!() + 1,
        misuse: || _ = floats(2).item::<f32>(),
        complaint: ITEM,
    },
    Case {
        name: "index that is data",
        line: line!() + 2,
        misuse: || {
            let pick = graph_fn(|x: &Tensor, at: &Tensor| x.gather(at, 0));
            drop(pick.call((&floats(3), &Tensor::from([7]))));
        },
        complaint: INDEX,
    },
];

fn straight_line_code_works() {
    let line = Line { a: Variable::new("a", 0.0f32), b: Variable::new("b", 0.0f32) };
    let (x, y) = (Tensor::from([0.0f32, 1.0, 2.0]), Tensor::from([1.0f32, 3.0, 5.0]));
    for _ in 0..1000 {
        step(&line, &x, &y, 0.1);
    }
    assert_eq!(format!("{:.3} {:.3}", line.a, line.b), "2.000 1.000");
    assert_eq!(step::trace_count(), 1);
    let sum = attempt(|| add(&floats(2), &floats(2))).expect("shapes agree");
    assert_eq!(sum.to_vec::<f32>(), [2.0, 2.0]);
    let sum = add::try_call(&floats(3), &floats(3)).expect("shapes agree");
    assert_eq!(sum.to_vec::<f32>(), [2.0; 3]);
    // Enough work for the threads that help.
    let large = add(&floats(1 << 20), &floats(1 << 20));
    assert!(large.to_vec::<f32>().iter().all(|it| *it == 2.0));
    // What depends on data is an error that was never raised, and stays a value.
    let error = pick::try_call(&floats(3), &Tensor::from([7])).expect_err("there are only three");
    assert!(error.to_string().contains("7"), "{error}");
}

fn what_needs_unwinding_says_so() {
    let error =
        concrete_function_of(|| add(&floats(2), &floats(2))).expect_err("it needs unwinding");
    assert_eq!(
        error.message(),
        "`concrete_function_of` stops its block by unwinding, found `panic = \"abort\"`"
    );
    assert!(error.help().is_some_and(|it| it.contains("f::concrete_function(..)")), "{error}");
    assert!(add::concrete_function(&floats(2), &floats(2)).is_ok());
}

/// Runs a case in a process of its own, and reads what it leaves behind.
fn check(case: &Case) {
    let program = std::env::current_exe().expect("this program has a file");
    let Output { status, stdout, stderr } =
        Command::new(program).arg(case.name).output().expect("it starts again");
    let told = String::from_utf8(stderr).expect("complaints are text");
    assert!(status.code().is_none() && stdout.is_empty(), "{}: {status}\n{told}", case.name);
    let place = format!("\n  --> {}:{}:", file!(), case.line);
    let (message, help) = case.complaint;
    let help = format!("\n  help: {help}\n");
    for part in [message, &place, &help] {
        assert_eq!(told.matches(part).count(), 1, "{}: `{part}` once in\n{told}", case.name);
    }
}
