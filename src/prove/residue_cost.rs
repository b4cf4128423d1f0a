//! The cost of a decided case: bounds over its finitely many residues, through the one cost function.
//!
//! Given a [`Leaf`], enumerates the residues that its shared part can have and, for
//! a symbol that multiplies the lane, every value that costs can tell apart. Gives
//! exact bounds over all of them. Knows nothing of Z3 or of how a case came about.

use super::claim::{Hash, hash_of};
use super::explore::{Leaf, Problem};
use super::poly::{LANES, Monomial, Poly};
use crate::access::Atomic;
use crate::gpu::arch::Arch;
use crate::gpu::cost::{self, Cost, Op, Request, Space};
use crate::term::compiled::Evaluation;
use crate::term::gcd;
use crate::term::{Term, TermId, Terms};
use rustc_hash::FxHashMap;
use std::sync::Mutex;

/// Values of a lane-multiplying symbol that are enumerated at most.
const MAX_WINDOW: i64 = 8192;
/// So many requests cost no more to count than to look up, and fewer no more one by one.
const FEW_REQUESTS: usize = 4;

/// Bounds of one case.
#[derive(Clone, Debug)]
pub struct LeafCost {
    pub min: u32,
    pub max: u32,
    pub ideal: u32,
    /// Shared part (bytes) of a request that costs `max`.
    pub worst_base: i64,
    /// Value of the lane-multiplying monomial in that request.
    pub worst_factor: Option<i64>,
    /// Cost for each value of the lane-multiplying monomial, where there is one. This and the next are
    /// for a case that is alone: among several, costs are told by case.
    pub by_factor: Vec<(i64, u32, u32)>,
    /// After how many values of that monomial the cost repeats, far from 0: the last so many of them are such.
    pub factor_period: i64,
    /// Cost for each residue of the shared part.
    pub by_residue: Vec<(i64, u32)>,
    /// False where the enumeration could not cover everything.
    pub complete: bool,
    /// The shared part was taken to be a multiple of the width.
    pub assumed_aligned: bool,
}

/// Bytes after which the cost of a shifted request repeats.
#[must_use]
pub fn period(problem: &Problem, arch: &Arch) -> i64 {
    match problem.space {
        // A shift by whole words turns the banks round; wider accesses are aligned to their width.
        Space::Shared => i64::from(problem.width.max(4)),
        Space::Global => {
            // Devices with 128-byte lines count lines, those before them segments of up to 128 bytes.
            if arch.measured || arch.major >= 5 {
                32
            } else {
                256
            }
        }
    }
}

/// The residues that the shared part can leave for `modulus`, in order.
#[must_use]
pub fn residues(terms: &Terms, base: &[(Monomial, i64)], modulus: i64) -> Vec<i64> {
    let mut ring = ResidueSet::new(modulus);
    for (monomial, coefficient) in base {
        let coefficient = coefficient.rem_euclid(modulus);
        if coefficient == 0 {
            continue;
        }
        let steps = listed_residues(terms, monomial, coefficient, modulus).unwrap_or_else(|| {
            let common = gcd(coefficient, modulus);
            (0..modulus / common).map(|k| k * common).collect()
        });
        ring.add(&steps);
        if ring.is_full() {
            break;
        }
    }
    ring.residues()
}

/// A set of residues, a bit for each.
struct ResidueSet {
    modulus: u32,
    bits: [u64; 4],
}

impl ResidueSet {
    /// The set of 0 for a modulus of at most 256.
    fn new(modulus: i64) -> Self {
        Self {
            modulus: modulus.clamp(1, 256) as u32,
            bits: [1, 0, 0, 0],
        }
    }

    fn has(&self, at: u32) -> bool {
        self.bits[at as usize / 64] >> (at % 64) & 1 == 1
    }

    fn is_full(&self) -> bool {
        self.bits.iter().map(|word| word.count_ones()).sum::<u32>() == self.modulus
    }

