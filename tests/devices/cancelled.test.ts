import assert from "node:assert/strict";
import { test } from "node:test";
import { createDevices } from "../../lib/devices/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

/** Work that never ends, as of a disk or a program that does not answer. */
const never = () => new Promise<never>(() => {});

for (const silent of ["findAdb", "bridgeAddress"] as const) {
  test(`a caller of Devices.list() that hangs up does not wait for ${silent}()`, async () => {
    const runtime = await loadRuntime();
    await withFolder(async (userData) => {
      const devices = createDevices({
        ...runtime,
        host: { ...runtime.host, userData },
        findAdb: () => Promise.resolve(null),
        bridgeAddress: () => Promise.resolve(null),
        [silent]: never,
      });
      const caller = new AbortController();
      const listing = devices.list(caller.signal);
      caller.abort(new DOMException("The caller has hung up", "AbortError"));
      await assert.rejects(listing, { name: "AbortError" });
      await devices.close();
    });
  });
}
