// Appends a second of pi's SessionManager. usage: pi.mjs MODULE FOLDER ENTRIES
import { join } from "node:path";

const [module, folder, entries] = process.argv.slice(2);
const { SessionManager } = await import(module);
const MANY = Number(entries), BATCH = 1000, TIMES = 5;
const message = { role: "user", content: "Fix the parser, please. ".repeat(36), timestamp: 1767225600000 };

function append(manager, count) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < count; n++) manager.appendMessage(message);
    return count / (Number(process.hrtime.bigint() - start) / 1e9);
}
const best = (rate) => Math.max(...Array.from({ length: TIMES }, rate));
const say = (what, how, rate) => console.log(`pi 1.6.0  ${what.padEnd(28)} ${how.padEnd(12)} ${Math.round(rate).toString().padStart(12)} appends/s`);

say("0 to 1,000 entries", "buffered", best(() => append(SessionManager.create("/project", join(folder, "pi")), BATCH)));
say(`0 to ${MANY} entries`, "memory", append(SessionManager.inMemory("/project"), MANY));
const manager = SessionManager.create("/project", join(folder, "pi"));
say(`0 to ${MANY} entries`, "buffered", append(manager, MANY));
say(`behind ${MANY} entries`, "buffered", best(() => append(manager, BATCH)));
