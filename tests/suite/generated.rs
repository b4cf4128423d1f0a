//! Random kernels: what the simulator counts lies within what the prover says.
//!
//! Index expressions, guards, loops, block shapes and widths are drawn from a fixed seed.
//! `CUDALINT_GENERATED=20000` tries more kernels than the default.

use crate::oracle::problems;
use crate::support::{Mismatches, analysed};
use rayon::prelude::*;
use std::fmt::Write as _;

const DEFAULT_KERNELS: u64 = 2600;
/// Verdicts of single accesses under single launches that the default number of kernels comes to,
/// at least; all requests of each are simulated.
const LEAST_CASES: usize = 20_000;
const KERNELS_PER_FILE: u64 = 20;
/// Elements of every array; indexes are masked to it.
const ELEMENTS: u64 = 1024;

#[test]
fn generated_kernels_keep_to_their_bounds() {
    let asked: Option<u64> = std::env::var("CUDALINT_GENERATED")
        .ok()
        .and_then(|text| text.parse().ok());
    let kernels = asked.unwrap_or(DEFAULT_KERNELS);
    let files: Vec<(String, Vec<String>, usize)> = (0..kernels.div_ceil(KERNELS_PER_FILE))
        .into_par_iter()
        .map(|file| {
            let first = file * KERNELS_PER_FILE;
            judge(first, kernels.min(first + KERNELS_PER_FILE))
        })
        .collect();
    let mut mismatches = Mismatches::default();
    let mut cases = 0;
    for (name, problems, count) in files {
        mismatches.file(&name, &problems);
        cases += count;
    }
    mismatches.finish();
    assert!(
        asked.is_some() || cases >= LEAST_CASES,
        "only {cases} verdicts were tried"
    );
}

/// What is wrong with the kernels from `first` up to `past`, and how many verdicts were tried.
fn judge(first: u64, past: u64) -> (String, Vec<String>, usize) {
    let mut text = String::new();
    for index in first..past {
        Generator::new(index).kernel(index, &mut text);
    }
    let case = analysed(format!("kernels from {first}"), &text);
    let mut found = problems(&case, false);
    if case.analysis.accesses.is_empty() || !case.analysis.not_analysed.is_empty() {
        found.push(format!("not analysed: {:?}", case.analysis.not_analysed));
    }
    if !found.is_empty() {
        found.push(text);
    }
    let known = case.analysis.accesses.iter();
    let cases = known
        .filter(|access| access.verdict.is_known())
        .map(|access| case.launches_of(access).count())
        .sum();
    (case.name, found, cases)
}

