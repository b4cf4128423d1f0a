//! Barriers that threads miss and words that threads race for, found by running a block.
//!
//! Given a kernel and its launches, runs the first block with plain data and notes who touches
//! which byte of shared memory between which barriers. Two accesses of one byte by two threads
//! in one interval, one of them a store, are in no order: the run is the witness. Accesses and
//! barriers that depend on data are left out, as the data is made up; so are kernels with code
//! that is not modelled, volatile words that warps wait for, and bytes that several threads
//! write in one interval, as those are mostly meant. What is left is silent or right.

mod log;
mod parameter_cases;

use super::kernel_facts::KernelFacts;
use crate::access::Walk;
use crate::access::side_effects::OtherEffectKind;
use crate::gpu::Arch;
use crate::gpu::cost::Space;
use crate::ir::{
    Argument, Dimension, Expr, Kernel, Launch, ParameterKind, Path, Scalar, SiteId, Stmt, Value,
    VarId, visit,
};
use crate::sim::{
    self, Blocks, ConcreteArgument, ConcreteLaunch, DivergentBarrier, Limit, MissedExchange,
};
use crate::source::Span;
use crate::term::{SymbolOrigin, TermId};
use log::Log;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Bytes of an array whose size nobody tells; never touched where no thread looks.
const BUFFER: usize = 1 << 23;
/// Bytes of dynamic shared memory where no launch tells.
const DYNAMIC: u64 = 48 << 10;
/// Statements of one run, at most, and those of them that only repeat others: hazards show in the
/// first iterations.
const STATEMENTS: u64 = 2_500;
const KNOWN_STATEMENTS: u64 = 1_500;
/// Up to so many threads run so long; of more threads each runs less.
const THREADS: u64 = 256;
/// Launches that are run.
const LAUNCHES: usize = 2;
/// Values of parameters that nobody tells: common ones, the first that the arrays are large
/// enough for, and one that is a multiple of nothing.
const COMMON: [i64; 2] = [1024, 64];
const UNCOMMON: i64 = 1001;
/// Blocks along an axis of the grid that nobody tells: few, of which each takes several turns of a loop that shares out
/// work, or as many as there is work.
const FEW_BLOCKS: u32 = 2;
const MANY_BLOCKS: u32 = 1 << 20;
/// A small one: an index that is such a parameter then stays near the start of its array.
const SMALL: i64 = 16;
/// The constants that parameters which choose are compared with, by their places.
type Choices = FxHashMap<usize, BTreeSet<i64>>;
/// Cases of parameters that choose, at most.
const MOST_CHOICES: usize = 4;

/// Hazards of one kernel.
#[derive(Debug, Default)]
pub struct Hazards {
    pub barriers: Vec<Missed>,
    pub races: Vec<Race>,
    pub exchanges: Vec<Unmatched>,
}

/// An exchange between lanes whose mask is not that of the lanes which take part.
#[derive(Clone, Debug)]
pub struct Unmatched {
    pub what: MissedExchange,
    pub run: Run,
}

/// A barrier that some threads do not reach.
#[derive(Clone, Debug)]
pub struct Missed {
    pub span: Span,
    /// A thread that waits there and one that does not come: linear indices.
    pub here: u32,
    pub there: u32,
    pub arrived: u32,
    pub expected: u32,
    pub run: Run,
}

/// Two accesses of one byte that nothing orders.
#[derive(Clone, Debug)]
pub struct Race {
    /// The earlier one in the text's order.
    pub first: Touch,
    pub second: Touch,
    /// Byte offset in shared memory.
    pub byte: u64,
    /// Both threads are of one warp.
    pub in_warp: bool,
    pub run: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub site: SiteId,
    /// Linear index in the block.
    pub thread: u32,
    pub is_store: bool,
}

impl Touch {
    /// What the thread does to the byte.
    #[must_use]
    pub fn verb(self) -> &'static str {
        if self.is_store { "writes" } else { "reads" }
    }
}

/// The values under which it was seen.
#[derive(Clone, Debug)]
pub struct Run {
    pub launch: Launch,
    /// Of parameters that nobody tells; `None` where every value is known.
    pub value: Option<i64>,
    /// Common values show it.
    pub is_typical: bool,
}

/// Runs the kernel and collects what threads did to each other.
pub fn find(view: &KernelFacts, arch: &Arch) -> Hazards {
    if !is_worth_running(view) {
        return Hazards::default();
    }
    let plain = PlainPlaces::of(view);
    let mut found = of_launches(view, arch, &plain);
    doubt_some_shapes(view, &mut found, arch, &plain);
    found
}

