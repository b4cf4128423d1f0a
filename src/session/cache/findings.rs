//! The cache of findings: what earlier runs found, kept on disk.
//!
//! Given a folder, gives and takes bytes under names that say all that they depend on, so that none
//! is ever out of date. Several processes may share a folder, and any of them may be killed: each
//! file is put in place whole and bears a check of itself. What does not pass is not there.

use crate::disk::{self, private};
use crate::prove::claim::{Hash, hexadecimal};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// Changes with the form of what is kept.
const FOLDER_NAME: &str = "results-1";
/// Ending of files that are still being written.
const UNFINISHED: &str = "part";
/// Older than this, whoever wrote it is gone.
const ABANDONED: Duration = Duration::from_secs(3600);
const CHECK: usize = 16;
/// When there is more, the files that were written first go.
const MOST_BYTES: u64 = 128 << 20;
const MOST_FILES: usize = 20_000;

/// Findings of earlier runs. May be shared by threads.
#[derive(Debug)]
pub struct ResultStore {
    folder: PathBuf,
    /// Why what lies there is not believed, and nothing is added.
    distrust: Option<String>,
    /// Off where nothing is to be kept.
    is_written: bool,
    /// Where somebody else keeps results.
    shared: Option<PathBuf>,
    has_new: AtomicBool,
}

impl ResultStore {
    /// Opens the cache in `folder`, which need not exist.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        let inner = folder.join(FOLDER_NAME);
        let distrust = private::check(folder).and_then(|()| private::check(&inner));
        Self {
            folder: inner,
            distrust: distrust.err(),
            is_written: true,
            shared: None,
            has_new: AtomicBool::new(false),
        }
    }

    /// Opens a cache that is only read.
    #[must_use]
    pub fn read_only(folder: &Path) -> Self {
        let store = Self {
            folder: folder.join(FOLDER_NAME),
            distrust: Some("it is only read".to_owned()),
            is_written: false,
            shared: None,
            has_new: AtomicBool::new(false),
        };
        store.with_shared(folder)
    }

    /// Gives what lies in such a folder, too.
    #[must_use]
    pub fn with_shared(mut self, folder: &Path) -> Self {
        let inner = folder.join(FOLDER_NAME);
        let is_safe = private::check_shared(folder).and_then(|()| private::check_shared(&inner));
        self.shared = is_safe.is_ok().then_some(inner);
        self
    }

    /// The bytes of this name.
    #[must_use]
    pub fn get(&self, name: &Hash) -> Option<Vec<u8>> {
        let own = || {
            let bytes = private::bytes(&self.path(name), MOST_BYTES).ok()?;
            content(name, bytes)
        };
        let shared = || {
            let path = self.shared.as_ref()?.join(hexadecimal(name));
            content(name, private::shared_bytes(&path, MOST_BYTES).ok()?)
        };
        let known = self.distrust.is_none().then(own).flatten();
        known.or_else(shared)
    }

    /// Keeps bytes under a name.
    ///
    /// # Errors
    /// One sentence where the folder cannot be written. The run has lost nothing but time.
    pub fn put(&self, name: &Hash, bytes: &[u8]) -> Result<(), String> {
        if !self.is_written {
            return Ok(());
        }
        let outer = self.folder.parent().unwrap_or(&self.folder);
        if let Some(why) = &self.distrust {
            return Err(private::not_used(outer, why));
        }
        self.has_new.store(true, Ordering::Relaxed);
        self.write(name, bytes).map_err(|error| {
            format!(
                "{}: results cannot be kept here ({error}); name another folder with --cache-dir, or use --no-cache",
                outer.display()
            )
        })
    }

    fn write(&self, name: &Hash, bytes: &[u8]) -> io::Result<()> {
        private::make(&self.folder)?;
        disk::put_beside(&self.path(name), &[bytes, &check(name, bytes)])
    }

    /// Removes what killed runs left, and the oldest results where there are too many. To be called
    /// when a run is done; does nothing where the run kept nothing.
    pub fn tidy(&self) {
        if !self.has_new.swap(false, Ordering::Relaxed) {
            return;
        }
        let now = SystemTime::now();
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Ok(known) = entry.metadata() else {
                continue;
            };
            let written = known.modified().unwrap_or(now);
            let is_unfinished = entry.file_name().to_string_lossy().ends_with(UNFINISHED);
            if !is_unfinished {
                kept.push((written, known.len(), entry.path()));
            } else if now.duration_since(written).is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(entry.path());
            }
        }
        let (mut bytes, mut files) = (kept.iter().map(|one| one.1).sum::<u64>(), kept.len());
        if bytes <= MOST_BYTES && files <= MOST_FILES {
            return;
        }
        kept.sort_unstable();
        for (_, size, path) in kept {
            // Half of it, so that not every run has to tidy up.
            if bytes <= MOST_BYTES / 2 && files <= MOST_FILES / 2 {
                break;
            }
            let _ = fs::remove_file(path);
            bytes -= size;
            files -= 1;
        }
    }

    fn path(&self, name: &Hash) -> PathBuf {
        self.folder.join(hexadecimal(name))
    }
}

