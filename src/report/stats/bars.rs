//! Shares as bars, and numbers over time as a line of small columns.

/// A part of one as a bar of so many columns.
pub(super) fn bar(part: f64, columns: usize, ascii: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    if ascii {
        return "#".repeat((part * columns as f64).round() as usize);
    }
    let eighths = (part * columns as f64 * 8.0).round() as usize;
    // what is there at all can be seen
    let eighths = if eighths == 0 && part > 0.0 { 1 } else { eighths };
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Numbers as columns, the greatest one full; nothing at all is a dot.
pub(super) fn sparkline(numbers: &[u64], ascii: bool) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const PLAIN: [char; 8] = ['.', ':', '-', '=', '+', '*', '#', '@'];
    let heights = if ascii { PLAIN } else { HEIGHTS };
    let most = numbers.iter().max().copied().unwrap_or(0).max(1);
    let column = |number: &u64| match *number {
        0 => {
            if ascii {
                ' '
            } else {
                '·'
            }
        }
        number => heights[(u128::from(number) * 8).div_ceil(u128::from(most)) as usize - 1],
    };
    numbers.iter().map(column).collect()
}

/// A part of one in percent, in at most six columns.
pub(super) fn percent(part: f64) -> String {
    match part * 100.0 {
        percent if !percent.is_finite() => String::new(),
        0.0 => "0 %".to_string(),
        percent if percent < 0.1 => "<0.1 %".to_string(),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_columns() {
        let bars = [0.0, 0.001, 0.5, 0.99, 1.0, 7.0, f64::NAN].map(|part| bar(part, 4, false));
        assert_eq!(bars, ["", "▏", "██", "████", "████", "████", ""]);
        assert_eq!(bar(0.3, 10, true), "###");
    }

    #[test]
    fn sparklines_reach_from_the_lowest_to_the_highest() {
        assert_eq!(sparkline(&[0, 1, 40, 80, u64::MAX / 2], false), "·▁▁▁█");
        assert_eq!(sparkline(&[0, 1, 4, 8], false), "·▁▄█");
        assert_eq!((sparkline(&[], false), sparkline(&[0, 8, 1], true)), (String::new(), " @.".to_string()));
    }

    #[test]
    fn percents() {
        let shown = [0.0, 0.0001, 0.5, 1.0, f64::NAN].map(percent);
        assert_eq!(shown, ["0 %", "<0.1 %", "50.0 %", "100.0 %", ""]);
    }
}
