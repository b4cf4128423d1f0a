//! Template arguments: explicit, by default, and deduced from calls.
//!
//! Given heads and arguments; gives environments in which a template's names are
//! bound. Deduction covers the shapes `T`, `T*`, `T&`, `T(&)[N]`, `S<T>` and packs
//! of these. [`select`] chooses among overloads, by what `ranking` says of conversions.

use super::arguments::{resolve_arguments, template_binding, value_argument};
use super::pack_binding::{elements_of_unknown, packed, take_first_of_pack, untold_pack};
use super::ranking::forwarded_parameter;
use super::shape::mentions;
use super::specialisation::flatten;
use super::unify::Unifier;
use super::{Binding, Env, Names, resolve_qualified, resolve_type};
use crate::sema::consteval::Value;
use crate::sema::types::{EnumerationKind, Twin, Type};
use crate::syntax::ast::{
    self, Name, TemplateArgument, TemplateHead, TemplateParameter, TemplateParameterKind, TypeExpr,
    TypeKind,
};

/// Whether a type is a scoped enumeration.
fn is_scoped(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(_, Twin::Enumeration(one)) if one.kind == EnumerationKind::Scoped)
}

/// The type of a template's value parameter, where only values of that very type can be passed.
enum ValueType {
    Enumeration(Type),
    Number(Type),
    Other,
}

fn value_type(names: &Names<'_>, env: &Env, ty: &TypeExpr) -> ValueType {
    if let TypeKind::Named(path) = &ty.kind
        && let Some(ty) = names.enumeration_type(env, path)
    {
        return ValueType::Enumeration(ty);
    }
    match resolve_type(names, env, ty) {
        ty if ty.is_enumeration() => ValueType::Enumeration(ty),
        ty @ Type::Scalar(..) => ValueType::Number(ty),
        _ => ValueType::Other,
    }
}

/// A value for a parameter of that type, with the type; `None` where it cannot be passed.
fn passed(value: Value, given: Option<Type>, wanted: &ValueType) -> Option<Binding> {
    let value = match (wanted, &value) {
        (
            ValueType::Number(Type::Scalar(s, _)) | ValueType::Enumeration(Type::Scalar(s, _)),
            Value::Int { .. } | Value::Float(..),
        ) => value.convert(*s).unwrap_or(value),
        _ => value,
    };
    let is_enumerator = given.as_ref().is_some_and(Type::is_enumeration);
    let is_number = !is_enumerator && matches!(given, Some(Type::Scalar(_, _)));
    let ty = match wanted {
        ValueType::Enumeration(_) if is_number => return None,
        ValueType::Enumeration(ty) if is_enumerator && given.as_ref() != Some(ty) => return None,
        ValueType::Number(_) if given.as_ref().is_some_and(is_scoped) => return None,
        ValueType::Enumeration(ty) | ValueType::Number(ty) => Some(ty.clone()),
        ValueType::Other => given,
    };
    Some(Binding::Value(value, ty))
}

/// What stands for an argument of a template of which nothing is known: a number of its type, or a type with the reason.
#[must_use]
pub fn open_argument(
    names: &Names<'_>,
    env: &Env,
    parameter: &TemplateParameter,
    name: &Name,
) -> Binding {
    match &parameter.kind {
        TemplateParameterKind::Value { ty, .. } => Binding::Variable(resolve_type(names, env, ty)),
        _ => Binding::Type(Type::unknown(format!(
            "the template argument `{name}` is not known"
        ))),
    }
}

/// Binds what is known of a template's parameters; the others stay open: a value that nobody tells, a
/// type with the reason. A default says nothing of a parameter that an argument is given for.
#[must_use]
pub fn bind_open(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    explicit: Vec<Binding>,
) -> Env {
    let mut env = definition.clone();
    let mut rest = explicit.into_iter();
    for p in &head.parameters {
        let Some(name) = &p.name else {
            rest.by_ref()
                .take(if p.is_pack { usize::MAX } else { 1 })
                .for_each(drop);
            continue;
        };
        if p.is_pack {
            let wanted = match &p.kind {
                TemplateParameterKind::Value { ty, .. } => value_type(names, &env, ty),
                _ => ValueType::Other,
            };
            let written: Vec<Binding> = rest.by_ref().collect();
            let pack = if written.is_empty() {
                open_argument(names, &env, p, name)
            } else {
                of_pack(Binding::Pack(written.into()), &wanted)
            };
            env.set(name.clone(), pack);
            continue;
        }
        let given = rest.next().or_else(|| default_of(names, &env, p));
        let binding = match (&p.kind, given) {
            (TemplateParameterKind::Value { ty, .. }, Some(Binding::Value(value, t))) => {
                fitted(value, t, &value_type(names, &env, ty))
            }
            (TemplateParameterKind::Type { .. }, Some(Binding::Type(t))) if !t.is_unknown() => {
                Binding::Type(t)
            }
            (TemplateParameterKind::Template { .. }, Some(found @ Binding::Template(..))) => found,
            _ => open_argument(names, &env, p, name),
        };
        env.set(name.clone(), binding);
    }
    env
}

