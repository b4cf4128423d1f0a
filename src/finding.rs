//! A finding: what a rule says about an access, and the fix it offers.
//!
//! Plain data between rules and reports. Knows nothing of output formats.

use crate::gpu::Total;
use crate::source::{SourceMap, Span};
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Ordering;

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// Happens in every launch that the verdict speaks of.
    Proved,
    /// A witness shows it; other values of the symbols named avoid it.
    Possible,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    Allow,
    Info,
    Warn,
    Error,
}

#[derive(Clone, Debug)]
pub struct Finding {
    /// Stable code, `CL101`.
    pub code: &'static str,
    /// Readable name, `bank-conflict`.
    pub rule: &'static str,
    pub level: Level,
    pub evidence: Evidence,
    pub kernel: String,
    pub instance: String,
    /// The array or object concerned, as the user calls it.
    pub array: String,
    /// One sentence, first line of the diagnostic.
    pub message: String,
    /// Text of the caret line.
    pub primary: Label,
    pub secondary: Vec<Label>,
    /// Where what it concerns is declared.
    pub declaration: Option<Span>,
    /// Where the kernel comes to it: the call of the function that holds it, if one does.
    pub call: Option<Span>,
    /// Launch shape, proof status, assumptions, dependence.
    pub notes: Vec<Remark>,
    pub fixes: Vec<Fix>,
    /// Actual and ideal cost of the worst request (wavefronts or sectors).
    pub cost: u32,
    pub ideal: u32,
    /// What all of its requests come to in a block under the launch that it tells of, where that is
    /// known.
    pub per_block: Option<Total>,
    /// Larger is worse: excessive cost weighted by loop depth.
    pub weight: u64,
    /// Findings with the same cause, where reports tell of one of them only.
    pub siblings: Vec<Sibling>,
    /// Costs so little that only an edit makes a warning of it; asked for once edits are known.
    pub is_slight: bool,
}

/// One note of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub kind: RemarkKind,
    pub text: String,
}

/// Subject of a note, for reports that show some notes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RemarkKind {
    Other,
    /// How the cost depends on a symbol.
    Dependence,
    /// What the compiler is expected to make of neighbouring accesses.
    Merge,
    Launch,
    /// Requests and cost of a block or of a launch.
    Total,
    /// A baseline that accepts less.
    Ratchet,
}

impl RemarkKind {
    #[must_use]
    pub fn remark(self, text: String) -> Remark {
        Remark { kind: self, text }
    }
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        RemarkKind::Other.remark(text)
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A finding that another one stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sibling {
    pub span: Span,
    pub kernel: String,
    pub instance: String,
    pub message: String,
}

impl Finding {
    /// Findings are shown by file and place, then by code, then by what they are about: the order depends
    /// on no group of files.
    #[must_use]
    pub fn compare(&self, other: &Self, sources: &SourceMap) -> Ordering {
        let place = |one: &Self| {
            let span = one.primary.span;
            (span.start, span.end, one.code)
        };
        let (file, others) = (self.primary.span.file, other.primary.span.file);
        let by_file = match file == others {
            true => Ordering::Equal,
            false => sources.get(file).path.cmp(&sources.get(others).path),
        };
        by_file
            .then_with(|| place(self).cmp(&place(other)))
            .then_with(|| self.kernel.cmp(&other.kernel))
            .then_with(|| self.instance.cmp(&other.instance))
            .then_with(|| self.array.cmp(&other.array))
            .then_with(|| self.message.cmp(&other.message))
    }

    /// Gives back the memory behind its texts: a run keeps thousands of findings to its end.
    pub fn shrink(&mut self) {
        let Self {
            kernel,
            instance,
            array,
            message,
            primary,
            secondary,
            notes,
            fixes,
            ..
        } = self;
        let texts = [kernel, instance, array, message, &mut primary.text];
        let texts = texts
            .into_iter()
            .chain(notes.iter_mut().map(|note| &mut note.text));
        let texts = texts.chain(secondary.iter_mut().map(|label| &mut label.text));
        let titles = fixes.iter_mut().map(|fix| &mut fix.title);
        texts.chain(titles).for_each(String::shrink_to_fit);
        notes.shrink_to_fit();
        secondary.shrink_to_fit();
        fixes.shrink_to_fit();
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A change of the source that was re-proved before it was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// `pad to [TILE][TILE + 1]: proved conflict-free`.
    pub title: String,
    pub safety: Safety,
    /// Every access of what it changes is proved ideal afterwards.
    pub is_whole: bool,
    pub edits: Vec<Edit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Safety {
    Safe,
    /// Keeps values, but changes something else, such as the shared memory a block takes.
    Unsafe,
    /// Advice only, nothing to apply.
    Advice,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub span: Span,
    pub replacement: String,
}
