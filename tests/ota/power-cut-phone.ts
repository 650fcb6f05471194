import assert from "node:assert/strict";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { FileError } from "../../lib/core/file-error.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import type { BootTarget } from "../../lib/ota-device/boot.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { createDevice } from "../support/device-under-test.ts";
import { openRecords } from "../../lib/ota-device/records.ts";
import { planStage } from "../../lib/ota-format/diff.ts";
import {
  bundleZipPath,
  contentPath,
  manifestPath,
  RELEASE_PATH,
} from "../../lib/ota-format/layout.ts";
import { EMBEDDED, parseEmbeddedManifest, parseManifest } from "../../lib/ota-format/manifest.ts";
import type { BootState, StageResult, StageUpdateRequest } from "../../lib/ota-format/native.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Disk } from "../support/power-cut-disk.ts";
import {
  createPowerCutFiles,
  type DiskFault,
  type PowerCutFiles,
  type StepListener,
} from "../support/power-cut-files.ts";
import {
  bytesBelow,
  EMBEDDED_FOLDER,
  NAME,
  type Published,
  ROOT,
  TARGET,
} from "./power-cut-releases.ts";

const BASE_URL = "https://cdn.example";
const LINE = `${TARGET.app}/${TARGET.channel}`;

/** What a phone has been told by operations that returned, and what was asked of it. */
export interface Ledger {
  /** As it was when the last operation returned: all of it is promised to last. */
  state: BootState | null;
  rejected: readonly string[];
  floor: number;
  /** A version of which bytes were changed, until it is staged again. */
  damaged: string | null;
  /** The operation that was begun and has not returned. */
  begun: string | null;
  /** Launches begun, whether or not they served anything. */
  launches: number;
  /** Launches that served a version on trial, since it was last activated. */
  served: Record<string, number>;
  /** The version that the last launches served, and how many of them no confirmation followed. */
  unconfirmed: { version: string; launches: number };
  /** Launches whose confirmation was begun, by the version that they served. */
  confirmed: Record<string, string[]>;
  /** The version whose staging returned; nothing that was begun since may remove it. */
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
    damaged: null,
    begun: null,
    launches: 0,
    served: {},
    unconfirmed: { version: "embedded", launches: 0 },
    confirmed: {},
    staged: [],
    tokens: [],
  };
}

/** Deadline of a check by real time: the process of a native device is started, on a machine that may be busy. */
const PATIENCE_MS = 600_000;

/** A clock on which no deadline ever comes, and every short wait is over at once. */
export const PATIENT: Clock = createPatientClock();

function createPatientClock(): Clock {
  let now = 0;
  return {
    now: () => 0,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (ms < 1_000) return resolve(void (now += 500));
        const give = () => reject(signal?.reason);
        if (signal?.aborted) give();
        else signal?.addEventListener("abort", give, { once: true });
      }),
  };
}

let processes = 0;

/** A device over a disk, from the start of its process to its end, and a ledger of what it said. */
export class Phone {
  readonly ledger: Ledger;
  readonly device: Device;
  readonly io: PowerCutFiles;
  readonly #published: Published;
  readonly #brief: boolean;
  /** The process of this device. */
  readonly pid: number;
  /** Whether an active version goes back on trial (DEV-50). */
  readonly goesBackOnTrial: boolean;

