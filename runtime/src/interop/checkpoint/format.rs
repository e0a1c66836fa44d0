//! The formats of checkpoints: which one a path asks for, and what a file of any of them says. Knows no variables.

use super::{npz, safetensors};
use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// A format of checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Safetensors,
    Npz,
}

/// What a file holds under a name.
#[derive(Clone, Debug)]
pub(in crate::interop) enum Content {
    /// Elements of a type that tensors have.
    Value(Value),
    /// Elements of another type, as the format calls it.
    Foreign(String),
}

/// All that a file holds, by name.
pub(in crate::interop) type Contents = BTreeMap<String, Content>;

impl Format {
    /// The format that the ending of a path asks for.
    pub(super) fn of(path: &Path) -> Result<Format> {
        let ending = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("safetensors") => Ok(Format::Safetensors),
            Some("npz") => Ok(Format::Npz),
            _ => {
                let message = format!("`{}` is no name of a checkpoint", path.display());
                Err(Error::new(ErrorKind::Format, message)
                    .with_help("let the name end in `.safetensors` or `.npz`"))
            }
        }
    }

    /// Writes a file of this format; complaints are sentences about it.
    pub(super) fn write(self, named: &[(String, Value)], path: &Path) -> Result<(), String> {
        match self {
            Format::Safetensors => safetensors::write(named, path),
            Format::Npz => npz::write(named, path),
        }
    }

    /// What a file of this format holds.
    pub(super) fn read(self, path: &Path) -> Result<Contents> {
        let unreadable = |why: &dyn Display, help: &str| {
            let message = format!("`{}` cannot be read: {why}", path.display());
            Error::new(ErrorKind::Format, message).with_help(help)
        };
        let bytes = fs::read(path)
            .map_err(|error| unreadable(&error, "look at the path and its permissions"))?;
        let (name, contents) = match self {
            Format::Safetensors => ("safetensors", safetensors::read(&bytes)),
            Format::Npz => ("npz", npz::read(&bytes)),
        };
        contents.map_err(|why| {
            unreadable(
                &format_args!("it is no whole {name} file: {why}"),
                "it is damaged, cut off, or of another format: save it again",
            )
        })
    }
}
