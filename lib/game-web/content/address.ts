import { err, ok, type Result } from "../../core/result.ts";
import { GAME_FILE, namedPath } from "../../game/assets/mod.ts";

/** Files that names in a game's files may lead to. */
export interface Reachable {
  /** Paths of all files of the game. */
  readonly paths: ReadonlySet<string>;
  /** The folder that they lie below, as a URL that ends in `/`. */
  readonly base: string;
}

/**
 * The address of what a file of the game names: a file of the game, or bytes in the name itself
 * (`data:`). No URL parser sees the name, since our origin would request whatever it makes of it
 * (HTTP-13, decision 108).
 *
 * @param from The path of the file that names it.
 * @returns Why it is not loaded, as the rest of a sentence.
 */
export function addressOf(
  name: string,
  from: string,
  { paths, base }: Reachable,
): Result<string, string> {
  if (/^data:/i.test(name)) return ok(name);
  const path = namedPath(from, name);
  if (path !== null && paths.has(path)) return ok(urlOf(path, base));
  const shown = JSON.stringify(name.slice(0, 200));
  return err(
    `found the address ${shown}, expected a file that ${GAME_FILE} lists; ` +
      "put it beside the model, or export the model as GLB",
  );
}

/** The address of a file of the game. @param path One that {@linkcode GAME_FILE} lists. */
export function urlOf(path: string, base: string): string {
  return new URL(path.split("/").map(encodeURIComponent).join("/"), base).href;
}
