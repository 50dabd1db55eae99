//! Strings: decoding them.

use super::Span;
use std::borrow::Cow;
use wide::u8x16;

/// Decodes the escapes of a string's raw bytes (without the quotes). Half a surrogate pair becomes
/// the three bytes that its code point would have (WTF-8), so that different halves stay different
/// as they do in JavaScript. Bytes that are no UTF-8 stay as they are.
pub fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
    match memchr::memchr(b'\\', raw) {
        Some(first) => Cow::Owned(decode_from(raw, first)),
        None => Cow::Borrowed(raw),
    }
}

/// As [`decode`], for a part of some bytes. Ids, times and names are so short that a call would cost more than a
/// look at what stands there.
#[inline]
pub fn decode_at(bytes: &[u8], span: Span) -> Cow<'_, [u8]> {
    let raw = &bytes[span.clone()];
    match bytes[span.start..].first_chunk::<32>() {
        Some(chunk) if raw.len() < 32 && backslashes(chunk) & ((1 << raw.len()) - 1) == 0 => Cow::Borrowed(raw),
        _ => decode(raw),
    }
}

/// Which of 32 bytes are backslashes, one bit a byte.
#[inline(always)]
fn backslashes(bytes: &[u8; 32]) -> u32 {
    let bits = |part: &[u8; 16]| u8x16::new(*part).simd_eq(u8x16::splat(b'\\')).to_bitmask() & 0xFFFF;
    let (halves, _) = bytes.as_chunks::<16>();
    halves.iter().rev().fold(0, |all, half| all << 16 | bits(half))
}

/// Decodes what has its first backslash there.
fn decode_from(raw: &[u8], first: usize) -> Vec<u8> {
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
    out
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
