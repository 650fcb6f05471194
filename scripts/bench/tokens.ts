import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { getSceneState } from "../../lib/agent/tools/scene.ts";
import { PAYLOAD_CAP, type Services } from "../../lib/agent/mod.ts";
import type { Entity } from "../../lib/editor/mod.ts";
import { openService, type Service } from "../../lib/service/mod.ts";
import { packagedSample } from "../shared/own-sample.ts";
import { packageVersion } from "../shared/runtime.ts";
import { ratioOf } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";
import { scene135 } from "./scene-135.ts";
import { anEntity } from "./servers.ts";

const ENDPOINT = "http://127.0.0.1/mcp";
const HARBOR = "assets/scenes/harbor.scene.json";
/** Names of answers in the report other than the default ones. */
const INDEX = "index of 135 entities";
const COMPACT = "compact index of 135 entities";
const EDIT = "svc_scene_edit, one set";
const ROUND = "did my edit land: edit, look, both answers";

/**
 * Tokens that are aimed at; the first four are the specification's for a default answer (BUDGET-8).
 */
const TARGETS: ReadonlyMap<string, number> = new Map([
  ["svc_get_scene_state", 5_938],
  ["svc_get_layout_bounds", 68],
  ["list_assets", 300],
  ["list_traits", 200],
  ["tools/list", 9_500],
  [INDEX, 8_178],
  [COMPACT, 2_600],
  [EDIT, 50],
  [ROUND, 300],
]);

/** A text that an agent reads, with its name. */
interface Measured {
  readonly name: string;
  readonly characters: number;
  readonly tokens: number;
}

/**
 * Measures what an agent reads: answers without arguments, the list of tools, and its most frequent
 * calls.
 */
export async function measureTokens(context: BenchContext): Promise<Found> {
  const { runtime } = context;
  const opened = await openService({
    runtime,
    project: packagedSample(),
    version: packageVersion(),
  });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { services, close } = opened.value;
  const measured: Measured[] = [];
  try {
    const client = await connectInProcess(opened.value);
    try {
      measured.push(...await readDefaults(client), ...await editAndLook(client));
    } finally {
      await client.close();
    }
    const fixture = withEntities(services, scene135());
    for (const [name, args] of [[INDEX, {}], [COMPACT, { compact: true }]] as const) {
      const answer = await callTool(getSceneState, args, fixture, { cap: PAYLOAD_CAP });
      if (!answer.ok) throw new Error(`${name} is a problem: ${answer.text}`);
      measured.push(measure(name, answer.text));
    }
  } finally {
    await close();
  }
  const findings = measured.flatMap(({ name, tokens }): Finding[] => {
    const target = TARGETS.get(name);
    if (target === undefined) return [];
    const against = `target of ${target}`;
    return [{ ours: name, against, of: "tokens", ratio: ratioOf([tokens], [target]) }];
  });
  return {
    about: "Tokens (o200k_base) of every default answer on the sample project, of the list of " +
      "tools, of an edit with the look whether it landed, and of the index of a fixture of 135 " +
      "entities in 13 sets of traits, against the specification's approximate targets, whose " +
      "project is not shown, and this project's own. The toolchain and the banner name paths of " +
      "the machine. " +
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

/** Returns every answer without arguments, and the texts that a client reads when it connects. */
async function readDefaults(client: Client): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  const { tools } = await client.listTools();
  for (const { name, annotations } of tools) {
    if (annotations?.readOnlyHint !== true) continue; // does nothing without arguments
    const { banner, answer, isProblem } = await ask(client, { name });
    if (measured.length === 0) measured.push(measure("banner, before every answer", banner));
    measured.push(measure(isProblem ? `${name}, a problem` : name, answer));
  }
  measured.push(measure("tools/list", JSON.stringify(tools)));
  measured.push(measure("instructions, once", client.getInstructions() ?? ""));
  return measured;
}

/**
 * Runs the most frequent calls of agents: set a field, and read it back. Banners are not counted.
 */
async function editAndLook(client: Client): Promise<readonly Measured[]> {
  const trait = "Transform";
  const id = await anEntity(client);
  const edit = { ops: [{ op: "set", id, trait, fields: { x: 12.5 } }] };
  const look = { id, trait };
  const edited = await ask(client, { name: "svc_scene_edit", arguments: edit });
  const seen = await ask(client, { name: "svc_get_scene_state", arguments: look });
  if (edited.isProblem || !seen.answer.includes('"x":12.5')) {
    throw new Error(`The edit did not land: ${edited.answer} ${seen.answer}`);
  }
  const texts = [JSON.stringify(edit), edited.answer, JSON.stringify(look), seen.answer];
  return [measure(EDIT, edited.answer), sum(ROUND, texts.map((text) => measure(ROUND, text)))];
}

interface Asked {
  readonly banner: string;
  readonly answer: string;
  readonly isProblem: boolean;
}

async function ask(client: Client, call: Parameters<Client["callTool"]>[0]): Promise<Asked> {
  const { content, isError } = await client.callTool({ arguments: {}, ...call });
  const [banner = "", answer = ""] = content.map((item) => item.type === "text" ? item.text : "");
  return { banner, answer, isProblem: isError === true };
}

/** The same services on an editor that shows these entities. */
function withEntities({ editor }: Services, entities: readonly Entity[]): Services {
  return {
    editor: {
      identity: () => editor.identity(),
      sceneState: () => Promise.resolve({ scenePath: HARBOR, rev: 0, entities }),
      worldTransforms: () => editor.worldTransforms(),
      layoutBounds: () => editor.layoutBounds(),
      assets: () => editor.assets(),
      traits: () => editor.traits(),
      consoleEntries: () => editor.consoleEntries(),
      diagnose: () => editor.diagnose(),
    },
  };
}

function sum(name: string, parts: readonly Measured[]): Measured {
  return parts.reduce((all, { characters, tokens }) => ({
    name,
    characters: all.characters + characters,
    tokens: all.tokens + tokens,
  }), { name, characters: 0, tokens: 0 });
}

function measure(name: string, text: string): Measured {
  return { name, characters: text.length, tokens: countTokens(text) };
}

/** A client of the service on the sample project, without a socket between. */
async function connectInProcess({ handler }: Service): Promise<Client> {
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
