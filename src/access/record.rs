//! Visits as they are noted: the array that is meant, and the schedule of the loops around the access.

use super::starts::SECTOR;
use super::value::{Base, Variation};
use super::walker::Walker;
use super::{CopySource, Schedule, Target, Visit};
use crate::gpu::cost::{Op, Space};
use crate::ir::{Path, Scalar, SiteId};
use crate::term::{LaneDifference, TermId};

impl Walker<'_> {
    pub fn record(&mut self, mut visit: Visit) {
        if self.study_depth > 0 {
            return;
        }
        for guard in &self.guards {
            match self.terms.constant(guard.condition) {
                Some(0) => return,
                Some(_) => {}
                None if self.terms.is_varying(guard.condition) => {
                    visit.guards.push(guard.condition)
                }
                None => visit.facts.push(guard.condition),
            }
        }
        visit.facts.extend(self.facts.iter().copied());
        self.keep(self.guards.len() + self.facts.len());
        visit.loop_depth = self.loop_depth;
        let mut loops = self.open_loops.iter();
        visit.iterations = loops.try_fold(1_u64, |all, one| {
            let trip = one.turns.trip.filter(|_| !one.leaves_early);
            all.checked_mul(trip?)
        });
        if self.kernel.sites[visit.site.index()].by_branch {
            visit.guards.push(self.lanes_of_a_branch());
        } else {
            visit.schedule = self.schedule();
            if visit.schedule.is_none() && self.exits_of_unknown_lanes.is_empty() {
                let inner = self.open_loops.iter().rev().take_while(|one| one.is_exact);
                visit.inner_loops = inner.map(|one| one.turns.clone()).collect();
            }
        }
        visit.premises = self.premises.count();
        self.visits.push(visit);
    }

    /// The lanes of one access that a compiler may make once in each branch of a `?:`, or once for all.
    fn lanes_of_a_branch(&mut self) -> TermId {
        let reason = "how the compiler branches at `?:`";
        let lanes = Variation::Varying(LaneDifference::computed(reason));
        let lanes = self.unknown(Scalar::Bool, lanes, reason);
        lanes.as_term(&mut self.terms, Scalar::Bool)
    }

    /// When the present place is reached, where that is known.
    fn schedule(&self) -> Option<Schedule> {
        if !self.exits_of_unknown_lanes.is_empty()
            || self.open_loops.iter().any(|one| !one.is_exact)
        {
            return None;
        }
        let own = self.guards.iter().filter(|guard| !guard.is_of_loop);
        let guards = own.map(|guard| guard.condition);
        Some(Schedule {
            loops: self
                .open_loops
                .iter()
                .map(|one| one.turns.clone())
                .collect(),
            guards: guards
                .filter(|guard| self.terms.constant(*guard).is_none())
                .collect(),
        })
    }

    /// What the shared side of an asynchronous copy is filled from: the load in front of it, at the same place.
    pub(super) fn copy_source(
        &mut self,
        site: SiteId,
        space: Space,
        op: Op,
        path: Path,
        offset: Option<TermId>,
    ) -> Option<CopySource> {
        let is_copy = matches!(path, Path::AsyncCopy | Path::AsyncCopyPastL1);
        if (space, op) != (Space::Shared, Op::Store) || !is_copy {
            return None;
        }
        let sites = &self.kernel.sites;
        // Where none is read, the copy writes zeros.
        let load = self.visits.last().filter(|load| {
            (load.op, load.path) == (Op::Load, path)
                && sites[load.site.index()].span == sites[site.index()].span
        })?;
        let (Some(from), Some(to)) = (load.offset, offset) else {
            return Some(CopySource::Unknown);
        };
        let distance = self.terms.sub(from, to);
        let sector = self.terms.int(i64::from(SECTOR));
        Some(CopySource::Distance(self.terms.mul(sector, distance)))
    }

    pub fn name_of(&self, target: &Target) -> String {
        match target {
            Target::Shared(id) => self.kernel.shared[id.index()].name.clone(),
            Target::Global(id) => self.program.globals[id.index()].name.clone(),
            Target::Allocation(name) => name.to_string(),
            Target::Distributed => Target::OF_THE_CLUSTER.to_owned(),
            Target::Unknown(why) => why.text.to_string(),
        }
    }

    /// The target of a base that is no local object, with its space; `None` for constant memory.
    pub fn target(&self, base: &Base) -> Option<(Space, Target)> {
        Some(match base {
            Base::Local(_) => return None,
            Base::Shared(id) => (Space::Shared, Target::Shared(*id)),
            Base::Global(id) => {
                if self
                    .program
                    .globals
                    .get(id.index())
                    .is_some_and(|global| global.is_constant)
                {
                    return None;
                }
                (Space::Global, Target::Global(*id))
            }
            Base::Allocation(id) => (
                Space::Global,
                Target::Allocation(self.allocations[id.0 as usize].clone()),
            ),
            Base::OneOf(all) if all.iter().all(|base| matches!(base, Base::Local(_))) => {
                return None;
            }
            // Null apart: whoever gets here has an object.
            Base::OneOf(all) if all.len() == 1 => return self.target(&all[0]),
            Base::OneOf(all) => {
                let targets: Vec<_> = all.iter().filter_map(|base| self.target(base)).collect();
                let space = targets.first()?.0;
                if targets.len() < all.len() || targets.iter().any(|one| one.0 != space) {
                    let reason = "a pointer that is one of several objects";
                    return Some((
                        Space::Global,
                        Target::Unknown(LaneDifference::not_modelled(reason)),
                    ));
                }
                let names: Vec<String> = targets
                    .iter()
                    .map(|(_, target)| self.name_of(target))
                    .collect();
                (space, Target::Allocation(names.join(" or ").into()))
            }
            Base::Distributed(_) => (Space::Shared, Target::Distributed),
            Base::Null => {
                let why = LaneDifference::not_modelled("a null pointer");
                (Space::Global, Target::Unknown(why))
            }
            Base::NoLocal(why, space) => (*space, Target::Unknown(why.clone())),
            Base::Varying(why) => (Space::Global, Target::Unknown(why.clone())),
            Base::Unknown(why) => (
                Space::Global,
                Target::Unknown(LaneDifference::not_modelled(why.clone())),
            ),
        })
    }
}
