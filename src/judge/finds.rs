//! Findings of a judge by class, and counts of what was compared.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A request costs other than its verdict says.
    Wrong,
    /// A request that no verdict speaks of.
    Missing,
    /// A verdict whose assumptions nothing meets.
    Vacuous,
    /// A sum over a block that is another.
    Sum,
    /// A launch that the program does and the list does not have.
    Launch,
    /// A fix that changes what a program does, or does not do what it promises.
    Fix,
    /// A file whose analysis does not end.
    Endless,
}

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Missing => "missing",
            Self::Vacuous => "vacuous",
            Self::Sum => "sum",
            Self::Launch => "launch",
            Self::Fix => "fix",
            Self::Endless => "endless",
        }
    }
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Clean,
    /// Something was found.
    Finds,
    /// Nothing was found, but not all was judged that should have been: the compiler rejects a file, a construct was
    /// never compared, or a program did not end within its limit. That is the judge's fault.
    Partial,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub class: Class,
    pub kernel: String,
    pub line: u32,
    pub message: String,
}

#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub runs: u64,
    pub dropped: u64,
    /// Requests that a verdict with bounds was held against.
    pub compared: u64,
    /// Requests under an assumption that they do not meet.
    pub left_out: u64,
    /// Requests of which the verdict is unknown or open.
    pub open: u64,
    /// Requests of functions that were not read, or that were merged into wider ones.
    pub unread: u64,
    pub sums: u64,
    pub launches: u64,
    pub fixes: u64,
    pub verdicts: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.dropped += other.dropped;
        self.compared += other.compared;
        self.left_out += other.left_out;
        self.open += other.open;
        self.unread += other.unread;
        self.sums += other.sums;
        self.launches += other.launches;
        self.fixes += other.fixes;
        self.verdicts += other.verdicts;
    }
}

#[derive(Debug, Default)]
pub struct Judgement {
    pub findings: Vec<Finding>,
    pub counts: Counts,
}
