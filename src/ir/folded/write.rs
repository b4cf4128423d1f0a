//! Code to bytes.

use super::{Calls, Code, Folded};
use crate::gpu::cost::SharedAtomic;
use crate::ir::{
    Barrier, Binary, BuiltinValue, Expr, ExprId, Holds, Loop, Object, OpaqueOp, Path, Scalar, Site,
    Stmt, Stops, Unary, Value, VarId, Variable, VariableKind,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) fn folded(code: &Code) -> Folded {
    let mut writer = Writer::default();
    writer.count(code.variables.len());
    code.variables
        .iter()
        .for_each(|variable| writer.variable(variable));
    writer.count(code.sites.len());
    code.sites.iter().for_each(|site| writer.site(site));
    writer.count(code.exprs.len());
    for (at, expr) in code.exprs.iter().enumerate() {
        writer.at = at as u32;
        writer.expr(expr);
    }
    writer.block(&code.body);
    Folded {
        bytes: writer.bytes.into(),
        names: writer.names.all.into(),
        words: writer.words.all.into(),
        calls: writer.calls.all.into(),
    }
}

/// Things that are written once, and their numbers.
struct Table<K, T> {
    numbers: FxHashMap<K, usize>,
    all: Vec<T>,
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Self {
            numbers: FxHashMap::default(),
            all: Vec::new(),
        }
    }
}

impl<K: std::hash::Hash + Eq, T> Table<K, T> {
    fn number(&mut self, key: K, thing: impl FnOnce() -> T) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(thing());
            self.all.len() - 1
        })
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// Numbers that follow each other are written by how far they are apart.
    at: u32,
    variable: u32,
    place: Option<Span>,
    names: Table<Arc<str>, Arc<str>>,
    words: Table<&'static str, &'static str>,
    /// By address: those of one call are shared.
    calls: Table<usize, Calls>,
}

// Every pattern names every field, so that a new one cannot be forgotten here.
impl Writer {
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn signed(&mut self, n: i64) {
        self.number(plain(n));
    }

    fn count(&mut self, n: usize) {
        self.number(n as u64);
    }

    fn flag(&mut self, flag: bool) {
        self.byte(flag.into());
    }

    fn name(&mut self, name: &Arc<str>) {
        let number = self.names.number(name.clone(), || name.clone());
        self.count(number);
    }

    fn word(&mut self, word: &'static str) {
        let number = self.words.number(word, || word);
        self.count(number);
    }

    fn span(&mut self, span: Span) {
        let Span { file, start, end } = span;
        let last = self.place.replace(span);
        let is_other = last.is_none_or(|last| last.file != file);
        let by = i64::from(start) - last.map_or(0, |last| i64::from(last.start));
        // The lowest bit tells whether the file is another.
        self.number(plain(by) << 1 | u64::from(is_other));
        if is_other {
            self.number(file.0.into());
        }
        self.signed(i64::from(end) - i64::from(start));
    }

    fn optional_span(&mut self, span: Option<Span>) {
        self.flag(span.is_some());
        if let Some(span) = span {
            self.span(span);
        }
    }

    fn scalar(&mut self, ty: Scalar) {
        match ty {
            Scalar::Bytes(n) => {
                self.byte(14);
                self.byte(n);
            }
            Scalar::Bool => self.byte(0),
            Scalar::I8 => self.byte(1),
            Scalar::U8 => self.byte(2),
            Scalar::I16 => self.byte(3),
            Scalar::U16 => self.byte(4),
            Scalar::I32 => self.byte(5),
            Scalar::U32 => self.byte(6),
            Scalar::I64 => self.byte(7),
            Scalar::U64 => self.byte(8),
            Scalar::F16 => self.byte(9),
            Scalar::BF16 => self.byte(10),
            Scalar::F32 => self.byte(11),
            Scalar::F64 => self.byte(12),
            Scalar::Pointer => self.byte(13),
        }
    }

    /// An expression, mostly one shortly before this one.
    fn id(&mut self, id: ExprId) {
        self.signed(i64::from(self.at) - i64::from(id.0));
    }

    /// An expression that a statement has, mostly one shortly after that of the last one.
    fn of_stmt(&mut self, id: ExprId) {
        self.id(id);
        self.at = id.0;
    }

    fn ids(&mut self, ids: &[ExprId]) {
        self.count(ids.len());
        ids.iter().for_each(|id| self.id(*id));
    }

    fn var(&mut self, VarId(id): VarId) {
        self.signed(i64::from(id) - i64::from(self.variable));
        self.variable = id;
    }

    fn optional_var(&mut self, id: Option<VarId>) {
        self.flag(id.is_some());
        if let Some(id) = id {
            self.var(id);
        }
    }

    fn vars(&mut self, ids: &[VarId]) {
        self.count(ids.len());
        ids.iter().for_each(|id| self.var(*id));
    }

