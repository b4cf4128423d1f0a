//! Predicted beside measured, line by line.
//!
//! Given: totals that the simulator predicts for each launch and line, and a measurement.
//! Gives: a verdict for every line, a confusion matrix of findings, the text, an exit code.
//! Does not know: how either side came about.
//!
//! Line by line, since the compiler may turn one source access into several instructions, or
//! several into a wider one: then totals differ, and cost against ideal is what is compared.

use std::fmt::Write as _;

use crate::gpu::{Op, Space};

use super::measurement::{LaunchMeasurement, LineCounters, Measurement};

/// What the simulator predicts for a plan's launches, by label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prediction {
    pub launches: Vec<PredictedLaunch>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedLaunch {
    pub label: String,
    pub lines: Vec<PredictedLine>,
    /// Name and [`super::plan::fingerprint`] of each buffer after the launch, where known.
    pub outputs: Vec<(String, u64)>,
}

/// Totals over all requests of one launch at one line, one space and operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictedLine {
    pub file: String,
    /// 1-based.
    pub line: u32,
    pub space: Space,
    pub op: Op,
    pub requests: u64,
    /// Wavefronts or sectors, summed.
    pub cost: u64,
    /// Their ideal, summed.
    pub ideal: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Totals are equal.
    Agrees,
    /// The compiler made other requests of it, and cost to ideal is as predicted.
    AgreesInRatio,
    /// No machine instruction was counted there.
    Eliminated,
    /// Totals differ, and so does cost to ideal.
    Differs,
    /// Counted, but not predicted.
    Unpredicted,
}

impl Verdict {
    /// Whether a run with this verdict can pass.
    pub fn passes(&self) -> bool {
        matches!(
            self,
            Verdict::Agrees | Verdict::AgreesInRatio | Verdict::Eliminated
        )
    }

    fn words(&self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::AgreesInRatio => "agrees in ratio (other requests)",
            Verdict::Eliminated => "eliminated by the compiler",
            Verdict::Differs => "DIFFERS",
            Verdict::Unpredicted => "NOT PREDICTED",
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub launch: String,
    pub file: String,
    pub line: u32,
    pub space: Space,
    pub op: Op,
    pub opcodes: Vec<String>,
    /// Cost and ideal, summed.
    pub predicted: Option<(u64, u64)>,
    pub measured: Option<(u64, u64)>,
    pub verdict: Verdict,
}

/// Findings predicted (first index: 1 = bad) against measured (second index).
pub type Confusion = [[usize; 2]; 2];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What the measurement was made with, in words.
    pub source: String,
    pub rows: Vec<Compared>,
    /// Launches that could not be measured, and outputs that are not as simulated.
    pub problems: Vec<String>,
}

/// Compares every predicted launch with its measurement.
pub fn compare(prediction: &Prediction, measurement: &Measurement) -> Comparison {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for predicted in &prediction.launches {
        let Some(measured) = measurement
            .launches
            .iter()
            .find(|launch| launch.label == predicted.label)
        else {
            problems.push(format!("{}: not in the measurement", predicted.label));
            continue;
        };
        if let Some(error) = &measured.error {
            problems.push(format!("{}: not measured: {error}", predicted.label));
            continue;
        }
        compare_lines(predicted, measured, &mut rows);
        for (name, fingerprint) in &predicted.outputs {
            match measured.outputs.iter().find(|output| output.name == *name) {
                Some(output) if output.fingerprint == *fingerprint => {}
                Some(output) => {
                    let unwritten = if output.poisoned > 0 {
                        format!(" ({} elements never written)", output.poisoned)
                    } else {
                        String::new()
                    };
                    problems.push(format!(
                        "{}: the GPU's `{name}` is not what the simulator computed{unwritten}",
                        predicted.label
                    ));
                }
                None => problems.push(format!(
                    "{}: the measurement lacks `{name}`",
                    predicted.label
                )),
            }
        }
    }
    let Measurement {
        gpu,
        arch,
        driver,
        cuda,
        profiler,
        date,
        ..
    } = measurement;
    Comparison {
        source: format!("{gpu} ({arch}), driver {driver}, CUDA {cuda}, {profiler}, {date}"),
        rows,
        problems,
    }
}

