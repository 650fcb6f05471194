import assert from "node:assert/strict";
import { test } from "node:test";
import { FetchError } from "../../lib/core/fetch-error.ts";
import { FileError } from "../../lib/core/file-error.ts";

// A bundled program has one copy of these classes, the adapter that stays outside it another.

/** Module of lib/core a second time. */
async function copyOf(name: string): Promise<unknown> {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const url = new URL(`../../lib/core/${name}${extension}?copy`, import.meta.url);
  return await import(url.href);
}

test("FileError and FetchError know those of another copy, and nothing else", async () => {
  const { FileError: OtherFileError } = Object(await copyOf("file-error"));
  const { FetchError: OtherFetchError } = Object(await copyOf("fetch-error"));
  const file: unknown = new OtherFileError("missing", "/a", "it is not there");
  const route = { proxy: null, certificateProblems: [] };
  const fetched: unknown = new OtherFetchError(new TypeError("failed"), route);
  assert.notEqual(OtherFileError, FileError);
  assert.ok(file instanceof FileError && file.code === "missing");
  assert.ok(fetched instanceof FetchError && fetched.route.proxy === null);
  assert.ok(new FileError("full", "/a", "full") instanceof OtherFileError);
  const named = Object.assign(new Error("no"), { name: "FileError" });
  for (const other of [named, fetched, new Error("no"), { name: "FileError", path: "" }, null]) {
    assert.ok(!(other instanceof FileError));
  }
  assert.ok(!(file instanceof FetchError));
});
