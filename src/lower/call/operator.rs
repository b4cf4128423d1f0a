//! Operators of classes, called by their symbol or by name.

use super::super::context::Lower;
use super::super::values::LValue;
use super::{ArgumentLValue, path_text};
use crate::sema::scope::{self, Callee};
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
        names.add_associated(&mut candidates, symbol, &types);
        let name = path_text(path);
        match self.choose(&candidates, None, &places) {
            Some((callee, env)) if callee.function.body.is_some() => {
                let this = self.this_for(&callee);
                self.inline(&callee, env, this, &places, &name, e.range)
            }
            _ => self.undecided_call(&name, &candidates, &places, e.range),
        }
    }

    /// A user's operator function, member or free, with a body.
    pub fn operator_call(
        &mut self,
        symbol: &str,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Option<LValue> {
        let mut operand = None;
        for (place, _) in places {
            if let Type::Record(record) = place.ty().strip_reference() {
                operand = Some(record.clone());
                break;
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
        if let Some(record) = &first {
            let members = self.unit.names.methods(record, symbol);
            let object = places.first().map(|(place, _)| place);
            let is_const = object.and_then(LValue::is_const);
            let members = self.of_object(members, is_const, None);
            if let Some(rest) = places.get(1..)
                && !members.is_empty()
                && let Some((callee, env)) = self.choose(&members, None, rest)
                && callee.function.body.is_some()
            {
                let (object, at) = places.first()?.clone();
                let mem = self.memory_of(object, at)?;
                let this = match &callee.env.record {
                    Some(base) => self.as_base(mem, base),
                    None => mem,
                };
                let this = self.pinned(this);
                let rest = self.vectors_read(&callee, rest);
                return Some(self.inline(
                    &callee,
                    env,
                    Some(this),
                    &rest,
                    &format!("operator{symbol}"),
                    range,
                ));
            }
        }
        let mut all = self
            .unit
            .names
            .operators(&self.frame.env, operand.as_ref(), symbol);
        all.retain(|callee| {
            callee.env.record.is_none() && callee.function.parameters.len() == places.len()
        });
        for (place, _) in places {
            if let Type::Record(record) = place.ty().strip_reference() {
                self.unit.names.add_friends(record, symbol, &mut all);
            }
        }
        all.retain(|callee| callee.function.parameters.len() == places.len());
        if all.is_empty() {
            return None;
        }
        let (callee, env) = self.choose(&all, None, places)?;
        callee.function.body.as_ref()?;
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
            return Some(self.not_followed(None, None, places, None, &reason, range));
        }
        let places = self.vectors_read(&callee, places);
        Some(self.inline(
            &callee,
            env,
            None,
            &places,
            &format!("operator{symbol}"),
            range,
        ))
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
