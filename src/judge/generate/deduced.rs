//! Results whose types only calls tell: `auto` of templates and generic lambdas, everywhere a type decides.

use super::kernel::Kernel;

/// Objects and numbers of every width, by functions that say `auto`.
pub fn results(k: &mut Kernel) {
    let (c, made, same) = (
        k.global_name("Conv"),
        k.global_name("made"),
        k.global_name("same"),
    );
    let (by, bound) = (k.small(), k.small());
    let negated = k.pick(&[
        "",
        "  __device__ bool operator!() const { return v > 1; }\n",
    ]);
    k.head += &format!(
        "struct {c} {{\n  int v;\n  __device__ operator int() const {{ return v * {by}; }}\n  __device__ explicit operator bool() const {{ return v > {bound}; }}\n{negated}}};\ntemplate <class T> __device__ auto {made}(T t) {{ return {c}{{(int)t}}; }}\ntemplate <class T> __device__ auto {same}(T t) {{ return t; }}\n"
    );
    let lambda = k.name("as");
    let ty = k.pick(&["unsigned", "unsigned char", "long long", "short", "int"]);
    k.line(&format!(
        "auto {lambda} = [](auto x) {{ return ({ty})x; }};"
    ));
    let count = 2 + k.random.below(4);
    for _ in 0..count {
        one(k, &made, &same, &lambda);
    }
}

fn one(k: &mut Kernel, made: &str, same: &str, lambda: &str) {
    let (e, f, condition) = (k.small(), k.small(), k.condition());
    let v = k.variable();
    match k.random.below(16) {
        0 => k.touch_by(&format!("({condition} ? {made}({e}) : {f})")),
        1 => k.touch_by(&format!("({condition} ? {e} : {made}({f}))")),
        2 => k.touch_by(&format!(
            "(sizeof(int) == {} ? {made}({e}) : {f})",
            2 + 2 * (f & 1)
        )),
        3 => {
            k.open(&format!("if ({made}({v} & 3))"));
            k.touch_by(&e.to_string());
            k.close();
        }
        4 => {
            k.open(&format!("if (!{made}({v} & 3))"));
            k.touch_by(&e.to_string());
            k.close();
        }
        5 => k.touch(&format!("{made}({v} & 15) * {made}({e})")),
        6 => k.touch(&format!("t + ({made}({e}) && {same}({v} & {f}))")),
        7 => k.touch(&format!(
            "(((unsigned char){lambda}(t * {e})) << {f}) & 1023"
        )),
        8 => k.touch(&format!("(({lambda}(t) - {}) >> {f}) & 255", e * 8)),
        9 => {
            k.open(&format!("if ({lambda}(t) - {} < {f})", e * 5));
            k.touch_by(&f.to_string());
            k.close();
        }
        10 => {
            let x = k.name("x");
            k.line(&format!("auto {x} = {lambda}(t);"));
            let op = k.pick(&["+=", "-=", "*=", "^="]);
            k.line(&format!("{x} {op} {};", e * 31));
            k.touch(&format!("(int){x} & 511"));
        }
        11 => k.touch_by(&format!("(int)sizeof({lambda}({e}) + {f})")),
        12 => {
            k.open(&format!("switch ({made}({v} & 3))"));
            k.line(&format!("case {}:", e & 3));
            k.touch_by(&f.to_string());
            k.line("break;");
            k.line(&format!("case {}:", 4 + (f & 3)));
            k.touch_by(&e.to_string());
            k.close();
        }
        13 => {
            let x = k.name("x");
            let of = k.pick(&["unsigned", "long long", "unsigned char", "short"]);
            k.line(&format!("auto {x} = {condition} ? {same}(t) : ({of}){e};"));
            k.touch(&format!("(int)({x} - {f}) & 255"));
        }
        14 => k.touch(&format!("(-{same}({made}({v} & 7)) + 64) & 127")),
        _ => {
            let x = k.name("x");
            k.line(&format!("decltype({same}({made}(1))) {x}{{t & {f}}};"));
            k.touch(&format!("{x} + t * {x}.v"));
        }
    }
}

/// Operators of the user's in folds, chains and by their names.
pub fn operators(k: &mut Kernel) {
    let (s, all) = (k.global_name("Op"), k.global_name("all"));
    let symbol = k.pick(&[
        "&&", "||", ",", "+", "-", "<", "==", "!=", "|", "&", "*", "<<",
    ]);
    let (by, more) = (k.small(), k.small());
    let (head, first) = k.pick_pair(&[("template <class T> ", "T"), ("", "int")]);
    let result = k.pick(&["S ", "S &", "auto "]);
    let result = result.replace('S', &s);
    let (left, give) = if result.ends_with('&') {
        (format!("{s} &a"), "a.v += (int)o; return a;".to_owned())
    } else {
        (
            format!("const {s} &a"),
            format!("return {s}{{a.v * {by} + (int)o, a.w}};"),
        )
    };
    k.head += &format!(
        "struct {s} {{\n  int v, w;\n  __device__ explicit operator int() const {{ return w; }}\n  __device__ int &operator+() {{ w += {more}; return v; }}\n  __device__ int operator()(int i) const {{ return i * v; }}\n  __device__ int twice(int i) const {{ return operator()(i) + operator()({by}); }}\n}};\n{head}__device__ {result}operator{symbol}({left}, {first} o) {{ {give} }}\ntemplate <class... T> __device__ int {all}({s} o, T... x) {{ return (o {symbol} ... {symbol} x).v; }}\n"
    );
    let x = k.name("o");
    let (e, f) = (k.small(), k.small());
    k.line(&format!("{s} {x}{{{e}, {f}}};"));
    let count = 2 + k.random.below(3);
    for _ in 0..count {
        let (e, f) = (k.small(), k.small());
        match k.random.below(7) {
            0 => k.touch_by(&format!("({all}({x}, {e}, {f}) & 15)")),
            1 => k.touch_by(&format!("((({x} {symbol} {e}) {symbol} {f}).v & 15)")),
            2 => k.touch_by(&format!("(operator{symbol}({x}, {e}).v & 7)")),
            3 => {
                k.line(&format!("({x} {symbol} {e});"));
                k.touch_by(&format!("({x}.v & 15)"));
            }
            4 => {
                k.line(&format!("+{x} = {f};"));
                k.touch_by(&format!("({x}.v + {x}.w & 15)"));
            }
            5 => k.touch(&format!("{x}.twice(t) & 255")),
            _ => {
                let condition = k.condition();
                k.open(&format!("if ({condition})"));
                k.line(&format!("(({x} {symbol} {e}) {symbol} {f});"));
                k.line(&format!("+{x};"));
                k.close();
                k.touch_by(&format!("({x}.v + {x}.w & 15)"));
            }
        }
    }
}
