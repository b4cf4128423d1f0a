//! What the compiler makes of accesses beside what the text says of them.

use cudalint::prove::verdict::{Access, Status};
use cudalint::prove::{self, Prover};
use cudalint::session::{Options, analyse_text};

fn accesses(text: &str) -> (Vec<Access>, cudalint::source::SourceMap) {
    let options = Options {
        reads_disk: false,
        ..Options::default()
    };
    let analysis = analyse_text("k.cu", text.to_owned(), &options);
    let prover = Prover::new(prove::Options::default());
    (prover.analyse(&analysis.program).0, analysis.sources)
}

/// In the rest of an unrolled loop lanes are in different iterations, if they run unequal numbers of them.
#[test]
fn lanes_of_an_unrolled_loop_may_be_in_different_iterations() {
    let bounds = |head: &str, index: &str| {
        let text = format!(
            "__global__ void k(float *out, const float *in, int n) {{\n\
             float s = 0;\n\
             for ({head}) s += in[{index}];\n\
             out[threadIdx.x] = s;\n}}\n\
             void f(float *a, float *b, int n) {{ k<<<1, 256>>>(a, b, n); }}\n"
        );
        let (accesses, _) = accesses(&text);
        let load = accesses.iter().find(|one| *one.site.array == *"in");
        let bounds = load.expect("a load").bounds();
        (bounds.status, bounds.min, bounds.max, bounds.ideal)
    };
    let apart = (Status::Bounded, 1, 32, 4);
    let together = (Status::Exact, 4, 4, 4);
    assert_eq!(
        bounds("int j = 0; j < threadIdx.x; j++", "j * 256 + threadIdx.x"),
        apart
    );
    assert_eq!(
        bounds("int j = threadIdx.x; j < 2 * n; j += 16", "j"),
        apart
    );
    assert_eq!(
        bounds("int j = 0; j < n; j++", "j * 256 + threadIdx.x"),
        together
    );
    // One iteration more or less, in the warp at the end.
    assert_eq!(
        bounds("int j = threadIdx.x; j < n; j += 256", "j"),
        together
    );
}

/// A copy of an object is stored in the line of what it reads.
#[test]
fn copies_of_objects_stand_where_they_are_read() {
    let text = "__global__ void k(float *out, const float4 *in, int n) {\n\
                int i = threadIdx.x;\n\
                reinterpret_cast<float4 *>(\n\
                  &out[i * 4])[0] =\n\
                  in[i];\n\
                out[i * 9]\n\
                  = 1.0f;\n}\n\
                void f(float *a, float4 *b, int n) { k<<<1, 256>>>(a, b, n); }\n";
    let (accesses, sources) = accesses(text);
    let lines = accesses.iter().map(|one| {
        let line = sources.get(one.site.line.file).line(one.site.line.start);
        (one.width, one.op.name(), line)
    });
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines, [(16, "load", 5), (16, "store", 5), (4, "store", 6)]);
}

/// `asm` and calls into the system keep the accesses before them from those behind.
#[test]
fn no_accesses_are_merged_across_a_stop() {
    let merged = |between: &str| {
        let text = format!(
            "__global__ void k(float2 *out, float x) {{\n\
             float2 &own = out[threadIdx.x];\n\
             own.x = x;\n{between}\nown.y = x;\n}}\n\
             void f(float2 *a, float x) {{ k<<<1, 256>>>(a, x); }}\n"
        );
        let (accesses, _) = accesses(&text);
        accesses.iter().filter(|one| one.merged.is_some()).count()
    };
    assert_eq!(merged(""), 2);
    assert_eq!(merged("asm(\"mov.f32 %0, %0;\" : \"+f\"(x));"), 0);
    assert_eq!(merged("printf(\"%f\", x);"), 0);
}

/// The compiler knows no launch, and a store of the value that is changed in place stands before the next load.
#[test]
fn no_accesses_are_merged_for_the_numbers_of_a_launch() {
    let merged = |body: &str, block: u32| {
        let text = format!(
            "__global__ void k(float *out) {{\n__shared__ float s[128];\nunsigned t = threadIdx.x;\n{body}\n}}\n\
             void f(float *a) {{ k<<<1, {block}>>>(a); }}\n"
        );
        let (accesses, _) = accesses(&text);
        accesses.iter().filter(|one| one.merged.is_some()).count()
    };
    let pair = |apart: &str| format!("out[t] = s[2 * t] + s[2 * t + {apart}];");
    assert_eq!(merged(&pair("1"), 2), 2);
    assert_eq!(merged(&pair("blockDim.x"), 1), 0);
    let turns = |most: &str| format!("for (int k = 0; k < {most}; k++) out[t] += s[2 * t + k];");
    assert!(merged(&turns("2"), 2) > 0);
    assert_eq!(merged(&turns("blockDim.x"), 2), 0);
    let both = |by: &str| format!("s[6 * t] {by}; s[6 * t + 1] {by}; out[t] = s[t];");
    assert_eq!(merged(&both("+= 1"), 8), 0);
    assert!(merged(&both("= 1"), 8) > 0);
}

