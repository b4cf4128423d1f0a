//! Predicted beside measured, line by line.
//!
//! Given: totals that the simulator predicts for each launch and line, and a measurement.
//! Gives: a verdict for every line, a confusion matrix of findings, the text, an exit code.
//! Does not know: how either side came about.
//!
//! Line by line, since the compiler may turn one source access into several instructions, or
//! several into one: a prediction states what such requests would cost, too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::gpu::{Op, Space};

use super::measurement::{LaunchMeasurement, LineCounters, Measurement, Method};
use super::prediction::{Finding, How, Joined, PredictedLaunch, PredictedLine, Prediction, Totals};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Totals are equal.
    Agrees,
    /// Totals equal those of what the compiler made of the accesses.
    Rewritten(How),
    /// The compiler made other requests of it, and cost to ideal is as predicted.
    AgreesInRatio,
    /// No machine instruction was counted there.
    Eliminated,
    /// Executed, but with neither cost nor ideal: copies that bypass L1, which the profiler does
    /// not count (`sm_90-h200-probes.json`, `cp.async.cg`), and stores that do not know the space of their
    /// address (`shared/pointer_beside_an_array.cu`, the line of the second store).
    NotCounted,
    /// Addresses are not recorded there.
    NotRecorded,
    /// Not simulated, for the reason that the launch states.
    NotSimulated,
    /// In a header that was not read.
    InHeader,
    /// Totals differ, and so does cost to ideal.
    Differs,
    /// Counted, but not predicted.
    Unpredicted,
}

impl Verdict {
    /// Whether a run with this verdict can pass.
    #[must_use]
    pub fn passes(&self) -> bool {
        !matches!(self, Verdict::Differs | Verdict::Unpredicted)
    }

