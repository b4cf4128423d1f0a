//! Rules: which verdicts are findings, and how to say so.
//!
//! Given the accesses of a run, gives findings. A rule is one page in `rules/`,
//! whose head is its metadata, and one function. Knows nothing of output formats,
//! and derives no cost of its own: every number comes from a verdict.

mod bank_conflict;
mod confidence;
pub(crate) mod describe;
mod divergent_constant;
mod dynamic_local_index;
mod hazards;
mod kernel_facts;
mod kernels;
mod lane_pattern;
mod launch_shape;
mod misaligned_access;
mod misaligned_vector;
mod narrow_access;
pub mod per_kernel;
mod sector_waste;
pub mod select;
mod share;
mod shared_capacity;
mod spread;
pub mod stopwatch;
mod synchronisation;
#[cfg(test)]
mod tests;
mod typical;
mod uncoalesced_access;
mod vector;
pub(crate) mod waste;

use crate::access::Walks;
use crate::finding::{Evidence, Finding, Level};
use crate::gpu::{Arch, Space};
use crate::ir::Program;
use crate::prove::verdict::Access;
use crate::source::{Canonical, SourceMap};
use kernel_facts::KernelFacts;
use kernels::KernelFinding;
use per_kernel::{Group, Keeper, Opinion};
use rayon::prelude::*;
use share::Shares;
use std::sync::LazyLock;
use stopwatch::Stopwatch;
use vector::Neighbours;

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
    /// The memory whose requests it judges.
    pub space: Option<Space>,
    judge: Judge,
}

/// A rule's function.
#[derive(Clone, Copy, Debug)]
enum Judge {
    /// Judges one access; `None` where it finds nothing.
    Access(fn(&Access, &Scope) -> Option<Judged>),
    /// Judges one kernel.
    Kernel(fn(&KernelFacts, &Context) -> Vec<KernelFinding>),
    /// It is about comments; `contract` says it.
    Contract,
}

/// Everything that rules may look at besides the access.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub sources: &'a SourceMap,
    /// Of `sources`.
    pub canonical: &'a Canonical<'a>,
    pub program: &'a Program,
    /// Of its kernels.
    pub walks: &'a Walks,
    pub arch: &'a Arch,
    pub stopwatch: &'a Stopwatch,
}

/// Everything that rules about accesses may look at.
#[derive(Clone, Copy)]
struct Scope<'a> {
    context: &'a Context<'a>,
    /// Every access of this kernel.
    accesses: &'a [&'a Access],
    /// The kernel instance that the access belongs to.
    view: &'a KernelFacts<'a>,
    neighbours: &'a Neighbours<'a>,
    shares: &'a Shares<'a>,
}

/// A rule's words about one access. [`describe`] adds what all rules share.
#[derive(Clone, Debug)]
struct Judged {
    evidence: Evidence,
    /// `None` takes the rule's own level.
    level: Option<Level>,
    /// A warning only with an edit that mends it.
    is_slight: bool,
    /// First line of the diagnostic.
    message: String,
    /// A description of the lanes of the witness.
    label: String,
    /// Causes, most telling first.
    causes: Vec<String>,
    /// Advice, used where there is no proved fix.
    advice: Option<String>,
}

