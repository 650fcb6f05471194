import { test } from "node:test";
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import { bridgeScript } from "../../lib/project/phone/app-page.ts";
import { createAppServer } from "../../lib/project/phone/app-server.ts";
import { createPhone, type OwnPhone, type PhoneRequest } from "../../lib/project/mod.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";

// The simulated phone without a browser: the page's side is asked as the bridge asks it. In a browser:
// tests/page/devices.test.ts.

const EDITOR = "http://127.0.0.1:4747";

interface World {
  readonly phone: OwnPhone;
  readonly root: string;
  readonly folder: string;
  /** Does it, and fails where it is refused. */
  does(request: PhoneRequest): Promise<Awaited<ReturnType<OwnPhone["state"]>>>;
  /** Asks the device as the page of the running app does. */
  native(method: string, request?: unknown): Promise<unknown>;
  /** Fetches below the base URL as a script of the running app does. @returns Status and text. */
  fetchInApp(path: string): Promise<readonly [number, string]>;
  /** The first frame of the game is seen. */
  confirm(): Promise<void>;
  /** Opens another editor's phone for the same project and user. */
  again(): Promise<OwnPhone>;
}

async function withPhone(
  work: (world: World) => Promise<void>,
  prepare: (root: string) => void = () => undefined,
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "project");
    cpSync("lib/editor/sample", root, { recursive: true });
    prepare(root);
    const own = await loadRuntime();
    const host = { ...own.host, userData: join(folder, "user") };
    const opened: OwnPhone[] = [];
    const again = async () => {
      const phone = createPhone({ ...own, host, root });
      opened.push(phone);
      await phone.frameFor(EDITOR);
      return phone;
    };
    const phone = await again();
    const pageOf = async () => {
      const { page } = await phone.state();
      assert.ok(page !== null, "no app runs");
      return page;
    };
    const native = async (method: string, request: unknown = {}) => {
      const page = await pageOf();
      const response = await fetch(`${page}.phone/native`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: new URL(page).origin },
        body: JSON.stringify({ method, request }),
      });
      const answer = await response.json();
      assert.equal(answer.error, undefined);
      return answer.value;
    };
    try {
      await work({
        phone,
        root,
        folder,
        native,
        again,
        async fetchInApp(path) {
          const url = encodeURIComponent(`https://updates.invalid/game/${path}`);
          const response = await fetch(`${await pageOf()}.phone/network?url=${url}`);
          return [response.status, await response.text()];
        },
        async does(request) {
          const done = await phone.act(request);
          assert.ok(done.ok, done.ok ? "" : done.error.detail);
          return done.value;
        },
        async confirm() {
          const { launch } = Object(await native("getState"));
          await native("confirmBoot", launch);
        },
      });
    } finally {
      for (const one of opened) await one.close();
    }
  });
}

test("a phone takes an update, survives a bad one, and is there again in another editor", async () => {
  await withPhone(async ({ phone, root, does, confirm, again }) => {
    const before = treeOf(root);
    assert.equal((await phone.state()).power, "empty");
    const first = await does({ action: "start" });
    assert.equal(first.power, "on");
    assert.equal(first.serves, "embedded");
    assert.equal(first.versions.embedded, "v1");
    await confirm();
    assert.equal((await phone.state()).boot.kind, "confirmed");

    const none = await does({ action: "check" });
    assert.equal(none.check?.result, "up-to-date");
    await does({ action: "publish" });
    const staged = await does({ action: "check" });
    assert.deepEqual([staged.check?.result, staged.versions.pending], ["staged", "v2"]);
    assert.ok((staged.staging?.filesDone ?? 0) > 0);

    assert.equal((await does({ action: "start" })).serves, "v2");
    await confirm();
    assert.deepEqual((await phone.state()).versions.confirmed, 1);
    await does({ action: "start" });
    await confirm();
    assert.equal((await phone.state()).versions.active, "v2");

    await does({ action: "publish-broken" });
    assert.equal((await does({ action: "check" })).versions.pending, "v3");
    for (const attempt of [1, 2, 3]) {
      const { serves, versions } = await does({ action: "start" });
      assert.deepEqual([serves, versions.attempts], ["v3", attempt]);
    }
    const back = await does({ action: "start" });
    assert.equal(back.serves, "v2");
    assert.deepEqual(back.versions.rejected, ["v3"]);
    assert.match(back.story.at(-1)?.text ?? "", /v2 is served again/);
    await confirm();
    const refused = await does({ action: "check" });
    assert.equal(refused.check?.result, "version-rejected");
    assert.deepEqual(treeOf(root), before, "the project was written");

    await phone.close();
    const later = await (await again()).state();
    assert.deepEqual([later.power, later.versions.active], ["off", "v2"]);
    assert.deepEqual(later.published.map(({ version }) => version), ["v1", "v2", "v3"]);
  });
});

