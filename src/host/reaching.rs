//! A first look at host functions: which of them reach a launch, what they assign, and
//! which variables a launch depends on.
//!
//! Names only: nothing is resolved. Two functions of one name count as one.

use super::operands::{
    address_of, each_child, is_arithmetic, is_lvalue, keeps_addresses, mentioned, root_of,
    roots_of, takes_values,
};
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
    /// Among these, what was handed to somebody who may keep a reference to it.
    pub handed: FxHashSet<Name>,
    /// Something could not be read: any variable may be written.
    pub everything: bool,
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
    /// Variables that something else may write at any time: their address or a reference is held
    /// somewhere, or a lambda writes them.
    pub escaped: FxHashSet<Name>,
    /// What lambdas write and call, whoever calls them.
    lambda_writes: FxHashSet<Name>,
    lambda_calls: FxHashSet<Name>,
    /// Names used as plain values: an array among them decays to a pointer, a function may be called
    /// by anybody.
    pub bare: FxHashSet<Name>,
    pub has_goto: bool,
    /// `void* list[] = {&a, &b}`: the list, and what it points to.
    lists: Vec<(Name, Vec<Name>)>,
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
    /// Names that occur as values anywhere: functions among them may be called by anybody.
    pub values: FxHashSet<Name>,
    /// Variables of namespaces that are never known: what writes them is not followed.
    pub unfollowed: FxHashSet<Name>,
    /// Functions that are declared but not defined.
    elsewhere: FxHashSet<Name>,
    /// Variables of namespaces, by name: how many there are.
    variables: FxHashMap<Name, usize>,
    pub has_main: bool,
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
        let mut out = Self {
            bodies,
            by_address: FxHashMap::default(),
            reaching: FxHashSet::default(),
            written: FxHashSet::default(),
            by_name: FxHashMap::default(),
            writes_of: FxHashMap::default(),
            values: FxHashSet::default(),
            unfollowed: FxHashSet::default(),
            elsewhere: FxHashSet::default(),
            variables: FxHashMap::default(),
            has_main: false,
        };
        out.reaching = reaching(&out.bodies);
        if out.reaching.is_empty() {
            out.bodies.clear();
            return out;
        }
        let classes = Classes::of(unit);
        for b in &mut out.bodies {
            let mut scan = Scan {
                summary: &mut b.summary,
                writes: true,
                flows: true,
                classes: Some(&classes),
            };
            for (_, given) in &b.function.initialisers {
                given.iter().for_each(|e| scan.expr(e, MAX_DEPTH));
            }
            b.function
                .body
                .iter()
                .flatten()
                .for_each(|s| scan.statement(s, MAX_DEPTH));
            b.summary.close(&out.reaching);
            if b.function.problem.is_some() {
                b.summary.writes.everything = true;
            }
        }
        let mut outside = Summary::default();
        let mut scan = Scan {
            summary: &mut outside,
            writes: true,
            flows: true,
            classes: Some(&classes),
        };
        namespace_scope(&unit.items, &mut scan, 0);
        out.note_names(&unit.items, 0);
        for (at, b) in out.bodies.iter().enumerate() {
            out.by_address.insert(Arc::as_ptr(b.function) as usize, at);
            out.written.extend(b.summary.writes.names.iter().cloned());
            out.values.extend(b.summary.bare.iter().cloned());
            let name = b.function.name.clone();
            out.by_name.entry(name).or_default().push(at);
        }
        out.values.extend(outside.bare.iter().cloned());
        out.find_unfollowed(&outside);
        out
    }

    fn note_names(&mut self, items: &[ast::Item], depth: u32) {
        let mut own: FxHashSet<Name> = FxHashSet::default();
        let mut defined: FxHashSet<Name> = FxHashSet::default();
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                ast::Item::Function(f) if f.body.is_some() => {
                    self.has_main |= depth == 0 && &*f.name == "main";
                    defined.insert(f.name.clone());
                }
                ast::Item::Function(f) => {
                    self.elsewhere.insert(f.name.clone());
                }
                // A declaration and the definition are one variable.
                ast::Item::Variables(vs) => own.extend(vs.iter().map(|v| v.name.clone())),
                ast::Item::Namespace(_, inner) => self.note_names(inner, depth + 1),
                _ => {}
            }
        }
        self.elsewhere.retain(|name| !defined.contains(name));
        for name in own {
            *self.variables.entry(name).or_default() += 1;
        }
    }

    /// Whether a function of this name stands in another file.
    pub fn is_elsewhere(&self, name: &str) -> bool {
        self.elsewhere.contains(name) && !takes_values(name)
    }

    /// Whether one namespace only has a variable of this name.
    pub fn is_unique(&self, name: &str) -> bool {
        self.variables.get(name) == Some(&1)
    }

    /// Whether code that does this launches a kernel.
    pub fn launches(&self, writes: &Writes) -> bool {
        writes.has_launch || writes.calls.iter().any(|c| self.reaching.contains(c))
    }

    /// Whether a function with a body only reads one of its parameters.
    pub fn only_reads(&self, c: &crate::sema::scope::Callee, p: &ast::Parameter) -> bool {
        let Some(b) = self.of(&c.function) else {
            return false;
        };
        let Some(name) = &p.name else {
            return true;
        };
        let summary = &b.summary;
        !summary.writes.everything
            && !summary.writes.names.contains(name)
            && !summary.escaped.contains(name)
            && !summary.lambda_writes.contains(name)
    }

    /// Variables that are written where nobody looks: by constructors, operators, lambdas, callbacks,
    /// threads, through pointers.
    fn find_unfollowed(&mut self, outside: &Summary) {
        let mut names: FxHashSet<Name> = outside.escaped.clone();
        names.extend(outside.writes.names.iter().cloned());
        let mut calls: Vec<Name> = outside.writes.calls.iter().cloned().collect();
        for b in &self.bodies {
            let f = b.function;
            names.extend(b.summary.escaped.iter().cloned());
            names.extend(b.summary.lambda_writes.iter().cloned());
            calls.extend(b.summary.lambda_calls.iter().cloned());
            let is_plain =
                f.kind == ast::FunctionKind::Plain && b.record.is_none() && f.qualifier.is_none();
            if !is_plain || self.values.contains(&f.name) {
                calls.push(f.name.clone());
            }
            if matches!(f.result.kind, ast::TypeKind::Reference { .. }) {
                names.extend(b.summary.bare.iter().cloned());
            }
        }
        for name in calls {
            names.extend(self.writes_of(&name).iter().cloned());
        }
        self.unfollowed = names;
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

/// Names of functions and lambdas that launch, or call one that does.
fn reaching(bodies: &[Body<'_>]) -> FxHashSet<Name> {
    let mut reaching: FxHashSet<Name> = bodies
        .iter()
        .filter(|b| b.summary.writes.has_launch)
        .map(|b| b.function.name.clone())
        .collect();
    if reaching.is_empty() {
        return reaching;
    }
    loop {
        let before = reaching.len();
        for b in bodies {
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
            return reaching;
        }
    }
}

/// Which classes of a unit keep no reference to what they are made of.
struct Classes {
    harmless: FxHashSet<Name>,
}

impl Classes {
    fn of(unit: &ast::Unit) -> Self {
        let mut harmless: FxHashSet<Name> = FxHashSet::default();
        let mut holding: FxHashSet<Name> = FxHashSet::default();
        fn record(r: &ast::Record, harmless: &mut FxHashSet<Name>, holding: &mut FxHashSet<Name>) {
            let is_reference = |ty: &ast::TypeExpr, most: bool| match &ty.kind {
                ast::TypeKind::Reference { to, .. } => most || !to.is_const,
                _ => false,
            };
            let mut is_harmless = r.is_definition && r.problem.is_none() && r.bases.is_empty();
            for m in &r.members {
                match m {
                    Member::Variables(vs) => {
                        is_harmless &= !vs.iter().any(|v| is_reference(&v.ty, true));
                    }
                    Member::Function(f) if f.kind == ast::FunctionKind::Constructor => {
                        is_harmless &= !f.parameters.iter().any(|p| is_reference(&p.ty, false));
                    }
                    Member::Record(inner) => record(inner, harmless, holding),
                    Member::Alias(a) => {
                        holding.insert(a.name.clone());
                    }
                    Member::Enum(e) => harmless.extend(e.name.clone()),
                    Member::Function(_) => {}
                }
            }
            if let Some(name) = &r.name
                && r.is_definition
            {
                if is_harmless { harmless } else { holding }.insert(name.clone());
            }
        }
        fn items(
            all: &[ast::Item],
            harmless: &mut FxHashSet<Name>,
            holding: &mut FxHashSet<Name>,
            depth: u32,
        ) {
            for item in all.iter().filter(|_| depth < 64) {
                match item {
                    ast::Item::Record(r) => record(r, harmless, holding),
                    ast::Item::Enum(e) => harmless.extend(e.name.clone()),
                    ast::Item::Alias(a) => match &a.ty.kind {
                        ast::TypeKind::Builtin(_) | ast::TypeKind::Pointer { .. } => {
                            harmless.insert(a.name.clone());
                        }
                        _ => {}
                    },
                    ast::Item::Namespace(_, inner) => items(inner, harmless, holding, depth + 1),
                    _ => {}
                }
            }
        }
        items(&unit.items, &mut harmless, &mut holding, 0);
        harmless.retain(|name| !holding.contains(name));
        Self { harmless }
    }

    /// Whether an object of this type may keep a reference to what it is made of.
    fn holds(&self, ty: &ast::TypeExpr) -> bool {
        const VALUES: &[&str] = &[
            "dim3",
            "vector",
            "string",
            "array",
            "initializer_list",
            "unique_ptr",
            "shared_ptr",
            "map",
            "unordered_map",
            "set",
            "unordered_set",
            "deque",
            "list",
            "bitset",
            "pair",
            "complex",
            "ofstream",
            "ifstream",
            "fstream",
            "stringstream",
            "size_t",
            "ptrdiff_t",
            "mt19937",
            "uniform_int_distribution",
            "uniform_real_distribution",
            "normal_distribution",
            "default_random_engine",
            "FILE",
            "device_vector",
            "host_vector",
            "integral_constant",
            "bool_constant",
            "half",
            "__half",
            "__nv_bfloat16",
            "half2",
            "cudaLaunchConfig_t",
            "chrono",
            "duration",
            "time_point",
            "filesystem",
            "path",
        ];
        match &ty.kind {
            ast::TypeKind::Named(p) => {
                let Some(last) = p.segments.last() else {
                    return true;
                };
                let is_plain = VALUES.contains(&&*last.name)
                    || self.harmless.contains(&last.name)
                    || crate::sema::types::known(&last.name).is_some();
                let refers = p.segments.iter().filter_map(|s| s.arguments.as_deref());
                !is_plain
                    || refers.flatten().any(|a| {
                        matches!(a, ast::TemplateArgument::Type(t) if matches!(t.kind, ast::TypeKind::Reference { .. }))
                    })
            }
            ast::TypeKind::Array(of, _) => self.holds(of),
            ast::TypeKind::Builtin(_)
            | ast::TypeKind::Pointer { .. }
            | ast::TypeKind::Reference { .. }
            | ast::TypeKind::Auto
            | ast::TypeKind::Enum(_)
            | ast::TypeKind::Function { .. } => false,
            _ => true,
        }
    }
}

/// Reads what stands outside of functions.
fn namespace_scope(items: &[ast::Item], scan: &mut Scan<'_>, depth: u32) {
    for item in items.iter().filter(|_| depth < 64) {
        match item {
            ast::Item::Variables(vs) => vs.iter().for_each(|v| scan.variable(v, MAX_DEPTH)),
            ast::Item::Namespace(_, inner) => namespace_scope(inner, scan, depth + 1),
            _ => {}
        }
    }
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
    fn absorb(&mut self, other: Self) {
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
        self.lambda_writes.extend(other.lambda_writes);
        self.lambda_calls.extend(other.lambda_calls);
        self.bare.extend(other.bare);
        self.has_goto |= other.has_goto;
        self.lists.extend(other.lists);
    }

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
        classes: None,
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
        classes: None,
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
    /// There where whole functions are read.
    classes: Option<&'s Classes>,
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
                if !matches!(range.kind, ExprKind::Path(_)) {
                    self.expr(range, depth);
                }
                self.flow(&variable.name, &[range]);
                let inner = self.part(|scan| scan.statement(body, depth));
                if let ast::TypeKind::Reference { to, .. } = &variable.ty.kind
                    && !to.is_const
                    && self.writes
                {
                    let writes = &inner.writes;
                    let own = std::iter::once(&variable.name).chain(&variable.bindings);
                    if writes.everything || own.into_iter().any(|n| writes.names.contains(n)) {
                        self.escape(range);
                        self.write(range, true);
                    }
                }
                self.summary.absorb(inner);
            }
            StmtKind::While { condition, body } => {
                self.condition(condition, depth);
                self.statement(body, depth);
            }
            StmtKind::Goto(_) => self.summary.has_goto = true,
            StmtKind::Error => self.summary.writes.everything = true,
            StmtKind::Asm(asm) => {
                for (_, place) in &asm.outputs {
                    self.write(place, true);
                }
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
        if let ast::TypeKind::Reference { to, is_rvalue } = &v.ty.kind
            && (!to.is_const || *is_rvalue)
        {
            exprs
                .iter()
                .filter(|e| is_lvalue(e))
                .for_each(|e| self.escape(e));
        }
        if self.classes.is_some_and(|classes| classes.holds(&v.ty)) {
            exprs.iter().for_each(|e| self.escape_parts(e));
        }
        // `void* list[] = {&a, &b}`
        if let [
            Expr {
                kind: ExprKind::List(items),
                ..
            },
        ] = &exprs[..]
            && matches!(&v.ty.kind, ast::TypeKind::Array(of, _) if matches!(&of.kind, ast::TypeKind::Pointer { to, .. } if matches!(to.kind, ast::TypeKind::Builtin(ast::Builtin::Void))))
        {
            let mut names = Vec::new();
            for (_, item) in items {
                match address_of(item) {
                    Some(inner) => names.extend(roots_of(inner)),
                    None => self.expr(item, depth),
                }
            }
            if self.flows {
                self.summary.lists.push((v.name.clone(), names));
            }
            return;
        }
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
        let roots = roots_of(place);
        let is_whole = !matches!(
            place.kind,
            ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _)
        );
        for root in &roots {
            self.summary.writes.names.insert(root.clone());
            if is_move && is_whole {
                self.summary.writes.moved.insert(root.clone());
            }
        }
        roots.into_iter().next()
    }

    /// Somebody holds an address of this, or a reference to it.
    fn escape(&mut self, place: &Expr) {
        if self.writes {
            self.summary.escaped.extend(roots_of(place));
        }
    }

    /// An object is made of this and may keep references to it.
    fn escape_parts(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::List(items) => items.iter().for_each(|(_, e)| self.escape_parts(e)),
            ExprKind::Call { arguments, .. } | ExprKind::Construct { arguments, .. } => {
                arguments.iter().for_each(|e| self.escape_parts(e));
            }
            _ if is_lvalue(e) => self.escape(e),
            _ => {}
        }
    }

    /// Handed to a function that may write it, and keep a reference.
    fn hand_over(&mut self, place: &Expr) {
        if self.writes {
            self.write(place, false);
            self.summary.writes.handed.extend(roots_of(place));
        }
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
                if !matches!(place.kind, ExprKind::Path(_)) {
                    self.expr(place, depth);
                }
                self.expr(value, depth);
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => {
                self.escape(inner);
                if self.flows {
                    // `&k`, of a function.
                    self.summary.bare.extend(root_of(inner).cloned());
                }
                if !matches!(inner.kind, ExprKind::Path(_)) {
                    self.expr(inner, depth);
                }
            }
            ExprKind::Path(p) => {
                if self.flows {
                    self.summary
                        .bare
                        .extend(p.segments.last().map(|s| s.name.clone()));
                }
            }
            ExprKind::Index(base, at) => {
                if !matches!(base.kind, ExprKind::Path(_)) {
                    self.expr(base, depth);
                }
                at.iter().for_each(|e| self.expr(e, depth));
            }
            ExprKind::Member { object, .. } => {
                if !matches!(object.kind, ExprKind::Path(_)) {
                    self.expr(object, depth);
                }
            }
            ExprKind::Sizeof(_) => {}
            ExprKind::Error => self.summary.writes.everything = true,
            ExprKind::Construct { ty, arguments } => {
                if self.classes.is_some_and(|classes| classes.holds(ty)) {
                    arguments.iter().for_each(|e| self.escape_parts(e));
                }
                arguments.iter().for_each(|e| self.expr(e, depth));
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
                    if !matches!(e.kind, ExprKind::Path(_)) {
                        match address_of(e) {
                            Some(inner) => self.hand_over(inner),
                            None => self.expr(e, depth),
                        }
                    }
                }
                self.summary.relevant.extend(names);
            }
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, depth),
            ExprKind::Lambda(l) => self.lambda(l, depth),
            _ => each_child(e, &mut |c| self.expr(c, depth)),
        }
    }

    fn call(&mut self, callee: &Expr, arguments: &[Expr], depth: u32) {
        let name = match &callee.kind {
            ExprKind::Path(p) => p.segments.last().map(|s| s.name.clone()),
            ExprKind::Member { object, member, .. } => {
                let name = member.segments.last().map(|s| s.name.clone());
                if name.as_deref().is_none_or(|n| !only_reads(n)) {
                    self.write(object, false);
                }
                // `v.begin()` and kin give a way to write the elements.
                if name.as_deref().is_some_and(gives_a_way_in) {
                    self.escape(object);
                }
                name
            }
            ExprKind::Other("new") => {
                arguments.iter().for_each(|e| self.escape_parts(e));
                None
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
                && let Some(s) = p.segments.last()
            {
                self.summary.writes.calls.insert(s.name.clone());
            }
        }
        let launches = name.as_deref().is_some_and(|n| LAUNCH_CALLS.contains(&n));
        let keeps = name.as_deref().is_none_or(keeps_addresses);
        if let Some(name) = name {
            if launches {
                self.summary.writes.has_launch = true;
                self.summary.relevant.extend(names);
            } else if !names.is_empty() {
                self.summary.call_arguments.push((name.clone(), names));
            }
            self.summary.writes.calls.insert(name.clone());
            if self.writes && !launches && !takes_values(&name) {
                for a in arguments.iter().filter(|a| is_lvalue(a)) {
                    self.hand_over(a);
                }
            }
        } else {
            for a in arguments.iter().filter(|a| is_lvalue(a)) {
                self.hand_over(a);
            }
        }
        for a in arguments {
            match address_of(a) {
                Some(inner) if launches => {
                    self.write(inner, false);
                }
                Some(inner) => {
                    if keeps {
                        self.escape(inner);
                        if self.flows {
                            self.summary.bare.extend(root_of(inner).cloned());
                        }
                    }
                    self.write(inner, false);
                    if !matches!(inner.kind, ExprKind::Path(_)) {
                        self.expr(inner, depth);
                    }
                }
                None if launches && matches!(a.kind, ExprKind::Path(_)) => {}
                None if !keeps && matches!(a.kind, ExprKind::Path(_)) => {}
                None => self.expr(a, depth),
            }
        }
        if !matches!(callee.kind, ExprKind::Path(_)) {
            self.expr(callee, depth);
        }
    }

    /// Reads a part by itself.
    fn part(&self, read: impl FnOnce(&mut Scan<'_>)) -> Summary {
        let mut summary = Summary::default();
        read(&mut Scan {
            summary: &mut summary,
            writes: self.writes,
            flows: self.flows,
            classes: self.classes,
        });
        summary
    }

    fn lambda(&mut self, l: &ast::Lambda, depth: u32) {
        let inner = self.part(|scan| l.body.iter().for_each(|s| scan.statement(s, depth)));
        if self.writes {
            let writes = &inner.writes;
            let mut own: FxHashSet<Name> =
                l.parameters.iter().filter_map(|p| p.name.clone()).collect();
            l.body.iter().for_each(|s| declared(s, &mut own, MAX_DEPTH));
            let outer = |n: &&Name| !own.contains(*n);
            let summary = &mut *self.summary;
            summary
                .lambda_writes
                .extend(writes.names.iter().filter(outer).cloned());
            summary.lambda_calls.extend(writes.calls.iter().cloned());
            let by_reference = |n: &&Name| l.captures.is_reference(n) == Some(true);
            let written = writes.names.iter().filter(outer).filter(by_reference);
            summary.escaped.extend(written.cloned());
            for c in l
                .captures
                .listed
                .iter()
                .filter(|c| c.is_new && c.is_reference)
            {
                // `[&x = y]`: what stands behind it is not kept.
                summary.writes.everything |= writes.names.contains(&c.name);
            }
        }
        self.summary.absorb(inner);
    }
}

/// Methods of standard containers that change nothing.
pub(super) fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "size"
            | "empty"
            | "length"
            | "count"
            | "c_str"
            | "at"
            | "front"
            | "back"
            | "capacity"
            | "max_size"
            | "find"
    )
}

