//! Expanded text and where it came from.
//!
//! Given pieces of text in order, each with the place that spelled it, keeps
//! the whole and answers for any range of it what the user wrote. Knows nothing
//! of directives or of how macros expand.

use std::ops::Range;

use super::tokens::{Kind, NO_PLACE, TextId, Token, would_join};
use crate::source::{FileId, Span};

/// What stands outside of every macro.
pub(super) const PLAIN: u32 = u32::MAX;

/// A place in a text that need not be a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePlace {
    pub text: TextId,
    pub start: u32,
    pub end: u32,
}

impl LinePlace {
    pub(super) fn of(token: Token) -> Self {
        Self {
            text: token.text,
            start: token.start,
            end: token.end,
        }
    }

    fn span(self) -> Option<Span> {
        self.text
            .is_file()
            .then(|| Span::new(FileId(self.text.0), self.start, self.end))
    }
}

/// Output from `out` to the next piece: spelled by `place`, byte for byte where `linear`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub out: u32,
    pub place: LinePlace,
    pub linear: bool,
    /// Index of the outermost invocation, or `PLAIN`.
    pub invocation: u32,
    /// Index of the parameter's place in the macro's body, or `NO_PLACE`.
    pub parameter: u32,
}

/// Text that the user wrote, for a range of expanded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What to point at.
    pub span: Span,
    /// The part of a macro's definition that the text came from; of a definition in a file only.
    pub definition: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// A file that was looked for and not found; read as empty.
    UnresolvedInclude,
    /// A file that lies where a run may not read; read as empty.
    OutsideInclude,
    /// A header of the CUDA toolkit or of the standard library that was not found; read as empty.
    /// Macros that user code takes from such headers are predefined.
    ToolchainInclude,
    /// A bound of [`Limits`](super::Limits); the text was left as it stands.
    LimitReached,
    /// `#error` in an active branch.
    ErrorDirective,
    MalformedDirective,
    /// An invocation without its closing parenthesis or with a wrong number of arguments; left as it stands.
    MalformedInvocation,
    UnbalancedConditional,
    /// A condition that hangs on a name which a header that was not found may define.
    OpenCondition,
    /// A kernel, named by the span, in a part that is left out as a name is not defined.
    SkippedKernel,
    /// A launch in such a part.
    SkippedLaunch,
    /// A kernel or a launch in a part that is left out for another reason.
    SkippedText,
    /// Host code is read as the device compiles it.
    HostPass,
}

/// A problem that did not stop the expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub span: Span,
    pub kind: NoteKind,
    pub message: String,
}

/// Expanded text with its origins.
#[derive(Debug)]
pub struct Expanded {
    pub text: String,
    pub notes: Vec<Note>,
    /// Comments outside of inactive branches, in the main file and in files included with quotes;
    /// sorted, without repetition.
    pub comments: Vec<Span>,
    pub(super) main: FileId,
    pub(super) pieces: Vec<Piece>,
    /// Outermost invocations, by the index that pieces hold.
    pub(super) invocations: Vec<Span>,
    /// Places of parameters in macro bodies.
    pub(super) places: Vec<LinePlace>,
    /// Bodies of the macros that were expanded, sorted.
    pub(super) bodies: Vec<Span>,
}

impl Expanded {
    /// The expansion of nothing.
    #[must_use]
    pub fn empty(main: FileId) -> Self {
        Output::default().finish(main, Vec::new(), Vec::new(), Vec::new(), Vec::new())
    }

