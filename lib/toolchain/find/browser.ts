import { type LookupOptions, programAt, programsIn, searchPath } from "../../programs/mod.ts";
import type { Places } from "../tools/descriptor.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { expandPlaces, hostVariable } from "./places.ts";

// The browser that captures are drawn by. It is not a build tool: no build needs it, nothing installs it,
// and it stands in no status of tools.

/** The variable that names it. */
export const BROWSER_VARIABLE = "SVC_CHROMIUM";

/** The builds without a window come first: they draw the same, in half of the CPU time. */
const NAMES = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "microsoft-edge-stable",
  "msedge",
];

/** Folders of the program itself. */
const PLACES: Places = {
  linux: ["/usr/bin", "/opt/google/chrome", "/opt/microsoft/msedge", "/snap/bin"],
  darwin: ["", "~"].flatMap((root) => [
    `${root}/Applications/Google Chrome.app/Contents/MacOS`,
    `${root}/Applications/Chromium.app/Contents/MacOS`,
    `${root}/Applications/Microsoft Edge.app/Contents/MacOS`,
  ]),
  win32: ["%ProgramFiles%", "%ProgramFiles(x86)%", "%LOCALAPPDATA%"].flatMap((root) => [
    `${root}/Google/Chrome/Application`,
    `${root}/Chromium/Application`,
    `${root}/Microsoft/Edge/Application`,
  ]),
};

/** Names of the program within these folders on macOS. */
const MAC_NAMES = ["Google Chrome", "Chromium", "Microsoft Edge"];

/** A browser that can be started, or why there is none, as the end of a sentence. */
export type BrowserFinding =
  | { readonly present: true; readonly path: string }
  | { readonly present: false; readonly reason: string };

/** Finds Chromium, Chrome or Edge: by its variable, on PATH, at the usual places. Runs nothing. */
export async function findBrowser(
  deps: Pick<ToolchainDeps, "files" | "host" | "syncStat">,
): Promise<BrowserFinding> {
  const { host, syncStat } = deps;
  const lookup: LookupOptions = {
    platform: host.platform,
    env: host.environment(),
    stat: syncStat,
  };
  const named = hostVariable(BROWSER_VARIABLE, deps);
  if (named !== null) {
    const path = programAt(named, lookup);
    return path === null
      ? { present: false, reason: `${BROWSER_VARIABLE} names ${named}, where no program is` }
      : { present: true, path };
  }
  const [onPath] = NAMES.flatMap((name) => searchPath(name, lookup));
  if (onPath !== undefined) return { present: true, path: onPath };
  const folders = await expandPlaces(PLACES, "/", deps);
  const [usual] = folders.flatMap((folder) =>
    [...NAMES, ...MAC_NAMES].flatMap((name) => programsIn(folder, name, lookup))
  );
  return usual !== undefined
    ? { present: true, path: usual }
    : { present: false, reason: "no Chromium, Chrome or Edge is on PATH or at the usual places" };
}
