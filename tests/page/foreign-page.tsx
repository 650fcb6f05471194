// Attempts of a page of another origin, run in that page in Chromium by foreign-pages.test.ts. It has the types
// of pages, which no runtime's types include: hence the extension.

/** A way in: whether the page could read something, or saw that it worked. */
type Way = readonly [name: string, tried: () => Promise<boolean>];

const READ = ["/api/scene-state", "/api/changes", "/api/content/game.json", "/api/tools", "/"];
const TAGS = ["script", "img", "iframe", "object", "embed", "video", "link"];
const EDIT = JSON.stringify({ ops: [{ op: "create", name: "Intruder" }] });

/** Tries every way in which a page can reach another origin. @returns Those that worked. */
async function tryAll(target: string, silentMs: number): Promise<readonly string[]> {
  postForms(`${target}/api/scene-edit`);
  for (const path of [...READ, ...STARTING]) askByMarkup(target + path);
  askByScript(target);
  const ways = [
    ...READ.flatMap((path) => readingWays(path, target + path)),
    ...changingWays(`${target}/api/scene-edit`),
    ...runningWays(target),
    ...openingWays(target, silentMs / 2),
  ];
  const won = await Promise.all(ways.map(async ([name, tried]) => {
    const silent = new Promise<boolean>((end) => setTimeout(() => end(false), silentMs));
    const worked = await Promise.race([tried().catch(() => false), silent]);
    return worked ? [name] : [];
  }));
  return won.flat();
}

function readingWays(path: string, url: string): readonly Way[] {
  return [
    ...(["cors", "no-cors"] as const).map((mode): Way => [`fetch ${mode} ${path}`, async () => {
      const { type, ok } = await fetch(url, { mode, credentials: "include" });
      return type !== "opaque" && ok;
    }]),
    [`EventSource ${path}`, () => {
      const source = new EventSource(url, { withCredentials: true });
      return oneOf(source, "open");
    }],
    ...TAGS.map((tag): Way => [`<${tag}> ${path}`, () => embedded(tag, url)]),
  ];
}

async function embedded(tag: string, url: string): Promise<boolean> {
  const element = document.createElement(tag);
  if (tag === "link") element.setAttribute("rel", "stylesheet");
  element.setAttribute(tag === "object" ? "data" : tag === "link" ? "href" : "src", url);
  const loaded = oneOf(element, "load");
  document.body.append(element);
  if (!await loaded) return false;
  // In place of a page that is refused, browsers load one of their own.
  if (tag === "object" || tag === "embed") return false;
  return element instanceof HTMLIFrameElement ? element.contentDocument !== null : true;
}

/** Whether an event comes before an error does. */
function oneOf(from: EventTarget, name: string): Promise<boolean> {
  return new Promise((end) => {
    from.addEventListener(name, () => end(true));
    from.addEventListener("error", () => end(false));
  });
}

/** Paths that start work if a browser is let in. */
const STARTING = ["/api/build?target=web", "/api/toolchain/install?id=node"];

/** Every request that a document makes without a script: the service notes what it lets in. */
function askByMarkup(url: string): void {
  const hints = [
    "prefetch",
    "preload",
    "modulepreload",
    "prerender",
    "preconnect",
    "manifest",
    "icon",
  ];
  const host = document.createElement("div");
  host.innerHTML = [
    ...hints.map((rel) =>
      `<link rel="${rel}" as="${rel === "preload" ? "fetch" : "script"}" href="${url}">`
    ),
    `<link rel="preload" as="image" crossorigin="use-credentials" href="${url}">`,
    `<style>@import url("${url}"); @font-face { font-family: f; src: url("${url}") }</style>`,
    `<p style="font-family: f; background: url('${url}'); cursor: url('${url}'), auto; mask: url('${url}')">f</p>`,
    `<video poster="${url}"><track default src="${url}"></video><audio src="${url}" autoplay></audio>`,
    `<picture><source srcset="${url}"><img alt="" srcset="${url} 2x"></picture><input type="image" src="${url}" alt="">`,
    `<svg><image href="${url}"/><use href="${url}#x"/><filter><feImage href="${url}"/></filter></svg>`,
    `<iframe srcdoc='<meta http-equiv="refresh" content="0;url=${url}">'></iframe>`,
    `<iframe sandbox="allow-scripts" src="${url}"></iframe><iframe loading="lazy" credentialless src="${url}"></iframe>`,
    `<form id="asks" action="${url}" target="asked"></form><iframe name="asked"></iframe>`,
    `<a href="#" ping="${url}">ping</a>`,
  ].join("");
  document.body.append(host);
  host.querySelector("form")?.submit();
  host.querySelector("a")?.click();
  const module = document.createElement("script");
  [module.type, module.src] = ["module", url];
  document.head.append(module);
}

