//! The simulated judge: every simulated request lies in the proved bounds.

use crate::fixtures::describe;
use crate::support::{CASES, Case, Mismatches, fits};
use cudalint::fixture::FixtureLaunch;
use cudalint::gpu::Total;
use cudalint::gpu::cost::{Cost, Op, Request, SharedAtomic, Space, cost, ldmatrix, shared_atomic};
use cudalint::ir::{Kernel, Site};
use cudalint::prove::verdict::{Access, Status};
use cudalint::sim::{self, SimRequest};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn simulated_requests_lie_in_the_bounds() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        mismatches.file(&case.name, &problems(case, true));
    }
    mismatches.finish();
}

#[test]
fn witnesses_replay() {
    let mut mismatches = Mismatches::default();
    for case in CASES.iter() {
        let mut problems = Vec::new();
        for access in &case.analysis.accesses {
            problems.extend(replay(case, access));
        }
        mismatches.file(&case.name, &problems);
    }
    mismatches.finish();
}

fn replay(case: &Case, access: &Access) -> Option<String> {
    let witness = access.verdict.witness.as_ref()?;
    let Access {
        space, op, width, ..
    } = *access;
    let request = Request {
        addresses: witness.addresses,
        width,
        space,
        op,
    };
    // Shared atomics and matrix moves cost what the instruction behind them does.
    let mut replayed = vec![cost(&request, &case.arch)];
    if (space, op) == (Space::Shared, Op::Atomic) {
        let kinds = [
            SharedAtomic::Increment,
            SharedAtomic::Native,
            SharedAtomic::CompareAndSwap,
        ];
        replayed
            .extend(kinds.map(|kind| shared_atomic(&witness.addresses, width, kind, &case.arch)));
    }
    if space == Space::Shared && width == 16 {
        replayed
            .extend([1, 2, 4].map(|matrices| ldmatrix(&witness.addresses, matrices, &case.arch)));
    }
    let said = Cost {
        actual: witness.cost,
        ideal: witness.ideal,
    };
    let is_right = replayed.contains(&said) && witness.cost == access.verdict.max;
    let replayed = replayed[0];
    (!is_right).then(|| {
        format!(
            "{} the witness replays as {}/{}, it says {}/{} of {}",
            case.at(access.site.span),
            replayed.actual,
            replayed.ideal,
            witness.cost,
            witness.ideal,
            describe(access)
        )
    })
}

/// What the simulator found at odds with the verdicts. `attains`: whether the launches of the
/// file must reach the least and most cost that is stated.
pub fn problems(case: &Case, attains: bool) -> Vec<String> {
    let mut problems = Vec::new();
    let accesses = &case.analysis.accesses;
    let mut seen: Vec<Option<(u32, u32)>> = vec![None; accesses.len()];
    for launch in case.fixture.launches.iter().filter(|_| case.is_simulated) {
        let Some(kernel) = case.kernel_of(launch) else {
            continue;
        };
        let shape = format!("launch of line {}", case.source.line(launch.span.start));
        match simulate(case, launch, kernel, &mut seen) {
            Ok(found) => problems.extend(
                found
                    .into_iter()
                    .map(|problem| format!("{problem} ({shape})")),
            ),
            Err(reason) => problems.push(format!("{shape}: not simulated: {reason}")),
        }
    }
    for (access, seen) in accesses.iter().zip(seen) {
        let verdict = &access.verdict;
        // The simulator puts a variable at one of the places that a compiler may choose.
        let is_placed = verdict.reason.contains("start of ");
        // Bounds without a witness are not claimed to be reached.
        let is_claimed = attains
            && !is_placed
            && verdict.is_known()
            && (verdict.max <= verdict.ideal || verdict.witness.is_some());
        let Some((least, most)) = seen.filter(|_| is_claimed) else {
            continue;
        };
        let is_short = match verdict.status {
            Status::Exact => most != verdict.max,
            // Partly active requests may cost less than any that the verdict speaks of.
            _ => least > verdict.min || most != verdict.max,
        };
        if is_short {
            problems.push(format!(
                "{} simulated {least}..{most} of {}",
                case.at(access.site.span),
                describe(access)
            ));
        }
    }
    problems
}

