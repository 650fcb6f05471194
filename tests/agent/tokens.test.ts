import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createAgentToolchain } from "../../lib/service/mod.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { INSTRUCTIONS, listedTool } from "../../lib/agent/mcp.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { isRecord } from "../../lib/core/json.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { androidSdk, answer, jdk, machine } from "../toolchain/machine.ts";
import { ask } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { stillClock } from "../editor/project-folder.ts";
import { USUAL_TOOLS } from "../support/usual-tools.ts";
import { writeLargeScene } from "../../scripts/bench/large-scene.ts";

// What agents pay for reading, in tokens of o200k_base, against a committed budget: a growth is a
// change of token-budget.json that a reviewer sees. SLIPWAY_UPDATE=1 writes the file anew.

const FILE = "tests/agent/token-budget.json";
const LARGE = 10_000;
const UPDATE = process.env["SLIPWAY_UPDATE"] === "1";

type Counts = Readonly<Record<string, number>>;

/** Bounds that no update moves, by part and name. */
const TARGETS: Readonly<Record<string, Counts>> = {
  toolchain_status: { missing: 400, mistyped: 400, wrong: 400, found: 400 },
  fixed: { "tools/list": 9_500, instructions: 600 },
  sample: { svc_get_layout_bounds: 95, list_assets: 300, list_traits: 220 },
  rounds: { "scene edit": 50, "did my edit land": 300 },
};

/** A call whose answer is longer has to be warned of, in tokens (TOOL-1). */
const LARGE_ANSWER = 3_000;

/** Names of reading tools that answer more than {@linkcode LARGE_ANSWER} when asked for all. */
async function largest({ call }: ProjectService): Promise<readonly string[]> {
  const material = "assets/materials/crate.material.json";
  await call("watch", { action: "start", fields: ["Transform.x"] });
  await call("step_play", { ticks: 2 });
  const large: string[] = [];
  for (const { name, parameters, annotations } of TOOLS) {
    if (annotations.readOnlyHint !== true && name !== "watch") continue;
    const has = (parameter: string) => parameters.some((one) => one.name === parameter);
    const most = {
      ...(has("limit") && { limit: 1_000_000 }),
      ...(has("asset") && { asset: material }),
      ...(name === "watch" && { action: "read" }),
      ...(has("near") && { near: [0, 0, 0] }),
    };
    const ways = [
      most,
      {},
      ...parameters.flatMap(({ name: flag, schema }) =>
        schema["type"] === "boolean" ? [{ ...most, [flag]: true }] : []
      ),
    ];
    for (const args of ways) {
      const { text, body } = await call(name, args);
      // Four characters a token: what is near the bound is counted.
      const long = body.elided === true || text.length > LARGE_ANSWER * 2 &&
          countTokens(text) > LARGE_ANSWER;
      if (!long) continue;
      large.push(name);
      break;
    }
  }
  await call("play_control", { action: "stop" });
  return large;
}

async function defaults({ call }: ProjectService): Promise<Counts> {
  const counts: [string, number][] = [];
  for (const { name, annotations } of TOOLS) {
    if (annotations.readOnlyHint !== true) continue; // without arguments it has nothing to do
    counts.push([name, countTokens((await call(name)).text)]);
  }
  return Object.fromEntries(counts);
}

/** Sets a field, and looks whether it is there: what agents do most. */
async function rounds({ call }: ProjectService): Promise<Counts> {
  const trait = "Transform";
  const found = await call("svc_get_scene_state", { name: "Main Camera", limit: 1 });
  const id: unknown = found.body.entities[0].id;
  const ops = [{ op: "set", id, trait, fields: { x: 12.5 } }];
  const edit = await call("svc_scene_edit", { ops });
  assert.equal(edit.status, 200, edit.text);
  const look = await call("svc_get_scene_state", { id, trait });
  assert.equal(look.body.entities[0].traits.Transform.x, 12.5);
  const asked = countTokens(JSON.stringify({ ops })) + countTokens(JSON.stringify({ id, trait }));
  const scene = countTokens(edit.text);
  return {
    "scene edit": scene,
    "did my edit land": asked + scene + countTokens(look.text),
  };
}

