//! The tables of a unit: who declares which name in which namespace.

use super::memo::{Instances, Memo};
use super::outside::Outside;
use super::{Entry, Env, Names, Scope, ScopeId};
use crate::syntax::ast::{self, Path};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// Nesting of lists, casts and choices around a name in an initialiser.
const MAX_DEPTH_OF_LISTS: u32 = 16;

impl<'a> Names<'a> {
    #[must_use]
    pub fn new(unit: &'a ast::Unit) -> Self {
        let mut names = Self {
            scopes: vec![Scope::default()],
            outside_functions: FxHashMap::default(),
            outside_variables: FxHashMap::default(),
            outside_records: FxHashMap::default(),
            internal: FxHashSet::default(),
            homes: FxHashMap::default(),
            brings_std_in: false,
            functions: Vec::new(),
            instantiations: Vec::new(),
            class_instantiations: Vec::new(),
            named_instances: Vec::new(),
            instances: Instances::default(),
            types: Memo::default(),
            definitions: Memo::default(),
            specialised: Memo::default(),
            selected: Memo::default(),
            values: Memo::default(),
            operator_symbols: OnceLock::new(),
        };
        let (mut qualified, mut unread) = (Vec::new(), Vec::new());
        names.add(0, &unit.items, 0, &mut qualified, &mut unread);
        for (scope, variable) in unread {
            let is_known = |name: &str| names.scopes[scope as usize].entries.contains_key(name);
            if !is_known(&variable.name) {
                names.enter(scope, &variable.name, Entry::Variable(variable));
            }
        }
        for (scope, entry) in qualified {
            names.add_qualified(scope, entry);
        }
        names
    }

    /// Notes the templates with arguments that an initialiser names.
    fn note_named(&mut self, scope: ScopeId, e: &'a ast::Expr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let ast::ExprKind::Path(path) = &e.kind
            && path.segments.last().is_some_and(|s| s.arguments.is_some())
        {
            self.named_instances.push((scope, path));
        }
        e.each_operand(&mut |inner| self.note_named(scope, inner, depth));
    }

