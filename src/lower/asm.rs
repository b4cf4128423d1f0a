//! Inline assembly: PTX instructions that touch memory or lanes, by their text.
//!
//! Given the template after macro expansion and its operands, emits loads, stores
//! and exchanges. The outputs of every other instruction are unknown functions of
//! the inputs.

use super::context::Lower;
use super::place::base_name;
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{
    Barrier, Binary, BuiltinValue, ExprId, OpaqueOp, Path, Scalar, Stmt, Value, VarId,
};
use crate::sema::types::Type;
use crate::syntax::ast;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// One operand of an `asm` statement.
struct Operand<'a> {
    expr: &'a ast::Expr,
    place: Option<LValue>,
    value: Option<ExprId>,
    written: bool,
}

struct Block<'a> {
    operands: Vec<Operand<'a>>,
    outputs: usize,
    range: ast::Range,
    /// Predicates and registers declared in the text.
    registers: FxHashMap<String, ExprId>,
    /// What the instruction at hand has written.
    set: Vec<String>,
}

/// `ld.global.nc.v4.f32` cut at its dots, and its operands.
struct Instruction<'t> {
    parts: Vec<&'t str>,
    operands: Vec<&'t str>,
    guard: Option<(&'t str, bool)>,
}

fn element(part: &str) -> Option<Scalar> {
    Some(match part {
        "b8" | "u8" => Scalar::U8,
        "s8" => Scalar::I8,
        "b16" | "u16" => Scalar::U16,
        "s16" => Scalar::I16,
        "f16" => Scalar::F16,
        "bf16" => Scalar::BF16,
        "b32" | "u32" | "f16x2" | "bf16x2" => Scalar::U32,
        "s32" => Scalar::I32,
        "f32" => Scalar::F32,
        "b64" | "u64" => Scalar::U64,
        "s64" => Scalar::I64,
        "f64" => Scalar::F64,
        "b128" => Scalar::Bytes(16),
        _ => return None,
    })
}

/// Operands are split at commas outside of braces and brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        out.push(last);
    }
    out
}

fn instruction(text: &str) -> Option<Instruction<'_>> {
    let mut text = text.trim();
    // A block's braces stand in front of or behind an instruction.
    while let Some(rest) = text.strip_prefix('{').or_else(|| text.strip_prefix('}')) {
        text = rest.trim_start();
    }
    let mut guard = None;
    if let Some(rest) = text.strip_prefix('@') {
        let (name, rest) = rest.split_once(char::is_whitespace)?;
        guard = Some(match name.strip_prefix('!') {
            Some(name) => (name, false),
            None => (name, true),
        });
        text = rest.trim_start();
    }
    if text.is_empty() || text.starts_with(".reg") {
        return None;
    }
    let end = text
        .find(|c: char| c.is_whitespace() || c == '{' || c == '[')
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.ends_with(':') && name.len() > 1 {
        return instruction(rest);
    }
    Some(Instruction {
        parts: name.split('.').collect(),
        operands: split_operands(rest),
        guard,
    })
}

/// Instructions with an address that ask no shared or global memory for data.
const ASKS_NOTHING: [&str; 8] = [
    "prefetch",
    "prefetchu",
    "discard",
    "applypriority",
    "createpolicy",
    "isspacep",
    "mapa",
    "tensormap",
];

/// Whether it may ask for shared or global memory.
fn touches_memory(i: &Instruction<'_>) -> bool {
    const NAMES: [&str; 9] = [
        "ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix", "mbarrier",
    ];
    i.parts.first().is_some_and(|name| NAMES.contains(name))
}

fn items(list: &str) -> Vec<&str> {
    split_operands(list.trim().trim_start_matches('{').trim_end_matches('}'))
}

/// The text without comments, in one line.
fn in_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].split_once("*/").map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    let lines = out
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join(" ")
}

/// What an instruction writes: its first operand, one of several, or a value and a predicate.
fn destinations<'t>(i: &Instruction<'t>) -> Vec<&'t str> {
    const WITHOUT: [&str; 16] = [
        "st",
        "red",
        "bar",
        "barrier",
        "membar",
        "fence",
        "cp",
        "prefetch",
        "prefetchu",
        "stmatrix",
        "bra",
        "ret",
        "exit",
        "trap",
        "nanosleep",
        "griddepcontrol",
    ];
    let Some(first) = i.operands.first() else {
        return Vec::new();
    };
    if i.parts.first().is_none_or(|name| WITHOUT.contains(name)) || first.starts_with('[') {
        return Vec::new();
    }
    let parts = items(first);
    parts
        .into_iter()
        .flat_map(|one| one.split('|'))
        .map(str::trim)
        .collect()
}

