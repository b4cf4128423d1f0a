//! Parameters of a function that is inlined: each bound to what its argument names, or a variable of its own.

use super::super::call::ArgumentLValue;
use super::super::context::{Binding, Lower};
use super::super::conversions::{OTHER_LENGTH, is_another_array};
use super::super::declare::has_auto;
use super::super::groups::SpecialValue;
use super::super::values::{LValue, Mem, Val, const_of};
use crate::ir::Scalar;
use crate::sema::scope::{self, Env};
use crate::sema::types::{Target, Type};
use crate::syntax::ast;
use std::sync::Arc;

pub(super) enum Bound {
    /// Beside it whether it may not be written by the parameter's name.
    One(One, Option<bool>),
    Pack(Vec<One>),
    /// No argument was given; the type as far as it is written.
    Default(Option<Type>),
}

pub(in crate::lower) enum One {
    /// Bound to what the argument names.
    LValue(LValue),
    /// A variable of its own.
    Value(Type, Val),
}

impl Lower<'_> {
    /// Arguments as parameters take them, evaluated in the caller.
    pub(super) fn bind_arguments(
        &mut self,
        parameters: &[ast::Parameter],
        env: &Env,
        places: &[ArgumentLValue],
    ) -> Vec<Bound> {
        let mut out = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.is_pack {
                let rest = places.get(at..).unwrap_or(&[]);
                let by_reference = matches!(parameter.ty.kind, ast::TypeKind::Reference { .. });
                let types = self.types_of_pack(parameter, env);
                let rest = rest
                    .iter()
                    .enumerate()
                    .map(|(nth, (place, range))| {
                        let ty = types.get(nth).and_then(Option::as_ref);
                        self.bind_one(ty, by_reference, place, *range)
                    })
                    .collect();
                out.push(Bound::Pack(rest));
                break;
            }
            let by_reference = matches!(parameter.ty.kind, ast::TypeKind::Reference { .. });
            let ty = if has_auto(&parameter.ty) {
                None
            } else {
                let ty = scope::resolve_type(&self.unit.names, env, &parameter.ty);
                // `T` deduced as a reference, `T&&` bound to one.
                Some(ty)
            };
            let by_reference = by_reference || matches!(ty, Some(Type::Reference(_)));
            match places.get(at) {
                Some((place, range)) => {
                    let one = self.bind_one(ty.as_ref(), by_reference, place, *range);
                    let is_const = self.is_const_parameter(parameter, env, ty.as_ref(), place);
                    let one = if crate::lower::expr::is_volatile(&parameter.ty) {
                        volatile(one)
                    } else {
                        one
                    };
                    out.push(Bound::One(one, is_const));
                }
                None => out.push(Bound::Default(ty)),
            }
        }
        out
    }

    /// The types of the elements of `T... t`, whose arguments may have others where they are written in the call.
    fn types_of_pack(&self, parameter: &ast::Parameter, env: &Env) -> Vec<Option<Type>> {
        let ast::TypeKind::Named(path) = &parameter.ty.kind else {
            return Vec::new();
        };
        let Some(name) = path.as_name() else {
            return Vec::new();
        };
        let number = |binding: &scope::Binding| match binding {
            scope::Binding::Type(ty @ Type::Scalar(..)) => Some(ty.clone()),
            _ => None,
        };
        match env.get(name) {
            Some(scope::Binding::Pack(items)) => items.iter().map(number).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether what a parameter names may not be written by its name.
    pub(super) fn is_const_parameter(
        &self,
        parameter: &ast::Parameter,
        env: &Env,
        ty: Option<&Type>,
        argument: &LValue,
    ) -> Option<bool> {
        match (ty, &parameter.ty.kind) {
            (Some(Type::Reference(to)), ast::TypeKind::Reference { to: written, .. }) => {
                if to.qualifiers.is_const || written.is_const {
                    return Some(true);
                }
                // `T &` of a deduced `T`: as the argument is.
                let is_open =
                    to.qualifiers.is_open || !matches!(written.kind, ast::TypeKind::Builtin(_));
                if is_open {
                    argument.is_const()
                } else {
                    Some(false)
                }
            }
            (Some(Type::Reference(to)), _) => const_of(to),
            // `auto &`
            (None, ast::TypeKind::Reference { to, .. }) if to.is_const => Some(true),
            (None, ast::TypeKind::Reference { .. }) => argument.is_const(),
            _ if parameter.ty.is_const => Some(true),
            _ => {
                let written = scope::resolve_qualified(&self.unit.names, env, &parameter.ty);
                const_of(&Target::new(written))
            }
        }
    }

    /// What a parameter of this type takes of an argument, or a reference of what it is bound to.
    pub(in crate::lower) fn bind_one(
        &mut self,
        ty: Option<&Type>,
        by_reference: bool,
        place: &LValue,
        range: ast::Range,
    ) -> One {
        let bound = self.taken(ty, by_reference, place, range);
        if let One::LValue(place) = &bound
            && by_reference
        {
            self.name_temporary(place);
        }
        bound
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn taken(
        &mut self,
        ty: Option<&Type>,
        by_reference: bool,
        place: &LValue,
        range: ast::Range,
    ) -> One {
        if let (LValue::Val(list @ Val::SpecialValue(SpecialValue::List(_))), Some(ty)) =
            (place, ty)
        {
            let ty = ty.strip_reference().clone();
            let value = self.convert(list.clone(), &ty, range);
            return match value {
                Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                value => One::Value(ty, value),
            };
        }
        if let (LValue::Val(callable), Some(ty)) = (place, ty)
            && callable.is_taken_by(ty)
        {
            let ty = ty.strip_reference().clone();
            return match self.convert(callable.clone(), &ty, range) {
                Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                value => One::Value(ty, value),
            };
        }
        if by_reference {
            let wanted = ty.map(|ty| ty.strip_reference().clone());
            if let Some(wanted) = &wanted
                && let Some(found) = self.as_reference(place, wanted, range)
            {
                return One::LValue(self.pin(found));
            }
            return match (place, wanted) {
                (LValue::Val(Val::SpecialValue(_)), _) => One::LValue(place.clone()),
                (_, Some(wanted)) if is_another_array(&place.ty(), &wanted) => {
                    let value = self.unknown_val(OTHER_LENGTH, wanted.clone());
                    One::Value(wanted, value)
                }
                (LValue::Val(value), wanted) => {
                    let ty = wanted.unwrap_or_else(|| value.ty());
                    let value = self.convert(value.clone(), &ty, range);
                    match value {
                        Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                        value => One::Value(ty, value),
                    }
                }
                (LValue::Var { ty: own, .. }, Some(wanted))
                    if *own != wanted && !wanted.is_unknown() && !own.is_unknown() =>
                {
                    match self.convert_place(place.clone(), &wanted, range) {
                        Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                        value => {
                            let value = self.convert(value, &wanted, range);
                            One::Value(wanted, value)
                        }
                    }
                }
                // `const int &` of what converts to an `int`, `const W &` of what a `W` is made of.
                (LValue::Mem(mem), Some(wanted)) if self.is_converted(&mem.ty, &wanted) => {
                    match self.convert_place(place.clone(), &wanted, range) {
                        Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                        value => One::Value(wanted, value),
                    }
                }
                (LValue::Mem(mem), Some(wanted)) => {
                    let mut mem = mem.clone();
                    if let (Type::Record(own), Type::Record(base)) = (&mem.ty, &wanted)
                        && mem.ty != wanted
                    {
                        if let Some(offset) = crate::lower::base_classes::base_offset(own, base, 0)
                        {
                            let pointer = self.arena.offset_const(mem.pointer, offset);
                            mem = mem.part(pointer, wanted);
                        }
                    } else if mem.ty != wanted
                        && mem.ty.scalar().is_some()
                        && wanted.scalar().is_some()
                        && mem.ty.scalar() != wanted.scalar()
                    {
                        let value = self.read(LValue::Mem(mem), range);
                        return One::Value(wanted.clone(), self.convert(value, &wanted, range));
                    } else if mem.ty != wanted
                        && matches!(wanted, Type::Record(_) | Type::Vector { .. })
                    {
                        let value = self.in_place(LValue::Mem(mem), range);
                        return match self.convert(value, &wanted, range) {
                            Val::Object(mem) => One::LValue(LValue::Mem(mem)),
                            value => One::Value(wanted, value),
                        };
                    }
                    One::LValue(self.pin(LValue::Mem(mem)))
                }
                (place, _) => One::LValue(self.pin(place.clone())),
            };
        }
        if self.written_by_another.contains(&range) {
            let ty = ty.map_or_else(|| place.ty().decay(), Type::decay);
            let value = self.argument_in_any_order(ty.clone());
            return One::Value(ty, value);
        }
        if let Some(ty) = ty.filter(|ty| self.is_converted(&place.ty(), ty)) {
            let value = self.convert_place(place.clone(), ty, range);
            return One::Value(ty.clone(), value);
        }
        // A class's own copy constructor reads what it needs.
        if let (LValue::Mem(mem), Some(wanted @ Type::Record(class))) = (place, ty)
            && mem.ty == *wanted
            && self.has_copy_constructor(class)
        {
            let value = self.construct_value(wanted, &[(place.clone(), range)], range);
            return One::Value(wanted.clone(), value);
        }
        let value = self.read(place.clone(), range);
        let value = self.unless_any_is_assigned(value);
        if let Val::SpecialValue(SpecialValue::Closure(closure)) = &value {
            return One::LValue(LValue::Val(self.copied_closure(closure, range)));
        }
        if matches!(value, Val::SpecialValue(_)) {
            return One::LValue(LValue::Val(value));
        }
        let ty = ty.map_or_else(|| value.ty().decay(), Type::decay);
        let value = self.convert(value, &ty, range);
        One::Value(ty, value)
    }

    /// Whether a value of one type is made of another by a class of either.
    pub(super) fn is_converted(&self, from: &Type, to: &Type) -> bool {
        let (from, to) = (from.strip_reference(), to.strip_reference());
        let is_relative = matches!((from, to), (Type::Record(from), Type::Record(base))
            if crate::lower::base_classes::base_offset(from, base, 0).is_some());
        from != to
            && !from.is_unknown()
            && !is_relative
            && match (from, to) {
                (Type::Record(_), to) => matches!(
                    to,
                    Type::Scalar(..) | Type::Pointer(_) | Type::Record(_) | Type::Vector { .. }
                ),
                (Type::Scalar(..) | Type::Pointer(_) | Type::Vector { .. }, Type::Record(_)) => {
                    true
                }
                _ => false,
            }
    }

    pub(super) fn declare_parameters<'e>(
        &mut self,
        parameters: &[ast::Parameter],
        bound: Vec<Bound>,
        default: impl Fn(usize) -> Option<&'e ast::Expr>,
    ) {
        for (at, (parameter, bound)) in parameters.iter().zip(bound).enumerate() {
            let Some(name) = &parameter.name else {
                continue;
            };
            match bound {
                Bound::One(one, is_const) => {
                    let is_value = matches!(one, One::Value(..));
                    self.declare_one(name, parameter.range, one);
                    self.note_reference(name, parameter, is_value);
                    if let Some(Binding::LValue(place)) = self.lookup(name) {
                        let is_reference =
                            matches!(parameter.ty.kind, ast::TypeKind::Reference { .. });
                        if let LValue::Mem(mem) = &place
                            && is_value
                            && !is_reference
                        {
                            self.frame.returns.owned.push(mem.pointer);
                        }
                        self.bind(name, Binding::LValue(place.named(is_const)));
                    }
                    self.note_const(name, &parameter.ty);
                }
                Bound::Default(ty) => {
                    let Some(default) = default(at) else {
                        let reason = format!("no argument for `{name}`");
                        let ty = ty.unwrap_or_else(|| Type::unknown(reason.clone()));
                        let value = self.unknown_val(&reason, ty.strip_reference().clone());
                        self.bind(name, Binding::LValue(LValue::Val(value)));
                        continue;
                    };
                    let ty = ty.unwrap_or_else(|| Type::number(Scalar::I32));
                    // `F &&f = [](int x) { … }`: a pointer to a function calls the lambda that it is made of.
                    if matches!(default.kind, ast::ExprKind::Lambda(_)) && points_to_function(&ty) {
                        let value = self.value(default);
                        self.bind(name, Binding::LValue(LValue::Val(value)));
                        continue;
                    }
                    let value = self.initialised(&ty, default);
                    self.declare_named(name, Some(parameter.range), ty.strip_reference(), value);
                }
                Bound::Pack(list) => {
                    let mut items = Vec::new();
                    for (at, one) in list.into_iter().enumerate() {
                        let element: ast::Name = Arc::from(format!("{name}#{at}"));
                        self.declare_one(&element, parameter.range, one);
                        items.extend(self.lookup(&element));
                    }
                    self.bind(name, Binding::Pack(items));
                }
            }
        }
    }

    /// Notes that a parameter is a reference, for `decltype`: of `auto &&` what it is bound to tells.
    pub(super) fn note_reference(
        &mut self,
        name: &ast::Name,
        parameter: &ast::Parameter,
        is_value: bool,
    ) {
        let Some(to) = self.reference_in(&parameter.ty) else {
            return;
        };
        let to = match self.frame.env.get(name) {
            Some(scope::Binding::Variable(own)) if to.is_unknown() => {
                let is_rvalue = to.is_rvalue && is_value;
                Target::open(own.strip_reference().clone()).referred(is_rvalue)
            }
            _ => to,
        };
        let ty = scope::Binding::Variable(Type::Reference(to));
        self.frame.env.set(name.clone(), ty);
    }

    pub(super) fn declare_one(&mut self, name: &ast::Name, range: ast::Range, one: One) {
        match one {
            One::LValue(place) => {
                self.frame
                    .env
                    .set(name.clone(), scope::Binding::Variable(place.ty()));
                self.bind(name, Binding::LValue(place));
            }
            One::Value(ty, value) => self.declare_named(name, Some(range), &ty, value),
        }
    }
}

pub(super) fn volatile(one: One) -> One {
    match one {
        One::Value(ty, Val::Scalar { id, ty: own, .. }) => One::Value(
            ty,
            Val::Scalar {
                id,
                ty: own,
                volatile: true,
            },
        ),
        One::LValue(LValue::Mem(mem)) => One::LValue(LValue::Mem(Mem {
            volatile: true,
            ..mem
        })),
        other => other,
    }
}

fn points_to_function(ty: &Type) -> bool {
    matches!(ty.strip_reference(), Type::Pointer(to) if matches!(**to, Type::Function))
}
