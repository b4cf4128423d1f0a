//! What is declared in one place and defined in another: members that their class only declares,
//! functions whose default arguments stand in an earlier declaration.
//!
//! Given a declaration and what it belongs to, gives the definition of the same function or variable.
//! Classes of one name and overloads are told apart; of two that cannot be told apart none is given.

use super::arguments::resolve_arguments;
use super::bind::is_same_binding;
use super::shape::{mentions, shape};
use super::{Binding, Callee, Entry, Env, Fingerprint, Names, ScopeId, field, resolve_type};
use crate::sema::types::{Field, RecordType, Type};
use crate::syntax::ast::{
    self, Function, FunctionKind, Name, Path, Range, TemplateArgument, TemplateHead, TypeKind,
};
use std::sync::Arc;

/// A function or variable that a class declares, where it stands outside of the class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside<'a, T: ?Sized> {
    /// The namespace that the definition stands in.
    pub scope: ScopeId,
    pub definition: &'a T,
}

/// A class that stands outside of the one that declares it, and where it is read.
type Member<'a> = (&'a Arc<ast::Record>, Env);

/// Of which classes a definition is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Every instance of the template.
    Template,
    /// This instance alone: `template <> int S<float>::f()`.
    Instance,
}

impl<'a> Names<'a> {
    /// The function that defines what `record` declares, as a member of it.
    pub(crate) fn definition_of_member(
        &self,
        record: &Arc<RecordType>,
        declared: &Arc<Function>,
    ) -> Option<Callee> {
        let own = record.record.name.as_ref()?;
        let outside = self.outside_functions.get(&**own)?;
        if !outside
            .iter()
            .any(|one| one.definition.name == declared.name)
        {
            return None;
        }
        let question = Fingerprint::new("definition")
            .place(Arc::as_ptr(declared))
            .record(record);
        let found = self
            .definitions
            .answer(question, || self.find_definition(record, declared, outside));
        let has_default = declared.parameters.iter().any(|p| p.default.is_some());
        found.map(|function| Callee {
            env: self.outside_env_of(record, &function.templates, has_default),
            function,
        })
    }

