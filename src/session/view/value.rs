//! Ids as JavaScript compares them: pi keeps entries in a `Map` by whatever value `id` has.

use crate::json::{Kind, Member};
use crate::record::Record;
use std::borrow::Cow;

/// The value of a member that should be an id. `7` is not `"7"`, and an absent id is one too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum IdValue {
    /// The key is absent.
    Absent,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, by the bits of the double.
    Number(u64),
    /// A string, decoded.
    Text(Vec<u8>),
    /// An object or an array: no two are the same.
    Unique,
}

impl IdValue {
    /// The value of a member, which may be absent.
    pub fn of(record: &Record<'_>, member: Option<&Member>) -> IdValue {
        let Some(member) = member else { return IdValue::Absent };
        match member.kind {
            Kind::Null => IdValue::Null,
            Kind::Bool => IdValue::Bool(&record.bytes[member.value.clone()] == b"true"),
            Kind::Number => IdValue::number(record.raw(&member.value).parse().unwrap_or(f64::NAN)),
            Kind::String => IdValue::Text(as_decoded(record, member)),
            Kind::Object | Kind::Array => IdValue::Unique,
        }
    }

    /// A number; `-0` is `0`.
    pub fn number(value: f64) -> IdValue {
        IdValue::Number((value + 0.0).to_bits())
    }

    /// Whether JavaScript takes it for true.
    pub fn is_truthy(&self) -> bool {
        match self {
            IdValue::Absent | IdValue::Null => false,
            IdValue::Bool(value) => *value,
            IdValue::Number(bits) => !matches!(f64::from_bits(*bits), 0.0) && !f64::from_bits(*bits).is_nan(),
            IdValue::Text(text) => !text.is_empty(),
            IdValue::Unique => true,
        }
    }

    /// Whether `===` holds.
    pub fn is_same(&self, other: &IdValue) -> bool {
        *self != IdValue::Unique && self == other
    }
}

/// A string as the readers decode it: bytes that are no UTF-8 become U+FFFD, halves of surrogate pairs stay
/// apart.
fn as_decoded(record: &Record<'_>, member: &Member) -> Vec<u8> {
    let text = record.string(member).unwrap_or_default();
    match text {
        // there were escapes in it
        Cow::Owned(decoded) => decoded,
        Cow::Borrowed(raw) => String::from_utf8_lossy(raw).into_owned().into_bytes(),
    }
}

/// Whether JavaScript takes a member's value for true.
pub fn is_truthy(record: &Record<'_>, member: &Member) -> bool {
    IdValue::of(record, Some(member)).is_truthy()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Scanner;

    fn value(text: &str) -> IdValue {
        let bytes = format!("{{\"id\":{text}}}");
        let mut scanner = Scanner::new();
        scanner.scan(bytes.as_bytes(), 0).expect("an object");
        let record = Record::new(bytes.as_bytes(), &scanner);
        IdValue::of(&record, record.get(b"id"))
    }

    #[test]
    fn values_compare_as_in_javascript() {
        assert!(value("7").is_same(&value("7.0")) && value("-0").is_same(&value("0")));
        assert!(!value("7").is_same(&value("\"7\"")));
        assert!(value(r#""a""#).is_same(&value(r#""\u0061""#)));
        assert!(!value("{}").is_same(&value("{}")));
        assert!(IdValue::Absent.is_same(&IdValue::Absent) && !IdValue::Absent.is_same(&IdValue::Null));
    }

    #[test]
    fn truth_is_that_of_javascript() {
        for truthy in ["1", "\"0\"", "[]", "{}", "true", "-1", "1e400"] {
            assert!(value(truthy).is_truthy(), "{truthy}");
        }
        for falsy in ["0", "-0", "\"\"", "null", "false"] {
            assert!(!value(falsy).is_truthy(), "{falsy}");
        }
    }
}
