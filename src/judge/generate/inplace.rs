//! Objects that are made in their place, and objects that are copied: each copy changes what the object holds.

use super::kernel::Kernel;

/// A class that counts copies, with the functions that give its objects.
struct Class {
    name: String,
    moves: bool,
    is_template: bool,
}

impl Class {
    fn declare(k: &mut Kernel) -> Self {
        let name = k.global_name("Copied");
        let [c, copied, moved, assigned] = [k.small(), k.small(), k.small(), k.small()];
        let moves = k.random.one_in(2);
        let is_template = k.random.one_in(4);
        let head = if is_template {
            "template <class T>\n"
        } else {
            ""
        };
        let of = if is_template { "T" } else { "int" };
        let copy = k.pick(&["const C &o", "const C &o", "C const &o, int = 0"]);
        let mut body = format!(
            "  {of} k;\n  __device__ C(int x) : k(x + {c}) {{}}\n  __device__ C({copy}) : k(o.k + {copied}) {{}}\n"
        );
        if moves {
            body += &format!("  __device__ C(C &&o) : k(o.k + {moved}) {{ o.k = 1; }}\n");
        }
        if moves || k.random.one_in(2) {
            body += &format!(
                "  __device__ C &operator=(const C &o) {{ k = o.k + {assigned}; return *this; }}\n"
            );
        }
        body += "  __device__ int bump() { return k += 2; }\n";
        let body = body.replace("C(", &format!("{name}("));
        let used = if is_template {
            format!("{name}<int>")
        } else {
            name.clone()
        };
        let body = body.replace("C ", &format!("{name} "));
        k.head += &format!("#include <utility>\n{head}struct {name} {{\n{body}}};\n");
        k.head += &format!(
            "__device__ {used} {name}make(int x) {{ return {used}(x); }}\n__device__ {used} {name}again(int x) {{ return {name}make(x + 1); }}\n__device__ {used} {name}pass({used} x) {{ return x; }}\n__device__ const {used} &{name}same(const {used} &x) {{ return x; }}\n__device__ int {name}take({used} x) {{ return x.k; }}\n"
        );
        Self {
            name: used,
            moves,
            is_template,
        }
    }

    fn stem(&self) -> &str {
        self.name.split('<').next().unwrap_or(&self.name)
    }

    /// What an object is made from; `old` is one that lives.
    fn initialiser(&self, k: &mut Kernel, old: &str) -> String {
        let (c, stem) = (&self.name, self.stem());
        let (e, f) = (k.expression(0), k.small());
        let condition = match k.random.one_in(3) {
            true => k.pick(&["true", "sizeof(int) == 4", "2 > 3"]).to_owned(),
            false => k.condition(),
        };
        match k.random.below(16) {
            0 => format!("{c}({e})"),
            1 => format!("{c}{{{e}}}"),
            2 => format!("{stem}make({e})"),
            3 => format!("{stem}again({e})"),
            4 => format!("({condition} ? {c}({e}) : {c}({f}))"),
            5 => format!("({condition} ? {old} : {c}({f}))"),
            6 => old.to_owned(),
            7 => format!("std::move({old})"),
            8 => format!("({c}){e}"),
            9 => format!("static_cast<{c}>({e})"),
            10 => format!("{stem}pass({old})"),
            11 => format!("{stem}pass({c}({e}))"),
            12 => format!("{stem}same({old})"),
            13 => format!("(v += 1, {c}({e}))"),
            14 => format!("[&] {{ return {c}({e}); }}()"),
            _ => format!("{c}({c}{{{stem}make({e})}})"),
        }
    }
}

