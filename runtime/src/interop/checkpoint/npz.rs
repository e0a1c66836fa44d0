//! NumPy's format npz: a ZIP archive with a file for each array. Knows no variables, and of an array only its file.

use super::format::Contents;
use super::npy;
use crate::value::Value;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::path::{EntryPath, ZipFilePath};
use rawzip::{
    CompressionMethod, ZipArchive, ZipArchiveWriter, ZipSliceEntry, ZipVerification, crc32,
};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What the files of an archive are called, behind the names of the arrays.
const ENDING: &str = ".npy";

/// Writes a file of row-major values, not compressed, as `np.savez` does.
pub(super) fn write(named: &[(String, Value)], path: &Path) -> Result<(), String> {
    for (name, _) in named {
        if ZipFilePath::from_str(name).as_str() != name || name.ends_with('/') {
            return Err(format!("`{name}` is no name for a file of an archive"));
        }
    }
    archive(named, path).map_err(|error| error.to_string())
}

fn archive(named: &[(String, Value)], path: &Path) -> Result<(), rawzip::Error> {
    let mut archive = ZipArchiveWriter::new(BufWriter::new(File::create(path)?));
    for (name, value) in named {
        let path = EntryPath::conformant(format!("{name}{ENDING}"));
        let (mut entry, config) = archive.new_file(path).start()?;
        let mut writer = config.wrap(&mut entry);
        npy::write(value, &mut writer)?;
        let (_, sums) = writer.finish()?;
        entry.finish(sums)?;
    }
    archive.finish()?.flush()?;
    Ok(())
}

/// What a file holds, or what is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Contents, String> {
    let archive = ZipArchive::from_slice(bytes).map_err(|error| error.to_string())?;
    let (mut contents, mut count) = (Contents::new(), 0);
    for entry in archive.entries() {
        let entry = entry.map_err(|error| error.to_string())?;
        let path = entry.file_path();
        let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
        let Some(name) = path.strip_suffix(ENDING) else {
            return Err(format!("its file `{path}` is no array"));
        };
        let whole = archive.get_entry(entry.wayfinder()).map_err(|error| error.to_string());
        let content = whole
            .and_then(|whole| inflated(&whole, entry.compression_method()))
            .and_then(|data| npy::read(&data))
            .map_err(|why| format!("of array `{name}`, {why}"))?;
        if contents.insert(name.to_string(), content).is_some() {
            return Err(format!("it has two arrays `{name}`"));
        }
        count += 1;
    }
    if count != archive.entries_hint() {
        return Err(format!("it has {count} arrays and says {}", archive.entries_hint()));
    }
    Ok(contents)
}

/// The bytes of a file of an archive, checked against its sum.
fn inflated<'a>(
    entry: &ZipSliceEntry<'a>,
    method: CompressionMethod,
) -> Result<Cow<'a, [u8]>, String> {
    let claimed = entry.claim_verifier();
    let bytes: Cow<'_, [u8]> = match method {
        CompressionMethod::STORE => entry.data().into(),
        CompressionMethod::DEFLATE => {
            // What grows beyond what it claims to be is not whole anyway.
            let most = usize::try_from(claimed.uncompressed_size).unwrap_or(usize::MAX);
            let bytes = decompress_to_vec_with_limit(entry.data(), most);
            bytes.map_err(|error| error.to_string())?.into()
        }
        other => return Err(format!("the compression {other} is not known here")),
    };
    let found = ZipVerification { crc: crc32(&bytes), uncompressed_size: bytes.len() as u64 };
    claimed.valid(found).map_err(|error| error.to_string())?;
    Ok(bytes)
}
