//! The paths alone.

use super::{Format, List, Options};
use crate::report::clean::clean;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format { name: "paths", help: "the paths of the files, one a line", write };

fn write(out: &mut dyn Write, list: &List, _: &Options) -> io::Result<()> {
    list.rows.iter().try_for_each(|row| writeln!(out, "{}", clean(&row.path)))
}
