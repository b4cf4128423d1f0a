//! The name of an instruction taken apart: `ld.global.nc.v4.f32`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Unsigned,
    Signed,
    Bits,
    Float,
    /// The other half-precision format: eight bits of exponent.
    Brain,
    Predicate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub kind: Kind,
    pub bits: u32,
    /// `f16x2`, `bf16x2`, `u16x2`, `s16x2`
    pub is_pair: bool,
}

impl Type {
    pub const NONE: Type = Type {
        kind: Kind::Bits,
        bits: 0,
        is_pair: false,
    };
    pub const U32: Type = Type {
        kind: Kind::Unsigned,
        bits: 32,
        is_pair: false,
    };
    pub const U64: Type = Type {
        kind: Kind::Unsigned,
        bits: 64,
        is_pair: false,
    };

    #[must_use]
    pub fn parse(text: &str) -> Option<Type> {
        let (text, is_pair) = match text.strip_suffix("x2") {
            Some(half) => (half, true),
            None => (text, false),
        };
        if text == "pred" {
            return Some(Type {
                kind: Kind::Predicate,
                bits: 1,
                is_pair,
            });
        }
        if text == "tf32" {
            return Some(Type {
                kind: Kind::Float,
                bits: 32,
                is_pair,
            });
        }
        if let Some(bits) = text.strip_prefix("bf") {
            return (bits == "16").then_some(Type {
                kind: Kind::Brain,
                bits: if is_pair { 32 } else { 16 },
                is_pair,
            });
        }
        let kind = match text.as_bytes().first()? {
            b'u' => Kind::Unsigned,
            b's' => Kind::Signed,
            b'b' => Kind::Bits,
            b'f' => Kind::Float,
            _ => return None,
        };
        let bits: u32 = text[1..].parse().ok()?;
        let bits = if is_pair { bits * 2 } else { bits };
        matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(Type {
            kind,
            bits,
            is_pair,
        })
    }

    #[must_use]
    pub fn bytes(self) -> usize {
        (self.bits as usize).div_ceil(8)
    }

    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Brain)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Const,
    Parameter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    IsNumber,
    IsNan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    None,
    /// To an integer: nearest even, zero, down, up.
    Nearest,
    Zero,
    Down,
    Up,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Move,
    Convert,
    /// `cvta` and `cvta.to`
    ToGeneric,
    FromGeneric,
    Load,
    Store,
    Prefetch,
    Add,
    Sub,
    Mul,
    MulAdd,
    Div,
    Rem,
    Neg,
    Abs,
    Min,
    Max,
    And,
    Or,
    Xor,
    Not,
    LogicalNot,
    ShiftLeft,
    ShiftRight,
    FunnelShift,
    SetPredicate,
    Set,
    Select,
    SelectBySign,
    Mul24,
    MulAdd24,
    Sad,
    CountOnes,
    LeadingZeros,
    ReverseBits,
    FindBit,
    ExtractBits,
    InsertBits,
    Permute,
    NthSetBit,
    Logic3,
    SquareRoot,
    InverseSquareRoot,
    Reciprocal,
    Sine,
    Cosine,
    Log2,
    Exp2,
    Tanh,
    TestProperty,
    CopySign,
    IsSpace,
    Dot4,
    Dot2,
    Branch,
    BranchTable,
    Call,
    Return,
    Exit,
    Trap,
    Barrier,
    BarrierArrive,
    BarrierReduce,
    Shuffle,
    Vote,
    Match,
    ActiveMask,
    ReduceLanes,
    Elect,
    Atomic,
    CopyAsync,
    /// Fragments of matrices in shared or global memory; where each lane reads is not fixed by the text.
    Matrix,
    /// Writes what nobody can say; addresses rarely depend on it.
    MadeUp,
    /// Fences, hints and waits.
    Nothing,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Low,
    High,
    Wide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    Exchange,
    CompareAndSwap,
    Count,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    pub code: Code,
    pub ty: Type,
    /// The source type of a conversion or comparison.
    pub source: Type,
    pub space: Space,
    /// Elements of a vector access.
    pub vector: usize,
    pub compare: Compare,
    /// `setp.lt.and`: combined with a further predicate.
    pub combine: Option<Combine>,
    pub half: Half,
    pub rounding: Rounding,
    pub shuffle: ShuffleMode,
    pub is_saturated: bool,
    pub carries_in: bool,
    pub carries_out: bool,
    /// `shf.l`, `bfind.shiftamt`, `vote.all`, `match.any`, `prmt` modes and the like.
    pub variant: &'static str,
    /// For reasons: the name as it was read.
    pub name: String,
}

