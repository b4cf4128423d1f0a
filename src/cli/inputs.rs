//! Inputs of a run: from arguments to texts, flags of single files, and what was there before.
//!
//! Files come from paths, a compilation database, or git's index. Knows nothing of
//! findings.

use super::args::InputArgs;
use super::settings::{self, Settings};
use super::{CLEAN, ERROR, complain, remark};
use crate::disk::bounds::{self, Bounds};
use crate::session::input::git::{Changed, Repository};
use crate::session::input::load::{self, Loaded, Request};
use crate::session::input::{compile_commands, configured};
use crate::session::{Analysis, Flags};
use crate::source::SourceFile;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of patterns that leave files out, as of an ignore file.
const MOST_PATTERNS: usize = 1 << 20;

/// The base of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare<'a> {
    Nothing,
    /// The working tree with where this reference and HEAD parted.
    Since(&'a str),
    /// The index with HEAD.
    Staged,
}

/// Everything a run reads.
pub struct Inputs {
    pub settings: Settings,
    pub loaded: Loaded,
    /// Exit code that the inputs themselves call for.
    pub code: u8,
    pub base: Option<Base>,
}

/// The inputs as they were before.
pub struct Base {
    pub files: Vec<Arc<SourceFile>>,
    /// Headers as they were.
    pub overlay: Vec<Arc<SourceFile>>,
    /// Canonical paths of what changed.
    changed: FxHashSet<PathBuf>,
}

/// Reads the inputs and says on the standard error what is wrong with them.
///
/// # Errors
/// One sentence, where nothing can be analysed.
pub fn read(input: &InputArgs, compare: Compare) -> Result<Inputs, String> {
    read_with(input, compare, None)
}

/// The same, with a text in place of the standard input, which can be read only once.
///
/// # Errors
/// One sentence, where nothing can be analysed.
pub fn read_with(
    input: &InputArgs,
    compare: Compare,
    stdin: Option<&[u8]>,
) -> Result<Inputs, String> {
    let mut settings = settings::resolve(input)?;
    let mut paths = input.paths.clone();
    let flags = match &input.compile_commands {
        Some(database) => compiled(input, database, &mut settings, &mut paths)?,
        None => FxHashMap::default(),
    };
    let here = std::env::current_dir().unwrap_or_default();
    let folder = paths
        .first()
        .map_or(here.as_path(), |path| nearest_folder(path));
    let repository = match compare {
        Compare::Nothing => None,
        Compare::Since(reference) => Some(Repository::since(folder, reference)?),
        Compare::Staged => Some(Repository::staged(folder)?),
    };
    if paths.is_empty() {
        match compare {
            Compare::Nothing => {
                return Err(
                    "<FILE|FOLDER>... is missing; `cudalint --help` shows how to call this".into(),
                );
            }
            Compare::Since(_) => paths.push(PathBuf::from(".")),
            Compare::Staged => {}
        }
    }

    let excluded = excluded(&settings)?;
    let is_excluded = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        absolute.starts_with(excluded.path())
            && excluded
                .matched_path_or_any_parents(&absolute, false)
                .is_ignore()
    };
    settings.options.bounds = Some(Arc::new(reachable(input, &paths, &settings, &flags)));
    let mut loaded = load::load(Request {
        paths: &paths,
        stdin_name: input.stdin_filename.as_deref(),
        stdin_text: stdin,
        in_strings: input.cuda_in_strings,
        is_excluded: Some(&is_excluded),
        limits: settings.options.limits,
        bounds: settings.options.bounds.as_deref(),
    });
    settings.options.headers.clone_from(&loaded.headers);
    for file in loaded.files.iter().filter(|_| !flags.is_empty()) {
        if let Some(flags) = flags.get(&canonical(&file.path)) {
            let all = &mut settings.options.flags;
            all.insert(file.path.clone(), flags.clone());
        }
    }
    let base = match repository {
        None => None,
        Some(repository) => {
            let is_staged = compare == Compare::Staged;
            let base = base_of(input, &repository, is_staged, &mut settings, &mut loaded)?;
            Some(base)
        }
    };
    for one in &loaded.remarks {
        remark(&one.to_string());
    }
    for problem in &loaded.problems {
        complain(&problem.to_string());
    }
    let code = if loaded.problems.is_empty() {
        CLEAN
    } else {
        ERROR
    };
    Ok(Inputs {
        settings,
        loaded,
        code,
        base,
    })
}

