//! Conversions of classes: by their own functions, and by constructors of other classes.

use super::super::kernel::Kernel;
use super::operand::{Class, place, readable};
use super::{Form, Function};

pub fn conversions(k: &mut Kernel) {
    match k.random.below(3) {
        0 => to_numbers(k),
        1 => of_objects(k),
        _ => of_numbers(k),
    }
}

/// `operator int` and its like.
#[expect(clippy::too_many_lines, reason = "one text")]
fn to_numbers(k: &mut Kernel) {
    let mut class = Class::new(k, "To");
    let ty = k.pick(&["int", "int", "float", "bool", "int &", "unsigned", "T"]);
    let is_const = ty != "int &" && !k.random.one_in(4);
    let (m, i, c) = (class.member(k), class.integer(k), k.small());
    let mut body = Vec::new();
    if !is_const {
        body.push(format!("S.{i} += {c};"));
    }
    body.push(match ty {
        "int &" => format!("return S.{i};"),
        _ => format!("return S.{m};"),
    });
    let is_explicit = ty == "bool" && k.random.one_in(2);
    let function = Function {
        name: format!("operator {ty}"),
        result: String::new(),
        takes: String::new(),
        body,
        is_template: ty == "T",
        is_const,
    };
    function.write(k, &mut class, Form::Member);
    if is_explicit {
        class.inside = class.inside.replace("__device__", "__device__ explicit");
    }
    class.declare(k);
    let object = if is_const {
        class.readable(k)
    } else {
        class.place(k)
    };
    let (o, q) = (object.text.clone(), k.name("q"));
    match k.random.below(if is_explicit { 4 } else { 11 }) {
        0 => {
            k.open(&format!(
                "if ({})",
                if ty == "T" { format!("(bool){o}") } else { o }
            ));
            k.touch("t * 2");
            k.close();
        }
        // Of two equal sides a compiler drops the condition, and with it what that reads.
        1 if ty != "T" => k.touch(&format!("t * ({o} ? {c} : {})", c + 1)),
        2 if ty != "T" => k.line(&format!("if (!{o} && n > 1) v += 1;")),
        3 => {
            let cast = k.pick(&["(bool)O", "static_cast<bool>(O)", "bool(O)"]);
            k.line(&format!("bool {q} = {};", cast.replace('O', &o)));
            k.touch(&format!("t * ({q} + 1)"));
        }
        4 => {
            let f = k.global_name("given");
            let by = k.pick(&["int i", "const int &i", "float i"]);
            k.head += &format!("__device__ inline int {f}({by}) {{ return i; }}\n");
            k.line(&format!("int {q} = {f}({o});"));
            k.touch_by(&q);
        }
        5 => {
            let f = k.global_name("unread");
            k.head += &format!("__device__ inline int {f}(const int &) {{ return {c}; }}\n");
            k.line(&format!("int {q} = {f}({o});"));
            k.touch_by(&q);
        }
        6 if ty != "float" && ty != "T" => k.line(&format!("a[{o}] = v;")),
        7 => {
            let f = k.global_name("back");
            k.head += &format!(
                "__device__ inline int {f}({} &o) {{\n  return o;\n}}\n",
                class.name
            );
            let own = class.place(k);
            k.line(&format!("int {q} = {f}({});", own.text));
            k.touch_by(&q);
            own.touch(k);
        }
        8 if ty != "T" => {
            k.line(&format!("int {q} = {o} + {c};"));
            k.touch_by(&q);
        }
        9 if ty == "int &" => {
            k.line(&format!("int &{q} = {o};"));
            k.line(&format!("{q} = {c};"));
        }
        _ => {
            let to = k.pick(&["int", "float", "const int"]);
            k.line(&format!("{to} {q} = ({})({o});", to.replace("const ", "")));
            k.touch_by(&format!("(int){q}"));
        }
    }
    object.touch(k);
}

/// A class with constructors and assignments that take `takes`, whose names it says.
fn taker(k: &mut Kernel, takes: &str, line: &str, read: &str) -> String {
    let w = k.global_name("Made");
    let template = if takes.contains("T &") {
        "template <class T> "
    } else {
        ""
    };
    let is_listed = k.random.one_in(2) && line.is_empty();
    let body = if is_listed {
        format!(" : f({read}), h(1) {{\n  }}\n")
    } else {
        format!(" {{\n    f = {read};\n    h = 1;\n    {line}\n  }}\n")
    };
    k.head += &format!(
        "struct {w} {{\n  int f, h;\n  {w}() = default;\n  {template}__device__ {w}({takes})\n     {body}}};\n"
    );
    w
}

/// Classes made of objects.
fn of_objects(k: &mut Kernel) {
    let mut class = Class::new(k, "From");
    let takes = k.pick(&["const C &o", "const C &o", "C o", "C &o"]);
    class.is_passed = takes == "C o";
    class.declare(k);
    let (m, i, c) = (class.member(k), class.integer(k), k.small());
    let (line, is_written) = if takes == "C &o" {
        (format!("o.{i} = {c};"), true)
    } else {
        (String::new(), false)
    };
    let read = match k.random.below(3) {
        0 => c.to_string(),
        _ => format!("o.{m}"),
    };
    let w = taker(k, &takes.replace('C', &class.name), &line, &read);
    let object = if is_written {
        class.place(k)
    } else {
        class.readable(k)
    };
    made(k, &w, &object.text);
    object.touch(k);
}

/// Classes made of numbers.
fn of_numbers(k: &mut Kernel) {
    let c = k.small();
    let takes = k.pick(&["int o", "const int &o", "int &o", "float o"]);
    let (line, is_written) = if takes == "int &o" {
        (format!("o = {c};"), true)
    } else {
        (String::new(), false)
    };
    let read = match k.random.below(3) {
        0 => c.to_string(),
        _ => "o".to_owned(),
    };
    let w = taker(k, takes, &line, &read);
    let operand = if is_written { place(k) } else { readable(k) };
    made(k, &w, &operand.text);
    operand.touch(k);
}

/// An object of class `w` made of `x`, in one of the ways that there are.
fn made(k: &mut Kernel, w: &str, x: &str) {
    let (q, f) = (k.name("q"), k.global_name("take"));
    match k.random.below(9) {
        0 | 1 => k.line(&format!("{w} {q} = {x};")),
        2 => k.line(&format!("{w} {q}({x});")),
        3 => k.line(&format!("{w} {q} = {w}({x});")),
        4 => {
            let by = k.pick(&["W o", "const W &o", "W &&o"]).replace('W', w);
            k.head += &format!("__device__ inline int {f}({by}) {{\n  return o.f;\n}}\n");
            k.line(&format!("int {q} = {f}({x});"));
            k.touch_by(&q);
            return;
        }
        5 => {
            k.line(&format!("{w} {q};"));
            k.line(&format!("{q} = {x};"));
        }
        6 => {
            k.line(&format!("const {w} &{q} = {x};"));
        }
        7 => {
            k.line(&format!("auto {q} = static_cast<{w}>({x});"));
        }
        _ => {
            k.line(&format!("auto {q} = [&]() -> {w} {{ return {x}; }}();"));
        }
    }
    k.touch_by(&format!("({q}.f & 15)"));
    k.touch_by(&format!("{q}.h"));
}
