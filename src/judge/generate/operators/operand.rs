//! Operands: integers and objects in every sort of place, and values that have none.

use super::super::kernel::Kernel;

/// An operand, as an expression that binds tighter than any operator before or behind it.
pub struct Operand {
    pub text: String,
    /// Integers that tell afterwards what became of it.
    pub told_by: Vec<String>,
}

impl Operand {
    fn new(text: &str, told_by: &[&str]) -> Self {
        Self {
            text: text.to_owned(),
            told_by: told_by.iter().map(|one| (*one).to_owned()).collect(),
        }
    }

    /// Lets accesses show some of what it became.
    pub fn touch(&self, k: &mut Kernel) {
        for one in &self.told_by {
            if !k.random.one_in(3) {
                k.touch_by(one);
            }
        }
    }
}

/// The number of the thread in its block: what is written there, no other lane of the warp touches.
const OWN: &str = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";

/// A number that no two threads of a block share.
fn own_number(k: &mut Kernel) -> String {
    let own = k.name("own");
    k.line(&format!("int {own} = {OWN};"));
    own
}

/// A function's parameter for numbers in global memory, that may be written.
fn numbers(k: &mut Kernel) -> &'static str {
    if !k.parameters.contains("int *g") {
        k.parameters += ", int *g";
        k.arguments += ", g=i32[65536]";
    }
    "g"
}

/// An integer that may be written.
pub fn place(k: &mut Kernel) -> Operand {
    let (x, y) = (k.name("x"), k.name("y"));
    let (c, e) = (k.constant(), k.small());
    match k.random.below(17) {
        0..=2 => {
            k.line(&format!("int {x} = {c};"));
            Operand::new(&x, &[&x])
        }
        3 | 4 => {
            let s = k.global_name("Parts");
            k.head += &format!("struct {s} {{\n  int q[2];\n  int r;\n}};\n");
            k.line(&format!("{s} {x}{{{{{e}, {c}}}, {e}}};"));
            let place = format!("{x}.{}", k.pick(&["q[0]", "q[1]", "r", "q[n & 1]"]));
            let shown = place.replace("[n & 1]", "[1]");
            Operand::new(&place, &[&shown])
        }
        5 => {
            k.line(&format!("int {x}[3] = {{{e}, {c}, 1}};"));
            let at = k.random.below(3);
            let place = format!("{x}[{at}]");
            Operand::new(&place, &[&place])
        }
        6 => {
            k.line(&format!("int {x}[2] = {{{e}, {c}}};"));
            Operand::new(
                &format!("{x}[n & 1]"),
                &[&format!("{x}[1]"), &format!("{x}[0]")],
            )
        }
        7 => {
            k.line(&format!("int {y} = {c};"));
            k.line(&format!("int &{x} = {y};"));
            Operand::new(&x, &[&y])
        }
        8 => {
            k.line(&format!("int {y} = {c};"));
            k.line(&format!("int *{x} = &{y};"));
            Operand::new(&format!("(*{x})"), &[&y])
        }
        9 => {
            k.line(&format!("int {y}[2] = {{{e}, {c}}};"));
            k.line(&format!("int *{x} = {y};"));
            Operand::new(&format!("{x}[1]"), &[&format!("{y}[1]")])
        }
        10 => {
            // Of one that lanes decide a compiler may make two requests.
            let cond = "n > 2";
            k.line(&format!("int {x} = {c}, {y} = {e};"));
            Operand::new(&format!("(({cond}) ? {x} : {y})"), &[&x, &y])
        }
        11 => {
            k.line(&format!("int {x} = {c}, {y} = {e};"));
            Operand::new(&format!("({y}, {x})"), &[&x])
        }
        12..=14 => {
            let (g, own) = (numbers(k), own_number(k));
            let place = match k.random.below(3) {
                0 => format!("{g}[{own} * {e}]"),
                1 => format!("{g}[{own} + {c}]"),
                _ => format!("(*({g} + {own} * {e}))"),
            };
            Operand::new(&place, &[&format!("({place} & 7)")])
        }
        _ => {
            let own = own_number(k);
            let odd = k.random.number(&[1, 3, 5, 7, 33]);
            k.line(&format!("__shared__ int {x}[256];"));
            let place = format!("{x}[({own} * {odd}) & 255]");
            k.line(&format!("{place} = {c};"));
            Operand::new(&place, &[&format!("({place} & 7)")])
        }
    }
}

