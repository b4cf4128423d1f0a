//! The map of banks: which lane wants what, as a picture in text.
//!
//! Given a witness, gives the banks (shared) or sectors (global) that each lane's bytes lie
//! in: in full for a terminal, or with lanes that look alike in one row for a hover. Counts
//! words of banks, no costs: those come from the verdict.

use crate::gpu::cost::{self, BankUse, Request};
use crate::gpu::{Arch, Space, WARP};
use crate::prove::verdict::Access;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Bytes of a sector, the unit of global traffic.
const SECTOR: i64 = 32;
/// Sectors that a hover lists one by one.
const MOST_SECTORS: usize = 8;
/// Banks of which the words are drawn in a row.
const MOST_QUEUES: usize = 2;
/// Meaning of the marks.
const LEGEND: &str = "# word in conflict, o word of its own, = word that lanes share";

/// A row for every lane, or every sector, behind an empty line; `None` where there is no witness.
#[must_use]
pub fn full(access: &Access, arch: &Arch, color: bool) -> Option<String> {
    let request = request(access)?;
    Some(match access.space {
        Space::Shared => every_lane(&request, arch, color),
        Space::Global => format!("\n{}\n", sectors(&request, usize::MAX)),
    })
}

/// A row for each run of lanes that look alike, or the first sectors; `None` where there is no
/// witness.
#[must_use]
pub fn brief(access: &Access, arch: &Arch) -> Option<String> {
    let request = request(access)?;
    Some(match access.space {
        Space::Shared => alike(&request, arch),
        Space::Global => sectors(&request, MOST_SECTORS),
    })
}

fn request(access: &Access) -> Option<Request> {
    Some(Request {
        addresses: access.verdict.witness.as_ref()?.addresses,
        width: access.width,
        space: access.space,
        op: access.op,
    })
}

/// How a word stands to the others of its bank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    /// Alone in its bank.
    Free,
    /// Wanted by another lane too, which costs nothing.
    Common,
    /// Other words of the bank are wanted at the same time.
    Conflict,
}

impl Mark {
    fn text(self) -> char {
        match self {
            Self::None => '.',
            Self::Free => 'o',
            Self::Common => '=',
            Self::Conflict => '#',
        }
    }

    fn cell(self, color: bool) -> String {
        if !color {
            return self.text().to_string();
        }
        let code = match self {
            Self::None => "2",
            Self::Free => "32",
            Self::Common => "36",
            Self::Conflict => "31;1",
        };
        format!("\u{1b}[{code}m{}\u{1b}[0m", self.text())
    }
}

/// Words that one lane wants.
struct Row {
    marks: Vec<Mark>,
    /// The first word; `None` for an inactive lane.
    word: Option<u64>,
}

/// One row per lane, one mark per bank.
fn rows(request: &Request, arch: &Arch) -> Vec<Row> {
    let uses = cost::bank_map(request, arch);
    let banks = usize::from(arch.banks).max(1);
    // Each word of a wide access is a use of its own.
    let mut words: Vec<(usize, u32, u64, usize)> = Vec::new();
    for BankUse {
        lane,
        word,
        words: count,
        group,
        ..
    } in &uses
    {
        for word in *word..word + u64::from(*count) {
            let bank = (word % banks as u64) as usize;
            words.push((usize::from(lane.0), *group, word, bank));
        }
    }
    let mark = |lane: usize, group: u32, word: u64, bank: usize| {
        let others = words
            .iter()
            .filter(|word| (word.1, word.3) == (group, bank) && word.0 != lane);
        let (mut is_common, mut is_conflict) = (false, false);
        for other in others {
            is_common |= other.2 == word;
            is_conflict |= other.2 != word;
        }
        match (is_conflict, is_common) {
            (true, _) => Mark::Conflict,
            (_, true) => Mark::Common,
            _ => Mark::Free,
        }
    };
    (0..WARP)
        .map(|lane| {
            let mut marks = vec![Mark::None; banks];
            for (_, group, word, bank) in words.iter().filter(|word| word.0 == lane) {
                marks[*bank] = mark(lane, *group, *word, *bank);
            }
            let first = uses.iter().find(|one| usize::from(one.lane.0) == lane);
            Row {
                marks,
                word: first.map(|one| one.word),
            }
        })
        .collect()
}

