//! Reconvergence: lanes that part at a branch meet again at its immediate post-dominator.

use super::operation::Code;
use super::{Function, Operand};

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

fn leaves(function: &Function, at: usize) -> bool {
    let code = function.code[at].operation.code;
    matches!(code, Code::Return | Code::Exit | Code::Trap) || at + 1 == function.code.len()
}

/// Notes for each branch where its lanes meet again.
///
/// Post-dominators are dominators of the reversed graph (Cooper, Harvey and Kennedy), over
/// instructions in place of basic blocks: bodies are small.
pub fn find_meets(function: &mut Function) {
    let count = function.code.len();
    if count == 0 {
        return;
    }
    let next: Vec<Vec<usize>> = (0..count).map(|at| successors(function, at)).collect();
    let exit = count;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
    for (at, list) in next.iter().enumerate() {
        for to in list {
            before[*to].push(at);
        }
        if leaves(function, at) || list.is_empty() {
            before[exit].push(at);
        }
    }
    // Postorder of the reversed graph from the exit.
    let mut order = Vec::with_capacity(count + 1);
    let mut seen = vec![false; count + 1];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((at, child)) = stack.pop() {
        if let Some(to) = before[at].get(child) {
            stack.push((at, child + 1));
            if !seen[*to] {
                seen[*to] = true;
                stack.push((*to, 0));
            }
        } else {
            order.push(at);
        }
    }
    let mut rank = vec![usize::MAX; count + 1];
    for (number, at) in order.iter().enumerate() {
        rank[*at] = number;
    }
    let mut dominator = vec![usize::MAX; count + 1];
    dominator[exit] = exit;
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for at in order.iter().rev().copied().filter(|at| *at != exit) {
            let to_exit = (leaves(function, at) || next[at].is_empty()).then_some(exit);
            let all = next[at].iter().copied().chain(to_exit);
            let mut found = usize::MAX;
            for to in all.filter(|to| dominator[*to] != usize::MAX) {
                found = if found == usize::MAX {
                    to
                } else {
                    meet(found, to, &dominator, &rank)
                };
            }
            if found != dominator[at] {
                dominator[at] = found;
                has_changed = true;
            }
        }
    }
    let branches = (0..count).filter(|at| function.code[*at].operation.is_branch());
    let meets = branches.map(|at| {
        let to = dominator[at];
        (at, if to >= count { END } else { to })
    });
    function.meets = meets.collect();
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
