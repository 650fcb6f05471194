import assert from "node:assert/strict";
import { test } from "node:test";
import { editorPart, servicePart } from "../../lib/agent/declaration/parts.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { TINY_TOOLCHAIN } from "../support/ask.ts";

const EDITOR = createTinyEditor();

for (
  const [name, code] of [
    ["authoring", "no-authoring"],
    ["editing", "no-editing"],
    ["journals", "no-journal"],
    ["play", "no-play"],
    ["prefabs", "no-prefabs"],
    ["view", "no-view"],
    ["watches", "no-watches"],
  ] as const
) {
  test(`editorPart() of ${name}: the part, or 503 ${code}`, () => {
    const { [name]: there, ...rest } = EDITOR;
    const part = editorPart({ editor: EDITOR }, name);
    if (there !== undefined) assert.equal(part.ok && part.value, there);
    const absent = editorPart({ editor: { ...EDITOR, ...rest, [name]: undefined } }, name);
    assert.ok(!absent.ok);
    assert.deepEqual([absent.error.status, absent.error.code], [503, code]);
    assert.match(absent.error.detail, /^This editor has no /);
  });
}

for (
  const name of ["builds", "installs", "jobs", "project", "toolchain", "updates"] as const
) {
  test(`servicePart() of ${name}: the part, or 503 no-${name}`, () => {
    const absent = servicePart({ editor: EDITOR }, name);
    assert.ok(!absent.ok);
    assert.deepEqual([absent.error.status, absent.error.code], [503, `no-${name}`]);
    assert.match(absent.error.hint, new RegExp(`give the handler ${name}$`));
  });
}

test("servicePart() hands on what is there", () => {
  const part = servicePart({ editor: EDITOR, toolchain: TINY_TOOLCHAIN }, "toolchain");
  assert.equal(part.ok && part.value, TINY_TOOLCHAIN);
});
