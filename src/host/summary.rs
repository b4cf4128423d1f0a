//! Summaries of host code: what a piece of it writes, hands out, calls and launches, by name.
//!
//! Filled by [`Scan`](super::scan::Scan); closed over what functions that reach launches do. Reads no text itself.

use super::operands::passes_on;
use super::scan::MAX_LABELS;
use crate::syntax::ast::{self, Expr, ExprKind, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a piece of code does to variables, by name.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Assigned, incremented, or handed out by address or (perhaps) by reference.
    pub names: FxHashSet<Name>,
    /// Among these, pointers that may be moved within their allocation.
    pub moved: FxHashSet<Name>,
    /// Among these, what was handed to somebody who may keep a reference to it.
    pub handed: FxHashSet<Name>,
    /// Something could not be read: any variable may be written.
    pub everything: bool,
    pub has_launch: bool,
    /// Functions and methods called.
    pub calls: FxHashSet<Name>,
}

/// What is known, at one place of a run, of calls through variables.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Copied {
    /// Variables that stand for functions without parameters that refer to arguments, in order.
    pub callees: Vec<Name>,
    /// Variables that are numbers and pointers.
    pub numbers: Vec<Name>,
}

impl Copied {
    /// Whether a call takes a copy of this argument.
    pub(super) fn takes(&self, callee: &Expr, argument: &Expr) -> bool {
        let name = |e: &Expr| match &e.kind {
            ExprKind::Path(p) if p.segments.len() == 1 => Some(p.segments[0].name.clone()),
            _ => None,
        };
        let argument = match &argument.kind {
            ExprKind::Expand(inner) => inner,
            _ => argument,
        };
        let given = match &argument.kind {
            ExprKind::Call { callee, arguments } => match (&callee.kind, &arguments[..]) {
                (ExprKind::Path(p), [only])
                    if p.segments.last().is_some_and(|s| passes_on(&s.name)) =>
                {
                    name(only)
                }
                _ => None,
            },
            _ => name(argument),
        };
        name(callee).is_some_and(|n| self.callees.contains(&n))
            && given.is_some_and(|n| self.numbers.contains(&n))
    }
}

/// Whether a function writes what the types of its parameters say is only read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CastsAway {
    pub references: bool,
    pub pointers: bool,
}

/// What is known of one function.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub writes: Writes,
    /// Names that launches read, and through which others they get their values.
    pub relevant: FxHashSet<Name>,
    pub flows: Vec<(Name, Vec<Name>)>,
    pub call_arguments: Vec<(Name, Vec<Name>)>,
    /// Named lambdas: whether they launch, and what they call.
    pub lambdas: Vec<(Name, bool, FxHashSet<Name>)>,
    /// Constants that a variable is compared with (`switch`, `==`).
    pub labels: FxHashMap<Name, Vec<i64>>,
    /// `a = b` in declarations.
    pub copies: Vec<(Name, Name)>,
    /// Variables that something else may write at any time: their address or a reference is held
    /// somewhere, or a lambda writes them.
    pub escaped: FxHashSet<Name>,
    /// Variables that lambdas which see them by reference call, or give to calls: an object among them may change
    /// itself.
    pub called: FxHashSet<Name>,
    /// What is written, without the variables that lambdas declare themselves.
    pub free_writes: FxHashSet<Name>,
    /// What stands behind these is changed by arithmetic.
    pub moved_behind: FxHashSet<Name>,
    /// What lambdas write and call, whoever calls them.
    pub lambda_writes: FxHashSet<Name>,
    pub lambda_calls: FxHashSet<Name>,
    /// Names used as plain values: an array among them decays to a pointer, a function may be called
    /// by anybody.
    pub bare: FxHashSet<Name>,
    /// Those among them that are more than an argument of a call.
    pub values: FxHashSet<Name>,
    /// Names given to a call as its argument: the callee, which argument, and the name.
    pub given: Vec<(Name, usize, Name)>,
    pub has_goto: bool,
    /// What results may lead to: places in `return`.
    pub returned: FxHashSet<Name>,
    /// Variables under casts to references that may write, and those whose address is cast so.
    pub place_casts: FxHashSet<Name>,
    /// Pointers under casts to pointers that may write.
    pub pointer_casts: FxHashSet<Name>,
    /// References that only read, and what they are bound to.
    pub aliases: Vec<(Name, Vec<Name>)>,
    pub casts_away: CastsAway,
    /// Variables that are arrays of arrays, and classes, that it declares.
    pub rows: Vec<Name>,
    pub records: Vec<Arc<ast::Record>>,
    /// `void* list[] = {&a, &b}`: the list, and what it points to.
    pub lists: Vec<(Name, Vec<Name>)>,
}

