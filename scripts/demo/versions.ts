import { cpSync } from "node:fs";
import { join, relative } from "node:path";
import { decodeUtf8, encodeUtf8 } from "../../lib/core/bytes.ts";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import { fail, type Failure, type Result } from "../../lib/core/result.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { buildWeb } from "../../lib/project/building/mod.ts";
import { CONFIG_FILE, readProjectConfig } from "../../lib/project/mod.ts";
import { failureOf } from "../shared/cli.ts";
import { packagedSample } from "../shared/own-sample.ts";

// The versions of Harbor Run that the demo publishes: the sample, changed as its developer would.

/** The published versions, in order. */
export const VERSIONS = ["v1", "v2", "v3"] as const;

/** A version of the demo's game. */
export type GameVersion = (typeof VERSIONS)[number];

/** Settings by which a copy of the sample finds its updates. */
export interface GameSettings {
  /** The project's folder; made here. */
  readonly project: string;
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly bundleName: string;
}

/** A file of the project, with a text before and after the change. */
type Change = readonly [path: string, before: string, after: string];

const TITLE = "assets/scenes/menu.scene.json";
const SKY = "assets/environments/dusk.env.json";
/** Changes of each version from its predecessor. The title shows its number in large type. */
const CHANGES: Readonly<Record<GameVersion, readonly Change[]>> = {
  v1: [[TITLE, '"text": "v1",', '"text": "v1",\n          "size": 40,']],
  v2: [
    [TITLE, '"text": "v1",', '"text": "v2",'],
    [TITLE, '"#b3262ee0"', '"#0b6e8fe0"'],
    [TITLE, '"#ffd9b0"', '"#ffffff"'],
    [SKY, '"#5a5f9e"', '"#3f9be0"'],
    [SKY, '"#f3a76b"', '"#d9f0ff"'],
  ],
  v3: [[TITLE, '"text": "v2",', '"text": "v3",']],
};
/** The largest of these files, in bytes. */
const MAX_CHANGED_BYTES = 1024 * 1024;

/** Makes the project: a copy of the sample with updates on. */
export async function makeGame(
  { files }: Runtime,
  { project, ...connection }: GameSettings,
): Promise<void> {
  const sample = packagedSample();
  const isBuilt = (path: string) => /^(?:dist|android|ios|node_modules)\b/.test(path);
  cpSync(sample, project, {
    recursive: true,
    filter: (path) => !isBuilt(relative(sample, path)),
  });
  const place = join(project, CONFIG_FILE);
  const sampled = parseJson(await files.read(place, MAX_CHANGED_BYTES));
  const config = {
    ...(isRecord(sampled) ? sampled : {}),
    build: { web: { out: "dist" } },
    ota: { enabled: true, engineApi: 1, ...connection },
  };
  await files.write(place, encodeUtf8(JSON.stringify(config)));
}

/**
 * Changes the project to be that version, and builds it. The third is broken as builds are: half of
 * its first scene is missing.
 *
 * @returns The built folder.
 */
export async function buildVersion(
  runtime: Runtime,
  project: string,
  version: GameVersion,
): Promise<Result<string, Failure>> {
  const { files } = runtime;
  for (const [path, before, after] of CHANGES[version]) {
    const text = decodeUtf8(
      await files.read(join(project, path), MAX_CHANGED_BYTES) ?? encodeUtf8(""),
    );
    if (text?.includes(before) !== true) {
      return fail("sample", `The sample's ${path} has changed: found no ${before} in it`);
    }
    await files.write(join(project, path), encodeUtf8(text.replace(before, after)));
  }
  const read = await readProjectConfig(files, project);
  if (!read.ok) return { ok: false, error: failureOf(read.error) };
  const built = await buildWeb(runtime, {
    root: project,
    config: read.value,
    env: {},
    onLine: () => undefined,
  });
  if (!built.ok) return { ok: false, error: failureOf(built.error) };
  const { folder } = built.value;
  if (version === "v3") {
    const scene = await files.read(join(folder, TITLE), MAX_CHANGED_BYTES) ?? encodeUtf8("");
    await files.write(join(folder, TITLE), scene.slice(0, scene.length / 2));
  }
  return { ok: true, value: folder };
}
