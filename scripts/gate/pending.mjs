// Node's JUnit reporter, which also says which tests were running when the process is interrupted, in the
// words of Deno. Without it Node is gone before it has reported anything.

import process from "node:process";
import { junit } from "node:test/reporters";

const running = [];

process.once("SIGINT", () => {
  const tests = running.map(({ names, file, line, column }) =>
    `${names.join(" ... ")} => ./${file}:${line}:${column}`
  );
  process.stdout.write(
    `\nSIGINT The following tests were pending:\n\n${tests.toReversed().join("\n")}\n`,
    () => process.exit(130),
  );
});

export default (events) => junit(watched(events));

async function* watched(events) {
  for await (const event of events) {
    if (event.type === "test:dequeue") start(event.data);
    if (event.type === "test:complete") end(event.data);
    yield event;
  }
}

/** The last test of the level above is the parent: those of one process run one after another. */
function start({ name, nesting, file = "", line, column }) {
  const names = [...running.findLast((test) => test.nesting === nesting - 1)?.names ?? [], name];
  const path = file.replace(/^file:\/\//, "").replace(`${process.cwd()}/`, "");
  running.push({ names, name, nesting, file: path, line, column });
}

function end({ name, nesting }) {
  const at = running.findLastIndex((test) => test.name === name && test.nesting === nesting);
  if (at >= 0) running.splice(at, 1);
}
