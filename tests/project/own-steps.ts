import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PUT = `import { cpSync } from "node:fs";
cpSync("dist", "android/app/src/main/assets/public", { recursive: true });
`;

/**
 * Gives a copy of the sample an app without Capacitor: a script of its own puts the web build into it,
 * and `android/gradlew` is for the test to write.
 */
export function writeOwnSteps(root: string): void {
  const path = join(root, "project.config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  const steps = [["node", "put.mjs"], ["./android/gradlew", "-p", "android", "assembleRelease"]];
  config.build.android = { steps };
  writeFileSync(path, JSON.stringify(config));
  writeFileSync(join(root, "put.mjs"), PUT);
}
