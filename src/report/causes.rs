//! One finding per cause: siblings, unrolled copies and generated families tell of one decision.
//!
//! Given findings, puts those together that one change would mend: accesses of one array that one
//! kernel makes in one way, all arrays of global memory along which its lanes run alike, what one call does to an array
//! in all instances of what it calls, and the same line in files of a folder whose kernels are named alike. The one that wastes most leads, the others are listed with it. Knows nothing of output formats.

use super::visible;
use crate::finding::{Finding, Fix, Safety, Sibling};
use crate::gpu::Space;
use crate::rules;
use crate::source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

/// Files of a folder with the same line that are a family; of fewer, each is told of.
const FAMILY: usize = 3;
/// Fixes of one finding.
const MOST_FIXES: usize = 8;
/// Siblings that the words of the first one name.
const MOST_NAMED: usize = 4;

/// The findings that lead, in the order given.
#[must_use]
pub fn fold(findings: Vec<Finding>, sources: &SourceMap) -> Vec<Finding> {
    let of_kernel = |finding: &Finding, array: &str| {
        format!(
            "{}\0{:?}\0{}\0{}\0{array}\0{}",
            finding.code,
            finding.level,
            sources.get(home(finding).file).path.display(),
            finding.kernel,
            tag(finding)
        )
    };
    let findings = group_findings(findings, |finding| of_kernel(finding, named_array(finding)));
    let findings = group_findings(findings, |finding| {
        of_kernel(finding, &array(finding, sources))
    });
    let findings = group_findings(findings, |finding| of_call(finding, sources));
    let family = |finding: &Finding| {
        let file = sources.get(finding.primary.span.file);
        let line = file.line_text(file.line(finding.primary.span.start));
        format!(
            "{}\0{:?}\0{}\0{}\0{}\0{}\0{}",
            finding.code,
            finding.level,
            file.path.parent().unwrap_or(&file.path).display(),
            stem(&finding.kernel),
            without_numbers(named_array(finding)),
            tag(finding),
            without_numbers(line.trim())
        )
    };
    let mut sizes: FxHashMap<String, FxHashSet<PathBuf>> = FxHashMap::default();
    for finding in &findings {
        let file = sources.get(finding.primary.span.file);
        let files = sizes.entry(family(finding)).or_default();
        files.insert(file.path.to_path_buf());
    }
    let mut findings = group_findings(findings, |finding| {
        let key = family(finding);
        if sizes.get(&key).is_some_and(|files| files.len() >= FAMILY) {
            return key;
        }
        let file = sources.get(finding.primary.span.file);
        format!(
            "{key}\0{}\0{}",
            without_numbers(&finding.kernel),
            file.path.display()
        )
    });
    for finding in &mut findings {
        if let Some(note) = note(finding, sources) {
            finding.notes.push(note.into());
        }
    }
    findings
}

/// What one call does to one array of global memory: the instances of the helper that it chooses among differ in
/// how far lanes are apart only.
fn of_call(finding: &Finding, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let told = match (space(finding), finding.call) {
        (Some(Space::Global), Some(call)) => {
            let op = finding.primary.text.split(':').next();
            format!("{} {} {op:?}", call.start, call.end)
        }
        _ => format!("{}\0{} {}", finding.message, span.start, span.end),
    };
    format!(
        "{}\0{:?}\0{}\0{}\0{}\0{told}",
        finding.code,
        finding.level,
        sources.get(home(finding).file).path.display(),
        finding.kernel,
        finding.array
    )
}

/// The array that decides: what a helper function does with one is decided where it is called, whatever it
/// calls its parts.
fn array(finding: &Finding, sources: &SourceMap) -> String {
    let home = home(finding);
    match space(finding) {
        Some(Space::Shared) if home != finding.primary.span => {
            let declared = finding.declaration.map_or_else(
                || finding.array.clone(),
                |span| format!("{} {}", sources.get(span.file).path.display(), span.start),
            );
            // Arrays that one declaration holds are told apart by what they cost.
            format!(
                "{declared} {} {}/{}",
                home.start, finding.cost, finding.ideal
            )
        }
        _ => named_array(finding).to_owned(),
    }
}

