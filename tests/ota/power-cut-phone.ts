import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkForUpdate, type CheckResult } from "../../lib/ota-client/check.ts";
import type { BootTarget } from "../../lib/ota-device/boot.ts";
import { createDevice, type Device } from "../../lib/ota-device/device.ts";
import { bundleZipPath, manifestPath, RELEASE_PATH } from "../../lib/ota-format/layout.ts";
import type { BootState, StageResult } from "../../lib/ota-format/native.ts";
import { embedManifest } from "../../lib/ota-publish/embed.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Hashing } from "../../lib/ports/hashing.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";
import type { Disk } from "../support/power-cut-disk.ts";
import {
  createPowerCutFiles,
  type DiskFault,
  type PowerCutFiles,
} from "../support/power-cut-files.ts";

/** Where the device lies; only the first folder is there when it starts. */
export const ROOT = "/data/app/ota";
const EMBEDDED_FOLDER = "/binary/game";
const BASE_URL = "https://cdn.example";
const NAME = "shell";
const AUDIENCE = { app: "default", channel: "production" };

const V1: Tree = { "index.html": "one", "game.js": "play()", "art/deep/a.bin": "a".repeat(900) };
const MOVED: Tree = { "art/moved.bin": "a".repeat(900), "art/new.bin": "new", "game.js": "play()" };
/** What is published, oldest first. */
export const VERSIONS: Readonly<Record<string, Tree>> = {
  v1: V1,
  v2: { ...V1, ...MOVED, "index.html": "two" },
  v3: { ...V1, ...MOVED, "index.html": "three" },
  v4: { ...V1, ...MOVED, "index.html": "four" },
};

/** Releases that were published for real, kept in memory. */
export interface Published {
  readonly publicKey: string;
  readonly hashing: Hashing;
  /** `release.json` as it was when that version was the newest. */
  readonly releases: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** All else in the bucket, by path. */
  readonly bucket: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  /** The bundle in the app binary with its manifest: the content of v1. */
  readonly embedded: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Publishes {@linkcode VERSIONS} into a bucket, and keeps what a CDN would serve. */
export async function publishVersions(): Promise<Published> {
  let published: Published | undefined;
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const releases = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const [version, tree] of Object.entries(VERSIONS)) {
      const report = await world.publish(version, tree);
      assert.ok(report.ok, JSON.stringify(report));
      releases.set(version, Uint8Array.from(readFileSync(join(folder, "bucket", RELEASE_PATH))));
    }
    const binary = join(folder, "binary");
    mkdirSync(binary);
    writeTree(binary, V1);
    const embed = { dist: binary, name: NAME, engineApi: 1, audience: AUDIENCE, sequence: 0 };
    assert.ok((await embedManifest(world.runtime, embed)).ok);
    published = {
      publicKey: world.key.publicKey,
      hashing: world.runtime.hashing,
      releases,
      bucket: readFolder(join(folder, "bucket")),
      embedded: readFolder(binary),
    };
  });
  assert.ok(published);
  return published;
}

function readFolder(folder: string): Map<string, Uint8Array<ArrayBuffer>> {
  const found = new Map<string, Uint8Array<ArrayBuffer>>();
  const walk = (prefix: string) => {
    for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) walk(`${path}/`);
      else found.set(path, Uint8Array.from(readFileSync(join(folder, path))));
    }
  };
  walk("");
  return found;
}

/** What a phone has been told by operations that returned, and what was asked of it. */
export interface Ledger {
  /** As it was when the last operation returned: all of it is promised to last. */
  state: BootState | null;
  rejected: readonly string[];
  floor: number;
  /** The operation that was begun and has not returned. */
  begun: string | null;
  /** Launches begun, whether or not they served anything. */
  launches: number;
  /** Launches that served a version on trial, since it was last activated. */
  served: Record<string, number>;
  /** Launches whose confirmation was begun, by the version that they served. */
  confirmed: Record<string, string[]>;
  /** Versions whose staging returned; nothing that was begun since may remove them. */
  staged: string[];
  /** Launches that returned, in order. */
  tokens: { version: string; token: string }[];
}

/** The ledger of a phone that was never used. */
export function emptyLedger(): Ledger {
  return {
    state: null,
    rejected: [],
    floor: 0,
    begun: null,
    launches: 0,
    served: {},
    confirmed: {},
    staged: [],
    tokens: [],
  };
}

/** A clock on which no deadline ever comes. */
const PATIENT: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (_ms, signal) =>
    new Promise((_, reject) => {
      const give = () => reject(signal?.reason);
      if (signal?.aborted) give();
      else signal?.addEventListener("abort", give, { once: true });
    }),
};

/** A device over a disk, from the start of its process to its end, and a ledger of what it said. */
export class Phone {
  readonly ledger: Ledger;
  readonly device: Device;
  readonly io: PowerCutFiles;
  readonly #published: Published;

