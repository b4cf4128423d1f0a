//! Classes whose methods somebody may call that no file shows.
//!
//! Given a unit and the functions that are read; finds classes with a base that no file declares, and classes
//! that are given, as arguments of a template or as objects, to functions without a body. Names only: two classes
//! of one name count as one.

use super::mentions::beside_body;
use super::operands::{address_of, may_be_of_library};
use super::reaching::Body;
use super::type_names::{TypeDeclaration, each_type};
use super::unit_facts::UnitFacts;
use super::unseen_launches::{MAX_DEPTH, each_expr, each_inside};
use crate::syntax::ast::{
    self, Expr, ExprKind, Item, Member, Name, Path, Record, Stmt, TemplateArgument, TypeExpr,
    TypeKind,
};
use crate::syntax::visit::Part;
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of such classes, of those that have methods in `bodies`.
pub(super) fn of(
    unit: &ast::Unit,
    bodies: &[Body<'_>],
    reaching: &FxHashSet<Name>,
    facts: &UnitFacts,
) -> FxHashSet<Name> {
    let launches = |b: &&Body<'_>| reaching.contains(&b.function.name);
    let classes: FxHashSet<Name> = bodies
        .iter()
        .filter(launches)
        .filter_map(class_of)
        .collect();
    if classes.is_empty() {
        return FxHashSet::default();
    }
    let mut types: FxHashSet<Name> = FxHashSet::default();
    let note = &mut |declared: TypeDeclaration<'_>| match declared {
        TypeDeclaration::Class(r) if r.is_definition => types.extend(r.name.clone()),
        TypeDeclaration::Alias(a) => types.extend([a.name.clone()]),
        _ => {}
    };
    each_type(&unit.items, note, MAX_DEPTH);
    let mut finder = Finder {
        classes: &classes,
        types: &types,
        facts,
        open: FxHashSet::default(),
    };
    finder.items(&unit.items, MAX_DEPTH);
    for b in bodies {
        finder.function(b.function);
    }
    finder.open
}

/// The class that a method is of.
pub(super) fn class_of(b: &Body<'_>) -> Option<Name> {
    let qualifier = b.function.qualifier.as_ref();
    let outside = qualifier.and_then(|path| path.segments.last());
    let record = b.record.and_then(|r| r.name.clone());
    record.or_else(|| outside.map(|last| last.name.clone()))
}

struct Finder<'f> {
    /// Those with methods that launch.
    classes: &'f FxHashSet<Name>,
    /// Classes and aliases that the unit defines.
    types: &'f FxHashSet<Name>,
    facts: &'f UnitFacts,
    open: FxHashSet<Name>,
}