pub fn objects(k: &mut Kernel) {
    let class = Class::declare(k);
    let (c, stem) = (class.name.clone(), class.stem().to_owned());
    let (old, x) = (k.name("j"), k.name("x"));
    let e = k.expression(0);
    k.line(&format!("{c} {old}({e});"));
    for _ in 0..1 + k.random.below(2) {
        let from = class.initialiser(k, &old);
        let what = into(k, &class, &from, &old);
        k.touch_by(&what);
    }
    let from = class.initialiser(k, &old);
    k.line(&format!("{c} {x} = {from};"));
    match k.random.below(5) {
        0 => k.line(&format!("{c} {x}b = {x}; {x}.k = 2; {x} = {x}b;")),
        1 if !class.moves => k.line(&format!("{x} = {old};")),
        2 => k.line(&format!("{old} = {stem}pass({x});")),
        3 => {
            let condition = k.condition();
            k.line(&format!("if ({condition}) {x} = {c}({old}.k);"));
        }
        _ => {}
    }
    k.touch_by(&format!("{x}.k"));
    k.touch_by(&format!("{old}.k"));
}

/// Something that `from` is made into; gives the number that it holds.
#[expect(clippy::too_many_lines, reason = "one text")]
fn into(k: &mut Kernel, class: &Class, from: &str, old: &str) -> String {
    let (c, stem) = (&class.name, class.stem().to_owned());
    let x = k.name("o");
    match k.random.below(16) {
        0 => {
            // `C x(C(y));` declares a function.
            let inside = from.strip_prefix(&format!("{c}("));
            let is_function =
                inside.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
            match is_function {
                true => k.line(&format!("{c} {x}(({from}));")),
                false => k.line(&format!("{c} {x}({from});")),
            }
        }
        1 => k.line(&format!("{c} {x}{{{from}}};")),
        2 => k.line(&format!("{c} {x} = {{{from}}};")),
        3 => k.line(&format!("auto {x} = {from};")),
        4 => k.line(&format!("const {c} &{x} = {from};")),
        5 => k.line(&format!("auto &&{x} = {from};")),
        6 => return format!("{stem}take({from})"),
        7 => return format!("({from}).k"),
        14 => {
            let f = k.name("q");
            k.line(&format!("int {f} = ({from}).bump();"));
            return f;
        }
        8 => {
            let w = k.global_name("Held");
            k.head += &format!("struct {w} {{ {c} c; int u; }};\n");
            k.line(&format!("{w} {x}{{{from}, 2}};"));
            if k.random.one_in(2) {
                k.line(&format!("{w} {x}c = {x};"));
                return format!("{x}c.c.k");
            }
            return format!("{x}.c.k");
        }
        9 => {
            let w = k.global_name("Built");
            let init = k
                .pick(&["c(@)", "c{@}", "c(@make(x))", "c{@make(x)}"])
                .replace("@make", &format!("{stem}make"))
                .replace('@', &format!("{c}(x)"));
            k.head += &format!("struct {w} {{ {c} c; __device__ {w}(int x) : {init} {{}} }};\n");
            k.line(&format!("{w} {x}({old}.k);"));
            return format!("{x}.c.k");
        }
        10 => {
            let other = class.initialiser(k, old);
            k.line(&format!("{c} {x}[2] = {{{from}, {other}}};"));
            let at = k.pick(&["0", "1", "n & 1"]);
            return format!("{x}[{at}].k");
        }
        11 => {
            k.line(&format!("auto {x} = [{x}c = {from}] {{ return {x}c.k; }};"));
            return format!("{x}()");
        }
        12 => {
            let f = k.global_name("given");
            k.head += &format!(
                "template <class T> __device__ int {f}(T &&x) {{ T y = std::forward<T>(x); return y.k; }}\n"
            )
            .replace("T y", "std::remove_reference_t<T> y")
            .replace("template", "#include <type_traits>\ntemplate");
            return format!("{f}({from})");
        }
        13 if !class.is_template => {
            let w = k.global_name("Derived");
            k.head += &format!(
                "struct {w} : {c} {{ int u = 3; __device__ {w}(int x) : {c}(x) {{}} }};\n"
            );
            k.line(&format!("{w} {x}d({old}.k); {c} {x} = {x}d;"));
        }
        _ => {
            let i = k.name("i");
            k.line(&format!("{c} {x}s[2] = {{{from}, {old}}}; int {x} = 0;"));
            let by = k.pick(&["auto", "auto &", "const auto &"]);
            k.open(&format!("for ({by} {i} : {x}s)"));
            k.line(&format!("{x} += {i}.k;"));
            k.close();
            return x;
        }
    }
    format!("{x}.k")
}
