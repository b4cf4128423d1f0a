//! Trees of definitions that were parsed before.
//!
//! Given the text of a definition, gives its tree, which depends on nothing else. Texts that include
//! the same headers share them, and so do a text and what becomes of it after an edit. Holds a bounded
//! number of bytes, each tree packed; what was not asked for for long goes first. Knows nothing of units.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::cst::{Cst, Packed};

/// Stands for a text.
pub type Name = [u8; 16];

/// What an entry takes besides its tree.
const ENTRY_BYTES: usize = 96;

/// Trees by the texts of their definitions. May be shared by threads.
#[derive(Debug, Default)]
pub struct Pieces {
    /// Bytes that trees may take; with 0 none is kept.
    most: AtomicUsize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Those asked for lately.
    young: FxHashMap<Name, Packed>,
    bytes: usize,
    /// Those that go when there are too many young ones.
    old: FxHashMap<Name, Packed>,
}

impl Pieces {
    /// Room for `most` bytes.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most: most.into(),
            kept: Mutex::default(),
        }
    }

    /// Makes room for `most` bytes, unless there is more.
    pub fn widen(&self, most: usize) {
        self.most.fetch_max(most, Ordering::Relaxed);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// Whether there is room for any.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.most() > 0
    }

    /// What a text is known by; `None` where nothing is kept.
    pub fn name(&self, text: &str) -> Option<Name> {
        let hash = self.keeps().then(|| blake3::hash(text.as_bytes()))?;
        hash.as_bytes().first_chunk().copied()
    }

    /// Whether a tree is kept under this name.
    pub fn has(&self, name: &Name) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.young.contains_key(name) || kept.old.contains_key(name)
    }

    pub fn get(&self, name: &Name) -> Option<Cst> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.young.get(name).cloned();
        let known = match known {
            Some(known) => known,
            None => {
                let known = kept.old.remove(name)?;
                kept.put(*name, known.clone(), self.most());
                known
            }
        };
        drop(kept);
        Some(known.unpack())
    }

    pub fn put(&self, name: Name, cst: &Cst) {
        let packed = cst.pack();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.put(name, packed, self.most());
    }
}

impl Kept {
    fn put(&mut self, name: Name, cst: Packed, most: usize) {
        let bytes = cst.bytes() + ENTRY_BYTES;
        if bytes > most / 2 {
            return;
        }
        if self.bytes + bytes > most / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(name, cst).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::cst::CstParser;
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_memory_is_bounded() {
        let text = |number: usize| format!("int f{number}(int a) {{ return a + {number}; }}");
        let pieces = Arc::new(Pieces::new(8_000));
        let mut parser = CstParser::new(pieces.clone());
        let often = pieces.name(&text(0)).expect("a name");
        for number in 0..200 {
            assert!(parser.piece(&text(number), 0).is_some());
            assert!(pieces.get(&often).is_some(), "{number}");
        }
        let kept = pieces.kept.lock().expect("no thread panics");
        let all = kept.young.values().chain(kept.old.values());
        let bytes: usize = all.map(|cst| cst.bytes() + ENTRY_BYTES).sum();
        assert!((3_000..=8_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn trees_come_out_as_they_went_in() {
        let long = format!("int f() {{ return {}1; }}", "1 + ".repeat(500));
        for text in [
            "int a;",
            "void f( { return; }",
            "",
            "struct { int : 3 } ;",
            &long,
        ] {
            let mut parser = CstParser::new(Arc::default());
            let cst = parser.piece(text, 7).expect("a tree");
            let again = cst.pack().unpack().moved_by(7);
            assert_eq!(format!("{again:?}"), format!("{cst:?}"), "{text}");
        }
    }

    #[test]
    fn without_room_nothing_is_kept() {
        assert_eq!(Pieces::default().name("int x;"), None);
    }
}
