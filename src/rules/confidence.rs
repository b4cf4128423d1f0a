//! Confidence: how sure a bad verdict is, and how much it matters.
//!
//! Given a verdict that some request exceeds its ideal, tells *proved* (every launch
//! pays) from *possible* (only some values of the symbols named pay). A possible
//! finding is worth a warning only if values that programs really use pay: sizes
//! and pitches are mostly multiples of powers of two, and so are grids.

use super::kernel_facts::Wanted;
use super::lane_pattern::Pattern;
use super::vector::SECTOR;
use super::{Scope, share, spread, typical, vector};
use crate::finding::{Evidence, Level};
use crate::gpu::{Op, Space, WARP};
use crate::ir::{Argument, Axis, BuiltinValue, Expr};
use crate::prove::verdict::{Access, Dependence, DependenceCase, Verdict};
use crate::term::{Op as TermOp, Symbol, SymbolOrigin, Term};

/// Values of a symbol that programs commonly have.
const TYPICAL: [i64; 4] = [1024, 4096, 512, 256];

/// An array whose excess takes less of a kernel's time at memory is no warning.
const LEAST_SHARE: f64 = 0.04;

/// The same of one access to it, however often others come to the array.
const LEAST_SHARE_OF_ONE: f64 = 0.01;

/// A shared request of twice the ideal is told where it takes this share, or where an edit mends it: another layout
/// often costs as much elsewhere.
const LEAST_SHARE_OF_TWO: f64 = 0.1;

/// Evidence, and the level where it differs from the rule's own.
#[must_use]
pub fn weigh(access: &Access, scope: &Scope) -> (Evidence, Option<Level>) {
    let (mut evidence, level) = of_verdict(&access.verdict);
    if evidence == Evidence::Proved
        && access.verdict.min <= access.verdict.ideal
        && !runs_always(access, scope)
    {
        evidence = Evidence::Possible;
    }
    let is_cold = is_cold(access);
    let is_packed =
        || typical::is_of_odd_records(access, scope) && !has_step_between_elements(access, scope);
    let is_unit =
        || evidence == Evidence::Possible && (is_element_stride(access, scope) || is_packed());
    let is_open_stride = || evidence == Evidence::Possible && is_product_of_symbols(access, scope);
    let is_chosen = || {
        evidence == Evidence::Possible
            && (is_ideal_elsewhere(access, scope)
                || is_narrowed(access, scope)
                || is_of_flag(access)
                || is_of_unknown_rows(access, scope)
                || is_rare(access, scope)
                || is_spread_by_data(access, scope))
    };
    let is_small = is_cold
        || is_little(access)
        || vector::has_other_half(access, scope)
        || vector::is_record(access, scope)
        || vector::is_record_of_turns(access, scope)
        || vector::is_part_of_records(access, scope)
        || is_of_packed_records(access)
        || vector::is_pair_of_loads(access, scope)
        || is_one_wavefront_once(access)
        || is_of_library_layout(access, scope)
        || is_triangle(access, scope)
        || (typical::is_diagonal(access, scope) && !has_step_between_elements(access, scope))
        || is_break(access)
        || is_leader_of_data(access, scope)
        || is_lone_field(access, scope)
        || is_by_block(access, scope);
    // Which instances there are, and what they come to, nobody told: some of them may never pay.
    let is_open = scope.view.kernel.is_open;
    let is_of_some_instance = is_open && evidence == Evidence::Possible;
    let is_minor = is_small
        || is_of_some_instance
        || is_fragment(access, scope)
        || share::of(access, scope) < LEAST_SHARE
        || share::of_one(access, scope) < LEAST_SHARE_OF_ONE;
    let level = if is_minor || is_unit() || is_open_stride() || is_chosen() {
        Some(Level::Info)
    } else {
        level
    };
    (
        if is_open {
            Evidence::Possible
        } else {
            evidence
        },
        level,
    )
}

/// Whether a shared request costs twice its ideal at most, and is a store, or costs that in some warps only, or little beside the
/// rest of the kernel: what is stored once is mostly loaded often, and a layout for the stores would be paid there. Or four times
/// outside of loops, where a few wavefronts are little beside what brought the thread there.
pub fn is_slight(access: &Access, scope: &Scope) -> bool {
    let (cost, ideal) = access.worst();
    let is_store = access.op == Op::Store;
    let is_of_some = access.merged.is_none() && access.verdict.min <= ideal;
    let is_small = is_store || is_of_some || share::of(access, scope) < LEAST_SHARE_OF_TWO;
    cost <= 2 * ideal && is_small || cost <= 4 * ideal && is_once(access)
}

