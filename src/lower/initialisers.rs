//! `: a(1), b{2}`: what a constructor gives the bases and members of its object before its body runs.

use super::context::Lower;
use super::values::{LValue, Mem, Val};
use crate::sema::scope;
use crate::sema::types::{Field, RecordType, Type};
use crate::syntax::ast;
use std::sync::Arc;

type Initialiser = (ast::Path, Vec<ast::Expr>);

/// What an initialiser names that is no member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// The class itself: another constructor makes the object.
    Itself,
    /// A base class, by its number.
    Base(usize),
    /// One of these, or nothing that is known.
    Open,
}

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
        let mut bases = vec![None; written.len()];
        for (one, class) in written.iter().zip(&mut bases) {
            *class = self.named_class(one, &record);
        }
        // What delegates names nothing else.
        if let ([(_, list)], [Some(Named::Itself)]) = (&written[..], &bases[..]) {
            let places = self.arguments_of_class(&this.ty, list);
            self.construct_into(this, &places, range);
            return;
        }
        if let Some(at) = bases
            .iter()
            .position(|class| matches!(class, Some(Named::Open | Named::Itself)))
        {
            let path = scope::display_path(&written[at].0);
            let reason =
                format!("which class the initialiser `{path}` of a constructor means is not known");
            self.lose_object(this, &reason, range);
            return;
        }
        for (at, (offset, base)) in record.bases.clone().into_iter().enumerate() {
            let pointer = self.arena.offset_const(this.pointer, offset);
            let part = this.part(pointer, Type::Record(base.clone()));
            let named = bases
                .iter()
                .position(|class| *class == Some(Named::Base(at)));
            let places = match named {
                Some(at) => self.arguments_of_class(&part.ty, &written[at].1),
                None => Vec::new(),
            };
            self.construct_into(&part, &places, range);
        }
        let members = || {
            let all = written.iter().zip(&bases);
            all.filter(|(_, class)| class.is_none())
                .filter_map(|((path, list), _)| Some((path.as_name()?, list)))
        };
        for field in &record.fields {
            match members().find(|(name, _)| ***name == *field.name) {
                Some((_, list)) => self.initialise_member(this, field, list, range),
                None => self.default_field(this, &record, &field.name, range, false),
            }
        }
        let is_field = |name: &ast::Name| record.fields.iter().any(|f| *f.name == **name);
        for (name, list) in members().filter(|(name, _)| !is_field(name)) {
            // A member of an unnamed union or structure.
            match scope::field(&self.unit.names, &record, name) {
                Some(field) => self.initialise_member(this, &field, list, range),
                None => {
                    let reason = format!("the initialiser `{name}` of a constructor");
                    self.lose_object(this, &reason, range);
                }
            }
        }
    }

    /// What class an initialiser names, if it is no member.
    fn named_class(&self, (path, _): &Initialiser, record: &Arc<RecordType>) -> Option<Named> {
        if let Some(name) = path.as_name() {
            if scope::field(&self.unit.names, record, name).is_some() {
                return None;
            }
            if Some(name) == record.record.name.as_ref() {
                return Some(Named::Itself);
            }
        }
        let named = ast::TypeExpr::named(path.clone());
        let ty = scope::resolve_type(&self.unit.names, &self.frame.env, &named);
        if let Type::Record(class) = &ty {
            if class.identity == record.identity {
                return Some(Named::Itself);
            }
            let mut bases = record.bases.iter();
            let base = bases.position(|(_, base)| base.identity == class.identity);
            if let Some(base) = base {
                return Some(Named::Base(base));
            }
        }
        // A base that only its name tells, where no other has it.
        let name = path.segments.last().map(|last| &last.name);
        let has_name = |(_, base): &(u64, Arc<RecordType>)| base.record.name.as_ref() == name;
        let mut alike = record
            .bases
            .iter()
            .enumerate()
            .filter(|(_, base)| has_name(base));
        match (alike.next(), alike.next()) {
            (Some((at, _)), None) if ty.is_unknown() => Some(Named::Base(at)),
            (None, _) if path.as_name().is_some() => None,
            _ => Some(Named::Open),
        }
    }

    fn initialise_member(
        &mut self,
        this: &Mem,
        field: &Field,
        list: &[ast::Expr],
        range: ast::Range,
    ) {
        let pointer = self.field_pointer(this.pointer, field);
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