    fn variable(&mut self, variable: &Variable) {
        let Variable { name, kind, span } = variable;
        self.name(name);
        match kind {
            VariableKind::Scalar(scalar) => self.scalar(*scalar),
            VariableKind::Object { size, align, holds } => {
                self.byte(15);
                self.number((*size).into());
                self.number((*align).into());
                self.byte(match holds {
                    Holds::Anything => 0,
                    Holds::Numbers => 1,
                    Holds::Argument => 2,
                });
            }
        }
        self.optional_span(*span);
    }

    fn stops(&mut self, stops: Stops) {
        self.number(stops.asm.into());
        self.number(stops.memory.into());
        self.number(stops.half.into());
    }

    fn site(&mut self, site: &Site) {
        let Site {
            span,
            line,
            definition,
            array,
            whole_align,
            member,
            stops,
            is_of_library,
            by_branch,
            of_packed,
            of_shared,
            inlined,
        } = site;
        self.span(*span);
        self.flag(line == span);
        if line != span {
            self.span(*line);
        }
        self.optional_span(*definition);
        self.name(array);
        self.number((*whole_align).into());
        self.flag(member.is_some());
        if let Some(member) = member {
            self.number(member.class);
            self.number(member.offset.into());
            self.number(member.size.into());
        }
        self.stops(*stops);
        self.flag(*is_of_library);
        self.flag(*by_branch);
        self.flag(*of_packed);
        self.flag(*of_shared);
        let number = self
            .calls
            .number(inlined.as_ptr() as usize, || inlined.clone());
        self.count(number);
        debug_assert_eq!(self.calls.all[number], *inlined);
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Int { value, ty } => {
                self.byte(0);
                self.signed(*value);
                self.scalar(*ty);
            }
            Expr::Float { bits, ty } => {
                self.byte(1);
                self.bytes.extend(bits.to_le_bytes());
                self.scalar(*ty);
            }
            Expr::Var(id) => {
                self.byte(2);
                self.var(*id);
            }
            Expr::Builtin(builtin) => {
                let (kind, axis) = match builtin {
                    BuiltinValue::ThreadIdx(axis) => (0, axis),
                    BuiltinValue::BlockIdx(axis) => (1, axis),
                    BuiltinValue::BlockDim(axis) => (2, axis),
                    BuiltinValue::GridDim(axis) => (3, axis),
                };
                self.byte(3);
                self.byte(kind * 3 + *axis as u8);
            }
            Expr::Unary { op, value, ty } => {
                self.byte(4);
                self.byte(match op {
                    Unary::Neg => 0,
                    Unary::Not => 1,
                    Unary::LogicalNot => 2,
                });
                self.id(*value);
                self.scalar(*ty);
            }
            Expr::Binary {
                op,
                left,
                right,
                ty,
            } => {
                self.byte(32 + binary(*op));
                self.id(*left);
                self.id(*right);
                self.scalar(*ty);
            }
            Expr::Select {
                condition,
                then,
                otherwise,
                ty,
            } => {
                self.byte(5);
                self.id(*condition);
                self.id(*then);
                self.id(*otherwise);
                self.scalar(*ty);
            }
            Expr::Cast { value, from, to } => {
                self.byte(6);
                self.id(*value);
                self.scalar(*from);
                self.scalar(*to);
            }
            Expr::Address(object) => {
                self.byte(7);
                match object {
                    Object::Local(id) => {
                        self.byte(0);
                        self.var(*id);
                    }
                    Object::Shared(id) => {
                        self.byte(1);
                        self.number(id.0.into());
                    }
                    Object::Global(id) => {
                        self.byte(2);
                        self.number(id.0.into());
                    }
                }
            }
            Expr::Offset {
                pointer,
                bytes,
                within,
            } => {
                self.byte(8 + u8::from(within.is_some()));
                self.id(*pointer);
                self.id(*bytes);
                if let Some(within) = within {
                    self.number((*within).into());
                }
            }
            Expr::Distance { left, right } => {
                self.byte(10);
                self.id(*left);
                self.id(*right);
            }
            Expr::Intrinsic {
                name,
                arguments,
                ty,
            } => {
                self.byte(11);
                self.word(name);
                self.ids(arguments);
                self.scalar(*ty);
            }
            Expr::Unknown {
                reason,
                inputs,
                is_varying,
                ty,
            } => {
                self.byte(12);
                self.name(reason);
                self.ids(inputs);
                self.flag(*is_varying);
                self.scalar(*ty);
            }
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        self.count(block.len());
        block.iter().for_each(|one| self.stmt(one));
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { variable, value } => {
                self.byte(0);
                self.var(*variable);
                self.of_stmt(*value);
            }
            Stmt::Load {
                target,
                pointer,
                ty,
                site,
                path,
            } => {
                self.byte(16 + way(*path));
                self.var(*target);
                self.of_stmt(*pointer);
                self.scalar(*ty);
                self.number(site.0.into());
            }
            Stmt::Store {
                pointer,
                value,
                ty,
                site,
                path,
            } => {
                let is_object = u8::from(matches!(value, Value::Object(_)));
                self.byte(24 + 8 * is_object + way(*path));
                match value {
                    Value::Scalar(value) => self.id(*value),
                    Value::Object(object) => self.var(*object),
                }
                self.of_stmt(*pointer);
                self.scalar(*ty);
                self.number(site.0.into());
            }
            Stmt::Atomic {
                target,
                pointer,
                op,
                operands,
                ty,
                site,
                instruction,
            } => {
                self.byte(1);
                self.optional_var(*target);
                self.id(*pointer);
                self.word(op);
                self.ids(operands);
                self.scalar(*ty);
                self.number(site.0.into());
                self.byte(match instruction {
                    None => 0,
                    Some(SharedAtomic::Increment) => 1,
                    Some(SharedAtomic::Combined) => 2,
                    Some(SharedAtomic::Native) => 3,
                    Some(SharedAtomic::CompareAndSwap) => 4,
                });
            }
            Stmt::Matrix {
                pointer,
                rows,
                is_store,
                site,
                targets,
            } => {
                self.byte(2);
                self.id(*pointer);
                self.number((*rows).into());
                self.flag(*is_store);
                self.number(site.0.into());
                self.vars(targets);
            }
            Stmt::OpaqueAccess {
                pointer,
                ty,
                op,
                site,
                reason,
            } => {
                self.byte(3);
                self.id(*pointer);
                self.scalar(*ty);
                self.flag(*op == OpaqueOp::Store);
                self.number(site.0.into());
                self.name(reason);
            }
            Stmt::If {
                condition,
                then,
                otherwise,
                span,
            } => {
                self.byte(4);
                self.of_stmt(*condition);
                self.span(*span);
                self.block(then);
                self.block(otherwise);
            }
            Stmt::Loop(inner) => {
                self.byte(5);
                self.cycle(inner);
            }
            Stmt::Labelled { label, body } => {
                self.byte(6);
                self.number(label.0.into());
                self.block(body);
            }
            Stmt::Exit(label) => {
                self.byte(7);
                self.number(label.0.into());
            }
            Stmt::Return => self.byte(8),
            Stmt::Barrier { kind, span } => {
                self.byte(9);
                self.byte(match kind {
                    Barrier::Block => 0,
                    Barrier::Warp => 1,
                    Barrier::Grid => 2,
                    Barrier::Fence => 3,
                });
                self.span(*span);
            }
            Stmt::Collective {
                target,
                op,
                arguments,
                ty,
                span,
            } => {
                self.byte(10);
                self.optional_var(*target);
                self.word(op);
                self.ids(arguments);
                self.scalar(*ty);
                self.span(*span);
            }
            Stmt::Assume { condition, span } => {
                self.byte(11);
                self.id(*condition);
                self.span(*span);
            }
            Stmt::Opaque {
                variables,
                pointers,
                reason,
                span,
            } => {
                self.byte(12);
                self.vars(variables);
                self.ids(pointers);
                self.name(reason);
                self.span(*span);
            }
        }
    }

    fn cycle(&mut self, inner: &Loop) {
        let Loop {
            id,
            pretest,
            prelude,
            condition,
            body,
            step,
            continue_label,
            break_label,
            stops,
            span,
        } = inner;
        self.number(id.0.into());
        self.flag(*pretest);
        self.stops(*stops);
        self.id(*condition);
        self.number(continue_label.0.into());
        self.number(break_label.0.into());
        self.span(*span);
        self.block(prelude);
        self.block(body);
        self.block(step);
    }
}

/// Small where `n` is near zero.
fn plain(n: i64) -> u64 {
    (n.cast_unsigned() << 1) ^ (n >> 63).cast_unsigned()
}

fn binary(op: Binary) -> u8 {
    match op {
        Binary::Add => 0,
        Binary::Sub => 1,
        Binary::Mul => 2,
        Binary::Div => 3,
        Binary::Rem => 4,
        Binary::Shl => 5,
        Binary::Shr => 6,
        Binary::And => 7,
        Binary::Or => 8,
        Binary::Xor => 9,
        Binary::Min => 10,
        Binary::Max => 11,
        Binary::Eq => 12,
        Binary::Ne => 13,
        Binary::Lt => 14,
        Binary::Le => 15,
        Binary::LogicalAnd => 16,
        Binary::LogicalOr => 17,
    }
}

fn way(path: Path) -> u8 {
    match path {
        Path::Plain => 0,
        Path::Volatile => 1,
        Path::ReadOnly => 2,
        Path::AsyncCopy => 3,
        Path::AsyncCopyPastL1 => 4,
    }
}
