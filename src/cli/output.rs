//! The terminal: its width, its colours, and the handles that are written through.

use crate::report::clean::clean;
use crate::report::text::style;
use crate::rules::Severity;
use anstream::adapter::StripBytes;
use clap::ColorChoice;
use std::io::{self, BufWriter, IsTerminal, Write};

pub(super) use crate::source::inputs::reason;

/// Columns where there is no terminal to ask.
const WIDTH: usize = 140;

/// Output is handed on in pieces of this size.
const BUFFER: usize = 1 << 16;

/// Settles for the whole process whether colours are used. `auto` looks at `NO_COLOR`, too.
pub(super) fn choose_colors(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// The columns of the terminal on standard output.
pub(super) fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(width, _)| usize::from(width.0))
}

/// Standard output, buffered; colours are taken out where nobody wants them.
pub(super) fn stdout() -> BufWriter<impl Write + Send> {
    let inner: Box<dyn Write + Send> = match has_colors() {
        true => Box::new(anstream::stdout()),
        false => Box::new(Plain::default()),
    };
    BufWriter::with_capacity(BUFFER, inner)
}

/// Standard output as it is, buffered, for what other programs read byte by byte.
pub(super) fn raw_stdout() -> BufWriter<impl Write + Send> {
    BufWriter::with_capacity(BUFFER, io::stdout())
}

/// Standard output without colours. What is left of a piece is handed on in one: the stripping stream of
/// `anstream` makes a call of the system of every stretch between two colours.
#[derive(Default)]
struct Plain {
    strip: StripBytes,
    kept: Vec<u8>,
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.kept.clear();
        for part in self.strip.strip_next(bytes) {
            self.kept.extend_from_slice(part);
        }
        io::stdout().write_all(&self.kept)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Whether somebody watches the answer come.
pub(super) fn is_watched() -> bool {
    io::stdout().is_terminal()
}

/// Says on standard error what went wrong.
pub(super) fn error(sentence: &str) {
    let style = style(Severity::Error);
    super::say(&format!("{style}error:{style:#} {}", clean(sentence)));
}

/// Whether lines can be drawn: not where the locale or the terminal is known to have none.
pub(super) fn draws_lines() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let plain = locale.is_some_and(|name| matches!(name.as_str(), "C" | "POSIX"));
    !(plain || set("TERM").is_some_and(|term| term == "dumb")) || !is_watched()
}

/// Whether colours written to standard output get there.
pub(super) fn has_colors() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}
