//! Which findings count, and how much: what `--select`, `--ignore` and `--severity` say.
//!
//! A selector is a code (`G003`), a name (`dangling-parent`) or the beginning of codes (`G`, `G00`).
//! Where two of them disagree, the closer one decides (`--ignore G --select G003` leaves G003 alone of
//! its letter); between equals `--ignore` goes before `--select`, and a later `--severity` before an
//! earlier one. Everything is settled once, so that a finding costs one look-up.

use super::{Finding, RULES, Rule, Severity};
use crate::source::globs::Globs;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What a user wants a rule to be: a severity, or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Findings are reported with this severity.
    At(Severity),
    /// Findings are dropped.
    Off,
}

impl FromStr for Level {
    type Err = PolicyError;

    fn from_str(word: &str) -> Result<Self, PolicyError> {
        match word {
            "error" => Ok(Level::At(Severity::Error)),
            "warning" => Ok(Level::At(Severity::Warning)),
            "info" => Ok(Level::At(Severity::Info)),
            "off" => Ok(Level::Off),
            _ => Err(PolicyError::UnknownLevel { given: word.into() }),
        }
    }
}

/// The rules that differ from what [`RULES`] says. The default changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Kept apart from what is off: a rule that another policy switches on again has its severity still.
    severities: BTreeMap<&'static str, Severity>,
    off: BTreeSet<&'static str>,
    /// The rules that were asked for, and are not off.
    selected: BTreeSet<&'static str>,
}

impl Policy {
    /// The policy for all [`RULES`]; `severity` holds assignments `CODE=LEVEL`. No `select` selects all.
    ///
    /// # Errors
    /// A selector that fits no rule, or an assignment that is none.
    pub fn new(select: &[String], ignore: &[String], severity: &[String]) -> Result<Self, PolicyError> {
        Self::for_rules(RULES, select, ignore, severity)
    }

    /// The policy for a table of rules.
    fn for_rules(
        rules: &'static [&'static Rule],
        select: &[String],
        ignore: &[String],
        severity: &[String],
    ) -> Result<Self, PolicyError> {
        let select = selectors(rules, select)?;
        let ignore = selectors(rules, ignore)?;
        let assignments = assignments(rules, severity)?;
        let is_on = |rule: &Rule| {
            let selected = if select.is_empty() { Some(0) } else { closest(&select, rule) };
            selected.is_some_and(|selected| closest(&ignore, rule).is_none_or(|ignored| ignored < selected))
        };
        let mut policy = Policy::default();
        for rule in rules {
            let assigned = assigned(&assignments, rule);
            if let Some(Level::At(severity)) = assigned {
                policy.severities.insert(rule.code, severity);
            }
            if !is_on(rule) || assigned == Some(Level::Off) {
                policy.off.insert(rule.code);
            }
            if !select.is_empty() && is_on(rule) {
                policy.selected.insert(rule.code);
            }
        }
        Ok(policy)
    }

    /// This policy where it says something, and elsewhere `lower`. A rule that is asked for here is on even
    /// if it is off there.
    pub fn over(&self, lower: &Policy) -> Policy {
        let mut severities = lower.severities.clone();
        severities.extend(&self.severities);
        let is_on = |code: &&str| self.selected.contains(*code) || self.severities.contains_key(*code);
        let off = lower.off.iter().copied().filter(|code| !is_on(code)).chain(self.off.iter().copied()).collect();
        Policy { severities, off, selected: &lower.selected | &self.selected }
    }

    /// The severity with which a finding of this rule counts, `severity` being its own; `None` if it does not.
    pub fn severity(&self, rule: &Rule, severity: Severity) -> Option<Severity> {
        let own = || self.severities.get(rule.code).copied().unwrap_or(severity);
        (!self.off.contains(rule.code)).then(own)
    }

    /// The finding with the severity that it has here; `None` if it does not count.
    pub fn apply(&self, finding: Finding) -> Option<Finding> {
        let severity = self.severity(finding.rule, finding.severity)?;
        Some(Finding { severity, ..finding })
    }
}

/// Policies for some paths, between the one below them (of a file of settings) and the one above (of the
/// command line).
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// What holds everywhere unless something says otherwise.
    pub lower: Policy,
    /// Which paths, and what is said for them; a later one goes before an earlier one.
    pub list: Vec<(Globs, Policy)>,
    /// What goes before all of it.
    pub upper: Policy,
}

impl Overrides {
    /// The policy for a path; `everywhere` where nothing else is said.
    pub fn of<'p>(&self, path: Option<&Path>, everywhere: &'p Policy) -> Cow<'p, Policy> {
        let fit = |globs: &Globs| path.is_some_and(|path| globs.fit(path));
        let mut found: Option<Policy> = None;
        for (_, policy) in self.list.iter().filter(|(globs, _)| fit(globs)) {
            found = Some(policy.over(found.as_ref().unwrap_or(&self.lower)));
        }
        found.map_or(Cow::Borrowed(everywhere), |found| Cow::Owned(self.upper.over(&found)))
    }
}