    fn find_definition(
        &self,
        record: &Arc<RecordType>,
        declared: &Arc<Function>,
        outside: &[Outside<'a, Arc<Function>>],
    ) -> Option<Arc<Function>> {
        let mut exact: Option<(Of, &Arc<Function>)> = None;
        let mut open = Vec::new();
        for one in outside {
            let function = one.definition;
            let is_special = !function.arguments.is_empty();
            if function.body.is_none() || is_special || !may_define(declared, function) {
                continue;
            }
            let Some(of) = self.class_of(
                record,
                one.scope,
                function.qualifier.as_ref(),
                function.templates.first(),
            ) else {
                continue;
            };
            let member = Callee {
                function: function.clone(),
                env: self.outside_env(record, &function.templates),
            };
            let declaration = Callee {
                function: declared.clone(),
                env: Env::inside(record),
            };
            // What has a body in the class is defined again for an instance alone.
            if declared.body.is_some() && of == Of::Template {
                continue;
            }
            match self.has_same_parameters(&declaration, &member) {
                Some(true)
                    if exact.is_none_or(|(old, _)| old == Of::Template && of == Of::Instance) =>
                {
                    exact = Some((of, function));
                }
                None => open.push(function),
                _ => {}
            }
        }
        let is_alone = || {
            let members = record.record.members.iter();
            let alike = members.filter(|member| {
                matches!(member, ast::Member::Function(other) if may_define(other, declared))
            });
            alike.count() == 1
        };
        match (exact, &open[..]) {
            (Some((_, function)), _) => Some(function.clone()),
            (None, [only]) if is_alone() => Some((*only).clone()),
            _ => None,
        }
    }

    /// Definitions and specialisations of a member class that stand outside: those that choose by arguments
    /// of their own, or the one that does not; and whether one of them stands for the template that the class has.
    pub(super) fn member_classes_outside(
        &self,
        record: &Arc<RecordType>,
        name: &str,
    ) -> (Vec<Member<'a>>, Option<Member<'a>>, bool) {
        let own = record.record.name.as_ref();
        let outside = own.and_then(|own| self.outside_records.get(&**own));
        let (mut templates, mut plain, mut is_replaced) = (Vec::new(), None, false);
        for one in outside.into_iter().flatten() {
            let class = one.definition;
            if class.name.as_deref() != Some(name) {
                continue;
            }
            let heads = &class.templates;
            let Some(of) =
                self.class_of(record, one.scope, class.qualifier.as_ref(), heads.first())
            else {
                continue;
            };
            let env = self.outside_env(record, heads);
            let own_heads =
                heads.len() - usize::from(!record.arguments.is_empty()).min(heads.len());
            if own_heads > 0 || !class.arguments.is_empty() {
                is_replaced |= of == Of::Instance && class.arguments.is_empty();
                templates.push((class, env));
            } else if plain.is_none() || of == Of::Instance {
                plain = Some((class, env));
            }
        }
        (templates, plain, is_replaced)
    }

    /// Specialisations of member templates: `template <> template <> int S<float>::f<3>()`.
    pub(super) fn specialised_members(&self, record: &Arc<RecordType>, name: &str) -> Vec<Callee> {
        let own = record.record.name.as_ref();
        let Some(outside) = own.and_then(|own| self.outside_functions.get(&**own)) else {
            return Vec::new();
        };
        let is_one = |one: &&Outside<'a, Arc<Function>>| {
            &*one.definition.name == name
                && (!one.definition.arguments.is_empty() || specialises_a_member(one.definition))
        };
        if !outside.iter().any(|one| is_one(&one)) {
            return Vec::new();
        }
        let question = Fingerprint::new("specialised").record(record).text(name);
        let ask = || self.find_specialised(record, outside.iter().filter(is_one));
        self.specialised.answer(question, ask)
    }

