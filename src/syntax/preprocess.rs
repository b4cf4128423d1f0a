//! The preprocessor.
//!
//! Given a main file, macros of the command line and a reader of included
//! files, gives the text that the compiler's parser would see, with the origin
//! of every part of it and the problems met. Directives and comments are gone;
//! a line stays a line where nothing else is in its place. What cannot be
//! followed is left as it stands or becomes empty, with a note: no input is an
//! error. Knows nothing of the grammar of CUDA, and touches no file itself.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::{FileId, SourceFile, SourceMap, Span};

mod asserts;
mod build;
mod builtins;
mod conditions;
mod directives;
mod expanded;
mod inclusion;
mod macros;
mod packed;
mod passes;
mod substitute;
#[cfg(test)]
mod tests;
mod tokens;
mod undefined;

use builtins::{NameFilter, Special};
use directives::Conditional;
use expanded::{LinePlace, Output};
use macros::{Context, MacroId, NO_MACRO};
use substitute::Definition;
use tokens::{Kind, Lexer, SPLICED, TextId, Token, unspliced};
use undefined::Undefined;

pub use expanded::{Expanded, Note, NoteKind, Origin};
pub use packed::Packed;
pub use passes::plain_name;

/// Notes beyond this many say nothing new.
const MOST_NOTES: usize = 1000;

/// Where includes are looked for, macros of the command line, and the target.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name, with its parameters if it has any, and body; no body is 1.
    pub defines: Vec<(String, Option<String>)>,
    /// Applied after all of `defines`.
    pub undefines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
    /// Read before the main file.
    pub forced_includes: Vec<PathBuf>,
    /// The value of `__CUDA_ARCH__`, such as 900 for `sm_90`.
    pub arch: u32,
    /// Defined beside it.
    pub device_defines: Vec<(String, Option<String>)>,
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            defines: Vec::new(),
            undefines: Vec::new(),
            include_dirs: Vec::new(),
            forced_includes: Vec::new(),
            arch: 900,
            device_defines: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// Bounds on what hostile input can cost. Where one is met, text is left as it stands.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Past this size nothing is expanded or included any more.
    pub output_bytes: usize,
    /// Files inside each other.
    pub include_depth: usize,
    /// Files read for one main file, repetitions counted.
    pub include_count: usize,
    /// Their bytes.
    pub include_bytes: usize,
    /// The bytes of those that were read before: headers without a guard.
    pub repeated_bytes: usize,
    /// Places that headers are looked for in, those looked at before left out.
    pub include_places: usize,
    /// Invocations inside arguments of each other.
    pub expansion_depth: usize,
    /// Tokens handled to expand one invocation.
    pub invocation_tokens: usize,
    /// Tokens handled to expand all invocations.
    pub expansion_tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            output_bytes: 32 << 20,
            include_depth: 100,
            include_count: 20_000,
            include_bytes: 64 << 20,
            repeated_bytes: 8 << 20,
            include_places: 1 << 20,
            expansion_depth: 200,
            invocation_tokens: 1 << 20,
            expansion_tokens: 1 << 24,
        }
    }
}

/// Reads included files.
pub trait Includes {
    /// The file at a normalised path; none where there is none.
    fn read(&self, path: &Path) -> Option<Arc<SourceFile>>;

    /// Whether something stands at a path that this run may not read.
    fn is_outside(&self, _path: &Path) -> bool {
        false
    }

    /// Where a header most likely is that stands in no folder of the search path; `from` is the
    /// file that includes it. Builds name folders that a source tree does not.
    fn search(&self, _from: &Path, _name: &Path) -> Option<PathBuf> {
        None
    }
}

/// What is said of a file that is not there.
pub const READ_AS_EMPTY: &str = "was not found; read as empty";
/// What is said of a file that is there and may not be read.
const OUTSIDE: &str =
    "lies outside of the project; read as empty (-I FOLDER lets a run read there)";

/// Preprocesses `main`. Files that it includes are added to `sources`, each once.
#[must_use]
pub fn preprocess(
    main: FileId,
    sources: &mut SourceMap,
    options: &Options,
    includes: &dyn Includes,
) -> Expanded {
    let assumed = build::with_kernels(main, sources, options, includes);
    let options = assumed.options.as_ref();
    let (mut device, files) = (assumed.device, assumed.files);
    if !assumed.has_asked {
        return device;
    }
    let host = Preprocessor::new(main, sources, options, includes, files);
    let host = host.run(Pass::Host).expanded;
    if host.text == device.text {
        return device;
    }
    match passes::join(&device, &host) {
        Some(both) => both,
        None => {
            device.notes.push(Note {
                span: Span::new(main, 0, 0),
                kind: NoteKind::HostPass,
                message: "host code is read as the device compiles it: where `__CUDA_ARCH__` is \
                          defined, definitions begin and end elsewhere"
                    .to_owned(),
            });
            device
        }
    }
}

