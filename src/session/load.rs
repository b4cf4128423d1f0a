//! Files and folders of a run, read.
//!
//! Given paths as users write them, gives the text of every CUDA file under
//! them, and one sentence for each that could not be read. Respects .gitignore.
//! Knows nothing of what stands in the files.

use crate::source::SourceFile;
use rustc_hash::FxHashSet;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Extensions looked for in folders; a file that is named itself may have any.
const EXTENSIONS: [&str; 2] = ["cu", "cuh"];
/// Extensions of files that are there to be included.
const HEADERS: [&str; 7] = ["h", "hpp", "hh", "cuh", "inl", "inc", "hxx"];
/// Past this many, a name says little.
const MOST_HEADERS: usize = 200_000;
/// A NUL byte this early means that the file is no text.
const BINARY_PREFIX: usize = 8 << 10;
/// Offsets are 32-bit, and no source file that people write comes near.
const MOST_BYTES: u64 = 64 << 20;

/// What was read.
#[derive(Debug, Default)]
pub struct Loaded {
    /// In the order given; files of a folder by name. None twice.
    pub files: Vec<Arc<SourceFile>>,
    /// Headers of any kind in the folders that were named.
    pub headers: Vec<PathBuf>,
    /// Paths that could not be used: the run goes on and ends with exit code 2.
    pub problems: Vec<Problem>,
    /// Files that are used, but not as they stand.
    pub remarks: Vec<Problem>,
    /// Files that are not valid UTF-8, which fixes must leave alone.
    pub lossy: Vec<PathBuf>,
}

/// One sentence about one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.message)
    }
}

/// Reads `paths`; `-` is the standard input, called `stdin_name`.
#[must_use]
pub fn load(paths: &[PathBuf], stdin_name: Option<&Path>) -> Loaded {
    let mut loaded = Loaded::default();
    let mut seen = FxHashSet::default();
    for path in paths {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let name = stdin_name.unwrap_or(Path::new("<stdin>"));
            match std::io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => loaded.accept(name, bytes),
                Err(error) => {
                    loaded.problem(name, format!("cannot read the standard input ({error})"))
                }
            }
        } else if path.is_dir() {
            loaded.folder(path, &mut seen);
        } else {
            loaded.file(path, &mut seen);
        }
    }
    loaded
}

impl Loaded {
    fn problem(&mut self, path: &Path, message: impl Into<String>) {
        self.problems.push(Problem {
            path: path.to_path_buf(),
            message: message.into(),
        });
    }

    fn remark(&mut self, path: &Path, message: impl Into<String>) {
        self.remarks.push(Problem {
            path: path.to_path_buf(),
            message: message.into(),
        });
    }

    fn folder(&mut self, folder: &Path, seen: &mut FxHashSet<PathBuf>) {
        let mut walk = ignore::WalkBuilder::new(folder);
        walk.require_git(false).sort_by_file_name(|a, b| a.cmp(b));
        let mut any = false;
        for entry in walk.build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.problem(folder, format!("cannot look into a folder ({error})"));
                    continue;
                }
            };
            let path = entry.path();
            let is_cuda = path.extension().is_some_and(|extension| {
                EXTENSIONS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            });
            let is_header = path.extension().is_some_and(|extension| {
                HEADERS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known))
            });
            if is_header && self.headers.len() < MOST_HEADERS {
                let shown = path.strip_prefix(".").unwrap_or(path);
                self.headers.push(shown.to_path_buf());
            }
            if is_cuda && path.is_file() {
                any = true;
                let shown = path.strip_prefix(".").unwrap_or(path);
                self.file(shown, seen);
            }
        }
        if !any {
            self.problem(folder, "this folder holds no .cu or .cuh file; name one that does, or the files themselves");
        }
    }

    fn file(&mut self, path: &Path, seen: &mut FxHashSet<PathBuf>) {
        let identity = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if !seen.insert(identity) {
            return;
        }
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.len() > MOST_BYTES => {
                self.problem(
                    path,
                    format!("larger than {} MiB; skipped", MOST_BYTES >> 20),
                );
                return;
            }
            Ok(metadata) if !metadata.is_file() => {
                self.problem(path, "neither a file nor a folder; skipped");
                return;
            }
            _ => {}
        }
        match std::fs::read(path) {
            Ok(bytes) => self.accept(path, bytes),
            Err(error) => {
                let message = match error.kind() {
                    std::io::ErrorKind::NotFound => "no such file or folder".to_owned(),
                    std::io::ErrorKind::PermissionDenied => {
                        "no permission to read this file".to_owned()
                    }
                    _ => format!("cannot be read ({error})"),
                };
                self.problem(path, message);
            }
        }
    }

    fn accept(&mut self, path: &Path, bytes: Vec<u8>) {
        if bytes.iter().take(BINARY_PREFIX).any(|byte| *byte == 0) {
            self.problem(path, "a binary file, not CUDA source; skipped");
            return;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            self.remark(path, "the file is empty; nothing to analyse");
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let line = 1 + bytes[..valid].iter().filter(|byte| **byte == b'\n').count();
                self.remark(
                    path,
                    format!("not UTF-8 (first on line {line}); analysed with replacement characters there"),
                );
                self.lossy.push(path.to_path_buf());
                String::from_utf8_lossy(&bytes).into_owned()
            }
        };
        self.files
            .push(Arc::new(SourceFile::new(path.to_path_buf(), text.into())));
    }
}
