//! Numbers: their grammar, and whether a double holds them.

/// A number that was scanned.
pub(super) struct Number {
    /// The offset behind it.
    pub(super) end: usize,
    /// Whether it has so many digits, or an exponent, that [`survives`] has to look at it.
    pub(super) doubtful: bool,
}

/// The end of the number at `at` if it is one of at most seven digits and nothing else, as counters are, and a
/// comma or a bracket ends it.
#[inline(always)]
pub(super) fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let chunk = u64::from_le_bytes(*bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)?);
    let bits = others(chunk).trailing_zeros() & !7;
    // no digit at all, or eight of them
    let next = chunk.checked_shr(bits).filter(|_| bits > 0)? as u8;
    let leads_with_zero = chunk as u8 == b'0' && bits > 8;
    (matches!(next, b',' | b'}' | b']') && !leads_with_zero).then_some(at + bits as usize / 8)
}

/// The high bits of those of eight bytes that are no digits: a digit less '0' is at most 9, so that 0x76 more
/// does not reach the high bit.
#[inline(always)]
fn others(chunk: u64) -> u64 {
    let values = chunk ^ 0x3030_3030_3030_3030;
    (((values & 0x7F7F_7F7F_7F7F_7F7F) + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// Scans the number at `at`; the offset of the offending byte (or the end) where none stands there.
pub(super) fn scan(bytes: &[u8], at: usize) -> Result<Number, usize> {
    let mut i = at + usize::from(bytes[at] == b'-');
    let start = i;
    match bytes.get(i) {
        Some(b'0') => i += 1,
        Some(b'1'..=b'9') => i = digits(bytes, i),
        _ => return Err(i.min(bytes.len())),
    }
    if bytes.get(i) == Some(&b'.') {
        let from = i + 1;
        i = digits(bytes, from);
        if i == from {
            return Err(i);
        }
    }
    let length = i - start;
    let mut exponent = false;
    if let Some(b'e' | b'E') = bytes.get(i) {
        exponent = true;
        i += 1;
        if let Some(b'+' | b'-') = bytes.get(i) {
            i += 1;
        }
        let from = i;
        i = digits(bytes, from);
        if i == from {
            return Err(i);
        }
    }
    // any 15 significant digits come back from a double as they were
    Ok(Number { end: i, doubtful: length > 15 || exponent })
}

/// The offset of the first byte from `at` on that is no digit.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    // eight at a time
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let others = others(u64::from_le_bytes(*chunk));
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Whether the number is worth the same after `JSON.parse` and `JSON.stringify`. `1.0` and `1E2`
/// are (only their spelling changes), `12345678901234567890` and `1e400` are not.
pub(super) fn survives(text: &[u8]) -> bool {
    if is_short(text) {
        return true;
    }
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Ok(double) = text.parse::<f64>() else { return false };
    if !double.is_finite() {
        return false;
    }
    let mut buffer = zmij::Buffer::new();
    let shortest = buffer.format(double);
    // what a program has printed is nearly always spelled like this
    shortest == text || decimal(text).is_some_and(|value| Some(value) == decimal(shortest))
}

/// What a number is worth to JavaScript, in decimal: the digits of the double's shortest form without
/// outer zeros (negative for a negative number), and the exponent of the last one. `None` where it is beyond
/// a double.
pub fn worth(text: &[u8]) -> Option<(i64, i64)> {
    let text = std::str::from_utf8(text).ok()?;
    // any 15 significant digits come back from a double as they were
    let plain = text.len() <= 15 && !text.contains(['e', 'E']);
    let (digits, exponent) = match decimal(text).filter(|_| plain) {
        Some(value) => value,
        None => {
            let double: f64 = text.parse().ok().filter(|d: &f64| d.is_finite())?;
            decimal(zmij::Buffer::new().format_finite(double))?
        }
    };
    // fewer than 18 digits
    let digits = digits as i64;
    Some((if text.starts_with('-') { -digits } else { digits }, exponent))
}

/// Whether a number has so few significant digits that a double keeps them. Below 2^52 they, as a whole
/// number, lie farther apart than the doubles there, so that no other number of as many digits means
/// the same double.
fn is_short(text: &[u8]) -> bool {
    let mut digits = 0u64;
    let mut bytes = text.iter();
    for byte in bytes.by_ref() {
        match byte {
            b'0'..=b'9' if digits < 1 << 52 => digits = digits * 10 + u64::from(byte - b'0'),
            b'.' | b'-' => {}
            b'e' | b'E' => break,
            _ => return false,
        }
    }
    // far from where doubles end or thin out
    digits < 1 << 52 && text.len() < 100 && matches!(bytes.as_slice(), [] | [_] | [_, _] | [b'+' | b'-', _, _])
}

/// The significant digits without outer zeros, and the exponent of the last one; `None` for more
/// than the 17 digits that a double's shortest form can have.
fn decimal(text: &str) -> Option<(u64, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (mut digits, mut place) = (0u64, 0i64);
    let mut zeros = 0;
    let mut fraction = false;
    for byte in mantissa.bytes() {
        match byte {
            b'.' => fraction = true,
            b'0' if digits == 0 => place -= i64::from(fraction),
            b'0'..=b'9' => {
                place -= i64::from(fraction);
                if byte == b'0' {
                    zeros += 1;
                    continue;
                }
                for _ in 0..zeros {
                    digits = digits.checked_mul(10)?;
                }
                zeros = 0;
                digits = digits.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            }
            _ => {}
        }
    }
    if digits == 0 {
        return Some((0, 0));
    }
    // an exponent beyond i64 never gets here as a finite, non-zero double
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
    (digits < 100_000_000_000_000_000).then_some((digits, exponent.saturating_add(place + zeros)))
}