/// What the headers of CUDA do by `asm` keeps accesses apart as well.
#[test]
fn no_accesses_are_merged_across_conversions_to_half() {
    let merged = |body: &str| {
        let text = format!(
            "#include <cuda_fp16.h>\n__global__ void k(half2 *out, float x) {{\n\
             half2 &own = out[threadIdx.x];\n{body}\n}}\n\
             void f(half2 *a, float x) {{ k<<<1, 256>>>(a, x); }}\n"
        );
        let (accesses, _) = accesses(&text);
        accesses.iter().filter(|one| one.merged.is_some()).count()
    };
    let first = "half a = __float2half(x), b = __float2half(2 * x); own.x = a; own.y = b;";
    assert_eq!(merged(first), 2);
    assert_eq!(
        merged("own.x = __float2half(x); own.y = __float2half(2 * x);"),
        0
    );
    assert_eq!(merged("own.x = (half)x; own.y = half(2 * x);"), 0);
}

/// What a thread loads again, or has just stored, is in a register.
#[test]
fn loads_of_what_the_thread_has_are_kept() {
    let kept = |body: &str| {
        let text = format!(
            "__global__ void k(float *o, const float *p, int n) {{\n\
             __shared__ float s[512];\n\
             int t = threadIdx.x;\n\
             float v = 0;\n\
             {body}\n\
             o[t] = v;\n}}\n\
             void f(float *o, float *p, int n) {{ k<<<1, 256>>>(o, p, n); }}\n"
        );
        let (accesses, _) = accesses(&text);
        accesses.iter().filter(|one| one.is_kept).count()
    };
    assert_eq!(kept("o[t * 8] = n; v = o[t * 8];"), 1);
    assert_eq!(kept("v = p[t * 8]; if (n > 3) v += p[t * 8];"), 1);
    assert_eq!(kept("if (n > 3) v = p[t * 8]; v += p[t * 8];"), 0);
    assert_eq!(kept("v = p[t * 8]; v += p[t * 8 + 1];"), 0);
    // What stands between may be the same place, or others may have written there.
    assert_eq!(kept("v = p[t * 8]; o[n] = v; v += p[t * 8];"), 0);
    assert_eq!(kept("v = p[t * 8]; s[n] = v; v += p[t * 8];"), 1);
    assert_eq!(kept("s[t * 2] = n; __syncthreads(); v = s[t * 2];"), 0);
    assert_eq!(
        kept("v = p[t * 8]; asm(\"mov.f32 %0, %0;\" : \"+f\"(v) :: \"memory\"); v += p[t * 8];"),
        0
    );
    // A turn of a loop loads what another one wrote.
    assert_eq!(
        kept("v = o[t]; for (int i = 0; i < n; i++) { v += o[t]; o[t] = v; }"),
        0
    );
    assert_eq!(
        kept("volatile float *q = o; v = q[t * 8]; v += q[t * 8];"),
        0
    );
}

/// A packed class leaves its members at any address: nvcc takes them in pieces, and nothing is misaligned.
#[test]
fn members_of_packed_classes_are_taken_in_pieces() {
    let widths = |head: &str, body: &str| {
        let text = format!(
            "{head}\n\
             __global__ void k(float *o, const P *p) {{ {body} }}\n\
             void f(float *o, P *p) {{ k<<<1, 256>>>(o, p); }}\n"
        );
        let (accesses, _) = accesses(&text);
        let loads = accesses.iter().filter(|one| one.op.name() == "load");
        loads.map(|one| one.width).collect::<Vec<_>>()
    };
    let packed = "struct __attribute__((packed)) P { char tag; float x; short s[3]; };";
    let halves =
        "#pragma pack(push, 2)\nstruct P { short tag; float x; short s[3]; };\n#pragma pack(pop)";
    let plain = "struct P { char tag; float x; short s[3]; };";
    let member = "o[threadIdx.x] = p[threadIdx.x].x;";
    assert_eq!(widths(packed, member), [1]);
    assert_eq!(widths(halves, member), [2]);
    assert_eq!(widths(plain, member), [4]);
    let element = "o[threadIdx.x] = p[threadIdx.x].s[1];";
    assert_eq!(widths(packed, element), [1]);
    assert_eq!(widths(halves, element), [2]);
    assert_eq!(widths(plain, element), [2]);
    let copy = "P one = p[threadIdx.x]; o[threadIdx.x] = one.x;";
    assert_eq!(widths(packed, copy), [1]);
    let only = "struct __attribute__((packed)) P { float x; };";
    assert_eq!(widths(only, member), [1]);
    let text = format!(
        "{packed}\n__global__ void k(float *o, const P *p) {{ {member} }}\n\
         void f(float *o, P *p) {{ k<<<1, 256>>>(o, p); }}\n"
    );
    let load = |one: &&Access| one.op.name() == "load";
    let (accesses, _) = accesses(&text);
    let verdict = &accesses.iter().find(load).expect("a load").verdict;
    // Objects of 11 bytes: 32 of them lie in 11 sectors.
    assert_eq!((verdict.min, verdict.max, verdict.ideal), (11, 11, 1));
}

