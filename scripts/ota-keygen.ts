#!/usr/bin/env node
import { resolve } from "node:path";
import { createKey, keyPath } from "../lib/ota-publish/keys.ts";
import { commandLine, runScript } from "./cli.ts";
import { createOutput } from "./output.ts";
import { loadRuntime } from "./runtime.ts";

// Mints a signing key pair (spec §4.5). Prints the public half; the private one stays in the file.

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage: "ota-keygen.ts [--key-name K] [--out FILE] : mints a signing key pair, once for a game",
    flags: {
      "key-name": { kind: "value", doc: "the name of the key (default: default)" },
      out: { kind: "value", doc: "the file to write (default: in the user's data folder)" },
    },
  });
  if (typeof line === "number") return line;
  const output = createOutput(line.switches["json"] === true);
  const { files, host } = await loadRuntime();
  const { out } = line.values;
  const named = keyPath(host.userData, line.values["key-name"] ?? "default");
  if (!named.ok) return output.failure(named.error);
  const path = out === undefined ? named.value : resolve(out);
  const key = await createKey({ files, host }, path);
  if (!key.ok) return output.failure(key.error);
  const { publicKey } = key.value;
  output.result({ ok: true, publicKey, path }, publicKey);
  output.advice(
    "This is the public key: put it into the project's ota.publicKey.\n" +
      `The private key is in ${path}. Back it up; never make another one for the same game.`,
  );
  return 0;
});
