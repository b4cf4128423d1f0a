//! A first look at host functions: which of them reach a launch, what they assign, and
//! which variables a launch depends on.
//!
//! Names only: nothing is resolved. Two functions of one name count as one.

use super::calls::CALL;
use super::displaced::Displaced;
use super::mentions::{beside_body, calls_in, calls_in_defaults_of_lambdas};
use super::open_classes;
use super::scan::{MAX_DEPTH, Scan};
pub(super) use super::summary::{CastsAway, Copied, Summary, Writes};
use super::unit_facts::{UnitFacts, is_of_device};
use super::unparsed_text::PassedOver;
use super::unread_mentions;
use crate::syntax::ast::{self, Expr, Member, Name, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Every function of a unit that has a body, methods included.
pub(super) struct Body<'a> {
    pub function: &'a Arc<ast::Function>,
    /// The class it stands in.
    pub record: Option<&'a Arc<ast::Record>>,
    pub summary: Summary,
}

pub(super) struct Survey<'a> {
    pub unit: &'a ast::Unit,
    pub bodies: Vec<Body<'a>>,
    /// All of them, where none leads to a launch.
    silent: Vec<Body<'a>>,
    pub by_address: FxHashMap<usize, usize>,
    /// Names of functions that launch or call one that does.
    pub reaching: FxHashSet<Name>,
    /// Names of templates that name kernels as values.
    pub pickers: FxHashSet<Name>,
    /// Names written anywhere.
    pub written: FxHashSet<Name>,
    /// Places in `bodies`.
    by_name: FxHashMap<Name, Vec<usize>>,
    calls: Calls,
    /// What each function writes, its callees included, by name.
    writes_of: FxHashMap<Name, FxHashSet<Name>>,
    /// Names that occur as values anywhere: functions among them may be called by anybody.
    pub values: FxHashSet<Name>,
    /// Names that occur outside of functions.
    pub named_outside: FxHashSet<Name>,
    /// Functions that may be called with arguments that no call in sight has.
    pub called_by_anybody: FxHashSet<Name>,
    /// Classes whose methods may be called so.
    open_classes: FxHashSet<Name>,
    /// Variables of namespaces that are never known: what writes them is not followed.
    pub unfollowed: FxHashSet<Name>,
    /// Functions that are declared but not defined.
    elsewhere: FxHashSet<Name>,
    /// Variables of namespaces, by name: how many there are.
    variables: FxHashMap<Name, usize>,
    /// Those among them that may change.
    changing: FxHashSet<Name>,
    /// Those among them that kernels read.
    pub of_device: Vec<Name>,
    pub has_main: bool,
    /// A function of another file is called: it may call those of this one.
    pub calls_elsewhere: bool,
    pub facts: UnitFacts,
    casts_of: FxHashMap<Name, CastsAway>,
    /// Pointers that the text may move.
    pub displaced: Displaced<'a>,
}

