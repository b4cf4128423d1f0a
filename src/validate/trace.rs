//! Measuring without counters: kernels that record the address of each access, lane by lane.
//!
//! Given: a fixture with the places of its accesses. Gives: the same text with each access
//! that is written as an lvalue, or whose call takes a pointer first, sent through a recording
//! function; and the rows that the cost specification makes of the records.
//! Does not know: devices, or what was predicted.
//!
//! What this measures: addresses, active lanes and how often, as the GPU computes them. What
//! it does not: the machine's counters (the cost is the specification's), and what the
//! compiler merges or drops, since each access is made as it is written. Accesses behind macro
//! bodies, inline assembly and library calls, and atomics on shared memory, are not recorded.

use serde::{Deserialize, Serialize};

use crate::gpu::cost::{self, Cost, Op, Request, Space};
use crate::gpu::{Arch, WARP};
use crate::ir::{Block, Scalar, SiteId, Stmt};
use crate::source::Span;

use super::fixtures::Specimen;
use super::measurement::LineCounters;

/// A source whose kernels record their addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    pub text: String,
    /// By the number that a record names.
    pub sites: Vec<TracedSite>,
}

/// An expression whose address is recorded; `s[i] += x` makes two accesses of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedSite {
    /// 1-based.
    pub line: u32,
    pub accesses: Vec<TracedAccess>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedAccess {
    pub op: Op,
    /// Bytes per lane.
    pub width: u32,
}

/// Name of the variable that points to the records' head: how many there are, where they lie,
/// how many fit.
pub const HEAD: &str = "cudalint_trace_head";
/// Site, active lanes, whether shared, bytes of the object; then 32 addresses of 8 bytes.
pub const RECORD_BYTES: usize = 16 + 8 * WARP;
pub const MOST_RECORDS: usize = 1 << 19;

/// Put before the source, on lines of its own.
const PRELUDE: &str = r#"extern "C" { __device__ unsigned long long *cudalint_trace_head; }
template <typename T> __device__ __noinline__ void cudalint_record(unsigned site, T *pointer) {
  struct Record { unsigned site, lanes, space, size; unsigned long long addresses[32]; };
  bool shared = __isShared((const void *)pointer), global = __isGlobal((const void *)pointer);
  if (!shared && !global) return;
  unsigned lanes = __activemask(), lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  unsigned leader = __ffs(lanes) - 1;
  unsigned long long slot = 0;
  if (lane == leader) slot = atomicAdd(cudalint_trace_head, 1ULL);
  slot = __shfl_sync(lanes, slot, leader);
  if (slot >= cudalint_trace_head[2]) return;
  Record *record = (Record *)cudalint_trace_head[1] + slot;
  if (lane == leader) { record->site = site; record->lanes = lanes; record->space = shared; record->size = sizeof(T); }
  record->addresses[lane] = shared ? __cvta_generic_to_shared((const void *)pointer) : (unsigned long long)pointer;
}
template <typename T> __device__ __forceinline__ T *cudalint_trace(unsigned site, T *pointer) {
  cudalint_record(site, pointer);
  return pointer;
}
#line 1
"#;

/// Rewrites `text`, the device part of the specimen's source.
#[must_use]
pub fn instrument(specimen: &Specimen, text: &str) -> Traced {
    let mut places: Vec<(Span, TracedSite)> = Vec::new();
    for kernel in &specimen.analysis.program.kernels {
        accesses(&kernel.body, &mut |index, access| {
            let Some(site) = kernel.sites.get(index) else {
                return;
            };
            if site.definition.is_some() || site.span.file.0 != 0 {
                return;
            }
            let line = specimen.source.line(site.line.start);
            match places.iter_mut().find(|(span, _)| *span == site.span) {
                Some((_, known)) if known.accesses.contains(&access) => {}
                Some((_, known)) => known.accesses.push(access),
                None => places.push((
                    site.span,
                    TracedSite {
                        line,
                        accesses: vec![access],
                    },
                )),
            }
        });
    }
    let mut sites = Vec::new();
    let mut insertions: Vec<(usize, bool, usize, String)> = Vec::new();
    for (span, site) in places {
        let number = sites.len();
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(expression) = text.get(start..end) else {
            continue;
        };
        let Some((from, to, is_pointer)) = address_in(expression) else {
            continue;
        };
        let (before, after) = if is_pointer {
            (format!("cudalint_trace({number}, "), ")".to_owned())
        } else {
            (format!("(*cudalint_trace({number}, &("), ")))".to_owned())
        };
        // Of texts that start together the longer goes outside, of those that end together, too.
        let length = to - from;
        insertions.push((start + from, true, usize::MAX - length, before));
        insertions.push((start + to, false, length, after));
        sites.push(site);
    }
    insertions.sort();
    let mut traced = text.to_owned();
    for (at, .., inserted) in insertions.iter().rev() {
        traced.insert_str(*at, inserted);
    }
    Traced {
        text: format!("{PRELUDE}{traced}"),
        sites,
    }
}

