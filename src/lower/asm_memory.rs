//! Memory instructions in `asm`: loads, stores, copies, matrices and atomics.

use super::asm::Block;
use super::asm_text::{Instruction, element, items};
use super::async_copy::Read;
use super::context::Lower;
use super::place::base_name;
use super::values::{Mem, scalar_val};
use crate::ir::{Binary, ExprId, OpaqueOp, Path, Scalar, Stmt, Unary, Value, VarId};
use crate::sema::types::Type;
use std::rc::Rc;

impl Lower<'_> {
    /// `[%1 + 16]` as memory of `ty`.
    fn asm_memory(&mut self, text: &str, ty: Type, block: &Block<'_>) -> Option<Mem> {
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let mut parts = inner.split('+');
        let base = parts.next()?;
        let id = self.asm_source(base, block)?;
        let mut pointer = self.arena.cast(id, Scalar::Pointer);
        for offset in parts {
            let bytes = match self.asm_source(offset, block) {
                Some(bytes) => self.arena.cast(bytes, Scalar::I64),
                // A constant, as any offset of an address, whatever it says.
                None => {
                    let why = "an offset in inline assembly";
                    self.arena.unknown(why, Vec::new(), false, Scalar::I64)
                }
            };
            pointer = self.arena.offset(pointer, bytes);
        }
        let array = base
            .trim()
            .strip_prefix('%')
            .and_then(|n| n.parse::<usize>().ok())
            .and_then(|at| block.operands.get(at))
            .map_or("", |operand| base_name(operand.expr));
        Some(Mem {
            pointer,
            ty,
            array: Rc::from(array),
            volatile: false,
            is_const: None,
            bits: None,
            packed: None,
            is_temporary: Some(false),
        })
    }

    pub(super) fn asm_copy(
        &mut self,
        path: Path,
        (to, from, size): (&str, &str, &str),
        filled: Option<&str>,
        block: &mut Block<'_>,
    ) {
        let bytes = Type::number(Scalar::U8);
        let (Some(to), Some(from)) = (
            self.asm_memory(to, bytes.clone(), block),
            self.asm_memory(from, bytes, block),
        ) else {
            return self.gap(
                block.range,
                "an asynchronous copy that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let size = self
            .asm_source(size, block)
            .and_then(|id| self.arena.as_int(id));
        let read = match filled {
            Some(text) if size.is_some() => self.bytes_read(text, block),
            _ => Read::All,
        };
        self.async_copy(path, (&to, &from), size, read, block.range);
    }

    /// What an asynchronous copy reads, by its fourth operand: the bytes of the source, the rest of the target
    /// being zeros, or a predicate under which the source is ignored.
    fn bytes_read(&mut self, text: &str, block: &Block<'_>) -> Read {
        // Registers of the text hold a predicate or a number, operands a number.
        let is_register = !text.trim().starts_with('%');
        match self.asm_source(text, block) {
            Some(id) if is_register && self.arena.ty(id) == Scalar::Bool => {
                let not = self.arena.unary(Unary::LogicalNot, id, Scalar::Bool);
                Read::Under(not)
            }
            Some(id) => match self.arena.as_int(id) {
                Some(bytes) => Read::Bytes(bytes),
                None => {
                    let ty = self.arena.ty(id);
                    let zero = self.arena.int(0, ty);
                    Read::Under(self.arena.binary(Binary::Ne, id, zero, ty))
                }
            },
            None => {
                let why = "an operand of inline assembly";
                Read::Under(self.arena.unknown(why, Vec::new(), true, Scalar::Bool))
            }
        }
    }

    pub(super) fn asm_matrix(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        let is_store = i.parts[0] == "stmatrix";
        let rows = if i.parts.contains(&"x4") {
            4
        } else if i.parts.contains(&"x2") {
            2
        } else {
            1
        };
        // Matrices of 16 rows have as many addresses.
        let rows = rows * if i.parts.contains(&"m16n16") { 16 } else { 8 };
        let (list, pointer) = match i.operands.as_slice() {
            [pointer, list] if is_store => (list, pointer),
            [list, pointer] => (list, pointer),
            _ => {
                return self.gap(
                    block.range,
                    "a matrix move that could not be read",
                    Vec::new(),
                    Vec::new(),
                );
            }
        };
        let Some(mem) = self.asm_memory(pointer, Type::number(Scalar::U16), block) else {
            return self.gap(
                block.range,
                "a matrix move that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let list = items(list);
        let mut targets: Vec<VarId> = Vec::new();
        if !is_store {
            for _ in &list {
                targets.push(self.scalar_variable("", Scalar::U32, None));
            }
        }
        let site = self.site(block.range, &mem.array);
        self.emit(Stmt::Matrix {
            pointer: mem.pointer,
            rows,
            is_store,
            site,
            targets: targets.clone(),
        });
        for (to, target) in list.iter().zip(targets) {
            let id = self.arena.var(target, Scalar::U32);
            self.set_output(Some(to), scalar_val(id, Scalar::U32), block);
        }
    }

    /// Element type and number of elements of `ld.….v4.f32`.
    fn asm_shape(i: &Instruction<'_>) -> Option<(Scalar, u32)> {
        let scalar = i.parts.iter().rev().find_map(|part| element(part))?;
        let count = match () {
            () if i.parts.contains(&"v2") => 2,
            () if i.parts.contains(&"v4") => 4,
            () if i.parts.contains(&"v8") => 8,
            () => 1,
        };
        Some((scalar, count))
    }

    pub(super) fn asm_load(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        if i.parts.contains(&"param") || i.parts.contains(&"local") || i.parts.contains(&"const") {
            return;
        }
        let shape = Self::asm_shape(i);
        let (Some((scalar, count)), [list, pointer, ..]) = (shape, i.operands.as_slice()) else {
            return self.gap(
                block.range,
                "a load that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let Some(mem) = self.asm_memory(pointer, Type::number(scalar), block) else {
            return self.gap(
                block.range,
                "a load that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let path = match () {
            () if i.parts.contains(&"volatile") => Path::Volatile,
            () if i.parts.contains(&"nc") => Path::ReadOnly,
            () => Path::Plain,
        };
        let size = scalar.size() * count;
        if count == 1 && !matches!(scalar, Scalar::Bytes(_)) {
            let target = self.emit_load(&mem, mem.pointer, scalar, path, block.range);
            let id = self.arena.var(target, scalar);
            // `{%0}` is `%0`.
            let to = items(list).first().copied().unwrap_or(list);
            return self.set_output(Some(to), scalar_val(id, scalar), block);
        }
        if size > 16 {
            let reason = "a load of more than 16 bytes";
            return self.opaque_access(&mem, OpaqueOp::Load, reason, block.range);
        }
        let target = self.emit_load(
            &mem,
            mem.pointer,
            Scalar::Bytes(size as u8),
            path,
            block.range,
        );
        let start = self.arena.address(crate::ir::Object::Local(target));
        let object = mem.part(start, Type::number(scalar));
        for (at, to) in items(list).into_iter().enumerate() {
            let pointer = self
                .arena
                .offset_const(start, at as u64 * u64::from(scalar.size()));
            let part = self.emit_load(&object, pointer, scalar, Path::Plain, block.range);
            let id = self.arena.var(part, scalar);
            self.set_output(Some(to), scalar_val(id, scalar), block);
        }
    }

    pub(super) fn asm_store(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        if i.parts.contains(&"param") || i.parts.contains(&"local") {
            return;
        }
        let shape = Self::asm_shape(i);
        let (Some((scalar, count)), [pointer, list, ..]) = (shape, i.operands.as_slice()) else {
            return self.gap(
                block.range,
                "a store that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let Some(mem) = self.asm_memory(pointer, Type::number(scalar), block) else {
            return self.gap(
                block.range,
                "a store that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let path = if i.parts.contains(&"volatile") {
            Path::Volatile
        } else {
            Path::Plain
        };
        let size = scalar.size() * count;
        if size > 16 || matches!(scalar, Scalar::Bytes(_)) {
            return self.opaque_access(
                &mem,
                OpaqueOp::Store,
                "a store of more than 16 bytes",
                block.range,
            );
        }
        if count == 1 {
            let from = items(list).first().copied().unwrap_or(list);
            let value = self.stored(from, scalar, block);
            return self.emit_store(
                &mem,
                mem.pointer,
                Value::Scalar(value),
                scalar,
                path,
                block.range,
            );
        }
        let object = self.object_variable("", u64::from(size), u64::from(size), None);
        let start = self.arena.address(crate::ir::Object::Local(object));
        let local = mem.part(start, Type::number(scalar));
        for (at, from) in items(list).into_iter().enumerate() {
            let value = self.stored(from, scalar, block);
            let pointer = self
                .arena
                .offset_const(start, at as u64 * u64::from(scalar.size()));
            self.emit_store(
                &local,
                pointer,
                Value::Scalar(value),
                scalar,
                Path::Plain,
                block.range,
            );
        }
        self.emit_store(
            &mem,
            mem.pointer,
            Value::Object(object),
            Scalar::Bytes(size as u8),
            path,
            block.range,
        );
    }

    fn stored(&mut self, text: &str, scalar: Scalar, block: &Block<'_>) -> ExprId {
        let Some(id) = self.asm_source(text, block) else {
            return self
                .arena
                .unknown("a register of inline assembly", Vec::new(), true, scalar);
        };
        let from = self.arena.ty(id);
        if from.is_float() == scalar.is_float() {
            return self.arena.cast(id, scalar);
        }
        self.arena.unknown(
            "the bits of a value of another type",
            vec![id],
            false,
            scalar,
        )
    }

    pub(super) fn asm_atomic(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        const OPS: [(&str, &str); 10] = [
            ("add", "atomicAdd"),
            ("min", "atomicMin"),
            ("max", "atomicMax"),
            ("exch", "atomicExch"),
            ("cas", "atomicCAS"),
            ("and", "atomicAnd"),
            ("or", "atomicOr"),
            ("xor", "atomicXor"),
            ("inc", "atomicInc"),
            ("dec", "atomicDec"),
        ];
        let op = OPS
            .iter()
            .find(|(part, _)| i.parts.contains(part))
            .map(|(_, op)| *op);
        let scalar = i.parts.iter().rev().find_map(|part| element(part));
        if ["v2", "v4", "v8"].iter().any(|of| i.parts.contains(of)) {
            let reason = "an atomic operation on several elements is not modelled";
            return self.gap(block.range, reason, Vec::new(), Vec::new());
        }
        let is_red = i.parts[0] == "red";
        let (to, rest) = match i.operands.split_first() {
            Some((first, rest)) if !is_red => (Some(*first), rest),
            _ => (None, i.operands.as_slice()),
        };
        let (Some(op), Some(scalar), Some((pointer, operands))) = (op, scalar, rest.split_first())
        else {
            return self.gap(
                block.range,
                "an atomic operation that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let Some(mem) = self.asm_memory(pointer, Type::number(scalar), block) else {
            return self.gap(
                block.range,
                "an atomic operation that could not be read",
                Vec::new(),
                Vec::new(),
            );
        };
        let operands: Vec<ExprId> = operands
            .iter()
            .map(|text| self.stored(text, scalar, block))
            .collect();
        let target = self.scalar_variable("", scalar, None);
        let site = self.site(block.range, &mem.array);
        self.emit(Stmt::Atomic {
            target: Some(target),
            pointer: mem.pointer,
            op,
            operands,
            ty: scalar,
            site,
            instruction: None,
        });
        let id = self.arena.var(target, scalar);
        self.set_output(to, scalar_val(id, scalar), block);
    }
}