    /// Bytes of memory, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
            + size_of_val(&*self.pieces)
            + size_of_val(&*self.invocations)
            + size_of_val(&*self.places)
            + size_of_val(&*self.bodies)
    }

    /// Leaves notes and comments only.
    pub fn drop_text(&mut self) {
        self.text = String::new();
        self.pieces = Vec::new();
        self.invocations = Vec::new();
        self.places = Vec::new();
        self.bodies = Vec::new();
    }

    /// Whether the text is there; one without a byte never went.
    #[must_use]
    pub fn has_text(&self) -> bool {
        !self.text.is_empty()
    }

    /// Gives files other numbers, in the same order.
    pub fn renumber(&mut self, to: impl Fn(FileId) -> FileId) {
        let span = |span: &mut Span| span.file = to(span.file);
        let place = |place: &mut LinePlace| {
            if place.text.is_file() {
                place.text = TextId(to(FileId(place.text.0)).0);
            }
        };
        self.notes.iter_mut().for_each(|note| span(&mut note.span));
        self.comments.iter_mut().for_each(span);
        self.main = to(self.main);
        let pieces = self.pieces.iter_mut();
        pieces.for_each(|piece| place(&mut piece.place));
        self.invocations.iter_mut().for_each(span);
        self.places.iter_mut().for_each(place);
        self.bodies.iter_mut().for_each(span);
    }

    /// Where the text of an output range comes from.
    ///
    /// Text outside of macros: itself. A range inside an argument as the user wrote it: that
    /// text. Else the outermost invocation (the line that `-lineinfo` names), with the part of
    /// the definition. A range partly outside of macros: from its first to its last place.
    #[must_use]
    pub fn origin(&self, range: Range<usize>) -> Origin {
        let covered = self.covered(&range);
        let Some(first) = covered.first() else {
            return Origin {
                span: Span::new(self.main, 0, 0),
                definition: None,
            };
        };
        let invocation = first.invocation;
        if invocation == PLAIN || covered.iter().any(|piece| piece.invocation != invocation) {
            return Origin {
                span: self.use_site(range),
                definition: None,
            };
        }
        let site = self.invocations[invocation as usize];
        let spelled = |piece: &Piece| self.spelled(piece, &range);
        let written = |place: LinePlace| {
            place.text.0 == site.file.0 && place.start >= site.start && place.end <= site.end
        };
        if covered.iter().all(|piece| written(spelled(piece))) {
            let span = covered
                .iter()
                .filter_map(|piece| spelled(piece).span())
                .reduce(Span::to);
            return Origin {
                span: span.unwrap_or(site),
                definition: None,
            };
        }
        // A body that explains the whole range is best; else what the first of them explains.
        let candidates = |piece: &Piece| {
            let parameter = self.places.get(piece.parameter as usize);
            [spelled(piece).span(), parameter.and_then(|p| p.span())]
        };
        let explain = |body: Span| {
            let mut whole = true;
            let mut part: Option<Span> = None;
            for piece in covered {
                let inside = candidates(piece)
                    .into_iter()
                    .flatten()
                    .find(|span| holds(body, *span));
                match inside {
                    Some(span) => part = Some(part.map_or(span, |part| part.to(span))),
                    None => whole = false,
                }
            }
            (part, whole)
        };
        let mut definition = None;
        let mut tried = Vec::new();
        for piece in covered {
            let Some(body) = spelled(piece).span().and_then(|span| self.body(span)) else {
                continue;
            };
            if tried.len() >= 8 || tried.contains(&body) {
                continue;
            }
            tried.push(body);
            let (part, whole) = explain(body);
            if whole || definition.is_none() {
                definition = part;
            }
            if whole {
                break;
            }
        }
        Origin {
            span: site,
            definition,
        }
    }

    /// The outermost invocation that a range comes from, even where the range lies inside an
    /// argument; the same as `origin` for text outside of macros.
    #[must_use]
    pub fn use_site(&self, range: Range<usize>) -> Span {
        let site = |piece: &Piece| match self.invocations.get(piece.invocation as usize) {
            Some(span) => Some(*span),
            None => self.spelled(piece, &range).span(),
        };
        let mut sites = self.covered(&range).iter().filter_map(site);
        let Some(first) = sites.next() else {
            return Span::new(self.main, 0, 0);
        };
        sites.fold(first, Span::to)
    }

    /// Whether a range, or a part of it, comes from a macro.
    #[must_use]
    pub fn is_expansion(&self, range: Range<usize>) -> bool {
        self.covered(&range)
            .iter()
            .any(|piece| piece.invocation != PLAIN)
    }

    /// The pieces that a range touches; an empty range touches the piece that it stands in.
    fn covered(&self, range: &Range<usize>) -> &[Piece] {
        let after = |offset: usize| {
            self.pieces
                .partition_point(|piece| piece.out as usize <= offset)
        };
        let first = after(range.start).saturating_sub(1);
        let last = after(range.end.max(range.start + 1) - 1).max(first);
        &self.pieces[first..last]
    }

    /// The part of a piece's spelling that lies in an output range.
    fn spelled(&self, piece: &Piece, range: &Range<usize>) -> LinePlace {
        let place = piece.place;
        if !piece.linear {
            return place;
        }
        let offset = |at: usize| (at.saturating_sub(piece.out as usize)) as u32;
        let start = place.start.saturating_add(offset(range.start));
        let end = place.start.saturating_add(offset(range.end));
        let start = start.min(place.end);
        LinePlace {
            text: place.text,
            start,
            end: end.clamp(start, place.end),
        }
    }

    /// The body of the definition that holds `span`.
    fn body(&self, span: Span) -> Option<Span> {
        let after = self
            .bodies
            .partition_point(|body| (body.file, body.start) <= (span.file, span.start));
        let body = *self.bodies.get(after.checked_sub(1)?)?;
        holds(body, span).then_some(body)
    }
}