    fn words(&self) -> String {
        match self {
            Verdict::Agrees => "agrees".to_owned(),
            Verdict::Rewritten(how) => how.words(),
            Verdict::AgreesInRatio => "agrees in ratio, other requests".to_owned(),
            Verdict::Eliminated => "eliminated by the compiler".to_owned(),
            Verdict::NotCounted => "not counted by the profiler".to_owned(),
            Verdict::NotRecorded => "not recorded".to_owned(),
            Verdict::NotSimulated => "not simulated".to_owned(),
            Verdict::InHeader => "in a header that is not read".to_owned(),
            Verdict::Differs => "DIFFERS".to_owned(),
            Verdict::Unpredicted => "NOT PREDICTED".to_owned(),
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub launch: String,
    /// As [`PredictedLaunch::instance`].
    pub instance: String,
    pub file: String,
    pub line: u32,
    pub space: Space,
    pub op: Op,
    pub opcodes: Vec<String>,
    pub predicted: Option<Totals>,
    pub measured: Option<Totals>,
    pub finding: Option<Finding>,
    pub verdict: Verdict,
}

/// Findings predicted (first index: ideal, open, bad) against measured (second index: 1 = bad).
pub type Confusion = [[usize; 2]; 3];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What the measurement was made with, in words.
    pub source: String,
    pub rows: Vec<Compared>,
    /// Launches that could not be measured, and outputs that are not as simulated.
    pub problems: Vec<String>,
    /// What is not compared, each with the reason.
    pub remarks: Vec<String>,
}

/// Compares every predicted launch with its measurement.
#[must_use]
pub fn compare(prediction: &Prediction, measurement: &Measurement) -> Comparison {
    let mut comparison = Comparison {
        source: source(measurement),
        rows: Vec::new(),
        problems: Vec::new(),
        remarks: Vec::new(),
    };
    for predicted in &prediction.launches {
        compare_launch(predicted, measurement, &mut comparison);
    }
    comparison
}

fn source(measurement: &Measurement) -> String {
    let Measurement {
        gpu,
        arch,
        driver,
        cuda,
        profiler,
        date,
        method,
        ..
    } = measurement;
    let how = match method {
        Method::Ncu => "counters of Nsight Compute's source page",
        Method::Cupti => "CUPTI's counters",
        Method::Trace => "addresses recorded by the kernels, costed by the specification",
    };
    format!("{gpu} ({arch}), driver {driver}, CUDA {cuda}, {profiler}, {date}: {how}")
}

impl Measurement {
    /// The record of a launch; labels start with a path, of which either may know less.
    #[must_use]
    pub fn launch(&self, label: &str) -> Option<&LaunchMeasurement> {
        self.launches
            .iter()
            .find(|launch| same_file(label, &launch.label) || same_file(&launch.label, label))
    }
}

fn compare_launch(
    predicted: &PredictedLaunch,
    measurement: &Measurement,
    comparison: &mut Comparison,
) {
    let label = &predicted.label;
    let mut problem = |text: String| comparison.problems.push(format!("{label}: {text}"));
    let Some(measured) = measurement.launch(label) else {
        return problem("not in the measurement; measure again".to_owned());
    };
    if measured.source != predicted.source {
        return problem("the file has changed since it was measured; measure again".to_owned());
    }
    if let Some(error) = &measured.error {
        return problem(format!("not measured: {error}"));
    }
    for (name, fingerprint) in &predicted.outputs {
        match measured.outputs.iter().find(|output| output.name == *name) {
            Some(output) if output.fingerprint == *fingerprint => {}
            Some(output) => {
                let unwritten = if output.poisoned > 0 {
                    format!(" ({} elements never written)", output.poisoned)
                } else {
                    String::new()
                };
                problem(format!(
                    "the GPU's `{name}` is not what the simulator computed{unwritten}"
                ));
            }
            None => problem(format!("the measurement lacks `{name}`")),
        }
    }
    if let Some(reason) = &predicted.silent {
        comparison
            .remarks
            .push(format!("{label}: not simulated: {reason}"));
    }
    compare_lines(
        predicted,
        measured,
        measurement.method,
        &mut comparison.rows,
    );
}

fn compare_lines(
    predicted: &PredictedLaunch,
    measured: &LaunchMeasurement,
    method: Method,
    rows: &mut Vec<Compared>,
) {
    let mut of_line: Vec<Vec<&LineCounters>> = vec![Vec::new(); predicted.lines.len()];
    let mut others: Vec<&LineCounters> = Vec::new();
    for row in &measured.rows {
        match line_of(row, &predicted.lines) {
            Some(index) => of_line[index].push(row),
            None => others.push(row),
        }
    }
    let compared = |file: &str, line: u32, space, op, here: &[&LineCounters]| Compared {
        launch: predicted.label.clone(),
        instance: predicted.instance.clone(),
        file: file.to_owned(),
        line,
        space,
        op,
        opcodes: here.iter().map(|row| row.opcode.clone()).collect(),
        predicted: None,
        measured: (!here.is_empty()).then(|| sum(here)),
        finding: None,
        verdict: Verdict::Unpredicted,
    };
    for (line, here) in predicted.lines.iter().zip(&of_line) {
        let mut pairs = predicted.lines.iter().zip(&of_line);
        let joined = pairs.find_map(|(other, there)| {
            let is_like = (&other.file, other.space, other.op) == (&line.file, line.space, line.op);
            let mut joined = line
                .joined
                .iter()
                .filter(|joined| joined.other == other.line);
            joined.find_map(|joined| is_like.then(|| joined.judge(here, there))?)
        });
        rows.push(Compared {
            predicted: Some(line.totals),
            finding: line.finding,
            verdict: match judge(line, here, method) {
                Verdict::Differs => joined.map_or(Verdict::Differs, Verdict::Rewritten),
                verdict => verdict,
            },
            ..compared(&line.file, line.line, line.space, line.op, here)
        });
    }
    let own_file = predicted.label.split(':').next().unwrap_or_default();
    for row in others {
        let verdict = if predicted.silent.is_some() {
            Verdict::NotSimulated
        } else if !same_file(own_file, &row.file) && !same_file(&row.file, own_file) {
            Verdict::InHeader
        } else if row.cost == 0 && row.ideal == 0 {
            Verdict::NotCounted
        } else {
            Verdict::Unpredicted
        };
        rows.push(Compared {
            verdict,
            ..compared(&row.file, row.line, row.space, row.op, &[row])
        });
    }
}

/// The predicted line that counters belong to: the first place they are listed at that has one.
fn line_of(row: &LineCounters, lines: &[PredictedLine]) -> Option<usize> {
    let first = (row.file.clone(), row.line);
    std::iter::once(&first)
        .chain(&row.also)
        .find_map(|(file, number)| {
            lines.iter().position(|line| {
                (line.line, line.space, line.op) == (*number, row.space, row.op)
                    && (same_file(&line.file, file) || same_file(file, &line.file))
            })
        })
}

fn sum(rows: &[&LineCounters]) -> Totals {
    rows.iter().fold(Totals::default(), |sum, row| Totals {
        requests: sum.requests + row.requests,
        cost: sum.cost + row.cost,
        ideal: sum.ideal + row.ideal,
    })
}

impl Joined {
    /// What was done if the counters of both lines are exactly these.
    fn judge(&self, here: &[&LineCounters], there: &[&LineCounters]) -> Option<How> {
        let (wide, left): (Vec<_>, Vec<_>) = here.iter().partition(|row| row.width == self.width);
        let wide_there: Vec<&LineCounters> = there
            .iter()
            .copied()
            .filter(|row| row.width == self.width)
            .collect();
        match (sum(&left) == self.left, wide.is_empty()) {
            (true, false) if sum(&wide) == self.wide && wide_there.is_empty() => {
                Some(How::With(self.other))
            }
            (true, true) if sum(&wide_there) == self.wide => Some(How::At(self.other)),
            _ => None,
        }
    }
}

fn judge(line: &PredictedLine, here: &[&LineCounters], method: Method) -> Verdict {
    let predicted = line.totals;
    if here.is_empty() {
        return match method {
            _ if predicted.requests == 0 => Verdict::Agrees,
            Method::Trace => Verdict::NotRecorded,
            Method::Ncu | Method::Cupti => Verdict::Eliminated,
        };
    }
    let measured = sum(here);
    if measured.ideal == 0 && measured.requests > 0 {
        return Verdict::NotCounted;
    }
    let equal = |totals: Totals| (totals.cost, totals.ideal) == (measured.cost, measured.ideal);
    if equal(predicted) {
        return Verdict::Agrees;
    }
    if let Some(alternative) = line.alternatives.iter().find(|other| equal(other.totals)) {
        return Verdict::Rewritten(alternative.how);
    }
    let ratio = |cost: u64, ideal: u64| u128::from(cost) * u128::from(ideal);
    if measured.requests != predicted.requests
        && ratio(measured.cost, predicted.ideal) == ratio(predicted.cost, measured.ideal)
    {
        return Verdict::AgreesInRatio;
    }
    Verdict::Differs
}

/// Which of the two is absolute depends on who named it.
fn same_file(ours: &str, theirs: &str) -> bool {
    super::ncu::is_file(theirs, ours)
}

impl Comparison {
    /// Lines for which both sides have a figure: what the prover says × measured bad. Launches
    /// that share findings are one entry, bad if one of them is.
    #[must_use]
    pub fn confusion(&self) -> Confusion {
        let mut entries = BTreeMap::new();
        for row in &self.rows {
            let (Some(finding), Some(measured)) = (row.finding, row.measured) else {
                continue;
            };
            if row.verdict == Verdict::NotCounted {
                continue;
            }
            let access = (row.line, row.space as u8, row.op as u8);
            let entry = entries
                .entry((&row.file, &row.instance, access))
                .or_insert((finding, false));
            entry.1 |= measured.cost > measured.ideal;
        }
        let mut confusion = Confusion::default();
        for (finding, is_bad) in entries.into_values() {
            confusion[finding as usize][usize::from(is_bad)] += 1;
        }
        confusion
    }

