import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import process from "node:process";
import type { Context } from "./context.ts";
import type { Service } from "./exec.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";
import { findStore, type RunningStore, startGcs, startS3 } from "./run-store.ts";

// Runs the README's commands as a reader would: each ```sh block, in order, with bash, in a copy of
// the checkout. The conventions:
//   - ```sh no-run          the block is not run (installing from a registry, placeholders);
//   - npm start             (or deno task start) alone in a block starts the service on a free port;
//                           it must print its URL, and runs until the README ends, then must stop
//                           on Ctrl-C. 127.0.0.1:4747 in later blocks means it;
//   - npx slipway           runs in a project that has the package as its users get it, where game/dist
//                           is a built game too; everything else in the copy of the checkout;
//   - npm test, soak, bench are not run from inside the gate: their scripts must exist;
//   - game/dist             is a built game;
//   - s3://my-games, gs://my-games, https://storage.googleapis.com/my-games
//                           are buckets of stores that run here, with keys in the environment; where
//                           a store cannot be had, the blocks that name it are skipped by name.

/** An ```sh block. */
export interface ShellBlock {
  /** The line of its fence, from 1. */
  readonly line: number;
  readonly script: string;
  readonly run: boolean;
}

/** The ```sh blocks of a Markdown page. */
export function readShellBlocks(page: string): readonly ShellBlock[] {
  return [...page.matchAll(/^```sh\b(.*)\n([\s\S]*?)^```\s*$/gm)].map((match) => ({
    line: page.slice(0, match.index).split("\n").length,
    script: match[2] ?? "",
    run: !/\bno-run\b/.test(match[1] ?? ""),
  }));
}

/** A line for the project in which the package is installed. */
const OF_PROJECT = /^npx slipway\b/;
const SERVICE = /^(npm start|npm run start|deno task start)\b(.*)$/;
const TOO_LONG = /^(?:npm (?:run )?|deno task )(test|soak|bench)\b/;
const DEFAULT_ADDRESS = /\b(?:127\.0\.0\.1|localhost):4747\b/g;

/** The plan of a block: lines for bash, and the service that it starts. */
export interface PlannedBlock {
  /** Commands to run; empty if it only starts the service. */
  readonly script: string;
  /** The command line of the service, on a free port. */
  readonly service: string | null;
  /** Commands of package.json and deno.json that must exist, and are not run. */
  readonly named: readonly string[];
}

