//! Which files are judged, what belongs to them, and where their headers lie.

use super::source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// CUDA files below a path, each with the path that it was found under.
pub(super) fn collect(root: &Path, path: &Path, out: &mut Vec<(PathBuf, PathBuf)>) {
    if path.is_file() {
        out.push((root.to_path_buf(), path.to_path_buf()));
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, out);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            out.push((root.to_path_buf(), path));
        }
    }
}

/// Files that others, or headers beside them, include: with the macros of those they may be other text.
pub(super) fn parts_of_others(files: &[(PathBuf, PathBuf)]) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    let folders: BTreeSet<&Path> = files.iter().filter_map(|(_, file)| file.parent()).collect();
    let beside = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok());
    let headers = beside.flatten().flatten().map(|entry| entry.path());
    let headers = headers.filter(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("h" | "hpp" | "cuh"))
    });
    let texts = files.iter().map(|(_, file)| file.clone()).chain(headers);
    for file in &texts.collect::<Vec<_>>() {
        let text = std::fs::read(file).unwrap_or_default();
        let folder = file.parent().unwrap_or(Path::new("."));
        for name in source::included(&String::from_utf8_lossy(&text)) {
            let place = folder.join(name);
            let is_part = |other: &&(PathBuf, PathBuf)| {
                let (a, b) = (
                    std::fs::canonicalize(&place),
                    std::fs::canonicalize(&other.1),
                );
                other.1 != *file && a.is_ok() && a.ok() == b.ok()
            };
            if place.extension().is_some_and(|extension| extension == "cu") {
                out.extend(files.iter().find(is_part).map(|(_, part)| part.clone()));
            }
        }
    }
    out
}

/// Other files of the program: what launches a kernel may stand beside it.
pub(super) fn siblings(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    if let Some(folder) = path.parent() {
        let mut all = Vec::new();
        collect_here(folder, &mut all);
        if all.len() <= 8 {
            out = all;
        }
    }
    if !out.iter().any(|one| one == path) {
        out.push(path.to_path_buf());
    }
    out
}

fn collect_here(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    out.extend(entries.flatten().map(|entry| entry.path()).filter(|path| {
        path.is_file() && path.extension().is_some_and(|extension| extension == "cu")
    }));
    out.sort();
}

/// The folders above a file, the nearest first, as far as its repository goes.
pub(super) fn folders_above(path: &Path) -> impl Iterator<Item = &Path> {
    let mut is_past = false;
    path.ancestors().skip(1).take_while(move |folder| {
        let is_inside = !is_past;
        is_past = folder.join(".git").exists();
        is_inside
    })
}

/// Folders that headers of a project commonly lie in, seen from one of its files.
pub(crate) fn includes(given: &[PathBuf], path: &Path) -> Vec<PathBuf> {
    // Verdicts name a header as its folder was named; the judge goes by whole paths.
    let given = given.iter();
    let mut out: Vec<PathBuf> = given
        .map(|one| std::fs::canonicalize(one).unwrap_or_else(|_| one.clone()))
        .collect();
    for folder in folders_above(path).take(6) {
        for name in [
            "include",
            "includes",
            "common",
            "Common",
            "inc",
            "csrc/includes",
            "csrc",
        ] {
            let one = folder.join(name);
            if one.is_dir() && !out.contains(&one) {
                out.push(one);
            }
        }
    }
    out.extend(folders_above(path).nth(1).map(Path::to_path_buf));
    out
}
