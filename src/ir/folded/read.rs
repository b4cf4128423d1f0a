//! Bytes to code: what [`super::write`] wrote, in the same order.

use super::{Code, Folded};
use crate::gpu::cost::SharedAtomic;
use crate::ir::{
    Axis, Barrier, Binary, Block, BuiltinValue, Expr, ExprId, GlobalId, Holds, LabelId, Loop,
    LoopId, MemberTag, Object, OpaqueOp, Path, Scalar, SharedId, Site, SiteId, Stmt, Stops, Unary,
    Value, VarId, Variable, VariableKind,
};
use crate::source::{FileId, Span};
use std::sync::Arc;

pub(super) fn unfolded(folded: &Folded) -> Code {
    let mut reader = Reader {
        folded,
        next: 0,
        at: 0,
        variable: 0,
        place: None,
    };
    let variables = reader.list(Reader::variable);
    let sites = reader.list(Reader::site);
    let mut at = 0;
    let exprs = reader.list(|reader| {
        reader.at = at;
        at += 1;
        reader.expr()
    });
    Code {
        variables,
        sites,
        exprs,
        body: reader.block(),
    }
}

const SCALARS: [Scalar; 14] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F16,
    Scalar::BF16,
    Scalar::F32,
    Scalar::F64,
    Scalar::Pointer,
];

const BINARIES: [Binary; 18] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Shl,
    Binary::Shr,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Min,
    Binary::Max,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::LogicalAnd,
    Binary::LogicalOr,
];

const PATHS: [Path; 5] = [
    Path::Plain,
    Path::Volatile,
    Path::ReadOnly,
    Path::AsyncCopy,
    Path::AsyncCopyPastL1,
];