    /// Adds each of `steps` to each member, modulo the modulus.
    fn add(&mut self, steps: &[i64]) {
        let mut bits = [0; 4];
        if self.modulus <= 64 {
            let all = u64::MAX >> (64 - self.modulus);
            for step in steps {
                let step = *step as u32;
                let low = self.bits[0].checked_shl(step).unwrap_or(0);
                let high = self.bits[0].checked_shr(self.modulus - step).unwrap_or(0);
                bits[0] |= (low | high) & all;
            }
        } else {
            for at in (0..self.modulus).filter(|at| self.has(*at)) {
                for step in steps {
                    let to = (at + *step as u32) % self.modulus;
                    bits[to as usize / 64] |= 1 << (to % 64);
                }
            }
        }
        self.bits = bits;
    }

    fn residues(&self) -> Vec<i64> {
        let members = (0..self.modulus).filter(|at| self.has(*at));
        members.map(i64::from).collect()
    }
}

/// The residues of a monomial's multiples, in order, where its values are few.
#[must_use]
pub fn listed_residues(
    terms: &Terms,
    monomial: &Monomial,
    coefficient: i64,
    modulus: i64,
) -> Option<Vec<i64>> {
    let values = monomial_values(terms, monomial)?.into_iter();
    let mut residues: Vec<i64> = values
        .map(|value| coefficient.wrapping_mul(value).rem_euclid(modulus))
        .collect();
    residues.sort_unstable();
    residues.dedup();
    Some(residues)
}

/// All values of a monomial, where they are few.
fn monomial_values(terms: &Terms, monomial: &Monomial) -> Option<Vec<i64>> {
    let mut atoms = monomial.atoms();
    let atom = atoms.next()?;
    if atoms.next().is_some() {
        return None;
    }
    atom_values(terms, atom, 1024)
}

/// All values of a shared atom, where they are few.
#[must_use]
pub fn atom_values(terms: &Terms, atom: TermId, most: usize) -> Option<Vec<i64>> {
    if let Term::Symbol(symbol) = terms.term(atom) {
        let domain = &terms.symbol(*symbol).domain;
        return domain.count(most).map(|_| domain.list());
    }
    let mut symbols = Vec::new();
    terms.symbols_of(atom, &mut symbols);
    let [symbol] = symbols[..] else { return None };
    let domain = &terms.symbol(symbol).domain;
    domain.count(most)?;
    let mut values = Vec::new();
    let mut evaluation = Evaluation::new(terms, [atom]);
    for value in domain.list() {
        evaluation.run(|_, _| Some(value));
        values.push(evaluation.value(atom)?);
    }
    Some(values)
}

/// A request, but for where its lanes stand.
#[derive(Clone, Copy)]
pub struct RequestKind {
    pub space: Space,
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
    /// Row addresses of a matrix move, else 0.
    pub rows: u32,
    pub atomic: Atomic,
}

impl RequestKind {
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        Self {
            space: problem.space,
            op: problem.op,
            width: problem.width,
            rows: problem.rows,
            atomic: problem.atomic,
        }
    }
}

/// The cost of the request whose lanes stand at `offsets`.
#[must_use]
pub fn request_cost(kind: RequestKind, arch: &Arch, mask: u32, offsets: &[i64; LANES]) -> Cost {
    let least = (0..LANES)
        .filter(|lane| mask >> lane & 1 == 1)
        .map(|lane| offsets[lane])
        .min()
        .unwrap_or(0);
    // Costs repeat with every 4096 bytes; addresses are counted from 0.
    let shift = least.div_euclid(4096) * 4096;
    let mut addresses = [None; LANES];
    for lane in 0..LANES {
        if mask >> lane & 1 == 1 {
            addresses[lane] = Some(offsets[lane].wrapping_sub(shift) as u64);
        }
    }
    if kind.rows > 0 {
        let mut rows = addresses;
        for address in rows.iter_mut().skip(kind.rows as usize) {
            *address = None;
        }
        return cost::ldmatrix(&rows, kind.rows / 8, arch);
    }
    if kind.space == Space::Shared {
        match kind.atomic {
            Atomic::No => {}
            Atomic::Instruction(order) => {
                return cost::shared_atomic(&addresses, kind.width, order, arch);
            }
            Atomic::Loop => {
                return cost::atomic_loop_round(kind.width, mask);
            }
        }
    }
    let request = Request {
        addresses,
        width: kind.width,
        space: kind.space,
        op: kind.op,
    };
    cost::cost(&request, arch)
}

