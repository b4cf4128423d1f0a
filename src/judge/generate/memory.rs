//! Structs, vectors, pointers and arrays.

use super::kernel::Kernel;

fn members(k: &mut Kernel) -> (String, Vec<String>) {
    const TYPES: [&str; 9] = [
        "int",
        "float",
        "char",
        "short",
        "double",
        "unsigned char",
        "long long",
        "bool",
        "float",
    ];
    let count = 2 + k.random.below(4);
    let mut text = String::new();
    let mut names = Vec::new();
    for at in 0..count {
        let ty = TYPES[k.random.below(TYPES.len())];
        let name = format!("m{at}");
        if k.random.one_in(5) {
            text += &format!("  {ty} {name}[{}];\n", k.small());
            names.push(format!("{name}[0]"));
        } else {
            text += &format!("  {ty} {name};\n");
            names.push(name);
        }
    }
    (text, names)
}

fn access_members(k: &mut Kernel, name: &str, names: &[String]) {
    let p = k.name("p");
    let c = k.small();
    k.line(&format!("{name} *{p} = ({name} *)a;"));
    let member = names[k.random.below(names.len())].clone();
    match k.random.below(5) {
        0 => k.line(&format!("{p}[t].{member} = 1;")),
        1 => k.line(&format!("v += {p}[t * {c}].{member};")),
        2 => k.line(&format!("({p} + t)->{member} = 2;")),
        3 => {
            let r = k.name("r");
            k.line(&format!("{name} &{r} = {p}[t + n];"));
            k.line(&format!("{r}.{member} = 3;"));
        }
        _ => {
            k.touch(&format!("t * sizeof({name})"));
            k.line(&format!("v += {p}[t].{member};"));
        }
    }
}

pub fn structs(k: &mut Kernel) {
    let name = k.global_name("S");
    let (text, mut names) = members(k);
    match k.random.below(6) {
        0 => {
            k.head += &format!(
                "struct alignas({}) {name} {{\n{text}}};\n",
                8 << k.random.below(2)
            )
        }
        1 => {
            k.head += &format!(
                "struct {name}Base {{\n  char tag;\n  int id;\n}};\nstruct {name} : {name}Base {{\n{text}}};\n"
            );
            names.push("id".to_owned());
        }
        2 => {
            k.head += &format!(
                "struct {name} {{\n{text}  struct {{\n    short in;\n    double out;\n  }} deep;\n}};\n"
            );
            names.push("deep.out".to_owned());
        }
        3 => {
            k.head += &format!(
                "struct {name} {{\n{text}  union {{\n    int word;\n    unsigned char byte[4];\n  }};\n}};\n"
            );
            names.push("byte[2]".to_owned());
        }
        4 => {
            k.head += &format!("typedef struct {{\n{text}}} {name};\n");
        }
        _ => k.head += &format!("struct {name} {{\n{text}}};\n"),
    }
    access_members(k, &name, &names);
}

pub fn packed(k: &mut Kernel) {
    let name = k.global_name("Q");
    let (text, names) = members(k);
    match k.random.below(4) {
        0 => k.head += &format!("struct __attribute__((packed)) {name} {{\n{text}}};\n"),
        1 => {
            k.head +=
                &format!("#pragma pack(push, 1)\nstruct {name} {{\n{text}}};\n#pragma pack(pop)\n")
        }
        2 => {
            k.head +=
                &format!("#pragma pack(push, 2)\nstruct {name} {{\n{text}}};\n#pragma pack(pop)\n")
        }
        _ => k.head += &format!("struct {name} {{\n{text}}} __attribute__((packed));\n"),
    }
    // Aligned members only run; sizes always tell.
    k.touch(&format!("t * sizeof({name})"));
    let _ = names;
}

pub fn vectors(k: &mut Kernel) {
    let c = k.small();
    let w = k.name("w");
    match k.random.below(7) {
        0 => {
            k.line(&format!("float4 {w} = ((const float4 *)b)[t * {c}];"));
            k.line(&format!("v += {w}.x + {w}.w;"));
        }
        1 => k.line("reinterpret_cast<float2 *>(a)[t + n * 2] = make_float2(1, 2);"),
        2 => k.line(&format!("v += ((const float4 *)b)[t * {c}].y;")),
        3 => {
            k.line(&format!("int2 {w} = *(const int2 *)(d + t * 2);"));
            k.touch(&format!("{w}.x"));
        }
        4 => {
            k.line(&format!("float3 {w} = ((const float3 *)b)[t];"));
            k.line(&format!("v += {w}.y;"));
        }
        5 => k.line(&format!("((double2 *)a)[t * {c}].y = 2.0;")),
        _ => {
            k.line(&format!("uchar4 {w} = ((const uchar4 *)b)[t * {c} + 1];"));
            k.touch(&format!("{w}.z + t"));
        }
    }
}

