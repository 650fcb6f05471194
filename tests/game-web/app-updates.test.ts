import assert from "node:assert/strict";
import { test } from "node:test";
import { appUpdates } from "../../lib/game-web/updates.ts";
import { CLOSED_PORT } from "../support/closed-port.ts";

// A mandatory update that waits ends a launch with a notice: it asks to close the app, and has a button only if
// the plugin can restart.

const OTA = {
  enabled: true,
  baseUrl: `http://127.0.0.1:${CLOSED_PORT}`, // a version that waits is found without a network
  publicKey: "A".repeat(43),
  bundleName: "shell",
};
const WAITS = {
  state: { pending: { shell: "v2" } },
  sequence: {},
  launch: { name: "shell", version: "v1", token: "t" },
  pending: { name: "shell", version: "v2", mandatory: true },
};

for (
  const [what, methods, hasButton] of [
    ["the plugin can restart", [{ name: "getState" }, { name: "restart" }], true],
    ["an older plugin cannot restart", [{ name: "getState" }], false],
    ["the plugin does not say what it can do", undefined, false],
  ] as const
) {
  test(`the notice of a mandatory update where ${what}: ${hasButton ? "a button" : "words alone"}`, async () => {
    const asked: string[] = [];
    const header = { name: "SlipwayOta", ...(methods && { methods }) };
    await inApp({
      PluginHeaders: [header],
      nativePromise(_plugin: string, method: string) {
        asked.push(method);
        if (method === "getState") return Promise.resolve(WAITS);
        return Promise.reject(new Error(`${method} is refused`)); // nothing of it reaches the page
      },
      addListener: () => ({ remove: () => Promise.resolve() }),
    }, async () => {
      const said: (readonly [text: string, restart: (() => void) | undefined])[] = [];
      const updates = appUpdates(OTA, 1, {
        wait: () => undefined,
        say: (text, restart) => void said.push([text, restart]),
        hide: () => undefined,
      });
      assert.equal(await updates?.mayLoad(), false);
      assert.equal(said.length, 1);
      const [text, restart] = said[0] ?? [];
      assert.equal(text, "An update is ready. Close the game and open it again.");
      assert.equal(restart !== undefined, hasButton);
      restart?.();
      assert.deepEqual(
        asked.filter((method) => method !== "getState"),
        hasButton ? ["restart"] : [],
      );
    });
  });
}

test("outside an app there are no updates", async () => {
  const notice = { wait: () => undefined, say: () => undefined, hide: () => undefined };
  assert.equal(appUpdates(OTA, 1, notice), null);
  const others = { PluginHeaders: [{ name: "SplashScreen" }] };
  await inApp(others, () => Promise.resolve(assert.equal(appUpdates(OTA, 1, notice), null)));
});

/** Runs `work` in the page of an app with that bridge. */
async function inApp(bridge: object, work: () => Promise<void>): Promise<void> {
  Object.defineProperty(globalThis, "Capacitor", { value: bridge, configurable: true });
  try {
    await work();
  } finally {
    Reflect.deleteProperty(globalThis, "Capacitor");
  }
}
