import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Artifact, PinCheck, Pins } from "../../lib/toolchain/mod.ts";
import {
  closedPort,
  NO_PINS,
  pinsOf,
  plainHost,
  startVendor,
  toolchainFor,
} from "./install-world.ts";
import { folder, posix, runtime, script } from "./real-machine.ts";

// A server that plays all the vendors: nodejs.org, Adoptium on GitHub, Google, Maven Central and a
// registry of npm.

const vendor = await startVendor();
afterTests(() => vendor.close());

const hex = (digit: string, length = 64) => digit.repeat(length);
const sri = (letter: string) => `sha512-${letter.repeat(86)}==`;

function offer(path: string, body: string | Uint8Array): void {
  vendor.bodies.set(path, typeof body === "string" ? new TextEncoder().encode(body) : body);
}

function pin(url: string, known: Partial<Artifact>): Artifact {
  const file = url.slice(url.lastIndexOf("/") + 1);
  return { name: file, url, file, confirmed: true, ...known };
}

/** With real time: a vendor that is slow on a machine with much to do has not failed to answer. */
function toolchainAt(
  pins: Pins,
  { env = {}, clock = runtime.clock }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly clock?: Clock;
  } = {},
) {
  const userData = folder();
  const host = plainHost(userData, {
    SVC_TOOLCHAIN_MIRRORS: JSON.stringify({
      "https://nodejs.org/": `${vendor.origin}/node/`,
      "https://github.com/": `${vendor.origin}/github/`,
      "https://dl.google.com/": `${vendor.origin}/google/`,
      "https://maven-central.storage-download.googleapis.com/": `${vendor.origin}/maven/`,
      "https://away.example/": "http://127.0.0.1:9/",
    }),
    ...env,
  });
  script(
    `${userData}/bin/npm`,
    `if [ "$1 $2 $3" = "config get registry" ]; then echo "${vendor.origin}/registry"; else echo 10.0.0; fi`,
  );
  return toolchainFor(pins, { host, clock });
}

