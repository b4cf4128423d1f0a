//! Arrays of constants: static members of classes, constants of device memory, static constants of functions.
//!
//! Given the name of a constant array, gives a local object that holds its numbers from the kernel's start
//! on. What a request to device memory costs is told by its own load; the numbers come from here. Knows
//! nothing of `__constant__` memory: the host may write that.

use super::context::Lower;
use super::values::{LValue, Mem};
use crate::ir::{Expr, ExprId, Holds, Object, Scalar, Value as Stored, VarId};
use crate::sema::consteval::{self, Value, is_const_object};
use crate::sema::scope::{self, Env};
use crate::sema::types::Type;
use crate::syntax::ast;
use std::rc::Rc;

/// Largest number of constants that are written down.
const MOST_CONSTANTS: usize = 256;

impl Lower<'_> {
    /// A static constant array of a class, by its path.
    pub(super) fn table_of_class(&mut self, path: &ast::Path, name: &str) -> Option<LValue> {
        let e = ast::Expr {
            kind: ast::ExprKind::Path(path.clone()),
            range: path.range,
        };
        let env = self.frame.env.clone();
        self.static_table(name, &env, &e)
    }

    /// A static constant array of a class, as an object of its own: the compiler knows its numbers.
    pub(super) fn static_table(&mut self, name: &str, env: &Env, e: &ast::Expr) -> Option<LValue> {
        let value = consteval::eval(&self.unit.names, env, e)?;
        if !matches!(value, Value::List(_)) {
            return None;
        }
        let ty = scope::type_of(&self.unit.names, env, e);
        let ty = ty.strip_reference().clone();
        let table = self.table_of(name, &ty, &value)?;
        Some(LValue::Mem(Mem {
            is_const: Some(true),
            ..table
        }))
    }

    /// Notes that a variable of device memory, or a static one of a function, is a constant array:
    /// what is loaded through `root` is known then.
    pub(super) fn note_table(
        &mut self,
        root: ExprId,
        variable: &ast::Variable,
        ty: &Type,
        env: &Env,
    ) {
        let is_fixed = (variable.storage.is_constexpr || is_const_object(&variable.ty))
            && !variable.storage.is_constant
            && !variable.storage.is_managed
            && !variable.storage.is_extern
            && variable.template.is_none()
            && !variable.ty.is_volatile;
        let key = self.arena.get(root).clone();
        if !is_fixed || self.tables.contains_key(&key) {
            return;
        }
        let table = self.known_table(&variable.name, variable, ty, env);
        let object = table.and_then(|table| self.arena.local_object(table.pointer));
        self.tables.insert(key, object);
    }

    /// An object with the numbers that a constant array starts with.
    pub(super) fn known_table(
        &mut self,
        name: &str,
        variable: &ast::Variable,
        ty: &Type,
        env: &Env,
    ) -> Option<Mem> {
        let names = &self.unit.names;
        let locals = &mut consteval::Locals::default();
        let value = consteval::initial_value(names, env, locals, variable)?;
        self.table_of(name, ty, &value)
    }

    /// Whether a pointer leads to a place in an object that numbers alone tell.
    pub(super) fn is_at_fixed_place(&self, pointer: ExprId) -> bool {
        match self.arena.get(pointer) {
            Expr::Offset { pointer, bytes, .. } => {
                self.arena.as_int(*bytes).is_some() && self.is_at_fixed_place(*pointer)
            }
            root => matches!(root, Expr::Address(Object::Global(_))),
        }
    }

    /// The place in the object of constants that stands for what `pointer` leads to.
    pub(super) fn place_in_table(&mut self, pointer: ExprId) -> Option<ExprId> {
        match self.arena.get(pointer).clone() {
            Expr::Offset {
                pointer,
                bytes,
                within,
            } => {
                let inner = self.place_in_table(pointer)?;
                Some(self.arena.offset_within(inner, bytes, within))
            }
            root @ (Expr::Address(Object::Global(_)) | Expr::Var(_)) => {
                let object = (*self.tables.get(&root)?)?;
                Some(self.arena.address(Object::Local(object)))
            }
            _ => None,
        }
    }

    /// An object with the numbers of `value`, which is written before anything else of the kernel; `None`
    /// where one of them is not known.
    fn table_of(&mut self, name: &str, ty: &Type, value: &Value) -> Option<Mem> {
        let mut cells = Vec::new();
        numbers_of(ty, value, 0, &mut cells)?;
        if let Some(known) = self.constant_objects.get(&cells) {
            return Some(Mem {
                pointer: self.arena.address(Object::Local(*known)),
                ty: ty.clone(),
                array: Rc::from(name),
                volatile: false,
                is_const: Some(true),
                bits: None,
                packed: None,
                is_temporary: Some(false),
            });
        }
        let object = self.local(name, ty, None);
        let variable: VarId = self.arena.local_object(object.pointer)?;
        self.set_holds(variable, Holds::Argument);
        self.push_block();
        for cell in &cells {
            let value = match cell.number {
                Number::Int(value) => self.arena.int(value, cell.scalar),
                Number::Float(bits) => self.arena.float(f64::from_bits(bits), cell.scalar),
            };
            let pointer = self.arena.offset_const(object.pointer, cell.at);
            let range = ast::Range::default();
            let value = Stored::Scalar(value);
            self.emit_store(&object, pointer, value, cell.scalar, object.path(), range);
        }
        let written = self.pop_block();
        self.prologue.extend(written);
        self.constant_objects.insert(cells, variable);
        Some(object)
    }
}

/// One number of a constant array.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Bytes from the start.
    at: u64,
    number: Number,
    scalar: Scalar,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Number {
    Int(i64),
    /// Bits of the value as `f64`.
    Float(u64),
}

/// Numbers of an array, converted to their types; `None` where one is not known.
fn numbers_of(ty: &Type, value: &Value, at: u64, cells: &mut Vec<Cell>) -> Option<()> {
    match (ty, value) {
        (Type::Qualified(of), _) => numbers_of(of, value, at, cells),
        (Type::Array(of, Some(count)), Value::List(items)) => {
            if items.len() as u64 != *count || cells.len() + items.len() > MOST_CONSTANTS {
                return None;
            }
            let size = of.size()?;
            for (index, item) in (0_u64..).zip(items.iter()) {
                numbers_of(of, item.as_ref()?, at + index * size, cells)?;
            }
            Some(())
        }
        (Type::Scalar(scalar, _), Value::Int { .. } | Value::Float(..)) => {
            let number = match value.convert(*scalar)? {
                Value::Int { value, .. } => Number::Int(value),
                Value::Float(value, _) => Number::Float(value.to_bits()),
                _ => return None,
            };
            let scalar = *scalar;
            cells.push(Cell { at, number, scalar });
            Some(())
        }
        _ => None,
    }
}
