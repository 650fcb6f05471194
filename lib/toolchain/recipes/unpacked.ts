import { ok } from "../../core/result.ts";
import type { ToolPackage } from "../tools/package.ts";
import { failInstall, fileFailure } from "../work/failure.ts";
import type { Build } from "./recipe.ts";
import { unpack } from "./steps.ts";

/** Makes a package by unpacking its archives, as it says that they are laid out. */
export function unpacked({ title, folders, unpacking }: ToolPackage): Build {
  return async (context) => {
    if (unpacking === undefined) {
      return failInstall(
        "not-installable",
        `Cannot install ${title}: nothing says how it is made`,
        "Report this: it is a mistake of the editor",
      );
    }
    const { into, strip, only, areExecutable = false } = unpacking;
    const { files, host, staging, pin } = context;
    for (const artifact of pin.artifacts) {
      const archive = await context.download(artifact);
      if (!archive.ok) return archive;
      const part = only === undefined ? {} : { only: only(host) };
      const done = await unpack(archive.value, { into, strip, ...part }, context);
      if (!done.ok) return done;
    }
    const entries = unpacking.entries(host.platform).map((entry) => `${into}/${entry}`);
    try {
      for (const entry of areExecutable ? entries : []) {
        const path = staging.at(entry);
        if ((await files.stat(path)) !== null) await files.setMode(path, 0o755);
      }
    } catch (thrown) {
      return fileFailure(thrown, `make the programs of ${title} executable`);
    }
    return ok({ places: folders, entries });
  };
}
