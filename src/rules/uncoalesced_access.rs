//! `uncoalesced-access` (CL201): the lanes of a global request are spread over more sectors than their bytes need.

use super::confidence::weigh;
use super::describe::quoted;
use super::lane_pattern::Pattern;
use super::spread::{self, Step};
use super::vector::{self, Vector};
use super::{Judged, Scope, typical};
use crate::finding::{Evidence, Level};
use crate::gpu::cost::{Op, Space};
use crate::ir::{Axis, ParameterKind, Path};
use crate::prove::verdict::{Access, Witness};
use crate::term::{Symbol, SymbolId, SymbolOrigin};
use rustc_hash::FxHashSet;

/// Structures people write are seldom larger, rows of matrices seldom smaller.
const LARGEST_STRUCTURE: i64 = 256;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    if access.space != Space::Global || !access.is_bad() {
        return None;
    }
    let witness = access.verdict.witness.as_ref()?;
    let pattern = Pattern::of(witness, access.width);
    let (most, ideal) = access.worst();
    if pattern.is_only_misaligned(ideal) {
        return None;
    }
    // Few pass a pointer into the middle of a sector: what that adds is told beside.
    let from_start = typical::cost_from_start(access, scope);
    let cost = from_start
        .filter(|cost| (ideal..most).contains(cost))
        .unwrap_or(most);
    let (evidence, mut level) = weigh(access, scope);
    if cost <= ideal {
        level = Some(Level::Info);
    }
    let possible = if evidence == Evidence::Possible {
        "possible uncoalesced"
    } else {
        "uncoalesced"
    };
    let (cause, advice) = match reversed(access, &pattern, scope) {
        Some((cause, advice)) => (Some(cause), advice),
        None => cause(access, witness, &pattern, scope),
    };
    let mut causes: Vec<String> = cause.into_iter().collect();
    if cost < most {
        causes.push(format!(
            "up to {most} sectors where the pointer behind `{}` is not aligned to 32 bytes",
            access.site.array
        ));
    }
    causes.extend(read_only(access, scope));
    Some(Judged {
        evidence,
        level,
        message: format!(
            "{possible} {} of `{}`: {cost} sectors per request, ideal {ideal}, {} excessive",
            access.op.name(),
            access.site.array,
            cost.saturating_sub(ideal)
        ),
        label: match pattern.stride {
            Some(stride) => format!(
                "neighbouring lanes are {} bytes apart{}",
                stride.unsigned_abs(),
                where_so(access, witness, scope)
            ),
            None => format!(
                "{} lanes touch {cost} sectors for {} bytes",
                pattern.lanes,
                pattern.bytes()
            ),
        },
        is_slight: false,
        causes,
        advice: Some(advice),
    })
}

