//! What is predicted of a plan's launches, line by line, and what a compiler may make of it.

use crate::gpu::{Op, Space};

/// Predictions for a plan's launches, by label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prediction {
    pub launches: Vec<PredictedLaunch>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedLaunch {
    pub label: String,
    /// Kernel, template arguments and block: launches that agree in it share findings.
    pub instance: String,
    /// [`super::plan::fingerprint`] of the source as compiled.
    pub source: u64,
    pub lines: Vec<PredictedLine>,
    /// Name and [`super::plan::fingerprint`] of each buffer after the launch, where known.
    pub outputs: Vec<(String, u64)>,
    /// Why the simulator says nothing of it.
    pub silent: Option<String>,
}

/// Requests, summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub requests: u64,
    /// Wavefronts or sectors.
    pub cost: u64,
    /// Their ideal.
    pub ideal: u64,
}

/// All requests of one launch at one line, one space and operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedLine {
    pub file: String,
    /// 1-based.
    pub line: u32,
    pub space: Space,
    pub op: Op,
    pub totals: Totals,
    /// The same accesses as a compiler may make them.
    pub alternatives: Vec<Alternative>,
    /// Wide accesses that a compiler may make of this line's and another line's.
    pub joined: Vec<Joined>,
    /// What the prover says; `None` where it was not asked or says nothing.
    pub finding: Option<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    pub how: How,
    pub totals: Totals,
}

/// Neighbours in memory from two lines, made one access of twice the width each: the wide ones
/// stand at one of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The other line, of the same file, space and operation.
    pub other: u32,
    /// Bytes of the wide accesses.
    pub width: u32,
    pub wide: Totals,
    /// What this line makes beside them.
    pub left: Totals,
}

/// Effects of a compiler on accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// What a thread reads or writes again is dropped.
    Once,
    /// Neighbours become accesses of so many bytes.
    Merged(u32),
    OnceMerged(u32),
    /// Some became one with those of another line, and stand here.
    With(u32),
    /// Some became one with those of another line, and stand there.
    At(u32),
}

impl How {
    pub(super) fn words(self) -> String {
        match self {
            How::Once => "agrees, repeated accesses dropped by the compiler".to_owned(),
            How::Merged(width) => {
                format!("agrees, merged by the compiler into accesses of {width} bytes")
            }
            How::OnceMerged(width) => format!(
                "agrees, repeated accesses dropped and the others merged into {width} bytes by the compiler"
            ),
            How::With(line) => {
                format!("agrees, some merged by the compiler with those of line {line}")
            }
            How::At(line) => {
                format!("agrees, some merged by the compiler into those of line {line}")
            }
        }
    }
}

/// What the prover says of a line's accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    Ideal,
    /// Data-dependent or unknown.
    Open,
    /// Some request costs more than its ideal.
    Bad,
}
