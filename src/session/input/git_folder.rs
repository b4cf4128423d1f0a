//! The check of `.git` before git is given it.
//!
//! A tree that is unpacked brings its own `.git`, made by anybody. Given the folder around it, tells whether
//! it leads to a repository of somebody else, whose texts git would then read, or holds a pipe or a device,
//! on which git would wait or never end. Hooks, configuration and commands are not looked at here: nothing
//! of them is run.

use crate::disk::{self, Refusal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file that names a folder is a line.
const MOST_BYTES: u64 = 1 << 16;
/// More than any configuration says.
const MOST_CONFIG: u64 = 1 << 20;
/// How deep configurations include one another; git's own bound.
const MOST_INCLUDED: usize = 10;
/// How deep repositories take objects from one another; git's own bound.
const MOST_BORROWED: usize = 5;
/// More entries than any repository that is worked in has.
const MOST_ENTRIES: usize = 4_000_000;
/// Folders of `.git` that git does not read for us: other working trees and submodules, and what its
/// extensions keep.
const NOT_READ: [&str; 6] = ["modules", "worktrees", "hooks", "lfs", "annex", "rr-cache"];

/// What the `.git` in `root`, whose links are resolved, is or leads to, if git may be given it.
///
/// # Errors
/// One sentence.
pub fn check(root: &Path) -> Result<PathBuf, String> {
    let place = root.join(".git");
    let folder = real_folder(&place)
        .ok_or_else(|| format!("{} names no folder of a repository", place.display()))?;
    match look(root, &place, &folder) {
        Err(why) if !is_vouched_for(root) => Err(format!(
            "{why}; if that is how you want it: git config --global --add safe.directory {}",
            root.display()
        )),
        _ => Ok(folder),
    }
}

fn look(root: &Path, place: &Path, folder: &Path) -> Result<(), String> {
    if !folder.starts_with(root) && !names_back(folder, root) {
        return Err(format!(
            "{} leads to {}, which does not name this folder as its working tree",
            place.display(),
            folder.display()
        ));
    }
    let common = common_folder(folder);
    if !folder.starts_with(&common) {
        return Err(format!(
            "{} takes its objects from another repository, {}",
            place.display(),
            common.display()
        ));
    }
    let mut left = MOST_ENTRIES;
    plain_files(folder, &common, &mut left)?;
    if common != folder {
        plain_files(&common, &common, &mut left)?;
    }
    for config in [folder.join("config.worktree"), common.join("config")] {
        included(&config, MOST_INCLUDED)?;
    }
    borrowed(&common.join("objects"), &[root, &common], MOST_BORROWED)
}

/// Looks at the folders that `objects` takes objects from, and those that they take from: an index that names
/// an object of somebody else's repository would show its text. All lie in one of `homes`.
fn borrowed(objects: &Path, homes: &[&Path], deeper: usize) -> Result<(), String> {
    let list = objects.join("info/alternates");
    let bytes = match disk::bytes(&list, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(Refusal::NotFound) => return Ok(()),
        Err(why) => return Err(format!("{}: {why}", list.display())),
    };
    let refused = |named: &str| {
        Err(format!(
            "{} takes objects from another repository, {named}",
            list.display()
        ))
    };
    // Names that are no text, and git's own quotes, are no names of ours.
    let Ok(text) = String::from_utf8(bytes) else {
        return refused("whose name is no text");
    };
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_quoted = line.starts_with('"');
        let Ok(real) = std::fs::canonicalize(objects.join(line)) else {
            // What is not there gives git nothing.
            if is_quoted {
                return refused(line);
            }
            continue;
        };
        let Some(next) = deeper.checked_sub(1) else {
            return refused(line);
        };
        if is_quoted || !homes.iter().any(|home| real.starts_with(home)) {
            return refused(line);
        }
        let mut left = MOST_ENTRIES;
        plain_files(&real, &real, &mut left)?;
        borrowed(&real, homes, next)?;
    }
    Ok(())
}

