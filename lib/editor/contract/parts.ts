import type {
  AssetAuthoring,
  Changes,
  Editor,
  Journals,
  Play,
  Prefabs,
  SceneEditing,
  View,
  Watches,
} from "../ports/mod.ts";
import { type Clause, clause, type OptionalPart } from "./clause.ts";

type Kind = "function" | "boolean";
/** Kinds of a part's members; those of the second record may be absent. */
type Members<Part> =
  & { readonly [Name in keyof Part as undefined extends Part[Name] ? never : Name]-?: Kind }
  & { readonly [Name in keyof Part as undefined extends Part[Name] ? Name : never]-?: `${Kind}?` };

const EDITING: Members<SceneEditing> = {
  edit: "function",
  undo: "function",
  redo: "function",
  history: "function",
  joinSteps: "function?",
  takeBackSteps: "function?",
  unsaved: "boolean",
  changedSince: "function",
  scenes: "function",
  openScene: "function",
  newScene: "function",
  save: "function",
  validate: "function",
  pickUpChanges: "function",
};
const PREFABS: Members<Prefabs> = {
  instantiate: "function",
  create: "function",
  detach: "function",
};
const VIEW: Members<View> = { state: "function", change: "function" };
const PLAY: Members<Play> = {
  state: "function",
  play: "function",
  pause: "function",
  stop: "function",
  step: "function",
  saveRound: "function",
  replay: "function",
  setTimeScale: "function",
  round: "function?",
  actions: "function",
  dispatch: "function",
  input: "function",
  playClip: "function",
  handles: "function",
  dragHandle: "function",
};
const JOURNALS: Members<Journals> = {
  game: "function",
  editor: "function",
  timeline: "function",
};
const WATCHES: Members<Watches> = {
  start: "function",
  list: "function",
  read: "function",
  stop: "function",
};
const CHANGES: Members<Changes> = { subscribe: "function" };
const AUTHORING: Members<AssetAuthoring> = {
  schemas: "function",
  read: "function",
  create: "function",
  write: "function",
  writeMeta: "function",
  move: "function",
  remove: "function",
  uses: "function",
  unused: "function",
  importFile: "function",
};

/** Each part is absent, or has every member that it must have. */
export const PART_CLAUSES: readonly Clause[] = [
  part("editing", EDITING),
  part("prefabs", PREFABS),
  part("view", VIEW),
  part("play", PLAY),
  part("journals", JOURNALS),
  part("watches", WATCHES),
  part("authoring", AUTHORING),
  part("changes", CHANGES),
];

function part(name: OptionalPart, members: Readonly<Record<string, string>>): Clause {
  return clause(`${name} is whole`, [name], (editor: Editor, claims) => {
    for (const [member, kind] of Object.entries(members)) {
      const value: unknown = Reflect.get(Object(editor[name]), member);
      const mayBeAbsent = kind.endsWith("?") && value === undefined;
      const expected = kind.replace("?", "");
      claims.expect(mayBeAbsent || typeof value === expected, `${name}.${member}`, value, expected);
    }
    return Promise.resolve();
  });
}