/// Draws one kernel.
struct Generator {
    state: u64,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5EED,
        }
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    fn kernel(&mut self, index: u64, text: &mut String) {
        let (element, name) = match self.below(6) {
            0 => ("u8", "unsigned char"),
            1 => ("u16", "unsigned short"),
            2 => ("f64", "double"),
            _ => ("f32", "float"),
        };
        let block = self.pick(&[
            "(32)", "(64)", "(40)", "(8,8)", "(16,4)", "(4,4,4)", "(1,32)", "(33,2)", "(128)",
            "(16,16)", "(7,9)", "(5,3,2)", "(20)",
        ]);
        for n in [1, 1 + self.below(64), 32] {
            let buffer = format!("{element}[{ELEMENTS}]");
            let _ = writeln!(
                text,
                "//@ launch k{index} grid=(2) block={block} args(g={buffer}, h={buffer}, n=?{n})"
            );
        }
        let _ = writeln!(
            text,
            "__global__ void k{index}({name} *g, const {name} *h, int n) {{"
        );
        let _ = writeln!(text, "  __shared__ __align__(16) {name} s[{ELEMENTS}];");
        let _ = writeln!(text, "  if (n < 1 || n > 64)\n    return;");
        let _ = writeln!(text, "  int x = threadIdx.x, y = threadIdx.y;");
        let _ = writeln!(text, "  int i = blockIdx.x * blockDim.x + threadIdx.x;");
        let _ = writeln!(text, "  int k = 0;");
        let _ = writeln!(text, "  {name} v = 1;");
        let guard = match self.below(8) {
            0 => format!("  if (x < {})\n", 1 + self.below(40)),
            1 => format!("  if (x % {} == 0)\n", 1 + self.below(5)),
            2 => "  if (i < n)\n".to_owned(),
            3 => format!("  if (({} & 7) < 4)\n", self.index(1)),
            4 => "  if (x >= n)\n    return;\n".to_owned(),
            _ => String::new(),
        };
        let head = match self.below(7) {
            0 => format!("  for (k = 0; k < {}; ++k) {{\n", 1 + self.below(6)),
            1 => "  for (k = 1; k < 64; k *= 2) {\n".to_owned(),
            2 => "  for (k = x & 7; k < n; k += 8) {\n".to_owned(),
            3 => "  for (k = 32; k > 0; k >>= 1) {\n    if (k == 4)\n      continue;\n".to_owned(),
            4 => "  while (k < n) {\n    k += 3;\n".to_owned(),
            _ => "  {\n".to_owned(),
        };
        let _ = write!(text, "{guard}{head}");
        for turn in 0..1 + self.below(2) {
            let at = self.index(2);
            let mask = ELEMENTS - 1;
            if name == "float" && self.below(3) == 0 {
                let (lanes, values) = if self.below(2) == 0 {
                    (2, "v, v")
                } else {
                    (4, "v, v, v, v")
                };
                let part = ELEMENTS / lanes - 1;
                let vector = format!("float{lanes}");
                let _ = match self.below(2) {
                    0 => writeln!(
                        text,
                        "    {vector} w{turn} = reinterpret_cast<const {vector} *>(h)[({at}) & {part}];\n    v += w{turn}.x;"
                    ),
                    _ => writeln!(
                        text,
                        "    reinterpret_cast<{vector} *>(s)[({at}) & {part}] = make_{vector}({values});"
                    ),
                };
                continue;
            }
            let _ = match self.below(4) {
                0 => writeln!(text, "    s[({at}) & {mask}] = v;"),
                1 => writeln!(text, "    v += h[({at}) & {mask}];"),
                2 => writeln!(text, "    g[({at}) & {mask}] = v;"),
                _ => writeln!(text, "    s[({at}) & {mask}] += 1;"),
            };
        }
        // The lanes that a guard keeps out do something else, in some of the kernels.
        let mut other = Generator::new(!index);
        if guard.starts_with("  if") && !guard.contains("return") && other.below(3) > 0 {
            let (at, mask) = (other.index(1), ELEMENTS - 1);
            let _ = writeln!(text, "  }} else {{\n    s[({at}) & {mask}] = v;");
        }
        let _ = writeln!(text, "  }}\n  g[i & {}] = v;\n}}\n", ELEMENTS - 1);
    }

    /// An index expression that cannot overflow: leaves stay below 2^10, and at most two
    /// products lie on any path.
    fn index(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(7) {
                0 => "y".to_owned(),
                1 => "n".to_owned(),
                2 => "k".to_owned(),
                3 => "i".to_owned(),
                4 => self.below(40).to_string(),
                _ => "x".to_owned(),
            };
        }
        let a = self.index(depth - 1);
        let constant = self.pick(&["1", "2", "3", "4", "5", "8", "16", "31", "32", "33"]);
        match self.below(18) {
            0 | 1 => format!("({a} + {})", self.index(depth - 1)),
            2 | 3 => format!("{a} * {constant}"),
            4 => format!("({a} ^ {})", self.index(depth - 1)),
            5 => format!("({a} & {constant})"),
            6 => format!("({a} | {constant})"),
            7 => format!("({a} - {})", self.index(depth - 1)),
            8 => format!("{a} / {constant}"),
            9 => format!("{a} % {constant}"),
            10 => format!("x * n + ({a} & 31)"),
            11 => format!("max({a}, {constant})"),
            12 => format!("(({a}) >> {})", self.below(5)),
            13 => format!("(int)((unsigned)({a}) % {constant}u)"),
            14 => format!("({a}) / n"),
            15 => format!("({a}) % n"),
            16 => format!("((k & 1) * 256 + {a})"),
            _ => format!("({a} < {constant} ? {a} : {})", self.index(depth - 1)),
        }
    }
}