    fn find_specialised<'o>(
        &self,
        record: &Arc<RecordType>,
        outside: impl Iterator<Item = &'o Outside<'a, Arc<Function>>>,
    ) -> Vec<Callee>
    where
        'a: 'o,
    {
        let mut found = Vec::new();
        for one in outside {
            let function = one.definition;
            let qualifier = function.qualifier.as_ref();
            if self
                .class_of(record, one.scope, qualifier, function.templates.first())
                .is_some()
            {
                found.push(Callee {
                    function: function.clone(),
                    env: self.outside_env(record, &function.templates),
                });
            }
        }
        found
    }

    /// The definition of a static member outside of its class, and whether it is of this instance alone.
    pub(crate) fn outside_variable(
        &self,
        record: &Arc<RecordType>,
        name: &str,
    ) -> Option<(&'a ast::Variable, bool)> {
        let own = record.record.name.as_ref()?;
        let mut found = None;
        for one in self.outside_variables.get(&**own)? {
            let variable = one.definition;
            if &*variable.name != name {
                continue;
            }
            let of = self.class_of(
                record,
                one.scope,
                variable.qualifier.as_ref(),
                variable.template.as_ref(),
            );
            match of {
                Some(Of::Instance) => return Some((variable, true)),
                Some(Of::Template) => found = found.or(Some((variable, false))),
                None => {}
            }
        }
        found
    }

    /// Whether a qualifier in front of a definition in `scope` means the class `record`.
    fn class_of(
        &self,
        record: &Arc<RecordType>,
        scope: ScopeId,
        qualifier: Option<&Path>,
        head: Option<&TemplateHead>,
    ) -> Option<Of> {
        let qualifier = qualifier?;
        let mut segments = &qualifier.segments[..];
        let mut class = record.clone();
        let own = segments.last()?;
        loop {
            let (last, before) = segments.split_last()?;
            segments = before;
            if class.record.name.as_ref() != Some(&last.name) {
                return None;
            }
            match class.env.record.clone() {
                Some(enclosing) => class = enclosing,
                None => break,
            }
        }
        let home = class.env.namespace;
        let outermost = class.record.name.as_ref()?;
        let is_class = |at: ScopeId| {
            let entries = self.in_scope(at, outermost, 0);
            let mut classes = entries
                .iter()
                .filter(|(e, _)| matches!(e, Entry::Record(_)));
            classes.next().map(|(_, at)| *at)
        };
        let at = if segments.is_empty() {
            let mut scopes = self
                .outward(&Env::new(scope), qualifier.is_global)
                .into_iter();
            scopes.find_map(is_class)?
        } else {
            let prefix = Path {
                segments: segments.to_vec(),
                ..qualifier.clone()
            };
            is_class(self.namespace(&Env::new(scope), &prefix)?)?
        };
        if at != home {
            return None;
        }
        self.instances_of(record, scope, own.arguments.as_deref(), head)
    }

    fn instances_of(
        &self,
        record: &RecordType,
        scope: ScopeId,
        arguments: Option<&[TemplateArgument]>,
        head: Option<&TemplateHead>,
    ) -> Option<Of> {
        let parameters = head.map_or(&[][..], |head| &head.parameters);
        let is_full = record
            .record
            .templates
            .last()
            .is_none_or(|head| head.parameters.is_empty());
        let Some(arguments) = arguments else {
            // A class of no template, or one inside of a template.
            return (!record.record.is_specialisation() && is_full).then_some(Of::Template);
        };
        if record.record.is_specialisation() && !is_full {
            // A partial specialisation: its definition repeats its arguments.
            let names = |heads: &[TemplateHead]| {
                heads
                    .last()
                    .map_or(Vec::new(), |head| parameter_names(&head.parameters))
            };
            let written =
                argument_shapes(&record.record.arguments, &names(&record.record.templates));
            let here = argument_shapes(arguments, &parameter_names(parameters));
            return (written == here).then_some(Of::Template);
        }
        let is_parameter = |(argument, parameter): (&TemplateArgument, &ast::TemplateParameter)| {
            let TemplateArgument::Type(ty) = argument else {
                return parameter.is_pack;
            };
            match &ty.kind {
                TypeKind::Named(path) => {
                    path.segments.len() == 1
                        && Some(&path.segments[0].name) == parameter.name.as_ref()
                }
                _ => parameter.is_pack,
            }
        };
        if !parameters.is_empty() {
            let is_template = !record.record.is_specialisation()
                && arguments.len() == parameters.len()
                && arguments.iter().zip(parameters).all(is_parameter);
            return is_template.then_some(Of::Template);
        }
        let given = resolve_arguments(self, &Env::new(scope), arguments, None);
        let is_same = given.len() <= record.arguments.len()
            && given
                .iter()
                .zip(&record.arguments)
                .all(|(a, b)| is_same_binding(a, b));
        is_same.then_some(Of::Instance)
    }

    /// Whether two declarations take the same parameters; `None` where types that are not known decide.
    pub fn has_same_parameters(&self, one: &Callee, other: &Callee) -> Option<bool> {
        let (f, g) = (&*one.function, &*other.function);
        let packs = |f: &ast::Function| f.parameters.iter().position(|p| p.is_pack);
        if f.parameters.len() != g.parameters.len() || packs(f) != packs(g) {
            return Some(false);
        }
        let names = [self.heads(one), self.heads(other)];
        let mut answer = Some(true);
        let result = (f.kind == FunctionKind::Conversion).then_some((&f.result, &g.result));
        let pairs = f.parameters.iter().zip(&g.parameters);
        for (a, b) in pairs.map(|(p, q)| (&p.ty, &q.ty)).chain(result) {
            if shape(a, &names[0]).1 == shape(b, &names[1]).1 {
                continue;
            }
            let types = [
                resolve_type(self, &one.env, a),
                resolve_type(self, &other.env, b),
            ];
            let is_open = types.iter().any(has_unknown);
            if !is_open && (types[0] != types[1] || constness_below(a) != constness_below(b)) {
                return Some(false);
            }
            if is_open {
                answer = None;
            }
        }
        answer
    }

    /// The names of all template parameters that a function's types may use, those of its class first.
    fn heads(&self, callee: &Callee) -> Vec<Name> {
        let mut names = Vec::new();
        let of_class = match (&callee.function.qualifier, &callee.env.record) {
            (None, Some(record)) => record.record.templates.last(),
            (Some(_), Some(record)) if !record.arguments.is_empty() => {
                callee.function.templates.first()
            }
            _ => None,
        };
        let own = self.own_head(&callee.function, &callee.env);
        for head in of_class.into_iter().chain(own) {
            names.extend(parameter_names(&head.parameters));
        }
        names
    }

    /// The default of a parameter, which may stand in a declaration of its own. `env` is where the
    /// function's body is read.
    #[must_use]
    pub fn default_argument<'f>(
        &'f self,
        function: &'f Arc<Function>,
        env: &'f Env,
        index: usize,
    ) -> Option<&'f ast::Expr> {
        let default = |f: &'f Function| f.parameters.get(index).and_then(|p| p.default.as_ref());
        if let Some(e) = default(function) {
            return Some(e);
        }
        if let Some(record) = env.record.as_ref().filter(|_| function.qualifier.is_some()) {
            return record.record.members.iter().find_map(|member| {
                let ast::Member::Function(declared) = member else {
                    return None;
                };
                if !may_define(declared, function) {
                    return None;
                }
                let e = default(declared)?;
                let definition = self.definition_of_member(record, declared)?;
                Arc::ptr_eq(&definition.function, function).then_some(e)
            });
        }
        let home = self.home(function);
        let own = Callee {
            function: function.clone(),
            env: Env::new(home),
        };
        let entries = self.in_scope(home, &function.name, 0);
        entries.into_iter().find_map(|(entry, at)| {
            let Entry::Function(other) = entry else {
                return None;
            };
            let e = default(other)?;
            let other = Callee {
                function: other.clone(),
                env: Env::new(at),
            };
            (self.has_same_parameters(&own, &other) == Some(true)).then_some(e)
        })
    }
}

