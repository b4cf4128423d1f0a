//! Sources of values: where that of an expression comes from, and which places it leads to.

use super::{Displaced, Key, Shape};
use crate::host::operands::is_of_toolkit;
use crate::syntax::ast::{self, BinaryOp, Expr, ExprKind, Name, UnaryOp};

/// Nesting below which an expression may be anything.
const MAX_DEPTH: u32 = 64;

/// What a value may have been.
#[derive(Default)]
pub(super) struct Sources {
    /// It was computed in the text.
    pub is_moved: bool,
    /// It is a number in an object, whose address is no pointer that is kept in the object.
    pub is_part: bool,
    /// A function gave it that is not in sight: nothing in the text moves it.
    pub is_opaque: bool,
    pub cells: Vec<Key>,
    /// Kernels that it names.
    pub kernels: Vec<ast::Path>,
}

impl Sources {
    /// Whether cells alone tell what the value is.
    pub fn is_plain(&self) -> bool {
        !self.is_moved && !self.is_part && !self.is_opaque && self.kernels.is_empty()
    }

    pub fn absorb(&mut self, other: Self) {
        self.is_moved |= other.is_moved;
        self.is_part |= other.is_part;
        self.is_opaque |= other.is_opaque;
        self.cells.extend(other.cells);
        self.kernels.extend(other.kernels);
    }
}

/// Library functions that give what one of their arguments gives.
const PASSING: &[&str] = &[
    "forward",
    "move",
    "as_const",
    "get",
    "ref",
    "cref",
    "launder",
    "max",
    "min",
    "exchange",
    "make_pair",
    "make_tuple",
    "tie",
    "forward_as_tuple",
    "raw_pointer_cast",
    "device_pointer_cast",
    "data",
    "begin",
    "any_cast",
];

