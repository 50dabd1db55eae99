//! New files: plans and manifests, `restore`, `migrate`, `fork`, and what happens when writing fails.

use proptest::prelude::*;
use sesstool::edit::manifest::{File, Piece, Record, SCHEMA};
use sesstool::edit::restore::Recipe;
use sesstool::edit::{self, Account, Digest, Edit, Hasher, Manifest, Original, Plan, Why, WriteError};
use sesstool::pass::Health;
use sesstool::pass::migrate;
use sesstool::source::Source;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const HEADER: &str = r#"{"type":"session","id":"s-1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/project"}"#;

fn message(text: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{{"role":"user","content":"{text}","timestamp":1}}}}"#
    )
}

/// A session of version 1 with so many messages.
fn old_session(messages: usize) -> String {
    let lines = (0..messages).map(|n| message(&format!("message {n} {}", "x".repeat(400))));
    std::iter::once(HEADER.to_string()).chain(lines).map(|line| line + "\n").collect()
}

fn sesstool(args: &[&str], folder: &Path) -> Output {
    program().args(args).current_dir(folder).output().expect("a run")
}

fn program() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin("sesstool"))
}

/// Exit status, standard output, standard error.
fn run(args: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let output = sesstool(args, folder);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn folder_with(name: &str, bytes: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), bytes).expect("a file");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn applied(plan: &Plan, input: &Source) -> Vec<u8> {
    let mut out = Vec::new();
    let sink = &mut |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        Ok(())
    };
    plan.apply(input, sink).expect("bytes in memory");
    out
}

fn digest(bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::default();
    hasher.add(bytes);
    hasher.finish()
}

fn manifest(input: &[u8], output: &[u8], edits: Vec<Record>) -> Manifest {
    Manifest {
        schema: SCHEMA.to_string(),
        tool: Manifest::this_tool(),
        verb: "test".to_string(),
        options: Default::default(),
        restorable: true,
        input: File { name: "in".to_string(), digest: digest(input) },
        output: File { name: "out".to_string(), digest: digest(output) },
        edits,
    }
}

fn printed(manifest: &Manifest) -> Vec<u8> {
    let mut text = Vec::new();
    let sink = &mut |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        Ok(())
    };
    manifest.print(sink).expect("bytes in memory");
    text
}

/// The manifest of a plan as it is read again, and the output.
fn made(input: &[u8], plan: &Plan) -> (Manifest, Vec<u8>) {
    let source = Source::bytes(input.to_vec());
    let output = applied(plan, &source);
    let made = manifest(input, &output, Manifest::of_plan(plan, &source).expect("bytes in memory"));
    let read: Manifest = serde_json::from_slice(&printed(&made)).expect("a manifest");
    assert_eq!(made, read);
    (read, output)
}

/// Bytes with runs in them.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let run = (any::<u8>(), 0usize..200).prop_map(|(byte, length)| vec![byte; length]);
    let part = prop_oneof![prop::collection::vec(any::<u8>(), 0..40), run];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

/// Edits between cuts that are no plan of more than one kind for each span.
fn any_edits(size: usize) -> impl Strategy<Value = Vec<Edit>> {
    let piece = (0..=size, 0u8..6, any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..20));
    prop::collection::vec(piece, 0..12).prop_map(move |pieces| {
        let mut cuts: Vec<u64> = pieces.iter().map(|(cut, ..)| *cut as u64).chain([0, size as u64]).collect();
        cuts.sort_unstable();
        let edit = |(n, (_, op, to, bytes)): (usize, &(usize, u8, prop::sample::Index, Vec<u8>))| {
            let span = cuts[n]..cuts[n + 1];
            let why = Why::safe("test", "");
            match op {
                0 => Some(Edit::replace(span, bytes.clone(), why)),
                1 => Some(Edit::set_aside(span, why)),
                2 => Some(Edit::insert(span.start, bytes.clone(), why)),
                3 => Some(Edit::move_to(span, *to.get(&cuts), why)),
                _ => None,
            }
        };
        pieces.iter().enumerate().filter_map(edit).collect()
    })
}

