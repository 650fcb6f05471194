import { test } from "node:test";
import assert from "node:assert/strict";
import type { Platform } from "../../lib/ports/host.ts";
import { openerOf } from "../../scripts/demo/open-address.ts";

const URL = "http://127.0.0.1:4748/";
/** The machine, what it says of its screen, and what opens an address there. */
const MACHINES: readonly (readonly [Platform, Record<string, string>, readonly string[] | null])[] =
  [
    ["darwin", {}, ["open", URL]],
    ["darwin", { SSH_CONNECTION: "10.0.0.2 50000 10.0.0.1 22" }, null],
    ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler", URL]],
    ["linux", { DISPLAY: ":0" }, ["xdg-open", URL]],
    ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open", URL]],
    ["linux", { DISPLAY: "" }, null],
    ["linux", {}, null],
  ];

for (const [platform, variables, expected] of MACHINES) {
  test(`openerOf() on ${platform} with ${JSON.stringify(variables)}`, () => {
    assert.deepEqual(openerOf({ platform, env: (name) => variables[name] }, URL), expected);
  });
}
