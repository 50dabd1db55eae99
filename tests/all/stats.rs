//! Statistics: against an independent count, over forks, through time, and as they look.

use super::support::{Fixture, Run, finish, fixtures, json, root, run, sesstool};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;
use sesstool::report::stats::{FORMATS, Settings};
use sesstool::session::scan::scan;
use sesstool::session::view::{Reader, View};
use sesstool::source::Source;
use sesstool::stats::{Base, By, FileStats, Options, Store};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use unicode_width::UnicodeWidthStr;

const STORE: &str = "fixtures/stats/store";
const KINDS: [&str; 4] = ["bad", "good", "repaired", "stats"];

#[allow(clippy::print_stderr, reason = "a test that was skipped should not look like one that was run")]
fn skipped() {
    eprintln!("skipped: python3 is not there");
}

/// The independent count of tests/stats, with `binary` in place of the program; `None` without Python.
fn count(binary: &Path, paths: &[&str]) -> Option<(bool, String)> {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        skipped();
        return None;
    }
    let mut command = Command::new("python3");
    command.arg("tests/stats/count.py").arg("--bin").arg(binary).args(paths).current_dir(root());
    let output = command.output().expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

#[test]
fn an_independent_count_comes_to_the_same() {
    let program = assert_cmd::cargo::cargo_bin("sesstool");
    let Some((same, text)) = count(&program, &["fixtures"]) else { return };
    assert!(same, "{text}");
    // so many that it has not left out what matters
    let files: u64 = text.lines().last().and_then(|l| l.split(' ').next()?.parse().ok()).expect("a count of files");
    assert!(files > 250, "{text}");
}

/// What came of `stats` over a folder: total cost, how many files were counted, and the names of those left out.
fn counted_in(folder: &Path, more: &[&str]) -> (String, u64, Vec<String>) {
    let document = stats(&[&[folder.to_str().expect("a path")], more].concat());
    let skipped = document["skipped"].as_array().expect("skipped").iter();
    let name = |file: &Value| file["path"].as_str().and_then(|path| path.rsplit('/').next()).map(str::to_string);
    let totals = &document["totals"];
    let cost = totals["tally"]["cost"]["total"].to_string();
    (cost, totals["files"].as_u64().expect("a number"), skipped.filter_map(name).collect())
}

