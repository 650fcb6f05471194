#!/usr/bin/env node
import { dirname, join, resolve } from "node:path";
import { FileError } from "../lib/core/file-error.ts";
import { own } from "../lib/core/json.ts";
import { LIMITS } from "../lib/core/limits.ts";
import { isVersion } from "../lib/core/paths.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import {
  EMBEDDED,
  manifestPath,
  parseManifest,
  parseRelease,
  readRecord,
  type ReleaseTarget,
} from "../lib/ota-format/mod.ts";
import { embedManifest, type ReleasedManifest } from "../lib/ota-publish/mod.ts";
import type { Hashing } from "../lib/ports/hashing.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  bundleName,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";

// Writes ota-embedded-manifest.json into a built folder that will be put into an app binary
// (PUB-19).

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("embed-manifest", "--dist DIR --name N --engine-api I"),
  flags: {
    dist: { kind: "value", doc: "the built folder" },
    name: { kind: "value", doc: "the bundle's name" },
    "engine-api": { kind: "value", doc: "the engine API level that the bundle needs" },
    version: {
      kind: "value",
      doc:
        "the version it was published as (default: the released one if the files are equal, else embedded)",
    },
    ...TARGET_FLAGS,
    sequence: {
      kind: "value",
      doc: "the lowest release sequence that the app accepts (default: 0)",
    },
    release: {
      kind: "value",
      doc: "the bucket's latest release.json: gives the version; the app accepts no older release",
    },
    out: { kind: "value", doc: "the file to write (default: in the built folder)" },
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const dist = required(line, "dist");
  const name = bundleName(line);
  const engineApi = wholeNumber(line, "engine-api", { min: 1, fallback: undefined });
  const target = readReleaseTarget(line);
  if (!dist.ok) return printFailure(dist.error);
  if (!name.ok) return printFailure(name.error);
  if (!engineApi.ok) return printFailure(engineApi.error);
  if (!target.ok) return printFailure(target.error);
  if (engineApi.value === undefined) {
    return printFailure({
      code: "usage",
      message: "--engine-api is missing: expected a whole number >= 1",
    });
  }
  const { version, out } = line.values;
  if (version !== undefined && version !== EMBEDDED && !isVersion(version)) {
    return printFailure({
      code: "usage",
      message: `--version is ${JSON.stringify(version)}: expected v1, v2, v3, … or ${EMBEDDED}`,
    });
  }
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const facts = await readReleaseFacts(runtime, line, { ...target.value, name: name.value });
  if (!facts.ok) return output.failure(facts.error);
  const embedded = await embedManifest(runtime, {
    dist: resolve(dist.value),
    name: name.value,
    engineApi: engineApi.value,
    target: target.value,
    ...facts.value,
    ...(version !== undefined && { version }),
    ...(out !== undefined && { out: resolve(out) }),
  });
  if (!embedded.ok) return output.failure(embedded.error);
  const { path, manifest } = embedded.value;
  const { released } = manifest;
  const files = Object.keys(manifest.files).length;
  output.result(
    {
      ok: true,
      path,
      version: manifest.version,
      files,
      sequence: manifest.sequence,
      ...(released !== undefined && { released }),
    },
    `${path}: ${manifest.name} ${manifest.version}, ${files} files, sequence ${manifest.sequence}`,
  );
  return 0;
}

/** Facts of a release for a binary: its sequence, the bundle's version, and the manifest, if that is next
 * to it. */
interface ReleaseFacts {
  readonly sequence: number;
  readonly releasedVersion?: string;
  readonly released?: ReleasedManifest;
}

async function readReleaseFacts(
  { files, hashing }: Pick<Runtime, "files" | "hashing">,
  line: CommandLine,
  { name, ...target }: ReleaseTarget & { readonly name: string },
): Promise<Result<ReleaseFacts, Failure<"usage" | "release">>> {
  const path = line.values["release"];
  if (path === undefined) {
    const sequence = wholeNumber(line, "sequence", { min: 0, fallback: 0 });
    return sequence.ok ? ok({ sequence: sequence.value }) : sequence;
  }
  if (line.values["sequence"] !== undefined) {
    return fail("usage", "--sequence and --release are both given: expected one of them");
  }
  try {
    const bytes = await files.read(resolve(path), LIMITS.releaseBytes);
    if (bytes === null) {
      return fail(
        "release",
        `Cannot read ${path}: no such file, expected a release.json on this machine`,
        "Download it from the bucket, and name the file",
      );
    }
    const record = readRecord(bytes);
    if (!record.ok) return fail("release", `${path}: ${record.error.message}`);
    const release = parseRelease(record.value, target);
    if (!release.ok) return fail("release", `${path}: ${release.error.message}`);
    const { sequence, bundles, manifests } = release.value;
    const version = own(bundles, name);
    const ref = own(manifests, name);
    if (version === undefined) return ok({ sequence });
    const facts = { sequence, releasedVersion: version };
    if (ref === undefined) return ok(facts);
    const beside = join(dirname(resolve(path)), manifestPath(name, version));
    const text = await files.read(beside, LIMITS.manifestBytes);
    if (text === null || hashOf(hashing, text) !== ref.hash) return ok(facts);
    const manifest = parseManifest(text, { name, version });
    return manifest.ok
      ? ok({ ...facts, released: { manifest: manifest.value, hash: ref.hash } })
      : fail("release", `${beside}: ${manifest.error.message}`);
  } catch (thrown) {
    if (thrown instanceof FileError) return fail("release", thrown.message);
    throw thrown;
  }
}

function hashOf(hashing: Hashing, bytes: Uint8Array): string {
  const hash = hashing.createSha256();
  hash.update(bytes);
  return hash.hex();
}

if (isMain(import.meta)) await runScript(main);
