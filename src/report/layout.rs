//! How numbers and paragraphs look: thousands, sizes, plurals, wrapped lines.

use unicode_width::UnicodeWidthStr;

/// A number with a comma between thousands: `319,161`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun: `1 error`, `2,000 errors`.
pub fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// A size in binary units, rounded to what is worth reading: `17 B`, `4.9 KiB`, `512 MiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    // 1023.5 and above would be shown as 1024
    while let (true, Some(next)) = (value >= 1023.5, units.clone().next()) {
        value /= 1024.0;
        unit = Some(next);
        units.next();
    }
    let decimals = usize::from(value < 9.95);
    format!("{value:.decimals$} {}", unit.unwrap_or(&"EiB"))
}

/// The columns that a text without controls takes.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// A paragraph broken at spaces into lines of at most so many columns; a longer word stands alone.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let width = width(word);
        if !line.is_empty() && used + 1 + width > columns {
            lines.push(std::mem::take(&mut line));
        }
        if line.is_empty() {
            used = 0;
        } else {
            line.push(' ');
            used += 1;
        }
        line += word;
        used += width;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::first_sentence;

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1000, 319_161, 1_234_567].map(thousands), ["0", "999", "1,000", "319,161", "1,234,567"]);
        assert_eq!((plural(1, "line"), plural(0, "line")), ("1 line".into(), "0 lines".into()));
    }

    #[test]
    fn sizes() {
        let shown = [0, 1023, 1024, 5000, 512 << 20, (1 << 20) - 1, u64::MAX].map(size);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "4.9 KiB", "512 MiB", "1.0 MiB", "16 EiB"]);
    }

    #[test]
    fn paragraphs() {
        assert_eq!(first_sentence("Adds `a.b`. Nothing else."), "Adds `a.b`");
        assert_eq!((first_sentence("Adds it."), first_sentence("")), ("Adds it", ""));
        assert_eq!(wrap("a bb  ccc\ndddddddd e", 6), ["a bb", "ccc", "dddddddd", "e"]);
        assert_eq!(wrap("日本 日本", 8), ["日本", "日本"]);
        assert!(wrap("", 5).is_empty());
    }
}
