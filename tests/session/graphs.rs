//! What sessions promise beyond the chapters: order, pruning, feeds of any tensor, values of their own, threads.

use graphfn::prelude::*;
use graphfn::{control_dependencies, group};
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

#[test]
fn each_session_has_values_of_its_own_and_what_is_eager_is_shared() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Ones);
    let shared = Variable::new("shared", 5.0f32);
    let more = a.assign_add(1.0);
    let both = {
        let _graph = graph.as_default();
        group([&more, &shared.assign_add(1.0)])
    };
    let sessions = [initialised(&graph), initialised(&graph)];
    sessions[0].run(&more).unwrap();
    sessions[1].run(&both).unwrap();
    sessions[1].run(&both).unwrap();
    let held = sessions.each_ref().map(|it| f32(&it.value(&a).unwrap()));
    assert_eq!((held, shared.read().item::<f32>()), ([2.0, 3.0], 7.0));
}

#[test]
fn what_an_optimiser_remembers_is_each_sessions_own() {
    let graph = Graph::new();
    let w = graph.get_variable("w", [2], init::Ones);
    let train = Adam::new(0.1).minimize(w.square().sum());
    let walk = |steps: usize| {
        let session = initialised(&graph);
        (0..steps).for_each(|_| drop(session.run(&train).unwrap()));
        session.value(&w).unwrap().to_vec::<f32>()
    };
    let first = walk(3);
    assert_eq!(walk(3), first, "a second session begins anew");
    let eager = Variable::new("w", [1.0f32, 1.0]);
    let optimizer = Adam::new(0.1);
    (0..3).for_each(|_| drop(optimizer.minimize(|| eager.square().sum())));
    assert_eq!(first, eager.read().to_vec::<f32>());
}

#[test]
fn many_threads_run_one_session_and_no_update_is_lost() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Zeros);
    let more = a.assign_add(1.0);
    let session = initialised(&graph);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1_000).for_each(|_| drop(session.run(&more).unwrap())));
        }
    });
    assert_eq!(f32(&session.value(&a).unwrap()), 4_000.0);
}

#[test]
fn threads_build_graphs_of_their_own() {
    let sums = std::thread::scope(|scope| {
        let build = |number: f32| {
            let graph = default_graph();
            let _graph = graph.as_default();
            let y = constant(number) + 1.0;
            assert_eq!(graph.to_ir().nodes.len(), 1);
            f32(&Session::default().run(&y).unwrap())
        };
        [1.0, 2.0].map(|it| scope.spawn(move || build(it))).map(|it| it.join().unwrap())
    });
    assert_eq!(sums, [2.0, 3.0]);
}

#[test]
fn forms_of_fetches_come_back_as_they_are() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Ones);
    let (b, done) = (&a + 1.0, graph.global_variables_initializer());
    let session = initialised(&graph);
    let ((), (found, list), array) = session.run((&done, (&a, vec![&b, &b]), [&b, &b])).unwrap();
    assert_eq!((f32(&found), list.len(), f32(&array[1])), (1.0, 2, 2.0));
    let in_memory = Tensor::from(7.0f32);
    let (same, b) = session.run((&in_memory, &b)).unwrap();
    assert_eq!((f32(&same), f32(&b)), (7.0, 2.0));
}

#[test]
fn sizes_that_vary_are_one_graph() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>(Shape::partial([None, Some(2)]));
    let y = graph.placeholder::<f32>(Shape::partial([None, Some(2)]));
    let loss = (&x - &y).square().mean();
    let slope = gradients(&loss, &x).unwrap();
    assert_eq!(slope.shape().to_string(), "(None, 2)");
    let session = Session::new(&graph);
    for rows in [1, 3] {
        let ones = Tensor::full([rows, 2], 1.0f32);
        let found = session.run_with(&slope, feed! { x => &ones, y => &ones * 0.0 }).unwrap();
        assert_eq!(found.to_vec::<f32>(), vec![1.0 / rows as f32; 2 * rows]);
    }
    let error = session
        .run_with(
            &loss,
            feed! { x => Tensor::full([3, 2], 1.0f32), y => Tensor::full([2, 2], 1.0f32) },
        )
        .unwrap_err();
    assert!(error.message().contains("cannot broadcast shapes [3, 2] and [2, 2]"), "{error}");
    let error = session.run_with(&loss, feed! { x => [1.0f32], y => [1.0f32] }).unwrap_err();
    assert_eq!(error.message(), "`Placeholder:0` has the shape (None, 2), and is fed (1,)");
}