/// Of a number of which a part is used the compiler may load that part alone.
#[test]
fn loads_may_be_narrowed_to_what_is_used() {
    let narrowed = |ty: &str, body: &str| {
        let text = format!(
            "__global__ void k(int *o, const {ty} *p, unsigned char *c) {{ int t = threadIdx.x; {body} }}\n\
             void f(int *o, {ty} *p, unsigned char *c) {{ k<<<1, 256>>>(o, p, c); }}\n"
        );
        let (accesses, _) = accesses(&text);
        let load = accesses.iter().find(|one| *one.site.array == *"p");
        let bounds = load.expect("a load").bounds();
        (
            load.and_then(|one| one.narrowed),
            bounds.min,
            bounds.max,
            bounds.ideal,
        )
    };
    let long = "long long";
    let half = (Some(4), 8, 16, 8);
    let whole = (None, 8, 8, 8);
    assert_eq!(narrowed(long, "o[t] = (int)p[t];"), half);
    assert_eq!(
        narrowed(long, "long long v = p[t]; v = v * 3 + t; o[t] = v;"),
        half
    );
    assert_eq!(narrowed(long, "o[t] = (int)(p[t] >> 32);"), half);
    assert_eq!(narrowed(long, "if (p[t] & 1) o[t] = 1;"), half);
    assert_eq!(
        narrowed(long, "o[t] = (int)p[t] + (int)(p[t] >> 32);"),
        whole
    );
    assert_eq!(
        narrowed(long, "long long v = p[t]; if (v < 0) v += 9; o[t] = v;"),
        whole
    );
    assert_eq!(narrowed(long, "o[p[t]] = 1;"), whole);
    let byte = (Some(1), 4, 16, 4);
    let word = (None, 4, 4, 4);
    assert_eq!(narrowed("int", "o[t] = p[t] & 0xff;"), byte);
    assert_eq!(narrowed("int", "o[t] = (char)p[t];"), byte);
    assert_eq!(narrowed("unsigned", "o[t] = p[t] >> 24;"), byte);
    assert_eq!(narrowed("unsigned", "o[t] = (p[t] >> 8) & 0xff;"), byte);
    assert_eq!(narrowed("int", "c[t] = p[t];"), word);
    assert_eq!(narrowed("int", "if (p[t] & 1) o[t] = 1;"), word);
    assert_eq!(narrowed("int", "o[t] = p[t] >> 24;"), word);
    assert_eq!(
        narrowed("unsigned", "o[t] = (p[t] & 0xff) + (p[t] >> 24);"),
        word
    );
}

/// What both branches access, the compiler may access once.
#[test]
fn accesses_of_both_branches_may_be_one() {
    let bounds = |body: &str| {
        let text = format!(
            "__global__ void k(float *o, double *d, int n) {{\n\
             __shared__ double s;\n\
             int t = threadIdx.x;\n\
             {body}\n}}\n\
             void f(float *o, double *d, int n) {{ k<<<1, 256>>>(o, d, n); }}\n"
        );
        let (accesses, _) = accesses(&text);
        let bounds = accesses.last().expect("an access").bounds();
        (bounds.status, bounds.max, bounds.ideal)
    };
    let alone = (Status::Exact, 1, 1);
    let both = (Status::Bounded, 8, 1);
    assert_eq!(bounds("if (t != 0) o[t * 8] = 1; else o[t * 8] = 2;"), both);
    assert_eq!(
        bounds("if (t == 9) o[t] = 3; else if (t != 0) o[t * 8] = 1; else o[t * 8] = 2;"),
        both
    );
    assert_eq!(
        bounds("if (t != 0) o[t * 8] = 1; if (t == 0) o[t * 8] = 2;"),
        alone
    );
    assert_eq!(
        bounds("if (t != 0) o[t * 9] = 1; else o[t * 8] = 2;"),
        alone
    );
    assert_eq!(bounds("if (t != 0) o[t] = 1; else o[t] = 2;"), alone);
    // The turns of a loop that stands for an atomic.
    assert_eq!(bounds("atomicAdd(&s, d[t]);"), (Status::Bounded, 8, 4));
}
