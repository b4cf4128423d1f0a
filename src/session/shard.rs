//! A part of a run: which groups of files it takes.
//!
//! Given groups and their sizes, gives those of one part. Every part finds the same division by itself;
//! a group is never divided, so a part finds what the whole run finds in its files.

use crate::report::merge::Shard;
use std::cmp::Reverse;

/// The groups of this part, in order: the largest first goes to the part that has least.
pub(super) fn pick<T>(shard: Shard, groups: Vec<T>, size: impl Fn(&T) -> usize) -> Vec<T> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| Reverse(size(&groups[*at])));
    let mut loads = vec![0_usize; shard.of as usize];
    let mut is_ours = vec![false; groups.len()];
    for at in order {
        // Also groups without a byte go round.
        let least = (0..loads.len()).min_by_key(|part| loads[*part]);
        let Some(part) = least else { continue };
        loads[part] += size(&groups[at]).max(1);
        is_ours[at] = part + 1 == shard.number as usize;
    }
    let mut is_ours = is_ours.into_iter();
    let mut groups = groups;
    groups.retain(|_| is_ours.next() == Some(true));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_in_one_part_and_parts_are_even() {
        let groups: Vec<(usize, usize)> = (0..97).map(|at| (at, (at * 37) % 50)).collect();
        let total: usize = groups.iter().map(|(_, size)| size).sum();
        let mut all = Vec::new();
        for number in 1..=4 {
            let part = pick(Shard { number, of: 4 }, groups.clone(), |(_, size)| *size);
            let load: usize = part.iter().map(|(_, size)| size).sum();
            assert!(load.abs_diff(total / 4) <= 50, "{load} of {total}");
            assert!(part.is_sorted());
            all.extend(part);
        }
        all.sort_unstable();
        assert_eq!(all, groups);
        let none = pick(Shard { number: 3, of: 3 }, vec![1, 2], |size| *size);
        assert_eq!(none, [0; 0]);
    }
}
