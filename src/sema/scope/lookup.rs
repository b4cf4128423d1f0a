//! Lookup of names in namespaces: what a place sees, and what a qualifier leads to.
//!
//! Given the tables of a unit; gives declarations, each with its namespace. Knows nothing of classes and blocks: those
//! are asked first.

use super::{Callee, Entry, Env, Names, Scope, ScopeId};
use crate::sema::library::functions;
use crate::sema::types;
use crate::syntax::ast::{Path, Range};
use std::sync::Arc;

/// Adds what is not there: a declaration may be found in more than one way.
pub(super) fn join<'a>(all: &mut Vec<(Entry<'a>, ScopeId)>, more: Vec<(Entry<'a>, ScopeId)>) {
    for one in more {
        if all.iter().all(|(entry, _)| !entry.is_same(&one.0)) {
            all.push(one);
        }
    }
}

impl Entry<'_> {
    /// Whether both are one declaration.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            (Self::Record(a), Self::Record(b)) => Arc::ptr_eq(a, b),
            (Self::Enum(a), Self::Enum(b)) | (Self::Enumerator(a), Self::Enumerator(b)) => {
                Arc::ptr_eq(a, b)
            }
            (Self::Alias(a), Self::Alias(b)) => Arc::ptr_eq(a, b),
            (Self::Variable(a), Self::Variable(b)) => std::ptr::eq(*a, *b),
            (Self::Namespace(a), Self::Namespace(b)) => a == b,
            (Self::Path(a), Self::Path(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }
}

impl<'a> Names<'a> {
    /// What `name` means in one namespace where it is named in front: what that declares, or else what all namespaces
    /// declare that it uses (C++ standard, [namespace.qual]).
    pub(in crate::sema) fn in_scope(
        &self,
        scope: ScopeId,
        name: &str,
        depth: u32,
    ) -> Vec<(Entry<'a>, ScopeId)> {
        let mut out = self.declared(scope, name, depth);
        if out.is_empty()
            && depth < 8
            && let Some(s) = self.scopes.get(scope as usize)
        {
            for (id, _) in self.used(scope, s) {
                join(&mut out, self.in_scope(*id, name, depth + 1));
            }
        }
        out
    }

    /// What a namespace declares, with its inline and unnamed ones: its using-directives take no part where arguments
    /// lead to it (C++ standard, [basic.lookup.argdep]).
    pub(super) fn of_namespace(&self, scope: ScopeId, name: &str) -> Vec<(Entry<'a>, ScopeId)> {
        let mut out = self.declared(scope, name, 0);
        if let Some(s) = self.scopes.get(scope as usize) {
            for (id, _) in self.used(scope, s) {
                let is_inner = |s: &Scope| s.parent == Some(scope);
                if self.scopes.get(*id as usize).is_some_and(is_inner) {
                    join(&mut out, self.of_namespace(*id, name));
                }
            }
        }
        out
    }

    /// What one namespace itself declares, its using-declarations included.
    fn declared(&self, scope: ScopeId, name: &str, depth: u32) -> Vec<(Entry<'a>, ScopeId)> {
        let mut out = Vec::new();
        let entries = self
            .scopes
            .get(scope as usize)
            .and_then(|s| s.entries.get(name));
        for e in entries.map_or(&[][..], |v| v) {
            match e {
                Entry::Path(path) => {
                    if depth < 8 {
                        let meant = self.qualified(&Env::new(scope), path, depth + 1);
                        join(&mut out, self.known_at(meant, path.range));
                    }
                }
                e => out.push((*e, scope)),
            }
        }
        out
    }

