/** What is said to the player where the game cannot be seen: over everything, in one sentence. */
export interface Notice {
  /** @param done Share of what is waited for, 0 to 1; `null` where it is not known. */
  wait(text: string, done?: number | null): void;
  /**
   * Says what the player can do; nothing follows it.
   *
   * @param restart Does so for them, by a button.
   */
  say(text: string, restart?: () => void): void;
  hide(): void;
}

/** The notice of the page: its elements are in the page from the beginning, so that it is seen at once. */
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
