import process from "node:process";
import { download } from "../../lib/toolchain/download/download.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// A download in a process of its own, which tests/toolchain/download-kill.test.ts kills.

const [url = "", to = "", sha256 = "", bytes = "0"] = process.argv.slice(2);
const result = await download({
  artifact: { name: "Tool 1.0", url, sha256, bytes: Number(bytes) },
  to,
  progress: {
    log: (line) => console.log(`log ${line}`),
    progress: ({ phase, done }) => console.log(`${phase} ${done}`),
  },
}, await loadRuntime());
console.log(`result ${JSON.stringify(result)}`);
