import { isRecord } from "../../core/json.ts";

// The one stream of everything that changes in the editor, whoever changes it.

/** A change as it came: what it is of, and its values. */
export interface Change {
  /** `scene`, `view`, `play`, `console`, …; `hello` at the start, `reset` when some were missed. */
  readonly kind: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** How the stream stands; `silent`: nothing came for so long that nobody may be there any more. */
export type Connection = "connecting" | "open" | "silent";

const PATH = "/api/changes";
/** How long nothing may come, in milliseconds: the service says every 4 s that it lives. */
const SILENT_MS = 10_000;

const KINDS = [
  "hello",
  "reset",
  "scene",
  "view",
  "history",
  "assets",
  "settings",
  "play",
  "input",
  "off-record",
  "console",
  "journal",
  "editor-event",
  "job",
  "phone",
];

/**
 * Follows the editor. Where the connection breaks, the browser comes back by itself; where it only goes
 * silent, or is refused, another one is opened. Each goes on after the last event that was seen.
 */
export function followChanges(
  { take, tell }: {
    readonly take: (change: Change) => void;
    readonly tell: (connection: Connection) => void;
  },
): () => void {
  let last = "";
  let isSilent = false;
  let deadline: ReturnType<typeof setTimeout> | undefined;
  let close = () => {};
  const open = () => {
    const source = new EventSource(last === "" ? PATH : `${PATH}?since=${last}`);
    close = () => source.close();
    let heardAt = performance.now();
    /** Looks when nothing may have come for too long: a timer for each event would cost more than it. */
    const look = () => {
      const left = heardAt + SILENT_MS - performance.now();
      if (left > 0) {
        deadline = setTimeout(look, left);
        return;
      }
      isSilent = true;
      tell("silent");
      close();
      open();
    };
    const heard = () => {
      isSilent = false;
      tell("open");
      heardAt = performance.now();
    };
    look();
    source.onopen = heard;
    source.onerror = () => {
      if (!isSilent) tell("connecting");
    };
    source.addEventListener("alive", heard);
    for (const kind of KINDS) {
      source.addEventListener(kind, ({ data, lastEventId }: MessageEvent<string>) => {
        heard();
        last = lastEventId;
        const values = valuesIn(data);
        if (values !== null) take({ kind, values });
      });
    }
  };
  tell("connecting");
  open();
  return () => {
    clearTimeout(deadline);
    close();
  };
}

function valuesIn(data: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
