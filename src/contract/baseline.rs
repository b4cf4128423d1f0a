//! Findings that were there before, and how bad they were.
//!
//! Given the findings of one run, gives a record that survives moved lines; given a
//! record and the findings of another run, tells what is new, what got worse and what
//! is gone. Keys are rule, file, kernel, array and the access as written, without blanks.
//! Knows nothing of files on disk.

use super::{AcceptedBy, Suppressed};
use crate::finding::{Finding, RemarkKind};
use crate::source::SourceMap;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

/// Name and version of the format.
pub const SCHEMA: &str = "cudalint.baseline/1";

/// How a file is called in the record.
pub type Name<'a> = &'a dyn Fn(&Path) -> String;

/// Findings by what they are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The costs of findings that agree in everything else, worst first.
    entries: BTreeMap<Key, Vec<Cost>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    kernel: String,
    rule: String,
    array: String,
    access: String,
}

/// Wavefronts or sectors of the worst request, and its ideal; zeros for rules that count neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    cost: u32,
    ideal: u32,
}

impl Cost {
    /// By degree: a 4-way conflict is worse than a 2-way one, whatever the width.
    fn degree(self, other: Cost) -> Ordering {
        let (a, b) = (self, other);
        let product = |x: u32, y: u32| u64::from(x) * u64::from(y.max(1));
        product(a.cost, b.ideal).cmp(&product(b.cost, a.ideal))
    }
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    findings: Vec<Record>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    rule: String,
    file: String,
    kernel: String,
    array: String,
    access: String,
    cost: u32,
    ideal: u32,
}

/// Findings set against a record.
#[derive(Debug, Default)]
pub struct Compared {
    /// New, or worse than recorded; in the order given.
    pub new: Vec<Finding>,
    pub accepted: Vec<Suppressed>,
    /// Entries that no finding matches any more.
    pub gone: usize,
    /// The record without what is gone, at today's degrees where those are lower.
    pub pruned: Baseline,
}

impl Baseline {
    /// Records `findings`.
    #[must_use]
    pub fn of(findings: &[Finding], sources: &SourceMap, name: Name) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            let list = baseline
                .entries
                .entry(key(finding, sources, name))
                .or_default();
            list.push(cost(finding));
        }
        baseline.sorted()
    }

    fn sorted(mut self) -> Self {
        for costs in self.entries.values_mut() {
            costs.sort_by(|a, b| b.degree(*a));
        }
        self
    }

    /// Number of findings recorded.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.values().map(Vec::len).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets `findings` against the record: of several with one key the worst meets the worst.
    #[must_use]
    pub fn compare(&self, findings: Vec<Finding>, sources: &SourceMap, name: Name) -> Compared {
        let mut groups: BTreeMap<Key, Vec<(usize, Finding)>> = BTreeMap::new();
        for (at, finding) in findings.into_iter().enumerate() {
            let group = groups.entry(key(&finding, sources, name)).or_default();
            group.push((at, finding));
        }
        let mut compared = Compared::default();
        let mut new: Vec<(usize, Finding)> = Vec::new();
        let mut met = 0;
        for (key, mut group) in groups {
            group.sort_by(|a, b| cost(&b.1).degree(cost(&a.1)));
            let known = self.entries.get(&key).map_or(&[][..], Vec::as_slice);
            met += known.len().min(group.len());
            let mut kept = Vec::new();
            for (nth, (at, mut finding)) in group.into_iter().enumerate() {
                let today = cost(&finding);
                match known.get(nth) {
                    Some(before) if today.degree(*before).is_gt() => {
                        finding
                            .notes
                            .push(RemarkKind::Ratchet.remark(worse(*before)));
                        new.push((at, finding));
                        kept.push(*before);
                    }
                    Some(before) => {
                        kept.push(if today.degree(*before).is_lt() {
                            today
                        } else {
                            *before
                        });
                        compared.accepted.push(Suppressed {
                            finding,
                            by: AcceptedBy::Baseline,
                            reason: "in the baseline".to_owned(),
                        });
                    }
                    None => new.push((at, finding)),
                }
            }
            if !kept.is_empty() {
                compared.pruned.entries.insert(key, kept);
            }
        }
        new.sort_by_key(|(at, _)| *at);
        compared.new = new.into_iter().map(|(_, finding)| finding).collect();
        compared.gone = self.len() - met;
        compared.pruned = compared.pruned.sorted();
        compared
    }

    /// As a file: one finding a line, sorted, so that changes merge and read well.
    #[must_use]
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = self
            .entries
            .iter()
            .flat_map(|(key, costs)| costs.iter().map(move |cost| (key, cost)))
            .map(|(key, cost)| {
                let record = Record {
                    rule: key.rule.clone(),
                    file: key.file.clone(),
                    kernel: key.kernel.clone(),
                    array: key.array.clone(),
                    access: key.access.clone(),
                    cost: cost.cost,
                    ideal: cost.ideal,
                };
                // Strings and numbers always serialise.
                format!("    {}", serde_json::to_string(&record).unwrap_or_default())
            })
            .collect();
        let list = if lines.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\n{}\n  ]", lines.join(",\n"))
        };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": {list}\n}}\n")
    }

    /// # Errors
    /// What is wrong with the text, as the end of a sentence.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let document: Document = serde_json::from_str(text).map_err(|error| {
            format!("is no baseline ({error}); `cudalint baseline write` makes one")
        })?;
        if document.schema != SCHEMA {
            return Err(format!(
                "has the schema `{}`, and this version reads `{SCHEMA}`; write it again",
                document.schema
            ));
        }
        let mut baseline = Self::default();
        for record in document.findings {
            let key = Key {
                file: record.file,
                kernel: record.kernel,
                rule: record.rule,
                array: record.array,
                access: record.access,
            };
            baseline.entries.entry(key).or_default().push(Cost {
                cost: record.cost,
                ideal: record.ideal,
            });
        }
        Ok(baseline.sorted())
    }

    /// Whether a text is a record, of this version or another.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        let document: Option<serde_json::Value> = serde_json::from_str(text).ok();
        let schema = document
            .as_ref()
            .and_then(|document| document.get("schema")?.as_str());
        schema.is_some_and(|schema| schema.starts_with("cudalint.baseline/"))
    }
}

