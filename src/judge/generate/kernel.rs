//! A kernel in the making: its text so far, and what its expressions may name.

use super::super::case::Case;
use super::super::random::Random;
use super::Fragment;
use std::fmt::Write as _;

pub struct Kernel {
    pub random: Random,
    pub number: usize,
    /// What stands before the kernel.
    pub head: String,
    pub body: String,
    pub depth: usize,
    /// Integers of type `int` that expressions may use.
    pub variables: Vec<String>,
    pub constructs: Vec<&'static str>,
    next_name: usize,
    element: &'static str,
    block: &'static str,
    /// Further parameters.
    pub parameters: String,
    pub arguments: String,
}

const BLOCKS: [&str; 16] = [
    "(32)", "(64)", "(40)", "(8,8)", "(16,4)", "(4,4,4)", "(1,32)", "(33,2)", "(128)", "(16,16)",
    "(7,9)", "(5,3,2)", "(20)", "(96)", "(32,4)", "(64,2)",
];

impl Kernel {
    pub fn new(seed: u64, number: usize) -> Self {
        let mut random = Random::new(seed);
        let element = random.pick(&[
            "float",
            "float",
            "float",
            "int",
            "double",
            "short",
            "unsigned char",
        ]);
        let element = ["float", "int", "double", "short", "unsigned char"]
            .into_iter()
            .find(|name| *name == element)
            .unwrap_or("float");
        let block = BLOCKS[random.below(BLOCKS.len())];
        let mut kernel = Self {
            random,
            number,
            head: String::new(),
            body: String::new(),
            depth: 1,
            variables: ["t", "n", "m"].map(str::to_owned).to_vec(),
            constructs: Vec::new(),
            next_name: 0,
            element,
            block,
            parameters: String::new(),
            arguments: String::new(),
        };
        kernel.start();
        kernel
    }

    fn start(&mut self) {
        let element = self.element;
        self.line(&format!("__shared__ {element} s[2048];"));
        let index = match self.random.below(5) {
            0 => "threadIdx.x",
            1 => "threadIdx.x + blockDim.x * threadIdx.y",
            2 => "blockIdx.x * blockDim.x + threadIdx.x",
            3 => "threadIdx.y * blockDim.x + threadIdx.x",
            _ => "threadIdx.x",
        };
        self.line(&format!("int t = {index};"));
        if self.random.one_in(3) {
            self.line("int x = threadIdx.x, y = threadIdx.y;");
            self.variables.push("x".to_owned());
            self.variables.push("y".to_owned());
        }
        if self.random.one_in(3) {
            self.line("const int lane = threadIdx.x & 31;");
            self.variables.push("lane".to_owned());
        }
        self.line(&format!("{element} v = 1;"));
    }

    pub fn finish(mut self) -> Case {
        self.line("a[t] = v;");
        let number = self.number;
        let grid = ["(2)", "(3)", "(1)", "(2,2)", "(5)"][self.random.below(5)];
        let with_launch = !self.random.one_in(5);
        let mut text = String::new();
        let buffer = match self.element {
            "float" => "f32",
            "int" => "i32",
            "double" => "f64",
            "short" => "i16",
            _ => "u8",
        };
        if with_launch {
            let first = [5, 7, 16, 33, 100][self.random.below(5)];
            let _ = writeln!(
                text,
                "//@ launch k{number} grid={grid} block={} args(a={buffer}[65536], b={buffer}[65536], d=i32[65536], n=?{first}, m=?3{})",
                self.block, self.arguments
            );
        }
        let element = self.element;
        let integer = ["int", "int", "int", "const int"][self.random.below(4)];
        text += &self.head;
        let _ = writeln!(
            text,
            "__global__ void k{number}({element} *a, const {element} *b, const int *d, {integer} n, int m{}) {{\n{}}}",
            self.parameters, self.body
        );
        let mut case = Case::new(&format!("k{number}"), &text);
        case.constructs = self.constructs;
        case
    }

