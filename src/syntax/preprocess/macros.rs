//! Macro expansion.
//!
//! Given macro definitions and the name of one in the text, gives the tokens
//! that the C standard says: arguments, `#`, `##`, `__VA_ARGS__`, `__VA_OPT__`,
//! rescanning, and never a macro inside its own expansion. GNU's `, ## rest`
//! and named variadics are known. Works within budgets of tokens and depth;
//! where one runs out the text is left as it stands. Reads the file that is
//! being preprocessed through the driver, and knows nothing of directives.

use std::rc::Rc;

use crate::source::{FileId, Span};

use super::Preprocessor;
use super::builtins::{self, Special};
use super::expanded::{LinePlace, NoteKind};
use super::substitute::{Arguments, Body, text_of};
use super::tokens::{Kind, Lexer, PAINTED, TextId, Token};

/// Index of a definition. A macro that is defined anew gets a new one.
pub(super) type MacroId = u32;

/// No macro, in a context and in the table of names.
pub(super) const NO_MACRO: MacroId = u32::MAX;

/// Tokens to be read before the file goes on.
pub(super) struct Context {
    tokens: Rc<Vec<Token>>,
    at: usize,
    /// The macro that they are the expansion of.
    of: MacroId,
    /// Reading stops at the end until the context is removed.
    barrier: bool,
    /// Replaces the `SPACE` flag of the first token.
    space: Option<bool>,
}

/// Where a file is read, to go back to.
#[derive(Clone, Copy)]
struct FileState {
    at: usize,
    fresh_line: bool,
    comments: usize,
}

