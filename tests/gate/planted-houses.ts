import process from "node:process";
import { createExecutor } from "../../scripts/gate/exec.ts";
import type { House } from "../../scripts/gate/house.ts";
import { readModules } from "../../scripts/gate/modules.ts";
import { withTree } from "./temp-tree.ts";

/** Sources by their path. */
export type Sources = Readonly<Record<string, string>>;

/** Builds houses on disk and reads who imports whom in all of them at once, in their order. */
export async function buildHouses(
  houses: readonly Sources[],
  promised: Partial<Pick<House, "dependencies" | "devDependencies" | "entries">> = {},
): Promise<readonly House[]> {
  const files = Object.fromEntries(
    houses.flatMap((sources, i) =>
      Object.entries(sources).map(([path, text]) => [`${i}/${path}`, text])
    ),
  );
  const context = { exec: createExecutor(1).exec, deno: process.execPath };
  const modules = await withTree(
    files,
    (root) => readModules(context, { root, paths: Object.keys(files) }),
  );
  return houses.map((sources, i) => ({
    modules: new Map(
      Object.keys(sources).map((path) => [
        path,
        (modules.get(`${i}/${path}`) ?? []).map((one) => ({
          ...one,
          target: one.target?.slice(`${i}/`.length) ?? null,
        })),
      ]),
    ),
    sources: new Map(Object.entries(sources)),
    dependencies: [],
    devDependencies: [],
    entries: {},
    ...promised,
  }));
}
