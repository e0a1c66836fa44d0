//! Variables in files and back: bit for bit, by name, whole or not at all.

use crate::support::Folder;
use graphfn::{Element, checkpoint, init, prelude::*};
use std::fs;
use std::path::Path;

/// One variable of each element type, with elements that are easily lost.
#[derive(Tree)]
struct Everything {
    floats: Variable,
    doubles: Variable,
    ints: Variable,
    longs: Variable,
    bytes: Variable,
    flags: Variable,
    nested: [Option<Variable>; 2],
    nothing: Variable,
}

impl Everything {
    fn new() -> Everything {
        let nan = f32::from_bits(0xffc1_2345);
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        Everything {
            floats: Variable::new("a", [[nan, -0.0], [f32::INFINITY, 1e-45]]),
            doubles: Variable::new("b", [signalling, -0.0, 5e-324]),
            ints: Variable::new("c", i32::MIN),
            longs: Variable::new("d", [[[i64::MAX, -1]]]),
            bytes: Variable::new("e", [0u8, 255]),
            flags: Variable::new("f", [true, false, true]),
            nested: [None, Some(Variable::new("g", 0.1f32))],
            nothing: Variable::new("h", Tensor::zeros::<f32>([0, 3])),
        }
    }

    fn variables(&self) -> Vec<&Variable> {
        let Everything { floats, doubles, ints, longs, bytes, flags, nested, nothing } = self;
        let last = nested[1].as_ref().expect("it is there");
        vec![floats, doubles, ints, longs, bytes, flags, last, nothing]
    }

    /// Element types, shapes and bits.
    fn bits(&self) -> Vec<String> {
        fn of<T: Element>(tensor: &Tensor, bits: impl Fn(T) -> u64) -> Vec<u64> {
            tensor.to_vec::<T>().into_iter().map(bits).collect()
        }
        let of_variable = |variable: &Variable| {
            let tensor = variable.read();
            let bits = match tensor.dtype() {
                DType::F32 => of::<f32>(&tensor, |it| it.to_bits().into()),
                DType::F64 => of::<f64>(&tensor, f64::to_bits),
                DType::I32 => of::<i32>(&tensor, |it| it.cast_unsigned().into()),
                DType::I64 => of::<i64>(&tensor, i64::cast_unsigned),
                DType::U8 => of::<u8>(&tensor, u64::from),
                DType::Bool => of::<bool>(&tensor, u64::from),
            };
            format!("{} {} {bits:x?}", tensor.dtype(), tensor.shape())
        };
        self.variables().into_iter().map(of_variable).collect()
    }
}

/// Does something for a file of each format in a folder of its own.
fn in_each_format(test: &str, check: impl Fn(&Path)) {
    let folder = Folder::new(test);
    for name in ["model.safetensors", "model.npz", "model.NPZ"] {
        check(&folder.path(name));
    }
}

#[test]
fn n3_a_round_trip_keeps_every_bit_of_every_type() {
    in_each_format("round-trip", |path| {
        let (saved, other) = (Everything::new(), Everything::new());
        checkpoint::save(&saved, path).unwrap();
        for variable in other.variables() {
            variable.assign(variable.read().zeros_like());
        }
        checkpoint::load(&other, path).unwrap();
        assert_eq!(other.bits(), saved.bits(), "{path:?}");
        // Over the file that is there.
        saved.ints.assign(3);
        checkpoint::save(&saved, path).unwrap();
        checkpoint::load(&other, path).unwrap();
        assert_eq!(other.bits(), saved.bits(), "{path:?}");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().filter(is_beside).count(), 0);
    });
}

/// Whether it is a file that is being written, or was when its writer died.
fn is_beside(entry: &std::io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().unwrap().path().extension().is_some_and(|it| it == "tmp")
}

#[derive(Tree)]
struct Model {
    dense1: Dense,
    dense2: Dense,
}

