//! Files are scanned in slots, on many threads, and pipes in passing: nobody can tell from the report.

use super::support::{HEADER, check_bytes, check_source, fixture, fixtures, lines, loud_codes, message, written};
use rayon::prelude::*;
use sesstool::report::FileReport;
use sesstool::source::slots::SLOT;
use sesstool::source::{HELD, Source};
use std::io::Cursor;

/// An entry that is `length` bytes long with its line feed.
fn filler(id: &str, length: usize) -> String {
    let empty = message(id, "", "");
    message(id, "", &"x".repeat(length - empty.len() - 1))
}

/// A header, an entry up to offset `start`, and then `rest`.
fn padded(start: usize, rest: &[u8]) -> Vec<u8> {
    let head = lines(&[HEADER, &filler("f1f1f1f1", start - HEADER.len() - 1)]);
    assert_eq!(head.len(), start);
    [&head, rest].concat()
}

/// Everything that a report says, its offsets counted from `start`.
fn said(mut report: FileReport, start: usize) -> String {
    report.bytes -= start as u64;
    for finding in &mut report.findings {
        let related = finding.related.iter_mut().map(|r| &mut r.place);
        for place in finding.place.iter_mut().chain(related).filter(|place| place.offset >= start as u64) {
            place.offset -= start as u64;
            place.line_start -= start as u64;
        }
    }
    written(&report, "json")
}

/// Damage of each kind, short, with whole records around it.
fn damage() -> Vec<(&'static str, Vec<u8>)> {
    let first = message("aaaa0001", "f1f1f1f1", "one");
    let second = message("aaaa0002", "aaaa0001", "two");
    let third = message("aaaa0003", "aaaa0002", "three");
    let around = |middle: &[u8]| lines(&[first.as_bytes(), middle, third.as_bytes()]);
    let split = message("aaaa0002", "aaaa0001", "a\nb\n\n{\nc \\\" } d");
    vec![
        ("L007", around(split.as_bytes())),
        ("L003", around(second.repeat(2).as_bytes())),
        ("L004", around(format!("{}{second}", &first[..90]).as_bytes())),
        ("L005", around(&second.as_bytes()[..90])),
        ("L008", around(format!("\0\0\0{second}").as_bytes())),
        ("L011", around(format!("\u{feff}{second}").as_bytes())),
        ("L006", around(format!("{second} oops").as_bytes())),
        ("G003", lines(&[&first, &third])),
        ("G006", lines(&[&first, &third, &second])),
    ]
}

#[test]
fn damage_across_a_slot_boundary() {
    const NEAR: usize = 4096;
    for (code, bytes) in damage() {
        let expected = said(check_bytes(&padded(NEAR, &bytes)), NEAR);
        assert!(expected.contains(code), "{expected}");
        let step = if code == "L007" { 1 } else { 7 };
        let different = (0..bytes.len() + 2).into_par_iter().step_by(step).find_map_any(|before| {
            let start = SLOT as usize - before;
            let found = said(check_bytes(&padded(start, &bytes)), start);
            (found != expected).then(|| format!("the boundary is at byte {before}:\n{found}\n{expected}"))
        });
        assert!(different.is_none(), "{code}: {}", different.unwrap_or_default());
    }
}

/// A split record that is longer than a slot, so that slots begin inside it.
#[test]
fn a_split_record_longer_than_slots() {
    let text = "twelve bytes\n".repeat(3 * SLOT as usize / 13);
    let split = message("aaaa0001", "f1f1f1f1", &text);
    let bytes = padded(4096, &lines(&[&split, &message("aaaa0002", "aaaa0001", "behind")]));
    let report = check_bytes(&bytes);
    assert_eq!((loud_codes(&report).into_iter().collect::<Vec<_>>(), report.entries), (vec!["L007"], 3));
    assert_eq!(report.lines, bytes.iter().filter(|&&b| b == b'\n').count() as u64);
}

/// Many slots of damage: the threads that share them change nothing.
#[test]
fn threads_change_nothing() {
    let mut bytes = Vec::new();
    for fixture in fixtures("bad").iter().filter(|f| f.bytes.len() < 16 << 10 && !f.name.contains("L012")).cycle() {
        bytes.extend_from_slice(&fixture.bytes);
        bytes.extend_from_slice(filler("f1f1f1f1", 50_000).as_bytes());
        bytes.push(b'\n');
        if bytes.len() > 6 * SLOT as usize {
            break;
        }
    }
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| written(&check_bytes(&bytes), "json"))
    };
    let one = with(1);
    assert!(one.contains("L007") && one.contains("G002"));
    assert_eq!((with(2) == one, with(5) == one), (true, true));
}

/// A pipe that is too long to be held is read in passing; the report is that on the same bytes in a
/// file. Only what needs a second look is left out: G010, and which torn records (L005) stand whole elsewhere.
#[test]
fn a_long_pipe_is_like_a_file() {
    let mut rest = Vec::new();
    while rest.len() < HELD + 2 * SLOT as usize {
        rest.extend_from_slice(&lines(&[filler("f2f2f2f2", 600_000).as_str()]));
        damage().iter().filter(|(code, _)| *code != "L005").for_each(|(_, bytes)| rest.extend_from_slice(bytes));
    }
    let bytes = padded(4096, &rest);
    let from_file = written(&check_bytes(&bytes), "concise");
    let pipe = Source::stream(Box::new(Cursor::new(bytes))).expect("a pipe");
    assert!(!pipe.is_seekable());
    let from_pipe = written(&check_source(&pipe), "concise");
    let different = from_pipe.lines().zip(from_file.lines()).find(|(a, b)| a != b);
    assert_eq!((different, from_pipe.len()), (None, from_file.len()));
}

/// A short one is held whole.
#[test]
fn a_short_pipe_is_like_a_file() {
    let bytes = fixture("bad/G005-parent-cycle/four.jsonl");
    let pipe = Source::stream(Box::new(Cursor::new(bytes.clone()))).expect("a pipe");
    assert!(pipe.is_seekable());
    assert_eq!(written(&check_source(&pipe), "json"), written(&check_bytes(&bytes), "json"));
}
