//! Namespaces: by name, around a place, and those whose names may be used in others.
//!
//! Given the tables of a unit; knows nothing of what namespaces hold beside each other.

use super::{Entry, Env, Names, Scope, ScopeId, is_std};
use crate::syntax::ast::{Path, Range};

/// Using-directives in a row, beyond which no namespace is looked for.
const MAX_DIRECTIVES: u32 = 4;

impl<'a> Names<'a> {
    /// A namespace by name.
    #[must_use]
    pub fn namespace(&self, env: &Env, path: &Path) -> Option<ScopeId> {
        let (first, rest) = path.segments.split_first()?;
        let mut scope = self.first_namespace(env, &first.name, path.is_global, path.range)?;
        for segment in rest {
            scope = self.nested_namespace(scope, &segment.name, 0)?;
        }
        Some(scope)
    }

    /// Whether a namespace of the program takes a name from the standard library: `using std::max;` in it, or
    /// `using namespace std;`.
    #[must_use]
    pub fn is_taken_from_std(&self, env: &Env, path: &Path) -> bool {
        let (Some(last), Some(qualifier)) = (path.segments.last(), path.qualifier()) else {
            return false;
        };
        let scope = self.namespace(env, &qualifier);
        scope
            .and_then(|scope| self.scopes.get(scope as usize))
            .is_some_and(|scope| {
                let own = scope.entries.get(&*last.name);
                let is_taken = |entry: &Entry| matches!(entry, Entry::Path(path) if is_std(path));
                own.is_some_and(|all| all.iter().any(is_taken))
                    || scope.using.iter().any(|path| is_std(path))
            })
    }

    /// The namespace that a name stands for which nothing qualifies. A class of the name hides those
    /// farther out.
    pub(super) fn first_namespace(
        &self,
        env: &Env,
        name: &str,
        is_global: bool,
        at: Range,
    ) -> Option<ScopeId> {
        let found = self.namespace_before(env, name, is_global, at);
        if found.is_none() && at != Range::default() {
            return self.namespace_before(env, name, is_global, Range::default());
        }
        found
    }

    fn namespace_before(
        &self,
        env: &Env,
        name: &str,
        is_global: bool,
        at: Range,
    ) -> Option<ScopeId> {
        for scope in self.outward(env, is_global) {
            if self.declares_later(scope, name, at) {
                continue;
            }
            if let Some(id) = self.nested_namespace(scope, name, 0) {
                return Some(id);
            }
            let own = self.scopes.get(scope as usize)?.entries.get(name);
            let is_type =
                |e: &Entry| matches!(e, Entry::Record(_) | Entry::Alias(_) | Entry::Enum(_));
            if own.is_some_and(|all| all.iter().any(is_type)) {
                return None;
            }
        }
        None
    }

    /// A namespace in another, or in one whose names that uses.
    pub(super) fn nested_namespace(
        &self,
        scope: ScopeId,
        name: &str,
        depth: u32,
    ) -> Option<ScopeId> {
        self.child_namespace(scope, name, 0).or_else(|| {
            let s = self.scopes.get(scope as usize)?;
            let mut used = self.used(scope, s).iter();
            used.find_map(|(id, _)| {
                (depth < MAX_DIRECTIVES)
                    .then(|| self.nested_namespace(*id, name, depth + 1))
                    .flatten()
            })
        })
    }

    /// A namespace by its own name, using-directives left aside.
    pub(super) fn written_namespace(&self, env: &Env, path: &Path) -> Option<ScopeId> {
        let (first, rest) = path.segments.split_first()?;
        let mut scope = self
            .outward(env, path.is_global)
            .into_iter()
            .find_map(|s| self.child_namespace(s, &first.name, 0))?;
        for segment in rest {
            scope = self.child_namespace(scope, &segment.name, 0)?;
        }
        Some(scope)
    }