test("a phone without a network, and one with a full disk, stay as they are", async () => {
  await withPhone(async ({ phone, does, confirm }) => {
    await does({ action: "start" });
    await confirm();
    await does({ action: "publish" });
    const pulled = await does({ action: "check", network: false });
    assert.equal(pulled.check?.result, "no-release-for-bundle");
    const full = await does({ action: "check", network: true, diskFull: true });
    assert.equal(full.check?.result, "stage-failed");
    assert.match(full.story.at(-1)?.text ?? "", /disk-full/);
    assert.equal(full.versions.pending, null);
    const room = await does({ action: "check", diskFull: false });
    assert.equal(room.versions.pending, "v2");
    await does({ action: "start", breakBoot: true });
    assert.equal((await phone.state()).switches.breakBoot, false);
    const back = await does({ action: "back" });
    assert.deepEqual([back.serves, back.versions.rejected], ["embedded", ["v2"]]);
  });
});

const REFUSED: readonly [string, readonly PhoneRequest[], string][] = [
  ["without an app", [{ action: "check" }], "phone-empty"],
  ["nothing to go back to", [{ action: "start" }, { action: "back" }], "phone-nothing-back"],
  ["a project without updates", [{ action: "start", source: "project" }], "ota-disabled"],
];
for (const [name, requests, code] of REFUSED) {
  test(`Phone.act() refuses: ${name}`, async () => {
    await withPhone(async ({ phone }) => {
      let last = await phone.state().then(() => phone.act({}));
      for (const request of requests) last = await phone.act(request);
      assert.equal(last.ok ? "" : last.error.code, code);
      assert.equal((await phone.state()).doing, null);
    });
  });
}

/** Has the project take its updates from a bucket. @param bucket Of its folder. */
function withUpdatesFrom(bucket: (root: string) => string): (root: string) => void {
  return (root) => {
    const path = join(root, "project.config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    const ota = {
      enabled: true,
      baseUrl: "https://updates.invalid/game",
      publicKey: "A".repeat(43),
      bundleName: "harbor",
      engineApi: 1,
    };
    const publish = { bucket: pathToFileURL(bucket(root)).href };
    writeFileSync(path, JSON.stringify({ ...config, ota, publish }));
  };
}

test("an app with the project's own updates: nothing of the phone is published to its players", async () => {
  await withPhone(async ({ phone, root, does }) => {
    const started = await does({ action: "start", source: "project" });
    assert.deepEqual([started.source, started.serves], ["project", "embedded"]);
    const refused = await phone.act({ action: "publish-broken" });
    assert.equal(refused.ok ? "" : refused.error.code, "phone-of-project");
    const { check } = await does({ action: "check" });
    assert.equal(check?.result, "no-release-for-bundle"); // the folder is asked: it is empty
    assert.match(check?.detail ?? "", /404/);
    assert.equal(existsSync(join(root, "bucket")), false);
  }, withUpdatesFrom((root) => join(root, "bucket")));
});

/** Where the project says that its bucket is, and whether the phone serves that (PUB-30). */
const BUCKETS: readonly {
  readonly name: string;
  readonly bucket: (root: string) => string;
  /** Written into the user's list: folders of buckets, or what is there instead. */
  readonly list?: (root: string) => string;
  readonly code: string;
}[] = [
  { name: "in the project", bucket: (root) => join(root, "out/bucket"), code: "" },
  { name: "elsewhere", bucket: (root) => join(root, "../bucket"), code: "outside-project" },
  { name: "the project itself", bucket: (root) => root, code: "outside-project" },
  {
    name: "a hidden folder of the project",
    bucket: (root) => join(root, ".git"),
    code: "outside-project",
  },
  { name: "above the project", bucket: (root) => join(root, ".."), code: "outside-project" },
  {
    name: "a link that leads out",
    bucket(root) {
      mkdirSync(join(root, "../private"));
      symlinkSync("../private", join(root, "bucket"));
      return join(root, "bucket");
    },
    code: "outside-project",
  },
  {
    name: "elsewhere, in the user's list",
    bucket: (root) => join(root, "../bucket"),
    list: (root) => listOf(pathToFileURL(join(root, "../bucket")).href),
    code: "",
  },
  {
    name: "elsewhere, with another bucket in the user's list",
    bucket: (root) => join(root, "../bucket/inner"),
    list: (root) => listOf(pathToFileURL(join(root, "../bucket")).href),
    code: "outside-project",
  },
  {
    name: "elsewhere, with a damaged list",
    bucket: (root) => join(root, "../bucket"),
    list: (root) => JSON.stringify([pathToFileURL(join(root, "../bucket")).href]),
    code: "outside-project",
  },
];

