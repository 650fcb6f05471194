import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { litterOf, offerStandIn, startVendor } from "./install-world.ts";
import { both, commands, startChild } from "./install-processes.ts";
import { folder } from "./real-machine.ts";

// Two installers at once, on both runtimes.

const vendor = await startVendor();
afterTests(() => vendor.close());

for (const [ownerName, owner, waiter] of [["Node", 0, 1], ["Deno", 1, 0]] as const) {
  test(
    `two installers at once, ${ownerName} first: one installs, the other tells its log, both succeed`,
    both,
    async () => {
      const toolchainDir = join(folder(), "töol chain");
      const pins = await offerStandIn(vendor, "jdk", 1);
      vendor.asked.length = 0;
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      vendor.fault = (request, response) =>
        void held.then(() => response.end(vendor.bodies.get(request.url ?? "")));
      const [first, second] = [commands()[owner], commands()[waiter]];
      assert.ok(first !== undefined && second !== undefined);
      const one = startChild(first, { id: "java", toolchainDir, pins });
      await one.said("phase download");
      const two = startChild(second, { id: "java", toolchainDir, pins });
      await two.said("log Another process");
      letGo();
      const results = await Promise.all([one.said("result"), two.said("result")]);
      vendor.fault = null;
      for (const result of results) assert.match(result, /^result \{"ok":true/);
      assert.ok(two.lines.includes("log java 21.0.1 works"), two.lines.join("\n"));
      assert.equal(two.lines.some((line) => line.startsWith("phase download")), false);
      assert.equal(vendor.asked.length, 1);
      await Promise.all([one.ended, two.ended]);
      assert.deepEqual(litterOf(toolchainDir), []);
    },
  );

  test(
    `an installer on ${ownerName} that is killed is taken over by the one that waits`,
    both,
    async () => {
      const toolchainDir = join(folder(), "töol chain");
      const pins = await offerStandIn(vendor, "jdk", 1);
      const [first, second] = [commands()[owner], commands()[waiter]];
      assert.ok(first !== undefined && second !== undefined);
      const one = startChild(first, { id: "java", toolchainDir, pins, stopAt: "built" });
      await one.said("phase built");
      const waiters = [second, second].map((command) =>
        startChild(command, { id: "java", toolchainDir, pins })
      );
      await Promise.all(waiters.map((each) => each.said("log Another process")));
      one.process.kill("SIGKILL");
      const results = await Promise.all(waiters.map((each) => each.said("result")));
      for (const result of results) assert.match(result, /^result \{"ok":true/);
      const builders = waiters.filter(({ lines }) => lines.includes("phase build"));
      assert.equal(builders.length, 1);
      await Promise.all(waiters.map((each) => each.ended));
      assert.deepEqual(litterOf(toolchainDir), []);
    },
  );
}
