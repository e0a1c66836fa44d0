//! Concrete functions by themselves: called, made a part of other programs, saved in files and loaded.

use crate::support::Folder;
use graphfn::ErrorKind;
use graphfn::prelude::*;
use std::fs;

#[derive(Tree)]
struct Line {
    a: Variable,
    b: Variable,
}

fn line() -> Line {
    Line { a: Variable::new("a", 2.0f32), b: Variable::new("b", 1.0f32).untrainable() }
}

#[graph_fn]
fn predict(line: &Line, x: &Tensor) -> Tensor {
    &line.a * x + &line.b
}

#[graph_fn]
fn descend(line: &Line, x: &Tensor) -> Tensor {
    let loss = (&line.a * x + &line.b).square().mean();
    GradientDescent::new(0.1).minimize(&loss)
}

fn two() -> Tensor {
    Tensor::from([1.0f32, 2.0])
}

#[test]
fn a_concrete_function_is_called_on_its_variables() {
    let line = line();
    let concrete = predict::concrete_function(&line, &two()).unwrap();
    assert_eq!(concrete.call([&two()]).unwrap()[0].to_vec::<f32>(), [3.0, 5.0]);
    line.a.assign(3.0);
    assert_eq!(concrete.call([&two()]).unwrap()[0].to_vec::<f32>(), [4.0, 7.0]);
    let step = descend::concrete_function(&line, &two()).unwrap();
    let before = line.a.read().item::<f32>();
    step.call([&two()]).unwrap();
    assert!(line.a.read().item::<f32>() < before);
}

#[test]
fn inputs_that_are_not_those_of_the_signature_are_refused() {
    let concrete = predict::concrete_function(&line(), &two()).unwrap();
    let at = line!() + 1;
    let error = concrete.call([]).unwrap_err();
    assert_eq!(error.message(), "1 inputs are wanted, and 0 given");
    assert_eq!((error.kind(), error.place().unwrap().line), (ErrorKind::Signature, at));
    let error = concrete.call([&Tensor::from(1.0f32)]).unwrap_err();
    assert_eq!(error.message(), "input `x` is f32[2], and f32[] is given");
    assert_eq!(error.help(), Some("its signature is predict(x: f32[2]) -> (f32[2])"));
}

#[graph_fn(signature(x: f32[?, 2], y: f32[n, 2], z: f32[n, 2]))]
fn sizes(x: &Tensor, y: &Tensor, z: &Tensor) -> Tensor {
    x.sum() + (y * z).sum()
}

#[test]
fn sizes_that_vary_may_differ_and_those_of_one_name_may_not() {
    let rows = |count: usize| Tensor::full([count, 2], 1.0f32);
    let concrete = sizes::concrete_function(&rows(1), &rows(2), &rows(2)).unwrap();
    let folder = Folder::new("sizes");
    let path = folder.path("sizes.graphfn");
    concrete.save(&path).unwrap();
    for concrete in [concrete, ConcreteFunction::load(&path).unwrap()] {
        let found = concrete.call([&rows(5), &rows(3), &rows(3)]).unwrap();
        assert_eq!(found[0].item::<f32>(), 16.0);
        let error = concrete.call([&rows(5), &rows(3), &rows(4)]).unwrap_err();
        assert!(error.message().starts_with("input `z` is f32[n, 2], and f32[4, 2]"), "{error}");
    }
}

#[test]
fn a_loaded_function_computes_the_same_and_trains_variables_of_its_own() {
    let (line, folder) = (line(), Folder::new("loaded"));
    let table: Vec<f32> = (0..100).map(|it| it as f32 * 0.1).collect();
    let table = Tensor::from(table);
    let look_up = graph_fn(|line: &Line, at: &Tensor| table.gather(at, 0) * &line.a);
    let at = Tensor::from([3, 99]);
    let concrete = concrete_function_of(|| look_up.call((&line, &at))).unwrap();
    let path = folder.path("look_up.graphfn");
    concrete.save(&path).unwrap();
    let loaded = ConcreteFunction::load(&path).unwrap();
    let same = |it: &ConcreteFunction| it.call([&at]).unwrap()[0].to_vec::<f32>();
    assert_eq!(same(&loaded), same(&concrete));
    assert_eq!(loaded.graph().to_string(), concrete.graph().to_string());

    let path = folder.path("descend.graphfn");
    let step = descend::concrete_function(&line, &two()).unwrap();
    step.save(&path).unwrap();
    let loaded = ConcreteFunction::load(&path).unwrap();
    let losses = |it: &ConcreteFunction| -> Vec<f32> {
        (0..3).map(|_| it.call([&two()]).unwrap()[0].item()).collect()
    };
    assert_eq!(losses(&loaded), losses(&step));
    let variables = loaded.variables();
    assert_eq!(variables[0].name(), "a:0");
    assert_eq!(loaded.trainable_variables().len(), 1);
    assert_eq!(variables[0].read().item::<f32>(), line.a.read().item::<f32>());
}