impl Names<'_> {
    /// The field that an unqualified name means in a class's functions.
    pub(crate) fn own_field(&self, record: &Arc<RecordType>, name: &str) -> Option<Field> {
        field(self, record, name).filter(|_| !self.hides_base(record, name))
    }

    /// Whether an unqualified name means nothing in a class although a base has it: the base depends on
    /// template parameters, so that the name is looked for around the class first.
    pub(crate) fn hides_base(&self, record: &Arc<RecordType>, name: &str) -> bool {
        let around = Env::new(record.env.namespace);
        self.only_dependent_bases_may_have(record, name)
            && !self
                .unqualified(&around, name, false, Range::default())
                .is_empty()
    }

    /// The class that stands in front of the last name of a path.
    pub(crate) fn class_in_front(&self, env: &Env, path: &ast::Path) -> Option<Arc<RecordType>> {
        match self.prefix(env, path)? {
            super::Prefix::Record(class) => Some(class),
            _ => None,
        }
    }

    /// Whether a class around a place has a base that the files given do not declare, which may have any name. Those of
    /// well-known libraries have none that a program has.
    pub(super) fn is_in_unknown_base(&self, env: &Env) -> bool {
        let mut around = env.record.clone();
        while let Some(record) = around {
            if self.has_unknown_base(&record, 0) {
                return true;
            }
            around = record.env.record.clone();
        }
        false
    }

    fn has_unknown_base(&self, record: &Arc<RecordType>, depth: u32) -> bool {
        let bases = &record.record.bases;
        if bases.is_empty() || depth > 16 {
            return depth > 16;
        }
        let heads = heads_around(record);
        let mut own = bases
            .iter()
            .filter(|base| !mentions(base, &heads) && !is_of_library(base));
        own.any(|base| match resolve_type(self, &record.env, base) {
            Type::Record(base) => self.has_unknown_base(&base, depth + 1),
            _ => true,
        })
    }

    /// The innermost class around a place in which an unqualified name means something: what is farther out is hidden,
    /// whatever it is (C++ standard, [basic.lookup.unqual]).
    pub(in crate::sema) fn class_with(&self, env: &Env, name: &str) -> Option<Arc<RecordType>> {
        let mut around = env.record.clone();
        while let Some(record) = around {
            if self.has_meaning_in(&record, name) {
                return Some(super::complete(self, &record));
            }
            around = record.env.record.clone();
        }
        None
    }

    /// Whether an unqualified name means something in a class, which its bases may say.
    pub(in crate::sema) fn has_meaning_in(&self, record: &Arc<RecordType>, name: &str) -> bool {
        let record = super::complete(self, record);
        has_member(&record, name, 0) && !self.hides_base(&record, name)
    }

    /// Whether an unqualified name means a variable of a class or a namespace: what is called is an object.
    pub(crate) fn is_variable_around(&self, env: &Env, path: &ast::Path) -> bool {
        let Some(name) = path.as_name().filter(|name| env.get(name).is_none()) else {
            return false;
        };
        if let Some(class) = self.class_with(env, name) {
            return has_variable(&class, name, 0);
        }
        let found = self.unqualified(env, name, false, path.range);
        let mut found = found.iter().peekable();
        found.peek().is_some() && found.all(|(entry, _)| matches!(entry, Entry::Variable(_)))
    }

    /// Whether the innermost class around a place in which a name means something has it of a base that depends on
    /// template parameters.
    pub(super) fn is_left_to_dependent_bases(&self, env: &Env, name: &str) -> bool {
        let mut around = env.record.clone();
        while let Some(record) = around {
            if has_member(&record, name, 0) {
                return self.only_dependent_bases_may_have(&record, name);
            }
            around = record.env.record.clone();
        }
        false
    }

    /// Whether neither a class nor a base of it that is known where it is written has a name, but another base may.
    fn only_dependent_bases_may_have(&self, record: &Arc<RecordType>, name: &str) -> bool {
        let class = &record.record;
        if class.bases.is_empty() || record.arguments.is_empty() && record.env.record.is_none() {
            return false;
        }
        let heads = heads_around(record);
        let is_dependent = |base: &ast::TypeExpr| mentions(base, &heads);
        if declares(class, name) || !class.bases.iter().any(is_dependent) {
            return false;
        }
        let inside = Env::inside(record);
        let has_it = |base: &ast::TypeExpr| match resolve_type(self, &inside, base) {
            Type::Record(base) => has_member(&base, name, 0),
            _ => true,
        };
        let mut plain = class.bases.iter().filter(|base| !is_dependent(base));
        plain.all(|base| !has_it(base))
    }
}

