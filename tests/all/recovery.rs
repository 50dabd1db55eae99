//! What stands behind a torn record on the same line is found whole.

use super::support::{HEADER, check_bytes, codes, lines, lines_of, loud_codes, message, written};
use rayon::prelude::*;
use sesstool::report::FileReport;
use std::collections::BTreeSet;

/// Texts of records that are hard to cut: whatever is inside a string is no record.
const TEXTS: &[&str] = &[
    "plain",
    "äöü 谢谢 😀 \\ud83d\\ude00 \\\\ \\\" \\n",
    "} ] }{ }]}{\\\"a\\\":[{",
    r#"{\"type\":\"message\",\"id\":\"inner001\",\"parentId\":null,\"timestamp\":\"2026-03-14T09:26:50.000Z\"}"#,
    r#"\"}]}}{\\\"type\\\":\\\"session\\\",\\\"id\\\":\\\"x\\\"}"#,
    "",
];

/// A record with nested objects that look like entries.
fn nested(id: &str, parent: &str) -> String {
    format!(
        concat!(
            r#"{{"type":"custom","id":"{id}","parentId":"{parent}","timestamp":"2026-03-14T09:26:50.000Z","#,
            r#""customType":"log","data":[{{"type":"message","id":"inner002","parentId":"{parent}","#,
            r#""timestamp":"2026-03-14T09:26:50.000Z","message":{{"role":"user","content":[]}}}},"#,
            r#"{{"type":"session","id":"inner003"}},1.5e3,true,null]}}"#
        ),
        id = id,
        parent = parent
    )
}

/// A session in which `torn` stands before a whole record on one line, and a child hangs on that record.
fn session(torn: &[u8], whole: &str) -> Vec<u8> {
    let glued = [torn, whole.as_bytes()].concat();
    lines(&[
        HEADER.as_bytes(),
        message("aaaa0001", "", "one").as_bytes(),
        &glued,
        message("aaaa0004", "aaaa0003", "four").as_bytes(),
    ])
}

fn is_recovered(report: &FileReport) -> bool {
    report.entries == 3 && !codes(report).contains("G003")
}

#[test]
fn torn_then_whole() {
    let torn = TEXTS.iter().map(|text| message("aaaa0002", "aaaa0001", text)).chain([nested("aaaa0002", "aaaa0001")]);
    let whole: Vec<String> = TEXTS
        .iter()
        .map(|text| message("aaaa0003", "aaaa0001", text))
        .chain([nested("aaaa0003", "aaaa0001")])
        .collect();
    let cases = torn.flat_map(|torn| whole.iter().map(move |whole| (torn.clone(), whole)));
    let missed = cases.collect::<Vec<_>>().into_par_iter().find_map_any(|(torn, whole)| {
        (0..torn.len()).find_map(|cut| {
            let torn = &torn.as_bytes()[..cut];
            let report = check_bytes(&session(torn, whole));
            let expected = if cut == 0 { BTreeSet::new() } else { BTreeSet::from(["L004"]) };
            let mut found = loud_codes(&report);
            // one of the texts is empty
            found.remove("M008");
            let right = found == expected && is_recovered(&report);
            (!right).then(|| format!("{}|{whole}\n{}", String::from_utf8_lossy(torn), written(&report, "concise")))
        })
    });
    assert!(missed.is_none(), "{}", missed.unwrap_or_default());
}

/// The same with a line end between them: the torn record has a line of its own.
#[test]
fn torn_and_whole_on_their_own_lines() {
    for text in TEXTS {
        let torn = message("aaaa0002", "aaaa0001", text);
        for cut in 1..torn.len() {
            let torn = [&torn.as_bytes()[..cut], b"\n"].concat();
            let report = check_bytes(&session(&torn, &message("aaaa0003", "aaaa0001", "three")));
            assert_eq!((lines_of(&report, "L005"), is_recovered(&report)), (vec![3], true), "cut at {cut} of {text}");
            assert_eq!(loud_codes(&report), BTreeSet::from(["L005"]));
        }
    }
}

/// A writer that was stopped twice; of the second record at least `{"type":` is there to show that it is one.
#[test]
fn torn_and_torn_then_whole() {
    let torn = message("aaaa0002", "aaaa0001", TEXTS[1]);
    let whole = message("aaaa0003", "aaaa0001", "three");
    let missed = (1..torn.len()).into_par_iter().find_map_any(|first| {
        (9..torn.len()).step_by(5).find_map(|second| {
            let torn = [&torn.as_bytes()[..first], &torn.as_bytes()[..second]].concat();
            let report = check_bytes(&session(&torn, &whole));
            let right = loud_codes(&report) == BTreeSet::from(["L004"]) && is_recovered(&report);
            (!right).then(|| {
                format!("{first} {second} {}\n{}", String::from_utf8_lossy(&torn), written(&report, "concise"))
            })
        })
    });
    assert!(missed.is_none(), "{}", missed.unwrap_or_default());
}