/** The answer about a machine whose tools are missing, of no use, or found, on a Mac, which needs most. */
async function toolchainAnswers(): Promise<Counts> {
  const names = ["npm", "xcodebuild", "pod", "toktx", "msdf-atlas-gen", "ffmpeg", "ffprobe"]
    .concat("gltfpack", "gltf-transform");
  const programs = Object.fromEntries(
    names.map((name) => [`/opt/homebrew/bin/${name}`, { program: name }]),
  );
  const android = "/Users/Jo Smith/Library/Android/sdk";
  const jdk21 = "/Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home";
  const machines = {
    missing: {},
    mistyped: {
      env: Object.fromEntries(
        ["SVC_FMPEG", "SVC_FFPROB", "SVC_NMP", "SVC_TOKTXX", "SVC_GLTFPAK", "SVC_XCODEBILD"]
          .map((name) => [name, "/opt/a rather long folder/of some tools/bin/program"]),
      ),
    },
    wrong: {
      env: { JAVA_HOME: jdk21, ANDROID_HOME: android },
      entries: { ...programs, ...jdk(jdk21, "25.0.3+9") },
      run: answer("dyld: Library not loaded: /usr/local/opt/x265/lib/libx265.199.dylib\n", "", 134),
    },
    found: {
      env: { JAVA_HOME: jdk21, ANDROID_HOME: android },
      entries: {
        ...programs,
        ...jdk(jdk21, "21.0.11"),
        ...androidSdk(android),
      },
      run: answer("v7.1.1-56-gc2184b65d2-20250716\n"),
    },
  };
  const counts: [string, number][] = [];
  for (const [name, given] of Object.entries(machines)) {
    const toolchain = createToolchain(machine({ platform: "darwin", arch: "arm64", ...given }));
    const services = { editor: createTinyEditor(), toolchain: createAgentToolchain(toolchain) };
    counts.push([
      name,
      countTokens(JSON.stringify((await ask("toolchain_status", {}, services)).body)),
    ]);
  }
  return Object.fromEntries(counts);
}

async function measured(): Promise<Readonly<Record<string, Counts>>> {
  const parts: Record<string, Counts> = {
    fixed: {
      "tools/list": countTokens(JSON.stringify(USUAL_TOOLS.map(listedTool))),
      instructions: countTokens(INSTRUCTIONS),
    },
    listed: Object.fromEntries(
      TOOLS.map((tool) => [tool.name, countTokens(JSON.stringify(listedTool(tool)))]),
    ),
    toolchain_status: await toolchainAnswers(),
  };
  await withSampleService(async (service) => {
    parts["sample"] = await defaults(service);
    if (TOOLS.some(({ name }) => name === "svc_scene_edit")) {
      parts["rounds"] = await rounds(service);
    }
  }, { clock: stillClock });
  await withSampleService(async (service) => {
    parts[`${LARGE} entities`] = await defaults(service);
    large = await largest(service);
  }, { clock: stillClock, prepare: (root) => writeLargeScene(root, LARGE) });
  return parts;
}

let large: readonly string[] = [];
const found = await measured();
if (UPDATE) {
  writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
}
const budget: unknown = JSON.parse(readFileSync(FILE, "utf8"));

for (const [part, counts] of Object.entries(found)) {
  test(`tokens of ${part} are within ${FILE}`, () => {
    const bounds = isRecord(budget) ? budget[part] : undefined;
    const over: string[] = [];
    for (const [name, tokens] of Object.entries(counts)) {
      const most = isRecord(bounds) ? bounds[name] : undefined;
      if (typeof most !== "number") {
        over.push(`${name}: ${tokens}, and the budget does not name it`);
      } else if (tokens > most) over.push(`${name}: ${tokens} over ${most}`);
    }
    assert.deepEqual(over, [], "If it is worth it, SLIPWAY_UPDATE=1 writes the budget anew");
  });
}

for (const [part, targets] of Object.entries(TARGETS)) {
  for (const [name, most] of Object.entries(targets)) {
    // BUDGET-8
    test(`${name} (${part}) costs at most ${most} tokens`, () => {
      const tokens = found[part]?.[name];
      assert.ok(tokens !== undefined && tokens <= most, `${tokens} tokens`);
    });
  }
}

test("every tool whose full answer is large says so in its description", () => {
  assert.ok(large.length >= 5, large.join(", "));
  const silent = TOOLS.filter(({ name, description }) =>
    large.includes(name) && !description.includes(" Size: ")
  );
  assert.deepEqual(silent.map(({ name }) => name), []);
});

test("an untargeted answer on 10,000 entities is no longer than on 200", () => {
  for (const [name, tokens] of Object.entries(found[`${LARGE} entities`] ?? {})) {
    const most = name === "svc_get_scene_state" ? 14_000 : 3_000;
    assert.ok(tokens <= most, `${name}: ${tokens} tokens`);
  }
});
