//! Operators that classes and enumerations have: what an operand is bound to, and what is read or
//! written through it.

mod conversion;
mod operand;
mod range;
mod unary;
mod unsuited;

pub use conversion::conversions;
pub use range::{discarded, enumerations, ranges};
pub use unary::{accessors, steps};
pub use unsuited::{converted_choices, unsuited};

use super::kernel::Kernel;
use operand::{Class, Operand, place, readable, temporary};

/// How a function of a class stands in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Member,
    Friend,
    Free,
}

impl Form {
    fn drawn(k: &mut Kernel) -> Self {
        [Self::Member, Self::Member, Self::Friend, Self::Free][k.random.below(4)]
    }
}

/// A function to be written: `S.` in its body stands for the object that it is of.
struct Function {
    name: String,
    result: String,
    /// Parameters behind the object.
    takes: String,
    body: Vec<String>,
    is_template: bool,
    is_const: bool,
}

impl Function {
    /// Writes it into the class or behind it.
    fn write(&self, k: &mut Kernel, class: &mut Class, form: Form) {
        let template = if self.is_template {
            "template <class T> "
        } else {
            ""
        };
        let space = if self.result.is_empty() || self.result.ends_with(['&', '*']) {
            ""
        } else {
            " "
        };
        let (object, itself) = match form {
            Form::Member => (k.pick(&["", "", "this->"]), "*this"),
            Form::Friend | Form::Free => ("s.", "s"),
        };
        let indent = if form == Form::Free { "  " } else { "    " };
        let body: String = self
            .body
            .iter()
            .map(|line| line.replace("S.", object).replace("ITSELF", itself))
            .map(|line| format!("{indent}{line}\n"))
            .collect();
        let comma = if self.takes.is_empty() { "" } else { ", " };
        let name = &class.name;
        // The object itself, by value where nothing of it is written.
        let first = match (self.is_const, k.random.one_in(3)) {
            (true, true) if !self.result.ends_with('&') => format!("{name} s"),
            (true, _) => format!("const {name} &s"),
            (false, _) => format!("{name} &s"),
        };
        class.is_passed |= form != Form::Member && first.ends_with(" s") && !first.contains('&');
        let Self {
            name: function,
            result,
            takes,
            ..
        } = self;
        match form {
            Form::Member => {
                let word = if self.is_const { " const" } else { "" };
                class.inside += &format!(
                    "  {template}__device__ {result}{space}{function}({takes}){word} {{\n{body}  }}\n"
                );
            }
            Form::Friend => {
                class.inside += &format!(
                    "  {template}friend __device__ {result}{space}{function}({first}{comma}{takes}) {{\n{body}  }}\n"
                );
            }
            Form::Free => {
                let inline = if self.is_template { "" } else { "inline " };
                class.outside += &format!(
                    "{template}__device__ {inline}{result}{space}{function}({first}{comma}{takes}) {{\n{body}}}\n"
                );
            }
        }
    }
}

