import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheEntry, shortHash } from "../../scripts/gate/cache-entry.ts";
import { findChromium } from "./web-views.ts";

// The picture that three.js' own loader makes of a model. It depends on the model, the view, the page and
// the browser, and on no code of Slipway. So it is drawn once and kept in the user's cache, which saves
// nearly half the cost of comparing a model.

/** The page that draws, with three.js in it. */
const PAGE = ["tests/engines/picture-page.js", "package-lock.json"];

/**
 * The file with the picture of a model, which is drawn if none is kept.
 *
 * @param seen The view: the arguments of `drawByLoader`, without the model's address.
 * @param draw Draws the picture. @returns A PNG, in base64.
 */
export async function pictureByLoader(
  model: string,
  seen: unknown,
  draw: () => Promise<unknown>,
): Promise<string> {
  const hashes = [model, ...PAGE].map((path) =>
    createHash("sha256").update(readFileSync(path)).digest("hex")
  );
  const [browser] = findChromium().answer;
  const folder = await cacheEntry({
    name: `model-picture-${shortHash(JSON.stringify([hashes, browser, seen]))}`,
    make: async (fresh) => {
      writeFileSync(join(fresh, NAME), Buffer.from(String(await draw()), "base64"));
    },
  });
  return join(folder, NAME);
}

const NAME = "picture.png";