/// Binds a template's parameters: explicit arguments (read in `caller`), then what was deduced,
/// then defaults (read in `definition`).
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn bind_template(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    head: &TemplateHead,
    explicit: &[TemplateArgument],
    deduced: &[(Name, Binding)],
) -> Result<Env, String> {
    bind_values(
        names,
        definition,
        head,
        resolve_arguments(names, caller, explicit, Some(head)),
        deduced,
    )
}

/// As [`bind_template`] with arguments that have been read.
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn bind_values(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    explicit: Vec<Binding>,
    deduced: &[(Name, Binding)],
) -> Result<Env, String> {
    let deduced = (deduced, MayBeOpen::Nothing);
    bind_all(names, definition, head, explicit, deduced)
}

/// What may stay open where a template is bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MayBeOpen {
    Nothing,
    /// A number that is not known is a variable of its type.
    Numbers,
    /// What a default gives, which may also be that the template takes no part.
    Defaults,
}

/// As [`bind_values`], with what may stay open.
fn bind_all(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    explicit: Vec<Binding>,
    (deduced, may_be_open): (&[(Name, Binding)], MayBeOpen),
) -> Result<Env, String> {
    let mut env = definition.clone();
    let mut rest = explicit.into_iter();
    for p in &head.parameters {
        let known = |name: &Name| {
            deduced
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, b)| b.clone())
        };
        if p.is_pack {
            let mut items: Vec<Binding> = Vec::new();
            let wanted = match &p.kind {
                TemplateParameterKind::Value { ty, .. } => value_type(names, &env, ty),
                _ => ValueType::Other,
            };
            for b in rest.by_ref() {
                match b {
                    Binding::Pack(inner) => items.extend(inner.iter().cloned()),
                    Binding::Value(v, t) => items.push(passed(v, t, &wanted).ok_or(UNFIT)?),
                    b => items.push(b),
                }
            }
            if let Some(name) = &p.name {
                let b = if items.is_empty() { known(name) } else { None };
                let b = b.map(|b| of_pack(b, &wanted));
                env.set(
                    name.clone(),
                    b.unwrap_or_else(|| Binding::Pack(items.into())),
                );
            }
            continue;
        }
        let given = rest.next().or_else(|| p.name.as_ref().and_then(known));
        let is_default = given.is_none();
        let given = given.or_else(|| default_of(names, &env, p));
        let given = match given {
            Some(Binding::Type(Type::Unknown(reason))) => {
                let is_open = match may_be_open {
                    MayBeOpen::Nothing => false,
                    MayBeOpen::Numbers => matches!(p.kind, TemplateParameterKind::Value { .. }),
                    MayBeOpen::Defaults => is_default,
                };
                if !is_open {
                    return Err(reason.to_string());
                }
                if let Some(name) = &p.name {
                    let open = match &p.kind {
                        TemplateParameterKind::Value { ty, .. } => {
                            Binding::Variable(resolve_type(names, &env, ty))
                        }
                        _ => Binding::Type(Type::Unknown(reason)),
                    };
                    env.set(name.clone(), open);
                }
                continue;
            }
            Some(b) => b,
            None if p.name.is_none() => continue,
            None => {
                let label = label_of(p);
                return Err(format!("the template argument `{label}` is not known"));
            }
        };
        let given = as_parameter(names, &env, p, given)?;
        if let Some(name) = &p.name {
            env.set(name.clone(), given);
        }
    }
    Ok(env)
}

/// As [`passed`]; the value as it is given where it cannot be.
fn fitted(value: Value, given: Option<Type>, wanted: &ValueType) -> Binding {
    let as_given = Binding::Value(value.clone(), given.clone());
    passed(value, given, wanted).unwrap_or(as_given)
}

/// A pack that was deduced, of values of the type that its parameter has.
fn of_pack(pack: Binding, wanted: &ValueType) -> Binding {
    let Binding::Pack(items) = pack else {
        return pack;
    };
    let items = items.iter().cloned().map(|item| match item {
        Binding::Value(value, ty) => fitted(value, ty, wanted),
        item => item,
    });
    Binding::Pack(items.collect())
}

