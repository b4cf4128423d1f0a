//! Objects: construction, braced lists, copies and conversions of classes.
//!
//! Given types and initialisers, gives values in local objects. Overloads are
//! chosen by `call`; moving bytes is `place`'s business.

use super::bases::base_offset;
use super::call::ArgumentLValue;
use super::context::{LValue, Lower, Mem, Val};
use super::groups::SpecialValue;
use super::packs::has_packs;
use crate::ir::{ExprId, Scalar, Value};
use crate::sema::scope::{self, Callee};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind, FunctionKind};
use std::sync::Arc;

/// Elements of an array that are set to zero one by one; more are set in a loop.
const MOST_SEPARATE: u64 = 256;

/// Most scalars that one initialiser writes; larger objects hold unknown values.
pub(super) const MAX_ELEMENTS: usize = 4096;

impl Lower<'_> {
    pub fn resolve(&mut self, ty: &ast::TypeExpr) -> Type {
        if let ast::TypeKind::Builtin(builtin) = &ty.kind {
            return crate::sema::types::builtin(*builtin);
        }
        match scope::resolve_type(&self.unit.names, &self.frame.env, ty) {
            Type::Record(record) => Type::Record(scope::complete(&self.unit.names, &record)),
            Type::Opaque(name) if super::groups::is_undeclared(&name) => {
                Type::Unknown(undeclared(&name))
            }
            other => other,
        }
    }

    /// An object of a vector type with these lanes.
    pub fn vector_of(&mut self, ty: &Type, lanes: &[ExprId]) -> Val {
        let object = self.local("", ty, None);
        self.set_lanes(&object, lanes);
        Val::Object(object)
    }

    pub fn set_lanes(&mut self, object: &Mem, lanes: &[ExprId]) {
        let Type::Vector {
            scalar,
            lanes: count,
            ..
        } = object.ty
        else {
            return;
        };
        for (at, value) in lanes.iter().enumerate().take(usize::from(count)) {
            let value = self.arena.cast(*value, scalar);
            let pointer = self
                .arena
                .offset_const(object.pointer, at as u64 * u64::from(scalar.size()));
            let path = object.path();
            self.emit_store(
                object,
                pointer,
                Value::Scalar(value),
                scalar,
                path,
                ast::Range::default(),
            );
        }
    }

    /// The value of an initialiser for something of type `ty`.
    pub fn initialised(&mut self, ty: &Type, e: &ast::Expr) -> Val {
        let ExprKind::List(items) = &e.kind else {
            let value = self.value(e);
            return self.convert(value, ty, e.range);
        };
        match ty.strip_reference() {
            Type::Scalar(..) | Type::Pointer(_) if has_packs(items) => {
                let places = self.expanded_items(items).unwrap_or_default();
                match <[_; 1]>::try_from(places) {
                    Ok([(place, at)]) => {
                        let value = self.read(place, at);
                        self.convert(value, ty, e.range)
                    }
                    Err(_) => self.unknown_val("a list with a pack for a number", ty.clone()),
                }
            }
            Type::Scalar(..) | Type::Pointer(_) => match items.first() {
                Some((_, first)) => {
                    let value = self.value(first);
                    self.convert(value, ty, e.range)
                }
                None => self.zero(ty),
            },
            Type::Vector { .. } | Type::Record(_) | Type::Array(..) => {
                let object = self.local("", ty.strip_reference(), None);
                self.initialise(&object, e);
                Val::Object(object)
            }
            Type::Opaque(_) => Val::SpecialValue(SpecialValue::Opaque(ty.clone())),
            ty => {
                for (_, item) in items {
                    self.value(item);
                }
                self.unknown_val("a value of an unknown type", ty.clone())
            }
        }
    }

    /// A list that waits for its type: elements are evaluated where it stands.
    pub fn braced(&mut self, items: &[(Option<ast::Name>, ast::Expr)], range: ast::Range) -> Val {
        let is_named = items.iter().any(|(name, _)| name.is_some());
        let mut out: Vec<ArgumentLValue> = Vec::with_capacity(items.len());
        if has_packs(items) {
            return match self.expanded_items(items).filter(|_| !is_named) {
                Some(places) => Val::SpecialValue(SpecialValue::List(places.into())),
                None => {
                    let reason = "a braced list with a pack that is not known";
                    self.unknown_val(reason, Type::unknown(reason))
                }
            };
        }
        for (_, item) in items {
            let place = self.place(item);
            let place = match place.ty().strip_reference() {
                Type::Scalar(_, _) | Type::Pointer(_) => LValue::Val(self.read(place, item.range)),
                _ => place,
            };
            out.push((place, item.range));
        }
        if is_named {
            let reason = "a braced list with names where no type is known";
            self.gap(range, reason, Vec::new(), Vec::new());
            return self.unknown_val(reason, Type::unknown(reason));
        }
        Val::SpecialValue(SpecialValue::List(out.into()))
    }

    /// A list whose type is known by now.
    fn list_as(&mut self, items: &[ArgumentLValue], to: &Type, range: ast::Range) -> Val {
        match (to, items) {
            (Type::Vector { scalar, lanes, .. }, [(place, at)])
                if !matches!(place.ty().strip_reference(), Type::Vector { .. }) =>
            {
                let object = self.local("", to, None);
                let value = self.read(place.clone(), *at);
                let zero = self.arena.int(0, Scalar::I32);
                let mut values = vec![self.arena.cast(zero, *scalar); usize::from(*lanes)];
                if let Some(first) = values.first_mut() {
                    *first = self.scalar_of(value, *scalar, *at);
                }
                self.set_lanes(&object, &values);
                Val::Object(object)
            }
            (Type::Array(_, Some(_)), _) => {
                let object = self.local("", to, None);
                self.zero_fill(&object, range);
                self.fill_evaluated(&object, items, range);
                Val::Object(object)
            }
            _ => self.construct_value(to, items, range),
        }
    }

    fn zero(&mut self, ty: &Type) -> Val {
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let zero = self.arena.int(0, Scalar::I32);
        let id = self.arena.cast(zero, scalar);
        Val::Scalar {
            id,
            ty: ty.clone(),
            volatile: false,
        }
    }

    /// Initialises `object` from one initialiser.
    pub fn initialise(&mut self, object: &Mem, e: &ast::Expr) {
        if !self.enter() {
            return;
        }
        match &e.kind {
            ExprKind::List(items) => self.initialise_list(object, items, e),
            ExprKind::Str(_) if matches!(object.ty, Type::Array(..)) => {
                self.make_unknown(Vec::new(), vec![object.pointer], "a string", e.range);
            }
            ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Unary(ast::UnaryOp::Deref, _) => {
                let place = self.place(e);
                match &place {
                    LValue::Mem(from)
                        if from.ty == object.ty
                            && matches!(from.ty, Type::Record(_) | Type::Vector { .. }) =>
                    {
                        self.copy(object, &from.clone(), e.range);
                    }
                    _ => {
                        let value = self.read(place, e.range);
                        self.write(&LValue::Mem(object.clone()), value, e.range);
                    }
                }
            }
            ExprKind::Construct { ty, arguments } if self.resolve(ty) == object.ty => {
                let arguments = self.arguments(arguments);
                self.construct_into(object, &arguments, e.range);
            }
            _ => {
                let value = self.value(e);
                self.write(&LValue::Mem(object.clone()), value, e.range);
            }
        }
        self.leave();
    }

    pub fn initialise_field(&mut self, part: &Mem, item: &ast::Expr) {
        if matches!(part.ty, Type::Reference(_)) {
            let place = self.place(item);
            if let Some(mem) = self.memory_of(place, item.range) {
                let value = Val::Scalar {
                    id: mem.pointer,
                    ty: mem.ty.pointer_to(),
                    volatile: false,
                };
                self.write(&LValue::Mem(part.clone()), value, item.range);
            }
        } else {
            self.initialise(part, item);
        }
    }

    pub fn zero_fill(&mut self, object: &Mem, range: ast::Range) {
        if let Some((scalar, count)) = scalars(&object.ty)
            && count > MOST_SEPARATE
        {
            let zero = self.arena.int(0, Scalar::I32);
            let value = self.arena.cast(zero, scalar);
            let (size, path) = (u64::from(scalar.size()), object.path());
            self.counted_loop(count, range, &mut |this, at| {
                let pointer = this.arena.element(object.pointer, at, size, false);
                this.emit_store(object, pointer, Value::Scalar(value), scalar, path, range);
            });
            return;
        }
        let leaves = object.ty.leaves();
        if leaves.is_empty() || leaves.len() > MAX_ELEMENTS {
            self.make_unknown(
                Vec::new(),
                vec![object.pointer],
                "a large object set to zero",
                range,
            );
            return;
        }
        let zero = self.arena.int(0, Scalar::I32);
        for (offset, scalar, _) in leaves {
            let value = self.arena.cast(zero, scalar);
            let pointer = self.arena.offset_const(object.pointer, offset);
            self.emit_store(
                object,
                pointer,
                Value::Scalar(value),
                scalar,
                object.path(),
                range,
            );
        }
    }

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
        let places = self.arguments(arguments);
        self.construct_value(ty, &places, range)
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
                    let value = self.read(place.clone(), *at);
                    self.convert(value, ty, range)
                }
                None => self.zero(ty),
            },
            Type::Record(_) | Type::Vector { .. } | Type::Array(..) => {
                let object = self.local("", ty.strip_reference(), None);
                self.construct_into(&object, places, range);
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
                    self.set_lanes(object, &fill);
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
                self.set_lanes(object, &values);
            }
            Type::Array(element, Some(n)) => {
                if matches!(*element, Type::Record(_))
                    && n <= 64
                    && let Some(size) = element.size()
                {
                    for at in 0..n {
                        let pointer = self.arena.offset_const(object.pointer, at * size);
                        let part = object.part(pointer, (*element).clone());
                        self.construct_into(&part, places, range);
                    }
                }
            }
            _ => {
                if let Some((place, at)) = places.first() {
                    let value = self.read(place.clone(), *at);
                    self.write(&LValue::Mem(object.clone()), value, range);
                }
            }
        }
    }

    pub fn construct_record(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) {
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
            if !closer.is_empty() && scope::select_call(names, env, &closer, &[], &types).is_some()
            {
                let name = record.name.clone();
                let reason = format!("which constructor of `{name}` copies is not known");
                self.not_followed(None, Some(object), places, Some(Type::Void), &reason, range);
                return;
            }
        }
        if let [(place, at)] = places
            && let Type::Record(from) = place.ty().strip_reference()
            && super::bases::is_one_of(from, record)
            && !constructors.iter().any(|c| {
                c.function.body.is_some() && super::copies::is_copy_constructor(&c.function)
            })
        {
            let value = self.read(place.clone(), *at);
            if let Val::Object(from) = value {
                let from = self.as_base(from, record);
                self.copy(object, &from, range);
            }
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

    /// By the one of these constructors that the arguments mean.
    fn construct_by(
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
                self.not_followed(None, Some(object), places, Some(Type::Void), &reason, range);
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
        let pointer = self.arena.offset_const(object.pointer, field.offset);
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
                Type::Record(inner) if !name.is_empty() && self.needs_construction(inner, 0) => {
                    self.construct_record(&part, &inner.clone(), &[], range);
                }
                Type::Array(element, Some(n)) if *n <= 64 => {
                    if let Type::Record(inner) = &**element
                        && self.needs_construction(inner, 0)
                    {
                        self.construct_into(&part, &[], range);
                    } else if zero {
                        self.zero_fill(&part, range);
                    }
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
        self.constructors(record)
            .iter()
            .any(|c| c.function.body.is_some())
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
            || record.fields.iter().any(|field| match &field.ty {
                Type::Record(inner) => self.needs_construction(inner, depth + 1),
                _ => false,
            })
    }

    pub fn initialise_from(&mut self, part: &Mem, init: &ast::Initialiser, range: ast::Range) {
        match init {
            ast::Initialiser::Equals(e) | ast::Initialiser::Brace(e) => {
                self.initialise_field(part, e)
            }
            ast::Initialiser::Paren(arguments) => {
                if let (Type::Reference(_), [one]) = (&part.ty, arguments.as_slice()) {
                    self.initialise_field(part, one);
                    return;
                }
                let places = self.arguments(arguments);
                self.construct_into(part, &places, range);
            }
        }
    }

    /// A value as one of type `to`.
    pub fn convert(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        if !self.enter() {
            return self.too_deep();
        }
        let value = self.convert_inner(value, to, range);
        self.leave();
        value
    }

    /// A value as one of type `to` where a cast says so: explicit constructors take part.
    pub fn cast_to(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        let is_special = matches!(value, Val::SpecialValue(_) | Val::Void);
        let is_same = value.ty() == *to || value.ty().is_unknown();
        let is_relative = matches!((&value.ty(), to), (Type::Record(from), Type::Record(base))
            if base_offset(from, base, 0).is_some());
        match to {
            Type::Record(record)
                if !is_special
                    && !is_same
                    && !is_relative
                    && self.has_explicit_constructors(record) =>
            {
                let places = [(LValue::Val(value), range)];
                self.construct_value(to, &places, range)
            }
            _ => self.convert(value, to, range),
        }
    }

    pub fn has_explicit_constructors(&self, record: &Arc<RecordType>) -> bool {
        self.constructors(record).iter().any(is_explicit)
    }

    /// Constructs in place where nobody wrote the class: explicit constructors take no part.
    pub fn construct_implicitly(
        &mut self,
        object: &Mem,
        record: &Arc<RecordType>,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) {
        let is_copy = matches!(places, [(place, _)] if matches!(place.ty().strip_reference(),
            Type::Record(from) if super::bases::is_one_of(from, record)));
        let mut constructors = self.constructors(record);
        if is_copy || !constructors.iter().any(is_explicit) {
            return self.construct_record(object, record, places, range);
        }
        constructors.retain(|callee| !is_explicit(callee));
        self.construct_by(object, record, &constructors, places, range);
    }

    /// An object of a class that a value turns into where nobody wrote so: explicit constructors take no
    /// part.
    fn converted_object(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        let places = [(LValue::Val(value), range)];
        let Type::Record(record) = to else {
            return self.construct_value(to, &places, range);
        };
        if !self.has_explicit_constructors(record) {
            return self.construct_value(to, &places, range);
        }
        let object = self.local("", to, None);
        self.construct_implicitly(&object, record, &places, range);
        if self.needs_destruction(&object.ty, 0) {
            let reason = format!("when a temporary `{}` ends is not known", object.ty);
            self.forget_locals(&reason, range);
        }
        Val::Object(object)
    }

    fn convert_inner(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        if let Val::SpecialValue(SpecialValue::List(items)) = &value
            && !matches!(to, Type::Reference(_) | Type::Void)
        {
            return self.list_as(items, to, range);
        }
        match to {
            Type::Reference(to) => self.convert(value, to, range),
            Type::Void => Val::Void,
            Type::Scalar(scalar, _) => match value {
                Val::SpecialValue(special @ SpecialValue::Group(_)) => Val::SpecialValue(special),
                value => {
                    let id = self.scalar_of(value, *scalar, range);
                    Val::Scalar {
                        id,
                        ty: to.clone(),
                        volatile: false,
                    }
                }
            },
            Type::Pointer(_) => {
                let volatile = matches!(&value, Val::Scalar { volatile: true, .. });
                let value = match value {
                    Val::Object(mem) if matches!(mem.ty, Type::Array(..)) => Val::Scalar {
                        id: mem.pointer,
                        ty: to.clone(),
                        volatile: mem.volatile,
                    },
                    other => other,
                };
                let value = self.adjust_base(value, to);
                let id = self.scalar_of(value, Scalar::Pointer, range);
                Val::Scalar {
                    id,
                    ty: to.clone(),
                    volatile,
                }
            }
            Type::Vector { .. } | Type::Record(_) => match value {
                Val::Object(mem) if mem.ty == *to => Val::Object(mem),
                Val::Object(mem) => {
                    if let (Type::Record(from), Type::Record(base)) = (&mem.ty, to)
                        && let Some(offset) = base_offset(from, base, 0)
                    {
                        let pointer = self.arena.offset_const(mem.pointer, offset);
                        return Val::Object(mem.part(pointer, to.clone()));
                    }
                    if let Some(result) = self.conversion_operator(&mem, to, range) {
                        return result;
                    }
                    let can_construct =
                        matches!(to, Type::Record(record) if !self.constructors(record).is_empty());
                    if !can_construct {
                        let reason = format!("a conversion from `{}` to `{to}`", mem.ty);
                        return self.unknown_val(&reason, to.clone());
                    }
                    self.converted_object(Val::Object(mem), to, range)
                }
                Val::Scalar { ref ty, .. } if ty.is_unknown() => {
                    let Type::Unknown(reason) = ty.clone() else {
                        return value;
                    };
                    self.unknown_val(&reason, to.clone())
                }
                Val::SpecialValue(special) => Val::SpecialValue(special),
                Val::Void => self.unknown_val("a value that is not known", to.clone()),
                value => self.converted_object(value, to, range),
            },
            Type::Unknown(_) => match value {
                Val::Scalar { id, ty, .. } if !ty.is_unknown() => {
                    self.unknown_from(&[id], to.clone())
                }
                value => value,
            },
            Type::Qualified(of) => self.convert(value, of, range),
            Type::Array(..) | Type::Opaque(_) | Type::Function => value,
        }
    }

    /// A pointer to an object as one to what a relative of its class says.
    fn adjust_base(&mut self, value: Val, to: &Type) -> Val {
        if let (
            Val::Scalar {
                id,
                ty: Type::Pointer(from),
                volatile,
            },
            Type::Pointer(base),
        ) = (&value, to)
            && let (Type::Record(from), Type::Record(base)) = (&**from, &**base)
            && let Some(id) = self.moved_to(*id, from, base)
        {
            return Val::Scalar {
                id,
                ty: to.clone(),
                volatile: *volatile,
            };
        }
        value
    }

    /// Conversion functions of a class, `operator T()`, with their types and whether they are explicit.
    fn conversions(&mut self, mem: &Mem) -> Vec<(Callee, Type, bool)> {
        let Type::Record(record) = &mem.ty else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut records = vec![record.clone()];
        let mut found = Vec::new();
        while let Some(record) = records.pop() {
            for member in &record.record.members {
                if let ast::Member::Function(function) = member
                    && function.kind == FunctionKind::Conversion
                    && function.templates.is_empty()
                {
                    let declared = Callee {
                        function: function.clone(),
                        env: scope::Env::inside(&record),
                    };
                    let names = &self.unit.names;
                    let callee = match &function.body {
                        Some(_) => declared,
                        None => names
                            .definition_of_member(&record, function)
                            .unwrap_or(declared),
                    };
                    let ty = scope::result_type(names, &callee.env, &callee.function);
                    found.push((callee, ty, function.attributes.is_explicit));
                }
            }
            // What a class converts to hides the same of its bases.
            found.retain(|(_, ty, _)| !out.iter().any(|(_, own, _)| own == ty));
            out.append(&mut found);
            records.extend(record.bases.iter().map(|(_, base)| base.clone()));
        }
        out
    }

    fn conversion_operator(&mut self, mem: &Mem, to: &Type, range: ast::Range) -> Option<Val> {
        let callee = the_only(self.conversions(mem), |ty| ty.strip_reference() == to)?;
        let env = callee.env.clone();
        let place = self.inline(&callee, env, Some(mem.clone()), &[], "operator", range);
        Some(self.read(place, range))
    }

    /// What an object's conversion to a reference names, where one to `target` is bound to it.
    pub fn as_reference(
        &mut self,
        place: &LValue,
        target: &Type,
        range: ast::Range,
    ) -> Option<LValue> {
        let (LValue::Mem(mem) | LValue::Val(Val::Object(mem))) = place else {
            return None;
        };
        if !matches!(mem.ty, Type::Record(_)) || mem.ty == *target || target.is_unknown() {
            return None;
        }
        self.referent(&mem.clone(), Some(target), range)
    }

    /// What a conversion to a reference gives: a place of type `wanted`, of any number where none is asked
    /// for; anywhere where several fit. `None` where there is none.
    pub fn referent(
        &mut self,
        mem: &Mem,
        wanted: Option<&Type>,
        range: ast::Range,
    ) -> Option<LValue> {
        let fits = |ty: &Type| match (ty, wanted) {
            (Type::Reference(to), Some(wanted)) => **to == *wanted,
            (Type::Reference(to), None) => to.scalar().is_some() && !to.qualifiers.is_const,
            _ => false,
        };
        let all = self.conversions(mem).into_iter();
        let fitting = all.filter(|(_, ty, _)| fits(ty)).collect::<Vec<_>>();
        let ty = fitting.first()?.1.strip_reference().clone();
        // Of `operator int &()` and `operator const int &() const` the object decides.
        let callees = fitting.into_iter().map(|(callee, ..)| callee).collect();
        let mut own = self.of_object(callees, mem.is_const, Some(true));
        if mem.is_const == Some(false) && own.iter().any(|c| !c.function.attributes.is_const) {
            own.retain(|c| !c.function.attributes.is_const);
        }
        if let [callee] = &own[..] {
            let env = callee.env.clone();
            return Some(self.inline(callee, env, Some(mem.clone()), &[], "operator", range));
        }
        // A part of the object, or anything else.
        let reason = format!("which conversion of `{}` is meant is not known", mem.ty);
        let either = self.arena.unknown(&reason, Vec::new(), true, Scalar::Bool);
        let elsewhere = self
            .arena
            .unknown(&reason, Vec::new(), true, Scalar::Pointer);
        let within = self.somewhere_in(mem.pointer, Vec::new(), &reason);
        let pointer = self
            .arena
            .select(either, within, elsewhere, Scalar::Pointer);
        Some(LValue::Mem(mem.part(pointer, ty)))
    }

    pub fn convert_to_pointer(&mut self, place: LValue, range: ast::Range) -> Option<Val> {
        let (LValue::Mem(mem) | LValue::Val(Val::Object(mem))) = place else {
            return None;
        };
        let is_pointer =
            |ty: &Type| matches!(ty.strip_reference(), Type::Pointer(_) | Type::Array(..));
        let callee = the_only(self.conversions(&mem), is_pointer)?;
        let env = callee.env.clone();
        let place = self.inline(&callee, env, Some(mem), &[], "operator", range);
        Some(self.read(place, range))
    }

    /// The class as a scalar of the wanted type, by the conversion that fits best.
    pub fn class_to_scalar(&mut self, mem: &Mem, to: Scalar, range: ast::Range) -> Option<ExprId> {
        let all = self.conversions(mem);
        let scalar = |ty: &Type| ty.strip_reference().scalar();
        // Where a condition is asked for, an explicit one takes part as others do.
        let is_for_it = |(_, ty, is_explicit): &(Callee, Type, bool)| {
            scalar(ty) == Some(to) && (!is_explicit || to == Scalar::Bool)
        };
        let callee = if all.iter().any(is_for_it) {
            let exact = all.into_iter().filter(is_for_it);
            the_only(
                exact.map(|(callee, ty, _)| (callee, ty, false)).collect(),
                |_| true,
            )?
        } else if all.iter().any(|(_, ty, _)| scalar(ty) == Some(to)) && all.len() > 1 {
            // The explicit one in a cast, another one where nothing is written.
            return None;
        } else {
            the_only(all, |ty| scalar(ty).is_some())?
        };
        let env = callee.env.clone();
        let place = self.inline(&callee, env, Some(mem.clone()), &[], "operator", range);
        match self.read(place, range) {
            Val::Scalar { id, .. } => Some(self.arena.cast(id, to)),
            _ => None,
        }
    }

    pub fn class_to_any_scalar(&mut self, mem: &Mem, range: ast::Range) -> Option<Val> {
        let callee = the_only(self.conversions(mem), |ty| {
            ty.strip_reference().scalar().is_some()
        })?;
        let env = callee.env.clone();
        let place = self.inline(&callee, env, Some(mem.clone()), &[], "operator", range);
        Some(self.read(place, range))
    }
}

/// Why nothing is known of a type that no file declares.
pub(super) fn undeclared(name: &str) -> Arc<str> {
    Arc::from(format!(
        "the type `{name}` is not declared in the files given"
    ))
}

fn is_explicit(callee: &Callee) -> bool {
    callee.function.attributes.is_explicit
}

/// Type and number of the scalars of an array, of any number of dimensions.
fn scalars(ty: &Type) -> Option<(Scalar, u64)> {
    match ty {
        Type::Array(element, count) => {
            let (scalar, inner) = scalars(element)?;
            Some((scalar, inner.checked_mul((*count)?)?))
        }
        Type::Scalar(scalar, _) => Some((*scalar, 1)),
        _ => None,
    }
}

/// The one conversion that fits; none where several do, whose choice is not followed. An explicit one is
/// meant only where no other fits: then a cast is written.
fn the_only(all: Vec<(Callee, Type, bool)>, fits: impl Fn(&Type) -> bool) -> Option<Callee> {
    let fitting = all.into_iter().filter(|(_, ty, _)| fits(ty));
    let (explicit, plain): (Vec<_>, Vec<_>) = fitting.partition(|(_, _, is_explicit)| *is_explicit);
    let mut taken = if plain.is_empty() { explicit } else { plain };
    // `operator T *()` and `operator const T *() const`, which most classes write alike.
    let is_alike =
        |one: &Callee, other: &Callee| scope::does_the_same(&one.function, &other.function);
    if let Some((first, ..)) = taken.first().cloned()
        && taken.iter().all(|(other, ..)| is_alike(&first, other))
    {
        taken.truncate(1);
    }
    match <[_; 1]>::try_from(taken) {
        Ok([(callee, ..)]) => Some(callee),
        Err(_) => None,
    }
}
