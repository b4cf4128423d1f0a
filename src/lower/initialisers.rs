//! `: a(1), b{2}`: what a constructor gives the bases and members of its object before its body runs.

use super::context::Lower;
use super::values::{LValue, Mem, Val};
use crate::sema::scope;
use crate::sema::types::{Field, RecordType, Type};
use crate::syntax::ast;
use std::sync::Arc;

type Initialiser = (ast::Name, Vec<ast::Expr>);

impl Lower<'_> {
    /// What is written, and what the rest of the members start with.
    pub(super) fn member_initialisers(
        &mut self,
        function: &ast::Function,
        this: &Mem,
        range: ast::Range,
    ) {
        let Type::Record(record) = this.ty.clone() else {
            return;
        };
        let written = &function.initialisers;
        let own = record.record.name.as_ref();
        if let Some((_, list)) = written.iter().find(|(name, _)| Some(name) == own) {
            let places = self.arguments_of_class(&this.ty, list);
            self.construct_into(this, &places, range);
            return;
        }
        let mut done: Vec<&ast::Name> = Vec::new();
        for (offset, base) in record.bases.clone() {
            let pointer = self.arena.offset_const(this.pointer, offset);
            let part = this.part(pointer, Type::Record(base.clone()));
            let places = match written.iter().find(|one| self.is_of_base(one, &base)) {
                Some((name, list)) => {
                    done.push(name);
                    self.arguments_of_class(&part.ty, list)
                }
                None => Vec::new(),
            };
            self.construct_into(&part, &places, range);
        }
        for field in &record.fields {
            match written.iter().find(|(name, _)| **name == *field.name) {
                Some((name, list)) => {
                    done.push(name);
                    self.initialise_member(this, field, list, range);
                }
                None => self.default_field(this, &record, &field.name, range, false),
            }
        }
        for (name, list) in written.iter().filter(|(name, _)| !done.contains(&name)) {
            // A member of an unnamed union or structure.
            match scope::field(&self.unit.names, &record, name) {
                Some(field) => self.initialise_member(this, &field, list, range),
                None => {
                    let reason = format!("the initialiser `{name}` of a constructor");
                    self.make_unknown(Vec::new(), vec![this.pointer], &reason, range);
                }
            }
        }
    }

    /// Whether an initialiser names a base class, by its name or by another one.
    fn is_of_base(&self, (name, _): &Initialiser, base: &Arc<RecordType>) -> bool {
        if Some(name) == base.record.name.as_ref() {
            return true;
        }
        let path = ast::Path {
            is_global: false,
            segments: vec![ast::Segment {
                name: name.clone(),
                arguments: None,
            }],
            range: ast::Range::default(),
        };
        let named = ast::TypeExpr::named(path);
        let ty = scope::resolve_type(&self.unit.names, &self.frame.env, &named);
        matches!(ty, Type::Record(class) if class.identity == base.identity)
    }

    fn initialise_member(
        &mut self,
        this: &Mem,
        field: &Field,
        list: &[ast::Expr],
        range: ast::Range,
    ) {
        let pointer = self.arena.offset_const(this.pointer, field.offset);
        let mut part = this.part(pointer, field.ty.clone());
        part.bits = field.bits;
        if let Some(items) = elements_in_braces(&part.ty, list) {
            let kind = ast::ExprKind::List(items);
            self.initialise(&part, &ast::Expr { kind, range });
            return;
        }
        match list {
            // Objects have constructors, and members that begin with something.
            [] if has_objects(&part.ty) => {
                let kind = ast::ExprKind::List(Vec::new());
                self.initialise(&part, &ast::Expr { kind, range });
            }
            [] => self.zero_fill(&part, range),
            [one] if matches!(part.ty, Type::Reference(_)) => {
                let place = self.place(one);
                if let Some(mem) = self.memory_of(place, one.range) {
                    let value = Val::Scalar {
                        id: mem.pointer,
                        ty: mem.ty.pointer_to(),
                        volatile: false,
                    };
                    self.write(&LValue::Mem(part), value, one.range);
                }
            }
            [one] => {
                if let Type::Record(class) = &part.ty
                    && !matches!(one.kind, ast::ExprKind::List(_))
                    && self.has_explicit_constructors(class)
                {
                    let places = self.arguments_of_class(&part.ty, std::slice::from_ref(one));
                    self.construct_into(&part, &places, one.range);
                } else {
                    self.initialise(&part, one);
                }
            }
            list => {
                let places = self.arguments_of_class(&part.ty, list);
                self.construct_into(&part, &places, range);
            }
        }
    }
}

fn has_objects(ty: &Type) -> bool {
    match ty {
        Type::Record(_) => true,
        Type::Array(element, _) => has_objects(element),
        _ => false,
    }
}

/// The list that an array of a constructor's initialisers is made of: `v{a, b}`, but not `v(other)` of a class
/// that consists of an array.
fn elements_in_braces(
    ty: &Type,
    list: &[ast::Expr],
) -> Option<Vec<(Option<ast::Name>, ast::Expr)>> {
    let Type::Array(element, _) = ty else {
        return None;
    };
    let is_copy = match list {
        [] => return None,
        [one] => element.is_class && !matches!(one.kind, ast::ExprKind::List(_)),
        _ => false,
    };
    (!is_copy).then(|| list.iter().map(|e| (None, e.clone())).collect())
}
