//! A second opinion on findings: the compiler's own machine code.
//!
//! Given findings about accesses, compiles their kernels with NVRTC, without a GPU, and says of each
//! whether the machine code has such an access, a wider one in its place, or none. Runs nothing of
//! what it compiles.

pub mod compile;
mod machine_code;

use crate::finding::{Finding, Level};
use crate::gpu::cost::Op;
use crate::gpu::{Arch, Space};
use crate::prove::verdict::Access;
use crate::rules;
use crate::source::SourceMap;
use compile::{Compiled, Request};
use machine_code::MachineAccess;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The compiler's version of the access that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// Accesses of the width that the finding speaks of.
    Confirmed { count: usize, width: u32 },
    /// Some such accesses, and wider ones, so many in all.
    InPart { count: usize, of: usize },
    /// Wider ones alone, of so many bytes.
    Merged { width: u32 },
    /// None on this line, nor any that might count elsewhere.
    Eliminated,
    /// None on this line; some count under lines of the toolkit's headers, where it may be among them.
    NotSeen,
    /// Why the compiler says nothing.
    NotCompiled(String),
}

/// Who is asked about what.
pub struct Question<'a> {
    pub accesses: &'a [Access],
    pub sources: &'a SourceMap,
    /// Files that may be compiled, each by itself.
    pub files: &'a [PathBuf],
    pub includes: &'a [PathBuf],
    pub arch: Arch,
}

/// The access of a finding, as machine code may show it.
struct Wanted {
    finding: usize,
    /// Name and template arguments.
    kernel: String,
    /// Where it stands, first and last line.
    path: PathBuf,
    lines: (u32, u32),
    space: Space,
    op: Op,
    /// Bytes per lane.
    width: u32,
}

/// Adds the compiler's opinion to the notes of each finding about an access; what it denies is at most
/// worth an information. Gives the opinions, by finding.
pub fn ask(findings: &mut [Finding], question: &Question) -> Vec<(usize, Opinion)> {
    let mut open = wanted(findings, question);
    let mut opinions: BTreeMap<usize, Opinion> = BTreeMap::new();
    let files: Vec<PathBuf> = question.files.iter().map(|file| whole(file)).collect();
    let sources = question.sources.iter();
    let known: FxHashSet<PathBuf> = sources.map(|(_, file)| whole(&file.path)).collect();
    // A file that does not compile by itself may be part of another one.
    let passes = [is_own as fn(&Path, &Wanted) -> bool, may_include];
    for (may_hold, file) in passes
        .iter()
        .flat_map(|pass| files.iter().map(move |file| (pass, file)))
    {
        let own: Vec<&Wanted> = open.iter().filter(|one| may_hold(file, one)).collect();
        if own.is_empty() {
            continue;
        }
        let mut kernels: Vec<String> = own.iter().map(|one| one.kernel.clone()).collect();
        kernels.sort();
        kernels.dedup();
        let compiled = compile::apart(&Request {
            file: file.clone(),
            includes: question.includes.to_vec(),
            arch: question.arch,
            kernels: kernels.clone(),
        });
        for one in own {
            let opinion = match &compiled {
                Ok(compiled) => of(one, &kernels, compiled, &known),
                Err(reason) => Opinion::NotCompiled(reason.clone()),
            };
            let is_better = !matches!(opinion, Opinion::NotCompiled(_));
            if is_better || !opinions.contains_key(&one.finding) {
                opinions.insert(one.finding, opinion);
            }
        }
        open.retain(|one| {
            matches!(
                opinions.get(&one.finding),
                None | Some(Opinion::NotCompiled(_))
            )
        });
    }
    for one in open {
        let reason = || Opinion::NotCompiled("no file of this run compiles its kernel".to_owned());
        opinions.entry(one.finding).or_insert_with(reason);
    }
    for (at, opinion) in &opinions {
        let finding = &mut findings[*at];
        finding.notes.push(opinion.text(question.arch).into());
        if let Opinion::Merged { .. } | Opinion::Eliminated = opinion {
            finding.level = finding.level.min(Level::Info);
        }
    }
    opinions.into_iter().collect()
}

