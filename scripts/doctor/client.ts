import { PLUGIN, PLUGIN_KEY } from "./app.ts";
import type { Finding } from "./finding.ts";

/** A text of `lib/ota-client/check.ts`, which each copy of the client contains once. */
const OF_CLIENT = /no base manifest, no complete bundle/g;
/** Name and version in the client of the plugin's package; minifiers choose the quotes. */
const OF_PACKAGE = new RegExp(`${PLUGIN} (\\d[\\w.+-]*)["'\\x60]`, "g");
const OF_PLUGIN = new RegExp(PLUGIN_KEY, "g");
/** Length of the longest match. */
const MATCH_LENGTH = 100;
const SCRIPT = /\.(?:[cm]?js|html?)$/;

/** Searches the files of a bundle for update clients. */
export class ClientSearch {
  /** Whether a file names the plugin. */
  namesPlugin = false;
  /** Number of clients in the scripts. */
  clients = 0;
  /** Versions of the clients from the plugin's package. */
  readonly versions: Set<string> = new Set();

  /** Begins a file. @returns Searches its pieces, in their order. */
  in(path: string): (piece: Uint8Array) => void {
    const decoder = new TextDecoder("latin1");
    const isScript = SCRIPT.test(path);
    let tail = "";
    return (piece) => {
      const text = tail + decoder.decode(piece);
      const found = (pattern: RegExp) =>
        [...text.matchAll(pattern)].filter(({ index, 0: { length } }) =>
          index + length > tail.length
        );
      this.namesPlugin ||= found(OF_PLUGIN).length > 0;
      if (isScript) {
        this.clients += found(OF_CLIENT).length;
        for (const [, version = ""] of found(OF_PACKAGE)) this.versions.add(version);
      }
      tail = text.slice(-MATCH_LENGTH);
    };
  }
}

/** Checks that the game has one client, of the plugin's version. */
export function checkClient(
  { namesPlugin, clients, versions }: ClientSearch,
  { assets, sync, installed }: {
    readonly assets: string;
    /** The command that puts the game into the app. */
    readonly sync: string;
    /** The plugin's version; `null` when it is not installed. */
    readonly installed: string | null;
  },
): readonly Finding[] {
  const warning = (message: string, next: string): Finding => ({
    level: "warning",
    code: "client",
    where: assets,
    message,
    next,
  });
  if (!namesPlugin) {
    return [warning(
      `found ${PLUGIN_KEY} in none of its files, expected the game's JavaScript to look for ` +
        "updates and to confirm each launch",
      `Call checkAppOtaUpdate() of ${PLUGIN}/client before the game loads, and confirm() once it is up`,
    )];
  }
  const others = [...versions].filter((version) => installed !== null && version !== installed);
  return [
    ...(clients <= 1 ? [] : [warning(
      `its scripts hold ${clients} update clients, expected one`,
      `Import it from ${PLUGIN}/client everywhere, and from one installed copy of it`,
    )]),
    ...(others.length === 0 ? [] : [warning(
      `the game holds the client of ${PLUGIN} ${
        others.join(" and ")
      }, expected ${installed} as the plugin`,
      `Build the game again, embed its manifest, then ${sync}`,
    )]),
  ];
}
