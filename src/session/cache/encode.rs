//! The form in which what was found in one part of a run is kept.
//!
//! Given findings, gives bytes that do not depend on the numbers that files have in this run; given
//! such bytes and the files of another run, gives the findings back.

use crate::contract::{AcceptedBy, Suppressed};
use crate::finding::{Edit, Evidence, Finding, Fix, Label, Level, RemarkKind, Safety};
use crate::gpu::Total;
use crate::ir::{Kernel, NotAnalysed, Omission};
use crate::prove::verdict::Access;
use crate::report::Counts;
use crate::report::not_followed::NotFollowed;
use crate::rules;
use crate::source::{FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The results for some units, as reports need them.
#[derive(Debug, Default)]
pub(in crate::session) struct Part {
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
    pub not_analysed: Vec<NotAnalysed>,
    pub not_followed: Vec<NotFollowed>,
    /// Whether the run was stopped before it; such a part is not written.
    pub is_left_out: bool,
    pub counts: Counts,
    /// Where a run keeps these, which are not written.
    pub accesses: Vec<Access>,
    pub kernels: Vec<Kernel>,
}

/// Function, place, reason.
/// Function, place, reason, and whether launches are left out.
type OfGap = (String, At, String, bool);

/// The place of a file in [`Record::files`], and bytes in it.
type At = (usize, u32, u32);

#[derive(Serialize, Deserialize)]
struct Record {
    files: Vec<PathBuf>,
    findings: Vec<OfFinding>,
    suppressed: Vec<OfSuppressed>,
    not_analysed: Vec<OfGap>,
    /// Kernel, place, accesses, places not followed.
    not_followed: Vec<(String, At, usize, Vec<OfGap>)>,
    /// In the order of [`Counts`].
    counts: [usize; 7],
}

#[derive(Serialize, Deserialize)]
struct OfFinding {
    code: String,
    level: u8,
    is_proved: bool,
    kernel: String,
    instance: String,
    array: String,
    message: String,
    primary: (At, String),
    secondary: Vec<(At, String)>,
    declaration: Option<At>,
    call: Option<At>,
    notes: Vec<(RemarkKind, String)>,
    fixes: Vec<OfFix>,
    cost: (u32, u32),
    /// Requests, cost, ideal.
    per_block: Option<(u64, u64, u64)>,
    weight: u64,
}

#[derive(Serialize, Deserialize)]
struct OfFix {
    title: String,
    safety: u8,
    is_whole: bool,
    edits: Vec<(At, String)>,
}

#[derive(Serialize, Deserialize)]
struct OfSuppressed {
    finding: OfFinding,
    /// The comment that accepts it.
    by: Option<At>,
    reason: String,
}

const LEVELS: [Level; 4] = [Level::Allow, Level::Info, Level::Warn, Level::Error];
const SAFETIES: [Safety; 3] = [Safety::Safe, Safety::Unsafe, Safety::Advice];

/// Bytes for a part. `None` where it has something that cannot be kept.
pub(in crate::session) fn write(part: &Part, sources: &SourceMap) -> Option<Vec<u8>> {
    let mut writer = Writer {
        sources,
        files: Vec::new(),
        places: FxHashMap::default(),
    };
    let counts = &part.counts;
    let record = Record {
        findings: part
            .findings
            .iter()
            .map(|finding| writer.finding(finding))
            .collect(),
        suppressed: part
            .suppressed
            .iter()
            .map(|one| OfSuppressed {
                finding: writer.finding(&one.finding),
                by: match one.by {
                    AcceptedBy::Comment(span) => Some(writer.at(span)),
                    AcceptedBy::Baseline => None,
                },
                reason: one.reason.clone(),
            })
            .collect(),
        not_analysed: part
            .not_analysed
            .iter()
            .map(|one| writer.gap(one))
            .collect(),
        not_followed: part
            .not_followed
            .iter()
            .map(|one| {
                let at = writer.at(one.span);
                let gaps = one.gaps.iter().map(|gap| writer.gap(gap)).collect();
                (one.kernel.clone(), at, one.accesses, gaps)
            })
            .collect(),
        counts: [
            counts.accesses,
            counts.ideal,
            counts.bad,
            counts.undecided,
            counts.merged,
            counts.data_dependent,
            counts.unknown,
        ],
        files: writer.files,
    };
    serde_json::to_vec(&record).ok()
}

/// The part that the bytes were written for. `None` where they are of another form, or speak of
/// files that this run has not read.
pub(in crate::session) fn read(
    bytes: &[u8],
    files: &FxHashMap<&Path, FileId>,
    sources: &SourceMap,
) -> Option<Part> {
    let record: Record = serde_json::from_slice(bytes).ok()?;
    let files: Vec<FileId> = record
        .files
        .iter()
        .map(|path| files.get(path.as_path()).copied())
        .collect::<Option<_>>()?;
    let reader = Reader { files, sources };
    let findings = record.findings.into_iter();
    let suppressed = record.suppressed.into_iter();
    let not_analysed = record.not_analysed.into_iter();
    let [
        accesses,
        ideal,
        bad,
        undecided,
        merged,
        data_dependent,
        unknown,
    ] = record.counts;
    Some(Part {
        accesses: Vec::new(),
        kernels: Vec::new(),
        is_left_out: false,
        findings: findings
            .map(|finding| reader.finding(finding))
            .collect::<Option<_>>()?,
        suppressed: suppressed
            .map(|one| {
                Some(Suppressed {
                    finding: reader.finding(one.finding)?,
                    by: match one.by {
                        Some(at) => AcceptedBy::Comment(reader.span(at)?),
                        None => AcceptedBy::Baseline,
                    },
                    reason: one.reason,
                })
            })
            .collect::<Option<_>>()?,
        not_analysed: not_analysed
            .map(|gap| reader.gap(gap))
            .collect::<Option<_>>()?,
        not_followed: record
            .not_followed
            .into_iter()
            .map(|(kernel, at, accesses, gaps)| {
                let gaps = gaps.into_iter();
                Some(NotFollowed {
                    kernel,
                    span: reader.span(at)?,
                    accesses,
                    gaps: gaps.map(|gap| reader.gap(gap)).collect::<Option<_>>()?,
                })
            })
            .collect::<Option<_>>()?,
        counts: Counts {
            accesses,
            ideal,
            bad,
            undecided,
            merged,
            data_dependent,
            unknown,
        },
    })
}

struct Writer<'a> {
    sources: &'a SourceMap,
    files: Vec<PathBuf>,
    places: FxHashMap<FileId, usize>,
}

