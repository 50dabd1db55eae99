//! Statistics as one JSON document. Sums are numbers with every digit that they have.

use super::{Format, Report, Settings, Skipped, iso};
use crate::report::ReadError;
use crate::report::json::write_json;
use crate::stats::row::{CONTENTS, split_model};
use crate::stats::store::Added;
use crate::stats::sum::Sum;
use crate::stats::{Base, By, FileStats, Heavy, Store, Tally, ToolSum, UsageSum, Versions};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(super) const FORMAT: Format = Format {
    name: "json",
    help: "one JSON document, schema sesstool.stats/1",
    names_errors: true,
    contexts: true,
    new: |settings| Box::new(Json { settings: settings.clone(), files: 0, skipped: Vec::new(), errors: Vec::new() }),
};

struct Json {
    settings: Settings,
    files: u64,
    skipped: Vec<Skipped>,
    errors: Vec<ReadError>,
}

impl Json {
    fn start(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.files > 0 {
            return Ok(());
        }
        let settings = &self.settings;
        write!(out, "{{\"schema\":\"sesstool.stats/1\",\n \"options\":")?;
        let options = OptionsJson {
            base: settings.base.name(),
            by: settings.by.map(By::name),
            reader: settings.reader,
            timezone: &settings.zone_name,
            since: settings.since.and_then(iso),
            until: settings.until.and_then(iso),
            longest_gap_ms: settings.gap,
        };
        write_json(out, &options)?;
        write!(out, ",\n \"files\":[")
    }

    fn totals(&self, out: &mut dyn Write, store: &Store) -> io::Result<()> {
        let groups: Option<Vec<GroupJson<'_>>> = self.settings.by.map(|_| self.groups(store));
        write!(out, "],\n \"groups\":")?;
        match groups {
            None => write!(out, "null")?,
            Some(groups) => {
                for (at, group) in groups.iter().enumerate() {
                    write!(out, "{}\n  ", if at == 0 { "[" } else { "," })?;
                    write_json(out, group)?;
                }
                write!(out, "{}", if groups.is_empty() { "[]" } else { "]" })?;
            }
        }
        write!(out, ",\n \"totals\":{{\"files\":{},\"sessions\":{},\"base\":", store.files, store.sessions())?;
        write_json(out, &self.settings.base.name())?;
        write!(out, ",\"tally\":")?;
        write_json(out, &TallyJson::of(&store.totals, &self.settings))?;
        write!(out, "}},\n \"shared\":{{\"files\":{},\"tally\":", store.sharing)?;
        write_json(out, &SharedJson::of(&store.shared))?;
        write!(out, "}},\n \"heaviest\":")?;
        let heaviest = store.heaviest.iter().map(|(path, heavy)| HeavyJson::of(Some(path), heavy));
        write_json(out, &heaviest.collect::<Vec<_>>())?;
        write!(out, ",\n \"severalVersions\":")?;
        let several = store.in_several_versions();
        let several =
            several.map(|(session, Versions { files, versions })| VersionsJson { session, files: *files, versions });
        write_json(out, &several.collect::<Vec<_>>())
    }

    fn groups<'a>(&self, store: &'a Store) -> Vec<GroupJson<'a>> {
        let mut lines = super::group_lines(store, &self.settings, 0);
        super::sort(&mut lines, &self.settings);
        let keys = lines.into_iter().map(|line| line.key);
        if self.settings.by == Some(By::Tool) {
            let tools = keys.filter_map(|key| store.totals.tools.get_key_value(&key));
            return tools.map(|(name, tool)| GroupJson::Tool(ToolJson::of(name, tool))).collect();
        }
        let groups = keys.filter_map(|key| store.groups().get_key_value(&key));
        groups
            .map(|(key, group)| {
                let (provider, model) = split_model(key);
                let by_model = self.settings.by == Some(By::Model) && key.contains('\0');
                GroupJson::Group {
                    key: if by_model { model } else { key },
                    provider: by_model.then_some(provider),
                    title: group.title.as_deref(),
                    files: group.files,
                    tally: Box::new(TallyJson::of(&group.tally, &self.settings)),
                }
            })
            .collect()
    }
}

impl Report for Json {
    fn file(&mut self, out: &mut dyn Write, file: &FileStats, added: &Added) -> io::Result<()> {
        self.start(out)?;
        write!(out, "{}\n  ", if self.files > 0 { "," } else { "" })?;
        self.files += 1;
        write_json(out, &FileJson::of(file, added, &self.settings))
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
    }

    fn error(&mut self, error: &ReadError) {
        self.errors.push(error.clone());
    }

