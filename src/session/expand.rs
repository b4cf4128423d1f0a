//! Preprocessed files, of which only some are in memory.
//!
//! Given the texts of files, gives their units: each text expanded on some thread, with what is said of
//! it later. Expanded texts are large where files include much, so of many only the first are kept; the
//! others are made again when they are wanted, and are the same.

use super::cache::memory::PIECES_BYTES;
use super::grouping::{Words, is_word};
use super::input::header_files::Headers;
use super::{Flags, Options, Unit};
use crate::source::{FileId, SourceFile, SourceMap};
use crate::syntax::library;
use crate::syntax::parse::Pieces;
use crate::syntax::preprocess::{self, Expanded, Packed};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of the trees of definitions that are kept for a run; where texts are large, so much more than
/// the largest one: what they have in common is most of them.
const LEAST_PIECES_BYTES: usize = 24 << 20;
const PIECES_OF_TEXT: usize = 5;
/// Bytes of expanded texts and their origins that are kept.
const KEPT_BYTES: usize = 4 << 20;
/// Bytes of those that are packed: a text of ten megabytes takes one and a half. What is not kept is preprocessed
/// again, which is a quarter of what a large file takes.
const PACKED_BYTES: usize = 256 << 20;

/// Preprocessed files.
pub(super) struct Texts {
    pub sources: SourceMap,
    pub units: Vec<Unit>,
}

/// Expands the files of one run, as often as is asked for.
pub(super) struct Expander<'a> {
    files: &'a [Arc<SourceFile>],
    headers: Headers<'a>,
    common: Cow<'a, preprocess::Options>,
    pub options: &'a Options,
    /// Trees of definitions in headers.
    pub pieces: Arc<Pieces>,
}

impl<'a> Expander<'a> {
    /// Headers come from `overlay` where it has them.
    pub fn new(
        files: &'a [Arc<SourceFile>],
        overlay: &'a [Arc<SourceFile>],
        options: &'a Options,
    ) -> Self {
        let texts = options.overlay.iter().chain(files).chain(overlay);
        Self {
            files,
            headers: Headers::new(
                texts,
                &options.headers,
                options.reads_disk,
                options.bounds.clone(),
            ),
            common: Cow::Owned(preprocess_options(options, None)),
            options,
            pieces: Arc::new(Pieces::new(LEAST_PIECES_BYTES)),
        }
    }

    /// An expander with other texts for some files.
    pub fn over(
        base: &'a Expander<'a>,
        files: &'a [Arc<SourceFile>],
        overlay: &'a [Arc<SourceFile>],
    ) -> Self {
        Self {
            files,
            headers: Headers::over(&base.headers, files.iter().chain(overlay)),
            common: Cow::Borrowed(&base.common),
            options: base.options,
            pieces: base.pieces.clone(),
        }
    }

