import { err, ok, type Result } from "../../core/result.ts";
import { GAME_FILE, namedPath } from "../../game/assets/mod.ts";

/** Files that names in a game's files may lead to. */
export interface Reachable {
  /** Paths of all files of the game. */
  readonly paths: ReadonlySet<string>;
  /** The folder of the game's files, as a URL that ends in `/`. */
  readonly base: string;
}

/**
 * Returns the address of a file that a file of the game references, or of bytes in the name itself
 * (`data:`). The name is not passed to a URL parser, because this origin would request any URL that
 * it might become (HTTP-13, decision 108).
 *
 * @param from The path of the referencing file.
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
      "put it next to the model, or export the model as GLB",
  );
}

/** Returns the address of a file of the game. @param path Listed in {@linkcode GAME_FILE}. */
export function urlOf(path: string, base: string): string {
  return new URL(path.split("/").map(encodeURIComponent).join("/"), base).href;
}
