//! Meanings of names: types, layouts, scopes, templates and the values of constant expressions.
//!
//! Given: the trees of one unit (`syntax::ast`). Gives: the declaration that a name finds in a scope, the
//! type of an expression, the layout of a record in bytes, the value of a constant. Does not know: kernels,
//! launches or accesses.
//!
//! `types`, `scope` and `consteval` stand in a circle: a type's size may be a constant, a constant's
//! value may need a type, and both need names.

pub(crate) mod braces;
pub mod consteval;
pub mod library;
pub mod scope;
mod text;
pub mod types;

pub use text::text;
