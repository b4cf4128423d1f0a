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

#[test]
fn a_dispatcher_may_be_called_within_the_lambda_it_is_given() {
    let source = "
        template <bool B, int N> struct Config {};
        template <bool A, class C> __global__ void k(float *o) {}
        template <typename F> void choose(bool value, F &&f) {
          if (value) f(std::true_type{}); else f(std::false_type{});
        }
        template <typename F> void chooseBoth(bool a, bool b, int n, F &&f) {
          choose(a, [&](auto at) {
            auto with = [&](auto nt) {
              choose(b, [&](auto bt) {
                f(at, Config<decltype(bt)::value, decltype(nt)::value>{});
              });
            };
            if (n == 256) with(std::integral_constant<int, 256>{});
            else with(std::integral_constant<int, 448>{});
          });
        }
        void run(float *o, int n, bool a, bool b) {
          auto launch = [&](auto at, auto ct) {
            k<decltype(at)::value, decltype(ct)><<<1, 32>>>(o);
          };
          chooseBoth(a, b, n, launch);
        }
    ";
    let mut expected = String::new();
    for a in ["false", "true"] {
        for b in ["false", "true"] {
            for n in [256, 448] {
                expected += &format!("k<{a}, Config<{b}, {n}>> 1,1,1 x 32,1,1 *0\n");
            }
        }
    }
    // Who calls `f` within a lambda is not followed everywhere: that is open beside these.
    let (text, _) = known_lines(source);
    assert_eq!(in_order(&text), expected);
}

#[test]
fn a_launcher_does_another_thing_with_each_kernel() {
    let mut source = String::from(
        "template <int N> __global__ void k(float *p, int n) {}
        template <typename K, typename... Args>
        void launch(const K &kernel, const dim3 grid, const dim3 block, Args &&...args) {
          CHECK(grid.x > 0 && grid.y < limit(), \"grid\", grid.x);
          kernel<<<grid, block>>>(std::forward<Args>(args)...);
          CHECK_LAUNCH();
        }
        void run(float *p, int n) {",
    );
    let mut expected = Vec::new();
    for at in 10..30 {
        source += &format!("launch(k<{at}>, n, dim3({at}, 2), p, {at});\n");
        expected.push(format!("k<{at}> `grid.x`,1,1 x {at},2,1 *0 {at}"));
    }
    source.push('}');
    assert_eq!(sorted(&source), expected.join("\n") + "\n");
}

#[test]
fn qualifiers_stand_on_either_side_of_a_type() {
    let source = "
        __global__ void k(float *p) {}
        void run(float *p, int n) { dim3 const grid(n); dim3 const block(64); k<<<grid, block>>>(p); }
    ";
    assert_eq!(sorted(source), "k `grid.x`,1,1 x 64,1,1 *0\n");
}

#[test]
fn what_a_pointer_to_a_function_takes_is_deduced_from_the_function() {
    let source = "
        template <typename T> __global__ void k(T *p, int n) {}
        __global__ void plain(float *p, int n) {}
        template <typename T> void one(void (*kernel)(T *, int), T *p, int n) { kernel<<<1, n>>>(p, n); }
        template <typename... P, typename... A> void two(void (*kernel)(P...), int b, A... a) {
          kernel<<<2, b>>>(a...);
        }
        template <typename... P, typename... A>
        void three(void (&kernel)(P...), dim3 b, A &&...a) { kernel<<<3, b>>>(std::forward<A>(a)...); }
        template <typename T> void four(void (*kernel)(T *, int), void *p, int b) {
          kernel<<<4, b>>>((T *)p + 1, b);
        }
        int main() {
          float *p; double *d;
          one(k, p, 32); one(k<double>, d, 64);
          two(k<float>, 32, p, 1); two(&plain, 64, p, 1);
          three(k<float>, 32, p, 1); three(plain, dim3(64, 2), p, 1);
          four(k<double>, p, 32);
        }
    ";
    let expected = "
k<double> 1,1,1 x 64,1,1 *0 64
k<double> 4,1,1 x 32,1,1 *8 32
k<float> 1,1,1 x 32,1,1 *0 32
k<float> 2,1,1 x 32,1,1 *0 1
k<float> 3,1,1 x 32,1,1 *0 1
plain 2,1,1 x 64,1,1 *0 1
plain 3,1,1 x 64,2,1 *0 1
";
    assert_eq!(sorted(source), expected.trim_start());
}

#[test]
fn a_number_that_is_not_known_keeps_no_call_from_being_followed() {
    let source = "
        template <int N> __global__ void k(float *p) {}
        template <typename T, int64_t Code, int N> void run(T *p, int n) {
          cudaLaunchConfig_t config;
          config.gridDim = n;
          config.blockDim = 32 * N;
          if (code(p) == Code) cudaLaunchKernelEx(&config, k<N>, p);
          if constexpr (Code == 2) k<N + 1><<<1, 32>>>(p);
        }
        void both(float *p, int n) { run<float, CODE_OF_FLOAT, 4>(p, n); }
    ";
    let expected = "
k<4> `config.gridDim.x`,1,1 x 128,1,1 *0
k<5> 1,1,1 x 32,1,1 *0
";
    assert_eq!(sorted(source), expected.trim_start());
}

#[test]
fn a_definition_may_spell_types_in_another_way_than_its_declaration() {
    let source = "
        namespace c { struct Mode { int m; }; struct Other { int m; }; }
        using namespace c;
        template <typename T> __global__ void k(T *p) {}
        template <typename T> void run(T *p, c::Mode m, int n = 32);
        template <typename T> void run(T *p, c::Other m, int n = 64);
        template <typename T> void run(T *p, Mode m, int n) { k<T><<<1, n>>>(p); }
        template void run(float *p, Mode m, int n);
        void plain(double *p, c::Mode m);
        void plain(double *p, Mode m) { run(p, m); }
        int main() { double *p; Mode m{1}; plain(p, m); run((char *)p, Other{2}); }
    ";
    let expected = "k<double> 1,1,1 x 32,1,1 *0\nk<float> 1,1,1 x `n`,1,1 *0\n";
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
          auto deduced = std::array{&run<3>, &run<4>};
          deduced[n - 1](p, n);
          both<8>(p, n);
        }
    ";
    let expected = "
k<3> 1,1,1 x 96,1,1 *0
k<4> 1,1,1 x 128,1,1 *0
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