/// The template parameters of a class and of those around it.
fn heads_around(record: &Arc<RecordType>) -> Vec<ast::Name> {
    let mut heads = Vec::new();
    let mut around = Some(record);
    while let Some(one) = around {
        for head in &one.record.templates {
            heads.extend(parameter_names(&head.parameters));
        }
        around = one.env.record.as_ref();
    }
    heads
}

/// Whether a base is a class of the standard library, of the toolkit or of PyTorch.
fn is_of_library(base: &ast::TypeExpr) -> bool {
    let TypeKind::Named(path) = &base.kind else {
        return false;
    };
    let first = path.segments.first().filter(|_| path.segments.len() > 1);
    let is_known = |name: &str| {
        matches!(
            name,
            "std" | "thrust" | "cub" | "cuda" | "torch" | "at" | "c10"
        )
    };
    first.is_some_and(|first| is_known(&first.name))
}

/// Whether a definition outside of its class has one more `template <>` than the classes around it take: `template <>
/// int S::f(char)`.
fn specialises_a_member(definition: &ast::Function) -> bool {
    let classes = definition.qualifier.iter().flat_map(|path| &path.segments);
    let taken = classes.filter(|class| class.arguments.is_some()).count();
    let heads = &definition.templates;
    heads.len() > taken && heads.last().is_some_and(|head| head.parameters.is_empty())
}

