//! Functions of the standard library on objects of the user's: they copy, assign and compare as the class says.

use super::kernel::Kernel;

/// `std::swap`, `std::exchange`, `std::min` and their kin.
pub fn on_objects(k: &mut Kernel) {
    let (class, o, p) = (k.global_name("Own"), k.name("o"), k.name("p"));
    let [c, d, e] = [k.small(), k.small(), k.constant()];
    let assignment = match k.random.below(4) {
        0 => format!(
            "__device__ {class} &operator=(const {class} &o) {{ x = o.y; y = o.x; return *this; }}"
        ),
        1 => format!(
            "__device__ {class} &operator=(const {class} &o) {{ x = o.x + {c}; y = o.y; return *this; }}"
        ),
        2 => format!("__device__ {class} &operator=(const {class} &o) = default;"),
        _ => String::new(),
    };
    let copy = match k.random.one_in(3) {
        true => format!("__device__ {class}(const {class} &o) : x(o.x), y(o.y + {d}) {{}}"),
        false => format!("__device__ {class}(const {class} &o) = default;"),
    };
    let sign = k.pick(&["<", ">"]);
    k.head += &format!(
        "#include <algorithm>\n#include <utility>\nstruct {class} {{ int x, y; __device__ {class}(int a, int b) : x(a), y(b) {{}} {copy} {assignment} __device__ bool operator<(const {class} &o) const {{ return x {sign} o.x; }} }};\n"
    );
    k.line(&format!("{class} {o}({c}, {e}), {p}({d}, {c});"));
    match k.random.below(6) {
        0 => k.line(&format!("std::swap({o}, {p});")),
        1 => {
            k.line(&format!(
                "{class} {o}s[2] = {{{o}, {p}}}, {o}r[2] = {{{p}, {o}}};"
            ));
            k.line(&format!("std::swap({o}s, {o}r);"));
            k.touch_by(&format!("{o}s[0].x"));
        }
        2 => k.line(&format!("{o} = std::move({p});")),
        3 => {
            let it = k.pick(&["max", "min"]);
            k.line(&format!("const {class} &{o}m = std::{it}({o}, {p});"));
            k.touch_by(&format!("{o}m.x"));
        }
        4 => {
            let it = k.pick(&["max", "min"]);
            let order = k.pick(&["x > y", "x < y", "(x ^ 3) < (y ^ 3)"]);
            k.touch_by(&format!(
                "std::{it}({c}, {d}, [](int x, int y) {{ return {order}; }})"
            ));
        }
        _ => {
            let order = k.pick(&["x > y", "x < y"]);
            let ends = match order {
                "x > y" => "9, 2",
                _ => "2, 9",
            };
            k.touch_by(&format!(
                "std::clamp((int){e}, {ends}, [](int x, int y) {{ return {order}; }})"
            ));
        }
    }
    k.touch_by(&format!("{o}.x"));
    k.touch(&format!("{p}.y * t + {o}.y"));
}
