#!/usr/bin/env python3
"""Counts sessions anew, in another language and in the simplest way, and compares with `sesstool stats`.

usage: count.py [--bin PATH] [--print] PATH...

Without --print the program is run over the paths, as JSON and grouped in every way, and each difference is a line.
The last line is `N files, N numbers compared, N differ`; the exit status is 1 if any does. See README.md here.
"""
import argparse, collections, datetime, decimal, json, os, re, subprocess, sys

decimal.getcontext().prec = 2000
KINDS = ("text", "thinking", "signatures", "toolCalls", "toolResults", "images", "details")
FIELDS = ("input", "output", "cacheRead", "cacheWrite")


def refuse(word):
    raise ValueError(word)


decoder = json.JSONDecoder(parse_constant=refuse)


class NotCounted(Exception):
    """The file holds what this script does not take apart."""


def number(value):
    """The decimal that JavaScript would print, or None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return decimal.Decimal(repr(value)) if value - value == 0 else None


def plain(sum_):
    """A sum with every digit and no exponent."""
    text = format(sum_, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def records(line):
    """The objects of a line, each with its text; more than one where records are glued."""
    at, found = 0, []
    while True:
        while at < len(line) and line[at] in " \t\r\n":
            at += 1
        if at == len(line):
            return found
        if line[at] != "{":
            raise NotCounted("a line with something else than objects")
        try:
            value, end = decoder.raw_decode(line, at)
        except (ValueError, RecursionError) as error:
            raise NotCounted(str(error)) from None
        found.append((value, line[at:end]))
        at = end


def written(value):
    """The bytes of a value as JSON.stringify writes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def milliseconds(text):
    """The time of an entry in the format's own form; None where there is none."""
    if text is None:
        return None
    try:
        time = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    except (TypeError, ValueError) as error:
        raise NotCounted(str(error)) from None
    return round(time.timestamp() * 1000)


def key(raw):
    """What is the same for the same entry in another file: all but the two references that a fork re-points."""
    return re.sub(r'("(?:parentId|firstKeptEntryId)"\s*:\s*)"(?:[^"\\]|\\.)*"', r'\1""', raw)