/// Host code that chooses an instance and a block at one launch may do both by one number: what happens under some of
/// these blocks only is not known of the instance.
fn doubt_some_shapes(view: &KernelFacts, found: &mut Hazards, arch: &Arch, plain: &PlainPlaces) {
    if view.kernel.instance.is_empty() {
        return;
    }
    let block = |launch: &Launch| launch.block.each_ref().map(Dimension::known);
    let observe_others = |run: &Run| -> Vec<Observed> {
        let others = view.launches.iter().filter(|other| {
            other.span.is_some()
                && other.span == run.launch.span
                && block(other) != block(&run.launch)
        });
        let given = Given::all(run.value.unwrap_or(COMMON[0]));
        others
            .filter_map(|launch| {
                Surroundings {
                    view,
                    launch,
                    arch,
                    plain,
                }
                .observe(&given)
            })
            .collect()
    };
    let mut known = FxHashMap::default();
    let mut is_everywhere = |run: &Run, has: &dyn Fn(&Observed) -> bool| {
        let key = (run.launch.span, block(&run.launch), run.value);
        let others = known.entry(key).or_insert_with(|| observe_others(run));
        others.iter().all(has)
    };
    for race in &mut found.races {
        let is_typical = is_everywhere(&race.run, &|other| other.has_race(race));
        race.run.is_typical &= is_typical;
    }
    for missed in &mut found.barriers {
        let is_there = |other: &Observed| other.barriers.iter().any(|one| one.span == missed.span);
        let is_typical = is_everywhere(&missed.run, &is_there);
        missed.run.is_typical &= is_typical;
    }
}

fn of_launches(view: &KernelFacts, arch: &Arch, plain: &PlainPlaces) -> Hazards {
    let mut found = Hazards::default();
    let choices = parameter_cases::choices(view.kernel);
    let mut seen = FxHashSet::default();
    let launches = view
        .launches
        .iter()
        .filter(|launch| launch.block.iter().all(|axis| axis.known().is_some()));
    for launch in launches.take(LAUNCHES) {
        let surroundings = Surroundings {
            view,
            launch,
            arch,
            plain,
        };
        let is_told = is_told(view, launch);
        let common: &[i64] = if is_told { &COMMON[..1] } else { &COMMON };
        let mut outcome = common
            .iter()
            .find_map(|value| surroundings.observe(&Given::all(*value)));
        let mut run = Run {
            launch: launch.clone(),
            value: None,
            is_typical: true,
        };
        if let Some(seen) = &outcome {
            run.value = (!is_told).then_some(seen.value);
            if seen.is_quiet() && !is_told {
                outcome = surroundings.observe(&Given::all(UNCOMMON));
                run.value = Some(UNCOMMON);
                run.is_typical = false;
            }
        }
        let Some(outcome) = outcome else {
            continue;
        };
        for what in outcome.exchanges {
            if seen.insert((what.span.start, u32::MAX - 1)) {
                found.exchanges.push(Unmatched {
                    what,
                    run: run.clone(),
                });
            }
        }
        for missed in outcome.barriers {
            if let Some((here, there)) = missed.witness
                && seen.insert((missed.span.start, u32::MAX))
            {
                found.barriers.push(Missed {
                    span: missed.span,
                    here,
                    there,
                    arrived: missed.arrived,
                    expected: missed.expected,
                    run: run.clone(),
                });
            }
        }
        let reruns = Reruns::new(surroundings);
        // A barrier of the block orders the lanes of a warp, too.
        let mut races = outcome.races;
        races.sort_by_key(|race| race.in_warp);
        for race in races {
            if !seen.insert((race.first.site.0, race.second.site.0)) {
                continue;
            }
            let mut run = run.clone();
            run.is_typical = run.is_typical && reruns.show(&race, run.value, &choices);
            found.races.push(Race { run, ..race });
        }
    }
    found
}

/// What a run needs beside the values of what nobody tells.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    view: &'a KernelFacts<'a>,
    launch: &'a Launch,
    arch: &'a Arch,
    plain: &'a PlainPlaces,
}

