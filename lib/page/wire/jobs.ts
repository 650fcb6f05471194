import { isRecord } from "../../core/json.ts";

/** A message of a job: `log`, `progress`, `done` or `problem`, with its values. */
export interface JobMessage {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const EVENTS = ["log", "progress", "done", "problem"];

/**
 * Follows a job from its first event to its end. The browser reconnects after a broken connection,
 * and sends its last event's id.
 *
 * @param over Called once: after the last event, or when the job is unknown.
 * @returns Stops following; does not stop the job.
 */
export function watchJob(
  id: string,
  { take, over }: {
    readonly take: (message: JobMessage) => void;
    readonly over: () => void;
  },
): () => void {
  const source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
  const end = () => {
    source.close();
    over();
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) end();
  };
  for (const event of EVENTS) {
    source.addEventListener(event, ({ data }: MessageEvent<string>) => {
      take({ event, data: valuesIn(data) });
      if (event === "done" || event === "problem") end();
    });
  }
  return () => source.close();
}

function valuesIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
