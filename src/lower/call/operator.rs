//! Operators of classes, called by their symbol or by name.

use super::super::context::Lower;
use super::super::values::{LValue, Val};
use super::{ArgumentLValue, path_text};
use crate::sema::scope::{self, Callee, OperatorChoice};
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind};

impl Lower<'_> {
    /// `operator+(a, b)`
    pub(super) fn call_operator(
        &mut self,
        path: &ast::Path,
        symbol: &str,
        list: &[ast::Expr],
        e: &ast::Expr,
    ) -> LValue {
        let has_pack = list.iter().any(|e| matches!(e.kind, ExprKind::Expand(_)));
        let mut places = Vec::with_capacity(list.len());
        if has_pack {
            places = self.arguments(list);
        } else {
            for argument in list {
                let place = self.operand_place(argument, true);
                places.push((self.pin(place), argument.range));
            }
        }
        let mut candidates = self.unit.names.functions(&self.frame.env, path);
        let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
        let names = &self.unit.names;
        names.add_associated(&self.frame.env, &mut candidates, symbol, &types);
        let name = path_text(path);
        match self.choose(&candidates, None, &places) {
            Some((callee, env)) if callee.function.body.is_some() => {
                let this = self.this_for(&callee);
                if path.segments.len() > 1 {
                    // `B::operator()(i)` is no virtual call.
                    return self.inline_chosen(&callee, env, this, &places, &name, e.range);
                }
                self.inline(&callee, env, this, &places, &name, e.range)
            }
            _ => self.undecided_operator(&name, &candidates, &places, e.range),
        }
    }

    /// A user's operator function, member or free, with a body.
    pub fn operator_call(
        &mut self,
        symbol: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<LValue> {
        let mut operands = Vec::new();
        for (place, _) in places {
            if let Type::Record(record) = place.ty().strip_reference() {
                operands.push(record.clone());
            }
        }
        let first = match places.first().map(|(place, _)| place.ty()) {
            Some(Type::Record(record)) => Some(record),
            Some(Type::Reference(to)) => match &*to {
                Type::Record(record) => Some(record.clone()),
                _ => None,
            },
            _ => None,
        };
        let mut all = self
            .unit
            .names
            .operators(&self.frame.env, &operands, symbol, range);
        all.retain(|callee| {
            callee.env.record.is_none() && callee.function.parameters.len() == places.len()
        });
        for (place, _) in places {
            if let Type::Record(record) = place.ty().strip_reference() {
                self.unit.names.add_friends(record, symbol, &mut all);
            }
        }
        all.retain(|callee| callee.function.parameters.len() == places.len());
        if let Some(record) = &first {
            let members = self.unit.names.methods(record, symbol);
            let object = places.first().map(|(place, _)| place);
            let is_const = object.and_then(LValue::is_const);
            let mut members = self.of_object(members, is_const, None);
            members.retain(|c| is_const != Some(true) || takes_const(c));
            if self.has_rivals(&members, &all, places) {
                members.extend(all);
                let name = format!("operator{symbol}");
                return Some(self.undecided_operator(&name, &members, places, range));
            }
            if let Some(rest) = places.get(1..)
                && let Some(result) = self.member_operator(symbol, places, &members, rest, range)
            {
                return Some(result);
            }
        }
        if all.is_empty() {
            return None;
        }
        let name = format!("operator{symbol}");
        let has_rival = self.may_be_built_in(places);
        let (callee, env) = match self.choose_operator(&all, places, has_rival) {
            OperatorChoice::One(callee, env) => (callee, env),
            OperatorChoice::Open => {
                return Some(self.undecided_operator(&name, &all, places, range));
            }
            OperatorChoice::BuiltIn => return None,
        };
        if callee.function.body.is_none() {
            return Some(self.undefined(&name, (&callee, &env), None, places, range));
        }
        // One that takes the classes by their conversions, as the built-in operators do.
        let takes_class = |(parameter, (place, _)): (&ast::Parameter, &ArgumentLValue)| {
            let given = place.ty();
            let is_class = matches!(
                given.strip_reference(),
                Type::Record(_) | Type::Vector { .. }
            );
            let ty = scope::resolve_type(&self.unit.names, &env, &parameter.ty);
            is_class && !matches!(ty.strip_reference(), Type::Scalar(..) | Type::Pointer(_))
        };
        let mut pairs = callee.function.parameters.iter().zip(places);
        if !pairs.any(takes_class) {
            let reason = format!("which `operator{symbol}` is meant is not known");
            return Some(self.not_followed(&[], None, places, None, &reason, range));
        }
        let places = self.vectors_read(&callee, places);
        Some(self.inline(&callee, env, None, &places, &name, range))
    }

    /// Whether a member and a free function both take the operands: which one fits better is not ranked across the two.
    fn has_rivals(&self, members: &[Callee], free: &[Callee], places: &[ArgumentLValue]) -> bool {
        // A template is taken only where no other function fits as well.
        let mut plain = free.to_vec();
        plain.retain(|callee| callee.function.templates.is_empty());
        let (Some(rest), false) = (places.get(1..), plain.is_empty() || members.is_empty()) else {
            return false;
        };
        let takes = |choice| !matches!(choice, OperatorChoice::BuiltIn);
        takes(self.choose_operator(members, rest, true))
            && takes(self.choose_operator(&plain, places, true))
    }

    /// What an operator of the first operand's class gives; `rest` are the other operands.
    fn member_operator(
        &mut self,
        symbol: &str,
        places: &[ArgumentLValue],
        members: &[Callee],
        rest: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<LValue> {
        let name = format!("operator{symbol}");
        // No class has a call or an arrow that is built in.
        let has_rival = !matches!(symbol, "()" | "->") && self.may_be_built_in(places);
        let chosen = if has_rival || !matches!(symbol, "()" | "->" | "[]") {
            self.choose_operator(members, rest, has_rival)
        } else {
            let chosen = self.choose(members, None, rest);
            chosen.map_or(OperatorChoice::BuiltIn, |(callee, env)| {
                OperatorChoice::One(callee, env)
            })
        };
        let (callee, env) = match chosen {
            OperatorChoice::One(callee, env) => (callee, env),
            OperatorChoice::Open => {
                return Some(self.undecided_operator(&name, members, places, range));
            }
            OperatorChoice::BuiltIn => return None,
        };
        callee.function.body.as_ref()?;
        let (object, at) = places.first()?.clone();
        let mem = self.memory_of(object, at)?;
        let this = match &callee.env.record {
            Some(base) => self.as_base(mem, base),
            None => mem,
        };
        let this = self.pinned(this);
        let rest = self.vectors_read(&callee, rest);
        Some(self.inline(&callee, env, Some(this), &rest, &name, range))
    }

    /// Whether an operator that is built in may take the operands: classes among them convert.
    fn may_be_built_in(&self, places: &[ArgumentLValue]) -> bool {
        places
            .iter()
            .all(|(place, _)| match place.ty().strip_reference() {
                Type::Record(class) => class.has_conversions(),
                _ => true,
            })
    }

    /// Which of the user's operators takes these operands.
    fn choose_operator(
        &self,
        candidates: &[Callee],
        places: &[ArgumentLValue],
        has_rival: bool,
    ) -> OperatorChoice {
        let names = &self.unit.names;
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| place.argument_type())
            .collect();
        // No number becomes an enumeration by itself; of a constant it is not told whether it is of one.
        let takes_enumeration = |callee: &Callee, of_constant: bool| {
            let parameters = callee.function.parameters.iter();
            parameters.zip(places).any(|(parameter, (place, _))| {
                let is_constant = matches!(place, LValue::Val(Val::Scalar { id, .. })
                    if self.arena.as_int(*id).is_some());
                let given = place.ty();
                let given = given.strip_reference();
                is_constant == of_constant
                    && matches!(given, Type::Scalar(..))
                    && !given.is_enumeration()
                    && scope::resolve_type(names, &callee.env, &parameter.ty)
                        .strip_reference()
                        .is_enumeration()
            })
        };
        let candidates = candidates.iter().filter(|c| !takes_enumeration(c, false));
        let candidates: Vec<Callee> = candidates.cloned().collect();
        let env = &self.frame.env;
        match scope::operator_for_arguments(names, env, &candidates, &types, has_rival) {
            OperatorChoice::One(callee, _) if takes_enumeration(&callee, true) => {
                OperatorChoice::Open
            }
            choice => choice,
        }
    }

    /// Operands of an operator, where vectors that it can't write are loaded as one: so compilers do.
    pub(super) fn vectors_read(
        &mut self,
        callee: &Callee,
        places: &[ArgumentLValue],
    ) -> Vec<ArgumentLValue> {
        let mut taken = places.to_vec();
        for ((place, at), parameter) in taken.iter_mut().zip(&callee.function.parameters) {
            let is_written = matches!(&parameter.ty.kind,
                ast::TypeKind::Reference { to, .. } if !to.is_const);
            if let LValue::Mem(mem) = &*place
                && matches!(mem.ty, Type::Vector { .. })
                && !is_written
            {
                let is_temporary = mem.is_temporary;
                let value = self.read(place.clone(), *at);
                *place = LValue::operand(value, is_temporary);
            }
        }
        taken
    }
}

/// Whether a member function may be called with an object that is `const`.
fn takes_const(callee: &Callee) -> bool {
    let attributes = &callee.function.attributes;
    attributes.is_const || attributes.is_static || callee.env.record.is_none()
}
