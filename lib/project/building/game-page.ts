import { DEFAULT_VIEWPORT } from "../../game/assets/mod.ts";
import type { ProjectConfig } from "../config/config.ts";
import type { GameIcon } from "../icons/icons.ts";

// The files of a built game that are made of its settings alone. Nothing in them is absolute: a game
// works from wherever it lies. What is seen of them before the game is at the level of ES2020's engines.

/** The script of the service worker, beside the page: its place says what it answers for. */
export const OFFLINE_FILE = "offline.js";

/** The script that speaks where no other of the page can be read, beside the page. */
export const TOO_OLD_FILE = "too-old.js";

/** Message to a player whose engine is too old (decision 110). */
const TOO_OLD = "This game needs iOS 15 or newer, or Chrome 94 or newer. " +
  "Update your system or browser, then open the game again.";

/** The settings that the page of a game follows from. */
export type PageConfig = Pick<ProjectConfig, "name" | "ota" | "devices" | "viewport">;

/** How a screen is held that a game is made for; `any` where it is as high as wide. */
function orientationOf(
  { viewport: { width, height } = DEFAULT_VIEWPORT }: PageConfig,
): "landscape" | "portrait" | "any" {
  if (width === height) return "any";
  return width > height ? "landscape" : "portrait";
}

/** The page. @param parts The paths of the runtime's scripts, and the icons. */
export function indexHtml(
  config: PageConfig,
  { entry, game, bridge, icons }: {
    /** The script that runs first. */
    readonly entry: string;
    /** The script of the game, which that one loads. */
    readonly game: string;
    /** The script that lets an editor see and touch the game; absent where none may. */
    readonly bridge?: string | undefined;
    readonly icons: readonly GameIcon[];
  },
): string {
  const { name, devices } = config;
  const title = escapeHtml(name);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeHtml(policyOf(config))}">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="theme-color" content="#000000">
    <title>${title}</title>
${iconLinks(icons)}
    <link rel="manifest" href="./manifest.webmanifest">
    <link rel="stylesheet" href="./page.css">
    <script src="./${TOO_OLD_FILE}"></script>
    <link rel="modulepreload" href="./${game}">
    <script type="module" src="./${entry}"></script>
${bridgeTags(devices, bridge)}  </head>
  <body>
    <div id="notice" role="status" data-too-old="${TOO_OLD}">
      <h1>${title}</h1>
      <progress aria-label="Loading" max="1"></progress>
      <p>Loading</p>
    </div>
${turnHint(config)}    <noscript>This game needs JavaScript.</noscript>
  </body>
</html>
`;
}

/** Said for a while on phones that are held in another way: the game is small there, and played all the same. */
function turnHint(config: PageConfig): string {
  const orientation = orientationOf(config);
  if (orientation === "any") return "";
  return `    <p id="turn" class="${orientation}">Turn your device</p>\n`;
}

function bridgeTags(devices: PageConfig["devices"], script: string | undefined): string {
  if (devices === undefined || script === undefined) return "";
  return `    <meta name="slipway-device-bridge" content="${escapeHtml(devices.bridge)}">
    <script type="module" src="./${script}"></script>
