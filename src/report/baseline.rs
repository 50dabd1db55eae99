//! Known findings: a file that lists them, so that only others count.
//!
//! A finding is known by the path of its file, its code and its fingerprint. Where a fingerprint is not
//! found (the line was changed, the entry got another id), the number decides: as many findings of a code
//! in a file are known as the baseline lists there. What it lists beyond that is gone.
//!
//! Findings between files are listed apart, with the files that they concern: a run that looks at some of
//! these only can tell neither that one is gone, nor that another has taken its place.

use super::FileReport;
use super::json::write_json;
use crate::rules::{Finding, Severity};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

const SCHEMA: &str = "sesstool.baseline/1";

/// Whether the first bytes of a file are those of a baseline.
pub fn is_baseline(head: &[u8]) -> bool {
    head.starts_with(b"{\"schema\":\"sesstool.baseline/")
}

/// The known findings of many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    files: BTreeMap<String, BTreeMap<String, Known>>,
}

/// The known findings of one code in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    /// All of them, also those whose fingerprint is not listed.
    count: u64,
    fingerprints: BTreeSet<String>,
    /// The files that they are between; empty for findings in one file.
    between: BTreeSet<String>,
}

impl Known {
    /// Whether a run has looked at all that it takes to miss one of them.
    fn is_whole(&self, is_known: &dyn Fn(&str) -> bool) -> bool {
        self.between.iter().all(|path| is_known(path))
    }
}

/// Findings that a baseline lists, and that are no longer there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gone {
    /// The file, as the baseline names it.
    pub path: String,
    /// The code.
    pub code: String,
    /// How many.
    pub count: u64,
}

/// What a baseline came to in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// How many findings were known, and are not reported.
    pub known: u64,
    /// What it lists that is no longer there.
    pub gone: Vec<Gone>,
}

impl Compared {
    /// How many are gone.
    pub fn gone(&self) -> u64 {
        self.gone.iter().fold(0, |sum, gone| sum.saturating_add(gone.count))
    }
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema: String,
    findings: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    path: String,
    code: String,
    count: u64,
    fingerprints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    between: Vec<String>,
}

/// What a run has looked for.
pub struct LookedFor<'a> {
    /// Whether findings of a code would have been found.
    pub code: &'a dyn Fn(&str) -> bool,
    /// Whether a file was looked at, or is not there any more.
    pub file: &'a dyn Fn(&str) -> bool,
}

