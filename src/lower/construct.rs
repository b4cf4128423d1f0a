//! Construction of objects: by which constructor, and what members begin with.
//!
//! Given a type and arguments, emits what a constructor or default member initialisers do to the object.

use super::call::ArgumentLValue;
use super::context::Lower;
use super::values::{LValue, Mem, Val};
use crate::ir::Scalar;
use crate::sema::scope::{self, Callee};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind, FunctionKind};
use std::sync::Arc;

/// Elements of an array of objects that are constructed one by one; more are in a loop.
const MOST_CONSTRUCTED: u64 = 64;

impl Lower<'_> {
    pub fn constructors(&self, record: &Arc<RecordType>) -> Vec<Callee> {
        let Some(name) = &record.record.name else {
            return Vec::new();
        };
        let mut all = self.unit.names.methods(record, name);
        all.retain(|callee| {
            let f = &callee.function;
            f.kind == FunctionKind::Constructor && !f.is_default_copy()
        });
        all
    }

    /// `T(arguments)`.
    pub fn construct(&mut self, ty: &Type, arguments: &[ast::Expr], range: ast::Range) -> Val {
        if let (Type::Array(..) | Type::Record(_) | Type::Vector { .. }, [one]) = (ty, arguments)
            && matches!(one.kind, ExprKind::List(_))
        {
            return self.initialised(ty, one);
        }
        let places = self.arguments_of_class(ty, arguments);
        self.construct_listed(ty, &places, range)
    }

    /// `T{places}`, or what reads like it.
    pub fn construct_listed(
        &mut self,
        ty: &Type,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Val {
        if let Type::Record(record) = ty.strip_reference()
            && !places.is_empty()
            && self
                .constructors(record)
                .iter()
                .any(|c| c.function.takes_list())
        {
            let reason = "a constructor that takes a list in braces is not followed";
            return self.unknown_val(reason, ty.strip_reference().clone());
        }
        self.construct_value(ty, places, range)
    }

    pub fn construct_value(
        &mut self,
        ty: &Type,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> Val {
        match ty.strip_reference() {
            Type::Scalar(_, _) | Type::Pointer(_) => match places.first() {
                Some((place, at)) => {
                    let value = self.in_place(place.clone(), *at);
                    self.convert(value, ty, range)
                }
                None => self.zero(ty),
            },
            Type::Record(_) | Type::Vector { .. } | Type::Array(..) => {
                let object = self.local("", ty.strip_reference(), None);
                if places.is_empty() {
                    self.initialise_by_nothing(&object, range);
                } else {
                    self.construct_into(&object, places, range);
                }
                if self.needs_destruction(&object.ty, 0) {
                    let reason = format!("when a temporary `{}` ends is not known", object.ty);
                    self.forget_locals(&reason, range);
                }
                Val::Object(object)
            }
            Type::Void => Val::Void,
            Type::Opaque(name) => self.construct_opaque(&name.clone(), places, range),
            other => {
                let mut inputs = Vec::new();
                for (place, at) in places {
                    if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                        inputs.push(id);
                    }
                }
                self.unknown_from(&inputs, other.clone())
            }
        }
    }

    /// `T()`, where an object stands: what no constructor of the user's sets is zero. Where only a part
    /// has a constructor that does something, all is set to zero before (C++20, [dcl.init]/9).
    pub(super) fn initialise_by_nothing(&mut self, object: &Mem, range: ast::Range) {
        match &object.ty {
            Type::Record(record)
                if object.ty.size().is_some()
                    && self.needs_construction(record, 0)
                    && !self
                        .constructors(record)
                        .iter()
                        .any(|one| acts(&one.function)) =>
            {
                self.zero_fill(object, range);
                self.construct_into(object, &[], range);
            }
            Type::Record(_) | Type::Array(..) if object.ty.size().is_some() => {
                let kind = ExprKind::List(Vec::new());
                self.initialise_list(object, &[], &ast::Expr { kind, range });
            }
            Type::Record(_) | Type::Array(..) | Type::Vector { .. } => {
                self.construct_into(object, &[], range);
                if object.ty.size().is_none() {
                    let reason = format!("the layout of `{}` is not known", object.ty);
                    self.lose_object(object, &reason, range);
                }
            }
            _ => self.zero_fill(object, range),
        }
    }

    /// Constructs in place.
    pub fn construct_into(&mut self, object: &Mem, places: &[ArgumentLValue], range: ast::Range) {
        match object.ty.clone() {
            Type::Record(record) => self.construct_record(object, &record, places, range),
            Type::Vector {
                scalar,
                lanes,
                name,
            } => {
                if let [(place, at)] = places {
                    let value = self.read(place.clone(), *at);
                    if let Val::Object(_) = value {
                        self.write(&LValue::Mem(object.clone()), value, range);
                        return;
                    }
                    let id = self.scalar_of(value, scalar, *at);
                    let fill = if name == "dim3" {
                        let one = self.arena.int(1, scalar);
                        vec![id, one, one]
                    } else if name.contains("complex") {
                        let zero = self.arena.float(0.0, scalar);
                        vec![id, zero]
                    } else {
                        vec![id; usize::from(lanes)]
                    };
                    self.set_lanes(object, &fill, range);
                    return;
                }
                let mut values = Vec::new();
                for (place, at) in places {
                    let value = self.read(place.clone(), *at);
                    values.push(self.scalar_of(value, scalar, *at));
                }
                let rest = self.arena.int(i64::from(name == "dim3"), Scalar::I32);
                let rest = self.arena.cast(rest, scalar);
                values.resize(usize::from(lanes), rest);
                self.set_lanes(object, &values, range);
            }
            Type::Array(element, count) => {
                self.construct_elements(object, (&element, count), places, range);
            }
            _ => {
                if let Some((place, at)) = places.first() {
                    let value = self.read(place.clone(), *at);
                    self.write(&LValue::Mem(object.clone()), value, range);
                }
            }
        }
    }

    /// Constructs each element of an array of objects by the same arguments.
    fn construct_elements(
        &mut self,
        object: &Mem,
        (element, count): (&Type, Option<u64>),
        places: &[ArgumentLValue],
        range: ast::Range,
    ) {
        let is_made = matches!(element, Type::Record(_) | Type::Array(..));
        match (count, element.size()) {
            (Some(count), Some(size)) if is_made && count <= MOST_CONSTRUCTED => {
                for at in 0..count {
                    let pointer = self.arena.offset_const(object.pointer, at * size);
                    let part = object.part(pointer, element.clone());
                    self.construct_into(&part, places, range);
                }
            }
            (Some(count), Some(size)) if is_made => {
                self.counted_loop(count, range, &mut |this, at| {
                    let pointer = this.arena.element(object.pointer, at, size, false);
                    let part = object.part(pointer, element.clone());
                    this.construct_into(&part, places, range);
                });
            }
            // What is not set has no value yet.
            _ if places.is_empty() => {}
            _ => match places {
                [(place, at)] if *place.ty().strip_reference() == object.ty => {
                    let value = self.read(place.clone(), *at);
                    self.write(&LValue::Mem(object.clone()), value, range);
                }
                _ => {
                    let reason = "an array that is made of values";
                    self.lose_object(object, reason, range);
                }
            },
        }
    }

    pub fn construct_record(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) {
        // What a value of the class is made as stands where it is wanted: nothing copies it.
        if let [(LValue::Val(Val::Object(made)), _)] = places
            && matches!(&made.ty, Type::Record(of) if of.identity == record.identity)
        {
            self.copy(object, &made.clone(), range);
            return;
        }
        // A copy, unless a constructor of the user's takes part.
        let constructors = self.constructors(record);
        // `template <class T> S(T &&)` takes what is not `const` as it is.
        if let [(LValue::Mem(from), _)] = places
            && from.is_const != Some(true)
            && matches!(&from.ty, Type::Record(of) if of.identity == record.identity)
        {
            let is_closer = |c: &&Callee| {
                let first = c.function.parameters.first().map(|p| &p.ty.kind);
                self.is_template(c)
                    && matches!(first, Some(ast::TypeKind::Reference { to, .. }) if !to.is_const)
            };
            let closer: Vec<Callee> = constructors.iter().filter(is_closer).cloned().collect();
            let types = [places[0].0.argument_type()];
            let (names, env) = (&self.unit.names, &self.frame.env);
            if !closer.is_empty()
                && scope::overload_for_arguments(names, env, &closer, &[], &types).is_some()
            {
                let name = record.name.clone();
                let reason = format!("which constructor of `{name}` copies is not known");
                self.not_followed(&[], Some(object), places, Some(Type::Void), &reason, range);
                return;
            }
        }
        if let [(place, at)] = places
            && let Type::Record(from) = place.ty().strip_reference()
            && super::base_classes::is_one_of(from, record)
            && !self.has_copy_constructor(record)
        {
            let value = self.read(place.clone(), *at);
            if let Val::Object(from) = value {
                let from = self.as_base(from, record);
                self.copy(object, &from, range);
            }
            return;
        }
        if let [(place, _)] = places
            && !self.has_copy_constructor(record)
            && self.may_be_copied(place.ty().strip_reference(), &constructors)
        {
            let name = record.name.clone();
            let reason = format!("whether a `{name}` is made or copied is not known");
            self.not_followed(&[], Some(object), places, Some(Type::Void), &reason, range);
            return;
        }
        if constructors.is_empty() {
            if places.is_empty() {
                self.default_fields(object, record, range, false);
                return;
            }
            // An aggregate in parentheses, or a list that was evaluated where it stands.
            self.fill_evaluated(object, places, range);
            return;
        }
        self.construct_by(object, record, &constructors, places, range);
    }

    /// Whether the one value that an object is made of may be an object of its class, or convert to one.
    fn may_be_copied(&self, given: &Type, constructors: &[Callee]) -> bool {
        let takes_it = |callee: &Callee| {
            let first = callee.function.parameters.first();
            let is_it = first.is_some_and(|first| {
                let ty = scope::resolve_type(&self.unit.names, &callee.env, &first.ty);
                ty.strip_reference() == given
            });
            is_it || self.is_template(callee)
        };
        match given {
            Type::Unknown(_) => true,
            Type::Opaque(_) => !constructors.is_empty() && !constructors.iter().any(takes_it),
            _ => false,
        }
    }

    /// By the one of these constructors that the arguments mean.
    pub(super) fn construct_by(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        constructors: &[Callee],
        places: &[ArgumentLValue],
        range: ast::Range,
    ) {
        let name = record.name.clone();
        match self.choose(constructors, None, places) {
            Some((callee, env)) if callee.function.body.is_some() => {
                self.inline(&callee, env, Some(object.clone()), places, &name, range);
            }
            Some((callee, _))
                if callee.function.parameters.is_empty() && acts(&callee.function) =>
            {
                let reason = format!("the constructor of `{name}` has no body here");
                self.not_followed(&[], Some(object), places, Some(Type::Void), &reason, range);
            }
            Some((callee, _)) if callee.function.parameters.is_empty() => {
                self.default_fields(object, record, range, false);
            }
            _ => {
                if places.is_empty() {
                    self.default_fields(object, record, range, false);
                    return;
                }
                // It may write what it is given.
                let reason = format!("no constructor of `{name}` with a body fits");
                self.not_followed(&[], Some(object), places, Some(Type::Void), &reason, range);
            }
        }
    }

    /// Default member initialisers and default constructors of members and bases.
    pub fn default_fields(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        range: ast::Range,
        zero_rest: bool,
    ) {
        for (offset, base) in &record.bases {
            let pointer = self.arena.offset_const(object.pointer, *offset);
            let part = object.part(pointer, Type::Record(base.clone()));
            self.construct_record(&part, base, &[], range);
        }
        let names: Vec<String> = record
            .fields
            .iter()
            .map(|field| field.name.clone())
            .collect();
        for name in names {
            self.default_field(object, record, &name, range, zero_rest);
        }
    }

    pub fn default_field(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        name: &str,
        range: ast::Range,
        zero: bool,
    ) {
        let Some(field) = record
            .fields
            .iter()
            .find(|field| field.name == name)
            .cloned()
        else {
            return;
        };
        let pointer = self.field_pointer(object.pointer, &field);
        let mut part = object.part(pointer, field.ty.clone());
        part.bits = field.bits;
        let declaration = record
            .record
            .members
            .iter()
            .find_map(|member| match member {
                ast::Member::Variables(variables) => {
                    variables.iter().find(|variable| &*variable.name == name)
                }
                _ => None,
            });
        match declaration.and_then(|variable| variable.init.as_ref()) {
            Some(init) => self.in_record(object, record, |this| {
                this.initialise_from(&part, init, range)
            }),
            None => match &field.ty {
                ty if !name.is_empty() && self.is_made_by_constructors(ty, 0) => {
                    self.construct_into(&part, &[], range);
                }
                Type::Reference(_) => {}
                _ if zero => self.zero_fill(&part, range),
                _ => {}
            },
        }
    }

    /// Whether default construction of a class does anything.
    pub fn needs_construction(&self, record: &Arc<RecordType>, depth: u32) -> bool {
        if depth > 8 {
            return false;
        }
        self.constructors(record).iter().any(|c| acts(&c.function))
            || record.record.members.iter().any(|member| match member {
                ast::Member::Variables(variables) => variables
                    .iter()
                    .any(|variable| variable.init.is_some() && !variable.storage.is_static),
                _ => false,
            })
            || record
                .bases
                .iter()
                .any(|(_, base)| self.needs_construction(base, depth + 1))
            || record
                .fields
                .iter()
                .any(|field| self.is_made_by_constructors(&field.ty, depth + 1))
    }

    /// As [`Self::needs_construction`], of an object or an array of any depth.
    pub fn is_made_by_constructors(&self, ty: &Type, depth: u32) -> bool {
        match ty {
            Type::Array(element, _) => self.is_made_by_constructors(element, depth + 1),
            Type::Record(record) => self.needs_construction(record, depth),
            _ => false,
        }
    }
}

/// Whether a constructor does anything where it is given nothing: `= default` does not.
pub(super) fn acts(function: &ast::Function) -> bool {
    !is_default(function) && (function.body.is_some() || function.parameters.is_empty())
}

fn is_default(function: &ast::Function) -> bool {
    function.attributes.is_default && function.parameters.is_empty()
}
