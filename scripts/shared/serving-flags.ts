import type { Flag } from "./command-line.ts";

// The flags of who serves a project. Apart from what serves it, which a command line that only asks for
// help, or is wrong, does not wait for.

/** How a command line says which project is served. */
export const OPEN_FLAGS = {
  project: {
    kind: "value",
    doc:
      "the project's folder, or a .glb; when absent this folder, where it is a project, else a sample",
  },
  new: {
    kind: "switch",
    doc: "make the folder a project first: writes the smallest project.config.json",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** The flags by which a person takes tools away from agents. */
export const OFFER_FLAGS: Readonly<Record<string, Flag>> = {
  toolsets: { kind: "value", doc: "only these groups of tools, such as scene,play" },
  "read-only": { kind: "switch", doc: "only tools that change nothing and start nothing" },
};

/** What draws captures, for the help of who serves a project. */
export const CAPTURES_HELP: string = [
  "Captures are drawn in a browser: in a window that is open at an address which is good once, and",
  "which a capture tells where no browser is found, or POST /api/captures/window; else in Chromium,",
  "Chrome or Edge without a window, which is looked for on PATH and at the usual places.",
  "",
  "Environment:",
  "  SVC_CHROMIUM  the browser to start for captures, an absolute path",
].join("\n");
