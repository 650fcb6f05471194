import assert from "node:assert/strict";
import { test } from "node:test";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageResult } from "../../lib/ota-format/native.ts";
import { randomId } from "../../lib/ota-device/random.ts";
import { stageZip } from "../../lib/ota-device/stage.ts";
import { TAIL_BOUNDS, type TailBounds } from "../../lib/ota-device/zip-tail.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { buildZip, type HostileEntry } from "../support/hostile-zips.ts";
import {
  Disk,
  type DiskNode,
  EVERYTHING,
  randomSurvival,
  type Survival,
  SURVIVALS,
} from "../support/power-cut-disk.ts";
import { createPowerCutFiles, type DiskFault, PowerCut } from "../support/power-cut-files.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { soaking } from "../support/rounds.ts";
import { manifestOfZip } from "../support/zip-manifest.ts";

// A whole bundle that is unpacked while it comes in, by one process after another: what was received
// is not received again, and whatever a process left, the version is whole in the end.

const ROOT = "/data/ota";
const URL = "https://cdn.example/bundle.zip";
const { hashing } = await loadRuntime();

/** A bundle, and the most that its server sends at once. */
interface Bundle {
  readonly zip: Uint8Array<ArrayBuffer>;
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly manifest: Manifest;
  readonly chunkBytes: number;
}

function bundleOf(
  sizes: readonly number[],
  chunkBytes: number,
  change: (entry: HostileEntry, at: number) => HostileEntry = (entry) => entry,
): Bundle {
  const contents = new Map(sizes.map((size, i) => [`art/${i}.bin`, noise(size, i % 7)]));
  const entries = [...contents].map(([name, body]): HostileEntry => ({ name, body, method: 0 }));
  const zip = buildZip({ entries: entries.map(change) });
  const manifest = manifestOfZip("v1", zip, Object.fromEntries(contents));
  return { zip, contents, manifest, chunkBytes };
}

/** Every seventh file of one size is the same content. */
function noise(size: number, seed: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length: size }, () => (state = state * 48_271 % 0x7fffffff) & 255);
}

class Killed extends Error {}

/** One process: it stages on that disk until it is killed. */
interface Process {
  readonly disk: Disk;
  /** Bytes after which it is killed. */
  readonly killAfter?: number;
  readonly fault?: DiskFault;
  readonly tail?: TailBounds;
  /** Called before each change of the disk. */
  readonly onWrite?: () => void;
}

interface Outcome {
  readonly disk: Disk;
  /** `null` when it was killed. */
  readonly result: StageResult | null;
  /** Bytes that the server sent. */
  readonly sent: number;
  /** Changes of the disk. */
  readonly steps: number;
  /** Changes of the disk before the first file is put in place. */
  readonly unpackSteps: number;
}

