import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { manifestPath } from "../../lib/ota-format/mod.ts";
import type { Context } from "./context.ts";
import type { Service } from "./exec.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";
import { projectFolder } from "./readme.ts";

// A foreign editor, bundled for Node: with the externals that README names it works as unbundled,
// without them it fails at start with a clear error.

/** The editor that is bundled: README's `embed`, on a project. */
const EDITOR = `import { openService } from "slipway";
import { createRuntime, serve } from "slipway/node";
async function main(): Promise<void> {
  const project = process.argv[2];
  const service = await openService({ runtime: createRuntime(), project, version: "1.0" });
  if (!service.ok) throw new Error(service.error.detail);
  const server = await serve(service.value.handler, { hostname: "127.0.0.1", port: 0 });
  if (!server.ok) throw new Error(server.error.message);
  service.value.servedAt(server.value.port);
  process.once("SIGINT", () => service.value.close().then(() => process.exit(0)));
  console.log(server.value.url);
}
main();
`;
const FORMATS = { cjs: "cjs", esm: "mjs" } as const;
/** A start, or a capture by a browser, on a machine that does other things as well. */
const PATIENCE_MS = 300_000;

/** The modules that README leaves out of a bundle. */
export function namedExternals(readme: string): readonly string[] {
  return [
    ...new Set(
      Array.from(readme.matchAll(/--external:([\w@/.*-]*[\w*])/g), ([, name = ""]) => name),
    ),
  ];
}

/** Bundles the editor in both formats from the packed package, runs it, and has it do its work. */
export async function checkBundled(context: Context): Promise<Outcome> {
  if (context.node === null) return skipped("bundled editor", "found no node on PATH");
  const project = projectFolder(context);
  if (!existsSync(join(project, "node_modules", "slipway"))) {
    return skipped("bundled editor", "the package is installed nowhere");
  }
  const externals = namedExternals(readFileSync(join(context.root, "README.md"), "utf8"));
  if (externals.length === 0) {
    return failed(
      "README.md: names no --external: for a bundle; expected the modules to leave out",
    );
  }
  writeFileSync(join(project, "bundled-editor.ts"), EDITOR);
  const outcomes: Outcome[] = [];
  for (const format of ["cjs", "esm"] as const) {
    const complete = await bundle(project, format, []);
    const alone = await context.exec([context.node.path, complete, project], { cwd: project });
    outcomes.push(judgeRefusal(format, alone, externals));
    const bundled = await bundle(project, format, externals);
    outcomes.push(await runBundled(context, { node: context.node.path, format, bundled }));
  }
  return sum(outcomes);
}

/** @returns The bundle's file. */
async function bundle(
  project: string,
  format: keyof typeof FORMATS,
  external: readonly string[],
): Promise<string> {
  const name = external.length === 0 ? "whole" : "bundled";
  const outfile = join(project, `${name}-editor.${FORMATS[format]}`);
  await build({
    absWorkingDir: project,
    entryPoints: ["bundled-editor.ts"],
    bundle: true,
    platform: "node",
    format,
    external: [...external],
    outfile,
    logLevel: "silent",
  });
  return outfile;
}

/**
 * Checks that a bundle of everything fails at start, with one error that names the required
 * external.
 */
export function judgeRefusal(
  format: string,
  { code, output }: { readonly code: number | null; readonly output: string },
  externals: readonly string[],
): Outcome {
  const errors = output.match(/^(?:\w*Error): .*$/gm) ?? [];
  const [only = ""] = errors;
  const isSaid = externals.every((name) => only.includes(`--external:${name}`));
  return code !== 0 && errors.length === 1 && isSaid ? passed() : failed(
    `the ${format} bundle without externals: exit code ${code}, expected one error that names ` +
      `${externals.join(", ")}:\n${output.slice(-4_000)}`,
  );
}

