import process from "node:process";
import { createInterface } from "node:readline";
import { format } from "node:util";
import { runScript } from "../../scripts/shared/cli.ts";
import type { CommandModule } from "../../scripts/shared/program.ts";

// Calls scripts, one after another, each from its command line to its exit code: a line of standard input
// names one, a line of standard output answers. A process of its own for each would load the same again.

/** One call: the script without folder and extension, and its arguments. */
interface ScriptCall {
  readonly name: string;
  readonly args: readonly string[];
}

const here = new URL(import.meta.url);
const ending = here.pathname.endsWith(".js") ? "js" : "ts";
const answer = process.stdout.write.bind(process.stdout);

/** Runs a script and captures its output. */
async function callScript({ name, args }: ScriptCall) {
  const url = new URL(`../../scripts/${name}.${ending}`, here);
  const { main }: CommandModule = await import(url.href);
  const said = { stdout: "", stderr: "" };
  const keep = (stream: keyof typeof said) => (...words: unknown[]) => {
    said[stream] += `${format(...words)}\n`;
  };
  Object.assign(console, { log: keep("stdout"), info: keep("stdout") });
  Object.assign(console, { error: keep("stderr"), warn: keep("stderr") });
  for (const stream of ["stdout", "stderr"] as const) {
    Object.assign(process[stream], {
      write(text: string | Uint8Array) {
        said[stream] += typeof text === "string" ? text : new TextDecoder().decode(text);
        return true;
      },
    });
  }
  process.argv.splice(1, Infinity, decodeURIComponent(url.pathname), ...args);
  process.exitCode = undefined;
  await runScript(main);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  return { code, ...said };
}

for await (const line of createInterface({ input: process.stdin })) {
  answer(`${JSON.stringify(await callScript(JSON.parse(line)))}\n`);
}
process.exit(0);