impl Operation {
    #[must_use]
    pub fn unknown(text: &str) -> Operation {
        Operation {
            code: Code::Unknown,
            name: text.split_whitespace().next().unwrap_or("").to_owned(),
            ..Operation::blank()
        }
    }

    fn blank() -> Operation {
        Operation {
            code: Code::Unknown,
            ty: Type::NONE,
            source: Type::NONE,
            space: Space::Generic,
            vector: 1,
            compare: Compare::Equal,
            combine: None,
            half: Half::Low,
            rounding: Rounding::None,
            shuffle: ShuffleMode::Index,
            is_saturated: false,
            carries_in: false,
            carries_out: false,
            variant: "",
            name: String::new(),
        }
    }

    #[must_use]
    pub fn is_branch(&self) -> bool {
        matches!(self.code, Code::Branch | Code::BranchTable)
    }
}

const VARIANTS: [&str; 24] = [
    "l",
    "r",
    "clamp",
    "wrap",
    "shiftamt",
    "all",
    "any",
    "uni",
    "ballot",
    "f4e",
    "b4e",
    "rc8",
    "ecl",
    "ecr",
    "rc16",
    "finite",
    "infinite",
    "number",
    "notanumber",
    "normal",
    "subnormal",
    "global",
    "shared",
    "local",
];

