//! The sanitiser: everything that comes out of a session passes it before it reaches a terminal.
//!
//! What could move the cursor, change colours, reorder the line or hide in it is replaced by a visible
//! escape: `\x1b` for C0 controls and DEL, `\u{202e}` for characters beyond ASCII, `\xff` for a byte
//! that is not UTF-8 (always 80 or above, so it cannot be taken for a control). A back-slash of the text
//! itself stays single: the output is for eyes, not for decoding.
//!
//! The unit is the [`Cell`]: what stands in the terminal as one piece, with its width in columns.

use std::borrow::Cow;
use std::str;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many marks may pile up on one character before the next are shown as escapes.
const MARKS: usize = 8;

/// The most bytes that a cell of one column can hold: a character and its marks, four bytes each.
const CELL_BYTES: usize = 4 * (MARKS + 1);

/// One visible piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// What is printed.
    pub text: Cow<'a, str>,
    /// How many bytes of the source it stands for.
    pub bytes: usize,
    /// How many terminal columns it takes.
    pub width: usize,
}

impl<'a> Cell<'a> {
    fn new(text: impl Into<Cow<'a, str>>, bytes: usize) -> Self {
        let text = text.into();
        let width = text.width();
        Cell { text, bytes, width }
    }
}

/// The printable characters of ASCII.
const PLAIN: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// The cells of any bytes whatever.
pub fn cells(bytes: &[u8]) -> Cells<'_> {
    Cells { rest: bytes }
}

/// Iterator of [`cells`]. Looks no further ahead than the cell it returns.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        let (&first, after) = self.rest.split_first()?;
        // most text: no mark can follow where ASCII follows
        if is_plain(first) && after.first().is_none_or(u8::is_ascii) {
            self.rest = after;
            let at = usize::from(first - b' ');
            return Some(Cell { text: Cow::Borrowed(&PLAIN[at..=at]), bytes: 1, width: 1 });
        }
        let cell = match first_char(self.rest) {
            None => Cell::new(format!("\\x{first:02x}"), 1),
            // without a character to sit on, a mark could sit on anything
            Some(c) if is_unsafe(c) || c.width() == Some(0) => Cell::new(escape(c), c.len_utf8()),
            Some(c) => {
                let length = with_marks(c, self.rest);
                // `first_char` decoded every byte of it
                Cell::new(str::from_utf8(&self.rest[..length]).unwrap_or_default(), length)
            }
        };
        self.rest = &self.rest[cell.bytes..];
        Some(cell)
    }
}

/// The first character, if the bytes begin with one.
fn first_char(bytes: &[u8]) -> Option<char> {
    let head = &bytes[..bytes.len().min(4)];
    let valid = match str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

/// The bytes of the character `base`, which `bytes` begin with, and of the marks that belong to it.
fn with_marks(base: char, bytes: &[u8]) -> usize {
    let (mut last, mut length) = (base, base.len_utf8());
    for _ in 0..MARKS {
        match first_char(&bytes[length..]) {
            Some(mark) if sits_on(last, mark) => {
                last = mark;
                length += mark.len_utf8();
            }
            _ => break,
        }
    }
    length
}

/// Whether `mark` is drawn over the character before it and harmless there.
fn sits_on(before: char, mark: char) -> bool {
    match mark {
        // asks for the coloured form of an emoji; elsewhere it only hides
        '\u{fe0f}' => !before.is_ascii() && before != mark,
        '\u{1f3fb}'..='\u{1f3ff}' => !before.is_ascii(),
        _ => mark.width() == Some(0) && !is_unsafe(mark),
    }
}

/// Whether a character may do something to a terminal, or cannot be seen there.
pub fn is_unsafe(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || is_invisible(c)
}

/// Marks, embeddings, overrides and isolates: they reorder what is around them.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Line and paragraph separators, and what takes no room: joiners, fillers, selectors, tags.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2028}'..='\u{2029}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The visible form of a character.
fn escape(c: char) -> String {
    match c {
        '\t' => "\\t".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        _ if c.is_ascii() => format!("\\x{:02x}", u32::from(c)),
        _ => format!("\\u{{{:x}}}", u32::from(c)),
    }
}

/// A text made safe for a terminal, on one line.
///
/// ```
/// assert_eq!(sesstool::report::clean::clean("a\x1b[31mb\u{202e}"), r"a\x1b[31mb\u{202e}");
/// ```
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(clean_bytes(text.as_bytes()))
}

/// Whether a byte is a printable ASCII character.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Any bytes made safe for a terminal, on one line.
pub fn clean_bytes(bytes: &[u8]) -> String {
    if let (true, Ok(text)) = (bytes.iter().all(|b| is_plain(*b)), str::from_utf8(bytes)) {
        return text.to_string();
    }
    cells(bytes).fold(String::with_capacity(bytes.len()), |text, cell| text + &cell.text)
}

