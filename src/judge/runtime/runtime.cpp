// Runs kernels on the CPU and writes down every request that a warp makes.
//
// Each thread of a block is a fiber. At every basic block (`__sanitizer_cov_trace_pc`) a fiber gives
// way; of a warp's fibers those run next that are deepest in calls and, among these, in the block of the
// least rank (`assembly/order.rs`). Who comes back to the head of a loop waits there for all in the loop.
// So lanes that parted meet again where their ways meet, as on a device. What the lanes of one such
// step access by one instruction is one request.
//
// Given: on the standard input a line for each run. Gives: on the standard output records as
// `trace.rs` reads them.
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
struct judge_shape { dim3 grid, block; unsigned long long shared; };

__attribute__((section("judge_builtin"))) uint3 threadIdx, blockIdx;
__attribute__((section("judge_builtin"))) dim3 blockDim, gridDim;

struct Site { uint64_t address; uint32_t file, line, column, op; };
struct Entry { const char *kernel; void (*run)(); };
struct Block { uint64_t address; uint32_t rank, last_of_loop; };
extern "C" {
extern const Site __start_judge_table[] __attribute__((weak)), __stop_judge_table[] __attribute__((weak));
extern const Block __start_judge_blocks[] __attribute__((weak)), __stop_judge_blocks[] __attribute__((weak));
extern const Entry *const judge_entries[];   // by file, null-terminated lists
extern int (*const judge_mains[])(int, char **);
extern char __start_judge_builtin[], __stop_judge_builtin[];
extern char __start_judge_const[] __attribute__((weak)), __stop_judge_const[] __attribute__((weak));
extern char __data_start[], _end[];
}

