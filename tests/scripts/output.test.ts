import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "../../scripts/shared/columns.ts";
import { createOutput } from "../../scripts/shared/output.ts";
import { createPaceMeter } from "../../scripts/shared/pace.ts";
import {
  createProgressLine,
  createProgressLog,
  stepText,
} from "../../scripts/shared/progress-line.ts";
import { screenOf } from "../support/terminal.ts";

const MB = 1e6;

/** A clock and what is called by it, both moved by the test. */
function clock() {
  let at = 0;
  const calls = new Set<{ readonly ms: number; readonly call: () => void; next: number }>();
  return {
    now: () => at,
    every(ms: number, call: () => void) {
      const entry = { ms, call, next: at + ms };
      calls.add(entry);
      return () => void calls.delete(entry);
    },
    running: () => calls.size,
    pass(ms: number) {
      for (const end = at + ms; at < end;) {
        at = Math.min(end, ...[...calls].map(({ next }) => next));
        for (const entry of calls) {
          if (entry.next > at) continue;
          entry.next = at + entry.ms;
          entry.call();
        }
      }
    },
  };
}

test("createPaceMeter() tells speed and time only after 2 s, of what came since it looks", () => {
  const meter = createPaceMeter();
  meter.see(100 * MB, 0); // came in an earlier run
  meter.see(104 * MB, 1_000);
  assert.deepEqual(meter.pace(205 * MB, 1_000), {});
  meter.see(108 * MB, 2_000);
  assert.deepEqual(meter.pace(205 * MB, 2_000), { perSecond: 4 * MB, secondsLeft: 24.25 });
  assert.deepEqual(meter.pace(0, 2_000), { perSecond: 4 * MB });
  meter.see(205 * MB, 3_000);
  assert.deepEqual(meter.pace(205 * MB, 3_000), {}, "nothing is left to tell");
});

test("createPaceMeter() follows a line that slows down, and tells a stall after 5 s", () => {
  const meter = createPaceMeter();
  for (let s = 0; s <= 20; s++) meter.see(Math.min(s, 10) * 10 * MB + s * MB, s * 1_000);
  const { perSecond = 0 } = meter.pace(0, 20_000);
  assert.ok(perSecond <= 2 * MB, `${perSecond}: the fast beginning is out of the window`);
  meter.see(120 * MB, 24_999);
  assert.equal(meter.pace(0, 24_999).stalledSeconds, undefined);
  assert.deepEqual(meter.pace(0, 32_000), { stalledSeconds: 12 });
  meter.see(121 * MB, 33_000);
  assert.equal(meter.pace(0, 33_000).stalledSeconds, undefined);
});

test("createPaceMeter() begins anew where a step does", () => {
  const meter = createPaceMeter();
  meter.see(0, 0);
  meter.see(50 * MB, 5_000);
  meter.see(0, 6_000); // the server sends it from its beginning
  assert.deepEqual(meter.pace(100 * MB, 6_000), {});
});

for (
  const [step, pace, text] of [
    [
      { done: 123e6, total: 205e6 },
      { perSecond: 4.1e6, secondsLeft: 20 },
      "123 / 205 MB  4.1 MB/s  20 s left",
    ],
    [{ done: 0, total: 205e6 }, {}, "0 / 205 MB"],
    [{ done: 1.25e6, total: 5e6 }, {}, "1.3 / 5.0 MB"],
    [
      { done: 999e6, total: 1.2e9 },
      { perSecond: 12.4e6, secondsLeft: 400 },
      "1.0 / 1.2 GB  12 MB/s  7 min left",
    ],
    [
      { done: 3e4, total: 6e4 },
      { perSecond: 900, secondsLeft: 0.2 },
      "30 / 60 kB  900 bytes/s  1 s left",
    ],
    [{ done: 32, total: 32 }, {}, "32 / 32 bytes"],
    [{ done: 7e6, total: 0 }, { stalledSeconds: 12 }, "7.0 MB  no data for 12 s"],
    [{ done: 0, total: 0 }, {}, ""],
    [
      { done: 12, total: 154, unit: "packages" },
      { perSecond: 2, secondsLeft: 71 },
      "12 / 154 packages",
    ],
    [
      { done: 0, total: 192, unit: "packages" },
      { stalledSeconds: 23 },
      "0 / 192 packages  none for 23 s",
    ],
    [{ done: 206e6, total: 205e6 }, {}, "205 / 205 MB"],
  ] as const
) {
  test(`stepText() of ${JSON.stringify(step)} is ${JSON.stringify(text)}`, () => {
    assert.equal(stepText({ name: "", isTransfer: true, unit: "bytes", ...step }, pace), text);
  });
}