  constructor(
    published: Published,
    { disk, ledger, fault, onStep, embedded = false, backOnTrial = false, capacity, brief = true }:
      {
        disk: Disk;
        ledger: Ledger;
        fault?: DiskFault;
        onStep?: StepListener;
        embedded?: boolean;
        backOnTrial?: boolean;
        /** Bytes that fit on the disk. */
        capacity?: number;
        /** Checks ask of the device what the client asks, without its network and its signature. */
        brief?: boolean;
      },
  ) {
    this.#brief = brief;
    this.goesBackOnTrial = backOnTrial;
    this.#published = published;
    this.ledger = ledger;
    this.io = createPowerCutFiles(disk, fault, onStep);
    const pid = this.pid = ++processes;
    if (capacity !== undefined) {
      Object.assign(this.io.files, {
        freeSpace: () => Promise.resolve(capacity - bytesBelow(disk, ROOT)),
        // As on Android; where versions share their bytes, a delta needs next to no room.
        link: (_from: string, to: string) =>
          Promise.reject(new FileError("denied", to, `${to}: no links here`)),
      });
    }
    this.device = createDevice({
      files: this.io.files,
      hashing: published.hashing,
      clock: PATIENT,
      host: { pid }, // a killed one is followed by another
      isAlive: (other) => other === pid,
      fetch: (url) => Promise.resolve(this.#serve(url, "")),
      root: ROOT,
      backOnTrial,
      ...(embedded && { embedded: EMBEDDED_FOLDER }),
    }, { foretold: { disk } });
  }

  get files(): Files {
    return this.io.files;
  }

  /** The update check against the release of that version. */
  async check(version: string): Promise<CheckResult["result"]> {
    this.#mayRemoveOthersThan(version);
    return await this.#operation(`check ${version}`, async () => {
      const before = this.ledger.state?.pending?.[NAME];
      const result = await (this.#brief ? this.#update(version) : this.#wholeCheck(version));
      if (result === "staged" && before !== version) this.#isOnTrial(version);
      if (result === "staged") this.#isWhole(version);
      return result;
    });
  }

