//! A whole program: walks, canonical forms, proofs once each, verdicts in order.

mod across_launches;
mod per_visit;

pub(super) use across_launches::place;

use super::answer_cache::{Asked, Store};
use super::block_sum::{self, Known, Made};
use super::claim;
use super::decide::{DecideContext, Decision, Proved, decide};
use super::explore::Problem;
use super::join_accesses::merge;
use super::launch_choice::{MAX_LAUNCHES, any, chosen, launches, shape_of, uneven_block};
use super::merged;
use super::premise::Grounds;
use super::residue_cost::Costs;
use super::smt::Answer;
use super::verdict::{Access, Claim};
use crate::access::assumption::Assumption;
use crate::access::{self, Incomplete, Visit, Walk};
use crate::gpu::Total;
use crate::gpu::arch::Arch;
use crate::gpu::cost::Space;
use crate::ir::stop::{STOPPED, Stop};
use crate::ir::{Kernel, Launch, NotAnalysed, Omission, Program};
use crate::source::Span;
use across_launches::{add_up, drop_cut, drop_uneven_sums};
use per_visit::{finish, over_the_limit, prepare, size_of, within_limit};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Further ones: for each shape of block one that stands for all others.
pub(super) const MAX_JOINED: usize = 4;

/// How to analyse.
#[derive(Clone)]
pub struct Options {
    pub arch: Arch,
    /// Whether Z3 is asked; without it verdicts carry no certificate.
    pub prove: bool,
    /// Answers of earlier runs.
    pub store: Option<Arc<dyn Store>>,
    /// Whether [`Proofs::obligations`] are kept: they are large.
    pub keep_claims: bool,
    /// Tells the time, where the slowest problems are to be named.
    pub clock: Option<fn() -> Duration>,
    /// Only accesses of this space, where one is named.
    pub only: Option<Space>,
    /// Raised to end the work: kernels that are not done then have no accesses, and are told.
    pub stop: Stop,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            arch: Arch::DEFAULT,
            prove: true,
            store: None,
            keep_claims: false,
            clock: None,
            only: None,
            stop: Stop::default(),
        }
    }
}

/// Statistics and obligations of the proofs of one run.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    /// Distinct canonical problems.
    pub problems: usize,
    /// Visits that they stand for.
    pub visits: usize,
    /// Distinct claims that were asked for.
    pub claims: usize,
    /// Those claims by hash, where [`Options::keep_claims`] is set.
    pub obligations: Vec<Proved>,
    /// The problems that took longest, slowest first, where [`Options::clock`] is set.
    pub slowest: Vec<Slow>,
}

/// Verdicts for the accesses of a program, and the kernels of which a limit left something out.
pub type Verdicts = (Vec<Access>, Vec<NotAnalysed>);

/// A source of walks: kernel and launch to walk.
pub type Walked<'a> = dyn Fn(&Kernel, &Launch) -> Arc<Walk> + Sync + 'a;

/// A problem that took long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slow {
    pub time: Duration,
    /// The access that came to it first.
    pub access: Span,
}

/// Slow problems that are named.
const MOST_SLOW: usize = 10;

/// An outcome with what accesses show of its proof.
struct Settled {
    outcome: Decision,
    certificate: Arc<[Claim]>,
}

/// Caches that all provers of one run share.
struct Shared {
    /// Outcomes by the hash of the canonical problem, without the solver and with it: each problem is
    /// decided once, by whichever visit comes to it first.
    outcomes: [Mutex<FxHashMap<claim::Hash, Arc<OnceLock<Settled>>>>; 2],
    /// Sums over a block, by what they depend on.
    sums: Mutex<FxHashMap<claim::Hash, Option<Made>>>,
    /// Of all problems' cases.
    costs: Costs,
    asked: Asked,
    /// Certificates that were put together: many accesses rest on the same claims.
    certificates: Mutex<FxHashSet<Arc<[Claim]>>>,
    /// Claims that walks rest on, by hash, where claims are kept.
    premises: Mutex<FxHashMap<claim::Hash, Proved>>,
}

