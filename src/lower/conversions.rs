//! Conversions between classes, pointers and scalars: constructors, conversion functions, bases.
//!
//! Given a value and the type that is wanted; gives the value of that type as C++ converts it, or one that is not
//! known where several conversions fit.

use super::base_classes::base_offset;
use super::call::ArgumentLValue;
use super::context::Lower;
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val};
use crate::ir::{ExprId, Scalar};
use crate::sema::scope::{self, Callee};
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, FunctionKind};
use std::sync::Arc;

/// Why nothing is known of an array that is taken for one of another length: no compiler lets that pass.
pub(super) const OTHER_LENGTH: &str = "an array of another length";

/// Whether one is an array, or points to one, and the other the same of a length that differs.
pub(super) fn is_another_array(from: &Type, to: &Type) -> bool {
    fn differ(a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Array(a, n), Type::Array(b, m)) => {
                matches!((n, m), (Some(n), Some(m)) if n != m) || differ(a, b)
            }
            _ => false,
        }
    }
    match (from, to) {
        (Type::Pointer(a) | Type::Array(a, _), Type::Pointer(b)) => differ(a, b),
        (from, to) => differ(from, to),
    }
}

impl Lower<'_> {
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
        let is_special =
            matches!(value, Val::SpecialValue(_) | Val::Void) && !value.is_taken_by(to);
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
            Type::Pointer(_) => {
                // A pointer to anything.
                let value = match value {
                    Val::Scalar { id, ty, volatile } if is_another_array(&ty, to) => Val::Scalar {
                        id,
                        ty: to.clone(),
                        volatile,
                    },
                    Val::Object(mem) if is_another_array(&mem.ty, to) => Val::Scalar {
                        id: mem.pointer,
                        ty: to.clone(),
                        volatile: mem.volatile,
                    },
                    value => value,
                };
                self.convert(value, to, range)
            }
            _ => self.convert(value, to, range),
        }
    }

    /// What stands at `place` as a value of type `to`: a constructor or a conversion that makes it reads, and
    /// may write, what it is given.
    pub fn convert_place(&mut self, place: LValue, to: &Type, range: ast::Range) -> Val {
        if !self.is_made_of(&place, to) {
            let own = place.ty();
            let value = if own == *to.strip_reference() {
                self.read(place, range)
            } else {
                self.in_place(place, range)
            };
            return self.convert(value, to, range);
        }
        let to = to.strip_reference();
        if self.converting.contains(to) {
            // What a constructor takes is converted by no constructor: none fits.
            let reason = format!("no constructor makes a `{to}` of a `{}`", place.ty());
            let result = Some(to.clone());
            let place = self.not_followed(&[], None, &[(place, range)], result, &reason, range);
            return self.read(place, range);
        }
        self.converting.push(to.clone());
        let value = self.made_of(place, to, range);
        self.converting.pop();
        value
    }

    /// An object of class `to`, made by a conversion of what stands at `place` or by a constructor.
    fn made_of(&mut self, place: LValue, to: &Type, range: ast::Range) -> Val {
        if let LValue::Mem(mem) | LValue::Val(Val::Object(mem)) = &place
            && let Some(result) = self.conversion_operator(&mem.clone(), to, range)
        {
            return result;
        }
        self.converted_object(place, to, range)
    }

    /// The same where a cast says so: explicit constructors take part.
    pub fn cast_place_to(&mut self, place: LValue, to: &Type, range: ast::Range) -> Val {
        match to {
            Type::Record(record)
                if self.is_made_of(&place, to) && self.has_explicit_constructors(record) =>
            {
                self.construct_value(to, &[(place, range)], range)
            }
            _ if self.is_made_of(&place, to) => self.convert_place(place, to, range),
            _ => {
                let value = if place.ty() == *to {
                    self.read(place, range)
                } else {
                    self.in_place(place, range)
                };
                self.cast_to(value, to, range)
            }
        }
    }

    /// Whether a value of class `to` is made of what stands at `place` by a constructor, or a conversion of
    /// its class.
    fn is_made_of(&self, place: &LValue, to: &Type) -> bool {
        let Type::Record(record) = to.strip_reference() else {
            return false;
        };
        let own = place.ty();
        let own = own.strip_reference();
        let is_relative = matches!(own, Type::Record(from)
            if from.identity == record.identity || base_offset(from, record, 0).is_some());
        let is_value = match place {
            LValue::Val(value) => matches!(value, Val::Scalar { .. } | Val::Object(_)),
            _ => true,
        };
        is_value
            && !own.is_unknown()
            && own != to.strip_reference()
            && !is_relative
            && !self.constructors(record).is_empty()
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
            Type::Record(from) if super::base_classes::is_one_of(from, record)));
        let mut constructors = self.constructors(record);
        // What is no object of the class is not turned into one for a copy constructor: a conversion takes
        // no other conversion of the user's along.
        let copies = |c: &Callee| self.is_copy_constructor(c, record);
        let is_one = |c: &Callee| is_explicit(c) || copies(c);
        if is_copy || !constructors.iter().any(is_one) {
            return self.construct_record(object, record, places, range);
        }
        constructors.retain(|callee| !is_one(callee));
        self.construct_by(object, record, &constructors, places, range);
    }

    /// An object of a class that a value turns into where nobody wrote so: explicit constructors take no
    /// part.
    fn converted_object(&mut self, place: LValue, to: &Type, range: ast::Range) -> Val {
        let places = [(place, range)];
        let Type::Record(record) = to else {
            return self.construct_value(to, &places, range);
        };
        let copies = |c: &Callee| self.is_copy_constructor(c, record);
        if !self
            .constructors(record)
            .iter()
            .any(|c| is_explicit(c) || copies(c))
        {
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

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn convert_inner(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        if let Val::SpecialValue(SpecialValue::List(items)) = &value
            && !matches!(to, Type::Reference(_) | Type::Void)
        {
            return self.list_as(items, to, range);
        }
        if value.is_taken_by(to) {
            return self.made_of_callable(value, to, range);
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
            Type::Pointer(function)
                if **function == Type::Function
                    && matches!(value, Val::SpecialValue(SpecialValue::Function(..))) =>
            {
                value
            }
            Type::Pointer(_) if is_another_array(&value.ty(), to) => {
                self.unknown_val(OTHER_LENGTH, to.clone())
            }
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
                // `dim3(uint3)` and `dim3::operator uint3()` hand over the three numbers.
                Val::Object(mem) if is_of_three(&mem.ty) && is_of_three(to) => {
                    let pointer = mem.pointer;
                    Val::Object(mem.part(pointer, to.clone()))
                }
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
                    self.converted_object(LValue::Val(Val::Object(mem)), to, range)
                }
                Val::Scalar { ref ty, .. } if ty.is_unknown() => {
                    let Type::Unknown(reason) = ty.clone() else {
                        return value;
                    };
                    self.unknown_val(&reason, to.clone())
                }
                Val::SpecialValue(special) => Val::SpecialValue(special),
                Val::Void => self.unknown_val("a value that is not known", to.clone()),
                value => self.converted_object(LValue::Val(value), to, range),
            },
            // What a type that nobody declares makes of a number is not known.
            Type::Unknown(_) | Type::Opaque(_) => match value {
                Val::Scalar { id, ty, .. } if !ty.is_unknown() && ty != *to => {
                    self.unknown_from(&[id], to.clone())
                }
                value => value,
            },
            Type::Qualified(of) => self.convert(value, of, range),
            Type::Array(..) | Type::Function => value,
        }
    }

    /// An object of a class that a lambda or a function turns into.
    fn made_of_callable(&mut self, value: Val, to: &Type, range: ast::Range) -> Val {
        match to {
            Type::Record(record) if !self.constructors(record).is_empty() => {
                self.converted_object(LValue::Val(value), to, range)
            }
            _ => {
                let reason = format!("what a `{to}` makes of a function that it is given");
                self.keep_places(&[(LValue::Val(value), range)], &reason, range);
                match to {
                    Type::Opaque(_) => Val::SpecialValue(SpecialValue::Opaque(to.clone())),
                    _ => self.unknown_val(&reason, to.clone()),
                }
            }
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

    /// What a conversion function gives of an object: it sees the part of the object that its class is.
    fn converted_by(&mut self, callee: &Callee, mem: &Mem, range: ast::Range) -> LValue {
        let this = match &callee.env.record {
            Some(class) => self.as_base(mem.clone(), class),
            None => mem.clone(),
        };
        let env = callee.env.clone();
        self.inline(callee, env, Some(this), &[], "operator", range)
    }

    fn conversion_operator(&mut self, mem: &Mem, to: &Type, range: ast::Range) -> Option<Val> {
        let callee = the_only(self.conversions(mem), |ty| ty.strip_reference() == to)?;
        let place = self.converted_by(&callee, mem, range);
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
            return Some(self.converted_by(callee, mem, range));
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
        let place = self.converted_by(&callee, &mem, range);
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
        if !all.iter().any(is_for_it)
            && let Some(id) = self.by_template(mem, to, range)
        {
            return Some(id);
        }
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
        let place = self.converted_by(&callee, mem, range);
        match self.read(place, range) {
            Val::Scalar { id, .. } => Some(self.arena.cast(id, to)),
            _ => None,
        }
    }

    /// The class as a scalar by `template <class T> operator T()`; nothing where it has no template of
    /// conversions.
    fn by_template(&mut self, mem: &Mem, to: Scalar, range: ast::Range) -> Option<ExprId> {
        let Type::Record(record) = &mem.ty else {
            return None;
        };
        let mut templates = Vec::new();
        let mut classes = vec![record.clone()];
        while let Some(class) = classes.pop() {
            classes.extend(class.bases.iter().map(|(_, base)| base.clone()));
            templates.extend(
                class
                    .record
                    .members
                    .iter()
                    .filter_map(|member| match member {
                        ast::Member::Function(f)
                            if f.kind == FunctionKind::Conversion && !f.templates.is_empty() =>
                        {
                            Some((f.clone(), class.clone()))
                        }
                        _ => None,
                    }),
            );
        }
        if templates.is_empty() {
            return None;
        }
        let wanted = Type::number(to);
        let place = match &templates[..] {
            [(function, class)] if let Some(name) = result_parameter(function) => {
                let mut env = scope::Env::inside(class);
                env.set(name, scope::Binding::Type(wanted));
                let callee = Callee {
                    function: function.clone(),
                    env: env.clone(),
                };
                let this = self.as_base(mem.clone(), class);
                self.inline(&callee, env, Some(this), &[], "operator", range)
            }
            _ => {
                let reason = format!("which conversion of `{}` is meant is not known", mem.ty);
                self.not_followed(&[], Some(mem), &[], Some(wanted), &reason, range)
            }
        };
        let value = self.read(place, range);
        Some(match value {
            Val::Scalar { id, .. } => self.arena.cast(id, to),
            _ => self
                .arena
                .unknown("a conversion that is not followed", Vec::new(), true, to),
        })
    }

    pub fn class_to_any_scalar(&mut self, mem: &Mem, range: ast::Range) -> Option<Val> {
        let callee = the_only(self.conversions(mem), |ty| {
            ty.strip_reference().scalar().is_some()
        })?;
        let place = self.converted_by(&callee, mem, range);
        Some(self.read(place, range))
    }
}

/// `T` of `template <class T> operator T()`, whose body is there.
fn result_parameter(function: &ast::Function) -> Option<ast::Name> {
    let ([head], true) = (&function.templates[..], function.body.is_some()) else {
        return None;
    };
    let [parameter] = &head.parameters[..] else {
        return None;
    };
    let ast::TypeKind::Named(path) = &function.result.kind else {
        return None;
    };
    let is_type = matches!(parameter.kind, ast::TemplateParameterKind::Type { .. });
    let name = parameter.name.clone()?;
    let is_it =
        matches!(&path.segments[..], [only] if only.name == name && only.arguments.is_none());
    (is_type && !parameter.is_pack && is_it).then_some(name)
}

fn is_explicit(callee: &Callee) -> bool {
    callee.function.attributes.is_explicit
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

/// Whether a type is one of the two of which a block's shape is given.
fn is_of_three(ty: &Type) -> bool {
    matches!(ty, Type::Vector { name, .. } if matches!(*name, "dim3" | "uint3"))
}