pub fn pointers(k: &mut Kernel) {
    let p = k.name("p");
    let element = k.element();
    let (c, e, i) = (k.constant(), k.small(), k.expression(1));
    match k.random.below(8) {
        0 => {
            k.line(&format!("{element} *{p} = a + {c};"));
            k.line(&format!("{p}[{i}] = v;"));
        }
        1 => {
            k.line(&format!("{element} *{p} = &a[t * {e}];"));
            k.line(&format!("*{p} = v;"));
            k.line(&format!("{p}[1] = v;"));
        }
        2 => {
            k.line(&format!("{element} *{p} = a;"));
            k.line(&format!("{p} += t;"));
            k.line(&format!("*{p}++ = v;"));
            k.line(&format!("*{p} = v;"));
        }
        3 => {
            k.line(&format!("const {element} *{p} = b + n * t;"));
            k.line(&format!("v += {p}[{e}];"));
        }
        4 => {
            let q = k.name("q");
            k.line(&format!("{element} *{p} = a + t, *{q} = a + {c};"));
            k.line(&format!("int dist{q} = (int)({p} - {q}) + {c};"));
            k.touch(&format!("dist{q} * {e}"));
        }
        5 => {
            k.open(&format!(
                "for ({element} *{p} = a + t; {p} < a + {c} * 16; {p} += 32)"
            ));
            k.line(&format!("*{p} = v;"));
            k.close();
        }
        6 => {
            k.line(&format!("{element} *{p} = s + {e};"));
            k.line(&format!("{p}[(t * {c}) & 1023] = v;"));
        }
        _ => {
            k.line(&format!("{element} *const {p} = a - {e};"));
            k.line(&format!("{e}[{p} + t] = v;"));
        }
    }
}

pub fn several_pointers(k: &mut Kernel) {
    let (p, q) = (k.name("p"), k.name("q"));
    let element = k.element();
    let (c, e, cond) = (k.constant(), k.small(), k.condition());
    match k.random.below(7) {
        0 => {
            k.line(&format!("{element} *{p} = n > 8 ? a + 1 : a + {c};"));
            k.line(&format!("{p}[t] = v;"));
        }
        1 => {
            k.line(&format!("{element} *{p} = {cond} ? s : s + {c};"));
            k.line(&format!("{p}[(t * {e}) & 1023] = v;"));
        }
        2 => {
            k.line(&format!("{element} *{p}[2] = {{a, a + {c}}};"));
            k.line(&format!("{element} *{q}[3] = {{a, a, a}};"));
            k.line(&format!("if ({cond}) {q}[n & 1] = a + {e};"));
            k.line(&format!("{p}[n & 1][t] = v;"));
            k.line(&format!("{q}[n & 1][t * {e}] = v;"));
        }
        3 => {
            k.line(&format!("{element} *{p} = a, *{q} = a + {c};"));
            let i = k.name("i");
            k.open(&format!("for (int {i} = 0; {i} < (n & 3); ++{i})"));
            k.line(&format!("{element} *z = {p};"));
            k.line(&format!("{p} = {q};"));
            k.line(&format!("{q} = z;"));
            k.close();
            k.line(&format!("{p}[t] = v;"));
        }
        4 => {
            k.line(&format!("__shared__ {element} {q}[512];"));
            k.line(&format!("{element} *{p} = n > 4 ? s : {q};"));
            k.line(&format!("{p}[(t * 2) & 511] = v;"));
        }
        5 => {
            k.line(&format!("{element} *{p} = a;"));
            k.line(&format!("if ({cond}) {p} = s;"));
            k.line(&format!("{p}[(t * {e}) & 1023] = v;"));
        }
        _ => {
            k.line(&format!("{element} *{p} = a;"));
            k.line(&format!("if ({cond}) {p} += {c};"));
            k.line(&format!("{p}[t] = v;"));
        }
    }
}

pub fn pointer_casts(k: &mut Kernel) {
    let p = k.name("p");
    let (c, e) = (k.constant(), k.small());
    let ty = k.pick(&[
        "char",
        "short",
        "int",
        "float",
        "double",
        "unsigned char",
        "unsigned",
        "long long",
    ]);
    match k.random.below(6) {
        0 => k.line(&format!("(({ty} *)a)[t * {e}] = 1;")),
        1 => {
            k.line(&format!(
                "{ty} *{p} = reinterpret_cast<{ty} *>((char *)a + t * 64);"
            ));
            k.line(&format!("*{p} = 3;"));
        }
        2 => {
            k.line(&format!("{ty} *{p} = ({ty} *)s;"));
            k.line(&format!("{p}[(t * {e}) & 127] = 1;"));
        }
        3 => k.line(&format!("*({ty} *)&a[(t * {c}) & ~7] = 1;")),
        4 => {
            k.line(&format!("const {ty} *{p} = ({ty} *)(void *)b;"));
            k.line(&format!("v += {p}[t + n];"));
        }
        _ => {
            k.line(&format!("uintptr_t {p} = (uintptr_t)a + t * {};", 8 * e));
            k.line(&format!("*({ty} *){p} = 1;"));
        }
    }
}

