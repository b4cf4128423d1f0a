//! The log of a block that runs: who touches which byte between which barriers, and the races that this shows.
//!
//! A race is a store and a load of one byte by two threads. Two stores are none, whether they write the same value
//! or not: bytes that several threads write between two barriers are passed over, as that is mostly meant.

use super::{PlainPlaces, Race, Run, Touch};
use crate::gpu::WARP;
use crate::gpu::cost::Op;
use crate::ir::{Launch, SiteId};
use crate::sim::{Interval, SimRequest};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who touched a byte last.
#[derive(Clone, Copy, Default)]
struct Byte {
    write: Option<(Interval, Touch)>,
    /// Several threads wrote in the interval of `write`.
    is_contended: bool,
    /// Readers of two warps in the last interval.
    reads: [Option<(u32, Touch)>; 2],
}

pub(super) struct Log<'a> {
    plain: &'a PlainPlaces,
    run: Run,
    /// By offset, one for each piece of `grain` bytes.
    bytes: Vec<Byte>,
    /// Accesses are whole numbers of so many bytes, at multiples of it.
    grain: u64,
    pub races: Vec<Race>,
    known: FxHashSet<(SiteId, SiteId, bool)>,
    /// Where each thread last made the loads whose values are stored again.
    loaded: FxHashMap<(SiteId, u32), u64>,
    /// Those loads.
    copied: FxHashSet<SiteId>,
}

impl<'a> Log<'a> {
    pub fn new(plain: &'a PlainPlaces, launch: &Launch, value: i64, grain: u64) -> Self {
        Self {
            plain,
            run: Run {
                launch: launch.clone(),
                value: Some(value),
                is_typical: true,
            },
            bytes: Vec::new(),
            grain,
            races: Vec::new(),
            known: FxHashSet::default(),
            loaded: FxHashMap::default(),
            copied: plain.copies.values().copied().collect(),
        }
    }

    /// Whether a store puts back where it was what its thread has loaded; loads are noted for that.
    fn changes_nothing(&mut self, touch: Touch, address: u64) -> bool {
        if !touch.is_store {
            if self.copied.contains(&touch.site) {
                self.loaded.insert((touch.site, touch.thread), address);
            }
            return false;
        }
        let load = self.plain.copies.get(&touch.site);
        load.is_some_and(|load| self.loaded.get(&(*load, touch.thread)) == Some(&address))
    }

    pub fn note(&mut self, request: &SimRequest) {
        if request.request.op == Op::Atomic {
            return;
        }
        let is_store = request.request.op == Op::Store;
        for (lane, address) in request.request.addresses.iter().enumerate() {
            let Some(address) = address else { continue };
            let touch = Touch {
                site: request.site,
                thread: request.warp * WARP as u32 + lane as u32,
                is_store,
            };
            if self.changes_nothing(touch, *address) {
                continue;
            }
            let first = address / self.grain * self.grain;
            let end = address + u64::from(request.request.width);
            for byte in (first..end).step_by(self.grain as usize) {
                if is_store {
                    self.store(byte, touch, request.interval);
                } else {
                    self.load(byte, touch, request.interval);
                }
            }
        }
    }

    fn state(&mut self, byte: u64) -> &mut Byte {
        let at = (byte / self.grain) as usize;
        if at >= self.bytes.len() {
            self.bytes
                .resize((at + 1).next_power_of_two(), Byte::default());
        }
        &mut self.bytes[at]
    }

    fn store(&mut self, byte: u64, touch: Touch, now: Interval) {
        let state = self.state(byte);
        let same_interval = state
            .write
            .filter(|(then, _)| then.block == now.block)
            .map(|(_, before)| before.thread);
        state.is_contended = match same_interval {
            Some(thread) => state.is_contended || thread != touch.thread,
            None => false,
        };
        let reader = state
            .reads
            .iter()
            .flatten()
            .find(|(then, read)| *then == now.block && warp(*read) != warp(touch))
            .map(|(_, read)| *read);
        let is_contended = state.is_contended;
        state.write = Some((now, touch));
        if let Some(reader) = reader.filter(|_| !is_contended) {
            self.race(reader, touch, byte, false);
        }
    }

    fn load(&mut self, byte: u64, touch: Touch, now: Interval) {
        let state = self.state(byte);
        let [first, second] = &mut state.reads;
        let is_mine = |slot: &Option<(u32, Touch)>| {
            slot.is_none_or(|(then, read)| then != now.block || warp(read) == warp(touch))
        };
        if is_mine(first) {
            *first = Some((now.block, touch));
        } else if is_mine(second) {
            *second = Some((now.block, touch));
        }
        let Some((then, write)) = state.write else {
            return;
        };
        if then.block != now.block || write.thread == touch.thread || state.is_contended {
            return;
        }
        if warp(write) != warp(touch) {
            self.race(write, touch, byte, false);
        } else if then.warp == now.warp {
            self.race(write, touch, byte, true);
        }
    }

    fn race(&mut self, first: Touch, second: Touch, byte: u64, in_warp: bool) {
        let is_plain = |touch: Touch| self.plain.sites.contains(&touch.site);
        let is_volatile = |touch: Touch| self.plain.volatile.contains(&touch.site);
        let is_meant = !in_warp && (is_volatile(first) || is_volatile(second));
        if is_plain(first)
            && is_plain(second)
            && !is_meant
            && self.known.insert((first.site, second.site, in_warp))
        {
            self.races.push(Race {
                first,
                second,
                byte,
                in_warp,
                run: self.run.clone(),
            });
        }
    }
}

fn warp(touch: Touch) -> u32 {
    touch.thread / WARP as u32
}
