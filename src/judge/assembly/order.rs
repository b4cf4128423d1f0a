//! In which order the lanes of a warp go through a function: given which blocks may come after each block,
//! gives each a rank. Of lanes that parted, those in the block of the least rank go on, so all wait for each
//! other where their ways meet. Blocks of a loop stand together, before what comes after the loop. Does not
//! know what blocks do.

use std::collections::BTreeSet;

/// Where a block stands in the order, and its loop's last block if it is the head of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    pub own: usize,
    pub last_of_loop: Option<usize>,
}

/// A loop: its head, and all of its blocks. What is in no loop is in the function, as in one.
struct Region {
    head: usize,
    blocks: BTreeSet<usize>,
}

/// The ranks of blocks; `next[b]` are those that may come after `b`, in the text the first is the entry.
pub fn ranks(next: &[Vec<usize>]) -> Vec<Rank> {
    let mut regions = loops(next);
    regions.push(Region {
        head: 0,
        blocks: (0..next.len()).collect(),
    });
    // A loop inside of another one has fewer blocks.
    regions.sort_by_key(|region| region.blocks.len());
    let mut order = Order {
        next,
        regions: &regions,
        ranks: vec![Rank::default(); next.len()],
        count: 0,
    };
    order.region(regions.len() - 1);
    order.ranks
}

struct Order<'a> {
    next: &'a [Vec<usize>],
    regions: &'a [Region],
    ranks: Vec<Rank>,
    count: usize,
}

impl Order<'_> {
    /// The block that stands for `block` in a region: the head of the largest loop in it, or itself.
    fn representative(&self, block: usize, region: usize) -> usize {
        let inner = self.regions[..region].iter().rev();
        let is_around = |inner: &&Region| {
            inner.blocks.contains(&block) && inner.head != self.regions[region].head
        };
        inner
            .clone()
            .find(is_around)
            .map_or(block, |inner| inner.head)
    }

    /// Ranks the blocks of a region: each after all that lead to it, and of several the first in the text.
    fn region(&mut self, region: usize) {
        let Region { head, blocks } = &self.regions[region];
        let mut waits = vec![BTreeSet::new(); self.next.len()];
        for block in blocks {
            let from = self.representative(*block, region);
            for to in &self.next[*block] {
                let to_one = self.representative(*to, region);
                if blocks.contains(to) && to_one != from && to_one != *head {
                    waits[to_one].insert(from);
                }
            }
        }
        let stand = |block: &&usize| self.representative(**block, region) == **block;
        let mut open: BTreeSet<usize> = blocks.iter().filter(stand).copied().collect();
        while let Some(first) = open.first().copied() {
            // Ways that jump into a loop wait for each other: then the first in the text.
            let is_free = |block: &&usize| waits[**block].is_disjoint(&open);
            let chosen = open.iter().find(is_free).copied().unwrap_or(first);
            open.remove(&chosen);
            let inner = self.regions[..region].iter();
            let of_loop = inner.clone().rposition(|inner| inner.head == chosen);
            match of_loop.filter(|_| chosen != *head) {
                Some(inner) => self.region(inner),
                None => {
                    self.ranks[chosen].own = self.count;
                    self.count += 1;
                }
            }
        }
        if region + 1 < self.regions.len() {
            self.ranks[*head].last_of_loop = Some(self.count - 1);
        }
    }
}

/// Natural loops; of one head there is one.
fn loops(next: &[Vec<usize>]) -> Vec<Region> {
    let dominators = dominators(next);
    let before = reversed(next);
    let mut out: Vec<Region> = Vec::new();
    for (head, sources) in before.iter().enumerate() {
        let back = |from: &&usize| dominators[**from].contains(&head);
        let mut open: Vec<usize> = sources.iter().filter(back).copied().collect();
        if open.is_empty() {
            continue;
        }
        let mut blocks = BTreeSet::from([head]);
        while let Some(block) = open.pop() {
            if blocks.insert(block) {
                open.extend(&before[block]);
            }
        }
        out.push(Region { head, blocks });
    }
    out.sort_by_key(|region| region.blocks.len());
    for at in 0..out.len() {
        let ways_out = ways_out(next, &out[at].blocks);
        let Region { head, .. } = out[at];
        for outer in &mut out[at..] {
            if outer.blocks.contains(&head) {
                outer.blocks.extend(&ways_out);
            }
        }
    }
    out
}

