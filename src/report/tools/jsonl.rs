//! The calls, one a line.

use super::json::write_call;
use super::{Audited, Format, Texts};
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "jsonl", help: "one call a line, as in the JSON document", write };

fn write(out: &mut dyn Write, audited: &Audited<'_>, _: usize) -> io::Result<()> {
    for call in audited.calls {
        write_call(out, audited, call, &Texts::of(audited, call))?;
        writeln!(out)?;
    }
    Ok(())
}
