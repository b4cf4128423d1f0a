//! Why a kernel has no launch: what the texts say of its name.
//!
//! Given the kernels without a launch and the launches of a run; looks for the names in the texts that were
//! read, nearest files first. A name that a bracket follows is a declaration: kernels are not called.

use super::PlaceRecord;
use crate::fix::{blank, is_word};
use crate::ir::Program;
use crate::report::place;
use crate::source::{Canonical, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Calls that launch the kernel among their arguments.
const ENDS_OF_LAUNCH_CALLS: [&str; 2] = ["LaunchKernel", "LaunchCooperativeKernel"];

/// What is known of a kernel's name where nothing launches the kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Absence {
    /// A launch that no run of the program gets to.
    Unreached(Span),
    /// The launches of its name mean another kernel.
    OfAnother(Span),
    /// Named by text that the preprocessor leaves out, or by a macro that nothing expands.
    LeftOut(Span),
    /// Named otherwise.
    Named(Span),
    /// Named in a file that is not read only.
    Unread,
    Nowhere,
}

impl Absence {
    /// Whether a launch that is not followed may be one of the kernel.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Named(_) | Self::Unread | Self::Nowhere)
    }

    /// The kind, for counts.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Unreached(_) => "no run gets to the launch",
            Self::OfAnother(_) => "the launches of the name mean another kernel",
            Self::LeftOut(_) => "the launch is not compiled",
            Self::Named(_) => "what becomes of the name is not followed",
            Self::Unread => "a file that is not read names it",
            Self::Nowhere => "nothing in the files given names it",
        }
    }

    pub fn reason(self, sources: &SourceMap) -> String {
        let at = |span: Span| {
            let place = place(sources, span);
            let record = PlaceRecord {
                file: place.file(),
                line: place.start.line,
            };
            format!("{}:{}", record.file, record.line)
        };
        match self {
            Self::Unreached(span) => format!("no run gets to its launch at {}", at(span)),
            Self::OfAnother(span) => {
                format!(
                    "the launch of its name at {} means another kernel",
                    at(span)
                )
            }
            Self::LeftOut(span) => format!("its launch at {} is not compiled", at(span)),
            Self::Named(span) => format!(
                "it is named at {}, and what becomes of it there is not followed",
                at(span)
            ),
            Self::Unread | Self::Nowhere => self.kind().to_owned(),
        }
    }
}

/// Where names stand in the texts of a run.
pub(super) struct Mentions<'a> {
    sources: &'a SourceMap,
    /// By the kernel's name without namespaces.
    by_name: FxHashMap<&'a str, Vec<Mention>>,
}

struct Mention {
    span: Span,
    absence: fn(Span) -> Absence,
}

impl<'a> Mentions<'a> {
    /// Where the texts mention these kernels, without their own declarations.
    pub fn of(
        kernels: impl Iterator<Item = &'a str>,
        program: &Program,
        sources: &'a SourceMap,
    ) -> Self {
        let mut by_name: FxHashMap<&str, Vec<Mention>> =
            kernels.map(|name| (plain(name), Vec::new())).collect();
        let canonical = Canonical::of(sources);
        let known = Launched::of(program, &canonical);
        for (id, file) in sources.iter() {
            if by_name.is_empty() || canonical.id(id) != id {
                continue;
            }
            let text = blank(&file.text);
            let mut rest = 0;
            while let Some(start) = text[rest..].find(is_word).map(|at| rest + at) {
                let word = &text[start..];
                let length = word.find(|c| !is_word(c)).unwrap_or(word.len());
                rest = start + length;
                let Some(mentions) = by_name.get_mut(&word[..length]) else {
                    continue;
                };
                let span = Span::new(id, start as u32, rest as u32);
                if let Some(absence) = known.says(span, &text) {
                    mentions.push(Mention { span, absence });
                }
            }
        }
        Self { sources, by_name }
    }

    /// Why a kernel of this name, defined here, has no launch.
    pub fn why(&self, name: &str, defined: Span) -> Absence {
        let folder = |file: FileId| {
            self.sources
                .get(file)
                .path
                .parent()
                .unwrap_or(Path::new(""))
        };
        let home = folder(defined.file);
        let nearness = |mention: &Mention| {
            if mention.span.file == defined.file {
                return 2;
            }
            u8::from(folder(mention.span.file) == home)
        };
        let told = self.by_name.get(plain(name)).into_iter().flatten();
        // Another program may have a kernel of the name.
        let absences = told.filter_map(|mention| {
            let absence = (mention.absence)(mention.span);
            let is_near = nearness(mention) > 0;
            let may_be_far = !matches!(absence, Absence::OfAnother(_));
            (is_near || may_be_far).then_some((!is_near, absence))
        });
        absences
            .min()
            .map_or(Absence::Nowhere, |(_, absence)| absence)
    }
}

/// The launches of a run, by place.
struct Launched {
    sites: FxHashMap<FileId, Vec<(u32, u32)>>,
    unreached: FxHashMap<FileId, Vec<(u32, u32)>>,
}

impl Launched {
    fn of(program: &Program, canonical: &Canonical<'_>) -> Self {
        let by_file = |spans: &mut dyn Iterator<Item = Span>| {
            let mut out: FxHashMap<FileId, Vec<(u32, u32)>> = FxHashMap::default();
            let mut seen = FxHashSet::default();
            for span in spans.map(|span| canonical.span(span)) {
                if seen.insert(span) {
                    out.entry(span.file)
                        .or_default()
                        .push((span.start, span.end));
                }
            }
            out
        };
        let sites = program.launch_sites.iter();
        let mut sites = sites.flat_map(|site| site.launch.span.iter().chain(&site.also).copied());
        Self {
            sites: by_file(&mut sites),
            unreached: by_file(&mut program.unreached.iter().copied()),
        }
    }

    /// What a word says that is a kernel's name; nothing where it declares or defines something.
    fn says(&self, span: Span, text: &str) -> Option<fn(Span) -> Absence> {
        let is_in = |places: &FxHashMap<FileId, Vec<(u32, u32)>>| {
            let mut all = places.get(&span.file).into_iter().flatten();
            all.any(|(start, end)| *start <= span.start && span.end <= *end)
        };
        if is_in(&self.unreached) {
            return Some(Absence::Unreached);
        }
        let behind = past_arguments(&text[span.end as usize..]);
        if behind.starts_with('(') || is_member(&text[..span.start as usize]) {
            return None;
        }
        if is_in(&self.sites) {
            return Some(Absence::OfAnother);
        }
        let is_launch = behind.starts_with("<<<") || is_launched(&text[..span.start as usize]);
        Some(if is_launch {
            Absence::LeftOut
        } else {
            Absence::Named
        })
    }
}

/// The text behind template arguments.
fn past_arguments(text: &str) -> &str {
    let text = text.trim_start();
    if !text.starts_with('<') || text.starts_with("<<<") {
        return text;
    }
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            ';' | '{' => return text,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
    }
    text
}

/// Whether a name stands behind `.` or `->`.
fn is_member(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with('.') || before.ends_with("->")
}

/// Whether the call around a name launches kernels.
fn is_launched(before: &str) -> bool {
    let mut depth = 0usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let callee = before[..at].trim_end();
                let start = callee.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
                return ENDS_OF_LAUNCH_CALLS
                    .iter()
                    .any(|call| callee[start..].contains(call));
            }
            '(' => depth -= 1,
            ';' | '{' | '}' => return false,
            _ => {}
        }
    }
    false
}

pub(super) fn plain(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