/// The costs of a global request whose lanes stand at `offsets` when all of them move 0 to 31 bytes on.
fn costs_by_shift(
    problem: &Problem,
    arch: &Arch,
    mask: u32,
    offsets: &[i64; LANES],
) -> Option<[Cost; 32]> {
    if problem.space != Space::Global || problem.rows > 0 {
        return None;
    }
    let mut starts = [0; LANES];
    let mut count = 0;
    for (lane, offset) in offsets.iter().enumerate() {
        if mask >> lane & 1 == 1 {
            starts[count] = *offset;
            count += 1;
        }
    }
    cost::costs_by_shift(&mut starts[..count], problem.width, problem.op, arch)
}

/// Costs of cases by what they depend on. Cases of one kind of request whose lanes stand alike, and
/// whose shared parts leave the same residues, cost the same, whichever problem they are of. For one
/// architecture.
#[derive(Default)]
pub struct Costs {
    known: Mutex<FxHashMap<Hash, LeafCost>>,
}

impl Costs {
    /// Bounds of one case; exact where `complete`. Of one that `is_alone` it is told what they vary with.
    pub fn of(&self, problem: &Problem, leaf: &Leaf, arch: &Arch, is_alone: bool) -> LeafCost {
        let residues = residues(&problem.terms, &leaf.base, period(problem, arch));
        if is_alone || leaf.coupled.is_empty() && residues.len() <= FEW_REQUESTS {
            return leaf_cost(problem, leaf, &residues, arch, is_alone);
        }
        let key = hash_of(&alike(problem, leaf, &residues, arch));
        if let Ok(known) = self.known.lock()
            && let Some(cost) = known.get(&key)
        {
            return cost.clone();
        }
        let cost = leaf_cost(problem, leaf, &residues, arch, false);
        if let Ok(mut known) = self.known.lock() {
            known.insert(key, cost.clone());
        }
        cost
    }
}

/// The key that determines the cost of a case.
fn alike(problem: &Problem, leaf: &Leaf, residues: &[i64], arch: &Arch) -> Vec<i64> {
    let is_active = |lane: &usize| leaf.mask >> lane & 1 == 1;
    let active = (0..LANES).filter(is_active);
    let mut key = Vec::with_capacity(5 + 2 + LANES + residues.len());
    key.extend(problem.kind());
    key.extend([i64::from(leaf.mask), residues.len() as i64]);
    key.extend(residues);
    // Moved by periods to where the least lane is within the first.
    let period = match problem.space {
        // Of the banks, also where they are 8 bytes wide.
        Space::Shared => 256,
        Space::Global => period(problem, arch),
    };
    let least = active.clone().map(|lane| leaf.lanes[lane]).min();
    let shift = least.unwrap_or(0).div_euclid(period) * period;
    key.extend(
        active
            .clone()
            .map(|lane| leaf.lanes[lane].wrapping_sub(shift)),
    );
    // What the active lanes multiply, with its bounds.
    for (monomial, coefficients) in &leaf.coupled {
        key.extend(active.clone().map(|lane| coefficients[lane]));
        let (low, high) = monomial_interval(&problem.terms, monomial, Range::All);
        key.extend([low, high]);
    }
    key
}

impl Leaf {
    /// What stands in the lanes' addresses beside the shared part, where the symbol that multiplies the lane is `factor`.
    fn offsets(&self, factor: i64) -> [i64; LANES] {
        let mut offsets = self.lanes;
        for (lane, offset) in offsets.iter_mut().enumerate() {
            for (_, coefficients) in &self.coupled {
                *offset = offset.wrapping_add(coefficients[lane].wrapping_mul(factor));
            }
        }
        offsets
    }
}

