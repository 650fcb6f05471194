import { isRecord } from "../../core/json.ts";

// The one stream of everything that changes in the editor, whoever changes it.

/** A change as it came: what it is of, and its values. */
export interface Change {
  /** `scene`, `view`, `play`, `console`, …; `hello` at the start, `reset` when some were missed. */
  readonly kind: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** How the stream stands. */
export type Connection = "connecting" | "open" | "lost";

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

/** Follows the editor; the browser comes back by itself, and says what it had last. */
export function followChanges(
  { take, tell }: {
    readonly take: (change: Change) => void;
    readonly tell: (connection: Connection) => void;
  },
): () => void {
  tell("connecting");
  const source = new EventSource("/api/changes");
  source.onopen = () => tell("open");
  source.onerror = () => tell(source.readyState === EventSource.CLOSED ? "lost" : "connecting");
  for (const kind of KINDS) {
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      const values = valuesIn(data);
      if (values !== null) take({ kind, values });
    });
  }
  return () => source.close();
}

function valuesIn(data: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
