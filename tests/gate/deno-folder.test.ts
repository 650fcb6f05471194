import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { denoFolder } from "../../scripts/gate/deno-folder.ts";
import type { CacheUser } from "../../scripts/shared/user-cache.ts";

const FOLDERS: readonly (readonly [string, CacheUser, string])[] = [
  ["Linux", { platform: "linux", env: { HOME: "/home/a" } }, "/home/a/.cache/deno"],
  [
    "Linux, XDG_CACHE_HOME",
    { platform: "linux", env: { HOME: "/home/a", XDG_CACHE_HOME: "/c" } },
    "/c/deno",
  ],
  ["Linux, DENO_DIR", { platform: "linux", env: { HOME: "/home/a", DENO_DIR: "/own" } }, "/own"],
  [
    "macOS",
    { platform: "darwin", env: { HOME: "/Users/a", XDG_CACHE_HOME: "/c" } },
    "/Users/a/Library/Caches/deno",
  ],
  [
    "Windows",
    { platform: "win32", env: { LOCALAPPDATA: "C:\\Users\\a\\Local" } },
    "C:\\Users\\a\\Local\\deno",
  ],
];
for (const [name, user, expected] of FOLDERS) {
  test(`denoFolder() on ${name}`, () => assert.equal(denoFolder(user), expected));
}

test("denoFolder() is where this Deno keeps its own", {
  skip: "Deno" in globalThis ? false : "Deno alone says where that is",
}, () => {
  const said = execFileSync(process.execPath, ["info", "--json"], { encoding: "utf8" });
  assert.equal(denoFolder(), JSON.parse(said).denoDir);
});
