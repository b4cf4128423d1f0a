//! Operators: unary, binary, comma, assignment, fold.

use super::super::context::{Context, TOO_DEEP};
use super::super::cst::{Field, Kind, Node};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Range, UnaryOp};

pub(super) const LAMBDA_ARGUMENT: &str = "lambda as a template argument";

impl Context<'_> {
    /// The text of a node's operator, as the user wrote it.
    pub(super) fn operator(&self, node: Node<'_>) -> &str {
        node.field(Field::Operator)
            .map_or("", |operator| self.text(operator).trim())
    }

    pub(super) fn unary(&self, node: Node<'_>) -> ExprKind {
        let op = match self.operator(node) {
            "+" => UnaryOp::Plus,
            "-" => UnaryOp::Neg,
            "!" | "not" => UnaryOp::Not,
            "~" | "compl" => UnaryOp::BitNot,
            "*" => UnaryOp::Deref,
            "&" => UnaryOp::AddressOf,
            _ => return ExprKind::Error,
        };
        self.prefixed(op, node)
    }

    /// An operator in front of its operand. The grammar reads `++x = 5` as `++(x = 5)`.
    pub(super) fn prefixed(&self, op: UnaryOp, node: Node<'_>) -> ExprKind {
        let argument = node.field(Field::Argument);
        self.before_place(node, argument, |operand| ExprKind::Unary(op, operand))
    }

    /// What stands in front of an operand. Where the grammar takes an assignment for the operand, it is the
    /// place assigned to: `(int &)x = 5` is no cast of `x = 5`.
    pub(super) fn before_place(
        &self,
        node: Node<'_>,
        operand: Option<Node<'_>>,
        wrapped: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> ExprKind {
        let is_bare = operand.is_some_and(|node| node.kind() != Kind::ParenthesizedExpression);
        match *self.boxed(operand, node.range()) {
            Expr {
                kind: ExprKind::Assign(by, place, value),
                ..
            } if is_bare => {
                let range = Range {
                    start: node.start(),
                    end: place.range.end,
                };
                let kind = wrapped(place);
                ExprKind::Assign(by, Box::new(Expr { kind, range }), value)
            }
            operand => wrapped(Box::new(operand)),
        }
    }

    pub(super) fn update(&self, node: Node<'_>) -> ExprKind {
        let argument = node.field(Field::Argument);
        let operator = node.field(Field::Operator);
        let is_prefix = match (operator, argument) {
            (Some(operator), Some(argument)) => operator.start() < argument.start(),
            _ => false,
        };
        let op = match (self.operator(node), is_prefix) {
            ("++", true) => UnaryOp::PreIncrement,
            ("++", false) => UnaryOp::PostIncrement,
            ("--", true) => UnaryOp::PreDecrement,
            _ => UnaryOp::PostDecrement,
        };
        if is_prefix {
            return self.prefixed(op, node);
        }
        ExprKind::Unary(op, self.boxed(argument, node.range()))
    }

    /// A left-leaning chain is walked without recursion: generated sums are long.
    pub(super) fn binary(&self, node: Node<'_>) -> Expr {
        let mut chain = vec![node];
        while let Some(left) = chain.last().and_then(|last| last.field(Field::Left))
            && left.kind() == Kind::BinaryExpression
            && chain.len() < self.levels_left()
        {
            chain.push(left);
        }
        let Some(first) = chain.last().and_then(|last| last.field(Field::Left)) else {
            return Self::error(node.range());
        };
        let mut result = self.deeper_by(chain.len(), || self.expr(first));
        for (depth, link) in chain.into_iter().enumerate().rev() {
            let range = link.range();
            let right = link
                .field(Field::Right)
                .map_or(Self::error(range), |right| {
                    self.deeper_by(depth, || self.expr(right))
                });
            let kind = match binary_op(self.operator(link)) {
                Some(_) if ends_in_operator(&result) => ExprKind::Other(OPERATOR),
                Some(op) if self.compares_template(op, &result) => {
                    self.problem(
                        range,
                        "a list of template arguments that reads as a comparison",
                    );
                    ExprKind::Error
                }
                Some(op) if is_template_list(op, &result, &right) => {
                    ExprKind::Other(LAMBDA_ARGUMENT)
                }
                Some(op) => ExprKind::Binary(op, Box::new(result), Box::new(right)),
                None => ExprKind::Other(OPERATOR),
            };
            result = Expr { kind, range };
        }
        result
    }

    /// Whether the left side of a comparison is the name of a template, which compares with nothing.
    fn compares_template(&self, op: BinaryOp, left: &Expr) -> bool {
        let ExprKind::Path(path) = &left.kind else {
            return false;
        };
        // A longer path may be a type's, of which a variable is declared.
        let Some(last) = path.as_name() else {
            return false;
        };
        let at = left.range.start;
        op == BinaryOp::Lt && self.names.is_template(last, at) && !self.names.is_value(last, at)
    }

    pub(super) fn comma(&self, node: Node<'_>) -> Expr {
        let range = node.range();
        let parts = self.comma_parts(node);
        if parts.len() > self.levels_left() {
            self.problem(range, TOO_DEEP);
            return Self::error(range);
        }
        let mut operands: Vec<Expr> = Vec::new();
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            // A repair put commas for assignments, which group to the right.
            let mut targets = Vec::new();
            let mut last = part;
            while let Some(next) = parts.peek()
                && let Some(op) = self.assignment_between(last, *next)
            {
                targets.push((last, op));
                last = *next;
                parts.next();
            }
            let value = self.expr(last);
            let assigned = targets.into_iter().rev();
            operands.push(assigned.fold(value, |value, (target, op)| {
                assigned_to(self.expr(target), op, value)
            }));
        }
        let joined = operands
            .into_iter()
            .reduce(|left, right| self.then(left, right));
        joined.unwrap_or(Self::error(range))
    }

    /// `left, right`
    pub(super) fn then(&self, left: Expr, right: Expr) -> Expr {
        Expr {
            range: Range {
                start: left.range.start,
                end: right.range.end,
            },
            kind: ExprKind::Binary(BinaryOp::Comma, Box::new(left), Box::new(right)),
        }
    }

    /// The operator of the assignment that the user wrote between two operands of a comma.
    pub(super) fn assignment_between(
        &self,
        left: Node<'_>,
        right: Node<'_>,
    ) -> Option<Option<BinaryOp>> {
        let between = Range {
            start: left.end(),
            end: right.start(),
        };
        let text = self.slice(between).trim().trim_matches(['(', ')', ' ']);
        match text.strip_suffix('=')? {
            "" => Some(None),
            op => binary_op(op).map(Some),
        }
    }

    /// The operands of `a, b, c`: right-leaning in the grammar, left-leaning in C.
    pub(super) fn comma_parts<'c>(&self, node: Node<'c>) -> Vec<Node<'c>> {
        let mut parts = Vec::new();
        let mut at = Some(node);
        while let Some(comma) = at.filter(|at| at.kind() == Kind::CommaExpression) {
            parts.extend(comma.field(Field::Left));
            at = comma.field(Field::Right);
        }
        parts.extend(at);
        parts
    }

    pub(super) fn assignment(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let operator = self.operator(node);
        let op = match operator.strip_suffix('=') {
            Some("") => None,
            Some(op) => match binary_op(op) {
                Some(op) => Some(op),
                None => return ExprKind::Error,
            },
            None => return ExprKind::Error,
        };
        let right = self.boxed(node.field(Field::Right), range);
        let left = node.field(Field::Left);
        let target = self.boxed(left, range);
        if left.is_some_and(|left| left.kind() == Kind::ConditionalExpression) {
            return assigned_to(*target, op, *right).kind;
        }
        ExprKind::Assign(op, target, right)
    }

    pub(super) fn fold(&self, node: Node<'_>) -> ExprKind {
        let range = node.range();
        let is_dots = |side: Node<'_>| self.text(side) == "...";
        let (Some(left), Some(right)) = (node.field(Field::Left), node.field(Field::Right)) else {
            return ExprKind::Error;
        };
        let operator = self.operator(node);
        let op = match binary_op(operator) {
            Some(op) => op,
            None if operator == "," => BinaryOp::Comma,
            None => return ExprKind::Other("fold"),
        };
        let has_inner_dots = node
            .children()
            .any(|child| child.role() == Field::Other && self.text(child) == "...");
        if is_dots(left) {
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(right), range),
                init: None,
                is_left: true,
            }
        } else if is_dots(right) {
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(left), range),
                init: None,
                is_left: false,
            }
        } else if has_inner_dots {
            // `(pack op ... op init)` or `(init op ... op pack)`: one side is the initial value.
            // Where no literal tells which, the left one is taken for the pack, until names are known.
            let left_is_init =
                matches!(left.kind(), Kind::NumberLiteral | Kind::True | Kind::False);
            let (pack, init) = if left_is_init {
                (right, left)
            } else {
                (left, right)
            };
            let init = Some(self.boxed(Some(init), range));
            ExprKind::Fold {
                op,
                pack: self.boxed(Some(pack), range),
                init,
                is_left: left_is_init,
            }
        } else {
            ExprKind::Other("fold")
        }
    }
}

