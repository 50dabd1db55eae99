//! The program is there at once: instructions are counted, since time depends on who else is at work.

use super::support::{root, skipped};
use std::process::Command;

/// What a processor does in about 8 ms; ten is the promise, and this is a build for debugging.
const MOST: u64 = 25_000_000;

fn instructions(args: &[&str]) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(assert_cmd::cargo::cargo_bin("sesstool"))
        .args(args)
        .current_dir(root())
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = log.lines().find(|line| line.contains("refs:"))?.rsplit(' ').next()?.replace(',', "");
    Some(count.parse().unwrap_or_else(|_| panic!("no count: {log}")))
}

#[test]
fn start_up_takes_few_instructions() {
    for args in [
        &["--version"][..],
        &["--help"],
        &["validate", "fixtures/good/healthy/everything.jsonl"],
        &["validate", "fixtures/bad/L003-glued-records/two.jsonl", "--format", "sarif"],
        &["config", "show"],
    ] {
        match instructions(args) {
            Some(count) => assert!(count < MOST, "{args:?} takes {count} instructions"),
            None => skipped("no valgrind"),
        }
    }
}
