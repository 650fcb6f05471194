import { test } from "node:test";
import assert from "node:assert/strict";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { ok } from "../../lib/core/result.ts";
import { createEditorPage, type EditorPage } from "../../lib/project/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { TINY_PHONE } from "../support/ask.ts";
import { createTinyService } from "../support/tiny-service.ts";

const PAGE: EditorPage = {
  html: () => Promise.resolve(ok({ type: "text/html", body: encodeUtf8("<!doctype html>") })),
  file: () => Promise.resolve(ok({ type: "text/javascript", body: encodeUtf8("") })),
};
const PHONE_ORIGIN = "http://localhost:49152";
const FRAMING = { ...TINY_PHONE, frameFor: () => Promise.resolve(PHONE_ORIGIN) };

/** All that the page may load, send and be: a directive that is not here is refused by the first. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src blob:",
  "font-src 'self' blob:",
  "connect-src 'self' blob: data:",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
/** What a source may be: no inline code, none from text, no origin but the page's own. */
const SOURCES = ["'none'", "'self'", "'wasm-unsafe-eval'", "blob:", "data:"];

/** The directives that a document of the page comes with. */
async function directivesOf(path: string, phone = TINY_PHONE): Promise<readonly string[]> {
  const service = createTinyService({ page: PAGE, phone });
  const { status, headers } = await service.send(path, { headers: { accept: "text/html" } });
  assert.equal(status, 200);
  return (headers.get("content-security-policy") ?? "").split("; ");
}

for (const path of ["/", "/page/"]) {
  test(`GET ${path} allows nothing inline, nothing from text and no foreign origin`, async () => {
    const directives = await directivesOf(path);
    assert.deepEqual(directives, POLICY);
    for (const directive of directives) {
      const [name = "", ...sources] = directive.split(" ");
      assert.deepEqual(sources.filter((one) => !SOURCES.includes(one)), [], name);
      // Text that is made into a URL is never a script or a style.
      if (["script-src", "style-src"].includes(name)) {
        assert.ok(!sources.includes("blob:") && !sources.includes("data:"), directive);
      }
    }
  });

  test(`GET ${path} lets the simulated phone be framed, and changes nothing else for it`, async () => {
    const directives = await directivesOf(path, FRAMING);
    assert.deepEqual(directives.toSorted(), [...POLICY, `frame-src ${PHONE_ORIGIN}`].toSorted());
  });
}

test("the editor's page itself has no inline script, style or handler", async () => {
  const { files, gameRuntime } = await loadRuntime();
  const service = createTinyService({ page: createEditorPage({ files, gameRuntime }) });
  const { text } = await service.send("/page/");
  const scripts = text.match(/<script[^>]*>[^<]*/g) ?? [];
  assert.equal(scripts.length, 1);
  assert.match(scripts[0] ?? "", /^<script type="module" src="\/page\/[\w.-]+\.js">$/);
  assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|"javascript:/i);
  assert.doesNotMatch(text, /https?:|\/\/[a-z]/i, "nothing from elsewhere");
});
