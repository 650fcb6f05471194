import { test } from "node:test";
import assert from "node:assert/strict";
import { listedTool } from "../../lib/agent/mcp.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { withSampleService } from "../support/project-service.ts";

// What clients are told of every tool: who asks a person before a call goes by this.

/** `adds`: nothing is lost by it. `again`: a second equal call changes nothing more. */
type Effect = "reads" | "adds" | "adds again" | "changes" | "changes again";

const EFFECTS: Readonly<Record<string, Effect>> = {
  tools: "changes",
  batch: "changes",
  svc_get_scene_state: "reads",
  svc_scene_edit: "changes",
  undo: "changes",
  redo: "changes",
  get_history: "reads",
  list_scenes: "reads",
  open_scene: "changes",
  new_scene: "changes",
  save_scene: "changes again",
  validate_scene: "reads",
  create_entity: "adds",
  duplicate_entity: "adds",
  delete_entities: "changes",
  reparent_entity: "changes again",
  rename_entity: "changes again",
  set_fields: "changes again",
  set_transform: "changes again",
  add_trait: "adds",
  remove_trait: "changes",
  find_references: "reads",
  resolve_refs: "reads",
  spatial_query: "reads",
  instantiate_prefab: "adds",
  create_prefab: "changes",
  detach_prefab: "changes",
  get_editor_state: "reads",
  set_selection: "adds again",
  set_view: "adds again",
  focus_entity: "adds again",
  list_traits: "reads",
  list_assets: "reads",
  get_asset: "reads",
  get_asset_schema: "reads",
  create_asset: "adds",
  write_asset: "changes",
  set_asset_meta: "changes again",
  import_file: "adds",
  move_asset: "adds",
  delete_asset: "changes",
  find_asset_uses: "reads",
  set_animation_key: "changes again",
  set_animation_clip: "changes again",
  get_timeline: "reads",
  set_timeline_item: "changes",
  svc_get_layout_bounds: "reads",
  play_control: "adds again",
  step_play: "adds",
  set_time_scale: "adds again",
  play_clip: "adds",
  run_until: "adds",
  handles: "reads",
  tap_handle: "adds",
  drag_handle: "changes",
  tap: "adds",
  press_key: "adds",
  list_actions: "reads",
  dispatch_action: "adds",
  get_console_logs: "reads",
  svc_diagnose: "reads",
  watch: "changes",
  journal: "reads",
  editor_journal: "reads",
  capture_viewport: "adds",
  device_list: "adds",
  device_screenshot: "changes",
  device_tap: "adds",
  device_drag: "adds",
  device_eval: "changes",
  device_console_logs: "reads",
  device_native_logs: "reads",
  render_scene: "adds",
  capture_region: "adds",
  compare_captures: "adds",
  render_sequence: "adds",
  capture_gesture: "adds",
  get_project: "reads",
  set_project_settings: "changes again",
  toolchain_status: "reads",
  get_tool_guide: "reads",
  preflight_build: "reads",
  install_tool: "adds again",
  uninstall_tool: "changes again",
  set_toolchain: "adds again",
  build_project: "changes",
  svc_ota_publish: "changes",
  svc_ota_status: "reads",
  svc_ota_keygen: "adds",
  install_missing: "adds again",
  svc_ota_history: "reads",
  svc_ota_verify: "adds again",
  svc_ota_prune: "changes",
  svc_ota_rollback: "changes",
  phone_state: "reads",
  phone_do: "changes",
  job_get: "reads",
  job_cancel: "changes",
};

/** Tools that reach beyond what is open: the machine, phones, a bucket. */
const BEYOND = [
  "tools",
  "device_list",
  "device_screenshot",
  "device_tap",
  "device_drag",
  "device_eval",
  "device_console_logs",
  "device_native_logs",
  "toolchain_status",
  "preflight_build",
  "install_tool",
  "uninstall_tool",
  "set_toolchain",
  "build_project",
  "svc_ota_publish",
  "svc_ota_status",
  "svc_ota_keygen",
  "install_missing",
  "svc_ota_history",
  "svc_ota_verify",
  "svc_ota_prune",
  "svc_ota_rollback",
  "phone_do",
];