    pub fn element(&self) -> &'static str {
        self.element
    }

    pub fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.body, "{indent}{text}");
    }

    pub fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.depth += 1;
    }

    pub fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    pub fn name(&mut self, stem: &str) -> String {
        self.next_name += 1;
        format!("{stem}{}", self.next_name)
    }

    /// A name at file scope, which no other file has.
    pub fn global_name(&mut self, stem: &str) -> String {
        self.next_name += 1;
        format!("{stem}{}_{}", self.number, self.next_name)
    }

    pub fn constant(&mut self) -> i64 {
        self.random
            .number(&[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 64])
    }

    pub fn small(&mut self) -> i64 {
        self.random.number(&[1, 2, 3, 4, 5, 6, 7, 8])
    }

    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        self.random.pick(list)
    }

    pub fn pick_pair<'a>(&mut self, list: &[(&'a str, &'a str)]) -> (&'a str, &'a str) {
        list[self.random.below(list.len())]
    }

    pub fn variable(&mut self) -> String {
        // Lanes matter most.
        if self.random.one_in(2) {
            return "t".to_owned();
        }
        let at = self.random.below(self.variables.len());
        self.variables[at].clone()
    }

    /// A value that all lanes share.
    pub fn shared(&mut self) -> String {
        match self.random.below(6) {
            0 => "n".to_owned(),
            1 => "m".to_owned(),
            2 => "(int)blockIdx.x".to_owned(),
            3 => format!("(n & {})", [1, 3, 7, 15][self.random.below(4)]),
            4 => format!("n % {}", self.random.number(&[2, 3, 4, 5, 8])),
            _ => self.small().to_string(),
        }
    }

    /// An expression of type `int`, of moderate size.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(5) {
                0 => self.constant().to_string(),
                _ => self.variable(),
            };
        }
        let a = self.expression(depth - 1);
        match self.random.below(16) {
            0 | 1 => format!("{a} * {}", self.constant()),
            2 | 3 => format!("({a} + {})", self.expression(depth - 1)),
            4 => format!("({a} - {})", self.expression(depth - 1)),
            5 => format!("({a} & {})", self.random.number(&[1, 3, 7, 15, 31, 6, 24])),
            6 => format!("({a}) / {}", self.constant()),
            7 => format!("({a}) % {}", self.constant()),
            8 => format!("(({a}) >> {})", self.random.below(4)),
            9 => format!("({a} ^ {})", self.random.number(&[1, 2, 3, 5, 8, 16, 31])),
            10 => format!("min({a}, {})", self.constant()),
            11 => format!("max({a}, {})", self.constant()),
            12 => format!(
                "({a} < {} ? {a} : {})",
                self.constant(),
                self.expression(depth - 1)
            ),
            13 => format!("t * {} + {a}", self.shared()),
            14 => format!("({a} | {})", self.random.number(&[1, 2, 4, 8])),
            _ => format!("t * {} + ({a} & 7)", self.constant()),
        }
    }

    /// A condition: of lanes, of parameters, of data, or of several.
    pub fn condition(&mut self) -> String {
        match self.random.below(11) {
            0 => format!("t < {}", self.random.number(&[5, 8, 12, 16, 20, 31])),
            1 => format!(
                "t % {} == {}",
                self.random.number(&[2, 3, 4, 5]),
                self.random.below(2)
            ),
            2 => format!("n > {}", self.random.number(&[0, 1, 4, 8])),
            3 => "t < n".to_owned(),
            4 => format!("d[t] > {}", self.random.number(&[0, 3, 10])),
            5 => format!("(t & {}) == 0", self.random.number(&[1, 2, 3, 4, 8])),
            6 => "(n & 1)".to_owned(),
            7 => format!("t >= m && t < {}", self.random.number(&[16, 24, 32])),
            8 => format!("n > 2 || t == {}", self.random.below(32)),
            9 => {
                let bound = self.pick(&["t < n &&", "t >= n ||"]);
                format!("{bound} d[t] > {}", self.random.number(&[0, 3, 10]))
            }
            _ => format!("{} < {}", self.expression(1), self.constant()),
        }
    }

    /// An access whose place is `index`, which may be anything.
    pub fn touch(&mut self, index: &str) {
        match self.random.below(10) {
            0..=2 => self.line(&format!("a[{index}] = v;")),
            3 | 4 => self.line(&format!("v += b[{index}];")),
            5 | 6 => self.line(&format!("s[({index}) & 2047] = v;")),
            7 => self.line(&format!("a[{index}] += 1;")),
            8 => self.line(&format!("*(a + ({index})) = v;")),
            _ => self.line(&format!("v += s[({index}) & 1023];")),
        }
    }

    /// Some of these indices, `least` of them and fewer than `more` others, one as often as another.
    pub fn touch_some(&mut self, least: usize, more: usize, indices: &[String]) {
        for _ in 0..least + self.random.below(more) {
            let index = self.random.below(indices.len());
            self.touch(&indices[index]);
        }
    }

    /// An access by `factor` per lane, with something added.
    pub fn touch_by(&mut self, factor: &str) {
        let index = match self.random.below(6) {
            0 => format!("t * ({factor})"),
            1 => format!("t * ({factor}) + 3"),
            2 => format!("({factor}) * t + n"),
            3 => format!("({factor}) + t * {}", self.small()),
            4 => format!("({factor}) * (t & 15)"),
            _ => format!("t * {factor}"),
        };
        let index = if factor.contains(' ') && index == format!("t * {factor}") {
            format!("t * ({factor})")
        } else {
            index
        };
        self.touch(&index);
    }

    /// A fragment in surroundings: by itself, under a condition or in a loop.
    pub fn inside(&mut self, fragment: Fragment) {
        let known = self.variables.len();
        match self.random.below(9) {
            0 => {
                let condition = self.condition();
                self.open(&format!("if ({condition})"));
                fragment(self);
                self.close();
            }
            1 => {
                let k = self.name("k");
                let end = self.shared();
                self.open(&format!("for (int {k} = 0; {k} < {end}; ++{k})"));
                self.variables.push(k);
                fragment(self);
                self.close();
            }
            2 => {
                self.open("");
                fragment(self);
                self.close();
            }
            _ => {
                fragment(self);
                return;
            }
        }
        self.variables.truncate(known);
    }

    /// Words of an element's type, for casts.
    pub fn integer_type(&mut self) -> &'static str {
        const TYPES: [&str; 22] = [
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "unsigned int",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "int8_t",
            "uint8_t",
            "int16_t",
            "uint16_t",
            "int32_t",
            "uint32_t",
            "int64_t",
            "uint64_t",
            "size_t",
            "bool",
        ];
        TYPES[self.random.below(TYPES.len())]
    }
}
