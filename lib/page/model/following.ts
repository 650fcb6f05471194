import { followChanges } from "../wire/changes.ts";
import type { Connection, ReceivedChange } from "../wire/changes.ts";
import { loadSchemas } from "./asset-schemas.ts";
import { loadAssets } from "./assets.ts";
import { connection, history, loadEditor, takeEditor, unsaved } from "./editor.ts";
import { takeJournal } from "./journal.ts";
import { loadJobs, takeJobs } from "./jobs.ts";
import { loadLogs, takeLogs } from "./logs.ts";
import { retractNotice, say } from "./notices.ts";
import { resumePhone, takePhone } from "./phone.ts";
import { loadScene, takeScene } from "./scene.ts";
import { takeWatches } from "./watches.ts";

/** Asks for everything, and keeps it up from then on. */
export async function follow(): Promise<void> {
  await new Promise<void>((resolve) =>
    followChanges({
      take: (change) => void take(change, resolve),
      tell,
    })
  );
}

const SILENT = "Slipway does not answer";

function tell(now: Connection): void {
  const before = connection.value;
  connection.value = now;
  if (now === "silent" && before !== "silent") {
    say(
      "error",
      SILENT,
      "This page reconnects automatically: until then, changes are not saved",
    );
  }
  if (now === "open" && before === "silent") {
    retractNotice(SILENT);
    say("info", "Slipway answers again");
  }
}

const listeners = new Set<(change: ReceivedChange) => void>();

/** Calls `listen` with every change, until the returned function is called. */
export function onChange(listen: (change: ReceivedChange) => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

async function take(change: ReceivedChange, begun: () => void): Promise<void> {
  for (const listen of listeners) listen(change);
  switch (change.kind) {
    case "hello":
    case "reset": {
      const wasUnsaved = unsaved.value;
      resumePhone();
      await loadAll();
      if (wasUnsaved && !unsaved.value && history.value.undo.length === 0) {
        say("error", "Slipway was restarted: unsaved changes are lost");
      }
      return begun();
    }
    case "scene":
      return await takeScene(change.values);
    case "assets":
      return await loadAssets();
    default:
      takeEditor(change);
      takeLogs(change);
      takeJobs(change);
      takeJournal(change);
      takeWatches(change);
      takePhone(change);
  }
}

async function loadAll(): Promise<void> {
  await Promise.all([
    loadScene(),
    loadEditor(),
    loadAssets(),
    loadSchemas(),
    loadLogs(),
    loadJobs(),
  ]);
}
