//! How much of a kernel's time at memory the excess of one array takes.
//!
//! Given an access with all of its kernel, weighs what the accesses to its array cost beyond their ideal against what all accesses
//! cost. Counts of iterations and warps that nobody knows are estimates, and nothing is said of them: the share only tells
//! what is worth a warning. Knows nothing of single rules.

use super::Scope;
use crate::access::{LoopIterations, Visit, Walk};
use crate::gpu::{self, Space, WARP};
use crate::prove::verdict::{Access, LaunchShape};
use crate::source::Span;
use crate::term::{Op, SymbolId, Term};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Cycles of a multiprocessor for a wavefront of shared memory, and for a sector of global memory at the full
/// bandwidth of all of them: 32 bytes of about 15 in a cycle.
const WAVEFRONT: f64 = 1.0;
const SECTOR: f64 = 2.0;
/// A loop of unknown length runs so often where its end differs between threads: many share out a tile among them, and to
/// think little of them hides nothing that stands beside them.
const ITERATIONS: f64 = 4.0;
/// The same where all threads run it alike: each goes through the rows or the keys of the input.
const ITERATIONS_OF_ALL: f64 = 32.0;
/// A block of unknown size has so many warps.
const WARPS: f64 = 8.0;

/// What the accesses of a kernel come to under each launch; made when first asked for.
#[derive(Default)]
pub struct Shares<'a>(OnceCell<Sums<'a>>);

#[derive(Default)]
struct Sums<'a> {
    all: FxHashMap<&'a LaunchShape, f64>,
    /// Beyond the ideal, of one access.
    own: FxHashMap<*const Access, f64>,
    /// Beyond the ideal, by array.
    excess: FxHashMap<(&'a LaunchShape, Array<'a>), f64>,
}

/// An array: what declares it, or its name where nothing does.
type Array<'a> = (Space, Option<Span>, &'a str);

fn array(access: &Access) -> Array<'_> {
    match access.declaration {
        Some(declaration) => (access.space, Some(declaration), ""),
        None => (access.space, None, &access.site.array),
    }
}

/// The part of the kernel's time at memory that the array of `access` takes beyond its ideal, from 0 to 1.
pub fn of(access: &Access, scope: &Scope) -> f64 {
    part(access, scope, |sums| {
        let key = (&access.launch, array(access));
        Some(sums.excess.get(&key).copied().unwrap_or(0.0))
    })
}

/// The same of the access alone.
pub fn of_one(access: &Access, scope: &Scope) -> f64 {
    part(access, scope, |sums| {
        sums.own.get(&std::ptr::from_ref(access)).copied()
    })
}

fn part(access: &Access, scope: &Scope, excess: impl FnOnce(&Sums) -> Option<f64>) -> f64 {
    let sums = scope.shares.0.get_or_init(|| sums(scope));
    let all = sums.all.get(&access.launch).copied().unwrap_or(0.0);
    let excess = excess(sums).filter(|_| all > 0.0);
    excess.map_or(1.0, |excess| excess / all)
}

fn sums<'a>(scope: &Scope<'a>) -> Sums<'a> {
    let instance = &scope.view.kernel.instance;
    let own = scope.accesses.iter().copied();
    let mut sums = Sums::default();
    for access in own.filter(|access| *access.instance == **instance) {
        let cycles = match access.space {
            Space::Shared => WAVEFRONT,
            Space::Global => SECTOR,
        };
        let (cost, ideal) = cost(access);
        let requests = requests(access, scope) * cycles;
        *sums.all.entry(&access.launch).or_default() += requests * cost;
        let excess = requests * (cost - ideal).max(0.0);
        sums.own.insert(access, excess);
        let of_array = sums.excess.entry((&access.launch, array(access)));
        *of_array.or_default() += excess;
    }
    sums
}

/// Cost and ideal of a request as written, on average where that is known. Of several that the compiler merges each has its
/// part of the one.
fn cost(access: &Access) -> (f64, f64) {
    let verdict = &access.verdict;
    if let Some(merged) = &access.merged {
        let part = |whole: u32| f64::from(whole) / f64::from(merged.accesses.max(1));
        return (part(merged.max), part(merged.ideal));
    }
    if let Some(sum) = access.per_block.filter(|sum| sum.requests > 0) {
        let each = |all: u64| all as f64 / sum.requests as f64;
        return (each(sum.cost), each(sum.ideal));
    }
    if verdict.is_known() {
        let (max, ideal) = (f64::from(verdict.max), f64::from(verdict.ideal));
        // A launch goes through cheap values as well.
        let is_swept = verdict.depends_on.iter().any(|one| one.is_swept);
        let least = f64::from(verdict.min).max(ideal);
        let cost = if is_swept { (least + max) / 2.0 } else { max };
        return (cost, ideal);
    }
    // Where data sends lanes, nobody knows; tables may be small. To think little of them hides nothing.
    let unit = match access.space {
        Space::Shared => 128,
        Space::Global => 32,
    };
    let dense = f64::from((WARP as u32 * access.width).div_ceil(unit));
    (dense, dense)
}

/// Requests of one block.
fn requests(access: &Access, scope: &Scope) -> f64 {
    if let Some(sum) = access.per_block {
        return sum.requests as f64;
    }
    let warps = access
        .launch
        .block
        .iter()
        .try_fold(1_u64, |all, axis| all.checked_mul((*axis)?))
        .map_or(WARPS, |threads| threads.div_ceil(WARP as u64) as f64);
    warps * iterations(access, scope)
}

fn iterations(access: &Access, scope: &Scope) -> f64 {
    if let Some(iterations) = access.iterations {
        return iterations as f64;
    }
    let Some((walk, visit)) = scope.view.visit_of(access) else {
        return ITERATIONS.powi(access.loop_depth as i32);
    };
    let of_loop = |one: &LoopIterations| {
        let is_alike = |end| !walk.terms.mentions(end, &[walk.lane]) && !walk.terms.has_data(end);
        let is_once = |counter| match *walk.terms.term(counter) {
            Term::Symbol(counter) => {
                is_for_one_turn(walk, visit, counter) || is_kept(access, walk, visit, counter)
            }
            _ => false,
        };
        match (one.trip, one.condition) {
            _ if is_once(one.counter) => 1.0,
            (Some(trip), _) => trip as f64,
            (None, Some(end)) if is_alike(end) => ITERATIONS_OF_ALL,
            (None, _) => ITERATIONS,
        }
    };
    let told = visit.loops().count() as i32;
    let untold = (access.loop_depth as i32 - told).max(0);
    visit.loops().map(of_loop).product::<f64>() * ITERATIONS.powi(untold)
}

/// Whether each turn of a loop loads the same: the compiler takes the load out of the loop, or the cache has what the first
/// turn brought.
fn is_kept(access: &Access, walk: &Walk, visit: &Visit, counter: SymbolId) -> bool {
    let is_load = (access.space, access.op) == (Space::Global, gpu::Op::Load);
    let moves = |offset| walk.terms.mentions(offset, &[counter]) || walk.terms.has_data(offset);
    is_load && visit.offset.is_some_and(|offset| !moves(offset))
}

/// Whether a guard lets the access happen in one turn of a loop only: `if (i == 0)`.
fn is_for_one_turn(walk: &Walk, visit: &Visit, counter: SymbolId) -> bool {
    visit
        .guards
        .iter()
        .any(|guard| match *walk.terms.term(*guard) {
            Term::Binary(Op::Eq, ..) => walk.terms.symbols_in([*guard]) == [counter],
            _ => false,
        })
}