    fn add_variables(
        &mut self,
        scope: ScopeId,
        variables: &'a [ast::Variable],
        qualified: &mut Vec<(ScopeId, Entry<'a>)>,
    ) {
        for v in variables {
            v.each_initial(&mut |e| self.note_named(scope, e, MAX_DEPTH_OF_LISTS));
            if let ast::TypeKind::Record(r) = &v.ty.kind
                && let Some(name) = &r.name
            {
                self.enter(scope, name, Entry::Record(r));
            }
            if let ast::TypeKind::Enum(e) = &v.ty.kind {
                self.add_enum(scope, e);
            }
            if v.qualifier.is_some() {
                qualified.push((scope, Entry::Variable(v)));
            } else if !v.name.is_empty() {
                self.enter(scope, &v.name, Entry::Variable(v));
            }
        }
    }

    fn add(
        &mut self,
        scope: ScopeId,
        items: &'a [ast::Item],
        depth: u32,
        qualified: &mut Vec<(ScopeId, Entry<'a>)>,
        unread: &mut Vec<(ScopeId, &'a ast::Variable)>,
    ) {
        use ast::Item;
        if depth > 64 {
            return;
        }
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Function(f) => {
                    self.homes.insert(Arc::as_ptr(f) as usize, scope);
                    self.functions.push((scope, f));
                    if f.qualifier.is_some() {
                        qualified.push((scope, Entry::Function(f)));
                    } else {
                        self.enter(scope, &f.name, Entry::Function(f));
                    }
                }
                Item::Instantiation(f) => {
                    self.homes.insert(Arc::as_ptr(f) as usize, scope);
                    self.instantiations.push((scope, f));
                }
                Item::ClassInstantiation(path) => self.class_instantiations.push((scope, path)),
                Item::Variables(variables) => self.add_variables(scope, variables, qualified),
                Item::Unread(variables) => {
                    let named = variables.iter().filter(|_| scope != 0);
                    unread.extend(named.map(|v| (scope, v)));
                }
                Item::Record(r) if r.qualifier.is_some() => {
                    qualified.push((scope, Entry::Record(r)))
                }
                Item::Record(r) => self.add_record(scope, r),
                Item::Enum(e) => self.add_enum(scope, e),
                Item::Alias(a) => {
                    match &a.ty.kind {
                        ast::TypeKind::Record(r)
                            if r.name.as_ref().is_some_and(|n| *n != a.name) =>
                        {
                            self.add_record(scope, r)
                        }
                        ast::TypeKind::Enum(e) => self.add_enum(scope, e),
                        _ => {}
                    }
                    self.enter(scope, &a.name, Entry::Alias(a));
                }
                Item::Namespace(None, inner) => {
                    let first = self.functions.len();
                    self.add(scope, inner, depth + 1, qualified, unread);
                    if !is_inline(items, at) {
                        let own = self.functions.get(first..).unwrap_or_default();
                        let own = own.iter().map(|(_, f)| Arc::as_ptr(f) as usize);
                        self.internal.extend(own);
                    }
                }
                Item::Namespace(Some(name), items) => {
                    let inner = self.child(scope, name);
                    self.add(inner, items, depth + 1, qualified, unread);
                    let start = self.scopes[inner as usize].start;
                    let around = &mut self.scopes[scope as usize].start;
                    *around = around.or(start);
                }
                Item::UsingNamespace(path) => {
                    self.brings_std_in |= is_std(path);
                    self.scopes[scope as usize].using.push(path);
                }
                Item::Using(path) => {
                    self.brings_std_in |= is_std(path);
                    if let Some(last) = path.segments.last() {
                        self.enter(scope, &last.name, Entry::Path(path));
                    }
                }
                Item::NamespaceAlias(name, path) => self.enter(scope, name, Entry::Path(path)),
            }
        }
    }

    fn add_record(&mut self, scope: ScopeId, r: &'a Arc<ast::Record>) {
        self.add_methods(scope, r, 0);
        if let Some(name) = &r.name {
            self.enter(scope, name, Entry::Record(r));
        }
    }

    fn add_methods(&mut self, scope: ScopeId, r: &'a ast::Record, depth: u32) {
        for m in r.members.iter().filter(|_| depth < 32) {
            match m {
                ast::Member::Function(f) | ast::Member::Friend(f) => {
                    self.homes.insert(Arc::as_ptr(f) as usize, scope);
                }
                ast::Member::Record(inner) => self.add_methods(scope, inner, depth + 1),
                _ => {}
            }
        }
    }

    fn add_enum(&mut self, scope: ScopeId, e: &'a Arc<ast::Enum>) {
        if let Some(name) = &e.name {
            self.enter(scope, name, Entry::Enum(e));
        }
        if !e.is_class {
            for (name, _) in &e.values {
                self.enter(scope, name, Entry::Enumerator(e));
            }
        }
    }

    fn enter(&mut self, scope: ScopeId, name: &'a str, entry: Entry<'a>) {
        let start = (!matches!(entry, Entry::Namespace(_))).then(|| self.begins(&entry));
        let scope = &mut self.scopes[scope as usize];
        scope.start = scope.start.or(start);
        scope.entries.entry(name).or_default().push(entry);
    }

    fn child(&mut self, scope: ScopeId, name: &'a str) -> ScopeId {
        if let Some(entries) = self.scopes[scope as usize].entries.get(name)
            && let Some(id) = entries.iter().find_map(|e| {
                if let Entry::Namespace(id) = e {
                    Some(*id)
                } else {
                    None
                }
            })
        {
            return id;
        }
        let id = self.scopes.len() as ScopeId;
        let outer = &self.scopes[scope as usize].name;
        let full = if outer.is_empty() {
            name.to_string()
        } else {
            format!("{outer}::{name}")
        };
        self.scopes.push(Scope {
            name: full,
            parent: Some(scope),
            ..Scope::default()
        });
        self.enter(scope, name, Entry::Namespace(id));
        id
    }

    /// `int S::x = 1;`, `void ns::f() {}`: the qualifier names a class or a namespace.
    fn add_qualified(&mut self, scope: ScopeId, entry: Entry<'a>) {
        let (qualifier, name): (&'a Path, &'a str) = match entry {
            Entry::Function(f) => match &f.qualifier {
                Some(q) => (q, &f.name),
                None => return,
            },
            Entry::Variable(v) => match &v.qualifier {
                Some(q) => (q, &v.name),
                None => return,
            },
            Entry::Record(r) => match (&r.qualifier, &r.name) {
                (Some(q), Some(name)) => (q, name),
                _ => return,
            },
            _ => return,
        };
        if let Some(id) = self.written_namespace(&Env::new(scope), qualifier) {
            match entry {
                Entry::Function(f) => {
                    self.homes.insert(Arc::as_ptr(f) as usize, id);
                }
                Entry::Record(r) => self.add_methods(id, r, 0),
                _ => {}
            }
            self.enter(id, name, entry);
        } else if let Some(last) = qualifier.segments.last() {
            match entry {
                Entry::Function(f) => {
                    self.outside_functions
                        .entry(&last.name)
                        .or_default()
                        .push(Outside {
                            scope,
                            definition: f,
                        })
                }
                Entry::Variable(v) => {
                    self.outside_variables
                        .entry(&last.name)
                        .or_default()
                        .push(Outside {
                            scope,
                            definition: v,
                        })
                }
                Entry::Record(r) => {
                    self.add_methods(scope, r, 0);
                    let outside = self.outside_records.entry(&last.name).or_default();
                    outside.push(Outside {
                        scope,
                        definition: r,
                    });
                }
                _ => {}
            }
        }
    }
}

/// Whether a path begins at the standard library.
#[must_use]
pub fn is_std(path: &Path) -> bool {
    let first = path.segments.first();
    first.is_some_and(|first| &*first.name == "std")
}

/// Whether a namespace without a name among these items is an inline one: its alias stands before it.
fn is_inline(items: &[ast::Item], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| items.get(before));
    matches!(before, Some(ast::Item::NamespaceAlias(_, path)) if path.segments.is_empty())
}
