//! One HTML page for a whole run: overview, findings, and each kernel's source with every access
//! in the colour of its cost.
//!
//! Self-contained: style and script stand in the page, and nothing is fetched. Findings and sources read
//! without its script, which shows an access's card where its mark is pointed at: thousands of cards at once would
//! make the page heavy.

mod card;
mod maps;
mod measured;
mod source;

use super::not_followed::gaps;
use super::xml::escape;
use super::{Report, count, severity, visible};
use crate::finding::{Finding, Safety};
use crate::fix::apply;
use crate::prove::verdict::{Access, Status, Verdict};
use crate::source::Span;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");
/// Kernels listed in the overview.
const LISTED: usize = 50;

/// How an access is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Ideal,
    Unknown,
    /// Known bounds above the ideal that no request was found for.
    Open,
    /// Up to twice the ideal.
    Mild,
    Bad,
}

impl Class {
    const ALL: [(Class, &'static str, &'static str); 5] = [
        (Class::Ideal, "ideal", "proved ideal"),
        (Class::Mild, "mild", "up to twice the ideal"),
        (Class::Bad, "bad", "more than twice the ideal"),
        (Class::Open, "open", "not ideal for some inputs"),
        (Class::Unknown, "unknown", "data-dependent or unknown"),
    ];

    fn of(verdict: &Verdict) -> Self {
        match verdict.status {
            Status::DataDependent | Status::Unknown => Self::Unknown,
            _ if verdict.is_ideal() => Self::Ideal,
            _ if !verdict.is_bad() => Self::Open,
            _ if verdict.max <= 2 * verdict.ideal => Self::Mild,
            _ => Self::Bad,
        }
    }

    fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(class, ..)| *class == self);
        found.map_or("", |(_, name, _)| name)
    }
}

/// The accesses of one kernel, in all instances and under all launches.
struct Kernel<'a> {
    name: &'a str,
    span: Span,
    /// With their numbers in the report.
    accesses: Vec<(usize, &'a Access)>,
}

impl Kernel<'_> {
    /// The worst ratio of cost to ideal, in thousandths, and what is wasted per request in all.
    fn badness(&self) -> (u64, u64) {
        let bad = self
            .accesses
            .iter()
            .map(|(_, access)| &access.verdict)
            .filter(|verdict| verdict.is_bad());
        bad.fold((0, 0), |(ratio, wasted), verdict| {
            let own = u64::from(verdict.max) * 1000 / u64::from(verdict.ideal.max(1));
            (
                ratio.max(own),
                wasted + u64::from(verdict.max - verdict.ideal),
            )
        })
    }
}

#[must_use]
pub fn render(report: &Report) -> String {
    let kernels = kernels(report);
    let mut body = String::new();
    header(report, &mut body);
    overview(report, &kernels, &mut body);
    if let Some(measured) = report.measured {
        measured::render(measured, &mut body);
    }
    findings(report, &mut body);
    for (at, kernel) in kernels.iter().enumerate() {
        section(report, at, kernel, &mut body);
    }
    let mut parts = card::Parts::default();
    let accesses = report.accesses.iter();
    let cards: Vec<String> = accesses
        .map(|access| card::render(report, access, &mut parts))
        .collect();
    not_analysed(report, &mut body);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>cudalint report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\
         <aside id=\"peek\" hidden></aside>\n<script type=\"text/plain\" id=\"parts\">{}</script>\n\
         <script type=\"text/plain\" id=\"cards\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        parts.text(),
        cards.join("\n"),
    )
}

/// Worst first; of equals by place.
fn kernels<'a>(report: &'a Report) -> Vec<Kernel<'a>> {
    let mut all: BTreeMap<(String, u32, &str), Kernel> = BTreeMap::new();
    for (number, access) in report.accesses.iter().enumerate() {
        let span = access.kernel_span;
        let key = (report.place(span).file(), span.start, &*access.kernel);
        let kernel = all.entry(key).or_insert_with(|| Kernel {
            name: &access.kernel,
            span,
            accesses: Vec::new(),
        });
        kernel.accesses.push((number, access));
    }
    let mut kernels: Vec<Kernel> = all.into_values().collect();
    kernels.sort_by_key(|kernel| Reverse(kernel.badness()));
    kernels
}

