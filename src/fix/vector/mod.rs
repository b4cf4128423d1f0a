//! Neighbouring elements that one thread loads or stores one by one, moved as a vector.
//!
//! Given a kernel and a parameter that points to numbers, finds accesses of it that take all elements of an
//! aligned piece. Loads read the piece at once in front of the first of them; stores write into a vector that
//! the last of them stores. One access in a short loop is as many as the loop has turns. Each element's place is proved by Z3, the edited kernel has to have the same
//! accesses under the same conditions but for these, and each vector has to be proved ideal, or to cost no more
//! than one of its elements did. That the array itself is aligned, and that nothing else lies over it where
//! something comes between, is for the user to know, so the fix is never a safe one.

mod edits;
mod element;
mod groups;
mod loops;
mod order;
mod same;
mod written;

use super::Reprove;
use super::thread_index::Definition;
use crate::finding::{Edit, Fix, Safety};
use crate::gpu::Op;
use crate::ir::{Kernel, Parameter, SiteId};
use crate::prove;
use crate::prove::implication::Claims;
use crate::prove::verdict::Access;
use crate::source::Span;
use groups::groups_of;

/// Widest access of the hardware, in bytes.
const WIDEST: u32 = 16;
/// Instances of one kernel that are looked at.
const MOST_INSTANCES: usize = 8;

/// Accesses that together take one vector, in order of their places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    op: Op,
    sites: Vec<SiteId>,
    /// Bytes of one of them.
    width: u32,
    /// How often the loop runs in each turn of which the only site takes the next element; 1 where there is none.
    turns: u32,
    /// Whether something comes between them that reads or writes what another pointer points to.
    is_between_others: bool,
}

impl Group {
    fn count(&self) -> u32 {
        self.sites.len() as u32 * self.turns
    }

    /// Of one vector.
    fn bytes(&self) -> u32 {
        (self.count() * self.width).min(WIDEST)
    }

    /// How many vectors there are.
    fn pieces(&self) -> u32 {
        self.count() * self.width / self.bytes()
    }

    fn is_loop(&self) -> bool {
        self.turns > 1
    }
}

/// What the instances of a kernel have in common: their text is one.
struct Agreed {
    parameter: Parameter,
    /// Whether a launch may pass it moved.
    is_moved: bool,
    groups: Vec<Group>,
    /// What the widest vector is called.
    vector: String,
    edits: Vec<Edit>,
}

/// The proved vector loads, or stores, of the parameter that is declared at `parameter`.
#[must_use]
pub fn propose(
    definition: Definition,
    parameter: Span,
    op: Op,
    reprove: &dyn Reprove,
) -> Option<Fix> {
    let sources = definition.sources;
    let mut own = definition.accesses.iter().copied();
    if !own.any(|access| is_hopeful(access, parameter, op)) {
        return None;
    }
    let instances: Vec<_> = definition.instances().take(MOST_INSTANCES + 1).collect();
    if instances.len() > MOST_INSTANCES {
        return None;
    }
    let (agreed, of_instances) = agreement(definition, &instances, parameter, op)?;
    let mut reproof = reprove.read(&agreed.edits)?;
    let mut claims = Claims::default();
    if reproof.program.kernels.len() != instances.len() {
        return None;
    }
    for (kernel, groups) in instances.iter().zip(&of_instances) {
        // Each unit that reads a header has a copy of its kernels.
        let all = reproof.program.kernels.iter();
        let mut copies = all
            .filter(|one| (&one.name, &one.instance) == (&kernel.name, &kernel.instance))
            .peekable();
        copies.peek()?;
        let keeps = copies.all(|after| {
            prove::launches(kernel).iter().all(|launch| {
                let old = definition.walks.get(definition.program, kernel, launch);
                let new = reproof.walks.get(&reproof.program, after, launch);
                same::keeps_the_rest(&old, &new, groups, &mut claims)
            })
        });
        if !keeps {
            return None;
        }
    }
    reprove.judge(&mut reproof, true);
    let is_new = |access: &&Access| {
        let mut groups = agreed.groups.iter();
        let mut declared = access.declaration.iter();
        let is_of = declared.any(|span| reproof.is_at(*span, parameter, sources));
        access.op == op && groups.any(|group| group.bytes() == access.width) && is_of
    };
    let vectors: Vec<&Access> = reproof.accesses.iter().filter(is_new).collect();
    let before = definition.accesses.iter().copied();
    let before: Vec<&Access> = before
        .filter(|access| access.declaration == Some(parameter) && access.op == op)
        .collect();
    let worth = worth(&vectors, &before)?;
    Some(Fix {
        title: title(&agreed, op, worth),
        safety: Safety::Unsafe,
        is_whole: false,
        edits: agreed.edits,
    })
}

