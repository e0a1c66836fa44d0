//! What the macros refuse: each mistake has one message, which says where and what to do.

use std::fs;
use std::path::PathBuf;

/// Cases in which the compiler itself finds the mistake and words the message.
const WORDED_BY_RUSTC: &[&str] =
    &["call_mistaken", "handle_name_taken", "in_trait_missing", "type_error_in_body"];

#[test]
fn mistakes_are_refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn every_message_helps_and_none_shows_what_is_inside() {
    let stored = stored_messages();
    assert!(stored.len() >= 25, "only {} messages are stored", stored.len());
    for (name, text) in stored {
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        if !WORDED_BY_RUSTC.contains(&name.as_str()) {
            let helps = text.matches("help: ").count();
            assert!(helps >= errors, "{name}: {errors} errors, {helps} lines that help\n{text}");
        }
        for inside in ["__private", "__enter", "runtime/src", "macros/src"] {
            assert!(!text.contains(inside), "{name} shows `{inside}`\n{text}");
        }
    }
}

fn stored_messages() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let entries = fs::read_dir(folder).expect("the folder is beside this file");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .map(|path| {
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("it can be read"))
        })
        .collect()
}