const UNFIT: &str = "a template argument does not fit its parameter";

fn label_of(p: &TemplateParameter) -> &str {
    p.name.as_deref().unwrap_or("<unnamed>")
}

/// An argument as the parameter takes it: a number in the parameter's type.
fn as_parameter(
    names: &Names<'_>,
    env: &Env,
    p: &TemplateParameter,
    given: Binding,
) -> Result<Binding, String> {
    let label = label_of(p);
    match (&p.kind, given) {
        (TemplateParameterKind::Value { ty, .. }, Binding::Value(v, t)) => {
            let passed = passed(v, t, &value_type(names, env, ty));
            passed.ok_or_else(|| UNFIT.to_owned())
        }
        (TemplateParameterKind::Value { .. }, Binding::Type(t)) => Err(format!(
            "the template argument `{label}` is a type (`{t}`), not a value"
        )),
        (TemplateParameterKind::Type { .. }, Binding::Value(v, _)) => Err(format!(
            "the template argument `{label}` is a value (`{v}`), not a type"
        )),
        (_, b) => Ok(b),
    }
}

pub(super) fn default_of(names: &Names<'_>, env: &Env, p: &TemplateParameter) -> Option<Binding> {
    match &p.kind {
        TemplateParameterKind::Type { default: Some(ty) } => {
            Some(Binding::Type(resolve_qualified(names, env, ty)))
        }
        TemplateParameterKind::Value {
            default: Some(e), ..
        } => Some(value_argument(names, env, e)),
        TemplateParameterKind::Template {
            default: Some(path),
        } => Some(template_binding(names, env, path)),
        _ => None,
    }
}

/// The arguments of a bound template in the order of its parameters.
#[must_use]
pub fn bindings_of(
    names: &Names<'_>,
    head: &TemplateHead,
    env: &Env,
    explicit: &[Binding],
) -> Vec<Binding> {
    let given = flatten(explicit);
    head.parameters
        .iter()
        .enumerate()
        .filter_map(|(i, p)| match &p.name {
            Some(name) => env.get(name).cloned(),
            None if p.is_pack => Some(Binding::Pack(given.get(i..).unwrap_or_default().into())),
            None => given.get(i).cloned().or_else(|| default_of(names, env, p)),
        })
        .collect()
}

#[must_use]
pub(crate) fn is_same_binding(a: &Binding, b: &Binding) -> bool {
    match (a, b) {
        (Binding::Type(a), Binding::Type(b)) => a == b && a.is_identical(b) != Some(false),
        (Binding::Value(a, _), Binding::Value(b, _)) => match (a.as_int(), b.as_int()) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
        (Binding::Pack(a), Binding::Pack(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same_binding(a, b))
        }
        (Binding::Template(a, at), Binding::Template(b, there)) => {
            // Those whose place is known are told apart by it.
            let is_known = |path: &ast::Path| path.range == ast::Range::default();
            super::display_path(a) == super::display_path(b)
                && (!is_known(a) || !is_known(b) || at.namespace == there.namespace)
        }
        _ => false,
    }
}

