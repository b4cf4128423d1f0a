//! Inline assembly: PTX instructions that touch memory or lanes, moves and special registers, by their text.
//!
//! Given the template after macro expansion and its operands, emits loads, stores
//! and exchanges. The outputs of every other instruction are unknown functions of
//! the inputs.

use super::asm_text::{
    ASKS_NOTHING, Instruction, destinations, element, in_one_line, instruction,
    is_function_of_operands, is_of_barrier, is_of_registers, operand_number, touches_memory,
};
use super::context::Lower;
use super::values::{LValue, Val, scalar_val};
use crate::ir::{Barrier, Binary, BuiltinValue, ExprId, MAP_SHARED_RANK, Path, Scalar, Stmt};
use crate::syntax::ast;
use rustc_hash::FxHashMap;

/// `mbarrier` is no request for data: on an H100 it takes no wavefront of shared memory.
const ON_A_BARRIER: &str = "`mbarrier` orders threads";

/// What `tcgen05` does without a request of lanes for shared or global memory.
const OF_TENSORS: [&str; 8] = [
    "ld", "st", "mma", "wait", "commit", "fence", "shift", "dealloc",
];

/// One operand of an `asm` statement.
pub(super) struct Operand<'a> {
    pub expr: &'a ast::Expr,
    pub place: Option<LValue>,
    /// Its value where the text begins, of one that the text may read.
    given: Given,
    pub value: Option<ExprId>,
    pub written: bool,
}

/// What an operand has where the text begins.
enum Given {
    /// Nothing: it is an output only.
    Nothing,
    Value(ExprId),
    /// A value that is no number.
    Open,
}

pub(super) struct Block<'a> {
    pub operands: Vec<Operand<'a>>,
    pub outputs: usize,
    pub range: ast::Range,
    /// Predicates and registers declared in the text.
    pub registers: FxHashMap<String, ExprId>,
    /// What the instruction at hand has written.
    pub set: Vec<String>,
}

impl Given {
    fn value(&self) -> Option<ExprId> {
        match self {
            Self::Value(id) => Some(*id),
            Self::Nothing | Self::Open => None,
        }
    }
}

/// Whether an instruction may end the thread.
fn ends_thread(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.parts.first(), Some(&("exit" | "ret")))
}

