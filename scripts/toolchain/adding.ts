import { spawn } from "node:child_process";
import process from "node:process";
import { isInside } from "../../lib/core/inside.ts";
import { fail, ok } from "../../lib/core/result.ts";
import { runnable, type Spawn } from "../../lib/toolchain/mod.ts";
import { type Command, type CommandContext, lookOf } from "./command.ts";
import { PROJECT_FLAGS } from "./project.ts";

/** A package as `sdkmanager` names it: `platforms;android-35`, `platform-tools`. */
const PACKAGE = /^[a-z][\w.-]*(?:;[\w.-]+)*$/;
/** The word that asks about licences. */
const LICENCES = "licences";

/** `add`: has the package manager of the Android SDK add packages. */
export const addCommand: Command = {
  doc: "adds packages to the Android SDK by its own sdkmanager, on the JDK of builds",
  word: {
    name: "PACKAGE",
    what: `packages as sdkmanager names them, or '${LICENCES}'`,
    known: [],
    isList: true,
  },
  flags: PROJECT_FLAGS,
  prepare({ positionals }) {
    const strange = positionals.find((word) => !PACKAGE.test(word));
    if (strange !== undefined) {
      return fail(
        "usage",
        `${JSON.stringify(strange)} is not a package of the Android SDK: expected ` +
          `"platforms;android-35", "build-tools;35.0.0", or '${LICENCES}'`,
      );
    }
    const packages = positionals.filter((word) => word !== LICENCES);
    const asksLicences = packages.length < positionals.length;
    return ok(async (context) => {
      const { toolchain, output } = context;
      // sdkmanager takes no packages beside its question about licences: they are added after it.
      const runs: readonly (readonly [named: string, words: readonly string[], done: string])[] = [
        ...(asksLicences
          ? [["the licences", ["--licenses"], "Licences asked for in"] as const]
          : []),
        ...(packages.length > 0
          ? [[packages.join(", "), packages, `${packages.join(", ")} added to`] as const]
          : []),
      ];
      const reported: string[] = [];
      let sdk = "";
      for (const [named, words, done] of runs) {
        const manager = await toolchain.sdkManager(words, lookOf(context));
        if (!manager.ok) return manager;
        sdk = manager.value.sdk;
        const own = await ofProject([sdk, manager.value.env["JAVA_HOME"] ?? ""], context);
        if (own !== undefined) {
          return fail(
            "tool-absent",
            `Cannot add ${named} to ${sdk}: ${own} is in the project's folder, whose programs only a ` +
              "build runs",
            "If you trust it, run its sdkmanager yourself",
          );
        }
        output.step(`sdkmanager ${words.join(" ")}`);
        const code = await runHere(manager.value.spawn, manager.value.env);
        if (code !== 0) {
          return fail(
            "process",
            `Cannot add ${named} to ${sdk}: sdkmanager ended with ${code}`,
            "Read the lines above; accept the licence that it shows with y",
          );
        }
        reported.push(`${done} ${sdk}`);
      }
      return ok({ value: { sdk, packages }, text: reported.join("\n"), code: 0 });
    });
  },
};

/** Finds the folder that came with the project, if one did: a project may come from anywhere. */
async function ofProject(
  folders: readonly string[],
  { project, runtime: { files } }: CommandContext,
): Promise<string | undefined> {
  const root = project === undefined ? null : await files.realPath(project.root);
  if (root === null) return undefined;
  const real = await Promise.all(folders.map((folder) => files.realPath(folder)));
  return folders.find((_, index) => isInside(root, real[index] ?? ""));
}

/** Runs a program on this terminal, so that a person answers what it asks; it prints on stderr. */
function runHere(program: Spawn, env: Readonly<Record<string, string>>): Promise<number | string> {
  const { command, args, verbatimArguments } = runnable(program);
  const child = spawn(command, args, {
    env,
    stdio: ["inherit", process.stderr, process.stderr],
    windowsVerbatimArguments: verbatimArguments === true,
  });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(code ?? `${signal}`));
  });
}
