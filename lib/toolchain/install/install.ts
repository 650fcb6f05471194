import { FileError } from "../../core/file-error.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Host } from "../../ports/host.ts";
import { artifactFile, getArtifact } from "../download/artifacts.ts";
import { underLock } from "../installed/guarded.ts";
import { recordLicences } from "../installed/licences.ts";
import { missingLibraries, needsLibraries } from "../find/libraries.ts";
import { foreignPlace, readReceipt, type Receipt } from "../installed/receipt.ts";
import { recordEntries, recordFiles } from "../installed/records.ts";
import type { RunOutcome } from "../installed/run-log.ts";
import { swapIn, sweep } from "../installed/swap.ts";
import { inspectPackage } from "../installed/verify.ts";
import type { Pin } from "../pins/pins.ts";
import type { BuildContext, Built, Recipe, WorkContext } from "../recipes/recipe.ts";
import { findOwn } from "../recipes/smoke.ts";
import { otherRuntime } from "../tools/guides.ts";
import type { PackageId, ToolId } from "../tools/ids.ts";
import type { FoundTool } from "../tools/types.ts";
import { cancelled, failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import { checkSpace, explainBySpace } from "./disk.ts";
import { repairInPlace } from "./repair.ts";

/** Dependencies of an installation. */
export interface InstallContext extends WorkContext {
  readonly pin: Pin;
  /** Installs even what is installed and intact. */
  readonly reinstall: boolean;
  /** Whether every byte of what is there is compared before it counts as intact. */
  readonly deep: boolean;
}

/** A package that is in place. */
export interface Installed {
  /** The package. */
  readonly package: PackageId;
  /** The pinned version. */
  readonly version: string;
  /** The first folder of the package. */
  readonly path: string;
}

/**
 * Installs a package: lock, self-check, licences, space, download and unpacking into staging, test
 * there, swap, receipt. What was installed before works until the swap, and after a failure of it.
 */
export async function installPackage(
  recipe: Recipe,
  context: InstallContext,
): Promise<Result<Installed, InstallFailure>> {
  const installed = {
    package: recipe.id,
    version: recipe.version,
    path: context.folder.at(recipe.folders[0] ?? ""),
  };
  return await underLock<Installed>(recipe.id, {
    progress: context.progress,
    signal: context.signal,
    whenTaken: { attach: (outcome) => outcome.ok ? ok(installed) : outcome },
    outcome: (result): RunOutcome => result.ok ? { ...result.value, ok: true } : result,
    work: async ({ token, log, signal }) => {
      const run = { ...context, progress: log, signal };
      try {
        const done = await steps(recipe, token, run);
        return done.ok ? ok(installed) : done;
      } catch (thrown) {
        if (signal.aborted) return cancelled(`finish ${recipe.title}`);
        if (thrown instanceof FileError) return fileFailure(thrown, `install ${recipe.title}`);
        throw thrown;
      }
    },
  }, context);
}

async function steps(
  recipe: Recipe,
  run: string,
  context: InstallContext,
): Promise<Result<void, InstallFailure>> {
  const { files, folder, hashing, progress, signal, pin } = context;
  await sweep(recipe.id, context);
  if (!context.reinstall && await isInPlace(recipe, context)) return ok(undefined);
  const foreign = await foreignPlace(recipe.id, recipe.owns ?? recipe.folders, folder);
  if (foreign !== null) return occupied(recipe, foreign);
  const lacking = await missingLibraries(pin, context);
  if (lacking.length > 0) return unfit(recipe, lacking, context.host);
  await recordLicences(recipe.licences, context);
  const space = await checkSpace({ title: recipe.title, pin }, context);
  if (!space.ok) return space;
  const staging = folder.of(`staging/${recipe.id}-${run}`);
  try {
    const built = await buildTested(recipe, { ...context, staging });
    if (!built.ok) return built;
    const { places, programs } = built.value;
    const records = await recordFiles(staging, places, {
      hashing,
      signal,
      onFile: (done, total) =>
        progress.progress({ phase: "record", label: recipe.title, done, total, unit: "files" }),
    });
    const receipt: Receipt = {
      schema: 1,
      package: recipe.id,
      version: recipe.version,
      platform: `${context.host.platform}-${context.host.arch}`,
      sources: pin.artifacts.map(({ name, url, sha256, sha1 }) => ({
        name,
        url,
        ...(sha256 !== undefined && { sha256 }),
        ...(sha1 !== undefined && { sha1 }),
      })),
      places,
      entries: await recordEntries(staging, [...built.value.entries, ...programs], context),
      files: records.length,
      bytes: records.reduce((sum, { size }) => sum + size, 0),
      installedAt: new Date(context.clock.now()).toISOString(),
      run,
    };
    if (signal.aborted) return cancelled(`put ${recipe.title} in its place`);
    const swapped = await swapIn(staging, { receipt, records }, context);
    if (!swapped.ok) return swapped;
    const spent = [
      ...pin.artifacts.map((artifact) => artifactFile(artifact, folder)),
      ...(built.value.spent ?? []).map((place) => folder.at(place)),
    ];
    for (const path of spent) await files.remove(path).catch(() => undefined); // it is installed
    progress.log(`Installed ${recipe.title}`);
    return ok(undefined);
  } finally {
    await files.remove(staging.root).catch(() => undefined); // the next run sweeps what is left
  }
}

function unfit(
  { title, tools: [tool] }: Recipe,
  lacking: readonly string[],
  { cli }: Host,
): Result<never, InstallFailure> {
  return failInstall(
    "not-installable",
    `Cannot install ${title}: it ${needsLibraries(lacking)}`,
    tool === undefined
      ? "Install them first"
      : `'${cli} toolchain guide ${tool}' tells how to get them`,
  );
}

function occupied({ title }: Recipe, path: string): Result<never, InstallFailure> {
  return failInstall(
    "occupied",
    `Cannot install ${title}: ${path} is there, and the editor did not install it`,
    "Move it away or remove it, and install again",
  );
}

async function buildTested(
  recipe: Recipe,
  context: InstallContext & { readonly staging: ToolchainFolder },
): Promise<Result<Tested, InstallFailure>> {
  const { files, progress, signal, staging, pin } = context;
  const building: BuildContext = {
    ...context,
    download: (artifact) => getArtifact(artifact, context),
  };
  for (let attempt = 1;; attempt++) {
    await files.makeDirectory(staging.root);
    const built = await recipe.build(building);
    if (signal.aborted) return cancelled(`build ${recipe.title}`);
    const tested = built.ok ? await test(recipe, built.value, context) : built;
    if (tested.ok) return tested;
    await files.remove(staging.root).catch(() => undefined); // what is left is swept, or tried again
    const failure = await explainBySpace(tested.error, { title: recipe.title, pin }, context);
    const again = attempt === 1 && recipe.triesTwice === true && isWorthAnotherTry(failure);
    if (!again) return err(failure);
    progress.log(`${failure.message}: once more from scratch`);
    await files.remove(staging.root);
  }
}

/** Whether npm is worth another run: it retries missing responses itself, not interrupted ones. */
function isWorthAnotherTry({ code }: InstallFailure): boolean {
  return code === "smoke-test" || code === "process" || code === "hash" || code === "short";
}

/** A result that was tested. */
interface Tested extends Built {
  /** The programs that its tools were found by, where they are not entries; paths as of those. */
  readonly programs: readonly string[];
}

async function test(
  recipe: Recipe,
  built: Built,
  context: InstallContext & { readonly staging: ToolchainFolder },
): Promise<Result<Tested, InstallFailure>> {
  const { entries } = built;
  const { progress, staging, syncStat } = context;
  const programs: string[] = [];
  for (const path of entries) {
    if (syncStat(staging.at(path)).kind === "file") continue;
    return failInstall(
      "smoke-test",
      `Cannot use what was installed as ${recipe.title}: it has no ${path}`,
      "Install it again; if that does not help, send this message with the log",
    );
  }
  for (const [i, id] of recipe.tools.entries()) {
    const total = recipe.tools.length;
    progress.progress({ phase: "test", label: id, done: i, total, unit: "programs" });
    const found = await findOwn(id, staging, context);
    if (!found.ok) return found;
    progress.progress({ phase: "test", label: id, done: i + 1, total, unit: "programs" });
    progress.log(`${id} ${versionText(found.value)} works`);
    if (found.value.kind !== "binary") continue;
    const program = found.value.path.slice(staging.root.length + 1).replaceAll("\\", "/");
    if (!entries.includes(program)) programs.push(program);
  }
  return ok({ ...built, programs });
}

function versionText({ version }: FoundTool): string {
  return version ?? "of unknown version";
}

/**
 * Whether the pinned version is in place and as it was installed. Lost properties other than
 * bytes, such as a permission, are restored immediately.
 */
async function isInPlace(recipe: Recipe, context: InstallContext): Promise<boolean> {
  const { progress, signal } = context;
  const receipt = await readReceipt(recipe.id, context.folder);
  if (receipt?.version !== recipe.version) return false;
  let damage = await inspectPackage(recipe, receipt, context);
  const isCured = damage.length > 0 && damage.every(({ cure }) => cure !== undefined);
  if (isCured) {
    for (const { text } of damage) progress.log(`${text}: setting it right`);
    await recordLicences(recipe.licences, context);
    await repairInPlace(damage, context.folder);
    damage = await inspectPackage(recipe, receipt, context); // what could not be read can be now
  }
  if (signal.aborted) return false;
  const [first] = damage;
  const more = damage.length > 1 ? ` (and ${damage.length - 1} more)` : "";
  if (first !== undefined) {
    progress.log(`${recipe.title} is damaged: ${first.text}${more}; installing it again`);
    return false;
  }
  if (!await isUsable(recipe, receipt, context)) return false;
  progress.log(
    isCured
      ? `${recipe.title} is as it was installed again; nothing was downloaded`
      : `Installed already: ${recipe.title}`,
  );
  return true;
}

/** Whether the tools can be run. A receipt of an older version has no permissions: then each tool is tried. */
async function isUsable(
  recipe: Recipe,
  receipt: Receipt,
  context: InstallContext,
): Promise<boolean> {
  const { host, folder } = context;
  if (host.platform === "win32") return true;
  if (receipt.entries.every(({ mode }) => mode !== undefined)) return true;
  for (const id of recipe.tools) {
    const found = await findOwn(id, folder, context);
    if (found.ok) continue;
    context.progress.log(`${found.error.message}; installing it again`);
    return false;
  }
  return true;
}

/** The failure for a tool that the editor does not provide on this machine. @param verb What was asked for. */
export function notInstallable(
  id: ToolId,
  { platform, arch, cli }: Host,
  verb: "install" | "remove" | "verify" | "repair" = "install",
): Result<never, InstallFailure> {
  return failInstall(
    "not-installable",
    `Cannot ${verb} ${id}: the editor provides none for ${platform}-${arch}`,
    [otherRuntime(id, { platform, arch }), `Follow the guide: ${cli} toolchain guide ${id}`]
      .filter((step) => step !== null).join(" Or: "),
  );
}
