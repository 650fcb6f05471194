import { type Pin, platformKey } from "../pins/pins.ts";
import type { ToolDescriptor } from "../tools/descriptor.ts";
import { pinOf, PINS } from "../tools/tools.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { hostVariable } from "./places.ts";

/** Facts that decide whether tools of the system may be used, read once per question. */
export interface PolicyFacts {
  /** `SVC_PACKAGED=1`. */
  readonly packaged: boolean;
  /** The answer of {@linkcode allowsSystem}. */
  readonly allowSystem: boolean;
}

/** Whether a variable of this editor is switched on. */
function isSwitchedOn(name: string, deps: Pick<ToolchainDeps, "host">): boolean {
  const value = hostVariable(name, deps)?.toLowerCase();
  return value === "1" || value === "true";
}

/** Whether this is the packaged editor and not a development checkout (FIND-11). */
export function isPackaged(deps: Pick<ToolchainDeps, "host">): boolean {
  return isSwitchedOn("SVC_PACKAGED", deps);
}

/**
 * Whether Node is the editor's to bring (BUILD-4): always when packaged, else when
 * `SVC_PROVISION_NODE` says so.
 */
export function bringsNode(deps: Pick<ToolchainDeps, "host">): boolean {
  return isPackaged(deps) || isSwitchedOn("SVC_PROVISION_NODE", deps);
}

/**
 * Whether the toggle is on (FIND-11): the variable, else what was saved, else on in
 * a development checkout and off when packaged.
 *
 * @param saved The toggle of settings.json; absent when it was never set.
 */
export function allowsSystem(
  saved: boolean | undefined,
  deps: Pick<ToolchainDeps, "host">,
): boolean {
  if (isSwitchedOn("SVC_ALLOW_SYSTEM_TOOLCHAIN", deps)) return true;
  return saved ?? !isPackaged(deps);
}

/** Whether system copies of a tool are refused now (FIND-11). */
export function refusesSystem(
  descriptor: ToolDescriptor,
  facts: PolicyFacts,
  deps: Pick<ToolchainDeps, "host" | "pins">,
): boolean {
  if (facts.allowSystem) return false;
  switch (descriptor.refuseSystem) {
    case "always":
      return true;
    case "when-bundled":
      return isBundled(descriptor, deps);
    case "when-node-provisioned":
      return facts.packaged || bringsNode(deps);
    case "when-installable":
      return canAutoInstall(descriptor, deps);
    case "never":
      return false;
  }
}

/** Whether the packaged host brought the tool: then its variable is set. */
export function isBundled(
  descriptor: ToolDescriptor,
  deps: Pick<ToolchainDeps, "host">,
): boolean {
  return descriptor.refuseSystem === "when-bundled" &&
    descriptor.env.some(({ name }) => hostVariable(name, deps) !== null);
}

/** Whether the editor can provide the tool on this machine (FIND-11). */
export function canAutoInstall(
  descriptor: ToolDescriptor,
  deps: Pick<ToolchainDeps, "host" | "pins">,
): boolean {
  return pinFor(descriptor, deps) !== null;
}

/** Returns the pin of a tool for this machine, or `null`. */
export function pinFor(
  { provision }: ToolDescriptor,
  { host, pins = PINS }: Pick<ToolchainDeps, "host" | "pins">,
): Pin | null {
  return provision.kind === "guide" ? null : pinOf(provision.package, platformKey(host), pins);
}