    fn child_namespace(&self, scope: ScopeId, name: &str, depth: u32) -> Option<ScopeId> {
        self.scopes
            .get(scope as usize)?
            .entries
            .get(name)?
            .iter()
            .find_map(|e| match e {
                Entry::Namespace(id) => Some(*id),
                Entry::Path(path) if path.segments.is_empty() => Some(scope),
                Entry::Path(path)
                    if depth < 8
                        && path
                            .segments
                            .last()
                            .is_some_and(|s| &*s.name != name || path.segments.len() > 1) =>
                {
                    // A namespace alias; a using-declaration of something else is not found here.
                    let (first, rest) = path.segments.split_first()?;
                    let mut at = self
                        .outward(&Env::new(scope), path.is_global)
                        .into_iter()
                        .find_map(|s| self.child_namespace(s, &first.name, depth + 1))?;
                    for s in rest {
                        at = self.child_namespace(at, &s.name, depth + 1)?;
                    }
                    Some(at)
                }
                _ => None,
            })
    }

    /// Namespaces in the order of unqualified lookup.
    pub(super) fn outward(&self, env: &Env, is_global: bool) -> Vec<ScopeId> {
        if is_global {
            return vec![0];
        }
        let mut out = env.used_namespaces();
        out.extend(self.around(env.namespace));
        out
    }

    /// A namespace and those around it, inner ones first.
    pub(super) fn around(&self, scope: ScopeId) -> Vec<ScopeId> {
        let parent = |s: &ScopeId| self.scopes.get(*s as usize).and_then(|s| s.parent);
        std::iter::successors(Some(scope), parent).collect()
    }

    /// The namespaces that using-directives bring in at a place, given those around it, each behind the one in which
    /// its names appear to be declared: the innermost that is around both the directive and it (C++ standard,
    /// [namespace.udir]).
    pub(super) fn appearing(
        &self,
        env: &Env,
        around: &[ScopeId],
        at: Range,
    ) -> Vec<(ScopeId, ScopeId)> {
        let is_before = |directive: &Range| at == Range::default() || directive.start <= at.start;
        let mut out = Vec::new();
        let mut add = |from: &[ScopeId], brought_in: &[ScopeId]| {
            let mut all = brought_in.to_vec();
            let mut next = 0;
            // What a namespace uses that is brought in comes with it.
            while let Some(id) = all.get(next).copied() {
                let outer = self.around(id);
                if let Some(home) = from.iter().find(|s| outer.contains(s)) {
                    out.push((*home, id));
                }
                if let Some(s) = self.scopes.get(id as usize) {
                    let more = self.used(id, s).iter().map(|(id, _)| *id);
                    let new: Vec<ScopeId> = more.filter(|id| !all.contains(id)).collect();
                    all.extend(new);
                }
                next += 1;
            }
        };
        let of_function = env.used_namespaces();
        if !of_function.is_empty() {
            add(around, &of_function);
        }
        for (i, scope) in around.iter().enumerate() {
            if let Some(s) = self.scopes.get(*scope as usize)
                && !s.using.is_empty()
            {
                let used = self.used(*scope, s).iter();
                let before = used.filter(|(_, directive)| is_before(directive));
                add(&around[i..], &before.map(|(id, _)| *id).collect::<Vec<_>>());
            }
        }
        out
    }

    /// Other namespaces whose names can be used in this one, each with the first directive that says so.
    pub(super) fn used<'s>(&self, scope: ScopeId, s: &'s Scope<'a>) -> &'s [(ScopeId, Range)] {
        s.used.get_or_init(|| {
            let mut used: Vec<(ScopeId, Range)> = Vec::new();
            for path in &s.using {
                let id = self.written_namespace(&Env::new(scope), path).or_else(|| {
                    // `using namespace a; using namespace b;`, where `b` stands in `a`.
                    let mut before = used.iter();
                    before.find_map(|(id, _)| {
                        let mut at = *id;
                        for segment in &path.segments {
                            at = self.child_namespace(at, &segment.name, 0)?;
                        }
                        Some(at)
                    })
                });
                let is_new =
                    |id: &ScopeId| *id != scope && used.iter().all(|(known, _)| known != id);
                if let Some(id) = id.filter(is_new) {
                    used.push((id, path.range));
                }
            }
            used
        })
    }
}
