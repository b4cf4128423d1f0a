//! Tests of cost: known answers, properties, and the fast paths compared with the plain definitions.

use super::*;

const WIDTHS: [u32; 5] = [1, 2, 4, 8, 16];

/// Deterministic noise (splitmix64), so that a failure repeats.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn request(&mut self) -> Request {
        let width = WIDTHS[self.below(5) as usize];
        let space = [Space::Shared, Space::Global][self.below(2) as usize];
        let op = [Op::Load, Op::Store, Op::Atomic][self.below(3) as usize];
        let range = [4, 40, 400][self.below(3) as usize];
        let mut addresses = [None; WARP];
        for address in &mut addresses {
            let offset = u64::from(width) * self.below(range);
            *address = (self.below(8) > 0).then_some(offset);
        }
        Request {
            addresses,
            width,
            space,
            op,
        }
    }
}

fn strided(width: u32, stride: u64, space: Space, op: Op) -> Request {
    Request {
        addresses: std::array::from_fn(|lane| Some(lane as u64 * stride)),
        width,
        space,
        op,
    }
}

fn both(request: Request) -> (u32, u32) {
    let cost = cost(&request, &Arch::DEFAULT);
    (cost.actual, cost.ideal)
}

#[test]
fn the_field_s_known_answers() {
    assert_eq!(both(strided(4, 4, Space::Shared, Op::Load)), (1, 1));
    assert_eq!(both(strided(4, 128, Space::Shared, Op::Load)), (32, 1));
    assert_eq!(both(strided(4, 132, Space::Shared, Op::Store)), (1, 1));
    assert_eq!(both(strided(8, 256, Space::Shared, Op::Load)), (32, 2));
    assert_eq!(both(strided(8, 264, Space::Shared, Op::Load)), (2, 2));
    assert_eq!(both(strided(16, 16, Space::Shared, Op::Load)), (4, 4));
    assert_eq!(both(strided(2, 128, Space::Shared, Op::Load)), (32, 1));
    assert_eq!(both(strided(4, 4, Space::Global, Op::Load)), (4, 4));
    assert_eq!(both(strided(4, 12, Space::Global, Op::Load)), (12, 4));
    assert_eq!(both(strided(16, 16, Space::Global, Op::Store)), (16, 16));
    assert_eq!(both(strided(4, 0, Space::Shared, Op::Load)), (1, 1));
    assert_eq!(both(strided(4, 0, Space::Global, Op::Load)), (1, 1));
    assert_eq!(both(strided(4, 0, Space::Shared, Op::Atomic)), (32, 1));
    assert_eq!(both(strided(4, 0, Space::Global, Op::Atomic)), (1, 1));
    let nobody = Request {
        addresses: [None; WARP],
        width: 4,
        space: Space::Shared,
        op: Op::Load,
    };
    assert_eq!(both(nobody), (0, 0));
}

#[test]
fn shifting_by_128_bytes_keeps_wavefronts_and_sectors() {
    let mut noise = Noise(1);
    for _ in 0..2000 {
        let request = noise.request();
        let shift = 128 * noise.below(1 << 20);
        let addresses = request
            .addresses
            .map(|address| address.map(|address| address + shift));
        assert_eq!(
            both(request),
            both(Request {
                addresses,
                ..request
            }),
            "{request:?} by {shift}"
        );
    }
}

#[test]
fn order_inside_the_warp_is_free() {
    let mut noise = Noise(2);
    for _ in 0..2000 {
        let mut request = noise.request();
        // Wider shared requests are served by groups of lanes, so order matters to them.
        if request.space == Space::Shared && request.width > 4 {
            let addresses = request
                .addresses
                .map(|address| address.map(|address| address / u64::from(request.width) * 4));
            request = Request {
                addresses,
                width: 4,
                ..request
            };
        }
        let before = both(request);
        for lane in (1..WARP).rev() {
            request
                .addresses
                .swap(lane, noise.below(lane as u64 + 1) as usize);
        }
        assert_eq!(before, both(request));
    }
}

#[test]
fn counting_agrees_with_a_plain_set() {
    use std::collections::{BTreeMap, BTreeSet};
    let mut noise = Noise(3);
    for _ in 0..2000 {
        let request = noise.request();
        let addresses = || request.addresses.iter().flatten();
        let touched: BTreeSet<u64> = addresses()
            .flat_map(|a| a / 32..=(a + u64::from(request.width) - 1) / 32)
            .collect();
        assert_eq!(
            sectors(
                &request.addresses,
                request.width,
                request.op,
                &Arch::DEFAULT
            )
            .0,
            touched.len() as u32
        );
        if request.width <= 4 && request.op != Op::Atomic {
            let mut banks: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for address in addresses() {
                banks
                    .entry(address / 4 % 32)
                    .or_default()
                    .insert(address / 4);
            }
            let most = banks.values().map(BTreeSet::len).max().unwrap_or(0);
            assert_eq!(
                wavefronts(
                    &request.addresses,
                    request.width,
                    request.op,
                    &Arch::DEFAULT
                )
                .0,
                most as u32
            );
        }
    }
}

