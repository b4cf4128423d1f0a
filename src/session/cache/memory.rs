//! What outlives a run: trees of texts, verdicts of kernels by their content, what rules
//! said of them, and Z3's answers.
//!
//! Given a program, proves only kernels that no earlier run has seen, and gives the
//! others their verdicts with the places of today. The answer is that of a run
//! without memory. What was not used for a while is forgotten, so that a session of
//! any length stays small. Knows nothing of files or editors.

use super::opinions::{Kept, Opinions};
use crate::gpu::Arch;
use crate::ir::content::{ContentHash, content};
use crate::ir::stop::Stop;
use crate::ir::{Kernel, NotAnalysed, Program};
use crate::prove;
use crate::prove::answer_cache::Store;
use crate::prove::claim::Hash;
use crate::prove::smt::Answer;
use crate::prove::verdict::Access;
use crate::rules;
use crate::source::Span;
use crate::syntax::parse::Pieces;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Accesses kept, those that the present run does not use dropped first. A kernel counts as one more.
const MOST_ACCESSES: usize = 10_000;
/// Bytes of the trees of definitions that are kept, or that a run keeps at most.
pub(in crate::session) const PIECES_BYTES: usize = 48 << 20;
/// Answers kept; each takes about 24 bytes.
const MOST_ANSWERS: usize = 400_000;

/// Results of earlier runs. May be shared by threads.
#[derive(Debug)]
pub struct Memory {
    /// Trees of definitions.
    pub(in crate::session) pieces: Arc<Pieces>,
    kernels: Mutex<Kernels>,
    opinions: Opinions,
    answers: Arc<Answers>,
}

#[derive(Debug, Default)]
struct Kernels {
    known: FxHashMap<(ContentHash, Arch), Remembered>,
    /// Number of the present run.
    run: u64,
    accesses: usize,
}

#[derive(Debug)]
struct Remembered {
    places: Vec<Span>,
    accesses: Arc<Vec<Access>>,
    /// The last run that asked.
    used: u64,
}

/// Accesses of kernels, and what limits left out of them.
type Found = (Vec<Access>, Vec<NotAnalysed>);

impl Default for Memory {
    fn default() -> Self {
        Self {
            pieces: Arc::new(Pieces::new(PIECES_BYTES)),
            kernels: Mutex::default(),
            opinions: Opinions::default(),
            answers: Arc::default(),
        }
    }
}

impl Memory {
    /// Remembered findings about kernels, for a run of this context.
    pub(in crate::session) fn opinions<'a>(&'a self, context: &'a rules::Context<'a>) -> Kept<'a> {
        self.opinions.of_run(context)
    }

    /// Verdicts for every access of the program, and what limits left out; `None` where `stop` was
    /// raised before all were there.
    pub(in crate::session) fn prove(
        &self,
        program: &mut Program,
        arch: Arch,
        stop: &Arc<AtomicBool>,
    ) -> Option<Found> {
        let run = {
            let mut kernels = lock(&self.kernels);
            kernels.run += 1;
            kernels.run
        };
        let store: Arc<dyn Store> = Arc::new(Stoppable {
            answers: self.answers.clone(),
            stop: stop.clone(),
        });
        let options = prove::Options {
            arch,
            stop: Stop::from(stop.clone()),
            store: Some(store),
            ..prove::Options::default()
        };
        let globals = program.globals.clone();
        let most_steps = program.most_steps;
        let most_terms = program.most_terms;
        let work = |kernel: Kernel| -> (Kernel, Option<Found>) {
            if stop.load(Ordering::Relaxed) {
                return (kernel, None);
            }
            let (hash, places) = content(&kernel, &globals);
            let key = (hash, arch);
            if let Some(accesses) = self.recall(&key, &places, run) {
                return (kernel, Some((accesses, Vec::new())));
            }
            let mut one = Program {
                kernels: vec![kernel],
                globals: globals.clone(),
                most_steps,
                most_terms,
                stop: Stop::from(stop.clone()),
                ..Program::default()
            };
            let (accesses, incomplete) = prove::analyse(&one, &options);
            let kernel = one.kernels.remove(0);
            // Answers given after the stop are no answers.
            if stop.load(Ordering::Relaxed) {
                return (kernel, None);
            }
            // What is not whole is told again in every run.
            if incomplete.is_empty() {
                self.remember(key, places, &accesses, run);
            }
            (kernel, Some((accesses, incomplete)))
        };
        let done: Vec<_> = std::mem::take(&mut program.kernels)
            .into_par_iter()
            .map(work)
            .collect();
        let mut all = Some((Vec::new(), Vec::new()));
        for (kernel, found) in done {
            program.kernels.push(kernel);
            match (&mut all, found) {
                (Some(all), Some((accesses, incomplete))) => {
                    all.0.extend(accesses);
                    all.1.extend(incomplete);
                }
                _ => all = None,
            }
        }
        lock(&self.kernels).forget();
        // A text may define a kernel twice, which then reaches its functions' accesses twice.
        all.map(|(accesses, incomplete)| (prove::merge(accesses.into_iter()), incomplete))
    }

    fn recall(&self, key: &(ContentHash, Arch), places: &[Span], run: u64) -> Option<Vec<Access>> {
        let (then, accesses) = {
            let mut kernels = lock(&self.kernels);
            let known = kernels.known.get_mut(key)?;
            known.used = run;
            if known.places == places {
                return Some(known.accesses.to_vec());
            }
            (known.places.clone(), known.accesses.clone())
        };
        let now: FxHashMap<Span, Span> = then.into_iter().zip(places.iter().copied()).collect();
        accesses
            .iter()
            .map(|access| moved(access.clone(), &now))
            .collect()
    }

    fn remember(&self, key: (ContentHash, Arch), places: Vec<Span>, accesses: &[Access], run: u64) {
        let remembered = Remembered {
            places,
            accesses: Arc::new(accesses.to_vec()),
            used: run,
        };
        let mut kernels = lock(&self.kernels);
        kernels.accesses += remembered.weight();
        if let Some(before) = kernels.known.insert(key, remembered) {
            kernels.accesses -= before.weight();
        }
    }
}