    fn end(&mut self, out: &mut dyn Write, store: &Store) -> io::Result<()> {
        self.start(out)?;
        self.totals(out, store)?;
        write!(out, ",\n \"skipped\":")?;
        let skipped = self.skipped.iter().map(|file| SkippedJson { path: &file.path, what: file.what });
        write_json(out, &skipped.collect::<Vec<_>>())?;
        write!(out, ",\n \"errors\":")?;
        let errors = self.errors.iter().map(|error| ErrorJson { path: &error.path, message: &error.message });
        write_json(out, &errors.collect::<Vec<_>>())?;
        writeln!(out, "}}")
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OptionsJson<'a> {
    base: &'static str,
    by: Option<&'static str>,
    reader: &'static str,
    timezone: &'a str,
    since: Option<String>,
    until: Option<String>,
    longest_gap_ms: i64,
}

/// A session of which files in several versions were counted.
#[derive(Serialize)]
struct VersionsJson<'a> {
    session: &'a str,
    files: u64,
    versions: &'a [Option<i64>],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileJson<'a> {
    path: &'a str,
    session: Option<&'a str>,
    project: Option<&'a str>,
    name: Option<&'a str>,
    version: Option<i64>,
    bytes: u64,
    lines: u64,
    tree: TreeJson,
    lifetime: TallyJson<'a>,
    branch: Option<TallyJson<'a>>,
    context: Option<TallyJson<'a>>,
    /// The size of the context in tokens, as the last answer counted it.
    context_tokens: Option<Box<RawValue>>,
    /// Why there is no branch or no context.
    reader_says: Option<&'a str>,
    heaviest: Vec<HeavyJson<'a>>,
    shared: SharedJson,
    notes: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TreeJson {
    roots: u64,
    tips: u64,
    branch_points: u64,
    depth: u64,
    branch_length: u64,
}

impl<'a> FileJson<'a> {
    fn of(file: &'a FileStats, added: &Added, settings: &Settings) -> FileJson<'a> {
        let tally = |base| file.tally(base).map(|tally| TallyJson::of(tally, settings));
        let context = file.context.as_ref();
        let says = file.branch.as_ref().err().or_else(|| context.and_then(|context| context.as_ref().err()));
        FileJson {
            path: &file.path,
            session: file.session.as_deref(),
            project: file.project.as_deref(),
            name: file.name.as_deref(),
            version: file.version,
            bytes: file.bytes,
            lines: file.lines,
            tree: TreeJson {
                roots: file.shape.roots,
                tips: file.shape.tips,
                branch_points: file.shape.forks,
                depth: file.shape.depth,
                branch_length: file.shape.branch,
            },
            lifetime: TallyJson::of(&file.lifetime, settings),
            branch: tally(Base::Branch),
            context: tally(Base::Context),
            context_tokens: context.and_then(|c| c.as_ref().ok()).and_then(|c| c.tokens.as_ref()).map(number),
            reader_says: says.map(String::as_str),
            heaviest: file.heaviest.iter().map(|heavy| HeavyJson::of(None, heavy)).collect(),
            shared: SharedJson::of(&added.shared),
            notes: &file.notes,
        }
    }
}

/// What is told of a set of entries.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TallyJson<'a> {
    entries: u64,
    messages: u64,
    types: Counts<'a>,
    roles: Counts<'a>,
    first: Option<String>,
    last: Option<String>,
    span_ms: i64,
    active_ms: i64,
    without_time: u64,
    tokens: NumbersJson,
    cost: NumbersJson,
    usage: UsageJson,
    bytes: u64,
    content: Counts<'static>,
    tools: Vec<ToolJson<'a>>,
    models: Vec<ModelJson<'a>>,
    thinking_levels: Vec<LevelJson<'a>>,
}

impl<'a> TallyJson<'a> {
    fn of(tally: &'a Tally, settings: &Settings) -> TallyJson<'a> {
        let span = tally.times.span();
        TallyJson {
            entries: tally.entries,
            messages: tally.messages(),
            types: Counts(tally.types()),
            roles: Counts(tally.roles()),
            first: span.and_then(|(first, _)| iso(first)),
            last: span.and_then(|(_, last)| iso(last)),
            span_ms: span.map_or(0, |(first, last)| last.saturating_sub(first)),
            active_ms: tally.times.active(settings.gap),
            without_time: tally.times.missing,
            tokens: NumbersJson::of(&tally.usage.tokens),
            cost: NumbersJson::of(&tally.usage.cost),
            usage: UsageJson::of(&tally.usage),
            bytes: tally.bytes,
            content: Counts(CONTENTS.iter().zip(tally.sizes).map(|((_, name), size)| (*name, size)).collect()),
            tools: tally.tools.iter().map(|(name, tool)| ToolJson::of(name, tool)).collect(),
            models: tally
                .models
                .iter()
                .map(|(name, model)| {
                    let (provider, name) = split_model(name);
                    let (tokens, cost) = (&model.usage.tokens, &model.usage.cost);
                    ModelJson {
                        provider,
                        model: name,
                        messages: model.messages,
                        tokens: NumbersJson::of(tokens),
                        cost: NumbersJson::of(cost),
                    }
                })
                .collect(),
            thinking_levels: tally
                .levels
                .iter()
                .filter(|(_, level)| level.changes + level.messages > 0)
                .map(|(name, level)| LevelJson { level: name, changes: level.changes, messages: level.messages })
                .collect(),
        }
    }
}

/// What was left out since an earlier file has it.
#[derive(Serialize)]
struct SharedJson {
    entries: u64,
    bytes: u64,
    tokens: NumbersJson,
    cost: NumbersJson,
}

impl SharedJson {
    fn of(tally: &Tally) -> SharedJson {
        SharedJson {
            entries: tally.entries,
            bytes: tally.bytes,
            tokens: NumbersJson::of(&tally.usage.tokens),
            cost: NumbersJson::of(&tally.usage.cost),
        }
    }
}

/// Names with their counts, as an object.
struct Counts<'a>(Vec<(&'a str, u64)>);

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, count)| map.serialize_entry(name, count))?;
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NumbersJson {
    input: Box<RawValue>,
    output: Box<RawValue>,
    cache_read: Box<RawValue>,
    cache_write: Box<RawValue>,
    total: Box<RawValue>,
}

