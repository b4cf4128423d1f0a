//! Calls: which function is meant, and its body in place of the call.
//!
//! Given a callee and arguments, gives what the call names or its value. Built-in
//! functions are in `intrinsics`, groups of lanes in `groups`.

use super::context::{Binding, Frame, Lower, Mem, Place, Returns, Val, new_scope, scalar_val};
use super::groups::{Closure, Special};
use super::stmt::has_auto;
use crate::ir::consteval::{self, Value};
use crate::ir::scope::{self, Callee, Env};
use crate::ir::types::{RecordType, Type};
use crate::ir::{ExprId, Object, Scalar, Stmt};
use crate::syntax::ast::{self, ExprKind};
use std::rc::Rc;
use std::sync::Arc;

/// An argument as what it names, with its text.
pub(super) type ArgumentPlace = (Place, ast::Range);

/// Largest constant table of the host that is copied into device code.
const MAX_TABLE: u64 = 256;

pub(super) fn empty_returns() -> Returns {
    Returns { is_kernel: false, label: None, ty: None, slot: None, direct: None }
}

/// `a::b::c` as written, without template arguments.
pub(super) fn path_text(path: &ast::Path) -> String {
    scope::display_path(path)
}

impl Lower<'_> {
    pub fn argument(&mut self, e: &ast::Expr) -> ArgumentPlace {
        (self.place(e), e.range)
    }

    /// Arguments in order, packs expanded.
    pub fn arguments(&mut self, list: &[ast::Expr]) -> Vec<ArgumentPlace> {
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

    /// The pattern for every element of the pack in it.
    pub fn expand(&mut self, pattern: &ast::Expr) -> Option<Vec<Place>> {
        let (name, items) = self.pack_in(pattern)?;
        let mut out = Vec::new();
        for item in items {
            let place = self.scoped(|this| {
                this.bind(&name, item);
                this.place(pattern)
            });
            out.push(place);
        }
        Some(out)
    }

    fn pack_in(&mut self, e: &ast::Expr) -> Option<(ast::Name, Vec<Binding>)> {
        match &e.kind {
            ExprKind::Path(path) => {
                let name = &path.segments.last()?.name;
                match self.lookup(name) {
                    Some(Binding::Pack(items)) => Some((name.clone(), items)),
                    Some(Binding::Place(_)) => None,
                    None => match self.frame.env.get(name) {
                        Some(scope::Binding::Pack(items)) => {
                            let items = items.to_vec();
                            Some((name.clone(), items.iter().filter_map(|item| self.value_binding(item)).collect()))
                        }
                        _ => None,
                    },
                }
            }
            ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } | ExprKind::Expand(inner) => {
                self.pack_in(inner)
            }
            ExprKind::Binary(_, left, right) | ExprKind::Assign(_, left, right) => {
                self.pack_in(left).or_else(|| self.pack_in(right))
            }
            ExprKind::Member { object, .. } => self.pack_in(object),
            ExprKind::Index(base, list) => self.pack_in(base).or_else(|| list.iter().find_map(|e| self.pack_in(e))),
            ExprKind::Call { callee, arguments } => {
                arguments.iter().find_map(|e| self.pack_in(e)).or_else(|| self.pack_in(callee))
            }
            ExprKind::Construct { arguments, .. } => arguments.iter().find_map(|e| self.pack_in(e)),
            _ => None,
        }
    }

    /// A value template argument as a local name.
    fn value_binding(&mut self, binding: &scope::Binding) -> Option<Binding> {
        match binding {
            scope::Binding::Value(value, _) => self.constant_value(value).map(|value| Binding::Place(Place::Val(value))),
            _ => None,
        }
    }

    pub fn call(&mut self, callee: &ast::Expr, list: &[ast::Expr], e: &ast::Expr) -> Place {
        match &callee.kind {
            ExprKind::Path(path) => self.call_path(path, list, e),
            ExprKind::Member { object, arrow, member } => self.call_member(object, *arrow, member, list, e),
            _ => {
                let function = self.place(callee);
                let places = self.arguments(list);
                self.call_value(function, &places, e)
            }
        }
    }

    fn call_path(&mut self, path: &ast::Path, list: &[ast::Expr], e: &ast::Expr) -> Place {
        let Some(last) = path.segments.last() else { return Place::Val(Val::Void) };
        let name = last.name.clone();
        if super::intrinsics::is_ignored(&name) {
            return Place::Val(scalar_val(self.arena.int(0, Scalar::I32), Scalar::I32));
        }
        let is_plain = path.segments.len() == 1 && !path.is_global;
        if is_plain {
            if let Some(Binding::Place(place)) = self.lookup(&name) {
                let places = self.arguments(list);
                return self.call_value(place, &places, e);
            }
            if let Some(this) = self.frame.this.clone()
                && let Type::Record(record) = &this.ty
                && let Some(field) = scope::field(&self.unit.names, record, &name)
            {
                let place = self.field_place(this, &field, &name);
                let places = self.arguments(list);
                return self.call_value(place, &places, e);
            }
        }
        let places = self.arguments(list);
        let is_builtin = super::intrinsics::comes_first(&name);
        if is_builtin && let Some(result) = self.intrinsic(path, &places, list, e) {
            return result;
        }
        let candidates = self.unit.names.functions(&self.frame.env, path);
        if !candidates.is_empty() {
            match self.choose(&candidates, last.arguments.as_deref(), &places) {
                Some((callee, env)) if callee.function.body.is_some() => {
                    let this = self.this_for(&callee);
                    return self.inline(&callee, env, this, &places, &path_text(path), e.range);
                }
                chosen => {
                    if let Some(result) = self.intrinsic(path, &places, list, e) {
                        return result;
                    }
                    let result = chosen.map(|(callee, env)| {
                        scope::resolve_type(&self.unit.names, &env, &callee.function.result)
                    });
                    return self.opaque_call(&path_text(path), &places, result, e.range);
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

    /// `T(arguments)` where `T` turns out to be a type.
    fn construct_named(&mut self, path: &ast::Path, places: &[ArgumentPlace], e: &ast::Expr) -> Option<Place> {
        let kind = ast::TypeKind::Named(path.clone());
        let ty = ast::TypeExpr { kind, is_const: false, is_volatile: false, range: path.range };
        match self.resolve(&ty) {
            ty @ (Type::Scalar(_) | Type::Pointer(_) | Type::Vector { .. } | Type::Array(..)) => {
                Some(Place::Val(self.construct_value(&ty, places, e.range)))
            }
            Type::Record(record) => Some(Place::Val(self.construct_value(&Type::Record(record), places, e.range))),
            Type::Opaque(name) => self.known_opaque(&name, places, e.range).map(Place::Val),
            ty @ Type::Unknown(_) if self.frame.env.get(&path.segments.last()?.name).is_some() => {
                Some(Place::Val(self.construct_value(&ty, places, e.range)))
            }
            _ => None,
        }
    }

    /// `*this` for a member function called by its plain name.
    fn this_for(&mut self, callee: &Callee) -> Option<Mem> {
        let record = callee.env.record.as_ref()?;
        let this = self.frame.this.clone()?;
        self.as_base(this, record)
    }

    /// An object as one of its base classes.
    fn as_base(&mut self, this: Mem, record: &Arc<RecordType>) -> Option<Mem> {
        let Type::Record(own) = this.ty.clone() else { return Some(this) };
        if Type::Record(own.clone()) == Type::Record(record.clone()) {
            return Some(this);
        }
        match super::aggregate::base_offset(&own, record, 0) {
            Some(offset) => {
                let pointer = self.arena.offset_const(this.pointer, offset);
                Some(this.part(pointer, Type::Record(record.clone())))
            }
            None => Some(this),
        }
    }

    fn call_member(
        &mut self,
        object: &ast::Expr,
        arrow: bool,
        member: &ast::Path,
        list: &[ast::Expr],
        e: &ast::Expr,
    ) -> Place {
        let Some(last) = member.segments.last() else { return Place::Val(Val::Void) };
        let base = if arrow {
            let base = self.value(object);
            self.arrow(base, object)
        } else {
            self.place(object)
        };
        match base {
            Place::Val(Val::Special(special)) => {
                let places = self.arguments(list);
                self.special_call(&special, last, &places, e)
            }
            Place::Mem(mem) | Place::Val(Val::Object(mem)) => {
                let places = self.arguments(list);
                self.call_method(mem, last, &places, e)
            }
            base => {
                let places = self.arguments(list);
                let mut all = vec![(base, object.range)];
                all.extend(places);
                self.opaque_call(&last.name, &all, None, e.range)
            }
        }
    }

    pub fn call_method(&mut self, mem: Mem, segment: &ast::Segment, places: &[ArgumentPlace], e: &ast::Expr) -> Place {
        let name = &segment.name;
        let Type::Record(record) = mem.ty.clone() else {
            if let Type::Array(element, Some(count)) = &mem.ty {
                // `std::array`.
                match &**name {
                    "size" => return Place::Val(scalar_val(self.arena.int(*count as i64, Scalar::U64), Scalar::U64)),
                    "data" | "begin" => {
                        let ty = Type::Pointer(element.clone());
                        return Place::Val(Val::Scalar { id: mem.pointer, ty, volatile: mem.volatile });
                    }
                    "fill" => {
                        let span = self.span(e.range);
                        let reason = Arc::from("`fill` of an array");
                        self.emit(Stmt::Opaque { variables: Vec::new(), pointers: vec![mem.pointer], reason, span });
                        return Place::Val(Val::Void);
                    }
                    _ => {}
                }
            }
            if let Type::Vector { scalar, name: vector, .. } = &mem.ty
                && vector.contains("complex")
                && let lane @ ("real" | "imag") = &**name
                && places.is_empty()
            {
                let offset = if lane == "imag" { u64::from(scalar.size()) } else { 0 };
                let pointer = self.arena.offset_const(mem.pointer, offset);
                let ty = Type::Scalar(*scalar);
                return Place::Mem(mem.part(pointer, ty));
            }
            let ty = mem.ty.clone();
            let mut all = vec![(Place::Mem(mem), e.range)];
            all.extend(places.iter().cloned());
            let name = format!("{ty}::{name}");
            return self.opaque_call(&name, &all, None, e.range);
        };
        if let Some(field) = scope::field(&self.unit.names, &record, name) {
            let place = self.field_place(mem, &field, name);
            return self.call_value(place, places, e);
        }
        let candidates = self.unit.names.methods(&record, name);
        if let Some((callee, env)) = self.choose(&candidates, segment.arguments.as_deref(), places)
            && callee.function.body.is_some()
        {
            let this = match &callee.env.record {
                Some(base) => self.as_base(mem, base),
                None => Some(mem),
            };
            let this = this.map(|this| self.pinned(this));
            return self.inline(&callee, env, this, places, name, e.range);
        }
        let ty = mem.ty.clone();
        let mut all = vec![(Place::Mem(mem), e.range)];
        all.extend(places.iter().cloned());
        self.opaque_call(&format!("{ty}::{name}"), &all, None, e.range)
    }

    fn pinned(&mut self, mem: Mem) -> Mem {
        match self.pin(Place::Mem(mem.clone())) {
            Place::Mem(mem) => mem,
            _ => mem,
        }
    }

    /// A call of something that is no plain function name.
    fn call_value(&mut self, function: Place, places: &[ArgumentPlace], e: &ast::Expr) -> Place {
        match function {
            Place::Val(Val::Special(Special::Closure(closure))) => self.inline_closure(&closure, places, e.range),
            Place::Val(Val::Special(Special::Function(path, env))) => {
                let candidates = self.unit.names.functions(&env, &path);
                let arguments = path.segments.last().and_then(|segment| segment.arguments.clone());
                if let Some((callee, env)) = self.choose(&candidates, arguments.as_deref(), places)
                    && callee.function.body.is_some()
                {
                    return self.inline(&callee, env, None, places, &path_text(&path), e.range);
                }
                self.intrinsic(&path, places, &[], e)
                    .unwrap_or_else(|| self.opaque_call(&path_text(&path), places, None, e.range))
            }
            Place::Mem(mem) | Place::Val(Val::Object(mem)) if matches!(mem.ty, Type::Record(_)) => {
                let mut arguments = vec![(Place::Mem(mem.clone()), e.range)];
                arguments.extend(places.iter().cloned());
                if let Some(result) = self.operator_call("()", &arguments, e.range) {
                    return result;
                }
                let name = format!("{}::operator()", mem.ty);
                self.opaque_call(&name, &arguments, None, e.range)
            }
            other => {
                let name = match &other {
                    Place::Mem(mem) => mem.array.to_string(),
                    Place::Var { variable, .. } => {
                        self.variables.get(variable.index()).map_or(String::new(), |v| v.name.clone())
                    }
                    Place::Val(_) => "a function value".to_owned(),
                };
                let mut all = vec![(other, e.range)];
                all.extend(places.iter().cloned());
                self.opaque_call(&name, &all, None, e.range)
            }
        }
    }

    /// The overload that fits these arguments, and the environment of its body.
    pub fn choose(
        &mut self,
        candidates: &[Callee],
        explicit: Option<&[ast::TemplateArgument]>,
        places: &[ArgumentPlace],
    ) -> Option<(Callee, Env)> {
        let types: Vec<Type> = places.iter().map(|(place, _)| place.ty()).collect();
        let explicit = explicit.unwrap_or_default();
        scope::select(&self.unit.names, &self.frame.env, candidates, explicit, &types)
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
            let least = function.parameters.iter().filter(|p| p.default.is_none() && !p.is_pack).count();
            types.len() >= least && types.len() <= function.parameters.len()
        };
        let mut fits = candidates.iter().filter(|callee| callee.function.body.is_some() && takes(&callee.function));
        let (callee, None) = (fits.next()?, fits.next()) else { return None };
        let env = match names.own_head(&callee.function, &callee.env).filter(|head| !head.parameters.is_empty()) {
            None => callee.env.clone(),
            Some(head) => {
                let here = &self.frame.env;
                scope::deduce(names, here, &callee.env, &callee.function, explicit, types)
                    .or_else(|| scope::bind_template(names, here, &callee.env, head, explicit, &[]).ok())?
            }
        };
        Some((callee.clone(), env))
    }

    /// A user's operator function, member or free, with a body.
    pub fn operator_call(&mut self, symbol: &str, places: &[ArgumentPlace], range: ast::Range) -> Option<Place> {
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
            if let Some(rest) = places.get(1..)
                && !members.is_empty()
                && let Some((callee, env)) = self.choose(&members, None, rest)
                && callee.function.body.is_some()
            {
                let (object, at) = places.first()?.clone();
                let mem = self.memory_of(object, at)?;
                let this = match &callee.env.record {
                    Some(base) => self.as_base(mem, base)?,
                    None => mem,
                };
                let this = self.pinned(this);
                return Some(self.inline(&callee, env, Some(this), rest, &format!("operator{symbol}"), range));
            }
        }
        let mut all = self.unit.names.operators(&self.frame.env, operand.as_ref(), symbol);
        all.retain(|callee| callee.env.record.is_none() && callee.function.parameters.len() == places.len());
        // Friends defined inside of the class.
        if let Some(record) = &operand {
            for callee in self.unit.names.methods(record, symbol) {
                if callee.function.parameters.len() == places.len() && places.len() == 2 {
                    all.push(callee);
                }
            }
        }
        if all.is_empty() {
            return None;
        }
        let (callee, env) = self.choose(&all, None, places)?;
        callee.function.body.as_ref()?;
        Some(self.inline(&callee, env, None, places, &format!("operator{symbol}"), range))
    }

    /// The body of `callee` in place of a call. `env` holds its template bindings.
    pub fn inline(
        &mut self,
        callee: &Callee,
        env: Env,
        this: Option<Mem>,
        places: &[ArgumentPlace],
        name: &str,
        range: ast::Range,
    ) -> Place {
        let function = callee.function.clone();
        let result_type =
            if has_auto(&function.result) || matches!(function.result.kind, ast::TypeKind::None) {
                None
            } else {
                Some(scope::resolve_type(&self.unit.names, &env, &function.result))
            };
        let Some(body) = &function.body else {
            return self.opaque_call(name, places, result_type, range);
        };
        let instance = self.instance_key(&function, &callee.env, &env);
        let is_recursive = self.stack.contains(&instance);
        let reason = if let Some(problem) = &function.problem {
            Some(format!("`{name}` could not be read: {}", problem.message))
        } else if is_recursive {
            Some(format!("`{name}` calls itself"))
        } else if self.stack.len() as u32 >= self.limits.inline_depth {
            Some(format!("the call of `{name}` is nested too deeply"))
        } else {
            None
        };
        if let Some(reason) = reason {
            return self.opaque_with(places, result_type, &reason, range);
        }
        let bound = self.bind_arguments(&function.parameters, &env, places);
        let mut inlined = self.frame.inlined.to_vec();
        inlined.push((name.to_owned(), self.span(range)));
        let is_method = callee.env.record.is_some() && !function.attributes.is_static;
        let this = if is_method { this } else { None };
        let frame = Frame {
            scope: new_scope(None),
            env,
            this: this.clone(),
            returns: Returns { ty: result_type.clone(), ..empty_returns() },
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: Rc::new(inlined),
            base: 0,
        };
        self.stack.push(instance);
        let result = self.run_body(frame, |lower| {
            lower.declare_parameters(&function.parameters, bound);
            if function.kind == ast::FunctionKind::Constructor
                && let Some(this) = &this
            {
                lower.member_initialisers(&function, this, range);
            }
            lower.statements(body, true);
        });
        self.stack.pop();
        match result {
            Place::Val(Val::Void) => match result_type {
                None | Some(Type::Void) => result,
                Some(ty) => {
                    let reason = format!("`{name}` returns no value");
                    Place::Val(self.unknown_val(&reason, ty.strip_reference().clone()))
                }
            },
            other => other,
        }
    }

    /// Tells one instance of a function from another.
    fn instance_key(&self, function: &Arc<ast::Function>, definition: &Env, env: &Env) -> (usize, String) {
        let mut text = env.record.as_ref().map_or(String::new(), |record| record.name.clone());
        if let Some(head) = self.unit.names.own_head(function, definition) {
            text.push_str(&super::instances::instance_text(head, env));
        }
        (Arc::as_ptr(function) as usize, text)
    }

    fn inline_closure(&mut self, closure: &Rc<Closure>, places: &[ArgumentPlace], range: ast::Range) -> Place {
        let instance = (Arc::as_ptr(&closure.lambda) as usize, String::new());
        if self.stack.contains(&instance) || self.stack.len() as u32 >= self.limits.inline_depth {
            return self.opaque_with(places, None, "a lambda calls itself", range);
        }
        let bound = self.bind_arguments(&closure.lambda.parameters, &closure.env, places);
        let result_type = match &closure.lambda.result {
            Some(ty) if !has_auto(ty) => Some(scope::resolve_type(&self.unit.names, &closure.env, ty)),
            _ => None,
        };
        let mut inlined = self.frame.inlined.to_vec();
        inlined.push(("lambda".to_owned(), self.span(range)));
        let frame = Frame {
            scope: new_scope(Some(closure.scope.clone())),
            env: closure.env.clone(),
            this: closure.this.clone(),
            returns: Returns { ty: result_type, ..empty_returns() },
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: Rc::new(inlined),
            base: 0,
        };
        self.stack.push(instance);
        let result = self.run_body(frame, |lower| {
            lower.declare_parameters(&closure.lambda.parameters, bound);
            lower.statements(&closure.lambda.body, true);
        });
        self.stack.pop();
        result
    }

    /// Runs `body` in `frame`; gives what it returned.
    fn run_body(&mut self, frame: Frame, body: impl FnOnce(&mut Self)) -> Place {
        let outer = std::mem::replace(&mut self.frame, frame);
        self.push_block();
        self.frame.base = self.block_depth();
        if self.enter() {
            body(self);
            self.leave();
        } else {
            self.gap(ast::Range::default(), "calls are nested too deeply", Vec::new(), Vec::new());
        }
        let block = self.pop_block();
        let frame = std::mem::replace(&mut self.frame, outer);
        match frame.returns.label {
            Some(label) => self.emit(Stmt::Labelled { label, body: block }),
            None => self.append(block),
        }
        frame.returns.slot.or(frame.returns.direct).unwrap_or(Place::Val(Val::Void))
    }

    /// Arguments as parameters take them, evaluated in the caller.
    fn bind_arguments(&mut self, parameters: &[ast::Parameter], env: &Env, places: &[ArgumentPlace]) -> Vec<Bound> {
        let mut out = Vec::new();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.is_pack {
                let rest = places.get(at..).unwrap_or(&[]);
                let by_reference = matches!(parameter.ty.kind, ast::TypeKind::Reference { .. });
                let rest = rest.iter().map(|(place, range)| self.bind_one(None, by_reference, place, *range)).collect();
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
                    let one = if super::expr::is_volatile(&parameter.ty) { volatile(one) } else { one };
                    out.push(Bound::One(one));
                }
                None => out.push(Bound::Default(ty)),
            }
        }
        out
    }

    fn bind_one(&mut self, ty: Option<&Type>, by_reference: bool, place: &Place, range: ast::Range) -> One {
        if by_reference {
            let wanted = ty.map(|ty| ty.strip_reference().clone());
            return match (place, wanted) {
                (Place::Val(Val::Special(_)), _) => One::Place(place.clone()),
                (Place::Val(value), wanted) => {
                    let ty = wanted.unwrap_or_else(|| value.ty());
                    let value = self.convert(value.clone(), &ty, range);
                    match value {
                        Val::Object(mem) => One::Place(Place::Mem(mem)),
                        value => One::Value(ty, value),
                    }
                }
                (Place::Var { ty: own, .. }, Some(wanted)) if *own != wanted && !wanted.is_unknown() && !own.is_unknown() => {
                    let value = self.read(place.clone(), range);
                    One::Value(wanted.clone(), self.convert(value, &wanted, range))
                }
                (Place::Mem(mem), Some(wanted)) => {
                    let mut mem = mem.clone();
                    if let (Type::Record(own), Type::Record(base)) = (&mem.ty, &wanted)
                        && mem.ty != wanted
                    {
                        if let Some(offset) = super::aggregate::base_offset(own, base, 0) {
                            let pointer = self.arena.offset_const(mem.pointer, offset);
                            mem = mem.part(pointer, wanted);
                        }
                    } else if mem.ty != wanted
                        && mem.ty.scalar().is_some()
                        && wanted.scalar().is_some()
                        && mem.ty.scalar() != wanted.scalar()
                    {
                        let value = self.read(Place::Mem(mem), range);
                        return One::Value(wanted.clone(), self.convert(value, &wanted, range));
                    } else if mem.ty != wanted && matches!(wanted, Type::Record(_) | Type::Vector { .. }) {
                        let value = self.read(Place::Mem(mem), range);
                        return match self.convert(value, &wanted, range) {
                            Val::Object(mem) => One::Place(Place::Mem(mem)),
                            value => One::Value(wanted, value),
                        };
                    }
                    One::Place(self.pin(Place::Mem(mem)))
                }
                (place, _) => One::Place(self.pin(place.clone())),
            };
        }
        let value = self.read(place.clone(), range);
        if matches!(value, Val::Special(_)) {
            return One::Place(Place::Val(value));
        }
        let ty = ty.map_or_else(|| value.ty().decay(), Type::decay);
        let value = self.convert(value, &ty, range);
        One::Value(ty, value)
    }

    fn declare_parameters(&mut self, parameters: &[ast::Parameter], bound: Vec<Bound>) {
        for (parameter, bound) in parameters.iter().zip(bound) {
            let Some(name) = &parameter.name else { continue };
            match bound {
                Bound::One(one) => self.declare_one(name, parameter.range, one),
                Bound::Default(ty) => {
                    let Some(default) = &parameter.default else {
                        let reason = format!("no argument for `{name}`");
                        let ty = ty.unwrap_or_else(|| Type::unknown(reason.clone()));
                        let value = self.unknown_val(&reason, ty.strip_reference().clone());
                        self.bind(name, Binding::Place(Place::Val(value)));
                        continue;
                    };
                    let ty = ty.unwrap_or_else(|| Type::Scalar(Scalar::I32));
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

    fn declare_one(&mut self, name: &ast::Name, range: ast::Range, one: One) {
        match one {
            One::Place(place) => {
                self.frame.env.set(name.clone(), scope::Binding::Variable(place.ty()));
                self.bind(name, Binding::Place(place));
            }
            One::Value(ty, value) => self.declare_named(name, Some(range), &ty, value),
        }
    }

    /// `: a(1), b{2}`, and what the rest of the members start with.
    fn member_initialisers(&mut self, function: &ast::Function, this: &Mem, range: ast::Range) {
        let Type::Record(record) = this.ty.clone() else { return };
        let is_delegating = function.initialisers.iter().any(|(name, _)| Some(name) == record.record.name.as_ref());
        if !is_delegating {
            for (offset, base) in record.bases.clone() {
                let base_name = base.record.name.clone();
                let pointer = self.arena.offset_const(this.pointer, offset);
                let part = this.part(pointer, Type::Record(base.clone()));
                let places = match function.initialisers.iter().find(|(name, _)| Some(name) == base_name.as_ref()) {
                    Some((_, list)) => self.arguments(list),
                    None => Vec::new(),
                };
                self.construct_into(&part, &places, range);
            }
            let names: Vec<String> = record.fields.iter().map(|field| field.name.clone()).collect();
            for name in names {
                let Some((_, list)) = function.initialisers.iter().find(|(given, _)| **given == *name) else {
                    self.default_field(this, &record, &name, range, false);
                    continue;
                };
                let Some(field) = record.fields.iter().find(|field| field.name == name).cloned() else { continue };
                let pointer = self.arena.offset_const(this.pointer, field.offset);
                let mut part = this.part(pointer, field.ty.clone());
                part.bits = field.bits;
                match list.as_slice() {
                    [] => self.zero_fill(&part, range),
                    [one] => {
                        let init_range = one.range;
                        if matches!(part.ty, Type::Reference(_)) {
                            let place = self.place(one);
                            if let Some(mem) = self.memory_of(place, init_range) {
                                let value =
                                    Val::Scalar { id: mem.pointer, ty: mem.ty.pointer_to(), volatile: false };
                                self.write(&Place::Mem(part), value, init_range);
                            }
                        } else {
                            self.initialise(&part, one);
                        }
                    }
                    list => {
                        let places = self.arguments(list);
                        self.construct_into(&part, &places, range);
                    }
                }
            }
            return;
        }
        for (name, list) in &function.initialisers {
            if Some(name) == record.record.name.as_ref() {
                let places = self.arguments(list);
                self.construct_into(this, &places, range);
            }
        }
    }

    /// Runs `body` as inside of a member function of `record`.
    pub fn in_record(&mut self, object: &Mem, record: &Arc<RecordType>, body: impl FnOnce(&mut Self)) {
        let frame = Frame {
            scope: new_scope(None),
            env: Env::inside(record),
            this: Some(object.clone()),
            returns: empty_returns(),
            breaks: Vec::new(),
            continues: Vec::new(),
            targets: Vec::new(),
            inlined: self.frame.inlined.clone(),
            base: 0,
        };
        let outer = std::mem::replace(&mut self.frame, frame);
        body(self);
        self.frame = outer;
    }

    /// A call of a function whose body is not there.
    pub fn opaque_call(
        &mut self,
        name: &str,
        places: &[ArgumentPlace],
        result: Option<Type>,
        range: ast::Range,
    ) -> Place {
        let reason = format!("`{name}` has no definition in the files given");
        self.opaque_with(places, result, &reason, range)
    }

    pub fn opaque_with(
        &mut self,
        places: &[ArgumentPlace],
        result: Option<Type>,
        reason: &str,
        range: ast::Range,
    ) -> Place {
        let mut pointers = Vec::new();
        let mut inputs: Vec<ExprId> = Vec::new();
        for (place, at) in places {
            match place {
                Place::Mem(mem) | Place::Val(Val::Object(mem)) => {
                    if mem.ty.scalar().is_some() && !matches!(mem.ty, Type::Pointer(_)) {
                        if let Val::Scalar { id, .. } = self.read(place.clone(), *at) {
                            inputs.push(id);
                        }
                    } else {
                        pointers.push(mem.pointer);
                    }
                }
                place => {
                    if let Val::Scalar { id, ty, .. } = self.read(place.clone(), *at) {
                        if matches!(ty, Type::Pointer(_)) {
                            pointers.push(id);
                        }
                        inputs.push(id);
                    }
                }
            }
        }
        let varying = inputs.is_empty() || !pointers.is_empty();
        self.gap(range, reason, Vec::new(), pointers);
        let ty = match result {
            Some(ty) => ty.strip_reference().clone(),
            None => Type::unknown(reason),
        };
        Place::Val(match ty {
            Type::Void => Val::Void,
            Type::Vector { .. } | Type::Record(_) => self.unknown_val(reason, ty),
            ty => {
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                let id = if varying {
                    self.havoc(reason, scalar, range)
                } else {
                    self.arena.unknown(reason, inputs, false, scalar)
                };
                Val::Scalar { id, ty, volatile: false }
            }
        })
    }

    // Names that are no locals.

    /// The value of a constant expression.
    pub fn constant(&mut self, e: &ast::Expr) -> Option<Val> {
        let value = consteval::eval(&self.unit.names, &self.frame.env, e)?;
        self.constant_value(&value)
    }

    /// A folded value as an operand; `None` for one that is no number.
    pub fn constant_value(&mut self, value: &Value) -> Option<Val> {
        match value {
            Value::Int { value, ty } => Some(scalar_val(self.arena.int(*value, *ty), *ty)),
            Value::Float(value, ty) => Some(scalar_val(self.arena.float(*value, *ty), *ty)),
            _ => None,
        }
    }

    pub fn constant_int(&mut self, e: &ast::Expr) -> Option<i64> {
        match self.constant(e)? {
            Val::Scalar { id, .. } => self.arena.as_int(id),
            _ => None,
        }
    }

    /// A variable at namespace level, or a function's name.
    pub fn global_place(&mut self, path: &ast::Path, name: &str) -> Place {
        if let Some((variable, env)) = self.unit.names.variable(&self.frame.env, path) {
            if variable.storage.is_shared {
                return self.file_shared(variable, env);
            }
            let ty = scope::resolve_type(&self.unit.names, &env, &variable.ty);
            if let Some(id) = self.unit.globals.get(&(std::ptr::from_ref(variable) as usize)) {
                let pointer = self.arena.address(Object::Global(*id));
                let ty = match (&ty, &variable.init) {
                    (Type::Array(element, None), Some(ast::Initialiser::Equals(init) | ast::Initialiser::Brace(init))) => {
                        match &init.kind {
                            ExprKind::List(items) => Type::Array(element.clone(), Some(items.len() as u64)),
                            _ => ty,
                        }
                    }
                    _ => ty,
                };
                let volatile = super::expr::is_volatile(&variable.ty);
                return Place::Mem(Mem { pointer, ty, array: Rc::from(name), volatile, bits: None });
            }
            return self.host_variable(variable, ty, name, env);
        }
        if !self.unit.names.functions(&self.frame.env, path).is_empty() {
            return Place::Val(Val::Special(Special::Function(path.clone(), self.frame.env.clone())));
        }
        if let Some((constant, scalar)) = super::tables::constant(name) {
            let id = match constant {
                super::tables::Constant::Int(n) => self.arena.int(n, scalar),
                super::tables::Constant::Float(x) => self.arena.float(x, scalar),
            };
            return Place::Val(scalar_val(id, scalar));
        }
        let reason = format!("`{}` is not declared in the files given", path_text(path));
        let id = self.arena.unknown(&reason, Vec::new(), false, Scalar::I64);
        Place::Val(Val::Scalar { id, ty: Type::unknown(reason), volatile: false })
    }

    fn file_shared(&mut self, variable: &ast::Variable, env: Env) -> Place {
        let outer = std::mem::replace(&mut self.frame.env, env);
        let scope = std::mem::replace(&mut self.frame.scope, new_scope(None));
        self.declare(variable);
        let place = self.lookup(&variable.name);
        self.frame.env = outer;
        self.frame.scope = scope;
        match place {
            Some(Binding::Place(place)) => place,
            _ => Place::Val(Val::Void),
        }
    }

    /// A host variable in device code: only a constant table has a meaning there.
    fn host_variable(&mut self, variable: &ast::Variable, ty: Type, name: &str, env: Env) -> Place {
        if let Type::Opaque(_) = &ty {
            return Place::Val(Val::Special(Special::Opaque(ty)));
        }
        let is_constant = variable.ty.is_const || variable.storage.is_constexpr;
        let count = match (&ty, &variable.init) {
            (Type::Array(_, Some(n)), _) => Some(*n),
            (Type::Array(_, None), Some(ast::Initialiser::Equals(init) | ast::Initialiser::Brace(init))) => match &init.kind {
                ExprKind::List(items) => Some(items.len() as u64),
                _ => None,
            },
            (Type::Record(_) | Type::Vector { .. }, _) => Some(1),
            _ => None,
        };
        if is_constant
            && let (Some(count), Some(init)) = (count, &variable.init)
            && count <= MAX_TABLE
        {
            let ty = match ty {
                Type::Array(element, None) => Type::Array(element, Some(count)),
                ty => ty,
            };
            let object = self.local(name, &ty, None);
            let outer = std::mem::replace(&mut self.frame.env, env);
            let scope = std::mem::replace(&mut self.frame.scope, new_scope(None));
            self.initialise_from(&object, init, ast::Range::default());
            self.frame.env = outer;
            self.frame.scope = scope;
            return Place::Mem(object);
        }
        let reason = format!("`{name}` is a variable of the host");
        match ty.scalar() {
            Some(scalar) => {
                let id = self.arena.unknown(&reason, Vec::new(), false, scalar);
                Place::Val(Val::Scalar { id, ty, volatile: false })
            }
            None => {
                let pointer = self.arena.unknown(&reason, Vec::new(), false, Scalar::Pointer);
                Place::Mem(Mem { pointer, ty, array: Rc::from(name), volatile: false, bits: None })
            }
        }
    }

    /// A static member or enumerator reached through an object.
    pub fn static_member(&mut self, record: &Arc<RecordType>, name: &str, e: &ast::Expr) -> Option<Place> {
        let segment = ast::Segment { name: Arc::from(name), arguments: None };
        let path = ast::Path { is_global: false, segments: vec![segment], range: e.range };
        let expr = ast::Expr { kind: ExprKind::Path(path), range: e.range };
        let value = consteval::eval(&self.unit.names, &Env::inside(record), &expr)?;
        self.constant_value(&value).map(Place::Val)
    }

    /// A folded constant kept for other constants, in the declared type.
    pub fn converted(&self, value: Value, ty: &Type, constant: &Val) -> Value {
        if let (Val::Scalar { id, .. }, Some(scalar)) = (constant, ty.scalar())
            && let Some(n) = self.arena.as_int(*id)
        {
            return Value::int(n, scalar);
        }
        value
    }
}

enum Bound {
    One(One),
    Pack(Vec<One>),
    /// No argument was given; the type as far as it is written.
    Default(Option<Type>),
}

enum One {
    /// Bound to what the argument names.
    Place(Place),
    /// A variable of its own.
    Value(Type, Val),
}

fn volatile(one: One) -> One {
    match one {
        One::Value(ty, Val::Scalar { id, ty: own, .. }) => One::Value(ty, Val::Scalar { id, ty: own, volatile: true }),
        One::Place(Place::Mem(mem)) => One::Place(Place::Mem(Mem { volatile: true, ..mem })),
        other => other,
    }
}