impl Model {
    /// Layers of these many units, which have not been called yet.
    fn unbuilt(units: [usize; 2]) -> Model {
        Model { dense1: Dense::new(units[0]), dense2: Dense::new(units[1]) }
    }

    fn built(units: [usize; 2]) -> Model {
        let model = Model::unbuilt(units);
        model.call(&Tensor::ones::<f32>([1, 3]));
        model
    }

    #[graph_fn]
    fn call(&self, x: &Tensor) -> Tensor {
        self.dense2.call(&self.dense1.call(x))
    }
}

#[test]
fn names_are_those_of_a_concrete_function() {
    in_each_format("names", |path| {
        let model = Model::built([4, 2]);
        checkpoint::save(&model, path).unwrap();
        let concrete = model.call_concrete_function(&Tensor::ones::<f32>([1, 3])).unwrap();
        let shown: Vec<String> = concrete.variables().iter().map(|it| it.name()).collect();
        let mut shown: Vec<&str> = shown.iter().map(|it| it.trim_end_matches(":0")).collect();
        shown.sort_unstable();
        let held = checkpoint::read(path).unwrap();
        assert_eq!(held.keys().map(String::as_str).collect::<Vec<_>>(), shown);
        assert_eq!(
            held["dense1/weight"].to_vec::<f32>(),
            model.dense1.weight.read().to_vec::<f32>()
        );
    });
}

#[test]
fn layers_are_built_by_loading() {
    in_each_format("unbuilt", |path| {
        let (model, other) = (Model::built([4, 2]), Model::unbuilt([4, 2]));
        checkpoint::save(&model, path).unwrap();
        checkpoint::load(&other, path).unwrap();
        let x = Tensor::from([[0.5f32, -1.0, 2.0]]);
        assert_eq!(other.call(&x).to_vec::<f32>(), model.call(&x).to_vec::<f32>());
    });
}

/// Checks what is said when a file of one model is loaded into another, and that it changes nothing.
#[track_caller]
fn misfit(saved: &Model, into: &Model, wanted: &str) {
    let folder = Folder::new("misfit");
    let path = folder.path("model.safetensors");
    checkpoint::save(saved, &path).unwrap();
    let state = || format!("{:#?} {:#?}", into.dense1, into.dense2);
    let before = state();
    let error = checkpoint::load(into, &path).unwrap_err();
    assert_eq!(error.message(), format!("`{}` does not fit: {wanted}", path.display()));
    assert_eq!(error.kind(), ErrorKind::Variable);
    assert!(error.help().unwrap().starts_with("nothing was loaded"));
    assert_eq!(state(), before);
}

#[test]
fn n3_all_that_does_not_fit_is_listed_and_nothing_is_loaded() {
    #[derive(Tree)]
    struct One {
        dense1: Dense,
        head: Variable,
    }
    let one = One { dense1: Dense::new(4), head: Variable::new("head", 1.0f32) };
    one.dense1.call(&Tensor::ones::<f32>([1, 5]));
    let folder = Folder::new("listed");
    let path = folder.path("one.npz");
    checkpoint::save(&one, &path).unwrap();
    let model = Model::built([4, 2]);
    let before = model.dense1.bias.read().to_vec::<f32>();
    let error = checkpoint::load(&model, &path).unwrap_err();
    let wanted = "does not fit: it lacks `dense2/weight`, `dense2/bias`; it has `head` besides; in \
        it `dense1/weight` is f32[5, 4] and should be f32[3, 4]";
    assert!(error.message().ends_with(wanted), "{error}");
    assert_eq!(model.dense1.bias.read().to_vec::<f32>(), before);
}