    /// Without functions that are declared behind the using-declaration at `at` alone.
    fn known_at(
        &self,
        mut found: Vec<(Entry<'a>, ScopeId)>,
        at: Range,
    ) -> Vec<(Entry<'a>, ScopeId)> {
        let functions = found.iter().filter_map(|(entry, scope)| match entry {
            Entry::Function(f) => Some(Callee {
                function: (*f).clone(),
                env: Env::new(*scope),
            }),
            _ => None,
        });
        let functions: Vec<Callee> = functions.collect();
        if functions.len() > 1 {
            let kept = self.declared_before(functions, at);
            found.retain(|(entry, _)| match entry {
                Entry::Function(f) => kept.iter().any(|c| Arc::ptr_eq(&c.function, f)),
                _ => true,
            });
        }
        found
    }

    /// The namespaces whose names are seen at a place, by their full names: those around it, and those that they use,
    /// known or not.
    #[must_use]
    pub fn visible_namespaces(&self, env: &Env) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if !name.is_empty() && !found.contains(&name) {
                found.push(name);
            }
        };
        let named = |scope: ScopeId| self.scope_name(scope).to_owned();
        env.used_namespaces()
            .into_iter()
            .map(named)
            .for_each(&mut add);
        for scope in self.around(env.namespace) {
            add(named(scope));
            let Some(around) = self.scopes.get(scope as usize) else {
                continue;
            };
            self.used(scope, around)
                .iter()
                .map(|(id, _)| named(*id))
                .for_each(&mut add);
            for path in &around.using {
                let names: Vec<&str> = path.segments.iter().map(|one| &*one.name).collect();
                add(names.join("::"));
            }
        }
        found
    }

    fn qualified(&self, env: &Env, path: &Path, depth: u32) -> Vec<(Entry<'a>, ScopeId)> {
        let Some(last) = path.segments.last() else {
            return Vec::new();
        };
        let Some(qualifier) = path.qualifier() else {
            return self.in_scope(0, &last.name, depth);
        };
        if let Some(scope) = self.namespace(env, &qualifier) {
            return self.in_scope(scope, &last.name, depth);
        }
        // `using enum E;`
        let enumerations = match (&qualifier.segments[..], qualifier.is_global) {
            ([only], false) => self.seen(env, &only.name, path.range),
            _ => self.qualified(env, &qualifier, depth + 1),
        };
        let enumerators = enumerations
            .into_iter()
            .filter_map(|(entry, home)| match entry {
                Entry::Enum(e) if e.values.iter().any(|(value, _)| *value == last.name) => {
                    Some((Entry::Enumerator(e), home))
                }
                _ => None,
            });
        enumerators.collect()
    }

    /// Whether a using-declaration of a namespace brings a name in that the files given do not declare: it hides those
    /// of namespaces around it all the same.
    fn brings_in_unknown(&self, scope: ScopeId, name: &str, at: Range) -> bool {
        let entries = self.scopes.get(scope as usize);
        let entries = entries.and_then(|s| s.entries.get(name));
        scope != 0
            && entries.is_some_and(|all| all.iter().any(|e| matches!(e, Entry::Path(_))))
            && !self.declares_later(scope, name, at)
    }

    /// Namespace-level meanings of an unqualified name that stands at `at`: those of the innermost namespace that has
    /// declared any before. A place that is not known ([`Range::default`]) sees all.
    pub(in crate::sema) fn unqualified(
        &self,
        env: &Env,
        name: &str,
        is_global: bool,
        at: Range,
    ) -> Vec<(Entry<'a>, ScopeId)> {
        if is_global {
            // What the toolkit declares there is in no text: using-directives take no part.
            let own = self.declared(0, name, 0);
            if !own.is_empty() || is_of_toolkit(name) {
                return own;
            }
            return self.in_scope(0, name, 0);
        }
        let mut found = self.seen(env, name, at);
        if found.is_empty() && at != Range::default() {
            // No C++, or a text that is not in order: what comes later is the best there is.
            found = self.seen(env, name, Range::default());
        }
        // No base has a kernel or a namespace.
        let is_beyond_bases = |(entry, _): &(Entry<'a>, ScopeId)| match entry {
            Entry::Namespace(_) => true,
            Entry::Function(f) => f.attributes.global,
            _ => false,
        };
        if !found.iter().all(is_beyond_bases) && self.is_in_unknown_base(env) {
            found.retain(is_beyond_bases);
        }
        found
    }

    fn seen(&self, env: &Env, name: &str, at: Range) -> Vec<(Entry<'a>, ScopeId)> {
        let around = self.around(env.namespace);
        let appearing = self.appearing(env, &around, at);
        for scope in around {
            let mut found = Vec::new();
            let brought_in = appearing.iter().filter(|(home, _)| *home == scope);
            for s in std::iter::once(scope).chain(brought_in.map(|(_, used)| *used)) {
                if !self.declares_later(s, name, at) {
                    join(&mut found, self.declared(s, name, 0));
                }
            }
            if !found.is_empty() || self.brings_in_unknown(scope, name, at) {
                return found;
            }
        }
        Vec::new()
    }

    /// Whether a namespace declares a name, but nowhere before `at`: the name means something farther out there
    /// (C++ standard, [basic.lookup.unqual]).
    pub(super) fn declares_later(&self, scope: ScopeId, name: &str, at: Range) -> bool {
        let scope = self.scopes.get(scope as usize);
        let Some(all) = scope.and_then(|s| s.entries.get(name)) else {
            return false;
        };
        at != Range::default() && all.iter().all(|entry| self.begins(entry) > at.start)
    }

    /// Where a declaration takes effect.
    pub(super) fn begins(&self, entry: &Entry<'a>) -> u32 {
        match entry {
            Entry::Function(f) => f.range.start,
            Entry::Record(r) => r.range.start,
            Entry::Enum(e) | Entry::Enumerator(e) => e.range.start,
            // `using W = W;`: the one on the right is farther out.
            Entry::Alias(a) => a.range.end,
            Entry::Variable(v) => v.range.start,
            Entry::Namespace(id) => self
                .scopes
                .get(*id as usize)
                .and_then(|s| s.start)
                .unwrap_or(0),
            Entry::Path(path) => path.range.start,
        }
    }
}

/// Whether the toolkit's headers declare a name outside of namespaces.
fn is_of_toolkit(name: &str) -> bool {
    // Two underscores are the implementation's own.
    name.starts_with("__")
        || name.starts_with("atomic")
        || functions::find(name).is_some()
        || types::known(name).is_some()
        || matches!(
            name,
            "warpSize"
                | "threadIdx"
                | "blockIdx"
                | "blockDim"
                | "gridDim"
                | "min"
                | "max"
                | "abs"
                | "labs"
                | "llabs"
                | "umin"
                | "umax"
                | "llmin"
                | "llmax"
                | "ullmin"
                | "ullmax"
                | "memcpy"
                | "memset"
                | "malloc"
                | "free"
                | "printf"
                | "clock"
                | "clock64"
        )
}