pub fn two_dimensions(k: &mut Kernel) {
    let tile = k.name("tile");
    let element = k.element();
    let w = k.random.number(&[8, 16, 17, 31, 32, 33, 40]);
    k.line(&format!("__shared__ {element} {tile}[32][{w}];"));
    let r = k.name("r");
    match k.random.below(6) {
        0 => k.line(&format!("{tile}[t & 31][3] = v;")),
        1 => k.line(&format!("{tile}[threadIdx.x & 31][threadIdx.y & 7] = v;")),
        2 => {
            k.open(&format!("for (int {r} = 0; {r} < 8; ++{r})"));
            k.line(&format!("v += {tile}[t & 31][{r}];"));
            k.close();
        }
        3 => {
            k.line(&format!("{element} (*{r})[{w}] = {tile};"));
            k.line(&format!("{r}[t & 31][n & 7] = v;"));
        }
        4 => k.line(&format!("(&{tile}[0][0])[(t * {w}) & 255] = v;")),
        _ => {
            k.line(&format!("{element} *{r} = {tile}[t & 15];"));
            k.line(&format!("{r}[(n & 3) + 1] = v;"));
        }
    }
    k.touch(&format!("t * (sizeof({tile}[0]) / sizeof({element}))"));
}

pub fn local_arrays(k: &mut Kernel) {
    let c = k.name("c");
    let (x, y, e) = (k.constant(), k.constant(), k.small());
    let cond = k.condition();
    match k.random.below(8) {
        0 => {
            k.line(&format!("int {c}[4] = {{1, {x}, {y}, 3}};"));
            k.touch(&format!("t * {c}[n & 3]"));
        }
        1 => {
            k.line(&format!("int {c}[4] = {{0}};"));
            k.line(&format!("if ({cond}) {c}[n & 3] = {x};"));
            k.touch(&format!("{c}[m & 3] + t"));
            k.touch(&format!("{c}[n & 3] * t"));
        }
        2 => {
            let i = k.name("i");
            k.line(&format!("int {c}[8];"));
            k.line(&format!(
                "for (int {i} = 0; {i} < 8; ++{i}) {c}[{i}] = {i} * {x};"
            ));
            k.touch(&format!("t * {c}[{e} - 1]"));
            k.touch(&format!("{c}[t & 7]"));
        }
        3 => {
            k.line(&format!("int {c}[2] = {{{x}, {y}}};"));
            k.line(&format!("{c}[n & 1] += t;"));
            k.touch(&format!("{c}[0]"));
            k.touch(&format!("{c}[1] * 2"));
        }
        4 => {
            k.line(&format!("const int {c}[] = {{{x}, {y}, 5}};"));
            k.touch(&format!("t * {c}[t % 3]"));
            k.touch(&format!("t * (sizeof({c}) / sizeof({c}[0]))"));
        }
        5 => {
            k.line(&format!(
                "int {c}[2][3] = {{{{1, 2, {x}}}, {{{y}, 5, 6}}}};"
            ));
            k.touch(&format!("t * {c}[n & 1][2]"));
        }
        6 => {
            let ty = k.pick(&["int", "short", "long long", "unsigned char"]);
            k.line(&format!(
                "{ty} {c}[4] = {{1, ({ty}){x}, ({ty})t, ({ty}){y}}};"
            ));
            let (to, from) = [("1", "0"), ("0", "1"), ("2", "0"), ("0", "2")][k.random.below(4)];
            let count = if to == "2" || from == "2" { 2 } else { 3 };
            k.line(&format!(
                "memmove({c} + {to}, {c} + {from}, {count} * sizeof({ty}));"
            ));
            let at = k.random.below(4);
            k.touch(&format!("t * (int){c}[{at}]"));
            k.touch(&format!("(int){c}[3] + t * {e}"));
        }
        _ => {
            let p = k.name("p");
            k.line(&format!("int {c}[4] = {{1, 2, 3, 4}};"));
            k.line(&format!("int *{p} = {c} + (n & 1);"));
            k.line(&format!("{p}[1] = {x};"));
            k.touch(&format!("t * {c}[1]"));
            k.touch(&format!("t * {c}[2]"));
        }
    }
}

