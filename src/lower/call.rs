//! Calls: which function is meant.
//!
//! Given a callee and arguments, gives what the call names or its value. Bodies go
//! in place of calls in `inline`; built-in functions are in `intrinsics`, groups of
//! lanes in `groups`.

mod arguments;
mod functors;
mod opaque;
mod operator;

use super::context::{Binding, Lower};
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::Scalar;
use crate::sema::consteval::Value;
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::{Target, Type};
use crate::syntax::ast::{self, ExprKind};

/// An argument as what it names, with its text.
pub(super) type ArgumentLValue = (LValue, ast::Range);

/// `a::b::c` as written, without template arguments.
pub(super) fn path_text(path: &ast::Path) -> String {
    scope::display_path(path)
}

/// The type that a path may name.
pub(super) fn named_type(path: &ast::Path) -> ast::TypeExpr {
    ast::TypeExpr {
        kind: ast::TypeKind::Named(path.clone()),
        is_const: false,
        is_volatile: false,
        range: path.range,
    }
}

impl Lower<'_> {
    /// A string as the array that it is.
    pub fn string(&mut self, e: &ast::Expr) -> Mem {
        let pointer = self
            .arena
            .unknown("a string", Vec::new(), false, Scalar::Pointer);
        Mem {
            pointer,
            ty: scope::type_of(&self.unit.names, &self.frame.env, e),
            array: "".into(),
            volatile: false,
            is_const: Some(true),
            bits: None,
            packed: None,
            is_temporary: Some(false),
        }
    }

    /// Whether a path names a variable, rather than an enumerator or a template's own value.
    fn names_variable(&self, path: &ast::Path) -> bool {
        let (names, env) = (&self.unit.names, &self.frame.env);
        let local = match &path.segments[..] {
            [only] => Some(&only.name),
            _ => None,
        };
        if local.is_some_and(|name| self.lookup(name).is_some()) {
            return true;
        }
        local.is_none_or(|name| env.get(name).is_none())
            && !names.is_enumerator(env, path)
            && names.functions(env, path).is_empty()
    }

    pub fn call(&mut self, callee: &ast::Expr, list: &[ast::Expr], e: &ast::Expr) -> LValue {
        match &callee.kind {
            ExprKind::Path(path) => {
                let is_associated = !callee.is_name_in_parentheses();
                self.call_path(path, is_associated, list, e)
            }
            ExprKind::Member {
                object,
                arrow,
                member,
            } => self.call_member(object, *arrow, member, list, e),
            ExprKind::Cast { ty, value, .. }
                if let ExprKind::Other(how @ (ast::NEW_IN_PLACE | ast::NEW_VALUE_IN_PLACE)) =
                    value.kind
                    && let Some((place, given)) = list.split_first() =>
            {
                let has_value = how == ast::NEW_VALUE_IN_PLACE;
                self.made_in_place(ty, place, (given, has_value), e.range)
            }
            _ => {
                let function = self.operand_place(callee, false);
                let places = self.arguments_of_value(&function, list);
                self.call_value(function, &places, e)
            }
        }
    }

    /// A call by name; where it `is_associated`, functions of the arguments' namespaces take part.
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn call_path(
        &mut self,
        path: &ast::Path,
        is_associated: bool,
        list: &[ast::Expr],
        e: &ast::Expr,
    ) -> LValue {
        let Some(last) = path.segments.last() else {
            return LValue::Val(Val::Void);
        };
        let name = last.name.clone();
        let is_symbol = !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '~');
        if is_symbol {
            return self.call_operator(path, &name, list, e);
        }
        if super::intrinsics::is_ignored(&name) && !self.hides_builtin(path) {
            self.stops.asm += u32::from(super::intrinsics::ends_block(&name));
            if super::intrinsics::evaluates_only(&name) {
                for argument in list {
                    self.value(argument);
                }
            }
            return LValue::Val(scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32));
        }
        let is_plain = path.segments.len() == 1 && !path.is_global;
        if self
            .unit
            .names
            .is_of_unknown_namespace(&self.frame.env, path)
        {
            let places = self.arguments(list);
            return self.opaque_call(&path_text(path), &places, None, e.range);
        }
        if is_plain {
            if let Some(Binding::LValue(place)) = self.lookup(&name) {
                let places = self.arguments_of_value(&place, list);
                return self.call_value(place, &places, e);
            }
            if let Some(this) = self.frame.this.clone()
                && let Type::Record(record) = &this.ty
                && let Some(field) = self.unit.names.own_field(record, &name)
            {
                let place = self.field_place(this, &field, &name);
                let places = self.arguments_of_value(&place, list);
                return self.call_value(place, &places, e);
            }
        }
        if is_plain && self.unit.names.is_variable_around(&self.frame.env, path) {
            let object = ast::Expr {
                kind: ExprKind::Path(path.clone()),
                range: path.range,
            };
            let place = self.operand_place(&object, false);
            let places = self.arguments_of_value(&place, list);
            return self.call_value(place, &places, e);
        }
        let named = match self.frame.env.get(&name) {
            Some(scope::Binding::Value(Value::Function(f), _)) if is_plain => Some(f.clone()),
            _ => None,
        };
        if let Some(f) = named.as_ref().filter(|f| !f.is_declared) {
            let places = self.arguments_for(list, &f.candidates);
            let called = (f.candidates.clone(), f.explicit.as_deref(), &f.env);
            return self.call_function_value(path, called, &places, e);
        }
        let mut candidates = match named {
            Some(f) => f.candidates.clone(),
            None => self.unit.names.functions(&self.frame.env, path),
        };
        if let Some(this) = &self.frame.this {
            candidates = self.of_object(candidates, this.is_const, Some(true));
        }
        let places = if candidates.is_empty() && super::intrinsics::takes_values(&name) {
            self.arguments_by_value(list)
        } else if candidates.is_empty() {
            let ty = self.resolve(&named_type(path));
            self.arguments_of_class(&ty, list)
        } else {
            self.arguments_for(list, &candidates)
        };
        if is_plain && is_associated {
            let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
            let names = &self.unit.names;
            names.add_associated(&self.frame.env, &mut candidates, &name, &types);
        }
        let is_builtin = super::intrinsics::comes_first(&name) && !self.hides_builtin(path);
        if is_builtin && let Some((callee, env)) = self.own_atomic(&name, &candidates, &places) {
            return self.inline(&callee, env, None, &places, &path_text(path), e.range);
        }
        if is_builtin && let Some(result) = self.intrinsic(path, &places, list, e) {
            return result;
        }
        if self.none_suits(path, &candidates, &places)
            && let Some(result) = self.intrinsic(path, &places, list, e)
        {
            return result;
        }
        if !candidates.is_empty() {
            match self.choose(&candidates, last.arguments.as_deref(), &places) {
                Some((callee, env)) if callee.function.body.is_some() => {
                    let this = self.this_for(&callee);
                    if let (true, Some(this)) = (is_plain, &this)
                        && let Type::Record(record) = &this.ty
                        && self.is_virtual(record, &name)
                        && !callee.function.attributes.is_static
                    {
                        let call = (false, Some(true));
                        return self.call_method(this.clone(), last, call, &places, e);
                    }
                    return self.inline(&callee, env, this, &places, &path_text(path), e.range);
                }
                chosen => {
                    if let Some(result) = self.intrinsic(path, &places, list, e) {
                        return result;
                    }
                    let name = path_text(path);
                    let this = self.own_object(&candidates);
                    return match chosen {
                        Some((callee, env)) => {
                            let called = (&callee, &env);
                            self.undefined(&name, called, this.as_ref(), &places, e.range)
                        }
                        None => {
                            let is_explicit = last.arguments.is_some();
                            let of = (0, this.as_ref());
                            self.undecided_call(
                                &name,
                                &candidates,
                                is_explicit,
                                of,
                                &places,
                                e.range,
                            )
                        }
                    };
                }
            }
        }
        if let Some(result) = self.construct_named(path, &places, e) {
            return result;
        }
        if !is_builtin && let Some(result) = self.intrinsic(path, &places, list, e) {
            return result;
        }
        self.opaque_call(&path_text(path), &places, None, e.range)
    }

    /// Whether a path with the name of a built-in function leads to functions of the user's alone: in a class,
    /// or in a namespace that is named, or that the call stands in.
    fn hides_builtin(&self, path: &ast::Path) -> bool {
        let (names, env) = (&self.unit.names, &self.frame.env);
        let found = names.functions(env, path);
        let is_inside = |c: &Callee| {
            let scope = c.env.namespace;
            let is_named = !names.scope_name(scope).is_empty();
            c.env.record.is_some()
                || is_named && (path.segments.len() > 1 || scope == env.namespace)
        };
        found.iter().any(|c| c.function.body.is_some()) && found.iter().all(is_inside)
    }

    /// Whether no function of the user's takes the arguments, so that one of the toolkit's is meant that bears the name
    /// and stands beside them.
    fn none_suits(
        &self,
        path: &ast::Path,
        candidates: &[Callee],
        places: &[ArgumentLValue],
    ) -> bool {
        let is_plain = path.segments.iter().all(|s| s.arguments.is_none());
        if candidates.is_empty() || !is_plain || self.hides_builtin(path) {
            return false;
        }
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| place.argument_type())
            .collect();
        let (names, env) = (&self.unit.names, &self.frame.env);
        let choice = scope::operator_for_arguments(names, env, candidates, &types, true);
        matches!(choice, scope::OperatorChoice::BuiltIn)
    }

    /// A function of the user's that bears the name of an atomic and takes what that does not.
    fn own_atomic(
        &self,
        name: &str,
        candidates: &[Callee],
        places: &[ArgumentLValue],
    ) -> Option<(Callee, Env)> {
        let arguments = if name.contains("CAS") { 3 } else { 2 };
        if let Type::Pointer(to) = places.first()?.0.ty().decay()
            && super::collectives::has_atomic(name, &to)
            && places.len() == arguments
        {
            return None;
        }
        let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
        let names = &self.unit.names;
        let chosen = scope::overload_for_types(names, &self.frame.env, candidates, &[], &types)?;
        chosen.0.function.body.is_some().then_some(chosen)
    }

    /// `T(arguments)` where `T` turns out to be a type.
    fn construct_named(
        &mut self,
        path: &ast::Path,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> Option<LValue> {
        match self.resolve(&named_type(path)) {
            ty
            @ (Type::Scalar(_, _) | Type::Pointer(_) | Type::Vector { .. } | Type::Array(..)) => {
                Some(LValue::Val(self.construct_value(&ty, places, e.range)))
            }
            Type::Record(record) => Some(LValue::Val(self.construct_value(
                &Type::Record(record),
                places,
                e.range,
            ))),
            Type::Opaque(name) => self.known_opaque(&name, places, e.range).map(LValue::Val),
            ty @ Type::Unknown(_) if self.frame.env.named(path).is_some() => {
                Some(LValue::Val(self.construct_value(&ty, places, e.range)))
            }
            _ => None,
        }
    }

    /// A call of something that is no plain function name.
    pub(super) fn call_value(
        &mut self,
        function: LValue,
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> LValue {
        match function {
            LValue::Val(Val::SpecialValue(SpecialValue::Closure(closure))) => {
                self.inline_closure(&closure, &[], places, e.range)
            }
            LValue::Val(Val::SpecialValue(SpecialValue::Function(path, env))) => {
                let candidates = self.unit.names.functions(&env, &path);
                let explicit = path.segments.last().and_then(|s| s.arguments.as_deref());
                let called = (candidates, explicit, &env);
                self.call_function_value(&path, called, places, e)
            }
            LValue::Mem(mem) | LValue::Val(Val::Object(mem))
                if matches!(mem.ty, Type::Record(_)) =>
            {
                let mut arguments = vec![(LValue::Mem(mem.clone()), e.range)];
                arguments.extend(places.iter().cloned());
                if let Some(result) = self.operator_call("()", &arguments, e.range) {
                    return result;
                }
                let name = format!("{}::operator()", mem.ty);
                let candidates = match &mem.ty {
                    Type::Record(record) => self.unit.names.methods(record, "()"),
                    _ => Vec::new(),
                };
                self.undecided_call(&name, &candidates, false, (1, None), &arguments, e.range)
            }
            other => {
                if let Some(closure) = self.closure_of_type(&other.ty()) {
                    return self.inline_closure(&closure, &[], places, e.range);
                }
                if let Type::Opaque(class) = other.ty().strip_reference()
                    && let Some(result) = self.call_functor(&class.clone(), places, e)
                {
                    return result;
                }
                let name = match &other {
                    LValue::Mem(mem) => mem.array.to_string(),
                    LValue::Var { variable, .. } => self
                        .variables
                        .get(variable.index())
                        .map_or(String::new(), |v| v.name.to_string()),
                    LValue::Val(_) => "a function value".to_owned(),
                };
                let is_plain = matches!(&other, LValue::Val(Val::Scalar { id, .. })
                    if self.plain_functions.contains(id));
                let mut all = vec![(other, e.range)];
                all.extend(places.iter().cloned());
                if self.has_lambdas && !is_plain {
                    let reason = "a function value that is called may be a lambda";
                    self.forget_locals_as_well(reason, e.range);
                }
                self.opaque_call(&name, &all, None, e.range)
            }
        }
    }

    /// A call of a function that was named elsewhere: template arguments mean what they do there.
    fn call_function_value(
        &mut self,
        path: &ast::Path,
        (candidates, explicit, env): (Vec<Callee>, Option<&[ast::TemplateArgument]>, &Env),
        places: &[ArgumentLValue],
        e: &ast::Expr,
    ) -> LValue {
        let name = path_text(path);
        let given = explicit.map_or(0, <[_]>::len);
        if !self.unit.names.is_one_function(&candidates, given) {
            let of = (0, None);
            return self.undecided_call(&name, &candidates, given > 0, of, places, e.range);
        }
        let here = std::mem::replace(&mut self.frame.env, env.clone());
        let chosen = self.choose(&candidates, explicit, places);
        self.frame.env = here;
        if let Some((callee, env)) = chosen
            && callee.function.body.is_some()
        {
            return self.inline(&callee, env, None, places, &name, e.range);
        }
        self.intrinsic(path, places, &[], e)
            .unwrap_or_else(|| self.opaque_call(&name, places, None, e.range))
    }

    /// The overload that fits these arguments, and the environment of its body.
    pub fn choose(
        &mut self,
        candidates: &[Callee],
        explicit: Option<&[ast::TemplateArgument]>,
        places: &[ArgumentLValue],
    ) -> Option<(Callee, Env)> {
        let types: Vec<Type> = places
            .iter()
            .map(|(place, _)| self.argument_type(place))
            .collect();
        let explicit = explicit.unwrap_or_default();
        scope::overload_for_arguments(
            &self.unit.names,
            &self.frame.env,
            candidates,
            explicit,
            &types,
        )
        .or_else(|| self.only_fit(candidates, explicit, &types))
    }

    /// The type of an argument. A number that is not 0 is no null pointer, so it goes by a reference: of what, and
    /// whether it has a name, is as open as before.
    fn argument_type(&self, place: &LValue) -> Type {
        let ty = place.argument_type();
        match place {
            LValue::Val(Val::Scalar { id, ty: scalar, .. })
                if scalar.is_integer() && self.arena.as_int(*id).is_some_and(|n| n != 0) =>
            {
                match ty {
                    Type::Qualified(of) => Type::Reference(of.referred(true)),
                    ty => Type::Reference(Target::new(ty).referred(true)),
                }
            }
            _ => ty,
        }
    }

    /// The one candidate that takes this many arguments, whatever their types.
    fn only_fit(
        &self,
        candidates: &[Callee],
        explicit: &[ast::TemplateArgument],
        types: &[Type],
    ) -> Option<(Callee, Env)> {
        let names = &self.unit.names;
        let takes = |callee: &Callee| {
            let function = &callee.function;
            if let Some(items) = scope::pack_of_class(names, callee) {
                return types.len() + 1 == function.parameters.len() + items;
            }
            let least = function
                .parameters
                .iter()
                .filter(|p| p.default.is_none() && !p.is_pack)
                .count();
            let is_open =
                function.attributes.is_variadic || function.parameters.iter().any(|p| p.is_pack);
            scope::has_open_signature(function)
                || types.len() >= least && (is_open || types.len() <= function.parameters.len())
        };
        let mut fits = candidates
            .iter()
            .filter(|callee| callee.function.body.is_some() && takes(callee));
        let (callee, None) = (fits.next()?, fits.next()) else {
            return None;
        };
        let env = match names
            .own_head(&callee.function, &callee.env)
            .filter(|head| !head.parameters.is_empty())
        {
            None => callee.env.clone(),
            Some(head) => {
                let here = &self.frame.env;
                let f = &callee.function;
                scope::deduce(names, here, &callee.env, f, explicit, types).or_else(|| {
                    // A pack that nobody tells is not known to be empty.
                    let is_told = !head.parameters.iter().any(|p| p.is_pack);
                    let bind =
                        || scope::bind_template(names, here, &callee.env, head, explicit, &[]).ok();
                    let open = || scope::deduce_open(names, here, &callee.env, f, explicit, types);
                    is_told.then(|| bind().or_else(open))?
                })?
            }
        };
        Some((callee.clone(), env))
    }
}
