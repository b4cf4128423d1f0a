//! The instructions that probes put under test.
//!
//! Given: nothing. Gives: a kernel text for each, with the instruction as inline assembly on a
//! line of its own; lane offsets and the active mask are arguments.
//! Does not know: lane patterns, costs, or devices.

use crate::gpu::{Op, Space};

/// An instruction under test.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// PTX mnemonic; names the probe.
    pub name: &'static str,
    /// The statement that executes it, on one line.
    pub(super) statement: &'static str,
    /// The accesses it makes, in terms of the first pattern and, for `cp.async`, the second.
    pub(super) shape: Shape,
    /// Bytes per lane.
    pub width: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    One(Space, Op),
    /// `ldmatrix` or `stmatrix` of so many matrices.
    Matrix(u32, Op),
    /// Shared store at the first pattern, global load at the second.
    AsyncCopy,
}

const fn kind(name: &'static str, shape: Shape, width: u32, statement: &'static str) -> Kind {
    Kind {
        name,
        statement,
        shape,
        width,
    }
}

const SHARED_LOAD: Shape = Shape::One(Space::Shared, Op::Load);
const SHARED_STORE: Shape = Shape::One(Space::Shared, Op::Store);
const SHARED_ATOMIC: Shape = Shape::One(Space::Shared, Op::Atomic);
const GLOBAL_LOAD: Shape = Shape::One(Space::Global, Op::Load);
const GLOBAL_STORE: Shape = Shape::One(Space::Global, Op::Store);
const GLOBAL_ATOMIC: Shape = Shape::One(Space::Global, Op::Atomic);

