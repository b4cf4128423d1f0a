//! What text may do that nobody reads: definitions and statements of macros that no file defines.

use super::{KERNELS, lines};

const GO: &str =
    "static void go(float* p, int b) { k<<<1, b>>>(p, b / 32); } void a(float* p) { go(p, 64); }";
const SIZE: &str = "static int block = 32; void go(float* p) { k<<<1, block>>>(p, 1); }";

#[test]
fn functions_that_unread_text_names_are_called_by_anybody() {
    for text in [
        "REGISTER_DISPATCH(stub, &go);",
        "REGISTER_DISPATCH(stub, &go)",
        "REGISTER(\"x\").set_body(go);",
        "namespace n { REGISTER(go); }",
        "BENCHMARK(go)->Arg(64);",
        "MACRO(void, b, (float* p), { go(p, 128); })",
        "void b(float* p, int x) { DISPATCH(x, T, { go(p, 128); }); }",
        "void b(float* p, int x) { DISPATCH(x, T, return go(p, 128)); }",
        "void b(float* p, int x) { SYNC\n go(p, 128); }",
        "void b(float* p, int x) { BEGIN_TRY\n go(p, 128);\n END_TRY }",
        "void b(float* p) { extern void go(float*, int); go(p, 128); }",
        "template <auto F> struct W {}; template struct W<&go>;",
    ] {
        let found = lines(&format!("{KERNELS} {GO}\n{text}\n"));
        assert!(found.contains("x `b`,1,1"), "{text}: {found}");
    }
    for text in [
        "void b(float* p) { CHECK(x); go(p, 64); }",
        "class go2 {}; struct S { int go; }; void c(S s) { s.go = 1; }",
        "/* go */ static const char* name = \"go\";",
    ] {
        let found = lines(&format!("{KERNELS} {GO}\n{text}\n"));
        assert!(!found.contains("`b`"), "{text}: {found}");
    }
}

#[test]
fn variables_that_unread_text_names_may_be_anything() {
    for text in [
        "DEFINE_SETTER(block);",
        "DEFINE_SETTER(block)",
        "PARAM(int, block, \"threads\");",
        "REGISTER_OPTION(\"block\", &block);",
        "void set(int v) { FOREACH(x) { block = v; } }",
        "void set(int v) { SYNC block = v; }",
        "void set(int v) { DISPATCH(v, T, { block = v; }); }",
        "void set(Archive& s) { s & block; }",
    ] {
        let found = lines(&format!("{KERNELS} {SIZE}\n{text}\n"));
        assert_eq!(found, "k 1,1,1 x `block`,1,1 *0 1\n", "{text}");
    }
    for text in [
        "int twice() { return 2 * block; }",
        "struct S { int block; }; int of(S s) { S t = {.block = 3}; return s.block + t.block; }",
        "void other(int block) { int v = block; if (v) { int block = 3; v = block; } }",
        "void other() { size_t block = 3; auto f = [block] { return block; }; f(); }",
    ] {
        let found = lines(&format!("{KERNELS} {SIZE}\n{text}\n"));
        assert_eq!(found, "k 1,1,1 x 32,1,1 *0 1\n", "{text}");
    }
}

#[test]
fn methods_of_classes_that_leave_are_called_by_anybody() {
    let method = "void go(float* p, int b) { k<<<1, b>>>(p, b / 32); }";
    for text in [
        format!("struct L : Base {{ {method} }}; void a(float* p) {{ L().go(p, 64); }}"),
        format!(
            "struct L {{ {method} }}; void a(float* p) {{ L l; l.go(p, 64); dispatch<L>(p); }}"
        ),
        format!("struct L {{ {method} }}; void a(float* p) {{ L l; l.go(p, 64); add(l, p); }}"),
        format!("struct L {{ {method} }}; void a(float* p) {{ L().go(p, 64); }} Registry<L> r;"),
    ] {
        let found = lines(&format!("{KERNELS} {text}\n"));
        assert!(found.contains("x `b`,1,1"), "{text}: {found}");
    }
    for text in [
        format!(
            "struct B {{}}; struct L : B {{ {method} }}; void a(float* p) {{ L().go(p, 64); }}"
        ),
        format!(
            "struct L {{ {method} }}; void a(float* p) {{ L l; std::vector<L> all; l.go(p, 64); }}"
        ),
    ] {
        let found = lines(&format!("{KERNELS} {text}\n"));
        assert!(!found.contains("`b`"), "{text}: {found}");
    }
}