impl Surroundings<'_> {
    /// One run; `None` where it leaves an array, as the values do not fit the kernel then.
    fn observe(self, given: &Given) -> Option<Observed> {
        let value = given.value;
        let concrete = concrete(self.view, self.launch, given)?;
        let mut log = Log::new(self.plain, self.launch, value, grain(self.view));
        let outcome = sim::run(
            self.view.kernel,
            self.view.program,
            &concrete,
            self.arch,
            &mut |request| {
                log.note(request);
            },
        );
        let mut seen = Observed {
            value,
            races: log.races,
            ..Observed::default()
        };
        // What came before the end of a run stands.
        if let Ok(outcome) = outcome {
            if outcome.fault.is_some() || !outcome.violated.is_empty() {
                return None;
            }
            // After a barrier that some missed, who is in which interval means nothing.
            if !outcome.divergent_barriers.is_empty() {
                seen.races.clear();
            }
            seen.barriers = outcome.divergent_barriers;
            seen.barriers
                .retain(|one| self.plain.barriers.contains(&one.span));
            seen.exchanges = outcome.missed_exchanges;
            seen.exchanges
                .retain(|one| self.plain.exchanges.contains(&one.span));
        }
        Some(seen)
    }
}

/// Runs with other values of what nobody tells, each made when a race first asks for it.
struct Reruns<'a> {
    surroundings: Surroundings<'a>,
    /// Of arrays that are small.
    small: OnceCell<Option<Observed>>,
    /// With a block for each turn.
    blocks: OnceCell<Option<Observed>>,
    choices: OnceCell<Vec<Observed>>,
}

impl<'a> Reruns<'a> {
    fn new(surroundings: Surroundings<'a>) -> Self {
        Self {
            surroundings,
            small: OnceCell::new(),
            blocks: OnceCell::new(),
            choices: OnceCell::new(),
        }
    }

    /// Whether other values show the race too. `value` is that of parameters in the run that has shown it.
    fn show(&self, race: &Race, value: Option<i64>, choices: &Choices) -> bool {
        let surroundings = self.surroundings;
        let has_race =
            |again: &Option<Observed>| again.as_ref().is_none_or(|again| again.has_race(race));
        if value.is_some() && surroundings.plain.is_met_by_value(race) {
            let again = self
                .small
                .get_or_init(|| surroundings.observe(&Given::all(SMALL)));
            if !has_race(again) {
                return false;
            }
        }
        let given = Given::all(value.unwrap_or(COMMON[0]));
        let mut grid = surroundings.launch.grid.iter();
        if grid.any(|axis| axis.known().is_none()) {
            let given = Given {
                blocks: MANY_BLOCKS,
                ..given
            };
            let again = self.blocks.get_or_init(|| surroundings.observe(&given));
            if !has_race(again) {
                return false;
            }
        }
        let Some(value) = value.filter(|_| !choices.is_empty()) else {
            return true;
        };
        let again = self.choices.get_or_init(|| {
            let all = Given::chosen(value, choices).into_iter();
            all.filter_map(|given| surroundings.observe(&given))
                .collect()
        });
        again.iter().any(|again| again.has_race(race))
    }
}

/// Whether there is something to order and nothing that could order it unseen.
fn is_worth_running(view: &KernelFacts) -> bool {
    let kernel = view.kernel;
    let mut has_barrier = false;
    let mut has_exchange = false;
    let mut is_modelled = kernel.gaps.is_empty();
    visit::statements(&kernel.body, &mut |stmt| match stmt {
        Stmt::Barrier { .. } => has_barrier = true,
        Stmt::Collective { op, .. } => has_exchange |= op.ends_with("_sync"),
        Stmt::Opaque { .. } | Stmt::OpaqueAccess { .. } => is_modelled = false,
        _ => {}
    });
    is_modelled && (has_barrier || has_exchange || !kernel.shared.is_empty())
}

/// Whether the launch gives every integer that the kernel takes.
fn is_told(view: &KernelFacts, launch: &Launch) -> bool {
    view.kernel.parameters.iter().enumerate().all(|(at, one)| {
        let argument = launch.arguments.get(at).unwrap_or(&Argument::Unknown);
        match &one.kind {
            ParameterKind::Scalar(ty) if ty.is_integer() => matches!(argument, Argument::Int(_)),
            ParameterKind::Scalar(_) | ParameterKind::Pointer { .. } => true,
            ParameterKind::Object { leaves } => leaves.iter().all(|(_, ty, _)| !ty.is_integer()),
        }
    })
}

/// Accesses and conditions that do not depend on data.
struct PlainPlaces {
    sites: FxHashSet<SiteId>,
    /// The parameters that the address of each access depends on.
    parameters: FxHashMap<SiteId, FxHashSet<u32>>,
    /// Stores of what a load has just brought, with that load: at the load's own address they change nothing.
    copies: FxHashMap<SiteId, SiteId>,
    volatile: FxHashSet<SiteId>,
    barriers: FxHashSet<Span>,
    /// With masks that only the thread decides.
    exchanges: FxHashSet<Span>,
}

