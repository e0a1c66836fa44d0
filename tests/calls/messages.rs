//! Messages name an op as the user's code does: each op of the table, given what it does not take, quotes a method or a
//! function. Knows no op.

use graphfn::{DType, Sample, Spec, op_table};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const TYPES: [DType; 6] = [DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::Bool];

/// What users can call, read from the sources: `pub fn name`, and the rows of tables, which become methods.
fn callable(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_dir() {
            callable(&entry, names);
            continue;
        }
        for line in fs::read_to_string(entry).unwrap().lines().map(str::trim_start) {
            let words = |text: &str| -> Vec<String> {
                let is_part = |it: char| it.is_alphanumeric() || it == '_';
                text.split(|it| !is_part(it)).filter(|it| !it.is_empty()).map(Into::into).collect()
            };
            if let Some(rest) = line.strip_prefix("pub fn ") {
                names.extend(words(rest).into_iter().take(1));
            }
            let row = ["= Unary {", "= Binary {", "= Reduction {", "= Loss {"];
            if let Some(before) = row.iter().find_map(|it| line.strip_suffix(it)) {
                names.extend(words(before));
            }
        }
    }
}

/// The specs of a sample's inputs with one of them changed, in every way that an op might refuse.
fn changed(sample: &Sample) -> Vec<Vec<Spec>> {
    let specs: Vec<Spec> = sample.inputs.iter().map(|it| it.spec()).collect();
    let mut all = Vec::new();
    for at in 0..specs.len() {
        let sizes = specs[at].sizes();
        let longer: Vec<usize> = sizes.iter().map(|size| size + 5).collect();
        let deeper: Vec<usize> = [7].iter().chain(sizes).copied().collect();
        let shapes = [&[][..], &longer, &deeper].map(|it| specs[at].with_shape(it));
        let types = TYPES.map(|dtype| specs[at].with_dtype(dtype));
        for spec in types.into_iter().chain(shapes) {
            let mut specs = specs.clone();
            specs[at] = spec;
            all.push(specs);
        }
    }
    // All of one type that the op may not have.
    all.extend(TYPES.map(|dtype| specs.iter().map(|it| it.with_dtype(dtype)).collect()));
    all
}

#[test]
fn every_message_of_an_op_names_what_the_user_calls() {
    let mut names = BTreeSet::new();
    callable(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/src/ops")), &mut names);
    assert!(names.contains("exp") && names.contains("maximum") && names.contains("gather"));
    let mut refusing = BTreeSet::new();
    for op in op_table() {
        for sample in &op.samples {
            for specs in changed(sample) {
                let Err(error) = sample.op.infer(&specs) else { continue };
                let message = error.message();
                let named = message.split('`').nth(1);
                let named = named.unwrap_or_else(|| panic!("{}: {message}", op.name));
                assert!(
                    names.contains(named),
                    "{}: no `{named}` can be called: {message}",
                    op.name
                );
                assert!(
                    message.starts_with(|it: char| !it.is_uppercase()),
                    "{}: {message}",
                    op.name
                );
                refusing.insert(op.name);
            }
        }
    }
    assert!(refusing.len() > 100, "only {} ops refuse something", refusing.len());
}
