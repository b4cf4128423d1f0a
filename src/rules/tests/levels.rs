//! What a finding is worth: places that a maintainer would not act on stay below warning.

use super::{analyse, find, of};
use crate::finding::{Finding, Level};

/// The findings of a rule on one kernel `k` with this text and launch.
fn findings(code: &str, text: &str) -> Vec<Finding> {
    let analysis = analyse(text);
    let rule = find(code).expect("the rule");
    of(rule, &analysis).cloned().collect()
}

pub(super) fn levels(code: &str, text: &str) -> Vec<Level> {
    let findings = findings(code, text);
    let mut levels: Vec<Level> = findings.iter().map(|finding| finding.level).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// A kernel with `head` before it, launched by `<<<launch>>>(out, in, n)`.
pub(super) fn kernel(head: &str, body: &str, launch: &str) -> String {
    format!(
        "{head}\n__global__ void k(float *out, const float *in, int n) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n}}\n\
         void run(float *out, const float *in, int n) {{ k<<<{launch}>>>(out, in, n); }}\n"
    )
}

#[test]
fn a_record_that_a_thread_takes_whole_is_no_warning() {
    let whole = "out[i] = in[3 * i] + in[3 * i + 1] * in[3 * i + 2];";
    let text = kernel("", whole, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
    let part = "out[i] = in[7 * i] + in[7 * i + 1];";
    let text = kernel("", part, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Warn]);
    let halves = "const double4 *p = (const double4 *)in;\ndouble4 v = p[i];\nout[i] = v.x + v.y + v.z + v.w;";
    let text = kernel("", halves, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
}

#[test]
fn eight_elements_that_two_wide_loads_would_take_are_a_warning() {
    let body = "float s = 0;\nfor (int j = 0; j < 8; ++j) s += in[8 * i + j] * in[8 * i + j];\nout[i] = s;";
    let text = kernel("", body, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Warn]);
}

#[test]
fn what_a_short_loop_takes_whole_is_no_warning() {
    let record = "float s = 0;\nfor (int j = 0; j < 3; ++j) s += in[3 * i + j];\nout[i] = s;";
    let text = kernel("", record, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
    let part = "float s = 0;\nfor (int j = 0; j < 3; ++j) s += in[9 * i + j];\nout[i] = s;";
    let text = kernel("", part, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Warn]);
    let halves = "const float4 *p = (const float4 *)in;\nfloat s = 0;\n\
                  for (int j = 0; j < 2; ++j) s += __ldg(p + 2 * i + j).x;\nout[i] = s;";
    let text = kernel("", halves, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
}

#[test]
fn halves_of_sectors_that_rows_begin_in_are_no_warning() {
    let body = |from: &str| {
        format!(
            "const float4 *p = (const float4 *)(in + threadIdx.x / 16 * 260 + threadIdx.x % 16 * 8);\n\
             float4 a = p[0], b = p[{from}];\nout[i] = a.x + b.x;"
        )
    };
    let whole = kernel("", &body("1"), "8, 128");
    assert_eq!(levels("CL201", &whole), [Level::Info]);
    let half = kernel("", &body("4"), "8, 128");
    assert_eq!(levels("CL201", &half), [Level::Warn]);
}

#[test]
fn rows_of_a_triangle_are_no_warning() {
    let body = "if (i < n) out[(i + 1) * (i + 2) / 2 - 1] = 1;";
    let text = kernel("", body, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
}

#[test]
fn a_quarter_of_a_warp_is_no_warning() {
    let body = |lanes: u32| {
        format!(
            "for (int j = 0; j < 64; ++j)\n  if (threadIdx.x < {lanes}) out[threadIdx.x * 64 + j] = in[j];"
        )
    };
    assert_eq!(
        levels("CL201", &kernel("", &body(8), "1, 128")),
        [Level::Info]
    );
    assert_eq!(
        levels("CL201", &kernel("", &body(32), "1, 128")),
        [Level::Warn]
    );
}

#[test]
fn one_wavefront_more_counts_in_loops_only() {
    let once = "__shared__ float s[64];\ns[threadIdx.x] = in[i];\ns[threadIdx.x + 32] = in[i + 32];\n\
                __syncthreads();\nout[i] = s[2 * threadIdx.x];";
    assert_eq!(levels("CL101", &kernel("", once, "8, 32")), [Level::Info]);
    let in_a_loop = "__shared__ float s[64];\nfloat sum = 0;\nfor (int j = 0; j < n; ++j) {\n\
                     s[threadIdx.x] = in[i + 64 * j];\ns[threadIdx.x + 32] = in[i + 64 * j + 32];\n\
                     __syncthreads();\nsum += s[2 * threadIdx.x];\n__syncthreads();\n}\nout[i] = sum;";
    assert_eq!(
        levels("CL101", &kernel("", in_a_loop, "8, 32")),
        [Level::Warn]
    );
}

#[test]
fn the_first_lane_that_votes_adds_alone() {
    let body = "__shared__ int total;\nunsigned votes = __ballot_sync(~0u, in[i] > 0);\n\
                if (in[i] > 0)\n  if (__popc(votes & ((1u << (threadIdx.x & 31)) - 1)) == 0) out[i] = atomicAdd(&total, __popc(votes));";
    let levels = levels("CL101", &kernel("", body, "8, 128"));
    assert!(
        levels.iter().all(|level| *level == Level::Info),
        "{levels:?}"
    );
}

/// Six of eight lanes store 16 bytes side by side: no two of one phase want one bank.
#[test]
fn idle_lanes_of_a_merged_store_are_no_conflict() {
    let body = "__shared__ float4 s[256];\nint row = threadIdx.x / 8, column = threadIdx.x % 8;\n\
                if (column < 6) {\n  float4 &to = s[row * 6 + column];\n  to.x = in[i];\n  to.y = in[i + 1];\n\
                to.z = in[i + 2];\n  to.w = in[i + 3];\n}\n__syncthreads();\nout[i] = s[threadIdx.x].x;";
    let found = findings("CL101", &kernel("", body, "8, 128"));
    let stores = found
        .iter()
        .filter(|one| one.primary.text.starts_with("store"));
    assert_eq!(stores.count(), 0, "{found:?}");
}

/// How often a loop runs that goes to a number of the launch, the compiler does not know.
#[test]
fn a_loop_to_a_parameter_is_not_merged() {
    let body = |end: &str| {
        format!(
            "__shared__ __align__(16) float s[4096];\nfor (int j = 0; j < {end}; ++j) s[16 * threadIdx.x + j] = in[j];\n\
             __syncthreads();\nout[i] = s[threadIdx.x];"
        )
    };
    let launch = |text: String| text.replace("(out, in, n);", "(out, in, 16);");
    let told = findings("CL101", &launch(kernel("", &body("n"), "8, 256")));
    assert!(told[0].message.contains("16-way"), "{}", told[0].message);
    let known = findings("CL101", &launch(kernel("", &body("16"), "8, 256")));
    assert!(known[0].message.contains("4-way"), "{}", known[0].message);
}

/// What one thread copies of an array that the kernel is given by value goes in pieces of the type's alignment; an
/// object that is given as such is held apart.
#[test]
fn an_element_of_a_given_object_is_copied_as_a_whole() {
    let text = |align: &str, from: &str| {
        format!(
            "struct {align} Entry {{ void *to; int step; }};\n\
             struct Given {{ Entry list[8]; Entry first; Entry *out; int n; }};\n\
             __global__ void k(Given given) {{\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             if (i < given.n) given.out[i] = given.{from};\n}}\n\
             void run(Given given) {{ k<<<4, 256>>>(given); }}\n"
        )
    };
    let wide = "__align__(16)";
    assert!(levels("CL201", &text(wide, "list[i]")).is_empty());
    assert_eq!(levels("CL201", &text("", "list[i]")), [Level::Warn]);
    assert_eq!(levels("CL201", &text(wide, "first")), [Level::Warn]);
}

/// A remainder of a number that the caller chooses begins anew within some warps: two runs, no waste elsewhere.
#[test]
fn one_break_in_a_warp_is_no_warning() {
    let body = "if (i < 4096) out[i] = in[i % n];";
    let levels = levels("CL201", &kernel("", body, "16, 256"));
    assert!(!levels.contains(&Level::Warn), "{levels:?}");
}

#[test]
fn advice_fits_the_text() {
    let told = |body: &str| {
        let found = findings("CL201", &kernel("", body, "8, 128"));
        let advice = found[0].fixes.iter().map(|fix| fix.title.clone());
        let notes = found[0].notes.iter().map(|note| note.text.clone());
        notes.chain(advice).collect::<Vec<_>>().join("\n")
    };
    let asked = told("if (i < n) out[i] = __ldg(in + 12 * i);");
    assert!(!asked.contains("is only read here"), "{asked}");
    let pair = "out[i] = atan2f(in[2 * i], in[2 * i + 1]);";
    assert!(!told(pair).contains("where the address is aligned"));
    let moved = told(&format!("in += n;\n{pair}"));
    assert!(
        moved.contains("where the address is aligned for it"),
        "{moved}"
    );
}

#[test]
fn a_table_on_its_way_to_shared_memory_is_no_warning() {
    let head = "__constant__ float table[64];";
    let body = "__shared__ float s[64];\nif (threadIdx.x < 64) s[threadIdx.x] = table[threadIdx.x];\n\
                __syncthreads();\nout[i] = s[63 - threadIdx.x % 64];";
    assert_eq!(
        levels("CL501", &kernel(head, body, "8, 128")),
        [Level::Info]
    );
}

#[test]
fn witnesses_have_values_that_programs_have() {
    let text = "__global__ void k(float *o, const float *in, int n, int width, int ks) {\n\
        __shared__ float sm[32 * 64];\nint index = threadIdx.x + blockIdx.x * blockDim.x;\n\
        if (index > n - 1) return;\nint pix = threadIdx.x / 32, lane = threadIdx.x % 32;\nindex /= 32;\n\
        int start = index % width - (ks - 1) / 2;\nfor (int c = lane; c < ks * ks; c += 32) {\n\
        int x = start + c % ks;\nif (x < 0 || x > width - 1) { sm[c * 32 + pix] = 0; continue; }\n\
        sm[c * 32 + pix] = in[x];\n}\n__syncthreads();\no[threadIdx.x] = sm[threadIdx.x];\n}\n\
        void run(float *o, const float *in, int n, int w, int ks) { k<<<n, 512>>>(o, in, n, w, ks); }\n";
    for finding in findings("CL101", text) {
        let witness = finding
            .notes
            .iter()
            .map(|note| &note.text)
            .find(|note| note.starts_with("witness"));
        let is_plain = witness.is_some_and(|note| !note.contains("2147483"));
        assert!(is_plain, "{witness:?}");
    }
}

/// Each instance is launched for rows of one length only: a longer one goes to another instance.
#[test]
fn sizes_that_choose_the_instance_are_not_free() {
    let text = |chosen: &str| {
        format!(
            "template <int T> __global__ void k(float *out, int elems) {{\n\
             int row = blockIdx.x * blockDim.y + threadIdx.y;\n\
             for (int j = threadIdx.x; j < elems; j += T) out[row * elems + j] = 0;\n}}\n\
             int next_pow2(int n);\nvoid run(float *out, int rows, int elems) {{\n\
             const int steps = (elems + 3) / 4;\nconst int threads = next_pow2(steps);\n\
             dim3 block(threads, 256 / threads);\n{chosen}\n}}\n"
        )
    };
    let launch = |threads: u32| format!("k<{threads}><<<rows, block>>>(out, elems)");
    let chain = format!(
        "if (threads == 1) {}; else if (threads == 2) {};",
        launch(1),
        launch(2)
    );
    assert_eq!(levels("CL201", &text(&chain)), [Level::Info]);
    let one = "k<1><<<rows, dim3(1, 256)>>>(out, elems);";
    assert_eq!(levels("CL201", &text(one)), [Level::Warn]);
}

/// `h < 16 ? 4 : 8` is 4 or 8.
#[test]
fn a_choice_of_two_numbers_is_a_shape_each() {
    let text = "__global__ void k(float *o, const float *f, int d2) {\nextern __shared__ float s[];\n\
        int tid = threadIdx.x * blockDim.y + threadIdx.y;\n\
        for (int i = tid; i < d2; i += blockDim.x * blockDim.y) s[i] = f[i];\n__syncthreads();\n\
        o[threadIdx.x] = s[threadIdx.x];\n}\nvoid run(float *o, const float *f, int d2, int h) {\n\
        int warps = h < 16 ? 4 : 8;\ndim3 threads(32, warps);\nk<<<1, threads, d2 * 4>>>(o, f, d2);\n}\n";
    let found = findings("CL101", text);
    assert!(found[0].message.contains("8-way"), "{}", found[0].message);
}

/// Members of two vectors of one array are two wide loads, whatever lies between them.
#[test]
fn vectors_that_a_helper_takes_by_reference_are_wide_loads() {
    let head = "__device__ float4 add(const float4 &a, const float4 &b) {\n\
                return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);\n}";
    let body = "float4 *to = (float4 *)out;\nconst float4 *p = (const float4 *)in;\n\
                int pitch = n / 4;\nto[i] = add(p[i % pitch], p[i]);";
    let found = findings("CL201", &kernel(head, body, "8, 128"));
    assert!(
        found.iter().all(|one| one.level == Level::Info),
        "{found:?}"
    );
    let apart = "float4 *to = (float4 *)out;\nconst float4 *p = (const float4 *)in;\nto[i] = add(p[i + n], p[i]);";
    let found = findings("CL201", &kernel(head, apart, "8, 128"));
    assert!(
        found.iter().all(|one| one.level == Level::Info),
        "{found:?}"
    );
}

#[test]
fn strides_of_the_caller_decide_beside_data_too() {
    let text = |guard: &str| {
        format!(
            "__global__ void k(float *out, const float *in, int n, int w, int down, int along) {{\n\
             for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {{\n\
             {guard} out[p] = in[p / w * down + p % w * along];\n}}\n}}\n\
             void run(float *out, const float *in, int n, int w, int d, int a) {{ k<<<8, 128>>>(out, in, n, w, d, a); }}\n"
        )
    };
    assert_eq!(levels("CL201", &text("")), [Level::Info]);
    assert_eq!(levels("CL201", &text("if (out[p] > 0)")), [Level::Info]);
}

#[test]
fn a_stride_in_bytes_is_mostly_that_of_an_element() {
    let body = |by: &str| format!("*(float *)((char *)out + i * {by}) = in[i];");
    assert_eq!(
        levels("CL201", &kernel("", &body("n"), "8, 128")),
        [Level::Info]
    );
    assert_eq!(
        levels("CL201", &kernel("", &body("64"), "8, 128")),
        [Level::Warn]
    );
}

/// However long the rows are: a loop walks along each of them, and the lanes walk across.
#[test]
fn rows_of_a_product_of_sizes_are_a_warning_where_a_loop_walks_along_them() {
    let text = |guard: &str, index: &str| {
        format!(
            "__global__ void k(float *out, const float *in, const int *mask, int n, int w, int h) {{\n\
             for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {{\n\
             {guard}\nfloat s = 0;\nfor (int j = 0; j < w * h; ++j) s += in[{index}];\nout[p] = s;\n}}\n}}\n\
             void run(float *out, const float *in, const int *mask, int n, int w, int h) {{\n\
             k<<<8, 128>>>(out, in, mask, n, w, h); }}\n"
        )
    };
    for guard in ["", "if (mask[p] > 0) continue;"] {
        assert_eq!(
            levels("CL201", &text(guard, "p * w * h + j")),
            [Level::Warn]
        );
        assert_eq!(
            levels("CL201", &text(guard, "p * w * h + j * h")),
            [Level::Info]
        );
    }
}

#[test]
fn records_that_a_format_packs_are_no_warning() {
    let head = |first: &str| format!("struct Block {{ {first} d; unsigned char q[16]; }};");
    let body = "const Block *x = (const Block *)in + i;\nout[i] = x->d;";
    let text = kernel(&head("unsigned short"), body, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
    let words = kernel(&head("int"), body, "8, 128");
    assert_eq!(levels("CL201", &words), [Level::Warn]);
    let rows = "const Block *x = (const Block *)in + i * 32;\nout[i] = x->d;";
    let text = kernel(&head("unsigned short"), rows, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Warn]);
}

#[test]
fn vectors_have_the_type_of_the_elements() {
    let advice = |ty: &str| {
        let head = format!(
            "__global__ void k({ty} *out, const {ty} *in) {{\n\
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             {ty} s = 0;\nfor (int j = 0; j < 4; ++j) s += in[4 * i + j];\nout[i] = s;\n}}\n\
             void run({ty} *out, const {ty} *in) {{ k<<<8, 128>>>(out, in); }}\n"
        );
        let findings = findings("CL201", &head);
        let fixes = findings.iter().flat_map(|finding| &finding.fixes);
        fixes.map(|fix| fix.title.clone()).collect::<String>()
    };
    for (ty, vector) in [("float", "float4"), ("int", "int4"), ("unsigned", "uint4")] {
        let title = advice(ty);
        assert!(title.contains(&format!("`{vector}`")), "{title}");
    }
}

#[test]
fn a_stride_of_the_caller_is_one_in_most_programs() {
    let text = |index: &str| {
        format!(
            "__global__ void k(int *out, const int *in, int n, int step) {{\n\
             const auto i = blockIdx.x * blockDim.x + threadIdx.x;\n\
             if (i < static_cast<unsigned long long>(n)) out[{index}] = in[i];\n}}\n\
             void run(int *out, const int *in, int n, int s) {{ k<<<n / 128, 128>>>(out, in, n, s); }}\n"
        )
    };
    assert_eq!(levels("CL201", &text("step * i")), [Level::Info]);
    assert_eq!(levels("CL201", &text("3 * step * i")), [Level::Warn]);
}

#[test]
fn parts_of_records_that_lanes_share_are_no_warning() {
    let head = "struct Block { float scale; int words[4]; };";
    let whole = "const Block *b = (const Block *)in + i / 2;\nint s = 0;\n\
                 for (int j = 0; j < 2; ++j) s += b->words[i % 2 * 2 + j];\nout[i] = s;";
    let text = kernel(head, whole, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Info]);
    let scale = "const Block *b = (const Block *)in + i / 2;\nout[i] = b->scale;";
    let text = kernel(head, scale, "8, 128");
    assert_eq!(levels("CL201", &text), [Level::Warn]);
}

#[test]
fn four_requests_of_half_a_warp_are_no_warning() {
    let of = |turns: u32| {
        let body = format!(
            "float s = 0;\nif (threadIdx.x < 16)\n  for (int j = 0; j < {turns}; ++j) s += in[64 * i + 9 * j];\nout[i] = s;"
        );
        levels("CL201", &kernel("", &body, "8, 128"))
    };
    assert_eq!(of(4), [Level::Info]);
    assert_eq!(of(64), [Level::Warn]);
}

#[test]
fn a_type_that_is_aligned_to_its_parts_is_the_cause() {
    let head = "struct Eight { float of[8]; };";
    let body = "Eight e = ((const Eight *)in)[i * 2];\nfloat s = 0;\n\
                for (int j = 0; j < 8; ++j) s += e.of[j] * s + 1;\nout[i] = s;";
    let found = findings("CL201", &kernel(head, body, "8, 128"));
    let [finding] = &found[..] else {
        panic!("{found:?}");
    };
    let notes: Vec<&str> = finding
        .notes
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert!(
        notes
            .iter()
            .any(|note| note.contains("an object of 32 bytes in 8 accesses")),
        "{notes:?}"
    );
    assert!(
        finding.fixes[0].title.contains("`alignas(16)`"),
        "{}",
        finding.fixes[0].title
    );
}

#[test]
fn no_vector_is_offered_for_atomics() {
    let body = "atomicAdd((int *)out + 2 * i, n);\natomicAdd((int *)out + 2 * i + 1, n);";
    let found = findings("CL201", &kernel("", body, "8, 128"));
    let titles = found
        .iter()
        .flat_map(|one| &one.fixes)
        .map(|fix| &fix.title);
    let titles: Vec<&String> = titles.collect();
    assert!(!titles.is_empty());
    assert!(
        titles.iter().all(|title| !title.contains("one 8-byte")),
        "{titles:?}"
    );
}

#[test]
fn members_of_one_object_take_a_vector_whatever_they_are_called() {
    let head = "struct Pair { float x, y; };\n\
                __device__ void fill(Pair &p, float v) { p.x = v; asm volatile(\"\"); p.y = v; }";
    let body = "fill(((Pair *)out)[i], in[i]);";
    let found = findings("CL201", &kernel(head, body, "8, 128"));
    assert!(!found.is_empty());
    for finding in &found {
        let mut notes = finding.notes.iter().map(|note| note.text.as_str());
        assert!(notes.any(|note| note.contains("each lane takes 2 neighbouring elements")));
    }
}

/// What costs next to nothing beside the rest of its kernel is no warning; the same alone is one.
#[test]
fn a_small_part_of_a_kernel_is_no_warning() {
    let body = |turns: u32| {
        format!(
            "__shared__ float s[8192];\nfor (int j = 0; j < 2; ++j) s[2 * threadIdx.x + j * 512] = in[i + j];\n\
             __syncthreads();\nfloat sum = 0;\nfor (int j = 0; j < {turns}; ++j) sum += in[i + 4096 * j] * s[threadIdx.x];\n\
             out[i] = sum;"
        )
    };
    assert_eq!(
        levels("CL101", &kernel("", &body(2), "8, 128")),
        [Level::Warn]
    );
    assert_eq!(
        levels("CL101", &kernel("", &body(64), "8, 128")),
        [Level::Info]
    );
}

#[test]
fn a_record_that_a_short_loop_fills_is_no_warning() {
    let body = |count: u32| {
        format!(
            "int *p = (int *)out + 5 * i;\nfor (int j = 0; j < {count}; ++j) p[j + 1] = n + j;\np[0] = n;"
        )
    };
    assert_eq!(
        levels("CL201", &kernel("", &body(4), "8, 128")),
        [Level::Info]
    );
    assert_eq!(
        levels("CL201", &kernel("", &body(1), "8, 128")),
        [Level::Warn]
    );
}

#[test]
fn advice_names_the_elements_of_a_lane_and_the_index_to_exchange() {
    let told = |text: &str| {
        let found = findings("CL201", text);
        let advice = found.iter().flat_map(|one| &one.fixes);
        let advice = advice.map(|fix| fix.title.clone());
        advice.collect::<Vec<_>>().join("\n")
    };
    let tile = "int row = threadIdx.x / 16 * 8, column = threadIdx.x % 16 * 8;\n\
                for (int y = 0; y < 8; ++y)\n  for (int x = 0; x < 8; ++x) out[(row + y) * n + column + x] = in[x];";
    let told_of_tile = told(&kernel("", tile, "8, 256"));
    assert!(
        told_of_tile.contains("2 stores of 16 bytes"),
        "{told_of_tile}"
    );
    let naive = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n\
                 float sum = 0;\nfor (int j = 0; j < n; ++j) sum += in[x * n + j];\nout[x * n + y] = sum;";
    let told_of_naive = told(&kernel("", naive, "dim3(8, 8), dim3(32, 32)"));
    assert!(
        !told_of_naive.contains("give each row a warp"),
        "{told_of_naive}"
    );
}

/// Members under other conditions cannot be taken together; what one of them brings, the others find in the cache.
#[test]
fn a_record_whose_members_several_conditions_ask_for_is_no_warning() {
    let head = "struct R { int a, b, c, d; double v[2]; };";
    let body = |test: &str| {
        format!("const R *p = (const R *)in + i;\nif ({test}) return;\nout[i] = p->v[0] * p->c;")
    };
    let asked = kernel(head, &body("n >= p->a || n + 1 >= p->b"), "8, 128");
    assert_eq!(levels("CL201", &asked), [Level::Info]);
    let one = "const R *p = (const R *)in + i;\nout[i] = p->c;";
    assert_eq!(levels("CL201", &kernel(head, one, "8, 128")), [Level::Warn]);
    let guarded = "out[4 * i] = 0;\nif (n > 1) out[4 * i + 1] = 1;\nif (n > 2) out[4 * i + 2] = 2;\n\
                   if (n > 3) out[4 * i + 3] = 3;";
    assert_eq!(
        levels("CL201", &kernel("", guarded, "8, 128")),
        [Level::Warn]
    );
    let packed = "const float *p = in + 9 * i;\nif (p[0] > 0) out[i] = p[1] + p[2] + p[3] + p[4];";
    assert_eq!(
        levels("CL201", &kernel("", packed, "8, 128")),
        [Level::Info]
    );
}

/// Nine numbers that a loop takes for each lane are a record, whatever the number is called by which they lie apart.
#[test]
fn a_record_of_a_short_loop_is_no_warning() {
    let body = |count: u32| {
        format!(
            "float h[16];\nfor (int j = 0; j < {count}; ++j) h[j] = in[i * n + j];\nout[i] = h[n % {count}];"
        )
    };
    assert_eq!(
        levels("CL201", &kernel("", &body(9), "8, 128")),
        [Level::Info]
    );
    assert_eq!(
        levels("CL201", &kernel("", &body(8), "8, 128")),
        [Level::Warn]
    );
}

/// Few samples meet the conditions of such a loop; how far the halves are apart does not depend on them.
#[test]
fn two_halves_in_a_loop_from_one_number_to_another_are_no_warning() {
    let text = "__global__ void k(float *out, const double *in, int first, int n) {\n\
                int i = blockIdx.x * blockDim.x + threadIdx.x;\nconst double4 *p = (const double4 *)in;\n\
                for (int e = first + i; e < n; e += gridDim.x * blockDim.x) {\ndouble4 v = p[e];\n\
                out[e] = v.x + v.y + v.z + v.w;\n}\n}\n\
                void run(float *out, const double *in, int first, int n) { k<<<8, 128>>>(out, in, first, n); }\n";
    assert_eq!(levels("CL201", text), [Level::Info]);
}

#[test]
fn rows_that_are_mostly_longer_than_a_warp_are_no_warning() {
    let wraps = "out[i] = in[i / (16 * n) * 2 * n + i % n];";
    assert_eq!(levels("CL201", &kernel("", wraps, "8, 256")), [Level::Info]);
    let text = "__global__ void k(float *out, const float *in, int pitch, int rows, int log2_rows) {\n\
                const int log2_threads = 10 - log2_rows, threads = 1 << log2_threads;\n\
                const int row = threadIdx.x >> log2_threads, column = threadIdx.x & (threads - 1);\n\
                for (int y = row; y < rows; y += 1 << log2_rows)\n\
                for (int x = column; x < 4096; x += threads) out[y * pitch + x] = in[y * pitch + x];\n}\n\
                void run(float *out, const float *in, int pitch, int rows, int log2_rows) {\n\
                k<<<8, 1024>>>(out, in, pitch, rows, log2_rows);\n}\n";
    assert_eq!(levels("CL201", text), [Level::Info]);
}

#[test]
fn a_diagonal_is_no_warning() {
    let diagonal = "out[i * n + i] += 1;";
    assert_eq!(
        levels("CL201", &kernel("", diagonal, "8, 128")),
        [Level::Info]
    );
    let column = "for (int j = 0; j < n; ++j) out[i * n + j] += 1;";
    assert_eq!(
        levels("CL201", &kernel("", column, "8, 128")),
        [Level::Warn]
    );
}

/// A layout that spares stores a second wavefront mostly costs it where the tile is read.
#[test]
fn a_store_of_twice_the_ideal_without_an_edit_is_no_warning() {
    let body = |store: &str, load: &str| {
        format!(
            "__shared__ float s[64 * 33];\nint t = threadIdx.x, u = t * t;\n\
             for (int j = 0; j < 16; ++j) {store}\n__syncthreads();\nfloat sum = 0;\n\
             for (int j = 0; j < 16; ++j) {load}\nout[i] = sum + u;"
        )
    };
    let wide = "s[2 * t + j * 64] = in[i + j];";
    let narrow = "s[t + j * 64] = in[i + j];";
    let stored = kernel("", &body(wide, "sum += s[t + j];"), "8, 32");
    assert_eq!(levels("CL101", &stored), [Level::Info]);
    let loaded = kernel("", &body(narrow, "sum += s[2 * t + j * 64];"), "8, 32");
    assert_eq!(levels("CL101", &loaded), [Level::Warn]);
}

/// Three floats of a pixel lie as far from the next three as the caller says, and that is three.
#[test]
fn pixels_of_a_pitch_that_the_caller_gives_are_no_warning() {
    let pixels = "out[i / 3 * n + i % 3] = in[i];";
    assert_eq!(
        levels("CL201", &kernel("", pixels, "8, 128")),
        [Level::Info]
    );
}

#[test]
fn bytes_that_a_loop_takes_one_at_a_time_are_a_warning() {
    let text = "__global__ void k(float *out, const unsigned char *bytes, long long n, long long first) {\n\
                long long i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;\n\
                for (auto j = i * 4 + first; j < n; ++j) {\nunsigned char c = bytes[j];\n\
                if (c < 128) continue;\nsum += c + bytes[j + 1] + bytes[j + 2];\n}\nout[i] = sum;\n}\n\
                void run(float *out, const unsigned char *in, long long n, long long f) {\n\
                k<<<8, 128>>>(out, in, n, f);\n}\n";
    assert_eq!(levels("CL201", text), [Level::Warn]);
}

/// How far lanes are apart, and how many take part, nobody tells of what data says.
#[test]
fn what_data_decides_once_is_no_warning() {
    let head = "struct Node { float box[6]; int child; float rest[4]; };\n__device__ int states[4096]; __device__ Node nodes[4096];";
    let levels = |body: &str| levels("CL201", &kernel(head, body, "8, 128"));
    let field = "out[i] = nodes[i].child;";
    let chosen = format!("if (states[i] == 2) {field}");
    assert_eq!(levels(&chosen), [Level::Info]);
    assert_eq!(levels(field), [Level::Warn]);
    let apart = |stride: &str| levels(&format!("out[(i * {stride} + 8) >> 2] = 1;"));
    assert_eq!(apart("states[0]"), [Level::Info]);
    assert_eq!(apart("n"), [Level::Warn]);
}

/// One number of a description of some size, once: nobody takes the description apart for it.
#[test]
fn a_lone_field_of_a_large_record_is_no_warning() {
    let of = |count: u32, body: &str| {
        let head = format!("struct S {{ float a, b[{count}]; }};");
        kernel(
            &head,
            &format!("const S *s = (const S *)in;\n{body}"),
            "8, 128",
        )
    };
    let once = "out[i] = s[i].a;";
    assert_eq!(levels("CL201", &of(31, once)), [Level::Info]);
    assert_eq!(levels("CL201", &of(7, once)), [Level::Warn]);
    let in_a_loop =
        "float all = 0;\nfor (int j = 0; j < n; ++j) all += s[i + j * 1024].a;\nout[i] = all;";
    assert_eq!(levels("CL201", &of(31, in_a_loop)), [Level::Warn]);
}

/// Numbers of each block side by side, as a scan over the blocks wants them.
#[test]
fn a_layout_by_block_is_no_warning() {
    let of = |row: &str| format!("out[threadIdx.x * {row} + blockIdx.x] = in[i];");
    assert_eq!(
        levels("CL201", &kernel("", &of("gridDim.x"), "n, 128")),
        [Level::Info]
    );
    assert_eq!(
        levels("CL201", &kernel("", &of("n"), "n, 128")),
        [Level::Warn]
    );
}

/// The bound of the guard is the length of a row, too.
#[test]
fn rows_of_the_length_that_a_guard_asks_for_are_a_warning() {
    let body = "int c = threadIdx.x * 32;\nif (c < n) out[i] = in[blockIdx.x * n + c];";
    assert_eq!(levels("CL201", &kernel("", body, "8, 128")), [Level::Warn]);
}
