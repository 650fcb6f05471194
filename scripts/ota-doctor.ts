#!/usr/bin/env node
import { resolve } from "node:path";
import type { Runtime } from "../lib/ports/runtime.ts";
import { ANDROID, checkAndroid } from "./doctor/android.ts";
import { type App, checkPackage, member, openApp } from "./doctor/app.ts";
import { checkProject, checkRecommended } from "./doctor/configuration.ts";
import type { Finding } from "./doctor/finding.ts";
import { checkInstalled } from "./doctor/installed.ts";
import { checkIos, IOS } from "./doctor/ios.ts";
import { compareReleased } from "./doctor/released.ts";
import { checkWebAssets, type PlatformPlaces } from "./doctor/web-assets.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { findingLines } from "./shared/findings-text.ts";
import { isMain } from "./shared/invocation.ts";
import { checkPublicKey } from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";

// Checks the folder of a Capacitor app, and lists the obstacles to its updates.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("ota-doctor", "[--app-dir DIR]"),
  flags: {
    "app-dir": { kind: "value", doc: "the Capacitor app's folder (default: this one)" },
    "public-key": {
      kind: "value",
      doc: "the key that the app must hold (default: ota.publicKey of its project.config.json)",
    },
  },
};

/** The checks of each platform. */
const PLATFORMS: readonly (PlatformPlaces & { check(app: App): Promise<readonly Finding[]> })[] = [
  { ...ANDROID, check: checkAndroid },
  { ...IOS, check: checkIos },
];

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const { "public-key": publicKey } = line.values;
  const checked = publicKey === undefined ? null : checkPublicKey(publicKey);
  if (checked?.ok === false) return printFailure(checked.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const root = resolve(line.values["app-dir"] ?? ".");
  const found = await withReleased(
    runtime,
    root,
    await examine(runtime, root, publicKey),
    publicKey,
  );
  const isGood = found.findings.every(({ level }) => level !== "error");
  output.result({ ok: isGood, ...found }, textOf(found));
  return isGood ? 0 : 1;
}

/** The findings about an app, and its platforms. */
export interface Examination {
  readonly platforms: readonly string[];
  readonly findings: readonly Finding[];
  /** Why the app was not compared with the release; absent when it was. */
  readonly notCompared?: string;
}

/** Adds the findings of a comparison with the release that players get. */
export async function withReleased(
  { files, fetch, clock }: Pick<Runtime, "files" | "fetch" | "clock">,
  root: string,
  { platforms, findings }: Examination,
  publicKey?: string,
): Promise<Examination> {
  const app = openApp(files, root);
  const ota = member(await app.json("project.config.json"), "ota");
  const compared = await compareReleased(app, { fetch, clock }, {
    platforms: PLATFORMS.filter(({ platform }) => platforms.includes(platform)),
    publicKey: publicKey ?? member(ota, "publicKey"),
  });
  return { platforms, ...compared, findings: [...findings, ...compared.findings] };
}

/** Checks an app. @param publicKey The key that its configuration must have, if it has one. */
export async function examine(
  { files, hashing }: Pick<Runtime, "files" | "hashing">,
  root: string,
  publicKey?: string,
): Promise<Examination> {
  const app = openApp(files, root);
  const findings = [...await checkPackage(app)];
  const platforms: string[] = [];
  if (findings.some(({ code }) => code === "no-app")) return { platforms, findings };
  if (findings.every(({ code }) => code !== "plugin")) findings.push(...await checkInstalled(app));
  findings.push(...await checkProject(app), ...await checkRecommended(app));
  const ota = member(await app.json("project.config.json"), "ota");
  const expected = { publicKey: publicKey ?? member(ota, "publicKey"), ota };
  for (const places of PLATFORMS) {
    if ((await files.stat(`${root}/${places.platform}`))?.kind !== "directory") continue;
    platforms.push(places.platform);
    findings.push(
      ...await places.check(app),
      ...await checkWebAssets(app, hashing, places, expected),
    );
  }
  if (platforms.length === 0) {
    findings.push({
      level: "error",
      code: "no-platform",
      where: ".",
      message: "found neither android nor ios, expected one at least",
      next: "npm install @capacitor/android && npx cap add android, or the same for ios",
    });
  }
  return { platforms, findings };
}

function textOf({ platforms, findings, notCompared }: Examination): string {
  return [
    ...findingLines(findings),
    findings.length === 0
      ? `All is well for ${platforms.join(" and ")}: the app updates itself once a release is there`
      : `${findings.length} found`,
    ...(notCompared === undefined ? [] : [`Not compared with the release: ${notCompared}`]),
  ].join("\n");
}

if (isMain(import.meta)) await runScript(main);
