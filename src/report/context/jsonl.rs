//! The messages of the context, one a line.

use super::{Format, Options, Seen};
use crate::report::json::write_raw;
use std::io::{self, Write};

pub(super) const FORMAT: Format =
    Format { name: "jsonl", help: "one message a line, as the reader hands it on", write };

fn write(out: &mut dyn Write, seen: &Seen<'_>, _: &Options) -> io::Result<()> {
    seen.each_message(|message| {
        // in valid JSON a carriage return or tab can only stand between tokens
        write_raw(out, &message.json.replace(['\r', '\n', '\t'], " "))?;
        writeln!(out)
    })
}
