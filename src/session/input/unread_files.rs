//! Names in files that are not read.
//!
//! Given names and the paths of host programs, Python files among them, says where the names first stand. Reads
//! no meaning: a kernel that such a file names may be launched there.

use crate::disk;
use crate::fix::is_word;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// Where each name first stands, by file and line, if it does anywhere.
#[must_use]
pub fn first_mentions(
    names: &[&str],
    files: &[PathBuf],
    most_bytes: u64,
) -> FxHashMap<String, (PathBuf, u32)> {
    let mut found = FxHashMap::default();
    for path in files {
        if found.len() == names.len() {
            break;
        }
        // What cannot be read names nothing.
        let Ok(bytes) = disk::bytes(path, most_bytes) else {
            continue;
        };
        in_text(&String::from_utf8_lossy(&bytes), names, path, &mut found);
    }
    found
}

fn in_text(text: &str, names: &[&str], path: &Path, found: &mut FxHashMap<String, (PathBuf, u32)>) {
    for (line, words) in (1..).zip(text.lines()) {
        for word in words.split(|c| !is_word(c)) {
            if names.contains(&word) && !found.contains_key(word) {
                found.insert(word.to_owned(), (path.to_path_buf(), line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words() {
        let mut found = FxHashMap::default();
        let text = "int kernels;\nload(\"kernel\");\nkernel();\n";
        let path = Path::new("a.cpp");
        in_text(text, &["kernel", "other"], path, &mut found);
        assert_eq!(found.len(), 1);
        assert_eq!(found["kernel"], (path.to_path_buf(), 2));
    }
}