/// What the inputs are compared with. Of what is staged, takes the texts from the index.
fn base_of(
    input: &InputArgs,
    repository: &Repository,
    is_staged: bool,
    settings: &mut Settings,
    loaded: &mut Loaded,
) -> Result<Base, String> {
    let most = settings.options.limits.file_bytes;
    let changed = if is_staged {
        let changed = repository.changed_in_index()?;
        if input.paths.is_empty() {
            loaded.named.push(repository.root().to_path_buf());
        }
        settings.options.overlay = stage(input, repository, &changed, loaded, most);
        changed
    } else {
        let files = loaded.files.iter().map(|file| file.path.as_path());
        let others = files.chain(loaded.headers.iter().map(PathBuf::as_path));
        repository.changed(others, most)?
    };
    Ok(Base::new(input, repository, &changed, loaded, most))
}

/// Takes files and architecture from a compilation database; gives the flags of each file by its
/// canonical path. Files that were named are not added to.
fn compiled(
    input: &InputArgs,
    database: &Path,
    settings: &mut Settings,
    paths: &mut Vec<PathBuf>,
) -> Result<FxHashMap<PathBuf, Flags>, String> {
    let compiled = compile_commands::compiled(database)?;
    if paths.is_empty() {
        paths.extend(compiled.files.iter().map(|file| shown(file)));
    }
    for file in &compiled.again {
        remark(&format!(
            "{}: compiled more than once, with other flags; analysed with those of the first entry only",
            shown(file).display()
        ));
    }
    if paths.is_empty() {
        return Err(format!(
            "{}: no entry compiles CUDA; name files or folders as well",
            database.display()
        ));
    }
    if let Some(arch) = compiled
        .arch
        .filter(|_| input.arch.is_none() && settings.config.arch.is_none())
    {
        settings.options.arch = arch;
    }
    Ok(compiled.flags)
}

/// Where the run may read.
fn reachable(
    input: &InputArgs,
    paths: &[PathBuf],
    settings: &Settings,
    flags: &FxHashMap<PathBuf, Flags>,
) -> Bounds {
    let plain: Vec<PathBuf> = paths
        .iter()
        .map(|path| match &input.stdin_filename {
            _ if !load::is_stdin(path) => load::plain_part(path),
            Some(name) => name.clone(),
            None => PathBuf::from("."),
        })
        .collect();
    let named: Vec<PathBuf> = input
        .includes
        .iter()
        .chain(&input.forced_includes)
        .cloned()
        .collect();
    let mut bounds = configured::bounds(
        plain.iter().map(PathBuf::as_path),
        &named,
        &settings.options,
    );
    for flags in flags.values() {
        let all = flags.includes.iter().chain(&flags.forced_includes);
        all.for_each(|path| bounds.add_code(path));
    }
    bounds
}

fn excluded(settings: &Settings) -> Result<Gitignore, String> {
    let patterns = &settings.config.exclude;
    let bytes: usize = patterns.iter().map(String::len).sum();
    if bytes > MOST_PATTERNS {
        return Err(format!(
            "exclude: the patterns have {bytes} bytes, and may have {MOST_PATTERNS}; name folders instead of files"
        ));
    }
    let folder = std::path::absolute(Path::new(".").join(&settings.config.folder))
        .unwrap_or_else(|_| settings.config.folder.clone());
    let mut builder = GitignoreBuilder::new(folder);
    for pattern in patterns {
        builder
            .add_line(None, pattern)
            .map_err(|error| format!("exclude: cannot read the pattern `{pattern}` ({error})"))?;
    }
    builder
        .build()
        .map_err(|error| format!("exclude: cannot read the patterns ({error})"))
}