/// The operator spelled `text`.
pub fn binary_op(text: &str) -> Option<BinaryOp> {
    Some(match text {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" | "bitand" => BinaryOp::And,
        "|" | "bitor" => BinaryOp::Or,
        "^" | "xor" => BinaryOp::Xor,
        "&&" | "and" => BinaryOp::LogicalAnd,
        "||" | "or" => BinaryOp::LogicalOr,
        "==" => BinaryOp::Eq,
        "!=" | "not_eq" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        "," => BinaryOp::Comma,
        _ => return None,
    })
}

/// `target = value`; of `c ? x : y = value` the last operand is assigned to.
fn assigned_to(target: Expr, op: Option<BinaryOp>, value: Expr) -> Expr {
    let range = Range {
        start: target.range.start,
        end: value.range.end,
    };
    let kind = match target.kind {
        ExprKind::Conditional(condition, then, otherwise) => {
            let otherwise = assigned_to(*otherwise, op, value);
            ExprKind::Conditional(condition, then, Box::new(otherwise))
        }
        kind => {
            let target = Expr {
                kind,
                range: target.range,
            };
            ExprKind::Assign(op, Box::new(target), Box::new(value))
        }
    };
    Expr { kind, range }
}

/// Whether two operands are parts of `f<[] {}>(x)`: nothing is compared with a lambda.
pub(super) fn is_template_list(op: BinaryOp, left: &Expr, right: &Expr) -> bool {
    let is_part = matches!(left.kind, ExprKind::Other(LAMBDA_ARGUMENT));
    match op {
        BinaryOp::Lt => is_part || matches!(right.kind, ExprKind::Lambda(_)),
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Shr => is_part,
        _ => false,
    }
}

/// The word `operator` where the grammar sees an operand: what follows is no operator on it, but a part of a name.
pub(super) const OPERATOR: &str = "operator";

fn ends_in_operator(left: &Expr) -> bool {
    let mut at = left;
    loop {
        match &at.kind {
            ExprKind::Other(OPERATOR) => return true,
            ExprKind::Binary(_, _, right) | ExprKind::Unary(_, right) => at = right,
            _ => return false,
        }
    }
}
