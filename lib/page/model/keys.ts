import { duplicateSelected, redo, removeSelected, setView, undo } from "./actions.ts";
import { step, togglePlay } from "./game.ts";
import { openDialog } from "./page.ts";
import { goToRegion } from "./regions.ts";
import { saveScene } from "./scenes.ts";

// Every key of the page: listeners and the list for people both read this table.

/** Keys and their effect. */
export interface PageKey {
  /** Keys for display; `Ctrl` also means the Command key of a Mac. */
  readonly keys: readonly string[];
  readonly does: string;
  /** Absent if a list, a field or the viewport handles the key itself. */
  readonly run?: () => unknown;
  /** Whether it works while a text is typed. */
  readonly whileTyping?: boolean;
}

/** All keys, by where they apply. */
export const KEYS: Readonly<Record<string, readonly PageKey[]>> = {
  "Everywhere": [
    { keys: ["Ctrl+S"], does: "Save the scene", run: () => saveScene(), whileTyping: true },
    { keys: ["Ctrl+Z"], does: "Undo", run: () => undo() },
    { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], does: "Redo", run: () => redo() },
    { keys: ["Ctrl+D"], does: "Duplicate the selection", run: duplicateSelected },
    { keys: ["Delete"], does: "Remove the selection", run: removeSelected },
    {
      keys: ["F6"],
      does: "Go to the next part of the page",
      run: () => goToRegion(1),
      whileTyping: true,
    },
    {
      keys: ["Shift+F6"],
      does: "Go to the part before",
      run: () => goToRegion(-1),
      whileTyping: true,
    },
    { keys: ["?"], does: "Show all keys", run: () => openDialog("keys") },
  ],
  "Game": [
    { keys: ["Ctrl+P"], does: "Play, pause, resume", run: togglePlay, whileTyping: true },
    { keys: ["."], does: "One step of the game", run: () => step() },
  ],
  "Picture": [
    { keys: ["W"], does: "Move", run: () => setView({ gizmo: "translate" }) },
    { keys: ["E"], does: "Rotate", run: () => setView({ gizmo: "rotate" }) },
    { keys: ["R"], does: "Scale", run: () => setView({ gizmo: "scale" }) },
    {
      keys: ["B"],
      does: "Multi-select: drag a box around entities, or click them one after another",
    },
    { keys: ["F"], does: "Frame the selection" },
    { keys: ["0", "1"], does: "2D and UI: all of the screen, or at 100 %" },
    { keys: ["Space"], does: "Held in a drag: move the picture, as the middle button does" },
    { keys: ["Up", "Down", "Left", "Right"], does: "Nudge the selection; with Shift further" },
    { keys: ["PageUp", "PageDown"], does: "Nudge it up and down" },
    {
      keys: ["Escape"],
      does: "Cancel a gesture, end multi-select; in a game, give the keys back to the page",
    },
    { keys: ["Ctrl"], does: "Held in a drag: snap; on the background: select by a rectangle" },
    { keys: ["Alt"], does: "Held in a drag: look around, even over an entity" },
  ],
  "Hierarchy": [
    { keys: ["Up", "Down"], does: "Select the entity above or below" },
    { keys: ["Home", "End"], does: "Select the first or the last one" },
    { keys: ["Left", "Right"], does: "Fold and unfold" },
    { keys: ["Alt+Up", "Alt+Down"], does: "Move the selection past the entity above or below" },
    { keys: ["Alt+Right", "Alt+Left"], does: "Move it into the one above, or out of its parent" },
    { keys: ["F2"], does: "Rename" },
  ],
  "Assets": [
    { keys: ["Up", "Down", "Left", "Right"], does: "Select another asset" },
    { keys: ["Enter"], does: "Open a folder or a scene, place a prefab" },
    { keys: ["Backspace"], does: "Go to the folder above" },
    { keys: ["F2"], does: "Rename" },
    { keys: ["Delete"], does: "Delete the asset" },
  ],
  "Fields": [
    { keys: ["Up", "Down"], does: "Step a number; with Shift ten times as far" },
    { keys: ["Enter"], does: "Apply the value; formulas such as 2*3 are evaluated" },
    { keys: ["Escape"], does: "Restore the former value" },
  ],
  "Timeline": [
    { keys: ["Left", "Right"], does: "Move the playhead, or the key that has the focus" },
    { keys: ["Home", "End"], does: "Go to the beginning, to the end" },
    { keys: ["Delete"], does: "Remove the key or item that has the focus" },
  ],
};

const RUN = new Map(
  Object.values(KEYS).flat().flatMap((one) => one.keys.map((name) => [name, one] as const)).filter((
    [, { run }],
  ) => run !== undefined),
);

/** Handles a key that no list or field has handled. */
export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
  const found = RUN.get(keyName(event));
  if (found?.run === undefined) return;
  const { target } = event;
  const isTyping = target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
  if (isTyping && found.whileTyping !== true) return;
  event.preventDefault();
  void found.run();
}

/** A pressed key as the table spells it. */
function keyName(
  { key, ctrlKey, metaKey, shiftKey }: Pick<
    KeyboardEvent,
    "key" | "ctrlKey" | "metaKey" | "shiftKey"
  >,
): string {
  const name = key.length === 1 ? key.toUpperCase() : key;
  // Shift is a part of `?` on some keyboards and not on others.
  const isShifted = shiftKey && (key.length > 1 || /[a-z]/i.test(key));
  return `${ctrlKey || metaKey ? "Ctrl+" : ""}${isShifted ? "Shift+" : ""}${name}`;
}