/// Edits that hold for all instances, and the groups of each.
fn agreement(
    definition: Definition,
    instances: &[&Kernel],
    parameter: Span,
    op: Op,
) -> Option<(Agreed, Vec<Vec<Group>>)> {
    let sources = definition.sources;
    let mut claims = Claims::default();
    let mut agreed: Option<Agreed> = None;
    let mut of_instances: Vec<Vec<Group>> = Vec::new();
    let mut is_moved = false;
    for kernel in instances {
        let kernel = &*kernel.unfolded();
        let one = definition.parameter(kernel, parameter)?;
        let mut groups: Option<Vec<Group>> = None;
        for launch in &prove::launches(kernel) {
            let walk = definition.walks.get(definition.program, kernel, launch);
            is_moved |= groups::is_moved(&walk, one);
            let found = groups_of(&walk, kernel, sources, one, op, &mut claims)?;
            if groups.get_or_insert_with(|| found.clone()) != &found {
                return None;
            }
        }
        let groups = groups.filter(|groups| !groups.is_empty())?;
        let (mut edits, vector) = edits::edits(sources, kernel, one, &groups)?;
        // Instances of several units have their header under several numbers.
        edits
            .iter_mut()
            .for_each(|edit| edit.span.file = parameter.file);
        match &agreed {
            None => {
                agreed = Some(Agreed {
                    parameter: one.clone(),
                    is_moved: false,
                    groups: groups.clone(),
                    vector,
                    edits,
                });
            }
            Some(known) if known.edits == edits => {}
            Some(_) => return None,
        }
        of_instances.push(groups);
    }
    let agreed = Agreed {
        is_moved,
        ..agreed?
    };
    Some((agreed, of_instances))
}

/// Whether lanes leave room for neighbours of what they move.
fn is_hopeful(access: &Access, parameter: Span, op: Op) -> bool {
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
        && access.op == op
        && stride.is_some_and(|stride| stride >= 2 * width)
}

/// What the vectors are proved to be; `None` where one of them may cost more than its elements did.
fn worth(vectors: &[&Access], before: &[&Access]) -> Option<String> {
    if vectors.is_empty() || !vectors.iter().all(|one| one.verdict.is_known()) {
        return None;
    }
    if vectors.iter().all(|one| one.verdict.is_ideal()) {
        return Some("proved ideal".to_owned());
    }
    let known = before.iter().filter(|one| one.verdict.is_known());
    let least = known.map(|one| one.verdict.max).min()?;
    let most = vectors.iter().map(|one| one.verdict.max).max()?;
    (most <= least).then(|| format!("one request of {most} sectors in place of several"))
}

/// What the fix does, and what has to hold that no proof shows.
fn title(agreed: &Agreed, op: Op, worth: String) -> String {
    let Agreed {
        parameter,
        is_moved,
        groups,
        vector,
        ..
    } = agreed;
    let name = &parameter.name;
    let places = match groups.len() {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    let bytes = groups.iter().map(Group::bytes).max().unwrap_or(WIDEST);
    let origin = match is_moved {
        true => " where it is launched, which passes it moved",
        false => ", as cudaMalloc gives it",
    };
    let mut title = format!(
        "{} `{name}` as `{vector}` in {places}: {worth}; `{name}` has to be aligned to {bytes} bytes{origin}",
        op.name()
    );
    if groups.iter().any(|group| group.is_between_others) {
        title.push_str(", and may not overlap what other pointers point to");
    }
    title
}
