import { test } from "node:test";
import { handModels } from "../editor/hand-models.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { compareWithLoader } from "../engines/compare-models.ts";
import { openChromium } from "../engines/web-views.ts";

const { skip, open } = openChromium({ webgl: true });

test("a few real models are drawn as three.js' own loader has them drawn", { skip }, async () => {
  const [first = "", last = ""] = [PROFILE_MODELS[0], PROFILE_MODELS.at(-1)];
  // A skinned hand, below a mirrored parent.
  await compareWithLoader(open, [first, last, ...handModels().paths.slice(0, 1)]);
});

test("a skinned hand bends as three.js' own animation bends it", { skip }, async () => {
  await compareWithLoader(open, handModels().paths.slice(0, 1), 10);
});
