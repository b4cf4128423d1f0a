//! Names: what an identifier of one translation unit stands for.
//!
//! Given a tree; gives tables of its namespaces and, with `resolve`, `bind` and
//! `typeof`, resolved types, template bindings and types of expressions. Reads no
//! text and folds nothing itself (`consteval` does). Headers that were not found
//! leave no trace here: their best-known names are answered by `types`.

mod aliases;
mod arguments;
mod bind;
mod categories;
mod env;
mod formed;
mod function_values;
mod identity;
mod instantiate;
mod lookup;
mod memo;
mod namespaces;
mod outside;
mod overloads;
mod pack_binding;
mod partly_read;
mod prefix;
mod ranking;
mod resolve;
mod select;
mod shape;
mod specialisation;
mod standard;
mod symbol_tables;
#[cfg(test)]
mod tests;
mod type_of;
mod unify;

pub use arguments::resolve_arguments;
pub use bind::{
    bind_open, bind_template, bind_values, bindings_of, deduce, deduce_with_reason, open_argument,
};
pub(crate) use bind::{deduce_for_lambda, deduce_from_signatures, deduce_open};
pub use env::{Binding, Callee, Env, display_list, display_path};
pub(crate) use env::{Guard, Prefix};
pub use function_values::{function_value, use_name};
pub(crate) use identity::Fingerprint;
pub use identity::{Identity, of_names as identity_of_names};
pub use instantiate::{complete, display_argument, display_bound, field, instantiate};
pub(in crate::sema) use instantiate::{offset_of_base, used_base};
pub use outside::has_unknown;
pub use overloads::derives;
pub(crate) use resolve::{is_of_numbers, plain_enumeration, pointed_parameters};
pub use resolve::{local_enumeration, resolve_qualified, resolve_type};
pub use select::{
    OperatorChoice, operator_for_arguments, overload_for_arguments, overload_for_types,
    pack_of_class,
};
pub(crate) use select::{does_the_same, has_open_signature};
pub(crate) use specialisation::match_arguments;
pub(crate) use standard::{constant_of, inherited_constant, trait_value};
pub use symbol_tables::is_std;
pub use type_of::{elements_of_list, is_lvalue, result_type, type_of, with_parameters};
pub(crate) use type_of::{of_auto_pointer, type_with, variable_type};
pub(crate) use unify::opaque_arguments;

use super::consteval::{self, Value};
use super::types::{RecordType, Type};
use crate::syntax::ast::{self, Path};
use lookup::join;
use memo::{Instances, Memo};
use outside::Outside;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// A namespace of one [`Names`]; 0 is the global one.
pub type ScopeId = u32;

