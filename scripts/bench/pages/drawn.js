// Stands before the scripts of a page whose picture is watched: tells when a frame of it is really drawn.

let isDrawn = false;
let context = null;

for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
  const { prototype } = WebGL2RenderingContext;
  const draw = prototype[name];
  prototype[name] = function (...args) {
    isDrawn = true;
    context = this;
    return draw.apply(this, args);
  };
}

const nextFrame = globalThis.requestAnimationFrame.bind(globalThis);
globalThis.requestAnimationFrame = (callback) =>
  nextFrame((time) => {
    isDrawn = false;
    callback(time);
    if (!isDrawn) return;
    // Waits for the one that draws.
    context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
    tellDrawn(String(performance.timeOrigin + performance.now()));
  });
