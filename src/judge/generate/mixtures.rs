//! Statements of every sort in each other, over a few integers: what each fragment by itself never meets.

use super::kernel::Kernel;

/// Statements that one mixture has at most.
const MOST: usize = 14;
/// How deep they stand in each other.
const DEEPEST: usize = 3;

struct Mixture {
    numbers: Vec<String>,
    array: String,
    object: String,
    left: usize,
    /// Loops around, which `break` and `continue` leave.
    loops: usize,
}

pub fn statements(k: &mut Kernel) {
    let numbers: Vec<String> = (0..3).map(|_| k.name("x")).collect();
    let (array, object, class) = (k.name("arr"), k.name("o"), k.global_name("Pair"));
    k.head += &format!("struct {class} {{\n  int p, q;\n}};\n");
    for number in &numbers {
        let first = first_value(k);
        k.line(&format!("int {number} = {first};"));
    }
    let list: Vec<String> = (0..4).map(|_| first_value(k)).collect();
    k.line(&format!("int {array}[4] = {{{}}};", list.join(", ")));
    let (p, q) = (first_value(k), k.small());
    k.line(&format!("{class} {object} = {{{p}, {q}}};"));
    let mut mixture = Mixture {
        numbers,
        array,
        object,
        left: MOST,
        loops: 0,
    };
    let count = 3 + k.random.below(3);
    for _ in 0..count {
        mixture.statement(k, 0);
    }
    mixture.show(k);
    mixture.show(k);
}

fn first_value(k: &mut Kernel) -> String {
    match k.random.below(5) {
        0 => "t".to_owned(),
        1 => format!("t & {}", k.random.number(&[1, 3, 7, 15])),
        2 => format!("t / {}", k.constant()),
        3 => k.small().to_string(),
        _ => "n & 7".to_owned(),
    }
}

impl Mixture {
    fn place(&self, k: &mut Kernel) -> String {
        match k.random.below(8) {
            0 => format!("{}[{}]", self.array, k.random.below(4)),
            1 => format!("{}[{} & 3]", self.array, self.numbers[0]),
            2 => format!("{}.p", self.object),
            3 => format!("{}.q", self.object),
            _ => k.random.pick(&self.names()).to_owned(),
        }
    }

    fn names(&self) -> Vec<&str> {
        self.numbers.iter().map(String::as_str).collect()
    }

    /// A number that stays small.
    fn value(&self, k: &mut Kernel) -> String {
        let a = self.place(k);
        match k.random.below(13) {
            0 => format!("{a} + {}", k.small()),
            1 => format!("({a} * {}) & 255", k.random.number(&[2, 3, 5, 8, 9])),
            2 => format!("({a} + {}) & 63", self.place(k)),
            3 => format!("({a} ^ {}) & 63", self.place(k)),
            4 => format!("({a} & 127) - {}", k.small()),
            5 => format!("({a} & 255) >> {}", k.random.below(4)),
            6 => format!("{a} < {} ? {} : {a}", k.constant(), self.place(k)),
            7 => format!("{a} % {}", k.random.number(&[3, 4, 7, 8])),
            8 => format!("min({a}, {})", k.constant()),
            9 => format!("(t + {a}) & {}", k.random.number(&[7, 31, 63])),
            10 => k.small().to_string(),
            11 => format!("(unsigned char)({a} * {})", k.small()),
            _ => format!("(int)((unsigned){a} % {}u)", k.random.number(&[5, 8, 16])),
        }
    }

    fn condition(&self, k: &mut Kernel) -> String {
        let a = self.place(k);
        match k.random.below(9) {
            0 => format!("{a} > {}", k.small()),
            1 => format!("{a} & {}", k.random.number(&[1, 2, 4])),
            2 => format!("{a} == {}", k.random.below(8)),
            3 => format!("{a} < {}", self.place(k)),
            4 => format!("{a} > 2 && {} < 9", self.place(k)),
            5 => format!("{a} == 1 || {}++ > 3", self.place(k)),
            6 => "n > 4".to_owned(),
            7 => format!("!({a} % 3)"),
            _ => k.condition(),
        }
    }

    fn show(&self, k: &mut Kernel) {
        let a = self.place(k);
        match k.random.below(4) {
            0 => k.touch(&format!("t * ({a} & 15)")),
            1 => {
                let c = k.random.number(&[1, 2, 3, 8]);
                k.touch(&format!("({a} & 255) * {c}"));
            }
            2 => k.touch(&format!("({a} & 31) + t")),
            _ => k.touch(&format!("{a} & 1023")),
        }
    }

    fn block(&mut self, k: &mut Kernel, depth: usize) {
        let count = 1 + k.random.below(3);
        for _ in 0..count {
            self.statement(k, depth + 1);
        }
    }

    fn statement(&mut self, k: &mut Kernel, depth: usize) {
        if self.left == 0 || depth > DEEPEST {
            let (place, value) = (self.place(k), self.value(k));
            k.line(&format!("{place} = {value};"));
            return;
        }
        self.left -= 1;
        match k.random.below(20) {
            0..=2 => {
                let (place, value) = (self.place(k), self.value(k));
                k.line(&format!("{place} = {value};"));
            }
            3 => {
                let (place, value) = (self.place(k), self.value(k));
                let op = k.pick(&["+=", "-=", "^=", "|=", "&="]);
                k.line(&format!("{place} {op} {value};"));
            }
            4..=6 => self.show(k),
            7..=9 => self.branch(k, depth),
            10 | 11 => self.counted(k, depth),
            12 => self.repeated(k, depth),
            13 => self.cases(k, depth),
            14 | 15 => self.left_by(k),
            16 => self.by_pointer(k),
            17 => self.by_function(k, depth),
            18 => {
                let (place, other) = (self.place(k), self.place(k));
                let step = k.pick(&["++", "--"]);
                k.line(&format!("{place} = ({other}{step} & 15) + 1;"));
            }
            _ => {
                let (at, mask) = (self.place(k), k.random.number(&[1, 7, 31]));
                k.line(&format!("{at} = d[t] & {mask};"));
            }
        }
    }

