//! Programs whose host code decides how kernels are launched.

mod arguments;
mod changing;
mod code;
mod data;
mod dispatch;
mod flow;
mod hidden;
mod lambda_arguments;
mod projects;
mod snippets;
mod unwalked;
mod written;

use super::super::case::{Case, Launch, Run};
use super::super::driver::Options;
use super::super::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Numbers that a program keeps and launches with.
const NUMBERS: [&str; 4] = ["n", "m", "b", "g"];

struct Program {
    random: Random,
    number: usize,
    head: String,
    body: String,
    depth: usize,
    names: usize,
    constructs: Vec<&'static str>,
}

type Step = fn(&mut Program);

const STEPS: &[(&str, Step)] = &[
    ("host assignments", flow::assignments),
    ("host branches", flow::branches),
    ("host side effects in conditions", flow::conditional_effects),
    ("host loops", flow::loops),
    ("host pointers", data::pointers),
    ("host references", data::references),
    ("host functions", code::functions),
    ("host arrays", data::arrays),
    ("host containers", data::containers),
    ("host tuples and swaps", data::tuples),
    ("host structs", data::structs),
    ("host lambdas", code::lambdas),
    ("host goto and switch", flow::jumps),
    ("host globals", data::globals),
    ("host templates", code::templates),
    ("host dim3", arguments::shapes),
    ("host pointer arguments", arguments::pointer_arguments),
    (
        "host parameters of other types",
        arguments::parameters_of_other_types,
    ),
    ("host wrappers", code::wrappers),
    ("host launches in loops", flow::launches_in_loops),
    ("host macros", code::macros),
    ("host control flow", snippets::control_flow),
    ("host pointers", snippets::pointers),
    ("host references", snippets::references),
    ("host functions", snippets::functions),
    ("host lambdas", snippets::lambdas),
    ("host dim3", snippets::shapes),
    ("host pointer arguments", snippets::pointer_arguments),
    ("host wrappers", snippets::wrappers),
    ("host packs", snippets::packs),
    ("host of projects", snippets::projects),
    ("host of projects", snippets::projects),
    ("host of projects", snippets::projects),
    ("host dispatch", snippets::dispatch),
    ("host dispatch", snippets::dispatch),
    ("host operators", snippets::operators),
    ("host pickers", snippets::pickers),
    ("host lambdas handed to kernels", snippets::handed),
    ("host bodies that try", snippets::handlers),
    ("host mutable members", snippets::mutable),
    ("host hidden writes", snippets::hidden),
    ("host kernels of macros", snippets::kernels_of_macros),
];

pub fn case(random: &mut Random, number: usize, options: &Options) -> Case {
    let mut program = Program {
        random: Random::new(random.next()),
        number,
        head: String::new(),
        body: String::new(),
        depth: 1,
        names: 0,
        constructs: Vec::new(),
    };
    let list = super::chosen(STEPS, options);
    let count = 1 + program.random.below(4);
    for _ in 0..count {
        let (name, step) = list[program.random.below(list.len())];
        program.constructs.push(name);
        step(&mut program);
        if program.random.one_in(4) {
            program.launch("p");
        }
    }
    program.launch("p");
    program.finish()
}

/// The constructs of host code that are drawn from.
pub fn constructs(options: &Options) -> Vec<&'static str> {
    let list = super::chosen(STEPS, options).into_iter();
    let mut names: Vec<&'static str> = list.map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs of a program from its `main`.
pub fn runs_of_main(random: &mut Random) -> Vec<Run> {
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        template: String::new(),
        known: BTreeMap::new(),
        hinted: BTreeMap::new(),
        is_possible: true,
    };
    (0..6)
        .map(|turn| Run {
            kernel: 0,
            entry: usize::MAX,
            launch: launch.clone(),
            values: (0..turn.min(4)).map(|_| random.below(40) as i64).collect(),
            data_mode: turn,
            seed: random.next() >> 2,
        })
        .collect()
}

impl Program {
    fn finish(self) -> Case {
        let number = self.number;
        let mut text = String::from(
            "#include <cuda_runtime.h>\n#include <algorithm>\n#include <array>\n#include <bit>\n#include <bitset>\n#include <cmath>\n#include <climits>\n#include <compare>\n#include <cstdarg>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <deque>\n#include <functional>\n#include <limits>\n#include <list>\n#include <map>\n#include <memory>\n#include <new>\n#include <numeric>\n#include <optional>\n#include <queue>\n#include <set>\n#include <span>\n#include <sstream>\n#include <stack>\n#include <string>\n#include <string_view>\n#include <tuple>\n#include <type_traits>\n#include <unordered_map>\n#include <utility>\n#include <variant>\n#include <vector>\n",
        );
        let _ = writeln!(
            text,
            "__global__ void k{number}(float *a, int n, int m) {{\n  extern __shared__ float s[];\n  int t = threadIdx.x + blockDim.x * threadIdx.y;\n  a[t * n] = 1;\n  s[(t * m) & 31] = 2;\n  a[t + m] = n;\n  if (t < n)\n    a[blockIdx.x * blockDim.x + t] = 3;\n}}"
        );
        text += &self.head;
        let _ = writeln!(
            text,
            "int main(int argc, char **argv) {{\n  float *p;\n  cudaMalloc(&p, 1 << 20);\n  int n = 3, m = 2, b = 32, g = 2;\n  size_t bytes = 256;\n{}  cudaFree(p);\n  return 0;\n}}",
            self.body
        );
        let mut case = Case::new(&format!("host {number}"), &text);
        case.constructs = self.constructs;
        case
    }

    fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.body, "{indent}{text}");
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn global(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}_{}", self.number, self.names)
    }

    /// One of the program's numbers.
    fn target(&mut self) -> &'static str {
        NUMBERS[self.random.below(3)]
    }

    fn value_of(&mut self, target: &str) -> i64 {
        match target {
            "b" => self.random.number(&[16, 32, 48, 64, 96, 128]),
            "g" => self.random.number(&[1, 2, 3, 5]),
            _ => self.random.number(&[0, 1, 2, 3, 4, 5, 7, 8, 16, 33]),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => "argc > 1".to_owned(),
            1 => "argc > 2".to_owned(),
            2 => "argc & 1".to_owned(),
            3 => "argc > 1 && atoi(argv[1]) > 10".to_owned(),
            4 => format!("n > {}", self.random.below(8)),
            _ => format!("m < {}", self.random.below(5)),
        }
    }

    fn launch(&mut self, pointer: &str) {
        let number = self.number;
        let shape = match self.random.below(7) {
            0 => "g, b".to_owned(),
            1 => "dim3(g, 2), dim3(b, 2), 128".to_owned(),
            2 => "2, b, bytes".to_owned(),
            3 => "(n + 31) / 32, 32, 128".to_owned(),
            4 => "dim3(2), dim3(12, m + 1), 128".to_owned(),
            5 => "g, b, b * sizeof(float) + 128".to_owned(),
            _ => "g, b, 256".to_owned(),
        };
        let arguments = match self.random.below(5) {
            0 => "n, m".to_owned(),
            1 => "n * 2, 1".to_owned(),
            2 => "4, m + n".to_owned(),
            3 => "n, b / 8".to_owned(),
            _ => "n, m".to_owned(),
        };
        self.line(&format!("k{number}<<<{shape}>>>({pointer}, {arguments});"));
    }
}
