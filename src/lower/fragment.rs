//! `nvcuda::wmma` fragments: which bytes each lane moves in `load_matrix_sync` and
//! `store_matrix_sync`.
//!
//! Given the fragment's type and a pointer, gives plain loads and stores in counted loops, one
//! iteration a machine instruction.
//!
//! The vendor leaves the layout open; what stands here is what nvcc 13.0 makes for `sm_80`,
//! `sm_90` and `sm_100` alike (read off the machine code of every kind below); the costs of all
//! kinds at several pitches are recorded in `fixtures/measured/sm_90-h200-wmma.csv`, and a test
//! holds the patterns to them. Lane `4g + t` holds what it holds in `mma` (PTX ISA, "Matrix
//! Fragments for mma"): row `g`, columns from `t`.
//! From shared memory the 16-bit and 8-bit operands come by `ldmatrix` where the compiler sees the
//! space. That costs what the direct loads cost which are modelled here: in both, each 8 x 8
//! matrix (8 rows of 16 bytes) is taken by itself, a wavefront for each 128 bytes that meet no
//! conflict.
//!
//! Not known: sub-byte fragments, and architectures older than `sm_80`.

use std::sync::Arc;

use super::call::ArgumentLValue;
use super::context::Lower;
use super::groups::{SpecialValue, class_name};
use super::values::{LValue, Mem, Val, scalar_val};
use crate::ir::{Binary, ExprId, OpaqueOp, Path, Scalar, Stmt, Value};
use crate::sema::types::{self, Target, Type};
use crate::syntax::ast;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    A,
    B,
    Accumulator,
}

/// `fragment<use, m, n, k, element, layout>`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    role: Use,
    m: u32,
    n: u32,
    k: u32,
    /// As the type says it: `half`, `wmma::precision::tf32`, …
    element: String,
    /// Of `matrix_a` and `matrix_b`; a call says it for an accumulator.
    is_row_major: Option<bool>,
}

/// What a lane moves at once, counted over one warp: the places are
/// `(line(lane) + lines) * ldm + column(lane) + columns`, in elements.
///
/// A *line* is what lies contiguously in memory: a row of a row-major matrix, a column of a
/// column-major one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    /// Lines that one more of `lane / 4` and of `lane % 4` moves on.
    line: [u32; 2],
    /// Columns that one more of `lane / 4` and of `lane % 4` moves on.
    column: [u32; 2],
    /// Elements that a lane moves at once.
    vector: u32,
    /// Instructions, as counted loops: how many, and by how many lines and columns each moves on.
    repeats: Vec<(u32, u32, u32)>,
}

impl Fragment {
    /// Of `wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>`, as
    /// [`Type::display`] shows it.
    pub fn parse(text: &str) -> Option<Self> {
        let (class, rest) = text.split_once('<')?;
        if class_name(class) != "fragment" {
            return None;
        }
        let arguments: Vec<&str> = rest.strip_suffix('>')?.split(',').map(str::trim).collect();
        let bare = |text: &str| text.rsplit("::").next().unwrap_or(text).to_owned();
        let [role, m, n, k, element, layout @ ..] = arguments.as_slice() else {
            return None;
        };
        let is_row_major = match layout.first().map(|layout| bare(layout)).as_deref() {
            Some("row_major") => Some(true),
            Some("col_major") => Some(false),
            _ => None,
        };
        Some(Self {
            role: match bare(role).as_str() {
                "matrix_a" => Use::A,
                "matrix_b" => Use::B,
                "accumulator" => Use::Accumulator,
                _ => return None,
            },
            m: m.parse().ok()?,
            n: n.parse().ok()?,
            k: k.parse().ok()?,
            element: bare(element),
            is_row_major,
        })
    }

    /// The type of the elements that a lane holds in `x`.
    fn held(&self) -> Option<Type> {
        match self.element.as_str() {
            "tf32" => Some(Type::number(Scalar::F32)),
            name => types::by_display(name),
        }
    }

    /// How many elements a lane holds: its share of the matrix, twice over for `half` operands
    /// (`mma.hpp` of CUDA 13.0, the same for every architecture).
    fn count(&self) -> Option<u64> {
        let size = match self.role {
            Use::A => self.m * self.k,
            Use::B => self.n * self.k,
            Use::Accumulator => self.m * self.n,
        };
        match (self.role, self.element.as_str()) {
            (Use::A | Use::B, "half" | "__half") => Some(16),
            (_, "half" | "__half" | "float" | "double" | "int" | "tf32" | "__nv_bfloat16") => {
                Some(u64::from(size / 32))
            }
            (_, "char" | "signed char" | "unsigned char") => Some(u64::from(size / 32)),
            _ => None,
        }
    }

