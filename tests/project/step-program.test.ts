import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { Host } from "../../lib/ports/host.ts";
import { readyStep, shownCommand } from "../../lib/project/building/run-step.ts";
import { runtime } from "../toolchain/real-machine.ts";

// Which programs of a step are refused by the beginning of their file: those alone that nothing on the
// machine can start. Linux starts some that are built for another processor or system.

/** A program of Linux for a processor (`e_machine`). */
function elf(machine: number): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  new DataView(bytes.buffer).setUint16(18, machine, true);
  return bytes;
}

/** A program of Windows for x64. */
function pe(): Uint8Array {
  const bytes = new Uint8Array(128);
  bytes.set([0x4d, 0x5a]);
  bytes[0x3c] = 0x40;
  bytes.set([0x50, 0x45, 0, 0, 0x64, 0x86], 0x40);
  return bytes;
}

const X64 = elf(0x3e);
const BARE = ["register", "status"];
const OTHER_PROCESSOR = /built for x64, this machine is aarch64/;
const OTHER_SYSTEM = /built for Windows, this machine runs Linux/;
const ARM = { platform: "linux", arch: "arm64" } as const;
const INTEL = { platform: "linux", arch: "x64" } as const;
const MAC = { platform: "darwin", arch: "arm64" } as const;

const ROWS: readonly {
  readonly title: string;
  readonly bytes: Uint8Array;
  readonly on: Pick<Host, "platform" | "arch">;
  /** Files in the folder in which Linux lists the programs that start others; `null` without it. */
  readonly handlers: readonly string[] | null;
  readonly refused?: RegExp;
}[] = [
  { title: "of x64 on arm64", bytes: X64, on: ARM, handlers: BARE, refused: OTHER_PROCESSOR },
  { title: "of x64 with Rosetta", bytes: X64, on: ARM, handlers: [...BARE, "rosetta"] },
  {
    title: "of x64 in a container, which hides what its host has",
    bytes: X64,
    on: ARM,
    handlers: [],
  },
  { title: "of x64 without a /proc", bytes: X64, on: ARM, handlers: null },
  { title: "of Windows on Linux", bytes: pe(), on: INTEL, handlers: BARE, refused: OTHER_SYSTEM },
  {
    title: "of Windows in a container",
    bytes: pe(),
    on: INTEL,
    handlers: [],
    refused: OTHER_SYSTEM,
  },
  { title: "of Windows under WSL", bytes: pe(), on: INTEL, handlers: [...BARE, "WSLInterop"] },
  {
    title: "of Linux on macOS",
    bytes: X64,
    on: MAC,
    handlers: ["qemu"],
    refused: /built for Linux, this machine runs macOS/,
  },
  {
    title: "that is a script of Windows where others are started",
    bytes: encodeUtf8("#!/bin/sh\r\n"),
    on: INTEL,
    handlers: ["qemu-arm"],
    refused: /line endings of Windows/,
  },
  { title: "that is a script without #!", bytes: encodeUtf8("echo\n"), on: INTEL, handlers: BARE },
  {
    title: "that is a script without #! in an older encoding, with colours",
    bytes: new Uint8Array([...encodeUtf8("echo '\u001b[1mM"), 0xfc, ...encodeUtf8("ller'\n")]),
    on: INTEL,
    handlers: BARE,
  },
  {
    title: "of no known kind",
    bytes: new Uint8Array([1, 0, 2, 3]),
    on: INTEL,
    handlers: BARE,
    refused: /it is not a program/,
  },
  {
    title: "of another kind that is registered",
    bytes: new Uint8Array([0x50, 0x4b, 3, 4, 0]),
    on: INTEL,
    handlers: [...BARE, "jar"],
  },
];

for (
  const [program, fix] of [
    ["./android/gradlew", "chmod +x ./android/gradlew"],
    ["my app/gradlew", 'chmod +x "my app/gradlew"'],
    ["it's $HOME/gradlew", "chmod +x 'it'\\''s $HOME/gradlew'"],
    ["-R/gradlew", "chmod +x ./-R/gradlew"],
  ] as const
) {
  test(`readyStep() prints a command for ${program} that can be pasted`, async () => {
    const ready = await readyStep({
      files: runtime.files,
      host: { platform: "linux", arch: "x64", env: () => undefined },
      syncStat: () => ({ kind: "file", executable: false, size: 1 }),
      processes: runtime.processes,
    }, {
      command: [program],
      setting: "build.android.steps[0]",
      root: "/game",
      env: {},
      onLine: () => undefined,
    });
    assert.equal(ready.ok ? "" : ready.error.hint, `Make it executable: ${fix}`);
  });
}

test("shownCommand() prints a command that can be pasted", () =>
  assert.equal(
    shownCommand(["node", "my build.mjs", "--out=dist", "$1"]),
    `node "my build.mjs" --out=dist '$1'`,
  ));

test("shownCommand() marks a command that is cut", () => {
  const shown = shownCommand(["node", "a".repeat(300)]);
  assert.deepEqual([shown.length, shown.at(-1)], [201, "…"]);
  assert.equal(shownCommand(["a".repeat(200)]), "a".repeat(200));
});

for (const { title, bytes, on, handlers, refused } of ROWS) {
  test(`readyStep() of a program ${title}`, async () => {
    const files = {
      list: (path: string) =>
        Promise.resolve(
          path === "/proc/sys/fs/binfmt_misc" && handlers !== null
            ? handlers.map((name) => ({ name, kind: "file" as const }))
            : null,
        ),
      read: () => Promise.resolve(null),
      readRange: () => Promise.resolve(new Uint8Array(bytes)),
      realPath: (path: string) => Promise.resolve(path),
    };
    const ready = await readyStep({
      files,
      host: { ...on, env: () => undefined },
      syncStat: () => ({ kind: "file", executable: true, size: bytes.length }),
      processes: runtime.processes,
    }, {
      command: ["/tools/program"],
      setting: "build.android.steps[0]",
      root: "/game",
      env: {},
      onLine: () => undefined,
    });
    if (refused === undefined) assert.ok(ready.ok, JSON.stringify(ready));
    else assert.match(ready.ok ? "it is started" : ready.error.detail, refused);
  });
}
