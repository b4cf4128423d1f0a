//! `cudalint cost`: predicts the cost of single requests listed in a CSV file.
//!
//! Given: the file's bytes and an architecture. Gives: a prediction for each row, what could
//! not be read, and the text and exit code of the command.
//! Does not know: files, terminals, or where the requests come from.
//!
//! The header names the columns, in any order: `space`, `op`, `width_bytes`, `lane0` …
//! `lane31` (byte offsets), and, optionally, `active_mask` and `cost`. Without a mask, lanes
//! with an empty cell are inactive. Other columns are ignored, as are blank lines and lines
//! that start with `#`.

use std::fmt::Write as _;

use super::WARP;
use super::arch::Arch;
use super::cost::{Cost, Op, Request, Space, cost};

/// One row that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Line in the file, 1-based.
    pub line: usize,
    pub request: Request,
    pub predicted: Cost,
    /// The file's `cost` column.
    pub stated: Option<u32>,
}

impl Row {
    /// Whether the prediction meets the stated cost; `None` where no cost is stated.
    pub fn agrees(&self) -> Option<bool> {
        self.stated.map(|stated| stated == self.predicted.actual)
    }
}

/// The result for a file of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostReport {
    pub arch: Arch,
    pub rows: Vec<Row>,
    /// One sentence for each line that could not be read, in order.
    pub problems: Vec<String>,
}

/// Predicts every request of a CSV file; what can't be read becomes a problem.
pub fn run(text: impl AsRef<[u8]>, arch: Arch) -> CostReport {
    let text = String::from_utf8_lossy(text.as_ref());
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut report = CostReport {
        arch,
        rows: Vec::new(),
        problems: Vec::new(),
    };
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((header_line, header)) = lines.next() else {
        report
            .problems
            .push("the file holds no header line".to_owned());
        return report;
    };
    let columns = match Columns::find(header) {
        Ok(columns) => columns,
        Err(problem) => {
            report
                .problems
                .push(format!("line {header_line}: {problem}"));
            return report;
        }
    };
    for (line, text) in lines {
        match columns.read(text) {
            Ok((request, stated)) => {
                let predicted = cost(&request, &arch);
                report.rows.push(Row {
                    line,
                    request,
                    predicted,
                    stated,
                });
            }
            Err(problem) => report.problems.push(format!("line {line}: {problem}")),
        }
    }
    if report.rows.is_empty() && report.problems.is_empty() {
        report
            .problems
            .push("the file holds a header but no request".to_owned());
    }
    report
}

impl CostReport {
    /// Rows whose stated cost differs from the predicted one.
    pub fn mismatches(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.agrees() == Some(false))
    }

    /// 0 if nothing disagrees, 1 on a mismatch, 2 if a line could not be read.
    pub fn exit_code(&self) -> u8 {
        if !self.problems.is_empty() {
            2
        } else {
            u8::from(self.mismatches().next().is_some())
        }
    }

    /// The command's output: each row's prediction, mismatches, problems, the count.
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing to a String can't fail, so the results are dropped.
        for row in &self.rows {
            let _ = writeln!(out, "{}", describe(row));
        }
        for row in self.mismatches() {
            let unit = row.request.space.unit();
            let stated = row.stated.unwrap_or_default();
            let _ = writeln!(
                out,
                "mismatch on line {}: predicted {} {unit}, the file says {stated}",
                row.line, row.predicted.actual
            );
        }
        for problem in &self.problems {
            let _ = writeln!(out, "error: {problem}");
        }
        let compared = self.rows.iter().filter_map(Row::agrees);
        let (agreeing, all) = compared.fold((0, 0), |(yes, all), agrees| {
            (yes + usize::from(agrees), all + 1)
        });
        if all > 0 || self.rows.is_empty() {
            let _ = writeln!(out, "{agreeing} of {all} agree");
        } else {
            let _ = writeln!(
                out,
                "{} predicted for {} ({})",
                count(self.rows.len(), "request"),
                self.arch,
                self.arch.basis()
            );
        }
        out
    }
}

