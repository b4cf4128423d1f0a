//! Thread indices as one warp of a block of a given shape sees them.
//!
//! Given a launch, gives terms for threadIdx, blockIdx, blockDim and gridDim in
//! which the lane is one symbol and everything that the lanes of a warp share is
//! another: for a block of 32 x 8 threads `threadIdx.y` is uniform, for 16 x 16 it
//! is `lane / 16 + 2 * warp`. Covers every warp of the block, the partial last
//! one through a guard. Knows nothing of kernels or memory.

use super::assumption::Assumption;
use crate::ir::{Axis, BuiltinValue, Launch};
use crate::term::{Domain, Op, Sharing, SymbolId, SymbolOrigin, Term, TermId, Terms};
use std::sync::Arc;

/// Most threads of a block, on every architecture since compute capability 2.0
/// (CUDA C++ Programming Guide, technical specifications per compute capability).
const MAX_THREADS: i64 = 1024;
/// Most blocks along x; along y and z (same table).
const MAX_GRID: [i64; 3] = [(1 << 31) - 1, 65535, 65535];
/// Most threads along each axis (same table).
const MAX_BLOCK: [i64; 3] = [1024, 1024, 64];

/// The built-in values of one launch as terms.
#[derive(Debug)]
pub struct Shape {
    pub lane: SymbolId,
    thread: [TermId; 3],
    block: [TermId; 3],
    block_dim: [TermId; 3],
    grid_dim: [TermId; 3],
    /// The symbols that together number the block's warps, where its shape is known.
    pub warps: Option<Vec<SymbolId>>,
    /// Holds for lanes that exist: set where the last warp is partial.
    pub exists: Option<TermId>,
    /// Facts about the built-in values in any launch, beyond the domain of each.
    pub facts: Vec<TermId>,
    pub assumptions: Vec<Assumption>,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const AXIS_X: &str = "blockDim.x";

/// A shape while it is made.
struct Draft<'t> {
    terms: &'t mut Terms,
    lane: TermId,
    one: TermId,
    /// Threads along each axis, where they are known.
    known: [Option<i64>; 3],
    /// Most threads of a block.
    most: i64,
    block_dim: [TermId; 3],
    /// The whole warps of a row of unknown length.
    whole_warps: Option<TermId>,
    exists: Option<TermId>,
    /// Of each axis how many threads there are at least, where a lane of the warp exists.
    reached: Option<[TermId; 3]>,
    /// Indices and what they are below of.
    below: Vec<(TermId, TermId)>,
    assumptions: Vec<Assumption>,
}

