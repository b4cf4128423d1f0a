//! One finding per cause: siblings, unrolled copies and generated families tell of one decision.
//!
//! Given findings, puts those together that one change would mend: accesses of one array that one
//! kernel makes in one way, all arrays of global memory along which its lanes run alike, what one call does to an array
//! in all instances of what it calls, and the same line in files of a folder whose kernels are named alike. The one that wastes most leads, the others are listed with it. Parts of a run
//! are put together by `merge` in the same way. Knows nothing of output formats.

use super::visible;
use crate::finding::{Evidence, Finding, Fix, Safety, Sibling};
use crate::gpu::Space;
use crate::rules;
use crate::source::{FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Files of a folder with the same line that are a family; of fewer, each is told of.
const FAMILY: usize = 3;
/// Fixes of one finding.
const MOST_FIXES: usize = 8;
/// Siblings that the words of the first one name.
const MOST_NAMED: usize = 4;

/// Names of what a finding has in common with those of its cause, each a hash: findings that share one of
/// them are put together, one kind of name after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The kernel, and the array as its text names it.
    named: String,
    /// The kernel, and the array that decides.
    array: String,
    /// The kernel, the array, and how far lanes are apart: fields of one structure.
    object: String,
    /// The kernel, and what the access reads as: it is the same one once more.
    text: String,
    /// The call.
    call: String,
    /// The line in files whose kernels are named alike.
    family: String,
    /// The line in the file.
    line: String,
}

impl Keys {
    #[must_use]
    pub fn of(finding: &Finding, sources: &SourceMap) -> Self {
        let of_kernel = |array: &str| {
            format!(
                "{}\0{:?}\0{}\0{}\0{array}\0{}",
                finding.code,
                finding.level,
                sources.get(home(finding).file).path.display(),
                finding.kernel,
                tag(finding)
            )
        };
        let file = sources.get(finding.primary.span.file);
        let line = file.line_text(file.line(finding.primary.span.start));
        let family = format!(
            "{}\0{:?}\0{}\0{}\0{}\0{}\0{}",
            finding.code,
            finding.level,
            file.path.parent().unwrap_or(&file.path).display(),
            stem(&finding.kernel),
            without_numbers(named_array(finding)),
            tag(finding),
            without_numbers(line.trim())
        );
        let in_file = format!(
            "{family}\0{}\0{}",
            without_numbers(&finding.kernel),
            file.path.display()
        );
        Self {
            named: hash(&of_kernel(named_array(finding))),
            array: hash(&of_kernel(&array(finding, sources))),
            object: hash(&of_object(finding, sources)),
            text: hash(&of_text(finding, sources)),
            call: hash(&of_call(finding, sources)),
            family: hash(&family),
            line: hash(&in_file),
        }
    }
}

/// Long enough that no two texts are taken for one, whoever wrote them.
fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// A finding on its way to be put together with others, whatever it is told in.
pub struct Member<T, F, S> {
    pub told: T,
    pub keys: Keys,
    /// The file that it is in, by name.
    pub file: String,
    pub is_proved: bool,
    pub weight: u64,
    pub fixes: Vec<MemberFix<F>>,
    /// What is listed of it where another one leads.
    pub as_sibling: S,
    pub siblings: Vec<S>,
}

#[derive(PartialEq)]
pub struct MemberFix<F> {
    pub is_edit: bool,
    pub fix: F,
}

