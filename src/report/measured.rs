//! Costs that a profiler counted beside those that were predicted, line by line.
//!
//! Given rows that say what was counted, what was predicted and whether that agrees, gives a table for
//! people and JSON (`cudalint.measured/1`); what disagrees comes first. Knows nothing of profilers.

use super::json::pretty;
use super::{count, visible};
use crate::gpu::{Op, Space, Total};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// Name and version of the format; fields may be added without a new version.
pub const SCHEMA: &str = "cudalint.measured/1";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// It does not agree, for no reason that is known.
    Disagrees,
    /// It does not agree, or nothing can be compared, and this is why.
    Explained(String),
    /// What was counted lies in the predicted bounds.
    Agrees,
}

impl Agreement {
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Disagrees => "disagrees",
            Self::Explained(_) => "explained",
            Self::Agrees => "agrees",
        }
    }

    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Explained(reason) => reason,
            Self::Disagrees | Self::Agrees => "",
        }
    }
}

/// One kind of access of one line of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub kernel: String,
    pub file: String,
    pub line: u32,
    pub space: Space,
    pub op: Op,
    /// What was predicted of one request, in words.
    pub predicted: String,
    /// What was predicted of all launches that were measured, where that is known.
    pub predicted_total: Option<Total>,
    /// Requests, cost and ideal of these launches; `None` if nothing was counted.
    pub measured: Option<Total>,
    pub outcome: Agreement,
}

impl Row {
    /// The count above the ideal.
    #[must_use]
    pub fn excessive(&self) -> u64 {
        self.measured.map_or(0, Total::excessive)
    }

    /// Wavefronts or sectors of an average request, and their ideal.
    #[must_use]
    pub fn per_request(&self) -> Option<(f64, f64)> {
        let total = self.measured.filter(|total| total.requests > 0)?;
        let each = |sum: u64| sum as f64 / total.requests as f64;
        Some((each(total.cost), each(total.ideal)))
    }
}

/// All rows, and what is to be said besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: &'static str,
    rows: Vec<Record<'a>>,
    notes: &'a [String],
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    lines: usize,
    agree: usize,
    explained: usize,
    disagree: usize,
}

#[derive(Serialize)]
struct Record<'a> {
    outcome: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    kernel: &'a str,
    file: &'a str,
    line: u32,
    space: &'static str,
    op: &'static str,
    unit: &'static str,
    predicted: Prediction<'a>,
    measured: Option<Count>,
}

#[derive(Serialize)]
struct Prediction<'a> {
    per_request: &'a str,
    total: Option<Count>,
}

#[derive(Serialize)]
struct Count {
    requests: u64,
    cost: u64,
    ideal: u64,
}

impl From<Total> for Count {
    fn from(total: Total) -> Self {
        Self {
            requests: total.requests,
            cost: total.cost,
            ideal: total.ideal,
        }
    }
}

impl Measured {
    /// Puts what disagrees first, then what could not be compared, the most wasteful of each first.
    pub fn sort(&mut self) {
        self.rows.sort_by_cached_key(|row| {
            let kind = match row.outcome {
                Agreement::Disagrees => 0,
                Agreement::Explained(_) => 1,
                Agreement::Agrees => 2,
            };
            let place = (row.file.clone(), row.line, row.kernel.clone());
            let access = (row.space as u8, row.op as u8);
            (kind, Reverse(row.excessive()), place, access)
        });
    }

    /// 0 if every difference is explained, 1 otherwise.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        u8::from(
            self.rows
                .iter()
                .any(|row| row.outcome == Agreement::Disagrees),
        )
    }

    fn summary(&self) -> Summary {
        let of = |name: &str| {
            let same = |row: &&Row| row.outcome.name() == name;
            self.rows.iter().filter(same).count()
        };
        Summary {
            lines: self.rows.len(),
            agree: of("agrees"),
            explained: of("explained"),
            disagree: of("disagrees"),
        }
    }

    /// How many lines agree, and what a run that cannot compare anything means.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Summary {
            lines,
            agree,
            explained,
            disagree,
        } = self.summary();
        format!(
            "{}: {agree} agree, {explained} explained, {disagree} disagree",
            count(lines, "line", "lines")
        )
    }

    /// A table for people: cost and ideal of one request, and how often that was asked for.
    #[must_use]
    pub fn text(&self) -> String {
        let head = ["", "predicted", "measured", "requests"].map(str::to_owned);
        let lines: Vec<[String; 4]> = std::iter::once(head)
            .chain(self.rows.iter().map(cells))
            .collect();
        let width = |column: usize| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let line = |cells: &[String; 4]| {
            let [place, predicted, measured, requests] = cells;
            let [a, b, c, d] = widths;
            let text = format!("{place:a$}  {predicted:>b$}  {measured:>c$}  {requests:>d$}");
            format!("{}\n", text.trim_end())
        };
        let mut out = String::new();
        let mut kind = "";
        for (row, cells) in self.rows.iter().zip(&lines[1..]) {
            // Writing to a String can't fail, so the results are dropped.
            if row.outcome.name() != kind {
                kind = row.outcome.name();
                let _ = writeln!(out, "{}{kind}", if out.is_empty() { "" } else { "\n" });
                out.push_str(&line(&lines[0]));
            }
            out.push_str(&line(cells));
            if !row.outcome.reason().is_empty() {
                let _ = writeln!(out, "      {}", row.outcome.reason());
            }
        }
        if !self.rows.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        let _ = writeln!(out, "{}", self.sentence());
        visible::text(&out)
    }

    #[must_use]
    pub fn json(&self) -> String {
        pretty(&Document {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            rows: self.rows.iter().map(record).collect(),
            notes: &self.notes,
            summary: self.summary(),
        })
    }
}