const listOf = (...buckets: readonly string[]): string => JSON.stringify({ schema: 1, buckets });

for (const { name, bucket, list, code } of BUCKETS) {
  test(`the phone serves a project's bucket only where it may: ${name}`, {
    skip: withoutPosixFiles,
  }, async () => {
    await withPhone(async ({ phone, root, folder }) => {
      mkdirSync(join(folder, "user"));
      if (list !== undefined) writeFileSync(join(folder, "user/buckets.json"), list(root));
      const done = await phone.act({ action: "start", source: "project" });
      assert.equal(done.ok ? "" : done.error.code, code);
      if (done.ok) return;
      assert.equal(done.error.status, 403);
      assert.match(`${done.error.detail} ${done.error.hint}`, /buckets\.json.*publish/s);
      assert.equal((await phone.state()).power, "empty", "an app was installed all the same");
    }, withUpdatesFrom(bucket));
  });
}

test("a bucket that becomes a link while the app is installed is served no longer", {
  skip: withoutPosixFiles,
}, async () => {
  await withPhone(async ({ phone, root, folder, does, fetchInApp }) => {
    const bucket = join(root, "bucket");
    mkdirSync(bucket);
    mkdirSync(join(folder, "private"));
    writeFileSync(join(folder, "private/notes.txt"), "secret");
    writeFileSync(join(bucket, "open.txt"), "open");
    symlinkSync(join(folder, "private"), join(bucket, "folder"));
    symlinkSync(join(folder, "private/notes.txt"), join(bucket, "file.txt"));
    await does({ action: "start", source: "project" });
    assert.deepEqual(await fetchInApp("open.txt"), [200, "open"]);
    for (const path of ["folder/notes.txt", "file.txt"]) {
      assert.deepEqual(await fetchInApp(path), [404, "not found\n"]);
    }
    rmSync(bucket, { recursive: true });
    symlinkSync(join(folder, "private"), bucket);
    const [status, body] = await fetchInApp("notes.txt");
    assert.equal(status, 403);
    assert.match(`${body}`, /Cannot serve the bucket/);
    const refused = await phone.act({ action: "check" });
    assert.equal(refused.ok ? "" : refused.error.code, "outside-project");
  }, withUpdatesFrom((root) => join(root, "bucket")));
});

test("an app stays on the phone where the one that is to replace it cannot be built", async () => {
  await withPhone(async ({ phone, root, does }) => {
    await does({ action: "start" });
    const config = join(root, "project.config.json");
    const settings = JSON.parse(readFileSync(config, "utf8"));
    writeFileSync(
      config,
      JSON.stringify({ ...settings, startScene: "assets/scenes/none.scene.json" }),
    );
    const refused = await phone.act({ action: "reset" });
    assert.equal(refused.ok ? "" : refused.error.code, "scene-not-found");
    const { power, versions } = await phone.state();
    assert.deepEqual([power, versions.embedded], ["on", "v1"]);
  });
});

interface Attack {
  readonly path?: (page: string) => string;
  readonly init?: RequestInit;
  readonly wants: number;
}

