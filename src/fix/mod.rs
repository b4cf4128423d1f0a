//! Fixes: edits of the source that are proved before they are offered.
//!
//! Given accesses with conflicts and a way to analyse the edited text again, gives
//! [`crate::finding::Fix`]es; and applies them to text. Knows nothing of files on
//! disk or of who asks.

pub mod apply;
pub mod block_memory;
pub mod layout;
pub mod padding;
pub mod read_only;
pub mod record_align;
pub mod swizzle;
pub mod thread_index;
pub mod vector;

mod banks;
mod elsewhere;
mod launch_bytes;
mod sampled;
mod stored;
mod subscripts;
mod text;
mod unreached;

pub(crate) use text::{blank, body, is_word};

use crate::access::Walks;
use crate::finding::{Edit, Fix};
use crate::gpu::Arch;
use crate::gpu::cost::Op;
use crate::ir::{Kernel, Program, SharedId, SharedObject};
use crate::prove::implication::Claims;
use crate::prove::verdict::Access;
use crate::source::{SourceMap, Span};
use block_memory::{Memory, kept};
use layout::{Kept, Mapping, Side, Until};
use rustc_hash::{FxHashMap, FxHashSet};
use sampled::{FEW, MANY, Sampled, Tally, predicted, sampled, weighted};
use std::path::{Path, PathBuf};

/// The analysis of edited text. Spans are of `sources`, not of the text before.
#[derive(Debug)]
pub struct Reproof {
    pub sources: SourceMap,
    /// Only kernels that hold the array, or the instances of the kernel.
    pub program: Program,
    /// Empty until proved.
    pub accesses: Vec<Access>,
    /// Where the text before stands now.
    pub moves: Moves,
    /// Of its kernels, which are compared with those before and judged.
    pub walks: Walks,
}

/// Where edits moved what stands behind them.
#[derive(Debug, Default)]
pub struct Moves(FxHashMap<PathBuf, Vec<(u32, i64)>>);

impl Moves {
    /// By `edits`, which are in order for each file of `sources`.
    #[must_use]
    pub fn of(edits: &[Edit], sources: &SourceMap) -> Self {
        let mut all: FxHashMap<PathBuf, Vec<(u32, i64)>> = FxHashMap::default();
        for Edit { span, replacement } in edits {
            let path = &sources.get(span.file).path;
            if !all.contains_key(path) {
                all.insert(path.clone(), Vec::new());
            }
            if let Some(of_file) = all.get_mut(path) {
                let before = of_file.last().map_or(0, |(_, moved)| *moved);
                let longer = replacement.len() as i64 - i64::from(span.end - span.start);
                of_file.push((span.end, before + longer));
            }
        }
        Self(all)
    }

    /// Where byte `at` of a file is now, if it is still there.
    fn to(&self, path: &Path, at: u32) -> i64 {
        let of_file = self.0.get(path).map_or(&[][..], Vec::as_slice);
        let before = of_file.partition_point(|(end, _)| *end <= at);
        let last = before.checked_sub(1).and_then(|last| of_file.get(last));
        i64::from(at) + last.map_or(0, |(_, moved)| *moved)
    }
}

/// Analyses the files concerned again, with edits in place.
pub trait Reprove {
    /// The program of the edited text. `None` where the edits cannot be applied.
    fn read(&self, edits: &[Edit]) -> Option<Reproof>;
    /// Finds the verdicts of its accesses, of those to shared memory where an array is to be fixed;
    /// `by_solver` proves them, else they are what a proof would have to show.
    fn judge(&self, reproof: &mut Reproof, by_solver: bool);
}

/// Places that keep an edit from keeping every value; none where it is not known which.
#[derive(Debug, Default)]
struct Blocked {
    places: Vec<Span>,
    /// One of them leaves its row in every run.
    is_refuted: bool,
}

/// The array to fix and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its declarator.
    pub declaration: Span,
    pub sources: &'a SourceMap,
    pub program: &'a Program,
    /// Those of its kernels that hold it.
    pub kernels: &'a [&'a Kernel],
    /// Those of all kernels.
    pub sites: &'a Sites<'a>,
    /// Every access to it.
    pub accesses: &'a [&'a Access],
    pub arch: &'a Arch,
    pub walks: &'a Walks,
}

/// Where the accesses of all kernels are written, for finding those in a place.
#[derive(Debug)]
pub struct Sites<'a> {
    program: &'a Program,
    files: FxHashMap<&'a Path, Vec<Written>>,
}

/// One place with an access.
#[derive(Clone, Copy, Debug)]
struct Written {
    start: u32,
    end: u32,
    /// The largest end of this one and of those before it.
    furthest: u32,
    kernel: usize,
}

