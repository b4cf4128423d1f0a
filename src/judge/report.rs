//! The report of the generators: the table of constructs, the sums, and every find as text that shows it.

use super::batch::{self, Toolchain};
use super::case::Case;
use super::driver::{CASES_A_BATCH, Judged, Options, describe, say};
use super::finds::{Class, Counts, End, Finding};
use super::generate;
use super::reduce;
use std::collections::BTreeMap;
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
    let most = if options.as_generated { 60 } else { 12 };
    for (number, (seed, case, findings)) in tally.finds.iter().enumerate() {
        let Some(first) = findings.first() else {
            continue;
        };
        if number >= most {
            println!("… and {} more", tally.finds.len() - most);
            break;
        }
        // Each step of reducing a file without end would take its whole limit.
        let (text, finding) = if options.as_generated || first.class == Class::Endless {
            (case.text.clone(), first.clone())
        } else {
            reduce::reduce(options, toolchain, case, first, end)
        };
        println!(
            "---- {} {number}: {} ({})",
            first.class.name(),
            case.name,
            case.constructs.join(", ")
        );
        println!("{text}");
        println!("{}", describe("find", &finding));
        print!("{}", again(*seed));
        if let Some(folder) = &options.finds {
            let _ = std::fs::create_dir_all(folder);
            let name = format!("{}_{}_{number:03}.cu", first.class.name(), options.seed);
            let text = format!("{text}// {}\n{}", describe("find", &finding), again(*seed));
            batch::write(&folder.join(name), &text)?;
        }
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
