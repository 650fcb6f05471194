/**
 * A script for pages at whose pixels nobody looks: WebGL does everything but draw there. By software that
 * is most of what a page with a game costs, and who waits for the game waits for its frames.
 */
export const DRAWS_NOTHING = `
  const { prototype } = globalThis.WebGL2RenderingContext ?? { prototype: {} };
  for (const name of ["clear", "drawArrays", "drawArraysInstanced", "drawElements", "drawElementsInstanced"]) {
    prototype[name] = () => {};
  }
  // What is shown once is an empty picture: smoothing its edges costs four times its pixels.
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return getContext.call(this, kind, kind === "webgl2" ? { ...options, antialias: false } : options);
  };
`;