impl Baseline {
    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &[u8]) -> Result<Baseline, String> {
        let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if document.schema != SCHEMA {
            return Err(format!("its schema is '{}' and not '{SCHEMA}'", document.schema));
        }
        let mut baseline = Baseline::default();
        for Row { path, code, count, fingerprints, between } in document.findings {
            let fingerprints: BTreeSet<String> = fingerprints.into_iter().collect();
            let count = count.max(fingerprints.len() as u64);
            let between = between.into_iter().collect();
            baseline.files.entry(path).or_default().insert(code, Known { count, fingerprints, between });
        }
        Ok(baseline)
    }

    /// Writes it: one line a file and code, in their order.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"schema\":\"{SCHEMA}\",\n \"findings\":[")?;
        let mut separator = "";
        for (path, code, known) in self.rows() {
            write!(out, "{separator}\n  ")?;
            separator = ",";
            let (path, code) = (path.to_string(), code.to_string());
            let list = |set: &BTreeSet<String>| set.iter().cloned().collect();
            let (fingerprints, between) = (list(&known.fingerprints), list(&known.between));
            write_json(out, &Row { path, code, count: known.count, fingerprints, between })?;
        }
        writeln!(out, "\n ]}}")
    }

    fn rows(&self) -> impl Iterator<Item = (&str, &str, &Known)> {
        self.files.iter().flat_map(|(path, codes)| codes.iter().map(move |(code, k)| (path.as_str(), code.as_str(), k)))
    }

    /// How many findings it lists.
    pub fn count(&self) -> u64 {
        self.rows().fold(0, |sum, (.., known)| sum.saturating_add(known.count))
    }

    /// In how many files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Takes the findings that are known out of a report, and tells what is known and what is gone. `path` is
    /// the file's name in the baseline; `looked_for` says which codes and, for findings between files, which
    /// files were looked at or are gone.
    pub fn compare(&self, path: &str, report: &mut FileReport, looked_for: &LookedFor<'_>, compared: &mut Compared) {
        let Some(codes) = self.files.get(path) else { return };
        for (code, known) in codes.iter().filter(|(code, _)| (looked_for.code)(code)) {
            let whole = known.is_whole(looked_for.file);
            let (taken, left) = take_out(known, whole, code, report);
            compared.known = compared.known.saturating_add(taken);
            if left > 0 {
                compared.gone.push(Gone { path: path.to_string(), code: code.clone(), count: left });
            }
        }
    }

    /// Tells of files that are not there any more. `is_there` is asked for each that was not `seen`.
    pub fn compare_missing(&self, is_there: &dyn Fn(&str) -> bool, seen: &BTreeSet<String>, compared: &mut Compared) {
        for (path, code, known) in self.rows().filter(|(path, ..)| !seen.contains(*path)) {
            if !is_there(path) {
                compared.gone.push(Gone { path: path.to_string(), code: code.to_string(), count: known.count });
            }
        }
    }

    /// Lists what was found in a file, in the place of what is listed for it. What was not looked for stays as
    /// it is. `between` tells of a code which files its findings are between.
    pub fn record(
        &mut self,
        path: &str,
        report: &FileReport,
        looked_for: &LookedFor<'_>,
        between: &dyn Fn(&str) -> BTreeSet<String>,
    ) {
        let mut codes = self.files.remove(path).unwrap_or_default();
        codes.retain(|code, known| !(looked_for.code)(code) || !known.is_whole(looked_for.file));
        for (&code, &count) in &report.counts {
            let of_code = report.findings.iter().filter(|finding| finding.rule.code == code);
            let prints: BTreeSet<String> = of_code.filter_map(fingerprint).map(String::from).collect();
            let known = codes.entry(code.to_string()).or_default();
            let unlisted = count.saturating_sub(prints.len() as u64);
            let had = known.count.saturating_sub(known.fingerprints.len() as u64);
            known.fingerprints.extend(prints);
            known.count = (known.fingerprints.len() as u64).saturating_add(unlisted.max(had));
            known.between.extend(between(code));
        }
        if !codes.is_empty() {
            self.files.insert(path.to_string(), codes);
        }
    }

    /// Forgets files that are not there any more.
    pub fn forget(&mut self, is_there: &dyn Fn(&str) -> bool) {
        self.files.retain(|path, _| is_there(path));
    }
}

fn fingerprint(finding: &Finding) -> Option<&str> {
    finding.anchor.as_ref().map(|anchor| anchor.fingerprint.as_str())
}

