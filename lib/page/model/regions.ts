// The regions of the page between which the keyboard moves.

/** In keyboard order; each is an element of the shell. */
const REGIONS = [".toolbar", ".hierarchy", ".viewport", ".inspector", ".bottom"];
const FOCUSABLE = [
  '[role="tab"][aria-selected="true"]',
  'button:not(:disabled):not([tabindex="-1"])',
  "input:not(:disabled)",
  "select:not(:disabled)",
  '[tabindex="0"]',
].join(",");

/** Moves the focus to the next part of the page, or to the one before. */
export function goToRegion(by: 1 | -1): void {
  const regions = REGIONS.flatMap((selector) => {
    const found = document.querySelector(selector);
    return found === null ? [] : [found];
  });
  const now = regions.findIndex((region) => region.contains(document.activeElement));
  const start = now < 0 ? (by > 0 ? -1 : regions.length) : now;
  for (let n = 1; n <= regions.length; n++) {
    const region = regions[(start + by * n + regions.length * 2) % regions.length];
    const takesKeys = region instanceof HTMLElement && region.tabIndex >= 0;
    const target = takesKeys ? region : region?.querySelector(FOCUSABLE) ?? region;
    if (target instanceof HTMLElement) {
      target.focus();
      if (region?.contains(document.activeElement)) return;
    }
  }
}

/** Moves the keyboard focus to the picture. */
export function focusOnPicture(): void {
  const picture = document.querySelector(".viewport");
  if (picture instanceof HTMLElement) picture.focus({ preventScroll: true });
}
