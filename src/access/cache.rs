//! Walks that several stages look at, each done once.
//!
//! Given kernels of one program, gives their walks, and keeps as many of them as there is room for.

use super::{Walk, walk};
use crate::ir::{Kernel, Launch, Program};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Terms of all walks that are kept, and what their visits mention: up to 100 bytes each.
const ROOM: usize = 200_000;

/// The walks through the kernels of one program. May be shared by threads.
#[derive(Debug, Default)]
pub struct Walks {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the place of the kernel.
    of_kernels: FxHashMap<usize, Vec<(Launch, Arc<Walk>)>>,
    taken: usize,
}

impl Walks {
    /// The walk of one of the program's kernels under a launch. For one program only, whose kernels
    /// stay where they are as long as this is asked.
    #[must_use]
    pub fn get(&self, program: &Program, kernel: &Kernel, launch: &Launch) -> Arc<Walk> {
        let place = std::ptr::from_ref(kernel) as usize;
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
        let weight = weight(&walk);
        let mut known = lock();
        if known.taken + weight <= ROOM {
            known.taken += weight;
            let of_kernel = known.of_kernels.entry(place).or_default();
            of_kernel.push((launch.clone(), walk.clone()));
        }
        walk
    }
}

fn weight(walk: &Walk) -> usize {
    let visits = walk.visits.iter();
    let mentioned = visits.map(|visit| 4 + visit.guards.len() + visit.facts.len());
    walk.terms.count() + mentioned.sum::<usize>()
}
