//! Numbers: their grammar, and whether a double holds them.

use super::kernel::Look;
use super::walk::{chunk, never};

/// A number that was scanned.
#[derive(Clone, Copy)]
pub(super) struct Number {
    /// The offset behind it.
    pub(super) end: usize,
    /// Whether it has so many digits, or so large an exponent, that [`survives`] has to look at it.
    pub(super) doubtful: bool,
    /// Where its point is, or would be, if [`is_shortest`] can be asked.
    pub(super) point: Option<usize>,
}

/// The number at `at` if it is one of at most 31 digits and a point, as nearly all are, and a comma or a bracket
/// ends it. `first` is its first byte.
#[inline(always)]
pub(super) fn plain<K: Look>(kernel: K, bytes: &[u8], at: usize, first: u8) -> Option<Number> {
    let chunk = chunk::<32>(bytes, at)?;
    // a bit for each byte that is no digit
    let mut others = !kernel.digits(chunk);
    if others & 1 != 0 || first == b'0' && others & 2 == 0 {
        return never();
    }
    let point = others.trailing_zeros() as usize;
    let mut end = point;
    let mut next = *chunk.get(end)?;
    if next == b'.' {
        others &= others - 1;
        end = others.trailing_zeros() as usize;
        if end == point + 1 {
            return None;
        }
        next = *chunk.get(end)?;
    }
    let is_number = matches!(next, b',' | b'}' | b']');
    is_number.then_some(Number { end: at + end, doubtful: end > 15, point: Some(at + point) })
}

/// The high bits of those of eight bytes that are no digits: a digit less '0' is at most 9.
#[inline(always)]
fn others(chunk: u64) -> u64 {
    beyond_nine(chunk ^ 0x3030_3030_3030_3030)
}

/// The high bits of those of eight bytes that are more than 9: 0x76 more does not bring the others there.
#[inline(always)]
pub(crate) fn beyond_nine(values: u64) -> u64 {
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
    let point = i;
    let mut plain = start == at;
    if bytes.get(i) == Some(&b'.') {
        let from = i + 1;
        i = digits(bytes, from);
        if i == from {
            return Err(i);
        }
    }
    let length = i - start;
    // any 15 significant digits come back from a double as they were, far from where doubles end
    let mut doubtful = length > 15;
    if let Some(b'e' | b'E') = bytes.get(i) {
        i += 1;
        plain = false;
        if let Some(b'+' | b'-') = bytes.get(i) {
            i += 1;
        }
        let from = i;
        i = digits(bytes, from);
        if i == from {
            return Err(i);
        }
        doubtful |= i - from > 2;
    }
    Ok(Number { end: i, doubtful, point: plain.then_some(point) })
}

/// The offset of the first byte from `at` on that is no digit.
#[inline(always)]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    // eight at a time
    while let Some(eight) = chunk::<8>(bytes, at) {
        let others = others(u64::from_le_bytes(*eight));
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
    // what a program has printed nearly always is spelled like this
    shortest == text || decimal(text).is_some_and(|value| Some(value) == decimal(shortest))
}

/// Whether a number without sign and exponent, whose whole part ends at `point`, has just the digits of a double's
/// shortest form, which comes back as that double and so as it was, or has few digits. What a program has
/// printed mostly has, and to see that in whole numbers costs less than to read and print it. A no says nothing.
pub(super) fn is_shortest(text: &[u8], point: usize) -> bool {
    let (whole, fraction) = (&text[..point], text.get(point + 1..).unwrap_or_default());
    let zeros = if whole == b"0" { 1 + fraction.iter().take_while(|&&byte| byte == b'0').count() } else { 0 };
    let significant = point + fraction.len() - zeros;
    if significant <= 15 {
        return true;
    }
    let (Some(large), Some(small)) = (worth_of(whole), worth_of(&fraction[zeros.saturating_sub(1)..])) else {
        return false;
    };
    let (Some(&ten), Some(power)) = (TENS.get(fraction.len()), POWERS.get(fraction.len())) else { return false };
    if significant > 17 {
        return false;
    }
    let digits = (u128::from(large) * ten + u128::from(small)) as u64;
    // as near to the number as two roundings leave it
    let bits = (digits as f64 / power).to_bits();
    // the double is the mantissa divided by 2 ^ shift; so no product below is beyond 2 ^ 127
    let (shift, mut mantissa) = (1075 - (bits >> 52) as i64, (bits & (MIDDLE - 1) | MIDDLE) as i64);
    if !(1..=70).contains(&shift) {
        return false;
    }
    // differences are counted in parts of 2 ^ shift and of `ten`: the last digit is worth `unit` of them, and the
    // next double is `ten` away
    let (unit, ten) = (1i128 << shift, ten as i128);
    let mut above = (i128::from(digits) << shift) - i128::from(mantissa) * ten;
    if 2 * above > ten {
        (above, mantissa) = (above - ten, mantissa + 1);
    } else if 2 * above < -ten {
        (above, mantissa) = (above + ten, mantissa - 1);
    }
    // at powers of two the doubles on both sides are not equally far
    if mantissa <= MIDDLE as i64 || mantissa >= 2 * MIDDLE as i64 {
        return false;
    }
    let last = i128::from(digits % 10);
    // it is the number's double, no number of as many digits is nearer to it, and none of fewer is as near
    2 * above.abs() < unit.min(ten)
        && last != 0
        && 2 * (last * unit - above) > ten
        && 2 * ((10 - last) * unit + above) > ten
}

/// The smallest mantissa of a double.
const MIDDLE: u64 = 1 << 52;

/// The powers of ten that a double holds.
static TENS: [u128; 23] = {
    let mut tens = [1; 23];
    let mut n = 1;
    while n < 23 {
        tens[n] = tens[n - 1] * 10;
        n += 1;
    }
    tens
};

static POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// What digits are worth, if they are so few that this is less than 2^64.
#[inline(always)]
fn worth_of(digits: &[u8]) -> Option<u64> {
    if digits.len() > 19 {
        return None;
    }
    let (eights, rest) = digits.as_chunks::<8>();
    let worth = eights.iter().fold(0, |worth, digits| worth * 100_000_000 + eight(digits));
    Some(rest.iter().fold(worth, |worth, digit| worth * 10 + u64::from(digit - b'0')))
}

/// What eight digits are worth.
#[inline(always)]
fn eight(digits: &[u8; 8]) -> u64 {
    let digits = u64::from_le_bytes(*digits) & 0x0F0F_0F0F_0F0F_0F0F;
    // two digits at a time, then two of these pairs, then two of these
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
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