/// A text put together from parts of two expansions of one file.
pub(super) struct Splice<'a> {
    parts: [&'a Expanded; 2],
    out: Expanded,
}

impl<'a> Splice<'a> {
    pub(super) fn new(first: &'a Expanded, second: &'a Expanded) -> Self {
        let join = |of: fn(&Expanded) -> &Vec<Span>| [&of(first)[..], of(second)].concat();
        let mut out = Expanded {
            text: String::with_capacity(first.text.len()),
            notes: first.notes.clone(),
            comments: join(|one| &one.comments),
            main: first.main,
            pieces: Vec::with_capacity(first.pieces.len()),
            invocations: join(|one| &one.invocations),
            places: [&first.places[..], &second.places[..]].concat(),
            bodies: join(|one| &one.bodies),
        };
        for spans in [&mut out.comments, &mut out.bodies] {
            spans.sort_unstable();
            spans.dedup();
        }
        Self {
            parts: [first, second],
            out,
        }
    }

    /// Appends a range of one of the two.
    pub(super) fn copy(&mut self, part: usize, range: Range<usize>) {
        let from = self.parts[part];
        let (start, out) = (range.start, self.out.text.len());
        if range.is_empty() {
            return;
        }
        for piece in from.covered(&range) {
            let at = (piece.out as usize).max(start);
            let mut piece = self.renumbered(part, *piece);
            if piece.linear {
                piece.place.start += (at as u32).saturating_sub(piece.out);
                piece.place.start = piece.place.start.min(piece.place.end);
            }
            piece.out = (out + at - start) as u32;
            self.out.pieces.push(piece);
        }
        self.out.text.push_str(&from.text[range]);
    }

    /// Appends a word in place of a range.
    pub(super) fn replace(&mut self, part: usize, range: Range<usize>, word: &str) {
        let from = self.parts[part];
        if let Some(piece) = from.covered(&range).first() {
            let place = from.spelled(piece, &range);
            let mut piece = self.renumbered(part, *piece);
            piece.place = place;
            piece.linear = false;
            piece.out = self.out.text.len() as u32;
            self.out.pieces.push(piece);
        }
        self.out.text.push_str(word);
    }

    /// A piece with the numbers that it has in the whole.
    fn renumbered(&self, part: usize, mut piece: Piece) -> Piece {
        if part == 1 {
            let first = self.parts[0];
            if piece.invocation != PLAIN {
                piece.invocation += first.invocations.len() as u32;
            }
            if piece.parameter != NO_PLACE {
                piece.parameter += first.places.len() as u32;
            }
        }
        piece
    }