/// A code, a name, or the beginning of codes; known to fit at least one rule.
#[derive(Clone, Debug)]
struct Selector(String);

impl Selector {
    fn new(rules: &[&Rule], given: &str) -> Result<Self, PolicyError> {
        let selector = Selector(given.trim().to_ascii_uppercase());
        match rules.iter().any(|rule| selector.closeness(rule).is_some()) {
            true => Ok(selector),
            false => Err(PolicyError::UnknownRule { given: given.into(), nearest: nearest(rules, given) }),
        }
    }

    /// How closely it names the rule: the number of the code's characters that it settles.
    fn closeness(&self, rule: &Rule) -> Option<usize> {
        let begins = !self.0.is_empty() && rule.code.starts_with(&self.0);
        let is_name = rule.name.eq_ignore_ascii_case(&self.0);
        if is_name { Some(rule.code.len()) } else { begins.then_some(self.0.len()) }
    }
}

fn selectors(rules: &[&Rule], given: &[String]) -> Result<Vec<Selector>, PolicyError> {
    given.iter().map(|selector| Selector::new(rules, selector)).collect()
}

fn closest(selectors: &[Selector], rule: &Rule) -> Option<usize> {
    selectors.iter().filter_map(|selector| selector.closeness(rule)).max()
}

fn assignments(rules: &[&Rule], given: &[String]) -> Result<Vec<(Selector, Level)>, PolicyError> {
    let parse = |assignment: &String| {
        let (rule, level) =
            assignment.split_once('=').ok_or_else(|| PolicyError::NoAssignment { given: assignment.clone() })?;
        Ok((Selector::new(rules, rule)?, level.trim().parse()?))
    };
    given.iter().map(parse).collect()
}

/// The level of the closest assignment, the last of equals.
fn assigned(assignments: &[(Selector, Level)], rule: &Rule) -> Option<Level> {
    let fitting = assignments.iter().filter_map(|(selector, level)| Some((selector.closeness(rule)?, *level)));
    fitting.max_by_key(|(closeness, _)| *closeness).map(|(_, level)| level)
}

/// The code or name that was most likely meant; `None` if nothing comes close.
pub fn nearest(rules: &[&Rule], given: &str) -> Option<&'static str> {
    let (code, name) = (given.trim().to_ascii_uppercase(), given.trim().to_ascii_lowercase());
    let distances = rules.iter().flat_map(|rule| {
        [
            (strsim::damerau_levenshtein(rule.code, &code), rule.code),
            (strsim::damerau_levenshtein(rule.name, &name), rule.name),
        ]
    });
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    let most = (candidate.len() / 3).max(2);
    (distance <= most).then_some(candidate)
}

/// What is wrong with a selector or an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// No rule has this code, name or beginning.
    UnknownRule {
        /// What was given.
        given: String,
        /// The code or name that comes closest.
        nearest: Option<&'static str>,
    },
    /// The level is none.
    UnknownLevel {
        /// What was given.
        given: String,
    },
    /// There is no `=`.
    NoAssignment {
        /// What was given.
        given: String,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::UnknownRule { given, nearest: Some(nearest) } => {
                write!(f, "unknown rule '{given}'; did you mean '{nearest}'?")
            }
            PolicyError::UnknownRule { given, nearest: None } => {
                write!(f, "unknown rule '{given}'; `sesstool explain` lists them all")
            }
            PolicyError::UnknownLevel { given } => {
                write!(f, "unknown severity '{given}'; it is error, warning, info or off")
            }
            PolicyError::NoAssignment { given } => {
                write!(f, "'{given}' sets no severity; write CODE=LEVEL, for example '{given}=warning'")
            }
        }
    }
}

