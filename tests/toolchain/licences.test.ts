import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { androidLicenceHash, licenceText } from "../../lib/toolchain/download/licence-texts.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { ANDROID_LICENCE } from "../../lib/toolchain/tools/android-packages.ts";
import { PINS } from "../../lib/toolchain/tools/tools.ts";
import {
  offerStandIn,
  plainHost,
  put,
  startVendor,
  toolchainFolder,
  toolchainFor,
} from "./install-world.ts";
import { folder, posix, runtime } from "./real-machine.ts";

const vendor = await startVendor();
afterTests(() => vendor.close());

const INDEX = "/android/repository/repository2-3.xml";
const MIRRORS = { "https://dl.google.com/": `${vendor.origin}/` };
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

/** Blanks after blanks, single and double line ends, and what XML must escape. */
const TERMS = "\n Terms\n  of  &quot;use&quot;\t &amp;c.\n\nAll &lt;rights&gt; \n kept &#169;\n\n";
const NORMAL = 'Terms of "use"\t&c.\n\nAll <rights> kept ©';

function offerIndex(terms: string): void {
  const xml = `<sdk:sdk-repository><license id="other" type="text">no</license>` +
    `<license id="android-sdk-license" type="text">${terms}</license></sdk:sdk-repository>`;
  vendor.bodies.set(INDEX, new TextEncoder().encode(xml));
}

function context() {
  const host = plainHost(folder());
  const nobody = () => Promise.reject(new TypeError("no tool is run"));
  return {
    ...runtime,
    host,
    folder: toolchainFolder(join(host.userData, "toolchain")),
    mirrors: MIRRORS,
    mirrorsSetBy: "the test",
    signal: new AbortController().signal,
    progress: { log: () => undefined, progress: () => undefined },
    tool: nobody,
  };
}

test("androidLicenceHash() is the hash that the vendor's own tools compute", () => {
  for (
    const [text, normal] of [
      ["Terms\n  of\tuse", "Terms of\tuse"],
      ["a  \t b\n\n  c\nd\n\n\ne", "a b\n\nc d\n\n\ne"],
      ["  a\n", "a"],
    ] as const
  ) assert.equal(androidLicenceHash(text, runtime.hashing), sha1(normal), JSON.stringify(text));
});

test("licenceText() of the Android SDK is shown only when it is the text whose hash is known", async () => {
  const licence = { ...ANDROID_LICENCE, hash: sha1(NORMAL) };
  offerIndex(TERMS);
  const shown = await licenceText(licence, context());
  assert.ok("text" in shown, JSON.stringify(shown));
  assert.equal(shown.text, 'Terms\n  of  "use"\t &c.\n\nAll <rights> \n kept ©');

  const other = await licenceText(ANDROID_LICENCE, context());
  assert.match("problem" in other ? other.problem : "", new RegExp(`its hash is ${sha1(NORMAL)}`));
  assert.equal("text" in other, false);

  vendor.bodies.set(INDEX, new TextEncoder().encode("<sdk:sdk-repository/>"));
  const none = await licenceText(licence, context());
  assert.match("problem" in none ? none.problem : "", /has no android-sdk-license/);

  vendor.bodies.delete(INDEX);
  const gone = await licenceText(licence, context());
  assert.match("problem" in gone ? gone.problem : "", /answers 404/);

  const away = await licenceText(licence, {
    ...context(),
    mirrors: { "https://dl.google.com/": "http://127.0.0.1:9/" },
  });
  assert.match("problem" in away ? away.problem : "", /127\.0\.0\.1:9.* cannot be read/);
});

test("licences() names id, hash and address of each, whole or not, asked for its text or not", async () => {
  offerIndex(TERMS);
  const toolchain = toolchainFor(await offerStandIn(vendor, "android-sdk"), {
    host: plainHost(folder(), { SVC_TOOLCHAIN_MIRRORS: JSON.stringify(MIRRORS) }),
  });
  const asked = vendor.asked.length;
  const [licence] = (await toolchain.licences("android-sdk")).licences;
  assert.equal(vendor.asked.length, asked);
  assert.deepEqual([licence?.id, licence?.hash, licence?.whole, licence?.problem], [
    "android-sdk-license",
    "24333f8a63b6825ea9c5514f83c2829b004d1fee",
    false,
    undefined,
  ]);
  assert.match(licence?.url ?? "", /^https:\/\//);
  const [fetched] = (await toolchain.licences("android-sdk", { fetchText: true })).licences;
  assert.deepEqual([fetched?.hash, fetched?.whole, fetched?.text], [
    licence?.hash,
    false,
    licence?.text,
  ]);
  assert.match(fetched?.problem ?? "", /another Android .* than the one that installing accepts/);
  assert.deepEqual((await toolchain.licences("xcodebuild")).licences, []);
});

test("licences() has those of what comes along", async () => {
  const ids = async (
    env: Readonly<Record<string, string>>,
    ...asked: Parameters<Toolchain["licences"]>
  ) => {
    const toolchain = toolchainFor(PINS, { host: plainHost(folder(), env) });
    return (await toolchain.licences(...asked)).licences.map(({ id }) => id);
  };
  assert.deepEqual(await ids({}, "gltfpack"), ["gltf-transform", "gltfpack"]);
  assert.deepEqual(await ids({ SVC_PACKAGED: "1" }, "gltfpack"), [
    "node",
    "gltf-transform",
    "gltfpack",
  ]);
  assert.deepEqual(await ids({}, "android-sdk"), ["android-sdk-license"]);
  assert.deepEqual(await ids({}, "android-sdk", { android: "sdkmanager" }), [
    "jdk",
    "android-sdk-license",
  ]);
});

test(
  "status() shows what installing accepts, and then who accepted it and when",
  posix,
  async () => {
    const toolchain = toolchainFor(await offerStandIn(vendor, "node"), {
      host: { ...plainHost(folder(), { USER: "somebody else" }), user: "ada" },
    });
    const ofNode = async () => (await toolchain.status()).tools.find(({ id }) => id === "npm");
    const before = (await ofNode())?.licences?.[0];
    assert.deepEqual([before?.id, before?.hash, before?.accepted], ["node", "spdx:MIT", undefined]);
    assert.ok((before?.text.length ?? 0) > 10 && before?.whole === false);

    assert.ok((await toolchain.install("npm")).ok);
    const accepted = (await ofNode())?.licences?.[0]?.accepted;
    assert.deepEqual([accepted?.id, accepted?.hash, accepted?.url, accepted?.by], [
      "node",
      "spdx:MIT",
      before?.url,
      "ada",
    ]);
    assert.ok(Number.isFinite(Date.parse(accepted?.at ?? "")));
    const file = readFileSync(join(toolchain.directory, "licences.json"), "utf8");
    assert.deepEqual(JSON.parse(file), { schema: 1, accepted: [accepted] });
    const one = await toolchain.describe(await toolchain.detect("npm"));
    assert.deepEqual(one.licences?.[0]?.accepted, accepted);
  },
);

test("licences() reads the text of an installed tool from its folder", posix, async () => {
  const toolchain = toolchainFor(await offerStandIn(vendor, "node"));
  const of = async () => (await toolchain.licences("npm", { fetchText: true })).licences[0];
  assert.match((await of())?.problem ?? "", /is not installed/);
  assert.ok((await toolchain.install("npm")).ok);
  put(join(toolchain.directory, "node/22.23.1/LICENSE"), "Permission is granted\n");
  const complete = await of();
  assert.deepEqual([complete?.whole, complete?.text, complete?.problem], [
    true,
    "Permission is granted",
    undefined,
  ]);
});
