//! Instances that host code reaches through lambdas, tags and templates that lead to other instances of themselves.

use super::{known_lines, lines};

#[test]
fn a_lambda_that_picks_a_kernel_knows_the_types_around_it() {
    let source = "
        struct A {}; struct B {};
        template <typename T, typename F> __global__ void act(const T *in, T *out) {}
        template <typename T> void run(const T *in, T *out, int which) {
          auto pick = [](int which) -> void (*)(const T *, T *) {
            switch (which) {
              case 0: return &act<T, A>;
              default: return &act<T, B>;
            }
          };
          auto kernel = pick(which);
          kernel<<<4, 64>>>(in, out);
        }
        template void run<float>(const float *, float *, int);
        template void run<int>(const int *, int *, int);
    ";
    let expected = "
act<float, A> 4,1,1 x 64,1,1 *0 *0
act<float, B> 4,1,1 x 64,1,1 *0 *0
act<int, A> 4,1,1 x 64,1,1 *0 *0
act<int, B> 4,1,1 x 64,1,1 *0 *0
";
    assert_eq!(sorted(source), expected.trim_start());
}

#[test]
fn what_a_lambda_writes_before_it_picks_is_open() {
    let source = "
        template <int N> __global__ void k(float *p) {}
        void run(float *p) {
          int n = 3;
          auto pick = [&] { n = 5; return n == 5 ? k<1> : k<2>; };
          auto kernel = pick();
          kernel<<<1, 32>>>(p);
        }
    ";
    assert_eq!(
        sorted(source),
        "k<1> 1,1,1 x 32,1,1 *0\nk<2> 1,1,1 x 32,1,1 *0\n"
    );
}

#[test]
fn a_template_may_call_other_instances_of_itself() {
    let source = "
        template <typename T, int N> __global__ void k(T *o) {}
        template <int N> void keep(float *o);
        template <int B, int E> struct Loop {
          template <typename T> static void go(int n, T *o) {
            auto later = [&] { k<char, B><<<1, 16>>>((char *)o); };
            if (n == B) k<T, B><<<1, 32>>>(o);
            else Loop<B + 1, E>::go(n, o);
            store(later);
          }
        };
        template <int E> struct Loop<E, E> {
          template <typename T> static void go(int n, T *o) { k<T, E><<<1, 32>>>(o); }
        };
        void run(float *o, int n) { Loop<1, 3>::go(n, o); }
    ";
    let expected = "
k<char, 1> 1,1,1 x 16,1,1 *0
k<char, 2> 1,1,1 x 16,1,1 *0
k<float, 1> 1,1,1 x 32,1,1 *0
k<float, 2> 1,1,1 x 32,1,1 *0
k<float, 3> 1,1,1 x 32,1,1 *0
";
    assert_eq!(sorted(source), expected.trim_start());
}

#[test]
fn tags_of_the_standard_library_choose_among_overloads() {
    let source = "
        struct Off {}; template <int M> struct On {};
        template <int L, bool Fast, typename C> __global__ void q(float *o) {}
        template <typename F> void config(std::false_type, bool fast, F &&f) {
          if (fast) f(std::true_type{}, Off{}); else f(std::false_type{}, Off{});
        }
        template <typename F> void config(std::true_type, bool, F &&f) {
          f(std::bool_constant<false>{}, On<448>{});
        }
        template <typename F> void layout(int l, F &&f) {
          switch (l) {
            case 0: f(std::integral_constant<int, 0>{}); break;
            default: f(std::integral_constant<int, 1>{});
          }
        }
        void run(float *o, int l, bool uses, bool fast) {
          auto launch = [&](auto lt, auto ft, auto ct) {
            q<decltype(lt)::value, decltype(ft)::value, decltype(ct)><<<1, 32>>>(o);
          };
          layout(l, [&](auto lt) {
            auto with = [&](auto ft, auto ct) { launch(lt, ft, ct); };
            if (uses) config(std::integral_constant<bool, true>{}, fast, with);
            else config(std::false_type{}, fast, with);
          });
        }
    ";
    let mut expected = String::new();
    for l in 0..2 {
        for rest in ["false, Off", "false, On<448>", "true, Off"] {
            expected += &format!("q<{l}, {rest}> 1,1,1 x 32,1,1 *0\n");
        }
    }
    assert_eq!(sorted(source), expected);
}