impl LeafCost {
    /// Takes in the cost of one request. The ideal that is told is that of the worst one.
    fn note(&mut self, found: Cost, base: i64, factor: Option<i64>) {
        let worse = u64::from(found.actual) * u64::from(self.ideal)
            > u64::from(self.max) * u64::from(found.ideal);
        if self.max == 0 || worse || (found.actual > self.max && found.ideal >= self.ideal) {
            self.max = self.max.max(found.actual);
            self.ideal = found.ideal;
            self.worst_base = base;
            self.worst_factor = factor;
        }
    }
}

/// The requests of a case that can be there: a request with a lane at no multiple of its width faults.
struct Requests {
    /// Residues of what all lanes share.
    bases: Vec<i64>,
    /// Each value of the lane-multiplying monomial with the lanes' offsets and what they lack to a multiple of
    /// the width, where that is the same for all lanes.
    moved: Vec<(Option<i64>, [i64; LANES], Option<i64>)>,
    /// Whether base and offsets have to fit each other.
    is_by_pairs: bool,
    /// Whether requests were left out that are not aligned.
    assumed_aligned: bool,
    alignment: i64,
}

impl Requests {
    fn new(leaf: &Leaf, all: &[i64], factors: Vec<Option<i64>>, alignment: i64) -> Self {
        let first = leaf.mask.trailing_zeros().min(31) as usize;
        let aligned: Vec<i64> = all
            .iter()
            .copied()
            .filter(|residue| (residue + leaf.lanes[first]).rem_euclid(alignment) == 0)
            .collect();
        let lacking = |offsets: &[i64; LANES]| {
            let mut active = (0..LANES).filter(|lane| leaf.mask >> lane & 1 == 1);
            let left = offsets[first].rem_euclid(alignment);
            let is_common = active.all(|lane| offsets[lane].rem_euclid(alignment) == left);
            is_common.then(|| (alignment - left) % alignment)
        };
        let moved = factors
            .into_iter()
            .map(|factor| {
                let offsets = leaf.offsets(factor.unwrap_or(0));
                (factor, offsets, lacking(&offsets))
            })
            .collect();
        let mut out = Self {
            bases: Vec::new(),
            moved,
            is_by_pairs: false,
            assumed_aligned: false,
            alignment,
        };
        let has_pair = |requests: &Self, fits: bool| {
            let mut of_factors = requests.moved.iter().map(|(_, _, lacking)| *lacking);
            of_factors.any(|lacking| all.iter().any(|base| requests.fits(*base, lacking) == fits))
        };
        out.is_by_pairs = !leaf.coupled.is_empty() && alignment > 1 && has_pair(&out, true);
        out.assumed_aligned = if out.is_by_pairs {
            has_pair(&out, false)
        } else {
            !aligned.is_empty() && aligned.len() < all.len()
        };
        out.bases = if out.is_by_pairs || aligned.is_empty() {
            all.to_vec()
        } else {
            aligned
        };
        out
    }

    /// Whether the shared part is what the lanes lack.
    fn fits(&self, base: i64, lacking: Option<i64>) -> bool {
        lacking == Some(base.rem_euclid(self.alignment))
    }
}

/// Bounds of a case whose shared part leaves the residues in `all`.
fn leaf_cost(problem: &Problem, leaf: &Leaf, all: &[i64], arch: &Arch, is_alone: bool) -> LeafCost {
    let modulus = period(problem, arch);
    let (factors, complete) = factor_window(problem, leaf, modulus);
    let alignment = gcd(i64::from(problem.width), modulus);
    let requests = Requests::new(leaf, all, factors, alignment);
    let mut out = LeafCost {
        min: u32::MAX,
        max: 0,
        ideal: 0,
        worst_base: 0,
        worst_factor: None,
        by_factor: Vec::new(),
        factor_period: factor_period(problem, leaf, modulus),
        by_residue: Vec::new(),
        complete,
        assumed_aligned: requests.assumed_aligned,
    };
    for (factor, offsets, lacking) in &requests.moved {
        let by_shift = if requests.bases.len() >= FEW_REQUESTS {
            costs_by_shift(problem, arch, leaf.mask, offsets)
        } else {
            None
        };
        let mut low = u32::MAX;
        let mut high = 0;
        for base in &requests.bases {
            if requests.is_by_pairs && !requests.fits(*base, *lacking) {
                continue;
            }
            let found = match &by_shift {
                Some(costs) => costs[base.rem_euclid(32) as usize],
                None => {
                    let offsets = offsets.map(|offset| offset.wrapping_add(*base));
                    request_cost(RequestKind::of(problem), arch, leaf.mask, &offsets)
                }
            };
            low = low.min(found.actual);
            high = high.max(found.actual);
            out.note(found, *base, *factor);
            if is_alone && factor.is_none() {
                out.by_residue.push((*base, found.actual));
            }
        }
        out.min = out.min.min(low);
        if let Some(value) = factor.filter(|_| is_alone && high > 0) {
            out.by_factor.push((value, low, high));
        }
    }
    if out.min == u32::MAX {
        out.min = out.max;
    }
    out
}

