//! Physical lines: bytes up to an LF, and nothing else ends a line.

use std::ops::Range;

/// The lines of a block, one after the other.
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    /// The lines from `at` on, which is the start of a line.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Lines { bytes, at }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let line = Line::at(self.bytes, self.at);
        self.at = line.next();
        Some(line)
    }
}

/// One physical line of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its bytes in the block, without the LF.
    pub span: Range<usize>,
    /// Whether an LF ends it; only the last line of a file may lack it.
    pub ended: bool,
}

impl Line {
    /// The line that begins at `at`, which is within the block.
    pub fn at(block: &[u8], at: usize) -> Line {
        match memchr::memchr(b'\n', &block[at..]) {
            Some(length) => Line { span: at..at + length, ended: true },
            None => Line { span: at..block.len(), ended: false },
        }
    }

    /// Where the next line begins.
    pub fn next(&self) -> usize {
        self.span.end + usize::from(self.ended)
    }
}

/// Whether JavaScript's `trim()` leaves nothing of the line: pi skips such a line.
pub fn is_blank(line: &[u8]) -> bool {
    let mut rest = line;
    while let Some(length) = space_at(rest) {
        rest = &rest[length..];
    }
    rest.is_empty()
}

/// The length of the white space character (as `trim()` knows them) at the start of `bytes`.
pub fn space_at(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b' ' | b'\t' | 0x0B | 0x0C | b'\r' | b'\n', ..] => Some(1),
        [0xC2, 0xA0, ..] => Some(2),
        [0xE1, 0x9A, 0x80, ..] | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..] => Some(3),
        [0xE2, 0x81, 0x9F, ..] | [0xE3, 0x80, 0x80, ..] | [0xEF, 0xBB, 0xBF, ..] => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_every_byte_once() {
        for text in ["", "\n", "a", "a\n", "a\nb", "\n\na\r\n\n"] {
            let mut at = 0;
            for line in Lines::new(text.as_bytes(), 0) {
                assert_eq!(line.span.start, at);
                at = line.next();
            }
            assert_eq!(at, text.len(), "{text:?}");
        }
    }

    #[test]
    fn blank_is_what_trim_leaves_empty() {
        for blank in
            ["", " \t\r", "\u{a0}\u{3000}", "\u{feff}", "\u{2028}\u{200a}\u{202f}\u{205f}\u{1680}", "\u{b}\u{c}"]
        {
            assert!(is_blank(blank.as_bytes()), "{blank:?}");
        }
        for text in ["\0", "\u{200b}", "\u{85}", " x "] {
            assert!(!is_blank(text.as_bytes()), "{text:?}");
        }
    }
}
