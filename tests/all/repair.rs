//! Repairs: what is damaged is mended, nothing else changes, nothing is lost.

use crate::support::{check_bytes, fixture, fixtures, loud_codes, written};
use proptest::prelude::*;
use sesstool::edit::{Manifest, Plan};
use sesstool::pass::Health;
use sesstool::pass::repair::{Options, Repairing, errors_left, is_left, plan};
use sesstool::rules::{RULES, Repair};
use sesstool::source::Source;

pub(crate) fn options() -> Options {
    Options::default()
}

/// With every repair that is made only on request.
pub(crate) fn all_choices() -> Options {
    let choices = RULES.iter().filter(|rule| rule.repair == Repair::Choice).map(|rule| rule.code.to_string());
    Options { choose: choices.collect(), ..options() }
}

pub(crate) fn repairing(bytes: &[u8], options: &Options) -> (Repairing, Vec<u8>) {
    let source = Source::bytes(bytes.to_vec());
    let repairing = plan(&source, None, options).expect("a plan");
    let output = applied(&repairing.plan, &source);
    (repairing, output)
}

fn applied(plan: &Plan, source: &Source) -> Vec<u8> {
    let mut out = Vec::new();
    plan.apply(source, &mut |piece| {
        out.extend_from_slice(piece);
        Ok(())
    })
    .expect("bytes in memory");
    out
}

fn errors(bytes: &[u8]) -> std::collections::BTreeMap<&'static str, u64> {
    errors_left(&Health::of(&Source::bytes(bytes.to_vec())).expect("bytes in memory"))
}

/// What every repair holds to: it ends, the manifest accounts for every byte, a second repair finds
/// nothing to do, and no error is left that has a repair, nor a new one.
pub(crate) fn holds(bytes: &[u8], options: &Options) -> Result<(), TestCaseError> {
    let (first, output) = repairing(bytes, options);
    let edits = Manifest::of_plan(&first.plan, &Source::bytes(bytes.to_vec())).expect("bytes in memory");
    prop_assert_eq!(restored(&edits, &first.plan, bytes, &output), bytes);
    let (second, again) = repairing(&output, options);
    prop_assert!(
        second.plan.is_empty(),
        "a second repair does {:?} behind {:?}\nof {}\nto {}",
        second.plan.edits(),
        first.plan.edits().iter().map(|e| (e.why.cause, e.span.clone(), e.at, &e.put)).collect::<Vec<_>>(),
        String::from_utf8_lossy(bytes),
        String::from_utf8_lossy(&output)
    );
    prop_assert_eq!(&again, &output);
    if first.hopeless.is_none() {
        let (before, after) = (errors(bytes), errors(&output));
        for (code, n) in &after {
            prop_assert!(is_left(code), "{} is left {} times (before: {:?})", code, n, before.get(code));
        }
    }
    if options.choose.is_empty() && !first.plan.is_empty() {
        // what validate says of the repair, without making it, is what comes out
        let (before, after) = (check_bytes(bytes).context.repaired, check_bytes(&output).context.pi);
        prop_assert_eq!(before, after, "of\n{}\nto\n{}", bytes.escape_ascii(), output.escape_ascii());
    }
    Ok(())
}

/// The input from the output and the edits' originals, without the code that does it for users.
fn restored(edits: &[sesstool::edit::manifest::Record], plan: &Plan, input: &[u8], output: &[u8]) -> Vec<u8> {
    assert_eq!(edits.len(), plan.edits().len());
    // what is kept stands in both, in order; what was taken is looked up in the input's own spans
    let mut pieces: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut at = 0u64;
    plan.walk(|segment| {
        match segment {
            sesstool::edit::Segment::Kept(span) => {
                let length = span.end - span.start;
                pieces.push((span.start, output[at as usize..(at + length) as usize].to_vec()));
                at += length;
            }
            sesstool::edit::Segment::Put(_, edit) => at += edit.put_length(),
        }
        Ok::<(), std::convert::Infallible>(())
    })
    .expect("never");
    for edit in plan.edits() {
        pieces.push((edit.span.start, input[edit.span.start as usize..edit.span.end as usize].to_vec()));
    }
    pieces.sort_by_key(|(start, bytes)| (*start, bytes.len()));
    pieces.into_iter().flat_map(|(_, bytes)| bytes).collect()
}

#[test]
fn every_fixture_is_repaired_as_promised() {
    for fixture in fixtures("bad").iter().chain(&fixtures("good")) {
        for options in [options(), all_choices()] {
            if let Err(error) = holds(&fixture.bytes, &options) {
                panic!("{}: {error}", fixture.name);
            }
        }
    }
}