fn of_verdict(verdict: &Verdict) -> (Evidence, Option<Level>) {
    let is_paid =
        |one: &Dependence| one.is_swept && one.cases.iter().any(|case| case.min > case.ideal);
    if verdict.min > verdict.ideal || verdict.depends_on.iter().any(is_paid) {
        return (Evidence::Proved, None);
    }
    let answers: Vec<bool> = verdict
        .depends_on
        .iter()
        .filter_map(pays_typically)
        .collect();
    let pays = if answers.is_empty() {
        // Nothing says which values pay; at twice the ideal that is worth a look.
        verdict.max >= 2 * verdict.ideal
    } else {
        answers.contains(&true)
    };
    (Evidence::Possible, (!pays).then_some(Level::Info))
}

/// Whether nothing that a caller or data choose decides which lanes take part: what a launch goes through,
/// the access then meets.
fn runs_always(access: &Access, scope: &Scope) -> bool {
    let Some(Wanted {
        walk, conditions, ..
    }) = scope.view.wanted(access)
    else {
        return false;
    };
    let symbols = walk.terms.symbols_in(conditions.iter().copied());
    symbols
        .iter()
        .all(|symbol| *symbol == walk.lane || walk.terms.symbol(*symbol).origin.is_swept())
}

/// Half a warp or less, a few times in a block at most or in a block that has no more; or a quarter of one, whose
/// requests are the tail of a reduction or the set-up of a few numbers.
fn is_cold(access: &Access) -> bool {
    const FEW_REQUESTS: u64 = 4;
    let threads = access
        .launch
        .block
        .iter()
        .try_fold(1_u64, |all, axis| all.checked_mul((*axis)?));
    if threads.is_some_and(|threads| threads < WARP as u64 / 2) {
        return true;
    }
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let lanes = witness.addresses.iter().flatten().count();
    let is_rare = match access.per_block {
        Some(sum) => sum.requests <= FEW_REQUESTS,
        None => {
            access.loop_depth == 0 || access.iterations.is_some_and(|turns| turns <= FEW_REQUESTS)
        }
    };
    let is_narrow = lanes <= WARP / 4 || (lanes <= WARP / 2 && is_rare);
    is_narrow && !access.guards.is_empty()
}

/// Whether a shared request costs twice its ideal at most, in no loop that runs more than once: beside what a thread does to get there
/// once, one more wavefront is nothing.
fn is_one_wavefront_once(access: &Access) -> bool {
    let (cost, ideal) = access.worst();
    access.space == Space::Shared && is_once(access) && cost <= 2 * ideal
}

/// Whether it stands in no loop that runs more than once.
fn is_once(access: &Access) -> bool {
    access.loop_depth == 0 || access.iterations == Some(1)
}

/// Whether a library's own layout of shared memory, padded by its authors, costs three times the ideal at most: only they
/// can change it. An array is laid out by the user.
fn is_of_library_layout(access: &Access, scope: &Scope) -> bool {
    let (cost, ideal) = access.worst();
    let is_meant = access.space == Space::Shared && access.site.is_of_library && cost <= 3 * ideal;
    let mut objects = scope.view.kernel.shared.iter();
    is_meant
        && objects
            .find(|object| Some(scope.view.placed(object.span)) == access.declaration)
            .is_some_and(|object| object.dimensions.is_empty())
}

/// Whether the warp reads along records that lie side by side and are packed to bytes or half words: a format gives
/// their size, and no wider access takes a part of one.
fn is_of_packed_records(access: &Access) -> bool {
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let is_packed = (1..4).contains(&access.site.whole_align);
    let stride = stride(access);
    // Records of 4 or 8 bytes need no more than an alignment.
    let is_odd = stride.is_none_or(|stride| !stride.unsigned_abs().is_power_of_two());
    if access.space != Space::Global || !is_packed || !is_odd {
        return false;
    }
    let lanes = || witness.addresses.iter().flatten();
    let Some((first, last)) = lanes().min().zip(lanes().max()) else {
        return false;
    };
    let end = last + u64::from(access.width) - 1;
    let between = end / SECTOR - first / SECTOR + 1;
    u64::from(access.worst().0) >= between
}

