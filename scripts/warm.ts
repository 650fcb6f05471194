// Builds and downloads the real parts that the gate tests with into the user's cache: `npm run
// warm`. The gate does so automatically, which takes time on a new machine.

import { commandLine, runScript } from "./shared/cli.ts";
import { findNodeArchive } from "./gate/node-archive.ts";
import { buildStores } from "./gate/store-binary.ts";
import { findWindowsNode } from "./gate/windows-node.ts";

await runScript(async (argv) => {
  const usage = "npm run warm : builds and fetches what the gate tries real parts with";
  const line = commandLine(argv, { usage, flags: {} });
  if (typeof line === "number") return line;
  const stores = await buildStores();
  const [archive, windows] = [await findNodeArchive(), await findWindowsNode()];
  const lacks = [
    ...stores.skipped.map(({ name, reason }) => `${name}: ${reason}`),
    ...[archive.skip, windows.skip].filter((reason) => reason !== false),
  ];
  if (line.switches["json"]) console.log(JSON.stringify({ ok: lacks.length === 0, lacks }));
  else console.log(lacks.length === 0 ? "Everything is there" : `Not there: ${lacks.join("; ")}`);
  return 0;
});
