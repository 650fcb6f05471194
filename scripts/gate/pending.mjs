// Node's JUnit reporter, which also reports the running tests when the process is interrupted, in
// Deno's words. Without it, Node ends before reporting anything.

import process from "node:process";
import { junit } from "node:test/reporters";

const running = [];
const failed = [];

process.once("SIGINT", () => {
  process.stdout.write(
    `\nThe following tests had failed:\n\n${list(failed)}\n` +
      `\nSIGINT The following tests were pending:\n\n${list(running.toReversed())}\n`,
    () => process.exit(130),
  );
});

function list(tests) {
  return tests.map(({ names, file, line, column }) =>
    `${names.join(" ... ")} => ./${file}:${line}:${column}`
  ).join("\n");
}

export default (events) => junit(watched(events));

async function* watched(events) {
  for await (const event of events) {
    if (event.type === "test:dequeue") start(event.data);
    if (event.type === "test:complete") end(event.data);
    yield event;
  }
}

/** The last test one level up is the parent: those of one process run one after another. */
function start({ name, nesting, file = "", line, column }) {
  const names = [...running.findLast((test) => test.nesting === nesting - 1)?.names ?? [], name];
  const path = file.replace(/^file:\/\//, "").replace(`${process.cwd()}/`, "");
  running.push({ names, name, nesting, file: path, line, column });
}

function end({ name, nesting, details }) {
  const at = running.findLastIndex((test) => test.name === name && test.nesting === nesting);
  if (at < 0) return;
  const [test] = running.splice(at, 1);
  // A test that fails only because of a subtest does not count itself.
  const isContainer = details.error?.failureType === "subtestsFailed";
  if (details.passed === false && !isContainer) failed.push(test);
}
