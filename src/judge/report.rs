//! The report of the generators: the table of constructs, the sums, and every find as text that shows it.

use super::batch::{self, Toolchain};
use super::case::Case;
use super::driver::{CASES_A_BATCH, Judged, Options, describe, say};
use super::finds::{Class, Counts, End, Finding};
use super::generate;
use super::reduce;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// So many files for each construct that a run may generate: one that has none by then is never drawn.
const FILES_A_CONSTRUCT: usize = 8;
/// A construct that was generated so often and never compared was judged by nobody.
const OFTEN: usize = 20;

#[derive(Default)]
pub(super) struct Tally {
    counts: Counts,
    kernels: usize,
    /// Files of kernels alone, and programs.
    files: [usize; 2],
    not_compiled: usize,
    /// Batches that were stopped: seed, program, and whether the run's time was over.
    stopped: Vec<(u64, &'static str, bool)>,
    constructs: BTreeMap<&'static str, (usize, usize)>,
    /// What was found, with the seed of the batch.
    finds: Vec<(u64, Case, Vec<Finding>)>,
    complaints: Vec<String>,
}

impl Tally {
    pub fn has_finds(&self) -> bool {
        !self.finds.is_empty()
    }

    pub fn stopped(&mut self, seed: u64, program: &'static str, is_over: bool) {
        self.stopped.push((seed, program, is_over));
    }

    pub fn add(&mut self, seed: u64, case: Case, (counts, findings, rejected): Judged) {
        self.kernels += case.kernels.len();
        self.files[usize::from(case.has_main)] += 1;
        if let Some(complaint) = rejected {
            self.not_compiled += 1;
            if self.complaints.len() < 5 {
                let text = format!("{complaint}\n{}{}", case.text, again(seed));
                self.complaints.push(text);
            }
            return;
        }
        for construct in &case.constructs {
            let (generated, compared) = self.constructs.entry(construct).or_default();
            *generated += 1;
            *compared += usize::from(counts.compared > 0);
        }
        self.counts.add(&counts);
        if !findings.is_empty() {
            self.finds.push((seed, case, findings));
        }
    }

    /// Every construct that the run may generate, with how often it was generated and compared.
    fn table(&self, options: &Options) -> Vec<(&'static str, usize, usize)> {
        let mut names: Vec<&'static str> = generate::constructs(options).concat();
        names.sort_unstable();
        names.dedup();
        let row = |name: &&'static str| {
            let (generated, compared) = self.constructs.get(name).copied().unwrap_or_default();
            (*name, generated, compared)
        };
        names.iter().map(row).collect()
    }

    /// Constructs that nobody judged: generated often and never compared, or never generated in many files.
    fn silent(&self, options: &Options) -> Vec<&'static str> {
        let mut out = Vec::new();
        for (names, files) in generate::constructs(options).iter().zip(self.files) {
            for name in names {
                let (generated, compared) = self.constructs.get(name).copied().unwrap_or_default();
                let is_never_drawn = generated == 0 && files >= names.len() * FILES_A_CONSTRUCT;
                if compared == 0 && (generated >= OFTEN || is_never_drawn) && !out.contains(name) {
                    out.push(*name);
                }
            }
        }
        out
    }
}

/// How the batch is judged once more.
fn again(seed: u64) -> String {
    format!("// again: cudalint judge --seed {seed} --cases {CASES_A_BATCH}\n")
}

