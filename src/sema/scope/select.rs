//! Overload resolution: which of several functions a call means.
//!
//! Given candidates, explicit arguments and the types of the arguments; gives the one that C++ chooses, with
//! its template bound, or none where that is not certain. What conversions are worth says `ranking`.

use super::aliases::names_open_alias;
use super::arguments::resolve_arguments;
use super::bind::{deduce_with_open_defaults, is_same_binding, names_concept, pointed_signature};
use super::partly_read::may_be_deduced;
use super::ranking::{Rank, rank};
use super::shape::{Shape, is_same, shape, takes_part};
use super::{Binding, Callee, Env, Fingerprint, Names, resolve_type};
use crate::sema::types::{Qualifiers, Type};
use crate::syntax::ast::{self, Name, TemplateArgument, TemplateParameter};
use crate::syntax::visit::pattern_names_of_type;
use std::cmp::Ordering;
use std::sync::Arc;

/// The function among `candidates` that a call means, with the environment of its body; `None`
/// also where several suit as well and none is more special. Whether arguments have names is not known.
#[must_use]
pub fn overload_for_types(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    select_by(names, caller, candidates, (explicit, false), argument_types)
}

/// As [`overload_for_types`]; arguments with names have references as types, and plain types are those of temporaries.
#[must_use]
pub fn overload_for_arguments(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    select_by(names, caller, candidates, (explicit, true), argument_types)
}

/// What an operator on operands of classes means, or a call by the name of one of the toolkit's functions.
pub enum OperatorChoice {
    /// No function of the user's takes these operands.
    BuiltIn,
    One(Callee, Env),
    /// One of several, or perhaps none.
    Open,
}

/// Which operator function is meant; types as in [`overload_for_arguments`]. Beside all of them may stand the operator
/// that is built in, `has_rival`: so a candidate that does not suit is not meant, also where it is the only one, and of
/// one that may suit it is not known.
#[must_use]
pub fn operator_for_arguments(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    argument_types: &[Type],
    has_rival: bool,
) -> OperatorChoice {
    let chosen = overload_for_arguments(names, caller, candidates, &[], argument_types);
    if let Some((callee, env)) = chosen {
        let all = ranks(names, &callee, &env, argument_types, true);
        return if has_rival && !all.iter().all(Rank::is_certain) {
            OperatorChoice::Open
        } else {
            OperatorChoice::One(callee, env)
        };
    }
    let may_suit = |c: &Callee| match fit(names, caller, c, &[], argument_types) {
        Some(env) => {
            let all = ranks(names, c, &env, argument_types, true);
            all.iter().all(Rank::is_possible)
                && takes_part(names, &env, &c.function, parameters_of(names, c)) != Some(false)
        }
        None => may_fit_by_alias(names, c, argument_types.len()),
    };
    if candidates.iter().any(may_suit) {
        OperatorChoice::Open
    } else {
        OperatorChoice::BuiltIn
    }
}

fn select_by(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    (explicit, tells_names): (&[TemplateArgument], bool),
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    let ask = || {
        let how = (explicit, tells_names);
        select_among(names, caller, candidates, how, argument_types)
    };
    if !explicit.is_empty() {
        return ask();
    }
    let question = Fingerprint::new("select")
        .number(u64::from(tells_names))
        .types(argument_types);
    let question = candidates.iter().fold(question, |out, candidate| {
        out.place(Arc::as_ptr(&candidate.function))
            .env(&candidate.env)
    });
    names.selected.answer(question, ask)
}

/// A candidate that a call may mean, with what its arguments' conversions are.
struct Viable<'c> {
    callee: &'c Callee,
    env: Env,
    ranks: Vec<Rank>,
    is_template: bool,
}

