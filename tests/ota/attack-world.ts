import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../lib/core/json.ts";
import { checkForUpdate, type ConnectionInfo } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { createDevice } from "../support/device-under-test.ts";
import { bundleZipPath, contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { ContentRef } from "../../lib/ota-format/release.ts";
import { generateKeyPair, type KeyPair, signRecord } from "../../lib/ota-format/signing.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { treeOf } from "../support/folder.ts";
import { buildZip } from "../support/hostile-zips.ts";
import { type Answer, startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { UNTIL_MS } from "../support/until.ts";

// A phone on which v1 runs, confirmed, and a bucket that its attacker may rewrite as he likes.

function refOf(content: string | Uint8Array): ContentRef {
  const bytes = Buffer.from(content);
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

/** A version as its publisher, honest or not, puts it together. */
export interface VersionParts {
  /** What `manifest.json` says; default the files and the zip as they are. */
  readonly manifest?: Partial<Manifest> | JsonObject;
  /** The archive; default one of the files. */
  readonly zip?: Uint8Array;
}

/** The phone, the bucket, and who holds the key. */
export interface AttackWorld {
  readonly key: KeyPair;
  readonly device: Device;
  /** What the server answers, by path without a leading slash. */
  readonly served: Map<string, Answer>;
  readonly requests: string[];
  /** The server, without a slash at the end. */
  readonly origin: string;
  /** Puts a version on the bucket; the next release names its manifest. */
  version(version: string, files: Record<string, string>, parts?: VersionParts): void;
  /** Signs a record that names the last version, and puts it there. @returns Its text. */
  release(over?: JsonObject, key?: KeyPair): Promise<string>;
  /** `asZip`: the plugin cannot read manifests, so there is no base. */
  check(options?: {
    readonly connection?: Partial<ConnectionInfo>;
    readonly fetch?: Fetch;
    readonly asZip?: boolean;
  }): Promise<CheckResult>;
  /** What the phone holds, by path, and the floor. */
  phone(): { readonly files: Record<string, string>; readonly floor: number };
  /** Launches, and says what the page would be. */
  launch(): Promise<string>;
  close(): Promise<void>;
}

/** The page of v1, which must survive every attack. */
export const V1 = { "index.html": "<h1>one</h1>", "game.js": "play(1)", "art/sky.png": "blue" };

const STALL_MS = 301; // unlike any pause

/** Opens a world in which v1 was published, installed and confirmed, at sequence 5. */
export async function openAttackWorld(folder: string): Promise<AttackWorld> {
  const runtime = await loadRuntime();
  const key = await generateKeyPair();
  const served = new Map<string, Answer>();
  const server = await startHostileServer((path) => served.get(path.slice(1)));
  const root = join(folder, "phone");
  mkdirSync(root, { recursive: true });
  const options = { ...runtime, clock: hurried(runtime.clock), root, stallMs: STALL_MS };
  let processes = 0;
  const start = () => {
    const pid = ++processes; // the one before is dead
    return createDevice({ ...options, host: { pid }, isAlive: (other) => other === pid });
  };
  let device = start();
  let last: JsonObject = {};
  let lastVersion = "v1";

  const world: AttackWorld = {
    key,
    get device() {
      return device;
    },
    served,
    requests: server.requests,
    origin: server.origin,
    version(version, files, { manifest = {}, zip } = {}) {
      const archive = zip ??
        buildZip({ entries: Object.entries(files).map(([name, body]) => ({ name, body })) });
      const refs = Object.fromEntries(
        Object.entries(files).map(([path, text]) => {
          const ref = refOf(text);
          served.set(contentPath("shell", version, ref.hash), textAnswer(text));
          return [path, { ...ref }];
        }),
      );
      served.set(bundleZipPath("shell", version), textAnswer(archive));
      const honest: Manifest = {
        schema: 1,
        name: "shell",
        version,
        engineApi: 1,
        files: refs,
        bundleZip: refOf(archive),
      };
      const text = serializeManifest({ ...honest, ...manifest });
      served.set(manifestPath("shell", version), textAnswer(text));
      last = { ...refOf(text) };
      lastVersion = version;
    },
    async release(over = {}, by = key) {
      const record: JsonObject = {
        schema: 1,
        app: "default",
        channel: "production",
        sequence: 6,
        bundles: { shell: lastVersion },
        manifests: { shell: last },
        mandatory: false,
        minEngineApi: 1,
        ...over,
      };
      const text = JSON.stringify({ ...record, sig: await signRecord(record, by.privateKey) });
      served.set("release.json", textAnswer(text));
      return text;
    },
    check({ connection = {}, fetch = runtime.fetch, asZip = false } = {}) {
      const { readManifest: _base, ...baseless } = device;
      return checkForUpdate(
        { fetch, native: asZip ? baseless : device, deadlineMs: UNTIL_MS },
        {
          baseUrl: server.origin,
          publicKey: key.publicKey,
          bundleName: "shell",
          engineApi: 1,
          ...connection,
        },
      );
    },
    phone() {
      const { "guard.json": guard = "{}", ...files } = treeOf(root);
      for (const [path, text] of Object.entries(files)) {
        // Contents that were fetched rightly are kept for the next staging (DEV-21), and no others.
        const hash = createHash("sha256").update(text, "latin1").digest("hex");
        if (path.startsWith(`.partial/${hash}.`)) delete files[path];
      }
      return { files, floor: JSON.parse(guard).sequence?.["default/production"] ?? 0 };
    },
    async launch() {
      device = start(); // the app was closed
      const { target } = await device.launch({ name: "shell" });
      const page = device.folderOf("shell", target);
      return page === null ? "embedded" : readFileSync(join(page, "index.html"), "utf8");
    },
    close: () => server.close(),
  };
  world.version("v1", V1);
  await world.release({ sequence: 5 });
  const installed = await world.check();
  assert.equal(installed.result, "staged", JSON.stringify(installed));
  for (let boot = 0; boot < 2; boot++) {
    assert.equal(await world.launch(), V1["index.html"]);
    await device.confirmLaunch({ name: "shell" });
  }
  server.requests.length = 0;
  return world;
}

/** A clock for which no pause between two tries is long; deadlines stay what they are. */
function hurried(clock: Clock): Clock {
  return {
    ...clock,
    sleep: (ms, signal) => clock.sleep(ms === STALL_MS ? ms : Math.min(ms, 2), signal),
  };
}
