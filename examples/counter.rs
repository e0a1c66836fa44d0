//! State that outlives calls: a variable that the function captures.
//!
//! Prints 1.0 to 5.0, a line each.

use graphfn::prelude::*;
use once_cell::sync::Lazy;

static COUNT: Lazy<Variable> = Lazy::new(|| Variable::new("count", 0.0f32));

#[graph_fn]
fn next() -> Tensor {
    COUNT.assign(&*COUNT + 1.0);
    COUNT.read()
}

fn main() {
    for _ in 0..5 {
        println!("{:.1}", next());
    }
    assert_eq!(next::trace_count(), 1, "the body ran once; the graph ran five times");
}