fn record(row: &Row) -> Record<'_> {
    Record {
        outcome: row.outcome.name(),
        reason: row.outcome.reason(),
        kernel: &row.kernel,
        file: &row.file,
        line: row.line,
        space: row.space.name(),
        op: row.op.name(),
        unit: row.space.unit(),
        predicted: Prediction {
            per_request: &row.predicted,
            total: row.predicted_total.map(Count::from),
        },
        measured: row.measured.map(Count::from),
    }
}

/// Place and access, predicted, measured, requests.
fn cells(row: &Row) -> [String; 4] {
    let measured = row.per_request().map_or("-".to_owned(), |(cost, ideal)| {
        format!("{}/{}", number(cost), number(ideal))
    });
    [
        format!(
            "  {}:{} {} {} in {}",
            row.file,
            row.line,
            row.space.name(),
            row.op.name(),
            row.kernel
        ),
        row.predicted.clone(),
        measured,
        requests(row),
    ]
}

/// Those that were counted, beside those that were predicted where these are others.
pub(super) fn requests(row: &Row) -> String {
    let counted = row.measured.map(|total| total.requests);
    let predicted = row.predicted_total.map(|total| total.requests);
    match (predicted, counted) {
        (Some(predicted), Some(counted)) if predicted != counted => {
            format!("{counted} (predicted {predicted})")
        }
        (_, Some(counted)) => counted.to_string(),
        (Some(predicted), None) => format!("- (predicted {predicted})"),
        (None, None) => "-".to_owned(),
    }
}

/// Whole numbers without a fraction.
pub(super) fn number(value: f64) -> String {
    if (value - value.round()).abs() < 0.005 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: u32, outcome: Agreement, cost: u64) -> Row {
        Row {
            kernel: "k".to_owned(),
            file: "a.cu".to_owned(),
            line,
            space: Space::Shared,
            op: Op::Load,
            predicted: "1/1".to_owned(),
            predicted_total: None,
            measured: Some(Total {
                requests: 4,
                cost,
                ideal: 4,
            }),
            outcome,
        }
    }

    fn sorted() -> Measured {
        let reason = Agreement::Explained("a <reason>".to_owned());
        let mut all = Measured {
            rows: vec![
                row(1, Agreement::Agrees, 4),
                row(2, reason.clone(), 5),
                row(3, Agreement::Disagrees, 6),
                row(4, Agreement::Disagrees, 128),
                row(5, reason, 64),
            ],
            notes: vec!["one note".to_owned()],
        };
        all.sort();
        all
    }

    #[test]
    fn what_disagrees_comes_first_and_the_most_wasteful_of_it() {
        let all = sorted();
        let lines: Vec<u32> = all.rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [4, 3, 5, 2, 1]);
        assert_eq!(all.exit_code(), 1);
        let text = all.text();
        let first = text.lines().nth(2).expect("a row");
        assert!(first.contains("a.cu:4 shared load in k"), "{text}");
        assert!(first.contains("32/1") && first.ends_with('4'), "{text}");
        assert!(text.contains("1.50/1"), "{text}");
        assert!(
            text.ends_with("\nnote: one note\n5 lines: 1 agree, 2 explained, 2 disagree\n"),
            "{text}"
        );
    }

    #[test]
    fn json_has_the_sums() {
        let value: serde_json::Value = serde_json::from_str(&sorted().json()).expect("JSON");
        assert_eq!(value["schema"], SCHEMA);
        assert_eq!(value["rows"][0]["measured"]["cost"], 128);
        assert_eq!(
            value["rows"][0]["predicted"]["total"],
            serde_json::Value::Null
        );
        assert_eq!(value["rows"][2]["reason"], "a <reason>");
        assert_eq!(value["summary"]["disagree"], 2);
    }
}
