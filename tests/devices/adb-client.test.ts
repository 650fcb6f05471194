import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TOOLS } from "../../lib/agent/tools.ts";
import { pngSize } from "../../lib/core/png.ts";
import { createDevices } from "../../lib/devices/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { pngOf, pngWith } from "../captures/fake-page.ts";
import type { FakePhone, PhoneOutput } from "../support/adb-server.ts";
import { phoneOutput, withoutAdb, withPhones } from "./device-world.ts";

// The real client of adb against a server that speaks its protocol: phones that do what they should, and
// phones that do not.

const options = { skip: withoutAdb };

/** A phone that prints what is usual, or what `run` says instead. */
function phone(
  { run = () => null, ...more }: Partial<Omit<FakePhone, "run">> & {
    readonly run?: (line: string) => PhoneOutput | null;
  } = {},
): FakePhone & { readonly lines: string[] } {
  const lines: string[] = [];
  const screen = { width: 1080, height: 2400, density: 420, picture: pngOf(1080, 2400) };
  return {
    serial: "R58M123ABC",
    state: "device",
    model: "Pixel_9",
    lines,
    run(line) {
      lines.push(line);
      return run(line) ?? phoneOutput(line, screen);
    },
    ...more,
  };
}

for (const hasShellV2 of [true, false]) {
  test(
    `a phone ${hasShellV2 ? "" : "of an Android before 7 "}is seen and touched by adb (DEV-46)`,
    options,
    () => {
      const one = phone({ hasShellV2 });
      return withPhones([one], async ({ call, root }) => {
        const listed = await call("device_list");
        assert.deepEqual(listed.body.devices, [{
          id: "R58M123ABC",
          name: "Pixel 9",
          transport: "adb",
          state: "ready",
          can: ["screenshot", "tap", "drag", "eval", "console_logs", "native_logs"],
        }]);
        const early = await call("device_tap", { x: 1, y: 1 });
        assert.deepEqual([early.status, early.body.code], [409, "no-screenshot"]);

        const shot = await call("device_screenshot", { savePath: "shot.png" });
        assert.equal(shot.status, 200, JSON.stringify(shot.body));
        const { width, height, ...how } = shot.body.screen;
        assert.deepEqual(how, { scale: 2.625, orientation: "portrait" });
        assert.deepEqual([width, height].map((n) => Math.round(n * how.scale)), [1080, 2400]);
        const kept = readFileSync(join(root, "shot.png"));
        assert.deepEqual(pngSize(kept), { width: 1080, height: 2400 });
        assert.equal((await call("device_tap", { x: 1079, y: 2399 })).status, 200);
        assert.equal(one.lines.at(-1), "input tap 1079.5 2399.5");
        const drag = { from: [0, 0.9], to: [1079.5, 1200], durationMs: 1 };
        assert.equal((await call("device_drag", drag)).status, 200);
        assert.equal(one.lines.at(-1), "input swipe 0.5 0.5 1079.5 1200.5 100");
        const outside = await call("device_tap", { x: 1080, y: 0 });
        assert.deepEqual([outside.status, outside.body.code], [400, "off-picture"]);
      });
    },
  );
}

for (
  const [state, stands, next] of [
    ["unauthorized", "unauthorized", /Unlock the phone and allow USB debugging/],
    ["offline", "offline", /plug it in again/],
    ["no permissions (user in plugdev group; are your udev rules wrong?);", "unavailable", /udev/],
    ["recovery", "unavailable", /adb says recovery/],
  ] as const
) {
  test(
    `a phone that is ${state.slice(0, 20)} is listed with what to do (DEV-40)`,
    options,
    () =>
      withPhones([phone({ state })], async ({ call }) => {
        const { body: { devices: [listed] } } = await call("device_list");
        assert.deepEqual([listed.state, listed.can], [stands, []]);
        assert.match(listed.next, next);
        for (const device of [undefined, "R58M123ABC"]) {
          const { status, body } = await call("device_screenshot", { device });
          assert.deepEqual([status, body.code], [
            422,
            device === undefined ? "no-device" : "device-cannot",
          ]);
          assert.match(body.hint, next);
        }
      }),
  );
}

test(
  "of several devices a call that names none is refused, and says which there are (DEV-40)",
  options,
  () => {
    const [one, two] = [phone(), phone({ serial: "emulator-5554", model: "sdk_gphone64" })];
    return withPhones([one, two], async ({ call }) => {
      const refused = await call("device_screenshot");
      assert.deepEqual([refused.status, refused.body.code], [400, "which-device"]);
      assert.match(refused.body.detail, /R58M123ABC \(Pixel 9\), emulator-5554 \(sdk gphone64\)/);
      assert.equal((await call("device_screenshot", { device: "emulator-5554" })).status, 200);
      assert.deepEqual(one.lines, []);
      // What was shown of one is no picture of the other.
      const other = await call("device_tap", { device: "R58M123ABC", x: 1, y: 1 });
      assert.equal(other.body.code, "no-screenshot");
      const unknown = await call("device_tap", { device: "-s", x: 1, y: 1 });
      assert.deepEqual([unknown.status, unknown.body.code], [404, "no-such-device"]);
    });
  },
);

