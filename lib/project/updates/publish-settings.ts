import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { KeyPair } from "../../ota-format/mod.ts";
import type { ProjectConfig } from "../config/config.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { missingOta, type OtaConnection } from "../config/ota-config.ts";
import { checkValue } from "../config/safe-values.ts";
import { checkProjectKey, findSigningKey, type SigningKeyDependencies } from "./signing-key.ts";

const BUCKET = 'publish.bucket (for example "s3://games/harbor")';

/** A request to publish. Absent values come from the project or the current release. */
export interface ProjectPublishRequest {
  /** Must be the project's own `ota.bundleName` (PUB-10). */
  readonly bundle?: string | undefined;
  /** `v<N>`, never used before. */
  readonly version?: string | undefined;
  /** Whether players must restart into it. */
  readonly mandatory?: boolean | undefined;
  /** The lowest engine API level of an app that may take any bundle. */
  readonly minEngineApi?: number | undefined;
  /** Whether players may be taken back to a lower version than they have (PUB-32). */
  readonly allowOlder?: boolean | undefined;
  /** A bucket other than `publish.bucket`. */
  readonly bucket?: string | undefined;
  /** Builds and plans, and writes nothing to the bucket. */
  readonly plan?: boolean | undefined;
}

/** A request that the project's settings allow. */
export interface PublishSettings {
  /** The project's settings, read again. */
  readonly config: ProjectConfig;
  /** The updates that the app follows. */
  readonly connection: OtaConnection;
  /** The bucket to publish to. */
  readonly bucketUrl: string;
  /** The key to sign with; its public half is the project's. */
  readonly key: KeyPair;
  /** The original request. */
  readonly request: ProjectPublishRequest;
}

/**
 * Reads the settings of a publish from the project's current files, and refuses a publish that
 * cannot succeed: every check that needs neither a build nor the network.
 */
export async function readPublishSettings(
  dependencies: SigningKeyDependencies,
  root: string,
  request: ProjectPublishRequest,
): Promise<Result<PublishSettings, Problem>> {
  for (const name of ["bundle", "version", "bucket"] as const) {
    const value = request[name];
    const checked = value === undefined ? ok("") : checkValue(name, value);
    if (!checked.ok) return checked;
  }
  const config = await readProjectConfig(dependencies.files, root);
  if (!config.ok) return config;
  const { ota, publish } = config.value;
  if (ota === undefined || !ota.enabled) {
    return refuse(
      422,
      "ota-disabled",
      `Cannot publish ${JSON.stringify(config.value.name)}: found ${
        ota === undefined ? "no ota block" : "ota.enabled false"
      } in project.config.json, expected ota.enabled true`,
      `Set ${
        [
          "ota.enabled to true",
          ...missingOta(ota).map(({ text }) => text),
          ...(request.bucket ?? publish?.bucket) === undefined ? [BUCKET] : [],
        ].join(", ")
      } with set_project_settings: until then no app looks for updates`,
    );
  }
  if (request.bundle !== undefined && request.bundle !== ota.bundleName) {
    return refuse(
      422,
      "wrong-bundle",
      `Cannot publish ${request.bundle}: this project's own bundle (ota.bundleName) is ${ota.bundleName}`,
      `Leave bundle out, or open the project of ${request.bundle}; sub-game bundles are built by hand and ` +
        `published with '${dependencies.host.cli} publish'`,
    );
  }
  const bucketUrl = request.bucket ?? publish?.bucket;
  if (bucketUrl === undefined) {
    const key = await findSigningKey(dependencies, root, publish?.keyName);
    return refuse(
      422,
      "no-bucket",
      "Cannot publish: found no publish.bucket in project.config.json, and bucket is not given",
      `Set ${BUCKET}, or give bucket${key.ok ? "" : `. ${key.error.hint}: ${key.error.detail}`}`,
    );
  }
  const bucket = checkValue("bucket", bucketUrl);
  if (!bucket.ok) return bucket;
  const key = await findSigningKey(dependencies, root, publish?.keyName);
  if (!key.ok) return key;
  const trusted = checkProjectKey(key.value, ota.publicKey);
  if (!trusted.ok) return trusted;
  return ok({ config: config.value, connection: ota, bucketUrl, key: key.value, request });
}