namespace {

constexpr size_t stack_bytes = 64 << 10, most_threads = 1024;
constexpr uintptr_t buffer_span = 32ull << 30;
constexpr int most_buffers = 16;
constexpr size_t filled_bytes = 16 << 10;
constexpr size_t dynamic_bytes = 256 << 10;
constexpr int seconds_a_file = 40;

enum State { runnable, at_barrier, at_collective, gone };
enum Status { fine, undefined, fault, exhausted, deadlock, racy };

struct Lane {
    State state;
    uintptr_t frame;  // bytes of stack below the caller of the hook
    uint64_t pc;     // with the rank of its block
    uint64_t place;  // `pc`, or behind the loop whose next iteration it waits for
    uintptr_t *leaving;  // frame of the function that it returns from
    uint3 index;
    // Of the collective that it waits at.
    int kind, operand, width;
    unsigned mask;
    unsigned long long value;
    int barrier_kind, barrier_value;
    void *sp;
    char *stack;
#ifndef __x86_64__
    ucontext_t context;
#endif
};

struct Request {
    uintptr_t pc;
    uint8_t op, space;
    uint16_t size;
    uint32_t mask;
    uintptr_t at[32];
};

struct Buffer {
    bool is_filled;
    uintptr_t low, high;  // what was touched
};

Lane *lanes;
char *stacks;
unsigned threads;
Lane *current;          // null in host code
unsigned current_lane;  // in its warp
unsigned group_mask;
// Others of the warp wait at a barrier further up: these lanes may end, and nothing else.
bool is_ahead;
void (*entry)(void *);
void *entry_argument;
volatile int stopped;   // a Status
uintptr_t stopped_at;
long budget, budget_of_run = 400000;
bool is_recorded = true;
std::vector<Request> requests;
std::vector<char> out;

char *global_memory;
uintptr_t global_size, shared_start, shared_size;
const void *shared_image;
size_t shared_image_size;
alignas(1024) char dynamic_shared[dynamic_bytes];
Buffer buffers[most_buffers];
uintptr_t heap_next;
std::vector<long long> numbers;
unsigned long long seed;
unsigned data_mode;
uint32_t warp_now;
std::vector<Block> blocks_of_text;  // by address

// Who touched a byte last, for runs that are asked whether their outputs depend on the order of threads.
struct Touch {
    uint32_t block = 0, epoch = 0, thread = 0;  // blocks from 1; a block's barriers so far; its thread
    bool is_open_to(uint32_t b, uint32_t e, uint32_t t) const {
        return block && (block != b || (epoch == e && thread != t));
    }
};
struct Byte {
    Touch reader, writer, atomic;
    bool many_readers = false, is_changed = false;
};
struct Write {
    uintptr_t at;
    unsigned size;
    unsigned char before[16];
};
bool looks_for_races, is_racy;
uint32_t block_now, epoch_now;
std::unordered_map<uintptr_t, Byte> bytes_touched;
std::vector<Write> writes;

// Blocks have shared memory of their own, here at one address.
uintptr_t place_of(uintptr_t at) {
    bool is_shared = at - shared_start < shared_size || at - (uintptr_t)dynamic_shared < dynamic_bytes;
    return is_shared ? at ^ (uintptr_t)block_now << 48 : at;
}

// A read of what another thread changes without a barrier between.
void race_of_read(uintptr_t at, unsigned size) {
    Touch now{block_now, epoch_now, (uint32_t)(current - lanes)};
    for (unsigned i = 0; i < size; ++i) {
        Byte &byte = bytes_touched[place_of(at + i)];
        if (byte.is_changed && byte.writer.is_open_to(now.block, now.epoch, now.thread)) is_racy = true;
        if (byte.atomic.is_open_to(now.block, now.epoch, now.thread)) is_racy = true;
        bool is_other = byte.reader.is_open_to(now.block, now.epoch, now.thread);
        byte.many_readers = is_other || (byte.many_readers && byte.reader.block == now.block && byte.reader.epoch == now.epoch);
        byte.reader = now;
    }
}

// An atomic beside plain reads and writes of other threads. Atomics beside atomics come in the order of lanes,
// whatever else a step holds.
void race_of_atomic(uintptr_t at, unsigned size) {
    Touch now{block_now, epoch_now, (uint32_t)(current - lanes)};
    for (unsigned i = 0; i < size; ++i) {
        Byte &byte = bytes_touched[place_of(at + i)];
        bool is_met = byte.writer.is_open_to(now.block, now.epoch, now.thread) ||
                      byte.reader.is_open_to(now.block, now.epoch, now.thread) ||
                      (byte.many_readers && byte.reader.block == now.block && byte.reader.epoch == now.epoch);
        if (is_met) is_racy = true;
        byte.atomic = now;
    }
}

// The writes of a step that just ended, now that their values are there: threads may write the same value,
// but not change what another one reads or writes without a barrier between.
void races_of_writes() {
    Touch now{block_now, epoch_now, (uint32_t)(current - lanes)};
    for (const Write &w : writes) {
        for (unsigned i = 0; i < w.size && i < sizeof w.before; ++i) {
            Byte &byte = bytes_touched[place_of(w.at + i)];
            bool is_met = byte.writer.is_open_to(now.block, now.epoch, now.thread);
            bool is_new = *(const unsigned char *)(w.at + i) != w.before[i];
            bool is_read = byte.reader.is_open_to(now.block, now.epoch, now.thread) ||
                           (byte.many_readers && byte.reader.block == now.block && byte.reader.epoch == now.epoch);
            bool is_changed_at_once = byte.atomic.is_open_to(now.block, now.epoch, now.thread);
            if ((is_new && (is_met || is_read)) || is_changed_at_once) is_racy = true;
            byte.is_changed = is_new || (is_met && byte.is_changed);
            byte.writer = now;
        }
    }
    writes.clear();
}

#ifdef __x86_64__
void *scheduler_sp;
extern "C" void judge_switch(void **save, void *to);
asm(".text\n.globl judge_switch\njudge_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n");
void to_scheduler() { judge_switch(&current->sp, scheduler_sp); }
void to_lane(Lane &lane) { judge_switch(&scheduler_sp, lane.sp); }
#else
ucontext_t scheduler;
void to_scheduler() { swapcontext(&current->context, &scheduler); }
void to_lane(Lane &lane) { swapcontext(&scheduler, &lane.context); }
#endif

void put(const void *bytes, size_t n) { out.insert(out.end(), (const char *)bytes, (const char *)bytes + n); }
template <class T> void put(T v) { put(&v, sizeof v); }

void write_out() {
    size_t done = 0;
    while (done < out.size()) {
        ssize_t n = write(1, out.data() + done, out.size() - done);
        if (n <= 0) _exit(3);
        done += (size_t)n;
    }
    out.clear();
}

unsigned long long next_random() {
    seed += 0x9E3779B97F4A7C15ull;
    unsigned long long z = seed;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// Ends the run. In a fiber it does not return.
void stop(Status status, void *where) {
    if (!stopped) {
        stopped = status;
        stopped_at = (uintptr_t)where;
    }
    if (current) to_scheduler();
}

void lane_main() {
    entry(entry_argument);
    current->state = gone;
    to_scheduler();
    abort();
}

void start_lane(Lane &lane) {
    lane.state = runnable;
    lane.frame = 0;
    lane.pc = lane.place = 0;
    lane.leaving = nullptr;
#ifdef __x86_64__
    // As a call leaves it: 8 bytes off a multiple of 16, which aligned moves of the body rely on.
    void **top = (void **)(lane.stack + stack_bytes) - 1;
    *--top = (void *)lane_main;
    top -= 6;
    memset(top, 0, 6 * sizeof *top);
    lane.sp = top;
#else
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack;
    lane.context.uc_stack.ss_size = stack_bytes;
    lane.context.uc_link = nullptr;
    makecontext(&lane.context, lane_main, 0);
#endif
}

void flush_requests() {
    if (is_recorded && out.size() < (48u << 20)) {
        for (const Request &r : requests) {
            put<uint8_t>('Q');
            put<uint64_t>(r.pc);
            put<uint8_t>(r.op);
            put<uint8_t>(r.space);
            put<uint16_t>(r.size);
            put<uint32_t>(warp_now);
            put<uint32_t>(r.mask);
            for (int i = 0; i < 32; ++i)
                if (r.mask >> i & 1) put<uint64_t>(r.at[i]);
        }
    }
    requests.clear();
}

void record(uintptr_t at, unsigned size, int op, void *site) {
    if (!current || stopped) return;
    int space;
    if (at - (uintptr_t)global_memory < global_size) {
        space = 1;
        Buffer &b = buffers[(at - (uintptr_t)global_memory) / buffer_span];
        if (at < b.low) b.low = at;
        if (at + size > b.high) b.high = at + size;
    } else if (at - shared_start < shared_size || at - (uintptr_t)dynamic_shared < dynamic_bytes) {
        space = 0;
    } else if (at - (uintptr_t)__data_start < (uintptr_t)(_end - __data_start)) {
        if (at - (uintptr_t)__start_judge_builtin < (uintptr_t)(__stop_judge_builtin - __start_judge_builtin)) return;
        if (__start_judge_const && at - (uintptr_t)__start_judge_const < (uintptr_t)(__stop_judge_const - __start_judge_const)) return;
        space = 1;
    } else {
        return;
    }
    if (is_ahead) {
        stop(deadlock, site);
        return;
    }
    if (looks_for_races && op == 0) race_of_read(at, size);
    if (looks_for_races && op == 2) race_of_atomic(at, size);
    if (looks_for_races && op == 1) {
        Write w{at, size, {}};
        memcpy(w.before, (const void *)at, size < sizeof w.before ? size : sizeof w.before);
        writes.push_back(w);
    }
    uintptr_t pc = (uintptr_t)site;
    uint32_t bit = 1u << current_lane;
    for (Request &r : requests) {
        if (r.pc == pc && r.size == size && r.space == space && !(r.mask & bit)) {
            r.mask |= bit;
            r.at[current_lane] = at;
            return;
        }
    }
    Request r;
    r.pc = pc;
    r.op = (uint8_t)op;
    r.space = (uint8_t)space;
    r.size = (uint16_t)size;
    r.mask = bit;
    r.at[current_lane] = at;
    requests.push_back(r);
}

// ---------------------------------------------------------------- one block

unsigned collective_result(Lane *warp, unsigned group) {
    // All of a group wait at one call.
    for (unsigned i = 0; i < 32; ++i) {
        if (!(group >> i & 1)) continue;
        Lane &lane = warp[i];
        if (!(lane.mask >> i & 1)) return 0;
        for (unsigned j = 0; j < 32; ++j) {
            if (!(lane.mask >> j & 1) || (group >> j & 1)) continue;
            // Who is named must come, unless it is gone.
            unsigned rank = (unsigned)(warp - lanes) + j;
            if (rank < threads && warp[j].state != gone) return 0;
        }
    }
    unsigned long long result[32] = {};
    for (unsigned i = 0; i < 32; ++i) {
        if (!(group >> i & 1)) continue;
        Lane &lane = warp[i];
        unsigned long long &r = result[i];
        if (lane.kind >= 1 && lane.kind <= 4) {
            int width = lane.width;
            if (width <= 0 || width > 32 || (width & (width - 1))) return 0;
            int base = (int)i & ~(width - 1), from = (int)i;
            switch (lane.kind) {
            case 1: from = base + (lane.operand & (width - 1)); break;
            case 2: from = (int)i - lane.operand; if (lane.operand < 0 || lane.operand > 31 || from < base) from = (int)i; break;
            case 3: from = (int)i + lane.operand; if (lane.operand < 0 || lane.operand > 31 || from >= base + width) from = (int)i; break;
            case 4: from = (int)i ^ (lane.operand & 31); if (from >= base + width) from = (int)i; break;
            }
            if (!(group >> from & 1)) return 0;
            r = warp[from].value;
            continue;
        }
        for (unsigned j = 0; j < 32; ++j) {
            if (!(group >> j & 1)) continue;
            unsigned long long v = warp[j].value;
            switch (lane.kind) {
            case 5: r |= (unsigned long long)(v != 0) << j; break;
            case 6: r = (uint32_t)(r + v); break;
            case 7: if (v > r) r = v; break;
            case 8: if (j == (unsigned)__builtin_ctz(group) || v < r) r = v; break;
            case 9: r |= (unsigned long long)(v == lane.value) << j; break;
            }
        }
    }
    for (unsigned i = 0; i < 32; ++i) {
        if (group >> i & 1) {
            warp[i].value = result[i];
            warp[i].state = runnable;
        }
    }
    return 1;
}

// One step of a warp; false once all its lanes are gone or at a barrier.
bool step(unsigned first) {
    Lane *warp = lanes + first;
    unsigned count = threads - first < 32 ? threads - first : 32;
    unsigned group = 0;
    uintptr_t frame = 0;
    uint64_t place = 0;
    for (unsigned i = 0; i < count; ++i) {
        Lane &lane = warp[i];
        if (lane.state != runnable && lane.state != at_collective) continue;
        bool is_better = !group || lane.frame > frame || (lane.frame == frame && lane.place < place);
        if (is_better) {
            group = 1u << i;
            frame = lane.frame;
            place = lane.place;
        } else if (lane.frame == frame && lane.place == place) {
            group |= 1u << i;
        }
    }
    if (group && warp[__builtin_ctz(group)].state == at_collective) {
        // Lanes further on do not come back for it.
        if (!collective_result(warp, group)) stop(deadlock, (void *)(uint32_t)place);
        return true;
    }
    if (!group) return false;
    group_mask = group;
    is_ahead = false;
    for (unsigned i = 0; i < count; ++i) {
        Lane &lane = warp[i];
        if (lane.state != at_barrier) continue;
        // Lanes in a call would have made it first, had they not passed the barrier.
        is_ahead |= lane.frame != frame || lane.place < place;
    }
    for (unsigned i = 0; i < count && !stopped; ++i) {
        if (!(group >> i & 1)) continue;
        current = warp + i;
        current_lane = i;
        threadIdx = current->index;
        to_lane(*current);
        if (looks_for_races) races_of_writes();
        current = nullptr;
    }
    // Of a step that was broken off, some lanes are missing.
    if (stopped) requests.clear();
    flush_requests();
    return true;
}

void run_block() {
    unsigned t = 0;
    for (unsigned z = 0; z < blockDim.z; ++z)
        for (unsigned y = 0; y < blockDim.y; ++y)
            for (unsigned x = 0; x < blockDim.x; ++x, ++t) {
                lanes[t].index = {x, y, z};
                start_lane(lanes[t]);
            }
    memcpy((void *)shared_start, shared_image, shared_image_size);
    memset((char *)shared_start + shared_image_size, 0, shared_size - shared_image_size);
    memset(dynamic_shared, 0, 64 << 10);
    while (!stopped) {
        for (unsigned first = 0; first < threads && !stopped; first += 32) {
            warp_now = first / 32;
            while (!stopped && step(first)) {}
        }
        if (stopped) break;
        bool is_any = false;
        uint64_t site = 0;
        int ones = 0, arrived = 0;
        for (unsigned i = 0; i < threads; ++i) {
            if (lanes[i].state != at_barrier) continue;
            if (is_any && lanes[i].pc != site) stop(deadlock, (void *)(uint32_t)site);
            is_any = true;
            site = lanes[i].pc;
            arrived++;
            ones += lanes[i].barrier_value != 0;
        }
        if (!is_any) break;
        ++epoch_now;
        for (unsigned i = 0; i < threads; ++i) {
            if (lanes[i].state != at_barrier) continue;
            int kind = lanes[i].barrier_kind;
            lanes[i].barrier_value = kind == 0 ? ones : kind == 1 ? ones == arrived : ones > 0;
            lanes[i].state = runnable;
        }
    }
}

sigjmp_buf rescue;
void on_signal(int) { siglongjmp(rescue, 1); }

void reset_buffers() {
    for (int i = 0; i < most_buffers; ++i) {
        Buffer &b = buffers[i];
        b.is_filled = false;
        if (b.high > b.low) {
            uintptr_t from = b.low & ~4095ull, to = (b.high + 4095) & ~4095ull;
            madvise((void *)from, to - from, MADV_DONTNEED);
        }
        b.low = ~0ull;
        b.high = 0;
    }
    heap_next = 8;
}

// Of what is not 0, wherever it begins: ranges may differ in what was only looked at.
uint64_t digest(const char *base, const char *from, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t w;
        memcpy(&w, from + i, 8);
        if (!w) continue;
        uint64_t h = (w ^ (uint64_t)(from + i - base) * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
        sum += h ^ h >> 29;
    }
    return sum;
}

void launch(const judge_shape &shape) {
    threads = shape.block.x * shape.block.y * shape.block.z;
    uint64_t blocks = (uint64_t)shape.grid.x * shape.grid.y * shape.grid.z;
    bool is_possible = threads >= 1 && threads <= most_threads && blocks >= 1 && shape.shared <= dynamic_bytes;
    if (!is_possible) {
        stopped = deadlock;
        return;
    }
    gridDim = shape.grid;
    blockDim = shape.block;
    bytes_touched.clear();  // launches come one after the other
    // The first blocks, one amid and the last one.
    std::vector<uint64_t> which;
    for (uint64_t b : {(uint64_t)0, (uint64_t)1, blocks / 2, blocks - 1}) {
        bool is_new = b < blocks;
        for (uint64_t other : which) is_new &= other != b;
        if (is_new) which.push_back(b);
    }
    for (uint64_t b : which) {
        if (stopped) break;
        blockIdx = {(unsigned)(b % shape.grid.x), (unsigned)(b / shape.grid.x % shape.grid.y),
                    (unsigned)(b / shape.grid.x / shape.grid.y)};
        ++block_now;
        epoch_now = 0;
        put<uint8_t>('B');
        put<uint32_t>(blockIdx.x);
        put<uint32_t>(blockIdx.y);
        put<uint32_t>(blockIdx.z);
        if (sigsetjmp(rescue, 1)) {
            current = nullptr;
            if (!stopped) stopped = fault;
        } else {
            run_block();
        }
        requests.clear();
    }
}

void begin_run(uint32_t file, uint32_t id) {
    stopped = fine;
    stopped_at = 0;
    is_racy = false;
    block_now = 0;
    bytes_touched.clear();
    writes.clear();
    budget = budget_of_run;
    put<uint8_t>('R');
    put(file);
    put<uint32_t>(id);
}

void end_run(bool has_digests) {
    if (is_racy && !stopped) stopped = racy;
    put<uint8_t>('E');
    put<uint8_t>((uint8_t)stopped);
    put<uint64_t>(stopped_at);
    uint64_t all = 0;
    for (int i = 0; i < most_buffers && has_digests; ++i) {
        Buffer &b = buffers[i];
        if (b.high <= b.low) continue;
        uintptr_t from = b.low & ~7ull;
        size_t n = (b.high - from + 7) & ~7ull;
        if (n > (1 << 20)) n = 1 << 20;
        all = all * 31 + digest(global_memory, (const char *)from, n);
    }
    put<uint64_t>(all);
    write_out();
}

}  // namespace

// ---------------------------------------------------------------- what the kernel's text calls

#define FRAME ((uintptr_t *)__builtin_frame_address(0))

extern "C" {

// Notes where the lane stands: code lies below 4 GiB, as the program is linked.
static void stand(uintptr_t frame, uintptr_t pc) {
    uintptr_t depth = (uintptr_t)(current->stack + stack_bytes) - frame;
    auto is_behind = [](uintptr_t pc, const Block &block) { return pc <= block.address; };
    auto behind = std::upper_bound(blocks_of_text.begin(), blocks_of_text.end(), pc, is_behind);
    const Block block = behind == blocks_of_text.begin() ? Block{} : behind[-1];
    uint64_t at = (uint64_t)block.rank << 32 | (uint32_t)pc, end = (uint64_t)block.last_of_loop << 32 | UINT32_MAX;
    bool is_back = block.last_of_loop && depth == current->frame && current->pc >= at && current->pc <= end;
    current->frame = depth;
    current->pc = at;
    // Of loops that end in one block the inner one goes first: who leaves it waits for all of it.
    current->place = is_back ? end - block.rank : at;
}

static void give_way(uintptr_t *frame, uintptr_t pc) {
    if (--budget < 0) stop(exhausted, (void *)pc);
    stand((uintptr_t)frame, pc);
    to_scheduler();
}

void __sanitizer_cov_trace_pc() {
    if (!current) return;
    uintptr_t *frame = (uintptr_t *)FRAME[0];
    // The compiler's last block of a function, behind the hook of its exit: who is there has waited already,
    // and would leave the lanes behind that another function still holds.
    if (frame == current->leaving) return;
    current->leaving = nullptr;
    give_way(frame, (uintptr_t)__builtin_return_address(0));
}
void __cyg_profile_func_enter(void *, void *) {
    if (current) current->leaving = nullptr;
}
void __cyg_profile_func_exit(void *, void *) {
    if (!current) return;
    // Who returns waits behind the call for those who are still inside.
    uintptr_t *callee = (uintptr_t *)FRAME[0];
    current->leaving = callee;
    give_way((uintptr_t *)callee[0], callee[1]);
}
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
#define SITE __builtin_return_address(0)
#define ACCESS(n)                                                                                    \
    void __tsan_read##n(void *p) { record((uintptr_t)p, n, 0, SITE); }                               \
    void __tsan_write##n(void *p) { record((uintptr_t)p, n, 1, SITE); }                              \
    void __tsan_unaligned_read##n(void *p) { record((uintptr_t)p, n, 0, SITE); }                     \
    void __tsan_unaligned_write##n(void *p) { record((uintptr_t)p, n, 1, SITE); }                    \
    void __tsan_volatile_read##n(void *p) { record((uintptr_t)p, n, 0, SITE); }                      \
    void __tsan_volatile_write##n(void *p) { record((uintptr_t)p, n, 1, SITE); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __tsan_read_range(void *p, unsigned long n) { record((uintptr_t)p, (unsigned)n, 0, SITE); }
void __tsan_write_range(void *p, unsigned long n) { record((uintptr_t)p, (unsigned)n, 1, SITE); }

int __tsan_atomic32_fetch_add(volatile int *p, int v, int) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
int __tsan_atomic32_load(const volatile int *p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
long __tsan_atomic64_load(const volatile long *p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
void __tsan_atomic64_store(volatile long *p, long v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }

void judge_atomic(void *p, unsigned size, void *site) { record((uintptr_t)p, size, 2, site); }
void judge_undefined() { stop(undefined, SITE); }

void judge_barrier(void *site) {
    if (!current) return;
    if (is_ahead) stop(deadlock, site);
    stand(FRAME[0], (uintptr_t)site);
    current->barrier_kind = 2;
    current->state = at_barrier;
    to_scheduler();
}
int judge_vote_barrier(int kind, int value, void *site) {
    if (!current) return 0;
    if (is_ahead) stop(deadlock, site);
    stand(FRAME[0], (uintptr_t)site);
    current->barrier_kind = kind;
    current->barrier_value = value;
    current->state = at_barrier;
    to_scheduler();
    return current->barrier_value;
}
unsigned long long judge_collective(int kind, unsigned mask, unsigned long long value, int operand, int width, void *site) {
    if (!current) return 0;
    stand(FRAME[0], (uintptr_t)site);
    current->kind = kind;
    current->mask = mask;
    current->value = value;
    current->operand = operand;
    current->width = width;
    current->state = at_collective;
    to_scheduler();
    return current->value;
}
unsigned judge_activemask() { return group_mask; }
int judge_is_shared(const void *p) {
    uintptr_t at = (uintptr_t)p;
    return at - shared_start < shared_size || at - (uintptr_t)dynamic_shared < dynamic_bytes;
}
unsigned long long judge_shared_offset(const void *p) {
    uintptr_t at = (uintptr_t)p;
    return at - shared_start < shared_size ? at - shared_start : at - (uintptr_t)dynamic_shared + (1 << 16);
}
char *judge_dynamic() { return dynamic_shared; }

static void fill(Buffer &b, char *base, unsigned size, int is_float) {
    b.is_filled = true;
    if ((uintptr_t)base < b.low) b.low = (uintptr_t)base;
    if ((uintptr_t)base + filled_bytes > b.high) b.high = (uintptr_t)base + filled_bytes;
    size_t count = filled_bytes / size;
    for (size_t i = 0; i < count; ++i) {
        long long v = 0;
        unsigned long long r = next_random();
        switch (data_mode % 6) {
        case 0: v = (long long)(r % 64); break;
        case 1: v = (long long)(r % 8); break;
        case 2: v = (long long)i; break;
        case 3: v = (long long)(r % 1024); break;
        case 4: v = 0; break;
        case 5: v = r % 4 == 0 ? -(long long)(r >> 8 & 7) : (long long)(r >> 8 & 31); break;
        }
        if (is_float && size == 4) ((float *)base)[i] = (float)v;
        else if (is_float) ((double *)base)[i] = (double)v;
        else if (size == 1) base[i] = (char)(v & 127);
        else if (size == 2) ((short *)base)[i] = (short)v;
        else if (size == 8) ((long long *)base)[i] = v;
        else for (unsigned k = 0; k + 4 <= size; k += 4) memcpy(base + i * size + k, &(const int &)(const int)v, 4);
    }
}

void *judge_pointer(int index, unsigned size, int is_float, int) {
    if (index >= most_buffers) return nullptr;
    Buffer &b = buffers[index];
    char *base = global_memory + (uintptr_t)index * buffer_span + buffer_span / 2;
    if (!b.is_filled) fill(b, base, size, is_float);
    return base + (index < (int)numbers.size() ? numbers[(size_t)index] : 0);
}
long long judge_number(int index) { return index < (int)numbers.size() ? numbers[(size_t)index] : 0; }
double judge_float(int index) { return (double)judge_number(index); }

void *judge_malloc(unsigned long long bytes) {
    // Of host code: one after another in the second half of the buffers.
    static uintptr_t used;
    (void)bytes;
    int index = (int)(heap_next++ % 8) + 8;
    (void)used;
    char *base = global_memory + (uintptr_t)index * buffer_span + buffer_span / 2;
    if (!buffers[index].is_filled) fill(buffers[index], base, 4, 0);
    return base;
}

struct Argument { uint8_t kind; long long integer; double floating; };
static std::vector<Argument> given;

void judge_argument(int kind, long long integer, double floating) {
    if (kind == 0) {
        given.clear();
        return;
    }
    uintptr_t at = (uintptr_t)integer - (uintptr_t)global_memory;
    if (kind == 3 && at < global_size) integer = (long long)(at % buffer_span) - (long long)(buffer_span / 2);
    else if (kind == 3) kind = 4;
    given.push_back({(uint8_t)kind, integer, floating});
}

void judge_launch(const char *kernel, unsigned line, const judge_shape *shape, void (*f)(void *), void *argument) {
    put<uint8_t>('L');
    uint16_t n = (uint16_t)strlen(kernel);
    put(n);
    put(kernel, n);
    put<uint32_t>(line);
    put(shape->grid);
    put(shape->block);
    put<uint64_t>(shape->shared);
    put<uint16_t>((uint16_t)given.size());
    for (const Argument &a : given) {
        put(a.kind);
        put(a.integer);
        put(a.floating);
    }
    entry = f;
    entry_argument = argument;
    if (stopped) return;
    sigjmp_buf of_main;
    memcpy(&of_main, &rescue, sizeof of_main);
    launch(*shape);
    memcpy(&rescue, &of_main, sizeof of_main);
    // What one launch does is no reason not to look at the next.
    put<uint8_t>('l');
    put<uint8_t>((uint8_t)stopped);
    stopped = fine;
}

// Anything that UBSan finds.
#define UNDEFINED(name)                                                                              \
    void __ubsan_handle_##name() { stop(undefined, SITE); }                                          \
    void __ubsan_handle_##name##_abort() { stop(undefined, SITE); }
UNDEFINED(add_overflow) UNDEFINED(sub_overflow) UNDEFINED(mul_overflow) UNDEFINED(negate_overflow)
UNDEFINED(divrem_overflow) UNDEFINED(shift_out_of_bounds) UNDEFINED(out_of_bounds)
UNDEFINED(type_mismatch_v1) UNDEFINED(pointer_overflow) UNDEFINED(vla_bound_not_positive)
UNDEFINED(nonnull_return_v1) UNDEFINED(nonnull_arg) UNDEFINED(builtin_unreachable)
UNDEFINED(missing_return) UNDEFINED(float_cast_overflow) UNDEFINED(load_invalid_value)
UNDEFINED(invalid_builtin) UNDEFINED(alignment_assumption) UNDEFINED(nullability_arg)
UNDEFINED(dynamic_type_cache_miss) UNDEFINED(function_type_mismatch)

}  // extern "C"

static int find_shared(dl_phdr_info *info, size_t, void *) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &header = info->dlpi_phdr[i];
        if (header.p_type != PT_TLS || shared_start) continue;
        if (!info->dlpi_tls_data) continue;
        shared_start = (uintptr_t)info->dlpi_tls_data;
        shared_size = header.p_memsz;
        shared_image = (const void *)(info->dlpi_addr + header.p_vaddr);
        shared_image_size = header.p_filesz;
    }
    return 1;  // the program itself comes first
}

static void call_entry(void *f) { ((void (*)())f)(); }

// A line of input: file, kernel (-1: main), id, budget, data mode, seed, flags, grid, block, shared, numbers.
static bool run_line(char *line) {
    char *at = line;
    auto number = [&] { return strtoll(at, &at, 10); };
    long file = number(), kernel = number();
    uint32_t id = (uint32_t)number();
    budget_of_run = number();
    data_mode = (unsigned)number();
    seed = (unsigned long long)number();
    long flags = number();
    judge_shape shape;
    shape.grid = {(unsigned)number(), (unsigned)number(), (unsigned)number()};
    shape.block = {(unsigned)number(), (unsigned)number(), (unsigned)number()};
    shape.shared = (unsigned long long)number();
    size_t count = (size_t)number();
    numbers.clear();
    for (size_t i = 0; i < count; ++i) numbers.push_back(number());
    is_recorded = !(flags & 1);
    looks_for_races = flags & 4;
    reset_buffers();
    begin_run((uint32_t)file, id);
    if (kernel < 0) {
        static char texts[8][32];
        char *arguments[9];
        snprintf(texts[0], 32, "program");
        int n = 1;
        arguments[0] = texts[0];
        for (size_t i = 0; i < count && n < 8; ++i, ++n) {
            snprintf(texts[n], 32, "%lld", numbers[i]);
            arguments[n] = texts[n];
        }
        arguments[n] = nullptr;
        numbers.clear();
        alarm(2);
        if (sigsetjmp(rescue, 1)) {
            current = nullptr;
            stopped = fault;
        } else {
            judge_mains[file](n, arguments);
        }
        alarm(0);
    } else {
        entry = call_entry;
        entry_argument = (void *)judge_entries[file][kernel].run;
        alarm(10);
        launch(shape);
        alarm(0);
    }
    end_run((flags & 2) != 0);
    return true;
}

int main() {
    dl_iterate_phdr(find_shared, nullptr);
    global_size = most_buffers * buffer_span;
    // Between walls that fault: an address far outside must not fall into the stacks, where lanes of one request
    // would go unseen.
    const uintptr_t wall = 4 * buffer_span;
    global_memory = (char *)mmap(nullptr, global_size + 2 * wall + (1 << 21), PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks = (char *)mmap(nullptr, stack_bytes * most_threads, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (global_memory == MAP_FAILED || stacks == MAP_FAILED) {
        fprintf(stderr, "no address space for buffers\n");
        return 4;
    }
    global_memory = (char *)(((uintptr_t)global_memory + wall + (1 << 21) - 1) & ~(uintptr_t)((1 << 21) - 1));
    if (mprotect(global_memory, global_size, PROT_READ | PROT_WRITE)) {
        fprintf(stderr, "no memory for buffers\n");
        return 4;
    }
    lanes = new Lane[most_threads]();
    for (size_t i = 0; i < most_threads; ++i) lanes[i].stack = stacks + i * stack_bytes;
    stack_t alternative = {};
    alternative.ss_size = 64 << 10;
    alternative.ss_sp = malloc(alternative.ss_size);
    sigaltstack(&alternative, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGABRT}) sigaction(s, &action, nullptr);
    blocks_of_text.assign(__start_judge_blocks, __stop_judge_blocks);
    std::sort(blocks_of_text.begin(), blocks_of_text.end(),
              [](const Block &one, const Block &other) { return one.address < other.address; });
    // The sites that requests name, once.
    uint32_t sites = (uint32_t)(__stop_judge_table - __start_judge_table);
    put<uint8_t>('S');
    put(sites);
    for (const Site *s = __start_judge_table; s != __stop_judge_table; ++s) {
        put<uint64_t>(s->address);
        put<uint32_t>(s->file);
        put<uint32_t>(s->line);
        put<uint32_t>(s->column);
        put<uint32_t>(s->op);
    }
    write_out();
    reset_buffers();
    // The runs of one file in a process of their own: what one breaks, others do not see.
    static char lines[1 << 22];
    size_t length = 0;
    for (ssize_t n; (n = read(0, lines + length, sizeof lines - 1 - length)) > 0;) length += (size_t)n;
    lines[length] = 0;
    char *at = lines;
    while (*at) {
        long file = strtol(at, nullptr, 10);
        char *end = at;
        while (*end && strtol(end, nullptr, 10) == file) {
            char *next = strchr(end, '\n');
            end = next ? next + 1 : end + strlen(end);
        }
        const pid_t self = getpid();
        pid_t child = fork();
        if (child == 0) {
            // Who waits for the runs may stop them all.
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != self) _exit(1);
            while (at < end) {
                char *next = strchr(at, '\n');
                if (next) *next = 0;
                run_line(at);
                at = next ? next + 1 : end;
            }
            _exit(0);
        }
        // A program that is stopped inside of the allocator leaves it locked, and waits for it forever.
        int status = 0;
        time_t last = time(nullptr) + seconds_a_file;
        while (waitpid(child, &status, WNOHANG) == 0) {
            if (time(nullptr) > last) kill(child, SIGKILL);
            usleep(500);
        }
        if (status != 0) {
            put<uint8_t>('X');
            put<uint32_t>((uint32_t)file);
            write_out();
        }
        at = end;
    }
    return 0;
}
