//! Tool calls and results after a repair with everything that is done only on request: on every branch, and
//! in the context of every tip, each call has its result right behind it.

use crate::repair::{all_choices, config, holds, options, repairing};
use crate::support::{check_bytes, fixtures, written};
use proptest::prelude::*;
use serde_json::Value;
use sesstool::rules::check::Audit;
use sesstool::session::graph::Intervals;
use sesstool::session::scan::scan;
use sesstool::session::view::{Leaf, Reader, View};
use sesstool::source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is wrong with the calls of a context of pi's, by a walk along its messages, as they are shown, that
/// knows nothing of how the rules do it.
fn unpaired(messages: &[Value]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut waiting = false;
    for message in messages {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "assistant" if matches!(message["stopReason"].as_str(), Some("error" | "aborted")) => continue,
            "user" | "assistant" | "custom" | "bashExecution" | "branchSummary" | "compactionSummary" => {}
            "toolResult" => {
                let id = message["toolCallId"].as_str().unwrap_or_default();
                match open.iter().position(|call| *call == id) {
                    Some(at) => drop(open.remove(at)),
                    None => wrong.push(format!("a result of {id} without its call right before it")),
                }
                continue;
            }
            _ => continue,
        }
        if !open.is_empty() {
            wrong.push(format!("{open:?} have no result"));
        }
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let calls = blocks.iter().filter(|block| role == "assistant" && block["type"] == "toolCall");
        open = calls.filter_map(|block| block["id"].as_str()).collect();
        waiting = message["stopReason"] == "toolUse";
    }
    if !open.is_empty() && !waiting {
        wrong.push(format!("{open:?} have no result at the end"));
    }
    wrong
}

/// What is wrong in the context of any tip, or of the leaf.
fn unpaired_anywhere(bytes: &[u8]) -> Vec<String> {
    let source = Source::bytes(bytes.to_vec());
    let (session, ()) = scan(&source, &Default::default()).expect("bytes in memory");
    let Ok(view) = View::new(&source, &session, Reader::Pi) else { return Vec::new() };
    let mut tips: BTreeSet<u32> = (0..view.len()).collect();
    (0..view.len()).filter_map(|n| view.walk_parent(n)).for_each(|parent| {
        tips.remove(&parent);
    });
    let mut wrong = Vec::new();
    for leaf in tips.into_iter().map(Leaf::Node).chain([view.leaf]) {
        let Ok(context) = view.context(leaf) else { continue };
        let messages = context.shown.iter().filter_map(|shown| view.message(shown));
        // half a surrogate pair is no JSON to others
        let messages: Vec<Value> = messages.filter_map(|m| serde_json::from_str(&m.json).ok()).collect();
        wrong.extend(unpaired(&messages).into_iter().map(|what| format!("{leaf:?}: {what}")));
    }
    wrong
}

/// Codes of which none may be left.
const MENDED: &[&str] = &["M001", "M002", "M004", "M005", "M006", "M008", "M013", "R003", "R005", "J004", "E006"];

fn is_mended(bytes: &[u8]) -> Result<(), TestCaseError> {
    let (_, output) = repairing(bytes, &all_choices());
    let report = check_bytes(&output);
    let left: Vec<_> = report.counts.keys().filter(|code| MENDED.contains(code)).collect();
    let told = || {
        format!(
            "of\n{}\nto\n{}\n{}",
            String::from_utf8_lossy(bytes),
            String::from_utf8_lossy(&output),
            written(&report, "concise")
        )
    };
    prop_assert!(left.is_empty(), "{:?} are left {}", left, told());
    // two calls of one message with one id have no repair, nor do blocks without an id
    if !["M003", "M007"].iter().any(|code| report.counts.contains_key(code)) {
        let wrong = unpaired_anywhere(&output);
        prop_assert!(wrong.is_empty(), "{:?} {}", wrong, told());
    }
    Ok(())
}

#[test]
fn no_fixture_keeps_an_unpaired_call() {
    for fixture in fixtures("bad").iter().chain(&fixtures("good")) {
        if let Err(error) = is_mended(&fixture.bytes) {
            panic!("{}: {error}", fixture.name);
        }
    }
}

