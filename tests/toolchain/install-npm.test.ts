import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { hostPaths } from "../../lib/programs/host-paths.ts";
import { createToolchain, type InstallFailureCode, type Pins } from "../../lib/toolchain/mod.ts";
import { npmFailure } from "../../lib/toolchain/recipes/npm-failure.ts";
import { countingFetched, npmFetches } from "../../lib/toolchain/recipes/npm-progress.ts";
import { NPM_TOOLS_LOCK } from "../../lib/toolchain/recipes/npm-tools-lock.ts";
import { archiveOf } from "../support/archives.ts";
import { findNpm, pathToNode } from "../support/needs.ts";
import { soaking } from "../support/rounds.ts";
import { listen } from "./download-world.ts";
import { closedPort, litterOf, NO_PINS, pinsOf } from "./install-world.ts";
import { folder, hostWith, posix, runtime } from "./real-machine.ts";

// The recipes that npm runs for, with the real npm, our own lock file and a registry of this machine
// that is at fault itself. What may be wrong with its archives is in install-faults.test.ts.

const withNpm = { skip: posix.skip || findNpm().skip };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const TARBALL = await archiveOf("tar.gz", [
  { name: "package/package.json", body: '{"name":"stand-in","version":"1.0.0"}' },
  { name: "package/lib/index.js", body: "" },
  {
    name: "package/cli.js",
    body: "#!/usr/bin/env node\nconsole.log('gltfpack 1.2.0');\n",
    mode: 0o755,
  },
  {
    name: "package/bin/cli.js",
    body: "#!/usr/bin/env node\nconsole.log('4.4.1');\n",
    mode: 0o755,
  },
]);
const integrity = `sha512-${createHash("sha512").update(TARBALL).digest("base64")}`;

/** The versions that our lock file names of each package. */
const locked = new Map<string, string[]>();
for (
  const [path, entry] of Object.entries<{ version: string; name?: string }>(
    JSON.parse(NPM_TOOLS_LOCK).packages,
  )
) {
  // One that is installed under another name tells its own.
  const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  locked.set(name, [...locked.get(name) ?? [], entry.version]);
}

let answer: Answer = serve;
let origin = "";
const server = createServer((request, response) => {
  response.on("error", () => undefined);
  answer(request, response);
});
origin = `http://127.0.0.1:${await listen(server)}`;
afterTests(() => {
  server.close();
  server.closeAllConnections();
});

/** A registry in which every package is our tarball. */
function serve({ url = "" }: IncomingMessage, response: ServerResponse): void {
  if (url.endsWith(".tgz")) return void response.end(TARBALL);
  const name = decodeURIComponent(url.slice(1));
  const versions = locked.get(name) ?? ["1.0.0"];
  const dist = { tarball: `${origin}/${name}/-/x.tgz`, integrity };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({
    name,
    "dist-tags": { latest: versions[0] },
    versions: Object.fromEntries(
      versions.map((version) => [version, { name, version, dist }] as const),
    ),
  }));
}

/** Faults of the tarballs only: what they are is known by then. */
const ofTarballs = (fault: Answer): Answer => (request, response) =>
  request.url?.endsWith(".tgz") ? fault(request, response) : serve(request, response);

interface Row {
  readonly name: string;
  readonly code: InstallFailureCode;
  readonly answer?: Answer;
  readonly registry?: string;
}

const ROWS: readonly Row[] = [
  {
    name: "404",
    code: "http-status",
    answer: (_, r) => void r.writeHead(404).end("{}"),
  },
  { name: "503", code: "http-status", answer: (_, r) => void r.writeHead(503).end() },
  { name: "that hangs", code: "stalled", answer: () => undefined },
  {
    name: "whose archives are other ones",
    code: "hash",
    answer: ofTarballs((_, r) => void r.end(TARBALL.map((b, i) => i === 30 ? b ^ 1 : b))),
  },
  {
    name: "that answers with a login page",
    code: "process",
    answer: (_, r) => void r.writeHead(200, { "content-type": "text/html" }).end("<html>Log in"),
  },
  {
    name: "that is not there",
    code: "connect",
    registry: `http://127.0.0.1:${await closedPort()}`,
  },
  { name: "whose name nobody has", code: "dns", registry: "http://no-such-host.invalid" },
];

function toolchainAt(registry: string, pins: Pins, timeoutMs = 30_000) {
  const userData = folder();
  const env = {
    PATH: pathToNode(),
    HOME: userData,
    npm_config_registry: registry,
    npm_config_fetch_retries: "0",
    npm_config_fetch_timeout: String(timeoutMs),
    npm_config_maxsockets: "400",
  };
  const host = { ...hostWith(env, userData), platform: "linux", arch: "x64" } as const;
  return createToolchain({ ...runtime, host, pins });
}

/** A lock file of three packages, and ours. */
const PINS = {
  small: {
    ...NO_PINS,
    "npm-tools": { "linux-x64": { artifacts: [], unpackedBytes: 1_000_000, lock: smallLock() } },
  },
  whole: pinsOf("npm-tools", []),
} as const;

