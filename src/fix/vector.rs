//! Neighbouring elements that one thread loads one by one, loaded as a vector.
//!
//! Given a kernel and a parameter that points to numbers, finds loads of it that take all
//! elements of an aligned piece, and reads the piece at once in front of the first of them. A macro that
//! reads an element as another type (`HALF2(x[i])`) reads it from the vector in the same way. Each
//! element's place is proved by Z3, the edited kernel has to have the same accesses under the same
//! conditions but for these loads, and each vector has to be proved ideal. That the array itself
//! is aligned is for the user to know, so the fix is never a safe one.

use super::Reprove;
use super::layout::{import, is_wrong_somewhere, means_the_same};
use super::subscripts::operand;
use super::text::{blank, occurrences, subscripts};
use super::thread_index::Definition;
use crate::access::{Target, Visit, Walk};
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Op;
use crate::ir::{Kernel, Parameter, ParameterKind, Path, SiteId};
use crate::prove;
use crate::prove::implication::Claims;
use crate::prove::smt::Answer;
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};
use crate::term::{Op as TermOp, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

/// Widest access of the hardware, in bytes.
const WIDEST: u32 = 16;
/// Instances of one kernel that are looked at.
const MOST_INSTANCES: usize = 8;
/// Loads of one parameter that are looked at.
const MOST_LOADS: usize = 64;
const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];

/// Loads that together take one vector, in order of their places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    sites: Vec<SiteId>,
    /// Bytes of one of them.
    width: u32,
}

impl Group {
    /// What an element of the vector is: the parameter's own, or any of that many bytes where all loads read
    /// elements as another type.
    fn scalar(&self, own: Element) -> Option<&'static str> {
        match self.width {
            width if width == own.size => own.name,
            4 => Some("float"),
            8 => Some("double"),
            _ => None,
        }
    }
}

/// What the parameter points to.
#[derive(Clone, Copy)]
struct Element {
    /// What its vector types begin with, if it has any.
    name: Option<&'static str>,
    /// In bytes.
    size: u32,
}

/// The proved vector loads of the parameter that is declared at `parameter`.
#[must_use]
pub fn propose(definition: Definition, parameter: Span, reprove: &dyn Reprove) -> Option<Fix> {
    let sources = definition.sources;
    if !definition
        .accesses
        .iter()
        .any(|access| is_hopeful(access, parameter))
    {
        return None;
    }
    let instances: Vec<_> = definition.instances().take(MOST_INSTANCES + 1).collect();
    if instances.len() > MOST_INSTANCES {
        return None;
    }
    let mut claims = Claims::default();
    // All instances have to agree: their text is one.
    let mut agreed: Option<(Parameter, Element, Vec<Group>, Vec<Edit>)> = None;
    let mut of_instances: Vec<Vec<Group>> = Vec::new();
    for kernel in &instances {
        let kernel = &*kernel.unfolded();
        let mut parameters = kernel.parameters.iter();
        let one = parameters.find(|one| one.span == parameter)?;
        let own = element(sources, one)?;
        let mut groups: Option<Vec<Group>> = None;
        for launch in &prove::launches(kernel) {
            let walk = definition.walks.get(definition.program, kernel, launch);
            let found = groups_of(&walk, kernel, one, own, &mut claims)?;
            if groups.get_or_insert_with(|| found.clone()) != &found {
                return None;
            }
        }
        let groups = groups.filter(|groups| !groups.is_empty())?;
        let edits = edits(sources, kernel, one, own, &groups)?;
        match &agreed {
            None => agreed = Some((one.clone(), own, groups.clone(), edits)),
            Some((.., known)) if *known == edits => {}
            Some(_) => return None,
        }
        of_instances.push(groups);
    }
    let (one, own, groups, edits) = agreed?;
    let mut reproof = reprove.read(&edits)?;
    if reproof.program.kernels.len() != instances.len() {
        return None;
    }
    for (kernel, groups) in instances.iter().zip(&of_instances) {
        let mut all = reproof.program.kernels.iter();
        let after =
            all.find(|one| (&one.name, &one.instance) == (&kernel.name, &kernel.instance))?;
        let keeps = prove::launches(kernel).iter().all(|launch| {
            let old = definition.walks.get(definition.program, kernel, launch);
            let new = reproof.walks.get(&reproof.program, after, launch);
            keeps_the_rest(&old, &new, groups)
        });
        if !keeps {
            return None;
        }
    }
    reprove.judge(&mut reproof, true);
    let bytes = |group: &Group| group.sites.len() as u32 * group.width;
    let is_new = |access: &&Access| {
        let is_vector = groups.iter().any(|group| bytes(group) == access.width);
        let mut declared = access.declaration.iter();
        let is_of = declared.any(|span| reproof.is_at(*span, parameter, sources));
        access.op == Op::Load && is_vector && is_of
    };
    let mut vectors = reproof.accesses.iter().filter(is_new).peekable();
    vectors.peek()?;
    if !vectors.all(|access| access.verdict.is_ideal()) {
        return None;
    }
    let widest = groups.iter().max_by_key(|group| bytes(group))?;
    let places = groups.len();
    Some(Fix {
        title: format!(
            "load `{}` as `{}{}` in {places} {}: proved ideal; `{}` has to be aligned to {} bytes, as cudaMalloc gives it",
            one.name,
            widest.scalar(own)?,
            widest.sites.len(),
            if places == 1 { "place" } else { "places" },
            one.name,
            bytes(widest),
        ),
        safety: Safety::Unsafe,
        is_whole: false,
        edits,
    })
}