fn select_among(
    names: &Names<'_>,
    caller: &Env,
    candidates: &[Callee],
    (explicit, tells_names): (&[TemplateArgument], bool),
    argument_types: &[Type],
) -> Option<(Callee, Env)> {
    let has_choice = candidates.len() > 1;
    let is_open = |c: &Callee| is_constrained(names, c) || has_open_signature(&c.function);
    if has_choice && candidates.iter().any(is_open)
        || is_undecided(names, candidates, argument_types)
    {
        return None;
    }
    let mut viable: Vec<Viable<'_>> = Vec::new();
    let mut unfit: Vec<Viable<'_>> = Vec::new();
    let mut is_open = false;
    // Explicit specialisations take no part: they stand in for the template that is chosen.
    let has_template = candidates
        .iter()
        .any(|c| !parameters_of(names, c).is_empty());
    let is_special = |c: &&Callee| has_template && is_specialisation(names, c);
    for c in candidates.iter().filter(|c| !is_special(c)) {
        let Some(env) = fit(names, caller, c, explicit, argument_types) else {
            let may_fit = may_fit_by_alias(names, c, argument_types.len())
                || may_fit_by_signature(names, c, argument_types)
                || argument_types.len() <= c.function.parameters.len()
                    && may_be_deduced(names, c, argument_types);
            if has_choice && may_fit {
                return None;
            }
            continue;
        };
        let ranks = ranks(names, c, &env, argument_types, tells_names);
        let own = parameters_of(names, c);
        let is_template = !own.is_empty();
        if !ranks.iter().all(Rank::is_possible) {
            unfit.push(Viable {
                callee: c,
                env,
                ranks,
                is_template,
            });
            continue;
        }
        match takes_part(names, &env, &c.function, own) {
            Some(true) => {}
            Some(false) => continue,
            None => is_open = true,
        }
        viable.push(Viable {
            callee: c,
            env,
            ranks,
            is_template,
        });
    }
    // Types of host code are known roughly: what is called there is there.
    if !tells_names && viable.is_empty() && unfit.len() == 1 {
        viable = unfit;
    }
    if is_open && viable.len() > 1 {
        return None;
    }
    // Of a declaration and a definition of one function the definition.
    viable.sort_by_key(|one| one.callee.function.body.is_none());
    let count = argument_types.len();
    let is_best = |one: &&Viable<'_>| {
        viable
            .iter()
            .all(|other| is_one(one.callee, other.callee) || is_better(names, one, other, count))
    };
    let Viable { callee, env, .. } = viable.iter().find(is_best)?;
    let special: Vec<&Callee> = candidates.iter().filter(is_special).collect();
    match specialised(names, callee, env, &special) {
        Specialised::No => Some(((*callee).clone(), env.clone())),
        Specialised::By(one) => Some((one.clone(), one.env.clone())),
        Specialised::Open => None,
    }
}

/// Whether both are the same function: of two instances of a class each has its own.
fn is_one(one: &Callee, other: &Callee) -> bool {
    let class = |c: &Callee| c.env.record.as_ref().map(|record| record.identity);
    Arc::ptr_eq(&one.function, &other.function) && class(one) == class(other)
}

/// Whether something of its head could not be read, or which of its parameters an argument is for is not worked out:
/// what it takes is then not known.
pub(crate) fn has_open_signature(f: &ast::Function) -> bool {
    if f.parameters.iter().rev().skip(1).any(|p| p.is_pack) {
        return true;
    }
    let first = f.body.as_ref().and_then(|body| body.first());
    let is_before_body =
        |problem: &ast::Problem| first.is_none_or(|first| problem.range.start < first.range.start);
    f.problem.as_ref().is_some_and(is_before_body)
}

/// Whether template arguments that were not deduced stand in an alias that is not worked out.
fn may_fit_by_alias(names: &Names<'_>, c: &Callee, given: usize) -> bool {
    let parameters = &c.function.parameters;
    let mut types = parameters.iter().map(|parameter| &parameter.ty);
    given <= parameters.len()
        && !parameters_of(names, c).is_empty()
        && types.any(|ty| names_open_alias(names, &c.env, ty))
}

/// Whether template arguments that were not deduced stand in what a function takes to which an argument points:
/// the types of arguments do not tell it.
fn may_fit_by_signature(names: &Names<'_>, c: &Callee, types: &[Type]) -> bool {
    let is_function = |ty: &Type| match ty.strip_reference() {
        Type::Function => true,
        Type::Pointer(to) => matches!(**to, Type::Function),
        // A pointer that was made of a lambda counts as one.
        ty => ty.is_lambda(),
    };
    let takes_pointer = |p: &ast::Parameter| {
        pointed_signature(&p.ty).is_some()
            || matches!(without_reference(&p.ty).kind, ast::TypeKind::Pointer { .. })
    };
    let mut pairs = c.function.parameters.iter().zip(types);
    !parameters_of(names, c).is_empty() && pairs.any(|(p, ty)| takes_pointer(p) && is_function(ty))
}

/// Whether it takes part only where a condition holds that is not worked out here.
fn is_constrained(names: &Names<'_>, c: &Callee) -> bool {
    let has_concept = |p: &TemplateParameter| names_concept(names, &c.env, p);
    c.function.attributes.is_constrained || parameters_of(names, c).iter().any(has_concept)
}

