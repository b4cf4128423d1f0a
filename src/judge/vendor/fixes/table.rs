//! What is said of each fix, and the table of all of them.

use super::{Offered, Outcome};
use std::collections::BTreeMap;
use std::path::Path;

/// Reasons that are listed for a project.
const MOST_REASONS: usize = 8;

/// What came of the fixes of a project.
#[derive(Default)]
struct Row {
    offered: usize,
    both: usize,
    same: usize,
    cheaper: usize,
    not_run: BTreeMap<String, usize>,
    not_compiled: BTreeMap<String, usize>,
    lost: BTreeMap<String, usize>,
    broken: usize,
    differs: usize,
    dearer: usize,
}

/// One line for a fix.
pub(super) fn tell(one: &Offered, outcome: &Outcome) {
    let what = match outcome {
        Outcome::Lost(why) => format!("no answer: {why}"),
        Outcome::NotCompiled(why) => format!("original not compiled: {why}"),
        Outcome::Broken(why) => format!("BROKEN, does not compile: {why}"),
        Outcome::Differs(what) => format!("DIFFERS, {what}"),
        Outcome::Dearer(what) => format!("DEARER, {what}"),
        Outcome::NotRun(why) => format!("compiles, not run: {why}"),
        Outcome::Same(costs) => format!("same values, {costs}"),
    };
    let place = format!("{}:{}", one.file.display(), one.line);
    println!("{place}: {} {} {}: {what}", one.code, one.safety, one.title);
}

/// Whether no fix is wrong.
pub(super) fn print(offered: &[Offered], outcomes: &BTreeMap<usize, Outcome>) -> bool {
    let mut rows: BTreeMap<(&Path, &str), Row> = BTreeMap::new();
    let mut all = Row::default();
    for (at, outcome) in outcomes {
        let one = &offered[*at];
        let row = rows.entry((&one.root, &one.safety)).or_default();
        row.count(outcome);
        all.count(outcome);
    }
    println!(
        "{:<40} {:<7} {:>7} {:>8} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>5}",
        "project",
        "",
        "offered",
        "compiled",
        "same",
        "cheaper",
        "not run",
        "no orig",
        "broken",
        "differs",
        "dearer",
        "lost"
    );
    for ((root, safety), row) in &rows {
        row.show(&root.display().to_string(), safety);
    }
    all.show("all", "");
    println!("originals that do not compile:");
    list(&all.not_compiled);
    println!("compiled, not run:");
    list(&all.not_run);
    println!("no answer:");
    list(&all.lost);
    all.broken + all.differs + all.dearer == 0
}

fn list(reasons: &BTreeMap<String, usize>) {
    let mut all: Vec<_> = reasons.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (why, count) in all.iter().take(MOST_REASONS) {
        println!("{count:>8}  {why}");
    }
}

impl Row {
    fn count(&mut self, outcome: &Outcome) {
        self.offered += 1;
        let has_compiled = !matches!(
            outcome,
            Outcome::Lost(_) | Outcome::NotCompiled(_) | Outcome::Broken(_)
        );
        self.both += usize::from(has_compiled);
        match outcome {
            Outcome::Lost(why) => *self.lost.entry(why.clone()).or_default() += 1,
            Outcome::NotCompiled(why) => *self.not_compiled.entry(why.clone()).or_default() += 1,
            Outcome::NotRun(why) => *self.not_run.entry(why.clone()).or_default() += 1,
            Outcome::Broken(_) => self.broken += 1,
            Outcome::Differs(_) => self.differs += 1,
            Outcome::Dearer(_) => self.dearer += 1,
            Outcome::Same(costs) => {
                self.same += 1;
                let falls = |[before, after]: [u64; 2]| after < before;
                let is_cheaper = falls(costs.shared) || falls(costs.global);
                self.cheaper += usize::from(is_cheaper);
            }
        }
    }

    fn show(&self, name: &str, safety: &str) {
        let sum = |reasons: &BTreeMap<String, usize>| reasons.values().sum::<usize>();
        println!(
            "{name:<40} {safety:<7} {:>7} {:>8} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>5}",
            self.offered,
            self.both,
            self.same,
            self.cheaper,
            sum(&self.not_run),
            sum(&self.not_compiled),
            self.broken,
            self.differs,
            self.dearer,
            sum(&self.lost)
        );
    }
}
