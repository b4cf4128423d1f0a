//! From a type as written to a type with a layout.
//!
//! Given names and an environment; follows aliases, members and templates,
//! chooses specialisations and lays out classes. Whatever cannot be resolved is
//! [`Type::Unknown`] or [`Type::Opaque`], never an error.

use super::bind::{bind_values, bindings_of, is_same_binding, names_concept};
use super::standard::{foreign_type, opaque, standard};
use super::unify::unify_argument;
use super::{
    Binding, Entry, Env, Fingerprint, Guard, Identity, Names, Prefix, ScopeId, display_list,
    display_path, resolve_arguments,
};
use crate::ir::Scalar;
use crate::sema::consteval;
use crate::sema::types::{
    self, Enumeration, EnumerationKind, Field, Placement, Qualifiers, RecordType, Target, Twin,
    Type,
};
use crate::syntax::ast::{self, Path, Segment, TypeExpr, TypeKind};
use std::sync::Arc;

/// The type that `ty` names in `env`.
#[must_use]
pub fn resolve_type(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> Type {
    resolve_qualified(names, env, ty).unqualified()
}

/// As [`resolve_type`]; `const` and `volatile` of the type itself are kept, as template arguments need
/// them.
#[must_use]
pub fn resolve_qualified(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let resolved = match &ty.kind {
        TypeKind::Auto | TypeKind::DecltypeAuto => {
            Type::unknown("its type is deduced from a value that is not known")
        }
        TypeKind::Builtin(b) => types::builtin(*b),
        TypeKind::Named(path) => resolve_named(names, env, path),
        TypeKind::Pointer { to, .. } => {
            Type::Pointer(Target::new(resolve_qualified(names, env, to)))
        }
        TypeKind::Reference { to, is_rvalue } => match resolve_qualified(names, env, to) {
            Type::Reference(t) => {
                let is_rvalue = t.is_rvalue && *is_rvalue;
                Type::Reference(t.referred(is_rvalue))
            }
            t => Type::Reference(Target::new(t).referred(*is_rvalue)),
        },
        TypeKind::Array(of, bound) => {
            let element = Target::new(resolve_qualified(names, env, of).with(Qualifiers::of(ty)));
            match bound {
                None => Type::Array(element, None),
                Some(e) => match consteval::eval(names, env, e).and_then(|v| v.as_int()) {
                    Some(n) if n >= 0 => Type::Array(element, Some(n as u64)),
                    _ => Type::unknown(format!(
                        "the array bound `{}` is not a known constant",
                        crate::sema::text(e)
                    )),
                },
            }
        }
        TypeKind::Function { .. } => Type::Function,
        TypeKind::Record(r) => record_type(names, &[(r, env.clone())], None, env),
        TypeKind::Enum(e) => enum_type(names, env, e),
        TypeKind::Decltype(e) => super::type_of::decltype(names, env, e),
        TypeKind::None => Type::unknown("no type is written"),
    };
    match resolved {
        array @ Type::Array(..) => array,
        resolved => resolved.with(Qualifiers::of(ty)),
    }
}

fn resolve_named(names: &Names<'_>, env: &Env, path: &Path) -> Type {
    let Some(last) = path.segments.last() else {
        return Type::unknown("no type is written");
    };
    match names.prefix(env, path) {
        None => unqualified_type(names, env, last, path.is_global),
        Some(Prefix::Scope(s)) => {
            type_from_entries(names, &names.in_scope(s, &last.name, 0), last, env)
                .unwrap_or_else(|| foreign_type(names, env, names.scope_name(s), path))
        }
        Some(Prefix::Record(r)) => member_type(names, &r, last, env).unwrap_or_else(|| {
            Type::unknown(format!("`{}` has no type member `{}`", r.name, last.name))
        }),
        Some(Prefix::Enum(..)) => Type::unknown(format!("`{}` is not a type", last.name)),
        Some(Prefix::Foreign(prefix)) => foreign_type(names, env, &prefix, path),
    }
}

/// A type by a name without `::`.
pub(super) fn unqualified_type(
    names: &Names<'_>,
    env: &Env,
    segment: &Segment,
    is_global: bool,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    if !is_global {
        match env.get(&segment.name) {
            Some(Binding::Type(t)) => return t.clone(),
            Some(Binding::Template(path, at)) => {
                let mut path = path.clone();
                if let Some(last) = path.segments.last_mut() {
                    let arguments = resolve_arguments(
                        names,
                        env,
                        segment.arguments.as_deref().unwrap_or_default(),
                        None,
                    );
                    // The arguments are read here, the template's name where it was given.
                    let mut at = at.clone();
                    let mut written = Vec::new();
                    for (i, b) in arguments.into_iter().enumerate() {
                        let name: ast::Name = Arc::from(format!("$argument{i}"));
                        at.set(name.clone(), b);
                        written.push(named_argument(name));
                    }
                    last.arguments = Some(written.into());
                    return resolve_named(names, &at, &path);
                }
            }
            Some(_) => return Type::unknown(format!("`{}` is not a type", segment.name)),
            None => {}
        }
        let mut record = env.record.clone();
        while let Some(r) = record {
            if let Some(t) = member_type(names, &r, segment, env)
                && !names.hides_base(&r, &segment.name)
            {
                return t;
            }
            record = r.env.record.clone();
        }
    }
    if let Some(t) = type_from_entries(
        names,
        &names.unqualified(env, &segment.name, is_global),
        segment,
        env,
    ) {
        return t;
    }
    if let Some(t) = types::known(&segment.name) {
        return t;
    }
    // `using namespace std;`, and headers that are not there.
    standard(names, env, segment, "").unwrap_or_else(|| opaque(names, env, "", segment))
}

fn named_argument(name: ast::Name) -> ast::TemplateArgument {
    let range = ast::Range::default();
    let segments = vec![Segment {
        name,
        arguments: None,
    }];
    ast::TemplateArgument::Type(TypeExpr::named(Path {
        is_global: false,
        segments,
        range,
    }))
}

/// The type among the namespace-level meanings of a name.
pub(super) fn type_from_entries(
    names: &Names<'_>,
    entries: &[(Entry<'_>, ScopeId)],
    segment: &Segment,
    caller: &Env,
) -> Option<Type> {
    let mut records = Vec::new();
    for (entry, scope) in entries {
        match entry {
            Entry::Alias(a) => {
                // `typedef struct S S;` names the class itself.
                if let TypeKind::Named(p) = &a.ty.kind
                    && p.segments.len() == 1
                    && p.segments[0].name == a.name
                {
                    continue;
                }
                return Some(alias_type(names, a, &Env::new(*scope), segment, caller));
            }
            Entry::Enum(e) => return Some(enum_type(names, &Env::new(*scope), e)),
            Entry::Record(r) => records.push((*r, Env::new(*scope))),
            _ => {}
        }
    }
    if records.is_empty() {
        return None;
    }
    Some(record_type(
        names,
        &records,
        segment.arguments.as_deref(),
        caller,
    ))
}

fn alias_type(
    names: &Names<'_>,
    alias: &ast::Alias,
    definition: &Env,
    segment: &Segment,
    caller: &Env,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let question = Fingerprint::new("alias")
        .place(std::ptr::from_ref(alias))
        .env(definition);
    match &alias.template {
        None => {
            // `typedef struct { … } S;`: the class goes by the alias.
            if let TypeKind::Record(r) = &alias.ty.kind
                && r.name.is_none()
            {
                return instantiate(names, r, definition, Vec::new(), &alias.name);
            }
            names
                .types
                .answer(question, || resolve_qualified(names, definition, &alias.ty))
        }
        Some(head) => {
            let explicit = resolve_arguments(
                names,
                caller,
                segment.arguments.as_deref().unwrap_or_default(),
                Some(head),
            );
            let question = question.bindings(&explicit);
            names.types.answer(question, || {
                match bind_values(names, definition, head, explicit, &[]) {
                    Ok(env) => resolve_qualified(names, &env, &alias.ty),
                    Err(reason) => Type::unknown(reason),
                }
            })
        }
    }
}

/// A type declared in a class or its bases.
pub(super) fn member_type(
    names: &Names<'_>,
    record: &Arc<RecordType>,
    segment: &Segment,
    caller: &Env,
) -> Option<Type> {
    let _guard = Guard::enter()?;
    let own = record.record.name.as_ref();
    if own == Some(&segment.name) && segment.arguments.is_none() {
        return Some(Type::Record(complete(names, record)));
    }
    let inside = Env::inside(record);
    let mut records = Vec::new();
    for member in &record.record.members {
        match member {
            ast::Member::Alias(a) if a.name == segment.name => {
                // `using Base = Base<T>;`: the name on the right is the one that stands outside.
                if let (None, TypeKind::Named(path)) = (&a.template, &a.ty.kind)
                    && let [outer] = path.segments.as_slice()
                    && outer.name == a.name
                {
                    let of_class = record.env.record.as_ref();
                    return of_class
                        .and_then(|class| member_type(names, class, outer, &inside))
                        .or_else(|| {
                            let entries = names.unqualified(&record.env, &outer.name, false);
                            type_from_entries(names, &entries, outer, &inside)
                        });
                }
                return Some(alias_type(names, a, &inside, segment, caller));
            }
            ast::Member::Enum(e) if e.name.as_ref() == Some(&segment.name) => {
                return Some(enum_type(names, &inside, e));
            }
            ast::Member::Record(r) if r.name.as_ref() == Some(&segment.name) => {
                records.push((r, inside.clone()))
            }
            ast::Member::Variables(vs) => {
                for v in vs {
                    if let TypeKind::Record(r) = &v.ty.kind
                        && r.name.as_ref() == Some(&segment.name)
                    {
                        records.push((r, inside.clone()));
                    }
                }
            }
            _ => {}
        }
    }
    if !records.is_empty() {
        let (outside, plain) = names.member_classes_outside(record, &segment.name);
        if let Some((class, env)) = plain {
            return Some(instantiate(names, class, &env, Vec::new(), &segment.name));
        }
        records.extend(outside);
        return Some(record_type(
            names,
            &records,
            segment.arguments.as_deref(),
            caller,
        ));
    }
    record
        .bases
        .iter()
        .find_map(|(_, b)| member_type(names, b, segment, caller))
}

/// An enumeration as a type of its own: the type of its values, and which one it is.
pub(super) fn enum_type(names: &Names<'_>, env: &Env, e: &ast::Enum) -> Type {
    let (scalar, kind) = match &e.underlying {
        Some(written) => match resolve_type(names, env, written) {
            Type::Scalar(scalar, _) if e.is_class => (scalar, EnumerationKind::Scoped),
            Type::Scalar(scalar, _) => (scalar, EnumerationKind::Fixed),
            other => return other,
        },
        None if e.is_class => (Scalar::I32, EnumerationKind::Scoped),
        None => {
            let wide = e.values.iter().any(|(_, v)| {
                matches!(v.as_ref().map(|v| &v.kind), Some(ast::ExprKind::Int { value, .. }) if *value > u64::from(u32::MAX))
            });
            let scalar = if wide { Scalar::I64 } else { Scalar::I32 };
            (scalar, EnumerationKind::Plain)
        }
    };
    // It may be declared before it is defined.
    let named = match &e.name {
        Some(name) => Fingerprint::new("enumeration")
            .text(name)
            .number(u64::from(env.namespace)),
        None => Fingerprint::new("unnamed enumeration").place(std::ptr::from_ref(e)),
    };
    let named = match &env.record {
        Some(record) => named.record(record),
        None => named,
    };
    let identity = named.identity();
    let one = Enumeration { identity, kind };
    Type::Scalar(scalar, Twin::Enumeration(one))
}

/// The class that `arguments` choose among declarations, definitions and specialisations.
fn record_type(
    names: &Names<'_>,
    candidates: &[(&Arc<ast::Record>, Env)],
    arguments: Option<&[ast::TemplateArgument]>,
    caller: &Env,
) -> Type {
    let Some(_guard) = Guard::enter() else {
        return Type::unknown("its type is nested too deeply");
    };
    let primary = candidates
        .iter()
        .find(|(r, _)| !r.is_specialisation() && r.is_definition)
        .or_else(|| candidates.iter().find(|(r, _)| !r.is_specialisation()))
        .or_else(|| candidates.first());
    let Some((primary, definition)) = primary else {
        return Type::unknown("the class is not defined");
    };
    let label = primary
        .name
        .clone()
        .unwrap_or_else(|| Arc::from("<unnamed>"));
    let Some(head) = primary
        .templates
        .last()
        .filter(|h| !h.parameters.is_empty())
    else {
        return instantiate(names, primary, definition, Vec::new(), &label);
    };
    let explicit = resolve_arguments(names, caller, arguments.unwrap_or_default(), Some(head));
    let mut question = Fingerprint::new("class").bindings(&explicit);
    for (record, at) in candidates {
        question = question.place(Arc::as_ptr(record)).env(at);
    }
    names.types.answer(question, || {
        choose(
            names,
            candidates,
            (primary, definition),
            head,
            explicit,
            &label,
        )
    })
}

/// The instance of a class template for `explicit` arguments.
fn choose(
    names: &Names<'_>,
    candidates: &[(&Arc<ast::Record>, Env)],
    (primary, definition): (&Arc<ast::Record>, &Env),
    head: &ast::TemplateHead,
    explicit: Vec<Binding>,
    label: &str,
) -> Type {
    // Defaults may stand in a forward declaration.
    let bound = candidates
        .iter()
        .filter(|(r, _)| !r.is_specialisation())
        .filter_map(|(r, env)| r.templates.last().map(|h| (h, env)))
        .map(|(h, env)| {
            bind_values(names, env, h, explicit.clone(), &[])
                .map(|env| bindings_of(names, h, &env, &explicit))
        })
        .reduce(|a, b| a.or(b));
    let values = match bound {
        Some(Ok(values)) => values,
        Some(Err(reason)) => return Type::unknown(reason),
        None => return Type::unknown(format!("the template `{label}` is not defined")),
    };
    let mut fitting: Vec<(usize, &Arc<ast::Record>, &Env, Env)> = Vec::new();
    for (r, at) in candidates
        .iter()
        .filter(|(r, _)| r.is_specialisation() && r.is_definition)
    {
        let written = r.arguments.len();
        let has_pack =
            r.arguments.iter().any(is_expanded) || head.parameters.iter().any(|p| p.is_pack);
        let (given, defaulted) = if has_pack || written >= values.len() {
            (&values[..], None)
        } else {
            (&values[..written], Some(&values[written..]))
        };
        let mut is_open = false;
        let mut matched = match_specialisation(names, at, r, given, &mut is_open);
        let own = r.templates.last().map_or(&[][..], |head| &head.parameters);
        is_open |= r.is_constrained || own.iter().any(|p| names_concept(names, at, p));
        if matched.is_some() && is_open {
            return Type::unknown(format!(
                "whether a specialisation of `{label}` fits is not known"
            ));
        }
        if let (Some((score, _)), Some(rest)) = (&mut matched, defaulted) {
            // What is not written is what the template's defaults say.
            let full = bind_values(names, definition, head, given.to_vec(), &[]).or_else(|_| {
                let heads = candidates.iter().filter(|(r, _)| !r.is_specialisation());
                heads
                    .filter_map(|(r, env)| r.templates.last().map(|h| (h, env)))
                    .find_map(|(h, env)| bind_values(names, env, h, given.to_vec(), &[]).ok())
                    .ok_or(())
            });
            let Ok(full) = full else {
                return Type::unknown(format!(
                    "whether a specialisation of `{label}` fits is not known"
                ));
            };
            let full = bindings_of(names, head, &full, given);
            let is_same = full.len() == values.len()
                && full[written..]
                    .iter()
                    .zip(rest)
                    .all(|(a, b)| is_same_binding(a, b));
            if is_same {
                *score += rest.len();
            } else {
                matched = None;
            }
        }
        if let Some((score, env)) = matched {
            fitting.push((score, *r, at, env));
        }
    }
    if !fitting.is_empty() {
        let most = fitting.iter().map(|(score, ..)| *score).max();
        let mut best = fitting.iter().filter(|(score, ..)| Some(*score) == most);
        let is_most_special = |one: &&(usize, &Arc<ast::Record>, &Env, Env)| {
            let mut others = fitting.iter().filter(|other| !Arc::ptr_eq(other.1, one.1));
            others.all(|other| is_more_special(names, (one.1, one.2), (other.1, other.2)))
        };
        let chosen = match (best.next(), best.next()) {
            (one, None) => one,
            _ => fitting.iter().find(is_most_special),
        };
        let Some((_, r, _, env)) = chosen else {
            return Type::unknown(format!(
                "which specialisation of `{label}` is meant is not known"
            ));
        };
        return instantiate(names, r, env, values, label);
    }
    match bind_values(names, definition, head, values.clone(), &[]) {
        Ok(env) => instantiate(names, primary, &env, values, label),
        Err(reason) => Type::unknown(reason),
    }
}

/// Whether a specialisation is more special than another one: that fits its arguments, whatever its
/// parameters are, and not the other way round.
fn is_more_special(
    names: &Names<'_>,
    one: (&Arc<ast::Record>, &Env),
    other: (&Arc<ast::Record>, &Env),
) -> bool {
    // A type of its own for each parameter; what values and packs would need is not worked out.
    let arguments = |(r, at): (&Arc<ast::Record>, &Env)| {
        let mut env = at.clone();
        for p in r.templates.last().map_or(&[][..], |head| &head.parameters) {
            let name = p.name.clone()?;
            if p.is_pack || !matches!(p.kind, ast::TemplateParameterKind::Type { .. }) {
                return None;
            }
            let unique = Type::Opaque(Arc::from(format!("{name} of {:?}", Arc::as_ptr(r))));
            env.set(name, Binding::Type(unique));
        }
        Some(resolve_arguments(names, &env, &r.arguments, None))
    };
    let fits = |pattern: (&Arc<ast::Record>, &Env), values: &[Binding]| {
        let mut is_open = false;
        let matched = match_specialisation(names, pattern.1, pattern.0, values, &mut is_open);
        (!is_open).then_some(matched.is_some())
    };
    let (Some(a), Some(b)) = (arguments(one), arguments(other)) else {
        return false;
    };
    fits(other, &a) == Some(true) && fits(one, &b) == Some(false)
}

/// `Rest...`
fn is_expanded(pattern: &ast::TemplateArgument) -> bool {
    matches!(pattern, ast::TemplateArgument::Expr(e) if matches!(e.kind, ast::ExprKind::Expand(_)))
}

/// How closely a specialisation fits, and its own bindings.
fn match_specialisation(
    names: &Names<'_>,
    at: &Env,
    r: &ast::Record,
    values: &[Binding],
    is_open: &mut bool,
) -> Option<(usize, Env)> {
    let parameters = r.templates.last().map_or(&[][..], |h| &h.parameters);
    let mut found = Vec::new();
    let mut score = 0;
    let mut rest = values;
    for pattern in &r.arguments {
        if let ast::TemplateArgument::Expr(e) = pattern
            && let ast::ExprKind::Expand(inner) = &e.kind
            && let ast::ExprKind::Path(p) = &inner.kind
            && let Some(s) = p.segments.last()
        {
            found.push((s.name.clone(), Binding::Pack(flatten(rest).into())));
            rest = &[];
            continue;
        }
        let (value, tail) = match rest.split_first() {
            Some((Binding::Pack(items), _)) => {
                return match_pack(names, at, r, &flatten(items), is_open);
            }
            Some(x) => x,
            None => return None,
        };
        rest = tail;
        score += unify_argument(names, at, parameters, pattern, value, &mut found, is_open)?;
    }
    if rest
        .iter()
        .any(|b| !matches!(b, Binding::Pack(p) if p.is_empty()))
    {
        return None;
    }
    let mut env = at.clone();
    for (i, (name, b)) in found.iter().enumerate() {
        if found[..i]
            .iter()
            .any(|(n, other)| n == name && !is_same_binding(other, b))
        {
            return None;
        }
        env.set(name.clone(), b.clone());
    }
    let is_left = |p: &ast::TemplateParameter| {
        let name = p.name.as_ref();
        name.is_some_and(|n| !p.is_pack && env.get(n).is_none())
    };
    // What could not be read may tell it.
    if parameters.iter().any(is_left) && !*is_open {
        return None;
    }
    Some((score + 1, env))
}

/// A specialisation `S<T, Rest...>` of `template <typename... Ts>`.
fn match_pack(
    names: &Names<'_>,
    at: &Env,
    r: &ast::Record,
    items: &[Binding],
    is_open: &mut bool,
) -> Option<(usize, Env)> {
    if items.iter().any(|b| matches!(b, Binding::Pack(_))) {
        return None;
    }
    match_specialisation(names, at, r, items, is_open)
}

fn flatten(bindings: &[Binding]) -> Vec<Binding> {
    let mut out = Vec::new();
    for b in bindings {
        match b {
            Binding::Pack(items) => out.extend(items.iter().cloned()),
            b => out.push(b.clone()),
        }
    }
    out
}

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
        .bindings(arguments);
    let all = match &env.record {
        // The names of the arguments are among the locals.
        Some(around) if !arguments.is_empty() => start.record(around),
        None if !arguments.is_empty() => start,
        _ => start.env(env),
    };
    all.identity()
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
    let shell = |made: &RecordType| {
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
    };
    if !record.is_definition {
        let made = Arc::new(made);
        names.instances.insert(made.clone());
        return Type::Record(made);
    }
    let unfinished = names.instances.begin(shell(&made));
    let mut placement = Placement::new(record.is_union).packed(record.pack);
    let mut problem = record
        .problem
        .as_ref()
        .map(|p| Arc::from(p.message.as_str()))
        .or_else(|| record.unmodelled.map(Arc::from))
        .or_else(|| (record.pack == Some(0)).then(|| Arc::from("its packing is not known")));
    made.is_polymorphic = record.is_polymorphic;
    let mut has_table = false;
    // Where parts of empty classes lie: two of one class share no address.
    let mut taken: Vec<(u64, Identity)> = Vec::new();
    for (index, base) in record.bases.iter().enumerate() {
        match resolve_type(names, env, base) {
            Type::Record(b) if b.problem.is_none() => {
                if b.is_polymorphic {
                    made.is_polymorphic = true;
                    if index > 0 {
                        let reason = "virtual functions of a later base class are not modelled";
                        problem = problem.or_else(|| Some(Arc::from(reason)));
                    }
                    has_table = true;
                } else if record.is_polymorphic && !has_table {
                    // The table's pointer goes in front of base classes that have none.
                    has_table = placement.place(8, 8).is_some();
                }
                let empty = b.is_empty();
                // What is derived from a class that is no plain structure lies in its padding.
                let occupied = if b.is_plain() { b.size } else { b.data_size };
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
                            problem = problem.or_else(|| Some(Arc::from(reason)));
                        }
                        taken.extend(own.iter().map(|(at, class)| (at + offset, *class)));
                        made.bases.push((offset, b));
                    }
                    None => problem = Some(Arc::from("it is too large")),
                }
            }
            t => {
                problem = problem.or_else(|| {
                    Some(Arc::from(format!(
                        "the layout of its base class `{}` is not known",
                        base_name(base, &t)
                    )))
                })
            }
        }
    }
    if record.is_polymorphic && !has_table {
        placement.place(8, 8);
    }
    let shell = shell(&made);
    unfinished.update(shell.clone());
    let inside = Env::inside(&shell);
    for member in &record.members {
        let ast::Member::Variables(variables) = member else {
            continue;
        };
        for v in variables
            .iter()
            .filter(|v| !v.storage.is_static && !v.storage.is_constexpr)
        {
            let placed = add_field(names, &inside, v, &mut placement, &taken, &mut made.fields);
            if let Err(reason) = placed {
                problem = problem.or(Some(reason));
            }
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

fn base_name(written: &TypeExpr, t: &Type) -> String {
    match &written.kind {
        TypeKind::Named(p) => display_path(p),
        _ => t.display(),
    }
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
    let (size, align) = match &ty {
        Type::Reference(_) => (8, 8),
        Type::Array(t, None) => (0, t.align().unwrap_or(1)),
        t => match (t.size(), t.align()) {
            (Some(s), Some(a)) => (s, a),
            _ => {
                let reason = match t {
                    Type::Unknown(r) => r.to_string(),
                    Type::Record(r) => r
                        .problem
                        .as_ref()
                        .map_or_else(String::new, ToString::to_string),
                    t => format!("`{t}` comes from a header that was not found"),
                };
                return Err(Arc::from(format!(
                    "the size of its member `{}` is not known: {reason}",
                    v.name
                )));
            }
        },
    };
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
        let (offset, first) = placement.place_bits(size, width).ok_or_else(overflow)?;
        if !v.name.is_empty() {
            fields.push(Field {
                name: v.name.to_string(),
                ty,
                is_const,
                offset,
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
                ..found
            });
        }
    }
    record.bases.iter().find_map(|(offset, base)| {
        let found = field(names, base, name)?;
        Some(Field {
            offset: offset + found.offset,
            ..found
        })
    })
}
