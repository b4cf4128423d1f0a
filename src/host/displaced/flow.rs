//! The flow of pointers in one step of a program: what it carries from where to where.

use super::sources::{Sources, is_standard};
use super::{Displaced, Key, Shape};
use crate::host::operands;
use crate::syntax::ast::{self, Expr, ExprKind, FunctionKind, Member, Name, TypeExpr, TypeKind};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Parameters of the functions of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ParameterSlot {
    At(usize),
    /// Packs that begin here.
    PackFrom(usize),
}

/// What functions of one name take in one place, beyond numbers.
#[derive(Default)]
pub(super) struct Parameter<'a> {
    /// Some take an object that does not lead to pointers: a part of it is moved with it.
    takes_parts: bool,
    types: Vec<&'a TypeExpr>,
}

/// Classes in classes, below which any member may be meant.
const MAX_BASES: u32 = 16;

/// Of these those that add to a value as they go.
const COUNTING: &[&str] = &[
    "exclusive_scan",
    "inclusive_scan",
    "iota",
    "partial_sum",
    "sequence",
];

/// Algorithms of the standard library and of Thrust over ranges.
const ALGORITHMS: &[&str] = &[
    "accumulate",
    "adjacent_difference",
    "all_of",
    "any_of",
    "binary_search",
    "copy",
    "copy_if",
    "copy_n",
    "count",
    "count_if",
    "equal",
    "exclusive_scan",
    "fill",
    "fill_n",
    "find",
    "find_if",
    "for_each",
    "for_each_n",
    "generate",
    "generate_n",
    "inclusive_scan",
    "inner_product",
    "iota",
    "is_sorted",
    "lower_bound",
    "max_element",
    "min_element",
    "minmax_element",
    "none_of",
    "nth_element",
    "partial_sort",
    "partial_sum",
    "reduce",
    "reverse",
    "rotate",
    "sequence",
    "shuffle",
    "sort",
    "stable_sort",
    "swap_ranges",
    "transform",
    "transform_reduce",
    "unique",
    "upper_bound",
];

/// Parts of the names of methods that make an object of their class's own out of arguments.
const MAKING: [&str; 6] = ["emplace", "push", "insert", "assign", "reset", "set"];

impl<'a> Displaced<'a> {
    pub(super) fn edge(&mut self, from: &Key, to: &Key) {
        if from != to && !self.is_number(to) && !self.is_number(from) {
            self.flows.insert(from, to);
        }
    }

    pub(super) fn displace(&mut self, key: Key) {
        if !self.is_fixed(&key) {
            self.displaced.insert(key);
        }
    }

    fn is_number(&self, key: &Key) -> bool {
        self.shapes.get(key).is_some_and(Shape::is_number)
    }

    pub(super) fn is_fixed(&self, key: &Key) -> bool {
        self.shapes.get(key).is_some_and(Shape::is_fixed)
    }

    fn pour(&mut self, sources: &Sources, to: &Key) {
        if sources.is_moved {
            self.displace(to.clone());
        }
        for from in &sources.cells {
            self.edge(from, to);
        }
        if !sources.kernels.is_empty() {
            let known = self.kernels_in.entry(to.clone()).or_default();
            known.extend(sources.kernels.iter().cloned());
        }
    }

    /// `to = e`, where `to` is declared as `ty`, if that is known.
    pub(super) fn flow(&mut self, at: usize, e: &Expr, to: &Key, ty: Option<&TypeExpr>) {
        let shape = self.shape_of_cell(to, ty);
        self.flow_to_place(at, e, to, ty, &shape);
    }

    fn shape_of_cell(&self, to: &Key, ty: Option<&TypeExpr>) -> Shape {
        match (ty, self.shapes.get(to)) {
            (_, Some(shape)) => shape.clone(),
            (Some(ty), None) => self.types.shape(ty),
            (None, None) => Shape::Other,
        }
    }

