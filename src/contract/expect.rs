//! `expect`: accesses that break a bound, or that cannot be shown to keep it.

use super::about;
use super::directive::{Bound, Directive, Metric};
use crate::finding::{Evidence, Finding, Label, RemarkKind};
use crate::gpu::Space;
use crate::prove::verdict::Access;
use crate::prove::verdict::sentences;
use crate::rules::{Context, describe};
use crate::source::Span;
use std::collections::BTreeMap;

/// One finding per bound and place, for the worst launch or instance; one at the comment where
/// a bound speaks of no access at all.
pub fn judge(
    directive: &Directive,
    bounds: &[Bound],
    accesses: &[Access],
    context: &Context,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for bound in bounds {
        let mut is_met = false;
        let mut worst: BTreeMap<Span, &Access> = BTreeMap::new();
        for access in accesses
            .iter()
            .filter(|access| speaks_of(bound.metric, access.space))
            .filter(|access| is_covered(directive, access, context))
        {
            is_met = true;
            if holds(bound, access) {
                continue;
            }
            let known = worst.entry(access.site.span).or_insert(access);
            if rank(access) > rank(known) {
                *known = access;
            }
        }
        if !is_met {
            findings.push(about(
                "broken-expectation",
                format!(
                    "`expect({})` covers no {} access that was analysed",
                    bound.text,
                    spaces(bound.metric)
                ),
                Label {
                    span: directive.span,
                    text: "expected here".to_owned(),
                },
            ));
        }
        findings.extend(
            worst
                .into_values()
                .map(|access| broken(directive, bound, access, context)),
        );
    }
    findings
}

fn speaks_of(metric: Metric, space: Space) -> bool {
    match metric {
        Metric::Ways | Metric::Wavefronts => space == Space::Shared,
        Metric::Sectors => space == Space::Global,
        Metric::Excessive => true,
    }
}

fn spaces(metric: Metric) -> &'static str {
    match metric {
        Metric::Ways | Metric::Wavefronts => "shared memory",
        Metric::Sectors => "global memory",
        Metric::Excessive => "memory",
    }
}

/// Lexically, or through the kernel or the call that the access was reached by.
fn is_covered(directive: &Directive, access: &Access, context: &Context) -> bool {
    let sources = context.sources;
    directive.covers(access.site.span, sources)
        || directive.covers(access.kernel_span, sources)
        || access
            .site
            .inlined
            .iter()
            .any(|(_, call)| directive.covers(*call, sources))
}

fn holds(bound: &Bound, access: &Access) -> bool {
    let verdict = &access.verdict;
    let of = |cost: u32| match bound.metric {
        Metric::Ways => cost.div_ceil(verdict.ideal.max(1)),
        Metric::Wavefronts | Metric::Sectors => cost,
        Metric::Excessive => cost.saturating_sub(verdict.ideal),
    };
    verdict.is_known()
        && of(verdict.max) <= bound.most
        && (!bound.is_equality || of(verdict.min) == bound.most)
}

/// Costs that are not known are worst, then the highest.
fn rank(access: &Access) -> (bool, u32) {
    (!access.verdict.is_known(), access.verdict.max)
}

fn broken(directive: &Directive, bound: &Bound, access: &Access, context: &Context) -> Finding {
    let verdict = &access.verdict;
    let (op, array, unit) = (access.op.name(), &access.site.array, access.space.unit());
    let message = if verdict.is_known() {
        let cost = if verdict.min == verdict.max {
            format!("{} {unit}", verdict.max)
        } else {
            format!("{} to {} {unit}", verdict.min, verdict.max)
        };
        let ways = verdict.max.div_ceil(verdict.ideal.max(1));
        let ways = match bound.metric {
            Metric::Ways => format!(", {ways}-way"),
            _ => String::new(),
        };
        format!(
            "{op} of `{array}` breaks `expect({})`: {cost} per request, ideal {}{ways}",
            bound.text, verdict.ideal
        )
    } else {
        format!(
            "{op} of `{array}` cannot be shown to keep `expect({})`: {}",
            bound.text, verdict.reason
        )
    };
    let mut finding = about(
        "broken-expectation",
        message,
        Label {
            span: access.site.span,
            text: if verdict.is_known() {
                format!("costs more than `{}`", bound.text)
            } else {
                verdict.status.name().to_owned()
            },
        },
    );
    finding.secondary.push(Label {
        span: directive.span,
        text: "expected here".to_owned(),
    });
    finding
        .notes
        .push(RemarkKind::Launch.remark(describe::launch(&access.launch, access, context)));
    if verdict.is_known() {
        finding.notes.push(describe::proof(access).into());
    }
    if !verdict.assumptions.is_empty() {
        finding
            .notes
            .push(format!("assumes: {}", sentences(&verdict.assumptions)).into());
    }
    finding.evidence = if verdict.is_known() && verdict.min > bound.most {
        Evidence::Proved
    } else {
        Evidence::Possible
    };
    finding.kernel = access.kernel.to_string();
    finding.instance = access.instance.to_string();
    finding.array = array.to_string();
    finding.cost = verdict.max;
    finding.ideal = verdict.ideal;
    finding
}
