import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Failure, Result } from "../../lib/core/result.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { createDevice } from "./device-under-test.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { generateKeyPair, type KeyPair } from "../../lib/ota-format/signing.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { publish, type PublishReport } from "../../lib/ota-publish/publish.ts";
import type { PublishDependencies, PublishRequest } from "../../lib/ota-publish/publish-request.ts";
import type { PublishFailureCode } from "../../lib/ota-publish/publish-failure.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { writeTree } from "./folder.ts";

/** Files by path. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A publisher, a bucket and a network over one folder, with real files throughout. */
export interface OtaWorld {
  readonly runtime: Runtime;
  readonly folder: string;
  readonly key: KeyPair;
  readonly bucket: Bucket;
  /** The network of devices. */
  readonly fetch: Fetch;
  /** Paths that devices requested. */
  readonly requests: string[];
  publish(
    version: string,
    files: Tree,
    over?: Partial<PublishRequest & PublishDependencies>,
  ): Promise<Result<PublishReport, Failure<PublishFailureCode>>>;
  device(over?: Partial<DeviceOptions>): Device;
  check(
    device: Device,
    over?: { readonly engineApi?: number; readonly name?: string },
  ): Promise<CheckResult>;
}

const BASE_URL = "https://cdn.example";

/** Opens a world in an empty folder. The network is the static handler itself, without a socket. */
export async function openOtaWorld(folder: string): Promise<OtaWorld> {
  const runtime = await loadRuntime();
  const key = await generateKeyPair();
  const bucket = createFileBucket({ ...runtime, folder: join(folder, "bucket") });
  const serve = createStaticHandler(runtime.files, join(folder, "bucket"));
  const requests: string[] = [];
  const fetch = (url: string, init?: RequestInit) => {
    requests.push(url.slice(BASE_URL.length + 1));
    return serve(new Request(url, init));
  };
  let published = 0;
  let processes = 0;
  return {
    runtime,
    folder,
    key,
    bucket,
    fetch,
    requests,
    async publish(version, files, over = {}) {
      const run = ++published;
      const dist = join(folder, `dist-${run}`);
      const workFolder = join(folder, `work-${run}`);
      mkdirSync(dist, { recursive: true });
      mkdirSync(workFolder, { recursive: true });
      writeTree(dist, files);
      return await publish({ ...runtime, bucket, workFolder, ...over }, {
        dist,
        name: "shell",
        version,
        engineApi: 1,
        target: DEFAULT_TARGET,
        key,
        minSequence: 0,
        ...over,
      });
    },
    device(over = {}) {
      const pid = ++processes; // each is a process of its own, and the one before is dead
      const alone = { host: { pid }, isAlive: (other: number) => other === pid };
      return createDevice({ ...runtime, ...alone, fetch, root: join(folder, "phone"), ...over });
    },
    check: (device, { engineApi = 1, name = "shell" } = {}) =>
      checkForUpdate({ fetch, native: device }, {
        baseUrl: BASE_URL,
        publicKey: key.publicKey,
        bundleName: name,
        engineApi,
      }),
  };
}