    /// `place = e`, where what is written belongs to `to`, an element of it perhaps: a pointer is made
    /// of a class where the place itself is one.
    pub(super) fn flow_to_place(
        &mut self,
        at: usize,
        e: &Expr,
        to: &Key,
        ty: Option<&TypeExpr>,
        place: &Shape,
    ) {
        if self.is_number(to) {
            return;
        }
        let mut sources = self.sources(at, e);
        let shape = self.shape_of_cell(to, ty);
        // What a cell may lead to is told apart from what it holds by this alone.
        sources.is_moved |= sources.is_part && !shape.leads_to_pointers();
        sources.is_moved |= matches!(place, Shape::Pointer(_)) && self.converts(at, e);
        self.pour(&sources, to);
        let is_reference = ty.is_some_and(writes_through);
        if is_reference || (shape.leads_to_pointers() && self.may_lead(at, e)) {
            for cell in self.led_to(at, e) {
                self.edge(to, &cell);
                self.edge(&cell, to);
            }
        }
        if let ExprKind::List(_) = &e.kind {
            self.members(at, std::slice::from_ref(e), ty);
        }
    }

    /// Whether what an expression gives may lead to pointers that are kept elsewhere.
    fn may_lead(&self, at: usize, e: &Expr) -> bool {
        self.shape_of(at, e).leads_to_pointers()
    }

    /// An object of a class is made of `list`: its members may hold any of it.
    pub(super) fn members(&mut self, at: usize, list: &[Expr], ty: Option<&TypeExpr>) {
        let mut sources = Sources::default();
        let mut led = Vec::new();
        for e in list {
            sources.absorb(self.sources(at, e));
            led.extend(self.led_to(at, e));
        }
        led.retain(|key| !self.is_number(key));
        if !sources.is_moved
            && led.is_empty()
            && sources.cells.is_empty()
            && sources.kernels.is_empty()
        {
            return;
        }
        let Some(ty) = ty.filter(|ty| !matches!(ty.kind, TypeKind::Auto)) else {
            return self.give_anybody(&sources, &led);
        };
        let mut fields = Vec::new();
        if self.fields_of(ty, &mut fields) {
            for (key, is_reference) in fields {
                self.pour(&sources, &key);
                if sources.is_part && !self.declared(&key).leads_to_pointers() {
                    self.displace(key.clone());
                }
                if is_reference || self.declared(&key).leads_to_pointers() {
                    for cell in &led {
                        self.edge(&key, cell);
                    }
                }
            }
        } else if self.types.shape(ty).holds_classes() {
            self.give_anybody(&sources, &led);
        }
    }

    fn give_anybody(&mut self, sources: &Sources, led: &[Key]) {
        self.pour(sources, &Key::Anybody);
        for cell in led {
            self.edge(&Key::LeftByAnybody, cell);
        }
    }

    /// The members of a class of the unit and of the classes in it, each class once; false where it is none.
    fn fields_of(&self, ty: &TypeExpr, out: &mut Vec<(Key, bool)>) -> bool {
        let mut todo: Vec<&ast::Record> = Vec::new();
        if !self.classes_of(ty, &mut todo, MAX_BASES) {
            return false;
        }
        let mut seen: FxHashSet<*const ast::Record> = FxHashSet::default();
        while let Some(r) = todo.pop() {
            if seen.insert(std::ptr::from_ref(r)) {
                self.members_of(r, out, &mut todo);
            }
        }
        true
    }