fn sorted(source: &str) -> String {
    in_order(&lines(source))
}

fn in_order(text: &str) -> String {
    let mut all: Vec<&str> = text.lines().collect();
    all.sort_unstable();
    all.dedup();
    all.join("\n") + "\n"
}

#[test]
fn functions_are_called_through_pointers_and_arrays() {
    let source = "
        template <int N> __global__ void k(float *p) {}
        template <int N> double run(float *p, int n) { k<N><<<1, 32 * N>>>(p); return 0; }
        template <int N> double both(float *p, int n) {
          auto f = &run<N>;
          if (n > 4) f = &run<N + 1>;
          return f(p, n);
        }
        int main(int n, char **) {
          float *p;
          double (*table[])(float *, int) = {run<5>, run<7>};
          table[n - 1](p, n);
          both<8>(p, n);
        }
    ";
    let expected = "
k<5> 1,1,1 x 160,1,1 *0
k<7> 1,1,1 x 224,1,1 *0
k<8> 1,1,1 x 256,1,1 *0
k<9> 1,1,1 x 288,1,1 *0
";
    // Whoever has a pointer to a template's instance may call it: that is open beside these.
    let (text, _) = known_lines(source);
    assert_eq!(in_order(&text), expected.trim_start());
}

#[test]
fn constants_that_are_static_are_those_of_every_call() {
    let source = "
        template <int W, int N> __global__ void k(float *p) {}
        template <int S> void run(float *p, int n) {
          static int const W = 16;
          constexpr int H = S + 1;
          static const int N = W * H;
          static const int first = n;
          k<W, N><<<1, N>>>(p);
          k<W, 1><<<1, first>>>(p);
        }
        int main() { float *p; run<1>(p, 64); run<2>(p, 96); }
    ";
    let expected = "
k<16, 1> 1,1,1 x `first`,1,1 *0
k<16, 32> 1,1,1 x 32,1,1 *0
k<16, 48> 1,1,1 x 48,1,1 *0
";
    assert_eq!(sorted(source), expected.trim_start());
}

#[test]
fn an_instantiation_leaves_out_no_argument() {
    let source = "
        __global__ void k(float *p, int n) {}
        __global__ void k(double *p, int n) {}
        template <typename T> void run(T *p, int n, bool back = false) { k<<<1, 64>>>(p, n); }
        template <typename T> void run(T *p, int n) { k<<<2, 32>>>(p, n); }
        template void run(float *p, int n);
        template void run(double *p, int n, bool back);
    ";
    let expected = "k 1,1,1 x 64,1,1 *0 ?\nk 2,1,1 x 32,1,1 *0 ?\n";
    assert_eq!(sorted(source), expected);
}

#[test]
fn a_template_that_lists_kernels_is_read_for_each_instance_that_is_called() {
    let source = "
        struct Spec { void *kernel; int tile; };
        template <typename T, int N> __global__ void act(T *p) {}
        template <typename T> Spec choose(int n) {
          Spec spec = {(void *)act<T, 4>, 1};
          if (n == 3) spec = {(void *)act<T, 8>, 2};
          return spec;
        }
        void run(float *p, int n, bool wide) {
          Spec spec;
          if (wide) spec = choose<double>(n);
          else spec = choose<float>(n);
          void *arguments[] = {&p};
          cudaLaunchKernel(spec.kernel, 4, 64, arguments, 0, 0);
        }
    ";
    let found = sorted(source);
    for instance in [
        "act<double, 4>",
        "act<double, 8>",
        "act<float, 4>",
        "act<float, 8>",
    ] {
        assert!(found.contains(instance), "{instance}: {found}");
    }
    assert!(!found.contains('?'), "{found}");
}
