//! Packs of template parameters: what arguments say of them.

use super::bind::{Deduced, open_argument};
use super::shape::mentions;
use super::{Binding, Env, Names};
use crate::sema::types::Type;
use crate::syntax::ast::{self, Name, TemplateHead, TemplateParameterKind};

/// Of a pack of which the first elements are written the rest is deduced ([temp.arg.explicit]).
pub(super) fn take_first_of_pack(
    head: &TemplateHead,
    explicit: &mut Vec<Binding>,
    deduced: &mut [(Name, Binding)],
) {
    let place = head.parameters.iter().position(|p| p.is_pack);
    let Some(place) = place.filter(|place| *place < explicit.len()) else {
        return;
    };
    let name = head.parameters[place].name.as_ref();
    let found = deduced.iter_mut().find(|(found, _)| Some(found) == name);
    let Some((_, Binding::Pack(items))) = found else {
        return;
    };
    let written = &explicit[place..];
    let is_whole = |binding: &Binding| !matches!(binding, Binding::Pack(_));
    if items.len() > written.len() && written.iter().all(is_whole) {
        let rest = &items[written.len()..];
        *items = written.iter().chain(rest).cloned().collect();
        explicit.truncate(place);
    }
}

/// What a pack of parameters says of template parameters: a pack for each. An argument of unknown type is one of
/// each pack that the parameters' type mentions, as `open` has them.
pub(super) fn packed(
    types: Option<&[Type]>,
    open: Option<Vec<(Name, Binding)>>,
    unify: &dyn Fn(&Type) -> Deduced,
) -> Deduced {
    let mut packs: Vec<(Name, Vec<Binding>)> = Vec::new();
    for ty in types.unwrap_or_default() {
        let found = if ty.is_unknown() {
            open.clone().ok_or("the type of an argument is not known")?
        } else {
            unify(ty)?
        };
        for (name, b) in found {
            match packs.iter_mut().find(|(n, _)| *n == name) {
                Some((_, items)) => items.push(b),
                None => packs.push((name, vec![b])),
            }
        }
    }
    let packs = packs.into_iter();
    Ok(packs
        .map(|(n, items)| (n, Binding::Pack(items.into())))
        .collect())
}

/// What an argument of unknown type is an element of, and as what: of each pack that the type of a parameter mentions.
/// Nothing where that can't be said.
pub(super) fn elements_of_unknown(
    names: &Names<'_>,
    definition: &Env,
    head: &TemplateHead,
    parameter: &ast::Parameter,
) -> Option<Vec<(Name, Binding)>> {
    let is_of_pack =
        |q: &&ast::TemplateParameter| q.is_pack && mentions(&parameter.ty, q.name.as_slice());
    let open = |pack: &ast::TemplateParameter| {
        let name = pack.name.clone()?;
        let is_template = matches!(pack.kind, TemplateParameterKind::Template { .. });
        let one = open_argument(names, definition, pack, &name);
        (!is_template).then_some((name, one))
    };
    head.parameters
        .iter()
        .filter(is_of_pack)
        .map(open)
        .collect()
}

/// A pack that one of so many arguments should have told: it is open, not empty.
pub(super) fn untold_pack<'h>(
    head: &'h TemplateHead,
    parameters: &[ast::Parameter],
    arguments: usize,
    (explicit, deduced): (usize, &[(Name, Binding)]),
) -> Option<&'h Name> {
    let packs = head
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, p)| p.is_pack);
    let mut names = packs.filter_map(|(at, p)| Some((at, p.name.as_ref()?)));
    let given = parameters.iter().take(arguments);
    let untold = names.find(|(at, name)| {
        let is_told = *at < explicit || deduced.iter().any(|(found, _)| found == *name);
        let own = std::slice::from_ref(*name);
        !is_told && given.clone().any(|p| !p.is_pack && mentions(&p.ty, own))
    });
    untold.map(|(_, name)| name)
}
