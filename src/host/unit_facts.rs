//! Facts about the host code of a unit that its definitions tell, by name alone.
//!
//! Given a unit; says which classes keep references, which functions give values, which operators are
//! overloaded, and with that which places an expression exposes. Resolves nothing: what several
//! definitions of one name do, each of them may do.

use super::operands;
use super::unparsed_text::PassedOver;
use super::unseen_launches::each_expr;
use crate::sema::types::{self, Type};
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Member, Name, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nesting below which expressions are not read.
const MAX_DEPTH: u32 = 64;

/// What the definitions of a unit say about names in host code.
#[derive(Default)]
pub(super) struct UnitFacts {
    /// Classes that keep no reference to what they are made of.
    harmless: FxHashSet<Name>,
    /// Classes of the unit that may keep one.
    holding: FxHashSet<Name>,
    /// Functions and methods of the unit: whether each of the name gives a value, never a reference.
    functions: FxHashMap<Name, bool>,
    /// Overloaded operators, by symbol.
    operators: FxHashMap<Name, Overload>,
    /// Those that device code alone can call.
    device_operators: FxHashMap<Name, Overload>,
    /// Classes whose objects may change where they are converted.
    restless: FxHashSet<Name>,
    /// What the tree does not hold.
    pub passed_over: PassedOver,
    /// Names of virtual methods.
    virtuals: FxHashSet<Name>,
    /// Classes with members that are references.
    referring: FxHashSet<Name>,
    /// Members that are arrays.
    arrays: FxHashSet<Name>,
    /// Variables and members that are arrays of arrays.
    rows: FxHashSet<Name>,
}

/// Whether no host code can call a function.
pub(super) fn is_of_device(f: &ast::Function) -> bool {
    f.attributes.global || (f.attributes.device && !f.attributes.host)
}

/// Which operands the operators of one symbol may write.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Overload {
    pub left: bool,
    pub right: bool,
}

impl UnitFacts {
    pub fn of(unit: &ast::Unit) -> Self {
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
                    Member::Function(_) | Member::Using(_) | Member::Friend(_) => {}
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
        let mut out = Self {
            harmless,
            holding,
            ..Self::default()
        };
        out.note_functions(&unit.items, 0);
        out.note_variables(&unit.items, 0);
        out
    }