impl Remembered {
    fn weight(&self) -> usize {
        self.accesses.len() + 1
    }
}

impl Kernels {
    /// Drops what was not used for longest, once there is too much.
    fn forget(&mut self) {
        if self.accesses <= MOST_ACCESSES {
            return;
        }
        let mut ages: Vec<(u64, usize)> = self
            .known
            .values()
            .filter(|one| one.used < self.run)
            .map(|one| (one.used, one.weight()))
            .collect();
        ages.sort_unstable();
        // Half at a time, so that this happens rarely.
        let mut surplus = self.accesses.saturating_sub(MOST_ACCESSES / 2);
        let mut oldest_kept = 0;
        for (used, accesses) in ages {
            if surplus == 0 {
                break;
            }
            oldest_kept = used + 1;
            surplus = surplus.saturating_sub(accesses);
        }
        self.known.retain(|_, one| one.used >= oldest_kept);
        self.accesses = self.known.values().map(Remembered::weight).sum();
    }
}

/// The access with every place replaced; `None` if one is unknown.
fn moved(mut access: Access, now: &FxHashMap<Span, Span>) -> Option<Access> {
    let mut all_known = true;
    access.each_span(&mut |span| match now.get(span) {
        Some(new) => *span = *new,
        None => all_known = false,
    });
    all_known.then_some(access)
}

/// Z3's answers in two generations: what is not asked for while one fills is dropped.
#[derive(Debug, Default)]
struct Answers {
    generations: Mutex<[FxHashMap<Hash, Answer>; 2]>,
}

impl Answers {
    fn get(&self, hash: &Hash) -> Option<Answer> {
        let mut generations = lock(&self.generations);
        let [young, old] = &mut *generations;
        if let Some(answer) = young.get(hash) {
            return Some(*answer);
        }
        let answer = old.remove(hash)?;
        young.insert(*hash, answer);
        Some(answer)
    }

    fn put(&self, hash: Hash, answer: Answer) {
        let mut generations = lock(&self.generations);
        let [young, old] = &mut *generations;
        if young.len() >= MOST_ANSWERS / 2 {
            *old = std::mem::take(young);
        }
        young.insert(hash, answer);
    }
}

/// Answers of earlier runs; once stopped it has a worthless answer ready for everything, which ends
/// a run without asking Z3 again.
struct Stoppable {
    answers: Arc<Answers>,
    stop: Arc<AtomicBool>,
}

impl Store for Stoppable {
    fn get(&self, hash: &Hash) -> Option<Answer> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Answer::Unknown);
        }
        self.answers.get(hash)
    }

    fn put(&self, hash: &Hash, answer: Answer) {
        self.answers.put(*hash, answer);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
