//! The cache of opinions: what rules said of kernels in earlier runs.
//!
//! Given the kernels of one name, gives the opinion of kernels that say the same, with the
//! places of today. Words name lines and quote the text at places, so that both have to be
//! what they were; an empty opinion holds on any line. What was not asked for during two
//! generations is forgotten. Knows nothing of any rule.

use crate::ir::content::{ContentHash, content};
use crate::rules::Context;
use crate::rules::per_kernel::{Keeper, Namesakes, Opinion};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Opinions of one generation; most take a few kilobytes.
const MOST: usize = 1_000;

/// Opinions in two generations, by what kernels say.
#[derive(Debug, Default)]
pub(in crate::session) struct Opinions(Mutex<[FxHashMap<ContentHash, Arc<Known>>; 2]>);

#[derive(Debug)]
struct Known {
    places: Vec<Span>,
    layout: ContentHash,
    opinion: Opinion,
}

/// The opinions as one run asks for them.
pub(in crate::session) struct Kept<'a> {
    opinions: &'a Opinions,
    context: &'a Context<'a>,
}

/// Namesakes as they are looked up.
struct Key {
    says: ContentHash,
    /// Lines and columns of the places.
    layout: ContentHash,
    places: Vec<Span>,
}

impl Opinions {
    pub(in crate::session) fn of_run<'a>(&'a self, context: &'a Context<'a>) -> Kept<'a> {
        Kept {
            opinions: self,
            context,
        }
    }

    fn get(&self, says: &ContentHash) -> Option<Arc<Known>> {
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *generations;
        if let Some(known) = young.get(says) {
            return Some(known.clone());
        }
        let known = old.remove(says)?;
        young.insert(*says, known.clone());
        Some(known)
    }

    fn put(&self, says: ContentHash, known: Known) {
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *generations;
        if young.len() >= MOST {
            *old = std::mem::take(young);
        }
        young.insert(says, Arc::new(known));
    }
}

impl Kept<'_> {
    fn key(&self, namesakes: &Namesakes) -> Key {
        let Context {
            sources,
            program,
            arch,
            ..
        } = *self.context;
        let mut says = blake3::Hasher::new();
        let mut layout = blake3::Hasher::new();
        let mut all = Vec::new();
        says.update(arch.to_string().as_bytes());
        // Verdicts follow from what kernels say; which of them are there depends on the run's files.
        says.update(&namesakes.accesses.len().to_le_bytes());
        for kernel in &namesakes.kernels {
            let (hash, places) = content(kernel, &program.globals);
            says.update(&hash);
            let mut in_file = None;
            for place in &places {
                let file = sources.get(place.file);
                if in_file != Some(place.file) {
                    in_file = Some(place.file);
                    says.update(file.path.as_os_str().as_encoded_bytes());
                }
                let text = sources.text(*place);
                says.update(&text.len().to_le_bytes());
                says.update(text.as_bytes());
                let at = file.line_column(place.start);
                layout.update(&at.line.to_le_bytes());
                layout.update(&at.column.to_le_bytes());
            }
            all.extend(places);
        }
        Key {
            says: short(&says),
            layout: short(&layout),
            places: all,
        }
    }
}

fn short(hasher: &blake3::Hasher) -> ContentHash {
    let mut short = [0; 16];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    short
}

impl Keeper for Kept<'_> {
    fn recall(&self, namesakes: &Namesakes) -> Option<Opinion> {
        let key = self.key(namesakes);
        let known = self.opinions.get(&key.says)?;
        if known.opinion.is_empty() {
            return Some(Opinion::default());
        }
        if known.layout != key.layout || known.places.len() != key.places.len() {
            return None;
        }
        if known.places == key.places {
            return Some(known.opinion.clone());
        }
        let then = known.places.iter().copied();
        let now: FxHashMap<Span, Span> = then.zip(key.places).collect();
        known.opinion.clone().moved(&|span| now.get(&span).copied())
    }

    fn keep(&self, namesakes: &Namesakes, opinion: &Opinion) {
        let Key {
            says,
            layout,
            places,
        } = self.key(namesakes);
        self.opinions.put(
            says,
            Known {
                places,
                layout,
                opinion: opinion.clone(),
            },
        );
    }
}