    /// How a warp moves the matrix whose elements have `bytes` bytes in memory.
    fn pattern(&self, bytes: u64, is_row_major: bool) -> Option<Pattern> {
        let shape = (self.m, self.n, self.k);
        let is_16 = matches!(shape, (16, 16, 16) | (32, 8, 16) | (8, 32, 16));
        // The side along `g` in `mma`, the other side, and whether the other side is contiguous.
        let (along, across, is_dense) = match self.role {
            Use::A => (self.m, self.k, is_row_major),
            Use::B => (self.n, self.k, !is_row_major),
            // 8 x 32 is computed as its transpose.
            Use::Accumulator if self.m < self.n => (self.n, self.m, !is_row_major),
            Use::Accumulator => (self.m, self.n, is_row_major),
        };
        match (self.role, bytes) {
            // 8 x 8 blocks of the matrix as it lies, turned in registers where need be.
            (_, 2) if is_16 => {
                let (lines, columns) = if is_dense {
                    (along, across)
                } else {
                    (across, along)
                };
                Some(Pattern {
                    line: [1, 0],
                    column: [0, 2],
                    vector: 2,
                    repeats: vec![(lines / 8, 8, 0), (columns / 8, 0, 8)],
                })
            }
            (Use::A | Use::B, 1) if is_16 && is_dense => Some(Pattern {
                line: [1, 0],
                column: [0, 4],
                vector: 4,
                repeats: vec![(along / 8, 8, 0), (1, 0, 0)],
            }),
            (Use::A | Use::B, 1) if is_16 => Some(Pattern {
                line: [0, 4],
                column: [1, 0],
                vector: 1,
                repeats: vec![(4, 1, 0), (along / 8, 0, 8)],
            }),
            (Use::A | Use::B, 4) if shape == (16, 16, 8) => {
                Some(Self::single(along, across, is_dense))
            }
            (Use::A | Use::B, 8) if shape == (8, 8, 4) => {
                Some(Self::single(along, across, is_dense))
            }
            (Use::Accumulator, 4) if is_16 || shape == (16, 16, 8) => {
                Some(Self::pairs(along, across, is_dense))
            }
            (Use::Accumulator, 8) if shape == (8, 8, 4) => {
                Some(Self::pairs(along, across, is_dense))
            }
            _ => None,
        }
    }

    /// One element a lane: `g` along, `t` across, in blocks of 8 x 4.
    fn single(along: u32, across: u32, is_dense: bool) -> Pattern {
        if is_dense {
            Pattern {
                line: [1, 0],
                column: [0, 1],
                vector: 1,
                repeats: vec![(along / 8, 8, 0), (across / 4, 0, 4)],
            }
        } else {
            Pattern {
                line: [0, 1],
                column: [1, 0],
                vector: 1,
                repeats: vec![(across / 4, 4, 0), (along / 8, 0, 8)],
            }
        }
    }

    /// Two neighbours across a lane, in blocks of 8 x 8; one after the other where they are not
    /// contiguous.
    fn pairs(along: u32, across: u32, is_dense: bool) -> Pattern {
        if is_dense {
            Pattern {
                line: [1, 0],
                column: [0, 2],
                vector: 2,
                repeats: vec![(along / 8, 8, 0), (across / 8, 0, 8)],
            }
        } else {
            Pattern {
                line: [0, 2],
                column: [1, 0],
                vector: 1,
                repeats: vec![(2, 1, 0), (across / 8, 8, 0), (along / 8, 0, 8)],
            }
        }
    }
}

