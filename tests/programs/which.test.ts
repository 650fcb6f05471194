import assert from "node:assert/strict";
import { test } from "node:test";
import { whichSync } from "../../lib/toolchain/mod.ts";
import { searchPath } from "../../lib/programs/which.ts";
import { type Entry, machine } from "../toolchain/machine.ts";

const PROGRAM: Entry = { program: "x" };

interface Row {
  readonly title: string;
  readonly env: Record<string, string>;
  readonly entries: Record<string, Entry>;
  readonly name?: string;
  readonly want: string | null;
}

const POSIX: readonly Row[] = [
  {
    title: "takes the first folder that has it",
    env: { PATH: "/a:/b:/c" },
    entries: { "/b/tool": PROGRAM, "/c/tool": PROGRAM },
    want: "/b/tool",
  },
  {
    title: "needs the execute bit",
    env: { PATH: "/a:/b" },
    entries: { "/a/tool": "text", "/b/tool": PROGRAM },
    want: "/b/tool",
  },
  {
    title: "passes over a folder of that name",
    env: { PATH: "/a:/b" },
    entries: { "/a/tool": { folder: true }, "/b/tool": PROGRAM },
    want: "/b/tool",
  },
  {
    title: "follows a link",
    env: { PATH: "/a" },
    entries: { "/a/tool": { link: "/opt/tool-1" }, "/opt/tool-1": PROGRAM },
    want: "/a/tool",
  },
  {
    title: "passes over a broken link",
    env: { PATH: "/a" },
    entries: { "/a/tool": { link: "/gone" } },
    want: null,
  },
  {
    title: "never searches empty or relative entries, nor the current folder",
    env: { PATH: ":.:bin:./bin:~/bin:" },
    entries: { "/tool": PROGRAM, "./tool": PROGRAM, "bin/tool": PROGRAM, "tool": PROGRAM },
    want: null,
  },
  { title: "finds nothing without PATH", env: {}, entries: { "/a/tool": PROGRAM }, want: null },
  {
    title: "reads PATH in its own case only",
    env: { Path: "/a" },
    entries: { "/a/tool": PROGRAM },
    want: null,
  },
  {
    title: "does not look up a name with a separator",
    env: { PATH: "/a" },
    entries: { "/a/b/tool": PROGRAM, "/tool": PROGRAM },
    name: "../tool",
    want: null,
  },
  {
    title: "keeps quotes, which mean nothing here",
    env: { PATH: '"/a":/b' },
    entries: { "/a/tool": PROGRAM, "/b/tool": PROGRAM },
    want: "/b/tool",
  },
];

const WINDOWS: readonly Row[] = [
  {
    title: "goes folder by folder before extension by extension",
    env: { PATH: "C:\\a;C:\\b", PATHEXT: ".COM;.EXE;.BAT;.CMD" },
    entries: { "C:/a/tool.cmd": PROGRAM, "C:/b/tool.exe": PROGRAM },
    want: "C:\\a\\tool.cmd",
  },
  {
    title: "goes by PATHEXT within a folder",
    env: { PATH: "C:\\a", PATHEXT: ".CMD;.EXE" },
    entries: { "C:/a/tool.cmd": PROGRAM, "C:/a/tool.exe": PROGRAM },
    want: "C:\\a\\tool.cmd",
  },
  {
    title: "never takes the shim without an extension",
    env: { PATH: "C:\\a;C:\\b" },
    entries: { "C:/a/tool": PROGRAM, "C:/b/tool.exe": PROGRAM },
    want: "C:\\b\\tool.exe",
  },
  {
    title: "reads Path whatever its case, and a default PATHEXT",
    env: { pAtH: "C:\\a" },
    entries: { "C:/a/tool.bat": PROGRAM },
    want: "C:\\a\\tool.bat",
  },
  {
    title: "ignores extensions that are no programs",
    env: { PATH: "C:\\a", PATHEXT: ".JS;.VBS;.EXE" },
    entries: { "C:/a/tool.js": PROGRAM, "C:/a/tool.exe": PROGRAM },
    want: "C:\\a\\tool.exe",
  },
  {
    title: "takes a name with its extension as it is",
    env: { PATH: "C:\\a" },
    entries: { "C:/a/tool.cmd": PROGRAM },
    name: "tool.cmd",
    want: "C:\\a\\tool.cmd",
  },
  {
    title: "takes the quotes off an entry, and a semicolon inside them is no divider",
    env: { PATH: '"C:\\a;b";C:\\c' },
    entries: { "C:/a;b/tool.exe": PROGRAM, "C:/c/tool.exe": PROGRAM },
    want: "C:\\a;b\\tool.exe",
  },
  {
    title: "never searches empty, relative or drive-relative entries",
    env: { PATH: ';.;bin;\\bin;C:bin;"";' },
    entries: { "C:/bin/tool.exe": PROGRAM, "bin/tool.exe": PROGRAM, "/bin/tool.exe": PROGRAM },
    want: null,
  },
  {
    title: "passes over the empty aliases of the store",
    env: { PATH: "C:\\u\\Microsoft\\WindowsApps;C:\\b" },
    entries: {
      "C:/u/Microsoft/WindowsApps/tool.exe": { program: "" },
      "C:/b/tool.exe": PROGRAM,
    },
    want: "C:\\b\\tool.exe",
  },
  {
    title: "takes a real program in WindowsApps",
    env: { PATH: "C:\\u\\WindowsApps" },
    entries: { "C:/u/WindowsApps/tool.exe": PROGRAM },
    want: "C:\\u\\WindowsApps\\tool.exe",
  },
  {
    title: "searches network folders",
    env: { PATH: "\\\\server\\share" },
    entries: { "//server/share/tool.exe": PROGRAM },
    want: "\\\\server\\share\\tool.exe",
  },
];

for (const [platform, rows] of [["linux", POSIX], ["win32", WINDOWS]] as const) {
  for (const { title, env, entries, name = "tool", want } of rows) {
    // FIND-6
    test(`whichSync() on ${platform} ${title}`, () => {
      const { syncStat: stat } = machine({ platform, entries });
      assert.equal(whichSync(name, { platform, env, stat }), want);
    });
  }
}

test("searchPath() gives every program in order, a folder named twice once", () => {
  const { syncStat: stat } = machine({ entries: { "/a/tool": PROGRAM, "/b/tool": PROGRAM } });
  const env = { PATH: "/b:/a:/b" };
  assert.deepEqual(searchPath("tool", { platform: "linux", env, stat }), ["/b/tool", "/a/tool"]);
});
