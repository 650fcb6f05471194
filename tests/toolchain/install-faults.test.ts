import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { FileError } from "../../lib/core/file-error.ts";
import type {
  InstallFailureCode,
  Pins,
  Toolchain,
  ToolchainDeps,
} from "../../lib/toolchain/mod.ts";
import { soaking } from "../support/rounds.ts";
import { archiveOf } from "../support/archives.ts";
import { foundCompany, withoutOpenssl } from "./download-certificates.ts";
import { listen } from "./download-world.ts";
import {
  closedPort,
  type Fault,
  litterOf,
  quickClock,
  startVendor,
  toolchainFor,
} from "./install-world.ts";
import {
  age,
  managerTools,
  offerSubject,
  SDKMANAGER,
  type Subject,
  SUBJECTS,
} from "./install-subjects.ts";
import { npmSubjects } from "./npm-subjects.ts";
import { folder, posix, runtime } from "./real-machine.ts";

// Every fault against every recipe: the exact code, nothing found in a fresh folder, the old version
// at work in a used one, no litter in either; and a run without the fault mends both. Takes long: two
// installations and a repair for every pair of fault and recipe, each recipe with steps of its own.

const vendor = await startVendor();
vendor.faulty = "/bad/";
const subjects = [...SUBJECTS, ...npmSubjects(vendor)];
const certificates = mkdtempSync(join(tmpdir(), "slipway-test-"));
const noOpenssl = withoutOpenssl();
const company = noOpenssl === false ? foundCompany(certificates, "IP:127.0.0.1") : null;
const secure = createSecureServer(company ?? {}, (_, response) => void response.end("never seen"));
const securePort = company === null ? 0 : await listen(secure);
const proxy = createServer((_, response) => void response.writeHead(407).end())
  .on("connect", (_, socket) => {
    socket.end("HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n");
  });
const proxyPort = await listen(proxy);
const closed = await closedPort();
afterTests(async () => {
  await vendor.close();
  if (company !== null) secure.close();
  proxy.close();
  rmSync(certificates, { recursive: true, force: true });
});

const { createFetch } = "Deno" in globalThis
  ? await import("../../adapters/deno/fetch.ts")
  : await import("../../adapters/node/fetch.ts");

interface Row {
  readonly name: string;
  /** `null` where the installation must work all the same. */
  readonly code: InstallFailureCode | null;
  /** What it is where npm is the one that downloads, or unpacks; else the same. */
  readonly npm?: InstallFailureCode | null;
  /** What npm must find in the environment for it. */
  readonly env?: Readonly<Record<string, string>>;
  /** How the vendor answers. */
  readonly fault?: Fault;
  /** What becomes of each archive before it is pinned. */
  readonly change?: (bytes: Uint8Array, subject: Subject) => Uint8Array | Promise<Uint8Array>;
  /** Another address for each. */
  readonly origin?: string;
  readonly deps?: Partial<ToolchainDeps>;
  readonly stallMs?: number;
  /** Which recipes it makes no sense for. */
  readonly not?: (subject: Subject) => boolean;
  readonly skip?: string | false;
}

type Answer = NonNullable<Fault>;

function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => void response.writeHead(code, headers).end("no");
}

function bodyOf(request: Parameters<Answer>[0]): Uint8Array {
  return vendor.bodies.get(new URL(request.url ?? "", vendor.origin).pathname) ?? new Uint8Array();
}

/** Announces the whole archive, and sends a byte of it. */
function begin(...[request, response]: Parameters<Answer>): void {
  response.writeHead(200, { "content-length": bodyOf(request).length, etag: '"one"' });
  response.write(bodyOf(request).slice(0, 1));
}

function flipped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => i === bytes.length >> 1 ? byte ^ 1 : byte);
}

function climbing(_: Uint8Array, { format }: Subject): Promise<Uint8Array> {
  return archiveOf(format, [{ name: "a/../../../../../evil", body: "evil" }]);
}

