//! Launches of every unit, and which kernels they are of.

use super::{Unit, UnitInput};
use crate::ir::Launch;
use crate::ir::scope::Env;
use crate::source::SourceMap;
use crate::syntax::ast;
use std::sync::Arc;

pub(super) struct Launches {}

impl Launches {
    pub fn collect(_units: &[Unit<'_>], _inputs: &[UnitInput<'_>]) -> Self {
        Self {}
    }
    pub fn of(&self, _at: usize, _function: &Arc<ast::Function>, _text: &str, _unit: &Unit<'_>, _s: &SourceMap) -> Vec<Launch> {
        Vec::new()
    }
    pub fn instances(&self, _at: usize, _function: &Arc<ast::Function>, _unit: &Unit<'_>) -> Vec<(Env, String, Launch)> {
        Vec::new()
    }
}
