//! Launches: what is known of each, and where host code has it.

use super::residue::Residue;
use crate::source::Span;
use std::sync::Arc;

/// A place in host code that launches a kernel, with what is known of the launch.
#[derive(Clone, Debug)]
pub struct LaunchSite {
    /// With namespaces where the run defines the kernel, else as the launch names it.
    pub kernel: String,
    /// `<float, 16>`; empty for a kernel that is no template, or where `problem` is set.
    pub instance: String,
    /// The kernel's name in its definition, where the run has it.
    pub defined: Option<Span>,
    /// [`Launch::span`] is the place.
    pub launch: Launch,
    /// Other places that launch the same.
    pub also: Vec<Span>,
    pub written: Written,
    /// Names of the kernel's parameters; empty where there is none.
    pub parameters: Vec<String>,
    /// Why the kernel or its template arguments are not known, as a clause.
    pub problem: Option<Arc<str>>,
}

/// The expressions of a launch, for messages.
#[derive(Clone, Debug, Default)]
pub struct Written {
    pub arguments: Vec<Arc<str>>,
    pub dynamic_shared: Option<Arc<str>>,
}

/// One way a kernel is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub grid: [Dimension; 3],
    pub block: [Dimension; 3],
    /// Bytes; `None` where unknown.
    pub dynamic_shared: Option<u64>,
    /// As many as parameters; shorter where the call could not be read.
    pub arguments: Vec<Argument>,
    /// Pointers in objects and in memory that host code may have moved.
    pub moved: Vec<MovedPointer>,
    pub source: LaunchSource,
    pub span: Option<Span>,
}

impl Launch {
    /// Whether the kernel runs as it does under the other, dynamic shared memory aside.
    #[must_use]
    pub fn runs_like(&self, other: &Self) -> bool {
        (&self.block, &self.grid, &self.arguments) == (&other.block, &other.grid, &other.arguments)
            && self.moved == other.moved
    }
}

/// A pointer that a kernel finds in an object or in memory, which the text may move away from the start
/// of its allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MovedPointer {
    /// The member that holds it; empty for elements of arrays.
    pub member: Arc<str>,
    /// Bytes of what it points to; 0 where unknown.
    pub element: u32,
}

/// Threads of a warp.
const WARP: u64 = crate::gpu::WARP as u64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    Const(u64),
    /// The expression as the host code has it.
    Unknown(Arc<str>),
    /// Not known, but the text shows that it is no multiple of a warp: the expression, or the numbers.
    Uneven(Arc<str>),
}

impl Dimension {
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        match self {
            Self::Const(n) => Some(*n),
            Self::Unknown(_) | Self::Uneven(_) => None,
        }
    }

    /// Whether it may be a number that is no multiple of a warp, as far as the text shows.
    #[must_use]
    pub fn is_uneven(&self) -> bool {
        match self {
            Self::Const(n) => n % WARP != 0,
            Self::Unknown(_) => false,
            Self::Uneven(_) => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Int(i64),
    Float(f64),
    /// A pointer into an allocation, so many bytes after its start.
    Pointer {
        offset: Residue,
        /// Whether the text does not show the allocation, so that its start is a guess.
        is_assumed: bool,
    },
    Unknown,
    /// Not known either; but on the way to the launch host code compares what it computes from it with
    /// constants, so that not every value gets there.
    Narrowed,
}

impl Argument {
    /// A pointer to any place in an allocation.
    pub const OPEN_POINTER: Self = Self::Pointer {
        offset: Residue::ANY,
        is_assumed: true,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchSource {
    Launch,
    Directive,
    Config,
    Bounds,
    Assumed,
}

impl LaunchSource {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Directive => "directive",
            Self::Config => "config",
            Self::Bounds => "bounds",
            Self::Assumed => "assumed",
        }
    }
}