proptest! {
    #[test]
    fn any_plan_on_any_bytes_is_restored(
        (input, edits) in any_bytes().prop_flat_map(|input| { let size = input.len(); (Just(input), any_edits(size)) })
    ) {
        let plan = Plan::new(input.len() as u64, edits).expect("cuts do not overlap");
        let (manifest, output) = made(&input, &plan);
        let source = Source::bytes(output.clone());
        let recipe = Recipe::new(&manifest).expect("a manifest that fits together");
        let mut restored = Vec::new();
        recipe.feed(&source, &mut |bytes| { restored.extend_from_slice(bytes); Ok(()) }).expect("bytes in memory");
        prop_assert_eq!(&restored, &input);
        prop_assert!(recipe.prove(&source).is_ok());
        // one byte more, one less, one other: refused
        for altered in [[&output[..], b"x"].concat(), output[..output.len().saturating_sub(1)].to_vec()] {
            if altered != output {
                prop_assert!(recipe.prove(&Source::bytes(altered)).is_err());
            }
        }
    }

    #[test]
    fn a_manifest_that_was_tampered_with_does_no_harm(
        input in any_bytes(),
        edits in any_edits(40),
        places in prop::collection::vec((any::<prop::sample::Index>(), any_number()), 1..4),
    ) {
        prop_assume!(input.len() >= 40);
        let plan = Plan::new(input.len() as u64, edits).expect("cuts do not overlap");
        let (mut manifest, output) = made(&input, &plan);
        for (place, number) in places {
            let mut all = numbers(&mut manifest);
            let at = place.index(all.len());
            *all[at] = number;
        }
        let source = Source::bytes(output);
        if let Ok(recipe) = Recipe::new(&manifest) {
            let mut left = 1usize << 20;
            let _ = recipe.feed(&source, &mut |bytes| {
                left = left.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(())
            });
        }
    }

    #[test]
    fn any_old_session_is_migrated_and_restored(lines in prop::collection::vec(any_line(), 0..12), ended: bool, crlf: bool) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut input: Vec<u8> = HEADER.as_bytes().to_vec();
        for line in &lines {
            input.extend_from_slice(end.as_bytes());
            input.extend_from_slice(line);
        }
        if ended {
            input.extend_from_slice(end.as_bytes());
        }
        let source = Source::bytes(input.clone());
        let health = Health::of(&source).expect("bytes in memory");
        // what was generated may be another storage's, or no text
        let Ok(Some(migration)) = migrate::plan(&source, &health) else { return Ok(()) };
        let (manifest, output) = made(&input, &migration.plan);
        let new = Source::bytes(output);
        prop_assert!(Recipe::new(&manifest).expect("a manifest").prove(&new).is_ok());
        prop_assert_eq!(migration.verify(&health, &new), Ok(()), "{}", String::from_utf8_lossy(&input));
        let again = migrate::plan(&new, &Health::of(&new).expect("bytes in memory"));
        prop_assert!(matches!(again, Ok(None)), "twice is once");
    }
}

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..100, any::<u64>(), Just(u64::MAX), Just(1 << 60), Just(i64::MAX as u64)]
}

/// Every number of a manifest.
fn numbers(manifest: &mut Manifest) -> Vec<&mut u64> {
    let mut all = vec![&mut manifest.input.digest.size, &mut manifest.output.digest.size];
    for edit in &mut manifest.edits {
        all.extend([&mut edit.input.offset, &mut edit.input.length, &mut edit.output.offset, &mut edit.output.length]);
        all.extend(edit.original.iter_mut().filter_map(|piece| match piece {
            Piece::Run { length, .. } => Some(length),
            Piece::Bytes { .. } => None,
        }));
    }
    all
}

