import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonLine } from "../../lib/programs/reason-line.ts";

// Output of common programs when they fail, shortened, and the line that a person needs.

const OUTPUTS: readonly (readonly [title: string, output: string, reason: string | undefined])[] = [
  [
    "corepack's npm",
    `/usr/lib/node_modules/corepack/dist/lib/corepack.cjs:22036
    throw new Error(
          ^

Error: Cannot find matching keyid: {"signatures":[]}
    at verifySignature (/usr/lib/node_modules/corepack/dist/lib/corepack.cjs:22036:11)

Node.js v20.20.2`,
    'Error: Cannot find matching keyid: {"signatures":[]}',
  ],
  [
    "a module that is missing",
    `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/opt/gltfpack/cli.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND'`,
    "Error: Cannot find module '/opt/gltfpack/cli.js'",
  ],
  [
    "a package of another machine",
    `file:///app/node_modules/sharp/lib/sharp.mjs:171
  throw new Error(help.join('\\n'));
        ^
Error: Could not load the "sharp" module using the linux-x64 runtime`,
    'Error: Could not load the "sharp" module using the linux-x64 runtime',
  ],
  [
    "an assertion of Node",
    `node:assert:126
  throw new AssertionError(obj);
AssertionError [ERR_ASSERTION]: expected 2 files`,
    "AssertionError [ERR_ASSERTION]: expected 2 files",
  ],
  [
    "a JDK that is too new for Gradle",
    `Starting a Gradle Daemon
FAILURE: Build failed with an exception.

* What went wrong:
BUG! exception in phase 'semantic analysis' in source unit '_BuildScript_' Unsupported class file major version 65
> Unsupported class file major version 65`,
    "BUG! exception in phase 'semantic analysis' in source unit '_BuildScript_' Unsupported class file major version 65",
  ],
  [
    "Gradle's wrapper without a network",
    `Downloading https://example.invalid/gradle-8.14-all.zip
Exception in thread "main" java.net.UnknownHostException: example.invalid
\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:567)`,
    'Exception in thread "main" java.net.UnknownHostException: example.invalid',
  ],
  [
    "a Java program without its main class",
    "Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain\nCaused by: x",
    "Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain",
  ],
  [
    "javac",
    "Main.java:3: error: cannot find symbol\n    foo();\n    ^\n1 error",
    "Main.java:3: error: cannot find symbol",
  ],
  [
    "clang",
    "note: building\n/app/App.m:12:9: fatal error: 'X.h' file not found\n#import",
    "/app/App.m:12:9: fatal error: 'X.h' file not found",
  ],
  [
    "xcodebuild",
    "Command line invocation:\n    xcodebuild build\nxcodebuild: error: The workspace named App does not exist",
    "xcodebuild: error: The workspace named App does not exist",
  ],
  [
    "xcrun without developer tools",
    "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools)",
    "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools)",
  ],
  [
    "npm",
    "npm warn config x\nnpm error code EUNSUPPORTEDPROTOCOL\nnpm error Unsupported URL Type",
    "npm error code EUNSUPPORTEDPROTOCOL",
  ],
  ["npm before 10", "npm WARN x\nnpm ERR! code E404", "npm ERR! code E404"],
  [
    "Capacitor",
    "[info] reading\n[fatal] The Capacitor CLI requires NodeJS >=22.0.0\n        Please install",
    "[fatal] The Capacitor CLI requires NodeJS >=22.0.0",
  ],
  [
    "a Python tool",
    `Traceback (most recent call last):
  File "/usr/bin/x", line 5, in <module>
    import y
ModuleNotFoundError: No module named 'y'`,
    "ModuleNotFoundError: No module named 'y'",
  ],
  ["git", "fatal: not a git repository", "fatal: not a git repository"],
  ["Rust", "   Compiling x\nerror[E0425]: cannot find value", "error[E0425]: cannot find value"],
  [
    "Deno",
    'error: Uncaught (in promise) Error: boom\n    throw new Error("boom");',
    "error: Uncaught (in promise) Error: boom",
  ],
  ["a loader", "./x: libva.so.2: cannot open", "./x: libva.so.2: cannot open"],
  ["asdf", "No version is set for command npm", "No version is set for command npm"],
  ["a word that only begins like one", "errors: 0\nerrorless\nsomething", "errors: 0"],
  ["blank lines", "\n  \n", undefined],
];

for (const [title, output, reason] of OUTPUTS) {
  test(`reasonLine() of ${title}`, () => assert.equal(reasonLine(output), reason));
}
