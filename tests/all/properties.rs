//! What holds for any bytes whatever.

use super::support::{check_bytes, fixtures, written};
use proptest::prelude::*;
use sesstool::report::FileReport;
use sesstool::rules::Place;
use std::sync::LazyLock;

/// A place lies inside the file, and line and column are those that counting line feeds gives.
fn is_there(bytes: &[u8], place: &Place) -> Result<(), TestCaseError> {
    let (start, end) = (place.offset as usize, (place.offset + place.length) as usize);
    prop_assert!(end <= bytes.len(), "{place:?} ends behind byte {}", bytes.len());
    let line = 1 + bytes[..start].iter().filter(|&&b| b == b'\n').count() as u64;
    let line_start = bytes[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    prop_assert_eq!((place.line, place.line_start as usize), (line, line_start), "{:?}", place);
    Ok(())
}

fn is_sound(bytes: &[u8], report: &FileReport) -> Result<(), TestCaseError> {
    prop_assert_eq!(report.bytes, bytes.len() as u64);
    let line_feeds = bytes.iter().filter(|&&b| b == b'\n').count();
    prop_assert_eq!(report.lines as usize, line_feeds + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n")));
    for finding in &report.findings {
        for place in finding.place.iter().chain(finding.related.iter().map(|r| &r.place)) {
            is_there(bytes, place)?;
        }
        prop_assert!(!finding.message.is_empty() && !finding.effect.is_empty());
    }
    let order: Vec<_> = report.findings.iter().map(|f| (f.place.as_ref().map(|p| p.offset), f.rule.code)).collect();
    prop_assert!(order.is_sorted(), "{order:?}");
    let totals = report.totals;
    prop_assert_eq!(report.counts.values().sum::<u64>(), totals.errors + totals.warnings + totals.infos);
    for (code, count) in &report.counts {
        let listed = report.findings.iter().filter(|f| f.rule.code == *code).count() as u64;
        prop_assert!(listed == *count || listed == 1000, "{code}: {listed} of {count}");
    }
    let document: serde_json::Value = serde_json::from_str(&written(report, "json"))
        .map_err(|error| TestCaseError::fail(format!("not a JSON document: {error}")))?;
    prop_assert_eq!(document["files"][0]["findings"].as_array().map(Vec::len), Some(report.findings.len()));
    Ok(())
}

/// Small sessions, healthy and damaged, to be damaged further.
static SESSIONS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let all = fixtures("good").into_iter().chain(fixtures("bad"));
    all.map(|fixture| fixture.bytes).filter(|bytes| bytes.len() < 16 << 10).collect()
});

/// Something done to a file; positions are shares of its length in 65536ths.
#[derive(Clone, Debug)]
enum Change {
    Insert(u16, &'static [u8]),
    Cut(u16, u8),
    CutOff(u16),
    Flip(u16, u8),
    RepeatLine(u16),
    SwapLines(u16, u16),
    JoinLines(u16),
    Splice(u16, usize, u16, u16),
}

const INSERTED: &[&[u8]] = &[
    b"\0",
    b"\0\0\0\0\0\0\0\0",
    b"\xEF\xBB\xBF",
    b"\n",
    b"\r",
    b"\n\n",
    b"{",
    b"}",
    b"\"",
    b"\\",
    b"[",
    b",",
    b"\xFF",
    b"\xE2\x80\xA8",
    b"\xC2\xA0",
    b"null",
    b"\\ud800",
    b"1e999",
    b"{\"type\":\"message\",\"id\":\"x\"}",
    b"{\"type\":\"session\",\"id\":\"x\"}",
    b"\"id\":\"1f4a90c2\",",
];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (any::<u16>(), prop::sample::select(INSERTED)).prop_map(|(at, what)| Change::Insert(at, what)),
        2 => (any::<u16>(), any::<u8>()).prop_map(|(at, length)| Change::Cut(at, length)),
        1 => any::<u16>().prop_map(Change::CutOff),
        2 => (any::<u16>(), 1..=255u8).prop_map(|(at, bits)| Change::Flip(at, bits)),
        1 => any::<u16>().prop_map(Change::RepeatLine),
        1 => (any::<u16>(), any::<u16>()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        1 => any::<u16>().prop_map(Change::JoinLines),
        1 => (any::<u16>(), any::<usize>(), any::<u16>(), any::<u16>())
            .prop_map(|(at, other, from, length)| Change::Splice(at, other, from, length)),
    ]
}

/// The position that a share of a length stands for.
fn position(share: u16, length: usize) -> usize {
    (share as usize * (length + 1)) >> 16
}

fn split_lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect()
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        match *self {
            Change::Insert(at, what) => drop(bytes.splice(position(at, length)..position(at, length), what.to_vec())),
            Change::Cut(at, n) => {
                let at = position(at, length);
                bytes.drain(at..(at + n as usize).min(length));
            }
            Change::CutOff(at) => bytes.truncate(position(at, length)),
            Change::Flip(at, bits) => {
                if let Some(byte) = bytes.get_mut(position(at, length)) {
                    *byte ^= bits;
                }
            }
            Change::RepeatLine(at) => {
                let mut lines = split_lines(bytes);
                if let Some(line) = lines.get(position(at, lines.len())).cloned() {
                    lines.push(line);
                }
                *bytes = lines.concat();
            }
            Change::SwapLines(a, b) => {
                let mut lines = split_lines(bytes);
                let (a, b) = (position(a, lines.len()), position(b, lines.len()));
                if a.max(b) < lines.len() {
                    lines.swap(a, b);
                }
                *bytes = lines.concat();
            }
            Change::JoinLines(at) => {
                let at = position(at, length);
                if let Some(found) = bytes[at..].iter().position(|&b| b == b'\n') {
                    bytes.remove(at + found);
                }
            }
            Change::Splice(at, other, from, n) => {
                let other = &SESSIONS[other % SESSIONS.len()];
                let from = position(from, other.len());
                let piece = other[from..(from + position(n, 600)).min(other.len())].to_vec();
                let at = position(at, length);
                bytes.splice(at..at, piece);
            }
        }
    }
}

/// Bytes that show themselves as text where a test fails.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}", self.0.escape_ascii())
    }
}

fn damaged_session() -> impl Strategy<Value = Bytes> {
    (any::<prop::sample::Index>(), prop::collection::vec(change(), 1..5)).prop_map(|(which, changes)| {
        let mut bytes = which.get(&SESSIONS).clone();
        changes.iter().for_each(|change| change.apply(&mut bytes));
        Bytes(bytes)
    })
}

/// Bytes of which many matter to JSON.
fn noise() -> impl Strategy<Value = Bytes> {
    let pieces = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::sample::select(INSERTED).prop_map(<[u8]>::to_vec),
        prop::sample::select(&b"{}[]\":,\n\\0 \xEF"[..]).prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(pieces, 0..200).prop_map(|pieces| Bytes(pieces.concat()))
}

/// How many are tried; `PROPTEST_CASES` says otherwise.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(4000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_sessions_give_sound_reports(bytes in damaged_session()) {
        is_sound(&bytes.0, &check_bytes(&bytes.0))?;
    }

    #[test]
    fn noise_gives_sound_reports(bytes in noise()) {
        is_sound(&bytes.0, &check_bytes(&bytes.0))?;
    }
}

#[test]
fn fixtures_give_sound_reports() {
    for fixture in fixtures("good").iter().chain(&fixtures("bad")) {
        is_sound(&fixture.bytes, &fixture.report()).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
    }
}
