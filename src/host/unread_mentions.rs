//! Names in text that nobody reads.
//!
//! Given the text of a unit, its tree and some names; finds those among them that the text has somewhere where
//! the tree has none: in a macro's arguments that are no code, in definitions and statements that could not be
//! read. Who reads only the tree does not know what is done with them there.

use super::type_names::{TypeDeclaration, each_type};
use super::unseen_launches::MAX_DEPTH;
use crate::sema::types;
use crate::syntax::ast::{
    self, Expr, ExprKind, Function, Item, Lambda, Member, Name, Path, Range, Record, Stmt,
    StmtKind, TemplateArgument, TypeExpr, TypeKind, Variable,
};
use crate::syntax::parse;
use crate::syntax::visit::Part;
use rustc_hash::FxHashSet;

/// The names that are looked for.
pub(super) struct Wanted<'w> {
    pub functions: &'w FxHashSet<Name>,
    /// Variables that may change.
    pub variables: &'w FxHashSet<Name>,
}

impl Wanted<'_> {
    fn has(&self, name: &str) -> bool {
        self.functions.contains(name) || self.variables.contains(name)
    }
}

/// Those of the names that stand in unread text.
pub(super) fn of(unit: &ast::Unit, text: &str, wanted: &Wanted<'_>) -> FxHashSet<Name> {
    let words = parse::identifiers(text).into_iter();
    let word = |range: &Range| &text[range.start as usize..range.end as usize];
    let places: Vec<(u32, &str)> = words
        .filter(|range| wanted.has(word(range)))
        .map(|range| (range.start, word(&range)))
        .collect();
    let mut reader = Reader {
        is_read: vec![false; places.len()],
        places,
        wanted,
        types: FxHashSet::default(),
    };
    let note = &mut |declared: TypeDeclaration<'_>| reader.note_type(&declared);
    each_type(&unit.items, note, MAX_DEPTH);
    reader.items(&unit.items, MAX_DEPTH);
    let all = reader.places.iter().zip(&reader.is_read);
    let unread = all.filter(|(_, is_read)| !**is_read);
    unread.map(|((_, word), _)| Name::from(*word)).collect()
}

struct Reader<'r> {
    /// Where the names stand, in order.
    places: Vec<(u32, &'r str)>,
    is_read: Vec<bool>,
    wanted: &'r Wanted<'r>,
    /// Names of types of the unit.
    types: FxHashSet<Name>,
}