  constructor(
    published: Published,
    { disk, ledger, fault, embedded = false }: {
      disk: Disk;
      ledger: Ledger;
      fault?: DiskFault;
      embedded?: boolean;
    },
  ) {
    this.#published = published;
    this.ledger = ledger;
    this.io = createPowerCutFiles(disk, fault);
    this.device = createDevice({
      files: this.io.files,
      hashing: published.hashing,
      clock: PATIENT,
      fetch: (url) => Promise.resolve(this.#serve(url, "")),
      root: ROOT,
      ...(embedded && { embedded: EMBEDDED_FOLDER }),
    });
  }

  get files(): Files {
    return this.io.files;
  }

  /** The whole update check against the release of that version. */
  async check(version: string): Promise<CheckResult["result"]> {
    const fetch = (url: string) => Promise.resolve(this.#serve(url, version));
    const connection = {
      baseUrl: BASE_URL,
      publicKey: this.#published.publicKey,
      bundleName: NAME,
      engineApi: 1,
    };
    return await this.#operation(`check ${version}`, async () => {
      const before = this.ledger.state?.pending?.[NAME];
      const { result } = await checkForUpdate({ fetch, native: this.device }, connection);
      if (result === "staged" && before !== version) delete this.ledger.served[version];
      if (result === "staged") this.ledger.staged.push(version);
      return result;
    });
  }

  /** Stages the whole bundle. */
  stage(version: string): Promise<StageResult> {
    const request = {
      name: NAME,
      version,
      manifest: new TextDecoder().decode(this.#published.bucket.get(manifestPath(NAME, version))),
      zipUrl: `${BASE_URL}/${bundleZipPath(NAME, version)}`,
    };
    return this.#operation(`stage ${version}`, async () => {
      const staged = await this.device.stageUpdate(request);
      if (staged.ok) this.ledger.staged.push(version);
      return staged;
    });
  }

  activate(version: string): Promise<StageResult> {
    delete this.ledger.served[version];
    return this.#operation(
      `activate ${version}`,
      () => this.device.activate({ name: NAME, version }),
    );
  }

  /** @returns `v<N>` or `embedded`. */
  launch(binaryVersion?: string): Promise<string> {
    this.ledger.launches++;
    return this.#operation("launch", async () => {
      const { target, token } = await this.device.launch({
        name: NAME,
        ...(binaryVersion !== undefined && { binaryVersion }),
      });
      const version = versionOf(target);
      const { active } = (await this.observe()).state ?? {}; // a process that is dead throws here
      if (version !== active?.[NAME]) {
        this.ledger.served[version] = (this.ledger.served[version] ?? 0) + 1;
      }
      this.ledger.tokens.push({ version, token });
      return version;
    });
  }

  /** Confirms a launch that returned; the last one unless told another. */
  async confirm(at = -1): Promise<void> {
    const { version, token } = this.ledger.tokens.at(at) ?? { version: "embedded", token: "none" };
    if (at === -1) {
      const confirmed = this.ledger.confirmed[version] ??= [];
      if (!confirmed.includes(token)) confirmed.push(token);
    }
    this.ledger.staged = [];
    await this.#operation("confirm", () => this.device.confirmBoot({ name: NAME, token }));
  }

  async revert(): Promise<void> {
    await this.#operation("revert", () => this.device.revert({ name: NAME }));
  }

  async accept(sequence: number): Promise<void> {
    await this.#operation(
      `accept ${sequence}`,
      () => this.device.acceptSequence({ ...AUDIENCE, sequence }),
    );
  }

  /** What the device knows; throws where the power is cut. */
  async observe(): Promise<Pick<Ledger, "state" | "rejected" | "floor">> {
    const { state, rejected, sequence } = await this.device.getState({});
    return {
      state,
      rejected: [...new Set([...state?.rejected?.[NAME] ?? [], ...rejected?.[NAME] ?? []])],
      floor: sequence[`${AUDIENCE.app}/${AUDIENCE.channel}`] ?? 0,
    };
  }

  async #operation<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.ledger.begun = name;
    const result = await run();
    Object.assign(this.ledger, await this.observe(), { begun: null });
    return result;
  }

  #serve(url: string, version: string): Response {
    const path = url.slice(BASE_URL.length + 1);
    const { bucket, releases } = this.#published;
    const bytes = path === RELEASE_PATH ? releases.get(version) : bucket.get(path);
    return bytes === undefined ? new Response("not found", { status: 404 }) : new Response(bytes);
  }
}

/** Puts the app binary's bundle on a disk. */
export async function installBinary(published: Published, disk: Disk): Promise<void> {
  const { files } = createPowerCutFiles(disk);
  for (const [path, bytes] of published.embedded) {
    const target = `${EMBEDDED_FOLDER}/${path}`;
    await files.makeDirectory(target.slice(0, target.lastIndexOf("/")));
    await files.write(target, bytes);
  }
}

/** Whether a version's folder holds its files and nothing else. */
export async function assertWhole(files: Files, version: string): Promise<void> {
  const expected = VERSIONS[version];
  assert.ok(expected, `${version} was never published`);
  assert.deepEqual(await readTree(files, `${ROOT}/${NAME}/${version}`), expected, version);
}

/** The files below a folder as texts, by path. */
export async function readTree(
  files: Files,
  folder: string,
  prefix = "",
): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const { name, kind } of await files.list(`${folder}/${prefix}`) ?? []) {
    const path = `${prefix}${name}`;
    if (kind === "directory") Object.assign(tree, await readTree(files, folder, `${path}/`));
    else {tree[path] = new TextDecoder().decode(
        await files.read(`${folder}/${path}`, 2 ** 30) ?? undefined,
      );}
  }
  return tree;
}

function versionOf(target: BootTarget): string {
  return target.kind === "version" ? target.version : "embedded";
}
