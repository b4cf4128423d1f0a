//! Classes with their members: bases, fields and their offsets.
//!
//! Given a definition and the bindings of its template; lays it out by C++'s rules on 64-bit Linux.

use super::resolve::{resolve_qualified, resolve_type};
use super::{
    Binding, Env, Fingerprint, Guard, Identity, Names, Prefix, display_list, display_path,
};
use crate::ir::Scalar;
use crate::sema::consteval::{self, Value};
use crate::sema::types::{self, Field, Placement, RecordType, Twin, Type, scalar_name};
use crate::syntax::ast::{self, TypeExpr, TypeKind};
use std::sync::Arc;

/// The finished layout of a class that was still being laid out when it was named.
#[must_use]
pub fn complete(names: &Names<'_>, record: &Arc<RecordType>) -> Arc<RecordType> {
    if record.problem.is_none() {
        return record.clone();
    }
    names
        .instances
        .get(&record.identity)
        .unwrap_or_else(|| record.clone())
}

/// A class is told apart by its text, the class around it and its template arguments; a local one by
/// the locals around it as well.
fn identity_of(record: &Arc<ast::Record>, env: &Env, arguments: &[Binding]) -> Identity {
    let start = Fingerprint::new("record")
        .place(Arc::as_ptr(record))
        .bindings(arguments)
        .text(&types_of_auto(record.templates.last(), arguments));
    let all = match &env.record {
        // The names of the arguments are among the locals.
        Some(around) if !arguments.is_empty() => start.record(around),
        None if !arguments.is_empty() => start,
        _ => start.env(env),
    };
    all.identity()
}

/// The types of numbers that parameters without a type of their own are given: `S<1>` and `S<1l>` of
/// `template <auto N> struct S`.
pub(super) fn types_of_auto(head: Option<&ast::TemplateHead>, arguments: &[Binding]) -> String {
    let Some(head) = head else {
        return String::new();
    };
    let mut out = String::new();
    for (at, argument) in arguments.iter().enumerate() {
        let parameter = head.parameters.get(at).or(head.parameters.last());
        if parameter.is_some_and(has_no_type) {
            add_types_of_numbers(argument, &mut out);
        }
    }
    out
}

/// Whether a parameter takes values of any type: `template <auto N>`.
pub(super) fn has_no_type(p: &ast::TemplateParameter) -> bool {
    matches!(&p.kind, ast::TemplateParameterKind::Value { ty, .. } if matches!(ty.kind, ast::TypeKind::Auto | ast::TypeKind::DecltypeAuto))
}

fn add_types_of_numbers(argument: &Binding, out: &mut String) {
    match argument {
        Binding::Value(value, _) => out.push_str(&format!("{:?} ", value.ty())),
        Binding::Pack(items) => items.iter().for_each(|one| add_types_of_numbers(one, out)),
        _ => {}
    }
}

/// `float, 16`: what the named parameters of a template are bound to, each as `display` says.
#[must_use]
pub fn display_bound(
    head: &ast::TemplateHead,
    env: &Env,
    display: impl Fn(&ast::TemplateParameter, &Binding) -> String,
) -> String {
    let named = head.parameters.iter();
    let bound = named.filter_map(|p| Some(display(p, env.get(p.name.as_deref()?)?)));
    let texts: Vec<String> = bound.filter(|text| !text.is_empty()).collect();
    texts.join(", ")
}

/// An argument as it is displayed: with its type, where the parameter has none and it is no `int`.
#[must_use]
pub fn display_argument(parameter: &ast::TemplateParameter, argument: &Binding) -> String {
    match argument {
        Binding::Value(value @ Value::Int { ty, .. }, _)
            if has_no_type(parameter) && !matches!(ty, Scalar::I32 | Scalar::Bool) =>
        {
            format!("({}){value}", scalar_name(*ty, Twin::First))
        }
        Binding::Pack(items) => {
            let items = items.iter().map(|one| display_argument(parameter, one));
            items.collect::<Vec<_>>().join(", ")
        }
        _ => argument.to_string(),
    }
}