/// Bytes after which the cost of an address repeats.
fn repeats_after(problem: &Problem, modulus: i64) -> i64 {
    match problem.space {
        Space::Shared => 128,
        Space::Global => modulus,
    }
}

/// After how many values of the lane-multiplying monomial the cost repeats, where lanes with different coefficients
/// are far apart.
fn factor_period(problem: &Problem, leaf: &Leaf, modulus: i64) -> i64 {
    let repeats = repeats_after(problem, modulus);
    let [(_, coefficients)] = leaf.coupled.as_slice() else {
        return repeats;
    };
    let active = (0..LANES).filter(|lane| leaf.mask >> lane & 1 == 1);
    let all = active.fold(repeats, |g, lane| gcd(g, coefficients[lane]));
    repeats / all.max(1)
}

/// The values of the lane-multiplying monomial that costs can tell apart, and whether they are all.
///
/// Let the lanes' coefficients differ by at least `d` where they differ, and the rest spread
/// over `s` bytes. Beyond `|value| > (s + 64) / d` lanes with different coefficients share no
/// word and no sector, and the cost only depends on the residue of the value for the period.
fn factor_window(problem: &Problem, leaf: &Leaf, modulus: i64) -> (Vec<Option<i64>>, bool) {
    let [(monomial, coefficients)] = leaf.coupled.as_slice() else {
        return if leaf.coupled.is_empty() {
            (vec![None], true)
        } else {
            (vec![Some(0), Some(1), Some(32), Some(33)], false)
        };
    };
    let active: Vec<usize> = (0..LANES)
        .filter(|lane| leaf.mask >> lane & 1 == 1)
        .collect();
    let distances = active.iter().flat_map(|a| {
        let from = coefficients[*a];
        active
            .iter()
            .map(move |b| coefficients[*b].saturating_sub(from))
    });
    let difference = distances.filter(|distance| *distance > 0).min();
    let lanes = active.iter().map(|lane| leaf.lanes[*lane]);
    let (least, most) = (lanes.clone().min(), lanes.max());
    let spread = most.unwrap_or(0).saturating_sub(least.unwrap_or(0));
    let repeats = repeats_after(problem, modulus);
    let threshold = spread.saturating_add(64) / difference.unwrap_or(i64::MAX);
    let threshold = threshold.saturating_add(1);
    let reach = threshold.saturating_add(factor_period(problem, leaf, modulus));
    if reach > MAX_WINDOW {
        return (vec![Some(0), Some(1), Some(2), Some(32), Some(33)], false);
    }
    let (low, high) = monomial_interval(&problem.terms, monomial, Range::All);
    let low = low.max(-reach);
    let high_end = high.min(reach.max(low.saturating_add(repeats)));
    // Positive values first: the first of equally bad ones is told.
    let values: Vec<Option<i64>> = (low.max(0)..=high_end)
        .chain(low..=high_end.min(-1))
        .map(Some)
        .collect();
    if values.is_empty() || values.len() as i64 > 2 * MAX_WINDOW {
        return (vec![Some(1)], false);
    }
    (values, true)
}

