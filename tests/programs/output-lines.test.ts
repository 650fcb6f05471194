import { test } from "node:test";
import assert from "node:assert/strict";
import { createOutputLines } from "../../lib/programs/output-lines.ts";

for (
  const [title, pieces, expected] of [
    ["whole lines", ["a\nb\n"], ["a", "b"]],
    ["pieces", ["a", "b\nc", "d"], ["ab", "cd"]],
    ["Windows line ends", ["a\r\nb\r\n"], ["a", "b"]],
    ["a line end cut in two", ["a\r", "\nb\r", "\n"], ["a", "b"]],
    ["a progress bar", ["10%\r20%\r", "30%\n"], ["10%", "20%", "30%"]],
    ["a carriage return at the very end", ["a\r"], ["a"]],
    ["empty lines", ["a\n\nb\n"], ["a", "", "b"]],
    ["colours", ["\u001b[31mred\u001b[0m\n"], ["red"]],
    ["a link and a cursor", ["\u001b]8;;http://a\u0007x\u001b]8;;\u0007\u001b[2K\n"], ["x"]],
    ["control characters", ["a\u0000\u0007b\tc\n"], ["ab\tc"]],
    ["what is not ASCII", ["grüße 😀\n"], ["grüße 😀"]],
    ["a long line", ["x".repeat(2_001) + "\n"], ["x".repeat(2_000), "x"]],
    ["a line without end", ["x".repeat(4_001)], ["x".repeat(2_000), "x".repeat(2_000), "x"]],
  ] as const
) {
  test(`createOutputLines() takes ${title}`, () => {
    const lines: string[] = [];
    const output = createOutputLines((line) => lines.push(line));
    for (const piece of pieces) output.push(piece, "stdout");
    output.end();
    assert.deepEqual(lines, expected);
  });
}

test("createOutputLines() keeps the streams apart", () => {
  const reported: [string, string][] = [];
  const output = createOutputLines((line, stream) => reported.push([line, stream]));
  output.push("a", "stdout");
  output.push("x\n", "stderr");
  output.push("b\n", "stdout");
  output.end();
  assert.deepEqual(reported, [["x", "stderr"], ["ab", "stdout"]]);
});

test("createOutputLines() keeps of a stack trace what went wrong, and the first frame", () => {
  const output = createOutputLines(() => undefined);
  const frames = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `\tat org.gradle.wrapper.Install.call(Install.java:${i})\n`,
    );
  output.push('Exception in thread "main" java.lang.RuntimeException: no wrapper\n', "stderr");
  output.push(frames(30).join(""), "stderr");
  output.push("Caused by: java.net.UnknownHostException: services.example\n", "stderr");
  output.push(`${frames(30).join("")}\t... 17 more\n`, "stderr");
  assert.equal(
    output.tail(),
    `Exception in thread "main" java.lang.RuntimeException: no wrapper
\tat org.gradle.wrapper.Install.call(Install.java:0)
Caused by: java.net.UnknownHostException: services.example
\tat org.gradle.wrapper.Install.call(Install.java:0)`,
  );
});

test("createOutputLines() keeps the last 20 lines that say something", () => {
  const output = createOutputLines(() => undefined);
  for (let i = 1; i <= 50; i++) output.push(`${i}\n \n`, "stdout");
  assert.equal(output.tail(), Array.from({ length: 20 }, (_, i) => i + 31).join("\n"));
  for (let i = 1; i <= 50; i++) output.push(`${"y".repeat(1_000)}\n`, "stdout");
  assert.equal(output.tail().length, 1_500);
});