/// For whom a file is preprocessed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Device,
    /// `__CUDA_ARCH__` is not defined.
    Host,
}

/// What a run gives.
struct Ran {
    expanded: Expanded,
    /// Whether something asked for `__CUDA_ARCH__`.
    has_asked: bool,
    files: Files,
    hiding: Option<undefined::Hiding>,
}

/// Files asked for by path, found or not.
type Files = FxHashMap<PathBuf, Option<FileId>>;

/// The file that is being read.
struct FileState {
    id: TextId,
    text: Arc<str>,
    at: usize,
    /// Only blanks and comments stand before `at` in its line.
    fresh_line: bool,
    /// Included with angle brackets, or from such a file.
    system: bool,
}

/// The state of one run. Macros are expanded in `macros`, which reads the file through this.
struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    options: &'a Options,
    includes: &'a dyn Includes,
    main: FileId,
    /// `__CUDA_ARCH__` as the device has it, and whether the text asked for it.
    arch: MacroId,
    has_asked: Cell<bool>,
    output: Output,
    notes: Vec<Note>,
    comments: Vec<Span>,
    file: FileState,
    depth: usize,
    included: usize,
    included_bytes: usize,
    /// Places that headers were looked for in.
    places_looked_at: usize,
    /// Files were included too deeply: no more are read.
    is_too_deep: bool,
    repeated_bytes: usize,
    /// Files that were included at least once.
    met: FxHashSet<FileId>,
    files: Files,
    /// Headers that were looked for outside of the search path, in the folder of who includes them.
    searched: Files,
    once: FxHashSet<FileId>,
    conditionals: Vec<Conditional>,
    /// The state before the first directive inside the arguments being read.
    saved_conditionals: Option<Vec<Conditional>>,
    undefined: Undefined,

    macros: Vec<Definition>,
    /// Names that user code defined or undefined; all others are as predefined.
    table: FxHashMap<Box<str>, MacroId>,
    /// What `#pragma push_macro` put aside, the last one last.
    kept_macros: FxHashMap<Box<str>, Vec<MacroId>>,
    /// All names that ever were macros.
    names: Box<NameFilter>,
    contexts: Vec<Context>,
    /// The name of the outermost invocation.
    invocation: Option<Token>,
    in_condition: bool,
    /// Looking for the parenthesis of an invocation: directives are not followed.
    peeking: bool,
    /// A token of the file was read.
    file_touched: bool,
    argument_depth: usize,
    steps: usize,
    total_steps: usize,
    /// What the present invocation has too much of.
    overflow: Option<&'static str>,
    /// Nothing is expanded any more.
    exhausted: bool,
    counter: u32,

    /// Spellings that stand in no file. The first two are the values of conditions.
    made: String,
    /// What made spellings stand for, by their start.
    made_places: Vec<(u32, LinePlace)>,
    command_line: String,
    places: Vec<LinePlace>,
    bodies: Vec<Span>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        main: FileId,
        sources: &'a mut SourceMap,
        options: &'a Options,
        includes: &'a dyn Includes,
        files: Files,
    ) -> Self {
        let built_ins = builtins::built_ins();
        let macros = built_ins.macros.iter().map(|built_in| {
            let mut definition =
                Definition::new(TextId::BUILT_IN, built_in.parameters, built_in.body);
            definition.special = built_in.special;
            definition
        });
        let macros = macros.collect();
        Self {
            sources,
            options,
            includes,
            main,
            arch: NO_MACRO,
            has_asked: Cell::new(false),
            output: Output::default(),
            notes: Vec::new(),
            comments: Vec::new(),
            file: FileState {
                id: TextId::COMMAND_LINE,
                text: "".into(),
                at: 0,
                fresh_line: true,
                system: true,
            },
            depth: 0,
            included: 0,
            included_bytes: 0,
            places_looked_at: 0,
            is_too_deep: false,
            repeated_bytes: 0,
            met: FxHashSet::default(),
            files,
            searched: Files::default(),
            once: FxHashSet::default(),
            conditionals: Vec::new(),
            saved_conditionals: None,
            undefined: Undefined::default(),
            macros,
            table: FxHashMap::default(),
            kept_macros: FxHashMap::default(),
            names: Box::new(built_ins.names.clone()),
            contexts: Vec::new(),
            invocation: None,
            in_condition: false,
            peeking: false,
            file_touched: false,
            argument_depth: 0,
            steps: 0,
            total_steps: 0,
            overflow: None,
            exhausted: false,
            counter: 0,
            made: "01".to_owned(),
            made_places: vec![(0, LinePlace::of(Token::new(Kind::End, TextId::MADE, 0, 0)))],
            command_line: String::new(),
            places: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// The whole text, whether it asks for `__CUDA_ARCH__`, and the files that were asked for.
    fn run(mut self, pass: Pass) -> Ran {
        self.command_line(pass);
        for path in &self.options.forced_includes {
            let dirs = self.options.include_dirs.iter();
            let found = std::iter::once(path.clone())
                .chain(dirs.map(|dir| dir.join(path)))
                .find_map(|path| self.open(&normalise(&path)));
            if let Some(file) = found {
                self.read_file(file, false);
                continue;
            }
            if let Some(included) = self.forced_in_place(path) {
                self.read_file(included.file, included.system);
                continue;
            }
            let (kind, message) = if self.includes.is_outside(path) {
                let message = format!("`{}` {OUTSIDE}", path.display());
                (NoteKind::OutsideInclude, message)
            } else {
                let message = format!("`{}` was not found", path.display());
                (NoteKind::UnresolvedInclude, message)
            };
            let start = LinePlace {
                text: TextId(self.main.0),
                start: 0,
                end: 0,
            };
            self.note(start, kind, message);
        }
        self.read_file(self.main, false);
        let Preprocessor {
            output,
            notes,
            comments,
            places,
            bodies,
            main,
            files,
            has_asked,
            undefined,
            ..
        } = self;
        Ran {
            expanded: output.finish(main, notes, comments, places, bodies),
            has_asked: has_asked.get(),
            files,
            hiding: undefined.into_hiding(),
        }
    }

    /// Defines what the options say.
    fn command_line(&mut self, pass: Pass) {
        let arch = self.options.arch;
        let mut text = format!("#define __CUDA_ARCH_LIST__ {arch}\n");
        if pass == Pass::Device {
            self.arch = self.macros.len() as MacroId + 1;
            text.push_str(&format!("#define __CUDA_ARCH__ {arch}\n"));
            for (name, body) in &self.options.device_defines {
                let body = body.as_deref().unwrap_or("1");
                text.push_str(&format!("#define {name} {body}\n"));
            }
        }
        for (name, body) in &self.options.defines {
            // A line end would end the definition.
            let body = body.as_deref().unwrap_or("1").replace(['\n', '\r'], " ");
            text.push_str(&format!(
                "#define {} {body}\n",
                name.replace(['\n', '\r'], " ")
            ));
        }
        for name in &self.options.undefines {
            text.push_str(&format!("#undef {}\n", name.replace(['\n', '\r'], " ")));
        }
        self.command_line.clone_from(&text);
        self.file.text = text.into();
        let text = self.file.text.clone();
        self.scan(&text);
        self.output = Output::default();
        self.has_asked.set(false);
    }

    fn note(&mut self, place: LinePlace, kind: NoteKind, message: String) {
        if self.notes.len() >= MOST_NOTES {
            return;
        }
        // Inside an expansion the user's text is the invocation.
        let place = self.invocation.map_or(place, LinePlace::of);
        let span = if place.text.is_file() {
            Span::new(FileId(place.text.0), place.start, place.end)
        } else {
            Span::new(self.main, 0, 0)
        };
        let note = Note {
            span,
            kind,
            message,
        };
        // What fails inside an argument fails again when the argument is read again.
        if self.notes.last() != Some(&note) {
            self.notes.push(note);
        }
    }

    /// Appends the expansion of a file.
    fn read_file(&mut self, file: FileId, system: bool) {
        let text = self.sources.get(file).input().clone();
        let state = FileState {
            id: TextId(file.0),
            text: text.clone(),
            at: 0,
            fresh_line: true,
            system: system || (self.depth > 0 && self.file.system),
        };
        let outer = std::mem::replace(&mut self.file, state);
        let conditionals = std::mem::take(&mut self.conditionals);
        self.depth += 1;
        self.scan(&text);
        self.depth -= 1;
        for conditional in std::mem::replace(&mut self.conditionals, conditionals) {
            let message = "this conditional has no `#endif`";
            let kind = NoteKind::UnbalancedConditional;
            self.note(conditional.opened, kind, message.into());
        }
        self.file = outer;
    }

    /// Copies the text of the present file, with directives followed and macros expanded.
    fn scan(&mut self, text: &str) {
        let id = self.file.id;
        let mut lexer = Lexer::new(text, id, if text.starts_with('\u{feff}') { 3 } else { 0 });
        let mut copied = lexer.at;
        let mut fresh_line = true;
        loop {
            let token = lexer.token();
            let (start, end) = (token.start as usize, token.end as usize);
            match token.kind {
                Kind::Newline => {
                    fresh_line = true;
                    continue;
                }
                Kind::Identifier if token.flags & SPLICED == 0 => {
                    fresh_line = false;
                    let Some(macro_id) = self.find_macro(&text[start..end]) else {
                        continue;
                    };
                    if !self.is_invocation(macro_id, lexer) {
                        continue;
                    }
                    self.output.plain(id, copied, &text[copied..start]);
                    self.file.at = lexer.at;
                    self.file.fresh_line = false;
                    if self.invoke(macro_id, token) {
                        lexer.at = self.file.at;
                        copied = lexer.at;
                    } else {
                        copied = start;
                    }
                }
                Kind::Comment => {
                    self.output.plain(id, copied, &text[copied..start]);
                    self.output.plain(id, start, " ");
                    let newlines = count_newlines(&text[start..end]);
                    self.output.newlines(LinePlace::of(token), newlines);
                    self.comment(token);
                    copied = lexer.at;
                }
                Kind::Splice => {
                    self.output.plain(id, copied, &text[copied..start]);
                    copied = lexer.at;
                }
                Kind::Hash if fresh_line => {
                    self.output.plain(id, copied, &text[copied..start]);
                    self.file.at = lexer.at;
                    if let Some(included) = self.directive(token) {
                        self.read_file(included.file, included.system);
                    }
                    lexer.at = self.file.at;
                    copied = lexer.at;
                    let newlines = count_newlines(&text[start..copied]);
                    self.output.newlines(LinePlace::of(token), newlines);
                }
                Kind::End => {
                    self.output.plain(id, copied, &text[copied..]);
                    return;
                }
                _ if token.flags & SPLICED != 0 => {
                    fresh_line = false;
                    self.output.plain(id, copied, &text[copied..start]);
                    self.file.at = lexer.at;
                    if self.spliced(token, text, lexer) {
                        lexer.at = self.file.at;
                    }
                    copied = lexer.at;
                }
                _ => fresh_line = false,
            }
        }
    }

    /// A token with line continuations inside; true where it was a macro and is expanded.
    #[cold]
    fn spliced(&mut self, token: Token, text: &str, lexer: Lexer) -> bool {
        let clean = self.without_splices(token);
        if clean.kind == Kind::Identifier
            && let Some(macro_id) = self.find_macro(self.text(clean))
            && self.is_invocation(macro_id, lexer)
            && self.invoke(macro_id, token)
        {
            return true;
        }
        let start = token.start as usize;
        for (offset, part) in unspliced(&text[start..token.end as usize]) {
            self.output.plain(token.text, start + offset, part);
        }
        false
    }

    /// Whether the name of a macro, read last, is followed by what the macro needs.
    fn is_invocation(&self, id: MacroId, mut lexer: Lexer) -> bool {
        let definition = &self.macros[id as usize];
        if definition.special == Some(Special::HasInclude) {
            return false;
        }
        definition.parameters.is_none()
            || loop {
                match lexer.token().kind {
                    Kind::Newline | Kind::Comment | Kind::Splice => {}
                    kind => break kind == Kind::Open,
                }
            }
    }

    fn comment(&mut self, token: Token) {
        if !self.file.system && token.text.is_file() {
            let span = Span::new(FileId(token.text.0), token.start, token.end);
            self.comments.push(span);
        }
    }

    /// The next token of the file, for an invocation's arguments: directives are followed,
    /// line ends are given.
    fn next_of_file(&mut self) -> Token {
        self.file_touched = true;
        let mut space = false;
        loop {
            let mut lexer = Lexer::new(&self.file.text, self.file.id, self.file.at);
            let token = lexer.token();
            let at = lexer.at;
            match token.kind {
                Kind::Comment => {
                    self.file.at = at;
                    self.comment(token);
                    space = true;
                }
                Kind::Splice => {
                    self.file.at = at;
                    space |= token.spaced();
                }
                Kind::Hash if self.file.fresh_line && !self.peeking => {
                    if self.saved_conditionals.is_none() {
                        self.saved_conditionals = Some(self.conditionals.clone());
                    }
                    self.file.at = at;
                    if self.directive(token).is_some() {
                        let message = "a file included inside an invocation is not read";
                        let kind = NoteKind::MalformedDirective;
                        self.note(LinePlace::of(token), kind, message.into());
                    }
                }
                _ => {
                    self.file.at = at;
                    self.file.fresh_line = token.kind == Kind::Newline;
                    return self.without_splices(token.with_space(token.spaced() || space));
                }
            }
        }
    }

    /// The file at a normalised path, read once.
    fn open(&mut self, path: &Path) -> Option<FileId> {
        if let Some(known) = self.files.get(path) {
            return *known;
        }
        self.places_looked_at += 1;
        let file = self
            .includes
            .read(path)
            .map(|file| self.sources.add_file(file));
        self.files.insert(path.to_owned(), file);
        file
    }
}

fn count_newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// A path without `.` and, as far as its own text goes, without `..`.
fn normalise(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match normal.components().next_back() {
                Some(Component::Normal(_)) => {
                    normal.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => normal.push(".."),
            },
            other => normal.push(other),
        }
    }
    normal
}
