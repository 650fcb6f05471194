import { ok, type Result } from "../../core/result.ts";
import { parentPath } from "../host-paths.ts";
import { artifactBytes, type Pin } from "../pins.ts";
import type { ToolchainDeps } from "../ports.ts";
import { failInstall, type InstallFailure } from "./failure.ts";
import { inFolder } from "./receipt.ts";

/** Room for what the file system itself takes. */
const MARGIN = 1.05;

/** Refuses, before anything is downloaded, what cannot fit: the downloads and what they unpack to. */
export async function checkSpace(
  pin: Pin,
  { toolchainDir, title, ...deps }: Pick<ToolchainDeps, "files" | "host"> & {
    readonly toolchainDir: string;
    readonly title: string;
  },
): Promise<Result<void, InstallFailure>> {
  let needed = pin.unpackedBytes;
  for (const artifact of pin.artifacts) {
    const path = inFolder(`downloads/${artifact.file}`, { toolchainDir, host: deps.host });
    const there = (await statOrNull(path, deps))?.size ?? 0;
    needed += Math.max(0, artifactBytes(artifact) - there);
  }
  const free = await freeSpace(toolchainDir, deps);
  if (free === null || free >= needed * MARGIN) return ok(undefined);
  return failInstall(
    "disk-full",
    `Cannot install ${title}: it takes about ${megabytes(needed * MARGIN)}, and the disk of ` +
      `${toolchainDir} has ${megabytes(free)} left`,
    "Free space on that disk, or set SVC_TOOLCHAIN_DIR to a folder on another one",
  );
}

/** Of the nearest folder that is there; `null` where the system does not tell. */
async function freeSpace(
  folder: string,
  { files, host }: Pick<ToolchainDeps, "files" | "host">,
): Promise<number | null> {
  let at = folder;
  for (;;) {
    const free = await files.freeSpace(at).catch(() => null);
    if (free !== null) return free;
    const parent = parentPath(at, host.platform);
    if (parent === at) return null;
    at = parent;
  }
}

async function statOrNull(path: string, { files }: Pick<ToolchainDeps, "files">) {
  return await files.stat(path).catch(() => null);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
