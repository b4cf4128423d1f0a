//! Which units must be lowered together, so that the trees of all others can go; and which must be
//! judged together.
//!
//! Given expanded texts, gives sets of units: two are in one set if one launches a kernel without a
//! body of its own and the other has a kernel of that name. Units of several sets are in one group if
//! they read a file with device code, or with comments for this tool, that others read, too. Looks at
//! words only; a word too many makes a set larger, never an answer different.

use super::Unit;
use crate::source::SourceMap;
use crate::syntax::library;
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

/// Calls whose arguments name kernels, `cudaLaunchKernelEx` and `hipModuleGetFunction` among them.
const CALLS: [&str; 4] = ["cudaLaunch", "cuLaunch", "hipLaunch", "ModuleGetFunction"];

/// The kernel is among so many first arguments of each.
const MOST_ARGUMENTS: usize = 3;

/// Bytes of expanded text whose trees are held at once, where sets allow.
const BATCH_BYTES: usize = 1 << 20;

/// Words of a unit that relate it to other units.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Kernels that have a body.
    kernels: Vec<Box<str>>,
    /// Kernels that are launched or declared, and have no body here.
    wanted: Vec<Box<str>>,
}

impl Words {
    /// Of an expanded text.
    pub fn of(text: &str) -> Self {
        let (mut kernels, mut wanted) = (FxHashSet::default(), FxHashSet::default());
        let launches = text.contains("<<<") || CALLS.iter().any(|call| text.contains(call));
        let mut heads: FxHashSet<(&str, String, bool)> = FxHashSet::default();
        for (at, mark) in text.match_indices("__global__") {
            match kernel_name(&text[at + mark.len()..]) {
                Some((name, of, true)) => {
                    kernels.insert(name);
                    heads.insert((name, shape(of), true));
                }
                Some((name, of, false)) => {
                    wanted.insert(name);
                    heads.insert((name, shape(of), false));
                }
                None => {}
            };
        }
        // Another overload than those that have a body here.
        let is_another = |name: &str| {
            heads.iter().any(|(of, head, has_body)| {
                *of == name && !has_body && !heads.contains(&(*of, head.clone(), true))
            })
        };
        let mut named: FxHashSet<&str> = FxHashSet::default();
        for (at, _) in text.match_indices("<<<") {
            named.insert(launched(&text[..at]));
        }
        for (at, call) in CALLS.iter().flat_map(|call| text.match_indices(call)) {
            named.extend(arguments(&text[at + call.len()..]).flat_map(words));
        }
        named.retain(|name| !kernels.contains(name) && !wanted.contains(name));
        // Nobody else has what a pointer is called.
        wanted.extend(named.into_iter().filter(|name| !is_variable(text, name)));
        let is_name = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        wanted.retain(|name| {
            launches && is_name(name) && (!kernels.contains(name) || is_another(name))
        });
        let sorted = |names: FxHashSet<&str>| {
            let mut names: Vec<Box<str>> = names.into_iter().map(Box::from).collect();
            names.sort_unstable();
            names
        };
        Self {
            kernels: sorted(kernels),
            wanted: sorted(wanted),
        }
    }
}

/// Sets of units that share launches, as places of units; both in order.
pub(super) fn sets(units: &[Unit]) -> Vec<Vec<usize>> {
    let mut sets = Sets::new(units.len());
    let mut definers: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        for name in &unit.text.words.kernels {
            definers.entry(name).or_default().push(at);
        }
    }
    for (at, unit) in units.iter().enumerate() {
        let wanted = unit.text.words.wanted.iter();
        for definer in wanted.filter_map(|name| definers.get(&**name)).flatten() {
            sets.join(at, *definer);
        }
    }
    sets.groups()
}

/// The places of units whose trees are held at once, each with the number of its set. A batch holds
/// whole sets: as many as there are threads, and more where they are small.
pub(super) fn batches(sets: &[Vec<usize>], units: &[Unit]) -> Vec<Vec<(usize, usize)>> {
    let threads = rayon::current_num_threads();
    let mut batches: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut bytes = 0_usize;
    for (number, set) in sets.iter().enumerate() {
        let size: usize = set.iter().map(|at| units[*at].text.bytes).sum();
        let members = set.iter().map(|at| (*at, number));
        match batches.last_mut() {
            Some(batch)
                if bytes.saturating_add(size) <= BATCH_BYTES
                    || batch.len() + set.len() <= threads =>
            {
                batch.extend(members);
                bytes += size;
            }
            _ => {
                batches.push(members.collect());
                bytes = size;
            }
        }
    }
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches
}

/// Places of units that are judged together, in order.
pub(super) fn groups(units: &[Unit], sources: &SourceMap) -> Vec<Vec<usize>> {
    let mut all = Sets::new(units.len());
    for set in sets(units) {
        for pair in set.windows(2) {
            all.join(pair[0], pair[1]);
        }
    }
    // The first reader of each file with device code.
    let mut readers: FxHashMap<&Path, Option<usize>> = FxHashMap::default();
    let mut has_marks: FxHashMap<&Path, bool> = FxHashMap::default();
    for (_, file) in sources.iter() {
        // Accesses in texts that stand in for libraries are told of at their calls: nothing there is shared.
        let marks =
            || !library::is_one(&file.path) && MARKS.iter().any(|mark| file.text.contains(mark));
        if *has_marks.entry(&file.path).or_insert_with(marks) {
            readers.insert(&file.path, None);
        }
    }
    for (at, unit) in units.iter().enumerate() {
        for file in &unit.files {
            match readers.get_mut(file.as_path()) {
                Some(Some(first)) => all.join(*first, at),
                Some(first) => *first = Some(at),
                None => {}
            }
        }
    }
    all.groups()
}

