import assert from "node:assert/strict";
import { test } from "node:test";
import { runnable, spawnable } from "../../lib/toolchain/mod.ts";
import { machine } from "../toolchain/machine.ts";

const WINDOWS = { platform: "win32", systemRoot: "D:\\Win" } as const;

/** What cmd.exe makes of a line: carets go, quotes guard, and a bare operator runs something. */
function interpret(line: string): string {
  let text = "";
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? "";
    assert.notEqual(c, "%", `cmd.exe would expand in ${line}`);
    if (c === "^" && !quoted) {
      text += line[++i] ?? "";
      continue;
    }
    if (c === '"') quoted = !quoted;
    assert.ok(quoted || !"&|<>()".includes(c), `cmd.exe would act on ${c} in ${line}`);
    text += c;
  }
  return text;
}

/** The arguments of a Windows program, from its command line. */
function argumentsOf(line: string): string[] {
  const found: string[] = [];
  let current: string | null = null;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? "";
    if (c === "\\") {
      let count = 0;
      while (line[i] === "\\") {
        count++;
        i++;
      }
      const quote = line[i] === '"';
      current = (current ?? "") + "\\".repeat(quote ? count >> 1 : count);
      if (quote && count % 2 === 1) current += '"';
      else i--;
    } else if (c === '"') {
      quoted = !quoted;
      current ??= "";
    } else if ((c === " " || c === "\t") && !quoted) {
      if (current !== null) found.push(current);
      current = null;
    } else current = (current ?? "") + c;
  }
  return current === null ? found : [...found, current];
}

/** What a program behind a shim is called with. @param depth How often `%*` is read again. */
function throughShim(line: string, depth: number): string[] {
  assert.ok(line.startsWith('"') && line.endsWith('"'));
  let text = line.slice(1, -1); // /s drops the outer quotes
  for (let i = 0; i < depth; i++) text = interpret(text);
  return argumentsOf(text);
}

const HARD = [
  "plain",
  "",
  " ",
  "a b",
  "tab\there",
  "a&b",
  "a|b",
  "a<b>c",
  "(a)",
  "^",
  "a^b",
  "!x!",
  "a,b;c=d",
  "*.txt",
  "it's",
  '"',
  'a"b',
  'a"&echo injected&"',
  '" & calc & "',
  "C:\\path\\",
  "C:\\a b\\",
  'back\\"slash',
  "\\\\server\\share",
  "ü 漢 😀",
  "%PATH%",
  "100%",
];

