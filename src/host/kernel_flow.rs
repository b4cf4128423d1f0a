//! Where the name of a kernel goes in a function's text: to a launch, to a variable, to somebody who is followed, or to
//! whoever else.
//!
//! Given the statements of a function; says of each mention of a kernel that ends elsewhere than in a launch or with
//! somebody who is followed that the kernel gets out of sight. Variables that hold one stand for it from there on.

use super::kernels_given_away::Known;
use super::unseen_launches::MAX_DEPTH;
use crate::sema::scope::{self, Callee, Env, Names};
use crate::sema::types::Type;
use crate::syntax::ast::{
    self, BinaryOp, Expr, ExprKind, Initialiser, Stmt, StmtKind, TemplateArgument, TypeKind,
    Variable,
};
use crate::syntax::visit::Part;
use rustc_hash::{FxHashMap, FxHashSet};

/// A kernel as an expression names it.
#[derive(Clone)]
pub(super) struct Mention<'e> {
    pub kernel: Callee,
    pub path: &'e ast::Path,
    /// The expression by which it gets out of sight.
    pub range: ast::Range,
}

pub(super) struct Flow<'f, 'n, 'e> {
    names: &'f Names<'n>,
    env: &'f Env,
    known: &'f Known<'f>,
    /// The plain names of all kernels.
    kernels: &'f FxHashSet<&'f str>,
    /// The variables that the function declares.
    locals: FxHashMap<&'e str, &'e ast::TypeExpr>,
    /// What they hold.
    held: FxHashMap<&'e str, Vec<Mention<'e>>>,
    lost: Vec<Mention<'e>>,
    /// What the function, or the lambda in which it is, gives back.
    returned: Vec<Mention<'e>>,
}

impl<'f, 'n, 'e> Flow<'f, 'n, 'e> {
    pub fn new(
        names: &'f Names<'n>,
        env: &'f Env,
        known: &'f Known<'f>,
        kernels: &'f FxHashSet<&'f str>,
    ) -> Self {
        Self {
            names,
            env,
            known,
            kernels,
            locals: FxHashMap::default(),
            held: FxHashMap::default(),
            lost: Vec::new(),
            returned: Vec::new(),
        }
    }

    fn parameters(&mut self, parameters: &'e [ast::Parameter]) {
        for parameter in parameters {
            if let Some(name) = &parameter.name {
                self.locals.insert(name, &parameter.ty);
            }
        }
    }

