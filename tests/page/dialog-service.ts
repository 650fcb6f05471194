import { join } from "node:path";
import type { Page } from "playwright-core";
import { createHandler } from "../../lib/http/mod.ts";
import {
  createBuilds,
  createEditorPage,
  createInstalls,
  createUpdates,
} from "../../lib/project/mod.ts";
import { createAgentToolchain, type Service } from "../../lib/service/mod.ts";
import type { Pins } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { plainHost, toolchainFor } from "../toolchain/install-world.ts";
import { syncStat } from "../toolchain/real-machine.ts";

/** A service of a user who has nothing yet, whose toolchain installs from these pins. */
export async function openDialogService(
  root: string,
  folder: string,
  pins: Pins,
): Promise<Service> {
  const native = await loadRuntime();
  const host = plainHost(join(folder, "me"));
  const runtime = { ...native, host };
  const { clock } = native;
  const service = await serviceOf(runtime, root);
  const { jobs } = service;
  const toolchain = toolchainFor(pins, { host, clock });
  const parts = { ...runtime, syncStat, toolchain, jobs, root };
  const services = {
    ...service.services,
    jobs,
    toolchain: createAgentToolchain(toolchain),
    installs: createInstalls({ toolchain, jobs, clock }),
    builds: createBuilds(parts),
    updates: createUpdates(parts),
  };
  const handler = createHandler({
    services,
    clock,
    page: createEditorPage(native),
    hostname: "127.0.0.1",
    version: "0.0.0-test",
  });
  return { ...service, services, handler };
}

/** Presses what a question offers. */
export async function answer(page: Page, title: string, button: string): Promise<void> {
  const question = page.getByRole("dialog", { name: title });
  await question.getByRole("button", { name: button, exact: true }).click();
  await question.waitFor({ state: "detached" });
}