fn header(report: &Report, out: &mut String) {
    let _ = writeln!(
        out,
        "<header>\n<h1>cudalint</h1>\n<p>{} in {}, for {}. Version {}.</p>\n</header>",
        count(report.accesses.len(), "memory access", "memory accesses"),
        count(report.files, "file", "files"),
        report.arch,
        env!("CARGO_PKG_VERSION"),
    );
}

fn overview(report: &Report, kernels: &[Kernel], out: &mut String) {
    let mut classes: BTreeMap<Class, usize> = BTreeMap::new();
    for access in report.accesses {
        *classes.entry(Class::of(&access.verdict)).or_default() += 1;
    }
    let counts = report.counts;
    out.push_str("<main>\n<section id=\"overview\">\n<h2>Overview</h2>\n<ul class=\"tiles\">\n");
    for (n, what) in [
        (report.findings.len(), "findings"),
        (report.suppressed.len(), "accepted"),
        (counts.ideal, "proved ideal"),
        (counts.bad, "bad"),
        (counts.undecided, "not ideal for some inputs"),
        (counts.data_dependent, "data-dependent"),
        (counts.unknown, "unknown"),
    ] {
        let _ = writeln!(out, "<li><b>{n}</b> {what}</li>");
    }
    out.push_str("</ul>\n<div class=\"bar\" role=\"img\" aria-label=\"accesses by cost\">");
    for (class, name, words) in Class::ALL {
        let n = classes.get(&class).copied().unwrap_or(0);
        if n > 0 {
            let _ = write!(
                out,
                "<span class=\"{name}\" style=\"flex:{n}\" title=\"{n} {words}\"></span>"
            );
        }
    }
    out.push_str("</div>\n<p class=\"key\">");
    for (_, name, words) in Class::ALL {
        let _ = write!(out, "<span class=\"{name}\">{words}</span> ");
    }
    out.push_str("</p>\n");
    if kernels.is_empty() {
        out.push_str("<p>No kernel accesses memory here.</p>\n</section>\n");
        return;
    }
    out.push_str(
        "<h3>Kernels, worst first</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th>kernel</th><th>place</th>\
         <th>accesses</th><th>bad</th><th title=\"cost over ideal of the worst access\">worst</th>\
         <th title=\"wavefronts and sectors per request above the ideal, summed over accesses\">excessive</th></tr></thead>\n<tbody>\n",
    );
    for (at, kernel) in kernels.iter().enumerate().take(LISTED) {
        let place = report.place(kernel.span);
        let bad = kernel.accesses.iter();
        let bad = bad.filter(|(_, access)| access.is_bad()).count();
        let (ratio, wasted) = kernel.badness();
        let worst = if ratio > 0 {
            format!("{:.1}×", ratio as f64 / 1000.0)
        } else {
            "–".to_owned()
        };
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#k{at}\"><code>{}</code></a></td><td>{}:{}</td><td>{}</td><td>{bad}</td><td>{worst}</td><td>{wasted}</td></tr>",
            escape(kernel.name),
            escape(&place.file()),
            place.start.line,
            kernel.accesses.len(),
        );
    }
    out.push_str("</tbody></table></div>\n");
    if kernels.len() > LISTED {
        let _ = writeln!(out, "<p>{} more stand below.</p>", kernels.len() - LISTED);
    }
    out.push_str("</section>\n");
}