impl Preprocessor<'_> {
    /// The macro that a name stands for now.
    #[inline]
    pub(super) fn find_macro(&self, name: &str) -> Option<MacroId> {
        if !self.names.may_hold(name) {
            return None;
        }
        match self.table.get(name) {
            Some(&id) => {
                if id == self.arch {
                    self.has_asked.set(true);
                }
                (id != NO_MACRO).then_some(id)
            }
            None => builtins::built_ins().find(name),
        }
    }

    /// Expands the macro named by `name`, a token of the file, into the output; the file is read
    /// to the end of the invocation. False, with nothing changed, where it is no invocation.
    pub(super) fn invoke(&mut self, id: MacroId, name: Token) -> bool {
        if self.is_exhausted(name) {
            return false;
        }
        let at = self.file.at;
        let comments = self.comments.len();
        let mark = self.output.mark();
        let site = Span::new(FileId(name.text.0), name.start, name.end);
        self.invocation = Some(name);
        self.steps = 0;
        self.overflow = None;
        self.saved_conditionals = None;
        self.output.begin_invocation(site);
        let mut done = self.enter(id, name);
        if done {
            while self.settle() {
                let token = self.next_expanded();
                if token.kind == Kind::End || self.overflow.is_some() {
                    break;
                }
                self.emit(token);
            }
        }
        self.total_steps += self.steps;
        if let Some(limit) = self.overflow.take() {
            done = false;
            let message = format!("expanding this macro needs {limit}; it is left as it is");
            self.note(LinePlace::of(name), NoteKind::LimitReached, message);
        }
        while let Some(context) = self.contexts.pop() {
            self.leave(&context);
        }
        self.argument_depth = 0;
        self.invocation = None;
        if done {
            let text = &self.file.text[at.min(self.file.at)..self.file.at];
            let newlines = text.bytes().filter(|b| *b == b'\n').count();
            self.output.end_invocation(self.file.at, newlines);
        } else {
            self.file.at = at;
            self.comments.truncate(comments);
            self.output.rewind(mark);
            if let Some(saved) = self.saved_conditionals.take() {
                self.conditionals = saved;
            }
        }
        done
    }

    /// Whether nothing is expanded any more.
    fn is_exhausted(&mut self, at: Token) -> bool {
        let limits = &self.options.limits;
        if !self.exhausted
            && (self.total_steps > limits.expansion_tokens
                || self.output.text.len() > limits.output_bytes)
        {
            self.exhausted = true;
            let message = "the expansion is too large; macros from here on are left as they are";
            self.note(LinePlace::of(at), NoteKind::LimitReached, message.into());
        }
        self.exhausted
    }

    fn emit(&mut self, token: Token) {
        let (place, linear) = match self.made_from(token) {
            Some(place) => (place, false),
            None => (LinePlace::of(token), true),
        };
        let text = text_of(self.sources, &self.made, &self.command_line, token);
        self.output.token(token, text, place, linear);
        if self.output.text.len() > self.options.limits.output_bytes {
            self.overflow = Some("too much text");
        }
    }

    /// Expands a condition's tokens; `defined` and `__has_include` become numbers.
    pub(super) fn expand_condition(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        self.expand_line(tokens, true)
    }

    /// Expands the tokens of a directive.
    pub(super) fn expand_line(&mut self, tokens: Vec<Token>, condition: bool) -> Vec<Token> {
        if let Some(first) = tokens.first()
            && self.invocation.is_none()
            && self.is_exhausted(*first)
        {
            return tokens;
        }
        let outer_steps = std::mem::take(&mut self.steps);
        let outer = std::mem::replace(&mut self.in_condition, condition);
        let place = tokens.first().map(|token| LinePlace::of(*token));
        let expanded = self.expand_isolated(&tokens);
        self.in_condition = outer;
        if self.invocation.is_none() {
            self.total_steps += self.steps;
            if let Some(limit) = self.overflow.take() {
                let message = format!("expanding this directive needs {limit}; it is not followed");
                if let Some(place) = place {
                    self.note(place, NoteKind::LimitReached, message);
                }
            }
        }
        self.steps += outer_steps;
        expanded
    }

    /// Expands tokens that nothing follows.
    pub(super) fn expand_isolated(&mut self, tokens: &[Token]) -> Vec<Token> {
        let worth = |token: &Token| token.kind == Kind::Identifier && token.flags & PAINTED == 0;
        let any = tokens
            .iter()
            .any(|token| worth(token) && self.find_macro(self.text(*token)).is_some());
        if !any && !self.in_condition {
            return tokens.to_vec();
        }
        if self.argument_depth >= self.options.limits.expansion_depth {
            self.overflow = Some("invocations nested too deeply");
            return Vec::new();
        }
        self.argument_depth += 1;
        self.steps += tokens.len();
        let floor = self.contexts.len();
        self.contexts.push(Context {
            tokens: Rc::new(tokens.to_vec()),
            at: 0,
            of: NO_MACRO,
            barrier: true,
            space: None,
        });
        let mut expanded = Vec::with_capacity(tokens.len());
        loop {
            let token = self.next_expanded();
            if token.kind == Kind::End {
                break;
            }
            expanded.push(token);
        }
        while self.contexts.len() > floor {
            if let Some(context) = self.contexts.pop() {
                self.leave(&context);
            }
        }
        self.argument_depth -= 1;
        expanded
    }

    fn leave(&mut self, context: &Context) {
        if let Some(definition) = self.macros.get_mut(context.of as usize) {
            definition.active -= 1;
        }
    }

    fn push(&mut self, tokens: Rc<Vec<Token>>, of: MacroId, space: Option<bool>) {
        self.steps += tokens.len() + 1;
        if let Some(definition) = self.macros.get_mut(of as usize) {
            definition.active += 1;
        }
        self.contexts.push(Context {
            tokens,
            at: 0,
            of,
            barrier: false,
            space,
        });
    }

    /// Leaves contexts that are read to their end; false where none is left.
    fn settle(&mut self) -> bool {
        while let Some(context) = self.contexts.last() {
            if context.at < context.tokens.len() || context.barrier {
                return true;
            }
            if let Some(context) = self.contexts.pop() {
                self.leave(&context);
            }
        }
        false
    }

    /// The next token, not expanded; beyond the contexts it is the file's.
    fn next_raw(&mut self) -> Token {
        let end = Token::new(Kind::End, TextId::MADE, 0, 0);
        if self.steps > self.options.limits.invocation_tokens {
            self.overflow = Some("too many tokens");
        }
        if self.overflow.is_some() {
            return end;
        }
        if !self.settle() {
            self.steps += 1;
            return self.next_of_file();
        }
        let Some(context) = self.contexts.last_mut() else {
            return end;
        };
        let Some(&token) = context.tokens.get(context.at) else {
            return end;
        };
        context.at += 1;
        match context.space.take() {
            Some(space) => token.with_space(space),
            None => token,
        }
    }

    fn next_expanded(&mut self) -> Token {
        loop {
            let mut token = self.next_raw();
            if token.kind != Kind::Identifier || token.flags & PAINTED != 0 {
                return token;
            }
            if self.in_condition
                && let Some(answer) = self.condition_operator(token)
            {
                return answer;
            }
            let Some(id) = self.find_macro(self.text(token)) else {
                return token;
            };
            if self.macros[id as usize].active > 0 {
                token.flags |= PAINTED;
                return token;
            }
            if !self.enter(id, token) {
                return token;
            }
        }
    }

    /// Answers `defined X`, `defined(X)` and `__has_include(...)`.
    fn condition_operator(&mut self, token: Token) -> Option<Token> {
        let answer = match self.text(token) {
            "defined" => {
                let mut name = self.next_raw();
                let parenthesis = name.kind == Kind::Open;
                if parenthesis {
                    name = self.next_raw();
                }
                let found =
                    name.kind == Kind::Identifier && self.find_macro(self.text(name)).is_some();
                if !found && name.kind == Kind::Identifier {
                    let name = self.text(name).to_owned();
                    self.undefined.ask(&name);
                }
                if parenthesis {
                    self.next_raw();
                }
                found
            }
            "__has_include" | "__has_include_next" => {
                if self.next_raw().kind != Kind::Open {
                    return None;
                }
                let mut header = Vec::new();
                loop {
                    let token = self.next_raw();
                    if matches!(token.kind, Kind::Close | Kind::End) {
                        break;
                    }
                    header.push(token);
                }
                self.has_include(&header)
            }
            _ => return None,
        };
        // The made text starts with both digits.
        let digit = u32::from(answer);
        Some(Token::new(Kind::Number, TextId::MADE, digit, digit + 1))
    }

    /// Starts the expansion of a macro; false where its name stands without arguments.
    fn enter(&mut self, id: MacroId, name: Token) -> bool {
        if let Some(special) = self.macros[id as usize].special {
            return self.enter_special(special, name);
        }
        let body = self.body(id);
        let space = Some(name.spaced());
        if self.macros[id as usize].parameters.is_none() {
            let tokens = if body.literal {
                body.tokens.clone()
            } else {
                let none = Arguments {
                    tokens: Vec::new(),
                    ends: Vec::new(),
                };
                Rc::new(self.substitute(&body, &none))
            };
            self.push(tokens, id, space);
            return true;
        }
        let Some(arguments) = self.arguments(&body, name) else {
            return false;
        };
        let id = self.meant_by(id, &arguments);
        let body = self.body(id);
        let pragma = self.layout_pragma(name, &arguments);
        let tokens = if let Some(tokens) = pragma {
            Rc::new(tokens)
        } else if body.literal {
            body.tokens.clone()
        } else {
            Rc::new(self.substitute(&body, &arguments))
        };
        self.push(tokens, id, space);
        true
    }

    /// What `_Pragma("pack(push, 1)")` leaves of itself: as `#pragma pack`, it decides layouts, and is read on.
    fn layout_pragma(&mut self, name: Token, arguments: &Arguments) -> Option<Vec<Token>> {
        if self.text(name) != "_Pragma" {
            return None;
        }
        let [text] = arguments.get(0) else {
            return None;
        };
        let inner = self.text(*text).strip_prefix('"')?.strip_suffix('"')?;
        let spelling = format!("pragma {}", inner.trim());
        if !spelling.starts_with("pragma pack") {
            return None;
        }
        let place = self.made_from(name).unwrap_or(LinePlace::of(name));
        let mut lexer = Lexer::new(&spelling, TextId::MADE, 0);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.token();
            if token.kind == Kind::End {
                break;
            }
            let part = &spelling[token.start as usize..token.end as usize];
            tokens.push(self.make(token.kind, part, place).with_space(true));
        }
        Some(tokens)
    }

    fn enter_special(&mut self, special: Special, name: Token) -> bool {
        let at = self.invocation.unwrap_or(name);
        let spelling = match special {
            Special::HasInclude => return false,
            Special::Counter => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            Special::Line | Special::File if !at.text.is_file() => "0".to_owned(),
            Special::Line => self
                .sources
                .get(FileId(at.text.0))
                .line(at.start)
                .to_string(),
            Special::File => {
                let path = &self.sources.get(FileId(at.text.0)).path;
                format!("{:?}", path.to_string_lossy())
            }
        };
        let kind = if special == Special::File {
            Kind::String
        } else {
            Kind::Number
        };
        let place = self.made_from(name).unwrap_or(LinePlace::of(name));
        let token = self.make(kind, &spelling, place).with_space(name.spaced());
        self.push(Rc::new(vec![token]), NO_MACRO, None);
        true
    }

    /// Reads the arguments of an invocation. None where there are none: all is as before then.
    fn arguments(&mut self, body: &Body, name: Token) -> Option<Arguments> {
        let start = FileState {
            at: self.file.at,
            fresh_line: self.file.fresh_line,
            comments: self.comments.len(),
        };
        // What came from contexts, in case it has to be read again.
        let mut taken: Vec<Token> = Vec::new();
        let open = self.open_of_invocation(start)?;
        if !self.file_touched {
            taken.push(open);
        }
        let conditionals = self.saved_conditionals.take();
        let (mut arguments, complete) = self.split_arguments(body, &mut taken);
        if complete {
            if body.parameters > 0 || !arguments.tokens.is_empty() || !arguments.ends.is_empty() {
                arguments.ends.push(arguments.tokens.len());
            }
            let given = arguments.ends.len();
            let optional = usize::from(body.variadic);
            if given == body.parameters || given + optional == body.parameters {
                // The earliest state is the one to go back to.
                if conditionals.is_some() {
                    self.saved_conditionals = conditionals;
                }
                return Some(arguments);
            }
        }
        if self.overflow.is_none() {
            let message = if complete {
                let (expected, given) = (body.parameters, arguments.ends.len());
                format!(
                    "the macro takes {expected} arguments, {given} are given; it is left as it is"
                )
            } else {
                "the invocation has no closing parenthesis; it is left as it is".to_owned()
            };
            self.note(LinePlace::of(name), NoteKind::MalformedInvocation, message);
        }
        if self.file_touched {
            self.go_back(start);
            if let Some(saved) = self.saved_conditionals.take() {
                self.conditionals = saved;
            }
        }
        self.saved_conditionals = conditionals;
        self.push(Rc::new(taken), NO_MACRO, None);
        None
    }

    /// The parenthesis behind the name of a macro. None where there is none: all is as before then.
    fn open_of_invocation(&mut self, start: FileState) -> Option<Token> {
        self.file_touched = false;
        self.peeking = true;
        let token = loop {
            let token = self.next_raw();
            if token.kind != Kind::Newline {
                break token;
            }
        };
        self.peeking = false;
        if token.kind == Kind::Open {
            return Some(token);
        }
        if self.file_touched {
            self.go_back(start);
        } else if token.kind != Kind::End {
            self.push(Rc::new(vec![token]), NO_MACRO, None);
        }
        None
    }

    fn go_back(&mut self, start: FileState) {
        self.file.at = start.at;
        self.file.fresh_line = start.fresh_line;
        self.comments.truncate(start.comments);
    }

    /// The arguments up to the closing parenthesis, and whether there is one. `taken` gets the tokens that came
    /// from contexts.
    fn split_arguments(&mut self, body: &Body, taken: &mut Vec<Token>) -> (Arguments, bool) {
        let mut arguments = Arguments {
            tokens: Vec::new(),
            ends: Vec::new(),
        };
        let mut depth = 1usize;
        let mut space = false;
        let complete = loop {
            let token = self.next_raw();
            self.steps += 1;
            if !self.file_touched && token.kind != Kind::End {
                taken.push(token);
            }
            match token.kind {
                Kind::End => break false,
                Kind::Newline => {
                    space = true;
                    continue;
                }
                Kind::Open => depth += 1,
                Kind::Close => {
                    depth -= 1;
                    if depth == 0 {
                        break true;
                    }
                }
                Kind::Comma if depth == 1 => {
                    let last = body.variadic && arguments.ends.len() + 1 >= body.parameters;
                    if !last {
                        arguments.ends.push(arguments.tokens.len());
                        space = false;
                        continue;
                    }
                }
                _ => {}
            }
            let spaced = token.spaced() || space;
            arguments.tokens.push(token.with_space(spaced));
            space = false;
        };
        (arguments, complete)
    }
}
