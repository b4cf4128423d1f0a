//! Values with parts: conversions, construction and assignment.

use super::members::Written;
use super::named::initial_value;
use super::{Fields, Locals, Pointee, Value, arithmetic, body, braced_lists, eval_in, list_values};
use crate::ir::Scalar;
use crate::sema::scope::{self, Callee, Env, Guard, Names, overload_for_types, resolve_type};
use crate::sema::types::{Field, RecordType, Target, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Name, TypeExpr, TypeKind};
use std::sync::Arc;

pub(super) fn aggregate(
    names: &Names<'_>,
    at: &Env,
    locals: &mut Locals,
    r: &Arc<RecordType>,
    items: &[(Option<ast::Name>, Expr)],
) -> Option<Value> {
    let values = list_values(names, at, locals, items)?;
    if items.iter().all(|(n, _)| n.is_none()) {
        return construct(names, &Type::Record(r.clone()), values);
    }
    let mut made = construct(names, &Type::Record(r.clone()), Vec::new())?;
    if let Value::Fields(f) = &mut made {
        let f = Arc::make_mut(f);
        for ((name, _), value) in items.iter().zip(values) {
            let name = name.as_ref()?;
            let field = r.fields.iter().find(|f| *f.name == **name)?;
            let is_plain = !matches!(field.ty, Type::Reference(_)) && field.bits.is_none();
            let value = value.filter(|_| is_plain);
            f.values.iter_mut().find(|(n, _)| n == name)?.1 =
                value.and_then(|v| cast(names, &field.ty, v));
        }
    }
    Some(made)
}

/// `v + 1` or `v - 1` in the type of `v`.
#[must_use]
pub(crate) fn step(v: &Value, up: bool) -> Option<Value> {
    let one = Value::int(1, Scalar::I32);
    let new = arithmetic::binary(if up { BinaryOp::Add } else { BinaryOp::Sub }, v, &one)?;
    match v.ty() {
        Some(Type::Scalar(s, _)) => new.convert(s),
        _ => Some(new),
    }
}

/// Writes a local variable, a field or an element; false where `place` is none of these. An unknown
/// index makes the whole array unknown.
pub(crate) fn assign(
    names: &Names<'_>,
    env: &Env,
    locals: &mut Locals,
    place: &Expr,
    value: Option<Value>,
) -> bool {
    let Some((root, mut steps)) = steps_to(names, env, locals, place) else {
        return false;
    };
    let Some(slot) = locals.get_mut(root) else {
        return false;
    };
    slot.may_hold = None;
    if slot.is_escaped {
        slot.value = None;
        return true;
    }
    let is_pointer = matches!(slot.ty.strip_reference(), Type::Pointer(_));
    if steps.is_empty() {
        // What a pointer points into may change.
        let value = value.filter(|v| !is_pointer || !matches!(v, Value::List(_)));
        slot.value = value.and_then(|v| cast(names, &slot.ty, v));
        return true;
    }
    if is_pointer && matches!(slot.value, Some(Value::List(_))) {
        return false;
    }
    // Of a vector that nothing is known of, one member is known from here on.
    if slot.value.is_none() && matches!(steps[..], [Step::Field(_)]) {
        slot.value = open_vector(&slot.ty);
    }
    let mut target = &mut slot.value;
    // The declared type of the place; a value is cut to it.
    let mut ty = Some(slot.ty.strip_reference().clone());
    let mut has_bits = false;
    while let Some(step) = steps.pop() {
        if let Some(of) = target.as_ref().and_then(Value::ty) {
            ty = Some(of);
        }
        ty = match (ty, &step) {
            (Some(Type::Record(r)), Step::Field(name)) => {
                let field = r.fields.iter().find(|f| *f.name == **name);
                has_bits |= field.is_some_and(|f| f.bits.is_some());
                if let (Some(Value::Fields(f)), Some(field)) = (target.as_mut(), field) {
                    let values = &mut Arc::make_mut(f).values;
                    forget_overlapping(values, &r, field);
                }
                field.map(|f| f.ty.clone())
            }
            (Some(Type::Vector { scalar, .. }), Step::Field(_)) => Some(Type::number(scalar)),
            (Some(Type::Array(of, _)), Step::Element(_)) => Some((*of).clone()),
            _ => element_type(target.as_ref()),
        };
        let next = match (target.as_mut(), &step) {
            (Some(Value::Fields(f)), Step::Field(name)) => Arc::make_mut(f)
                .values
                .iter_mut()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v),
            (Some(Value::List(items)), Step::Element(Some(i))) => Arc::make_mut(items).get_mut(*i),
            (Some(Value::Pointer { .. }), Step::Element(_)) => return true,
            _ => None,
        };
        match next {
            Some(next) => target = next,
            None => {
                slot.value = None;
                return true;
            }
        }
    }
    let of = ty.or_else(|| target.as_ref().and_then(Value::ty));
    *target = match (value, of) {
        _ if has_bits => None,
        (Some(v), Some(of)) => cast(names, &of, v),
        // Into what a number is converted is not known.
        (Some(Value::Int { .. } | Value::Float(..)), None) => None,
        (v, _) => v,
    };
    true
}

