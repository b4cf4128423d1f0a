//! The measured judge: recorded counters of a GPU equal the simulated totals, and findings are
//! what the GPU's counters show.

use crate::support::{CASES, Case, root};
use cudalint::gpu::{Arch, Space};
use cudalint::validate::compare;
use cudalint::validate::fixtures::Specimen;
use cudalint::validate::measurement::{LineCounters, MEASUREMENT_SCHEMA, Measurement};
use cudalint::validate::predict;
use cudalint::validate::prediction::Prediction;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The recording of an H200, written by `cudalint validate fixtures --output FILE`, and the one of an H100 with
/// the fixtures that came later; what both have is taken from the second.
const RECORDINGS: [&str; 2] = [
    "fixtures/measured/sm_90-h200.json",
    "fixtures/measured/sm_90-h100.json",
];
/// The same of fixtures with the proved cures of their bank conflicts in place, written by
/// `cudalint validate --fixed fixtures --output FILE`.
const RECORDINGS_FIXED: [&str; 2] = [
    "fixtures/measured/sm_90-h200-fixed.json",
    "fixtures/measured/sm_90-h100-fixed.json",
];
/// Before the name of a fixture whose cured form is not recorded yet.
const FIXED: &str = "fixed/";
/// Fixtures that were added or changed since, one a line; empty after a new recording.
const PENDING: &str = "fixtures/measured/pending.txt";

fn read(name: &str) -> String {
    let path = root().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{name} is expected ({error}): `cudalint validate fixtures --output {name}` writes it on a machine with the GPU"
        )
    })
}

fn specimen(case: &Case, arch: Arch) -> Specimen {
    let name = format!("fixtures/{}", case.name);
    Specimen::read(&name, &case.source.text, arch, true)
        .unwrap_or_else(|problem| panic!("{problem}"))
}

/// A recording, the fixtures that it lacks so far, and what is wrong with either.
struct Recorded {
    measurement: Measurement,
    arch: Arch,
    pending: BTreeSet<String>,
    problems: Vec<String>,
}

impl Recorded {
    /// The pending fixtures are those that are listed after `prefix`.
    fn read(files: [&str; 2], prefix: &str) -> Self {
        let [mut measurement, later] = files.map(|file| {
            let measurement: Measurement =
                serde_json::from_str(&read(file)).expect("a measurement");
            assert_eq!(measurement.schema, MEASUREMENT_SCHEMA);
            measurement
        });
        assert_eq!(measurement.arch, later.arch);
        let is_again = |label: &str| later.launches.iter().any(|launch| launch.label == label);
        measurement
            .launches
            .retain(|launch| !is_again(&launch.label));
        measurement.launches.extend(later.launches);
        let arch = Arch::parse(&measurement.arch).expect("an architecture");
        let pending: BTreeSet<String> = read(PENDING)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .filter_map(|line| match line.strip_prefix(FIXED) {
                Some(name) => (prefix == FIXED).then(|| name.to_owned()),
                None => (prefix.is_empty()).then(|| line.to_owned()),
            })
            .collect();
        let is_there = |name: &str| {
            CASES
                .iter()
                .any(|case| case.name.replace('\\', "/") == name)
        };
        let gone = pending.iter().filter(|name| !is_there(name));
        let problems = gone
            .map(|name| format!("{PENDING} lists {name}, which does not exist"))
            .collect();
        Self {
            measurement,
            arch,
            pending,
            problems,
        }
    }

    fn is_pending(&self, case: &Case) -> bool {
        self.pending.contains(&case.name.replace('\\', "/"))
    }

    fn add(&mut self, specimen: &Specimen, prediction: &mut Prediction) {
        let seed = self.measurement.launches.first();
        let seed = seed.map_or(0, |launch| launch.seed);
        let mut ready = Vec::new();
        for (label, prepared) in specimen.prepare(seed) {
            match prepared {
                Ok(prepared) => ready.push(prepared),
                Err(reason) => self.problems.push(format!("{label}: {reason}")),
            }
        }
        let predicted = predict::prediction(ready.into_iter());
        prediction.launches.extend(predicted.launches);
    }

    fn judge(mut self, prediction: &Prediction) {
        let comparison = compare::compare(prediction, &self.measurement);
        self.problems.extend(comparison.problems.iter().cloned());
        assert!(
            comparison.exit_code() == 0 && self.problems.is_empty(),
            "{}\n{}\nAfter a change to a fixture, measure again, or list it in {PENDING}.",
            comparison.render(),
            self.problems.join("\n")
        );
    }
}

/// Every fixture is in the recording as it stands, is listed as pending, or says that no GPU's
/// compiler takes it; everything recorded agrees.
#[test]
fn recorded_counters_are_as_predicted() {
    let mut recorded = Recorded::read(RECORDINGS, "");
    let mut prediction = Prediction::default();
    for case in CASES.iter() {
        let specimen = specimen(case, recorded.arch);
        if specimen.is_measured && !recorded.is_pending(case) {
            recorded.add(&specimen, &mut prediction);
        }
    }
    recorded.judge(&prediction);
}