impl Lower<'_> {
    /// `load_matrix_sync(fragment, pointer, ldm[, layout])`,
    /// `store_matrix_sync(pointer, fragment, ldm, layout)`, `fill_fragment`, `mma_sync`.
    pub fn fragment_call(
        &mut self,
        name: &str,
        places: &[ArgumentLValue],
        list: &[ast::Expr],
        range: ast::Range,
    ) -> Option<Val> {
        let (fragment, pointer, op) = match name {
            "load_matrix_sync" => (0, 1, OpaqueOp::Load),
            "store_matrix_sync" => (1, 0, OpaqueOp::Store),
            _ => return Some(Val::Void),
        };
        let mem = self.target(places, list, pointer)?;
        let pattern = places
            .get(fragment)
            .and_then(|(place, _)| fragment_of(place))
            .and_then(|fragment| {
                let layout = list.get(3).and_then(layout_of);
                fragment.pattern(mem.ty.size()?, layout.or(fragment.is_row_major)?)
            });
        let pitch = self.scalar_argument(places, 2);
        match (pattern, pitch) {
            (Some(pattern), Some(pitch)) => self.move_fragment(&pattern, &mem, pitch, op, range),
            _ => self.opaque_access(
                &mem,
                op,
                "which lane holds which element of a wmma fragment of this kind is not known",
                range,
            ),
        }
        Some(Val::Void)
    }

    /// Member `name` of a fragment of type `class`: its elements `x`, which are registers, and how
    /// many a lane holds.
    pub fn fragment_member(
        &mut self,
        class: &str,
        name: &str,
        range: ast::Range,
    ) -> Option<LValue> {
        if class_name(class) != "fragment" {
            return None;
        }
        let fragment = Fragment::parse(class);
        match name {
            "x" => {
                let count = fragment.as_ref().and_then(Fragment::count);
                let element = fragment
                    .and_then(|fragment| fragment.held())
                    .unwrap_or_else(|| Type::unknown(format!("an element of `{class}`")));
                let ty = Type::Array(Target::new(element), count);
                Some(LValue::Mem(self.local("fragment", &ty, Some(range))))
            }
            "num_elements" => {
                let count = i64::try_from(fragment?.count()?).ok()?;
                let id = self.arena.int(count, Scalar::I32);
                Some(LValue::Val(scalar_val(id, Scalar::I32)))
            }
            _ => None,
        }
    }

    fn move_fragment(
        &mut self,
        pattern: &Pattern,
        mem: &Mem,
        pitch: ExprId,
        op: OpaqueOp,
        range: ast::Range,
    ) {
        let ty = Scalar::U32;
        let constant = |this: &mut Self, value: u32| this.arena.int(i64::from(value), ty);
        let thread = self.linear_thread();
        let four = constant(self, 4);
        let warp = constant(self, 32);
        let lane = self.arena.binary(Binary::Rem, thread, warp, ty);
        let group = self.arena.binary(Binary::Div, lane, four, ty);
        let within = self.arena.binary(Binary::Rem, lane, four, ty);
        let place = |this: &mut Self, [by_group, by_within]: [u32; 2]| {
            let (by_group, by_within) = (constant(this, by_group), constant(this, by_within));
            let first = this.arena.binary(Binary::Mul, group, by_group, ty);
            let second = this.arena.binary(Binary::Mul, within, by_within, ty);
            let sum = this.arena.binary(Binary::Add, first, second, ty);
            this.arena.cast(sum, Scalar::I64)
        };
        let line = place(self, pattern.line);
        let column = place(self, pattern.column);
        let repeats: Vec<(u32, u32, u32)> = pattern
            .repeats
            .iter()
            .copied()
            .filter(|(count, ..)| *count > 1)
            .collect();
        let pitch = self.arena.cast(pitch, Scalar::I64);
        self.assume_pitch(pitch, mem.ty.size().unwrap_or(1), range);
        self.repeat_fragment(
            &repeats,
            (line, column),
            range,
            &mut |this, (line, column)| {
                let lines = this.arena.binary(Binary::Mul, line, pitch, Scalar::I64);
                let index = this.arena.binary(Binary::Add, lines, column, Scalar::I64);
                let size = mem.ty.size().unwrap_or(0);
                let pointer = this.arena.element(mem.pointer, index, size, false);
                let scalar = match size * u64::from(pattern.vector) {
                    1 => Scalar::U8,
                    2 => Scalar::U16,
                    4 => Scalar::U32,
                    bytes => Scalar::Bytes(bytes as u8),
                };
                match op {
                    OpaqueOp::Load => {
                        this.emit_load(mem, pointer, scalar, Path::Plain, range);
                    }
                    OpaqueOp::Store => {
                        let value = match scalar {
                            Scalar::Bytes(bytes) => {
                                let (size, span) = (u64::from(bytes), this.span(range));
                                let object = this.object_variable("", size, size, None);
                                let pointer = this.arena.address(crate::ir::Object::Local(object));
                                this.emit(Stmt::Opaque {
                                    variables: Vec::new(),
                                    pointers: vec![pointer],
                                    reason: Arc::from(HELD),
                                    span,
                                });
                                Value::Object(object)
                            }
                            scalar => Value::Scalar(this.havoc(HELD, scalar, range)),
                        };
                        this.emit_store(mem, pointer, value, scalar, Path::Plain, range);
                    }
                }
            },
        );
    }

    /// Lines start 16 bytes apart or a multiple of that, or the call is undefined (CUDA C++
    /// Programming Guide, "Warp Matrix Functions": `ldm`).
    fn assume_pitch(&mut self, pitch: ExprId, size: u64, range: ast::Range) {
        let Ok(step @ 2..) = i64::try_from(16 / size.clamp(1, 16)) else {
            return;
        };
        if self.arena.as_int(pitch).is_some() {
            return;
        }
        let step = self.arena.int(step, Scalar::I64);
        let zero = self.arena.int(0, Scalar::I64);
        let rest = self.arena.binary(Binary::Rem, pitch, step, Scalar::I64);
        let is_multiple = self.arena.binary(Binary::Eq, rest, zero, Scalar::Bool);
        let is_positive = self.arena.binary(Binary::Lt, zero, pitch, Scalar::Bool);
        let span = self.span(range);
        for condition in [is_multiple, is_positive] {
            self.emit(Stmt::Assume { condition, span });
        }
    }

    /// Runs `body` for every combination of the repeats, with line and column moved on.
    fn repeat_fragment(
        &mut self,
        repeats: &[(u32, u32, u32)],
        (line, column): (ExprId, ExprId),
        range: ast::Range,
        body: &mut dyn FnMut(&mut Self, (ExprId, ExprId)),
    ) {
        let Some(((count, lines, columns), rest)) = repeats.split_first() else {
            return body(self, (line, column));
        };
        self.counted_loop(u64::from(*count), range, &mut |this, at| {
            let mut moved = |from: ExprId, by: u32| {
                let by = this.arena.int(i64::from(by), Scalar::I64);
                let by = this.arena.binary(Binary::Mul, at, by, Scalar::I64);
                this.arena.binary(Binary::Add, from, by, Scalar::I64)
            };
            let next = (moved(line, *lines), moved(column, *columns));
            this.repeat_fragment(rest, next, range, body);
        });
    }
}

