import assert from "node:assert/strict";
import { test } from "node:test";
import { createContentSearch, refusePrivateFiles } from "../../lib/ota-publish/private-files.ts";

// What looks private, by its name and by its content, and what of a game only resembles it (PUB-29).

const BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
/** Written in two halves, so that no scanner takes this file for a leak. */
const begin = (kind: string): string => `-----BEGIN ${kind}PRIVATE ${"KEY"}-----`;

/** The sentence that refuses a version with one file; `null` where it is taken. */
function refusalOf(path: string, content = "{}", allow: readonly string[] = []): string | null {
  const contents = createContentSearch("the key that signs");
  contents.look(path, new TextEncoder().encode(content));
  const files = { [path]: { hash: "0".repeat(64), size: content.length } };
  const refused = refusePrivateFiles({ name: "shell", version: "v1", files }, { allow, contents });
  return refused.ok ? null : refused.error.message;
}

const BY_NAME: Readonly<Record<string, string>> = {
  ".env": "settings of one machine",
  "a/.env.local": "settings of one machine",
  "android/local.properties": "settings of one machine",
  "keystore.properties": "settings of one machine",
  ".npmrc": "tokens of one person",
  ".git-credentials": "a repository's own file",
  "id_ed25519": "a private key",
  "app.PEM": "a private key",
  "release.keystore": "a store of keys",
  "service-account.json": "the key of a service account",
  "serviceAccountKey.json": "the key of a service account",
  "deploy/service_account-prod.json": "the key of a service account",
  "client_secret.json": "credentials of a cloud",
  "a/credentials": "credentials",
  "credentials.json": "credentials",
  "secrets.yml": "secrets",
  "secrets.json": "secrets",
  "secret.txt": "secrets",
  "secrets": "secrets",
  "secrets.prod.yaml": "secrets",
  "dump.sql": "a dump of a database",
  "backup/dump.sql.gz": "a dump of a database",
};
for (const [path, reason] of Object.entries(BY_NAME)) {
  test(`publish() refuses by its name: ${path}`, () => {
    const refusal = `Cannot publish shell v1: everybody could read ${path} (${reason}), ` +
      "which looks private";
    assert.equal(refusalOf(path), refusal);
    assert.equal(refusalOf(path, "{}", [path]), null);
  });
}

test("publish() refuses a folder that is private with all in it, once", () => {
  assert.match(refusalOf("a/.aws/config") ?? "", /could read a\/\.aws \(credentials of a cloud\)/);
  assert.match(refusalOf(".ssh/known_hosts") ?? "", /could read \.ssh \(a person's keys\)/);
});

const OF_GAMES = [
  "credits.json",
  "assets/secrets-of-the-sea.json",
  "assets/scenes/secrets.scene.json",
  "assets/secrets.png",
  "sounds/secret.ogg",
  "secretary.json",
  "my-credentials-screen.js",
  "credentials-screen.html",
  "service-accounts.html",
  "sql.js",
  "sql-wasm.wasm",
  "keys.json",
  "key.png",
  "keyboard.key.png",
  "env.js",
  "environment.json",
  ".well-known/assetlinks.json",
  "locals.properties",
  "github/index.html",
  "runtime/credentials/index.js",
];
for (const path of OF_GAMES) {
  test(`publish() takes a game's own file: ${path}`, () => assert.equal(refusalOf(path), null));
}

const BY_CONTENT: Readonly<Record<string, readonly [string, string]>> = {
  "a PEM key": [`${begin("")}\n${BODY}\n`, "it holds a private key"],
  "a PEM key of RSA, encrypted": [
    `x\r\n${begin("RSA ")}\r\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${BODY}\n`,
    "it holds a private key",
  ],
  "an OpenSSH key": [`${begin("OPENSSH ")}\n${BODY}\n`, "it holds a private key"],
  "a PEM key in JSON": [
    JSON.stringify({ key: `${begin("")}\n${BODY}\n` }),
    "it holds a private key",
  ],
  "Google's key file": [
    JSON.stringify({ type: "service_account", project_id: "x" }, null, 2),
    "it is the key of a service account",
  ],
  "credentials of AWS": [
    `[default]\naws_secret_access_key = ${"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}\n`,
    "it holds credentials of a cloud",
  ],
  "a token of npm": [`token: ${"npm"}_${"a1B2".repeat(9)}`, "it holds a token of npm"],
  "a registry's line": [
    `//registry.npmjs.org/:_auth${"Token"}=0123456789abcdef`,
    "it holds a token of a registry",
  ],
  "a token of GitHub": [`${"ghp"}_${"a1B2".repeat(9)}`, "it holds a token of GitHub"],
};
for (const [name, [content, reason]] of Object.entries(BY_CONTENT)) {
  test(`publish() refuses by its content, under any name: ${name}`, () => {
    const path = "data/level.json";
    const found = refusalOf(path, content);
    assert.ok(found?.includes(`could read ${path} (${reason}), which`), found ?? "it was taken");
    assert.equal(refusalOf(path, content, ["data"]), null);
  });
}

const PROGRAMS: Readonly<Record<string, string>> = {
  "one that reads PEM": `const head = "${begin("")}"; text.split(head + "\\n")[1].trim()`,
  "one that writes PEM": `\`${begin("RSA ")}\\n\${body}\\n-----END\``,
  "one that asks for a kind of account": 'if (account.type === "service_account") sign();',
  "an SDK of AWS": "return {aws_secret_access_key:e.aws_secret_access_key}",
  "one that names npm's variables": "process.env.npm_config_user_agent, npm_lifecycle_event",
  "one that reads a registry's line": "line.startsWith('//r/:_authToken=${NPM_TOKEN}')",
  "a public key": `-----BEGIN PUBLIC ${"KEY"}-----\n${BODY}\n`,
};
for (const [name, content] of Object.entries(PROGRAMS)) {
  test(`publish() takes a program that names such things: ${name}`, () => {
    assert.equal(refusalOf("game.js", content), null);
  });
}
