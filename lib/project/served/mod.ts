/**
 * Reads what players get, in the way that they do: from public addresses, with the client's check.
 */
export {
  asAppsPage,
  askHash,
  type Asking,
  askPublic,
  askWhole,
  crossOriginRefusal,
  type PublicAnswer,
  servedDiffers,
  tellingCauses,
} from "./public-fetch.ts";
export { createStaticHandler } from "./bucket-folder.ts";
export { binaryOrder } from "./binary-order.ts";
export { orReason } from "./in-time.ts";
export { createReadBack, readBack } from "./read-back.ts";
export {
  findRelease,
  findReleasedManifest,
  type ReleasedDependencies,
  type ReleaseJudge,
} from "./released.ts";
