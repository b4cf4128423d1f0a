//! The table of what a profiler counted, and the gutter of a listing with the counts of its lines.

use crate::report::Report;
use crate::report::measured::{Agreement, Measured, Row, number, requests};
use crate::report::xml::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What disagrees first; those that agree stand folded.
pub(super) fn render(measured: &Measured, out: &mut String) {
    let _ = writeln!(
        out,
        "<section id=\"measured\">\n<h2>Predicted and measured</h2>\n<p>{}.</p>",
        measured.sentence()
    );
    let (agree, others): (Vec<&Row>, Vec<&Row>) = measured
        .rows
        .iter()
        .partition(|row| row.outcome == Agreement::Agrees);
    if !others.is_empty() {
        table(&others, out);
    }
    if !agree.is_empty() {
        let _ = writeln!(
            out,
            "<details><summary>{} that agree</summary>",
            agree.len()
        );
        table(&agree, out);
        out.push_str("</details>\n");
    }
    if !measured.notes.is_empty() {
        out.push_str("<ul>\n");
        for note in &measured.notes {
            let _ = writeln!(out, "<li>{}</li>", escape(note));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

fn table(rows: &[&Row], out: &mut String) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"counts\">\n<thead><tr><th>access</th><th>place</th><th>predicted</th>\
         <th title=\"cost of an average request, and its ideal\">measured</th><th>requests</th><th>excessive</th></tr></thead>\n<tbody>\n",
    );
    for row in rows {
        let measured = row.per_request().map_or("–".to_owned(), |(cost, ideal)| {
            format!("{}/{}", number(cost), number(ideal))
        });
        let class = if row.outcome == Agreement::Disagrees {
            " class=\"bad\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<tr{class}><td>{} {} in <code>{}</code></td><td>{}:{}</td><td>{}</td><td>{measured}</td><td>{}</td><td>{}</td></tr>",
            row.space.name(),
            row.op.name(),
            escape(&row.kernel),
            escape(&row.file),
            row.line,
            escape(&row.predicted),
            requests(row),
            row.excessive(),
        );
        if !row.outcome.reason().is_empty() {
            let _ = writeln!(
                out,
                "<tr class=\"why\"><td colspan=\"6\">{}</td></tr>",
                escape(row.outcome.reason())
            );
        }
    }
    out.push_str("</tbody></table></div>\n");
}

/// What was counted on the lines of a file, for the gutter of its listing: `32/1` for each access.
pub(super) fn gutter(report: &Report, file: &str) -> BTreeMap<u32, String> {
    let mut lines: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let rows = report.measured.iter().flat_map(|measured| &measured.rows);
    for row in rows.filter(|row| row.file == file) {
        if let Some((cost, ideal)) = row.per_request() {
            let cell = format!("{}/{}", number(cost), number(ideal));
            let cells = lines.entry(row.line).or_default();
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    lines
        .into_iter()
        .map(|(line, cells)| (line, cells.join(" ")))
        .collect()
}
