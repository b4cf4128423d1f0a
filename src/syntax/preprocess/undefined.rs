//! Conditions that hang on names which nobody defines.
//!
//! A condition that asks for such a name decides what is compiled. Where the part that it leaves out holds
//! a kernel or a launch, or where a header that might define the name was not found, that is said.

use rustc_hash::FxHashSet;

use super::Preprocessor;
use super::expanded::{LinePlace, NoteKind};
use super::tokens::{Kind, Lexer, TextId, Token};
use crate::source::FileId;
use crate::syntax::library;

/// Names that nobody defined and that conditions asked for.
#[derive(Default)]
pub(super) struct Undefined {
    /// Those of the present condition.
    asked: Vec<Box<str>>,
    /// What conditionals refer to.
    names: Vec<Box<str>>,
    /// Those that conditions asked for before, and those that the text undefines.
    met: FxHashSet<Box<str>>,
    /// Names that were told to be open.
    told: FxHashSet<Box<str>>,
    /// The first header that was not found.
    missing: Option<Box<str>>,
    /// The first name without which a kernel or a launch of the main file is not compiled.
    hiding: Option<Hiding>,
}

/// A name that is not defined, and a kernel or launch of the main file that hangs on it.
pub(super) struct Hiding {
    pub name: Box<str>,
    pub place: LinePlace,
}

/// A name in the table of [`Undefined`].
#[derive(Clone, Copy)]
pub(super) struct NameId(u32);

/// Names that the compiler or the system defines, or else nobody.
fn is_reserved(name: &str) -> bool {
    name.starts_with('_') || matches!(name, "NDEBUG" | "WIN32" | "WIN64" | "linux" | "unix")
}

impl Undefined {
    /// A condition asks for a name that is no macro.
    pub fn ask(&mut self, name: &str) {
        self.asked.push(name.into());
    }

    pub fn begin(&mut self) {
        self.asked.clear();
    }

    /// The text says that a name is no macro.
    pub fn undefine(&mut self, name: &str) {
        self.met.insert(name.into());
    }

    pub fn into_hiding(self) -> Option<Hiding> {
        self.hiding
    }

    /// A header was not found that is none of the toolkit.
    pub fn note_missing(&mut self, header: &str) {
        self.missing.get_or_insert_with(|| header.into());
    }
}

impl Preprocessor<'_> {
    /// Ends a condition: the name that it hangs on, where it is not defined. A `guard` is none that
    /// a header decides.
    pub(super) fn end_condition(&mut self, place: LinePlace, is_guard: bool) -> Option<NameId> {
        let asked = std::mem::take(&mut self.undefined.asked);
        self.undefined.met.extend(asked.iter().cloned());
        if is_guard || asked.first().is_none_or(|name| is_reserved(name)) {
            return None;
        }
        let is_library = self.file.id.is_file()
            && library::is_one(&self.sources.get(FileId(self.file.id.0)).path);
        if let Some(header) = self.undefined.missing.clone().filter(|_| !is_library) {
            for name in asked.iter().filter(|name| !is_reserved(name)) {
                if self.undefined.told.insert(name.clone()) {
                    let message = format!(
                        "assumes that `{name}` is not defined; {header}, which was not found, may define it"
                    );
                    self.note(place, NoteKind::OpenCondition, message);
                }
            }
        }
        let first = asked.into_iter().next()?;
        self.undefined.names.push(first);
        Some(NameId(self.undefined.names.len() as u32 - 1))
    }

    /// Takes the first `#ifdef` that asks for a name for one that a build system sets, where all that hangs on
    /// it are cases of a dispatch: the name is defined from here on, and that is said.
    pub(super) fn assume_build(&mut self, place: LinePlace) -> bool {
        let Some(name) = self.undefined.asked.first().cloned() else {
            return false;
        };
        let is_met = self.undefined.met.contains(&name);
        if is_met || is_reserved(&name) || !only_adds_cases(&self.file.text[self.file.at..]) {
            return false;
        }
        self.undefined.asked.clear();
        let message = format!(
            "assumes that `{name}` is defined: without it macros that add a case to a `switch` are empty; use -U {name} if a build leaves it out"
        );
        self.note(place, NoteKind::OpenCondition, message);
        self.define_empty(name);
        true
    }

    /// Says which kernels and launches stand in a part that is not compiled.
    pub(super) fn note_skipped(&mut self, from: usize, to: usize, name: Option<NameId>) {
        let text = self.file.text.clone();
        let Some(part) = text.get(from..to) else {
            return;
        };
        if self.file.system || !(part.contains("__global__") || part.contains("<<<")) {
            return;
        }
        let name = name.and_then(|NameId(at)| self.undefined.names.get(at as usize).cloned());
        let why = match &name {
            Some(name) => format!("as `{name}` is not defined; use -D {name}"),
            None => "as the condition does not hold".to_owned(),
        };
        let is_open = name.is_some();
        let kind = |kind| if is_open { kind } else { NoteKind::SkippedText };
        let found = found_in(&text, self.file.id, from, to);
        let first = found.kernels.first().copied().or(found.launch);
        if let (Some(name), Some(first)) = (name, first)
            && self.file.id.0 == self.main.0
        {
            let place = LinePlace::of(first);
            self.undefined.hiding.get_or_insert(Hiding { name, place });
        }
        for kernel in found.kernels {
            let message = format!("it is not compiled, {why}");
            self.note(
                LinePlace::of(kernel),
                kind(NoteKind::SkippedKernel),
                message,
            );
        }
        if let Some(launch) = found.launch {
            let message = format!("a launch that is not compiled, {why}");
            self.note(
                LinePlace::of(launch),
                kind(NoteKind::SkippedLaunch),
                message,
            );
        }
    }
}

