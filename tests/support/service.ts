import assert from "node:assert/strict";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { openService, type Service } from "../../lib/service/mod.ts";

/** The service of a project in a folder. */
export async function serviceOf(
  runtime: Runtime,
  project: string,
  token?: string,
): Promise<Service> {
  const opened = await openService({ runtime, project, version: "0.0.0-test", token });
  assert.ok(opened.ok, opened.ok ? "" : opened.error.detail);
  return opened.value;
}
