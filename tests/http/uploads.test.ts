import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFiles } from "../../adapters/node/files.ts";
import { createHttpServer } from "../../adapters/node/http-server.ts";
import { MODEL_LIMITS } from "../../lib/editor/mod.ts";
import { createUploads } from "../../lib/project/uploads.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { until } from "../support/until.ts";

const PIXEL = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (one) => one.charCodeAt(0),
);

function upload(
  { send }: ProjectService,
  name: string,
  body: BodyInit | null,
  more = "",
): ReturnType<ProjectService["send"]> {
  return send(`/api/uploads?name=${encodeURIComponent(name)}${more}`, { method: "POST", body });
}

test("HTTP-11: an uploaded file waits where no listing sees it, and goes when it is imported", async () => {
  await withSampleService(async (service) => {
    const sent = await upload(service, "pixel.png", PIXEL);
    assert.equal(sent.status, 200, sent.text);
    const { file, bytes, group } = sent.body;
    assert.equal(bytes, PIXEL.length);
    assert.equal(file, `.uploads/${group}/pixel.png`);
    assert.deepEqual([...readFileSync(join(service.root, file))], [...PIXEL]);
    assert.equal(readFileSync(join(service.root, ".uploads/.gitignore"), "utf8"), "*\n");
    const imported = await service.call("import_file", { file, folder: "assets/dropped" });
    assert.equal(imported.body.path, "assets/dropped/pixel.png", imported.text);
    assert.equal(existsSync(join(service.root, ".uploads", group)), false);
    const again = await service.call("import_file", { file });
    assert.equal(again.body.code, "file-missing");
  });
});

test("POST /api/uploads: a .gltf finds the .bin that was sent into its group", async () => {
  await withSampleService(async (service) => {
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const gltf = {
      asset: { version: "2.0" },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ name: "Corner", mesh: 0 }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{
        bufferView: 0,
        componentType: 5126,
        count: 3,
        type: "VEC3",
        min: [0, 0, 0],
        max: [1, 1, 0],
      }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      buffers: [{ uri: "parts/corner.bin", byteLength: 36 }],
    };
    const bin = await upload(service, "corner/parts/corner.bin", positions, "&group=drop-1");
    assert.equal(bin.status, 200, bin.text);
    const sent = await upload(service, "corner/corner.gltf", JSON.stringify(gltf), "&group=drop-1");
    const imported = await service.call("import_file", { file: sent.body.file });
    assert.equal(imported.status, 200, imported.text);
    assert.match(imported.body.prefab.path, /corner/);
    assert.deepEqual(readdirSync(join(service.root, ".uploads")), [".gitignore"]);
  });
});

for (
  const [name, status, code] of [
    ["../pixel.png", 403, "outside-project"],
    ["/etc/pixel.png", 403, "outside-project"],
    ["C:/pixel.png", 403, "outside-project"],
    ["a\\b.png", 422, "upload-name"],
    ["CON.png", 422, "upload-name"],
    [".hidden.png", 422, "upload-name"],
    ["pixel\u202egnp.png", 422, "upload-name"],
    ["pixel\0.png", 422, "upload-name"],
    [`${"x".repeat(400)}.png`, 422, "upload-name"],
    ["", 422, "upload-name"],
    ["notes.txt", 422, "file-type"],
    ["run.js", 422, "file-type"],
    ["wood.material.json", 422, "file-type"],
    ["png", 422, "file-type"],
  ] as const
) {
  test(`POST /api/uploads: the name ${JSON.stringify(name).slice(0, 40)} is refused: ${code}`, async () => {
    await withSampleService(async (service) => {
      const sent = await upload(service, name, PIXEL);
      assert.deepEqual([sent.status, sent.body.code], [status, code], sent.text);
      assert.equal(existsSync(join(service.root, ".uploads")), false);
    });
  });
}

test("POST /api/uploads: 0 bytes, a bad group, no name and a broken stream are refused, and nothing is kept", async () => {
  await withSampleService(async (service) => {
    const kept = () => readdirSync(join(service.root, ".uploads"), { recursive: true });
    const nothing = await upload(service, "pixel.png", null, "&group=a");
    assert.deepEqual([nothing.status, nothing.body.code], [422, "file-empty"], nothing.text);
    const none = await upload(service, "pixel.png", new Uint8Array(), "&group=a");
    assert.equal(none.body.code, "file-empty");
    const group = await upload(service, "pixel.png", PIXEL, "&group=../a");
    assert.deepEqual([group.status, group.body.code], [422, "upload-group"]);
    const unnamed = await service.send("/api/uploads", { method: "POST", body: PIXEL });
    assert.equal(unnamed.body.code, "missing-argument");
    const broken = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024)); // enough to be written
        controller.error(new TypeError("the line is down"));
      },
    });
    const half = await service.send("/api/uploads?name=half.png&group=a", {
      method: "POST",
      body: broken,
      // @ts-ignore Node wants it of streams; the types of the DOM do not have it.
      duplex: "half",
    });
    assert.notEqual(half.status, 200);
    assert.deepEqual(kept().map(String).filter((name) => name.includes("png")), []);
  });
});

