import type { Authored } from "../../editor/ports/mod.ts";

/** A person of this page, or an agent by its name for itself, which may be anything: never `you`. */
export function Author({ source, by }: Authored) {
  const isNamed = source === "agent" && by !== undefined;
  return (
    <span class={`badge cut by-${source}`} title={isNamed ? `agent ${by}` : undefined}>
      {source === "human" ? "you" : "agent"}
      {isNamed && <bdi>{` ${by}`}</bdi>}
    </span>
  );
}