`;
}

/** An icon has a size where it has pixels. */
function iconLinks(icons: readonly GameIcon[]): string {
  return icons.flatMap(({ path, type, sizes, uses }) => [
    ...(uses.includes("page")
      ? [`    <link rel="icon" href="./${path}" type="${type}" sizes="${sizes}">`]
      : []),
    ...(uses.includes("apple")
      ? [`    <link rel="apple-touch-icon" href="./${path}" sizes="${sizes}">`]
      : []),
  ]).join("\n");
}

/**
 * Content security policy of the page. It allows files next to the page, blobs that the runtime creates
 * (pictures of models), WebAssembly from the scripts, and updates from where they are published.
 */
function policyOf({ ota, devices }: Omit<PageConfig, "name">): string {
  const updates = ota?.enabled === true ? ` ${new URL(ota.baseUrl).origin}` : "";
  return [
    // Of the manifest, too: WebKit knows no rule of its own for it, and complains of one.
    "default-src 'self'",
    "frame-src 'none'",
    "object-src 'none'",
    // A paired editor evaluates what it is asked to; no player has such a build.
    `script-src 'self' 'wasm-unsafe-eval'${devices === undefined ? "" : " 'unsafe-eval'"}`,
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    `connect-src 'self' blob: data:${updates}${devices === undefined ? "" : ` ${devices.bridge}`}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** How the page looks: the game within the safe area of the screen, a notice over it. */
export const PAGE_CSS: string = `html,
body {
  margin: 0;
  height: 100%;
  overflow: hidden;
  background: #000;
  color: #fff;
  font-family: system-ui, sans-serif;
  -webkit-user-select: none;
  user-select: none;
}
#game {
  position: fixed;
  inset: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom)
    env(safe-area-inset-left);
  overflow: hidden;
  touch-action: none;
}
#game > canvas {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
}
#notice {
  position: fixed;
  top: 0;
  right: 0;
  bottom: 0;
  left: 0;
  z-index: 1;
  display: flex;
  flex-direction: column;
  gap: 1rem;
  align-items: center;
  justify-content: center;
  padding: 2rem;
  background: #0b1622;
  text-align: center;
}
#notice[hidden] {
  display: none;
}
#turn {
  display: none;
  position: fixed;
  top: 50%;
  left: 50%;
  transform: translate(-50%, -50%);
  margin: 0;
  padding: 0.5rem 1rem;
  border-radius: 1rem;
  background: #0b1622;
  pointer-events: none;
  animation: turn 1s 6s forwards;
}
@keyframes turn {
  to {
    opacity: 0;
  }
}
@media (pointer: coarse) and (orientation: portrait) {
  #notice[hidden] ~ #turn.landscape {
    display: block;
  }
}
@media (pointer: coarse) and (orientation: landscape) {
  #notice[hidden] ~ #turn.portrait {
    display: block;
  }
}
#notice progress {
  width: min(20rem, 60vw);
}
#notice progress[hidden] {
  display: none;
}
#notice button {
  padding: 0.75rem 2rem;
  font: inherit;
}
`;

/**
 * The script in ES5, which every engine reads. When the page is loaded and its first script has not
 * started, either that did not arrive or the engine cannot read it.
 */
export const TOO_OLD_SCRIPT: string = `(function () {
  var isMissing = false;
  document.addEventListener("error", function (event) {
    if (event.target && event.target.nodeName === "SCRIPT") isMissing = true;
  }, true);
  window.addEventListener("load", function () {
    var notice = document.getElementById("notice");
    if (!notice || notice.hasAttribute("data-started")) return;
    notice.getElementsByTagName("p")[0].textContent = isMissing
      ? "The game could not be loaded. Check the connection, then open it again."
      : notice.getAttribute("data-too-old");
    notice.getElementsByTagName("progress")[0].setAttribute("hidden", "");
  });
})();
`;

/** Web app manifest, for the phone's home screen. */
export function webManifest(config: PageConfig, icons: readonly GameIcon[]): string {
  const { name } = config;
  const manifest = {
    name,
    short_name: [...name].slice(0, 12).join("").trim(),
    start_url: "./",
    scope: "./",
    display: "fullscreen",
    orientation: orientationOf(config),
    background_color: "#0b1622",
    theme_color: "#000000",
    icons: icons.flatMap(({ path, sizes, type, uses }) =>
      (["any", "maskable"] as const)
        .filter((use) => uses.includes(use))
        .map((purpose) => ({ src: `./${path}`, sizes, type, purpose }))
    ),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/**
 * The service worker: keeps every file of the game, and answers with what it keeps where the network
 * does not. The network goes first, so that what is newer is never hidden.
 *
 * @param version Follows from the bytes of all files.
 */
export function offlineScript(paths: readonly string[], version: string): string {
  return `const FILES = ${JSON.stringify(["./", ...paths.map(urlPath)], null, 1)};
const OWN = "game " + registration.scope + " ";
const CACHE = OWN + ${JSON.stringify(version)};
addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});
async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(OWN) && name !== CACHE) await caches.delete(name);
  }
  await clients.claim();
}
addEventListener("activate", (event) => event.waitUntil(takeOver()));
async function kept(request) {
  const cache = await caches.open(CACHE);
  return await cache.match(request, { ignoreSearch: true }) ?? Response.error();
}
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(fetch(request).catch(() => kept(request)));
});
`;
}

function urlPath(path: string): string {
  return `./${path.split("/").map(encodeURIComponent).join("/")}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