/// The operand that `%3` names.
fn operand_number(text: &str) -> Option<usize> {
    text.trim().strip_prefix('%')?.parse().ok()
}

impl Lower<'_> {
    pub fn asm(&mut self, asm: &ast::Asm, range: ast::Range) {
        let mut operands = Vec::new();
        for (constraint, expr) in &asm.outputs {
            let place = self.place(expr);
            let value = if constraint.contains('+') {
                self.asm_value(place.clone(), expr.range)
            } else {
                None
            };
            operands.push(Operand {
                expr,
                place: Some(place),
                value,
                written: false,
            });
        }
        let outputs = operands.len();
        for (_, expr) in &asm.inputs {
            let place = self.place(expr);
            let value = self.asm_value(place, expr.range);
            operands.push(Operand {
                expr,
                place: None,
                value,
                written: false,
            });
        }
        let mut block = Block {
            operands,
            outputs,
            range,
            registers: FxHashMap::default(),
            set: Vec::new(),
        };
        let text = in_one_line(&asm.text);
        let list: Vec<Instruction<'_>> = text.split(';').filter_map(instruction).collect();
        if list
            .iter()
            .any(|i| matches!(i.parts.first(), Some(&("bra" | "brx" | "call"))))
        {
            // Which instructions run, and how often, is not followed.
            if list.iter().any(touches_memory) {
                let reason = "a branch in inline assembly is not modelled";
                self.gap(range, reason, Vec::new(), Vec::new());
            }
        } else {
            for instruction in &list {
                self.guarded(instruction, &mut block);
            }
        }
        self.unknown_outputs(&mut block, &asm.text);
    }

    fn asm_value(&mut self, place: LValue, range: ast::Range) -> Option<ExprId> {
        match self.read(place, range) {
            Val::Scalar { id, .. } => Some(id),
            _ => None,
        }
    }

    fn guarded(&mut self, instruction: &Instruction<'_>, block: &mut Block<'_>) {
        let destinations = destinations(instruction);
        let Some((name, sense)) = instruction.guard else {
            return self.with_destinations(instruction, &destinations, block);
        };
        let condition = match block.registers.get(name) {
            Some(id) => *id,
            None => self.arena.unknown(
                "a predicate of inline assembly",
                Vec::new(),
                true,
                Scalar::Bool,
            ),
        };
        let condition = if sense {
            condition
        } else {
            self.arena
                .unary(crate::ir::Unary::LogicalNot, condition, Scalar::Bool)
        };
        // Outputs keep their values where the predicate is false: they are read before.
        let written: Vec<bool> = block.operands.iter().map(|one| one.written).collect();
        self.push_block();
        self.with_destinations(instruction, &destinations, block);
        let then = self.pop_block();
        self.emit_if(condition, then, Vec::new(), block.range);
        // Lanes without the predicate keep what was there.
        for name in destinations {
            let Some(at) = operand_number(name) else {
                block.registers.remove(name);
                continue;
            };
            let (range, was_written) = (block.range, written.get(at) == Some(&true));
            let Some(operand) = block.operands.get_mut(at) else {
                continue;
            };
            let is_kept = operand.written && (was_written || operand.value.is_some());
            let place = operand.place.clone().filter(|_| is_kept);
            operand.value = None;
            if let Some(place) = place {
                let value = self.asm_value(place, range);
                if let Some(operand) = block.operands.get_mut(at) {
                    operand.value = value;
                }
            }
        }
    }

    /// What it writes and is not understood is not known from there on.
    fn with_destinations(
        &mut self,
        instruction: &Instruction<'_>,
        destinations: &[&str],
        block: &mut Block<'_>,
    ) {
        // Sources are read before destinations are written, which may have the same name.
        block.set.clear();
        self.instruction(instruction, block);
        for name in destinations {
            if block.set.iter().any(|set| set == name) {
                continue;
            }
            match operand_number(name) {
                Some(at) => {
                    if let Some(operand) = block.operands.get_mut(at) {
                        operand.written = false;
                        operand.value = None;
                    }
                }
                None => {
                    block.registers.remove(*name);
                }
            }
        }
    }

    fn instruction(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        let has = |part: &str| i.parts.contains(&part);
        let has_start = |start: &str| i.parts.iter().any(|part| part.starts_with(start));
        match i.parts.first().copied().unwrap_or("") {
            "cp" if has("async") && has("bulk") => {
                let reason = "a bulk asynchronous copy is not modelled";
                if i.operands.iter().any(|operand| operand.starts_with('[')) {
                    self.gap(block.range, reason, Vec::new(), Vec::new());
                }
            }
            "cp" if has("async") => {
                if let [to, from, size, rest @ ..] = i.operands.as_slice() {
                    self.asm_copy(to, from, size, rest.first().copied(), block);
                }
            }
            "ldmatrix" | "stmatrix" => self.asm_matrix(i, block),
            "ld" | "ldu" => self.asm_load(i, block),
            "st" => self.asm_store(i, block),
            "atom" | "red" => self.asm_atomic(i, block),
            "bar" | "barrier" if has("sync") || has("red") || has("wait") => {
                let kind = if has("warp") {
                    Barrier::Warp
                } else {
                    Barrier::Block
                };
                self.barrier(kind, block.range);
            }
            "membar" | "fence" => {
                self.barrier(Barrier::Fence, block.range);
            }
            "mbarrier" => self.gap(
                block.range,
                "`mbarrier` is not modelled",
                Vec::new(),
                Vec::new(),
            ),
            "shfl" => self.asm_shuffle(i, block),
            "activemask" => {
                let value = self.exchange("__activemask", Vec::new(), Scalar::U32, block.range);
                self.set_output(i.operands.first().copied(), value, block);
            }
            "mov" => {
                if let [to, from] = i.operands.as_slice()
                    && let Some(id) = self.asm_source(from, block)
                {
                    let ty = self.arena.ty(id);
                    self.set_output(Some(to), scalar_val(id, ty), block);
                }
            }
            "cvta" | "cvt" => {
                if let [to, from] = i.operands.as_slice()
                    && let Some(id) = self.asm_source(from, block)
                    && (i.parts[0] == "cvta" || (has_start("u") && self.is_address(id)))
                {
                    let id = self.arena.cast(id, Scalar::U64);
                    self.set_output(Some(to), scalar_val(id, Scalar::U64), block);
                }
            }
            "setp" => {
                if let [to, a, b] = i.operands.as_slice()
                    && let (Some(a), Some(b)) =
                        (self.asm_source(a, block), self.asm_source(b, block))
                {
                    let ty = i
                        .parts
                        .last()
                        .and_then(|part| element(part))
                        .unwrap_or(Scalar::I32);
                    let (a, b) = (self.arena.cast(a, ty), self.arena.cast(b, ty));
                    let (op, a, b) = match i.parts.get(1).copied().unwrap_or("") {
                        _ if ty.is_float() => return,
                        "eq" => (Binary::Eq, a, b),
                        "lt" | "lo" => (Binary::Lt, a, b),
                        "le" | "ls" => (Binary::Le, a, b),
                        "gt" | "hi" => (Binary::Lt, b, a),
                        "ge" | "hs" => (Binary::Le, b, a),
                        "ne" => (Binary::Ne, a, b),
                        _ => return,
                    };
                    let id = self.arena.binary(op, a, b, ty);
                    block.set.push((*to).to_owned());
                    block.registers.insert((*to).to_owned(), id);
                }
            }
            // What it writes is unknown (`with_destinations`); what it asks memory for has no verdict.
            name if i.operands.iter().any(|operand| operand.contains('['))
                && !ASKS_NOTHING.contains(&name) =>
            {
                let reason = format!("`{name}` in inline assembly is not modelled");
                self.gap(block.range, &reason, Vec::new(), Vec::new());
            }
            _ => {}
        }
    }

    fn is_address(&self, id: ExprId) -> bool {
        matches!(
            self.arena.get(id),
            crate::ir::Expr::Cast {
                from: Scalar::Pointer,
                ..
            }
        ) || self.arena.ty(id) == Scalar::Pointer
    }

    /// `%3`, `42`, `0x1f`, `%%laneid`, a register of the text.
    fn asm_source(&mut self, text: &str, block: &Block<'_>) -> Option<ExprId> {
        let text = text.trim();
        if let Some(number) = text.strip_prefix('%') {
            if let Ok(at) = number.parse::<usize>() {
                return block.operands.get(at)?.value;
            }
            return self.special_register(number.trim_start_matches('%'));
        }
        if let Some(id) = block.registers.get(text) {
            return Some(*id);
        }
        let value = match text.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex.trim_end_matches('U'), 16).ok()?,
            None => text.parse().ok()?,
        };
        let ty = if i32::try_from(value).is_ok() {
            Scalar::I32
        } else {
            Scalar::I64
        };
        Some(self.arena.int(value, ty))
    }

    fn special_register(&mut self, name: &str) -> Option<ExprId> {
        let axis = |name: &str| super::place::axis(name.rsplit('.').next()?);
        let thirty_two = self.arena.int(32, Scalar::U32);
        Some(match name.split('.').next()? {
            "tid" => self.arena.builtin(BuiltinValue::ThreadIdx(axis(name)?)),
            "ntid" => self.arena.builtin(BuiltinValue::BlockDim(axis(name)?)),
            "ctaid" => self.arena.builtin(BuiltinValue::BlockIdx(axis(name)?)),
            "nctaid" => self.arena.builtin(BuiltinValue::GridDim(axis(name)?)),
            "laneid" => {
                let thread = self.linear_thread();
                self.arena
                    .binary(Binary::Rem, thread, thirty_two, Scalar::U32)
            }
            "warpid" => {
                let thread = self.linear_thread();
                self.arena
                    .binary(Binary::Div, thread, thirty_two, Scalar::U32)
            }
            mask @ ("lanemask_lt" | "lanemask_le" | "lanemask_gt" | "lanemask_ge"
            | "lanemask_eq") => {
                let thread = self.linear_thread();
                let lane = self
                    .arena
                    .binary(Binary::Rem, thread, thirty_two, Scalar::U32);
                let one = self.arena.int(1, Scalar::U32);
                let bit = self.arena.binary(Binary::Shl, one, lane, Scalar::U32);
                let below = self.arena.binary(Binary::Sub, bit, one, Scalar::U32);
                let up_to = self.arena.binary(Binary::Or, bit, below, Scalar::U32);
                match mask {
                    "lanemask_lt" => below,
                    "lanemask_le" => up_to,
                    "lanemask_gt" => self.arena.unary(crate::ir::Unary::Not, up_to, Scalar::U32),
                    "lanemask_ge" => self.arena.unary(crate::ir::Unary::Not, below, Scalar::U32),
                    _ => bit,
                }
            }
            "clock" | "clock64" | "globaltimer" | "smid" | "nsmid" | "dynamic_smem_size"
            | "total_smem_size" => {
                let reason = format!("the special register `%{name}`");
                self.havoc(&reason, Scalar::U64, ast::Range::default())
            }
            _ => return None,
        })
    }

    /// `[%1 + 16]` as memory of `ty`.
    fn asm_memory(&mut self, text: &str, ty: Type, block: &Block<'_>) -> Option<Mem> {
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let (base, offset) = match inner.split_once('+') {
            Some((base, offset)) => (base, Some(offset)),
            None => (inner, None),
        };
        let id = self.asm_source(base, block)?;
        let mut pointer = self.arena.cast(id, Scalar::Pointer);
        if let Some(offset) = offset.and_then(|offset| self.asm_source(offset, block)) {
            let bytes = self.arena.cast(offset, Scalar::I64);
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
            is_temporary: Some(false),
        })
    }

    /// Gives an operand or register of the text its value.
    fn set_output(&mut self, to: Option<&str>, value: Val, block: &mut Block<'_>) {
        let Some(to) = to.map(str::trim) else { return };
        // A value beside the predicate that says whether it is valid.
        let to = to.split('|').next().unwrap_or(to).trim();
        block.set.push(to.to_owned());
        if let Some(at) = to.strip_prefix('%').and_then(|n| n.parse::<usize>().ok()) {
            let range = block.range;
            let Some(operand) = block.operands.get_mut(at) else {
                return;
            };
            operand.written = true;
            if let Val::Scalar { id, .. } = &value {
                operand.value = Some(*id);
            }
            if let Some(place) = operand.place.clone() {
                let value = self.reinterpreted(value, &place);
                self.write(&place, value, range);
            }
        } else if let Val::Scalar { id, .. } = value {
            block.registers.insert(to.to_owned(), id);
        }
    }

    /// The same bits in a variable of another kind (`"=f"` from `.b32`).
    fn reinterpreted(&mut self, value: Val, place: &LValue) -> Val {
        let Val::Scalar { id, .. } = &value else {
            return value;
        };
        let (from, to) = (self.arena.ty(*id), place.ty().scalar());
        match to {
            Some(to) if to.is_float() != from.is_float() && to.size() == from.size() => {
                let name = match to {
                    Scalar::F32 => "__uint_as_float",
                    Scalar::F64 => "__longlong_as_double",
                    _ if to.size() == 4 => "__float_as_uint",
                    _ => "__double_as_longlong",
                };
                scalar_val(self.arena.intrinsic(name, vec![*id], to), to)
            }
            _ => value,
        }
    }

    fn asm_copy(
        &mut self,
        to: &str,
        from: &str,
        size: &str,
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
        // With a source size of zero nothing is read: the bytes are zeros.
        let filled = filled
            .and_then(|text| self.asm_source(text, block))
            .filter(|id| self.arena.as_int(*id).is_none());
        let Some(filled) = filled else {
            return self.async_copy(&to, &from, size, block.range);
        };
        let Some(size @ (4 | 8 | 16)) = size else {
            return self.async_copy(&to, &from, size, block.range);
        };
        let ty = self.arena.ty(filled);
        let zero = self.arena.int(0, ty);
        let condition = self.arena.binary(Binary::Ne, filled, zero, ty);
        let scalar = if size == 4 {
            Scalar::U32
        } else {
            Scalar::Bytes(size as u8)
        };
        let target = match scalar {
            Scalar::Bytes(n) => self.object_variable("", u64::from(n), u64::from(n), None),
            scalar => self.scalar_variable("", scalar, None),
        };
        self.push_block();
        self.emit_load_into(
            target,
            &from,
            from.pointer,
            scalar,
            Path::AsyncCopy,
            block.range,
        );
        let then = self.pop_block();
        self.emit_if(condition, then, Vec::new(), block.range);
        let value = match scalar {
            Scalar::Bytes(_) => Value::Object(target),
            scalar => Value::Scalar(self.arena.var(target, scalar)),
        };
        self.emit_store(&to, to.pointer, value, scalar, Path::AsyncCopy, block.range);
    }

    fn asm_matrix(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        let is_store = i.parts[0] == "stmatrix";
        let rows = if i.parts.contains(&"x4") {
            32
        } else if i.parts.contains(&"x2") {
            16
        } else {
            8
        };
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

    fn asm_load(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
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
            return self.set_output(Some(list), scalar_val(id, scalar), block);
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

    fn asm_store(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
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
            let value = self.stored(list, scalar, block);
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

    fn asm_atomic(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
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

    fn asm_shuffle(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        let op = match () {
            () if i.parts.contains(&"bfly") => "__shfl_xor_sync",
            () if i.parts.contains(&"down") => "__shfl_down_sync",
            () if i.parts.contains(&"up") => "__shfl_up_sync",
            () => "__shfl_sync",
        };
        // What bounds the exchange: the whole warp, or it is not understood.
        let whole = if i.parts.contains(&"up") { 0 } else { 31 };
        let bound = i
            .operands
            .get(3)
            .and_then(|text| self.asm_source(text, block));
        if bound.and_then(|id| self.arena.as_int(id)) != Some(whole) {
            return;
        }
        if let [to, value, lane, ..] = i.operands.as_slice()
            && let (Some(value), Some(lane)) =
                (self.asm_source(value, block), self.asm_source(lane, block))
        {
            let mask = self.arena.int(-1, Scalar::U32);
            let ty = self.arena.ty(value);
            let result = self.exchange(op, vec![mask, value, lane], ty, block.range);
            self.set_output(Some(to), result, block);
        }
    }

    /// What no instruction above has written is an unknown function of the inputs.
    fn unknown_outputs(&mut self, block: &mut Block<'_>, text: &str) {
        let inputs: Vec<ExprId> = block
            .operands
            .iter()
            .filter_map(|operand| operand.value)
            .collect();
        let name: String = text
            .trim_start_matches(['{', ' ', '\n', '\t'])
            .chars()
            .take_while(|c| !c.is_whitespace())
            .collect();
        let reason = format!("the result of `{}`", name.trim_end_matches(';'));
        let is_varying = ["mma", "vote", "match", "redux", "elect"]
            .iter()
            .any(|part| text.contains(part));
        let range = block.range;
        for at in 0..block.outputs {
            let Some(operand) = block.operands.get(at) else {
                continue;
            };
            if operand.written {
                continue;
            }
            let Some(place) = operand.place.clone() else {
                continue;
            };
            let Some(scalar) = place.ty().scalar() else {
                if let LValue::Mem(mem) = &place {
                    self.make_unknown(Vec::new(), vec![mem.pointer], &reason, range);
                }
                continue;
            };
            let id = self
                .arena
                .unknown(&reason, inputs.clone(), is_varying, scalar);
            self.write(&place, scalar_val(id, scalar), range);
        }
    }
}
