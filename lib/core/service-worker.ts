/** File names that common tools give to service workers and to scripts that register one. */
const SERVICE_WORKER = /(?:^|\/)(?:sw|service-worker|ngsw-worker|registerSW)\.m?js$/;

/**
 * The service workers among the paths of a bundle. One answers before an app's web view asks the
 * plugin, and would keep the old version.
 */
export function serviceWorkersAmong(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => SERVICE_WORKER.test(path));
}
