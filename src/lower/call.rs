//! Calls: which function is meant.
//!
//! Given a callee and arguments, gives what the call names or its value. Bodies go
//! in place of calls in `inline`; built-in functions are in `intrinsics`, groups of
//! lanes in `groups`.

use super::context::{Binding, Lower};
use super::groups::SpecialValue;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{ExprId, Scalar};
use crate::sema::consteval::Value;
use crate::sema::scope::{self, Callee, Env};
use crate::sema::types::Type;
use crate::syntax::ast::{self, ExprKind};

/// An argument as what it names, with its text.
pub(super) type ArgumentLValue = (LValue, ast::Range);

/// `a::b::c` as written, without template arguments.
pub(super) fn path_text(path: &ast::Path) -> String {
    scope::display_path(path)
}

/// The type that a path may name.
fn named_type(path: &ast::Path) -> ast::TypeExpr {
    ast::TypeExpr {
        kind: ast::TypeKind::Named(path.clone()),
        is_const: false,
        is_volatile: false,
        range: path.range,
    }
}

impl Lower<'_> {
    pub fn argument(&mut self, e: &ast::Expr) -> ArgumentLValue {
        (self.place(e), e.range)
    }

    /// Arguments in order. Where a function may write through a reference to one, a choice between two
    /// places is one of them, and a constant is an object with a name.
    pub(super) fn arguments_for(
        &mut self,
        list: &[ast::Expr],
        candidates: &[Callee],
    ) -> Vec<ArgumentLValue> {
        let is_bound = |at: usize, is_written: bool| {
            candidates.iter().any(|callee| {
                let parameters = &callee.function.parameters;
                let last = parameters.last().filter(|parameter| parameter.is_pack);
                let parameter = parameters.get(at).or(last);
                parameter.is_some_and(|parameter| {
                    matches!(&parameter.ty.kind, ast::TypeKind::Reference { to, .. }
                        if !is_written || !to.is_const)
                })
            })
        };
        let is_object = |at: usize, e: &ast::Expr| match e.kind {
            ExprKind::Conditional(..) | ExprKind::Path(_) => is_bound(at, true),
            ExprKind::Str(_) => is_bound(at, false),
            _ => false,
        };
        if !list.iter().enumerate().any(|(at, e)| is_object(at, e)) {
            return self.arguments(list);
        }
        let places = list.iter().enumerate().map(|(at, e)| {
            if is_object(at, e) {
                (self.object_named(e), e.range)
            } else {
                self.argument(e)
            }
        });
        places.collect()
    }

    /// Arguments of an object that is called, or of a lambda.
    fn arguments_of_value(&mut self, function: &LValue, list: &[ast::Expr]) -> Vec<ArgumentLValue> {
        let is_choice = |e: &ast::Expr| matches!(e.kind, ExprKind::Conditional(..));
        let is_lambda = matches!(
            function,
            LValue::Val(Val::SpecialValue(SpecialValue::Closure(_)))
        );
        if let Type::Record(record) = function.ty().strip_reference() {
            let candidates = self.unit.names.methods(record, "()");
            return self.arguments_for(list, &candidates);
        }
        if is_lambda && list.iter().any(is_choice) {
            let mut places = Vec::with_capacity(list.len());
            for e in list {
                places.push((self.lvalue(e), e.range));
            }
            return places;
        }
        self.arguments(list)
    }

    /// Arguments of a constructor of `ty`.
    pub(super) fn arguments_of_class(
        &mut self,
        ty: &Type,
        list: &[ast::Expr],
    ) -> Vec<ArgumentLValue> {
        let candidates = self.constructors_for(ty, list);
        self.arguments_for(list, &candidates)
    }

    /// The constructors of `ty`, where they have a say in what these arguments name.
    fn constructors_for(&self, ty: &Type, list: &[ast::Expr]) -> Vec<Callee> {
        let may_be_object = |e: &ast::Expr| {
            matches!(
                e.kind,
                ExprKind::Conditional(..) | ExprKind::Path(_) | ExprKind::Str(_)
            )
        };
        let of = match ty.strip_reference() {
            Type::Array(element, _) => element,
            of => of,
        };
        match of {
            Type::Record(record) if list.iter().any(may_be_object) => self.constructors(record),
            _ => Vec::new(),
        }
    }

    /// What an argument names, with the object that a constant is.
    fn object_named(&mut self, e: &ast::Expr) -> LValue {
        if let ExprKind::Str(_) = &e.kind {
            return LValue::Mem(self.string(e));
        }
        let place = self.lvalue(e);
        let is_constant = matches!(place, LValue::Val(Val::Scalar { .. }))
            && matches!(&e.kind, ExprKind::Path(path) if self.names_variable(path));
        if !is_constant {
            return place;
        }
        match self.memory_of(place.clone(), e.range) {
            Some(mem) => LValue::Mem(mem).named(Some(true)),
            None => place,
        }
    }

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

    /// Arguments in order, packs expanded.
    pub fn arguments(&mut self, list: &[ast::Expr]) -> Vec<ArgumentLValue> {
        let mut out = Vec::with_capacity(list.len());
        for e in list {
            if let ExprKind::Expand(pattern) = &e.kind
                && let Some(items) = self.expand(pattern)
            {
                out.extend(items.into_iter().map(|place| (place, e.range)));
                continue;
            }
            out.push(self.argument(e));
        }
        out
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
            _ => {
                let function = self.operand_place(callee, false);
                let places = self.arguments_of_value(&function, list);
                self.call_value(function, &places, e)
            }
        }
    }

    /// A call by name; where it `is_associated`, functions of the arguments' namespaces take part.
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
            if super::intrinsics::evaluates_only(&name) {
                for argument in list {
                    self.value(argument);
                }
            }
            return LValue::Val(scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32));
        }
        let is_plain = path.segments.len() == 1 && !path.is_global;
        if is_plain {
            if let Some(Binding::LValue(place)) = self.lookup(&name) {
                let places = self.arguments_of_value(&place, list);
                return self.call_value(place, &places, e);
            }
            if let Some(this) = self.frame.this.clone()
                && let Type::Record(record) = &this.ty
                && let Some(field) = scope::field(&self.unit.names, record, &name)
            {
                let place = self.field_place(this, &field, &name);
                let places = self.arguments_of_value(&place, list);
                return self.call_value(place, &places, e);
            }
        }
        if is_plain
            && let Some(scope::Binding::Value(Value::Function(f), _)) = self.frame.env.get(&name)
        {
            let f = f.clone();
            let places = self.arguments_for(list, &f.candidates);
            let called = (f.candidates.clone(), f.explicit.as_deref(), &f.env);
            return self.call_function_value(path, called, &places, e);
        }
        let mut candidates = self.unit.names.functions(&self.frame.env, path);
        if let Some(this) = &self.frame.this {
            candidates = self.of_object(candidates, this.is_const, Some(true));
        }
        let places = if candidates.is_empty() {
            let ty = self.resolve(&named_type(path));
            self.arguments_of_class(&ty, list)
        } else {
            self.arguments_for(list, &candidates)
        };
        if is_plain && is_associated {
            let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
            let names = &self.unit.names;
            names.add_associated(&mut candidates, &name, &types);
        }
        let is_builtin = super::intrinsics::comes_first(&name) && !self.hides_builtin(path);
        if is_builtin && let Some((callee, env)) = self.own_atomic(&name, &candidates, &places) {
            return self.inline(&callee, env, None, &places, &path_text(path), e.range);
        }
        if is_builtin && let Some(result) = self.intrinsic(path, &places, list, e) {
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
                    return match chosen {
                        Some((callee, env)) => {
                            self.undefined(&name, &callee, &env, &places, e.range)
                        }
                        None => self.undecided_call(&name, &candidates, &places, e.range),
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

    /// `operator+(a, b)`
    fn call_operator(
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

    /// A function of the user's that bears the name of an atomic and takes what that does not.
    fn own_atomic(
        &self,
        name: &str,
        candidates: &[Callee],
        places: &[ArgumentLValue],
    ) -> Option<(Callee, Env)> {
        let Type::Pointer(to) = places.first()?.0.ty().decay() else {
            return None;
        };
        if super::collectives::has_atomic(name, &to) {
            return None;
        }
        let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
        let names = &self.unit.names;
        let chosen = scope::select(names, &self.frame.env, candidates, &[], &types)?;
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
            ty @ Type::Unknown(_) if self.frame.env.get(&path.segments.last()?.name).is_some() => {
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
                self.inline_closure(&closure, places, e.range)
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
                self.undecided_call(&name, &candidates, &arguments, e.range)
            }
            other => {
                let name = match &other {
                    LValue::Mem(mem) => mem.array.to_string(),
                    LValue::Var { variable, .. } => self
                        .variables
                        .get(variable.index())
                        .map_or(String::new(), |v| v.name.to_string()),
                    LValue::Val(_) => "a function value".to_owned(),
                };
                let mut all = vec![(other, e.range)];
                all.extend(places.iter().cloned());
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
            return self.undecided_call(&name, &candidates, places, e.range);
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

    /// A call of one of several functions, or of one that has no body.
    pub(super) fn undecided_call(
        &mut self,
        name: &str,
        candidates: &[Callee],
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        if !candidates.iter().any(|c| c.function.body.is_some()) {
            return self.opaque_call(name, places, None, range);
        }
        let reason = format!("which `{name}` is meant is not known");
        self.not_followed(None, None, places, None, &reason, range)
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
            .map(|(place, _)| place.argument_type())
            .collect();
        let explicit = explicit.unwrap_or_default();
        scope::select_call(
            &self.unit.names,
            &self.frame.env,
            candidates,
            explicit,
            &types,
        )
        .or_else(|| self.only_fit(candidates, explicit, &types))
    }

    /// The one candidate that takes this many arguments, whatever their types.
    fn only_fit(
        &self,
        candidates: &[Callee],
        explicit: &[ast::TemplateArgument],
        types: &[Type],
    ) -> Option<(Callee, Env)> {
        let names = &self.unit.names;
        let takes = |function: &ast::Function| {
            let least = function
                .parameters
                .iter()
                .filter(|p| p.default.is_none() && !p.is_pack)
                .count();
            let is_open = function.attributes.is_variadic;
            types.len() >= least && (is_open || types.len() <= function.parameters.len())
        };
        let mut fits = candidates
            .iter()
            .filter(|callee| callee.function.body.is_some() && takes(&callee.function));
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
                        || scope::bind_template(names, here, &callee.env, head, explicit, &[]);
                    is_told.then(bind)?.ok()
                })?
            }
        };
        Some((callee.clone(), env))
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
    fn vectors_read(&mut self, callee: &Callee, places: &[ArgumentLValue]) -> Vec<ArgumentLValue> {
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

    /// A call of a function that is declared, and whose body is not there.
    pub fn undefined(
        &mut self,
        name: &str,
        callee: &Callee,
        env: &Env,
        places: &[ArgumentLValue],
        range: ast::Range,
    ) -> LValue {
        let result = scope::result_type(&self.unit.names, env, &callee.function);
        let reason = no_definition(name);
        let signature = Some((callee.function.parameters.as_slice(), env));
        self.not_followed(signature, None, places, Some(result), &reason, range)
    }

    /// A call of a function of which nothing is known but, perhaps, its result. One with a name of the
    /// compiler's own takes values.
    pub fn opaque_call(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        result: Option<Type>,
        range: ast::Range,
    ) -> LValue {
        let reason = no_definition(name);
        if super::intrinsics::is_of_the_toolkit(name) {
            return self.opaque_with(places, result, &reason, true, range);
        }
        self.not_followed(None, None, places, result, &reason, range)
    }

    /// Whether it is a member of a local object, by itself of some bytes.
    pub fn is_part(&self, mem: &Mem) -> bool {
        const MOST: u64 = 256;
        matches!(mem.ty, Type::Record(_) | Type::Vector { .. })
            && matches!(self.arena.get(mem.pointer), crate::ir::Expr::Offset { .. })
            && mem.ty.size().is_some_and(|size| size <= MOST)
            && self.is_local(mem)
    }

    pub fn opaque_with(
        &mut self,
        places: &[ArgumentLValue],
        result: Option<Type>,
        reason: &str,
        is_of_arguments: bool,
        range: ast::Range,
    ) -> LValue {
        let mut pointers = Vec::new();
        let mut parts: Vec<Mem> = Vec::new();
        let mut inputs: Vec<ExprId> = Vec::new();
        let mut queue: Vec<&ArgumentLValue> = places.iter().rev().collect();
        while let Some((place, at)) = queue.pop() {
            match place {
                LValue::Val(Val::SpecialValue(SpecialValue::List(items))) => {
                    queue.extend(items.iter().rev());
                }
                LValue::Mem(mem) | LValue::Val(Val::Object(mem)) => {
                    if mem.ty.scalar().is_some() && !matches!(mem.ty, Type::Pointer(_)) {
                        if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                            inputs.push(id);
                        }
                    } else if self.is_part(mem) {
                        parts.push(mem.clone());
                    } else {
                        pointers.push(mem.pointer);
                    }
                }
                place => {
                    if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                        pointers.extend(self.arena.address_in(id));
                        inputs.push(id);
                    }
                }
            }
        }
        let ty = match result {
            Some(ty) => ty.strip_reference().clone(),
            None => Type::unknown(reason),
        };
        // What the lane is may decide the result, too.
        let is_pure =
            is_of_arguments && !inputs.is_empty() && pointers.is_empty() && parts.is_empty();
        // Of a member that is passed nothing else of the object is reached.
        for part in parts {
            let value = self.unknown_val(reason, part.ty.clone());
            self.write(&LValue::Mem(part), value, range);
        }
        match ty {
            Type::Void => {
                self.gap(range, reason, Vec::new(), pointers);
                LValue::Val(Val::Void)
            }
            Type::Vector { .. } | Type::Record(_) => {
                self.gap(range, reason, Vec::new(), pointers);
                LValue::Val(self.unknown_val(reason, ty))
            }
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                let id = if is_pure {
                    self.gap(range, reason, Vec::new(), pointers);
                    self.arena.unknown(reason, inputs, false, scalar)
                } else {
                    let variable = self.scalar_variable("", scalar, None);
                    self.gap(range, reason, vec![variable], pointers);
                    self.arena.var(variable, scalar)
                };
                LValue::Val(Val::Scalar {
                    id,
                    ty,
                    volatile: false,
                })
            }
        }
    }
}

/// Why a call is not followed.
fn no_definition(name: &str) -> String {
    format!("`{name}` has no definition in the files given")
}
