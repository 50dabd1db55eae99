//! The rules: what can be wrong with a session.
//!
//! One rule is one file: code, name, severity, what it finds, what readers do, the repair, and the
//! check. [`RULES`] lists them; a new rule is one file and one line there.

mod finding;

pub use finding::{Excerpt, Finding, Place, Related, Repair, Severity};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// The code: a letter for the layer and three digits. Stable, never reused.
    pub code: &'static str,
    /// The name: what is wrong, in lower case with hyphens. Stable.
    pub name: &'static str,
    /// The severity where nothing else is said.
    pub severity: Severity,
    /// The other severities that single findings of it may carry.
    pub also: &'static [Severity],
    /// When it is found.
    pub found: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What readers do with it, by name and version.
    pub readers: &'static str,
    /// An example of the damage: lines of a file, shortened.
    pub example: &'static str,
    /// The kind of repair.
    pub repair: Repair,
    /// What the repair does, or why there is none.
    pub remedy: &'static str,
}

/// Every rule, in the order of its code.
pub static RULES: &[&Rule] = &[];

/// The rule with this code or name.
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|r| r.code.eq_ignore_ascii_case(code_or_name) || r.name.eq_ignore_ascii_case(code_or_name))
}
