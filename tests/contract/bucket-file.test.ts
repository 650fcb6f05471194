import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { bucketContract } from "./bucket-contract.ts";

bucketContract({
  label: "file:",
  skip: withoutPosixFiles,
  secrets: [],
  crossOrigin: ["elsewhere", "elsewhere"],
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "slipway-test-"));
    return {
      bucket: createFileBucket({ ...await loadRuntime(), folder }),
      leaveLitter() {
        const temporary = `.slipway-${crypto.randomUUID()}`;
        writeFileSync(join(folder, temporary), "half of somethi");
        writeFileSync(join(folder, "deeper", temporary), "half of somethi");
        return Promise.resolve(2);
      },
      close: () => Promise.resolve(rmSync(folder, { recursive: true })),
    };
  },
});