/// A file with one text instead of another of its length.
fn replaced(file: &[u8], text: &str, by: &str) -> Vec<u8> {
    let at = file.windows(text.len()).position(|it| it == text.as_bytes()).unwrap();
    [&file[..at], by.as_bytes(), &file[at + text.len()..]].concat()
}

#[test]
fn damaged_foreign_and_newer_files_are_errors() {
    let folder = Folder::new("damaged");
    let path = folder.path("predict.graphfn");
    predict::concrete_function(&line(), &two()).unwrap().save(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    let damaged = folder.path("damaged.graphfn");
    let says = |bytes: &[u8]| {
        fs::write(&damaged, bytes).unwrap();
        ConcreteFunction::load(&damaged).map(|it| it.signature()).map_err(|error| {
            assert_eq!(error.kind(), ErrorKind::Format);
            error.message().to_string()
        })
    };
    for end in 0..whole.len() {
        assert!(says(&whole[..end]).unwrap_err().contains("it is no whole function: "));
    }
    let newer = replaced(&whole, "\"graphfn.function\":\"1\"", "\"graphfn.function\":\"2\"");
    let newer = says(&newer).unwrap_err();
    assert!(newer.ends_with("it is of version 2, and this graphfn reads up to 1"), "{newer}");
    let other = says(&replaced(&whole, "Mul(", "Mvl(")).unwrap_err();
    assert!(other.contains("there is no op `Mvl`"), "{other}");
    let missing = ConcreteFunction::load(folder.path("missing.graphfn")).unwrap_err();
    assert!(missing.message().contains("cannot be read: "), "{missing}");
    assert!(says(&whole).is_ok());
}

#[test]
fn code_of_the_users_cannot_be_saved() {
    #[graph_fn]
    fn hosted(x: &Tensor) -> Tensor {
        host_fn("hosted", |x: ndarray::ArrayViewD<f32>| x.to_owned()).call([x])
    }
    let folder = Folder::new("hosted");
    let concrete = hosted::concrete_function(&two()).unwrap();
    let error = concrete.save(folder.path("hosted.graphfn")).unwrap_err();
    assert!(error.message().starts_with("`HostCall` is code of yours"), "{error}");
    assert!(error.place().is_some() && !folder.path("hosted.graphfn").exists());
}

#[test]
fn a_concrete_function_is_a_part_of_traces_graphs_and_tapes() {
    let line = line();
    let concrete = predict::concrete_function(&line, &two()).unwrap();
    let inner = concrete.clone();
    let outer = graph_fn(move |x: &Tensor| inner.call([x]).unwrap()[0].sum());
    assert_eq!(outer.call(&two()).item::<f32>(), 8.0);

    let graph = Graph::new();
    let x = graph.placeholder::<f32>([2]);
    let y = concrete.call([&x]).unwrap().remove(0);
    assert_eq!(y.to_string(), "Tensor(\"predict/add:0\", shape=(2,), dtype=float32)");
    let slope = gradients(&y, &x).unwrap();
    let session = Session::new(&graph);
    let found = session.run_with((&y, &slope), feed! { x => [1.0f32, 2.0] }).unwrap();
    assert_eq!((found.0.to_vec::<f32>(), found.1.to_vec::<f32>()), (vec![3.0, 5.0], vec![2.0; 2]));
    line.a.assign(0.0);
    let found = session.run_with(&y, feed! { x => [1.0f32, 2.0] }).unwrap();
    assert_eq!(found.to_vec::<f32>(), [1.0, 1.0], "it is bound to its own variables");

    let tape = GradientTape::new();
    let y = concrete.call([&two()]).unwrap().remove(0).sum();
    let slope = tape.gradient(&y, &line.a).unwrap();
    assert_eq!(slope.item::<f32>(), 3.0);
}

#[test]
fn a_run_of_a_session_is_a_function_that_can_be_saved() {
    let graph = Graph::new();
    let x = graph.placeholder::<f32>(Shape::unknown());
    let a = graph.get_variable("a", [], init::Constant(3.0));
    let y = &a * &x;
    let session = Session::new(&graph);
    graph.global_variables_initializer().run(&session).unwrap();
    let concrete = session.concrete_function(&y, feed! { x => [0.0f32, 0.0] }).unwrap();
    assert_eq!(concrete.variables()[0].name(), "a:0");
    let folder = Folder::new("session");
    let path = folder.path("run.graphfn");
    concrete.save(&path).unwrap();
    let found = ConcreteFunction::load(&path).unwrap().call([&two()]).unwrap();
    assert_eq!(found[0].to_vec::<f32>(), [3.0, 6.0]);
    let error = session.concrete_function(&y, graphfn::Feeds::new()).unwrap_err();
    assert!(error.message().starts_with("You must feed a value"), "{error}");
}
