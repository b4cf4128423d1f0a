//! Kernels packed into few bytes while they wait for their stage.
//!
//! A run over a large project holds the kernels of thousands of instances, and looks at one of them at a
//! time. Given a kernel, keeps its code as numbers of varying length, about a tenth of its size, and gives
//! it back as it was. Knows nothing of what it means.

mod read;
#[cfg(test)]
mod tests;
mod write;

use super::{Expr, Kernel, Site, Stmt, Variable};
use crate::source::Span;
use std::borrow::Cow;
use std::sync::Arc;

/// The calls that were inlined up to a place.
type Calls = Arc<[(Arc<str>, Span)]>;

/// Variables, sites, expressions and the body of one kernel.
#[derive(Debug, Default)]
pub struct Folded {
    bytes: Box<[u8]>,
    /// The names behind the numbers.
    names: Box<[Arc<str>]>,
    words: Box<[&'static str]>,
    calls: Box<[Calls]>,
}

/// Where the code of a kernel is.
#[derive(Clone, Debug, Default)]
pub enum Form {
    /// In its lists.
    #[default]
    Plain,
    /// Here; its lists are empty.
    Folded(Arc<Folded>),
    /// In its lists, as this gave it.
    Unfolded(Arc<Folded>),
}

/// The lists that hold a kernel's code.
struct Code {
    variables: Vec<Variable>,
    sites: Vec<Site>,
    exprs: Vec<Expr>,
    body: Vec<Stmt>,
}

impl Kernel {
    /// The kernel with its code in few bytes. Who looks at its lists asks for [`Self::unfolded`].
    #[must_use]
    pub fn folded(mut self) -> Self {
        if matches!(self.form, Form::Plain) {
            let folded = write::folded(&Code {
                variables: std::mem::take(&mut self.variables),
                sites: std::mem::take(&mut self.sites),
                exprs: std::mem::take(&mut self.exprs),
                body: std::mem::take(&mut self.body),
            });
            self.form = Form::Folded(Arc::new(folded));
        }
        self
    }

    /// The kernel with its code in its lists.
    #[must_use]
    pub fn unfolded(&self) -> Cow<'_, Self> {
        let Form::Folded(folded) = &self.form else {
            return Cow::Borrowed(self);
        };
        let Code {
            variables,
            sites,
            exprs,
            body,
        } = read::unfolded(folded);
        Cow::Owned(Self {
            variables,
            sites,
            exprs,
            body,
            form: Form::Unfolded(folded.clone()),
            // Its lists are empty.
            ..self.clone()
        })
    }

    /// A number that tells this kernel from others in memory, unfolded or not; the kernel stays where it is.
    #[must_use]
    pub fn identity(&self) -> usize {
        match &self.form {
            Form::Plain => std::ptr::from_ref(self) as usize,
            Form::Folded(folded) | Form::Unfolded(folded) => Arc::as_ptr(folded) as usize,
        }
    }
}