impl PlainPlaces {
    fn of(view: &KernelFacts) -> Self {
        let mut sites = FxHashSet::default();
        let mut parameters: FxHashMap<SiteId, FxHashSet<u32>> = FxHashMap::default();
        let mut with_data = FxHashSet::default();
        let mut volatile = FxHashSet::default();
        let mut barriers = FxHashSet::default();
        let mut exchanges = FxHashSet::default();
        let mut guarded = FxHashSet::default();
        for walk in view.walks() {
            for visit in &walk.visits {
                let depends = |term| walk.terms.has_data(term);
                let is_plain = visit.offset.is_some_and(|offset| !depends(offset))
                    && visit.reason.is_none()
                    && !visit.guards.iter().any(|guard| depends(*guard));
                if is_plain {
                    sites.insert(visit.site);
                } else {
                    with_data.insert(visit.site);
                }
                if visit.path == Path::Volatile {
                    volatile.insert(visit.site);
                }
                let symbols = walk.terms.symbols_in(visit.offset);
                let origins = symbols.iter().map(|one| walk.terms.symbol(*one).origin);
                let of_address = origins.filter_map(SymbolOrigin::parameter);
                parameters.entry(visit.site).or_default().extend(of_address);
            }
            for extra in &walk.extras {
                let (span, places, is_plain) = match extra.kind {
                    OtherEffectKind::Barrier { span } => (span, &mut barriers, true),
                    OtherEffectKind::Exchange { span, mask } => {
                        (span, &mut exchanges, is_of_thread(walk, mask))
                    }
                    _ => continue,
                };
                let has_data = extra.guards.iter().any(|guard| walk.terms.has_data(*guard));
                if has_data || !is_plain {
                    guarded.insert(span);
                } else {
                    places.insert(span);
                }
            }
            if walk.incomplete.is_some() {
                return Self {
                    sites: FxHashSet::default(),
                    parameters: FxHashMap::default(),
                    copies: FxHashMap::default(),
                    volatile,
                    barriers: FxHashSet::default(),
                    exchanges: FxHashSet::default(),
                };
            }
        }
        sites.retain(|site| !with_data.contains(site));
        barriers.retain(|span| !guarded.contains(span));
        exchanges.retain(|span| !guarded.contains(span));
        Self {
            sites,
            parameters,
            copies: copies(view.kernel),
            volatile,
            barriers,
            exchanges,
        }
    }

    /// Whether a parameter moves one of the two accesses and not the other: where they meet is then the value's choice.
    fn is_met_by_value(&self, race: &Race) -> bool {
        let of = |touch: Touch| self.parameters.get(&touch.site);
        of(race.first) != of(race.second)
    }
}

/// Stores of a variable that one load gives its value and nothing else, each with that load.
fn copies(kernel: &Kernel) -> FxHashMap<SiteId, SiteId> {
    let mut loads: FxHashMap<VarId, Option<SiteId>> = FxHashMap::default();
    let mut stores: Vec<(SiteId, VarId)> = Vec::new();
    let mut written: Vec<VarId> = Vec::new();
    visit::statements(&kernel.body, &mut |stmt| match stmt {
        Stmt::Load { target, site, .. } => {
            let known = loads.entry(*target).or_insert(Some(*site));
            *known = known.filter(|known| known == site);
        }
        Stmt::Store {
            value: Value::Scalar(value),
            site,
            ..
        } => {
            if let Expr::Var(variable) = kernel.exprs[value.index()] {
                stores.push((*site, variable));
            }
        }
        Stmt::Assign { variable, .. } => written.push(*variable),
        Stmt::Atomic {
            target: Some(target),
            ..
        }
        | Stmt::Collective {
            target: Some(target),
            ..
        } => written.push(*target),
        Stmt::Matrix { targets, .. } => written.extend(targets),
        _ => {}
    });
    for variable in written {
        loads.remove(&variable);
    }
    let with_load = |(site, variable)| Some((site, (*loads.get(&variable)?)?));
    stores.into_iter().filter_map(with_load).collect()
}

/// Whether the term has the same value in every run: it depends on the thread at most.
fn is_of_thread(walk: &Walk, term: TermId) -> bool {
    let mut symbols = Vec::new();
    walk.terms.symbols_of(term, &mut symbols);
    symbols.iter().all(|symbol| {
        let origin = walk.terms.symbol(*symbol).origin;
        *symbol == walk.lane || matches!(origin, SymbolOrigin::ThreadIndex(_))
    })
}

