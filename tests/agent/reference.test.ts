import { readFileSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { TOOLS } from "../../lib/agent/tools.ts";
import { REFERENCE_FILE, referencePage } from "../../scripts/reference/page.ts";

test(`${REFERENCE_FILE} is what the declarations say`, () => {
  const same = readFileSync(REFERENCE_FILE, "utf8") === referencePage();
  assert.ok(same, "Run deno run -A scripts/tool-reference.ts");
});

test("referencePage() documents every tool and every parameter", () => {
  const page = referencePage();
  for (const { name, parameters, purpose } of TOOLS) {
    const start = page.indexOf(`\n### ${name}\n`);
    assert.ok(start > 0, name);
    const end = page.indexOf("\n#", start + 5);
    const section = page.slice(start, end < 0 ? undefined : end);
    assert.ok(section.includes(purpose), name);
    for (const parameter of parameters) {
      assert.ok(section.includes(`- \`${parameter.name}\` (`), `${name} ${parameter.name}`);
    }
  }
});
