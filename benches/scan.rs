//! The JSON scanner on lines in memory: one thread, nothing but the grammar and the spans.

mod sessions;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use sesstool::json::Scanner;

fn main() {
    divan::main();
}

#[divan::bench]
fn lines(bencher: Bencher) {
    let session = sessions::session(16 << 20);
    let lines: Vec<&[u8]> = session.split(|&b| b == b'\n').filter(|line| !line.is_empty()).collect();
    let mut scanner = Scanner::new();
    bencher.counter(BytesCount::of_slice(&session)).bench_local(|| {
        for line in &lines {
            black_box(scanner.scan(black_box(line), 0).expect("healthy lines"));
        }
    });
}