/// Looks at the files that a configuration includes: git opens them, and would wait for what a pipe says. The
/// user's own may be among them, so they may lie anywhere.
fn included(config: &Path, deeper: usize) -> Result<(), String> {
    let refused = || format!("{} includes what is no plain file", config.display());
    let bytes = match disk::bytes(config, MOST_CONFIG) {
        Ok(bytes) => bytes,
        Err(Refusal::NotFound) => return Ok(()),
        Err(why) => return Err(format!("{}: {why}", config.display())),
    };
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    if !text.contains("[include") {
        return Ok(());
    }
    let next = deeper.checked_sub(1).ok_or_else(refused)?;
    // Only git reads its own quotes and continued lines for certain. It follows no include of a file that is named.
    let listed = Command::new("git")
        .args(["config", "--file"])
        .arg(config)
        .args(["--null", "--get-regexp", r"^include(if\..*)?\.path$"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    // 1: it names none. Whatever git reads up to a mistake, it follows at once.
    if !matches!(listed.status.code(), Some(0 | 1)) {
        return Err(format!("{}: git cannot read it", config.display()));
    }
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for value in listed.split('\0').filter_map(|one| one.split_once('\n')) {
        let Some(path) = named_by(config, value.1) else {
            return Err(refused());
        };
        match std::fs::metadata(&path) {
            Ok(known) if known.is_file() && known.len() <= MOST_CONFIG => included(&path, next)?,
            Ok(_) => return Err(refused()),
            Err(_) => {}
        }
    }
    Ok(())
}

/// What a value of `include.path` means; none where only git knows.
fn named_by(config: &Path, value: &str) -> Option<PathBuf> {
    if let Some(below) = value.strip_prefix("~/") {
        return Some(PathBuf::from(std::env::var_os("HOME")?).join(below));
    }
    let is_special = value.starts_with('~') || value.starts_with("%(");
    (!is_special).then(|| config.parent().unwrap_or(config).join(value))
}

/// The folder at `place`, or the one that a file there names.
fn real_folder(place: &Path) -> Option<PathBuf> {
    if place.is_dir() {
        return std::fs::canonicalize(place).ok();
    }
    let text = disk::text(place, MOST_BYTES).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    std::fs::canonicalize(place.parent()?.join(named)).ok()
}

/// Whether the folder of another working tree, or of a submodule, says that it belongs to `root`.
fn names_back(folder: &Path, root: &Path) -> bool {
    let same = |named: &str, expected: &Path| {
        std::fs::canonicalize(folder.join(named.trim())).is_ok_and(|real| real == expected)
    };
    let text = |name: &str| disk::text(&folder.join(name), MOST_BYTES).unwrap_or_default();
    let is_worktree = same(&text("gitdir"), &root.join(".git"));
    let config = text("config");
    let mut values = config.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim().eq_ignore_ascii_case("worktree")).then_some(value)
    });
    is_worktree || values.any(|value| same(value, root))
}

/// Where objects and references are, which working trees share.
fn common_folder(folder: &Path) -> PathBuf {
    let named = disk::text(&folder.join("commondir"), MOST_BYTES);
    let common = named
        .ok()
        .and_then(|text| std::fs::canonicalize(folder.join(text.trim())).ok());
    common.unwrap_or_else(|| folder.to_path_buf())
}

/// Whether the user's own configuration of git names `root` as safe.
fn is_vouched_for(root: &Path) -> bool {
    let listed = Command::new("git")
        .args(["config", "--global", "--get-all", "safe.directory"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    listed
        .lines()
        .any(|line| std::fs::canonicalize(line).is_ok_and(|safe| safe == root))
}

/// Looks at every name below `folder`: links stay in `common`, and nothing is a pipe or a device.
fn plain_files(folder: &Path, common: &Path, left: &mut usize) -> Result<(), String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: cannot be read ({error})", folder.display()))?;
    for entry in entries.flatten() {
        *left = left
            .checked_sub(1)
            .ok_or_else(|| format!("{}: too many files", common.display()))?;
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            let is_read = !NOT_READ.iter().any(|name| entry.file_name() == *name);
            if is_read {
                plain_files(&path, common, left)?;
            }
        } else if kind.is_symlink() {
            // A link to nothing is nothing to git.
            let real = std::fs::canonicalize(&path).ok();
            if real
                .is_some_and(|real| !real.starts_with(common) || !(real.is_file() || real.is_dir()))
            {
                return Err(format!("{}: a link out of the repository", path.display()));
            }
        } else if !kind.is_file() && !is_socket(kind) {
            return Err(format!("{}: not a regular file", path.display()));
        }
    }
    Ok(())
}

/// git's own watcher listens on one, and nobody opens it as a file.
fn is_socket(kind: std::fs::FileType) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        kind.is_socket()
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        false
    }
}