/// Lanes down, banks across; lanes that a request takes at a time between lines.
fn every_lane(request: &Request, arch: &Arch, color: bool) -> String {
    let banks = usize::from(arch.banks);
    let tens: String = (0..banks)
        .map(|bank| {
            if bank % 10 == 0 {
                (b'0' + (bank / 10) as u8) as char
            } else {
                ' '
            }
        })
        .collect();
    let ones: String = (0..banks)
        .map(|bank| (b'0' + (bank % 10) as u8) as char)
        .collect();
    let mut out = String::new();
    let _ = writeln!(out, "\nlane      bank {}", tens.trim_end());
    let _ = writeln!(out, "               {ones}");
    let lanes_together = cost::group_lanes(request, arch);
    for (lane, row) in rows(request, arch).iter().enumerate() {
        if lane > 0 && lane % lanes_together == 0 {
            let _ = writeln!(out, "               {}", "-".repeat(banks));
        }
        let cells: String = row.marks.iter().map(|mark| mark.cell(color)).collect();
        let word = row
            .word
            .map_or_else(|| "inactive".to_owned(), |word| format!("word {word}"));
        let _ = writeln!(out, "{lane:4}           {cells}  {word}");
    }
    let _ = writeln!(out, "               {LEGEND}");
    out
}

/// Runs of lanes that want the same banks, banks across.
fn alike(request: &Request, arch: &Arch) -> String {
    let mut out = String::from("lane  bank ");
    // A number over every eighth bank.
    for bank in (0..usize::from(arch.banks)).step_by(8) {
        let _ = write!(out, "{bank:<8}");
    }
    out.truncate(out.trim_end().len());
    let mut runs: Vec<(usize, usize, String)> = Vec::new();
    for (lane, row) in rows(request, arch).iter().enumerate() {
        let cells: String = match row.word {
            Some(_) => row.marks.iter().map(|mark| mark.text()).collect(),
            None => "-".repeat(row.marks.len()),
        };
        match runs.last_mut() {
            Some((_, last, same)) if *same == cells => *last = lane,
            _ => runs.push((lane, lane, cells)),
        }
    }
    for (first, last, cells) in runs {
        let _ = write!(out, "\n{:<10} {cells}", run(first, last));
    }
    out.push_str(&queues(request, arch));
    let _ = write!(out, "\n{LEGEND}");
    out
}

/// The banks that most words are wanted of, a mark for each word: they are served one after the other. Empty
/// where no bank is wanted twice. Of wider accesses lanes are served in groups, so nothing is said.
fn queues(request: &Request, arch: &Arch) -> String {
    let mut wanted: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for word in request
        .addresses
        .iter()
        .flatten()
        .map(|address| address / 4)
    {
        wanted
            .entry(word % u64::from(arch.banks))
            .or_default()
            .insert(word);
    }
    let longest = wanted.values().map(BTreeSet::len).max().unwrap_or(0);
    if request.width > 4 || longest < 2 {
        return String::new();
    }
    let banks: Vec<u64> = wanted
        .iter()
        .filter(|(_, words)| words.len() == longest)
        .map(|(bank, _)| *bank)
        .collect();
    let mut out = String::new();
    for bank in banks.iter().take(MOST_QUEUES) {
        let marks = Mark::Conflict.text().to_string().repeat(longest);
        let name = format!("bank {bank}");
        let _ = write!(out, "\n{name:<10} {marks} {longest} words");
    }
    if banks.len() > MOST_QUEUES {
        let _ = write!(out, "\n… {} more banks", banks.len() - MOST_QUEUES);
    }
    out
}