async function runBundled(
  context: Context,
  { node, format, bundled }: {
    readonly node: string;
    readonly format: string;
    readonly bundled: string;
  },
): Promise<Outcome> {
  const project = projectFolder(context);
  const home = join(context.scratch, `bundled-${format}`);
  const game = join(home, "game");
  mkdirSync(home, { recursive: true });
  const sample = join(project, "node_modules", "slipway", "lib", "editor", "sample");
  cpSync(sample, game, { recursive: true });
  const running = context.start([node, bundled, game], {
    cwd: project,
    env: { HOME: home, XDG_DATA_HOME: join(home, "data"), LOCALAPPDATA: home },
  });
  try {
    const url = await running.waitFor(/http:\/\/[\w.-]+:\d+/, PATIENCE_MS);
    if (url === null) return failed(`the ${format} bundle printed no URL\n${await endOf(running)}`);
    const work = { base: url[0], game, bucket: join(home, "bucket") };
    const outcomes = [
      await said(`${format}: page`, () => seePage(work)),
      await said(`${format}: build`, () => buildGame(work)),
      await said(`${format}: capture`, () => capture(work)),
      await said(`${format}: publish`, () => publish(work)),
    ];
    return sum(outcomes);
  } finally {
    await running.stop(PATIENCE_MS);
    rmSync(home, { recursive: true, force: true });
  }
}

async function endOf(running: Service): Promise<string> {
  return (await running.stop(PATIENCE_MS)).output.slice(-4_000);
}

/**
 * Runs a part of the work: passed, or a fault; `skip:` precedes the reason why it cannot run here.
 */
async function said(name: string, work: () => Promise<string | null>): Promise<Outcome> {
  const wrong = await work();
  if (wrong === null) return passed();
  return wrong.startsWith("skip:")
    ? skipped(`bundled editor, ${name}`, wrong.slice("skip:".length).trim())
    : failed(`the bundled editor, ${name}: ${wrong}`);
}

/** The service of a bundled editor. */
interface Work {
  readonly base: string;
  /** The project's folder. */
  readonly game: string;
  readonly bucket: string;
}

async function seePage({ base }: Work): Promise<string | null> {
  const page = await fetch(base, { headers: { accept: "text/html" } });
  const html = await page.text();
  const [, script] = /<script type="module" src="([^"]+)"/.exec(html) ?? [];
  if (page.status !== 200 || script === undefined) return `${page.status} ${html.slice(0, 500)}`;
  const code = await fetch(new URL(script, base));
  const bytes = (await code.bytes()).length;
  return code.status === 200 && bytes > 10_000 ? null : `${script}: ${code.status}, ${bytes} bytes`;
}

async function buildGame({ base, game }: Work): Promise<string | null> {
  const stream = await fetch(`${base}/api/build?target=web`);
  const events = await stream.text();
  const isBuilt = existsSync(join(game, "dist", "index.html"));
  return /^event: done$/m.test(events) && isBuilt ? null : events.slice(-2_000);
}

async function capture({ base }: Work): Promise<string | null> {
  const { status, value } = await tool(base, "capture_viewport");
  if (status === 503 && value["code"] === "no-browser") return `skip: ${String(value["detail"])}`;
  if (status !== 200) return `${status} ${JSON.stringify(value)}`;
  const picture = await fetch(new URL(String(value["url"]), base));
  const bytes = await picture.bytes();
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50 && bytes.length > 10_000;
  return picture.status === 200 && isPng ? null : `${String(value["url"])}: ${picture.status}`;
}

/** Publishes into a folder, and reads the served release there. */
async function publish({ base, bucket }: Work): Promise<string | null> {
  mkdirSync(bucket, { recursive: true });
  const keys = await tool(base, "svc_ota_keygen");
  const values = {
    ota: {
      enabled: true,
      baseUrl: "https://updates.example.invalid/game",
      publicKey: keys.value["publicKey"],
      bundleName: "game",
      engineApi: 1,
    },
    publish: { bucket: pathToFileURL(bucket).href },
  };
  const set = await tool(base, "set_project_settings", { values });
  if (set.status !== 200) return `${set.status} ${JSON.stringify(set.value)}`;
  const events = await (await fetch(`${base}/api/ota/publish?bundle=game&version=v1`)).text();
  const release = join(bucket, "release.json");
  if (!/^event: done$/m.test(events) || !existsSync(release)) return events.slice(-2_000);
  const { bundles } = JSON.parse(readFileSync(release, "utf8"));
  const manifest = join(bucket, manifestPath("game", "v1"));
  return bundles?.game === "v1" && existsSync(manifest) ? null : readFileSync(release, "utf8");
}

async function tool(
  base: string,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly status: number; readonly value: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(`${base}/api/tools/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  return { status: answer.status, value: await answer.json() };
}