#[test]
fn short_cuts_meet_their_definitions() {
    let mut noise = Noise(5);
    for _ in 0..2000 {
        let Request {
            addresses,
            width,
            space,
            op,
        } = noise.request();
        let mask = [u32::MAX, active_mask(&addresses)][noise.below(2) as usize];
        let dense = Request {
            addresses: std::array::from_fn(|lane| {
                (mask >> lane & 1 == 1)
                    .then(|| u64::from(width * (mask & ((1 << lane) - 1)).count_ones()))
            }),
            width,
            space,
            op,
        };
        let cost = actual(&dense, &Arch::DEFAULT);
        let least = ideal(space, op, width, mask, &Arch::DEFAULT);
        assert!(least <= cost, "{space:?} {op:?} {width} {mask:#x}");
        assert!(least == cost || mask != u32::MAX || op == Op::Atomic && width < 4);
        let word = |word: u64| ((word % 32) as usize, word);
        let unit = u64::from(width).max(4);
        assert_eq!(
            most_per_bank_aligned(&addresses, unit),
            most_per_bank(&addresses, u64::from(width), word)
        );
    }
}

#[test]
fn costs_of_all_shifts_are_those_of_each() {
    let arch = &Arch::DEFAULT;
    let mut noise = Noise(11);
    for _ in 0..3000 {
        let plain = noise.request();
        // Also where the hardware would split or trap: the count is that of bytes.
        let skew = [0, 1, 13][noise.below(3) as usize];
        let width = [plain.width, 3, 12, 32][noise.below(4) as usize];
        let addresses = plain.addresses.map(|at| at.map(|at| at + skew));
        let mut starts: Vec<i64> = addresses.iter().flatten().map(|at| *at as i64).collect();
        if starts.is_empty() {
            continue;
        }
        let costs = costs_by_shift(&mut starts, width, plain.op, arch).expect("sectors");
        for (shift, found) in costs.into_iter().enumerate() {
            let moved = Request {
                addresses: addresses.map(|at| at.map(|at| at + shift as u64)),
                width,
                space: Space::Global,
                op: plain.op,
            };
            assert_eq!(found, cost(&moved, arch), "{shift} {moved:?}");
        }
    }
}

#[test]
fn no_architecture_costs_nothing_or_panics() {
    let mut noise = Noise(4);
    for _ in 0..500 {
        let mut request = noise.request();
        let far = noise.below(2) * (u64::MAX - 8000);
        request.addresses = request
            .addresses
            .map(|address| address.map(|address| address + far));
        for arch in Arch::all() {
            let cost = cost(&request, &arch);
            assert_eq!(
                cost.actual == 0,
                request.active_mask() == 0,
                "{arch} {request:?}"
            );
            assert_eq!(cost.ideal == 0, request.active_mask() == 0);
        }
    }
}

#[test]
fn kepler_modes_differ_as_documented() {
    let four = Arch::parse("sm_35").unwrap();
    let eight = Arch::parse("sm_35/8").unwrap();
    let two_words = |first: u64, second: u64| {
        let addresses =
            std::array::from_fn(|lane| Some(4 * if lane % 2 == 0 { first } else { second }));
        Request {
            addresses,
            width: 4,
            space: Space::Shared,
            op: Op::Load,
        }
    };
    // Words 0 and 32 of one aligned 64-word segment.
    assert_eq!(cost(&two_words(0, 32), &four).actual, 1);
    assert_eq!(cost(&two_words(0, 32), &eight).actual, 1);
    assert_eq!(cost(&two_words(32, 64), &four).actual, 2);
    assert_eq!(cost(&two_words(0, 64), &eight).actual, 2);
    // A stride that suits one mode can hurt the other: 3 words, and a pitch of 34 words.
    let modes = |stride: u64| {
        [four, eight].map(|arch| cost(&strided(4, stride, Space::Shared, Op::Load), &arch).actual)
    };
    assert_eq!(modes(12), [1, 2]);
    assert_eq!(modes(136), [2, 1]);
    assert_eq!(modes(132), [1, 1]);
    assert_eq!(
        cost(&strided(8, 8, Space::Shared, Op::Load), &eight).actual,
        1
    );
}

