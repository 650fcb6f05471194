import { z } from "zod";
import { refuse } from "../../core/problem.ts";
import { ok } from "../../core/result.ts";
import { countBy, lastPageOf, pageOf } from "../answer/lists.ts";
import { after, choice, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { gap } from "../answer/rings.ts";
import { editorPart } from "../declaration/parts.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** Default number of events (RING-6). */
const EVENT_LIMIT = 100;
/** Default number of events of each other journal's tail. */
const TAIL = 10;
/** A guid or a prefix of it. */
const GUID_TEXT = /^[0-9a-f][0-9a-f-]{0,35}$/i;
/** Editor events that start a game. */
const PLAYED = ["play", "step"];

interface Event {
  readonly seq: number;
  readonly type: string;
}

/** `journal` (RING-6). */
const journal: Tool = defineTool({
  name: "journal",
  route: "/api/journal",
  purpose: "Events of the game: contacts, actions, pickups, damage, score",
  defaultShape: `last ${EVENT_LIMIT}, counts by type of all`,
  parameters: z.object({
    type: text("events of this type"),
    guid: text("events that name this entity"),
    round: wholeNumber("events of this game, as play_control counts them", { min: 1 }),
    since: wholeNumber("the oldest after this seq", { min: 0 }),
    limit: limit(`${EVENT_LIMIT}`),
    after: after(),
  }),
  drillDown: {
    type: "one",
    guid: "one entity",
    round: "one game",
    since: "after a seq",
  },
  annotations: READ_ONLY,

  produce(services, { guid }) {
    const part = editorPart(services, "journals");
    if (!part.ok) return Promise.resolve(part);
    const journals = part.value;
    if (guid !== undefined && !GUID_TEXT.test(guid)) {
      const found = JSON.stringify(guid.slice(0, 80));
      const detail = `Cannot call journal: guid: expected a guid or its beginning, found ${found}`;
      return Promise.resolve(
        refuse(400, "bad-argument", detail, "svc_get_scene_state name= finds guids"),
      );
    }
    const hasPlayed = journals.editor().some(({ type }) => PLAYED.includes(type));
    return Promise.resolve(ok({ all: journals.game(), hasPlayed }));
  },

  summarize({ all, hasPlayed }, { type, guid, round, since, limit, after }) {
    const lowerGuid = guid?.toLowerCase();
    const matched = all.filter((event) =>
      (type === undefined || event.type === type) &&
      (round === undefined || event.round === round) &&
      (lowerGuid === undefined || JSON.stringify(event.payload).includes(`"${lowerGuid}`))
    );
    const notPlayed = all.length === 0 && !hasPlayed;
    return ok({
      ...(notPlayed && { hint: "No game has been played: step_play, or play_control action=play" }),
      ...pageIn(all, matched, { since, limit, after }),
    });
  },
});

/** `editor_journal` (RING-6). */
const editorJournal: Tool = defineTool({
  name: "editor_journal",
  route: "/api/editor-journal",
  purpose: "Actions of people and agents in the editor: edits, undo, saves, play",
  defaultShape: `last ${EVENT_LIMIT}, tails of game and timeline`,
  parameters: z.object({
    type: text("events of this type"),
    source: choice(["human", "agent"], "events by one of them"),
    since: wholeNumber("the oldest after this seq", { min: 0 }),
    limit: limit(`${EVENT_LIMIT}, ${TAIL} of a tail`),
    after: after(),
  }),
  drillDown: { type: "one", source: "whose", since: "after a seq" },
  annotations: READ_ONLY,

  produce(services) {
    const part = editorPart(services, "journals");
    if (!part.ok) return Promise.resolve(part);
    const journals = part.value;
    const [events, game, timeline] = [journals.editor(), journals.game(), journals.timeline()];
    return Promise.resolve(ok({ events, game, timeline }));
  },

  summarize({ events, game, timeline }, { type, source, since, limit, after }) {
    const matched = events.filter((event) =>
      (type === undefined || event.type === type) &&
      (source === undefined || event.source === source)
    );
    return ok({
      ...pageIn(events, matched, { since, limit, after }),
      game: tail(game, limit),
      timeline: tail(timeline, limit),
    });
  },
});

export const JOURNAL_TOOLS: readonly Tool[] = [journal, editorJournal];

/**
 * Returns the end of a ring; with `since`, the oldest entries after it, so that a reader misses
 * none.
 */
function pageIn<T extends Event>(
  all: readonly T[],
  matched: readonly T[],
  { since, limit = EVENT_LIMIT, after }: {
    readonly since: number | undefined;
    readonly limit: number | undefined;
    readonly after: number | undefined;
  },
): object {
  const fresh = since === undefined ? matched : matched.filter(({ seq }) => seq > since);
  const { shown, cut } = (since === undefined ? lastPageOf : pageOf)(fresh, { limit, after });
  const isAll = since === undefined || !cut.truncated;
  return {
    events: shown,
    total: fresh.length,
    byType: countBy(all, ({ type }) => type),
    ...cut,
    // The value of since= that continues right after the shown entries.
    nextSeq: isAll ? all.at(-1)?.seq ?? 0 : shown.at(-1)?.seq ?? since,
    ...gap(all, since),
  };
}

function tail<T extends Event>(events: readonly T[], limit: number = TAIL): object {
  const { shown, cut: { truncated } } = lastPageOf(events, { limit });
  return { events: shown, total: events.length, truncated };
}
