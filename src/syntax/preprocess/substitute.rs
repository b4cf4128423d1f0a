//! Macro bodies.
//!
//! Given a definition and an invocation's arguments, gives the tokens that the
//! body stands for: parameters, `#`, `##`, `__VA_ARGS__`, `__VA_OPT__`, GNU's
//! named variadics and `, ## rest`. Bodies are read when they are used first.
//! Holds the spellings of tokens that stand in no file. Knows nothing of
//! rescanning, nor of where invocations are found.

use std::rc::Rc;

use crate::source::{FileId, SourceMap, Span};

use super::Preprocessor;
use super::builtins::{self, Special};
use super::expanded::LinePlace;
use super::macros::MacroId;
use super::tokens::{Kind, Lexer, SPACE, SPLICED, TextId, Token, is_word, unspliced};

pub(super) struct Definition {
    pub text: TextId,
    /// From `(` to `)`; none for an object-like macro.
    pub parameters: Option<(u32, u32)>,
    pub body: (u32, u32),
    pub special: Option<Special>,
    /// How many contexts hold its expansion; while there is one its name is not expanded.
    pub active: u32,
    /// Read when the macro is used first: most macros of a header never are.
    parsed: Option<Rc<Body>>,
}

impl Definition {
    pub(super) fn new(text: TextId, parameters: Option<(u32, u32)>, body: (u32, u32)) -> Self {
        Self {
            text,
            parameters,
            body,
            special: None,
            active: 0,
            parsed: None,
        }
    }
}

pub(super) struct Body {
    pub tokens: Rc<Vec<Token>>,
    pub parameters: usize,
    pub variadic: bool,
    /// Whether the tokens are the expansion as they stand.
    pub literal: bool,
}

/// The arguments of an invocation, one after the other.
pub(super) struct Arguments {
    pub tokens: Vec<Token>,
    pub ends: Vec<usize>,
}

impl Arguments {
    pub(super) fn get(&self, index: usize) -> &[Token] {
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.tokens[start..end]
    }
}