/// Who calls whom: the functions of one name are one.
#[derive(Default)]
struct Calls {
    numbers: FxHashMap<Name, usize>,
    /// By number: places of bodies, and the numbers of what they call.
    functions: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Calls {
    fn of(bodies: &[Body<'_>], by_name: &FxHashMap<Name, Vec<usize>>) -> Self {
        let names = by_name.keys().cloned().enumerate();
        let numbers: FxHashMap<Name, usize> = names.map(|(at, name)| (name, at)).collect();
        let functions = by_name.values().map(|own| {
            let calls = own.iter().flat_map(|at| &bodies[*at].summary.writes.calls);
            let mut calls: Vec<usize> = calls.filter_map(|c| numbers.get(c).copied()).collect();
            calls.sort_unstable();
            calls.dedup();
            (own.clone(), calls)
        });
        Self {
            functions: functions.collect(),
            numbers,
        }
    }
}

/// Functions that give a function on to others, beyond which anybody may call it.
const MAX_GIVING: u32 = 6;

/// Who is called.
#[derive(Clone, Debug)]
pub(super) enum Receiver<'c> {
    Function(&'c Name),
    Lambda(&'c ast::Lambda),
    Anybody,
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
    #[expect(clippy::too_many_lines, reason = "still to be split")]
    pub fn new(unit: &'a ast::Unit, text: &str) -> Self {
        let mut facts = UnitFacts::of(unit);
        let mut bodies = Vec::new();
        collect(&unit.items, &facts, &mut bodies, 0);
        if bodies.iter().any(|body| is_of_device(body.function)) {
            facts.count_device_code();
            bodies.clear();
            collect(&unit.items, &facts, &mut bodies, 0);
        }
        let mut out = Self {
            unit,
            bodies,
            silent: Vec::new(),
            by_address: FxHashMap::default(),
            reaching: FxHashSet::default(),
            pickers: FxHashSet::default(),
            written: FxHashSet::default(),
            by_name: FxHashMap::default(),
            calls: Calls::default(),
            writes_of: FxHashMap::default(),
            values: FxHashSet::default(),
            named_outside: FxHashSet::default(),
            called_by_anybody: FxHashSet::default(),
            open_classes: FxHashSet::default(),
            unfollowed: FxHashSet::default(),
            elsewhere: FxHashSet::default(),
            variables: FxHashMap::default(),
            changing: FxHashSet::default(),
            of_device: Vec::new(),
            has_main: false,
            calls_elsewhere: false,
            facts,
            casts_of: FxHashMap::default(),
            displaced: Displaced::default(),
        };
        out.reaching = reaching(&out.bodies);
        if out.reaching.is_empty() {
            out.silent = std::mem::take(&mut out.bodies);
            return out;
        }
        out.facts.passed_over = PassedOver::of(text);
        let mut local: Vec<Arc<ast::Record>> = Vec::new();
        for b in &mut out.bodies {
            local.append(&mut b.summary.records);
            out.facts.note_rows(&b.summary.rows);
        }
        local.iter().for_each(|r| out.facts.note_arrays(r, 0));
        let mut called_beside: FxHashSet<Name> = FxHashSet::default();
        for b in &mut out.bodies {
            let mut scan = Scan {
                summary: &mut b.summary,
                writes: true,
                flows: true,
                is_whole: true,
                facts: &out.facts,
                copied: None,
            };
            // What a default argument does, each call may do that leaves it out.
            scan.bindings_beside_body(b.function, b.record.map(|r| &**r));
            for e in beside_body(b.function) {
                scan.expr(e, MAX_DEPTH);
                // The walk does not run it: what it calls is called by anybody.
                calls_in(e, &mut called_beside);
            }
            b.function
                .body
                .iter()
                .flatten()
                .for_each(|s| scan.statement(s, MAX_DEPTH));
        }
        // What functions name as values is known now.
        out.reaching = reaching(&out.bodies);
        for b in &mut out.bodies {
            b.summary.close(&out.reaching);
            b.summary.note_casts(b.function);
            if b.function.problem.is_some() {
                b.summary.writes.everything = true;
            }
        }
        let mut outside = Summary::default();
        // Classes within functions are read for what they do to variables of namespaces.
        for method in local.iter().flat_map(|r| &r.members) {
            let Member::Function(f) = method else {
                continue;
            };
            let mut scan = Scan {
                summary: &mut outside,
                writes: true,
                flows: false,
                is_whole: true,
                facts: &out.facts,
                copied: None,
            };
            scan.bindings_beside_body(f, None);
            beside_body(f).for_each(|e| scan.expr(e, MAX_DEPTH));
            let body = f.body.iter().flatten();
            body.for_each(|s| scan.statement(s, MAX_DEPTH));
        }
        let mut scan = Scan {
            summary: &mut outside,
            writes: true,
            flows: true,
            is_whole: true,
            facts: &out.facts,
            copied: None,
        };
        namespace_scope(&unit.items, &mut scan, 0);
        local.iter().for_each(|r| class_scope(r, &mut scan, 0));
        out.note_names(&unit.items, 0);
        for (at, b) in out.bodies.iter().enumerate() {
            out.by_address.insert(Arc::as_ptr(b.function) as usize, at);
            out.written.extend(b.summary.writes.names.iter().cloned());
            out.values.extend(b.summary.bare.iter().cloned());
            let name = b.function.name.clone();
            out.by_name.entry(name).or_default().push(at);
        }
        let mut kernels = FxHashSet::default();
        kernel_names(&unit.items, &mut kernels, 0);
        let names_kernel = |b: &&Body<'_>| {
            !b.function.templates.is_empty() && !b.summary.bare.is_disjoint(&kernels)
        };
        let pickers = out.bodies.iter().filter(names_kernel);
        out.pickers = pickers.map(|b| b.function.name.clone()).collect();
        out.calls = Calls::of(&out.bodies, &out.by_name);
        out.values.extend(outside.bare.iter().cloned());
        let mut called = out.bodies.iter().flat_map(|b| &b.summary.writes.calls);
        out.calls_elsewhere = called.any(|name| out.is_elsewhere(name));
        let functions: Vec<_> = out.bodies.iter().map(|b| b.function).collect();
        out.displaced = Displaced::new(unit, &functions, &out.values);
        called_beside.extend(outside.writes.calls.iter().cloned());
        called_beside.extend(outside.lambda_calls.iter().cloned());
        for b in &out.bodies {
            calls_in_defaults_of_lambdas(b.function, &mut called_beside);
        }
        out.named_outside.clone_from(&outside.bare);
        out.called_by_anybody = out.find_open_values(&outside);
        out.called_by_anybody.extend(called_beside);
        out.find_unfollowed(&outside);
        let unread = unread_mentions::of(
            unit,
            text,
            &unread_mentions::Wanted {
                functions: &out.reaching,
                variables: &out.changing,
            },
        );
        out.unfollowed.extend(unread.iter().cloned());
        out.open_classes = open_classes::of(unit, &out.bodies, &out.reaching, &out.facts);
        out.called_by_anybody.extend(unread);
        out
    }

    /// Every function with a body, whether any leads to a launch or not.
    pub fn all_bodies(&self) -> impl Iterator<Item = &Body<'a>> {
        self.bodies.iter().chain(&self.silent)
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
                ast::Item::Variables(vs) => {
                    own.extend(vs.iter().map(|v| v.name.clone()));
                    let changing = vs.iter().filter(|v| !is_constant(v));
                    self.changing.extend(changing.map(|v| v.name.clone()));
                    let of_device = vs.iter().filter(|v| {
                        v.storage.is_device || v.storage.is_constant || v.storage.is_managed
                    });
                    self.of_device.extend(of_device.map(|v| v.name.clone()));
                }
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
        self.elsewhere.contains(name) && !self.facts.takes_values(name)
    }

    /// Whether a method of this name may be called through a base class.
    pub fn is_virtual(&self, name: &str) -> bool {
        self.facts.is_virtual(name)
    }

    /// Anybody may call the functions and methods of the unit, and write its variables; templates aside, whose
    /// instances in sight are those that are looked at.
    pub fn open_all(&mut self) {
        let plain = self
            .bodies
            .iter()
            .filter(|b| b.function.templates.is_empty());
        let plain = plain.filter(|b| b.record.is_none_or(|r| r.templates.is_empty()));
        let names: Vec<Name> = plain.map(|b| b.function.name.clone()).collect();
        self.called_by_anybody.extend(names);
        self.unfollowed.extend(self.changing.iter().cloned());
    }

    /// Whether a method may be called by somebody who is not in sight, because of its class.
    pub fn is_of_open_class(&self, b: &Body<'_>) -> bool {
        !self.open_classes.is_empty()
            && open_classes::class_of(b).is_some_and(|name| self.open_classes.contains(&name))
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
            && !summary.called.contains(name)
            && !summary.lambda_writes.contains(name)
            // An object that is called may change itself.
            && !(self.facts.overload(CALL).is_some_and(|call| call.left)
                && (summary.writes.calls.contains(name) || summary.lambda_calls.contains(name)))
            // What it gives back may lead to the argument.
            && (!summary.returned.contains(name) || self.facts.gives_value(&c.function.name))
    }

    /// What a statement (with the expressions beside it) writes.
    pub fn writes(&self, statements: &[&Stmt], expressions: &[&Expr]) -> Writes {
        self.writes_beside(statements, expressions, &Copied::default())
    }

    /// The same, where it is known which variables are called and only take copies.
    pub fn writes_beside(
        &self,
        statements: &[&Stmt],
        expressions: &[&Expr],
        copied: &Copied,
    ) -> Writes {
        let mut summary = Summary::default();
        let mut scan = Scan {
            summary: &mut summary,
            writes: true,
            flows: false,
            is_whole: false,
            facts: &self.facts,
            copied: Some(copied),
        };
        statements.iter().for_each(|s| scan.statement(s, MAX_DEPTH));
        expressions.iter().for_each(|e| scan.expr(e, MAX_DEPTH));
        summary.writes
    }

    /// Whether a function of this name, or one that it calls, writes what its parameters' types say
    /// is only read.
    pub fn casts_away(&mut self, name: &Name) -> CastsAway {
        if let Some(known) = self.casts_of.get(name) {
            return *known;
        }
        let mut all = CastsAway::default();
        for at in self.reached_from(std::slice::from_ref(name)) {
            let one = self.bodies[at].summary.casts_away;
            all.references |= one.references;
            all.pointers |= one.pointers;
        }
        self.casts_of.insert(name.clone(), all);
        all
    }

    /// Whether a function moves the pointer that a parameter refers or points to.
    pub fn moves(&self, function: &Arc<ast::Function>, name: &str) -> bool {
        self.of(function).is_some_and(|b| {
            b.summary.writes.moved.contains(name) || b.summary.moved_behind.contains(name)
        })
    }

    /// Whether a function takes the address of its parameter.
    pub fn takes_address(&self, function: &Arc<ast::Function>, name: &str) -> bool {
        self.of(function).is_some_and(|b| {
            let summary = &b.summary;
            [&summary.escaped, &summary.called, &summary.place_casts]
                .iter()
                .any(|names| names.contains(name))
        })
    }

    /// The bodies of the functions of these names and of all that they call, by place.
    fn reached_from(&self, names: &[Name]) -> Vec<usize> {
        let Calls { numbers, functions } = &self.calls;
        let mut seen = vec![false; functions.len()];
        let number = |name: &Name| numbers.get(name).copied();
        let mut todo: Vec<usize> = names.iter().filter_map(number).collect();
        let mut out = Vec::new();
        while let Some(next) = todo.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                let (bodies, calls) = &functions[next];
                out.extend(bodies);
                todo.extend(calls.iter().filter(|call| !seen[**call]));
            }
        }
        out
    }

    /// Functions that are used as values, beyond being handed to functions that only call them.
    fn find_open_values(&self, outside: &Summary) -> FxHashSet<Name> {
        let mut open = outside.bare.clone();
        for b in &self.bodies {
            open.extend(b.summary.values.iter().cloned());
            for (to, i, name) in &b.summary.given {
                if !self.only_calls(to, *i, MAX_GIVING) {
                    open.insert(name.clone());
                }
            }
        }
        open
    }

    /// Whether the functions of a name do nothing with one of their parameters but call it, or give it to
    /// such functions.
    fn only_calls(&self, name: &str, i: usize, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let Some(all) = self.by_name.get(name).filter(|all| !all.is_empty()) else {
            return false;
        };
        all.iter().all(|&at| {
            let b = &self.bodies[at];
            let parameter = b.function.parameters.get(i).filter(|p| !p.is_pack);
            let Some(name) = parameter.and_then(|p| p.name.as_ref()) else {
                return false;
            };
            self.is_only_called(&b.summary, name, depth)
        })
    }

    /// The functions of a name that lead to a launch.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &'_ Arc<ast::Function>> {
        let all = self.by_name.get(name).into_iter().flatten();
        all.map(|at| self.bodies[*at].function)
    }

    /// Whether a piece of code does nothing with a variable but call it.
    fn is_only_called(&self, summary: &Summary, name: &Name, depth: u32) -> bool {
        !summary.values.contains(name)
            && !summary.escaped.contains(name)
            && !summary.writes.names.contains(name)
            && !summary.writes.everything
            // Who calls a lambda, and when, is not followed everywhere.
            && !summary.lambda_calls.contains(name)
            && summary
                .given
                .iter()
                .filter(|(_, _, given)| given == name)
                .all(|(to, i, _)| self.only_calls(to, *i, depth))
    }

    /// Whether a lambda that a function names is called where its name stands, and nowhere else.
    pub fn is_lambda_closed(&self, function: &Arc<ast::Function>, name: &Name) -> bool {
        self.of(function).is_some_and(|b| {
            let summary = &b.summary;
            let mut given = summary.given.iter().filter(|(_, _, given)| given == name);
            !summary.values.contains(name)
                && given.all(|(to, i, _)| self.only_calls(to, *i, MAX_GIVING))
        })
    }

    /// Whether a function only calls the lambda that it is given as one of its arguments.
    pub fn only_calls_argument(&self, callee: &Receiver<'_>, i: usize) -> bool {
        match callee {
            Receiver::Function(name) => self.only_calls(name, i, MAX_GIVING),
            Receiver::Lambda(l) => {
                let parameter = l.parameters.get(i).filter(|p| !p.is_pack);
                let Some(name) = parameter.and_then(|p| p.name.as_ref()) else {
                    return false;
                };
                let mut summary = Summary::default();
                let mut scan = Scan {
                    summary: &mut summary,
                    writes: true,
                    flows: true,
                    is_whole: true,
                    facts: &self.facts,
                    copied: None,
                };
                l.body.iter().for_each(|s| scan.statement(s, MAX_DEPTH));
                self.is_only_called(&summary, name, MAX_GIVING)
            }
            Receiver::Anybody => false,
        }
    }

    /// Variables that are written where nobody looks: by constructors, operators, lambdas, callbacks,
    /// threads, through pointers.
    fn find_unfollowed(&mut self, outside: &Summary) {
        let mut names: FxHashSet<Name> = outside.escaped.clone();
        names.extend(outside.called.iter().cloned());
        if self.facts.passed_over.class {
            names.extend(self.variables.keys().cloned());
        }
        names.extend(outside.writes.names.iter().cloned());
        let mut calls: Vec<Name> = outside.writes.calls.iter().cloned().collect();
        for b in &self.bodies {
            let f = b.function;
            names.extend(b.summary.escaped.iter().cloned());
            names.extend(b.summary.called.iter().cloned());
            names.extend(b.summary.lambda_writes.iter().cloned());
            calls.extend(b.summary.lambda_calls.iter().cloned());
            let is_plain =
                f.kind == ast::FunctionKind::Plain && b.record.is_none() && f.qualifier.is_none();
            if !is_plain || self.values.contains(&f.name) {
                calls.push(f.name.clone());
            }
            if matches!(f.result.kind, ast::TypeKind::Reference { .. }) {
                names.extend(b.summary.bare.iter().cloned());
            } else if self.facts.may_refer(&f.result) {
                names.extend(b.summary.returned.iter().cloned());
            }
        }
        // One walk for all: they reach much the same.
        for at in self.reached_from(&calls) {
            names.extend(self.bodies[at].summary.writes.names.iter().cloned());
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
            let mut out = FxHashSet::default();
            for at in self.reached_from(std::slice::from_ref(name)) {
                out.extend(self.bodies[at].summary.writes.names.iter().cloned());
            }
            self.writes_of.insert(name.clone(), out);
        }
        &self.writes_of[name]
    }
}

