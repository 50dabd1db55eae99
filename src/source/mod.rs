//! Bytes in, read-only: files by position, pipes in order.
//!
//! A file is never mapped here and never opened for writing. Positioned reads into reused buffers
//! are faster than a map for one pass over a large file, and a file that shrinks meanwhile gives
//! an error instead of a fault.

pub mod globs;
pub mod inputs;
pub mod slots;

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// How much of a pipe is held in memory before it is read in passing.
pub const HELD: usize = 32 << 20;

/// Where a session's bytes come from.
pub struct Source {
    inner: Inner,
    /// Told how many bytes were read.
    meter: Option<Arc<AtomicU64>>,
}

enum Inner {
    File { file: File, stamp: Stamp },
    Bytes(Arc<Vec<u8>>),
    Patched(Arc<Patched>),
    Stream(Mutex<Stream>),
}

/// A piece of a [patched](Source::patched) source.
#[derive(Clone, Debug)]
pub enum Piece<'a> {
    /// Bytes of the source that it is made from.
    Base(Range<u64>),
    /// Other bytes.
    Bytes(&'a [u8]),
}

/// Parts of another source with other bytes between them.
struct Patched {
    base: Source,
    /// Where each part begins, and what it is.
    parts: Vec<(u64, Part)>,
    /// The bytes that are not of the base.
    bytes: Vec<u8>,
    size: u64,
}

#[derive(Clone, Copy)]
enum Part {
    /// The base from this offset on.
    Base(u64),
    /// The bytes from this place on.
    Bytes(usize),
}

impl Patched {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        let mut n = self.parts.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        while done < buffer.len() && offset + (done as u64) < self.size {
            let (start, part) = self.parts[n];
            let end = self.parts.get(n + 1).map_or(self.size, |(start, _)| *start);
            let from = offset + done as u64 - start;
            let want = (buffer.len() - done).min(usize::try_from(end - start - from).unwrap_or(usize::MAX));
            let piece = &mut buffer[done..done + want];
            match part {
                Part::Base(base) => {
                    let got = self.base.read_at(base + from, piece)?;
                    if got < want {
                        return Ok(done + got);
                    }
                }
                Part::Bytes(at) => piece.copy_from_slice(&self.bytes[at + from as usize..][..want]),
            }
            done += want;
            n += 1;
        }
        Ok(done)
    }
}

/// A pipe of which the first part is already in memory.
pub(crate) struct Stream {
    pub(crate) held: Vec<u8>,
    pub(crate) rest: Box<dyn Read + Send>,
}

/// What tells whether a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written to, where the system says so.
    pub modified: Option<SystemTime>,
    /// What tells it from every other file, where the system says so.
    pub identity: Option<(u64, u64)>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Stamp { size: metadata.len(), modified: metadata.modified().ok(), identity }
    }
}

impl Source {
    fn new(inner: Inner) -> Source {
        Source { inner, meter: None }
    }

    /// Adds to `meter` how many bytes are read of it from now on, as far as they are read by their position.
    pub fn metered(self, meter: &Arc<AtomicU64>) -> Source {
        Source { meter: Some(meter.clone()), ..self }
    }

    /// Opens a file read-only. A pipe or a device is read as [`stream`](Self::stream) does.
    ///
    /// # Errors
    /// What the system says; a folder is an error too.
    pub fn open(path: &Path) -> io::Result<Source> {
        Source::file(File::open(path)?)
    }

    /// Opens a file again that may have been a pipe: a pipe would never end, and is an error.
    ///
    /// # Errors
    /// What the system says; what is no regular file.
    pub fn reopen(path: &Path) -> io::Result<Source> {
        match path.metadata()?.is_file() {
            true => Source::open(path),
            false => Err(io::Error::new(io::ErrorKind::Unsupported, "a pipe cannot be read again")),
        }
    }

