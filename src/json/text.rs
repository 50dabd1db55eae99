//! Strings: finding their special bytes, decoding them.

use std::borrow::Cow;
use wide::u8x16;

/// How many bytes a [`Bits`] covers.
pub(super) const BLOCK: usize = 64;

/// Which of 64 bytes a string scan has to look at, one bit a byte.
pub(super) struct Bits {
    pub(super) quote: u64,
    pub(super) slash: u64,
    /// Control characters; also what lies behind the end of the bytes.
    pub(super) control: u64,
    /// Bytes above 0x7F.
    pub(super) high: u64,
}

impl Bits {
    /// The bytes from `at` on.
    #[inline]
    pub(super) fn at(bytes: &[u8], at: usize) -> Bits {
        match bytes.get(at..at + BLOCK) {
            Some(chunk) => Bits::of(chunk.try_into().expect("a slice of 64 bytes")),
            None => {
                let rest = bytes.get(at..).unwrap_or_default();
                let mut padded = [0; BLOCK];
                padded[..rest.len()].copy_from_slice(rest);
                Bits::of(&padded)
            }
        }
    }

    #[inline]
    fn of(bytes: &[u8; BLOCK]) -> Bits {
        let mut block = Bits { quote: 0, slash: 0, control: 0, high: 0 };
        for (n, part) in bytes.chunks_exact(16).enumerate() {
            let part = u8x16::new(part.try_into().expect("a slice of 16 bytes"));
            let bits = |lanes: u8x16| u64::from(lanes.to_bitmask() & 0xFFFF) << (16 * n);
            block.quote |= bits(part.simd_eq(u8x16::splat(b'"')));
            block.slash |= bits(part.simd_eq(u8x16::splat(b'\\')));
            block.control |= bits(part.min(u8x16::splat(0x1F)).simd_eq(part));
            block.high |= bits(part);
        }
        block
    }
}

/// The letters that make an escape with a backslash, `u` left out. A table: a string of many
/// escapes costs less by look-up than by branch.
pub(super) static SIMPLE_ESCAPES: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"\"\\/bfnrt";
    let mut n = 0;
    while n < letters.len() {
        table[letters[n] as usize] = true;
        n += 1;
    }
    table
};

/// The bits below bit `n`.
#[inline]
pub(super) fn below(n: u32) -> u64 {
    if n < 64 { (1 << n) - 1 } else { !0 }
}

/// Decodes the escapes of a string's raw bytes (without the quotes). Half a surrogate pair becomes
/// the three bytes that its code point would have (WTF-8), so that different halves stay different
/// as they do in JavaScript. Bytes that are no UTF-8 stay as they are.
pub fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', raw) else {
        return Cow::Borrowed(raw);
    };
    let mut out = Vec::with_capacity(raw.len());
    out.extend_from_slice(&raw[..first]);
    let mut at = first;
    while at < raw.len() {
        let byte = raw[at];
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let letter = raw.get(at + 1).copied().unwrap_or(b'\\');
        at += 2;
        match letter {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let Some(high) = unit(raw, at) else { continue };
                at += 4;
                let mut point = high as u32;
                if (0xD800..=0xDBFF).contains(&high)
                    && raw.get(at..at + 2) == Some(b"\\u")
                    && let Some(low @ 0xDC00..=0xDFFF) = unit(raw, at + 2)
                {
                    point = 0x10000 + ((high as u32 - 0xD800) << 10) + (low as u32 - 0xDC00);
                    at += 6;
                }
                push_point(&mut out, point);
            }
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

fn unit(raw: &[u8], at: usize) -> Option<u16> {
    let digits = raw.get(at..at + 4)?;
    digits.iter().try_fold(0u16, |acc, &d| Some(acc << 4 | (d as char).to_digit(16)? as u16))
}

fn push_point(out: &mut Vec<u8>, point: u32) {
    match char::from_u32(point) {
        Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        None => out.extend([0xE0 | (point >> 12) as u8, 0x80 | (point >> 6 & 0x3F) as u8, 0x80 | (point & 0x3F) as u8]),
    }
}

/// A decoded string as text: bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD.
pub fn to_text(raw: &[u8]) -> String {
    String::from_utf8_lossy(&decode(raw)).into_owned()
}

/// A decoded string as JSON. Bytes that are no UTF-8 become U+FFFD, and so does half a surrogate pair.
pub fn to_json(text: &[u8]) -> String {
    serde_json::Value::from(String::from_utf8_lossy(text)).to_string()
}
