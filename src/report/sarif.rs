//! SARIF 2.1.0, for code scanning and editors: the rules with their documentation, one result a finding.
//!
//! The document is written as the findings come; only what stands behind them is kept. Columns are those
//! of the standard, UTF-16 code units; bytes stand beside them.

use super::clean::clean;
use super::json::write_json;
use super::{FileReport, Format, ReadError, Report, StoreReport, Summary, rule_text};
use crate::rules::{Anchor, Finding, Place, RULES, Rule, Severity, first_sentence};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, Notification, PhysicalLocation,
    PropertyBag, Region, ReportingConfiguration, ReportingDescriptor, Result as SarifResult, ResultLevel, Tool,
    ToolComponent,
};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    help: "SARIF 2.1.0, for code scanning and editors",
    excerpts: false,
    anchors: true,
    names_errors: true,
    is_own: |head| head.starts_with(BEGINNING.as_bytes()),
    new: |_| Box::new(Sarif::default()),
};

const BEGINNING: &str = "{\n \"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\n \"version\":\"2.1.0\",\n \
                         \"runs\":[{\n  \"tool\":{\"driver\":{\"name\":\"sesstool\",";

/// How many other files a finding between files names.
const RELATED: usize = 50;

/// How far the document is, and what comes after the results.
#[derive(Default)]
struct Sarif {
    started: bool,
    results: bool,
    notifications: Vec<Notification>,
}

impl Sarif {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.started, true) {
            return Ok(());
        }
        let rules: Vec<ReportingDescriptor> = RULES.iter().map(|rule| descriptor(rule)).collect();
        let driver = ToolComponent::builder()
            .name("sesstool")
            .semantic_version(env!("CARGO_PKG_VERSION"))
            .full_description(multiformat(env!("CARGO_PKG_DESCRIPTION").to_string(), None))
            .rules(rules)
            .build();
        let mut tool = Vec::new();
        write_json(&mut tool, &Tool::builder().driver(driver).build())?;
        // the name first, so that the beginning tells whose report it is
        let tool = String::from_utf8(tool).map_err(io::Error::other)?;
        let rest = tool.replacen("{\"driver\":{", "", 1).replacen("\"name\":\"sesstool\",", "", 1);
        write!(out, "{BEGINNING}{rest},\n  \"columnKind\":\"utf16CodeUnits\",\n  \"results\":[")
    }

    fn result(&mut self, out: &mut dyn Write, result: &SarifResult) -> io::Result<()> {
        let separator = if std::mem::replace(&mut self.results, true) { "," } else { "" };
        write!(out, "{separator}\n   ")?;
        write_json(out, result)
    }

    fn notify(&mut self, level: &str, path: &str, message: &str) {
        let notification = Notification::builder()
            .level(Value::from(level))
            .message(message_of(message))
            .locations(vec![location(path, None)])
            .build();
        self.notifications.push(notification);
    }
}

impl Report for Sarif {
    fn file(&mut self, out: &mut dyn Write, report: &FileReport) -> io::Result<()> {
        self.start(out)?;
        for note in &report.notes {
            self.notify("note", &report.path, note);
        }
        report.findings.iter().try_for_each(|finding| self.result(out, &result(&report.path, finding)))
    }

    fn store(&mut self, out: &mut dyn Write, store: &StoreReport) -> io::Result<()> {
        self.start(out)?;
        for finding in &store.findings {
            let FileReport { path, findings, .. } = FileReport::of_store(finding);
            let related = finding.files.iter().skip(1).take(RELATED);
            let related: Vec<Location> = related.map(|path| location(path, None)).collect();
            for finding in &findings {
                self.result(out, &SarifResult { related_locations: Some(related.clone()), ..result(&path, finding) })?;
            }
        }
        Ok(())
    }

    fn error(&mut self, _: &mut dyn Write, error: &ReadError) -> io::Result<()> {
        self.notify("error", &error.path, &error.message);
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
        self.start(out)?;
        let invocation = Invocation::builder()
            .execution_successful(summary.unreadable == 0)
            .tool_execution_notifications(std::mem::take(&mut self.notifications))
            .build();
        write!(out, "],\n  \"invocations\":[")?;
        write_json(out, &invocation)?;
        writeln!(out, "]\n }}]\n}}")
    }
}

fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let configuration = ReportingConfiguration::builder().level(Value::from(level_name(rule.severity))).build();
    let layer = rule_text::layer(rule);
    let properties = PropertyBag::builder()
        .tags(vec![layer.to_string()])
        .additional_properties(BTreeMap::from([
            ("precision".to_string(), json!("very-high")),
            ("problem.severity".to_string(), json!(problem_severity(rule.severity))),
            ("repair".to_string(), json!(rule.repair.name())),
        ]))
        .build();
    ReportingDescriptor::builder()
        .id(rule.code)
        .name(pascal(rule.name))
        .short_description(multiformat(format!("{}.", first_sentence(rule.found)), None))
        .full_description(multiformat(format!("{} {}", rule.found, rule.why), None))
        .help(multiformat(rule_text::plain(rule), Some(rule_text::markdown(rule))))
        .default_configuration(configuration)
        .properties(properties)
        .build()
}

fn result(path: &str, finding: &Finding) -> SarifResult {
    let mut properties = BTreeMap::from([
        ("effect".to_string(), json!(clean(&finding.effect))),
        ("repair".to_string(), json!(finding.repair.name())),
    ]);
    if let Some(entry) = &finding.entry {
        properties.insert("entry".to_string(), json!(clean(entry)));
    }
    let related = finding.related.iter().map(|related| {
        let place = location(path, Some(region(&related.place, None)));
        Location { message: Some(message_of(&related.message)), ..place }
    });
    let place = finding.place.as_ref().map(|place| region(place, finding.anchor.as_ref()));
    // a viewer shows what has no line nowhere
    let place = place.unwrap_or_else(|| Region::builder().start_line(1).build());
    let index = RULES.iter().position(|rule| rule.code == finding.rule.code);
    let mut result = SarifResult::builder()
        .rule_id(finding.rule.code)
        .level(level(finding.severity))
        .message(message_of(&sentence(finding)))
        .locations(vec![location(path, Some(place))])
        .related_locations(related.collect::<Vec<_>>())
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build();
    result.rule_index = index.and_then(|index| i64::try_from(index).ok());
    result.partial_fingerprints = finding.anchor.as_ref().map(fingerprints);
    result
}

/// The fact, and what a reader makes of it.
fn sentence(finding: &Finding) -> String {
    let end = if finding.effect.is_empty() { String::new() } else { format!(" ({})", finding.effect) };
    format!("{}{end}.", finding.message)
}

/// Ours, and the one that code scanning looks at.
fn fingerprints(anchor: &Anchor) -> BTreeMap<String, String> {
    let Anchor { fingerprint, .. } = anchor;
    BTreeMap::from([
        ("sesstool/v1".to_string(), fingerprint.clone()),
        ("primaryLocationLineHash".to_string(), format!("{fingerprint}:1")),
    ])
}

fn location(path: &str, region: Option<Region>) -> Location {
    let mut physical =
        PhysicalLocation::builder().artifact_location(ArtifactLocation::builder().uri(uri(path)).build()).build();
    physical.region = region;
    Location::builder().physical_location(physical).build()
}

fn region(place: &Place, anchor: Option<&Anchor>) -> Region {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let mut region = Region::builder()
        .start_line(number(place.line))
        .byte_offset(number(place.offset))
        .byte_length(number(place.length))
        .build();
    region.start_column = anchor.and_then(|anchor| anchor.column).map(number);
    region.end_column = anchor.and_then(|anchor| anchor.end_column).map(number);
    region
}

fn message_of(text: &str) -> Message {
    // not a link, whatever the file says
    Message::builder().text(clean(text).replace("](", "] (")).build()
}

fn multiformat(text: String, markdown: Option<String>) -> MultiformatMessageString {
    let mut string = MultiformatMessageString::builder().text(text).build();
    string.markdown = markdown;
    string
}

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Info => ResultLevel::Note,
    }
}

fn level_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    }
}

/// `dangling-parent` → `DanglingParent`.
fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    name.split('-').map(capital).collect()
}

/// A path as a URI reference: relative as it is, absolute with `file://`, everything unusual as `%XX`.
fn uri(path: &str) -> String {
    let path = super::slashed(path);
    let mut uri = String::new();
    if path.starts_with('/') {
        uri += "file://";
    } else if cfg!(windows) && path.as_bytes().get(1) == Some(&b':') {
        uri += "file:///";
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./a b/ü.jsonl"), "a%20b/%C3%BC.jsonl");
        assert_eq!(uri("/tmp/a:b%.jsonl"), "file:///tmp/a%3Ab%25.jsonl");
        assert_eq!(uri("../x"), "../x");
    }

    #[test]
    fn names_are_in_pascal_case() {
        assert_eq!(pascal("dangling-parent"), "DanglingParent");
    }
}
