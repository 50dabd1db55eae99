//! Counts the lines of files that hold one JSON value each, in UTF-8: the scanner by itself, with nothing of
//! what is known about sessions. `benches/instructions` measures it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use sesstool::json::{Scanner, skip_space};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut scanner = Scanner::new();
    let mut failed = false;
    for path in std::env::args_os().skip(1) {
        match std::fs::read(&path) {
            Ok(bytes) => {
                let (valid, lines) = count(&mut scanner, &bytes);
                println!("{}: {valid} of {lines} lines are JSON", path.display());
                failed |= valid < lines;
            }
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}

/// How many lines are JSON, and how many there are.
fn count(scanner: &mut Scanner, bytes: &[u8]) -> (usize, usize) {
    let (mut valid, mut lines) = (0, 0);
    let mut rest = bytes;
    while !rest.is_empty() {
        lines += 1;
        // where the value ends, or what is none fails; the line ends behind it
        let (at, is_value) = match scanner.scan_line(rest, 0) {
            Ok(value) => (value.span.end, true),
            Err(fail) => (fail.at, false),
        };
        let end = memchr::memchr(b'\n', &rest[at..]).map_or(rest.len(), |behind| at + behind);
        let is_whole = is_value && skip_space(&rest[..end], at) == end;
        let is_text = !scanner.notes.non_ascii || simdutf8::basic::from_utf8(&rest[..end]).is_ok();
        valid += usize::from(is_whole && is_text);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    (valid, lines)
}