const NATIVE = (page: string) => `${page}.phone/native`;
const POST = { method: "POST", body: '{"method":"getState"}' };
const JSON_TYPE = { "content-type": "application/json" };
const ATTACKS: Readonly<Record<string, Attack>> = {
  "a guessed address": { path: (page) => `${new URL(page).origin}/index.html`, wants: 404 },
  "another launch's address": {
    path: (page) => `${new URL(page).origin}/${"0".repeat(32)}/index.html`,
    wants: 404,
  },
  "a script of another site": { init: { headers: { "sec-fetch-site": "cross-site" } }, wants: 403 },
  "a script of another port": { init: { headers: { "sec-fetch-site": "same-site" } }, wants: 403 },
  "a page of another origin": { init: { headers: { origin: EDITOR } }, wants: 403 },
  "native without an origin": { path: NATIVE, init: { ...POST, headers: JSON_TYPE }, wants: 403 },
  "native from the editor's page": {
    path: NATIVE,
    init: { ...POST, headers: { ...JSON_TYPE, origin: EDITOR } },
    wants: 403,
  },
  "a file above the bundle": { path: (page) => `${page}..%2f..%2fphone.json`, wants: 404 },
  "a file with a drive": { path: (page) => `${page}C:%5Cwindows`, wants: 404 },
  "a half escape": { path: (page) => `${page}%E0%A4%A`, wants: 404 },
  "another method": { init: { method: "DELETE" }, wants: 405 },
};

test("the second port gives nothing to whoever is not the app's own page", async (t) => {
  await withPhone(async ({ phone, does, native }) => {
    await does({ action: "start" });
    const { page } = await phone.state();
    assert.ok(page !== null);
    for (
      const [name, { path = (page: string) => page, init = {}, wants }] of Object.entries(ATTACKS)
    ) {
      await t.test(name, async () => {
        const response = await fetch(path(page), init);
        assert.equal(response.status, wants);
        assert.equal(await response.text(), "");
        assert.equal(response.headers.get("access-control-allow-origin"), null);
        assert.equal(response.headers.get("cross-origin-resource-policy"), "same-origin");
      });
    }
    const served = await fetch(page);
    assert.equal(served.headers.get("content-security-policy"), `frame-ancestors ${EDITOR}`);
    await served.body?.cancel();
    const elsewhere = `${page}.phone/network?url=${encodeURIComponent("http://127.0.0.1:1/")}`;
    const none = await fetch(elsewhere);
    assert.equal(none.headers.get("x-phone-network"), "none");
    assert.equal(await none.text(), "");
    await assert.rejects(() => native("launch", { name: "game" }), /no launch/);
    await does({ action: "kill" });
    assert.equal((await fetch(page)).status, 404);
  });
});

const KEY = "1".repeat(32);

/** The server of an app that runs. */
async function appServer(over: Partial<Files> = {}) {
  const files = { ...(await loadRuntime()).files, ...over };
  const running = {
    key: KEY,
    folder: "lib/editor/sample",
    baseUrl: "https://phone.invalid",
    script: "",
    isBroken: false,
    native: () => Promise.resolve("reached"),
    fetch,
  };
  return createAppServer({ files, running: () => running, framedBy: () => [EDITOR] });
}

test("createAppServer() answers to no name that is pointed at this machine (DNS rebinding)", async () => {
  const answer = await appServer();
  const ask = async (origin: string, user: "same" | "another") => {
    const headers = { origin, ...JSON_TYPE };
    const request = new Request(`${origin}/${KEY}/.phone/native`, { ...POST, headers });
    return await answer(request, { user: () => Promise.resolve(user) });
  };
  assert.equal((await ask("http://127.0.0.1:5000", "same")).status, 200);
  assert.equal((await ask("http://localhost:5000", "same")).status, 200);
  assert.equal((await ask("http://rebound.example:5000", "same")).status, 403);
  assert.equal((await ask("http://127.0.0.1:5000", "another")).status, 403);
});

test("createAppServer() finds no file that goes while it is opened", async () => {
  const answer = await appServer({ openRead: () => Promise.resolve(null) });
  const request = new Request(`http://localhost:5000/${KEY}/project.config.json`);
  assert.equal((await answer(request, { user: () => Promise.resolve("same") })).status, 404);
});

test("createAppServer() outlives a page that is left while it asks", async () => {
  const answer = await appServer();
  const origin = "http://localhost:5000";
  const cut = {
    method: "POST",
    headers: { origin, ...JSON_TYPE },
    body: new ReadableStream({ pull: (half) => half.error(new Error("cut on purpose")) }),
    duplex: "half",
  } as const;
  const request = new Request(`${origin}/${KEY}/.phone/native`, cut);
  assert.equal((await answer(request, { user: () => Promise.resolve("same") })).status, 400);
});

