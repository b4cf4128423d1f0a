//! Reads what a run of the runtime wrote down.

/// Where an access stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub address: u64,
    /// As [`Request::op`].
    pub op: u32,
}

#[derive(Clone, Debug)]
pub struct Request {
    /// Into [`Trace::sites`]; none for code that no file given holds.
    pub site: Option<u32>,
    /// 0 load, 1 store, 2 atomic.
    pub op: u8,
    pub is_global: bool,
    pub size: u32,
    pub warp: u32,
    pub mask: u32,
    pub addresses: [Option<u64>; 32],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Fine,
    Undefined,
    Fault,
    Exhausted,
    Deadlock,
    /// Its outputs depend on the order of threads, as one that was asked for races tells.
    Racy,
}

#[derive(Clone, Debug)]
pub struct BlockTrace {
    pub index: [u32; 3],
    /// Which launch of the run's program, if it has any.
    pub launch: Option<usize>,
    pub requests: Vec<Request>,
}

/// What a program gave to a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    Integer(i64),
    Float(f64),
    /// Bytes behind the start of an allocation.
    Pointer(i64),
    Other,
}

#[derive(Clone, Debug)]
pub struct HostLaunch {
    pub kernel: String,
    pub line: u32,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    pub arguments: Vec<Argument>,
    pub status: Status,
}

#[derive(Clone, Debug)]
pub struct RunTrace {
    pub case: u32,
    pub id: u32,
    pub status: Status,
    pub blocks: Vec<BlockTrace>,
    pub launches: Vec<HostLaunch>,
    pub digest: u64,
}

#[derive(Debug, Default)]
pub struct Trace {
    pub sites: Vec<Site>,
    pub runs: Vec<RunTrace>,
    /// Files whose process broke down.
    pub broken: Vec<u32>,
}

impl Trace {
    /// Keeps no more than so many launches of each run.
    pub fn shorten(&mut self, most: usize) {
        for run in &mut self.runs {
            if run.launches.len() > most {
                run.launches.truncate(most);
                run.blocks
                    .retain(|block| block.launch.is_none_or(|at| at < most));
            }
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn three(&mut self) -> Option<[u32; 3]> {
        Some([self.word()?, self.word()?, self.word()?])
    }
}

fn status(byte: u8) -> Status {
    match byte {
        0 => Status::Fine,
        1 => Status::Undefined,
        2 => Status::Fault,
        3 => Status::Exhausted,
        5 => Status::Racy,
        _ => Status::Deadlock,
    }
}

/// Reads as far as the bytes go: what a process that broke down had written still counts.
pub fn read(bytes: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let mut reader = Reader(bytes);
    while record(&mut reader, &mut trace).is_some() {}
    trace
}

#[expect(clippy::too_many_lines, reason = "a match over the kinds of records")]
fn record(reader: &mut Reader, trace: &mut Trace) -> Option<()> {
    match reader.byte()? {
        b'S' => {
            let count = reader.word()?;
            for _ in 0..count {
                let address = reader.long()?;
                let [file, line, column] = reader.three()?;
                let op = reader.word()?;
                trace.sites.push(Site {
                    file,
                    line,
                    column,
                    address,
                    op,
                });
            }
            trace.sites.sort_by_key(|site| site.address);
        }
        b'R' => {
            let (case, id) = (reader.word()?, reader.word()?);
            trace.runs.push(RunTrace {
                case,
                id,
                status: Status::Fault,
                blocks: Vec::new(),
                launches: Vec::new(),
                digest: 0,
            });
        }
        b'B' => {
            let index = reader.three()?;
            let run = trace.runs.last_mut()?;
            let launch = run.launches.len().checked_sub(1);
            run.blocks.push(BlockTrace {
                index,
                launch,
                requests: Vec::new(),
            });
        }
        b'Q' => {
            let pc = reader.long()?;
            let (op, space) = (reader.byte()?, reader.byte()?);
            let size = u16::from_le_bytes(reader.take()?);
            let (warp, mask) = (reader.word()?, reader.word()?);
            let mut addresses = [None; 32];
            for (lane, address) in addresses.iter_mut().enumerate() {
                if mask >> lane & 1 == 1 {
                    *address = Some(reader.long()?);
                }
            }
            let site = trace.sites.binary_search_by_key(&pc, |site| site.address);
            let request = Request {
                site: site.ok().map(|at| at as u32),
                op,
                is_global: space == 1,
                size: u32::from(size),
                warp,
                mask,
                addresses,
            };
            let run = trace.runs.last_mut()?;
            run.blocks.last_mut()?.requests.push(request);
        }
        b'L' => {
            let length = usize::from(u16::from_le_bytes(reader.take()?));
            let (name, rest) = reader.0.split_at_checked(length)?;
            reader.0 = rest;
            let line = reader.word()?;
            let (grid, block, shared) = (reader.three()?, reader.three()?, reader.long()?);
            let count = u16::from_le_bytes(reader.take()?);
            let mut arguments = Vec::new();
            for _ in 0..count {
                let kind = reader.byte()?;
                let integer = reader.long()? as i64;
                let floating = f64::from_bits(reader.long()?);
                arguments.push(match kind {
                    1 => Argument::Integer(integer),
                    2 => Argument::Float(floating),
                    3 => Argument::Pointer(integer),
                    _ => Argument::Other,
                });
            }
            trace.runs.last_mut()?.launches.push(HostLaunch {
                arguments,
                kernel: String::from_utf8_lossy(name).into_owned(),
                line,
                grid,
                block,
                shared,
                status: Status::Fault,
            });
        }
        b'l' => {
            let is = status(reader.byte()?);
            trace.runs.last_mut()?.launches.last_mut()?.status = is;
        }
        b'E' => {
            let is = status(reader.byte()?);
            let _ = reader.long()?;
            let digest = reader.long()?;
            let run = trace.runs.last_mut()?;
            run.status = is;
            run.digest = digest;
        }
        b'X' => {
            let file = reader.word()?;
            trace.broken.push(file);
        }
        _ => return None,
    }
    Some(())
}
