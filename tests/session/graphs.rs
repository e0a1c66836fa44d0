//! What sessions promise beyond the chapters: order, pruning, feeds of any tensor, values of their own, threads.

use graphfn::prelude::*;
use graphfn::{control_dependencies, feed, host_fn};
use std::sync::atomic::{AtomicUsize, Ordering};

fn f32(tensor: &Tensor) -> f32 {
    tensor.item()
}

fn initialised(graph: &Graph) -> Session {
    let session = Session::new(graph);
    graph.global_variables_initializer().run(&session).unwrap();
    session
}

/// S-33: variables are fetched after all updates, tensors where they stand.
#[test]
fn s33_variables_are_read_last_and_tensors_where_they_stand() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Ones);
    let before = &a * 10.0;
    let more = a.assign_add(1.0);
    let after = control_dependencies([&more], || &a * 100.0);
    let session = initialised(&graph);
    let (found, held, last) = session.run((&before, &a, &after)).unwrap();
    assert_eq!((f32(&found), f32(&held), f32(&last)), (10.0, 2.0, 200.0));
    assert_eq!(f32(&session.run(&before).unwrap()), 20.0);
    assert_eq!(f32(&session.value(&a).unwrap()), 2.0, "what is not needed is not done");
}

#[test]
fn a_run_does_only_what_its_fetches_need() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([]);
    let counted = host_fn("counted", |x: ndarray::ArrayViewD<'_, f32>| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        x.to_owned()
    });
    let y = counted.call([&x]);
    let (z, other) = (&y + 1.0, &x * 2.0);
    let session = Session::new(&graph);
    session.run_with(&other, feed! { x => 1.0 }).unwrap();
    assert_eq!(CALLS.load(Ordering::Relaxed), 0);
    assert_eq!(f32(&session.run_with(&z, feed! { x => 1.0 }).unwrap()), 2.0);
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    // Any tensor can be fed, and then what it depends on is not needed.
    assert_eq!(f32(&session.run_with(&z, feed! { y => 5.0 }).unwrap()), 6.0);
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
}