impl Preprocessor<'_> {
    /// The body of a macro, read on first use.
    pub(super) fn body(&mut self, id: MacroId) -> Rc<Body> {
        if let Some(body) = &self.macros[id as usize].parsed {
            return body.clone();
        }
        let body = Rc::new(self.read_body(id));
        self.macros[id as usize].parsed = Some(body.clone());
        body
    }

    fn read_body(&mut self, id: MacroId) -> Body {
        let definition = &self.macros[id as usize];
        let (text, parameters, range) = (definition.text, definition.parameters, definition.body);
        if text.is_file() {
            self.bodies
                .push(Span::new(FileId(text.0), range.0, range.1));
        }
        let function = parameters.is_some();
        let (names, variadic) = match parameters {
            Some(list) => self.parameter_names(text, list),
            None => (Vec::new(), false),
        };
        let raw = self.lex(text, range.0, range.1);
        let mut tokens: Vec<Token> = Vec::with_capacity(raw.len());
        let mut literal = true;
        // Indices of `__VA_OPT__(` and the parentheses open since.
        let mut options: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < raw.len() {
            let mut token = raw[at];
            let next = raw.get(at + 1).copied();
            at += 1;
            match token.kind {
                Kind::Hash if function => {
                    if let Some(next) = next
                        && next.kind == Kind::Identifier
                        && let Some(index) = self.parameter_of(&names, next)
                    {
                        token.kind = Kind::Stringify;
                        token.parameter = index as u16;
                        if next.text == token.text {
                            token.end = next.end;
                        }
                        literal = false;
                        at += 1;
                    }
                }
                Kind::HashHash => literal = false,
                Kind::Identifier if function => {
                    if let Some(index) = self.parameter_of(&names, token) {
                        token.kind = Kind::Parameter;
                        token.parameter = index as u16;
                        token.place = self.places.len() as u32;
                        self.places.push(LinePlace::of(token));
                        literal = false;
                    } else if variadic
                        && self.text(token) == "__VA_OPT__"
                        && next.is_some_and(|next| next.kind == Kind::Open)
                    {
                        token.kind = Kind::VaOptOpen;
                        options.push((tokens.len(), 1));
                        literal = false;
                        at += 1;
                    }
                }
                Kind::Open => {
                    if let Some((_, depth)) = options.last_mut() {
                        *depth += 1;
                    }
                }
                Kind::Close => {
                    if let Some(open) = closed_option(&mut options) {
                        token.kind = Kind::VaOptClose;
                        tokens[open].place = tokens.len() as u32;
                    }
                }
                _ => {}
            }
            tokens.push(token);
        }
        // An option that is not closed is none.
        for (open, _) in options {
            tokens[open].kind = Kind::Identifier;
        }
        keep_pastes_between(&mut tokens);
        Body {
            tokens: Rc::new(tokens),
            parameters: names.len(),
            variadic,
            literal,
        }
    }

    /// Which parameter a word in the body of a macro stands for.
    fn parameter_of(&self, names: &[Token], token: Token) -> Option<usize> {
        let word = self.text(token);
        names.iter().position(|name| {
            let name = self.text(*name);
            name == word || (name == "..." && word == "__VA_ARGS__")
        })
    }

    /// The parameters of a macro, and whether the last one takes any number of arguments.
    fn parameter_names(&mut self, text: TextId, list: (u32, u32)) -> (Vec<Token>, bool) {
        let mut names: Vec<Token> = Vec::new();
        let mut variadic = false;
        for token in self.lex(text, list.0 + 1, list.1 - 1) {
            match token.kind {
                Kind::Identifier => names.push(token),
                // `name...` names what is otherwise called `__VA_ARGS__`.
                Kind::Ellipsis => {
                    variadic = true;
                    if self.text_before(token) != Some(Kind::Identifier) {
                        names.push(token);
                    }
                }
                _ => {}
            }
        }
        (names, variadic)
    }

    /// The kind of the token that ends where an ellipsis begins, in the same parameter.
    fn text_before(&self, ellipsis: Token) -> Option<Kind> {
        let text = self.whole_text(ellipsis.text).as_bytes();
        let before = text[..ellipsis.start as usize].trim_ascii_end();
        let last = *before.last()?;
        is_word(last).then_some(Kind::Identifier)
    }

    /// The tokens of a range, without comments and line ends.
    fn lex(&mut self, text: TextId, start: u32, end: u32) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut spliced = false;
        let mut space = false;
        let mut lexer = Lexer::until(self.whole_text(text), text, start as usize, end as usize);
        loop {
            let token = lexer.token();
            match token.kind {
                Kind::End => break,
                Kind::Comment | Kind::Newline => space = true,
                Kind::Splice => space |= token.spaced(),
                _ => {
                    let spaced = (token.spaced() || space) && !tokens.is_empty();
                    spliced |= token.flags & SPLICED != 0;
                    tokens.push(token.with_space(spaced));
                    space = false;
                }
            }
        }
        if spliced {
            for token in &mut tokens {
                *token = self.without_splices(*token);
            }
        }
        tokens
    }

    /// Puts the arguments into the body.
    pub(super) fn substitute(&mut self, body: &Body, arguments: &Arguments) -> Vec<Token> {
        let tokens = &*body.tokens;
        let mut out: Vec<Token> = Vec::with_capacity(tokens.len() + arguments.tokens.len());
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; body.parameters];
        let rest = body.parameters.wrapping_sub(usize::from(body.variadic));
        let mut pasting: Option<LinePlace> = None;
        let mut at = 0;
        while at < tokens.len() && self.overflow.is_none() {
            let token = tokens[at];
            let next = tokens.get(at + 1);
            let next_pastes = next.is_some_and(|next| next.kind == Kind::HashHash);
            at += 1;
            let made;
            let items: &[Token] = match token.kind {
                Kind::HashHash => {
                    let comma = at >= 2 && tokens[at - 2].kind == Kind::Comma;
                    if let Some(next) = next
                        && comma
                        && body.variadic
                        && next.kind == Kind::Parameter
                        && usize::from(next.parameter) == rest
                    {
                        introduce_rest(&mut out, body, arguments, *next);
                        at += 1;
                        continue;
                    }
                    pasting = Some(place_between(&tokens[at - 2], token, next));
                    continue;
                }
                Kind::VaOptOpen => {
                    let rest = self.expanded_argument(&mut expanded, arguments, rest);
                    if !rest.is_empty() {
                        continue;
                    }
                    at = token.place as usize + 1;
                    &[]
                }
                Kind::VaOptClose => continue,
                Kind::Stringify => {
                    made = [self.stringify(arguments.get(usize::from(token.parameter)), token)];
                    &made
                }
                Kind::Parameter => {
                    let index = usize::from(token.parameter);
                    if pasting.is_some() || next_pastes {
                        arguments.get(index)
                    } else {
                        self.expanded_argument(&mut expanded, arguments, index)
                    }
                }
                _ => {
                    made = [token];
                    &made
                }
            };
            let pastes_on = tokens.get(at).is_some_and(|t| t.kind == Kind::HashHash);
            let start = token.start;
            let nothing = [Token::new(Kind::Placemarker, token.text, start, start)];
            let items = if items.is_empty() && (pasting.is_some() || pastes_on) {
                &nothing
            } else {
                items
            };
            match (pasting.take(), items.split_first()) {
                (Some(place), Some((first, others))) => {
                    let right = first.with_space(token.spaced());
                    self.paste_onto(&mut out, right, place);
                    let from = out.len();
                    out.extend_from_slice(others);
                    mark_place(&mut out[from..], token);
                }
                _ => append(&mut out, items, token),
            }
            self.steps += items.len();
            if self.steps > self.options.limits.invocation_tokens {
                self.overflow = Some("too many tokens");
            }
        }
        out.retain(|token| token.kind != Kind::Placemarker);
        out
    }

    /// Pastes a token onto the last one of `out`.
    fn paste_onto(&mut self, out: &mut Vec<Token>, right: Token, place: LinePlace) {
        let (pasted, apart) = match out.pop() {
            Some(left) => self.paste(left, right, place),
            None => (right, None),
        };
        out.push(pasted);
        out.extend(apart);
    }

    fn expanded_argument<'e>(
        &mut self,
        expanded: &'e mut [Option<Vec<Token>>],
        arguments: &Arguments,
        index: usize,
    ) -> &'e [Token] {
        let Some(slot) = expanded.get_mut(index) else {
            return &[];
        };
        slot.get_or_insert_with(|| self.expand_isolated(arguments.get(index)))
    }

    /// One token of two; both where they make none.
    fn paste(&mut self, left: Token, right: Token, place: LinePlace) -> (Token, Option<Token>) {
        if left.kind == Kind::Placemarker {
            return (right.with_space(left.spaced()), None);
        }
        if right.kind == Kind::Placemarker {
            return (left, None);
        }
        let spelling = format!("{}{}", self.text(left), self.text(right));
        let mut lexer = Lexer::new(&spelling, TextId::MADE, 0);
        let token = lexer.token();
        let one = lexer.at == spelling.len()
            && !matches!(token.kind, Kind::Comment | Kind::Newline | Kind::Splice);
        if !one {
            return (left, Some(right));
        }
        let mut pasted = self.make(token.kind, &spelling, place);
        pasted.flags = left.flags & SPACE;
        (pasted, None)
    }

    fn stringify(&mut self, argument: &[Token], operator: Token) -> Token {
        let mut spelling = String::from("\"");
        for (at, token) in argument.iter().enumerate() {
            if at > 0 && token.spaced() {
                spelling.push(' ');
            }
            if spelling.len() > self.options.limits.output_bytes {
                self.overflow = Some("too much text");
                break;
            }
            let text = self.text(*token);
            if matches!(token.kind, Kind::String | Kind::Char) {
                for c in text.chars() {
                    match c {
                        '"' | '\\' => spelling.extend(['\\', c]),
                        '\n' => spelling.push_str("\\n"),
                        _ => spelling.push(c),
                    }
                }
            } else {
                spelling.push_str(text);
            }
        }
        // A lone backslash at the end would escape the quote.
        let backslashes = spelling.bytes().rev().take_while(|b| *b == b'\\').count();
        if backslashes % 2 == 1 {
            spelling.pop();
        }
        spelling.push('"');
        self.make(Kind::String, &spelling, LinePlace::of(operator))
            .with_space(operator.spaced())
    }

    /// The place in a file that a made token stands for.
    pub(super) fn made_from(&self, token: Token) -> Option<LinePlace> {
        if token.text != TextId::MADE {
            return None;
        }
        let after = self
            .made_places
            .partition_point(|(start, _)| *start <= token.start);
        let (_, place) = self.made_places.get(after.checked_sub(1)?)?;
        Some(*place)
    }

    /// A token with a spelling of its own, which stands for `place`.
    pub(super) fn make(&mut self, kind: Kind, spelling: &str, place: LinePlace) -> Token {
        // Spellings can double with every `##`: long ones count for several tokens.
        self.steps += spelling.len() / 8;
        let start = self.made.len() as u32;
        self.made.push_str(spelling);
        self.made_places.push((start, place));
        Token::new(kind, TextId::MADE, start, self.made.len() as u32)
    }

    /// A token of a file or a body without the line continuations inside it.
    pub(super) fn without_splices(&mut self, token: Token) -> Token {
        if token.flags & SPLICED == 0 {
            return token;
        }
        let clean: String = unspliced(self.text(token)).map(|(_, part)| part).collect();
        let mut made = self.make(token.kind, &clean, LinePlace::of(token));
        made.flags = token.flags & !SPLICED;
        made
    }

    /// The spelling of a token.
    #[inline]
    pub(super) fn text(&self, token: Token) -> &str {
        text_of(self.sources, &self.made, &self.command_line, token)
    }

    fn whole_text(&self, text: TextId) -> &str {
        match text {
            TextId::MADE => &self.made,
            TextId::BUILT_IN => builtins::TEXT,
            TextId::COMMAND_LINE => &self.command_line,
            TextId(file) => self.sources.get(FileId(file)).input(),
        }
    }
}

