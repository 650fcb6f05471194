import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommandSpec, parseCommandLine } from "../../scripts/shared/command-line.ts";

const SPEC: CommandSpec = {
  usage: "try COMMAND",
  commands: ["run", "stop"],
  takesWords: true,
  flags: {
    port: { kind: "value", doc: "where it listens" },
    fresh: { kind: "switch", doc: "from the start" },
    folder: { kind: "value", doc: "a folder" },
  },
};

type Read = readonly [command: string, words: string, values: object, switches: string];

const READ: readonly (readonly [string, Read])[] = [
  ["run", ["run", "", {}, ""]],
  ["--port 1 run a", ["run", "a", { port: "1" }, ""]],
  ["run --fresh a --port=1 b", ["run", "a b", { port: "1" }, "fresh"]],
  ["run --port=", ["run", "", { port: "" }, ""]],
  ["run --port=--fresh", ["run", "", { port: "--fresh" }, ""]],
  ["run --port -1", ["run", "", { port: "-1" }, ""]],
  ["run --port --elsewhere", ["run", "", { port: "--elsewhere" }, ""]],
  ["run --folder=a=b -", ["run", "-", { folder: "a=b" }, ""]],
  ["run -- --port --fresh", ["run", "--port --fresh", {}, ""]],
  ["run --json", ["run", "", {}, "json"]],
];

for (const [text, expected] of READ) {
  test(`parseCommandLine() reads ${text}`, () => {
    const line = parseCommandLine(text.split(" "), SPEC);
    assert.ok(line.ok, line.ok ? "" : line.error.message);
    const { command, positionals, values, switches } = line.value;
    assert.deepEqual(
      [command, positionals.join(" "), values, Object.keys(switches).join(" ")],
      expected,
    );
  });
}

test("parseCommandLine() reads a flag that may stand again as a list, and none as no list", () => {
  const flags = { allow: { kind: "list", doc: "a path" } } as const;
  const read = (...argv: string[]) => {
    const line = parseCommandLine(argv, { usage: "try", flags });
    return line.ok ? line.value.lists : line.error.message;
  };
  assert.deepEqual(read("--allow", "a", "--allow=b c"), { allow: ["a", "b c"] });
  assert.equal(read(), undefined);
  assert.equal(read("--allow"), "Flag --allow has no value: expected one after it");
});

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["", "No command is given: expected one of run, stop", "try COMMAND"],
  ["rum", 'Unknown command "rum": expected one of run, stop', "Did you mean run?"],
  [
    "run --prot 1",
    'Unknown flag "--prot": expected one of --port, --fresh, --folder, --json, --help',
    "Did you mean --port?",
  ],
  [
    "run -p 1",
    'Unknown flag "-p": expected one of --port, --fresh, --folder, --json, --help',
    "Did you mean --port?",
  ],
  ["run --fresh --fresh", "Flag --fresh is given twice: expected it once", "Remove one of them"],
  ["run --port 1 --port=1", "Flag --port is given twice: expected it once", "Remove one of them"],
  ["run --fresh=1", "Flag --fresh takes no value", "Write --fresh alone"],
  ["run --port", "Flag --port has no value: expected one after it", "where it listens"],
  [
    "run --port --fresh",
    "Flag --port has no value: found the flag --fresh after it",
    "Write --port=--fresh if that is the value",
  ],
];

for (const [text, message, next] of REFUSED) {
  test(`parseCommandLine() refuses ${text || "nothing"}`, () => {
    const line = parseCommandLine(text.split(" ").filter((word) => word !== ""), SPEC);
    assert.deepEqual(line.ok ? "read" : line.error, { code: "usage", message, next });
  });
}
