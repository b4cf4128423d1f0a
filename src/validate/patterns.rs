//! Lane patterns for the probes.
//!
//! Given: an access width. Gives: named sets of lane offsets and active lanes, the same each time.
//! Does not know: instructions, costs, or devices.

use crate::gpu::WARP;

use super::plan::Noise;

const FULL: u32 = u32::MAX;
/// No offset reaches this.
const LIMIT: u32 = 40 * 1024;

/// Byte offsets of 32 lanes from an aligned base, and which lanes are active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub name: String,
    pub offsets: [u32; WARP],
    pub mask: u32,
}

impl Pattern {
    /// As addresses, inactive lanes left out.
    pub fn lanes(&self) -> [Option<u64>; WARP] {
        std::array::from_fn(|lane| {
            (self.mask >> lane & 1 == 1).then_some(u64::from(self.offsets[lane]))
        })
    }
}

fn pattern(name: impl Into<String>, mask: u32, offset: impl FnMut(u32) -> u32) -> Pattern {
    let mut offset = offset;
    let offsets: [u32; WARP] = std::array::from_fn(|lane| offset(lane as u32));
    debug_assert!(offsets.iter().all(|offset| *offset < LIMIT));
    Pattern {
        name: name.into(),
        offsets,
        mask,
    }
}

/// Seeded by its name, so that adding a pattern changes no other.
fn noise(name: &str, width: u32) -> Noise {
    Noise::new(super::plan::fingerprint(name.as_bytes()) ^ u64::from(width))
}

/// Random multiples of `width` below `range` elements.
fn scattered(name: &str, mask: u32, width: u32, range: u32) -> Pattern {
    let mut noise = noise(name, width);
    pattern(name, mask, |_| width * noise.below(u64::from(range)) as u32)
}

const MASKS: [(&str, u32); 9] = [
    ("low half", 0x0000_ffff),
    ("high half", 0xffff_0000),
    ("even lanes", 0x5555_5555),
    ("odd lanes", 0xaaaa_aaaa),
    ("lane 0", 0x0000_0001),
    ("lanes 0 and 16", 0x0001_0001),
    ("even pairs", 0x3333_3333),
    ("all but lane 31", 0x7fff_ffff),
    ("mixed", 0xb3c5_6e19),
];