#[test]
fn a_traced_function_is_a_part_of_the_graph() {
    #[graph_fn]
    fn squares(x: &Tensor) -> Tensor {
        (x * x).sum()
    }
    let graph = Graph::new();
    let x = graph.placeholder::<f32>([3]);
    let loss = {
        let _graph = graph.as_default();
        squares(&x)
    };
    assert!(loss.to_string().contains("squares/Sum:0"), "{loss}");
    let slope = gradients(&loss, &x).unwrap();
    let found = Session::new(&graph).run_with(&slope, feed! { x => [1.0f32, 2.0, 3.0] }).unwrap();
    assert_eq!(found.to_vec::<f32>(), [2.0, 4.0, 6.0]);
    assert_eq!(squares::trace_count(), 0);
}

#[test]
fn an_error_of_the_data_names_the_line_and_changes_no_variable() {
    let graph = Graph::new();
    let n = graph.placeholder::<i32>([]);
    let a = graph.get_variable("a", [], init::Ones);
    let line = line!() + 1;
    let bad = n.floor_div(&n);
    let train = {
        let _graph = graph.as_default();
        group([&bad, &a.assign(9.0)])
    };
    let session = initialised(&graph);
    let error = session.run_with(&train, feed! { n => 0 }).unwrap_err();
    assert_eq!((error.kind(), error.place().unwrap().line), (ErrorKind::Value, line));
    assert_eq!(f32(&session.value(&a).unwrap()), 1.0);
}

#[test]
fn s36_a_loss_without_a_gradient_is_told_with_the_path() {
    let graph = Graph::new();
    let w = graph.get_variable("W", [1], init::Ones);
    let loss = w.floor().mean();
    let error = attempt(|| GradientDescent::new(0.1).minimize(&loss)).unwrap_err();
    assert!(
        error.message().starts_with(
            "No gradients provided for any variable, check your graph for ops that do not \
             support gradients, between variables [<Variable 'W:0' shape=(1,) dtype=float32>] \
             and loss Tensor(\"Mean:0\", shape=(), dtype=float32)."
        ),
        "{error}"
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let (one, other) = (Graph::new(), Graph::new());
    let (a, b) = (one.constant(1.0f32), other.constant(2.0f32));
    let error = attempt(|| &a + &b).unwrap_err();
    assert!(error.message().contains("is a tensor of another graph"), "{error}");
    let error = Session::new(&other).run(&a + 1.0).unwrap_err();
    assert!(error.message().ends_with("is of another graph than the session"), "{error}");
    let variable = {
        let gone = Graph::new();
        gone.get_variable("v", [], init::Zeros)
    };
    let error = attempt(|| variable.read()).unwrap_err();
    assert_eq!(error.message(), "the graph of variable `v` is gone");
    let _graph = one.as_default();
    let error = attempt(GradientTape::new).map(drop).unwrap_err();
    assert_eq!(error.message(), "a tape is opened in a graph that sessions run");
}

#[test]
fn what_needs_the_rank_says_how_to_give_it() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>(Shape::unknown());
    let error = attempt(|| x.transpose([1, 0])).unwrap_err();
    assert!(error.help().unwrap().contains("Shape::partial([None, Some(784)])"), "{error}");
    assert!(attempt(|| x.sum_axis(0)).is_err());
    let total = x.mean();
    let session = Session::new(&graph);
    let found = session.run_with(&total, feed! { x => [[1.0f32, 2.0], [3.0, 6.0]] }).unwrap();
    assert_eq!(f32(&found), 3.0);
}

#[test]
fn graph_text_shows_what_waits_for_what() {
    let graph = Graph::new();
    let a = graph.get_variable("a", [], init::Zeros);
    let more = a.assign_add(1.0);
    let _ = control_dependencies([&more], || a.read());
    let text = graph.to_string();
    assert!(text.contains("\"ReadVariableOp_1\" = ReadVariableOp(var0): f32[] after %"), "{text}");
}