fn nearest_folder(path: &Path) -> &Path {
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().unwrap_or(path)
    };
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

/// As people name a file from here.
fn shown(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let here = std::env::current_dir().unwrap_or_default();
    let real = std::fs::canonicalize(&here).unwrap_or_else(|_| here.clone());
    let relative = absolute
        .strip_prefix(&here)
        .or_else(|_| absolute.strip_prefix(&real));
    relative.map(Path::to_path_buf).unwrap_or(absolute)
}

/// A file's one path; a staged file need not be in the working tree.
fn canonical(path: &Path) -> PathBuf {
    bounds::resolve(path).unwrap_or_else(|| path.to_path_buf())
}

/// Puts staged texts in place of those in the working tree; staged files come in by themselves
/// where no path was named. Gives the staged headers.
fn stage(
    input: &InputArgs,
    repository: &Repository,
    changed: &[Changed],
    loaded: &mut Loaded,
    most: u64,
) -> Vec<Arc<SourceFile>> {
    let mut overlay = Vec::new();
    let is_read =
        |path: &Path| bounds::is_code(path) || load::is_wanted(path, input.cuda_in_strings);
    for one in changed.iter().filter(|one| is_read(&one.path)) {
        let Some(bytes) = repository.staged_bytes(one, most) else {
            loaded.problem(
                &shown(&one.path),
                "git cannot give its staged text, or it is too large; skipped",
            );
            continue;
        };
        let path = canonical(&one.path);
        let known = loaded
            .files
            .iter()
            .find(|file| canonical(&file.path) == path)
            .map(|file| file.path.clone());
        if let Some(name) = known {
            loaded.files.retain(|file| file.path != name);
            loaded.take(&name, bytes, input.cuda_in_strings);
        } else if input.paths.is_empty() && load::is_wanted(&one.path, input.cuda_in_strings) {
            loaded.take(&shown(&one.path), bytes, input.cuda_in_strings);
        } else {
            overlay.extend(header(&one.path, &bytes));
        }
    }
    loaded.files.sort_by(|a, b| a.path.cmp(&b.path));
    overlay
}

/// A text under both names that an `#include` may find it by.
fn header(path: &Path, bytes: &[u8]) -> Vec<Arc<SourceFile>> {
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    [shown(path), path.to_path_buf()]
        .into_iter()
        .map(|path| Arc::new(SourceFile::new(path, text.clone())))
        .collect()
}

impl Base {
    fn new(
        input: &InputArgs,
        repository: &Repository,
        changed: &[Changed],
        loaded: &Loaded,
        most: u64,
    ) -> Self {
        let paths: Vec<PathBuf> = changed.iter().map(|one| canonical(&one.path)).collect();
        let mut before = Loaded::default();
        let mut met = FxHashSet::default();
        for file in &loaded.files {
            let at = canonical(&file.path);
            match paths.iter().position(|path| *path == at) {
                None => before.files.push(file.clone()),
                Some(index) => {
                    let is_first = met.insert(index);
                    let bytes = is_first.then(|| repository.before(&changed[index], most));
                    if let Some(bytes) = bytes.flatten() {
                        before.take(&file.path, bytes, input.cuda_in_strings);
                    }
                }
            }
        }
        let others = changed
            .iter()
            .enumerate()
            .filter(|(index, one)| !met.contains(index) && bounds::is_code(&one.path));
        let overlay = others
            .filter_map(|(_, one)| Some(header(&one.path, &repository.before(one, most)?)))
            .flatten()
            .collect();
        Self {
            files: before.files,
            overlay,
            changed: paths.into_iter().collect(),
        }
    }

    /// Whether anything that the analysis read has changed.
    #[must_use]
    pub fn concerns(&self, analysis: &Analysis) -> bool {
        let mut files = analysis.units.iter().flat_map(|unit| &unit.files);
        files.any(|path| self.changed.contains(&canonical(path)))
    }
}
