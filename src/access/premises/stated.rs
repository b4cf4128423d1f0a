//! Premises that are stated, each once.

use crate::term::formula::Formula;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The kind of a premise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PremiseKind {
    /// The value of a variable in iteration `k`.
    ClosedForm,
    /// How often a loop runs, or how often at most.
    TripCount,
    /// A value stays within its type, so that nothing is reduced to it.
    Width,
    /// Which lanes are in iteration `k`.
    Mask,
}

/// Something that the walk takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    pub kind: PremiseKind,
    /// The variable or loop that it speaks of.
    pub of: Arc<str>,
    /// The formula that has to hold; `None` where it could not be written down: then nothing may rest on it.
    pub claim: Option<Arc<Formula>>,
    /// The weaker formula that supposes that no 32-bit arithmetic wraps; a verdict that needs it assumes so.
    pub unwrapped: Option<Arc<Formula>>,
    /// The first visit that does not rest on it any more: lanes that left a loop are back behind it.
    pub until: Option<usize>,
}

/// The premises of a walk, each once.
#[derive(Debug, Default)]
pub(in crate::access) struct Premises {
    pub all: Vec<Premise>,
    /// Those that are stated, with their hashes: a formula is long.
    known: HashTable<(u64, PremiseKind, Arc<Formula>)>,
}

impl Premises {
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Forgets the premises from this one on: what was studied is studied again.
    pub fn truncate(&mut self, count: usize) {
        for premise in self.all.drain(count..) {
            if let Some(claim) = premise.claim {
                forget(&mut self.known, premise.kind, &claim);
            }
        }
    }

    /// The masks from this premise on are no concern of visits from that one on.
    pub fn close_masks(&mut self, from: usize, visit: usize) {
        for premise in &mut self.all[from..] {
            if premise.kind != PremiseKind::Mask || premise.until.is_some() {
                continue;
            }
            premise.until = Some(visit);
            if let Some(claim) = &premise.claim {
                forget(&mut self.known, premise.kind, claim);
            }
        }
    }

    /// Notes a formula; whether it was not stated before.
    fn is_new(&mut self, kind: PremiseKind, claim: &Arc<Formula>) -> bool {
        let hash = FxBuildHasher.hash_one((kind, claim));
        let is_same = is_stated(kind, claim);
        if self.known.find(hash, is_same).is_some() {
            return false;
        }
        let new = (hash, kind, claim.clone());
        self.known.insert_unique(hash, new, |(hash, ..)| *hash);
        true
    }

    pub(super) fn state(&mut self, kind: PremiseKind, of: &str, claim: Option<Formula>) {
        self.state_either(kind, of, claim, None);
    }

    pub(super) fn state_either(
        &mut self,
        kind: PremiseKind,
        of: &str,
        claim: Option<Formula>,
        unwrapped: Option<Formula>,
    ) {
        if claim.as_ref().is_some_and(|claim| claim.claims.is_empty()) {
            // It holds as it stands.
            return;
        }
        let claim = claim.map(Arc::new);
        if let Some(claim) = &claim
            && !self.is_new(kind, claim)
        {
            return;
        }
        self.all.push(Premise {
            kind,
            of: of.into(),
            claim,
            unwrapped: unwrapped.map(Arc::new),
            until: None,
        });
    }
}

fn is_stated(
    kind: PremiseKind,
    claim: &Formula,
) -> impl FnMut(&(u64, PremiseKind, Arc<Formula>)) -> bool {
    move |(_, of_kind, stated)| *of_kind == kind && **stated == *claim
}

/// Takes a formula from those that are stated.
fn forget(
    known: &mut HashTable<(u64, PremiseKind, Arc<Formula>)>,
    kind: PremiseKind,
    claim: &Arc<Formula>,
) {
    let hash = FxBuildHasher.hash_one((kind, claim));
    if let Ok(stated) = known.find_entry(hash, is_stated(kind, claim)) {
        stated.remove();
    }
}