/// Whether lanes leave room for one or three neighbours of what they load.
fn is_hopeful(access: &Access, parameter: Span) -> bool {
    let witness = access.verdict.witness.as_ref();
    let mut lanes = witness
        .iter()
        .flat_map(|witness| witness.addresses.iter().flatten());
    let stride = lanes
        .next()
        .zip(lanes.next())
        .and_then(|(first, second)| second.checked_sub(*first));
    let width = u64::from(access.width);
    access.declaration == Some(parameter)
        && access.op == Op::Load
        && stride.is_some_and(|stride| stride == 2 * width || stride == 4 * width)
}

/// What is read of the parameter's declaration: `const float *in`, `half *x`.
fn element(sources: &SourceMap, parameter: &Parameter) -> Option<Element> {
    let ParameterKind::Pointer { element: size, .. } = parameter.kind else {
        return None;
    };
    let declared = sources.text(parameter.span);
    let head = declared.strip_suffix(parameter.name.as_str())?;
    let words: Vec<&str> = head
        .split(|c: char| c.is_whitespace() || c == '*')
        .filter(|word| !matches!(*word, "" | "const" | "__restrict__" | "__restrict"))
        .collect();
    let known = match words.as_slice() {
        ["float"] => Some(("float", 4)),
        ["int"] => Some(("int", 4)),
        ["unsigned"] | ["unsigned", "int"] | ["uint32_t"] => Some(("uint", 4)),
        ["double"] => Some(("double", 8)),
        _ => None,
    };
    let name = known
        .filter(|(_, bytes)| *bytes == size)
        .map(|(name, _)| name);
    (size > 0 && head.matches('*').count() == 1).then_some(Element { name, size })
}

fn is_meant(visit: &Visit, parameter: &Parameter) -> bool {
    let is_of = |name: &str| *name == *parameter.name;
    visit.op == Op::Load
        && visit.path == Path::Plain
        && visit.reason.is_none()
        && matches!(&visit.target, Target::Allocation(name) if is_of(name))
}

