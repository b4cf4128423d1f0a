//! From text to trees: preprocessing with origins, parsing, our own tree types.

pub mod ast;
pub mod embedded;
pub mod library;
pub mod parse;
pub mod preprocess;
pub mod visit;
