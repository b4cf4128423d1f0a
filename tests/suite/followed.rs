//! What is followed in kernels of production projects, and how places are counted that are not.

use crate::libraries::accesses;

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
