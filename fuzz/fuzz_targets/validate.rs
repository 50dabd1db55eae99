//! Any bytes whatever give a report, and every finding lies inside them.
//!
//! `cargo +nightly fuzz run validate -- -dict=fuzz/validate.dict`, with `fixtures/bad` and `fixtures/good` as a first corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sesstool::check::{Options, source_report};
use sesstool::source::Source;

fuzz_target!(|bytes: &[u8]| {
    let source = Source::bytes(bytes.to_vec());
    let options = Options { excerpts: true, ..Options::default() };
    let report = source_report(&source, "session", None, &options).expect("content is no error");
    assert_eq!(report.bytes, bytes.len() as u64);
    for finding in &report.findings {
        for place in finding.place.iter().chain(finding.related.iter().map(|related| &related.place)) {
            assert!(place.line_start <= place.offset && place.offset + place.length <= bytes.len() as u64, "{finding:?}");
            assert!((1..=report.lines).contains(&place.line), "{finding:?}");
        }
    }
});