/// The walk finds what the rules find, where they are not asked to mend it.
#[test]
fn the_walk_sees_what_the_rules_tell() {
    for code in ["M001", "M002", "M005", "M013", "R005"] {
        let mut seen = 0;
        for fixture in fixtures("bad").iter().filter(|fixture| fixture.code() == Some(code)) {
            seen += usize::from(!unpaired_anywhere(&fixture.bytes).is_empty());
        }
        assert!(seen > 0, "{code}");
    }
}

/// An entry of a random session.
#[derive(Clone, Debug)]
enum Kind {
    User,
    /// Calls, and how the turn stopped.
    Assistant(Vec<u8>, u8),
    Result(u8),
    Custom,
    Note,
    System,
    /// What it keeps first: an entry so far back, or nothing valid.
    Compaction(Option<usize>),
    Summary,
    Label,
    /// Of an entry so far back: removed, or given text. One that is given calls of its own is not made: no rule
    /// tells of them yet.
    Edit(usize, u8),
}

#[derive(Clone, Debug)]
struct Spec {
    kind: Kind,
    /// How far back the parent is; mostly 1.
    back: usize,
}

fn spec() -> impl Strategy<Value = Spec> {
    let calls = prop::collection::btree_set(0u8..5, 0..4).prop_map(|set| set.into_iter().collect::<Vec<_>>());
    let kind = prop_oneof![
        4 => Just(Kind::User),
        6 => (calls, 0u8..8).prop_map(|(calls, stop)| Kind::Assistant(calls, stop)),
        8 => (0u8..5).prop_map(Kind::Result),
        1 => Just(Kind::Custom),
        2 => Just(Kind::Note),
        1 => Just(Kind::System),
        2 => prop::option::weighted(0.9, 0usize..8).prop_map(Kind::Compaction),
        1 => Just(Kind::Summary),
        1 => Just(Kind::Label),
        1 => (1usize..8, 0u8..5).prop_map(|(back, what)| Kind::Edit(back, what)),
    ];
    let back = prop_oneof![8 => Just(1usize), 2 => 1usize..6, 1 => 1usize..30];
    (kind, back).prop_map(|(kind, back)| Spec { kind, back })
}

