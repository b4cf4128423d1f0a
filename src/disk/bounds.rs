//! Bounds: where a run may read, and which files a project may name.
//!
//! Given folders that the user named, tells of any path whether it lies in one of them once links are
//! resolved. A project is the nearest folder above with a `.git` or a `cudalint.toml`; where there is none,
//! the outermost that looks like a project's. Knows nothing of what stands in files.

use std::path::{Component, Path, PathBuf};

/// Names at the root of projects. They are believed less: only files that look like code are read there.
const SIGNS: [&str; 14] = [
    "README",
    "README.md",
    "README.rst",
    "README.txt",
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "COPYING",
    "CMakeLists.txt",
    "Makefile",
    "pyproject.toml",
    "setup.py",
    "WORKSPACE",
    ".gitignore",
];
/// Files that make a folder a project.
const MARKS: [&str; 3] = [".git", "cudalint.toml", ".cudalint.toml"];
/// Extensions of files that are there to be included.
const CODE: [&str; 16] = [
    "h", "hh", "hpp", "hxx", "h++", "cuh", "cu", "c", "cc", "cpp", "cxx", "inl", "inc", "ipp",
    "tcc", "def",
];
/// Where systems keep the toolkit's headers and the compiler's.
const TOOLKITS: [&str; 4] = ["/usr/local", "/usr/include", "/usr/lib", "/opt"];
/// Variables that name a toolkit.
const TOOLKIT_VARIABLES: [&str; 3] = ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"];

/// Folders that may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    folders: Vec<Folder>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Folder {
    /// Links resolved.
    path: PathBuf,
    /// Only what looks like code by its name.
    only_code: bool,
}

impl Bounds {
    /// The toolkit and nothing else.
    #[must_use]
    pub fn toolkit() -> Self {
        let mut bounds = Self::default();
        for place in TOOLKITS {
            bounds.add_code(Path::new(place));
        }
        let named = TOOLKIT_VARIABLES.iter().filter_map(std::env::var_os);
        for place in named.filter(|place| !place.is_empty()) {
            bounds.add_code(Path::new(&place));
        }
        bounds
    }

    /// A folder that the user named, or a file that is to be read.
    pub fn add(&mut self, path: &Path) {
        self.enter(path, false);
    }

    /// A folder that somebody else named: a file of a project that the user vouches for.
    pub fn add_code(&mut self, path: &Path) {
        self.enter(path, true);
    }

    /// An input: the folder, or the folder of the file, and the project that it belongs to.
    pub fn add_input(&mut self, path: &Path) {
        let Some(folder) = folder_of(path) else {
            return;
        };
        self.enter(&folder, false);
        match project(&folder) {
            Some(root) => self.enter(&root, false),
            None => {
                if let Some(root) = likely_project(&folder) {
                    self.enter(&root, true);
                }
            }
        }
    }

    fn enter(&mut self, path: &Path, only_code: bool) {
        let Ok(path) = std::fs::canonicalize(here(path)) else {
            return;
        };
        let folder = Folder { path, only_code };
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
    }

    /// Whether a file may be read. What is hidden below a folder was not meant by whoever named it.
    #[must_use]
    pub fn admit(&self, file: &Path) -> bool {
        let Ok(real) = std::fs::canonicalize(here(file)) else {
            return false;
        };
        self.folders.iter().any(|folder| {
            let Ok(below) = real.strip_prefix(&folder.path) else {
                return false;
            };
            !below.components().any(is_hidden) && (!folder.only_code || is_code(&real))
        })
    }
}

/// Whether a place belongs to what systems install.
#[must_use]
pub fn is_toolkit(real: &Path) -> bool {
    let toolkit = Bounds::toolkit().folders;
    toolkit.iter().any(|folder| real.starts_with(&folder.path))
}

/// Whether a file is code by its name.
#[must_use]
pub fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        let is = |known: &&str| extension.eq_ignore_ascii_case(known);
        CODE.iter().any(is)
    })
}

/// The empty path is this folder.
fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

/// A folder itself, or the folder that a file lies in by its name; links resolved.
#[must_use]
pub fn folder_of(path: &Path) -> Option<PathBuf> {
    let path = here(path);
    let folder = if path.is_dir() {
        path
    } else {
        here(path.parent().unwrap_or(path))
    };
    std::fs::canonicalize(folder).ok()
}

/// The project that a folder belongs to, its links resolved.
#[must_use]
pub fn project(folder: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(here(folder)).ok()?;
    let has = |place: &Path, marks: &[&str]| marks.iter().any(|mark| place.join(mark).exists());
    // A repository holds what lies in its folders, whatever they are called.
    let repository = real.ancestors().find(|place| has(place, &MARKS[..1]));
    let nearest = || real.ancestors().find(|place| has(place, &MARKS));
    repository.or_else(nearest).map(Path::to_path_buf)
}

/// The outermost folder above that looks like the root of a project.
fn likely_project(folder: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(here(folder)).ok()?;
    let is_shared = |place: &Path| {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        place.parent().is_none()
            || place == std::env::temp_dir()
            || home.is_some_and(|home| home.starts_with(place))
    };
    let looks = |place: &&Path| SIGNS.iter().any(|sign| place.join(sign).exists());
    real.ancestors()
        .take_while(|place| !is_shared(place))
        .filter(looks)
        .last()
        .map(Path::to_path_buf)
}

/// What is said of a path that leads out of its project and is not read.
pub const LINK_OUT: &str = "a link out of the project, or to what is hidden in it; not read (name what it points at to have that read)";

/// Where a path leads that its own project does not hold, or hides: through a link, or by `..`. Paths in no project
/// lead wherever the user says.
#[must_use]
pub fn leads_out(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(here(path)).ok()?;
    let root = lexical_project(&absolute)?;
    let root = std::fs::canonicalize(&root).unwrap_or(root);
    let real = resolve(&absolute)?;
    let Ok(below) = real.strip_prefix(&root) else {
        return Some(real);
    };
    // A link to what is hidden was put there to have it read: whoever means `.env` names it.
    let is_named = |part: &Component| absolute.components().any(|own| own == *part);
    let is_hidden = below
        .components()
        .any(|part| is_hidden(part) && !is_named(&part));
    is_hidden.then_some(real)
}

/// `.env`, `.git` and the like.
#[must_use]
pub fn is_hidden(part: Component) -> bool {
    part.as_os_str().to_string_lossy().starts_with('.')
}

/// The project whose folder stands in a path, links not resolved: a link may lead into another's.
fn lexical_project(absolute: &Path) -> Option<PathBuf> {
    let plain = plain(absolute);
    let above = || plain.ancestors().skip(1);
    let has = |place: &Path, marks: &[&str]| marks.iter().any(|mark| place.join(mark).exists());
    let repository = above().find(|place| has(place, &MARKS[..1]));
    let marked = repository.or_else(|| above().find(|place| has(place, &MARKS)));
    let stands_in = || {
        let here = std::env::current_dir().ok()?;
        plain.starts_with(&here).then_some(here)
    };
    marked.map(Path::to_path_buf).or_else(stands_in)
}

/// The path without `.` and `x/..`, read from left to right as people do.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The path with links resolved, as far as it is there; a link to nothing leads where it says.
#[must_use]
pub fn resolve(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    let path = &std::path::absolute(here(path)).ok()?;
    if let Ok(target) = std::fs::read_link(path) {
        let target = path.parent()?.join(target);
        let folder = std::fs::canonicalize(target.parent()?).ok()?;
        return Some(folder.join(target.file_name()?));
    }
    let folder = resolve(path.parent()?)?;
    Some(folder.join(path.file_name()?))
}