/// A vector of which no member is known.
fn open_vector(ty: &Type) -> Option<Value> {
    let Type::Vector { lanes, .. } = ty else {
        return None;
    };
    Some(vector_of(ty, *lanes, |_| None))
}

/// A vector with these lanes, each where it is known.
fn vector_of(ty: &Type, lanes: u8, lane: impl Fn(usize) -> Option<Value>) -> Value {
    let names = ["x", "y", "z", "w"].into_iter().take(usize::from(lanes));
    let values = names.enumerate();
    let values = values.map(|(i, name)| (Name::from(name), lane(i)));
    Value::Fields(Arc::new(Fields {
        ty: ty.clone(),
        values: values.collect(),
    }))
}

/// The variable that a place lies in, and the steps from it to the place, the last one first.
fn steps_to<'e>(
    names: &Names<'_>,
    env: &Env,
    locals: &Locals,
    place: &'e Expr,
) -> Option<(&'e ast::Name, Vec<Step>)> {
    let mut steps = Vec::new();
    let mut at = place;
    loop {
        match &at.kind {
            ExprKind::Path(p) if p.segments.len() == 1 && !p.is_global => {
                return Some((&p.segments[0].name, steps));
            }
            ExprKind::Member {
                object,
                arrow: false,
                member,
            } => {
                steps.push(Step::Field(member.segments.last()?.name.clone()));
                at = object;
            }
            ExprKind::Index(base, index) if index.len() == 1 => {
                let mut locals = Locals {
                    slots: locals.slots.clone(),
                    is_mutable: false,
                    frame: locals.frame,
                };
                let i = eval_in(names, env, &mut locals, &index[0]);
                steps.push(Step::Element(
                    i.and_then(|v| v.as_int())
                        .and_then(|i| usize::try_from(i).ok()),
                ));
                at = base;
            }
            ExprKind::Cast { value, .. } => at = value,
            _ => return None,
        }
    }
}

/// Members of a union share their bytes: those beside the one that is written are not known then.
fn forget_overlapping(
    values: &mut [(ast::Name, Option<Value>)],
    record: &RecordType,
    written: &Field,
) {
    for (name, value) in values {
        let other = record.fields.iter().find(|f| *f.name == **name);
        let shares = other.is_some_and(|other| overlap(other, written));
        if *written.name != **name && shares {
            *value = None;
        }
    }
}

/// The type that the known elements of a list have.
fn element_type(list: Option<&Value>) -> Option<Type> {
    match list {
        Some(Value::List(items)) => items.iter().flatten().find_map(Value::ty),
        _ => None,
    }
}

enum Step {
    Field(ast::Name),
    Element(Option<usize>),
}

