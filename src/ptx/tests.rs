//! Small PTX texts: what is read, and what a block does.

use super::flow::END;
use super::machine::{Access, Argument, Block, Grid, Launch};
use super::memory::{FIRST_BUFFER, Invention};
use super::operation::{Code, Space, decode};
use super::read::read;
use super::{Module, Operand};

const HEAD: &str = ".version 9.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"k.cu\"\n";

fn module(text: &str) -> Module {
    read(&format!("{HEAD}{text}")).expect("brackets match")
}

/// Runs the only kernel with one block of so many threads; the first argument is a buffer.
fn run(text: &str, threads: u32, numbers: &[u64]) -> Block {
    let module = module(text);
    let entry = module
        .functions
        .iter()
        .position(|function| function.is_entry)
        .expect("a kernel");
    let mut arguments = vec![Argument::Bits(FIRST_BUFFER)];
    arguments.extend(numbers.iter().map(|bits| Argument::Bits(*bits)));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 1024,
        arguments,
        has_plain_classes: false,
        invention: Invention { seed: 1, most: 8 },
        most_steps: 100_000,
        most_requests: 1000,
    };
    Grid::new(&module, entry, &launch).run([0, 0, 0])
}

/// Offsets in the buffer or in shared memory of the lanes of a request.
fn offsets(block: &Block, at: usize) -> Vec<u64> {
    let request = &block.requests[at];
    let base = if request.is_shared { 0 } else { FIRST_BUFFER };
    let lanes = (0..32).filter(|lane| request.mask >> lane & 1 == 1);
    lanes.map(|lane| request.addresses[lane] - base).collect()
}

#[test]
fn names_say_what_is_done() {
    let load = decode("ld.global.nc.v4.f32");
    assert_eq!(
        (load.code, load.space, load.vector, load.ty.bits),
        (Code::Load, Space::Global, 4, 32)
    );
    let compare = decode("setp.lt.and.s32");
    assert!(compare.combine.is_some());
    assert_eq!(decode("cvt.rn.satfinite.e4m3x2.f32").code, Code::MadeUp);
    assert_eq!(decode("wgmma.mma_async.sync").code, Code::Unknown);
}

/// Places come from `.loc`, `.local` is none, and names end with their scope.
#[test]
fn a_function_is_read() {
    let module = module(
        ".visible .entry k(.param .u64 k_param_0, .param .align 4 .b8 k_param_1[12]) {
            .local .align 4 .b8 __local_depot0[8];
            .reg .b64 %rd<3>; .reg .b32 %r<2>;
            .loc 1 7 3
            ld.param.u64 %rd1, [k_param_0];
            { .reg .b32 temp; mov.b32 temp, 1; }
            mov.b32 %r1, temp;
            st.u32 [%rd1+-4], %r1;
            ret; }",
    );
    let kernel = &module.functions[0];
    assert_eq!(kernel.slots[1].bytes, 12);
    assert_eq!(kernel.locals.len(), 1);
    assert_eq!(kernel.code[0].place.line, 7);
    assert_eq!(
        kernel.code[2].operands[1],
        Operand::Symbol("temp".to_owned())
    );
    assert!(matches!(kernel.code[3].operands[0], Operand::Memory(_, -4)));
    assert_eq!(module.files[&1], "k.cu");
}

/// A lane leaves the loop after as many rounds as its number: requests lose lanes, and all meet behind it.
#[test]
fn lanes_meet_behind_a_loop() {
    let block = run(
        ".visible .entry k(.param .u64 p) {
            .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            mov.u32 %r2, 0;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
          $head:
            setp.ge.u32 %p1, %r2, %r1;
            @%p1 bra $end;
            st.global.u32 [%rd3], %r2;
            add.s32 %r2, %r2, 1;
            bra.uni $head;
          $end:
            st.global.u32 [%rd3+128], %r2;
            ret; }",
        4,
        &[],
    );
    assert_eq!(block.stop, None);
    let masks: Vec<u32> = block.requests.iter().map(|request| request.mask).collect();
    assert_eq!(masks, [0b1110, 0b1100, 0b1000, 0b1111]);
    assert_eq!(offsets(&block, 3), [128, 132, 136, 140]);
}