test("a phone whose serial number is an order to a shell is passed over (DEV-46)", options, () => {
  const evil = phone({ serial: "a;reboot" });
  return withPhones([evil, phone({ serial: "-rf" })], async ({ call, adb }) => {
    const { body } = await call("device_list");
    assert.deepEqual(body.devices, []);
    assert.equal((await call("device_eval", { device: "a;reboot", expression: "1" })).status, 404);
    assert.deepEqual(adb.requests.filter((one) => one.includes("transport")), []);
  });
});

test(
  "a machine without adb says how to get it, and one whose server is dead what adb says",
  options,
  async () => {
    const devices = createDevices({
      ...adapter.createRuntime(),
      findAdb: () => Promise.resolve(null),
      bridgeAddress: () => Promise.resolve(null),
    });
    const { signal } = new AbortController();
    const notes = (await devices.list(signal)).notes.join();
    const [, tool] = /Found no adb.*: run (\w+) id=andr/.exec(notes) ?? [];
    assert.ok(TOOLS.some(({ name }) => name === tool), notes);
    const refused = await devices.screenshot({ viewer: "agent", signal });
    assert.equal(refused.ok ? "" : refused.error.code, "no-device");
    await devices.close();
    await withPhones([phone()], async ({ call, adb }) => {
      adb.answers = "garbage";
      assert.match((await call("device_list")).body.notes.join(), /protocol fault/);
      await adb.close();
      const { body } = await call("device_list");
      // In the words that say what is wrong, not in the first that adb happens to print.
      assert.match(
        body.notes.join(),
        /adb devices -l exited 1.*: adb: failed to check server version/,
      );
    });
  },
);

test(
  "a phone that is pulled out in the middle is told, and seen again when it is back",
  options,
  () => {
    const one = phone({
      run: (line) =>
        line.startsWith("screencap") ? { stdout: endless(() => world?.unplug(one)) } : null,
    });
    let world: { unplug(phone: FakePhone): void } | null = null;
    return withPhones([one], async ({ call, adb }) => {
      world = adb;
      const shot = await call("device_screenshot");
      assert.equal(shot.status, 422, JSON.stringify(shot.body));
      assert.deepEqual((await call("device_list")).body.devices, []);
      adb.phones.push(one);
      assert.equal((await call("device_list")).body.count, 1);
    });
  },
);

/** A megabyte again and again; `after` the first. */
async function* endless(after: () => void = () => {}): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield new Uint8Array(1024 * 1024);
    after();
  }
}

const png = (width: number, height: number) => pngWith(width, height, [new Uint8Array(8)]);
for (
  const [what, stdout, code, said] of [
    ["no end", () => endless(), "adb-failed", /expected at most 67108864/],
    ["text", () => "screencap: not found\n", "no-picture", /gave 21 bytes, expected a PNG/],
    ["nothing", () => "", "no-picture", /gave 0 bytes/],
    ["a picture of 100,000 × 100,000", () => png(100_000, 100_000), "no-picture", /expected a PNG/],
    ["a picture of 0 × 0", () => png(0, 0), "no-picture", /expected a PNG/],
    [
      "a picture that lies on its side",
      () => png(2400, 1080),
      "screen-changed",
      /2400 × 1080.*1080 × 2400/,
    ],
    ["a picture of another shape", () => png(1080, 1080), "no-picture", /1080 × 1080.*1080 × 2400/],
  ] as const
) {
  test(`a phone whose screencap gives ${what} is refused`, options, () => {
    const one = phone({
      run: (line) => line.startsWith("screencap") ? { stdout: stdout() } : null,
    });
    return withPhones([one], async ({ call }) => {
      const { body } = await call("device_screenshot");
      assert.equal(body.code, code, JSON.stringify(body));
      assert.match(body.detail, said);
    });
  });
}

for (
  const [what, printed] of [
    ["nothing", ""],
    ["no sizes", "cur=0x0\nPhysical size: 0x99999\n"],
    ["sizes of six digits", "cur=100000x100000"],
    ["5 MB", "cur=".repeat(1_250_000)],
  ] as const
) {
  test(`a phone that tells ${what} of its screen is refused`, options, () => {
    const one = phone({
      run: (line) => /^(?:dumpsys|wm) /.test(line) ? { stdout: printed } : null,
    });
    return withPhones([one], async ({ call }) => {
      const { status, body } = await call("device_screenshot");
      assert.deepEqual([status, body.code], [422, "no-screen"]);
    });
  });
}

