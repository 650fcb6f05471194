// The page that shows the demo: the app's screen in a frame, and the story. Its script contacts
// only its own server.

/** The page. @param phone The address of the app's web view. */
export function showHtml(phone: string): string {
  const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    `img-src data:; frame-src ${phone}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en" data-phone="${phone}/">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Slipway: an update reaches a phone</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="./show.css">
    <script type="module" src="./show.js"></script>
  </head>
  <body>
    <header>
      <h1>An update reaches a phone</h1>
      <ol id="versions" aria-label="Versions"></ol>
    </header>
    <main>
      <section id="phone" aria-label="The phone">
        <div id="screen"><p>The app is installed. Open it.</p></div>
      </section>
      <section id="told" aria-label="What happened">
        <div id="controls">
          <button id="next" type="button">…</button>
          <label><input id="auto" type="checkbox"> play by itself</label>
        </div>
        <p id="hint">The game can be played. <kbd>N</kbd> goes on with the story.</p>
        <p id="failure" role="alert" hidden></p>
        <ol id="entries" aria-live="polite"></ol>
      </section>
    </main>
  </body>
</html>
`;
}

/** Script of the page. It shows its server's reports, and only sends the request to continue. */
export const SHOW_SCRIPT = `const find = (id) => document.getElementById(id);
const [next, auto, screen] = [find("next"), find("auto"), find("screen")];
/** How long there is to read before the next step comes by itself, in milliseconds. */
const READ_MS = 4000;
let view = null;
let timer = 0;
let launches = 0;

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function goOn() {
  if (view === null || view.isBusy || view.next === null) return;
  clearTimeout(timer);
  const at = view.entries.length;
  fetch("./next", { method: "POST", body: JSON.stringify({ at }) }).catch(() => undefined);
}

function openApp() {
  const frame = document.createElement("iframe");
  frame.title = "The game";
  frame.allow = "autoplay; gamepad";
  frame.src = document.documentElement.dataset.phone + "?launch=" + view.launches;
  screen.replaceChildren(frame);
}

function show(shown) {
  view = shown;
  const { versions, entries, isBusy, failure } = view;
  find("versions").replaceChildren(...versions.map(({ name, state, mood, isServed }) => {
    const version = element("li", "", mood + (isServed ? " served" : ""));
    version.append(element("b", name), element("span", state));
    if (isServed) version.append(element("i", "on the phone"));
    return version;
  }));
  const told = find("entries");
  for (const [i, { by, title, lines }] of entries.entries()) {
    if (i < told.children.length) continue;
    const entry = element("li", "", by);
    entry.append(element("h2", title), ...lines.map((line) => element("p", line)));
    told.prepend(entry);
    told.scrollTop = 0;
  }
  if (launches !== view.launches) {
    launches = view.launches;
    openApp();
  }
  const isEnd = view.next === null;
  next.textContent = failure !== null ? "Ended" : isEnd ? "That is the story" : view.next;
  next.disabled = isBusy || isEnd;
  next.classList.toggle("busy", isBusy);
  find("failure").hidden = failure === null;
  find("failure").textContent = failure === null ? "" : failure.message + ". " + (failure.next ?? "");
  plan();
}

function plan() {
  clearTimeout(timer);
  if (auto.checked && view !== null && !view.isBusy) timer = setTimeout(goOn, READ_MS);
}

next.addEventListener("click", goOn);
auto.addEventListener("change", plan);
addEventListener("keydown", ({ code, ctrlKey, metaKey, repeat }) => {
  if (code === "KeyN" && !ctrlKey && !metaKey && !repeat) goOn();
});
const story = new EventSource("./story");
story.addEventListener("message", ({ data }) => show(JSON.parse(data)));
story.addEventListener("error", () => {
  next.disabled = true;
  next.textContent = "The demo was ended";
});
`;
