//! Pictures of one request: which lane wants which bank, or which bytes of which sector.
//!
//! Given a witness, draws it as SVG. Counts nothing: costs come from the verdict.

use crate::gpu::cost::{Op, Request, bank_map};
use crate::gpu::{Arch, Space};
use crate::prove::verdict::{Access, Witness};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Bytes of a sector, and of a line of four.
const SECTOR: u64 = 32;
const LINE: u64 = 4 * SECTOR;
/// Rows drawn; a request touches 32 at most unless it is wide.
const ROWS: usize = 33;
/// Side of a cell, in units of the picture. The page's style says how large the square in it is, since thousands of
/// squares are the largest part of a page.
const CELL: usize = 15;
/// Room for the names of rows and columns.
const LEFT: usize = 52;
const TOP: usize = 18;

pub(super) fn render(access: &Access, witness: &Witness, arch: &Arch) -> String {
    match access.space {
        Space::Shared => banks(access.width, access.op, witness, arch),
        Space::Global => sectors(access.width, witness),
    }
}

/// A row for each row of words that is touched, a column for each bank.
fn banks(width: u32, op: Op, witness: &Witness, arch: &Arch) -> String {
    let request = Request {
        space: Space::Shared,
        op,
        width,
        addresses: witness.addresses,
    };
    let count = u64::from(arch.banks).max(1);
    let mut rows: BTreeMap<u64, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for one in bank_map(&request, arch) {
        for word in one.word..one.word + u64::from(one.words) {
            let row = rows.entry(word / count).or_default();
            let lanes = row.entry((word % count) as usize).or_default();
            lanes.push(usize::from(one.lane.0));
        }
    }
    let rows = rows
        .into_iter()
        .map(|(row, cells)| (format!("row {row}"), cells))
        .collect();
    picture("bank", count as usize, rows)
}

/// A row for each 128-byte line that is touched, a column for each 4 bytes of it.
fn sectors(width: u32, witness: &Witness) -> String {
    let mut rows: BTreeMap<u64, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
    for (lane, address) in witness.addresses.iter().enumerate() {
        let Some(address) = address else { continue };
        // What lies before an array is a very large number here.
        let last = address.saturating_add(u64::from(width.max(1)) - 1);
        for unit in address / 4..=last / 4 {
            let row = rows.entry(unit * 4 / LINE).or_default();
            let lanes = row.entry((unit * 4 % LINE / 4) as usize).or_default();
            lanes.push(lane);
        }
    }
    let rows = rows
        .into_iter()
        .map(|(line, cells)| (format!("{:#x}", line * LINE), cells))
        .collect();
    picture("word", (LINE / 4) as usize, rows)
}

fn picture(
    column_name: &str,
    columns: usize,
    rows: Vec<(String, BTreeMap<usize, Vec<usize>>)>,
) -> String {
    let mut load = vec![0usize; columns];
    for cells in rows.iter().map(|(_, cells)| cells) {
        for column in cells.keys() {
            if let Some(n) = load.get_mut(*column) {
                *n += 1;
            }
        }
    }
    let is_banks = column_name == "bank";
    let worst = load.iter().copied().max().unwrap_or(0);
    let shown = rows.len().min(ROWS);
    let (width, height) = (LEFT + columns * CELL + 2, TOP + shown * CELL + 2);
    let mut out = format!(
        "<div class=\"scroll\"><svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"lanes by {column_name}\">"
    );
    grid(columns, shown, &mut out);
    for column in (0..columns).step_by(if is_banks { 4 } else { 8 }) {
        let x = LEFT + column * CELL;
        let text = if is_banks {
            format!("bank {column}")
        } else {
            format!("+{}", column * 4)
        };
        let _ = write!(out, "<text x=\"{x}\" y=\"12\">{text}</text>");
    }
    for (at, (name, cells)) in rows.iter().enumerate().take(shown) {
        let y = TOP + at * CELL;
        let base = y + CELL - 4;
        let _ = write!(out, "<text x=\"0\" y=\"{base}\">{name}</text>");
        for (column, lanes) in cells {
            let is_worst = is_banks && worst > 1 && load.get(*column) == Some(&worst);
            square(*column, y, lanes, is_worst, &mut out);
        }
        if !is_banks {
            // A frame around each sector that is moved.
            for sector in 0..4 {
                let range = sector * 8..sector * 8 + 8;
                if cells.keys().any(|column| range.contains(column)) {
                    let x = LEFT + sector * 8 * CELL;
                    let w = 8 * CELL;
                    let _ = write!(
                        out,
                        "<rect class=sector x={x} y={y} width={w} height={CELL}></rect>"
                    );
                }
            }
        }
    }
    out.push_str("</svg></div>");
    if rows.len() > shown {
        let _ = write!(out, "<p>{} more rows</p>", rows.len() - shown);
    }
    out
}

/// Lines between the cells, as one path.
fn grid(columns: usize, rows: usize, out: &mut String) {
    let (wide, high) = (columns * CELL, rows * CELL);
    out.push_str("<path class=\"grid\" d=\"");
    for column in 0..=columns {
        let _ = write!(out, "M{} {TOP}v{high}", LEFT + column * CELL);
    }
    for row in 0..=rows {
        let _ = write!(out, "M{LEFT} {}h{wide}", TOP + row * CELL);
    }
    out.push_str("\"></path>");
}

/// One cell with the lanes that want it.
fn square(column: usize, y: usize, lanes: &[usize], is_worst: bool, out: &mut String) {
    let (x, side) = (LEFT + column * CELL, CELL - 1);
    let class = if is_worst { "hot" } else { "used" };
    let lanes: Vec<String> = lanes.iter().map(usize::to_string).collect();
    // One lane's number stands in its cell.
    let title = match lanes.as_slice() {
        [_] => String::new(),
        lanes => format!("<title>lanes {}</title>", lanes.join(", ")),
    };
    let _ = write!(out, "<rect class={class} x={x} y={y}>{title}</rect>");
    if let Some(first) = lanes.first() {
        let more = if lanes.len() > 1 { "+" } else { "" };
        let (x, y) = (x + side / 2, y + CELL - 5);
        let _ = write!(out, "<text class=lane x={x} y={y}>{first}{more}</text>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_before_their_array_are_drawn() {
        let mut addresses = [None; 32];
        (addresses[0], addresses[5]) = (Some(u64::MAX - 2), Some(u64::MAX - 63));
        let witness = Witness {
            symbols: Vec::new(),
            addresses,
            cost: 2,
            ideal: 1,
        };
        assert!(sectors(4, &witness).contains("0xffffffffffffff80"));
        assert!(banks(4, Op::Load, &witness, &Arch::DEFAULT).contains("bank 0"));
    }
}