impl Writer<'_> {
    fn at(&mut self, span: Span) -> At {
        let place = *self.places.entry(span.file).or_insert_with(|| {
            self.files.push(self.sources.get(span.file).path.clone());
            self.files.len() - 1
        });
        (place, span.start, span.end)
    }

    fn gap(&mut self, gap: &NotAnalysed) -> OfGap {
        let at = self.at(gap.span);
        let is_of_launches = gap.omission == Omission::Launches;
        (gap.function.clone(), at, gap.reason.clone(), is_of_launches)
    }

    fn label(&mut self, label: &Label) -> (At, String) {
        (self.at(label.span), label.text.clone())
    }

    fn finding(&mut self, finding: &Finding) -> OfFinding {
        OfFinding {
            code: finding.code.to_owned(),
            level: place(&LEVELS, finding.level),
            is_proved: finding.evidence == Evidence::Proved,
            kernel: finding.kernel.clone(),
            instance: finding.instance.clone(),
            array: finding.array.clone(),
            message: finding.message.clone(),
            primary: self.label(&finding.primary),
            secondary: finding
                .secondary
                .iter()
                .map(|label| self.label(label))
                .collect(),
            declaration: finding.declaration.map(|span| self.at(span)),
            call: finding.call.map(|span| self.at(span)),
            notes: finding
                .notes
                .iter()
                .map(|note| (note.kind, note.text.clone()))
                .collect(),
            fixes: finding.fixes.iter().map(|fix| self.fix(fix)).collect(),
            cost: (finding.cost, finding.ideal),
            per_block: finding
                .per_block
                .map(|sum| (sum.requests, sum.cost, sum.ideal)),
            weight: finding.weight,
        }
    }

    fn fix(&mut self, fix: &Fix) -> OfFix {
        let edit = |edit: &Edit| (self.at(edit.span), edit.replacement.clone());
        OfFix {
            title: fix.title.clone(),
            safety: place(&SAFETIES, fix.safety),
            is_whole: fix.is_whole,
            edits: fix.edits.iter().map(edit).collect(),
        }
    }
}

