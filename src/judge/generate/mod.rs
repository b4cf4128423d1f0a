//! Files that read like code people write, drawn from a seed.
//!
//! A kernel is made of fragments; each shows one construct and ends in accesses whose addresses
//! depend on it. Fragments stand side by side or inside of each other's loops and branches.

mod alternatives;
mod ambiguous;
mod bit_steps;
mod bit_words;
mod categories;
mod classes;
mod constness;
mod control;
mod declared;
mod deduced;
mod exchanged;
mod field;
mod functions;
mod host;
mod identity;
mod inplace;
mod kernel;
mod library;
mod lists;
mod made;
mod meanings;
mod meeting;
mod memory;
mod mixtures;
mod namesakes;
mod objects;
mod operators;
mod order;
mod outside;
mod packs;
mod passed;
mod registers;
mod runs;
mod scalars;
mod sides;
mod text;
mod traits;
mod walkers;

pub use host::runs_of_main;

use super::case::Case;
use super::driver::Options;
use super::random::Random;
use kernel::Kernel;
use std::collections::BTreeSet;

/// Writes a fragment into a kernel.
type Fragment = fn(&mut Kernel);

/// Every construct, by the name that the table at the end has.
const FRAGMENTS: &[(&str, Fragment)] = &[
    ("integer types", scalars::types),
    ("casts", scalars::casts),
    ("narrow variables in loops", scalars::narrow_loops),
    ("unsigned wraps", scalars::wraps),
    ("shifts and masks", scalars::shifts),
    ("division", scalars::divisions),
    ("spelled numbers", text::numbers),
    ("preprocessor's conditions", text::conditions),
    ("bit-fields", text::bit_fields),
    ("paddings", text::paddings),
    ("built-ins", scalars::builtins),
    ("ternaries", scalars::ternaries),
    ("side effects in subscripts", scalars::side_effects),
    ("sides of assignments", sides::assigned),
    ("bool and comparison", scalars::comparisons),
    ("enums and constants", scalars::constants),
    ("types of library functions", scalars::library_types),
    ("macros", functions::macros),
    ("device functions", functions::device_functions),
    ("references", functions::references),
    ("templates", functions::templates),
    ("lambdas", functions::lambdas),
    ("early results of functions", functions::early_results),
    ("classes", functions::classes),
    ("overloads", functions::overloads),
    ("types by other names", scalars::named_types),
    ("parameters of other types", scalars::parameters),
    ("enumerations of functions", meanings::local_enumerations),
    ("names brought in", meanings::brought_in),
    ("names declared later", order::declared_later),
    ("functions declared in blocks", order::of_blocks),
    ("comparisons in lists", lists::comparisons),
    ("comparisons behind paths", lists::compared_paths),
    ("defaults in braces", lists::braced_defaults),
    ("types by typeof", lists::typeof_types),
    ("casts behind comparisons", ambiguous::casts_compared),
    ("comparisons with shifts", ambiguous::shifts_compared),
    ("lists of values", ambiguous::lists_of_values),
    ("types of packs' values", declared::typed_packs),
    ("operators of enumerations", declared::operated_enumerations),
    (
        "declarators in parentheses",
        declared::declarators_in_parentheses,
    ),
    ("sizes with signs", declared::sizes_with_signs),
    ("offsets that are flipped", bit_steps::flipped_offsets),
    ("places in rings", bit_steps::rings),
    ("rows that data choose", bit_steps::rows_by_data),
    ("namesakes that blocks bring in", namesakes::of_blocks),
    ("using-declarations of types", declared::used_declarations),
    (
        "specialisations defined outside",
        declared::specialised_outside,
    ),
    ("expressions as arguments", declared::argument_expressions),
    ("values of assignments", declared::assigned_values),
    ("conditions that stay false", declared::stopped_for_good),
    ("comparisons of lanes", runs::partners),
    (
        "templates as arguments of classes",
        declared::template_arguments,
    ),
    ("names of constants", constness::constant_names),
    ("names of the same place", constness::other_names),
    ("members of bases by name", constness::of_bases),
    ("lambdas that objects hold", constness::held_lambdas),
    ("static members of bases", meanings::of_bases),
    ("virtual functions", meanings::virtual_functions),
    ("functions found by arguments", meanings::found_by_arguments),
    ("objects of their own class", meanings::own_class),
    ("if and else", control::branches),
    ("early return", control::early_return),
    ("for loops", control::for_loops),
    ("while loops", control::while_loops),
    ("do-while loops", control::do_loops),
    ("doubling loops", control::doubling),
    ("break and continue", control::exits),
    ("found and left", control::found),
    ("only ways out", control::only_way_out),
    ("goto", control::gotos),
    ("switches", control::switches),
    ("triangular loops", control::triangles),
    ("shuffles", control::shuffles),
    ("votes", control::votes),
    ("structs", memory::structs),
    ("packed structs", memory::packed),
    ("vectors", memory::vectors),
    ("pointers", memory::pointers),
    ("runs that are stored", runs::stores),
    ("runs that are loaded", runs::loads),
    ("one of several pointers", memory::several_pointers),
    ("pointer casts", memory::pointer_casts),
    ("two-dimensional arrays", memory::two_dimensions),
    ("local arrays", memory::local_arrays),
    ("indirect", memory::indirect),
    ("byte arrays", memory::bytes),
    ("tiles", memory::tiles),
    ("atomics", memory::atomics),
    ("choices of places", alternatives::places),
    ("choices of whole objects", alternatives::whole_objects),
    ("functions as values", alternatives::functions),
    ("destructors", alternatives::destructors),
    ("locals by pointer", alternatives::locals),
    ("moved pointers", alternatives::moved),
    ("jumps back", alternatives::jumps_back),
    ("cases in loops", alternatives::cases_in_loops),
    ("exits of nested loops", alternatives::nested_exits),
    ("walking pointers", alternatives::walks),
    ("overloads by const", alternatives::const_overloads),
    ("relatives of classes", objects::relatives),
    ("braces left out", objects::braces),
    ("own names of classes", objects::own_names),
    ("operators of enumerations", objects::operators),
    ("copied lambdas", objects::values),
    ("specialisations", objects::specialisations),
    ("bound references", objects::bound_references),
    ("arrays beside pointers", objects::arrays_beside_pointers),
    ("classes of one name", namesakes::classes),
    ("overloads by enumeration", namesakes::enumerations),
    ("members defined outside", outside::members),
    ("specialised members", outside::specialised),
    ("where names are looked for", outside::lookups),
    ("references by decltype", outside::forms),
    ("types of one width", identity::twins),
    ("qualified specialisations", identity::qualifiers),
    ("functions of objects", identity::of_objects),
    ("explicit constructors", identity::written_classes),
    ("spellings", identity::spellings),
    ("ellipses", identity::ellipses),
    ("copies of classes", classes::copies),
    ("copies between instances", classes::between_instances),
    ("friends of classes", classes::friends),
    ("enumerations as types", classes::enumerations),
    ("value categories", categories::arguments),
    ("types of expressions", categories::types),
    ("returns in cases", categories::returns),
    ("index structs", field::coordinates),
    ("tile iterators", field::iterators),
    ("swizzle functors", field::functors),
    ("bases that ask", field::derived_by_name),
    ("policies", field::policies),
    ("strides in structs", field::strides),
    ("layouts", field::layouts),
    ("views of words", field::views),
    ("user's operators", operators::binary),
    ("user's assignments", operators::assignments),
    ("user's steps", operators::steps),
    ("user's accessors", operators::accessors),
    ("user's conversions", operators::conversions),
    ("user's iterators", operators::ranges),
    ("user's enumerations", operators::enumerations),
    ("discarded places", operators::discarded),
    ("operators that do not suit", operators::unsuited),
    ("converted choices", operators::converted_choices),
    ("64-bit words", bit_words::marks),
    ("words that wrap", bit_words::products),
    ("masks of words", bit_words::masks),
    ("initialisers of constructors", made::initialisers),
    ("named bases", made::named_bases),
    ("objects in a place", made::placed),
    ("library on objects", library::on_objects),
    ("objects of nothing", made::nothings),
    ("ranges of the user's", made::ranges),
    ("arrays of offsets", registers::offsets),
    ("tables of constants", registers::tables),
    ("tables of classes", registers::class_tables),
    ("constant objects", registers::constant_objects),
    ("own methods", alternatives::own_methods),
    ("gathered numbers", registers::gathered),
    ("user's traits", traits::specialised),
    ("user's enable_if", traits::enabled),
    ("parameters by alias templates", traits::aliased),
    ("inherited traits", traits::inherited),
    ("base classes as parameters", traits::bases),
    ("user's literals", traits::literals),
    ("mixtures of statements", mixtures::statements),
    ("results by auto", deduced::results),
    ("chains of operators", deduced::operators),
    ("objects made in place", inplace::objects),
    ("functions passed on", passed::on),
    ("conversions that meet", meeting::conversions),
    ("switches in loops", meeting::switches),
    ("parts of numbers", meeting::parts),
    ("shuffles by width", exchanged::widths),
    ("iterators by hand", walkers::iterators),
    ("packs", packs::expanded),
    ("mixtures of statements", mixtures::statements),
    ("mixtures of statements", mixtures::statements),
];