/// Names of functions and lambdas that launch, call one that does, or name one as a value: they may call it.
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
            let mut named = b.summary.writes.calls.iter().chain(&b.summary.bare);
            if !reaching.contains(&b.function.name) && named.any(|name| reaching.contains(name)) {
                reaching.insert(b.function.name.clone());
            }
        }
        if reaching.len() == before {
            return reaching;
        }
    }
}

/// Whether a variable keeps the value that it has at first.
fn is_constant(v: &ast::Variable) -> bool {
    let mut ty = &v.ty;
    while let ast::TypeKind::Array(of, _) = &ty.kind {
        ty = of;
    }
    ty.is_const || v.storage.is_constexpr
}

/// The names of all kernels.
fn kernel_names(items: &[ast::Item], out: &mut FxHashSet<Name>, depth: u32) {
    for item in items.iter().filter(|_| depth < 64) {
        match item {
            ast::Item::Function(f) if f.attributes.global => {
                out.insert(f.name.clone());
            }
            ast::Item::Namespace(_, inner) => kernel_names(inner, out, depth + 1),
            _ => {}
        }
    }
}

/// Reads what stands outside of functions.
fn namespace_scope(items: &[ast::Item], scan: &mut Scan<'_>, depth: u32) {
    for item in items.iter().filter(|_| depth < 64) {
        match item {
            ast::Item::Variables(vs) => vs.iter().for_each(|v| scan.variable(v, MAX_DEPTH)),
            ast::Item::Namespace(_, inner) => namespace_scope(inner, scan, depth + 1),
            ast::Item::Record(r) => class_scope(r, scan, depth + 1),
            _ => {}
        }
    }
}

