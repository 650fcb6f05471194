import { readFileSync } from "node:fs";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import { chance, damaged, otherJson, pick, torn } from "./random-changes.ts";
import type { Random } from "./random.ts";

// Stagings that the vectors hold, with a server, a disk or a request that is a little otherwise.

/**
 * Draws the input of a staging. It requests at most one address, so that only one order of requests
 * is right. When copies and downloads run side by side, only one of them may fail: of two failures
 * the first in time is reported.
 */
export function drawStaging(random: Random): JsonObject {
  const { pauses: _, ...input } = pick(random, stagings());
  const changes = [otherServer, otherServer, otherDisk, otherRequest];
  let drawn: JsonObject = input;
  for (let change = copiesAndDownloads(input) ? 0 : random.below(3); change >= 0; change--) {
    drawn = pick(random, changes)(random, drawn);
  }
  return drawn;
}

let held: JsonObject[] | undefined;

function stagings(): JsonObject[] {
  return held ??= ["stage", "download", "archive"].flatMap((kind) => {
    const scenarios = JSON.parse(readFileSync(`vectors/${kind}/${kind}.json`, "utf8")) as {
      cases: { input: JsonObject; expect: JsonObject }[];
    }[];
    const inputs = scenarios.flatMap(({ cases }) =>
      cases.flatMap(({ input, expect }) =>
        copiesAndDownloads(input) && expect["ok"] !== true ? [] : [input]
      )
    );
    return inputs.filter(({ server }) => Object.keys(server as JsonObject).length <= 1);
  });
}

function copiesAndDownloads({ request }: JsonObject): boolean {
  const { copy, download } = isRecord(request) ? request : {};
  return Array.isArray(copy) && copy.length > 0 && Array.isArray(download) && download.length > 0;
}

function otherServer(random: Random, input: JsonObject): JsonObject {
  const server = Object.entries(input["server"] as Record<string, JsonObject[]>)
    .map(([url, answers]): [string, JsonValue] => {
      const other = [...answers];
      const at = random.below(other.length);
      other[at] = otherAnswer(random, other[at] ?? {});
      return [url, chance(random, 0.2) ? [otherAnswer(random, {}), ...other] : other];
    });
  return { ...input, server: Object.fromEntries(server) };
}

const STATUSES = [200, 200, 206, 206, 201, 204, 304, 400, 404, 416, 429, 500, 501, 503];
/**
 * Numbers as a server may write them: right ones, ones too large for a machine, and texts that are
 * no numbers.
 */
const NUMBERS = [
  "0",
  "1",
  "5",
  "99",
  "100",
  "101",
  "007",
  "+5",
  "-1",
  " 5",
  "5.0",
  "1e2",
  "0x10",
  "",
  "*",
]
  .concat(["9007199254740993", "9223372036854775807", "9223372036854775808", "9".repeat(400), "٣"])
  .concat(["18446744073709551616", "1000000000000000000000000000000"]);

function otherAnswer(random: Random, answer: JsonObject): JsonObject {
  const { status = 200, headers = {}, body = "", ...rest } = answer;
  const number = () => pick(random, NUMBERS);
  switch (random.below(6)) {
    case 0:
      return { ...answer, status: pick(random, STATUSES) };
    case 1:
      return { ...answer, status, body: otherBytes(random, String(body)) };
    case 2:
      return { ...rest, status, body, headers, ending: pick(random, ["end", "lost", "stall"]) };
    case 3:
      return {
        ...answer,
        status,
        url: pick(random, ["http://cdn.example/", "https://other.example/x"]),
      };
    default: {
      const [name, value] = pick(random, [
        ["content-range", `bytes ${number()}-${number()}/${number()}`],
        ["content-range", torn(random, "bytes 5-99/100")],
        ["content-length", number()],
        ["retry-after", number()],
        ["content-encoding", pick(random, ["gzip", "GZIP", "identity", "br", "Identity", " "])],
        ["etag", pick(random, ['"one"', 'W/"one"', '"', "one", '""', '"a"b"'])],
      ]);
      // Only visible characters: HTTP clients refuse other headers.
      return { ...answer, status, headers: { ...headers as JsonObject, [name]: visible(value) } };
    }
  }
}