impl Lower<'_> {
    pub fn asm(&mut self, asm: &ast::Asm, range: ast::Range) {
        self.stops.asm += 1;
        let mut operands = Vec::new();
        for (constraint, expr) in &asm.outputs {
            let place = self.place(expr);
            let given = if constraint.contains('+') {
                self.asm_given(place.clone(), expr.range)
            } else {
                Given::Nothing
            };
            operands.push(Operand {
                expr,
                place: Some(place),
                value: given.value(),
                given,
                written: false,
            });
        }
        let outputs = operands.len();
        for (_, expr) in &asm.inputs {
            let place = self.given(expr);
            let given = self.asm_given(place, expr.range);
            operands.push(Operand {
                expr,
                place: None,
                value: given.value(),
                given,
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
        self.stops.memory += u32::from(!list.iter().all(is_of_registers));
        if list.len() > 1 && outputs > 0 {
            self.keep_given(&mut block);
        }
        if list
            .iter()
            .any(|i| matches!(i.parts.first(), Some(&("bra" | "brx" | "call"))))
        {
            if list.iter().any(ends_thread) {
                self.may_end_thread(range);
            }
            // Which instructions run, and how often, is not followed.
            if list.iter().any(|i| touches_memory(i) && !is_of_barrier(i)) {
                let reason = "a branch in inline assembly is not modelled";
                self.gap(range, reason, Vec::new(), Vec::new());
            } else if list.iter().any(is_of_barrier) {
                self.unordered(range, ON_A_BARRIER);
            }
        } else {
            for instruction in &list {
                self.guarded(instruction, &mut block);
            }
        }
        self.unknown_outputs(&mut block, &text);
    }

    /// Some lanes end here, or none: which ones is not followed.
    fn may_end_thread(&mut self, range: ast::Range) {
        let reason = "whether inline assembly ends the thread";
        let ends = self.arena.unknown(reason, Vec::new(), true, Scalar::Bool);
        self.emit_if(ends, vec![Stmt::Return], Vec::new(), range);
    }

    /// Operands are values: what a later instruction writes to the variable behind one does not change it.
    fn keep_given(&mut self, block: &mut Block<'_>) {
        for operand in &mut block.operands {
            let Some(id) = operand.value else { continue };
            if self.arena.as_int(id).is_none() {
                let kept = self.keep(id, "");
                operand.value = Some(kept);
                operand.given = Given::Value(kept);
            }
        }
    }

    fn asm_given(&mut self, place: LValue, range: ast::Range) -> Given {
        self.asm_value(place, range)
            .map_or(Given::Open, Given::Value)
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
        let before = self.sites.len();
        self.instruction(instruction, block);
        self.mark_shared(instruction, before);
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

    /// An instruction may say that its address is one of shared memory, whatever is known of that.
    fn mark_shared(&mut self, i: &Instruction<'_>, before: usize) {
        let is_matrix = matches!(i.parts.first(), Some(&("ldmatrix" | "stmatrix")));
        let is_shared = i.parts.iter().any(|part| part.starts_with("shared"));
        // A copy writes to shared memory last.
        let from = match i.parts.first() {
            Some(&"cp") => self.sites.len().saturating_sub(1).max(before),
            _ => before,
        };
        if is_matrix || is_shared {
            for site in &mut self.sites[from..] {
                site.of_shared = true;
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
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
                // The last operand is what the cache does then.
                let operands = match i.operands.as_slice() {
                    [operands @ .., _] if has("L2::cache_hint") => operands,
                    operands => operands,
                };
                if let [to, from, size, rest @ ..] = operands {
                    let path = match has("cg") {
                        true => Path::AsyncCopyPastL1,
                        false => Path::AsyncCopy,
                    };
                    self.asm_copy(path, (to, from, size), rest.first().copied(), block);
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
            "exit" => self.emit(Stmt::Return),
            "ret" if self.frame.returns.is_kernel => self.emit(Stmt::Return),
            // Of a function that the compiler merges with its caller it ends that.
            "ret" => self.may_end_thread(block.range),
            "membar" | "fence" => {
                self.barrier(Barrier::Fence, block.range);
            }
            "mbarrier" => self.unordered(block.range, ON_A_BARRIER),
            // What moves between registers and tensor memory, or is multiplied there.
            "tcgen05" if i.parts.get(1).is_some_and(|op| OF_TENSORS.contains(op)) => {
                self.unordered(block.range, "tensor memory is not followed");
            }
            "shfl" => self.asm_shuffle(i, block),
            "redux" => self.asm_reduction(i, block),
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
            "mapa" => {
                if let [to, from, rank] = i.operands.as_slice()
                    && let (Some(from), Some(rank)) =
                        (self.asm_source(from, block), self.asm_source(rank, block))
                {
                    let from = self.arena.cast(from, Scalar::Pointer);
                    let there = vec![from, rank];
                    let there = self
                        .arena
                        .intrinsic(MAP_SHARED_RANK, there, Scalar::Pointer);
                    let wide = i.parts.last() == Some(&"u64");
                    let ty = if wide { Scalar::U64 } else { Scalar::U32 };
                    let id = self.arena.cast(there, ty);
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
    pub(super) fn asm_source(&mut self, text: &str, block: &Block<'_>) -> Option<ExprId> {
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
            // An octal number, or one in bits.
            None if text.len() > 1 && text.starts_with('0') => return None,
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
            // Where a warp runs: PTX promises neither that it counts from 0 nor that it follows the threads.
            "warpid" => {
                let why = "the special register `%warpid`";
                self.arena.unknown(why, Vec::new(), false, Scalar::U32)
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

    /// Gives an operand or register of the text its value.
    pub(super) fn set_output(&mut self, to: Option<&str>, value: Val, block: &mut Block<'_>) {
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

    /// `redux.sync.min.u32 %0, %1, %2;`: one number for all lanes of a mask.
    fn asm_reduction(&mut self, i: &Instruction<'_>, block: &mut Block<'_>) {
        const OPS: [(&str, &str); 6] = [
            ("add", "__reduce_add_sync"),
            ("min", "__reduce_min_sync"),
            ("max", "__reduce_max_sync"),
            ("and", "__reduce_and_sync"),
            ("or", "__reduce_or_sync"),
            ("xor", "__reduce_xor_sync"),
        ];
        let op = OPS.iter().find(|(part, _)| i.parts.contains(part));
        let ty = match i.parts.last() {
            Some(&"s32") => Scalar::I32,
            Some(&("u32" | "b32")) => Scalar::U32,
            _ => return,
        };
        if let (Some((_, op)), [to, value, mask]) = (op, i.operands.as_slice())
            && let (Some(value), Some(mask)) =
                (self.asm_source(value, block), self.asm_source(mask, block))
            && !self.arena.ty(value).is_float()
        {
            let mask = self.arena.cast(mask, Scalar::U32);
            let value = self.arena.cast(value, ty);
            let result = self.exchange(op, vec![mask, value], ty, block.range);
            self.set_output(Some(to), result, block);
        }
    }

    /// What no instruction above has written is unknown.
    fn unknown_outputs(&mut self, block: &mut Block<'_>, text: &str) {
        // What the text read may be overwritten by now.
        let mut inputs: Vec<ExprId> = Vec::new();
        for operand in &block.operands {
            for id in [operand.given.value(), operand.value].into_iter().flatten() {
                if !inputs.contains(&id) {
                    inputs.push(id);
                }
            }
        }
        let is_lost = |operand: &Operand<'_>| match operand.given {
            Given::Nothing => false,
            Given::Value(_) => operand.written,
            Given::Open => true,
        };
        let is_open = block.operands.iter().any(is_lost);
        let name: String = text
            .trim_start_matches(['{', ' ', '\n', '\t'])
            .chars()
            .take_while(|c| !c.is_whitespace())
            .collect();
        let reason = format!("the result of `{}`", name.trim_end_matches(';'));
        let is_varying = is_open || !is_function_of_operands(text);
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
