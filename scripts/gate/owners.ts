import { DOUBLED_NAMES, type DoubledName } from "./exceptions.ts";
import type { House } from "./house.ts";
import { type Docs, exportedHere } from "./names.ts";

// Each exported name of `lib` has one owner: two files that define it are one thing, which belongs
// in one file, or two things, which need two names.

/** Every exported name that more than one file of `lib` defines, one sentence each. */
export function checkOwners(
  house: Pick<House, "modules">,
  docs: Docs,
  root: string,
  excepted: Readonly<Record<string, DoubledName>> = DOUBLED_NAMES,
): readonly string[] {
  const doubled = new Map(
    [...ownersOf(house, docs, root)].filter(([, files]) => files.length > 1),
  );
  const isExcepted = (name: string, files: readonly string[]) => {
    const exception = Object.hasOwn(excepted, name) ? excepted[name] : undefined;
    return exception !== undefined && files.every((file) => file.startsWith(exception.below));
  };
  return [
    ...[...doubled].filter(([name, files]) => !isExcepted(name, files)).map(([name, files]) =>
      `${files[0]}: exports ${name}, as ${files.slice(1).join(" and ")} does: merge or rename them`
    ),
    ...Object.keys(excepted).filter((name) => !doubled.has(name)).map((name) =>
      `scripts/gate/exceptions.ts: ${name} is not defined twice: remove it from DOUBLED_NAMES`
    ),
  ];
}

/** Exported name → the files of `lib` that define it. */
function ownersOf(
  { modules }: Pick<House, "modules">,
  docs: Docs,
  root: string,
): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const path of modules.keys()) {
    if (!path.startsWith("lib/")) continue;
    for (const name of exportedHere(docs, root, path)) {
      if (name === "default") continue;
      owners.set(name, [...owners.get(name) ?? [], path]);
    }
  }
  return owners;
}
