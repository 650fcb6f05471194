import { test } from "node:test";
import { editorContract } from "../../lib/editor/contract/mod.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { closeEmbedded, openEmbedded } from "./contract-editors.ts";

for (const { name, run } of editorContract(openEmbedded, { close: closeEmbedded })) {
  test(`EmbeddedEditor keeps the contract: ${name}`, run);
}

for (const { name, run } of editorContract(() => Promise.resolve(createTinyEditor()))) {
  test(`the tiny editor keeps the contract: ${name}`, run);
}