/// The `__VA_OPT__(` that a parenthesis closes, of those with the parentheses open since.
fn closed_option(options: &mut Vec<(usize, usize)>) -> Option<usize> {
    let (open, depth) = options.last_mut()?;
    let open = *open;
    *depth -= 1;
    if *depth > 0 {
        return None;
    }
    options.pop();
    Some(open)
}

/// `##` pastes only between two tokens.
fn keep_pastes_between(tokens: &mut [Token]) {
    for end in [0, tokens.len().saturating_sub(1)] {
        if let Some(token) = tokens.get_mut(end)
            && token.kind == Kind::HashHash
        {
            token.kind = Kind::Punctuator;
        }
    }
}

/// Where a pasted token stands: from operand to operand, unless a line continuation put one elsewhere.
fn place_between(left: &Token, paste: Token, right: Option<&Token>) -> LinePlace {
    let mut place = LinePlace::of(paste);
    for operand in [Some(left), right].into_iter().flatten() {
        if operand.text == paste.text {
            place.start = place.start.min(operand.start);
            place.end = place.end.max(operand.end);
        }
    }
    place
}

/// GNU's `, ##rest`: the comma goes where the arguments that it introduces are left out.
fn introduce_rest(out: &mut Vec<Token>, body: &Body, arguments: &Arguments, rest: Token) {
    let argument = arguments.get(usize::from(rest.parameter));
    let omitted =
        arguments.ends.len() < body.parameters || (body.parameters == 1 && argument.is_empty());
    if omitted {
        out.pop();
    } else {
        append(out, argument, rest.with_space(true));
    }
}

/// Appends the tokens that stand for `operand`.
fn append(out: &mut Vec<Token>, items: &[Token], operand: Token) {
    let from = out.len();
    out.extend_from_slice(items);
    if let Some(first) = out.get_mut(from) {
        *first = first.with_space(operand.spaced());
    }
    mark_place(&mut out[from..], operand);
}

fn mark_place(tokens: &mut [Token], operand: Token) {
    if operand.kind == Kind::Parameter {
        for token in tokens {
            token.place = operand.place;
        }
    }
}

/// The spelling of a token. Apart from the preprocessor, so that other parts of it may change.
pub(super) fn text_of<'t>(
    sources: &'t SourceMap,
    made: &'t str,
    command_line: &'t str,
    token: Token,
) -> &'t str {
    let text = match token.text {
        TextId::MADE => made,
        TextId::BUILT_IN => builtins::TEXT,
        TextId::COMMAND_LINE => command_line,
        TextId(file) => sources.get(FileId(file)).input(),
    };
    text.get(token.start as usize..token.end as usize)
        .unwrap_or("")
}