/// Proves the programs of one run, which share what they have in common. May be shared by threads.
pub struct Prover {
    shared: Arc<Shared>,
    slowest: Mutex<Vec<Slow>>,
    visits: AtomicUsize,
    options: Options,
}

impl Prover {
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with(
            Shared {
                outcomes: Default::default(),
                sums: Mutex::default(),
                costs: Costs::default(),
                asked: Asked::new(options.store.clone()),
                certificates: Mutex::default(),
                premises: Mutex::default(),
            }
            .into(),
            options,
        )
    }

    fn with(shared: Arc<Shared>, options: Options) -> Self {
        Self {
            shared,
            slowest: Mutex::default(),
            visits: AtomicUsize::new(0),
            options,
        }
    }

    /// One for other accesses of the same run: of one space, if one is named, and without the solver
    /// unless `prove` is set.
    #[must_use]
    pub fn beside(&self, only: Option<Space>, prove: bool) -> Self {
        let options = Options {
            only,
            prove,
            ..self.options.clone()
        };
        Self::with(self.shared.clone(), options)
    }

    /// Verdicts for every access of every kernel of the program, in order of kernel, launch and
    /// place.
    ///
    /// A kernel's terms live as long as the kernel is worked on.
    #[must_use]
    pub fn analyse(&self, program: &Program) -> Verdicts {
        self.analyse_walked(program, &|kernel, launch| {
            Arc::new(access::walk(program, kernel, launch))
        })
    }

    /// As [`Prover::analyse`], with walks from `walk`.
    #[must_use]
    pub fn analyse_walked(&self, program: &Program, walk: &Walked) -> Verdicts {
        let jobs: Vec<(&Kernel, Launch)> = program
            .kernels
            .iter()
            .flat_map(|kernel| {
                launches(kernel)
                    .into_iter()
                    .map(move |launch| (kernel, launch))
            })
            .collect();
        let rows: Vec<(*const Kernel, [Option<u64>; 3])> = jobs
            .iter()
            .map(|(kernel, launch)| (std::ptr::from_ref(*kernel), shape_of(launch).block))
            .collect();
        // What the compiler merges without the numbers of a launch, once for each kernel.
        let mut merges: FxHashMap<usize, OnceLock<merged::Widths>> = FxHashMap::default();
        for (kernel, _) in &rows {
            merges.entry(*kernel as usize).or_default();
        }
        let are_few = jobs.len() < 2 * rayon::current_num_threads();
        let found: Vec<(Vec<Option<Access>>, Option<LeftOut>)> = jobs
            .into_par_iter()
            .map(|(kernel, launch)| {
                let of_any_launch = &merges[&(std::ptr::from_ref(kernel) as usize)];
                self.prove_launch(program, (kernel, &launch), walk, of_any_launch, are_few)
                    .unwrap_or_else(|| (Vec::new(), Some(LeftOut::stopped(kernel))))
            })
            .collect();
        let visits = found.iter().map(|(accesses, _)| accesses.len()).sum();
        self.visits.fetch_add(visits, Ordering::Relaxed);
        let (mut found, stopped): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        drop_cut(&rows, &stopped, &mut found);
        drop_uneven_sums(&rows, &mut found);
        // Each reason once.
        let mut incomplete: Vec<NotAnalysed> = stopped
            .into_iter()
            .flatten()
            .map(|left_out| left_out.told)
            .chain(crowded(program))
            .collect();
        incomplete.dedup_by(|a, b| a.span == b.span && a.reason == b.reason);
        (merge(found.into_iter().flatten().flatten()), incomplete)
    }

    /// The accesses of one kernel under one launch, and what was left out. Gives `None` where the run ended
    /// meanwhile: answers given after the stop are no answers.
    fn prove_launch(
        &self,
        program: &Program,
        (kernel, launch): (&Kernel, &Launch),
        walk: &Walked,
        of_any_launch: &OnceLock<merged::Widths>,
        has_idle_threads: bool,
    ) -> Option<(Vec<Option<Access>>, Option<LeftOut>)> {
        if self.options.stop.is_raised() {
            return None;
        }
        let kernel = &*kernel.unfolded();
        let walk = walk(kernel, launch);
        let shape = shape_of(launch);
        let grounds = self.grounds(&walk);
        let only = self.options.only;
        let within = within_limit(&walk, only);
        let is_wanted = |visit: &&Visit| only.is_none_or(|space| space == visit.space);
        let uneven = uneven_block(launch);
        let settle = |(number, visit): (usize, &Visit)| {
            let refusal = match number < within {
                true => uneven.clone(),
                false => Some(over_the_limit()),
            };
            let prepared = prepare(program, kernel, &walk, &shape, visit, refusal);
            let size = size_of(program, kernel, visit);
            let visit = (number, visit);
            finish(prepared, kernel, (&walk, &grounds), visit, size, self)
        };
        // A thread that waits for its visits would begin with other kernels meanwhile, and
        // hold the terms of all of them.
        let mut accesses: Vec<Option<Access>> = if has_idle_threads {
            let visits = walk.visits.par_iter().enumerate();
            visits.filter(|(_, v)| is_wanted(v)).map(settle).collect()
        } else {
            let visits = walk.visits.iter().enumerate();
            visits.filter(|(_, v)| is_wanted(v)).map(settle).collect()
        };
        let visits: Vec<&Visit> = walk.visits.iter().filter(is_wanted).collect();
        let arch = &self.options.arch;
        merged::note(kernel, &walk, &visits, &mut accesses, arch, || {
            of_any_launch.get_or_init(|| {
                let open = access::walk(program, kernel, &any(kernel));
                merged::widths(kernel, &open, arch)
            })
        });
        add_up(&mut accesses);
        if self.options.stop.is_raised() {
            return None;
        }
        let left_out = match (&walk.incomplete, grounds.any_failure()) {
            (Some(Incomplete::Stopped), _) => Some(LeftOut::stopped(kernel)),
            (Some(limit), _) => Some(LeftOut::some(kernel, limit.reason())),
            (None, failure) => failure.map(|why| LeftOut::some(kernel, why.to_owned())),
        };
        Some((accesses, left_out))
    }

    fn ask(&self, hash: claim::Hash, claim: &claim::Claim) -> Answer {
        if self.options.stop.is_raised() {
            Answer::Unknown
        } else if self.options.prove {
            self.shared.asked.ask(hash, claim)
        } else {
            Answer::Proved
        }
    }

    /// Proves the premises of a walk.
    fn grounds(&self, walk: &Walk) -> Grounds {
        let mut proved = Vec::new();
        let grounds = Grounds::of(walk, &|hash, claim| self.ask(hash, claim), &mut proved);
        if self.options.keep_claims
            && self.options.prove
            && let Ok(mut premises) = self.shared.premises.lock()
        {
            premises.extend(proved.into_iter().map(|one| (one.hash, one)));
        }
        grounds
    }

    fn settle(&self, key: &[i64], mut problem: Problem, access: Span) -> Arc<OnceLock<Settled>> {
        let outcomes = &self.shared.outcomes[usize::from(self.options.prove)];
        let cell = match outcomes.lock() {
            Ok(mut known) => known.entry(claim::hash_of(key)).or_default().clone(),
            Err(_) => Arc::default(),
        };
        // Deciding hands no work to other threads, so that one who waits here waits for that alone.
        cell.get_or_init(|| {
            let prove = |hash, claim: &claim::Claim| self.ask(hash, claim);
            let start = self.options.clock.map(|clock| clock());
            let by = DecideContext {
                arch: &self.options.arch,
                prove: &prove,
                costs: &self.shared.costs,
                stop: &self.options.stop,
            };
            let mut outcome = decide(&mut problem, by);
            if let (Some(clock), Some(start)) = (self.options.clock, start) {
                let time = clock().saturating_sub(start);
                self.note(Slow { time, access });
            }
            let certificate = outcome
                .obligations
                .iter()
                .filter(|proved| self.options.prove && proved.answer == Answer::Proved)
                .map(|proved| Claim {
                    kind: proved.claim.kind(),
                    obligation: proved.hash,
                })
                .collect();
            if !self.options.keep_claims {
                outcome.obligations = Vec::new();
            }
            Settled {
                outcome,
                certificate,
            }
        });
        cell
    }

    /// The sum of the visit's requests in one block.
    fn total(&self, walk: &Walk, visit: &Visit, outcome: &Decision) -> Option<Total> {
        let sum = match block_sum::prepare(walk, visit, outcome)? {
            Known::Total(total) => return Some(total),
            Known::Later(sum) => sum,
        };
        let key = sum.key;
        let known = self.shared.sums.lock().ok()?.get(&key).cloned();
        let made = known.unwrap_or_else(|| {
            let made = block_sum::make(*sum, &self.options.arch);
            if let Ok(mut sums) = self.shared.sums.lock() {
                sums.insert(key, made.clone());
            }
            made
        })?;
        let is_assumed = |one: &Assumption| outcome.assumptions.contains(one);
        made.assumptions
            .iter()
            .all(is_assumed)
            .then_some(made.total)
    }

    /// A certificate with further claims.
    fn with_claims(&self, certificate: &Arc<[Claim]>, claims: Vec<Claim>) -> Arc<[Claim]> {
        if claims.is_empty() {
            return certificate.clone();
        }
        let mut all = certificate.to_vec();
        all.extend(claims);
        let Ok(mut known) = self.shared.certificates.lock() else {
            return all.into();
        };
        if let Some(one) = known.get(all.as_slice()) {
            return one.clone();
        }
        let one: Arc<[Claim]> = all.into();
        known.insert(one.clone());
        one
    }

    fn note(&self, slow: Slow) {
        let Ok(mut slowest) = self.slowest.lock() else {
            return;
        };
        let at = slowest.partition_point(|other| other.time >= slow.time);
        if at < MOST_SLOW {
            slowest.insert(at, slow);
            slowest.truncate(MOST_SLOW);
        }
    }

    /// Statistics and obligations of all proofs.
    #[must_use]
    pub fn proofs(self) -> Proofs {
        let outcomes = &self.shared.outcomes[usize::from(self.options.prove)];
        let known = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut proofs = Proofs {
            problems: known.len(),
            visits: self.visits.into_inner(),
            claims: self.shared.asked.count(),
            obligations: Vec::new(),
            slowest: self.slowest.into_inner().unwrap_or_default(),
        };
        if self.options.prove {
            let settled = known.values().filter_map(|cell| cell.get());
            let mut obligations: Vec<Proved> = settled
                .flat_map(|settled| settled.outcome.obligations.iter().cloned())
                .collect();
            if let Ok(premises) = self.shared.premises.lock() {
                obligations.extend(premises.values().cloned());
            }
            obligations.sort_by_key(|proved| proved.hash);
            obligations.dedup_by_key(|proved| proved.hash);
            proofs.obligations = obligations;
        }
        proofs
    }
}