/// What an operator takes behind its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// A number, that is only read or has no place …
    Read(&'static str),
    /// … that is written, and has a place …
    Written(&'static str),
    /// … or that is written and has none.
    Gone(&'static str),
    ObjectRead(&'static str),
    ObjectWritten(&'static str),
}

const TAKES: [Takes; 17] = [
    Takes::Read("int"),
    Takes::Read("const int &"),
    Takes::Read("const int &"),
    Takes::Read("const T &"),
    Takes::Read("T"),
    Takes::Written("int &"),
    Takes::Written("int &"),
    Takes::Written("int &"),
    Takes::Written("T &"),
    Takes::Written("T &&"),
    Takes::Gone("int &&"),
    Takes::Gone("T &&"),
    Takes::ObjectRead("const C &"),
    Takes::ObjectRead("const C &"),
    Takes::ObjectRead("C "),
    Takes::ObjectWritten("C &"),
    Takes::ObjectWritten("T &"),
];

impl Takes {
    fn text(self, class: &Class) -> String {
        let (Self::Read(text)
        | Self::Written(text)
        | Self::Gone(text)
        | Self::ObjectRead(text)
        | Self::ObjectWritten(text)) = self;
        let text = text.replace('C', &class.name);
        let space = if text.ends_with('&') { "" } else { " " };
        format!("{}{space}o", text.trim_end())
    }

    fn operand(self, k: &mut Kernel, class: &Class) -> Operand {
        match self {
            Self::Read(_) => readable(k),
            Self::Written(_) => place(k),
            Self::Gone(_) => temporary(k),
            Self::ObjectRead(_) => class.readable(k),
            Self::ObjectWritten(_) => class.place(k),
        }
    }

    /// Lines that use the operand, and what may stand in a result.
    fn effects(self, k: &mut Kernel, class: &Class, is_const: bool) -> Vec<String> {
        let (m, i, other) = (class.member(k), class.integer(k), class.member(k));
        let c = k.small();
        let line = match self {
            Self::Written(_) | Self::Gone(_) => match k.random.below(5) {
                0 if !is_const => format!("o = S.{i}++;"),
                1 if !is_const => format!("S.{m} = o;\n    o = {c};"),
                2 => format!("o += {c};"),
                3 => format!("o = {c};"),
                _ => format!("o = S.{i} + {c};"),
            },
            Self::Read(_) => match k.random.below(5) {
                0 if !is_const => format!("S.{m} += o;"),
                1 if !is_const => format!("S.{i} = o * {c};"),
                2 if !is_const => format!("S.{m} = {c};"),
                _ => String::new(),
            },
            Self::ObjectRead(_) => match k.random.below(4) {
                0 if !is_const => format!("S.{m} += o.{other};"),
                1 if !is_const => format!("S.{i} = o.{i};"),
                _ => String::new(),
            },
            Self::ObjectWritten(_) => match k.random.below(4) {
                0 if !is_const => format!("o.{m} = S.{i}++;"),
                1 => format!("o.{i} = {c};"),
                2 => format!("o.{other} += {c};"),
                _ => format!("o.{i} = S.{m};"),
            },
        };
        line.lines().map(|line| line.trim().to_owned()).collect()
    }
}

/// What an operator gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Itself,
    Part,
    Number,
    Copy,
    Nothing,
    Truth,
}

impl Gives {
    fn drawn(k: &mut Kernel, is_const: bool) -> Self {
        if is_const {
            [Self::Number, Self::Number, Self::Copy, Self::Truth][k.random.below(4)]
        } else {
            const ALL: [Gives; 8] = [
                Gives::Itself,
                Gives::Itself,
                Gives::Itself,
                Gives::Part,
                Gives::Number,
                Gives::Copy,
                Gives::Nothing,
                Gives::Truth,
            ];
            ALL[k.random.below(ALL.len())]
        }
    }

    fn text(self, class: &Class) -> String {
        match self {
            Self::Itself => format!("{} &", class.name),
            Self::Part => "int &".to_owned(),
            Self::Number => "int".to_owned(),
            Self::Copy => class.name.clone(),
            Self::Nothing => "void".to_owned(),
            Self::Truth => "bool".to_owned(),
        }
    }

    /// The end of a body; `operand` is what may be read beside the object, if anything.
    fn ending(self, k: &mut Kernel, class: &Class, operand: &str) -> Vec<String> {
        let (m, i, other, c) = (
            class.member(k),
            class.integer(k),
            class.member(k),
            k.small(),
        );
        let line = match self {
            Self::Itself => "return ITSELF;".to_owned(),
            Self::Part => format!("return S.{i};"),
            Self::Number => match k.random.below(5) {
                0 if !operand.is_empty() => format!("return {operand};"),
                1 if !operand.is_empty() => format!("return S.{m} + {operand};"),
                2 => format!("return {c};"),
                3 => format!("return S.{m} * {c};"),
                _ => format!("return S.{i};"),
            },
            Self::Copy => {
                return vec![
                    format!("{} made{{{}}};", class.name, class.values(k)),
                    format!("made.{m} = S.{other};"),
                    "return made;".to_owned(),
                ];
            }
            Self::Nothing => return Vec::new(),
            Self::Truth => match k.random.below(3) {
                0 if !operand.is_empty() => format!("return S.{m} < {operand};"),
                1 => format!("return {};", k.pick(&["true", "false"])),
                _ => format!("return S.{m} > {c};"),
            },
        };
        vec![line]
    }

    /// A statement with a call whose result is this.
    fn used(self, k: &mut Kernel, class: &Class, call: &str) {
        let (q, i, c) = (k.name("q"), class.integer(k), k.small());
        match self {
            Self::Itself => match k.random.below(5) {
                0 => k.line(&format!("({call}).{i} = {c};")),
                1 => {
                    k.line(&format!("{} &{q} = {call};", class.name));
                    k.line(&format!("{q}.{i} += {c};"));
                    k.touch_by(&format!("({q}.{i} & 15)"));
                }
                2 => k.line(&format!("({call}).{i}++;")),
                3 => {
                    k.line(&format!("{} {q} = {call};", class.name));
                    k.touch_by(&format!("{q}.{i}"));
                }
                _ => k.line(&format!("{call};")),
            },
            Self::Part => match k.random.below(5) {
                0 => k.line(&format!("({call}) = {c};")),
                1 => k.line(&format!("({call})++;")),
                2 => {
                    k.line(&format!("int &{q} = {call};"));
                    k.line(&format!("{q} = {c};"));
                }
                3 => {
                    k.line(&format!("int {q} = {call};"));
                    k.touch_by(&q);
                }
                _ => k.line(&format!("{call};")),
            },
            Self::Number => match k.random.below(6) {
                0 => {
                    k.open(&format!("if (({call}) > {c})"));
                    k.touch("t * 2");
                    k.close();
                }
                1 => k.touch(&format!("t * (({call}) & 15)")),
                2 => {
                    let f = k.global_name("twice");
                    k.head += &format!("__device__ inline int {f}(int i) {{ return i * 2; }}\n");
                    k.line(&format!("int {q} = {f}({call});"));
                    k.touch_by(&q);
                }
                3 => k.line(&format!("{call};")),
                _ => {
                    k.line(&format!("int {q} = {call};"));
                    k.touch_by(&q);
                }
            },
            Self::Copy => match k.random.below(4) {
                0 => k.line(&format!("{call};")),
                1 => k.line(&format!("v += ({call}).{i};")),
                _ => {
                    k.line(&format!("{} {q} = {call};", class.name));
                    k.touch_by(&format!("{q}.{i}"));
                }
            },
            Self::Nothing => k.line(&format!("{call};")),
            Self::Truth => match k.random.below(4) {
                0 => {
                    k.line(&format!("bool {q} = {call};"));
                    k.touch(&format!("t * ({q} + 1)"));
                }
                1 => k.touch(&format!("t * (({call}) ? {c} : {})", c + 1)),
                2 => k.line(&format!("{call};")),
                _ => {
                    k.open(&format!("if ({call})"));
                    k.touch("t * 2");
                    k.close();
                }
            },
        }
    }
}

const SIGNS: [&str; 26] = [
    "+", "-", "*", "/", "%", "<<", ">>", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", "&&",
    ",", "+=", "-=", "*=", "<<=", ">>=", "&=", "|=", "^=",
];

/// Operators of two operands, members of a class and functions beside it.
pub fn binary(k: &mut Kernel) {
    let sign = k.pick(&SIGNS);
    let form = Form::drawn(k);
    between(k, sign, form);
}

/// Operators `=` of a class: of another object, of a number, of whatever there is.
pub fn assignments(k: &mut Kernel) {
    between(k, "=", Form::Member);
}

fn between(k: &mut Kernel, sign: &'static str, form: Form) {
    let mut class = Class::new(k, "Own");
    let mut takes = TAKES[k.random.below(TAKES.len())];
    // One that takes whatever there is may not hide the one that copies.
    if sign == "=" && matches!(takes, Takes::ObjectWritten(_)) {
        takes = Takes::ObjectRead("const C &");
    }
    class.is_passed = takes == Takes::ObjectRead("C ");
    let is_const = sign != "=" && k.random.one_in(3);
    let gives = Gives::drawn(k, is_const);
    let mut body = takes.effects(k, &class, is_const);
    let read = match takes {
        Takes::ObjectRead(_) | Takes::ObjectWritten(_) => format!("o.{}", class.integer(k)),
        _ => "o".to_owned(),
    };
    body.extend(gives.ending(k, &class, &read));
    let function = Function {
        name: format!("operator{sign}"),
        result: gives.text(&class),
        takes: takes.text(&class),
        body,
        is_template: takes.text(&class).contains("T "),
        is_const,
    };
    function.write(k, &mut class, form);
    class.declare(k);
    let is_loop = k.random.one_in(6);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let operand = takes.operand(k, &class);
    let second = if gives == Gives::Itself && k.random.one_in(2) {
        Some(takes.operand(k, &class))
    } else {
        None
    };
    if is_loop {
        let i = k.name("i");
        k.open(&format!("for (int {i} = 0; {i} < 3; ++{i})"));
    }
    let (o, x) = (&object.text, &operand.text);
    let mut call = match form {
        Form::Member if k.random.one_in(8) => format!("{o}.operator{sign}({x})"),
        Form::Friend | Form::Free if k.random.one_in(8) => format!("operator{sign}({o}, {x})"),
        _ => format!("{o} {sign} {x}"),
    };
    if let Some(next) = &second {
        // The left of two stands first where no brackets say otherwise, but for assignments.
        let is_left = !sign.ends_with('=') && k.random.one_in(2);
        call = if is_left {
            format!("{call} {sign} {}", next.text)
        } else {
            format!("({call}) {sign} {}", next.text)
        };
    }
    gives.used(k, &class, &bracketed(&call, sign));
    if is_loop {
        k.close();
    }
    object.touch(k);
    operand.touch(k);
    if let Some(second) = second {
        second.touch(k);
    }
}

/// A call by an operator that no initialiser may have without brackets.
fn bracketed(call: &str, sign: &str) -> String {
    if sign == "," {
        format!("({call})")
    } else {
        call.to_owned()
    }
}
