//! The direct parts of expressions and of statements, in the order of the text.
//!
//! Whoever goes through a tree asks here what to look at next. Knows nothing of what the parts mean.

use super::ast::{
    Condition, Expr, ExprKind, Initialiser, Name, Path, Stmt, StmtKind, TemplateArgument, TypeExpr,
    TypeKind, Variable,
};

/// Nesting of a pattern, below which no names are sought.
const MAX_PATTERN: u32 = 32;

/// A direct part of a statement.
#[derive(Clone, Copy)]
pub enum Part<'s> {
    Stmt(&'s Stmt),
    Expr(&'s Expr),
    /// A variable that the statement declares, or its condition.
    Variable(&'s Variable),
}

impl Expr {
    /// Calls `f` on the direct operands of an expression (not into lambdas).
    pub fn each_operand<'e>(&'e self, f: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Unary(_, a)
            | ExprKind::Sizeof(a)
            | ExprKind::Expand(a)
            | ExprKind::Cast { value: a, .. }
            | ExprKind::Member { object: a, .. } => f(a),
            ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Conditional(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExprKind::Call { callee, arguments } => {
                f(callee);
                arguments.iter().for_each(f);
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                f(callee);
                config.iter().chain(arguments).for_each(f);
            }
            ExprKind::Index(base, at) => {
                f(base);
                at.iter().for_each(f);
            }
            ExprKind::Construct { arguments, .. } => arguments.iter().for_each(f),
            ExprKind::List(items) => items.iter().for_each(|(_, e)| f(e)),
            ExprKind::Fold { pack, init, .. } => {
                f(pack);
                if let Some(init) = init {
                    f(init);
                }
            }
            _ => {}
        }
    }
}

impl Variable {
    /// Calls `f` on the expressions of the initialiser.
    pub fn each_initial<'v>(&'v self, f: &mut dyn FnMut(&'v Expr)) {
        match &self.init {
            Some(Initialiser::Equals(e) | Initialiser::Brace(e)) => f(e),
            Some(Initialiser::Paren(all)) => all.iter().for_each(f),
            None => {}
        }
    }
}

impl Condition {
    fn part(&self) -> Part<'_> {
        match self {
            Self::Expr(e) => Part::Expr(e),
            Self::Variable(variable) => Part::Variable(variable),
        }
    }
}

impl Stmt {
    /// Calls `f` on the direct parts of a statement.
    pub fn each_part<'s>(&'s self, f: &mut dyn FnMut(Part<'s>)) {
        match &self.kind {
            StmtKind::Block(body) => body.iter().map(Part::Stmt).for_each(f),
            StmtKind::Variables(all) => all.iter().map(Part::Variable).for_each(f),
            StmtKind::Expr(e) | StmtKind::Case(e) | StmtKind::Return(Some(e)) => f(Part::Expr(e)),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
                ..
            } => {
                init.as_deref()
                    .map(Part::Stmt)
                    .into_iter()
                    .for_each(&mut *f);
                f(condition.part());
                f(Part::Stmt(then));
                otherwise.as_deref().map(Part::Stmt).into_iter().for_each(f);
            }
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                init.as_deref()
                    .map(Part::Stmt)
                    .into_iter()
                    .for_each(&mut *f);
                condition
                    .iter()
                    .chain(step)
                    .map(Part::Expr)
                    .for_each(&mut *f);
                f(Part::Stmt(body));
            }
            StmtKind::RangeFor {
                variable,
                range,
                body,
            } => {
                f(Part::Variable(variable));
                f(Part::Expr(range));
                f(Part::Stmt(body));
            }
            StmtKind::While { condition, body } => {
                f(condition.part());
                f(Part::Stmt(body));
            }
            StmtKind::DoWhile { body, condition } => {
                f(Part::Stmt(body));
                f(Part::Expr(condition));
            }
            StmtKind::Switch { value, body } => {
                f(Part::Expr(value));
                body.iter().map(Part::Stmt).for_each(f);
            }
            StmtKind::Asm(asm) => {
                let operands = asm.outputs.iter().chain(&asm.inputs);
                operands.map(|(_, e)| Part::Expr(e)).for_each(f);
            }
            StmtKind::Empty
            | StmtKind::Alias(_)
            | StmtKind::Record(_)
            | StmtKind::Enum(_)
            | StmtKind::Using(_)
            | StmtKind::UsingNamespace(_)
            | StmtKind::Default
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Error => {}
        }
    }

    /// Whether `holds` says yes to one of the statements directly inside, initial ones not counted.
    pub fn any_inside<'s>(&'s self, holds: &mut dyn FnMut(&'s Stmt) -> bool) -> bool {
        match &self.kind {
            StmtKind::Block(body) | StmtKind::Switch { body, .. } => body.iter().any(holds),
            StmtKind::If {
                then, otherwise, ..
            } => holds(then) || otherwise.as_deref().is_some_and(holds),
            StmtKind::For { body, .. }
            | StmtKind::RangeFor { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. } => holds(body),
            _ => false,
        }
    }
}

/// The names in a pattern that is expanded, each once: those that may be packs. Names in an expansion of
/// their own, `f(g(xs...), ys)...`, are not among them.
#[must_use]
pub fn pattern_names(pattern: &Expr) -> Vec<Name> {
    let mut names = Vec::new();
    names_in_expr(pattern, &mut names, MAX_PATTERN);
    names
}

/// As [`pattern_names`], of a type.
#[must_use]
pub fn pattern_names_of_type(pattern: &TypeExpr) -> Vec<Name> {
    let mut names = Vec::new();
    names_in_type(pattern, &mut names, MAX_PATTERN);
    names
}

fn names_in_expr(e: &Expr, names: &mut Vec<Name>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match &e.kind {
        ExprKind::Expand(_) | ExprKind::Fold { .. } => return,
        ExprKind::Path(path) => names_in_path(path, names, depth),
        ExprKind::Cast { ty, .. }
        | ExprKind::Construct { ty, .. }
        | ExprKind::SizeofType(ty)
        | ExprKind::AlignofType(ty) => names_in_type(ty, names, depth),
        ExprKind::Member { member, .. } => names_in_arguments(member, names, depth),
        _ => {}
    }
    e.each_operand(&mut |operand| names_in_expr(operand, names, depth));
}

fn names_in_path(path: &Path, names: &mut Vec<Name>, depth: u32) {
    if let Some(first) = path.segments.first()
        && !names.contains(&first.name)
    {
        names.push(first.name.clone());
    }
    names_in_arguments(path, names, depth);
}

fn names_in_arguments(path: &Path, names: &mut Vec<Name>, depth: u32) {
    for argument in path.template_arguments() {
        match argument {
            TemplateArgument::Type(ty) => names_in_type(ty, names, depth),
            TemplateArgument::Expr(e) => names_in_expr(e, names, depth),
        }
    }
}

fn names_in_type(ty: &TypeExpr, names: &mut Vec<Name>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match &ty.kind {
        TypeKind::Named(path) => names_in_path(path, names, depth),
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Array(to, _) => {
            names_in_type(to, names, depth);
        }
        _ => {}
    }
}