struct Reader<'a> {
    files: Vec<FileId>,
    sources: &'a SourceMap,
}

impl Reader<'_> {
    /// A place that its file has.
    fn span(&self, (file, start, end): At) -> Option<Span> {
        let file = *self.files.get(file)?;
        let text = &self.sources.get(file).text;
        text.get(start as usize..end as usize)?;
        Some(Span::new(file, start, end))
    }

    /// The place, if one was kept; `None` where it is no more.
    #[expect(
        clippy::option_option,
        reason = "a place that may not stand, of one that may not be"
    )]
    fn place(&self, kept: Option<At>) -> Option<Option<Span>> {
        kept.map_or(Some(None), |at| self.span(at).map(Some))
    }

    fn gap(&self, (function, at, reason, is_of_launches): OfGap) -> Option<NotAnalysed> {
        Some(NotAnalysed {
            function,
            span: self.span(at)?,
            reason,
            omission: if is_of_launches {
                Omission::Launches
            } else {
                Omission::Text
            },
        })
    }

    fn label(&self, (at, text): (At, String)) -> Option<Label> {
        Some(Label {
            span: self.span(at)?,
            text,
        })
    }

    fn finding(&self, kept: OfFinding) -> Option<Finding> {
        let rule = rules::find(&kept.code)?;
        let secondary = kept.secondary.into_iter();
        let fixes = kept.fixes.into_iter();
        Some(Finding {
            code: rule.code,
            rule: rule.name,
            level: *LEVELS.get(usize::from(kept.level))?,
            evidence: if kept.is_proved {
                Evidence::Proved
            } else {
                Evidence::Possible
            },
            kernel: kept.kernel,
            instance: kept.instance,
            array: kept.array,
            message: kept.message,
            primary: self.label(kept.primary)?,
            secondary: secondary
                .map(|label| self.label(label))
                .collect::<Option<_>>()?,
            declaration: self.place(kept.declaration)?,
            call: self.place(kept.call)?,
            notes: kept
                .notes
                .into_iter()
                .map(|(kind, text)| kind.remark(text))
                .collect(),
            fixes: fixes.map(|fix| self.fix(fix)).collect::<Option<_>>()?,
            cost: kept.cost.0,
            ideal: kept.cost.1,
            per_block: kept.per_block.map(|(requests, cost, ideal)| Total {
                requests,
                cost,
                ideal,
            }),
            weight: kept.weight,
            siblings: Vec::new(),
            is_slight: false,
        })
    }

    fn fix(&self, kept: OfFix) -> Option<Fix> {
        let edit = |(at, replacement): (At, String)| {
            Some(Edit {
                span: self.span(at)?,
                replacement,
            })
        };
        Some(Fix {
            title: kept.title,
            safety: *SAFETIES.get(usize::from(kept.safety))?,
            is_whole: kept.is_whole,
            edits: kept.edits.into_iter().map(edit).collect::<Option<_>>()?,
        })
    }
}

/// The place of one of a few things in the list of all.
fn place<T: PartialEq>(all: &[T], one: T) -> u8 {
    let at = all.iter().position(|other| *other == one);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}
