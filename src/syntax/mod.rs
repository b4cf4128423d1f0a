//! From text to trees: preprocessing that keeps where each piece was written, parsing, and our own tree types.

pub mod ast;
pub mod embedded;
pub mod library;
pub mod parse;
pub mod preprocess;
pub mod visit;