/// A session of version 1 whose answers cost something, and one that is damaged.
fn old_and_damaged() -> [(&'static str, String); 2] {
    let usage = r#""usage":{"input":3,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":8,"cost":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"total":3}}"#;
    let answer = |id: &str, parent: &str| {
        format!(
            r#"{{"type":"message"{id}{parent},"timestamp":"2026-03-14T09:26:51.000Z","message":{{"role":"assistant","content":[{{"type":"text","text":"Yes."}}],"api":"a","provider":"p","model":"m",{usage},"stopReason":"stop","timestamp":1773480411000}}}}"#
        )
    };
    let header = |version: &str, id: &str| {
        format!(r#"{{"type":"session"{version},"id":"{id}","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}}"#)
    };
    let old = [header("", "old0"), answer("", ""), answer("", "")].join("\n") + "\n";
    let lost = answer(r#","id":"aaaa0002""#, r#","parentId":"ffff9999""#);
    let damaged =
        [header(r#","version":3"#, "new0"), answer(r#","id":"aaaa0001""#, r#","parentId":null"#), lost].join("\n");
    [("old.jsonl", old), ("damaged.jsonl", damaged + "\n")]
}

/// What `migrate` and `repair` made stands beside the original without counting; all else with a manifest counts.
#[test]
fn what_was_made_of_a_counted_file_is_not_counted_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (name, text) in old_and_damaged() {
        std::fs::write(at(name), text).expect("a session");
    }
    assert_eq!(counted_in(folder.path(), &[]), ("12".to_string(), 2, vec![]));
    let program = assert_cmd::cargo::cargo_bin("sesstool");
    for (verb, name) in [("migrate", "old.jsonl"), ("repair", "damaged.jsonl"), ("migrate", "old.jsonl")] {
        let out = at("deep");
        std::fs::create_dir_all(&out).expect("a folder");
        let more = if out.join(name).exists() { vec![] } else { vec!["--out-dir", out.to_str().expect("a path")] };
        let run = run(&[&[verb, at(name).to_str().expect("a path")], &more[..]].concat());
        assert!(matches!(run.code, Some(0 | 1)), "{}", run.err);
    }
    let made = ["damaged.jsonl", "old.jsonl", "old.v3.jsonl"];
    assert_eq!(counted_in(folder.path(), &[]), ("12".to_string(), 2, made.map(str::to_string).to_vec()));
    assert_eq!(counted_in(folder.path(), &["--by", "session"]).0, "12");
    let text = run(&["stats", folder.path().to_str().expect("a path")]).out;
    assert!(text.contains("not counted: 3 files") && text.contains("old.v3.jsonl: sesstool made it of"), "{text}");
    if let Some((same, text)) = count(&program, &[folder.path().to_str().expect("a path")]) {
        assert!(same && text.lines().last().is_some_and(|last| last.starts_with("2 files")), "{text}");
    }
    // alone, named, written to, without its manifest, or in the place of the original it counts
    assert_eq!(counted_in(&at("deep"), &[]), ("12".to_string(), 2, vec![]));
    let named = at("old.v3.jsonl").display().to_string();
    assert_eq!(counted_in(folder.path(), &[&named]).0, "18");
    let grown = at("deep/damaged.jsonl");
    let text = std::fs::read_to_string(&grown).expect("a session");
    let more = text.lines().last().expect("a line").replace("aaaa0002", "aaaa0003");
    std::fs::write(&grown, format!("{text}{more}\n")).expect("more of it");
    assert_eq!(counted_in(folder.path(), &[]).1, 3);
    std::fs::remove_file(at("deep/old.jsonl.manifest.json")).expect("a manifest");
    assert_eq!(counted_in(folder.path(), &[]).1, 4);
    for (from, to) in [
        ("damaged.jsonl", "damaged.jsonl.damaged"),
        ("deep/damaged.jsonl", "damaged.jsonl"),
        ("deep/damaged.jsonl.manifest.json", "damaged.jsonl.manifest.json"),
    ] {
        std::fs::rename(at(from), at(to)).expect("one file system");
    }
    let (_, files, left_out) = counted_in(folder.path(), &[]);
    assert_eq!((files, left_out), (3, vec!["old.v3.jsonl".to_string()]));
}

/// A copy that another program migrated cannot be told by its bytes; that it counts twice is said.
#[test]
fn copies_in_other_versions_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let [(_, old), _] = old_and_damaged();
    std::fs::write(at("a.jsonl"), &old).expect("a session");
    std::fs::write(at("b.jsonl"), &old).expect("the same");
    let path = folder.path().to_str().expect("a path");
    assert_eq!(stats(&[path])["severalVersions"], serde_json::json!([]));
    let migrated =
        run(&["migrate", at("a.jsonl").to_str().expect("a path"), "-o", at("c.jsonl").to_str().expect("a path")]);
    assert_eq!(migrated.code, Some(0), "{}", migrated.err);
    std::fs::remove_file(at("c.jsonl.manifest.json")).expect("a manifest");
    let several = serde_json::json!([{"session": "old0", "files": 2, "versions": [1, 3]}]);
    assert_eq!(stats(&[path])["severalVersions"], several);
    let text = run(&["stats", path]).out;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("2 files hold session old0 in versions 1 and 3: entries that"), "{text}");
}

/// A comparison that notices nothing would be no test.
#[cfg(unix)]
#[test]
fn the_independent_count_notices_one_wrong_digit() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let fake = folder.path().join("fake");
    let program = assert_cmd::cargo::cargo_bin("sesstool");
    for (right, wrong) in [("0.42746084999999998", "0.42746084999999997"), ("\"output\":714.5", "\"output\":714.6")] {
        let script = format!("#!/bin/sh\n'{}' \"$@\" | sed 's/{right}/{wrong}/'\n", program.display());
        std::fs::write(&fake, script).expect("a script");
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        let Some((same, text)) = count(&fake, &["fixtures/stats/usage.jsonl"]) else { return };
        assert!(!same && text.contains("instead of"), "{right}: {text}");
    }
}

fn stats(args: &[&str]) -> Value {
    let mut all = vec!["stats", "--format", "json"];
    all.extend(args);
    let run = run(&all);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{args:?}");
    json(&run)
}

/// A raw number of the document, with every digit.
fn raw<'d>(document: &'d str, before: &str) -> &'d str {
    let from = document.find(before).unwrap_or_else(|| panic!("no {before}")) + before.len();
    let rest = &document[from..];
    &rest[..rest.find([',', '}']).expect("an end")]
}

