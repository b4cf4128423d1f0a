//! One fix: the same part of a unit compiled before and after it, then run on the same inputs.

use super::edit::{self, Edit};
use super::units::units;
use super::{Offered, Outcome};
use crate::gpu::Arch;
use crate::gpu::cost::{self, Op, Space};
use crate::judge::case::Case;
use crate::judge::random::Random;
use crate::judge::vendor::compiled::{as_it_is, brief};
use crate::judge::vendor::inputs::{self, Known};
use crate::judge::vendor::source::{Kernel, text_of};
use crate::judge::vendor::{Options, Project, bounded, build, files};
use crate::nvrtc::{Compiler, Output};
use crate::ptx::machine::{Access, Block, Grid, Launch};
use crate::ptx::{self, Module};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Optimised, as it ships, but for contractions: where they are made depends on the rest of the text.
const FLAGS: [&str; 2] = ["--gpu-architecture=compute_90", "--fmad=false"];

/// What the requests of all blocks that ran cost, before and after.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Costs {
    pub launches: u64,
    /// Wavefronts of requests to shared memory.
    pub shared: [u64; 2],
    /// Sectors of requests to global memory.
    pub global: [u64; 2],
    /// Requests of both kinds.
    pub requests: [u64; 2],
}

/// A unit's kernels, compiled before and after a fix.
struct Compiled {
    unit: PathBuf,
    kernels: Vec<(Kernel, String)>,
    before: Output,
    after: Output,
}

/// # Errors
/// Where files cannot be read or written.
pub(super) fn try_fix(
    options: &Options,
    compiler: &Compiler,
    offered: &Offered,
    folder: &Path,
) -> Result<Outcome, String> {
    let end = Instant::now() + Duration::from_secs(options.seconds_a_file).mul_f32(0.75);
    let edited = edited(&offered.edits)?;
    let mut reason = "no unit compiles its kernels".to_owned();
    for (at, unit) in units(offered).into_iter().enumerate() {
        let folder = folder.join(at.to_string());
        match compile(options, compiler, offered, (&unit, &edited), &folder, end) {
            Ok(Ok(compiled)) => return Ok(compare(options, &compiled, end)),
            Ok(Err(broken)) => return Ok(Outcome::Broken(broken)),
            // The reason of the file that the fix is in says most.
            Err(why) if at == 0 => reason = why,
            Err(_) => {}
        }
        if Instant::now() > end {
            break;
        }
    }
    Ok(Outcome::NotCompiled(reason))
}

/// The texts after the fix.
fn edited(edits: &[Edit]) -> Result<BTreeMap<PathBuf, String>, String> {
    let mut by_file: BTreeMap<PathBuf, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        let path = std::fs::canonicalize(&edit.file)
            .map_err(|error| format!("{}: {error}", edit.file.display()))?;
        by_file.entry(path).or_default().push(edit);
    }
    let mut out = BTreeMap::new();
    for (path, edits) in by_file {
        let text = edit::applied(&text_of(&path)?, &edits)
            .ok_or_else(|| format!("an edit is not in {}", path.display()))?;
        out.insert(path, text);
    }
    Ok(out)
}

/// The unit before and after; the inner error is the compiler's complaint about the text after the fix.
fn compile(
    options: &Options,
    compiler: &Compiler,
    offered: &Offered,
    (unit, edited): (&Path, &BTreeMap<PathBuf, String>),
    folder: &Path,
    end: Instant,
) -> Result<Result<Compiled, String>, String> {
    let includes = files::includes(&options.includes, unit);
    let (old, new) = (folder.join("before"), folder.join("after"));
    let mut before = Project::read(unit, &includes, &compiler.includes, &old, &|_| true)?;
    if !edited.keys().any(|path| before.has(path)) {
        return Err("the unit does not include the file".to_owned());
    }
    let mut kernels: Vec<(Kernel, String)> = Vec::new();
    let mut reason = "the unit has no such kernel".to_owned();
    for (name, instance) in &offered.kernels {
        let named = before.kernels.iter();
        for kernel in named.filter(|one| one.path == *name || one.name == *name) {
            if kernel.is_template && instance.is_empty() {
                reason = "a template without a known instance".to_owned();
                continue;
            }
            kernels.push((kernel.clone(), instance.replace("$host", "")));
        }
    }
    if kernels.is_empty() {
        return Err(reason);
    }
    let all = before.kernels.clone();
    let expression = |(kernel, instance): &(Kernel, String)| kernel.expression(instance, &all);
    let expressions: Vec<String> = kernels.iter().map(expression).collect();
    let flags = FLAGS.map(str::to_owned);
    let limits = (Some(end), options.verbose);
    let (built, complaint) = build(compiler, &mut before, &expressions, &flags, limits)?;
    let names = kernels.into_iter().zip(built.names.iter().cloned());
    let (kernels, names): (Vec<_>, Vec<_>) = names.filter(|(_, name)| name.is_some()).unzip();
    if kernels.is_empty() {
        return Err(complaint);
    }
    let mut after = Project::read_edited(
        unit,
        &includes,
        &compiler.includes,
        &new,
        (edited, &|_| true),
    )?;
    after.remove_as_in(&before);
    let expressions: Vec<String> = kernels.iter().map(expression).collect();
    let after = match as_it_is(compiler, &after, &expressions, &flags) {
        Ok(after) => after,
        Err(log) => {
            let first = log.lines().find(|line| line.contains("error"));
            return Ok(Err(brief(first.unwrap_or(&log))));
        }
    };
    Ok(Ok(Compiled {
        unit: unit.to_path_buf(),
        kernels,
        before: Output { names, ..built },
        after,
    }))
}