/// Whether a call means `one` rather than `other`: no argument suits it worse, and one suits it better, or
/// it is the more special one.
fn is_better(names: &Names<'_>, one: &Viable<'_>, other: &Viable<'_>, count: usize) -> bool {
    // The object that may be changed suits a `const` function worse.
    let has_object = |one: &Viable<'_>| {
        one.callee.env.record.is_some() && !one.callee.function.attributes.is_static
    };
    let is_const = |one: &Viable<'_>| one.callee.function.attributes.is_const;
    if has_object(one) && has_object(other) && is_const(one) && !is_const(other) {
        return false;
    }
    let mut has_better = false;
    for (a, b) in one.ranks.iter().zip(&other.ranks) {
        match a.compare(b) {
            Some(Ordering::Greater) => has_better = true,
            Some(Ordering::Equal) => {}
            Some(Ordering::Less) | None => return false,
        }
    }
    if has_better {
        return true;
    }
    if one.is_template != other.is_template {
        return other.is_template;
    }
    let same = |(a, b): (&Rank, &Rank)| a.takes_the_same(b);
    let is_told = one.is_template && one.ranks.iter().zip(&other.ranks).all(same);
    is_preferred(names, one.callee, other.callee, (count, is_told))
}

/// What the conversions of all arguments are.
fn ranks(
    names: &Names<'_>,
    c: &Callee,
    env: &Env,
    argument_types: &[Type],
    tells_names: bool,
) -> Vec<Rank> {
    let own = parameters_of(names, c);
    let parameters = &c.function.parameters;
    let one = |(at, given): (usize, &Type)| {
        let last = parameters.last().filter(|last| last.is_pack);
        let Some(parameter) = parameters.get(at).or(last) else {
            return Rank::ellipsis();
        };
        if tells_names || matches!(given, Type::Reference(_) | Type::Qualified(_)) {
            return rank(names, env, parameter, own, given);
        }
        let open = given.clone().with(Qualifiers::OPEN);
        rank(names, env, parameter, own, &open)
    };
    argument_types.iter().enumerate().map(one).collect()
}

/// Whether the type of an argument that is not known decides between candidates.
fn is_undecided(names: &Names<'_>, candidates: &[Callee], types: &[Type]) -> bool {
    let is_unknown = |ty: &Type| ty.strip_reference().is_unknown();
    let Some(at) = types.iter().position(is_unknown) else {
        return false;
    };
    let takes = |c: &&Callee| {
        let parameters = &c.function.parameters;
        let is_open = parameters.last().is_some_and(|p| p.is_pack);
        let has_default = |i: usize| {
            parameters[i].is_pack || names.default_argument(&c.function, &c.env, i).is_some()
        };
        (types.len() <= parameters.len() || is_open)
            && (types.len()..parameters.len()).all(has_default)
    };
    let of = |c: &Callee| {
        let ty = c.function.parameters.get(at).map(|p| &p.ty);
        let mut text = ty.map_or(String::new(), |ty| without_places(&format!("{ty:?}")));
        // Parameters of templates have names of their own.
        if !parameters_of(names, c).is_empty() {
            text.push_str(&format!("{:?}", Arc::as_ptr(&c.function)));
        }
        text
    };
    let mut fits = candidates.iter().filter(takes);
    let Some(first) = fits.next() else {
        return false;
    };
    let others: Vec<&Callee> = fits.collect();
    let same = |c: &&Callee| of(c) == of(first) || does_the_same(&c.function, &first.function);
    // A declaration and a definition are one function.
    let is_declared = |c: &&Callee| c.function.body.is_none() || first.function.body.is_none();
    !others.iter().all(|c| same(c) || is_declared(c))
}

/// `template <> void f<float>(…)`
fn is_specialisation(names: &Names<'_>, c: &Callee) -> bool {
    let head = names.own_head(&c.function, &c.env);
    head.is_some_and(|head| head.parameters.is_empty())
}

enum Specialised<'c> {
    No,
    By(&'c Callee),
    /// Types that are not known decide.
    Open,
}

