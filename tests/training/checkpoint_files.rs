//! Files that others wrote, that are damaged, and that a killed process left: read as they are meant, or refused.

use crate::support::Folder;
use graphfn::{checkpoint, prelude::*};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A file that tests/reference/checkpoints.py wrote.
fn reference(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints").join(file)
}

/// Checks that a file holds what tests/reference/checkpoints.py put into it.
#[track_caller]
fn holds_the_reference(path: &Path) {
    let held = checkpoint::read(path).unwrap();
    let shown: Vec<String> =
        held.iter().map(|(name, it)| format!("{name} {} {}", it.dtype(), it.shape())).collect();
    assert_eq!(
        shown,
        [
            "bytes uint8 (2, 2)",
            "counts int64 (2,)",
            "dense1/bias float64 (3,)",
            "dense1/weight float32 (2, 3)",
            "größe int32 ()",
            "mask bool (2,)",
            "nothing float32 (0, 3)",
        ]
    );
    let bits: Vec<u32> =
        held["dense1/weight"].to_vec::<f32>().into_iter().map(f32::to_bits).collect();
    let floats = [1.5, -0.0, 3.0, f32::INFINITY].map(f32::to_bits);
    assert_eq!(bits, [&floats[..], &[0x7fc1_2345, (-6.25f32).to_bits()]].concat());
    assert_eq!(held["dense1/bias"].to_vec::<f64>(), [0.1, 0.2, 0.3]);
    assert_eq!(held["größe"].item::<i32>(), -7);
    assert_eq!(held["counts"].to_vec::<i64>(), [1 << 62, -1]);
    assert_eq!(held["bytes"].to_vec::<u8>(), [0, 1, 2, 3]);
    assert_eq!(held["mask"].to_vec::<bool>(), [true, false]);
}

/// numpy 2.4.6 and safetensors 0.8.0 for Python.
#[test]
fn files_of_python_are_read() {
    for file in ["numpy.npz", "compressed.npz", "other_orders.npz", "python.safetensors"] {
        holds_the_reference(&reference(file));
    }
}

/// The format leaves no choice to its writer but the order of the tensors.
#[test]
fn our_safetensors_are_those_of_python_byte_for_byte() {
    let held = checkpoint::read(reference("python.safetensors")).unwrap();
    let variables: Vec<_> =
        held.iter().map(|(name, it)| (name, Variable::new("v", it.clone()))).collect();
    let folder = Folder::new("python");
    let path = folder.path("ours.safetensors");
    checkpoint::save_variables(variables.iter().map(|(name, it)| (name, it)), &path).unwrap();
    let [ours, theirs] = [path, reference("python.safetensors")].map(|it| fs::read(it).unwrap());
    assert_eq!(ours, theirs);
    // Arrays of npz stand as NumPy writes them, though the archive around them has other times and sums.
    let path = folder.path("ours.npz");
    checkpoint::save_variables(variables.iter().map(|(name, it)| (name, it)), &path).unwrap();
    holds_the_reference(&path);
    let [ours, theirs] = [path, reference("numpy.npz")].map(|it| fs::read(it).unwrap());
    let array = |file: &[u8]| {
        let at = file.windows(6).position(|it| it == b"\x93NUMPY").unwrap();
        file[at..at + 128 + 4].to_vec()
    };
    let bytes = checkpoint::read(reference("numpy.npz")).unwrap()["bytes"].to_vec::<u8>();
    assert!(array(&ours).ends_with(&bytes), "`bytes` is the first by name");
    assert_eq!(array(&ours)[..10], array(&theirs)[..10]);
}

/// Checks what is said of a file when it is loaded into a variable, which keeps its value.
#[track_caller]
fn refused(path: &Path, wanted: &str) {
    let v = Variable::new("v", 1.5f32);
    let error = checkpoint::load(&v, path).unwrap_err();
    let message = error.message().replace(&path.display().to_string(), "FILE");
    assert!(message.starts_with(wanted), "{message}");
    assert!(error.help().is_some());
    assert_eq!(v.read().item::<f32>(), 1.5);
}

#[test]
fn k3_a_bad_file_is_an_error() {
    let folder = Folder::new("bad");
    let missing = folder.path("missing.safetensors");
    refused(&missing, "`FILE` cannot be read: No such file or directory");
    refused(&folder.path("model.bin"), "`FILE` is no name of a checkpoint");
    refused(&folder.path(""), "`FILE` is no name of a checkpoint");
    let npz = folder.path("really.npz");
    fs::copy(reference("python.safetensors"), &npz).unwrap();
    refused(&npz, "`FILE` cannot be read: it is no whole npz file: ");
    let safetensors = folder.path("really.safetensors");
    fs::copy(reference("numpy.npz"), &safetensors).unwrap();
    refused(&safetensors, "`FILE` cannot be read: it is no whole safetensors file: ");
    let text = folder.path("text.npz");
    fs::write(&text, "hello").unwrap();
    refused(&text, "`FILE` cannot be read: it is no whole npz file: ");
}