/// The findings that lead, in the order given.
#[must_use]
pub fn fold(findings: Vec<Finding>, sources: &SourceMap) -> Vec<Finding> {
    let file_of = |span: Span| super::place(sources, span).file();
    let member = |mut finding: Finding| {
        let fixes = std::mem::take(&mut finding.fixes).into_iter();
        let fixes = fixes.map(|fix| MemberFix {
            is_edit: fix.safety != Safety::Advice,
            fix,
        });
        Member {
            keys: Keys::of(&finding, sources),
            file: file_of(finding.primary.span),
            is_proved: finding.evidence == Evidence::Proved,
            weight: finding.weight,
            fixes: fixes.collect(),
            as_sibling: Sibling {
                span: finding.primary.span,
                kernel: finding.kernel.clone(),
                instance: finding.instance.clone(),
                message: finding.message.clone(),
            },
            siblings: std::mem::take(&mut finding.siblings),
            told: finding,
        }
    };
    let folded = fold_members(findings.into_iter().map(member).collect());
    let finding = |one: Member<Finding, Fix, Sibling>| {
        let places = one.siblings.iter().map(|sibling| {
            let file = sources.get(sibling.span.file);
            (
                file_of(sibling.span),
                u64::from(file.line(sibling.span.start)),
            )
        });
        let note = note(&one.file, places);
        let mut finding = one.told;
        finding.notes.extend(note.map(Into::into));
        finding.weight = one.weight;
        finding.fixes = one.fixes.into_iter().map(|fix| fix.fix).collect();
        finding.siblings = one.siblings;
        finding
    };
    folded.into_iter().map(finding).collect()
}

/// Those that lead, in the order given.
#[must_use]
pub fn fold_members<T, F: PartialEq, S>(members: Vec<Member<T, F, S>>) -> Vec<Member<T, F, S>> {
    let members = group(members, |keys| &keys.named);
    let members = group(members, |keys| &keys.array);
    let members = group(members, |keys| &keys.object);
    let members = group(members, |keys| &keys.text);
    let members = group(members, |keys| &keys.call);
    let mut files: FxHashMap<&str, FxHashSet<&str>> = FxHashMap::default();
    for member in &members {
        let files = files.entry(&member.keys.family).or_default();
        files.insert(&member.file);
    }
    let families: FxHashSet<String> = files
        .into_iter()
        .filter(|(_, files)| files.len() >= FAMILY)
        .map(|(family, _)| family.to_owned())
        .collect();
    group(members, |keys| match families.contains(&keys.family) {
        true => &keys.family,
        false => &keys.line,
    })
}

/// An array of global memory, along which lanes are so far apart: its fields may differ in size.
fn of_object(finding: &Finding, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let label = finding.primary.text.split_once(": ");
    let told = match (space(finding), label) {
        (Some(Space::Global), Some((_, label))) => label.to_owned(),
        _ => format!("{}\0{} {}", finding.message, span.start, span.end),
    };
    of_array(finding, home(finding).file, &told, sources)
}

/// What an access of a kernel reads as: `row[j]` of one loop lies as `row[j]` of the next one does.
fn of_text(finding: &Finding, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let told = match (space(finding), finding.call) {
        (Some(Space::Global), None) => sources.text(span).to_owned(),
        _ => format!("{}\0{} {}", finding.message, span.start, span.end),
    };
    of_array(finding, span.file, &told, sources)
}

/// What one call does to one array of global memory: the instances of the helper that it chooses among differ in
/// how far lanes are apart only.
fn of_call(finding: &Finding, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let told = match (space(finding), finding.call) {
        (Some(Space::Global), Some(call)) => {
            let op = finding.primary.text.split(':').next();
            format!("{} {} {op:?}", call.start, call.end)
        }
        _ => format!("{}\0{} {}", finding.message, span.start, span.end),
    };
    of_array(finding, home(finding).file, &told, sources)
}

/// What is told of one array of a kernel, in a file.
fn of_array(finding: &Finding, file: FileId, told: &str, sources: &SourceMap) -> String {
    format!(
        "{}\0{:?}\0{}\0{}\0{}\0{told}",
        finding.code,
        finding.level,
        sources.get(file).path.display(),
        finding.kernel,
        finding.array
    )
}

/// The array that decides: what a helper function does with one is decided where it is called, whatever it
/// calls its parts.
fn array(finding: &Finding, sources: &SourceMap) -> String {
    let home = home(finding);
    match space(finding) {
        Some(Space::Shared) if home != finding.primary.span => {
            let declared = finding.declaration.map_or_else(
                || finding.array.clone(),
                |span| format!("{} {}", sources.get(span.file).path.display(), span.start),
            );
            // Arrays that one declaration holds are told apart by what they cost.
            format!(
                "{declared} {} {}/{}",
                home.start, finding.cost, finding.ideal
            )
        }
        _ => named_array(finding).to_owned(),
    }
}

