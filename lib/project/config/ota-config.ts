import { baseUrlFault } from "../../core/base-url.ts";
import { isBundleName, wantedBundleName } from "../../core/paths.ts";
import type { Complaints } from "../../core/shape.ts";
import type { ConnectionInfo } from "../../ota-client/mod.ts";
import { decodeKey, isPositiveInteger } from "../../ota-format/mod.ts";

/** The updates that the app follows. */
export type OtaConnection = Omit<ConnectionInfo, "engineApiMatch">;

/** The `ota` block. While it is off, unknown values may be missing. */
export type OtaConfig =
  | ({ readonly enabled: true } & OtaConnection)
  | ({ readonly enabled: false } & Partial<OtaConnection>);

const NEEDED = {
  baseUrl: "where players fetch from",
  publicKey: "as svc_ota_keygen tells it",
  bundleName: "such as shell",
  engineApi: "1 to begin with",
} as const;

/** A setting that is not there. */
export interface MissingSetting {
  /** `ota.baseUrl`. */
  readonly name: string;
  /** With a short description. */
  readonly text: string;
}

/** The settings that an app needs to look for updates and that are not there. */
export function missingOta(ota: OtaConfig | undefined): readonly MissingSetting[] {
  return Object.entries(NEEDED)
    .filter(([name]) => !Object.entries(ota ?? {}).some(([set]) => set === name))
    .map(([name, what]) => ({ name: `ota.${name}`, text: `ota.${name} (${what})` }));
}

/** Reads the `ota` block; complains and answers `null` when it is wrong. */
export function readOta(value: unknown, complaints: Complaints): OtaConfig | null {
  const record = complaints.record("ota", value, [
    "enabled",
    "baseUrl",
    "publicKey",
    "bundleName",
    "engineApi",
    "app",
    "channel",
  ]);
  if (record === null) return null;
  const { enabled = false } = record;
  if (typeof enabled !== "boolean") complaints.expected("ota.enabled", enabled, "true or false");
  // While updates are off a value may be missing or empty, but a given one must be right.
  const read = <T>(name: string, accepts: (value: unknown) => value is T, expected: string) => {
    const found = record[name];
    if (accepts(found)) return found;
    const isOff = enabled !== true;
    const mayMiss = isOff || name === "app" || name === "channel";
    const missing = found === undefined || (isOff && found === "");
    if (!missing || !mayMiss) complaints.expected(`ota.${name}`, found, expected);
    return undefined;
  };
  const nameWords = (name: string) => {
    const found = record[name];
    return wantedBundleName(typeof found === "string" ? found : "");
  };
  const baseUrl = read("baseUrl", isBaseUrl, "an https URL without query, or http on loopback");
  const publicKey = read("publicKey", isPublicKey, "32 bytes in base64url without padding");
  const bundleName = read("bundleName", isName, nameWords("bundleName"));
  const engineApi = read("engineApi", isPositiveInteger, "a whole number of at least 1");
  const app = read("app", isName, nameWords("app"));
  const channel = read("channel", isName, nameWords("channel"));
  const address = {
    ...(app === undefined ? {} : { app }),
    ...(channel === undefined ? {} : { channel }),
  };
  if (enabled !== true) {
    return {
      enabled: false,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(publicKey === undefined ? {} : { publicKey }),
      ...(bundleName === undefined ? {} : { bundleName }),
      ...(engineApi === undefined ? {} : { engineApi }),
      ...address,
    };
  }
  if (baseUrl === undefined || publicKey === undefined) return null;
  if (bundleName === undefined || engineApi === undefined) return null;
  return { enabled, baseUrl, publicKey, bundleName, engineApi, ...address };
}

function isBaseUrl(value: unknown): value is string {
  return typeof value === "string" && baseUrlFault(value) === null;
}

function isPublicKey(value: unknown): value is string {
  return typeof value === "string" && decodeKey(value) !== null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && isBundleName(value);
}