#[test]
fn types_that_tensors_do_not_have_are_told() {
    let half = reference("half.npz");
    refused(&half, "`FILE` does not fit: it lacks `v`; it has `half`, `text` besides");
    let error = checkpoint::read(&half).unwrap_err();
    let wanted = "holds types that tensors do not have: `half` is <f2, `text` is <U1";
    assert!(error.message().ends_with(wanted), "{error}");
    let v = Variable::new("v", 1.5f32);
    let error = checkpoint::load_variables([("half", &v)], &half).unwrap_err();
    let wanted = "it has `text` besides; in it `half` is of type <f2 and should be f32[]";
    assert!(error.message().ends_with(wanted), "{error}");
}

/// Writes a file that may be there already: some file systems bring one to the disk when it is overwritten.
fn anew(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    let folder = Folder::new("cut");
    for file in ["compressed.npz", "numpy.npz", "python.safetensors"] {
        let (path, whole) = (folder.path(file), fs::read(reference(file)).unwrap());
        let kind = file.split_once('.').unwrap().1;
        for len in 0..whole.len() {
            anew(&path, &whole[..len]);
            refused(&path, &format!("`FILE` cannot be read: it is no whole {kind} file: "));
        }
    }
}

/// An archive has sums over what it holds; safetensors have none, and a changed number there is another number.
#[test]
fn files_with_changed_bytes_are_refused_or_hold_what_they_say() {
    let folder = Folder::new("changed");
    for file in ["compressed.npz", "numpy.npz", "python.safetensors"] {
        let (path, whole) = (folder.path(file), fs::read(reference(file)).unwrap());
        let weight = |path: &Path| {
            let held = checkpoint::read(path).ok()?;
            let bits = held.get("dense1/weight")?.to_vec::<f32>().into_iter().map(f32::to_bits);
            Some(bits.collect::<Vec<u32>>())
        };
        let right = weight(&reference(file)).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            anew(&path, &bytes);
            let found = weight(&path);
            let fine = found.is_none_or(|it| it == right) || file.ends_with("safetensors");
            assert!(fine, "{file} changed at {at}");
        }
    }
}

/// Set for a process that this test starts: the checkpoint that it saves until it is killed.
const SAVES: &str = "GRAPHFN_TEST_SAVES";
/// So many numbers that writing them takes a while.
const NUMBERS: usize = 4_000_000;

#[test]
fn a_save_that_is_killed_leaves_the_old_checkpoint_whole() {
    if let Some(path) = env::var_os(SAVES) {
        let v = Variable::new("v", Tensor::zeros::<f32>([NUMBERS]));
        loop {
            checkpoint::save(&v, &path).unwrap();
            v.assign_add(1.0);
        }
    }
    for file in ["model.safetensors", "model.npz"] {
        let folder = Folder::new("killed");
        let path = folder.path(file);
        let interrupted = (0..20).filter(|_| killed_in_the_middle(&path)).take(2).count();
        assert_eq!(interrupted, 2, "no save was killed in the middle");
    }
}

/// Starts a process that saves again and again, kills it while a file is half written, and checks the checkpoint;
/// whether that file was still there then.
fn killed_in_the_middle(path: &Path) -> bool {
    let folder = path.parent().unwrap();
    let beside = || {
        let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        entries.filter(|it| it.extension().is_some_and(|it| it == "tmp")).collect::<Vec<_>>()
    };
    beside().iter().for_each(|it| fs::remove_file(it).unwrap());
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "checkpoint_files::a_save_that_is_killed_leaves_the_old_checkpoint_whole",
        ])
        .env(SAVES, path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let half =
        |it: &PathBuf| fs::metadata(it).is_ok_and(|it| (1..4 * NUMBERS as u64).contains(&it.len()));
    let started = Instant::now();
    while !(path.exists() && beside().iter().any(half)) {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is saved");
        assert_eq!(child.try_wait().unwrap(), None, "it saves until it is killed");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let held = checkpoint::read(path).unwrap().remove("v").unwrap().to_vec::<f32>();
    assert!(held.len() == NUMBERS && held.iter().all(|it| *it == held[0]), "it is torn");
    !beside().is_empty()
}