/** Requests that only a script can make, and of which it sees no answer. */
function askByScript(target: string): void {
  const urls = [...READ, ...STARTING].map((path) => target + path);
  for (const action of ["prefetch", "prerender"]) {
    const rules = document.createElement("script");
    rules.type = "speculationrules";
    rules.text = JSON.stringify({ [action]: [{ source: "list", urls, eagerness: "immediate" }] });
    document.head.append(rules);
  }
  for (const url of urls) {
    const started = [
      () => fetch(url, { mode: "no-cors", keepalive: true, credentials: "include" }),
      () => fetch(url, { mode: "no-cors", headers: { accept: "text/event-stream" } }),
      () => fetch(url, { method: "POST", mode: "no-cors", keepalive: true, body: EDIT }),
      () => new Worker(url, { type: "module" }),
      () => new SharedWorker(url),
      () => new WebTransport(url.replace("http:", "https:")).ready,
      () => document.createElement("img").setAttribute("src", url),
    ];
    for (const start of started) {
      Promise.resolve().then(start).catch(() => {}); // a refusal here is immediate
    }
  }
}

function changingWays(url: string): readonly Way[] {
  return ["text/plain", "application/json", "multipart/form-data"].map((type) => {
    const body = new Blob([EDIT], { type });
    navigator.sendBeacon(url, body); // its outcome is not visible
    return [`POST ${type}`, async () => {
      const answer = await fetch(url, {
        method: "POST",
        mode: "no-cors",
        credentials: "include",
        body,
      });
      return answer.type !== "opaque";
    }];
  });
}

/** Forms: they have only these encodings, and the name of a field can be JSON. */
function postForms(url: string): void {
  for (const enctype of ["text/plain", "application/x-www-form-urlencoded"]) {
    const frame = document.createElement("iframe");
    frame.name = enctype;
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", enctype, target: frame.name, action: url });
    const input = document.createElement("input");
    [input.name, input.value] = [`${EDIT.slice(0, -1)},"pad":"`, '"}'];
    form.append(input);
    document.body.append(frame, form);
    form.submit();
  }
}

function runningWays(target: string): readonly Way[] {
  const script = `${target}/api/tools`;
  return [
    ["WebSocket", () => {
      const socket = new WebSocket(`${target.replace("http", "ws")}/api/changes`);
      return oneOf(socket, "open");
    }],
    ["Worker", async () => await oneOf(new Worker(script), "message")],
    ["service worker", async () => {
      await navigator.serviceWorker.register(script); // missing for names of other machines
      return true;
    }],
    ["import()", () => import(script).then(() => true)],
  ];
}

/** Windows that this page opens there. */
function openingWays(target: string, loadMs: number): readonly Way[] {
  const paths = ["/", "/api/scene-state", "/api/build?target=web", "/render/"];
  return paths.map((path) => {
    const other = open(target + path);
    return [`window.open ${path}`, async () => {
      await new Promise((end) => setTimeout(end, loadMs));
      if (other === null || other.location.href === "about:blank") return false; // throws for another origin
      return other.document.body.childElementCount > 0;
    }];
  });
}

/** Runs files of a project on the origin that serves them. @returns What worked. */
async function runAll(names: readonly string[]): Promise<readonly string[]> {
  const worked: string[] = [];
  for (const name of names) {
    const address = `/api/content/assets/${name}`;
    const found = await fetch(address);
    if (!found.ok) worked.push(`${name} is not there`);
    await import(address).then(() => worked.push(`import ${name}`), () => {});
    await navigator.serviceWorker.register(address)
      .then(() => worked.push(`service worker ${name}`), () => {});
    await new Promise<void>((end) => {
      const frame = document.createElement("iframe");
      frame.src = address;
      frame.onload = () => end();
      document.body.append(frame);
      setTimeout(end, 500); // what is downloaded never loads
    });
  }
  return worked;
}

Object.assign(globalThis, { tryAll, runAll });
