//! Files and folders of a run, read.
//!
//! Given paths as users write them, gives the text of every CUDA file under
//! them, and one sentence for each that could not be read. Respects .gitignore.
//! Knows nothing of what stands in the files.

use super::folders;
use crate::config::Limits;
use crate::disk::bounds::{self, Bounds};
use crate::disk::{self, Refusal};
use crate::source::{HEADER_EXTENSIONS, SourceFile};
use crate::syntax::embedded::{self, Host};
use ignore::overrides::Override;
use rustc_hash::FxHashSet;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Extensions looked for in folders; a file that is named itself may have any.
const EXTENSIONS: [&str; 2] = ["cu", "cuh"];
/// Extensions of files that may name kernels all the same where they are not read.
const HOST_ONLY: [&str; 5] = ["c", "cc", "cpp", "cxx", "py"];
/// Past this many, a name says little.
const MOST_HEADERS: usize = 200_000;
/// A NUL byte this early means that the file is no text.
const BINARY_PREFIX: usize = 8 << 10;

/// The texts that were read.
#[derive(Debug, Default)]
pub struct Loaded {
    /// By path, so that nothing depends on the order in which they were named. None twice.
    pub files: Vec<Arc<SourceFile>>,
    /// Headers of any kind in the folders that were named.
    pub headers: Vec<PathBuf>,
    /// Host code in the same folders that is not read: programs and bindings.
    pub unread: Vec<PathBuf>,
    /// Paths that could not be used: the run goes on and ends with exit code 2.
    pub problems: Vec<Problem>,
    /// Files that are used, but not as they stand.
    pub remarks: Vec<Problem>,
    /// Files that are not valid UTF-8, which fixes must leave alone.
    pub lossy: Vec<PathBuf>,
    /// The folders that were named, or that hold what was named: what fixes may change lies there.
    pub named: Vec<PathBuf>,
    /// The standard input, if it was asked for.
    pub stdin: Option<StandardInput>,
}

/// The standard input as it was read.
#[derive(Debug)]
pub struct StandardInput {
    /// Its name in reports; a file of this name is something else.
    pub name: PathBuf,
    pub bytes: Vec<u8>,
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

/// The files to read.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Files, folders, patterns with `*`, or `-` for the standard input.
    pub paths: &'a [PathBuf],
    /// Name of the standard input.
    pub stdin_name: Option<&'a Path>,
    /// Text in place of the standard input, which can be read only once.
    pub stdin_text: Option<&'a [u8]>,
    /// Whether to read CUDA in the strings of Python and C++ files.
    pub in_strings: bool,
    /// Files that are passed over unless they are named themselves.
    pub is_excluded: Option<&'a dyn Fn(&Path) -> bool>,
    /// Larger files are skipped.
    pub limits: Limits,
    /// Where links in folders may lead; anywhere if there is none.
    pub bounds: Option<&'a Bounds>,
}

/// Reads every file that is asked for.
#[must_use]
pub fn load(request: Request) -> Loaded {
    let mut loaded = Loaded::default();
    let mut seen = FxHashSet::default();
    if request.paths.iter().any(|path| is_stdin(path)) {
        loaded.standard_input(request, &mut seen);
    }
    for path in request.paths.iter().filter(|path| !is_stdin(path)) {
        loaded.named.extend(bounds::folder_of(&plain_part(path)));
        if request.bounds.is_some() && bounds::leads_out(path).is_some() {
            loaded.problem(path, bounds::LINK_OUT);
        } else if path.is_dir() {
            loaded.folder(path, request, &mut seen);
        } else if is_pattern(path) && !path.exists() {
            loaded.pattern(path, request, &mut seen);
        } else {
            loaded.file(path, request, &mut seen);
        }
    }
    // Pieces of one file stay in their order.
    loaded.files.sort_by(|a, b| a.path.cmp(&b.path));
    loaded.headers.sort();
    loaded
}

