import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { type CacheUser, userCacheFolder } from "../../scripts/shared/user-cache.ts";
import { withTree } from "./temp-tree.ts";

// Three programs find the user's cache, for each runs where the others cannot: all by one table.

const ROWS: readonly (readonly [title: string, user: CacheUser, want: string])[] = [
  ["Linux", { platform: "linux", env: { HOME: "/home/a" } }, "/home/a/.cache/slipway"],
  [
    "Linux, XDG_CACHE_HOME",
    { platform: "linux", env: { HOME: "/home/a", XDG_CACHE_HOME: "/c" } },
    "/c/slipway",
  ],
  [
    "Linux, SLIPWAY_CACHE",
    { platform: "linux", env: { HOME: "/home/a", XDG_CACHE_HOME: "/c", SLIPWAY_CACHE: "/own" } },
    "/own",
  ],
  [
    "Linux, empty variables",
    { platform: "linux", env: { HOME: "/home/a", XDG_CACHE_HOME: "", SLIPWAY_CACHE: "" } },
    "/home/a/.cache/slipway",
  ],
  [
    "macOS",
    { platform: "darwin", env: { HOME: "/Users/a", XDG_CACHE_HOME: "/c" } },
    "/Users/a/Library/Caches/slipway",
  ],
  [
    "macOS, SLIPWAY_CACHE",
    { platform: "darwin", env: { HOME: "/Users/a", SLIPWAY_CACHE: "/own" } },
    "/own",
  ],
  [
    "Windows",
    { platform: "win32", env: { LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local" } },
    "C:\\Users\\a\\AppData\\Local\\slipway\\cache",
  ],
  [
    "Windows, SLIPWAY_CACHE",
    { platform: "win32", env: { LOCALAPPDATA: "C:\\L", SLIPWAY_CACHE: "D:\\own" } },
    "D:\\own",
  ],
];

for (const [title, user, want] of ROWS) {
  test(`userCacheFolder() on ${title}`, () => assert.equal(userCacheFolder(user), want));
}

test("userCacheFolder() without HOME begins at the user's home", () => {
  assert.equal(userCacheFolder({ platform: "linux", env: {} }), `${homedir()}/.cache/slipway`);
});

test("userCacheFolder() of run.mjs finds the same", () => {
  const rows = JSON.stringify(ROWS.map(([, user]) => user));
  const script = `import { userCacheFolder } from "./user-cache.mjs";
console.log(JSON.stringify(${rows}.map(userCacheFolder)))`;
  const files = {
    "user-cache.mjs": readFileSync("scripts/shared/user-cache.mjs", "utf8"),
    "ask.mjs": script,
  };
  return withTree(files, (root) => {
    const args = [...("Deno" in globalThis ? ["run", "-A"] : []), join(root, "ask.mjs")];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.deepEqual(JSON.parse(stdout), ROWS.map(([, , want]) => want), stderr);
  });
});

for (
  const [title, { platform, env }, want] of ROWS.filter(([, user]) => user.platform !== "win32")
) {
  test(`native/cache.sh finds the same user's cache on ${title}`, {
    skip: process.platform === "win32" ? "a shell script" : false,
  }, () => {
    const system = platform === "darwin" ? "Darwin" : "Linux";
    return withTree({ "uname": `#!/bin/sh\necho ${system}\n` }, (bin) => {
      chmodSync(join(bin, "uname"), 0o755);
      const script = `. native/cache.sh; printf %s "$user_cache"`;
      const PATH = [bin, process.env["PATH"]].join(delimiter);
      const ran = spawnSync("sh", ["-euc", script], { encoding: "utf8", env: { PATH, ...env } });
      assert.equal(ran.stdout, want, ran.stderr);
    });
  });
}
