//! Files that are there whole or not at all: written beside, then given their name. Knows no format.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file in one step: whoever looks, and whatever crashes, finds the old one or the new one whole.
///
/// The file is written under another name in the same folder, brought to the disk, and renamed. A process that is
/// killed meanwhile leaves that other file behind.
pub(in crate::interop) fn write_whole(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    let beside = beside(path)?;
    let written = write(&beside).and_then(|()| put(&beside, path).map_err(|it| it.to_string()));
    if written.is_err() {
        // There may be none, and of two complaints the first is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A name in the folder of a file that no other writer has.
fn beside(path: &Path) -> Result<PathBuf, String> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or("the path names no file")?.to_string_lossy();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Ok(path.with_file_name(format!(".{name}.{}-{number}.tmp", process::id())))
}

/// Brings a file to the disk and gives it its name.
fn put(beside: &Path, path: &Path) -> std::io::Result<()> {
    OpenOptions::new().write(true).open(beside)?.sync_all()?;
    fs::rename(beside, path)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Where folders can be opened, the new name has to reach the disk too.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