/// Lays out a class. `env` holds its template bindings, `arguments` lists them in order, `label` is
/// its name without them.
#[must_use]
pub fn instantiate(
    names: &Names<'_>,
    record: &Arc<ast::Record>,
    env: &Env,
    arguments: Vec<Binding>,
    label: &str,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its class is nested too deeply");
    };
    let mut name = env
        .record
        .as_ref()
        .map_or_else(String::new, |r| format!("{}::", r.name));
    name.push_str(label);
    if !arguments.is_empty() {
        name = format!("{name}<{}>", display_list(&arguments));
    }
    let identity = identity_of(record, env, &arguments);
    if let Some(known) = names.instances.get(&identity) {
        return Type::Record(known);
    }
    let mut made = RecordType {
        identity,
        name,
        size: 0,
        data_size: 0,
        align: 1,
        is_polymorphic: false,
        is_union: record.is_union,
        fields: Vec::new(),
        record: record.clone(),
        env: env.clone(),
        arguments,
        bases: Vec::new(),
        problem: Some(Arc::from(if record.is_definition {
            "it contains itself"
        } else {
            "the class is only declared"
        })),
    };
    if !record.is_definition {
        // `struct __half;` announces the toolkit's class.
        let is_global = env.record.is_none() && env.namespace == 0 && made.arguments.is_empty();
        if let Some(known) = types::known(label).filter(|_| is_global) {
            return known;
        }
        let made = Arc::new(made);
        names.instances.insert(made.clone());
        return Type::Record(made);
    }
    let unfinished = names.instances.begin(shell_of(&made));
    let mut placement = Placement::new(record.is_union).packed(record.pack);
    let mut problem = problem_as_written(record);
    made.is_polymorphic = record.is_polymorphic;
    let (taken, has_table) = place_bases(names, env, &mut made, &mut placement, &mut problem);
    if record.is_polymorphic && !has_table {
        placement.place(8, 8);
    }
    let shell = shell_of(&made);
    unfinished.update(shell.clone());
    let inside = Env::inside(&shell);
    for v in members_with_room(record) {
        let before = made.fields.len();
        let placed = add_field(names, &inside, v, &mut placement, &taken, &mut made.fields);
        for field in &mut made.fields[before..] {
            field.is_placed = problem.is_none() && (field.is_placed || is_at_start(record, before));
        }
        if let Err(reason) = placed {
            problem = problem.or(Some(reason));
        }
    }
    let align = record
        .align
        .as_ref()
        .map_or(Some(1), |e| consteval::eval(names, &inside, e)?.as_int());
    match align.and_then(|a| placement.finish(a.max(1) as u64)) {
        Some((size, align)) => {
            (made.size, made.align) = (size, align);
            made.data_size = placement.data_size().min(size);
        }
        None => problem = problem.or_else(|| Some(Arc::from("its alignment is not known"))),
    }
    made.problem = problem;
    let made = Arc::new(made);
    drop(unfinished);
    names.instances.insert(made.clone());
    Type::Record(made)
}

/// Why the layout of a class is not known, as far as its text tells.
fn problem_as_written(record: &ast::Record) -> Option<Arc<str>> {
    let of_text = record.problem.as_ref();
    of_text
        .map(|p| Arc::from(p.message.as_str()))
        .or_else(|| record.unmodelled.map(Arc::from))
        .or_else(|| (record.pack == Some(0)).then(|| Arc::from("its packing is not known")))
}

/// A class as it is known while its members are laid out: without them.
fn shell_of(made: &RecordType) -> Arc<RecordType> {
    Arc::new(RecordType {
        name: made.name.clone(),
        fields: Vec::new(),
        record: made.record.clone(),
        env: made.env.clone(),
        arguments: made.arguments.clone(),
        bases: made.bases.clone(),
        problem: made.problem.clone(),
        ..*made
    })
}

/// Members that each object has room for.
fn members_with_room(record: &ast::Record) -> impl Iterator<Item = &ast::Variable> {
    record
        .members
        .iter()
        .filter_map(|member| match member {
            ast::Member::Variables(variables) => Some(variables),
            _ => None,
        })
        .flatten()
        .filter(|v| !v.storage.is_static && !v.storage.is_constexpr)
}