/// What lanes do on one way out of a loop, and not on another: it stands in the loop's text, in front of a
/// `break`, and lanes do it in the iteration that they leave in.
fn ways_out(next: &[Vec<usize>], blocks: &BTreeSet<usize>) -> BTreeSet<usize> {
    let exits = blocks.iter().flat_map(|block| &next[*block]);
    let exits: BTreeSet<usize> = exits.filter(|to| !blocks.contains(to)).copied().collect();
    let reached = exits.iter().map(|exit| reachable(next, *exit, blocks));
    let reached: Vec<BTreeSet<usize>> = reached.collect();
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return BTreeSet::new();
    };
    let others = (*first..*last).filter(|block| !blocks.contains(block));
    let is_of_some = |block: &usize| {
        let count = reached.iter().filter(|set| set.contains(block)).count();
        count > 0 && count < reached.len()
    };
    others.filter(is_of_some).collect()
}

/// What comes after `from`, with it, as far as no way leads back into `without`.
fn reachable(next: &[Vec<usize>], from: usize, without: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        if !without.contains(&block) && out.insert(block) {
            open.extend(&next[block]);
        }
    }
    out
}

fn reversed(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); next.len()];
    for (from, list) in next.iter().enumerate() {
        for to in list {
            before[*to].push(from);
        }
    }
    before
}

/// The blocks that each way from the entry to a block goes through; none for one that no way leads to.
fn dominators(next: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let before = reversed(next);
    let mut out: Vec<Option<BTreeSet<usize>>> = vec![None; next.len()];
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for block in 0..next.len() {
            let known = before[block].iter().filter_map(|from| out[*from].as_ref());
            let common = known.cloned().reduce(|one, other| &one & &other);
            let common = if block == 0 {
                Some(BTreeSet::new())
            } else {
                common
            };
            let Some(mut set) = common else {
                continue;
            };
            set.insert(block);
            if out[block].as_ref() != Some(&set) {
                out[block] = Some(set);
                is_changed = true;
            }
        }
    }
    out.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::{Rank, ranks};

    fn of(next: &[&[usize]]) -> Vec<(usize, Option<usize>)> {
        let next: Vec<Vec<usize>> = next.iter().map(|list| list.to_vec()).collect();
        let pair = |rank: Rank| (rank.own, rank.last_of_loop);
        ranks(&next).into_iter().map(pair).collect()
    }

    #[test]
    fn what_comes_after_a_loop_has_a_rank_after_it() {
        // The loop's exit stands before its body.
        let got = of(&[&[1], &[2, 3], &[], &[1]]);
        assert_eq!(got, [(0, None), (1, Some(2)), (3, None), (2, None)]);
    }

    #[test]
    fn a_loop_of_two_jumps_back_ends_behind_both() {
        let got = of(&[&[1], &[2, 4], &[1, 3], &[1], &[]]);
        assert_eq!(
            got,
            [(0, None), (1, Some(3)), (2, None), (3, None), (4, None)]
        );
    }

    #[test]
    fn loops_stand_in_loops() {
        let got = of(&[&[1], &[2, 5], &[2, 3], &[4, 5], &[1], &[]]);
        assert_eq!(
            got,
            [
                (0, None),
                (1, Some(4)),
                (2, Some(2)),
                (3, None),
                (4, None),
                (5, None)
            ]
        );
    }

    #[test]
    fn what_stands_before_a_break_is_in_the_loop() {
        let got = of(&[&[1], &[2, 5], &[3, 4], &[5], &[1], &[]]);
        assert_eq!(got[3], (3, None));
        assert_eq!(got[1], (1, Some(4)));
        assert_eq!(got[5], (5, None));
    }

    #[test]
    fn ways_into_a_loop_end() {
        let got = of(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert_eq!(got[3], (3, None));
    }
}