/// The texts of one file that are analysed: the file, or the CUDA in its strings, or both.
#[must_use]
pub fn pieces(path: &Path, text: &Arc<str>, in_strings: bool) -> Vec<Arc<SourceFile>> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let host = extension.and_then(Host::of);
    let mut pieces = Vec::new();
    let is_python = host == Some(Host::Python);
    let is_whole = extension.is_none_or(|extension| {
        !in_strings
            || host.is_none()
            || EXTENSIONS
                .iter()
                .any(|known| extension.eq_ignore_ascii_case(known))
    });
    if is_whole && !is_python {
        pieces.push(Arc::new(SourceFile::new(path.to_path_buf(), text.clone())));
    }
    if in_strings && let Some(host) = host {
        let inputs = embedded::cuda_in_strings(text, host).into_iter();
        pieces.extend(inputs.map(|input| {
            let file = SourceFile::with_input(path.to_path_buf(), text.clone(), input.into());
            Arc::new(file)
        }));
    }
    pieces
}

/// Whether a folder's walk would take this file.
#[must_use]
pub fn is_wanted(path: &Path, in_strings: bool) -> bool {
    path.extension().is_some_and(|extension| {
        let is_known = |known: &&str| extension.eq_ignore_ascii_case(known);
        EXTENSIONS.iter().any(is_known)
            || in_strings && extension.to_str().and_then(Host::of).is_some()
    })
}

fn too_large(most: u64) -> String {
    format!("larger than {most} bytes; skipped (`file-bytes` under [limits] sets the bound)")
}

