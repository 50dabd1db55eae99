//! The paths alone.

use super::{Format, List, Options, Paths};
use crate::report::clean::clean;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "paths", help: "the paths of the files, one a line", write };

fn write(out: &mut dyn Write, list: &List, options: &Options) -> io::Result<()> {
    let end: &[u8] = if options.paths == Paths::Null { b"\0" } else { b"\n" };
    for row in &list.rows {
        match &row.file {
            Some(file) if options.paths != Paths::Clean => out.write_all(file.as_os_str().as_encoded_bytes())?,
            _ => out.write_all(clean(&row.path).as_bytes())?,
        }
        out.write_all(end)?;
    }
    Ok(())
}