/// One root and 36 forks cost what the root costs, although each fork has all of it but the header, labels stand
/// elsewhere, and what hung on them hangs on another entry.
#[test]
fn thirty_six_forks_cost_what_their_root_costs() {
    let folder = tempfile::tempdir().expect("a folder");
    let root_file = folder.path().join("a-root.jsonl");
    let parser = root().join(STORE).join("2026-03-14T09-26-50-000Z_019cebb3-4c50-7a31-9d4e-5b0f6c2a5b01.jsonl");
    std::fs::copy(parser, &root_file).expect("a copy");
    let text = std::fs::read_to_string(&root_file).expect("a session");
    let ids: Vec<&str> = text.lines().skip(1).map(|line| raw(line, "\"id\":")).map(|id| id.trim_matches('"')).collect();
    let path = |name: String| folder.path().join(name).display().to_string();
    for n in 0..36 {
        let leaf = ids[ids.len() - 1 - n % (ids.len() - 2)];
        let fork = path(format!("fork-{n:02}.jsonl"));
        let forked = run(&["fork", &root_file.display().to_string(), "--leaf", leaf, "-o", &fork]);
        assert_eq!(forked.code, Some(0), "{}", forked.err);
    }
    let alone = run(&["stats", "--format", "json", &root_file.display().to_string()]);
    let all = run(&["stats", "--format", "json", &folder.path().display().to_string()]);
    let totals = |run: &Run| run.out[run.out.find("\"totals\":").expect("totals")..].to_string();
    for what in ["\"cost\":{\"input\":", "\"tokens\":{\"input\":", "\"cacheWrite\":"] {
        assert_eq!(raw(&totals(&alone), what), raw(&totals(&all), what), "{what}");
    }
    let cost = |run: &Run| json(run)["totals"]["tally"]["cost"].to_string();
    assert_eq!(cost(&alone), cost(&all));
    let (alone, all) = (json(&alone), json(&all));
    assert_eq!(all["totals"]["files"], 37);
    assert_eq!(all["shared"]["files"], 36);
    for what in ["roles", "tools", "models"] {
        assert_eq!(alone["totals"]["tally"][what], all["totals"]["tally"][what], "{what}");
    }
    // what was saved is what the files have themselves, less what is counted
    let sum = |pointer: &str| {
        all["files"]
            .as_array()
            .expect("files")
            .iter()
            .map(|f| f.pointer(pointer).and_then(Value::as_f64).expect("a number"))
            .sum::<f64>()
    };
    let whole = sum("/lifetime/cost/total");
    let (counted, saved) = (&all["totals"]["tally"]["cost"]["total"], &all["shared"]["tally"]["cost"]["total"]);
    let (counted, saved) = (counted.as_f64().expect("a number"), saved.as_f64().expect("a number"));
    assert!((whole - counted - saved).abs() < 1e-12 && saved > 20.0 * counted, "{whole} {counted} {saved}");
    let text = run(&["stats", &folder.path().display().to_string()]).out;
    assert!(text.contains("of 36 files stand in an earlier file, too, and are counted once"), "{text}");
    for by in ["day", "week", "month", "model", "provider", "project", "session"] {
        let grouped = stats(&[&folder.path().display().to_string(), "--by", by]);
        let groups = grouped["groups"].as_array().expect("groups");
        let cost = groups.iter().map(|g| g["tally"]["cost"]["total"].as_f64().expect("a number")).sum::<f64>();
        assert!((cost - counted).abs() < 1e-12, "{by}: {cost} {counted}");
    }
}

