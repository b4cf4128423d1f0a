//! Exchanges between lanes: every function, width and type, in loops and in functions of the user's.

use super::kernel::Kernel;

/// A call of one of the four, all lanes of the warp taking part.
fn call(k: &mut Kernel, value: &str, width: &str) -> String {
    let mask = k.pick(&["~0u", "0xffffffffu", "0xffffffff", "(unsigned)-1"]);
    let by = match k.random.below(5) {
        0 => "n & 31".to_owned(),
        1 => "t & 7".to_owned(),
        2 => "31 - (t & 31)".to_owned(),
        3 => k.small().to_string(),
        _ => (1 << k.random.below(5)).to_string(),
    };
    let name = k.pick(&[
        "__shfl_sync",
        "__shfl_xor_sync",
        "__shfl_down_sync",
        "__shfl_up_sync",
    ]);
    match width {
        "" => format!("{name}({mask}, {value}, {by})"),
        _ => format!("{name}({mask}, {value}, {by}, {width})"),
    }
}

pub fn widths(k: &mut Kernel) {
    // The lanes of a warp that is not whole have nobody to ask.
    let r = k.name("r");
    let ty = k.pick(&[
        "int",
        "unsigned",
        "long long",
        "unsigned long long",
        "long",
        "float",
        "double",
    ]);
    let e = k.expression(1);
    let source = k
        .pick(&["d[t]", "t", "t * 3", "(t & 31) * 2", "@"])
        .replace('@', &e);
    let width = k.pick(&["", "1", "2", "4", "8", "16", "32", "W", "w"]);
    let known = match width {
        "W" => {
            let w = 1 << k.random.below(6);
            k.line(&format!("constexpr int {r}W = {w};"));
            format!("{r}W")
        }
        "w" => {
            k.line(&format!("const int {r}w = 1 << (n & 3);"));
            format!("{r}w")
        }
        other => other.to_owned(),
    };
    match k.random.below(6) {
        0 | 1 => {
            let call = call(k, &format!("({ty})({source})"), &known);
            k.line(&format!("{ty} {r} = {call};"));
        }
        2 => {
            let (o, from) = (k.name("o"), k.pick(&["16", "8", "4", "2"]));
            k.line(&format!("{ty} {r} = {source};"));
            let name = k.pick(&["__shfl_xor_sync", "__shfl_down_sync"]);
            let act = match k.random.below(3) {
                0 => format!("{r} += {name}(~0u, {r}, {o});"),
                1 => format!("{r} = max({r}, {name}(~0u, {r}, {o}));"),
                _ => format!("{r} += {name}(~0u, {r}, {o}, {from} * 2);"),
            };
            k.line("#pragma unroll");
            k.line(&format!("for (int {o} = {from}; {o} > 0; {o} >>= 1) {act}"));
        }
        3 => {
            let f = k.global_name("all");
            k.head += &format!(
                "template <int W, class T> __device__ __forceinline__ T {f}(T v) {{\n  for (int o = W / 2; o >= 1; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o, W);\n  return v;\n}}\n"
            );
            let w = 2 << k.random.below(5);
            k.line(&format!("{ty} {r} = {f}<{w}>(({ty})({source}));"));
        }
        4 => {
            let call = call(k, &format!("({ty})({source})"), &known);
            let again = self::call(k, &format!("{r}a"), "");
            k.line(&format!("{ty} {r}a = {call}; {ty} {r} = {again};"));
        }
        _ => {
            let (o, up) = (k.name("o"), k.pick(&["32", "16", "8"]));
            k.line(&format!("{ty} {r} = {source};"));
            k.open(&format!("for (int {o} = 1; {o} < {up}; {o} *= 2)"));
            k.line(&format!("{ty} {r}u = __shfl_up_sync(~0u, {r}, {o}, {up});"));
            k.line(&format!("if ((t & ({up} - 1)) >= {o}) {r} += {r}u;"));
            k.close();
        }
    }
    let c = k.constant();
    match k.random.below(5) {
        0 => k.touch(&format!("((int){r} & 1023) * 8 + (t & 7)")),
        1 => k.touch(&format!("((int){r} & 1023) + t")),
        2 => k.touch(&format!("((int){r} & 7) * t")),
        3 => k.touch(&format!("((int){r} & 31) * {c}")),
        _ => {
            k.open(&format!("if ({r} > {c})"));
            k.touch("t * 2");
            k.close();
        }
    }
}