    fn branch(&mut self, k: &mut Kernel, depth: usize) {
        let condition = self.condition(k);
        k.open(&format!("if ({condition})"));
        self.block(k, depth);
        if k.random.one_in(2) {
            k.depth -= 1;
            k.line("} else {");
            k.depth += 1;
            self.block(k, depth);
        }
        k.close();
    }

    fn counted(&mut self, k: &mut Kernel, depth: usize) {
        let i = k.name("i");
        let end = match k.random.below(4) {
            0 => format!("({} & 7)", self.place(k)),
            1 => format!("{} + 2", k.random.below(5)),
            2 => "(n & 7)".to_owned(),
            _ => k.small().to_string(),
        };
        let head = match k.random.below(4) {
            0 => format!("for (int {i} = 0; {i} < {end}; {i} += 2)"),
            1 => format!("for (int {i} = {end}; {i} > 0; --{i})"),
            2 => format!("for (unsigned {i} = 0; {i} < (unsigned){end}; {i}++)"),
            _ => format!("for (int {i} = 0; {i} < {end}; ++{i})"),
        };
        k.open(&head);
        self.loops += 1;
        self.block(k, depth);
        if k.random.one_in(2) {
            let (b, c) = (k.small(), k.small());
            k.touch(&format!("t * {b} + (int){i} * {c}"));
        }
        self.loops -= 1;
        k.close();
    }

    fn repeated(&mut self, k: &mut Kernel, depth: usize) {
        let (i, condition) = (k.name("i"), self.condition(k));
        let most = 2 + k.random.below(6);
        k.line(&format!("int {i} = 0;"));
        self.loops += 1;
        if k.random.one_in(2) {
            k.open(&format!("while ({i}++ < {most} && ({condition}))"));
            self.block(k, depth);
            k.close();
        } else {
            k.open("do");
            self.block(k, depth);
            k.depth -= 1;
            k.line(&format!("}} while (++{i} < {most} && ({condition}));"));
        }
        self.loops -= 1;
    }

    fn cases(&mut self, k: &mut Kernel, depth: usize) {
        let on = self.place(k);
        k.open(&format!("switch ({on} & 3)"));
        let default = k.random.below(5);
        for case in 0..3 {
            // What a case declares ends with it.
            k.open(&if case == default {
                "default:".to_owned()
            } else {
                format!("case {case}:")
            });
            self.block(k, depth);
            if !k.random.one_in(3) {
                k.line("break;");
            }
            k.close();
        }
        k.close();
    }

    /// Lanes that leave.
    fn left_by(&self, k: &mut Kernel) {
        let condition = self.condition(k);
        let how = match (self.loops, k.random.below(5)) {
            (0, 0) => "return",
            (0, _) => return self.show(k),
            (_, 0..=2) => "break",
            (_, 3) => "continue",
            _ => "return",
        };
        k.line(&format!("if ({condition}) {how};"));
    }

    fn by_pointer(&self, k: &mut Kernel) {
        let p = k.name("p");
        let (one, other) = (self.place(k), self.place(k));
        let condition = self.condition(k);
        // Of a choice between two that are one g++ leaves the condition out, and what it loads.
        if one != other && k.random.one_in(2) {
            k.line(&format!("int *{p} = {condition} ? &{one} : &{other};"));
            k.line(&format!("*{p} = (*{p} + 1) & 31;"));
        } else {
            k.line(&format!("int &{p} = {one};"));
            k.line(&format!("{p} = ({p} + ({other} & 7)) & 63;"));
        }
    }

    /// By a lambda or a function that writes through references and returns early.
    fn by_function(&mut self, k: &mut Kernel, depth: usize) {
        let f = k.name("f");
        let (x, y) = (k.random.below(3), k.random.below(3));
        let (x, y) = (self.numbers[x].clone(), self.numbers[y].clone());
        let condition = self.condition(k);
        if k.random.one_in(2) {
            let f = k.global_name("swap");
            let c = k.small();
            k.head += &format!(
                "__device__ int {f}(int &p, int &q) {{\n  if (p > q) {{\n    int r = p;\n    p = q & 63;\n    q = r;\n    return {c};\n  }}\n  q = (q + {c}) & 31;\n  return p;\n}}\n"
            );
            let place = self.place(k);
            k.line(&format!("{place} = {f}({x}, {y}) & 63;"));
            return;
        }
        k.open(&format!("auto {f} = [&](int w)"));
        k.line(&format!("if ({condition}) return w;"));
        let loops = std::mem::take(&mut self.loops);
        for _ in 0..2 {
            let (place, value) = (self.place(k), self.value(k));
            k.line(&format!("{place} = {value};"));
        }
        if depth < DEEPEST {
            self.show(k);
        }
        self.loops = loops;
        k.line("return w + 1;");
        k.depth -= 1;
        k.line("};");
        k.line(&format!("{x} = {f}({y} & 31);"));
    }
}