/// Whatever the threads, the same bytes come out.
#[test]
fn the_answer_does_not_depend_on_the_threads() {
    let outputs = ["1", "2", "7"].map(|threads| {
        let args = ["stats", "fixtures", "--format", "json", "--by", "day", "--threads", threads];
        finish(&mut sesstool(&args)).out
    });
    assert!(outputs[0].len() > 10_000 && outputs.iter().all(|out| *out == outputs[0]));
}

fn counted(bytes: &[u8], options: &Options) -> Option<FileStats> {
    FileStats::of::<true>(&Source::bytes(bytes.to_vec()), "session", options).expect("content is no error").ok()
}

/// Every byte of a file is of one kind, and no more is on the branch, or in the context, than in the file.
fn check_bases(bytes: &[u8]) {
    let Some(file) = counted(bytes, &Options::default()) else { return };
    assert_eq!(file.lifetime.bytes, bytes.len() as u64);
    assert_eq!(file.lifetime.sizes.iter().sum::<u64>(), bytes.len() as u64);
    let branch = file.branch.as_ref().expect("this program has a branch of every file");
    assert_eq!(branch.entries, file.shape.branch);
    assert_eq!(branch.bytes, branch.sizes.iter().sum::<u64>());
    assert!(branch.entries <= file.lifetime.entries && branch.bytes <= file.lifetime.bytes);
    assert!(file.shape.depth >= file.shape.branch.min(1) && file.shape.tips <= file.lifetime.entries);
    let context = file.context.as_ref().and_then(|context| context.as_ref().ok()).expect("a context");
    assert_eq!(context.tally.bytes, context.tally.sizes.iter().sum::<u64>());
}

#[test]
fn every_byte_is_counted_once() {
    KINDS.iter().flat_map(|kind| fixtures(kind)).for_each(|fixture| check_bases(&fixture.bytes));
}

