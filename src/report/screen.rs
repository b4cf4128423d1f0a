//! Findings for people, a few lines each: what, where, why, what to do.
//!
//! Given a report, gives text for a terminal. Everything that is known of a finding stands in
//! [`super::human`]'s long form. Knows nothing of terminals but their colours.

use super::{Report, Style, count, visible};
use crate::finding::{Evidence, Finding, Fix, Level, RemarkKind, Safety};
use crate::rules::page_url;
use std::fmt::Write as _;

/// Characters of a source line, or of a reason, that are shown.
const WIDEST: usize = 110;
/// Kernels that the end of a report names.
const MOST_KERNELS: usize = 5;

const BOLD: &str = "1";
const BLUE: &str = "34";
const GREEN: &str = "1;32";

/// One finding, ended by an empty line.
#[must_use]
pub fn finding(report: &Report, finding: &Finding, style: Style) -> String {
    let paint = |code: &str, text: &str| paint(style, code, text);
    let place = report.place(finding.primary.span);
    let mut out = String::new();
    let severity = match finding.level {
        Level::Error => paint("1;31", "error"),
        Level::Warn => paint("1;33", "warning"),
        Level::Info | Level::Allow => paint(GREEN, "note"),
    };
    let code = if style.links {
        let url = page_url(finding.rule);
        format!("\x1b]8;;{url}\x1b\\{}\x1b]8;;\x1b\\", finding.code)
    } else {
        finding.code.to_owned()
    };
    let _ = writeln!(out, "{severity}[{code}]: {}", paint(BOLD, &finding.message));
    let number = place.start.line.to_string();
    let margin = " ".repeat(number.len());
    let _ = write!(
        out,
        "{margin}{} {}:{}:{}",
        paint(BLUE, "-->"),
        visible::path(place.path),
        place.start.line,
        place.start.column
    );
    if !finding.kernel.is_empty() {
        let _ = write!(out, " in `{}{}`", finding.kernel, finding.instance);
    }
    if !finding.siblings.is_empty() {
        let _ = write!(out, ", and {} more", finding.siblings.len());
    }
    out.push('\n');
    let file = report.sources.get(finding.primary.span.file);
    let text = file.line_text(place.start.line);
    let _ = writeln!(
        out,
        "{} {}",
        paint(BLUE, &format!("{number} |")),
        cut(text.trim(), WIDEST)
    );
    let bar = paint(BLUE, "=");
    for reason in reasons(finding) {
        let _ = writeln!(out, "{margin} {bar} {}", cut(&reason, 2 * WIDEST));
    }
    for help in helps(finding) {
        let _ = writeln!(out, "{margin} {bar} {}", cut(&help, 2 * WIDEST));
    }
    out.push('\n');
    out
}

/// The lanes' accesses, and their total or the symbols that it depends on.
fn reasons(finding: &Finding) -> Vec<String> {
    let note = |kind: RemarkKind| {
        let mut notes = finding.notes.iter();
        let note = notes.find(|note| note.kind == kind)?;
        Some(note.text.clone())
    };
    let mut first = finding.primary.text.clone();
    let cost = match finding.evidence {
        Evidence::Possible => note(RemarkKind::Dependence),
        Evidence::Proved => None,
    };
    if let Some(cost) = cost.or_else(|| note(RemarkKind::Total)) {
        first = format!("{first}; {}", ends(&cost));
    }
    let mut reasons = vec![first];
    reasons.extend(note(RemarkKind::Merge));
    reasons.extend(note(RemarkKind::Ratchet));
    reasons
}

/// Of a list of cases, the cheapest and the dearest.
fn ends(note: &str) -> String {
    let cases: Vec<&str> = note.split("; ").collect();
    match cases.as_slice() {
        [first, _, .., last] => format!("{first}; …; {last}"),
        _ => note.to_owned(),
    }
}

/// What mends most; behind advice, the safest edit as well.
fn helps(finding: &Finding) -> Vec<String> {
    let edits = finding.fixes.iter();
    let edit = edits
        .filter(|fix| fix.safety != Safety::Advice)
        .min_by_key(|fix| fix.safety);
    let advice = finding.fixes.first();
    let advice = advice.filter(|fix| fix.safety == Safety::Advice);
    let told = |fix: &Fix| {
        let flag = match fix.safety {
            Safety::Safe => " (--fix)",
            Safety::Unsafe => " (--fix --unsafe-fixes)",
            Safety::Advice => "",
        };
        format!("help: {}{flag}", fix.title)
    };
    advice.into_iter().chain(edit).map(told).collect()
}

/// What matters most, at the end: the kernels that waste most, and what edits would mend.
#[must_use]
pub fn end(report: &Report, style: Style) -> String {
    let mut out = String::new();
    let mut kernels: Vec<(&str, u64, Vec<&Finding>)> = Vec::new();
    for finding in report
        .findings
        .iter()
        .filter(|finding| !finding.kernel.is_empty())
    {
        match kernels
            .iter_mut()
            .find(|(name, ..)| *name == finding.kernel)
        {
            Some((_, weight, findings)) => {
                *weight = weight.saturating_add(finding.weight);
                findings.push(finding);
            }
            None => kernels.push((&finding.kernel, finding.weight, vec![finding])),
        }
    }
    // A kernel or two are in sight anyway.
    if kernels.len() > 2 {
        kernels.sort_by_key(|(_, weight, _)| std::cmp::Reverse(*weight));
        let _ = writeln!(out, "{}", paint(style, BOLD, "kernels that waste most:"));
        for (name, _, findings) in kernels.iter().take(MOST_KERNELS) {
            let worst = findings.iter().max_by_key(|finding| finding.weight);
            let Some(worst) = worst else { continue };
            let place = report.place(worst.primary.span);
            let _ = writeln!(
                out,
                "  `{name}`: {}, the worst at {}:{} ({})",
                count(findings.len(), "finding", "findings"),
                visible::path(place.path),
                place.start.line,
                worst.rule
            );
        }
        if kernels.len() > MOST_KERNELS {
            let _ = writeln!(out, "  and {} more", kernels.len() - MOST_KERNELS);
        }
    }
    let mended = |safety: Safety| {
        let findings = report.findings.iter();
        let best = |finding: &Finding| finding.fixes.iter().map(|fix| fix.safety).min();
        findings
            .filter(|finding| best(finding) == Some(safety))
            .count()
    };
    let (safe, more) = (mended(Safety::Safe), mended(Safety::Unsafe));
    if safe > 0 {
        let _ = write!(out, "--fix would mend {safe}");
    }
    if more > 0 {
        let lead = if safe > 0 { ", " } else { "" };
        let also = if safe > 0 { " more" } else { "" };
        let _ = write!(out, "{lead}--fix --unsafe-fixes would mend {more}{also}");
    }
    if safe + more > 0 {
        out.push_str("; --diff shows the edits\n");
    }
    // Silence is not to be taken for praise.
    if report.findings.is_empty() && report.counts.unknown > 0 {
        let unknown = count(report.counts.unknown, "access is", "accesses are");
        let _ = writeln!(
            out,
            "{unknown} unknown: `cudalint accesses --format text` with the same files and flags says why"
        );
    }
    if !report.findings.is_empty() && !style.verbose {
        out.push_str("-v shows each finding in full, with its proof and assumptions\n");
    }
    out
}

fn paint(style: Style, code: &str, text: &str) -> String {
    if style.color {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - 1).collect();
    format!("{}…", start.trim_end())
}
