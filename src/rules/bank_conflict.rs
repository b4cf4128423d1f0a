//! `bank-conflict` (CL101): a shared-memory request takes more wavefronts than its ideal.

use super::confidence::{is_slight, weigh};
use super::{Context, Judged, Scope};
use crate::finding::Evidence;
use crate::gpu::LaneAddresses;
use crate::gpu::cost::{self, BankUse, Op, Request, Space};
use crate::prove::verdict::Access;
use rustc_hash::FxHashMap;

pub fn judge(access: &Access, scope: &Scope) -> Option<Judged> {
    let context = scope.context;
    if access.space != Space::Shared || !access.is_bad() {
        return None;
    }
    let witness = access.verdict.witness.as_ref()?;
    let (cost, ideal) = access.worst();
    let mut collision = collision(access, access.width, witness.addresses, context);
    // Groups of lanes that are served one after the other, some of them partly idle: nothing collides.
    let mut lanes = witness.addresses.iter().flatten();
    let is_move = matches!(access.op, Op::Load | Op::Store);
    let is_wide_move = access.width > 4
        && is_move
        && lanes.all(|address| address.is_multiple_of(u64::from(access.width)));
    if is_wide_move && collision.is_none() {
        return None;
    }
    if let Some(merged) = access.merged.as_ref().filter(|_| is_move) {
        // The one that the compiler makes begins at a multiple of its width.
        let width = u64::from(merged.width.max(1));
        let begin = |address: u64| address / width * width;
        let begins = witness.addresses.map(|lane| lane.map(begin));
        collision = Some(self::collision(access, merged.width, begins, context)?);
    }
    let (evidence, level) = weigh(access, scope);
    // Atomics take turns at a word: no bank is to blame, and no layout mends it.
    let meeting = match (access.op, &collision) {
        (Op::Atomic, None) => meeting(&witness.addresses),
        _ => None,
    };
    let degree = if let Some((lanes, _)) = &meeting {
        format!("{lanes} lanes meet at one word of")
    } else if cost.is_multiple_of(ideal.max(1)) {
        format!("{}-way bank conflict on", cost / ideal.max(1))
    } else {
        "bank conflict on".to_owned()
    };
    let possible = if evidence == Evidence::Possible {
        "possible "
    } else {
        ""
    };
    Some(Judged {
        evidence,
        level,
        message: format!(
            "{possible}{degree} `{}`: {cost} wavefronts per request, ideal {ideal}, {} excessive",
            access.site.array,
            cost.saturating_sub(ideal)
        ),
        label: collision
            .or(meeting.as_ref().map(|(_, label)| label.clone()))
            .unwrap_or_else(|| format!("{cost} wavefronts, ideal {ideal}")),
        is_slight: is_slight(access, scope),
        causes: Vec::new(),
        advice: match meeting {
            Some(_) => Some(MEETING_ADVICE.to_owned()),
            None => longer_rows(access, &witness.addresses, context),
        },
    })
}

/// Bytes between the lanes from which on they are taken to lie in rows: below that each has some elements of its own.
const LEAST_ROW: u64 = 32;

/// How much longer rows have to be for lanes of different rows to want different banks, as far as the witness shows.
fn longer_rows(access: &Access, addresses: &LaneAddresses, context: &Context) -> Option<String> {
    let width = access.merged.as_ref().map_or(access.width, |one| one.width);
    let step = u64::from(width.max(4));
    let mut starts: Vec<u64> = addresses.iter().flatten().copied().collect();
    starts.sort_unstable();
    starts.dedup();
    let first = *starts.first()?;
    // Lanes that take neighbouring bytes share a row.
    let mut rows: Vec<u64> = Vec::new();
    let (mut longest, mut run) = (1_u64, 0_u64);
    let mut end = None;
    for start in starts {
        if end != Some(start) {
            rows.push(start);
            run = 0;
        }
        end = Some(start + step);
        run += 1;
        longest = longest.max(run);
    }
    let pitch = rows.windows(2).map(|pair| pair[1] - pair[0]).min()?;
    if pitch < LEAST_ROW || !pitch.is_multiple_of(step) {
        return None;
    }
    let cost_with = |more: u64| {
        let moved = |address: u64| address + (address - first) / pitch * more;
        let request = Request {
            addresses: addresses.map(|lane| lane.map(moved)),
            width,
            space: access.space,
            op: access.op,
        };
        cost::cost(&request, context.arch)
    };
    let now = cost_with(0).actual;
    let tried = [step, step * longest].map(|more| (cost_with(more), more));
    let (best, more) = tried.into_iter().min_by_key(|(cost, _)| cost.actual)?;
    let left = if best.actual > best.ideal {
        format!("still take {} of {now} wavefronts", best.actual)
    } else {
        "have no conflicts".to_owned()
    };
    (best.actual * 2 <= now).then(|| {
        let apart = pitch + more;
        format!("pad rows: lanes lie {pitch} bytes apart; {apart} bytes apart they {left}")
    })
}

const MEETING_ADVICE: &str = "combine the values of the lanes that meet before, by `__reduce_add_sync` and its like or by \
     shuffles, and let one lane do the atomic";

/// How many lanes want the word that most of them want, if more than one does, and which.
fn meeting(addresses: &LaneAddresses) -> Option<(usize, String)> {
    const WORD: u64 = 4;
    let mut lanes: FxHashMap<u64, Vec<u8>> = FxHashMap::default();
    for (lane, address) in (0..).zip(addresses) {
        if let Some(address) = address {
            lanes.entry(address / WORD).or_default().push(lane);
        }
    }
    let most = lanes
        .into_values()
        .max_by_key(|lanes| (lanes.len(), std::cmp::Reverse(lanes[0])))?;
    (most.len() > 1).then(|| {
        let label = format!("lanes {} take turns at one word", list(&most));
        (most.len(), label)
    })
}

/// Which of the lanes at `addresses` want different words of one bank, each taking `width` bytes.
fn collision(
    access: &Access,
    width: u32,
    addresses: LaneAddresses,
    context: &Context,
) -> Option<String> {
    let request = Request {
        addresses,
        width,
        space: access.space,
        op: access.op,
    };
    let uses = cost::bank_map(&request, context.arch);
    // The fullest bank of any group: each lane that brings a new word to it.
    let mut best: Vec<&BankUse> = Vec::new();
    for one in &uses {
        let mut lanes: Vec<&BankUse> = Vec::new();
        for other in uses
            .iter()
            .filter(|other| other.group == one.group && other.bank == one.bank)
        {
            if lanes.iter().all(|known| known.word != other.word) {
                lanes.push(other);
            }
        }
        if lanes.len() > best.len() {
            best = lanes;
        }
    }
    let first = best.first().filter(|_| best.len() > 1)?;
    let lanes: Vec<u8> = best.iter().map(|one| one.lane.0).collect();
    Some(format!(
        "lanes {} want {} different words of bank {}",
        list(&lanes),
        best.len(),
        first.bank
    ))
}

/// `0 and 16`, `0, 2, 4 … 30`.
fn list(lanes: &[u8]) -> String {
    let text = |lanes: &[u8]| {
        lanes
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    match lanes {
        [a, b] => format!("{a} and {b}"),
        [a, b, c, .., last] if lanes.len() > 4 => format!("{a}, {b}, {c} … {last}"),
        _ => text(lanes),
    }
}
