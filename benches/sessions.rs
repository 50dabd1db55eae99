//! The sessions that are measured, made from the fixtures.

use std::path::Path;

/// A healthy session of about `size` bytes: the turns of two fixtures, told again with new ids, and
/// some of the tool results as long as real ones are.
pub fn session(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + (1 << 16));
    let (header, turns) = fixture("good/healthy/everything.jsonl");
    let (_, plain) = fixture("good/healthy/plain.jsonl");
    bytes.extend_from_slice(header.as_bytes());
    for n in 0.. {
        let turn = if n % 4 == 0 { &turns } else { &plain };
        bytes.extend_from_slice(renamed(turn, n).as_bytes());
        bytes.extend_from_slice(long_result(n).as_bytes());
        if bytes.len() >= size {
            break;
        }
    }
    bytes
}

/// The header line of a fixture, and the rest.
fn fixture(name: &str) -> (String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    let text = std::fs::read_to_string(path).expect("a fixture");
    let (header, rest) = text.split_once('\n').expect("a header");
    (format!("{header}\n"), rest.to_string())
}

/// The entries with ids of their own: they end in `n`.
fn renamed(entries: &str, n: usize) -> String {
    let suffix = format!("{n:06}\"");
    let mut out = String::with_capacity(entries.len() + 4096);
    for line in entries.lines() {
        for (at, part) in line.split_inclusive('"').enumerate() {
            // an id of the fixtures is eight hexadecimal digits
            let is_id = at % 2 == 1 && part.len() == 9 && part[..8].bytes().all(|b| b.is_ascii_hexdigit());
            match is_id {
                true => {
                    out.push_str(&part[..8]);
                    out.push_str(&suffix);
                }
                false => out.push_str(part),
            }
        }
        out.push('\n');
    }
    out
}

/// An entry with a tool's output: text with escapes, a few kilobytes, sometimes many.
fn long_result(n: usize) -> String {
    let lines = if n.is_multiple_of(16) { 400 } else { 30 };
    let output = format!("src/parse/mod.rs:{n}:\\tlet \\\"name\\\" = Größe::from(input)?;\\n").repeat(lines);
    format!(
        concat!(
            r#"{{"type":"custom","id":"0c{n:06}","parentId":"6fb1d284{parent:06}","timestamp":"2026-03-14T09:30:00.000Z","#,
            r#""customType":"log","data":{{"output":"{output}","exitCode":0,"seconds":1.25}}}}"#,
            "\n"
        ),
        n = n,
        parent = n,
        output = output
    )
}