function visible(text: string): string {
  return text.replace(/[^ -~]/g, "");
}

function otherBytes(random: Random, body: string): string {
  const bytes = Buffer.from(body, "base64");
  const at = random.below(bytes.length + 1);
  switch (random.below(5)) {
    case 0:
      return bytes.subarray(0, at).toString("base64");
    case 1:
      return Buffer.concat([bytes, bytes.subarray(at)]).toString("base64");
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(bytes.length + 1))])
        .toString("base64");
    case 3: { // a number of two, four or eight bytes
      const end = Math.min(at + pick(random, [2, 4, 8]), bytes.length);
      bytes.fill(pick(random, [0, 1, 0x7f, 0x80, 0xff]), at, end);
      return bytes.toString("base64");
    }
    default:
      for (let change = random.below(4); change >= 0 && bytes.length > 0; change--) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      return bytes.toString("base64");
  }
}

function otherDisk(random: Random, input: JsonObject): JsonObject {
  const disk = { ...input["disk"] as JsonObject };
  const names = Object.keys(disk);
  const [name] = names.length > 0 ? [pick(random, names)] : [];
  if (name !== undefined && chance(random, 0.5)) {
    disk[name] = otherJson(random, String(disk[name]));
    return { ...input, disk };
  }
  const path = pick(random, ["state.json", "guard.json", "launch.json", leftName(random, input)]);
  disk[path] = pick(random, ["", "{}", "[", "null", "x".repeat(200), "\0", RECORD(random)]);
  return { ...input, disk };
}

const RECORD = (random: Random) =>
  JSON.stringify(damaged(random, {
    pending: { shell: "v2" },
    active: { shell: "v1" },
    bootAttempts: { shell: 2 },
    rejected: { shell: ["v1", "v3"] },
    sequence: { "default/production": 7 },
    launches: { shell: { version: "v2", token: "0".repeat(24), attempt: 2, counted: false } },
  }));

/**
 * Draws the name of a leftover of an older version or a killed one, beside the files of the
 * staging.
 */
function leftName(random: Random, input: JsonObject): string {
  const request = JSON.stringify(input["request"] ?? {});
  const hashes = request.match(/[0-9a-f]{64}/g) ?? ["0".repeat(64)];
  const id = "0123456789abcdef01234567";
  const numbers = ["0", "1", "5", "30", "99", "007", "999", "999999999999999", "1e3", "-1", ""];
  const tail = `.${pick(random, numbers)}.${pick(random, numbers)}`;
  return pick(random, [
    `.partial/${pick(random, hashes)}.${id}`,
    `.partial/${pick(random, hashes)}.${id}${tail}`,
    `.partial/${pick(random, hashes)}.${id}${tail}`,
    `.partial/${torn(random, pick(random, hashes)).replace(/[/\0]/g, "-")}`,
    `.staging/shell@v2.${id}/index.html`,
    `.complete/shell@v${random.below(3)}.json`,
    `shell/v${random.below(3)}/${pick(random, ["a.js", "index.html", "c/d.js"])}`,
  ]);
}

function otherRequest(random: Random, input: JsonObject): JsonObject {
  const { request } = input;
  if (!isRecord(request)) return input;
  const { manifest } = request as JsonObject;
  const other = chance(random, 0.4) && typeof manifest === "string"
    ? { ...request as JsonObject, manifest: otherJson(random, manifest) }
    : damaged(random, request as JsonObject);
  return { ...input, request: other, server: answering(other, input["server"] as JsonObject) };
}

/** A server that has something to say to every address. */
function answering(request: JsonValue, server: JsonObject): JsonObject {
  const addresses = textsIn(request).filter((text) => text.startsWith("http"));
  return {
    ...Object.fromEntries(addresses.map((url) => [url, [{ status: 404 }]])),
    ...server,
  };
}

function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