/// Bounds of what is left of a polynomial without its constant part.
#[must_use]
pub fn open_interval(terms: &Terms, poly: &Poly) -> (i64, i64) {
    let most = i64::MAX / 8;
    let (mut low, mut high) = (0_i64, 0_i64);
    for (monomial, coefficient) in poly.open() {
        let (a, b) = monomial_interval(terms, monomial, Range::All);
        let c = coefficient.lane(0);
        let (x, y) = (a.saturating_mul(c), b.saturating_mul(c));
        low = low.saturating_add(x.min(y)).clamp(-most, most);
        high = high.saturating_add(x.max(y)).clamp(-most, most);
    }
    (low, high)
}

/// Bounds of a sum in each lane.
#[must_use]
pub fn lane_intervals(terms: &Terms, poly: &Poly) -> [(i64, i64); LANES] {
    let most = i64::MAX / 8;
    let mut bounds = poly.constant_lanes().map(|own| {
        let own = own.clamp(-most, most);
        (own, own)
    });
    for (monomial, coefficient) in poly.open() {
        let (a, b) = monomial_interval(terms, monomial, Range::All);
        for (lane, (low, high)) in bounds.iter_mut().enumerate() {
            let c = coefficient.lane(lane);
            let (x, y) = (a.saturating_mul(c), b.saturating_mul(c));
            *low = low.saturating_add(x.min(y)).clamp(-most, most);
            *high = high.saturating_add(x.max(y)).clamp(-most, most);
        }
    }
    bounds
}

/// Whether a value is negative in some lane as soon as each symbol that may have any sign is positive, as
/// counts and sizes are: that it is not negative would be true of next to no run.
#[must_use]
pub fn is_negative_for_counts(terms: &Terms, poly: &Poly) -> bool {
    let most = most_for_counts(terms, poly, Range::Counts);
    most.iter().any(|most| *most < 0)
}

/// In which lanes of a block's first warp it is negative then.
#[must_use]
pub fn negative_in_first_warp(terms: &Terms, poly: &Poly) -> Vec<usize> {
    let most = most_for_counts(terms, poly, Range::FirstWarp);
    (0..LANES).filter(|lane| most[*lane] < 0).collect()
}

fn most_for_counts(terms: &Terms, poly: &Poly, of: Range) -> [i128; LANES] {
    let mut highest = poly.constant_lanes().map(i128::from);
    for (monomial, coefficient) in poly.open() {
        let (a, b) = monomial_interval(terms, monomial, of);
        let (a, b) = (i128::from(a), i128::from(b));
        for (lane, highest) in highest.iter_mut().enumerate() {
            let c = i128::from(coefficient.lane(lane));
            *highest += (a * c).max(b * c);
        }
    }
    highest
}

/// Which values of symbols an interval takes in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    All,
    /// Symbols of any sign are positive.
    Counts,
    /// So they are, and those that tell warps apart are the first warp's, which every block has.
    FirstWarp,
}

fn monomial_interval(terms: &Terms, monomial: &Monomial, of: Range) -> (i64, i64) {
    let mut product: (i128, i128) = (1, 1);
    for atom in monomial.atoms() {
        let (low, high) = match terms.term(atom) {
            // A symbol's domain may have been narrowed since its term was made.
            Term::Symbol(symbol) => {
                let known = terms.symbol(*symbol);
                let (low, high) = (known.domain.low, known.domain.high);
                let is_of_warps = known.origin.is_swept_by_a_block();
                if of == Range::FirstWarp && is_of_warps {
                    (low, low)
                } else if of != Range::All && low < 0 && high > 0 {
                    (1, high)
                } else {
                    (low, high)
                }
            }
            _ => terms.interval(atom),
        };
        let corners = [
            product.0 * i128::from(low),
            product.0 * i128::from(high),
            product.1 * i128::from(low),
            product.1 * i128::from(high),
        ];
        let most = i128::from(i64::MAX / 4);
        product = (
            corners.iter().copied().min().unwrap_or(0).max(-most),
            corners.iter().copied().max().unwrap_or(0).min(most),
        );
    }
    (product.0 as i64, product.1 as i64)
}
