import { Complaints } from "../../lib/core/shape.ts";
import { decodeKey } from "../../lib/ota-format/mod.ts";
import { readOta } from "../../lib/project/config/mod.ts";
import { type App, member, PLUGIN_KEY } from "./app.ts";
import type { Finding } from "./finding.ts";

/** What the game's JavaScript is told: the `ota` block, where the app has a project.config.json. */
export async function checkProject(app: App): Promise<readonly Finding[]> {
  const where = "project.config.json";
  const ota = member(await app.json(where), "ota");
  if (ota === undefined) return [];
  const complaints = new Complaints();
  const read = readOta(ota, complaints);
  const findings = complaints.sentences().map((message): Finding => ({
    level: "error",
    code: "configuration",
    where,
    message,
    next: "Correct it, then build the game again",
  }));
  if (read?.enabled !== false) return findings;
  return [...findings, {
    level: "warning",
    code: "configuration",
    where,
    message: "ota.enabled is not true, expected it: no update is looked for",
    next: "Set it once the other settings are known, then build the game again",
  }];
}

/** What the phone is told: the configuration that `cap sync` wrote. */
export function* checkConfiguration(
  config: Readonly<Record<string, unknown>>,
  where: string,
  { publicKey }: { readonly publicKey: unknown },
): Iterable<Finding> {
  const url = member(config, "server", "url");
  if (url !== undefined) {
    yield {
      level: "error",
      code: "live-reload",
      where,
      message: `server.url is ${
        JSON.stringify(url)
      }, expected none: a server decides what is shown`,
      next: "Take server.url out of capacitor.config before a release",
    };
  }
  const own = member(config, "plugins", PLUGIN_KEY);
  if (own === undefined) return;
  const at = `plugins.${PLUGIN_KEY}`;
  const complaints = new Complaints();
  const { metered, publicKey: key } =
    complaints.record(at, own, ["publicKey", "metered", "bundleName"]) ?? {};
  if (metered !== undefined && metered !== "allow" && metered !== "refuse") {
    complaints.expected(`${at}.metered`, metered, '"allow" or "refuse"');
  }
  const isKey = typeof key === "string" && decodeKey(key) !== null;
  if (key !== undefined && !isKey) {
    complaints.expected(`${at}.publicKey`, key, "32 bytes in base64url without padding");
  }
  for (const message of complaints.sentences()) {
    yield {
      level: "error",
      code: "configuration",
      where,
      message,
      next: "Correct it in capacitor.config, then npx cap sync",
    };
  }
  if (isKey && publicKey !== undefined && key !== publicKey) {
    yield {
      level: "error",
      code: "public-key",
      where,
      message: `${at}.publicKey is ${JSON.stringify(key)}, ` +
        `expected the project's ${JSON.stringify(publicKey)}`,
      next: "Correct it in capacitor.config, then npx cap sync: every update would be refused",
    };
  }
}
