//! `compile_commands.json`: which files are compiled, and with which flags.
//!
//! Given the database's path, gives its entries, and the flags of its CUDA files as options of
//! a run. Runs nothing of what it reads.

use super::nvcc;
use crate::disk::{self, MOST_DATABASE, Refusal, bounds};
use crate::gpu::Arch;
use crate::session::Flags;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name that a folder's database has.
pub const FILE_NAME: &str = "compile_commands.json";

/// One compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilation {
    /// Absolute, or relative to where the run starts.
    pub file: PathBuf,
    /// Where relative paths among the arguments start.
    pub directory: PathBuf,
    /// Without the compiler's own name.
    pub arguments: Vec<String>,
}

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// Reads a database; `path` is the file, or the folder that holds it.
///
/// # Errors
/// One sentence.
pub fn read(path: &Path) -> Result<Vec<Compilation>, String> {
    let path = if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_path_buf()
    };
    // Links to what a build has made elsewhere are usual; links to anything else are not.
    let is_other = |real: PathBuf| !real.ends_with(FILE_NAME);
    if bounds::leads_out(&path).is_some_and(is_other) {
        return Err(format!("{}: {}", path.display(), bounds::LINK_OUT));
    }
    let text = disk::text(&path, MOST_DATABASE).map_err(|why| match why {
        Refusal::NotFound => format!(
            "{}: no such file; `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` writes one",
            path.display()
        ),
        why => format!("{}: {why}", path.display()),
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut all = parse(&text, folder).map_err(|why| format!("{}: {why}", path.display()))?;
    let own = std::fs::canonicalize(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    });
    let project = bounds::project(folder);
    // The database may come with the sources: what its commands name lies where it lies, or in its project.
    let is_near = |file: &Path| {
        let real = std::fs::canonicalize(file).ok();
        let inside = |folder: &PathBuf| real.as_ref().is_some_and(|real| real.starts_with(folder));
        own.as_ref().is_ok_and(inside) || project.as_ref().is_some_and(inside)
    };
    let mut left = MOST_DATABASE;
    for one in &mut all {
        let plain = std::mem::take(&mut one.arguments);
        // What cannot be read is told where it is missed: as a header that is not found.
        one.arguments = nvcc::with_option_files(plain.clone(), &one.directory, &is_near, &mut left)
            .unwrap_or(plain);
    }
    Ok(all)
}

/// The entries of a database that lies in `folder`.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str, folder: &Path) -> Result<Vec<Compilation>, String> {
    let entries: Vec<Entry> = serde_json::from_str(text)
        .map_err(|error| format!("not a compilation database ({error})"))?;
    Ok(entries
        .into_iter()
        .map(|entry| {
            let directory = folder.join(&entry.directory);
            let mut arguments = if entry.arguments.is_empty() {
                shlex::split(&entry.command).unwrap_or_default()
            } else {
                entry.arguments
            };
            if !arguments.is_empty() {
                arguments.remove(0);
            }
            Compilation {
                file: directory.join(&entry.file),
                directory,
                arguments,
            }
        })
        .collect())
}

/// The CUDA files of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// By canonical path; of several compilations of one file the first counts.
    pub flags: FxHashMap<PathBuf, Flags>,
    /// The same paths in the database's order.
    pub files: Vec<PathBuf>,
    /// Those that are compiled again with other flags, which are not looked at.
    pub again: Vec<PathBuf>,
    /// The newest that any of them is compiled for.
    pub arch: Option<Arch>,
}

/// Reads what a database says of CUDA files.
///
/// # Errors
/// One sentence.
pub fn compiled(database: &Path) -> Result<Compiled, String> {
    let mut all = Compiled::default();
    for entry in read(database)?.iter().filter(|entry| entry.is_cuda()) {
        let (flags, arch) = nvcc::flags(&entry.arguments, &entry.directory);
        let rank = |arch: &Arch| (arch.major, arch.minor);
        all.arch = match (all.arch, arch) {
            (Some(a), Some(b)) => Some(if rank(&b) > rank(&a) { b } else { a }),
            (a, b) => a.or(b),
        };
        let file = std::fs::canonicalize(&entry.file).unwrap_or_else(|_| entry.file.clone());
        match all.flags.get(&file) {
            Some(first) if *first != flags && !all.again.contains(&file) => all.again.push(file),
            Some(_) => {}
            None => {
                all.files.push(file.clone());
                all.flags.insert(file, flags);
            }
        }
    }
    Ok(all)
}

impl Compilation {
    /// Whether nvcc or clang takes the file for CUDA.
    #[must_use]
    pub fn is_cuda(&self) -> bool {
        // `-x cu` makes CUDA of any file, and a database may name those of its choice.
        if !bounds::is_code(&bounds::resolve(&self.file).unwrap_or_else(|| self.file.clone())) {
            return false;
        }
        let is_cu = self
            .file
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("cu"));
        let languages = self.arguments.windows(2).any(|pair| {
            ["-x", "--x"].contains(&pair[0].as_str()) && ["cu", "cuda"].contains(&pair[1].as_str())
        });
        let joined = ["-xcu", "-xcuda", "--x=cu", "-x=cu"];
        is_cu
            || languages
            || self
                .arguments
                .iter()
                .any(|argument| joined.contains(&argument.as_str()))
    }
}
