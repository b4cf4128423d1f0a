//! What the compiler of the host reads, beside what the compiler of the device reads.
//!
//! nvcc preprocesses a file twice: `__CUDA_ARCH__` is defined for the device and not for the host. Given
//! both texts, gives one: that of the device, in which host functions stand as the host compiles them.
//! What else differs, and what rests on it, stands there twice: under its own name for the device, and
//! under another one that host functions use. Classes stand there once, as kernels have them for their
//! template arguments: what differs of them is a name that nobody declares, so that nothing is known of it.
//! Operators of classes that differ are not told apart.

mod chunks;

use rustc_hash::{FxHashMap, FxHashSet};

use super::expanded::{Expanded, Splice};
use chunks::{Chunk, Key, NameSet, Names, Sort, Text};

/// What a name of the host ends with where the device has another meaning for it.
const OF_HOST: &str = "$host";

/// A name as the user wrote it.
#[must_use]
pub fn plain_name(name: &str) -> &str {
    name.strip_suffix(OF_HOST).unwrap_or(name)
}

/// The text of both passes; none where they cannot be matched.
pub(super) fn join(device: &Expanded, host: &Expanded) -> Option<Expanded> {
    let mut known = Names::default();
    let texts = [Text::new(device, &mut known)?, Text::new(host, &mut known)?];
    let chunks = [texts[0].chunks(), texts[1].chunks()];
    let pairs = matched(&texts, &chunks[0], &chunks[1])?;
    let mut passes = Passes {
        texts: &texts,
        known: &known,
        names: NameSet::default(),
        called: NameSet::default(),
        noted: FxHashSet::default(),
    };
    passes.note_called(&pairs);
    passes.note_all(&pairs, None);
    loop {
        let known = passes.names.count;
        passes.note_uses(&pairs, None);
        if passes.names.count == known {
            break;
        }
    }
    let mut out = Output {
        splice: Splice::new(device, host),
        at: 0,
    };
    passes.write(&pairs, false, &mut out);
    out.keep_to(device.text.len());
    Some(out.splice.finish())
}

/// A definition in both texts, or in one.
struct Pair<'c> {
    device: Option<&'c Chunk>,
    host: Option<&'c Chunk>,
    differs: bool,
    /// The members of a namespace or class that is in both.
    inner: Vec<Pair<'c>>,
}

/// Puts definitions together that begin at the same place.
fn matched<'c>(
    texts: &[Text<'_>; 2],
    device: &'c [Chunk],
    host: &'c [Chunk],
) -> Option<Vec<Pair<'c>>> {
    let places: FxHashMap<Key, usize> = device
        .iter()
        .enumerate()
        .map(|(at, one)| (one.key, at))
        .collect();
    let keys: FxHashSet<Key> = host.iter().map(|one| one.key).collect();
    let mut out = Vec::with_capacity(device.len());
    let mut at = 0;
    let only = |device: Option<&'c Chunk>, host: Option<&'c Chunk>| Pair {
        device,
        host,
        differs: true,
        inner: Vec::new(),
    };
    for one in host {
        let Some(&place) = places.get(&one.key) else {
            out.push(only(None, Some(one)));
            continue;
        };
        while at < place {
            if keys.contains(&device[at].key) {
                return None;
            }
            out.push(only(Some(&device[at]), None));
            at += 1;
        }
        if place < at {
            return None;
        }
        at += 1;
        pair(texts, &device[place], one, &mut out)?;
    }
    out.extend(device[at..].iter().map(|one| only(Some(one), None)));
    Some(out)
}