    /// Lines that a finding is wrong about: predicted ideal, measured bad, or the reverse.
    fn disagreeing_findings(&self) -> usize {
        let [[_, missed], _, [wrong, _]] = self.confusion();
        missed + wrong
    }

    /// 0 if everything agrees, 1 otherwise.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        u8::from(
            !self.problems.is_empty()
                || self.rows.iter().any(|row| !row.verdict.passes())
                || self.disagreeing_findings() > 0,
        )
    }

    /// The table, the totals, the confusion matrix, the remarks and the problems.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a String can't fail, so the results are dropped.
        let _ = writeln!(out, "measured on {}", self.source);
        let figure = |figure: Option<Totals>| {
            figure.map_or_else(
                || "-".to_owned(),
                |totals| format!("{}/{}", totals.cost, totals.ideal),
            )
        };
        let mut launch = "";
        for row in &self.rows {
            if row.launch != launch {
                launch = &row.launch;
                let _ = writeln!(out, "\n{launch}");
            }
            let place = format!("{}:{}", short(&row.file), row.line);
            let access = format!(
                "{} {} {}",
                row.space.name(),
                row.op.name(),
                row.opcodes.join("+")
            );
            let _ = writeln!(
                out,
                "  {place:<36} {access:<26} predicted {:>13}  measured {:>13}  {}",
                figure(row.predicted),
                figure(row.measured),
                row.verdict.words()
            );
        }
        self.render_totals(&mut out);
        for remark in &self.remarks {
            let _ = writeln!(out, "note: {remark}");
        }
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        let passing = self.rows.iter().filter(|row| row.verdict.passes()).count();
        let _ = writeln!(
            out,
            "{passing} of {} lines agree, {} problems",
            self.rows.len(),
            self.problems.len()
        );
        out
    }

    fn render_totals(&self, out: &mut String) {
        let _ = writeln!(out);
        for space in [Space::Shared, Space::Global] {
            let rows = || {
                self.rows.iter().filter_map(move |row| {
                    (row.space == space).then_some((row.predicted?, row.measured?))
                })
            };
            let add = |sum: (u64, u64), totals: Totals| (sum.0 + totals.cost, sum.1 + totals.ideal);
            let (cost, ideal) = rows().fold((0, 0), |sum, (predicted, _)| add(sum, predicted));
            let (measured, its_ideal) =
                rows().fold((0, 0), |sum, (_, measured)| add(sum, measured));
            let _ = writeln!(
                out,
                "{} {}: predicted {cost} (ideal {ideal}), measured {measured} (ideal {its_ideal})",
                space.name(),
                space.unit()
            );
        }
        let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
        for row in &self.rows {
            *verdicts.entry(row.verdict.words()).or_default() += 1;
        }
        for (words, count) in verdicts {
            let _ = writeln!(out, "{count:>6} lines: {words}");
        }
        let [ideal, open, bad] = self.confusion();
        let _ = writeln!(
            out,
            "\n                  measured ideal  measured excessive"
        );
        for (name, [good, excessive]) in [
            ("proved ideal", ideal),
            ("not decided", open),
            ("found excessive", bad),
        ] {
            let _ = writeln!(out, "{name:<16} {good:>15}  {excessive:>18}");
        }
        let _ = writeln!(out);
    }
}

/// The last two parts of a path.
fn short(path: &str) -> &str {
    path.rmatch_indices('/')
        .nth(1)
        .map_or(path, |(at, _)| &path[at + 1..])
}

#[cfg(test)]
mod tests;