test("createProgressLine() rewrites one line, at most ten times a second, and leaves each step", () => {
  const { now, every, running, pass } = clock();
  const writes: string[] = [];
  const line = createProgressLine({
    now,
    every,
    write: (text) => writes.push(text),
    columns: () => 80,
  });
  const show = (done: number) =>
    line.show({
      name: "download JDK",
      done: done * MB,
      total: 205 * MB,
      unit: "bytes",
      isTransfer: true,
    });
  const seen = () => screenOf(writes.join(""), { columns: 80, rows: 24 });
  for (let ms = 0; ms <= 3_000; ms += 10) {
    show(ms / 100);
    pass(10);
  }
  assert.ok(writes.length <= 35, `${writes.length} writes in 3 s`);
  assert.deepEqual(seen(), ["  download JDK  30 / 205 MB  10 MB/s  18 s left"]);
  line.log("the server broke off");
  pass(9_000);
  assert.deepEqual(seen(), [
    "the server broke off",
    "  download JDK  30 / 205 MB  no data for 9 s",
  ]);
  show(205);
  line.show({
    name: "extract jdk.tar.gz",
    done: 0,
    total: 5 * MB,
    unit: "bytes",
    isTransfer: true,
  });
  line.end();
  assert.deepEqual(seen(), [
    "the server broke off",
    "  download JDK  205 / 205 MB",
    "  extract jdk.tar.gz  0.0 / 5.0 MB",
  ]);
  assert.equal(running(), 0, "no timer is left");
});

test("createProgressLine() never wraps and shows all figures, whatever the name", () => {
  const writes: string[] = [];
  const { now, every } = clock();
  const line = createProgressLine({
    now,
    every,
    write: (text) => writes.push(text),
    columns: () => 40,
  });
  line.show({
    name: `download ${"漢".repeat(60)}`,
    done: 1,
    total: 2,
    isTransfer: false,
    unit: "packages",
  });
  line.end();
  const [text = "", ...more] = screenOf(writes.join(""), { columns: 40, rows: 9 });
  assert.match(text, /^ {2}download 漢+… {2}1 \/ 2 packages$/);
  assert.deepEqual(more, []);
});

test("createProgressLog() tells the beginning, one line in 5 s, stalls, and the end", () => {
  const { now, every, pass } = clock();
  const reported: string[] = [];
  const log = createProgressLog(
    { now, every },
    (step, pace) => reported.push(stepText(step, pace)),
  );
  const show = (done: number) =>
    log.show({
      name: "download JDK",
      done: done * MB,
      total: 205 * MB,
      unit: "bytes",
      isTransfer: true,
    });
  for (let s = 0; s < 8; s++) {
    show(10 * s);
    pass(1_000);
  }
  pass(12_000);
  show(205);
  log.end();
  assert.deepEqual(reported, [
    "download JDK  0 / 205 MB",
    "download JDK  40 / 205 MB  8.0 MB/s  21 s left",
    "download JDK  70 / 205 MB  7.0 MB/s  19 s left",
    "download JDK  70 / 205 MB  no data for 8 s",
    "download JDK  70 / 205 MB  no data for 13 s",
    "download JDK  205 / 205 MB",
  ]);
});

test("folded() continues the second column of a table below itself, and leaves a pipe's lines", () => {
  const table =
    "Usage: x COMMAND : finds what is there\n\n  --flag      a doc of several words\n  alone";
  assert.deepEqual(folded(table, 24).split("\n"), [
    "Usage: x COMMAND : finds",
    "what is there",
    "",
    "  --flag      a doc of",
    "              several",
    "              words",
    "  alone",
  ]);
  assert.equal(folded(table, null), table);
});

test("createOutput() for programs tells progress as JSON lines with speed, time left and stalls", () => {
  const { now, every, pass } = clock();
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => lines.push(line);
  try {
    const output = createOutput({ switches: { json: true } }, { now, every });
    const part = { name: "download JDK", isTransfer: true };
    for (const done of [0, 4, 8, 12]) {
      output.progress(done * MB, 205 * MB, "bytes", part);
      pass(1_000);
    }
    pass(6_000);
  } finally {
    console.error = error;
  }
  const reported = lines.map((line) => JSON.parse(line));
  const about = { event: "progress", label: "download JDK", total: 205 * MB, unit: "bytes" };
  assert.deepEqual(reported[0], { ...about, done: 0 });
  assert.deepEqual(reported.find(({ done, secondsLeft }) => done === 8 * MB && secondsLeft), {
    ...about,
    done: 8 * MB,
    bytesPerSecond: 2_666_667, // 8 MB, and 3 s have passed
    secondsLeft: 74,
  });
  assert.deepEqual(reported.at(-1), { ...about, done: 12 * MB, stalledSeconds: 7 });
});
