//! What is followed in kernels of production projects, and how places are counted that are not.

use crate::cli::{cudalint_in, stderr, stdout};
use crate::libraries::accesses;
use crate::support::Scratch;
use serde_json::Value;

#[test]
fn static_functions_of_groups_are_those_of_the_group() {
    let text = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
        __global__ void k(float *out) {\n\
        __shared__ float part[128];\n\
        part[cg::thread_block::thread_rank()] = out[threadIdx.x];\n\
        cg::cluster_group::sync();\n\
        float *there = cg::cluster_group::map_shared_rank(part, 1);\n\
        out[cg::cluster_group::block_rank() * 32 + threadIdx.x] = there[threadIdx.x];\n\
        cg::thread_block::sync();\n}\n\
        void go(float *out) { k<<<4, 128>>>(out); }\n";
    let (found, gaps) = accesses("static-groups", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert!(
        found.contains(&"5 shared store 1..1/1 exact".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"8 global store 4..4/4 exact".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"8 distributed load 0..0/0 unknown".to_owned()),
        "{found:?}"
    );
}

#[test]
fn shared_memory_of_the_cluster_is_no_global_memory() {
    let text = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n\
        struct Given { float *in; float *out; };\n\
        __global__ void k(Given given, int n) {\n\
        __shared__ float part[128];\n\
        cg::cluster_group cluster = cg::this_cluster();\n\
        for (int rank = 0; rank < 2; ++rank) {\n\
        float *there = cluster.map_shared_rank(part, rank);\n\
        there[threadIdx.x] = 1;\n\
        atomicAdd(there + threadIdx.x, 1.0f);\n}\n\
        unsigned here = (unsigned)__cvta_generic_to_shared(part + threadIdx.x), there; float x;\n\
        asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(here), \"r\"(1));\n\
        asm(\"ld.shared::cluster.f32 %0, [%1];\" : \"=f\"(x) : \"r\"(there));\n\
        given.out[threadIdx.x] = given.in[threadIdx.x] + x;\n}\n\
        void go(Given given) { k<<<4, 128>>>(given, 3); }\n";
    let (found, gaps) = accesses("distributed", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "9 distributed store 0..0/0 unknown",
            "10 distributed atomic 0..0/0 unknown",
            "14 distributed load 0..0/0 unknown",
            "15 global store 4..4/4 exact",
            "15 global load 4..4/4 exact",
        ]
    );
}

#[test]
fn pointers_that_lanes_choose_between_shared_arrays_are_shared() {
    let text = "__global__ void k(float *p) {\n\
        __shared__ float a[64], b[64];\n\
        float *q = threadIdx.x & 1 ? a : b;\n\
        q[threadIdx.x] = 1;\n\
        float *r = threadIdx.x & 2 ? q : a;\n\
        r[threadIdx.x] = 2;\n\
        float *s = threadIdx.x & 2 ? q : p;\n\
        s[threadIdx.x] = 3;\n}\n\
        void go(float *p) { k<<<1, 64>>>(p); }\n";
    let (found, gaps) = accesses("chosen-per-lane", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "4 shared store 0..0/0 data-dependent",
            "6 shared store 0..0/0 data-dependent",
            "8 global store 0..0/0 data-dependent",
        ]
    );
}

#[test]
fn pointers_behind_what_has_no_layout_are_those_of_the_launch() {
    let text = "struct Given { int n; CUtensorMap map; float *out; const int *in; };\n\
        __global__ void k(Given const given) { given.out[threadIdx.x * 2] = given.in[blockIdx.x]; }\n\
        __global__ void mixed(Given given) {\n\
        __shared__ float part[64];\n\
        given.out = part;\n\
        given.out[threadIdx.x] = 1;\n}\n\
        void go(Given given) { k<<<4, 32>>>(given); mixed<<<4, 32>>>(given); }\n";
    let (found, _) = accesses("without-layout", text);
    assert_eq!(
        found[..2],
        ["2 global store 8..8/4 exact", "2 global load 1..1/1 exact"],
        "{found:?}"
    );
    assert!(
        found[2..].iter().all(|one| one.ends_with("unknown")),
        "{found:?}"
    );
}