/// Lays out the base classes. Gives where parts of empty classes lie, and whether there is a table of virtual
/// functions already.
fn place_bases(
    names: &Names<'_>,
    env: &Env,
    made: &mut RecordType,
    placement: &mut Placement,
    problem: &mut Option<Arc<str>>,
) -> (Vec<(u64, Identity)>, bool) {
    let mut has_table = false;
    // Where parts of empty classes lie: two of one class share no address.
    let mut taken: Vec<(u64, Identity)> = Vec::new();
    let record = made.record.clone();
    for (index, base) in record.bases.iter().enumerate() {
        match resolve_type(names, env, base) {
            Type::Record(b) if b.problem.is_none() => {
                if b.is_polymorphic {
                    made.is_polymorphic = true;
                    if index > 0 {
                        let reason = "virtual functions of a later base class are not modelled";
                        problem.get_or_insert_with(|| Arc::from(reason));
                    }
                    has_table = true;
                } else if record.is_polymorphic && !has_table {
                    // The table's pointer goes in front of base classes that have none.
                    has_table = placement.place(8, 8).is_some();
                }
                let empty = b.is_empty();
                // What is derived from a class that is no plain structure lies in its padding.
                let is_plain = b.is_plain();
                let occupied = match is_plain {
                    Some(false) => b.data_size,
                    _ => b.size,
                };
                let is_full = b.data_size == b.size || empty;
                if is_plain.is_none() && !is_full {
                    let reason = "whether it lies in the padding of its base class is not modelled";
                    problem.get_or_insert_with(|| Arc::from(reason));
                }
                if record.pack.is_some() && !empty {
                    let reason = "bases of a packed class are not modelled";
                    problem.get_or_insert_with(|| Arc::from(reason));
                }
                let own = b.empty_parts(0);
                let size = if empty { 0 } else { occupied };
                let at = placement.place_apart(size, b.align, |at| {
                    let mut own = own.iter();
                    !empty && own.any(|(offset, class)| taken.contains(&(at + offset, *class)))
                });
                match at {
                    Some(offset) => {
                        let offset = if empty { 0 } else { offset };
                        if empty && own.iter().any(|part| taken.contains(part)) {
                            let reason = "bases of one empty class are not modelled";
                            problem.get_or_insert_with(|| Arc::from(reason));
                        }
                        taken.extend(own.iter().map(|(at, class)| (at + offset, *class)));
                        made.bases.push((offset, b));
                    }
                    None => *problem = Some(Arc::from("it is too large")),
                }
            }
            t => {
                // It begins where the object does, however long it is.
                if let Type::Record(b) = &t
                    && index == 0
                    && b.record.is_definition
                    && (b.is_polymorphic || !record.is_polymorphic)
                {
                    made.is_polymorphic |= b.is_polymorphic;
                    has_table |= b.is_polymorphic;
                    made.bases.push((0, b.clone()));
                }
                problem.get_or_insert_with(|| {
                    let name = base_name(base, &t);
                    Arc::from(format!(
                        "the layout of its base class `{name}` is not known"
                    ))
                });
            }
        }
    }
    (taken, has_table)
}

fn base_name(written: &TypeExpr, t: &Type) -> String {
    match &written.kind {
        TypeKind::Named(p) => display_path(p),
        _ => t.display(),
    }
}

/// Size and alignment of a member, or why they are not known.
fn room_of(ty: &Type) -> Result<(u64, u64), String> {
    match ty {
        Type::Reference(_) => return Ok((8, 8)),
        Type::Array(t, None) => return Ok((0, t.align().unwrap_or(1))),
        _ => {}
    }
    if let (Some(size), Some(align)) = (ty.size(), ty.align()) {
        return Ok((size, align));
    }
    Err(match ty {
        Type::Unknown(reason) => reason.to_string(),
        Type::Record(r) => r
            .problem
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        other => format!("`{other}` comes from a header that was not found"),
    })
}

/// Whether the member behind so many others lies at the start of an object, whatever it is.
fn is_at_start(record: &ast::Record, before: usize) -> bool {
    record.is_union || before == 0 && record.bases.is_empty() && !record.is_polymorphic
}

/// Whether what lies in an object can be reached though its class has no layout. One that is being laid out has no
/// members yet.
fn is_reachable(ty: &Type) -> bool {
    ty.is_lambda() || matches!(ty, Type::Record(class) if !class.fields.is_empty())
}

/// `Base::name` of `using Base::name;` in a class.
fn used_member<'a>(record: &'a RecordType, name: &str) -> Option<&'a ast::Path> {
    record
        .record
        .members
        .iter()
        .find_map(|member| match member {
            ast::Member::Using(path) => {
                let last = path.segments.last()?;
                (&*last.name == name).then_some(path)
            }
            _ => None,
        })
}

/// The base class that `using Base::name;` in a class takes a member from: `Some(None)` where that is not known.
pub(in crate::sema) fn used_base(
    record: &RecordType,
    name: &str,
) -> Option<Option<Arc<RecordType>>> {
    let path = used_member(record, name)?;
    let [.., class, _] = &path.segments[..] else {
        return Some(None);
    };
    // By another name, or that of a template parameter, the only base is meant.
    let only = || match &record.bases[..] {
        [(_, base)] => Some(base.clone()),
        _ => None,
    };
    Some(base_named(record, &class.name, 0).or_else(only))
}