/// A value converted to a type; what has no meaning there is unknown.
pub(crate) fn cast(names: &Names<'_>, wanted: &Type, value: Value) -> Option<Value> {
    match (wanted.strip_reference(), &value) {
        (Type::Scalar(s, _), Value::Int { .. } | Value::Float(..) | Value::Pointer { .. }) => {
            value.convert(*s)
        }
        (Type::Scalar(_, _), Value::List(items)) => match &items[..] {
            [Some(v)] => cast(names, wanted, v.clone()),
            [] => cast(names, wanted, Value::int(0, Scalar::I32)),
            _ => None,
        },
        (
            Type::Pointer(t),
            Value::Pointer {
                offset,
                pointee,
                is_assumed,
            },
        ) => Some(Value::Pointer {
            offset: pointee.converted(t, *offset),
            pointee: Pointee::of(t),
            is_assumed: *is_assumed,
        }),
        (Type::Pointer(_) | Type::Function, Value::Function(_) | Value::Str(_)) => Some(value),
        (Type::Pointer(_), Value::Int { .. }) => Some(value),
        (Type::Pointer(_) | Type::Array(..), Value::List(_)) => match (wanted, &value) {
            (Type::Array(of, n), Value::List(items)) => braced_lists::array(names, of, *n, items),
            _ => Some(value),
        },
        // It may be a vector itself.
        (Type::Vector { .. }, Value::List(items)) if matches!(&items[..], [None]) => None,
        (Type::Vector { .. } | Type::Record(_), Value::List(items)) => {
            construct(names, wanted.strip_reference(), items.to_vec())
        }
        (Type::Vector { name, .. }, Value::Fields(f)) if matches!(&f.ty, Type::Vector { name: n, .. } if n == name) => {
            Some(value)
        }
        (ty @ Type::Vector { name, .. }, Value::Fields(_)) => fields_as(ty, name, &value),
        (Type::Vector { name: "dim3", .. }, _) => construct(names, wanted, vec![Some(value)]),
        (Type::Record(r), Value::Fields(f)) if f.ty == *wanted.strip_reference() => {
            let is_copied = !matches!(wanted, Type::Reference(_));
            (!is_copied || !copies_by_hand(names, r)).then_some(value)
        }
        (Type::Record(r), _)
            if !matches!(value, Value::Fields(_))
                && names.methods(r, "=").is_empty()
                && !needs_word(names, r) =>
        {
            constructed(names, r, &[Some(value)])
        }
        (Type::Opaque(text), Value::List(items)) => elements(names, text, items),
        // `auto`, and classes of headers that are not there.
        (Type::Unknown(_) | Type::Opaque(_), Value::Lambda(_) | Value::Function(_))
        | (Type::Unknown(_), Value::List(_)) => Some(value),
        _ => None,
    }
}

/// A copy of a value, where copying it does nothing else.
pub(crate) fn copied(names: &Names<'_>, value: Value) -> Option<Value> {
    match &value {
        Value::Fields(f) => match &f.ty {
            Type::Record(r) if copies_by_hand(names, r) => None,
            _ => Some(value),
        },
        _ => Some(value),
    }
}

/// Whether a class, or one of its members, has a copy constructor of its own.
fn copies_by_hand(names: &Names<'_>, r: &Arc<RecordType>) -> bool {
    let Some(_guard) = Guard::enter() else {
        return true;
    };
    let own = r.record.name.as_ref().map(|name| names.methods(r, name));
    let is_copying = |c: &scope::Callee| {
        let f = &c.function;
        let is_own = |ty: &TypeExpr| match &ty.kind {
            TypeKind::Reference { to, .. } => {
                *resolve_type(names, &c.env, to).strip_reference() == Type::Record(r.clone())
            }
            _ => false,
        };
        f.kind == ast::FunctionKind::Constructor
            && f.body.is_some()
            && !f.is_default_copy()
            && f.parameters.first().is_some_and(|p| is_own(&p.ty))
    };
    own.into_iter().flatten().any(|c| is_copying(&c))
        || r.bases.iter().any(|(_, base)| copies_by_hand(names, base))
        || r.fields.iter().any(|f| match &f.ty {
            Type::Record(inner) => copies_by_hand(names, inner),
            _ => false,
        })
}

/// Whether a conversion to a class depends on who asks for it: `S s = 5` passes an `explicit` constructor
/// over, `S(5)` does not.
fn needs_word(names: &Names<'_>, r: &Arc<RecordType>) -> bool {
    let all = r.record.name.as_ref().map(|name| names.methods(r, name));
    let of_one = all.into_iter().flatten().filter(|c| {
        c.function.kind == ast::FunctionKind::Constructor && !c.function.parameters.is_empty()
    });
    let (explicit, plain): (Vec<_>, Vec<_>) =
        of_one.partition(|c| c.function.attributes.is_explicit);
    !explicit.is_empty() && !plain.is_empty()
}

