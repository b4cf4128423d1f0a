//! Headers, read from the file system once per run.
//!
//! Given a path, gives the file, the same one for every unit that includes it.
//! Files named on the command line and texts in memory win over the disk.

use crate::source::SourceFile;
use crate::syntax::preprocess::Includes;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
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
    /// Headers met in the folders of the run, by file name.
    met: FxHashMap<OsString, Vec<PathBuf>>,
}

/// Folders beside the sources or above them that builds put on the search path.
const USUAL_FOLDERS: [&str; 6] = ["", "include", "inc", "common", "Common", "src"];
/// How far above a file they are looked for.
const LEVELS: usize = 5;

impl Headers {
    /// Headers on disk, with `files` in place of what stands there.
    #[must_use]
    pub fn new<'a>(
        files: impl Iterator<Item = &'a Arc<SourceFile>>,
        met: &[PathBuf],
        reads_disk: bool,
    ) -> Self {
        let mut by_name: FxHashMap<OsString, Vec<PathBuf>> = FxHashMap::default();
        for path in met {
            if let Some(name) = path.file_name() {
                let paths = by_name.entry(name.to_owned()).or_default();
                paths.push(normalise(path));
            }
        }
        let known = files
            .map(|file| (normalise(&file.path), Some(file.clone())))
            .collect();
        Self {
            known: Mutex::new(known),
            reads_disk,
            met: by_name,
        }
    }
}

impl Includes for Headers {
    fn read(&self, path: &Path) -> Option<Arc<SourceFile>> {
        let path = normalise(path);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known.get(&path) {
            return file.clone();
        }
        let file = self.reads_disk.then(|| read(&path)).flatten();
        known.insert(path, file.clone());
        file
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
        let candidates = self.met.get(name.file_name()?)?;
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

fn read(path: &Path) -> Option<Arc<SourceFile>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(Arc::new(SourceFile::new(path.to_path_buf(), text.into())))
}

/// The path without `.` components, so that `./a.cuh` and `a.cuh` are one file.
fn normalise(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}
