//! The piece of a line that is shown beneath a finding, and the carets under it.
//!
//! Lines of a session are kilobytes long, so what is shown is a window of the terminal's width around
//! the span. Everything is counted in cells as they are printed: a wide character has two columns, an
//! escaped control four, and the carets stand under what they mean.

use super::clean::{Cell, cells};
use crate::rules::{Excerpt, Place};
use std::ops::Range;

/// A window of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// What is shown, clean; `…` at an end that was cut.
    pub text: String,
    /// How many columns stand before the first caret.
    pub before: usize,
    /// How many carets there are, at least one.
    pub carets: usize,
}

/// The window of at most `columns` columns (never fewer than 8) around a place.
pub(super) fn window(excerpt: &Excerpt, place: &Place, columns: usize) -> Window {
    let mut row: Vec<Cell<'_>> = cells(&excerpt.bytes).collect();
    let marked = marked(&mut row, excerpt, place);
    let cut_before = excerpt.offset > place.line_start;
    let shown = shown(&row, &marked, columns.max(8), cut_before, excerpt.more);
    draw(&row, &marked, &shown, cut_before, excerpt.more)
}

/// Which cells the span touches; a span at the line's end gets a cell of its own.
fn marked(row: &mut Vec<Cell<'_>>, excerpt: &Excerpt, place: &Place) -> Range<usize> {
    let start = place.offset.saturating_sub(excerpt.offset);
    let end = place.offset.saturating_add(place.length.max(1)).saturating_sub(excerpt.offset);
    let mut at = 0;
    let mut first = None;
    let mut last = 0;
    for (index, cell) in row.iter().enumerate() {
        let cell_end = at + cell.bytes as u64;
        if cell_end > start && at < end {
            first = first.or(Some(index));
            last = index + 1;
        }
        at = cell_end;
    }
    first.map(|first| first..last).unwrap_or_else(|| {
        row.push(Cell { text: " ".into(), bytes: 0, width: 1 });
        row.len() - 1..row.len()
    })
}

fn width(row: &[Cell<'_>]) -> usize {
    row.iter().map(|cell| cell.width).sum()
}

/// Which cells fit: the span's first, then its surroundings on both sides in turn.
fn shown(row: &[Cell<'_>], marked: &Range<usize>, columns: usize, cut_before: bool, cut_after: bool) -> Range<usize> {
    if width(row) + usize::from(cut_before) + usize::from(cut_after) <= columns {
        return 0..row.len();
    }
    // a column at each end for the `…`
    let mut room = columns - 2;
    let mut shown = marked.start..marked.start;
    let surroundings = room / 4;
    while shown.end < marked.end && row[shown.end].width + surroundings <= room {
        room -= row[shown.end].width;
        shown.end += 1;
    }
    loop {
        let before = shown.start.checked_sub(1).filter(|&i| row[i].width <= room);
        if let Some(index) = before {
            room -= row[index].width;
            shown.start = index;
        }
        let after = row.get(shown.end).filter(|cell| cell.width <= room);
        if let Some(cell) = after {
            room -= cell.width;
            shown.end += 1;
        }
        if before.is_none() && after.is_none() {
            return shown;
        }
    }
}

fn draw(row: &[Cell<'_>], marked: &Range<usize>, shown: &Range<usize>, cut_before: bool, cut_after: bool) -> Window {
    let cut_before = cut_before || shown.start > 0;
    let cut_after = cut_after || shown.end < row.len();
    let mut text = String::from(if cut_before { "…" } else { "" });
    text.extend(row[shown.clone()].iter().map(|cell| &*cell.text));
    if cut_after {
        text.push('…');
    }
    let first = marked.start.clamp(shown.start, shown.end);
    let last = marked.end.clamp(first, shown.end);
    Window {
        text,
        before: usize::from(cut_before) + width(&row[shown.start..first]),
        carets: width(&row[first..last]).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    /// The window and its carets as two lines, for a line that begins at offset 1,000.
    fn drawn(line: &[u8], span: Range<usize>, columns: usize) -> String {
        let excerpt = Excerpt { bytes: line.to_vec(), offset: 1000, more: false };
        let place = Place { line: 1, line_start: 1000, offset: 1000 + span.start as u64, length: span.len() as u64 };
        let window = window(&excerpt, &place, columns);
        format!("{}\n{}{}", window.text, " ".repeat(window.before), "^".repeat(window.carets))
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(drawn(b"{\"id\":7}", 6..7, 20), "{\"id\":7}\n      ^");
        assert_eq!(drawn(b"abc", 3..3, 20), "abc \n   ^");
        assert_eq!(drawn(b"abc", 1..1, 20), "abc\n ^");
        assert_eq!(drawn(b"", 0..0, 20), " \n^");
    }

    #[test]
    fn carets_stand_under_wide_and_escaped_characters() {
        assert_eq!(drawn("日本x".as_bytes(), 3..6, 20), "日本x\n  ^^");
        assert_eq!(drawn("日本x".as_bytes(), 6..7, 20), "日本x\n    ^");
        assert_eq!(drawn(b"\x1b\xffx", 2..3, 20), "\\x1b\\xffx\n        ^");
        assert_eq!(drawn(b"a\x1bx", 1..2, 20), "a\\x1bx\n ^^^^");
        assert_eq!(drawn("e\u{301}x".as_bytes(), 1..3, 20), "e\u{301}x\n^");
        assert_eq!(drawn("👍🏽x".as_bytes(), 8..9, 20), "👍🏽x\n  ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let line: Vec<u8> = (b'a'..=b'z').collect();
        assert_eq!(drawn(&line, 12..14, 12), "…ijklmnopqr…\n     ^^");
        assert_eq!(drawn(&line, 0..1, 12), "abcdefghij…\n^");
        assert_eq!(drawn(&line, 25..26, 12), "…qrstuvwxyz\n          ^");
        assert_eq!(drawn(&line, 26..26, 12), "…rstuvwxyz \n          ^");
        assert_eq!(drawn(&line, 5..26, 12), "…efghijklmn…\n  ^^^^^^^^^");
    }

    #[test]
    fn an_excerpt_that_is_itself_cut_says_so() {
        let excerpt = Excerpt { bytes: b"abc".to_vec(), offset: 500, more: true };
        let place = Place { line: 1, line_start: 0, offset: 501, length: 1 };
        assert_eq!(window(&excerpt, &place, 20), Window { text: "…abc…".into(), before: 2, carets: 1 });
    }

    proptest! {
        #[test]
        fn never_wider_than_the_terminal(
            bytes in proptest::collection::vec(any::<u8>(), 0..120), start in 0u64..150, length in 0u64..200,
            columns in 8usize..60, more: bool, offset in 0u64..2,
        ) {
            let excerpt = Excerpt { bytes, offset: 10 + offset, more };
            let place = Place { line: 1, line_start: 10, offset: 10 + start, length };
            let window = window(&excerpt, &place, columns);
            prop_assert!(window.text.width() <= columns);
            prop_assert!(window.before + window.carets <= columns);
            prop_assert!(window.carets > 0);
        }
    }
}