class Tally:
    def __init__(self):
        self.entries = self.not_numbers = self.records = self.added = 0
        self.types, self.roles = collections.Counter(), collections.Counter()
        self.tokens, self.cost = [collections.defaultdict(decimal.Decimal) for _ in range(2)]
        self.tools, self.models = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        self.levels, self.content = collections.Counter(), collections.Counter()
        self.times = []

    def add(self, entry):
        self.entries += 1
        kind = entry.get("type")
        kind = kind if isinstance(kind, str) else "(none)"
        self.types[kind] += 1
        time = milliseconds(entry.get("timestamp"))
        if time is not None:
            self.times.append(time)
        message = entry.get("message")
        message = message if isinstance(message, dict) else {}
        role = message.get("role", "(none)")
        role = role if isinstance(role, str) else "(unknown)"
        if kind == "message":
            self.roles[role] += 1
            self.message(role, message)
        elif kind in ("compaction", "branch_summary"):
            self.usage(entry.get("usage"))
            self.count("text", entry, "summary")
            self.count("text", entry, "systemMessage")
            self.count("details", entry, "details")
        elif kind == "usage":
            self.usage(entry.get("usage"), entry)
        elif kind == "custom_message":
            self.blocks(entry.get("content"), "text")
            self.count("details", entry, "details")
        elif kind == "context_edit":
            self.count("text", entry, "replacement")
        elif kind == "custom":
            self.count("details", entry, "data")
        elif kind == "thinking_level_change":
            level = entry.get("thinkingLevel")
            self.levels[level if isinstance(level, str) else ""] += 1

    def message(self, role, message):
        self.count("details", message, "details")
        before = self.content["toolResults"] + self.content["images"]
        self.blocks(message.get("content"), "toolResults" if role == "toolResult" else "text")
        gave = self.content["toolResults"] + self.content["images"] - before
        if role == "assistant":
            self.usage(message.get("usage"), message)
            if isinstance(message.get("provider"), str) or isinstance(message.get("model"), str):
                self.models[model(message)]["messages"] += 1
            for block in message.get("content") if isinstance(message.get("content"), list) else []:
                if isinstance(block, dict) and block.get("type") == "toolCall":
                    name = block.get("name")
                    tool = self.tools[name if isinstance(name, str) else ""]
                    tool["calls"] += 1
                    tool["callBytes"] += written(block["arguments"]) if "arguments" in block else 0
        elif role == "toolResult":
            self.usage(message.get("usage"))
            name = message.get("toolName")
            tool = self.tools[name if isinstance(name, str) else ""]
            tool["results"] += 1
            tool["errors"] += message.get("isError") is True
            tool["resultBytes"] += gave
        elif role == "bashExecution":
            self.count("toolCalls", message, "command")
            self.count("toolResults", message, "output")
        elif role in ("branchSummary", "compactionSummary"):
            self.count("text", message, "summary")

    def count(self, kind, holder, name):
        if name in holder:
            self.content[kind] += written(holder[name])

    def blocks(self, content, said):
        if isinstance(content, str):
            self.content[said] += written(content)
        for block in content if isinstance(content, list) else []:
            kind = block.get("type") if isinstance(block, dict) else None
            kinds = {
                "text": ((said, "text"), ("signatures", "textSignature")),
                "thinking": (("thinking", "thinking"), ("signatures", "thinkingSignature")),
                "toolCall": (("toolCalls", "arguments"), ("signatures", "thoughtSignature")),
                "image": (("images", "data"),),
            }
            for name, member in kinds.get(kind, ()) if isinstance(kind, str) else ():
                self.count(name, block, member)

    def usage(self, usage, source=None):
        if usage is None:
            return
        self.records += 1
        if not isinstance(usage, dict):
            self.not_numbers += 1
            usage = {}
        cost = usage.get("cost")
        if cost is not None and not isinstance(cost, dict):
            cost = {"total": cost}
        own = {}
        for what, numbers, total in (("tokens", usage, "totalTokens"), ("cost", cost or {}, "total")):
            found = {name: number(numbers[name]) for name in FIELDS + (total,) if name in numbers}
            self.not_numbers += sum(value is None for value in found.values())
            parts = [found.get(name) or decimal.Decimal(0) for name in FIELDS]
            given = found.get(total)
            self.added += given is None
            own[what] = dict(zip(FIELDS, parts), total=sum(parts) if given is None else given)
            for name, value in own[what].items():
                getattr(self, what)[name] += value
        named = source is not None and (isinstance(source.get("provider"), str) or isinstance(source.get("model"), str))
        if named:
            for what in own:
                for name, value in own[what].items():
                    self.models[model(source)][what, name] += value

    def expected(self, exact):
        """What the program's JSON should say; sizes only where every line is written as JSON.stringify does."""
        numbers = lambda sums: {name: plain(sums[name]) for name in FIELDS + ("total",)}
        same = lambda counter: {name: count for name, count in counter.items() if count}
        out = {
            "entries": self.entries,
            "messages": sum(self.roles.values()),
            "types": same(self.types),
            "roles": same(self.roles),
            "tokens": numbers(self.tokens),
            "cost": numbers(self.cost),
            "usage": {"records": self.records, "notNumbers": self.not_numbers, "totalsAdded": self.added},
            "tools": {
                name: {key: tool[key] for key in ("calls", "results", "errors") + (("callBytes", "resultBytes") if exact else ())}
                for name, tool in self.tools.items()
            },
            "models": {
                name: {
                    "messages": sums["messages"],
                    "tokens": numbers(collections.defaultdict(int, {k[1]: v for k, v in sums.items() if k[0] == "tokens"})),
                    "cost": numbers(collections.defaultdict(int, {k[1]: v for k, v in sums.items() if k[0] == "cost"})),
                }
                for name, sums in self.models.items()
            },
            "levels": same(self.levels),
        }
        if exact:
            out["content"] = {kind: self.content[kind] for kind in KINDS}
        return out


def model(source):
    text = lambda name: source[name] if isinstance(source.get(name), str) else ""
    return text("provider") + "/" + text("model")


def told(tally, exact):
    """The same of what the program says."""
    numbers = lambda sums: {name: plain(decimal.Decimal(value)) for name, value in sums.items()}
    out = {key: tally[key] for key in ("entries", "messages", "types", "roles", "usage")}
    out["tokens"], out["cost"] = numbers(tally["tokens"]), numbers(tally["cost"])
    keys = ("calls", "results", "errors") + (("callBytes", "resultBytes") if exact else ())
    out["tools"] = {tool["tool"]: {key: tool[key] for key in keys} for tool in tally["tools"]}
    out["models"] = {
        m["provider"] + "/" + m["model"]: {"messages": m["messages"], "tokens": numbers(m["tokens"]), "cost": numbers(m["cost"])}
        for m in tally["models"]
    }
    out["levels"] = {level["level"]: level["changes"] for level in tally["thinkingLevels"] if level["changes"]}
    if exact:
        out["content"] = {kind: tally["content"][kind] for kind in KINDS}
    return out