impl Draft<'_> {
    /// A symbol that the lanes share.
    fn shared(
        &mut self,
        origin: SymbolOrigin,
        name: impl Into<Arc<str>>,
        range: (i64, i64),
    ) -> TermId {
        let domain = Domain::range(range.0, range.1);
        self.terms
            .new_symbol_of(origin, name, Sharing::Uniform, domain)
    }

    /// Threads along an axis; as many as there may be, where that is not known.
    fn count(&self, axis: usize) -> i64 {
        self.known[axis].unwrap_or(MAX_BLOCK[axis].min(self.most))
    }

    /// The size of the block. A row of unknown length is taken to be whole warps; where the bound
    /// on the block leaves less than a warp to it, to be as long as it may be.
    fn state_size(&mut self) {
        if self.known[0].is_none() {
            let rows = self.known[1].unwrap_or(1) * self.known[2].unwrap_or(1);
            let longest = (self.most / rows).max(1);
            if longest < 32 {
                self.assumptions.push(Assumption::Multiple {
                    symbol: AXIS_X,
                    of: longest,
                });
                self.known[0] = Some(longest);
            }
        }
        // Where no block has two threads along an axis, it has one.
        let others =
            |known: &[Option<i64>; 3]| known.iter().map(|n| n.unwrap_or(1)).product::<i64>();
        for axis in 1..3 {
            if self.known[axis].is_none() && 2 * others(&self.known) > self.most {
                self.known[axis] = Some(1);
            }
        }
        for (axis, name) in AXES.into_iter().enumerate() {
            self.block_dim[axis] = match self.known[axis] {
                Some(n) => self.terms.int(n),
                None if axis == 0 => {
                    self.assumptions.push(Assumption::Multiple {
                        symbol: AXIS_X,
                        of: 32,
                    });
                    let most = (self.most / 32).max(1);
                    let warps = self.shared(SymbolOrigin::Dimension, "blockDim.x / 32", (1, most));
                    let size = self.terms.int(32);
                    self.whole_warps = Some(warps);
                    self.terms.mul(warps, size)
                }
                None => {
                    let name = format!("blockDim.{name}");
                    self.shared(SymbolOrigin::Dimension, name, (1, self.count(axis)))
                }
            };
        }
    }

    fn thread_index(&mut self, axis: usize) -> TermId {
        let name = format!("threadIdx.{}", AXES[axis]);
        let last = self.count(axis) - 1;
        let axis = [Axis::X, Axis::Y, Axis::Z][axis];
        self.shared(SymbolOrigin::ThreadIndex(axis), name, (0, last))
    }

    /// The thread's indices, by what a warp is of the block: a part of a row, some whole rows, or neither.
    fn thread(&mut self) -> [TermId; 3] {
        match self.known[0] {
            Some(x) if x % 32 != 0 => {
                let rows = if 32 % x == 0 { 32 / x } else { 0 };
                let fits = x * rows <= self.most;
                if rows > 0 && fits && self.known[1].is_none_or(|y| y % rows == 0) {
                    self.by_rows(x, rows)
                } else {
                    self.by_rank(x)
                }
            }
            _ => self.by_part_of_row(),
        }
    }

    /// A warp is `rows` rows of `x` threads.
    fn by_rows(&mut self, x: i64, rows: i64) -> [TermId; 3] {
        if self.known[1].is_none() {
            self.assumptions.push(Assumption::Multiple {
                symbol: "blockDim.y",
                of: rows,
            });
        }
        let width = self.terms.int(x);
        let tx = self.terms.binary(Op::Rem, self.lane, width);
        let row = self.terms.binary(Op::Div, self.lane, width);
        let groups = (self.count(1) / rows).max(1);
        let group = self.shared(SymbolOrigin::Warp, "warp", (0, groups - 1));
        let rows = self.terms.int(rows);
        let first = self.terms.mul(group, rows);
        let ty = self.terms.add(first, row);
        let tz = self.thread_index(2);
        let (rows, layers) = (self.terms.add(first, rows), self.terms.add(tz, self.one));
        self.below.push((tz, self.block_dim[2]));
        self.reached = Some([width, rows, layers]);
        [tx, ty, tz]
    }

    /// Rows of `x` threads end inside of warps: indices come from the thread's number in its block.
    fn by_rank(&mut self, x: i64) -> [TermId; 3] {
        let (y, z) = (self.known[1], self.known[2]);
        // What is not known of the shape stays open.
        let most = y.zip(z).map_or(self.most, |(y, z)| x * y * z);
        let warps = (most.min(MAX_THREADS) + 31) / 32;
        let warp = self.shared(SymbolOrigin::Warp, "warp", (0, warps - 1));
        let size = self.terms.int(32);
        let first = self.terms.mul(warp, size);
        let rank = self.terms.add(first, self.lane);
        let [width, height, depth] = self.block_dim;
        let layer = self.terms.mul(width, height);
        let end = self.terms.mul(layer, depth);
        if self.terms.constant(end).is_none_or(|end| end % 32 != 0) {
            self.exists = Some(self.terms.binary(Op::Lt, rank, end));
        }
        let (y, z) = (y.unwrap_or(MAX_THREADS), z.unwrap_or(MAX_THREADS));
        let tx = if y * z == 1 {
            rank
        } else {
            self.terms.binary(Op::Rem, rank, width)
        };
        let row = self.terms.binary(Op::Div, rank, width);
        let ty = match (y, z) {
            (1, _) => self.terms.int(0),
            (_, 1) => row,
            _ => self.terms.binary(Op::Rem, row, height),
        };
        let tz = if z == 1 {
            self.terms.int(0)
        } else {
            self.terms.binary(Op::Div, row, height)
        };
        [tx, ty, tz]
    }

    /// A row is whole warps.
    fn by_part_of_row(&mut self) -> [TermId; 3] {
        let warps = (self.count(0) / 32).max(1);
        let warp = self.shared(
            SymbolOrigin::ThreadIndex(Axis::X),
            "threadIdx.x / 32",
            (0, warps - 1),
        );
        let size = self.terms.int(32);
        let first = self.terms.mul(warp, size);
        let tx = self.terms.add(first, self.lane);
        let (ty, tz) = (self.thread_index(1), self.thread_index(2));
        self.below.extend(self.whole_warps.map(|all| (warp, all)));
        let [_, height, depth] = self.block_dim;
        self.below.extend([(ty, height), (tz, depth)]);
        let columns = self.terms.add(warp, self.one);
        self.reached = Some([
            self.terms.mul(columns, size),
            self.terms.add(ty, self.one),
            self.terms.add(tz, self.one),
        ]);
        [tx, ty, tz]
    }

    /// The block's indices and the size of the grid.
    fn grid(&mut self, launch: &Launch) -> ([TermId; 3], [TermId; 3]) {
        let (mut block, mut grid_dim) = ([self.lane; 3], [self.lane; 3]);
        for axis in 0..3 {
            let known = known_size(launch.grid[axis].known(), MAX_GRID[axis]);
            grid_dim[axis] = match known {
                Some(n) => self.terms.int(n),
                None => {
                    let name = format!("gridDim.{}", AXES[axis]);
                    self.shared(SymbolOrigin::Dimension, name, (1, MAX_GRID[axis]))
                }
            };
            let last = known.unwrap_or(MAX_GRID[axis]) - 1;
            let name = format!("blockIdx.{}", AXES[axis]);
            block[axis] = self.shared(SymbolOrigin::BlockIndex, name, (0, last));
            self.below.push((block[axis], grid_dim[axis]));
        }
        (block, grid_dim)
    }

    /// What holds of the built-in values in any launch, beyond the domain of each.
    fn facts(&mut self) -> Vec<TermId> {
        let mut facts = Vec::new();
        if let Some(reached) = self.reached {
            sizes(
                self.terms,
                self.known,
                self.block_dim,
                reached,
                self.most,
                &mut facts,
            );
        }
        for (index, dimension) in std::mem::take(&mut self.below) {
            let fact = self.terms.binary(Op::Lt, index, dimension);
            if self.terms.constant(fact).is_some() {
                continue;
            }
            facts.push(fact);
            if let (Term::Symbol(less), Term::Symbol(greater)) =
                (self.terms.term(index), self.terms.term(dimension))
            {
                let (less, greater) = (*less, *greater);
                self.terms.state_order(less, greater);
            }
        }
        facts
    }
}

