//! Which pointers the text moves.

use super::{KERNELS, lines};

#[test]
fn pointers_that_the_text_moves_are_no_starts() {
    let check = |source: &str, expected: &[&str]| {
        let text = lines(&format!("{KERNELS} {source}"));
        let found: Vec<&str> = text.trim_end().lines().collect();
        assert_eq!(found, expected, "{source}");
    };
    // Nothing moves it: what is not in sight is taken for the start.
    check(
        "int main() { float* d; init(&d); k<<<1, 32>>>(d, 1); }",
        &["k 1,1,1 x 32,1,1 *0 1"],
    );
    check(
        "struct S { float* q; }; void run(S* s) { k<<<1, 32>>>(s->q, 1); }",
        &["k 1,1,1 x 32,1,1 *0 1"],
    );
    check(
        "void sum(float* h, int n) { std::sort(h, h + n); } int main() { float *h, *d; init(&d); sum(h, 4); k<<<1, 32>>>(d, 1); }",
        &["k 1,1,1 x 32,1,1 *0 1"],
    );
    // A class that becomes an element is no pointer, though it may become one elsewhere.
    check(
        "struct V { float x; operator float*() { return &x + 1; } }; void run(int n) { float *d; init(&d); V *v; init(&v); for (int i = 0; i < n; i++) { v[i] = V(); d[i] = 1; } k<<<1, 32>>>(d, 1); k<<<1, 64>>>((float *)v, 1); }",
        &["k 1,1,1 x 32,1,1 *0 1", "k 1,1,1 x 64,1,1 *0 1"],
    );
    check(
        "void run(H h, float *p, float *q, int n) { hipblasSaxpy(h, n, &n, p, 1, q + n, 1); k<<<1, 32>>>(p, 1); }",
        &["k 1,1,1 x 32,1,1 *0 1"],
    );
    for moved in [
        "struct V { float x; operator float*() { return &x + 1; } }; void run(V v) { float *d; d = v; k<<<1, 32>>>(d, 1); }",
        "struct V { float x; operator float*() { return &x + 1; } }; void run(V v) { float *d[2]; d[0] = v; k<<<1, 32>>>(d[0], 1); }",
        "static float* g; void set(float* p) { g = p + 1; } void run() { k<<<1, 32>>>(g, 1); }",
        "void next(float** p) { *p += 3; } int main() { float* d; next(&d); k<<<1, 32>>>(d, 1); }",
        "struct S { float* q; void next() { q++; } }; void run(S* s) { k<<<1, 32>>>(s->q, 1); }",
        "struct S { float* q; }; void move(S* s) { s->q = s->q + 1; } void run(S s) { k<<<1, 32>>>(s.q, 1); }",
        "void run(std::vector<float*> v) { for (auto& q : v) q += 1; k<<<1, 32>>>(v[0], 1); }",
        "void run(float* p) { auto f = [](float*& q) { q += 2; }; f(p); k<<<1, 32>>>(p, 1); }",
        "void run(float* p) { size_t q = (size_t)p; q += 4; k<<<1, 32>>>((float*)q, 1); }",
        "void run(float* p) { *(size_t*)&p += 4; k<<<1, 32>>>(p, 1); }",
        "union U { float* f; size_t n; }; void run(U u) { u.n += 4; k<<<1, 32>>>(u.f, 1); }",
        "struct S { float* q; void go() { k<<<1, 32>>>(q, 1); } }; void run(float* p) { S s{p + 1}; s.go(); }",
    ] {
        check(moved, &["k 1,1,1 x 32,1,1 *? 1"]);
    }
}
