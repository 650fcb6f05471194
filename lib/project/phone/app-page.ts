import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";

// Scripts that the simulated phone's app puts into the page of its web view.

/** The folder of the page's requests to its app, below the address of its launch. */
export const BRIDGE_FOLDER = ".phone";
/** The header that marks an answer as a failed request. */
export const NO_NETWORK = "x-phone-network";
/** The header with the address of an answer, after all redirects. */
export const ANSWERED_BY = "x-phone-answered-by";

/**
 * Returns the part of Capacitor's bridge that the runtime of a game uses, with the device behind
 * the page's own server. Like Capacitor's own, it reports the page's console to the app, and lets
 * the app fetch addresses below the base URL.
 *
 * @param isBroken Makes this start fail: the page gets none of its files.
 */
export function bridgeScript(
  baseUrl: string,
  { isBroken }: { readonly isBroken: boolean },
): string {
  return `const load = globalThis.fetch.bind(globalThis);
const ask = async (method, request) => {
  const answer = await load("./${BRIDGE_FOLDER}/native", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ method, request: request ?? null }),
  });
  const { value, error } = await answer.json();
  if (error !== undefined) throw new Error(error);
  return value;
};
const BASE = ${JSON.stringify(`${baseUrl.replace(/\/+$/, "")}/`)};
globalThis.fetch = async (asked, init) => {
  const url = typeof asked === "string" ? asked : asked instanceof URL ? asked.href : null;
  if (url === null || !url.startsWith(BASE)) {
    ${
    isBroken ? 'throw new TypeError("This start was broken by hand");' : "return load(asked, init);"
  }
  }
  const { method, signal } = init ?? {};
  const from = "./${BRIDGE_FOLDER}/network?url=" + encodeURIComponent(url);
  const answer = await load(from, { method, signal, cache: "no-store" });
  if (answer.headers.has("${NO_NETWORK}")) throw new TypeError("The phone has no network");
  // The answer shows its real address: the client refuses one that was redirected to plain http.
  return Object.defineProperty(answer, "url", { value: answer.headers.get("${ANSWERED_BY}") ?? url });
};
globalThis.Capacitor = {
  PluginHeaders: [{ name: "SlipwayOta" }],
  nativePromise: (plugin, method, request) => ask(method, request),
  addListener: () => ({ remove: () => Promise.resolve() }),
};
const textOf = (said) => {
  try {
    return typeof said === "string" ? said : JSON.stringify(said) ?? String(said);
  } catch {
    return "something that has no text";
  }
};
const tell = (level, said) =>
  ask("console", { level, said: said.slice(0, 8).map((one) => textOf(one).slice(0, 4096)) })
    .catch(() => undefined);
for (const level of ["info", "error"]) {
  const write = console[level].bind(console);
  console[level] = (...said) => {
    write(...said);
    tell(level, said);
  };
}
addEventListener("error", ({ message }) => tell("error", [message]));
addEventListener("unhandledrejection", ({ reason }) => tell("error", [reason instanceof Error ? String(reason) : reason]));
`;
}

/** The page of a game, with the bridge before its first script. */
export function withBridge(page: Uint8Array): Uint8Array<ArrayBuffer> {
  const bridge = `<script src="./${BRIDGE_FOLDER}/bridge.js"></script>`;
  return encodeUtf8((decodeUtf8(page) ?? "").replace("<script", `${bridge}<script`));
}

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
};

/** The media type of a file of a game. */
export function mediaTypeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}
