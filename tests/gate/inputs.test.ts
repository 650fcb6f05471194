import assert from "node:assert/strict";
import { test } from "node:test";
import { namedPaths, readInputs } from "../../scripts/gate/inputs.ts";
import { createReach } from "../../scripts/gate/reach.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { readCheckout } from "../../scripts/gate/checkout.ts";
import { BROWSER, filesFor, isIn, LONG, LONG_IF_REACHED } from "../../scripts/gate/plan.ts";
import { subjectOf, SUBJECTS } from "../../scripts/gate/subjects.ts";
import { testFiles } from "../../scripts/gate/steps.ts";
import { SOAK_PARTS, soakFiles } from "../../scripts/gate/soak.ts";
import { readHouse } from "../../scripts/gate/house.ts";
import { createExecutor } from "../../scripts/gate/exec.ts";
import process from "node:process";

const PATHS = [
  "README.md",
  "lib/a.ts",
  "lib/b.ts",
  "scripts/mcp.ts",
  "tests/a/one.test.ts",
  "tests/a/page.js",
  "vectors/boot/x.json",
  "vectors/path/y.json",
];
const TREE = {
  has: (path: string) => PATHS.some((one) => one === path || one.startsWith(`${path}/`)),
};

const NAMES: readonly (readonly [string, string, readonly string[]])[] = [
  ["a path from the root", 'run("scripts/mcp.ts");', ["scripts/mcp.ts"]],
  ["a path from its own folder", 'new URL("./page.js", import.meta.url)', ["tests/a/page.js"]],
  ["a path above its folder", 'read("../../vectors/boot")', ["vectors/boot"]],
  ["a folder", "list(`${root}/vectors/path`)", ["vectors/path"]],
  ["words of a join()", 'join(root, "scripts", "mcp.ts")', ["scripts/mcp.ts"]],
  ["a folder of data in one word", 'replay("vectors")', ["vectors"]],
  ["a file in one word", 'read("README.md")', ["README.md"]],
  ["the source of a built file", 'run("dist/scripts/mcp.js")', ["scripts/mcp.ts"]],
  ["nothing in a comment", "// as scripts/mcp.ts\n/** `vectors/boot` */\nf(); // lib/a.ts", []],
  ["nothing in an import, which is followed elsewhere", 'import x from "../../lib/a.ts";', []],
  ["nothing in an address", 'get("http://x/lib/a.ts"); // see scripts/mcp.ts', []],
  ["not a folder that it is in", 'new URL("..", import.meta.url); join("tests/a")', []],
  ["not a plain word", 'find("lib")', []],
  ["not itself", 'name("tests/a/one.test.ts")', []],
  ["not what is missing", 'read("scripts/moon.ts")', []],
];
for (const [name, source, expected] of NAMES) {
  test(`namedPaths() finds ${name}`, () =>
    assert.deepEqual(namedPaths(source, "tests/a/one.test.ts", TREE), expected));
}

const load = (target: string, when: "load" | "later" | "type" = "load") =>
  ({ specifier: `./${target}`, target, line: 1, when }) as const;
const INPUTS = readInputs({
  modules: new Map([
    ["tests/a/one.test.ts", [load("lib/a.ts"), load("lib/types.ts", "type")]],
    ["lib/a.ts", [load("lib/b.ts", "later"), load("lib/removed.ts")]],
    ["lib/b.ts", [load("lib/a.ts")]],
  ]),
  sources: new Map([["lib/b.ts", 'read("vectors/boot")']]),
  paths: [...PATHS, "lib/types.ts"],
});

test("Inputs.of() follows imports, also late and in rings, and named paths, but not types", () =>
  assert.deepEqual([...INPUTS.of("tests/a/one.test.ts")].toSorted(), [
    "lib/a.ts",
    "lib/b.ts",
    "lib/removed.ts",
    "tests/a/one.test.ts",
    "vectors/boot/x.json",
  ]));

