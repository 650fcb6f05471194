import assert from "node:assert/strict";
import { build } from "esbuild";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import type { Page } from "../support/webdriver.ts";
import { type CaseOutcome, clientCases } from "./client-cases.ts";
import { buildHostileBucket } from "./hostile-bucket.ts";

/** Fails with everything that went wrong in an engine, and when it left a case out. */
export function assertOutcomes(outcomes: readonly CaseOutcome[]): void {
  assert.deepEqual(outcomes.filter(({ failure }) => failure !== null), []);
  assert.deepEqual(outcomes.map(({ name }) => name), clientCases.map(({ name }) => name));
}

/** Runs `work` as in a page that is no secure context. */
export async function withoutSubtle<T>(work: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, "crypto", { configurable: true, value: {} });
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, "crypto", own ?? { configurable: true, value: crypto });
  }
}

/** The cases with the client as one classic script, which leaves `runClientCases` behind. */
export function bundleCases(): Promise<string> {
  return bundle(`import { runClientCases } from "./tests/engines/client-cases.ts";
    globalThis.runClientCases = runClientCases;`);
}

/** A `crypto.subtle` for an engine without one; `digests` counts what it was asked. */
export function bundleSubtle(): Promise<string> {
  return bundle(`import { sha256 } from "./lib/core/sha2.ts";
    globalThis.digests = 0;
    const digest = (_name, bytes) => (globalThis.digests++, Promise.resolve(sha256(bytes).buffer));
    globalThis.crypto = { subtle: { digest } };`);
}

/** One classic script. Paths are from the repository's root. @param target The oldest web view. */
export async function bundle(contents: string, target = "es2020"): Promise<string> {
  const built = await build({
    stdin: { contents, resolveDir: ".", sourcefile: "entry.js" },
    bundle: true,
    format: "iife",
    platform: "browser",
    target,
    write: false,
    logLevel: "silent",
  });
  return built.outputFiles[0]?.text ?? "";
}

/** Opens the cases in a page of another origin than the bucket's, and runs them. */
export async function runInPage(
  page: Page,
  { subtle }: { readonly subtle: boolean },
): Promise<readonly CaseOutcome[]> {
  const { publicKey, answers } = await buildHostileBucket();
  const hide = 'Object.defineProperty(crypto, "subtle", { value: undefined });';
  const html = '<!doctype html><script src="/cases.js"></script>';
  const script = `${subtle ? "" : hide}\n${await bundleCases()}`;
  const site = new Map([
    ["/", textAnswer(html, { headers: { "content-type": "text/html" } })],
    ["/cases.js", textAnswer(script, { headers: { "content-type": "text/javascript" } })],
  ]);
  const pages = await startHostileServer((path) => site.get(path));
  const bucket = await startHostileServer((path) => answers[path]);
  try {
    await page.navigate(`${pages.origin}/`);
    const text = await page.executeAsync(
      `const [world, done] = arguments;
       if ((crypto.subtle !== undefined) !== ${subtle}) return done("crypto.subtle is not as said");
       runClientCases(world).then((outcomes) => done(JSON.stringify(outcomes)), (e) => done(String(e)));`,
      [{ origin: bucket.origin, publicKey, enforcesCors: true }],
    );
    return JSON.parse(String(text));
  } finally {
    await pages.close();
    await bucket.close();
  }
}
