//! Exchanges between the lanes of a warp, and read-modify-write operations.
//!
//! Given operand columns and the threads that take part, gives each thread's result.
//! Knows nothing of memory; a name that is not listed gives `None`.

use super::value::{Column, Mask, Values, binary, truth};
use crate::gpu::WARP;
use crate::ir::{Binary, Scalar};

/// `__shfl_xor_sync` and kin, by their CUDA names. A lane that reads from one that takes no
/// part gets poison without a reason.
pub(super) fn call(
    op: &str,
    arguments: &[(Column, Scalar)],
    active: &Mask,
    threads: usize,
) -> Option<Column> {
    let bare = op.trim_start_matches('_');
    let (name, has_mask) = match bare.strip_suffix("_sync") {
        Some(name) => (name, true),
        None => (bare, false),
    };
    if let Some(kind) = name.strip_prefix("syncthreads_") {
        return over_block(kind, arguments.first()?, active);
    }
    let operands = arguments.get(usize::from(has_mask && !arguments.is_empty())..)?;
    let mut result = Column::each(Vec::new());
    let mut values = vec![0; threads];
    for warp in 0..threads.div_ceil(WARP) {
        let lanes = active.warp(warp);
        for lane in (0..WARP).filter(|lane| lanes >> lane & 1 == 1) {
            let exchange = Exchange {
                name,
                operands,
                first: warp * WARP,
                lanes,
                lane,
            };
            match exchange.result()? {
                Ok(value) => values[warp * WARP + lane] = value,
                Err(why) => {
                    result.poison.set(warp * WARP + lane);
                    result.why = result.why.max(why);
                }
            }
        }
    }
    result.values = Values::Each(values.into());
    Some(result)
}

/// One lane's view of one exchange.
struct Exchange<'a> {
    name: &'a str,
    operands: &'a [(Column, Scalar)],
    /// Lane 0 of the warp.
    first: usize,
    /// Lanes that take part.
    lanes: u32,
    lane: usize,
}

impl Exchange<'_> {
    /// The value, or the reason why it is not known.
    fn result(&self) -> Option<Result<u64, u8>> {
        match self.name {
            "activemask" => Some(Ok(u64::from(self.lanes))),
            "shfl" | "shfl_up" | "shfl_down" | "shfl_xor" => self.shuffle(),
            "ballot" => Some(self.votes().map(u64::from)),
            "any" => Some(self.votes().map(|votes| u64::from(votes != 0))),
            "all" => Some(self.votes().map(|votes| u64::from(votes == self.lanes))),
            "match_any" => self.matching(),
            _ => self.reduction(),
        }
    }

    fn operand(&self, index: usize, lane: usize) -> Option<Result<u64, u8>> {
        let (column, _) = self.operands.get(index)?;
        let thread = self.first + lane;
        Some(if column.is_poison(thread) {
            Err(column.why)
        } else {
            Ok(column.get(thread))
        })
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let lanes = self.lanes;
        (0..WARP).filter(move |lane| lanes >> lane & 1 == 1)
    }

    fn shuffle(&self) -> Option<Result<u64, u8>> {
        let amount = match self.operand(1, self.lane)? {
            Ok(amount) => amount as u32 as usize,
            Err(why) => return Some(Err(why)),
        };
        let width = match self.operand(2, self.lane) {
            Some(Ok(width)) => (width as usize).clamp(1, WARP),
            _ => WARP,
        };
        let start = self.lane / width * width;
        let source = match self.name {
            "shfl" => Some(start + amount % width),
            "shfl_up" => self
                .lane
                .checked_sub(amount)
                .filter(|source| *source >= start),
            "shfl_down" => {
                Some(self.lane.saturating_add(amount)).filter(|source| *source < start + width)
            }
            _ => Some(self.lane ^ amount).filter(|source| *source < start + width),
        };
        // Outside of its part of the warp a lane keeps its own value.
        let source = source.unwrap_or(self.lane);
        if self.lanes >> source & 1 == 0 {
            return Some(Err(0));
        }
        self.operand(0, source)
    }

    fn votes(&self) -> Result<u32, u8> {
        let ty = self.operands.first().map_or(Scalar::I32, |(_, ty)| *ty);
        let mut votes = 0;
        for lane in self.others() {
            if truth(self.operand(0, lane).unwrap_or(Ok(0))?, ty) {
                votes |= 1 << lane;
            }
        }
        Ok(votes)
    }

    fn matching(&self) -> Option<Result<u64, u8>> {
        let mine = self.operand(0, self.lane)?;
        let same = self
            .others()
            .filter(|lane| self.operand(0, *lane) == Some(mine));
        let mask = same.fold(0_u64, |mask, lane| mask | 1 << lane);
        Some(mine.map(|_| mask))
    }

    fn reduction(&self) -> Option<Result<u64, u8>> {
        let op = operation(self.name.strip_prefix("reduce_")?)?;
        let (_, ty) = *self.operands.first()?;
        let mut total: Option<u64> = None;
        for lane in self.others() {
            let value = match self.operand(0, lane)? {
                Ok(value) => value,
                Err(why) => return Some(Err(why)),
            };
            total = match total {
                None => Some(value),
                Some(total) => binary(op, total, value, ty),
            };
        }
        total.map(Ok)
    }
}

