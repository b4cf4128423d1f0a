//! Which units must be lowered together, so that the trees of all others can go.
//!
//! Given expanded texts, gives groups of units: two are in one group if both read a file with device
//! code, or if one launches what it does not define and mentions a kernel that the other defines.
//! So are those that read a file with comments for this tool. Looks at words only; a word too many
//! makes a group larger, never an answer different.

use super::Unit;
use crate::source::SourceMap;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Words that mark device code, and comments for this tool.
const MARKS: [&str; 6] = [
    "__global__",
    "__device__",
    "__constant__",
    "__managed__",
    "cudalint:",
    "//@",
];

/// Bytes of expanded text whose trees are held at once, where groups allow.
const BATCH_BYTES: usize = 1 << 20;

/// Places of units, split so that what belongs together is together and one batch of trees is
/// small; both in order.
pub(super) fn batches(units: &[Unit], sources: &SourceMap) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut bytes = BATCH_BYTES;
    let total: usize = units.iter().map(|unit| unit.expanded.text.len()).sum();
    if total <= BATCH_BYTES {
        return vec![(0..units.len()).collect()];
    }
    for group in groups(units, sources) {
        let size: usize = group.iter().map(|at| units[*at].expanded.text.len()).sum();
        match batches.last_mut() {
            Some(batch) if bytes.saturating_add(size) <= BATCH_BYTES => {
                batch.extend(group);
                bytes += size;
            }
            _ => {
                batches.push(group);
                bytes = size;
            }
        }
    }
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches
}

/// Places of units that belong together, in order.
pub(super) fn groups(units: &[Unit], sources: &SourceMap) -> Vec<Vec<usize>> {
    let mut sets = Sets::new(units.len());
    // Files with device code that several units read.
    let mut readers: FxHashMap<&Path, usize> = FxHashMap::default();
    for (_, file) in sources.iter() {
        if MARKS.iter().any(|mark| file.text.contains(mark)) {
            readers.insert(&file.path, usize::MAX);
        }
    }
    for (at, unit) in units.iter().enumerate() {
        for file in &unit.files {
            if let Some(first) = readers.get_mut(file.as_path()) {
                if *first == usize::MAX {
                    *first = at;
                } else {
                    sets.join(*first, at);
                }
            }
        }
    }
    // Kernels that one unit mentions and another defines.
    let defined: Vec<FxHashSet<&str>> = units
        .par_iter()
        .map(|unit| kernels(&unit.expanded.text))
        .collect();
    let mut definers: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, names) in defined.iter().enumerate() {
        for name in names {
            definers.entry(name).or_default().push(at);
        }
    }
    let mentioned: Vec<FxHashSet<&str>> = units
        .par_iter()
        .zip(&defined)
        .map(|(unit, own)| {
            let text = &unit.expanded.text;
            if !launches_others(text, own) {
                return FxHashSet::default();
            }
            words(text)
                .filter(|word| definers.contains_key(word) && !own.contains(word))
                .collect()
        })
        .collect();
    for (at, names) in mentioned.iter().enumerate() {
        for definer in names.iter().filter_map(|name| definers.get(name)).flatten() {
            sets.join(at, *definer);
        }
    }
    sets.groups()
}

/// Names of the kernels that have a body in a text.
fn kernels(text: &str) -> FxHashSet<&str> {
    let mut names = FxHashSet::default();
    for (at, _) in text.match_indices("__global__") {
        let rest = &text[at + "__global__".len()..];
        names.extend(kernel_name(rest));
    }
    names
}

/// Whether a launch in the text is of no kernel of its own, as far as words tell.
fn launches_others(text: &str, own: &FxHashSet<&str>) -> bool {
    let calls = ["cudaLaunch", "cuLaunch"];
    calls.iter().any(|call| text.contains(call))
        || text.match_indices("<<<").any(|(at, _)| {
            // `name<<<` and `name<arguments><<<`
            let head = text[..at].trim_end();
            let head = match head.strip_suffix('>') {
                Some(_) => opening(head).map_or("", |open| head[..open].trim_end()),
                None => head,
            };
            let name = last_word(head);
            !own.contains(name)
        })
}

/// Where the `<` stands that the `>` at the end of the text closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' => depth += 1,
            b'<' => depth -= 1,
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The word at the end of the text.
fn last_word(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + 1);
    text.get(start..).unwrap_or("")
}

/// The name in `void __launch_bounds__(256) name<…>(…) {`.
fn kernel_name(text: &str) -> Option<&str> {
    let mut last = None;
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let next = rest.chars().next()?;
        if next.is_alphabetic() || next == '_' {
            let word = words(rest).next()?;
            last = Some(word);
            rest = &rest[word.len()..];
            continue;
        }
        match (next, last) {
            ('(' | '<', Some(word)) if word.starts_with("__") || word.starts_with("enable_if") => {
                rest = &rest[closing(rest)?..];
            }
            ('(', _) => {
                let after = rest[closing(rest)?..].trim_start();
                return last.filter(|_| after.starts_with('{'));
            }
            ('<', _) => rest = &rest[closing(rest)?..],
            (';' | '{' | '}', _) => return None,
            _ => rest = &rest[next.len_utf8()..],
        }
    }
}

/// The length of a text in brackets, `(…)` or `<…>`, at its start.
fn closing(text: &str) -> Option<usize> {
    let (open, close) = if text.starts_with('(') {
        (b'(', b')')
    } else {
        (b'<', b'>')
    };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        depth += usize::from(byte == open);
        if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Identifiers, keywords and whatever else consists of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// Disjoint sets of places.
struct Sets {
    parents: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            parents: (0..count).collect(),
        }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// The smaller root stays, so that groups come by their first member.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }

    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut of_root: FxHashMap<usize, usize> = FxHashMap::default();
        for at in 0..self.parents.len() {
            let root = self.root(at);
            let group = *of_root.entry(root).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(at);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_by_their_words() {
        let text = "template <int N> __global__ void __launch_bounds__(N * (2)) first(int *p) {}\n\
                    extern \"C\" static __global__ void second(float *q) {}\n\
                    template <> __global__ void third<float>(float *q) {}\n\
                    __global__ void elsewhere(float *q);\n\
                    #define K __global__\n";
        let mut found: Vec<&str> = kernels(text).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["first", "second", "third"]);
    }

    #[test]
    fn launches_of_others_are_told_from_own_ones() {
        let own = kernels("__global__ void mine(int n) {} __global__ void also(int n) {}");
        for text in [
            "mine<<<1, 2>>>(3)",
            "also<float, 4> <<<1, 2>>>(3); f(x < 3)",
        ] {
            assert!(!launches_others(text, &own), "{text}");
        }
        for text in [
            "theirs<<<1, 2>>>(3)",
            "theirs<A<B>><<<1, 2>>>(3)",
            "cudaLaunchKernel(f)",
        ] {
            assert!(launches_others(text, &own), "{text}");
        }
    }

    #[test]
    fn sets_that_meet_become_one() {
        let mut sets = Sets::new(5);
        sets.join(3, 4);
        sets.join(0, 3);
        assert_eq!(sets.groups(), [vec![0, 3, 4], vec![1], vec![2]]);
    }
}
