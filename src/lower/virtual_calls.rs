//! Virtual calls: the class that is named chooses the function and its default arguments, the class that the object was
//! made as gives the body (C++ standard, [class.virtual] and [dcl.fct.default]).
//!
//! Given what overload resolution chose, tells which function runs. Resolves no overloads.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::values::{LValue, Mem};
use crate::sema::scope::{Callee, Env};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, FunctionKind};
use std::sync::Arc;

/// Bases below which nothing is looked for.
const DEEPEST: u32 = 16;

/// What a call of a member function runs.
pub(super) enum Target {
    /// The function that was chosen.
    Itself,
    /// The one that overrides it, of this object.
    Other(Box<Callee>, Mem),
    /// Not known.
    Open,
}

impl Lower<'_> {
    /// What a call of `called` through `this` runs, where it gives so many arguments.
    pub(super) fn target_of(&self, called: &Callee, this: &Mem, given: usize) -> Target {
        let Some(class) = called.env.record.clone() else {
            return Target::Itself;
        };
        if called.function.attributes.is_static || !self.is_overridable(&class, called, 0) {
            return Target::Itself;
        }
        let Some(whole) = self.whole(this) else {
            return Target::Open;
        };
        let Type::Record(own) = &whole.ty else {
            return Target::Open;
        };
        match self.overrider(own, called, 0) {
            Some(other) if Arc::ptr_eq(&other.function, &called.function) => Target::Itself,
            // Default arguments are those of the function that was chosen.
            Some(other) if given >= called.function.parameters.len() => {
                Target::Other(Box::new(other), whole)
            }
            _ => Target::Open,
        }
    }

    fn overrider(&self, record: &Arc<RecordType>, called: &Callee, depth: u32) -> Option<Callee> {
        // What a class takes over by `using`, or from a base, overrides nothing.
        let is_own = |one: &Callee| {
            let class = one.env.record.as_ref();
            class.is_some_and(|class| class.identity == record.identity)
        };
        let mut found = self.unit.names.methods(record, &called.function.name);
        found.retain(|one| is_own(one) && self.overrides(one, called) == Some(true));
        if found.is_empty() && depth < DEEPEST {
            let bases = record.bases.iter();
            found.extend(bases.filter_map(|(_, base)| self.overrider(base, called, depth + 1)));
        }
        match found.len() {
            1 => found.pop(),
            _ => None,
        }
    }

    /// Whether a function of a derived class has what it takes to override another of its name; `None` where types that
    /// are not known decide.
    fn overrides(&self, one: &Callee, other: &Callee) -> Option<bool> {
        let (own, of) = (&one.function.attributes, &other.function.attributes);
        let is_alike = (own.is_const, own.reference) == (of.is_const, of.reference)
            && one.function.kind == other.function.kind
            && self.gives_the_same(one, other);
        match is_alike {
            true => self.unit.names.has_same_parameters(one, other),
            false => Some(false),
        }
    }

    /// Whether a function is virtual: declared so, or as one that the class or a base declares so.
    fn is_overridable(&self, record: &Arc<RecordType>, called: &Callee, depth: u32) -> bool {
        let is_one = |member: &ast::Member| {
            let ast::Member::Function(f) = member else {
                return false;
            };
            let declared = || Callee {
                function: f.clone(),
                env: Env::inside(record),
            };
            f.attributes.is_virtual
                && f.name == called.function.name
                && self.overrides(&declared(), called) != Some(false)
        };
        record.is_polymorphic
            && (record.record.members.iter().any(is_one)
                || depth < DEEPEST
                    && record
                        .bases
                        .iter()
                        .any(|(_, base)| self.is_overridable(base, called, depth + 1)))
    }

    /// Whether conversions are to one type; other functions are told apart by their names.
    fn gives_the_same(&self, one: &Callee, other: &Callee) -> bool {
        let result = |callee: &Callee| {
            let written = callee.function.result.clone();
            crate::sema::scope::resolve_type(&self.unit.names, &callee.env, &written)
        };
        one.function.kind != FunctionKind::Conversion || result(one) == result(other)
    }

    /// An operator or a conversion in place of a call: its symbol says nothing of the class whose function runs.
    pub(super) fn virtual_operator(
        &mut self,
        callee: &Callee,
        this: &Mem,
        places: &[ArgumentLValue],
        name: &str,
        range: ast::Range,
    ) -> Option<LValue> {
        let kind = callee.function.kind;
        if !matches!(kind, FunctionKind::Operator | FunctionKind::Conversion) {
            return None;
        }
        match self.target_of(callee, this, places.len()) {
            Target::Itself => None,
            Target::Other(other, whole) if other.function.body.is_some() => {
                let this = match &other.env.record {
                    Some(class) => self.as_base(whole, class),
                    None => whole,
                };
                let env = other.env.clone();
                Some(self.inline_chosen(&other, env, Some(this), places, name, range))
            }
            _ => {
                let mut all = vec![(LValue::Mem(this.clone()), range)];
                all.extend(places.iter().cloned());
                let name = format!("{}::{name}", this.ty);
                Some(self.opaque_call(&name, &all, None, range))
            }
        }
    }
}
