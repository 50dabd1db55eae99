//! Sizes that nobody writes by hand. No time is measured: what is quadratic or recursive does not end.

#[path = "../../benches/trees.rs"]
mod trees;

use super::support::{HEADER, check_bytes, check_source, codes, lines, lines_of, loud_codes, message};
use sesstool::check::{Options, source_report};
use sesstool::pass::repair;
use sesstool::report::FileReport;
use sesstool::source::Source;
use std::fmt::Write;

/// A session of `count` small entries with the ids and parents that `link` gives.
fn session(count: u32, link: impl Fn(u32) -> (u32, Option<u32>)) -> FileReport {
    let mut text = String::with_capacity(120 * count as usize);
    writeln!(text, "{HEADER}").expect("memory");
    for n in 0..count {
        let (id, parent) = link(n);
        write!(text, r#"{{"type":"custom","id":"{id:08x}","parentId":"#).expect("memory");
        match parent {
            Some(parent) => write!(text, r#""{parent:08x}""#).expect("memory"),
            None => text.push_str("null"),
        }
        writeln!(text, r#","timestamp":"2026-03-14T09:26:50.000Z","customType":"n","data":{n}}}"#).expect("memory");
    }
    check_source(&Source::bytes(text.into_bytes()))
}

const MILLION: u32 = 1_000_000;

#[test]
fn a_chain_of_a_million_entries() {
    let report = session(MILLION, |n| (n, n.checked_sub(1)));
    assert_eq!((report.verdict(), report.entries, report.tips), ("clean", u64::from(MILLION), 1));
}

#[test]
fn a_loop_of_a_million_entries() {
    let report = session(MILLION, |n| (n, Some(n.checked_sub(1).unwrap_or(MILLION - 1))));
    assert_eq!(report.counts.get("G005"), Some(&1));
    let found = &report.findings[0];
    assert_eq!((found.rule.code, found.related.len(), found.place.as_ref().map(|p| p.line)), ("G005", 9, Some(2)));
    assert!(found.message.contains("1000000 entries"), "{}", found.message);
    assert_eq!(loud_codes(&report).len(), 1);
}

#[test]
fn one_id_for_all_entries() {
    const COUNT: u32 = 200_000;
    let report = session(COUNT, |n| (7, (n > 0).then_some(6)));
    assert_eq!(report.counts.get("G002"), Some(&u64::from(COUNT - 1)));
    assert_eq!(report.counts.get("G003"), Some(&u64::from(COUNT - 1)));
    assert_eq!(lines_of(&report, "G002").len(), 1000, "no more than a thousand are listed");
    // each its own parent
    let report = session(COUNT, |_| (7, Some(7)));
    assert_eq!(report.counts.get("G004"), Some(&u64::from(COUNT)));
}

#[test]
fn all_entries_below_one() {
    let report = session(300_000, |n| (n, (n > 0).then_some(0)));
    assert_eq!((loud_codes(&report).len(), report.tips), (0, 299_999));
}

/// Ten thousand branches of a hundred thousand entries each, all but one of them shared: what walks every
/// branch on its own does not end.
#[test]
fn ten_thousand_tips_over_one_trunk() {
    let (bytes, expected) = trees::tips(10_000, 100_000);
    let source = Source::bytes(bytes);
    let report = check_source(&source);
    let of = |code: &str| report.counts.get(code).copied().unwrap_or(0);
    assert_eq!(
        (report.entries, report.tips, of("M001"), of("M013")),
        (expected.entries, expected.tips, expected.lost, expected.parted)
    );
    assert_eq!(loud_codes(&report), ["M001", "M013"].into());
    let repaired = repaired(&source, &["M001", "M002", "M004"]);
    let report = check_source(&repaired);
    assert_eq!((report.entries, loud_codes(&report)), (expected.entries + expected.lost, ["M013"].into()));
}

/// A hundred thousand calls of one message, of which none is answered on either of two branches.
#[test]
fn a_hundred_thousand_calls_of_one_message() {
    const COUNT: usize = 100_000;
    let block = |n| format!(r#"{{"type":"toolCall","id":"c{n}","name":"t","arguments":{{}}}}"#);
    let calls: Vec<String> = (0..COUNT).map(block).collect();
    let asks = message("aaaa0001", "", "x")
        .replace(r#""role":"user""#, r#""role":"assistant""#)
        .replace(r#"{"type":"text","text":"x"}"#, &calls.join(","));
    let bytes = lines(&[HEADER, &asks, &message("aaaa0002", "aaaa0001", "a"), &message("aaaa0003", "aaaa0001", "b")]);
    let report = check_source(&repaired(&Source::bytes(bytes), &["M001"]));
    assert_eq!((report.entries, report.counts.get("M001")), (COUNT as u64 + 3, None));
}

/// Calls whose results stand at the far end of the file, and from each a side branch that has none.
#[test]
fn twenty_thousand_results_far_from_their_calls() {
    const COUNT: usize = 20_000;
    let mut text = format!("{HEADER}\n");
    let call = |n: usize| format!(r#"{{"type":"toolCall","id":"c{n}","name":"t","arguments":{{}}}}"#);
    let result = |n: usize| format!(r#""role":"toolResult","toolCallId":"c{n}","toolName":"t""#);
    for n in 0..COUNT {
        let parent = n.checked_sub(1).map_or(String::new(), |p| format!("a{p:07}"));
        let asks = message(&format!("a{n:07}"), &parent, "x").replace(r#""role":"user""#, r#""role":"assistant""#);
        writeln!(text, "{}", asks.replace(r#"{"type":"text","text":"x"}"#, &call(n))).expect("memory");
        writeln!(text, "{}", message(&format!("b{n:07}"), &format!("a{n:07}"), "side")).expect("memory");
    }
    for n in 0..COUNT {
        let parent = n.checked_sub(1).map_or(format!("a{:07}", COUNT - 1), |p| format!("c{p:07}"));
        writeln!(text, "{}", message(&format!("c{n:07}"), &parent, "r").replace(r#""role":"user""#, &result(n)))
            .expect("memory");
    }
    let source = Source::bytes(text.into_bytes());
    let report = check_source(&source);
    let count = COUNT as u64;
    let of = |report: &FileReport, code: &str| report.counts.get(code).copied().unwrap_or(0);
    // the last call has its result right behind it, if not on its side branch
    assert_eq!((of(&report, "M001"), of(&report, "M005")), (count, count - 1));
    let report = check_source(&repaired(&source, &["M001", "M002", "M004", "M005"]));
    assert_eq!((report.entries, of(&report, "M001"), of(&report, "M005")), (4 * count, 0, 0));
}

/// Branches that each lose each call of one message: more stand-ins than anybody wants.
#[test]
fn stand_ins_beyond_measure_are_refused() {
    const COUNT: usize = 2_000;
    let calls: Vec<String> =
        (0..COUNT).map(|n| format!(r#"{{"type":"toolCall","id":"c{n}","name":"t","arguments":{{}}}}"#)).collect();
    let asks = message("aaaaaaaa", "", "x").replace(r#""role":"user""#, r#""role":"assistant""#);
    let mut text = format!("{HEADER}\n{}\n", asks.replace(r#"{"type":"text","text":"x"}"#, &calls.join(",")));
    for n in 0..COUNT {
        let parent = n.checked_sub(1).map_or("aaaaaaaa".to_string(), |p| format!("b{p:07}"));
        let role = format!(r#""role":"toolResult","toolCallId":"c{n}","toolName":"t""#);
        writeln!(text, "{}", message(&format!("b{n:07}"), &parent, "r").replace(r#""role":"user""#, &role))
            .expect("memory");
        writeln!(text, "{}", message(&format!("c{n:07}"), &format!("b{n:07}"), "side")).expect("memory");
    }
    let options = repair::Options { choose: vec!["M001".to_string()], ..Default::default() };
    let refused = repair::plan(&Source::bytes(text.into_bytes()), None, &options);
    assert!(matches!(refused, Err(repair::RepairError::TooMany)));
}

/// What a repair gives back is told of files of any size: here all hang in one loop.
#[test]
fn messages_after_the_repair_of_a_large_file() {
    const COUNT: u32 = 200_000;
    let mut text = format!("{HEADER}\n");
    for n in 0..COUNT {
        let parent = n.checked_sub(1).unwrap_or(COUNT - 1);
        writeln!(text, "{}", message(&format!("{n:08x}"), &format!("{parent:08x}"), "x")).expect("memory");
    }
    assert!(text.len() > 32 << 20, "{}", text.len());
    let context = check_source(&Source::bytes(text.into_bytes())).context;
    assert_eq!((context.pi, context.repaired), (None, Some(u64::from(COUNT))));
}

/// What a repair with these choices makes of a session.
fn repaired(source: &Source, choose: &[&str]) -> Source {
    let choose = choose.iter().map(|code| code.to_string()).collect();
    let repairing = repair::plan(source, None, &repair::Options { choose, ..Default::default() }).expect("a plan");
    let mut bytes = Vec::new();
    let applied = repairing.plan.apply(source, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    });
    applied.expect("bytes in memory");
    Source::bytes(bytes)
}

/// A line between a header and a message.
fn with_line(line: &[u8]) -> FileReport {
    check_bytes(&lines(&[HEADER.as_bytes(), line, message("aaaa0001", "", "one").as_bytes()]))
}

#[test]
fn a_million_open_braces() {
    let report = with_line(&b"{".repeat(1_000_000));
    assert_eq!((lines_of(&report, "J001"), report.entries), (vec![2], 1));
}

#[test]
fn a_million_openings_of_objects() {
    let line = br#"{"a":"#.repeat(200_000);
    assert_eq!((lines_of(&with_line(&line), "L005"), with_line(&line).entries), (vec![2], 1));
    let last = check_bytes(&[HEADER.as_bytes(), b"\n", &line].concat());
    assert_eq!(lines_of(&last, "L001"), [2]);
}

#[test]
fn records_of_a_million_levels() {
    let data = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat();
    let line = message("aaaa0002", "aaaa0001", "x").replace("\"x\"", &data);
    assert_eq!(lines_of(&with_line(line.as_bytes()), "J006"), [2]);
}

#[test]
fn a_million_keys_in_one_object() {
    let keys: String = (0..1_000_000).map(|n| format!(r#","k{n}":{n}"#)).collect();
    let line = |more: &str| message("aaaa0002", "", "x").replace("\"role\"", &format!("{}{more},\"role\"", &keys[1..]));
    assert_eq!(loud_codes(&with_line(line("").as_bytes())).len(), 0);
    let twice = with_line(line(r#","k77":0"#).as_bytes());
    assert_eq!(lines_of(&twice, "J003"), [2]);
}

#[test]
fn a_hundred_thousand_records_on_one_line() {
    let line: String = (0..100_000).map(|n| message(&format!("{n:08x}"), "", "x")).collect();
    let report = with_line(line.as_bytes());
    assert_eq!((lines_of(&report, "L003"), report.entries), (vec![2], 100_001));
}

#[test]
fn a_hundred_thousand_torn_records_on_one_line() {
    let torn = message("aaaa0002", "", "x");
    let line = torn[..60].repeat(100_000) + &torn;
    let report = with_line(line.as_bytes());
    assert_eq!((lines_of(&report, "L004"), report.entries), (vec![2], 2));
}

/// A hundred thousand lines that each might begin a split record.
#[test]
fn a_hundred_thousand_open_strings() {
    let open = r#"{"type":"custom","data":"no end"#;
    let report = check_bytes(&lines(&[HEADER, &format!("{open}\n").repeat(100_000)]));
    assert_eq!(report.counts.get("L005"), Some(&100_000));
}

/// A string of JavaScript holds 536,870,888 characters; here the limit is small.
#[test]
fn an_oversized_line() {
    let longest_line = message("aaaa0001", "", "äöü😀").encode_utf16().count() as u64;
    let mut options = Options::default();
    options.scan.longest_line = longest_line;
    let check = |text: &str| {
        let source = Source::bytes(lines(&[HEADER, &message("aaaa0001", "", text)]));
        source_report(&source, "session", None, &options).expect("a report")
    };
    assert!(codes(&check("äöü😀")).is_empty(), "exactly as long as it may be: UTF-16 units count, not bytes");
    let report = check("äöü😀.");
    assert_eq!((lines_of(&report, "L013"), report.entries), (vec![2], 1));
}