fn pair<'c>(
    texts: &[Text<'_>; 2],
    device: &'c Chunk,
    host: &'c Chunk,
    out: &mut Vec<Pair<'c>>,
) -> Option<()> {
    let [d, h] = texts;
    let is_same = |a: (usize, usize), b: (usize, usize)| {
        a.1 - a.0 == b.1 - b.0
            && (d.expanded.text[d.bytes(a.0, a.1)] == h.expanded.text[h.bytes(b.0, b.1)]
                || (a.0..a.1)
                    .zip(b.0..b.1)
                    .all(|(a, b)| d.word(a) == h.word(b)))
    };
    match (&device.space, &host.space) {
        (Some(a), Some(b)) if a.is_class == b.is_class => out.push(Pair {
            device: Some(device),
            host: Some(host),
            differs: !is_same((device.from, a.brace), (host.from, b.brace)),
            inner: matched(texts, &a.chunks, &b.chunks)?,
        }),
        (None, None) => out.push(Pair {
            device: Some(device),
            host: Some(host),
            differs: !is_same((device.from, device.past), (host.from, host.past)),
            inner: Vec::new(),
        }),
        _ => return None,
    }
    Some(())
}

struct Passes<'p, 'a> {
    texts: &'p [Text<'a>; 2],
    known: &'p Names<'a>,
    /// Names that mean something else on the host.
    names: NameSet,
    /// Names that code of the device mentions.
    called: NameSet,
    /// Definitions whose names are among `names`: the text, and their first token. A second look at one adds
    /// nothing.
    noted: FxHashSet<(usize, usize)>,
}

