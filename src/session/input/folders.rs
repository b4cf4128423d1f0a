//! Walks over folders, as git would: what ignore files name is passed over.
//!
//! Given a folder, gives the files below it, in order. Links to folders are not followed. Ignore files
//! are read here and not by the walk, since one that is a device or a pipe would never end.

use crate::disk;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::Override;
use ignore::{Match, WalkBuilder};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Names of ignore files; of one folder the later ones win.
const NAMES: [&str; 3] = [".git/info/exclude", ".gitignore", ".ignore"];
/// A larger one is no list of patterns.
const MOST_BYTES: u64 = 1 << 20;

/// The files below a folder by name, and one sentence for each folder that cannot be looked into.
pub fn files(
    folder: &Path,
    only: Option<Override>,
) -> impl Iterator<Item = Result<PathBuf, String>> + use<> {
    let mut walk = WalkBuilder::new(folder);
    walk.standard_filters(false)
        .hidden(true)
        .git_global(true)
        .require_git(false)
        .sort_by_file_name(|a, b| a.cmp(b));
    if let Some(only) = only {
        walk.overrides(only);
    }
    let ignored = Ignored::new(folder);
    walk.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0 || !ignored.is(entry.path(), is_folder)
    });
    walk.build().filter_map(|entry| match entry {
        Err(error) => Some(Err(format!("cannot look into a folder ({error})"))),
        Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => None,
        Ok(entry) => Some(Ok(entry.into_path())),
    })
}

/// What the ignore files of some folders say, each read once.
struct Ignored {
    /// The folder that the walk starts in: as it is named, and as it is called from the root.
    named: PathBuf,
    absolute: PathBuf,
    /// Ignore files above this say nothing.
    root: PathBuf,
    known: Mutex<FxHashMap<PathBuf, Arc<Vec<Gitignore>>>>,
}

impl Ignored {
    fn new(folder: &Path) -> Self {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let mut above = absolute.ancestors();
        let root = above.find(|place| place.join(".git").exists());
        Self {
            named: folder.to_path_buf(),
            root: root.unwrap_or(Path::new("/")).to_path_buf(),
            absolute,
            known: Mutex::default(),
        }
    }

    /// Whether the nearest ignore file that speaks of a path leaves it out.
    fn is(&self, path: &Path, is_folder: bool) -> bool {
        let below = path.strip_prefix(&self.named).unwrap_or(path);
        let absolute = self.absolute.join(below);
        let folders = absolute.ancestors().skip(1);
        for folder in folders.take_while(|folder| folder.starts_with(&self.root)) {
            for file in self.of(folder).iter().rev() {
                match file.matched(&absolute, is_folder) {
                    Match::None => {}
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
        }
        false
    }

    fn of(&self, folder: &Path) -> Arc<Vec<Gitignore>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(files) = known.get(folder) {
            return files.clone();
        }
        let files = NAMES.iter().filter_map(|name| read(folder, name));
        let files = Arc::new(files.collect());
        known.insert(folder.to_path_buf(), Arc::clone(&files));
        files
    }
}

/// An ignore file; like git, no link to one.
fn read(folder: &Path, name: &str) -> Option<Gitignore> {
    let path = folder.join(name);
    if !std::fs::symlink_metadata(&path).ok()?.is_file() {
        return None;
    }
    let bytes = disk::bytes(&path, MOST_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A pattern that cannot be read leaves nothing out.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
