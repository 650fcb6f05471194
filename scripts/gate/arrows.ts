import { posix } from "node:path";
import { judgeArrow, PUBLIC_FLOOR, SCRIPTS_FLOOR, type Standing, standingOf } from "./floors.ts";
import { type House, packageName } from "./house.ts";
import type { Import, Modules } from "./modules.ts";

// The one law of the house (HOUSE-1): a file imports its own room or a lower one.

/** Every arrow that does not point down, every foreign package, every ring; one sentence each. */
export function checkArrows(house: House): readonly string[] {
  const violations: string[] = [];
  const downward: Arrow[] = [];
  for (const [path, imports] of house.modules) {
    const standing = standingOf(path);
    if (standing === null) {
      violations.push(`${path}: stands on no floor; expected one of scripts/gate/floors.ts`);
      continue;
    }
    violations.push(...judgeText(house, { path, standing }));
    for (const one of imports) {
      const wrong = judge(house, { standing, one });
      if (wrong !== null) violations.push(`${path}:${one.line}: ${wrong}`);
      else if (one.target !== null) downward.push({ path, target: one.target });
    }
  }
  return [...violations, ...rings(house.modules), ...bothWays(downward)];
}

interface Arrow {
  readonly path: string;
  readonly target: string;
}

/** `import(` of anything but a literal: its target is unknown. */
const COMPUTED = /\bimport\((?!\s*["'`][^"'`$]*["'`]\s*[,)])/;
const LIB_REFERENCE = /^\/\/\/\s*<reference\s+lib=/;

/** Rejects imports that the module graph does not show. */
function judgeText(
  house: House,
  { path, standing }: { readonly path: string; readonly standing: Standing },
): readonly string[] {
  const find = (pattern: RegExp, wrong: string) =>
    (house.sources.get(path) ?? "").split("\n").flatMap((text, i) =>
      pattern.test(text) ? [`${path}:${i + 1}: ${wrong}`] : []
    );
  if (standing.floor >= SCRIPTS_FLOOR) return [];
  const computed = find(COMPUTED, "imports a computed name: expected a literal");
  if (standing.floor >= PUBLIC_FLOOR) return computed;
  return [
    ...computed,
    ...find(LIB_REFERENCE, "references a lib: lib/ has the libs of the web gate only"),
  ];
}

function judge(
  house: House,
  { standing, one }: { readonly standing: Standing; readonly one: Import },
): string | null {
  const { specifier, target } = one;
  if (target !== null) {
    if (!house.modules.has(target) && !target.endsWith(".json")) {
      return `imports ${specifier}: found no such file`;
    }
    const other = standingOf(target);
    return other === null ? null : judgeArrow(standing, other); // if null, the target itself is reported
  }
  if (specifier.startsWith("node:")) {
    return standing.floor < PUBLIC_FLOOR || standing.area === "mod.ts"
      ? `imports ${specifier}: runtime things come through lib/ports`
      : null;
  }
  if (/^[a-z]+:/.test(specifier)) return `imports ${specifier}: expected a bare npm name`;
  const name = packageName(specifier);
  // Bundled packages of a page are inside the package, so they are not dependencies of its users.
  const mayUseAll = standing.floor >= SCRIPTS_FLOOR ||
    ["lib/game-web", "lib/page"].includes(standing.area);
  if (house.dependencies.includes(name)) return null;
  if (mayUseAll && house.devDependencies.includes(name)) return null;
  return `imports ${name}: expected a package of ` +
    (mayUseAll ? "package.json" : "dependencies in package.json");
}

/** Returns a sentence for each cycle of files, starting from its alphabetically first member. */
function rings(modules: Modules): readonly string[] {
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      found.add(fromSmallest(trail.slice(at)).join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const { target } of modules.get(path) ?? []) {
      if (target !== null) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of modules.keys()) visit(path, []);
  return [...found].map((ring) => `files import each other in a ring: ${ring} → …`);
}

function fromSmallest(ring: readonly string[]): readonly string[] {
  const start = ring.indexOf(ring.toSorted()[0] ?? "");
  return [...ring.slice(start), ...ring.slice(0, start)];
}

/**
 * Returns a sentence for each two folders that import each other, with a file for either direction.
 */
function bothWays(arrows: readonly Arrow[]): readonly string[] {
  const first = new Map<string, string>();
  for (const { path, target } of arrows) {
    const [from, to] = [posix.dirname(path), posix.dirname(target)];
    if (from !== to) first.set(`${from} ${to}`, `${path} imports ${target}`);
  }
  return [...first].flatMap(([pair, there]) => {
    const [from = "", to = ""] = pair.split(" ");
    const back = first.get(`${to} ${from}`);
    return back === undefined || from > to
      ? []
      : [`${from} and ${to} import each other: ${there}, ${back}`];
  });
}
