import { encodeUtf8 } from "../core/bytes.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { Once } from "../core/once.ts";
import type { Files } from "../ports/files.ts";
import type { GameRuntime } from "../ports/game-runtime.ts";
import { readRuntime, type RuntimeFiles } from "./building/runtime-files.ts";
import type { PageFile } from "./captures/render-page.ts";

/** The page of the editor: the same for every project, and no secret. */
export interface EditorPage {
  /** The page's HTML; its scripts and style are next to it. @returns 503 `no-game-runtime`. */
  html(): Promise<Result<PageFile, Problem>>;
  /** A script or the style of it. Names follow from the bytes. @returns 404 `no-such-file`. */
  file(name: string): Promise<Result<PageFile, Problem>>;
}

/** Dependencies of the page. */
export interface EditorPageParts {
  /** The file system with Slipway's own files. */
  readonly files: Pick<Files, "read">;
  /** Slipway's scripts for browsers; without them there is no page. */
  readonly gameRuntime?: GameRuntime | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  wasm: "application/wasm",
};

/** Creates the page that came with Slipway; in a checkout it is bundled on demand. */
export function createEditorPage({ files, gameRuntime }: EditorPageParts): EditorPage {
  const bundled = new Once(() => readRuntime(files, gameRuntime, "page"), ({ ok }) => ok);
  return {
    async html() {
      // Reopening the page after its sources have changed gets the current ones.
      const page = await bundled.again();
      if (!page.ok) return page;
      return ok({ type: "text/html; charset=utf-8", body: encodeUtf8(htmlOf(page.value)) });
    },
    async file(name) {
      const page = await bundled.get();
      if (!page.ok) return page;
      const body = page.value.files.get(name);
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
      if (body !== undefined) return ok({ type, body });
      const detail = `There is no ${JSON.stringify(name.slice(0, 80))} in the editor's page`;
      return refuse(404, "no-such-file", detail, "Load the page again: it may be a newer one now");
    },
  };
}

function htmlOf({ entry, style }: RuntimeFiles): string {
  const sheet = style === undefined ? "" : `\n    <link rel="stylesheet" href="/page/${style}">`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="dark light">
    <meta name="referrer" content="same-origin">
    <title>Slipway</title>
    <link rel="icon" href="data:,">${sheet}
    <script type="module" src="/page/${entry}"></script>
  </head>
  <body>
    <main class="opening">
      <h1>Slipway</h1>
      <p>Opening the editor…</p>
      <noscript><p>It needs JavaScript: let this page run it, and load the page again.</p></noscript>
    </main>
  </body>
</html>
`;
}
