import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheEntry, shortHash } from "../../scripts/gate/cache-entry.ts";
import { findChromium } from "./web-views.ts";

// What three.js' own loader draws of a model: it follows from the model, from how it is seen, from the
// page and the browser, and from nothing of Slipway. So it is drawn once and kept in the user's cache:
// that is nearly half of what it costs to compare a model.

/** The page that draws, with three.js in it. */
const PAGE = ["tests/engines/picture-page.js", "package-lock.json"];

/**
 * The file of the picture of a model, drawn where none is kept.
 *
 * @param seen How it is seen: the arguments of `drawByLoader`, without where the page reads the model.
 * @param draw Draws it. @returns A PNG, in base64.
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
