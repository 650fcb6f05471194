import { type JobRegistry, refuseUnknown, type Services } from "../agent/mod.ts";
import { own } from "../core/json.ts";
import { didYouMean } from "../core/nearest.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { SceneState } from "../editor/ports/mod.ts";
import { jsonStream } from "./json-stream.ts";
import { documentHeaders, headerText } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";
import { WHOLE_PRODUCERS } from "./whole-producers.ts";

interface WholeParts {
  readonly services: Services & { readonly jobs: JobRegistry };
}

/** Creates the route that serves panels the complete output of producers (HTTP-9). */
export function wholeRoutes({ services }: WholeParts): readonly Route[] {
  const series = crypto.randomUUID().slice(0, 8); // revisions are only valid within one service
  return [{
    method: "GET",
    path: "/api/whole/:producer",
    doc: "all that a producer returns, for panels",
    changesState: false,
    query: null,
    handle: (exchange) => answer(services, exchange, series),
  }];
}

async function answer(
  services: WholeParts["services"],
  { request: { headers, signal }, params, query }: Exchange,
  series: string,
): Promise<Result<Response, Problem>> {
  const name = own(params, "producer") ?? "";
  const producer = own(WHOLE_PRODUCERS, name);
  if (producer === undefined) return noSuchProducer(name);
  const unknown = Object.keys(query).find((one) => !producer.query.includes(one));
  if (unknown !== undefined) return refuseUnknown(`/api/whole/${name}`, unknown, producer.query);
  const produced = await producer.produce(services, query, signal);
  if (!produced.ok) return produced;
  const tag = isScene(produced.value) ? tagOf(produced.value, series) : null;
  const cached = tag === null ? {} : { etag: tag, "cache-control": "private, no-cache" };
  const answered = { ...documentHeaders(), ...cached };
  if (tag !== null && headers.get("if-none-match") === tag) {
    return ok(new Response(null, { status: 304, headers: answered }));
  }
  const now = () => performance.now();
  return ok(new Response(jsonStream(produced.value, { now, signal }), { headers: answered }));
}

function isScene(value: object): value is SceneState {
  return "rev" in value && "scenePath" in value;
}

/** Equal for equal scenes: a revision is never used again, and a scene may be saved elsewhere. */
function tagOf({ rev, scenePath }: SceneState, series: string): string {
  return `"${series}.${rev}.${headerText(scenePath).replaceAll('"', "%22")}"`;
}

function noSuchProducer(name: string): Result<never, Problem> {
  const names = Object.keys(WHOLE_PRODUCERS);
  const detail = `There is no producer ${JSON.stringify(name.slice(0, 80))}, expected one of ` +
    names.join(", ");
  return refuse(404, "no-such-producer", detail, didYouMean(name, names, "Ask for one of these"));
}
