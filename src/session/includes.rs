//! Headers, read from the file system once per run.
//!
//! Given a path, gives the file, the same one for every unit that includes it.
//! Files named on the command line and texts in memory win over the disk.

use crate::source::SourceFile;
use crate::syntax::preprocess::Includes;
use rustc_hash::FxHashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Larger headers are data in disguise.
const MOST_BYTES: u64 = 32 << 20;

/// The headers of one run. Clones share nothing.
#[derive(Debug, Default)]
pub struct Headers {
    known: Mutex<FxHashMap<PathBuf, Option<Arc<SourceFile>>>>,
    /// Whether the disk may be read.
    reads_disk: bool,
}

impl Headers {
    /// Headers on disk, with `files` in place of what stands there.
    #[must_use]
    pub fn new<'a>(files: impl Iterator<Item = &'a Arc<SourceFile>>, reads_disk: bool) -> Self {
        let known = files
            .map(|file| (normalise(&file.path), Some(file.clone())))
            .collect();
        Self {
            known: Mutex::new(known),
            reads_disk,
        }
    }
}

impl Includes for Headers {
    fn read(&self, written: &Path) -> Option<Arc<SourceFile>> {
        let path = normalise(written);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known.get(&path) {
            return file.clone();
        }
        // Where a folder is a link, `..` leads elsewhere than the path says.
        let file = self
            .reads_disk
            .then(|| read(&path).or_else(|| read(written)))
            .flatten();
        known.insert(path, file.clone());
        file
    }
}

fn read(path: &Path) -> Option<Arc<SourceFile>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(Arc::new(SourceFile::new(path.to_path_buf(), text.into())))
}

/// The path without `.` and `x/..`, so that one file has one path.
fn normalise(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        let is_back = part == Component::ParentDir
            && matches!(plain.components().next_back(), Some(Component::Normal(_)));
        if is_back {
            plain.pop();
        } else if part != Component::CurDir {
            plain.push(part);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_path() {
        for (written, plain) in [
            ("a/./b/../c.cuh", "a/c.cuh"),
            ("../a.cuh", "../a.cuh"),
            ("a/../../b.cuh", "../b.cuh"),
            ("/a/../b.cuh", "/b.cuh"),
        ] {
            assert_eq!(normalise(Path::new(written)), Path::new(plain));
        }
    }
}
