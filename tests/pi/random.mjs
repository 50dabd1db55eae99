// Random sessions: trees with branches, labels, compactions, edits, and damage. The same seed gives the same bytes.

/** A generator of numbers that is good enough here, and the same everywhere. */
export function random(seed) {
    let state = seed >>> 0;
    const next = () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = state;
        t = Math.imul(t ^ (t >>> 15), t | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const below = (n) => Math.floor(next() * n);
    return { next, below, chance: (p) => next() < p, pick: (list) => list[below(list.length)] };
}

const WORDS = ["fix", "the", "parser", "日本", "👍🏽", "naïve", "a\"quote", "tab\there", "line\nfeed", "\\", "", "end"];

/** One session as bytes, and the ids that stand in it. */
export function session(seed) {
    const r = random(seed);
    const text = () => Array.from({ length: 1 + r.below(5) }, () => r.pick(WORDS)).join(" ");
    const version = r.pick([3, 3, 3, 3, 3, 3, 3, 2, 1, undefined, "3", 2.5]);
    const flat = version === 1 || version === undefined;
    const odd = r.chance(0.3); // ids and parents of other types, and times that are none
    const entries = [];
    const ids = [];
    let last = null;
    let clock = Date.UTC(2026, 0, 1);
    const time = () => {
        clock += r.pick([0, 1000, 1000, 5000, -3000]);
        if (odd && r.chance(0.1)) return r.pick(["not a date", "", null, 1735689601000, undefined]);
        return new Date(clock).toISOString();
    };
    const add = (fields) => {
        const id = odd && r.chance(0.06) ? r.pick([7, "7", null, undefined, "", true, {}]) : hex(r);
        const entry = { type: fields.type, id, parentId: parent(), timestamp: time(), ...fields };
        if (flat) { delete entry.id; delete entry.parentId; }
        entries.push(entry);
        if (typeof id === "string" && id !== "") ids.push(id);
        last = id;
    };
    const parent = () => {
        if (odd && r.chance(0.04)) return r.pick([7, "7", "", 0, false, undefined, "gone"]);
        if (r.chance(0.02)) return null;
        return ids.length && r.chance(0.12) ? r.pick(ids) : last;
    };
    const target = () => (ids.length && !r.chance(0.1) ? r.pick(ids) : "gone");
    const count = 3 + r.below(45);
    for (let n = 0; n < count; n++) add(fields(r, text, target, entries, odd));
    return { bytes: damaged(r, lines(r, version, entries)), ids: flat ? [] : ids };
}

/** A session of turns with tool calls, some of which go wrong: results that are lost, late, early or repeated. */
export function turns(seed) {
    const r = random(seed);
    const flat = r.chance(0.25);
    const entries = [];
    let clock = Date.UTC(2026, 0, 1);
    const add = (fields, back = r.chance(0.1) ? 1 + r.below(12) : 1) => {
        clock += 1000;
        const parent = entries[entries.length - back]?.id ?? null;
        entries.push({ id: hex(r), parentId: parent, timestamp: new Date(clock).toISOString(), ...fields });
    };
    const message = (message) => add({ type: "message", message: { ...message, timestamp: clock } });
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const content = () => r.pick([[{ type: "text", text: "well" }], [{ type: "text", text: r.chance(0.2) ? " " : "well" }], "well", r.chance(0.1) ? null : "so"]);
    for (let turn = 1 + r.below(8); turn > 0; turn--) {
        message({ role: "user", content: content() });
        const ids = [...new Set(Array.from({ length: r.below(4) }, () => `call_${r.below(6)}`))];
        const stopReason = r.pick(["toolUse", "toolUse", "toolUse", "stop", "error", "aborted"]);
        const blocks = ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: r.chance(0.05) ? "\ud800" : "a" } }));
        message({ role: "assistant", content: [{ type: "text", text: "I look." }, ...blocks], api: "a", provider: "p", model: "m", usage, stopReason });
        for (const id of ids) {
            if (r.chance(0.15)) continue;
            if (r.chance(0.1)) message({ role: "user", content: "and?" });
            if (r.chance(0.1)) add(r.pick([{ type: "custom", customType: "ext", data: 1 }, { type: "label", targetId: entries[0].id, label: "l" }]));
            if (r.chance(0.08)) {
                const kept = r.pick([entries.at(-1 - r.below(Math.min(6, entries.length)))?.id, "gone", undefined]);
                const index = r.below(entries.length + 2);
                add({ type: "compaction", summary: "s", tokensBefore: 9, ...(flat ? { firstKeptEntryIndex: index } : { firstKeptEntryId: kept }) });
            }
            const answer = () => message({ role: "toolResult", toolCallId: r.chance(0.05) ? "call_9" : id, toolName: "read", content: [{ type: "text", text: "r" }], isError: false });
            answer();
            if (r.chance(0.05)) answer();
        }
        if (r.chance(0.2)) add({ type: "branch_summary", fromId: "root", summary: "b" }, 1 + r.below(9));
        if (r.chance(0.1)) add({ type: "custom_message", customType: "ext", content: "c", display: true });
        if (r.chance(0.15)) {
            const call = { type: "toolCall", id: ids[0] ?? "call_0", name: "read", arguments: {} };
            const replacement = r.pick([null, { content: "short" }, { content: [call] }]);
            add({ type: "context_edit", targetId: entries.at(-1 - r.below(Math.min(8, entries.length))).id, replacement });
        }
    }
    if (flat) entries.forEach((entry) => { delete entry.id; delete entry.parentId; });
    return damaged(r, lines(r, flat ? r.pick([1, undefined]) : 3, entries));
}