function smallLock(): string {
  const about = { name: "npm-tools", version: "1.0.0" };
  const dependencies = { "@gltf-transform/cli": "4.4.1", gltfpack: "1.2.0", sharp: "0.34.5" };
  const bins: Readonly<Record<string, readonly [string, string]>> = {
    "@gltf-transform/cli": ["gltf-transform", "bin/cli.js"],
    gltfpack: ["gltfpack", "cli.js"],
  };
  const packages = Object.entries(dependencies).map(([name, version]) => {
    const [bin, path] = bins[name] ?? [];
    const programs = bin === undefined ? {} : { bin: { [bin]: path } };
    return [`node_modules/${name}`, { version, integrity, ...programs }] as const;
  });
  return JSON.stringify({
    ...about,
    lockfileVersion: 3,
    requires: true,
    packages: { "": { ...about, dependencies }, ...Object.fromEntries(packages) },
  });
}

for (const size of ["small", "whole"] as const) {
  for (const { name, code, answer: fault, registry } of ROWS) {
    if (size === "whole" && !soaking) continue;
    test(
      `install() of a ${size} npm lock from a registry ${name}: ${code}, nothing found`,
      withNpm,
      async () => {
        answer = fault ?? serve;
        const toolchain = toolchainAt(
          registry ?? origin,
          PINS[size],
          code === "stalled" ? 700 : 30_000,
        );
        const lines: string[] = [];
        const result = await toolchain.install("gltfpack", { onLog: (line) => lines.push(line) });
        const reported = result.ok ? "ok" : `${result.error.message} ${lines.join("\n")}`;
        assert.equal(result.ok ? "ok" : result.error.code, code, reported);
        const detection = await toolchain.detect("gltfpack");
        assert.notEqual(detection.present && detection.source, "own");
        assert.deepEqual(litterOf(toolchain.directory), []);
      },
    );
  }
}

// INST-4
test("install() of gltfpack from a registry that works again finds it", withNpm, async () => {
  answer = (_, response) => void response.writeHead(503).end();
  const toolchain = toolchainAt(origin, PINS.small);
  assert.equal((await toolchain.install("gltfpack")).ok, false);
  answer = serve;
  const steps: string[] = [];
  const installed = await toolchain.install("gltfpack", {
    onProgress: ({ phase, label, done, total, unit }) =>
      steps.push(`${phase} ${label} ${done}/${total} ${unit}`),
  });
  assert.ok(installed.ok, JSON.stringify(installed));
  assert.equal(installed.value.tool.version, "1.2.0");
  // All packages of the lock file are one archive, which no longer has to be fetched at the end.
  assert.equal(steps[0], "download with npm 0/1 packages");
  assert.ok(steps.includes("test gltfpack 2/2 programs"), steps.join("\n"));
  assert.match(steps.at(-1) ?? "", /^record .* (\d+)\/\1 files$/);
  assert.deepEqual(readdirSync(join(toolchain.directory, "downloads/npm")), [], "no use any more");
  assert.deepEqual(litterOf(toolchain.directory), []);
});

// What a person may have set for the packages of other projects, or for another disk.
const SETTINGS = `bin-links=false
location=global
global=true
dry-run=true
workspaces=true
omit=optional
package-lock-only=true
usage=true
allow-file=none
os=win32
cpu=arm64
libc=musl
`;

test("install() is what it is whatever the settings of npm say (INST-4)", withNpm, async () => {
  answer = serve;
  const toolchain = toolchainAt(origin, PINS.small);
  writeFileSync(join(toolchain.directory, "../.npmrc"), SETTINGS);
  const installed = await toolchain.install("gltfpack");
  assert.ok(installed.ok, JSON.stringify(installed));
  assert.equal(installed.value.tool.source, "own");
});

test(
  "detect() misses the packages that glTF Transform loads only for pictures",
  withNpm,
  async () => {
    answer = serve;
    const toolchain = toolchainAt(origin, PINS.small);
    assert.ok((await toolchain.install("gltf-transform-cli")).ok);
    const sharp = join(toolchain.directory, "npm-tools/node_modules/sharp");
    for (const gone of [join(sharp, "lib/index.js"), sharp]) {
      rmSync(gone, { recursive: true });
      const found = await toolchain.detect("gltf-transform-cli");
      assert.match(
        found.present ? "" : found.reason,
        /damaged: npm-tools\/node_modules\/sharp\/.* is missing; '.* toolchain repair gltf-transform-cli'/,
      );
      assert.ok((await toolchain.repair("gltf-transform-cli")).ok);
      assert.ok((await toolchain.detect("gltf-transform-cli")).present);
    }
  },
);

test("install() names the setting of npm that cannot be set back", withNpm, async () => {
  answer = serve;
  const toolchain = toolchainAt(origin, PINS.small);
  writeFileSync(join(toolchain.directory, "../.npmrc"), "workspace=games\n");
  const installed = await toolchain.install("gltfpack");
  assert.match(JSON.stringify(installed), /npm config delete workspace/);
});

