import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { type EditorWorld, NO_CHROMIUM, withEditorPage } from "./editor-page.ts";

// Pages of other origins in the browser of a user whose editor is open and signed in by its cookie: on
// another port, under another name of this machine, under a name that resolves to it.

const TOKEN = "a-token-of-32-letters-or-so-long";
/** A name that its owner has pointed at this machine (DNS rebinding). */
const REBOUND = "rebound.test";
/** Time in milliseconds for an attempt that gets no answer at all. */
const SILENT_MS = 800;

/** Destinations that a page must have requested, among others (Fetch Metadata). */
const TRIED = ["embed", "empty", "font", "iframe", "image", "object", "script", "style", "video"];

/** A request that was let in. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly site: string | null;
  readonly dest: string | null;
}

/** A server of empty pages, and of redirects to any address that is requested. */
async function evilServer(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((request, response) => {
    const to = new URL(request.url ?? "/", "http://x").searchParams.get("to");
    if (to !== null) return void response.writeHead(307, { location: to }).end();
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>evil</title><body>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", () => listening()));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { port: address.port, server };
}

/** A service with a token that notes what it lets in, and the destinations of all requests. */
function noting(
  entries: Entry[],
  askedFor: Set<string> = new Set(),
): (root: string) => Promise<Service> {
  return async (root) => {
    const service = await serviceOf(await loadRuntime(), root, TOKEN);
    return {
      ...service,
      async handler(request, peer) {
        const response = await service.handler(request, peer);
        const { method, headers, url } = request;
        const [site, dest] = [headers.get("sec-fetch-site"), headers.get("sec-fetch-dest")];
        askedFor.add(dest ?? "");
        if (response.ok) entries.push({ method, path: new URL(url).pathname, site, dest });
        return response;
      },
    };
  };
}

/** A script for pages, as text. */
async function scriptOf(entry: string): Promise<string> {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false });
  return outputFiles[0]?.text ?? "";
}

/** Signs the page in, and resolves once it has its cookie. */
async function letIn({ page, url }: EditorWorld): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${url}/#token=${TOKEN}`);
  await until(
    "the page has its cookie",
    async () => (await page.context().cookies()).some(({ httpOnly }) => httpOnly),
  );
}

/** The scene, as the page reads it. */
function sceneOf({ page }: EditorWorld): Promise<string> {
  return page.evaluate(async () => (await fetch("/api/scene-state?compact=1")).text());
}

test(
  "pages of other origins read and change nothing of an editor that is open (HTTP-2, HTTP-10)",
  { skip: NO_CHROMIUM },
  async () => {
    const entries: Entry[] = [];
    const askedFor = new Set<string>();
    const missing = () => TRIED.find((one) => !askedFor.has(one)) ?? null;
    const evil = await evilServer();
    const ways = await scriptOf("tests/page/foreign-page.tsx");
    const switches = [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`];
    try {
      await withEditorPage(async (world) => {
        const { page, url } = world;
        const { port } = new URL(url);
        await letIn(world);
        const before = await sceneOf(world);
        for (
          const [from, target] of [
            [`http://127.0.0.1:${evil.port}/`, url],
            [`http://localhost:${evil.port}/`, url],
            [`http://127.0.0.1:${evil.port}/`, `http://127.0.0.1:${evil.port}/?to=${url}`],
            [`http://${REBOUND}:${evil.port}/`, `http://${REBOUND}:${port}`],
            [`http://127.0.0.1:${evil.port}/`, `http://localhost:${port}`],
          ] as const
        ) {
          entries.length = 0;
          const foreign = await page.context().newPage();
          foreign.setDefaultTimeout(UNTIL_MS);
          await foreign.goto(from);
          await foreign.evaluate(ways);
          const won = await foreign.evaluate(`tryAll(${JSON.stringify(target)}, ${SILENT_MS})`);
          assert.deepEqual(won, [], `${from} reached ${target}`);
          if (target === url) await until("it was asked for everything", () => missing() === null);
          for (const other of page.context().pages()) if (other !== page) await other.close();
          // A link on any site may open the page itself; its further requests are its own.
          const entered = entries.filter(({ path, site, dest }) =>
            site !== "same-origin" && !(path === "/" && dest === "document")
          );
          assert.deepEqual(entered, [], `${from} was let in at ${target}`);
        }
        assert.equal(await sceneOf(world), before);
      }, { open: noting(entries, askedFor), says: /./, switches });
    } finally {
      evil.server.closeAllConnections();
      evil.server.close();
    }
  },
);

test(
  "nothing of a project runs on the editor's origin, not even where its address is opened (HTTP-2)",
  { skip: NO_CHROMIUM },
  async () => {
    const entries: Entry[] = [];
    const script = "<script>fetch('/api/scene-state')</script>";
    const files = {
      "evil.html": `<!doctype html>${script}`,
      "evil.svg": `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
      "evil.png": `<!doctype html>${script}`,
      "evil.js": "fetch('/api/scene-state')",
    };
    const prepare = (root: string) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(root, "assets", name), text);
      }
    };
    await withEditorPage(async (world) => {
      const { page, url } = world;
      await letIn(world);
      await page.goto(`${url}/api/openapi.json`).catch(() => null); // off the page, on its origin
      await page.evaluate(await scriptOf("tests/page/foreign-page.tsx"));
      const ran = await page.evaluate(`runAll(${JSON.stringify(Object.keys(files))})`);
      assert.deepEqual(ran, []);
      assert.deepEqual(entries.filter(({ path }) => path === "/api/scene-state"), []);
    }, { open: noting(entries), prepare, says: /./ });
  },
);
