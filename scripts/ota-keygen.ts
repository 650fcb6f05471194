#!/usr/bin/env node
import { resolve } from "node:path";
import { createKey, keyPath, loadKey } from "../lib/ota-publish/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandSpec } from "./shared/command-line.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";

// Creates a signing key pair (PUB-7). Prints the public half; the private one stays in the file.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("keygen", "[--key-name K] [--out FILE]"),
  flags: {
    "key-name": { kind: "value", doc: "the name of the key (default: default)" },
    out: { kind: "value", doc: "the file to write (default: in the user's data folder)" },
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const output = createOutput(line);
  const { files, host } = await loadRuntime();
  const { out } = line.values;
  const named = keyPath(host.userData, line.values["key-name"] ?? "default");
  if (!named.ok) return printFailure(named.error);
  // Such a path names a folder, which resolve() would hide.
  if (out !== undefined && /(^|[/\\])\.{0,2}$/.test(out)) {
    return printFailure({
      code: "usage",
      message: `--out is ${JSON.stringify(out)}: expected a file, found a folder`,
      next: "Name the file in it, for example game.json",
    });
  }
  const path = out === undefined ? named.value : resolve(out);
  const key = await createKey({ files, host }, path);
  if (!key.ok) {
    const there = await loadKey({ files, host }, { file: path });
    const it = there.ok ? `it (its public key is ${there.value.publicKey})` : "it";
    const flag = out === undefined ? "--key-name" : "--out";
    const next = `Use ${it}, or choose another ${flag} for another game`;
    return output.failure({ next, ...key.error });
  }
  const { publicKey } = key.value;
  output.result({ ok: true, publicKey, path }, publicKey);
  output.advice(
    "This is the public key. Put it into ota.publicKey of the project's project.config.json and, in\n" +
      "an app, into plugins.SlipwayOta.publicKey of its capacitor.config.\n" +
      `The private key is in ${path}. Back it up; never make another one for the same game.`,
  );
  return 0;
}

if (isMain(import.meta)) await runScript(main);