impl Reader<'_> {
    fn note_type(&mut self, declared: &TypeDeclaration<'_>) {
        match declared {
            TypeDeclaration::Class(r) => {
                self.types.extend(r.name.clone());
                self.note_heads(&r.templates);
            }
            TypeDeclaration::Enum(e) => self.types.extend(e.name.clone()),
            TypeDeclaration::Alias(a) => {
                self.types.insert(a.name.clone());
                self.note_heads(a.template.as_slice());
            }
            TypeDeclaration::Heads(heads) => self.note_heads(heads),
        }
    }

    fn note_heads(&mut self, heads: &[ast::TemplateHead]) {
        let parameters = heads.iter().flat_map(|head| &head.parameters);
        self.types.extend(parameters.filter_map(|p| p.name.clone()));
    }

    /// The name is read wherever it stands in a range.
    fn mark(&mut self, range: Range, name: &str) {
        if !self.wanted.has(name) {
            return;
        }
        let from = self.places.partition_point(|(at, _)| *at < range.start);
        let within = self.places[from..].iter();
        let within = within.take_while(|(at, _)| *at < range.end);
        for (at, (_, word)) in within.enumerate() {
            self.is_read[from + at] |= *word == name;
        }
    }

    /// All names in a range are read.
    fn mark_all(&mut self, range: Range) {
        let from = self.places.partition_point(|(at, _)| *at < range.start);
        let past = self.places.partition_point(|(at, _)| *at < range.end);
        self.is_read[from..past.max(from)].fill(true);
    }

    fn items(&mut self, items: &[Item], depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for item in items {
            match item {
                Item::Function(f) => self.function(f, depth),
                Item::Variables(all) => all.iter().for_each(|v| self.variable(v, depth, false)),
                Item::Record(r) => self.record(r, depth),
                Item::Enum(e) => self.mark_all(e.range),
                Item::Alias(a) => self.mark_all(a.range),
                Item::Namespace(_, inner) => self.items(inner, depth),
                Item::Using(path) => self.path(path, depth, false),
                // What is among the arguments, others may call and write.
                Item::Instantiation(f) => self.mark(f.range, &f.name),
                Item::ClassInstantiation(path) => {
                    for segment in &path.segments {
                        self.mark_segment(path.range, &segment.name, true);
                    }
                }
                Item::Unread(_) | Item::UsingNamespace(_) | Item::NamespaceAlias(..) => {}
            }
        }
    }

    fn record(&mut self, r: &Record, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let Some(name) = &r.name {
            self.mark(r.range, name);
        }
        for base in &r.bases {
            self.ty(base, depth);
        }
        for member in &r.members {
            match member {
                Member::Variables(all) => all.iter().for_each(|v| self.variable(v, depth, false)),
                Member::Function(f) | Member::Friend(f) => self.function(f, depth),
                Member::Record(inner) => self.record(inner, depth),
                Member::Enum(e) => self.mark_all(e.range),
                Member::Alias(a) => self.mark_all(a.range),
                Member::Using(path) => self.path(path, depth, false),
            }
        }
    }

    fn function(&mut self, f: &Function, depth: u32) {
        self.mark(f.name_range, &f.name);
        if let Some(qualifier) = &f.qualifier {
            self.path(qualifier, depth, false);
        }
        f.arguments.iter().for_each(|a| self.argument(a, depth));
        self.ty(&f.result, depth);
        self.heads(&f.templates, depth);
        let is_read = !matches!(f.result.kind, TypeKind::None)
            || f.kind != ast::FunctionKind::Plain
            || f.body.is_some();
        self.parameters(&f.parameters, depth, is_read);
        for (member, given) in &f.initialisers {
            self.path(member, depth, false);
            given.iter().for_each(|e| self.expr(e, depth, false));
        }
        let body = f.body.iter().flatten();
        body.for_each(|s| self.statement(s, depth));
    }

    fn heads(&mut self, heads: &[ast::TemplateHead], depth: u32) {
        for parameter in heads.iter().flat_map(|head| &head.parameters) {
            if let ast::TemplateParameterKind::Value { ty, default } = &parameter.kind {
                self.ty(ty, depth);
                if let Some(e) = default {
                    self.expr(e, depth, true);
                }
            }
        }
    }

    /// Parameters of a macro that looks like a function are names of anything.
    fn parameters(&mut self, all: &[ast::Parameter], depth: u32, is_read: bool) {
        for p in all {
            if let Some(name) = p.name.as_ref().filter(|_| is_read) {
                self.mark(p.range, name);
            }
            self.ty(&p.ty, depth);
            if let Some(e) = &p.default {
                self.expr(e, depth, false);
            }
        }
    }

    fn variable(&mut self, v: &Variable, depth: u32, is_local: bool) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        // `MACRO name = 1;`, `MACRO name(1);`: a word of a macro in front of a statement. A function that is
        // declared in a block is called from there.
        let is_function = self.wanted.functions.contains(&v.name);
        let is_statement = is_local && (is_function || self.is_unknown(&v.ty));
        if !is_statement {
            self.mark(v.name_range, &v.name);
            for name in &v.bindings {
                self.mark(v.range, name);
            }
        }
        self.ty(&v.ty, depth);
        if let Some(path) = &v.qualifier {
            self.path(path, depth, false);
        }
        if let Some(e) = &v.bits {
            self.expr(e, depth, false);
        }
        v.arguments.iter().for_each(|a| self.argument(a, depth));
        v.each_initial(&mut |e| self.expr(e, depth, false));
    }

    /// A single word that nothing in the unit says to be a type.
    fn is_unknown(&self, ty: &TypeExpr) -> bool {
        let TypeKind::Named(path) = &ty.kind else {
            return false;
        };
        path.as_name()
            .is_some_and(|name| !self.types.contains(name) && types::known(name).is_none())
    }

    fn statement(&mut self, s: &Stmt, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &s.kind {
            StmtKind::Record(r) => self.record(r, depth),
            StmtKind::Enum(e) => self.mark_all(e.range),
            StmtKind::Alias(a) => self.mark_all(a.range),
            StmtKind::Using(path) => self.path(path, depth, false),
            StmtKind::Goto(_) | StmtKind::Label(_) => self.mark_all(s.range),
            _ => {}
        }
        s.each_part(&mut |part| match part {
            Part::Stmt(inner) => self.statement(inner, depth),
            Part::Expr(e) => self.expr(e, depth, false),
            Part::Variable(v) => self.variable(v, depth, true),
        });
    }

    fn expr(&mut self, e: &Expr, depth: u32, is_argument: bool) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &e.kind {
            ExprKind::Path(path) => self.path(path, depth, is_argument),
            ExprKind::Member { member, .. } => self.path(member, depth, false),
            ExprKind::Cast { ty, .. }
            | ExprKind::Construct { ty, .. }
            | ExprKind::SizeofType(ty)
            | ExprKind::AlignofType(ty) => self.ty(ty, depth),
            ExprKind::SizeofPack(name) => self.mark(e.range, name),
            ExprKind::List(items) => {
                for name in items.iter().filter_map(|(name, _)| name.as_ref()) {
                    self.mark(e.range, name);
                }
            }
            ExprKind::Lambda(l) => self.lambda(l, depth),
            _ => {}
        }
        e.each_operand(&mut |operand| self.expr(operand, depth, is_argument));
    }

    fn lambda(&mut self, l: &Lambda, depth: u32) {
        let body = l.body.first().map_or(l.range.end, |s| s.range.start);
        let head = Range {
            start: l.range.start,
            end: body,
        };
        for capture in &l.captures.listed {
            self.mark(head, &capture.name);
            if let Some(e) = &capture.init {
                self.expr(e, depth, false);
            }
        }
        self.parameters(&l.parameters, depth, true);
        self.heads(&l.templates, depth);
        if let Some(ty) = &l.result {
            self.ty(ty, depth);
        }
        l.body.iter().for_each(|s| self.statement(s, depth));
    }

    /// A name as it is used. A variable that is an argument of a template is bound to a reference, or its
    /// address is taken: that is not followed.
    fn path(&mut self, path: &Path, depth: u32, is_argument: bool) {
        for segment in &path.segments {
            if !is_argument || self.wanted.functions.contains(&segment.name) {
                self.mark_segment(path.range, &segment.name, segment.arguments.is_some());
            }
            for argument in segment.arguments.iter().flat_map(|all| all.iter()) {
                self.argument(argument, depth);
            }
        }
    }

    /// The first place only: others are arguments.
    fn mark_segment(&mut self, range: Range, name: &str, has_arguments: bool) {
        if !has_arguments {
            return self.mark(range, name);
        }
        let from = self.places.partition_point(|(at, _)| *at < range.start);
        let within = self.places[from..].iter();
        let mut within = within.take_while(|(at, _)| *at < range.end);
        if let Some(at) = within.position(|(_, word)| *word == name) {
            self.is_read[from + at] = true;
        }
    }

    fn argument(&mut self, argument: &TemplateArgument, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match argument {
            TemplateArgument::Expr(e) => self.expr(e, depth, true),
            TemplateArgument::Type(ty) => match &ty.kind {
                TypeKind::Named(path) => self.path(path, depth, true),
                _ => self.ty(ty, depth),
            },
        }
    }

    /// Names of types, and what stands among their arguments.
    fn ty(&mut self, ty: &TypeExpr, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &ty.kind {
            TypeKind::Named(path) => {
                for segment in &path.segments {
                    if self.types.contains(&segment.name) {
                        self.mark_segment(path.range, &segment.name, segment.arguments.is_some());
                    }
                    for argument in segment.arguments.iter().flat_map(|all| all.iter()) {
                        self.argument(argument, depth);
                    }
                }
            }
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => self.ty(to, depth),
            TypeKind::Array(of, bound) => {
                self.ty(of, depth);
                if let Some(e) = bound {
                    self.expr(e, depth, false);
                }
            }
            TypeKind::Function { result, parameters } => {
                self.ty(result, depth);
                parameters.iter().for_each(|p| self.ty(p, depth));
            }
            TypeKind::Record(r) => self.record(r, depth),
            TypeKind::Enum(e) => self.mark_all(e.range),
            // Nothing in it runs.
            TypeKind::Decltype(e) => self.mark_all(e.range),
            _ => {}
        }
    }
}