/// A return of some lanes in a function called leaves the others in it, and all go on in the caller.
#[test]
fn a_call_comes_back_with_all_lanes() {
    let block = run(
        ".func (.param .b32 out) f(.param .b32 in) {
            .reg .pred %p<2>; .reg .b32 %r<3>;
            ld.param.u32 %r1, [in];
            setp.lt.u32 %p1, %r1, 2;
            mov.u32 %r2, 8;
            st.param.b32 [out+0], %r2;
            @%p1 ret;
            st.param.b32 [out+0], %r1;
            ret; }
        .visible .entry k(.param .u64 p) {
            .reg .b32 %r<3>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
              call.uni (retval0), f, (param0);
              ld.param.b32 %r2, [retval0+0]; }
            mul.wide.u32 %rd2, %r2, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.u32 [%rd3], %r2;
            ret; }",
        4,
        &[],
    );
    assert_eq!(block.stop, None);
    assert_eq!(offsets(&block, 0), [32, 32, 8, 12]);
}

/// Two warps hand over through shared memory; shuffles read other lanes.
#[test]
fn barriers_and_shuffles() {
    let block = run(
        ".visible .entry k(.param .u64 p) {
            .shared .align 4 .b8 s[256];
            .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;
            ld.param.u64 %rd1, [p];
            mov.u32 %r1, %tid.x;
            mov.u64 %rd2, s;
            cvta.shared.u64 %rd3, %rd2;
            mul.wide.u32 %rd4, %r1, 4;
            add.s64 %rd5, %rd3, %rd4;
            xor.b32 %r2, %r1, 32;
            st.u32 [%rd5], %r2;
            bar.sync 0;
            xor.b64 %rd6, %rd4, 128;
            add.s64 %rd5, %rd3, %rd6;
            ld.u32 %r3, [%rd5];
            shfl.sync.bfly.b32 %r4|%p1, %r3, 1, 31, -1;
            mul.wide.u32 %rd4, %r4, 8;
            add.s64 %rd5, %rd1, %rd4;
            atom.global.add.u32 %r5, [%rd5], 1;
            ret; }",
        64,
        &[],
    );
    assert_eq!(block.stop, None);
    assert_eq!(block.requests.len(), 6);
    assert_eq!(block.requests[3].access, Access::Atomic);
    let seen = offsets(&block, 3);
    assert_eq!(seen[..3], [8, 0, 24]);
}

/// What leaves its array stops the run, and so does a number that is taken for a pointer.
#[test]
fn what_is_undefined_stops_a_run() {
    let text = |offset: u32| {
        format!(
            ".visible .entry k(.param .u64 p) {{
                .shared .align 4 .b8 s[64];
                .reg .b32 %r<2>; .reg .b64 %rd<4>;
                mov.u64 %rd2, s;
                cvta.shared.u64 %rd3, %rd2;
                st.u32 [%rd3+{offset}], 0;
                ret; }}"
        )
    };
    assert_eq!(run(&text(60), 1, &[]).stop, None);
    assert!(
        run(&text(64), 1, &[])
            .stop
            .is_some_and(|why| why.contains("shared array"))
    );
    let made_up = run(
        ".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; mov.u64 %rd1, 64; st.global.u32 [%rd1], 0; ret; }",
        1,
        &[],
    );
    assert!(made_up.stop.is_some());
}

/// Lanes that go different ways at a table meet where all ways do; where a way returns, never.
#[test]
fn post_dominators() {
    let module = module(
        ".visible .entry k(.param .u64 p) {
            .reg .b32 %r<2>; .reg .pred %p<2>;
            mov.u32 %r1, %tid.x;
            table: .branchtargets $a, $b, $c;
            brx.idx %r1, table;
          $a: bra.uni $end;
          $b: mov.u32 %r1, 1;
          $c: mov.u32 %r1, 2;
          $end: setp.eq.u32 %p1, %r1, 0;
            @%p1 bra $out;
            ret;
          $out: ret; }",
    );
    let kernel = &module.functions[0];
    assert_eq!(kernel.meets[&1], 5);
    assert_eq!(kernel.meets[&6], END);
}

/// Lanes that leave a loop wait for those that are still in it, though some might return there.
#[test]
fn who_returns_is_not_waited_for() {
    let module = module(
        ".visible .entry k(.param .u64 p) {
            .reg .b32 %r<2>; .reg .pred %p<3>;
            mov.u32 %r1, %tid.x;
          $head: setp.eq.u32 %p1, %r1, 0;
            @%p1 bra $behind;
            setp.gt.u32 %p2, %r1, 40;
            @%p2 bra $end;
            sub.u32 %r1, %r1, 1;
            bra.uni $head;
          $behind: st.global.u32 [p], 1;
          $end: ret; }",
    );
    let kernel = &module.functions[0];
    assert_eq!(kernel.meets[&2], 7);
    assert_eq!(kernel.meets[&4], 5);
}
