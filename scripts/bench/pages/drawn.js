// Stands before the scripts of a page whose picture is watched: tells when a frame of it is really drawn.

let drawing = null;
const { port1, port2 } = new MessageChannel();

for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
  const { prototype } = WebGL2RenderingContext;
  const draw = prototype[name];
  prototype[name] = function (...args) {
    // Heard once what draws the frame has ended, whatever it waits for between.
    if (drawing === null) port2.postMessage(null);
    drawing = this;
    return draw.apply(this, args);
  };
}

port1.onmessage = () => {
  const context = drawing;
  drawing = null;
  // Waits for the one that draws.
  context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
  tellDrawn(String(performance.timeOrigin + performance.now()));
};
