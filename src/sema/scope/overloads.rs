//! Which functions and operators take part in a call beyond those that its name finds.
//!
//! Given argument types; gives the functions of their namespaces, and tells names of enumerations,
//! whose types are those of numbers here, from other values.

use super::{Callee, Entry, Env, Names, Prefix, resolve_type};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Path};
use std::sync::Arc;

impl Names<'_> {
    /// Adds the functions of the argument types' namespaces to those that an unqualified name found.
    pub fn add_associated(&self, candidates: &mut Vec<Callee>, name: &str, types: &[Type]) {
        // A member hides them.
        if candidates.iter().any(|c| c.env.record.is_some()) {
            return;
        }
        let mut seen = Vec::new();
        for ty in types {
            let mut ty = ty.strip_reference();
            while let Type::Pointer(to) | Type::Array(to, _) = ty {
                ty = to;
            }
            let Type::Record(record) = ty else { continue };
            let scope = record.env.namespace;
            if scope == 0 || seen.contains(&scope) {
                continue;
            }
            seen.push(scope);
            for (entry, at) in self.in_scope(scope, name, 0) {
                let Entry::Function(f) = entry else { continue };
                let is_new = |c: &Callee| !Arc::ptr_eq(&c.function, f);
                if candidates.iter().all(is_new) {
                    candidates.push(Callee {
                        function: f.clone(),
                        env: Env::new(at),
                    });
                }
            }
        }
    }

    /// Whether an operator function is declared that takes no class: one for an enumeration.
    #[must_use]
    pub fn has_operator_of_enumerations(&self, symbol: &str) -> bool {
        let takes_numbers = |f: &ast::Function, env: &Env| {
            !f.parameters.is_empty()
                && f.parameters.iter().all(|p| {
                    let ty = resolve_type(self, env, &p.ty);
                    matches!(ty.strip_reference(), Type::Scalar(_) | Type::Unknown(_))
                })
        };
        (0..self.scopes.len() as u32).any(|scope| {
            let found = self.scopes[scope as usize].entries.get(symbol);
            found.is_some_and(|entries| {
                entries.iter().any(|entry| match entry {
                    Entry::Function(f) if f.kind == ast::FunctionKind::Operator => {
                        takes_numbers(f, &Env::new(scope))
                    }
                    _ => false,
                })
            })
        })
    }

    /// Whether a path names a value of an enumeration.
    #[must_use]
    pub fn is_enumerator(&self, env: &Env, path: &Path) -> bool {
        let Some(last) = path.segments.last() else {
            return false;
        };
        let declares = |e: &ast::Enum| e.values.iter().any(|(name, _)| *name == last.name);
        let of_record = |record: &ast::Record| {
            record.members.iter().any(|member| match member {
                ast::Member::Enum(e) => declares(e),
                _ => false,
            })
        };
        let is_one = |(entry, _): &(Entry<'_>, _)| matches!(entry, Entry::Enumerator(_));
        if path.segments.len() > 1 {
            return match self.prefix(env, path) {
                Some(Prefix::Enum(..)) => true,
                Some(Prefix::Record(r)) => of_record(&r.record),
                Some(Prefix::Scope(s)) => self.in_scope(s, &last.name, 0).iter().any(is_one),
                _ => false,
            };
        }
        if env.get(&last.name).is_some() {
            return false;
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if of_record(&r.record) {
                return true;
            }
            record = r.env.record.clone();
        }
        self.unqualified(env, &last.name, path.is_global)
            .iter()
            .any(is_one)
    }

    /// Whether a path names an enumeration.
    #[must_use]
    pub fn is_enumeration(&self, env: &Env, path: &Path) -> bool {
        matches!(self.as_prefix(env, path), Some(Prefix::Enum(..)))
    }
}
