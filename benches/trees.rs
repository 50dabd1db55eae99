//! Sessions with many branches, for the benchmarks and for the tests of what may not grow with
//! branches times length.

use std::fmt::Write;

/// The header line.
const HEADER: &str = concat!(
    r#"{"type":"session","version":3,"id":"019cebb3-4c50-7a31-9d4e-5b0f6c2a7e18","#,
    r#""timestamp":"2026-03-14T09:26:50.000Z","cwd":"/project"}"#
);

/// What is to be found in a session of [`tips`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Entries.
    pub entries: u64,
    /// Branches.
    pub tips: u64,
    /// Calls that are lost on some branch.
    pub lost: u64,
    /// Results that a compaction parts from their call.
    pub parted: u64,
}

/// A session of `tips` branches over a shared trunk of `trunk` entries. The trunk is turns of four: a
/// prompt, a call, its result, an answer. Of eight branches four begin at the trunk's end and lose
/// nothing; two begin behind a call, spread over the trunk, and lose its result; two begin at the end
/// of the trunk with a call, a compaction that keeps only itself, and the result.
pub fn tips(tips: u32, trunk: u32) -> (Vec<u8>, Expected) {
    let trunk = trunk / 4 * 4;
    let mut text = String::with_capacity(300 * (trunk + 3 * tips) as usize);
    writeln!(text, "{HEADER}").expect("memory");
    let mut tree = Tree { text, entries: 0 };
    for n in 0..trunk {
        let parent = n.checked_sub(1);
        match n % 4 {
            0 => tree.say(parent, "user"),
            1 => tree.call(parent),
            2 => tree.result(parent, n - 1),
            _ => tree.say(parent, "assistant"),
        };
    }
    let (mut lost, mut parted) = (std::collections::BTreeSet::new(), 0);
    for n in 0..tips {
        let end = trunk.checked_sub(1);
        match n % 8 {
            0..4 => drop(tree.say(end, "user")),
            4..6 if trunk > 0 => {
                // a call somewhere on the trunk
                let call = (u64::from(n) * u64::from(trunk) / u64::from(tips)) as u32 / 4 * 4 + 1;
                lost.insert(call);
                tree.say(Some(call), "user");
            }
            _ => {
                let call = tree.call(end);
                let compaction = tree.compaction(call);
                tree.result(Some(compaction), call);
                parted += 1;
            }
        }
    }
    let expected =
        Expected { entries: u64::from(tree.entries), tips: u64::from(tips), lost: lost.len() as u64, parted };
    (tree.text.into_bytes(), expected)
}

struct Tree {
    text: String,
    entries: u32,
}

impl Tree {
    /// Adds an entry; its number. An id is the number in hexadecimal digits, and so is the id of a call.
    fn add(&mut self, parent: Option<u32>, kind: &str, fields: std::fmt::Arguments<'_>) -> u32 {
        let n = self.entries;
        self.entries += 1;
        write!(self.text, r#"{{"type":"{kind}","id":"{n:08x}","parentId":"#).expect("memory");
        match parent {
            Some(parent) => write!(self.text, r#""{parent:08x}""#),
            None => write!(self.text, "null"),
        }
        .expect("memory");
        let seconds = 1_773_480_410 + u64::from(n);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let day = 14 + (seconds / 86_400 - 1_773_480_410 / 86_400);
        writeln!(self.text, r#","timestamp":"2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z",{fields}}}"#)
            .expect("memory");
        n
    }

    fn say(&mut self, parent: Option<u32>, role: &str) -> u32 {
        let more = if role == "assistant" { ASSISTANT } else { "" };
        let content = r#"[{"type":"text","text":"Either way is fine."}]"#;
        self.add(parent, "message", format_args!(r#""message":{{"role":"{role}","content":{content}{more}}}"#))
    }

    fn call(&mut self, parent: Option<u32>) -> u32 {
        let id = self.entries;
        self.add(
            parent,
            "message",
            format_args!(
                r#""message":{{"role":"assistant","content":[{{"type":"toolCall","id":"call_{id:08x}","name":"bash","arguments":{{"command":"make"}}}}]{ASSISTANT}}}"#
            ),
        )
    }

    fn result(&mut self, parent: Option<u32>, call: u32) -> u32 {
        self.add(
            parent,
            "message",
            format_args!(
                r#""message":{{"role":"toolResult","toolCallId":"call_{call:08x}","toolName":"bash","content":[],"isError":false}}"#
            ),
        )
    }

    fn compaction(&mut self, parent: u32) -> u32 {
        let own = self.entries;
        self.add(
            Some(parent),
            "compaction",
            format_args!(r#""summary":"All was well.","firstKeptEntryId":"{own:08x}","tokensBefore":100"#),
        )
    }
}

/// What an assistant's message has beside its content.
const ASSISTANT: &str = concat!(
    r#","api":"demo","provider":"demo","model":"demo-1","stopReason":"stop","usage":{"input":1,"output":1,"#,
    r#""cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#
);
