// Compares what the binary says with --reader pi with what pi says. Options: see `run`.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random, session } from "./random.mjs";
import { Pi } from "./reader.mjs";

const options = { count: "400", seed: "1" };
for (let n = 2; n < process.argv.length; n += 2) options[process.argv[n].replace(/^--/, "")] = process.argv[n + 1];
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "sesstool-pi-"));
mkdirSync(folder, { recursive: true });

/** The binary's answer; null where it refuses. */
function ours(verb, file, ...more) {
    const run = spawnSync(options.binary, [verb, file, ...more, "--reader", "pi", "--format", "json"], { encoding: "utf8", timeout: 20000, maxBuffer: 1 << 28 });
    if (![0, 2].includes(run.status)) throw new Error(`${verb}: exit ${run.status} ${run.signal ?? ""} ${run.stderr}`);
    return run.status === 2 ? null : JSON.parse(run.stdout);
}

/** A value as text, keys sorted: their order means nothing. */
function canonical(value) {
    return JSON.stringify(value, (_, inner) => inner !== null && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner);
}

function compare(file, leaf, said) {
    const problems = [];
    const same = (what, got, want) => {
        const [a, b] = [canonical(got), canonical(want)];
        if (a !== b) problems.push(`${what}:\n    ours ${a.slice(0, 600)}\n    pi   ${b.slice(0, 600)}`);
    };
    const tree = ours("tree", file);
    if (said.open === undefined) {
        if (tree !== null) problems.push(`pi refuses it (${said.throws.open ?? "it hangs"}), we do not`);
        return problems;
    }
    if (tree === null) return ["we refuse it, pi does not"];
    // pi makes up ids for files of version 1
    const made = new Map();
    const own = [...tree.nodes].sort((a, b) => a.line - b.line || a.offset - b.offset).map((node) => node.id);
    if (said.open.ids.length === own.length && new Set(own).size === own.length) own.forEach((id, n) => made.set(id, said.open.ids[n]));
    const name = (id) => (typeof id === "string" && made.has(id) ? made.get(id) : id);
    if (said.tree && !tree.cut) same("tree", tree.nodes.map((n) => [name(n.id), n.depth, n.label]), said.tree);
    const at = leaf === null ? [] : [leaf];
    if (said.branch) same("branch", ours("tree", file, "--leaf", ...at)?.entries.map((e) => name(e.id)), said.branch);
    const context = ours("context", file, ...(leaf === null ? [] : ["--leaf", leaf]));
    if (said.throws.context) {
        if (context !== null) problems.push(`pi throws (${said.throws.context}), we do not`);
    } else if (said.context) {
        same("entries", context?.entries.map(name), said.entries);
        same("messages", context?.messages.map((m) => m.message), said.context.messages);
        same("model", context?.model, said.context.model);
        same("thinking level", context?.thinkingLevel, said.context.thinkingLevel);
    }
    return problems;
}

const pi = new Pi(options.module, folder);
let failed = 0;
const counts = { files: 0, refused: 0, throws: 0, hangs: 0 };
for (let n = 0; n < Number(options.count); n++) {
    const seed = Number(options.seed) * 100003 + n;
    const { bytes, ids } = session(seed);
    const file = join(folder, `${seed}.jsonl`);
    writeFileSync(file, bytes);
    const r = random(seed ^ 0x5bd1e995);
    const present = ids.filter((id) => id.length === 8 && bytes.includes(`"id":"${id}"`));
    for (const leaf of [null, ...(present.length ? [r.pick(present)] : [])]) {
        const said = await pi.ask(file, leaf);
        // an id that pi does not see is an error to us, and the last entry to pi
        if (leaf !== null && said.open && !said.open.ids.includes(leaf)) continue;
        counts.files++;
        counts.refused += said.open ? 0 : 1;
        counts.throws += said.throws.context ? 1 : 0;
        counts.hangs += said.hangs.length ? 1 : 0;
        let problems;
        try { problems = compare(file, leaf, said); } catch (error) { problems = [`${error}`]; }
        if (problems.length) {
            failed++;
            console.log(`${file}${leaf === null ? "" : ` --leaf ${leaf}`}`);
            problems.forEach((problem) => console.log(`  ${problem}`));
        }
        if (failed >= 20) break;
    }
    if (failed >= 20) break;
}
pi.stop();
if (!failed && !options.keep) rmSync(folder, { recursive: true, force: true });
console.log(`tests/pi: ${counts.files} answers compared with pi 1.6.0 (${counts.refused} refused, ${counts.throws} thrown, ${counts.hangs} hung), ${failed} differ`);
process.exit(failed || !counts.files ? 1 : 0);
