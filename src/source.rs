//! Files and positions.
//!
//! Given the text of files, gives spans that point at text the user wrote, and
//! turns them into lines and columns. Knows nothing of CUDA, macros or syntax.

use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Extensions of files that are there to be included.
pub const HEADER_EXTENSIONS: [&str; 7] = ["h", "hpp", "hh", "cuh", "inl", "inc", "hxx"];

/// A file of one [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range of one file, always of text that the user wrote (never of expanded text).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    #[must_use]
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest span that holds both; `self` where they lie in different files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file {
            Span::new(
                self.file,
                self.start.min(other.start),
                self.end.max(other.end),
            )
        } else {
            self
        }
    }
}

/// One line and column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

/// Facts that edits of a text need.
#[derive(Debug)]
pub struct Code {
    /// As long as the text, with blanks for comments and literals.
    pub text: String,
    /// The words whose size or type the text asks for.
    pub measured: FxHashSet<String>,
    /// Whether each use of a name has so many subscripts, for those that were asked about.
    subscripted: Mutex<FxHashMap<(String, usize), bool>>,
}

impl Code {
    #[must_use]
    pub fn new(text: String, measured: FxHashSet<String>) -> Self {
        Self {
            text,
            measured,
            subscripted: Mutex::default(),
        }
    }

    /// Whether each use of `name` has so many subscripts, which `look` finds out for a name that was
    /// not asked about before.
    pub fn is_subscripted(
        &self,
        name: &str,
        dimensions: usize,
        look: impl FnOnce(&str) -> bool,
    ) -> bool {
        let mut known = self
            .subscripted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = known.entry((name.to_owned(), dimensions));
        *known.or_insert_with(|| look(&self.text))
    }
}

/// The text of one file with an index of its lines.
#[derive(Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: Arc<str>,
    /// What is analysed in place of `text`, of the same length: CUDA inside strings.
    input: Option<Arc<str>>,
    line_starts: Vec<u32>,
    /// Where lines of the file were left out, and how many up to there, all in all.
    left_out: Vec<(u32, u32)>,
    /// See [`Self::code`].
    code: OnceLock<Code>,
}

impl SourceFile {
    #[must_use]
    pub fn new(path: PathBuf, text: Arc<str>) -> Self {
        let line_starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, byte)| *byte == b'\n')
                    .map(|(at, _)| at as u32 + 1),
            )
            .collect();
        Self {
            path,
            text,
            input: None,
            line_starts,
            left_out: Vec::new(),
            code: OnceLock::new(),
        }
    }

    /// What `read` makes of the text, made once: all who ask want the same.
    pub fn code(&self, read: fn(&str) -> Code) -> &Code {
        self.code.get_or_init(|| read(&self.text))
    }

    /// A file without some of its lines; the others keep their numbers. `left_out` says in front of
    /// which bytes of `text` how many lines stood, in order.
    #[must_use]
    pub fn shortened(path: PathBuf, text: Arc<str>, mut left_out: Vec<(u32, u32)>) -> Self {
        let mut all = 0;
        for (_, lines) in &mut left_out {
            all += *lines;
            *lines = all;
        }
        Self {
            left_out,
            ..Self::new(path, text)
        }
    }

    /// A file of which only a part is analysed: `input` is as long as `text`, else it is left out.
    #[must_use]
    pub fn with_input(path: PathBuf, text: Arc<str>, input: Arc<str>) -> Self {
        let is_aligned = input.len() == text.len();
        Self {
            input: is_aligned.then_some(input),
            ..Self::new(path, text)
        }
    }

    /// The text to analyse; every place in it is a place of `text`.
    #[must_use]
    pub fn input(&self) -> &Arc<str> {
        self.input.as_ref().unwrap_or(&self.text)
    }

    /// Whether only a part of the text is analysed.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.input.is_some()
    }

    /// The line (from 1) that holds byte `offset`.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        self.nth_line(offset) + self.lines_left_out(offset)
    }

    /// The line (from 1) of those that are there.
    fn nth_line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    fn lines_left_out(&self, offset: u32) -> u32 {
        let before = self.left_out.partition_point(|(at, _)| *at <= offset);
        let last = before.checked_sub(1).and_then(|at| self.left_out.get(at));
        last.map_or(0, |(_, lines)| *lines)
    }

    /// The place of `line` among those that are there.
    fn place_of(&self, line: u32) -> Option<usize> {
        if self.left_out.is_empty() {
            return (line as usize).checked_sub(1);
        }
        let number = |start: &u32| self.line(*start);
        let place = self
            .line_starts
            .partition_point(|start| number(start) < line);
        let start = self.line_starts.get(place)?;
        (number(start) == line).then_some(place)
    }

    /// Line and column of byte `offset`; offsets past the end give the end.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = offset.min(self.text.len() as u32);
        let nth = self.nth_line(offset);
        let start = self.line_starts[nth as usize - 1] as usize;
        let text = self.text.get(start..offset as usize).unwrap_or("");
        LineColumn {
            line: nth + self.lines_left_out(offset),
            column: text.chars().count() as u32 + 1,
        }
    }

    /// The bytes of `line` (from 1), its end-of-line excluded; empty where there is no such line.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &str {
        let start = self.place_of(line).and_then(|at| self.line_starts.get(at));
        let Some(start) = start else {
            return "";
        };
        let rest = &self.text[*start as usize..];
        rest.lines().next().unwrap_or("")
    }

    /// First byte of `line` (from 1), if the file has it.
    #[must_use]
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.line_starts.get(self.place_of(line)?).copied()
    }

    #[must_use]
    pub fn line_count(&self) -> u32 {
        let left_out = self.left_out.last().map_or(0, |(_, lines)| *lines);
        self.line_starts.len() as u32 + left_out
    }
}

/// The files of one translation unit or one run. Adding a file never moves another's id.
#[derive(Debug, Default, Clone)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        self.add_file(Arc::new(SourceFile::new(path.into(), text.into())))
    }

    pub fn add_file(&mut self, file: Arc<SourceFile>) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// Adds the files of another map from its `first` on, in their order.
    pub fn append(&mut self, other: Self, first: usize) {
        self.files.extend(other.files.into_iter().skip(first));
    }

    /// How many files there are, those that were added twice counted twice.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    #[must_use]
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    #[must_use]
    pub fn find(&self, path: &Path) -> Option<FileId> {
        let at = self.files.iter().position(|file| file.path == path)?;
        Some(FileId(at as u32))
    }

    /// The text that `span` points at.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(at, file)| (FileId(at as u32), file.as_ref()))
    }
}

/// The first number of each file: a header has one for every unit that reads it.
#[derive(Debug)]
pub struct Canonical<'a> {
    pub by_path: FxHashMap<&'a Path, FileId>,
    /// By the file's own number.
    first: Vec<FileId>,
}

impl<'a> Canonical<'a> {
    #[must_use]
    pub fn of(sources: &'a SourceMap) -> Self {
        let mut by_path: FxHashMap<&Path, FileId> = FxHashMap::default();
        let first = |(id, file): (FileId, &'a SourceFile)| {
            *by_path.entry(file.path.as_path()).or_insert(id)
        };
        let first = sources.iter().map(first).collect();
        Self { by_path, first }
    }

    /// The first number of the file whose number this is.
    #[must_use]
    pub fn id(&self, id: FileId) -> FileId {
        self.first.get(id.0 as usize).copied().unwrap_or(id)
    }

    /// The span in the first number of its file.
    #[must_use]
    pub fn span(&self, span: Span) -> Span {
        Span {
            file: self.id(span.file),
            ..span
        }
    }
}
