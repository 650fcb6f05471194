// Stands before the scripts of a page that is measured: how long it takes to its first frame, and how
// long the main thread is busy with each frame. Both pages that are compared ask for their first frame
// once everything is drawn, and for the next one at the end of each.

const address = new URL(document.currentScript.src).searchParams;
const FRAMES = Number(address.get("frames"));
/** Frames before which nothing is counted: what is compiled late. */
const WARM = Number(address.get("warm"));
const THUMBNAIL = 16;

const nextFrame = globalThis.requestAnimationFrame.bind(globalThis);
const busyMs = [];
let startMs = null;
let thumbnail = [];
let made = 0;
let began = 0;
let time = 0;

globalThis.requestAnimationFrame = (callback) => {
  const now = performance.now();
  if (startMs === null) {
    thumbnail = drawnNow();
    startMs = performance.now();
    time = now;
  } else if (++made > WARM) busyMs.push(now - began);
  if (busyMs.length === FRAMES) {
    void report();
    return 0;
  }
  return nextFrame(() => {
    // Sixty frames a second, however many this machine draws: so that each has one step to make.
    time += 1000 / 60;
    began = performance.now();
    callback(time);
  });
};

/** Waits until the picture is really drawn. @returns A few of its colours. */
function drawnNow() {
  const gl = document.querySelector("canvas").getContext("webgl2");
  const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
  const pixels = new Uint8Array(width * height * 4);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const colors = [];
  for (let row = 0; row < THUMBNAIL; row++) {
    for (let column = 0; column < THUMBNAIL; column++) {
      const x = Math.floor((column + 0.5) / THUMBNAIL * width);
      const y = Math.floor((row + 0.5) / THUMBNAIL * height);
      colors.push(...pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 3));
    }
  }
  return colors;
}

async function report() {
  // The next page starts as this one did, with nothing kept.
  const workers = await navigator.serviceWorker.getRegistrations();
  for (const worker of workers) await worker.unregister();
  for (const name of await caches.keys()) await caches.delete(name);
  const body = JSON.stringify({ startMs, busyMs, thumbnail });
  const response = await fetch("/measured", { method: "POST", body });
  const { next } = await response.json();
  if (next !== null) location.href = next;
}
