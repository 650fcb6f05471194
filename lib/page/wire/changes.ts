import { isRecord } from "../../core/json.ts";

// The stream of all changes in the editor, whoever makes them.

/** A received change: its kind and values. */
export interface ReceivedChange {
  /** `scene`, `view`, `play`, `console`, …; `hello` at the start, `reset` when some were missed. */
  readonly kind: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * State of the stream; `silent`: nothing has arrived for so long that the service may have stopped.
 */
export type Connection = "connecting" | "open" | "silent";

const PATH = "/api/changes";
/** Maximum silence in milliseconds; the service sends a heartbeat every 4 s. */
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
 * Follows the editor. The browser reconnects after a broken connection; a silent or refused one is
 * reopened here. Each connection continues after the last received event.
 */
export function followChanges(
  { take, tell }: {
    readonly take: (change: ReceivedChange) => void;
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
    /** Checks for silence by one timer: a timer for each event would be too expensive. */
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
