//! Reconvergence: lanes that part at a branch meet again at its immediate post-dominator.

use super::operation::{Code, Operation, Space};
use super::{Function, Operand};
use std::collections::{BTreeMap, HashMap};

/// Past the last instruction: where a function is left.
pub const END: usize = usize::MAX;

/// Instructions that may come after each; none for those that leave the function.
fn successors(function: &Function, at: usize) -> Vec<usize> {
    let instruction = &function.code[at];
    let mut out = Vec::new();
    let is_guarded = instruction.guard.is_some();
    match instruction.operation.code {
        Code::Branch | Code::BranchTable => {
            for operand in &instruction.operands {
                match operand {
                    Operand::Label(to) => out.push(*to),
                    Operand::List(list) => out.extend(list.iter().filter_map(|one| match one {
                        Operand::Label(to) => Some(*to),
                        _ => None,
                    })),
                    _ => {}
                }
            }
            if is_guarded {
                out.push(at + 1);
            }
        }
        Code::Return | Code::Exit | Code::Trap => {
            if is_guarded {
                out.push(at + 1);
            }
        }
        _ => out.push(at + 1),
    }
    out.retain(|to| *to < function.code.len());
    out
}

/// Whether nothing stands from an instruction on but the return, and what it gives back.
fn is_end(function: &Function, from: usize) -> bool {
    for instruction in function.code.iter().skip(from) {
        let Operation { code, space, .. } = &instruction.operation;
        match code {
            Code::Return | Code::Exit => return instruction.guard.is_none(),
            Code::Nothing | Code::Move => {}
            Code::Load | Code::Store if *space == Space::Parameter => {}
            _ => return false,
        }
    }
    true
}

/// Notes for each branch where its lanes meet again.
///
/// Who returns is gone, and the others meet as if it had not been there: of ways that meet at the end of the
/// function only, those count that come to it from the last place of the text.
pub fn find_meets(function: &mut Function) {
    let graph = Graph::of(function);
    let code = function.code.iter().enumerate();
    let branches = code.filter(|(_, one)| one.operation.is_branch());
    let branches: Vec<usize> = branches.map(|(at, _)| at).collect();
    let all = graph.post_dominators(None);
    let mut meets = HashMap::new();
    let mut by_last: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in branches {
        meets.insert(at, all[at]);
        if all[at] == END
            && let Some(last) = graph.last_way_out(at)
        {
            by_last.entry(last).or_default().push(at);
        }
    }
    for (last, branches) in by_last {
        let of_last = graph.post_dominators(Some(last));
        meets.extend(branches.into_iter().map(|at| (at, of_last[at])));
    }
    function.meets = meets;
}

/// The instructions of a function; those that do nothing but return are one, its exit.
struct Graph {
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn of(function: &Function) -> Graph {
        let exit = function.code.len();
        let is_end: Vec<bool> = (0..exit).map(|at| is_end(function, at)).collect();
        let next = (0..exit).map(|at| {
            let mut list = successors(function, at);
            for to in list.iter_mut().filter(|to| is_end[**to]) {
                *to = exit;
            }
            let code = function.code[at].operation.code;
            let leaves = matches!(code, Code::Return | Code::Exit | Code::Trap);
            if leaves || list.is_empty() || at + 1 == exit {
                list.push(exit);
            }
            list
        });
        let next: Vec<Vec<usize>> = next.collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
        for (at, list) in next.iter().enumerate() {
            for to in list {
                before[*to].push(at);
            }
        }
        Graph { next, before }
    }

    /// Of the instructions that the exit comes after, the last one that lanes come to from here.
    fn last_way_out(&self, from: usize) -> Option<usize> {
        let exit = self.next.len();
        let mut seen = vec![false; exit];
        let mut open = vec![from];
        let mut last = None;
        while let Some(at) = open.pop() {
            if at == exit || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if self.next[at].contains(&exit) {
                last = last.max(Some(at));
            }
            open.extend(&self.next[at]);
        }
        last
    }

    /// Post-dominators are dominators of the reversed graph (Cooper, Harvey and Kennedy), over
    /// instructions in place of basic blocks: bodies are small. Given `only`, no other way leads to the exit.
    fn post_dominators(&self, only: Option<usize>) -> Vec<usize> {
        let exit = self.next.len();
        let leads = |from: usize, to: usize| to != exit || only.is_none_or(|only| only == from);
        // Postorder of the reversed graph from the exit.
        let mut order = Vec::with_capacity(exit + 1);
        let mut seen = vec![false; exit + 1];
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((at, child)) = stack.pop() {
            if let Some(from) = self.before[at].get(child) {
                stack.push((at, child + 1));
                if leads(*from, at) && !std::mem::replace(&mut seen[*from], true) {
                    stack.push((*from, 0));
                }
            } else {
                order.push(at);
            }
        }
        let mut rank = vec![usize::MAX; exit + 1];
        for (number, at) in order.iter().enumerate() {
            rank[*at] = number;
        }
        let mut dominator = vec![usize::MAX; exit + 1];
        dominator[exit] = exit;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for at in order.iter().rev().copied().filter(|at| *at != exit) {
                let known = self.next[at].iter().copied();
                let known = known.filter(|to| leads(at, *to) && dominator[*to] != usize::MAX);
                let found = known.reduce(|one, other| meet(one, other, &dominator, &rank));
                let found = found.unwrap_or(usize::MAX);
                if found != dominator[at] {
                    dominator[at] = found;
                    has_changed = true;
                }
            }
        }
        let place = |at: usize| if at >= exit { END } else { at };
        dominator.into_iter().map(place).collect()
    }
}

fn meet(mut a: usize, mut b: usize, dominator: &[usize], rank: &[usize]) -> usize {
    while a != b {
        while rank[a] < rank[b] {
            a = dominator[a];
        }
        while rank[b] < rank[a] {
            b = dominator[b];
        }
    }
    a
}
