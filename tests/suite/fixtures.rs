//! The static judge: verdicts, findings and reports equal the carets.

use crate::support::{CASES, Case, Mismatches};
use cudalint::finding::Level;
use cudalint::fixture::{Caret, ExpectedAccess, ExpectedGap, ExpectedStatus};
use cudalint::prove::verdict::{Access, READS_APART, Status, Verdict};
use cudalint::source::Span;

#[test]
fn verdicts_and_findings_equal_the_carets() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        let mut problems = Vec::new();
        judge_accesses(case, &mut problems);
        judge_findings(case, &mut problems);
        mismatches.file(&case.name, &problems);
    }
    mismatches.finish();
}

#[test]
fn what_is_not_analysed_is_reported() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        let program = &case.analysis.program;
        let whole = case
            .analysis
            .not_analysed
            .iter()
            .map(|gap| (gap.function.as_str(), gap));
        // A gap inside a kernel goes by the kernel's name.
        let gaps = program
            .kernels
            .iter()
            .flat_map(|kernel| kernel.gaps.iter().map(|gap| (kernel.name.as_str(), gap)));
        let reported: Vec<_> = whole.chain(gaps).collect();
        let mut problems = Vec::new();
        for expected in &case.fixture.not_analysed {
            let is_there = |text: &str| text.contains(&expected.text);
            if !reported
                .iter()
                .any(|(function, gap)| *function == expected.function && is_there(&gap.reason))
            {
                let at = case.source.line(expected.span.start);
                problems.push(format!(
                    "{at}: nothing says `{}` of `{}`",
                    expected.text, expected.function
                ));
            }
        }
        for (function, gap) in reported {
            let expected = |known: &ExpectedGap| {
                known.function == function && gap.reason.contains(&known.text)
            };
            if !case.fixture.not_analysed.iter().any(expected) {
                problems.push(format!(
                    "{} not analysed: {function}: {}",
                    case.at(gap.span),
                    gap.reason
                ));
            }
        }
        mismatches.file(&case.name, &problems);
    }
    mismatches.finish();
}

/// Every kernel that a directive launches is there.
#[test]
fn launched_kernels_are_found() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        let missing = case
            .fixture
            .launches
            .iter()
            .filter(|launch| case.kernel_of(launch).is_none());
        let problems: Vec<String> = missing
            .map(|launch| {
                format!(
                    "{} no kernel `{}{}`",
                    case.at(launch.span),
                    launch.kernel,
                    launch.template
                )
            })
            .collect();
        mismatches.file(&case.name, &problems);
    }
    mismatches.finish();
}

fn covers(caret: &Caret, span: Span) -> bool {
    (caret.target.start, caret.target.end) == (span.start, span.end)
}

/// The expectation for an access, if a caret speaks of it under this launch.
fn expected<'a>(case: &'a Case, access: &'a Access) -> Option<(&'a Caret, &'a ExpectedAccess)> {
    case.fixture.carets.iter().find_map(|caret| {
        let expectation = caret.access.as_ref()?;
        let is_meant = covers(caret, access.site.span)
            && (expectation.space, expectation.op) == (access.space, access.op)
            && (caret.only_for.is_empty()
                || case
                    .launches_of(access)
                    .any(|launch| launch.matches(&caret.only_for)));
        is_meant.then_some((caret, expectation))
    })
}

fn judge_accesses(case: &Case, problems: &mut Vec<String>) {
    let mut met = vec![false; case.fixture.carets.len()];
    for access in &case.analysis.accesses {
        let said = describe(access);
        let place = case.at(access.site.span);
        match expected(case, access) {
            Some((caret, expectation)) => {
                let index = case
                    .fixture
                    .carets
                    .iter()
                    .position(|known| std::ptr::eq(known, caret));
                index.into_iter().for_each(|index| met[index] = true);
                if !agrees(expectation, access) {
                    problems.push(format!(
                        "{place} is {said}, the caret says {}",
                        text_of(expectation)
                    ));
                }
            }
            None if !access.verdict.is_ideal() => {
                problems.push(format!("{place} is {said}, no caret says so"))
            }
            None => {}
        }
    }
    for (caret, met) in case.fixture.carets.iter().zip(met) {
        if let (Some(expectation), false) = (&caret.access, met) {
            problems.push(format!(
                "{} no such access, the caret says {}",
                case.at(caret.target),
                text_of(expectation)
            ));
        }
    }
}

