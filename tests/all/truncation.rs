//! A healthy session that ends anywhere: a writer was stopped, a disk was full.

use super::support::{check_bytes, codes, fixtures, loud_codes};
use rayon::prelude::*;

/// Cut at every byte, a session is clean only where the cut falls right behind a line feed.
#[test]
fn a_cut_is_never_missed() {
    for fixture in fixtures("good").iter().filter(|f| f.bytes.len() < 16 << 10) {
        let of_the_whole = codes(&check_bytes(&fixture.bytes));
        let missed = (0..fixture.bytes.len()).into_par_iter().find_any(|&cut| {
            let report = check_bytes(&fixture.bytes[..cut]);
            let at_line_end = cut > 0 && fixture.bytes[cut - 1] == b'\n';
            codes(&report).is_subset(&of_the_whole) && !at_line_end
        });
        assert_eq!(missed, None, "{} cut there", fixture.name);
    }
    assert_eq!(codes(&check_bytes(b"")).into_iter().collect::<Vec<_>>(), ["L014"]);
}

/// Of a session that was cut in its last line every other line stays an entry.
#[test]
fn a_cut_costs_one_entry_at_most() {
    for fixture in fixtures("good").iter().filter(|f| f.folder == "healthy") {
        let whole = check_bytes(&fixture.bytes);
        let last_line = memchr::memrchr(b'\n', &fixture.bytes[..fixture.bytes.len() - 1]).map_or(0, |at| at + 1);
        for cut in last_line + 1..fixture.bytes.len() {
            let report = check_bytes(&fixture.bytes[..cut]);
            let complete = cut + 1 == fixture.bytes.len();
            let (code, entries) = if complete { ("L002", whole.entries) } else { ("L001", whole.entries - 1) };
            assert_eq!((report.entries, loud_codes(&report).contains(code)), (entries, true), "cut at {cut}");
        }
    }
}