/// The explicit specialisation of a chosen template for the arguments in `env`.
fn specialised<'c>(
    names: &Names<'_>,
    template: &Callee,
    env: &Env,
    special: &[&'c Callee],
) -> Specialised<'c> {
    let parameters = parameters_of(names, template);
    if parameters.is_empty() {
        return Specialised::No;
    }
    let f = &*template.function;
    let same = |a: &Type, b: &Type| match (a, b) {
        _ if a.is_unknown() || b.is_unknown() => None,
        _ => Some(a == b),
    };
    let mut found: Option<&Callee> = None;
    for one in special.iter().copied() {
        let g = &*one.function;
        if g.parameters.len() != f.parameters.len() || g.name != f.name {
            continue;
        }
        let given = resolve_arguments(names, &one.env, &g.arguments, None);
        let fits_given = given.iter().zip(parameters).all(|(given, parameter)| {
            let bound = parameter.name.as_ref().and_then(|name| env.get(name));
            bound.is_none_or(|bound| is_same_binding(given, bound))
        });
        if !fits_given || given.len() > parameters.len() {
            continue;
        }
        let types = f.parameters.iter().zip(&g.parameters);
        let types = types
            .map(|(p, q)| (&p.ty, &q.ty))
            .chain([(&f.result, &g.result)]);
        let mut is_open = false;
        let mut fits = true;
        for (p, q) in types {
            match same(
                &resolve_type(names, env, p),
                &resolve_type(names, &one.env, q),
            ) {
                Some(is_same) => fits &= is_same,
                None => is_open = true,
            }
        }
        match (fits, is_open, found) {
            (false, ..) => {}
            (true, true, _) => return Specialised::Open,
            (true, false, None) => found = Some(one),
            // Declared, and defined.
            (true, false, Some(old)) if old.function.body.is_none() => found = Some(one),
            (true, false, Some(_)) => {}
        }
    }
    found.map_or(Specialised::No, Specialised::By)
}

/// The template parameters of a function's own.
fn parameters_of<'n>(names: &'n Names<'_>, callee: &'n Callee) -> &'n [TemplateParameter] {
    let head = names.own_head(&callee.function, &callee.env);
    head.map_or(&[], |head| &head.parameters)
}

/// Whether a call that both functions suit means `one`: it is as good a declaration of the same
/// function, the device's version, or the more special template. `is_told` says that both are templates whose
/// arguments are known to make the same types of their parameters.
fn is_preferred(
    names: &Names<'_>,
    one: &Callee,
    other: &Callee,
    (count, is_told): (usize, bool),
) -> bool {
    let (f, g) = (&*one.function, &*other.function);
    let on_device = |f: &ast::Function| f.attributes.device || f.attributes.global;
    if on_device(f) != on_device(g) {
        return on_device(f);
    }
    let (f_head, g_head) = (parameters_of(names, one), parameters_of(names, other));
    let shapes = |f: &ast::Function, head: &[TemplateParameter]| -> Vec<Shape> {
        let head: Vec<Name> = head.iter().filter_map(|p| p.name.clone()).collect();
        let taken = f.parameters.iter().take(count);
        taken.map(|p| shape(&p.ty, &head)).collect()
    };
    let (a, b) = (shapes(f, f_head), shapes(g, g_head));
    // References and what is `const` as a whole do not count at first (C++ standard, [temp.deduct.partial]).
    let bare = |f: &ast::Function, head: &[TemplateParameter]| -> Vec<Shape> {
        let head: Vec<Name> = head.iter().filter_map(|p| p.name.clone()).collect();
        let taken = f.parameters.iter().take(count);
        taken
            .map(|p| shape(without_reference(&p.ty), &head))
            .collect()
    };
    let (bare_a, bare_b) = (bare(f, f_head), bare(g, g_head));
    // `f(T)` is more special than `f(T...)`.
    let is_pack = |f: &ast::Function| f.parameters.iter().take(count).any(|p| p.is_pack);
    if is_pack(f) != is_pack(g) && (a == b || bare_a == bare_b) {
        return is_pack(g);
    }
    let is_more = |a: &[Shape], b: &[Shape]| {
        let mut pairs = a.iter().zip(b);
        pairs.clone().all(|(a, b)| a.0 >= b.0) && pairs.any(|(a, b)| a.0 > b.0)
    };
    if is_told && f.attributes.is_const == g.attributes.is_const {
        // `f(Box<const T>)` and `f(const Box<T> &)` of the same type.
        if is_more(&bare_a, &bare_b) {
            return true;
        }
        if is_more(&bare_b, &bare_a) {
            return false;
        }
    }
    let loose = |shapes: &[Shape]| -> Vec<String> {
        shapes
            .iter()
            .map(|(_, text)| text.replace("const ", ""))
            .collect()
    };
    if loose(&a) == loose(&b) {
        // Whether an argument is `const` is not known: it is the same if both do the same.
        let consts = |f: &ast::Function, shapes: &[Shape]| {
            usize::from(f.attributes.is_const) + shapes.iter().map(|shape| shape.0).sum::<usize>()
        };
        let (mine, theirs) = (consts(f, &a), consts(g, &b));
        if is_told && mine != theirs && f.attributes.is_const == g.attributes.is_const {
            // Both take a `const int *`: `f(const T *)` is more special than `f(T *)`.
            return a.iter().zip(&b).all(|(a, b)| a.0 >= b.0);
        }
        let result = |f: &ast::Function, head: &[TemplateParameter]| {
            let head: Vec<Name> = head.iter().filter_map(|p| p.name.clone()).collect();
            shape(&f.result, &head).1.replace("const ", "")
        };
        return (mine < theirs && does_the_same(f, g) && result(f, f_head) == result(g, g_head))
            || (mine == theirs
                && f.attributes.reference == g.attributes.reference
                && is_same((f, f_head), (g, g_head)));
    }
    // A definition may spell a type in another way than its declaration.
    if f.body.is_some()
        && g.body.is_none()
        && f.attributes.is_const == g.attributes.is_const
        && f.attributes.reference == g.attributes.reference
        && is_same((f, f_head), (g, g_head))
        && names.has_same_parameters(one, other) == Some(true)
    {
        return true;
    }
    if f_head.is_empty() && g_head.is_empty() {
        // Of `f(long)` and `f(long long)` only a compiler knows which is meant.
        return false;
    }
    let (a, b) = match bare_a == bare_b {
        true => (a, b),
        false => (bare_a, bare_b),
    };
    is_more(&a, &b)
}

