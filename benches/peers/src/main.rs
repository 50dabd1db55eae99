//! The scanner beside other JSON parsers: the same lines in memory, one thread, all contenders in
//! turn, the best of several rounds. `--once NAME` runs one contender once, to count its instructions.

mod worst;

use serde::de::IgnoredAny;
use sesstool::json::Scanner;
use std::hint::black_box;
use std::time::Instant;

/// A parser: it goes over all lines, and says how many were valid.
type Contender<'a> = (String, Box<dyn FnMut(&[u8]) -> usize + 'a>);

fn main() {
    let mut args = std::env::args().skip(1).peekable();
    let mut rounds = 7;
    let mut once = None;
    let mut inputs = Vec::new();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rounds" => rounds = args.next().and_then(|n| n.parse().ok()).unwrap_or(rounds),
            "--once" => once = args.next(),
            "--worst" => inputs.extend(worst::all()),
            // each line once: nothing repeats that a branch predictor could learn
            "--distinct" => {
                let files: Vec<String> = args.by_ref().collect();
                inputs.push(("distinct lines".to_string(), distinct(&files)));
            }
            path => inputs.push((path.to_string(), read(path))),
        }
    }
    if inputs.is_empty() {
        eprintln!("usage: sesstool-peers [--rounds N] [--once NAME] [--worst] [FILE...] [--distinct FILE...]");
        std::process::exit(2);
    }
    for (name, bytes) in &inputs {
        match &once {
            Some(wanted) => {
                for (contender, mut run) in contenders() {
                    if contender == *wanted {
                        println!("{contender}: {} lines of {name} are valid, {} bytes", run(bytes), bytes.len());
                    }
                }
            }
            None => compare(name, bytes, rounds),
        }
    }
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn distinct(files: &[String]) -> Vec<u8> {
    let mut seen = std::collections::HashSet::new();
    let mut bytes = Vec::new();
    for file in files {
        for line in read(file).split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            if seen.insert(line.to_vec()) {
                bytes.extend_from_slice(line);
                bytes.push(b'\n');
            }
        }
    }
    bytes
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    memchr::memchr_iter(b'\n', bytes).map(move |at| {
        let line = &bytes[from..at];
        from = at + 1;
        line
    })
}

fn contenders() -> Vec<Contender<'static>> {
    let mut all: Vec<Contender<'static>> = vec![
        ("newlines".to_string(), Box::new(|bytes| lines(bytes).count())),
        (
            "sonic-rs".to_string(),
            Box::new(|bytes| lines(bytes).filter(|line| sonic_rs::from_slice::<IgnoredAny>(line).is_ok()).count()),
        ),
        (
            "serde_json".to_string(),
            Box::new(|bytes| lines(bytes).filter(|line| serde_json::from_slice::<IgnoredAny>(line).is_ok()).count()),
        ),
    ];
    for (name, mut scanner) in Scanner::each_kernel() {
        all.push((name.to_string(), Box::new(move |bytes| scan(&mut scanner, bytes))));
    }
    all
}

/// What `validate` asks the scanner: each line's value, what stands behind it, and its UTF-8.
fn scan(scanner: &mut Scanner, bytes: &[u8]) -> usize {
    let mut valid = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = match scanner.scan_line(rest, 0) {
            Ok(value) if rest.get(value.span.end) == Some(&b'\n') => {
                let end = value.span.end;
                valid += usize::from(!scanner.notes.non_ascii || simdutf8::basic::from_utf8(&rest[..end]).is_ok());
                end
            }
            Ok(value) => {
                memchr::memchr(b'\n', &rest[value.span.end..]).map_or(rest.len() - 1, |at| value.span.end + at)
            }
            Err(fail) => memchr::memchr(b'\n', &rest[fail.at..]).map_or(rest.len() - 1, |at| fail.at + at),
        };
        black_box(&scanner.top);
        rest = &rest[end + 1..];
    }
    valid
}

fn compare(name: &str, bytes: &[u8], rounds: usize) {
    let mut contenders = contenders();
    let mut best = vec![f64::INFINITY; contenders.len()];
    let mut valid = vec![0; contenders.len()];
    for _ in 0..rounds {
        for (n, (_, run)) in contenders.iter_mut().enumerate() {
            let begun = Instant::now();
            valid[n] = black_box(run(black_box(bytes)));
            best[n] = best[n].min(begun.elapsed().as_secs_f64());
        }
    }
    let sonic = best[1];
    println!("{name}: {} bytes", bytes.len());
    for (n, (contender, _)) in contenders.iter().enumerate() {
        let speed = bytes.len() as f64 / 1e9 / best[n];
        println!("  {contender:<10} {speed:7.2} GB/s  {:6.2} x sonic-rs  ({} lines valid)", sonic / best[n], valid[n]);
    }
}
