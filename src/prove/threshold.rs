//! A comparison that lanes decide by numbers of their own and a value that they share.
//!
//! Given `shared + lanes[i] op 0` and the bounds of `shared`, gives the lanes that it can hold for.

use super::poly::LANES;
use crate::term::Op;

/// `shared + lanes[i] op 0`, for an `op` that compares.
#[derive(Clone, Debug)]
pub struct Threshold {
    pub op: Op,
    pub lanes: [i64; LANES],
    /// Least and greatest value of the shared part.
    pub shared: (i64, i64),
}

impl Threshold {
    /// Whether it can hold for all lanes at once.
    #[must_use]
    pub fn may_hold_for_all(&self) -> bool {
        let (low, high) = self.shared;
        let most = self.lanes.iter().copied().max().unwrap_or(0);
        match self.op {
            Op::Ne => true,
            Op::Eq => self.lanes.iter().all(|value| *value == most),
            _ => low <= high && most.saturating_add(low) < self.bound(),
        }
    }

    /// The bound that a sum has to stay below.
    fn bound(&self) -> i64 {
        i64::from(self.op == Op::Le)
    }

    /// The masks that it can give as the shared part varies.
    #[must_use]
    pub fn masks(&self) -> Vec<u32> {
        let lanes = &self.lanes;
        let (low, high) = self.shared;
        let mut values: Vec<i64> = lanes.to_vec();
        values.sort_unstable();
        values.dedup();
        let equal: Vec<u32> = values
            .iter()
            .map(|value| mask_of(lanes, |lane| lane == *value))
            .collect();
        if matches!(self.op, Op::Eq | Op::Ne) {
            // No two of these are equal; where one value is all lanes', the last one is none or all.
            let is_equal = self.op == Op::Eq;
            let mut masks: Vec<u32> = equal
                .iter()
                .map(|mask| if is_equal { *mask } else { !mask })
                .collect();
            masks.push(if is_equal { 0 } else { u32::MAX });
            return masks;
        }
        // The lanes whose values are among the `n` smallest.
        let mut below = vec![0_u32];
        for mask in equal {
            below.push(below[below.len() - 1] | mask);
        }
        let mut masks = Vec::with_capacity(below.len());
        let mut is_known = [false; LANES + 1];
        // The mask changes only where the shared part passes the negative of a lane's value.
        for value in &values {
            for shared in [-value - 1, -value, 1 - value, low, high] {
                if !(low..=high).contains(&shared) {
                    continue;
                }
                let count =
                    values.partition_point(|lane| lane.saturating_add(shared) < self.bound());
                if !std::mem::replace(&mut is_known[count], true) {
                    masks.push(below[count]);
                }
            }
        }
        masks
    }
}

fn mask_of(lanes: &[i64; LANES], test: impl Fn(i64) -> bool) -> u32 {
    lanes
        .iter()
        .enumerate()
        .filter(|(_, value)| test(**value))
        .fold(0, |mask, (lane, _)| mask | 1 << lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holding_for_all_lanes_is_one_of_the_masks() {
        let shapes: [fn(i64) -> i64; 4] = [|lane| lane, |lane| -lane, |_| 3, |lane| lane % 4 * 8];
        for op in [Op::Lt, Op::Le, Op::Eq, Op::Ne] {
            for shape in shapes {
                let mut lanes = [0; LANES];
                for (at, lane) in lanes.iter_mut().enumerate() {
                    *lane = shape(at as i64);
                }
                for shared in [(0, 0), (-31, 31), (-100, -40), (-24, -3), (5, 4), (-3, 90)] {
                    let threshold = Threshold { op, lanes, shared };
                    let is_among = threshold.masks().contains(&u32::MAX);
                    assert_eq!(threshold.may_hold_for_all(), is_among, "{threshold:?}");
                }
            }
        }
    }
}
