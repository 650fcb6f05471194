import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { BRIDGE_PATH } from "../../lib/device-bridge/mod.ts";
import { withFolder } from "../support/folder.ts";
import { failureOf, type Skip, withoutIPv6 } from "../support/needs.ts";
import { scriptCommand } from "../support/script.ts";

// Callers on another machine, which is a network namespace: the service runs in one of its own, and a
// pair of virtual Ethernet devices leads from it into a second one.

const TOKEN = "sixteen-letters-and-more";
const ADDRESS = "192.0.2.1"; // of RFC 5737: no network has it
/** In the service's namespace, before it starts; the rest of the arguments is its command. */
const OWN_NETWORK = `set -e
ip link set lo up
ip link add here type veth peer name there
ip addr add ${ADDRESS}/30 dev here
ip link set here up
exec "$@"`;
/** In the namespace of the other machine; its first argument is the service's process. */
const OTHER_NETWORK = `set -e
nsenter --net=/proc/$1/ns/net ip link set there netns $$
ip addr add 192.0.2.2/30 dev there
ip link set there up
shift
exec "$@"`;

function unshared(...command: readonly string[]): [string, string[]] {
  return ["unshare", ["--map-root-user", "--net", "sh", "-c", ...command]];
}

const withoutNamespaces: Skip = process.platform !== "linux"
  ? "only Linux has network namespaces"
  : failureOf(
    "a network namespace with a virtual Ethernet",
    spawnSync(...unshared(OWN_NETWORK, "sh", "true"), { encoding: "utf8" }),
    "unshare and ip, and the right to make user and network namespaces",
  );

/** Asks a service as a browser, a phone and a program do. Arguments: its URL, the token, the bridge's path. */
const ASKS = `import { connect } from "node:net";
import process from "node:process";
const [url, token, bridge] = process.argv.slice(-3);
const status = async (path, init = {}) => {
  const answer = await fetch(url + path, { redirect: "manual", ...init });
  await answer.body?.cancel();
  return answer.status;
};
const signIn = (token) => status("/api/session", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ token }),
});
const upgrade = () => new Promise((resolve, reject) => {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", reject);
  socket.on("data", (bytes) => {
    resolve(Number(String(bytes).slice(9, 12)));
    socket.destroy();
  });
  socket.write([
    "GET " + bridge + " HTTP/1.1", "Host: " + host, "Connection: Upgrade", "Upgrade: websocket",
    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
  ].join("\\r\\n"));
});
console.log(JSON.stringify({
  page: await status("/", { headers: { accept: "text/html" } }),
  signedIn: await signIn(token),
  wrongToken: await signIn("another-token-of-letters"),
  bridge: await upgrade(),
  project: await status("/api/project", { headers: { authorization: "Bearer " + token } }),
  projectUnasked: await status("/api/project"),
}));`;

/** What a caller with the token gets, wherever it is. */
const LET_IN = {
  page: 200,
  signedIn: 204,
  wrongToken: 401,
  bridge: 101,
  project: 200,
  projectUnasked: 401,
};

/** The programs that run where the service is, or on the other machine. */
const IN_NAMESPACE = ["--user", "--preserve-credentials", "--net", "--target"];

async function outputOf(command: string, words: readonly string[]): Promise<string> {
  const child = spawn(command, [...words], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => out += String(chunk));
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(out));
  });
}

/** A service with a token in a network of its own. */
interface FarService {
  readonly pid: number;
  readonly port: number;
}

async function withFarService(
  host: string,
  work: (service: FarService) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const project = join(folder, "game");
    cpSync("lib/editor/sample", project, { recursive: true });
    const config = join(project, "project.config.json");
    const settings = JSON.parse(readFileSync(config, "utf8"));
    const devices = { bridge: `ws://${ADDRESS}:4747` };
    writeFileSync(config, JSON.stringify({ ...settings, devices }));
    const args = ["--project", project, "--host", host, "--port", "0", "--json"];
    const [command, words] = scriptCommand("start", args);
    const child = spawn(...unshared(OWN_NETWORK, "sh", command, ...words), {
      env: { ...process.env, SVC_TOKEN: TOKEN, XDG_DATA_HOME: join(folder, "data") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    try {
      const line = await new Promise<string>((resolve, reject) => {
        let out = "";
        child.stdout.on("data", (chunk) => {
          out += String(chunk);
          if (out.includes("\n")) resolve(out);
        });
        child.on("close", () => reject(new Error(`ended after ${JSON.stringify(out)}`)));
      });
      const { pid = 0 } = child; // each program of the chain takes the place of the one before
      await work({ pid, port: Number(new URL(JSON.parse(line).url).port) });
    } finally {
      child.kill("SIGINT");
      await ended;
    }
  });
}

for (const host of ["0.0.0.0", ADDRESS, "::"]) {
  const skip = withoutNamespaces || (host === "::" && withoutIPv6);
  test(
    `a service on ${host} lets in who has its token, from another machine as from its own (HTTP-2)`,
    { skip },
    () =>
      withFarService(host, async ({ pid, port }) => {
        const asked = async (address: string, ...before: readonly string[]) => {
          const evaluate = "Deno" in globalThis ? ["eval"] : ["--input-type=module", "-e"];
          const asks = [ASKS, `http://${address}:${port}`, TOKEN, BRIDGE_PATH];
          const program = [process.execPath, ...evaluate, ...asks];
          const where = [...IN_NAMESPACE, String(pid), ...before, ...program];
          return JSON.parse(await outputOf("nsenter", where));
        };
        const elsewhere = ["unshare", "--net", "sh", "-c", OTHER_NETWORK, "sh", String(pid)];
        assert.deepEqual(await asked(ADDRESS), LET_IN);
        if (host !== ADDRESS) assert.deepEqual(await asked("127.0.0.1"), LET_IN);
        // Last: with the other namespace the pair of devices goes, and the address with it.
        assert.deepEqual(await asked(ADDRESS, ...elsewhere), LET_IN);
      }),
  );
}
