//! Files that a compiler would open for an `#include` of a text, whatever hides it.
//!
//! Given text, gives the operand of everything in it that may be an `#include`: rather too many than too few,
//! since the compiler itself opens what they name. Given a name, tells where it leads from a folder. Reads no file.

use std::path::{Component, Path, PathBuf};

/// How the first character of a directive is written.
const STARTS: [&str; 3] = ["#", "%:", "??="];
/// Directives that open files.
const DIRECTIVES: [&str; 4] = ["include", "include_next", "import", "embed"];

/// The names that `text` may open; none in place of one that only macros know.
pub(super) fn names(text: &str) -> Vec<Option<String>> {
    let mut all = Vec::new();
    // Some compilers take blanks before a line's end for nothing.
    for spliced in [text.replace("\\\n", ""), without_splices(text)] {
        for start in STARTS {
            for (at, _) in spliced.match_indices(start) {
                if begins_a_line(&spliced[..at])
                    && let Some(name) = name_of(&spliced[at + start.len()..])
                {
                    all.push(name);
                }
            }
        }
    }
    all
}

fn without_splices(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_suffix('\\') {
            Some(line) => out.push_str(line),
            None => out.push_str(line),
        }
    }
    out
}

/// Whether nothing but blanks and comments stands in the line so far. Only the end of a comment is looked at.
fn begins_a_line(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let line = line.trim_start_matches('\u{feff}').trim_end();
    line.is_empty() || line.ends_with("*/")
}

/// The operand of a directive that opens a file; the text starts behind its `#`.
fn name_of(rest: &str) -> Option<Option<String>> {
    let rest = past_blanks(rest);
    let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric());
    let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
    if !DIRECTIVES.contains(&word) {
        return None;
    }
    let rest = past_blanks(rest);
    let close = match rest.chars().next() {
        Some('"') => '"',
        Some('<') => '>',
        _ => return Some(None),
    };
    let line = rest[1..].split('\n').next().unwrap_or("");
    Some(line.split_once(close).map(|(name, _)| name.to_owned()))
}

fn past_blanks(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches(|c: char| c != '\n' && c.is_whitespace());
        let Some(comment) = rest.strip_prefix("/*") else {
            return rest;
        };
        match comment.split_once("*/") {
            Some((_, behind)) => rest = behind,
            None => return "",
        }
    }
}

/// Where `name` leads from a folder below `working`; none where that is not below it.
pub(super) fn below(working: &Path, folder: &Path, name: &str) -> Option<PathBuf> {
    let mut place = folder.to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => place.push(part),
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
                if !place.starts_with(working) {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(place)
}

/// Whether a name leads upwards, or starts at the root.
pub(super) fn leads_up(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_hides_an_include() {
        for text in [
            "#include \"n\"",
            " # include<n>",
            "\u{feff}#include \"n\"",
            "#inc\\\nlude \"n\"",
            "#inc\\ \nlude \"n\"",
            "%:include <n>",
            "??=include <n>",
            "/* a\n */ #include \"n\"",
            "#/* a\n */include/**/\"n\"",
            "#import \"n\"",
            "x\n#embed <n>",
        ] {
            assert!(names(text).contains(&Some("n".to_owned())), "{text}");
        }
        assert!(names("#include N").contains(&None));
        assert!(names("a \\ \n#include \"n\"").contains(&Some("n".to_owned())));
        for text in [
            "// this #include N",
            " * an #include N",
            "#define include N",
            "s(\"#include N\")",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn names_stay_below_the_working_folder() {
        let (working, folder) = (Path::new("/w"), Path::new("/w/a/b"));
        let place = |name: &str| below(working, folder, name);
        assert_eq!(place("c/./d"), Some("/w/a/b/c/d".into()));
        assert_eq!(place("../../d"), Some("/w/d".into()));
        for name in ["../../../d", "../../../w/d", "/d", "x/../../../../w/d"] {
            assert_eq!(place(name), None, "{name}");
        }
    }
}
