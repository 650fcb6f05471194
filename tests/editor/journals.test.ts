import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalRings } from "../../lib/editor/history/journals.ts";
import { stillClock } from "./project-folder.ts";

const STEP = { round: 1, tick: 0 };

// RING-3
test("JournalRings keep the newest 10,000 events of the game and 2,000 of the editor", () => {
  const journals = new JournalRings(stillClock);
  for (let i = 1; i <= 10_001; i++) {
    journals.noteGame(STEP, "@contact", i);
    journals.noteEditor("edit", "agent", i);
  }
  const [game, editor] = [journals.game(), journals.editor()];
  assert.deepEqual([game.length, game[0]?.seq, game.at(-1)?.seq], [10_000, 2, 10_001]);
  assert.deepEqual([editor.length, editor[0]?.seq, editor.at(-1)?.seq], [2_000, 8_002, 10_001]);
});
