import { isRecord } from "../core/json.ts";
import { parseJson } from "../core/json-text.ts";
import type { LiveValues, Rect, RenderTask, Viewport } from "../game/types/mod.ts";

/** A task with the number that its answer names. */
export interface NumberedTask {
  readonly id: string;
  readonly task: RenderTask;
}

/** Parses a drawing task; `null` if it is invalid. */
export function readTask(bytes: Uint8Array): NumberedTask | null {
  const value = parseJson(bytes);
  const id = isRecord(value) ? value["id"] : undefined;
  const asked = isRecord(value) ? value["task"] : undefined;
  const task = isRecord(asked) ? taskOf(asked) : null;
  return typeof id === "string" && task !== null ? { id, task } : null;
}

function taskOf(asked: Readonly<Record<string, unknown>>): RenderTask | null {
  const { kind, threshold, columns, longest, round, scene, tick, before, after, pictures } = asked;
  const { sequence } = asked;
  const inline = numberOf(asked["inline"]);
  switch (kind) {
    case "draw": {
      const [screen, region] = [screenOf(asked["screen"]), rectOf(asked["region"])];
      if (typeof round !== "string" || typeof scene !== "string" || screen === null) return null;
      return {
        kind,
        round,
        scene,
        live: Array.isArray(asked["live"]) ? asked["live"].flatMap(liveOf) : [],
        tick: numberOf(tick) ?? 0,
        ...(typeof sequence === "string" && { sequence }),
        screen,
        ...(region !== null && { region }),
        ...(inline !== null && { inline }),
      };
    }
    case "strip": {
      const names = Array.isArray(pictures)
        ? pictures.filter((name) => typeof name === "string")
        : [];
      const [across, side] = [numberOf(columns), numberOf(longest)];
      if (names.length === 0 || across === null || side === null) return null;
      return { kind, pictures: names, columns: across, longest: side };
    }
    case "compare": {
      const limit = numberOf(threshold);
      if (typeof before !== "string" || typeof after !== "string" || limit === null) return null;
      return { kind, before, after, threshold: limit, ...(inline !== null && { inline }) };
    }
    default:
      return null;
  }
}

function liveOf(value: unknown): readonly LiveValues[] {
  if (!isRecord(value) || !isRecord(value["fields"])) return [];
  const { guid, trait } = value;
  if (typeof guid !== "string" || typeof trait !== "string") return [];
  const fields: Record<string, string | number | boolean> = {};
  for (const [name, field] of Object.entries(value["fields"])) {
    if (typeof field === "string" || typeof field === "boolean" || typeof field === "number") {
      fields[name] = field;
    }
  }
  return [{ guid, trait, fields }];
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && value >= 0 ? value : null;
}

function screenOf(value: unknown): Viewport | null {
  if (!isRecord(value)) return null;
  const [width, height] = [numberOf(value["width"]), numberOf(value["height"])];
  return width === null || height === null ? null : { width, height };
}

function rectOf(value: unknown): Rect | null {
  if (!isRecord(value)) return null;
  const x = numberOf(value["x"]);
  const y = numberOf(value["y"]);
  const w = numberOf(value["w"]);
  const h = numberOf(value["h"]);
  return x === null || y === null || w === null || h === null ? null : { x, y, w, h };
}