test("POST /api/uploads: a file beyond what is imported ends at its first byte too many", async () => {
  await withSampleService(async (service) => {
    const chunk = new Uint8Array(16 * 1024 * 1024);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const answer = await service.send("/api/uploads?name=huge.glb", {
      method: "POST",
      body: endless,
      // @ts-ignore Node wants it of streams; the types of the DOM do not have it.
      duplex: "half",
    });
    assert.deepEqual([answer.status, answer.body.code], [413, "file-too-large"], answer.text);
    assert.ok(sent < MODEL_LIMITS.modelBytes + 8 * chunk.length, `${sent} bytes were read`);
    assert.deepEqual(
      readdirSync(join(service.root, ".uploads"), { recursive: true }).map(String)
        .filter((name) => name.includes("huge")),
      [],
    );
  });
});

test("POST /api/uploads: how long a body takes is the service's rule, and headers are Node's", () => {
  const { server } = createHttpServer(() => new Response());
  assert.equal(server.requestTimeout, 0);
  assert.equal(server.headersTimeout, 60_000);
});

test("POST /api/uploads: a sender is too slow by the bytes of 30 s, not by its silence", async () => {
  const waits: { readonly ms: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake, reject) => {
      waits.push({ ms, wake });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  const { clock } = await loadRuntime();
  await withSampleService(async (service) => {
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulls > 60) return new Promise(() => {});
        controller.enqueue(new Uint8Array(2));
      },
    }, { highWaterMark: 0 });
    // @ts-ignore Node wants `duplex` of streams; the types of the DOM do not have it.
    const init: RequestInit = { method: "POST", body, duplex: "half" };
    const answer = service.send("/api/uploads?name=slow.glb", init);
    await until("all bytes so far are taken", () => pulls > 60);
    assert.deepEqual(waits.map(({ ms }) => ms), [30_000]); // bytes do not begin it again
    waits[0]?.wake();
    const { status, body: { code, detail } } = await answer;
    assert.deepEqual([status, code], [400, "body-too-slow"]);
    assert.match(detail, /less than 64 KiB/i);
    const left = readdirSync(service.root, { recursive: true }).map(String);
    assert.deepEqual(left.filter((name) => name.includes("slow")), []);
  }, { clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep } });
});

test("POST /api/uploads: a compressed file is refused, not stored as it is", async () => {
  await withSampleService(async (service) => {
    const sent = await service.send("/api/uploads?name=pixel.png", {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: PIXEL,
    });
    assert.deepEqual([sent.status, sent.body.code], [400, "bad-body"]);
    assert.match(sent.body.detail, /"gzip"/);
    assert.equal(existsSync(join(service.root, ".uploads")), false);
  });
});

test("POST /api/uploads: a page of another origin may not send files", async () => {
  await withSampleService(async (service) => {
    const sent = await service.send("/api/uploads?name=pixel.png", {
      method: "POST",
      headers: { origin: "http://elsewhere.example", "content-type": "text/plain" },
      body: PIXEL,
    });
    assert.deepEqual([sent.status, sent.body.code], [403, "foreign-origin"]);
  });
});

test("POST /api/uploads: a group that is a link out of the project is refused (TOOL-11)", async () => {
  await withSampleService(async (service) => {
    const outside = `${service.root}-outside`;
    mkdirSync(outside);
    mkdirSync(join(service.root, ".uploads"));
    symlinkSync(outside, join(service.root, ".uploads/models"));
    const sent = await upload(service, "pixel.png", PIXEL, "&group=models");
    assert.deepEqual([sent.status, sent.body.code], [403, "outside-project"], sent.text);
    assert.deepEqual(readdirSync(outside), []);
  });
});

test("Uploads.receive(): what breaks off leaves what waits, its sum and no folder", () =>
  withFolder(async (root) => {
    const files = createFiles();
    const uploads = createUploads({ files, clock: { now: () => Date.now() }, root });
    const { signal } = new AbortController();
    const send = (name: string, group: string, body: AsyncIterable<Uint8Array>) =>
      uploads.receive({ name, group, body, signal });
    const complete = async function* () {
      yield PIXEL;
    };
    const broken = async function* () {
      yield PIXEL;
      throw new TypeError("the line is down");
    };
    assert.ok((await send("a.png", "one", complete())).ok);
    await send("a.png", "one", broken()).catch(() => undefined);
    await send("b.png", "two", broken()).catch(() => undefined);
    assert.deepEqual(readdirSync(join(root, ".uploads")).toSorted(), [".gitignore", "one"]);
    await uploads.close(); // it still knows of the first
    assert.deepEqual(readdirSync(join(root, ".uploads")), [".gitignore"]);
  }));