const hex = (r) => Array.from({ length: 8 }, () => r.below(16).toString(16)).join("");

/** What an entry holds beside its ids. */
function fields(r, text, target, entries, odd) {
    const message = (message) => ({ type: "message", message: { ...message, timestamp: r.below(1e9) } });
    const content = () => (odd && r.chance(0.2) ? r.pick([null, undefined, 5]) : r.chance(0.5) ? text() : [{ type: "text", text: text() }]);
    switch (r.below(24)) {
        case 0: return { type: "compaction", summary: r.pick([text(), "", undefined]), firstKeptEntryId: r.chance(0.8) ? target() : undefined, firstKeptEntryIndex: r.chance(0.3) ? r.below(entries.length + 3) : undefined, tokensBefore: 100, systemMessage: r.chance(0.3) ? { role: "system", content: text() } : undefined };
        case 1: return { type: "branch_summary", fromId: r.pick([target(), "root"]), summary: r.pick([text(), "", undefined]) };
        case 2: return { type: "custom_message", customType: "ext", content: content(), display: r.chance(0.5), details: r.pick([undefined, { a: 1 }]) };
        case 3: case 4: return { type: "context_edit", targetId: target(), replacement: r.pick([null, { content: text() }, { content: [{ type: "text", text: text() }] }, ...(odd ? [{}, undefined] : [])]) };
        case 5: return { type: "model_change", provider: r.pick(["p", "q"]), modelId: r.pick(["m", "n"]) };
        case 6: return { type: "thinking_level_change", thinkingLevel: r.pick(["off", "low", "high"]) };
        case 7: case 8: return { type: "label", targetId: target(), label: r.pick([text(), "mark", undefined, null, "", "  "]) };
        case 9: return { type: "session_info", name: text() };
        case 10: return { type: "custom", customType: "ext", data: { x: r.below(9) } };
        case 11: return r.pick([{ type: "leaf", targetId: target() }, { type: "usage", kind: "title" }, { type: "unheard_of" }]);
        case 12: return message({ role: "system", content: text() });
        case 13: return message({ role: r.pick(["hookMessage", "custom", "bashExecution"]), content: content(), command: "ls" });
        case 14: return odd ? { type: "message", message: r.pick([null, undefined, 5, "text", {}]) } : message({ role: "user", content: text() });
        case 15: case 16: case 17: return message({ role: "toolResult", toolCallId: "c", toolName: "read", content: content(), isError: false });
        case 18: case 19: case 20: return message({ role: "assistant", content: content(), provider: r.pick(["p", undefined]), model: r.pick(["m", "n"]), stopReason: "stop" });
        default: return message({ role: "user", content: content() });
    }
}

function lines(r, version, entries) {
    const header = { type: "session", version, id: "0198c0de-0000-7000-8000-000000000000", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/p" };
    return [header, ...entries].map((entry) => JSON.stringify(entry));
}

/** The file's bytes with some damage, or none. */
function damaged(r, lines) {
    for (let times = r.pick([0, 0, 1, 2, 4]); times > 0; times--) damage(r, lines);
    const text = lines.join("\n") + (r.chance(0.9) ? "\n" : "");
    return Buffer.from(r.chance(0.1) ? text.slice(0, -1 - r.below(40)) : text, "utf8");
}

function damage(r, lines) {
    const at = 1 + r.below(Math.max(1, lines.length - 1));
    const line = lines[at];
    if (line === undefined) return;
    switch (r.below(13)) {
        case 0: lines[at] = line.slice(0, r.below(line.length)); break; // torn
        case 1: lines[at] = line.slice(r.below(line.length)); break; // its head is lost
        case 2: lines.splice(at, 2, line + (lines[at + 1] ?? "")); break; // glued
        case 3: lines[at] = line.slice(0, r.below(line.length)) + (lines[at + 1] ?? ""); break; // torn, then whole
        case 4: lines.splice(at, 0, line); break; // twice
        case 5: lines.splice(1 + r.below(lines.length), 0, line.replace(/"content":"/, "\"content\":\"again ")); break; // the same id elsewhere
        case 6: lines.splice(at, 0, r.pick(["", "   ", "\u00a0", "\u3000", "\ufeff", "\u2028"])); break; // blank
        case 7: lines.splice(at, 0, r.pick(["null", "0", "\"\"", "false", "[]", "[1]"])); break; // no entry
        case 8: lines[at] = r.pick(["\ufeff", "\0", "x", "\u00a0"]) + line; break; // something before it
        case 9: lines.splice(at, 1); break; // lost: its children dangle
        case 10: lines[at] = line.replace(/"parentId":"[^"]*"/, (found) => found.replace("parentId", "id").replace("id", "parentId")); break;
        case 11: lines.splice(at, 0, lines[0]); break; // a second header
        default: lines[at] = ` ${line}\r`; break; // blanks that JSON allows
    }
}
