//! What one piece of host code does to variables: the text is gone through once, by name alone.
//!
//! Given statements and expressions; says what they write, hand out, call and launch. Resolves nothing:
//! whoever has the same name is meant, too.

mod expressions;

use super::operands::{address_of, is_lvalue, mentioned, roots_of};
use super::summary::{Copied, Summary};
use super::unit_facts::UnitFacts;
use crate::syntax::ast::{
    self, BinaryOp, Condition, Expr, ExprKind, Initialiser, Name, Stmt, StmtKind, UnaryOp,
};

/// Nesting below which bodies are not read.
pub(super) const MAX_DEPTH: u32 = 200;
/// Constants a variable is compared with, beyond which its cases are not told apart.
pub(super) const MAX_LABELS: usize = 12;

pub(super) struct Scan<'s> {
    pub summary: &'s mut Summary,
    /// Whether to note what is written; launches, calls and lambdas are noted always.
    pub writes: bool,
    /// Whether to note what depends on what.
    pub flows: bool,
    /// Whether a whole function is read: then what escapes is noted, too.
    pub is_whole: bool,
    pub facts: &'s UnitFacts,
    pub copied: Option<&'s Copied>,
}

impl Scan<'_> {
    pub fn statement(&mut self, s: &Stmt, depth: u32) {
        if depth == 0 {
            return;
        }
        let depth = depth - 1;
        if self.facts.passed_over.governs(s) {
            let part = self.part(|scan| scan.inner_statement(s, depth));
            // How often it runs is not known.
            self.summary
                .escaped
                .extend(part.writes.names.iter().cloned());
            self.summary.absorb(part);
        } else {
            self.inner_statement(s, depth);
        }
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    fn inner_statement(&mut self, s: &Stmt, depth: u32) {
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
            StmtKind::Expr(e) if self.facts.passed_over.holds(e) => {
                // A macro may decide about the next statement.
                self.summary.writes.everything = true;
                self.expr(e, depth);
            }
            StmtKind::Expr(e) => {
                // `archive & x;`: nobody takes the value of a number.
                let mut chain = e;
                while let ExprKind::Binary(BinaryOp::And, left, right) = &chain.kind {
                    self.hand_over_exposed(right);
                    chain = left;
                }
                if self.writes {
                    let dropped = self.facts.written_when_dropped(e);
                    dropped.iter().for_each(|a| self.hand_over_exposed(a));
                }
                self.expr(e, depth);
            }
            StmtKind::Case(e) => self.expr(e, depth),
            StmtKind::Return(Some(e)) => {
                if self.is_whole {
                    let mut exposed = Vec::new();
                    self.facts.exposed(e, &mut exposed, MAX_DEPTH);
                    let roots = exposed.into_iter().flat_map(roots_of);
                    self.summary.returned.extend(roots);
                }
                self.expr(e, depth);
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
            StmtKind::Record(r) => self.summary.records.push(r.clone()),
            StmtKind::Error => self.summary.writes.everything = true,
            StmtKind::Asm(asm) => {
                for (_, place) in &asm.outputs {
                    self.write(place, true);
                }
                asm.inputs.iter().for_each(|(_, e)| self.expr(e, depth));
            }
            StmtKind::DoWhile { body, condition } => {
                self.expr(condition, depth);
                self.statement(body, depth);
            }
            _ => {}
        }
    }

    /// What initialisers of members and default arguments bind to references.
    pub fn bindings_beside_body(&mut self, f: &ast::Function, record: Option<&ast::Record>) {
        self.defaults(&f.parameters);
        for (member, given) in &f.initialisers {
            let name = member.segments.last().map(|last| &last.name);
            let declared = record.and_then(|r| {
                let variables = r.members.iter().filter_map(|member| match member {
                    ast::Member::Variables(all) => Some(all),
                    _ => None,
                });
                variables.flatten().find(|v| Some(&v.name) == name)
            });
            if declared.is_none_or(|v| self.facts.may_refer(&v.ty)) {
                given.iter().for_each(|e| self.escape_exposed(e));
            }
        }
    }

    /// What default arguments bind to references.
    fn defaults(&mut self, parameters: &[ast::Parameter]) {
        for p in parameters {
            if let Some(e) = p.default.as_ref().filter(|_| self.facts.may_refer(&p.ty)) {
                self.escape_exposed(e);
            }
        }
    }

    fn condition(&mut self, c: &Condition, depth: u32) {
        match c {
            Condition::Expr(e) => self.expr(e, depth),
            Condition::Variable(v) => self.variable(v, depth),
        }
    }

    pub fn variable(&mut self, v: &ast::Variable, depth: u32) {
        match &v.ty.kind {
            ast::TypeKind::Array(of, _) if matches!(of.kind, ast::TypeKind::Array(..)) => {
                self.summary.rows.push(v.name.clone());
            }
            ast::TypeKind::Record(r) => self.summary.records.push(r.clone()),
            _ => {}
        }
        let exprs: Vec<&Expr> = match &v.init {
            Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => vec![e],
            Some(Initialiser::Paren(es)) => es.iter().collect(),
            None => return,
        };
        self.flow(&v.name, &exprs);
        if let ast::TypeKind::Reference { to, is_rvalue } = &v.ty.kind
            && (!to.is_const || *is_rvalue)
        {
            exprs.iter().for_each(|e| self.escape_exposed(e));
        } else if self.is_whole && matches!(v.ty.kind, ast::TypeKind::Reference { .. }) {
            let mut exposed = Vec::new();
            let all = exprs.iter();
            all.for_each(|e| self.facts.seen(e, &mut exposed));
            let roots = exposed.into_iter().flat_map(roots_of).collect();
            self.summary.aliases.push((v.name.clone(), roots));
        }
        if self.is_whole && self.facts.holds(&v.ty) {
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
            self.summary.free_writes.insert(root.clone());
            if is_move && is_whole {
                self.summary.writes.moved.insert(root.clone());
            } else if is_move {
                self.summary.moved_behind.insert(root.clone());
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

    /// A reference is bound to this.
    fn escape_exposed(&mut self, e: &Expr) {
        let mut exposed = Vec::new();
        self.facts.exposed(e, &mut exposed, MAX_DEPTH);
        exposed.into_iter().for_each(|place| self.escape(place));
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

    /// Reads a part by itself.
    fn part(&self, read: impl FnOnce(&mut Scan<'_>)) -> Summary {
        let mut summary = Summary::default();
        read(&mut Scan {
            summary: &mut summary,
            writes: self.writes,
            flows: self.flows,
            is_whole: self.is_whole,
            facts: self.facts,
            copied: self.copied,
        });
        summary
    }
}
