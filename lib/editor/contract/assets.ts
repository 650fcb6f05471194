import type { ChangedAsset } from "../ports/mod.ts";
import { ASSET_TYPES } from "../files/asset-types.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";
import { create, run, unchanged } from "./editing.ts";

type Authoring = With<"authoring">;
const SOURCE = "agent";
/** A name that no asset has. */
const STRANGE_NAME = "assets/contract/unknown.bin";

/** Making and changing assets, and prefabs. */
export const ASSET_CLAUSES: readonly Clause[] = [
  clause("authoring.schemas() tells types and endings that assets have", ["authoring"], schemas),
  clause("authoring.read() finds an asset by path and by guid", ["authoring"], reads),
  clause("authoring names an asset that there is not", ["authoring"], noSuchAsset),
  clause("authoring.create() makes an asset once", ["authoring"], creates),
  clause("authoring.move() keeps the guid", ["authoring"], moves),
  clause("authoring.write() and remove() are undone whole", ["authoring", "editing"], undone),
  clause("authoring.importFile() stays in the project", ["authoring"], imports),
  clause("prefabs.create() keeps entities, instantiate() makes them again", [
    "prefabs",
    "editing",
  ], prefabs),
  clause("prefabs.instantiate() refuses what is not a prefab", ["prefabs", "editing"], noPrefab),
];

function schemas({ authoring }: Authoring, claims: Claims): Promise<void> {
  const all = authoring.schemas();
  claims.unique("endings", all.map(({ extension }) => extension));
  for (const { type, extension, doc } of all) {
    claims.expect(ASSET_TYPES.includes(type), "type", type, "a type of asset");
    claims.expect(extension.startsWith("."), `ending of ${type}`, extension, "a dot at first");
    claims.expect(doc !== "", `doc of ${type}`, doc, "what it is for");
  }
  return Promise.resolve();
}

async function reads(editor: Authoring, claims: Claims): Promise<void> {
  for (const asset of (await editor.assets()).slice(0, 20)) {
    const byPath = claims.done(asset.path, await editor.authoring.read(asset.path));
    claims.same(`${asset.path} by path`, byPath?.asset, asset);
    const byGuid = claims.done(asset.guid, await editor.authoring.read(asset.guid));
    claims.same(`${asset.path} by guid`, byGuid, byPath);
  }
}

async function noSuchAsset({ authoring }: Authoring, claims: Claims): Promise<void> {
  const name = STRANGE_NAME;
  const missing = { status: 404, code: "no-such-asset" } as const;
  claims.refused("read()", await authoring.read(name), missing);
  claims.refused("uses()", await authoring.uses(name));
  claims.refused("remove()", await authoring.remove({ name, source: SOURCE }));
  claims.refused("move()", await authoring.move({ name, to: `${name}.2`, source: SOURCE }));
  claims.refused("write()", await authoring.write({ name, content: {}, source: SOURCE }));
  claims.refused("writeMeta()", await authoring.writeMeta({ name, meta: {}, source: SOURCE }));
}

async function creates(editor: Authoring, claims: Claims): Promise<string | null> {
  const made = await makeAsset(editor);
  if (made === null) return "an asset of authoring.schemas() that is made without content";
  const found = (await editor.assets()).find(({ path }) => path === made.path);
  claims.same("guid in assets()", found?.guid, made.guid);
  const again = await editor.authoring.create({ path: made.path, source: SOURCE });
  claims.refused("create() a second time", again, { status: 409, code: "exists" });
  const uses = claims.done("uses()", await editor.authoring.uses(made.guid));
  claims.same("uses()", uses, []);
  const unused = (await editor.authoring.unused()).map(({ guid }) => guid);
  claims.expect(unused.includes(made.guid), "unused()", unused, "what nobody uses");
  return null;
}

async function moves(editor: Authoring, claims: Claims): Promise<string | null> {
  const made = await makeAsset(editor);
  if (made === null) return "an asset of authoring.schemas() that is made without content";
  const to = made.path.replace("contract-thing", "contract-moved");
  const moved = await editor.authoring.move({ name: made.path, to, source: SOURCE });
  const { path, guid } = claims.done("move()", moved) ?? made;
  claims.same("move()", { path, guid }, { path: to, guid: made.guid });
  const left = (await editor.assets()).some((asset) => asset.path === made.path);
  claims.same("what is left at the old path", left, false);
  return null;
}

async function undone(
  editor: With<"authoring" | "editing">,
  claims: Claims,
): Promise<string | null> {
  const before = await editor.assets();
  const made = await makeAsset(editor);
  if (made === null) return "an asset of authoring.schemas() that is made without content";
  const { authoring, editing } = editor;
  claims.same("the step of undo", editing.history().undo.at(-1)?.id, made.undo);
  const first = claims.done("read()", await authoring.read(made.guid));
  claims.done("remove()", await authoring.remove({ name: made.guid, source: SOURCE }));
  claims.same("assets() after remove()", await editor.assets(), before);
  claims.done("undo()", await editing.undo(1, SOURCE));
  claims.same("read() after undo()", claims.done("read()", await authoring.read(made.guid)), first);
  claims.done("undo()", await editing.undo(1, SOURCE));
  claims.same("assets() after both", await editor.assets(), before);
  return null;
}

async function imports({ authoring }: Authoring, claims: Claims): Promise<void> {
  const missing = await authoring.importFile({ file: "contract-unknown.png", source: SOURCE });
  claims.refused("a missing file", missing, { status: 404, code: "file-missing" });
  const outside = await authoring.importFile({ file: "../contract.png", source: SOURCE });
  claims.refused("a file outside", outside, { status: 403, code: "outside-project" });
}

async function prefabs(
  editor: With<"prefabs" | "editing">,
  claims: Claims,
): Promise<void> {
  const tree = await run(editor, claims, [create("One"), { ...create("Two"), parentId: -1 }]);
  const id = tree?.created[0]?.id;
  if (id === undefined) return;
  const path = "assets/contract-one.prefab.json";
  const made = await editor.prefabs.create({ entity: { id }, path, source: SOURCE });
  if (claims.done("create()", made) === null) return;
  const before = await editor.sceneState();
  const placed = await editor.prefabs.instantiate({ prefab: path, source: SOURCE });
  const outcome = claims.done("instantiate()", placed);
  const names = outcome?.after.map(({ name }) => name);
  claims.same("names of the instance", names, ["One", "Two"]);
  claims.done("undo()", await editor.editing.undo(1, SOURCE));
  const { entities } = await editor.sceneState();
  claims.same("entities after undo()", entities, before.entities);
}

async function noPrefab(editor: With<"prefabs" | "editing">, claims: Claims): Promise<void> {
  await unchanged(editor, claims, async () => {
    const { prefabs } = editor;
    const refused = await prefabs.instantiate({ prefab: STRANGE_NAME, source: SOURCE });
    claims.refused("instantiate()", refused);
  });
}

/** Creates the first asset that needs no content; `null` if all types need some. */
async function makeAsset({ authoring }: Authoring): Promise<ChangedAsset | null> {
  for (const { extension } of authoring.schemas()) {
    const path = `assets/contract-thing${extension}`;
    const made = await authoring.create({ path, source: SOURCE });
    if (made.ok) return made.value;
  }
  return null;
}