/// Prints all of it.
pub(super) fn report(
    options: &Options,
    toolchain: &Toolchain,
    tally: &Tally,
    elapsed: Duration,
    end: Instant,
) -> Result<End, String> {
    println!("{:<28} {:>9} {:>9}", "construct", "generated", "compared");
    for (name, generated, compared) in tally.table(options) {
        println!("{name:<28} {generated:>9} {compared:>9}");
    }
    for complaint in &tally.complaints {
        println!("the compiler rejects: {complaint}");
    }
    let of = |class: Class| {
        let all = tally.finds.iter().flat_map(|(.., findings)| findings);
        all.filter(|finding| finding.class == class).count()
    };
    println!("{}", say(&tally.counts));
    println!(
        "kernels {} (files that the compiler rejects: {}), wrong {}, missing {}, vacuous {}, sums {}, launches {}, fixes {}, endless {}, seed {}, {:.0} s",
        tally.kernels,
        tally.not_compiled,
        of(Class::Wrong),
        of(Class::Missing),
        of(Class::Vacuous),
        of(Class::Sum),
        of(Class::Launch),
        of(Class::Fix),
        of(Class::Endless),
        options.seed,
        elapsed.as_secs_f64()
    );
    for (seed, program, is_over) in &tally.stopped {
        let when = if *is_over {
            "when the time was over"
        } else {
            "within its limit"
        };
        println!(
            "{CASES_A_BATCH} files not judged, {program} had not ended {when}: --seed {seed} --cases {CASES_A_BATCH} judges them"
        );
    }
    let silent = tally.silent(options);
    if !silent.is_empty() {
        println!("never compared: {}", silent.join(", "));
    }
    let finds = one_of_each_class(&tally.finds);
    // Reducing takes time, in which a run may be stopped: what was found is said first.
    for (number, (_, case, finding)) in finds.iter().enumerate() {
        let said = describe(&case.name, finding);
        println!("find {number}: {}", said.lines().next().unwrap_or_default());
    }
    for (number, find) in finds.iter().enumerate() {
        if number >= most(options) {
            println!("… and {} more", finds.len() - number);
            break;
        }
        show(options, toolchain, (number, find), end)?;
    }
    // A file that the compiler rejects is the generator's fault: what it was to show was not judged.
    let has_ended = tally.stopped.iter().all(|(.., is_over)| *is_over);
    let is_whole = silent.is_empty() && tally.not_compiled == 0 && tally.kernels > 0 && has_ended;
    Ok(match (tally.finds.is_empty(), is_whole) {
        (false, _) => End::Finds,
        (true, false) => End::Partial,
        (true, true) => End::Clean,
    })
}

/// How many finds are shown as text.
fn most(options: &Options) -> usize {
    if options.as_generated { 60 } else { 12 }
}

type Find<'a> = (u64, &'a Case, &'a Finding);

/// The first find of each class in each file: one of another class has another cause.
fn one_of_each_class(finds: &[(u64, Case, Vec<Finding>)]) -> Vec<Find<'_>> {
    let mut out = Vec::new();
    for (seed, case, findings) in finds {
        let mut seen = BTreeSet::new();
        let first = findings.iter().filter(|finding| seen.insert(finding.class));
        out.extend(first.map(|finding| (*seed, case, finding)));
    }
    out
}

/// Prints a find as text that shows it, and writes it to a file where the options say so.
fn show(
    options: &Options,
    toolchain: &Toolchain,
    (number, &(seed, case, found)): (usize, &Find<'_>),
    end: Instant,
) -> Result<(), String> {
    // Each step of reducing a file without end would take its whole limit.
    let (text, finding) = if options.as_generated || found.class == Class::Endless {
        (case.text.clone(), found.clone())
    } else {
        // Of the batch's seed: it says how kernels are run, and which fixes are taken.
        let options = Options {
            seed,
            ..options.clone()
        };
        reduce::reduce(&options, toolchain, case, found, end)
    };
    println!(
        "---- {} {number}: {} ({})",
        found.class.name(),
        case.name,
        case.constructs.join(", ")
    );
    println!("{text}");
    println!("{}", describe("find", &finding));
    print!("{}", again(seed));
    if let Some(folder) = &options.finds {
        let _ = std::fs::create_dir_all(folder);
        let name = format!("{}_{}_{number:03}.cu", found.class.name(), options.seed);
        let text = format!("{text}// {}\n{}", describe("find", &finding), again(seed));
        batch::write(&folder.join(name), &text)?;
    }
    Ok(())
}