/// Runs both versions of each kernel; what is wrong comes first.
fn compare(options: &Options, compiled: &Compiled, end: Instant) -> Outcome {
    let modules = (
        ptx::read::read(&compiled.before.ptx),
        ptx::read::read(&compiled.after.ptx),
    );
    let (before, after) = match modules {
        (Ok(before), Ok(after)) => (before, after),
        (Err(why), _) | (_, Err(why)) => return Outcome::NotRun(why),
    };
    let launches = launches(options, &compiled.unit, end);
    let text = text_of(&compiled.unit).unwrap_or_default();
    let case = Case::new("", &text);
    let mut costs = Costs::default();
    let mut reasons: BTreeSet<String> = BTreeSet::new();
    for (at, (kernel, instance)) in compiled.kernels.iter().enumerate() {
        let entry = |output: &Output, module: &Module| {
            let name = output.names.get(at)?.as_deref()?;
            module.function(name)
        };
        let Some(entries) = entry(&compiled.before, &before).zip(entry(&compiled.after, &after))
        else {
            reasons.insert("the kernel is not in the PTX".to_owned());
            continue;
        };
        let twins = Twins {
            modules: [&before, &after],
            entries: entries.into(),
            kernel,
        };
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let is_of = |known: &&Known| {
            (known.kernel == kernel.name || known.kernel == kernel.path)
                && known.problem.is_none()
                && squeezed(&known.instance) == squeezed(instance)
                // Kernels of one name are told apart by what they take.
                && (known.arguments.is_empty() || known.arguments.len() == kernel.parameters.len())
        };
        let mut known: Vec<Known> = launches.iter().filter(is_of).cloned().collect();
        if known.is_empty() {
            known = inputs::without_host(kernel, instance, &case, &[]);
        }
        if let Err(what) = twins.run(options, &known, end, &mut costs, &mut reasons) {
            return Outcome::Differs(what);
        }
    }
    if costs.launches == 0 {
        let reasons: Vec<String> = reasons.into_iter().collect();
        return Outcome::NotRun(reasons.join("; "));
    }
    let dearer = |[before, after]: [u64; 2]| after > before;
    if dearer(costs.shared) || dearer(costs.global) {
        return Outcome::Dearer(costs.to_string());
    }
    Outcome::Same(costs)
}

fn launches(options: &Options, unit: &Path, end: Instant) -> Vec<Known> {
    let includes = files::includes(&options.includes, unit);
    let mut arguments: Vec<String> = Vec::new();
    for include in &includes {
        arguments.extend(["-I".to_owned(), include.display().to_string()]);
    }
    let all = files::siblings(unit);
    arguments.extend(all.iter().map(|path| path.display().to_string()));
    let limit = bounded::Deadline::at(end).within(Duration::from_secs(60));
    let said = inputs::ask(&options.binary, &arguments, limit);
    said.map(|said| said.launches).unwrap_or_default()
}

/// One kernel in two modules.
struct Twins<'a> {
    modules: [&'a Module; 2],
    entries: [usize; 2],
    kernel: &'a Kernel,
}

