//! Instances of each kernel, counted: what is over a limit is left out, and said.

use super::super::Options;
use crate::ir::{NotAnalysed, Omission};
use crate::source::{SourceMap, Span};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many instances of each kernel a run has, by the place of its name and the name itself. A header has a number of its own
/// in each unit that includes it, but one path.
#[derive(Default)]
pub(in crate::lower) struct Counts(BTreeMap<(PathBuf, u32, String), Count>);

/// The instances of one kernel.
pub(super) struct Count {
    function: String,
    span: Span,
    lowered: usize,
    /// Over a limit.
    pub left_out: usize,
}

impl Counts {
    /// The count of the kernel named in `span`.
    pub(super) fn of(&mut self, span: Span, name: &str, sources: &SourceMap) -> &mut Count {
        let path = sources.get(span.file).path.clone();
        self.0
            .entry((path, span.start, name.to_owned()))
            .or_insert_with(|| Count {
                function: name.to_owned(),
                span,
                lowered: 0,
                left_out: 0,
            })
    }

    /// What is said of those that were left out.
    pub fn left_out(self, options: &Options) -> impl Iterator<Item = NotAnalysed> {
        let (in_file, in_all) = (options.max_instances, options.max_instances_in_all);
        let some = self.0.into_values().filter(|count| count.left_out > 0);
        some.map(move |count| NotAnalysed {
            function: count.function,
            span: count.span,
            reason: format!(
                "{} more instances are launched: over the limit of {in_file} in one file or {in_all} in all",
                count.left_out
            ),
            omission: Omission::Text,
        })
    }
}

impl Count {
    /// Counts one more, unless there are as many as may be.
    pub(super) fn take_room(&mut self, options: &Options) -> bool {
        let has_room = self.lowered < options.max_instances_in_all;
        self.lowered += usize::from(has_room);
        self.left_out += usize::from(!has_room);
        has_room
    }
}