fn findings(report: &Report, out: &mut String) {
    if report.findings.is_empty() {
        return;
    }
    out.push_str(
        "<section id=\"findings\">\n<h2>Findings</h2>\n\
         <p class=\"tools\" hidden><label>show <input type=\"search\" id=\"filter\" placeholder=\"file, kernel, rule, level\"></label> \
         <label>sort by <select id=\"order\"><option value=\"rank\">level and waste</option>\
         <option value=\"code\">rule</option><option value=\"place\">place</option></select></label> \
         <output id=\"shown\"></output></p>\n<ol class=\"findings\">\n",
    );
    let mut all: Vec<&Finding> = report.findings.iter().collect();
    all.sort_by_key(|finding| (Reverse(finding.level), Reverse(finding.weight)));
    for finding in all {
        let span = finding.primary.span;
        let place = report.place(span);
        let access = report
            .accesses
            .iter()
            .position(|access| access.site.span == span && access.is_bad());
        let at = format!("{}:{}", place.file(), place.start.line);
        let at = match access {
            Some(number) => format!("<a href=\"#a{number}\">{}</a>", escape(&at)),
            None => escape(&at),
        };
        let level = severity(finding.level);
        let _ = write!(
            out,
            "<li data-code=\"{0}\" data-place=\"{1}:{2:09}\"><p><span class=\"level {level}\">{level}</span> <b>{0}</b> {3} <small>{at}</small></p><ul>",
            finding.code,
            escape(&place.file()),
            place.start.line,
            prose(&finding.message),
        );
        for line in report.details(finding) {
            let _ = write!(out, "<li>{}</li>", prose(&line));
        }
        out.push_str("</ul>");
        edits(report, finding, out);
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</section>\n");
}

/// What the first fix changes, as a patch.
fn edits(report: &Report, finding: &Finding, out: &mut String) {
    let mut proved = finding.fixes.iter();
    let Some(fix) = proved.find(|fix| fix.safety != Safety::Advice) else {
        return;
    };
    let (changes, _) = apply::plan(std::iter::once(fix));
    let patch: String = changes
        .iter()
        .map(|change| change.diff(report.sources))
        .collect();
    let _ = write!(
        out,
        "<details><summary>{}</summary><pre class=\"patch\">",
        prose(&fix.title)
    );
    for line in visible::text(&patch).split_inclusive('\n') {
        let class = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") => "file",
            Some(b'+') => "new",
            Some(b'-') => "old",
            _ => "",
        };
        let line = escape(line);
        if class.is_empty() {
            out.push_str(&line);
        } else {
            let _ = write!(out, "<span class=\"{class}\">{line}</span>");
        }
    }
    out.push_str("</pre></details>");
}

fn section(report: &Report, at: usize, kernel: &Kernel, out: &mut String) {
    let _ = writeln!(
        out,
        "<section class=\"kernel\" id=\"k{at}\">\n<h2><code>{}</code></h2>",
        escape(kernel.name)
    );
    source::render(report, kernel, out);
    let numbers = kernel.accesses.iter().map(|(number, _)| number.to_string());
    let numbers: Vec<String> = numbers.collect();
    let _ = writeln!(
        out,
        "<details data-cards=\"{}\"><summary>{} of this kernel</summary></details>\n</section>",
        numbers.join(" "),
        count(kernel.accesses.len(), "access", "accesses")
    );
}

/// Text with what stands in backquotes set as code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            out.push_str(if at % 2 == 1 { "<code>" } else { "</code>" });
        }
        out.push_str(&escape(part));
    }
    if text.matches('`').count() % 2 == 1 {
        out.push_str("</code>");
    }
    out
}

fn not_analysed(report: &Report, out: &mut String) {
    if !report.not_analysed.is_empty() {
        out.push_str("<section>\n<h2>Not analysed</h2>\n<ul>\n");
        for one in report.not_analysed {
            let place = report.place(one.span);
            let _ = writeln!(
                out,
                "<li><code>{}</code> {}:{}: {}</li>",
                escape(&one.function),
                escape(&place.file()),
                place.start.line,
                prose(&one.reason)
            );
        }
        out.push_str("</ul>\n</section>\n");
    }
    if !report.not_followed.is_empty() {
        out.push_str("<section>\n<h2>Not followed</h2>\n<ul>\n");
        let kernels = report.not_followed.iter();
        let kernels = kernels.map(|one| (one.span, one.message()));
        let gaps = gaps(report.not_followed, report.sources).into_iter();
        let gaps = gaps.map(|one| (one.gap.span, one.message()));
        for (span, message) in kernels.chain(gaps) {
            let place = report.place(span);
            let _ = writeln!(
                out,
                "<li>{}:{}: {}</li>",
                escape(&place.file()),
                place.start.line,
                prose(&message)
            );
        }
        out.push_str("</ul>\n</section>\n");
    }
    out.push_str("</main>\n");
}
