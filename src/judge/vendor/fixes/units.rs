//! Which files compile the text that a fix changes.

use super::Offered;
use crate::judge::vendor::files;
use crate::judge::vendor::source::{self, included};
use std::path::{Path, PathBuf};

/// Units that are tried for one fix.
const MOST_UNITS: usize = 6;

/// The file that the fix is in, and units that may include it: those that do first, then those that name its kernels.
pub(super) fn units(offered: &Offered) -> Vec<PathBuf> {
    let Some(file) = offered.edits.first().map(|edit| edit.file.clone()) else {
        return Vec::new();
    };
    let mut out = vec![file.clone(), offered.file.clone()];
    let is_unit = |path: &Path| path.extension().is_some_and(|one| one == "cu");
    let is_header = !is_unit(&file) || !is_unit(&offered.file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let whole = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    let mut near: Vec<(bool, PathBuf)> = Vec::new();
    // A unit may be part of one beside it.
    let reach = if is_header { 4 } else { 1 };
    for folder in files::folders_above(&whole).take(reach) {
        let mut all = Vec::new();
        files::collect(folder, folder, &mut all);
        for (_, path) in all {
            let text = source::text_of(&path).unwrap_or_default();
            let includes = included(&text);
            let is_included = includes.iter().any(|one| one.ends_with(&*name));
            let names_kernel = offered.kernels.iter().any(|(kernel, _)| {
                let last = kernel.rsplit("::").next().unwrap_or(kernel);
                text.contains(last)
            });
            if is_included || is_header && names_kernel {
                near.push((!is_included, path));
            }
        }
        // Farther away other programs have headers of the same name.
        if near.len() >= MOST_UNITS || near.iter().any(|(is_other, _)| !is_other) {
            break;
        }
    }
    near.sort();
    out.extend(near.into_iter().map(|(_, path)| path));
    let mut known: Vec<PathBuf> = Vec::new();
    for path in out {
        if let Ok(path) = std::fs::canonicalize(path)
            && !known.contains(&path)
        {
            known.push(path);
        }
    }
    known.truncate(MOST_UNITS);
    known
}
