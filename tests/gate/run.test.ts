import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withoutScripts } from "../support/needs.ts";
import { withTree } from "./temp-tree.ts";

// scripts/run.mjs in a checkout of its own, with an npm and (where this runs on Node) a Deno that
// only write down that they were called.

const onDeno = "Deno" in globalThis;
const here = onDeno ? [process.execPath, "run", "-A"] : [process.execPath];
const options = { skip: withoutScripts() };

const LOCK = JSON.stringify({
  packages: {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "x" },
    "node_modules/dev": { version: "1.0.0", integrity: "z", dev: true },
    "node_modules/mac": { version: "1.0.0", integrity: "y", optional: true },
  },
});
const INSTALLED = JSON.stringify({
  packages: { "node_modules/a": { version: "1.0.0", integrity: "x" } },
});
const WITH_DEVELOPMENT = JSON.stringify({
  packages: {
    "node_modules/a": { version: "1.0.0", integrity: "x" },
    "node_modules/dev": { version: "1.0.0", integrity: "z" },
  },
});
const OUTDATED = INSTALLED.replace("1.0.0", "0.9.0");
const NOTHING = { "node_modules/.package-lock.json": "{}", "node_modules/a/package.json": null };
const DEVELOPMENT = { "node_modules/dev/package.json": "{}" };
const DEMO = `import process from "node:process";
process.on("SIGTERM", () => { console.log("stopped"); process.exit(7); });
console.log(JSON.stringify(process.argv[2] === "where" ? process.cwd() : process.argv.slice(2)));
if (process.argv[2] === "exit") process.exit(Number(process.argv[3]));
if (process.argv[2] === "wait") setInterval(() => {}, 1000);
`;
const NPM = `#!/bin/sh
if [ "$1" = "--version" ]; then echo 11.0.0; exit 0; fi
echo "$@" >> npm.log
echo noise
if [ -f npm.broken ]; then exit 1; fi
if [ "$1" = "ci" ]; then
  if [ "$2" = "--omit=dev" ]; then record=installed.json; else record=with-development.json; fi
  mkdir -p node_modules/a node_modules/dev && sleep 0.3
  if [ ! -f npm.forgets ]; then echo {} > node_modules/a/package.json; fi
  echo {} > node_modules/dev/package.json
  cp $record node_modules/.package-lock.json
  if [ -f npm.killed ]; then kill -9 $$; fi
fi
`;
// Node 20 cannot run TypeScript, and DEMO is JavaScript: the stand-in runs a copy.
const DENO = `#!/bin/sh
if [ "$1" = "eval" ]; then echo "$(cat "$0.version") $0"; exit 0; fi
script=$3; shift 3
cp "$script" "$script.mjs" && exec "${process.execPath}" "$script.mjs" "$@"
`;

const SOURCES = [
  "scripts/run.mjs",
  "scripts/run/install.mjs",
  "scripts/run/programs.mjs",
  "scripts/run/refusal.mjs",
  "scripts/shared/user-cache.mjs",
];

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Checkout {
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  /** Runs as npm does for a person in that folder below the checkout. */
  readonly runFrom: (folder: string, ...args: readonly string[]) => Promise<Ran>;
  /** Runs, and sends SIGTERM once the script has spoken. */
  readonly runAndStop: (...args: readonly string[]) => Promise<Ran>;
  readonly npmCalls: () => readonly string[];
}

