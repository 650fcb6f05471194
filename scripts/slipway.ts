#!/usr/bin/env node
import { runScript } from "./shared/cli.ts";
import type { CommandName } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import { type CommandModule, createProgram, type Program } from "./shared/program.ts";

// All commands as one program. A command is loaded when it is called.

const MODULES: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  start: () => import("./start.ts"),
  mcp: () => import("./mcp.ts"),
  build: () => import("./build.ts"),
  replay: () => import("./replay.ts"),
  toolchain: () => import("./toolchain.ts"),
  keygen: () => import("./ota-keygen.ts"),
  publish: () => import("./ota-publish.ts"),
  verify: () => import("./ota-verify.ts"),
  history: () => import("./ota-history.ts"),
  rollback: () => import("./ota-rollback.ts"),
  prune: () => import("./ota-prune.ts"),
  "embed-manifest": () => import("./ota-embed-manifest.ts"),
  "ota-doctor": () => import("./ota-doctor.ts"),
  device: () => import("./ota-device.ts"),
  demo: () => import("./demo.ts"),
};

const PROGRAM: Program = createProgram(MODULES);
export const SPEC: Program["SPEC"] = PROGRAM.SPEC;
export const findCall: Program["findCall"] = PROGRAM.findCall;
export const main: Program["main"] = PROGRAM.main;

if (isMain(import.meta)) await runScript(main);
