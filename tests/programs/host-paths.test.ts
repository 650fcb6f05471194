import { test } from "node:test";
import assert from "node:assert/strict";
import { hostPaths, isNetworkPath } from "../../lib/programs/mod.ts";

const posix = hostPaths("linux");
const windows = hostPaths("win32");

for (
  const [title, found, expected] of [
    ["join() with /", posix.join("/a/", "b/c"), "/a/b/c"],
    ["join() at the root", posix.join("/", "b"), "/b"],
    ["join() of nothing", posix.join("/a", "."), "/a"],
    ["join() with \\", windows.join("C:\\a\\", "b/c"), "C:\\a\\b\\c"],
    ["parent() of a file", posix.parent("/a/b/"), "/a"],
    ["parent() of the root", posix.parent("/"), "/"],
    ["parent() keeps a backslash off Windows", posix.parent("/a\\b"), "/"],
    ["parent() on Windows", windows.parent("C:/a\\b"), "C:/a"],
    ["parent() in a drive", windows.parent("C:\\a"), "C:\\"],
    ["name()", posix.name("/a/b.c"), "b.c"],
    ["name() on Windows", windows.name("C:\\a/b.c"), "b.c"],
    ["isAbsolute()", posix.isAbsolute("/a"), true],
    ["isAbsolute() of a relative path", posix.isAbsolute("a"), false],
    ["isAbsolute() of a drive", windows.isAbsolute("c:/a"), true],
    ["isAbsolute() of a drive-relative path", windows.isAbsolute("C:a"), false],
    ["isAbsolute() of a path without a drive", windows.isAbsolute("\\a"), false],
    ["isAbsolute() of a server", windows.isAbsolute("\\\\server\\share"), true],
    ["isWithin() itself", posix.isWithin("/a", "/a/"), true],
    ["isWithin() a folder", posix.isWithin("/a/b", "/a"), true],
    ["isWithin() a name that goes on", posix.isWithin("/ab", "/a"), false],
    ["isWithin() in another case", posix.isWithin("/A/b", "/a"), false],
    ["isWithin() on Windows", windows.isWithin("c:/A/b", "C:\\a"), true],
    ["environmentKey()", posix.environmentKey({ Path: "" }, "PATH"), undefined],
    ["environmentKey() on Windows", windows.environmentKey({ Path: "" }, "PATH"), "Path"],
    ["separator and delimiter", [windows.separator, windows.delimiter], ["\\", ";"]],
  ] as const
) {
  test(`HostPaths ${title}`, () => assert.deepEqual(found, expected));
}

test("isNetworkPath() knows a server in either spelling", () => {
  assert.deepEqual(["\\\\s\\a", "//s/a", "/a", "C:\\a"].map(isNetworkPath), [
    ...[true, true, false, false],
  ]);
});
