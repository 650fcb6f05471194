#!/usr/bin/env node
import { runScript } from "./shared/cli.ts";
import { createProgram } from "./shared/program.ts";

// The commands of publishing as a program: the package `slipway-publish`, which brings them to CI
// without the editor.

await runScript(
  createProgram({
    keygen: () => import("./ota-keygen.ts"),
    publish: () => import("./ota-publish.ts"),
    verify: () => import("./ota-verify.ts"),
    history: () => import("./ota-history.ts"),
    rollback: () => import("./ota-rollback.ts"),
    prune: () => import("./ota-prune.ts"),
    "embed-manifest": () => import("./ota-embed-manifest.ts"),
  }).main,
);
