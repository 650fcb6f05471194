import { startBridge } from "../device-bridge/mod.ts";

// Beside a game in builds that no player gets: lets an editor see and touch it.

const editor = document.querySelector<HTMLMetaElement>("meta[name=slipway-device-bridge]")?.content;
if (editor !== undefined) {
  startBridge({
    editor,
    name: document.title,
    draw: (look) => globalThis.slipwayGame?.seen(look) ?? nextFrame(look),
  });
}

/** What is on the page before the game draws: nothing, mostly. */
function nextFrame(look: () => void): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      look();
      resolve();
    });
  });
}