#[test]
fn what_an_unbuilt_layer_knows_of_its_variables_must_fit() {
    misfit(
        &Model::built([4, 2]),
        &Model::unbuilt([4, 5]),
        "in it `dense2/weight` is f32[4, 2] and should be floats of shape [?, 5], `dense2/bias` is \
         f32[2] and should be floats of shape [5]",
    );
    let doubles = Model::unbuilt([4, 2]);
    doubles.call(&Tensor::ones::<f64>([1, 3]));
    misfit(
        &Model::built([4, 2]),
        &doubles,
        "in it `dense1/weight` is f32[3, 4] and should be f64[3, 4], `dense1/bias` is f32[4] and \
         should be f64[4], `dense2/weight` is f32[4, 2] and should be f64[4, 2], `dense2/bias` is \
         f32[2] and should be f64[2]",
    );
}

/// Checks what is said of variables that are not saved, and that no file is there then.
#[track_caller]
fn not_saved(
    save: impl FnOnce(&Path) -> Result<(), Error>,
    file: &str,
    kind: ErrorKind,
    wanted: &str,
) {
    let folder = Folder::new("not-saved");
    let path = folder.path(file);
    let error = save(&path).unwrap_err();
    let message = error.message().replace(&path.display().to_string(), "FILE");
    assert_eq!((message.as_str(), error.kind()), (wanted, kind));
    assert!(error.help().is_some());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_saved_is_told() {
    let text = "`dense1/weight`, `dense1/bias`, `dense2/weight`, `dense2/bias` cannot be saved \
        before there is a value";
    let unbuilt = Model::unbuilt([4, 2]);
    not_saved(|path| checkpoint::save(&unbuilt, path), "a.npz", ErrorKind::Variable, text);
    let text = "a checkpoint is of variables, and there are none";
    let tree = (Tensor::from(1.0f32), 7);
    not_saved(|path| checkpoint::save(&tree, path), "a.npz", ErrorKind::Variable, text);
    let text = "`FILE` is no name of a checkpoint";
    let v = Variable::new("v", 1.0f32);
    not_saved(|path| checkpoint::save(&v, path), "a.txt", ErrorKind::Format, text);
    not_saved(|path| checkpoint::save(&v, path), "safetensors", ErrorKind::Format, text);
    let list = |names: [&'static str; 2], variables: [&Variable; 2]| {
        let list: Vec<_> = names.into_iter().zip(variables.map(Variable::clone)).collect();
        move |path: &Path| checkpoint::save_variables(list.iter().map(|(n, v)| (n, v)), path)
    };
    let w = Variable::new("w", 1.0f32);
    let text = "two variables have the name `v`";
    not_saved(list(["v", "v"], [&v, &w]), "a.npz", ErrorKind::Variable, text);
    let text = "one variable has the names `v` and `w`";
    not_saved(list(["v", "w"], [&v, &v]), "a.npz", ErrorKind::Variable, text);
    let text = "`FILE` cannot be written: `../größe` is no name for a file of an archive";
    not_saved(list(["w", "../größe"], [&w, &v]), "a.npz", ErrorKind::Format, text);
    let text = "`FILE` cannot be written: `__metadata__` is a name that the format has for itself";
    not_saved(list(["w", "__metadata__"], [&w, &v]), "a.safetensors", ErrorKind::Format, text);
}

#[test]
fn a_checkpoint_is_not_made_while_a_function_is_traced() {
    #[graph_fn]
    fn saves(v: &Variable) -> Tensor {
        checkpoint::save(v, "never.npz").unwrap_err().message();
        let error = checkpoint::load(v, "never.npz").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Trace);
        v + 1.0
    }
    assert_eq!(saves(&Variable::new("v", 1.0f32)).item::<f32>(), 2.0);
}

#[test]
fn gradients_are_saved_and_not_loaded() {
    let model = Model::built([4, 2]);
    let x = Tensor::ones::<f32>([1, 3]);
    let gradient = grad(|model: &Model| model.call(&x).sum())(&model);
    let folder = Folder::new("gradients");
    let path = folder.path("gradient.npz");
    checkpoint::save(&gradient, &path).unwrap();
    assert_eq!(checkpoint::read(&path).unwrap()["dense2/bias"].to_vec::<f32>(), [1.0, 1.0]);
    let error = checkpoint::load(&gradient, &path).unwrap_err();
    assert_eq!(error.message(), "`dense1/weight` holds a gradient and is not loaded");
}

