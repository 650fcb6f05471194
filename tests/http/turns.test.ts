import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { pngChunk } from "../captures/fake-page.ts";
import { type Called, type ProjectService, withSampleService } from "../support/project-service.ts";
import { eventLoopTurn } from "../../lib/core/cooperative.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// What a project may hold is long work for a request. Until it is done, others are answered, one
// after another, and counted. On the clock here, every fourth look completes a slice: so each place
// at which the work may yield counts, and the speed of the machine does not.

/** The largest icon that there may be, of one colour: 20 KB. */
function largestIcon(): Uint8Array {
  const side = 4_096;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", header),
    pngChunk("PLTE", Uint8Array.of(200, 100, 50)),
    pngChunk("IDAT", deflateSync(Buffer.alloc((side + 1) * side))),
    pngChunk("IEND", new Uint8Array()),
  ]);
}

const guidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const BIG = "assets/scenes/big.scene.json";

const thing = (n: number) => ({
  name: `Thing ${n}`,
  layer: "3d",
  traits: { Transform: { x: n, y: n % 7 }, Renderable3D: { mesh: "box" } },
});

/** As many entities as a scene may have: 16 MB. */
function writeBigScene(root: string): void {
  const entities = Array.from({ length: 100_000 }, (_, n) => ({ guid: guidOf(n), ...thing(n) }));
  Object.assign(entities[99_999] ?? {}, { name: "assets/scenes/harbor.scene.json" });
  writeFileSync(join(root, BIG), JSON.stringify({ schema: 1, name: "Big", entities }));
}

const PREFAB = "assets/big.prefab.json";

/** Almost as many entities in one prefab: 10 MB. */
function writeBigPrefab(root: string): void {
  const children = Array.from({ length: 90_000 - 1 }, (_, n) => thing(n));
  writeFileSync(join(root, PREFAB), JSON.stringify({ schema: 1, root: { ...thing(0), children } }));
}

/** One entity with half as many below it as a scene may have. */
function writeTree(root: string): void {
  const child = (n: number) => ({
    guid: guidOf(n),
    name: `Thing ${n}`,
    layer: "3d",
    ...(n > 0 && { parent: guidOf(0) }),
    traits: { Transform: { x: n } },
  });
  const entities = Array.from({ length: 49_000 }, (_, n) => child(n));
  writeFileSync(join(root, BIG), JSON.stringify({ schema: 1, name: "Big", entities }));
}

interface LongWork {
  readonly prepare: (root: string) => void;
  /** Asked before, and not counted. */
  readonly begin?: (service: ProjectService) => Promise<Called>;
  readonly ask: (service: ProjectService) => Promise<Called>;
  readonly status: number;
}

const look = ({ call }: ProjectService) => call("get_editor_state");
const instantiate = ({ call }: ProjectService) => call("instantiate_prefab", { prefab: PREFAB });
const open = ({ call }: ProjectService) => call("open_scene", { path: BIG });

const LONG: Readonly<Record<string, LongWork>> = {
  "an icon of 4,096 pixels a side is looked at": {
    prepare: (root) => writeFileSync(join(root, "large.png"), largestIcon()),
    ask: ({ call }) => call("set_project_settings", { values: { icon: "large.png" } }),
    status: 200,
  },
  "a scene of 100,000 entities is looked through": {
    prepare: writeBigScene,
    ask: ({ call }) => call("validate_scene", { path: BIG }),
    status: 200,
  },
  "a scene of 100,000 entities is opened": { prepare: writeBigScene, ask: open, status: 200 },
  "a scene of 100,000 entities is saved": {
    prepare: writeBigScene,
    begin: open,
    ask: ({ call }) => call("save_scene"),
    status: 200,
  },
  "a prefab of 90,000 entities is instantiated": {
    prepare: writeBigPrefab,
    ask: instantiate,
    status: 200,
  },
  "90,000 entities are taken back": {
    prepare: writeBigPrefab,
    begin: instantiate,
    ask: ({ call }) => call("undo"),
    status: 200,
  },
  "a file of 10 MB is not JSON at its end": {
    prepare: (root) => {
      writeBigPrefab(root);
      appendFileSync(join(root, PREFAB), "}");
    },
    ask: instantiate,
    status: 422,
  },
  "the uses of a scene are searched in one of 100,000 entities": {
    prepare: writeBigScene,
    ask: ({ call }) => call("find_asset_uses", { asset: "assets/scenes/harbor.scene.json" }),
    status: 200,
  },
  "a game of 100,000 entities starts": {
    prepare: writeBigScene,
    begin: open,
    ask: ({ call }) => call("step_play", { ticks: 1 }),
    status: 200,
  },
  "an entity with 49,000 below it is duplicated": {
    prepare: writeTree,
    begin: open,
    ask: ({ call }) => call("svc_scene_edit", { ops: [{ op: "duplicate", guid: guidOf(0) }] }),
    status: 200,
  },
};

/** Requests that are answered at least, one after another, while the long one is worked on. */
const LEAST = 30;

/** A clock that says after four looks that a slice has passed. */
async function hastyClock(): Promise<Clock> {
  const { clock } = await loadRuntime();
  let now = 0;
  return { ...clock, now: () => clock.now(), monotonic: () => now += 5 };
}

for (const [what, { prepare, begin = look, ask, status }] of Object.entries(LONG)) {
  test(`others are answered while ${what} (BUILD-9, BUILD-11)`, async () =>
    withSampleService(async (service) => {
      assert.equal((await begin(service)).status, 200);
      let isDone = false;
      const long = ask(service).finally(() => isDone = true);
      let answered = 0;
      while (!isDone) {
        assert.equal((await service.send("/api/jobs")).status, 200);
        answered++;
        await eventLoopTurn();
      }
      const { status: found, text } = await long;
      assert.equal(found, status, text.slice(0, 500));
      assert.ok(answered >= LEAST, `${answered} requests were answered meanwhile`);
    }, { prepare, clock: await hastyClock() }));
}