/// The first sectors, each with its bytes that are used and the lanes that want some of it.
fn sectors(request: &Request, most: usize) -> String {
    let mut touched: BTreeMap<i64, (Vec<usize>, u32)> = BTreeMap::new();
    for (lane, address) in request.addresses.iter().enumerate() {
        let Some(address) = address.map(|address| address as i64) else {
            continue;
        };
        let end = address.saturating_add(i64::from(request.width.max(1)));
        for sector in address.div_euclid(SECTOR)..=(end - 1).div_euclid(SECTOR) {
            let entry = touched.entry(sector).or_default();
            entry.0.push(lane);
            for byte in address.max(sector * SECTOR)..end.min((sector + 1) * SECTOR) {
                entry.1 |= 1 << (byte - sector * SECTOR);
            }
        }
    }
    let mut out = String::from("sector     bytes used of 32                  lanes");
    for (sector, (lanes, used)) in touched.iter().take(most) {
        let cells: String = (0..32)
            .map(|byte| if used >> byte & 1 == 1 { '#' } else { '.' })
            .collect();
        let _ = write!(out, "\n{sector:6}     {cells}  {}", ranges(lanes));
    }
    if touched.len() > most {
        let _ = write!(out, "\n… {} more", touched.len() - most);
    }
    out
}

/// `0-7, 16`.
fn ranges(lanes: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for lane in lanes {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == *lane => *end = *lane,
            _ => parts.push((*lane, *lane)),
        }
    }
    let told: Vec<String> = parts.iter().map(|(start, end)| run(*start, *end)).collect();
    told.join(", ")
}

fn run(first: usize, last: usize) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cost::Op;

    fn request(address: impl Fn(u64) -> Option<u64>, width: u32, space: Space) -> Request {
        let mut addresses = [None; WARP];
        for (lane, slot) in addresses.iter_mut().enumerate() {
            *slot = address(lane as u64);
        }
        Request {
            addresses,
            width,
            space,
            op: Op::Load,
        }
    }

    fn map_of(address: impl Fn(u64) -> u64, width: u32) -> String {
        let request = request(|lane| Some(address(lane)), width, Space::Shared);
        every_lane(&request, &Arch::DEFAULT, false)
    }

    #[test]
    fn a_column_is_one_bank_in_conflict() {
        let text = map_of(|lane| 128 * lane, 4);
        assert_eq!(text.matches('#').count(), 32 + 1);
        assert!(
            text.lines()
                .nth(3)
                .is_some_and(|line| line.contains("#......"))
        );
        let column = request(|lane| Some(lane * 128), 4, Space::Shared);
        let brief = alike(&column, &Arch::DEFAULT);
        let row = format!("0-31       #{}", ".".repeat(31));
        assert_eq!(brief.lines().nth(1), Some(row.as_str()));
        assert_eq!(
            brief.lines().nth(2),
            Some(format!("bank 0     {} 32 words", "#".repeat(32)).as_str())
        );
        assert_eq!(brief.lines().count(), 4);
    }

    #[test]
    fn a_row_is_a_diagonal_and_a_broadcast_is_shared() {
        let row = map_of(|lane| 4 * lane, 4);
        for (lane, line) in row.lines().skip(3).take(32).enumerate() {
            let cells = format!("{}o{}", ".".repeat(lane), ".".repeat(31 - lane));
            assert!(line.contains(&cells), "{line}");
        }
        assert_eq!(map_of(|_| 0, 4).matches('=').count(), 32 + 1);
    }

    #[test]
    fn wide_lanes_take_several_banks_by_quarter_warps() {
        let text = map_of(|lane| 16 * lane, 16);
        assert!(
            text.lines()
                .nth(3)
                .is_some_and(|line| line.contains("oooo...."))
        );
        assert_eq!(text.matches("-----").count() / 6, 3);
    }

    #[test]
    fn absent_lanes_show() {
        let two = request(|lane| (lane < 2).then_some(lane * 8), 8, Space::Shared);
        let map = alike(&two, &Arch::DEFAULT);
        let rows: Vec<&str> = map.lines().skip(1).collect();
        assert!(rows[0].starts_with("0          oo.."), "{map}");
        assert!(rows[1].starts_with("1          ..oo"), "{map}");
        assert!(rows[2].starts_with("2-31       ----"), "{map}");
    }

    #[test]
    fn sectors_are_listed_with_their_lanes() {
        let list = |step: u64| {
            let request = request(|lane| Some(lane * step), 4, Space::Global);
            sectors(&request, MOST_SECTORS)
        };
        let full = "#".repeat(32);
        let first = format!("     0     {full}  0-7");
        assert_eq!(list(4).lines().nth(1), Some(first.as_str()));
        assert!(list(4096).ends_with("… 24 more"));
    }
}