fn strides(width: u32, factors: &[u32]) -> impl Iterator<Item = Pattern> {
    factors
        .iter()
        .map(move |factor| {
            pattern(format!("stride {factor}"), FULL, |lane| {
                lane * factor * width % LIMIT
            })
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// For shared loads and stores.
pub fn shared(width: u32) -> Vec<Pattern> {
    let mut all = vec![
        pattern("one address", FULL, |_| width),
        pattern("reversed", FULL, |lane| (31 - lane) * width),
        pattern("neighbours swapped", FULL, |lane| (lane ^ 1) * width),
        pattern("shifted by one", FULL, |lane| (lane + 1) * width),
        scattered("scattered over 64", FULL, width, 64),
        scattered("scattered over 512", FULL, width, 512),
        scattered("scattered over 2048", FULL, width, 2048),
        scattered("scattered over 512, mixed", 0xb3c5_6e19, width, 512),
        scattered("scattered over 512, even pairs", 0x3333_3333, width, 512),
    ];
    all.extend(strides(width, &[1, 2, 3, 4, 8, 16, 17, 32, 33]));
    all.extend(
        MASKS
            .iter()
            .map(|(name, mask)| pattern(*name, *mask, |lane| lane * width)),
    );
    if width >= 8 {
        all.extend(agreeing(width));
    }
    all
}

/// Rank of a lane's class among the classes of lanes that `key` puts together.
fn rank(lane: u32, key: impl Fn(u32) -> u32) -> u32 {
    (0..key(lane)).filter(|other| key(*other) == *other).count() as u32
}

/// Patterns in which lanes agree with a partner: over the warp, over parts of it, with
/// different distances in different parts, and with inactive partners. Packed ones could be
/// served without conflict, scattered ones hardly.
fn agreeing(width: u32) -> Vec<Pattern> {
    let mut all = pairs_over_warp(width);
    all.extend(pairs_in_parts(width));
    all.extend(broken_pairs(width));
    all.extend(inactive_partners(width));
    all
}

/// The first lane of the two that are so far apart.
fn first_of_pair(lane: u32, distance: u32) -> u32 {
    lane.min(lane ^ distance)
}

fn pairs_over_warp(width: u32) -> Vec<Pattern> {
    let mut all = Vec::new();
    // The base of a lane's class, scattered so that merging groups changes the cost.
    let class = |name: &str| -> Vec<u32> {
        let mut noise = noise(name, width);
        (0..WARP).map(|_| width * noise.below(256) as u32).collect()
    };
    for distance in [1, 2, 4, 8, 16, 3] {
        let name = format!("pairs at {distance}");
        let base = class(&name);
        all.push(pattern(name, FULL, |lane| {
            base[first_of_pair(lane, distance) as usize]
        }));
        all.push(pattern(
            format!("packed pairs at {distance}"),
            FULL,
            |lane| rank(lane, |lane| first_of_pair(lane, distance)) * width,
        ));
    }
    all.push(pattern("packed quads", FULL, |lane| lane / 4 * width));
    all.push(pattern("packed pairs at 1, rows apart", FULL, |lane| {
        lane / 2 * (width + 128)
    }));
    all.push(pattern("pairs at 1, every other place", FULL, |lane| {
        lane / 2 * 2 * width
    }));
    all
}

/// Agreement in some groups of eight lanes only, or at other distances: bit g of a set is group g.
fn pairs_in_parts(width: u32) -> Vec<Pattern> {
    let mut all = Vec::new();
    for groups in 1..15_u32 {
        for distance in [1, 2] {
            let agrees = |lane: u32| groups >> (lane / 8) & 1 == 1;
            all.push(pattern(
                format!("packed pairs at {distance} in groups {groups:04b}"),
                FULL,
                |lane| {
                    if agrees(lane) {
                        rank(lane, |lane| first_of_pair(lane, distance)) * width
                    } else {
                        1024 + lane * width
                    }
                },
            ));
            all.push(pattern(
                format!("packed pairs at {distance} in groups {groups:04b}, one address elsewhere"),
                FULL,
                |lane| {
                    if agrees(lane) {
                        rank(lane, |lane| first_of_pair(lane, distance)) * width
                    } else {
                        0
                    }
                },
            ));
        }
    }
    // Distance 1 in some groups, distance 2 in the others.
    for groups in [0b0011, 0b1100, 0b0101, 0b1010, 0b0001, 0b0111] {
        all.push(pattern(
            format!("packed pairs at 1 in groups {groups:04b}, at 2 elsewhere"),
            FULL,
            |lane| {
                let distance = if groups >> (lane / 8) & 1 == 1 { 1 } else { 2 };
                rank(lane, |lane| first_of_pair(lane, distance)) * width
            },
        ));
    }
    all
}

/// One lane of the warp breaks the agreement, or one class conflicts with another.
fn broken_pairs(width: u32) -> Vec<Pattern> {
    let mut all = Vec::new();
    // Then that lane is inactive.
    for breaker in [0, 5, 13, 18, 31] {
        let name = format!("packed pairs at 1 but for lane {breaker}");
        let offset = |lane: u32| {
            if lane == breaker {
                ((lane / 2) ^ 1) * width
            } else {
                lane / 2 * width
            }
        };
        all.push(pattern(
            format!("{name}, inactive"),
            FULL ^ (1 << breaker),
            offset,
        ));
        all.push(pattern(name, FULL, offset));
    }
    // In either half of the warp.
    for class in [1, 6, 9, 15] {
        all.push(pattern(
            format!("packed pairs at 1, class {class} conflicts"),
            FULL,
            |lane| {
                if lane / 2 == class {
                    1024 + (class ^ 1) * width
                } else {
                    lane / 2 * width
                }
            },
        ));
    }
    all
}

/// Packed by rank of the active lane, and scattered.
fn inactive_partners(width: u32) -> Vec<Pattern> {
    let mut all = Vec::new();
    for (name, mask) in MASKS.into_iter().chain([
        ("every fourth lane", 0x1111_1111),
        ("lanes 0 to 3 of 8", 0x0f0f_0f0f),
        ("seven lanes", 0x8102_4421),
        ("even lanes of the low half", 0x5555),
    ]) {
        let before = |lane: u32| (mask & ((1_u32 << lane) - 1)).count_ones();
        all.push(pattern(
            format!("packed active lanes, {name}"),
            mask,
            |lane| before(lane) * width,
        ));
        all.push(scattered(
            &format!("scattered over 256, {name}"),
            mask,
            width,
            256,
        ));
    }
    all
}

/// For global accesses.
pub fn global(width: u32) -> Vec<Pattern> {
    let mut all = vec![
        pattern("one address", FULL, |_| width),
        pattern("reversed", FULL, |lane| (31 - lane) * width),
        pattern("shifted by one", FULL, |lane| (lane + 1) * width),
        pattern("shifted by 16 bytes", FULL, |lane| lane * width + 16),
        scattered("scattered over 64", FULL, width, 64),
        scattered("scattered over 512", FULL, width, 512),
        scattered("scattered over 512, mixed", 0xb3c5_6e19, width, 512),
        pattern("two lanes an address", FULL, |lane| lane / 2 * width),
        pattern("eight lanes an address", FULL, |lane| lane / 8 * width),
        pattern("two addresses far apart", FULL, |lane| lane % 2 * 4096),
        pattern("half the warp one address", FULL, |lane| {
            lane.max(16) * width
        }),
    ];
    all.extend(strides(width, &[1, 2, 3, 4, 8, 32, 33]));
    all.extend(
        MASKS
            .iter()
            .map(|(name, mask)| pattern(*name, *mask, |lane| lane * width)),
    );
    all
}

/// For shared atomics: conflicts of address and of bank, apart and together.
pub fn atomic(width: u32) -> Vec<Pattern> {
    let mut all = shared(width.min(4))
        .into_iter()
        .map(|mut pattern| {
            // The same shapes in units of the width, so that wide ones stay aligned.
            pattern.offsets = pattern
                .offsets
                .map(|offset| offset / width.min(4) * width % LIMIT);
            pattern
        })
        .collect::<Vec<_>>();
    for sharing in [2, 4, 8, 16] {
        all.push(pattern(
            format!("{sharing} lanes an address"),
            FULL,
            |lane| lane / sharing * width,
        ));
        all.push(pattern(
            format!("{sharing} addresses in turn"),
            FULL,
            |lane| lane % sharing * width,
        ));
    }
    all.push(pattern("one address, even lanes", 0x5555_5555, |_| 0));
    all.push(pattern("two words of a bank", FULL, |lane| lane % 2 * 128));
    all
}

/// Row addresses for `ldmatrix` and `stmatrix`: all multiples of 16.
pub fn matrix() -> Vec<Pattern> {
    let mut all: Vec<Pattern> = [16, 32, 48, 64, 80, 128, 144, 256, 272, 528]
        .iter()
        .map(|pitch| pattern(format!("pitch {pitch}"), FULL, |lane| lane * pitch))
        .collect();
    all.push(pattern("one row", FULL, |_| 16));
    all.push(pattern("one row a matrix", FULL, |lane| lane / 8 * 128));
    all.push(pattern("swizzled", FULL, |lane| {
        lane * 128 + (lane % 8) * 16
    }));
    all.push(pattern("matrix 0 conflicts", FULL, |lane| {
        if lane < 8 { lane * 128 } else { lane * 16 }
    }));
    all.push(pattern("matrix 3 conflicts", FULL, |lane| {
        if lane < 24 { lane * 16 } else { lane * 128 }
    }));
    all.push(pattern("16 by 16, pitch 48", FULL, |lane| {
        lane % 16 * 48 + lane / 16 * 16
    }));
    all.extend((0..6).map(|round| scattered(&format!("scattered {round}"), FULL, 16, 256)));
    all
}

/// Both sides of `cp.async`, shared first.
pub fn copies(width: u32) -> Vec<(Pattern, Pattern)> {
    let (to, from) = (copy(width), global(width));
    // Each shared pattern with some global ones; both sides have the same active lanes.
    let chosen = |at: usize| [at * 5, at * 7 + 3, at * 11 + 8, 0].map(|index| index % from.len());
    let joined = |to: &Pattern, from: &Pattern| Pattern {
        mask: to.mask,
        ..from.clone()
    };
    to.iter()
        .enumerate()
        .flat_map(|(at, shared)| {
            let mut indices = chosen(at).to_vec();
            indices.sort_unstable();
            indices.dedup();
            indices
                .into_iter()
                .map(|index| (shared.clone(), joined(shared, &from[index])))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Shared side of `cp.async`.
fn copy(width: u32) -> Vec<Pattern> {
    let mut all = vec![
        pattern("one address", FULL, |_| width),
        pattern("neighbours swapped", FULL, |lane| (lane ^ 1) * width),
        pattern("shifted by one", FULL, |lane| (lane + 1) * width),
        pattern("pairs", FULL, |lane| (lane & !1) * width),
        scattered("scattered over 64", FULL, width, 64),
        scattered("scattered over 512", FULL, width, 512),
    ];
    all.extend(strides(width, &[1, 2, 3, 4, 8, 16, 32, 33]));
    all.extend(
        MASKS
            .iter()
            .map(|(name, mask)| pattern(*name, *mask, |lane| lane * width)),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_aligned_and_small() {
        for width in [1, 2, 4, 8, 16] {
            for pattern in shared(width)
                .into_iter()
                .chain(global(width))
                .chain(copy(width))
                .chain(atomic(width))
            {
                for offset in pattern.offsets {
                    let shifted = pattern.name == "shifted by 16 bytes";
                    assert!(
                        offset < LIMIT && (shifted || offset % width == 0),
                        "{}: {offset}",
                        pattern.name
                    );
                }
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for width in [4, 8, 16] {
            for mut names in [shared(width), global(width), atomic(width), matrix()].map(|all| {
                all.into_iter()
                    .map(|pattern| pattern.name)
                    .collect::<Vec<_>>()
            }) {
                let count = names.len();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), count);
            }
        }
    }
}
