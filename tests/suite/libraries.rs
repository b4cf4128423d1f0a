//! Code of production projects that rests on headers which are not there: what is read in their place, and
//! what stays known behind calls that are not followed.

use crate::cli::{cudalint_in, stderr, stdout};
use crate::support::Scratch;
use serde_json::Value;

/// Every access of a text as `line space operation least..most/ideal status`, and the places not followed.
pub fn accesses(name: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let scratch = Scratch::new(name);
    scratch.write("a.cu", text);
    let output = cudalint_in(
        &scratch.0,
        &["accesses", "--no-cache", "--format", "json", "a.cu"],
    );
    let document: Value =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    let word = |value: &Value| value.to_string().trim_matches('"').to_owned();
    let mut found: Vec<String> = list("accesses")
        .iter()
        .map(|one| {
            format!(
                "{} {} {} {}..{}/{} {}",
                one["line"],
                word(&one["space"]),
                word(&one["op"]),
                one["cost"]["min"],
                one["cost"]["max"],
                one["ideal"],
                word(&one["status"])
            )
        })
        .collect();
    found.dedup();
    let gaps = list("gaps")
        .iter()
        .map(|one| word(&one["reason"]))
        .collect();
    (found, gaps)
}

#[test]
fn vectors_and_matrices_of_glm_lie_as_they_do_in_memory() {
    let text = "#include <glm/glm.hpp>\n#include <glm/gtc/type_ptr.hpp>\n\
        __global__ void k(const float *flat, const float *view, const glm::vec3 *points, const glm::vec4 *four, float *out) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
        glm::mat3 turn(view[0], view[4], view[8], view[1], view[5], view[9], view[2], view[6], view[10]);\n\
        glm::vec3 moved = turn * points[i];\n\
        glm::vec3 raw = glm::make_vec3(flat + i * 3);\n\
        glm::mat3 spread = glm::outerProduct(moved, raw) * glm::transpose(turn);\n\
        out[i] = spread[0][1] + glm::length(moved) + glm::max(raw.x, 0.5f);\n\
        ((glm::vec2 *)out)[i].y = four[i].w;\n\
        }\n\
        void go(float *a) { k<<<4, 256>>>(a, a, (glm::vec3 *)a, (glm::vec4 *)a, a); }\n";
    let (found, gaps) = accesses("glm", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    for expected in [
        // One float of twelve bytes at a time; a copy by `memcpy` goes byte by byte, as nvcc does it.
        "6 global load 12..12/4 exact",
        "7 global load 12..12/1 exact",
        "9 global store 4..4/4 exact",
        "10 global load 16..16/4 exact",
        "10 global store 8..8/4 exact",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
    assert!(found.iter().all(|one| one.ends_with("exact")), "{found:#?}");
}

#[test]
fn rows_of_an_image_of_opencv_lie_a_step_apart() {
    let text = "#include \"opencv2/core/cuda/common.hpp\"\n\
        namespace cv { namespace cuda { namespace device {\n\
        template <typename T> __global__ void copy(const PtrStepSz<T> from, PtrStep<T> to) {\n\
        int x = blockIdx.x * blockDim.x + threadIdx.x;\n\
        to(blockIdx.y, x) = from.ptr(0)[x];\n\
        to.data[x * from.rows] = from(0, x * 2);\n\
        }\n\
        template <typename T> __global__ void sums(typename TypeVec<T, 4>::vec_type *out) {\n\
        __shared__ typename TypeVec<T, 3>::vec_type tile[32];\n\
        tile[threadIdx.x] = VecTraits<typename TypeVec<T, 3>::vec_type>::all(1);\n\
        out[threadIdx.x] = VecTraits<typename TypeVec<T, 4>::vec_type>::make(&tile[0].x);\n\
        }\n\
        void go(PtrStepSzf a, PtrStepSzf b) { copy<float><<<dim3(divUp(1024, 256), 8), 256>>>(a, b); sums<short><<<1, 32>>>(nullptr); }\n\
        }}}\n";
    let (found, gaps) = accesses("opencv", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    let starts = |start: &str| found.iter().any(|one| one.starts_with(start));
    assert!(starts("5 global load 4..4/4 exact"), "{found:#?}");
    assert!(starts("5 global store 4..5/4 bounded"), "{found:#?}");
    assert!(starts("6 global load 8..8/4 exact"), "{found:#?}");
    assert!(starts("10 shared store"), "{found:#?}");
    assert!(starts("11 global store 8..8/8 exact"), "{found:#?}");
    assert!(
        !found.iter().any(|one| one.contains("unknown")),
        "{found:#?}"
    );
}

#[test]
fn function_objects_mean_their_operators() {
    let text = "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_adjacent_difference.cuh>\n\
        struct Differ { __device__ bool operator()(bool a, bool b) const { return a != b; } };\n\
        template <typename Op> __device__ float apply(float a, float b, Op op) { return op(a, b); }\n\
        __global__ void k(const float *in, float *out) {\n\
        __shared__ union { cub::BlockReduce<float, 256>::TempStorage sum; cub::BlockAdjacentDifference<int, 256>::TempStorage edge; } s;\n\
        int t = threadIdx.x;\n\
        float v = in[t];\n\
        float most = cub::BlockReduce<float, 256>(s.sum).Reduce(v, cuda::maximum<>{});\n\
        __syncthreads();\n\
        int f[4] = {v > 1, v > 2, v > 3, v > 4}, g[4];\n\
        cub::BlockAdjacentDifference<int, 256>(s.edge).SubtractLeft(f, g, Differ());\n\
        out[t] = apply(most, v, std::plus<float>()) + g[1];\n\
        out[cuda::std::plus<>{}(t, 64)] = 1;\n\
        out[thrust::multiplies<int>()(t, 2)] = 1;\n\
        out[cuda::minimum<>{}(t, 7)] = 1;\n\
        out[std::minus<>()(255, t)] = 1;\n\
        out[thrust::plus<short>()(t, 3)] = 1;\n\
        }\n\
        void go(float *a) { k<<<1, 256>>>(a, a); }\n";
    let (found, gaps) = accesses("functors", text);
    // The operands are converted to `short`, which is not followed.
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    for expected in [
        "12 shared load 1..1/1 exact",
        "12 shared store 1..1/1 exact",
        "13 global store 4..4/4 exact",
        "14 global store 4..4/4 exact",
        "15 global store 8..8/4 exact",
        "16 global store 1..1/1 exact",
        "17 global store 4..4/4 exact",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
    let last = found.iter().find(|one| one.starts_with("18 "));
    assert!(
        last.is_some_and(|one| !one.ends_with("exact")),
        "{found:#?}"
    );
}

/// Each lambda is an instance of its own, whose copies are parameters of the kernel.
#[test]
fn lambdas_that_kernels_are_handed_are_followed() {
    let text = "template <typename F> __global__ void each(int n, F f) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) f(i); }\n\
        template <typename F> void run(int n, F f) { each<<<2, 64>>>(n, f); }\n\
        template <typename T> void copy(T *to, const T *from, int stride) {\n\
        run(128, [=] __device__ (int i) { to[i] = from[i * stride]; });\n\
        }\n\
        void go(float *a, float *b, double *c, int &count) {\n\
        copy(a, b, 2); copy(c, c, 1);\n\
        auto wide = [=] __device__ (int i) { a[i * 8] = 1; };\n\
        run(128, wide);\n\
        run(128, [&] __device__ (int i) { a[i * count] = 1; });\n\
        }\n";
    let (found, gaps) = accesses("handed", text);
    for expected in [
        "4 global store 4..4/4 exact",
        "4 global load 8..8/4 exact",
        "4 global store 8..8/8 exact",
        "4 global load 8..8/8 exact",
        "8 global store 32..32/4 exact",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
    // What is held by reference is no copy: the kernel cannot have it.
    assert!(
        !found.iter().any(|one| one.starts_with("10 ")),
        "{found:#?}"
    );
    assert!(!gaps.is_empty());
}

#[test]
fn what_a_call_cannot_reach_stays() {
    let text = "struct P { const float *a; float *b; int n; };\n\
        struct M { const float *a; mutable float *b; };\n\
        struct V { float x, y, z, w; };\n\
        __global__ void constant(const P p) { float r = not_there(p); p.b[threadIdx.x] = p.a[threadIdx.x] + r; }\n\
        __global__ void numbers(P p) { V v = {1, 2, 3, 4}; float q[4]; for (int i = 0; i < p.n; ++i) q[i & 3] = v.x;\n\
        const P *at = &p; float r = not_there(v, q); at->b[threadIdx.x] = r; }\n\
        __global__ void given(P p) { float r = not_there(p); p.b[threadIdx.x] = r; }\n\
        __global__ void changed(const M p) { float r = not_there(p); p.b[threadIdx.x] = r; }\n\
        __global__ void raw(P p) { char q[16]; P *at = &p; keep(q, at); float r = not_there(q); p.b[threadIdx.x] = r; }\n\
        void go(P p, M m) { constant<<<1, 64>>>(p); numbers<<<1, 64>>>(p); given<<<1, 64>>>(p); changed<<<1, 64>>>(m); raw<<<1, 64>>>(p); }\n";
    let (found, gaps) = accesses("reach", text);
    assert!(gaps.len() >= 5, "{gaps:?}");
    for known in ["4 global store 4..4/4 exact", "6 global store 4..4/4 exact"] {
        assert!(found.iter().any(|one| one == known), "{known}: {found:#?}");
    }
    for line in ["7 ", "8 ", "9 "] {
        let store = found.iter().find(|one| one.starts_with(line));
        assert!(
            store.is_some_and(|one| one.ends_with("unknown")),
            "{line}: {found:#?}"
        );
    }
}

#[test]
fn operators_of_device_code_change_nothing_on_the_host() {
    let launch = "template <int N> struct Traits { static constexpr int n = N; };\n\
        template <typename K> __global__ void k(float *z) { z[threadIdx.x * K::n] = 1; }\n\
        template <int N> void run(float *z) { [&] { using K = Traits<N>; auto kernel = &k<K>; cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 3); kernel<<<1, 32>>>(z); }(); }\n\
        void go(float *z) { run<4>(z); }\n";
    let functor = "struct F { int x; __device__ int operator()(int a) { int o = x; x = o + a; return o; } };\n";
    for text in [launch.to_owned(), format!("{functor}{launch}")] {
        let (found, gaps) = accesses("functor", &text);
        assert!(gaps.is_empty(), "{gaps:?}");
        assert!(
            found.len() == 1 && found[0].ends_with("store 16..16/4 exact"),
            "{found:?}"
        );
    }
}

#[test]
fn static_constants_of_a_function_are_those_of_its_instance() {
    let text = "template <int N> struct Traits { static constexpr int n = N; };\n\
        template <typename K> __global__ void k(float *z) { z[threadIdx.x * K::n] = 1; }\n\
        template <int M> void run(float *z, bool b) {\n\
        if (b) { static constexpr bool is_small = true; [&] { static constexpr int size = is_small ? 2 : 4; k<Traits<M * size>><<<1, 32>>>(z); }(); }\n\
        else { static constexpr bool is_small = false; [&] { static constexpr int size = is_small ? 2 : 4; k<Traits<M * size>><<<1, 32>>>(z); }(); } }\n\
        void go(float *z, bool b) { run<1>(z, b); }\n";
    let (found, _) = accesses("static", text);
    let costs = [
        "2 global store 8..8/4 exact",
        "2 global store 16..16/4 exact",
    ];
    let has = |cost: &str| found.iter().any(|one| one == cost);
    assert!(found.len() == 2 && costs.into_iter().all(has), "{found:?}");
}

#[test]
fn states_of_random_numbers_in_memory_are_said_not_to_be_followed() {
    let text = "#include <curand_kernel.h>\n\
        __device__ float draw(curandState *s) { return curand_uniform(s); }\n\
        __global__ void begin(curandState *s) { curand_init(1, threadIdx.x, 0, &s[threadIdx.x]); }\n\
        __global__ void own(float *o) { curandState l; curand_init(1, threadIdx.x, 0, &l); for (int i = 0; i < 4; ++i) o[i * 64 + threadIdx.x] = draw(&l); }\n\
        __global__ void shared(curandState *s, float *o) { o[threadIdx.x] = draw(s + threadIdx.x); }\n\
        void go(curandState *s, float *o) { begin<<<1, 64>>>(s); own<<<1, 64>>>(o); shared<<<1, 64>>>(s, o); }\n";
    let (found, gaps) = accesses("random", text);
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert!(
        gaps.iter().all(|gap| gap.contains("a state in memory")),
        "{gaps:?}"
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn macros_over_cases_of_torch_run_a_lambda_for_each_type() {
    let text = "#include <torch/all.h>\n\
        #define MINE(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, \\\n\
          AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__) AT_DISPATCH_CASE(torch::kHalf, __VA_ARGS__))\n\
        template <typename T> __global__ void k(T *p) { p[threadIdx.x * 2] = 0; }\n\
        void go(torch::Tensor x) {\n\
        MINE(x.scalar_type(), \"k\", [&] { k<scalar_t><<<4, 128>>>(x.data_ptr<scalar_t>()); });\n\
        }\n";
    let (found, gaps) = accesses("dispatched", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "4 global store 4..4/2 exact",
            "4 global store 16..16/8 exact"
        ]
    );
}

#[test]
fn small_classes_of_the_standard_libraries_lie_as_they_do_in_memory() {
    let text = "#include <cuda/std/tuple>\n#include <thrust/tuple.h>\n#include <type_traits>\n\
        __global__ void k(float *p, cuda::std::pair<char, int> *pairs, cuda::std::tuple<char, short, int> *tuples) {\n\
        int t = threadIdx.x;\n\
        auto [a, b] = thrust::make_tuple(t, t * 3);\n\
        p[b] = a;\n\
        int x, y;\n\
        thrust::tie(x, y) = cuda::std::make_tuple(t, t * 5);\n\
        p[y] = x;\n\
        pairs[t].second = 1;\n\
        cuda::std::get<1>(tuples[t]) = 2;\n\
        typedef std::aligned_storage<16, 16>::type wide;\n\
        ((wide *)p)[t] = ((wide *)p)[t + 32];\n\
        }\n\
        __global__ void spans(cuda::std::span<float> s, cuda::std::optional<int> o) {\n\
        s.subspan(32)[threadIdx.x] = s.size();\n\
        if (o) s[threadIdx.x * 2] = *o;\n\
        }\n\
        void go(float *a) { k<<<4, 32>>>(a, nullptr, nullptr); spans<<<4, 32>>>({a, 64}, 1); }\n";
    let (found, gaps) = accesses("small", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    for expected in [
        "7 global store 12..12/4 exact",
        "10 global store 20..20/4 exact",
        "11 global store 8..8/4 exact",
        "12 global store 8..8/2 exact",
        "17 global store 4..4/4 exact",
        "18 global store 8..8/4 exact",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
}

#[test]
fn local_objects_of_unknown_types_are_no_global_memory() {
    let text = "template <typename T, int N> __global__ void k(float *p) {\n\
        T values[N];\n\
        struct Row { T of[N]; } row, rows[N];\n\
        values[threadIdx.x % N] = p[threadIdx.x];\n\
        row.of[1] = values[2];\n\
        rows[1].of[2] = row.of[1];\n\
        p[threadIdx.x * 2] = 1;\n\
        }\n";
    let (found, _) = accesses("unknown-locals", text);
    assert_eq!(
        found,
        ["4 global load 4..4/4 exact", "7 global store 8..8/4 exact"]
    );
}

#[test]
fn keys_turned_into_bits_are_not_memory() {
    let (found, gaps) = accesses(
        "twiddled",
        "#include <cub/cub.cuh>\n\
         template <typename T> __global__ void k(unsigned *c, const T *x) {\n\
         T v = x[threadIdx.x];\n\
         using Bits = typename cub::Traits<T>::UnsignedBits;\n\
         Bits bits = cub::Traits<T>::TwiddleIn(reinterpret_cast<Bits &>(v));\n\
         c[threadIdx.x] = cub::Traits<T>::TwiddleOut(bits);\n\
         c[cub::Traits<unsigned>::TwiddleIn(threadIdx.x) * 2] = bits;\n\
         c[cub::Traits<int>::TwiddleIn(threadIdx.x) * 2] = bits;\n\
         }\n\
         template __global__ void k<float>(unsigned *, const float *);\n",
    );
    assert_eq!(
        found,
        [
            "3 global load 4..4/4 exact",
            "6 global store 4..4/4 exact",
            "7 global store 8..8/4 exact",
            "8 global store 8..8/4 exact",
        ]
    );
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn halves_go_to_functions_of_float() {
    let (found, gaps) = accesses(
        "halves",
        "#include <cuda_bf16.h>\n\
         #include <cuda_fp16.h>\n\
         __device__ void add(float &sum, float a, float b) { sum += a * b; }\n\
         __device__ void add(float &sum, float2 a, float2 b) { sum += a.x * b.x; }\n\
         __device__ void add(float &sum, half2 a, half2 b) { sum += 1; }\n\
         __global__ void k(float *c, const nv_bfloat162 *x, const half2 *y) {\n\
         float sums[2] = {0, 0};\n\
         nv_bfloat162 a = x[threadIdx.x];\n\
         half2 b = y[threadIdx.x];\n\
         add(sums[0], a.x, sums[1]);\n\
         add(sums[1], b.x, b.y);\n\
         c[threadIdx.x] = sums[0] + sums[1];\n\
         }\n",
    );
    assert_eq!(
        found,
        [
            "8 global load 4..4/4 exact",
            "9 global load 4..4/4 exact",
            "12 global store 4..4/4 exact",
        ]
    );
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn traits_are_known_where_some_of_the_standard_library_is_declared() {
    // Each header brings its own part of `std`, and no traits.
    let text = "#include <type_traits>\n#include <c10/util/complex.h>\n#include <cub/block/block_load.cuh>\n\
        template <typename W> struct Traits {\n\
        static constexpr bool is_complex = std::is_same_v<W, c10::complex<float>>;\n\
        using pair = std::conditional_t<!is_complex, float2, float4>;\n\
        static constexpr int digits = cub::Log2<8>::VALUE;\n\
        };\n\
        template <typename T> __global__ void k(float *out) {\n\
        ((typename T::pair *)out)[threadIdx.x].x = 1;\n\
        out[threadIdx.x * T::digits] = cub::WarpMask<CUB_WARP_THREADS(0)>(0);\n\
        }\n\
        void go(float *a) { k<Traits<float>><<<4, 128>>>(a); k<Traits<c10::complex<float>>><<<4, 128>>>(a); }\n";
    let (found, gaps) = accesses("traits", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "10 global store 8..8/4 exact",
            "10 global store 16..16/4 exact",
            "11 global store 12..12/4 exact"
        ]
    );
}

#[test]
fn a_template_for_what_is_constant_is_the_more_special_one() {
    let text = "template <typename T> struct M { using type = T; };\n\
        template <> struct M<double> { using type = short; };\n\
        template <typename T> using m = typename M<T>::type;\n\
        template <typename T> const m<T> *cast(const T *x) { return reinterpret_cast<const m<T> *>(x); }\n\
        template <typename T> m<T> *cast(T *x) { return reinterpret_cast<m<T> *>(x); }\n\
        template <typename T> __device__ int step(const T *x) { return 2; }\n\
        template <typename T> __device__ int step(T *x) { return 3; }\n\
        template <typename T> __global__ void k(T *in, double *out, const double *none) {\n\
        double v = in[threadIdx.x];\n\
        out[threadIdx.x * step(none)] = v;\n\
        out[threadIdx.x * step(out)] = v;\n\
        }\n\
        void go(const double *a, double *b) { k<<<1, 32>>>(cast(a), b, a); k<<<1, 32>>>(cast(b), b, a); }\n";
    let (found, gaps) = accesses("more-special", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert!(
        found.iter().all(|one| !one.contains("unknown")),
        "{found:#?}"
    );
    let starts = |start: &str| found.iter().any(|one| one.starts_with(start));
    for expected in [
        "9 global load 2..",
        "10 global store 16..",
        "11 global store 24..",
    ] {
        assert!(starts(expected), "{expected}: {found:#?}");
    }
    assert!(!starts("9 global load 8.."), "{found:#?}");
}

#[test]
fn pointers_of_a_tensor_point_to_what_they_are_asked_for() {
    // A specialisation for `float` is not one for `const float`.
    let text = "#include <ATen/ATen.h>\n\
        template <typename T> struct Shared;\n\
        template <> struct Shared<float> { __device__ float *get() { extern __shared__ float all[]; return all; } };\n\
        template <typename T> __global__ void k(T *out) {\n\
        Shared<T> shared;\n\
        T *s = shared.get();\n\
        s[threadIdx.x * 2] = 1;\n\
        out[threadIdx.x] = s[threadIdx.x];\n\
        }\n\
        template <typename T> void run(T *out) { k<<<1, 32, 256>>>(out); }\n\
        void go(at::Tensor x) { run(x.data_ptr<float>()); }\n";
    let (found, gaps) = accesses("tensor-pointer", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert!(
        found.contains(&"7 shared store 2..2/1 exact".to_owned()),
        "{found:#?}"
    );
    assert!(
        found.iter().all(|one| !one.contains("unknown")),
        "{found:#?}"
    );
}

#[test]
fn a_pointer_out_of_a_table_that_host_code_fills_may_point_to_any_element() {
    let text = "struct Table { float *rows[8]; int which[16]; };\n\
        __global__ void k(Table table) {\n\
        float *row = table.rows[table.which[blockIdx.x]];\n\
        row[threadIdx.x] = 1;\n\
        }\n\
        void go(float *all, const int *starts, int count) {\n\
        Table table;\n\
        for (int i = 0; i < 8; ++i) table.rows[i] = all + starts[i];\n\
        k<<<count, 32>>>(table);\n\
        }\n";
    let (found, gaps) = accesses("table-of-pointers", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(found, ["4 global store 4..5/4 bounded"]);
}

#[test]
fn the_second_form_of_macros_of_torch_takes_lists_of_types() {
    let text = "#include <ATen/Dispatch_v2.h>\n\
        template <typename T> __global__ void k(T *p) { p[threadIdx.x * 2] = 0; }\n\
        template <typename T, int N> __global__ void other(T *p) { p[threadIdx.x * N] = 0; }\n\
        void go(at::Tensor x) {\n\
        AT_DISPATCH_V2(x.scalar_type(), \"k\", AT_WRAP([&] { k<scalar_t><<<4, 128>>>(x.data_ptr<scalar_t>()); }),\n\
        AT_EXPAND(AT_FLOATING_TYPES), at::kHalf, at::kByte);\n\
        }\n\
        void more(at::Tensor x) {\n\
        AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(at::kHalf, x.scalar_type(), \"other\", [&] {\n\
        other<scalar_t, sizeof(scalar_t)><<<4, 128>>>(x.data_ptr<scalar_t>()); });\n\
        }\n";
    let (found, gaps) = accesses("dispatched-again", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    for expected in [
        "2 global store 2..2/1 exact",
        "2 global store 4..4/2 exact",
        "2 global store 8..8/4 exact",
        "2 global store 16..16/8 exact",
        // Whose pointer a tensor gives by these macros is not read.
        "3 global store 4..5/2 bounded",
        "3 global store 16..17/4 bounded",
        "3 global store 32..32/8 exact",
        "3 global store 32..32/16 exact",
    ] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
}

#[test]
fn each_kernel_of_a_name_has_the_accesses_of_what_they_share() {
    let text = "template <typename T> __device__ void put(T *to, int i) { to[i * 2] = 1; }\n\
        template <typename T> __global__ void k(T *out, int n) { int i = threadIdx.x; if (i < n) put(out, i); }\n\
        template <typename T> __global__ void k(T *out, int n, int m) { int i = threadIdx.x; if (i < n) put(out, i); }\n\
        void go(float *a, int n, dim3 block) { k<<<1, block>>>(a, n); k<<<1, block>>>(a, n, n); }\n";
    let scratch = Scratch::new("overloaded-kernels");
    scratch.write("a.cu", text);
    let output = cudalint_in(&scratch.0, &["stats", "--no-cache", "a.cu"]);
    let document: Value =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert_eq!(document["kernels"], 2);
    assert_eq!(document["without_access"]["silent"], 0, "{document:#}");
}

#[test]
fn reductions_of_raft_go_through_one_value_of_each_warp() {
    let text = "#include <raft/util/cuda_utils.cuh>\n\
        DI float doubled(float x) { return x + x; }\n\
        __global__ void k(const float *in, float *out) {\n\
        __shared__ char s[32 * sizeof(float)];\n\
        float sum = raft::blockReduce(doubled(in[threadIdx.x]), s);\n\
        if (threadIdx.x == 0) raft::myAtomicAdd(out + raft::ceildiv(7, 2), sum);\n\
        }\n\
        void go(float *a) { k<<<4, 256>>>(a, a); }\n";
    let (found, gaps) = accesses("raft", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    for expected in ["5 shared store 1..1/1 exact", "5 global load 4..4/4 exact"] {
        assert!(
            found.iter().any(|one| one == expected),
            "{expected}: {found:#?}"
        );
    }
    assert!(
        found.iter().all(|one| !one.contains("unknown")),
        "{found:#?}"
    );
}

#[test]
fn packs_behind_what_goes_by_reference_are_expanded() {
    let text = "struct Rows { float *row[2]; };\n\
        struct Fill { __device__ void operator()(Rows &rows, float a, int b, Rows &more) const {\n\
        rows.row[0][threadIdx.x * 2] = a;\n\
        more.row[1][threadIdx.x * 3] = b;\n\
        } };\n\
        template <typename F, typename... A> __global__ void k(Rows rows, F f, A... rest) { f(rows, rest..., rows); }\n\
        void go(Rows rows, float a) { k<<<1, 32>>>(rows, Fill(), a, 2); }\n";
    let (found, gaps) = accesses("packs", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "3 global store 8..8/4 exact",
            "4 global store 12..12/4 exact"
        ]
    );
}

#[test]
fn arrays_of_cutlass_lie_as_they_do_in_memory() {
    let text = "#include <cutlass/array.h>\n#include <cutlass/numeric_conversion.h>\n#include <cuda_fp16.h>\n\
        template <class T, class U> __device__ static U converted(T const &input) {\n\
        cutlass::NumericArrayConverter<typename U::Element, typename T::Element, U::kElements> converter;\n\
        return converter(input);\n}\n\
        __global__ void k(const __half *in, float *out, cutlass::half_t *halves) {\n\
        using In = cutlass::Array<__half, 128 / cutlass::sizeof_bits<__half>::value>;\n\
        using Out = cutlass::Array<float, 8>;\n\
        In read = reinterpret_cast<const In *>(in)[threadIdx.x];\n\
        Out sum; sum.fill(0);\n\
        sum = sum + 2.0f * converted<In, Out>(read);\n\
        reinterpret_cast<Out *>(out)[threadIdx.x] = sum;\n\
        halves[cutlass::canonical_warp_idx_sync() * 32 + cutlass::arch::LaneId()] = cutlass::half_t(sum[0]);\n\
        if (cute::elect_one_sync()) reinterpret_cast<In *>(halves)[blockIdx.x][2] = read[3];\n\
        auto wide = reinterpret_cast<cutlass::AlignedArray<float, 4> *>(out)[threadIdx.x];\n\
        out[threadIdx.x] = wide[0];\n}\n\
        void go(float *a, __half *h) { k<<<1, 128>>>(h, a, (cutlass::half_t *)h); }\n";
    let (found, gaps) = accesses("cutlass", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            // Eight halves lie in four words, eight floats by themselves.
            "11 global load 16..16/4 exact",
            "14 global store 32..32/4 exact",
            "15 global store 2..2/2 exact",
            // Of a half its word is read and written.
            "16 global load 1..1/1 exact",
            "16 global store 1..1/1 exact",
            "17 global load 4..16/4 bounded",
            "18 global store 4..4/4 exact",
        ]
    );
}

#[test]
fn divisors_of_the_toolkit_divide() {
    let text = "#include <cuda/cmath>\n\
        struct Pages { cuda::fast_mod_div<unsigned> size; float *data; };\n\
        __global__ void k(Pages pages, float *out, int n) {\n\
        unsigned page = (blockIdx.x * 64 + 3) / pages.size;\n\
        out[threadIdx.x] = pages.data[page * pages.size * 32 + threadIdx.x];\n\
        out[cuda::ceil_div(n, 4) * 32 + threadIdx.x % pages.size] = 0;\n}\n\
        void go(Pages pages, float *out) { k<<<4, 128>>>(pages, out, 64); }\n";
    let (found, gaps) = accesses("fast-division", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "5 global store 4..4/4 exact",
            "5 global load 4..4/4 exact",
            "6 global store 4..7/4 bounded",
        ]
    );
}

#[test]
fn views_and_powers_of_two_of_raft_are_what_they_index() {
    let text = "#include <raft/util/pow2_utils.cuh>\n#include <raft/core/device_mdspan.hpp>\n\
        using group = raft::Pow2<8>;\n\
        __global__ void k(float *out, raft::device_matrix_view<const float, long, raft::row_major> rows,\n\
        raft::device_vector_view<float, int> row, raft::KeyValuePair<int, float> *pairs) {\n\
        out[group::div(threadIdx.x) * 8 + group::mod(threadIdx.x)] = rows(blockIdx.x, threadIdx.x);\n\
        pairs[group::roundDown(blockIdx.x) + threadIdx.x].value = row(threadIdx.x);\n\
        out[threadIdx.x * group::Log2] = rows.extent(1);\n}\n\
        void go(float *out, raft::device_matrix_view<const float, long, raft::row_major> rows, raft::device_vector_view<float, int> row,\n\
        raft::KeyValuePair<int, float> *pairs) { k<<<4, 32>>>(out, rows, row, pairs); }\n";
    let (found, gaps) = accesses("raft-views", text);
    assert!(gaps.is_empty(), "{gaps:?}");
    assert_eq!(
        found,
        [
            "6 global store 4..4/4 exact",
            "6 global load 4..5/4 bounded",
            "7 global store 8..8/4 exact",
            // Host code may hand over the middle of an allocation.
            "7 global load 4..5/4 bounded",
            "8 global store 12..12/4 exact",
        ]
    );
}
