import { effect, type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import { isStopped } from "../model/editor.ts";
import { posed, type PosedMoment } from "../model/pose.ts";
import type { Preview } from "../model/previews.ts";
import { say } from "../model/notices.ts";
import { scene } from "../model/scene.ts";
import { listOf, numberOf, traitsOf } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";

// Values of the posed moment: only the newest request is answered, one at a time.

/** Values by entity that differ at that moment. */
export const poseValues: Signal<Preview> = signal(new Map());

let asked: PosedMoment | null = null;
let isAsking = false;

effect(() => {
  void scene.value.rev; // another scene has other values in the same moment
  asked = isStopped.value ? posed.value : null;
  if (asked !== null) void ask();
  else if (poseValues.peek().size > 0) poseValues.value = new Map();
});

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  for (
    let moment = asked, before: PosedMoment | null = null;
    moment !== null && moment !== before;
  ) {
    const { entity, clip, time } = moment;
    const query = {
      entity: String(entity),
      time: String(time),
      ...(clip !== undefined && { clip }),
    };
    const answer = await fetchProducer("pose", query);
    if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
    if (asked !== null) poseValues.value = answer.ok ? valuesOf(answer.value) : new Map();
    [before, moment] = [moment, asked];
  }
  isAsking = false;
}

function valuesOf(pose: unknown): Preview {
  const values = listOf(isRecord(pose) ? pose["values"] : null, (one) => {
    if (!isRecord(one) || !isRecord(one["traits"])) return null;
    return [numberOf(one["id"]), traitsOf(one["traits"])] as const;
  });
  return new Map(values);
}
