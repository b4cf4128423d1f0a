//! From judged accesses to findings: grouping, and what all rules say alike.
//!
//! Given accesses, puts those of one rule and one place together, lets the worst
//! lead, and adds launch shape, proof, assumptions and dependence. Knows nothing
//! of any single rule.

use super::waste::{self, Lines};
use super::{Context, Judged, Rule, all};
use crate::finding::{Finding, Fix, Label, Level, Remark, RemarkKind, Safety};
use crate::ir::LaunchSource;
use crate::prove::verdict::sentences;
use crate::prove::verdict::{Access, Condition, Dependence, DependenceCase, LaunchShape, Status};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Cases of a dependence that are told.
const MOST_CASES: usize = 6;
/// Calls around an access that labels point at, the innermost ones.
const MOST_CALLS: usize = 2;
/// Other launches or instances that are told one by one.
const MOST_OTHERS: usize = 4;

struct Case<'a> {
    access: &'a Access,
    judged: Judged,
}

/// One rule at one place.
type Key = (Span, &'static str);

/// The findings of rules about accesses, in no order that matters. Each word comes with the number of
/// its rule and of its access, in this order.
pub(super) fn findings(
    accesses: &[Access],
    words: Vec<(usize, usize, Judged)>,
    context: &Context,
) -> Vec<Finding> {
    let mut groups: BTreeMap<Key, (&Rule, Vec<Case>)> = BTreeMap::new();
    for (rule, access, judged) in words {
        let (rule, access) = (&all()[rule], &accesses[access]);
        let group = groups
            .entry((access.site.span, rule.code))
            .or_insert_with(|| (rule, Vec::new()));
        group.1.push(Case { access, judged });
    }
    let mut by_site: FxHashMap<Span, Vec<&Access>> = FxHashMap::default();
    for access in accesses {
        by_site.entry(access.site.span).or_default().push(access);
    }
    let lines = Lines::of(accesses, context.sources);
    groups
        .into_values()
        .filter_map(|(rule, mut cases)| {
            // Stable: of equals, the first in order of accesses leads.
            cases.sort_by_key(|case| std::cmp::Reverse(rank(case)));
            let (lead, others) = cases.split_first()?;
            let same_site = by_site
                .get(&lead.access.site.span)
                .into_iter()
                .flatten()
                .copied();
            Some(finding(
                rule,
                lead,
                others,
                &same_site.collect::<Vec<_>>(),
                &lines,
                context,
            ))
        })
        .collect()
}

/// What is worth more than a note first, then proved before possible, then the worst ratio, then the most wasted.
fn rank(case: &Case) -> (bool, bool, bool, u64, u32) {
    let verdict = &case.access.verdict;
    let ratio = u64::from(verdict.max) * 1000 / u64::from(verdict.ideal.max(1));
    (
        case.judged.level != Some(Level::Info),
        !case.judged.is_slight,
        case.judged.evidence == crate::finding::Evidence::Proved,
        ratio,
        verdict.max.saturating_sub(verdict.ideal),
    )
}

fn finding(
    rule: &Rule,
    lead: &Case,
    others: &[Case],
    same_site: &[&Access],
    lines: &Lines,
    context: &Context,
) -> Finding {
    let Case { access, judged } = lead;
    let cases = std::iter::once(lead).chain(others);
    let per_block = waste::add_up(access, cases.map(|case| case.access));
    let mut notes = remarks(lead, context);
    notes.extend(lines.notes(access, per_block));
    notes.extend(grounds(lead));
    notes.extend(rest(lead, others, same_site).into_iter().map(Remark::from));
    let ops: Vec<&str> = {
        let mut ops: Vec<&str> = std::iter::once(lead)
            .chain(others)
            .map(|case| case.access.op.name())
            .collect();
        ops.sort_unstable();
        ops.dedup();
        ops
    };
    let mut calls = access.site.inlined.iter().rev().take(MOST_CALLS);
    let call = calls.next_back().map(|(_, call)| *call);
    let fixes = judged.advice.iter().map(|advice| Fix {
        title: advice.clone(),
        safety: Safety::Advice,
        is_whole: false,
        edits: Vec::new(),
    });
    Finding {
        code: rule.code,
        rule: rule.name,
        level: judged.level.unwrap_or(rule.level),
        evidence: judged.evidence,
        kernel: access.kernel.to_string(),
        instance: access.instance.to_string(),
        array: access.site.array.to_string(),
        message: judged.message.clone(),
        primary: Label {
            span: access.site.span,
            text: format!("{}: {}", ops.join(" and "), judged.label),
        },
        secondary: labels(access, context),
        declaration: access.declaration,
        call,
        notes,
        fixes: fixes.collect(),
        cost: access.worst().0,
        ideal: access.worst().1,
        per_block,
        weight: waste::weight(access, per_block),
        siblings: Vec::new(),
        is_slight: judged.is_slight,
    }
}

/// What the rule says of causes, what the compiler merges, and what the cost depends on.
fn remarks(lead: &Case, context: &Context) -> Vec<Remark> {
    let Case { access, judged } = lead;
    let verdict = &access.verdict;
    let mut notes: Vec<Remark> = judged.causes.iter().cloned().map(Remark::from).collect();
    if let Some(merged) = &access.merged {
        let written = format!(
            "{} {}, ideal {}",
            verdict.max,
            access.space.unit(),
            verdict.ideal
        );
        let text = format!("{}; as written: {written}", merged.text());
        notes.push(RemarkKind::Merge.remark(text));
    }
    notes.extend(
        verdict
            .depends_on
            .iter()
            .filter_map(|one| dependence(one, access))
            .map(|text| RemarkKind::Dependence.remark(text)),
    );
    notes.push(RemarkKind::Launch.remark(launch(&access.launch, access, context)));
    notes
}

/// What the verdict rests on: guards, proof, assumptions, a witness.
fn grounds(lead: &Case) -> Vec<Remark> {
    let Case { access, judged } = lead;
    let verdict = &access.verdict;
    let mut notes: Vec<Remark> = Vec::new();
    if !access.guards.is_empty() {
        notes.push(format!("guard: {}", access.guards.join(", and ")).into());
    }
    notes.push(proof(access).into());
    if !verdict.assumptions.is_empty() {
        notes.push(format!("assumes: {}", sentences(&verdict.assumptions)).into());
    }
    if judged.evidence == crate::finding::Evidence::Possible
        && let Some(values) = witness_values(access)
    {
        notes.push(format!("witness: {values}").into());
    }
    notes
}

/// Other places that a finding points at.
fn labels(access: &Access, context: &Context) -> Vec<Label> {
    let mut secondary = Vec::new();
    let mut label = |span: Option<Span>, text: String| {
        if let Some(span) = span.filter(|span| *span != access.site.span) {
            secondary.push(Label { span, text });
        }
    };
    label(
        access.declaration,
        format!("`{}` is declared here", declared(access, context)),
    );
    label(
        access.site.definition,
        "the access in the macro's body".to_owned(),
    );
    for (name, call) in access.site.inlined.iter().rev().take(MOST_CALLS) {
        label(Some(*call), format!("`{name}` is called here"));
    }
    secondary
}

/// The name that the declaration gives, which need not be what the access calls it.
fn declared<'a>(access: &'a Access, context: &'a Context) -> &'a str {
    let text = access
        .declaration
        .map_or("", |span| context.sources.text(span));
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // `float *tile[32]`: the name comes before what is in brackets.
    let head = text.split(['[', '=']).next().unwrap_or(text);
    let name = head.trim_end().rsplit(|c: char| !is_part(c)).next();
    name.filter(|name| !name.is_empty())
        .unwrap_or(&access.site.array)
}

/// `launch: block (32, 8, 1) from line 40`.
pub(crate) fn launch(launch: &LaunchShape, access: &Access, context: &Context) -> String {
    let place = launch.span.map(|span| {
        let file = context.sources.get(span.file);
        let line = file.line(span.start);
        if span.file == access.site.span.file {
            format!("line {line}")
        } else {
            format!("{}:{line}", file.path.display())
        }
    });
    let origin = match (launch.source, place) {
        (LaunchSource::Launch, Some(place)) => format!("from {place}"),
        (LaunchSource::Launch, None) => "from its launch".to_owned(),
        (LaunchSource::Directive, Some(place)) => format!("from the directive on {place}"),
        (LaunchSource::Directive, None) => "from a directive".to_owned(),
        (LaunchSource::Config, _) => "from the configuration".to_owned(),
        (LaunchSource::Bounds, _) => "from `__launch_bounds__`, an upper bound".to_owned(),
        (LaunchSource::Assumed, _) => "no launch of known shape was found".to_owned(),
    };
    let instance = if access.instance.is_empty() {
        String::new()
    } else {
        format!(" of `{}{}`", access.kernel, access.instance)
    };
    if launch.block.iter().all(Option::is_none) {
        return format!("launch{instance}: block unknown; {origin}");
    }
    format!("launch{instance}: block {} {origin}", shape(launch.block))
}

fn shape(block: [Option<u64>; 3]) -> String {
    let axis = |axis: Option<u64>| axis.map_or_else(|| "?".to_owned(), |n| n.to_string());
    format!(
        "({}, {}, {})",
        axis(block[0]),
        axis(block[1]),
        axis(block[2])
    )
}

/// `proof: exact, every warp, block and iteration (checked with Z3)`.
pub(crate) fn proof(access: &Access) -> String {
    let verdict = &access.verdict;
    let solver = if verdict.certificate.is_empty() {
        String::new()
    } else {
        " (checked with Z3)".to_owned()
    };
    let unit = access.space.unit();
    match verdict.status {
        Status::Exact => format!("proof: exact, every warp, block and iteration{solver}"),
        _ if verdict.reason.is_empty() => {
            format!(
                "proof: between {} and {} {unit}{solver}",
                verdict.min, verdict.max
            )
        }
        _ => format!(
            "proof: between {} and {} {unit} ({}){solver}",
            verdict.min, verdict.max, verdict.reason
        ),
    }
}

/// `depends on `pitch`: ideal if pitch % 2 == 1; 32-way if pitch % 32 == 0`.
fn dependence(dependence: &Dependence, access: &Access) -> Option<String> {
    if dependence.cases.is_empty() {
        return None;
    }
    let is_shared = access.space == crate::gpu::Space::Shared;
    let ideal_word = if is_shared { "conflict-free" } else { "ideal" };
    let tell = |case: &DependenceCase| {
        let cost = match (case.min, case.max) {
            (_, max) if max <= case.ideal => ideal_word.to_owned(),
            (min, max) if min == max && is_shared && max % case.ideal.max(1) == 0 => {
                format!("{}-way", max / case.ideal.max(1))
            }
            (min, max) if min == max => {
                format!("{max} {} (ideal {})", access.space.unit(), case.ideal)
            }
            (min, max) => format!(
                "{min} to {max} {} (ideal {})",
                access.space.unit(),
                case.ideal
            ),
        };
        if case.when == Condition::Otherwise {
            format!("{cost} otherwise")
        } else {
            format!("{cost} if {}", dependence.when(case))
        }
    };
    let cases: Vec<DependenceCase> = dependence.cases.iter().filter_map(of_sizes).collect();
    let mut parts: Vec<String> = cases.iter().map(tell).collect();
    if parts.len() > MOST_CASES {
        // In order of cost: both ends matter most.
        let last = parts.split_off(parts.len() - 2);
        parts.truncate(MOST_CASES - 2);
        parts.push("…".to_owned());
        parts.extend(last);
    }
    Some(format!(
        "depends on {}: {}",
        quoted(&dependence.symbol),
        parts.join("; ")
    ))
}

/// A name in quotes; an expression that quotes names itself stays as it is.
pub fn quoted(name: &str) -> String {
    if name.contains('`') {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
}

/// The case without negative numbers, where it lists any: sizes and pitches have none.
fn of_sizes(case: &DependenceCase) -> Option<DependenceCase> {
    let when = case.when.of_sizes()?;
    Some(DependenceCase {
        when,
        ..case.clone()
    })
}

fn witness_values(access: &Access) -> Option<String> {
    let witness = access.verdict.witness.as_ref()?;
    let values: Vec<String> = witness
        .symbols
        .iter()
        .take(8)
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    (!values.is_empty()).then(|| {
        format!(
            "{} {} with {}",
            witness.cost,
            access.space.unit(),
            values.join(", ")
        )
    })
}

/// The same place under other launches and in other instances.
fn rest(lead: &Case, others: &[Case], same_site: &[&Access]) -> Vec<String> {
    let unit = lead.access.space.unit();
    let context = |access: &Access| {
        let mut text = Vec::new();
        if access.kernel != lead.access.kernel || access.instance != lead.access.instance {
            text.push(format!("in `{}{}`", access.kernel, access.instance));
        }
        if access.launch.block != lead.access.launch.block {
            text.push(format!("under block {}", shape(access.launch.block)));
        }
        text.join(" ")
    };
    let mut told: Vec<String> = Vec::new();
    let mut tell = |text: String| {
        if !told.contains(&text) {
            told.push(text);
        }
    };
    for case in others {
        let place = context(case.access);
        if !place.is_empty() {
            tell(format!(
                "also {} {unit} (ideal {}) {place}",
                case.access.verdict.max, case.access.verdict.ideal
            ));
        }
    }
    for access in same_site
        .iter()
        .filter(|access| access.op == lead.access.op && access.verdict.is_ideal())
    {
        let place = context(access);
        if !place.is_empty() {
            tell(format!("ideal {place}"));
        }
    }
    if told.len() > MOST_OTHERS {
        let more = told.len() - MOST_OTHERS;
        told.truncate(MOST_OTHERS);
        told.push(format!("and {more} more launches or instances"));
    }
    told
}