fn over_block(kind: &str, (column, ty): &(Column, Scalar), active: &Mask) -> Option<Column> {
    if !column.poison.and(*active).is_empty() {
        return Some(Column::poison(*active, column.why));
    }
    let votes = active
        .iter()
        .filter(|thread| truth(column.get(*thread), *ty))
        .count() as u64;
    Some(Column::uniform(match kind {
        "count" => votes,
        "and" => u64::from(votes == u64::from(active.count())),
        "or" => u64::from(votes > 0),
        _ => return None,
    }))
}

fn operation(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "min" => Binary::Min,
        "max" => Binary::Max,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        _ => return None,
    })
}

/// The value that an atomic leaves behind, `None` for an operation that is not listed.
pub(super) fn atomic(op: &str, old: u64, operands: &[u64], ty: Scalar) -> Option<u64> {
    let name = op.strip_prefix("atomic").unwrap_or(op);
    let name = name
        .split('_')
        .find(|part| !part.is_empty())?
        .to_ascii_lowercase();
    let first = *operands.first()?;
    match name.as_str() {
        "exch" => Some(first),
        "cas" => operands
            .get(1)
            .map(|new| if old == first { *new } else { old }),
        "inc" => Some(if old >= first { 0 } else { old + 1 }),
        "dec" => Some(if old == 0 || old > first {
            first
        } else {
            old - 1
        }),
        name => binary(operation(name)?, old, first, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> Column {
        Column::each((0..32).map(f).collect())
    }

    fn shuffle(name: &str, amount: u64, active: &Mask) -> Vec<Option<u64>> {
        let arguments = [
            lanes(|_| u64::from(u32::MAX)),
            lanes(|lane| 100 + lane),
            Column::uniform(amount),
        ];
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|column| (column, Scalar::I32))
            .collect();
        let result = call(name, &arguments, active, 32).expect("it is known");
        (0..32)
            .map(|lane| (!result.is_poison(lane)).then(|| result.get(lane)))
            .collect()
    }

    #[test]
    fn shuffles() {
        let all = Mask::first(32);
        assert_eq!(
            shuffle("__shfl_xor_sync", 1, &all)[..3],
            [Some(101), Some(100), Some(103)]
        );
        assert_eq!(
            shuffle("__shfl_down_sync", 16, &all)[15..18],
            [Some(131), Some(116), Some(117)]
        );
        assert_eq!(
            shuffle("__shfl_up_sync", 2, &all)[..3],
            [Some(100), Some(101), Some(100)]
        );
        assert_eq!(shuffle("__shfl_sync", 5, &all)[..2], [Some(105), Some(105)]);
        assert_eq!(shuffle("__shfl_xor_sync", 16, &Mask::first(16))[0], None);
    }

    #[test]
    fn votes_and_reductions() {
        let half = Mask::first(16);
        let run = |name: &str, column: Column| {
            let arguments = [(Column::uniform(0), Scalar::U32), (column, Scalar::U32)];
            call(name, &arguments, &half, 32).map(|column| column.get(3))
        };
        assert_eq!(run("__ballot_sync", lanes(|lane| lane % 2)), Some(0xAAAA));
        assert_eq!(
            run("__any_sync", lanes(|lane| u64::from(lane == 20))),
            Some(0)
        );
        assert_eq!(
            run("__all_sync", lanes(|lane| u64::from(lane < 16))),
            Some(1)
        );
        assert_eq!(run("__match_any_sync", lanes(|lane| lane / 4)), Some(0xF));
        assert_eq!(run("__reduce_add_sync", lanes(|lane| lane)), Some(120));
        assert_eq!(run("__activemask", lanes(|lane| lane)), Some(0xFFFF));
        assert_eq!(run("__no_such_sync", lanes(|lane| lane)), None);
    }

    #[test]
    fn atomics() {
        let run = |op: &str, old: u64, operands: &[u64]| atomic(op, old, operands, Scalar::U32);
        assert_eq!(run("atomicAdd", 3, &[4]), Some(7));
        assert_eq!(run("atomicMax_block", 3, &[4]), Some(4));
        assert_eq!(run("atomicCAS", 3, &[3, 9]), Some(9));
        assert_eq!(run("atomicInc", 3, &[3]), Some(0));
        assert_eq!(run("atomicDec", 0, &[5]), Some(5));
        assert_eq!(run("atomicFrobnicate", 0, &[5]), None);
    }
}