for (
  const [said, code, next] of [
    ["npm error code ENOTFOUND", "dns", /HTTPS_PROXY/],
    ["npm ERR! code EAI_AGAIN", "dns", /npm config get registry/],
    ["npm error code ENETUNREACH", "connect", /firewall/],
    ["npm error code E407", "proxy", /https-proxy/],
    ["npm error code EINVALIDPROXY", "proxy", /http:\/\/user:password@host:port/],
    ["npm error code ERR_TLS_CERT_ALTNAME_INVALID", "tls", /NODE_EXTRA_CA_CERTS/],
    ["npm error code UNABLE_TO_GET_ISSUER_CERT", "tls", /NODE_EXTRA_CA_CERTS/],
    ["npm error code CERT_NOT_YET_VALID", "tls", /clock of this machine/],
    ["npm error code E404", "http-status", /mirror npm's public one/],
    ["npm error code ETARGET", "http-status", /mirror npm's public one/],
    ["npm error code E401", "http-status", /npm login/],
    ["npm error code E500", "http-status", /later/],
    ["npm error code EINTEGRITY", "hash", /Never use those bytes/],
    ["npm error code EACCES", "not-writable", /writable/],
    ["npm error code EDQUOT", "disk-full", /Free space/],
    ["npm error code toString", "process", /Read the lines above/],
    ["npm error network timeout at: http://x", "stalled", /npm config set registry/],
    ["", "process", /Read the lines above/],
  ] as const
) {
  test(`npmFailure() of ${JSON.stringify(said)} is ${code}, with a next step`, () => {
    const failure = npmFailure(["npm error something", said]);
    assert.equal(failure.code, code);
    assert.match(failure.next, next);
  });
}

test("a registry's password is in no line and in no failure", withNpm, async () => {
  answer = (_, response) => void response.writeHead(404).end("{}");
  const toolchain = toolchainAt(origin.replace("//", "//me:geheim@"), PINS.small);
  const lines: string[] = [];
  const result = await toolchain.install("gltfpack", { onLog: (line) => lines.push(line) });
  assert.equal(result.ok, false);
  assert.ok(lines.length > 0);
  assert.doesNotMatch(JSON.stringify([result, lines]), /geheim/);
});

const [GLIBC, MUSL, COMMON, NESTED, ELSE] = ["g", "m", "c", "n", "e"].map((name) =>
  `sha512-${createHash("sha512").update(name).digest("base64")}`
);
const LIBRARIES = JSON.stringify({
  packages: {
    "": { dependencies: { a: "1" } },
    "node_modules/a": {
      integrity: COMMON,
      dependencies: { b: "1" },
      optionalDependencies: { "a-glibc": "1", "a-musl": "1", "a-mac": "1" },
    },
    "node_modules/a-glibc": { integrity: GLIBC, os: ["linux"], libc: ["glibc"] },
    "node_modules/a-musl": { integrity: MUSL, os: ["linux"], libc: ["musl"] },
    "node_modules/a-mac": { integrity: ELSE, os: ["darwin"], dependencies: { "only-mac": "1" } },
    "node_modules/only-mac": { integrity: ELSE },
    "node_modules/b": { integrity: ELSE },
    "node_modules/a/node_modules/b": { integrity: NESTED },
  },
});

test("npmFetches() counts what npm fetches: of two C libraries one, the nearest copy, nothing of other platforms", () => {
  const { integrities, total } = npmFetches(LIBRARIES, "linux-x64");
  assert.deepEqual([...integrities].sort(), [COMMON, GLIBC, MUSL, NESTED].sort());
  assert.equal(total, 3);
  // As `npm ci` of npm 10 has it on such a machine.
  assert.equal(npmFetches(NPM_TOOLS_LOCK, "linux-x64").total, 192);
});

test("countingFetched() counts the archives in npm's cache until npm has ended", async () => {
  const there = new Set<string>();
  const reported: string[] = [];
  let end = () => {};
  const npm = new Promise<string>((resolve) => end = () => resolve("ended"));
  const arrivals = [COMMON, MUSL];
  const answer = await countingFetched(npm, {
    fetches: npmFetches(LIBRARIES, "linux-x64"),
    cache: "/c",
    label: "with npm",
  }, {
    folder: {
      paths: hostPaths("linux"),
      files: {
        ...runtime.files,
        stat: (path) =>
          Promise.resolve(there.has(path) ? { kind: "file", size: 1, mtimeMs: 0, mode: 0 } : null),
      },
    },
    clock: {
      sleep() {
        const [next] = arrivals.splice(0, 1);
        if (next === undefined) end();
        else there.add(`/c/_cacache/content-v2/sha512/${pathOf(next)}`);
        return Promise.resolve();
      },
    },
    progress: {
      log: () => undefined,
      progress: ({ done, total, unit }) => reported.push(`${done}/${total} ${unit}`),
    },
  });
  assert.equal(answer, "ended");
  assert.deepEqual([...new Set(reported)], ["0/3 packages", "1/3 packages", "2/3 packages"]);
});

function pathOf(integrity: string): string {
  const hex = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  return `${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}`;
}