/// What is asked for by name is gone, and in its place stands what the rule says.
#[test]
fn messages_are_repaired_on_request() {
    for code in ["M001", "M002", "M004", "M005", "M006", "M008", "M013", "R005"] {
        let mut seen = 0;
        for fixture in fixtures("bad").iter().filter(|fixture| fixture.code() == Some(code)) {
            assert!(repairing(&fixture.bytes, &options()).0.plan.is_empty(), "{}", fixture.name);
            let asked = Options { choose: vec![code.to_string()], ..options() };
            let (repairing, output) = repairing(&fixture.bytes, &asked);
            assert!(repairing.plan.edits().iter().all(|edit| edit.why.cause == code), "{}", fixture.name);
            let report = check_bytes(&output);
            assert!(loud_codes(&report).is_empty(), "{}\n{}", fixture.name, written(&report, "concise"));
            seen += 1;
        }
        assert!(seen > 0, "{code}");
    }
}

/// A stand-in is put only where the result is lost, not on the branch that has it.
#[test]
fn a_branch_that_has_the_result_keeps_it() {
    let side = fixture("bad/M001-tool-call-without-result/on-a-side-branch.jsonl");
    let asked = Options { choose: vec!["M001".to_string()], ..options() };
    let (_, output) = repairing(&side, &asked);
    let text = String::from_utf8(output).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let before = String::from_utf8(side).expect("text");
    let kept = before.lines().filter(|line| lines.contains(line)).count();
    assert_eq!((lines.len(), kept), (before.lines().count() + 1, before.lines().count() - 1));
    assert!(lines[4].contains("\"toolCallId\":\"call_2\"") && lines[4].contains("\"isError\":true"), "{text}");
}

#[test]
fn good_files_stay_as_they_are() {
    for fixture in fixtures("good") {
        let (repairing, _) = repairing(&fixture.bytes, &options());
        let causes: Vec<_> = repairing.plan.edits().iter().map(|e| e.why.cause).collect();
        assert!(causes.is_empty(), "{}: {causes:?}", fixture.name);
    }
}

#[test]
fn a_file_cut_anywhere_is_repaired() {
    let whole = fixture("bad/G005-parent-cycle/four.jsonl");
    for end in 0..whole.len() {
        if let Err(error) = holds(&whole[..end], &options()) {
            panic!("cut at {end}: {error}");
        }
    }
}

#[test]
fn a_repair_on_request_is_made_only_then() {
    let lone = fixture("bad/J004-lone-surrogate/in-a-text.jsonl");
    assert!(repairing(&lone, &options()).0.plan.is_empty());
    let asked = Options { choose: vec!["J004".to_string()], ..options() };
    let (repairing, output) = repairing(&lone, &asked);
    assert!(repairing.plan.edits().iter().all(|e| e.why.cause == "J004") && !repairing.plan.is_empty());
    assert!(memchr::memmem::find(&output, b"\\ufffd").is_some());
}

#[test]
fn a_torn_record_can_leave_an_entry() {
    let torn = fixture("bad/L001-truncated-last-line/in-a-string.jsonl");
    let asked = Options { salvage: true, stamp: true, ..options() };
    let (repairing, _) = repairing(&torn, &asked);
    let stamp = repairing.stamp.expect("a stamp");
    let stamped = stamp.put(&repairing.plan, "00", "11").expect("a plan");
    let output = applied(&stamped, &Source::bytes(torn));
    let text = String::from_utf8(output.clone()).expect("text");
    assert!(
        text.contains("\"customType\":\"sesstool.salvaged\"") && text.contains("\"customType\":\"sesstool.repair\"")
    );
    assert!(errors(&output).is_empty(), "{:?}\n{text}", errors(&output));
}

/// What an entry without a proper parent is linked to, and with what reason: fixture, entry, parent, evidence.
const EVIDENCE: &[(&str, &str, &str, &str)] = &[
    ("E004-missing-parent/absent", "5ea2c3f0", "4d90b7e1", "the entry written just before"),
    ("E004-missing-parent/summary-that-names-it", "90e1c4b7", "4d90b7e1", "which its `fromId` names"),
    // another summary of the file shows that `fromId` is the leaf that was left
    ("E004-missing-parent/summary-that-names-the-leaf", "91f2d5c8", "a5b6c7d8", "the entry written just before"),
    ("G003-dangling-parent/unknown-id", "5ea2c3f0", "4d90b7e1", "the entry written just before"),
    (
        "G003-dangling-parent/older-than-what-stands-before",
        "a5b6c7d8",
        "4d90b7e1",
        "the end of a branch just before its time",
    ),
];

