//! Whether one request agrees with a verdict: its cost, the verdict's assumptions and its cases.

use super::{Judge, Setting};
use crate::gpu::cost::{self, Cost, Op, SharedAtomic, Space};
use crate::judge::assume::{Assumption, Names, Situation, Truth, condition, evaluate};
use crate::judge::trace::Request;
use crate::judge::verdicts::{DependenceCase, Verdict};

pub(in crate::judge) enum Objection {
    Wrong(String),
    /// Disagrees, under an assumption of which it is not known whether it holds.
    Outside(usize, String),
    /// An assumption does not hold.
    Unmet(usize),
}

impl Judge<'_> {
    /// What a request may cost: several only where the instruction behind it is not known.
    pub(in crate::judge) fn costs(&self, request: &Request, width: u32, offset: u32) -> Vec<Cost> {
        let mut addresses = request.addresses;
        for address in addresses.iter_mut().flatten() {
            *address += u64::from(offset);
        }
        let op = [Op::Load, Op::Store, Op::Atomic][usize::from(request.op.min(2))];
        let space = if request.is_global {
            Space::Global
        } else {
            Space::Shared
        };
        let ask = cost::Request {
            addresses,
            width,
            space,
            op,
        };
        let mut out = vec![cost::cost(&ask, self.arch)];
        if op == Op::Atomic && !request.is_global {
            let kinds = [
                SharedAtomic::Increment,
                SharedAtomic::Combined,
                SharedAtomic::Native,
                SharedAtomic::CompareAndSwap,
            ];
            out.extend(kinds.map(|kind| cost::shared_atomic(&addresses, width, kind, self.arch)));
            out.push(cost::atomic_loop_round(width, ask.active_mask()));
        }
        if op == Op::Atomic && request.is_global {
            // One lane of a warp that adds to one address.
            let mut first = [None; 32];
            if let Some(at) = addresses.iter().position(Option::is_some) {
                first[at] = addresses[at];
            }
            let ask = cost::Request {
                addresses: first,
                ..ask
            };
            out.push(cost::cost(&ask, self.arch));
        }
        out
    }

    /// The verdict that a request agrees with, or what speaks against all of them.
    pub(in crate::judge) fn verdict_of(
        &self,
        setting: &Setting,
        names: &Names,
        matching: &[usize],
        request: &Request,
        costs: &[Cost],
    ) -> Result<usize, Objection> {
        let mut objection = None;
        for at in matching {
            match costs
                .iter()
                .map(|cost| self.agrees(*at, setting, names, request, *cost))
                .reduce(|first, next| {
                    if first.is_ok() {
                        first
                    } else if next.is_ok() {
                        next
                    } else {
                        first
                    }
                }) {
                Some(Ok(())) | None => return Ok(*at),
                Some(Err(new)) => {
                    // What may be right outweighs what is wrong.
                    let is_wrong =
                        |o: &Option<Objection>| matches!(o, Some(Objection::Wrong(_)) | None);
                    if is_wrong(&objection) {
                        objection = Some(new);
                    }
                }
            }
        }
        Err(objection.unwrap_or(Objection::Wrong("no verdict".to_owned())))
    }

    fn agrees(
        &self,
        at: usize,
        setting: &Setting,
        names: &Names,
        request: &Request,
        cost: Cost,
    ) -> Result<(), Objection> {
        let verdict = &self.report.accesses[at];
        let situation = Situation {
            names,
            is_full: request.mask == u32::MAX,
            addresses: &request.addresses,
            is_moved: setting.is_moved,
        };
        let mut truth = Truth::Yes;
        let mut is_interior_only = false;
        for assumption in &verdict.assumes {
            match assumption.holds(&situation) {
                Truth::Yes => {}
                Truth::No if *assumption == Assumption::WholeWarp => is_interior_only = true,
                Truth::No => return Err(Objection::Unmet(at)),
                Truth::Unknown => truth = Truth::Unknown,
            }
        }
        let wrong = |what: String| match truth {
            Truth::Unknown => Err(Objection::Outside(at, what)),
            _ => Err(Objection::Wrong(what)),
        };
        let Cost { actual, ideal } = cost;
        let unit = unit_of(request);
        if actual > verdict.cost.max {
            return wrong(format!("a request costs {actual}/{ideal} {unit}"));
        }
        if is_interior_only {
            return Ok(());
        }
        let is_same_ratio = |top: u32, bottom: u32| {
            u64::from(actual) * u64::from(bottom) == u64::from(ideal) * u64::from(top)
        };
        let ratio = verdict.status == "exact" && is_same_ratio(verdict.cost.max, verdict.ideal);
        if actual < verdict.cost.min && !ratio {
            return wrong(format!("a request costs only {actual}/{ideal} {unit}"));
        }
        if verdict.cost.max <= verdict.ideal && actual > ideal {
            return wrong(format!("a request costs {actual}/{ideal} {unit}, no ideal"));
        }
        let is_full = request.mask == u32::MAX && verdict.op != "atomic";
        if verdict.status == "exact" {
            let is_said = actual == verdict.cost.max || ratio;
            if !is_said && is_full {
                return wrong(format!(
                    "a request costs {actual}/{ideal} {unit}, not what is exact"
                ));
            }
            if is_full && actual == verdict.cost.max && ideal != verdict.ideal {
                return wrong(format!("the ideal of a request is {ideal} {unit}"));
            }
        }
        if let Some(what) = broken_dependence(verdict, names, request, cost) {
            return wrong(what);
        }
        Ok(())
    }
}

/// Where a request costs what its verdict does not say of the values that it has.
fn broken_dependence(
    verdict: &Verdict,
    names: &Names,
    request: &Request,
    cost: Cost,
) -> Option<String> {
    let Cost { actual, ideal } = cost;
    let unit = unit_of(request);
    for dependence in &verdict.depends_on {
        let is_known = |when: &str| condition(when, names);
        let rest = dependence
            .cases
            .iter()
            .filter(|case| case.when != "otherwise");
        // The last case holds only where all others are known not to.
        let is_rest = rest
            .map(|case| is_known(&case.when))
            .all(|truth| truth == Some(false));
        let holding = dependence.cases.iter().filter(|case| {
            if case.when == "otherwise" {
                is_rest
            } else {
                is_known(&case.when) == Some(true)
            }
        });
        // Of sizes that are negative nothing is told.
        let is_size = evaluate(&dependence.symbol, names).is_none_or(|value| value >= 0);
        let is_full = request.mask == u32::MAX && is_size;
        let holding: Vec<_> = holding.filter(|_| is_full).collect();
        let allows = |case: &&DependenceCase| (case.min..=case.max).contains(&actual);
        if let Some(case) = holding.iter().find(|case| !allows(case)) {
            return Some(format!(
                "a request costs {actual}/{ideal} {unit}, where `{}` ({}) says {}..{}",
                case.when, dependence.symbol, case.min, case.max
            ));
        }
    }
    None
}

fn unit_of(request: &Request) -> &'static str {
    if request.is_global {
        "sectors"
    } else {
        "wavefronts"
    }
}