/// Page, memory and function of every rule, by code.
const TABLE: [(&str, Option<Space>, Judge); 17] = [
    (
        include_str!("../../rules/broken-expectation.md"),
        None,
        Judge::Contract,
    ),
    (
        include_str!("../../rules/unused-allow.md"),
        None,
        Judge::Contract,
    ),
    (
        include_str!("../../rules/unreadable-comment.md"),
        None,
        Judge::Contract,
    ),
    (
        include_str!("../../rules/bank-conflict.md"),
        Some(Space::Shared),
        Judge::Access(bank_conflict::judge),
    ),
    (
        include_str!("../../rules/misaligned-vector.md"),
        Some(Space::Shared),
        Judge::Kernel(misaligned_vector::judge),
    ),
    (
        include_str!("../../rules/shared-capacity.md"),
        Some(Space::Shared),
        Judge::Kernel(shared_capacity::judge),
    ),
    (
        include_str!("../../rules/uncoalesced-access.md"),
        Some(Space::Global),
        Judge::Access(uncoalesced_access::judge),
    ),
    (
        include_str!("../../rules/misaligned-access.md"),
        Some(Space::Global),
        Judge::Access(misaligned_access::judge),
    ),
    (
        include_str!("../../rules/narrow-access.md"),
        Some(Space::Global),
        Judge::Access(narrow_access::judge),
    ),
    (
        include_str!("../../rules/sector-waste.md"),
        Some(Space::Global),
        Judge::Access(sector_waste::judge),
    ),
    (
        include_str!("../../rules/divergent-barrier.md"),
        None,
        Judge::Kernel(synchronisation::divergent_barrier),
    ),
    (
        include_str!("../../rules/missing-barrier.md"),
        None,
        Judge::Kernel(synchronisation::missing_barrier),
    ),
    (
        include_str!("../../rules/implicit-warp-sync.md"),
        None,
        Judge::Kernel(synchronisation::implicit_warp_sync),
    ),
    (
        include_str!("../../rules/partial-warp.md"),
        None,
        Judge::Kernel(launch_shape::partial_warp),
    ),
    (
        include_str!("../../rules/tall-block.md"),
        None,
        Judge::Kernel(launch_shape::tall_block),
    ),
    (
        include_str!("../../rules/divergent-constant.md"),
        None,
        Judge::Kernel(divergent_constant::judge),
    ),
    (
        include_str!("../../rules/dynamic-local-index.md"),
        None,
        Judge::Kernel(dynamic_local_index::judge),
    ),
];

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    TABLE
        .iter()
        .map(|(page, space, judge)| read(page, *space, *judge))
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

/// Where the page of a rule can be read.
#[must_use]
pub fn page_url(name: &str) -> String {
    format!("{}/blob/main/rules/{name}.md", env!("CARGO_PKG_REPOSITORY"))
}

/// Every finding about `accesses`, by file and line; one per rule and place, where the worst
/// launch or instance leads and the notes count the others. `keeper` may know what rules say.
#[must_use]
pub fn judge(accesses: &[Access], context: &Context, keeper: Option<&dyn Keeper>) -> Vec<Finding> {
    let kernels = &context.program.kernels;
    let groups = per_kernel::by_kernel(accesses, kernels, context.sources);
    let opinions: Vec<Opinion> = groups
        .par_iter()
        .map(|group| per_kernel::of(&group.namesakes, context, keeper))
        .collect();
    let mut of_kernels: Vec<(usize, usize, KernelFinding)> = Vec::new();
    let mut of_accesses: Vec<(usize, usize, Judged)> = Vec::new();
    for (group, opinion) in groups.iter().zip(opinions) {
        let Group {
            kernels, accesses, ..
        } = group;
        let told = opinion.kernels.into_iter();
        of_kernels.extend(told.map(|(rule, at, told)| (kernels[at], rule, told)));
        let judged = opinion.accesses.into_iter();
        of_accesses.extend(judged.map(|(rule, at, judged)| (rule, accesses[at], judged)));
    }
    // Stable: in one kernel a rule's words keep their order.
    of_kernels.sort_by_key(|(kernel, rule, _)| (*kernel, *rule));
    of_accesses.sort_by_key(|(rule, access, _)| (*rule, *access));
    let mut findings = describe::findings(accesses, of_accesses, context);
    let told = of_kernels
        .into_iter()
        .map(|(kernel, rule, told)| (&all()[rule], &kernels[kernel], told));
    findings.extend(kernels::findings(told.collect(), context));
    findings.sort_by(|a, b| a.compare(b, context.sources));
    findings
}

/// A page's metadata and body. Keys that are absent read as empty; a test holds every page to all of them.
fn read(page: &'static str, space: Option<Space>, judge: Judge) -> Rule {
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
        space,
        judge,
    }
}
