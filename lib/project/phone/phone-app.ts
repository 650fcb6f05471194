import { toHex } from "../../core/bytes.ts";
import { isRecord, own } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { plainText } from "../../core/plain-text.ts";
import { checkForUpdate, type CheckResult } from "../../ota-client/mod.ts";
import { RELEASE_PATH } from "../../ota-format/mod.ts";
import { createDevice, type Device } from "../../ota-device/mod.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { RunningApp } from "./app-server.ts";
import { appBucket } from "./bucket-place.ts";
import { pathBelow, phoneDisk, phoneNetwork } from "./conditions.ts";
import type { InstalledApp } from "./installed.ts";
import { askDevice, type DeviceWitness, observedDevice } from "./observed-device.ts";
import type { PhoneCheck, PhonePhase, PhoneSwitches, PhoneVersions } from "./state.ts";

// One process of the phone's app: the real device, over the disk and the network that a person has
// set, and the page that it serves.

/** The binary's own version: the app is removed before another one is installed. */
const BINARY_VERSION = "1";
/** Characters of a page's console that are read, and of those that are shown. */
const MAX_SAID = 4_096;
const MAX_WORDS = 400;
const MAX_LAUNCHES_BYTES = 1024 * 1024;

/** Listener for events in the app. */
export interface AppWitness extends DeviceWitness {
  /** The check that the page made has answered. */
  checked(check: PhoneCheck): void;
  /** Called when the page says why it cannot start; it may continue. */
  failed(why: string): void;
}

/** Dependencies of a process of the app. */
export interface PhoneAppParts extends Pick<Runtime, "files" | "fetch" | "hashing" | "clock"> {
  readonly host: Pick<Runtime["host"], "cli" | "pid" | "platform" | "userData">;
  readonly isAlive: Runtime["isAlive"];
  /** The project's folder, absolute. */
  readonly root: string;
  /** The phone's folder. */
  readonly folder: string;
  readonly app: InstalledApp;
  /** Returns their current state. */
  readonly switches: () => PhoneSwitches;
  readonly witness: AppWitness;
}

/** The app, until it is killed. */
export interface PhoneApp {
  readonly device: Device;
  /** Decides which version to serve, and serves it. */
  launch(): Promise<{ readonly running: RunningApp; readonly serves: string }>;
  /** The client's check, as the page makes it at its start. */
  check(signal?: AbortSignal): Promise<CheckResult>;
  versions(): Promise<PhoneVersions>;
  /** Ends the process. */
  kill(): void;
}

/** Places of the app's own files in the phone's folder, and of the bundle in its binary. */
export const deviceFolder = (folder: string): string => `${folder}/device`;
export const binaryFolder = (folder: string): string => `${folder}/app`;

/** A process of the app. */
export function openPhoneApp(parts: PhoneAppParts): PhoneApp {
  const { folder, app, switches, witness, files } = parts;
  const { connection: { bundleName: name, baseUrl } } = app;
  const life = new AbortController();
  const network = phoneNetwork({
    ...parts,
    baseUrl,
    folder: () => appBucket(parts, app),
    isUp: () => switches().network && !life.signal.aborted,
  });
  const root = deviceFolder(folder);
  const device = createDevice({
    ...parts,
    files: phoneDisk(files, () => switches().diskFull),
    fetch: network,
    root,
    embedded: binaryFolder(folder),
    signal: life.signal,
  });
  const native = observedDevice(device, witness);
  const clientFetch: Fetch = (url, init) => {
    const path = pathBelow(baseUrl, url);
    if (path !== null) witness.begins(phaseOf(path));
    return network(url, init);
  };

  return {
    device,
    async launch() {
      const { target, script } = await device.launch({ name, binaryVersion: BINARY_VERSION });
      const served = device.folderOf(name, target) ?? binaryFolder(folder);
      const running: RunningApp = {
        key: toHex(crypto.getRandomValues(new Uint8Array(16))),
        folder: served,
        script,
        baseUrl,
        isBroken: switches().breakBoot,
        fetch: clientFetch,
        async native(method, request) {
          life.signal.throwIfAborted();
          if (method !== "console") return await askDevice(native, method, request);
          hear(witness, request);
          return null;
        },
      };
      return { running, serves: target.kind === "embedded" ? "embedded" : target.version };
    },
    check: (signal) =>
      checkForUpdate({
        fetch: clientFetch,
        native,
        signal: signal === undefined ? life.signal : AbortSignal.any([signal, life.signal]),
      }, app.connection),
    async versions() {
      const { state, rejected, embedded } = await device.getState({});
      const launches = parseJson(await files.read(`${root}/launch.json`, MAX_LAUNCHES_BYTES));
      const previous = isRecord(launches) && isRecord(launches["previous"])
        ? own(launches["previous"], name)
        : undefined;
      return {
        embedded: own(embedded, name) ?? null,
        active: own(state?.active, name) ?? null,
        pending: own(state?.pending, name) ?? null,
        previous: typeof previous === "string" ? previous : null,
        rejected: own(state?.rejected, name) ?? own(rejected, name) ?? [],
        attempts: own(state?.bootAttempts, name) ?? 0,
        confirmed: own(state?.confirmedBoots, name) ?? 0,
      };
    },
    kill: () => life.abort(new Error("the app was killed")),
  };
}

/** The client asks for a manifest once the release is verified (CHECK-1). */
function phaseOf(path: string): PhonePhase {
  return path === RELEASE_PATH ? "checking" : "verifying";
}

/** Handles a line of a page's console, where a game's runtime reports its progress. */
function hear(witness: AppWitness, request: unknown): void {
  if (!isRecord(request) || !Array.isArray(request["said"])) return;
  const said: readonly unknown[] = request["said"];
  const [first = "", second = ""] = said.slice(0, 2).map((one) => String(one).slice(0, MAX_SAID));
  if (request["level"] === "error") return witness.failed(plainText(first, MAX_WORDS));
  const checked = first === "update" ? parseJson(second) : undefined;
  if (!isRecord(checked)) return;
  const { result, version, detail } = checked;
  const known = RESULTS.find((one) => one === result);
  if (known === undefined) return;
  witness.checked({
    result: known,
    version: typeof version === "string" ? plainText(version, MAX_WORDS) : null,
    detail: typeof detail === "string" ? plainText(detail, MAX_WORDS) : null,
  });
}

const RESULTS: readonly CheckResult["result"][] = [
  "up-to-date",
  "staged",
  "no-release-for-bundle",
  "signature-invalid",
  "engine-api-too-old",
  "manifest-invalid",
  "no-bundle-zip-in-manifest",
  "version-rejected",
  "stage-failed",
];