/// The context has as many messages as `sesstool context` shows, for every reader.
#[test]
fn the_context_is_the_one_that_is_shown() {
    let mut compared = 0;
    for fixture in KINDS.iter().flat_map(|kind| fixtures(kind)) {
        let source = Source::bytes(fixture.bytes.clone());
        let (session, ()) = scan(&source, &Default::default()).expect("an index");
        for reader in [Reader::Sesstool, Reader::Pi, Reader::AgentCore] {
            let shown = View::new(&source, &session, reader).and_then(|view| view.context(view.leaf));
            let Some(file) = counted(&fixture.bytes, &Options { reader, ..Options::default() }) else { continue };
            let context = file.context.as_ref().expect("it was asked for");
            assert_eq!(shown.is_err(), context.is_err(), "{} {reader:?}", fixture.name);
            if let (Ok(shown), Ok(context)) = (shown, context) {
                assert_eq!(shown.shown.len() as u64, context.tally.entries, "{} {reader:?}", fixture.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

proptest! {
    #![proptest_config(Config { cases: 200, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() })]

    /// Cut, doubled or spoilt files are counted, too.
    #[test]
    fn any_bytes_are_counted(pick in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), by in any::<u8>(), twice in any::<bool>()) {
        static ALL: LazyLock<Vec<Fixture>> =
            LazyLock::new(|| ["good", "stats"].iter().flat_map(|kind| fixtures(kind)).collect());
        let mut bytes = ALL[pick.index(ALL.len())].bytes.clone();
        if bytes.is_empty() {
            return Ok(());
        }
        let at = at.index(bytes.len());
        match by {
            0..64 => bytes.truncate(at),
            by => bytes[at] = by,
        }
        if twice {
            bytes.extend_from_within(..);
        }
        check_bases(&bytes);
    }
}

#[test]
fn usage_is_read_wherever_it_stands() {
    let report = stats(&["fixtures/stats/usage.jsonl"]);
    let usage = &report["files"][0]["lifetime"]["usage"];
    assert_eq!((&usage["records"], &usage["notNumbers"]), (&13.into(), &10.into()));
    let run = run(&["stats", "--format", "json", "fixtures/stats/usage.jsonl"]);
    // compared with Python's Fraction by hand
    assert_eq!(raw(&run.out, "\"tokens\":{\"input\":"), "10105");
    let text = self::run(&["stats", "fixtures/stats/usage.jsonl"]).out;
    assert!(text.contains("10 values of usage are no numbers and count as nothing"), "{text}");
}

#[test]
fn damage_is_counted_as_debris() {
    let report = stats(&["fixtures/stats/debris.jsonl"]);
    let lifetime = &report["files"][0]["lifetime"];
    let debris = ["not a record", "[1,2]", "{\"type\":\"message\",\"id\":\"torn"].map(str::len).iter().sum::<usize>();
    assert_eq!((&lifetime["content"]["debris"], &lifetime["entries"]), (&debris.into(), &2.into()));
}

/// A window of time counts what the day counts, and days come to the whole.
#[test]
fn windows_and_days_agree() {
    let by_day = stats(&[STORE, "--by", "day"]);
    let days = by_day["groups"].as_array().expect("days");
    let keys: Vec<&str> = days.iter().map(|day| day["key"].as_str().expect("a day")).collect();
    assert_eq!(keys, ["2026-03-14", "2026-03-15", "2026-03-16", "2026-03-22"]);
    for day in days {
        let key = day["key"].as_str().expect("a day");
        let window = stats(&[STORE, "--since", key, "--until", key]);
        for what in ["entries", "roles", "tokens", "cost", "tools", "models", "activeMs"] {
            assert_eq!(window["totals"]["tally"][what], day["tally"][what], "{key} {what}");
        }
    }
    let tokyo = stats(&[STORE, "--by", "day", "--timezone", "Asia/Tokyo"]);
    let keys: Vec<&str> = tokyo["groups"].as_array().expect("days").iter().filter_map(|d| d["key"].as_str()).collect();
    assert_eq!(keys, ["2026-03-14", "2026-03-15", "2026-03-16", "2026-03-22"]);
    let kiritimati = stats(&[STORE, "--by", "day", "--timezone", "Pacific/Kiritimati"]);
    assert_eq!(kiritimati["groups"][0]["key"], "2026-03-14");
    let hawaii = stats(&[STORE, "--by", "day", "--timezone", "Pacific/Honolulu"]);
    assert_eq!(hawaii["groups"][0]["key"], "2026-03-13");
}

#[test]
fn gaps_over_the_limit_are_no_active_time() {
    let active = |gap: &str| stats(&[STORE, "--gap", gap])["totals"]["tally"]["activeMs"].as_i64().expect("a number");
    let (short, usual, all) = (active("1"), active("15"), active("100000"));
    assert!(short < usual && usual < all, "{short} {usual} {all}");
    let span = stats(&[STORE])["totals"]["tally"]["spanMs"].as_i64().expect("a number");
    assert_eq!(all, span);
}

#[test]
fn groups_by_project_tool_and_model() {
    let projects = stats(&[STORE, "--by", "project"]);
    let keys: Vec<&str> =
        projects["groups"].as_array().expect("groups").iter().filter_map(|g| g["key"].as_str()).collect();
    assert_eq!(keys, ["/work/parser", "/work/site"]);
    let tools = stats(&[STORE, "--by", "tool"]);
    let bash = &tools["groups"][0];
    assert_eq!(
        (&bash["tool"], &bash["calls"], &bash["results"], &bash["errors"]),
        (&"bash".into(), &3.into(), &3.into(), &2.into())
    );
    let models = stats(&[STORE, "--by", "model", "--sort", "name"]);
    let names: Vec<_> =
        models["groups"].as_array().expect("groups").iter().map(|g| (&g["provider"], &g["key"])).collect();
    assert_eq!(names[2], (&"other".into(), &"demo-large".into()));
    let skipped = tools["skipped"].as_array().expect("skipped");
    assert_eq!(skipped.len(), 1, "a file of notes is no session, and its usage counts nowhere");
}

#[test]
fn csv_has_a_line_a_file_or_group() {
    let run = run(&["stats", STORE, "--format", "csv"]);
    let mut lines = run.out.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.len() == head.len()), "{}", run.out);
    let column = |name: &str| head.iter().position(|n| *n == name).unwrap_or_else(|| panic!("no column {name}"));
    let sum = |name: &str| rows.iter().map(|row| row[column(name)].parse::<f64>().expect("a number")).sum::<f64>();
    let total = stats(&[STORE])["totals"]["tally"]["cost"]["total"].as_f64().expect("a number");
    assert!((sum("cost") - sum("shared_cost") - total).abs() < 1e-12);
    assert_eq!(rows[0][column("base")], "lifetime");
    for (by, first) in [("day", "day"), ("tool", "tool"), ("model", "provider"), ("session", "session")] {
        let run = super::support::run(&["stats", STORE, "--format", "csv", "--by", by]);
        assert!(run.out.starts_with(&format!("{first},")), "{by}: {}", run.out);
    }
}

#[test]
fn wrong_usage_says_what_to_type() {
    for (args, hint) in [
        (&["stats", STORE, "--timezone", "Mars"][..], "unknown time zone 'Mars'; write a name such as Europe/Berlin"),
        (&["stats", STORE, "--since", "yesterday"], "--since 'yesterday' is no time; write 2026-03-14"),
        (&["stats", STORE, "--by", "tool", "--sort", "cost"], "nothing tells the cost of a tool; sort tools by name"),
        (&["stats", STORE, "--by", "year"], "[possible values: day, week, month, model"),
        (
            &["stats", "/no/such/file"],
            "/no/such/file: cannot open: neither a file, nor the id of a session in pi's store",
        ),
        (&["stats", "fixtures/stats/store/notes.jsonl"], "not counted: no session format that is known here"),
    ] {
        let Run { code, err, .. } = run(args);
        assert!(code == Some(2) && err.contains(hint), "{args:?}: {code:?} {err}");
    }
    let document = json(&run(&["stats", "--format", "json", "/no/such/file", "fixtures/stats/usage.jsonl"]));
    assert_eq!((&document["totals"]["files"], document["errors"].as_array().map(Vec::len)), (&1.into(), Some(1)));
}

/// Entries that cost nothing save nothing by being counted once.
#[test]
fn no_saving_is_told_where_nothing_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let typed = super::support::message("aaaa0001", "", "x");
    for (name, header) in [
        ("a.jsonl", super::support::HEADER.to_string()),
        ("b.jsonl", super::support::HEADER.replace("2a7e18", "2a7e19")),
    ] {
        std::fs::write(folder.path().join(name), super::support::lines(&[&header, &typed])).expect("a session");
    }
    let path = folder.path().to_str().expect("a path");
    assert_eq!(stats(&[path])["shared"]["tally"]["entries"], 1);
    assert!(!run(&["stats", path]).out.contains("counted once"));
}

/// What is no session's id is told as the other verbs tell it.
#[test]
fn ids_that_name_no_session_are_explained() {
    for id in ["019cebb3", "nobody"] {
        let says = |verb: &str| finish(sesstool(&[verb, id]).env("PI_CODING_AGENT_SESSION_DIR", root().join(STORE)));
        let (stats, tree) = (says("stats"), says("tree"));
        let why = tree.err.split_once("': ").expect("a reason").1.trim_end();
        assert!(stats.code == Some(2) && stats.err.contains(why), "{} {}", stats.err, tree.err);
    }
}

/// `--top` holds for everything that is listed: of periods the last ones are shown, in any other order the first.
#[test]
fn no_more_lines_than_asked_for() {
    let shown = |args: &[&str]| run(&[&["stats", STORE], args].concat()).out;
    let days = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("2026-03-") && !line.contains(" to "))
            .map(|line| line[..10].to_string())
            .collect()
    };
    let last = shown(&["--by", "day", "--top", "2"]);
    assert!(days(&last) == ["2026-03-16", "2026-03-22"] && last.contains("2 earlier; --top 0 shows all"), "{last}");
    let costly = shown(&["--by", "day", "--sort", "cost", "--top", "2"]);
    let all = shown(&["--by", "day", "--sort", "cost"]);
    assert!(days(&costly) == days(&all)[..2] && costly.contains("2 more; --top 0 shows all"), "{costly}");
    assert_eq!((days(&all).len(), days(&shown(&["--by", "day", "--top", "0"])).len()), (4, 4));
    let tools = run(&["stats", STORE, "--by", "tool", "--top", "1"]).out;
    assert!(tools.contains("more; --top 0 shows all"), "{tools}");
}

