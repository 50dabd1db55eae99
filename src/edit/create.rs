//! A new file that goes on growing: made whole, as every file is, and left open.

use super::draft::{self, Draft};
use std::fs::File;
use std::io;
use std::path::Path;

/// Makes a file with these bytes, and leaves it open for reading and appending. It is written under
/// another name, synced, and moved to its place, where nothing may be; so it is there whole or not at
/// all. `prepare` is called with the open file before anybody else can see it.
///
/// # Errors
/// What the system says; `AlreadyExists` where something is there. Nothing is left then.
pub(crate) fn create<E: From<io::Error>>(
    target: &Path,
    bytes: &[u8],
    prepare: impl FnOnce(&File) -> Result<(), E>,
) -> Result<File, E> {
    let mut new = Draft::beside(target, None)?;
    let file = new.handle()?;
    prepare(&file)?;
    new.fill(|out| out.write_all(bytes))?;
    draft::place(vec![(new, target)]).map_err(|(_, error)| error)?;
    Ok(file)
}