/// Whether the lanes stand further and further apart, and no index moves along neighbouring elements: the rows
/// or the diagonal of a packed triangle.
fn is_triangle(access: &Access, scope: &Scope) -> bool {
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let lanes: Vec<u64> = witness.addresses.iter().flatten().copied().collect();
    let steps: Vec<i64> = lanes
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]) as i64)
        .collect();
    let mut grows = steps.windows(2).map(|pair| pair[1] - pair[0]);
    let Some(first) = grows.next() else {
        return false;
    };
    let is_even = grows.all(|one| one == first);
    let is_growing = access.space == Space::Global && first != 0 && is_even;
    is_growing && !has_step_between_elements(access, scope)
}

/// Whether all lanes meet at one word, and data has to be equal to some number in each of them: one lane of
/// many is mostly chosen so, the first of those that vote.
fn is_leader_of_data(access: &Access, scope: &Scope) -> bool {
    let Some(Wanted {
        walk, conditions, ..
    }) = scope.view.wanted(access)
    else {
        return false;
    };
    let mut lanes = access
        .verdict
        .witness
        .iter()
        .flat_map(|witness| witness.addresses.iter().flatten());
    let first = lanes.next();
    access.op == Op::Atomic && lanes.all(|lane| Some(lane) == first) && {
        let mut parts = conditions.to_vec();
        let mut is_chosen = false;
        while let Some(part) = parts.pop() {
            match *walk.terms.term(part) {
                Term::Binary(TermOp::LogicalAnd, a, b) => parts.extend([a, b]),
                Term::Binary(TermOp::Eq, ..) => is_chosen |= walk.terms.has_data(part),
                _ => {}
            }
        }
        is_chosen
    }
}

/// Whether a global request costs a sector or two more than it needs: members of packed blocks, the last
/// step of a reduction.
fn is_little(access: &Access) -> bool {
    const FEW_SECTORS: u32 = 2;
    let (cost, ideal) = match (&access.verdict.witness, &access.merged) {
        (None, _) => return false,
        (Some(witness), None) => (witness.cost, witness.ideal),
        (Some(_), Some(merged)) => (merged.max, merged.ideal),
    };
    access.space == Space::Global && cost.saturating_sub(ideal) <= FEW_SECTORS
}

/// Whether the lanes stand side by side but for one break, and warps without it are ideal: what is lost stands at
/// the ends of two runs, as where a row ends or a remainder begins anew.
fn is_break(access: &Access) -> bool {
    const RUNS: usize = 2;
    let verdict = &access.verdict;
    let witness = verdict.witness.as_ref();
    let runs = witness.map(|one| Pattern::of(one, access.width).runs.len());
    access.space == Space::Global
        && verdict.min <= verdict.ideal
        && runs.is_some_and(|runs| runs <= RUNS)
}

/// Whether strides that the caller gives decide, and nothing says of which values the request costs more. Where
/// something else in the kernel walks between neighbouring elements, the lanes walk across its rows, however
/// long these are.
fn is_product_of_symbols(access: &Access, scope: &Scope) -> bool {
    let verdict = &access.verdict;
    let is_open =
        verdict.depends_on.is_empty() && verdict.min <= verdict.ideal && verdict.has_open_strides;
    is_open && !has_step_between_elements(access, scope)
}

/// Whether something in the kernel other than the lane walks between neighbouring elements.
fn has_step_between_elements(access: &Access, scope: &Scope) -> bool {
    let width = i64::from(access.width);
    let steps = spread::steps(access, scope.view);
    let mut steps = steps.iter().filter(|step| step.origin.is_swept());
    steps.any(|step| step.bytes.abs() == width)
}

/// Whether another instance of the kernel makes this access at its ideal cost, or at a sector more where its rows begin in
/// the middle of one: where host code chooses the instance by the sizes that it passes, the values that would pay are given to
/// others.
fn is_ideal_elsewhere(access: &Access, scope: &Scope) -> bool {
    let is_near = |other: &Access| {
        let (cost, ideal) = other.worst();
        other.space == Space::Global && other.verdict.is_known() && ideal > 1 && cost <= ideal + 1
    };
    scope.accesses.iter().any(|other| {
        other.instance != access.instance
            && (other.site.span, other.op) == (access.site.span, access.op)
            && (other.is_ideal() || is_near(other))
    })
}

