// The real pi: reads requests from standard input, one JSON object a line, and writes what it sees of each file, stage by stage.
import { copyFileSync, mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { flat, plain } from "./tree.mjs";

const pi = await import(process.argv[2]);
const answer = (object) => writeSync(1, `${JSON.stringify(object)}\n`);

function stage(skip, name, look) {
    if (skip.includes(name)) return;
    answer({ start: name });
    try { answer({ stage: name, data: look() }); } catch (error) { answer({ stage: name, error: `${error}` }); }
}

/** What a message has to do with tool calls. */
function brief(message) {
    const blocks = Array.isArray(message?.content) ? message.content : [];
    return {
        role: message?.role,
        calls: message?.role === "assistant" ? blocks.filter((block) => block?.type === "toolCall").map((block) => block.id) : [],
        answers: message?.role === "toolResult" ? message.toolCallId : undefined,
        stopReason: message?.stopReason,
    };
}

/** The context of every tip and of the leaf, as far as tool calls go. */
function calls(manager, entries) {
    const parents = new Set(entries.map((entry) => entry.parentId));
    const tips = entries.filter((entry) => typeof entry.id === "string" && !parents.has(entry.id)).map((entry) => entry.id);
    const at = [...new Set([...tips, manager.getLeafId()])];
    return at.map((leaf) => ({ leaf: plain(leaf), messages: pi.buildSessionContext(entries, leaf, manager.byId).messages.map(brief) }));
}

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
    const { file, scratch, leaf, skip } = JSON.parse(line);
    // pi may rewrite what it opens
    const folder = join(scratch, `copy-${process.pid}-${count++}`);
    mkdirSync(folder);
    const copy = join(folder, "session.jsonl");
    copyFileSync(file, copy);
    let manager;
    stage([], "open", () => {
        manager = pi.SessionManager.open(copy, folder);
        return { ids: manager.getEntries().map((entry) => plain(entry.id)) };
    });
    if (manager) {
        const entries = manager.getEntries();
        const at = leaf ?? manager.getLeafId();
        stage(skip, "tree", () => flat(manager.getTree()));
        stage(skip, "branch", () => manager.getBranch(leaf ?? undefined).map((entry) => plain(entry.id)));
        stage(skip, "entries", () => pi.buildContextEntries(entries, at, manager.byId).map((entry) => plain(entry.id)));
        stage(skip, "context", () => {
            const { messages, model, thinkingLevel } = pi.buildSessionContext(entries, at, manager.byId);
            return { messages, model: model && { provider: plain(model.provider), modelId: plain(model.modelId) }, thinkingLevel: plain(thinkingLevel) };
        });
    }
    if (manager) stage(skip, "calls", () => calls(manager, manager.getEntries()));
    answer({ end: true });
}