/// Methods of standard containers through which elements may be written later.
fn gives_a_way_in(name: &str) -> bool {
    matches!(name, "begin" | "end" | "rbegin" | "rend" | "data" | "find")
}

/// The variables that a statement declares, at any depth.
fn declared(s: &Stmt, out: &mut FxHashSet<Name>, depth: u32) {
    if depth == 0 {
        return;
    }
    let depth = depth - 1;
    match &s.kind {
        StmtKind::Variables(vs) => {
            for v in vs.iter() {
                out.insert(v.name.clone());
                out.extend(v.bindings.iter().cloned());
            }
        }
        StmtKind::Block(body) | StmtKind::Switch { body, .. } => {
            body.iter().for_each(|s| declared(s, out, depth));
        }
        StmtKind::If {
            init,
            then,
            otherwise,
            ..
        } => {
            init.iter().for_each(|s| declared(s, out, depth));
            declared(then, out, depth);
            otherwise.iter().for_each(|s| declared(s, out, depth));
        }
        StmtKind::For { init, body, .. } => {
            init.iter().for_each(|s| declared(s, out, depth));
            declared(body, out, depth);
        }
        StmtKind::RangeFor { variable, body, .. } => {
            out.insert(variable.name.clone());
            out.extend(variable.bindings.iter().cloned());
            declared(body, out, depth);
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
            declared(body, out, depth);
        }
        _ => {}
    }
}