/// The array by its name in the text. How the lanes of a kernel run is one decision for all of global memory.
fn named_array(finding: &Finding) -> &str {
    match space(finding) {
        Some(Space::Global) => "",
        _ => &finding.array,
    }
}

fn space(finding: &Finding) -> Option<Space> {
    rules::find(finding.code).and_then(|rule| rule.space)
}

/// Where the kernel comes to the access: the call of the helper function that holds it, if one does.
fn home(finding: &Finding) -> Span {
    finding.call.unwrap_or(finding.primary.span)
}

/// What a rule says besides numbers. All conflicts of an array have its layout in common.
fn tag(finding: &Finding) -> String {
    match space(finding) {
        Some(Space::Shared) => String::new(),
        Some(Space::Global) => {
            let text = &finding.primary.text;
            let label = text
                .split_once(": ")
                .map_or(text.as_str(), |(_, label)| label);
            in_ideals(label, finding.ideal)
        }
        None => without_numbers(&finding.message),
    }
}

/// The text with its numbers counted in ideal sectors, whole ones: of a full warp these are the bytes of an element.
/// One index takes lanes 16 bytes apart in an array of `float` and 8 in one of `half`.
fn in_ideals(text: &str, ideal: u32) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit());
        let (number, after) = number.split_at(end.unwrap_or(number.len()));
        out.push_str(before);
        match number.parse::<u64>() {
            Ok(number) => out.push_str(&(number / u64::from(ideal.max(1))).to_string()),
            Err(_) => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What the names of a generated family begin with: their first words.
fn stem(kernel: &str) -> String {
    const WORDS: usize = 3;
    let plain = without_numbers(kernel);
    plain.split('_').take(WORDS).collect::<Vec<_>>().join("_")
}

/// Without the numbers that tell generated names apart: `row_1` and `row`, `m64` and `m128` are one.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if out.ends_with('_') {
            out.pop();
        }
    }
    out
}

fn group<T, F: PartialEq, S>(
    members: Vec<Member<T, F, S>>,
    key: impl Fn(&Keys) -> &String,
) -> Vec<Member<T, F, S>> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut folded: Vec<Member<T, F, S>> = Vec::new();
    for member in members {
        match places.get(key(&member.keys)) {
            Some(at) => join(&mut folded[*at], member),
            None => {
                places.insert(key(&member.keys).clone(), folded.len());
                folded.push(member);
            }
        }
    }
    folded
}

/// The one that wastes more leads, with the fixes of both.
fn join<T, F: PartialEq, S>(into: &mut Member<T, F, S>, mut other: Member<T, F, S>) {
    let rank = |one: &Member<T, F, S>| (one.is_proved, one.weight);
    let weight = into.weight.saturating_add(other.weight);
    if rank(&other) > rank(into) {
        std::mem::swap(into, &mut other);
    }
    // What mends the others mends the same cause.
    let edits = other.fixes.into_iter().filter(|fix| fix.is_edit);
    let room = MOST_FIXES.saturating_sub(into.fixes.len());
    let new: Vec<MemberFix<F>> = edits
        .filter(|fix| !into.fixes.contains(fix))
        .take(room)
        .collect();
    into.fixes.extend(new);
    into.weight = weight;
    into.siblings.push(other.as_sibling);
    into.siblings.append(&mut other.siblings);
}

/// `and 5 more: lines 12, 14, other.cu:3, …`, of the files and lines of siblings.
pub fn note(
    leader: &str,
    siblings: impl ExactSizeIterator<Item = (String, u64)>,
) -> Option<String> {
    let count = siblings.len();
    if count == 0 {
        return None;
    }
    let mut told: Vec<String> = Vec::new();
    for (file, line) in siblings {
        let text = match file == leader {
            true => format!("line {line}"),
            false => format!("{}:{line}", visible::line(&file)),
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let rest = told.len().saturating_sub(MOST_NAMED);
    told.truncate(MOST_NAMED);
    if rest > 0 {
        told.push("…".to_owned());
    }
    Some(format!("and {count} more: {}", told.join(", ")))
}
