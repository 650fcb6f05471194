// Puts the web build where the app of a platform serves it from: `node native.mjs android` or `ios`.
// In a build of that platform it has ota-embedded-manifest.json, by which the app knows its files.
import { cpSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PUBLIC = { android: "android/app/src/main/assets/public", ios: "ios/App/App/public" };

const here = dirname(fileURLToPath(import.meta.url));
const platform = process.argv[2];
const target = PUBLIC[platform];
if (target === undefined) {
  console.error(`Cannot prepare ${JSON.stringify(platform)}: expected android or ios`);
  process.exit(2);
}
if (!existsSync(join(here, platform))) {
  console.error(
    `Cannot prepare the ${platform} app: this project has no folder ${platform}/ yet.\n` +
      `Create the app's project there, with its web files in ${target}, and build again.`,
  );
  process.exit(1);
}
if (!existsSync(join(here, "dist/ota-embedded-manifest.json"))) {
  console.warn(
    `dist/ has no ota-embedded-manifest.json: the app's first update loads every file.\n` +
      `'npx slipway build ${platform}' writes it, and runs this step.`,
  );
}
rmSync(join(here, target), { recursive: true, force: true });
cpSync(join(here, "dist"), join(here, target), { recursive: true });
console.log(`Put dist/ into ${target}/`);
