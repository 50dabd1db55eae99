//! A whole check of a session in memory: lines, records, index, rules, report data.

mod sessions;
mod trees;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use sesstool::check::{Options, source_report};
use sesstool::pass::repair;
use sesstool::source::Source;

fn main() {
    divan::main();
}

/// With one thread, and with one a core.
#[divan::bench(args = [1, 0])]
fn session(bencher: Bencher, threads: usize) {
    let bytes = sessions::session(64 << 20);
    let size = BytesCount::of_slice(&bytes);
    let source = Source::bytes(bytes);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    bencher.counter(size).bench(|| {
        let report = pool.install(|| source_report(&source, "session", None, &Options::default()));
        assert_eq!(report.expect("content is no error").totals.errors, 0);
    });
}

/// Many small ones, one after another: what a file costs beside its bytes.
#[divan::bench]
fn small_sessions(bencher: Bencher) {
    let bytes = sessions::session(20 << 10);
    let size = BytesCount::of_slice(&bytes);
    let source = Source::bytes(bytes);
    bencher.counter(size).bench(|| source_report(&source, "session", None, &Options::default()).expect("a report"));
}

/// Branches over a shared trunk of ten times as many entries, each branch checked in full. The cost is
/// one of entries: the items a second are about the same for all sizes.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 20)]
fn tips(bencher: Bencher, tips: u32) {
    let (bytes, expected) = trees::tips(tips, 10 * tips);
    let source = Source::bytes(bytes);
    bencher.counter(ItemsCount::new(expected.entries)).bench(|| {
        let report = source_report(&source, "session", None, &Options::default()).expect("a report");
        assert_eq!(report.counts.get("M001"), Some(&expected.lost));
    });
}

/// The same sessions, their repair planned with all that is done on request for tool calls.
#[divan::bench(args = [100, 1_000, 10_000], sample_count = 20)]
fn mended_tips(bencher: Bencher, tips: u32) {
    let (bytes, expected) = trees::tips(tips, 10 * tips);
    let source = Source::bytes(bytes);
    let choose = ["M001", "M002", "M004"].map(str::to_string).to_vec();
    let options = repair::Options { choose, ..repair::Options::default() };
    bencher.counter(ItemsCount::new(expected.entries)).bench(|| {
        let repairing = repair::plan(&source, None, &options).expect("a plan");
        assert!(repairing.plan.edits().len() as u64 >= expected.lost);
    });
}
