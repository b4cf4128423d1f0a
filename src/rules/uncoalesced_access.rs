//! `uncoalesced-access` (CL201): the lanes of a global request are spread over more sectors than their bytes need.

use super::pattern::Pattern;
use super::weigh::weigh;
use super::{Context, Judged};
use crate::finding::Evidence;
use crate::gpu::cost::{Op, Space};
use crate::prove::verdict::{Access, Witness};

/// Structures people write are seldom larger, rows of matrices seldom smaller.
const LARGEST_STRUCTURE: i64 = 256;

pub fn judge(access: &Access, context: &Context) -> Option<Judged> {
    if access.space != Space::Global || !access.verdict.is_bad() {
        return None;
    }
    let witness = access.verdict.witness.as_ref()?;
    let pattern = Pattern::of(witness, access.width);
    let (cost, ideal) = (access.verdict.max, access.verdict.ideal);
    if pattern.is_only_misaligned(ideal) {
        return None;
    }
    let (evidence, level) = weigh(access, context);
    let possible = if evidence == Evidence::Possible {
        "possible uncoalesced"
    } else {
        "uncoalesced"
    };
    let (cause, advice) = cause(access, witness, &pattern, context);
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
                "neighbouring lanes are {} bytes apart",
                stride.unsigned_abs()
            ),
            None => format!(
                "{} lanes touch {cost} sectors for {} bytes",
                pattern.lanes,
                pattern.bytes()
            ),
        },
        causes: cause.into_iter().collect(),
        advice: Some(advice),
    })
}

/// Why the lanes lie apart, as far as the witness and the text show it, and what to do.
fn cause(
    access: &Access,
    witness: &Witness,
    pattern: &Pattern,
    context: &Context,
) -> (Option<String>, String) {
    let text = context.sources.text(access.site.span);
    let is_field = text.rsplit(']').next().is_some_and(|tail| {
        text.contains(']')
            && (tail.trim_start().starts_with('.') || tail.trim_start().starts_with("->"))
    });
    let lanes_along = "let neighbouring lanes (threadIdx.x) walk along neighbouring elements";
    let stage = match access.op {
        Op::Load => "or stage a tile through shared memory",
        // A load that stays uncoalesced can still go through the read-only cache; a store can't.
        Op::Store | Op::Atomic => {
            "or stage a tile through shared memory, so that the store is the coalesced side"
        }
    };
    if let Some(stride) = pattern.stride {
        if is_field && stride.abs() <= LARGEST_STRUCTURE {
            return (
                Some(format!(
                    "cause: an array of structures of {} bytes, of which each lane takes {}",
                    stride.abs(),
                    access.width
                )),
                "a structure of arrays would place this field of neighbouring lanes side by side"
                    .to_owned(),
            );
        }
        let symbols = access
            .verdict
            .depends_on
            .iter()
            .map(|dependence| dependence.symbol.as_str());
        let factor = |symbol: &&str| {
            let value = witness
                .symbols
                .iter()
                .find(|(name, _)| name == *symbol)
                .map_or(0, |(_, value)| *value);
            value > 1 && stride % value == 0
        };
        if let Some(symbol) = symbols.into_iter().find(factor) {
            return (
                Some(format!("cause: lanes are strided by `{symbol}`")),
                format!("{lanes_along}, not across rows of `{symbol}`, {stage}"),
            );
        }
        return (
            Some(format!(
                "cause: lanes are strided by a constant, {} bytes",
                stride.abs()
            )),
            format!("{lanes_along}, {stage}"),
        );
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
    (cause, format!("{lanes_along}, {stage}"))
}
