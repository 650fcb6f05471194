import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { joinPath, parentPath } from "../../programs/mod.ts";
import { inFolder, type ReceiptContext } from "../installed/receipt.ts";
import type { Damage } from "../installed/verify.ts";

// What an installed package has lost besides bytes is set right in place: nothing is downloaded.

/** Sets right what can be without any file's bytes. @throws {FileError} */
export async function mendPackage(
  damage: readonly Damage[],
  context: ReceiptContext,
): Promise<void> {
  for (const { path, cure } of damage) {
    switch (cure?.kind) {
      case "mode":
        await context.files.setMode(inFolder(path, context), cure.mode);
        break;
      case "link":
        await replaceLink(path, cure.target, context);
        break;
      case "line":
        await addLine(path, cure.line, context);
    }
  }
}

/** Whoever starts what the link names meanwhile finds the old link, or the new one. */
async function replaceLink(path: string, target: string, context: ReceiptContext): Promise<void> {
  const { files, host } = context;
  const full = inFolder(path, context);
  const folder = parentPath(full, host.platform);
  await files.makeDirectory(folder);
  const fresh = joinPath(folder, `.link-${crypto.randomUUID()}`, host.platform);
  await files.symlink("../".repeat(path.split("/").length - 1) + target, fresh);
  try {
    await files.rename(fresh, full);
  } catch (thrown) {
    await files.remove(fresh);
    throw thrown;
  }
}

const MAX_BYTES = 64 * 1024;

async function addLine(path: string, line: string, context: ReceiptContext): Promise<void> {
  const { files, host } = context;
  const full = inFolder(path, context);
  const there = await files.read(full, MAX_BYTES);
  const lines = (there === null ? "" : decodeUtf8(there) ?? "")
    .split(/\r?\n/)
    .filter((each) => each !== "");
  await files.makeDirectory(parentPath(full, host.platform));
  await files.writeAtomic(full, encodeUtf8(`\n${[...lines, line].join("\n")}\n`));
}
