//! Rules: which verdicts are findings, and how to say so.
//!
//! Given the accesses of a run, gives findings. A rule is one page in `rules/`,
//! whose head is its metadata, and one function. Knows nothing of output formats,
//! and derives no cost of its own: every number comes from a verdict.

mod bank_conflict;
pub(crate) mod describe;
mod misaligned_access;
mod pattern;
pub mod select;
#[cfg(test)]
mod tests;
mod uncoalesced_access;
mod weigh;

use crate::finding::{Evidence, Finding, Level};
use crate::gpu::Arch;
use crate::ir::Program;
use crate::prove::verdict::Access;
use crate::source::SourceMap;
use std::sync::LazyLock;

/// A rule with its page.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `CL101`.
    pub code: &'static str,
    /// `bank-conflict`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Of findings that are proved.
    pub level: Level,
    /// First version with this rule.
    pub since: &'static str,
    /// The page without its head, in Markdown.
    pub body: &'static str,
    judge: Judge,
}

/// What a rule says of one access; `None` where it has nothing to say.
type Judge = fn(&Access, &Context) -> Option<Judged>;

/// What rules may look at besides the access.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub sources: &'a SourceMap,
    pub program: &'a Program,
    pub arch: &'a Arch,
}

/// A rule's words about one access. [`describe`] adds what all rules share.
#[derive(Clone, Debug)]
struct Judged {
    evidence: Evidence,
    /// `None` takes the rule's own level.
    level: Option<Level>,
    /// First line of the diagnostic.
    message: String,
    /// What the lanes of the witness do.
    label: String,
    /// Causes, most telling first.
    causes: Vec<String>,
    /// What to do about it, where no proved fix is at hand.
    advice: Option<String>,
}

/// Page and function of every rule, by code.
const TABLE: [(&str, Judge); 6] = [
    (
        include_str!("../../rules/broken-expectation.md"),
        judged_by_contract,
    ),
    (
        include_str!("../../rules/unused-allow.md"),
        judged_by_contract,
    ),
    (
        include_str!("../../rules/unreadable-comment.md"),
        judged_by_contract,
    ),
    (
        include_str!("../../rules/bank-conflict.md"),
        bank_conflict::judge,
    ),
    (
        include_str!("../../rules/uncoalesced-access.md"),
        uncoalesced_access::judge,
    ),
    (
        include_str!("../../rules/misaligned-access.md"),
        misaligned_access::judge,
    ),
];

/// Rules about comments look at more than one access; `contract` judges them.
fn judged_by_contract(_: &Access, _: &Context) -> Option<Judged> {
    None
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    TABLE
        .iter()
        .map(|(page, judge)| read(page, *judge))
        .collect()
});

/// Every rule, by code.
#[must_use]
pub fn all() -> &'static [Rule] {
    &RULES
}

/// The rule of this code or name, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Rule> {
    all()
        .iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(name) || rule.name.eq_ignore_ascii_case(name))
}

/// Every finding about `accesses`, by file and line; one per rule and place, where the worst
/// launch or instance leads and the notes count the others.
#[must_use]
pub fn judge(accesses: &[Access], context: &Context) -> Vec<Finding> {
    describe::findings(accesses, context)
}

/// A page's metadata and body. Keys that are absent read as empty; a test holds every page to all of them.
fn read(page: &'static str, judge: Judge) -> Rule {
    let (head, body) = page
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", page));
    let value = |key: &str| -> &'static str {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| *name == key)
            .map_or("", |(_, value)| value.trim())
    };
    Rule {
        code: value("code"),
        name: value("name"),
        summary: value("summary"),
        level: match value("level") {
            "error" => Level::Error,
            "info" => Level::Info,
            "allow" => Level::Allow,
            _ => Level::Warn,
        },
        since: value("since"),
        body: body.trim_start(),
        judge,
    }
}