/// ` where M = 8`: what the distance of the lanes of a witness rests on; nothing where the text alone decides it.
fn where_so(access: &Access, witness: &Witness, scope: &Scope) -> String {
    const MOST: usize = 2;
    let Some(wanted) = scope.view.wanted(access) else {
        return String::new();
    };
    let symbols = spread::stride(access, scope.view);
    let told = symbols.iter().filter_map(|symbol| {
        let name = &wanted.walk.terms.symbol(*symbol).name;
        let (_, value) = witness.symbols.iter().find(|(one, _)| **one == **name)?;
        Some(format!("{name} = {value}"))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() || told.len() > MOST {
        return String::new();
    }
    format!(" where {}", told.join(" and "))
}

/// `p_x[i]` for `p[i].x`.
fn of_arrays(text: &str) -> Option<String> {
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (array, rest) = text.split_once('[')?;
    let (index, member) = rest.rsplit_once(']')?;
    let member = member.trim();
    let field = member
        .strip_prefix('.')
        .or_else(|| member.strip_prefix("->"))?;
    (is_name(array.trim()) && is_name(field.trim()))
        .then(|| format!("{}_{}[{index}]", array.trim(), field.trim()))
}

/// Where another index moves along neighbouring elements: the lanes run along the wrong one.
fn reversed(access: &Access, pattern: &Pattern, scope: &Scope) -> Option<(String, String)> {
    let width = i64::from(access.width);
    let view = scope.view;
    if let Some(told) = torn_copy(access, scope) {
        return Some(told);
    }
    if let Some(vector) = Vector::of(access, scope) {
        return Some((
            format!(
                "cause: each lane takes {} neighbouring elements one at a time",
                vector.count
            ),
            vector.advice(access, scope),
        ));
    }
    if let Some(lanes) = across_y(access, pattern, scope) {
        if let Some(other) = transposed_with(access, scope) {
            return Some((
                format!(
                    "cause: a transpose: `threadIdx.x` moves {} bytes here, and runs along `{}`",
                    lanes.abs(),
                    other.site.array
                ),
                STAGE_TILE.to_owned(),
            ));
        }
        let text = scope.context.sources.text(access.site.span);
        let shown = spread::exchanged(text, "threadIdx.x", "threadIdx.y")
            .map_or_else(String::new, |new| format!(": `{new}`"));
        return Some((
            format!(
                "cause: the wrong thread index: `threadIdx.x` moves {} bytes, `threadIdx.y` moves {width}",
                lanes.abs()
            ),
            format!("{EXCHANGE}{shown}"),
        ));
    }
    let is_strided = pattern.stride.is_some_and(|stride| stride.abs() > width);
    let is_in_rows = || spread::lane_step(access, view).is_some_and(|step| step.abs() > width);
    if is_strided || is_in_rows() {
        return one_thread_per_row(access, scope);
    }
    None
}

const STAGE_TILE: &str = "stage a tile through shared memory, so that both sides are coalesced";
const EXCHANGE: &str = "let `threadIdx.x` and `threadIdx.y` change places";

/// How far lanes are apart where `threadIdx.y` moves along neighbouring elements, and they do not.
fn across_y(access: &Access, pattern: &Pattern, scope: &Scope) -> Option<i64> {
    let width = i64::from(access.width);
    // In a block narrower than a warp, rows of the block are in the witness.
    let addresses = &access.verdict.witness.as_ref()?.addresses;
    let columns = access.launch.block[0].and_then(|x| usize::try_from(x).ok());
    let next_row = columns.filter(|x| (2..32).contains(x)).and_then(|x| {
        let step = |lane: usize| Some((*addresses.get(lane)?)? as i64);
        Some((
            step(x)?.checked_sub(step(0)?)?,
            step(1)?.checked_sub(step(0)?)?,
        ))
    });
    let is_along_y =
        |step: &Step| step.origin == SymbolOrigin::ThreadIndex(Axis::Y) && step.bytes == width;
    match next_row {
        Some((row, lane)) => {
            let is_across = row == width && lane.abs() > width;
            is_across.then_some(pattern.stride.unwrap_or(lane))
        }
        None => {
            let stride = pattern.stride.filter(|stride| stride.abs() > width)?;
            let steps = spread::steps(access, scope.view);
            let mut along = steps.iter().filter(|step| is_along_y(step));
            along
                .any(|step| spread::is_steady(step, access, scope.view))
                .then_some(stride)
        }
    }
}

/// Another access of the kernel whose lanes run along neighbouring elements, and whose rows lie apart by `threadIdx.y`:
/// where both indices change places, that one gets spread instead.
fn transposed_with<'s>(access: &Access, scope: &'s Scope) -> Option<&'s Access> {
    let is_along_x = |other: &Access| {
        let Some(witness) = &other.verdict.witness else {
            return false;
        };
        let width = i64::from(other.width);
        let at = |lane: usize| Some((*witness.addresses.get(lane)?)? as i64);
        let is_next = at(1).zip(at(0)).is_some_and(|(b, a)| b - a == width);
        let moves_by_y = |step: &Step| {
            step.origin == SymbolOrigin::ThreadIndex(Axis::Y) && step.bytes.abs() > width
        };
        let columns = other.launch.block[0].and_then(|x| usize::try_from(x).ok());
        let row = columns
            .filter(|x| (2..32).contains(x))
            .and_then(|x| at(x).zip(at(0)));
        let is_in_rows = match row {
            Some((next, first)) => (next - first).abs() > width,
            None => spread::steps(other, scope.view).iter().any(moves_by_y),
        };
        is_next && is_in_rows
    };
    let mut others = scope.accesses.iter().copied().filter(|other| {
        (&other.instance, &other.launch) == (&access.instance, &access.launch)
            && other.space == Space::Global
            && other.declaration != access.declaration
            && !other.is_bad()
    });
    others.find(|other| is_along_x(other))
}

/// Whether `threadIdx.y` has no say in where an access goes, and another one of the kernel runs across it: where both
/// indices change places, all lanes take one element here.
fn is_of_wrong_index(access: &Access, steps: &[Step], scope: &Scope) -> bool {
    let is_y = |step: &Step| step.origin == SymbolOrigin::ThreadIndex(Axis::Y);
    let is_across = |other: &&&Access| {
        let pattern = other.verdict.witness.as_ref();
        let pattern = pattern.map(|witness| Pattern::of(witness, other.width));
        pattern.is_some_and(|pattern| across_y(other, &pattern, scope).is_some())
    };
    let mut others = scope.accesses.iter().filter(|other| {
        (&other.instance, &other.launch) == (&access.instance, &access.launch)
            && other.space == Space::Global
            && other.is_bad()
    });
    !steps.iter().any(is_y) && others.any(|other| is_across(&other))
}

