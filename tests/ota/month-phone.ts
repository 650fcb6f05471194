import assert from "node:assert/strict";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import { own } from "../../lib/core/json.ts";
import { versionNumber } from "../../lib/core/paths.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { createDevice } from "../support/device-under-test.ts";
import type { OtaWorld } from "../support/ota-world.ts";
import { launched } from "../support/phone-life.ts";
import { Disk, randomSurvival } from "../support/power-cut-disk.ts";
import { createPowerCutFiles, type DiskFault } from "../support/power-cut-files.ts";
import type { Random } from "../support/random.ts";
import { NAME, ROOT, treeOf } from "./power-cut-releases.ts";

/** An app binary: its number, and the bundle in it. */
export interface Binary {
  readonly version: string;
  /** The number of its bundle; 0 for one that was never published. */
  readonly holds: number;
  /** Its assets by path. */
  readonly files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

/** What goes wrong on a phone for one day. */
export interface Trouble {
  readonly title: string;
  /** Where its disk breaks, or the process is killed. */
  readonly fault?: DiskFault;
  /** Its clock is wrong by so many milliseconds. */
  readonly clockOff?: number;
  /** Whether it makes a check leave a way that it began. */
  readonly leavesWay?: boolean;
  /** The network between it and the bucket. */
  readonly network?: (fetch: Fetch) => Fetch;
}

const MIB = 1024 * 1024;
let processes = 0;

/** A phone, from one day to the next. */
export class MonthPhone {
  readonly #world: OtaWorld;
  readonly #random: Random;
  readonly #builds: ReadonlyMap<string, Readonly<Record<string, string>>>;
  #binary: Binary;
  #disk = new Disk();
  /** Bytes of contents, manifests and zips that it fetched. */
  fetched = 0;
  #allowed = 0;
  readonly #tried = new Set<string>();
  /** The version that the last whole launch served, by this binary. */
  #served = "embedded";
  /** Versions that were quarantined then. */
  #rejected: readonly string[] = [];
  #accepted = 0;

  constructor(
    world: OtaWorld,
    { random, builds, binary }: {
      readonly random: Random;
      readonly builds: ReadonlyMap<string, Readonly<Record<string, string>>>;
      readonly binary: Binary;
    },
  ) {
    this.#world = world;
    this.#random = random;
    this.#builds = builds;
    this.#binary = binary;
  }

  /** Installs the store's update. */
  install(binary: Binary): void {
    this.#binary = binary;
    this.#served = "embedded";
  }