/// A size along an axis, where it is known and there may be so many.
fn known_size(size: Option<u64>, most: i64) -> Option<i64> {
    let size = i64::try_from(size?).ok()?;
    (1..=most).contains(&size).then_some(size)
}

impl Shape {
    pub fn new(terms: &mut Terms, launch: &Launch, max_threads: Option<u32>) -> Self {
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let Term::Symbol(lane_symbol) = *terms.term(lane) else {
            unreachable!("a symbol of 32 values is no constant")
        };
        let known =
            [0, 1, 2].map(|axis: usize| known_size(launch.block[axis].known(), MAX_BLOCK[axis]));
        let one = terms.int(1);
        let mut draft = Draft {
            terms,
            lane,
            one,
            known,
            most: max_threads.map_or(MAX_THREADS, |n| i64::from(n).clamp(1, MAX_THREADS)),
            block_dim: [lane; 3],
            whole_warps: None,
            exists: None,
            reached: None,
            below: Vec::new(),
            assumptions: Vec::new(),
        };
        draft.state_size();
        let first_of_warp = draft.terms.symbol_count() as u32;
        let thread = draft.thread();
        let past_warp = draft.terms.symbol_count() as u32;
        let threads = draft.known.iter().copied().collect::<Option<Vec<i64>>>();
        let warps = threads
            .filter(|threads| threads.iter().product::<i64>() <= MAX_THREADS)
            .map(|_| (first_of_warp..past_warp).map(SymbolId).collect());
        let (block, grid_dim) = draft.grid(launch);
        let facts = draft.facts();
        Self {
            lane: lane_symbol,
            thread,
            block,
            block_dim: draft.block_dim,
            grid_dim,
            warps,
            exists: draft.exists,
            facts,
            assumptions: draft.assumptions,
        }
    }