    /// The units of all files; with all texts, or with what may be kept of them.
    pub fn all(&self, keeps_texts: bool) -> Texts {
        let (kept, packed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // What is asked about texts is asked of those that are gone, too.
        let (is_one, is_hashed) = (self.files.len() == 1, self.options.results.is_some());
        let one = |file: &Arc<SourceFile>| {
            let (mut expanded, files) = self.one(file);
            let size = expanded.bytes();
            let words = if is_one {
                Words::default()
            } else {
                Words::of(&expanded.text)
            };
            let mut text = OfText {
                words,
                bytes: expanded.text.len(),
                hash: is_hashed.then(|| blake3::hash(expanded.text.as_bytes())),
                packed: Mutex::default(),
            };
            let before = kept.fetch_add(size, Ordering::Relaxed);
            if !keeps_texts && before.saturating_add(size) > KEPT_BYTES {
                kept.fetch_sub(size, Ordering::Relaxed);
                if packed.load(Ordering::Relaxed) < PACKED_BYTES {
                    let own = Packed::of(&expanded, &|id| input(&files, id));
                    packed.fetch_add(own.bytes(), Ordering::Relaxed);
                    text.packed = Mutex::new(Some(own));
                }
                expanded.drop_text();
            }
            (expanded, files, text)
        };
        let all: Vec<(Expanded, SourceMap, OfText)> = self.files.par_iter().map(one).collect();
        let largest = all.iter().map(|(_, _, text)| text.bytes).max();
        let room = largest.unwrap_or(0).saturating_mul(PIECES_OF_TEXT);
        self.pieces.widen(room.min(PIECES_BYTES));
        let mut sources = SourceMap::default();
        for file in self.files {
            sources.add_file(file.clone());
        }
        let mut units: Vec<Unit> = Vec::with_capacity(all.len());
        for (at, (mut expanded, files, text)) in all.into_iter().enumerate() {
            let file = FileId(at as u32);
            let included = FileId(sources.len() as u32);
            expanded.renumber(|id| global(id, file, included));
            units.push(Unit {
                file,
                expanded,
                files: files.iter().map(|(_, file)| file.path.clone()).collect(),
                included,
                text,
            });
            sources.append(files, 1);
        }
        drop_included(&mut units, &sources, self.options);
        Texts { sources, units }
    }

    /// The text of a unit, which is of `sources`.
    pub fn again(&self, unit: &Unit, sources: &SourceMap) -> Expanded {
        let Some(file) = self.files.get(unit.file.0 as usize) else {
            return Expanded::empty(unit.file);
        };
        debug_assert_eq!(file.path, sources.get(unit.file).path);
        let number = |id: FileId| global(id, unit.file, unit.included);
        // Mostly nobody comes again.
        let packed = unit.text.packed.lock();
        let packed = packed.unwrap_or_else(PoisonError::into_inner).take();
        let kept = packed.and_then(|packed| packed.unpacked(&|id| input(sources, number(id))));
        if let Some(mut expanded) = kept {
            expanded.renumber(number);
            expanded.notes.clone_from(&unit.expanded.notes);
            expanded.comments.clone_from(&unit.expanded.comments);
            return expanded;
        }
        let (mut expanded, _) = self.one(file);
        expanded.renumber(number);
        expanded
    }

    /// An expanded file, and the files that it is made of, itself first.
    fn one(&self, file: &Arc<SourceFile>) -> (Expanded, SourceMap) {
        // A stopped run leaves the file out.
        if self.options.stop().is_raised() {
            let mut sources = SourceMap::default();
            let main = sources.add_file(file.clone());
            return (Expanded::empty(main), sources);
        }
        let own = self.options.flags.get(&file.path);
        let own = own.map(|flags| preprocess_options(self.options, Some(flags)));
        let settings = own.as_ref().unwrap_or(&self.common);
        let expand = |settings: &preprocess::Options| {
            let mut sources = SourceMap::default();
            let main = sources.add_file(file.clone());
            let expanded = preprocess::preprocess(main, &mut sources, settings, &self.headers);
            (expanded, sources)
        };
        let (expanded, sources) = expand(settings);
        let is_read = |header: &&str| {
            let path = library::header(header).map(|known| Path::new(known.path));
            let mut files = sources.iter();
            files.any(|(_, one)| path == Some(one.path.as_path()))
        };
        let missing = library::named_before(&expanded.text).filter(|header| !is_read(header));
        let Some(missing) = missing else {
            return (expanded, sources);
        };
        let mut settings = settings.clone();
        settings.forced_includes.push(PathBuf::from(missing));
        expand(&settings)
    }
}

/// The number of a file in the map of all files; its number in the map of one unit is `id`.
fn global(id: FileId, main: FileId, included: FileId) -> FileId {
    match id.0.checked_sub(1) {
        None => main,
        Some(nth) => FileId(included.0 + nth),
    }
}

fn input(sources: &SourceMap, id: FileId) -> Option<&str> {
    ((id.0 as usize) < sources.len()).then(|| &**sources.get(id).input())
}

/// Facts about an expanded text that need not be in memory.
#[derive(Debug)]
pub(super) struct OfText {
    pub words: Words,
    pub bytes: usize,
    /// Where results are kept.
    pub hash: Option<blake3::Hash>,
    /// The text itself, until it is wanted.
    packed: Mutex<Option<Packed>>,
}

/// Drops the units that another unit includes: what stands in them is analysed there, with that
/// unit's macros and types. Of two that include each other the first stays. So does every unit that has a compile
/// command of its own, or whose functions units call that don't include it: it is compiled by itself, too.
fn drop_included(units: &mut Vec<Unit>, sources: &SourceMap, options: &Options) {
    let paths: Vec<PathBuf> = units
        .iter()
        .map(|unit| sources.get(unit.file).path.clone())
        .collect();
    let mut includers: FxHashMap<&Path, Vec<usize>> = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        for file in &unit.files {
            if *file != paths[at] {
                includers.entry(file).or_default().push(at);
            }
        }
    }
    let is_dropped: Vec<bool> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| {
            let by = includers.get(path.as_path()).map_or(&[][..], Vec::as_slice);
            !options.flags.contains_key(path)
                && by
                    .iter()
                    .any(|by| *by < at || !units[at].files.contains(&paths[*by]))
                && !is_called_elsewhere(units, at, path, sources)
        })
        .collect();
    let mut dropped = is_dropped.iter();
    units.retain(|_| !dropped.next().copied().unwrap_or(false));
}