fn agrees(expectation: &ExpectedAccess, access: &Access) -> bool {
    let verdict = told(access);
    let status = match expectation.status {
        ExpectedStatus::Exact => Status::Exact,
        ExpectedStatus::Bounded => Status::Bounded,
        ExpectedStatus::DataDependent => Status::DataDependent,
        ExpectedStatus::Unknown => Status::Unknown,
    };
    let is_cost = expectation.cost.is_none_or(|cost| match status {
        // What every full request costs; the last warp of a range may cost less.
        Status::Exact => (cost.max, cost.ideal) == (verdict.max, verdict.ideal),
        _ => (cost.min, cost.max, cost.ideal) == (verdict.min, verdict.max, verdict.ideal),
    });
    verdict.status == status && is_cost && verdict.reason.contains(&expectation.reason)
}

/// The verdict on what is written; of a copy that may cost more than its stores, on the copy.
fn told(access: &Access) -> Verdict {
    let mut verdict = access.verdict.clone();
    if access.reads_apart {
        let bounds = access.bounds();
        (verdict.status, verdict.max) = (bounds.status, bounds.max);
        READS_APART.clone_into(&mut verdict.reason);
    }
    verdict
}

fn text_of(expectation: &ExpectedAccess) -> String {
    let ExpectedAccess {
        space,
        op,
        status,
        cost,
        reason,
    } = expectation;
    let cost = cost
        .map(|cost| format!(" {}..{}/{}", cost.min, cost.max, cost.ideal))
        .unwrap_or_default();
    let reason = if reason.is_empty() {
        String::new()
    } else {
        format!(" because of {reason:?}")
    };
    format!(
        "{} {} {}{cost}{reason}",
        space.name(),
        op.name(),
        status.name()
    )
}

pub fn describe(access: &Access) -> String {
    let verdict = told(access);
    let block: Vec<String> = access
        .launch
        .block
        .iter()
        .map(|n| n.map_or("?".into(), |n| n.to_string()))
        .collect();
    format!(
        "{} {} {} {}..{}/{} ({}{} block ({}){}{})",
        access.space.name(),
        access.op.name(),
        verdict.status.name(),
        verdict.min,
        verdict.max,
        verdict.ideal,
        access.kernel,
        access.instance,
        block.join(","),
        if verdict.reason.is_empty() { "" } else { ": " },
        verdict.reason
    )
}

fn judge_findings(case: &Case, problems: &mut Vec<String>) {
    let mut met: Vec<(usize, &str)> = Vec::new();
    // Rules that are off unless named are held to their pages only.
    let findings = case.analysis.findings.iter();
    for finding in findings.filter(|finding| finding.level > Level::Allow) {
        let carets = case.fixture.carets.iter().enumerate();
        let mut carets = carets.filter(|(_, caret)| covers(caret, finding.primary.span));
        let named: Vec<usize> = carets
            .by_ref()
            .filter(|(_, caret)| caret.rules.iter().any(|rule| rule == finding.rule))
            .map(|(index, _)| index)
            .collect();
        if named.is_empty() {
            problems.push(format!(
                "{} no caret expects {}: {}",
                case.at(finding.primary.span),
                finding.rule,
                finding.message
            ));
        }
        met.extend(named.into_iter().map(|index| (index, finding.rule)));
    }
    for (index, caret) in case.fixture.carets.iter().enumerate() {
        for rule in caret
            .rules
            .iter()
            .filter(|rule| !met.contains(&(index, rule.as_str())))
        {
            problems.push(format!("{} has no finding {rule}", case.at(caret.target)));
        }
    }
}