/// `None` where the walk is not to be relied upon.
fn groups_of(
    walk: &Walk,
    kernel: &Kernel,
    parameter: &Parameter,
    own: Element,
    claims: &mut Claims,
) -> Option<Vec<Group>> {
    let ParameterKind::Pointer { is_restrict, .. } = parameter.kind else {
        return None;
    };
    if walk.incomplete.is_some() {
        return None;
    }
    let visits = &walk.visits;
    let is_once = |site: SiteId| visits.iter().filter(|visit| visit.site == site).count() == 1;
    let loads: Vec<(usize, TermId)> = visits
        .iter()
        .enumerate()
        .filter(|(_, visit)| is_meant(visit, parameter) && is_once(visit.site))
        .filter_map(|(at, visit)| Some((at, visit.offset?)))
        .take(MOST_LOADS)
        .collect();
    if loads.len() < 2 {
        return Some(Vec::new());
    }
    let terms = &mut walk.terms.clone();
    let mut used = vec![false; loads.len()];
    let mut groups = Vec::new();
    for first in 0..loads.len() {
        for count in [4u32, 2] {
            let (at, start) = loads[first];
            let group = Group {
                sites: Vec::new(),
                width: visits[at].width,
            };
            let element = group.width;
            let is_open = count * element <= WIDEST && group.scalar(own).is_some();
            if used[first] || !is_open {
                continue;
            }
            let bytes = terms.int(i64::from(count * element));
            let zero = terms.int(0);
            let rest = terms.binary(TermOp::Rem, start, bytes);
            let is_aligned = terms.binary(TermOp::Eq, rest, zero);
            if !holds(terms, walk.lane, &visits[at], is_aligned, claims) {
                continue;
            }
            let mut members = vec![first];
            for place in 1..count {
                let by = terms.int(i64::from(place * element));
                let expected = terms.add(start, by);
                let next = (0..loads.len()).find(|other| {
                    let (other_at, offset) = loads[*other];
                    let (one, other_one) = (&visits[at], &visits[other_at]);
                    let is_like = (one.width, &one.guards) == (other_one.width, &other_one.guards);
                    if used[*other] || !is_like {
                        return false;
                    }
                    let same = terms.binary(TermOp::Eq, offset, expected);
                    holds(terms, walk.lane, &visits[other_at], same, claims)
                });
                members.extend(next);
            }
            let places: Vec<usize> = members.iter().map(|one| loads[*one].0).collect();
            let (Some(low), Some(high)) = (places.iter().min(), places.iter().max()) else {
                continue;
            };
            // What is stored through the pointer itself may be what the next element holds.
            let is_quiet = visits[*low..*high].iter().all(|visit| {
                visit.op == Op::Load || is_restrict && visit.target != visits[at].target
            });
            let place = |one: usize| kernel.sites[visits[one].site.index()].span;
            let is_first = places
                .iter()
                .all(|one| place(at).start <= place(*one).start);
            if members.len() == count as usize && is_quiet && is_first {
                members.iter().for_each(|one| used[*one] = true);
                groups.push(Group {
                    sites: places.iter().map(|one| visits[*one].site).collect(),
                    ..group
                });
            }
        }
    }
    Some(groups)
}

fn holds(
    terms: &mut Terms,
    lane: SymbolId,
    visit: &Visit,
    claim: TermId,
    claims: &mut Claims,
) -> bool {
    !is_wrong_somewhere(terms, &visit.guards, &[claim])
        && claims.hold(terms, lane, &[], claim) == Answer::Proved
}

/// A vector in front of the statement of each first load, its members in place of the loads.
fn edits(
    sources: &SourceMap,
    kernel: &Kernel,
    parameter: &Parameter,
    own: Element,
    groups: &[Group],
) -> Option<Vec<Edit>> {
    let file = parameter.span.file;
    let text = &sources.get(file).text;
    let blanked = blank(text);
    let mut edits: Vec<Edit> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let spans: Option<Vec<Span>> = group
            .sites
            .iter()
            .map(|site| {
                let site = &kernel.sites[site.index()];
                if !site.inlined.is_empty() || site.span.file != file {
                    return None;
                }
                let is_own = group.width == own.size;
                match site.definition {
                    None => is_own.then_some(site.span),
                    // Only an address can be read as another type.
                    Some(_) => (!is_own).then(|| inside(sources, site.span, parameter))?,
                }
            })
            .collect();
        let spans = spans?;
        let (first, last) = (*spans.first()?, spans.iter().max_by_key(|span| span.end)?);
        let written = sources.text(first);
        let (brackets, end) = subscripts(written, parameter.name.len());
        let [inner] = brackets.as_slice() else {
            return None;
        };
        if !written.starts_with(&parameter.name) || end != written.len() {
            return None;
        }
        operand(&written[inner.clone()])?;
        let start = statement(&blanked, first.start as usize)?;
        let region = blanked.get(start..last.end as usize)?;
        if region.contains(['{', '}']) || region.contains("sync") {
            return None;
        }
        let mut name = format!("{}_{}", parameter.name, number + 1);
        while occurrences(&blanked, &name).next().is_some() {
            name.push('_');
        }
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line..start];
        let gap = if indent.trim().is_empty() {
            format!("\n{indent}")
        } else {
            " ".to_owned()
        };
        let vector = format!("{}{}", group.scalar(own)?, group.sites.len());
        // A macro that reads an element as another type may take its address as one that is no constant.
        let constant = if group.width == own.size {
            "const "
        } else {
            ""
        };
        edits.push(Edit {
            span: Span::new(file, start as u32, start as u32),
            replacement: format!(
                "{constant}{vector} {name} = *reinterpret_cast<const {vector} *>(&{written});{gap}"
            ),
        });
        for (span, member) in spans.iter().zip(MEMBERS) {
            edits.push(Edit {
                span: *span,
                replacement: format!("{name}.{member}"),
            });
        }
    }
    edits.sort_by_key(|edit| edit.span);
    let overlaps = edits
        .windows(2)
        .any(|pair| pair[1].span.start < pair[0].span.end.max(pair[0].span.start + 1));
    (!overlaps).then_some(edits)
}