#[test]
fn the_reason_names_the_evidence() {
    for (name, entry, parent, evidence) in EVIDENCE {
        let (repairing, output) = repairing(&fixture(&format!("bad/{name}.jsonl")), &options());
        let text = String::from_utf8(output).expect("text");
        let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{entry}\""))).expect("the entry");
        assert!(line.contains(&format!("\"parentId\":\"{parent}\"")), "{name}: {line}");
        let reasons: Vec<_> = repairing.plan.edits().iter().map(|edit| edit.why.reason.as_ref()).collect();
        assert!(
            reasons.iter().any(|reason| reason.contains(parent) && reason.contains(evidence)),
            "{name}: {reasons:?}"
        );
    }
}

/// Evidence where there is none, or where it is contradicted, changes nothing.
#[test]
fn weak_evidence_is_none() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#;
    let say = |id: &str, parent: &str, time: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-03-14T{time}.000Z","message":{{"role":"user","content":"x"}}}}"#
        )
    };
    let linked = |lines: &[String], id: &str| {
        let bytes = [&[header.to_string()], lines].concat().join("\n") + "\n";
        let (_, output) = repairing(bytes.as_bytes(), &options());
        let text = String::from_utf8(output).expect("text");
        let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{id}\""))).expect("the entry").to_string();
        serde_json::from_str::<serde_json::Value>(&line).expect("JSON")["parentId"].as_str().map(str::to_string)
    };
    // a clock that was set back by an hour: no branch ended just before
    let set_back = [
        say("a", "null", "09:00:00"),
        say("b", "\"a\"", "10:00:00"),
        say("c", "\"b\"", "10:30:00"),
        say("d", "\"gone\"", "09:30:10"),
    ];
    assert_eq!(linked(&set_back, "d").as_deref(), Some("c"));
    // a minute is not enough
    let near = [say("a", "null", "09:00:00"), say("b", "null", "09:00:50"), say("d", "\"gone\"", "09:00:01")];
    assert_eq!(linked(&near, "d").as_deref(), Some("b"));
    // a summary that names a parent of its own, and in `fromId` another entry, is of the kind that names the leaf
    let summary = r#"{"type":"branch_summary","id":"s1","parentId":"gone","timestamp":"2026-03-14T09:03:00.000Z","fromId":"a","summary":"x"}"#;
    let lines = [say("a", "null", "09:00:00"), say("b", "\"a\"", "09:01:00"), summary.to_string()];
    assert_eq!(linked(&lines, "s1").as_deref(), Some("b"));
    // without a parent, the beginning is where it went back to
    let summary = summary.replace(r#""parentId":"gone","#, "").replace(r#""fromId":"a""#, r#""fromId":"root""#);
    let lines = [say("a", "null", "09:00:00"), say("b", "\"a\"", "09:01:00"), summary];
    assert_eq!(linked(&lines, "s1"), None);
}