impl Finder<'_> {
    fn items(&mut self, items: &[Item], depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for item in items {
            match item {
                Item::Record(r) => self.record(r, depth),
                Item::Variables(all) => all.iter().for_each(|v| {
                    self.ty(&v.ty);
                    v.each_initial(&mut |e| self.expr(e, &FxHashMap::default()));
                }),
                Item::ClassInstantiation(path) => self.instance(path),
                Item::Namespace(_, inner) => self.items(inner, depth),
                _ => {}
            }
        }
    }

    fn record(&mut self, r: &Record, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let unknown = r.bases.iter().any(|base| match &base.kind {
            TypeKind::Named(path) => !self.is_known(path),
            _ => true,
        });
        if let Some(name) = r.name.as_ref().filter(|name| self.classes.contains(*name))
            && unknown
        {
            self.open.insert(name.clone());
        }
        for base in &r.bases {
            self.ty(base);
        }
        for member in &r.members {
            match member {
                Member::Record(inner) => self.record(inner, depth),
                Member::Variables(all) => all.iter().for_each(|v| self.ty(&v.ty)),
                _ => {}
            }
        }
    }

    /// Whether a class is the unit's, or one of a library that calls no methods of its own accord.
    fn is_known(&self, path: &Path) -> bool {
        let last = path.segments.last();
        let is_own = last.is_some_and(|last| self.types.contains(&last.name));
        is_own || path.segments.len() > 1 && may_be_of_library(path)
    }

    /// `Registry<L>`, where no file defines `Registry`.
    fn instance(&mut self, path: &Path) {
        if !self.is_known(path) {
            self.arguments(path);
        }
        for argument in path.template_arguments() {
            if let TemplateArgument::Type(ty) = argument {
                self.ty(ty);
            }
        }
    }

    fn arguments(&mut self, path: &Path) {
        for argument in path.template_arguments() {
            let path = match argument {
                TemplateArgument::Type(TypeExpr {
                    kind: TypeKind::Named(path),
                    ..
                }) => path,
                TemplateArgument::Expr(Expr {
                    kind: ExprKind::Path(path),
                    ..
                }) => path,
                _ => continue,
            };
            self.leave(path);
        }
    }

    fn leave(&mut self, path: &Path) {
        let last = path.segments.last().map(|last| &last.name);
        if let Some(name) = last.filter(|name| self.classes.contains(*name)) {
            self.open.insert(name.clone());
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Named(path) => self.instance(path),
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => self.ty(to),
            TypeKind::Array(of, _) => self.ty(of),
            _ => {}
        }
    }

    fn function(&mut self, f: &ast::Function) {
        let mut objects: FxHashMap<Name, Path> = FxHashMap::default();
        for p in &f.parameters {
            note_object(p.name.as_ref(), &p.ty, &mut objects);
        }
        let body = f.body.iter().flatten();
        body.clone()
            .for_each(|s| self.statement(s, &mut objects, MAX_DEPTH));
        each_expr(body, &mut |e| self.call(e, &objects));
        beside_body(f).for_each(|e| self.expr(e, &objects));
    }

    /// Notes the objects that a statement declares.
    fn statement(&mut self, s: &Stmt, objects: &mut FxHashMap<Name, Path>, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        s.each_part(&mut |part| match part {
            Part::Stmt(inner) => self.statement(inner, objects, depth),
            Part::Variable(v) => {
                self.ty(&v.ty);
                note_object(Some(&v.name), &v.ty, objects);
            }
            Part::Expr(_) => {}
        });
    }

    fn expr(&mut self, e: &Expr, objects: &FxHashMap<Name, Path>) {
        each_inside(e, &mut |inner| self.call(inner, objects));
    }

    /// What a call of a function without a body is given.
    fn call(&mut self, e: &Expr, objects: &FxHashMap<Name, Path>) {
        match &e.kind {
            ExprKind::Call { callee, arguments } => {
                let path = match &callee.kind {
                    ExprKind::Path(path) => path,
                    ExprKind::Member { member, .. } => member,
                    _ => return,
                };
                let last = path.segments.last();
                if last.is_some_and(|last| self.facts.has_function(&last.name)) {
                    return;
                }
                let is_library = path.segments.len() > 1 && may_be_of_library(path);
                if !is_library {
                    self.arguments(path);
                }
                for given in arguments.iter().filter(|_| !is_library) {
                    self.given(given, objects);
                }
            }
            ExprKind::Construct { ty, .. } | ExprKind::Cast { ty, .. } => self.ty(ty),
            _ => {}
        }
    }

    /// An object that goes to somebody: `l`, `&l`, `L()`, `new L`, `std::make_unique<L>()`.
    fn given(&mut self, e: &Expr, objects: &FxHashMap<Name, Path>) {
        let e = address_of(e).unwrap_or(e);
        match &e.kind {
            ExprKind::Path(path) => {
                if let Some(class) = path.as_name().and_then(|name| objects.get(name)) {
                    self.leave(class);
                }
            }
            ExprKind::Construct { ty, .. } => {
                if let TypeKind::Named(path) = &ty.kind {
                    self.leave(path);
                }
            }
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Path(path) = &callee.kind {
                    self.leave(path);
                    self.arguments(path);
                }
            }
            ExprKind::Cast { value, .. } => self.given(value, objects),
            _ => {}
        }
    }
}

fn note_object(name: Option<&Name>, ty: &TypeExpr, out: &mut FxHashMap<Name, Path>) {
    let mut ty = ty;
    while let TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } = &ty.kind {
        ty = to;
    }
    if let (Some(name), TypeKind::Named(path)) = (name, &ty.kind) {
        out.insert(name.clone(), path.clone());
    }
}
