//! What headers may hold that were not found, and files that are not there.

use super::{KERNELS, lines};

/// The launches of a body of `main`, where a header is missing.
fn check(body: &str, expected: &str) {
    let source =
        format!("{KERNELS} int main(int argc, char** argv) {{ float* d; int n = 32;\n{body}\n}}");
    assert_eq!(lines(&source), expected, "{body}");
}

#[test]
fn names_like_the_toolkits_are_somebody_elses() {
    for call in [
        "cudaPickBlock(n);",
        "CUDA_CHECK(n);",
        "sdkSetup(n);",
        "max(n, 3);",
        "clamp(n, 1, 100);",
        "ncclTune(n, argc);",
        "curandInit(n);",
        "Obj o; o.push(n);",
        "Obj o; o.insert(n);",
    ] {
        check(
            &format!("{call} k<<<1, n>>>(d, 1);"),
            "k 1,1,1 x `n`,1,1 *0 1\n",
        );
    }
    for call in [
        "cudaSetDevice(n);",
        "CUDA_CHECK(cudaSetDevice(n));",
        "int m = max(n, 3);",
        "ncclBroadcast(d, d, n);",
        "curandGenerateUniform(g, d, n);",
        "std::vector<int> v; v.push_back(n);",
    ] {
        check(
            &format!("{call} k<<<1, n>>>(d, 1);"),
            "k 1,1,1 x 32,1,1 *0 1\n",
        );
    }
}

#[test]
fn a_statement_behind_a_macro_may_run_any_number_of_times() {
    check(
        "REPEAT(3)\nn += 32;\nk<<<1, n>>>(d, 1);",
        "k 1,1,1 x `n`,1,1 *0 1\n",
    );
    check(
        "START(0)\nk<<<1, n>>>(d, 1);\nSTOP(0)",
        "k 1,1,1 x 32,1,1 *0 1\n",
    );
}

#[test]
fn kernels_that_are_given_away_are_open() {
    let unknown = "`what was not read`,`what was not read`,`what was not read`";
    for (call, expected) in [
        ("LAUNCH(k, 1, 64, d, 1);", "k U x U +? *? ?\n"),
        ("my::launch(k, 1, 64)(d, 1);", "k U x U +? *? ?\n"),
        ("Launcher l; l.launch(&k, d, 1);", "k U x U +? *? ?\n"),
        ("Launcher l; l(k, d, 1);", "k U x U +? *? ?\n"),
        (
            "LAUNCH((t<float, 4>), 1, 64, d);",
            "t<float, 4> U x U +? *?\n",
        ),
        ("cudaFuncSetAttribute(k, 8, 1000);", ""),
        ("std::vector<void (*)(float*, int)> v; v.push_back(k);", ""),
    ] {
        check(call, &expected.replace('U', unknown));
    }
}

#[test]
fn kernels_that_are_only_declared_are_launched_elsewhere() {
    let source = "__global__ void o(double* a, int n) {} __global__ void o(float* a, int n); \
                  int main() { float* d; o<<<1, 32>>>(d, 7); double* e; o<<<2, 32>>>(e, 8); }";
    assert_eq!(
        lines(source),
        "o 2,1,1 x 32,1,1 *0 8\nextern o 1,1,1 x 32,1,1 *0 7\n"
    );
}

#[test]
fn lambdas_that_are_given_in_place_are_followed() {
    let functions = "template <class F> void pick(int n, F f) { if (n > 1) f(std::integral_constant<int, 32>{}); \
                     else f(std::integral_constant<int, 64>()); } \
                     template <class F> void outer(F f) { f(3); f(5); }";
    let check = |body: &str, expected: &str| {
        let source =
            format!("{KERNELS} {functions} int main(int argc, char** argv) {{ float* d; {body} }}");
        assert_eq!(lines(&source), expected, "{body}");
    };
    check(
        "pick(argc, [&](auto c) { b<c.value><<<1, c.value>>>(7); });",
        "b<32> 1,1,1 x 32,1,1 7\nb<64> 1,1,1 x 64,1,1 7\n",
    );
    check(
        "outer([&](int x) { k<<<1, 32>>>(d, x); });",
        "k 1,1,1 x 32,1,1 *0 3\nk 1,1,1 x 32,1,1 *0 5\n",
    );
}