fn describe(row: &Row) -> String {
    let Request {
        space, op, width, ..
    } = row.request;
    let lanes = row.request.active_mask().count_ones() as usize;
    format!(
        "line {}: {} {} of {} by {}: {} {}, ideal {}",
        row.line,
        space.name(),
        op.name(),
        count(width as usize, "byte"),
        count(lanes, "lane"),
        row.predicted.actual,
        space.unit(),
        row.predicted.ideal,
    )
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Where the header puts each column.
struct Columns {
    space: usize,
    op: usize,
    width: usize,
    mask: Option<usize>,
    cost: Option<usize>,
    lanes: [usize; WARP],
    count: usize,
}

impl Columns {
    fn find(header: &str) -> Result<Columns, String> {
        let names: Vec<&str> = cells(header).collect();
        let optional = |name: &str| {
            names
                .iter()
                .position(|cell| cell.eq_ignore_ascii_case(name))
        };
        let needed = |name: &str| {
            optional(name).ok_or_else(|| format!("the header names no column `{name}`"))
        };
        let mut lanes = [0; WARP];
        for (lane, column) in lanes.iter_mut().enumerate() {
            *column = needed(&format!("lane{lane}"))?;
        }
        Ok(Columns {
            space: needed("space")?,
            op: needed("op")?,
            width: optional("width").map_or_else(|| needed("width_bytes"), Ok)?,
            mask: optional("active_mask"),
            cost: optional("cost"),
            lanes,
            count: names.len(),
        })
    }

    /// The byte offsets of the lanes that take part.
    fn addresses(
        &self,
        row: &[&str],
        mask: Option<u32>,
        width: u64,
    ) -> Result<[Option<u64>; WARP], String> {
        let mut addresses = [None; WARP];
        for (lane, address) in addresses.iter_mut().enumerate() {
            let cell = row[self.lanes[lane]];
            let active = mask.map_or(!cell.is_empty(), |mask| mask >> lane & 1 == 1);
            if !active {
                continue;
            }
            let Some(offset) = number(cell) else {
                return Err(format!(
                    "lane {lane} has {}, not a byte offset",
                    quoted(cell)
                ));
            };
            if offset % width != 0 {
                return Err(format!(
                    "lane {lane} has {offset}, no multiple of the width {width}, which the hardware refuses"
                ));
            }
            *address = Some(offset);
        }
        Ok(addresses)
    }

    fn read(&self, line: &str) -> Result<(Request, Option<u32>), String> {
        let row: Vec<&str> = cells(line).collect();
        if row.len() != self.count {
            return Err(format!(
                "{} where the header names {}",
                count(row.len(), "cell"),
                self.count
            ));
        }
        let space = match row[self.space].to_ascii_lowercase().as_str() {
            "shared" => Space::Shared,
            "global" => Space::Global,
            _ => {
                return Err(format!(
                    "space is {}, not shared or global",
                    quoted(row[self.space])
                ));
            }
        };
        let op = match row[self.op].to_ascii_lowercase().as_str() {
            "load" => Op::Load,
            "store" => Op::Store,
            "atomic" => Op::Atomic,
            _ => {
                return Err(format!(
                    "op is {}, not load, store or atomic",
                    quoted(row[self.op])
                ));
            }
        };
        let width = match number(row[self.width]) {
            Some(width @ (1 | 2 | 4 | 8 | 16)) => width,
            _ => {
                return Err(format!(
                    "width is {}, not 1, 2, 4, 8 or 16 bytes",
                    quoted(row[self.width])
                ));
            }
        };
        let mask = match self.mask.map(|column| row[column]) {
            None => None,
            Some(cell) => match number(cell).and_then(|mask| u32::try_from(mask).ok()) {
                Some(mask) => Some(mask),
                None => {
                    return Err(format!(
                        "active_mask is {}, not a 32-bit number",
                        quoted(cell)
                    ));
                }
            },
        };
        let addresses = self.addresses(&row, mask, width)?;
        let stated = match self.cost.map(|column| row[column]) {
            None | Some("") => None,
            Some(cell) => match number(cell).and_then(|cost| u32::try_from(cost).ok()) {
                Some(cost) => Some(cost),
                None => return Err(format!("cost is {}, not a number", quoted(cell))),
            },
        };
        Ok((
            Request {
                addresses,
                width: width as u32,
                space,
                op,
            },
            stated,
        ))
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',')
        .map(|cell| cell.trim().trim_matches('"').trim())
}

/// Decimal or `0x` hexadecimal.
fn number(cell: &str) -> Option<u64> {
    let hex = cell.strip_prefix("0x").or_else(|| cell.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((cell, 10), |digits| (digits, 16));
    // from_str_radix would take a sign.
    if digits.starts_with(['+', '-']) {
        None
    } else {
        u64::from_str_radix(digits, radix).ok()
    }
}

/// A cell as a message shows it: short, and without control characters.
fn quoted(cell: &str) -> String {
    if cell.is_empty() {
        return "empty".to_owned();
    }
    let shown: String = cell
        .chars()
        .take(24)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    let cut = if cell.chars().nth(24).is_some() {
        "…"
    } else {
        ""
    };
    format!("`{shown}{cut}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED: &[u8] = include_bytes!("../../fixtures/measured/h200-requests.csv");

    #[test]
    fn every_measured_request_agrees() {
        let report = run(MEASURED, Arch::DEFAULT);
        assert_eq!(report.problems, Vec::<String>::new());
        let text = report.render();
        assert!(text.ends_with("334 of 334 agree\n"), "{text}");
        assert_eq!(report.exit_code(), 0);
    }

    fn file(space: &str, op: &str, width: &str, mask: &str, cost: &str, offsets: &str) -> String {
        let lanes: Vec<String> = (0..32).map(|lane| format!("lane{lane}")).collect();
        format!(
            "space,op,width_bytes,active_mask,cost,{}\n{space},{op},{width},{mask},{cost},{offsets}\n",
            lanes.join(",")
        )
    }

    fn dense() -> String {
        (0..32)
            .map(|lane| (4 * lane).to_string())
            .collect::<Vec<_>>()
            .join(",")
    }

    #[test]
    fn a_mismatch_exits_1_and_is_counted_last() {
        let report = run(
            file("shared", "load", "4", "0xffffffff", "2", &dense()),
            Arch::DEFAULT,
        );
        assert_eq!(report.exit_code(), 1);
        let text = report.render();
        assert!(
            text.contains("mismatch on line 2: predicted 1 wavefronts, the file says 2"),
            "{text}"
        );
        assert!(text.ends_with("0 of 1 agree\n"));
    }

    #[test]
    fn a_bad_line_is_one_sentence_with_its_number() {
        for (row, part) in [
            (
                file("texture", "load", "4", "1", "1", &dense()),
                "space is `texture`",
            ),
            (
                file("shared", "fetch", "4", "1", "1", &dense()),
                "op is `fetch`",
            ),
            (
                file("shared", "load", "3", "1", "1", &dense()),
                "width is `3`",
            ),
            (
                file("shared", "load", "8", "3", "1", &dense()),
                "lane 1 has 4, no multiple of the width 8",
            ),
            (
                file("shared", "load", "4", "0x1ffffffff", "1", &dense()),
                "active_mask is",
            ),
            (
                file("shared", "load", "4", "1", "-1", &dense()),
                "cost is `-1`",
            ),
            (
                file("shared", "load", "4", "1", "1", "0,4"),
                "7 cells where the header names 37",
            ),
            (
                "a,b\n1,2\n".to_owned(),
                "the header names no column `lane0`",
            ),
        ] {
            let report = run(&row, Arch::DEFAULT);
            assert_eq!(report.problems.len(), 1, "{row}");
            assert!(
                report.problems[0].contains(part),
                "{:?} lacks {part:?}",
                report.problems
            );
            assert!(report.problems[0].starts_with("line "));
            assert_eq!(report.exit_code(), 2);
        }
    }

    #[test]
    fn any_bytes_are_survived() {
        for bytes in [
            &b""[..],
            b"\n\n",
            b"\xff\xfe\x00",
            b"\xef\xbb\xbfspace",
            b"space,op,width_bytes\n\0",
        ] {
            let report = run(bytes, Arch::DEFAULT);
            assert_eq!(report.exit_code(), 2);
            assert!(report.render().ends_with("0 of 0 agree\n"));
        }
        // Every prefix of a good file, and single corrupted bytes in it.
        let good = file("global", "store", "4", "0xffffffff", "4", &dense()).into_bytes();
        for end in 0..good.len() {
            let _ = run(&good[..end], Arch::DEFAULT).render();
            let mut bad = good.clone();
            bad[end] ^= 0x95;
            let _ = run(&bad, Arch::DEFAULT).render();
        }
    }
}