    pub(super) fn finish(self) -> Expanded {
        self.out
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Output while it grows.
#[derive(Default)]
pub(super) struct Output {
    pub text: String,
    pieces: Vec<Piece>,
    invocations: Vec<Span>,
    /// End of the last macro token's spelling: what follows it there may follow it here.
    last: Option<(TextId, u32)>,
    last_is_number: bool,
    /// The next plain text follows an expansion, which it must not join.
    after_expansion: bool,
}

/// A state to return to.
#[derive(Clone, Copy)]
pub(super) struct OutputMark {
    text: usize,
    pieces: usize,
    last_piece_end: u32,
    invocations: usize,
    last_is_number: bool,
    after_expansion: bool,
}

impl Output {
    /// Appends text of a file as it stands there, from byte `start`.
    pub(super) fn plain(&mut self, file: TextId, start: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.after_expansion {
            self.after_expansion = false;
            self.separate(text.as_bytes()[0]);
        }
        self.last_is_number = false;
        let place = LinePlace {
            text: file,
            start: start as u32,
            end: (start + text.len()) as u32,
        };
        self.piece(place, true, PLAIN, NO_PLACE);
        self.text.push_str(text);
    }

    /// Appends `count` newlines that stand for the text at `place`.
    pub(super) fn newlines(&mut self, place: LinePlace, count: usize) {
        if count > 0 {
            self.piece(place, false, PLAIN, NO_PLACE);
            self.text.extend(std::iter::repeat_n('\n', count));
            self.after_expansion = false;
        }
    }

    /// Starts the expansion of the macro named at `span`.
    pub(super) fn begin_invocation(&mut self, span: Span) {
        self.invocations.push(span);
        self.last = None;
    }

    /// Ends the expansion begun last, whose invocation ends at byte `end` and spans `newlines` line ends.
    pub(super) fn end_invocation(&mut self, end: usize, newlines: usize) {
        self.after_expansion = true;
        if let Some(span) = self.invocations.last_mut() {
            span.end = (end as u32).max(span.end);
            let place = LinePlace {
                text: TextId(span.file.0),
                start: span.start,
                end: span.end,
            };
            self.newlines(place, newlines);
        }
    }

    /// Appends a token of the expansion begun last; `place` is what spells it.
    pub(super) fn token(&mut self, token: Token, text: &str, place: LinePlace, linear: bool) {
        let Some(&first) = text.as_bytes().first() else {
            return;
        };
        let follows = self.last == Some((token.text, token.start));
        if token.spaced() && self.last.is_some() {
            self.text.push(' ');
        } else if !follows {
            self.separate(first);
        }
        let invocation = self.invocations.len() as u32 - 1;
        self.piece(place, linear, invocation, token.place);
        self.text.push_str(text);
        self.last = Some((token.text, token.end));
        self.last_is_number = token.kind == Kind::Number;
    }

    fn separate(&mut self, first: u8) {
        if let Some(&last) = self.text.as_bytes().last()
            && would_join(last, self.last_is_number, first)
        {
            self.text.push(' ');
        }
    }

    fn piece(&mut self, place: LinePlace, linear: bool, invocation: u32, parameter: u32) {
        let out = self.text.len() as u32;
        if let Some(last) = self.pieces.last_mut()
            && linear
            && last.linear
            && last.invocation == invocation
            && last.parameter == parameter
            && last.place.text == place.text
            && place.start >= last.place.end
            && place.start - last.place.start == out - last.out
        {
            last.place.end = place.end;
            return;
        }
        self.pieces.push(Piece {
            out,
            place,
            linear,
            invocation,
            parameter,
        });
    }

    pub(super) fn mark(&self) -> OutputMark {
        OutputMark {
            text: self.text.len(),
            pieces: self.pieces.len(),
            last_piece_end: self.pieces.last().map_or(0, |piece| piece.place.end),
            invocations: self.invocations.len(),
            last_is_number: self.last_is_number,
            after_expansion: self.after_expansion,
        }
    }

    pub(super) fn rewind(&mut self, mark: OutputMark) {
        self.text.truncate(mark.text);
        self.pieces.truncate(mark.pieces);
        if let Some(last) = self.pieces.last_mut() {
            last.place.end = mark.last_piece_end;
        }
        self.invocations.truncate(mark.invocations);
        self.last_is_number = mark.last_is_number;
        self.after_expansion = mark.after_expansion;
    }

    pub(super) fn finish(
        mut self,
        main: FileId,
        notes: Vec<Note>,
        mut comments: Vec<Span>,
        places: Vec<LinePlace>,
        mut bodies: Vec<Span>,
    ) -> Expanded {
        comments.sort_unstable();
        comments.dedup();
        bodies.sort_unstable();
        bodies.dedup();
        self.text.shrink_to_fit();
        self.pieces.shrink_to_fit();
        Expanded {
            text: self.text,
            notes,
            comments,
            main,
            pieces: self.pieces,
            invocations: self.invocations,
            places,
            bodies,
        }
    }
}
