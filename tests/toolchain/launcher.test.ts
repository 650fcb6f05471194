import assert from "node:assert/strict";
import { test } from "node:test";
import { withLauncher } from "../../lib/toolchain/find/launcher.ts";
import { ToolchainFolder } from "../../lib/toolchain/work/folder.ts";
import { machine } from "./machine.ts";

const ROOT = "/home/user/tools";
const RUBY = `${ROOT}/ruby/portable-ruby/3.4.6/bin`;

/** The launcher of our own CocoaPods, and what it puts in front of PATH. */
for (
  const [title, entries, want] of [
    ["on our own Ruby", { [`${RUBY}/ruby`]: { program: "" } }, `'${RUBY}':"$PATH"`],
    // An empty entry would be the folder of the project.
    ["on the Ruby of PATH", {}, '"$PATH"'],
  ] as const
) {
  test(`withLauncher() starts pod ${title}`, async () => {
    const on = machine({ platform: "darwin", arch: "arm64", entries });
    const files = { ...on.files, setMode: () => Promise.resolve() };
    const folder = new ToolchainFolder(ROOT, files, "darwin");
    const path = `${ROOT}/cocoapods-gems/bin/pod`;
    const found = { id: "cocoapods", kind: "binary", present: true, source: "own", path } as const;
    const env = await withLauncher({ ...found, tried: [] }, { PATH: "/usr/bin" }, {
      ...on,
      files,
      folder,
    });
    const place = `${ROOT}/launchers/cocoapods`;
    assert.deepEqual(env.ok && env.value, { PATH: `${place}:/usr/bin` });
    const text = on.entries.get(`${place}/pod`);
    assert.equal(/^export PATH=(.*)$/m.exec(String(text))?.[1], want);
    assert.match(String(text), new RegExp(`^exec '${path}' "\\$@"$`, "m"));
  });
}
