//! Texts without what a fix is not about.
//!
//! Given the kernels of a run, gives the text of a file without the definitions of other kernels, so that
//! it is read again in the time that the rest takes. Lines keep their numbers. Where it is not plain
//! where a definition begins, or a comment for this tool stands above it, only its body goes; one with a
//! directive or a launch stays, as it may change what follows.

use crate::finding::Edit;
use crate::fix;
use crate::ir::Program;
use crate::source::{FileId, SourceFile, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Words that a definition may begin with; another might be a macro that stands for itself.
const FIRST: [&str; 9] = [
    "__global__",
    "template",
    "static",
    "extern",
    "inline",
    "void",
    "__launch_bounds__",
    "__forceinline__",
    "__noinline__",
];

/// Marks of comments for this tool.
const FOR_US: [&str; 2] = ["cudalint:", "//@"];

/// The definitions of kernels, by file.
#[derive(Debug, Default)]
pub(in crate::session) struct Definitions(FxHashMap<PathBuf, OfFile>);

#[derive(Debug, Default)]
struct OfFile {
    /// In order, without overlap.
    all: Vec<Definition>,
    /// Stretches of definitions of which each begins to go where the one before ends.
    runs: Vec<Range<usize>>,
    /// By the word that names them: what is called may depend on all of one name.
    by_word: FxHashMap<String, Vec<usize>>,
}

#[derive(Debug)]
struct Definition {
    /// Where the name of its kernel begins.
    name: u32,
    word: String,
    /// The part that can be left out.
    cut: Range<usize>,
}

/// A file as it is read again.
pub(in crate::session) struct Rest {
    pub text: String,
    /// Everything that differs from the file, what was left out included; in order.
    pub edits: Vec<Edit>,
    /// Lines left out, and where in the text.
    pub left_out: Vec<(u32, u32)>,
}

impl Definitions {
    /// The definitions that may be left out.
    pub fn of(program: &Program, sources: &SourceMap) -> Self {
        let mut names: FxHashMap<&Path, (FileId, Vec<Range<usize>>)> = FxHashMap::default();
        for kernel in &program.kernels {
            let place = kernel.span.start as usize..kernel.span.end as usize;
            let path = sources.get(kernel.span.file).path.as_path();
            let (_, names) = names.entry(path).or_insert((kernel.span.file, Vec::new()));
            names.push(place);
        }
        let of = |(path, (file, mut names)): (&Path, (FileId, Vec<Range<usize>>))| {
            names.sort_unstable_by_key(|name| name.start);
            names.dedup();
            (
                path.to_path_buf(),
                OfFile::new(&sources.get(file).text, &names),
            )
        };
        Self(names.into_iter().map(of).collect())
    }

    /// `file` after `edits` of it in order, without the definitions of kernels whose names begin at
    /// none of `kept`. The file's number is `id`.
    pub fn rest(&self, file: &SourceFile, id: FileId, kept: &[u32], edits: &[Edit]) -> Rest {
        let known = self.0.get(&file.path).filter(|_| !file.is_partial());
        let cuts = known.map_or_else(Vec::new, |known| known.cuts(kept, edits));
        let lines = |cut: &Range<usize>| file.line(cut.end as u32) - file.line(cut.start as u32);
        let removed = cuts.iter().map(|cut| Edit {
            span: Span::new(id, cut.start as u32, cut.end as u32),
            replacement: String::new(),
        });
        let mut all: Vec<Edit> = edits.iter().cloned().chain(removed).collect();
        all.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let mut left_out = Vec::with_capacity(cuts.len());
        let mut moved = 0_i64;
        let mut next = cuts.iter().peekable();
        for edit in &all {
            let range = edit.span.start as usize..edit.span.end as usize;
            if next
                .peek()
                .is_some_and(|cut| **cut == range && edit.replacement.is_empty())
            {
                let at = i64::from(edit.span.start) + moved;
                left_out.push((u32::try_from(at).unwrap_or(0), lines(&range)));
                next.next();
            }
            moved += edit.replacement.len() as i64 - range.len() as i64;
        }
        Rest {
            text: fix::apply::replaced(&file.text, &all),
            edits: all,
            left_out,
        }
    }
}

impl OfFile {
    /// Of a text whose kernels have these names, in order.
    fn new(text: &str, names: &[Range<usize>]) -> Self {
        let blanked = fix::blank(text);
        let mut this = Self::default();
        let mut free = 0;
        for name in names {
            let Some(cut) = cut(text, &blanked, name, free) else {
                continue;
            };
            if cut.start < free {
                continue;
            }
            let at = this.all.len();
            match this.runs.last_mut() {
                Some(run) if free == cut.start && at > 0 => run.end = at + 1,
                _ => this.runs.push(at..at + 1),
            }
            free = cut.end;
            let word = text.get(name.clone()).unwrap_or("").to_owned();
            this.by_word.entry(word.clone()).or_default().push(at);
            this.all.push(Definition {
                name: name.start as u32,
                word,
                cut,
            });
        }
        this
    }

    /// The parts to leave out, in order.
    fn cuts(&self, kept: &[u32], edits: &[Edit]) -> Vec<Range<usize>> {
        let mut stays: FxHashSet<usize> = FxHashSet::default();
        for name in kept {
            if let Ok(at) = self.all.binary_search_by_key(name, |one| one.name) {
                stays.extend(self.by_word.get(&self.all[at].word).into_iter().flatten());
            }
        }
        for edit in edits {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            let first = self.all.partition_point(|one| one.cut.end < start);
            let touched = self.all[first..]
                .iter()
                .take_while(|one| one.cut.start <= end);
            stays.extend((first..).zip(touched).map(|(at, _)| at));
        }
        let mut stays: Vec<usize> = stays.into_iter().collect();
        stays.sort_unstable();
        let mut cuts = Vec::new();
        for run in &self.runs {
            let mut from = run.start;
            let first = stays.partition_point(|at| *at < run.start);
            let inside = stays[first..].iter().take_while(|at| run.contains(at));
            for stop in inside.copied().chain([run.end]) {
                if from < stop {
                    cuts.push(self.all[from].cut.start..self.all[stop - 1].cut.end);
                }
                from = stop + 1;
            }
        }
        cuts
    }
}

/// The part to leave out of the definition of the kernel with this name; nothing before `free`. `blanked` is the
/// text without comments and literals.
fn cut(text: &str, blanked: &str, name: &Range<usize>, free: usize) -> Option<Range<usize>> {
    let body = body(blanked, name.end)?;
    let inside = body.start + 1..body.end - 1;
    let holds = |what: &str| blanked[name.start..body.end].contains(what);
    if holds("#") || holds("<<<") {
        return None;
    }
    let Some(start) = start(text, blanked, name.start, free) else {
        return Some(inside);
    };
    // The blanks behind it, so that definitions in a row go in one piece.
    let rest = &blanked[body.end..];
    let end = body.end + rest.len() - rest.trim_start().len();
    if is_for_us(&text[body.end..end]) {
        return Some(start..body.end);
    }
    Some(start..end)
}

/// Where the definition begins whose name stands at `name`; `None` where that is not plain.
fn start(text: &str, blanked: &str, name: usize, free: usize) -> Option<usize> {
    let before = blanked.get(free..name)?;
    let mut start = free + before.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    // Directives end with their lines.
    let mut at = blanked[..start].rfind('\n').map_or(0, |at| at + 1);
    let mut continues = blanked[..at].trim_end_matches(['\n', '\r']).ends_with('\\');
    if continues {
        return None;
    }
    while at < name {
        let line = blanked[at..].split_inclusive('\n').next().unwrap_or("");
        let is_directive = continues || line.trim_start().starts_with('#');
        if is_directive {
            start = start.max(at + line.len());
        }
        continues = is_directive && line.trim_end().ends_with('\\');
        at += line.len().max(1);
    }
    let head = blanked.get(start..name)?;
    let first = start + head.len() - head.trim_start().len();
    let head = &blanked[first..name];
    let end = head.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
    let is_plain = FIRST.contains(&&head[..end])
        && head.contains("__global__")
        && !head.replace("::", "").contains(':');
    (is_plain && !is_for_us(&text[start..first])).then_some(first)
}

/// Whether comments in the text may be meant for this tool.
fn is_for_us(text: &str) -> bool {
    FOR_US.iter().any(|mark| text.contains(mark))
}

/// The body, braces included, of a function whose name ends at `end`, in a text without comments
/// and literals; `None` where something else follows than parameters and a body.
fn body(text: &str, end: usize) -> Option<Range<usize>> {
    let body = fix::body(text, end)?;
    let head = text[end..body.start].trim();
    (head.starts_with('(') && head.ends_with(')')).then_some(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_follow_the_parameters_of_a_name() {
        let text = "__global__ void k(int (*f)(int)) { if (a) { b; } } int x;";
        let found = body(text, text.find("(int (").expect("a place"));
        assert_eq!(found.map(|range| &text[range]), Some("{ if (a) { b; } }"));
        for text in ["k;", "k(int);", "k(int) : x {}", "k(int", "k(int) {"] {
            assert_eq!(body(text, 1), None, "{text}");
        }
    }

    /// What is left of a text of which the kernels named in `kept` stay; kernels are called `k…`.
    fn rest(text: &str, kept: &[&str]) -> String {
        let blanked = fix::blank(text);
        let mut names: Vec<Range<usize>> = Vec::new();
        for (at, _) in blanked.match_indices("void k") {
            let length = blanked[at + 5..].find('(').expect("parameters");
            names.push(at + 5..at + 5 + length);
        }
        let path = PathBuf::from("a.cu");
        let file = SourceFile::new(path.clone(), text.into());
        let kept: Vec<u32> = names
            .iter()
            .filter(|name| kept.contains(&&text[(*name).clone()]))
            .map(|name| name.start as u32)
            .collect();
        let all = Definitions(FxHashMap::from_iter([(
            path.clone(),
            OfFile::new(text, &names),
        )]));
        let rest = all.rest(&file, FileId(0), &kept, &[]);
        // Every line that is left has its number.
        let short = SourceFile::shortened(path, rest.text.as_str().into(), rest.left_out);
        for (at, _) in rest.text.match_indices("int line") {
            let line = rest.text[at + 8..].split(' ').next().unwrap_or("");
            assert_eq!(short.line(at as u32).to_string(), line, "{}", rest.text);
        }
        rest.text
    }

    #[test]
    fn other_definitions_go_whole() {
        let text = "#define A(x) { x; }\n__global__ void k1(int a) {\n  f();\n}\n\ntemplate <int N>\n\
                    __global__ void k2() { }\nint line8 = 0;\nstatic __global__ void k3() {\n}\nint line11 = 0;\n";
        assert_eq!(
            rest(text, &["k2"]),
            "#define A(x) { x; }\ntemplate <int N>\n__global__ void k2() { }\nint line8 = 0;\nint line11 = 0;\n"
        );
        assert_eq!(
            rest(text, &[]),
            "#define A(x) { x; }\nint line8 = 0;\nint line11 = 0;\n"
        );
    }

    #[test]
    fn what_may_mean_more_stays() {
        for (text, left) in [
            (
                "MACRO(1)\n__global__ void k1() { f(); }",
                "MACRO(1)\n__global__ void k1() {}",
            ),
            (
                "// cudalint: launch(32)\n__global__ void k1() { f(); }",
                "// cudalint: launch(32)\n__global__ void k1() {}",
            ),
            (
                "__global__ void k1() {\n#define X\n}",
                "__global__ void k1() {\n#define X\n}",
            ),
            (
                "__global__ void k1() { k2<<<1, 2>>>(); }",
                "__global__ void k1() { k2<<<1, 2>>>(); }",
            ),
            (
                "__global__ void k1() { } // cudalint: x\n",
                " // cudalint: x\n",
            ),
            (
                "#define B \\\n  {}\n__global__ void k1() { }",
                "#define B \\\n  {}\n__global__ void k1() {}",
            ),
        ] {
            assert_eq!(rest(text, &[]).trim_end(), left.trim_end(), "{text}");
        }
        let text = "__global__ void k1(int a) { }\n__global__ void k1(float a) { }\n";
        assert_eq!(rest(text, &["k1"]), text);
    }
}