/// The bytes without the check of them, if they pass it.
fn content(name: &Hash, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let content = bytes.len().checked_sub(CHECK)?;
    let (all, found) = bytes.split_at(content);
    let is_whole = check(name, all) == found;
    bytes.truncate(content);
    is_whole.then_some(bytes)
}

/// Tells a whole file from what disks and broken runs make of one; no protection against forgers.
fn check(name: &Hash, bytes: &[u8]) -> [u8; CHECK] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(name).update(bytes);
    let mut short = [0; CHECK];
    hasher.finalize_xof().fill(&mut short);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::cache::scratch::Folder;

    #[test]
    fn what_is_kept_is_found_again_under_its_name_alone() {
        let folder = Folder::new("results-kept");
        let store = ResultStore::open(&folder.0);
        assert_eq!(store.get(&[1; 16]), None);
        store.put(&[1; 16], b"one").expect("a folder");
        store.put(&[2; 16], b"").expect("a folder");
        let again = ResultStore::open(&folder.0);
        assert_eq!(again.get(&[1; 16]).as_deref(), Some(&b"one"[..]));
        assert_eq!(again.get(&[2; 16]).as_deref(), Some(&b""[..]));
        assert_eq!(again.get(&[3; 16]), None);
    }

    #[test]
    fn damaged_files_are_not_there_and_are_replaced() {
        let folder = Folder::new("results-damaged");
        let store = ResultStore::open(&folder.0);
        store.put(&[1; 16], b"some bytes").expect("a folder");
        let path = store.path(&[1; 16]);
        let whole = fs::read(&path).expect("a file");
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(&path, &flipped).expect("a file");
            assert_eq!(store.get(&[1; 16]), None);
            fs::write(&path, &whole[..at]).expect("a file");
            assert_eq!(store.get(&[1; 16]), None);
        }
        // The file of another name is no result of this one.
        store.put(&[2; 16], b"other").expect("a folder");
        fs::copy(store.path(&[2; 16]), &path).expect("a file");
        assert_eq!(store.get(&[1; 16]), None);
        store.put(&[1; 16], b"some bytes").expect("a folder");
        assert_eq!(store.get(&[1; 16]).as_deref(), Some(&b"some bytes"[..]));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_in_one_sentence() {
        let folder = Folder::new("results-unwritable");
        fs::create_dir_all(&folder.0).expect("a folder");
        fs::write(folder.0.join("file"), "").expect("a file");
        let store = ResultStore::open(&folder.0.join("file"));
        let problem = store.put(&[1; 16], b"one").expect_err("no folder");
        assert!(problem.contains("--no-cache"), "{problem}");
        assert_eq!(store.get(&[1; 16]), None);
        store.tidy();
    }

    #[test]
    fn only_abandoned_leavings_are_tidied_up() {
        let folder = Folder::new("results-leavings");
        let store = ResultStore::open(&folder.0);
        store.put(&[1; 16], b"one").expect("a folder");
        let old = store.folder.join("ab.1.part");
        let young = store.folder.join("cd.1.part");
        for path in [&old, &young] {
            fs::write(path, "x").expect("a file");
        }
        let then = SystemTime::now() - 2 * ABANDONED;
        let file = fs::File::options().write(true).open(&old).expect("a file");
        file.set_modified(then).expect("a time");
        store.tidy();
        assert!(!old.exists() && young.exists());
        assert_eq!(store.get(&[1; 16]).as_deref(), Some(&b"one"[..]));
    }
}
