//! What orders accesses: fences, barriers, atomics, volatile accesses, `asm`, and what waits for other threads. No access
//! is moved across one.

use crate::ir::{Block, Kernel, Path, SiteId, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the accesses of a kernel stand among what orders them.
#[derive(Default)]
pub(super) struct Order {
    /// How much of it comes before each access in the text.
    before: FxHashMap<SiteId, u32>,
    /// Accesses whose innermost loop has some of it.
    in_loop: FxHashSet<SiteId>,
    count: u32,
}

impl Order {
    pub fn of(kernel: &Kernel) -> Self {
        let mut out = Self::default();
        out.block(kernel, &kernel.body, &mut Vec::new());
        out
    }

    /// Whether nothing that orders memory stands between these accesses.
    pub fn is_free(&self, mut sites: impl Iterator<Item = SiteId>) -> bool {
        let first = sites.next().and_then(|site| self.before.get(&site));
        first.is_some() && sites.all(|site| self.before.get(&site) == first)
    }

    /// Whether something that orders memory stands in the innermost loop around an access.
    pub fn is_ordered_in_loop(&self, site: SiteId) -> bool {
        self.in_loop.contains(&site)
    }

    /// `sites` are those of the innermost loop, not of loops in it.
    fn block(&mut self, kernel: &Kernel, block: &Block, sites: &mut Vec<SiteId>) {
        for stmt in block {
            match stmt {
                Stmt::Load { site, path, .. } | Stmt::Store { site, path, .. } => {
                    self.count += u32::from(*path == Path::Volatile);
                    self.access(kernel, *site);
                    self.count += u32::from(*path == Path::Volatile);
                    sites.push(*site);
                }
                Stmt::Matrix { site, .. } => sites.push(*site),
                Stmt::Atomic { .. }
                | Stmt::OpaqueAccess { .. }
                | Stmt::Barrier { .. }
                | Stmt::Collective { .. }
                | Stmt::Opaque { .. } => self.count += 1,
                Stmt::If {
                    then, otherwise, ..
                } => {
                    self.block(kernel, then, sites);
                    self.block(kernel, otherwise, sites);
                }
                Stmt::Labelled { body, .. } => self.block(kernel, body, sites),
                Stmt::Loop(inner) => {
                    let mut own = Vec::new();
                    let first = self.count;
                    self.block(kernel, &inner.prelude, &mut own);
                    self.block(kernel, &inner.body, &mut own);
                    self.block(kernel, &inner.step, &mut own);
                    if self.count > first || inner.stops != Default::default() {
                        self.in_loop.extend(own);
                    }
                }
                Stmt::Assign { .. } | Stmt::Exit(_) | Stmt::Return | Stmt::Assume { .. } => {}
            }
        }
    }

    fn access(&mut self, kernel: &Kernel, site: SiteId) {
        let stops = kernel.sites[site.index()].stops;
        self.before
            .insert(site, self.count + stops.asm + stops.memory);
    }
}