/// Where the copy of an object is made of narrow accesses, as its type is aligned to no more.
fn torn_copy(access: &Access, scope: &Scope) -> Option<(String, String)> {
    if access.site.of_packed {
        let piece = match access.width {
            1 => "byte by byte".to_owned(),
            width => format!("in pieces of {width} bytes"),
        };
        let cause =
            format!("cause: its class is packed, so the compiler takes each member {piece}");
        let help = "take the packing off the class and order its members by size, or keep each member in an array of \
                    its own";
        return Some((cause, help.to_owned()));
    }
    let (parts, bytes) = scope.view.torn_copy(access)?;
    let piece = (1 << bytes.trailing_zeros()).min(vector::WIDEST);
    (piece > access.machine_width()).then(|| {
        let number = match bytes / piece {
            1 => format!("one access of {piece} bytes"),
            pieces => format!("{pieces} accesses of {piece} bytes"),
        };
        (
            format!(
                "cause: each lane moves an object of {bytes} bytes in {parts} accesses, as its type is aligned to {} bytes only",
                access.site.whole_align
            ),
            format!(
                "declare its type `alignas({piece})`, if its objects lie at such addresses: the compiler then makes {number} of it"
            ),
        )
    })
}

/// Where a loop runs along neighbouring elements, and the lanes do not.
fn one_thread_per_row(access: &Access, scope: &Scope) -> Option<(String, String)> {
    let width = i64::from(access.width);
    let view = scope.view;
    let is_along_row = |step: &&Step| {
        step.origin == SymbolOrigin::Iteration
            && step.bytes.abs() == width
            && spread::is_steady(step, access, view)
    };
    let steps = spread::steps(access, view);
    let along_row = steps.iter().find(is_along_row)?;
    let text = scope.context.sources.text(access.site.span);
    let verb = match access.op {
        Op::Load => "read",
        Op::Store => "write",
        Op::Atomic => "update",
    };
    // Where the text computes the place, its row length changes as well.
    let shown = spread::row_and_column(access, scope.context.sources)
        .filter(|_| text.contains("]["))
        .and_then(|(row, column)| spread::exchanged(text, &row, &column))
        .map_or_else(String::new, |new| format!(" and {verb} `{new}`"));
    let along = match along_row.variable.as_deref() {
        Some(counter) => format!("`{counter}`"),
        None => "the loop".to_owned(),
    };
    if let Some(told) = in_pieces(access, scope, along_row.symbol, &along) {
        return Some(told);
    }
    let cause = format!(
        "cause: one thread per row: {along} runs along neighbouring elements, the lanes do not"
    );
    if is_of_wrong_index(access, &steps, scope) {
        return Some((cause, EXCHANGE.to_owned()));
    }
    Some((
        cause,
        format!(
            "give each row a warp, or transpose `{}`{shown}",
            access.site.array
        ),
    ))
}

/// Where each lane's row is so short that a wide access or two take it whole: the loop goes through all of what lies
/// between two lanes.
fn in_pieces(
    access: &Access,
    scope: &Scope,
    counter: SymbolId,
    along: &str,
) -> Option<(String, String)> {
    const WIDEST: u64 = vector::WIDEST as u64;
    const MOST_PIECES: u64 = 2;
    let width = u64::from(access.width);
    let walk = scope.view.wanted(access)?.walk;
    let last = u64::try_from(walk.terms.symbol(counter).domain.high).ok()?;
    let row = last.checked_add(1)?.checked_mul(width)?;
    let is_row = |step: i64| step.unsigned_abs() == row;
    if !spread::lane_step(access, scope.view).is_some_and(is_row) && !lies_in_pieces(access, row) {
        return None;
    }
    let is_move = matches!(access.op, Op::Load | Op::Store);
    let piece = row.min(WIDEST);
    let is_short = is_move && row <= WIDEST * MOST_PIECES && row.is_power_of_two() && piece > width;
    let bytes = u32::try_from(piece).ok()?;
    is_short.then(|| {
        let ty = vector::type_of(bytes, access, scope);
        let op = access.op.name();
        let number = match row / piece {
            1 => format!("one {piece}-byte {op}"),
            pieces => format!("{pieces} {op}s of {piece} bytes"),
        };
        (
            format!(
                "cause: each lane takes {} neighbouring elements one at a time, along {along}",
                row / width
            ),
            format!(
                "take a lane's elements with {number}: `{ty}`, where the address is aligned for it"
            ),
        )
    })
}

