//! Lines that are hard on a scanner, each kind in its own way; made from a fixed seed.

/// How many bytes of each kind.
const SIZE: usize = 48 << 20;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    fn word(&mut self, most: u64) -> String {
        (0..=self.below(most)).map(|_| *self.pick(b"abcdefghijklmnopqrstuvwxyz0123456789 ") as char).collect()
    }
}

/// Every kind by name.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let kinds: [(&str, fn(&mut Random) -> String); 12] = [
        ("one-digit numbers", |r| list(r, 600, |r| r.below(10).to_string())),
        ("numbers of random shape", |r| list(r, 100, number)),
        ("random short strings", |r| list(r, 120, |r| format!("\"{}\"", r.word(14)))),
        ("random small objects", |r| list(r, 60, object)),
        ("escape-heavy strings", |r| {
            list(r, 20, |r| format!("\"{}\"", r#"\n\t\\\"a\\n"#.repeat(r.below(20) as usize)))
        }),
        ("unicode escapes", |r| {
            list(r, 20, |r| format!("\"{}\"", r"\u00e9\ud83d\ude00x".repeat(r.below(12) as usize)))
        }),
        ("deep nesting", nest),
        ("60-byte lines", |r| {
            format!(r#"{{"id":"{:08x}","type":"custom","n":{:06}}}"#, r.next() as u32, r.below(1_000_000))
        }),
        ("CJK text", |r| list(r, 6, |r| format!("\"{}\"", "記録の破損を調べる".repeat(20 + r.below(20) as usize)))),
        ("base64", |r| {
            format!(
                "[\"{}\"]",
                (0..20_000).map(|_| *r.pick(b"ABCDEFGHIJabcdefghij0123456789+/") as char).collect::<String>()
            )
        }),
        ("JSON of many shapes", |r| list(r, 40, |r| value(r, 4))),
        ("every line broken", |r| {
            let mut line = list(r, 40, |r| value(r, 3));
            let at = r.below(line.len() as u64) as usize;
            line.insert(at, *r.pick(&['}', ',', '\u{1}', '"', 'x']));
            line
        }),
    ];
    let make = |(name, kind): (&str, fn(&mut Random) -> String)| {
        let mut random = Random(0x5E55_700C);
        let mut bytes = Vec::with_capacity(SIZE + (1 << 16));
        while bytes.len() < SIZE {
            bytes.extend_from_slice(kind(&mut random).as_bytes());
            bytes.push(b'\n');
        }
        (name.to_string(), bytes)
    };
    kinds.into_iter().map(make).collect()
}

fn list(random: &mut Random, most: u64, item: fn(&mut Random) -> String) -> String {
    let items: Vec<String> = (0..=random.below(most)).map(|_| item(random)).collect();
    format!("[{}]", items.join(","))
}

fn number(random: &mut Random) -> String {
    let digits = random.below(8) as u32 + 1;
    let whole = random.below(10_u64.pow(digits));
    match random.below(4) {
        0 => format!("-{whole}"),
        1 => format!("{whole}.{}", random.below(100_000)),
        2 => format!("{}.{}e{}", whole % 10, random.below(1000), random.below(20)),
        _ => whole.to_string(),
    }
}

fn object(random: &mut Random) -> String {
    let members: Vec<String> =
        (0..random.below(5)).map(|n| format!("\"{}{n}\":{}", random.word(6), number(random))).collect();
    format!("{{{}}}", members.join(","))
}

fn value(random: &mut Random, depth: u64) -> String {
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => number(random),
        1 => format!("\"{}\"", random.word(30)),
        2 => random.pick(&["true", "false", "null"]).to_string(),
        3 => format!("\"{}\\n{}\"", random.word(10), random.word(10)),
        4 => {
            let items: Vec<String> = (0..random.below(5)).map(|_| value(random, depth - 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let members: Vec<String> = (0..random.below(5))
                .map(|n| format!("\"{}{n}\":{}", random.word(8), value(random, depth - 1)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// Brackets of random kinds, 900 deep.
fn nest(random: &mut Random) -> String {
    let mut open = String::new();
    let mut close = Vec::new();
    for _ in 0..900 {
        match random.below(2) {
            0 => {
                open.push('[');
                close.push(']');
            }
            _ => {
                open.push_str("{\"k\":");
                close.push('}');
            }
        }
    }
    open.push('1');
    open.extend(close.into_iter().rev());
    open
}
