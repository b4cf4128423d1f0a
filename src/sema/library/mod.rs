//! The toolkit's and the standard library's names, whose headers are not read: constants, and what functions give.
//!
//! Given a name and the types of arguments, gives a number or a type. The exact values of functions on integers
//! are in [`builtin`](crate::ir::builtin). Knows no scopes: whether a name is the library's, the caller decides.

pub mod constants;
mod function_table;
pub mod functions;
