use super::*;

fn oracle(bytes: &[u8]) -> bool {
    // serde_json's depth limit and surrogate check differ from JavaScript; IgnoredAny has neither surrogates nor UTF-8 in view
    let mut de = serde_json::Deserializer::from_slice(bytes);
    serde::de::Deserialize::deserialize(&mut de).map(|_: serde::de::IgnoredAny| ()).and_then(|()| de.end()).is_ok()
}

fn ours(bytes: &[u8]) -> bool {
    let mut scanner = Scanner::new();
    scanner.scan(bytes, 0).is_ok_and(|v| skip_space(bytes, v.span.end) == bytes.len())
}

const CASES: &[&str] = &[
    "{}",
    "[]",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.5",
    "1e5",
    "1E+5",
    "-1e-5",
    "\"\"",
    "\"a\\n\"",
    "\"\\u00e9\"",
    "{\"a\":1}",
    "{\"a\":[1,{\"b\":null}],\"c\":\"}{\"}",
    " { \"a\" : 1 , \"b\" : [ ] } ",
    "[1,2,3]",
    "[[[[]]]]",
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    "{]",
    "[}",
    "01",
    "1.",
    ".5",
    "-",
    "+1",
    "1e",
    "1e+",
    "tru",
    "truex",
    "nul",
    "NaN",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,}",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\":1 \"b\":2}",
    "{a:1}",
    "{'a':1}",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"a",
    "\"a\\",
    "\"a\tb\"",
    "1\"a\"",
    "{}{}",
    "null null",
    "\u{feff}{}",
    "\u{a0}1",
];

#[test]
fn agrees_with_serde_json_on_what_is_valid() {
    for case in CASES {
        assert_eq!(ours(case.as_bytes()), oracle(case.as_bytes()), "{case:?}");
    }
}

#[test]
fn every_prefix_of_a_valid_value_is_truncated_and_nothing_else() {
    let text = r#"{"type":"message","id":"a\u00e9\n","message":{"role":"user","content":[{"type":"text","text":"é}{"},-1.5e+10,true,null]}}"#;
    let mut scanner = Scanner::new();
    for cut in 0..text.len() {
        let fail = scanner.scan(&text.as_bytes()[..cut], 0).expect_err("a prefix is no value");
        assert_eq!((fail.reason, fail.at), (Reason::Truncated, cut), "cut at {cut}");
    }
    assert_eq!(scanner.scan(text.as_bytes(), 0).expect("valid").span, 0..text.len());
}

#[test]
fn members_of_the_three_levels_are_found() {
    let text = br#"{"\u0074ype":"message","message":{"role":"x","content":[1]},"message":{"role":"user","content":[{"type":"text"},{"id":"c"}]}}"#;
    let mut scanner = Scanner::new();
    scanner.scan(text, 0).expect("valid");
    let kind = get(&scanner.top, text, b"type").expect("an escaped key is the same key");
    assert_eq!(&text[kind.value.clone()], b"\"message\"");
    let role = get(&scanner.inner, text, b"role").expect("the last message counts");
    assert_eq!(&text[role.value.clone()], b"\"user\"");
    assert_eq!(scanner.blocks.len(), 2);
    let members: Vec<_> = scanner.blocks_with_members().map(|(_, members)| members.len()).collect();
    assert_eq!(members, [1, 1]);
    assert_eq!(&text[scanner.block_members[1].value.clone()], b"\"c\"");
    assert_eq!(scanner.notes.duplicates, 1);
}

