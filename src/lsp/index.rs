//! The CUDA files of the workspace, and which of them belong together.
//!
//! Given folders, gives for a document the files to analyse it with: those that
//! launch its kernels, and for a header those that include it. Reads files, and
//! never runs anything. Their options are found in `settings`.

use crate::disk;
use crate::session::input::load;
use crate::session::input::mentioned::Names;
use crate::source::SourceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are looked at; a folder with more is no project.
const MOST_FILES: usize = 20_000;
/// Larger files are data in disguise.
const MOST_BYTES: u64 = 4 << 20;
/// Files that one document is analysed with, of each kind.
const MOST_LAUNCHERS: usize = 8;
const MOST_INCLUDERS: usize = 4;
/// The distance between two files of one folder.
const NEIGHBOUR: usize = 2;

/// Names of every file, by path.
#[derive(Clone, Debug, Default)]
pub struct Index(BTreeMap<PathBuf, Arc<Names>>);

impl Index {
    /// Reads everything below `folders`.
    #[must_use]
    pub fn build(folders: &[PathBuf]) -> Self {
        let mut index = Self::default();
        for folder in folders {
            for path in load::under(folder).flatten() {
                if index.0.len() >= MOST_FILES {
                    return index;
                }
                if let Some(text) = read(&path) {
                    index.0.insert(path, Arc::new(Names::of(&text)));
                }
            }
        }
        index
    }

    /// Takes a text for the file's, or drops the file where there is none; gives whether its names are
    /// others now. The index is copied only if they are and somebody else still reads it.
    pub fn set(index: &mut Arc<Self>, path: &Path, text: Option<&str>) -> bool {
        let names = text.map(Names::of);
        let known = index.0.get(path).map(Arc::as_ref);
        if known == names.as_ref() {
            return false;
        }
        let files = &mut Arc::make_mut(index).0;
        match names {
            Some(names) => files.insert(path.to_path_buf(), Arc::new(names)),
            None => files.remove(path),
        };
        true
    }

    /// Reads one file from disk again.
    pub fn refresh(index: &mut Arc<Self>, path: &Path) -> bool {
        Self::set(index, path, read(path).as_deref())
    }

    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    /// The files to analyse the one at `path` with, nearest first. Its names are those of its text.
    #[must_use]
    pub fn companions(&self, path: &Path, names: &Names) -> Vec<PathBuf> {
        let mut found = self.includers(path);
        // Programs side by side call their kernels alike: a kernel launched in its own file is looked
        // for among its neighbours only, any other where it is launched nearest.
        let needed: BTreeSet<&String> = names.defined.difference(&names.launched).collect();
        let mut launchers: Vec<(usize, bool, &Path)> = self
            .0
            .iter()
            .filter(|(other, its)| {
                other.as_path() != path && !its.launched.is_disjoint(&names.defined)
            })
            .map(|(other, its)| {
                let is_needed = needed.iter().any(|name| its.launched.contains(*name));
                (distance(path, other), is_needed, other.as_path())
            })
            .collect();
        launchers.sort_by_key(|(distance, ..)| *distance);
        let mut needed = launchers.iter().filter(|(_, is_needed, _)| *is_needed);
        let nearest = needed.next().map(|(distance, ..)| *distance);
        launchers.retain(|(distance, is_needed, _)| {
            *distance <= NEIGHBOUR || *is_needed && Some(*distance) == nearest
        });
        launchers.truncate(MOST_LAUNCHERS);
        for (_, _, launcher) in launchers {
            if !found.iter().any(|known| known == launcher) {
                found.push(launcher.to_path_buf());
            }
        }
        found
    }

    /// For a header the main files that include it, also through other headers.
    fn includers(&self, path: &Path) -> Vec<PathBuf> {
        let name = |path: &Path| {
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let is_main = |path: &Path| path.extension().is_some_and(|extension| extension == "cu");
        let Some(own) = name(path).filter(|_| !is_main(path)) else {
            return Vec::new();
        };
        let mut wanted = BTreeSet::from([own]);
        let mut found: BTreeSet<&Path> = BTreeSet::new();
        loop {
            let before = wanted.len();
            for (other, names) in &self.0 {
                if other.as_path() == path || names.included.is_disjoint(&wanted) {
                    continue;
                }
                if is_main(other) {
                    found.insert(other);
                } else {
                    wanted.extend(name(other));
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let mut found: Vec<&Path> = found.into_iter().collect();
        found.sort_by_key(|other| distance(path, other));
        found.truncate(MOST_INCLUDERS);
        found.into_iter().map(Path::to_path_buf).collect()
    }
}

/// How many folders lie between two files.
fn distance(a: &Path, b: &Path) -> usize {
    let common = a
        .components()
        .zip(b.components())
        .take_while(|(a, b)| a == b)
        .count();
    a.components().count() + b.components().count() - 2 * common
}

/// The file as it stands on disk.
#[must_use]
pub fn file(path: &Path) -> Option<Arc<SourceFile>> {
    let text = read(path)?;
    Some(Arc::new(SourceFile::new(path.to_path_buf(), text.into())))
}

fn read(path: &Path) -> Option<String> {
    let bytes = disk::bytes(path, MOST_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_and_includers_are_found() {
        let mut index = Arc::new(Index::default());
        let mut set = |path: &str, text: &str| Index::set(&mut index, Path::new(path), Some(text));
        set(
            "/p/run.cu",
            "#include \"outer.cuh\"\nvoid f() { k<<<1, 32>>>(); }",
        );
        set("/p/outer.cuh", "#include \"inner.cuh\"");
        set("/p/inner.cuh", "__global__ void k() {}");
        set("/p/other.cu", "void g() { h<<<1, 32>>>(); }");
        let names = Names::of("__global__ void k() {}");
        assert_eq!(
            index.companions(Path::new("/p/inner.cuh"), &names),
            [PathBuf::from("/p/run.cu")]
        );
        assert_eq!(
            index.companions(Path::new("/p/kernel.cu"), &names),
            [PathBuf::from("/p/run.cu")]
        );
        assert!(
            index
                .companions(Path::new("/p/other.cu"), &Names::default())
                .is_empty()
        );
    }
    #[test]
    fn programs_side_by_side_are_kept_apart() {
        let mut index = Arc::new(Index::default());
        let launch = "void f() { k<<<1, 32>>>(); }";
        for path in [
            "/p/a/run.cu",
            "/p/b/run.cu",
            "/p/b/test.cu",
            "/q/r/s/run.cu",
        ] {
            Index::set(&mut index, Path::new(path), Some(launch));
        }
        let kernel = "__global__ void k() {}";
        let near = |path: &str, text: &str| index.companions(Path::new(path), &Names::of(text));
        assert_eq!(near("/p/a/k.cu", kernel), [PathBuf::from("/p/a/run.cu")]);
        assert_eq!(
            near("/p/b/run.cu", &format!("{kernel} {launch}")),
            [PathBuf::from("/p/b/test.cu")]
        );
        assert!(near("/p/c/own.cu", &format!("{kernel} {launch}")).is_empty());
        assert_eq!(near("/q/k.cu", kernel), [PathBuf::from("/q/r/s/run.cu")]);
    }
}