/// Whether the lanes lie at one place each in pieces of so many bytes of their own.
fn lies_in_pieces(access: &Access, bytes: u64) -> bool {
    let witness = access.verdict.witness.as_ref();
    let mut addresses = witness
        .into_iter()
        .flat_map(|one| one.addresses.iter().flatten());
    let Some(first) = addresses.next() else {
        return false;
    };
    let mut pieces = FxHashSet::from_iter([first / bytes]);
    addresses.all(|at| at % bytes == first % bytes && pieces.insert(at / bytes))
}

/// That loads which stay spread can go through the read-only cache.
fn read_only(access: &Access, scope: &Scope) -> Option<String> {
    if access.op != Op::Load {
        return None;
    }
    let view = scope.view;
    let parameter = view
        .kernel
        .parameters
        .iter()
        .find(|parameter| Some(view.placed(parameter.span)) == access.declaration)?;
    let ParameterKind::Pointer { is_restrict, .. } = parameter.kind else {
        return None;
    };
    let is_written = scope.accesses.iter().any(|other| {
        other.op != Op::Load
            && (other.declaration == access.declaration || other.declaration.is_none())
    });
    // nvcc loads what only this pointer reaches and nothing writes through that cache by itself.
    let is_declared = is_restrict;
    // `__ldg` and its kin have asked for it.
    let is_asked = scope
        .view
        .visit_of(access)
        .is_some_and(|(_, visit)| visit.path == Path::ReadOnly);
    (!is_declared && !is_written && !is_asked).then(|| {
        format!(
            "`{}` is only read here: as `const … *__restrict__`, or through `__ldg`, it can use the read-only cache",
            parameter.name
        )
    })
}

const LANES_ALONG: &str = "let neighbouring lanes (threadIdx.x) walk along neighbouring elements";

/// Why the lanes lie apart, as far as the witness and the text show it, and what to do.
fn cause(
    access: &Access,
    witness: &Witness,
    pattern: &Pattern,
    scope: &Scope,
) -> (Option<String>, String) {
    let stage = match access.op {
        Op::Load => "or stage a tile through shared memory",
        // A load that stays uncoalesced can still go through the read-only cache; a store can't.
        Op::Store | Op::Atomic => {
            "or stage a tile through shared memory, so that the store is the coalesced side"
        }
    };
    if let Some(stride) = pattern.stride {
        let (cause, advice) = cause_of_stride(access, witness, stride, stage, scope);
        return (Some(cause), advice);
    }
    let longest = pattern
        .runs
        .iter()
        .map(|(_, length)| *length)
        .max()
        .unwrap_or(0);
    let cause = (pattern.runs.len() > 1 && longest > u64::from(access.width)).then(|| {
        format!(
            "cause: the warp is spread over {} pieces of at most {longest} bytes",
            pattern.runs.len()
        )
    });
    (cause, format!("{LANES_ALONG}, {stage}"))
}

/// The same where each lane lies `stride` bytes behind the one before.
fn cause_of_stride(
    access: &Access,
    witness: &Witness,
    stride: i64,
    stage: &str,
    scope: &Scope,
) -> (String, String) {
    let text = scope.context.sources.text(access.site.span);
    let is_field = text.rsplit(']').next().is_some_and(|tail| {
        text.contains(']')
            && (tail.trim_start().starts_with('.') || tail.trim_start().starts_with("->"))
    });
    let along = format!("{LANES_ALONG}, {stage}");
    let symbols = spread::symbols_of_stride(access, scope.view);
    let factor = |symbol: &&&Symbol| {
        let value = witness
            .symbols
            .iter()
            .find(|(name, _)| **name == *symbol.name)
            .map_or(0, |(_, value)| *value);
        value > 1 && stride % value == 0
    };
    if symbols.is_empty() && is_field && stride.abs() <= LARGEST_STRUCTURE {
        let cause = format!(
            "cause: an array of structures of {} bytes, of which each lane takes {}",
            stride.abs(),
            access.width
        );
        let advice =
            "a structure of arrays would place this field of neighbouring lanes side by side";
        return match of_arrays(text) {
            Some(new) => (cause, format!("{advice}: `{new}`")),
            None => (cause, advice.to_owned()),
        };
    }
    if let Some(symbol) = symbols.iter().find(factor) {
        let name = quoted(&symbol.name);
        return (
            format!("cause: lanes are strided by {name}"),
            format!("{LANES_ALONG}, not across rows of {name}, {stage}"),
        );
    }
    if symbols.is_empty() {
        let cause = format!(
            "cause: lanes are strided by a constant, {} bytes",
            stride.abs()
        );
        return (cause, along);
    }
    let names: Vec<String> = symbols
        .iter()
        .take(3)
        .map(|symbol| quoted(&symbol.name))
        .collect();
    let cause = format!(
        "cause: how far lanes are apart depends on {}: {} bytes here",
        names.join(", "),
        stride.abs()
    );
    (cause, along)
}