/// A line of an old session, whole or damaged.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop_oneof![
        "[a-z]{0,8}".prop_map(|text| message(&text)),
        (-2i64..14).prop_map(|n| compaction(&n.to_string())),
        Just(compaction("1.5")),
        Just(compaction("\"2\"")),
        Just(r#"{"type":"message","message":{"role":"hookMessage","customType":"c","content":"h"}}"#.to_string()),
        Just(r#"{"firstKeptEntryIndex":1,"firstKeptEntryIndex":2,"type":"compaction","firstKeptEntryId":"a","summary":"s"}"#.to_string()),
        Just(r#"{ "type" : "message", "id":"own1", "n": 1e400, "message" : {"role":"user","content":"c"} } "#.to_string()),
        Just(r#"{"type":"message","id":"own2","parentId":"own1","message":{"role":"user","content":"c"}}"#.to_string()),
        Just(r#"{"type":"message","id":"own2","id":5,"parentId":null,"parentId":"x"}"#.to_string()),
        Just(r#"{"type":"label","targetId":"own1","label":"l"}"#.to_string()),
        Just(HEADER.to_string()),
        Just("{}".to_string()),
        Just("{ }".to_string()),
    ];
    let whole = whole.prop_map(String::into_bytes);
    let odd = prop_oneof![
        Just(b"".to_vec()),
        Just(b"[]".to_vec()),
        Just(b"0".to_vec()),
        Just(b"\0\0\0".to_vec()),
        Just(b"\xff\xfe".to_vec()),
        Just(b"{\"type\":\"mess".to_vec()),
        Just([message("a"), message("b")].concat().into_bytes()),
        prop::collection::vec(any::<u8>().prop_filter("no end of line", |b| *b != b'\n'), 0..12),
    ];
    prop_oneof![4 => whole, 1 => odd]
}

fn compaction(index: &str) -> String {
    format!(
        r#"{{"type":"compaction","timestamp":"2026-01-01T00:00:02.000Z","summary":"s","firstKeptEntryIndex":{index},"tokensBefore":1}}"#
    )
}

/// What a migration makes of these lines, ids replaced by their order.
fn migrated(lines: &[&str]) -> Vec<String> {
    let input = lines.join("\n");
    let source = Source::bytes(input.clone().into_bytes());
    let health = Health::of(&source).expect("bytes in memory");
    let Ok(Some(migration)) = migrate::plan(&source, &health) else { panic!("no plan for {input}") };
    let mut output = String::from_utf8(applied(&migration.plan, &source)).expect("text");
    let ids = health.session.entries.len();
    let derived = sesstool::session::derived_ids::of_session(&source, &health.session);
    for (n, id) in derived.iter().enumerate().take(ids) {
        if let Some(id) = id {
            output = output.replace(&*String::from_utf8_lossy(id), &format!("e{}", n + 1));
        }
    }
    output.split('\n').map(str::to_string).collect()
}

#[test]
fn migration_changes_nothing_but_what_it_must() {
    let lines = [
        r#"{"type":"session", "id":"s","n":1e400,"version": 1 }"#,
        r#" {"type":"message" , "a":12345678901234567890,"a":1.0,"message":{"role":"hookMessage"} }  "#,
        r#"{broken"#,
        r#"{"type":"compaction","firstKeptEntryIndex" : 1,"summary":"s"}"#,
        r#"{"firstKeptEntryIndex":0,"type":"compaction"}"#,
        "{}\r",
    ];
    let expected = [
        r#"{"type":"session", "id":"s","n":1e400,"version": 3 }"#,
        r#" {"type":"message" , "a":12345678901234567890,"a":1.0,"message":{"role":"custom"},"id":"e1","parentId":null }  "#,
        r#"{broken"#,
        r#"{"type":"compaction","firstKeptEntryId":"e1","summary":"s","id":"e2","parentId":"e1"}"#,
        r#"{"type":"compaction","id":"e3","parentId":"e2"}"#,
        "{\"id\":\"e4\",\"parentId\":\"e3\"}\r",
    ];
    assert_eq!(migrated(&lines), expected);
}

#[test]
fn a_tree_under_an_old_header_is_kept() {
    let lines = [
        r#"{"type":"session","id":"s","version":1}"#,
        r#"{"type":"message","id":"a","parentId":null}"#,
        r#"{"type":"message","id":"b","parentId":"a"}"#,
        r#"{"type":"message","id":"c","parentId":"a"}"#,
        r#"{"type":"compaction","firstKeptEntryIndex":2}"#,
    ];
    let new = migrated(&lines);
    assert_eq!(new[0], r#"{"type":"session","id":"s","version":3}"#);
    assert_eq!(new[1..4], lines[1..4]);
    assert_eq!(new[4], r#"{"type":"compaction","firstKeptEntryId":"b","id":"e4","parentId":"c"}"#);
}

#[test]
fn the_same_bytes_come_out_whatever_the_number_of_threads() {
    let folder = folder_with("a.jsonl", old_session(6000));
    for threads in ["1", "8"] {
        let args = ["migrate", "a.jsonl", "-o", &format!("{threads}.jsonl")];
        let output = program().args(args).current_dir(folder.path()).env("RAYON_NUM_THREADS", threads).output();
        assert!(output.expect("a run").status.success());
    }
    let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    assert!(read("1.jsonl") == read("8.jsonl"));
    let text = |name| String::from_utf8(read(name)).expect("text").replace("8.jsonl", "1.jsonl");
    assert!(text("1.jsonl.manifest.json") == text("8.jsonl.manifest.json"));
}

#[test]
fn migrate_and_restore_from_the_command_line() {
    let folder = folder_with("a.jsonl", old_session(3));
    let (code, out, err) = run(&["migrate", "a.jsonl"], folder.path());
    assert!(code == Some(0) && err.is_empty() && out.starts_with("a.jsonl → a.v3.jsonl\n"), "{out} {err}");
    assert_eq!(names(folder.path()), ["a.jsonl", "a.v3.jsonl", "a.v3.jsonl.manifest.json"]);
    let (code, out, _) = run(&["migrate", "a.v3.jsonl"], folder.path());
    assert_eq!((code, out.as_str()), (Some(0), "a.v3.jsonl: version 3 already, nothing to do\n"));
    assert_eq!(run(&["restore", "a.v3.jsonl", "--check"], folder.path()).0, Some(0));
    assert_eq!(run(&["restore", "a.v3.jsonl"], folder.path()).0, Some(0));
    assert_eq!(fs::read(folder.path().join("a.v3.restored.jsonl")).expect("a file"), old_session(3).as_bytes());
    // an altered output is refused
    let new = folder.path().join("a.v3.jsonl");
    let mut bytes = fs::read(&new).expect("a file");
    bytes.push(b'\n');
    fs::write(&new, bytes).expect("a file");
    let (code, _, err) = run(&["restore", "a.v3.jsonl", "-o", "b.jsonl"], folder.path());
    assert!(code == Some(2) && err.contains("it was altered since it was written"), "{err}");
    assert_eq!(run(&["restore", "a.v3.jsonl", "--check"], folder.path()).0, Some(1));
    assert!(!folder.path().join("b.jsonl").exists());
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let folder = folder_with("a.jsonl", old_session(1));
    let (code, out, _) = run(&["migrate", "a.jsonl", "--dry-run"], folder.path());
    assert_eq!(code, Some(0));
    assert!(
        out.contains("@@ -1 +1 @@\n-") && out.contains(",\"version\":3}\n") && out.lines().all(|l| l.len() < 300),
        "{out}"
    );
    assert_eq!(names(folder.path()), ["a.jsonl"]);
}

#[test]
fn several_files_keep_their_folders() {
    let folder = folder_with("x.jsonl", "no session");
    fs::create_dir_all(folder.path().join("in/sub")).expect("a folder");
    for name in ["in/a.jsonl", "in/sub/b.jsonl"] {
        fs::write(folder.path().join(name), old_session(1)).expect("a file");
    }
    let (code, _, err) = run(&["migrate", "in", "x.jsonl", "--out-dir", "out"], folder.path());
    assert!(code == Some(2) && err.starts_with("error: x.jsonl: "), "{err}");
    assert_eq!(names(&folder.path().join("out")), ["a.jsonl", "a.jsonl.manifest.json", "sub"]);
    assert_eq!(names(&folder.path().join("out/sub")), ["b.jsonl", "b.jsonl.manifest.json"]);
}

#[test]
fn standard_input_needs_a_name_for_its_output() {
    let folder = folder_with("a.jsonl", old_session(1));
    let piped = |args: &[&str]| {
        let file = fs::File::open(folder.path().join("a.jsonl")).expect("a file");
        program().args(args).current_dir(folder.path()).stdin(file).output().expect("a run").status.code()
    };
    assert_eq!(piped(&["migrate", "-"]), Some(2));
    assert_eq!(piped(&["migrate", "-", "-o", "b.jsonl"]), Some(0));
    assert_eq!(run(&["restore", "b.jsonl", "--check"], folder.path()).0, Some(0));
}

#[test]
fn nothing_that_exists_is_written_to() {
    let folder = folder_with("a.jsonl", old_session(1));
    let path = folder.path();
    fs::write(path.join("there.jsonl"), "mine").expect("a file");
    fs::write(path.join("left.jsonl.manifest.json"), "{}").expect("a file");
    fs::create_dir(path.join("folder")).expect("a folder");
    let mut cases = vec![
        ("a.jsonl", "is the input itself"),
        ("./a.jsonl", "is the input itself"),
        ("there.jsonl", "is there already (a file)"),
        ("folder", "is there already (a folder)"),
        ("left.jsonl", "is there without its file"),
        ("no/such/folder.jsonl", "cannot write to the folder 'no/such'"),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.jsonl", path.join("link.jsonl")).expect("a link");
        std::os::unix::fs::symlink("nowhere", path.join("dangling.jsonl")).expect("a link");
        fs::hard_link(path.join("a.jsonl"), path.join("hard.jsonl")).expect("a link");
        cases.extend([
            ("link.jsonl", "is there already (a link)"),
            ("dangling.jsonl", "is there already (a link)"),
            ("hard.jsonl", "is the input itself"),
            ("/dev/null", "is there already (a device or a pipe)"),
        ]);
    }
    let before = names(path);
    for (output, why) in cases {
        let (code, _, err) = run(&["migrate", "a.jsonl", "-o", output], path);
        assert!(code == Some(2) && err.contains(why), "{output}: {err}");
        assert_eq!(names(path), before);
    }
    assert_eq!(fs::read(path.join("there.jsonl")).expect("a file"), b"mine");
    assert_eq!(fs::read(path.join("a.jsonl")).expect("a file"), old_session(1).as_bytes());
}

#[cfg(unix)]
#[test]
fn the_output_has_the_permissions_of_the_input() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with("a.jsonl", old_session(1));
    let mode = |name: &str| fs::metadata(folder.path().join(name)).expect("a file").permissions().mode() & 0o7777;
    for (n, want) in [0o600, 0o640, 0o444].into_iter().enumerate() {
        fs::set_permissions(folder.path().join("a.jsonl"), fs::Permissions::from_mode(want)).expect("permissions");
        let output = format!("{n}.jsonl");
        assert_eq!(run(&["migrate", "a.jsonl", "-o", &output], folder.path()).0, Some(0));
        assert_eq!((mode(&output), mode(&format!("{output}.manifest.json"))), (want, want));
    }
}

const TREE: &str = r#"{"type":"session","version":3,"id":"old","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p","mine":1}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"a"}}
{"type":"label","id":"l1","parentId":"u1","timestamp":"2026-01-01T00:00:02.000Z","targetId":"u1","label":"start"}
 {"type":"message","id":"u2","parentId":"l1","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"user","content":"b"}}
{"type":"compaction","id":"c1","parentId":"u2","timestamp":"2026-01-01T00:00:04.000Z","summary":"s","firstKeptEntryId":"l1","tokensBefore":1}
{"type":"message","id":"u3","parentId":"u1","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"user","content":"other"}}
{"type":"label","id":"l2","parentId":"u3","timestamp":"2026-01-01T00:00:06.000Z","targetId":"u3","label":"end"}
"#;

#[test]
fn a_fork_is_one_branch_with_its_labels_at_the_end() {
    let folder = folder_with("a.jsonl", TREE);
    let fork = |more: &[&str]| {
        let always = ["fork", "a.jsonl", "--id", "new", "--timestamp", "2026-02-02T00:00:00.000Z"];
        run(&[&always, more].concat(), folder.path())
    };
    assert_eq!(fork(&["--leaf", "c1", "-o", "b.jsonl"]).0, Some(0));
    let text = fs::read_to_string(folder.path().join("b.jsonl")).expect("a file");
    let new: Vec<&str> = text.lines().collect();
    let old: Vec<&str> = TREE.lines().collect();
    let parent = folder.path().join("a.jsonl");
    let header = format!(
        r#"{{"type":"session","version":3,"id":"new","timestamp":"2026-02-02T00:00:00.000Z","cwd":"/p","mine":1,"parentSession":"{}"}}"#,
        parent.display()
    );
    let expected = [
        header,
        old[1].to_string(),
        old[3].replace(r#""l1""#, r#""u1""#),
        old[4].replace(r#""l1""#, r#""u2""#),
        old[2].replace(r#""parentId":"u1""#, r#""parentId":"c1""#),
    ];
    assert_eq!(new, expected);
    // the manifest tells where it comes from, and that is all
    let (code, _, err) = run(&["restore", "b.jsonl"], folder.path());
    assert!(code == Some(2) && err.contains("it is a session of its own, made by fork"), "{err}");
    // by label, by the beginning of an id, and what is neither
    assert_eq!(fork(&["--leaf", "end", "-o", "c.jsonl"]).0, Some(0));
    assert_eq!(fork(&["--leaf", "c", "-o", "d.jsonl"]).0, Some(0));
    let (code, _, err) = fork(&["--leaf", "u", "-o", "e.jsonl"]);
    assert!(code == Some(2) && err.contains("may be any of these entries: u1, u2, u3"), "{err}");
    let (code, _, err) = fork(&["--leaf", "u33", "-o", "e.jsonl"]);
    assert!(code == Some(2) && err.contains("the nearest: u3"), "{err}");
    assert_eq!(fork(&["--all-branches", "-o", "f.jsonl"]).0, Some(0));
    let whole = fs::read_to_string(folder.path().join("f.jsonl")).expect("a file");
    assert_eq!(whole.lines().skip(1).collect::<Vec<_>>(), old[1..]);
}

/// An input in a folder, and a plan for it.
struct Job {
    folder: TempDir,
    input: PathBuf,
    output: PathBuf,
}

impl Job {
    fn new() -> Job {
        let folder = folder_with("a.jsonl", old_session(50));
        let (input, output) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        Job { folder, input, output }
    }

    /// Writes the output; `between` happens after the input was scanned, `late` before the output is moved.
    fn write(&self, between: impl FnOnce(), late: impl Fn()) -> Result<Manifest, WriteError> {
        let source = Source::open(&self.input).expect("a file");
        let original = Original::take(&source, Some(&self.input)).expect("a file");
        let plan = Plan::new(original.digest.size, vec![Edit::insert(0, "x", Why::safe("test", ""))]).expect("a plan");
        between();
        edit::write_plan(&original, &plan, &self.output, Account::default(), &|_| {
            late();
            Ok(())
        })
    }

    fn append(&self) {
        let file = fs::OpenOptions::new().append(true).open(&self.input);
        file.expect("a file").write_all(b"more\n").expect("room");
    }

    fn assert_nothing_written(&self) {
        assert_eq!(names(self.folder.path()), ["a.jsonl"]);
    }
}

#[test]
fn an_input_that_changes_meanwhile_is_refused() {
    let job = Job::new();
    for result in [job.write(|| job.append(), || {}), job.write(|| {}, || job.append())] {
        assert!(matches!(result, Err(WriteError::Changed(_))), "{result:?}");
        job.assert_nothing_written();
    }
    let shrink =
        || fs::File::options().write(true).open(&job.input).expect("a file").set_len(100).expect("a shorter one");
    let result = job.write(shrink, || {});
    assert!(matches!(result, Err(WriteError::Changed(_) | WriteError::Read(_))), "{result:?}");
    job.assert_nothing_written();
    assert!(job.write(|| {}, || {}).is_ok());
}

#[test]
fn other_bytes_under_the_same_time_and_size_are_a_change() {
    let job = Job::new();
    let disguised = || {
        let file = fs::File::options().read(true).write(true).open(&job.input).expect("a file");
        let time = file.metadata().expect("metadata").modified().expect("a time");
        let mut bytes = fs::read(&job.input).expect("a file");
        bytes[100] ^= 1;
        fs::write(&job.input, bytes).expect("a file");
        file.set_modified(time).expect("a time");
    };
    let result = job.write(disguised, || {});
    assert!(matches!(result, Err(WriteError::Changed(_) | WriteError::Restore(_))), "{result:?}");
    job.assert_nothing_written();
}

#[test]
fn an_output_that_appears_meanwhile_is_left_alone() {
    let job = Job::new();
    let result = job.write(|| {}, || fs::write(&job.output, "theirs").expect("a file"));
    assert!(matches!(&result, Err(WriteError::Appeared(path)) if *path == job.output), "{result:?}");
    assert_eq!(names(job.folder.path()), ["a.jsonl", "b.jsonl"]);
    assert_eq!(fs::read(&job.output).expect("a file"), b"theirs");
}

#[test]
fn an_output_that_fails_its_check_is_removed() {
    let job = Job::new();
    let source = Source::open(&job.input).expect("a file");
    let original = Original::take(&source, Some(&job.input)).expect("a file");
    let plan = Plan::new(original.digest.size, Vec::new()).expect("a plan");
    let check = |_: &Source| Err("not so".to_string());
    let result = edit::write_plan(&original, &plan, &job.output, Account::default(), &check);
    assert!(matches!(result, Err(WriteError::Check(_))));
    job.assert_nothing_written();
}

#[test]
fn of_two_runs_at_once_one_wins() {
    let folder = folder_with("a.jsonl", old_session(200));
    for n in 0..10 {
        let output = format!("{n}.jsonl");
        let start = || program().args(["migrate", "a.jsonl", "-o", &output]).current_dir(folder.path()).output();
        let codes = std::thread::scope(|scope| {
            let runs = [scope.spawn(start), scope.spawn(start)];
            let mut codes = runs.map(|run| run.join().expect("a thread").expect("a run").status.code());
            codes.sort_unstable();
            codes
        });
        assert_eq!(codes, [Some(0), Some(2)]);
        assert_eq!(run(&["restore", "--check", &output], folder.path()).0, Some(0));
    }
    assert!(names(folder.path()).iter().all(|name| !name.contains("unfinished")));
}

#[cfg(unix)]
mod faults {
    use super::*;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    fn shell(script: &str, folder: &Path) -> Output {
        let binary = assert_cmd::cargo::cargo_bin("sesstool");
        Command::new("sh").args(["-c", script]).env("SESSTOOL", binary).current_dir(folder).output().expect("a shell")
    }

    #[test]
    fn a_limit_on_the_size_of_files_leaves_nothing() {
        let folder = folder_with("a.jsonl", old_session(2000));
        let output = shell("ulimit -f 16; exec \"$SESSTOOL\" migrate a.jsonl -o b.jsonl", folder.path());
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains("cannot write 'b.jsonl': file too large; nothing was left there"), "{err}");
        assert_eq!(names(folder.path()), ["a.jsonl"]);
    }

    #[test]
    fn a_full_disk_leaves_nothing() {
        let folder = folder_with("a.jsonl", old_session(2000));
        let disk = folder.path().join("disk");
        fs::create_dir(&disk).expect("a folder");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&disk).output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            assert!(writeln!(io::stderr(), "skipped: no small file system can be mounted here").is_ok());
            return;
        }
        let (code, _, err) = run(&["migrate", "a.jsonl", "-o", "disk/b.jsonl"], folder.path());
        let left = names(&disk);
        let unmounted = Command::new("umount").arg(&disk).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
        assert!(code == Some(2) && err.contains("no space left on device; nothing was left there"), "{err}");
        assert!(left.is_empty(), "{left:?}");
    }

    /// Starts a migration and gives it this signal after a while.
    fn stopped_by(signal: &str, after: Duration, folder: &Path) {
        let mut child = program()
            .args(["migrate", "a.jsonl", "-o", "b.jsonl"])
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a run");
        std::thread::sleep(after);
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        child.wait().expect("an end");
    }

    /// How long a migration takes that nobody stops.
    fn usual(folder: &Path) -> Duration {
        let start = Instant::now();
        assert_eq!(run(&["migrate", "a.jsonl", "-o", "usual.jsonl"], folder).0, Some(0));
        let usual = start.elapsed();
        remove(folder, &["usual.jsonl", "usual.jsonl.manifest.json"]);
        usual
    }

    fn remove(folder: &Path, names: &[&str]) {
        names.iter().for_each(|name| drop(fs::remove_file(folder.join(name))));
    }

    #[test]
    fn a_killed_run_leaves_no_part_of_a_file() {
        let folder = folder_with("a.jsonl", old_session(2000));
        let usual = usual(folder.path());
        for n in 0..40 {
            stopped_by("-KILL", usual * n / 36, folder.path());
            if folder.path().join("b.jsonl").exists() {
                assert_eq!(run(&["restore", "--check", "b.jsonl"], folder.path()).0, Some(0), "after {n}/36");
            }
            for name in names(folder.path()) {
                let known = matches!(&*name, "a.jsonl" | "b.jsonl" | "b.jsonl.manifest.json");
                assert!(known || name.starts_with(".sesstool-unfinished-") && name.ends_with(".tmp"), "{name}");
                if name != "a.jsonl" {
                    remove(folder.path(), &[&name]);
                }
            }
        }
        assert_eq!(fs::read(folder.path().join("a.jsonl")).expect("a file"), old_session(2000).as_bytes());
    }

    #[test]
    fn a_run_that_is_told_to_stop_leaves_nothing_or_everything() {
        let folder = folder_with("a.jsonl", old_session(2000));
        let usual = usual(folder.path());
        for n in 0..20 {
            let signal = ["-TERM", "-INT", "-HUP"][n as usize % 3];
            // the first milliseconds pass before the program has begun
            stopped_by(signal, usual * n / 18, folder.path());
            let left = names(folder.path());
            if left.len() > 1 {
                assert_eq!(left, ["a.jsonl", "b.jsonl", "b.jsonl.manifest.json"], "after {n}/18");
                assert_eq!(run(&["restore", "--check", "b.jsonl"], folder.path()).0, Some(0));
                remove(folder.path(), &["b.jsonl", "b.jsonl.manifest.json"]);
            }
        }
    }
}