/// Every instruction under test.
pub const KINDS: [Kind; 49] = [
    kind(
        "ld.shared.u8",
        SHARED_LOAD,
        1,
        r#"asm volatile("ld.shared.u8 %0, [%1];" : "=r"(r0) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ld.shared.u16",
        SHARED_LOAD,
        2,
        r#"asm volatile("ld.shared.u16 %0, [%1];" : "=r"(r0) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ld.shared.b32",
        SHARED_LOAD,
        4,
        r#"asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r0) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ld.shared.b64",
        SHARED_LOAD,
        8,
        r#"asm volatile("ld.shared.b64 %0, [%1];" : "=l"(w0) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ld.shared.v2.b32",
        SHARED_LOAD,
        8,
        r#"asm volatile("ld.shared.v2.b32 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ld.shared.v4.b32",
        SHARED_LOAD,
        16,
        r#"asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(shared) : "memory");"#,
    ),
    kind(
        "st.shared.u8",
        SHARED_STORE,
        1,
        r#"asm volatile("st.shared.u8 [%0], %1;" :: "r"(shared), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.shared.u16",
        SHARED_STORE,
        2,
        r#"asm volatile("st.shared.u16 [%0], %1;" :: "r"(shared), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.shared.b32",
        SHARED_STORE,
        4,
        r#"asm volatile("st.shared.b32 [%0], %1;" :: "r"(shared), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.shared.b64",
        SHARED_STORE,
        8,
        r#"asm volatile("st.shared.b64 [%0], %1;" :: "r"(shared), "l"(w0) : "memory");"#,
    ),
    kind(
        "st.shared.v4.b32",
        SHARED_STORE,
        16,
        r#"asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" :: "r"(shared), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");"#,
    ),
    kind(
        "atom.shared.add.u32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(r0) : "r"(shared), "r"(r1) : "memory");"#,
    ),
    kind(
        "red.shared.add.u32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(shared), "r"(r1) : "memory");"#,
    ),
    kind(
        "red.shared.add.u32 variable",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(shared), "r"(r0) : "memory");"#,
    ),
    kind(
        "atom.shared.min.s32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("atom.shared.min.s32 %0, [%1], %2;" : "=r"(r0) : "r"(shared), "r"(r1) : "memory");"#,
    ),
    kind(
        "atom.shared.exch.b32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(r0) : "r"(shared), "r"(r1) : "memory");"#,
    ),
    kind(
        "atom.shared.cas.b32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(r0) : "r"(shared), "r"(r1), "r"(r2) : "memory");"#,
    ),
    kind(
        "atom.shared.cas.b64",
        SHARED_ATOMIC,
        8,
        r#"asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(w0) : "r"(shared), "l"(w1), "l"(w1) : "memory");"#,
    ),
    kind(
        "atom.shared.exch.b64",
        SHARED_ATOMIC,
        8,
        r#"asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(w0) : "r"(shared), "l"(w1) : "memory");"#,
    ),
    kind(
        "atom.shared.add.u64",
        SHARED_ATOMIC,
        8,
        r#"asm volatile("atom.shared.add.u64 %0, [%1], %2;" : "=l"(w0) : "r"(shared), "l"(w1) : "memory");"#,
    ),
    kind(
        "atom.shared.add.f32",
        SHARED_ATOMIC,
        4,
        r#"asm volatile("atom.shared.add.f32 %0, [%1], %2;" : "=f"(f0) : "r"(shared), "f"(f1) : "memory");"#,
    ),
    kind(
        "ld.global.u8",
        GLOBAL_LOAD,
        1,
        r#"asm volatile("ld.global.u8 %0, [%1];" : "=r"(r0) : "l"(global) : "memory");"#,
    ),
    kind(
        "ld.global.u16",
        GLOBAL_LOAD,
        2,
        r#"asm volatile("ld.global.u16 %0, [%1];" : "=r"(r0) : "l"(global) : "memory");"#,
    ),
    kind(
        "ld.global.b32",
        GLOBAL_LOAD,
        4,
        r#"asm volatile("ld.global.b32 %0, [%1];" : "=r"(r0) : "l"(global) : "memory");"#,
    ),
    kind(
        "ld.global.b64",
        GLOBAL_LOAD,
        8,
        r#"asm volatile("ld.global.b64 %0, [%1];" : "=l"(w0) : "l"(global) : "memory");"#,
    ),
    kind(
        "ld.global.v4.b32",
        GLOBAL_LOAD,
        16,
        r#"asm volatile("ld.global.v4.b32 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "l"(global) : "memory");"#,
    ),
    kind(
        "ld.global.nc.b32",
        GLOBAL_LOAD,
        4,
        r#"asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(r0) : "l"(global) : "memory");"#,
    ),
    kind(
        "st.global.u8",
        GLOBAL_STORE,
        1,
        r#"asm volatile("st.global.u8 [%0], %1;" :: "l"(global), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.global.u16",
        GLOBAL_STORE,
        2,
        r#"asm volatile("st.global.u16 [%0], %1;" :: "l"(global), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.global.b32",
        GLOBAL_STORE,
        4,
        r#"asm volatile("st.global.b32 [%0], %1;" :: "l"(global), "r"(r0) : "memory");"#,
    ),
    kind(
        "st.global.b64",
        GLOBAL_STORE,
        8,
        r#"asm volatile("st.global.b64 [%0], %1;" :: "l"(global), "l"(w0) : "memory");"#,
    ),
    kind(
        "st.global.v4.b32",
        GLOBAL_STORE,
        16,
        r#"asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" :: "l"(global), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");"#,
    ),
    kind(
        "atom.global.add.u32",
        GLOBAL_ATOMIC,
        4,
        r#"asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r0) : "l"(global), "r"(r1) : "memory");"#,
    ),
    kind(
        "red.global.add.u32",
        GLOBAL_ATOMIC,
        4,
        r#"asm volatile("red.global.add.u32 [%0], %1;" :: "l"(global), "r"(r1) : "memory");"#,
    ),
    kind(
        "red.global.add.f32",
        GLOBAL_ATOMIC,
        4,
        r#"asm volatile("red.global.add.f32 [%0], %1;" :: "l"(global), "f"(f1) : "memory");"#,
    ),
    kind(
        "atom.global.cas.b32",
        GLOBAL_ATOMIC,
        4,
        r#"asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r0) : "l"(global), "r"(r1), "r"(r2) : "memory");"#,
    ),
    kind(
        "atom.global.add.u64",
        GLOBAL_ATOMIC,
        8,
        r#"asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(w0) : "l"(global), "l"(w1) : "memory");"#,
    ),
    kind(
        "red.global.add.u64",
        GLOBAL_ATOMIC,
        8,
        r#"asm volatile("red.global.add.u64 [%0], %1;" :: "l"(global), "l"(w1) : "memory");"#,
    ),
    kind(
        "atom.global.cas.b64",
        GLOBAL_ATOMIC,
        8,
        r#"asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(w0) : "l"(global), "l"(w1), "l"(w1) : "memory");"#,
    ),
    kind(
        "red.global.add.v4.f32",
        GLOBAL_ATOMIC,
        16,
        r#"asm volatile("red.global.add.v4.f32 [%0], {%1,%1,%1,%1};" :: "l"(global), "f"(f1) : "memory");"#,
    ),
    kind(
        "ldmatrix.x1",
        Shape::Matrix(1, Op::Load),
        16,
        r#"asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ldmatrix.x2",
        Shape::Matrix(2, Op::Load),
        16,
        r#"asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ldmatrix.x4",
        Shape::Matrix(4, Op::Load),
        16,
        r#"asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(shared) : "memory");"#,
    ),
    kind(
        "ldmatrix.x4.trans",
        Shape::Matrix(4, Op::Load),
        16,
        r#"asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(shared) : "memory");"#,
    ),
    kind(
        "stmatrix.x4",
        Shape::Matrix(4, Op::Store),
        16,
        r#"asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" :: "r"(shared), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");"#,
    ),
    kind(
        "cp.async.ca.4",
        Shape::AsyncCopy,
        4,
        r#"asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared), "l"(second) : "memory");"#,
    ),
    kind(
        "cp.async.ca.8",
        Shape::AsyncCopy,
        8,
        r#"asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(shared), "l"(second) : "memory");"#,
    ),
    kind(
        "cp.async.ca.16",
        Shape::AsyncCopy,
        16,
        r#"asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(shared), "l"(second) : "memory");"#,
    ),
    kind(
        "cp.async.cg.16",
        Shape::AsyncCopy,
        16,
        r#"asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared), "l"(second) : "memory");"#,
    ),
];