async function checked(pins: Pins): Promise<readonly PinCheck[]> {
  const result = await toolchainAt(pins).verifyPins();
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

const NODE = "https://nodejs.org/dist/v1";
const JDK = "https://github.com/adoptium/temurin21-binaries/releases/download/jdk-21%2B1";
const GOOGLE = "https://dl.google.com/android/repository";
const MAVEN = "https://maven-central.storage-download.googleapis.com/maven2/org/bytedeco/ffmpeg/8";

test("verifyPins() asks each vendor in its own way: same, different, missing", async () => {
  offer("/node/dist/v1/SHASUMS256.txt", `${hex("a")}  a.tar.gz\n${hex("b")}  b.zip\r\n`);
  offer("/node/dist/v1/a.tar.gz", new Uint8Array(4));
  offer("/node/dist/v1/b.zip", new Uint8Array(4));
  offer("/node/dist/v1/c.zip", new Uint8Array(4));
  offer(`/github/${JDK.slice(19)}/jdk.zip.sha256.txt`, `${hex("d")}  jdk.zip\n`);
  offer(`/github/${JDK.slice(19)}/jdk.zip`, new Uint8Array(6));
  const complete = (file: string, sum: string) =>
    `<complete>\n <size>1</size>\n <checksum type="sha1">${sum}</checksum>\n <url>${file}</url></complete>`;
  offer(
    "/google/android/repository/repository2-3.xml",
    complete("one.zip", hex("1", 40)) + complete("two.zip", hex("2", 40)),
  );
  offer("/google/android/repository/one.zip", new Uint8Array(2));
  offer("/google/android/repository/two.zip", new Uint8Array(2));
  for (const [file, sum] of [["a", "5"], ["b", "6"]] as const) {
    offer(`/maven/maven2/org/bytedeco/ffmpeg/8/${file}.jar`, new Uint8Array(3));
    offer(`/maven/maven2/org/bytedeco/ffmpeg/8/${file}.jar.sha1`, `${hex(sum, 40)}\n`);
  }

  const checks = await checked(pinsOf("node", [
    pin(`${NODE}/a.tar.gz`, { sha256: hex("a"), bytes: 4 }),
    pin(`${NODE}/b.zip`, { sha256: hex("c"), bytes: 5 }),
    pin(`${NODE}/c.zip`, { sha256: hex("c"), roughBytes: 4, confirmed: false }),
    pin(`${JDK}/jdk.zip`, { sha256: hex("d"), bytes: 6 }),
    pin(`${JDK}/none.zip`, { sha256: hex("d"), bytes: 6 }),
    pin(`${GOOGLE}/one.zip`, { sha1: hex("1", 40), bytes: 2 }),
    // Its vendor says nothing of SHA-256: only the SHA-1 is compared.
    pin(`${GOOGLE}/two.zip`, { sha1: hex("3", 40), sha256: hex("e"), bytes: 2 }),
    pin(`${GOOGLE}/gone.zip`, { sha1: hex("3", 40), bytes: 2 }),
    pin(`${MAVEN}/a.jar`, { sha256: hex("e"), sha1: hex("5", 40), bytes: 3 }),
    pin(`${MAVEN}/b.jar`, { sha256: hex("e"), sha1: hex("5", 40), bytes: 3 }),
    pin("https://away.example/x.zip", { sha256: hex("f"), bytes: 2 }),
    pin("https://nodejs.org/other/y.zip", { sha256: hex("f"), bytes: 2 }),
  ]));
  assert.deepEqual(checks.map(({ name, hash, size, confirmed }) => [name, hash, size, confirmed]), [
    ["a.tar.gz", "same", "same", true],
    ["b.zip", "different", "different", true],
    ["c.zip", "missing", "untold", false],
    ["jdk.zip", "same", "same", true],
    ["none.zip", "missing", "missing", true],
    ["one.zip", "same", "same", true],
    ["two.zip", "different", "same", true],
    ["gone.zip", "missing", "missing", true],
    ["a.jar", "same", "same", true],
    ["b.jar", "different", "same", true],
    ["x.zip", "untold", "unreachable", true],
    ["y.zip", "missing", "missing", true],
  ]);
  const of = (name: string) => checks.find((check) => check.name === name)?.detail ?? "";
  assert.match(of("b.zip"), new RegExp(`SHASUMS256\\.txt says ${hex("b")}`));
  assert.match(of("c.zip"), /does not name c\.zip/);
  assert.match(of("gone.zip"), /names no gone\.zip any more/);
  const lists = vendor.asked.filter((path) => path.endsWith("SHASUMS256.txt"));
  assert.deepEqual(lists.sort(), ["/node/dist/v1/SHASUMS256.txt", "/node/other/SHASUMS256.txt"]);
});

test("verifyPins() asks the user's own registry for the packages of npm", posix, async () => {
  const dist = (value: unknown) => JSON.stringify({ dist: value });
  offer("/registry/@f%2fone/1.0.0", dist({ shasum: hex("4", 40), integrity: sri("a") }));
  offer("/registry/good/1.0.0", dist({ integrity: sri("b"), shasum: hex("0", 40) }));
  offer("/registry/bad/1.0.0", dist({ integrity: sri("x") }));
  offer("/registry/page/1.0.0", "<html>log in</html>");
  const lock = JSON.stringify({
    packages: {
      "": { name: "npm-tools" },
      "node_modules/good": { version: "1.0.0", integrity: sri("b") },
      "node_modules/@f/one": { version: "1.0.0", integrity: sri("a") },
      "node_modules/bad": { version: "1.0.0", integrity: sri("c") },
      "node_modules/other": { name: "page", version: "1.0.0", integrity: sri("d") },
      "node_modules/gone": { version: "1.0.0", integrity: sri("e") },
    },
  });
  const checks = await checked({
    ...NO_PINS,
    "npm-tools": { "linux-x64": { artifacts: [], lock, unpackedBytes: 1 } },
  });
  assert.deepEqual(checks.map(({ url, hash, confirmed }) => [url, hash, confirmed]), [
    ["npm:good@1.0.0", "same", false],
    ["npm:@f/one@1.0.0", "same", false],
    ["npm:bad@1.0.0", "different", false],
    ["npm:page@1.0.0", "untold", false],
    ["npm:gone@1.0.0", "missing", false],
  ]);
});

test("verifyPins() tells why a vendor cannot be reached, as a download does", async () => {
  const mirrors = { "https://nodejs.org/": `http://127.0.0.1:${await closedPort()}/` };
  const toolchain = toolchainAt(
    pinsOf("node", [pin(`${NODE}/a.tar.gz`, { sha256: hex("a"), bytes: 4 })]),
    { env: { SVC_TOOLCHAIN_MIRRORS: JSON.stringify(mirrors) } },
  );
  const result = await toolchain.verifyPins();
  const [check] = result.ok ? result.value : [];
  assert.equal(check?.hash, "unreachable");
  assert.match(check?.detail ?? "", /cannot be read: .*refused/i);
});

test("verifyPins() gives up on a server that never answers", async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  t.after(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const toolchain = toolchainAt(
    pinsOf("node", [pin(`${NODE}/a.tar.gz`, { sha256: hex("a"), bytes: 4 })]),
    {
      env: {
        SVC_TOOLCHAIN_MIRRORS: JSON.stringify({
          "https://nodejs.org/": `http://127.0.0.1:${port}/`,
        }),
      },
      clock: { ...runtime.clock, sleep: () => Promise.resolve() },
    },
  );
  const result = await toolchain.verifyPins();
  silent.closeAllConnections();
  const [check] = result.ok ? result.value : [];
  assert.deepEqual([check?.hash, check?.size], ["unreachable", "unreachable"]);
  assert.match(check?.detail ?? "", /no answer within 60 s/);
  assert.equal((await toolchainAt(NO_PINS).verifyPins()).ok, false);
});
