import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import { hostVariable } from "../find/places.ts";
import { readSettings } from "../installed/settings.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";

const VARIABLE = "SVC_TOOLCHAIN_MIRRORS";

/** The mirrors, as a download takes them. */
export interface MirrorSettings {
  /** URL prefix to replacement prefix. */
  readonly mirrors: Readonly<Record<string, string>>;
  /** Name of their setting, for the message of a mirror that fails. */
  readonly mirrorsSetBy: string;
}

/**
 * The mirrors: `mirrors` of settings.json, and above it the JSON of SVC_TOOLCHAIN_MIRRORS. Both are
 * objects of URL prefix to replacement prefix. A mirror's bytes are checked as the vendor's are.
 */
export async function readMirrors(
  context: Pick<ToolchainDeps, "host"> & { readonly folder: ToolchainFolder },
): Promise<Result<MirrorSettings, InstallFailure>> {
  const { members, path } = await readSettings(context.folder);
  const saved = asMirrors(members["mirrors"] ?? {});
  const setting = `"mirrors" of ${path}`;
  if (saved === null) return refuse(setting);
  const given = hostVariable(VARIABLE, context);
  const named = asMirrors(given === null ? {} : parseJson(given));
  if (named === null) return refuse(VARIABLE);
  const places = [
    ...(Object.keys(named).length > 0 ? [VARIABLE] : []),
    ...(Object.keys(saved).length > 0 ? [setting] : []),
  ];
  return ok({ mirrors: { ...saved, ...named }, mirrorsSetBy: places.join(" or ") });
}

function refuse(where: string): Result<never, InstallFailure> {
  return failInstall(
    "io",
    `Cannot use ${where}: expected a JSON object of https address to address`,
    'Write it like {"https://nodejs.org/dist/": "https://mirror.example/node/"}',
  );
}

function asMirrors(value: unknown): Record<string, string> | null {
  if (!isRecord(value)) return null;
  const mirrors: Record<string, string> = {};
  for (const [prefix, replacement] of Object.entries(value)) {
    if (typeof replacement !== "string" || !isWebAddress(prefix)) return null;
    if (!isWebAddress(replacement)) return null;
    mirrors[prefix] = replacement;
  }
  return mirrors;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text);
}
