//! What thread indices look like to one warp of a block of a given shape.
//!
//! Given a launch, gives terms for threadIdx, blockIdx, blockDim and gridDim in
//! which the lane is one symbol and everything that the lanes of a warp share is
//! another: for a block of 32 x 8 threads `threadIdx.y` is uniform, for 16 x 16 it
//! is `lane / 16 + 2 * warp`. Covers every warp of the block, the partial last
//! one through a guard. Knows nothing of kernels or memory.

use super::assumption::Assumption;
use crate::ir::{Axis, BuiltinValue, Launch};
use crate::term::{Domain, Op, Sharing, SymbolId, SymbolOrigin, Term, TermId, Terms};

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

impl Shape {
    pub fn new(terms: &mut Terms, launch: &Launch, max_threads: Option<u32>) -> Self {
        let mut assumptions = Vec::new();
        let lane = terms.new_symbol("lane", Sharing::Lane, Domain::range(0, 31));
        let Term::Symbol(lane_symbol) = *terms.term(lane) else {
            unreachable!("a symbol of 32 values is no constant")
        };
        let dims = [0, 1, 2].map(|axis: usize| {
            launch.block[axis]
                .known()
                .and_then(|n| i64::try_from(n).ok())
                .filter(|n| (1..=MAX_BLOCK[axis]).contains(n))
        });
        let most = max_threads.map_or(MAX_THREADS, |n| i64::from(n).clamp(1, MAX_THREADS));
        let mut exists = None;
        let names = ["x", "y", "z"];
        let uniform = |terms: &mut Terms, origin, name: String, low: i64, high: i64| {
            terms.new_symbol_of(origin, name, Sharing::Uniform, Domain::range(low, high))
        };

        let one = terms.int(1);
        let mut whole_warps = None;
        let mut block_dim = [lane; 3];
        for axis in 0..3 {
            block_dim[axis] = match dims[axis] {
                Some(n) => terms.int(n),
                None if axis == 0 => {
                    assumptions.push(Assumption::Multiple {
                        symbol: "blockDim.x",
                        of: 32,
                    });
                    let q = uniform(
                        terms,
                        SymbolOrigin::Dimension,
                        "blockDim.x / 32".to_owned(),
                        1,
                        (most / 32).max(1),
                    );
                    let warp = terms.int(32);
                    whole_warps = Some(q);
                    terms.mul(q, warp)
                }
                None => {
                    let high = MAX_BLOCK[axis].min(most);
                    uniform(
                        terms,
                        SymbolOrigin::Dimension,
                        format!("blockDim.{}", names[axis]),
                        1,
                        high,
                    )
                }
            };
        }

        let count = |dim: Option<i64>, axis: usize| dim.unwrap_or(MAX_BLOCK[axis].min(most));
        let first_of_warp = terms.symbol_count() as u32;
        // Of each axis how many threads there are at least, where a lane of the warp exists.
        let mut reached = None;
        // Indices and what they are below of.
        let mut below: Vec<(TermId, TermId)> = Vec::new();
        let thread = match dims[0] {
            Some(x) if x % 32 != 0 => {
                let (y, z) = (dims[1], dims[2]);
                let rows = if 32 % x == 0 { 32 / x } else { 0 };
                if rows > 0 && y.is_none_or(|y| y % rows == 0) {
                    if y.is_none() {
                        assumptions.push(Assumption::Multiple {
                            symbol: "blockDim.y",
                            of: rows,
                        });
                    }
                    let width = terms.int(x);
                    let tx = terms.binary(Op::Rem, lane, width);
                    let row = terms.binary(Op::Div, lane, width);
                    let groups = (count(y, 1) / rows).max(1);
                    let group =
                        uniform(terms, SymbolOrigin::Warp, "warp".to_owned(), 0, groups - 1);
                    let rows = terms.int(rows);
                    let first = terms.mul(group, rows);
                    let ty = terms.add(first, row);
                    let tz = uniform(
                        terms,
                        SymbolOrigin::ThreadIndex,
                        "threadIdx.z".to_owned(),
                        0,
                        count(z, 2) - 1,
                    );
                    let (rows, layers) = (terms.add(first, rows), terms.add(tz, one));
                    below.push((tz, block_dim[2]));
                    reached = Some([width, rows, layers]);
                    [tx, ty, tz]
                } else {
                    // What is not known of the shape stays open.
                    let most = y.zip(z).map_or(MAX_THREADS, |(y, z)| x * y * z);
                    let warps = (most.min(MAX_THREADS) + 31) / 32;
                    let warp = uniform(terms, SymbolOrigin::Warp, "warp".to_owned(), 0, warps - 1);
                    let size = terms.int(32);
                    let first = terms.mul(warp, size);
                    let rank = terms.add(first, lane);
                    let [width, height, depth] = block_dim;
                    let layer = terms.mul(width, height);
                    let end = terms.mul(layer, depth);
                    if terms.constant(end).is_none_or(|end| end % 32 != 0) {
                        exists = Some(terms.binary(Op::Lt, rank, end));
                    }
                    let (y, z) = (y.unwrap_or(MAX_THREADS), z.unwrap_or(MAX_THREADS));
                    let tx = if y * z == 1 {
                        rank
                    } else {
                        terms.binary(Op::Rem, rank, width)
                    };
                    let row = terms.binary(Op::Div, rank, width);
                    let ty = match (y, z) {
                        (1, _) => terms.int(0),
                        (_, 1) => row,
                        _ => terms.binary(Op::Rem, row, height),
                    };
                    let tz = if z == 1 {
                        terms.int(0)
                    } else {
                        terms.binary(Op::Div, row, height)
                    };
                    [tx, ty, tz]
                }
            }
            x => {
                let warps = (count(x, 0) / 32).max(1);
                let warp = uniform(
                    terms,
                    SymbolOrigin::ThreadIndex,
                    "threadIdx.x / 32".to_owned(),
                    0,
                    warps - 1,
                );
                let size = terms.int(32);
                let first = terms.mul(warp, size);
                let tx = terms.add(first, lane);
                let ty = uniform(
                    terms,
                    SymbolOrigin::ThreadIndex,
                    "threadIdx.y".to_owned(),
                    0,
                    count(dims[1], 1) - 1,
                );
                let tz = uniform(
                    terms,
                    SymbolOrigin::ThreadIndex,
                    "threadIdx.z".to_owned(),
                    0,
                    count(dims[2], 2) - 1,
                );
                below.extend(whole_warps.map(|all| (warp, all)));
                below.extend([(ty, block_dim[1]), (tz, block_dim[2])]);
                let (columns, size) = (terms.add(warp, one), size);
                reached = Some([
                    terms.mul(columns, size),
                    terms.add(ty, one),
                    terms.add(tz, one),
                ]);
                [tx, ty, tz]
            }
        };

        let is_known = dims.iter().copied().collect::<Option<Vec<i64>>>();
        let warps = is_known
            .filter(|dims| dims.iter().product::<i64>() <= MAX_THREADS)
            .map(|_| (first_of_warp..terms.symbol_count() as u32).map(SymbolId))
            .map(Iterator::collect);

        let mut block = [lane; 3];
        let mut grid_dim = [lane; 3];
        for axis in 0..3 {
            let known = launch.grid[axis]
                .known()
                .and_then(|n| i64::try_from(n).ok())
                .filter(|n| (1..=MAX_GRID[axis]).contains(n));
            grid_dim[axis] = match known {
                Some(n) => terms.int(n),
                None => uniform(
                    terms,
                    SymbolOrigin::Dimension,
                    format!("gridDim.{}", names[axis]),
                    1,
                    MAX_GRID[axis],
                ),
            };
            let high = known.unwrap_or(MAX_GRID[axis]) - 1;
            block[axis] = uniform(
                terms,
                SymbolOrigin::BlockIndex,
                format!("blockIdx.{}", names[axis]),
                0,
                high,
            );
            below.push((block[axis], grid_dim[axis]));
        }
        let mut facts = Vec::new();
        if let Some(reached) = reached {
            sizes(terms, dims, block_dim, reached, most, &mut facts);
        }
        for (index, dimension) in below {
            let fact = terms.binary(Op::Lt, index, dimension);
            if terms.constant(fact).is_some() {
                continue;
            }
            facts.push(fact);
            if let (Term::Symbol(less), Term::Symbol(greater)) =
                (terms.term(index), terms.term(dimension))
            {
                let (less, greater) = (*less, *greater);
                terms.state_order(less, greater);
            }
        }
        Self {
            lane: lane_symbol,
            thread,
            block,
            block_dim,
            grid_dim,
            warps,
            exists,
            facts,
            assumptions,
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
