//! What C++ makes without being asked: copies, assignments, friends that arguments bring in, and types
//! of enumerations.

use super::kernel::Kernel;

/// Copies and assignments: by default, by hand, hidden by others, of members and bases.
pub fn copies(k: &mut Kernel) {
    let (name, holder) = (k.global_name("Copied"), k.global_name("Holder"));
    let (p, q, m) = (k.name("p"), k.name("q"), k.name("m"));
    let (c, e, f) = (k.constant(), k.small(), k.small());
    let copy = match k.random.below(3) {
        0 => format!("  {name}(const {name} &) = default;\n"),
        1 => format!("  __device__ {name}(const {name} &o) : v(o.v) {{}}\n"),
        _ => String::new(),
    };
    let assign = match k.random.below(5) {
        // A move that is declared deletes the copy that is not.
        0 if copy.is_empty() => {
            format!("  {name} &operator=(const {name} &) = default;\n")
        }
        0 => format!(
            "  {name} &operator=(const {name} &) = default;\n  {name} &operator=({name} &&) = default;\n"
        ),
        1 => format!(
            "  __device__ {name} &operator=(const {name} &o) {{ v = o.v + {e}; return *this; }}\n"
        ),
        2 => format!(
            "  template <class T> __device__ {name} &operator=(const T &o) {{ v = o.v * 2; return *this; }}\n"
        ),
        _ => String::new(),
    };
    let from_number = if k.random.one_in(2) {
        format!("  __device__ {name} &operator=(int x) {{ v = x + {f}; return *this; }}\n")
    } else {
        String::new()
    };
    k.head += &format!(
        "struct {name} {{\n  int v = 1;\n  {name}() = default;\n  __device__ {name}(int v) : v(v) {{}}\n{copy}{assign}{from_number}}};\nstruct {holder} {{\n  {name} c;\n  int z;\n}};\n"
    );
    k.line(&format!("{name} {p}({c}), {q}({e});"));
    match k.random.below(5) {
        0 => k.line(&format!("{p} = {q};")),
        1 => {
            k.line(&format!("{holder} {m}{{{p}, 2}}, {m}o{{{q}, 3}};"));
            k.line(&format!("{m} = {m}o;"));
            k.line(&format!("{p}.v = {m}.c.v + {m}.z;"));
        }
        2 => k.line(&format!("{name} {m}({p});\n  {p}.v = {m}.v + 2;")),
        3 => k.line(&format!("{name} {m} = {q};\n  {p} = {m};")),
        _ if from_number.is_empty() => k.line(&format!("{p} = {name}({f});")),
        _ => k.line(&format!("{p} = {f};")),
    }
    k.touch(&format!("t * {p}.v"));
    k.touch(&format!("t * {q}.v"));
}

/// Constructors that take another instance of their template: they copy no object of their own class.
pub fn between_instances(k: &mut Kernel) {
    let (name, f) = (k.global_name("Of"), k.global_name("take"));
    let (p, q, r) = (k.name("p"), k.name("q"), k.name("r"));
    let (c, e) = (k.small(), k.small());
    let from = match k.random.below(4) {
        0 => {
            format!("template <class U> __device__ {name}(const {name}<U> &o) : v(o.v + {e}) {{}}")
        }
        1 => format!("template <class U> __device__ {name}({name}<U> o) : v(o.v + {e}) {{}}"),
        2 => format!(
            "__device__ {name}(const {name}<typename {name}Bare<T>::type> &o) : v(o.v + {e}) {{}}"
        ),
        _ => format!(
            "using Self = {name};\n  __device__ {name}(const Self &o) : v(o.v + {e}) {{}}\n  template <class U> __device__ {name}(const {name}<U> &o) : v(o.v * 2) {{}}"
        ),
    };
    k.head += &format!(
        "template <class T> struct {name}Bare {{ using type = T; }};\ntemplate <class T> struct {name}Bare<const T> {{ using type = T; }};\ntemplate <class T> struct {name} {{\n  int v;\n  __device__ {name}(int v) : v(v) {{}}\n  {from}\n}};\n__device__ inline int {f}({name}<const int> o) {{ return o.v; }}\n"
    );
    k.line(&format!("{name}<const int> {p}({c});"));
    k.line(&format!("{name}<int> {q}({e});"));
    match k.random.below(3) {
        0 => k.line(&format!("{name}<const int> {r} = {p};")),
        1 => k.line(&format!("{name}<const int> {r}({q});")),
        _ => k.line(&format!("{name}<const int> {r} = {q};")),
    }
    k.touch(&format!("t * {r}.v"));
    k.touch(&format!("t * {f}({p})"));
    k.touch(&format!("t * {f}({q})"));
}

