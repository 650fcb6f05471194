import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { Jobs } from "../../lib/core/jobs.ts";
import { createHandler } from "../../lib/http/mod.ts";
import { openServices, packageVersion } from "../open-services.ts";
import { ratioOf } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Section } from "./report.ts";

const ENDPOINT = "http://127.0.0.1/mcp";

/** Tokens that the specification names for a default answer (spec §8). */
const SPECIFIED: ReadonlyMap<string, number> = new Map([
  ["svc_get_scene_state", 5_938],
  ["svc_get_layout_bounds", 68],
  ["list_assets", 300],
  ["list_traits", 200],
]);

/** A text that an agent reads, by the name of what it is. */
interface Measured {
  readonly name: string;
  readonly characters: number;
  readonly tokens: number;
}

/** What an agent reads: answers without arguments, and the list of tools. */
export async function measureTokens(context: BenchContext): Promise<Omit<Section, "name">> {
  const client = await connectInProcess(context);
  const measured: Measured[] = [];
  const findings: Finding[] = [];
  try {
    const { tools } = await client.listTools();
    for (const { name, annotations } of tools) {
      if (annotations?.readOnlyHint !== true) continue; // without arguments it has nothing to do
      const { content, isError } = await client.callTool({ name, arguments: {} });
      const [banner = "", answer = ""] = content.map((item) =>
        item.type === "text" ? item.text : ""
      );
      if (measured.length === 0) measured.push(measure("banner, before every answer", banner));
      measured.push(measure(isError === true ? `${name}, a problem` : name, answer));
    }
    measured.push(measure(`tools/list, ${tools.length} tools`, JSON.stringify(tools)));
    measured.push(measure("instructions, once", client.getInstructions() ?? ""));
  } finally {
    await client.close();
  }
  for (const { name, tokens } of measured) {
    const specified = SPECIFIED.get(name);
    if (specified === undefined) continue;
    const ratio = ratioOf([tokens], [specified]);
    findings.push({ ours: name, against: `spec §8, about ${specified}`, of: "tokens", ratio });
  }
  return {
    about: "Tokens (o200k_base) of every default answer on the sample project, against the " +
      "approximate targets of the specification, whose project is not shown. The toolchain and the " +
      "banner name paths of the machine. " +
      "Characters ÷ 4 is the usual estimate; the last column is how far it is off.",
    findings,
    counts: {
      head: ["what", "characters", "tokens", "tokens ÷ (characters ÷ 4)"],
      rows: measured.map(({ name, characters, tokens }) => [
        name,
        characters,
        tokens,
        (tokens / (characters / 4)).toFixed(2),
      ]),
    },
  };
}

function measure(name: string, text: string): Measured {
  return { name, characters: text.length, tokens: countTokens(text) };
}

/** A client of the service on the sample project, without a socket between. */
async function connectInProcess({ runtime }: BenchContext): Promise<Client> {
  const services = await openServices(runtime, undefined);
  if (!services.ok) throw new Error(services.error.message);
  const handler = createHandler({
    ...services.value,
    jobs: new Jobs({ now: () => runtime.clock.monotonic() }),
    clock: runtime.clock,
    hostname: "127.0.0.1",
    version: packageVersion(),
  });
  const client = new Client({ name: "slipway-bench", version: "1.0.0" }, {
    versionNegotiation: { mode: "auto" },
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(ENDPOINT), {
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        headers.set("host", new URL(ENDPOINT).host); // a socket would have brought it
        return handler(new Request(url, { ...init, headers }));
      },
    }),
  );
  return client;
}