impl<'a> Sites<'a> {
    #[must_use]
    pub fn of(program: &'a Program, sources: &'a SourceMap) -> Self {
        let mut files: FxHashMap<&Path, Vec<Written>> = FxHashMap::default();
        for (at, kernel) in program.kernels.iter().enumerate() {
            let kernel = kernel.unfolded();
            let sites = kernel.sites.iter();
            for span in sites.flat_map(|site| std::iter::once(site.span).chain(site.definition)) {
                let of_file = files.entry(&sources.get(span.file).path).or_default();
                of_file.push(Written {
                    start: span.start,
                    end: span.end,
                    furthest: span.end,
                    kernel: at,
                });
            }
        }
        for of_file in files.values_mut() {
            of_file.sort_unstable_by_key(|one| (one.start, one.end, one.kernel));
            let mut furthest = 0;
            for one in of_file {
                furthest = one.end.max(furthest);
                one.furthest = furthest;
            }
        }
        Self { program, files }
    }

    /// The kernels with an access that shares a byte with a part of the file at `path`.
    fn touched(&self, path: &Path, part: Span) -> impl Iterator<Item = &'a Kernel> {
        let all = self.files.get(path).map_or(&[][..], Vec::as_slice);
        let before = all.partition_point(|one| one.start < part.end);
        let near = all[..before].iter().rev();
        near.take_while(move |one| one.furthest > part.start)
            .filter(move |one| one.end > part.start)
            .filter_map(|one| self.program.kernels.get(one.kernel))
    }
}

/// The proved cure of an array's conflicts: the smallest padding that makes every access ideal, a
/// swizzle where padding does not, or the better of the two.
#[must_use]
pub fn propose(array: Array, reprove: &dyn Reprove) -> Option<Fix> {
    let mut claims = Claims::default();
    let few = sampled(&array, FEW);
    let padded = padding::propose(array, &few, reprove, &mut claims);
    let is_cured = padded.as_ref().is_some_and(|one| one.left == 0 && one.fits);
    // The few are among the many.
    if is_cured || !swizzle::may_help(array, &few) {
        return padded.map(|one| one.fix);
    }
    let swizzled = swizzle::propose(array, &sampled(&array, MANY), reprove, &mut claims);
    // A swizzle leaves no conflict and takes no memory.
    swizzled.or(padded).map(|one| one.fix)
}

/// A fix with what it leaves.
struct Proposed {
    fix: Fix,
    /// Weighted wavefronts beyond the ideal.
    left: u64,
    /// As many blocks stay resident as before.
    fits: bool,
}

/// Wavefronts beyond the ideal, more of them in inner loops; an answer that is no bound counts as
/// the worst one.
fn excess<'a>(accesses: impl Iterator<Item = &'a Access>) -> u64 {
    accesses
        .map(|access| {
            let verdict = &access.verdict;
            let one = if verdict.is_known() {
                let (cost, ideal) = access.worst();
                u64::from(cost.saturating_sub(ideal))
            } else {
                32
            };
            weighted(one, access.loop_depth)
        })
        .sum()
}

/// Wavefronts of all accesses, more of them in inner loops, in sixteenths.
fn wavefronts<'a>(accesses: impl Iterator<Item = &'a Access>) -> u64 {
    accesses
        .map(|access| weighted(sixteenths(access), access.loop_depth))
        .sum()
}

/// Wavefronts of one access, its part of what the compiler merges; in sixteenths.
fn sixteenths(access: &Access) -> u64 {
    match &access.merged {
        Some(merged) => u64::from(merged.max) * 16 / u64::from(merged.accesses.max(1)),
        None if access.verdict.is_known() => u64::from(access.verdict.max) * 16,
        None => 32 * 16,
    }
}

/// Cost of one place in the text, in one instance under one shape of blocks.
type Costs<'a> = FxHashMap<(&'a str, &'a str, Op, u32, [Option<u64>; 3], i64), u64>;

/// The most that accesses cost, by their places as `place` gives them.
fn costs<'a>(accesses: impl Iterator<Item = &'a Access>, place: impl Fn(Span) -> i64) -> Costs<'a> {
    let mut costs = Costs::default();
    for access in accesses {
        let at = place(access.site.span);
        let (kernel, instance) = (&*access.kernel, &*access.instance);
        let key = (
            kernel,
            instance,
            access.op,
            access.width,
            access.launch.block,
            at,
        );
        let most = costs.entry(key).or_default();
        *most = sixteenths(access).max(*most);
    }
    costs
}