#[test]
fn members_of_members_without_a_layout_lie_in_the_same_object() {
    let text = "struct Inner { float before[8]; Missing<3> held; float sum[128]; float two[2][128]; };\n\
        struct Outer { struct Part { union { Inner main; int x; }; } part; float last[32]; };\n\
        __device__ void run(Inner &inner, float *out) {\n\
        inner.sum[threadIdx.x] = out[threadIdx.x];\n\
        inner.two[1][threadIdx.x * 2] = 1;\n\
        inner.before[threadIdx.x & 7] = 1;\n}\n\
        __global__ void k(float *out) {\n\
        extern __shared__ char bytes[];\n\
        Outer &outer = *reinterpret_cast<Outer *>(bytes);\n\
        run(outer.part.main, out);\n\
        outer.last[threadIdx.x] = 1;\n}\n\
        void go(float *out) { k<<<4, 32>>>(out); }\n";
    let (found, gaps) = accesses("inner-layout", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "4 shared store 1..1/1 exact",
            "4 global load 4..4/4 exact",
            "5 shared store 2..2/1 exact",
            "6 shared store 1..1/1 exact",
            "12 shared store 1..1/1 exact",
        ]
    );
}

#[test]
fn pointers_that_lanes_choose_among_allocations_reach_no_local() {
    let text = "struct Given { void **peers; float *out; int n; };\n\
        template <int RANKS> struct Buffers {\n\
        float *own[RANKS];\n\
        __device__ Buffers(void **peers) {\n\
        _Pragma(\"unroll\") for (int i = 0; i < RANKS; ++i) own[i] = reinterpret_cast<float *>(peers[i]);\n} };\n\
        struct Keeper { const Given &given; __device__ Keeper(const Given &g) : given(g) {}\n\
        __device__ void write(int i) { given.out[i] = 1; } };\n\
        __global__ void k(Given given) {\n\
        Keeper keeper(given);\n\
        Buffers<4> buffers(given.peers);\n\
        if (threadIdx.x < 4) buffers.own[threadIdx.x][given.n] = 1;\n\
        keeper.write(threadIdx.x * 2);\n}\n\
        void go(Given given) { k<<<4, 32>>>(given); }\n";
    let (found, gaps) = accesses("chosen-by-lanes", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert!(
        found.contains(&"8 global store 8..8/4 exact".to_owned()),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|one| one.starts_with("12 ") && one.ends_with("data-dependent")),
        "{found:?}"
    );
}

#[test]
fn attributes_say_what_the_words_of_the_toolkit_do() {
    let text = "__attribute__((constant)) float table[64];\n\
        __global__ void k(float *out) {\n\
        extern __attribute__((shared)) unsigned char bytes[];\n\
        __attribute__((shared)) float rows[32][32];\n\
        float *all = (float *)bytes;\n\
        all[threadIdx.x] = table[threadIdx.x & 1];\n\
        rows[threadIdx.x][0] = 1;\n\
        __syncthreads();\n\
        out[threadIdx.x] = all[threadIdx.x ^ 1] + rows[0][threadIdx.x];\n}\n\
        void go(float *out) { k<<<4, 32, 1024>>>(out); }\n";
    let (found, gaps) = accesses("attributes", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "6 shared store 1..1/1 exact",
            "7 shared store 32..32/1 exact",
            "9 global store 4..4/4 exact",
            "9 shared load 1..1/1 exact",
        ]
    );
}

#[test]
fn a_call_that_is_not_followed_is_one_gap() {
    let text = "__global__ void k(float *out) {\n\
        int n = 3;\n\
        auto set = [&](int x) { n = x; };\n\
        set(4);\n\
        Missing rows(out);\n\
        rows(n, 2);\n\
        out[threadIdx.x] = 1;\n}\n\
        void go(float *out) { k<<<4, 32>>>(out); }\n";
    let (_, gaps) = accesses("one-gap", text);
    let of_call: Vec<&String> = gaps.iter().filter(|gap| gap.contains("`rows`")).collect();
    assert_eq!(of_call.len(), 1, "{gaps:?}");
    assert!(
        !gaps.iter().any(|gap| gap.contains("may be a lambda")),
        "{gaps:?}"
    );
}

