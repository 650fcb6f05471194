// Stands before the scripts of a page that is measured: tells when its first frame is drawn, and stops
// the page after so many frames, until it is told how many more to draw. Both pages that are compared
// ask for their first frame once everything is drawn, and for the next one at the end of each.

const THUMBNAIL = 16;

const nextFrame = globalThis.requestAnimationFrame.bind(globalThis);
let hasStarted = false;
/** Frames until the page stops. */
let left = 0;
let looks = false;
let time = 0;
let waiting = () => {};

globalThis.requestAnimationFrame = (callback) => {
  waiting = callback;
  if (!hasStarted) {
    hasStarted = true;
    const thumbnail = drawnNow();
    time = performance.now();
    tellMeter(JSON.stringify({ startMs: time, thumbnail }));
  } else if (left > 0) goOn();
  else tellMeter(JSON.stringify({ thumbnail: looks ? drawnNow() : [] }));
  return 0;
};

/** Lets so many frames be drawn. @param isLooked Whether it tells the colours of the last one. */
globalThis.drawFrames = (frames, isLooked) => {
  left = frames;
  looks = isLooked;
  goOn();
};

function goOn() {
  left--;
  nextFrame(() => {
    // Sixty frames a second, however many this machine draws: so that each has one step to make.
    time += 1000 / 60;
    waiting(time);
  });
}

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