    fn note_variables(&mut self, items: &[ast::Item], depth: u32) {
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                ast::Item::Variables(vs) => vs.iter().for_each(|v| self.note_array(v, false)),
                ast::Item::Record(r) => self.note_arrays(r, depth),
                ast::Item::Namespace(_, inner) => self.note_variables(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// Notes the arrays and references among the members of a class.
    pub fn note_arrays(&mut self, r: &ast::Record, depth: u32) {
        for member in r.members.iter().filter(|_| depth < 64) {
            match member {
                Member::Variables(vs) => {
                    for v in vs {
                        self.note_array(v, true);
                        if matches!(v.ty.kind, ast::TypeKind::Reference { .. }) {
                            self.referring.extend(r.name.clone());
                        }
                        if let ast::TypeKind::Record(inner) = &v.ty.kind {
                            self.note_arrays(inner, depth + 1);
                        }
                    }
                }
                Member::Record(inner) => self.note_arrays(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// Notes a variable that is an array whose parts may be given away as pointers.
    fn note_array(&mut self, v: &ast::Variable, is_member: bool) {
        use ast::TypeKind;
        let TypeKind::Array(of, _) = &v.ty.kind else {
            return;
        };
        if matches!(of.kind, TypeKind::Array(..)) {
            self.rows.insert(v.name.clone());
        }
        if is_member {
            self.arrays.insert(v.name.clone());
        }
    }

    pub fn note_rows(&mut self, names: &[Name]) {
        self.rows.extend(names.iter().cloned());
    }

    /// Whether a place, used as a value, is a pointer to the elements of an array in a variable.
    pub fn decays(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Member { member, .. } => member
                .segments
                .last()
                .is_some_and(|s| self.arrays.contains(&s.name)),
            ExprKind::Index(base, _) => match &base.kind {
                ExprKind::Path(p) => p
                    .segments
                    .last()
                    .is_some_and(|s| self.rows.contains(&s.name)),
                ExprKind::Member { member, .. } => member
                    .segments
                    .last()
                    .is_some_and(|s| self.rows.contains(&s.name)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a method of this name may be called through a base class.
    pub fn is_virtual(&self, name: &str) -> bool {
        self.virtuals.contains(name)
    }

    /// Whether objects of a type hold references to other objects, as far as names tell.
    pub fn refers(&self, ty: &ast::TypeExpr) -> bool {
        match &ty.kind {
            ast::TypeKind::Reference { .. } => true,
            ast::TypeKind::Array(of, _) => self.refers(of),
            ast::TypeKind::Named(p) => {
                let is_referring = |s: &ast::Segment| {
                    &*s.name == "reference_wrapper" || self.referring.contains(&s.name)
                };
                p.segments.last().is_some_and(is_referring)
                    || p.template_arguments()
                        .any(|a| matches!(a, ast::TemplateArgument::Type(t) if self.refers(t)))
            }
            _ => false,
        }
    }

    /// Whether classes of the unit hold references.
    pub fn has_referring(&self) -> bool {
        !self.referring.is_empty()
    }

    fn note_functions(&mut self, items: &[ast::Item], depth: u32) {
        for item in items.iter().filter(|_| depth < 64) {
            match item {
                ast::Item::Function(f) => {
                    let class = f.qualifier.as_ref().and_then(|p| p.segments.last());
                    self.note_conversion(f, class.map(|s| &s.name));
                    self.note_function(f, f.qualifier.is_some());
                }
                ast::Item::Record(r) => self.note_methods(r, depth),
                ast::Item::Namespace(_, inner) => self.note_functions(inner, depth + 1),
                _ => {}
            }
        }
    }

    fn note_methods(&mut self, r: &ast::Record, depth: u32) {
        for member in r.members.iter().filter(|_| depth < 64) {
            match member {
                Member::Function(f) => {
                    self.note_conversion(f, r.name.as_ref());
                    self.note_function(f, true);
                }
                Member::Friend(f) => self.note_function(f, false),
                Member::Record(inner) => self.note_methods(inner, depth + 1),
                _ => {}
            }
        }
    }

    /// `operator bool() { return left-- > 0; }`
    fn note_conversion(&mut self, f: &ast::Function, class: Option<&Name>) {
        if f.kind == ast::FunctionKind::Conversion && !f.attributes.is_const && may_act(f) {
            self.restless.extend(class.cloned());
        }
    }

    fn note_function(&mut self, f: &ast::Function, is_method: bool) {
        let is_written = |i: usize| {
            let ty = f.parameters.get(i).map(|p| &p.ty.kind);
            match ty {
                Some(ast::TypeKind::Reference { to, is_rvalue }) => !to.is_const || *is_rvalue,
                Some(ast::TypeKind::Pointer { .. }) | None => false,
                Some(_) => false,
            }
        };
        if f.attributes.is_virtual {
            self.virtuals.insert(f.name.clone());
        }
        if f.kind == ast::FunctionKind::Operator {
            // Host code may call a `constexpr` one where nvcc was told so.
            let operators = match is_of_device(f) && !f.attributes.is_constexpr {
                true => &mut self.device_operators,
                false => &mut self.operators,
            };
            let overload = operators.entry(f.name.clone()).or_default();
            overload.left |= if is_method {
                !f.attributes.is_const && may_act(f)
            } else {
                is_written(0)
            };
            overload.right |= is_written(usize::from(!is_method));
            return;
        }
        let gives_value = matches!(
            f.result.kind,
            ast::TypeKind::Builtin(_) | ast::TypeKind::Pointer { .. } | ast::TypeKind::Enum(_)
        ) || matches!(f.result.kind, ast::TypeKind::Named(_))
            && !self.holds(&f.result);
        *self.functions.entry(f.name.clone()).or_insert(true) &= gives_value;
    }

    /// Whether a value of a type may be, or hold, a reference that its holder may write through.
    pub fn may_refer(&self, ty: &ast::TypeExpr) -> bool {
        match &ty.kind {
            ast::TypeKind::Reference { to, is_rvalue } => !to.is_const || *is_rvalue,
            ast::TypeKind::Named(_) => self.holds(ty),
            ast::TypeKind::DecltypeAuto | ast::TypeKind::Decltype(_) => true,
            _ => false,
        }
    }

    /// Whether the unit has functions of this name.
    pub fn has_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// Whether a call of this name gives a value that refers to none of its arguments.
    pub fn gives_value(&self, name: &str) -> bool {
        match self.functions.get(name) {
            Some(known) => *known,
            None => operands::takes_values(name) || operands::makes_value(name),
        }
    }

    /// Whether functions of this name are the library's, which take plain arguments by value.
    pub fn takes_values(&self, name: &str) -> bool {
        operands::takes_values(name) && !self.has_function(name)
    }

    /// What a call may write whose value nobody takes: a function that is none of the library's, though
    /// it is called like one.
    pub fn written_when_dropped<'e>(&self, e: &'e Expr) -> &'e [Expr] {
        match &e.kind {
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Path(p) if p.segments.len() == 1 => {
                    let name = &p.segments[0].name;
                    let is_it = operands::takes_places(name, true) && !self.has_function(name);
                    if is_it { arguments } else { &[] }
                }
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Whether a function of this name may keep an address that it is given.
    pub fn keeps_addresses(&self, name: &str) -> bool {
        operands::keeps_addresses(name) || self.has_function(name)
    }

    /// Whether a method of this name is a standard container's that changes nothing.
    pub fn only_reads(&self, name: &str) -> bool {
        operands::only_reads(name) && !self.has_function(name)
    }

    /// Device code is read as host code is: it launches kernels.
    pub fn count_device_code(&mut self) {
        for (symbol, own) in std::mem::take(&mut self.device_operators) {
            let overload = self.operators.entry(symbol).or_default();
            overload.left |= own.left;
            overload.right |= own.right;
        }
    }

    /// What operators of the unit with this symbol, such as `+` or `+=`, write.
    pub fn overload(&self, symbol: &str) -> Option<Overload> {
        self.operators.get(symbol).copied()
    }

    /// Whether objects of a type may change wherever they are named.
    pub fn is_restless(&self, ty: &Type) -> bool {
        !self.restless.is_empty() && self.holds_restless(ty, MAX_DEPTH)
    }

    fn holds_restless(&self, ty: &Type, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return true;
        };
        match ty.strip_reference() {
            Type::Array(of, _) => self.holds_restless(of, depth),
            Type::Record(r) => {
                let own = r.record.name.as_ref();
                own.is_some_and(|name| self.restless.contains(name))
                    || r.bases
                        .iter()
                        .any(|(_, base)| self.holds_restless(&Type::Record(base.clone()), depth))
                    || r.fields.iter().any(|f| self.holds_restless(&f.ty, depth))
            }
            // A container of them.
            Type::Opaque(text) => self.restless.iter().any(|name| text.contains(&**name)),
            _ => false,
        }
    }

    /// The operator with one operand, or with subscripts, that an expression may mean, and its object; where
    /// operators of the unit with that symbol may write something.
    pub fn acting<'e>(&self, e: &'e Expr) -> Option<(&'static str, &'e Expr)> {
        let (symbol, object) = match &e.kind {
            ExprKind::Unary(op, inner) => (op.symbol()?, &**inner),
            ExprKind::Index(base, _) => ("[]", &**base),
            ExprKind::Member {
                object,
                arrow: true,
                ..
            } => ("->", &**object),
            _ => return None,
        };
        let known = self.operators.get(symbol)?;
        (known.left || known.right).then_some((symbol, object))
    }

    pub fn overloads_any(&self) -> bool {
        !self.operators.is_empty()
    }

    /// The places that a reference which only reads sees change.
    pub fn seen<'e>(&self, e: &'e Expr, out: &mut Vec<&'e Expr>) {
        match &e.kind {
            // They give one of their arguments.
            ExprKind::Call { callee, arguments } if matches!(&callee.kind, ExprKind::Path(p) if p.segments.last().is_some_and(|s| matches!(&*s.name, "min" | "max" | "clamp" | "minmax"))) =>
            {
                arguments.iter().for_each(|a| self.seen(a, out));
            }
            _ => self.exposed(e, out, MAX_DEPTH),
        }
    }

    /// The places that a reference bound to `e`, or an object made of it, may lead to.
    pub fn exposed<'e>(&self, e: &'e Expr, out: &mut Vec<&'e Expr>, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &e.kind {
            ExprKind::Cast { ty, value, .. }
                if matches!(ty.kind, ast::TypeKind::Reference { .. }) =>
            {
                self.seen(value, out);
            }
            ExprKind::Cast { value, .. } | ExprKind::Expand(value) => {
                self.exposed(value, out, depth);
            }
            ExprKind::Conditional(_, a, b) => {
                self.exposed(a, out, depth);
                self.exposed(b, out, depth);
            }
            ExprKind::Binary(op, a, b) if self.overload(op.symbol()).is_some() => {
                self.exposed(a, out, depth);
                self.exposed(b, out, depth);
            }
            ExprKind::Binary(BinaryOp::Comma, _, b) => self.exposed(b, out, depth),
            ExprKind::Assign(_, place, _) => self.exposed(place, out, depth),
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, inner) => {
                self.exposed(inner, out, depth);
            }
            ExprKind::List(items) => items
                .iter()
                .for_each(|(_, item)| self.exposed(item, out, depth)),
            ExprKind::Construct { ty, arguments } if self.holds(ty) => {
                arguments.iter().for_each(|a| self.exposed(a, out, depth));
            }
            ExprKind::Call { callee, arguments } => {
                let name = match &callee.kind {
                    ExprKind::Path(p) if !operands::may_be_of_library(p) => {
                        let name = p.segments.last();
                        name.filter(|s| self.has_function(&s.name))
                    }
                    ExprKind::Path(p) => p.segments.last(),
                    ExprKind::Member { member, .. } => member.segments.last(),
                    _ => None,
                };
                if name.is_some_and(|s| self.gives_value(&s.name)) {
                    return;
                }
                if let ExprKind::Member { object, .. } = &callee.kind {
                    self.exposed(object, out, depth);
                }
                arguments.iter().for_each(|a| self.exposed(a, out, depth));
            }
            _ if operands::is_lvalue(e) => out.push(e),
            _ => {}
        }
    }

    /// Whether an object of this type may keep a reference to what it is made of.
    pub fn holds(&self, ty: &ast::TypeExpr) -> bool {
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
                let is_of_library = || {
                    !self.holding.contains(&last.name)
                        && (VALUES.contains(&&*last.name) || types::known(&last.name).is_some())
                };
                let is_plain = self.harmless.contains(&last.name) || is_of_library();
                !is_plain || self.refers(ty)
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

/// The symbol of an assignment that does `op`, such as `=` or `+=`.
pub(super) fn assignment_symbol(op: Option<ast::BinaryOp>) -> String {
    format!("{}=", op.map_or("", ast::BinaryOp::symbol))
}

/// Whether a function may do anything besides giving a value or a place.
fn may_act(f: &ast::Function) -> bool {
    let Some(body) = &f.body else { return true };
    let mut acts = false;
    each_expr(body, &mut |e| {
        acts |= match &e.kind {
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Path(p) => p
                    .segments
                    .last()
                    .is_none_or(|s| !operands::takes_values(&s.name)),
                ExprKind::Member { member, .. } => member
                    .segments
                    .last()
                    .is_none_or(|s| !operands::only_reads(&s.name)),
                _ => true,
            },
            ExprKind::Unary(op, _) => op.is_step(),
            ExprKind::Assign(..)
            | ExprKind::Launch { .. }
            | ExprKind::Lambda(_)
            | ExprKind::Other(_)
            | ExprKind::Error => true,
            _ => false,
        };
    });
    acts || body.iter().any(is_unread_statement)
}

/// Whether a statement is none that expressions tell all about.
fn is_unread_statement(s: &ast::Stmt) -> bool {
    use ast::StmtKind as S;
    match &s.kind {
        S::Return(_) | S::Expr(_) | S::Variables(_) => false,
        S::Block(body) => body.iter().any(is_unread_statement),
        S::If {
            then, otherwise, ..
        } => is_unread_statement(then) || otherwise.as_deref().is_some_and(is_unread_statement),
        _ => true,
    }
}
