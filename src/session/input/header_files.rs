//! Headers, read from the file system once per run.
//!
//! Given a path, gives the file, the same one for every unit that includes it.
//! Files named on the command line and texts in memory win over the disk. In which folders a name is
//! looked for, and in which order, the preprocessor's `inclusion` says.

use crate::disk::{self, bounds::Bounds};
use crate::source::SourceFile;
use crate::syntax::preprocess::Includes;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Larger headers are data in disguise.
const MOST_BYTES: u64 = 8 << 20;
/// Places remembered. Past this many, what is absent is looked for again: a project may ask for any number of names.
const MOST_KNOWN: usize = 1 << 20;

/// The headers of one run.
#[derive(Debug, Default)]
pub struct Headers<'a> {
    known: Mutex<FxHashMap<PathBuf, Found>>,
    /// Whether the disk may be read.
    reads_disk: bool,
    /// Where it may be read; anywhere if there is none.
    bounds: Option<Arc<Bounds>>,
    /// Headers met in the folders of the run, by file name.
    met: FxHashMap<OsString, Vec<PathBuf>>,
    /// Who is asked for what is not known here.
    base: Option<&'a Headers<'a>>,
}

/// The kind of thing at a path.
#[derive(Clone, Debug)]
enum Found {
    File(Arc<SourceFile>),
    Nothing,
    /// Something that this run may not read.
    Outside,
}

impl Found {
    fn file(&self) -> Option<Arc<SourceFile>> {
        match self {
            Self::File(file) => Some(file.clone()),
            Self::Nothing | Self::Outside => None,
        }
    }
}

/// Folders beside the sources or above them that builds put on the search path.
const USUAL_FOLDERS: [&str; 6] = ["", "include", "inc", "common", "Common", "src"];
/// How far above a file they are looked for.
const LEVELS: usize = 5;

impl<'a> Headers<'a> {
    /// Headers on disk, with `files` in place of what stands there.
    #[must_use]
    pub fn new<'f>(
        files: impl Iterator<Item = &'f Arc<SourceFile>>,
        met: &[PathBuf],
        reads_disk: bool,
        bounds: Option<Arc<Bounds>>,
    ) -> Self {
        let mut by_name: FxHashMap<OsString, Vec<PathBuf>> = FxHashMap::default();
        for path in met {
            if let Some(name) = path.file_name() {
                let paths = by_name.entry(name.to_owned()).or_default();
                paths.push(normalise(path));
            }
        }
        Self {
            known: Mutex::new(by_path(files)),
            reads_disk,
            bounds,
            met: by_name,
            base: None,
        }
    }

    /// The headers of `base`, with `files` in place of some.
    #[must_use]
    pub fn over<'f>(
        base: &'a Headers<'a>,
        files: impl Iterator<Item = &'f Arc<SourceFile>>,
    ) -> Self {
        Self {
            known: Mutex::new(by_path(files)),
            reads_disk: base.reads_disk,
            bounds: base.bounds.clone(),
            met: FxHashMap::default(),
            base: Some(base),
        }
    }
}

/// Files that stand for themselves.
fn by_path<'f>(files: impl Iterator<Item = &'f Arc<SourceFile>>) -> FxHashMap<PathBuf, Found> {
    files
        .filter(|file| !file.is_partial())
        .map(|file| (normalise(&file.path), Found::File(file.clone())))
        .collect()
}

impl Headers<'_> {
    fn find(&self, written: &Path) -> Found {
        let path = normalise(written);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&path) {
            return found.clone();
        }
        if let Some(base) = self.base {
            drop(known);
            return base.find(written);
        }
        let found = if self.reads_disk {
            // Where a folder is a link, `..` leads elsewhere than the path says.
            match self.read_from_disk(&path) {
                Found::Nothing => self.read_from_disk(written),
                found => found,
            }
        } else {
            Found::Nothing
        };
        if known.len() < MOST_KNOWN || !matches!(found, Found::Nothing) {
            known.insert(path, found.clone());
        }
        found
    }

    fn read_from_disk(&self, path: &Path) -> Found {
        if !path.exists() {
            return Found::Nothing;
        }
        if self
            .bounds
            .as_ref()
            .is_some_and(|bounds| !bounds.admit(path))
        {
            return Found::Outside;
        }
        disk::bytes(path, MOST_BYTES).map_or(Found::Nothing, |bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Found::File(Arc::new(SourceFile::new(path.to_path_buf(), text.into())))
        })
    }
}

impl Includes for Headers<'_> {
    fn read(&self, written: &Path) -> Option<Arc<SourceFile>> {
        self.find(written).file()
    }

    fn is_outside(&self, path: &Path) -> bool {
        matches!(self.find(path), Found::Outside)
    }

    /// The header in a usual folder above the file, else the one that was met in the folders of
    /// the run and shares most of its path with the file; none where two share as much.
    fn search(&self, from: &Path, name: &Path) -> Option<PathBuf> {
        if !self.reads_disk || name.is_absolute() {
            return None;
        }
        let folder = from.parent()?;
        let near = folder.ancestors().take(LEVELS).find_map(|above| {
            USUAL_FOLDERS
                .iter()
                .map(|usual| above.join(usual).join(name))
                .find(|path| self.read(path).is_some())
        });
        if near.is_some() {
            return near;
        }
        let shared = |path: &Path| {
            path.components()
                .zip(folder.components())
                .take_while(|(a, b)| a == b)
                .count()
        };
        let met = &self.base.unwrap_or(self).met;
        let candidates = met.get(name.file_name()?)?;
        let mut best: Option<(usize, &PathBuf)> = None;
        let mut is_tie = false;
        for path in candidates.iter().filter(|path| path.ends_with(name)) {
            let score = shared(path);
            match best {
                Some((most, _)) if score < most => {}
                Some((most, _)) if score == most => is_tie = true,
                _ => (best, is_tie) = (Some((score, path)), false),
            }
        }
        best.filter(|_| !is_tie).map(|(_, path)| path.clone())
    }
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