  /**
   * A day: the app is started, confirms when what it serves starts, looks for an update and is ended.
   *
   * @param starts Whether a version starts today.
   */
  async day(
    { fault, leavesWay = false, clockOff = 0, network = (fetch) => fetch }: Trouble,
    starts: (version: string) => boolean,
  ): Promise<CheckResult["result"] | "killed"> {
    await this.#lay();
    const io = createPowerCutFiles(this.#disk, fault);
    const device = this.#start(io.files, { clockOff, network });
    const isHurt = fault !== undefined;
    if (isHurt || leavesWay) this.#allowed += MIB;
    const launch = await device.launch({ name: NAME, binaryVersion: this.#binary.version })
      .catch((thrown) => this.#excuse(thrown, isHurt));
    let result: CheckResult["result"] | "killed" = "killed";
    if (launch && (!io.met() || fault?.kind === "full")) {
      const { target, token } = launch;
      const version = launched(target);
      await this.#assertServed(device, version, isHurt);
      if (starts(version)) {
        await device.confirmBoot({ name: NAME, token }).catch((thrown) =>
          this.#excuse(thrown, isHurt)
        );
        result = await this.#check(device, network).catch((thrown) => {
          this.#excuse(thrown, isHurt);
          return "killed" as const;
        });
      }
    }
    const isDead = fault?.kind === "power" && io.met();
    this.#disk = isDead ? io.disk.afterPowerCut(randomSurvival(this.#random)) : io.disk.shutDown();
    return result;
  }

  /** The active version, `null` without one. */
  async active(): Promise<string | null> {
    const device = this.#start(createPowerCutFiles(this.#disk.shutDown()).files, {});
    return own((await device.getState({})).state?.active, NAME) ?? null;
  }

  /** No byte was fetched twice beyond the bound. */
  assertBytes(): void {
    const most = Math.ceil(this.#allowed);
    assert.ok(this.fetched <= most, `${this.fetched} bytes were fetched, expected at most ${most}`);
  }

  #excuse(thrown: unknown, isHurt: boolean): void {
    if (!isHurt) throw thrown;
  }

  #start(
    files: ReturnType<typeof createPowerCutFiles>["files"],
    { clockOff = 0, network = (fetch) => fetch }: Pick<Trouble, "clockOff" | "network">,
  ): Device {
    const pid = ++processes;
    return createDevice({
      ...this.#world.runtime,
      files,
      clock: quickClock(clockOff),
      host: { pid },
      isAlive: (other) => other === pid,
      fetch: this.#counted(network),
      root: ROOT,
      embedded: `/app/${this.#binary.version}`,
      backOnTrial: true,
    });
  }

  #counted(network: NonNullable<Trouble["network"]>): Fetch {
    const fetch = network(this.#world.fetch);
    return async (url, init) => {
      const answer = await fetch(url, init);
      if (!url.includes("/bundles/") || answer.body === null) return answer;
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.fetched += chunk.length;
          controller.enqueue(chunk);
        },
      });
      const { status, headers } = answer;
      return new Response(answer.body.pipeThrough(counting), { status, headers });
    };
  }

  async #check(
    device: Device,
    network: NonNullable<Trouble["network"]>,
  ): Promise<CheckResult["result"]> {
    const fetch = this.#counted(network);
    const found = await checkForUpdate({ fetch, native: device }, {
      baseUrl: "https://cdn.example",
      publicKey: this.#world.key.publicKey,
      bundleName: NAME,
      engineApi: 1,
    });
    const version = "version" in found ? found.version : undefined;
    const isWay = found.result === "staged" || found.result === "stage-failed";
    if (isWay && version !== undefined && !this.#tried.has(version)) {
      this.#tried.add(version);
      this.#allowed += 1.05 * await this.#zipBytes(version) + MIB / 4; // manifests
    }
    if (found.result === "stage-failed") this.#allowed += MIB;
    return found.result;
  }

  async #zipBytes(version: string): Promise<number> {
    const zip = await this.#world.bucket.stat(`bundles/${NAME}/${version}/bundle.zip`);
    assert.ok(zip.ok && zip.value !== null, version);
    return zip.value.size;
  }

  /** Writes what the store brought, where it is not there yet. */
  async #lay(): Promise<void> {
    const { files } = createPowerCutFiles(this.#disk);
    const folder = `/app/${this.#binary.version}`;
    if (await files.stat(folder) !== null) return;
    await files.makeDirectory("/data");
    await files.makeDirectory(folder);
    for (const [path, bytes] of Object.entries(this.#binary.files)) {
      await files.write(`${folder}/${path}`, bytes);
    }
    this.#disk = this.#disk.shutDown();
  }

  /** What a launch serves was published and is whole, and nobody was taken back unasked. */
  async #assertServed(device: Device, version: string, isHurt: boolean): Promise<void> {
    const { sequence, rejected } = await device.getState({}).catch((thrown) => {
      this.#excuse(thrown, isHurt);
      return { sequence: {}, rejected: {} };
    });
    if (!isHurt) {
      const accepted = own(sequence, "default/production") ?? 0;
      assert.ok(
        accepted >= this.#accepted,
        `the sequence fell from ${this.#accepted} to ${accepted}`,
      );
      this.#accepted = accepted;
    }
    if (version !== "embedded") {
      assert.deepEqual(treeOf(this.#disk, `${ROOT}/${NAME}/${version}`), this.#builds.get(version));
      const isOlder = versionNumber(version) < this.#binary.holds;
      assert.ok(!isOlder, `${version} is older than the binary's v${this.#binary.holds}`);
    }
    if (isHurt) return; // BOOT-10: what cannot be recorded serves what is trusted
    // A version that failed since, in launches that were hurt or not, sends back to the active one.
    const nowRejected = own(rejected, NAME) ?? [];
    const hasFailed = nowRejected.some((one) =>
      numberOf(one) > numberOf(version) && !this.#rejected.includes(one)
    );
    const isBack = numberOf(version) < numberOf(this.#served);
    assert.ok(!isBack || hasFailed, `${this.#served} was served, now ${version}`);
    this.#served = version;
    this.#rejected = nowRejected;
  }
}

function numberOf(version: string): bigint | number {
  return version === "embedded" ? 0 : versionNumber(version);
}

/** A clock on which waits are over at once, and no deadline comes. */
function quickClock(off: number): Clock {
  let now = 0;
  return {
    now: () => Date.now() + off,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms < 10_000) return resolve(void (now += ms));
        const end = () => reject(signal?.reason);
        if (signal?.aborted) end();
        else signal?.addEventListener("abort", end, { once: true });
      }),
  };
}
