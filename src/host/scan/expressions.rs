//! Expressions: what they read, write, hand out and call.

use super::super::calls::CALL;
use super::super::dispatch;
use super::super::free_names::is_own;
use super::super::operands;
use super::super::operands::{address_of, is_arithmetic, is_unread, mentioned, root_of, roots_of};
use super::super::reaching::LAUNCH_CALLS;
use super::super::summary::gives_a_way_in;
use super::super::unit_facts::assignment_symbol;
use super::MAX_DEPTH;
use super::Scan;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Name, UnaryOp};
use rustc_hash::FxHashSet;

impl Scan<'_> {
    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub fn expr(&mut self, e: &Expr, depth: u32) {
        if depth == 0 {
            return;
        }
        let depth = depth - 1;
        match &e.kind {
            ExprKind::Assign(op, place, value) => {
                if let Some(root) = self.write(place, op.is_some() || is_arithmetic(value)) {
                    self.flow(&root, &[place, value]);
                }
                let symbol = assignment_symbol(*op);
                if self.facts.passed_over.wrappers && op.is_none() {
                    // `wrapper = x;`: what is written to it goes to `x` from now on.
                    self.escape_exposed(value);
                }
                self.overload(&symbol, place, Some(value));
                self.place(place, depth);
                self.expr(value, depth);
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => {
                self.escape(inner);
                if self.flows {
                    // `&k`, of a function.
                    self.summary.bare.extend(root_of(inner).cloned());
                    self.summary.values.extend(root_of(inner).cloned());
                }
                if !matches!(inner.kind, ExprKind::Path(_)) {
                    self.expr(inner, depth);
                }
            }
            ExprKind::Path(p) => {
                self.given_functions(p);
                if let Some(last) = p.segments.last().filter(|_| self.flows) {
                    self.summary.bare.insert(last.name.clone());
                    self.summary.values.insert(last.name.clone());
                }
            }
            ExprKind::Index(..) | ExprKind::Member { .. } => {
                // An array in a variable that is used as a pointer may be written through it.
                if self.facts.decays(e) {
                    self.escape(e);
                }
                self.acting(e);
                self.place(e, depth);
            }
            ExprKind::Sizeof(_) => {}
            _ if is_unread(e) => self.summary.writes.everything = true,
            ExprKind::Cast { ty, value, .. } => {
                if self.is_whole
                    && let ast::TypeKind::Pointer { to, .. } | ast::TypeKind::Reference { to, .. } =
                        &ty.kind
                    && !to.is_const
                {
                    let is_place = matches!(ty.kind, ast::TypeKind::Reference { .. })
                        || address_of(value).is_some();
                    let casts = if is_place {
                        &mut self.summary.place_casts
                    } else {
                        &mut self.summary.pointer_casts
                    };
                    casts.extend(roots_of(value));
                }
                self.expr(value, depth);
            }
            ExprKind::Construct { ty, arguments } => {
                if self.is_whole && self.facts.holds(ty) {
                    arguments.iter().for_each(|e| self.escape_parts(e));
                }
                arguments.iter().for_each(|e| self.expr(e, depth));
            }
            ExprKind::Unary(op, inner) => {
                if op.is_step() {
                    self.write(inner, true);
                }
                self.acting(e);
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
                self.overload(op.symbol(), a, Some(b));
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
            _ => e.each_operand(&mut |c| self.expr(c, depth)),
        }
    }

    /// Functions among template arguments: whoever has them may call them.
    fn given_functions(&mut self, p: &ast::Path) {
        for argument in p.template_arguments() {
            let path = match argument {
                ast::TemplateArgument::Expr(e) => match &address_of(e).unwrap_or(e).kind {
                    ExprKind::Path(path) => path,
                    _ => continue,
                },
                ast::TemplateArgument::Type(ast::TypeExpr {
                    kind: ast::TypeKind::Named(path),
                    ..
                }) => path,
                ast::TemplateArgument::Type(_) => continue,
            };
            let name = path.segments.last().map(|last| &last.name);
            if let Some(name) = name.filter(|name| self.facts.has_function(name)) {
                self.summary.writes.calls.insert(name.clone());
                if self.flows {
                    self.summary.bare.insert(name.clone());
                    self.summary.values.insert(name.clone());
                }
            }
        }
    }

    /// Reads what stands in a place: objects and subscripts.
    pub(super) fn place(&mut self, e: &Expr, depth: u32) {
        match &e.kind {
            ExprKind::Path(_) => {}
            ExprKind::Index(base, at) => {
                self.acting(e);
                self.place(base, depth);
                at.iter().for_each(|e| self.expr(e, depth));
            }
            ExprKind::Member { object, .. } => {
                self.acting(e);
                self.place(object, depth);
            }
            _ => self.expr(e, depth),
        }
    }

    /// An operator of the unit may be meant, told by type later.
    pub(super) fn overload(&mut self, symbol: &str, left: &Expr, right: Option<&Expr>) {
        let Some(overload) = self.facts.overload(symbol).filter(|_| self.writes) else {
            return;
        };
        self.summary.writes.calls.insert(Name::from(symbol));
        if overload.left {
            self.hand_over_exposed(left);
        }
        if let Some(right) = right.filter(|_| overload.right) {
            self.hand_over_exposed(right);
        }
    }

    /// The same of an operator with one operand, or with subscripts.
    fn acting(&mut self, e: &Expr) {
        let Some((symbol, object)) = self.facts.acting(e) else {
            return;
        };
        self.overload(symbol, object, None);
        if let ExprKind::Index(_, at) = &e.kind {
            let writes = self.facts.overload(symbol).is_some_and(|o| o.right);
            if writes && self.writes {
                at.iter().for_each(|e| self.hand_over_exposed(e));
            }
        }
    }

    pub(super) fn hand_over_exposed(&mut self, e: &Expr) {
        let mut exposed = Vec::new();
        self.facts.exposed(e, &mut exposed, MAX_DEPTH);
        exposed.into_iter().for_each(|place| self.hand_over(place));
    }

    #[expect(clippy::too_many_lines, reason = "a match over the language")]
    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr], depth: u32) {
        let name = match &callee.kind {
            ExprKind::Path(p) => {
                self.given_functions(p);
                p.segments.last().map(|s| s.name.clone())
            }
            ExprKind::Member { object, member, .. } => {
                self.given_functions(member);
                let name = member.segments.last().map(|s| s.name.clone());
                if name.as_deref().is_none_or(|n| !self.facts.only_reads(n)) {
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
        // Whoever jumps to it comes back here in the middle of anything.
        let is_label = |n: &str| n.trim_start_matches('_').trim_start_matches("sig") == "setjmp";
        self.summary.has_goto |= name.as_deref().is_some_and(is_label);
        let all = arguments;
        let is_copied = |a: &&Expr| self.copied.is_some_and(|copied| copied.takes(callee, a));
        let left: Vec<Expr>;
        let arguments = if self.copied.is_some() && all.iter().any(|a| is_copied(&a)) {
            left = all.iter().filter(|a| !is_copied(a)).cloned().collect();
            &left[..]
        } else {
            all
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
        // A macro of a header that was not found may take its arguments never or often.
        let is_macro = |n: &Name| {
            let mut chars = n.chars();
            n.len() > 1
                && chars.all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
                && !self.facts.has_function(n)
        };
        if self.writes && name.as_ref().is_some_and(is_macro) {
            for a in arguments {
                match &a.kind {
                    ExprKind::Assign(_, place, _) => self.escape(place),
                    ExprKind::Unary(op, place) if op.is_step() => self.escape(place),
                    _ => {}
                }
            }
        }
        let launches = name.as_deref().is_some_and(|n| LAUNCH_CALLS.contains(&n));
        let is_foreign =
            matches!(&callee.kind, ExprKind::Path(p) if !operands::may_be_of_library(p));
        let keeps = name
            .as_deref()
            .is_none_or(|n| is_foreign || self.facts.keeps_addresses(n));
        let dispatches = name.as_deref().is_some_and(|n| {
            dispatch::types_of(n, arguments).is_some() && !self.facts.has_function(n)
        });
        let given_to = match &callee.kind {
            ExprKind::Path(_) => name.clone(),
            _ => None,
        };
        if let Some(name) = name {
            if launches {
                self.summary.writes.has_launch = true;
                self.summary.relevant.extend(names);
            } else if !names.is_empty() {
                self.summary.call_arguments.push((name.clone(), names));
            }
            self.summary.writes.calls.insert(name.clone());
            let takes_places =
                || !self.facts.has_function(&name) && operands::takes_places(&name, false);
            if self.writes
                && !launches
                && (is_foreign || !self.facts.takes_values(&name) || takes_places())
            {
                arguments.iter().for_each(|a| self.hand_over_exposed(a));
            }
        } else {
            arguments.iter().for_each(|a| self.hand_over_exposed(a));
        }
        for (i, a) in arguments.iter().enumerate() {
            match address_of(a) {
                Some(inner) if launches => {
                    self.write(inner, false);
                }
                Some(inner) => {
                    if keeps {
                        self.escape(inner);
                        if self.flows {
                            self.summary.bare.extend(root_of(inner).cloned());
                            self.summary.values.extend(root_of(inner).cloned());
                        }
                    }
                    self.write(inner, false);
                    if !matches!(inner.kind, ExprKind::Path(_)) {
                        self.expr(inner, depth);
                    }
                }
                None if launches && matches!(a.kind, ExprKind::Path(_)) => {}
                None if !keeps && matches!(a.kind, ExprKind::Path(_)) => {}
                None => match (&a.kind, &given_to) {
                    // It runs where it stands, before the macro is left.
                    (ExprKind::Lambda(l), _) if dispatches && dispatch::is_a_block(l) => {
                        l.body.iter().for_each(|s| self.statement(s, depth));
                    }
                    (ExprKind::Path(p), Some(to)) if self.flows => {
                        if let Some(last) = p.segments.last() {
                            let given = (to.clone(), i, last.name.clone());
                            self.summary.bare.insert(last.name.clone());
                            self.summary.given.push(given);
                        }
                    }
                    _ => self.expr(a, depth),
                },
            }
        }
        if !matches!(callee.kind, ExprKind::Path(_)) {
            self.expr(callee, depth);
        }
    }

    pub(super) fn lambda(&mut self, l: &ast::Lambda, depth: u32) {
        for capture in l.captures.listed.iter() {
            let Some(init) = &capture.init else { continue };
            if capture.is_reference {
                self.escape_exposed(init);
            }
            // What it is made of may be kept, and what it writes is not followed.
            if !matches!(init.kind, ExprKind::Path(_)) {
                self.escape_parts(init);
            }
            let part = self.part(|scan| scan.expr(init, depth));
            if self.writes {
                self.summary
                    .escaped
                    .extend(part.writes.names.iter().cloned());
            }
            self.summary.absorb(part);
        }
        let mut inner = self.part(|scan| {
            scan.defaults(&l.parameters);
            let defaults = l.parameters.iter().filter_map(|p| p.default.as_ref());
            defaults.for_each(|e| scan.expr(e, depth));
            l.body.iter().for_each(|s| scan.statement(s, depth));
        });
        if self.writes {
            // What it declares itself is nobody else's.
            let own: FxHashSet<Name> = inner
                .free_writes
                .iter()
                .chain(&inner.returned)
                .filter(|name| is_own(l, name))
                .cloned()
                .collect();
            inner.free_writes.retain(|name| !own.contains(name));
            let writes = &inner.writes;
            let outer = |n: &&Name| !own.contains(*n);
            let gives_value = l.result.as_ref().is_none_or(|ty| {
                matches!(
                    ty.kind,
                    ast::TypeKind::Builtin(_) | ast::TypeKind::Pointer { .. }
                )
            });
            let summary = &mut *self.summary;
            if !gives_value {
                // Whoever calls it gets a reference.
                let returned = inner.returned.iter().filter(outer);
                // What it has no copy of.
                let is_outside = |n: &&Name| l.captures.is_reference(n) != Some(false);
                summary.escaped.extend(returned.filter(is_outside).cloned());
            }
            summary
                .lambda_writes
                .extend(inner.free_writes.iter().cloned());
            summary.lambda_calls.extend(writes.calls.iter().cloned());
            let by_reference = |n: &&Name| l.captures.is_reference(n) == Some(true);
            let written = inner.free_writes.iter().filter(by_reference);
            summary.escaped.extend(written.cloned());
            // Objects that it calls may change themselves.
            if self.facts.overload(CALL).is_some_and(|o| o.left) {
                let is_object = |n: &&Name| {
                    !self.facts.has_function(n)
                        && !summary.lambdas.iter().any(|(name, ..)| name == *n)
                };
                let called = writes.calls.iter().filter(by_reference).filter(is_object);
                let called: Vec<Name> = called.cloned().collect();
                summary.called.extend(called);
            }
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