#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn simulate(
    case: &Case,
    launch: &FixtureLaunch,
    kernel: &Kernel,
    seen: &mut [Option<(u32, u32)>],
) -> Result<Vec<String>, String> {
    let accesses = &case.analysis.accesses;
    let relevant: Vec<usize> = (0..accesses.len())
        .filter(|index| {
            case.launches_of(&accesses[*index])
                .any(|known| std::ptr::eq(known, launch))
        })
        .collect();
    let mut problems = BTreeSet::new();
    let mut sums: BTreeMap<(usize, [u32; 3]), Total> = BTreeMap::new();
    let mut observer = |request: &SimRequest| {
        let Some(site) = kernel.sites.get(request.site.index()) else {
            return;
        };
        let speaking: Vec<usize> = relevant
            .iter()
            .copied()
            .filter(|index| speaks_of(&accesses[*index], site, request))
            .collect();
        let exact: Vec<usize> = speaking
            .iter()
            .copied()
            .filter(|index| fits(accesses[*index].launch.grid, launch.grid))
            .collect();
        let speaking = if exact.is_empty() { speaking } else { exact };
        for index in &speaking {
            note(&mut seen[*index], request);
            let of_block: &mut Total = sums.entry((*index, request.block)).or_default();
            *of_block = of_block.plus(request.cost.into()).expect("a sum");
        }
        if speaking.is_empty() {
            problems.insert(format!(
                "{} has requests, but no verdict",
                case.at(site.span)
            ));
        } else if let Some(problem) = outside(&speaking, accesses, request) {
            problems.insert(format!("{} {problem}", case.at(site.span)));
        }
    };
    let concrete = sim::concrete(launch, kernel)?;
    let outcome = sim::run(
        kernel,
        &case.analysis.program,
        &concrete,
        &case.arch,
        &mut observer,
    )
    .map_err(|unsupported| unsupported.reason)?;
    let mut problems: Vec<String> = problems.into_iter().collect();
    if outcome.fault.is_none() {
        for index in &relevant {
            problems.extend(wrong_sum(
                case,
                &accesses[*index],
                |block| sums.get(&(*index, block)).copied().unwrap_or_default(),
                launch,
            ));
        }
    }
    if let Some(fault) = outcome.fault {
        let place = kernel
            .sites
            .get(fault.site.index())
            .map(|site| case.at(site.span))
            .unwrap_or_default();
        problems.push(format!(
            "{place} thread {} of block {:?}: {}",
            fault.thread, fault.block, fault.message
        ));
    }
    for barrier in outcome.divergent_barriers {
        problems.push(format!(
            "{} {} of {} threads arrive",
            case.at(barrier.span),
            barrier.arrived,
            barrier.expected
        ));
    }
    for span in outcome.violated {
        problems.push(format!("{} does not hold", case.at(span)));
    }
    Ok(problems)
}

/// A block in which an access comes to another sum than the one that is told of it.
fn wrong_sum(
    case: &Case,
    access: &Access,
    counted: impl Fn([u32; 3]) -> Total,
    launch: &FixtureLaunch,
) -> Option<String> {
    let told = access.per_block?;
    if !fits(access.launch.grid, launch.grid) {
        return None;
    }
    let [x, y, z] = launch.grid;
    let blocks = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
    let mut blocks = blocks.map(|block| (block, counted(block)));
    let (block, counted) = blocks.find(|(_, counted)| *counted != told)?;
    Some(format!(
        "{} block {block:?} comes to {counted:?}, {told:?} is told of {}",
        case.at(access.site.span),
        describe(access)
    ))
}

fn speaks_of(access: &Access, site: &Site, request: &SimRequest) -> bool {
    (access.site.span, access.site.line) == (site.span, site.line)
        && access.site.array == site.array
        && (access.space, access.op) == (request.request.space, request.request.op)
        && access.width == request.request.width
}

fn note(seen: &mut Option<(u32, u32)>, request: &SimRequest) {
    let cost = request.cost.actual;
    let (least, most) = seen.unwrap_or((cost, cost));
    *seen = Some((least.min(cost), most.max(cost)));
}

/// A request lies in the bounds of one verdict that speaks of it. A verdict whose witness has
/// the same lanes bounds it on both sides; else it bounds the cost from above only: the tail
/// under a range guard costs no more than the interior.
fn outside(speaking: &[usize], accesses: &[Access], request: &SimRequest) -> Option<String> {
    let cost = request.cost.actual;
    let lanes = request.request.active_mask();
    let lies_inside = |access: &Access| {
        let verdict = &access.verdict;
        let witness = verdict.witness.as_ref().map(|witness| {
            let addresses = witness.addresses.iter().enumerate();
            addresses.fold(0_u32, |mask, (lane, address)| {
                mask | u32::from(address.is_some()) << lane
            })
        });
        let is_same =
            witness.is_some_and(|mask| mask == lanes) || (witness.is_none() && lanes == u32::MAX);
        !verdict.is_known() || (cost <= verdict.max && (!is_same || cost >= verdict.min))
    };
    let said: Vec<&Access> = speaking.iter().map(|index| &accesses[*index]).collect();
    if said.iter().any(|access| lies_inside(access)) {
        return None;
    }
    let said: Vec<String> = said.into_iter().map(describe).collect();
    Some(format!(
        "a request of lanes {lanes:#010x} costs {cost}, outside of {}",
        said.join(" and ")
    ))
}