impl Reproof {
    /// Tells of spans whether one of `before`, all of one file, stood there in the text before the edits.
    pub fn are_at(&self, before: &[Span], sources: &SourceMap) -> impl Fn(Span) -> bool {
        let path = before
            .first()
            .map(|one| sources.get(one.file).path.as_path());
        let start = |one: &Span| Some(self.moves.to(path?, one.start));
        let starts: FxHashSet<i64> = before.iter().filter_map(start).collect();
        move |span| {
            starts.contains(&i64::from(span.start))
                && path == Some(&self.sources.get(span.file).path)
        }
    }

    /// Whether `span` is where `before` stood in the text before the edits.
    #[must_use]
    pub fn is_at(&self, span: Span, before: Span, sources: &SourceMap) -> bool {
        let path: &Path = &sources.get(before.file).path;
        if self.sources.get(span.file).path != path {
            return false;
        }
        i64::from(span.start) == self.moves.to(path, before.start)
    }

    /// The access after the edits that stands where `before` stood.
    #[must_use]
    pub fn counterpart(&self, before: &Access, sources: &SourceMap) -> Option<&Access> {
        self.accesses.iter().find(|after| {
            (
                &after.kernel,
                &after.instance,
                after.op,
                after.space,
                after.width,
            ) == (
                &before.kernel,
                &before.instance,
                before.op,
                before.space,
                before.width,
            ) && after.launch.block == before.launch.block
                && self.is_at(after.site.span, before.site.span, sources)
        })
    }
}

/// The array with a size: that of `extern __shared__ T a[]` stands in the launch, here the largest.
/// `None` where a launch does not tell, or where several such arrays lie over each other.
fn sized(kernel: &Kernel, object: &SharedObject) -> Option<SharedObject> {
    let mut one = object.clone();
    if one.size.is_none() {
        let without_size = kernel.shared.iter().filter(|other| other.size.is_none());
        let sizes = kernel.launches.iter().map(|launch| launch.dynamic_shared);
        let largest = sizes.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        let is_alone = without_size.count() == 1;
        if !is_alone || largest == 0 {
            return None;
        }
        one.size = Some(largest);
        one.dimensions = vec![largest / u64::from(one.element.max(1))];
    }
    Some(one)
}

/// Whether every launch gives the array the memory that it takes after the mapping.
fn has_room(before: &Kernel, after: &Kernel, object: &SharedObject, mapping: Mapping) -> bool {
    if object.size.is_some() {
        return true;
    }
    before.launches.len() == after.launches.len()
        && before
            .launches
            .iter()
            .zip(&after.launches)
            .all(|(old, new)| {
                let last = old.dynamic_shared.and_then(|bytes| bytes.checked_sub(1));
                let room = new.dynamic_shared.unwrap_or(0);
                last.is_some_and(|last| mapping.apply(last) < room)
            })
}

/// A kernel that holds the array, with the array's place in it.
type Holder<'a> = (&'a Kernel, SharedId, &'a SharedObject);