/// The findings of one run.
#[derive(Default)]
struct Observed {
    /// Of parameters that nobody tells.
    value: i64,
    barriers: Vec<DivergentBarrier>,
    races: Vec<Race>,
    exchanges: Vec<MissedExchange>,
}

impl Observed {
    fn is_quiet(&self) -> bool {
        self.barriers.is_empty() && self.races.is_empty() && self.exchanges.is_empty()
    }

    fn has_race(&self, race: &Race) -> bool {
        let key = |one: &Race| (one.first.site, one.second.site, one.in_warp);
        self.races.iter().any(|one| key(one) == key(race))
    }
}

/// Values of parameters that nobody tells.
struct Given {
    value: i64,
    /// Of some of them another, by their places.
    chosen: FxHashMap<usize, i64>,
    /// Blocks along axes of the grid that nobody tells.
    blocks: u32,
}

impl Given {
    fn all(value: i64) -> Self {
        Self {
            value,
            chosen: FxHashMap::default(),
            blocks: FEW_BLOCKS,
        }
    }

    /// The first constants of all parameters that choose, then the second ones, and so on.
    fn chosen(value: i64, choices: &Choices) -> Vec<Self> {
        let most = choices.values().map(BTreeSet::len).max().unwrap_or(0);
        let nth = |n: usize| {
            let of = |(at, values): (&usize, &BTreeSet<i64>)| {
                Some((*at, *values.iter().nth(n).or(values.last())?))
            };
            choices.iter().filter_map(of).collect()
        };
        let turns = (0..most.min(MOST_CHOICES)).map(nth);
        let given = |chosen| Self {
            chosen,
            ..Self::all(value)
        };
        turns.map(given).collect()
    }
}

/// Bytes that all accesses are whole numbers of, 4 at most.
fn grain(view: &KernelFacts) -> u64 {
    let visits = view.walks().iter().flat_map(|walk| &walk.visits);
    let widths = visits.map(|visit| u64::from(visit.width));
    let common = widths.fold(0, |all, width| all | width);
    1 << common.trailing_zeros().min(2)
}

fn concrete(view: &KernelFacts, launch: &Launch, given: &Given) -> Option<ConcreteLaunch> {
    let size = |axis: &Dimension| u32::try_from(axis.known()?).ok();
    let [x, y, z] = launch.block.each_ref().map(size);
    let grid = |axis: &Dimension| size(axis).unwrap_or(given.blocks).max(1);
    let value = given.value;
    let scalar = |ty: Scalar| match ty {
        Scalar::Pointer => ConcreteArgument::Zeros(BUFFER),
        Scalar::Bool => ConcreteArgument::Int(1),
        ty if ty.is_integer() && ty.size() == 1 => ConcreteArgument::Int(1),
        ty if ty.is_integer() => ConcreteArgument::Int(value),
        _ => ConcreteArgument::Float(1.0),
    };
    let arguments = view
        .kernel
        .parameters
        .iter()
        .enumerate()
        .map(|(at, parameter)| {
            let told = launch.arguments.get(at).unwrap_or(&Argument::Unknown);
            match (&parameter.kind, told) {
                (ParameterKind::Scalar(ty), Argument::Int(value)) if ty.is_integer() => {
                    ConcreteArgument::Int(*value)
                }
                (ParameterKind::Scalar(ty), Argument::Float(value)) if ty.is_float() => {
                    ConcreteArgument::Float(*value)
                }
                (ParameterKind::Scalar(ty), _) => match given.chosen.get(&at) {
                    Some(value) => ConcreteArgument::Int(*value),
                    None => scalar(*ty),
                },
                (ParameterKind::Pointer { .. }, _) => scalar(Scalar::Pointer),
                (ParameterKind::Object { leaves }, _) => {
                    ConcreteArgument::Leaves(leaves.iter().map(|(_, ty, _)| scalar(*ty)).collect())
                }
            }
        })
        .collect();
    let block = [x?, y?, z?];
    let threads = block.iter().map(|axis| u64::from(*axis)).product::<u64>();
    Some(ConcreteLaunch {
        grid: launch.grid.each_ref().map(grid),
        block,
        dynamic_shared: launch.dynamic_shared.unwrap_or(DYNAMIC),
        arguments,
        blocks: Blocks::Only(vec![[0, 0, 0]]),
        limit: Some(Limit {
            statements: STATEMENTS * THREADS / threads.max(THREADS),
            known: KNOWN_STATEMENTS * THREADS / threads.max(THREADS),
        }),
        only: Some(Space::Shared),
    })
}
