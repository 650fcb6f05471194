import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { findS3Settings } from "../../lib/ota-publish/s3/credentials.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import type { Tree } from "../support/ota-world.ts";

const runtime = await loadRuntime();

/** Looks for credentials in an environment and a home folder. */
async function find(home: string, env: Readonly<Record<string, string>> = {}) {
  const host = { cli: "npx slipway", home, env: (name: string) => env[name] };
  return await findS3Settings({ files: runtime.files, host });
}

const ENV = { AWS_ACCESS_KEY_ID: "AKIDENV", AWS_SECRET_ACCESS_KEY: "env-secret" };
const CREDENTIALS = `\ufeff# a comment
[default]
aws_access_key_id = AKIDFILE
aws_secret_access_key=file/secret+x== ; mine
[ work ]
AWS_Access_Key_Id = AKIDWORK
aws_secret_access_key = work-secret
aws_session_token = work-token
[half]
aws_access_key_id = AKIDHALF
`;
const CONFIG = `[default]\r
region = eu-north-1\r
[profile work]
region = eu-west-3
endpoint_url = https://s3.work.example
s3 =
  max_concurrent_requests = 20
  region = nested
aws_access_key_id = AKIDCONFIG
[profile "login"]
sso_session = mine
[profile role]
role_arn = arn:aws:iam::1:role/x
[profile only]
aws_access_key_id = AKIDONLY
aws_secret_access_key = only-secret
`;
const FILES = { ".aws/credentials": CREDENTIALS, ".aws/config": CONFIG };

const FOUND: readonly [string, Record<string, string>, Record<string, string>, unknown][] = [
  ["keys in the environment", {}, ENV, {
    credentials: {
      label: "AWS_ACCESS_KEY_ID",
      accessKeyId: "AKIDENV",
      secretAccessKey: "env-secret",
    },
  }],
  ["a token, and a place", {}, {
    ...ENV,
    AWS_SESSION_TOKEN: "env-token",
    AWS_DEFAULT_REGION: "eu-west-1",
    AWS_ENDPOINT_URL: "http://other",
    AWS_ENDPOINT_URL_S3: "http://s3",
  }, {
    credentials: {
      label: "AWS_ACCESS_KEY_ID",
      accessKeyId: "AKIDENV",
      secretAccessKey: "env-secret",
      sessionToken: "env-token",
    },
    region: "eu-west-1",
    endpoint: "http://s3",
  }],
  ["keys in the environment before a file, its region all the same", FILES, ENV, {
    credentials: {
      label: "AWS_ACCESS_KEY_ID",
      accessKeyId: "AKIDENV",
      secretAccessKey: "env-secret",
    },
    region: "eu-north-1",
  }],
  ["the default profile", FILES, {}, {
    credentials: {
      label: 'the profile "default" of ~/.aws',
      accessKeyId: "AKIDFILE",
      secretAccessKey: "file/secret+x==",
    },
    region: "eu-north-1",
  }],
  ["a profile by name, and AWS_REGION before its own", FILES, {
    AWS_PROFILE: "work",
    AWS_REGION: "eu-west-1",
    AWS_DEFAULT_REGION: "no",
  }, {
    credentials: {
      label: 'the profile "work" of ~/.aws',
      accessKeyId: "AKIDWORK",
      secretAccessKey: "work-secret",
      sessionToken: "work-token",
    },
    region: "eu-west-1",
    endpoint: "https://s3.work.example",
  }],
  ["keys in the other file", FILES, { AWS_PROFILE: "only" }, {
    credentials: {
      label: 'the profile "only" of ~/.aws',
      accessKeyId: "AKIDONLY",
      secretAccessKey: "only-secret",
    },
  }],
];
for (const [what, files, env, want] of FOUND) {
  test(`findS3Settings() finds ${what}`, () =>
    withFolder(async (home) => {
      writeTree(home, files);
      assert.deepEqual(await find(home, env), { ok: true, value: want });
    }));
}

test("findS3Settings() reads files elsewhere, in the home folder too", () =>
  withFolder(async (home) => {
    writeTree(home, { "keys/c": CREDENTIALS, "other": CONFIG });
    const found = await find(home, {
      AWS_SHARED_CREDENTIALS_FILE: "~/keys/c",
      AWS_CONFIG_FILE: join(home, "other"),
    });
    assert.equal(found.ok && found.value.credentials.accessKeyId, "AKIDFILE");
    assert.equal(found.ok && found.value.region, "eu-north-1");
  }));

const REFUSED: readonly [string, Tree, Record<string, string>, RegExp][] = [
  ["nothing at all", {}, {}, /no AWS_ACCESS_KEY_ID, nor the profile "default".*Set AWS_ACCESS_KEY/],
  [
    "half of the environment",
    FILES,
    { AWS_ACCESS_KEY_ID: "AKID" },
    /AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not/,
  ],
  [
    "the other half",
    FILES,
    { AWS_SECRET_ACCESS_KEY: "x" },
    /AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not/,
  ],
  ["no such profile", FILES, { AWS_PROFILE: "play" }, /AWS_PROFILE names the profile "play"/],
  [
    "a profile with half a key",
    FILES,
    { AWS_PROFILE: "half" },
    /"half" of ~\/\.aws has no aws_acc/,
  ],
  ["a login", FILES, { AWS_PROFILE: "login" }, /\(sso_session\).*export-credentials/],
  ["a role", FILES, { AWS_PROFILE: "role" }, /\(role_arn\)/],
  [
    "a key with a line break",
    {},
    { ...ENV, AWS_SECRET_ACCESS_KEY: "a b" },
    /Invalid AWS keys in AWS_ACCESS_KEY_ID: contain whitespace/,
  ],
  ["a file that is too large", { ".aws/credentials": "#".repeat(1_100_000) }, {}, /credentials/],
  ["a file that is no text", { ".aws/config": Uint8Array.of(0xff) }, {}, /config: it is not text/],
  ["a name that every object has", FILES, { AWS_PROFILE: "constructor" }, /"constructor"/],
];
for (const [what, files, env, words] of REFUSED) {
  test(`findS3Settings() finds no keys in ${what}, and says what to do`, () =>
    withFolder(async (home) => {
      writeTree(home, files);
      const found = await find(home, env);
      assert.ok(!found.ok);
      assert.equal(found.error.code, "no-credentials");
      const said = `${found.error.message}; ${found.error.next}`;
      assert.match(said, words);
      assert.doesNotMatch(said, /secret\b(?! access)|AKIDHALF/);
    }));
}