/// A session of these entries, as a tree of version 3 or a line of version 1.
fn session(specs: &[Spec], line: bool) -> Vec<u8> {
    let version = if line { "" } else { r#""version":3,"# };
    let mut text =
        format!(r#"{{"type":"session",{version}"id":"s","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}}"#);
    text.push('\n');
    for (n, Spec { kind, back }) in specs.iter().enumerate() {
        let id = |n: usize| format!("{n:08x}");
        let parent = n.checked_sub(*back).map_or("null".to_string(), |p| format!("\"{}\"", id(p)));
        let link = if line { String::new() } else { format!(r#""id":"{}","parentId":{parent},"#, id(n)) };
        let mut add = |kind: &str, fields: &str| {
            let second = n % 60;
            writeln!(text, r#"{{"type":"{kind}",{link}"timestamp":"2026-03-14T09:27:{second:02}.000Z",{fields}}}"#)
                .expect("memory");
        };
        let message =
            |role: &str, more: &str| format!(r#""message":{{"role":"{role}",{more},"timestamp":1773480410000}}"#);
        match kind {
            Kind::User => add("message", &message("user", r#""content":"x""#)),
            Kind::System => add("message", &message("system", r#""content":"x""#)),
            Kind::Assistant(calls, stop) => {
                let stop =
                    ["stop", "toolUse", "toolUse", "toolUse", "length", "error", "aborted", "toolUse"][*stop as usize];
                let mut blocks = vec![r#"{"type":"text","text":"y"}"#.to_string()];
                blocks.extend(
                    calls.iter().map(|c| format!(r#"{{"type":"toolCall","id":"c{c}","name":"t","arguments":{{}}}}"#)),
                );
                let usage = r#""usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"total":0}}"#;
                let more = format!(
                    r#""content":[{}],"api":"a","provider":"p","model":"m","stopReason":"{stop}",{usage}"#,
                    blocks.join(",")
                );
                add("message", &message("assistant", &more));
            }
            Kind::Result(c) => add(
                "message",
                &message(
                    "toolResult",
                    &format!(
                        r#""toolCallId":"c{c}","toolName":"t","content":[{{"type":"text","text":"r{n}"}}],"isError":false"#
                    ),
                ),
            ),
            Kind::Custom => add("custom_message", r#""customType":"c","content":"x","display":true"#),
            Kind::Note => add("custom", r#""customType":"c","data":1"#),
            Kind::Compaction(kept) => {
                let kept = match (kept, line) {
                    (None, false) => r#","firstKeptEntryId":"none""#.to_string(),
                    (Some(back), false) => format!(r#","firstKeptEntryId":"{}""#, id(n.saturating_sub(*back))),
                    (None, true) => String::new(),
                    (Some(back), true) => format!(r#","firstKeptEntryIndex":{}"#, (n + 1).saturating_sub(*back)),
                };
                add("compaction", &format!(r#""summary":"s","tokensBefore":9{kept}"#));
            }
            Kind::Summary => add("branch_summary", r#""summary":"s","fromId":"root""#),
            Kind::Edit(back, what) => {
                let replacement = match what {
                    0..3 => "null".to_string(),
                    3..5 => r#"{"content":"short"}"#.to_string(),
                    c => format!(
                        r#"{{"content":[{{"type":"toolCall","id":"c{}","name":"t","arguments":{{}}}}]}}"#,
                        c - 5
                    ),
                };
                let target = id(n.saturating_sub(*back));
                add("context_edit", &format!(r#""targetId":"{target}","replacement":{replacement}"#));
            }
            Kind::Label => add("label", r#""targetId":"00000000","label":"l""#),
        }
    }
    text.into_bytes()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_branch_keeps_an_unpaired_call(specs in prop::collection::vec(spec(), 1..30), line in any::<bool>()) {
        let bytes = session(&specs, line);
        holds(&bytes, &options())?;
        holds(&bytes, &all_choices())?;
        is_mended(&bytes)?;
    }

    /// Whether an entry stands above another is the same by a walk up and by the times at which a walk down
    /// comes to them, as long as there is patience for the first and beyond.
    #[test]
    fn both_ways_know_what_stands_above(specs in prop::collection::vec(spec(), 1..30), line in any::<bool>()) {
        let source = Source::bytes(session(&specs, line));
        let (session, ()) = scan(&source, &Default::default())?;
        let audit = Audit::new(&source, &session, None);
        let times = Intervals::of(&session, &session.children());
        let count = session.entries.len() as u32;
        for (a, n) in (0..count).flat_map(|n| (0..count).map(move |a| (a, n))) {
            prop_assert_eq!(audit.is_on_path(a, n), times.is_on_path(a, n), "{} above {}", a, n);
        }
    }
}

/// What is asked for moves, and nothing is lost: every result of the file is in it afterwards, or the
/// manifest has it.
#[test]
fn indices_of_version_1_follow_what_is_added() {
    let specs = |kept| {
        let kinds = [
            Kind::User,
            Kind::Assistant(vec![1], 0),
            Kind::User,
            Kind::Assistant(vec![], 0),
            Kind::User,
            Kind::Compaction(Some(kept)),
            Kind::User,
        ];
        kinds.map(|kind| Spec { kind, back: 1 })
    };
    for kept in 0..6 {
        let before = session(&specs(kept), true);
        let (repairing, output) = repairing(&before, &all_choices());
        let text = String::from_utf8(output).expect("text");
        let index = |text: &str| {
            let line = text.lines().find(|line| line.contains("compaction")).expect("a compaction");
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            value["firstKeptEntryIndex"].as_u64().expect("an index") as usize
        };
        let named = |text: &str| text.lines().nth(index(text)).expect("a record").to_string();
        let was = named(&String::from_utf8(before.clone()).expect("text"));
        // the compaction itself changes where it names itself
        let is = named(&text).replace(&format!("\"firstKeptEntryIndex\":{}", index(&text)), "");
        let was =
            was.replace(&format!("\"firstKeptEntryIndex\":{}", index(&String::from_utf8(before).expect("text"))), "");
        assert_eq!(is, was, "{text}");
        assert_eq!(text.matches("The result of this tool call was lost").count(), 1, "{:?}", repairing.plan.edits());
    }
}
