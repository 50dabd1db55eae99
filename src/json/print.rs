//! A fingerprint of what a value says, whatever it looks like.

use super::text;
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};

/// An open object or array.
struct Level {
    object: bool,
    /// What stands in it so far: a sum in an object, whose order says nothing, a chain in an array.
    sum: u64,
    count: u64,
    /// The key that was read last.
    key: u64,
    /// Whether its value comes next.
    keyed: bool,
    /// Whether the value of that key does not count.
    skipped: bool,
}

/// Makes fingerprints: two values have the same one if they differ in nothing but white space, the order of
/// members, escapes, or the spelling of numbers. Only those of one seed can be compared.
pub struct Printer {
    state: FixedState,
    levels: Vec<Level>,
}

impl Printer {
    /// A printer with this seed.
    pub fn new(seed: u64) -> Self {
        Printer { state: FixedState::with_seed(seed), levels: Vec::new() }
    }

    /// The fingerprint of the value that begins at `start`, which must be valid JSON; of bytes that are none
    /// it means nothing. Members of the outermost object named in `without` do not count.
    pub fn print(&mut self, bytes: &[u8], start: usize, without: &[&[u8]]) -> u64 {
        self.levels.clear();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            let mut done = None;
            let from = at;
            at += 1;
            match byte {
                b'{' | b'[' => self.levels.push(Level {
                    object: byte == b'{',
                    sum: 0,
                    count: 0,
                    key: 0,
                    keyed: false,
                    skipped: false,
                }),
                b'}' | b']' => {
                    done = self.levels.pop().map(|level| self.hash(byte, &[level.sum, level.count]));
                }
                b'"' => {
                    let end = string_end(bytes, at);
                    let text = text::decode(&bytes[at..end]);
                    at = end + 1;
                    let print = self.state.hash_one(&*text);
                    let outermost = self.levels.len() == 1;
                    match self.levels.last_mut() {
                        Some(level) if level.object && !level.keyed => {
                            level.key = print;
                            level.skipped = outermost && without.contains(&&*text);
                        }
                        _ => done = Some(self.hash(byte, &[print])),
                    }
                }
                b':' => self.levels.last_mut().into_iter().for_each(|level| level.keyed = true),
                b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => {
                    while bytes.get(at).is_some_and(|b| !matches!(b, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
                    {
                        at += 1;
                    }
                    done = Some(self.scalar(&bytes[from..at]));
                }
            }
            if let Some(print) = done.and_then(|print| self.deliver(print)) {
                return print;
            }
        }
        0
    }

    /// Puts a value where it belongs; hands it back if that is nowhere.
    fn deliver(&mut self, print: u64) -> Option<u64> {
        let Some(&Level { object, sum, key, .. }) = self.levels.last() else { return Some(print) };
        let mixed = if object { self.hash(b':', &[key, print]) } else { self.hash(b',', &[sum, print]) };
        if let Some(level) = self.levels.last_mut() {
            level.keyed = false;
            if !std::mem::take(&mut level.skipped) {
                level.sum = if object { sum.wrapping_add(mixed) } else { mixed };
                level.count += 1;
            }
        }
        None
    }

    /// A number, by its value as a double, or a word.
    fn scalar(&self, text: &[u8]) -> u64 {
        match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(number) => self.hash(b'0', &[(number + 0.0).to_bits()]),
            _ => self.state.hash_one(text),
        }
    }

    fn hash(&self, tag: u8, parts: &[u64]) -> u64 {
        let mut hasher = self.state.build_hasher();
        hasher.write_u8(tag);
        parts.iter().for_each(|part| hasher.write_u64(*part));
        hasher.finish()
    }
}

/// Where the closing quote of a string stands whose text begins at `from`; the end if there is none.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at.min(bytes.len())..]) {
        at += found;
        if bytes[at] == b'"' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(text: &str) -> u64 {
        Printer::new(1).print(text.as_bytes(), 0, &[])
    }

    #[test]
    fn the_looks_do_not_count() {
        let plain = r#"{"a":[1,{"b":"x/y"},null],"c":"é","d":{}}"#;
        for other in [
            r#"{"c":"\u00e9","a":[1,{"b":"x\/y"},null],"d":{}}"#,
            "  {\t\"\\u0061\" : [ 1.0 , {\"b\":\"x/y\"}\r, null ],\"d\": {},\n\"c\":\"é\"} ",
            r#"{"d":{},"a":[10e-1,{"b":"x/y"},null],"c":"é"}"#,
        ] {
            assert_eq!(print(plain), print(other), "{other}");
        }
    }

    #[test]
    fn what_it_says_counts() {
        let all = [
            "{}",
            "[]",
            "\"\"",
            "0",
            "null",
            "true",
            "false",
            "\"null\"",
            "\"0\"",
            "[[]]",
            "[{}]",
            "{\"\":{}}",
            "[1,2]",
            "[2,1]",
            "[1,[2]]",
            "[[1],2]",
            "[12]",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":2,"b":1}"#,
            r#"["a",1]"#,
            "-1",
            "1e400",
        ];
        let mut prints: Vec<u64> = all.iter().map(|text| print(text)).collect();
        prints.sort_unstable();
        prints.dedup();
        assert_eq!(prints.len(), all.len());
    }

    #[test]
    fn members_can_be_left_out() {
        let without = |text: &str| Printer::new(1).print(text.as_bytes(), 0, &[b"id", b"parentId"]);
        let plain = without(r#"{"a":{"id":1}}"#);
        assert_eq!(plain, without(r#"{"id":"x","a":{"id":1},"parentId":{"deep":[1]}}"#));
        assert_eq!(plain, without(r#"{"\u0069d":"x","a":{"id":1}}"#));
        assert_ne!(plain, without(r#"{"a":{}}"#));
        assert_eq!(print(r#"{"a":{"id":1}}"#), plain);
    }

    /// JSON values of all kinds, a few levels deep.
    fn values() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i32>().prop_map(Into::into),
            any::<f64>().prop_filter("no whole number", |n| n.fract() != 0.0 && n.is_finite()).prop_map(Into::into),
            "[ -~é\u{0}-\u{1f}\u{1F600}]{0,6}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                proptest::collection::btree_map("[a-c\"\\\\é]{0,2}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    /// The value with its members the other way round, blanks everywhere, and what can be escaped escaped.
    fn written_oddly(value: &serde_json::Value) -> String {
        let string = |text: &str| {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            format!("\"{}\"", units.collect::<String>())
        };
        match value {
            serde_json::Value::String(text) => string(text),
            serde_json::Value::Array(list) => {
                format!("[ {}\t]", list.iter().map(written_oddly).collect::<Vec<_>>().join(" ,\r\n"))
            }
            serde_json::Value::Object(map) => {
                let members =
                    map.iter().rev().map(|(key, value)| format!("{} : {}", string(key), written_oddly(value)));
                format!("{{\n{} }}", members.collect::<Vec<_>>().join(" , "))
            }
            other => format!("{other} "),
        }
    }

    proptest! {
        #[test]
        fn equal_values_and_no_others(a in values(), b in values()) {
            prop_assert_eq!(print(&a.to_string()), print(&written_oddly(&a)));
            prop_assert_eq!(a == b, print(&a.to_string()) == print(&b.to_string()), "{} {}", a, b);
        }
    }

    #[test]
    fn any_bytes_whatever() {
        for odd in ["", "}", "\"", "\"\\", "{\"", "[,,", "]]]]", "{:{:", "nul", "{\"a\"\"b\":,"] {
            print(odd);
        }
        print(&"[".repeat(1_000_000));
        print(&"{\"a\":".repeat(1_000_000));
    }
}
