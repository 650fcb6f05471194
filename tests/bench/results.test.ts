import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Section } from "../../scripts/bench/report.ts";
import { mergedSections, writeResults } from "../../scripts/bench/results.ts";
import { withFolder } from "../support/folder.ts";
import { SECTIONS } from "./sections.ts";

const NAMES = ["sleeping", "moving", "singing"];

function section(name: string, date: string): Section {
  return { ...SECTIONS[0], name, date, about: `About ${name}.`, findings: [] };
}

const settingOf = (date: string) => ({ date, versions: {}, platform: "linux x64", cores: 2 });

test("mergedSections() puts what was measured anew in its place, and leaves all else as it was", () =>
  withFolder((folder) => {
    assert.deepEqual(mergedSections(folder, SECTIONS, NAMES), SECTIONS);
    const before = [section("gone", "2026-11-20"), ...SECTIONS, section("singing", "2026-11-21")];
    writeResults(folder, { setting: settingOf("2026-11-21"), sections: before });
    const sleeping = { ...section("sleeping", "2026-11-22"), load: 7.25 };
    const now = [sleeping, section("singing", "2026-11-22")];
    const merged = mergedSections(folder, now, NAMES);
    assert.deepEqual(merged, [now[0], ...SECTIONS, now[1]]);
    writeResults(folder, { setting: settingOf("2026-11-22"), sections: merged });
    const page = readFileSync(join(folder, "RESULTS.md"), "utf8");
    assert.match(page, /by hand\. Measured on 2026-11-21\.\n/);
    assert.match(page, /\nAbout singing\.\n/);
    assert.match(page, /\nAbout sleeping\. Measured at a load of 7\.3\.\n/);
    const later = [section("singing", "2026-11-23")];
    assert.deepEqual(mergedSections(folder, later, NAMES), [sleeping, ...SECTIONS, later[0]]);
    writeFileSync(join(folder, "results.json"), '[{"name":"moving"}]');
    assert.throws(() => mergedSections(folder, now, NAMES), /without a name, a date/);
    return Promise.resolve();
  }));