/// Operators and functions that a class defines as friends, beside others of the same name.
pub fn friends(k: &mut Kernel) {
    let (name, f) = (k.global_name("Friendly"), k.global_name("meet"));
    let (p, q) = (k.name("p"), k.name("q"));
    let (c, e) = (k.constant(), k.small());
    let is_template = k.random.one_in(2);
    let (head, ty, of) = if is_template {
        ("template <class T>\n", "T", "<int>")
    } else {
        ("", "int", "")
    };
    k.head += &format!(
        "{head}struct {name} {{\n  {ty} v;\n  friend __device__ {name} operator+(const {name} &l, const {name} &r) {{ return {{l.v + r.v}}; }}\n  __device__ friend int {f}(const {name} &l, {ty} k) {{ return l.v * k; }}\n}};\nstruct {name}Any {{\n  int v;\n  template <class T> __device__ {name}Any(const T &) : v({c}) {{}}\n}};\n__device__ inline int {f}(const {name}Any &l, int k) {{ return l.v + k; }}\n"
    );
    k.line(&format!("{name}{of} {p}{{{c}}}, {q}{{{e}}};"));
    match k.random.below(3) {
        0 => k.touch(&format!("t * ({p} + {q}).v")),
        1 => k.touch(&format!("t * {f}({p}, {e})")),
        _ => {
            k.line(&format!("{p} = {p} + {q} + {q};"));
            k.touch(&format!("t * {p}.v"));
        }
    }
    k.touch(&format!("t * {f}(2, {e})"));
}

/// Enumerations where types are chosen: specialisations, overloads, and functions declared too late.
pub fn enumerations(k: &mut Kernel) {
    let (name, f) = (k.global_name("Mode"), k.global_name("pick"));
    let (c, e, x) = (k.constant(), k.small(), k.name("mode"));
    let word = k.pick(&["enum", "enum class"]);
    let under = k.pick(&["", " : short", " : unsigned char"]);
    let one = if word == "enum" {
        format!("{name}A")
    } else {
        format!("{name}::{name}A")
    };
    k.head += &format!("{word} {name}{under} {{ {name}A = {e}, {name}B }};\n");
    match k.random.below(4) {
        0 => {
            k.head += &format!(
                "template <class T> struct {name}Of {{ static constexpr int v = {c}; }};\ntemplate <> struct {name}Of<{name}> {{ static constexpr int v = {e}; }};\ntemplate <> struct {name}Of<int> {{ static constexpr int v = 3; }};\n"
            );
            let ty = k.pick(&["int", "NAME", "unsigned char", "decltype(ONE)"]);
            let ty = ty.replace("NAME", &name).replace("ONE", &one);
            k.touch(&format!("t * {name}Of<{ty}>::v"));
        }
        1 => {
            k.head += &format!(
                "__device__ inline int {f}({name}) {{ return {c}; }}\n__device__ inline int {f}(long) {{ return {e}; }}\n"
            );
            k.line(&format!("{name} {x} = {one};"));
            k.touch(&format!("t * {f}({x})"));
            k.touch(&format!("t * {f}(1)"));
        }
        2 => {
            k.head += &format!(
                "template <class T, class U> struct {name}Same {{ static constexpr int v = {c}; }};\ntemplate <class T> struct {name}Same<T, T> {{ static constexpr int v = {e}; }};\ntemplate <class T> __device__ int {f}(T) {{ return {name}Same<T, int>::v + {name}Same<T, {name}>::v; }}\n"
            );
            k.touch(&format!("t * {f}({one})"));
            k.touch(&format!("t * {f}(1)"));
        }
        _ => {
            k.head += &format!(
                "__device__ inline int {f}(double) {{ return {c}; }}\ntemplate <class T> __device__ int {f}By(T v) {{ return {f}(v); }}\n__device__ inline int {f}(int) {{ return {e}; }}\n"
            );
            k.touch(&format!("t * {f}By(1)"));
            k.touch(&format!("t * {f}(1)"));
        }
    }
}