class File:
    def __init__(self, path):
        self.path, self.header, self.entries, self.exact = path, {}, [], True
        with open(path, "rb") as file:
            try:
                text = file.read().decode("utf-8")
            except UnicodeDecodeError as error:
                raise NotCounted(str(error)) from None
        for line in text.split("\n"):
            for value, raw in records(line):
                if value.get("type") == "session":
                    self.header = self.header or value
                elif not (value.get("type") == "title" and not self.header and "id" not in value and "parentId" not in value):
                    if not isinstance(value.get("type"), str) or "uuid" in value or "seq" in value:
                        raise NotCounted("a record of another program, perhaps")
                    milliseconds(value.get("timestamp"))
                    self.entries.append((value, key(raw)))
                    self.exact &= raw == json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def group(self, entry, by):
        if by in ("day", "week", "month"):
            time = milliseconds(entry.get("timestamp"))
            if time is None:
                return "(no time)"
            date = datetime.datetime.fromtimestamp(time // 1000, datetime.timezone.utc).date()
            year, week, _ = date.isocalendar()
            return {"day": str(date), "week": f"{year:04}-W{week:02}", "month": f"{date.year:04}-{date.month:02}"}[by]
        text = lambda name: self.header.get(name) if isinstance(self.header.get(name), str) else None
        if by == "project":
            return text("cwd") if text("cwd") is not None else "(none)"
        return text("id") if text("id") is not None else self.path


def listed(paths):
    """The files that are counted: those that were named, and the *.jsonl below folders but for what was made of others."""
    found = []
    for path in paths:
        names = [os.path.join(d, f) for d, _, fs in os.walk(path) for f in fs if f.endswith(".jsonl")]
        found += [(path, True)] if os.path.isfile(path) else [(name, False) for name in sorted(names, key=os.fsencode)]
    return [name for name, named in found if named or not is_made(name, [other for other, _ in found])]


def is_made(path, others):
    """Whether the manifest beside a file says what it was made of, and that is among the others."""
    try:
        with open(path + ".manifest.json", encoding="utf-8") as file:
            manifest = json.load(file)
        of, made = manifest["input"], manifest["output"]
        if not manifest["restorable"] or os.path.getsize(path) != made["size"]:
            return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    originals = [other for other in others if other != path and os.path.basename(other) == of["name"]]
    return any(os.path.getsize(other) == of["size"] or is_same_session(other, path) for other in originals)


def is_same_session(one, other):
    try:
        one, other = File(one).header.get("id"), File(other).header.get("id")
    except NotCounted:
        return False
    return one is not None and one == other


def compare(what, want, got, differences):
    """Compares number by number; how many there were."""
    if isinstance(want, dict) and isinstance(got, dict):
        return sum(compare(f"{what} {key}", want.get(key), got.get(key), differences) for key in sorted(want.keys() | got.keys(), key=str))
    if want != got:
        differences.append(f"{what}: {got} instead of {want}")
    return 1


def run(binary, paths, *more):
    result = subprocess.run([binary, "stats", "--format", "json", *more, *paths], capture_output=True)
    return json.loads(result.stdout.decode("utf-8", "surrogateescape"), parse_float=decimal.Decimal)


def check(binary, paths):
    differences, compared, counted = [], 0, 0
    report = run(binary, paths)
    no_sessions = {f["path"] for f in report["errors"] + [f for f in report["skipped"] if not f["what"].startswith("sesstool made it")]}
    want = [path for path in listed(paths) if path not in no_sessions]
    compared += compare("files", want, [f["path"] for f in report["files"]], differences)
    files = {}
    for told_file in report["files"]:
        try:
            files[told_file["path"]] = File(told_file["path"])
        except NotCounted:
            continue
    kept = [path for path in (f["path"] for f in report["files"]) if path in files]
    for told_file in report["files"]:
        file = files.get(told_file["path"])
        if not file:
            continue
        tally = Tally()
        for entry, _ in file.entries:
            tally.add(entry)
        counted += 1
        compared += compare(file.path, tally.expected(file.exact), told(told_file["lifetime"], file.exact), differences)
        content = sum(told_file["lifetime"]["content"].values())
        compared += compare(f"{file.path} bytes", os.path.getsize(file.path), content, differences)
    if not kept:
        return counted, compared, differences
    # all of them together, what earlier files have left out
    exact = all(files[path].exact for path in kept)
    seen, total, groups = set(), Tally(), {by: collections.defaultdict(Tally) for by in ("day", "week", "month", "project", "session")}
    for path in kept:
        own = set()
        for entry, raw in files[path].entries:
            own.add(raw)
            if raw in seen:
                continue
            total.add(entry)
            for by in groups:
                groups[by][files[path].group(entry, by)].add(entry)
        seen |= own
    report = run(binary, kept)
    compared += compare("total", total.expected(exact), told(report["totals"]["tally"], exact), differences)
    for by in groups:
        report = run(binary, kept, "--by", by)
        want = {key: tally.expected(exact) for key, tally in groups[by].items()}
        got = {group["key"]: told(group["tally"], exact) for group in report["groups"] if group["tally"]["entries"]}
        compared += compare(f"by {by}", want, got, differences)
    return counted, compared, differences


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--bin", default=os.environ.get("SESSTOOL", "target/release/sesstool"))
    args.add_argument("--print", action="store_true", help="only count, and print what comes to")
    args.add_argument("paths", nargs="+")
    args = args.parse_args()
    if args.print:
        tally, seen = Tally(), set()
        for name in listed(args.paths):
            own = set()
            for entry, raw in File(name).entries:
                own.add(raw)
                if raw not in seen:
                    tally.add(entry)
            seen |= own
        print(json.dumps(tally.expected(False), indent=1))
        return 0
    counted, compared, differences = check(args.bin, args.paths)
    for difference in differences[:50]:
        print(difference)
    print(f"{counted} files, {compared} numbers compared, {len(differences)} differ")
    return 1 if differences or not counted else 0


sys.exit(main())
