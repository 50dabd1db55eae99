//! The real pi 1.6.0 and agent-core 0.83.0 on what the store writes. `tests/pi/run` fetches them and runs
//! this.

use super::model::{Op, Test, op};
use super::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use sesstool::session::view::{Reader, View, plain};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The real readers, in a process of their own.
struct Readers {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: run tests/pi/run"))
}

impl Readers {
    fn start() -> Self {
        let script = crate::support::root().join("tests/pi/store.mjs");
        let mut command = Command::new(variable("SESSTOOL_NODE"));
        command.arg(script).args([variable("SESSTOOL_PI"), variable("SESSTOOL_CORE")]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Readers { child, requests, answers }
    }

    fn ask(&mut self, file: &Path, reader: Reader) -> Value {
        let scratch = file.parent().expect("a folder");
        let request = json!({ "file": file, "scratch": scratch, "reader": reader.name() });
        writeln!(self.requests, "{request}").expect("it listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        value(&answer)
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        // it was started here, and has nothing to finish
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the log says, in the form of an answer. Where a reader means to see something else than this program,
/// its view is asked.
fn ours(log: &SessionLog, reader: Reader) -> Value {
    let view = ok(log.view(reader));
    let ids = |nodes: &[u32]| -> Value { nodes.iter().map(|n| view.id_text(*n)).collect() };
    let context = view.context(view.leaf).expect("a context");
    let messages: Value =
        context.shown.iter().map(|shown| value(&view.message(shown).expect("a message").json)).collect();
    let model = context.model.as_ref().map(|model| [plain(&model.provider), plain(&model.id)]);
    let labels: serde_json::Map<String, Value> = labels(&view).collect();
    let mut said = json!({
        "ids": entries(log).iter().map(|entry| entry.id.clone()).collect::<Vec<_>>(),
        "leaf": view.leaf.node().map(|n| view.id_text(n)), "branch": ids(&context.branch.nodes), "name": view.name(),
        "labels": labels, "entries": ids(&context.entries), "messages": messages, "model": model,
        "thinking": plain(&context.thinking),
    });
    if reader == Reader::Pi {
        said["tree"] = tree(log).into_iter().map(|(depth, id, label)| json!([id, depth, label])).collect();
    }
    said
}

fn labels<'a>(view: &'a View<'_>) -> impl Iterator<Item = (String, Value)> + 'a {
    view.labels().keys().map(|n| (view.id_text(*n).expect("an id"), view.label_text(*n).into()))
}

/// What the log itself says, which must be what its views say where all readers agree.
fn own_words(log: &SessionLog) -> Value {
    let context = ok(log.context());
    let messages: Vec<Value> = context.messages.iter().map(|message| value(&message.json)).collect();
    let model = context.model.map(|model| [model.provider, model.id]);
    json!({
        "leaf": log.leaf(), "branch": path(log), "entries": context.entries, "messages": messages, "model": model,
        "thinking": context.thinking_level, "name": ok(log.name()),
    })
}

/// Compares a session in a file with what a reader says of it; where its next entry lands, and where ours does.
fn compare(readers: &mut Readers, file: &Path, reader: Reader) -> Result<(), String> {
    let said = readers.ask(file, reader);
    let log = ok(SessionLog::open(file, Default::default()));
    let ours = ours(&log, reader);
    for (what, ours) in ours.as_object().expect("an object") {
        if said[what] != *ours {
            return Err(format!("{what}\n  ours   {ours}\n  theirs {}\n  {}", said[what], said["error"]));
        }
    }
    // a `leaf` entry moves the leaf here and in agent-core; to pi it is the last entry
    let moved = entries(&log).last().is_some_and(|last| value(&last.json)["type"] == "leaf");
    if reader == Reader::AgentCore || !moved {
        let own = own_words(&log);
        let alike: &[&str] = if reader == Reader::Pi {
            &["leaf", "branch", "entries", "messages", "model", "thinking", "name"]
        } else {
            &["leaf"]
        };
        for what in alike {
            if said[*what] != own[*what] {
                return Err(format!("{what}\n  the log {}\n  theirs  {}", own[*what], said[*what]));
            }
        }
        let parent = next_parent(file, log);
        if parent != said["next"] {
            return Err(format!("the next entry\n  ours   {parent}\n  theirs {}", said["next"]));
        }
    }
    Ok(())
}

/// What the next entry of ours hangs on; the file is left as it was.
fn next_parent(file: &Path, log: SessionLog) -> Value {
    drop(log);
    let copy = file.with_extension("next.jsonl");
    std::fs::copy(file, &copy).expect("a copy");
    let mut log = ok(SessionLog::open(&copy, Default::default()));
    let id = ok(log.append_custom("next", None::<&Value>));
    let entry = value(&ok(log.entry(&id)).expect("an entry").json);
    std::fs::remove_file(copy).expect("it goes");
    entry["parentId"].clone()
}

fn number(name: &str) -> u64 {
    variable(name).parse().unwrap_or_else(|_| panic!("{name} is no number"))
}

#[test]
#[ignore = "needs the real readers: tests/pi/run"]
fn the_real_readers_see_what_the_store_wrote() {
    let mut readers = Readers::start();
    let config = Config { rng_seed: RngSeed::Fixed(number("SESSTOOL_SEED")), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let sequences = prop::collection::vec(op(), 1..60);
    let (mut compared, mut with_leaf) = (0, 0);
    for n in 0..number("SESSTOOL_COUNT") {
        let ops: Vec<Op> = sequences.new_tree(&mut runner).expect("operations").current();
        let mut test = Test::new();
        ops.iter().for_each(|op| test.apply(op).unwrap_or_else(|error| panic!("{op:?}: {error}")));
        let Some(file) = test.into_file() else { continue };
        let text = std::fs::read_to_string(&file.path).expect("the file");
        with_leaf += u64::from(text.contains(r#"{"type":"leaf""#));
        for reader in [Reader::Pi, Reader::AgentCore] {
            if let Err(difference) = compare(&mut readers, &file.path, reader) {
                panic!("session {n}: {} sees it differently: {difference}\n\n{text}", reader.name());
            }
            compared += 1;
        }
    }
    assert!(compared > 0, "nothing was compared");
    let stdout = std::io::stdout();
    writeln!(
        stdout.lock(),
        "tests/pi: {compared} answers on what the store wrote ({with_leaf} sessions with `leaf` entries), 0 differ"
    )
    .expect("it can be said");
}
