import { join } from "node:path";
import { openProject } from "../../lib/project/open.ts";
import {
  createBuilds,
  createEditorPage,
  createInstalls,
  createProjectSettings,
  createUpdates,
} from "../../lib/project/mod.ts";
import { Jobs } from "../../lib/core/jobs.ts";
import { createHandler } from "../../lib/http/mod.ts";
import { createAgentToolchain, type Service } from "../../lib/service/mod.ts";
import type { Pins } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { plainHost, toolchainFor } from "../toolchain/install-world.ts";
import type { Page } from "playwright-core";
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
  const jobs = new Jobs({ now: () => clock.monotonic(), time: () => clock.now() });
  const opened = await openProject({ ...runtime, root });
  if (!opened.ok) throw new Error(opened.error.detail);
  const { editor, fresh } = opened.value;
  const toolchain = toolchainFor(pins, { host, clock });
  const parts = { ...runtime, syncStat, toolchain, jobs, root };
  const services = {
    editor,
    jobs,
    clock,
    toolchain: createAgentToolchain(toolchain),
    installs: createInstalls({ toolchain, jobs, clock }),
    builds: createBuilds(parts),
    updates: createUpdates(parts),
    project: createProjectSettings({ ...runtime, root, editor, fresh }),
  };
  const page = createEditorPage(native);
  return {
    handler: createHandler({
      services,
      clock,
      page,
      hostname: "127.0.0.1",
      version: "0.0.0-test",
    }),
    services,
    jobs,
    root,
    servedAt: () => {},
    servedOnDemand: () => {},
    async close() {
      await jobs.cancelAll();
      await editor.close();
    },
  };
}

/** Presses what a question offers. */
export async function answer(page: Page, title: string, button: string): Promise<void> {
  const question = page.getByRole("dialog", { name: title });
  await question.getByRole("button", { name: button, exact: true }).click();
  await question.waitFor({ state: "detached" });
}
