#!/usr/bin/env node
import { resolve } from "node:path";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import { own } from "../lib/core/json.ts";
import { checkForUpdate, type ConnectionInfo, EMBEDDED } from "../lib/ota-client/mod.ts";
import { createDevice, type Device } from "../lib/ota-device/mod.ts";
import { asAppsPage, tellingCauses } from "../lib/project/served/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  bundleName,
  type FlagFailure,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput, type Output } from "./shared/output.ts";
import { checkReadAddress, readAddress } from "./shared/read-address.ts";
import { loadRuntime } from "./shared/runtime.ts";

// The reference device on the command line, one step a call (CLI-2).

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("device", "--root DIR … <check|launch|confirm|revert|state>"),
  commands: ["check", "launch", "confirm", "revert", "state"],
  flags: {
    root: { kind: "value", doc: "the simulated phone's folder" },
    "base-url": {
      kind: "value",
      doc: "where releases come from: https://…, or a bucket's file:///folder (check)",
    },
    "public-key": { kind: "value", doc: "the key that must have signed them (check)" },
    name: { kind: "value", doc: "the bundle's name (all but state)" },
    "engine-api": { kind: "value", doc: "the engine API level of the app (check; default: 1)" },
    ...TARGET_FLAGS,
    "back-on-trial": {
      kind: "switch",
      doc: "put an active version that is not confirmed back on trial (launch)",
    },
    "binary-version": { kind: "value", doc: "the app binary's own version (launch)" },
    embedded: { kind: "value", doc: "the bundle in the app binary, a folder" },
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const root = required(line, "root");
  const name = line.command === "state" ? ok("") : bundleName(line);
  const connection = line.command === "check" ? readConnection(line) : ok(null);
  const binaryVersion = readBinaryVersion(line);
  if (!root.ok) return printFailure(root.error);
  if (!name.ok) return printFailure(name.error);
  if (!binaryVersion.ok) return printFailure(binaryVersion.error);
  if (!connection.ok) return printFailure(connection.error);
  const runtime = await loadRuntime();
  const { embedded } = line.values;
  const { baseUrl, fetch: read } = readAddress(runtime, connection.value?.baseUrl ?? "");
  // Asks as an app's page does: a server of releases must not reach local services as the user's program.
  const fetch = asAppsPage(read);
  const device = createDevice({
    ...runtime,
    fetch,
    root: resolve(root.value),
    ...(embedded !== undefined && { embedded: resolve(embedded) }),
    backOnTrial: line.switches["back-on-trial"] === true,
  });
  const output = createOutput({ switches: { json: true } });
  if (connection.value !== null) {
    const result = await checkForUpdate(
      { fetch: tellingCauses(fetch), native: runningAsLaunched(device, name.value) },
      { ...connection.value, baseUrl },
    );
    output.result(result, result.result);
    return result.result === "staged" || result.result === "up-to-date" ? 0 : 1;
  }
  return await runStep(device, line, { name: name.value, output });
}

async function runStep(
  device: Device,
  line: CommandLine,
  { name, output }: { name: string; output: Output },
): Promise<number> {
  switch (line.command) {
    case "launch": {
      const binaryVersion = line.values["binary-version"];
      const { target } = await device.launch({
        name,
        ...(binaryVersion !== undefined && { binaryVersion }),
      });
      output.result({ target }, target.kind);
      return 0;
    }
    case "confirm":
      await device.confirmLaunch({ name });
      break;
    case "revert":
      await device.revert({ name });
      break;
  }
  const { state } = await device.getState({});
  output.result(state ?? {}, "");
  return 0;
}

/**
 * Wraps a device so that the version served by the last `launch` step counts as its launch,
 * although that ran in another process. A pending version with attempts is the served one.
 */
function runningAsLaunched(device: Device, name: string): Device {
  return {
    ...device,
    async getState(request) {
      const known = await device.getState(request);
      const { active, pending, bootAttempts } = known.state ?? {};
      const isOnTrial = (own(bootAttempts, name) ?? 0) > 0;
      const version = own(isOnTrial ? pending : active, name) ?? EMBEDDED;
      return { launch: { name, version }, ...known };
    },
  };
}

function readBinaryVersion(
  { values }: CommandLine,
): Result<string | undefined, Failure<"usage">> {
  const binaryVersion = values["binary-version"];
  return binaryVersion === ""
    ? fail("usage", "--binary-version is empty: expected the app's build number")
    : ok(binaryVersion);
}

function readConnection(line: CommandLine): Result<ConnectionInfo, FlagFailure> {
  const baseUrl = required(line, "base-url");
  const publicKey = required(line, "public-key");
  const name = bundleName(line);
  const target = readReleaseTarget(line);
  const engineApi = wholeNumber(line, "engine-api", { min: 1, fallback: 1 });
  if (!baseUrl.ok) return baseUrl;
  if (!publicKey.ok) return publicKey;
  if (!name.ok) return name;
  if (!target.ok) return target;
  if (!engineApi.ok) return engineApi;
  const checked = checkReadAddress(baseUrl.value);
  if (!checked.ok) return checked;
  return ok({
    baseUrl: baseUrl.value,
    publicKey: publicKey.value,
    bundleName: name.value,
    engineApi: engineApi.value,
    ...target.value,
  });
}

if (isMain(import.meta)) await runScript(main);
