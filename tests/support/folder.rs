//! A folder for the files of one test. Knows nothing of what is in them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

/// A folder that is there until it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// A new one, empty; the name is for people.
    pub fn new(name: &str) -> Folder {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("graphfn-{}-{number}-{name}", process::id()));
        fs::create_dir_all(&folder).expect("there is a place for files of tests");
        Folder(folder)
    }

    /// A path in it.
    pub fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that fails says why; that its files stay is no second reason.
        let _ = fs::remove_dir_all(&self.0);
    }
}
