//! Directives.
//!
//! Given the file at a `#` that starts a line, does what the directive says:
//! definitions, conditionals with the inactive lines they pass, and which file
//! an `#include` names. Problems become notes. Knows nothing of how macros
//! expand, and reads no file.

use crate::source::FileId;

use super::Preprocessor;
use super::builtins;
use super::conditions;
use super::expanded::{LinePlace, NoteKind};
use super::inclusion::Included;
use super::macros::{MacroId, NO_MACRO};
use super::substitute::Definition;
use super::tokens::{Kind, Lexer, Token};
use super::undefined::NameId;

/// A macro with more parameters is malformed.
const MOST_PARAMETERS: usize = 4096;

#[derive(Clone, Copy)]
pub(super) struct Conditional {
    /// A branch was active already.
    taken: bool,
    had_else: bool,
    pub opened: LinePlace,
    /// What the present branch hangs on, where nobody defines it.
    undefined: Option<NameId>,
}

enum Branch {
    If,
    Ifdef,
    Ifndef,
    Elif,
    Elifdef,
    Elifndef,
    Else,
    Endif,
}

impl Branch {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "if" => Self::If,
            "ifdef" => Self::Ifdef,
            "ifndef" => Self::Ifndef,
            "elif" => Self::Elif,
            "elifdef" => Self::Elifdef,
            "elifndef" => Self::Elifndef,
            "else" => Self::Else,
            "endif" => Self::Endif,
            _ => return None,
        })
    }
}

enum Directive {
    Branch(Branch),
    Define,
    Undef,
    Include { next: bool, once: bool },
    Pragma,
    Error,
    Ignored,
    Unknown,
}

impl Directive {
    fn named(name: &str) -> Self {
        match name {
            "define" => Self::Define,
            "undef" => Self::Undef,
            "include" => Self::Include {
                next: false,
                once: false,
            },
            "include_next" => Self::Include {
                next: true,
                once: false,
            },
            "import" => Self::Include {
                next: false,
                once: true,
            },
            "pragma" => Self::Pragma,
            "error" => Self::Error,
            "line" | "warning" | "ident" | "sccs" | "assert" | "unassert" => Self::Ignored,
            _ => Branch::named(name).map_or(Self::Unknown, Self::Branch),
        }
    }
}