for (const command of ["C:\\Program Files (x86)\\a & b^!\\tool.cmd", "C:/nodejs/tool.CMD"]) {
  test(`spawnable() brings hard arguments through the shim ${command}, or refuses them`, () => {
    const passed = HARD.filter((arg) => spawnable(command, [arg], WINDOWS).ok);
    assert.deepEqual(
      HARD.filter((arg) => !passed.includes(arg)),
      HARD.filter((a) => /["%]/.test(a)),
    );
    const spawn = spawnable(command, passed, WINDOWS);
    assert.ok(spawn.ok);
    assert.equal(spawn.value.kind, "cmd");
    assert.equal(spawn.value.command, "D:\\Win\\System32\\cmd.exe");
    assert.deepEqual(spawn.value.args.slice(0, 4), ["/d", "/s", "/v:off", "/c"]);
    for (const depth of [1, 2, 3]) { // a shim, one that keeps %* in a variable, one that calls another
      const received = throughShim(spawn.value.args[4] ?? "", depth);
      assert.deepEqual(received, [command.replaceAll("/", "\\"), ...passed]);
    }
  });
}

const BATCH: readonly (readonly [string, "cmd" | "direct"])[] = [
  ["C:\\a\\npm.cmd", "cmd"],
  ["C:\\a\\npm.CMD", "cmd"],
  ["C:\\a\\x.Bat", "cmd"],
  ["C:\\a\\npm.cmd ", "cmd"],
  ["C:\\a\\npm.cmd.", "cmd"],
  ["C:\\a\\x.bat. .", "cmd"],
  ["C:\\a\\x.exe", "direct"],
  ["C:\\a\\x.com", "direct"],
  ["C:\\a.cmd\\x.exe", "direct"],
];

for (const [command, kind] of BATCH) {
  test(`spawnable() starts ${JSON.stringify(command)} ${kind}`, () => {
    const spawn = spawnable(command, ["a"], WINDOWS);
    assert.equal(spawn.ok && spawn.value.kind, kind);
    assert.equal(
      spawn.ok && (runnable(spawn.value).verbatimArguments ?? false),
      kind === "cmd",
    );
  });
}

test("spawnable() off Windows starts everything as it is", () => {
  const spawn = spawnable("/a/tool.cmd", ["a\nb"], { platform: "linux" });
  assert.deepEqual(spawn, {
    ok: true,
    value: { kind: "direct", command: "/a/tool.cmd", args: ["a\nb"] },
  });
});

const REFUSED:
  readonly (readonly [string, string, readonly string[], "linux" | "win32", string])[] = [
    ["a line feed for a batch file", "C:\\a.cmd", ["a\nb"], "win32", "forbidden-character"],
    ["a carriage return for a batch file", "C:\\a.cmd", ["a\rb"], "win32", "forbidden-character"],
    ["NUL for a batch file", "C:\\a.cmd", ["a\0b"], "win32", "forbidden-character"],
    ["a quote for a batch file", "C:\\a.cmd", ['a"&calc&"'], "win32", "forbidden-character"],
    [
      "a percent sign for a batch file",
      "C:\\a.cmd",
      ["%PATH:a=b%"],
      "win32",
      "forbidden-character",
    ],
    ["a batch file with one in its name", "C:\\%a%\\a.cmd", [], "win32", "forbidden-character"],
    ["NUL for a program", "C:\\a.exe", ["a\0b"], "win32", "forbidden-character"],
    ["NUL in the command", "/a\0", [], "linux", "forbidden-character"],
    ["a relative command", "npm.cmd", [], "win32", "command-not-absolute"],
    ["a drive-relative command", "C:npm.cmd", [], "win32", "command-not-absolute"],
    ["a bare name", "npm", [], "linux", "command-not-absolute"],
    [
      "a line that cmd.exe would cut",
      "C:\\a.cmd",
      ["x".repeat(9000)],
      "win32",
      "command-line-too-long",
    ],
  ];

for (const [title, command, args, platform, code] of REFUSED) {
  test(`spawnable() refuses ${title}`, () => {
    const spawn = spawnable(command, args, { platform });
    assert.equal(spawn.ok ? null : spawn.error.code, code);
  });
}

test("spawnable() takes a plain cmd.exe where SystemRoot is missing or relative", () => {
  for (const systemRoot of [undefined, "Windows", ""]) {
    const spawn = spawnable("C:\\a.cmd", [], { platform: "win32", systemRoot });
    assert.equal(spawn.ok && spawn.value.command, "C:\\Windows\\System32\\cmd.exe");
  }
});

test("spawnable() sees through npm's shim where its script lies beside it", () => {
  const { syncStat: stat } = machine({
    platform: "win32",
    entries: {
      "C:/node/npm.cmd": { program: "shim" },
      "C:/node/node.exe": { program: "node" },
      "C:/node/node_modules/npm/bin/npm-cli.js": "js",
    },
  });
  const args = ["--version", "a\nb%PATH%"];
  assert.deepEqual(spawnable("C:\\node\\npm.cmd", args, { ...WINDOWS, stat }), {
    ok: true,
    value: {
      kind: "direct",
      command: "C:\\node\\node.exe",
      args: ["C:\\node\\node_modules\\npm\\bin\\npm-cli.js", ...args],
    },
  });
  const other = spawnable("C:\\other\\npm.cmd", [], { ...WINDOWS, stat });
  assert.equal(other.ok && other.value.kind, "cmd");
});
