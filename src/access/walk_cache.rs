//! Walks that several stages look at, each done once.
//!
//! Given kernels of one program, gives their walks, and keeps as many of them as there is room for.

use super::side_effects::OtherEffect;
use super::{Visit, Walk, walk};
use crate::ir::{Kernel, Launch, Program};
use crate::term::TermId;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that all walks that are kept may take, as [`weight`] counts them.
const ROOM: usize = 160 << 20;

/// The same of a program of which there are several at a time.
const SMALL_ROOM: usize = 16 << 20;

/// A term with what is known of it and its place in the index.
const BYTES_OF_TERM: usize = 100;

/// The walks through the kernels of one program. May be shared by threads.
#[derive(Debug)]
pub struct Walks {
    known: Mutex<Known>,
    /// Bytes that they may take.
    room: usize,
}

impl Default for Walks {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            room: ROOM,
        }
    }
}

#[derive(Debug, Default)]
struct Known {
    /// By the place of the kernel.
    of_kernels: FxHashMap<usize, Vec<(Launch, Arc<Walk>)>>,
    taken: usize,
}

impl Walks {
    /// Walks for those who look at each once.
    #[must_use]
    pub fn passing() -> Self {
        Self {
            room: 0,
            ..Self::default()
        }
    }

    /// Walks through a program that is one of several, such as those of candidates for a fix.
    #[must_use]
    pub fn few() -> Self {
        Self {
            room: SMALL_ROOM,
            ..Self::default()
        }
    }

    /// The walk of one of the program's kernels under a launch. For one program only, whose kernels
    /// stay where they are as long as this is asked.
    #[must_use]
    pub fn get(&self, program: &Program, kernel: &Kernel, launch: &Launch) -> Arc<Walk> {
        let place = kernel.identity();
        let known = |known: &Known| {
            let mut of_kernel = known.of_kernels.get(&place)?.iter();
            let like = of_kernel.find(|(other, _)| other.runs_like(launch));
            like.map(|(_, walk)| walk.clone())
        };
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known(&lock()) {
            return found;
        }
        let walk = Arc::new(walk(program, kernel, launch));
        if self.room == 0 {
            return walk;
        }
        let weight = weight(&walk);
        let mut known = lock();
        if known.taken + weight <= self.room {
            known.taken += weight;
            let of_kernel = known.of_kernels.entry(place).or_default();
            of_kernel.push((launch.clone(), walk.clone()));
        }
        walk
    }
}

/// About how many bytes a walk takes.
fn weight(walk: &Walk) -> usize {
    let ids = |count: usize| count * size_of::<TermId>();
    let visits = walk.visits.iter();
    let visits =
        visits.map(|visit| size_of::<Visit>() + ids(visit.guards.len() + visit.facts.len()));
    let extras = walk.extras.iter();
    let extras = extras.map(|extra| size_of::<OtherEffect>() + ids(extra.guards.len()));
    BYTES_OF_TERM * walk.terms.count() + visits.sum::<usize>() + extras.sum::<usize>()
}
