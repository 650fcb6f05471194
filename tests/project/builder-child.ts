import { writeSync } from "node:fs";
import process from "node:process";
import { ok } from "../../lib/core/result.ts";
import { asOnlyBuilder } from "../../lib/project/jobs/only-builder.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// A builder that writes two files, and suspends itself between them until somebody wakes it.

const [root = "", userData = "", before = "", after = ""] = process.argv.slice(2);
const runtime = await loadRuntime();
const built = await asOnlyBuilder({
  ...runtime,
  // A minute passes in a moment: what is measured is how long it was suspended.
  clock: { ...runtime.clock, monotonic: () => runtime.clock.monotonic() * 100_000 },
  host: { ...runtime.host, userData },
}, {
  root,
  kind: "build",
  key: "web",
  async work(files) {
    await files.write(before, new TextEncoder().encode("first builder"));
    writeSync(1, "suspended\n");
    process.kill(process.pid, "SIGSTOP");
    await files.write(after, new TextEncoder().encode("first builder"));
    return ok(null);
  },
});
writeSync(1, `${JSON.stringify(built.ok ? { ok: true } : built.error)}\n`);
