//! Numbers: their grammar, and whether a double holds them.

/// A number that was scanned.
pub(super) struct Number {
    /// The offset behind it.
    pub(super) end: usize,
    /// Whether it has so many digits, or an exponent, that [`survives`] has to look at it.
    pub(super) doubtful: bool,
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

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Whether the number is worth the same after `JSON.parse` and `JSON.stringify`. `1.0` and `1E2`
/// are (only their spelling changes), `12345678901234567890` and `1e400` are not.
pub(super) fn survives(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Ok(double) = text.parse::<f64>() else { return false };
    if !double.is_finite() {
        return false;
    }
    decimal(text) == decimal(&format!("{double:e}"))
}

/// Significant digits without outer zeros, and the exponent of the last one; zero is no digits.
fn decimal(text: &str) -> (String, i64) {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let shown = all.trim_start_matches('0');
    let kept = shown.trim_end_matches('0');
    if kept.is_empty() {
        return (String::new(), 0);
    }
    // an exponent beyond i64 never gets here as a finite, non-zero double
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
    (kept.to_string(), exponent - fraction.len() as i64 + (shown.len() - kept.len()) as i64)
}
