//! Which lane wants what, as a picture in text.
//!
//! Given a witness, gives the banks (shared) or sectors (global) that each lane's
//! bytes lie in. Counts nothing: costs come from the verdict.

use crate::gpu::{Arch, Space};
use crate::prove::verdict::{Access, Witness};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Sectors that are listed one by one.
const MOST_SECTORS: usize = 8;

/// The map of the access's witness; `None` where there is none.
#[must_use]
pub fn render(access: &Access, arch: &Arch) -> Option<String> {
    let witness = access.verdict.witness.as_ref()?;
    Some(match access.space {
        Space::Shared => banks(witness, access.width, arch),
        Space::Global => sectors(witness, access.width),
    })
}

/// A row for each run of lanes that want the same banks, a column for each bank.
fn banks(witness: &Witness, width: u32, arch: &Arch) -> String {
    let (count, unit) = (
        usize::from(arch.banks).max(1),
        u64::from(arch.bank_bytes).max(1),
    );
    let row = |address: u64| -> String {
        let mut row = vec!['.'; count];
        let last = address + u64::from(width.max(1)) - 1;
        for word in address / unit..=last / unit {
            if let Some(cell) = row.get_mut((word % count as u64) as usize) {
                *cell = '#';
            }
        }
        row.into_iter().collect()
    };
    let mut text = String::from("lane  bank ");
    // A number over every eighth bank.
    for bank in (0..count).step_by(8) {
        let _ = write!(text, "{bank:<8}");
    }
    text.truncate(text.trim_end().len());
    let mut runs: Vec<(usize, usize, String)> = Vec::new();
    for (lane, address) in witness.addresses.iter().enumerate() {
        let row = address.map_or_else(|| "-".repeat(count), row);
        match runs.last_mut() {
            Some((_, last, same)) if *same == row => *last = lane,
            _ => runs.push((lane, lane, row)),
        }
    }
    for (first, last, row) in runs {
        let lanes = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        let _ = write!(text, "\n{lanes:<10} {row}");
    }
    text
}

/// A line for each sector with its lanes, the first ones only.
fn sectors(witness: &Witness, width: u32) -> String {
    let mut touched: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (lane, address) in witness.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        let last = address + u64::from(width.max(1)) - 1;
        for sector in address / SECTOR..=last / SECTOR {
            touched.entry(sector).or_default().push(lane);
        }
    }
    let first = touched.keys().next().copied().unwrap_or(0);
    let mut text = String::from("sector   lanes");
    for (sector, lanes) in touched.iter().take(MOST_SECTORS) {
        let _ = write!(
            text,
            "\n{:<8} {}",
            format!("+{}", sector - first),
            runs(lanes)
        );
    }
    if touched.len() > MOST_SECTORS {
        let _ = write!(text, "\n… {} more", touched.len() - MOST_SECTORS);
    }
    text
}

/// `0-3, 8`
fn runs(lanes: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for lane in lanes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *lane => *last = *lane,
            _ => runs.push((*lane, *lane)),
        }
    }
    let text: Vec<String> = runs
        .iter()
        .map(|(first, last)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        })
        .collect();
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn witness(address: impl Fn(u64) -> Option<u64>) -> Witness {
        let mut addresses = [None; 32];
        for (lane, slot) in addresses.iter_mut().enumerate() {
            *slot = address(lane as u64);
        }
        Witness {
            symbols: Vec::new(),
            addresses,
            cost: 1,
            ideal: 1,
        }
    }

    #[test]
    fn a_column_lies_in_one_bank() {
        let map = banks(&witness(|lane| Some(lane * 128)), 4, &Arch::DEFAULT);
        let row = format!("0-31       #{}", ".".repeat(31));
        assert_eq!(map.lines().nth(1), Some(row.as_str()));
        assert_eq!(map.lines().count(), 2);
    }

    #[test]
    fn wide_and_absent_lanes_show() {
        let map = banks(
            &witness(|lane| (lane < 2).then_some(lane * 8)),
            8,
            &Arch::DEFAULT,
        );
        let rows: Vec<&str> = map.lines().skip(1).collect();
        assert!(rows[0].starts_with("0          ##.."), "{map}");
        assert!(rows[1].starts_with("1          ..##"), "{map}");
        assert!(rows[2].starts_with("2-31       ----"), "{map}");
    }

    #[test]
    fn sectors_are_listed_with_their_lanes() {
        let dense = sectors(&witness(|lane| Some(lane * 4)), 4);
        assert_eq!(dense.lines().nth(1), Some("+0       0-7"));
        let spread = sectors(&witness(|lane| Some(lane * 4096)), 4);
        assert!(spread.ends_with("… 24 more"), "{spread}");
    }
}