fn base_named(record: &RecordType, name: &str, depth: u32) -> Option<Arc<RecordType>> {
    let mut bases = record.bases.iter().filter(|_| depth < 16);
    bases.find_map(
        |(_, base)| match base.record.name.as_deref() == Some(name) {
            true => Some(base.clone()),
            false => base_named(base, name, depth + 1),
        },
    )
}

/// Where a base class lies in objects of a class; nothing where it is none, or several.
pub(in crate::sema) fn offset_of_base(
    record: &RecordType,
    base: &RecordType,
    depth: u32,
) -> Option<u64> {
    if record.identity == base.identity {
        return Some(0);
    }
    if depth > 16 {
        return None;
    }
    let mut found = record.bases.iter().filter_map(|(offset, one)| {
        offset_of_base(one, base, depth + 1).map(|inner| offset + inner)
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn add_field(
    names: &Names<'_>,
    inside: &Env,
    v: &ast::Variable,
    placement: &mut Placement,
    taken: &[(u64, Identity)],
    fields: &mut Vec<Field>,
) -> Result<(), Arc<str>> {
    let ty = resolve_qualified(names, inside, &v.ty);
    let is_const = match ty.qualifiers().is_const {
        _ if v.storage.is_mutable => Some(false),
        true => Some(true),
        false => None,
    };
    let ty = ty.unqualified();
    let overflow = || Arc::from("it is too large");
    let room = room_of(&ty);
    if room.is_err() && v.bits.is_none() && is_reachable(&ty) {
        fields.push(Field {
            name: v.name.to_string(),
            ty: ty.clone(),
            is_const,
            offset: 0,
            is_placed: false,
            bits: None,
        });
    }
    let (size, align) = room
        .map_err(|reason| format!("the size of its member `{}` is not known: {reason}", v.name))?;
    if let Some(width) = &v.bits {
        let width = consteval::eval(names, inside, width)
            .and_then(|w| w.as_int())
            .and_then(|w| u32::try_from(w).ok());
        let Some(width) = width else {
            return Err(Arc::from(format!(
                "the width of its bit-field `{}` is not known",
                v.name
            )));
        };
        let is_named = !v.name.is_empty();
        let placed = placement.place_bits(size, width, is_named);
        let (offset, first) = placed.ok_or_else(overflow)?;
        if is_named {
            fields.push(Field {
                name: v.name.to_string(),
                ty,
                is_const,
                offset,
                is_placed: true,
                bits: Some((first, width)),
            });
        }
        return Ok(());
    }
    let explicit = v
        .storage
        .align
        .as_ref()
        .map_or(Some(1), |e| consteval::eval(names, inside, e)?.as_int());
    let Some(explicit) = explicit else {
        return Err(Arc::from(format!(
            "the alignment of its member `{}` is not known",
            v.name
        )));
    };
    if v.storage.align.is_some() && placement.is_packed() {
        return Err(Arc::from("an alignment in a packed class is not modelled"));
    }
    let own = if taken.is_empty() {
        Vec::new()
    } else {
        types::empty_parts(&ty, 0)
    };
    let offset = placement
        .place_apart(size, align.max(explicit.max(1) as u64), |at| {
            own.iter()
                .any(|(offset, class)| taken.contains(&(at + offset, *class)))
        })
        .ok_or_else(overflow)?;
    fields.push(Field {
        name: v.name.to_string(),
        ty,
        is_const,
        offset,
        is_placed: true,
        bits: None,
    });
    Ok(())
}

/// A data member by name, through unnamed members and base classes; its offset is from the start
/// of `record`.
#[must_use]
pub fn field(names: &Names<'_>, record: &Arc<RecordType>, name: &str) -> Option<Field> {
    let _guard = Guard::enter()?;
    let record = complete(names, record);
    for f in &record.fields {
        if f.name == name {
            return Some(f.clone());
        }
        if f.name.is_empty()
            && let Type::Record(inner) = &f.ty
            && let Some(found) = field(names, inner, name)
        {
            return Some(Field {
                offset: f.offset + found.offset,
                is_placed: f.is_placed && found.is_placed,
                ..found
            });
        }
    }
    if let Some(used) = used_member(&record, name) {
        let Some(Prefix::Record(class)) = names.prefix(&Env::inside(&record), used) else {
            return None;
        };
        let offset = offset_of_base(&record, &class, 0)?;
        let found = field(names, &class, name)?;
        return Some(Field {
            offset: offset + found.offset,
            ..found
        });
    }
    record.bases.iter().find_map(|(offset, base)| {
        let found = field(names, base, name)?;
        Some(Field {
            offset: offset + found.offset,
            ..found
        })
    })
}