#[test]
fn duplicate_keys_are_found_at_any_depth_and_number() {
    let dup = |text: &str| {
        let mut scanner = Scanner::new();
        scanner.scan(text.as_bytes(), 0).expect("valid");
        scanner.notes.duplicates
    };
    assert_eq!(dup(r#"{"a":1,"b":2,"a":3}"#), 1);
    assert_eq!(dup(r#"{"a":1,"\u0061":3}"#), 1);
    assert_eq!(dup(r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#), 0);
    assert_eq!(dup(r#"{"x":[{"k":1,"k":2}],"y":{"k":1}}"#), 1);
    let many: Vec<String> = (0..5000).map(|n| format!("\"k{n}\":{n}")).collect();
    assert_eq!(dup(&format!("{{{}}}", many.join(","))), 0);
    assert_eq!(dup(&format!("{{{},\"k7\":1,\"o\":{{\"k7\":1,\"k7\":2}},\"k4999\":2}}", many.join(","))), 3);
}

#[test]
fn lone_surrogates_are_told_and_pairs_are_not() {
    let lone = |text: &str| {
        let mut scanner = Scanner::new();
        scanner.scan(text.as_bytes(), 0).expect("valid");
        scanner.notes.lone_surrogates
    };
    assert_eq!(lone(r#""X\ud83dY""#), 1);
    assert_eq!(lone(r#""X\udd11Y""#), 1);
    assert_eq!(lone(r#""X\udd11\ud83dY""#), 2);
    assert_eq!(lone(r#""X\ud83d\udd11Y""#), 0);
    assert_eq!(lone(r#""X\uD83D\u0041Y""#), 1);
    assert_eq!(lone(r#""\\ud83d""#), 0);
    assert_eq!(lone(r#"{"K\udc00":1}"#), 1);
}

#[test]
fn numbers_that_a_double_changes_are_told() {
    let inexact = |text: &str| {
        let mut scanner = Scanner::new();
        scanner.scan(text.as_bytes(), 0).expect("valid");
        scanner.notes.inexacts
    };
    for exact in [
        "1",
        "1.0",
        "-0",
        "1E2",
        "0.1",
        "123456789012345",
        "9007199254740992",
        "0.14400000000000002",
        "1e300",
        "100000000000000000000",
        "0e999999",
        "1.50000000000000000000",
    ] {
        assert_eq!(inexact(exact), 0, "{exact}");
    }
    for changed in ["12345678901234567890", "1e400", "-1e400", "9007199254740993", "0.1000000000000000000001", "1e-400"]
    {
        assert_eq!(inexact(changed), 1, "{changed}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let mut scanner = Scanner::new();
    scanner.scan(deep.as_bytes(), 0).expect("valid");
    assert_eq!(scanner.notes.depth, 100_000);
}

/// A string scan that looks at every byte: the end, or where it fails.
fn plain_string(bytes: &[u8]) -> Result<usize, (usize, Reason)> {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None => return Err((bytes.len(), Reason::Truncated)),
            Some(b'"') => return Ok(at + 1),
            Some(0..=0x1F) => return Err((at, Reason::ControlCharacter)),
            Some(b'\\') => match bytes.get(at + 1) {
                None => return Err((bytes.len(), Reason::Truncated)),
                Some(b'u') => {
                    let digits = bytes[at + 2..].iter().take(4).take_while(|b| b.is_ascii_hexdigit()).count();
                    match at + 2 + digits {
                        _ if digits == 4 => at += 6,
                        bad if bad < bytes.len() => return Err((bad, Reason::BadEscape)),
                        _ => return Err((bytes.len(), Reason::Truncated)),
                    }
                }
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(_) => return Err((at + 1, Reason::BadEscape)),
            },
            Some(_) => at += 1,
        }
    }
}

#[test]
fn strings_agree_with_a_plain_loop_at_every_place_of_a_block() {
    let parts: [&[u8]; 12] = [
        b"\"",
        b"\\",
        b"\\\\",
        b"\\\"",
        b"\\u00e9",
        b"\\u0",
        b"\\x",
        b"\0",
        b"\x1f",
        "é".as_bytes(),
        b"\\n",
        b"\\ud83d\\ude00",
    ];
    for place in 0..140 {
        for first in parts {
            for second in parts {
                let mut bytes = vec![b'"'];
                bytes.extend(std::iter::repeat_n(b'a', place));
                bytes.extend_from_slice(first);
                bytes.extend_from_slice(second);
                bytes.extend_from_slice(b"bc\"");
                for end in [bytes.len(), bytes.len() - 1, bytes.len() - 3] {
                    let bytes = &bytes[..end];
                    for (_, mut scanner) in Scanner::each_kernel() {
                        let ours = scanner.scan(bytes, 0).map(|v| v.span.end).map_err(|f| (f.at, f.reason));
                        assert_eq!(ours, plain_string(bytes), "{:?}", String::from_utf8_lossy(bytes));
                        if let Ok(end) = ours {
                            assert_eq!(scanner.notes.non_ascii, !bytes[..end].is_ascii());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn decoding_keeps_halves_of_pairs_apart() {
    assert_eq!(&*text::decode(br"a\n\u00e9\ud83d\ude00"), "a\né😀".as_bytes());
    assert_ne!(text::decode(br"\ud83d"), text::decode(br"\ud83e"));
    assert_eq!(text::to_text(br"x\ud83dy"), "x\u{fffd}\u{fffd}\u{fffd}y");
}

/// What is guessed about numbers of many digits is what reading them says: near doubles, and anywhere.
#[test]
fn a_number_that_is_guessed_to_survive_does() {
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        // xorshift
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut buffer = zmij::Buffer::new();
    let mut guessed = 0;
    for round in 0..40_000 {
        let double = match next() % 4 {
            // at powers of two the doubles on both sides are not equally far
            0 => f64::from_bits(((1023 - next() % 30) << 52).wrapping_add(next() % 5).wrapping_sub(2)),
            1 => (next() % 100_000) as f64 * 1e-6 + (next() % 1000) as f64 * 3e-7,
            _ => (next() >> 11) as f64 / 10f64.powi(i32::try_from(next() % 24).unwrap_or(0)),
        };
        let mut text = buffer.format_finite(double).as_bytes().to_vec();
        if text.contains(&b'e') {
            continue;
        }
        if round % 2 == 1 {
            // some digits are others, or more
            for _ in 0..=next() % 3 {
                let at = text.len() - 1 - (next() % 4).min(text.len() as u64 - 1) as usize;
                if text[at] != b'.' && at > 0 {
                    text[at] = b'0' + (next() % 10) as u8;
                }
            }
            text.extend((0..next() % 3).map(|_| b'7'));
        }
        let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
        if number::is_shortest(&text, point) {
            guessed += 1;
            assert!(number::survives(&text), "{}", String::from_utf8_lossy(&text));
        } else if round % 2 == 0 && point > 1 && text.len() < 20 {
            // most are: otherwise guessing would be in vain
            guessed -= 1;
        }
    }
    assert!(guessed > 10_000, "{guessed}");
}

#[test]
fn a_key_is_found_however_it_is_spelled() {
    let names = ["id", "type", "message", "parentId", "firstKeptEntryId", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa"];
    for name in names {
        for at in 0..name.len() {
            let escape = format!("\\u{:04x}", name.as_bytes()[at]);
            for space in ["", " "] {
                let line = format!("{{\"{}{escape}{}\"{space}:1}}", &name[..at], &name[at + 1..]);
                let mut scanner = Scanner::new();
                // more than once: what was learned counts as well
                for _ in 0..5 {
                    scanner.scan(line.as_bytes(), 0).expect("a value");
                    for other in names {
                        let found = get(&scanner.top, line.as_bytes(), other.as_bytes());
                        assert_eq!(found.is_some(), other == name, "{line} as {other}");
                    }
                }
            }
        }
    }
}