/// The path by which a compiler names a file; a file in memory alone has no other name.
fn whole(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn wanted(findings: &[Finding], question: &Question) -> Vec<Wanted> {
    let of_finding = |(at, finding): (usize, &Finding)| {
        let space = rules::find(finding.code)?.space?;
        let access = question.accesses.iter().find(|access| {
            access.site.span == finding.primary.span
                && access.op != Op::Atomic
                && *access.kernel == *finding.kernel
                && *access.instance == *finding.instance
                && access.space == space
        })?;
        let span = access.site.line;
        let file = question.sources.get(span.file);
        Some(Wanted {
            finding: at,
            kernel: format!("{}{}", finding.kernel, finding.instance),
            path: whole(&file.path),
            lines: (
                file.line(span.start),
                file.line(span.end.max(span.start + 1) - 1),
            ),
            space,
            op: access.op,
            width: access.machine_width(),
        })
    };
    findings.iter().enumerate().filter_map(of_finding).collect()
}

/// A header may be part of any file.
fn is_own(file: &Path, wanted: &Wanted) -> bool {
    let is_unit = wanted.path.extension().is_some_and(|one| one == "cu");
    !is_unit || file == wanted.path
}

/// Whether another file beside it, or above it, may include it.
fn may_include(file: &Path, wanted: &Wanted) -> bool {
    let folder = file.parent();
    !is_own(file, wanted) && folder.is_some_and(|folder| wanted.path.starts_with(folder))
}

/// `known` are the files of the run.
fn of(
    wanted: &Wanted,
    kernels: &[String],
    compiled: &Compiled,
    known: &FxHashSet<PathBuf>,
) -> Opinion {
    let at = kernels.iter().position(|kernel| *kernel == wanted.kernel);
    let function = at.and_then(|at| compiled.functions.get(at)?.as_ref());
    let Some(function) = function else {
        let reason = match compiled.complaint.as_str() {
            "" => "the kernel is not in the compiler's output",
            complaint => complaint,
        };
        return Opinion::NotCompiled(reason.to_owned());
    };
    let (first, last) = wanted.lines;
    let of_kind = || {
        compiled.accesses.iter().filter(|access| {
            access.function == *function && (access.space, access.op) == (wanted.space, wanted.op)
        })
    };
    let here =
        of_kind().filter(|one| (first..=last).contains(&one.line) && one.file == wanted.path);
    let widths: Vec<u32> = here.map(|one| one.width).collect();
    let is_of_toolkit = |one: &MachineAccess| !known.contains(&one.file);
    let same = widths
        .iter()
        .filter(|width| **width <= wanted.width)
        .count();
    match (widths.iter().max(), same) {
        (None, _) if of_kind().any(is_of_toolkit) => Opinion::NotSeen,
        (None, _) => Opinion::Eliminated,
        (Some(width), 0) => Opinion::Merged { width: *width },
        (Some(_), count) if count == widths.len() => Opinion::Confirmed {
            count,
            width: wanted.width,
        },
        (Some(_), count) => Opinion::InPart {
            count,
            of: widths.len(),
        },
    }
}

impl Opinion {
    fn text(&self, arch: Arch) -> String {
        match self {
            Self::Confirmed { count: 1, width } => {
                format!("confirmed: NVRTC makes one access of {width} bytes of it for {arch}")
            }
            Self::Confirmed { count, width } => {
                format!("confirmed: NVRTC makes {count} accesses of {width} bytes of it for {arch}")
            }
            Self::InPart { count, of } => format!(
                "confirmed in part: of {of} accesses that NVRTC makes here for {arch}, {count} are as narrow"
            ),
            Self::Merged { width } => {
                format!("merged away: NVRTC makes accesses of {width} bytes of it for {arch}")
            }
            Self::Eliminated => {
                format!(
                    "eliminated: NVRTC's code for {arch} has no such access on this line; it was dropped, or is part of one on another line"
                )
            }
            Self::NotSeen => format!(
                "not seen: NVRTC's code for {arch} names no such access on this line; it may count under one of the toolkit's headers"
            ),
            Self::NotCompiled(reason) => format!("not compiled by NVRTC: {reason}"),
        }
    }
}

/// `of 12 findings, NVRTC confirms 9, merges 1 away, eliminates 1, does not show 0, does not compile 1`.
#[must_use]
pub fn summary(opinions: &[(usize, Opinion)]) -> String {
    let count = |is: fn(&Opinion) -> bool| opinions.iter().filter(|(_, one)| is(one)).count();
    format!(
        "of {} findings about loads and stores, NVRTC confirms {}, merges {} away, eliminates {}, does not show {}, does not compile {}",
        opinions.len(),
        count(|one| matches!(one, Opinion::Confirmed { .. } | Opinion::InPart { .. })),
        count(|one| matches!(one, Opinion::Merged { .. })),
        count(|one| matches!(one, Opinion::Eliminated)),
        count(|one| matches!(one, Opinion::NotSeen)),
        count(|one| matches!(one, Opinion::NotCompiled(_))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(width: u32) -> Wanted {
        Wanted {
            finding: 0,
            kernel: "k".to_owned(),
            path: PathBuf::from("/a.cu"),
            lines: (4, 5),
            space: Space::Shared,
            op: Op::Load,
            width,
        }
    }

    fn opinion(found: &[(u32, u32)], width: u32) -> Opinion {
        let access = |line, width| MachineAccess {
            function: "_Z1kv".to_owned(),
            file: PathBuf::from("/a.cu"),
            line,
            space: Space::Shared,
            op: Op::Load,
            width,
        };
        let compiled = Compiled {
            functions: vec![Some("_Z1kv".to_owned())],
            accesses: found
                .iter()
                .map(|(line, width)| access(*line, *width))
                .collect(),
            ..Compiled::default()
        };
        let known = [PathBuf::from("/a.cu")].into_iter().collect();
        of(&wanted(width), &["k".to_owned()], &compiled, &known)
    }

    #[test]
    fn widths_on_the_lines_decide() {
        let merged = Opinion::Merged { width: 16 };
        let confirmed = Opinion::Confirmed { count: 2, width: 4 };
        assert_eq!(opinion(&[(3, 4), (6, 4)], 4), Opinion::Eliminated);
        assert_eq!(opinion(&[(4, 16), (6, 4)], 4), merged);
        assert_eq!(opinion(&[(4, 4), (5, 4)], 4), confirmed);
        let part = Opinion::InPart { count: 1, of: 2 };
        assert_eq!(opinion(&[(4, 4), (5, 8)], 4), part);
    }

    #[test]
    fn what_did_not_compile_says_why() {
        let compiled = Compiled {
            functions: vec![None],
            complaint: "`x` is undefined".to_owned(),
            ..Compiled::default()
        };
        let reason = Opinion::NotCompiled("`x` is undefined".to_owned());
        let found = of(
            &wanted(4),
            &["k".to_owned()],
            &compiled,
            &FxHashSet::default(),
        );
        assert_eq!(found, reason);
    }
}