/// The environment of a function template's body for a call: `explicit` is read in `caller`, the rest
/// is deduced from the types of the arguments. `definition` is [`Callee::env`].
#[must_use]
pub fn deduce(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<Env> {
    deduce_with_reason(
        names,
        caller,
        definition,
        function,
        explicit,
        argument_types,
    )
    .ok()
}

/// As [`deduce`], where what defaults give may be open: whether the template takes part is asked then.
pub(super) fn deduce_with_open_defaults(
    names: &Names<'_>,
    caller: &Env,
    callee: &super::Callee,
    explicit: &[TemplateArgument],
    types: &[Type],
) -> Option<Env> {
    let given = Given::of(explicit, types);
    let open = MayBeOpen::Defaults;
    deduce_all(names, caller, &callee.env, &callee.function, given, open).ok()
}

/// As [`deduce`], with the reason where a parameter stays open.
///
/// # Errors
/// The first parameter that stays open, as a clause.
pub fn deduce_with_reason(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Result<Env, String> {
    let given = Given::of(explicit, argument_types);
    deduce_all(
        names,
        caller,
        definition,
        function,
        given,
        MayBeOpen::Nothing,
    )
}

/// As [`deduce_open`], where the functions among the arguments are known: `signatures` has what each of them takes.
pub(crate) fn deduce_from_signatures(
    names: &Names<'_>,
    caller: &Env,
    callee: &super::Callee,
    explicit: &[TemplateArgument],
    (types, signatures): (&[Type], &[Option<Vec<Type>>]),
) -> Option<Env> {
    let given = Given {
        explicit,
        types,
        signatures,
    };
    deduce_all(
        names,
        caller,
        &callee.env,
        &callee.function,
        given,
        MayBeOpen::Numbers,
    )
    .ok()
}

/// As [`deduce`], where numbers among the explicit arguments may be unknown: they become variables of their types.
/// Only for a call that can mean no other function.
pub(crate) fn deduce_open(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<Env> {
    let given = Given::of(explicit, argument_types);
    deduce_all(
        names,
        caller,
        definition,
        function,
        given,
        MayBeOpen::Numbers,
    )
    .ok()
}

/// As [`deduce_open`], for a lambda: of its head and its parameters.
pub(crate) fn deduce_for_lambda(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    (head, parameters): (&TemplateHead, &[ast::Parameter]),
    (explicit, types): (&[TemplateArgument], &[Type]),
) -> Option<Env> {
    let given = Given::of(explicit, types);
    deduce_by_head(
        names,
        caller,
        definition,
        (head, parameters),
        given,
        MayBeOpen::Numbers,
    )
    .ok()
}

/// What a call says of the template arguments of the function that it calls.
#[derive(Clone, Copy)]
struct Given<'g> {
    explicit: &'g [TemplateArgument],
    types: &'g [Type],
    /// By argument, what a function among them takes.
    signatures: &'g [Option<Vec<Type>>],
}

impl<'g> Given<'g> {
    /// What the types of the arguments say: of functions among them nothing is known.
    fn of(explicit: &'g [TemplateArgument], types: &'g [Type]) -> Self {
        Self {
            explicit,
            types,
            signatures: &[],
        }
    }
}

fn deduce_all(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    function: &ast::Function,
    given: Given<'_>,
    may_be_open: MayBeOpen,
) -> Result<Env, String> {
    let Some(head) = names
        .own_head(function, definition)
        .filter(|h| !h.parameters.is_empty())
    else {
        return Ok(definition.clone());
    };
    let called = (head, &function.parameters[..]);
    deduce_by_head(names, caller, definition, called, given, may_be_open)
}

fn deduce_by_head(
    names: &Names<'_>,
    caller: &Env,
    definition: &Env,
    (head, parameters): (&TemplateHead, &[ast::Parameter]),
    given: Given<'_>,
    may_be_open: MayBeOpen,
) -> Result<Env, String> {
    let Given {
        explicit,
        types: argument_types,
        signatures,
    } = given;
    let mut explicit = resolve_arguments(names, caller, explicit, Some(head));
    let has_pack = head.parameters.iter().any(|p| p.is_pack);
    let is_whole = |binding: &Binding| !matches!(binding, Binding::Pack(_));
    if explicit.len() > head.parameters.len() && !has_pack && explicit.iter().all(is_whole) {
        return Err("it takes fewer template arguments".to_owned());
    }
    let is_told = |at: usize| at < explicit.len() && !head.parameters[at].is_pack;
    let open = head.parameters.iter().enumerate();
    let open = open.filter(|(at, _)| !is_told(*at));
    let open: Vec<Name> = open.filter_map(|(_, p)| p.name.clone()).collect();
    let mut deduced: Vec<(Name, Binding)> = Vec::new();
    for (i, p) in parameters.iter().enumerate() {
        // Of a type that is told the argument need not be: that is a matter of conversions.
        if !p.is_pack && !mentions(&p.ty, &open) {
            continue;
        }
        let unify = |ty: &Type| {
            unify_parameter(names, definition, &head.parameters, p, ty)
                .ok_or_else(|| "the arguments do not fit the parameters".to_string())
        };
        if p.is_pack {
            let open = elements_of_unknown(names, definition, head, p);
            deduced.extend(packed(argument_types.get(i..), open, &unify)?);
            break;
        }
        let Some(ty) = argument_types.get(i) else {
            break;
        };
        let found = if ty.is_unknown() {
            Vec::new()
        } else if let (Type::Function, Some(takes)) = (ty, pointed_signature(&p.ty)) {
            // An overload set says nothing.
            let known = signatures.get(i).and_then(Option::as_ref);
            known
                .and_then(|given| unify_signature(names, definition, head, takes, given))
                .unwrap_or_default()
        } else {
            unify(ty)?
        };
        for (name, b) in found {
            let is_explicit = head
                .parameters
                .iter()
                .position(|q| q.name.as_ref() == Some(&name))
                .is_some_and(|at| at < explicit.len());
            match deduced.iter().find(|(n, _)| *n == name) {
                Some((_, other)) if !is_explicit && !is_same_binding(other, &b) => {
                    return Err(format!(
                        "the template argument `{name}` is deduced as `{other}` and as `{b}`"
                    ));
                }
                Some(_) => {}
                None => deduced.push((name, b)),
            }
        }
    }
    take_first_of_pack(head, &mut explicit, &mut deduced);
    if let Some(name) = untold_pack(
        head,
        parameters,
        argument_types.len(),
        (explicit.len(), &deduced),
    ) {
        return Err(format!("the template argument `{name}` is not known"));
    }
    let deduced = (&deduced[..], may_be_open);
    bind_all(names, definition, head, explicit, deduced)
}

/// What template parameters stand for, or why an argument does not fit.
pub(super) type Deduced = Result<Vec<(Name, Binding)>, String>;

/// What a function takes to which a parameter of this type points.
pub(super) fn pointed_signature(ty: &ast::TypeExpr) -> Option<&[ast::TypeExpr]> {
    match &ty.kind {
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => match &to.kind {
            TypeKind::Function { parameters, .. } => Some(parameters),
            _ => None,
        },
        TypeKind::Function { parameters, .. } => Some(parameters),
        _ => None,
    }
}

/// What the types that a function takes say of the template parameters that a pointer to it mentions.
fn unify_signature(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    patterns: &[ast::TypeExpr],
    given: &[Type],
) -> Option<Vec<(Name, Binding)>> {
    let mut found = Vec::new();
    for (at, pattern) in patterns.iter().enumerate() {
        // `P...`, of which the tree keeps the name.
        if let TypeKind::Named(path) = &pattern.kind
            && let [only] = &path.segments[..]
            && let mut parameters = head.parameters.iter()
            && parameters.any(|p| p.is_pack && p.name.as_ref() == Some(&only.name))
        {
            let rest = given.get(at..)?.iter().cloned();
            let rest: Vec<Binding> = rest.map(Binding::Type).collect();
            found.push((only.name.clone(), Binding::Pack(rest.into())));
            return Some(found);
        }
        let mut unifier = Unifier {
            names,
            at: definition,
            parameters: &head.parameters,
            is_strict: false,
            is_open: false,
            is_nested: false,
            found: &mut found,
        };
        unifier.ty(pattern, given.get(at)?)?;
    }
    (patterns.len() == given.len()).then_some(found)
}

/// What the type of an argument says of the template parameters that the type of a parameter mentions; `None` where
/// it does not fit.
pub(super) fn unify_parameter(
    names: &Names<'_>,
    definition: &Env,
    parameters: &[ast::TemplateParameter],
    parameter: &ast::Parameter,
    ty: &Type,
) -> Option<Vec<(Name, Binding)>> {
    // `T &&` of an object that has a name: `T` is a reference to it.
    if let (Some(name), Type::Reference(to)) = (forwarded_parameter(parameter, parameters), ty)
        && !to.is_rvalue
    {
        return Some(vec![(name.clone(), Binding::Type(ty.clone()))]);
    }
    let is_reference = matches!(parameter.ty.kind, TypeKind::Reference { .. });
    let ty = match ty {
        Type::Reference(to) if is_reference => to.whole(),
        ty if is_reference => ty.clone(),
        ty => ty.decay(),
    };
    let mut found = Vec::new();
    let mut unifier = Unifier {
        names,
        at: definition,
        parameters,
        is_strict: false,
        is_open: false,
        is_nested: false,
        found: &mut found,
    };
    match (&parameter.ty.kind, &ty) {
        // A parameter that is written as an array is a pointer.
        (TypeKind::Array(of, _), Type::Pointer(to)) => unifier.ty(of, to)?,
        _ => unifier.ty(&parameter.ty, &ty)?,
    };
    Some(found)
}

/// Whether a template parameter goes by a concept: `template <Small T>` reads as one for values of a type
/// that there is not.
pub(super) fn names_concept(names: &Names<'_>, env: &Env, p: &TemplateParameter) -> bool {
    let TemplateParameterKind::Value { ty, .. } = &p.kind else {
        return false;
    };
    let TypeKind::Named(path) = &ty.kind else {
        return false;
    };
    // `std::enable_if_t<…>`, `typename std::enable_if<…>::type`
    let is_type = |name: &str| name.ends_with("_t") || name == "type";
    path.segments
        .last()
        .is_some_and(|last| !is_type(&last.name))
        && matches!(resolve_type(names, env, ty), Type::Opaque(_))
}