/// `std::vector<T>{…}`, `std::array<T, n>{…}`: as many elements as are listed, of that type.
fn elements(names: &Names<'_>, text: &str, items: &[Option<Value>]) -> Option<Value> {
    let (name, arguments) = scope::opaque_arguments(text)?;
    let plain = name.rsplit("::").next().unwrap_or(name);
    let scope::Binding::Type(of) = arguments.first()? else {
        return None;
    };
    if let ("array", Some(scope::Binding::Value(n, _))) = (plain, arguments.get(1)) {
        let length = u64::try_from(n.as_int()?).ok()?;
        let of = Target::new(of.clone()).of_class(true);
        return braced_lists::array(names, &of, Some(length), items);
    }
    if !matches!(plain, "vector" | "initializer_list") || items.len() > 65_536 {
        return None;
    }
    let items = items
        .iter()
        .map(|v| v.clone().and_then(|v| cast(names, of, v)))
        .collect();
    Some(Value::List(Arc::new(items)))
}

/// `T(values…)` or `T{values…}`; `None` among the values is an unknown one.
pub(crate) fn construct(names: &Names<'_>, ty: &Type, values: Vec<Option<Value>>) -> Option<Value> {
    match ty.strip_reference() {
        Type::Scalar(s, _) => match &values[..] {
            [] => Value::int(0, Scalar::I32).convert(*s),
            [Some(v)] => cast(names, ty, v.clone()),
            _ => None,
        },
        Type::Vector {
            name,
            scalar,
            lanes,
        } => {
            if let [Some(v @ Value::Fields(_))] = &values[..] {
                // A copy, or `dim3(uint3)`.
                return fields_as(ty, name, v);
            }
            if let [Some(v @ Value::List(_))] = &values[..] {
                return cast(names, ty, v.clone());
            }
            let missing = i64::from(*name == "dim3");
            let lane = |i: usize| match values.get(i) {
                Some(v) => v.as_ref()?.convert(*scalar),
                None => Value::int(missing, Scalar::I32).convert(*scalar),
            };
            Some(vector_of(ty.strip_reference(), *lanes, lane))
        }
        Type::Record(r) => match &values[..] {
            [Some(Value::Fields(f))] if f.ty == *ty.strip_reference() => {
                values[0].clone().filter(|_| !copies_by_hand(names, r))
            }
            _ => constructed(names, r, &values),
        },
        Type::Array(..) => cast(names, ty, Value::List(Arc::new(values))),
        Type::Pointer(_) => match values.into_iter().next() {
            Some(v) => cast(names, ty, v?),
            None => Some(Value::int(0, Scalar::I64)),
        },
        _ => None,
    }
}

/// The same with the expressions at hand: one of which nothing is known may be a vector itself, as in
/// `dim3(uint3)`.
pub(super) fn construct_of<'e>(
    names: &Names<'_>,
    (env, locals): (&Env, &Locals),
    ty: &Type,
    given: impl IntoIterator<Item = &'e Expr>,
    values: Vec<Option<Value>>,
) -> Option<Value> {
    if let (Type::Vector { .. }, [None]) = (ty.strip_reference(), &values[..]) {
        let e = given.into_iter().next()?;
        let of = scope::type_with(names, env, e, &|n| locals.get(n).map(|s| s.ty.clone()));
        if !matches!(of.strip_reference(), Type::Scalar(..)) {
            return None;
        }
    }
    construct(names, ty, values)
}

fn fields_as(ty: &Type, name: &str, v: &Value) -> Option<Value> {
    let Value::Fields(f) = v else { return None };
    match &f.ty {
        Type::Vector { name: other, .. } if *other == name => Some(v.clone()),
        Type::Vector {
            scalar: Scalar::U32,
            lanes: 3,
            ..
        } if matches!(name, "dim3" | "uint3") => Some(Value::Fields(Arc::new(Fields {
            ty: ty.clone(),
            values: f.values.clone(),
        }))),
        _ => None,
    }
}