/// Arguments of a call that may name a kernel; `rest` begins in the name of what is called.
fn arguments(rest: &str) -> impl Iterator<Item = &str> {
    let rest = rest.trim_start_matches(is_word).trim_start();
    let length = closing(rest).filter(|_| rest.starts_with('('));
    let all = length.map_or("", |length| &rest[1..length - 1]);
    let mut depth = 0_i32;
    let separates = move |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        depth == 0 && c == ','
    };
    all.split(separates).take(MOST_ARGUMENTS)
}

/// Whether a name is declared as a variable or a parameter somewhere: `T *name,` or `T name =`.
fn is_variable(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return false;
        }
        // What `*` and `&` follow is a type, or they are operators.
        let ty = before.trim_end().trim_end_matches(['*', '&']).trim_end();
        let is_typed = ty.len() < before.len() && ty.ends_with(|c| is_word(c) || c == '>');
        let is_keyword = matches!(last_word(ty), "return" | "else" | "case" | "throw");
        is_typed
            && !is_keyword
            && after
                .trim_start()
                .starts_with([',', ')', '=', ';', '{', '['])
    })
}

/// The name before a launch's `<<<`: `name<<<` and `name<arguments><<<`.
fn launched(head: &str) -> &str {
    let head = head.trim_end();
    let head = match head.strip_suffix('>') {
        Some(_) => opening(head).map_or("", |open| head[..open].trim_end()),
        None => head,
    };
    last_word(head)
}

/// Where the `<` stands that the `>` at the end of the text closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' => depth += 1,
            b'<' => depth = depth.checked_sub(1)?,
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
    let start = text.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or("")
}

/// The name in `void __launch_bounds__(256) name<…>(…) {`, what stands in the parentheses, and whether a body follows.
fn kernel_name(text: &str) -> Option<(&str, &str, bool)> {
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
                let close = closing(rest)?;
                let (parameters, after) = (&rest[1..close - 1], rest[close..].trim_start());
                // `noexcept`, `requires …`
                let behind = after.find(['{', ';']);
                let has_body = behind.is_some_and(|at| after[at..].starts_with('{'));
                return last.map(|name| (name, parameters, has_body));
            }
            ('<', _) => rest = &rest[closing(rest)?..],
            (';' | '{' | '}', _) => return None,
            _ => rest = &rest[next.len_utf8()..],
        }
    }
}

/// The types of parameters as their words tell: without the names and defaults.
fn shape(parameters: &str) -> String {
    let one = |parameter: &str| {
        let parameter = parameter.split('=').next().unwrap_or_default();
        let all: Vec<&str> = words(parameter).collect();
        let is_named = all.len() > 1
            && !matches!(
                all.last(),
                Some(&("int" | "long" | "char" | "short" | "float" | "double"))
            );
        let typed = &all[..all.len() - usize::from(is_named)];
        let pointers = parameter.matches(['*', '&']).count();
        format!("{}{}", typed.join(" "), "*".repeat(pointers))
    };
    let all: Vec<String> = parameters.split(',').map(one).collect();
    all.join(",")
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
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Whether a character is part of a word.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Identifiers, keywords and whatever else consists of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
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

    fn check(text: &str, kernels: &[&str], wanted: &[&str]) {
        let found = Words::of(text);
        let plain = |names: &[Box<str>]| names.join(" ");
        assert_eq!(plain(&found.kernels), kernels.join(" "), "{text}");
        assert_eq!(plain(&found.wanted), wanted.join(" "), "{text}");
    }

    #[test]
    fn kernels_are_found_by_their_words() {
        check(
            "void run() { first<<<1, 2>>>(0); }\n\
             template <int N> __global__ void __launch_bounds__(N * (2)) first(int *p) {}\n\
             extern \"C\" static __global__ void second(float *q) {}\n\
             template <> __global__ void third<float>(float *q) {}\n\
             __global__ void elsewhere(float *q);\n\
             #define K __global__\n",
            &["first", "second", "third"],
            &["elsewhere"],
        );
    }

    #[test]
    fn launches_of_others_are_told_from_own_ones() {
        let own = "__global__ void mine(int n) {} __global__ void also(int n) {}";
        for (text, wanted) in [
            ("mine<<<1, 2>>>(3)", &[][..]),
            ("also<float, 4> <<<1, 2>>>(3); f(x < 3)", &[]),
            ("theirs<<<1, 2>>>(3)", &["theirs"]),
            ("theirs<A<B>><<<1, 2>>>(3)", &["theirs"]),
            ("cudaLaunchKernel((void *)f, mine)", &["f", "void"]),
            ("cuModuleGetFunction(&f, m, \"k_1\")", &["f", "k_1", "m"]),
            (
                "CUfunction f; cuModuleGetFunction(&f, (m, x), \"k\")",
                &["k", "m", "x"],
            ),
            (
                "void run(void *f) { cudaLaunchKernelExC(&c, f, 1, p); }",
                &["c"],
            ),
            ("auto f = &mine; f<<<1, 2>>>(3);", &[]),
            ("return f<<<1, 2>>>(3);", &["f"]),
            ("cudaLaunchConfig_t config;", &[]),
            ("__global__ void theirs(int n);", &[]),
        ] {
            check(&format!("{own} {text}"), &["also", "mine"], wanted);
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
