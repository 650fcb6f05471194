import { Complaints } from "../../lib/core/shape.ts";
import { decodeKey } from "../../lib/ota-format/mod.ts";
import { readOta } from "../../lib/project/config/mod.ts";
import { type App, member, PLUGIN_KEY, readConfig } from "./app.ts";
import type { Finding } from "./finding.ts";

/** Checks the `ota` block, which the game's JavaScript reads, if there is a project.config.json. */
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

interface Setting {
  isValid(value: unknown): boolean;
  readonly expected: string;
}

/** The settings of the plugin. */
const SETTINGS = {
  publicKey: {
    isValid: (value) => typeof value === "string" && decodeKey(value) !== null,
    expected: "32 bytes in base64url without padding",
  },
  metered: {
    isValid: (value) => value === "allow" || value === "refuse",
    expected: '"allow" or "refuse"',
  },
  backOnTrial: { isValid: (value) => typeof value === "boolean", expected: "true or false" },
  bundleName: { isValid: (value) => typeof value === "string", expected: "the bundle's name" },
} satisfies Readonly<Record<string, Setting>>;

/** Checks the configuration that `cap sync` wrote, which the phone reads. */
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
  const settings = complaints.record(at, own, Object.keys(SETTINGS)) ?? {};
  for (const [name, { isValid, expected }] of Object.entries(SETTINGS)) {
    const found = settings[name];
    if (found === undefined || isValid(found)) continue;
    complaints.expected(`${at}.${name}`, found, expected);
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
  const key = settings["publicKey"];
  if (SETTINGS.publicKey.isValid(key) && publicKey !== undefined && key !== publicKey) {
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

/** Recommends settings that most apps should have but this one does not. */
export async function checkRecommended(app: App): Promise<readonly Finding[]> {
  const config = await readConfig(app);
  const ota = member(await app.json("project.config.json"), "ota");
  if (config === null || (ota !== undefined && member(ota, "enabled") !== true)) return [];
  const lacking = (setting: keyof typeof SETTINGS, expected: string, without: string): Finding[] =>
    member(config, "plugins", PLUGIN_KEY, setting) !== undefined ? [] : [{
      level: "warning",
      code: "recommended",
      where: "capacitor.config",
      message: `plugins.${PLUGIN_KEY}.${setting} is not set, expected ${expected}: ${without}`,
      next: `Set it${setting === "backOnTrial" ? ", to false where that is meant" : ""}, ` +
        "then npx cap sync",
    }];
  return [
    ...lacking(
      "publicKey",
      "the project's key",
      "without it a script in the page can stage what nobody signed",
    ),
    ...lacking(
      "backOnTrial",
      "true",
      "without it a version that stops starting after its trial stays",
    ),
  ];
}
