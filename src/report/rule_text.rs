//! A rule's documentation as text: for pages, and for reports that carry it.

use crate::rules::{Rule, Severity};

/// The severities that findings of the rule have, the usual one first.
pub fn severities(rule: &Rule) -> String {
    let all = std::iter::once(&rule.severity).chain(rule.also);
    all.map(|severity: &Severity| severity.name()).collect::<Vec<_>>().join(", ")
}

/// What a rule looks at, by the letter of its code.
pub fn layer(rule: &Rule) -> &'static str {
    match rule.code.as_bytes().first() {
        Some(b'L') => "lines",
        Some(b'J') => "json",
        Some(b'H') => "header",
        Some(b'E') => "fields",
        Some(b'G') => "tree",
        Some(b'R') => "references",
        Some(b'M') => "messages",
        Some(b'S') => "store",
        _ => "other",
    }
}

/// The rule as a section of a Markdown page.
pub fn markdown(rule: &Rule) -> String {
    let Rule { code, name, found, why, readers, example, remedy, .. } = rule;
    let (severities, repair) = (severities(rule), rule.repair.name());
    let fence = "```";
    format!(
        "## {code} {name}\n\n\
         Severity: {severities}. Repair: {repair}.\n\n\
         **Found when.** {found}\n\n\
         **Why it matters.** {why}\n\n\
         **What readers do.** {readers}\n\n\
         **Example**\n\n{fence}text\n{}\n{fence}\n\n\
         **Repair.** {remedy}\n",
        example.trim_end()
    )
}

/// The same without marks, for viewers that show plain text.
pub fn plain(rule: &Rule) -> String {
    let Rule { code, name, found, why, readers, remedy, .. } = rule;
    let repair = rule.repair.name();
    format!("{code} {name}\n\n{found}\n\n{why}\n\nWhat readers do: {readers}\n\nRepair ({repair}): {remedy}")
}