impl<'c> Passes<'_, '_> {
    /// Functions without a word of CUDA count as the device's, too, where its code names them.
    fn note_called(&mut self, pairs: &[Pair<'c>]) {
        let mut chunks = Vec::new();
        self.collect(pairs, &mut chunks);
        let text = &self.texts[0];
        let named = |chunk: &'c Chunk| match chunk.sort {
            Sort::Host => {
                let name = text.function_name(chunk);
                (chunk, name.and_then(|name| self.known.of(name)))
            }
            _ => (chunk, None),
        };
        let mut open: Vec<(&Chunk, Option<u32>)> = chunks.into_iter().map(named).collect();
        loop {
            let before = open.len();
            open.retain(|(chunk, name)| {
                let is_called = match chunk.sort {
                    Sort::Device | Sort::Both => true,
                    Sort::Host => name.is_some_and(|name| self.called.contains(name)),
                    Sort::Other => false,
                };
                if is_called {
                    self.called.extend(text.names(chunk.from, chunk.past));
                }
                !is_called
            });
            if open.len() == before {
                return;
            }
        }
    }

    fn is_called(&self, name: &str) -> bool {
        let name = self.known.of(name);
        name.is_some_and(|name| self.called.contains(name))
    }

    fn collect(&self, pairs: &[Pair<'c>], out: &mut Vec<&'c Chunk>) {
        for one in pairs {
            out.extend(one.device.filter(|chunk| chunk.space.is_none()));
            self.collect(&one.inner, out);
        }
    }

    fn sort(&self, text: usize, chunk: &Chunk) -> Sort {
        let own = &self.texts[text];
        let launches = || (chunk.from..chunk.past).any(|at| own.word(at) == "<<<");
        match chunk.sort {
            Sort::Host
                if own
                    .function_name(chunk)
                    .is_some_and(|name| name != "main" && self.is_called(name))
                    && !launches() =>
            {
                Sort::Both
            }
            sort => sort,
        }
    }

    /// The sides of a pair, each with its text.
    fn sides(pair: &Pair<'c>) -> impl Iterator<Item = (usize, &'c Chunk)> {
        [pair.device, pair.host]
            .into_iter()
            .enumerate()
            .filter_map(|(text, chunk)| Some((text, chunk?)))
    }

    /// Notes the names of all that differs.
    fn note_all(&mut self, pairs: &[Pair<'c>], class: Option<&Pair<'c>>) {
        for one in pairs {
            if one.differs {
                for (text, chunk) in Self::sides(one) {
                    self.note(text, chunk, class);
                }
            }
            let is_class =
                |(_, chunk): (usize, &Chunk)| chunk.space.as_ref().is_some_and(|s| s.is_class);
            let is_class = Self::sides(one).any(is_class);
            self.note_all(&one.inner, is_class.then_some(one));
        }
    }

    /// Notes the names of what uses such names.
    fn note_uses(&mut self, pairs: &[Pair<'c>], class: Option<&Pair<'c>>) {
        for one in pairs {
            for (text, chunk) in Self::sides(one) {
                if self.noted.contains(&(text, chunk.from)) {
                    continue;
                }
                let past = chunk.space.as_ref().map_or(chunk.past, |space| space.brace);
                let own = &self.texts[text];
                // Most use none.
                if !own.mentions(chunk.from, past, &self.names) {
                    continue;
                }
                let mut declared = NameSet::default();
                own.parameters(chunk.from, past, &mut declared);
                if chunk.sort == Sort::Other && chunk.space.is_none() {
                    own.declared(chunk, &mut declared);
                }
                let mut used = own.names(chunk.from, past);
                if used.any(|name| self.names.contains(name) && !declared.contains(name)) {
                    self.note(text, chunk, class);
                }
            }
            let is_class =
                |(_, chunk): (usize, &Chunk)| chunk.space.as_ref().is_some_and(|s| s.is_class);
            let is_class = Self::sides(one).any(is_class);
            self.note_uses(&one.inner, is_class.then_some(one));
        }
    }

    /// Notes the names of one definition.
    fn note(&mut self, text: usize, chunk: &Chunk, class: Option<&Pair<'c>>) {
        self.noted.insert((text, chunk.from));
        let own = &self.texts[text];
        if let Some(space) = &chunk.space {
            let class = space.class.as_deref();
            self.names
                .extend(class.and_then(|name| self.known.of(name)));
            if !space.is_class {
                // A namespace of one text alone.
                space
                    .chunks
                    .iter()
                    .for_each(|inner| self.note(text, inner, None));
            }
            return;
        }
        let class_name = class.and_then(|pair| {
            let (_, chunk) = Self::sides(pair).next()?;
            chunk.space.as_ref()?.class.as_deref()
        });
        match self.sort(text, chunk) {
            Sort::Device | Sort::Host => {}
            Sort::Both => match own.function_name(chunk) {
                Some("operator") | None => {}
                // What a constructor sets is a member.
                Some(name) if class_name == Some(name) => {
                    let mut members = NameSet::default();
                    for inner in class.into_iter().flat_map(|pair| &pair.inner) {
                        for (text, member) in Self::sides(inner) {
                            if member.space.is_none() && self.texts[text].is_data(member) {
                                self.texts[text].declared(member, &mut members);
                            }
                        }
                    }
                    let named = own.names(chunk.from, chunk.past);
                    self.names
                        .extend(named.filter(|name| members.contains(*name)));
                }
                Some(name) => self.names.extend(self.known.of(name)),
            },
            Sort::Other => {
                let mut declared = NameSet::default();
                own.declared(chunk, &mut declared);
                // A constructor that is declared only.
                let is_constructor = class_name.and_then(|name| self.known.of(name));
                let named = own.names(chunk.from, chunk.past);
                self.names.extend(
                    named.filter(|name| declared.contains(*name) && Some(*name) != is_constructor),
                );
                if class.is_some() && own.is_data(chunk) {
                    self.names
                        .extend(class_name.and_then(|name| self.known.of(name)));
                }
            }
        }
    }

    fn write(&self, pairs: &[Pair<'c>], in_class: bool, out: &mut Output<'_>) {
        for one in pairs {
            let sort = Self::sides(one)
                .map(|(text, chunk)| self.sort(text, chunk))
                .last();
            let is_host = sort == Some(Sort::Host);
            let is_renamed = |(text, chunk): (usize, &Chunk)| {
                self.texts[text].mentions(chunk.from, chunk.past, &self.names)
            };
            match (one.device, one.host) {
                (Some(device), Some(host)) if device.space.is_some() && host.space.is_some() => {
                    let is_class = device.space.as_ref().is_some_and(|space| space.is_class);
                    if let Some(space) = &device.space {
                        out.keep_to(self.texts[0].bytes(device.from, space.brace + 1).end);
                    }
                    self.write(&one.inner, in_class || is_class, out);
                    out.keep_to(self.texts[0].bytes(device.from, device.past).end);
                }
                (Some(device), host) if is_host => {
                    if one.differs || Self::sides(one).any(is_renamed) {
                        let bytes = self.texts[0].bytes(device.from, device.past);
                        out.keep_to(bytes.start);
                        out.at = bytes.end;
                        if let Some(host) = host {
                            self.write_host(host, out);
                        }
                    } else {
                        out.keep_to(self.texts[0].bytes(device.from, device.past).end);
                    }
                }
                (None, Some(host)) if is_host => self.write_host(host, out),
                (device, host) => {
                    if let Some(device) = device {
                        out.keep_to(self.texts[0].bytes(device.from, device.past).end);
                    }
                    let is_other = one.differs || Self::sides(one).any(is_renamed);
                    if let Some(host) = host.filter(|_| is_other && !in_class)
                        && self.stands_twice(host)
                    {
                        self.write_host(host, out);
                    }
                }
            }
        }
    }

    /// Whether a definition of the host's text is added under another name.
    fn stands_twice(&self, chunk: &Chunk) -> bool {
        let text = &self.texts[1];
        let mut words = text.spelled(chunk.from, chunk.past);
        match chunk.sort {
            Sort::Device => false,
            // No class, no kernel, and no declaration that opens a namespace.
            _ => {
                let is_class = |name: &str| {
                    matches!(
                        name,
                        "struct" | "class" | "union" | "__global__" | "namespace"
                    )
                };
                chunk.space.is_none()
                    && matches!(text.word(chunk.past - 1), ";" | "}")
                    && !words.any(is_class)
                    && text.word(chunk.from + 2) != ">"
                    && text.mentions(chunk.from, chunk.past, &self.names)
            }
        }
    }

    /// Writes a definition as the host has it.
    fn write_host(&self, chunk: &Chunk, out: &mut Output<'_>) {
        let text = &self.texts[1];
        out.splice
            .replace(1, text.bytes(chunk.from, chunk.from + 1), "\n");
        let mut from = text.bytes(chunk.from, chunk.past).start;
        let mut on_device = chunk.from;
        for at in chunk.from..chunk.past {
            if at >= on_device {
                on_device = device_lambda(text, at, chunk.past).unwrap_or(on_device);
            }
            // The body of a lambda for the device means what the device has.
            let name = text.words[at].name().filter(|_| at >= on_device);
            if name.is_some_and(|name| self.names.contains(name)) {
                let bytes = text.bytes(at, at + 1);
                out.splice.copy(1, from..bytes.start);
                from = bytes.end;
                out.splice
                    .replace(1, bytes, &format!("{}{OF_HOST}", text.word(at)));
            }
        }
        let end = text.bytes(chunk.from, chunk.past).end;
        out.splice.copy(1, from..end);
        out.splice
            .replace(1, text.bytes(chunk.past - 1, chunk.past), "\n");
    }
}

/// The end of the lambda whose brackets end at a token and that is compiled for the device.
fn device_lambda(text: &Text<'_>, at: usize, past: usize) -> Option<usize> {
    let is_marked = |at: usize| matches!(text.word(at), "__device__" | "__host__");
    if text.word(at) != "]" || !is_marked(at + 1) {
        return None;
    }
    let mut marks = (at + 1..past).take_while(|at| is_marked(*at));
    if !marks.any(|at| text.word(at) == "__device__") {
        return None;
    }
    let (mut parentheses, mut braces) = (0_u32, 0_u32);
    for at in at + 1..past {
        match text.word(at) {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            "{" if parentheses == 0 || braces > 0 => braces += 1,
            "}" if braces > 0 => {
                braces -= 1;
                if braces == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// What was written, and how far the device's text is.
struct Output<'a> {
    splice: Splice<'a>,
    at: usize,
}

impl Output<'_> {
    /// Writes the device's text up to a place.
    fn keep_to(&mut self, end: usize) {
        if self.at < end {
            self.splice.copy(0, self.at..end);
            self.at = end;
        }
    }
}