/// What a text defines and does.
struct Found {
    /// The names of kernels with bodies.
    kernels: Vec<Token>,
    /// The first launch.
    launch: Option<Token>,
}

fn found_in(text: &str, id: TextId, from: usize, to: usize) -> Found {
    let mut out = Found {
        kernels: Vec::new(),
        launch: None,
    };
    let mut lexer = Lexer::until(text, id, from, to);
    let spelled = |token: Token| &text[token.start as usize..token.end as usize];
    // The kernel whose name, and whose parameters, are being read.
    let mut is_kernel = false;
    let mut name: Option<Token> = None;
    let mut last: Option<Token> = None;
    let mut depth = 0usize;
    loop {
        let token = lexer.token();
        match token.kind {
            Kind::End => return out,
            Kind::Newline | Kind::Comment | Kind::Splice => continue,
            Kind::Identifier if depth == 0 && spelled(token) == "__global__" => {
                (is_kernel, name) = (true, None);
            }
            Kind::Open => {
                let word = last.filter(|last| last.kind == Kind::Identifier);
                if depth == 0
                    && is_kernel
                    && let Some(word) = word.filter(|word| !spelled(*word).starts_with("__"))
                {
                    name = Some(word);
                }
                depth += 1;
            }
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Punctuator if depth == 0 => match spelled(token) {
                ";" => is_kernel = false,
                "{" if is_kernel => {
                    out.kernels.extend(name.take());
                    is_kernel = false;
                }
                "<<<" if out.launch.is_none() => out.launch = Some(token),
                _ => {}
            },
            Kind::Punctuator if spelled(token) == "<<<" && out.launch.is_none() => {
                out.launch = Some(token);
            }
            _ => {}
        }
        last = Some(token);
    }
}

/// Whether the lines up to `#else` define macros that are a `case` each, and those up to `#endif` the same
/// macros as nothing.
fn only_adds_cases(text: &str) -> bool {
    /// Lines of one such part.
    const MOST_LINES: usize = 200;
    let mut lines = text.lines().skip(1).take(MOST_LINES);
    let mut cases: Vec<&str> = Vec::new();
    let mut empty: Vec<&str> = Vec::new();
    let mut is_else = false;
    while let Some(line) = lines.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let Some(directive) = line.strip_prefix('#').map(str::trim_start) else {
            return false;
        };
        if directive == "endif" || directive.starts_with("endif ") {
            return is_else && !cases.is_empty() && cases == empty;
        }
        if directive == "else" || directive.starts_with("else ") {
            if is_else {
                return false;
            }
            is_else = true;
            continue;
        }
        let Some((name, rest)) = directive
            .strip_prefix("define ")
            .and_then(|rest| rest.split_once('('))
        else {
            return false;
        };
        let Some((_, first)) = rest.split_once(')') else {
            return false;
        };
        let mut body = first.trim().to_owned();
        while let Some(before) = body.strip_suffix('\\').map(str::len) {
            body.truncate(before);
            body.push_str(lines.next().unwrap_or("").trim());
        }
        let body = body.trim();
        match is_else {
            true if body.is_empty() => empty.push(name.trim()),
            false if body.starts_with("case ") => cases.push(name.trim()),
            _ => return false,
        }
    }
    false
}
