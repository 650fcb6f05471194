import assert from "node:assert/strict";
import { type BootTarget, createDevice, type Device } from "../../lib/ota-device/mod.ts";
import { checkForUpdate, type CheckResult } from "../../lib/ota-client/mod.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/mod.ts";
import { createFileBucket, createKey, embedManifest, publish } from "../../lib/ota-publish/mod.ts";
import type { Failure, Result } from "../../lib/core/result.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { createReadBack } from "../../lib/project/served/mod.ts";

// The update story in words: a real key, a real bucket in a folder, served over HTTP, and a device
// with real files. Every step is checked; the demo fails if the story is not true.

const NAME = "shell";

/** Runs the story. @param folder Folder for all files; the bucket is its `bucket`. */
export async function tell(
  runtime: Runtime,
  { folder, baseUrl, step }: {
    readonly folder: string;
    /** The public address of the bucket. */
    readonly baseUrl: string;
    /** Called with each step as it happens. */
    readonly step: (name: string, what: string) => void;
  },
): Promise<void> {
  const { files, host } = runtime;
  const bucket = createFileBucket({ ...runtime, folder: `${folder}/bucket` });
  const key = unwrap(await createKey({ files, host }, `${folder}/keys/demo.json`));
  step("keygen", `one Ed25519 pair; the app keeps the public half ${key.publicKey}`);

  const publishVersion = async (version: string, page: string) => {
    const dist = `${folder}/dist-${version}`;
    await writeGame(runtime, dist, page);
    const workFolder = `${folder}/pack-${version}`;
    await files.makeDirectory(workFolder);
    const { publicKey } = key;
    return unwrap(
      await publish({
        ...runtime,
        bucket,
        workFolder,
        readBack: createReadBack(runtime, { baseUrl, publicKey }),
      }, {
        dist,
        name: NAME,
        version,
        engineApi: 1,
        target: DEFAULT_TARGET,
        key,
        minSequence: 0,
      }),
    );
  };

  const v1 = await publishVersion("v1", "the first harbor");
  step(
    "publish v1",
    `sequence ${v1.release.sequence}, ${v1.files.uploaded} files sent, read back as a device would`,
  );

  const embedded = `${folder}/app-binary`;
  await writeGame(runtime, embedded, "the first harbor");
  unwrap(
    await embedManifest(runtime, {
      dist: embedded,
      name: NAME,
      engineApi: 1,
      version: "v1",
      target: DEFAULT_TARGET,
      sequence: v1.release.sequence,
    }),
  );
  const device = createDevice({ ...runtime, root: `${folder}/phone`, embedded });
  const check = () =>
    checkForUpdate({ fetch: runtime.fetch, native: device }, {
      baseUrl,
      publicKey: key.publicKey,
      bundleName: NAME,
      engineApi: 1,
    });
  const launch = () => device.launch({ name: NAME, binaryVersion: "100" });
  served(await launch(), "embedded");
  answered(await check(), "up-to-date");
  step("install", "the app boots the bundle in its binary, which is v1: nothing to fetch");

  const v2 = await publishVersion("v2", "the second harbor");
  step(
    "publish v2",
    `sequence ${v2.release.sequence}: ${v2.files.uploaded} files sent, ${v2.files.copied} copied inside the bucket`,
  );

  let downloaded = 0;
  const listening = await device.addListener("otaProgress", (progress) => {
    downloaded = progress.bytesDone;
  });
  answered(await check(), "staged");
  await listening.remove();
  assert.equal(await pageOf(runtime, device, "v2"), "the second harbor");
  step(
    "update",
    `v2 is verified and staged after ${downloaded} downloaded bytes; it boots next time`,
  );

  served(await launch(), "v2");
  await device.confirmLaunch({ name: NAME });
  assert.equal((await device.getState({})).state?.pending?.[NAME], "v2");
  served(await launch(), "v2");
  await device.confirmLaunch({ name: NAME });
  assert.equal((await device.getState({})).state?.active?.[NAME], "v2");
  step("confirm twice", "after one confirmed boot v2 is on trial, after the second it is active");

  await publishVersion("v3", "the harbor that never opens");
  answered(await check(), "staged");
  step("publish a broken v3", "nothing tells it from a good one: it is verified and staged");

  for (let attempt = 1; attempt <= 3; attempt++) served(await launch(), "v3");
  step("three failed boots", "v3 was served three times and never confirmed");

  served(await launch(), "v2");
  assert.equal(await pageOf(runtime, device, "v2"), "the second harbor");
  step("revert", "the fourth launch serves v2 again");

  assert.deepEqual((await device.getState({})).state?.rejected, { [NAME]: ["v3"] });
  answered(await check(), "version-rejected");
  step("quarantine", "v3 is refused from now on; the way out is a new version");
}

async function writeGame({ files }: Runtime, folder: string, page: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await files.write(`${folder}/${path}`, new TextEncoder().encode(text));
  };
  await files.makeDirectory(`${folder}/assets`);
  await write("index.html", page);
  await write("game.js", "export const start = () => {};\n".repeat(500));
  await write("assets/music.txt", "la ".repeat(50_000));
}

async function pageOf({ files }: Runtime, device: Device, version: string): Promise<string> {
  const folder = device.folderOf(NAME, { kind: "version", version });
  const bytes = await files.read(`${folder}/index.html`, 1024);
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

function unwrap<T>(result: Result<T, Failure>): T {
  assert.ok(result.ok, result.ok ? "" : `${result.error.message}. ${result.error.next ?? ""}`);
  return result.value;
}

function served({ target }: { target: BootTarget }, expected: string): void {
  assert.equal(target.kind === "embedded" ? "embedded" : target.version, expected);
}

function answered(result: CheckResult, expected: CheckResult["result"]): void {
  assert.equal(result.result, expected, JSON.stringify(result));
}