    /// The kernels that get out of sight in a function, which may be a method of a class.
    pub fn lost(
        mut self,
        function: &'e ast::Function,
        class: Option<&'e ast::Record>,
    ) -> Vec<Mention<'e>> {
        for member in class.into_iter().flat_map(|class| &class.members) {
            if let ast::Member::Variables(all) = member {
                self.locals.extend(all.iter().map(|v| (&*v.name, &v.ty)));
            }
        }
        self.parameters(&function.parameters);
        let body = function.body.as_deref().unwrap_or_default();
        // What a loop's end puts into a variable its start may read.
        for _ in 0..2 {
            self.lost.clear();
            for statement in body {
                self.statement(statement, MAX_DEPTH);
            }
            if self.held.is_empty() {
                break;
            }
        }
        self.lost
    }

    fn statement(&mut self, statement: &'e Stmt, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let StmtKind::Return(Some(e)) = &statement.kind {
            let found = self.value(e, depth);
            self.returned.extend(found);
            return;
        }
        if let StmtKind::RangeFor {
            variable, range, ..
        } = &statement.kind
        {
            let found = self.value(range, depth);
            self.hold(&variable.name, found);
        }
        statement.each_part(&mut |part| match part {
            Part::Stmt(inner) => self.statement(inner, depth),
            Part::Expr(e) => {
                self.value(e, depth);
            }
            Part::Variable(v) => self.variable(v, depth),
        });
    }

    fn variable(&mut self, variable: &'e Variable, depth: u32) {
        self.locals.insert(&variable.name, &variable.ty);
        if let TypeKind::Named(path) = &variable.ty.kind {
            self.arguments_of(path);
        }
        let mut found = Vec::new();
        let mut first = None;
        variable.each_initial(&mut |e| {
            first.get_or_insert(e);
            found.extend(self.value(e, depth));
        });
        if found.is_empty() {
            return;
        }
        let is_called = matches!(
            variable.init,
            Some(Initialiser::Paren(_) | Initialiser::Brace(_))
        );
        let is_held = match &variable.ty.kind {
            TypeKind::Auto | TypeKind::DecltypeAuto | TypeKind::Decltype(_) => true,
            TypeKind::Pointer { .. } | TypeKind::Reference { .. } | TypeKind::Array(..) => true,
            TypeKind::Function { .. } | TypeKind::Record(_) => true,
            _ => match scope::resolve_type(self.names, self.env, &variable.ty) {
                Type::Pointer(_) | Type::Function | Type::Reference(_) | Type::Record(_) => true,
                Type::Scalar(..) => true,
                Type::Opaque(name) if holds_values(&name) => true,
                // A name that nobody declares may be one of a pointer to a function.
                _ => !is_called && first.is_some_and(|e| !matches!(e.kind, ExprKind::List(_))),
            },
        };
        if is_held {
            for name in &variable.bindings {
                self.hold(name, found.clone());
            }
            self.hold(&variable.name, found);
        } else {
            self.lose(found, variable.range);
        }
    }

    fn hold(&mut self, name: &'e str, found: Vec<Mention<'e>>) {
        if !found.is_empty() {
            self.held.entry(name).or_default().extend(found);
        }
    }

    fn lose(&mut self, mentions: Vec<Mention<'e>>, range: ast::Range) {
        let at = mentions.into_iter().map(|one| Mention { range, ..one });
        self.lost.extend(at);
    }

    /// The kernels that the value of an expression may hold; what becomes of the others within it is noted.
    fn value(&mut self, e: &'e Expr, depth: u32) -> Vec<Mention<'e>> {
        let Some(depth) = depth.checked_sub(1) else {
            return Vec::new();
        };
        match &e.kind {
            ExprKind::Path(path) => {
                self.arguments_of(path);
                self.meant(path)
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Cast { value: inner, .. }
            | ExprKind::Expand(inner) => self.value(inner, depth),
            ExprKind::Member { object, member, .. } => {
                self.arguments_of(member);
                self.value(object, depth)
            }
            ExprKind::Conditional(condition, a, b) => {
                self.value(condition, depth);
                let mut found = self.value(a, depth);
                found.extend(self.value(b, depth));
                found
            }
            ExprKind::List(items) => self.values(items.iter().map(|(_, item)| item), depth),
            ExprKind::Index(array, at) => {
                let of_index = self.values(at, depth);
                self.lose(of_index, e.range);
                self.value(array, depth)
            }
            ExprKind::Construct { ty, arguments } => {
                if let TypeKind::Named(path) = &ty.kind {
                    self.arguments_of(path);
                }
                let found = self.values(arguments, depth);
                if found.is_empty() {
                    return found;
                }
                match scope::resolve_type(self.names, self.env, ty) {
                    Type::Record(_) | Type::Pointer(_) | Type::Function => found,
                    _ => {
                        self.lose(found, e.range);
                        Vec::new()
                    }
                }
            }
            ExprKind::Launch {
                callee,
                config,
                arguments,
            } => {
                self.value(callee, depth);
                self.values(config.iter().chain(arguments), depth);
                Vec::new()
            }
            ExprKind::Sizeof(_) => Vec::new(),
            _ => self.passed_on(e, depth),
        }
    }

    /// The same for what does something with its operands.
    fn passed_on(&mut self, e: &'e Expr, depth: u32) -> Vec<Mention<'e>> {
        match &e.kind {
            ExprKind::Call { callee, arguments } => {
                let mut given = self.values(arguments, depth);
                let of_callee = self.value(callee, depth);
                if let Some(place) = container(callee).filter(|place| self.is_container(place)) {
                    self.assign(place, given, e.range);
                    return Vec::new();
                }
                if is_passed_on(callee) {
                    return given;
                }
                // What a variable holds that is called, it may give back.
                let given_back = match callee.kind {
                    // `f.at(n)`, `f.begin()`
                    ExprKind::Member { ref object, .. } if self.is_container(object) => of_callee,
                    // A method in sight may give back what its object holds.
                    ExprKind::Member { .. } => {
                        given.extend(of_callee.iter().cloned());
                        of_callee
                    }
                    _ => of_callee,
                };
                if !given.is_empty() && !self.known.follows(self.names, self.env, callee) {
                    self.lose(given, e.range);
                }
                given_back
            }
            ExprKind::Assign(_, place, value) => {
                let found = self.value(value, depth);
                if !found.is_empty() {
                    self.assign(place, found, e.range);
                }
                Vec::new()
            }
            ExprKind::Binary(op, a, b) => {
                let found = self.values([&**a, &**b], depth);
                match op {
                    BinaryOp::Comma => found,
                    _ if is_comparison(*op) => Vec::new(),
                    _ => {
                        self.lose(found, e.range);
                        Vec::new()
                    }
                }
            }
            ExprKind::Lambda(lambda) => {
                for capture in &lambda.captures.listed {
                    let found = capture.init.as_ref().map(|init| self.value(init, depth));
                    self.hold(&capture.name, found.unwrap_or_default());
                }
                self.parameters(&lambda.parameters);
                let outer = std::mem::take(&mut self.returned);
                for statement in &lambda.body {
                    self.statement(statement, depth);
                }
                std::mem::replace(&mut self.returned, outer)
            }
            _ => {
                let mut found = Vec::new();
                e.each_operand(&mut |inner| found.extend(self.value(inner, depth)));
                self.lose(found, e.range);
                Vec::new()
            }
        }
    }

    fn values(&mut self, all: impl IntoIterator<Item = &'e Expr>, depth: u32) -> Vec<Mention<'e>> {
        all.into_iter().flat_map(|e| self.value(e, depth)).collect()
    }

    /// A variable of the function, or a member of one, holds the kernels from here on; another place is anybody's.
    fn assign(&mut self, place: &'e Expr, found: Vec<Mention<'e>>, range: ast::Range) {
        let mut root = place;
        while let ExprKind::Member {
            object: inner,
            arrow: false,
            ..
        }
        | ExprKind::Index(inner, _) = &root.kind
        {
            root = inner;
        }
        let local = match &root.kind {
            ExprKind::Path(path) if path.segments.len() == 1 && !path.is_global => {
                let name = &*path.segments[0].name;
                let is_plain = matches!(place.kind, ExprKind::Path(_));
                let holds = |ty: &ast::TypeExpr| {
                    let ty = scope::resolve_type(self.names, self.env, ty);
                    matches!(ty, Type::Record(_) | Type::Array(..)) || is_container(&ty)
                };
                let is_own = |ty: &ast::TypeExpr| !matches!(ty.kind, TypeKind::Reference { .. });
                let local = self.locals.get(name).filter(|ty| is_own(ty));
                local.filter(|ty| is_plain || holds(ty)).map(|_| name)
            }
            _ => None,
        };
        match local {
            Some(name) => self.held.entry(name).or_default().extend(found),
            None => self.lose(found, range),
        }
    }

    /// Whether an expression is a variable of the function that holds elements.
    fn is_container(&self, e: &Expr) -> bool {
        let ExprKind::Path(path) = &e.kind else {
            return false;
        };
        let local = path.segments.last().and_then(|s| self.locals.get(&*s.name));
        let local = local.filter(|ty| !matches!(ty.kind, TypeKind::Reference { .. }));
        local.is_some_and(|ty| is_container(&scope::resolve_type(self.names, self.env, ty)))
    }

    /// Kernels among the template arguments of a name get out of sight where nobody in sight takes them.
    fn arguments_of(&mut self, path: &'e ast::Path) {
        let given: Vec<Mention<'e>> = path
            .template_arguments()
            .filter_map(|argument| match argument {
                TemplateArgument::Type(ty) => match &ty.kind {
                    TypeKind::Named(named) => Some(named),
                    _ => None,
                },
                TemplateArgument::Expr(e) => operand_path(e),
            })
            .flat_map(|named| self.meant(named))
            .collect();
        if !given.is_empty() && !self.known.is_in_sight(self.names, self.env, path) {
            self.lose(given, path.range);
        }
    }

    /// What a name stands for.
    fn meant(&self, path: &'e ast::Path) -> Vec<Mention<'e>> {
        if let Some(name) = path.as_name() {
            if let Some(held) = self.held.get(&**name) {
                return held.clone();
            }
            if self.locals.contains_key(&**name) {
                return Vec::new();
            }
        }
        self.kernels_of(path)
    }

    fn kernels_of(&self, path: &'e ast::Path) -> Vec<Mention<'e>> {
        let is_kernel = |last: &ast::Segment| self.kernels.contains(&*last.name);
        if !path.segments.last().is_some_and(is_kernel) {
            return Vec::new();
        }
        let all = self.names.functions(self.env, path).into_iter();
        let kernels = all.filter(|c| c.function.attributes.global && c.function.body.is_some());
        kernels
            .map(|kernel| Mention {
                kernel,
                path,
                range: path.range,
            })
            .collect()
    }
}

fn is_container(ty: &Type) -> bool {
    matches!(ty.strip_reference(), Type::Opaque(name) if holds_values(name))
}

/// Classes of the standard library whose objects hold what they are given, and do nothing with it.
fn holds_values(class: &str) -> bool {
    let name = class.split('<').next().unwrap_or_default();
    let name = name.strip_prefix("std::").unwrap_or_default();
    super::operands::is_container(class)
        || matches!(
            name,
            "array"
                | "pair"
                | "tuple"
                | "optional"
                | "variant"
                | "any"
                | "function"
                | "shared_ptr"
                | "unique_ptr"
                | "reference_wrapper"
                | "initializer_list"
        )
}

/// The container that a call puts its arguments into.
fn container(callee: &Expr) -> Option<&Expr> {
    match &callee.kind {
        ExprKind::Member { object, member, .. } => {
            let last = member.segments.last()?;
            super::operands::fills_container(&last.name).then_some(object)
        }
        _ => None,
    }
}

/// Whether a function of the standard library is called that gives back what it gets, or a tuple of it.
fn is_passed_on(callee: &Expr) -> bool {
    let ExprKind::Path(path) = &callee.kind else {
        return false;
    };
    let (first, last) = match &path.segments[..] {
        [only] => ("std", only),
        [first, last] => (&*first.name, last),
        _ => return false,
    };
    first == "std"
        && matches!(
            &*last.name,
            "move"
                | "forward"
                | "addressof"
                | "ref"
                | "cref"
                | "as_const"
                | "make_tuple"
                | "make_pair"
                | "tie"
        )
}

/// `k`, `&k`
fn operand_path(e: &Expr) -> Option<&ast::Path> {
    match &e.kind {
        ExprKind::Path(path) => Some(path),
        ExprKind::Unary(_, inner) | ExprKind::Cast { value: inner, .. } => operand_path(inner),
        _ => None,
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, LogicalAnd, LogicalOr, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | LogicalAnd | LogicalOr)
}
