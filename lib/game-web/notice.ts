import type { Notice } from "./updates.ts";

/**
 * Returns the notice of the page. Its elements are in the page's HTML, so that it is visible
 * immediately.
 */
export function findNotice(page: Document): Notice {
  const box = page.getElementById("notice");
  const words = box?.querySelector("p");
  const bar = box?.querySelector("progress");
  const show = (text: string) => {
    if (box === null || words === null || words === undefined) return;
    box.hidden = false;
    words.textContent = text;
  };
  return {
    wait(text, done = null) {
      show(text);
      if (bar === null || bar === undefined) return;
      bar.hidden = false;
      if (done === null) bar.removeAttribute("value");
      else bar.value = done;
    },
    say(text, restart) {
      show(text);
      if (bar !== null && bar !== undefined) bar.hidden = true;
      if (restart === undefined || box === null || box.querySelector("button") !== null) return;
      const button = page.createElement("button");
      button.textContent = "Restart";
      button.onclick = restart;
      box.append(button);
    },
    hide() {
      if (box !== null) box.hidden = true;
    },
  };
}
