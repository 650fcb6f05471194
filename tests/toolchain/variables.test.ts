import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mistypedVariables } from "../../lib/toolchain/tools/variables.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { folder, hostWith, posix, script, toolchainWith } from "./real-machine.ts";

// Variables that are set and not followed are said, wherever the tool is found in the end.

for (
  const [title, make, want] of [
    ["nothing", (at: string) => at, (at: string) => `SVC_FFMPEG names ${at}: nothing is there`],
    [
      "a folder",
      () => folder(),
      (at: string) => `SVC_FFMPEG names ${at}: found a folder, expected a program`,
    ],
    [
      "a program that tells no version",
      (at: string) => {
        script(at, "exit 3");
        return at;
      },
      (at: string) => `SVC_FFMPEG names ${at}: it exits with 3 when asked '-version'`,
    ],
  ] as const
) {
  test(`status() warns of an SVC_FFMPEG that names ${title}`, posix, async () => {
    const userData = folder();
    script(join(userData, "bin/ffmpeg"), "echo ffmpeg version 7.1 Copyright");
    const named = make(join(userData, "named"));
    const env = { PATH: join(userData, "bin"), SVC_FFMPEG: named };
    const { tools, warnings } = await toolchainWith(env, userData).status();
    const ffmpeg = tools.find(({ id }) => id === "ffmpeg");
    assert.deepEqual([ffmpeg?.present, ffmpeg?.source], [true, "path"]);
    assert.deepEqual(ffmpeg?.warnings, [want(named)]);
    assert.equal(warnings, undefined);
    assert.ok(tools.every(({ id, warnings }) => id === "ffmpeg" || warnings === undefined));
  });
}

for (
  const [name, meant] of [
    ["SVC_FFMPG", "SVC_FFMPEG"],
    ["SVC_TOOLCHAINDIR", "SVC_TOOLCHAIN_DIR"],
    ["SVC_BUILDENV", "SVC_BUILD_ENV"],
    ["SVC_FFMPEG", null],
    ["SVC_TOKEN", null],
    ["SVC_HUBSPOT_ACCOUNT_ID", null],
    ["PATH", null],
  ] as const
) {
  test(`mistypedVariables() of ${name}: ${meant ?? "nothing"}`, () => {
    const reported = mistypedVariables(hostWith({ [name]: "x" }, "/data"));
    assert.deepEqual(
      reported,
      meant === null
        ? []
        : [`${name} is set, and there is no such variable: did you mean ${meant}?`],
    );
  });
}

test("every variable of this program is known: none is told to be mistyped", () => {
  const found = new Set<string>();
  for (const folder of ["lib", "scripts", "adapters"]) {
    for (const name of readdirSync(join(packageRoot(), folder), { recursive: true })) {
      if (!/\.ts$/.test(String(name))) continue;
      const text = readFileSync(join(packageRoot(), folder, String(name)), "utf8");
      for (const [variable] of text.matchAll(/\bSVC_[A-Z_]*[A-Z]\b/g)) found.add(variable);
    }
  }
  assert.ok(found.size > 10);
  const env = Object.fromEntries([...found].map((name) => [name, "1"]));
  assert.deepEqual(mistypedVariables(hostWith(env, "/data")), []);
});