/// Whether a path as users write it means the standard input.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The part of a pattern that holds no special character; all of a path that is there.
#[must_use]
pub fn plain_part(pattern: &Path) -> PathBuf {
    if pattern.exists() {
        return pattern.to_path_buf();
    }
    let parts = pattern.components();
    parts
        .take_while(|part| !is_pattern(Path::new(part.as_os_str())))
        .collect()
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The .cu and .cuh files under a folder by name, those that .gitignore names left out; a sentence
/// for each folder that cannot be looked into.
pub fn under(folder: &Path) -> impl Iterator<Item = Result<PathBuf, String>> {
    let mut bounds = Bounds::default();
    bounds.add_input(folder);
    folders::files(folder, None).filter(move |found| match found {
        Ok(path) => is_cuda(path) && path.is_file() && bounds.admit(path),
        Err(_) => true,
    })
}

/// Whether a file is CUDA by its name.
#[must_use]
pub fn is_cuda(path: &Path) -> bool {
    is_wanted(path, false)
}

/// Files of these names are taken for source even without a kernel: they may hold host code.
const SOURCE_EXTENSIONS: [&str; 14] = [
    "cu", "cuh", "h", "hh", "hpp", "hxx", "hu", "inl", "inc", "c", "cc", "cpp", "cxx", "ipp",
];

impl Loaded {
    /// Takes a text that was read elsewhere.
    pub fn take(&mut self, path: &Path, bytes: Vec<u8>, in_strings: bool) {
        self.accept(path, bytes, in_strings);
    }

    /// Whether a file lies in a folder that was named, links resolved.
    #[must_use]
    pub fn is_named(&self, path: &Path) -> bool {
        let real = std::fs::canonicalize(path);
        real.is_ok_and(|real| self.named.iter().any(|folder| real.starts_with(folder)))
    }

    /// Whether reports mean the standard input by this path.
    #[must_use]
    pub fn is_stdin(&self, path: &Path) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| stdin.name == path)
    }

    /// The file on disk that it is named after is not read: this is its newer text.
    fn standard_input(&mut self, request: Request, seen: &mut FxHashSet<PathBuf>) {
        let name = request.stdin_name.unwrap_or(Path::new("<stdin>"));
        seen.extend(std::fs::canonicalize(name));
        let most = request.limits.file_bytes;
        let mut bytes = request.stdin_text.unwrap_or_default().to_vec();
        if request.stdin_text.is_none() {
            // An endless input is told from a long one by one byte more.
            let mut input = std::io::stdin().lock().take(most.saturating_add(1));
            if let Err(error) = input.read_to_end(&mut bytes) {
                self.problem(name, format!("cannot read the standard input ({error})"));
                return;
            }
        }
        if bytes.len() as u64 > most {
            self.problem(name, too_large(most));
            return;
        }
        self.stdin = Some(StandardInput {
            name: name.to_path_buf(),
            bytes: bytes.clone(),
        });
        self.accept(name, bytes, request.in_strings);
    }

    /// Notes that a path cannot be used.
    pub fn problem(&mut self, path: &Path, message: impl Into<String>) {
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

    fn folder(&mut self, folder: &Path, request: Request, seen: &mut FxHashSet<PathBuf>) {
        let is_wanted = |path: &Path| is_wanted(path, request.in_strings);
        if !self.walk(None, folder, request, seen, &is_wanted) {
            let what = if request.in_strings {
                "this folder holds no CUDA, C++ or Python file; name one that does, or the files themselves"
            } else {
                "this folder holds no .cu or .cuh file; name one that does, or the files themselves"
            };
            self.problem(folder, what);
        }
    }

    /// Files below the part of a pattern that holds no special character.
    fn pattern(&mut self, pattern: &Path, request: Request, seen: &mut FxHashSet<PathBuf>) {
        let plain = plain_part(pattern);
        let rest = pattern.strip_prefix(&plain).unwrap_or(pattern);
        let root = if plain.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            plain.clone()
        };
        let mut only = ignore::overrides::OverrideBuilder::new(&root);
        // With a leading slash the pattern is held to the whole path.
        let line = format!("/{}", rest.display());
        let built = only.add(&line).and_then(|only| only.build());
        match built {
            Ok(only) => {
                if !self.walk(Some(only), &root, request, seen, &|_| true) {
                    self.problem(pattern, "no file matches this pattern");
                }
            }
            Err(error) => self.problem(pattern, format!("not a pattern ({error})")),
        }
    }

    /// Reads what a walk finds; tells whether that was anything.
    fn walk(
        &mut self,
        only: Option<Override>,
        folder: &Path,
        request: Request,
        seen: &mut FxHashSet<PathBuf>,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let mut any = false;
        for found in folders::files(folder, only) {
            let path = match found {
                Ok(path) => path,
                Err(problem) => {
                    self.problem(folder, problem);
                    continue;
                }
            };
            let shown = path.strip_prefix(".").unwrap_or(&path);
            let is_one_of = |names: &[&str]| {
                path.extension().is_some_and(|extension| {
                    let mut names = names.iter();
                    names.any(|known| extension.eq_ignore_ascii_case(known))
                })
            };
            if is_one_of(&HEADER_EXTENSIONS) && self.headers.len() < MOST_HEADERS {
                self.headers.push(shown.to_path_buf());
            }
            if !is_wanted(&path) || !path.is_file() {
                let is_allowed = || request.bounds.is_none_or(|bounds| bounds.admit(&path));
                if is_one_of(&HOST_ONLY) && self.unread.len() < MOST_HEADERS && is_allowed() {
                    self.unread.push(shown.to_path_buf());
                }
                continue;
            }
            any = true;
            let is_excluded = request.is_excluded;
            if is_excluded.is_some_and(|is_excluded| is_excluded(shown)) {
                continue;
            }
            if request.bounds.is_some_and(|bounds| !bounds.admit(&path)) {
                self.remark(shown, "a link out of the project; not read");
                continue;
            }
            self.file(shown, request, seen);
        }
        any
    }

    fn file(&mut self, path: &Path, request: Request, seen: &mut FxHashSet<PathBuf>) {
        let identity = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        if !seen.insert(identity) {
            return;
        }
        let most = request.limits.file_bytes;
        match disk::bytes(path, most) {
            Ok(bytes) => self.accept(path, bytes, request.in_strings),
            Err(Refusal::TooLarge(_)) => self.problem(path, too_large(most)),
            Err(Refusal::NoRegularFile) => {
                self.problem(path, "neither a file nor a folder; skipped");
            }
            Err(why) => self.problem(path, why.to_string()),
        }
    }

    fn accept(&mut self, path: &Path, bytes: Vec<u8>, in_strings: bool) {
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
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !in_strings && extension.and_then(Host::of) == Some(Host::Python) {
            self.problem(
                path,
                "Python, not CUDA; --cuda-in-strings reads the kernels in its strings",
            );
            return;
        }
        let is_source = |e: &str| SOURCE_EXTENSIONS.contains(&e.to_ascii_lowercase().as_str());
        let is_text = extension.is_some_and(|e| !is_source(e)) && !in_strings;
        if is_text
            && !["__global__", "__device__", "<<<"]
                .iter()
                .any(|word| text.contains(word))
        {
            self.problem(path, "no CUDA source: it holds no kernel and no launch");
            return;
        }
        self.files.extend(pieces(path, &text.into(), in_strings));
    }
}
