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