/// Damage that meets damage: each was once repaired by halves.
#[test]
fn damage_on_damage_is_repaired_at_once() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#;
    let entry = r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-14T09:26:54.000Z","message":{"role":"user","content":"x"}}"#;
    let title = r#"{"type":"title","v":1,"title":"t"}"#;
    let split = |text: &str, at: &str| text.replacen(at, &format!("\n{at}"), 1);
    let cases: Vec<Vec<u8>> = vec![
        // a header that is spread over lines and lacks a field
        format!("{}\n{entry}\n", split(header, "timestamp")).into_bytes(),
        // a header that moves, with a byte that is no UTF-8
        [b"[]\n".as_slice(), header.replace("/p", "\u{1}").replace('\u{1}', "/").as_bytes(), b"\n"].concat(),
        [b"[]\n{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-14T09:26:50.000Z\",\"cwd\":\"/\xE9\"}\n".as_slice(), entry.as_bytes(), b"\n"].concat(),
        // a marker line that is spread over lines
        format!("{header}\n{entry}\n{}\n", split(r#"{"type":"end","why":"x"}"#, "end")).into_bytes(),
        // a title line, and no header
        format!("{title}\n{entry}\n").into_bytes(),
        format!("{title}\n{title}\n{header}\n{entry}\n").into_bytes(),
        format!("{title}{header}{entry}{entry}\n").into_bytes(),
    ];
    for case in cases {
        if let Err(error) = holds(&case, &options()) {
            panic!("{}: {error}", String::from_utf8_lossy(&case));
        }
    }
}

/// `migrate --repair` does both in one plan, and the original comes back from it.
#[cfg(feature = "cli")]
#[test]
fn repair_and_migration_are_one_plan() {
    use crate::support::{finish, sesstool};
    let header = r#"{"type":"session","id":"s","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#;
    let entry = |text: &str| {
        format!(
            r#"{{"type":"message","timestamp":"2026-03-14T09:26:54.000Z","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.jsonl");
    let bytes = format!("{header}\n{}{}\n42\n{}\n{{\"type\":\"mess", entry("a"), entry("b"), entry("c"));
    std::fs::write(&path, &bytes).expect("a file");
    let run = |args: &[&str]| finish(sesstool(args).current_dir(folder.path()));
    let migrated = run(&["migrate", "--repair", "old.jsonl"]);
    assert_eq!(migrated.code, Some(0), "{}{}", migrated.out, migrated.err);
    let new = std::fs::read(folder.path().join("old.v3.jsonl")).expect("a new file");
    let health = Health::of(&Source::bytes(new)).expect("bytes in memory");
    assert_eq!((health.session.entries.len(), health.session.version(), errors_left(&health).len()), (3, Some(3), 0));
    assert_eq!(run(&["restore", "old.v3.jsonl", "-o", "back.jsonl"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("back.jsonl")).expect("the original"), bytes);
}

/// A stamp names the manifest by a hash that can be found by hand, and `restore --check` does.
#[cfg(feature = "cli")]
#[test]
fn a_stamp_names_the_manifest() {
    use crate::support::{finish, sesstool};
    let line = r#"{"type":"message","timestamp":"2026-03-14T09:26:54.000Z","message":{"role":"user","content":"x"}}"#;
    let old = format!(
        "{{\"type\":\"session\",\"id\":\"s\",\"cwd\":\"/p\",\"timestamp\":\"2026-03-14T09:26:50.000Z\"}}\n{line}{line}\n"
    );
    for (input, has_id) in
        [(fixture("bad/L001-truncated-last-line/in-a-string.jsonl"), true), (old.into_bytes(), false)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in.jsonl"), &input).expect("a file");
        let run = |args: &[&str]| finish(sesstool(args).current_dir(folder.path()));
        let repaired = run(&["repair", "in.jsonl", "-o", "out.jsonl", "--stamp"]);
        assert_eq!(repaired.code, Some(0), "{}{}", repaired.out, repaired.err);
        let output = std::fs::read_to_string(path("out.jsonl")).expect("text");
        let stamp: serde_json::Value = serde_json::from_str(output.lines().last().expect("a line")).expect("JSON");
        assert_eq!(stamp["customType"], "sesstool.repair");
        let before: serde_json::Value =
            serde_json::from_str(output.lines().rev().nth(1).expect("a line")).expect("JSON");
        assert_eq!((stamp["id"].is_string(), &stamp["parentId"]), (has_id, &before["id"]));
        // as docs/manifest.md says
        let manifest = std::fs::read_to_string(path("out.jsonl.manifest.json")).expect("text");
        let from = manifest.find("\"output\":{").expect("an output");
        let to = from + manifest[from..].find("},").expect("its end") + 2;
        let text = [&manifest[..from], &manifest[to..]].concat();
        let kept: Vec<&str> = text.split_inclusive('\n').filter(|line| !line.contains("\"cause\":\"stamp\"")).collect();
        let mut hasher = sesstool::edit::Hasher::default();
        hasher.add(kept.concat().as_bytes());
        assert_eq!(stamp["data"]["manifestSha256"], hasher.finish().sha256.as_str());
        let mut hasher = sesstool::edit::Hasher::default();
        hasher.add(&input);
        assert_eq!(stamp["data"]["inputSha256"], hasher.finish().sha256.as_str());
        let check = run(&["restore", "--check", "out.jsonl"]);
        assert_eq!((check.code, check.out.contains("its stamp names this manifest")), (Some(0), true), "{}", check.out);
        // a reason that nobody gave
        std::fs::write(path("out.jsonl.manifest.json"), manifest.replacen("\"reason\":\"", "\"reason\":\"not ", 1))
            .expect("a file");
        let check = run(&["restore", "--check", "out.jsonl"]);
        assert_eq!((check.code, check.err.contains("another manifest")), (Some(1), true), "{}{}", check.out, check.err);
        assert_eq!(run(&["restore", "out.jsonl", "-o", "back.jsonl"]).code, Some(0));
        assert_eq!(std::fs::read(path("back.jsonl")).expect("the original"), input);
        let again = run(&["repair", "out.jsonl", "-o", "again.jsonl", "--stamp"]);
        assert!(!path("again.jsonl").exists(), "{}", again.out);
    }
}

/// The same cases every time, so that a change is judged by what it changes; `SESSTOOL_CASES=N` tries
/// N others, drawn anew.
pub(crate) fn config() -> ProptestConfig {
    match std::env::var("SESSTOOL_CASES").ok().and_then(|n| n.parse().ok()) {
        Some(cases) => ProptestConfig { cases, failure_persistence: None, ..Default::default() },
        None => ProptestConfig {
            cases: 300,
            rng_seed: proptest::test_runner::RngSeed::Fixed(6),
            failure_persistence: None,
            ..Default::default()
        },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        holds(&bytes, &options())?;
    }

    #[test]
    fn mutated_fixtures(n in any::<prop::sample::Index>(), cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..40, 0u8..6), 1..6)) {
        let all = fixtures("bad");
        let mut bytes = all[n.index(all.len())].bytes.clone();
        for (at, length, what) in cuts {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match what {
                0 => { bytes.drain(at..end); }
                1 => bytes.insert(at, b'\n'),
                2 => { let again = bytes[at..end].to_vec(); bytes.splice(at..at, again); }
                3 => { bytes.splice(at..at, vec![0; length]); }
                4 => bytes.insert(at, 0xE9),
                _ => if let Some(lf) = bytes[at..].iter().position(|b| *b == b'\n') { bytes.remove(at + lf); },
            }
        }
        holds(&bytes, &options())?;
        holds(&bytes, &all_choices())?;
    }
}

/// Two sessions in one file become two files on request, and each gives the whole file back.
#[test]
fn two_sessions_become_two_files() {
    let header = |id: &str| {
        format!(r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}}"#)
    };
    let entry = |id: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-03-14T09:26:54.000Z","message":{{"role":"user","content":"x"}}}}"#
        )
    };
    let text = format!("{}\n{}\n{}\n{}\n", header("one"), entry("a"), header("two"), entry("b"));
    let source = Source::bytes(text.clone().into_bytes());
    let asked = Options { choose: vec!["H004".to_string()], ..options() };
    let parts = sesstool::pass::repair::plans(&source, None, &asked).expect("plans");
    let outputs: Vec<_> =
        parts.iter().map(|part| String::from_utf8(applied(&part.plan, &source)).expect("text")).collect();
    assert_eq!(
        outputs,
        [format!("{}\n{}\n", header("one"), entry("a")), format!("{}\n{}\n", header("two"), entry("b"))]
    );
    for (part, output) in parts.iter().zip(&outputs) {
        let edits = Manifest::of_plan(&part.plan, &source).expect("bytes in memory");
        assert_eq!(restored(&edits, &part.plan, text.as_bytes(), output.as_bytes()), text.as_bytes());
    }
    assert_eq!(sesstool::pass::repair::plans(&source, None, &options()).expect("plans").len(), 1);
}

