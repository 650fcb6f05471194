import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { type ChromiumContextOptions, withChromiumContext } from "../engines/chromium-context.ts";
import { findChromium } from "../engines/web-views.ts";
import { until, UNTIL_MS } from "../support/until.ts";
import { withFolder } from "../support/folder.ts";
import type { Skip } from "../support/needs.ts";
import { serviceOf } from "../support/service.ts";

const { skip } = findChromium();

/** Why the page cannot be opened here; `false` when it can. */
export const NO_CHROMIUM: Skip = skip;

/** The editor's page in a browser, on a service of its own. */
export interface EditorWorld {
  readonly page: Page;
  /** Where it is served. */
  readonly url: string;
  /** The project's folder: a copy of the sample. */
  readonly root: string;
  readonly service: Service;
  /** Calls a tool as an agent does. */
  // deno-lint-ignore no-explicit-any
  agent(name: string, args?: Readonly<Record<string, unknown>>): Promise<any>;
}

/** How a world differs from the usual one. */
export interface EditorWorldOptions extends ChromiumContextOptions {
  /** Changes the project's files before it is opened. */
  readonly prepare?: (root: string) => void;
  readonly token?: string;
  /** Opens the service in another way; `folder` is gone afterwards, the project's lies in it. */
  readonly open?: (root: string, folder: string) => Promise<Service>;
  /** What may stand in the browser's console; nothing else may. */
  readonly says?: RegExp;
}

/** Keeps what the page ever said in its notices: those that only inform are gone after some seconds. */
const KEEPS_NOTICES = `
  globalThis.saidSoFar = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue;
        const notices = [node, ...node.querySelectorAll(".notice")];
        const said = notices.filter((one) => one.matches(".notice"));
        saidSoFar.push(...said.map((one) => one.textContent));
      }
    }
  }).observe(document, { childList: true, subtree: true });
`;

/** Ends once a notice with `text` was shown, also where it is gone by now. */
export async function wasSaid(page: Page, text: string): Promise<void> {
  await until(`a notice has shown "${text}"`, async () => {
    const said: readonly string[] = await page.evaluate("saidSoFar");
    return said.some((one) => one.includes(text));
  });
}

/** What is said of how fast this machine draws, which time decides. */
const OF_THE_MACHINE = /GL Driver Message \(OpenGL, Performance|is drawn with fewer pixels/;

/** Runs `work` with the editor's page open; fails where the page complained of anything. */
export async function withEditorPage(
  work: (world: EditorWorld) => Promise<void>,
  { prepare, token, open, says, ...context }: EditorWorldOptions = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "project");
    cpSync("lib/editor/sample", root, { recursive: true });
    prepare?.(root);
    const service = await (open?.(root, folder) ?? serviceOf(await loadRuntime(), root, token));
    const serve = await loadServe();
    const server = await serve(service.handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(server.ok, server.ok ? "" : server.error.message);
    const { url, port } = server.value;
    service.servedAt(port);
    const complaints: string[] = [];
    try {
      // Further pages of its context share its cookies, as in a person's browser.
      await withChromiumContext(async (context) => {
        const page = await openPage(context, { complaints, says });
        await page.goto(`${url}/`);
        await work({ page, url, root, service, agent: agentAt(url) });
      }, { viewport: { width: 1280, height: 720 }, ...context });
    } finally {
      await server.value.close();
      await service.close();
    }
    assert.deepEqual(complaints, []);
  });
}

/** A page that notes its complaints. */
async function openPage(
  context: BrowserContext,
  { complaints, says }: {
    readonly complaints: string[];
    readonly says: RegExp | undefined;
  },
): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(UNTIL_MS);
  await page.addInitScript(KEEPS_NOTICES);
  const note = (text: string) => {
    if (says?.test(text) !== true && !OF_THE_MACHINE.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) note(message.text());
  });
  page.on("pageerror", ({ message }) => note(message));
  return page;
}

/** Calls tools of the service at an address. */
function agentAt(url: string): EditorWorld["agent"] {
  return async (name, args = {}) => {
    const response = await fetch(`${url}/api/tools/${name}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    assert.ok(response.ok, await response.clone().text());
    return await response.json();
  };
}
