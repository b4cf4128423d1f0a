//! Proves fixes: reads the edited text again, as far as it matters, and compares.

pub(super) mod prove_fixes;
pub(super) mod trimmed_source;