/// Every fixture with a cured bank conflict is in the recording of cured fixtures or pending;
/// counters are as predicted, and on the lines that had conflicts they are ideal.
#[test]
fn cures_are_ideal_on_the_gpu() {
    let mut recorded = Recorded::read(RECORDINGS_FIXED, FIXED);
    let arch = recorded.arch;
    let mut prediction = Prediction::default();
    for case in CASES.iter() {
        if recorded.is_pending(case) {
            continue;
        }
        let name = format!("fixtures/{}", case.name);
        let cured = Specimen::cured(&name, &case.source.text, arch);
        let Some(cured) = cured.unwrap_or_else(|problem| panic!("{problem}")) else {
            continue;
        };
        let specimen = Specimen::read(&name, &cured.text, arch, true);
        let specimen = specimen.unwrap_or_else(|problem| panic!("{problem}"));
        if !specimen.is_measured {
            continue;
        }
        recorded.add(&specimen, &mut prediction);
        let is_cured = |row: &&LineCounters| {
            row.space == Space::Shared
                && row.file.ends_with(&name)
                && cured.lines.contains(&row.line)
        };
        let launches = recorded.measurement.launches.iter();
        let rows = launches.flat_map(|launch| &launch.rows).filter(is_cured);
        let wrong = rows.filter(|row| row.cost != row.ideal).map(|row| {
            format!(
                "{name}:{}: {} wavefronts, ideal {}",
                row.line, row.cost, row.ideal
            )
        });
        let wrong: Vec<String> = wrong.collect();
        recorded.problems.extend(wrong);
    }
    recorded.judge(&prediction);
}

/// What a GPU would count if it did as predicted is judged to agree; and not if it did otherwise.
#[test]
fn the_judge_tells_right_from_wrong() {
    let arch = Arch::DEFAULT;
    let names = ["shared/transpose_tile.cu", "global/indirect.cu"];
    let chosen = CASES
        .iter()
        .filter(|case| names.contains(&case.name.as_str()));
    let specimens: Vec<Specimen> = chosen.map(|case| specimen(case, arch)).collect();
    assert_eq!(specimens.len(), names.len());
    let prepared = specimens.iter().flat_map(|specimen| {
        specimen
            .prepare(3)
            .map(|(_, prepared)| prepared.expect("a launch"))
    });
    let prediction = predict::prediction(prepared);
    let mut measurement = as_predicted(&prediction);
    let comparison = compare::compare(&prediction, &measurement);
    assert_eq!(comparison.exit_code(), 0, "{}", comparison.render());
    let [ideal, open, bad] = comparison.confusion();
    assert_eq!((ideal[1], bad[0]), (0, 0));
    assert!(ideal[0] > 0 && open[1] > 0 && bad[1] > 0);

    measurement.launches[0].rows[0].cost += 1;
    assert_eq!(compare::compare(&prediction, &measurement).exit_code(), 1);
    let mut measurement = as_predicted(&prediction);
    measurement.launches[0].outputs[0].fingerprint ^= 1;
    assert_eq!(compare::compare(&prediction, &measurement).exit_code(), 1);
}

fn as_predicted(prediction: &Prediction) -> Measurement {
    use cudalint::validate::measurement::{LaunchMeasurement, Method, OutputDigest};
    let launches = prediction.launches.iter().map(|launch| {
        let rows = launch.lines.iter().map(|line| LineCounters {
            file: PathBuf::from("/elsewhere")
                .join(&line.file)
                .display()
                .to_string(),
            line: line.line,
            also: Vec::new(),
            space: line.space,
            op: line.op,
            width: 4,
            opcode: "LD".to_owned(),
            instructions: 1,
            requests: line.totals.requests,
            lanes: 32,
            cost: line.totals.cost,
            ideal: line.totals.ideal,
        });
        let outputs = launch
            .outputs
            .iter()
            .map(|(name, fingerprint)| OutputDigest {
                name: name.clone(),
                fingerprint: *fingerprint,
                poisoned: 0,
            });
        LaunchMeasurement {
            label: launch.label.clone(),
            kernel: launch.label.clone(),
            grid: [1; 3],
            block: [1; 3],
            seed: 3,
            source: launch.source,
            error: None,
            rows: rows.collect(),
            outputs: outputs.collect(),
        }
    });
    let word = String::new;
    Measurement {
        schema: MEASUREMENT_SCHEMA.to_owned(),
        date: word(),
        gpu: word(),
        arch: word(),
        driver: word(),
        cuda: word(),
        profiler: word(),
        method: Method::Ncu,
        launches: launches.collect(),
    }
}
