// What the real pi 1.6.0 and agent-core 0.83.0 see of a session, and where their next entry lands. Reads requests from
// standard input, one JSON object a line: {"file", "scratch", "reader": "pi" | "agent-core"}; answers in the same way.
import { copyFileSync, mkdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { flat, plain } from "./tree.mjs";

const [piModule, core] = process.argv.slice(2);
const pi = await import(piModule);
const [{ NodeExecutionEnv }, { JsonlSessionStorage }, session] = await Promise.all(
    ["env/nodejs.js", "session/jsonl-storage.js", "session/session.js"].map((file) => import(join(core, "dist/harness", file))),
);

const ids = (entries) => entries.map((entry) => plain(entry.id));
const settings = ({ messages, model, thinkingLevel }) => ({ messages, model: model && [model.provider, model.modelId], thinking: thinkingLevel });
/** The parent of the entry that was appended last. */
const parent = (file) => plain(JSON.parse(readFileSync(file, "utf8").trimEnd().split("\n").at(-1)).parentId);

function askPi(file, folder) {
    const manager = pi.SessionManager.open(file, folder);
    const [entries, leaf] = [manager.getEntries(), manager.getLeafId()];
    const said = {
        ids: ids(entries), leaf: plain(leaf), branch: ids(manager.getBranch()), tree: flat(manager.getTree()), name: plain(manager.getSessionName()),
        labels: Object.fromEntries(manager.labelsById), entries: ids(pi.buildContextEntries(entries, leaf, manager.byId)),
        ...settings(pi.buildSessionContext(entries, leaf, manager.byId)),
    };
    manager.appendCustomEntry("next", null);
    return { ...said, next: parent(file) };
}

async function askCore(file, folder) {
    const storage = await JsonlSessionStorage.open(new NodeExecutionEnv({ cwd: folder }), file);
    const own = new session.Session(storage);
    const branch = await own.getBranch();
    const said = {
        ids: ids(await storage.getEntries()), leaf: plain(await storage.getLeafId()), branch: ids(branch), name: plain(await storage.getSessionName()),
        labels: Object.fromEntries(storage.labelsById), entries: ids(session.buildContextEntries(branch)),
        ...settings(session.buildSessionContext(branch)),
    };
    await own.appendCustomEntry("next", null);
    return { ...said, next: parent(file) };
}

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
    const { file, scratch, reader } = JSON.parse(line);
    const folder = join(scratch, `copy-${process.pid}-${count++}`);
    mkdirSync(folder);
    const copy = join(folder, "session.jsonl");
    copyFileSync(file, copy);
    let answer;
    try { answer = await (reader === "pi" ? askPi : askCore)(copy, folder); } catch (error) { answer = { error: `${error}` }; }
    writeSync(1, `${JSON.stringify(answer)}\n`);
}
