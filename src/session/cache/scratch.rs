//! Folders for tests of what is kept on disk.

use std::fs;
use std::path::PathBuf;

/// A folder of its own, not made yet and removed in the end.
pub(in crate::session) struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("cudalint-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