/// An integer that has no place of its own.
pub fn temporary(k: &mut Kernel) -> Operand {
    let (c, e, x) = (k.constant(), k.small(), k.name("x"));
    let text = match k.random.below(7) {
        0 => c.to_string(),
        1 => format!("(n + {c})"),
        2 => format!("int({c})"),
        3 => {
            let f = k.global_name("number");
            k.head += &format!("__device__ inline int {f}() {{ return {c}; }}\n");
            format!("{f}()")
        }
        4 => {
            k.line(&format!("int {x} = {c};"));
            format!("({x} + {e})")
        }
        5 => {
            k.line(&format!("int {x} = {c};"));
            format!("{x}++")
        }
        _ => format!("(d[t * {e}] + 1)"),
    };
    Operand::new(&text, &[])
}

/// An integer that is only read, with a place or without.
pub fn readable(k: &mut Kernel) -> Operand {
    let (c, e, x) = (k.constant(), k.small(), k.name("x"));
    match k.random.below(8) {
        0..=2 => place(k),
        3 => temporary(k),
        4 => Operand::new(&format!("d[t * {e}]"), &[]),
        5 => {
            k.line(&format!("const int {x} = {c};"));
            Operand::new(&x, &[])
        }
        6 => {
            let name = k.global_name("Few");
            k.head += &format!("enum {name} {{ {name}A = {c}, {name}B }};\n");
            Operand::new(&format!("((int){name}A)"), &[])
        }
        _ => Operand::new("n", &[]),
    }
}

/// A class of few numbers, of which operators use one or two.
pub struct Class {
    pub name: String,
    pub members: Vec<(&'static str, &'static str)>,
    /// Functions within the class, and behind it.
    pub inside: String,
    pub outside: String,
    /// It says how it is copied. A compiler that copies an argument otherwise shows nobody what it reads.
    pub is_passed: bool,
}

impl Class {
    pub fn new(k: &mut Kernel, stem: &str) -> Self {
        const NAMES: [&str; 4] = ["p", "q", "r", "u"];
        const TYPES: [&str; 8] = [
            "int",
            "int",
            "int",
            "int",
            "short",
            "float",
            "long long",
            "unsigned char",
        ];
        let count = 2 + k.random.below(3);
        let mut members = vec![("int", NAMES[0])];
        for name in &NAMES[1..count] {
            members.push((TYPES[k.random.below(TYPES.len())], name));
        }
        Self {
            name: k.global_name(stem),
            members,
            inside: String::new(),
            outside: String::new(),
            is_passed: false,
        }
    }

    pub fn declare(&self, k: &mut Kernel) {
        k.head += &format!("struct {} {{\n", self.name);
        for (ty, name) in &self.members {
            k.head += &format!("  {ty} {name};\n");
        }
        if self.is_passed {
            let list = |say: &dyn Fn(&str) -> String, between: &str| {
                let all = self.members.iter().map(|(_, name)| say(name));
                all.collect::<Vec<_>>().join(between)
            };
            let name = &self.name;
            k.head += &format!(
                "  {name}() = default;\n  __device__ {name}({}) : {} {{}}\n  __device__ {name}(const {name} &o)\n      : {} {{}}\n",
                list(&|m| format!("int {m}"), ", "),
                list(&|m| format!("{m}({m})"), ", "),
                list(&|m| format!("{m}(o.{m})"), ",\n        ")
            );
        }
        k.head += &format!("{}}};\n{}", self.inside, self.outside);
    }

