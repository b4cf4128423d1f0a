//! Constant expressions as a table.

use super::*;
use crate::sema::scope::Names;
use crate::syntax::ast::{Initialiser, Item};
use crate::syntax::parse::parse;

/// The value of the initialiser of the last variable of `source`.
fn value(source: &str) -> String {
    let unit = parse(source);
    let names = Names::new(&unit);
    let Some(Item::Variables(vs)) = unit.items.last() else {
        return "no variable".to_string();
    };
    let Some(Initialiser::Equals(e)) = &vs[0].init else {
        return "no initialiser".to_string();
    };
    match eval(&names, &Env::new(0), e) {
        Some(v) => format!(
            "{v} {}",
            v.ty().map_or_else(|| "?".to_string(), |t| t.to_string())
        ),
        None => "unknown".to_string(),
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn constants_fold_as_cpp_defines() {
    let check = |source: &str, expected: &str| {
        assert_eq!(value(&format!("{source};")), expected, "{source}")
    };
    // Width and sign.
    check("auto x = 7 / 2 * 2 + 7 % 4", "9 int");
    check("auto x = -7 / 2", "-3 int");
    check("auto x = 1u - 2", "4294967295 unsigned int");
    check("auto x = 2147483647 + 1", "unknown");
    check("auto x = 1 << 31 >> 31", "-1 int");
    check("auto x = 1 << 32", "unknown");
    check("auto x = 1 / 0", "unknown");
    check("auto x = (unsigned char)300", "44 unsigned char");
    check("auto x = -1 < 1u", "false bool");
    check("auto x = 0 && y", "false bool");
    check("auto x = true ? 1 : 2.0", "1 double");
    check("auto x = (int)(3.7f * 2)", "7 int");
    check(
        "auto x = sizeof(int[3]) + alignof(double)",
        "20 unsigned long long",
    );
    // Names.
    check(
        "const int a = 3; constexpr int b = a * 2; auto x = b",
        "6 int",
    );
    check("int a = 3; auto x = a", "unknown");
    check("enum E { A, B = 5, C }; auto x = C", "6 int");
    check(
        "enum class E : short { A = 2, B }; auto x = E::B",
        "3 short",
    );
    check(
        "struct S { static const int n = 4; enum { m = n * 2 }; }; auto x = S::m",
        "8 int",
    );
    check(
        "template <int N> struct S { static constexpr int n = N * N; }; using T = S<5>; auto x = T::n",
        "25 int",
    );
    check(
        "template <int N> struct F { enum { v = N * F<N - 1>::v }; }; template <> struct F<0> { enum { v = 1 }; }; auto x = F<5>::v",
        "120 int",
    );
    check(
        "template <typename T> constexpr int lanes = 16 / sizeof(T); auto x = lanes<float>",
        "4 int",
    );
    check(
        "namespace a { const int n = 2; } using namespace a; auto x = n",
        "2 int",
    );
    check(
        "const int s[] = {1, 2, 4}; auto x = s[2] + sizeof(s) / sizeof(s[0])",
        "7 unsigned long long",
    );
    check(
        "const dim3 b(16, 8); auto x = b.x * b.y * b.z",
        "128 unsigned int",
    );
    check(
        "struct P { int a; int b = 7; }; const P p = {3}; auto x = p.a + p.b",
        "10 int",
    );
    // Functions.
    check(
        "int up(int a, int b) { return (a + b - 1) / b; } auto x = up(1000, 256)",
        "4 int",
    );
    check(
        "constexpr int lg(int n) { return n < 2 ? 0 : 1 + lg(n / 2); } auto x = lg(1024)",
        "10 int",
    );
    check(
        "constexpr int f(int n) { int s = 0; for (int i = 0; i < n; ++i) { if (i % 2) continue; s += i; } return s; } auto x = f(10)",
        "20 int",
    );
    check(
        "constexpr int f(int n) { while (true) n++; return n; } auto x = f(1)",
        "unknown",
    );
    check(
        "constexpr int f(int n) { return f(n); } auto x = f(1)",
        "unknown",
    );
    check(
        "template <typename T> constexpr T g(T a, T b = 3) { T r[2] = {a, b}; return r[0] * r[1]; } auto x = g(5)",
        "15 int",
    );
    check(
        "template <int... Ns> constexpr int sum() { return (Ns + ...); } auto x = sum<1, 2, 3>()",
        "6 int",
    );
    check(
        "template <typename... Ts> constexpr int count() { return sizeof...(Ts); } auto x = count<int, float>()",
        "2 int",
    );
    // Library.
    check("auto x = std::max(3, std::min(9, 7))", "7 int");
    check("auto x = std::numeric_limits<short>::max()", "32767 short");
    check(
        "auto x = std::is_same<float, float>::value && !std::is_same_v<int, float>",
        "true bool",
    );
    check(
        "namespace std { struct part {}; } auto x = std::is_same_v<int, int> && !std::is_same_v<int, float>",
        "true bool",
    );
    check("auto x = (int)ceil(10 / 4.0)", "3 int");
    check("auto x = (int)std::log2(1024)", "10 int");
    check("auto x = atoi(s)", "unknown");
}

#[test]
fn enumerators_that_build_on_each_other_are_worked_out_once() {
    let mut text = "enum class E { e0 = 1 << 0".to_owned();
    for i in 1..200 {
        text.push_str(&format!(
            ", e{i} = (1 << {}) + e{} - e{}",
            i % 9,
            i - 1,
            i / 2
        ));
    }
    text.push_str(", last = e0 + 6 }; auto x = (int)E::last");
    assert_eq!(value(&format!("{text};")), "7 int");
}