/// Takes the known findings of a code out of a report; how many these were, and how many known ones were not
/// there. Only a run that has looked at the `whole` can tell that.
fn take_out(known: &Known, whole: bool, code: &str, report: &mut FileReport) -> (u64, u64) {
    let is_same = |finding: &Finding| fingerprint(finding).is_some_and(|print| known.fingerprints.contains(print));
    let of_code = |finding: &Finding| finding.rule.code == code;
    let same = report.findings.iter().filter(|finding| of_code(finding) && is_same(finding)).count() as u64;
    // more than that, where lines were changed
    let mut others = if whole { known.count.saturating_sub(same) } else { 0 };
    let mut taken: Vec<Severity> = Vec::new();
    report.findings.retain(|finding| {
        if !of_code(finding) {
            return true;
        }
        let is_known = is_same(finding) || others > 0;
        if is_known {
            taken.push(finding.severity);
            others -= u64::from(!is_same(finding));
        }
        !is_known
    });
    // those that are only counted have the severity of those that are listed
    let counted = report.counts.get(code).copied().unwrap_or(0);
    let listed = taken.len() as u64 + report.findings.iter().filter(|finding| of_code(finding)).count() as u64;
    let unlisted = counted.saturating_sub(listed).min(others);
    let severity = taken.last().copied();
    for severity in taken.iter().copied() {
        report.totals.subtract(severity, 1);
    }
    if let Some(severity) = severity {
        report.totals.subtract(severity, unlisted);
    }
    let left = counted.saturating_sub(taken.len() as u64 + unlisted);
    report.counts.retain(|c, _| *c != code || left > 0);
    if let Some(count) = report.counts.iter_mut().find(|(c, _)| **c == code) {
        *count.1 = left;
    }
    (taken.len() as u64 + unlisted, others - unlisted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ContextCount, Totals};
    use crate::rules::{Anchor, RULES, Rule};

    const ALL: &LookedFor<'_> = &LookedFor { code: &|_| true, file: &|_| true };

    fn finding(rule: &'static Rule, print: &str) -> Finding {
        let mut finding = Finding::new(rule, None, "message");
        finding.severity = Severity::Error;
        finding.anchor = Some(Anchor { fingerprint: print.into(), column: None, end_column: None });
        finding
    }

    /// A report with these findings of one rule, and more that are not listed.
    fn report(prints: &[&str], unlisted: u64) -> FileReport {
        let rule = RULES[0];
        let count = prints.len() as u64 + unlisted;
        FileReport {
            path: "a".into(),
            dialect: "pi",
            version: None,
            bytes: 0,
            lines: 0,
            entries: 0,
            tips: 0,
            leaf: None,
            context: ContextCount::default(),
            counts: if count > 0 { BTreeMap::from([(rule.code, count)]) } else { BTreeMap::new() },
            totals: Totals { errors: count, ..Totals::default() },
            findings: prints.iter().map(|print| finding(rule, print)).collect(),
            notes: Vec::new(),
            written: None,
        }
    }

    /// What is left of the second against a baseline of the first: fingerprints, count, known, gone.
    fn against(known: &FileReport, mut now: FileReport) -> (Vec<String>, u64, u64, u64) {
        let mut baseline = Baseline::default();
        baseline.record("a", known, ALL, &|_| BTreeSet::new());
        let mut compared = Compared::default();
        baseline.compare("a", &mut now, ALL, &mut compared);
        let left = now.findings.iter().filter_map(fingerprint).map(String::from).collect();
        assert_eq!(now.totals.errors, now.counts.values().sum::<u64>());
        assert!(now.counts.values().all(|count| *count > 0));
        (left, now.totals.errors, compared.known, compared.gone.iter().map(|gone| gone.count).sum())
    }

    fn left(prints: &[&str], total: u64, known: u64, gone: u64) -> (Vec<String>, u64, u64, u64) {
        (prints.iter().map(|print| print.to_string()).collect(), total, known, gone)
    }

    #[test]
    fn known_ones_are_taken_out_by_fingerprint() {
        assert_eq!(against(&report(&["1", "2"], 0), report(&["2", "1"], 0)), left(&[], 0, 2, 0));
        assert_eq!(against(&report(&["1", "2"], 0), report(&["0", "1", "2"], 0)), left(&["0"], 1, 2, 0));
        assert_eq!(against(&report(&["1", "2"], 0), report(&["2"], 0)), left(&[], 0, 1, 1));
        assert_eq!(against(&report(&["1"], 0), report(&[], 0)), left(&[], 0, 0, 1));
        assert_eq!(against(&report(&[], 0), report(&["1"], 0)), left(&["1"], 1, 0, 0));
    }

    #[test]
    fn changed_ones_are_known_by_their_number() {
        assert_eq!(against(&report(&["1", "2"], 0), report(&["1", "3"], 0)), left(&[], 0, 2, 0));
        assert_eq!(against(&report(&["1", "2"], 0), report(&["3", "4", "5"], 0)), left(&["5"], 1, 2, 0));
        assert_eq!(against(&report(&["1", "2"], 0), report(&["3", "4", "2"], 0)), left(&["4"], 1, 2, 0));
    }

    #[test]
    fn what_is_only_counted_is_known_by_its_number() {
        assert_eq!(against(&report(&["1"], 5), report(&["1"], 5)), left(&[], 0, 6, 0));
        assert_eq!(against(&report(&["1"], 5), report(&["1"], 7)), left(&[], 2, 6, 0));
        assert_eq!(against(&report(&["1"], 5), report(&["1"], 1)), left(&[], 0, 2, 4));
    }

    #[test]
    fn it_reads_what_it_writes() {
        let mut baseline = Baseline::default();
        baseline.record("ä\u{1b}.jsonl", &report(&["1", "2"], 3), ALL, &|_| BTreeSet::new());
        baseline.record("b", &report(&[], 0), ALL, &|_| BTreeSet::new());
        let mut text = Vec::new();
        baseline.write(&mut text).expect("memory takes everything");
        assert!(is_baseline(&text) && !text.contains(&0x1b));
        assert_eq!(Baseline::parse(&text).as_ref(), Ok(&baseline));
        assert_eq!((baseline.count(), baseline.files()), (5, 1));
        assert!(Baseline::parse(b"{\"schema\":\"sesstool.baseline/9\",\"findings\":[]}").is_err());
        assert!(Baseline::parse(b"[]").is_err());
        let huge = br#"{"schema":"sesstool.baseline/1","findings":[
            {"path":"a","code":"L001","count":18446744073709551615,"fingerprints":[]},
            {"path":"b","code":"L001","count":18446744073709551615,"fingerprints":[]}]}"#;
        let huge = Baseline::parse(huge).expect("a baseline");
        let mut compared = Compared::default();
        huge.compare("a", &mut report(&["1"], 0), ALL, &mut compared);
        huge.compare_missing(&|_| false, &BTreeSet::new(), &mut compared);
        assert_eq!((huge.count(), compared.known, compared.gone()), (u64::MAX, 1, u64::MAX));
    }

    #[test]
    fn codes_that_were_not_looked_for_stay() {
        let mut baseline = Baseline::default();
        baseline.record("a", &report(&["1"], 0), ALL, &|_| BTreeSet::new());
        let before = baseline.clone();
        let none = &LookedFor { code: &|_| false, file: &|_| true };
        baseline.record("a", &report(&[], 0), none, &|_| BTreeSet::new());
        assert_eq!(baseline, before);
        let mut compared = Compared::default();
        baseline.compare("a", &mut report(&[], 0), none, &mut compared);
        assert_eq!(compared, Compared::default());
    }

    #[test]
    fn between_files_only_those_who_saw_them_all_can_miss_one() {
        let of = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<BTreeSet<String>>();
        let mut baseline = Baseline::default();
        baseline.record("(store)", &report(&["1", "2"], 0), ALL, &|_| of(&["a", "b", "c"]));
        let part = &LookedFor { code: &|_| true, file: &|path| path != "c" };
        let compare = |looked_for: &LookedFor<'_>, prints: &[&str]| {
            let (mut now, mut compared) = (report(prints, 0), Compared::default());
            baseline.compare("(store)", &mut now, looked_for, &mut compared);
            (now.totals.errors, compared.known, compared.gone())
        };
        assert_eq!(compare(part, &["1"]), (0, 1, 0));
        assert_eq!(compare(part, &["1", "3"]), (1, 1, 0));
        assert_eq!(compare(ALL, &["1"]), (0, 1, 1));
        assert_eq!(compare(ALL, &["1", "3"]), (0, 2, 0));
        let mut next = baseline.clone();
        next.record("(store)", &report(&["3"], 0), part, &|_| of(&["a", "d"]));
        assert_eq!(next.count(), 3);
        next.record("(store)", &report(&["3"], 0), ALL, &|_| of(&["a", "d"]));
        let mut text = Vec::new();
        next.write(&mut text).expect("memory takes everything");
        assert_eq!((next.count(), Baseline::parse(&text)), (1, Ok(next)));
        assert!(String::from_utf8_lossy(&text).contains(r#""between":["a","d"]"#));
    }

    #[test]
    fn files_that_are_gone_are_told() {
        let mut baseline = Baseline::default();
        baseline.record("a", &report(&["1"], 0), ALL, &|_| BTreeSet::new());
        baseline.record("b", &report(&["1"], 0), ALL, &|_| BTreeSet::new());
        let mut compared = Compared::default();
        baseline.compare_missing(&|path| path == "b", &BTreeSet::new(), &mut compared);
        assert_eq!(compared.gone, [Gone { path: "a".into(), code: RULES[0].code.into(), count: 1 }]);
        baseline.forget(&|path| path == "b");
        assert_eq!(baseline.files(), 1);
    }
}