/// An object of a class: by its constructor where it has one that fits, else member by member.
fn constructed(names: &Names<'_>, r: &Arc<RecordType>, values: &[Option<Value>]) -> Option<Value> {
    let _guard = Guard::enter()?;
    let r = scope::complete(names, r);
    // Members that share their bytes, or have fewer bits than their type, change with each other.
    if r.is_union || r.fields.iter().any(|f| f.name.is_empty()) {
        return None;
    }
    if let [Some(Value::Fields(from))] = values
        && from.ty == Type::Record(r.clone())
        && !copies_by_hand(names, &r)
    {
        return Some(Value::Fields(from.clone()));
    }
    let constructors: Vec<_> = r
        .record
        .name
        .as_ref()
        .map_or_else(Vec::new, |n| names.methods(&r, n));
    let constructors: Vec<_> = constructors
        .into_iter()
        .filter(|c| {
            let f = &c.function;
            f.kind == ast::FunctionKind::Constructor && !f.is_default_copy()
        })
        .collect();
    let mut locals = Locals {
        is_mutable: true,
        ..Locals::default()
    };
    // Braces prefer it, and what stands around the values is not known here.
    if !values.is_empty() && constructors.iter().any(|c| c.function.takes_list()) {
        return None;
    }
    let fields = if constructors.is_empty() {
        fields_of_list(names, &r, values, &mut locals)?
    } else {
        fields_by_constructor(names, &r, &constructors, values, &mut locals)?
    };
    Some(Value::Fields(Arc::new(Fields {
        ty: Type::Record(r),
        values: fields,
    })))
}

/// The values of fields, in their order.
type FieldValues = Vec<(ast::Name, Option<Value>)>;

/// What a field has where nothing gives it another value.
fn default_of(
    names: &Names<'_>,
    r: &RecordType,
    inside: &Env,
    name: &str,
    locals: &mut Locals,
) -> Option<Value> {
    initial_value(names, inside, locals, declaration(r, name)?)
}

/// What is known of a field that is given `value`: what a reference names may change at any time, and so may
/// an array that a pointer points into.
fn kept(f: &Field, value: Option<Value>) -> Option<Value> {
    let is_view = |value: &Value| {
        matches!(f.ty, Type::Reference(_))
            || matches!((&f.ty, value), (Type::Pointer(_), Value::List(_)))
    };
    value.filter(|value| !is_view(value) && f.bits.is_none())
}

/// The declaration of a data member.
fn declaration<'r>(r: &'r RecordType, name: &str) -> Option<&'r ast::Variable> {
    r.record.members.iter().find_map(|m| match m {
        ast::Member::Variables(vs) => vs.iter().find(|v| &*v.name == name),
        _ => None,
    })
}

/// What a constructor gives to a member before its body.
fn initialiser_of<'f>(by: &'f ast::Function, member: &str) -> Option<&'f [Expr]> {
    let is_it = |path: &ast::Path| path.as_name().is_some_and(|name| &**name == member);
    let mut all = by.initialisers.iter();
    all.find(|(path, _)| is_it(path)).map(|(_, es)| &es[..])
}

/// Whether the initialisers that give members their first values may write other members.
fn writes_others(names: &Names<'_>, r: &Arc<RecordType>, by: Option<&ast::Function>) -> bool {
    let mut written = Written::new(names, r, by);
    for f in &r.fields {
        let mut of_field = |e| {
            written.expression(e);
            if !matches!(f.ty, Type::Scalar(..)) {
                written.bound(e, true);
            }
        };
        match by.and_then(|by| initialiser_of(by, &f.name)) {
            Some(es) => es.iter().for_each(of_field),
            None => {
                if let Some(v) = declaration(r, &f.name) {
                    v.each_initial(&mut of_field);
                }
            }
        }
    }
    written.is_any()
}

/// Fields of which nothing is known.
fn unknown_fields(r: &RecordType) -> FieldValues {
    let fields = r.fields.iter();
    fields
        .map(|f| (ast::Name::from(f.name.as_str()), None))
        .collect()
}