function effectOf(
  { readOnlyHint = false, destructiveHint = true, idempotentHint = false }: NonNullable<
    ReturnType<typeof listedTool>["annotations"]
  >,
): string {
  if (readOnlyHint) return "reads";
  return `${destructiveHint ? "changes" : "adds"}${idempotentHint ? " again" : ""}`;
}

test("every tool is annotated as what it does, also beyond the project", () => {
  const reported = TOOLS.map((tool) => [tool.name, listedTool(tool).annotations ?? {}] as const);
  assert.deepEqual(
    Object.fromEntries(reported.map(([name, hints]) => [name, effectOf(hints)])),
    EFFECTS,
  );
  const beyond = reported.filter(([, { openWorldHint = true }]) => openWorldHint);
  assert.deepEqual(beyond.map(([name]) => name), BEYOND);
});

test("no tool says an annotation that the protocol presumes", () => {
  const presumed = [
    ["readOnlyHint", false],
    ["destructiveHint", true],
    ["idempotentHint", false],
    ["openWorldHint", true],
  ] as const;
  for (const tool of TOOLS) {
    const hints = new Map(Object.entries(listedTool(tool).annotations ?? {}));
    for (const [hint, value] of presumed) assert.notEqual(hints.get(hint), value, tool.name);
  }
});

/** Arguments with which a tool that may be called again does something. */
const AGAIN: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["rename_entity", { id: 2, name: "Renamed" }],
  ["set_fields", { id: 2, trait: "Transform", fields: { x: 4.5 } }],
  ["set_transform", { id: 2, position: [1, 2, 3] }],
  ["reparent_entity", { id: 3, parentId: 0, index: 0 }],
  ["save_scene", { path: "assets/scenes/again.scene.json" }],
  ["set_selection", { ids: [2, 3] }],
  ["set_view", { mode: "2d", width: 800 }],
  ["focus_entity", { id: 2 }],
  ["set_project_settings", { values: { name: "Again" } }],
  ["play_control", { action: "stop" }],
  ["set_time_scale", { scale: 2 }],
];
test("a tool that may be called again changes nothing the second time", () =>
  withSampleService(async ({ call, editor, root }) => {
    const standing = async () => {
      const { entities } = await editor.sceneState();
      const { undo } = editor.editing.history();
      return JSON.stringify([
        entities,
        undo.length,
        editor.view.state(),
        editor.play.state(),
        root,
      ]);
    };
    for (const [name, args] of AGAIN) {
      assert.match(EFFECTS[name] ?? "", /again$/, name);
      const first = await call(name, args);
      assert.equal(first.status, 200, `${name}: ${first.text}`);
      const after = await standing();
      const second = await call(name, args);
      assert.equal(second.status, 200, `${name}: ${second.text}`);
      assert.equal(await standing(), after, name);
    }
  }));

/** Tools that edit entities of the open scene. */
const EDITS = [
  "svc_scene_edit",
  "create_entity",
  "duplicate_entity",
  "delete_entities",
  "reparent_entity",
  "rename_entity",
  "set_fields",
  "set_transform",
  "add_trait",
  "remove_trait",
  "instantiate_prefab",
  "create_prefab",
  "detach_prefab",
  "drag_handle",
];
for (const name of EDITS) {
  test(`${name} can be undone, and takes if_rev= and echo=`, () => {
    const tool = TOOLS.find((known) => known.name === name);
    assert.equal(tool?.undoable, true);
    const parameters = tool.parameters.map((parameter) => parameter.name);
    assert.ok(parameters.includes("if_rev") && parameters.includes("echo"), parameters.join());
  });
}
