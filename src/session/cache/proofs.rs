//! Z3's answers, kept on disk from run to run.
//!
//! Given a folder, gives a store that knows what earlier runs proved. An answer belongs to the
//! text that was asked, so whatever changes in sources or in the prover, none is ever wrong;
//! claims that were given up are asked again. Several processes may share a folder, and any of
//! them may be killed: each record carries a check of itself, what does not pass is passed over,
//! and the next run that ends well writes the file anew without it.

use crate::disk::{self, private};
use crate::prove::answer_cache::Store;
use crate::prove::claim::Hash;
use crate::prove::smt::Answer;
use rustc_hash::FxHashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Changes with the records' form.
const FILE_NAME: &str = "proofs-2";
/// Names of files in earlier formats; nobody can use them.
const FORMER_NAMES: [&str; 1] = ["proofs-1"];
/// Ending of a file that is still being written.
const UNFINISHED: &str = "part";
const HASH: usize = 16;
const CHECK: usize = 3;
/// A hash, a byte for the answer, and the check of both.
const RECORD: usize = HASH + 1 + CHECK;
/// About three million answers; a file beyond that is begun anew.
const MOST_BYTES: u64 = 64 << 20;
/// Places where a record is looked for after damage; a file with more of it is begun anew.
const MOST_TRIES: usize = 1 << 20;

/// Answers of earlier runs, and those of this one.
#[derive(Debug)]
pub struct DiskStore {
    path: PathBuf,
    /// Why what lies in the folder is not believed, and nothing is added.
    distrust: Option<String>,
    known: FxHashMap<Hash, Answer>,
    /// Something in the file is no record.
    is_damaged: bool,
    /// Off where nothing is to be kept.
    is_written: bool,
    /// Answers that somebody else keeps.
    shared: FxHashMap<Hash, Answer>,
    new: Mutex<Vec<(Hash, Answer)>>,
}

