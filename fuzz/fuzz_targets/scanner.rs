//! Every kernel of the scanner agrees with its plain twin on every line.
//!
//! `cargo +nightly fuzz run scanner -- -dict=fuzz/validate.dict`, with `fixtures/bad` and `fixtures/good` as a first corpus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sesstool::json::{Scanner, plain};
use std::cell::RefCell;

thread_local! {
    // the same scanners for all lines, so that what one leaves behind shows in the next
    static SCANNERS: RefCell<Vec<(&'static str, Scanner)>> = RefCell::new(Scanner::each_kernel());
}

fuzz_target!(|bytes: &[u8]| {
    SCANNERS.with_borrow_mut(|scanners| {
        for (kernel, scanner) in scanners {
            let mut rest = bytes;
            loop {
                if let Some(difference) = plain::difference(scanner, rest) {
                    panic!("{kernel}: {difference}");
                }
                let Some(end) = rest.iter().position(|&byte| byte == b'\n') else { break };
                rest = &rest[end + 1..];
            }
        }
    });
});
