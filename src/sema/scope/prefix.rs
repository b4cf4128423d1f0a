//! What stands in front of `::`: a namespace, a class, an enumeration, or what no header told of.

use super::{Entry, Env, Guard, Names, Prefix, complete, outside, resolve};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, Path};
use std::sync::Arc;

impl Names<'_> {
    /// What stands in front of the last segment; `None` for a single segment.
    pub(in crate::sema) fn prefix(&self, env: &Env, path: &Path) -> Option<Prefix> {
        let (_, prefix) = path.segments.split_last()?;
        let (first, rest) = prefix.split_first()?;
        let foreign = || {
            Prefix::Foreign(
                prefix
                    .iter()
                    .map(|s| &*s.name)
                    .collect::<Vec<_>>()
                    .join("::"),
            )
        };
        let as_type = |t: Type| match t.unqualified() {
            Type::Record(r) => Prefix::Record(complete(self, &r)),
            _ => foreign(),
        };
        let mut at = if !env.hides_in_front(&first.name)
            && let Some(s) = self.first_namespace(env, &first.name, path.is_global, path.range)
        {
            Prefix::Scope(s)
        } else if let Some(e) = self.enumeration(env, &first.name, path.range, 0) {
            e
        } else {
            as_type(resolve::unqualified_type(
                self,
                env,
                first,
                path.is_global,
                path.range,
            ))
        };
        for segment in rest {
            at = match at {
                Prefix::Scope(s) => {
                    if let Some(s) = self.nested_namespace(s, &segment.name, 0) {
                        Prefix::Scope(s)
                    } else {
                        let entries = self.in_scope(s, &segment.name, 0);
                        if let Some((Entry::Enum(e), s)) = entries.first() {
                            Prefix::Enum((*e).clone(), Env::new(*s))
                        } else {
                            resolve::type_from_entries(self, &entries, segment, env)
                                .map_or_else(foreign, as_type)
                        }
                    }
                }
                Prefix::Record(r) => {
                    if let Some(e) = record_enum(&r, &segment.name) {
                        Prefix::Enum(e, Env::inside(&r))
                    } else {
                        resolve::member_type(self, &r, segment, env).map_or_else(foreign, as_type)
                    }
                }
                other => other,
            };
        }
        Some(at)
    }

    /// Whether a path leads into a namespace that no file declares, and that is none of a library whose functions are
    /// known by name.
    #[must_use]
    pub fn is_of_unknown_namespace(&self, env: &Env, path: &Path) -> bool {
        const KNOWN: [&str; 22] = [
            "std",
            "cuda",
            "thrust",
            "cub",
            "cooperative_groups",
            "cg",
            "nvcuda",
            "wmma",
            "ptx",
            "nv",
            "experimental",
            "c10",
            "at",
            "torch",
            "caffe2",
            "cute",
            "cutlass",
            "raft",
            "rmm",
            "Eigen",
            "glm",
            "boost",
        ];
        let first = path.segments.first().map_or("", |first| &*first.name);
        path.segments.len() > 1
            && !KNOWN.contains(&first)
            && matches!(self.prefix(env, path), Some(Prefix::Foreign(_)))
    }

    /// The enumeration of that name, also where an alias gives it.
    fn enumeration(&self, env: &Env, name: &str, at: ast::Range, depth: u32) -> Option<Prefix> {
        const DEEPEST: u32 = 8;
        if env.hides_in_front(name) || depth > DEEPEST {
            return None;
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if let Some(e) = record_enum(&r, name) {
                return Some(Prefix::Enum(e, Env::inside(&r)));
            }
            let mut members = r.record.members.iter();
            let alias = members.find_map(|member| match member {
                ast::Member::Alias(a) if *a.name == *name => Some(a),
                _ => None,
            });
            if let Some(alias) = alias {
                return self.aliased_enumeration(&Env::inside(&r), alias, depth);
            }
            // A class of the name, or what a base has of it.
            if self.has_meaning_in(&r, name) {
                return self.enumeration_of_bases(&r, name, depth);
            }
            record = r.env.record.clone();
        }
        match self.unqualified(env, name, false, at).first() {
            Some((Entry::Enum(e), s)) => Some(Prefix::Enum((*e).clone(), Env::new(*s))),
            Some((Entry::Alias(a), s)) => self.aliased_enumeration(&Env::new(*s), a, depth),
            _ => None,
        }
    }

    fn enumeration_of_bases(
        &self,
        record: &Arc<RecordType>,
        name: &str,
        depth: u32,
    ) -> Option<Prefix> {
        let own = outside::declares(&record.record, name);
        let mut bases = record.bases.iter().filter(|_| !own);
        bases.find_map(|(_, base)| {
            if !self.has_meaning_in(base, name) {
                return None;
            }
            self.enumeration(&Env::inside(base), name, ast::Range::default(), depth + 1)
        })
    }

    /// What a path means in front of `::`.
    pub(super) fn as_prefix(&self, env: &Env, path: &Path) -> Option<Prefix> {
        let mut within = path.clone();
        within.segments.push(ast::Segment {
            name: Arc::from(""),
            arguments: None,
        });
        self.prefix(env, &within)
    }

    /// The enumeration that a path names: its values are no other's.
    pub(super) fn enumeration_type(&self, env: &Env, path: &Path) -> Option<Type> {
        match self.as_prefix(env, path)? {
            Prefix::Enum(e, at) => Some(resolve::enum_type(self, &at, &e)),
            _ => None,
        }
    }

    /// `using Op = reduce::Op;`
    fn aliased_enumeration(&self, env: &Env, alias: &ast::Alias, depth: u32) -> Option<Prefix> {
        let (None, ast::TypeKind::Named(path)) = (&alias.template, &alias.ty.kind) else {
            return None;
        };
        let [first, .., last] = &path.segments[..] else {
            let [only] = &path.segments[..] else {
                return None;
            };
            if only.name == alias.name {
                return None;
            }
            return self.enumeration(env, &only.name, path.range, depth + 1);
        };
        // An alias does not see itself: the name is one from further out, and aliases may name each other in turn.
        if first.name == alias.name && !path.is_global {
            return None;
        }
        let _guard = Guard::enter()?;
        match self.prefix(env, path)? {
            Prefix::Scope(s) => {
                self.enumeration(&Env::new(s), &last.name, ast::Range::default(), depth + 1)
            }
            Prefix::Record(r) => {
                let e = record_enum(&r, &last.name)?;
                Some(Prefix::Enum(e, Env::inside(&r)))
            }
            _ => None,
        }
    }
}

fn record_enum(record: &RecordType, name: &str) -> Option<Arc<ast::Enum>> {
    record.record.members.iter().find_map(|m| match m {
        ast::Member::Enum(e) if e.name.as_deref() == Some(name) => Some(e.clone()),
        _ => None,
    })
}
