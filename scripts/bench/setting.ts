import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isRecord } from "../../lib/core/json.ts";
import { packageRoot } from "../shared/runtime.ts";
import type { Setting } from "./report.ts";
import { versionFrom } from "./shell.ts";

const PACKAGES = ["@modelcontextprotocol/server", "gpt-tokenizer"];

const PROGRAMS = {
  "sha256sum (coreutils)": "sha256sum --version",
  "zip": "zip --version | grep 'This is Zip'",
  "unzip": "unzip -v | head -n 1",
  "rclone": "rclone version --check=false 2>/dev/null | head -n 1 || rclone version | head -n 1",
};

/** Returns the machine of this run. @param now Milliseconds since the epoch. */
export async function readSetting(now: number): Promise<Setting> {
  const { deno, node } = process.versions;
  const [runtime, version] = deno === undefined ? ["Node", node] : ["Deno", deno];
  return {
    date: new Date(now).toISOString().slice(0, 10),
    versions: {
      [runtime]: version,
      ...await programVersions(),
      ...packageVersions(),
    },
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
  };
}

async function programVersions(): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const [name, line] of Object.entries(PROGRAMS)) {
    const version = await versionFrom(line);
    if (version !== null) versions[name] = version;
  }
  return versions;
}

function packageVersions(): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const name of PACKAGES) {
    const path = join(packageRoot(), "node_modules", name, "package.json");
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    versions[name] = isRecord(manifest) ? String(manifest["version"]) : "unknown";
  }
  return versions;
}