/// What a namespace holds under one name.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    Function(&'a Arc<ast::Function>),
    Record(&'a Arc<ast::Record>),
    Enum(&'a Arc<ast::Enum>),
    Enumerator(&'a Arc<ast::Enum>),
    Alias(&'a Arc<ast::Alias>),
    Variable(&'a ast::Variable),
    Namespace(ScopeId),
    /// A using-declaration or a namespace alias.
    Path(&'a Path),
}

#[derive(Debug, Default)]
struct Scope<'a> {
    name: String,
    parent: Option<ScopeId>,
    /// Where its first declaration stands.
    start: Option<u32>,
    entries: FxHashMap<&'a str, Vec<Entry<'a>>>,
    using: Vec<&'a Path>,
    /// The namespaces that these name, each once: headers repeat them. Found when first asked for.
    used: OnceLock<Vec<(ScopeId, ast::Range)>>,
}

/// The symbol tables of one translation unit.
#[derive(Debug)]
pub struct Names<'a> {
    scopes: Vec<Scope<'a>>,
    /// Functions, variables and classes defined outside of their class, by the class's own name.
    outside_functions: FxHashMap<&'a str, Vec<Outside<'a, Arc<ast::Function>>>>,
    outside_variables: FxHashMap<&'a str, Vec<Outside<'a, ast::Variable>>>,
    outside_records: FxHashMap<&'a str, Vec<Outside<'a, Arc<ast::Record>>>>,
    /// Functions that other units can't name, by address.
    internal: FxHashSet<usize>,
    /// The namespace of every function, by address.
    homes: FxHashMap<usize, ScopeId>,
    /// Whether `std` is brought into a namespace, whole or in part: its functions go by their bare names.
    brings_std_in: bool,
    /// Every function of the unit outside of classes, in order.
    functions: Vec<(ScopeId, &'a Arc<ast::Function>)>,
    instantiations: Vec<(ScopeId, &'a Arc<ast::Function>)>,
    class_instantiations: Vec<(ScopeId, &'a Path)>,
    /// Templates with arguments that variables of namespaces begin with: `Kernel *table[] = {run<1>, run<2>};`
    named_instances: Vec<(ScopeId, &'a Path)>,
    /// Layouts made so far.
    instances: Instances,
    /// Types that class templates and aliases give for arguments.
    types: Memo<Type>,
    /// Which function defines a member that its class only declares.
    definitions: Memo<Option<Arc<ast::Function>>>,
    /// Specialisations of member templates, of a class and by name.
    specialised: Memo<Vec<Callee>>,
    /// Which function a call means.
    selected: Memo<Option<(Callee, Env)>>,
    /// Values of constants of namespaces and classes, and what functions give for constants.
    values: Memo<Option<Value>>,
    /// Symbols of all operators that there are; nothing where classes lie too deep in each other.
    operator_symbols: OnceLock<Option<FxHashSet<ast::Name>>>,
}

impl<'a> Names<'a> {
    /// Kernels with bodies and the namespace that they stand in.
    pub fn kernels(&self) -> impl Iterator<Item = (&'a Arc<ast::Function>, &str)> {
        self.functions
            .iter()
            .filter(|(_, f)| f.attributes.global && f.body.is_some())
            .map(|(_, f)| (*f, self.scope_name(self.home(f))))
    }

    /// Whether a bare name may mean one of the standard library.
    #[must_use]
    pub fn brings_std_in(&self) -> bool {
        self.brings_std_in
    }

    /// All functions outside of classes in order of appearance, out-of-class members included.
    pub fn functions_in_order(&self) -> impl Iterator<Item = (ScopeId, &'a Arc<ast::Function>)> {
        self.functions.iter().map(|(_, f)| (self.home(f), *f))
    }

    /// `template __global__ void f<float>(…);`
    pub fn instantiations(&self) -> impl Iterator<Item = (ScopeId, &'a Arc<ast::Function>)> {
        self.instantiations.iter().copied()
    }

    /// `template class C<float>;`
    pub fn class_instantiations(&self) -> impl Iterator<Item = (ScopeId, &'a Path)> {
        self.class_instantiations.iter().copied()
    }

    /// Templates with arguments that the variables of namespaces begin with, and the namespace.
    pub fn named_instances(&self) -> impl Iterator<Item = (ScopeId, &'a Path)> {
        self.named_instances.iter().copied()
    }

    /// Whether no other unit can name a function: it is `static`, or stands in an unnamed namespace.
    #[must_use]
    pub fn has_internal_linkage(&self, function: &Arc<ast::Function>) -> bool {
        let is_unnamed = self.internal.contains(&(Arc::as_ptr(function) as usize));
        is_unnamed || function.attributes.is_static
    }

    /// The namespace a function was declared in; the global one where it is not known.
    #[must_use]
    pub fn home(&self, function: &Arc<ast::Function>) -> ScopeId {
        self.homes
            .get(&(Arc::as_ptr(function) as usize))
            .copied()
            .unwrap_or(0)
    }

    /// `a::b`; empty for the global namespace.
    #[must_use]
    pub fn scope_name(&self, scope: ScopeId) -> &str {
        self.scopes.get(scope as usize).map_or("", |s| &s.name)
    }

    /// A name as it is called from outside of all namespaces.
    #[must_use]
    pub fn full_name(&self, scope: ScopeId, name: &str) -> String {
        match self.scope_name(scope) {
            "" => name.to_owned(),
            namespace => format!("{namespace}::{name}"),
        }
    }

    /// The functions that a name may call: local function values, members, then namespaces.
    #[must_use]
    pub fn functions(&self, env: &Env, path: &Path) -> Vec<Callee> {
        let Some(last) = path.segments.last() else {
            return Vec::new();
        };
        let from = |entries: Vec<(Entry<'a>, ScopeId)>| {
            entries
                .into_iter()
                .filter_map(|(e, s)| match e {
                    Entry::Function(f) => Some(Callee {
                        function: f.clone(),
                        env: Env::new(s),
                    }),
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
        // `f<>(x)` means templates only.
        let from = |entries: Vec<(Entry<'a>, ScopeId)>| {
            let mut found = from(entries);
            let is_template =
                |c: &Callee| !c.function.templates.is_empty() || !c.function.arguments.is_empty();
            if last.arguments.is_some() && found.iter().any(is_template) {
                found.retain(is_template);
            }
            found
        };
        if path.segments.len() == 1 {
            match env.named(path) {
                Some(Binding::Value(Value::Function(f), _)) => return f.candidates.clone(),
                Some(_) => return Vec::new(),
                None => {}
            }
            if !path.is_global
                && let Some(class) = self.class_with(env, &last.name)
            {
                let mut found = self.methods(&class, &last.name);
                // The class's own name makes another object.
                found.retain(|c| c.function.kind != ast::FunctionKind::Constructor);
                return found;
            }
            let found = from(self.unqualified(env, &last.name, path.is_global, path.range));
            return self.declared_before(found, path.range);
        }
        match self.prefix(env, path) {
            Some(Prefix::Scope(s)) => {
                self.declared_before(from(self.in_scope(s, &last.name, 0)), path.range)
            }
            Some(Prefix::Record(r)) => self.methods(&r, &last.name),
            _ => Vec::new(),
        }
    }

    /// Member functions of a class and its bases by name, definitions in place of declarations.
    /// Operators go by their symbol, constructors by the class's own name.
    #[must_use]
    pub fn methods(&self, record: &Arc<RecordType>, name: &str) -> Vec<Callee> {
        let mut out = Vec::new();
        self.methods_into(record, name, 0, &mut out);
        out
    }

    fn methods_into(
        &self,
        record: &Arc<RecordType>,
        name: &str,
        depth: u32,
        out: &mut Vec<Callee>,
    ) {
        if depth > 16 {
            return;
        }
        // `D` of a base `B<D>` was named before its own bases were known.
        let record = &complete(self, record);
        let inside = Env::inside(record);
        for member in &record.record.members {
            let ast::Member::Function(f) = member else {
                continue;
            };
            if &*f.name != name {
                continue;
            }
            let definition = self.definition_of_member(record, f);
            out.push(definition.unwrap_or_else(|| Callee {
                function: f.clone(),
                env: inside.clone(),
            }));
        }
        if !out.is_empty() {
            out.extend(self.specialised_members(record, name));
        }
        self.add_used(record, name, depth, out);
        if out.is_empty() {
            for (_, base) in &record.bases {
                self.methods_into(base, name, depth + 1, out);
            }
        }
    }

    /// Operator functions that a place sees, and those of the operands' classes and their namespaces: `symbol` is the
    /// text after `operator`. Members are those of the first class.
    #[must_use]
    pub fn operators(
        &self,
        env: &Env,
        operands: &[Arc<RecordType>],
        symbol: &str,
        at: ast::Range,
    ) -> Vec<Callee> {
        let mut out = Vec::new();
        if let Some(first) = operands.first() {
            out.extend(self.methods(first, symbol));
        }
        // A using-declaration of the block hides what is farther out.
        let mut found = match env.get(symbol) {
            Some(Binding::Value(Value::Function(f), _)) => {
                out.extend(f.candidates.iter().cloned());
                Vec::new()
            }
            _ => self.unqualified(env, symbol, false, at),
        };
        let mut scopes: Vec<ScopeId> = operands
            .iter()
            .flat_map(Self::associated_namespaces)
            .collect();
        scopes.sort_unstable();
        scopes.dedup();
        for scope in scopes {
            join(&mut found, self.of_namespace(scope, symbol));
        }
        for (entry, scope) in found {
            if let Entry::Function(f) = entry
                && f.kind == ast::FunctionKind::Operator
            {
                out.push(Callee {
                    function: f.clone(),
                    env: Env::new(scope),
                });
            }
        }
        out
    }

    /// The environment of a member defined outside of a class template: its own names for the parameters of the class,
    /// and of those around it, stand for what theirs do, which are not seen there.
    pub(crate) fn outside_env(&self, record: &Arc<RecordType>, heads: &[ast::TemplateHead]) -> Env {
        self.outside_env_of(record, heads, false)
    }

    /// As [`Names::outside_env`]; `sees_class` keeps the names of the class, which default arguments are written with.
    fn outside_env_of(
        &self,
        record: &Arc<RecordType>,
        heads: &[ast::TemplateHead],
        sees_class: bool,
    ) -> Env {
        let inside = Env::inside(record);
        fn parameters(class: &RecordType) -> &[ast::TemplateParameter] {
            let head = class.record.templates.last();
            head.map_or(&[][..], |head| &head.parameters)
        }
        let mut of_templates: Vec<&Arc<RecordType>> = Vec::new();
        let mut at = Some(record);
        while let Some(class) = at {
            if !parameters(class).is_empty() {
                of_templates.insert(0, class);
            }
            at = class.env.record.as_ref();
        }
        let own = of_templates.iter().flat_map(|class| parameters(class));
        let own: Vec<&ast::Name> = own.filter_map(|p| p.name.as_ref()).collect();
        let mut env = match heads.is_empty() || sees_class {
            true => inside.clone(),
            false => inside.without_first(&own),
        };
        // A variable keeps the last of its heads.
        let first = of_templates.len().saturating_sub(heads.len());
        for (class, head) in of_templates[first..].iter().zip(heads) {
            let is_specialisation = class.record.is_specialisation();
            for (nth, (p, own)) in head.parameters.iter().zip(parameters(class)).enumerate() {
                let bound = own.name.as_ref().and_then(|name| inside.get(name)).cloned();
                let given = || {
                    class
                        .arguments
                        .get(nth)
                        .filter(|_| !is_specialisation)
                        .cloned()
                };
                if let (Some(name), Some(value)) = (&p.name, bound.or_else(given)) {
                    env.set(name.clone(), value);
                }
            }
        }
        env
    }

    /// The template head of a function's own parameters (not those of its class).
    #[must_use]
    pub fn own_head<'f>(
        &self,
        function: &'f ast::Function,
        env: &Env,
    ) -> Option<&'f ast::TemplateHead> {
        let of_class = function.qualifier.is_some()
            && env.record.as_ref().is_some_and(|r| !r.arguments.is_empty());
        let skip = usize::from(of_class);
        function.templates.get(skip..).and_then(<[_]>::last)
    }

    /// A variable of a namespace, or the definition of a static member outside of its class.
    #[must_use]
    pub fn variable(&self, env: &Env, path: &Path) -> Option<(&'a ast::Variable, Env)> {
        let last = path.segments.last()?;
        let entries = if path.segments.len() == 1 {
            let is_hidden = || !path.is_global && self.class_with(env, &last.name).is_some();
            if env.named(path).is_some() || is_hidden() {
                return None;
            }
            self.unqualified(env, &last.name, path.is_global, path.range)
        } else {
            match self.prefix(env, path)? {
                Prefix::Scope(s) => self.in_scope(s, &last.name, 0),
                Prefix::Record(r) => {
                    let (v, _) = self.outside_variable(&r, &last.name)?;
                    return Some((v, self.outside_env(&r, v.template.as_slice())));
                }
                _ => return None,
            }
        };
        let variables = || {
            entries.iter().filter_map(|(e, s)| match e {
                Entry::Variable(v) if v.arguments.is_empty() => Some((*v, Env::new(*s))),
                _ => None,
            })
        };
        variables()
            .find(|(v, _)| v.init.is_some())
            .or_else(|| variables().find(|(v, _)| !v.storage.is_extern))
            .or_else(|| variables().next())
    }

    /// A class template by name, and its namespace.
    pub(crate) fn class_template(
        &self,
        env: &Env,
        name: &str,
        at: ast::Range,
    ) -> Option<(&'a Arc<ast::Record>, ScopeId)> {
        self.unqualified(env, name, false, at)
            .into_iter()
            .find_map(|(e, s)| match e {
                Entry::Record(r)
                    if r.is_definition && !r.is_specialisation() && !r.templates.is_empty() =>
                {
                    Some((r, s))
                }
                _ => None,
            })
    }

    /// Variables of any namespace that host code may change, by name.
    pub(crate) fn mutable_variables(&self, name: &str) -> Vec<(&'a ast::Variable, Env)> {
        let mut out = Vec::new();
        for (i, scope) in self.scopes.iter().enumerate() {
            for e in scope.entries.get(name).map_or(&[][..], |v| v) {
                if let Entry::Variable(v) = e
                    && !(v.storage.is_constexpr
                        || consteval::is_const_object(&v.ty)
                        || v.storage.is_device
                        || v.storage.is_shared
                        || v.storage.is_constant
                        || v.storage.is_managed)
                    && v.template.is_none()
                    && !out
                        .iter()
                        .any(|(o, _): &(&ast::Variable, Env)| o.name == v.name)
                {
                    let env = Env::new(i as ScopeId);
                    let path = Path {
                        is_global: false,
                        segments: vec![ast::Segment {
                            name: v.name.clone(),
                            arguments: None,
                        }],
                        range: v.range,
                    };
                    out.push(self.variable(&env, &path).unwrap_or((v, env)));
                }
            }
        }
        out
    }

    /// Tells instances of a template apart: arguments that are displayed alike need not be the same.
    pub(crate) fn instance_of(&self, function: &ast::Function, env: &Env) -> Identity {
        let head = self.own_head(function, env);
        let parameters = head.into_iter().flat_map(|head| &head.parameters);
        let bound = parameters.filter_map(|p| env.get(p.name.as_deref()?));
        let start = Fingerprint::new("instance");
        // Why an argument is not known tells nothing apart.
        let all = bound.fold(start, |out, one| match one {
            Binding::Variable(_) | Binding::Type(Type::Unknown(_)) => out.text("?"),
            known => out.binding(known),
        });
        // `k<4>` and `k<4u>` are two where the parameter has no type of its own.
        let arguments = head.map_or_else(Vec::new, |head| bindings_of(self, head, env, &[]));
        all.text(&instantiate::types_of_auto(head, &arguments))
            .identity()
    }

    /// The value that answers a question, worked out once.
    pub(crate) fn value_of(
        &self,
        question: Fingerprint,
        ask: impl FnOnce() -> Option<Value>,
    ) -> Option<Value> {
        self.values.answer(question, ask)
    }
}