/// The one subscript of the parameter in the text of a macro's use.
fn inside(sources: &SourceMap, of: Span, parameter: &Parameter) -> Option<Span> {
    let text = sources.text(of);
    let mut places = occurrences(text, &parameter.name);
    let (Some(at), None) = (places.next(), places.next()) else {
        return None;
    };
    let (brackets, end) = subscripts(text, at + parameter.name.len());
    let span = Span::new(of.file, of.start + at as u32, of.start + end as u32);
    (brackets.len() == 1).then_some(span)
}

/// Where the statement begins that holds what stands at `at`.
fn statement(text: &str, at: usize) -> Option<usize> {
    let head = text.get(..at)?;
    let before = head.rfind([';', '{', '}'])? + 1;
    let inside = &text[before..at];
    Some(before + inside.len() - inside.trim_start().len())
}

/// Whether the new walk has the same accesses as the old one, but vectors for groups.
fn keeps_the_rest(old: &Walk, new: &Walk, groups: &[Group]) -> bool {
    if !means_the_same(old, new) || old.extras.len() != new.extras.len() {
        return false;
    }
    let mut memo = FxHashMap::default();
    let (visits, terms) = (&old.visits, &mut old.terms.clone());
    let group_of = |visit: &Visit| groups.iter().find(|one| one.sites.contains(&visit.site));
    let mut left: Vec<&Visit> = visits
        .iter()
        .filter(|visit| group_of(visit).is_none())
        .collect();
    left.reverse();
    let mut open: Vec<&Group> = groups.iter().collect();
    for visit in &new.visits {
        let offset = visit
            .offset
            .map(|offset| import(terms, &new.terms, offset, &mut memo));
        let guards: Vec<TermId> = visit
            .guards
            .iter()
            .map(|guard| import(terms, &new.terms, *guard, &mut memo))
            .collect();
        let is_like = |before: &Visit| {
            (before.op, &before.target, before.offset, &before.guards)
                == (visit.op, &visit.target, offset, &guards)
        };
        if let Some(next) = left.last()
            && is_like(next)
            && (next.width, &next.reason) == (visit.width, &visit.reason)
        {
            left.pop();
            continue;
        }
        // The vector stands where its first element stood, and reads no more than its group did.
        let vector = open.iter().position(|group| {
            let first = visits.iter().find(|before| before.site == group.sites[0]);
            first.is_some_and(|first| {
                is_like(first) && visit.width == group.width * group.sites.len() as u32
            })
        });
        let Some(at) = vector else {
            return false;
        };
        open.remove(at);
    }
    left.is_empty() && open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_begins_after_the_one_before() {
        let text = "{ a = 1;\n  b = f(x[0], x[1]); }";
        let at = text.find("x[0]").expect("a load");
        assert_eq!(statement(text, at), text.find("b = "));
        assert_eq!(statement("b = x[0]", 4), None);
    }
}
