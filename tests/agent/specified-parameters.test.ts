import assert from "node:assert/strict";
import { test } from "node:test";
import { listedTool } from "../../lib/agent/mcp.ts";
import { isRecord } from "../../lib/core/json.ts";
import { toolNamed } from "../support/ask.ts";

// Every parameter that the specification names is explained where agents read of it: in the tool's
// description, or in the parameter's own (TOOL-1).

/** The tools of §4.2 and the parameters of §4.1, §4.2 and §2.8. */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  svc_get_scene_state: [
    "full",
    "trait",
    "id",
    "name",
    "where",
    "limit",
    "world",
    "bounds",
    "precision",
  ],
  svc_get_layout_bounds: ["ids", "layer", "overlaps", "limit"],
  list_assets: ["type", "folder", "name"],
  list_traits: ["name"],
  svc_scene_edit: ["returnScene"],
  get_console_logs: ["limit"],
  watch: ["samples"],
  handles: ["editor", "kind", "ids"],
  tap_handle: ["handle"],
  device_screenshot: ["savePath", "inline"],
  device_console_logs: ["limit"],
  device_native_logs: ["limit"],
  svc_ota_publish: ["bundle", "version", "mandatory", "bucket"],
};

/** The words that `tools/list` has for a parameter; empty for a bare type. */
function wordsFor(name: string, parameter: string): string {
  const { description = "", inputSchema } = listedTool(toolNamed(name));
  const schema = Object.entries(inputSchema.properties ?? {}).find(([one]) => one === parameter);
  assert.ok(schema !== undefined, `${name} has no ${parameter}`);
  const own = isRecord(schema[1]) ? schema[1]["description"] : undefined;
  const [said = ""] = new RegExp(`\\b${parameter}=[^;.]*`).exec(description) ?? [];
  return [said, typeof own === "string" ? own : ""].join(" ").trim();
}

for (const [name, parameters] of Object.entries(SPECIFIED)) {
  test(`no specified parameter of ${name} is a bare type in tools/list`, () => {
    assert.deepEqual(parameters.filter((one) => wordsFor(name, one) === ""), []);
  });
}

test("tools/list says what precision=0, limit= and inline= mean", () => {
  assert.match(wordsFor("svc_get_scene_state", "precision"), /0 exact/);
  assert.match(listedTool(toolNamed("svc_get_scene_state")).description ?? "", /200.*limit=/);
  assert.match(wordsFor("device_screenshot", "inline"), /shows it/);
});
