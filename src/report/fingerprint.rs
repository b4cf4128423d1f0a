//! Names for findings that survive edits elsewhere in the file.
//!
//! Given findings, gives each a hash of its rule, file, kernel, array and the text
//! of its line without blanks, told apart by a number where several agree.

use super::Report;
use crate::finding::Finding;
use rustc_hash::FxHashMap;

/// One fingerprint per finding, in order: 16 hexadecimal digits, unique within the report.
#[must_use]
pub fn fingerprints(report: &Report) -> Vec<String> {
    all(report, report.findings.iter())
}

/// The same for findings that are accepted: each has the name that it would have if it were not.
#[must_use]
pub fn suppressed_fingerprints(report: &Report) -> Vec<String> {
    let accepted = report.suppressed.iter().map(|one| &one.finding);
    all(report, report.findings.iter().chain(accepted)).split_off(report.findings.len())
}

fn all<'a>(report: &Report, findings: impl Iterator<Item = &'a Finding>) -> Vec<String> {
    let mut numbers = Numbers::default();
    findings
        .map(|finding| numbers.told_apart(of(report, finding)))
        .collect()
}

/// Tells equal hashes apart by the order in which they come.
#[derive(Default)]
pub(super) struct Numbers {
    seen: FxHashMap<u64, u32>,
}

impl Numbers {
    pub fn told_apart(&mut self, hash: u64) -> String {
        let again = self.seen.entry(hash).or_insert(0);
        let name = match *again {
            0 => hash,
            number => fnv(hash, &number.to_le_bytes()),
        };
        *again += 1;
        format!("{name:016x}")
    }
}

/// What findings of one line, kernel and array have in common.
pub(super) fn of(report: &Report, finding: &Finding) -> u64 {
    let place = report.place(finding.primary.span);
    let line = report
        .sources
        .get(finding.primary.span.file)
        .line_text(place.start.line);
    let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let parts = [
        finding.code,
        &place.file(),
        &finding.kernel,
        &finding.array,
        &line,
    ];
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        fnv(fnv(hash, part.as_bytes()), &[0])
    })
}

/// 64-bit FNV-1a: short, and the same on every machine.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
