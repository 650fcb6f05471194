import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Context, fromRun, packageBin } from "./context.ts";
import type { Ran } from "./exec.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";

// Runs the protocol's own conformance suite and its inspector against real servers: the product,
// and the product's transport and guard with the fixtures that the suite requires.

const SUITE = "@modelcontextprotocol/conformance/dist/index.js";
const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const START_MS = 300_000;
const STOP_MS = 60_000;

/** The servers, with lists of expected failures by protocol version; absent if all pass. */
const SERVERS = [
  {
    name: "product",
    script: "scripts/start",
    args: ["--port", "0", "--json", "--project", "lib/editor/sample"],
    baselines: { "2025-11-25": true, "2026-07-28": true },
  },
  {
    name: "fixture",
    script: "tests/conformance/fixture-server",
    args: [],
    baselines: { "2025-11-25": true, "2026-07-28": false },
  },
] as const;

type Served = (typeof SERVERS)[number];

/** Runs the suite and the inspector against both servers on one runtime. */
export async function checkConformance(
  context: Context,
  runtime: "deno" | "node",
): Promise<Outcome> {
  if (runtime === "node" && context.node === null) {
    return skipped("conformance under Node", "found no node on PATH");
  }
  const outcomes: Outcome[] = [];
  for (const server of SERVERS) outcomes.push(await checkServer(context, server, runtime));
  return sum(outcomes);
}

async function checkServer(
  context: Context,
  server: Served,
  runtime: "deno" | "node",
): Promise<Outcome> {
  const options = { cwd: context.root, env: { SVC_TOKEN: undefined } };
  const service = context.start([...scriptWords(context, server.script, runtime), ...server.args], {
    ...options,
  });
  try {
    const found = await service.waitFor(/"mcp":\s*"http:\/\/127\.0\.0\.1:(\d+)\/mcp"/, START_MS);
    if (found === null) return failed(`${server.name} under ${runtime} did not print its address`);
    // The suite wants a loopback name for its rebinding scenario.
    const url = `http://localhost:${found[1]}/mcp`;
    const outcomes: Outcome[] = [];
    for (const [protocol, withBaseline] of Object.entries(server.baselines)) {
      const results = join(context.scratch, `conformance-${runtime}-${server.name}-${protocol}`);
      mkdirSync(results, { recursive: true });
      const baseline = `tests/conformance/${server.name}-${protocol}.yml`;
      const ran = await context.exec([
        ...packageBin(context, SUITE),
        ...["server", "--url", url, "--requirements", protocol, "-o", results],
        ...(withBaseline ? ["--expected-failures", baseline] : []),
      ], options);
      outcomes.push(judgeSuite(`${server.name}, ${protocol}, ${runtime}`, ran));
    }
    if (server.name === "product") outcomes.push(await inspect(context, url, runtime));
    return sum(outcomes);
  } finally {
    await service.stop(STOP_MS);
  }
}

/** Counts the results in the suite's summary; its exit code accounts for expected failures. */
export function judgeSuite(name: string, { code, output }: Pick<Ran, "code" | "output">): Outcome {
  // deno-lint-ignore no-control-regex
  const plain = output.replaceAll(/\u001b\[\d+m/g, "");
  const summary = plain.slice(Math.max(0, plain.indexOf("=== SUMMARY ===")));
  const count = summary.match(/^✓ [\w-]+: \d+ passed, 0 failed$/gm)?.length ?? 0;
  if (code === 0 && count > 0) return passed(count);
  return { ...failed(`${name}:\n${summary}\n(exit code ${code})`), passed: count };
}

/** The inspector's strict lint of the schemas, over both transports and both protocols. */
async function inspect(
  context: Context,
  url: string,
  runtime: "deno" | "node",
): Promise<Outcome> {
  const list = ["-q", "--format", "json", "--method", "tools/list", "--strict"];
  const http = ["--server-url", url, "--transport", "http"];
  const calls = [
    [...http, ...list, "--protocol-era", "legacy"],
    [...http, ...list, "--protocol-era", "modern"],
    [...list, ...scriptWords(context, "scripts/mcp", runtime)],
  ];
  const outcomes: Outcome[] = [];
  for (const args of calls) {
    outcomes.push(fromRun(
      await context.exec([...packageBin(context, INSPECTOR), "--cli", ...args], {
        cwd: context.root,
      }),
    ));
  }
  return sum(outcomes);
}

function scriptWords(
  { deno, node }: Context,
  script: string,
  runtime: "deno" | "node",
): readonly string[] {
  return runtime === "deno"
    ? [deno, "run", "-A", `${script}.ts`]
    : [node?.path ?? "node", `dist/${script}.js`];
}