const REACHES: readonly (readonly [string, string, boolean])[] = [
  ["of the file itself", "tests/a/one.test.ts", true],
  ["of an import", "lib/b.ts", true],
  ["of a module that was removed", "lib/removed.ts", true],
  ["of a file that is read", "vectors/boot/x.json", true],
  ["of a type", "lib/types.ts", false],
  ["elsewhere", "scripts/mcp.ts", false],
  ["of the packages", "package-lock.json", true],
];
for (const [name, changed, expected] of REACHES) {
  test(`Reach.reaches() a test by a change ${name}: ${expected}`, () => {
    const reach = createReach(INPUTS, [changed]);
    assert.equal(reach.reaches(["tests/a/one.test.ts"]), expected);
    assert.deepEqual(reach.unreached(), expected ? [] : [changed]);
  });
}

test("Reach.reaches() with areas counts changes there alone", () => {
  const reach = createReach(INPUTS, ["lib/b.ts"]);
  assert.ok(!reach.reaches(["tests/a/one.test.ts"], ["tests/"]));
  assert.ok(reach.reaches(["tests/a/one.test.ts"], ["tests/", "lib/"]));
});

// What follows looks at this checkout.

const root = packageRoot();
const house = await readHouse({ exec: createExecutor(1).exec, deno: process.execPath, root });
const paths = [...readCheckout(root).keys()];
const inputs = readInputs({ ...house, paths });
const files = testFiles(root);

const SHOWN: readonly (readonly [string, readonly string[]])[] = [
  ["lib/page/panels/sign-in.tsx", ["tests/page/playing.test.ts", "tests/page/sign-in.test.ts"]],
  ["lib/core/json.ts", ["tests/game-web/played-page.test.ts", "tests/page/playing.test.ts"]],
  ["lib/http/guard.ts", []],
  ["tests/page/publish.test.ts", ["tests/page/publish.test.ts"]],
];
for (const [changed, expected] of SHOWN) {
  test(`filesFor() a change of ${changed} drives ${expected.length} browser tests`, () => {
    const reach = createReach(inputs, [changed]);
    assert.deepEqual(
      filesFor(files, { extent: "quick", runtime: "deno", reach }).filter((file) =>
        file in BROWSER
      ),
      expected,
    );
  });
}

const PROTECTED: readonly (readonly [string, readonly string[]])[] = [
  ["lib/ota-device/stage.ts", ["tests/ota/power-cut.test.ts"]],
  ["tests/ota/power-cut-checks.ts", ["tests/ota/power-cut.test.ts"]],
  ["native/android/check-api", ["tests/native/android-core.test.ts"]],
  ["lib/core/json.ts", []],
  ["lib/ota-publish/publish.ts", []],
];
for (const [changed, expected] of PROTECTED) {
  test(`filesFor() a change of ${changed} runs ${expected.length} long tests`, () => {
    const reach = createReach(inputs, [changed]);
    assert.deepEqual(
      filesFor(files, { extent: "quick", runtime: "deno", reach }).filter((file) =>
        isIn(LONG, file)
      ),
      expected,
    );
    const complete = filesFor(files, { extent: "quick", runtime: "deno" });
    assert.deepEqual(complete.filter((file) => isIn(LONG, file)), []);
  });
}

test("LONG_IF_REACHED names long tests, and beginnings of files that are there", () => {
  const beginnings = Object.values(LONG_IF_REACHED).flat();
  assert.deepEqual(
    beginnings.filter((start) => !paths.some((path) => path.startsWith(start))),
    [],
  );
  const others = Object.keys(LONG_IF_REACHED)
    .filter((file) => !files.includes(file) || !isIn(LONG, file));
  assert.deepEqual(others, []);
});

