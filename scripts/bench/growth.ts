import { cpSync } from "node:fs";
import { join } from "node:path";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { PAYLOAD_CAP, TOOLS } from "../../lib/agent/mod.ts";
import { openService, type Service } from "../../lib/service/mod.ts";
import { packagedSample } from "../shared/own-sample.ts";
import { packageVersion } from "../shared/runtime.ts";
import { writeLargeScene } from "./large-scene.ts";
import { type Contender, median, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";

const ROUNDS = 7;
const SIZES = [1_000, 10_000, 100_000];
const QUICK_SIZES = [50, 100, 200];

/** A call whose growth is measured. */
interface Grown {
  readonly name: string;
  readonly tool: string;
  readonly args: (turn: Turn) => Readonly<Record<string, unknown>>;
}

/** The n-th call, on a scene of `size` entities. */
interface Turn {
  readonly n: number;
  readonly size: number;
}

const CALLS: readonly Grown[] = [
  { name: "index", tool: "svc_get_scene_state", args: () => ({}) },
  {
    name: "where=",
    tool: "svc_get_scene_state",
    args: () => ({ where: "Transform.x > 99", limit: 20 }),
  },
  { name: "name=", tool: "svc_get_scene_state", args: () => ({ name: "Crate 77", limit: 20 }) },
  { name: "layout", tool: "svc_get_layout_bounds", args: () => ({}) },
  { name: "layout overlaps=1", tool: "svc_get_layout_bounds", args: () => ({ overlaps: true }) },
  { name: "scene edit, one set", tool: "svc_scene_edit", args: (turn) => ({ ops: [edit(turn)] }) },
];

/** Measures how default calls and an edit grow with the scene. */
export async function measureGrowth(context: BenchContext): Promise<Found> {
  const sizes = context.quick ? QUICK_SIZES : SIZES;
  const scenes: Scene[] = [];
  try {
    for (const size of sizes) scenes.push(await openScene(context, size));
    const rows: (readonly (string | number)[])[] = [];
    const findings: Finding[] = [];
    for (const call of CALLS) {
      const times = await timeRounds(
        scenes.map((scene) => scene.contender(call)),
        {
          rounds: context.quick ? 2 : ROUNDS,
          now: () => context.runtime.clock.monotonic(),
          onRound: context.onRound,
        },
      );
      rows.push([call.name, ...times.map((ofSize) => median(ofSize).toFixed(2))]);
      for (let i = 1; i < sizes.length; i++) {
        findings.push(growthOf(call.name, {
          sizes: [sizes[i - 1] ?? NaN, sizes[i] ?? NaN],
          times: [times[i - 1] ?? [], times[i] ?? []],
        }));
      }
    }
    rows.push(["overlapping pairs", ...scenes.map(({ overlaps }) => String(overlaps))]);
    return {
      about:
        "Calls in process, without HTTP, on generated scenes; before every call an entity is moved, " +
        "so that no whole answer is kept from the call before. The ratio is how the time grows, " +
        "divided by how the entities grow: 1 is in step with the scene. Pairs that overlap grow with " +
        "the square of the entities, because all lie on one screen: all are counted, and overlaps=1 " +
        "lists the first 200. The table has milliseconds of one call.",
      findings,
      counts: {
        head: ["call", ...sizes.map((size) => `${grouped(size)} entities`)],
        rows,
      },
    };
  } finally {
    for (const scene of scenes) await scene.service.close();
  }
}

/** @param measured The smaller scene, then the larger. */
function growthOf(name: string, { sizes: [less, more], times: [before, after] }: {
  readonly sizes: readonly [number, number];
  readonly times: readonly [readonly number[], readonly number[]];
}): Finding {
  return {
    ours: `${name}, ${grouped(more)} entities`,
    against: `${more / less} × ${grouped(less)} entities`,
    of: "time",
    ratio: ratioOf(after, before.map((ms) => ms * more / less)),
  };
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

interface Scene {
  readonly service: Service;
  /** Pairs that overlap on the screen. */
  readonly overlaps: number;
  contender(call: Grown): Contender;
}

async function openScene({ runtime, folder }: BenchContext, size: number): Promise<Scene> {
  const root = join(folder, String(size));
  cpSync(packagedSample(), root, { recursive: true });
  writeLargeScene(root, size);
  const opened = await openService({ runtime, project: root, version: packageVersion() });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { services } = opened.value;
  let n = 0;
  const call = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    const found = TOOLS.find(({ name }) => name === tool);
    if (found === undefined) throw new Error(`There is no tool ${tool}`);
    const answer = await callTool(found, args, services, { cap: PAYLOAD_CAP });
    if (!answer.ok) throw new Error(`${tool} answers with a problem: ${answer.text}`);
  };
  await call("svc_scene_edit", { ops: CAMERA_OPS });
  const { overlapsCount } = await services.editor.layoutBounds();
  return {
    service: opened.value,
    overlaps: overlapsCount,
    contender: ({ tool, args }) => ({
      prepare: () => call("svc_scene_edit", { ops: [edit({ n: n++, size })] }),
      run: () => call(tool, args({ n: n++, size })),
    }),
  };
}

/** Moves the last entity, a crate, to a new position. */
function edit({ n, size }: Turn): object {
  return { op: "set", id: size, trait: "Transform", fields: { x: n } };
}

/**
 * Places the camera so that every entity is in front of it, whatever the scene's random numbers.
 */
const CAMERA_OPS = [
  { op: "set", id: 1, trait: "Transform", fields: { x: 0, y: 0, z: 0 } },
  { op: "set", id: 2, trait: "Transform", fields: { x: 0, y: 0, z: 250 } },
];
