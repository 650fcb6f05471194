import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromBase64Url, toBase64Url } from "../../lib/core/base64url.ts";
import type { ConnectionInfo } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import { bundleZipPath, contentPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { openSeenSequence } from "../../lib/ota-publish/seen.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { bodyOf, PORTAL, textAnswer } from "../support/hostile-server.ts";
import { buildZip, type HostileEntry } from "../support/hostile-zips.ts";
import { type AttackWorld, openAttackWorld, V1 } from "./attack-world.ts";

// Who can write to the bucket, or stands between it and the phone, must not get one byte into the
// game. Each attack goes through the client's check and the reference device over real HTTP.

const V2 = { "index.html": "<h1>two</h1>", "game.js": "play(1)", "new.js": "fresh()" };
const MANIFEST = manifestPath("shell", "v2");
const ZIP = bundleZipPath("shell", "v2");

interface Attack {
  readonly name: string;
  /** What the attacker does after v2 was honestly published at sequence 6. */
  readonly act: (world: AttackWorld) => Promise<unknown> | void;
  readonly result: CheckResult["result"];
  readonly detail: string | RegExp;
  /** The floor afterwards: 6 where the signed record itself was in order. Default 5. */
  readonly floor?: number;
  readonly connection?: Partial<ConnectionInfo>;
  /** Whether the phone has no base, so that the zip is fetched. */
  readonly fromZip?: boolean;
}

const SIGNATURE: Pick<Attack, "result" | "detail"> = {
  result: "signature-invalid",
  detail: "bad-signature",
};

/** Changes the record's text without signing it again. */
function rewrite(world: AttackWorld, change: (text: string) => string): void {
  const text = Buffer.from(bodyOf(world.served.get("release.json") ?? {})).toString();
  world.served.set("release.json", textAnswer(change(text)));
}

function signature(world: AttackWorld): Uint8Array {
  const text = Buffer.from(bodyOf(world.served.get("release.json") ?? {})).toString();
  return fromBase64Url(JSON.parse(text).sig) ?? new Uint8Array();
}

function withSignature(sig: string) {
  return (world: AttackWorld) =>
    rewrite(world, (text) => JSON.stringify({ ...JSON.parse(text), sig }));
}

const records: readonly Attack[] = [
  {
    name: "a manifest swapped under a valid signature",
    act: ({ served }) =>
      void served.set(MANIFEST, {
        ...served.get(manifestPath("shell", "v1")),
      }),
    result: "manifest-invalid",
    detail: /^(hash-mismatch|too-large): /,
    floor: 6,
  },
  {
    name: "a manifest of the same length with one hash swapped",
    act: ({ served }) => {
      const text = Buffer.from(bodyOf(served.get(MANIFEST) ?? {})).toString();
      served.set(MANIFEST, textAnswer(text.replace(/"hash":"../, '"hash":"00')));
    },
    result: "manifest-invalid",
    detail: "hash-mismatch",
    floor: 6,
  },
  {
    name: "a replayed release",
    act: (w) => w.release({ sequence: 4 }),
    result: "signature-invalid",
    detail: "replayed",
  },
  {
    name: "another app's release",
    act: (w) => w.release({ app: "other-game" }),
    result: "signature-invalid",
    detail: "wrong-app",
  },
  {
    name: "another channel's release",
    act: (w) => w.release({ channel: "beta" }),
    result: "signature-invalid",
    detail: "wrong-channel",
  },
  {
    name: "a sequence jump",
    act: (w) => w.release({ sequence: 1_000_006 }),
    result: "signature-invalid",
    detail: "sequence-jump",
  },
  {
    name: "the largest sequence there is",
    act: (w) => w.release({ sequence: 2 ** 53 - 1 }),
    result: "signature-invalid",
    detail: "sequence-jump",
  },
  {
    name: "a release without sequence",
    act: (w) => w.release({ sequence: null }),
    result: "signature-invalid",
    detail: "no-sequence",
  },
  {
    name: "a release without manifests",
    act: (w) => w.release({ manifests: null }),
    result: "signature-invalid",
    detail: "no-manifests",
  },
  {
    name: "a stripped signature",
    act: (w) =>
      rewrite(w, (text) => {
        const { sig: _sig, ...record } = JSON.parse(text);
        return JSON.stringify(record);
      }),
    ...SIGNATURE,
  },
  { name: "an empty signature", act: withSignature(""), ...SIGNATURE },
  {
    name: "a signature over other bytes",
    act: (w) => rewrite(w, (text) => text.replace('"mandatory":false', '"mandatory":true')),
    ...SIGNATURE,
  },
  {
    name: "a member that the signature does not cover",
    act: (w) => rewrite(w, (text) => text.replace("{", '{"note":"hello",')),
    ...SIGNATURE,
  },
  {
    name: "a duplicate key after the signed one",
    act: (w) => rewrite(w, (text) => text.replace(/}$/, ',"mandatory":true}')),
    result: "no-release-for-bundle",
    detail: "not-json",
  },
  {
    name: "a __proto__ member",
    act: (w) => rewrite(w, (text) => text.replace("{", '{"__proto__":{"mandatory":true},')),
    result: "no-release-for-bundle",
    detail: "not-json",
  },
  {
    name: "a release signed by another key",
    act: async (w) => w.release({}, await generateKeyPair()),
    ...SIGNATURE,
  },
  {
    name: "a signature with its S increased by the group order",
    act: (w) => withSignature(toBase64Url(malleable(signature(w))))(w),
    ...SIGNATURE,
  },
  {
    name: "a signature with one byte more",
    act: (w) => withSignature(toBase64Url(Uint8Array.from([...signature(w), 0])))(w),
    ...SIGNATURE,
  },
  {
    name: "a signature spelled with padding",
    act: (w) => withSignature(`${toBase64Url(signature(w))}==`)(w),
    ...SIGNATURE,
  },
];

/** The same signature for a verifier that does not bound S. */
function malleable(sig: Uint8Array): Uint8Array {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const bytes = Uint8Array.from(sig);
  let s = 0n;
  for (let i = 63; i >= 32; i--) s = s << 8n | BigInt(bytes[i] ?? 0);
  s += order;
  for (let i = 32; i < 64; i++, s >>= 8n) bytes[i] = Number(s & 255n);
  return bytes;
}

// What a publisher with the key, or a broken one, could sign: the phone's own rules must hold.
const contents: readonly Attack[] = [
  {
    name: "a manifest for another name",
    act: (w) => republish(w, V2, { manifest: { name: "game" } }),
    result: "manifest-invalid",
    detail: "wrong-bundle",
    floor: 6,
  },
  {
    name: "a manifest for another version",
    act: (w) => republish(w, V2, { manifest: { version: "v3" } }),
    result: "manifest-invalid",
    detail: "wrong-bundle",
    floor: 6,
  },
  {
    name: "a file that is also a folder",
    act: (w) => republish(w, { ...V2, a: "file", "a/b": "below it" }),
    result: "manifest-invalid",
    detail: "path",
    floor: 6,
  },
  {
    name: "paths that are one where case is ignored",
    act: (w) => republish(w, { ...V2, "Readme.txt": "a", "README.TXT": "b" }),
    result: "manifest-invalid",
    detail: "path",
    floor: 6,
  },
  {
    name: "paths that are one after normalization",
    act: (w) => republish(w, { ...V2, "caf\u00e9.js": "a", "cafe\u0301.js": "b" }),
    result: "manifest-invalid",
    detail: "path",
    floor: 6,
  },
  ...[
    "../evil.js",
    "a/../../evil.js",
    "/etc/evil.js",
    "..\\evil.js",
    "C:/evil.js",
    "C:evil.js",
    "a//evil.js",
    "./evil.js",
    "a/.",
    "a/..",
    "evil\0.js",
    "evil\u0085.js",
    "",
  ].map((path): Attack => ({
    name: `a manifest with the path ${JSON.stringify(path)}`,
    act: (w) => republish(w, { ...V2, [path]: "evil" }),
    result: "manifest-invalid",
    detail: "path",
    floor: 6,
  })),
  {
    name: "a file said to be larger than any may be",
    act: (w) =>
      republish(w, V2, {
        manifest: { files: { "index.html": { hash: "0".repeat(64), size: 2 ** 30 } } },
      }),
    result: "manifest-invalid",
    detail: "over-limit",
    floor: 6,
  },
  ...[
    "../evil.js",
    "../../phone/state.json",
    "/evil.js",
    "..\\evil.js",
    "C:\\evil.js",
    "a/../evil.js",
    "./index.html",
    "evil\0.js",
    "index.html/",
    "extra.js",
    "INDEX.HTML",
  ].map((path): Attack => ({
    name: `a zip with the entry ${JSON.stringify(path)}`,
    act: (w) => republish(w, V2, { zip: zipOf([...entriesOf(V2), { name: path, body: "evil" }]) }),
    result: "stage-failed",
    detail: "archive",
    floor: 6,
    fromZip: true,
  })),
  {
    name: "a zip with an entry twice",
    act: (w) =>
      republish(w, V2, {
        zip: zipOf([...entriesOf(V2), { name: "index.html", body: "<h1>evil</h1>" }]),
      }),
    result: "stage-failed",
    detail: "archive",
    floor: 6,
    fromZip: true,
  },
  {
    name: "a zip that lacks a file",
    act: (w) => republish(w, V2, { zip: zipOf(entriesOf(V2).slice(1)) }),
    result: "stage-failed",
    detail: "archive",
    floor: 6,
    fromZip: true,
  },
  {
    name: "a zip with other content in a file",
    act: (w) =>
      republish(w, V2, {
        zip: zipOf(entriesOf({ ...V2, "index.html": "<h1>bad</h1>" })),
      }),
    result: "stage-failed",
    detail: "hash-mismatch",
    floor: 6,
    fromZip: true,
  },
  {
    name: "a zip bomb that admits its size",
    act: (w) =>
      republish(w, V2, {
        zip: zipOf(entriesOf({ ...V2, "index.html": "0".repeat(8_000_000) })),
      }),
    result: "stage-failed",
    detail: "size-mismatch",
    floor: 6,
    fromZip: true,
  },
  {
    name: "a zip bomb that hides its size",
    act: (w) =>
      republish(w, V2, {
        zip: zipOf(
          entriesOf({ ...V2, "index.html": "0".repeat(8_000_000) })
            .map((entry) => entry.name === "index.html" ? { ...entry, both: { size: 12 } } : entry),
        ),
      }),
    result: "stage-failed",
    detail: "archive",
    floor: 6,
    fromZip: true,
  },
  {
    name: "a zip with a symbolic link",
    act: (w) => {
      const files = { ...V2, link: "../../state.json" };
      const zip = zipOf(
        entriesOf(files).map((entry) =>
          entry.name === "link" ? { ...entry, attributes: 0o120777 * 2 ** 16 } : entry
        ),
      );
      return republish(w, files, { zip });
    },
    result: "stage-failed",
    detail: "archive",
    floor: 6,
    fromZip: true,
  },
];

function zipOf(entries: readonly HostileEntry[]): Uint8Array {
  return buildZip({ entries });
}

function entriesOf(files: Readonly<Record<string, string>>) {
  return Object.entries(files).map(([name, body]) => ({ name, body }));
}

async function republish(
  world: AttackWorld,
  ...[files, parts]: [Record<string, string>, Parameters<AttackWorld["version"]>[2]?]
): Promise<void> {
  world.version("v2", files, parts);
  await world.release();
}

// What a network does to a bucket that is in order.
const file = (world: AttackWorld) =>
  [...world.served.keys()].find((path) =>
    path.startsWith(contentPath("shell", "v2", "")) &&
    bodyOf(world.served.get(path) ?? {}).length === 12
  ) ?? "";
const ENDLESS = textAnswer("0".repeat(65_536), { ending: "endless" });

const objects: readonly {
  readonly what: string;
  readonly pathOf: (world: AttackWorld) => string;
  readonly result: CheckResult["result"];
  /** What an endless body is, and what a page of HTML. */
  readonly endless: string;
  readonly portal: string;
}[] = [
  {
    what: "release",
    pathOf: () => "release.json",
    result: "no-release-for-bundle",
    endless: "too-large",
    portal: "not-json",
  },
  {
    what: "manifest",
    pathOf: () => MANIFEST,
    result: "manifest-invalid",
    endless: "too-large",
    portal: "hash-mismatch",
  },
  {
    what: "file",
    pathOf: file,
    result: "stage-failed",
    endless: "size-mismatch",
    portal: "missing",
  },
  {
    what: "zip",
    pathOf: () => ZIP,
    result: "stage-failed",
    endless: "size-mismatch",
    portal: "missing",
  },
];

const transports: readonly Attack[] = [
  ...objects.flatMap(({ what, pathOf, result, endless, portal }): Attack[] => {
    const more = {
      result,
      ...(what !== "release" && { floor: 6 }),
      ...(what === "zip" && { asZip: true }),
    };
    return [
      {
        name: `an endless body as the ${what}`,
        act: (w) => void w.served.set(pathOf(w), ENDLESS),
        ...more,
        detail: endless,
      },
      {
        name: `a captive portal's page, with status 200, as the ${what}`,
        act: (w) => void w.served.set(pathOf(w), PORTAL),
        ...more,
        detail: portal,
      },
      {
        name: `an error as the ${what}`,
        act: (w) => void w.served.set(pathOf(w), { status: 404 }),
        ...more,
        detail: what === "release" || what === "manifest" ? "http-status" : "missing",
      },
    ];
  }),
  {
    name: "a file with one byte less",
    act: (w) => void w.served.set(file(w), textAnswer("<h1>two</h1")),
    result: "stage-failed",
    detail: "size-mismatch",
    floor: 6,
  },
  {
    name: "a file of the right size with other bytes",
    act: (w) => void w.served.set(file(w), textAnswer("<h1>bad</h1>")),
    result: "stage-failed",
    detail: "hash-mismatch",
    floor: 6,
  },
  {
    name: "a zip of the right size with other bytes",
    act: (w) => {
      const bytes = bodyOf(w.served.get(ZIP) ?? {});
      bytes[40] = (bytes[40] ?? 0) ^ 1;
      w.served.set(ZIP, textAnswer(bytes));
    },
    result: "stage-failed",
    detail: "hash-mismatch",
    floor: 6,
    fromZip: true,
  },
];

for (const attack of [...records, ...contents, ...transports]) {
  test(`attack: ${attack.name}: ${attack.result}`, () =>
    inWorld(async (world) => {
      // Without a zip, a file that cannot be had is the end; with one it would do instead (CHECK-7).
      const isFile = attack.name.includes("a file") || attack.name.includes("the file");
      world.version("v2", V2, isFile ? { manifest: { bundleZip: undefined } } : {});
      await world.release();
      await attack.act(world);
      await assertRefused(world, attack);
    }));
}

async function inWorld(work: (world: AttackWorld) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openAttackWorld(folder);
    try {
      await work(world);
    } finally {
      await world.close();
    }
  });
}

async function assertRefused(
  world: AttackWorld,
  { result, detail, floor = 5, connection, fromZip = false }: Attack,
): Promise<void> {
  const before = world.phone();
  const answer = await world.check({ connection: connection ?? {}, asZip: fromZip });
  assert.equal(answer.result, result, JSON.stringify(answer));
  const said = "detail" in answer ? answer.detail : "";
  const expected = typeof detail === "string" ? new RegExp(`^${detail}: `) : detail;
  assert.match(said, expected);
  assert.deepEqual(world.phone().files, before.files, "nothing is staged, and the state stands");
  assert.equal(world.phone().floor, floor);
  assert.equal(await world.launch(), V1["index.html"], "the running version still launches");
}

test("attack: a redirect from https to http: refused for the release and for the manifest", () =>
  inWorld(async (world) => {
    world.version("v2", V2);
    await world.release();
    for (
      const [path, result] of [
        ["release.json", "no-release-for-bundle"],
        [MANIFEST, "manifest-invalid"],
      ] as const
    ) {
      // A TLS end in front of the bucket, which sends one path on to plain HTTP.
      const fetch = async (url: string, init?: RequestInit) => {
        const below = url.slice("https://cdn.example/".length);
        const response = await globalThis.fetch(`${world.origin}/${below}`, init);
        const from = below === path ? `http://cdn.example/${below}` : url;
        return Object.defineProperty(response, "url", { value: from });
      };
      const before = world.phone();
      const answer = await world.check({ fetch, connection: { baseUrl: "https://cdn.example" } });
      assert.equal(answer.result, result);
      assert.match("detail" in answer ? answer.detail : "", /^insecure-redirect: /);
      assert.deepEqual(world.phone().files, before.files);
    }
    assert.equal(await world.launch(), V1["index.html"]);
  }));

test("attack: none: the same v2, untouched, is staged and boots", () =>
  inWorld(async (world) => {
    world.version("v2", V2);
    await world.release();
    assert.equal((await world.check()).result, "staged");
    assert.equal(await world.launch(), V2["index.html"]);
  }));

test("attack: none, and no base: the zip of these tests is a good one", () =>
  inWorld(async (world) => {
    world.version("v2", V2);
    await world.release();
    assert.equal((await world.check({ asZip: true })).result, "staged");
    assert.equal(await world.launch(), V2["index.html"]);
  }));

test("attack: keys of small order, and keys and points in other spellings, under a forged signature", () =>
  inWorld(async (world) => {
    world.version("v2", V2);
    await world.release();
    const scenarios = JSON.parse(readFileSync("vectors/signature/weak-points.json", "utf8"));
    let tried = 0;
    for (const { id, cases } of scenarios) {
      for (const { input } of cases) {
        // For a careless verifier these keys have signed every message there is.
        withSignature(input.sig)(world);
        const answer = await world.check({ connection: { publicKey: input.publicKey } });
        assert.equal(answer.result, "signature-invalid", `${id}: ${input.publicKey}`);
        tried++;
      }
    }
    assert.equal(tried, 20);
    assert.equal(world.phone().floor, 5);
    assert.equal(await world.launch(), V1["index.html"]);
  }));

test("attack: an old valid release put back into the bucket: no publisher builds on it", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { identity } = world.bucket;
    const memory = await openSeenSequence(world.runtime, folder, {
      bucket: identity,
      target: DEFAULT_TARGET,
    });
    const release = join(folder, "bucket", "release.json");
    assert.equal((await world.publish("v1", V1, { memory })).ok, true);
    const old = readFileSync(release);
    assert.equal((await world.publish("v2", V2, { memory })).ok, true);
    const device = world.device();
    assert.equal((await world.check(device)).result, "staged");

    writeFileSync(release, old);
    const replayed = await world.check(device);
    assert.match("detail" in replayed ? replayed.detail : "", /^replayed: /);
    const refused = await world.publish("v3", { "index.html": "three" }, { memory });
    assert.equal(refused.ok ? "published" : refused.error.code, "rolled-back");
    assert.deepEqual(readFileSync(release), old, "nothing is signed over it");
  }));
