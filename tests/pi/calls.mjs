// After `repair` with all that is done only on request, the context that pi builds has no tool call without its
// result right behind it, on any tip; what is left is named by `validate`. Options: see `run`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { turns } from "./random.mjs";
import { Pi } from "./reader.mjs";

const options = { count: "400", seed: "1" };
for (let n = 2; n < process.argv.length; n += 2) options[process.argv[n].replace(/^--/, "")] = process.argv[n + 1];
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "sesstool-calls-"));
mkdirSync(folder, { recursive: true });

const CHOSEN = "M,J004,E006,R003,R005";

/** Rules without a repair that make a call stand alone: two calls with one id, and a block that is no proper call. */
const UNMENDED = ["M003", "M007"];

/** What is wrong with the calls of a context. */
function unpaired(messages) {
    const wrong = [];
    let open = [];
    let last;
    for (const message of messages) {
        // readers leave out the turns that failed, and what they do not know
        if (message.role === "assistant" && ["error", "aborted"].includes(message.stopReason)) continue;
        if (message.role === "toolResult") {
            const at = open.indexOf(message.answers);
            if (at < 0) wrong.push(`a result of ${message.answers} without its call right before it`);
            else open.splice(at, 1);
            continue;
        }
        if (!["user", "assistant", "custom", "bashExecution", "branchSummary", "compactionSummary"].includes(message.role)) continue;
        if (open.length) wrong.push(`${open.join(", ")} have no result before the next message`);
        open = [...message.calls];
        last = message;
    }
    // at the end of a branch a call may wait
    if (open.length && last.stopReason !== "toolUse") wrong.push(`${open.join(", ")} have no result at the end`);
    return wrong;
}

function run(...args) {
    const run = spawnSync(options.binary, args, { encoding: "utf8", timeout: 60000, maxBuffer: 1 << 28 });
    if (![0, 1].includes(run.status)) throw new Error(`${args[0]}: exit ${run.status} ${run.signal ?? ""} ${run.stderr}`);
    return JSON.parse(run.stdout);
}

function* below(path) {
    if (!existsSync(path)) throw new Error(`${path} is not there`);
    if (!statSync(path).isDirectory()) return yield path;
    for (const name of readdirSync(path).sort()) yield* below(join(path, name));
}

/** The files to try: those of folders that are named, else the fixtures; and random ones. */
function* files() {
    for (const path of options.files?.split(",") ?? ["bad", "good"].map((kind) => join(root, "fixtures", kind))) yield* below(path);
    for (let n = 0; n < Number(options.count); n++) {
        const file = join(folder, `${Number(options.seed) * 100003 + n}.jsonl`);
        writeFileSync(file, turns(Number(options.seed) * 100003 + n));
        yield file;
    }
}

const pi = new Pi(options.module, folder);
const counts = { files: 0, hopeless: 0, before: 0, named: 0, failed: 0 };
let number = 0;
for (const file of files()) {
    const out = join(folder, `repaired-${number++}.jsonl`);
    const done = run("repair", file, "-o", out, "--choose", CHOSEN, "--format", "json").files[0];
    if (done.status === "hopeless" && done.reason) {
        counts.hopeless++;
        continue;
    }
    counts.files++;
    const ask = async (path) => (await pi.ask(path, null, ["tree", "branch", "entries", "context"])).calls;
    const wrong = (tips) => tips.flatMap(({ leaf, messages }) => unpaired(messages).map((what) => `${leaf}: ${what}`));
    const before = await ask(file);
    counts.before += before && wrong(before).length ? 1 : 0;
    const tips = await ask(existsSync(out) ? out : file);
    // where building a context throws, validate says so
    const found = tips ? wrong(tips) : [];
    if (!found.length) continue;
    const report = run("validate", existsSync(out) ? out : file, "--format", "json").files[0];
    if (UNMENDED.some((code) => report.counts[code])) {
        counts.named++;
        continue;
    }
    counts.failed++;
    console.log(`${file}: ${existsSync(out) ? out : "nothing to repair"} ${JSON.stringify(report.counts)}`);
    found.slice(0, 5).forEach((what) => console.log(`  ${what}`));
}
pi.stop();
if (!counts.failed && !options.keep) rmSync(folder, { recursive: true, force: true });
console.log(`tests/pi: ${counts.files} sessions repaired with --choose ${CHOSEN}; unpaired calls in the contexts of ${counts.before} before, of ${counts.failed + counts.named} after, ${counts.named} of them named by ${UNMENDED.join(", ")} (${counts.hopeless} were no sessions)`);
process.exit(counts.failed || !counts.files ? 1 : 0);