function withCheckout<T>(
  files: Readonly<Record<string, string | null>>,
  use: (checkout: Checkout) => Promise<T>,
): Promise<T> {
  const tree = {
    ...Object.fromEntries(SOURCES.map((path) => [path, readFileSync(path, "utf8")])),
    "scripts/demo.ts": DEMO,
    "package-lock.json": LOCK,
    "scripts/check.ts": DEMO,
    "installed.json": INSTALLED,
    "with-development.json": WITH_DEVELOPMENT,
    "node_modules/a/package.json": "{}",
    "docs/page.md": "",
    "node_modules/.package-lock.json": INSTALLED,
    "bin/npm": NPM,
    "bin/deno": DENO,
    "bin/deno.version": "2.9.6",
    ...files,
  };
  const there = Object.entries(tree).flatMap(([path, text]) => text === null ? [] : [[path, text]]);
  return withTree(Object.fromEntries(there), (root) => {
    for (const name of ["npm", "deno"]) chmodSync(join(root, "bin", name), 0o755);
    const start = (
      args: readonly string[],
      onStdout: (kill: () => void) => void = () => {},
      typedIn?: string,
    ): Promise<Ran> => {
      const [program = "", ...first] = here;
      const child = spawn(program, [...first, "scripts/run.mjs", ...args], {
        cwd: root,
        env: {
          ...process.env,
          PATH: [join(root, "bin"), "/usr/bin", "/bin"].join(delimiter),
          npm_execpath: "",
          SLIPWAY_CACHE: join(root, "cache"), // another Deno may be remembered in the user's
          npm_package_json: undefined,
          INIT_CWD: typedIn && join(root, typedIn),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
        onStdout(() => {
          // Not child.kill(): under Deno 2.9 that loses the exit code.
          if (child.pid !== undefined) process.kill(child.pid, "SIGTERM");
        });
      });
      child.stderr.on("data", (chunk) => stderr += chunk);
      return new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code) => resolve({ code, stdout, stderr }));
      });
    };
    return use({
      run: (...args) => start(args),
      runFrom: (folder, ...args) => start(args, undefined, folder),
      runAndStop: (...args) => {
        let sent = false;
        return start(args, (kill) => {
          if (!sent) kill();
          sent = true;
        });
      },
      npmCalls: () => {
        const log = join(root, "npm.log");
        return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
      },
    });
  });
}

test(
  "run.mjs runs the script with its arguments, quietly, without npm",
  options,
  () =>
    withCheckout({}, async ({ run, npmCalls }) => {
      assert.deepEqual(await run("demo", "--port", "0", "a b"), {
        code: 0,
        stdout: '["--port","0","a b"]\n',
        stderr: "",
      });
      assert.deepEqual(npmCalls(), []);
    }),
);

test(
  "run.mjs exits with the script's code",
  options,
  () => withCheckout({}, async ({ run }) => assert.equal((await run("demo", "exit", "5")).code, 5)),
);

test(
  "run.mjs hands a signal on and waits for the script",
  options,
  () =>
    withCheckout({}, async ({ runAndStop }) => {
      const ran = await runAndStop("demo", "wait");
      assert.equal(ran.code, 7);
      assert.match(ran.stdout, /stopped\n$/);
    }),
);

for (
  const [name, files] of [
    ["nothing is installed", { "node_modules/.package-lock.json": "{}" }],
    ["another version is installed", { "node_modules/.package-lock.json": OUTDATED }],
    ["npm's record is broken", { "node_modules/.package-lock.json": "{" }],
  ] as const
) {
  test(
    `run.mjs installs once when ${name}, and keeps stdout clean`,
    options,
    () =>
      withCheckout(files, async ({ run, npmCalls }) => {
        const ran = await run("demo");
        assert.deepEqual([ran.code, ran.stdout], [0, "[]\n"]);
        assert.match(ran.stderr, /^Installing .*\nnoise\n$/);
        await run("demo");
        assert.deepEqual(npmCalls(), [
          "ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error",
        ]);
      }),
  );
}

test(
  "run.mjs installs development packages for developers alone, and people need no more then",
  options,
  () =>
    withCheckout({}, async ({ run, npmCalls }) => {
      assert.equal((await run("check")).code, 0);
      assert.deepEqual(npmCalls(), ["ci --no-audit --no-fund --loglevel=error"]);
      for (const command of ["demo", "check"]) assert.equal((await run(command)).stderr, "");
      assert.equal(npmCalls().length, 1);
    }),
);

