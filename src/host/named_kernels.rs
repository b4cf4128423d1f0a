//! Kernels that the text names elsewhere than in a launch: whoever launches what nobody can tell may launch these.
//!
//! Given the items of a unit; finds the names, whatever is done with them. What functions of CUDA only ask or set does
//! not count: they launch nothing, and keep nothing.

use super::reaching::LAUNCH_CALLS;
use crate::syntax::ast::{
    self, Expr, ExprKind, Function, Item, Member, Name, Path, Record, Stmt, StmtKind,
    TemplateArgument, TemplateHead, TemplateParameterKind, TypeExpr, TypeKind, Variable,
};
use crate::syntax::visit::Part;
use rustc_hash::FxHashSet;

/// Nesting, below which no names are sought.
const MAX_DEPTH: u32 = 96;

/// The names of kernels in a unit that are not those of a launch, in the order of the text.
pub(super) fn of(unit: &ast::Unit, kernels: &FxHashSet<Name>) -> Vec<Path> {
    let mut seeker = Seeker {
        kernels,
        found: Vec::new(),
    };
    seeker.items(&unit.items, MAX_DEPTH);
    let mut found: Vec<Path> = seeker.found.into_iter().cloned().collect();
    found.sort_by_key(|path| (path.range.start, path.range.end));
    found.dedup_by_key(|path| path.range);
    found
}

/// Functions of CUDA and HIP that ask or set something of a kernel.
fn only_asks(name: &str) -> bool {
    let rest = name.strip_prefix("cuda").or(name.strip_prefix("hip"));
    rest.is_some_and(|rest| rest.starts_with("Func") || rest.starts_with("Occupancy"))
}

struct Seeker<'k, 'a> {
    kernels: &'k FxHashSet<Name>,
    found: Vec<&'a Path>,
}

impl<'a> Seeker<'_, 'a> {
    fn items(&mut self, items: &'a [Item], depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for item in items {
            match item {
                Item::Function(f) | Item::Instantiation(f) => self.function(f, depth),
                Item::Variables(all) => all.iter().for_each(|v| self.variable(v, depth)),
                Item::Record(r) => self.record(r, depth),
                Item::Alias(a) => self.ty(&a.ty, depth),
                Item::Namespace(_, inner) => self.items(inner, depth),
                Item::ClassInstantiation(path) => self.arguments(path, depth),
                Item::Enum(_)
                | Item::Unread(_)
                | Item::UsingNamespace(_)
                | Item::Using(_)
                | Item::NamespaceAlias(..) => {}
            }
        }
    }

    fn function(&mut self, f: &'a Function, depth: u32) {
        f.templates.iter().for_each(|head| self.head(head, depth));
        self.list(&f.arguments, depth);
        self.ty(&f.result, depth);
        for parameter in &f.parameters {
            self.ty(&parameter.ty, depth);
            parameter.default.iter().for_each(|e| self.expr(e, depth));
        }
        for (of, given) in &f.initialisers {
            self.arguments(of, depth);
            given.iter().for_each(|e| self.expr(e, depth));
        }
        let body = f.body.iter().flatten();
        body.for_each(|s| self.statement(s, depth));
    }

    fn record(&mut self, r: &'a Record, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        r.templates.iter().for_each(|head| self.head(head, depth));
        self.list(&r.arguments, depth);
        r.bases.iter().for_each(|base| self.ty(base, depth));
        for member in &r.members {
            match member {
                Member::Variables(all) => all.iter().for_each(|v| self.variable(v, depth)),
                Member::Function(f) | Member::Friend(f) => self.function(f, depth),
                Member::Record(inner) => self.record(inner, depth),
                Member::Alias(a) => self.ty(&a.ty, depth),
                Member::Enum(_) | Member::Using(_) => {}
            }
        }
    }

    fn head(&mut self, head: &'a TemplateHead, depth: u32) {
        for parameter in &head.parameters {
            match &parameter.kind {
                TemplateParameterKind::Type { default } => {
                    default.iter().for_each(|ty| self.ty(ty, depth));
                }
                TemplateParameterKind::Value { default, .. } => {
                    default.iter().for_each(|e| self.expr(e, depth));
                }
                TemplateParameterKind::Template { .. } => {}
            }
        }
    }

    fn variable(&mut self, v: &'a Variable, depth: u32) {
        self.ty(&v.ty, depth);
        v.qualifier.iter().for_each(|of| self.arguments(of, depth));
        v.each_initial(&mut |e| self.expr(e, depth));
    }

    fn statement(&mut self, s: &'a Stmt, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &s.kind {
            StmtKind::Record(r) => self.record(r, depth),
            StmtKind::Alias(a) => self.ty(&a.ty, depth),
            _ => {}
        }
        s.each_part(&mut |part| match part {
            Part::Stmt(inner) => self.statement(inner, depth),
            Part::Expr(e) => self.expr(e, depth),
            Part::Variable(v) => self.variable(v, depth),
        });
    }

    fn expr(&mut self, e: &'a Expr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &e.kind {
            ExprKind::Path(path) => self.name(path, depth),
            ExprKind::Cast { ty, .. }
            | ExprKind::Construct { ty, .. }
            | ExprKind::SizeofType(ty) => self.ty(ty, depth),
            ExprKind::Member { member, .. } => self.arguments(member, depth),
            ExprKind::Lambda(l) => {
                let kept = l.captures.listed.iter().filter_map(|c| c.init.as_ref());
                kept.for_each(|e| self.expr(e, depth));
                l.body.iter().for_each(|s| self.statement(s, depth));
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                // The kernel that is launched here; what it is made of may name others.
                match &callee.kind {
                    ExprKind::Path(path) => self.arguments(path, depth),
                    _ => self.expr(callee, depth),
                }
                let given = config.iter().chain(arguments);
                return given.for_each(|e| self.expr(e, depth));
            }
            ExprKind::Call { callee, arguments } => {
                let of = match &callee.kind {
                    ExprKind::Path(path) => path.segments.last(),
                    _ => None,
                };
                let name = of.map_or("", |last| &*last.name);
                let mut given = &arguments[..];
                if LAUNCH_CALLS.contains(&name) || only_asks(name) {
                    given = &[];
                }
                self.expr(callee, depth);
                return given.iter().for_each(|e| self.expr(e, depth));
            }
            _ => {}
        }
        e.each_operand(&mut |inner| self.expr(inner, depth));
    }

    fn name(&mut self, path: &'a Path, depth: u32) {
        let last = path.segments.last();
        if last.is_some_and(|last| self.kernels.contains(&last.name)) {
            self.found.push(path);
        }
        self.arguments(path, depth);
    }

    fn arguments(&mut self, path: &'a Path, depth: u32) {
        for segment in &path.segments {
            self.list(segment.arguments.as_deref().unwrap_or_default(), depth);
        }
    }

    fn list(&mut self, all: &'a [TemplateArgument], depth: u32) {
        for argument in all {
            match argument {
                TemplateArgument::Type(ty) => self.ty(ty, depth),
                TemplateArgument::Expr(e) => self.expr(e, depth),
            }
        }
    }

    fn ty(&mut self, ty: &'a TypeExpr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &ty.kind {
            // A template's argument that is a kernel reads as the name of a type.
            TypeKind::Named(path) => self.name(path, depth),
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => self.ty(to, depth),
            TypeKind::Array(to, _) => self.ty(to, depth),
            TypeKind::Record(r) => self.record(r, depth),
            TypeKind::Decltype(e) => self.expr(e, depth),
            _ => {}
        }
    }
}