#[test]
fn a_variable_in_two_places_is_saved_under_the_first() {
    in_each_format("tied", |path| {
        let tied = || {
            let dense = Dense::new(2);
            dense.call(&Tensor::ones::<f32>([1, 3]));
            Model { dense1: dense.clone(), dense2: dense }
        };
        let (model, other) = (tied(), tied());
        checkpoint::save(&model, path).unwrap();
        let names: Vec<_> = checkpoint::read(path).unwrap().into_keys().collect();
        assert_eq!(names, ["dense1/bias", "dense1/weight"]);
        other.dense1.bias.assign(Tensor::from([1.0f32, 2.0]));
        checkpoint::load(&other, path).unwrap();
        assert_eq!(other.dense2.bias.read().to_vec::<f32>(), [0.0, 0.0]);
    });
}

#[test]
fn a_list_of_variables_is_saved_and_loaded_by_its_names() {
    #[graph_fn]
    fn total(x: &Tensor) -> Tensor {
        variable_scope("sums").enter(|| get_variable("sum", [], init::Zeros).assign_add(x.sum()))
    }
    in_each_format("list", |path| {
        let x = Tensor::from([1.0f32, 2.0]);
        let before = total(&x).item::<f32>();
        let concrete = total::concrete_function(&x).unwrap();
        let variables = || concrete.variables().iter().map(|it| (it.path(), it.variable()));
        checkpoint::save_variables(variables(), path).unwrap();
        assert_eq!(checkpoint::read(path).unwrap()["sums/sum"].item::<f32>(), before);
        total(&x);
        checkpoint::load_variables(variables(), path).unwrap();
        assert_eq!(total(&x).item::<f32>(), before + 3.0);
    });
}

#[test]
fn training_that_goes_on_is_saved_at_one_moment() {
    #[graph_fn]
    fn step(pair: &[Variable; 2]) {
        pair.iter().for_each(|it| drop(it.assign_add(1.0)));
    }
    let pair = ["a", "b"].map(|name| Variable::new(name, Tensor::zeros::<f32>([1000])));
    let folder = Folder::new("moment");
    let path = folder.path("pair.safetensors");
    std::thread::scope(|scope| {
        let training = scope.spawn(|| (0..3000).for_each(|_| step(&pair)));
        while !training.is_finished() {
            checkpoint::save(&pair, &path).unwrap();
            let held = checkpoint::read(&path).unwrap();
            assert_eq!(held["0"].to_vec::<f32>(), held["1"].to_vec::<f32>());
        }
    });
}

#[test]
fn training_goes_on_with_what_the_optimiser_remembers() {
    #[graph_fn]
    fn step(model: &Model, adam: &Adam, x: &Tensor) -> Tensor {
        adam.minimize(model.call(x).square().mean())
    }
    in_each_format("optimizer", |path| {
        let x = Tensor::from([[0.5f32, -1.0, 2.0]]);
        let trained = |steps: usize| {
            let pair = (Model::built([4, 2]), Adam::new(0.1));
            (0..steps).for_each(|_| drop(step(&pair.0, &pair.1, &x)));
            pair
        };
        let (first, second, fresh) = (trained(3), trained(1), trained(0));
        checkpoint::save(&first, path).unwrap();
        let names: Vec<_> = checkpoint::read(path).unwrap().into_keys().collect();
        assert!(names.contains(&"Adam/dense1/weight/m".to_string()), "{names:?}");
        let error = checkpoint::load(&fresh, path).unwrap_err();
        assert!(error.message().contains("it has `Adam/dense1/bias/m`"), "{error}");
        checkpoint::load(&second, path).unwrap();
        for _ in 0..3 {
            let losses = [&first, &second].map(|it| step(&it.0, &it.1, &x).item::<f32>());
            assert_eq!(losses[0].to_bits(), losses[1].to_bits());
        }
    });
}
