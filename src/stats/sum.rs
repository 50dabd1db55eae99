//! Sums of decimal numbers without any rounding: the order does not matter, and no digit is lost.
//!
//! A sum of doubles depends on the order in which they are added, so that two independent counts differ in
//! the last digits. Numbers are taken as they are written, and added as decimals.

use std::fmt;

/// A decimal number: `digits` · 10^`exponent`. At most 17 digits, and a double's exponents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    /// The significant digits, with the sign.
    pub digits: i64,
    /// The place of the last one.
    pub exponent: i16,
}

impl Decimal {
    /// The value that JavaScript gives a number of JSON; `None` where it is beyond a double.
    pub fn of_json(text: &[u8]) -> Option<Decimal> {
        let (digits, exponent) = crate::json::worth(text)?;
        Some(Decimal { digits, exponent: i16::try_from(exponent).ok()? })
    }

    /// Whether it is nothing.
    pub fn is_zero(self) -> bool {
        self.digits == 0
    }
}

/// How many decimal places a limb has.
const PLACES: i32 = 20;
const LIMB: i128 = 10i128.pow(PLACES as u32);

/// A limb beyond this hands on to the next one; adding a number (below 10^37) to it cannot overflow.
const FULL: i128 = 10i128.pow(37);

/// A sum. It takes two or three limbs for numbers of everyday size.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Each limb counts for 10^([`PLACES`] · its place); sorted by place.
    limbs: Vec<(i32, i128)>,
}

impl Sum {
    /// Adds a number.
    pub fn add(&mut self, number: Decimal) {
        if number.is_zero() {
            return;
        }
        let exponent = i32::from(number.exponent);
        let shift = exponent.rem_euclid(PLACES);
        self.add_limb(exponent.div_euclid(PLACES), i128::from(number.digits) * 10i128.pow(shift as u32));
    }

    /// Adds a whole number.
    pub fn add_count(&mut self, number: u64) {
        self.add_limb(0, i128::from(number));
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Sum) {
        for (place, value) in &other.limbs {
            self.add_limb(*place, *value);
        }
    }

    fn add_limb(&mut self, mut place: i32, mut value: i128) {
        while value != 0 {
            let at = match self.limbs.binary_search_by_key(&place, |(place, _)| *place) {
                Ok(at) => at,
                Err(at) => {
                    self.limbs.insert(at, (place, 0));
                    at
                }
            };
            let limb = &mut self.limbs[at].1;
            *limb += value;
            value = 0;
            if limb.abs() >= FULL {
                value = *limb / LIMB;
                *limb -= value * LIMB;
            }
            place += 1;
        }
    }

    /// Whether it is exactly nothing.
    pub fn is_zero(&self) -> bool {
        self.digits().1.is_empty()
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The whole number nearest to zero, or the greatest that there is.
    pub fn to_u64(&self) -> u64 {
        let text = self.to_string();
        let whole = text.split('.').next().unwrap_or_default();
        if whole.starts_with('-') { 0 } else { whole.parse().unwrap_or(u64::MAX) }
    }

    /// Whether it is negative, and its digits in limbs, the last one first, from the place on that is given
    /// third; no limbs for zero.
    fn digits(&self) -> (bool, Vec<i128>, i32) {
        let first = self.limbs.first().map_or(0, |(place, _)| *place);
        for sign in [1, -1] {
            let mut digits = Vec::new();
            let mut carry = 0;
            let mut limbs = self.limbs.iter().peekable();
            let mut place = first;
            while limbs.peek().is_some() || carry > 0 {
                let value = limbs.next_if(|(at, _)| *at == place).map_or(0, |(_, value)| sign * value) + carry;
                digits.push(value.rem_euclid(LIMB));
                carry = value.div_euclid(LIMB);
                place += 1;
            }
            if carry == 0 {
                while digits.last() == Some(&0) {
                    digits.pop();
                }
                return (sign < 0, digits, first);
            }
        }
        (false, Vec::new(), 0)
    }

    /// The digits before and behind the point, without sign and outer zeros; at least one before.
    fn parts(&self) -> (bool, String, String) {
        let (negative, digits, first) = self.digits();
        let mut all: String = digits.iter().rev().map(|limb| format!("{limb:020}")).collect();
        let point = if digits.is_empty() { 0 } else { -first * PLACES };
        if point < 0 {
            all.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
        }
        let point = point.max(0) as usize;
        if all.len() <= point {
            all.insert_str(0, &"0".repeat(point + 1 - all.len()));
        }
        let (whole, fraction) = all.split_at(all.len() - point);
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        (negative, whole.to_string(), fraction.trim_end_matches('0').to_string())
    }

    /// Rounded to so many places behind the point (halves away from zero), with commas between thousands; a number
    /// of more than twenty digits before the point as `4.0e308`.
    pub fn rounded(&self, places: usize) -> String {
        let (negative, mut whole, mut fraction) = self.parts();
        if whole.len() > READABLE {
            return format!("{}{}", if negative { "-" } else { "" }, scientific(&whole));
        }
        let up = fraction.as_bytes().get(places).is_some_and(|digit| *digit >= b'5');
        fraction.truncate(places);
        fraction.extend(std::iter::repeat_n('0', places - fraction.len()));
        if up {
            let mut digits = (whole + &fraction).into_bytes();
            let nines = digits.iter().rev().take_while(|digit| **digit == b'9').count();
            let kept = digits.len() - nines;
            digits[kept..].fill(b'0');
            match kept.checked_sub(1) {
                Some(at) => digits[at] += 1,
                None => digits.insert(0, b'1'),
            }
            let digits = String::from_utf8(digits).unwrap_or_default();
            let (before, behind) = digits.split_at(digits.len() - places);
            (whole, fraction) = (before.to_string(), behind.to_string());
        }
        let is_zero = whole == "0" && fraction.bytes().all(|digit| digit == b'0');
        let sign = if negative && !is_zero { "-" } else { "" };
        let point = if places > 0 { "." } else { "" };
        format!("{sign}{}{point}{fraction}", grouped(&whole))
    }
}

/// How many digits a number has at most that people read.
const READABLE: usize = 20;

/// Digits as a number below ten and a power of ten; halves are rounded up.
fn scientific(digits: &str) -> String {
    let first: u32 = digits[..3].parse().unwrap_or_default();
    let (tenths, exponent) = match (first + 5) / 10 {
        100 => (10, digits.len()),
        tenths => (tenths, digits.len() - 1),
    };
    format!("{}.{}e{exponent}", tenths / 10, tenths % 10)
}

/// Digits with a comma between thousands.
fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Every digit, as JSON has numbers.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (negative, whole, fraction) = self.parts();
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{}{whole}{point}{fraction}", if negative { "-" } else { "" })
    }
}