test("a phone that is turned between picture and touch is not touched (DEV-43)", options, () => {
  let rotation: 0 | 90 = 0;
  const screen = () => rotation === 0 ? { width: 720, height: 1280 } : { width: 1280, height: 720 };
  const one = phone({
    run: (line) =>
      phoneOutput(line, { ...screen(), rotation, picture: pngOf(screen().width, screen().height) }),
  });
  return withPhones([one], async ({ call }) => {
    assert.equal((await call("device_screenshot")).status, 200);
    rotation = 90;
    const lost = await call("device_tap", { x: 10, y: 10 });
    assert.deepEqual([lost.status, lost.body.code], [409, "screen-changed"]);
    assert.match(lost.body.detail, /1280 × 720 at 90° now/);
    assert.ok(!one.lines.some((line) => line.startsWith("input")));
    assert.equal((await call("device_tap", { x: 10, y: 10 })).body.code, "no-screenshot");
    assert.equal((await call("device_screenshot")).body.screen.orientation, "landscape");
    assert.equal((await call("device_tap", { x: 1279, y: 10 })).status, 200);
    rotation = 0;
    assert.equal((await call("device_drag", { from: [1, 1], to: [2, 2] })).status, 409);
  });
});

/** Lines as `logcat -v epoch` prints them. */
function logcat(count: number, from = 1): string {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const level = n % 10 === 0 ? "E" : "I";
    return ` ${1_763_888_000 + n}.000  4321  4350 ${level} Tag: line ${n}\n`;
  }).join("");
}

test(
  "device_native_logs keeps each line once, and tells what it no longer has (DEV-45)",
  options,
  () => {
    let log = `--------- beginning of main\n${logcat(1_000)}`;
    const one = phone({ run: (line) => line.startsWith("logcat") ? { stdout: log } : null });
    return withPhones([one], async ({ call }) => {
      const seqs = (body: { entries: readonly { seq: number }[] }) =>
        body.entries.map(({ seq }) => seq);
      const first = await call("device_native_logs");
      assert.deepEqual([first.body.total, first.body.entries.length, first.body.next], [
        1_000,
        50,
        50,
      ]);
      assert.deepEqual(first.body.byLevel, { info: 900, error: 100 });
      assert.deepEqual([seqs(first.body)[0], seqs(first.body).at(-1)], [951, 1_000]);
      const errors = await call("device_native_logs", { level: "error", limit: 2 });
      assert.deepEqual(errors.body.entries.map(({ text }: { text: string }) => text), [
        "line 990",
        "line 1000",
      ]);
      log = logcat(1_000, 501);
      const more = await call("device_native_logs", { since: 1_000, limit: 3 });
      assert.deepEqual([more.body.total, seqs(more.body)], [500, [1_001, 1_002, 1_003]]);
      assert.equal(more.body.missed, undefined);
      for (const from of [1_501, 2_501]) {
        log = logcat(1_000, from);
        await call("device_native_logs", { limit: 1 });
      }
      const late = await call("device_native_logs", { since: 1_000, limit: 1 });
      assert.deepEqual([seqs(late.body), late.body.missed], [[1_501], 500]);
      assert.ok(one.lines.includes("logcat -d -v epoch -t 1000"));
    });
  },
);

for (
  const [what, log, texts] of [
    [
      "control characters",
      " 1763888000.123  1  1 I T\x1b[2J: \x1b[31mred\x00\x07\x1b[0m \u202egnp.exe\n",
      1,
    ],
    ["a line of 3 MB that has no colon", ` 1763888000.123  1  1 I ${" ".repeat(3_000_000)}\n`, 0],
    ["a line of 3 MB", ` 1763888000.123  1  1 I T: ${"x".repeat(3_000_000)}\n`, 1],
    [
      "a time that is far away",
      " 999999999999.999  1  1 I T: far\n 1763888000.123  1  1 I T: now\n",
      2,
    ],
  ] as const
) {
  test(`a log with ${what} is read quickly, and harms no reader`, options, () => {
    const one = phone({ run: (line) => line.startsWith("logcat") ? { stdout: log } : null });
    return withPhones([one], async ({ call }) => {
      const { status, body } = await call("device_native_logs");
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.entries.length, texts);
      for (const { text, tag } of body.entries) {
        assert.ok(text.length <= 2_000);
        // deno-lint-ignore no-control-regex
        assert.doesNotMatch(text + tag, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }
    });
  });
}

test("of a log of 10 MB the newest lines are there", options, () => {
  const lines = Array.from(
    { length: 1_000 },
    (_, i) => ` ${1_763_888_000 + i}.000  1  1 I Tag: ${"x".repeat(10_000)}\n`,
  );
  const log = `${lines.join("")} 1763889999.000  1  1 E Tag: the last\n`;
  const one = phone({ run: (line) => line.startsWith("logcat") ? { stdout: log } : null });
  return withPhones([one], async ({ call }) => {
    const { body } = await call("device_native_logs", { limit: 1 });
    assert.equal(body.entries[0]?.text, "the last");
  });
});

test("an app whose page cannot be debugged is told, and no forward is left behind", options, () => {
  const sockets = "0: 00000002 00000000 00010000 0001 01 21 @webview_devtools_remote_4321\n";
  const one = phone({
    run: (line) =>
      line.startsWith("cat ") ? phoneOutput(line, { width: 1, height: 1, sockets }) : null,
  });
  return withPhones([one], async ({ call, adb }) => {
    for (const name of ["device_console_logs", "device_eval"]) {
      const { body } = await call(name, name === "device_eval" ? { expression: "1" } : {});
      assert.equal(body.code, "no-web-view", JSON.stringify(body));
    }
    assert.deepEqual([...adb.forwards], []);
  });
});
