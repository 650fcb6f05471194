import { test } from "node:test";
import { handModels } from "../editor/hand-models.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { compareWithLoader } from "./compare-models.ts";
import { openChromium } from "./web-views.ts";

const { skip, open } = openChromium({ webgl: true });

// About a second per model: half to import and load it, half to draw it in software. The picture by
// three.js' own loader is kept (loader-pictures.ts).
test(
  "84 real models are drawn as three.js' own loader has them drawn",
  { skip },
  async () => compareWithLoader(open, [...PROFILE_MODELS, ...(await handModels()).paths]),
);
