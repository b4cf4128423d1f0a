//! A first look at host functions: which of them reach a launch, what they assign, and
//! which variables a launch depends on.
//!
//! Names only: nothing is resolved. Two functions of one name count as one.

use super::operands::{address_of, each_child, is_arithmetic, mentioned, root_of, takes_values};
use crate::syntax::ast::{
    self, BinaryOp, Condition, Expr, ExprKind, Initialiser, Member, Name, Stmt, StmtKind, UnaryOp,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Nesting below which bodies are not read.
const MAX_DEPTH: u32 = 200;
/// Constants a variable is compared with, beyond which its cases are not told apart.
const MAX_LABELS: usize = 12;

/// What a piece of code does to variables, by name.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Assigned, incremented, or handed out by address or (perhaps) by reference.
    pub names: FxHashSet<Name>,
    /// Among these, pointers that may be moved within their allocation.
    pub moved: FxHashSet<Name>,
    pub has_launch: bool,
    /// Functions and methods called.
    pub calls: FxHashSet<Name>,
}

/// What is known of one function.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub writes: Writes,
    /// Names that launches read, and through which others they get their values.
    relevant: FxHashSet<Name>,
    flows: Vec<(Name, Vec<Name>)>,
    call_arguments: Vec<(Name, Vec<Name>)>,
    /// Named lambdas: whether they launch, and what they call.
    lambdas: Vec<(Name, bool, FxHashSet<Name>)>,
    /// Constants that a variable is compared with (`switch`, `==`).
    labels: FxHashMap<Name, Vec<i64>>,
    /// `a = b` in declarations.
    copies: Vec<(Name, Name)>,
}

/// Every function of a unit that has a body, methods included.
pub(super) struct Body<'a> {
    pub function: &'a Arc<ast::Function>,
    /// The class it stands in.
    pub record: Option<&'a Arc<ast::Record>>,
    pub summary: Summary,
}

pub(super) struct Survey<'a> {
    pub bodies: Vec<Body<'a>>,
    pub by_address: FxHashMap<usize, usize>,
    /// Names of functions that launch or call one that does.
    pub reaching: FxHashSet<Name>,
    /// Names written anywhere.
    pub written: FxHashSet<Name>,
    /// Places in `bodies`.
    by_name: FxHashMap<Name, Vec<usize>>,
    /// What each function writes, its callees included, by name.
    writes_of: FxHashMap<Name, FxHashSet<Name>>,
}

/// Calls that launch a kernel given as an argument.
pub(super) const LAUNCH_CALLS: &[&str] = &[
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchKernelEx",
    "hipLaunchKernelGGL",
    "hipLaunchKernel",
    "hipLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
];

impl<'a> Survey<'a> {
    pub fn new(unit: &'a ast::Unit) -> Self {
        let mut bodies = Vec::new();
        collect(&unit.items, &mut bodies, 0);
        let mut reaching: FxHashSet<Name> = bodies
            .iter()
            .filter(|b| b.summary.writes.has_launch)
            .map(|b| b.function.name.clone())
            .collect();
        if reaching.is_empty() {
            return Self {
                bodies: Vec::new(),
                by_address: FxHashMap::default(),
                reaching,
                written: FxHashSet::default(),
                by_name: FxHashMap::default(),
                writes_of: FxHashMap::default(),
            };
        }
        loop {
            let before = reaching.len();
            for b in &bodies {
                for (name, launches, calls) in &b.summary.lambdas {
                    if !reaching.contains(name)
                        && (*launches || calls.iter().any(|c| reaching.contains(c)))
                    {
                        reaching.insert(name.clone());
                    }
                }
                if !reaching.contains(&b.function.name)
                    && b.summary.writes.calls.iter().any(|c| reaching.contains(c))
                {
                    reaching.insert(b.function.name.clone());
                }
            }
            if reaching.len() == before {
                break;
            }
        }
        for b in &mut bodies {
            let mut scan = Scan {
                summary: &mut b.summary,
                writes: true,
                flows: true,
            };
            b.function
                .body
                .iter()
                .flatten()
                .for_each(|s| scan.statement(s, MAX_DEPTH));
            b.summary.close(&reaching);
        }
        let by_address = bodies
            .iter()
            .enumerate()
            .map(|(i, b)| (Arc::as_ptr(b.function) as usize, i))
            .collect();
        let written = bodies
            .iter()
            .flat_map(|b| b.summary.writes.names.iter().cloned())
            .collect();
        let mut by_name: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
        for (at, body) in bodies.iter().enumerate() {
            let name = body.function.name.clone();
            by_name.entry(name).or_default().push(at);
        }
        Self {
            bodies,
            by_address,
            reaching,
            written,
            by_name,
            writes_of: FxHashMap::default(),
        }
    }