test(
  "run.mjs installs again when a package that npm recorded is not there",
  options,
  () =>
    withCheckout({ "node_modules/a/package.json": null }, async ({ run, npmCalls }) => {
      assert.match((await run("demo")).stderr, /^Installing /);
      assert.equal(npmCalls().length, 1);
    }),
);

test(
  "run.mjs passes at once over the lock of a start that was killed",
  options,
  () => {
    const lock = { ".cache/install.lock/owner": `${hostname()} 4194000` };
    return withCheckout({ ...lock, ...NOTHING }, async ({ run, npmCalls }) => {
      assert.doesNotMatch((await run("demo")).stderr, /Another start/);
      assert.equal(npmCalls().length, 1);
    });
  },
);

test(
  "run.mjs runs a person's command where it was typed, and a developer's in the checkout",
  options,
  () =>
    withCheckout(
      { "node_modules/.package-lock.json": WITH_DEVELOPMENT, ...DEVELOPMENT },
      async ({ runFrom }) => {
        const [person, developer] = [
          await runFrom("docs", "demo", "where"),
          await runFrom("docs", "check", "where"),
        ];
        assert.match(person.stdout, /\/docs"$/m);
        assert.doesNotMatch(developer.stdout, /docs/);
      },
    ),
);

test(
  "run.mjs installs once when two start together",
  options,
  () =>
    withCheckout({ "node_modules/.package-lock.json": OUTDATED }, async ({ run, npmCalls }) => {
      const both = await Promise.all([run("demo"), run("demo")]);
      assert.deepEqual(both.map((ran) => ran.code), [0, 0]);
      assert.equal(npmCalls().length, 1);
    }),
);

const REFUSALS:
  readonly (readonly [string, Readonly<Record<string, string | null>>, string, number, RegExp])[] =
    [
      [
        "an unknown command",
        {},
        "moon",
        2,
        /^error: Unknown command "moon": expected one of start,/,
      ],
      [
        "a script that is missing",
        {},
        "bench",
        1,
        /^error: Cannot run bench: scripts\/bench\.ts is/,
      ],
      [
        "an install that fails",
        { ...NOTHING, "npm.broken": "" },
        "demo",
        1,
        /error: Cannot install the packages: npm ci failed.*\n {2}next: .*registry/,
      ],
      [
        "an install that is killed",
        { ...NOTHING, "npm.killed": "", "npm.forgets": "" },
        "demo",
        1,
        /error: Cannot install the packages: npm ci was ended by SIGKILL\n/,
      ],
      [
        "an install that forgets a package",
        { ...NOTHING, "npm.forgets": "" },
        "demo",
        1,
        /error: Cannot install the packages: npm ci says .*\n {2}next: Remove the folder node_modules/,
      ],
    ];
for (const [name, files, command, code, expected] of REFUSALS) {
  test(
    `run.mjs refuses ${name} in one sentence`,
    options,
    () =>
      withCheckout(files, async ({ run }) => {
        const ran = await run(command);
        assert.equal(ran.code, code);
        assert.equal(ran.stdout, "");
        assert.match(ran.stderr, expected);
      }),
  );
}

// Under Deno it runs with that Deno and looks for no other.
if (!onDeno) {
  test(
    "run.mjs passes over a Deno that is too old, and says when it cannot fetch one",
    options,
    () =>
      withCheckout({ "bin/deno.version": "2.7.9", "npm.broken": "" }, async ({ run, npmCalls }) => {
        const ran = await run("demo");
        assert.equal(ran.code, 1);
        assert.match(ran.stderr, /error: Cannot fetch Deno: npm exec .*failed\n {2}next: /);
        assert.match(
          npmCalls().join("\n"),
          /^exec --yes --loglevel=error --package=deno@2\.9\.6 -- deno/,
        );
      }),
  );
}