/// A program of host and device code, or a kernel alone.
pub fn case(random: &mut Random, number: usize, options: &Options, is_host: bool) -> Case {
    if is_host {
        return host::case(random, number, options);
    }
    let list = chosen(FRAGMENTS, options);
    let mut kernel = Kernel::new(random.next(), number);
    let count = 1 + kernel.random.below(3);
    for _ in 0..count {
        let (name, fragment) = list[kernel.random.below(list.len())];
        kernel.constructs.push(name);
        kernel.inside(*fragment);
    }
    kernel.finish()
}

/// The constructs that are drawn from: those of kernels alone, and those of programs.
pub fn constructs(options: &Options) -> [Vec<&'static str>; 2] {
    let is_of = |half: &str| {
        options.only.is_empty() || options.only.starts_with("host") == (half == "host")
    };
    let device = chosen(FRAGMENTS, options)
        .into_iter()
        .map(|(name, _)| *name);
    [
        device.filter(|_| is_of("device")).collect(),
        host::constructs(options)
            .into_iter()
            .filter(|_| is_of("host"))
            .collect(),
    ]
}

/// Whether the names that were asked for, or left out, are those of constructs.
///
/// # Errors
/// Where one is not: nothing would be found, for the wrong reason.
pub fn check_names(options: &Options) -> Result<(), String> {
    let all = Options {
        only: String::new(),
        without: Vec::new(),
        ..options.clone()
    };
    let [device, host] = constructs(&all);
    let names = || device.iter().chain(&host);
    let is_kind = ["host", ""].contains(&&*options.only);
    let is_known = is_kind || names().any(|name| name.contains(&options.only));
    let mut left_out = options.without.iter();
    let unknown = match is_known {
        true => left_out.find(|one| !names().any(|name| name == one)),
        false => Some(&options.only),
    };
    match unknown {
        Some(unknown) => {
            let all: BTreeSet<&str> = names().copied().collect();
            let all: Vec<&str> = all.into_iter().collect();
            let all = all.join(", ");
            Err(format!(
                "no generator has the name `{unknown}`; there are: {all}"
            ))
        }
        None => Ok(()),
    }
}

/// The constructs that are asked for; all of them where none is.
fn chosen<'a, T>(all: &'a [(&'static str, T)], options: &Options) -> Vec<&'a (&'static str, T)> {
    let is_left_out = |name: &str| options.without.iter().any(|other| other == name);
    let kept = all.iter().filter(|(name, _)| !is_left_out(name));
    let named: Vec<_> = kept
        .clone()
        .filter(|(name, _)| name.contains(&options.only))
        .collect();
    if named.is_empty() {
        kept.collect()
    } else {
        named
    }
}
