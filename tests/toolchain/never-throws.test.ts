import assert from "node:assert/strict";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import {
  createToolchain,
  TOOL_IDS,
  ToolAbsentError,
  type ToolchainDeps,
} from "../../lib/toolchain/mod.ts";
import { rounds } from "../support/rounds.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { answer, type Entry, jdk, machine } from "./machine.ts";

const PROGRAM: Entry = { program: "x" };
const HOSTILE = {
  toString() {
    throw new Error("no text");
  },
};
/** What a port may throw, though it should not. */
const THROWN: readonly unknown[] = [
  new Error("disk on fire"),
  new FileError("denied", "/x", "permission denied"),
  "text",
  undefined,
  null,
  0,
  Symbol("s"),
  Object.create(null),
  HOSTILE,
];

/** Every function of `port` throws or rejects now and then, with anything. */
function flaky<Port extends object>(port: Port, random: Random): Port {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        const dice = random.next();
        const thrown = THROWN[random.below(THROWN.length)];
        if (dice < 0.15) throw thrown;
        if (dice < 0.3) return Promise.reject(thrown);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

function flakyStat(stat: ToolchainDeps["syncStat"], random: Random): ToolchainDeps["syncStat"] {
  return (path) => {
    if (random.next() < 0.1) throw THROWN[random.below(THROWN.length)];
    return stat(path);
  };
}

const seed = runSeed();
test(`detect() and all that rests on it never throw (SLIPWAY_SEED=${seed})`, async () => {
  for (let round = 0; round < rounds(60, 2_000); round++) {
    const random = seededRandom(seed + round);
    const win32 = random.next() < 0.5;
    const on = machine({
      platform: win32 ? "win32" : "linux",
      env: {
        PATH: win32 ? "C:\\p" : "/p",
        JAVA_HOME: win32 ? "C:\\j" : "/j",
        ANDROID_HOME: win32 ? "C:\\s" : "/s",
      },
      entries: {
        ...Object.fromEntries(
          ["npm", "ffmpeg", "ktx", "pod", "gltfpack"].flatMap((name) => [
            [`/p/${name}`, PROGRAM],
            [`C:/p/${name}.cmd`, PROGRAM],
          ]),
        ),
        ...jdk(win32 ? "C:/j" : "/j", "21.0.1"),
        "/s/platform-tools/adb": PROGRAM,
        "C:/s/platform-tools/adb.exe": PROGRAM,
      },
      run: answer("1.2.3\n"),
    });
    const toolchain = createToolchain({
      ...on,
      files: flaky(on.files, random),
      processes: flaky(on.processes, random),
      syncStat: flakyStat(on.syncStat, random),
    });
    const seedText = `SLIPWAY_SEED=${seed + round}`;
    for (const id of TOOL_IDS) {
      const detection = await toolchain.detect(id);
      assert.equal(detection.id, id, seedText);
      assert.ok(detection.present || detection.reason !== "", seedText);
      await toolchain.resolve(id).catch((thrown: unknown) =>
        assert.ok(thrown instanceof ToolAbsentError, seedText)
      );
    }
    await toolchain.detectAdb();
    assert.equal((await toolchain.status()).tools.length, TOOL_IDS.length, seedText);
    await toolchain.preflight("android");
  }
});