/** A file system on which changes of the unpacked files fail so. */
function failing(
  code: ConstructorParameters<typeof FileError>[0],
  operation: "write" | "rename",
): Partial<ToolchainDeps> {
  const { files } = runtime;
  const refuse = (path: string) =>
    Promise.reject(new FileError(code, path, `Cannot ${operation} ${path}`));
  return {
    files: operation === "rename"
      ? {
        ...files,
        rename: (from, to) => from.includes("staging") ? refuse(from) : files.rename(from, to),
      }
      : {
        ...files,
        makeDirectory: (path) =>
          path.includes("staging") ? refuse(path) : files.makeDirectory(path),
      },
  };
}

/** Answers of another machine for one more request each. */
function inTurn(...answers: readonly Answer[]): () => Answer {
  return () => {
    const turns = new Map<string, number>();
    return (request, response) => {
      const turn = turns.get(request.url ?? "") ?? 0;
      turns.set(request.url ?? "", turn + 1);
      answers[Math.min(turn, answers.length - 1)]?.(request, response);
    };
  };
}

const serve: Answer = (request, response) => void response.writeHead(200).end(bodyOf(request));
const cut: Answer = (request, response) => {
  response.writeHead(200, { "content-length": bodyOf(request).length, etag: '"one"' });
  response.write(bodyOf(request).slice(0, 10), () => setImmediate(() => response.destroy()));
};

const isGem = ({ name }: Subject) => name === "cocoapods";
const isByNpm = ({ env }: Subject) => env !== undefined;
const isUnpackedByNpm = ({ name }: Subject) => name === "npm-tools";

/** Faults that answer differently from request to request are made anew for each run. */
type RowOrTurns = Omit<Row, "fault"> & { readonly fault?: Fault; readonly turns?: () => Answer };

