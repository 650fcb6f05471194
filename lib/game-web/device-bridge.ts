import { startBridge } from "../device-bridge/mod.ts";

// Runs next to a game in builds for developers: lets an editor see and touch it.

const editor = document.querySelector<HTMLMetaElement>("meta[name=slipway-device-bridge]")?.content;
if (editor !== undefined) {
  startBridge({
    editor,
    name: document.title,
    draw: (look) => globalThis.slipwayGame?.seen(look) ?? nextFrame(look),
  });
}

/** Calls `look` in the next frame: for a page whose game does not draw yet. */
function nextFrame(look: () => void): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      look();
      resolve();
    });
  });
}