/// Both ends of the years that the format has, numbers beyond reading, and entries that have no time.
#[test]
fn what_lies_far_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("far.jsonl");
    let usage = r#""usage":{"input":3e307,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"total":4e307}}"#;
    let entry = |id: &str, time: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null{time},"message":{{"role":"assistant","content":[],"provider":"p","model":"m",{usage}}}}}"#
        )
    };
    let at = |time: &str| format!(r#","timestamp":"{time}""#);
    let header = r#"{"type":"session","version":3,"id":"far","timestamp":"2026-03-14T09:26:50.000Z","cwd":"/p"}"#;
    let (first, last) = ("0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z");
    let all = [header, &entry("aaaa0001", &at(first)), &entry("aaaa0002", &at(last)), &entry("aaaa0003", "")];
    std::fs::write(&path, all.join("\n") + "\n").expect("a session");
    let path = path.to_str().expect("a path");
    let lifetime = &stats(&[path])["files"][0]["lifetime"];
    assert_eq!((&lifetime["first"], &lifetime["last"]), (&first.into(), &last.into()));
    let keys = |by: &str, zone: &str| -> Vec<String> {
        let document = stats(&[path, "--by", by, "--timezone", zone]);
        let groups = document["groups"].as_array().expect("groups").iter();
        groups.map(|group| group["key"].as_str().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(keys("day", "UTC"), ["0000-01-01", "9999-12-31", "(no time)"]);
    assert_eq!(keys("day", "Asia/Tokyo"), ["0000-01-01", "+010000-01-01", "(no time)"]);
    assert_eq!(keys("week", "UTC"), ["-000001-W52", "9999-W52", "(no time)"]);
    assert_eq!(keys("month", "UTC"), ["0000-01", "9999-12", "(no time)"]);
    let text = run(&["stats", path]).out;
    assert!(
        text.contains("0000-01-01 00:00 to 9999-12-31 23:59 UTC") && text.contains("1 entry has no time"),
        "{text}"
    );
    assert!(
        text.contains("9.0e307") && text.contains("1.2e308") && text.lines().all(|line| line.len() < 200),
        "{text}"
    );
    let tail = stats(&[path, "--since", "9999-12-31", "--until", "9999-12-31"]);
    assert_eq!(tail["totals"]["tally"]["entries"], 1);
    for args in [&["--since", "2000-01-01", "--until", "2000-12-31"][..], &["--until", "0000-01-01T00:00"]] {
        for by in [&[][..], &["--by", "day"], &["--by", "model"]] {
            let nothing = run(&[&["stats", path], args, by].concat());
            assert!(
                nothing.code == Some(0) && nothing.out.contains("no entry lies "),
                "{}{}",
                nothing.out,
                nothing.err
            );
        }
    }
}

#[test]
fn a_pipe_a_list_and_the_latest_session() {
    let text = std::fs::read(root().join("fixtures/stats/usage.jsonl")).expect("a session");
    let piped = finish(sesstool(&["stats", "-", "--format", "json"]).write_stdin(text));
    let named = run(&["stats", "fixtures/stats/usage.jsonl", "--format", "json"]);
    assert_eq!(json(&piped)["files"][0]["lifetime"], json(&named)["files"][0]["lifetime"]);
    let mut command = sesstool(&["stats", "019cebb3-4c50-7a31-9d4e-5b0f6c2a5b03", "--format", "json"]);
    let found = finish(command.env("PI_CODING_AGENT_SESSION_DIR", root().join(STORE)));
    assert_eq!(json(&found)["files"][0]["project"], "/work/site");
    let mut command = sesstool(&["stats", "--format", "json"]);
    let own = finish(command.env("PI_CODING_AGENT_SESSION_DIR", root().join(STORE)));
    assert!(own.err.contains("no path given: reading pi's session store") && json(&own)["totals"]["files"] == 3);
}

/// What people see, at a width.
fn shown(paths: &[&str], width: usize, ascii: bool, base: Base, by: Option<By>) -> String {
    let options = Options { base, ..Options::default() };
    let zone = jiff::tz::TimeZone::UTC;
    let mut store = Store::new(&options, by, zone.clone());
    let settings = Settings {
        width,
        ascii,
        by,
        base,
        reader: "sesstool",
        sort: None,
        top: 20,
        single: paths.len() == 1,
        zone,
        zone_name: "UTC".to_string(),
        gap: 900_000,
        since: None,
        until: None,
    };
    let mut report = (FORMATS[0].new)(&settings);
    let mut out = Vec::new();
    for path in paths {
        let source = Source::open(&root().join(path)).expect("a fixture");
        let counted = FileStats::of::<true>(&source, path, &options).expect("content is no error");
        let mut file = counted.unwrap_or_else(|_| panic!("{path} is a session"));
        let added = store.add(&mut file);
        report.file(&mut out, &file, &added).expect("memory takes everything");
    }
    report.end(&mut out, &store).expect("memory takes everything");
    let text = String::from_utf8(out).expect("text");
    // without its colours
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

fn store_paths() -> Vec<String> {
    let files = fixtures("stats").into_iter().filter(|f| f.folder == "store" && !f.name.ends_with("notes.jsonl"));
    files.map(|fixture| fixture.name).collect()
}

#[test]
fn tables_as_they_look() {
    let paths = store_paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut all = String::new();
    for (title, text) in [
        ("one file, 80 columns", shown(&["fixtures/stats/content.jsonl"], 80, false, Base::Lifetime, None)),
        ("its context, 140 columns", shown(&["fixtures/stats/content.jsonl"], 140, false, Base::Context, None)),
        ("a store, 80 columns", shown(&paths, 80, false, Base::Lifetime, None)),
        ("a store, 140 columns", shown(&paths, 140, false, Base::Lifetime, None)),
        ("by day, 80 columns", shown(&paths, 80, false, Base::Lifetime, Some(By::Day))),
        ("by model, 140 columns", shown(&paths, 140, false, Base::Lifetime, Some(By::Model))),
        ("by session, branches, 140 columns", shown(&paths, 140, false, Base::Branch, Some(By::Session))),
        ("by tool, ASCII, 80 columns", shown(&paths, 80, true, Base::Lifetime, Some(By::Tool))),
    ] {
        all.push_str(&format!("==== {title}\n{text}\n"));
    }
    insta::assert_snapshot!("tables", all);
}

/// Nothing is wider than the terminal, and nothing of the files reaches it as it is.
#[test]
fn tables_fit_and_are_harmless() {
    let bys = [None, Some(By::Day), Some(By::Model), Some(By::Project), Some(By::Session), Some(By::Tool)];
    for kind in KINDS {
        for fixture in fixtures(kind) {
            if counted(&fixture.bytes, &Options::default()).is_none() {
                continue;
            }
            for (n, by) in bys.iter().enumerate() {
                let width = [80, 100, 140][n % 3];
                let text = shown(&[&fixture.name], width, false, Base::Lifetime, *by);
                for line in text.lines().filter(|line| !line.contains("fixtures/")) {
                    assert!(line.width() <= width, "{} {by:?} {width}: {line}", fixture.name);
                    assert!(!line.chars().any(char::is_control), "{}: {line:?}", fixture.name);
                }
            }
        }
    }
    let paths = store_paths();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    for by in bys {
        let text = shown(&paths, 80, false, Base::Lifetime, by);
        assert!(text.lines().all(|line| line.width() <= 80), "{by:?}\n{text}");
    }
}