/// Whether a unit that does not include a file calls a function of it that may launch.
fn is_called_elsewhere(units: &[Unit], at: usize, path: &Path, sources: &SourceMap) -> bool {
    let text = &sources.get(units[at].file).text;
    let launches = text.contains("<<<") || text.contains("cudaLaunch");
    if !launches {
        return false;
    }
    let defined = external_functions(text);
    let others = units.iter().enumerate();
    // Programs that lie apart have functions of one name, too.
    let is_near = |unit: &Unit| {
        let own = sources.get(unit.file).path.parent() == path.parent();
        let mut shared = unit.files.intersection(&units[at].files);
        own || shared.any(|file| file.parent() == path.parent())
    };
    let mut others =
        others.filter(|(other, unit)| *other != at && !unit.files.contains(path) && is_near(unit));
    others.any(|(_, unit)| {
        let text = &sources.get(unit.file).text;
        let mut called = defined.iter().filter(|name| calls(text, name)).peekable();
        called.peek().is_some() && {
            let own = external_functions(text);
            called.any(|name| !own.contains(name))
        }
    })
}

/// Names of the functions that a text defines and that others can call, as it is written: a head without indentation,
/// and a body behind it.
fn external_functions(text: &str) -> Vec<&str> {
    const INTERNAL: [&str; 6] = [
        "static",
        "template",
        "inline",
        "__global__",
        "__device__",
        "#define",
    ];
    let mut found = Vec::new();
    for (at, _) in text.match_indices('(') {
        let head = &text[..at];
        let line = head.rfind('\n').map_or(0, |end| end + 1);
        let head = &head[line..];
        let name = head.trim_end().rsplit(|c: char| !is_word(c)).next();
        let Some(name) = name.filter(|name| !name.is_empty() && *name != "main") else {
            continue;
        };
        let is_head = head.starts_with(|c: char| is_word(c)) && head.trim_end().len() > name.len();
        let is_internal = head.split_whitespace().any(|word| INTERNAL.contains(&word));
        let behind = text[at..].split_once(')').map_or("", |(_, behind)| behind);
        if is_head && !is_internal && behind.trim_start().starts_with('{') {
            found.push(name);
        }
    }
    found
}

/// Whether a text calls a function, as far as its words tell.
fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let behind = text[at + name.len()..].trim_start();
        behind.starts_with('(') && !text[..at].ends_with(is_word)
    })
}

/// The run's flags, those of one file before them as a compiler's search path has it.
fn preprocess_options(options: &Options, own: Option<&Flags>) -> preprocess::Options {
    let none = Flags::default();
    let own = own.unwrap_or(&none);
    let chain = |own: &[PathBuf], all: &[PathBuf]| own.iter().chain(all).cloned().collect();
    preprocess::Options {
        defines: own
            .defines
            .iter()
            .chain(&options.defines)
            .cloned()
            .collect(),
        undefines: own
            .undefines
            .iter()
            .chain(&options.undefines)
            .cloned()
            .collect(),
        include_dirs: chain(&own.includes, &options.includes),
        forced_includes: chain(&own.forced_includes, &options.forced_includes),
        arch: u32::from(options.arch.major) * 100 + u32::from(options.arch.minor) * 10,
        device_defines: options.arch.feature_macros(),
        limits: preprocess::Limits {
            expansion_tokens: options.limits.expansion_tokens,
            ..preprocess::Limits::default()
        },
    }
}