/// Whether no number that the caller gives is known to decide, and common ones cost the ideal.
fn is_rare(access: &Access, scope: &Scope) -> bool {
    let mut decide = access.verdict.depends_on.iter();
    decide.all(|one| pays_typically(one).is_none()) && typical::is_ideal(access, scope)
}

/// Whether a flag of the caller decides, and what it asks for at its worst costs few times the ideal: a layout for whoever
/// reads it next.
fn is_of_flag(access: &Access) -> bool {
    const FEW_TIMES: u32 = 3;
    let (cost, ideal) = access.worst();
    let decide = &access.verdict.depends_on;
    let is_flag = |one: &Dependence| {
        let mut cases = one.cases.iter();
        !one.is_swept && !one.cases.is_empty() && !cases.any(|case| case.when.holds(2))
    };
    cost <= FEW_TIMES * ideal && !decide.is_empty() && decide.iter().all(is_flag)
}

/// Whether a number that the kernel reads or that is not followed says how far lanes are apart: nothing tells which values
/// it has.
fn is_spread_by_data(access: &Access, scope: &Scope) -> bool {
    let mut symbols = spread::symbols_of_stride(access, scope.view).into_iter();
    let is_open = |symbol: &Symbol| {
        matches!(
            symbol.origin,
            SymbolOrigin::Element { .. } | SymbolOrigin::Other
        )
    };
    access.space == Space::Global
        && symbols.any(is_open)
        && !has_step_between_elements(access, scope)
}

/// Whether lanes take one field of a record of theirs, once, and nothing beside it, and data chooses the lanes or the
/// record is a description of some size: nobody takes such a record apart for one field of it.
fn is_lone_field(access: &Access, scope: &Scope) -> bool {
    let text = scope.context.sources.text(access.site.span);
    let name = text.rsplit(']').next().unwrap_or(text);
    let is_field = access.site.member.is_some() || name.contains('.') || name.contains("->");
    let stride = stride(access);
    let is_apart = stride.is_some_and(|stride| stride.unsigned_abs() >= SECTOR);
    let is_once = access.space == Space::Global && vector::long_loops(access, scope) == 0;
    if !(is_once && is_field && is_apart) {
        return false;
    }
    let is_chosen = scope.view.wanted(access).is_some_and(|wanted| {
        let mut conditions = wanted.conditions.iter();
        conditions.any(|one| wanted.walk.terms.has_data(*one))
    });
    let is_constant = spread::symbols_of_stride(access, scope.view).is_empty();
    let member = access.site.member.as_ref();
    let is_description = member.is_some_and(|member| {
        let size = u64::from(member.size);
        size >= 2 * SECTOR && stride.map(i64::unsigned_abs) == Some(size)
    });
    let is_meant = is_chosen || is_description;
    is_meant && is_constant && !vector::has_mate(access, scope)
}

/// Whether neighbouring blocks take neighbouring elements, and lanes those of the same block in rows as long as the grid:
/// a scan over the blocks wants it so.
fn is_by_block(access: &Access, scope: &Scope) -> bool {
    if access.space != Space::Global || access.loop_depth > 0 {
        return false;
    }
    let width = i64::from(access.width);
    let strides = spread::symbols_of_stride(access, scope.view);
    let blocks = access.launch.grid[0].filter(|blocks| *blocks > 1);
    let is_all_blocks = |blocks: u64| Some(blocks as i64 * width) == stride(access).map(i64::abs);
    let is_grid = strides.iter().any(|one| one.name.starts_with("gridDim"))
        || strides.is_empty() && blocks.is_some_and(is_all_blocks);
    let is_next =
        |step: spread::Step| step.origin == SymbolOrigin::BlockIndex && step.bytes.abs() == width;
    is_grid && spread::steps(access, scope.view).into_iter().any(is_next)
}

/// Bytes from one lane of the witness to the next, where that is one number.
fn stride(access: &Access) -> Option<i64> {
    let witness = access.verdict.witness.as_ref()?;
    Pattern::of(witness, access.width).stride
}

/// Whether a number that decides is one of which host code chose the launch: what would pay may go to others.
fn is_narrowed(access: &Access, scope: &Scope) -> bool {
    let Some(launch) = scope.view.launch_of(access) else {
        return false;
    };
    let launch = &scope.view.launches[launch];
    let is_narrowed = |at: u32| {
        let argument = launch.arguments.get(at as usize);
        matches!(argument, Some(Argument::Narrowed))
    };
    let has_narrowed = launch.arguments.contains(&Argument::Narrowed);
    has_narrowed && {
        let decide = access.verdict.depends_on.iter();
        let mut decide = decide.flat_map(|one| one.parameters.iter().copied());
        let stride = spread::symbols_of_stride(access, scope.view);
        let mut of_stride = stride.iter().filter_map(|symbol| symbol.origin.parameter());
        decide.any(is_narrowed) || of_stride.any(is_narrowed)
    }
}