    /// A class's own members, and the classes that they, its bases and those written in it may be.
    fn members_of<'t>(
        &'t self,
        r: &'t ast::Record,
        out: &mut Vec<(Key, bool)>,
        within: &mut Vec<&'t ast::Record>,
    ) {
        for base in &r.bases {
            self.classes_of(base, within, MAX_BASES);
        }
        for m in &r.members {
            match m {
                Member::Variables(vs) => {
                    for v in vs {
                        let is_reference = writes_through(&v.ty);
                        out.push((Key::Global(v.name.clone()), is_reference));
                        self.classes_of(&v.ty, within, MAX_BASES);
                    }
                }
                Member::Record(inner) => within.push(inner),
                _ => {}
            }
        }
    }

    /// The classes that a type may be, by name; false where one is none of the unit.
    fn classes_of<'t>(
        &'t self,
        ty: &'t TypeExpr,
        out: &mut Vec<&'t ast::Record>,
        depth: u32,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let name = match &ty.kind {
            TypeKind::Named(p) => p.segments.last().map(|s| &s.name),
            TypeKind::Array(of, _) => return self.classes_of(of, out, depth),
            TypeKind::Reference { to, .. } => return self.classes_of(to, out, depth),
            TypeKind::Record(r) => {
                out.push(r);
                return true;
            }
            _ => None,
        };
        let Some(name) = name else { return false };
        if let Some(all) = self.types.aliases.get(name) {
            return all.iter().all(|ty| self.classes_of(ty, out, depth));
        }
        let Some(records) = self.records.get(name) else {
            return false;
        };
        out.extend(records.iter().copied());
        true
    }

    /// A call's arguments go to parameters, and what is written through these comes back.
    pub(super) fn pass(&mut self, at: usize, callee: &Expr, arguments: &[Expr]) {
        let name = match &callee.kind {
            ExprKind::Path(p) => p.segments.last().map(|s| &s.name),
            ExprKind::Member { member, .. } => member.segments.last().map(|s| &s.name),
            _ => None,
        };
        let Some(name) = name else {
            // `new (place) T(x)`
            let made = match &callee.kind {
                ExprKind::Cast { value, .. } => &value.kind,
                kind => kind,
            };
            if let (ExprKind::Other(_), [place, given @ ..]) = (made, arguments) {
                let given: Vec<Sources> = given.iter().map(|a| self.sources(at, a)).collect();
                let is_variable = operands::address_of(place).is_some();
                for cell in self.led_to(at, place) {
                    given.iter().for_each(|sources| self.pour(sources, &cell));
                    // `float *(p)` reads like a product.
                    if is_variable {
                        self.displace(cell);
                    }
                }
            }
            return self.pass_to_anybody(at, None, arguments);
        };
        let is_path = matches!(callee.kind, ExprKind::Path(_));
        if matches!(&callee.kind, ExprKind::Path(p) if is_standard(p)) {
            return self.pass_outside(at, callee, name, arguments);
        }
        if is_path && self.may_hold_function(at, name) {
            return self.pass_to_anybody(at, None, arguments);
        }
        let is_made = is_path && self.records.contains_key(name);
        if is_made {
            let ty = named(callee);
            self.members(at, arguments, ty.as_ref());
        }
        if self.functions.contains_key(name) {
            let arguments: Vec<&Expr> = arguments.iter().collect();
            self.pass_to_named(at, name, &arguments);
        } else if !is_made {
            self.pass_outside(at, callee, name, arguments);
        }
    }

    pub(super) fn pass_to_named(&mut self, at: usize, name: &Name, arguments: &[&Expr]) {
        let Some(parameters) = self.parameters_of(name) else {
            return;
        };
        let expands = arguments
            .iter()
            .any(|a| matches!(a.kind, ExprKind::Expand(_)));
        for (i, a) in arguments.iter().enumerate() {
            let sources = self.sources(at, a);
            let may_lead = self.may_lead(at, a);
            let led = self.led_to(at, a);
            let is_silent = led
                .iter()
                .chain(&sources.cells)
                .all(|key| self.is_number(key));
            if is_silent && sources.is_plain() && !matches!(a.kind, ExprKind::List(_)) {
                continue;
            }
            let is_target = |(place, _): &&(ParameterSlot, Parameter)| match *place {
                ParameterSlot::At(own) => expands || own == i,
                ParameterSlot::PackFrom(own) => i >= own,
            };
            for (place, parameter) in parameters.iter().filter(is_target) {
                let (ParameterSlot::At(own) | ParameterSlot::PackFrom(own)) = *place;
                let entry = Key::Entry(name.clone(), own);
                self.pour(&sources, &entry);
                if sources.is_part && parameter.takes_parts {
                    self.displace(entry);
                }
                if let ExprKind::List(_) = &a.kind {
                    for ty in &parameter.types {
                        self.members(at, std::slice::from_ref(*a), Some(ty));
                    }
                }
                for cell in &led {
                    let through = |leads| Key::Through(name.clone(), *place, leads);
                    self.edge(&through(false), cell);
                    if may_lead {
                        self.edge(&through(true), cell);
                    }
                }
            }
        }
    }

    /// The parameters of all functions of a name by their places; what these may write through a parameter
    /// is carried together to all arguments.
    fn parameters_of(&mut self, name: &Name) -> Option<Rc<[(ParameterSlot, Parameter<'a>)]>> {
        if let Some(known) = self.parameters.get(name) {
            return Some(known.clone());
        }
        let functions = self.functions.get(name).cloned()?;
        let mut found: Vec<(ParameterSlot, Parameter)> = Vec::new();
        for (of, f) in &functions {
            for (i, p) in f.parameters.iter().enumerate() {
                let shape = self.types.shape(&p.ty);
                if shape.is_number() {
                    continue;
                }
                let pack = p.is_pack.then_some(ParameterSlot::PackFrom(i));
                for place in [Some(ParameterSlot::At(i)), pack].into_iter().flatten() {
                    let at = found.iter().position(|(known, _)| *known == place);
                    let at = at.unwrap_or_else(|| {
                        found.push((place, Parameter::default()));
                        found.len() - 1
                    });
                    let known = &mut found[at].1;
                    known.takes_parts |= !shape.leads_to_pointers();
                    known.types.push(&p.ty);
                    let Some(own) = &p.name else { continue };
                    let own = Key::Local(*of, own.clone());
                    if writes_through(&p.ty) {
                        self.edge(&own, &Key::Through(name.clone(), place, false));
                    } else if shape.leads_to_pointers() {
                        self.edge(&own, &Key::Through(name.clone(), place, true));
                    }
                }
            }
        }
        let found: Rc<[(ParameterSlot, Parameter)]> = found.into();
        self.parameters.insert(name.clone(), found.clone());
        Some(found)
    }

    /// Arguments of somebody who is not known by name: a variable, an object.
    pub(super) fn pass_to_anybody(&mut self, at: usize, object: Option<&Expr>, arguments: &[Expr]) {
        let mut sources = Sources::default();
        for a in arguments {
            sources.absorb(self.sources(at, a));
        }
        let all = object.into_iter().chain(arguments);
        let led: Vec<Key> = all.flat_map(|a| self.led_to(at, a)).collect();
        self.give_anybody(&sources, &led);
    }

    /// A function whose text is not here.
    fn pass_outside(&mut self, at: usize, callee: &Expr, name: &Name, arguments: &[Expr]) {
        if operands::allocates(name) || name.to_ascii_lowercase().contains("alloc") {
            return;
        }
        let object = match &callee.kind {
            ExprKind::Member { object, .. } => Some(&**object),
            _ => None,
        };
        if object.is_none() && ALGORITHMS.contains(&&**name) {
            return self.pass_elements(at, name, arguments);
        }
        // Views and atomics that move what they hold.
        if matches!(&**name, "remove_prefix" | "fetch_add" | "fetch_sub") {
            let cells = object.map_or_else(Vec::new, |o| self.led_to(at, o));
            cells.into_iter().for_each(|cell| self.displace(cell));
        }
        if matches!(&**name, "advance" | "align") {
            let all = arguments.iter().flat_map(|a| self.led_to(at, a));
            let all: Vec<Key> = all.collect();
            all.into_iter().for_each(|cell| self.displace(cell));
        }
        let is_library = object.is_none() && operands::takes_values(name);
        // What is declared here takes references where it says so.
        let declared: Vec<&'a ast::Function> =
            self.signatures.get(name).cloned().unwrap_or_default();
        let may_write = |i: usize, a: &Expr, out: &Self| {
            let takes = |f: &&&'a ast::Function| match f.parameters.get(i) {
                Some(p) => writes_through(&p.ty) || out.types.shape(&p.ty).leads_to_pointers(),
                None => true,
            };
            if i == 0 && (name.contains("emcpy") || &**name == "memmove") {
                // Pointers are copied to where it points, or to a variable of the device.
                let mut to = a;
                while let ExprKind::Cast { value, .. } = &to.kind {
                    to = value;
                }
                let held = out.shape_of(at, to);
                matches!(held.element(), Shape::Pointer(_) | Shape::Record)
                    || out.is_of_several_shapes(at, to)
                    || out.may_lead(at, a) && operands::address_of(a).is_some()
                    || name.contains("ToSymbol") && !held.is_number()
            } else if is_library || !declared.is_empty() && !declared.iter().any(|f| takes(&f)) {
                out.may_lead(at, a) && operands::address_of(a).is_some()
            } else {
                true
            }
        };
        let all: Vec<Sources> = arguments.iter().map(|a| self.sources(at, a)).collect();
        for (i, a) in arguments.iter().enumerate() {
            let mut targets = if may_write(i, a, self) {
                self.led_to(at, a)
            } else {
                Vec::new()
            };
            if i == 0 {
                targets.extend(object.into_iter().flat_map(|o| self.led_to(at, o)));
            }
            for target in targets {
                for (j, sources) in all.iter().enumerate() {
                    if j != i || object.is_some() {
                        self.pour(sources, &target);
                    }
                }
            }
        }
        // Bytes of something else become a pointer.
        if let [to, from, ..] = arguments
            && (name.contains("emcpy") || &**name == "memmove")
            && operands::address_of(to).is_some()
            && !self.may_lead(at, from)
        {
            let cells = self.led_to(at, to);
            cells.into_iter().for_each(|cell| self.displace(cell));
        }
        if !is_library && self.reaches_anybody(at, callee, arguments) {
            self.pass_to_anybody(at, object, arguments);
        }
    }

    /// Whether an expression names variables that differ in shape.
    fn is_of_several_shapes(&self, at: usize, e: &Expr) -> bool {
        let mut named = self.led_to(at, e).into_iter();
        named.any(|key| self.of_several_shapes.contains(&key))
    }

    /// Whether a function whose text is not here may call what stands here, or make a class of it.
    fn reaches_anybody(&self, at: usize, callee: &Expr, arguments: &[Expr]) -> bool {
        let may_be_called = |a: &Expr| {
            matches!(
                a.kind,
                ExprKind::Lambda(_) | ExprKind::List(_) | ExprKind::Construct { .. }
            ) || matches!(
                self.shape_of(at, a),
                Shape::Function | Shape::Record | Shape::Other
            )
        };
        match &callee.kind {
            ExprKind::Path(p) => {
                p.template_arguments().next().is_some() || arguments.iter().any(may_be_called)
            }
            ExprKind::Member { object, member, .. } => {
                let name = member.segments.last().map(|s| &*s.name);
                let shape = self.shape_of(at, object);
                let makes = name.is_some_and(|n| MAKING.iter().any(|part| n.contains(part)));
                // `table.launch(p)` calls what the member holds.
                let is_held = name.is_some_and(|n| self.members.contains(n));
                is_held
                    || makes && (shape.holds_classes() || shape.element().holds_classes())
                    || arguments.iter().any(may_be_called)
            }
            _ => true,
        }
    }

    /// An algorithm of the library moves elements about, and gives them to what it calls: places among
    /// them stay its own.
    fn pass_elements(&mut self, at: usize, name: &str, arguments: &[Expr]) {
        let leading = arguments.iter().filter(|a| self.may_lead(at, a));
        let mut cells: Vec<Key> = leading.flat_map(|a| self.led_to(at, a)).collect();
        cells.retain(|key| !self.is_number(key));
        for cell in &cells {
            self.edge(cell, &Key::Anybody);
            for other in &cells {
                self.edge(cell, other);
            }
            self.edge(&Key::ResultOfAnybody, cell);
            self.edge(&Key::LeftByAnybody, cell);
        }
        let others = arguments.iter().filter(|a| !self.may_lead(at, a));
        let values: Vec<Sources> = others.map(|a| self.sources(at, a)).collect();
        for cell in &cells {
            values.iter().for_each(|value| self.pour(value, cell));
            if COUNTING.contains(&name) {
                self.displace(cell.clone());
            }
        }
    }

    /// Lambdas, functions used as values, constructors and operators are called by anybody, and classes
    /// are made of what anybody is given.
    pub(super) fn link_anybody(&mut self, values: &FxHashSet<Name>) {
        let mut open: Vec<(usize, &'a ast::Function)> = Vec::new();
        for (name, all) in &self.functions {
            for (place, f) in all {
                let is_called = matches!(
                    f.kind,
                    FunctionKind::Constructor | FunctionKind::Operator | FunctionKind::Conversion
                );
                if is_called || values.contains(name) {
                    open.push((*place, f));
                }
            }
        }
        for (place, f) in open {
            for (i, p) in f.parameters.iter().enumerate() {
                self.edge(&Key::Anybody, &Key::Entry(f.name.clone(), i));
                self.left(place, p);
            }
            self.edge(&Key::Result(f.name.clone()), &Key::ResultOfAnybody);
        }
        let records: Vec<&'a ast::Record> = self.records.values().flatten().copied().collect();
        for r in records {
            let mut fields = Vec::new();
            let mut within = Vec::new();
            self.members_of(r, &mut fields, &mut within);
            for inner in within {
                self.members_of(inner, &mut fields, &mut Vec::new());
            }
            // Its members are the same bytes.
            if r.is_union {
                let own: Vec<Key> = fields.iter().map(|(key, _)| key.clone()).collect();
                own.into_iter().for_each(|key| self.displace(key));
            }
            for (key, is_reference) in fields {
                if self.has_bindings {
                    self.edge(&key, &Key::AnyMember);
                    self.edge(&Key::BoundToMembers, &key);
                }
                self.edge(&Key::Anybody, &key);
                if is_reference || self.declared(&key).leads_to_pointers() {
                    self.edge(&key, &Key::LeftByAnybody);
                }
            }
        }
    }

    /// A name that may be bound to a member of any class, as a reference or as a copy.
    pub(super) fn link_members(&mut self, to: &Key, ty: &TypeExpr) {
        self.has_bindings = true;
        self.edge(&Key::AnyMember, to);
        if writes_through(ty) {
            self.edge(to, &Key::BoundToMembers);
        }
    }

    /// What a parameter of somebody's function may leave in an argument.
    pub(super) fn left(&mut self, place: usize, p: &ast::Parameter) {
        let Some(name) = &p.name else { return };
        if writes_through(&p.ty) || self.types.shape(&p.ty).leads_to_pointers() {
            let own = Key::Local(place, name.clone());
            self.edge(&own, &Key::LeftByAnybody);
        }
    }
}

/// Whether a reference lets its holder write what it is bound to.
pub(super) fn writes_through(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Reference { .. } => true,
        TypeKind::Named(path) => {
            let last = path.segments.last();
            last.is_some_and(|last| &*last.name == "reference_wrapper")
        }
        _ => false,
    }
}

/// The type that a callee names.
fn named(callee: &Expr) -> Option<TypeExpr> {
    let ExprKind::Path(p) = &callee.kind else {
        return None;
    };
    Some(TypeExpr::named(p.clone()))
}
