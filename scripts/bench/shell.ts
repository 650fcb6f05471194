import { spawn } from "node:child_process";

/**
 * Runs a line in the POSIX shell.
 *
 * @param args `$1`, `$2`, … of the line.
 * @returns Its output.
 * @throws {Error} When it fails.
 */
export function runShell(
  line: string,
  folder: string,
  args: readonly string[] = [],
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", line, "sh", ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => stdout += chunk);
    child.stderr.on("data", (chunk) => stderr += chunk);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`Cannot run ${JSON.stringify(line)}: exit code ${code}: ${stderr}`));
    });
  });
}

/** Returns those of `names` that are missing on this machine; all of them without a POSIX shell. */
export async function missingPrograms(names: readonly string[]): Promise<readonly string[]> {
  const present = await Promise.all(
    names.map((name) => runShell(`command -v ${name}`, ".").then(() => true, () => false)),
  );
  return names.filter((_, i) => !present[i]);
}

/** Returns the first version number that a line prints, or `null` if it cannot run. */
export async function versionFrom(line: string): Promise<string | null> {
  const printed = await runShell(line, ".").catch(() => "");
  return /\d+(\.\d+)+/.exec(printed)?.[0] ?? null;
}
