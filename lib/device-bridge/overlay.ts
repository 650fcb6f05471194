import type { Document, Element } from "./page.ts";

declare const document: Document;

const LOOK = "position:fixed;left:50%;top:12%;transform:translateX(-50%);z-index:2147483647;" +
  "padding:12px 20px;border-radius:12px;background:#0b1622;color:#fff;pointer-events:none;" +
  "font:600 28px/1.3 ui-monospace,monospace;text-align:center;white-space:pre";

/** Shows codes in a small box over the page. @returns Shows one, or hides it. */
export function showCodeOver(): (code: string | null) => void {
  let box: Element | null = null;
  return (code) => {
    if (code === null) {
      box?.remove();
      box = null;
      return;
    }
    if (box === null) {
      box = document.createElement("div");
      box.setAttribute("role", "status");
      box.style.cssText = LOOK;
      document.body?.append(box);
    }
    box.textContent = code;
  };
}