    pub fn of(&self, function: &Arc<ast::Function>) -> Option<&Body<'a>> {
        self.bodies
            .get(*self.by_address.get(&(Arc::as_ptr(function) as usize))?)
    }

    pub fn is_relevant(&self, function: &Arc<ast::Function>, name: &str) -> bool {
        self.of(function)
            .is_none_or(|b| b.summary.relevant.contains(name))
    }

    /// The constants that a function compares one of its variables with, where that variable is
    /// written once and a launch depends on it.
    pub fn labels(&self, function: &Arc<ast::Function>, name: &str) -> Option<&[i64]> {
        self.of(function)?
            .summary
            .labels
            .get(name)
            .map(Vec::as_slice)
    }

    /// Names that launches of any function depend on.
    pub fn relevant_anywhere(&self) -> FxHashSet<Name> {
        self.bodies
            .iter()
            .flat_map(|b| b.summary.relevant.iter().cloned())
            .collect()
    }

    /// Names that a function of this name may write, through its callees too.
    pub fn writes_of(&mut self, name: &Name) -> &FxHashSet<Name> {
        if !self.writes_of.contains_key(name) {
            let mut seen: FxHashSet<Name> = FxHashSet::default();
            let mut out = FxHashSet::default();
            let mut todo = vec![name.clone()];
            while let Some(next) = todo.pop() {
                if !seen.insert(next.clone()) {
                    continue;
                }
                let called = self.by_name.get(&next).into_iter().flatten();
                for b in called.filter_map(|at| self.bodies.get(*at)) {
                    out.extend(b.summary.writes.names.iter().cloned());
                    todo.extend(b.summary.writes.calls.iter().cloned());
                }
            }
            self.writes_of.insert(name.clone(), out);
        }
        &self.writes_of[name]
    }
}

impl Summary {
    /// Adds what relevant variables are computed from.
    fn close(&mut self, reaching: &FxHashSet<Name>) {
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
        let (relevant, writes) = (&self.relevant, &self.writes.names);
        self.labels.retain(|name, labels| {
            labels.len() > 1
                && labels.len() <= MAX_LABELS
                && relevant.contains(name)
                && !writes.contains(name)
        });
    }
}

fn collect<'a>(items: &'a [ast::Item], out: &mut Vec<Body<'a>>, depth: u32) {
    if depth > 64 {
        return;
    }
    for item in items {
        match item {
            ast::Item::Function(f) => add(f, None, out),
            ast::Item::Record(r) => collect_record(r, out, depth),
            ast::Item::Namespace(_, items) => collect(items, out, depth + 1),
            _ => {}
        }
    }
}

fn collect_record<'a>(r: &'a Arc<ast::Record>, out: &mut Vec<Body<'a>>, depth: u32) {
    if depth > 64 {
        return;
    }
    for m in &r.members {
        match m {
            Member::Function(f) => add(f, Some(r), out),
            Member::Record(inner) => collect_record(inner, out, depth + 1),
            _ => {}
        }
    }
}

fn add<'a>(
    f: &'a Arc<ast::Function>,
    record: Option<&'a Arc<ast::Record>>,
    out: &mut Vec<Body<'a>>,
) {
    let Some(body) = &f.body else { return };
    let mut summary = Summary::default();
    let mut scan = Scan {
        summary: &mut summary,
        writes: false,
        flows: false,
    };
    body.iter().for_each(|s| scan.statement(s, MAX_DEPTH));
    // Device code matters where it launches kernels itself.
    if !summary.writes.has_launch
        && (f.attributes.global || (f.attributes.device && !f.attributes.host))
    {
        return;
    }
    out.push(Body {
        function: f,
        record,
        summary,
    });
}

