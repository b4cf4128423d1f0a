//! Candidates of a call beyond those that its name finds: functions and operators.
//!
//! Given argument types; gives the functions of their namespaces, and tells names of enumerations,
//! whose types are those of numbers here, from other values.

use super::resolve::enum_type;
use super::unify::names_parameter;
use super::{
    Binding, Callee, Entry, Env, Names, Prefix, ScopeId, complete, instantiate, resolve_type,
};
use crate::ir::Scalar;
use crate::sema::types::{Enumeration, RecordType, Twin, Type};
use crate::syntax::ast::{self, Path};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Names<'_> {
    /// Whether a name that is no call's means one function, whatever type of pointer it turns into: all
    /// of these are declarations of it, and so many template arguments leave nothing to be deduced.
    #[must_use]
    pub fn is_one_function(&self, candidates: &[Callee], given: usize) -> bool {
        // Specialisations take part in no choice.
        let mut primaries = candidates
            .iter()
            .filter(|c| c.function.arguments.is_empty());
        let Some(first) = primaries.next() else {
            return candidates.is_empty();
        };
        let is_told = |callee: &Callee| {
            let head = self.own_head(&callee.function, &callee.env);
            let mut parameters = callee.function.parameters.iter();
            // `int f(auto x)` is a template, too.
            !parameters.any(|p| is_auto(&p.ty))
                && head.is_none_or(|head| {
                    let parameters = &head.parameters;
                    parameters.len() <= given && !parameters.iter().any(|p| p.is_pack)
                })
        };
        let is_same = |other: &Callee| self.has_same_parameters(first, other) == Some(true);
        is_told(first) && primaries.all(|other| is_told(other) && is_same(other))
    }

    /// The namespaces that a class leads to where it is an operand.
    pub(super) fn associated_namespaces(class: &Arc<RecordType>) -> Vec<ScopeId> {
        let all = relatives(class);
        all.iter().map(|class| class.env.namespace).collect()
    }

    /// Adds the functions of the argument types' namespaces to those that an unqualified name found at a place.
    pub fn add_associated(
        &self,
        env: &Env,
        candidates: &mut Vec<Callee>,
        name: &str,
        types: &[Type],
    ) {
        if candidates.iter().all(|c| c.env.record.is_none()) {
            self.add_of_arguments(candidates, name, types);
        } else if self.is_left_to_dependent_bases(env, name) {
            // Those are no part of the lookup (C++ standard, [temp.dep.type]).
            let mut found = Vec::new();
            self.add_of_arguments(&mut found, name, types);
            if !found.is_empty() {
                *candidates = found;
            }
        }
    }

    fn add_of_arguments(&self, candidates: &mut Vec<Callee>, name: &str, types: &[Type]) {
        let mut scopes = Vec::new();
        for ty in types {
            match behind_pointers(ty) {
                Type::Record(record) => {
                    self.add_friends(record, name, candidates);
                    scopes.extend(Self::associated_namespaces(record));
                }
                Type::Scalar(_, Twin::Enumeration(one)) => {
                    self.add_friends_of_enumeration(*one, behind_pointers(ty), name, candidates);
                    scopes.push(one.home);
                }
                // Classes of the toolkit.
                Type::Vector { .. } | Type::Scalar(Scalar::F16 | Scalar::BF16, _) => scopes.push(0),
                _ => {}
            }
        }
        scopes.sort_unstable();
        scopes.dedup();
        for scope in scopes {
            for (entry, at) in self.of_namespace(scope, name) {
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

    /// Adds the functions of a name that a class and its relatives define as friends.
    pub fn add_friends(&self, record: &Arc<RecordType>, name: &str, out: &mut Vec<Callee>) {
        for class in relatives(record) {
            for member in &class.record.members {
                let ast::Member::Friend(f) = member else {
                    continue;
                };
                let is_there = |known: &Callee| {
                    let around = known.env.record.as_ref().map(|r| r.identity);
                    Arc::ptr_eq(&known.function, f) && around == Some(class.identity)
                };
                if &*f.name == name && !out.iter().any(is_there) {
                    out.push(Callee {
                        function: f.clone(),
                        env: Env::inside(&class),
                    });
                }
            }
        }
    }

    /// Without functions of a namespace that are declared after the place where their name stands, as
    /// long as others are left: those only arguments bring in.
    pub(super) fn declared_before(&self, found: Vec<Callee>, at: ast::Range) -> Vec<Callee> {
        let is_late = |c: &Callee| c.function.range.start > at.start;
        let late = found.iter().filter(|c| is_late(c)).count();
        if at == ast::Range::default() || late == 0 || late == found.len() {
            return found;
        }
        let has_head = |c: &Callee| self.own_head(&c.function, &c.env).is_some();
        let is_kept = |c: &Callee| {
            let declares = |known: &Callee| {
                !is_late(known)
                    && has_head(known) == has_head(c)
                    && self.has_same_parameters(known, c) != Some(false)
            };
            // An explicit specialisation stands in for its template.
            let head = self.own_head(&c.function, &c.env);
            let is_special = head.is_some_and(|head| head.parameters.is_empty());
            !is_late(c) || is_special || found.iter().any(declares)
        };
        let kept: Vec<bool> = found.iter().map(is_kept).collect();
        let all = found.into_iter().zip(kept);
        all.filter_map(|(c, is_kept)| is_kept.then_some(c))
            .collect()
    }

    /// Adds member functions that a class takes over from its bases: `using Base::f;`. Its own ones with the
    /// same parameters hide them.
    pub(super) fn add_used(
        &self,
        record: &Arc<RecordType>,
        name: &str,
        depth: u32,
        out: &mut Vec<Callee>,
    ) {
        let mut used = Vec::new();
        for member in &record.record.members {
            let ast::Member::Using(path) = member else {
                continue;
            };
            let Some((last, qualifier)) = path.segments.split_last() else {
                continue;
            };
            let is_named = &*last.name == name
                || last.name.strip_prefix("operator").map(str::trim) == Some(name);
            // `using Base::Base;`: constructors.
            let is_class = qualifier.last().is_some_and(|one| one.name == last.name);
            if !is_named || is_class {
                continue;
            }
            match self.prefix(&Env::inside(record), path) {
                Some(Prefix::Record(base)) => self.methods_into(&base, name, depth + 1, &mut used),
                // `using Bases::f...;`
                _ => {
                    for (_, base) in &record.bases {
                        let mut found = Vec::new();
                        self.methods_into(base, name, depth + 1, &mut found);
                        used.extend(found);
                    }
                }
            }
        }
        let own = out.len();
        for one in used {
            let is_same = |known: &Callee| {
                known.function.attributes.is_const == one.function.attributes.is_const
                    && self.has_same_parameters(known, &one) == Some(true)
            };
            let class = |callee: &Callee| callee.env.record.as_ref().map(|r| r.identity);
            let is_there = |known: &Callee| {
                Arc::ptr_eq(&known.function, &one.function) && class(known) == class(&one)
            };
            if !out[..own].iter().any(is_same) && !out.iter().any(is_there) {
                out.push(one);
            }
        }
    }

    /// Whether a class, or a base of it, converts to `wanted` by a function that is not explicit.
    fn has_conversion_to(&self, wanted: &Type, from: &Arc<RecordType>, depth: u32) -> bool {
        if depth > DEEPEST || from.problem.is_some() {
            return true;
        }
        let is_one = |member: &ast::Member| match member {
            ast::Member::Function(f) => {
                f.kind == ast::FunctionKind::Conversion
                    && !f.attributes.is_explicit
                    && (!f.templates.is_empty() || {
                        let env = Env::inside(from);
                        let given = super::result_type(self, &env, f);
                        follows(wanted.strip_reference(), given.strip_reference())
                    })
            }
            _ => false,
        };
        from.record.members.iter().any(is_one)
            || from
                .bases
                .iter()
                .any(|(_, base)| self.has_conversion_to(wanted, base, depth + 1))
    }

    /// Whether a class of the user's may stand between two types where nobody wrote a conversion: by a
    /// constructor that is not explicit, or a conversion function. Where that is not known: yes.
    pub(super) fn may_convert(&self, wanted: &Type, given: &Type) -> bool {
        if let Type::Record(from) = given
            && self.has_conversion_to(wanted, from, 0)
        {
            return true;
        }
        let Type::Record(to) = wanted else {
            return false;
        };
        if let Type::Record(from) = given
            && derives(from, to, 0)
        {
            return true;
        }
        let to = &complete(self, to);
        let inherits = |member: &ast::Member| matches!(member, ast::Member::Using(_));
        if to.problem.is_some() || to.record.members.iter().any(inherits) {
            return true;
        }
        let Some(name) = &to.record.name else {
            return false;
        };
        let takes = |one: &Callee| {
            let f = &*one.function;
            let Some((first, rest)) = f.parameters.split_first() else {
                return false;
            };
            let has_default = |at: usize| {
                f.parameters[at].is_pack
                    || self.default_argument(&one.function, &one.env, at).is_some()
            };
            if f.kind != ast::FunctionKind::Constructor
                || f.attributes.is_explicit
                || !(1..=rest.len()).all(has_default)
            {
                return false;
            }
            if first.is_pack || self.own_head(f, &one.env).is_some() {
                return true;
            }
            match (
                resolve_type(self, &one.env, &first.ty).strip_reference(),
                given,
            ) {
                (Type::Unknown(_) | Type::Opaque(_) | Type::Function, _) => true,
                (Type::Scalar(_, _) | Type::Pointer(_), Type::Scalar(_, _)) => true,
                (Type::Scalar(s, _), Type::Pointer(_)) => *s == Scalar::Bool,
                // That would be a conversion after a conversion.
                (Type::Record(of), Type::Record(from)) => derives(from, of, 0),
                (Type::Record(_), _) | (Type::Vector { .. }, Type::Scalar(_, _)) => false,
                (of, given) => of.decay() == *given || matches!(of, Type::Pointer(_)),
            }
        };
        self.methods(to, name).iter().any(takes)
    }

    /// Whether an operator function may be meant at a place that takes no class, but one of these enumerations:
    /// any where none is given.
    #[must_use]
    pub fn has_operator_of_enumerations(&self, env: &Env, symbol: &str, of: &[&Type]) -> bool {
        let is_one = |entry: &Entry<'_>, scope: ScopeId| match entry {
            Entry::Function(f) if f.kind == ast::FunctionKind::Operator => {
                self.takes_enumerations(f, &Env::new(scope), of)
            }
            _ => false,
        };
        let is_anywhere = (0..self.scopes.len() as u32).any(|scope| {
            let found = self.scopes[scope as usize].entries.get(symbol);
            found.is_some_and(|entries| entries.iter().any(|entry| is_one(entry, scope)))
        });
        let of = of.iter().filter_map(|ty| match ty.strip_reference() {
            Type::Scalar(_, Twin::Enumeration(one)) => Some(*one),
            _ => None,
        });
        let of: Vec<Enumeration> = of.collect();
        if of.iter().any(|one| one.is_member) && self.declares_operator(symbol) {
            return true;
        }
        if !is_anywhere || of.is_empty() {
            return is_anywhere;
        }
        // Found from the place, or in the namespace of an operand, and in those around.
        let of_homes = of
            .iter()
            .flat_map(|one| self.outward(&Env::new(one.home), false));
        let mut all: Vec<ScopeId> = self.outward(env, false);
        all.extend(of_homes);
        all.into_iter().any(|scope| {
            let found = self.in_scope(scope, symbol, 0);
            found.iter().any(|(entry, home)| is_one(entry, *home))
        })
    }

    /// The operators of the user's that may be meant for operands of which one is an enumeration; none of them where it is
    /// not known which. `None` where the built-in one is meant.
    #[must_use]
    pub fn operators_of_enumerations(
        &self,
        env: &Env,
        symbol: &str,
        operands: &[Type],
        at: ast::Range,
    ) -> Option<Vec<Callee>> {
        let mut all = self.operators(env, &[], symbol, at);
        self.add_associated(env, &mut all, symbol, operands);
        all.retain(|c| c.function.parameters.len() == operands.len());
        self.retain_viable(&mut all, operands);
        let is_some = !all.is_empty() || self.may_be_friend_of_template(operands, symbol);
        is_some.then_some(all)
    }

    /// Without the operators that can't take these operands: no number becomes an enumeration, and no enumeration
    /// another one. Where none is left the built-in one is meant.
    fn retain_viable(&self, candidates: &mut Vec<Callee>, operands: &[Type]) {
        candidates.retain(|candidate| {
            let function = &candidate.function;
            if self.own_head(function, &candidate.env).is_some() {
                return true;
            }
            function.parameters.iter().zip(operands).all(|(p, given)| {
                let wanted = resolve_type(self, &candidate.env, &p.ty);
                let (wanted, given) = (wanted.strip_reference(), given.strip_reference());
                let number = |ty: &Type| matches!(ty, Type::Scalar(_, twin) if twin.is_number());
                match (wanted, given) {
                    _ if wanted.is_enumeration() && given.is_enumeration() => wanted == given,
                    _ if wanted.is_enumeration() && number(given) => false,
                    (Type::Record(_) | Type::Vector { .. }, Type::Scalar(_, twin)) => {
                        !twin.is_enumeration()
                    }
                    _ => true,
                }
            })
        });
    }

    /// Whether a class template that declares an enumeration has a friend of this name: which instance it is of is not
    /// known.
    fn has_friend_of_template(&self, symbol: &str) -> bool {
        self.scopes.iter().any(|scope| {
            let mut entries = scope.entries.values().flatten();
            entries.any(|entry| {
                let Entry::Record(r) = entry else {
                    return false;
                };
                let mut members = r.members.iter();
                let declares = r.members.iter().any(|m| matches!(m, ast::Member::Enum(_)));
                !r.templates.is_empty()
                    && declares
                    && members.any(|m| matches!(m, ast::Member::Friend(f) if *f.name == *symbol))
            })
        })
    }

    /// Whether an operator of an enumeration may be the friend of a class template in which that stands.
    fn may_be_friend_of_template(&self, operands: &[Type], symbol: &str) -> bool {
        let is_member = |ty: &Type| matches!(ty.strip_reference(), Type::Scalar(_, Twin::Enumeration(one)) if one.is_member);
        operands.iter().any(is_member) && self.has_friend_of_template(symbol)
    }

    /// Friends of a name that the class defines in which an enumeration stands.
    fn add_friends_of_enumeration(
        &self,
        one: Enumeration,
        ty: &Type,
        name: &str,
        out: &mut Vec<Callee>,
    ) {
        if !one.is_member {
            return;
        }
        let at = Env::new(one.home);
        let entries = self.scopes[one.home as usize].entries.values().flatten();
        for entry in entries {
            let Entry::Record(r) = entry else { continue };
            let is_friend =
                |member: &ast::Member| matches!(member, ast::Member::Friend(f) if *f.name == *name);
            if !r.templates.is_empty() || !r.members.iter().any(is_friend) {
                continue;
            }
            let label = r.name.clone().unwrap_or_else(|| Arc::from(""));
            let Type::Record(class) = instantiate(self, r, &at, Vec::new(), &label) else {
                continue;
            };
            let inside = Env::inside(&class);
            let declares = r.members.iter().any(|member| {
                matches!(member, ast::Member::Enum(e) if enum_type(self, &inside, e) == *ty)
            });
            if declares {
                self.add_friends(&class, name, out);
            }
        }
    }

    /// Whether a function takes no class, but one of these enumerations.
    fn takes_enumerations(&self, f: &ast::Function, env: &Env, of: &[&Type]) -> bool {
        let head = self
            .own_head(f, env)
            .map_or(&[][..], |head| &head.parameters);
        let mut has_one = false;
        let is_number = |p: &ast::Parameter| {
            let mut written = &p.ty;
            while let ast::TypeKind::Reference { to, .. } = &written.kind {
                written = to;
            }
            if let ast::TypeKind::Named(path) = &written.kind
                && names_parameter(head, path)
            {
                has_one = true;
                return true;
            }
            if is_of_class_template(self, env, written) {
                return false;
            }
            let ty = resolve_type(self, env, written);
            has_one |=
                ty.is_unknown() || ty.is_enumeration() && (of.is_empty() || of.contains(&&ty));
            matches!(ty, Type::Scalar(_, _) | Type::Unknown(_))
        };
        f.parameters.iter().all(is_number) && has_one
    }

    /// Whether the program has an operator of this symbol anywhere: of a namespace, a class, or a friend of one.
    #[must_use]
    pub fn declares_operator(&self, symbol: &str) -> bool {
        let all = self
            .operator_symbols
            .get_or_init(|| self.declared_operators());
        all.as_ref().is_none_or(|all| all.contains(symbol))
    }

    /// Symbols of all operators of the program; nothing where classes lie too deep in each other.
    fn declared_operators(&self) -> Option<FxHashSet<ast::Name>> {
        let mut symbols = FxHashSet::default();
        for entry in self
            .scopes
            .iter()
            .flat_map(|scope| scope.entries.values().flatten())
        {
            match entry {
                Entry::Function(f) if f.kind == ast::FunctionKind::Operator => {
                    symbols.insert(f.name.clone());
                }
                Entry::Record(record) => add_operators(record, &mut symbols, 0)?,
                _ => {}
            }
        }
        Some(symbols)
    }

    /// Whether a path names a value of an enumeration.
    #[must_use]
    pub fn is_enumerator(&self, env: &Env, path: &Path) -> bool {
        self.enumerator_type(env, path).is_some()
    }

    /// The enumeration whose value a path names.
    #[must_use]
    pub fn enumerator_type(&self, env: &Env, path: &Path) -> Option<Type> {
        let last = path.segments.last()?;
        let declares = |e: &ast::Enum| e.values.iter().any(|(name, _)| *name == last.name);
        let of_record = |record: &Arc<RecordType>| {
            record
                .record
                .members
                .iter()
                .find_map(|member| match member {
                    ast::Member::Enum(e) if declares(e) => {
                        Some(enum_type(self, &Env::inside(record), e))
                    }
                    _ => None,
                })
        };
        let of_entries = |entries: Vec<(Entry<'_>, ScopeId)>| {
            entries.iter().find_map(|(entry, scope)| match entry {
                Entry::Enumerator(e) => Some(enum_type(self, &Env::new(*scope), e)),
                _ => None,
            })
        };
        if path.segments.len() > 1 {
            return match self.prefix(env, path)? {
                Prefix::Enum(e, at) => Some(enum_type(self, &at, &e)),
                Prefix::Record(r) => of_record(&r),
                Prefix::Scope(s) => of_entries(self.in_scope(s, &last.name, 0)),
                Prefix::Foreign(_) => None,
            };
        }
        if env.named(path).is_some() {
            return None;
        }
        if let Some(class) = self.class_with(env, &last.name).filter(|_| !path.is_global) {
            return of_record(&class);
        }
        of_entries(self.unqualified(env, &last.name, path.is_global, path.range))
    }

    /// Whether a path names an enumeration.
    #[must_use]
    pub fn is_enumeration(&self, env: &Env, path: &Path) -> bool {
        matches!(self.as_prefix(env, path), Some(Prefix::Enum(..)))
    }
}

/// Deeper classes are taken to have what is looked for.
const DEEPEST: u32 = 16;

/// The classes whose functions and friends an argument of a class brings in: its own, its bases, those
/// around it and those among its template arguments.
fn relatives(record: &Arc<RecordType>) -> Vec<Arc<RecordType>> {
    let mut queue = vec![(record.clone(), 0)];
    let mut found: Vec<Arc<RecordType>> = Vec::new();
    while let Some((class, depth)) = queue.pop() {
        if depth > DEEPEST || found.iter().any(|one| one.identity == class.identity) {
            continue;
        }
        let bases = class.bases.iter().map(|(_, base)| base.clone());
        let outer = class.env.record.clone();
        let mut arguments = Vec::new();
        for argument in &class.arguments {
            add_classes(argument, &mut arguments);
        }
        let next = bases.chain(outer).chain(arguments);
        queue.extend(next.map(|class| (class, depth + 1)));
        found.push(class);
    }
    found
}

/// What a reference, a pointer or an array leads to at last.
fn behind_pointers(ty: &Type) -> &Type {
    let mut ty = ty.strip_reference();
    while let Type::Pointer(to) | Type::Array(to, _) = ty {
        ty = to;
    }
    ty
}

/// The classes that an argument of a template names, behind pointers, too.
fn add_classes(argument: &Binding, out: &mut Vec<Arc<RecordType>>) {
    match argument {
        Binding::Type(ty) => {
            if let Type::Record(of) = behind_pointers(ty) {
                out.push(of.clone());
            }
        }
        Binding::Pack(all) => all.iter().for_each(|one| add_classes(one, out)),
        _ => {}
    }
}

/// Whether a standard conversion may make one type of the other, which a function gives: no class stands between.
fn follows(wanted: &Type, given: &Type) -> bool {
    match (wanted, given) {
        (Type::Unknown(_) | Type::Opaque(_), _) | (_, Type::Unknown(_) | Type::Opaque(_)) => true,
        (Type::Record(base), Type::Record(class)) => derives(class, base, 0),
        (Type::Record(_), _) | (_, Type::Record(_)) => false,
        (Type::Scalar(..), Type::Scalar(..)) if wanted.is_enumeration() => wanted == given,
        (Type::Pointer(_), Type::Scalar(..)) => false,
        _ => true,
    }
}

#[must_use]
pub fn derives(from: &RecordType, base: &RecordType, depth: u32) -> bool {
    let mut bases = from.bases.iter();
    depth > DEEPEST
        || from.identity == base.identity
        || bases.any(|(_, one)| derives(one, base, depth + 1))
}

/// Symbols of a class's operators, of friends and of classes in it; nothing if those lie too deep.
fn add_operators(
    record: &ast::Record,
    symbols: &mut FxHashSet<ast::Name>,
    depth: u32,
) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    for member in &record.members {
        match member {
            ast::Member::Function(f) | ast::Member::Friend(f)
                if f.kind == ast::FunctionKind::Operator =>
            {
                symbols.insert(f.name.clone());
            }
            ast::Member::Record(inner) => add_operators(inner, symbols, depth + 1)?,
            _ => {}
        }
    }
    Some(())
}

fn is_auto(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        ast::TypeKind::Auto => true,
        ast::TypeKind::Pointer { to, .. } | ast::TypeKind::Reference { to, .. } => is_auto(to),
        _ => false,
    }
}

/// Whether a type is written as an instance of a class template: `Span<T>`.
fn is_of_class_template(names: &Names<'_>, env: &Env, written: &ast::TypeExpr) -> bool {
    let ast::TypeKind::Named(path) = &written.kind else {
        return false;
    };
    let [only] = &path.segments[..] else {
        return false;
    };
    let found = names.unqualified(env, &only.name, false, path.range);
    only.arguments.is_some()
        && !found.is_empty()
        && found
            .iter()
            .all(|(entry, _)| matches!(entry, Entry::Record(r) if !r.templates.is_empty()))
}