/// Reads what members of a class get where no constructor says otherwise.
fn class_scope(r: &ast::Record, scan: &mut Scan<'_>, depth: u32) {
    for member in r.members.iter().filter(|_| depth < 64) {
        match member {
            Member::Variables(vs) => vs.iter().for_each(|v| scan.variable(v, MAX_DEPTH)),
            Member::Record(inner) => class_scope(inner, scan, depth + 1),
            _ => {}
        }
    }
}

fn collect<'a>(items: &'a [ast::Item], facts: &UnitFacts, out: &mut Vec<Body<'a>>, depth: u32) {
    if depth > 64 {
        return;
    }
    for item in items {
        match item {
            ast::Item::Function(f) => add(f, None, facts, out),
            ast::Item::Record(r) => collect_record(r, facts, out, depth),
            ast::Item::Namespace(_, items) => collect(items, facts, out, depth + 1),
            _ => {}
        }
    }
}

fn collect_record<'a>(
    r: &'a Arc<ast::Record>,
    facts: &UnitFacts,
    out: &mut Vec<Body<'a>>,
    depth: u32,
) {
    if depth > 64 {
        return;
    }
    for m in &r.members {
        match m {
            Member::Function(f) => add(f, Some(r), facts, out),
            Member::Friend(f) => add(f, None, facts, out),
            Member::Record(inner) => collect_record(inner, facts, out, depth + 1),
            _ => {}
        }
    }
}

fn add<'a>(
    f: &'a Arc<ast::Function>,
    record: Option<&'a Arc<ast::Record>>,
    facts: &UnitFacts,
    out: &mut Vec<Body<'a>>,
) {
    let Some(body) = &f.body else { return };
    let mut summary = Summary::default();
    let mut scan = Scan {
        summary: &mut summary,
        writes: false,
        flows: false,
        is_whole: false,
        facts,
        copied: None,
    };
    body.iter().for_each(|s| scan.statement(s, MAX_DEPTH));
    // Device code matters where it launches kernels itself.
    if !summary.writes.has_launch && is_of_device(f) {
        return;
    }
    out.push(Body {
        function: f,
        record,
        summary,
    });
}