  /** From here on the launches of a version are counted anew. */
  #isOnTrial(version: string): void {
    delete this.ledger.served[version];
    const { unconfirmed } = this.ledger;
    if (unconfirmed.version === version) unconfirmed.launches = 0;
  }

  /** A staging sweeps before it begins, and makes room. */
  #mayRemoveOthersThan(version: string): void {
    this.ledger.staged = this.ledger.staged.filter((staged) => staged === version);
  }

  async #wholeCheck(version: string): Promise<CheckResult["result"]> {
    const fetch = (url: string) => Promise.resolve(this.#serve(url, version));
    const { result } = await checkForUpdate(
      { fetch, native: this.device, deadlineMs: PATIENCE_MS },
      {
        baseUrl: BASE_URL,
        publicKey: this.#published.publicKey,
        bundleName: NAME,
        engineApi: 1,
      },
    );
    return result;
  }

  /** What the check asks of the device, in its order; the signature takes all of its time. */
  async #update(version: string): Promise<CheckResult["result"]> {
    const { device } = this;
    const { state, sequence, rejected } = await device.getState({});
    const newest = Number(version.slice(1));
    if (newest > (sequence[LINE] ?? 0)) {
      await device.acceptSequence({ ...TARGET, sequence: newest });
    }
    const active = state?.active?.[NAME];
    if (state?.pending?.[NAME] === version) return "up-to-date";
    if (active === version) {
      if (state?.pending?.[NAME] !== undefined) await device.revert({ name: NAME });
      return "up-to-date";
    }
    if (rejected?.[NAME]?.includes(version)) return "version-rejected";
    const base = active ?? EMBEDDED;
    const { manifest } = await device.readManifest?.({ name: NAME, version: base }) ?? {};
    const request = this.#request(version);
    const text = encodeUtf8(manifest ?? "");
    const current = base === EMBEDDED
      ? parseEmbeddedManifest(text)
      : parseManifest(text, { name: NAME, version: base });
    const target = parseManifest(encodeUtf8(request.manifest), { name: NAME, version });
    assert.ok(target.ok);
    const plan = current.ok ? planStage(current.value, target.value) : null;
    const download = plan?.download.map(({ path, hash }) => ({
      path,
      url: `${BASE_URL}/${contentPath(NAME, version, hash)}`,
    }));
    const staged = plan && download
      ? await device.stageUpdateDelta({ ...request, base, copy: plan.copy, download })
      : await device.stageUpdate(request);
    const done = staged.ok ? await device.activate({ name: NAME, version }) : staged;
    return done.ok ? "staged" : "stage-failed";
  }

  /** Stages the whole bundle. */
  stage(version: string): Promise<StageResult> {
    this.#mayRemoveOthersThan(version);
    return this.#operation(`stage ${version}`, async () => {
      const staged = await this.device.stageUpdate(this.#request(version));
      if (staged.ok) this.#isWhole(version);
      return staged;
    });
  }

  #isWhole(version: string): void {
    this.ledger.staged.push(version);
    if (this.ledger.damaged === version) this.ledger.damaged = null;
  }

  /** Changes the bytes of a version's file, and keeps its size. */
  async rot(version: string, file: string): Promise<void> {
    const path = `${ROOT}/${NAME}/${version}/${file}`;
    const { size = 0 } = await this.files.stat(path) ?? {};
    await this.files.write(path, new Uint8Array(size), { sync: true });
    this.ledger.damaged = version;
  }

  /** Cuts the bytes of a version's file, in place: its folder stays as it was. */
  async shorten(version: string, file: string): Promise<void> {
    const path = `${ROOT}/${NAME}/${version}/${file}`;
    await this.files.write(path, new Uint8Array(1), { sync: true });
    this.ledger.damaged = version;
  }

  activate(version: string, how: { readonly mandatory?: boolean } = {}): Promise<StageResult> {
    this.#isOnTrial(version);
    return this.#operation(
      `activate ${version}`,
      () => this.device.activate({ name: NAME, version, ...how }),
    );
  }

  /** @returns `v<N>` or `embedded`. */
  launch(binaryVersion?: string, endedByUser: readonly number[] = []): Promise<string> {
    this.ledger.launches++;
    return this.#operation("launch", async () => {
      const { target, token } = await this.device.launch({
        name: NAME,
        ...(binaryVersion !== undefined && { binaryVersion }),
        endedByUser,
      });
      const version = versionOf(target);
      const { active, pending } = (await this.observe()).state ?? {}; // a process that is dead throws here
      const before = this.ledger.state?.active?.[NAME];
      if (before !== undefined && before === pending?.[NAME]) delete this.ledger.served[before];
      const { unconfirmed } = this.ledger;
      const launches = unconfirmed.version === version ? unconfirmed.launches + 1 : 1;
      this.ledger.unconfirmed = { version, launches };
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
    const confirmed = this.ledger.confirmed[version] ??= [];
    if (!confirmed.includes(token)) confirmed.push(token);
    this.ledger.staged = [];
    this.ledger.unconfirmed.launches = 0;
    await this.#operation("confirm", () => this.device.confirmBoot({ name: NAME, token }));
  }

  async revert({ toEmbedded = false } = {}): Promise<void> {
    await this.#operation("revert", () => this.device.revert({ name: NAME, toEmbedded }));
  }

  async accept(sequence: number): Promise<void> {
    await this.#operation(
      `accept ${sequence}`,
      () => this.device.acceptSequence({ ...TARGET, sequence }),
    );
  }

  /** What the device knows; throws where the power is cut. */
  async observe(): Promise<Pick<Ledger, "state" | "rejected" | "floor">> {
    const records = openRecords({ files: this.files, root: ROOT, clock: PATIENT }); // reads alone: getState() may sync
    const state = await records.readState();
    const { rejected, sequence } = await records.readGuard();
    return {
      state,
      rejected: [...new Set([...state?.rejected?.[NAME] ?? [], ...rejected[NAME] ?? []])],
      floor: sequence[LINE] ?? 0,
    };
  }

  async #operation<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.ledger.begun = name;
    const result = await run();
    Object.assign(this.ledger, await this.observe(), { begun: null });
    return result;
  }

  #request(version: string): StageUpdateRequest {
    const manifest = this.#published.bucket.get(manifestPath(NAME, version));
    const zipUrl = `${BASE_URL}/${bundleZipPath(NAME, version)}`;
    return { name: NAME, version, manifest: new TextDecoder().decode(manifest), zipUrl };
  }

  #serve(url: string, version: string): Response {
    const path = url.slice(BASE_URL.length + 1);
    const { bucket, releases } = this.#published;
    const bytes = path === RELEASE_PATH ? releases.get(version) : bucket.get(path);
    return bytes === undefined ? new Response("not found", { status: 404 }) : new Response(bytes);
  }
}

function versionOf(target: BootTarget): string {
  return target.kind === "version" ? target.version : "embedded";
}