    #[must_use]
    pub fn builtin(&self, value: BuiltinValue) -> TermId {
        let at = |axis: Axis| match axis {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        };
        match value {
            BuiltinValue::ThreadIdx(axis) => self.thread[at(axis)],
            BuiltinValue::BlockIdx(axis) => self.block[at(axis)],
            BuiltinValue::BlockDim(axis) => self.block_dim[at(axis)],
            BuiltinValue::GridDim(axis) => self.grid_dim[at(axis)],
        }
    }
}

/// Facts about axes of unknown size: for each choice between the size of an axis and its part up to a thread
/// (`reached`), the product is at most `most`, the number of threads of a block.
fn sizes(
    terms: &mut Terms,
    known: [Option<i64>; 3],
    block_dim: [TermId; 3],
    reached: [TermId; 3],
    most: i64,
    facts: &mut Vec<TermId>,
) {
    let one = terms.int(1);
    let most_term = terms.int(most);
    let of = |axis: usize| match known[axis] {
        Some(_) => vec![block_dim[axis]],
        None => vec![one, reached[axis], block_dim[axis]],
    };
    for x in of(0) {
        for y in of(1) {
            for z in of(2) {
                let plane = terms.mul(x, y);
                let all = terms.mul(plane, z);
                let fact = terms.binary(Op::Le, all, most_term);
                if terms.constant(fact).is_none() {
                    facts.push(fact);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Dimension, LaunchSource};

    /// What is taken for granted of a block of `known` threads where a row's length is open, and how many threads
    /// such a row has where that is one number.
    #[track_caller]
    fn check(known: [Option<u64>; 3], bound: Option<u32>, expected: (&str, Option<i64>)) {
        let open = || Dimension::Unknown("b".into());
        let launch = Launch {
            grid: [open(), open(), open()],
            block: known.map(|n| n.map_or_else(open, Dimension::Const)),
            dynamic_shared: None,
            arguments: Vec::new(),
            moved: Vec::new(),
            source: LaunchSource::Assumed,
            span: None,
        };
        let mut terms = Terms::default();
        let shape = Shape::new(&mut terms, &launch, bound);
        let said: Vec<_> = shape.assumptions.iter().map(ToString::to_string).collect();
        let row = terms.constant(shape.block_dim[0]);
        assert_eq!((&*said.join("; "), row), expected);
    }

    #[test]
    fn a_row_of_unknown_length_fits_the_block() {
        let whole = ("blockDim.x is a multiple of 32", None);
        check([None; 3], None, whole);
        check(
            [None; 3],
            Some(32),
            ("blockDim.x is a multiple of 32", Some(32)),
        );
        check([None, Some(32), Some(1)], None, whole);
        check(
            [None; 3],
            Some(16),
            ("blockDim.x is a multiple of 16", Some(16)),
        );
        check([Some(8), None, None], Some(16), ("", Some(8)));
        check(
            [Some(8), None, None],
            Some(32),
            ("blockDim.y is a multiple of 4", Some(8)),
        );
        check(
            [None, Some(64), Some(1)],
            None,
            ("blockDim.x is a multiple of 16", Some(16)),
        );
    }
}
