//! A whole check of a session in memory: lines, records, index, rules, report data.

mod sessions;

use divan::Bencher;
use divan::counter::BytesCount;
use sesstool::check::{Options, source_report};
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
