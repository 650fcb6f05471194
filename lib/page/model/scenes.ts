import { listOf, memberOf, textOrEmpty } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { said } from "./actions.ts";
import { unsaved } from "./editor.ts";
import { say } from "./notices.ts";
import { askFor, askUser } from "./questions.ts";
import { scene } from "./scene.ts";

// The scene files of the project. Actions that would lose changes ask first.

/** The scenes of the project, ordered by path. */
export async function listScenes(): Promise<readonly string[]> {
  const answer = await fetchProducer("scenes");
  if (!answer.ok) {
    say("error", answer.error.detail, answer.error.hint);
    return [];
  }
  return listOf(
    memberOf(answer.value, "scenes"),
    (one) => textOrEmpty(memberOf(one, "path")) || null,
  );
}

/** Opens a scene; the same one is read again from its file. */
export async function openScene(path: string): Promise<void> {
  if (await isSettled()) await leaveFor("open_scene", path);
}

/** Asks the user for a path, and creates an empty scene there. */
export async function newScene(): Promise<void> {
  if (!await isSettled()) return;
  const path = await askFor({
    title: "New scene",
    text: "It begins empty, and is written when it is saved.",
    label: "Path in the project",
    value: besides(scene.value.path, "new"),
    done: "Create",
  });
  if (path !== null) await leaveFor("new_scene", path);
}

/** Saves the open scene; asks if others have written its file. */
export async function saveScene(path?: string): Promise<void> {
  const where = path === undefined ? {} : { path };
  let done = await callService("save_scene", where);
  if (!done.ok && ["changed-on-disk", "exists"].includes(done.error.code)) {
    const answer = await askUser({
      title: "Save over another version?",
      text: `${done.error.detail}. Saving replaces it with your version.`,
      answers: [{ name: "replace", title: "Replace it", kind: "danger" }],
    });
    if (answer === null) return;
    done = await callService("save_scene", { ...where, overwrite: true });
  }
  if (said(done).ok) say("info", path === undefined ? "Saved" : `Saved as ${path}`);
}

/** Saves to another path that it asks for, which is then the open scene's. */
export async function saveSceneAs(): Promise<void> {
  const path = await askFor({
    title: "Save scene as",
    text: "The scene is written there and is open from then on; the file of before stays.",
    label: "Path in the project",
    value: scene.value.path,
    done: "Save",
  });
  if (path !== null) await saveScene(path);
}

/** Reads the open scene again from its file. */
export function reloadScene(): Promise<void> {
  return openScene(scene.value.path);
}

async function leaveFor(tool: "open_scene" | "new_scene", path: string): Promise<void> {
  said(await callService(tool, { path, discard: true })); // asked already
}

/** Returns whether the open scene can be left without losing changes. */
async function isSettled(): Promise<boolean> {
  if (!unsaved.value) return true;
  const answer = await askUser({
    title: "Unsaved changes",
    text: `“${nameOfScene(scene.value.path)}” has changes that are not saved. ` +
      "Its undo steps are dropped when you leave it.",
    answers: [
      { name: "save", title: "Save them", kind: "primary" },
      { name: "discard", title: "Lose them", kind: "danger" },
    ],
  });
  if (answer === null) return false;
  if (answer.name === "save") {
    await saveScene();
    return await isSavedNow();
  }
  return true;
}

async function isSavedNow(): Promise<boolean> {
  const now = await fetchProducer("history");
  return now.ok && memberOf(now.value, "unsaved") === false;
}

/** Returns whether the project's files may be used: they do not contain unsaved changes. */
export async function isSavedFor(doing: string): Promise<boolean> {
  if (!unsaved.value) return true;
  const answer = await askUser({
    title: `${doing} with unsaved changes?`,
    text: `“${
      nameOfScene(scene.value.path)
    }” has changes that are not saved: only its file counts.`,
    answers: [
      { name: "save", title: "Save them first", kind: "primary" },
      { name: "leave", title: "Continue without them" },
    ],
  });
  if (answer?.name !== "save") return answer !== null;
  await saveScene();
  return await isSavedNow();
}

/** `assets/scenes/harbor.scene.json` as people say it. */
export function nameOfScene(path: string): string {
  return path.split("/").at(-1)?.replace(/\.scene\.json$/, "") ?? "";
}

/** Returns the path of another scene in the same folder. */
function besides(path: string, name: string): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return `${folder === "" ? "assets/scenes/" : folder}${name}.scene.json`;
}
