//! Z3's answers, kept on disk from run to run.
//!
//! Given a folder, gives a store that knows what earlier runs proved. An answer belongs to the
//! text that was asked, so whatever changes in sources or in the prover, none is ever wrong;
//! claims that were given up are asked again. Several processes may share a folder.

use crate::prove::cache::Store;
use crate::prove::claim::Hash;
use crate::prove::smt::Answer;
use rustc_hash::FxHashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Changes with the records' form.
const FILE_NAME: &str = "proofs-1";
/// A hash and a byte for the answer.
const RECORD: usize = 17;
/// About four million answers; a file beyond that is begun anew.
const MOST_BYTES: u64 = 64 << 20;

/// Answers of earlier runs, and those of this one.
#[derive(Debug)]
pub struct DiskStore {
    path: PathBuf,
    known: FxHashMap<Hash, Answer>,
    new: Mutex<Vec<(Hash, Answer)>>,
}

impl DiskStore {
    /// What `folder` holds; nothing where it cannot be read.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        let path = folder.join(FILE_NAME);
        let is_small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= MOST_BYTES);
        let bytes = if is_small {
            std::fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        // A record that a broken run left half written is the last one, and is passed over.
        let records = bytes.chunks_exact(RECORD).filter_map(read);
        Self {
            known: records.collect(),
            new: Mutex::default(),
            path,
        }
    }

    /// Adds what this run learnt. A cache that cannot be written is no error.
    pub fn save(&self) {
        let new = std::mem::take(&mut *self.new.lock().unwrap_or_else(PoisonError::into_inner));
        if new.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(new.len() * RECORD);
        for (hash, answer) in new {
            bytes.extend_from_slice(&hash);
            bytes.push(u8::from(answer == Answer::Proved));
        }
        if let Some(folder) = self.path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let length = std::fs::metadata(&self.path).map_or(0, |file| file.len());
        let is_whole = length <= MOST_BYTES && length.is_multiple_of(RECORD as u64);
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(is_whole).write(true);
        options.truncate(!is_whole);
        // One write, so that processes do not mix their records.
        if let Ok(mut file) = options.open(&self.path) {
            let _ = file.write_all(&bytes);
        }
    }
}

fn read(record: &[u8]) -> Option<(Hash, Answer)> {
    let (hash, answer) = record.split_at_checked(RECORD - 1)?;
    let answer = match answer {
        [1] => Answer::Proved,
        [0] => Answer::Refuted,
        _ => return None,
    };
    Some((hash.try_into().ok()?, answer))
}

impl Store for DiskStore {
    fn get(&self, hash: &Hash) -> Option<Answer> {
        self.known.get(hash).copied()
    }

    fn put(&self, hash: &Hash, answer: Answer) {
        if answer != Answer::Unknown
            && let Ok(mut new) = self.new.lock()
        {
            new.push((*hash, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_known_again_and_half_a_record_is_not() {
        let folder = std::env::temp_dir().join(format!("cudalint-store-{}", std::process::id()));
        let store = DiskStore::open(&folder);
        store.put(&[1; 16], Answer::Proved);
        store.put(&[2; 16], Answer::Refuted);
        store.put(&[3; 16], Answer::Unknown);
        store.save();
        let again = DiskStore::open(&folder);
        assert_eq!(again.get(&[1; 16]), Some(Answer::Proved));
        assert_eq!(again.get(&[2; 16]), Some(Answer::Refuted));
        assert_eq!(again.get(&[3; 16]), None);
        std::fs::write(folder.join(FILE_NAME), [1; RECORD + 4]).expect("a file");
        assert_eq!(DiskStore::open(&folder).known.len(), 1);
        let broken = DiskStore::open(&folder);
        broken.put(&[4; 16], Answer::Proved);
        broken.save();
        assert_eq!(DiskStore::open(&folder).known.len(), 1);
        let _ = std::fs::remove_dir_all(folder);
    }
}