fn compare_lines(
    predicted: &PredictedLaunch,
    measured: &LaunchMeasurement,
    rows: &mut Vec<Compared>,
) {
    let matches = |line: &PredictedLine, row: &LineCounters| {
        same_file(&line.file, &row.file)
            && (line.line, line.space, line.op) == (row.line, row.space, row.op)
    };
    for line in &predicted.lines {
        let here: Vec<&LineCounters> = measured
            .rows
            .iter()
            .filter(|row| matches(line, row))
            .collect();
        let (cost, ideal, requests) =
            here.iter().fold((0, 0, 0), |(cost, ideal, requests), row| {
                (cost + row.cost, ideal + row.ideal, requests + row.requests)
            });
        let verdict = if here.is_empty() {
            if line.requests == 0 {
                Verdict::Agrees
            } else {
                Verdict::Eliminated
            }
        } else if (cost, ideal) == (line.cost, line.ideal) {
            Verdict::Agrees
        } else if requests != line.requests
            && u128::from(cost) * u128::from(line.ideal)
                == u128::from(line.cost) * u128::from(ideal)
        {
            Verdict::AgreesInRatio
        } else {
            Verdict::Differs
        };
        rows.push(Compared {
            launch: predicted.label.clone(),
            file: line.file.clone(),
            line: line.line,
            space: line.space,
            op: line.op,
            opcodes: here.iter().map(|row| row.opcode.clone()).collect(),
            predicted: Some((line.cost, line.ideal)),
            measured: (!here.is_empty()).then_some((cost, ideal)),
            verdict,
        });
    }
    for row in &measured.rows {
        if !predicted.lines.iter().any(|line| matches(line, row)) {
            rows.push(Compared {
                launch: predicted.label.clone(),
                file: row.file.clone(),
                line: row.line,
                space: row.space,
                op: row.op,
                opcodes: vec![row.opcode.clone()],
                predicted: None,
                measured: Some((row.cost, row.ideal)),
                verdict: Verdict::Unpredicted,
            });
        }
    }
}

/// The profiler reports absolute paths.
fn same_file(ours: &str, theirs: &str) -> bool {
    let ours = ours.trim_start_matches("./");
    theirs == ours
        || theirs
            .strip_suffix(ours)
            .is_some_and(|folder| folder.ends_with('/'))
}

impl Comparison {
    /// Lines for which both sides have a figure: predicted bad × measured bad.
    pub fn confusion(&self) -> Confusion {
        let mut confusion = [[0; 2]; 2];
        for row in &self.rows {
            if let (Some((predicted, ideal)), Some((measured, its_ideal))) =
                (row.predicted, row.measured)
            {
                confusion[usize::from(predicted > ideal)][usize::from(measured > its_ideal)] += 1;
            }
        }
        confusion
    }