async function run(bundle: Bundle, process: Process): Promise<Outcome> {
  const { zip, manifest, chunkBytes } = bundle;
  const { disk, killAfter = Infinity, fault, tail = TAIL_BOUNDS, onWrite } = process;
  const io = createPowerCutFiles(disk, fault);
  let sent = 0;
  let isDead = false;
  let unpackSteps = 0;
  const files = new Proxy(io.files, {
    get(target, name: keyof Files) {
      return (...given: unknown[]) => {
        if (isDead) return Promise.reject(new Killed());
        if (name === "append" || name === "write") onWrite?.();
        const isPlaced = name === "rename" && String(given[1]).includes("/.staging/");
        if (isPlaced && unpackSteps === 0) unpackSteps = io.steps("power");
        return Reflect.apply(target[name], target, given);
      };
    },
  });
  const fetch = (_url: string, init?: RequestInit) => {
    const range = new Headers(init?.headers).get("range");
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? "bytes=0-")?.[1]);
    let at = from;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= zip.length) return controller.close();
        if (sent >= killAfter) {
          isDead = true;
          return controller.error(new Killed());
        }
        const chunk = zip.slice(at, at + chunkBytes);
        at += chunk.length;
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 });
    const headers: Record<string, string> = range === null
      ? { "content-length": `${zip.length}` }
      : { "content-range": `bytes ${from}-${zip.length - 1}/${zip.length}` };
    const status = range === null ? 200 : 206;
    return Promise.resolve(new Response(body, { status, headers }));
  };
  const dead = new AbortController();
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((_, reject) => {
        if (isDead) reject(new Killed()); // the pause before the next try
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
  const staged = stageZip({
    files,
    hashing,
    clock,
    fetch,
    stallMs: 60_000,
    root: ROOT,
    isInUse: () => Promise.resolve(false),
    id: randomId(),
    alone: (work) => work(),
    onProgress: () => {},
    makeRoom: () => Promise.resolve(),
    signal: dead.signal,
    tail,
  }, {
    name: "shell",
    version: "v1",
    manifest: serializeManifest(manifest),
    parsed: manifest,
    zipUrl: URL,
  });
  const result = await staged.catch((thrown) => {
    if (!(thrown instanceof Killed || thrown instanceof PowerCut)) throw thrown;
    return null;
  });
  const survives = isDead || io.met();
  return {
    disk: io.disk,
    result: survives ? null : result,
    sent,
    steps: io.steps("power"),
    unpackSteps,
  };
}

async function freshDisk(): Promise<Disk> {
  const disk = new Disk();
  await createPowerCutFiles(disk).files.makeDirectory("/data");
  return disk.shutDown();
}

/** The version is whole, and nothing is kept of what it was made of. */
async function assertStaged({ contents }: Bundle, disk: Disk, said: string): Promise<void> {
  const { files } = createPowerCutFiles(disk);
  for (const [path, bytes] of contents) {
    const found = await files.read(`${ROOT}/shell/v1/${path}`, bytes.length);
    assert.ok(found !== null && Buffer.compare(found, bytes) === 0, `${said}: ${path}`);
  }
}

async function partialsOn(disk: Disk): Promise<string[]> {
  const { files } = createPowerCutFiles(disk);
  return (await files.list(`${ROOT}/.partial`) ?? []).map(({ name }) => name);
}

function bytesOn(node: DiskNode): number {
  if (node.kind === "file") return node.bytes.length;
  let bytes = 0;
  for (const below of node.names.values()) bytes += bytesOn(below);
  return bytes;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Small files, and one that is larger than a tail. */
const GAME = bundleOf(
  [...Array(40).fill(300 * KIB), 6 * MIB, ...Array(20).fill(150 * KIB)],
  60_000,
);

test("a whole bundle that is killed four times is fetched once, and some last pieces (DEV-31)", async () => {
  let disk = await freshDisk();
  let sent = 0;
  for (const killAfter of [2 / 3, 0.01, 0.1, 0.15]) {
    const killed = await run(GAME, { disk, killAfter: killAfter * GAME.zip.length });
    assert.equal(killed.result, null);
    sent += killed.sent;
    disk = killed.disk.shutDown();
  }
  const last = await run(GAME, { disk });
  assert.deepEqual(last.result, { ok: true });
  await assertStaged(GAME, last.disk, "after four kills");
  assert.deepEqual(await partialsOn(last.disk), []);
  const again = sent + last.sent - GAME.zip.length;
  const most = 4 * (TAIL_BOUNDS.writeBytes + 3 * GAME.chunkBytes);
  assert.ok(again <= most, `${again} bytes were sent twice, expected at most ${most}`);
});

test("a whole bundle needs the room of its files and of a tail, not of its archive (DEV-30)", async () => {
  const disk = await freshDisk();
  let most = 0;
  const onWrite = () => most = Math.max(most, bytesOn(disk.root));
  assert.deepEqual((await run(GAME, { disk, onWrite })).result, { ok: true });
  const largest = 6 * MIB;
  const tail = TAIL_BOUNDS.tailBytes + largest;
  let files = 0;
  for (const { length } of GAME.contents.values()) files += length;
  assert.ok(tail < GAME.zip.length * 0.5);
  assert.ok(most <= files + tail, `${most} bytes, expected at most ${files + tail}`);
});

/** Few steps, each of which the power is cut at: several tails, and contents that come twice. */
const SMALL = bundleOf(Array(14).fill(11_000), 2_500);
const BOUNDS: TailBounds = { tailBytes: 25_000, writeBytes: 6_000 };

test("a power cut at any step of unpacking leaves what the next process goes on with (DEV-31)", async () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  const { steps, unpackSteps } = await run(SMALL, { disk: await freshDisk(), tail: BOUNDS });
  let again = 0;
  for (let at = 1; at <= steps; at++) {
    if (!soaking && at % 4 !== seed % 4) continue;
    for (const when of ["before", "after"] as const) {
      const drawn: Survival[] = [EVERYTHING, randomSurvival(random)];
      const survivals = soaking ? [...SURVIVALS, ...drawn] : [drawn[(at + when.length) % 2]];
      for (const survival of survivals) {
        if (survival === undefined) continue;
        const said = `SLIPWAY_SEED=${seed}, ${when} step ${at}, ${survival.name}`;
        const fault: DiskFault = { kind: "power", at, when };
        const cut = await run(SMALL, { disk: await freshDisk(), tail: BOUNDS, fault });
        const disk = cut.disk.afterPowerCut(survival);
        const next = await run(SMALL, { disk, tail: BOUNDS });
        assert.deepEqual(next.result, { ok: true }, said);
        await assertStaged(SMALL, next.disk, said);
        if (survival === EVERYTHING) {
          const twice = cut.sent + next.sent - SMALL.zip.length;
          assert.deepEqual(await partialsOn(next.disk), [], said);
          if (at > unpackSteps) assert.equal(next.sent, 0, said); // all of it is unpacked (DEV-38)
          const contents = (await partialsOn(disk)).map((name) => name.split(".")[0] ?? "")
            .filter((hash) => hash !== SMALL.manifest.bundleZip?.hash);
          assert.equal(new Set(contents).size, contents.length, `${said}: one content, one file`);
          assert.ok(twice <= BOUNDS.writeBytes + 3 * SMALL.chunkBytes, `${said}: ${twice} again`);
          again = Math.max(again, twice);
        }
      }
    }
  }
  assert.ok(again > 0);
});

test("a whole bundle of another packer goes on after a kill too (DEV-31)", async () => {
  const described = bundleOf(Array(12).fill(90 * KIB), 30_000, (entry) => ({
    ...entry,
    descriptor: true,
  }));
  const killAfter = described.zip.length * 0.7;
  const killed = await run(described, { disk: await freshDisk(), killAfter });
  assert.equal(killed.result, null);
  const next = await run(described, { disk: killed.disk.shutDown() });
  assert.deepEqual(next.result, { ok: true });
  await assertStaged(described, next.disk, "sizes after the data");
  const again = killed.sent + next.sent - described.zip.length;
  assert.ok(again <= TAIL_BOUNDS.writeBytes + 4 * described.chunkBytes, `${again} bytes twice`);
});
