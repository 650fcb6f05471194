import { test } from "node:test";
import { assertDrawnBoxes } from "../engines/drawn-boxes.ts";
import { openChromium } from "../engines/web-views.ts";

const { skip, open } = openChromium({ webgl: true });

test(
  "a picture draws things where the layout says that they are",
  { skip },
  () => assertDrawnBoxes(open),
);
