//! `sesstool explain`: a rule in full, or the table of all.

use super::{CLEAN, Failure, output};
use crate::report::layout::wrap;
use crate::report::rule_text::{self, severities};
use crate::report::text::{style, table, write_table};
use crate::report::write_json;
use crate::rules::policy::{PolicyError, nearest};
use crate::rules::{self, RULES, Repair, Rule, Severity, first_sentence};
use anstyle::Style;
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, Write};
use std::process::ExitCode;

/// Tell what a finding means: when it is found, what readers do, an example, the repair.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The rule, by code or name; without it the table of all rules.
    #[arg(value_name = "CODE|NAME")]
    rule: Option<String>,
    /// How it is written.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  sesstool explain
  sesstool explain G003
  sesstool explain dangling-parent --format markdown";

/// The formats of an explanation.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For the terminal.
    Text,
    /// One JSON document, schema sesstool.rules/1.
    Json,
    /// For a web page; the whole table with every rule in full.
    Markdown,
}

/// Prints the explanation.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let one = args.rule.as_deref().map(find).transpose()?;
    let (out, width) = (&mut output::stdout(), output::width());
    match (args.format, one) {
        (Format::Text, None) => overview(out, RULES, width)?,
        (Format::Text, Some(rule)) => in_full(out, rule, width)?,
        (Format::Json, None) => write_rules(out, RULES)?,
        (Format::Json, Some(rule)) => write_rules(out, &[rule])?,
        (Format::Markdown, None) => write!(out, "{}", markdown(RULES))?,
        (Format::Markdown, Some(rule)) => write!(out, "{}", rule_text::markdown(rule))?,
    }
    out.flush()?;
    Ok(CLEAN)
}

fn find(given: &str) -> Result<&'static Rule, Failure> {
    let unknown = || PolicyError::UnknownRule { given: given.into(), nearest: nearest(RULES, given) };
    rules::find(given.trim()).ok_or_else(|| Failure::usage(unknown()))
}

fn overview(out: &mut dyn Write, rules: &[&Rule], width: usize) -> io::Result<()> {
    let mut table = table(&["CODE", "NAME", "SEVERITY", "REPAIR", "FOUND WHEN"], width);
    for rule in rules {
        table.add_row([rule.code, rule.name, &severities(rule), rule.repair.name(), first_sentence(rule.found)]);
    }
    write_table(out, &table)?;
    writeln!(out, "\n`sesstool explain CODE` tells more about one.")
}

fn in_full(out: &mut dyn Write, rule: &Rule, width: usize) -> io::Result<()> {
    let (bold, color) = (Style::new().bold(), style(rule.severity));
    writeln!(out, "{color}{}{color:#} {bold}{}{bold:#} ({})", rule.code, rule.name, severities(rule))?;
    let width = width.clamp(24, 100) - 2;
    for (title, text) in [("Found when", rule.found), ("Why it matters", rule.why), ("What readers do", rule.readers)] {
        section(out, title, wrap(text, width))?;
    }
    section(out, "Example", rule.example.lines().map(String::from))?;
    section(out, &format!("Repair: {}", rule.repair.name()), wrap(rule.remedy, width))
}

/// A title and indented lines.
fn section(out: &mut dyn Write, title: &str, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
    let bold = Style::new().bold();
    writeln!(out, "\n{bold}{title}{bold:#}")?;
    lines.into_iter().try_for_each(|line| writeln!(out, "  {line}"))
}

#[derive(Serialize)]
struct RulesJson<'a> {
    schema: &'static str,
    rules: Vec<RuleJson<'a>>,
}

#[derive(Serialize)]
struct RuleJson<'a> {
    code: &'a str,
    name: &'a str,
    severity: Severity,
    also: &'a [Severity],
    found: &'a str,
    why: &'a str,
    readers: &'a str,
    example: &'a str,
    repair: Repair,
    remedy: &'a str,
}

impl<'a> From<&'a Rule> for RuleJson<'a> {
    fn from(rule: &'a Rule) -> Self {
        let Rule { code, name, severity, also, found, why, readers, example, repair, remedy, checks: _ } = rule;
        let (severity, repair) = (*severity, *repair);
        RuleJson { code, name, severity, also, found, why, readers, example, repair, remedy }
    }
}

fn write_rules(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let rules = rules.iter().map(|rule| RuleJson::from(*rule)).collect();
    write_json(out, &RulesJson { schema: "sesstool.rules/1", rules })?;
    writeln!(out)
}

/// The documentation of rules: a table, then each in full.
pub fn markdown(rules: &[&Rule]) -> String {
    let mut page = String::from(HEAD);
    for rule in rules {
        let anchor = format!("#{}-{}", rule.code.to_lowercase(), rule.name);
        let found = first_sentence(rule.found).replace('|', "\\|");
        let (code, name, repair) = (rule.code, rule.name, rule.repair.name());
        page += &format!("| [{code}]({anchor}) | {name} | {} | {repair} | {found} |\n", severities(rule));
    }
    for rule in rules {
        page += "\n";
        page += &rule_text::markdown(rule);
    }
    page
}

const HEAD: &str = "\
# The rules

<!-- Generated: sesstool explain --format markdown > docs/rules.md -->

Codes and names are stable and never reused. The letter is the layer a rule looks at.
*Repair* is `safe` (the meaning cannot change), `assumed` (rests on an assumption that is recorded), `choice` (done only when asked for by name) or `none`.

| code | name | severity | repair | found when |
|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::*;

    static RULE: Rule = Rule {
        code: "X001",
        name: "broken-thing",
        severity: Severity::Error,
        also: &[Severity::Info],
        found: "A thing is `a|b`. More of it.",
        why: "Because a thing that is broken does not do what things are for.",
        readers: "pi drops it.",
        example: "{\"a\":1}\n{\"b\":",
        repair: Repair::Safe,
        remedy: "It is set aside.",
        checks: &[],
    };

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).expect("memory takes everything");
        anstream::adapter::strip_str(&String::from_utf8(out).expect("text")).to_string()
    }

    #[test]
    fn text() {
        insta::assert_snapshot!(written(|out| overview(out, &[&RULE], 80)));
        insta::assert_snapshot!(written(|out| in_full(out, &RULE, 40)));
    }

    #[test]
    fn json() {
        insta::assert_snapshot!(written(|out| write_rules(out, &[&RULE])));
    }

    #[test]
    fn the_page_of_all_rules() {
        insta::assert_snapshot!(markdown(&[&RULE]));
    }

    #[test]
    fn an_unknown_rule_is_refused() {
        assert!(matches!(find("no such rule at all"), Err(Failure::Usage(_))));
    }
}