/// The array by its name in the text. How the lanes of a kernel run is one decision for all of global memory.
fn named_array(finding: &Finding) -> &str {
    match space(finding) {
        Some(Space::Global) => "",
        _ => &finding.array,
    }
}

fn space(finding: &Finding) -> Option<Space> {
    rules::find(finding.code).and_then(|rule| rule.space())
}

/// Where the kernel comes to the access: the call of the helper function that holds it, if one does.
fn home(finding: &Finding) -> Span {
    finding.call.unwrap_or(finding.primary.span)
}

/// What a rule says besides numbers. All conflicts of an array have its layout in common.
fn tag(finding: &Finding) -> String {
    match space(finding) {
        Some(Space::Shared) => String::new(),
        Some(Space::Global) => {
            let text = &finding.primary.text;
            let label = text
                .split_once(": ")
                .map_or(text.as_str(), |(_, label)| label);
            label.to_owned()
        }
        None => without_numbers(&finding.message),
    }
}

/// What the names of a generated family begin with: their first words.
fn stem(kernel: &str) -> String {
    const WORDS: usize = 3;
    let plain = without_numbers(kernel);
    plain.split('_').take(WORDS).collect::<Vec<_>>().join("_")
}

/// Without the numbers that tell generated names apart: `row_1` and `row`, `m64` and `m128` are one.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if out.ends_with('_') {
            out.pop();
        }
    }
    out
}

fn group_findings(findings: Vec<Finding>, key: impl Fn(&Finding) -> String) -> Vec<Finding> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut folded: Vec<Finding> = Vec::new();
    for finding in findings {
        match places.get(&key(&finding)) {
            Some(at) => join(&mut folded[*at], finding),
            None => {
                places.insert(key(&finding), folded.len());
                folded.push(finding);
            }
        }
    }
    folded
}

/// The one that wastes more leads, with the fixes of both.
fn join(into: &mut Finding, mut other: Finding) {
    let rank = |finding: &Finding| {
        (
            finding.evidence == crate::finding::Evidence::Proved,
            finding.weight,
        )
    };
    let weight = into.weight.saturating_add(other.weight);
    if rank(&other) > rank(into) {
        std::mem::swap(into, &mut other);
    }
    // What mends the others mends the same cause.
    let is_edit = |fix: &Fix| fix.safety != Safety::Advice;
    let edits = std::mem::take(&mut other.fixes).into_iter().filter(is_edit);
    let room = MOST_FIXES.saturating_sub(into.fixes.len());
    let new: Vec<Fix> = edits
        .filter(|fix| !into.fixes.contains(fix))
        .take(room)
        .collect();
    into.fixes.extend(new);
    into.weight = weight;
    into.siblings.push(Sibling {
        span: other.primary.span,
        kernel: other.kernel,
        instance: other.instance,
        message: other.message,
    });
    into.siblings.append(&mut other.siblings);
}

/// `and 5 more: lines 12, 14, other.cu:3, …`.
fn note(finding: &Finding, sources: &SourceMap) -> Option<String> {
    if finding.siblings.is_empty() {
        return None;
    }
    let mut told: Vec<String> = Vec::new();
    for sibling in &finding.siblings {
        let file = sources.get(sibling.span.file);
        let line = file.line(sibling.span.start);
        let text = if sibling.span.file == finding.primary.span.file {
            format!("line {line}")
        } else {
            format!("{}:{line}", visible::path(&file.path))
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let rest = told.len().saturating_sub(MOST_NAMED);
    told.truncate(MOST_NAMED);
    if rest > 0 {
        told.push("…".to_owned());
    }
    Some(format!(
        "and {} more: {}",
        finding.siblings.len(),
        told.join(", ")
    ))
}