/// Whether a matrix fragment moves to or from global memory: which lane takes which of its elements,
/// the hardware says.
fn is_fragment(access: &Access, scope: &Scope) -> bool {
    let text = scope.context.sources.text(access.site.span);
    access.space == Space::Global && (text.contains("_matrix_sync") || has_fragment_lanes(access))
}

/// Eight rows of four lanes each, as the accumulators of `mma` have them, though the block is not that narrow; or these
/// as columns.
fn has_fragment_lanes(access: &Access) -> bool {
    const IN_ROW: usize = 4;
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let is_narrow = access.launch.block[0].is_some_and(|x| x <= IN_ROW as u64);
    let rows: Vec<Vec<Option<u64>>> = witness
        .addresses
        .chunks(IN_ROW)
        .map(<[_]>::to_vec)
        .collect();
    let column = |at: usize| {
        witness
            .addresses
            .iter()
            .skip(at)
            .step_by(IN_ROW)
            .copied()
            .collect()
    };
    let columns: Vec<Vec<Option<u64>>> = (0..IN_ROW).map(column).collect();
    !is_narrow && (are_rows(&rows, access) || are_rows(&columns, access))
}

/// Whether the lanes of each list stand side by side, and lists far apart.
fn are_rows(rows: &[Vec<Option<u64>>], access: &Access) -> bool {
    let width = u64::from(access.width);
    // Two elements a lane, taken one at a time or together.
    let is_row = |row: &Vec<Option<u64>>| {
        let steps = row.windows(2).map(|pair| pair[1]?.checked_sub(pair[0]?));
        let steps: Option<Vec<u64>> = steps.collect();
        steps.is_some_and(|steps| {
            steps.iter().all(|step| *step == steps[0])
                && (steps[0] == width || steps[0] == 2 * width)
        })
    };
    let starts: Option<Vec<u64>> = rows.iter().map(|row| row[0]).collect();
    let is_apart = starts.is_some_and(|starts| {
        let mut pairs = starts.windows(2);
        pairs.all(|pair| pair[1].abs_diff(pair[0]) > 8 * width)
    });
    is_apart && rows.iter().all(is_row)
}

/// Whether lanes are strided by a number that the caller chooses, and nothing else in the kernel
/// walks between them: such a number, `incx` or `stride`, is 1 in most programs, where a pitch is not.
fn is_element_stride(access: &Access, scope: &Scope) -> bool {
    // One more where the elements begin inside of a sector, twice as many where every second lane takes part, and as many times
    // as a lane takes neighbours one by one.
    let witness = access.verdict.witness.as_ref();
    let lanes = witness.map_or(0, |one| one.addresses.iter().flatten().count());
    let of_half = if lanes <= WARP / 2 { 2 } else { 1 };
    let times = of_half * elements_of_a_lane(access, scope);
    // Strides may be told in bytes.
    let dense = [1, i64::from(access.width)];
    let is_one = |case: &DependenceCase| {
        case.max <= times * case.ideal + 1 && dense.iter().any(|stride| case.when.holds(*stride))
    };
    let mut strides = access.verdict.depends_on.iter().filter(|one| !one.is_swept);
    let is_fine_at_one = strides.any(|one| one.cases.iter().any(is_one));
    let is_fine_at_one = is_fine_at_one || is_strided_by_one_number(access, scope);
    is_fine_at_one && !has_step_between_elements(access, scope)
}

/// How many elements each lane takes in the turns of a short loop where lanes lie so many strides of the caller apart; else 1.
fn elements_of_a_lane(access: &Access, scope: &Scope) -> u32 {
    const MOST: i64 = 4;
    let symbols = spread::symbols_of_stride(access, scope.view);
    let (Some(witness), [symbol]) = (&access.verdict.witness, &symbols[..]) else {
        return 1;
    };
    let mut values = witness.symbols.iter();
    let value = values.find(|(name, _)| **name == *symbol.name);
    let one = value.and_then(|(_, value)| value.checked_mul(i64::from(access.width)));
    let stride = stride(access);
    let count = match (stride, one) {
        (Some(stride), Some(one)) if one > 0 && stride % one == 0 => stride / one,
        _ => 1,
    };
    let is_taken = (2..=MOST).contains(&count) && vector::has_turns(access, scope, count as u64);
    if is_taken { count as u32 } else { 1 }
}

