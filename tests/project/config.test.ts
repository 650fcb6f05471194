import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProjectConfig } from "../../lib/project/config/config.ts";

const KEY = "A".repeat(43);
const OTA = {
  enabled: true,
  baseUrl: "https://updates.example",
  publicKey: KEY,
  bundleName: "shell",
  engineApi: 1,
};
const BASE = {
  name: "Game",
  startScene: "assets/main.scene.json",
  build: { web: { command: ["node", "build.mjs"], out: "dist" } },
};

const encode = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ["the least", BASE],
  ["everything", {
    ...BASE,
    editScene: "assets/level.scene.json",
    icon: "assets/icon.PNG",
    build: {
      ...BASE.build,
      android: { steps: [["npx", "cap", "sync", "android"], ["./gradlew", "assembleRelease"]] },
      ios: { steps: [] },
    },
    ota: { ...OTA, app: "game", channel: "beta" },
    publish: {
      bucket: "s3://games/harbor?endpoint=http://127.0.0.1:9000",
      keyName: "release-1",
      allow: [".env.example", "certs"],
    },
    user: { sdk: { java: "/opt/jdk", "android-sdk": "/opt/android" } },
    viewport: { width: 1, height: 16_384 },
  }],
  ["updates that are off and not filled in", { ...BASE, ota: { enabled: false } }],
  ["updates over http on loopback", {
    ...BASE,
    ota: { ...OTA, baseUrl: "http://127.0.0.1:8080/x" },
  }],
  ["updates over http on loopback by name", {
    ...BASE,
    ota: { ...OTA, baseUrl: "http://localhost" },
  }],
  ["updates over http on loopback, version 6", {
    ...BASE,
    ota: { ...OTA, baseUrl: "http://[::1]:1" },
  }],
];

for (const [what, config] of ACCEPTED) {
  test(`parseProjectConfig() takes ${what}`, () => {
    const parsed = parseProjectConfig(encode(config));
    assert.deepEqual(parsed.ok ? parsed.value : parsed.error, config);
  });
}

test("parseProjectConfig() reads a step given as an object, and updates without a switch as off", () => {
  const parsed = parseProjectConfig(encode({
    ...BASE,
    build: { ...BASE.build, ios: { steps: [{ command: ["xcodebuild"] }] } },
    ota: {},
  }));
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.build.ios, { steps: [["xcodebuild"]] });
  assert.deepEqual(parsed.value.ota, { enabled: false });
});

test("parseProjectConfig() takes empty values for missing ones while updates are off", () => {
  const empty = { enabled: false, baseUrl: "", publicKey: "", bundleName: "shell" };
  const parsed = parseProjectConfig(encode({ ...BASE, ota: empty }));
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.ota, { enabled: false, bundleName: "shell" });
});

const web = (more: Readonly<Record<string, unknown>>) => ({
  ...BASE,
  build: { web: { ...BASE.build.web, ...more } },
});
const ota = (more: Readonly<Record<string, unknown>>) => ({ ...BASE, ota: { ...OTA, ...more } });
const URL_WORDS = "expected an https URL without query, or http on loopback";
const KEY_WORDS = "expected 32 bytes in base64url without padding";
const NAME_WORDS = "expected 1 to 64 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit";
const COMMAND_WORDS = "expected a program and its arguments, all text, without NUL";