    /// A member of any type.
    pub fn member(&self, k: &mut Kernel) -> &'static str {
        self.members[k.random.below(self.members.len())].1
    }

    /// A member of type `int`.
    pub fn integer(&self, k: &mut Kernel) -> &'static str {
        let integers: Vec<_> = self.members.iter().filter(|one| one.0 == "int").collect();
        integers[k.random.below(integers.len())].1
    }

    /// What stands in braces to make one.
    pub fn values(&self, k: &mut Kernel) -> String {
        let values = self.members.iter().map(|_| k.small().to_string());
        values.collect::<Vec<_>>().join(", ")
    }

    /// What accesses may use of an object: its members as integers.
    fn told_by(&self, object: &str, is_in_memory: bool) -> Vec<String> {
        let tell = |(ty, name): &(&str, &str)| match (is_in_memory, *ty) {
            (true, _) => format!("((int){object}.{name} & 7)"),
            (false, "int") => format!("{object}.{name}"),
            (false, _) => format!("(int){object}.{name}"),
        };
        self.members.iter().map(tell).collect()
    }

    fn operand(&self, text: &str, object: &str, is_in_memory: bool) -> Operand {
        Operand {
            text: text.to_owned(),
            told_by: self.told_by(object, is_in_memory),
        }
    }

    /// An object that may be written.
    pub fn place(&self, k: &mut Kernel) -> Operand {
        let (x, y, e) = (k.name("o"), k.name("h"), k.small());
        let (name, values) = (&self.name, self.values(k));
        match k.random.below(16) {
            0 | 1 => {
                k.line(&format!("{name} {x}{{{values}}};"));
                self.operand(&x, &x, false)
            }
            2 => {
                k.line(&format!("{name} {y}{{{values}}};"));
                k.line(&format!("{name} &{x} = {y};"));
                self.operand(&x, &y, false)
            }
            3 => {
                k.line(&format!("{name} {y}{{{values}}};"));
                k.line(&format!("{name} *{x} = &{y};"));
                self.operand(&format!("(*{x})"), &y, false)
            }
            4 => {
                let at = k.random.below(2);
                k.line(&format!("{name} {x}[2] = {{{{{values}}}, {{{values}}}}};"));
                let text = format!("{x}[{at}]");
                self.operand(&text, &text, false)
            }
            5 => {
                k.line(&format!("{name} {x}[2] = {{{{{values}}}, {{{values}}}}};"));
                self.operand(&format!("{x}[n & 1]"), &format!("{x}[1]"), false)
            }
            6 => {
                let s = k.global_name("Holder");
                k.head += &format!("struct {s} {{\n  int before;\n  {name} in;\n}};\n");
                k.line(&format!("{s} {x}{{{e}, {{{values}}}}};"));
                let text = format!("{x}.in");
                self.operand(&text, &text, false)
            }
            7 => {
                // Of one that lanes decide a compiler may make two requests.
                let cond = "n > 2";
                k.line(&format!("{name} {x}{{{values}}}, {y}{{{values}}};"));
                self.operand(&format!("(({cond}) ? {x} : {y})"), &x, false)
            }
            8 => {
                k.line(&format!("{name} {x}{{{values}}};"));
                self.operand(&format!("static_cast<{name} &>({x})"), &x, false)
            }
            9..=12 => {
                let own = own_number(k);
                self.in_global_memory(k, "", &own)
            }
            _ => {
                let own = own_number(k);
                let odd = k.random.number(&[1, 3, 5, 7, 33]);
                k.line(&format!("__shared__ {name} {x}[256];"));
                let text = format!("{x}[({own} * {odd}) & 255]");
                self.operand(&text, &text, true)
            }
        }
    }

    fn in_global_memory(&self, k: &mut Kernel, word: &str, t: &str) -> Operand {
        let (w, e) = (k.name("w"), k.small());
        k.parameters += &format!(", {word}{} *{w}", self.name);
        k.arguments += &format!(", {w}=i32[65536]");
        let text = match k.random.below(4) {
            0 => format!("{w}[{t}]"),
            1 => format!("{w}[{t} * {e}]"),
            2 => format!("{w}[{t} + {e}]"),
            _ => format!("(*({w} + {t} * {e}))"),
        };
        self.operand(&text, &text, true)
    }

    /// An object that is only read.
    pub fn readable(&self, k: &mut Kernel) -> Operand {
        let (x, values) = (k.name("o"), self.values(k));
        let name = &self.name;
        match k.random.below(9) {
            0 => {
                k.line(&format!("const {name} {x}{{{values}}};"));
                self.operand(&x, &x, false)
            }
            1 => self.temporary(k),
            2 => self.in_global_memory(k, "const ", "t"),
            3 => {
                // One object for all lanes.
                k.line(&format!("__shared__ {name} {x};"));
                self.operand(&x, &x, true)
            }
            _ => self.place(k),
        }
    }

    /// An object without a name.
    pub fn temporary(&self, k: &mut Kernel) -> Operand {
        let (name, values) = (&self.name, self.values(k));
        if k.random.one_in(2) {
            return Operand::new(&format!("{name}{{{values}}}"), &[]);
        }
        let f = k.global_name("made");
        k.head += &format!("__device__ inline {name} {f}() {{ return {{{values}}}; }}\n");
        Operand::new(&format!("{f}()"), &[])
    }
}