impl DiskStore {
    /// Opens the cache in `folder`; it is empty where it cannot be read.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        let path = folder.join(FILE_NAME);
        let distrust = private::check(folder).err();
        let bytes = match distrust {
            None => private::bytes(&path, MOST_BYTES).unwrap_or_default(),
            Some(_) => Vec::new(),
        };
        let (known, is_damaged) = read(&bytes);
        Self {
            path,
            distrust,
            known,
            is_damaged,
            is_written: true,
            shared: FxHashMap::default(),
            new: Mutex::default(),
        }
    }

    /// Opens a cache that is only read.
    #[must_use]
    pub fn read_only(folder: &Path) -> Self {
        let store = Self {
            path: folder.join(FILE_NAME),
            distrust: None,
            known: FxHashMap::default(),
            is_damaged: false,
            is_written: false,
            shared: FxHashMap::default(),
            new: Mutex::default(),
        };
        store.with_shared(folder)
    }

    /// Knows what such a folder holds, too.
    #[must_use]
    pub fn with_shared(mut self, folder: &Path) -> Self {
        if private::check_shared(folder).is_ok() {
            let path = folder.join(FILE_NAME);
            let bytes = private::shared_bytes(&path, MOST_BYTES).unwrap_or_default();
            self.shared = read(&bytes).0;
        }
        self
    }

    /// Adds what this run learnt, and repairs a damaged file.
    ///
    /// # Errors
    /// One sentence where the file cannot be written. The run has lost nothing but time.
    pub fn save(&self) -> Result<(), String> {
        if !self.is_written {
            return Ok(());
        }
        if let Some(why) = &self.distrust {
            return Err(private::not_used(self.folder(), why));
        }
        let mut new = std::mem::take(&mut *self.new.lock().unwrap_or_else(PoisonError::into_inner));
        // Two threads may have asked the same at once.
        new.sort_unstable_by_key(|(hash, _)| *hash);
        new.dedup_by_key(|(hash, _)| *hash);
        if new.is_empty() && !self.is_damaged {
            return Ok(());
        }
        self.write(&new).map_err(|error| {
            format!(
                "{}: proofs cannot be kept here ({error}); name another folder with --cache-dir, or use --no-cache",
                self.folder().display()
            )
        })
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn write(&self, new: &[(Hash, Answer)]) -> io::Result<()> {
        private::make(self.folder())?;
        if self.is_damaged {
            return self.replace(new);
        }
        let length = fs::symlink_metadata(&self.path).map_or(0, |file| file.len());
        let records = records(new.iter());
        if length <= MOST_BYTES {
            // One write, so that processes do not mix their records.
            disk::append_private(&self.path, &records)?;
        } else {
            disk::put_beside(&self.path, &[&records])?;
        }
        if length == 0 {
            self.tidy();
        }
        Ok(())
    }

    /// Writes the file anew. Whoever has the old one open still reads it whole; what another
    /// process adds meanwhile is lost, and proved again one day.
    fn replace(&self, new: &[(Hash, Answer)]) -> io::Result<()> {
        self.tidy();
        let mut known: Vec<(Hash, Answer)> = self.known.iter().map(|(h, a)| (*h, *a)).collect();
        known.sort_unstable_by_key(|(hash, _)| *hash);
        let bytes = records(known.iter().chain(new));
        match disk::put_beside(&self.path, &[&bytes]) {
            // Another process that repairs has tidied it up.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            written => written,
        }
    }

    /// Removes what nobody reads: files of earlier forms, and what a killed run left unfinished.
    fn tidy(&self) {
        let Some(folder) = self.path.parent() else {
            return;
        };
        for name in FORMER_NAMES {
            let _ = fs::remove_file(folder.join(name));
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.contains(FILE_NAME) && name.ends_with(UNFINISHED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn records<'a>(answers: impl Iterator<Item = &'a (Hash, Answer)>) -> Vec<u8> {
    answers
        .flat_map(|(hash, answer)| record(hash, *answer))
        .collect()
}

fn record(hash: &Hash, answer: Answer) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    bytes[..HASH].copy_from_slice(hash);
    bytes[HASH] = u8::from(answer == Answer::Proved);
    let check = check(&bytes[..=HASH]);
    bytes[HASH + 1..].copy_from_slice(&check);
    bytes
}

/// Tells a record from what disks and broken runs make of one; no protection against forgers.
fn check(bytes: &[u8]) -> [u8; CHECK] {
    // FNV-1a, 64 bits, upper half folded in.
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    let [a, b, c, ..] = (hash ^ hash >> 32).to_le_bytes();
    [a, b, c]
}

/// The answers that the bytes of a file hold.
#[must_use]
pub fn answers(bytes: &[u8]) -> Vec<(Hash, Answer)> {
    read(bytes).0.into_iter().collect()
}

/// The records, and whether there is anything else.
fn read(bytes: &[u8]) -> (FxHashMap<Hash, Answer>, bool) {
    let mut known = FxHashMap::default();
    known.reserve(bytes.len() / RECORD);
    let mut rest = bytes;
    let mut tries = 0;
    while let Some((bytes, after)) = rest.split_at_checked(RECORD) {
        if let Some((hash, answer)) = one(bytes) {
            known.insert(hash, answer);
            rest = after;
            continue;
        }
        // Half a record moves those behind it.
        tries += 1;
        if tries > MOST_TRIES {
            break;
        }
        rest = &rest[1..];
    }
    (known, tries > 0 || !rest.is_empty())
}

fn one(record: &[u8]) -> Option<(Hash, Answer)> {
    let (content, found) = record.split_at_checked(HASH + 1)?;
    let (hash, answer) = content.split_at_checked(HASH)?;
    let answer = match answer {
        [1] => Answer::Proved,
        [0] => Answer::Refuted,
        _ => return None,
    };
    (check(content) == found).then_some((hash.try_into().ok()?, answer))
}

impl Store for DiskStore {
    fn get(&self, hash: &Hash) -> Option<Answer> {
        self.known
            .get(hash)
            .or_else(|| self.shared.get(hash))
            .copied()
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
    use crate::session::cache::scratch::Folder;

    fn file(folder: &Folder) -> PathBuf {
        folder.0.join(FILE_NAME)
    }

    fn filled(folder: &Folder, answers: u8) {
        let store = DiskStore::open(&folder.0);
        for n in 0..answers {
            let answer = [Answer::Refuted, Answer::Proved][usize::from(n % 2)];
            store.put(&[n; HASH], answer);
        }
        store.save().expect("a folder that can be written");
    }

    #[test]
    fn what_is_saved_is_known_again_and_what_is_unknown_is_not() {
        let folder = Folder::new("store-saved");
        let store = DiskStore::open(&folder.0);
        store.put(&[1; HASH], Answer::Proved);
        store.put(&[2; HASH], Answer::Refuted);
        store.put(&[3; HASH], Answer::Unknown);
        store.save().expect("a folder that can be written");
        let again = DiskStore::open(&folder.0);
        assert_eq!(again.get(&[1; HASH]), Some(Answer::Proved));
        assert_eq!(again.get(&[2; HASH]), Some(Answer::Refuted));
        assert_eq!(again.get(&[3; HASH]), None);
    }

    #[test]
    fn no_damage_changes_an_answer_and_all_of_it_is_repaired() {
        let folder = Folder::new("store-damage");
        filled(&folder, 9);
        let whole = fs::read(file(&folder)).expect("a file");
        assert_eq!(whole.len(), 9 * RECORD);
        let mut damages: Vec<(usize, Vec<u8>)> = Vec::new();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << (at % 8);
            damages.push((8, flipped));
            let mut cut = whole.clone();
            cut.remove(at);
            damages.push((8, cut));
        }
        damages.push((8, whole[..whole.len() - 3].to_vec()));
        damages.push((9, [&whole[..], &[0; 4096]].concat()));
        damages.push((9, [&[1; 33], &whole[..]].concat()));
        damages.push((0, vec![0; 10 * RECORD]));
        for (kept, bytes) in damages {
            fs::write(file(&folder), &bytes).expect("a file");
            let store = DiskStore::open(&folder.0);
            assert!(store.is_damaged);
            assert_eq!(store.known.len(), kept);
            let is_right = |(hash, answer): (&Hash, &Answer)| {
                *hash == [hash[0]; HASH] && (*answer == Answer::Proved) == (hash[0] % 2 == 1)
            };
            assert!(store.known.iter().all(is_right));
            store.put(&[77; HASH], Answer::Proved);
            store.save().expect("a folder that can be written");
            let repaired = DiskStore::open(&folder.0);
            assert!(!repaired.is_damaged);
            assert_eq!(repaired.known.len(), kept + 1);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_in_one_sentence() {
        let folder = Folder::new("store-unwritable");
        fs::create_dir_all(&folder.0).expect("a folder");
        // Nobody, whatever his rights, writes into a file as if it were a folder.
        fs::write(folder.0.join("file"), "").expect("a file");
        let store = DiskStore::open(&folder.0.join("file"));
        assert_eq!(store.save(), Ok(()), "nothing was to be written");
        store.put(&[1; HASH], Answer::Proved);
        let problem = store.save().expect_err("no folder");
        assert!(problem.contains("--no-cache"), "{problem}");
        assert_eq!(store.save(), Ok(()), "what is lost is not tried again");
    }

    #[test]
    fn leavings_are_tidied_up() {
        let folder = Folder::new("store-leavings");
        fs::create_dir_all(&folder.0).expect("a folder");
        for name in ["proofs-1", "proofs-2.123.part", "notes.txt"] {
            fs::write(folder.0.join(name), "x").expect("a file");
        }
        filled(&folder, 1);
        let mut left: Vec<String> = fs::read_dir(&folder.0)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into()
            })
            .collect();
        left.sort();
        assert_eq!(left, ["notes.txt", "proofs-2"]);
    }
}
