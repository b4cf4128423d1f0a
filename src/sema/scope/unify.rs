//! Matching of written types against actual ones, for specialisations and deduction.

use super::aliases::{Alias, expanded};
use super::arguments::template_home;
use super::bind::{default_of, is_same_binding};
use super::formed;
use super::{
    Binding, Entry, Env, Guard, Identity, Names, Prefix, ScopeId, complete, resolve_arguments,
    resolve_qualified, resolve_type,
};
use crate::sema::consteval::Value;
use crate::sema::types::{Qualifiers, RecordType, Type, is_alias};
use crate::syntax::ast::{
    self, ExprKind, Name, Path, Range, TemplateArgument, TemplateParameter, TemplateParameterKind,
    TypeExpr, TypeKind,
};
use std::sync::Arc;

/// A base class that a pattern fits: how well, which one, and what its parameters are then.
type FittingBase = (usize, Identity, Vec<(Name, Binding)>);

/// Matches one argument of a specialisation against an actual one; gives how specific it is.
pub(super) fn unify_argument(
    names: &Names<'_>,
    at: &Env,
    parameters: &[TemplateParameter],
    pattern: &TemplateArgument,
    value: &Binding,
    found: &mut Vec<(Name, Binding)>,
    is_open: &mut bool,
) -> Option<usize> {
    let mut unifier = Unifier {
        names,
        at,
        parameters,
        is_strict: true,
        is_open: false,
        is_nested: true,
        found,
    };
    let score = unifier.argument(pattern, value);
    *is_open |= unifier.is_open;
    score
}

/// Whether a path is the bare name of a template parameter.
pub(super) fn names_parameter(parameters: &[TemplateParameter], path: &Path) -> bool {
    match &path.segments[..] {
        [only] => {
            let is_it = |p: &TemplateParameter| p.name.as_ref() == Some(&only.name);
            only.arguments.is_none() && parameters.iter().any(is_it)
        }
        _ => false,
    }
}

pub(super) struct Unifier<'u, 'a> {
    pub names: &'u Names<'a>,
    pub at: &'u Env,
    pub parameters: &'u [TemplateParameter],
    /// A specialisation must fit; in deduction a parameter without template names says nothing.
    pub is_strict: bool,
    /// Set where a pattern depends on what is not known.
    pub is_open: bool,
    /// Within template arguments, where a class stands for none of its bases.
    pub is_nested: bool,
    pub found: &'u mut Vec<(Name, Binding)>,
}