impl Preprocessor<'_> {
    /// The next token of a directive's line; the line end is given, not passed.
    fn next_in_line(&mut self) -> Token {
        let mut space = false;
        loop {
            let mut lexer = Lexer::new(&self.file.text, self.file.id, self.file.at);
            let token = lexer.token();
            let at = lexer.at;
            match token.kind {
                Kind::Newline => {
                    self.file.at = token.start as usize;
                    return token;
                }
                Kind::Comment => {
                    self.file.at = at;
                    self.comment(token);
                    space = true;
                }
                Kind::Splice => {
                    self.file.at = at;
                    space |= token.spaced();
                }
                _ => {
                    self.file.at = at;
                    let token = token.with_space(token.spaced() || space);
                    return self.without_splices(token);
                }
            }
        }
    }

    pub(super) fn rest_of_line(&mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        loop {
            let token = self.next_in_line();
            if matches!(token.kind, Kind::Newline | Kind::End) {
                return tokens;
            }
            tokens.push(token);
        }
    }

    fn finish_line(&mut self) {
        while !matches!(self.next_in_line().kind, Kind::Newline | Kind::End) {}
    }

    /// Follows the directive whose `#` was read last, and inactive lines after it.
    /// The file is then at a line end or at its end.
    pub(super) fn directive(&mut self, hash: Token) -> Option<Included> {
        let name = self.next_in_line();
        let mut included = None;
        match name.kind {
            Kind::Newline | Kind::End => return None,
            // `# 12 "file"`, as preprocessed text has it.
            Kind::Number => {}
            Kind::Identifier => {
                let mut place = LinePlace::of(hash);
                place.end = place.end.max(name.end);
                match Directive::named(self.text(name)) {
                    Directive::Branch(branch) => self.branch(&branch, place),
                    Directive::Define => self.define(place),
                    Directive::Undef => self.undefine(place),
                    Directive::Include { next, once } => included = self.include(next, once, place),
                    Directive::Pragma => {
                        let word = self.next_in_line();
                        if word.kind == Kind::Identifier && self.text(word) == "once" {
                            self.once.insert(FileId(self.file.id.0));
                        } else if word.kind == Kind::Identifier
                            && matches!(self.text(word), "pack" | "omp")
                        {
                            // They decide layouts, and how often a statement runs, so they stay: read on as if
                            // they were no directives.
                            self.file.at = name.start as usize;
                            return None;
                        } else if word.kind == Kind::Identifier
                            && matches!(self.text(word), "push_macro" | "pop_macro")
                        {
                            let is_push = self.text(word) == "push_macro";
                            self.keep_macro(is_push);
                        } else if word.kind == Kind::Newline {
                            return None;
                        }
                    }
                    Directive::Error => {
                        let rest = self.rest_of_line();
                        let message: Vec<&str> = rest.iter().map(|t| self.text(*t)).collect();
                        let message = message.join(" ");
                        self.note(place, NoteKind::ErrorDirective, message);
                    }
                    Directive::Ignored => {}
                    Directive::Unknown => {
                        let message = format!("`#{}` is not a directive", self.text(name));
                        self.note(place, NoteKind::MalformedDirective, message);
                    }
                }
            }
            _ => {
                let message = "a directive has no name".to_owned();
                self.note(LinePlace::of(hash), NoteKind::MalformedDirective, message);
            }
        }
        self.finish_line();
        included
    }

    pub(super) fn malformed(&mut self, place: LinePlace, message: &str) {
        self.note(place, NoteKind::MalformedDirective, message.to_owned());
    }

    fn branch(&mut self, branch: &Branch, place: LinePlace) {
        self.undefined.begin();
        let mut is_guard = false;
        let active = match branch {
            Branch::If => self.condition(place),
            Branch::Ifdef => self.is_defined(place) || self.assume_build(place),
            Branch::Ifndef => {
                let active = !self.is_defined(place);
                is_guard = active && self.is_guard();
                active
            }
            Branch::Endif => {
                if self.conditionals.pop().is_none() {
                    self.stray(place);
                }
                return;
            }
            Branch::Else | Branch::Elif | Branch::Elifdef | Branch::Elifndef => {
                let stray = self.conditionals.is_empty();
                if stray {
                    self.stray(place);
                } else if !self.alternative(branch, place) {
                    self.skip_group();
                }
                return;
            }
        };
        let undefined = self.end_condition(place, is_guard);
        self.conditionals.push(Conditional {
            taken: active,
            had_else: false,
            opened: place,
            undefined,
        });
        if !active {
            self.skip_group();
        }
    }

    fn stray(&mut self, place: LinePlace) {
        let message = "this directive belongs to no conditional";
        self.note(place, NoteKind::UnbalancedConditional, message.into());
    }

    /// Whether the branch that `#else` or `#elif` starts is active.
    fn alternative(&mut self, branch: &Branch, place: LinePlace) -> bool {
        let Some(last) = self.conditionals.last().copied() else {
            return true;
        };
        if last.had_else {
            let message = "a branch after `#else`";
            self.note(place, NoteKind::UnbalancedConditional, message.into());
        }
        self.undefined.begin();
        let active = !last.taken
            && match branch {
                Branch::Elif => self.condition(place),
                Branch::Elifdef => self.is_defined(place),
                Branch::Elifndef => !self.is_defined(place),
                _ => true,
            };
        let undefined = self.end_condition(place, false);
        if let Some(last) = self.conditionals.last_mut() {
            // What comes after a branch that was taken hangs on what took it.
            if !last.taken && !matches!(branch, Branch::Else) {
                last.undefined = undefined;
            }
            last.taken |= active;
            last.had_else |= matches!(branch, Branch::Else);
        }
        active
    }

    fn is_defined(&mut self, place: LinePlace) -> bool {
        let name = self.next_in_line();
        if name.kind != Kind::Identifier {
            if matches!(name.kind, Kind::Newline | Kind::End) {
                self.malformed(place, "this directive needs a name");
            }
            return false;
        }
        let is_defined = self.find_macro(self.text(name)).is_some()
            || super::builtins::is_macro_of_toolkit(self.text(name));
        if !is_defined {
            let name = self.text(name).to_owned();
            self.undefined.ask(&name);
        }
        is_defined
    }

    /// Whether the line after the present one defines an empty macro: what keeps a header from being
    /// read twice.
    fn is_guard(&self) -> bool {
        let text = &self.file.text[self.file.at..];
        let mut lines = text.lines().skip(1).map(str::trim_start);
        let next = lines.find(|line| !line.is_empty() && !line.starts_with("//"));
        let define =
            next.and_then(|line| line.strip_prefix('#')?.trim_start().strip_prefix("define"));
        define.is_some_and(|rest| {
            rest.split("//")
                .next()
                .is_some_and(|rest| rest.split_whitespace().count() == 1)
        })
    }

    fn condition(&mut self, place: LinePlace) -> bool {
        let tokens = self.rest_of_line();
        let tokens = self.expand_condition(tokens);
        let spelled: Vec<(Kind, &str)> = tokens
            .iter()
            .map(|token| match (token.kind, self.text(*token)) {
                (Kind::Identifier, "and") => (Kind::Punctuator, "&&"),
                (Kind::Identifier, "or") => (Kind::Punctuator, "||"),
                (Kind::Identifier, "not") => (Kind::Punctuator, "!"),
                (Kind::Identifier, "bitand") => (Kind::Punctuator, "&"),
                (Kind::Identifier, "bitor") => (Kind::Punctuator, "|"),
                (Kind::Identifier, "xor") => (Kind::Punctuator, "^"),
                (Kind::Identifier, "compl") => (Kind::Punctuator, "~"),
                (Kind::Identifier, "not_eq") => (Kind::Punctuator, "!="),
                other => other,
            })
            .collect();
        let (value, note) = conditions::evaluate(&spelled);
        let is_name = |(kind, text): &&(Kind, &str)| {
            *kind == Kind::Identifier
                && !matches!(*text, "true" | "false")
                && !text.starts_with("__has_")
        };
        let names: Vec<String> = spelled
            .iter()
            .filter(is_name)
            .map(|(_, text)| (*text).to_owned())
            .collect();
        names.iter().for_each(|name| self.undefined.ask(name));
        if let Some(message) = note {
            self.note(place, NoteKind::MalformedDirective, message);
        }
        value
    }

    /// Passes the lines of an inactive branch, to the end of the line that ends it.
    fn skip_group(&mut self) {
        let text = self.file.text.clone();
        let id = self.file.id;
        let mut lexer = Lexer::new(&text, id, self.file.at);
        let mut depth = 0usize;
        let mut from = self.file.at;
        loop {
            match lexer.token().kind {
                Kind::Newline => {}
                Kind::End => break,
                _ => continue,
            }
            let hash = past_comments(&mut lexer);
            if hash.kind != Kind::Hash {
                lexer.at = hash.start as usize;
                continue;
            }
            let name = past_comments(&mut lexer);
            if name.kind != Kind::Identifier {
                lexer.at = name.start as usize;
                continue;
            }
            let Some(branch) = Branch::named(&text[name.start as usize..name.end as usize]) else {
                continue;
            };
            match branch {
                Branch::If | Branch::Ifdef | Branch::Ifndef => depth += 1,
                Branch::Endif if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                Branch::Endif => {
                    let ended = self.conditionals.pop();
                    self.note_skipped(
                        from,
                        hash.start as usize,
                        ended.and_then(|one| one.undefined),
                    );
                    break;
                }
                _ => {
                    let ended = self.conditionals.last();
                    let undefined = ended.and_then(|one| one.undefined);
                    self.note_skipped(from, hash.start as usize, undefined);
                    from = lexer.at;
                    self.file.at = lexer.at;
                    let mut place = LinePlace::of(hash);
                    place.end = name.end;
                    if self.alternative(&branch, place) {
                        return;
                    }
                    lexer.at = self.file.at;
                }
            }
        }
        self.file.at = lexer.at;
    }

    fn define(&mut self, place: LinePlace) {
        let name = self.next_in_line();
        if name.kind != Kind::Identifier {
            self.malformed(place, "`#define` needs a name");
            return;
        }
        let text = self.file.id;
        let mut parameters = None;
        if self.file.text.as_bytes().get(self.file.at) == Some(&b'(') {
            let open = self.next_in_line();
            let mut words = 0usize;
            let mut after_word = false;
            let mut ellipsis = false;
            let close = loop {
                let token = self.next_in_line();
                let fits = match token.kind {
                    Kind::Close if after_word || words == 0 => break token,
                    Kind::Identifier => !after_word && !ellipsis,
                    Kind::Comma => after_word && !ellipsis,
                    Kind::Ellipsis => !ellipsis,
                    _ => false,
                };
                if !fits || words >= MOST_PARAMETERS {
                    self.malformed(place, "malformed parameters of a macro");
                    return;
                }
                words += usize::from(token.kind != Kind::Comma);
                after_word = token.kind != Kind::Comma;
                ellipsis |= token.kind == Kind::Ellipsis;
            };
            parameters = Some((open.start, close.end));
        }
        let mut body: Option<(u32, u32)> = None;
        loop {
            let mut lexer = Lexer::new(&self.file.text, text, self.file.at);
            let token = lexer.token();
            let at = lexer.at;
            match token.kind {
                Kind::Newline | Kind::End => break,
                Kind::Comment => self.comment(token),
                Kind::Splice => {}
                _ => body = Some((body.map_or(token.start, |body| body.0), token.end)),
            }
            self.file.at = at;
        }
        let at = self.file.at as u32;
        let spelling = self.text(name);
        if spelling == "defined" || builtins::is_cuda_word(spelling) {
            return;
        }
        let spelling: Box<str> = spelling.into();
        self.names.add(&spelling);
        let id = self.macros.len() as MacroId;
        let definition = Definition::new(text, parameters, body.unwrap_or((at, at)));
        self.macros.push(definition);
        self.table.insert(spelling, id);
    }

    /// Defines a name as nothing, at the present place of the file.
    pub(super) fn define_empty(&mut self, name: Box<str>) {
        let at = self.file.at as u32;
        let id = self.macros.len() as MacroId;
        let definition = Definition::new(self.file.id, None, (at, at));
        self.macros.push(definition);
        self.names.add(&name);
        self.table.insert(name, id);
    }

    /// `#pragma push_macro("NAME")` and `pop_macro`: a macro, or that there is none, is put aside and taken back.
    fn keep_macro(&mut self, is_push: bool) {
        let tokens = self.rest_of_line();
        let string = tokens.iter().find(|token| token.kind == Kind::String);
        let Some(name) = string.map(|token| self.text(*token).trim_matches('"').to_owned()) else {
            return;
        };
        let name: Box<str> = name.into();
        if is_push {
            let id = self.find_macro(&name).unwrap_or(NO_MACRO);
            self.kept_macros.entry(name).or_default().push(id);
        } else if let Some(id) = self.kept_macros.get_mut(&name).and_then(Vec::pop) {
            self.names.add(&name);
            self.table.insert(name, id);
        }
    }

    fn undefine(&mut self, place: LinePlace) {
        let name = self.next_in_line();
        if name.kind != Kind::Identifier {
            self.malformed(place, "`#undef` needs a name");
            return;
        }
        let spelling: Box<str> = self.text(name).into();
        self.undefined.undefine(&spelling);
        if self.find_macro(&spelling).is_some() {
            self.table.insert(spelling, NO_MACRO);
        }
    }
}

fn past_comments(lexer: &mut Lexer) -> Token {
    loop {
        let token = lexer.token();
        if !matches!(token.kind, Kind::Comment | Kind::Splice) {
            return token;
        }
    }
}