impl Writes {
    fn absorb(&mut self, other: Self) {
        self.names.extend(other.names);
        self.moved.extend(other.moved);
        self.handed.extend(other.handed);
        self.everything |= other.everything;
        self.has_launch |= other.has_launch;
        self.calls.extend(other.calls);
    }
}

impl Summary {
    /// Adds what a part of the function does.
    pub(super) fn absorb(&mut self, other: Self) {
        self.writes.absorb(other.writes);
        self.relevant.extend(other.relevant);
        self.flows.extend(other.flows);
        self.call_arguments.extend(other.call_arguments);
        self.lambdas.extend(other.lambdas);
        for (name, labels) in other.labels {
            let all = self.labels.entry(name).or_default();
            for label in labels {
                if !all.contains(&label) {
                    all.push(label);
                }
            }
        }
        self.copies.extend(other.copies);
        self.escaped.extend(other.escaped);
        self.called.extend(other.called);
        self.free_writes.extend(other.free_writes);
        self.moved_behind.extend(other.moved_behind);
        self.lambda_writes.extend(other.lambda_writes);
        self.lambda_calls.extend(other.lambda_calls);
        self.bare.extend(other.bare);
        self.values.extend(other.values);
        self.given.extend(other.given);
        self.has_goto |= other.has_goto;
        self.returned.extend(other.returned);
        self.place_casts.extend(other.place_casts);
        self.pointer_casts.extend(other.pointer_casts);
        self.aliases.extend(other.aliases);
        self.rows.extend(other.rows);
        self.records.extend(other.records);
        self.lists.extend(other.lists);
    }

    /// Adds what relevant variables are computed from.
    pub fn close(&mut self, reaching: &FxHashSet<Name>) {
        for (callee, names) in &self.call_arguments {
            if reaching.contains(callee) || names.iter().any(|n| reaching.contains(n)) {
                self.relevant.extend(names.iter().cloned());
            }
        }
        loop {
            let before = self.relevant.len();
            for (target, sources) in &self.flows {
                if self.relevant.contains(target) {
                    self.relevant.extend(sources.iter().cloned());
                }
            }
            if self.relevant.len() == before {
                break;
            }
        }
        // `const int threads = size;` compared with constants compares `size` as well.
        for _ in 0..3 {
            for (copy, of) in &self.copies {
                if let Some(labels) = self.labels.get(copy).cloned() {
                    let all = self.labels.entry(of.clone()).or_default();
                    labels.into_iter().for_each(|l| {
                        if !all.contains(&l) {
                            all.push(l);
                        }
                    });
                }
            }
        }
        for (list, names) in std::mem::take(&mut self.lists) {
            if self.bare.contains(&list) || self.writes.names.contains(&list) {
                self.escaped.extend(names);
            }
        }
        let escaped = &self.escaped;
        let (relevant, writes) = (&self.relevant, &self.writes.names);
        self.labels.retain(|name, labels| {
            labels.len() > 1
                && labels.len() <= MAX_LABELS
                && relevant.contains(name)
                && !writes.contains(name)
                && !escaped.contains(name)
        });
    }

    /// References and pointers that only read, until a cast says otherwise.
    pub fn note_casts(&mut self, function: &ast::Function) {
        for (alias, roots) in &self.aliases {
            if self.place_casts.contains(alias) {
                self.escaped.extend(roots.iter().cloned());
                self.place_casts.extend(roots.iter().cloned());
            }
        }
        for p in &function.parameters {
            let (Some(name), kind) = (&p.name, &p.ty.kind) else {
                continue;
            };
            match kind {
                ast::TypeKind::Reference { to, .. } if to.is_const => {
                    self.casts_away.references |= self.place_casts.contains(name);
                }
                ast::TypeKind::Pointer { to, .. } if to.is_const => {
                    self.casts_away.pointers |= self.pointer_casts.contains(name);
                }
                _ => {}
            }
        }
    }
}

/// Methods of standard containers through which elements may be written later.
pub(super) fn gives_a_way_in(name: &str) -> bool {
    matches!(name, "begin" | "end" | "rbegin" | "rend" | "data" | "find")
}