/// Whether nothing tells costs by values, and lanes are as many elements or bytes apart as one number says that the
/// caller chooses.
fn is_strided_by_one_number(access: &Access, scope: &Scope) -> bool {
    let Some(witness) = &access.verdict.witness else {
        return false;
    };
    let symbols = spread::symbols_of_stride(access, scope.view);
    let [symbol] = symbols[..] else {
        return false;
    };
    let mut values = witness.symbols.iter();
    let value = values.find(|(name, _)| **name == *symbol.name);
    let stride = stride(access);
    access.verdict.depends_on.is_empty()
        && !symbol.origin.is_swept()
        && value.is_some_and(|(_, value)| {
            stride.is_some_and(|stride| {
                let in_elements = value.checked_mul(i64::from(access.width));
                Some(stride) == in_elements || stride == *value
            })
        })
}

/// Whether typical values of the symbol pay; `None` where the cases cannot tell.
fn pays_typically(dependence: &Dependence) -> Option<bool> {
    let answers: Vec<bool> = TYPICAL
        .iter()
        .filter_map(|value| {
            let case = dependence
                .cases
                .iter()
                .find(|case| case.when.holds(*value))?;
            if case.min > case.ideal {
                Some(true)
            } else {
                (case.max <= case.ideal).then_some(false)
            }
        })
        .collect();
    (!answers.is_empty()).then(|| answers.iter().filter(|pays| **pays).count() * 2 > answers.len())
}

/// Whether lanes of a warp may lie in rows of any length: nobody tells how wide the block is, and the kernel asks for
/// `threadIdx.y`.
fn is_of_unknown_rows(access: &Access, scope: &Scope) -> bool {
    let [width, height, _] = access.launch.block;
    let asks_for_rows = |e: &Expr| matches!(e, Expr::Builtin(BuiltinValue::ThreadIdx(Axis::Y)));
    width.is_none() && height != Some(1) && scope.view.kernel.exprs.iter().any(asks_for_rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::verdict::{Condition, DependenceCase, Status};

    fn weigh(is_swept: bool, cases: &[(Condition, u32, u32)]) -> (Evidence, Option<Level>) {
        let cases: Vec<DependenceCase> = cases
            .iter()
            .map(|(when, min, max)| DependenceCase {
                when: when.clone(),
                min: *min,
                max: *max,
                ideal: 4,
            })
            .collect();
        let verdict = Verdict {
            status: Status::Bounded,
            min: cases.iter().map(|case| case.min).min().unwrap_or(4),
            max: cases.iter().map(|case| case.max).max().unwrap_or(8),
            ideal: 4,
            reason: String::new(),
            has_open_strides: false,
            depends_on: vec![Dependence {
                is_swept,
                symbol: "n".to_owned(),
                operand: "n".to_owned(),
                parameters: Vec::new(),
                cases,
            }],
            assumptions: Vec::new(),
            witness: None,
            certificate: std::sync::Arc::default(),
        };
        of_verdict(&verdict)
    }

    #[test]
    fn a_cost_that_common_sizes_avoid_is_no_warning() {
        let rows = weigh(
            false,
            &[
                (Condition::remainder(8, vec![0]), 4, 4),
                (Condition::Otherwise, 5, 5),
            ],
        );
        assert_eq!(rows, (Evidence::Possible, Some(Level::Info)));
    }

    #[test]
    fn a_cost_that_common_sizes_pay_is_a_warning() {
        let stride = weigh(
            false,
            &[
                (Condition::one_of(vec![1]), 4, 4),
                (Condition::one_of((2..=7).collect()), 8, 28),
                (Condition::Otherwise, 32, 32),
            ],
        );
        assert_eq!(stride, (Evidence::Possible, None));
    }

    #[test]
    fn a_loop_that_runs_through_bad_values_is_proved() {
        let steps = weigh(
            true,
            &[
                (Condition::one_of(vec![16]), 4, 4),
                (Condition::one_of(vec![1]), 8, 8),
            ],
        );
        assert_eq!(steps, (Evidence::Proved, None));
    }
}