/// Whether a class itself declares a name.
pub(super) fn declares(class: &ast::Record, name: &str) -> bool {
    class.members.iter().any(|member| match member {
        ast::Member::Function(f) => &*f.name == name,
        ast::Member::Variables(all) => all.iter().any(|v| match &v.ty.kind {
            TypeKind::Record(inner) if v.name.is_empty() => declares(inner, name),
            TypeKind::Enum(e) if declares_enumeration(e, name) => true,
            _ => &*v.name == name,
        }),
        ast::Member::Record(r) => r.name.as_deref() == Some(name),
        ast::Member::Enum(e) => declares_enumeration(e, name),
        ast::Member::Alias(a) => &*a.name == name,
        ast::Member::Using(path) => path.segments.last().is_some_and(|last| &*last.name == name),
        ast::Member::Friend(_) => false,
    })
}

/// The enumeration, or its values where they need no qualifier.
fn declares_enumeration(e: &ast::Enum, name: &str) -> bool {
    e.name.as_deref() == Some(name)
        || !e.is_class && e.values.iter().any(|(value, _)| &**value == name)
}

fn has_member(record: &RecordType, name: &str, depth: u32) -> bool {
    depth > 16
        || declares(&record.record, name)
        || record
            .bases
            .iter()
            .any(|(_, base)| has_member(base, name, depth + 1))
}

/// Whether a class or a base of it has a variable of the name.
fn has_variable(record: &RecordType, name: &str, depth: u32) -> bool {
    let own = record.record.members.iter().any(|member| match member {
        ast::Member::Variables(all) => all.iter().any(|v| &*v.name == name),
        _ => false,
    });
    own || depth < 16
        && !declares(&record.record, name)
        && record
            .bases
            .iter()
            .any(|(_, base)| has_variable(base, name, depth + 1))
}

/// Whether one declaration may be of the function that another one defines, by all but types.
fn may_define(one: &Function, other: &Function) -> bool {
    one.name == other.name
        && one.kind == other.kind
        && one.parameters.len() == other.parameters.len()
        && one.attributes.is_const == other.attributes.is_const
        && one.attributes.reference == other.attributes.reference
}

fn parameter_names(parameters: &[ast::TemplateParameter]) -> Vec<Name> {
    // A parameter without a name keeps its place.
    let name = |p: &ast::TemplateParameter| p.name.clone().unwrap_or_else(|| "".into());
    parameters.iter().map(name).collect()
}

fn argument_shapes(arguments: &[TemplateArgument], head: &[Name]) -> Vec<String> {
    let one = |argument: &TemplateArgument| match argument {
        TemplateArgument::Type(ty) => {
            let constness = if ty.is_const { "const " } else { "" };
            format!("{constness}{}", shape(ty, head).1)
        }
        TemplateArgument::Expr(e) => crate::sema::text(e),
    };
    arguments.iter().map(one).collect()
}

/// Whether something in a type is not known.
#[must_use]
pub fn has_unknown(ty: &Type) -> bool {
    match ty {
        Type::Pointer(to) | Type::Array(to, _) => has_unknown(to),
        Type::Record(record) => record.arguments.iter().any(|argument| match argument {
            Binding::Type(ty) => has_unknown(ty),
            _ => false,
        }),
        other => other.is_unknown() || other.strip_reference().is_unknown(),
    }
}

/// Which of the types that a type points or refers to are `const`: types themselves do not say.
fn constness_below(ty: &ast::TypeExpr) -> Vec<bool> {
    let mut out = Vec::new();
    let mut at = ty;
    while let TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } = &at.kind {
        out.push(to.is_const);
        at = to;
    }
    out
}
