//! PTX, the vendor compiler's output: read, and run block by block on made-up inputs.
//!
//! Given: the text that NVRTC wrote. Gives: every request of every warp with the source line that it
//! comes from. Knows nothing of CUDA's own text, nor of how verdicts come about.
//!
//! [`read`] makes a [`Module`] of the text, [`operation`] says what an instruction's name means,
//! [`flow`] where lanes meet again, [`lanes`] computes, [`memory`] holds bytes and makes up those
//! that nobody wrote, and [`machine`] runs one block.

pub mod flow;
pub mod lanes;
pub mod machine;
pub mod memory;
pub mod operation;
pub mod read;
#[cfg(test)]
mod tests;

use operation::{Operation, Space, Type};
use std::collections::{BTreeMap, HashMap};

/// Definitions of one PTX text.
#[derive(Debug, Default)]
pub struct Module {
    /// By the number that `.loc` gives.
    pub files: BTreeMap<u32, String>,
    pub functions: Vec<Function>,
    pub variables: Vec<Variable>,
    by_name: HashMap<String, usize>,
}

impl Module {
    /// The function of that name, with its body if the text has one.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub has_body: bool,
    /// Parameters and what is returned, as places in `slots`.
    pub parameters: Vec<usize>,
    pub returns: Vec<usize>,
    pub slots: Vec<Slot>,
    pub registers: usize,
    /// By register: whether an instruction reads it.
    pub is_read: Vec<bool>,
    pub local_bytes: u64,
    /// `.local` arrays: where they begin in the function's part of the stack, and their size.
    pub locals: Vec<(u64, u64)>,
    pub code: Vec<Instruction>,
    /// Where lanes that part at an instruction meet again; only branches have an entry.
    pub meets: HashMap<usize, usize>,
}

/// Memory of kind `.param`: a parameter, an argument or a returned value.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    pub ty: Type,
    pub bytes: usize,
    pub is_array: bool,
}

/// A variable of the module, or an array of shared memory in a function.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub space: Space,
    pub align: u64,
    pub bytes: u64,
    /// Without a size of its own: the launch gives it.
    pub is_dynamic: bool,
    pub start: Vec<u8>,
    /// Addresses of other variables that stand in `start`: offset, name, offset from there.
    pub addresses: Vec<(usize, String, i64)>,
}

#[derive(Clone, Debug)]
pub struct Instruction {
    /// A predicate, and whether it is negated.
    pub guard: Option<(u32, bool)>,
    pub operation: Operation,
    pub operands: Vec<Operand>,
    pub place: DebugLine,
}

/// Where the source has what an instruction does; line 0 where the compiler does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DebugLine {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Register(u32),
    /// `!%p1`
    Not(u32),
    /// Bits of a number, as many as the type asks for.
    Number(u64),
    Special(Special),
    /// A place in the slots of the function.
    Slot(usize),
    /// A `.local` array, by its offset.
    Local(u64),
    /// A variable or a function of the module.
    Symbol(String),
    /// `[base + offset]`
    Memory(Box<Operand>, i64),
    Vector(Vec<Operand>),
    /// `%r1|%p1`
    Pair(Box<Operand>, Box<Operand>),
    /// An instruction of the same function.
    Label(usize),
    List(Vec<Operand>),
    /// `_`
    Nothing,
}

/// Registers that the machine sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    Thread(u8),
    Block(u8),
    BlockSize(u8),
    GridSize(u8),
    Lane,
    Warp,
    Warps,
    LaneMaskEqual,
    LaneMaskLess,
    LaneMaskLessEqual,
    LaneMaskGreater,
    LaneMaskGreaterEqual,
    Clock,
    DynamicShared,
    WarpSize,
    /// What has the value 1 where there is one block to a cluster.
    One,
    Zero,
}
