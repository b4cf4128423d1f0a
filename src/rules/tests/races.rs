//! Races: which of them are warnings.

use super::levels::{kernel, levels};
use crate::finding::Level;

/// The first warp stores to each word what it has just read from it; the others read the same words.
#[test]
fn a_store_that_changes_nothing_is_no_race() {
    let body = |to: &str| {
        format!(
            "__shared__ float s[1024];\nif (threadIdx.x < 32) s[threadIdx.x] = in[i];\n__syncthreads();\n\
             int base = threadIdx.x / 32 * 32, d = threadIdx.x - base;\ns[{to}] = s[d];\n__syncthreads();\n\
             out[i] = s[threadIdx.x];"
        )
    };
    assert_eq!(
        levels("CL302", &kernel("", &body("d + base"), "1, 1024")),
        []
    );
    assert_eq!(
        levels("CL302", &kernel("", &body("31 - d + base"), "1, 1024")),
        [Level::Warn]
    );
}

#[test]
fn an_index_that_nobody_tells_meets_another_warps_part_for_some_values_only() {
    // Each warp has 32 words of its own; `n` may stay inside of them.
    let body = |barrier: &str, index: &str| {
        format!(
            "__shared__ float s[160];\nint w = threadIdx.x / 32 * 32;\ns[w + threadIdx.x % 32] = in[i];\n{barrier}\n\
             float v = s[{index}];\n__syncthreads();\nout[i] = v;"
        )
    };
    let of =
        |barrier: &str, index: &str| levels("CL302", &kernel("", &body(barrier, index), "1, 128"));
    assert_eq!(of("__syncwarp();", "w + n - 1"), [Level::Info]);
    // The first warp's word, whatever `n` is in it.
    assert_eq!(of("", "n - 1"), [Level::Warn]);
    assert_eq!(of("__syncthreads();", "n - 1"), []);
    assert_eq!(of("", "127 - threadIdx.x"), [Level::Warn]);
}

/// A loop over rounds that loads into a second buffer while the first is read.
fn rounds(next: &str) -> String {
    format!(
        "__global__ void k(float *out, const float *in, int n, int buffers) {{
    __shared__ float s[256];
    int lane = threadIdx.x % 32;
    float *mine = s + threadIdx.x / 32 * 64;
    float *next = {next};
    mine[lane] = in[lane];
    __syncwarp();
    for (int r = 0; r < n; ++r) {{
        if (buffers == 1 && r > 0) {{ mine[lane] = in[r * 32 + lane]; __syncwarp(); }}
        if (buffers > 1) next[lane] = in[r * 32 + lane];
        out[r * 32 + lane] = mine[lane ^ 1];
        __syncwarp();
    }}
}}
void run(float *out, const float *in, int n, int b) {{ k<<<8, 128>>>(out, in, n, b); }}
"
    )
}

#[test]
fn a_race_that_no_choice_of_a_parameter_shows_is_no_warning() {
    let two = rounds("buffers == 2 ? mine + 32 : mine");
    assert_eq!(levels("CL303", &two), [Level::Info]);
    let one = rounds("buffers == 4 ? mine + 32 : buffers == 2 ? mine : mine");
    assert_eq!(levels("CL303", &one), [Level::Warn]);
}

/// One number of the host chooses the instance and its block: threads of another instance's block say nothing.
#[test]
fn a_race_in_blocks_of_another_instance_is_no_warning() {
    let text = |launch: &str| {
        format!(
            "template <int N> __global__ void k(float *out) {{\n__shared__ float s[256];\n\
             s[threadIdx.x] = out[threadIdx.x];\nif constexpr (N > 32) __syncthreads();\nelse __syncwarp();\n\
             out[threadIdx.x] = s[N - 1 - threadIdx.x % N];\n}}\n\
             void run(float *out, int n) {{\nvoid (*kernel)(float *) = nullptr;\nif (n > 32) kernel = k<64>;\n\
             else kernel = k<32>;\nconst int threads = n > 32 ? 64 : 32;\n{launch}\n}}\n"
        )
    };
    let chosen = text("kernel<<<1, threads>>>(out);");
    assert_eq!(levels("CL302", &chosen), [Level::Info]);
    let wrong = text("k<32><<<1, 64>>>(out);");
    assert_eq!(levels("CL302", &wrong), [Level::Warn]);
}

/// A loop that shares out work among blocks runs once where there are as many blocks as there is work.
#[test]
fn a_race_that_needs_a_second_turn_of_the_blocks_is_no_warning() {
    let body = "__shared__ float s[128];\nfor (int b = blockIdx.x; b < n; b += gridDim.x) {\n\
                s[threadIdx.x] = in[b * 128 + threadIdx.x];\n__syncthreads();\n\
                out[b * 128 + threadIdx.x] = s[127 - threadIdx.x];\n}";
    let each = kernel("", body, "n, 128");
    assert_eq!(levels("CL302", &each), [Level::Info]);
    let few = kernel("", body, "64, 128");
    assert_eq!(levels("CL302", &few), [Level::Warn]);
}

/// A race between warps is told though lanes of one warp race there, too: what orders the block orders them.
#[test]
fn a_race_between_warps_is_told_beside_one_within_a_warp() {
    let body = "__shared__ float s[64];\nif (threadIdx.x < 64) s[threadIdx.x] = in[threadIdx.x];\n\
                out[i] = s[0] + s[40];";
    assert_eq!(levels("CL302", &kernel("", body, "8, 256")), [Level::Warn]);
}