/// A text made safe and cut to so many terminal columns; `…` stands for what is cut off.
///
/// ```
/// assert_eq!(sesstool::report::clean::truncate("日本語", 5), "日本…");
/// ```
pub fn truncate(text: &str, columns: usize) -> String {
    let bytes = text.as_bytes();
    // most text is plain: as many bytes as columns
    if bytes.iter().take(columns + 1).all(|b| is_plain(*b)) {
        return match bytes.len() <= columns {
            true => text.to_string(),
            false if columns == 0 => String::new(),
            false => format!("{}…", &text[..columns - 1]),
        };
    }
    let mut cut = String::new();
    let (mut width, mut room_for_mark) = (0, 0);
    for cell in cells(text.as_bytes()) {
        width += cell.width;
        if width > columns {
            cut.truncate(room_for_mark);
            return if columns == 0 { cut } else { cut + "…" };
        }
        cut += &cell.text;
        if width < columns {
            room_for_mark = cut.len();
        }
    }
    cut
}

/// The first words of a text in so many terminal columns, white space of any kind folded into one space.
pub fn first_words(text: &str, columns: usize) -> String {
    let enough = CELL_BYTES * (columns + 1);
    let mut folded = String::new();
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded += word;
        if folded.len() > enough {
            break;
        }
    }
    truncate(&folded, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn harmless(text: &str) -> bool {
        let mut before = 'a';
        text.chars().all(|c| {
            let fine = !is_unsafe(c) || (c == '\u{fe0f}' && !before.is_ascii() && before != c);
            before = c;
            fine
        })
    }

    /// Text made of what a sanitiser may trip over.
    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            (0u32..0x20).prop_map(|c| char::from_u32(c).map(String::from).unwrap_or_default()),
            "[\u{7f}-\u{9f}\u{200b}-\u{2069}\u{fe00}-\u{fe0f}\u{300}-\u{36f}]",
            "[ a-z`日👍❤\u{1f1e6}-\u{1f1ff}\u{1f3fb}]",
            Just("\x1b]0;title\x07".to_string()),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn controls_become_visible() {
        assert_eq!(clean("\x1b[2J\r\n\t\0\x7f"), r"\x1b[2J\r\n\t\x00\x7f");
        assert_eq!(clean("\u{9b}31m\u{85}"), r"\u{9b}31m\u{85}");
        assert_eq!(clean("a\u{202e}b\u{2066}c\u{200f}"), r"a\u{202e}b\u{2066}c\u{200f}");
        assert_eq!(clean("a\u{200b}\u{feff}\u{e0041}\u{2028}"), r"a\u{200b}\u{feff}\u{e0041}\u{2028}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_one_by_one() {
        assert_eq!(clean_bytes(b"a\xff\xe6\x97b\xe6\x97\xa5"), r"a\xff\xe6\x97b日");
    }

    #[test]
    fn plain_text_is_lent() {
        assert!(matches!(clean("a \\ `b`"), Cow::Borrowed(_)));
        assert_eq!(clean("Ærø 日本 ❤\u{fe0f} 👍🏽 e\u{301}"), "Ærø 日本 ❤\u{fe0f} 👍🏽 e\u{301}");
    }

    #[test]
    fn marks_need_a_base_and_do_not_pile_up() {
        assert_eq!(clean("\u{301}a"), r"\u{301}a");
        assert_eq!(clean("\n\u{301}"), r"\n\u{301}");
        let piled = format!("a{}", "\u{301}".repeat(100));
        assert_eq!(clean(&piled).matches(r"\u{301}").count(), 92);
    }

    #[test]
    fn cuts_by_columns() {
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abcd", 3), "ab…");
        assert_eq!(truncate("日本", 4), "日本");
        assert_eq!(truncate("日本語", 4), "日…");
        assert_eq!(truncate("a\x1bb", 3), "a…");
        assert_eq!(
            (truncate("abc", 1), truncate("abc", 0), truncate("", 0)),
            ("…".into(), String::new(), String::new())
        );
    }

    #[test]
    fn folds_white_space() {
        assert_eq!(first_words("  a\r\n\tb\u{2028}c\u{a0}d ", 20), "a b c d");
        assert_eq!(first_words(&"word ".repeat(1_000_000), 9), "word wor…");
    }

    proptest! {
        #[test]
        fn the_output_is_harmless(text in hostile()) {
            let cleaned = clean(&text).into_owned();
            prop_assert!(harmless(&cleaned), "{cleaned:?}");
            prop_assert_eq!(clean(&cleaned), cleaned.as_str(), "cleaning twice changes nothing");
        }

        #[test]
        fn any_bytes_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(harmless(&clean_bytes(&bytes)));
            prop_assert_eq!(cells(&bytes).map(|cell| cell.bytes).sum::<usize>(), bytes.len());
        }

        #[test]
        fn never_wider_than_asked(text in hostile(), columns in 0usize..30) {
            prop_assert!(truncate(&text, columns).width() <= columns);
            prop_assert!(first_words(&text, columns).width() <= columns);
        }
    }
}
