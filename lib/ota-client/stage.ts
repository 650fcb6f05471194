import { own } from "../core/json.ts";
import {
  bundleZipPath,
  cheaperWay,
  contentPath,
  type Manifest,
  planStage,
  publicUrl,
} from "../ota-format/mod.ts";
import { bounded } from "./bounded.ts";
import { type Base, type PluginDependencies, type StageOutcome, toStageResult } from "./plugin.ts";

/** What is staged, and what the device may build it from. */
export interface StageInput {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  readonly manifest: Manifest;
  /** The manifest's text. */
  readonly text: string;
  readonly bases: readonly Base[];
  /** Whether the plugin takes copies with a base and a URL of their own (DEV-17). */
  readonly plansMore: boolean;
}

/** What a delta answers when a file of it cannot be had, and the whole bundle may do (CHECK-7). */
const FILE_FAILURES: readonly string[] = [
  "base-missing",
  "missing",
  "hash-mismatch",
  "size-mismatch",
];

/**
 * Has the plugin stage a version, the cheaper way (DIFF-4). It takes as long as the bundle is large.
 *
 * @returns `null` when there is neither a base to build on nor a whole bundle.
 */
export async function stage(
  { native, signal }: Pick<PluginDependencies, "native" | "signal">,
  { baseUrl, manifest, text, bases, plansMore }: StageInput,
): Promise<StageOutcome | null> {
  const { name, version, bundleZip } = manifest;
  const target = { name, version, manifest: text };
  const until = { signal };
  const stageZip = async () => {
    const zipUrl = publicUrl(baseUrl, bundleZipPath(name, version));
    const request = { ...target, zipUrl };
    return toStageResult(await bounded("staging", until, () => native.stageUpdate(request)));
  };
  const [base, ...others] = bases;
  if (base === undefined) return bundleZip ? await stageZip() : null;
  const plan = planStage(
    base.manifest,
    manifest,
    others.map(({ at, manifest: { files } }) => ({ at, files })),
  );
  if (cheaperWay(plan, manifest) === "zip") return await stageZip();
  const located = <T extends { readonly path: string }>(file: T): T & { readonly url: string } => {
    const hash = own(manifest.files, file.path)?.hash ?? "";
    return { ...file, url: publicUrl(baseUrl, contentPath(name, version, hash)) };
  };
  const request = {
    ...target,
    base: base.at,
    copy: plansMore ? plan.copy.map(located) : plan.copy,
    download: plan.download.map(({ path }) => located({ path })),
  };
  const delta = toStageResult(
    await bounded("staging", until, () => native.stageUpdateDelta(request)),
  );
  // A plugin that tells less has one code for a file that is not there and for no network.
  const codes = plansMore ? FILE_FAILURES : [...FILE_FAILURES, "download"];
  const isFile = !delta.ok && codes.includes(delta.code);
  return isFile && bundleZip ? await stageZip() : delta;
}