/// What a statement (with the expressions beside it) writes.
pub(super) fn writes(statements: &[&Stmt], expressions: &[&Expr]) -> Writes {
    let mut summary = Summary::default();
    let mut scan = Scan {
        summary: &mut summary,
        writes: true,
        flows: false,
    };
    statements.iter().for_each(|s| scan.statement(s, MAX_DEPTH));
    expressions.iter().for_each(|e| scan.expr(e, MAX_DEPTH));
    summary.writes
}

struct Scan<'s> {
    summary: &'s mut Summary,
    /// Whether to note what is written; launches, calls and lambdas are noted always.
    writes: bool,
    /// Whether to note what depends on what.
    flows: bool,
}

impl Scan<'_> {
    fn statement(&mut self, s: &Stmt, depth: u32) {
        if depth == 0 {
            return;
        }
        let depth = depth - 1;
        match &s.kind {
            StmtKind::Block(body) => body.iter().for_each(|s| self.statement(s, depth)),
            StmtKind::Switch { value, body } => {
                for s in body {
                    if let StmtKind::Case(e) = &s.kind {
                        self.label(value, e);
                    }
                }
                self.expr(value, depth);
                body.iter().for_each(|s| self.statement(s, depth));
            }
            StmtKind::Variables(vs) => vs.iter().for_each(|v| self.variable(v, depth)),
            StmtKind::Expr(e) | StmtKind::Return(Some(e)) | StmtKind::Case(e) => {
                self.expr(e, depth)
            }
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => {
                init.iter().for_each(|s| self.statement(s, depth));
                self.condition(condition, depth);
                self.statement(then, depth);
                otherwise.iter().for_each(|s| self.statement(s, depth));
            }
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                init.iter().for_each(|s| self.statement(s, depth));
                condition.iter().for_each(|e| self.expr(e, depth));
                step.iter().for_each(|e| self.expr(e, depth));
                self.statement(body, depth);
            }
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => {
                self.expr(range, depth);
                self.flow(&variable.name, &[range]);
                self.statement(body, depth);
            }
            StmtKind::While { condition, body } => {
                self.condition(condition, depth);
                self.statement(body, depth);
            }
            StmtKind::DoWhile { body, condition } => {
                self.expr(condition, depth);
                self.statement(body, depth);
            }
            _ => {}
        }
    }

    fn condition(&mut self, c: &Condition, depth: u32) {
        match c {
            Condition::Expr(e) => self.expr(e, depth),
            Condition::Variable(v) => self.variable(v, depth),
        }
    }

    fn variable(&mut self, v: &ast::Variable, depth: u32) {
        let exprs: Vec<&Expr> = match &v.init {
            Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => vec![e],
            Some(Initialiser::Paren(es)) => es.iter().collect(),
            None => return,
        };
        self.flow(&v.name, &exprs);
        if let [e] = exprs[..] {
            if self.flows
                && let ExprKind::Path(p) = &e.kind
                && let [s] = &p.segments[..]
            {
                self.summary.copies.push((v.name.clone(), s.name.clone()));
            }
            if let ExprKind::Lambda(_) = &e.kind {
                let outer = (
                    std::mem::take(&mut self.summary.writes.has_launch),
                    std::mem::take(&mut self.summary.writes.calls),
                );
                self.expr(e, depth);
                let calls = std::mem::replace(&mut self.summary.writes.calls, outer.1);
                self.summary.writes.calls.extend(calls.iter().cloned());
                if !self.flows {
                    self.summary.lambdas.push((
                        v.name.clone(),
                        self.summary.writes.has_launch,
                        calls,
                    ));
                }
                self.summary.writes.has_launch |= outer.0;
                return;
            }
        }
        exprs.into_iter().for_each(|e| self.expr(e, depth));
    }

    fn label(&mut self, variable: &Expr, constant: &Expr) {
        if self.flows
            && let (ExprKind::Path(p), ExprKind::Int { value, .. }) =
                (&variable.kind, &constant.kind)
            && let ([s], Ok(value)) = (&p.segments[..], i64::try_from(*value))
        {
            let labels = self.summary.labels.entry(s.name.clone()).or_default();
            if !labels.contains(&value) {
                labels.push(value);
            }
        }
    }

    fn flow(&mut self, target: &Name, from: &[&Expr]) {
        if !self.flows {
            return;
        }
        let mut sources = Vec::new();
        from.iter()
            .for_each(|e| mentioned(e, &mut sources, MAX_DEPTH));
        self.summary.flows.push((target.clone(), sources));
    }

    fn write(&mut self, place: &Expr, is_move: bool) -> Option<Name> {
        if !self.writes {
            return None;
        }
        let root = root_of(place)?;
        self.summary.writes.names.insert(root.clone());
        if is_move
            && !matches!(
                place.kind,
                ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _)
            )
        {
            self.summary.writes.moved.insert(root.clone());
        }
        Some(root.clone())
    }

    fn expr(&mut self, e: &Expr, depth: u32) {
        if depth == 0 {
            return;
        }
        let depth = depth - 1;
        match &e.kind {
            ExprKind::Assign(op, place, value) => {
                if let Some(root) = self.write(place, op.is_some() || is_arithmetic(value)) {
                    self.flow(&root, &[place, value]);
                }
                self.expr(place, depth);
                self.expr(value, depth);
            }
            ExprKind::Unary(op, inner) => {
                if matches!(
                    op,
                    UnaryOp::PreIncrement
                        | UnaryOp::PreDecrement
                        | UnaryOp::PostIncrement
                        | UnaryOp::PostDecrement
                ) {
                    self.write(inner, true);
                }
                self.expr(inner, depth);
            }
            ExprKind::Binary(op, a, b) => {
                if *op == BinaryOp::Shr
                    && matches!(
                        b.kind,
                        ExprKind::Path(_) | ExprKind::Member { .. } | ExprKind::Index(..)
                    )
                {
                    // `stream >> x`; told from a shift by type later.
                    self.write(b, false);
                }
                if *op == BinaryOp::Eq {
                    self.label(a, b);
                    self.label(b, a);
                }
                self.expr(a, depth);
                self.expr(b, depth);
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                self.summary.writes.has_launch = true;
                let mut names = Vec::new();
                for e in config.iter().chain(arguments).chain([&**callee]) {
                    if self.flows {
                        mentioned(e, &mut names, MAX_DEPTH);
                    }
                    self.expr(e, depth);
                }
                self.summary.relevant.extend(names);
            }
            ExprKind::Call { callee, arguments } => {
                let name = match &callee.kind {
                    ExprKind::Path(p) => p.segments.last().map(|s| s.name.clone()),
                    ExprKind::Member { object, member, .. } => {
                        self.write(object, false);
                        member.segments.last().map(|s| s.name.clone())
                    }
                    _ => None,
                };
                let mut names = Vec::new();
                if self.flows {
                    arguments
                        .iter()
                        .for_each(|a| mentioned(a, &mut names, MAX_DEPTH));
                }
                // A lambda or function handed over may be called.
                for a in arguments {
                    if let ExprKind::Path(p) = &a.kind
                        && let [s] = &p.segments[..]
                    {
                        self.summary.writes.calls.insert(s.name.clone());
                    }
                }
                if let Some(name) = name {
                    if LAUNCH_CALLS.contains(&&*name) {
                        self.summary.writes.has_launch = true;
                        self.summary.relevant.extend(names);
                    } else if !names.is_empty() {
                        self.summary.call_arguments.push((name.clone(), names));
                    }
                    self.summary.writes.calls.insert(name.clone());
                    if self.writes && !takes_values(&name) {
                        for a in arguments.iter().filter(|a| {
                            matches!(a.kind, ExprKind::Path(_) | ExprKind::Member { .. })
                        }) {
                            self.write(a, false);
                        }
                    }
                }
                for a in arguments {
                    if let Some(inner) = address_of(a) {
                        self.write(inner, false);
                    }
                    self.expr(a, depth);
                }
                self.expr(callee, depth);
            }
            ExprKind::Lambda(l) => l.body.iter().for_each(|s| self.statement(s, depth)),
            _ => each_child(e, &mut |c| self.expr(c, depth)),
        }
    }
}
