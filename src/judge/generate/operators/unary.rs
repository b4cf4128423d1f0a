//! Operators of one operand, steps, and operators that reach into an object.

use super::super::kernel::Kernel;
use super::operand::{Class, place, readable};
use super::{Form, Function, Gives};

/// `++`, `--`, `-`, `!`, `~`, `+` and `*`.
pub fn steps(k: &mut Kernel) {
    let mut class = Class::new(k, "Step");
    let sign = k.pick(&["++", "--", "++", "--", "-", "!", "~", "+", "*"]);
    let is_step = matches!(sign, "++" | "--");
    let is_behind = is_step && k.random.one_in(2);
    let is_const = !is_step && !k.random.one_in(3);
    let form = Form::drawn(k);
    let mut gives = Gives::drawn(k, is_const);
    if sign == "!" && gives != Gives::Part {
        gives = Gives::Truth;
    }
    let (m, c) = (class.member(k), k.small());
    let mut body = Vec::new();
    let has_old = is_behind && gives == Gives::Copy;
    if has_old {
        body.push(format!("{} old = ITSELF;", class.name));
    }
    if !is_const {
        let step = match k.random.below(3) {
            0 => format!("S.{m} += {c};"),
            1 => format!("++S.{m};"),
            _ => format!("S.{m} = {c};"),
        };
        body.push(step);
    }
    if has_old {
        body.push("return old;".to_owned());
    } else {
        body.extend(gives.ending(k, &class, ""));
    }
    let function = Function {
        name: format!("operator{sign}"),
        result: gives.text(&class),
        takes: if is_behind { "int" } else { "" }.to_owned(),
        body,
        is_template: false,
        is_const,
    };
    function.write(k, &mut class, form);
    class.declare(k);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let o = &object.text;
    let call = match (is_behind, k.random.below(6)) {
        (true, _) => format!("{o}{sign}"),
        (false, 0) if gives == Gives::Itself => format!("{sign}({sign}{o})"),
        (false, _) => format!("{sign}{o}"),
    };
    if is_step && k.random.one_in(4) {
        let i = k.name("i");
        k.open(&format!("for (int {i} = 0; {i} < 3; ++{i}, {call})"));
        k.touch(&format!("t * {i}"));
        k.close();
    } else {
        gives.used(k, &class, &call);
    }
    object.touch(k);
}

/// `[]`, `()` and `->`.
pub fn accessors(k: &mut Kernel) {
    match k.random.below(5) {
        0 | 1 => subscripts(k),
        2 | 3 => calls(k),
        _ => arrows(k),
    }
}

fn subscripts(k: &mut Kernel) {
    let mut class = Class::new(k, "List");
    let takes = k.pick(&["int i", "const int &i", "int &i", "T &i", "T &&i"]);
    let is_written = matches!(takes, "int &i" | "T &i" | "T &&i");
    let is_const = k.random.one_in(3);
    let (one, other, c) = (class.integer(k), class.integer(k), k.small());
    let mut body = Vec::new();
    if is_written {
        body.push(format!(
            "i = {};",
            if k.random.one_in(2) {
                c.to_string()
            } else {
                format!("S.{one} + {c}")
            }
        ));
    }
    let result = if is_const { "int" } else { "int &" };
    if k.random.one_in(2) {
        body.push("if (i & 1)".to_owned());
        body.push(format!("  return S.{other};"));
    }
    body.push(format!("return S.{one};"));
    let function = Function {
        name: "operator[]".to_owned(),
        result: result.to_owned(),
        takes: takes.to_owned(),
        body,
        is_template: takes.contains('T'),
        is_const,
    };
    function.write(k, &mut class, Form::Member);
    class.declare(k);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let index = if is_written { place(k) } else { readable(k) };
    let call = format!("{}[{}]", object.text, index.text);
    let gives = if is_const { Gives::Number } else { Gives::Part };
    gives.used(k, &class, &call);
    object.touch(k);
    index.touch(k);
}

fn calls(k: &mut Kernel) {
    let mut class = Class::new(k, "Call");
    let takes = k.pick(&["", "int i, int &x", "const int &i, T &x", "T &&x", "C &o"]);
    let is_const = k.random.one_in(3);
    let (m, c) = (class.integer(k), k.small());
    let gives = Gives::drawn(k, is_const);
    let mut body = Vec::new();
    if takes.contains('x') {
        body.push(format!("x = S.{m} + {c};"));
    }
    if takes.contains("&o") {
        body.push(format!("o.{m} = S.{m};"));
    }
    if !is_const {
        body.push(format!("S.{m} += {c};"));
    }
    body.extend(gives.ending(k, &class, if takes.contains("i,") { "i" } else { "" }));
    let function = Function {
        name: "operator()".to_owned(),
        result: gives.text(&class),
        takes: takes.replace('C', &class.name),
        body,
        is_template: takes.contains('T'),
        is_const,
    };
    function.write(k, &mut class, Form::Member);
    class.declare(k);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let mut operands = Vec::new();
    if takes.contains("i,") {
        operands.push(readable(k));
    }
    if takes.contains('x') {
        operands.push(place(k));
    }
    if takes.contains("C &") {
        operands.push(class.place(k));
    }
    let given: Vec<&str> = operands.iter().map(|one| one.text.as_str()).collect();
    let call = format!("{}({})", object.text, given.join(", "));
    gives.used(k, &class, &call);
    object.touch(k);
    for operand in &operands {
        operand.touch(k);
    }
}

fn arrows(k: &mut Kernel) {
    let mut class = Class::new(k, "Arrow");
    let (m, c) = (class.integer(k), k.small());
    let is_const = k.random.one_in(2);
    let is_long = k.random.one_in(3);
    let word = if is_const { "const " } else { "" };
    let mut body = Vec::new();
    if !is_const && k.random.one_in(2) {
        body.push(format!("S.{m} += {c};"));
    }
    body.push("return this;".to_owned());
    let function = Function {
        name: "operator->".to_owned(),
        result: format!("{word}{} *", class.name),
        takes: String::new(),
        body,
        is_template: false,
        is_const,
    };
    function.write(k, &mut class, Form::Member);
    class.declare(k);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let mut text = object.text.clone();
    if is_long && !is_const {
        // An arrow whose class has one, too.
        let (s, x) = (k.global_name("Far"), k.name("far"));
        k.head += &format!(
            "struct {s} {{\n  {} &to;\n  __device__ {} &operator->() const {{ return to; }}\n}};\n",
            class.name, class.name
        );
        k.line(&format!("{s} {x}{{{text}}};"));
        text = x;
    }
    let gives = if is_const { Gives::Number } else { Gives::Part };
    gives.used(k, &class, &format!("{text}->{m}"));
    object.touch(k);
}
