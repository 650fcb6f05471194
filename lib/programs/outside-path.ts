import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { hostPaths } from "./host-paths.ts";
import { pathFolders } from "./which.ts";

/**
 * Returns the host with a PATH that leads into no project: `npx` adds a project's own programs in
 * front, and a tool of the machine may be a script that searches its interpreter there. Entries
 * relative to the working folder are removed as well.
 */
export async function hostOutside(
  { host, files, project }: {
    readonly host: Host;
    readonly files: Pick<Files, "realPath">;
    readonly project?: string;
  },
): Promise<Host> {
  const { platform } = host;
  const paths = hostPaths(platform);
  const env = host.environment();
  const key = paths.environmentKey(env, "PATH");
  if (key === undefined) return host;
  const real = async (path: string) => await files.realPath(path).catch(() => null) ?? path;
  const projects = project === undefined ? [] : [project, await real(project)];
  const kept: string[] = [];
  for (const folder of pathFolders({ env, platform })) {
    const names = [folder, ...projects.length > 0 ? [await real(folder)] : []];
    const leadsIn = projects.some((root) => names.some((name) => paths.isWithin(name, root)));
    if (!leadsIn) kept.push(platform === "win32" && folder.includes(";") ? `"${folder}"` : folder);
  }
  const path = kept.join(paths.delimiter);
  return { ...host, environment: () => ({ ...env, [key]: path }) };
}

/** The folders that npm puts in front of PATH, for a package's folder and each folder above it. */
const PROGRAMS = /[\\/]?node_modules[\\/]\.bin[\\/]?$/;

/**
 * Returns an environment without the programs of the package whose npm script started this process:
 * a build of another project would find them, but only when started from here. Programs of the
 * project's own npm script stay.
 *
 * @param root The project's folder.
 */
export function withoutStartersPrograms(
  env: Readonly<Record<string, string>>,
  { root, platform }: { readonly root: string; readonly platform: Host["platform"] },
): Record<string, string> {
  const starter = env["npm_package_json"]?.replace(/[\\/][^\\/]*$/, "");
  const paths = hostPaths(platform);
  const key = paths.environmentKey(env, "PATH");
  if (starter === undefined || key === undefined) return { ...env };
  const kept = (env[key] ?? "").split(paths.delimiter).filter((folder) => {
    const above = folder.replace(PROGRAMS, "");
    return above === folder || !paths.isWithin(starter, above) || paths.isWithin(root, above);
  });
  return { ...env, [key]: kept.join(paths.delimiter) };
}
