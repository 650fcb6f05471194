import { ok } from "../../lib/core/result.ts";
import type { Cleaned, LeftoverKind } from "../../lib/toolchain/mod.ts";
import { sizeText } from "../../lib/core/sizes.ts";
import type { Command } from "./command.ts";
import { operate } from "./operation.ts";

const KINDS: Readonly<Record<LeftoverKind, string>> = {
  download: "downloads",
  "npm-cache": "npm's cache",
  staging: "unfinished installations",
  trash: "replaced versions",
  log: "logs",
};

/** The command `clean`: removes files that no installed tool needs. */
export const cleanCommand: Command = {
  doc: "removes downloads, caches and leftovers of interrupted runs; never what is installed",
  flags: {
    "dry-run": { kind: "switch", doc: "clean: shows what would be removed, and removes nothing" },
  },
  prepare: (line) =>
    ok(async (context) => {
      const dryRun = line.switches["dry-run"] === true;
      const done = await operate(
        context,
        "not everything was removed",
        (options) => context.toolchain.clean({ ...options, dryRun }),
      );
      if (!done.ok) return done;
      const code = done.value.failed.length > 0 ? 1 : 0;
      return ok({ value: done.value, text: cleanedText(done.value), code });
    }),
};

function cleanedText({ dryRun, removed, bytes, busy, failed }: Cleaned): string {
  const kinds = Object.entries(KINDS).flatMap(([kind, name]) => {
    const some = removed.filter((each) => each.kind === kind);
    const sum = some.reduce((total, each) => total + each.bytes, 0);
    return some.length === 0 ? [] : [`  ${name}: ${sizeText(sum)}`];
  });
  return [
    removed.length === 0
      ? "There is nothing to remove"
      : `${sizeText(bytes)} ${dryRun ? "would be" : "are"} freed`,
    ...kinds,
    ...busy.map(({ package: id, by }) => `  ${id} is skipped: ${by} is working on it`),
    ...failed.map(({ path, reason }) => `  ${path} stays: ${reason}`),
  ].join("\n");
}
