import { encodeUtf8 } from "../../core/bytes.ts";
import { ok } from "../../core/result.ts";
import type { BucketResult, CrossOrigin } from "../store/bucket.ts";
import { malformed } from "./failures.ts";
import { md5 } from "./md5.ts";
import { call } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { childrenNamed, firstText, type XmlElement } from "./xml.ts";

// Web views read releases from another origin (PUB-9). Rules stand on the whole bucket, which
// may hold more than ours: they are only ever set where there are none, or none but ours.

/** Identifies our rule. */
const RULE_ID = "slipway-read";
/** Methods of a web view's requests. */
const METHODS = ["GET", "HEAD"] as const;
const EXPOSED = ["Content-Length", "Content-Range", "Content-Type", "ETag"] as const;
const RULE = `<CORSRule><ID>${RULE_ID}</ID><AllowedOrigin>*</AllowedOrigin>${
  METHODS.map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join("")
}<AllowedHeader>*</AllowedHeader>${
  EXPOSED.map((name) => `<ExposeHeader>${name}</ExposeHeader>`).join("")
}<MaxAgeSeconds>3600</MaxAgeSeconds></CORSRule>`;

/** CORS settings of the bucket. */
type Rules = "none" | "open" | "ours" | "others";

/** Lets any origin GET and HEAD, where no rules stand yet; else only looks. */
export async function allowCrossOrigin(store: S3Store): BucketResult<CrossOrigin> {
  const rules = await readRules(store);
  if (!rules.ok) {
    return rules.error.code === "unreachable"
      ? rules
      : ok(unsure(store, `The cross-origin rules cannot be read: ${rules.error.message}`));
  }
  switch (rules.value) {
    case "open":
      return ok({ kind: "ready" });
    case "others":
      return ok(
        unsure(store, "The cross-origin rules do not let all origins read"),
      );
    case "none":
    case "ours": {
      const set = await setRules(store);
      return ok(
        set.ok
          ? { kind: "set" }
          : unsure(store, `The cross-origin rules cannot be set: ${set.error.message}`),
      );
    }
  }
}

async function readRules(store: S3Store): BucketResult<Rules> {
  const action = "read the cross-origin rules";
  const answer = await call(store, {
    action,
    method: "GET",
    query: { cors: "" },
    expects: "CORSConfiguration",
    accept: ["NoSuchCORSConfiguration"],
  });
  if (!answer.ok) return answer;
  const { code, xml } = answer.value;
  if (code !== "") return ok("none");
  return xml === null
    ? malformed(store, action, "no rules")
    : ok(judge(childrenNamed(xml, "CORSRule")));
}

function judge(rules: readonly XmlElement[]): Rules {
  const holds = (rule: XmlElement, name: string, value: string) =>
    childrenNamed(rule, name).some(({ text }) => text.trim() === value);
  const open = METHODS.every((method) =>
    rules.some((rule) => holds(rule, "AllowedOrigin", "*") && holds(rule, "AllowedMethod", method))
  );
  if (open) return "open";
  if (rules.length === 0) return "none";
  return rules.every((rule) => firstText(rule, "ID") === RULE_ID) ? "ours" : "others";
}

async function setRules(store: S3Store): BucketResult<null> {
  const body = encodeUtf8(
    `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${RULE}</CORSConfiguration>`,
  );
  const set = await call(store, {
    action: "set the cross-origin rules",
    method: "PUT",
    query: { cors: "" },
    // S3 takes these settings only with a checksum, and this is the one that every store knows.
    headers: {
      "content-type": "application/xml",
      "content-md5": btoa(String.fromCharCode(...md5(body))),
    },
    body,
  });
  return set.ok ? ok(null) : set;
}

function unsure({ bucket, label }: S3Store, found: string): CrossOrigin {
  const rule = {
    AllowedOrigins: ["*"],
    AllowedMethods: METHODS,
    AllowedHeaders: ["*"],
    ExposeHeaders: EXPOSED,
  };
  return {
    kind: "unsure",
    message: found.includes(label) ? found : `${found} (${label})`,
    next: `Add the rule ${
      JSON.stringify(rule)
    } to the bucket ${bucket} (aws s3api put-bucket-cors, or the store's console)`,
  };
}