const ROWS: readonly RowOrTurns[] = [
  { name: "a name that nobody has", code: "dns", origin: "https://no-such-host.invalid" },
  { name: "a port that is closed", code: "connect", origin: `http://127.0.0.1:${closed}` },
  {
    name: "a certificate that nobody signed",
    code: "tls",
    origin: `https://127.0.0.1:${securePort}`,
    skip: noOpenssl,
  },
  {
    name: "a proxy that asks who we are",
    code: "proxy",
    origin: "https://vendor.test",
    deps: {
      fetch: createFetch({ environment: { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` } }),
    },
    env: { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` },
  },
  { name: "403", code: "http-status", fault: status(403) },
  { name: "404", code: "http-status", fault: status(404) },
  { name: "429 without end", code: "http-status", fault: status(429, { "retry-after": "2" }) },
  { name: "503 without end", code: "http-status", fault: status(503) },
  {
    name: "429, then the file",
    code: null,
    turns: inTurn(status(429, { "retry-after": "2" }), serve),
  },
  { name: "503, then the file", code: null, turns: inTurn(status(503), serve) },
  {
    name: "three redirects, then the file",
    code: null,
    fault: (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", vendor.origin);
      const hop = Number(searchParams.get("hop") ?? 0);
      if (hop === 3) return serve(request, response);
      response.writeHead(302, { location: `${pathname}?hop=${hop + 1}` }).end();
    },
  },
  {
    name: "redirects without end",
    code: "connect",
    fault: (request, response) => void response.writeHead(302, { location: request.url }).end(),
  },
  {
    name: "a server that calls every archive compressed",
    code: null,
    fault: (request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bodyOf(request));
    },
    not: isByNpm, // npm undoes the coding, as browsers do
  },
  { name: "a body that breaks off again and again", code: "short", fault: cut },
  { name: "a body that breaks off, then the file", code: null, turns: inTurn(cut, serve) },
  {
    name: "a body that stalls",
    code: "stalled",
    fault: begin,
    stallMs: 10,
    env: { npm_config_fetch_timeout: "700", npm_config_fetch_retries: "0" },
  },
  {
    name: "a length that is not the pinned one",
    code: "too-large",
    npm: "hash",
    fault: (request, response) => {
      const body = bodyOf(request);
      response.writeHead(200, { "content-length": body.length + 5 });
      response.end(new Uint8Array(body.length + 5));
    },
  },
  {
    name: "fewer bytes than pinned",
    code: "short",
    npm: "hash",
    fault: (request, response) => void response.writeHead(200).end(bodyOf(request).slice(1)),
  },
  {
    name: "bytes without end",
    code: "too-large",
    fault: (_, response) => {
      response.writeHead(200);
      const more = () => {
        if (!response.destroyed && response.write(new Uint8Array(65_536))) setImmediate(more);
      };
      response.on("drain", more);
      more();
    },
    not: isByNpm, // npm reads on for as long as it is let: our deadline of 20 minutes ends it
  },
  {
    name: "other bytes of the same length",
    code: "hash",
    fault: (request, response) => void response.end(flipped(bodyOf(request))),
  },
  {
    name: "a login page",
    code: "hash",
    fault: status(200, { "content-type": "text/html" }),
  },
  {
    name: "a file that becomes another one when it is resumed",
    code: "hash",
    turns: inTurn(cut, (request, response) => {
      response.writeHead(200, { etag: '"two"' }).end(flipped(bodyOf(request)));
    }),
  },
  {
    name: "an archive with a bad checksum",
    code: "archive",
    change: (bytes, { format }) =>
      format === "zip" ? badZip(bytes) : bytes.map((b, i) => i === bytes.length - 8 ? b ^ 1 : b),
    not: isGem,
  },
  {
    name: "an archive that is cut off",
    code: "archive",
    change: (bytes) => bytes.slice(0, bytes.length >> 1),
    not: isGem,
  },
  {
    name: "an archive that climbs out",
    code: "archive",
    change: climbing,
    not: (subject) => isGem(subject) || isUnpackedByNpm(subject),
  },
  {
    name: "an archive that climbs out, of which npm leaves that out",
    code: "smoke-test",
    change: climbing,
    not: (subject) => !isUnpackedByNpm(subject),
  },
  {
    name: "an archive of something else",
    code: "smoke-test",
    change: (_, { format }) => archiveOf(format, [{ name: "top/folder/readme", body: "hello" }]),
    not: (subject) =>
      isGem(subject) || takesOneFolder(subject) || subject.options.android === "sdkmanager",
  },
  { name: "a disk that is full", code: "disk-full", deps: failing("full", "write") },
  { name: "a folder that is read-only", code: "not-writable", deps: failing("denied", "write") },
  { name: "a file that is held open", code: "rename", deps: failing("busy", "rename") },
  {
    name: "an archive without the folder that is wanted of it",
    code: "archive",
    change: (_, { format }) => archiveOf(format, [{ name: "top/folder/readme", body: "hello" }]),
    not: (subject) => !takesOneFolder(subject),
  },
];

/** Whether its archive holds what other uses need, too. */
function takesOneFolder({ tool }: Subject): boolean {
  return tool === "ffmpeg" || tool === "ffprobe";
}

/** Breaks the first entry's stored checksum, in its header and in the directory. */
function badZip(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const copy = bytes.slice();
  for (let at = 0; at < bytes.length - 4; at++) {
    const offset = { 0x04034b50: 14, 0x02014b50: 16 }[view.getUint32(at, true)];
    if (offset !== undefined) copy[at + offset] = (copy[at + offset] ?? 0) ^ 1;
  }
  return copy;
}

async function found(toolchain: Toolchain, { tool }: Subject): Promise<string | null> {
  const detection = await toolchain.detect(tool);
  return detection.present && detection.source === "own" ? detection.version ?? "" : null;
}

function reportOf(result: Awaited<ReturnType<Toolchain["install"]>>): string {
  return result.ok ? "" : `${result.error.code}: ${result.error.message}`;
}

/**
 * The gate tries each fault on two recipes, taken in turn, so that every recipe meets its share; the
 * soak tries all on all.
 */
function isTried(row: RowOrTurns, subject: Subject): boolean {
  if (row.not?.(subject)) return false;
  if (soaking) return true;
  const open = subjects.filter((each) => !row.not?.(each));
  const first = ROWS.indexOf(row) * 2;
  return [first, first + 1].some((turn) => open[turn % open.length] === subject);
}

for (const subject of subjects) {
  const { name, tool, version, options } = subject;
  // One user with version 1, who meets one fault after another.
  const user = folder();
  const good = await offerSubject(vendor, subject);
  let isInstalled = false;
  const toolchainOf = (userData: string, pins: Pins, row: Partial<RowOrTurns> = {}) =>
    toolchainFor(pins, {
      clock: quickClock(row.stallMs),
      ...row.deps,
      host: subject.host(userData, row.env),
    });

  for (const row of ROWS) {
    if (!isTried(row, subject)) continue;
    const code = isByNpm(subject) && row.npm !== undefined ? row.npm : row.code;
    const what = code ?? "installed";
    const skip = posix.skip || row.skip || subject.skip || false;
    test(`install() of ${name} through ${row.name}: ${what}, nothing half`, { skip }, async () => {
      vendor.fault = null;
      if (!isInstalled) {
        const old = await toolchainOf(user, good).install(tool, { ...options, reinstall: true });
        assert.equal(reportOf(old), "");
      }
      isInstalled = true;
      const bad = await offerSubject(vendor, subject, {
        n: 2,
        folder: "bad/",
        origin: row.origin ?? vendor.origin,
        change: (bytes) => row.change?.(bytes, subject) ?? bytes,
      });
      const fresh = folder();
      for (const [userData, before] of [[fresh, null], [user, version(1)]] as const) {
        vendor.fault = row.turns?.() ?? row.fault ?? null;
        const at = toolchainOf(userData, bad, row);
        age(subject, at.directory);
        const result = await at.install(tool, { ...options, reinstall: userData === user });
        if (code === null) assert.equal(reportOf(result), "");
        else assert.equal(result.ok ? "ok" : result.error.code, code, reportOf(result));
        const now = code === null ? version(2) : before;
        assert.equal(await found(at, subject), now);
        assert.deepEqual(litterOf(at.directory), []);
      }
      if (code === null) return void (isInstalled = false);
      vendor.fault = null;
      if (row.change === undefined && row.deps === undefined && !soaking) return; // all alike
      const next = toolchainOf(fresh, good);
      assert.equal(reportOf(await next.install(tool, options)), "");
      assert.equal(await found(next, subject), version(1));
      assert.deepEqual(litterOf(next.directory), []);
    });
  }
}

const BY_MANAGER = { android: "sdkmanager" } as const;

const MISBEHAVIOURS = [
  ["fails", 'echo half > "$root/platform-tools/adb"; exit 3', "process"],
  ["ends well and did half", 'echo half > "$root/platform-tools/adb"; exit 0', "process"],
  ["hangs and is cancelled", "echo hanging; exec sleep 60", "cancelled"],
] as const;

for (const [how, behaviour, code] of MISBEHAVIOURS) {
  test(`install() by a sdkmanager that ${how}: ${code}, the old version works`, posix, async () => {
    vendor.fault = null;
    const userData = folder();
    const deps = { clock: quickClock(), host: SDKMANAGER.host(userData) };
    const good = await offerSubject(vendor, SDKMANAGER);
    assert.equal(reportOf(await toolchainFor(good, deps).install("android-sdk", BY_MANAGER)), "");
    const bad = await offerSubject(vendor, SDKMANAGER, {
      folder: "other/",
      archives: managerTools(2, behaviour),
    });
    const stop = new AbortController();
    const toolchain = toolchainFor(bad, deps);
    const result = await toolchain.install("android-sdk", {
      ...BY_MANAGER,
      reinstall: true,
      signal: stop.signal,
      onLog: (line) => line === "hanging" && stop.abort(),
    });
    assert.equal(result.ok ? "ok" : result.error.code, code, reportOf(result));
    assert.equal(await found(toolchain, SDKMANAGER), SDKMANAGER.version(1));
    assert.deepEqual(litterOf(toolchain.directory), []);
  });
}
