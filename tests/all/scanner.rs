//! The scanner and its plain twin agree, and both with serde_json, on every kernel, wherever a line stands.

use super::support::{fixtures, root};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use sesstool::json::{Scanner, plain};
use std::path::Path;

/// Lines as a block holds them: a case between healthy ones, which would show what leaks out of it.
const GOOD: &[u8] = br#"{"type":"message","id":"0a1b2c3d","message":{"role":"user","content":[{"type":"text","text":"a\tb \"c\" \\ \u00e9"}]}}"#;

fn lines_of(folder: &Path) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten() {
        if entry.file_type().is_file() {
            let bytes = std::fs::read(entry.path()).expect("a file");
            lines.extend(bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The lines of the fixtures.
fn fixture_lines() -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for kind in ["bad", "good", "repaired"] {
        assert!(!fixtures(kind).is_empty());
        lines.extend(lines_of(&root().join("fixtures").join(kind)));
    }
    lines
}

/// Scans a block line by line with every kernel, and asks the twin about each line.
fn agree(scanners: &mut [(&'static str, Scanner)], block: &[u8]) {
    for (kernel, scanner) in scanners {
        let mut at = 0;
        while at < block.len() {
            let rest = &block[at..];
            if let Some(difference) = plain::difference(scanner, rest) {
                let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
                panic!("{kernel}: {difference}\n{}", String::from_utf8_lossy(line));
            }
            at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |end| end + 1);
        }
    }
}

/// At 70 places of a block, which has 64 bytes, with and without an LF behind it.
#[test]
fn every_line_of_the_fixtures_at_every_place_of_a_block() {
    let mut scanners = Scanner::each_kernel();
    for line in fixture_lines() {
        // a long line meets every place by itself
        let places = if line.len() > 4096 { 3 } else { 70 };
        for place in 0..places {
            let mut block = vec![b' '; place];
            block.extend_from_slice(&line);
            agree(&mut scanners, &block);
            block.push(b'\n');
            block.extend_from_slice(GOOD);
            block.push(b'\n');
            agree(&mut scanners, &block);
        }
    }
}

#[test]
fn every_truncation_of_a_line() {
    let mut scanners = Scanner::each_kernel();
    for line in fixture_lines().iter().filter(|line| line.len() < 2048) {
        for end in 0..line.len() {
            agree(&mut scanners, &line[..end]);
        }
    }
}

/// 200,000 of them; `SESSTOOL_CASES=N` tries N, of another seed.
#[test]
fn mutated_lines() {
    let lines: Vec<Vec<u8>> = fixture_lines().into_iter().filter(|line| (2..700).contains(&line.len())).collect();
    let (cases, mut random) = match std::env::var("SESSTOOL_CASES").ok().and_then(|n| n.parse().ok()) {
        Some(cases) => (cases, TestRng::from_seed(RngAlgorithm::ChaCha, &seed_of_now())),
        None => (200_000, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let mut below = move |n: usize| random.next_u64() as usize % n;
    let mut scanners = Scanner::each_kernel();
    let (mut done, mut valid) = (0, 0);
    while done < cases {
        let mut block = Vec::new();
        // many in one block, so that what one line leaves behind shows in the next
        for _ in 0..50 {
            let mut line = lines[below(lines.len())].clone();
            for _ in 0..1 + below(3) {
                mutate(&mut line, &lines, &mut below);
            }
            valid += usize::from(is_valid(&line));
            assert_eq!(is_valid(&line), scans_whole(&mut scanners[0].1, &line), "{}", String::from_utf8_lossy(&line));
            block.extend_from_slice(&line);
            block.push(b'\n');
        }
        agree(&mut scanners, &block);
        done += 50;
    }
    assert!(valid * 20 > done && valid < done, "{valid} of {done} lines are valid: the mutations test one side only");
}

/// Objects whose keys mostly come again in the same order, and sometimes do not: twice in one object, escaped,
/// spaced, longer than what is remembered, more of them than are compared one by one or remembered at all, and
/// in objects within objects and arrays. What is guessed of one line must not show in the next.
#[test]
fn keys_that_come_again() {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut below = move |n: usize| random.next_u64() as usize % n;
    let mut scanners = Scanner::each_kernel();
    let (mut duplicates, mut lines) = (0, 0);
    for round in 0..200 {
        let mut block = Vec::new();
        // some blocks know few keys, some many, so that the memory fills and is given up
        let keys = [4, 12, 90, 2000][round % 4];
        let templates: Vec<Vec<String>> = (0..3)
            .map(|_| (0..1 + below(if keys == 90 { 80 } else { 9 })).map(|_| key(below(keys))).collect())
            .collect();
        for _ in 0..30 {
            let mut line = Vec::new();
            object(&mut line, &templates, keys, 4, &mut below);
            let from = block.len();
            block.extend_from_slice(&line);
            block.push(b'\n');
            assert!(plain::scan(&mut scanners[0].1, &block, from).is_ok(), "{}", String::from_utf8_lossy(&line));
            duplicates += usize::from(scanners[0].1.notes.duplicate.is_some());
            lines += 1;
        }
        agree(&mut scanners, &block);
    }
    assert!(
        duplicates * 10 > lines && duplicates * 10 < lines * 9,
        "{duplicates} of {lines} lines have duplicate keys"
    );
}

fn key(n: usize) -> String {
    match n % 11 {
        0 => format!("message{}", n / 11),
        1 => format!("a rather long key, longer than is kept {n}"),
        2 => format!("é{n}"),
        3 => ["type", "id", "message", "content", "role", ""][n / 11 % 6].to_string(),
        _ => format!("k{n}"),
    }
}

fn object(
    out: &mut Vec<u8>,
    templates: &[Vec<String>],
    keys: usize,
    depth: usize,
    below: &mut impl FnMut(usize) -> usize,
) {
    let template = &templates[below(templates.len())];
    out.push(b'{');
    let mut first = true;
    for name in template {
        // left out, put in, or written in another way, now and then
        let (name, times) = match below(60) {
            0 => (name.clone(), 0),
            1 => (name.clone(), 2),
            2 => (key(below(keys)), 1),
            _ => (name.clone(), 1),
        };
        for _ in 0..times {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            let space = if below(40) == 0 { " " } else { "" };
            let written = match name.chars().next() {
                Some(c) if below(40) == 0 => format!("\\u{:04x}{}", c as u32, &name[c.len_utf8()..]),
                _ => name.clone(),
            };
            out.extend_from_slice(format!("{space}\"{written}\"{space}:{space}").as_bytes());
            // wide objects are not deep
            let deep = depth > 0 && (template.len() < 12 || below(12) == 0);
            match below(if deep { 7 } else { 4 }) {
                0 => out.extend_from_slice(b"1"),
                1 => out.extend_from_slice(b"\"text with \\\" and \\\\\""),
                2 => out.extend_from_slice(b"[]"),
                3 => out.extend_from_slice(b"{}"),
                4 if out.len() < 4_000 => {
                    out.push(b'[');
                    object(out, templates, keys, depth - 1, below);
                    out.push(b',');
                    object(out, templates, keys, depth - 1, below);
                    out.push(b']');
                }
                _ if out.len() < 4_000 => object(out, templates, keys, depth - 1, below),
                _ => out.extend_from_slice(b"null"),
            }
        }
    }
    out.push(b'}');
}

fn seed_of_now() -> [u8; 32] {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let mut seed = [0; 32];
    seed[..16].copy_from_slice(&now.to_le_bytes());
    seed
}

/// What a mutation puts in: bytes and pieces that mean something to a scanner.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\t",
    b"\r",
    b"\0",
    b"\x1f",
    b"0",
    b"-",
    b"1e5",
    b"1.",
    b"\\n",
    b"\\\"",
    b"\\\\",
    b"\\u00e9",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\\u12",
    b"\\x",
    b"true",
    b"null",
    b"fals",
    "é".as_bytes(),
    b"\xff",
    b"\xe2\x80\xa8",
    b"\"id\":1,",
    b"\"\\u0069d\":2,",
    b"\"message\":{\"content\":[{\"a\":1}]},",
    b"\"content\":[],",
    b"[[[[",
    b"12345678901234567890",
    b"0.1000000000000000055",
    b"4503599627370497.5",
];

fn mutate(line: &mut Vec<u8>, lines: &[Vec<u8>], below: &mut impl FnMut(usize) -> usize) {
    let at = below(line.len() + 1);
    match below(5) {
        0 => drop(line.splice(at..at, PIECES[below(PIECES.len())].iter().copied())),
        1 if at < line.len() => line[at] = PIECES[below(PIECES.len())][0],
        2 => drop(line.drain(at..(at + 1 + below(4)).min(line.len()))),
        3 => {
            let other = &lines[below(lines.len())];
            let from = below(other.len());
            let to = (from + below(60)).min(other.len());
            line.splice(at..at, other[from..to].iter().copied());
        }
        _ if below(8) == 0 => line.truncate(at),
        _ => {
            // most of the time the line stays whole: another digit or letter
            if let Some(byte) = line.get_mut(at).filter(|byte| byte.is_ascii_alphanumeric()) {
                *byte = if byte.is_ascii_digit() { b'7' } else { b'u' };
            }
        }
    }
    line.retain(|&byte| byte != b'\n');
}

/// What serde_json says; it looks neither at surrogates nor, in strings that are ignored, at UTF-8.
fn is_valid(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

fn scans_whole(scanner: &mut Scanner, line: &[u8]) -> bool {
    scanner.scan(line, 0).is_ok_and(|value| sesstool::json::skip_space(line, value.span.end) == line.len())
}

/// Real sessions and small damaged ones, where they lie beside the project.
#[test]
fn lines_beside_the_project() {
    let mut scanners = Scanner::each_kernel();
    for folder in ["cases/inputs", "corpus"] {
        for line in lines_of(&root().join("../shared").join(folder)) {
            let places = if line.len() > 2048 { 1 } else { 70 };
            for place in 0..places {
                let mut block = vec![b' '; place];
                block.extend_from_slice(&line);
                block.push(b'\n');
                block.extend_from_slice(GOOD);
                agree(&mut scanners, &block);
            }
        }
    }
}
