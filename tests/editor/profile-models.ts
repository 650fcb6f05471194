import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Real models that nobody here made: the controllers and hands of WebXR input profiles. */
export const PROFILE_MODELS: readonly string[] = modelsBelow(
  "node_modules/@webxr-input-profiles/assets/dist/profiles",
);

function modelsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".glb"))
    .sort()
    .map((path) => join(folder, path));
}
