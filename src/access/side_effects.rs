//! What a walk passes besides requests to shared and global memory: reads of constant memory,
//! locals whose place is not fixed, and barriers, each with the conditions on its way.
//!
//! Knows nothing of what they cost.

use super::memory::LocalPlace;
use super::walker::Walker;
use crate::ir::{GlobalId, SiteId, VarId};
use crate::source::Span;
use crate::term::TermId;

/// One way of reaching something.
#[derive(Clone, Debug)]
pub struct OtherEffect {
    pub kind: OtherEffectKind,
    /// Lane-dependent conditions, all of which hold for a lane that gets there.
    pub guards: Vec<TermId>,
    pub loop_depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub enum OtherEffectKind {
    /// A read of a `__constant__` object at this byte offset.
    Constant {
        site: SiteId,
        object: GlobalId,
        offset: TermId,
        /// Bytes per lane.
        width: u32,
    },
    /// A read or write of a local object at an offset that is no constant.
    Local {
        site: SiteId,
        object: VarId,
        offset: TermId,
    },
    /// A barrier of the whole block.
    Barrier { span: Span },
    /// An exchange between the lanes that its mask names.
    Exchange { span: Span, mask: TermId },
}

impl Walker<'_> {
    /// Notes something where lanes get to it.
    pub(super) fn note(&mut self, kind: OtherEffectKind) {
        if self.study_depth > 0 {
            return;
        }
        let mut guards = Vec::new();
        for guard in &self.guards {
            match self.terms.constant(guard.condition) {
                Some(0) => return,
                Some(_) => {}
                None if self.terms.is_varying(guard.condition) => guards.push(guard.condition),
                None => {}
            }
        }
        self.extras.push(OtherEffect {
            kind,
            guards,
            loop_depth: self.loop_depth,
        });
    }

    pub(super) fn note_local(&mut self, site: SiteId, place: &LocalPlace) {
        if self.terms.constant(place.offset).is_none() {
            self.note(OtherEffectKind::Local {
                site,
                object: place.object,
                offset: place.offset,
            });
        }
    }
}
