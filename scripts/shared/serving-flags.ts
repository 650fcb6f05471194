import type { Flag } from "./command-line.ts";

// The flags of the commands that serve a project. This file does not load the server, so that
// --help and a wrong command line are answered immediately.

/** Flags that choose the project to serve. */
export const OPEN_FLAGS = {
  project: {
    kind: "value",
    doc: "the project's folder, or a .glb (default: this folder if it is a project, else a sample)",
  },
  new: {
    kind: "switch",
    doc: "make the folder a project first, with a minimal project.config.json",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Flags that limit which tools agents get. */
export const OFFER_FLAGS: Readonly<Record<string, Flag>> = {
  toolsets: { kind: "value", doc: "only these groups of tools, for example scene,play" },
  "read-only": { kind: "switch", doc: "only tools that change nothing and start nothing" },
};

/** Help on how captures are drawn. */
export const CAPTURES_HELP: string = [
  "Captures are drawn in a browser: in a capture window if one is open, else in Chromium, Chrome or",
  "Edge without a window, found on PATH or in the usual places. If there is no browser, the capture",
  "answers with an address that opens a window, once; so does POST /api/captures/window.",
  "",
  "Environment:",
  "  SVC_CHROMIUM  the browser to start for captures, an absolute path",
].join("\n");
