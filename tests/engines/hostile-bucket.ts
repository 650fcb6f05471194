import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../lib/core/json.ts";
import { manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import { generateKeyPair, signRecord } from "../../lib/ota-format/signing.ts";
import { type Answer, bodyOf, PORTAL, textAnswer } from "../support/hostile-server.ts";
import { manifestOf, refOf } from "../support/release-world.ts";

// One folder a case of client-cases.ts, each with a good release of v2, and one thing wrong with it.

/** What every engine is served. */
export interface HostileBucket {
  readonly publicKey: string;
  /** Answers by path, with the leading slash. */
  readonly answers: Readonly<Record<string, Answer>>;
}

const FILES = { "index.html": "two", "game.js": "same" };
const MANIFEST = manifestPath("shell", "v2");
const SPACES = textAnswer(" ".repeat(65_536), { ending: "endless" });

/** How one answer goes wrong on its way, for both records alike. */
const WRONG: Readonly<Record<string, (good: Answer) => Answer | undefined>> = {
  "404": () => undefined,
  "403": () => ({ status: 403 }),
  "500": (good) => ({ ...good, status: 500 }),
  "304": () => ({ status: 304 }),
  "html": () => PORTAL,
  "empty": () => ({}),
  "bom": (good) => textAnswer(Buffer.concat([Buffer.from("\ufeff"), bodyOf(good)])),
  "short": (good) => ({
    ...textAnswer(bodyOf(good).subarray(0, -10)),
    length: bodyOf(good).length,
    ending: "cut",
  }),
  "understated": (good) => ({ ...good, length: bodyOf(good).length - 10 }),
  "gzip-twice": (good) => ({
    ...textAnswer(gzipSync(gzipSync(bodyOf(good)))),
    headers: { "content-encoding": "gzip" },
  }),
  "gzip-cut": (good) => ({
    ...textAnswer(gzipSync(bodyOf(good)).subarray(0, -20)),
    headers: { "content-encoding": "gzip" },
  }),
  "endless": () => SPACES,
  "trickle": () => ({ ending: "trickle" }),
  "silent": () => ({ ending: "silent" }),
  "hang": (good) => ({
    ...textAnswer(bodyOf(good).subarray(0, -10)),
    length: bodyOf(good).length,
    ending: "hang",
  }),
  "reset": () => ({ ending: "reset" }),
  "no-cors": (good) => ({ ...good, cors: false }),
  "wrong-type": (good) => ({ ...good, headers: { "content-type": "image/png" } }),
  "gzip": (good) => ({
    ...textAnswer(gzipSync(bodyOf(good))),
    headers: { "content-encoding": "gzip", "content-type": "application/json" },
  }),
};

/** Builds all of it, signed with a key of its own. */
export async function buildHostileBucket(): Promise<HostileBucket> {
  const { publicKey, privateKey } = await generateKeyPair();
  const answers: Record<string, Answer> = {};

  async function put(
    folder: string,
    { record = {}, manifest = manifestOf("v2", FILES), served, edit = (text: string) => text }: {
      record?: JsonObject;
      manifest?: Manifest;
      /** The manifest's text on the bucket, when it is not the one that was signed for. */
      served?: string;
      /** Changes the signed release. */
      edit?: (text: string) => string;
    } = {},
  ): Promise<void> {
    const text = serializeManifest(manifest);
    const full: JsonObject = {
      schema: 1,
      app: "default",
      channel: "production",
      sequence: 7,
      bundles: { shell: "v2" },
      manifests: { shell: { ...refOf(text) } },
      mandatory: false,
      minEngineApi: 1,
      ...record,
    };
    const signed = JSON.stringify({ ...full, sig: await signRecord(full, privateKey) });
    answers[`/${folder}/release.json`] = textAnswer(edit(signed));
    answers[`/${folder}/${MANIFEST}`] = textAnswer(served ?? text);
  }

  await put("good");
  await put("mandatory", { record: { mandatory: true } });
  for (const [name, spoil] of Object.entries(WRONG)) {
    for (const [what, path] of [["release", "release.json"], ["manifest", MANIFEST]] as const) {
      const folder = `${what}-${name}`;
      await put(folder);
      const spoiled = spoil(answers[`/${folder}/${path}`] ?? {});
      if (spoiled) answers[`/${folder}/${path}`] = spoiled;
      else delete answers[`/${folder}/${path}`];
    }
  }
  answers["/release-redirect/release.json"] = {
    status: 302,
    headers: { location: "/good/release.json" },
  };
  answers[`/release-redirect/${MANIFEST}`] = answers[`/good/${MANIFEST}`] ?? {};
  answers["/release-redirect-loop/release.json"] = {
    status: 302,
    headers: { location: "/release-redirect-loop/release.json" },
  };

  await put("replayed", { record: { sequence: 3 } });
  await put("sequence-jump", { record: { sequence: 1_000_006 } });
  await put("wrong-app", { record: { app: "other" } });
  await put("wrong-channel", { record: { channel: "beta" } });
  await put("unknown-schema", { record: { schema: 2 } });
  await put("no-entry", { record: { bundles: { other: "v1" } } });
  await put("min-engine-api", { record: { minEngineApi: 9 } });
  await put("manifest-engine-api", { manifest: manifestOf("v2", FILES, { engineApi: 9 }) });
  await put("no-zip", { manifest: withoutZip() });
  await put("stripped", { edit: (text) => text.replace(/,"sig":"[^"]*"/, "") });
  await put("other-bytes", {
    edit: (text) => text.replace('"mandatory":false', '"mandatory":true'),
  });
  await put("duplicate-key", { edit: (text) => text.replace(/}$/, ',"mandatory":true}') });
  await put("swapped", {
    served: serializeManifest(manifestOf("v2", { "index.html": "2we", "game.js": "same" })),
  });
  await put("other-name", { manifest: { ...manifestOf("v2", FILES), name: "game" } });
  await put("other-version", { manifest: manifestOf("v3", FILES) });
  await put("climbing-path", { manifest: manifestOf("v2", { ...FILES, "../x": "y" }) });
  await put("large-manifest", { manifest: manifestOf("v2", manyFiles(2_000)) });
  return { publicKey, answers };
}

function withoutZip(): Manifest {
  const { bundleZip: _zip, ...manifest } = manifestOf("v2", FILES);
  return manifest;
}

function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`art/${i}.png`, `${i}`]));
}
