import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

// What the Java core uses is there on the oldest Android, and both verifiers say the same.

const root = packageRoot();
const android = (program: string, ...args: readonly string[]) =>
  spawnSync(join(root, "native", "android", program), args, { encoding: "utf8" });

const skip = android("library", "org.ow2.asm:asm:9.7.1").status === 0
  ? false
  : "no Maven on this machine, or it reaches no library";

test("the Java core uses nothing that Android 7 lacks", { skip }, () => {
  const { status, stdout, stderr } = android("check-api");
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

for (const provider of ["platform", "bouncycastle"]) {
  test(`every signature has the same verdict by the ${provider}'s Ed25519`, { skip }, () => {
    const kinds = ["signature", "trusted"].map((kind) => join(root, "vectors", kind));
    const { status, stdout, stderr } = android("replay", "--ed25519", provider, ...kinds);
    assert.equal(status, 0, stdout + stderr);
  });
}