impl<'a> Array<'a> {
    fn holders(&self) -> impl Iterator<Item = Holder<'a>> {
        let array = *self;
        self.kernels.iter().copied().filter_map(move |kernel| {
            let at = kernel
                .shared
                .iter()
                .position(|object| array.is_declared_at(object.span))?;
            Some((kernel, SharedId(at as u32), &kernel.shared[at]))
        })
    }

    /// One file may have several numbers: a header that several units include.
    fn is_declared_at(&self, span: Span) -> bool {
        let path = |span: Span| &self.sources.get(span.file).path;
        span.start == self.declaration.start && path(span) == path(self.declaration)
    }

    /// The kernel after the edits.
    fn holder_after<'r>(&self, reproof: &'r Reproof, before: &Kernel) -> Option<Holder<'r>> {
        let kernel =
            reproof.program.kernels.iter().find(|kernel| {
                (&kernel.name, &kernel.instance) == (&before.name, &before.instance)
            })?;
        let at = kernel
            .shared
            .iter()
            .position(|object| reproof.is_at(object.span, self.declaration, self.sources))?;
        Some((kernel, SharedId(at as u32), &kernel.shared[at]))
    }

    fn accesses_after<'r>(&'r self, reproof: &'r Reproof) -> impl Iterator<Item = &'r Access> {
        reproof.accesses.iter().filter(|access| {
            access
                .declaration
                .is_some_and(|span| reproof.is_at(span, self.declaration, self.sources))
        })
    }

    /// Whether the edits keep every value, and the places that stand in the way.
    fn keeps_values(
        &self,
        reproof: &Reproof,
        mapping: &dyn Fn(&SharedObject, &SharedObject) -> Option<Mapping>,
        claims: &mut Claims,
        until: Until,
    ) -> Result<(), Blocked> {
        let mut wrong = Blocked::default();
        let mut holders = 0;
        for (kernel, id, object) in self.holders() {
            holders += 1;
            let Some((after, after_id, new)) = self.holder_after(reproof, kernel) else {
                return Err(Blocked::default());
            };
            let (old, new) = (sized(kernel, object), sized(after, new));
            let Some(mapping) = old
                .zip(new)
                .and_then(|(old, new)| mapping(&old, &new))
                .filter(|mapping| after_id == id && has_room(kernel, after, object, *mapping))
            else {
                return Err(Blocked::default());
            };
            let before = Side {
                program: self.program,
                kernel,
                walks: self.walks,
            };
            let after = Side {
                program: &reproof.program,
                kernel: after,
                walks: &reproof.walks,
            };
            match layout::keeps_values(before, after, id, mapping, claims, until) {
                Kept::Proved => {}
                Kept::Unclear => return Err(Blocked::default()),
                Kept::Not { places, is_refuted } => {
                    wrong.is_refuted |= is_refuted;
                    let known = &kernel.unfolded().sites;
                    let found = places.iter().filter_map(|site| known.get(site.index()));
                    wrong.places.extend(found.map(|site| site.span));
                }
            }
            if until == Until::FirstWrong && !wrong.places.is_empty() {
                break;
            }
        }
        if holders == 0 || !wrong.places.is_empty() {
            wrong.places.sort_unstable();
            wrong.places.dedup();
            return Err(wrong);
        }
        Ok(())
    }

    /// Whether no kernel without the array has an access in an edited place.
    fn is_edited_alone(&self, edits: &[Edit]) -> bool {
        let is_holder = |kernel: &Kernel| {
            kernel
                .shared
                .iter()
                .any(|one| self.is_declared_at(one.span))
        };
        edits.iter().all(|edit| {
            let path = &self.sources.get(edit.span.file).path;
            let mut others = self.sites.touched(path, edit.span);
            others.all(is_holder)
        })
    }

    /// Bytes of the array in every kernel and launch; `None` where one is not known.
    fn sizes(&self) -> Option<Vec<u64>> {
        let mut all = Vec::new();
        for (kernel, _, object) in self.holders() {
            all.push(sized(kernel, object)?.size?);
            if object.size.is_none() {
                all.extend(kernel.launches.iter().filter_map(|one| one.dynamic_shared));
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// Of the kernel that holds the array and takes the most.
    fn memory(&self) -> Option<Memory> {
        self.holders()
            .map(|(kernel, ..)| Memory::of(kernel, &kept(self.program, kernel, self.walks)))
            .max_by_key(|memory| memory.fixed)
    }

    /// The same after the edits.
    fn memory_after(&self, reproof: &Reproof) -> Option<Memory> {
        self.holders()
            .filter_map(|(kernel, ..)| self.holder_after(reproof, kernel))
            .map(|(kernel, ..)| Memory::of(kernel, &kept(&reproof.program, kernel, &reproof.walks)))
            .max_by_key(|memory| memory.fixed)
    }

    /// Whether no access costs more than before, whatever others gain.
    fn keeps_each(&self, reproof: &Reproof) -> bool {
        let path = |span: Span| self.sources.get(span.file).path.as_path();
        let before = costs(self.accesses.iter().copied(), |span| {
            reproof.moves.to(path(span), span.start)
        });
        let after = costs(self.accesses_after(reproof), |span| i64::from(span.start));
        let mut after = after.iter();
        after.all(|(key, cost)| before.get(key).is_none_or(|before| cost <= before))
    }

    /// Whether the array's accesses take fewer wavefronts in all than before, where one access that the
    /// compiler makes of several counts once: what falls apart has to be worth it.
    fn is_cheaper(&self, reproof: &Reproof) -> bool {
        let before = wavefronts(self.accesses.iter().copied());
        wavefronts(self.accesses_after(reproof)) < before
    }

    /// `proved conflict-free`, or what stands in the way.
    fn proof(&self, reproof: &Reproof) -> String {
        let blocker = self
            .accesses_after(reproof)
            .filter(|access| !access.is_ideal())
            .max_by_key(|access| {
                let verdict = &access.verdict;
                (
                    !verdict.is_known(),
                    verdict.max.saturating_sub(verdict.ideal),
                )
            });
        let Some(access) = blocker else {
            return "proved conflict-free".to_owned();
        };
        let file = reproof.sources.get(access.site.span.file);
        let line = file.line(access.site.span.start);
        let verdict = &access.verdict;
        let stays = if verdict.is_known() {
            format!(
                "stays at {} wavefronts (ideal {})",
                verdict.max, verdict.ideal
            )
        } else {
            format!("stays {}", verdict.status.name())
        };
        format!(
            "the best padding found; the {} on line {line} {stays}",
            access.op.name()
        )
    }
}
