//! `divergent-barrier` (CL301), `missing-barrier` (CL302) and `implicit-warp-sync` (CL303):
//! threads that wait in vain, threads that do not wait where they should, and masks that do not match.

use super::Context;
use super::hazards::{Race, Run, Touch, Unmatched};
use super::kernel_facts::KernelFacts;
use super::kernels::{KernelFinding, block_of, launch_note};
use crate::finding::{Evidence, Label, Level};
use crate::ir::Launch;
use crate::sim::MissedExchange;

/// Warps run in lock-step before compute capability 7.0 (CUDA C++ Programming Guide,
/// "Independent Thread Scheduling").
const INDEPENDENT_SINCE: u8 = 7;

pub fn divergent_barrier(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    view.hazards(context.arch)
        .barriers
        .iter()
        // Other barriers may be meant for part of the block.
        .filter(|missed| {
            context
                .sources
                .text(missed.span)
                .starts_with("__syncthreads")
        })
        .map(|missed| {
            let launch = &missed.run.launch;
            let (here, there) = (thread(missed.here, launch), thread(missed.there, launch));
            let mut told = KernelFinding::new(
                missed.span,
                format!(
                    "{}{} of {} threads of a block reach this barrier of `{}`",
                    possibly(&missed.run),
                    missed.arrived,
                    missed.expected,
                    view.kernel.name
                ),
                format!("thread {here} reaches this `__syncthreads()`, thread {there} never does"),
            );
            weigh(&mut told, &missed.run, context);
            told.advice = Some(
                "move the barrier out of the condition, so that all threads of the block reach it"
                    .to_owned(),
            );
            told
        })
        .collect()
}

/// The synchronisation that would put two accesses in order.
struct Missing {
    /// As the message has it.
    what: &'static str,
    advice: &'static str,
    between: &'static str,
}

const BETWEEN_WARPS: Missing = Missing {
    what: "barrier",
    advice: "put `__syncthreads()` between the two",
    between: "threads of different warps",
};
const IN_A_WARP: Missing = Missing {
    what: "`__syncwarp()`",
    advice: "put `__syncwarp()` between the two, with the mask of the lanes that get there where that is not all of them",
    between: "lanes of one warp",
};

pub fn missing_barrier(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    races(view, context, false)
        .map(|race| race_told(view, race, context, &BETWEEN_WARPS))
        .collect()
}

pub fn implicit_warp_sync(view: &KernelFacts, context: &Context) -> Vec<KernelFinding> {
    if context.arch.major < INDEPENDENT_SINCE {
        return Vec::new();
    }
    let masks = view.hazards(context.arch).exchanges.iter();
    let masks = masks.filter_map(|one| mask_told(one, view, context));
    let races = races(view, context, true).map(|race| {
        let mut told = race_told(view, race, context, &IN_A_WARP);
        told.notes.push(
            "since compute capability 7.0 the lanes of a warp need not run in step"
                .to_owned()
                .into(),
        );
        told
    });
    races.chain(masks).collect()
}

/// An exchange whose mask is not that of the lanes that take part.
fn mask_told(one: &Unmatched, view: &KernelFacts, context: &Context) -> Option<KernelFinding> {
    let MissedExchange {
        span,
        caller,
        mask,
        absent,
    } = one.what;
    // Exchanges that the kernel does not write itself get a mask of their own here.
    let text = context.sources.text(span);
    let name = text
        .split('(')
        .next()
        .filter(|name| name.starts_with("__") && name.trim_end().ends_with("_sync"))?;
    let launch = &one.run.launch;
    let (here, there) = (thread(caller, launch), thread(absent, launch));
    let (message, label, advice) = if caller == absent {
        (
            format!(
                "{}the mask of this `{name}` leaves out a lane that calls it, in `{}`",
                possibly(&one.run),
                view.kernel.name
            ),
            format!("thread {here} calls it with mask {mask:#x}, which does not name it"),
            "let the mask name every lane that takes part, such as `0xffffffff` for whole warps",
        )
    } else {
        (
            format!(
                "{}a lane that the mask of this `{name}` names does not take part, in `{}`",
                possibly(&one.run),
                view.kernel.name
            ),
            format!(
                "thread {here} calls it with mask {mask:#x}, thread {there} of that mask never does"
            ),
            "move the exchange out of the condition, or take the mask from `__ballot_sync` before it",
        )
    };
    let mut told = KernelFinding::new(span, message, label);
    weigh(&mut told, &one.run, context);
    told.notes.push(
        "the result of an exchange is undefined unless all lanes of its mask that have not exited take part"
            .to_owned()
            .into(),
    );
    told.advice = Some(advice.to_owned());
    Some(told)
}

fn races<'v>(
    view: &'v KernelFacts,
    context: &Context,
    in_warp: bool,
) -> impl Iterator<Item = &'v Race> {
    let races = view.hazards(context.arch).races.iter();
    races.filter(move |race| race.in_warp == in_warp)
}

fn race_told(
    view: &KernelFacts,
    race: &Race,
    context: &Context,
    missing: &Missing,
) -> KernelFinding {
    let launch = &race.run.launch;
    let sites = &view.kernel.sites;
    let (first, second) = (
        &sites[race.first.site.index()],
        &sites[race.second.site.index()],
    );
    let object = view
        .kernel
        .shared
        .iter()
        .find(|object| *object.name == *second.array || *object.name == *first.array);
    let mut told = KernelFinding::at(
        second,
        String::new(),
        format!(
            "thread {} {} byte {} of shared memory, {}",
            thread(race.second.thread, launch),
            race.second.verb(),
            race.byte,
            if race.second.is_store {
                "which another may still have to read"
            } else {
                "which may not be written yet"
            }
        ),
    );
    told.array = object.map_or_else(|| second.array.to_string(), |object| object.name.clone());
    told.message = format!(
        "{}no {} between {} and {} of `{}` by {}",
        possibly(&race.run),
        missing.what,
        article(race.first),
        article(race.second),
        told.array,
        missing.between
    );
    told.advice = Some(missing.advice.to_owned());
    told.secondary.insert(
        0,
        Label {
            span: first.span,
            text: format!(
                "thread {} {} it here",
                thread(race.first.thread, launch),
                race.first.verb()
            ),
        },
    );
    if first.span == second.span {
        told.secondary.remove(0);
        told.notes.push(
            format!(
                "thread {} {} it at the same place, in another iteration",
                thread(race.first.thread, launch),
                race.first.verb()
            )
            .into(),
        );
    }
    weigh(&mut told, &race.run, context);
    told
}

fn article(touch: Touch) -> &'static str {
    if touch.is_store { "a store" } else { "a load" }
}

fn possibly(run: &Run) -> &'static str {
    if run.is_typical { "" } else { "possibly " }
}

/// Evidence, level and where the witness comes from.
fn weigh(told: &mut KernelFinding, run: &Run, context: &Context) {
    if !run.is_typical {
        told.evidence = Evidence::Possible;
        told.level = Some(Level::Info);
    }
    told.notes.push(launch_note(&run.launch, context));
    let values = match run.value {
        Some(value) => format!(", assuming {value} for integer arguments not known from a launch"),
        None => String::new(),
    };
    told.notes
        .push(format!("witness: a run of the first block{values}").into());
}

/// `(3, 1, 0)`, or `35` in a block of one dimension.
fn thread(linear: u32, launch: &Launch) -> String {
    let linear = u64::from(linear);
    match block_of(launch) {
        Some([x, y, z]) if y * z > 1 => {
            format!("({}, {}, {})", linear % x, linear / x % y, linear / (x * y))
        }
        _ => linear.to_string(),
    }
}
