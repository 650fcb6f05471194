import { own } from "../core/json.ts";
import {
  bundleZipPath,
  cheaperWay,
  contentPath,
  EMBEDDED,
  type Manifest,
  planStage,
  publicUrl,
  type StagePlan,
  type StageUpdateRequest,
} from "../ota-format/mod.ts";
import { bounded } from "./bounded.ts";
import {
  type Base,
  FILE_FAILURES,
  type KnownState,
  type PluginDependencies,
  readBase,
  type StageOutcome,
  toStageResult,
} from "./plugin.ts";

/** A version to stage, and the device's state. */
export interface StageInput {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  readonly manifest: Manifest;
  /** Input of both operations: the version, its manifest as text, and the release. */
  readonly target: Omit<StageUpdateRequest, "zipUrl">;
  readonly device: KnownState;
}

/**
 * Has the plugin stage a version, the cheaper way (DIFF-4). Its duration depends on the bundle's
 * size.
 *
 * @returns `null` if there is neither a base to build on nor a bundle archive.
 */
export async function stage(
  dependencies: PluginDependencies,
  { baseUrl, manifest, target, device }: StageInput,
): Promise<StageOutcome | null> {
  const { native, signal } = dependencies;
  const { name, version, bundleZip } = manifest;
  const until = { signal };
  const stageZip = async () => {
    const zipUrl = publicUrl(baseUrl, bundleZipPath(name, version));
    const request = { ...target, zipUrl };
    return toStageResult(await bounded("staging", until, () => native.stageUpdate(request)));
  };
  const planned = await planOver(dependencies, manifest, device);
  if (planned === null) return bundleZip ? await stageZip() : null;
  const { base, plan } = planned;
  const plansMore = device.staged !== null; // copies with a base and a URL of their own (DEV-17)
  if (cheaperWay(plan, manifest, device.partial) === "zip") return await stageZip();
  const located = <T extends { readonly path: string }>(file: T): T & { readonly url: string } => {
    const hash = own(manifest.files, file.path)?.hash ?? "";
    return { ...file, url: publicUrl(baseUrl, contentPath(name, version, hash)) };
  };
  const request = {
    ...target,
    base,
    copy: plansMore ? plan.copy.map(located) : plan.copy,
    download: plan.download.map(({ path }) => located({ path })),
  };
  const delta = toStageResult(
    await bounded("staging", until, () => native.stageUpdateDelta(request)),
  );
  // CHECK-7
  const isFile = !delta.ok && FILE_FAILURES.some((code) => code === delta.code);
  return isFile && bundleZip ? await stageZip() : delta;
}

/** Bases that a plan looks at: reading one takes as long as its manifest is large. */
const MOST_BASES = 5;

/**
 * Plans over the bases that the device has, the running bundle first, until nothing is left to
 * download. For a plugin that does not list its bases, asks for one: the active version, or the
 * embedded bundle (DEV-17).
 */
async function planOver(
  dependencies: PluginDependencies,
  manifest: Manifest,
  { active, pending, staged }: KnownState,
): Promise<{ readonly base: string; readonly plan: StagePlan } | null> {
  const newest = [...staged ?? []].reverse();
  const places = new Set(
    [active, pending, EMBEDDED, ...newest].filter((at) => typeof at === "string"),
  );
  const bases: Base[] = [];
  let planned = null;
  for (const at of [...places].slice(0, MOST_BASES)) {
    const base = await readBase(dependencies, manifest.name, at);
    if (base === null) continue;
    bases.push(base);
    const [first = base, ...others] = bases;
    const plan = planStage(first, manifest, others);
    planned = { base: first.at, plan };
    if (staged === null || plan.download.length === 0) break;
  }
  return planned;
}
