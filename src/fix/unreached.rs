//! Accesses that no launch in sight reaches.
//!
//! Given a shared array, tells whether one of them may be to it: nothing is known of its address, so an edit that
//! moves the elements may leave it where they were.

use super::Array;
use crate::ir::{Kernel, SharedId, Site, SiteId};
use crate::prove;
use rustc_hash::FxHashSet;

/// Whether an access to the array may be one that no launch reaches, leaving out those whose text `follows` the edit.
pub fn may_use(array: &Array, follows: impl Fn(&str) -> bool) -> bool {
    array.holders().any(|(kernel, id, _)| {
        let kernel = &*kernel.unfolded();
        let mut reached: FxHashSet<SiteId> = FxHashSet::default();
        for launch in prove::launches(kernel).iter() {
            let walk = array.walks.get(array.program, kernel, launch);
            reached.extend(walk.visits.iter().map(|visit| visit.site));
        }
        let others = other_names(array, kernel, id);
        let may_be = |site: &Site| {
            let is_other = site.inlined.is_empty() && others.contains(&*site.array);
            !is_other && !follows(array.sources.text(site.span))
        };
        let mut sites = (0..).map(SiteId).zip(&kernel.sites);
        sites.any(|(id, site)| !reached.contains(&id) && may_be(site))
    })
}

/// Names that mean other memory of the kernel.
fn other_names<'k>(array: &'k Array, kernel: &'k Kernel, own: SharedId) -> FxHashSet<&'k str> {
    let parameters = kernel.parameters.iter();
    let mut names: FxHashSet<&str> = parameters
        .map(|one| &*kernel.variables[one.variable.index()].name)
        .collect();
    names.extend(array.program.globals.iter().map(|one| one.name.as_str()));
    names.extend(kernel.shared.iter().map(|one| one.name.as_str()));
    // Two arrays may have one name, in scopes of their own.
    names.remove(kernel.shared[own.index()].name.as_str());
    names
}
