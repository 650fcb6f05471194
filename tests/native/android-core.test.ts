import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { NO_COMPILER } from "../../scripts/gate/native.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import type { Skip } from "../support/needs.ts";

// What the Java core uses is there on the oldest Android, and both verifiers say the same.

const root = packageRoot();
const android = (program: string, ...args: readonly string[]) =>
  spawnSync(join(root, "native", "android", program), args, { encoding: "utf8" });

const checked = android("check-api");
/** It compiles the core with the JDK, and compares it by libraries that Maven fetches. */
const skip: Skip = checked.status === NO_COMPILER && checked.stderr.trim();
/** The class path has the library beside the core, where Maven could fetch it. */
const noBouncyCastle: Skip = !android("compile").stdout.includes(":") &&
  "found no Bouncy Castle: expected Maven to fetch it";

test("the Java core uses nothing that Android 7 lacks", { skip }, () => {
  const { status, stdout, stderr } = checked;
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^\d{2,} classes, all known$/m);
});

test(
  "what Android 7 lacks is found: a class, a method, a method of a later return type",
  { skip },
  () =>
    withFolder((folder) => {
      const source = join(folder, "Later.java");
      writeFileSync(
        source,
        `class Later {
        byte[] read() throws Exception { return java.nio.file.Files.readAllBytes(null); }
        boolean isBlank(String text) { return text.isBlank(); }
        void flip(java.nio.ByteBuffer bytes) { bytes.flip(); }
      }`,
      );
      const compiled = spawnSync("javac", ["--release", "17", "-d", folder, source], {
        encoding: "utf8",
      });
      assert.equal(compiled.status, 0, compiled.stderr);
      const { status, stdout } = android("check-api", folder);
      assert.equal(status, 1, stdout);
      for (const found of ["Files.readAllBytes", "String.isBlank", "ByteBuffer.flip"]) {
        assert.ok(stdout.includes(found), `${found} is not in ${stdout}`);
      }
      return Promise.resolve();
    }),
);

for (const [provider, lack] of [["platform", false], ["bouncycastle", noBouncyCastle]] as const) {
  test(`every signature has the same verdict by the ${provider}'s Ed25519`, {
    skip: skip || lack,
  }, () => {
    const kinds = ["signature", "trusted"].map((kind) => join(root, "vectors", kind));
    const { status, stdout, stderr } = android("replay", "--ed25519", provider, ...kinds);
    assert.equal(status, 0, stdout + stderr);
  });
}
