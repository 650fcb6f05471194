export { createSurface, type Surface } from "./surface.ts";
