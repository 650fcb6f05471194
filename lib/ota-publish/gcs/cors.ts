import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { ok } from "../../core/result.ts";
import type { BucketResult, CrossOrigin } from "../store/bucket.ts";
import { bucketPath, call, type GcsStore, isGeneration, malformed } from "./requests.ts";

// Web views read releases from another origin (PUB-9). Rules apply to the bucket as one, which may
// hold other people's objects: they are only set if the bucket has none.

/** The rule that lets any web view read. */
const RULE = {
  origin: ["*"],
  method: ["GET", "HEAD"],
  responseHeader: ["Content-Type", "Content-Length", "Content-Range", "ETag", "Range", "If-Range"],
  maxAgeSeconds: 3_600,
} as const;

/** CORS settings of this bucket. */
interface Rules {
  readonly kind: "none" | "open" | "others";
  /** The revision of the bucket's settings. */
  readonly metageneration: string;
}

/** Lets any origin GET and HEAD if the bucket has no rules; otherwise only reads the rules. */
export async function allowCrossOrigin(store: GcsStore): BucketResult<CrossOrigin> {
  const read = await readRules(store);
  if (!read.ok) {
    return read.error.code === "unreachable"
      ? read
      : ok(unsure(store, "The cross-origin rules cannot be read"));
  }
  const rules = read.value;
  switch (rules.kind) {
    case "open":
      return ok({ kind: "ready" });
    case "others":
      return ok(
        unsure(store, "The cross-origin rules do not let all origins read"),
      );
    case "none":
      return ok(
        await setRules(store, rules.metageneration)
          ? { kind: "set" }
          : unsure(store, "The cross-origin rules cannot be set"),
      );
  }
}

async function readRules(store: GcsStore): BucketResult<Rules> {
  const action = "read the settings";
  const answer = await call(store, {
    action,
    method: "GET",
    path: bucketPath(store),
    query: { fields: "cors,metageneration" },
  });
  if (!answer.ok) return answer;
  const rules = parseRules(parseJson(answer.value.bytes));
  return rules === null ? malformed(store, action, "no settings") : ok(rules);
}

/** @returns Whether the store confirms the rule. */
async function setRules(store: GcsStore, metageneration: string): Promise<boolean> {
  const answer = await call(store, {
    action: "set the cross-origin rules",
    method: "PATCH",
    path: bucketPath(store),
    query: { ifMetagenerationMatch: metageneration, fields: "cors,metageneration" },
    body: { cors: [RULE] },
  });
  return answer.ok && parseRules(parseJson(answer.value.bytes))?.kind === "open";
}

function parseRules(value: unknown): Rules | null {
  if (!isRecord(value)) return null;
  const { cors = [], metageneration } = value;
  if (!Array.isArray(cors) || !isGeneration(metageneration)) return null;
  if (cors.length === 0) return { kind: "none", metageneration };
  const open = RULE.method.every((method) =>
    cors.some((rule) =>
      isRecord(rule) && names(rule["origin"], "*") && names(rule["method"], method)
    )
  );
  return { kind: open ? "open" : "others", metageneration };
}

function names(list: unknown, name: string): boolean {
  return Array.isArray(list) && (list.includes(name) || list.includes("*"));
}

function unsure({ bucket, label }: GcsStore, found: string): CrossOrigin {
  return {
    kind: "unsure",
    message: `${found} in ${label}`,
    next: `Put ${
      JSON.stringify([RULE])
    } beside what is there into FILE and run gcloud storage buckets update gs://${bucket} --cors-file=FILE`,
  };
}
