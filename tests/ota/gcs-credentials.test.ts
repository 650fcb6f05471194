import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { ok } from "../../lib/core/result.ts";
import {
  findGcsCredentials,
  type GcsCredentials,
  type GcsPlace,
} from "../../lib/ota-publish/gcs/credentials.ts";
import { createTestClock } from "../support/store-world.ts";

/** A request to a server of tokens. */
interface Asked {
  /** `host/path` as the product meant it. */
  readonly where: string;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** An answer of a server of tokens. */
interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** A machine with files, an environment, and a network that is one server in this process. */
interface World {
  readonly files: Record<string, string>;
  readonly env: Record<string, string>;
  readonly asked: Asked[];
  readonly clock: ReturnType<typeof createTestClock>;
  /** What servers answer, by `host/path`; others are out of reach. */
  readonly answers: Record<string, (asked: Asked) => Answer>;
  find(
    over?: { place?: GcsPlace; platform?: "linux" | "win32" },
  ): ReturnType<typeof findGcsCredentials>;
  /** Finds credentials and has a token of them. */
  token(): Promise<string>;
}

async function withWorld(work: (world: World) => Promise<void>): Promise<void> {
  const asked: Asked[] = [];
  const answers: World["answers"] = {};
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += String(chunk));
    request.on("end", () => {
      const one = { where: String(request.headers["x-where"]), headers: request.headers, body };
      asked.push(one);
      const { status = 200, headers = {}, body: text } = answers[one.where]?.(one) ?? { body: "" };
      response.writeHead(status, headers).end(
        typeof text === "string" ? text : JSON.stringify(text),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const files: World["files"] = {};
  const env: World["env"] = {};
  const clock = createTestClock();
  const world: World = {
    files,
    env,
    asked,
    clock,
    answers,
    find: ({ place = "google", platform = "linux" } = {}) =>
      findGcsCredentials({
        clock,
        files: {
          read(path) {
            const text = files[path];
            if (text === "denied") throw new FileError("denied", path, `${path} may not be read`);
            return Promise.resolve(text === undefined ? null : new TextEncoder().encode(text));
          },
        },
        host: { env: (name) => env[name], home: "/home/me", platform },
        fetch(url, init) {
          const { host, pathname, search } = new URL(url);
          const where = `${host}${pathname}`;
          if (answers[where] === undefined) return Promise.reject(new TypeError("no such host"));
          const headers = new Headers(init?.headers);
          headers.set("x-where", where);
          return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { ...init, headers });
        },
      }, { place }),
    async token() {
      const found = await world.find();
      assert.ok(found.ok, found.ok ? "" : found.error.message);
      return await tokenOf(found.value);
    },
  };
  try {
    await work(world);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A token, or the failure in words. */
async function tokenOf(credentials: GcsCredentials): Promise<string> {
  const token = await credentials.token();
  return token.ok ? String(token.value) : `${token.error.code}: ${token.error.message}`;
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const TOKENS = "oauth2.googleapis.com/token";
const METADATA =
  "metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token";
const LOGIN_PATH = "/home/me/.config/gcloud/application_default_credentials.json";
const KEY_FILE = {
  type: "service_account",
  client_email: "publisher@games.example",
  private_key_id: "key-7",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: `https://${TOKENS}`,
};
const LOGIN = {
  type: "authorized_user",
  client_id: "id",
  client_secret: "hush",
  refresh_token: "fresh",
};
const EXTERNAL = {
  type: "external_account",
  audience: "//iam.googleapis.com/pool",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/ci/token" },
};
const IMPERSONATE = "https://iamcredentials.googleapis.com/v1/sa:generateAccessToken";

function give(world: World, file: unknown): void {
  world.env["GOOGLE_APPLICATION_CREDENTIALS"] = "/keys/mine.json";
  world.files["/keys/mine.json"] = typeof file === "string" ? file : JSON.stringify(file);
}

const granted = (token: string, seconds = 3_600) => () => ({
  body: { access_token: token, expires_in: seconds, token_type: "Bearer" },
});

function formOf({ body }: Asked): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

function decoded(part: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(part ?? "", "base64url").toString());
}

test("findGcsCredentials() signs in with a key of a service account", () =>
  withWorld(async (world) => {
    give(world, KEY_FILE);
    world.answers[TOKENS] = granted("from-key");
    assert.equal(await world.token(), "from-key");
    const form = formOf(world.asked[0] ?? assert.fail());
    assert.equal(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [head, claims, signature] = (form["assertion"] ?? "").split(".");
    assert.deepEqual(decoded(head), { alg: "RS256", typ: "JWT", kid: "key-7" });
    const now = world.clock.now() / 1_000;
    assert.deepEqual(decoded(claims), {
      iss: "publisher@games.example",
      scope: "https://www.googleapis.com/auth/devstorage.full_control",
      aud: `https://${TOKENS}`,
      iat: now,
      exp: now + 3_600,
    });
    const signed = Buffer.from(`${head}.${claims}`);
    assert.ok(verify("sha256", signed, publicKey, Buffer.from(signature ?? "", "base64url")));
  }));

test("findGcsCredentials() renews a login", () =>
  withWorld(async (world) => {
    world.files[LOGIN_PATH] = JSON.stringify(LOGIN);
    world.answers[TOKENS] = granted("from-login");
    assert.equal(await world.token(), "from-login");
    assert.deepEqual(formOf(world.asked[0] ?? assert.fail()), {
      grant_type: "refresh_token",
      client_id: "id",
      client_secret: "hush",
      refresh_token: "fresh",
    });
  }));

for (
  const [platform, env, path] of [
    ["linux", {}, LOGIN_PATH],
    ["win32", { APPDATA: "C:/Roaming" }, "C:/Roaming/gcloud/application_default_credentials.json"],
    ["linux", { CLOUDSDK_CONFIG: "/cfg" }, "/cfg/application_default_credentials.json"],
  ] as const
) {
  test(`findGcsCredentials() finds gcloud's login at ${path}`, () =>
    withWorld(async (world) => {
      Object.assign(world.env, env);
      world.files[path] = JSON.stringify(LOGIN);
      const found = await world.find({ platform });
      assert.equal(found.ok && found.value.label, `the account of ${path}`);
    }));
}

for (
  const [what, source, text] of [
    ["a file", { file: "/ci/token" }, "subject\n"],
    [
      "a member of a file",
      { file: "/ci/token", format: { type: "json", subject_token_field_name: "value" } },
      '{"value":"subject"}',
    ],
  ] as const
) {
  test(`findGcsCredentials() changes a build service's token from ${what}`, () =>
    withWorld(async (world) => {
      give(world, { ...EXTERNAL, credential_source: source });
      world.files["/ci/token"] = text;
      world.answers["sts.googleapis.com/v1/token"] = granted("from-sts");
      assert.equal(await world.token(), "from-sts");
      assert.deepEqual(formOf(world.asked[0] ?? assert.fail()), {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        audience: EXTERNAL.audience,
        scope: "https://www.googleapis.com/auth/devstorage.full_control",
        requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
        subject_token: "subject",
        subject_token_type: EXTERNAL.subject_token_type,
      });
    }));
}

test("findGcsCredentials() changes a build service's token from a URL for a service account's", () =>
  withWorld(async (world) => {
    give(world, {
      ...EXTERNAL,
      service_account_impersonation_url: IMPERSONATE,
      credential_source: {
        url: "https://ci.example/token?audience=x",
        headers: { authorization: "Bearer ci" },
        format: { type: "json", subject_token_field_name: "value" },
      },
    });
    world.answers["ci.example/token"] = () => ({ body: { value: "subject" } });
    world.answers["sts.googleapis.com/v1/token"] = granted("from-sts");
    const expireTime = new Date(world.clock.now() + 3_600_000).toISOString();
    world.answers["iamcredentials.googleapis.com/v1/sa:generateAccessToken"] = () => ({
      body: { accessToken: "from-iam", expireTime },
    });
    assert.equal(await world.token(), "from-iam");
    const [ci, sts, iam] = world.asked;
    assert.equal(ci?.headers["authorization"], "Bearer ci");
    assert.equal(
      formOf(sts ?? assert.fail())["scope"],
      "https://www.googleapis.com/auth/cloud-platform",
    );
    assert.equal(iam?.headers["authorization"], "Bearer from-sts");
    assert.deepEqual(JSON.parse(iam?.body ?? ""), {
      scope: ["https://www.googleapis.com/auth/devstorage.full_control"],
      lifetime: "3600s",
    });
  }));

test("findGcsCredentials() speaks for a service account with a login", () =>
  withWorld(async (world) => {
    const type = "impersonated_service_account";
    const url = { service_account_impersonation_url: IMPERSONATE };
    give(world, { type, ...url, source_credentials: LOGIN });
    world.answers[TOKENS] = granted("from-login");
    const expireTime = new Date(world.clock.now() + 3_600_000).toISOString();
    world.answers["iamcredentials.googleapis.com/v1/sa:generateAccessToken"] = ({ headers }) => ({
      body: { accessToken: `${headers["authorization"]}-iam`.slice(7), expireTime },
    });
    assert.equal(await world.token(), "from-login-iam");
  }));

for (
  const [host, where] of [["", METADATA], [
    "127.0.0.1:8080",
    METADATA.replace(/^[^/]+/, "127.0.0.1:8080"),
  ]] as const
) {
  test(`findGcsCredentials() asks the machine's own server, GCE_METADATA_HOST=${host}`, () =>
    withWorld(async (world) => {
      if (host !== "") world.env["GCE_METADATA_HOST"] = host;
      world.answers[where] = ({ headers }) => ({
        status: headers["metadata-flavor"] === "Google" ? 200 : 403,
        headers: { "metadata-flavor": "Google" },
        body: { access_token: "from-machine", expires_in: 3_600 },
      });
      assert.equal(await world.token(), "from-machine");
    }));
}

test("findGcsCredentials() takes the first of: token, file, login, machine", () =>
  withWorld(async (world) => {
    const file = (name: string) => ({ ...LOGIN, token_uri: `https://${name}.example/token` });
    for (const name of ["file", "login"]) world.answers[`${name}.example/token`] = granted(name);
    world.answers[METADATA] = () => ({
      headers: { "metadata-flavor": "Google" },
      body: { access_token: "machine" },
    });
    world.env["GOOGLE_OAUTH_ACCESS_TOKEN"] = "first\n";
    world.env["CLOUDSDK_AUTH_ACCESS_TOKEN"] = "second";
    give(world, file("file"));
    world.files[LOGIN_PATH] = JSON.stringify(file("login"));
    const order = [];
    for (
      const gone of [
        "GOOGLE_OAUTH_ACCESS_TOKEN",
        "CLOUDSDK_AUTH_ACCESS_TOKEN",
        "GOOGLE_APPLICATION_CREDENTIALS",
        LOGIN_PATH,
      ]
    ) {
      order.push(await world.token());
      delete world.env[gone];
      delete world.files[gone];
    }
    assert.deepEqual([...order, await world.token()], [
      "first",
      "second",
      "file",
      "login",
      "machine",
    ]);
  }));

test("findGcsCredentials() gives an emulator here what the environment names, one elsewhere nothing", () =>
  withWorld(async (world) => {
    world.files[LOGIN_PATH] = JSON.stringify(LOGIN);
    const none = await world.find({ place: "here" });
    assert.deepEqual(none.ok && await none.value.token(), ok(null));
    world.env["GOOGLE_OAUTH_ACCESS_TOKEN"] = "given";
    const given = await world.find({ place: "here" });
    assert.deepEqual(given.ok && await given.value.token(), ok("given"));
    const away = await world.find({ place: "elsewhere" });
    assert.deepEqual(away.ok && await away.value.token(), ok(null));
    assert.deepEqual(world.asked, []);
  }));

test("findGcsCredentials() without any says what to set", () =>
  withWorld(async (world) => {
    const found = await world.find();
    assert.equal(found.ok ? "" : found.error.code, "no-credentials");
    const words = found.ok ? "" : `${found.error.message} ${found.error.next}`;
    for (const name of [LOGIN_PATH, "metadata.google.internal", "GOOGLE_APPLICATION_CREDENTIALS"]) {
      assert.ok(words.includes(name), words);
    }
  }));

const BAD_FILES: readonly [string, unknown, RegExp][] = [
  ["that is not there", undefined, /it is not there/],
  ["that may not be read", "denied", /may not be read/],
  ["that is no JSON", "{", /no type/],
  ["of another type", { type: "gdch" }, /the type "gdch", expected service_account, /],
  ["without a key", { ...KEY_FILE, private_key: undefined }, /it has no private_key$/],
  [
    "with two members missing",
    { type: "authorized_user" },
    /no client_id, no client_secret, no refresh_token/,
  ],
  [
    "that sends secrets in the clear",
    { ...LOGIN, token_uri: "http://x.example/" },
    /a token_uri that is not https/,
  ],
  [
    "for a program to run",
    { ...EXTERNAL, credential_source: { executable: { command: "x" } } },
    /a credential_source without file or url, expected/,
  ],
];
for (const [what, file, words] of BAD_FILES) {
  test(`findGcsCredentials() refuses a file ${what}`, () =>
    withWorld(async (world) => {
      give(world, file ?? "");
      if (file === undefined) delete world.files["/keys/mine.json"];
      world.files[LOGIN_PATH] = JSON.stringify(LOGIN); // is not fallen back to
      const found = await world.find();
      assert.equal(found.ok ? "" : found.error.code, "no-credentials");
      assert.match(found.ok ? "" : found.error.message, words);
      assert.match(found.ok ? "" : found.error.message, /\/keys\/mine\.json/);
    }));
}

const REFUSALS: readonly [string, unknown, () => Answer, RegExp][] = [
  [
    "an expired login",
    LOGIN,
    () => ({ status: 400, body: { error: "invalid_grant", error_description: "expired" } }),
    /^denied: Cannot renew the login: oauth2\.googleapis\.com answered HTTP 400, "invalid_grant: expired"$/,
  ],
  [
    "an answer without a token",
    LOGIN,
    () => ({ body: {} }),
    /^denied: .* answered without a token$/,
  ],
  ["a page for people", LOGIN, () => ({ body: "<html>" }), /^denied: .* answered without a token$/],
  [
    "a token that breaks a header",
    LOGIN,
    () => ({ body: { access_token: "a\r\nb: c", expires_in: 1 } }),
    /^denied: .* answered without a token$/,
  ],
  ["a server in trouble", LOGIN, () => ({ status: 503, body: "" }), /^unreachable: .* HTTP 503$/],
  [
    "endless words",
    LOGIN,
    () => ({ body: "x".repeat(300_000) }),
    /^other: .* more than 262144 bytes/,
  ],
  [
    "a key that is none",
    { ...KEY_FILE, private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" },
    granted("never"),
    /^denied: Cannot sign in as publisher@games\.example: its private key cannot be read/,
  ],
];
for (const [what, file, answer, words] of REFUSALS) {
  test(`token() fails on ${what}, and keeps the secrets to itself`, () =>
    withWorld(async (world) => {
      give(world, file);
      world.answers[TOKENS] = answer;
      const words2 = await world.token();
      assert.match(words2, words);
      assert.doesNotMatch(words2, /hush|fresh|AAAA/);
    }));
}

test("token() is had once for all who ask, and again a minute before it ends", () =>
  withWorld(async (world) => {
    give(world, LOGIN);
    let count = 0;
    world.answers[TOKENS] = () => granted(`token-${++count}`)();
    const found = await world.find();
    assert.ok(found.ok);
    const ask = () => tokenOf(found.value);
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ["token-1", "token-1", "token-1"]);
    world.clock.advance(3_539_999);
    assert.equal(await ask(), "token-1");
    world.clock.advance(1);
    assert.deepEqual(await Promise.all([ask(), ask()]), ["token-2", "token-2"]);
    found.value.forget("token-1"); // late news of the one before
    assert.equal(await ask(), "token-2");
    found.value.forget("token-2");
    assert.equal(await ask(), "token-3");
  }));

test("token() is asked for again after a failure", () =>
  withWorld(async (world) => {
    give(world, LOGIN);
    world.answers[TOKENS] = () => ({ status: 400, body: {} });
    const found = await world.find();
    assert.ok(found.ok);
    assert.match(await tokenOf(found.value), /^denied/);
    world.answers[TOKENS] = granted("later");
    assert.equal(await tokenOf(found.value), "later");
  }));