impl Unifier<'_, '_> {
    fn parameter<'p>(&self, path: &'p Path) -> Option<&'p Name> {
        match &path.segments[..] {
            [s] if s.arguments.is_none()
                && self
                    .parameters
                    .iter()
                    .any(|p| p.name.as_ref() == Some(&s.name)) =>
            {
                Some(&s.name)
            }
            _ => None,
        }
    }

    fn argument(&mut self, pattern: &TemplateArgument, value: &Binding) -> Option<usize> {
        let path = match pattern {
            TemplateArgument::Type(TypeExpr {
                kind: TypeKind::Named(p),
                is_const: false,
                is_volatile: false,
                ..
            }) => Some(p),
            TemplateArgument::Expr(ast::Expr {
                kind: ExprKind::Path(p),
                ..
            }) => Some(p),
            _ => None,
        };
        if let Some(name) = path.and_then(|p| self.parameter(p)) {
            let of = self
                .parameters
                .iter()
                .find(|p| p.name.as_ref() == Some(name));
            if of.is_some_and(|p| is_of_another_kind(&p.kind, value)) {
                return None;
            }
            self.found.push((name.clone(), value.clone()));
            return Some(0);
        }
        if let (Some(path), Binding::Template(given, there)) = (path, value) {
            let wanted = template_home(self.names, self.at, path);
            let given = template_home(self.names, there, given);
            if wanted.is_none() || given.is_none() {
                self.is_open |= self.is_strict;
                return Some(2);
            }
            return (wanted == given).then_some(2);
        }
        match (pattern, value) {
            (TemplateArgument::Type(ty), Binding::Type(t)) => {
                let outer = std::mem::replace(&mut self.is_nested, true);
                let score = self.ty(ty, t);
                self.is_nested = outer;
                score
            }
            // Of what is computed nothing is deduced.
            (TemplateArgument::Expr(e), _) if !self.is_strict && self.is_computed(e) => Some(0),
            (pattern, value) => {
                let given =
                    resolve_arguments(self.names, self.at, std::slice::from_ref(pattern), None);
                let [given] = &given[..] else {
                    return None;
                };
                if let (Binding::Type(a), Binding::Type(b)) = (given, value) {
                    return self.identical(a, b);
                }
                is_same_binding(given, value).then_some(2)
            }
        }
    }

    /// Whether two types are one; that it is not known makes the pattern open.
    fn identical(&mut self, pattern: &Type, actual: &Type) -> Option<usize> {
        let is_same = pattern.is_identical(actual);
        self.is_open |= is_same.is_none() && self.is_strict;
        (is_same != Some(false)).then_some(2)
    }

    /// What is left of an argument's qualifiers where a pattern writes some of them; `None` where it lacks
    /// them.
    fn left(&mut self, written: Qualifiers, actual: Qualifiers) -> Option<Qualifiers> {
        let lacks =
            written.is_const && !actual.is_const || written.is_volatile && !actual.is_volatile;
        if lacks && self.is_strict {
            if !actual.is_open {
                return None;
            }
            self.is_open = true;
        }
        Some(Qualifiers {
            is_const: actual.is_const && !written.is_const,
            is_volatile: actual.is_volatile && !written.is_volatile,
            // `volatile` is hardly ever written.
            is_open: actual.is_open && !written.is_const,
        })
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub fn ty(&mut self, pattern: &TypeExpr, whole: &Type) -> Option<usize> {
        let _guard = Guard::enter()?;
        let written = Qualifiers::of(pattern);
        let actual = &whole.clone().unqualified();
        if let TypeKind::Named(path) = &pattern.kind
            && let Some(name) = self.parameter(path).cloned()
        {
            let elements = match actual {
                Type::Array(of, _) if !of.is_class => of.qualifiers,
                _ => whole.qualifiers(),
            };
            let left = self.left(written, elements)?;
            if !actual.is_unknown() {
                let ty = match actual.clone() {
                    Type::Array(of, count) if !of.is_class => {
                        Type::Array(of.qualified(left), count)
                    }
                    ty => ty.with(left),
                };
                self.found.push((name, Binding::Type(ty)));
            }
            let fixed = usize::from(pattern.is_const) + usize::from(pattern.is_volatile);
            return Some(fixed);
        }
        if let TypeKind::Named(path) = &pattern.kind
            && let Alias::Of(mut ty) = expanded(self.names, self.at, path)
        {
            ty.is_const |= pattern.is_const;
            ty.is_volatile |= pattern.is_volatile;
            return self.ty(&ty, whole);
        }
        let is_derived = matches!(
            pattern.kind,
            TypeKind::Pointer { .. } | TypeKind::Array(..) | TypeKind::Named(_)
        );
        if self.is_strict && is_derived {
            // A name may stand for a type with qualifiers: that is compared below.
            let is_plain = !matches!(&pattern.kind, TypeKind::Named(path)
                if path.segments.last().is_some_and(|last| last.arguments.is_none()));
            let left = self.left(written, whole.qualifiers())?;
            if is_plain && (left.is_const || left.is_volatile) {
                return None;
            }
            self.is_open |= is_plain && left.is_open;
        }
        match (&pattern.kind, actual) {
            (TypeKind::Named(path), _) => {
                let last = path.segments.last()?;
                match (&last.arguments, actual) {
                    (Some(patterns), Type::Record(r))
                        if r.record.name.as_ref() == Some(&last.name) =>
                    {
                        let before = self.found.len();
                        let own = self.list(patterns, &r.arguments, Some(r));
                        if own.is_some() {
                            return own;
                        }
                        self.found.truncate(before);
                        // `rank<2>` is a `rank<1>`.
                        if self.is_nested || self.is_strict {
                            return None;
                        }
                        self.of_base(&last.name, patterns, r)
                    }
                    (Some(patterns), Type::Record(r))
                        if self
                            .parameters
                            .iter()
                            .any(|p| p.name.as_ref() == Some(&last.name)) =>
                    {
                        let name = r.record.name.clone()?;
                        let path = Path {
                            is_global: false,
                            segments: vec![ast::Segment {
                                name,
                                arguments: None,
                            }],
                            range: Range::default(),
                        };
                        self.found.push((
                            last.name.clone(),
                            Binding::Template(path, Env::new(r.env.namespace)),
                        ));
                        // Whether defaults of the class make up for it, compilers do not agree on.
                        let is_whole = patterns.len() == r.arguments.len();
                        self.is_open |= self.is_strict && !is_whole;
                        self.list(patterns, &r.arguments, Some(r))
                    }
                    (Some(patterns), Type::Opaque(text)) => {
                        let (base, arguments) = opaque_arguments(text)?;
                        // Its other name leaves out the type.
                        if &*last.name == "index_sequence" && base.ends_with("integer_sequence") {
                            let arguments = arguments.get(1..).unwrap_or_default();
                            return self.list(patterns, arguments, None);
                        }
                        if base.rsplit("::").next() != Some(&*last.name) {
                            return self.other(pattern, whole);
                        }
                        self.list(patterns, &arguments, None)
                    }
                    (Some(patterns), Type::Record(r)) if !self.is_nested => self
                        .of_base(&last.name, patterns, r)
                        .or_else(|| self.other(pattern, whole)),
                    _ => self.other(pattern, whole),
                }
            }
            // No function is `const`.
            (TypeKind::Pointer { to, .. }, Type::Pointer(t))
                if (to.is_const || to.is_volatile) && matches!(**t, Type::Function) =>
            {
                None
            }
            // It may be `nullptr`, which points to nothing of a type.
            (TypeKind::Pointer { to, .. }, Type::Pointer(t))
                if !self.is_strict && t.qualifiers.is_open && matches!(**t, Type::Void) =>
            {
                let of_null = Type::unknown("what `nullptr` would point to");
                Some(self.ty(to, &of_null)? + 1)
            }
            (TypeKind::Pointer { to, .. }, Type::Pointer(t)) => Some(self.ty(to, &t.whole())? + 1),
            (TypeKind::Pointer { .. }, t) if t.is_unknown() => (!self.is_strict).then_some(0),
            (TypeKind::Pointer { .. }, _) => None,
            (TypeKind::Reference { is_rvalue, .. }, Type::Reference(t))
                if self.is_strict && *is_rvalue != t.is_rvalue =>
            {
                None
            }
            (TypeKind::Reference { to, .. }, Type::Reference(t)) => {
                Some(self.ty(to, &t.whole())? + 1)
            }
            (TypeKind::Reference { to, .. }, _) if !self.is_strict => self.ty(to, whole),
            (TypeKind::Array(of, bound), Type::Array(t, n)) => {
                match (bound, n) {
                    (Some(e), Some(n)) => {
                        let value = Value::int(*n as i64, crate::ir::Scalar::I32);
                        let bound = TemplateArgument::Expr((**e).clone());
                        if self.is_strict || !self.is_computed(e) {
                            self.argument(&bound, &Binding::Value(value, None))?;
                        }
                    }
                    (None, None) => {}
                    _ => return None,
                }
                Some(self.ty(of, &t.whole())? + 1)
            }
            _ => self.other(pattern, whole),
        }
    }

    /// Matches the one base class of that name: a parameter that is one takes a derived class. `None` also
    /// where several fit, or none does.
    fn of_base(
        &mut self,
        name: &Name,
        patterns: &[TemplateArgument],
        record: &Arc<RecordType>,
    ) -> Option<usize> {
        let before = self.found.len();
        let mut fits: Option<FittingBase> = None;
        let mut queue = vec![(complete(self.names, record), 0)];
        while let Some((class, depth)) = queue.pop() {
            if depth > 16 {
                return None;
            }
            for (_, base) in &class.bases {
                let base = complete(self.names, base);
                if base.record.name.as_ref() == Some(name) {
                    let score = self.list(patterns, &base.arguments, Some(&base));
                    let found = self.found.split_off(before);
                    match (score, &fits) {
                        (Some(_), Some((_, known, _))) if *known != base.identity => return None,
                        (Some(score), _) => fits = Some((score, base.identity, found)),
                        (None, _) => {}
                    }
                }
                queue.push((base, depth + 1));
            }
        }
        let (score, _, found) = fits?;
        self.found.extend(found);
        Some(score)
    }

    /// Whether an array's bound is computed from template parameters: nothing is deduced from it.
    fn is_computed(&self, bound: &ast::Expr) -> bool {
        let is_parameter = matches!(&bound.kind, ExprKind::Path(p) if self.parameter(p).is_some());
        !is_parameter && crate::sema::consteval::eval(self.names, self.at, bound).is_none()
    }

    /// Matches a list of template arguments, those of `class` where it is known which one they are of.
    fn list(
        &mut self,
        patterns: &[TemplateArgument],
        actual: &[Binding],
        class: Option<&RecordType>,
    ) -> Option<usize> {
        let mut flat = Vec::new();
        for b in actual {
            match b {
                Binding::Pack(items) => flat.extend(items.iter().cloned()),
                b => flat.push(b.clone()),
            }
        }
        let mut score = 1;
        for (i, pattern) in patterns.iter().enumerate() {
            if let TemplateArgument::Expr(ast::Expr {
                kind: ExprKind::Expand(inner),
                ..
            }) = pattern
            {
                if let ExprKind::Path(p) = &inner.kind
                    && let Some(name) = self.parameter(p)
                {
                    self.found.push((
                        name.clone(),
                        Binding::Pack(flat.get(i..).unwrap_or_default().into()),
                    ));
                } else {
                    // `V<T>...`
                    self.is_open |= self.is_strict;
                }
                return Some(score);
            }
            score += self.argument(pattern, flat.get(i)?)?;
        }
        match self.are_defaults(&flat, patterns.len(), class) {
            Some(true) => {}
            Some(false) => return None,
            None => self.is_open |= self.is_strict,
        }
        Some(score)
    }

    /// Whether the arguments beyond those that a pattern writes are what the class takes without them; `None`
    /// where that is not known.
    fn are_defaults(
        &self,
        actual: &[Binding],
        written: usize,
        class: Option<&RecordType>,
    ) -> Option<bool> {
        if actual.len() <= written {
            return Some(true);
        }
        let class = class?;
        let is_primary = !class.record.is_specialisation();
        let primary = match &class.record.name {
            _ if is_primary => &class.record,
            Some(name) if class.env.record.is_none() => {
                let at = Env::new(class.env.namespace);
                self.names.class_template(&at, name, Range::default())?.0
            }
            _ => return None,
        };
        let head = &primary.templates.last()?.parameters;
        if head.iter().any(|p| p.is_pack) {
            return Some(false);
        }
        let rest = actual.iter().enumerate().skip(written);
        for (at, given) in rest {
            let parameter = head.get(at)?;
            let has_none = matches!(
                parameter.kind,
                TemplateParameterKind::Type { default: None }
                    | TemplateParameterKind::Value { default: None, .. }
                    | TemplateParameterKind::Template { default: None }
            );
            if has_none {
                return Some(false);
            }
            // Defaults are read where the names of the arguments in front of them are bound.
            if !is_primary {
                return None;
            }
            match default_of(self.names, &class.env, parameter)? {
                Binding::Type(ty) if ty.is_unknown() => return None,
                default if is_same_binding(&default, given) => {}
                _ => return Some(false),
            }
        }
        Some(true)
    }

    /// Whether the members that a pattern names of template arguments are there; `None` where that is
    /// not known.
    fn is_formed(&self, pattern: &TypeExpr, env: &Env) -> Option<bool> {
        let path = match &pattern.kind {
            TypeKind::Pointer { to, .. }
            | TypeKind::Reference { to, .. }
            | TypeKind::Array(to, _) => return self.is_formed(to, env),
            TypeKind::Named(path) => path,
            TypeKind::Builtin(_) | TypeKind::Auto | TypeKind::DecltypeAuto | TypeKind::None => {
                return Some(true);
            }
            TypeKind::Decltype(e) => return formed::is_formed(self.names, env, e),
            _ => return None,
        };
        if formed::is_switched_off(self.names, env, path) {
            return Some(false);
        }
        let mut answer = Some(true);
        for segment in &path.segments {
            for argument in segment.arguments.iter().flat_map(|list| list.iter()) {
                let is_formed = match argument {
                    TemplateArgument::Type(ty) => self.is_formed(ty, env).or_else(|| {
                        let path = formed::value_path(ty)?;
                        formed::value_is_there(self.names, env, path)
                    }),
                    // Of a value that is not known the pattern is open below.
                    TemplateArgument::Expr(e) => {
                        Some(formed::is_formed(self.names, env, e) != Some(false))
                    }
                };
                match is_formed {
                    Some(true) => {}
                    Some(false) => return Some(false),
                    None => answer = None,
                }
            }
        }
        let Some(first) = path.segments.first().filter(|_| path.segments.len() > 1) else {
            return answer;
        };
        let is_parameter = |p: &TemplateParameter| p.name.as_ref() == Some(&first.name);
        if !self.parameters.iter().any(is_parameter) {
            // `own::enable_if<T::SIZE>::type`
            let is_there = formed::type_is_there(self.names, env, path);
            return is_there.or(answer);
        }
        match env.get(&first.name) {
            Some(Binding::Type(Type::Record(record))) if record.problem.is_none() => {
                match resolve_type(self.names, env, pattern) {
                    Type::Unknown(_) => formed::type_is_there(self.names, env, path),
                    Type::Opaque(_) => None,
                    _ => answer,
                }
            }
            Some(Binding::Type(ty)) if formed::has_no_members(ty) => Some(false),
            _ => None,
        }
    }

    /// Whether a pattern names instances of a class template: what is none of them does not fit.
    fn is_of_class_template(&self, path: &Path) -> bool {
        let Some(last) = path.segments.last().filter(|last| last.arguments.is_some()) else {
            return false;
        };
        let is_class = |(entry, _): &(Entry<'_>, ScopeId)| matches!(entry, Entry::Record(r) if !r.templates.is_empty());
        let entries = match self.names.prefix(self.at, path) {
            None if path.segments.len() == 1 && self.at.named(path).is_none() => {
                // A class around the specialisation may have an alias of that name.
                if self.at.record.is_some() && !path.is_global {
                    return false;
                }
                self.names
                    .unqualified(self.at, &last.name, path.is_global, path.range)
            }
            Some(Prefix::Scope(scope)) => self.names.in_scope(scope, &last.name, 0),
            _ => return false,
        };
        !entries.is_empty() && entries.iter().all(is_class)
    }

    fn other(&mut self, pattern: &TypeExpr, actual: &Type) -> Option<usize> {
        if !self.is_strict {
            return Some(0);
        }
        if let TypeKind::Named(path) = &pattern.kind
            && !actual.strip_reference().is_unknown()
            && self.is_of_class_template(path)
        {
            return None;
        }
        // `typename V<typename T::K>::type`: what was found so far decides.
        let mut env = self.at.clone();
        for (name, binding) in self.found.iter() {
            env.set(name.clone(), binding.clone());
        }
        match self.is_formed(pattern, &env) {
            Some(true) => {}
            Some(false) => return None,
            None => {
                self.is_open = true;
                return Some(0);
            }
        }
        match resolve_qualified(self.names, &env, pattern) {
            Type::Unknown(_) => {
                self.is_open = true;
                Some(0)
            }
            // An alias of a header that is not there may be any type.
            Type::Opaque(name) if is_alias(&name) && !matches!(actual, Type::Opaque(_)) => {
                self.is_open = true;
                Some(0)
            }
            ty => self.identical(&ty, actual),
        }
    }
}

/// Whether a template argument is none that a parameter of this kind takes.
fn is_of_another_kind(kind: &TemplateParameterKind, value: &Binding) -> bool {
    match (kind, value) {
        (_, Binding::Type(ty)) if ty.is_unknown() => false,
        (TemplateParameterKind::Type { .. }, Binding::Value(..) | Binding::Template(..))
        | (TemplateParameterKind::Value { .. }, Binding::Type(_) | Binding::Template(..))
        | (TemplateParameterKind::Template { .. }, Binding::Type(_) | Binding::Value(..)) => true,
        _ => false,
    }
}

/// `cg::thread_block_tile<32>` into its name and arguments; only numbers and fundamental types are read.
pub(crate) fn opaque_arguments(text: &str) -> Option<(&str, Vec<Binding>)> {
    let (base, rest) = text.split_once('<')?;
    let inner = rest.strip_suffix('>')?;
    if inner.contains('<') {
        return None;
    }
    let arguments = inner
        .split(", ")
        .map(|a| match (a.parse::<i64>(), a) {
            (Ok(n), _) => Binding::Value(Value::int(n, crate::ir::Scalar::I32), None),
            (_, "true" | "false") => Binding::Value(
                Value::int(i64::from(a == "true"), crate::ir::Scalar::Bool),
                None,
            ),
            _ => Binding::Type(
                crate::sema::types::by_display(a).unwrap_or_else(|| Type::Opaque(Arc::from(a))),
            ),
        })
        .collect();
    Some((base, arguments))
}
