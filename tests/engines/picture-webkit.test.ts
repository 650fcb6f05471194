import { test } from "node:test";
import { assertDrawnBoxes } from "./drawn-boxes.ts";
import { openWebKit } from "./web-views.ts";

const { skip, open } = openWebKit();

test(
  "a picture draws things where the layout says that they are, in WebKit too",
  { skip },
  () => assertDrawnBoxes(open),
);