const REFUSED: readonly (readonly [string, unknown, string])[] = [
  [
    "what is no JSON",
    "{",
    "it is not JSON at line 1, column 2: found the end of the file, expected a key",
  ],
  ["a list", [], "found a list of 0, expected an object"],
  ["an unknown member", { ...BASE, otta: {} }, 'otta: unknown member "otta"; did you mean "ota"?'],
  ["an unknown member of ota", ota({ baseURL2: "" }), 'ota.baseURL2: unknown member "baseURL2"'],
  ["an unknown member of build.web", web({ env: {} }), 'build.web.env: unknown member "env"'],
  ["no name", { ...BASE, name: " " }, 'name: found " ", expected text of 1 to 100 characters'],
  ["no build", { ...BASE, build: undefined }, "build: found nothing, expected an object"],
  [
    "a bundle named like a file of the device",
    ota({ bundleName: "state.json" }),
    'ota.bundleName: found "state.json", expected another name: what ends in .json or .tmp is reserved',
  ],
  ["no command", web({ command: [] }), `build.web.command: found a list of 0, ${COMMAND_WORDS}`],
  [
    "a shell line",
    web({ command: "npm run x" }),
    `build.web.command: found "npm run x", ${COMMAND_WORDS}`,
  ],
  ["a number in a command", web({ command: ["node", 1] }), COMMAND_WORDS],
  ["an output outside", web({ out: "../dist" }), "it has a '..' segment"],
  ["an absolute output", web({ out: "/dist" }), "it starts with '/'"],
  ["a scene outside", { ...BASE, startScene: "../a.scene.json" }, "it has a '..' segment"],
  ["an icon outside", { ...BASE, icon: "/icon.png" }, "icon: "],
  ["an icon of another kind", { ...BASE, icon: "icon.ico" }, "a path that ends in .png or .svg"],
  ["an edited scene of another kind", { ...BASE, editScene: "a.json" }, "editScene: "],
  ["a scene of another kind", { ...BASE, startScene: "a.json" }, "a path that ends in .scene.json"],
  ["a platform level that is text", {
    ...BASE,
    build: { ...BASE.build, android: { steps: [], compileSdk: "36" } },
  }, 'build.android.compileSdk: found "36", expected a whole number from 1 to 999'],
  ["a platform level of two minor digits", {
    ...BASE,
    build: { ...BASE.build, android: { steps: [], compileSdk: 36.15 } },
  }, "found 36.15, expected a whole number from 1 to 999, or a minor level such as 36.1"],
  ["a platform level of iOS", {
    ...BASE,
    build: { ...BASE.build, ios: { steps: [], compileSdk: 36 } },
  }, "build.ios.compileSdk"],
  ["steps that are none", {
    ...BASE,
    build: { ...BASE.build, android: { steps: "gradlew" } },
  }, 'build.android.steps: found "gradlew", expected a list of commands'],
  ["a step that is none", {
    ...BASE,
    build: { ...BASE.build, ios: { steps: [["a"], {}] } },
  }, `build.ios.steps[1]: found nothing, ${COMMAND_WORDS}`],
  ["ota that is no object", { ...BASE, ota: null }, "ota: found null, expected an object"],
  [
    "a switch that is text",
    ota({ enabled: "yes" }),
    'ota.enabled: found "yes", expected true or false',
  ],
  [
    "http elsewhere",
    ota({ baseUrl: "http://a.example" }),
    `found "http://a.example", ${URL_WORDS}`,
  ],
  ["http on a look-alike", ota({ baseUrl: "http://127.0.0.1.a.example" }), URL_WORDS],
  ["a host that is a pattern", ota({ baseUrl: "https://*" }), URL_WORDS],
  ["a host with a policy in it", ota({ baseUrl: "https://a;script-src-elem;'none'" }), URL_WORDS],
  ["a URL with a query", ota({ baseUrl: "https://a.example/?x" }), URL_WORDS],
  ["a URL with a password", ota({ baseUrl: "https://a:b@a.example" }), URL_WORDS],
  ["another protocol", ota({ baseUrl: "file:///a" }), URL_WORDS],
  ["an empty URL", ota({ baseUrl: "" }), `ota.baseUrl: found "", ${URL_WORDS}`],
  ["a missing URL", ota({ baseUrl: undefined }), `ota.baseUrl: found nothing, ${URL_WORDS}`],
  ["a key of 31 bytes", ota({ publicKey: "A".repeat(42) }), KEY_WORDS],
  ["a key of 33 bytes", ota({ publicKey: "A".repeat(44) }), KEY_WORDS],
  ["a padded key", ota({ publicKey: `${KEY}=` }), KEY_WORDS],
  ["a wrong key while off", ota({ enabled: false, publicKey: "x" }), KEY_WORDS],
  [
    "a bundle with a slash",
    ota({ bundleName: "a/b" }),
    `ota.bundleName: found "a/b", ${NAME_WORDS}`,
  ],
  ["a channel in capitals", ota({ channel: "Beta" }), `ota.channel: found "Beta", ${NAME_WORDS}`],
  [
    "engine API 0",
    ota({ engineApi: 0 }),
    "ota.engineApi: found 0, expected a whole number of at least 1",
  ],
  ["engine API as text", ota({ engineApi: "1" }), 'ota.engineApi: found "1"'],
  ["a bucket of another kind", {
    ...BASE,
    publish: { bucket: "https://a.example" },
  }, 'publish.bucket: found "https://a.example", expected a URL file:///…, s3://… or gs://…'],
  ["a key name that is a path", {
    ...BASE,
    publish: { bucket: "file:///b", keyName: "../k" },
  }, 'publish.keyName: found "../k"'],
  ["an allowed path that leads out", {
    ...BASE,
    publish: { bucket: "file:///b", allow: ["a", "../k"] },
  }, "publish.allow[1]: "],
  ["allowed paths that are no list", {
    ...BASE,
    publish: { bucket: "file:///b", allow: "a" },
  }, 'publish.allow: found "a", expected a list of paths below the built folder'],
  [
    "an unknown tool",
    { ...BASE, user: { sdk: { jdk: "/" } } },
    'user.sdk.jdk: unknown member "jdk"',
  ],
  ["a JDK of a network", {
    ...BASE,
    user: { sdk: { java: "\\\\evil\\share" } },
  }, "user.sdk.java: found"],
  ["an SDK of a network", {
    ...BASE,
    user: { sdk: { "android-sdk": "//evil/share" } },
  }, "expected a folder of this machine, not a path of a network"],
  ["a bucket of a network", {
    ...BASE,
    publish: { bucket: "file:////evil/share" },
  }, 'publish.bucket: found "file:////evil/share"'],
  ["a bucket of a network, encoded", {
    ...BASE,
    publish: { bucket: "file:///%5Cevil/share" },
  }, "publish.bucket: found"],
  ["a program of a network", {
    ...BASE,
    build: { web: { command: ["\\\\evil\\share\\build.exe"], out: "dist" } },
  }, "build.web.command: found"],
  [
    "a viewport without height",
    { ...BASE, viewport: { width: 9 } },
    "viewport.height: found nothing",
  ],
  ["a viewport that is too wide", {
    ...BASE,
    viewport: { width: 16_385, height: 1 },
  }, "viewport.width: found 16385, expected a whole number from 1 to 16384"],
];

for (const [what, config, expected] of REFUSED) {
  // BUILD-1
  test(`parseProjectConfig() refuses ${what}`, () => {
    const parsed = parseProjectConfig(encode(config));
    const message = parsed.ok ? "accepted" : parsed.error.message;
    assert.ok(message.includes(expected), message);
  });
}
