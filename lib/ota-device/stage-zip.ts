import { ArchiveError, streamOf } from "../archive/mod.ts";
import { own } from "../core/json.ts";
import { bundleFiles } from "./bundle-zip.ts";
import { openDownload } from "./download.ts";
import { report, type Staging, throwIfCancelled, writeVerified } from "./staging.ts";
import { StageError, verified } from "./transfer.ts";

/** Fills a version from its `bundle.zip`. */
export async function fillFromZip(staging: Staging, zipUrl: string): Promise<void> {
  const { dependencies, manifest, zip } = staging;
  const { files, hashing } = dependencies;
  const expected = manifest.bundleZip;
  if (expected === undefined) throw new StageError("invalid", "The manifest has no bundleZip");
  const bytesTotal = expected.size;
  let bytesDone = 0;
  let filesDone = 0;
  const tell = () => report(staging, { bytesDone, bytesTotal, filesDone });
  const body = verified(openDownload(dependencies, zipUrl, expected.size), {
    ...expected,
    label: zipUrl,
  }, {
    hash: hashing.createSha256(),
    onBytes(count) {
      bytesDone += count;
      tell();
    },
  });
  await files.write(zip, body);
  const missing = new Set(Object.keys(manifest.files));
  for await (const entry of bundleFiles({ files, path: zip, size: expected.size })) {
    throwIfCancelled(staging);
    const path = entry.name;
    const ref = own(manifest.files, path);
    if (ref === undefined || !missing.delete(path)) {
      const found = "which its manifest does not name, or twice";
      throw new ArchiveError(path, `is in it, ${found}, expected each file of the manifest once`);
    }
    if (entry.size !== ref.size) { // before a byte is inflated
      const found = `${JSON.stringify(path)} has ${entry.size} bytes, expected ${ref.size}`;
      throw new StageError("size-mismatch", `In bundle.zip ${found}`);
    }
    await writeVerified(staging, path, { ref, body: streamOf(entry.open()) });
    filesDone++;
    tell();
  }
  if (missing.size > 0) {
    const lacks = JSON.stringify([...missing][0]);
    throw new ArchiveError(null, `it lacks ${lacks}, expected each file of the manifest once`);
  }
}