/// The fields of a class without constructors, one by one.
fn fields_of_list(
    names: &Names<'_>,
    r: &Arc<RecordType>,
    values: &[Option<Value>],
    locals: &mut Locals,
) -> Option<FieldValues> {
    let inside = Env::inside(r);
    let mut fields = Vec::new();
    if !r.bases.is_empty() {
        return None;
    }
    if writes_others(names, r, None) {
        return Some(unknown_fields(r));
    }
    let values = braced_lists::members(names, r, values)?;
    for (i, f) in r.fields.iter().enumerate() {
        let value = match values.get(i) {
            Some(v) => v.clone(),
            None => default_of(names, r, &inside, &f.name, locals),
        };
        let value = kept(f, value);
        fields.push((ast::Name::from(f.name.as_str()), value));
    }
    Some(fields)
}

/// The fields as the constructor leaves them that fits the arguments.
fn fields_by_constructor(
    names: &Names<'_>,
    r: &Arc<RecordType>,
    constructors: &[Callee],
    values: &[Option<Value>],
    locals: &mut Locals,
) -> Option<FieldValues> {
    let inside = Env::inside(r);
    let mut fields: FieldValues = Vec::new();
    let types: Vec<_> = values
        .iter()
        .map(|v| {
            v.as_ref()
                .and_then(Value::ty)
                .unwrap_or_else(|| Type::unknown("unknown"))
        })
        .collect();
    let (c, env) = overload_for_types(names, &inside, constructors, &[], &types)?;
    if writes_others(names, r, Some(&c.function))
        || !body::bind_parameters(names, &env, &c.function, values, locals)
    {
        return Some(unknown_fields(r));
    }
    // `S(int a, int b) : S(a) { … }`: the other constructor makes the object.
    let own = r.record.name.as_ref();
    let mut others = c.function.initialisers.iter();
    let is_delegated = |path: &ast::Path| match path.segments.last() {
        Some(last) if Some(&last.name) != own => Some(false),
        Some(_) if path.as_name().is_some() => Some(true),
        // A base of the same name, perhaps, or the class itself with its arguments.
        _ => None,
    };
    if c.function
        .initialisers
        .iter()
        .any(|(path, _)| is_delegated(path).is_none())
    {
        return None;
    }
    let made = match others.find(|(path, _)| is_delegated(path) == Some(true)) {
        None => None,
        Some((_, es)) => {
            let values: Vec<_> = es.iter().map(|e| eval_in(names, &env, locals, e)).collect();
            match constructed(names, r, &values)? {
                Value::Fields(made) => Some(made),
                _ => return None,
            }
        }
    };
    fields.extend(made.iter().flat_map(|made| made.values.iter().cloned()));
    for f in r.fields.iter().filter(|_| made.is_none()) {
        let value = match initialiser_of(&c.function, &f.name) {
            Some(es) => {
                let values: Vec<_> = es.iter().map(|e| eval_in(names, &env, locals, e)).collect();
                construct(names, &f.ty, values)
            }
            None => default_of(names, r, &inside, &f.name, locals),
        };
        let value = kept(f, value);
        fields.push((ast::Name::from(f.name.as_str()), value));
    }
    let statements = c.function.body.as_deref().unwrap_or_default();
    if c.function.body.is_none() && fields.iter().any(|(_, v)| v.is_some()) {
        return None;
    }
    if !statements.is_empty() {
        // The body sees the fields as variables.
        let at = locals.slots.len();
        for ((name, value), f) in fields.iter().zip(&r.fields) {
            locals.push(name.clone(), f.ty.clone(), value.clone());
        }
        let mut written = Written::new(names, r, Some(&c.function));
        statements.iter().for_each(|s| written.statement(s));
        let whole = body::run(names, &env, locals, statements);
        for ((name, value), slot) in fields.iter_mut().zip(&locals.slots[at..]) {
            if whole {
                value.clone_from(&slot.value);
            } else if written.has(name) {
                *value = None;
            }
        }
    }
    Some(fields)
}

/// Whether two members share bytes; bit-fields share none.
fn overlap(a: &Field, b: &Field) -> bool {
    let end = |f: &Field| f.offset + f.ty.size().unwrap_or(1);
    a.bits.is_none() && b.bits.is_none() && a.offset < end(b) && b.offset < end(a)
}