pub fn indirect(k: &mut Kernel) {
    let (c, e) = (k.constant(), k.expression(1));
    match k.random.below(5) {
        0 => k.touch(&format!("d[t] * {c}")),
        1 => k.touch("d[n & 63] + t"),
        2 => k.touch(&format!("d[{e}]")),
        3 => k.touch(&format!("(d[t] & 7) * {c} + t")),
        _ => k.touch("d[0] * t"),
    }
}

pub fn bytes(k: &mut Kernel) {
    let buf = k.name("buf");
    let ty = k.pick(&["unsigned char", "char", "short", "unsigned short"]);
    let (c, e) = (k.constant(), k.shared());
    k.line(&format!("__shared__ {ty} {buf}[512];"));
    match k.random.below(3) {
        0 => k.line(&format!("{buf}[(t * {c} + {e}) & 511] = 1;")),
        1 => k.line(&format!("v += {buf}[(t + {e}) & 511];")),
        _ => k.line(&format!("{buf}[({c} * t) % 512] = 2;")),
    }
}

pub fn atomics(k: &mut Kernel) {
    let (c, e) = (k.constant(), k.expression(1));
    let bins = k.name("bins");
    match k.random.below(4) {
        0 => {
            k.line(&format!("__shared__ int {bins}[256];"));
            k.line(&format!("atomicAdd(&{bins}[(t * {c}) & 255], 1);"));
        }
        1 => k.line(&format!("atomicAdd((int *)a + t * {c}, t);")),
        2 => k.line(&format!("atomicMax((int *)a + ({e}), 5);")),
        _ => {
            k.line(&format!("int {bins} = atomicAdd((int *)a, 1);"));
            k.touch(&format!("{bins} & 31"));
        }
    }
}

/// Tiles whose columns meet in one bank, as padding and swizzles cure them.
pub fn tiles(k: &mut Kernel) {
    let tile = k.name("tile");
    let element = k.element();
    let (i, c) = (k.name("i"), k.name("c"));
    match k.random.below(6) {
        0 => {
            k.line(&format!("__shared__ {element} {tile}[32][32];"));
            k.line(&format!(
                "{tile}[threadIdx.y & 31][threadIdx.x & 31] = b[t];"
            ));
            k.line("__syncthreads();");
            k.line(&format!(
                "a[t] = {tile}[threadIdx.x & 31][threadIdx.y & 31];"
            ));
        }
        1 => {
            k.line(&format!("__shared__ {element} {tile}[64 * 32];"));
            k.open(&format!("for (int {i} = 0; {i} < 32; ++{i})"));
            k.line(&format!("{tile}[(t & 31) * 32 + {i}] = b[t * 32 + {i}];"));
            k.close();
            k.line("__syncthreads();");
            k.open(&format!("for (int {i} = 0; {i} < 32; ++{i})"));
            k.line(&format!("v += {tile}[{i} * 32 + (t & 31)];"));
            k.close();
        }
        2 => {
            k.line(&format!("__shared__ {element} {tile}[64 * 32];"));
            k.line(&format!("int {c} = 0;"));
            k.open(&format!("for (int {i} = 0; {i} < 9; ++{i})"));
            k.open(&format!("if (d[{i}] > 30)"));
            k.line(&format!("{c} = 32;"));
            k.line("break;");
            k.close();
            k.close();
            k.line(&format!("{tile}[(t & 31) * 32 + {c}] = t;"));
            k.line("__syncthreads();");
            k.line(&format!(
                "v += {tile}[((t + 1) & 31) * 32 + 1] + {tile}[(t & 31) * 32];"
            ));
        }
        3 => {
            k.line(&format!("__shared__ {element} {tile}[32][32];"));
            k.open(&format!("for (int {i} = 0; {i} < 32; {i}++)"));
            k.line(&format!("{tile}[t & 31][{i}] = b[{i}];"));
            k.close();
            k.line("__syncthreads();");
            k.line(&format!("v += {tile}[n & 31][t & 31];"));
            if k.random.one_in(2) {
                k.touch(&format!("t * (sizeof({tile}) / sizeof({tile}[0]))"));
            }
        }
        4 => {
            k.line(&format!("__shared__ {element} {tile}[16][16];"));
            k.line(&format!("{tile}[t & 15][n & 15] = t;"));
            k.line("__syncthreads();");
            k.line(&format!("{element} *{c} = &{tile}[0][0];"));
            k.line(&format!("v += {c}[(t & 15) * 16 + (n & 15)];"));
        }
        _ => {
            k.line(&format!("__shared__ {element} {tile}[8][8][8];"));
            k.line(&format!("{tile}[t & 7][n & 7][(t >> 3) & 7] = t;"));
            k.line("__syncthreads();");
            k.line(&format!("v += {tile}[(t >> 3) & 7][t & 7][m & 7];"));
        }
    }
    k.line("a[t] = v;");
}
