import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ok } from "../../lib/core/result.ts";
import { asOnlyBuilder } from "../../lib/project/jobs/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openScriptHost, runScriptFile } from "../support/script.ts";
import { withTinyS3 } from "../ota/s3-server.ts";

/** What the script answered: its exit code, its one object, and the warnings on the way. */
interface Answer {
  readonly code: number | null;
  // deno-lint-ignore no-explicit-any
  readonly value: any;
  // deno-lint-ignore no-explicit-any
  readonly warnings: readonly any[];
}

type Publish = (
  version: string,
  bucket: string,
  more?: {
    /** With any, in a process of its own. */
    readonly env?: Record<string, string>;
    readonly dist?: string;
    readonly flags?: readonly string[];
  },
) => Promise<Answer>;

/** Runs `work` with a key and a built folder, and a user folder of its own. */
async function withPublisher(
  work: (folder: string, publish: Publish) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const data = join(folder, "data");
    const own = { XDG_DATA_HOME: data, LOCALAPPDATA: data, HOME: folder };
    const key = join(folder, "key.json");
    const host = openScriptHost(own);
    try {
      assert.equal((await host.run("ota-keygen", "--out", key)).code, 0);
      writeTree(join(folder, "dist"), { "index.html": "one" });
      await work(folder, async (version, bucket, more = {}) => {
        const { env, dist = join(folder, "dist"), flags = [] } = more;
        const place = ["--dist", dist, "--name", "shell", "--version", version];
        const args = ["--json", ...place, ...flags, "--bucket", bucket, "--key", key];
        const ran = env === undefined
          ? await host.run("ota-publish", ...args)
          : await runScriptFile("ota-publish", args, { env: { ...own, ...env } });
        const events = ran.stderr.split("\n").filter((line) => line.startsWith("{"));
        const warnings = events.map((line) => JSON.parse(line)).filter(({ event }) =>
          event === "warning"
        );
        return { code: ran.code, value: JSON.parse(ran.stdout || "null"), warnings };
      });
    } finally {
      await host.close();
    }
  });
}

// PUB-32
test("ota-publish of a lower version fails with a code, and goes back where that is said", () =>
  withPublisher(async (folder, publish) => {
    const bucket = pathToFileURL(join(folder, "bucket")).href;
    for (const version of ["v1", "v2"]) {
      assert.deepEqual((await publish(version, bucket)).warnings, []);
    }
    const refused = await publish("v1", bucket);
    assert.deepEqual([refused.code, refused.value.ok, refused.value.code], [1, false, "older"]);
    assert.match(refused.value.next, /--allow-older/);
    const back = await publish("v1", bucket, { flags: ["--allow-older"] });
    assert.deepEqual([back.code, back.value.resumed, back.value.sequence], [0, true, 3]);
    assert.deepEqual(back.warnings.map(({ code }) => code), ["goes-back"]);
    assert.match(back.warnings[0].message, /from v2 to v1/);
    assert.match(back.warnings[0].next, /a version above v2/);
    const release = JSON.parse(readFileSync(join(folder, "bucket", "release.json"), "utf8"));
    assert.deepEqual(release.backTo, { shell: "v1" });
  }));

test("ota-publish remembers sequences of each endpoint by itself", () =>
  withPublisher((_folder, publish) =>
    withTinyS3((one) =>
      withTinyS3(async (other) => {
        const env = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "secret-word" };
        const at = (endpoint: string) => `s3://games?endpoint=${endpoint}&region=eu-central-1`;
        const first = await publish("v1", at(one.url), { env });
        assert.equal(first.value.sequence, 1, JSON.stringify(first.value));
        const fresh = await publish("v1", at(other.url), { env });
        assert.equal(fresh.value.sequence, 1, JSON.stringify(fresh.value));
        one.objects.clear();
        const gone = await publish("v2", at(one.url), { env });
        assert.equal(gone.value.code, "rolled-back");
        assert.match(gone.value.next, /delete that file/);
      })
    )
  ));

test("ota-publish whose memory is damaged, or cannot be, says so before it publishes", () =>
  withPublisher(async (folder, publish) => {
    const bucket = pathToFileURL(join(folder, "bucket")).href;
    const other = pathToFileURL(join(folder, "other")).href;
    assert.equal((await publish("v1", bucket)).value.sequence, 1);
    const files = readdirSync(folder, { recursive: true }).map(String);
    const [memory = ""] = files.filter((path) => /ota-seen.+\.json$/.test(path));
    writeFileSync(join(folder, memory), "{");
    const damaged = await publish("v2", bucket);
    assert.deepEqual([damaged.code, damaged.value.code], [1, "memory-damaged"]);
    assert.ok(damaged.value.message.includes(memory), damaged.value.message);

    rmSync(dirname(join(folder, memory)), { recursive: true });
    writeFileSync(dirname(join(folder, memory)), "no folder");
    const refused = await publish("v1", other);
    assert.deepEqual([refused.code, refused.value.code], [1, "memory"]);
    assert.match(refused.value.next, /ota-seen/);
    assert.ok(!readdirSync(folder).includes("other"), "before a byte is written");
  }));

test("ota-publish follows --dist where it is a link, also to see that the bucket is not in it", () =>
  withPublisher(async (folder, publish) => {
    const dist = join(folder, "latest");
    symlinkSync(join(folder, "dist"), dist);
    const inside = await publish("v1", pathToFileURL(join(folder, "dist/bucket")).href, { dist });
    assert.deepEqual([inside.code, inside.value.code], [2, "usage"]);
    const linked = await publish("v1", pathToFileURL(join(folder, "bucket")).href, { dist });
    assert.equal(linked.value.sequence, 1, JSON.stringify(linked.value));
  }));

test("ota-publish of a project's folder is refused while the project is built", () =>
  withPublisher(async (folder, publish) => {
    writeFileSync(join(folder, "project.config.json"), "{}");
    const bucket = pathToFileURL(join(folder, "bucket")).href;
    const runtime = await loadRuntime();
    const userData = join(folder, "data", "slipway");
    const built = await asOnlyBuilder({ ...runtime, host: { ...runtime.host, userData } }, {
      root: folder,
      kind: "build",
      key: "web",
      work: async () => ok(await publish("v1", bucket)),
    });
    assert.ok(built.ok);
    assert.deepEqual([built.value.code, built.value.value.code], [1, "build-running"]);
    const after = await publish("v1", bucket);
    assert.equal(after.code, 0, JSON.stringify(after.value));
    const list = JSON.parse(readFileSync(join(userData, "buckets.json"), "utf8"));
    assert.deepEqual(list, { schema: 1, buckets: [bucket] });
  }));