    fn file(file: File) -> io::Result<Source> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, not a file"));
        }
        if !metadata.is_file() {
            return Source::stream(Box::new(file));
        }
        Ok(Source::new(Inner::File { stamp: Stamp::of(&metadata), file }))
    }

    /// Standard input; if a file is redirected to it, as that file.
    ///
    /// # Errors
    /// What the system says.
    pub fn stdin() -> io::Result<Source> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            // what another program has read of it already is not ours
            match file.stream_position() {
                Ok(1..) => Source::stream(Box::new(file)),
                _ => Source::file(file),
            }
        }
        #[cfg(not(unix))]
        Source::stream(Box::new(io::stdin()))
    }

    /// Bytes that are in memory.
    pub fn bytes(bytes: Vec<u8>) -> Source {
        Source::new(Inner::Bytes(Arc::new(bytes)))
    }

    /// Pieces of a source with other bytes between them, as one source. Nothing is copied but those bytes;
    /// the base is read when the whole is.
    ///
    /// # Errors
    /// What the system says; always for a long pipe.
    pub fn patched(base: &Source, pieces: &[Piece<'_>]) -> io::Result<Source> {
        let (mut parts, mut bytes, mut size) = (Vec::with_capacity(pieces.len()), Vec::new(), 0);
        for piece in pieces {
            let (part, length) = match piece {
                Piece::Base(span) => (Part::Base(span.start), span.end.saturating_sub(span.start)),
                Piece::Bytes(new) => {
                    bytes.extend_from_slice(new);
                    (Part::Bytes(bytes.len() - new.len()), new.len() as u64)
                }
            };
            if length > 0 {
                parts.push((size, part));
                size += length;
            }
        }
        Ok(Source::new(Inner::Patched(Arc::new(Patched { base: base.share()?, parts, bytes, size }))))
    }

    /// The same source once more.
    fn share(&self) -> io::Result<Source> {
        let inner = match &self.inner {
            Inner::File { file, stamp } => Inner::File { file: file.try_clone()?, stamp: *stamp },
            Inner::Bytes(bytes) => Inner::Bytes(bytes.clone()),
            Inner::Patched(patched) => Inner::Patched(patched.clone()),
            Inner::Stream(_) => return Err(unseekable()),
        };
        Ok(Source { inner, meter: self.meter.clone() })
    }

    /// Adds bytes to the end of a source that is in memory.
    ///
    /// # Errors
    /// It is no such source.
    pub fn push(&mut self, more: &[u8]) -> io::Result<()> {
        match &mut self.inner {
            Inner::Bytes(bytes) => {
                // copied first only where a patched source is made from them
                Arc::make_mut(bytes).extend_from_slice(more);
                Ok(())
            }
            _ => Err(io::Error::new(io::ErrorKind::Unsupported, "only what is in memory grows this way")),
        }
    }

    /// The bytes, if they are in memory.
    pub fn held(&self) -> Option<&[u8]> {
        match &self.inner {
            Inner::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A file that is known to have grown to `size` bytes.
    pub(crate) fn has_grown(&mut self, size: u64) {
        if let Inner::File { stamp, .. } = &mut self.inner {
            stamp.size = size;
        }
    }

    /// A file that is open already; what is asked for is read by position.
    ///
    /// # Errors
    /// What the system says; a folder is an error too.
    pub(crate) fn of_file(file: File) -> io::Result<Source> {
        Source::file(file)
    }

    /// A pipe. Up to [`HELD`] bytes are read at once; a longer one can be read only in passing.
    ///
    /// # Errors
    /// What the reader says.
    pub fn stream(mut rest: Box<dyn Read + Send>) -> io::Result<Source> {
        let mut held = Vec::new();
        rest.by_ref().take(HELD as u64).read_to_end(&mut held)?;
        if held.len() < HELD {
            return Ok(Source::bytes(held));
        }
        Ok(Source::new(Inner::Stream(Mutex::new(Stream { held, rest }))))
    }

    /// The size in bytes when it was opened; `None` for a long pipe.
    pub fn size(&self) -> Option<u64> {
        match &self.inner {
            Inner::File { stamp, .. } => Some(stamp.size),
            Inner::Bytes(bytes) => Some(bytes.len() as u64),
            Inner::Patched(patched) => Some(patched.size),
            Inner::Stream(_) => None,
        }
    }

    /// When the file was last written to, as it was when it was opened.
    pub fn modified(&self) -> Option<SystemTime> {
        match &self.inner {
            Inner::File { stamp, .. } => stamp.modified,
            _ => None,
        }
    }

    /// What tells the file from every other one, whatever its name; `None` for what is no file, or where the
    /// system does not say.
    pub fn identity(&self) -> Option<(u64, u64)> {
        match &self.inner {
            Inner::File { stamp, .. } => stamp.identity,
            _ => None,
        }
    }

    /// Whether it is a file, which can be opened again.
    pub fn is_file(&self) -> bool {
        matches!(self.inner, Inner::File { .. })
    }

    /// Whether any part can be read again.
    pub fn is_seekable(&self) -> bool {
        !matches!(self.inner, Inner::Stream(_))
    }

    pub(crate) fn as_stream(&self) -> Option<&Mutex<Stream>> {
        match &self.inner {
            Inner::Stream(stream) => Some(stream),
            _ => None,
        }
    }

    /// Fills `buffer` from `offset` on as far as there are bytes; how many were read.
    ///
    /// # Errors
    /// What the system says; always for a long pipe.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(meter) = &self.meter {
            meter.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        }
        match &self.inner {
            Inner::File { file, .. } => {
                let mut done = 0;
                while done < buffer.len() {
                    match position_read(file, &mut buffer[done..], offset + done as u64) {
                        Ok(0) => break,
                        Ok(n) => done += n,
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(e) => return Err(e),
                    }
                }
                Ok(done)
            }
            Inner::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let n = buffer.len().min(bytes.len() - start);
                buffer[..n].copy_from_slice(&bytes[start..start + n]);
                Ok(n)
            }
            Inner::Patched(patched) => patched.read_at(offset, buffer),
            Inner::Stream(_) => Err(unseekable()),
        }
    }

    /// The `length` bytes from `offset` on.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at); also when the file has become shorter.
    pub fn read_range(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mut buffer = vec![0; length];
        let n = self.read_at(offset, &mut buffer)?;
        if n < length {
            return Err(shrunk());
        }
        Ok(buffer)
    }

    /// What has changed about the file since it was opened, for people; `None` if nothing has.
    ///
    /// # Errors
    /// What the system says.
    pub fn changed(&self) -> io::Result<Option<String>> {
        let Inner::File { file, stamp } = &self.inner else { return Ok(None) };
        let now = Stamp::of(&file.metadata()?);
        Ok(match now {
            _ if now == *stamp => None,
            _ if now.size != stamp.size => {
                Some(format!("it had {} bytes when it was opened and has {} now", stamp.size, now.size))
            }
            _ => Some("it was written to while it was read".to_string()),
        })
    }
}