const DRIVERS = ["playwright-core", "../support/webdriver.ts"];
test("BROWSER names the tests of pages that drive a browser, and only these", () => {
  const driving = files.filter((file) => /^tests\/(?:page|game-web)\//.test(file))
    .filter((file) =>
      [...inputs.of(file)].some((path) =>
        house.modules.get(path)?.some(({ specifier }) => DRIVERS.includes(specifier))
      )
    );
  const driven = Object.keys(BROWSER).filter((file) => !file.startsWith("tests/captures/"));
  assert.deepEqual(driving, [...driven].toSorted());
});

test("BROWSER names beginnings of files that are there", () => {
  const beginnings = Object.values(BROWSER).flat();
  const missing = beginnings.filter((start) => !paths.some((path) => path.startsWith(start)));
  assert.deepEqual(missing, []);
});

test("SUBJECTS names beginnings of tests and of sources that are there", () => {
  const missing = [
    ...Object.keys(SUBJECTS).filter((start) => !files.some((file) => file.startsWith(start))),
    ...files.flatMap((file) => subjectOf(file) ?? [])
      .filter((start) => !paths.some((path) => path.startsWith(start))),
  ];
  assert.deepEqual(missing, []);
});

test("SUBJECTS has what a test loads, itself and through helpers of its area or of others", () => {
  const loadedBy = (path: string) =>
    (house.modules.get(path) ?? [])
      .flatMap(({ target, when }) => target === null || when === "type" ? [] : [target]);
  const missing = files.flatMap((file) => {
    const subject = file in BROWSER || isIn(LONG, file) ? undefined : subjectOf(file);
    if (subject === undefined) return [];
    const own = new Set([file]);
    for (const path of own) {
      // What all areas share only opens what is tested: a service, a project, a program.
      const helpers = loadedBy(path).filter((target) => /^tests\/(?!support\/)/.test(target));
      for (const helper of helpers) own.add(helper);
    }
    return [...own].flatMap((path) =>
      loadedBy(path).filter((target) => !subject.some((start) => target.startsWith(start)))
        .map((target) => `${file} loads ${target}${path === file ? "" : ` through ${path}`}`)
    );
  });
  assert.deepEqual(missing, []);
});

for (
  const [page, file] of [
    ["ARCHITECTURE.md", "tests/gate/architecture.test.ts"],
    ["README.md", "tests/gate/snippets.test.ts"],
  ] as const
) {
  test(`filesFor() after a change of ${page} has the test that reads it`, () => {
    const reach = createReach(inputs, [page]);
    assert.ok(filesFor(files, { extent: "quick", runtime: "deno", reach }).includes(file));
  });
}

const REACHED: readonly (readonly [string, string])[] = [
  ["lib/core/ring.ts", "tests/core/ring.test.ts"],
  ["lib/toolchain/pins/node.ts", "tests/toolchain/install.test.ts"],
  ["scripts/ota-publish.ts", "tests/scripts/ota-scripts.test.ts"],
  ["lib/editor/sample/project.config.json", "tests/editor/sample.test.ts"],
  ["tests/support/folder.ts", "tests/project/publish.test.ts"],
  ["lib/game-web/render.ts", "tests/captures/captures.test.ts"],
  ["vectors/RULES.md", "tests/ota/vectors.test.ts"],
  ["lib/page/panels/panels.css", "tests/captures/window.test.ts"],
  ["lib/service/open-service.ts", "tests/service/readme-example.test.ts"],
];
for (const [changed, test_] of REACHED) {
  test(`a change of ${changed} reaches ${test_}`, () =>
    assert.ok(createReach(inputs, [changed]).reaches([test_])));
}

test("every test with long settings is in exactly one part of the soak", () => {
  for (const file of soakFiles(files, inputs)) {
    const parts = Object.entries(SOAK_PARTS)
      .filter(([, beginnings]) => beginnings.some((start) => file.startsWith(start)));
    assert.equal(parts.length, 1, `${file} is in ${parts.map(([name]) => name).join(" and ")}`);
  }
});
