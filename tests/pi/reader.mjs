// Asks the real pi: one child process for many files, restarted where it hangs.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** How long a stage of pi may take before it counts as hanging. */
const PATIENCE = 4000;

/** pi in a child process, which is started anew after a hang. Its copies of files go to a folder. */
export class Pi {
    constructor(module, folder) {
        this.module = module;
        this.folder = folder;
    }

    start() {
        this.child = spawn(process.execPath, ["--max-old-space-size=512", join(here, "pi.mjs"), this.module], { stdio: ["pipe", "pipe", "ignore"] });
        this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    }

    /** The stages of one file but for those to skip. One that hangs is left out the next time, and listed in `hangs`. */
    async ask(file, leaf, skip = ["calls"]) {
        const hangs = [];
        for (;;) {
            if (!this.child) this.start();
            const said = { hangs, throws: {} };
            this.child.stdin.write(`${JSON.stringify({ file, scratch: this.folder, leaf, skip: [...skip, ...hangs] })}\n`);
            const stuck = await this.listen(said);
            if (stuck === null) return said;
            this.stop();
            if (stuck === "open") return { hangs: ["open"], throws: {} };
            hangs.push(stuck);
        }
    }

    /** Takes lines until the end of the answer; the stage that is stuck, or null. */
    async listen(said) {
        let stage = "open";
        for (;;) {
            let timer;
            const patience = new Promise((done) => { timer = setTimeout(() => done({ done: true }), stage === "open" ? 30000 : PATIENCE); });
            const { value, done } = await Promise.race([this.lines.next(), patience]);
            clearTimeout(timer);
            if (done) return stage;
            const line = JSON.parse(value);
            if (line.end) return null;
            if (line.start) stage = line.start;
            else if (line.error !== undefined) said.throws[line.stage] = line.error;
            else said[line.stage] = line.data;
        }
    }

    stop() {
        this.child?.kill("SIGKILL");
        this.child = undefined;
    }
}