    /// 0 if everything agrees, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.problems.is_empty() || self.rows.iter().any(|row| !row.verdict.passes()))
    }

    /// The table, the totals, the confusion matrix and the problems.
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a String can't fail, so the results are dropped.
        let _ = writeln!(out, "measured on {}", self.source);
        let figure = |figure: Option<(u64, u64)>| {
            figure.map_or_else(|| "-".to_owned(), |(cost, ideal)| format!("{cost}/{ideal}"))
        };
        let mut launch = "";
        for row in &self.rows {
            if row.launch != launch {
                launch = &row.launch;
                let _ = writeln!(out, "\n{launch}");
            }
            let place = format!("{}:{}", row.file, row.line);
            let access = format!(
                "{} {} {}",
                row.space.name(),
                row.op.name(),
                row.opcodes.join("+")
            );
            let _ = writeln!(
                out,
                "  {place:<40} {access:<28} predicted {:>15}  measured {:>15}  {}",
                figure(row.predicted),
                figure(row.measured),
                row.verdict.words()
            );
        }
        let [[good_good, good_bad], [bad_good, bad_bad]] = self.confusion();
        let _ = writeln!(out, "\n                 measured ideal  measured excessive");
        let _ = writeln!(out, "predicted ideal     {good_good:>11}  {good_bad:>18}");
        let _ = writeln!(out, "predicted excessive {bad_good:>11}  {bad_bad:>18}");
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        let passing = self.rows.iter().filter(|row| row.verdict.passes()).count();
        let _ = writeln!(out, "{passing} of {} agree", self.rows.len());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::measurement::{MEASUREMENT_SCHEMA, Method, OutputDigest};

    fn line(
        line: u32,
        space: Space,
        op: Op,
        requests: u64,
        cost: u64,
        ideal: u64,
    ) -> PredictedLine {
        PredictedLine {
            file: "fixtures/a.cu".to_owned(),
            line,
            space,
            op,
            requests,
            cost,
            ideal,
        }
    }

    fn row(line: u32, space: Space, op: Op, requests: u64, cost: u64, ideal: u64) -> LineCounters {
        LineCounters {
            file: "/tmp/x/fixtures/a.cu".to_owned(),
            line,
            space,
            op,
            width: 4,
            opcode: "LDS".to_owned(),
            instructions: 1,
            requests,
            lanes: 32,
            cost,
            ideal,
        }
    }

    fn measurement(rows: Vec<LineCounters>) -> Measurement {
        let outputs = vec![OutputDigest {
            name: "out".to_owned(),
            fingerprint: 7,
            poisoned: 3,
        }];
        let launch = LaunchMeasurement {
            label: "k".to_owned(),
            kernel: "k".to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            seed: 0,
            error: None,
            rows,
            outputs,
        };
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
            launches: vec![launch],
        }
    }

    #[test]
    fn each_verdict() {
        use {Op::*, Space::*};
        let lines = vec![
            line(1, Shared, Load, 4, 128, 4),
            line(2, Shared, Load, 4, 4, 4),
            line(3, Global, Load, 1, 4, 4),
            line(4, Global, Store, 1, 4, 4),
        ];
        let prediction = Prediction {
            launches: vec![PredictedLaunch {
                label: "k".to_owned(),
                lines,
                outputs: vec![("out".to_owned(), 7)],
            }],
        };
        let rows = vec![
            row(1, Shared, Load, 4, 128, 4),
            row(2, Shared, Load, 1, 1, 1),
            row(3, Global, Load, 1, 5, 4),
            row(9, Shared, Store, 1, 1, 1),
        ];
        let comparison = compare(&prediction, &measurement(rows));
        let verdicts: Vec<Verdict> = comparison
            .rows
            .iter()
            .map(|row| row.verdict.clone())
            .collect();
        assert_eq!(
            verdicts,
            [
                Verdict::Agrees,
                Verdict::AgreesInRatio,
                Verdict::Differs,
                Verdict::Eliminated,
                Verdict::Unpredicted
            ]
        );
        assert_eq!(comparison.confusion(), [[1, 1], [0, 1]]);
        assert_eq!((comparison.exit_code(), comparison.problems.len()), (1, 0));
        assert!(comparison.render().ends_with("3 of 5 agree\n"));
    }

    #[test]
    fn wrong_outputs_and_missing_launches_cannot_pass() {
        let launch = |label: &str, fingerprint| PredictedLaunch {
            label: label.to_owned(),
            lines: Vec::new(),
            outputs: vec![("out".to_owned(), fingerprint)],
        };
        let prediction = Prediction {
            launches: vec![launch("k", 8), launch("other", 7)],
        };
        let comparison = compare(&prediction, &measurement(Vec::new()));
        assert_eq!(comparison.exit_code(), 1);
        assert!(
            comparison.problems[0].contains("3 elements never written"),
            "{:?}",
            comparison.problems
        );
        assert!(comparison.problems[1].contains("not in the measurement"));
    }
}