/// What a type refers to, and it itself where it refers to nothing.
fn without_reference(ty: &ast::TypeExpr) -> &ast::TypeExpr {
    match &ty.kind {
        ast::TypeKind::Reference { to, .. } => to,
        _ => ty,
    }
}

/// Whether the bodies of two functions are the same text, up to `const` where nothing is called.
pub(crate) fn does_the_same(f: &ast::Function, g: &ast::Function) -> bool {
    match (&f.body, &g.body) {
        (Some(a), Some(b)) => {
            let [a, b] = [a, b].map(|body| without_places(&format!("{body:?}")));
            // What a cast calls `const` says only which function is called.
            let calls = ["Call {", "Construct {"].iter().any(|one| a.contains(one));
            a == b || (!calls && without_const(&a) == without_const(&b))
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn without_const(tree: &str) -> String {
    tree.replace("is_const: true", "is_const: false")
}

/// A tree's text without the places that its parts have in the source.
fn without_places(tree: &str) -> String {
    let mut out = String::with_capacity(tree.len());
    for (at, part) in tree.split("Range {").enumerate() {
        let rest = match part.split_once('}') {
            Some((_, rest)) if at > 0 => rest,
            _ => part,
        };
        out.push_str(rest);
    }
    out
}

/// How many parameters the pack at the end of a member's list stands for, where the class tells:
/// `template <class... T> struct S { S(const T &...x); };`
#[must_use]
pub fn pack_of_class(names: &Names<'_>, c: &Callee) -> Option<usize> {
    let last = c.function.parameters.last().filter(|p| p.is_pack)?;
    let head = names.own_head(&c.function, &c.env);
    let own = head.map_or(&[][..], |head| &head.parameters);
    let is_own = |name: &ast::Name| own.iter().any(|p| p.name.as_ref() == Some(name));
    let mentioned = pattern_names_of_type(&last.ty);
    let mut others = mentioned.iter().filter(|name| !is_own(name));
    others.find_map(|name| match c.env.get(name) {
        Some(Binding::Pack(items)) => Some(items.len()),
        _ => None,
    })
}

/// The environment of a candidate's body, if it takes as many arguments and they tell what its template
/// arguments are.
pub(super) fn fit(
    names: &Names<'_>,
    caller: &Env,
    c: &Callee,
    explicit: &[TemplateArgument],
    argument_types: &[Type],
) -> Option<Env> {
    let f = &*c.function;
    let is_open = f.parameters.last().is_some_and(|p| p.is_pack) || f.attributes.is_variadic;
    let given = argument_types.len();
    if pack_of_class(names, c).is_some_and(|items| given + 1 != f.parameters.len() + items) {
        return None;
    }
    if given > f.parameters.len() && !is_open {
        return None;
    }
    if (given..f.parameters.len()).any(|i| {
        !f.parameters[i].is_pack && names.default_argument(&c.function, &c.env, i).is_none()
    }) {
        return None;
    }
    let is_template = names
        .own_head(f, &c.env)
        .is_some_and(|h| !h.parameters.is_empty());
    if !is_template && !explicit.is_empty() {
        // An explicit specialisation: `template <> void f<float>(…)`.
        let wanted = resolve_arguments(names, caller, explicit, None);
        let own = resolve_arguments(names, &c.env, &f.arguments, None);
        if own.is_empty()
            || !wanted.iter().zip(&own).all(|(a, b)| is_same_binding(a, b))
            || (wanted.len() > own.len())
        {
            return None;
        }
    }
    deduce_with_open_defaults(names, caller, c, explicit, argument_types)
}