struct Reader<'a> {
    folded: &'a Folded,
    next: usize,
    at: u32,
    variable: u32,
    place: Option<Span>,
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        let byte = self.folded.bytes[self.next];
        self.next += 1;
        byte
    }

    fn number(&mut self) -> u64 {
        let mut n = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return n;
            }
            shift += 7;
        }
    }

    fn signed(&mut self) -> i64 {
        signed(self.number())
    }

    fn short(&mut self) -> u32 {
        self.number() as u32
    }

    fn flag(&mut self) -> bool {
        self.byte() == 1
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.number() as usize;
        (0..count).map(|_| one(self)).collect()
    }

    fn name(&mut self) -> Arc<str> {
        let number = self.number() as usize;
        self.folded.names[number].clone()
    }

    fn word(&mut self) -> &'static str {
        let number = self.number() as usize;
        self.folded.words[number]
    }

    fn span(&mut self) -> Span {
        let first = self.number();
        let by = signed(first >> 1);
        let is_other = first & 1 == 1;
        let file = if is_other {
            FileId(self.short())
        } else {
            self.place.map_or(FileId(0), |last| last.file)
        };
        let last = self.place.map_or(0, |last| last.start);
        let start = (i64::from(last) + by) as u32;
        let end = (i64::from(start) + self.signed()) as u32;
        let span = Span::new(file, start, end);
        self.place = Some(span);
        span
    }

    fn optional_span(&mut self) -> Option<Span> {
        self.flag().then(|| self.span())
    }

    fn scalar(&mut self) -> Scalar {
        let byte = self.byte();
        self.scalar_of(byte)
    }

    fn scalar_of(&mut self, byte: u8) -> Scalar {
        match SCALARS.get(usize::from(byte)) {
            Some(scalar) => *scalar,
            None => Scalar::Bytes(self.byte()),
        }
    }

    fn id(&mut self) -> ExprId {
        ExprId((i64::from(self.at) - self.signed()) as u32)
    }

    fn of_stmt(&mut self) -> ExprId {
        let id = self.id();
        self.at = id.0;
        id
    }

    fn var(&mut self) -> VarId {
        self.variable = (i64::from(self.variable) + self.signed()) as u32;
        VarId(self.variable)
    }

    fn optional_var(&mut self) -> Option<VarId> {
        self.flag().then(|| self.var())
    }

    fn site_id(&mut self) -> SiteId {
        SiteId(self.short())
    }

    fn label(&mut self) -> LabelId {
        LabelId(self.short())
    }

    fn variable(&mut self) -> Variable {
        let name = self.name();
        let kind = match self.byte() {
            15 => VariableKind::Object {
                size: self.short(),
                align: self.short(),
                holds: match self.byte() {
                    1 => Holds::Numbers,
                    2 => Holds::Argument,
                    _ => Holds::Anything,
                },
            },
            byte => VariableKind::Scalar(self.scalar_of(byte)),
        };
        let span = self.optional_span();
        Variable { name, kind, span }
    }

    fn stops(&mut self) -> Stops {
        Stops {
            asm: self.short(),
            memory: self.short(),
            half: self.short(),
        }
    }

    fn site(&mut self) -> Site {
        let span = self.span();
        let line = if self.flag() { span } else { self.span() };
        Site {
            span,
            line,
            definition: self.optional_span(),
            array: self.name(),
            whole_align: self.short(),
            member: self.flag().then(|| MemberTag {
                class: self.number(),
                offset: self.short(),
                size: self.short(),
            }),
            stops: self.stops(),
            is_of_library: self.flag(),
            by_branch: self.flag(),
            of_packed: self.flag(),
            of_shared: self.flag(),
            inlined: {
                let number = self.number() as usize;
                self.folded.calls[number].clone()
            },
        }
    }

    // Fields are read in the order in which they are written.
    fn expr(&mut self) -> Expr {
        match self.byte() {
            0 => Expr::Int {
                value: self.signed(),
                ty: self.scalar(),
            },
            1 => Expr::Float {
                bits: u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
                ty: self.scalar(),
            },
            2 => Expr::Var(self.var()),
            3 => {
                let byte = self.byte();
                let axis = [Axis::X, Axis::Y, Axis::Z][usize::from(byte % 3)];
                Expr::Builtin(match byte / 3 {
                    0 => BuiltinValue::ThreadIdx(axis),
                    1 => BuiltinValue::BlockIdx(axis),
                    2 => BuiltinValue::BlockDim(axis),
                    _ => BuiltinValue::GridDim(axis),
                })
            }
            4 => Expr::Unary {
                op: match self.byte() {
                    0 => Unary::Neg,
                    1 => Unary::Not,
                    _ => Unary::LogicalNot,
                },
                value: self.id(),
                ty: self.scalar(),
            },
            5 => Expr::Select {
                condition: self.id(),
                then: self.id(),
                otherwise: self.id(),
                ty: self.scalar(),
            },
            6 => Expr::Cast {
                value: self.id(),
                from: self.scalar(),
                to: self.scalar(),
            },
            7 => Expr::Address(match self.byte() {
                0 => Object::Local(self.var()),
                1 => Object::Shared(SharedId(self.short())),
                _ => Object::Global(GlobalId(self.short())),
            }),
            byte @ (8 | 9) => Expr::Offset {
                pointer: self.id(),
                bytes: self.id(),
                within: (byte == 9).then(|| self.short()),
            },
            10 => Expr::Distance {
                left: self.id(),
                right: self.id(),
            },
            11 => Expr::Intrinsic {
                name: self.word(),
                arguments: self.list(Self::id),
                ty: self.scalar(),
            },
            12 => Expr::Unknown {
                reason: self.name(),
                inputs: self.list(Self::id),
                is_varying: self.flag(),
                ty: self.scalar(),
            },
            byte => Expr::Binary {
                op: BINARIES[usize::from(byte - 32)],
                left: self.id(),
                right: self.id(),
                ty: self.scalar(),
            },
        }
    }

    fn block(&mut self) -> Block {
        self.list(Self::stmt)
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn stmt(&mut self) -> Stmt {
        match self.byte() {
            0 => Stmt::Assign {
                variable: self.var(),
                value: self.of_stmt(),
            },
            1 => Stmt::Atomic {
                target: self.optional_var(),
                pointer: self.id(),
                op: self.word(),
                operands: self.list(Self::id),
                ty: self.scalar(),
                site: self.site_id(),
                instruction: match self.byte() {
                    0 => None,
                    1 => Some(SharedAtomic::Increment),
                    2 => Some(SharedAtomic::Combined),
                    3 => Some(SharedAtomic::Native),
                    _ => Some(SharedAtomic::CompareAndSwap),
                },
            },
            2 => Stmt::Matrix {
                pointer: self.id(),
                rows: self.short(),
                is_store: self.flag(),
                site: self.site_id(),
                targets: self.list(Self::var),
            },
            3 => Stmt::OpaqueAccess {
                pointer: self.id(),
                ty: self.scalar(),
                op: if self.flag() {
                    OpaqueOp::Store
                } else {
                    OpaqueOp::Load
                },
                site: self.site_id(),
                reason: self.name(),
            },
            4 => Stmt::If {
                condition: self.of_stmt(),
                span: self.span(),
                then: self.block(),
                otherwise: self.block(),
            },
            5 => Stmt::Loop(Box::new(self.cycle())),
            6 => Stmt::Labelled {
                label: self.label(),
                body: self.block(),
            },
            7 => Stmt::Exit(self.label()),
            8 => Stmt::Return,
            9 => Stmt::Barrier {
                kind: match self.byte() {
                    0 => Barrier::Block,
                    1 => Barrier::Warp,
                    2 => Barrier::Grid,
                    _ => Barrier::Fence,
                },
                span: self.span(),
            },
            10 => Stmt::Collective {
                target: self.optional_var(),
                op: self.word(),
                arguments: self.list(Self::id),
                ty: self.scalar(),
                span: self.span(),
            },
            11 => Stmt::Assume {
                condition: self.id(),
                span: self.span(),
            },
            12 => Stmt::Opaque {
                variables: self.list(Self::var),
                pointers: self.list(Self::id),
                reason: self.name(),
                span: self.span(),
            },
            byte @ 16..24 => Stmt::Load {
                target: self.var(),
                pointer: self.of_stmt(),
                ty: self.scalar(),
                site: self.site_id(),
                path: PATHS[usize::from(byte - 16)],
            },
            byte => Stmt::Store {
                value: if byte < 32 {
                    Value::Scalar(self.id())
                } else {
                    Value::Object(self.var())
                },
                pointer: self.of_stmt(),
                ty: self.scalar(),
                site: self.site_id(),
                path: PATHS[usize::from((byte - 24) % 8)],
            },
        }
    }

    fn cycle(&mut self) -> Loop {
        Loop {
            id: LoopId(self.short()),
            pretest: self.flag(),
            stops: self.stops(),
            condition: self.id(),
            continue_label: self.label(),
            break_label: self.label(),
            span: self.span(),
            prelude: self.block(),
            body: self.block(),
            step: self.block(),
        }
    }
}

fn signed(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -((n & 1).cast_signed())
}
