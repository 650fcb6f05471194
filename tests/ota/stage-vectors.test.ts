import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { JsonObject } from "../../lib/core/json.ts";
import { readScenarios } from "../../scripts/replay/scenario.ts";
import { replayStage } from "../../scripts/replay/stage.ts";
import { draftArchives, draftDownloads, type Drafted, draftStagings } from "./stage-vectors.ts";

// The vectors of kind `stage` are the tables of these suites, as bytes.

const FOLDERS: Readonly<Record<string, () => Drafted[]>> = {
  archive: draftArchives,
  download: draftDownloads,
  stage: draftStagings,
};

for (const [folder, draft] of Object.entries(FOLDERS)) {
  const path = `vectors/${folder}/${folder}.json`;
  if (process.env["SLIPWAY_WRITE_VECTORS"] === "1") {
    test(`${path} is written`, async () => {
      const scenarios: JsonObject[] = [];
      for (const drafted of draft()) scenarios.push(await scenarioOf(drafted));
      mkdirSync(`vectors/${folder}`, { recursive: true });
      writeFileSync(path, `[\n${scenarios.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
    });
  } else {
    test(`${path} holds every row, and no other`, () => {
      assert.deepEqual(readScenarios(path).map(({ id }) => id), draft().map(({ id }) => id));
    });
  }
}

/** What is expected is what was intended, and what is left on the disk. */
async function scenarioOf(
  { id, rules, comment, input, intended }: Drafted,
): Promise<JsonObject> {
  const { ok, code, files, asked, waited } = await replayStage(input);
  const found = { ok, ...(code !== undefined && { code }), asked, waited, files };
  for (const [member, expected] of Object.entries(intended)) {
    assert.deepEqual(found[member as keyof typeof found], expected, `${id} ${member}: ${comment}`);
  }
  const reported = "asked" in intended ? { asked: [...asked] } : {};
  const expect = { ok, ...(code !== undefined && { code }), ...reported, files: [...files] };
  return {
    id,
    kind: "stage",
    rules: [...rules],
    comment,
    cases: [{ input, expect: { ...expect, ...(waited !== undefined && { waited }) } }],
  };
}
