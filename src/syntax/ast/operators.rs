//! Operators of expressions, and how they are written.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Plus,
    Neg,
    Not,
    BitNot,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

impl UnaryOp {
    /// The text after `operator`; none for those that count up or down.
    #[must_use]
    pub fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Self::Plus => "+",
            Self::Neg => "-",
            Self::Not => "!",
            Self::BitNot => "~",
            Self::Deref => "*",
            Self::AddressOf => "&",
            Self::PreIncrement | Self::PreDecrement | Self::PostIncrement | Self::PostDecrement => {
                return None;
            }
        })
    }

    /// Whether it adds one to its operand or takes one away: `++x`, `x--`.
    #[must_use]
    pub fn is_step(self) -> bool {
        matches!(
            self,
            Self::PreIncrement | Self::PreDecrement | Self::PostIncrement | Self::PostDecrement
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Comma,
}

impl BinaryOp {
    /// As it is written; also the text after `operator`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Comma => ",",
        }
    }
}