/** Applies the conventions to one block. */
export function planBlock(script: string): PlannedBlock {
  const kept: string[] = [];
  const named: string[] = [];
  let service: string | null = null;
  for (const line of script.split("\n")) {
    const command = line.replace(/\s+#\s.*$/, "").trim();
    const start = SERVICE.exec(command);
    const long = TOO_LONG.exec(command);
    if (start !== null) service = onFreePort(start[1] ?? "", start[2] ?? "");
    else if (long !== null) named.push(long[1] ?? "");
    else if (command !== "" && !command.startsWith("#")) kept.push(line);
  }
  return { script: kept.join("\n"), service, named };
}

function onFreePort(start: string, rest: string): string {
  const flags = rest.replace(/--port[ =]\S+/, "").replace(/^\s*--(?=\s|$)/, "").trim();
  const separator = start.startsWith("npm") ? " --" : "";
  return `${start}${separator} ${flags} --port 0`.replaceAll(/\s+/g, " ");
}

/** Has the lines of a project run in it. @param folder Absolute, of safe characters. */
export function inProject(script: string, folder: string): string {
  return script.split("\n")
    .map((line) => OF_PROJECT.test(line) ? `(cd "${folder}"\n${line}\n)` : line)
    .join("\n");
}

/** Spellings of the README's buckets, by the program that replaces their store. */
const BUCKETS = [
  { name: "versitygw", start: startS3, spelled: /s3:\/\/my-games([\w/.-]*)/g },
  {
    name: "fake-gcs-server",
    start: startGcs,
    spelled: /gs:\/\/my-games([\w/.-]*)/g,
    served: "https://storage.googleapis.com/my-games",
  },
] as const;

/** A bucket of the README, as available here. */
interface StandIn {
  readonly store: RunningStore;
  /** Names it in the commands of the README. */
  readonly inPlace: (script: string) => string;
}

/** A pattern for buckets of an unavailable store, with the reason. */
interface Missing {
  readonly spelled: RegExp;
  readonly reason: string;
}

async function startBuckets(
  blocks: readonly ShellBlock[],
): Promise<{ readonly started: readonly StandIn[]; readonly missing: readonly Missing[] }> {
  const started: StandIn[] = [];
  const missing: Missing[] = [];
  for (const { name, start, spelled, ...more } of BUCKETS) {
    if (!blocks.some((block) => block.script.match(spelled))) continue;
    const found = await findStore(name);
    if (found.skip !== false) {
      missing.push({ spelled, reason: found.skip });
      continue;
    }
    const store = await start(found);
    const url = await store.createBucket();
    const served = `${store.endpoint}/${new URL(url).hostname}`;
    started.push({
      store,
      inPlace: (script) =>
        script
          .replaceAll(spelled, (_, path: string) => url.replace("?", `${path}?`))
          .replaceAll("served" in more ? more.served : url, served),
    });
  }
  return { started, missing };
}

/** Runs the commands of the README in a copy of the checkout. */
export async function runReadme(context: Context): Promise<Outcome> {
  const path = join(context.root, "README.md");
  if (!existsSync(path)) return failed("README.md: is missing; expected it with its commands");
  const blocks = readShellBlocks(readFileSync(path, "utf8"));
  if (blocks.every((block) => !block.run)) {
    return failed("README.md: has no ```sh block to run; expected its commands");
  }
  if (process.platform === "win32") return skipped("README commands", "they are written for bash");
  if (context.npm === null) return skipped("README commands", "found no npm with Node on PATH");
  const copy = join(context.scratch, "readme");
  copyCheckout(context.root, copy);
  const project = projectFolder(context);
  for (const folder of [copy, project]) {
    mkdirSync(join(folder, "game", "dist"), { recursive: true });
    writeFileSync(join(folder, "game", "dist", "index.html"), "<h1>Harbor</h1>\n");
  }
  const { started, missing } = await startBuckets(blocks);
  const env = {
    ...readerEnvironment(context),
    ...Object.assign({}, ...started.map(({ store }) => store.env)),
  };

  const outcomes: Outcome[] = [];
  let service: { readonly running: Service; readonly address: string } | null = null;
  try {
    for (const block of blocks.filter((one) => one.run)) {
      const where = `README.md:${block.line}`;
      const lacking = missing.find(({ spelled }) => block.script.match(spelled));
      if (lacking !== undefined) {
        outcomes.push(skipped(where, lacking.reason));
        continue;
      }
      const isInstalled = existsSync(join(project, "node_modules", "slipway"));
      if (!isInstalled && block.script.split("\n").some((line) => OF_PROJECT.test(line))) {
        outcomes.push(skipped(where, "the package is installed nowhere"));
        continue;
      }
      const plan = planBlock(block.script);
      outcomes.push(...plan.named.map((name) => mustBeNamed(context.root, where, name)));
      if (plan.script !== "") {
        const here = inProject(plan.script, project);
        const script = started
          .reduce((text, { inPlace }) => inPlace(text), here)
          .replaceAll(DEFAULT_ADDRESS, service?.address ?? "$&");
        const ran = await context.exec(["bash", "-euo", "pipefail", "-c", script], {
          cwd: copy,
          env,
        });
        outcomes.push(ran.code === 0 ? passed() : failed(`${where}:\n${script}\n${ran.output}`));
      }
      if (plan.service !== null && service === null) {
        const running = context.start(["bash", "-c", `exec ${plan.service}`], { cwd: copy, env });
        const url = await running.waitFor(/http:\/\/([\w.-]+:\d+)/, 300_000);
        if (url === null) {
          const ran = await running.stop(60_000);
          outcomes.push(failed(`${where}: ${plan.service} printed no URL\n${ran.output}`));
          break;
        }
        service = { running, address: url[1] ?? "" };
      }
    }
  } finally {
    for (const { store } of started) await store.close();
    if (service !== null) {
      const ran = await service.running.stop(60_000);
      const where = `The service did not stop on Ctrl-C (exit code ${ran.code}):`;
      // npm itself ends by the signal; it matters that everything ended, unforced.
      const clean = !ran.timedOut && !ran.leftBehind && [0, 130, null].includes(ran.code);
      outcomes.push(clean ? passed() : failed(`${where}\n${ran.output}`));
    }
  }
  const unrun = blocks.filter((block) => !block.run).map((block) => ({
    name: `README.md:${block.line}`,
    reason: "marked no-run",
  }));
  const total = sum(outcomes);
  return { ...total, skipped: [...total.skipped, ...unrun] };
}

function mustBeNamed(root: string, where: string, name: string): Outcome {
  const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts ?? {};
  const tasks = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).tasks ?? {};
  return name in scripts && name in tasks
    ? passed()
    : failed(`${where}: ${name} is no script of package.json or no task of deno.json`);
}

/** The project that has the package as its users get it (the step "pack and install"). */
export function projectFolder(context: Context): string {
  return join(context.scratch, "project");
}

/** Copies the sources, with a link to `node_modules`. */
export function copyCheckout(root: string, target: string): void {
  const left = ["node_modules", "dist", ".git", ".cache"];
  cpSync(root, target, {
    recursive: true,
    filter: (source) => !left.includes(relative(root, source)),
  });
  mkdirSync(target, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(target, "node_modules"), "junction");
}

/** A home of its own, so that no key or setting of the user is touched; the same npm, and Deno. */
function readerEnvironment(context: Context): Readonly<Record<string, string | undefined>> {
  const home = join(context.scratch, "home");
  const bin = join(context.scratch, "bin");
  mkdirSync(home, { recursive: true });
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "deno"))) symlinkSync(context.deno, join(bin, "deno"));
  const user = process.env["HOME"] ?? home;
  const node = context.node === null ? [] : [dirname(context.node.path)];
  return {
    HOME: home,
    XDG_DATA_HOME: join(home, "data"),
    SVC_TOOLCHAIN_DIR: undefined, // the recipes install and uninstall: never in the user's own
    PATH: [bin, ...node, process.env["PATH"] ?? ""].join(delimiter),
    npm_config_cache: process.env["npm_config_cache"] ?? join(user, ".npm"),
    npm_config_userconfig: process.env["npm_config_userconfig"] ?? join(user, ".npmrc"),
    // npm's own variables would make the inner npm believe that it runs in the outer folder.
    npm_config_local_prefix: undefined,
    npm_package_json: undefined,
    npm_lifecycle_event: undefined,
    npm_lifecycle_script: undefined,
    INIT_CWD: undefined,
  };
}