test("what a page says of itself is bounded, and acts on no text beside it", () =>
  withPhone(async ({ phone, does, native }) => {
    await does({ action: "start" });
    await native("console", {
      level: "info",
      said: [
        "update",
        JSON.stringify({
          result: "stage-failed",
          version: "v2\u202e",
          detail: `\x1b[2J${"no ".repeat(1_000)}`,
        }),
      ],
    });
    await native("console", { level: "error", said: [`\x1b[2J\u202e${"x".repeat(1_000_000)}`] });
    const { boot, check } = await phone.state();
    assert.deepEqual(boot, { kind: "failed", why: "x".repeat(400) });
    assert.deepEqual([check?.version, check?.detail], ["v2", "no ".repeat(134).slice(0, 400)]);
  }));

test("a game may write to its console what becomes no text", () => {
  const reported: unknown[] = [];
  const page = createContext({
    addEventListener: () => undefined,
    console: { info: () => undefined, error: () => undefined },
    fetch(_url: string, { body }: { body: string }) {
      reported.push(JSON.parse(body).request.said);
      return Promise.resolve(Response.json({ value: null }));
    },
  });
  runInContext(bridgeScript("https://updates.example", { isBroken: false }), page);
  runInContext("const own = {}; own.own = own; console.info('said', own, 1n, { a: 1 });", page);
  const none = "something that has no text";
  assert.deepEqual(reported, [["said", none, none, '{"a":1}']]);
});

test("no update server makes a service worker of its answer, or widens what one may control", async () => {
  const { files } = await loadRuntime();
  const key = "2".repeat(32);
  const headers = { "content-type": "text/javascript", "service-worker-allowed": "/" };
  const running = {
    key,
    folder: "lib/editor/sample",
    baseUrl: "https://updates.example",
    script: "",
    isBroken: false,
    native: () => Promise.resolve(),
    fetch: () => Promise.resolve(new Response("self.onfetch = () => {}", { headers })),
  };
  const answer = createAppServer({ files, running: () => running, framedBy: () => [EDITOR] });
  // A browser takes a worker of a JavaScript type alone, for what lies below its own folder: below the
  // key of this launch, which no other has.
  for (const path of [".phone/network?url=https://updates.example/sw.js", "index.html"]) {
    const url = `http://127.0.0.1:5000/${key}/${path}`;
    const asked = { headers: { "service-worker": "script", "sec-fetch-dest": "serviceworker" } };
    const response = await answer(new Request(url, asked), { user: () => Promise.resolve("same") });
    await response.body?.cancel();
    assert.equal(response.headers.get("service-worker-allowed"), null, path);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff", path);
    assert.doesNotMatch(response.headers.get("content-type") ?? "", /javascript/, path);
  }
});

test("a page reads nothing that its update server leads to, and that lets no app read it", async () => {
  const { files } = await loadRuntime();
  const key = "1".repeat(32);
  const led = { from: "http://127.0.0.1:8080/secret", headers: {} };
  const running = {
    key,
    folder: "lib/editor/sample",
    baseUrl: "https://updates.example",
    script: "",
    isBroken: false,
    native: () => Promise.resolve(),
    fetch: () =>
      Promise.resolve(
        Object.defineProperty(new Response("told", { headers: led.headers }), "url", {
          value: led.from,
        }),
      ),
  };
  const answer = createAppServer({ files, running: () => running, framedBy: () => [EDITOR] });
  const ask = async () => {
    const url = `http://127.0.0.1:5000/${key}/.phone/network?url=https://updates.example/a`;
    const response = await answer(new Request(url), { user: () => Promise.resolve("same") });
    return [response.headers.get("x-phone-network"), await response.text()];
  };
  assert.deepEqual(await ask(), ["none", ""]);
  led.headers = { "access-control-allow-origin": "*" };
  assert.deepEqual(await ask(), [null, "told"]);
  led.headers = {};
  led.from = "https://updates.example/b";
  assert.deepEqual(await ask(), [null, "told"]);
});

test("Phone.frameFor() serves no page of another machine", async () => {
  await withPhone(async ({ phone }) => {
    assert.equal(await phone.frameFor("http://192.168.1.20:4747"), null);
    assert.equal(await phone.frameFor("nonsense"), null);
    assert.match(
      await phone.frameFor("http://localhost:4747") ?? "",
      /^http:\/\/127\.0\.0\.1:\d+$/,
    );
  });
});
