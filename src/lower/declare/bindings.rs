//! Structured bindings: `auto [a, b] = e`.

use super::super::context::{Binding, Lower};
use super::super::values::{LValue, Val};
use super::single;
use crate::sema::scope;
use crate::sema::types::{RecordType, Type};
use crate::syntax::ast::{self, ExprKind};
use std::sync::Arc;

impl Lower<'_> {
    pub(super) fn declare_bindings(&mut self, variable: &ast::Variable) {
        let Some(e) = single(variable.init.as_ref()) else {
            return;
        };
        let place = self.place(e);
        let is_reference = matches!(variable.ty.kind, ast::TypeKind::Reference { .. });
        let place = match place {
            LValue::Mem(mem) if is_reference => self.pin(LValue::Mem(mem)),
            place => {
                let value = self.read(place, e.range);
                LValue::Val(self.copied(value))
            }
        };
        let place = place.const_if(is_const(&variable.ty));
        self.bind_parts(&variable.bindings, &place, e);
    }

    /// Whether a class says by `std::tuple_size` of how many parts it consists: `get` gives them, whatever its members.
    fn is_tuple(&self, ty: &Type) -> bool {
        let range = ast::Range::default();
        let name = ast::Name::from("the tuple");
        let segment = |name: &str, arguments| ast::Segment {
            name: ast::Name::from(name),
            arguments,
        };
        let named = |segments| {
            ast::TypeExpr::named(ast::Path {
                is_global: false,
                segments,
                range,
            })
        };
        let argument = ast::TemplateArgument::Type(named(vec![segment(&name, None)]));
        let size = named(vec![
            segment("std", None),
            segment("tuple_size", Some([argument].into())),
        ]);
        let mut env = self.frame.env.clone();
        env.set(name.clone(), scope::Binding::Type(ty.clone()));
        let size = scope::resolve_type(&self.unit.names, &env, &size);
        matches!(size, Type::Record(record) if record.record.is_definition)
    }

    /// `auto [a, b] = e`: names for the parts of `place`.
    pub fn bind_parts(&mut self, names: &[ast::Name], place: &LValue, e: &ast::Expr) {
        let ty = place.ty();
        let is_tuple = matches!(ty, Type::Record(_)) && self.is_tuple(&ty);
        for (at, name) in names.iter().enumerate() {
            let member = match &ty {
                Type::Record(_) if is_tuple => {
                    let reason = "a part of a class like a tuple";
                    let part = self.got_part(place, at, e);
                    let part = part.unwrap_or_else(|| {
                        LValue::Val(self.unknown_val(reason, Type::unknown(reason)))
                    });
                    self.bind(name, Binding::LValue(part));
                    continue;
                }
                Type::Record(record) => {
                    let fields = &holder_of_members(record).fields;
                    let is_plain = fields.len() == names.len();
                    if !is_plain && let Some(part) = self.got_part(place, at, e) {
                        self.bind(name, Binding::LValue(part));
                        continue;
                    }
                    let field = fields.get(at).filter(|_| is_plain);
                    field.map(|field| field.name.clone())
                }
                Type::Vector { .. } => ["x", "y", "z", "w"].get(at).map(|lane| (*lane).to_owned()),
                _ => None,
            };
            let part = match (member, place) {
                (Some(member), _) => self.member_of(place.clone(), &member, e, name),
                (None, LValue::Mem(mem) | LValue::Val(Val::Object(mem)))
                    if matches!(ty, Type::Array(..)) =>
                {
                    let element = ty.element().cloned().unwrap_or(Type::Void);
                    let offset = at as u64 * element.size().unwrap_or(0);
                    let pointer = self.arena.offset_const(mem.pointer, offset);
                    LValue::Mem(mem.part(pointer, element))
                }
                _ => {
                    let reason = "a structured binding of an unknown type";
                    LValue::Val(self.unknown_val(reason, Type::unknown(reason)))
                }
            };
            self.bind(name, Binding::LValue(part));
        }
    }

    /// The part of a class like a tuple that `get<at>` of its own namespace names.
    fn got_part(&mut self, place: &LValue, at: usize, e: &ast::Expr) -> Option<LValue> {
        let names = &self.unit.names;
        let types = [place.argument_type()];
        let mut candidates = Vec::new();
        names.add_associated(&self.frame.env, &mut candidates, "get", &types);
        let index = ast::Expr {
            range: e.range,
            kind: ExprKind::Int {
                value: at as u64,
                is_unsigned: false,
                is_long: false,
                is_long_long: false,
            },
        };
        let explicit = [ast::TemplateArgument::Expr(index)];
        let (callee, env) =
            scope::overload_for_arguments(names, &self.frame.env, &candidates, &explicit, &types)?;
        let places = [(place.clone(), e.range)];
        Some(self.inline(&callee, env, None, &places, "get", e.range))
    }
}

/// Whether what a declaration names may not be written by its names.
pub(in crate::lower) fn is_const(ty: &ast::TypeExpr) -> bool {
    match &ty.kind {
        ast::TypeKind::Reference { to, .. } => to.is_const,
        _ => ty.is_const,
    }
}

fn has_members(record: &RecordType) -> bool {
    let mut bases = record.bases.iter();
    !record.fields.is_empty() || bases.any(|(_, base)| has_members(base))
}

/// The class that declares an object's members: itself, or the only base that has some.
fn holder_of_members(record: &Arc<RecordType>) -> &Arc<RecordType> {
    let mut holder = record;
    for _ in 0..16 {
        let mut bases = holder.bases.iter().filter(|(_, base)| has_members(base));
        match (&holder.fields[..], bases.next(), bases.next()) {
            ([], Some((_, base)), None) => holder = base,
            _ => break,
        }
    }
    holder
}
