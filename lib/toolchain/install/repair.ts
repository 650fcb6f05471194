import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import type { Damage } from "../installed/verify.ts";
import type { ToolchainFolder } from "../work/folder.ts";

// Repairs in place what is damaged in an installed package apart from bytes, without a download.

/** Sets right what can be without any file's bytes. @throws {FileError} */
export async function repairInPlace(
  damage: readonly Damage[],
  folder: ToolchainFolder,
): Promise<void> {
  for (const { path, cure } of damage) {
    switch (cure?.kind) {
      case "mode":
        await folder.files.setMode(folder.at(path), cure.mode);
        break;
      case "link":
        await replaceLink(path, cure.target, folder);
        break;
      case "line":
        await addLine(path, cure.line, folder);
    }
  }
}

/** Replaces a link atomically: a program that starts through it finds the old target or the new one. */
async function replaceLink(path: string, target: string, folder: ToolchainFolder): Promise<void> {
  const { files, paths } = folder;
  const full = folder.at(path);
  const holder = paths.parent(full);
  await files.makeDirectory(holder);
  const fresh = paths.join(holder, `.link-${crypto.randomUUID()}`);
  await files.symlink("../".repeat(path.split("/").length - 1) + target, fresh);
  try {
    await files.rename(fresh, full);
  } catch (thrown) {
    await files.remove(fresh);
    throw thrown;
  }
}

const MAX_BYTES = 64 * 1024;

async function addLine(path: string, line: string, folder: ToolchainFolder): Promise<void> {
  const { files, paths } = folder;
  const full = folder.at(path);
  const there = await files.read(full, MAX_BYTES);
  const lines = (there === null ? "" : decodeUtf8(there) ?? "")
    .split(/\r?\n/)
    .filter((each) => each !== "");
  await files.makeDirectory(paths.parent(full));
  await files.writeAtomic(full, encodeUtf8(`\n${[...lines, line].join("\n")}\n`));
}