/// Where in the text of an access its address stands: an lvalue, or the first argument of a
/// call that is a pointer (third value).
fn address_in(expression: &str) -> Option<(usize, usize, bool)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = expression.split(|c| !is_name(c)).next().unwrap_or_default();
    let calls = name.starts_with("atomic")
        || (name.starts_with("__ld") || name.starts_with("__st")) && name.len() <= 6;
    if calls {
        let open = name.len() + expression[name.len()..].find('(')? + 1;
        let mut depth = 0;
        for (at, c) in expression.char_indices().skip_while(|(at, _)| *at < open) {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ',' if depth == 0 => return Some((open, at, true)),
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
        }
        return None;
    }
    let is_lvalue =
        (expression.ends_with(']') || expression.starts_with('*') || is_member(expression))
            && !expression.contains('=');
    is_lvalue.then_some((0, expression.len(), false))
}

/// `a`, `a.b`, `p->b`, `a[i].b`: names and members, no call.
fn is_member(expression: &str) -> bool {
    let tail = expression
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    !tail.is_empty() && !tail.starts_with(|c: char| c.is_ascii_digit())
}

/// Every load, store and atomic of a block, with its site's index.
fn accesses(block: &Block, found: &mut dyn FnMut(usize, TracedAccess)) {
    for statement in block {
        let mut access = |op, ty: &Scalar, site: &SiteId| {
            let width = ty.size();
            found(site.index(), TracedAccess { op, width });
        };
        match statement {
            Stmt::Load { ty, site, .. } => access(Op::Load, ty, site),
            Stmt::Store { ty, site, .. } => access(Op::Store, ty, site),
            Stmt::Atomic { ty, site, .. } => access(Op::Atomic, ty, site),
            Stmt::If {
                then, otherwise, ..
            } => {
                accesses(then, found);
                accesses(otherwise, found);
            }
            Stmt::Loop(inner) => {
                accesses(&inner.prelude, found);
                accesses(&inner.body, found);
                accesses(&inner.step, found);
            }
            Stmt::Labelled { body, .. } => accesses(body, found),
            _ => {}
        }
    }
}

/// What the records say, by line; addresses are costed by the specification.
///
/// # Errors
/// One sentence where the records are not what the kernels write.
pub fn rows(
    records: &[u8],
    file: &str,
    sites: &[TracedSite],
    arch: &Arch,
) -> Result<Vec<LineCounters>, String> {
    let mut rows: Vec<LineCounters> = Vec::new();
    for record in records.chunks_exact(RECORD_BYTES) {
        let word = |at: usize| {
            let bytes = record[at..at + 4].try_into().unwrap_or_default();
            u32::from_le_bytes(bytes)
        };
        let (number, lanes, shared, size) = (word(0), word(4), word(8), word(12));
        let site = sites
            .get(number as usize)
            .ok_or_else(|| format!("a record names site {number}, which does not exist"))?;
        let space = if shared == 1 {
            Space::Shared
        } else {
            Space::Global
        };
        let address = |lane: usize| {
            let at = 16 + 8 * lane;
            let bytes = record[at..at + 8].try_into().unwrap_or_default();
            (lanes >> lane & 1 == 1).then(|| u64::from_le_bytes(bytes))
        };
        let addresses = std::array::from_fn(address);
        for access in &site.accesses {
            // What it costs is up to the instruction behind it, which the address does not tell.
            let is_open = (space, access.op) == (Space::Shared, Op::Atomic);
            // Instances of a template differ in width; an object taken apart is not followed.
            if is_open || access.width != size {
                continue;
            }
            for (width, addresses) in parts(size, addresses) {
                let request = Request {
                    addresses,
                    width,
                    space,
                    op: access.op,
                };
                let Cost { actual, ideal } = cost::source_page(&request, arch);
                let same = |row: &&mut LineCounters| {
                    (row.line, row.space, row.op, row.width) == (site.line, space, access.op, width)
                };
                let row = match rows.iter_mut().find(same) {
                    Some(row) => row,
                    None => {
                        rows.push(LineCounters {
                            file: file.to_owned(),
                            line: site.line,
                            also: Vec::new(),
                            space,
                            op: access.op,
                            width,
                            opcode: "recorded".to_owned(),
                            instructions: 1,
                            requests: 0,
                            lanes: 0,
                            cost: 0,
                            ideal: 0,
                        });
                        let last = rows.len() - 1;
                        &mut rows[last]
                    }
                };
                row.requests += 1;
                row.lanes += u64::from(lanes.count_ones());
                row.cost += u64::from(actual);
                row.ideal += u64::from(ideal);
            }
        }
    }
    rows.sort_by_key(|row| (row.line, row.space as u8, row.op as u8, row.width));
    Ok(rows)
}

type Lanes = [Option<u64>; WARP];

/// The machine's accesses of one of `width` bytes: 16 at most.
fn parts(width: u32, addresses: Lanes) -> Vec<(u32, Lanes)> {
    let part = width.clamp(1, 16);
    (0..width.div_ceil(part))
        .map(|index| {
            let by = u64::from(index * part);
            (part, addresses.map(|lane| lane.map(|address| address + by)))
        })
        .collect()
}