impl NumbersJson {
    fn of(sums: &[Sum; 5]) -> NumbersJson {
        let [input, output, cache_read, cache_write, total] = sums.each_ref().map(number);
        NumbersJson { input, output, cache_read, cache_write, total }
    }
}

/// A sum as a number of JSON, with every digit.
fn number(sum: &Sum) -> Box<RawValue> {
    RawValue::from_string(sum.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UsageJson {
    records: u64,
    not_numbers: u64,
    totals_added: u64,
}

impl UsageJson {
    fn of(usage: &UsageSum) -> UsageJson {
        UsageJson { records: usage.records, not_numbers: usage.not_numbers, totals_added: usage.added }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolJson<'a> {
    tool: &'a str,
    calls: u64,
    results: u64,
    errors: u64,
    error_rate: Option<f64>,
    call_bytes: u64,
    result_bytes: u64,
}

impl<'a> ToolJson<'a> {
    fn of(name: &'a str, tool: &ToolSum) -> ToolJson<'a> {
        ToolJson {
            tool: name,
            calls: tool.calls,
            results: tool.results,
            errors: tool.errors,
            error_rate: tool.error_rate(),
            call_bytes: tool.call_bytes,
            result_bytes: tool.result_bytes,
        }
    }
}

#[derive(Serialize)]
struct ModelJson<'a> {
    provider: &'a str,
    model: &'a str,
    messages: u64,
    tokens: NumbersJson,
    cost: NumbersJson,
}

#[derive(Serialize)]
struct LevelJson<'a> {
    level: &'a str,
    changes: u64,
    messages: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeavyJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    line: u64,
    entry: Option<Box<RawValue>>,
    #[serde(rename = "type")]
    kind: &'static str,
    role: Option<&'a str>,
    tool: Option<&'a str>,
    bytes: u64,
    on_branch: bool,
    in_context: Option<bool>,
}

impl<'a> HeavyJson<'a> {
    fn of(path: Option<&'a String>, heavy: &'a Heavy) -> HeavyJson<'a> {
        HeavyJson {
            path: path.map(String::as_str),
            line: heavy.line,
            entry: heavy.id.clone().and_then(|id| RawValue::from_string(id).ok()),
            kind: heavy.kind,
            role: heavy.role.as_deref(),
            tool: heavy.tool.as_deref(),
            bytes: heavy.bytes,
            on_branch: heavy.on_branch,
            in_context: heavy.in_context,
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum GroupJson<'a> {
    Group {
        key: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
        files: u64,
        tally: Box<TallyJson<'a>>,
    },
    Tool(ToolJson<'a>),
}

#[derive(Serialize)]
struct SkippedJson<'a> {
    path: &'a str,
    what: &'static str,
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    path: &'a str,
    message: &'a str,
}