fn unseekable() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "a long pipe cannot be read again")
}

/// Where the manifest of an output of this program is.
pub fn manifest_path(output: &Path) -> PathBuf {
    let mut path = OsString::from(output);
    path.push(".manifest.json");
    path.into()
}

/// The error for a file that has become shorter while it was read.
pub fn shrunk() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter while it was read")
}

#[cfg(unix)]
fn position_read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn position_read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patched_source_reads_as_its_pieces_do() {
        let base = Source::bytes(b"0123456789".to_vec());
        let pieces = [
            Piece::Bytes(b"ab"),
            Piece::Base(2..5),
            Piece::Base(5..5),
            Piece::Bytes(b""),
            Piece::Base(8..10),
            Piece::Bytes(b"c"),
            Piece::Base(0..1),
        ];
        let patched = Source::patched(&base, &pieces).expect("bytes in memory");
        let whole = b"ab23489c0";
        assert_eq!(patched.size(), Some(whole.len() as u64));
        for from in 0..whole.len() + 2 {
            for length in 0..whole.len() + 2 {
                let mut buffer = vec![b'-'; length];
                let got = patched.read_at(from as u64, &mut buffer).expect("bytes in memory");
                let expected = &whole[from.min(whole.len())..(from + length).min(whole.len())];
                assert_eq!(&buffer[..got], expected, "{length} from {from}");
            }
        }
        let twice = Source::patched(&patched, &[Piece::Base(1..4), Piece::Bytes(b"!")]).expect("bytes in memory");
        assert_eq!(twice.read_range(0, 4).expect("bytes in memory"), b"b23!");
        assert_eq!(Source::patched(&base, &[]).expect("bytes in memory").size(), Some(0));
    }
}