impl std::error::Error for PolicyError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Repair;

    const fn rule(code: &'static str, name: &'static str) -> Rule {
        Rule {
            code,
            name,
            severity: Severity::Error,
            also: &[],
            found: "",
            why: "",
            readers: "",
            example: "",
            repair: Repair::None,
            remedy: "",
            checks: &[],
        }
    }

    static TABLE: &[&Rule] = &[
        &rule("A001", "first-of-a"),
        &rule("A002", "second-of-a"),
        &rule("A010", "tenth-of-a"),
        &rule("B001", "broken-thing"),
    ];

    fn policy(select: &[&str], ignore: &[&str], severity: &[&str]) -> Result<Policy, PolicyError> {
        let owned = |given: &[&str]| given.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        Policy::for_rules(TABLE, &owned(select), &owned(ignore), &owned(severity))
    }

    /// The codes that are on, with the severity where it was changed.
    fn on(select: &[&str], ignore: &[&str], severity: &[&str]) -> String {
        let policy = policy(select, ignore, severity).expect("a sound policy");
        let on = TABLE.iter().filter_map(|rule| match policy.severity(rule, rule.severity)? {
            Severity::Error => Some(rule.code.to_string()),
            other => Some(format!("{}={}", rule.code, other.name())),
        });
        on.collect::<Vec<_>>().join(" ")
    }

    fn message(select: &[&str], severity: &[&str]) -> String {
        policy(select, &[], severity).expect_err("an error").to_string()
    }

    #[test]
    fn select_and_ignore_take_codes_names_and_prefixes() {
        assert_eq!(on(&[], &[], &[]), "A001 A002 A010 B001");
        assert_eq!(on(&["A00"], &[], &[]), "A001 A002");
        assert_eq!(on(&["b", "Second-of-a"], &[], &[]), "A002 B001");
        assert_eq!(on(&[], &["A", "broken-thing"], &[]), "");
        assert_eq!(on(&[], &["a010"], &[]), "A001 A002 B001");
    }

    #[test]
    fn the_closer_selector_decides() {
        assert_eq!(on(&["A001", "B"], &["A"], &[]), "A001 B001");
        assert_eq!(on(&["A"], &["A00"], &[]), "A010");
        assert_eq!(on(&["A001"], &["first-of-a"], &[]), "");
    }

    #[test]
    fn severities_replace() {
        assert_eq!(on(&[], &[], &["A=warning", "A002=info", "B=off"]), "A001=warning A002=info A010=warning");
        assert_eq!(on(&[], &[], &["A002=info", "A=warning"]), "A001=warning A002=info A010=warning B001");
        assert_eq!(on(&["B"], &[], &["B=info", "broken-thing = warning"]), "B001=warning");
    }

    #[test]
    fn one_policy_stands_over_another() {
        let on = |upper: Policy, lower: Policy| {
            let policy = upper.over(&lower);
            let on = TABLE.iter().filter_map(|rule| {
                let severity = policy.severity(rule, rule.severity)?;
                Some(format!("{}={}", rule.code, severity.name()))
            });
            on.collect::<Vec<_>>().join(" ")
        };
        let of =
            |select: &[&str], ignore: &[&str], severity: &[&str]| policy(select, ignore, severity).expect("a policy");
        let lower = || of(&[], &["A001"], &["A002=info"]);
        assert_eq!(on(of(&[], &[], &[]), lower()), "A002=info A010=error B001=error");
        assert_eq!(on(of(&[], &["B"], &["A002=warning"]), lower()), "A002=warning A010=error");
        assert_eq!(on(of(&["A00"], &[], &[]), lower()), "A001=error A002=info");
        assert_eq!(on(of(&["A00"], &["A001"], &[]), lower()), "A002=info");
        // what is off here and on again there has its severity still
        let twice = of(&[], &["A002"], &[]).over(&of(&[], &[], &["A002=warning"]));
        assert_eq!(on(of(&["A002"], &[], &[]), twice), "A002=warning");
    }

    #[test]
    fn paths_have_policies_of_their_own() {
        let globs = |glob: &str| Globs::new(Path::new("/p"), &[glob.to_string()]).expect("a glob");
        let of = |severity: &[&str]| policy(&[], &[], severity).expect("a policy");
        let lower = of(&["A=warning"]);
        let list = vec![(globs("old"), of(&["A001=off", "A002=info"])), (globs("old/x"), of(&["A002=off"]))];
        let upper = of(&["A010=error"]);
        let everywhere = upper.over(&lower);
        let overrides = Overrides { lower, list, upper };
        let levels = |path: &str| {
            let policy = overrides.of(Some(Path::new(path)), &everywhere);
            let all = TABLE.iter().map(|rule| policy.severity(rule, rule.severity).map_or("off", Severity::name));
            all.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(levels("/p/new/a"), "warning warning error error");
        assert_eq!(levels("/p/old/a"), "off info error error");
        assert_eq!(levels("/p/old/x/a"), "off off error error");
        assert!(matches!(overrides.of(None, &everywhere), Cow::Borrowed(_)));
    }

    #[test]
    fn unknown_ones_are_refused_with_what_comes_close() {
        assert_eq!(message(&["A020"], &[]), "unknown rule 'A020'; did you mean 'A002'?");
        assert_eq!(message(&["broken-thin"], &[]), "unknown rule 'broken-thin'; did you mean 'broken-thing'?");
        assert_eq!(
            message(&["something-else"], &[]),
            "unknown rule 'something-else'; `sesstool explain` lists them all"
        );
        assert_eq!(message(&[""], &[]).split(';').next(), Some("unknown rule ''"));
        assert_eq!(message(&[], &["A001=fatal"]), "unknown severity 'fatal'; it is error, warning, info or off");
        assert_eq!(message(&[], &["A001"]), "'A001' sets no severity; write CODE=LEVEL, for example 'A001=warning'");
    }

    #[test]
    fn a_finding_is_changed_or_dropped() {
        let finding = |rule| Finding {
            rule,
            severity: Severity::Error,
            place: None,
            entry: None,
            message: String::new(),
            effect: String::new(),
            repair: Repair::None,
            related: Vec::new(),
            excerpt: None,
            anchor: None,
        };
        let policy = policy(&[], &["B"], &["A001=info"]).expect("a sound policy");
        assert_eq!(policy.apply(finding(TABLE[0])).map(|f| f.severity), Some(Severity::Info));
        assert!(policy.apply(finding(TABLE[3])).is_none());
    }
}