/// Where the repaired twins of the damaged fixtures are.
const TWINS: &str = "fixtures/repaired";

/// Every damaged fixture that a default repair changes has a twin that is exactly what comes out.
/// `SESSTOOL_UPDATE=1 cargo test --locked twins` writes them anew.
#[test]
fn repaired_twins_are_what_comes_out() {
    let update = std::env::var_os("SESSTOOL_UPDATE").is_some();
    let mut with_twin = std::collections::BTreeSet::new();
    for fixture in fixtures("bad") {
        let source = Source::bytes(fixture.bytes.clone());
        let repairing = plan(&source, Some(&fixture.path), &options()).expect("a plan");
        let code = fixture.code().unwrap_or_default().to_string();
        if repairing.plan.is_empty() {
            continue;
        }
        if repairing.plan.edits().iter().any(|e| e.why.cause == code) {
            with_twin.insert(code);
        }
        let twin = crate::support::root().join(fixture.name.replacen("fixtures/bad", TWINS, 1));
        let output = applied(&repairing.plan, &source);
        if update {
            std::fs::create_dir_all(twin.parent().expect("a folder")).expect("a folder");
            std::fs::write(&twin, &output).expect("a twin");
        }
        let kept = std::fs::read(&twin).unwrap_or_else(|error| panic!("{}: {error}", twin.display()));
        assert!(kept == output, "{} is not what the repair gives", twin.display());
    }
    for rule in sesstool::rules::RULES {
        use sesstool::rules::Repair;
        if matches!(rule.repair, Repair::Safe | Repair::Assumed) {
            assert!(with_twin.contains(rule.code), "{} has a repair, but no fixture and twin", rule.code);
        }
    }
}
