//! Places in the source, and the sites of accesses there.

use super::context::Lower;
use super::values::Mem;
use crate::ir::{ExprId, MemberTag, Site, SiteId, Stops};
use crate::sema::types::Type;
use crate::source::Span;
use crate::syntax::ast;
use crate::syntax::preprocess::Origin;

impl Lower<'_> {
    pub fn span(&self, range: ast::Range) -> Span {
        let written = self
            .unit
            .expanded
            .origin(range.start as usize..range.end as usize)
            .span;
        match self.call_of_library(written) {
            Some(call) => self.frame.inlined[call].1,
            None => written,
        }
    }

    /// Which call leads from what the user wrote into the text of a library that a place stands in.
    fn call_of_library(&self, place: Span) -> Option<usize> {
        let is_of_library = |span: Span| self.unit.library.contains(&span.file);
        if !is_of_library(place) {
            return None;
        }
        self.frame
            .inlined
            .iter()
            .rposition(|(_, call)| !is_of_library(*call))
    }

    /// What the compiler puts no accesses together across, up to here.
    pub fn stops_so_far(&self) -> Stops {
        Stops {
            asm: self.stops.asm + self.arena.half_operations,
            half: self.stops.half + self.arena.half_operations,
            memory: self.stops.memory,
        }
    }

    pub fn site(&mut self, range: ast::Range, array: &str) -> SiteId {
        let (origin, line) = self.written_at(range);
        let array = self.words.of(array);
        let site = match self.call_of_library(origin.span) {
            Some(call) => {
                let span = self.frame.inlined[call].1;
                Site {
                    span,
                    line: span,
                    definition: None,
                    array,
                    whole_align: 0,
                    member: None,
                    stops: self.stops_so_far(),
                    is_of_library: true,
                    by_branch: false,
                    of_packed: false,
                    of_shared: false,
                    inlined: self.frame.inlined[..call].into(),
                }
            }
            None => Site {
                span: origin.span,
                line,
                definition: origin.definition,
                array,
                whole_align: 0,
                member: None,
                stops: self.stops_so_far(),
                is_of_library: false,
                by_branch: false,
                of_packed: false,
                of_shared: false,
                inlined: self.frame.inlined.clone(),
            },
        };
        self.sites.push(site);
        SiteId(self.sites.len() as u32 - 1)
    }

    /// Where a range is written, and the line that the machine's code names for it. A copy has a site for each of
    /// its parts, and a function for each of its calls.
    fn written_at(&mut self, range: ast::Range) -> (Origin, Span) {
        let expanded = &self.unit.expanded;
        let written = self.written_at.entry(range).or_insert_with(|| {
            let bytes = range.start as usize..range.end as usize;
            (expanded.origin(bytes.clone()), expanded.use_site(bytes))
        });
        *written
    }

    /// The site of an access through `pointer` to a part of `mem`.
    pub fn site_of(&mut self, range: ast::Range, mem: &Mem, pointer: ExprId) -> SiteId {
        let site = self.site(range, &mem.array);
        let by_branch = self.is_chosen(pointer);
        // A `half2` is copied as a word of its own, whatever it is part of (seen in the SASS of CUDA 13.0 for sm_90).
        // An element that the text does not name by a number is aligned as its own type, unrolled or not (seen in the
        // PTX of CUDA 13.0).
        let align = self.arena.bases_by_number(pointer);
        let align = align.filter_map(|base| self.aligned.get(&base).copied());
        let is_apart = mem.ty.holds_pair_of_halves();
        let align = align.max().filter(|_| !is_apart).unwrap_or(0);
        if let Some(site) = self.sites.last_mut() {
            site.whole_align = align;
            site.by_branch = by_branch;
            site.member = self.members.get(&pointer).copied();
        }
        site
    }

    /// Notes that the text names a member of a class, which has a name and a size; the member is one number at `pointer`.
    /// What is a byte may be part of anything.
    pub fn note_member(
        &mut self,
        pointer: ExprId,
        (class, size): (&str, u64),
        offset: u64,
        ty: &Type,
    ) {
        let is_number = ty.scalar().is_some_and(|scalar| scalar.size() > 1);
        let parts = (u32::try_from(offset), u32::try_from(size));
        if let (true, (Ok(offset), Ok(size))) = (is_number, parts) {
            let hash = blake3::hash(class.as_bytes());
            let mut short = [0; 8];
            short.copy_from_slice(&hash.as_bytes()[..8]);
            let class = u64::from_le_bytes(short) >> 1;
            self.members.insert(
                pointer,
                MemberTag {
                    class,
                    offset,
                    size,
                },
            );
        }
    }

    /// Notes that an object of `ty` stands at `pointer`.
    pub fn note_object(&mut self, pointer: ExprId, ty: &Type) {
        let align = ty.align().and_then(|align| u32::try_from(align).ok());
        if let Some(align) = align {
            let known = self.aligned.entry(pointer).or_insert(align);
            *known = align.max(*known);
        }
    }
}