impl Kind {
    pub(super) fn source(&self) -> String {
        KERNEL.replace(HOLE, self.statement)
    }

    pub(super) fn file(&self) -> String {
        format!("probe-{}.cu", self.name)
    }
}

/// Stands for the statement under test in [`KERNEL`].
const HOLE: &str = "PROBE;";

/// All offsets stay below 40 KiB, so 48 KiB of shared memory hold every probe.
const KERNEL: &str = r#"extern "C" __global__ void probe(const unsigned* offsets, const unsigned* offsets2, unsigned mask,
                                  unsigned char* memory, unsigned* sink)
{
    extern __shared__ __align__(1024) unsigned char shared_memory[];
    unsigned lane = threadIdx.x;
    unsigned r0 = lane, r1 = 1, r2 = 2, r3 = 3;
    unsigned long long w0 = lane, w1 = 1;
    float f0 = 0.0f, f1 = 1.0f;
    unsigned shared = (unsigned)__cvta_generic_to_shared(shared_memory) + offsets[lane];
    unsigned long long global = (unsigned long long)__cvta_generic_to_global(memory) + offsets[lane];
    unsigned long long second = (unsigned long long)__cvta_generic_to_global(memory) + offsets2[lane];
    if (mask >> lane & 1) {
        PROBE;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    sink[lane] = r0 + r1 + r2 + r3 + (unsigned)w0 + (unsigned)(w0 >> 32) + (unsigned)w1 + (unsigned)f0 + (unsigned)f1
        + shared + (unsigned)global + (unsigned)second;
}
"#;

/// The line of [`KERNEL`] that holds the instruction under test, 1-based.
pub(super) fn probe_line() -> u32 {
    KERNEL
        .lines()
        .take_while(|line| line.trim() != HOLE)
        .count() as u32
        + 1
}