/// The verdicts of a program that is proved by itself.
#[must_use]
pub fn analyse(program: &Program, options: &Options) -> Verdicts {
    Prover::new(options.clone()).analyse(program)
}

/// The report on a kernel of which some accesses are left out.
struct LeftOut {
    told: NotAnalysed,
    /// Whether the run ended before a launch of it was looked at to its end.
    is_stopped: bool,
}

impl LeftOut {
    fn stopped(kernel: &Kernel) -> Self {
        Self {
            told: gap(kernel, STOPPED.to_owned(), Omission::Text),
            is_stopped: true,
        }
    }

    fn some(kernel: &Kernel, reason: String) -> Self {
        Self {
            told: gap(kernel, reason, Omission::Text),
            is_stopped: false,
        }
    }
}

/// Kernels with more launches than are analysed.
fn crowded(program: &Program) -> impl Iterator<Item = NotAnalysed> + '_ {
    let is_crowded = |kernel: &&Kernel| !chosen(kernel).1;
    program.kernels.iter().filter(is_crowded).map(|kernel| {
        gap(
            kernel,
            format!(
                "it is launched with more than {} shapes of blocks: not all of them were analysed",
                MAX_LAUNCHES + MAX_JOINED
            ),
            Omission::Launches,
        )
    })
}

fn gap(kernel: &Kernel, reason: String, omission: Omission) -> NotAnalysed {
    NotAnalysed {
        function: kernel.name.clone(),
        span: kernel.span,
        reason,
        omission,
    }
}