#[test]
fn agreeing_lanes_are_judged_over_the_warp() {
    let load = |offset: fn(u64) -> u64| Request {
        addresses: std::array::from_fn(|lane| Some(offset(lane as u64))),
        width: 16,
        space: Space::Shared,
        op: Op::Load,
    };
    let views = |request: Request| {
        (
            cost(&request, &Arch::DEFAULT).actual,
            source_page(&request, &Arch::DEFAULT).actual,
        )
    };
    assert_eq!(views(load(|lane| lane / 2 * 16)), (2, 2));
    // Only the low half agrees: the hardware merges nothing.
    assert_eq!(
        views(load(|lane| if lane < 16 {
            lane / 2 * 16
        } else {
            lane * 16
        })),
        (4, 3)
    );
    // Merged groups conflict: the hardware merges them all the same.
    assert_eq!(views(load(|lane| lane / 2 * 64)), (8, 8));
    let store = Request {
        op: Op::Store,
        ..load(|lane| lane / 2 * 16)
    };
    assert_eq!(views(store), (4, 4));
}

#[test]
fn older_rules_give_the_guide_s_examples() {
    let answer = |name: &str, request: Request| cost(&request, &Arch::parse(name).unwrap()).actual;
    let shifted = |by: u64| {
        let addresses = std::array::from_fn(|lane| Some(4 * lane as u64 + by));
        Request {
            addresses,
            width: 4,
            space: Space::Global,
            op: Op::Load,
        }
    };
    let permuted = Request {
        addresses: std::array::from_fn(|lane| Some(4 * (lane as u64 ^ 1))),
        ..shifted(0)
    };
    // Sequential, permuted, misaligned by one element.
    assert_eq!(
        [shifted(0), permuted, shifted(4)].map(|request| answer("1.0", request)),
        [4, 32, 32]
    );
    assert_eq!(
        [shifted(0), permuted, shifted(4)].map(|request| answer("1.3", request)),
        [4, 4, 7]
    );
    assert_eq!(
        [shifted(0), permuted, shifted(4)].map(|request| answer("2.0", request)),
        [4, 4, 8]
    );
    assert_eq!(
        [shifted(0), permuted, shifted(4)].map(|request| answer("3.5", request)),
        [4, 4, 5]
    );
    // 1.x: two half-warps; doubles conflict; bytes of one word are not one request.
    assert_eq!(answer("1.3", strided(4, 4, Space::Shared, Op::Load)), 2);
    assert_eq!(answer("1.3", strided(8, 8, Space::Shared, Op::Load)), 8);
    assert!(answer("1.3", strided(1, 1, Space::Shared, Op::Load)) > 2);
    // 2.x: doubles don't conflict, 16 bytes do.
    assert_eq!(answer("2.0", strided(8, 8, Space::Shared, Op::Load)), 2);
    assert_eq!(answer("2.0", strided(16, 16, Space::Shared, Op::Load)), 8);
}

#[test]
fn ldmatrix_phases_are_counted_alone() {
    let rows = |pitch: u64| std::array::from_fn(|lane| Some(pitch * lane as u64));
    assert_eq!(
        ldmatrix(&rows(16), 4, &Arch::DEFAULT),
        Cost {
            actual: 4,
            ideal: 4
        }
    );
    assert_eq!(
        ldmatrix(&rows(128), 4, &Arch::DEFAULT),
        Cost {
            actual: 32,
            ideal: 4
        }
    );
    assert_eq!(
        ldmatrix(&rows(144), 2, &Arch::DEFAULT),
        Cost {
            actual: 2,
            ideal: 2
        }
    );
}

#[test]
fn bank_map_names_words_and_banks() {
    let map = bank_map(&strided(8, 8, Space::Shared, Op::Load), &Arch::DEFAULT);
    assert_eq!(
        map[17],
        BankUse {
            lane: Lane(17),
            word: 34,
            bank: 2,
            words: 2,
            group: 1
        }
    );
}

#[test]
fn wavefronts_are_the_most_units_of_a_bank() {
    let mut noise = Noise(11);
    let mut seen = 0;
    for _ in 0..20_000 {
        let mut request = noise.request();
        if noise.below(3) == 0 {
            // Partners agree.
            let distance = 1 << noise.below(2);
            for lane in 0..WARP {
                request.addresses[lane] = request.addresses[lane & !distance];
            }
        }
        let Some(Served { unit, groups }) = served(&request, &Arch::DEFAULT) else {
            assert_eq!(request.space, Space::Global);
            continue;
        };
        let most = |group: &Vec<u64>| {
            let mut banks = [0_u32; 32];
            group
                .iter()
                .for_each(|at| banks[(at % (128 / unit)) as usize] += 1);
            banks.into_iter().max().unwrap_or(0)
        };
        let all: u32 = groups.iter().map(most).sum();
        assert_eq!(all, cost(&request, &Arch::DEFAULT).actual, "{request:?}");
        seen += 1;
    }
    assert!(seen > 5_000);
}
