//! Answers to a driver that lets contenders of several processes take turns. Knows the protocol, and no row.
//!
//! A line on standard input is a request, and each is answered by a line of JSON:
//! `row NAME` by the result of each contender of the row, `{"Candle": [1.0], ..}`, or `{}` if there is no such row;
//! `run CONTENDER COUNT` by the nanoseconds that so many runs of one of them took, `{"ns": 1000}`.

use crate::contender::Contender;
use std::io::{self, BufRead, Write};

/// Answers requests until there are no more; `make` gives the contenders of a row, none if there is no such row.
///
/// # Errors
/// If standard input or output is closed.
///
/// # Panics
/// If a request is not of the protocol.
pub fn answer(make: impl Fn(&str) -> Vec<Contender>) -> io::Result<()> {
    let mut contenders = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match line.split_once(' ') {
            Some(("row", name)) => {
                contenders = make(name);
                let results: Vec<String> = contenders.iter_mut().map(result).collect();
                format!("{{{}}}", results.join(", "))
            }
            Some(("run", what)) => format!("{{\"ns\": {}}}", run(&mut contenders, what)),
            _ => panic!("`{line}` is no request"),
        };
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

fn result(contender: &mut Contender) -> String {
    let (name, numbers) = (contender.name, contender.numbers());
    format!("{name:?}: {numbers:?}")
}

fn run(contenders: &mut [Contender], what: &str) -> u128 {
    let (name, count) = what.rsplit_once(' ').expect("a contender, and how often it runs");
    let count = count.parse().expect("a number of runs");
    let contender = contenders.iter_mut().find(|it| it.name == name);
    contender.expect("a contender of the row").run(count).as_nanos()
}