impl Twins<'_> {
    /// Adds what both cost to `costs`, and why launches were left out to `reasons`.
    ///
    /// # Errors
    /// Where the two store different values, with the place.
    fn run(
        &self,
        options: &Options,
        known: &[Known],
        end: Instant,
        costs: &mut Costs,
        reasons: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let mut random = Random::new(options.seed);
        let function = &self.modules[0].functions[self.entries[0]];
        for turn in 0..options.turns.max(known.len().min(2 * options.turns)) {
            if Instant::now() > end {
                reasons.insert("the time was over".to_owned());
                break;
            }
            let launch = (!known.is_empty()).then(|| &known[turn % known.len()]);
            let made = inputs::make(Some(self.kernel), function, launch, turn, &mut random);
            let launch = made.launch;
            let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
            if !(1..=1024).contains(&threads) || launch.grid.contains(&0) {
                reasons.insert("the launch is none that can run".to_owned());
                continue;
            }
            match self.once(&launch)? {
                Ok(both) => {
                    costs.launches += 1;
                    for (which, blocks) in both.iter().enumerate() {
                        blocks.iter().for_each(|block| costs.add(which, block));
                    }
                }
                Err(why) => {
                    reasons.insert(why);
                }
            }
        }
        Ok(())
    }

    /// The blocks before and after; the inner error says why they do not run to their ends before.
    ///
    /// # Errors
    /// Where the two store different values, with the place.
    fn once(&self, launch: &Launch) -> Result<Result<[Vec<Block>; 2], String>, String> {
        let [before, after] = self.entries;
        let mut old = Grid::new(self.modules[0], before, launch);
        let blocks_before = match blocks(&mut old, launch.grid) {
            Ok(blocks) => blocks,
            Err(why) => return Ok(Err(why)),
        };
        let stored = old.stored();
        // A fix may ask its launch for more.
        let mut roomy = launch.clone();
        roomy.dynamic_shared *= 2;
        let mut new = Grid::new(self.modules[1], after, &roomy);
        new.begin_with(&old);
        let name = &self.kernel.name;
        let says = format!("grid {:?}, block {:?}", launch.grid, launch.block);
        let blocks_after = blocks(&mut new, launch.grid).map_err(|why| {
            format!("`{name}` ran to its end before, and does not now: {why} ({says})")
        })?;
        match difference(&stored, &new.stored()) {
            Some(place) => Err(format!("`{name}` {place} ({says})")),
            None => Ok(Ok([blocks_before, blocks_after])),
        }
    }
}

/// The first, the middle and the last block, all run to their ends.
fn blocks(grid: &mut Grid, size: [u32; 3]) -> Result<Vec<Block>, String> {
    let last = size.map(|n| n - 1);
    let mut indices = vec![[0, 0, 0], last.map(|n| n / 2), last];
    indices.dedup();
    let mut out = Vec::new();
    for index in indices {
        let block = grid.run(index);
        if let Some(stop) = block.stop {
            return Err(format!("stopped: {stop}"));
        }
        out.push(block);
    }
    if out.iter().all(|block| block.requests.is_empty()) {
        return Err("no request runs".to_owned());
    }
    Ok(out)
}

/// The first byte that is not the same, in words.
fn difference(before: &BTreeMap<u64, u8>, after: &BTreeMap<u64, u8>) -> Option<String> {
    let mut addresses: BTreeSet<u64> = before.keys().copied().collect();
    addresses.extend(after.keys().copied());
    let wrong: Vec<u64> = addresses
        .into_iter()
        .filter(|at| before.get(at) != after.get(at))
        .collect();
    let first = wrong.first()?;
    let value = |of: &BTreeMap<u64, u8>| match of.get(first) {
        Some(byte) => format!("{byte:#04x}"),
        None => "nothing".to_owned(),
    };
    Some(format!(
        "stores {} at {first:#x} in place of {}, {} of {} bytes differ",
        value(after),
        value(before),
        wrong.len(),
        before.len()
    ))
}

impl Costs {
    /// Adds the requests of a block; `which` is 0 before the fix, 1 after it.
    fn add(&mut self, which: usize, block: &Block) {
        for request in &block.requests {
            let space = if request.is_shared {
                Space::Shared
            } else {
                Space::Global
            };
            let is_active = |lane: usize| request.mask >> lane & 1 == 1;
            let asked = cost::Request {
                addresses: std::array::from_fn(|lane| {
                    is_active(lane).then(|| request.addresses[lane])
                }),
                width: request.bytes,
                space,
                op: match request.access {
                    Access::Load => Op::Load,
                    Access::Store => Op::Store,
                    Access::Atomic => Op::Atomic,
                },
            };
            let cost = u64::from(cost::cost(&asked, &Arch::DEFAULT).actual);
            self.requests[which] += 1;
            if request.is_shared {
                self.shared[which] += cost;
            } else {
                self.global[which] += cost;
            }
        }
    }
}

impl std::fmt::Display for Costs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [shared, after] = self.shared;
        write!(
            f,
            "{} launches, wavefronts {shared} → {after}",
            self.launches
        )?;
        let [global, after] = self.global;
        write!(f, ", sectors {global} → {after}")?;
        let [requests, after] = self.requests;
        write!(f, ", requests {requests} → {after}")
    }
}