impl Displaced<'_> {
    /// Where a pointer comes from that an expression gives.
    pub(super) fn sources(&self, at: usize, e: &Expr) -> Sources {
        let mut out = Sources::default();
        self.gather(at, e, &mut out, MAX_DEPTH);
        out
    }

    #[expect(clippy::too_many_lines, reason = "still to be split")]
    fn gather(&self, at: usize, e: &Expr, out: &mut Sources, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            out.is_moved = true;
            return;
        };
        match &e.kind {
            ExprKind::Path(p) => {
                let Some(last) = p.segments.last() else {
                    return;
                };
                out.is_moved |= self.is_array_member(at, e);
                if !self.is_function_name(at, e) {
                    out.cells.push(self.key(at, &last.name));
                } else if self.kernels.contains(&last.name) {
                    out.kernels.push(p.clone());
                }
            }
            ExprKind::Member { object, member, .. } => {
                out.is_moved |= self.is_array_member(at, e);
                out.cells
                    .extend(member.segments.last().map(|s| Key::Global(s.name.clone())));
                self.gather(at, object, out, depth);
            }
            ExprKind::Index(base, by) => {
                let is_start = matches!(&by[..], [by] if is_zero(by));
                self.behind(at, base, is_start, out, depth);
                if self.has_operators {
                    out.cells.push(Key::Result(Name::from("[]")));
                }
            }
            ExprKind::Unary(UnaryOp::Deref, inner) => {
                self.behind(at, inner, true, out, depth);
                if self.has_operators {
                    out.cells.push(Key::Result(Name::from("*")));
                }
            }
            ExprKind::Unary(UnaryOp::AddressOf, inner) => {
                self.address(at, inner, out, depth);
                self.own_operator(UnaryOp::AddressOf.symbol(), out);
            }
            // What a class that others do not begin with is, as its methods see it.
            ExprKind::This => out.is_moved |= !self.later_bases.is_empty(),
            ExprKind::Unary(op, inner) if op.is_step() => {
                out.is_moved |= self.shape_of(at, inner) != Shape::Number;
                self.gather(at, inner, out, depth);
            }
            ExprKind::Unary(op, inner) => {
                self.gather(at, inner, out, depth);
                self.own_operator(op.symbol(), out);
            }
            ExprKind::Expand(inner) => self.gather(at, inner, out, depth),
            ExprKind::Cast { ty, value, .. } => {
                let to = self.types.shape(ty);
                let from = self.shape_of(at, value);
                // A number that was a pointer may have been computed with, unless it is one again at once.
                let is_number = from == Shape::Number
                    && !is_zero(value)
                    && !matches!(value.kind, ExprKind::Cast { .. });
                let is_class = matches!(to, Shape::Pointer(_)) && self.converts(at, value);
                out.is_moved |= to != Shape::Number && is_number || is_class;
                out.is_moved |= self.leads_to_later_base(ty);
                self.gather(at, value, out, depth);
            }
            ExprKind::Binary(BinaryOp::Comma, _, b) => {
                self.gather(at, b, out, depth);
                self.own_operator(Some(BinaryOp::Comma.symbol()), out);
            }
            ExprKind::Binary(op, a, b) => {
                if self.shape_of(at, e) == Shape::Number {
                    return;
                }
                let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub);
                out.is_moved |= is_sum && !is_zero(b);
                self.gather(at, a, out, depth);
                self.gather(at, b, out, depth);
                out.cells.push(Key::Result(Name::from(op.symbol())));
            }
            ExprKind::Conditional(_, a, b) => {
                self.gather(at, a, out, depth);
                self.gather(at, b, out, depth);
            }
            ExprKind::Assign(op, place, value) => {
                out.is_moved |= op.is_some() && self.shape_of(at, place) != Shape::Number;
                self.gather(at, place, out, depth);
                self.gather(at, value, out, depth);
            }
            ExprKind::Call { callee, arguments } => self.call(at, callee, arguments, out, depth),
            ExprKind::Construct { ty, arguments } => {
                let is_cast = matches!(self.types.shape(ty), Shape::Pointer(_));
                if let (true, [only]) = (is_cast, &arguments[..]) {
                    out.is_moved |= self.shape_of(at, only) == Shape::Number && !is_zero(only);
                }
                self.all(at, arguments, out, depth);
            }
            ExprKind::List(items) => {
                for (_, item) in items {
                    self.gather(at, item, out, depth);
                }
            }
            ExprKind::Fold { pack, init, .. } => {
                self.gather(at, pack, out, depth);
                if let Some(init) = init {
                    self.gather(at, init, out, depth);
                }
            }
            ExprKind::Error | ExprKind::Other("pointer to member") => out.is_moved = true,
            _ => {}
        }
    }

    /// What an operator of the text's own may give.
    fn own_operator(&self, symbol: Option<&str>, out: &mut Sources) {
        let symbol = symbol.filter(|_| self.has_operators);
        out.cells.extend(symbol.map(|s| Key::Result(Name::from(s))));
    }

    /// Whether an expression is an array in an object: where that begins is not looked at.
    fn is_array_member(&self, at: usize, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Member { member, .. } => {
                let last = member.segments.last();
                last.is_some_and(|s| self.arrays.contains(&s.name))
            }
            _ => {
                let own = self.own_member(at, e);
                own.is_some_and(|name| self.arrays.contains(name))
            }
        }
    }

    /// The member that a name alone stands for, in a method.
    fn own_member<'e>(&self, at: usize, e: &'e Expr) -> Option<&'e Name> {
        let ExprKind::Path(path) = &e.kind else {
            return None;
        };
        let name = &path.segments.last()?.name;
        let is_member = self.members.contains(name);
        (is_member && self.key(at, name) == Key::Global(name.clone())).then_some(name)
    }

    fn all(&self, at: usize, list: &[Expr], out: &mut Sources, depth: u32) {
        list.iter().for_each(|e| self.gather(at, e, out, depth));
    }

    /// `*base` or `base[i]`, the first element or any.
    fn behind(&self, at: usize, base: &Expr, is_start: bool, out: &mut Sources, depth: u32) {
        match self.shape_of(at, base).element() {
            Shape::Number => {}
            // A row of an array is a place in it.
            Shape::Array(_) => {
                out.is_moved |= !is_start;
                self.gather(at, base, out, depth);
            }
            // A pointer that is loaded is what was stored, wherever that is.
            Shape::Pointer(_) | Shape::Record | Shape::Function => {
                out.cells.extend(self.led_to(at, base))
            }
            Shape::Other => {
                let mut inner = Sources::default();
                self.gather(at, base, &mut inner, depth);
                out.absorb(inner);
                out.cells.extend(self.led_to(at, base));
            }
        }
    }

    /// Whether a place, of a number that a reference is bound to, may lie behind the start of an object.
    pub(super) fn may_be_part(&self, at: usize, e: &Expr) -> bool {
        let mut out = Sources::default();
        if self.shape_of(at, e) == Shape::Number {
            self.address(at, e, &mut out, MAX_DEPTH);
        }
        out.is_part || out.is_moved
    }

    /// `&inner`
    fn address(&self, at: usize, inner: &Expr, out: &mut Sources, depth: u32) {
        let held = self.shape_of(at, inner);
        let is_pointer = matches!(held, Shape::Pointer(_));
        match &inner.kind {
            ExprKind::Index(base, by) => {
                let is_start = matches!(&by[..], [by] if is_zero(by));
                out.is_moved |= (!is_start || self.is_array_member(at, base)) && !is_pointer;
                self.gather(at, base, out, depth);
            }
            ExprKind::Member { object, .. } => {
                let is_number = held == Shape::Number;
                out.is_part |= is_number;
                out.is_moved |= !is_number && !is_pointer;
                if !is_number {
                    self.gather(at, object, out, depth);
                }
            }
            ExprKind::Unary(UnaryOp::Deref, pointer) => self.gather(at, pointer, out, depth),
            ExprKind::Path(_) if self.own_member(at, inner).is_some() => {
                out.is_part |= held == Shape::Number;
                out.is_moved |= held != Shape::Number && !is_pointer;
            }
            ExprKind::Path(p)
                if held == Shape::Number
                    && p.segments.last().is_some_and(|last| {
                        self.references.contains(&self.key(at, &last.name))
                    }) =>
            {
                out.is_part = true;
            }
            // A variable is an object of its own; what it holds is seen by whoever reads it.
            ExprKind::Path(_) if held == Shape::Number => {}
            ExprKind::Path(_) if held == Shape::Function => self.gather(at, inner, out, depth),
            _ => out.cells.extend(self.led_to(at, inner)),
        }
    }

    fn call(&self, at: usize, callee: &Expr, arguments: &[Expr], out: &mut Sources, depth: u32) {
        match &callee.kind {
            ExprKind::Other("new") => {}
            ExprKind::Path(p) => {
                let Some(last) = p.segments.last() else {
                    return;
                };
                let name = &last.name;
                let is_standard = is_standard(p);
                let is_variable = !is_standard && self.may_hold_function(at, name);
                // What the library calls may give what it gives.
                if arguments
                    .iter()
                    .any(|a| matches!(a.kind, ExprKind::Lambda(_)))
                {
                    out.cells.push(Key::ResultOfAnybody);
                }
                if let ("addressof", [place]) = (&**name, arguments) {
                    self.address(at, place, out, depth);
                } else if is_variable {
                    out.cells.push(Key::ResultOfAnybody);
                    out.cells.push(Key::Result(Name::from("()")));
                    self.all(at, arguments, out, depth);
                } else if !is_standard && self.functions.contains_key(name) {
                    out.cells.push(Key::Result(name.clone()));
                } else if !is_standard && self.records.contains_key(name)
                    || PASSING.contains(&&**name)
                    || name.starts_with("make_")
                {
                    self.all(at, arguments, out, depth);
                } else if !is_of_toolkit(name) && !name.to_ascii_lowercase().contains("alloc") {
                    let mut given = Sources::default();
                    self.all(at, arguments, &mut given, depth);
                    let is_given = given.cells.iter().any(|key| !self.is_fixed(key));
                    let is_library = p.segments.len() > 1;
                    out.is_moved |= is_given && (is_library || moves(name)) || given.is_moved;
                    out.is_opaque = true;
                }
            }
            ExprKind::Member { object, member, .. } => {
                let Some(last) = member.segments.last() else {
                    return;
                };
                if self.functions.contains_key(&last.name) {
                    out.cells.push(Key::Result(last.name.clone()));
                } else if self.members.contains(&last.name) {
                    out.cells.push(Key::ResultOfAnybody);
                } else {
                    out.is_moved |= self.is_array_member(at, object);
                    let is_end = last.name.ends_with("end");
                    out.is_moved |= !gives_content(&last.name) && (is_end || moves(&last.name));
                    out.is_opaque |= !gives_content(&last.name);
                }
                self.gather(at, object, out, depth);
                out.cells.extend(self.led_to(at, object));
            }
            _ => {
                // A function object of the library computes with what it is given.
                out.is_moved |= matches!(
                    callee.kind,
                    ExprKind::Construct { .. } | ExprKind::Call { .. }
                );
                out.cells.push(Key::ResultOfAnybody);
                self.all(at, arguments, out, depth);
            }
        }
    }

    /// Whether a name stands for something that is called through a variable.
    pub(super) fn is_variable(&self, at: usize, name: &Name) -> bool {
        let key = self.key(at, name);
        matches!(key, Key::Local(..))
            || self.shapes.contains_key(&key) && !self.functions.contains_key(name)
    }

    /// The same, a parameter of a template included.
    pub(super) fn may_hold_function(&self, at: usize, name: &Name) -> bool {
        let is_parameter = self.types.values.contains(name) && !self.functions.contains_key(name);
        is_parameter || self.is_variable(at, name)
    }

    /// The cells that are written where an expression is, or where it points.
    pub(super) fn led_to(&self, at: usize, e: &Expr) -> Vec<Key> {
        let mut out = Vec::new();
        self.lead(at, e, &mut out, MAX_DEPTH);
        out
    }

    fn lead(&self, at: usize, e: &Expr, out: &mut Vec<Key>, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match &e.kind {
            ExprKind::Path(p) => {
                if let Some(s) = p.segments.last() {
                    out.push(self.key(at, &s.name));
                }
            }
            // Members are seen by their own names, whatever the object is.
            ExprKind::Member { member, .. } => {
                out.extend(member.segments.last().map(|s| Key::Global(s.name.clone())));
            }
            ExprKind::Index(a, _)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast { value: a, .. }
            | ExprKind::Assign(_, a, _)
            | ExprKind::Expand(a)
            | ExprKind::Fold { pack: a, .. } => self.lead(at, a, out, depth),
            ExprKind::Binary(BinaryOp::Comma, _, b) => self.lead(at, b, out, depth),
            ExprKind::Binary(_, a, b) | ExprKind::Conditional(_, a, b) => {
                self.lead(at, a, out, depth);
                self.lead(at, b, out, depth);
            }
            ExprKind::Call { callee, arguments } => {
                match &callee.kind {
                    ExprKind::Path(p) => {
                        if let Some(s) = p.segments.last() {
                            out.push(Key::Result(s.name.clone()));
                            // What a lambda gives by reference.
                            if self.is_variable(at, &s.name) {
                                out.push(Key::ResultOfAnybody);
                            }
                        }
                    }
                    ExprKind::Member { object, member, .. } => {
                        out.extend(member.segments.last().map(|s| Key::Result(s.name.clone())));
                        self.lead(at, object, out, depth);
                    }
                    _ => out.push(Key::ResultOfAnybody),
                }
                arguments.iter().for_each(|a| self.lead(at, a, out, depth));
            }
            ExprKind::Construct { arguments, .. } => {
                arguments.iter().for_each(|a| self.lead(at, a, out, depth));
            }
            ExprKind::List(items) => {
                items.iter().for_each(|(_, a)| self.lead(at, a, out, depth));
            }
            _ => {}
        }
    }
}

/// Whether a function that is not in sight gives a place behind what it is given, by its name.
fn moves(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let parts = [
        "next", "prev", "adv", "align", "offset", "shift", "add", "row", "sub", "last", "drop",
        "skip", "remove",
    ];
    parts.iter().any(|part| lower.contains(part))
}

fn is_zero(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int { value, .. } => *value == 0,
        ExprKind::Null => true,
        ExprKind::Cast { value, .. } => is_zero(value),
        _ => false,
    }
}

/// Whether a method of a class that is not in sight gives what its object was given, or made itself.
fn gives_content(name: &ast::Name) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(
        &*lower,
        "get" | "begin" | "c_str" | "front" | "back" | "at" | "top" | "value"
    ) || ["ptr", "pointer", "data", "alloc"]
        .iter()
        .any(|part| lower.contains(part))
}

/// Whether a name is the standard library's, whatever the unit calls by its last part.
pub(super) fn is_standard(p: &ast::Path) -> bool {
    matches!(&p.segments[..], [space, _, ..] if matches!(&*space.name, "std" | "thrust"))
}