fn cost(finding: &Finding) -> Cost {
    Cost {
        cost: finding.cost,
        ideal: finding.ideal,
    }
}

fn worse(before: Cost) -> String {
    format!(
        "ratchet: the baseline has {} per request (ideal {}); this is worse",
        before.cost, before.ideal
    )
}

fn key(finding: &Finding, sources: &SourceMap, name: Name) -> Key {
    let span = finding.primary.span;
    let access = sources.text(span);
    Key {
        file: name(&sources.get(span.file).path),
        kernel: finding.kernel.clone(),
        rule: finding.code.to_owned(),
        array: finding.array.clone(),
        access: access.chars().filter(|c| !c.is_whitespace()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Evidence, Label, Level};
    use crate::source::Span;

    const TEXT: &str = "s[ t ] s[t] g[t]";

    fn finding(start: u32, end: u32, cost: u32) -> Finding {
        Finding {
            code: "CL101",
            rule: "bank-conflict",
            level: Level::Warn,
            evidence: Evidence::Proved,
            kernel: "k".to_owned(),
            instance: String::new(),
            array: "s".to_owned(),
            message: String::new(),
            primary: Label {
                span: Span::new(crate::source::FileId(0), start, end),
                text: String::new(),
            },
            secondary: Vec::new(),
            declaration: None,
            call: None,
            notes: Vec::new(),
            fixes: Vec::new(),
            cost,
            ideal: 1,
            per_block: None,
            weight: 0,
            siblings: Vec::new(),
            is_slight: false,
        }
    }

    fn sources() -> SourceMap {
        let mut sources = SourceMap::default();
        sources.add("a.cu", TEXT);
        sources
    }

    fn name(path: &Path) -> String {
        path.display().to_string()
    }

    fn costs(findings: &[Finding]) -> Vec<u32> {
        findings.iter().map(|finding| finding.cost).collect()
    }

    #[test]
    fn what_moved_is_known_and_what_got_worse_is_not() {
        let sources = sources();
        let before = Baseline::of(&[finding(0, 6, 2), finding(12, 16, 8)], &sources, &name);
        let again = |cost| vec![finding(7, 11, cost)];
        assert_eq!(before.compare(again(2), &sources, &name).new.len(), 0);
        let worse = before.compare(again(4), &sources, &name);
        assert_eq!((costs(&worse.new), worse.gone), (vec![4], 1));
        assert!(worse.new[0].notes[0].kind == RemarkKind::Ratchet);
    }

    #[test]
    fn a_second_one_like_it_is_new() {
        let sources = sources();
        let before = Baseline::of(&[finding(0, 6, 4)], &sources, &name);
        let both = vec![finding(0, 6, 2), finding(7, 11, 3)];
        let compared = before.compare(both, &sources, &name);
        assert_eq!(
            (costs(&compared.new), compared.accepted.len()),
            (vec![2], 1)
        );
    }

    #[test]
    fn pruning_takes_what_is_gone_and_lowers_degrees() {
        let sources = sources();
        let before = Baseline::of(&[finding(0, 6, 4), finding(12, 16, 8)], &sources, &name);
        let pruned = before
            .compare(vec![finding(0, 6, 2)], &sources, &name)
            .pruned;
        assert_eq!(pruned, Baseline::of(&[finding(0, 6, 2)], &sources, &name));
        let read = Baseline::from_text(&pruned.to_text());
        assert_eq!(read, Ok(pruned));
    }
}