impl PartialEq for Sum {
    fn eq(&self, other: &Sum) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Sum {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(numbers: &[&str]) -> Sum {
        let mut sum = Sum::default();
        for number in numbers {
            sum.add(Decimal::of_json(number.as_bytes()).expect("a number"));
        }
        sum
    }

    #[test]
    fn no_digit_is_lost() {
        for (numbers, exact) in [
            (&["0.1", "0.2"][..], "0.3"),
            (&["1e-7", "0.031530749999999996", "100"], "100.031530849999999996"),
            (&["1e22", "1", "-1e22"], "1"),
            (
                &["5e-324", "1.7976931348623157e308", "-1.7976931348623157e308", "0.5"],
                &format!("0.5{}5", "0".repeat(322)),
            ),
            (&["-0.1", "-0.9"], "-1"),
            (&["-0"], "0"),
            (&["0.10000", "1.0", "1E2"], "101.1"),
            // more digits than a double has: what JavaScript makes of them
            (&["0.1000000000000000055511151231257827", "9007199254740993"], "9007199254740992.1"),
            (&[], "0"),
        ] {
            assert_eq!(sum(numbers).to_string(), exact, "{numbers:?}");
        }
        assert_eq!(Decimal::of_json(b"1e400"), None);
    }

    #[test]
    fn limbs_hand_on() {
        let mut many = Sum::default();
        for _ in 0..1000 {
            many.add(Decimal { digits: 99_999_999_999_999_999, exponent: 19 });
            many.add(Decimal { digits: -99_999_999_999_999_999, exponent: -1 });
        }
        assert_eq!(many.to_string(), "999999999999999989990000000000000000100");
    }

    #[test]
    fn rounding() {
        let sum = sum(&["1234567.995"]);
        assert_eq!([0, 2, 4].map(|places| sum.rounded(places)), ["1,234,568", "1,234,568.00", "1,234,567.9950"]);
        assert_eq!(self::sum(&["999.96"]).rounded(1), "1,000.0");
        assert_eq!(self::sum(&["-0.004"]).rounded(2), "0.00");
        assert_eq!(self::sum(&["-0.005"]).rounded(2), "-0.01");
        assert_eq!(self::sum(&["12345678901234567000"]).rounded(1), "12,345,678,901,234,567,000.0");
        let huge = ["1e308", "-1.25e300", "9.96e40", "1.7976931348623157e308", "123456789012345678901"];
        let shown = huge.map(|number| self::sum(&[number]).rounded(4));
        assert_eq!(shown, ["1.0e308", "-1.3e300", "1.0e41", "1.8e308", "1.2e20"]);
        assert_eq!(self::sum(&["1e308", "1e308", "1e308", "1e308"]).rounded(0), "4.0e308");
        assert_eq!((sum.to_u64(), sum.to_f64()), (1_234_567, 1_234_567.995));
    }

    proptest! {
        /// In a range where whole numbers of 10^-30 fit, they are the oracle.
        #[test]
        fn sums_are_those_of_whole_numbers(numbers in proptest::collection::vec((-99_999_999i64..99_999_999, -30i16..-10), 0..60)) {
            let (mut sum, mut oracle) = (Sum::default(), 0i128);
            let mut halves = [Sum::default(), Sum::default()];
            for (n, &(digits, exponent)) in numbers.iter().enumerate() {
                let number = Decimal { digits, exponent };
                sum.add(number);
                halves[n % 2].add(number);
                oracle += i128::from(digits) * 10i128.pow((exponent + 30) as u32);
            }
            let sign = if oracle < 0 { "-" } else { "" };
            let digits = format!("{:031}", oracle.unsigned_abs());
            let exact = format!("{sign}{}.{}", &digits[..digits.len() - 30], &digits[digits.len() - 30..]);
            prop_assert_eq!(sum.to_string(), exact.trim_end_matches('0').trim_end_matches('.'));
            let [mut first, second] = halves;
            first.merge(&second);
            prop_assert_eq!(first, sum);
        }
    }
}