/// Why a value that a fragment holds is not known.
const HELD: &str = "a matrix fragment";

fn fragment_of(place: &LValue) -> Option<Fragment> {
    let ty = match place {
        LValue::Val(Val::SpecialValue(special @ SpecialValue::Opaque(_))) => special.ty(),
        LValue::Mem(mem) => mem.ty.clone(),
        _ => return None,
    };
    match ty {
        Type::Opaque(name) => Fragment::parse(&name),
        _ => None,
    }
}

/// `wmma::mem_row_major` or `wmma::mem_col_major`, as written.
fn layout_of(e: &ast::Expr) -> Option<bool> {
    let ast::ExprKind::Path(path) = &e.kind else {
        return None;
    };
    match &*path.segments.last()?.name {
        "mem_row_major" => Some(true),
        "mem_col_major" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::Arch;
    use crate::gpu::cost::{Op, Request, Space};

    fn instructions(text: &str, bytes: u64, is_row_major: bool) -> (u32, u32) {
        let fragment = Fragment::parse(text).unwrap();
        let pattern = fragment.pattern(bytes, is_row_major).unwrap();
        let count = pattern.repeats.iter().map(|(count, ..)| count).product();
        (count, pattern.vector * bytes as u32)
    }

    /// Number and width (bytes a lane) of the instructions that nvcc 13.0 makes for global memory.
    #[test]
    fn instructions_are_those_of_the_compiler() {
        for (text, bytes, row, column) in [
            (
                "wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>",
                2,
                (4, 4),
                (4, 4),
            ),
            (
                "wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major>",
                2,
                (2, 4),
                (2, 4),
            ),
            (
                "wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major>",
                1,
                (4, 4),
                (16, 1),
            ),
            (
                "wmma::fragment<wmma::matrix_b, 16, 16, 16, unsigned char, wmma::col_major>",
                1,
                (8, 1),
                (2, 4),
            ),
            (
                "wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>",
                4,
                (4, 4),
                (4, 4),
            ),
            (
                "wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major>",
                8,
                (1, 8),
                (1, 8),
            ),
            (
                "wmma::fragment<wmma::accumulator, 16, 16, 16, float>",
                4,
                (4, 8),
                (8, 4),
            ),
            (
                "wmma::fragment<wmma::accumulator, 8, 32, 16, int>",
                4,
                (8, 4),
                (4, 8),
            ),
            (
                "wmma::fragment<wmma::accumulator, 32, 8, 16, half>",
                2,
                (4, 4),
                (4, 4),
            ),
            (
                "wmma::fragment<wmma::accumulator, 8, 8, 4, double>",
                8,
                (1, 16),
                (2, 8),
            ),
        ] {
            assert_eq!(instructions(text, bytes, true), row, "{text}, by rows");
            assert_eq!(
                instructions(text, bytes, false),
                column,
                "{text}, by columns"
            );
        }
    }

    /// Line and column of lane 0 in each instruction.
    fn starts(pattern: &Pattern) -> Vec<(u32, u32)> {
        let mut starts = vec![(0, 0)];
        for (count, by_lines, by_columns) in &pattern.repeats {
            starts = starts
                .iter()
                .flat_map(|(line, column)| {
                    (0..*count).map(move |at| (line + at * by_lines, column + at * by_columns))
                })
                .collect();
        }
        starts
    }

    /// What a lane moves: its line and its first column.
    fn place(pattern: &Pattern, start: (u32, u32), lane: u32) -> (u32, u32) {
        let (group, within) = (lane / 4, lane % 4);
        (
            start.0 + group * pattern.line[0] + within * pattern.line[1],
            start.1 + group * pattern.column[0] + within * pattern.column[1],
        )
    }

    #[test]
    fn costs_are_those_of_the_gpu() {
        const MEASURED: &str = include_str!("../../fixtures/measured/sm_90-h200-wmma.csv");
        let mut count = 0;
        for row in MEASURED.lines().skip(2) {
            let cells: Vec<&str> = row.split(',').collect();
            let [kind, layout, bytes, space, op, pitch, measured] = cells[..] else {
                panic!("{row}");
            };
            let text = format!("wmma::fragment<{}>", kind.replacen(' ', ", ", 4));
            let fragment = Fragment::parse(&text).unwrap();
            let bytes: u32 = bytes.parse().unwrap();
            let pitch: u32 = pitch.parse().unwrap();
            let pattern = fragment
                .pattern(u64::from(bytes), layout == "row_major")
                .unwrap_or_else(|| panic!("{row}"));
            let mut cost = 0;
            for start in starts(&pattern) {
                let mut addresses = [None; 32];
                for (lane, address) in addresses.iter_mut().enumerate() {
                    let (line, column) = place(&pattern, start, lane as u32);
                    *address = Some(u64::from((line * pitch + column) * bytes));
                }
                let request = Request {
                    addresses,
                    width: pattern.vector * bytes,
                    space: if space == "shared" {
                        Space::Shared
                    } else {
                        Space::Global
                    },
                    op: if op == "load" { Op::Load } else { Op::Store },
                };
                cost += crate::gpu::cost::cost(&request, &Arch::DEFAULT).actual;
            }
            assert_eq!(cost.to_string(), measured, "{row}");
            count += 1;
        }
        assert!(count > 500, "{count} rows");
    }

    /// All lanes of all instructions together move each element of the matrix once.
    #[test]
    fn every_element_is_moved_once() {
        for (text, bytes, lines, columns) in [
            (
                "wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major>",
                2,
                32,
                16,
            ),
            (
                "wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::row_major>",
                1,
                16,
                32,
            ),
            (
                "wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>",
                4,
                8,
                16,
            ),
            (
                "wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major>",
                8,
                8,
                4,
            ),
            (
                "wmma::fragment<wmma::accumulator, 16, 16, 16, float>",
                4,
                16,
                16,
            ),
            (
                "wmma::fragment<wmma::accumulator, 8, 32, 16, float>",
                4,
                8,
                32,
            ),
        ] {
            let fragment = Fragment::parse(text).unwrap();
            let pattern = fragment.pattern(bytes, true).unwrap();
            let starts = starts(&pattern);
            let mut moved = vec![0; (lines * columns) as usize];
            for (line, column) in starts {
                for lane in 0..32 {
                    let (line, column) = place(&pattern, (line, column), lane);
                    for at in 0..pattern.vector {
                        moved[(line * columns + column + at) as usize] += 1;
                    }
                }
            }
            assert!(moved.iter().all(|count| *count == 1), "{text}: {moved:?}");
        }
    }
}