/// What `name` says. What it does not know is an operation that stops a run.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a match over the language")]
pub fn decode(name: &str) -> Operation {
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or("");
    let rest: Vec<&str> = parts.collect();
    let has = |word: &str| rest.contains(&word);
    let mut out = Operation {
        name: name.to_owned(),
        ..Operation::blank()
    };
    let types: Vec<Type> = rest.iter().filter_map(|part| Type::parse(part)).collect();
    out.ty = types.first().copied().unwrap_or(Type::NONE);
    out.source = types.get(1).copied().unwrap_or(out.ty);
    for part in &rest {
        match *part {
            "global" => out.space = Space::Global,
            "shared" | "shared::cta" | "shared::cluster" => out.space = Space::Shared,
            "local" => out.space = Space::Local,
            "const" => out.space = Space::Const,
            "param" | "param::entry" | "param::func" => out.space = Space::Parameter,
            "v2" => out.vector = 2,
            "v4" => out.vector = 4,
            "v8" => out.vector = 8,
            "eq" | "equ" => out.compare = Compare::Equal,
            "ne" | "neu" => out.compare = Compare::NotEqual,
            "lt" | "ltu" | "lo" if first.starts_with("set") => out.compare = Compare::Less,
            "le" | "leu" | "ls" => out.compare = Compare::LessEqual,
            "gt" | "gtu" => out.compare = Compare::Greater,
            "hi" if first.starts_with("set") => out.compare = Compare::Greater,
            "ge" | "geu" | "hs" => out.compare = Compare::GreaterEqual,
            "num" => out.compare = Compare::IsNumber,
            "nan" => out.compare = Compare::IsNan,
            "hi" => out.half = Half::High,
            "wide" => out.half = Half::Wide,
            "sat" => out.is_saturated = true,
            "cc" => out.carries_out = true,
            "rni" | "rn" => out.rounding = Rounding::Nearest,
            "rzi" | "rz" => out.rounding = Rounding::Zero,
            "rmi" | "rm" => out.rounding = Rounding::Down,
            "rpi" | "rp" => out.rounding = Rounding::Up,
            "up" => out.shuffle = ShuffleMode::Up,
            "down" => out.shuffle = ShuffleMode::Down,
            "bfly" => out.shuffle = ShuffleMode::Butterfly,
            "idx" => out.shuffle = ShuffleMode::Index,
            "add" => out.combine = Some(Combine::Add),
            "min" => out.combine = Some(Combine::Min),
            "max" => out.combine = Some(Combine::Max),
            "and" => out.combine = Some(Combine::And),
            "or" => out.combine = Some(Combine::Or),
            "xor" => out.combine = Some(Combine::Xor),
            "inc" => out.combine = Some(Combine::Increment),
            "dec" => out.combine = Some(Combine::Decrement),
            "exch" => out.combine = Some(Combine::Exchange),
            "cas" => out.combine = Some(Combine::CompareAndSwap),
            "popc" => out.combine = Some(Combine::Count),
            _ => {}
        }
    }
    let variant = VARIANTS.iter().find(|one| has(one));
    out.variant = variant.copied().unwrap_or("");
    out.code = match first {
        "mov" => Code::Move,
        "cvt" if has("pack") || types.len() > 2 || has_packed_float(&rest) => Code::MadeUp,
        "cvt" => Code::Convert,
        "cvta" if has("to") => Code::FromGeneric,
        "cvta" => Code::ToGeneric,
        "ld" | "ldu" => Code::Load,
        "st" if has("async") || has("bulk") => Code::Unknown,
        "st" => Code::Store,
        "prefetch" | "prefetchu" | "applypriority" | "discard" => Code::Prefetch,
        "add" | "addc" => Code::Add,
        "sub" | "subc" => Code::Sub,
        "mul" => Code::Mul,
        "mad" | "madc" | "fma" => Code::MulAdd,
        "div" => Code::Div,
        "rem" => Code::Rem,
        "neg" => Code::Neg,
        "abs" => Code::Abs,
        "min" => Code::Min,
        "max" => Code::Max,
        "and" => Code::And,
        "or" => Code::Or,
        "xor" => Code::Xor,
        "not" => Code::Not,
        "cnot" => Code::LogicalNot,
        "shl" => Code::ShiftLeft,
        "shr" => Code::ShiftRight,
        "shf" => Code::FunnelShift,
        "setp" => Code::SetPredicate,
        "set" => Code::Set,
        "selp" => Code::Select,
        "slct" => Code::SelectBySign,
        "mul24" => Code::Mul24,
        "mad24" => Code::MulAdd24,
        "sad" => Code::Sad,
        "popc" => Code::CountOnes,
        "clz" => Code::LeadingZeros,
        "brev" => Code::ReverseBits,
        "bfind" => Code::FindBit,
        "bfe" => Code::ExtractBits,
        "bfi" => Code::InsertBits,
        "prmt" => Code::Permute,
        "fns" => Code::NthSetBit,
        "lop3" => Code::Logic3,
        "sqrt" => Code::SquareRoot,
        "rsqrt" => Code::InverseSquareRoot,
        "rcp" => Code::Reciprocal,
        "sin" => Code::Sine,
        "cos" => Code::Cosine,
        "lg2" => Code::Log2,
        "ex2" => Code::Exp2,
        "tanh" => Code::Tanh,
        "testp" => Code::TestProperty,
        "copysign" => Code::CopySign,
        "isspacep" => Code::IsSpace,
        "dp4a" => Code::Dot4,
        "dp2a" => Code::Dot2,
        "bra" => Code::Branch,
        "brx" => Code::BranchTable,
        "call" => Code::Call,
        "ret" => Code::Return,
        "exit" => Code::Exit,
        "trap" => Code::Trap,
        "bar" | "barrier" if has("warp") => Code::Nothing,
        "barrier" if has("cluster") => Code::Nothing,
        "bar" | "barrier" if has("red") => Code::BarrierReduce,
        "bar" | "barrier" if has("arrive") => Code::BarrierArrive,
        "bar" | "barrier" => Code::Barrier,
        "shfl" => Code::Shuffle,
        "vote" => Code::Vote,
        "match" => Code::Match,
        "activemask" => Code::ActiveMask,
        "redux" => Code::ReduceLanes,
        "elect" => Code::Elect,
        "atom" | "red" if has("async") => Code::Unknown,
        "atom" | "red" => Code::Atomic,
        "cp" if has("async") && (has("ca") || has("cg")) => Code::CopyAsync,
        "cp" if has("commit_group") || has("wait_group") || has("wait_all") => Code::Nothing,
        "ldmatrix" | "stmatrix" => Code::Matrix,
        "wmma" | "mma" if has("load") || has("store") => Code::Matrix,
        "wmma" | "mma" | "tex" | "tld4" | "suld" | "txq" | "suq" | "movmatrix" | "createpolicy" => {
            Code::MadeUp
        }
        "membar" | "fence" | "nanosleep" | "pmevent" | "griddepcontrol" | "setmaxnreg"
        | "brkpt" | "sust" => Code::Nothing,
        _ => Code::Unknown,
    };
    out.carries_in = matches!(first, "addc" | "subc" | "madc");
    match out.code {
        // `set` and `setp` name the type of what is compared last.
        Code::SetPredicate => out.source = out.ty,
        Code::ToGeneric | Code::FromGeneric if out.ty.bits == 0 => out.ty = Type::U64,
        _ => {}
    }
    out
}

/// Formats of eight bits and less.
fn has_packed_float(rest: &[&str]) -> bool {
    rest.iter().any(|part| {
        part.starts_with("e4m3")
            || part.starts_with("e5m2")
            || part.starts_with("e2m")
            || part.starts_with("ue8")
    })
}
