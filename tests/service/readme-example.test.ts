import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { withFolder, writeTree } from "../support/folder.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";

/** The address of a module of the package, of the sources or of dist/. */
function address(module: string): string {
  return new URL(`../../${module}${extname(import.meta.url)}`, import.meta.url).href;
}

test("the README's example serves an editor of one's own to agents", () =>
  withFolder(async (folder) => {
    const readme = readFileSync(join(packageRoot(), "README.md"), "utf8");
    const [, example = ""] = /```ts\n(import \{ type Editor, openService[^`]*\n[^]*?)\n```/.exec(
      readme,
    ) ?? [];
    const adapter = address(`adapters/${"Deno" in globalThis ? "deno" : "node"}/mod`);
    writeTree(folder, {
      // The example serves for ever: its server is kept, to be closed here.
      "adapter.mjs": [
        `import { createRuntime, serve as listen } from ${JSON.stringify(adapter)};`,
        "export { createRuntime };",
        "export const servers = [];",
        "export async function serve(...given) {",
        "  const server = await listen(...given);",
        "  servers.push(server.value);",
        "  return server;",
        "}",
      ].join("\n"),
      "example.mjs": example
        .replace("type Editor, ", "")
        .replaceAll(/: (?:Editor|string|Promise<string>)(?=[,)]| \{)/g, "")
        .replace('"slipway"', JSON.stringify(address("mod")))
        .replace('"slipway/node"', '"./adapter.mjs"'),
      "game/project.config.json": "{}",
    });
    const { embed } = await import(pathToFileURL(join(folder, "example.mjs")).href);
    const { servers } = await import(pathToFileURL(join(folder, "adapter.mjs")).href);
    try {
      const url: string = await embed(createTinyEditor({ project: "Mine" }), join(folder, "game"));
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
      const scene = await fetch(new URL("/api/scene-state", url));
      assert.match(scene.headers.get("x-svc-identity") ?? "", /^tiny \| project Mine \|/);
      assert.equal((await scene.json()).entityCount, 12);
    } finally {
      for (const server of servers) await server.close();
    }
  }));