#[test]
fn headers_may_leave_cutlass_to_those_who_include_them() {
    let text = "#pragma once\n\
        template <int N> __global__ void k(float *out) {\n\
        cutlass::arch::NamedBarrier(N).sync();\n\
        cutlass::arch::NamedBarrier::arrive_and_wait(N, 1);\n\
        cute::cluster_sync();\n\
        out[threadIdx.x] = cutlass::maximum<float>{}(1, 2);\n}\n\
        void go(float *out) { k<64><<<4, 64>>>(out); }\n";
    let (found, gaps) = accesses("without-cutlass", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(found, ["6 global store 4..4/4 exact"]);
}

#[test]
fn pointers_of_peers_are_told_apart() {
    let text = "struct Peers { int *flags[8]; };\n\
        template <int RANKS> struct Buffers {\n\
        float *own[RANKS];\n\
        __device__ Buffers(void **peers) {\n\
        _Pragma(\"unroll\") for (int i = 0; i < RANKS; ++i) own[i] = reinterpret_cast<float *>(peers[i]);\n} };\n\
        __global__ void k(void **peers, const float *in, Peers all, int rank) {\n\
        Buffers<4> buffers(peers);\n\
        for (int i = 0; i < 4; ++i) buffers.own[i][threadIdx.x] = in[threadIdx.x];\n\
        buffers.own[rank][threadIdx.x] = 1;\n\
        if (threadIdx.x < 8) all.flags[threadIdx.x][rank] = 1;\n}\n\
        void go(void **peers, float *in, Peers all, int rank) { k<<<4, 32>>>(peers, in, all, rank); }\n";
    let (found, gaps) = accesses("peers", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    let of_line = |line: &str| {
        found
            .iter()
            .filter(|one| one.starts_with(line))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of_line("9 "),
        ["9 global store 4..4/4 exact", "9 global load 4..4/4 exact"]
    );
    assert_eq!(of_line("10 "), ["10 global store 4..4/4 exact"]);
    assert!(of_line("11 ")[0].ends_with("data-dependent"), "{found:?}");
}

#[test]
fn operators_of_other_namespaces_are_not_meant() {
    let text = "enum class Kind { A, B };\n\
        namespace own { enum Layout { ROWS, COLUMNS }; }\n\
        namespace other {\n\
        template <typename T> __device__ bool operator==(T a, T b) { return false; }\n\
        template <typename T> __device__ bool operator==(Missing<T> a, T b) { return false; }\n\
        }\n\
        __global__ void k(float *out, Kind kind, own::Layout layout) {\n\
        out[threadIdx.x * (kind == Kind::A ? 2 : 2)] = 1;\n\
        out[threadIdx.x * (layout == own::ROWS ? 3 : 3)] = 1;\n}\n\
        void go(float *out, Kind kind, own::Layout layout) { k<<<1, 32>>>(out, kind, layout); }\n";
    let (found, gaps) = accesses("other-operators", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "8 global store 8..8/4 exact",
            "9 global store 12..12/4 exact"
        ]
    );
}

#[test]
fn an_object_and_its_method_that_are_not_followed_are_one_place() {
    let text = "#include <cub/cub.cuh>\n\
        __global__ void k(int *out, int *in) {\n\
        int keys[1] = {in[threadIdx.x]};\n\
        cub::BlockOther<int, 32>(in).Sort(keys);\n\
        out[threadIdx.x] = keys[0];\n}\n\
        void go(int *a) { k<<<1, 32>>>(a, a); }\n";
    let (_, gaps) = accesses("one-place", text);
    assert_eq!(gaps.len(), 1, "{gaps:?}");
}

#[test]
fn copies_of_a_wide_aligned_size_go_by_16_bytes() {
    let text = "#include <cuda/pipeline>\n\
        __global__ void k(const float *in, float *out) {\n\
        __shared__ alignas(32) float part[512];\n\
        cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();\n\
        cuda::memcpy_async(part + threadIdx.x * 8, in + threadIdx.x * 8, cuda::aligned_size_t<32>(32), pipe);\n\
        cuda::memcpy_async(part + threadIdx.x * 8, in + threadIdx.x * 8, cuda::aligned_size_t<4>(32), pipe);\n\
        out[threadIdx.x] = part[threadIdx.x];\n}\n\
        void go(float *a) { k<<<1, 64>>>(a, a); }\n";
    let (found, gaps) = accesses("wide-copies", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    let of_line = |line: &str| found.iter().filter(|one| one.starts_with(line)).count();
    assert!(
        found.contains(&"5 global load 32..32/16 exact".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"6 global load 32..32/4 exact".to_owned()),
        "{found:?}"
    );
    assert!(
        of_line("5 shared store") > 0 && of_line("6 shared store") > 0,
        "{found:?}"
    );
}

#[test]
fn tensor_memory_is_no_shared_memory() {
    let text = "__global__ void k(float *out, unsigned at) {\n\
        unsigned a, b;\n\
        asm volatile(\"tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];\" : \"=r\"(a), \"=r\"(b) : \"r\"(at));\n\
        asm volatile(\"tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};\" :: \"r\"(at), \"r\"(a));\n\
        out[threadIdx.x] = b;\n}\n\
        void go(float *a) { k<<<1, 64>>>(a, 0); }\n";
    let (found, gaps) = accesses("tensor-memory", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(found, ["5 global store 4..4/4 exact"]);
}

#[test]
fn a_place_that_is_not_followed_counts_once_for_all_kernels_and_instances() {
    let text = "__device__ void far(float *out, int n) { missing(out, n); }\n\
        template <int N> __global__ void k(float *out) { far(out, N); out[threadIdx.x] = N; }\n\
        __global__ void j(float *out) { far(out, 1); out[threadIdx.x] = 1; }\n\
        void go(float *out) {\n\
        k<1><<<4, 32>>>(out); k<2><<<4, 32>>>(out); k<3><<<4, 32>>>(out); j<<<4, 32>>>(out);\n}\n";
    let scratch = Scratch::new("one-cause");
    scratch.write("a.cu", text);
    // A header's place has a number for each file that reads it.
    scratch.write(
        "b.cuh",
        "__device__ void near(float *out) { missing_too(out); }\n",
    );
    for (file, kernel) in [("c.cu", "c"), ("d.cu", "d")] {
        let text = format!(
            "#include \"b.cuh\"\n\
            __global__ void {kernel}(float *out) {{ near(out); out[threadIdx.x] = 1; }}\n\
            void go_{kernel}(float *out) {{ {kernel}<<<4, 32>>>(out); }}\n"
        );
        scratch.write(file, &text);
    }
    let run = |arguments: &[&str]| {
        let output = cudalint_in(&scratch.0, &[arguments, &["--no-cache", "."]].concat());
        (stdout(&output), stderr(&output))
    };
    let read = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let figures = read(&run(&["stats"]).0);
    assert_eq!(figures["gaps"]["total"], 2);
    assert_eq!(figures["gaps"]["reasons"][0]["count"], 2);
    assert_eq!(figures["gaps"]["reasons"][0]["instances"], 6);
    let list = read(&run(&["accesses", "--format", "json"]).0);
    let of = |document: &Value, name: &str| -> Vec<(u64, u64)> {
        let gaps = document["gaps"].as_array().expect("a list");
        let number = |one: &Value, name: &str| one[name].as_u64().expect("a number");
        gaps.iter()
            .map(|one| (number(one, "line"), number(one, name)))
            .collect()
    };
    assert_eq!(of(&list, "instances"), [(1, 4), (1, 2)]);
    assert_eq!(of(&list, "kernels"), [(1, 2), (1, 2)]);
    let found = read(&run(&["check", "--format", "json"]).0);
    assert_eq!(of(&found, "kernels"), [(1, 2), (1, 2)]);
    assert_eq!(found["summary"]["not_followed"], 2);
    assert_eq!(found["not_followed"].as_array().map(Vec::len), Some(4));
    let (out, err) = run(&["check", "-v"]);
    let told = format!("{out}{err}");
    assert!(
        told.contains("not followed: 2 places in 4 kernels"),
        "{told}"
    );
    let lines = told.lines().filter(|line| line.contains("in 2 kernels: "));
    assert_eq!(lines.count(), 2, "{told}");
}

#[test]
fn what_may_be_a_lambda_writes_no_constant() {
    let kernel = |parameter: &str| {
        format!(
            "struct Params {{ float *out; int n; }};\n\
            __global__ void k({parameter} params) {{\n\
            int n = 3; const int m = params.n;\n\
            auto set = [&](int x) {{ n = x; }};\n\
            set(4);\n\
            for (int i = 0; i < params.n; ++i) {{\n\
            Missing rows = make(i);\n\
            params.out[m * 32 + threadIdx.x] = 1;\n\
            rows(i, 2);\n}}\n}}\n\
            void go(Params p) {{ k<<<4, 32>>>(p); }}\n"
        )
    };
    let (found, _) = accesses("constant-parameter", &kernel("const Params"));
    assert_eq!(found, ["8 global store 1..4/1 bounded"]);
    let (found, _) = accesses("variable-parameter", &kernel("Params"));
    assert_eq!(found, ["8 global store 0..0/0 unknown"]);
}
